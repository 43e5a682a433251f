"""Where in a row a card must lie: what the row's geometry says before any name is read.

Indices of a row stand one way, on a line, a step apart. What stands there like the others is a card
whatever it reads like, and what stands between the lines, or on top of another index, is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.rows.anchors import leading_indices, upper_width
from vision.rows.order import reading_lines
from vision.types import CardRead, Reading


@dataclass(frozen=True, slots=True)
class PlaceRule:
    """What stands in a line as its cards do; lengths in index heights.

    Attributes:
        aligned: least cosine between an index and the ones beside it.
        smallest: size of an index, in parts of the ones beside it.
        largest: the most.
        closest: least distance between the indices of two cards.
        closest_turned: where that of one is not seen but put where its lower corner says.
        crowded: the same beside the line's usual step: both must fall short, or it stands too
            close.
        crowded_step: in usual steps.
        steps: so many steps between sure cards make a usual step.
        off_line: furthest that an index stands off the line through its neighbours.
        off_end: and off the line of the last two, beyond a line's end.
        next: furthest from the card before where a deck has an index in the upper right as well:
            beyond it could be that one of the same card.
        narrowest: the same as a part of how far the two stand apart on other cards.
        apart: how many times as far as is usual the nearest card is from what lies apart from the
            row.
        beyond: steps beyond the last card from which on nothing of the row is to be expected.
        gap: steps between two neighbours from which on a card is missing between them.
        beside: so many cards beside a read tell whether it lies across.
        wide: cards are about so many index heights wide.
        overlapped: they overlap where most steps are shorter than that, by this share at least.
        last: where no more of a deck are missing, all of it may lie there.
    """

    aligned: float = 0.5
    smallest: float = 0.6
    largest: float = 1.6
    closest: float = 0.5
    closest_turned: float = 1.0
    crowded: float = 0.7
    crowded_step: float = 0.62
    steps: int = 4
    off_line: float = 0.8
    off_end: float = 1.3
    next: float = 2.2
    narrowest: float = 0.8
    apart: float = 2.5
    beyond: float = 1.6
    gap: float = 1.5
    beside: int = 3
    wide: float = 3.7
    overlapped: float = 0.87
    last: int = 3


RULE = PlaceRule()


class RowPlaces:
    """The lines that reads make, and which of them stand in these lines like the others.

    Args:
        reads: what was read, in any order.

    Attributes:
        lines: see `vision.rows.order.reading_lines`.
        turned: (n,) which reads show only indices that stand the other way up.
        alone: (n,) which reads make a line of their own.
    """

    def __init__(self, reads: Sequence[CardRead]) -> None:
        self.lines = reading_lines(reads)
        self.turned = np.zeros(0, bool)
        self.alone = np.zeros(len(reads), bool)
        self.alone[[line[0] for line in self.lines if len(line) == 1]] = True
        if not reads:
            return
        anchors = leading_indices(reads)
        self._at, self._flipped = anchors.at, anchors.flipped
        self.turned = anchors.turned
        self._ranks = [
            [card.rank for card in (read.card, *(other for other, _ in read.alternatives))]
            for read in reads
        ]
        self._is_lone = [len(read.indices) == 1 for read in reads]
        self._size = np.maximum(np.linalg.norm(anchors.down, axis=1), 1e-6)
        self._down = anchors.down / self._size[:, None]
        wide = [width for read in reads if (width := upper_width(read.indices)) is not None]
        outlined = [
            float(np.linalg.norm(np.subtract(read.quad[1], read.quad[0]))) / read.indices[0].size
            for read in reads
            if read.outlined
        ]
        self._wide = float(np.median(outlined)) if outlined else RULE.wide
        self._next = (
            max(RULE.next, RULE.narrowest * float(np.median(wide))) if len(wide) > 2 else RULE.next
        )

    @property
    def overlap(self) -> bool:
        """Whether most cards of the lines cover the one before."""
        steps = [far for line in self.lines for far in self._steps(line)]
        return bool(steps) and float(np.median(steps)) < RULE.overlapped * self._wide

    @property
    def have_gap(self) -> bool:
        """Whether two neighbours of some line lie too far apart for its usual step."""
        return any(
            len(line) > RULE.steps
            and max(steps := self._steps(line)) > RULE.gap * float(np.median(steps))
            for line in self.lines
        )

    def stand_in(self, sure: NDArray[np.bool_], *, four: bool = False) -> NDArray[np.bool_]:
        """Which reads stand where a card of their line would.

        A pip or a figure between two indices, or a part of one of them, stands off the line that
        the indices of the sure cards make, or too close to one of them.

        Args:
            sure: (n,) of which reads the places are believed.
            four: whether the deck has an index in the upper right corner as well; then a read must
                also stand before another card, and close behind one where one lies before it that
                has a rank which it may be read as.
        """
        out = np.zeros(len(sure), bool)
        for k, before, after, step in self._beside(sure):
            out[k] = self._stands_in(k, before, after, step=step, four=four)
        return out

    def fill_gaps(self, sure: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which other reads stand between two sure cards of their line that lie too far apart.

        Args:
            sure: (n,) of which reads the places are believed.
        """
        out = np.zeros(len(sure), bool)
        for k, before, after, step in self._beside(sure):
            if step and before and after:
                gap = float(np.linalg.norm(self._at[after[0]] - self._at[before[-1]]))
                out[k] = gap > RULE.gap * step
        return out & ~sure

    def apart(self, sure: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which reads lie apart: far from the sure cards, measured by how near these lie.

        What lies near one that does not is not apart either: a card whose neighbour is doubtful
        lies where the row goes on.

        Args:
            sure: (n,) of which reads the places are believed.
        """
        out = np.zeros(len(sure), bool)
        if int(sure.sum()) <= RULE.steps:
            return out
        far = np.linalg.norm(self._at[:, None] - self._at[None], axis=2) / self._size[:, None]
        np.fill_diagonal(far, np.inf)
        most = RULE.apart * float(np.median(far[np.ix_(sure, sure)].min(axis=1)))
        row, before = sure, out
        while (row != before).any():
            row, before = row | (far[:, row].min(axis=1) <= most), row
        return np.asarray(far[:, row].min(axis=1) > most)

    def beyond(self, sure: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which reads of one index lie beyond an end of their line, farther than cards of it do.

        The last card of a row shows its whole face, and what lies beside that is print of the table
        more often than a card.

        Args:
            sure: (n,) of which reads the places are believed.
        """
        out = np.zeros(len(sure), bool)
        for line in self.lines:
            for end, *others in (line, line[::-1]):
                beside = [k for k in others if sure[k]]
                step = self._usual_step(beside)
                if step and self._is_lone[end]:
                    far = float(np.linalg.norm(self._at[end] - self._at[beside[0]]))
                    out[end] |= far > RULE.beyond * step
        return out

    def lie_across(self, sure: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which reads lie across the sure cards beside them: cards of a row lie side by side.

        Args:
            sure: (n,) of which reads the places are believed.
        """
        out = np.zeros(len(sure), bool)
        for k in range(len(sure)):
            others = np.flatnonzero(sure & (np.arange(len(sure)) != k))
            if len(others) < RULE.beside:
                continue
            far = np.linalg.norm(self._at[others] - self._at[k], axis=1)
            beside = others[np.argsort(far, kind="stable")[: RULE.beside]]
            out[k] = bool((np.abs(self._down[beside] @ self._down[k]) < RULE.aligned).all())
        return out

    def _beside(self, sure: NDArray[np.bool_]) -> Iterator[tuple[int, list[int], list[int], float]]:
        """Each read with the two sure ones before and after it, and its line's usual step."""
        for line in self.lines:
            step = self._usual_step([k for k in line if sure[k]])
            for position, k in enumerate(line):
                before = [j for j in line[:position] if sure[j]][-2:]
                after = [j for j in line[position + 1 :] if sure[j]][:2]
                yield k, before, after, step

    def _steps(self, line: Sequence[int]) -> list[float]:
        """How far each card of a line lies from the one before, index heights."""
        which = list(line)
        far = np.linalg.norm(np.diff(self._at[which], axis=0), axis=1)
        return [float(step) for step in far / self._size[which[1:]]]

    def _usual_step(self, sure: list[int]) -> float:
        """Median distance between the sure cards of a line, pixels; 0 where they are too few."""
        if len(sure) <= RULE.steps:
            return 0.0
        return float(np.median(np.linalg.norm(np.diff(self._at[sure], axis=0), axis=1)))

    def _may_share_card(self, before: int, k: int, far: float) -> bool:
        """Whether a read may be the upper right index of the card before it."""
        return far > self._next * self._size[k] and self._ranks[before][0] in self._ranks[k]

    def _stands_in(
        self, k: int, before: list[int], after: list[int], *, step: float, four: bool
    ) -> bool:
        beside = before[-1:] + after[:1]
        if self._flipped[k] or not beside:
            return False
        ratio = self._size[k] / self._size[beside]
        if (ratio < RULE.smallest).any() or (ratio > RULE.largest).any():
            return False
        if (self._down[beside] @ self._down[k] < RULE.aligned).any():
            return False
        far = np.linalg.norm(self._at[beside] - self._at[k], axis=1)
        closest = RULE.closest_turned if self.turned[k] else RULE.closest
        if (far < closest * self._size[beside]).any():
            return False
        if ((far < RULE.crowded * self._size[beside]) & (far < RULE.crowded_step * step)).any():
            return False
        if four and (not after or (before and self._may_share_card(before[-1], k, far[0]))):
            return False
        if before and after:
            a, b, most = before[-1], after[0], RULE.off_line
        elif len(before) > 1 or len(after) > 1:
            (a, b), most = (before if len(before) > 1 else after), RULE.off_end
        else:
            return True
        along = self._at[b] - self._at[a]
        v = self._at[k] - self._at[a]
        off = abs(float(along[0] * v[1] - along[1] * v[0]))
        return off < most * max(self._size[a], self._size[b]) * float(np.hypot(*along))


def leaves_open(reading: Reading, whole: int) -> bool:
    """Whether the first look at a row of overlapped cards leaves something open.

    Some card is in doubt, two neighbours lie too far apart, or the last few of a deck are missing.
    Where cards lie apart nothing is hidden that a closer look could find.

    Args:
        reading: the first look.
        whole: how many cards the deck has, without jokers.
    """
    reads = list(reading.cards)
    if len(reads) < 2:
        return False
    places = RowPlaces(reads)
    if not places.overlap:
        return False
    return bool(reading.doubtful) or places.have_gap or whole - RULE.last <= len(reads) < whole
