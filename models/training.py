"""Training loops of the two networks: resumable, with progress, on one or more processors."""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from models import data
from models.ahead import ahead
from models.labels import GLYPHS
from models.nets.classifier import Classifier
from models.nets.locator import Locator
from models.synth.scene import Scene

SCENES_PER_BATCH = 6
CROPS_PER_SCENE = 4
PATCH_BATCH = 128
CHOICE = 2
"""Patches looked at for each one that is learnt from, once most of them are easy."""
EMA = 0.998


class Progress:
    """One line on stderr every few seconds: samples, rate, loss."""

    def __init__(self, name: str, total: int, every: float = 20.0) -> None:
        self.name, self.total, self.every = name, total, every
        self.started = self.last = time.monotonic()
        self.at_start: int | None = None

    def __call__(self, done: int, loss: dict[str, float]) -> None:
        """Say where it stands, if it is time to."""
        now = time.monotonic()
        if self.at_start is None:
            self.at_start = done
        if now - self.last < self.every and done < self.total:
            return
        self.last = now
        rate = (done - self.at_start) / max(1e-6, now - self.started)
        left = (self.total - done) / max(rate, 1e-6) / 60
        text = ", ".join(f"{k} {v:.4f}" for k, v in loss.items())
        print(
            f"{self.name} {done}/{self.total} {rate:.0f}/s, {left:.0f} min left, {text}",
            file=sys.stderr,
            flush=True,
        )


Select = Callable[[nn.Module, Tensor, tuple[Tensor, ...]], tuple[Tensor, tuple[Tensor, ...]]]


def fit(
    net: nn.Module,
    batches: Callable[[int], Iterator[tuple[Tensor, tuple[Tensor, ...]]]],
    loss_of: Callable[..., tuple[Tensor, dict[str, float]]],
    checkpoint: Path,
    *,
    samples: int,
    rate: float,
    name: str,
    select: Select | None = None,
) -> nn.Module:
    """Train ``net`` on ``samples`` samples and return its averaged weights' twin.

    ``select`` may choose from each batch what is worth a step; what it leaves out counts as seen.

    Continues from ``checkpoint`` when it is there; writes it every few minutes and at the end. The
    learning rate warms up over 2 % and then falls along a cosine; the seed of the batches follows
    from the samples already seen, so a continued run does not see the same batches again. Where all
    have been seen no batch is asked for.
    """
    state: dict[str, Any] = {"seen": 0}
    twin = type(net)()
    twin.load_state_dict(net.state_dict())
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-2)
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        net.load_state_dict(state["net"])
        twin.load_state_dict(state["twin"])
        optimiser.load_state_dict(state["optimiser"])
    net.to(memory_format=torch.channels_last).train()
    seen, saved = int(state["seen"]), time.monotonic()
    progress = Progress(name, samples)
    mean: dict[str, float] = {}
    for offer, wanted in batches(seen) if seen < samples else ():
        part = seen / samples
        factor = min(1.0, part / 0.02 + 0.02) * (0.5 + 0.5 * math.cos(math.pi * part)) + 0.003
        for group in optimiser.param_groups:
            group["lr"] = rate * factor
        offered = len(offer)
        inputs, targets = (offer, wanted) if select is None else select(net, offer, wanted)
        total, parts = loss_of(net(inputs.contiguous(memory_format=torch.channels_last)), *targets)
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        _average(twin, net, min(EMA, 1 - 1 / (1 + seen / offered / 4)))
        seen += offered
        mean = {k: mean.get(k, v) * 0.98 + v * 0.02 for k, v in parts.items()}
        progress(seen, mean)
        if time.monotonic() - saved > 120:
            saved = time.monotonic()
            _save(checkpoint, net, twin, optimiser, seen)
        if seen >= samples:
            break
    _save(checkpoint, net, twin, optimiser, seen)
    return twin.eval()


def _average(twin: nn.Module, net: nn.Module, keep: float) -> None:
    with torch.no_grad():
        for a, b in zip(twin.state_dict().values(), net.state_dict().values(), strict=True):
            if a.dtype.is_floating_point:
                a.lerp_(b, 1 - keep)
            else:
                a.copy_(b)


