"""Events: what happened at the table, one small immutable value each.

A match *is* its list of events. An event says who did it (a seat, or the table), who may know
what it says (everybody, or some seats and the referee), the verb and its arguments. Names are not
stored: seats are, so a player can be renamed without touching history.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

#: Who may know what an event says: None for everybody, else the seats (and the referee).
Audience = frozenset[int] | None

UNDO = "undo"
REDO = "redo"
CORRECT = "correct"
#: Makes public for good what is private, by everybody's consent.
DISCLOSE = "disclose"
#: Verbs about the log itself; the referee handles them, games never see them.
LOG_VERBS = frozenset({UNDO, REDO, CORRECT})

_PROVENANCE = re.compile(r"(?P<source>[a-z]+) (?P<confidence>[01](?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        verb: the verb's name, e.g. `place`.
        args: one value for each part of the verb's form (see `companion.core.syntax`).
        seat: the acting seat, counted from 0; None if it is nobody's act (`table:`).
        audience: seats that may know its arguments; None if it is public.
        n: number of its line in the match, from 1; 0 until it is recorded.
        comment: free text, also provenance such as `camera 0.98`.
        hidden: the reader may know that it happened, but not its arguments (`args` is empty).
    """

    verb: str
    args: tuple[Any, ...] = ()
    seat: int | None = None
    audience: Audience = None
    n: int = 0
    comment: str = ""
    hidden: bool = False

    @property
    def actor(self) -> int:
        """The acting seat of an event that only a player can make.

        Raises:
            TypeError: no player made it; `Game.verify` lets no such event reach the rules.
        """
        if self.seat is None:
            raise TypeError(f"“{self.verb}” is nobody's act")
        return self.seat

    @property
    def readers(self) -> Audience:
        """Seats that may know all that it says; None for everybody.

        A correction repeats an event, so it says that event's secret too: whoever may not read the
        one may not read the other, even if the correction is written as a public line.
        """
        if self.verb != CORRECT or not self.args:
            return self.audience
        inner: Audience = self.args[1].readers
        if inner is None or self.audience is None:
            return self.audience if inner is None else inner
        return self.audience & inner

    @property
    def is_public(self) -> bool:
        """Whether everybody may know what it says."""
        return self.readers is None

    @property
    def provenance(self) -> tuple[str, float] | None:
        """Source and confidence (0 to 1) if the comment names them, e.g. `camera 0.98`."""
        match = _PROVENANCE.fullmatch(self.comment)
        return (match["source"], float(match["confidence"])) if match else None

    def may_be_read_by(self, viewer: int | None) -> bool:
        """Whether a seat (None: somebody who knows only what is public) may know its arguments."""
        readers = self.readers
        return readers is None or viewer in readers

    def redacted(self) -> Event:
        """The same event as somebody outside its audience sees it."""
        return replace(self, args=(), comment="", hidden=True)


def public(seat: int | None, verb: str, *args: Any, comment: str = "") -> Event:
    """A public event by a seat, or by the table (None)."""
    return Event(verb, args, seat, None, comment=comment)


def private(seat: int, verb: str, *args: Any, other: int | None = None, comment: str = "") -> Event:
    """An event that only its seat (and one other) and the referee may read."""
    audience = frozenset({seat} if other is None else {seat, other})
    return Event(verb, args, seat, audience, comment=comment)
