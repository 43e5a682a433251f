"""View-model of the scores: the session's points, and each match's end with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.core.referee import Referee
from mobile.resources import texts


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """How a match of the session ended.

    Attributes:
        number: of the match, from 1.
        winners: names of those who won it.
    """

    number: int
    winners: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """How the session stands, as everybody may know.

    Attributes:
        points: name and points of each player, in seat order.
        leaders: names of those who lead by points, none while nobody has any.
        winners: names of those who won the session's game, none while it goes on.
    """

    points: tuple[tuple[str, int], ...]
    leaders: tuple[str, ...]
    matches: tuple[MatchEnd, ...]
    winners: tuple[str, ...]


def scoreboard(referee: Referee[Any]) -> Scoreboard:
    """The scores of a session; takes nothing but the public scoreboard from the referee."""
    names = referee.setup.players
    ends: dict[int, MatchEnd] = {}
    for node in referee.nodes:
        table = node.state.table
        if table.match_over:
            winners = tuple(names[seat] for seat in table.match_winners)
            ends[table.match] = MatchEnd(table.match, winners, table.reasons)
        else:
            ends.pop(table.match, None)
    table = referee.knowledge(None).table
    # Nobody leads while nobody has any points.
    best = min if referee.game.info.low_wins else max
    top = best(table.scores) if any(table.scores) else None
    return Scoreboard(
        tuple(zip(names, table.scores, strict=True)),
        tuple(n for n, s in zip(names, table.scores, strict=True) if s == top),
        tuple(ends[number] for number in sorted(ends)),
        tuple(names[seat] for seat in table.winners),
    )


def in_words(scores: Mapping[str, int]) -> str:
    """Everybody's points in a line: `Ann 7, Bo −2`."""
    return ", ".join(f"{name} {texts.signed(points)}" for name, points in scores.items())
