"""Trains the outliner: the four corners of a card of which it is known roughly where it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models import data
from models.ahead import ahead
from models.body_patches import augment
from models.nets.outliner import CORNERS, Outliner
from models.outline_patches import NONE, Sample, outlines_of
from models.training import fit, pooled_batches

POOL, BATCH = 4000, 128
_SURE, _UNSURE = -6.0, 1.0
"""Bounds of the logarithm of how far off a corner usually is."""
_KIND = 0.5
"""How much the kinds count beside the corners."""


def outline_batches(
    folder: Path, seed: int, *, pool: int = POOL
) -> Callable[[int], Iterator[tuple[Tensor, tuple[Tensor, ...]]]]:
    """Endless batches of patches with steps of corners, n × 4 × 2, and kinds.

    See :func:`models.training.pooled_batches`.
    """

    def cut(files: Sequence[data.SceneFile], rng: np.random.Generator) -> Iterator[Sample]:
        return outlines_of(files[int(rng.integers(len(files)))], rng)

    return pooled_batches(folder, seed, cut, augment, pool=pool, batch_size=BATCH)


def outline_loss(out: Tensor, steps: Tensor, kind: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Negative log likelihood of Laplace's law for the corners, cross entropy for the kinds."""
    found = out[:, : 2 * CORNERS].view(-1, CORNERS, 2)
    scale = out[:, 2 * CORNERS : 3 * CORNERS].clamp(_SURE, _UNSURE)
    error = (found - steps).abs().sum(dim=2)
    is_card = (kind != NONE).float()[:, None]
    count = is_card.sum().clamp(min=1) * CORNERS
    corners = ((error * torch.exp(-scale) + 2 * scale) * is_card).sum() / count
    kinds = functional.cross_entropy(out[:, 3 * CORNERS :], kind, ignore_index=data.IGNORE)
    off = (error * is_card).sum() / count
    return corners + _KIND * kinds, {
        "corners": float(corners.detach()),
        "off": float(off.detach()),
        "kind": float(kinds.detach()),
    }


def train_outliner(folder: Path, checkpoint: Path, samples: int, *, seed: int = 6) -> nn.Module:
    """Train the outliner on ``samples`` patches; returns the averaged network."""
    torch.manual_seed(seed)
    return fit(
        Outliner(),
        ahead(outline_batches(folder, seed, pool=max(BATCH, min(POOL, samples)))),
        outline_loss,
        checkpoint,
        samples=samples,
        rate=2e-3,
        name="outliner",
    )
