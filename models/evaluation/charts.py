"""A chart of what was read: how much a confidence is worth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from models.arrays import Picture


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
