"""Trains the outliner: the four corners of a card of which it is known roughly where it lies."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from models.networks.outliner.net import CORNERS, Outliner
from models.networks.outliner.samples import HEIGHT, INNER, KINDS, NONE, WIDTH, outlines_of
from models.training.batches import Batches, pooled_batches
from models.training.export import export
from models.training.loop import Parts, averaged, fit
from models.training.quantise import SHOWN, samples_of
from models.training.run import Entry, Network, Run
from models.training.samples import IGNORE, augment_card

BATCH, POOL = 128, 4000
"""Patches a batch, and those that batches are drawn from."""
_SURE, _UNSURE = -6.0, 1.0
"""Bounds of the logarithm of how far off a corner usually is."""
_KIND = 0.5
"""How much the kinds count beside the corners."""


def outline_loss(out: Tensor, steps: Tensor, kind: Tensor) -> tuple[Tensor, Parts]:
    """Negative log likelihood of Laplace's law for the corners, cross entropy for the kinds."""
    found = out[:, : 2 * CORNERS].view(-1, CORNERS, 2)
    scale = out[:, 2 * CORNERS : 3 * CORNERS].clamp(_SURE, _UNSURE)
    error = (found - steps).abs().sum(dim=2)
    is_card = (kind != NONE).float()[:, None]
    count = is_card.sum().clamp(min=1) * CORNERS
    corners = ((error * torch.exp(-scale) + 2 * scale) * is_card).sum() / count
    kinds = functional.cross_entropy(out[:, 3 * CORNERS :], kind, ignore_index=IGNORE)
    off = (error * is_card).sum() / count
    return corners + _KIND * kinds, {
        "corners": corners,
        "off": off,
        "kind": kinds,
    }


def card_batches(run: Run, *, pool: int) -> Batches:
    """Endless batches of cards, of scenes taken at random, with their corners and kinds."""
    return pooled_batches(
        run.scenes,
        run.plan.seed + 5,
        lambda files, rng: outlines_of(files[int(rng.integers(len(files)))], rng),
        augment_card,
        pool=max(BATCH, min(pool, run.plan.samples["outliner"])),
        batch_size=BATCH,
    )


def _train(run: Run) -> None:
    torch.manual_seed(run.plan.seed + 5)
    fit(
        Outliner(), card_batches(run, pool=POOL), outline_loss, run.checkpoint("outliner"),
        samples=run.plan.samples["outliner"], rate=2e-3, run=run,
    )  # fmt: skip


def _export(run: Run, path: Path) -> Entry:
    net = averaged(Outliner(), run.checkpoint("outliner"))
    export(
        net, [net.features[0][0]], path,
        size=(HEIGHT, WIDTH), dynamic={0: "n"}, samples=samples_of(card_batches(run, pool=SHOWN)),
    )  # fmt: skip
    return {
        "input": f"BGR float32 0..255, n x 3 x {HEIGHT} x {WIDTH}, a "
        "card stretched so that it fills the inner part if it lies where it is thought to",
        "output": "n x (8 + 4 + kinds): steps of the corners in widths of the inner part, logs of "
        "half how far off they usually are, logits of the kinds",
        "patch": [WIDTH, HEIGHT],
        "inner": INNER,
        "kinds": list(KINDS),
    }


NETWORK = Network("outliner", 900_000, 512, _train, _export)
