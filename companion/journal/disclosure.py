"""When everything in a session may be shown."""

from __future__ import annotations

from typing import Any

from companion.core.referee import Referee
from companion.core.verb import MATCH
from companion.journal.errors import NotYetError


def withholds(referee: Referee[Any]) -> bool:
    """Whether something is still hidden after disclosure, or was written in secret since."""
    state = referee.state
    return bool(state.withheld) or any(
        entry.event is None or not entry.event.is_public
        for entry in referee.log[state.disclosed_to :]
    )


def require_disclosed(referee: Referee[Any], damage: str) -> None:
    """Refuses to show everything before it was disclosed.

    Whether it refuses follows from what everybody knows: it must not even reveal that somebody
    wrote something in secret.

    Raises:
        NotYetError: says what is to be done.
    """
    if damage:
        raise NotYetError(
            "The session is damaged, and whether its secrets were disclosed cannot be told: "
            "there is only what everybody may know."
        )
    state = referee.state
    if not state.table.match_over:
        raise NotYetError(
            "The match is not over: until then there is only what everybody may know, "
            "and each player's own."
        )
    events = referee.events
    begun = max((event.n for event in events if event.verb == MATCH), default=0)
    if state.disclosed_to <= begun:
        raise NotYetError(
            "What is private stays private until all agree to show it (table: disclose): until "
            "then there is only what everybody may know, and each player's own."
        )
