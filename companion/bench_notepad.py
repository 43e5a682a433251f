"""Speed and memory of the notepads on states of simulated matches, through the viewers' views."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from statistics import median
from typing import Any

from companion.bench import Figure, figure
from companion.cards import Card, Family, family_cards
from companion.core.game import Game
from companion.core.referee import Referee
from companion.core.registry import all_games
from companion.core.view import View
from companion.games.deduction.engine import facts as deduction_facts
from companion.games.deduction.engine import solve as deduction
from companion.notepad.base import Notepad, open_notepad
from companion.notepad.facts import CardAt
from companion.simulate import play_events

#: Milliseconds that a notepad (typically, at worst) and the coach may take; megabytes they need.
TYPICAL, WORST, COACH, MEMORY = 30.0, 100.0, 300.0, 100.0

#: Number of states after which a game has forgotten what it worked out for the first ones.
_FORGOTTEN = 100

#: What the process that measures memory runs. The kernel's high-water mark of that process alone:
#: `getrusage` would count what it was forked from.
_MEMORY = """
from pathlib import Path
import numpy
from companion.bench_notepad import measure
from companion.core.registry import all_games

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

games = [game for game in all_games() if game.coach_bot() is not None]
before = peak()
for game in games:
    measure(game, number=NUMBER)
print(peak() - before)
"""


def processor_ms(work: Callable[[], object]) -> float:
    """Milliseconds of processor time of a call: other work on the machine does not count."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def states(game: Game[Any], rng: random.Random, *, share: float = 0.2) -> Iterator[View[Any]]:
    """Views of endless simulated matches of all sizes, of a random seat or of the public.

    Args:
        game: the game.
        rng: decides everything.
        share: of the events after which a view is taken.
    """
    sizes = range(game.info.min_players, min(5, game.info.max_players) + 1)
    while True:
        players = rng.choice(sizes)
        desk: Referee[Any] = Referee(game, game.setup(["Ann", "Bo", "Cy", "Dee", "Eve"][:players]))
        bots = [rng.choice(list(game.bots.values())) for _ in range(players)]
        for event in play_events(desk, bots, rng):
            desk.accept(event)
            if rng.random() < share:
                yield desk.view(rng.choice((None, *range(players))))
            if desk.stands > 400:
                break


def _work_out(game: Game[Any], view: View[Any], made: list[Notepad[Any]]) -> None:
    """A notepad with all the chances that it shows, without the coach's."""
    pad = open_notepad(game, view)
    pad.marginals()
    made.append(pad)


def measure(
    game: Game[Any],
    *,
    number: int,
    seconds: float = 1e9,
    seed: int = 7,
    coached: int = 5,
    runs: int = 1,
) -> dict[str, float]:
    """Median and worst milliseconds of a notepad, of the coach, and of what others know.

    They are of the processor; `wall` is the notepads' by the clock, other work included. A virtual
    machine counts time stolen by its host as the process's own. It rarely hits the same state
    twice: with more runs, the least time of each state counts.

    Args:
        game: the game.
        number: how many states.
        seconds: stop each run early after that time.
        seed: of the simulated matches.
        coached: the coach is asked at every n-th state.
        runs: how many times all states are gone through.
    """
    found: dict[str, float] = {}
    timed = [
        _times(game, number=number, seconds=seconds, seed=seed, coached=coached)
        for _ in range(runs)
    ]
    if len(timed[0]["notepad"]) < _FORGOTTEN:
        del timed[1:]
    for name in timed[0]:
        values = [min(times) for times in zip(*(run[name] for run in timed), strict=False)]
        if name == "notepad":
            found["states"] = len(values)
        found |= {f"{name}_median": median(values), f"{name}_worst": max(values)}
    return found


def _times(
    game: Game[Any], *, number: int, seconds: float, seed: int, coached: int
) -> dict[str, list[float]]:
    """One run of `measure`: milliseconds of each state."""
    rng = random.Random(seed)
    times: dict[str, list[float]] = {"notepad": [], "coach": [], "others": [], "wall": []}
    end = time.perf_counter() + seconds
    for count, view in enumerate(states(game, rng)):
        if count > number or (count > 5 and time.perf_counter() > end):
            break
        made: list[Notepad[Any]] = []
        start = time.perf_counter()
        spent = processor_ms(partial(_work_out, game, view, made))
        pad = made[0]
        if count:  # the first builds tables that are kept
            times["notepad"].append(spent)
            times["wall"].append((time.perf_counter() - start) * 1000)
        if count % coached == 1:
            if pad.viewer is not None:
                times["coach"].append(processor_ms(pad.advice))
            times["others"].append(processor_ms(pad.others))
    return times


def bench_notepads(*, seconds: float = 30.0) -> dict[str, Figure]:
    """Figures of every game's notepad and coach, and of plain listing beside counting.

    Args:
        seconds: for all games together.
    """
    results: dict[str, Figure] = {}
    games = [game for game in all_games() if game.coach_bot() is not None]
    for game in games:
        found = measure(game, number=400, seconds=seconds / len(games) / 2, coached=20, runs=2)
        results |= {
            f"notepad {game.name}": figure(found["notepad_median"], "ms", TYPICAL),
            f"notepad {game.name} worst": figure(found["notepad_worst"], "ms", WORST),
            f"coach {game.name}": figure(found["coach_worst"], "ms worst", COACH),
        }
    listed, counted = listing_against_counting()
    results["notepad deduction: listing / counting"] = figure(listed / counted, "times", 1)
    needed = memory(20)
    if needed is not None:
        results["notepads and coaches, memory"] = figure(needed, "MB", MEMORY)
    return results


def memory(number: int) -> float | None:
    """Megabytes by which a process grows over a number of states of each game, coaches included.

    None if the system does not tell.
    """
    code = _MEMORY.replace("NUMBER", str(number))
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return float(done.stdout) if done.returncode == 0 else None


def listing_against_counting() -> tuple[float, float]:
    """Milliseconds to list all deals of three players' start, and to count them."""
    deck = family_cards(Family.TILE)
    facts = tuple(CardAt(card=t, place="Ann") for t in deck[:7])
    facts += tuple(CardAt(card=t, place=deduction_facts.FACE_UP) for t in deck[7:9])
    knowledge = deduction_facts.DeductionKnowledge(("Ann", "Bo", "Cy"), facts)
    counted = median(processor_ms(lambda: deduction.solve.__wrapped__(knowledge)) for _ in range(5))
    numbers: dict[tuple[Card, int], int] = {}

    def listing() -> None:
        for hand in combinations(deck[9:], 7):
            rest = [tile for tile in deck[9:] if tile not in hand]
            for missing in rest:
                for tile in rest:
                    place = 2 if tile is missing else 1
                    numbers[tile, place] = numbers.get((tile, place), 0) + 1
                for tile in hand:
                    numbers[tile, 0] = numbers.get((tile, 0), 0) + 1

    return processor_ms(listing), counted
