"""Cards read and misread by deck, by size and by light, as tables of a model card."""

from __future__ import annotations

import collections
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from models.arrays import Picture

_HEIGHTS = (12.0, 18.0, 24.0, 32.0, 48.0)
#: Grey level that a tenth of the picture exceeds: below the first it is dark, below the second dim.
_DARK, _DIM = 80.0, 140.0
#: Share of pixels at the top of the scale from which on a picture is burnt out.
_BURNT = 0.12


@dataclass(slots=True)
class Counts:
    """Cards of one line of a table."""

    photos: int = 0
    cards: int = 0
    read: int = 0
    wrong: int = 0


def light_of(picture: Picture) -> str:
    """``dark``, ``dim``, ``burnt out`` or ``even``, by the picture's brightest tenth."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    if float((picture.max(axis=2) >= 254).mean()) > _BURNT:
        return "burnt out"
    bright = float(np.percentile(grey, 90))
    return "dark" if bright < _DARK else "dim" if bright < _DIM else "even"


def height_of(index_px: float) -> str:
    """The class of a picture's smallest index height, pixels."""
    for low, high in zip((0.0, *_HEIGHTS), _HEIGHTS, strict=False):
        if index_px < high:
            return f"{low:.0f} to {high:.0f} px" if low else f"under {high:.0f} px"
    return f"from {_HEIGHTS[-1]:.0f} px"


class Tables:
    """Counts of pictures by what their truth says of them and by how they are lit."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Counts]] = {}

    def add(
        self, entry: dict[str, Any], picture: Picture | None, cards: int, read: int, wrong: int
    ) -> None:
        """Counts one picture; its ``picture`` is None where it could not be opened."""
        lines = {}
        if "deck" in entry:
            lines["deck"] = str(entry["deck"])
        if entry.get("index_px"):
            lines["smallest index"] = height_of(float(entry["index_px"]))
        if picture is not None:
            lines["light"] = light_of(picture)
        for table, line in lines.items():
            counts = self.tables.setdefault(table, collections.defaultdict(Counts))[line]
            counts.photos += 1
            counts.cards += cards
            counts.read += read
            counts.wrong += wrong

    def text(self) -> str:
        """All tables in Markdown; empty where there is nothing to tell."""
        out = []
        for table, lines in self.tables.items():
            out += [f"| {table} | photographs | cards | read | wrong |", "|---|---|---|---|---|"]
            for line, c in sorted(lines.items(), key=lambda item: _order(item[0])):
                share = f"{c.read} ({c.read / max(1, c.cards):.1%})"
                out.append(f"| {line} | {c.photos} | {c.cards} | {share} | {c.wrong} |")
            out.append("")
        return "\n".join(out)


def _order(line: str) -> tuple[float, str]:
    """Heights by their number, all else by name."""
    numbers = [float(word) for word in line.split() if word.replace(".", "").isdigit()]
    first = numbers[0] if line.endswith("px") and numbers else 0.0
    return (first - line.startswith("under"), line)
