"""Trains the locator, and lets it look at scenes for the networks that name what it finds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.networks.locator.net import Locator
from models.networks.locator.samples import SIZE_UNIT, STRIDE, locator_crop
from models.training.batches import Batch, Batches, as_input, stacked
from models.training.export import export
from models.training.loop import DEVICE, Parts, Progress, averaged, fit
from models.training.quantise import samples_of
from models.training.run import Entry, Network, Run
from models.training.samples import SceneFile, scene_files

SCENES_PER_BATCH, CROPS_PER_SCENE = 6, 4


def locator_batches(folder: Path, seed: int) -> Batches:
    """Endless locator batches: several crops of each of a few scenes."""

    def batches(seen: int, worker: int) -> Iterator[Batch]:
        rng = np.random.default_rng((seed, seen, worker))
        files = scene_files(folder)
        for _ in itertools.count():
            crops, targets = [], []
            for k in rng.integers(len(files), size=SCENES_PER_BATCH):
                picture, labels = files[k].load()
                for _ in range(CROPS_PER_SCENE):
                    crop, target = locator_crop(picture, labels, rng)
                    if rng.random() < 0.15:
                        crop = cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.3, 1.0)))
                    crops.append(crop)
                    targets.append(target)
            maps = tuple(
                torch.from_numpy(np.stack([getattr(t, f) for t in targets]))
                for f in ("heat", "weight", "values", "mask")
            )
            yield stacked(crops), maps

    return batches


def locator_loss(
    out: Tensor, heat: Tensor, weight: Tensor, values: Tensor, mask: Tensor
) -> tuple[Tensor, Parts]:
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
    scale = out.new_tensor([0.3, 0.3, 1.0, 1.0, 1.0]).view(1, 5, 1, 1)
    pose = (error * scale).sum() / mask.sum().clamp(min=1)
    return find + 2 * pose, {"find": find, "pose": pose}


def write_proposals(
    locator: nn.Module, files: Sequence[SceneFile], out: Path, *, workers: int
) -> None:
    """Write what the locator proposes on each scene (cx, cy, dx, dy, size).

    Each scene is looked at on one random level of the pyramid, so the proposals carry the locator's
    real errors of place, turn and size.
    """
    out.mkdir(parents=True, exist_ok=True)
    progress = Progress("proposals", len(files))
    locator.to(DEVICE)

    def write(job: tuple[int, SceneFile]) -> int:
        number, file = job
        target = out / f"{file.key}.npy"
        if target.exists():
            return 0
        poses = _proposed(locator, file, np.random.default_rng((3, number)))
        unfinished = out / f".{file.key}.npy"
        np.save(unfinished, poses)
        unfinished.rename(target)
        return len(poses)

    with ThreadPoolExecutor(workers) as pool:
        for done, found in enumerate(pool.map(write, enumerate(files, 1)), 1):
            progress(done, {"found": float(found)})


def _proposed(
    locator: nn.Module, file: SceneFile, rng: np.random.Generator, *, threshold: float = 0.12
) -> npt.NDArray[np.float32]:
    picture, _ = file.load()
    scale = float(rng.choice([1.0, 0.75, 0.5], p=[0.5, 0.3, 0.2]))
    small = (
        cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        if scale < 1
        else picture
    )
    h, w = (small.shape[0] // 32 * 32, small.shape[1] // 32 * 32)
    with torch.inference_mode():
        crop = np.ascontiguousarray(small[:h, :w], dtype=np.uint8)
        maps = locator(as_input(stacked([crop]).to(DEVICE)))[0].cpu().numpy()
    poses = decode(maps, threshold)[:, :5]
    poses[:, [0, 1, 4]] /= scale
    return poses.astype(np.float32)


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
        (xs + 0.5 + ox) * STRIDE,
        (ys + 0.5 + oy) * STRIDE,
        c / norm,
        s / norm,
        SIZE_UNIT * np.exp(np.clip(size, -3, 3)),
        heat[ys, xs],
    )
    return np.stack(columns, axis=1).astype(np.float32)


def trained(run: Run) -> Locator:
    """The locator as it was trained."""
    return averaged(Locator(), run.checkpoint("locator"))


def _train(run: Run) -> None:
    torch.manual_seed(run.plan.seed)
    net = fit(
        Locator(),
        locator_batches(run.scenes, run.plan.seed),
        locator_loss,
        run.checkpoint("locator"),
        samples=run.plan.samples["locator"],
        rate=2.5e-3,
        run=run,
    )
    files = scene_files(run.scenes)[:: run.plan.proposals_every]
    write_proposals(net, files, run.proposals, workers=run.workers)


def _export(run: Run, path: Path) -> Entry:
    net = trained(run)
    shown = samples_of(locator_batches(run.scenes, run.plan.seed))
    export(
        net, [net.stem[0]], path,
        size=(256, 256), dynamic={0: "n", 2: "h", 3: "w"}, samples=shown,
    )  # fmt: skip
    return {
        "input": "BGR float32 0..255, n x 3 x H x W, H and W multiples of 32",
        "output": "n x 6 x H/4 x W/4: heat logit, offset x, y, cos, sin, log(size / size_unit)",
        "stride": STRIDE,
        "size_unit": SIZE_UNIT,
    }


NETWORK = Network("locator", 968_000, 480, _train, _export)
