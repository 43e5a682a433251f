"""Zones of the table as polygons in the picture, and which read lies in which.

A zones file is JSON: ``{"zones": {NAME: [[x, y], …]}}`` with corners as fractions of the picture's
width and height, 0 to 1, in order around the zone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from companion.bounded_io import FileError, read_json
from companion.errors import UnreadableError
from vision.arrays import FloatArray
from vision.types import CardRead, Reading

#: The zone that is the whole picture, where none are given.
TABLE = "row"
#: Corners farther off than so many pictures, as fractions of one, are no table's.
_FARTHEST = 1000.0
#: A zones file longer than this, in bytes, is not read.
MAX_BYTES = 1_000_000
_FORM = '{"zones": {NAME: [[x, y], …]}}'


@dataclass(frozen=True, slots=True)
class Zones:
    """Named parts of the picture.

    Attributes:
        polygons: for each name (n, 2) corners as fractions of the picture, None for all of it.
    """

    polygons: Mapping[str, FloatArray | None]

    @classmethod
    def of_corners(cls, corners: Mapping[str, Sequence[tuple[float, float]] | None]) -> Zones:
        """Zones by their corners as fractions of the picture; None for all of it."""
        return cls({n: None if c is None else np.array(c, float) for n, c in corners.items()})

    @property
    def names(self) -> tuple[str, ...]:
        """All zones, in the file's order."""
        return tuple(self.polygons)

    def at(self, point: tuple[float, float]) -> str | None:
        """The zone at a point given in fractions of the picture; the first drawn one counts.

        A zone that is the whole picture is taken where no other one is.
        """
        for name, polygon in self.polygons.items():
            if polygon is not None and _contains(polygon, np.array(point)):
                return name
        return next((name for name, polygon in self.polygons.items() if polygon is None), None)

    def middle(self, name: str) -> tuple[float, float]:
        """The middle of a zone, as fractions of the picture."""
        polygon = self.polygons.get(name)
        if polygon is None:
            return 0.5, 0.5
        x, y = (polygon.min(axis=0) + polygon.max(axis=0)) / 2
        return float(x), float(y)

    def split(self, reading: Reading) -> dict[str, Reading]:
        """The reading of each zone; a read belongs to the zone that its first index lies in."""
        return {
            name: reading
            if polygon is None
            else replace(
                reading,
                cards=_within(reading.cards, polygon, reading.size),
                doubtful=_within(reading.doubtful, polygon, reading.size),
                lines=(),
            )
            for name, polygon in self.polygons.items()
        }


def load_zones(path: Path | None) -> Zones:
    """Reads a zones file; None gives one zone that is the whole picture.

    Raises:
        UnreadableError: the file cannot be opened, is no JSON or is no zones file.
    """
    if path is None:
        return Zones({TABLE: None})
    try:
        entries = read_json(path, MAX_BYTES)["zones"]
        polygons = {str(name): np.array(corners, float) for name, corners in entries.items()}
    except FileError as error:
        raise error.advising(f"a zones file is {_FORM}") from None
    except (ValueError, LookupError, TypeError, AttributeError):
        polygons = {}
    shapes = [polygon.ndim == 2 and polygon.shape[1:] == (2,) for polygon in polygons.values()]
    near = all((np.abs(polygon) <= _FARTHEST).all() for polygon in polygons.values())  # no NaN
    if not (shapes and all(shapes) and near and all(len(p) >= 3 for p in polygons.values())):
        raise UnreadableError(
            f"{path} is no zones file; it must be {_FORM} with three or more corners each."
        )
    return Zones(polygons)


def _within(
    reads: Iterable[CardRead], polygon: FloatArray, size: tuple[int, int]
) -> tuple[CardRead, ...]:
    scale = np.array(size, float)
    return tuple(r for r in reads if _contains(polygon, _place_of(r) / scale))


def _place_of(read: CardRead) -> FloatArray:
    """Where a read lies: its leading index, or the middle of a quad without one."""
    if read.indices:
        return np.array(read.indices[0].centre)
    return np.array(read.quad).mean(axis=0)


def _contains(polygon: FloatArray, point: FloatArray) -> bool:
    """Even-odd rule: how many edges a ray to the right crosses."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    spans = (a[:, 1] > point[1]) != (b[:, 1] > point[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        x = a[:, 0] + (point[1] - a[:, 1]) * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1])
    return bool(np.count_nonzero(spans & (point[0] < x)) % 2)