def _save(
    path: Path, net: nn.Module, twin: nn.Module, optimiser: torch.optim.Optimizer, seen: int
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {
        "net": net.state_dict(),
        "twin": twin.state_dict(),
        "optimiser": optimiser.state_dict(),
        "seen": seen,
    }
    partial = path.with_suffix(".part")
    torch.save(state, partial)
    partial.replace(path)


def as_input(pictures: Sequence[npt.NDArray[np.uint8]]) -> Tensor:
    """BGR uint8 pictures of one size to an n × 3 × H × W tensor, RGB, 0 to 1."""
    batch = np.stack(pictures)[..., ::-1]
    return torch.from_numpy(np.ascontiguousarray(batch)).permute(0, 3, 1, 2).float().div_(255)


# ---------------------------------------------------------------- locator


RELIST = 250
"""Batches after which the scene folder is listed anew: rendering may go on beside training."""


def locator_batches(
    folder: Path, seed: int
) -> Callable[[int], Iterator[tuple[Tensor, tuple[Tensor, ...]]]]:
    """Endless locator batches: several crops of each of a few scenes."""

    def batches(seen: int) -> Iterator[tuple[Tensor, tuple[Tensor, ...]]]:
        rng = np.random.default_rng((seed, seen))
        files: list[data.SceneFile] = []
        for batch in itertools.count():
            if batch % RELIST == 0:
                files = data.scene_files(folder)
            crops, targets = [], []
            for k in rng.integers(len(files), size=SCENES_PER_BATCH):
                picture, labels = files[k].load()
                for _ in range(CROPS_PER_SCENE):
                    crop, target = data.locator_crop(picture, labels, rng)
                    if rng.random() < 0.15:
                        crop = cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.3, 1.0)))
                    crops.append(crop)
                    targets.append(target)
            maps = tuple(
                torch.from_numpy(np.stack([getattr(t, f) for t in targets]))
                for f in ("heat", "weight", "values", "mask")
            )
            yield as_input(crops), maps

    return batches


def locator_loss(
    out: Tensor, heat: Tensor, weight: Tensor, values: Tensor, mask: Tensor
) -> tuple[Tensor, dict[str, float]]:
    """Penalty-reduced focal loss on the heat map plus smooth L1 on the pose (CenterNet, 2019)."""
    logit = out[:, 0]
    p = torch.sigmoid(logit).clamp(1e-5, 1 - 1e-5)
    peak = (heat == 1.0).float()
    positive = -((1 - p) ** 2) * torch.log(p) * peak
    negative = -((1 - heat) ** 4) * p**2 * torch.log(1 - p) * (1 - peak)
    count = peak.sum().clamp(min=1)
    find = ((positive + negative) * weight).sum() / count
    error = (
        functional.smooth_l1_loss(out[:, 1:], values, reduction="none", beta=0.1) * mask[:, None]
    )
    scale = torch.tensor([0.3, 0.3, 1.0, 1.0, 1.0]).view(1, 5, 1, 1)
    pose = (error * scale).sum() / mask.sum().clamp(min=1)
    return find + 2 * pose, {"find": float(find.detach()), "pose": float(pose.detach())}


def train_locator(folder: Path, checkpoint: Path, samples: int, *, seed: int = 1) -> nn.Module:
    """Train the locator on ``samples`` crops; returns the averaged network, ready to export."""
    torch.manual_seed(seed)
    return fit(
        Locator(),
        locator_batches(folder, seed),
        locator_loss,
        checkpoint,
        samples=samples,
        rate=2.5e-3,
        name="locator",
    )


# ---------------------------------------------------------------- classifier


POOL = 6000
"""Patches that batches are drawn from."""

Cut = Callable[
    [Sequence[data.SceneFile], np.random.Generator],
    Iterable[tuple[npt.NDArray[np.uint8], Any, Any]],
]
"""Gives samples: a patch and two things to learn of it, numbers or arrays of one shape."""


