"""Batches for training: pictures as tensors, and patches drawn from a pool."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from models.arrays import Picture
from models.training.samples import SceneFile, scene_files

Batches = Callable[[int], Iterator[tuple[Tensor, tuple[Tensor, ...]]]]
"""Endless batches of inputs and targets, by how many samples were seen before."""


def as_input(pictures: Sequence[npt.NDArray[np.uint8]]) -> Tensor:
    """BGR uint8 pictures of one size to an n × 3 × H × W tensor, RGB, 0 to 1."""
    batch = np.stack(pictures)[..., ::-1]
    return torch.from_numpy(np.ascontiguousarray(batch)).permute(0, 3, 1, 2).float().div_(255)


Cut = Callable[[Sequence[SceneFile], np.random.Generator], Iterable[tuple[Picture, Any, Any]]]
"""Gives samples: a patch and two things to learn of it, numbers or arrays of one shape."""

SamplesOf = Callable[[SceneFile, np.random.Generator], Iterable[tuple[Picture, Any, Any]]]
"""The same of one scene."""


def pooled_batches(
    folder: Path,
    seed: int,
    cut: Cut,
    augment: Callable[[Picture, np.random.Generator], Picture],
    *,
    pool: int,
    batch_size: int,
) -> Batches:
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
        stock: list[tuple[Picture, Any, Any]] = []
        files = scene_files(folder)
        for _ in itertools.count():
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
