"""The app's icon and splash: `python -m mobile.resources.icons FOLDER` draws them as PNG files.

Two cards, one behind the other, with the up, down and stay of a row: shapes only, no fonts.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from mobile.resources.theme import DARK, PAPER, Rgba

Picture = NDArray[np.uint8]
#: Drawn at four times the size and shrunk, which smooths every edge.
_FINE = 4
_RED: Rgba = (0.69, 0.07, 0.106, 1.0)
ICON_SIZES = (48, 96, 192, 512)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    folder: Path = parser.parse_args().folder
    for size in ICON_SIZES:
        draw_icon(size, folder / f"icon-{size}.png")
    draw_splash((1080, 1920), folder / "splash.png")
    return 0


def draw_icon(size: int, path: Path) -> Path:
    """Draws the icon as a square.

    Args:
        size: width and height in pixels.
        path: the PNG file.
    """
    canvas = _canvas(size, size, transparent=True)
    _rounded(canvas, (0.0, 0.0, 1.0, 1.0), 0.22, DARK.ground)
    _cards(canvas, (0.5, 0.5), 0.6)
    return _write(canvas, (size, size), path)


def draw_splash(size: tuple[int, int], path: Path) -> Path:
    """Draws the splash: the two cards in the middle of the ground colour."""
    width, height = size
    canvas = _canvas(width, height, transparent=False)
    _cards(canvas, (0.5, 0.45), 0.42)
    return _write(canvas, size, path)


def _canvas(width: int, height: int, *, transparent: bool) -> Picture:
    canvas = np.zeros((height * _FINE, width * _FINE, 4), np.uint8)
    if not transparent:
        canvas[:] = _bgra(DARK.ground)
    return canvas


def _write(canvas: Picture, size: tuple[int, int], path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), cv2.resize(canvas, size, interpolation=cv2.INTER_AREA))
    return path


def _cards(canvas: Picture, centre: tuple[float, float], scale: float) -> None:
    """Two cards, fanned, with a heart and the three changes of a row."""
    unit = canvas.shape[1] * scale
    origin = np.array([centre[0] * canvas.shape[1], centre[1] * canvas.shape[0]])
    for angle, shift, colour in ((-14.0, -0.18, DARK.accent), (8.0, 0.14, PAPER)):
        corners = _turned(_box(0.62, 0.9, 0.08), angle) + np.array([shift, 0.0])
        _fill(canvas, origin + corners * unit, colour)
    front, aside = 8.0, np.array([0.14, 0.0])
    heart = _turned(_heart(0.2) + np.array([-0.12, -0.2]), front) + aside
    _fill(canvas, origin + heart * unit, _RED)
    for place, sign in enumerate((_up(), -_up(), _bar())):
        at = np.array([-0.19 + 0.19 * place, 0.24])
        mark = _turned(sign * 0.085 + at, front) + aside
        _fill(canvas, origin + mark * unit, DARK.ground)


def _box(width: float, height: float, radius: float) -> NDArray[np.float64]:
    turns = np.linspace(0, np.pi / 2, 9)
    arc = np.column_stack([np.cos(turns), np.sin(turns)]) * radius
    x, y = width / 2 - radius, height / 2 - radius
    quarters = []
    for k, corner in enumerate(((x, y), (-x, y), (-x, -y), (x, -y))):
        quarters.append(_turned(arc, 90.0 * k) + corner)
    return np.concatenate(quarters)


def _heart(size: float) -> NDArray[np.float64]:
    """A heart (the usual sine curve), upright, y down."""
    t = np.linspace(0, 2 * np.pi, 80)
    x = 16 * np.sin(t) ** 3
    y = 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
    return np.column_stack([x, -y]) / 32 * size


def _up() -> NDArray[np.float64]:
    return np.array([(-0.9, 0.7), (0.0, -0.9), (0.9, 0.7)])


def _bar() -> NDArray[np.float64]:
    return np.array([(-0.9, -0.3), (0.9, -0.3), (0.9, 0.3), (-0.9, 0.3)])


def _turned(points: NDArray[np.float64], degrees: float) -> NDArray[np.float64]:
    angle = np.deg2rad(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return points @ turn


def _rounded(
    canvas: Picture, box: tuple[float, float, float, float], radius: float, colour: Rgba
) -> None:
    height, width = canvas.shape[:2]
    shape = _box(box[2] - box[0], box[3] - box[1], radius)
    middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    _fill(canvas, (shape + middle) * (width, height), colour)


def _fill(canvas: Picture, points: NDArray[np.float64], colour: Rgba) -> None:
    cv2.fillPoly(canvas, [np.round(points).astype(np.int32)], _bgra(colour))


def _bgra(colour: Rgba) -> tuple[int, int, int, int]:
    red, green, blue, alpha = (round(v * 255) for v in colour)
    return blue, green, red, alpha


if __name__ == "__main__":
    sys.exit(main())
