"""The icons on buttons: strokes on a square of 24, drawn with the curves of the printed decks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibration.printing.curves import Contour

#: The square that icons are drawn on, and the pen.
SQUARE, PEN = 24.0, 1.8
NAMES = (
    "undo",
    "notepad",
    "camera",
    "camera-off",
    "more",
    "back",
    "close",
    "history",
    "people",
    "settings",
)


def painted_sign(name: str, size: int) -> Any:
    """Paints an icon; OpenCV is loaded for that.

    Args:
        name: one of `NAMES`.
        size: width and height in pixels.

    Returns:
        (size, size, 4) RGBA, `uint8`: white, and opaque where there is ink, to be tinted.
    """
    import cv2
    import numpy as np

    from calibration.printing.curves import Drawing, filled, rasterised, rectangle, strokes

    ground = filled([rectangle(0, 0, SQUARE, SQUARE)], (0, 0, 0))
    dots = _dots() if name == "more" else ()
    ink = filled(dots, (255, 255, 255)) if dots else None
    lines = strokes(_lines()[name], (255, 255, 255), PEN)
    marks = (ground, lines) if ink is None else (ground, ink)
    picture = rasterised(Drawing((SQUARE, SQUARE), marks), size / SQUARE, 4)
    alpha = cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA)[..., :1]
    return np.concatenate([np.full_like(alpha, 255).repeat(3, 2), alpha], 2)


def _dots() -> tuple[Contour, ...]:
    from calibration.printing.curves import arc

    return tuple(arc(x, 12, 1.9) for x in (5.0, 12.0, 19.0))


def _lines() -> Mapping[str, tuple[Contour, ...]]:
    from calibration.printing.curves import arc, joined, line, rectangle

    camera = (
        rectangle(2.8, 7, 18.4, 12.4, 2.4),
        line([(7.6, 7), (9.2, 4.2), (14.8, 4.2), (16.4, 7)]),
        arc(12, 13.2, 3.5),
    )
    turn = joined(
        [line([(3.8, 9), (15, 9)]), arc(15, 14, 5, start=-90, end=90), line([(15, 19), (9, 19)])]
    )
    page = (
        rectangle(5.5, 3, 14, 18, 2),
        *(line([(3, y), (7.5, y)]) for y in (7.5, 12.0, 16.5)),
        *(line([(10.5, y), (16, y)]) for y in (7.5, 12.0, 16.5)),
    )
    return {
        "undo": (turn, line([(8, 4.8), (3.8, 9), (8, 13.2)])),
        "notepad": page,
        "camera": camera,
        "camera-off": (*camera, line([(3.5, 2.8), (20.5, 21.2)])),
        "more": (),
        "history": (arc(12, 12, 8.6), line([(12, 6.6), (12, 12), (15.6, 14.2)])),
        "people": (
            arc(9, 7.6, 3.6),
            arc(9, 20, 6.4, start=180, end=360),
            arc(16.2, 8.2, 3, start=-100, end=100),
            arc(15.8, 20, 5.6, start=-80, end=0),
        ),
        "settings": tuple(
            stroke
            for y, x in ((6.5, 15.5), (12.0, 8.5), (17.5, 14.0))
            for stroke in (
                line([(3.5, y), (x - 2.3, y)]),
                arc(x, y, 2.3),
                line([(x + 2.3, y), (20.5, y)]),
            )
        ),
        "close": (line([(6, 6), (18, 18)]), line([(18, 6), (6, 18)])),
        "back": (line([(15, 4.5), (7.5, 12), (15, 19.5)]),),
    }
