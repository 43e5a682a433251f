"""Suit symbols, drawn about the origin one unit tall."""

from __future__ import annotations

from functools import cache

import numpy as np

from calibration.printing.curves import (
    Colour,
    Contour,
    Mark,
    arc,
    filled,
    joined,
    line,
    mirrored,
    placed,
    polygon,
    rectangle,
    shifted,
)


def curve(*values: float) -> Contour:
    """Cubic curves through their control points, written one after the other."""
    return np.array(values, float).reshape(-1, 2)


def _heart() -> tuple[Contour, ...]:
    right = curve(
        0, -0.27, 0.05, -0.44, 0.17, -0.5, 0.27, -0.5, 0.41, -0.5, 0.49, -0.38, 0.49, -0.25,
        0.49, 0.03, 0.16, 0.2, 0, 0.5,
    )  # fmt: skip
    return (mirrored(right),)


def _stem(top: float) -> Contour:
    return mirrored(curve(0.015, top, 0.03, 0.3, 0.06, 0.44, 0.19, 0.5))


def _spade() -> tuple[Contour, ...]:
    right = curve(
        0, -0.5, 0.14, -0.25, 0.46, -0.1, 0.46, 0.14, 0.46, 0.27, 0.37, 0.34, 0.27, 0.34,
        0.17, 0.34, 0.08, 0.29, 0.03, 0.2,
    )  # fmt: skip
    return (mirrored(right), _stem(0.1))


def _diamond() -> tuple[Contour, ...]:
    right = curve(0, -0.5, 0.1, -0.31, 0.23, -0.14, 0.37, 0, 0.23, 0.14, 0.1, 0.31, 0, 0.5)
    return (mirrored(right),)


def _club() -> tuple[Contour, ...]:
    leaves = [arc(x, y, 0.222) for x, y in ((0, -0.278), (-0.262, 0.1), (0.262, 0.1))]
    core = polygon([(-0.1, -0.16), (0.1, -0.16), (0.16, 0.13), (-0.16, 0.13)])
    return (*leaves, core, _stem(0.0))


def _sun() -> tuple[Contour, ...]:
    rays = []
    for k in range(12):
        a = np.radians(30 * k)
        turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        rays.append(polygon(np.array([(-0.062, -0.315), (0.062, -0.315), (0, -0.5)]) @ turn))
    return (arc(0, 0, 0.25), *rays)


def _moon() -> tuple[Contour, ...]:
    # Two circles; the angles are those at which the inner one meets the outer one.
    big, small, shift = 0.5, 0.42, 0.2
    meet = (shift**2 + big**2 - small**2) / (2 * shift)
    out = float(np.degrees(np.arccos(meet / big)))
    inn = float(np.degrees(np.arccos((meet - shift) / small)))
    outer = arc(0, 0, big, start=-out, end=-(360 - out))
    inner = arc(shift, 0, small, start=-(360 - inn), end=-inn)
    return (shifted(joined([outer, inner, outer[:1]]), 0.06, 0),)


def _crown() -> tuple[Contour, ...]:
    right = joined(
        [
            line([(0, -0.2), (0.16, 0.1), (0.5, -0.26)]),
            line([(0.4, 0.26), (0.4, 0.26)]),
        ]
    )
    balls = [arc(x, y, 0.075) for x, y in ((0, -0.3), (-0.5, -0.34), (0.5, -0.34))]
    return (mirrored(right), rectangle(-0.4, 0.32, 0.8, 0.13, 0.04), *balls)


def _shield() -> tuple[Contour, ...]:
    right = joined(
        [
            curve(0, -0.5, 0.12, -0.41, 0.27, -0.38, 0.42, -0.4),
            curve(0.42, -0.4, 0.46, -0.02, 0.4, 0.3, 0, 0.5),
        ]
    )
    inner = joined(
        [
            curve(0, -0.32, 0.1, -0.26, 0.19, -0.24, 0.29, -0.25),
            curve(0.29, -0.25, 0.31, -0.02, 0.27, 0.18, 0, 0.33),
        ]
    )
    upright = line([(0.045, -0.28), (0.045, -0.06), (0.27, -0.06), (0.27, 0.03), (0.045, 0.03)])
    cross = mirrored(joined([upright, line([(0.045, 0.28), (0.045, 0.28)])]))
    return (mirrored(right), mirrored(inner), cross)


def _star(points: int = 8, inner: float = 0.22) -> tuple[Contour, ...]:
    angles = np.radians(np.arange(2 * points) * 180 / points - 90)
    radii = np.where(np.arange(2 * points) % 2, inner, 0.5)
    return (polygon(np.stack([radii * np.cos(angles), radii * np.sin(angles)], 1)),)


_SHAPES = {
    "S": _spade, "H": _heart, "D": _diamond, "C": _club,
    "sun": _sun, "moon": _moon, "crown": _crown, "shield": _shield, "star": _star,
}  # fmt: skip


@cache
def _shape(name: str) -> tuple[Contour, ...]:
    return _SHAPES[name]()


def symbol(
    name: str, x: float, y: float, height: float, colour: Colour, degrees: float = 0.0
) -> tuple[Mark, ...]:
    """A suit symbol.

    Args:
        name: S H D C, sun, moon, crown, shield or star.
        x: middle, in mm.
        y: middle.
        height: in mm.
        colour: of the ink.
        degrees: turned clockwise by this.
    """
    contours = _shape(name)
    holes = name in ("shield",)
    marks = [filled(contours, colour)] if holes else [filled((c,), colour) for c in contours]
    return placed(marks, x, y, height, degrees)
