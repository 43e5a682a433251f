"""Drawings of the printable decks as SVG: each drawn once in a page, and used by its name."""

from __future__ import annotations

from functools import cache
from html import escape

import numpy as np

from calibration.printing.curves import Contour, Mark, straight
from calibration.printing.shown import shown_back, shown_face
from companion.cards import Card, Family, unknown


class Sheet:
    """The drawings that a page uses."""

    def __init__(self) -> None:
        self._used: dict[str, str] = {}

    def card(self, card: Card, name: str, style: str = "") -> str:
        """A card, or a back where it is not known, as an SVG element.

        Args:
            card: what is drawn.
            name: what it is called where pictures are not seen.
            style: further classes.
        """
        is_back = card.code == "??"
        key = f"{card.family.value}-{'back' if is_back else card.code.replace('?', '_')}"
        key = key.replace("!", "x")
        if key not in self._used:
            self._used[key] = _symbol(card.family if is_back else card, key)
        width, height = _size(card.family)
        return (
            f'<svg class="{f"card {card.family.value} {style}".strip()}" role="img" '
            f'viewBox="0 0 {width:g} {height:g}"><title>{escape(name)}</title>'
            f'<use href="#{key}"/></svg>'
        )

    def symbols(self) -> str:
        """Every drawing that was used so far; it stands somewhere in the page."""
        return f'<svg class="sheet" aria-hidden="true">{"".join(self._used.values())}</svg>'


@cache
def _size(family: Family) -> tuple[float, float]:
    return shown_face(unknown(family)).size if family is Family.COIN else shown_back(family).size


@cache
def _symbol(shown: Card | Family, key: str) -> str:
    drawing = shown_back(shown) if isinstance(shown, Family) else shown_face(shown)
    return f'<symbol id="{key}">{"".join(map(_mark, drawing.marks))}</symbol>'


def _mark(mark: Mark) -> str:
    colour = "#{:02x}{:02x}{:02x}".format(*mark.colour)
    path = "".join(map(_path, mark.contours))
    if mark.width is None:
        return f'<path d="{path}" fill="{colour}" fill-rule="evenodd"/>'
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{mark.width:.2g}"/>'


def _path(contour: Contour) -> str:
    """A contour in tenths of a millimetre: finer than a screen or a printer shows."""
    points = [" ".join(f"{v:g}" for v in point) for point in np.round(contour, 1) + 0.0]
    parts = [f"M{points[0]}"]
    for k, is_straight in enumerate(straight(contour)):
        first, second, last = points[3 * k + 1 : 3 * k + 4]
        parts.append(f"L{last}" if is_straight else f"C{first} {second} {last}")
    return "".join(parts)
