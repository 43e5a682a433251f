"""Fits the classifier's marks: what of an index tells one deck's two suits of one colour apart.

The last feature map of the classifier sees far more of a symbol than the suit it votes for. Seen
within one picture, where deck, light and blur are the same, two clubs look more alike in it than a
club and a spade. Linear discriminants (Fisher, as for speakers in probabilistic linear discriminant
analysis) find the directions in which they do: many between the suits, few within one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from models import data
from models.discriminants import Features, Matrix, discriminants
from models.labels import MARKS, NO_GLYPH, SUIT_ID
from models.training import as_input

_LEAST = 4
"""Pictures with fewer indices say nothing."""

_RED = (SUIT_ID["H"], SUIT_ID["D"])
_KNOWN = 4


def fit_marks(net: nn.Module, files: Sequence[data.SceneFile], path: Path, *, seed: int) -> Matrix:
    """The projection from the classifier's features to marks; written to ``path``.

    Args:
        net: A trained classifier (:class:`models.nets.classifier.Classifier`).
        files: Scenes with labels; only decks that may be trained on.
        path: An ``.npy`` file that is written.
        seed: Jitter of the patches.

    Returns:
        (features, :data:`MARKS`); the scatter of marks within one suit of a picture is about 1.
    """
    features, pictures, suits = _features(net.eval(), files, np.random.default_rng(seed))
    red = np.isin(suits, _RED)
    marks = discriminants(features, pictures * 2 + red, suits, count=MARKS)
    np.save(path, marks.astype(np.float32))
    print(f"marks: {len(features)} indices of {len(np.unique(pictures))} scenes", file=sys.stderr)
    return marks


def _features(
    net: nn.Module, files: Sequence[data.SceneFile], rng: np.random.Generator
) -> tuple[Features, npt.NDArray[np.int_], npt.NDArray[np.int_]]:
    """Feature maps of all indices, the number of the scene of each, and its suit."""
    maps, pictures, suits = [], [], []
    for number, file in enumerate(files):
        picture, labels = file.load()
        cut = data.patches_of(picture, labels, rng)
        known = [(p, suit) for p, glyph, suit in cut if glyph < NO_GLYPH and 0 <= suit < _KNOWN]
        if len(known) < _LEAST:
            continue
        with torch.inference_mode():
            maps.append(net.features(as_input([patch for patch, _ in known])).numpy())  # type: ignore[operator]
        pictures += [number] * len(known)
        suits += [suit for _, suit in known]
    if not maps:
        raise ValueError("no scene shows enough indices to fit marks; render more scenes")
    return np.concatenate(maps), np.array(pictures), np.array(suits)
