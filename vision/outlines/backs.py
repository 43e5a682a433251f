"""Cards that lie face down: things of the very size and shape of the cards that were read.

Candidates are the corners of all that differs from what lies around it. On each a card of the known
size is laid, and stays if edges are seen along its sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import cv2
import numpy as np

from vision.arrays import FloatArray, Image
from vision.outlines.deck_shape import DeckShape, Flat, flat_view, with_more
from vision.outlines.edges import Lines, fit_lines, laid_lines, running_on
from vision.outlines.guesses import Guesses, ReducedPicture, Taken, guesses_of
from vision.outlines.outliner import Outliner
from vision.types import Quad, as_quad

#: Widths of cards that are tried, as shares of the picture's shorter side, each a good third more
#: than the one before: so far off the network still finds its way.
_WIDTHS = (0.06, 0.085, 0.12, 0.17, 0.24, 0.34)
#: How far off the size may be, in widths, as a standard deviation; how wide cards are in the
#: picture in which corners are looked for, pixels; and how many guesses of each size are looked at.
_LONE_SPREAD, _WIDTH, _MOST = 0.1, 32.0, 24
#: A first look and further ones; what is less likely a back at the first one is not looked at
#: again.
_LONE_LOOKS, _WORTH = 3, 0.2
#: How likely a back is at least, and how far off its corners are at most, in widths; and of one of
#: them at least, without which there is none. Of looks at backs in pictures of held-out decks half
#: are as sure as that.
_LONE_BACK, _LONE_OFF = 0.95, 0.0185
_CERTAIN, _CERTAIN_OFF = 0.98, 0.0175
#: How wide a card may look for its height, seen as steeply as may be, and at least, in pixels.
_SLIM, _BROAD, _NARROWEST = 0.5, 0.9, 32.0
#: Cards of one table look about as large: the logarithm of their lengths differs by no more.
_ALIKE = 0.25
#: Where the sides run on beyond the corners for more than this share, it is no card.
_LONE_RUNNING_ON = 0.45


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
    looks = outliner.find(image, looks.corners[looks.kinds[:, kind] > _WORTH], looks=_LONE_LOOKS)
    off = looks.off.max(axis=1, initial=0.0)
    for k in np.argsort(off, kind="stable").tolist():
        quad = looks.corners[k]
        if looks.kinds[k, kind] > _LONE_BACK and off[k] < _LONE_OFF and _has_shape(quad):
            upright = _upright(np.array(as_quad(quad)))
            if running_on(image, upright[None])[0] < _LONE_RUNNING_ON:
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
    return clockwise(laid(*guesses, _LONE_SPREAD))


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


#: How far sides may lie off in the end, in widths.
_SLACK = 0.025
#: Standard deviation of the size, in widths, if one card tells it, and if several do.
_SPREAD_FEW, _SPREAD = 0.05, 0.025
#: A side is seen along so much of its length; so many lengths are, of all four; and at least so
#: much of the least.
_SEEN, _IN_ALL, _LEAST_SEEN = 0.55, 2.8, 0.2
#: Where the sides run on beyond the corners for more than this share, it is no card.
_RUNNING_ON = 0.45
#: How far the size and the shape may differ, as a share, by how many cards they are known.
_LIKE, _LIKE_FEW, _FEW = 0.06, 0.12, 2
#: Known of so many cards, it is known well enough.
_ENOUGH = 6
#: Further looks of the network at a candidate that may be a back; how likely one is at least, and
#: how far off its corners are at most, in widths.
_LOOKS, _BACK, _OFF = 2, 0.8, 0.03
#: What edges outline is no back if the network thinks that less likely, or its corners farther off.
_LEAST_BACK, _FARTHEST = 0.2, 0.1
#: The network is a little off: size and shape may differ by so many times as much as by edges.
_ROUGHLY = 2.0


def find_backs(
    image: Image, taken: Taken, flat: Flat, deck: DeckShape, outliner: Outliner | None = None
) -> tuple[Quad, ...]:
    """The outlines of cards that lie face down, the clearest first.

    Args:
        image: (height, width, 3) BGR.
        taken: what of it is known to be faces.
        flat: the view in which cards are parallelograms.
        deck: what cards look like in it.
        outliner: is asked besides the edges, and first; None for the edges alone.
    """
    guesses = guesses_of(image, flat, deck, taken)
    found = _found(image, taken, flat, deck, guesses)
    if found and deck.cards < _ENOUGH:
        # The more cards are known, the better is known how they look in a tilted view.
        every = np.array([*taken.faces, *found])
        flat = flat_view(every, taken.size)
        deck = with_more(deck, every, flat)
        guesses = guesses_of(image, flat, deck, taken)
        found = _found(image, taken, flat, deck, guesses) or found
    if outliner is not None:
        seen = _looked_at(image, taken, flat, deck, guesses, outliner)
        for quad in _not_denied(image, found, outliner):
            if taken.leaves(quad, seen):
                seen.append(quad)
        found = seen
    return tuple(as_quad(quad) for quad in found)


def _looked_at(
    image: Image,
    taken: Taken,
    flat: Flat,
    deck: DeckShape,
    guesses: Guesses,
    outliner: Outliner,
) -> list[FloatArray]:
    """The cards of the known size that the network takes for backs, the surest first."""
    if not len(guesses[1]):
        return []
    kind = outliner.kinds.index("back")
    looks = outliner.find(image, clockwise(laid(*guesses, _SPREAD_FEW)), looks=1)
    promising = looks.corners[looks.kinds[:, kind] > _LEAST_BACK]
    looks = outliner.find(image, promising, looks=_LOOKS)
    back = looks.kinds[:, kind]
    off = looks.off.max(axis=1)
    good = (back > _BACK) & (off < _OFF)
    quads = looks.corners[good][np.argsort(off[good])]
    if not len(quads):
        return []
    found: list[FloatArray] = []
    for quad, on in zip(quads, running_on(image, quads), strict=True):
        is_card = on < _RUNNING_ON and _is_alike(flat.view(quad), deck, slack=_ROUGHLY)
        if is_card and taken.leaves(quad, found):
            found.append(quad)
    return found


def _not_denied(image: Image, found: Sequence[FloatArray], outliner: Outliner) -> list[FloatArray]:
    """Those of some outlines by edges that the network does not take for anything but backs."""
    if not found:
        return []
    looks = outliner.find(image, clockwise(found), looks=1)
    back = looks.kinds[:, outliner.kinds.index("back")]
    fine = (back > _LEAST_BACK) & (looks.off.max(axis=1) < _FARTHEST)
    return [quad for quad, is_fine in zip(found, fine, strict=True) if is_fine]


def clockwise(quads: Iterable[FloatArray]) -> FloatArray:
    """(n, 4, 2) the same cards with their corners clockwise, the first side a short one."""
    return np.array([as_quad(quad) for quad in quads])


def laid(view: ReducedPicture, guesses: FloatArray, spread: float) -> FloatArray:
    """(n, 4, 2) cards moved to where edges are seen, in pixels of the picture."""
    lines, _ = laid_lines(view.small, view.reduced(guesses), spread)
    corners = view.enlarged(lines.corners())
    return np.where(np.isfinite(corners), corners, guesses)


def _found(
    image: Image, taken: Taken, flat: Flat, deck: DeckShape, guesses: Guesses
) -> list[FloatArray]:
    """The cards of the known size, the clearest first."""
    if not len(guesses[1]):
        return []
    few = deck.cards < _FEW
    corners = laid(*guesses, _SPREAD_FEW if few else _SPREAD)
    wide = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    lines = fit_lines(image, Lines.around(corners, slack=_SLACK * wide), None)
    corners = np.where(np.isfinite(lines.corners()), lines.corners(), corners)
    seen = lines.seen
    good = ((seen > _SEEN).sum(axis=1) >= 3) & (seen.sum(axis=1) > _IN_ALL)
    good &= seen.min(axis=1) > _LEAST_SEEN
    good &= running_on(image, corners) < _RUNNING_ON
    found: list[FloatArray] = []
    for k in np.argsort(-seen.sum(axis=1)):
        if good[k] and _is_alike(flat.view(corners[k]), deck) and taken.leaves(corners[k], found):
            found.append(corners[k])
    return found


def _is_alike(quad: FloatArray, deck: DeckShape, *, slack: float = 1.0) -> bool:
    """Whether an outline in the flat view has the size and the shape of the deck's cards."""
    if not np.isfinite(quad).all():
        return False
    like = slack * (_LIKE if deck.cards >= _FEW else _LIKE_FEW)
    table = quad @ deck.metric.T
    right = (table[1] + table[2] - table[0] - table[3]) / 2
    down = (table[2] + table[3] - table[0] - table[1]) / 2
    wide, high = float(np.linalg.norm(right)), float(np.linalg.norm(down))
    askew = float(np.linalg.norm(table[0] + table[2] - table[1] - table[3])) / deck.width
    return (
        abs(np.log(wide / deck.width)) < like
        and abs(np.log(high * deck.proportion / deck.width)) < like
        and abs(float(right @ down)) < 2 * like * wide * high
        and askew < 2 * like
    )
