"""Where cards of a known size may lie: at the corners of all that differs from what lies around it.

On each such corner a card is laid; those of them whose sides have edges about them are promising.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import FloatArray, Image
from vision.geometry import within
from vision.images.pyramid import Pyramid
from vision.outlines.flat import CardShape, Flat
from vision.types import as_quad

Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class GuessRule:
    """How corners are looked for, and which cards laid on them are promising.

    Chosen on rendered pictures with backs; lengths in widths of a card.

    Attributes:
        levels: of brightness by which things are parted from the table.
        tinted: how far colours must differ from the usual one.
        canny: how steep edges must be at least. Of 445 rendered backs a second look at fainter ones
            finds none more.
        least_side: how long a side of a corner is at least.
        straight: how far it may be off a straight line.
        square: cosine of the most by which a corner is off a right angle.
        same: two candidates all whose corners are this near are one.
        turn: and whose directions differ by less, radians.
        steep: a change of brightness that counts in full as an edge at the quick look.
        promising: the least that a candidate must show there, in sides.
        shared: cards may cover each other by this share.
    """

    levels: range = range(50, 240, 45)
    tinted: float = 12.0
    canny: int = 40
    least_side: float = 0.3
    straight: float = 0.035
    square: float = 0.2
    same: float = 0.12
    turn: float = math.radians(4.0)
    steep: float = 60.0
    promising: float = 2.7
    shared: float = 0.25


RULE = GuessRule()


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
        """Whether a card may lie there: no index or other card is upon it, and all is in sight.

        Args:
            quad: (4, 2) its corners.
            others: (4, 2) further faces each.
        """
        if quad.min() < -2 or np.any(quad.max(axis=0) > np.array(self.size) + 1):
            return False
        contour = quad.astype(np.float32)
        if within(quad, self.marks).any():
            return False
        area = abs(cv2.contourArea(contour))
        for other in (*self.faces, *others):
            both, _ = cv2.intersectConvexConvex(contour, other.astype(np.float32))
            if both > RULE.shared * area:
                return False
        return True


def guesses_of(
    picture: Pyramid, flat: Flat, shape: CardShape, taken: Taken, *, width: float, most: int
) -> FloatArray:
    """(n, 4, 2) where cards of the known size may lie, those with the clearest edges first.

    Args:
        picture: what they lie in.
        flat: the view in which cards are parallelograms.
        shape: what cards look like in it.
        taken: what of the picture is known to be faces.
        width: of a card in the reduced picture in which corners are looked for, pixels.
        most: so many are given at most.
    """
    none = np.zeros((0, 4, 2))
    back = np.linalg.inv(shape.metric)
    middle = flat.picture(np.array([[0.0, 0.0], *(shape.width * back.T)]))
    usual = float(np.median(np.linalg.norm(middle[1:] - middle[0], axis=1)))
    scale = min(1.0, width / max(usual, 1.0))
    height, width_ = picture.image.shape[:2]
    size = (max(1, round(width_ * scale)), max(1, round(height * scale)))
    small = picture.reduced(size)
    factor = np.array([width_ / size[0], height / size[1]])
    polygons = [(polygon + 0.5) * factor - 0.5 for polygon in _polygons(small, usual * scale)]
    if not polygons:
        return none
    points = flat.view(np.concatenate(polygons)) @ shape.metric.T
    tables = _each_once(_cards_at(points, [len(polygon) for polygon in polygons], shape), shape)
    if not len(tables):
        return none
    quads = flat.picture(tables @ back.T)
    scores = _edged(small, (quads + 0.5) / factor - 0.5)
    out: list[int] = []
    is_same = np.zeros(len(tables), bool)
    for k in np.argsort(-scores):
        if len(out) == most or scores[k] < RULE.promising:
            break
        if not is_same[k] and taken.leaves(quads[k]):
            out.append(int(k))
            is_same |= _distances(tables[k], tables) < RULE.same * shape.width
    return np.array([as_quad(quads[k]) for k in out]).reshape(-1, 4, 2)


def _each_once(tables: FloatArray, shape: CardShape) -> FloatArray:
    """The cards, (n, 4, 2), the first of those that lie alike."""
    if not len(tables):
        return tables
    grain = RULE.same * shape.width
    middles, ways = (tables[:, 0] + tables[:, 2]) / 2, tables[:, 1] - tables[:, 0]
    turns = np.arctan2(ways[:, 1], ways[:, 0]) % math.pi
    keys = np.round(np.column_stack([middles / grain, turns / RULE.turn]))
    first = np.unique(keys, axis=0, return_index=True)[1]
    return np.asarray(tables[np.sort(first)])


def _edged(small: Image, quads: FloatArray) -> FloatArray:
    """(n,) for how many of their four sides an edge is about there, by a quick look."""
    grey = cv2.GaussianBlur(small, (3, 3), 0)
    steep = np.zeros(small.shape[:2], np.float32)
    for channel in cv2.split(grey):
        x = cv2.Sobel(channel, cv2.CV_32F, 1, 0)
        y = cv2.Sobel(channel, cv2.CV_32F, 0, 1)
        steep = np.maximum(steep, np.abs(x) + np.abs(y))
    near = cv2.dilate(np.minimum(steep / RULE.steep, 1.0), np.ones((3, 3), np.uint8))
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
    least = RULE.least_side * width
    for mask in _masks(small):
        for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
            _, _, w, h = cv2.boundingRect(contour)
            if max(w, h) < 3 * least:
                continue
            polygon = cv2.approxPolyDP(contour, RULE.straight * width, closed=True)
            if len(polygon) >= 3:
                yield polygon.reshape(-1, 2).astype(float)


def _masks(small: Image) -> Iterator[Mask]:
    """What differs from its surroundings, by its edges, its brightness or its colour."""
    lab = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), (0, 0), 0.8)
    light, *colours = cv2.split(lab)
    three = np.ones((3, 3), np.uint8)
    edges = cv2.Canny(lab, RULE.canny, 2.5 * RULE.canny)
    yield np.asarray(cv2.dilate(edges, three), np.uint8)
    parts = [light > level for level in RULE.levels]
    for colour in colours:
        usual = _median(colour)
        parts += [colour > usual + RULE.tinted, colour < usual - RULE.tinted]
    for part in parts:
        yield np.asarray(cv2.morphologyEx(part.astype(np.uint8), cv2.MORPH_OPEN, three), np.uint8)


def _median(channel: Mask) -> int:
    """The middle one of many values from 0 to 255; by counting them, which is quicker."""
    counts = np.bincount(channel.ravel(), minlength=256)
    return int(np.searchsorted(np.cumsum(counts), channel.size / 2))


def _cards_at(points: FloatArray, counts: Sequence[int], shape: CardShape) -> FloatArray:
    """(m, 4, 2) cards that lie in the right-angled corners of polygons, lengths as on the table.

    Args:
        points: (n, 2) the corners of one after the other.
        counts: how many each has.
        shape: how large cards are.
    """
    own = np.repeat(counts, counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    place = np.arange(len(points)) - first
    after = points[first + (place + 1) % own] - points
    before = points[first + (place - 1) % own] - points
    long_after, long_before = (np.linalg.norm(way, axis=1) for way in (after, before))
    u = after / np.maximum(long_after, 1e-9)[:, None]
    v = before / np.maximum(long_before, 1e-9)[:, None]
    cosine = (u * v).sum(axis=1)
    good = np.minimum(long_after, long_before) >= RULE.least_side * shape.width
    good &= np.abs(cosine) <= RULE.square
    # The longer of the two sides tells the direction.
    leads = (long_after >= long_before)[:, None]
    v, u = (
        np.where(leads, v - cosine[:, None] * u, v),
        np.where(leads, u, u - cosine[:, None] * v),
    )
    u, v = (way / np.maximum(np.linalg.norm(way, axis=1), 1e-9)[:, None] for way in (u, v))
    out = []
    width, height = shape.width, shape.width / shape.proportion
    for across, along in ((width, height), (height, width)):
        fits = good & (long_after <= 1.15 * across) & (long_before <= 1.15 * along)
        corner, right, down = points[fits], across * u[fits], along * v[fits]
        quads = np.stack([corner, corner + right, corner + right + down, corner + down], axis=1)
        out.append(quads if across < along else np.roll(quads, -1, axis=1))
    return np.concatenate(out)


def _distances(quad: FloatArray, others: FloatArray) -> FloatArray:
    """(n,) how far the corners of a quad are off those of others, whichever is the first one."""
    ways = np.array([np.roll(quad, k, axis=0) for k in range(4)])
    ways = np.concatenate([ways, ways[:, ::-1]])
    return np.asarray(np.abs(ways[:, None] - others[None]).max(axis=(2, 3)).min(axis=0))
