"""Fits the classifier's marks: what of an index tells one deck's suits, and its ranks, apart.

The last feature map of the classifier sees far more of a symbol than the class it votes for. Seen
within one picture, where deck, light and blur are the same, two clubs look more alike in it than a
club and a spade, and two sevens more than a seven and an ace. Linear discriminants (Fisher, as for
speakers in probabilistic linear discriminant analysis) find the directions in which they do: much
between the kinds, little within one.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from models.arrays import Matrix
from models.labels import NO_GLYPH, SUIT_ID
from models.networks.classifier.discriminants import (
    MARKS,
    RANK_MARKS,
    Features,
    Labels,
    discriminants,
    spread_between,
)
from models.networks.classifier.samples import patches_of
from models.training.batches import as_input, stacked
from models.training.loop import DEVICE
from models.training.samples import SceneFile

_LEAST = 4
"""Pictures with fewer indices say nothing."""

_RED = (SUIT_ID["H"], SUIT_ID["D"])
_KNOWN = 4

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Marks:
    """Projections from the classifier's features; the scatter within a kind of a picture is 1.

    Attributes:
        suits: (features, :data:`MARKS`), for suits of one colour.
        ranks: (features, :data:`RANK_MARKS`), for ranks.
        rank_spread: (:data:`RANK_MARKS`,) variance of the ranks' middles along each.
    """

    suits: Matrix
    ranks: Matrix
    rank_spread: npt.NDArray[np.float64]

    def save(self, path: Path) -> None:
        """Writes them to an ``.npz`` file."""
        np.savez(path, suits=self.suits, ranks=self.ranks, rank_spread=self.rank_spread)

    @classmethod
    def load(cls, path: Path) -> Marks:
        """Reads what :meth:`save` wrote."""
        with np.load(path) as saved:
            return cls(saved["suits"], saved["ranks"], saved["rank_spread"])


def fit_marks(net: nn.Module, files: Sequence[SceneFile], *, seed: int, workers: int) -> Marks:
    """The projections from the classifier's features to marks.

    Args:
        net: A trained classifier (:class:`models.networks.classifier.net.Classifier`).
        files: Scenes with labels; only decks that may be trained on.
        seed: Jitter of the patches.
        workers: So many scenes are looked at at a time.
    """
    features, pictures, glyphs, suits = _features(net.eval(), files, seed, workers)
    red = np.isin(suits, _RED)
    of_suits = discriminants(features, pictures * 2 + red, suits, count=MARKS)
    of_ranks = discriminants(features, pictures, glyphs, count=RANK_MARKS)
    spread = spread_between(features @ of_ranks, pictures, glyphs)
    _LOG.info("marks: %d indices of %d scenes", len(features), len(np.unique(pictures)))
    return Marks(of_suits, of_ranks, spread)


def _features(
    net: nn.Module, files: Sequence[SceneFile], seed: int, workers: int
) -> tuple[Features, Labels, Labels, Labels]:
    """Feature maps of all indices, the number of the scene of each, its glyph and its suit."""
    net.to(DEVICE)

    def of(job: tuple[int, SceneFile]) -> tuple[Features, list[int], list[int]] | None:
        number, file = job
        cut = patches_of(*file.load(), np.random.default_rng((seed, number)), as_they_are=True)
        known = [(p, g, suit) for p, g, suit in cut if g < NO_GLYPH and 0 <= suit < _KNOWN]
        if len(known) < _LEAST:
            return None
        with torch.inference_mode():
            views = as_input(stacked([views for views, _, _ in known]).to(DEVICE))
            maps = net.features(views[:, :3]).cpu().numpy()
        return maps, [glyph for _, glyph, _ in known], [suit for _, _, suit in known]

    with ThreadPoolExecutor(workers) as pool:
        parts = list(pool.map(of, enumerate(files)))
    seen = [(number, part) for number, part in enumerate(parts) if part is not None]
    if not seen:
        raise ValueError("no scene shows enough indices to fit marks; render more scenes")
    return (
        np.concatenate([part[0] for _, part in seen]),
        np.concatenate([np.full(len(part[0]), number) for number, part in seen]),
        np.concatenate([part[1] for _, part in seen]),
        np.concatenate([part[2] for _, part in seen]),
    )
