"""Batches for training: drawn from a pool of patches, and made by processes of their own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from models.arrays import Picture
from models.training.samples import SceneFile, scene_files

Batch = tuple[Tensor, tuple[Tensor, ...]]
"""Pictures, n × height × width × channels, BGR, uint8; and what is to be learnt of them."""

Batches = Callable[[int, int], Iterator[Batch]]
"""Endless batches, by how many samples were seen before and by the number of who makes them."""

_PREFETCHED = 4
"""Batches that each process makes before the first of them is taken."""


def stacked(pictures: Sequence[npt.NDArray[np.uint8]]) -> Tensor:
    """Pictures of one size as one tensor, n × height × width × channels."""
    return torch.from_numpy(np.stack(pictures))


def as_input(pictures: Tensor) -> Tensor:
    """What most networks take, from what batches hold.

    Args:
        pictures: n × H × W × 3k, uint8: k pictures side by side, each BGR.

    Returns:
        n × 3k × H × W, each picture RGB, 0 to 1.
    """
    n, height, width, channels = pictures.shape
    parted = pictures.view(n, height, width, channels // 3, 3).flip(-1)
    return parted.reshape(pictures.shape).permute(0, 3, 1, 2).float().div_(255)


class _Stream(IterableDataset[Batch]):
    """Batches, as the process that makes them makes them."""

    def __init__(self, batches: Batches, seen: int) -> None:
        self._batches, self._seen = batches, seen

    def __iter__(self) -> Iterator[Batch]:
        cv2.setNumThreads(1)
        worker = get_worker_info()
        return self._batches(self._seen, 0 if worker is None else worker.id)


def made_ahead(batches: Batches, seen: int, *, workers: int) -> Iterator[Batch]:
    """The batches, made by so many processes while those before them are in use.

    Pictures and patches are made by one processor each, so networks wait for them. An error in the
    making is raised where the batch is taken.
    """
    loader = DataLoader(
        _Stream(batches, seen), batch_size=None, num_workers=workers,
        prefetch_factor=_PREFETCHED, multiprocessing_context="fork",
    )  # fmt: skip
    return iter(loader)


Cut = Callable[[Sequence[SceneFile], np.random.Generator], Iterable[tuple[Picture, Any, Any]]]
"""Gives samples: a patch and two things to learn of it, numbers or arrays of one shape."""


def pooled_batches(
    folder: Path,
    seed: int,
    cut: Cut,
    augment: Callable[[Picture, np.random.Generator], Picture],
    *,
    pool: int,
    batch_size: int,
    uses: int = 1,
) -> Batches:
    """Endless batches of patches drawn from a shuffled pool that new scenes keep refreshing.

    Args:
        folder: Scenes.
        seed: Of all that is drawn.
        cut: Patches of a scene of its choice among those that there are.
        augment: Changes a patch as it is drawn.
        pool: Patches that batches are drawn from, at least.
        batch_size: Patches a batch.
        uses: How often a patch is drawn on average, each time changed anew.
    """

    def batches(seen: int, worker: int) -> Iterator[Batch]:
        rng = np.random.default_rng((seed, seen, worker))
        stock: list[tuple[Picture, Any, Any]] = []
        files = scene_files(folder)
        for _ in itertools.count():
            while len(stock) < pool:
                stock.extend(cut(files, rng))
            picks = rng.choice(len(stock), batch_size, replace=False)
            chosen = [stock[k] for k in picks]
            for k in sorted(picks[rng.random(batch_size) * uses < 1], reverse=True):
                stock[k] = stock[-1]
                stock.pop()
            yield (
                stacked([augment(c[0], rng) for c in chosen]),
                tuple(torch.from_numpy(np.array([c[k] for c in chosen])) for k in (1, 2)),
            )

    return batches
