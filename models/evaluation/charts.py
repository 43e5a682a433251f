"""Charts of what was read: which name for which, and how much a confidence is worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from models.arrays import Picture


class Confusion:
    """Which name was read where another was true, from photos with one miss and one wrong name."""

    ORDER = tuple(r + s for s in "SHDC" for r in ("A", *map(str, range(2, 11)), "J", "Q", "K"))

    def __init__(self) -> None:
        self.counts = np.zeros((52, 52), int)

    def add(
        self, entry: dict[str, Any], names: set[str], missed: Sequence[str], wrong: Sequence[str]
    ) -> None:
        """Counts a photo and the names that were read in it; hits go on the diagonal."""
        if entry.get("rank_only"):
            return
        place = {n: k for k, n in enumerate(self.ORDER)}
        for name in set(entry["cards"]) & names:
            if name in place:
                self.counts[place[name], place[name]] += 1
        if len(missed) == len(wrong) == 1 and missed[0] in place and wrong[0] in place:
            self.counts[place[missed[0]], place[wrong[0]]] += 1

    def picture(self) -> Picture:
        """A 52 × 52 chart, true card down, read card across; dark is often."""
        cell, left = 14, 44
        out = np.full((52 * cell + left, 52 * cell + left, 3), 255, np.uint8)
        top = max(1, self.counts.max())
        for i, j in zip(*np.nonzero(self.counts), strict=True):
            shade = int(225 - 225 * (self.counts[i, j] / top) ** 0.5)
            colour = (shade, shade, shade) if i == j else (60, 60, 230)
            corner = (left + j * cell, left + i * cell)
            cv2.rectangle(out, corner, (corner[0] + cell - 2, corner[1] + cell - 2), colour, -1)
        for k, name in enumerate(self.ORDER):
            cv2.putText(
                out, name, (4, left + k * cell + 11), cv2.FONT_HERSHEY_PLAIN, 0.75, (0, 0, 0), 1
            )
            if k % 2 == 0:
                cv2.putText(
                    out,
                    name,
                    (left + k * cell - 2, 36 - 12 * (k // 2 % 3)),
                    cv2.FONT_HERSHEY_PLAIN,
                    0.6,
                    (0, 0, 0),
                    1,
                )
        return out


@dataclass(slots=True)
class Reliability:
    """Confidences beside how often the names were right, doubtful reads included."""

    EDGES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 1.0)

    confidences: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def add(self, entry: dict[str, Any], reads: Iterable[tuple[str, float]]) -> None:
        """Counts the names and confidences of a photo whose cards are known by name."""
        if entry.get("rank_only"):
            return
        there = set(entry["cards"])
        for name, confidence in reads:
            self.confidences.append(confidence)
            self.right.append(name in there)

    def table(self) -> list[tuple[float, float, int, float, float]]:
        """Lower and upper edge, number, mean confidence and share of right names of each bin."""
        sure, right = np.array(self.confidences), np.array(self.right, bool)
        rows = []
        for low, high in zip(self.EDGES, self.EDGES[1:], strict=False):
            inside = (sure >= low) & ((sure < high) | (high == self.EDGES[-1]))
            if inside.any():
                means = float(sure[inside].mean()), float(right[inside].mean())
                rows.append((low, high, int(inside.sum()), *means))
        return rows

    @property
    def calibration_error(self) -> float:
        """Expected calibration error: mean gap of the bins, weighed by their numbers, 0 to 1.

        After Guo et al., On Calibration of Modern Neural Networks (2017), with bins that are
        narrower where most reads lie.
        """
        rows = self.table()
        total = sum(n for _, _, n, _, _ in rows)
        return sum(n * abs(sure - right) for _, _, n, sure, right in rows) / max(1, total)

    def picture(self) -> Picture:
        """A reliability diagram: share of right names over confidence; the line is ideal."""
        side, edge = 400, 50
        out = np.full((side + 2 * edge, side + 2 * edge, 3), 255, np.uint8)

        def at(x: float, y: float) -> tuple[int, int]:
            return edge + round(x * side), edge + round((1 - y) * side)

        for low, high, _, _, right in self.table():
            cv2.rectangle(out, at(low, right), at(high, 0), (190, 150, 90), -1)
            cv2.rectangle(out, at(low, right), at(high, 0), (120, 80, 30), 1)
        cv2.rectangle(out, at(0, 1), at(1, 0), (0, 0, 0), 1)
        cv2.line(out, at(0, 0), at(1, 1), (40, 40, 220), 1, cv2.LINE_AA)
        face = cv2.FONT_HERSHEY_PLAIN
        for tick in (0.0, 0.5, 1.0):
            x, y = at(tick, 0)
            cv2.putText(out, f"{tick:g}", (x - 8, y + 18), face, 0.9, (0, 0, 0), 1)
            x, y = at(0, tick)
            cv2.putText(out, f"{tick:g}", (x - 32, y + 5), face, 0.9, (0, 0, 0), 1)
        words = f"right over confidence, {len(self.right)} reads, ECE {self.calibration_error:.4f}"
        cv2.putText(out, words, (edge, 30), face, 1.0, (0, 0, 0), 1)
        return out
