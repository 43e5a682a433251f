"""Cards that lie face down: things of the very size and shape of the cards that were read.

Candidates are the corners of all that differs from what lies around it. On each a card of the known
size is laid, and stays if edges are seen along its sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline_deck import DeckShape, Flat, flat_view, with_more
from vision.outline_edges import Lines, fit_lines, laid_lines, running_on
from vision.outliner import Outliner
from vision.protocols import Image
from vision.types import CardRead, FloatArray, Quad, as_quad

Mask = NDArray[np.uint8]

#: Width of a card in the picture in which corners are looked for, pixels.
_WIDTH = 64.0
#: Levels of brightness by which things are parted from the table, how far colours must differ, and
#: how steep edges must be at least.
_LEVELS, _TINTED, _CANNY = range(40, 240, 25), 12.0, (15, 40)
#: A side of a corner is at least so long, in widths of a card, and as straight as that.
_LEAST_SIDE, _STRAIGHT = 0.3, 0.035
#: Cosine of the most by which a corner is off a right angle.
_SQUARE = 0.2
#: Two candidates all whose corners are this near are one, in widths.
_SAME = 0.12
_TURN = math.radians(4.0)
#: How far sides may lie off in the end, in widths; most candidates that are looked at.
_SLACK, _MOST = 0.025, 60
#: Standard deviation of the size, in widths, if one card tells it, and if several do.
_SPREAD_FEW, _SPREAD = 0.05, 0.025
#: A change of brightness that counts in full as an edge at the quick look; the least that a
#: candidate must show there, in sides.
_STEEP, _PROMISING = 60.0, 2.2
#: A side is seen along so much of its length; so many lengths are, of all four; and at least so
#: much of the least.
_SEEN, _IN_ALL, _LEAST_SEEN = 0.55, 2.8, 0.2
#: Where the sides run on beyond the corners for more than this share, it is no card.
_RUNNING_ON = 0.45
#: How far the size and the shape may differ, as a share, by how many cards they are known.
_LIKE, _LIKE_FEW, _FEW = 0.06, 0.12, 2
#: Known of so many cards, it is known well enough.
_ENOUGH = 6
_SHARED = 0.25
#: Further looks of the network at a candidate that may be a back; how likely one is at least, and
#: how far off its corners are at most, in widths.
_LOOKS, _BACK, _OFF = 2, 0.8, 0.03
#: What edges outline is no back if the network thinks that less likely, or its corners farther off.
_LEAST_BACK, _FARTHEST = 0.2, 0.1
#: The network is a little off: size and shape may differ by so many times as much as by edges.
_ROUGHLY = 2.0


@dataclass(frozen=True, slots=True)
class Taken:
    """What of a picture is known to be faces.

    Attributes:
        faces: (4, 2) outlines each.
        marks: (n, 2) middles of indices.
        size: width and height of the picture.
    """

    faces: Sequence[FloatArray]
    marks: FloatArray
    size: tuple[int, int]

    def leaves(self, quad: FloatArray, others: Sequence[FloatArray] = ()) -> bool:
        """Whether a card may lie there: no index or other card is upon it, and all is in sight."""
        if quad.min() < -2 or np.any(quad.max(axis=0) > np.array(self.size) + 1):
            return False
        contour = quad.astype(np.float32)
        line = contour.reshape(-1, 1, 2)
        if any(cv2.pointPolygonTest(line, (x, y), False) > 0 for x, y in self.marks.tolist()):
            return False
        area = abs(cv2.contourArea(contour))
        for other in (*self.faces, *others):
            both, _ = cv2.intersectConvexConvex(contour, other.astype(np.float32))
            if both > _SHARED * area:
                return False
        return True


@dataclass(frozen=True, slots=True)
class _View:
    """A reduced picture.

    Attributes:
        small: the picture.
        factor: (2,) how much wider and higher the full picture is.
    """

    small: Image
    factor: FloatArray

    def reduced(self, points: FloatArray) -> FloatArray:
        """Pixels of the full picture in the small one."""
        return np.asarray((points + 0.5) / self.factor - 0.5)

    def enlarged(self, points: FloatArray) -> FloatArray:
        """Pixels of the small picture in the full one."""
        return np.asarray((points + 0.5) * self.factor - 0.5)


_Guesses = tuple[_View, FloatArray]
"""A reduced picture, and (n, 4, 2) corners of cards that may lie there, in the full one."""


def taken_by(
    reads: Sequence[CardRead], quads: Sequence[Quad | None], size: tuple[int, int]
) -> Taken:
    """What of a picture is known to be faces.

    Args:
        reads: what was read in it.
        quads: the outlines of the reads, None where they are not known.
        size: width and height of the picture.
    """
    faces = [np.array(quad) for quad in quads if quad is not None]
    marks = np.array([index.centre for read in reads for index in read.indices]).reshape(-1, 2)
    return Taken(faces, marks, size)


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
    guesses = _guesses(image, flat, deck, taken)
    found = _found(image, taken, flat, deck, guesses)
    if found and deck.cards < _ENOUGH:
        # The more cards are known, the better is known how they look in a tilted view.
        every = np.array([*taken.faces, *found])
        flat = flat_view(every, taken.size)
        deck = with_more(deck, every, flat)
        guesses = _guesses(image, flat, deck, taken)
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
    guesses: _Guesses,
    outliner: Outliner,
) -> list[FloatArray]:
    """The cards of the known size that the network takes for backs, the surest first."""
    if not len(guesses[1]):
        return []
    kind = outliner.kinds.index("back")
    looks = outliner.find(image, _clockwise(_laid(*guesses, _SPREAD_FEW)), looks=1)
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
    looks = outliner.find(image, _clockwise(found), looks=1)
    back = looks.kinds[:, outliner.kinds.index("back")]
    fine = (back > _LEAST_BACK) & (looks.off.max(axis=1) < _FARTHEST)
    return [quad for quad, is_fine in zip(found, fine, strict=True) if is_fine]


def _clockwise(quads: Iterable[FloatArray]) -> FloatArray:
    """(n, 4, 2) the same cards with their corners clockwise, the first side a short one."""
    return np.array([as_quad(quad) for quad in quads])


def _laid(view: _View, guesses: FloatArray, spread: float) -> FloatArray:
    """(n, 4, 2) cards moved to where edges are seen, in pixels of the picture."""
    laid, _ = laid_lines(view.small, view.reduced(guesses), spread)
    corners = view.enlarged(laid.corners())
    return np.where(np.isfinite(corners), corners, guesses)


def _found(
    image: Image, taken: Taken, flat: Flat, deck: DeckShape, guesses: _Guesses
) -> list[FloatArray]:
    """The cards of the known size, the clearest first."""
    if not len(guesses[1]):
        return []
    few = deck.cards < _FEW
    corners = _laid(*guesses, _SPREAD_FEW if few else _SPREAD)
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


def _guesses(image: Image, flat: Flat, deck: DeckShape, taken: Taken) -> _Guesses:
    """(n, 4, 2) corners of cards of the known size that may lie there, in pixels of the picture."""
    back = np.linalg.inv(deck.metric)
    middle = flat.picture(np.array([[0.0, 0.0], *(deck.width * back.T)]))
    usual = float(np.median(np.linalg.norm(middle[1:] - middle[0], axis=1)))
    scale = min(1.0, _WIDTH / max(usual, 1.0))
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    view = _View(small, np.array([image.shape[1] / size[0], image.shape[0] / size[1]]))
    found: dict[tuple[int, ...], FloatArray] = {}
    grain = _SAME * deck.width
    for polygon in _polygons(small, usual * scale):
        points = flat.view(view.enlarged(polygon)) @ deck.metric.T
        for quad in _cards_at(points, deck):
            (x, y), (u, v) = (quad[0] + quad[2]) / 2, quad[1] - quad[0]
            turn = math.atan2(v, u) % math.pi
            found.setdefault((round(x / grain), round(y / grain), round(turn / _TURN)), quad)
    if not found:
        return view, np.zeros((0, 4, 2))
    tables = np.array(list(found.values()))
    quads = flat.picture(tables @ back.T)
    scores = _edged(small, view.reduced(quads))
    out: list[int] = []
    is_same = np.zeros(len(tables), bool)
    for k in np.argsort(-scores):
        if len(out) == _MOST or scores[k] < _PROMISING:
            break
        if not is_same[k] and taken.leaves(quads[k]):
            out.append(int(k))
            is_same |= _distances(tables[k], tables) < grain
    return view, np.asarray(quads[out])


def _edged(small: Image, quads: FloatArray) -> FloatArray:
    """(n,) for how many of their four sides an edge is about there, by a quick look."""
    grey = cv2.GaussianBlur(small, (3, 3), 0)
    steep = np.zeros(small.shape[:2], np.float32)
    for channel in cv2.split(grey):
        x = cv2.Sobel(channel, cv2.CV_32F, 1, 0)
        y = cv2.Sobel(channel, cv2.CV_32F, 0, 1)
        steep = np.maximum(steep, np.abs(x) + np.abs(y))
    near = cv2.dilate(np.minimum(steep / _STEEP, 1.0), np.ones((3, 3), np.uint8))
    along = np.linspace(0.08, 0.92, 16)[:, None]
    start, end = quads[:, :, None], np.roll(quads, -1, axis=1)[:, :, None]
    spots = (start + along * (end - start)).astype(np.float32).reshape(len(quads), -1, 2)
    seen = np.concatenate(
        [
            cv2.remap(near, part[..., 0], part[..., 1], cv2.INTER_NEAREST, borderValue=0)
            for part in np.array_split(spots, len(spots) // 8000 + 1)
        ]
    )
    return np.asarray(seen.reshape(len(quads), 4, 16).mean(axis=2).sum(axis=1))


def _polygons(small: Image, width: float) -> Iterator[FloatArray]:
    """The corners of what differs from its surroundings, (n, 2) pixels of the small picture."""
    least = _LEAST_SIDE * width
    for mask in _masks(small):
        for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
            _, _, w, h = cv2.boundingRect(contour)
            if max(w, h) < 3 * least:
                continue
            polygon = cv2.approxPolyDP(contour, _STRAIGHT * width, closed=True)
            if len(polygon) >= 3:
                yield polygon.reshape(-1, 2).astype(float)


def _masks(small: Image) -> Iterator[Mask]:
    """What differs from its surroundings, by its edges, its brightness or its colour."""
    lab = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), (0, 0), 0.8)
    light, *colours = (np.ascontiguousarray(lab[..., k]) for k in range(3))
    three = np.ones((3, 3), np.uint8)
    for low in _CANNY:
        edges = np.zeros(small.shape[:2], np.uint8)
        for channel in (light, *colours):
            edges |= np.asarray(cv2.Canny(channel, low, 2.5 * low), np.uint8)
        yield np.asarray(cv2.dilate(edges, three), np.uint8)
    parts = [light > level for level in _LEVELS]
    for colour in colours:
        usual = float(np.median(colour))
        parts += [colour > usual + _TINTED, colour < usual - _TINTED]
    for part in parts:
        yield np.asarray(cv2.morphologyEx(part.astype(np.uint8), cv2.MORPH_OPEN, three), np.uint8)


def _cards_at(points: FloatArray, deck: DeckShape) -> Iterator[FloatArray]:
    """(4, 2) cards that lie in the right-angled corners of a polygon, lengths as on the table."""
    sizes = (deck.width, deck.width / deck.proportion)
    n = len(points)
    ways = np.roll(points, -1, axis=0) - points
    long = np.linalg.norm(ways, axis=1)
    for k in range(n):
        before, after = long[k - 1], long[k]
        if min(before, after) < _LEAST_SIDE * deck.width:
            continue
        u, v = ways[k] / after, -ways[k - 1] / before
        if abs(float(u @ v)) > _SQUARE:
            continue
        # The longer of the two sides tells the direction.
        if after >= before:
            v = v - (u @ v) * u
            v /= np.linalg.norm(v)
        else:
            u = u - (u @ v) * v
            u /= np.linalg.norm(u)
        for across, along in (sizes, sizes[::-1]):
            if after > 1.15 * across or before > 1.15 * along:
                continue
            corner = points[k]
            quad = [
                corner,
                corner + across * u,
                corner + across * u + along * v,
                corner + along * v,
            ]
            yield np.array(quad if across < along else [quad[1], quad[2], quad[3], quad[0]])


def _distances(quad: FloatArray, others: FloatArray) -> FloatArray:
    """(n,) how far the corners of a quad are off those of others, whichever is the first one."""
    ways = np.array([np.roll(quad, k, axis=0) for k in range(4)])
    ways = np.concatenate([ways, ways[:, ::-1]])
    return np.asarray(np.abs(ways[:, None] - others[None]).max(axis=(2, 3)).min(axis=0))


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
