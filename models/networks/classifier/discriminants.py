"""Linear discriminants of things that come in groups: Fisher's, with the groups' own means out.

R. A. Fisher, "The use of multiple measurements in taxonomic problems", 1936; the scatter between
kinds is taken within each group, so that what a whole group has in common counts for nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from models.arrays import Matrix

Features = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int_]

MARKS, RANK_MARKS = 16, 16
"""How many numbers the classifier gives to compare the suits of one picture by, and the ranks."""

_RIDGE = 0.05
"""Added to every direction's scatter within a kind, as a share of the mean one."""


def discriminants(features: Features, groups: Labels, kinds: Labels, *, count: int) -> Matrix:
    """Directions in which kinds of one group lie far apart and things of one kind lie together.

    Args:
        features: (n, d).
        groups: (n,) within which things are compared.
        kinds: (n,) what they are.
        count: how many directions are wanted.

    Returns:
        (d, count): the generalised eigenvectors of the scatter between kinds about their
        group's middle, and of that within a kind, the largest eigenvalues first.
    """
    kind, group_of = _numbered(groups, kinds)
    middle, number = _means(features, kind)
    several = number[kind] > 1
    # One of n things lies nearer to the mean of all n than to the mean of the kind.
    wide = np.sqrt(number[kind[several]] / (number[kind[several]] - 1.0))
    within = _scatter((features - middle[kind])[several] * wide[:, None])
    within += _RIDGE * np.trace(within) / len(within) * np.eye(len(within))
    centre, kinds_there = _means(middle, group_of)
    between = _scatter((middle - centre[group_of])[kinds_there[group_of] > 1])
    scale, axes = np.linalg.eigh(within)
    white = axes / np.sqrt(scale)
    _, turned = np.linalg.eigh(white.T @ between @ white)
    return np.asarray((white @ turned)[:, ::-1][:, :count], np.float64)


def spread_between(
    rows: npt.NDArray[np.floating], groups: Labels, kinds: Labels
) -> npt.NDArray[np.float64]:
    """Variance, along each axis, of the kinds' middles about the middle of their group.

    Args:
        rows: (n, d).
        groups: (n,) within which things are compared.
        kinds: (n,) what they are.

    Returns:
        (d,), unbiased by how few kinds a group has; of groups with one kind nothing is known.
    """
    kind, group_of = _numbered(groups, kinds)
    middle, _ = _means(rows, kind)
    centre, there = _means(middle, group_of)
    several = there[group_of] > 1
    count = there[group_of][several]
    off = (middle - centre[group_of])[several] ** 2
    return np.asarray((off * (count / (count - 1.0))[:, None]).mean(axis=0), np.float64)


def _numbered(groups: Labels, kinds: Labels) -> tuple[Labels, Labels]:
    """The number of each thing's kind within its group, and of each such kind's group."""
    _, kind = np.unique(np.stack([groups, kinds]), axis=1, return_inverse=True)
    kind = kind.ravel()
    group_of = np.zeros(int(kind.max()) + 1, np.int64)
    group_of[kind] = np.unique(groups, return_inverse=True)[1]
    return kind, group_of


def _means(rows: npt.NDArray[np.floating], kind: Labels) -> tuple[Matrix, Labels]:
    """Mean and number of the rows of each kind."""
    count = np.bincount(kind)
    total = np.zeros((len(count), rows.shape[1]))
    np.add.at(total, kind, rows)
    return total / count[:, None], count


def _scatter(rows: npt.NDArray[np.floating]) -> Matrix:
    return np.asarray(rows.T @ rows, np.float64) / max(len(rows), 1)
