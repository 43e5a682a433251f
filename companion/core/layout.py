"""Where a game's zones lie in the camera's picture, until somebody says otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, pi, sin

from companion.core.state import Zone, ZoneKind

Corners = tuple[tuple[float, float], ...]
_MIDDLE = 0.26
#: Width of a place for secret cards, relative to the others beside it.
_SECRET = 0.2


def is_watched(zone: Zone) -> bool:
    """Whether a camera over the table can see the cards of a zone."""
    if zone.kind in (ZoneKind.ROW, ZoneKind.DISPLAY, ZoneKind.SECRET):
        return True
    return zone.kind is ZoneKind.DISCARD and zone.face_up


def layout(zones: Sequence[Zone]) -> dict[str, Corners | None]:
    """Where a game's zones lie in the camera's picture, until somebody says otherwise.

    The first seat sits near, at the lower edge, the others beyond; what belongs to nobody lies
    between them.

    Args:
        zones: the game's zones.

    Returns:
        For each zone that a camera can see its four corners as fractions of the picture's width
        and height; None if it is the whole picture.
    """
    watched = [zone for zone in zones if is_watched(zone)]
    if len(watched) == 1:
        return {watched[0].name: None}
    near = [zone for zone in watched if zone.owner == 0]
    far = [zone for zone in watched if zone.owner]
    middle = [zone for zone in watched if zone.owner is None]
    bands = [(band, weight) for band, weight in ((far, 1.0), (middle, 0.0), (near, 1.0)) if band]
    share = (1.0 - (_MIDDLE if middle else 0.0)) / max(1, bool(far) + bool(near))
    found: dict[str, Corners | None] = {}
    top = 0.0
    for band, weight in bands:
        height = share if weight else (_MIDDLE if far or near else 1.0)
        found |= _band(band, top, top + height)
        top += height
    return found


def direction(seat: int, seats: int) -> tuple[float, float]:
    """Where somebody sits, from the middle of the picture.

    The first seat is at the lower edge, the others follow clockwise.

    Returns:
        Right and down, of length 1.
    """
    angle = 2 * pi * seat / seats
    return -sin(angle), cos(angle)


def side_by_side(zones: Sequence[Zone]) -> list[float]:
    """Where zones beside each other end, from 0 to 1; secret cards need less room than rows."""
    widths = [_SECRET if zone.kind is ZoneKind.SECRET else 1.0 for zone in zones]
    return [sum(widths[:k]) / sum(widths) for k in range(len(widths) + 1)]


def _band(zones: Sequence[Zone], top: float, bottom: float) -> Mapping[str, Corners]:
    """Zones side by side."""
    ends = side_by_side(zones)
    return {
        zone.name: ((a, top), (b, top), (b, bottom), (a, bottom))
        for zone, a, b in zip(zones, ends[:-1], ends[1:], strict=True)
    }
