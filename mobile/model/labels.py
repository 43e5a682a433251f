"""What is shown of the camera's picture, and where names stand on it, so that all can be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

#: Left, bottom, right and top of something on the screen.
Box = tuple[float, float, float, float]
#: Of the picture's width and height so much is shown at least, when the rest shows no card.
LEAST_SHOWN = 0.55
#: So much of the cards' extent is left free round them.
_MARGIN = 0.18
#: What is shown of a frame: left, top, width and height as fractions of it.
Window = tuple[float, float, float, float]
WHOLE_FRAME: Window = (0.0, 0.0, 1.0, 1.0)


def window_round(
    extent: tuple[float, float, float, float], most: tuple[float, float], least: float = LEAST_SHOWN
) -> Window:
    """The part of a frame round an extent, no smaller than a share of the largest one.

    Args:
        extent: left, top, right and bottom of what is to be seen, as fractions of the frame.
        most: width and height of the largest part that has the right proportions.
        least: share of it that is shown at least, up to 1.

    Returns:
        the whole frame where the extent does not fit into the largest part.
    """
    left, top, right, bottom = extent
    shares = (
        (right - left) * (1 + 2 * _MARGIN) / most[0],
        (bottom - top) * (1 + 2 * _MARGIN) / most[1],
    )
    if right - left > most[0] or bottom - top > most[1]:
        return WHOLE_FRAME
    share = min(1.0, max(least, *shares))
    width, height = most[0] * share, most[1] * share
    x = min(max((left + right - width) / 2, 0.0), 1 - width)
    y = min(max((top + bottom - height) / 2, 0.0), 1 - height)
    return x, y, width, height


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
