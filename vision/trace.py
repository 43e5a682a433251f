"""What each stage of reading made of a picture, kept so that a misread can be followed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vision.hypotheses import Hypotheses
from vision.locate import Candidates
from vision.types import CardRead, IndexRead

#: Poses nearer than that to an index, in its heights, are of it.
_SAME = 0.35


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What the index candidates read as after one stage.

    Attributes:
        stage: what was done, in words that end a sentence.
        found: the candidates.
        hypotheses: what they may be.
    """

    stage: str
    found: Candidates
    hypotheses: Hypotheses

    def at(self, index: IndexRead) -> tuple[str, float] | None:
        """The likeliest card of the candidate at an index, and its chance; None without one."""
        off = np.linalg.norm(self.found.centre - np.array(index.centre, np.float32), axis=1)
        if not len(off) or off.min() > _SAME * index.size:
            return None
        return self.name(int(off.argmin()))

    def name(self, k: int) -> tuple[str, float]:
        """The likeliest card of a candidate, and its chance."""
        joker = float(self.hypotheses.joker[k])
        score = float(self.hypotheses.score[k])
        if joker > score:
            return "joker", joker
        return self.hypotheses.cards[int(self.hypotheses.best[k])].code, score


class Trace:
    """Collects what the stages of one reading did.

    Attributes:
        steps: what the candidates read as, stage by stage.
        refused: reads that were given up, each with its reason.
        looks: how often the picture was read: twice where the first look left something open.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.refused: list[CardRead] = []
        self.looks = 0

    def begin(self) -> None:
        """Another look at the picture: what an earlier one gave up is asked again."""
        self.looks += 1
        self.refused.clear()

    def note(self, stage: str, found: Candidates, hypotheses: Hypotheses) -> None:
        """Keeps what the candidates read as after a stage."""
        again = " of the second look" if self.looks > 1 else ""
        self.steps.append(Step(stage + again, found, hypotheses))

    def history(self, index: IndexRead) -> Iterator[tuple[str, str, float]]:
        """Stage, card and chance wherever a stage changed what an index reads as."""
        last = ("", -1.0)
        for step in self.steps:
            now = step.at(index)
            if now is not None and (now[0], round(now[1], 2)) != (last[0], round(last[1], 2)):
                yield step.stage, *now
                last = now
