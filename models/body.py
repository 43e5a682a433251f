"""Trains the body reader: a card's rank and suit from all that it shows besides its index."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models import data
from models.body_patches import Sample, augment, bodies_of
from models.labels import BODIES
from models.nets.body import Body
from models.training import RELIST, as_input, fit

POOL, BATCH = 6000, 128


def body_batches(
    folder: Path, seed: int, *, pool: int = POOL
) -> Callable[[int], Iterator[tuple[Tensor, tuple[Tensor, ...]]]]:
    """Endless batches drawn from a shuffled pool that scenes keep refreshing."""

    def batches(seen: int) -> Iterator[tuple[Tensor, tuple[Tensor, ...]]]:
        rng = np.random.default_rng((seed, seen))
        stock: list[Sample] = []
        files: list[data.SceneFile] = []
        for batch in itertools.count():
            if batch % RELIST == 0:
                files = data.scene_files(folder)
            while len(stock) < pool:
                stock.extend(bodies_of(*files[rng.integers(len(files))].load(), rng))
            picks = rng.choice(len(stock), BATCH, replace=False)
            chosen = [stock[k] for k in picks]
            for k in sorted(picks, reverse=True):
                stock[k] = stock[-1]
                stock.pop()
            yield (
                as_input([augment(c[0], rng) for c in chosen]),
                (torch.tensor([c[1] for c in chosen]), torch.tensor([c[2] for c in chosen])),
            )

    return batches


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
