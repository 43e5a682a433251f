"""How well the outlines of cards are found in rendered photographs.

Of each card the truth has its four corners and how much of it is seen. A face is found if a read of
its name has an outline whose four corners all lie within a few per cent of the card's width of the
true ones; which of its two ends is taken for the upper one does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from models.arrays import Corners

MOSTLY = 0.8
"""Least visible part of a card whose corners are to be found."""

_CLOSE, _FAIR, _WRONG = 0.03, 0.05, 0.1
"""How far corners may lie off, in widths of the card; from the last on an outline is wrong."""

_BACK_REACH = 0.25
"""A back whose corners lie so near to those of a card that lies face down is that card's."""


@dataclass(slots=True)
class OutlineTally:
    """Counts of outlines.

    Attributes:
        faces: mostly visible cards that lie face up.
        close: those with all corners within 3 % of the card's width.
        fair: those within 5 %.
        wrong: outlines of any card of which a corner lies off by more than 10 %.
        errors: worst corner of each outline of a mostly visible face, in widths of the card.
        backs: mostly visible cards that lie face down.
        backs_found: those with an outline.
        backs_close: those with all corners within 5 %.
        backs_false: outlines of backs where no card lies face down.
    """

    faces: int = 0
    close: int = 0
    fair: int = 0
    wrong: int = 0
    errors: list[float] = field(default_factory=list)
    backs: int = 0
    backs_found: int = 0
    backs_close: int = 0
    backs_false: int = 0

    def add(
        self,
        truth: Sequence[Mapping[str, Any]],
        outlined: Mapping[str, Corners],
        backs: Sequence[Corners],
    ) -> None:
        """Takes in what was found in one picture.

        Args:
            truth: for each card its name (``back`` if it lies face down), corners and shown part.
            outlined: (4, 2) corners of the cards that were read and outlined, by name.
            backs: (4, 2) corners of each card that was found to lie face down.
        """
        for entry in truth:
            if entry["card"] == "back":
                continue
            mostly = entry["shown"] >= MOSTLY
            self.faces += mostly
            quad = outlined.get(entry["card"])
            if quad is None:
                continue
            error = corner_error(quad, np.array(entry["corners"]))
            self.wrong += error > _WRONG
            if mostly:
                self.errors.append(error)
                self.close += error <= _CLOSE
                self.fair += error <= _FAIR
        self._add_backs(truth, backs)

    def _add_backs(self, truth: Sequence[Mapping[str, Any]], found: Sequence[Corners]) -> None:
        backs = [entry for entry in truth if entry["card"] == "back"]
        errors = np.array(
            [[corner_error(q, np.array(e["corners"]), turns=4) for e in backs] for q in found]
        ).reshape(len(found), len(backs))
        mostly = np.array([e["shown"] >= MOSTLY for e in backs], bool)
        self.backs += int(mostly.sum())
        if backs:
            best = errors.min(axis=0, initial=np.inf)[mostly]
            self.backs_found += int((best < _BACK_REACH).sum())
            self.backs_close += int((best <= _FAIR).sum())
        self.backs_false += int((errors.min(axis=1, initial=np.inf) >= _BACK_REACH).sum())

    def summary(self) -> dict[str, Any]:
        """The counts, with the median error."""
        return {
            "faces": self.faces,
            "close": self.close,
            "fair": self.fair,
            "wrong": self.wrong,
            "median_error": round(float(np.median(self.errors)), 4) if self.errors else None,
            "backs": self.backs,
            "backs_found": self.backs_found,
            "backs_close": self.backs_close,
            "backs_false": self.backs_false,
        }

    def text(self) -> str:
        """The counts in words, a line each for faces and backs."""
        faces = max(1, self.faces)
        middle = f"{np.median(self.errors):.1%}" if self.errors else "-"
        return (
            f"  outlines of {self.faces} faces: {self.close} ({self.close / faces:.1%}) within 3 %,"
            f" {self.fair} ({self.fair / faces:.1%}) within 5 %, worst corner {middle} in the"
            f" median, {self.wrong} wrong\n"
            f"  backs {self.backs}: {self.backs_found} found, {self.backs_close} within 5 %,"
            f" {self.backs_false} false"
        )


def corner_error(found: Corners, true: Corners, *, turns: int = 2) -> float:
    """How far the worst corner lies off, in widths of the card.

    Args:
        found: (4, 2) corners, clockwise.
        true: (4, 2) corners, clockwise from the card's top left.
        turns: 2 if only its ends may be mixed up, 4 if its sides may as well.
    """
    width = (np.linalg.norm(true[1] - true[0]) + np.linalg.norm(true[2] - true[3])) / 2
    ways = (np.roll(found, k * (4 // turns), axis=0) for k in range(turns))
    return min(float(np.linalg.norm(way - true, axis=1).max()) for way in ways) / float(width)
