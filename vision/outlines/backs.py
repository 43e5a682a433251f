"""Cards that lie face down: things of the size and shape of the cards that were read.

Candidates are the corners of all that differs from what lies around it (`vision.outlines.guesses`).
On each a card of the known size is laid; what the network then takes for a back, sure of all its
corners, is one. Where no face tells the size, several sizes are tried, and the network must be
surer: by its edges a back is but one more rectangle, a book, a tile, a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import FloatArray, Image
from vision.images.pyramid import Pyramid
from vision.outlines.flat import CardShape, Flat, flat_view, shape_of
from vision.outlines.guesses import Taken, guesses_of
from vision.outlines.outliner import Outliner
from vision.outlines.sides import moved_to_edges, running_on
from vision.types import Point, Quad, as_quad


@dataclass(frozen=True, slots=True)
class BackRule:
    """What is a back.

    Chosen on 40 rendered pictures with 133 backs mostly in sight, and on pictures of faces alone,
    in which none may be found.

    Attributes:
        worth: what is less likely a back at the first look is not looked at again.
        looks: further looks then.
        back: how likely a back is at least beside faces.
        off: how far off its corners are at most, in widths.
        running_on: where the sides run on beyond the corners for more than this share, it is none.
        alike: cards are as large; the logarithms of their lengths on the table differ by no more.
        enough: known of so many cards, the slant of the table is known well enough.
        width: of a card in the picture in which corners are looked for, pixels.
        most: so many guesses are looked at.
    """

    worth: float = 0.2
    looks: int = 1
    back: float = 0.8
    off: float = 0.03
    running_on: float = 0.45
    alike: float = 0.2
    enough: int = 6
    width: float = 40.0
    most: int = 32


@dataclass(frozen=True, slots=True)
class LoneRule:
    """What is a back where no face is seen.

    Attributes:
        widths: that are tried, as shares of the picture's shorter side, each a good third more than
            the one before: so far off the network still finds its way.
        width: of a card in the picture in which corners are looked for, pixels.
        most: guesses of each size that are looked at.
        looks: see `BackRule`.
        back: how likely a back is at least. Of looks at backs of held-out decks half are as sure.
        off: how far off its corners are at most, in widths.
        certain: of one of them at least, without which there is none.
        certain_off: how far off its corners are at most.
        alike: see `BackRule`; here in the picture, in which near cards are larger.
        slim: how wide a card may look for its height, seen as steeply as may be.
        broad: the most.
        narrowest: the shortest side, pixels.
    """

    widths: tuple[float, ...] = (0.06, 0.085, 0.12, 0.17, 0.24, 0.34)
    width: float = 32.0
    most: int = 24
    looks: int = 3
    back: float = 0.95
    off: float = 0.0185
    certain: float = 0.98
    certain_off: float = 0.0175
    alike: float = 0.25
    slim: float = 0.5
    broad: float = 0.9
    narrowest: float = 32.0


RULE, LONE = BackRule(), LoneRule()


def find_backs(
    picture: Pyramid, faces: Sequence[FloatArray], marks: Sequence[Point], outliner: Outliner
) -> tuple[Quad, ...]:
    """The outlines of cards that lie face down, the surest first.

    Args:
        picture: what they lie in.
        faces: (4, 2) outlines of faces each.
        marks: middles of indices.
        outliner: the network.
    """
    size = (picture.image.shape[1], picture.image.shape[0])
    taken = Taken(tuple(faces), np.array(marks, float).reshape(-1, 2), size)
    if faces:
        found = _beside(picture, taken, faces, outliner)
    else:
        found = _of_one_size(list(_sure_ones(picture, taken, outliner)), taken)
    if found and len(faces) + len(found) < 2 * RULE.enough:
        # The more cards are known, the better is known how they look in a tilted view.
        known = Taken((*faces, *found), taken.marks, size)
        found += _beside(picture, known, known.faces, outliner)
    return tuple(as_quad(quad) for quad in moved_to_edges(picture.image, np.array(found)))


def _beside(
    picture: Pyramid, taken: Taken, cards: Sequence[FloatArray], outliner: Outliner
) -> list[FloatArray]:
    """(4, 2) corners of backs as large as some cards, the surest first."""
    quads = np.array(cards)
    flat = flat_view(quads, taken.size)
    shape = shape_of(quads, flat)
    starts = guesses_of(picture, flat, shape, taken, width=RULE.width, most=RULE.most)
    usual = _length(shape, quads, flat)
    found: list[FloatArray] = []
    for quad, back, off in _looked_at(picture, starts, outliner, RULE.looks):
        is_back = back > RULE.back and off < RULE.off and taken.leaves(quad, found)
        if is_back and abs(np.log(_length(shape, quad[None], flat) / usual)) < RULE.alike:
            found.append(quad)
    return _ending(picture.image, found)


def _length(shape: CardShape, quads: FloatArray, flat: Flat) -> float:
    """The usual length of cards on the table, by their area."""
    areas = [cv2.contourArea(quad.astype(np.float32)) for quad in flat.view(quads) @ shape.metric.T]
    return float(np.sqrt(np.median(areas)))


def _looked_at(
    picture: Pyramid, starts: FloatArray, outliner: Outliner, looks: int
) -> Iterator[tuple[FloatArray, float, float]]:
    """(4, 2) corners of what may be backs, the surest first, how likely and how far off they are.

    A card may come several times.
    """
    kind = outliner.kinds.index("back")
    found = outliner.find(picture, starts, looks=1)
    found = outliner.find(picture, found.corners[found.kinds[:, kind] > RULE.worth], looks=looks)
    off = found.off.max(axis=1, initial=0.0)
    for k in np.argsort(off, kind="stable").tolist():
        yield found.corners[k], float(found.kinds[k, kind]), float(off[k])


def _ending(image: Image, quads: list[FloatArray]) -> list[FloatArray]:
    """Those whose sides end at their corners."""
    if not quads:
        return []
    on = running_on(image, np.array(quads))
    return [quad for quad, share in zip(quads, on, strict=True) if share < RULE.running_on]


def _sure_ones(
    picture: Pyramid, taken: Taken, outliner: Outliner
) -> Iterator[tuple[FloatArray, bool]]:
    """(4, 2) corners of what is surely a back, the surest first, and whether it is certain."""
    level = Flat.level(taken.size)
    starts = np.concatenate(
        [
            guesses_of(
                picture,
                level,
                CardShape.usual(share * min(picture.image.shape[:2])),
                taken,
                width=LONE.width,
                most=LONE.most,
            )
            for share in LONE.widths
        ]
    )
    for quad, back, off in _looked_at(picture, starts, outliner, LONE.looks):
        if back > LONE.back and off < LONE.off and _has_shape(quad):
            upright = _upright(np.array(as_quad(quad)))
            if _ending(picture.image, [upright]):
                yield upright, back > LONE.certain and off < LONE.certain_off


def _of_one_size(backs: Sequence[tuple[FloatArray, bool]], taken: Taken) -> list[FloatArray]:
    """Those that lie beside each other and are about as large, as many as there are.

    Two cards that touch may pass for one of twice the size, but there are more of the smaller.

    Args:
        backs: (4, 2) corners, the surest first, and whether each is certain.
        taken: what of the picture is known to be something else.
    """
    sizes = np.array([np.sqrt(cv2.contourArea(quad.astype(np.float32))) for quad, _ in backs])
    best: list[FloatArray] = []
    for size, (_, is_certain) in zip(sizes, backs, strict=True):
        if not is_certain:
            continue
        group: list[FloatArray] = []
        for k in np.flatnonzero(np.abs(np.log(sizes / size)) < LONE.alike).tolist():
            if taken.leaves(backs[k][0], group):
                group.append(backs[k][0])
        if len(group) > len(best):
            best = group
    return best


def _sides(quad: FloatArray) -> FloatArray:
    """(4,) their lengths, from the first corner on, pixels."""
    return np.asarray(np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1))


def _upright(quad: FloatArray) -> FloatArray:
    """The same corners from one on that begins a short side."""
    first, second, third, fourth = _sides(quad)
    return np.roll(quad, -1, axis=0) if first + third > second + fourth else quad


def _has_shape(quad: FloatArray) -> bool:
    """Whether a card might look like that from somewhere above it."""
    first, second, third, fourth = _sides(quad)
    short, long = sorted((first + third, second + fourth))
    is_large = min(first, second, third, fourth) > LONE.narrowest
    return bool(is_large and LONE.slim < short / long < LONE.broad)
