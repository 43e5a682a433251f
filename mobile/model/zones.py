"""View-model of the place that the camera watches, kept between sessions.

It is four corners that somebody dragged, or the zones of a table that was calibrated with the
players' names (`companion calibrate table`). Both are fractions of the picture, so that they hold
for every size of frame.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from companion.atomic_io import write_private
from companion.bounded_io import set_aside
from companion.core.layout import is_watched, layout, side_by_side
from companion.core.names import name_key
from companion.core.state import Zone
from companion.errors import CompanionError, UsageError
from vision.arrays import FloatArray
from vision.geometry import project
from vision.tracking.zones import TABLE, Zones, load_zones
from vision.types import Reading

FILE = "zones.json"
Corner = tuple[float, float]
#: The whole picture.
WHOLE: tuple[Corner, ...] = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
#: Two corners are never nearer than this, as a share of the picture.
_LEAST = 0.05


def load(folder: Path) -> tuple[Corner, ...]:
    """The corners kept in a folder; the whole picture where none are."""
    polygon = _kept(folder).get(TABLE)
    if polygon is None or len(polygon) != len(WHOLE):
        return WHOLE
    return tuple((float(x), float(y)) for x, y in polygon)


def calibrated(folder: Path) -> dict[str, FloatArray]:
    """The zones of a calibrated table by their names; none where only corners are kept."""
    found = _kept(folder)
    return {name: p for name, p in found.items() if p is not None and name not in (TABLE, "table")}


def _kept(folder: Path) -> Mapping[str, FloatArray | None]:
    """What the zones file says; nothing where there is none, or a damaged one, which is set aside.

    The file may have been calibrated with care: it is never written over unread.
    """
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        return load_zones(path).polygons
    except CompanionError:
        set_aside(path)
        return {}


def save(folder: Path, corners: tuple[Corner, ...]) -> None:
    """Keeps corners; a folder that cannot be written changes nothing else."""
    with suppress(UsageError):
        text = json.dumps({"zones": {TABLE: [list(corner) for corner in corners]}})
        write_private(folder / FILE, text, folders=True)


def moved(corners: tuple[Corner, ...], which: int, to: Corner) -> tuple[Corner, ...]:
    """Corners with one dragged, kept inside the picture and apart from its neighbours."""
    x, y = (min(1.0, max(0.0, v)) for v in to)
    left = which in (0, 3)
    top = which in (0, 1)
    beside = corners[which ^ 1]
    above = corners[3 - which]
    x = min(x, beside[0] - _LEAST) if left else max(x, beside[0] + _LEAST)
    y = min(y, above[1] - _LEAST) if top else max(y, above[1] + _LEAST)
    return (*corners[:which], (x, y), *corners[which + 1 :])


def of_table(places: Sequence[Zone], corners: tuple[Corner, ...]) -> Zones:
    """A game's places in the picture: as they lie on a table that reaches to the four corners.

    Args:
        places: the game's zones.
        corners: of the table, as fractions of the picture, clockwise from the upper left.
    """
    unit = np.array(WHOLE, np.float32)
    matrix = cv2.getPerspectiveTransform(unit, np.array(corners, np.float32))
    whole = None if corners == WHOLE else tuple(corners)
    mapped: dict[str, Sequence[Corner] | None] = {}
    for name, found in layout(places).items():
        if found is None:
            mapped[name] = whole
        else:
            mapped[name] = [(float(x), float(y)) for x, y in project(matrix, np.array(found))]
    return Zones.of_corners(mapped)


def of_calibrated(
    places: Sequence[Zone], players: Sequence[str], known: Mapping[str, FloatArray]
) -> Zones | None:
    """A game's places on a calibrated table.

    A polygon named like a place is that place; one named after a player is shared by the places
    of that seat, side by side; the one that is left belongs to the places of nobody.

    Returns:
        None where some place is nowhere on it (the table was calibrated for other players).
    """
    watched = [place for place in places if is_watched(place)]
    names = {name_key(name): name for name in known}
    seats = [names.get(name_key(player)) for player in players]
    rest = [n for n in known if n not in seats and n not in {place.name for place in watched}]
    found: dict[str, FloatArray] = {}
    for owner in dict.fromkeys(place.owner for place in watched):
        own = [p for p in watched if p.owner == owner and p.name not in known]
        spare = rest[0] if len(rest) == 1 else None
        name = spare if owner is None else seats[owner]
        if own and name is None:
            return None
        if name is not None:
            found |= dict(zip((p.name for p in own), _shared(known[name], own), strict=True))
    found |= {place.name: known[place.name] for place in watched if place.name in known}
    return Zones(found) if known else None


def _shared(polygon: FloatArray, places: Sequence[Zone]) -> list[FloatArray]:
    if not places:
        return []
    left, right = polygon[:, 0].min(), polygon[:, 0].max()
    ends = left + (right - left) * np.array(side_by_side(places))
    return [_cut(polygon, a, b) for a, b in pairwise(ends.tolist())]


def _cut(polygon: FloatArray, left: float, right: float) -> FloatArray:
    """The part of a polygon between two upright lines (Sutherland-Hodgman)."""
    for edge, sign in ((left, 1.0), (right, -1.0)):
        kept = []
        for k in range(len(polygon)):
            a, b = polygon[k - 1], polygon[k]
            p, q = sign * (a[0] - edge), sign * (b[0] - edge)
            if (p >= 0) != (q >= 0):
                kept.append(a + (b - a) * p / (p - q))
            if q >= 0:
                kept.append(b)
        polygon = np.array(kept)
    return polygon


def within(reading: Reading, corners: tuple[Corner, ...]) -> Reading:
    """The reads that lie inside; the lines of cards keep their order."""
    if corners == WHOLE:
        return reading
    inside = Zones({TABLE: np.array(corners, float)}).split(reading)[TABLE]
    kept = {read.card for read in inside.cards}
    lines = (tuple(card for card in line if card in kept) for line in reading.lines)
    return replace(inside, lines=tuple(line for line in lines if line))
