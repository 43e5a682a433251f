"""What players tried in a match and whether it worked, for records over many evenings.

A game says it from two states of what everybody knows, so that no record can hold a secret.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """A prediction, guess or claim that has been decided.

    Attributes:
        seat: who made it.
        came_true: whether it was right.
        chance: how likely that was by everybody's knowledge just before it was decided, from 0 to
            1; None where the knowledge contradicts itself. A player who guesses by luck alone is
            right as often as the sum of these chances.
        length: letters of a prediction that occurred; 0 for everything else.
    """

    seat: int
    came_true: bool
    chance: float | None
    length: int = 0
