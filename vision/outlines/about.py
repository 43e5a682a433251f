"""Outlines of cards that were read, as the network of outlines sees them.

It begins where the indices put the card: an index may be the left or the right upper one, large or
small. Of where that leads, what has the index in one of its corners is the card, and the surest
of those. Edges tell the place of a side to a pixel, or of another side's altogether; the
network is a little off, but seldom far. Where both agree the card lies between them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.arrays import FloatArray, Image
from vision.geometry import CARD_MM, INDEX_MM, LEAD_MM
from vision.outlines.deck_shape import index_place
from vision.outlines.outliner import FoundCorners, Outliner
from vision.types import CardRead, IndexRead, Quad, as_quad

#: So many looks are taken at each start, and then at the likeliest; and where it is asked whether
#: a card lies there at all, which it does if that is at least so likely.
_FIRST, _LAST, _ABOUT, _FACE = 2, 1, 3, 0.9
#: An index stands this near to a corner, as shares of width and height, and along the sides.
_CORNER, _UPRIGHT = (0.32, 0.38), 0.8
#: A card whose corners the network thinks farther off, in widths, is not outlined; and is not taken
#: to lie there.
_OFF, _NEARLY = 0.03, 0.05
#: Outlines agree whose corners lie so near, in widths.
_AGREE = 0.08


def looked_at(
    image: Image,
    reads: Sequence[CardRead],
    by_edges: Sequence[Quad | None],
    outliner: Outliner,
) -> tuple[Quad | None, ...]:
    """The outlines of cards, of each None where it is not certain enough.

    Args:
        image: (height, width, 3) BGR.
        reads: of that picture.
        by_edges: their outlines by the edges seen, None where those do not tell.
        outliner: the network.
    """
    starts, owner = [], []
    for k, read in enumerate(reads):
        own = _starts(read, by_edges[k]) if read.indices else []
        starts += own
        owner += [k] * len(own)
    if not starts:
        return tuple(by_edges)
    first = outliner.find(image, np.array(starts), looks=_FIRST)
    best: dict[int, int] = {}
    for n, k in enumerate(owner):
        surer = k not in best or first.off[n].max() < first.off[best[k]].max()
        if surer and holds_index(first.corners[n], first.off[n], reads[k].indices[0]):
            best[k] = n
    found = outliner.find(image, first.corners[list(best.values())], looks=_LAST)
    out = list(by_edges)
    for n, k in enumerate(best):
        out[k] = _both(found.take(np.array([n])), reads[k].indices[0], by_edges[k], outliner)
    return tuple(out)


def card_about(
    image: Image, indices: Sequence[IndexRead], outliner: Outliner
) -> list[FloatArray | None]:
    """(4, 2) the corners of the face that each index is in a corner of; None where none is sure.

    Args:
        image: (height, width, 3) BGR.
        indices: of that picture.
        outliner: the network.
    """
    if not indices:
        return []
    starts = [start_of_index(index, left=left) for index in indices for left in (True, False)]
    found = outliner.find(image, np.array(starts), looks=_ABOUT)
    face, off = found.kinds[:, outliner.kinds.index("face")], found.off.max(axis=1)
    out: list[FloatArray | None] = []
    for n, index in enumerate(indices):
        sure = [
            m
            for m in (2 * n, 2 * n + 1)
            if face[m] > _FACE
            and off[m] < _NEARLY
            and holds_index(found.corners[m], found.off[m], index)
        ]  # fmt: skip
        out.append(found.corners[min(sure, key=lambda m: float(off[m]))] if sure else None)
    return out


def _starts(read: CardRead, by_edges: Quad | None) -> list[FloatArray]:
    """(4, 2) where a card may lie."""
    own = [np.array(quad) for quad in (by_edges, read.quad if read.outlined else None) if quad]
    if not read.outlined:
        own += [start_of_index(read.indices[0], left=left) for left in (True, False)]
    return own


def start_of_index(index: IndexRead, *, left: bool) -> FloatArray:
    """(4, 2) where a card usually lies about its left, or right, upper index."""
    down = index.size / INDEX_MM * np.array(index.direction)
    right = np.array([down[1], -down[0]]) * (1 if left else -1)
    origin = np.array(index.centre) - LEAD_MM[0] * right - LEAD_MM[1] * down
    right, down = CARD_MM[0] * right, CARD_MM[1] * down
    quad = np.array([origin, origin + right, origin + right + down, origin + down])
    return quad if left else quad[[1, 0, 3, 2]]


def holds_index(quad: FloatArray, off: FloatArray, index: IndexRead) -> bool:
    """Whether a card that lies there has an index in a corner, upright or on its head.

    Args:
        quad: (4, 2) its corners.
        off: (4,) how far off they may be, as `vision.outlines.outliner.Found` has it.
        index: the index.
    """
    if not np.isfinite(off).all():
        return False
    down = quad[3] - quad[0] + quad[2] - quad[1]
    along = float(down @ np.array(index.direction)) / max(float(np.linalg.norm(down)), 1e-9)
    place = index_place(quad, index)
    near = np.minimum(place, 1 - place)
    return bool(abs(along) > _UPRIGHT and (near > 0).all() and (near < _CORNER).all())


def _both(
    found: FoundCorners, index: IndexRead, by_edges: Quad | None, outliner: Outliner
) -> Quad | None:
    """The outline of one card by what the network and what the edges say."""
    quad, off = found.corners[0], found.off[0]
    sure = holds_index(quad, off, index) and float(off.max()) < _OFF
    sure &= float(found.kinds[0, outliner.kinds.index("none")]) < 0.5
    if by_edges is None:
        return as_quad(quad) if sure else None
    edges = np.array(by_edges)
    quad = min((quad, np.roll(quad, 2, axis=0)), key=lambda way: float(np.abs(way - edges).sum()))
    wide = float(np.linalg.norm(edges[1] - edges[0]))
    if np.isfinite(off).all() and np.linalg.norm(quad - edges, axis=1).max() < _AGREE * wide:
        return as_quad((quad + edges) / 2)
    return as_quad(quad) if sure else None
