"""Our own letters: single strokes of an even pen, so that no font file has to travel.

A glyph is drawn on a grid with its baseline at y = 0 and its capital height at y = -1; small
letters are 0.68 tall. Each stroke is written in a short form:

- ``L x y x y …`` straight pieces through the points,
- ``A cx cy rx ry from to`` part of an ellipse (degrees, clockwise from the right),
- ``C x y …`` cubic curves (3k + 1 points);

strokes that touch are separate, the round pen joins them.
"""

# ruff: noqa: E501 - a glyph a line
from __future__ import annotations

from functools import cache

import numpy as np

from calibration.printing.curves import Colour, Contour, Mark, arc, line, placed, shifted, strokes

#: Glyph → (advance before spacing, strokes).
_GLYPHS: dict[str, tuple[float, str]] = {
    "0": (0.60, "A .3 -.5 .3 .5 0 360"),
    "1": (0.34, "L .04 -.80 .24 -1 .24 0"),
    "2": (0.58, "C .03 -.72 .03 -.90 .14 -1 .29 -1 .45 -1 .55 -.89 .55 -.74 .55 -.50 .12 -.26 .02 0"
                " ; L .02 0 .57 0"),
    "3": (0.58, "C .05 -.84 .10 -.95 .18 -1 .29 -1 .43 -1 .53 -.90 .53 -.77 .53 -.63 .42 -.54 .24 -.54"
                " ; C .24 -.54 .44 -.54 .57 -.43 .57 -.27 .57 -.11 .45 0 .28 0 .15 0 .05 -.06 .01 -.18"),
    "4": (0.64, "L .46 0 .46 -1 .02 -.28 .63 -.28"),
    "5": (0.58, "L .51 -1 .10 -1 .06 -.56"
                " ; C .06 -.56 .12 -.61 .20 -.64 .29 -.64 .45 -.64 .57 -.50 .57 -.32 .57 -.13 .44 0 .28 0"
                " .15 0 .06 -.06 .01 -.17"),
    "6": (0.60, "A .3 -.31 .3 .31 0 360 ; C .45 -1 .26 -.90 0 -.62 0 -.31"),
    "7": (0.56, "L .02 -1 .55 -1 .18 0"),
    "8": (0.60, "A .3 -.76 .245 .24 0 360 ; A .3 -.26 .3 .26 0 360"),
    "9": (0.60, "A .3 -.69 .3 .31 0 360 ; C .15 0 .34 -.10 .6 -.38 .6 -.69"),
    "!": (0.16, "L .08 -1 .08 -.32 ; L .08 -.02 .08 0"),
    "?": (0.54, "C .03 -.75 .03 -.91 .13 -1 .27 -1 .42 -1 .52 -.9 .52 -.76 .52 -.56 .27 -.52"
                " .27 -.28 ; L .27 -.02 .27 0"),
    "A": (0.74, "L 0 0 .37 -1 .74 0 ; L .13 -.34 .61 -.34"),
    "J": (0.46, "C .44 -1 .44 -1 .44 -.3 .44 -.24 .44 -.10 .35 0 .22 0 .11 0 .03 -.07 0 -.19"),
    "Q": (0.78, "A .38 -.5 .38 .5 0 360 ; L .46 -.24 .76 .04"),
    "K": (0.64, "L .04 -1 .04 0 ; L .60 -1 .04 -.42 ; L .22 -.60 .63 0"),
    "C": (0.70, "A .42 -.5 .42 .5 48 312"),
    "D": (0.68, "L .04 0 .04 -1 .24 -1 ; C .24 -1 .52 -1 .68 -.8 .68 -.5 .68 -.2 .52 0 .24 0 ; L .24 0 .04 0"),
    "E": (0.54, "L .54 -1 .04 -1 .04 0 .54 0 ; L .04 -.52 .46 -.52"),
    "R": (0.60, "L .04 0 .04 -1 .30 -1 ; C .30 -1 .47 -1 .56 -.88 .56 -.73 .56 -.57 .46 -.46 .30 -.46"
                " ; L .30 -.46 .04 -.46 ; L .28 -.46 .60 0"),
    "O": (0.76, "A .38 -.5 .38 .5 0 360"),
    "S": (0.56, "C .51 -.86 .45 -.95 .37 -1 .28 -1 .14 -1 .04 -.90 .04 -.77 .04 -.42 .55 -.62 .55 -.27"
                " .55 -.10 .43 0 .28 0 .16 0 .06 -.06 .01 -.18"),
    "a": (0.52, "A .26 -.34 .26 .34 0 360 ; L .52 -.68 .52 0"),
    "b": (0.52, "L 0 -1.04 0 0 ; A .26 -.34 .26 .34 0 360"),
    "c": (0.46, "A .28 -.34 .28 .34 50 310"),
    "d": (0.52, "A .26 -.34 .26 .34 0 360 ; L .52 -1.04 .52 0"),
    "e": (0.54, "L .01 -.36 .53 -.36 ; A .27 -.34 .27 .34 -4 -318"),
    "f": (0.30, "C .34 -1.02 .20 -1.08 .12 -1 .12 -.86 .12 -.6 .12 -.2 .12 0 ; L 0 -.66 .29 -.66"),
    "g": (0.52, "A .26 -.34 .26 .34 0 360 ; C .52 -.68 .52 -.3 .52 0 .52 .02 .52 .20 .40 .30 .24 .30"
                " .15 .30 .08 .27 .03 .22"),
    "h": (0.48, "L 0 -1.04 0 0 ; C 0 -.40 0 -.56 .10 -.68 .25 -.68 .40 -.68 .48 -.58 .48 -.42 .48 -.3"
                " .48 -.1 .48 0"),
    "i": (0.06, "L .03 -.68 .03 0 ; L .03 -.94 .03 -.92"),
    "j": (0.14, "C .11 -.68 .11 -.3 .11 0 .11 .1 .11 .24 .04 .30 -.06 .29 ; L .11 -.94 .11 -.92"),
    "k": (0.46, "L 0 -1.04 0 0 ; L .42 -.68 0 -.26 ; L .14 -.40 .45 0"),
    "l": (0.06, "L .03 -1.04 .03 0"),
    "m": (0.80, "L 0 -.68 0 0 ; C 0 -.42 0 -.58 .08 -.68 .21 -.68 .34 -.68 .40 -.58 .40 -.44 .40 -.3"
                " .40 -.1 .40 0 ; C .40 -.42 .40 -.58 .48 -.68 .61 -.68 .74 -.68 .80 -.58 .80 -.44"
                " .80 -.3 .80 -.1 .80 0"),
    "n": (0.48, "L 0 -.68 0 0 ; C 0 -.40 0 -.56 .10 -.68 .25 -.68 .40 -.68 .48 -.58 .48 -.42 .48 -.3"
                " .48 -.1 .48 0"),
    "o": (0.54, "A .27 -.34 .27 .34 0 360"),
    "p": (0.52, "L 0 -.68 0 .32 ; A .26 -.34 .26 .34 0 360"),
    "q": (0.52, "A .26 -.34 .26 .34 0 360 ; L .52 -.68 .52 .32"),
    "r": (0.30, "L 0 -.68 0 0 ; C 0 -.40 0 -.58 .12 -.70 .29 -.67"),
    "s": (0.42, "C .39 -.57 .34 -.64 .28 -.68 .21 -.68 .10 -.68 .03 -.61 .03 -.52 .03 -.28 .41 -.42"
                " .41 -.18 .41 -.06 .32 0 .21 0 .12 0 .05 -.04 .01 -.12"),
    "t": (0.28, "C .10 -.92 .10 -.6 .10 -.3 .10 -.2 .10 -.06 .16 0 .28 -.02 ; L -.03 -.66 .27 -.66"),
    "u": (0.48, "C 0 -.68 0 -.5 0 -.4 0 -.26 0 -.10 .08 0 .23 0 .38 0 .48 -.12 .48 -.28 ; L .48 -.68 .48 0"),
    "v": (0.50, "L 0 -.68 .25 0 .50 -.68"),
    "w": (0.74, "L 0 -.68 .19 0 .37 -.62 .55 0 .74 -.68"),
    "x": (0.46, "L 0 -.68 .46 0 ; L .46 -.68 0 0"),
    "y": (0.50, "L 0 -.68 .26 -.02 ; L .50 -.68 .14 .31"),
    "z": (0.44, "L 0 -.68 .43 -.68 .01 0 .44 0"),
    ".": (0.06, "L .03 -.02 .03 0"),
    ",": (0.08, "L .06 -.02 .02 .14"),
    ":": (0.06, "L .03 -.02 .03 0 ; L .03 -.52 .03 -.50"),
    "-": (0.34, "L .02 -.34 .32 -.34"),
    "/": (0.36, "L 0 .06 .36 -1.04"),
    "%": (0.78, "L .14 0 .64 -1 ; A .15 -.78 .15 .2 0 360 ; A .63 -.22 .15 .2 0 360"),
    " ": (0.24, ""),
}  # fmt: skip


