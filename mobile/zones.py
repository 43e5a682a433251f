"""View-model of the place that the camera watches: four corners, kept between sessions.

Corners are fractions of the picture, so that they hold for every size of frame.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from companion.errors import CompanionError
from companion.live import layout
from companion.state import Zone
from vision.plane import project
from vision.types import Reading
from vision.zones import TABLE, Zones, load_zones

FILE = "zones.json"
Corner = tuple[float, float]
#: The whole picture.
WHOLE: tuple[Corner, ...] = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
#: Two corners are never nearer than this, as a share of the picture.
_LEAST = 0.05


def load(folder: Path) -> tuple[Corner, ...]:
    """The corners kept in a folder; the whole picture where none are."""
    if not (folder / FILE).exists():
        return WHOLE
    try:
        polygon = load_zones(folder / FILE).polygons.get(TABLE)
    except CompanionError:
        return WHOLE
    if polygon is None or len(polygon) != len(WHOLE):
        return WHOLE
    return tuple((float(x), float(y)) for x, y in polygon)


def save(folder: Path, corners: tuple[Corner, ...]) -> None:
    """Keeps corners; a folder that cannot be written changes nothing else."""
    with suppress(OSError):
        text = json.dumps({"zones": {TABLE: [list(corner) for corner in corners]}})
        (folder / FILE).write_text(text, encoding="utf-8")


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


def within(reading: Reading, corners: tuple[Corner, ...]) -> Reading:
    """The reads that lie inside; the lines of cards keep their order."""
    if corners == WHOLE:
        return reading
    inside = Zones({TABLE: np.array(corners, float)}).split(reading)[TABLE]
    kept = {read.card for read in inside.cards}
    lines = (tuple(card for card in line if card in kept) for line in reading.lines)
    return replace(inside, lines=tuple(line for line in lines if line))
