"""Simulated play: bots at a table, through the referee like anyone else.

The physical table (who was dealt what, what is drawn next) is the game's `world`. Events that
follow from it without a choice come from `Game.forced`, all others from bots that see only what
their seat may know.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from types import MappingProxyType
from typing import Any

from companion.core.events import Event, public
from companion.core.game import Bot, Game
from companion.core.referee import Referee
from companion.core.setup import STARTER, Setup
from companion.core.state import evolve
from companion.errors import CompanionError

#: More events than any session of a known game needs: a game that passes it hangs.
MAX_EVENTS = 20_000


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a run of simulated sessions.

    Attributes:
        matches: sessions' games played to their end.
        events: events through the referee.
        seconds: time they took.
        wins: by player's name; shared wins count for each.
        alone: by player's name, games won alone.
        bots: by player's name, the bot that played it; empty if they were not named.
    """

    matches: int
    events: int
    seconds: float
    wins: dict[str, int]
    alone: dict[str, int]
    bots: dict[str, str]

    def rates(self) -> dict[str, dict[str, Any]]:
        """For each player how often it won alone, with the interval that has 95 % confidence."""
        found: dict[str, dict[str, Any]] = {}
        for name, won in self.alone.items():
            low, high = wilson(won, self.matches)
            found[name] = {
                "bot": self.bots.get(name, ""),
                "alone": won,
                "shared": self.wins[name] - won,
                "rate": round(won / self.matches, 4),
                "low": round(low, 4),
                "high": round(high, 4),
            }
        return found

    def as_dict(self) -> dict[str, Any]:
        """As `simulate --json` prints it; with rates if the bots were named."""
        found = {
            "matches": self.matches,
            "events": self.events,
            "seconds": round(self.seconds, 3),
            "wins": self.wins,
        }
        return found | {"rates": self.rates()} if self.bots else found


def wilson(won: int, total: int, *, z: float = 1.959964) -> tuple[float, float]:
    """The score interval of a rate (E. B. Wilson, 1927).

    Args:
        won: successes.
        total: trials, at least 1.
        z: standard normal quantile; the default gives 95 % confidence.

    Returns:
        Lower and upper end, 0 to 1.
    """
    rate, square = won / total, z * z / total
    centre = (rate + square / 2) / (1 + square)
    spread = z * sqrt(rate * (1 - rate) / total + square / (4 * total)) / (1 + square)
    return max(0.0, centre - spread), min(1.0, centre + spread)


def play_events(referee: Referee[Any], bots: Sequence[Bot], rng: random.Random) -> Iterator[Event]:
    """Plays on from the referee's state to the end of the session's game.

    Yields each next event; the caller records it before asking for another.

    Args:
        referee: whose state is played on.
        bots: one a seat.
        rng: decides shuffles and the bots' choices.
    """
    game: Game[Any] = referee.game
    world: Any = None
    dealt = 0
    while not referee.state.table.over:
        state = referee.state
        if state.table.match != dealt:
            world, dealt = game.deal(state, rng), state.table.match
        event = game.forced(state, world, rng)
        if event is None and state.table.match_over:
            event = public(None, "match")
        if event is None:
            seats = game.actors(state)
            if not seats:
                raise CompanionError(f"{game.info.title}: nobody can act, and it is not over.")
            seat = seats[0]
            known = referee.knowledge(seat)
            actions = list(game.legal(known, seat))
            if not actions:
                raise CompanionError(f"{game.info.title}: seat {seat + 1} has no legal action.")
            event = bots[seat](known, seat, actions, rng)
        yield event


def play_out(referee: Referee[Any], bots: Sequence[Bot], rng: random.Random) -> int:
    """Plays to the end of the session's game.

    Returns:
        The number of events recorded.

    Raises:
        CompanionError: the referee refuses an event, or the game does not end.
    """
    count = 0
    for event in play_events(referee, bots, rng):
        referee.accept(event)
        count += 1
        if count > MAX_EVENTS:
            raise CompanionError(f"{referee.game.info.title} did not end in {MAX_EVENTS} events.")
    return count


def simulate(
    game: Game[Any],
    setup: Setup,
    *,
    matches: int,
    seed: int = 0,
    bots: Sequence[Bot] | None = None,
    names: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Plays whole sessions.

    Where different bots sit at the table and the game lets a starter be named, the start passes
    from match to match, so that it favours none of them.

    Args:
        game: the game.
        setup: its settings; the session's game is played to its end each time.
        matches: how many times.
        seed: the same seed plays the same games.
        bots: one a seat; random ones if not given.
        names: the bots' names, for the result.
        progress: called with the number played so far.
    """
    count = len(setup.players)
    seated = list(bots) if bots is not None else [game.bots["random"]] * count
    wins, alone = dict.fromkeys(setup.players, 0), dict.fromkeys(setup.players, 0)
    passes = len(set(seated)) > 1 and not setup.options.get(STARTER.name, "-")
    events = 0
    started = time.perf_counter()
    for index in range(matches):
        rng = random.Random(f"{seed}/{index}")
        table = _started_by(setup, index % count) if passes else setup
        referee: Referee[Any] = Referee(game, table)
        events += play_out(referee, seated, rng)
        winners = referee.state.table.winners
        for seat in winners:
            wins[setup.players[seat]] += 1
            alone[setup.players[seat]] += len(winners) == 1
        if progress is not None:
            progress(index + 1)
    seconds = time.perf_counter() - started
    return Result(
        matches, events, seconds, wins, alone, dict(zip(setup.players, names, strict=False))
    )


def _started_by(setup: Setup, seat: int) -> Setup:
    """The same settings with another first starter."""
    options = dict(setup.options) | {STARTER.name: setup.players[seat]}
    return evolve(setup, options=MappingProxyType(options))