@cache
def _strokes(glyph: str) -> tuple[Contour, ...]:
    found = []
    for part in filter(None, (p.strip() for p in _GLYPHS[glyph][1].split(";"))):
        kind, *numbers = part.split()
        values = [float(n) for n in numbers]
        if kind == "A":
            found.append(arc(*values))
        else:
            points = np.array(values).reshape(-1, 2)
            found.append(line(points) if kind == "L" else points)
    return tuple(found)


def text_width(text: str, height: float, *, spacing: float = 0.2) -> float:
    """Width of a written word in mm, pen excluded."""
    return height * (sum(_GLYPHS[g][0] for g in text) + spacing * max(0, len(text) - 1))


def written(
    text: str,
    x: float,
    y: float,
    height: float,
    colour: Colour,
    *,
    pen: float = 0.12,
    spacing: float = 0.2,
    stretch: float = 1.0,
) -> tuple[Mark, ...]:
    """Writes a line of text.

    Args:
        text: of the glyphs there are.
        x: its middle, in mm.
        y: its baseline.
        height: of a capital.
        colour: of the pen.
        pen: its width as a share of the height.
        spacing: between glyphs, as a share of the height.
        stretch: widens (above 1) or narrows the glyphs.
    """
    at = -text_width(text, 1.0, spacing=spacing) / 2
    contours = []
    for glyph in text:
        contours += [shifted(c, at, 0) * [stretch, 1] for c in _strokes(glyph)]
        at += _GLYPHS[glyph][0] + spacing
    if not contours:
        return ()
    return placed([strokes(contours, colour, pen)], x, y, height)


def wrapped(text: str, width: float, height: float) -> list[str]:
    """Breaks a text into as few lines as fit a width, in mm, evenly filled."""
    words = text.split()
    for count in range(1, len(words) + 1):
        lines = _evenly(words, count)
        if all(text_width(part, height) <= width for part in lines):
            return lines
    return words


def _evenly(words: list[str], count: int) -> list[str]:
    """The way to break words into that many lines whose longest line is the shortest."""
    if count == 1:
        return [" ".join(words)]
    best: list[str] = []
    for k in range(1, len(words) - count + 2):
        lines = [" ".join(words[:k]), *_evenly(words[k:], count - 1)]
        if not best or max(map(len, lines)) < max(map(len, best)):
            best = lines
    return best