def pooled_batches(
    folder: Path,
    seed: int,
    cut: Cut,
    augment: Callable[[npt.NDArray[np.uint8], np.random.Generator], npt.NDArray[np.uint8]],
    *,
    pool: int,
    batch_size: int,
) -> Callable[[int], Iterator[tuple[Tensor, tuple[Tensor, ...]]]]:
    """Endless batches of patches drawn from a shuffled pool that new scenes keep refreshing.

    Args:
        folder: Scenes.
        seed: Of all that is drawn.
        cut: Patches of a scene of its choice among those that there are.
        augment: Changes a patch as it is drawn.
        pool: Patches that batches are drawn from, at least.
        batch_size: Patches a batch.
    """

    def batches(seen: int) -> Iterator[tuple[Tensor, tuple[Tensor, ...]]]:
        rng = np.random.default_rng((seed, seen))
        stock: list[tuple[npt.NDArray[np.uint8], Any, Any]] = []
        files: list[data.SceneFile] = []
        for batch in itertools.count():
            if batch % RELIST == 0:
                files = data.scene_files(folder)
            while len(stock) < pool:
                stock.extend(cut(files, rng))
            picks = rng.choice(len(stock), batch_size, replace=False)
            chosen = [stock[k] for k in picks]
            for k in sorted(picks, reverse=True):
                stock[k] = stock[-1]
                stock.pop()
            yield (
                as_input([augment(c[0], rng) for c in chosen]),
                tuple(torch.from_numpy(np.array([c[k] for c in chosen])) for k in (1, 2)),
            )

    return batches


Motley = Callable[[np.random.Generator], Scene]

MOTLEY_SHARE, MOTLEY_LOOKS = 0.6, 2
"""Share of motley scenes among those that patches are cut from, about half of the patches; and how
often their patches are cut, at another pose each time."""


def patch_batches(
    folder: Path,
    seed: int,
    mined: Path | None,
    *,
    motley: Motley | None = None,
    pool: int = POOL,
    batch_size: int = PATCH_BATCH,
) -> Callable[[int], Iterator[tuple[Tensor, tuple[Tensor, ...]]]]:
    """Endless classifier batches, see :func:`pooled_batches`.

    ``motley`` renders scenes of strangers on the spot, see :mod:`models.synth.motley`.
    """

    def cut(files: Sequence[data.SceneFile], rng: np.random.Generator) -> Iterator[data.Sample]:
        if motley is not None and rng.random() < MOTLEY_SHARE:
            scene = motley(rng)
            for _ in range(MOTLEY_LOOKS):
                yield from data.patches_of(scene.image, scene.labels, rng)
            return
        file = files[int(rng.integers(len(files)))]
        picture, labels = file.load()
        extra = None if mined is None else mined / f"{file.key}.npy"
        poses = np.load(extra) if extra is not None and extra.exists() else None
        yield from data.patches_of(picture, labels, rng, poses)

    return pooled_batches(folder, seed, cut, data.augment_patch, pool=pool, batch_size=batch_size)


