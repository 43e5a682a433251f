"""Trains the networks that name an index's patch: first on all patches, then on the hard ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.labels import GLYPHS, SUITS
from models.networks.classifier.marks import Marks, fit_marks
from models.networks.classifier.net import Classifier, WithMarks
from models.networks.classifier.samples import (
    PATCH_HEIGHT,
    PATCH_INDEX_HEIGHT,
    PATCH_WIDTH,
    augment_patch,
    patches_of,
)
from models.synth.drawn import FOREIGN_SHARE
from models.synth.motley import motley_scene
from models.synth.scene import Scene
from models.synth.scenes import material, workshop
from models.training.ahead import ahead
from models.training.batches import Batches, pooled_batches
from models.training.export import export
from models.training.loop import averaged, fit
from models.training.run import Entry, Network, Run
from models.training.samples import IGNORE, Sample, SceneFile, scene_files

PATCH_BATCH = 128
CHOICE = 2
"""Patches looked at for each one that is learnt from, once most of them are easy."""

POOL = 6000
"""Patches that batches are drawn from."""

Motley = Callable[[np.random.Generator], Scene]

MOTLEY_SHARE, MOTLEY_LOOKS = 0.6, 2
"""Share of motley scenes among those that patches are cut from, about half of the patches; and how
often their patches are cut, at another pose each time."""


def patch_batches(run: Run, seed: int, motley: Motley, *, samples: int, batch_size: int) -> Batches:
    """Endless batches of patches of scenes, of the locator's proposals and of motley scenes.

    ``motley`` renders scenes of strangers on the spot, see :mod:`models.synth.motley`.
    """

    def cut(files: Sequence[SceneFile], rng: np.random.Generator) -> Iterator[Sample]:
        if rng.random() < MOTLEY_SHARE:
            scene = motley(rng)
            for _ in range(MOTLEY_LOOKS):
                yield from patches_of(scene.image, scene.labels, rng)
            return
        file = files[int(rng.integers(len(files)))]
        proposals = run.proposals / f"{file.key}.npy"
        poses = np.load(proposals) if proposals.exists() else None
        yield from patches_of(*file.load(), rng, poses)

    pool = max(CHOICE * PATCH_BATCH, min(POOL, samples))
    return ahead(
        pooled_batches(run.scenes, seed, cut, augment_patch, pool=pool, batch_size=batch_size)
    )


def classifier_loss(out: Tensor, glyph: Tensor, suit: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Cross entropy of both heads; unknown classes do not count."""
    a, b = _entropies(out, glyph, suit, "mean")
    right = (out[:, : len(GLYPHS)].argmax(1) == glyph).float().mean()
    return a + b, {"glyph": float(a.detach()), "suit": float(b.detach()), "right": float(right)}


def _entropies(out: Tensor, glyph: Tensor, suit: Tensor, reduction: str) -> tuple[Tensor, Tensor]:
    n = len(GLYPHS)
    return (
        functional.cross_entropy(out[:, :n], glyph, ignore_index=IGNORE, reduction=reduction),
        functional.cross_entropy(out[:, n:], suit, ignore_index=IGNORE, reduction=reduction),
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


EASY_PART = 0.4
"""Part of the classifier's patches that are all learnt from; of the rest the hard ones."""


def train_namer(
    run: Run,
    name: str,
    net: Callable[[], nn.Module],
    *,
    seed: int,
    foreign: float = FOREIGN_SHARE,
    jokers: float = 0.0,
) -> None:
    """Train a network that names patches: on all as they come, then on the hard ones.

    Args:
        run: The run.
        name: Of the network.
        net: Makes it.
        seed: Of everything random.
        foreign: Share of decks in other languages among the strangers.
        jokers: Share of jokers among them.
    """
    torch.manual_seed(seed)
    _, _, props = material(run.art, (), holdout=False)
    motley = partial(
        motley_scene,
        workshop=workshop(run.art, holdout=False),
        props=props,
        foreign=foreign,
        jokers=jokers,
    )
    samples = run.plan.samples[name]
    easy = round(samples * EASY_PART)
    first = fit(
        net(),
        patch_batches(run, seed, motley, samples=samples, batch_size=PATCH_BATCH),
        classifier_loss,
        run.checkpoint(f"{name}-every"),
        samples=easy,
        rate=2e-3,
        save_every=run.save_every,
    )
    fit(
        first,
        patch_batches(run, seed + 1, motley, samples=samples, batch_size=CHOICE * PATCH_BATCH),
        classifier_loss,
        run.checkpoint(name),
        samples=samples - easy,
        rate=8e-4,
        save_every=run.save_every,
        select=hardest,
    )


def export_namer(net: nn.Module, first: nn.Conv2d, path: Path, *outputs: str) -> None:
    """Write a network that names patches; ``outputs`` are what it gives beside its logits."""
    export(
        net, first, path, size=(PATCH_HEIGHT, PATCH_WIDTH), dynamic={0: "n"},
        outputs=("out", *outputs),
    )  # fmt: skip


def _train(run: Run) -> None:
    train_namer(run, "classifier", Classifier, seed=run.plan.seed + 1)
    marks = run.work / "marks.npz"
    weights = run.checkpoint("classifier")
    if marks.exists() and marks.stat().st_mtime > weights.stat().st_mtime:
        return
    net = averaged(Classifier(), weights)
    files = scene_files(run.scenes)[:: run.plan.marks_every]
    fit_marks(net, files, seed=run.plan.seed + 3).save(marks)


def _export(run: Run, path: Path) -> Entry:
    net = averaged(Classifier(), run.checkpoint("classifier"))
    marks = Marks.load(run.work / "marks.npz")
    suits, ranks = (torch.from_numpy(m.astype(np.float32)) for m in (marks.suits, marks.ranks))
    export_namer(WithMarks(net, suits, ranks), net.features[0][0], path, "marks", "rank_marks")
    return {
        "input": "BGR float32 0..255, n x 3 x 64 x 48, index upright and patch_index_height tall",
        "output": "out: n x (glyphs + suits) logits; marks and rank_marks: n x d, to compare suits "
        "and ranks of one picture",
        "glyphs": list(GLYPHS),
        "suits": list(SUITS),
        "patch": [PATCH_WIDTH, PATCH_HEIGHT],
        "patch_index_height": PATCH_INDEX_HEIGHT,
        "rank_spread": [round(float(v), 2) for v in marks.rank_spread],
    }


NETWORK = Network("classifier", 2_400_000, 2048, _train, _export)
