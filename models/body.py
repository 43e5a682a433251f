"""Trains the body reader: a card's rank and suit from all that it shows besides its index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models import data
from models.body_patches import augment, bodies_of
from models.labels import BODIES
from models.nets.body import Body
from models.training import fit, pooled_batches

POOL, BATCH = 6000, 128


def body_batches(
    folder: Path, seed: int, *, pool: int = POOL
) -> Callable[[int], Iterator[tuple[Tensor, tuple[Tensor, ...]]]]:
    """Endless batches of bodies, see :func:`models.training.pooled_batches`."""

    def cut(files: Sequence[data.SceneFile], rng: np.random.Generator) -> Iterator[data.Sample]:
        return bodies_of(files[int(rng.integers(len(files)))], rng)

    return pooled_batches(folder, seed, cut, augment, pool=pool, batch_size=BATCH)


def body_loss(out: Tensor, body: Tensor, suit: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Cross entropy of both heads; unknown classes do not count."""
    n = len(BODIES)
    a = functional.cross_entropy(out[:, :n], body, ignore_index=data.IGNORE)
    b = functional.cross_entropy(out[:, n:], suit, ignore_index=data.IGNORE)
    return a + b, {"body": float(a.detach()), "suit": float(b.detach())}


def train_body(folder: Path, checkpoint: Path, samples: int, *, seed: int = 4) -> nn.Module:
    """Train the body reader on ``samples`` patches; returns the averaged network."""
    torch.manual_seed(seed)
    return fit(
        Body(),
        body_batches(folder, seed, pool=max(BATCH, min(POOL, samples))),
        body_loss,
        checkpoint,
        samples=samples,
        rate=2e-3,
        name="body",
    )