def classifier_loss(out: Tensor, glyph: Tensor, suit: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Cross entropy of both heads; unknown classes do not count."""
    a, b = _entropies(out, glyph, suit, "mean")
    right = (out[:, : len(GLYPHS)].argmax(1) == glyph).float().mean()
    return a + b, {"glyph": float(a.detach()), "suit": float(b.detach()), "right": float(right)}


def _entropies(out: Tensor, glyph: Tensor, suit: Tensor, reduction: str) -> tuple[Tensor, Tensor]:
    n = len(GLYPHS)
    return (
        functional.cross_entropy(out[:, :n], glyph, ignore_index=data.IGNORE, reduction=reduction),
        functional.cross_entropy(out[:, n:], suit, ignore_index=data.IGNORE, reduction=reduction),
    )


def hardest(
    net: nn.Module, inputs: Tensor, targets: tuple[Tensor, ...]
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """One in :data:`CHOICE` patches of a batch: half of them those with the greatest loss.

    The other half is taken as it comes, so that the network keeps the measure of easy patches.
    """
    glyph, suit = targets
    net.eval()
    with torch.no_grad():
        out = net(inputs.contiguous(memory_format=torch.channels_last))
    net.train()
    loss = torch.stack(_entropies(out, glyph, suit, "none")).sum(dim=0)
    keep = len(inputs) // CHOICE
    order = loss.argsort(descending=True)
    rest = order[keep // 2 :]
    chosen = torch.cat([order[: keep // 2], rest[torch.randperm(len(rest))[: keep - keep // 2]]])
    return inputs[chosen], (glyph[chosen], suit[chosen])


EASY_PART = 0.4
"""Part of the classifier's patches that are all learnt from; of the rest the hard ones."""


def train_classifier(
    folder: Path,
    checkpoint: Path,
    samples: int,
    *,
    mined: Path | None = None,
    motley: Motley | None = None,
    seed: int = 2,
    net: Callable[[], nn.Module] = Classifier,
) -> nn.Module:
    """Train the classifier on ``samples`` patches; returns the averaged network.

    It first takes all patches as they come, then goes on from there with the hard ones. ``net``
    makes a network of another build that is to learn the same.
    """
    torch.manual_seed(seed)
    pool = max(CHOICE * PATCH_BATCH, min(POOL, samples))
    every = checkpoint.with_name(f"{checkpoint.stem}-every.pt")
    first = fit(
        net(),
        ahead(patch_batches(folder, seed, mined, motley=motley, pool=pool)),
        classifier_loss,
        every,
        samples=round(samples * EASY_PART),
        rate=2e-3,
        name=checkpoint.stem,
    )
    return fit(
        first,
        ahead(
            patch_batches(
                folder, seed + 1, mined, motley=motley, pool=pool, batch_size=CHOICE * PATCH_BATCH
            )
        ),
        classifier_loss,
        checkpoint,
        samples=samples - round(samples * EASY_PART),
        rate=8e-4,
        name=f"{checkpoint.stem}, hard patches",
        select=hardest,
    )


# ---------------------------------------------------------------- mining


def mine(
    locator: nn.Module, files: Sequence[data.SceneFile], out: Path, *, threshold: float = 0.12
) -> None:
    """Write what the locator proposes on each scene (cx, cy, dx, dy, size).

    Each scene is looked at on one random level of the pyramid, so the proposals carry the locator's
    real errors of place, turn and size.
    """
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(3)
    progress = Progress("mining", len(files))
    for done, file in enumerate(files, 1):
        target = out / f"{file.key}.npy"
        if target.exists():
            continue
        picture, _ = file.load()
        scale = float(rng.choice([1.0, 0.75, 0.5], p=[0.5, 0.3, 0.2]))
        small = (
            cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            if scale < 1
            else picture
        )
        h, w = (small.shape[0] // 32 * 32, small.shape[1] // 32 * 32)
        with torch.inference_mode():
            maps = locator(as_input([np.ascontiguousarray(small[:h, :w], dtype=np.uint8)]))[
                0
            ].numpy()
        poses = decode(maps, threshold)[:, :5]
        poses[:, [0, 1, 4]] /= scale
        np.save(target, poses.astype(np.float32))
        progress(done, {"found": float(len(poses))})


def decode(maps: npt.NDArray[np.float32], threshold: float) -> npt.NDArray[np.float32]:
    """Peaks of the locator's maps as rows cx, cy, dx, dy, size, heat (input pixels), best first."""
    heat = maps[0]
    peak = (heat >= cv2.dilate(heat, np.ones((3, 3)))) & (
        heat > math.log(threshold / (1 - threshold))
    )
    ys, xs = np.nonzero(peak)
    order = np.argsort(-heat[ys, xs])[:400]
    ys, xs = ys[order], xs[order]
    ox, oy, c, s, size = maps[1:, ys, xs]
    norm = np.maximum(np.hypot(c, s), 1e-6)
    columns = (
        (xs + 0.5 + ox) * 4,
        (ys + 0.5 + oy) * 4,
        c / norm,
        s / norm,
        24 * np.exp(np.clip(size, -3, 3)),
        heat[ys, xs],
    )
    return np.stack(columns, axis=1).astype(np.float32)
