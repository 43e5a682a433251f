"""Speed of the referee, the notation and the views, measured on this machine."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from companion.core.events import public
from companion.core.game import Game
from companion.core.notation import read_match, write_match
from companion.core.referee import Referee
from companion.core.registry import all_games
from companion.simulate import play_events, play_out

Figure = dict[str, Any]

#: Events of a match that is long for any of the games.
LONG_MATCH = 500


def figure(value: float, unit: str, limit: float | None = None) -> Figure:
    """One measured figure; a limit is a greatest value, but for rates and ratios a least one."""
    least = unit.endswith("/s") or unit == "times"
    good = limit is None or (value >= limit if least else value <= limit)
    return {"value": round(value, 3), "unit": unit, "limit": limit, "ok": good}


def median_ms(work: Callable[[], object], *, budget: float = 0.5, least: int = 5) -> float:
    """Median time of a call in milliseconds, over as many calls as fit the budget in seconds."""
    times: list[float] = []
    end = time.perf_counter() + budget
    while len(times) < least or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1000


def bench_referee() -> dict[str, Figure]:
    """For each game: events per second through the referee, undo, reading and replaying a match."""
    results: dict[str, Figure] = {}
    for game in all_games():
        results |= _bench_game(game)
    return results


def _played(game: Game[Any], players: int, seed: int) -> Referee[Any]:
    names = [f"P{seat}" for seat in range(1, players + 1)]
    referee: Referee[Any] = Referee(game, game.setup(names))
    bots = [game.bots["random"]] * players
    play_out(referee, bots, random.Random(seed))
    return referee


def long_match(game: Game[Any], least: int, seed: int = 1) -> Referee[Any]:
    """Match after match by random bots until a number of events stand."""
    names = [f"P{seat}" for seat in range(1, game.info.min_players + 1)]
    # As many points as may be named: no session is over before.
    far = {o.name: str(o.bounds[1]) for o in game.options if o.name == "target"}
    referee: Referee[Any] = Referee(game, game.setup(names, far))
    bots = [game.bots["random"]] * len(names)
    rng = random.Random(seed)
    while len(referee.log) < least:
        for event in play_events(referee, bots, rng):
            referee.accept(event)
            if len(referee.log) >= least:
                break
        else:
            referee.accept(public(None, "match"))
    return referee


def _bench_game(game: Game[Any]) -> dict[str, Figure]:
    played = _played(game, game.info.min_players, 1)
    events = played.events

    def accept_all() -> None:
        desk: Referee[Any] = Referee(game, played.setup)
        for event in events:
            desk.accept(event)

    text = write_match(played.match_text())
    longer = write_match(long_match(game, LONG_MATCH).match_text())
    seconds = median_ms(accept_all) / 1000

    def undo_and_redo() -> None:
        played.undo()
        played.redo()

    return {
        f"referee {game.name}": figure(len(events) / seconds, "events/s"),
        f"undo {game.name}": figure(median_ms(undo_and_redo, budget=0.1) / 2, "ms"),
        f"replay {game.name}": figure(
            median_ms(lambda: Referee.of(read_match(text))) / len(events), "ms/event"
        ),
        f"replay {LONG_MATCH} events {game.name}": figure(
            median_ms(lambda: Referee.of(read_match(longer)), budget=0.3, least=3), "ms", 1000
        ),
    }
