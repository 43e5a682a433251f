"""Trains the classifier: first on all views of indices, then on the hard ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.labels import GLYPHS, SUITS
from models.networks.classifier.net import Classifier
from models.networks.classifier.samples import (
    FAR_ANCHOR,
    FAR_INDEX_HEIGHT,
    PATCH_HEIGHT,
    PATCH_INDEX_HEIGHT,
    PATCH_WIDTH,
    augment_views,
    patches_of,
)
from models.synth.motley import motley_scene
from models.synth.scenes import material, workshop
from models.training.batches import Batches, pooled_batches
from models.training.export import export
from models.training.loop import Parts, averaged, fit
from models.training.quantise import SHOWN, samples_of
from models.training.run import Entry, Network, Run
from models.training.samples import IGNORE, Sample, SceneFile

PATCH_BATCH = 192
CHOICE = 2
"""Patches looked at for each one that is learnt from, once most of them are easy."""

POOL = 6000
"""Patches that batches are drawn from."""

USES = 2
"""How often a patch is learnt from, bent and lit in another way each time."""

MOTLEY_SHARE, MOTLEY_LOOKS = 0.6, 2
"""Share of motley scenes among those that patches are cut from, about half of the patches; and how
often their patches are cut, at another pose each time."""

FOREIGN, JOKERS = 0.35, 0.07
"""Shares of decks in other languages, and of jokers, among the strangers of motley scenes: in whole
decks their marks are so seldom met that they would be known less well."""

EASY_PART = 0.34
"""Part of the samples that are all learnt from; of the rest the hard ones."""


def patch_batches(run: Run, seed: int, *, samples: int, batch_size: int) -> Batches:
    """Endless batches of patches of scenes, of the locator's proposals and of motley scenes.

    Scenes of strangers are rendered on the spot, see :mod:`models.synth.motley`.
    """
    _, _, props = material(run.art, (), holdout=False)
    motley = partial(
        motley_scene,
        workshop=workshop(run.art, holdout=False),
        props=props,
        foreign=FOREIGN,
        jokers=JOKERS,
    )

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
    return pooled_batches(
        run.scenes, seed, cut, augment_views, pool=pool, batch_size=batch_size, uses=USES
    )


def classifier_loss(out: Tensor, glyph: Tensor, suit: Tensor) -> tuple[Tensor, Parts]:
    """Cross entropy of both heads; unknown classes do not count."""
    a, b = _entropies(out, glyph, suit, "mean")
    right = (out[:, : len(GLYPHS)].argmax(1) == glyph).float().mean()
    return a + b, {"glyph": a, "suit": b, "right": right}


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
    chosen = torch.cat(
        [
            order[: keep // 2],
            rest[torch.randperm(len(rest), device=rest.device)[: keep - keep // 2]],
        ]
    )
    return inputs[chosen], (glyph[chosen], suit[chosen])


def _train(run: Run) -> None:
    seed, samples = run.plan.seed + 1, run.plan.samples["classifier"]
    torch.manual_seed(seed)
    easy = round(samples * EASY_PART)
    first = fit(
        Classifier(),
        patch_batches(run, seed, samples=samples, batch_size=PATCH_BATCH),
        classifier_loss,
        run.checkpoint("classifier-every"),
        samples=easy,
        rate=2e-3,
        run=run,
    )
    fit(
        first,
        patch_batches(run, seed + 1, samples=samples, batch_size=CHOICE * PATCH_BATCH),
        classifier_loss,
        run.checkpoint("classifier"),
        samples=samples - easy,
        rate=8e-4,
        run=run,
        select=hardest,
    )


def _export(run: Run, path: Path) -> Entry:
    net = averaged(Classifier(), run.checkpoint("classifier"))
    batches = patch_batches(run, run.plan.seed + 1, samples=SHOWN, batch_size=PATCH_BATCH)
    export(
        net, (net.features[0][0], net.around[0][0]), path,
        size=(PATCH_HEIGHT, PATCH_WIDTH), dynamic={0: "n"}, views=2, samples=samples_of(batches),
    )  # fmt: skip
    return {
        "input": "BGR float32 0..255, n x 6 x 64 x 48: the index upright, patch_index_height tall "
        "and in the middle; then the same, far_index_height tall with its centre at far_anchor",
        "output": "n x (glyphs + suits) logits",
        "glyphs": list(GLYPHS),
        "suits": list(SUITS),
        "patch": [PATCH_WIDTH, PATCH_HEIGHT],
        "patch_index_height": PATCH_INDEX_HEIGHT,
        "far_index_height": FAR_INDEX_HEIGHT,
        "far_anchor": list(FAR_ANCHOR),
    }


NETWORK = Network("classifier", 5_326_000, 2048, _train, _export)
