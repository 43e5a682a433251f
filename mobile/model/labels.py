"""Where names stand on the camera's picture, so that every one of them can be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

#: Left, bottom, right and top of something on the screen.
Box = tuple[float, float, float, float]


def free_box(thing: Box, size: tuple[float, float], area: Box, taken: Iterable[Box]) -> Box | None:
    """The nearest place for a label above a thing, else below it, that nothing else has taken.

    Args:
        thing: what the label names.
        size: width and height of the label.
        area: where labels may stand.
        taken: the other labels.

    Returns:
        the label's place; None where every place is taken.
    """
    width, height = size
    left = max(min(thing[0], area[2] - width), area[0])
    others = tuple(taken)
    for bottom in _rungs(thing, height, area):
        box = left, bottom, left + width, bottom + height
        if not any(_overlap(box, other) for other in others):
            return box
    return None


def _rungs(thing: Box, height: float, area: Box) -> Iterator[float]:
    """Lower edges to try: upwards from the thing's upper edge, then downwards from its lower."""
    bottom = max(area[1], min(thing[3], area[3] - height))
    while bottom + height <= area[3]:
        yield bottom
        bottom += height
    bottom = min(thing[1], area[3]) - height
    while bottom >= area[1]:
        yield bottom
        bottom -= height


def _overlap(one: Box, other: Box) -> bool:
    is_beside = one[2] <= other[0] or other[2] <= one[0]
    return not is_beside and one[1] < other[3] and other[1] < one[3]
