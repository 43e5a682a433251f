"""A quiet clock for turns: it counts down, and nothing happens at its end. No window."""

from __future__ import annotations

from collections.abc import Hashable


class TurnClock:
    """Counts down for whoever is waited for.

    Args:
        seconds: that a turn may take; 0 for no clock.
    """

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self._turn: Hashable = None
        self._since = 0.0

    def follow(self, turn: Hashable, now: float) -> None:
        """Begins anew where somebody else is waited for.

        Args:
            turn: what tells turns apart; None while nobody is waited for.
            now: seconds on a clock that never goes back.
        """
        if turn != self._turn:
            self._turn, self._since = turn, now

    def left(self, now: float) -> float | None:
        """Seconds that are left of the turn; None where no clock runs."""
        if not self.seconds or self._turn is None:
            return None
        return max(0.0, self.seconds - (now - self._since))

    def text(self, now: float) -> str:
        """What is left, as minutes and seconds; empty where no clock runs."""
        left = self.left(now)
        if left is None:
            return ""
        whole = -int(-left // 1)  # a second that has begun counts
        return f"{whole // 60}:{whole % 60:02d}"
