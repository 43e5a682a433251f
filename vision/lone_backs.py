"""Cards that lie face down where no face tells how large cards are.

Cards of several sizes are laid at the corners of whatever differs from what lies around it, and the
network of outlines says what is a back. Books, tiles and windows are rectangles as well, so it must
be surer than beside a face, and the shape that of a card. Those that it is sure of tell the size
and the slant by which the others are found (`vision.outline_backs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from vision.outline_backs import clockwise, find_backs, laid
from vision.outline_deck import DeckShape, Flat, flat_view, with_more
from vision.outline_edges import running_on
from vision.outline_guesses import Taken, guesses_of
from vision.outliner import Outliner
from vision.protocols import Image
from vision.types import FloatArray, Quad, as_quad

#: Widths of cards that are tried, as shares of the picture's shorter side, each a good third more
#: than the one before: so far off the network still finds its way.
_WIDTHS = (0.06, 0.085, 0.12, 0.17, 0.24, 0.34)
#: How far off the size may be, in widths, as a standard deviation; how wide cards are in the
#: picture in which corners are looked for, pixels; and how many guesses of each size are looked at.
_SPREAD, _WIDTH, _MOST = 0.1, 32.0, 24
#: A first look and further ones; what is less likely a back at the first one is not looked at
#: again.
_LOOKS, _WORTH = 3, 0.2
#: How likely a back is at least, and how far off its corners are at most, in widths; and of one of
#: them at least, without which there is none. Of looks at backs in pictures of held-out decks half
#: are as sure as that.
_BACK, _OFF = 0.95, 0.0185
_CERTAIN, _CERTAIN_OFF = 0.98, 0.0175
#: How wide a card may look for its height, seen as steeply as may be, and at least, in pixels.
_SLIM, _BROAD, _NARROWEST = 0.5, 0.9, 32.0
#: Cards of one table look about as large: the logarithm of their lengths differs by no more.
_ALIKE = 0.25
#: Where the sides run on beyond the corners for more than this share, it is no card.
_RUNNING_ON = 0.45


def lone_backs(image: Image, taken: Taken, outliner: Outliner) -> tuple[Quad, ...]:
    """The outlines of cards that lie face down, the surest first.

    Args:
        image: (height, width, 3) BGR.
        taken: what of it is known to be something else.
        outliner: the network of outlines.
    """
    sure = _of_one_size(list(_sure_ones(image, taken, outliner)), taken)
    if not sure:
        return ()
    quads = np.array(sure)
    flat = flat_view(quads, taken.size)
    deck = with_more(DeckShape.usual(1.0, cards=0), quads, flat)
    known = Taken([*taken.faces, *sure], taken.marks, taken.size)
    more = find_backs(image, known, flat, deck, outliner)
    return (*(as_quad(quad) for quad in sure), *more)


def _sure_ones(image: Image, taken: Taken, outliner: Outliner) -> Iterator[tuple[FloatArray, bool]]:
    """(4, 2) corners of what is surely a back, the surest first, and whether it is certain.

    A card may come several times.
    """
    starts = np.concatenate([_starts(image, taken, share) for share in _WIDTHS])
    kind = outliner.kinds.index("back")
    looks = outliner.find(image, starts, looks=1)
    looks = outliner.find(image, looks.corners[looks.kinds[:, kind] > _WORTH], looks=_LOOKS)
    off = looks.off.max(axis=1, initial=0.0)
    for k in np.argsort(off, kind="stable").tolist():
        quad = looks.corners[k]
        if looks.kinds[k, kind] > _BACK and off[k] < _OFF and _has_shape(quad):
            upright = _upright(np.array(as_quad(quad)))
            if running_on(image, upright[None])[0] < _RUNNING_ON:
                certain = looks.kinds[k, kind] > _CERTAIN and off[k] < _CERTAIN_OFF
                yield upright, bool(certain)


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
        for k in np.flatnonzero(np.abs(np.log(sizes / size)) < _ALIKE).tolist():
            if taken.leaves(backs[k][0], group):
                group.append(backs[k][0])
        if len(group) > len(best):
            best = group
    return best


def _starts(image: Image, taken: Taken, share: float) -> FloatArray:
    """(n, 4, 2) where cards of a width may lie."""
    deck = DeckShape.usual(share * min(image.shape[:2]), cards=0)
    guesses = guesses_of(image, Flat.level(taken.size), deck, taken, width=_WIDTH, most=_MOST)
    if not len(guesses[1]):
        return np.zeros((0, 4, 2))
    return clockwise(laid(*guesses, _SPREAD))


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
    return bool(min(first, second, third, fourth) > _NARROWEST and _SLIM < short / long < _BROAD)
