"""The outlines of cards, as the network of outlines sees them, their sides moved to the edges seen.

The network begins where the indices put the card: two opposite ones tell about where it lies, a
single one may be the left or the right upper one. What then has the index in one of its corners is
the card. The network is a little off but seldom far; where an edge is seen beside a side of what it
found, that is the side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import FloatArray
from vision.geometry import CARD_MM, INDEX_MM, LEAD_MM, index_box, within
from vision.images.pyramid import Pyramid
from vision.outlines.backs import find_backs
from vision.outlines.flat import index_place
from vision.outlines.outliner import FoundCorners, Outliner
from vision.outlines.sides import moved_to_edges
from vision.types import CardRead, IndexRead, Quad, Reading, as_quad


@dataclass(frozen=True, slots=True)
class FaceRule:
    """When a card is outlined.

    Attributes:
        off: how far off its corners may be for the network, in widths. Of 315 rendered faces 0.03
            outlines 9 fewer and 0.05 outlines 7 more, of which 3 are wrong.
        hopeless: corners that are farther off at the first look are not looked at again, in widths.
        none: how likely it is no card at most; a convention.
        looks_about: looks where it is asked whether a card lies there at all. Chosen on jokers.
        face: how likely a face lies there at least.
        off_about: and how far off its corners are at most, in widths.
        corner: how near to a corner an index stands at most, as shares of width and height.
        upright: least cosine of an index's direction and the card's sides; tilts stay above it.
        covered: so many indices of other cards on the inner part of a card cover too much of it.
        inner: that part of it, by its share.
    """

    off: float = 0.035
    hopeless: float = 0.25
    none: float = 0.5
    looks_about: int = 3
    face: float = 0.9
    off_about: float = 0.05
    corner: tuple[float, float] = (0.32, 0.38)
    upright: float = 0.8
    covered: int = 2
    inner: float = 0.75


RULE = FaceRule()


def with_outlines(picture: Pyramid, reading: Reading, outliner: Outliner) -> Reading:
    """The reading with the outlines of whole cards, of faces and backs.

    Args:
        picture: what was read.
        reading: of that picture.
        outliner: the network.
    """
    reads = (*reading.cards, *reading.doubtful)
    quads = _faces(picture, reads, outliner)
    marks = [index.centre for read in reads for index in read.indices]
    faces = [np.array(quad) for quad in quads if quad is not None]
    backs = find_backs(picture, faces, marks, outliner)
    return _with_quads(replace(reading, backs=backs), quads)


def with_faces(picture: Pyramid, reading: Reading, outliner: Outliner) -> Reading:
    """The reading with the outlines of faces; what was named by its whole face has one from there.

    Args:
        picture: what was read.
        reading: of that picture.
        outliner: the network.
    """
    quads = _faces(picture, (*reading.cards, *reading.doubtful), outliner)
    return _with_quads(reading, quads, keep=True)


def _with_quads(reading: Reading, quads: Sequence[Quad | None], *, keep: bool = False) -> Reading:
    """The reading with outlines.

    What a read's two indices alone tell of the outline is dropped: it may be off by a tenth.

    Args:
        reading: the reading.
        quads: of its cards and doubtful reads.
        keep: whether it is kept all the same.
    """
    reads = (*reading.cards, *reading.doubtful)
    done = [
        replace(read, quad=quad, outlined=True, exact=True) if quad is not None
        else replace(read, quad=index_box(read.indices[0]), outlined=False)
        if read.outlined and read.indices and not keep
        else read
        for read, quad in zip(reads, quads, strict=True)
    ]  # fmt: skip
    count = len(reading.cards)
    return replace(reading, cards=tuple(done[:count]), doubtful=tuple(done[count:]))


def _faces(picture: Pyramid, reads: Sequence[CardRead], outliner: Outliner) -> list[Quad | None]:
    """The outlines of cards, of each None where it is not certain enough."""
    out: list[Quad | None] = [None] * len(reads)
    starts: dict[int, list[FloatArray]] = {}
    marks = np.array([index.centre for read in reads for index in read.indices]).reshape(-1, 2)
    owners = np.array([k for k, read in enumerate(reads) for _ in read.indices])
    for k, read in enumerate(reads):
        if not read.is_by_face:
            others = marks[owners != k]
            starts[k] = [quad for quad in _starts(read) if not _is_covered(quad, others)]
    best: dict[int, FloatArray] = {}
    # Most decks have their index at the left: the right one is asked about where that is none.
    for turn in range(2):
        asked = [k for k, own in starts.items() if k not in best and len(own) > turn]
        first = outliner.find(picture, np.array([starts[k][turn] for k in asked]), looks=1)
        for n, k in enumerate(asked):
            if first.off[n].max() < RULE.hopeless and _holds(first, n, reads[k].indices[0]):
                best[k] = first.corners[n]
    if not best:
        return out
    found = outliner.find(picture, np.array(list(best.values())), looks=1)
    none = outliner.kinds.index("none")
    sure = [
        (n, k)
        for n, k in enumerate(best)
        if found.off[n].max() < RULE.off
        and found.kinds[n, none] < RULE.none
        and _holds(found, n, reads[k].indices[0])
    ]
    quads = moved_to_edges(picture.image, found.corners[[n for n, _ in sure]])
    for (_, k), quad in zip(sure, quads, strict=True):
        out[k] = as_quad(quad)
    return out


def _starts(read: CardRead) -> Iterable[FloatArray]:
    """(4, 2) each: where a card may lie."""
    if read.outlined:
        return [np.array(read.quad)]
    return [start_of_index(read.indices[0], left=left) for left in (True, False)]


def start_of_index(index: IndexRead, *, left: bool) -> FloatArray:
    """(4, 2) where a card usually lies about its left, or right, upper index."""
    down = index.size / INDEX_MM * np.array(index.direction)
    right = np.array([down[1], -down[0]]) * (1 if left else -1)
    origin = np.array(index.centre) - LEAD_MM[0] * right - LEAD_MM[1] * down
    right, down = CARD_MM[0] * right, CARD_MM[1] * down
    quad = np.array([origin, origin + right, origin + right + down, origin + down])
    return quad if left else quad[[1, 0, 3, 2]]


def lies_open(index: IndexRead, others: FloatArray) -> bool:
    """Whether enough of the card about an index is seen for it to be outlined.

    Args:
        index: the index.
        others: (n, 2) middles of the indices of other cards.
    """
    return any(not _is_covered(start_of_index(index, left=left), others) for left in (True, False))


def _is_covered(quad: FloatArray, others: FloatArray) -> bool:
    """Whether indices of several other cards stand upon a card: in a fan little of it is seen.

    Args:
        quad: (4, 2) where it lies.
        others: (n, 2) middles of the indices of other cards.
    """
    middle = quad.mean(axis=0)
    return int(within(middle + RULE.inner * (quad - middle), others).sum()) >= RULE.covered


def card_about(
    picture: Pyramid, indices: Sequence[IndexRead], outliner: Outliner
) -> list[FloatArray | None]:
    """(4, 2) the corners of the face that each index is in a corner of; None where none is sure.

    Args:
        picture: what they stand in.
        indices: the indices.
        outliner: the network.
    """
    out: list[FloatArray | None] = [None] * len(indices)
    # Most decks have their index at the left: the right one is asked about where that is none.
    for left in (True, False):
        asked = [n for n, quad in enumerate(out) if quad is None]
        starts = np.array([start_of_index(indices[n], left=left) for n in asked])
        found = outliner.find(picture, starts, looks=RULE.looks_about)
        face, off = found.kinds[:, outliner.kinds.index("face")], found.off.max(axis=1)
        for m in np.flatnonzero((face > RULE.face) & (off < RULE.off_about)).tolist():
            if _holds(found, m, indices[asked[m]]):
                out[asked[m]] = found.corners[m]
    return out


def _holds(found: FoundCorners, n: int, index: IndexRead) -> bool:
    """Whether what was found has an index in a corner, upright or on its head."""
    if not np.isfinite(found.off[n]).all():
        return False
    quad = found.corners[n]
    down = quad[3] - quad[0] + quad[2] - quad[1]
    along = float(down @ np.array(index.direction)) / max(float(np.linalg.norm(down)), 1e-9)
    place = index_place(quad, index)
    near = np.minimum(place, 1 - place)
    return bool(abs(along) > RULE.upright and (near > 0).all() and (near < RULE.corner).all())
