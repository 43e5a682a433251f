"""Times every notepad over states of simulated matches, beside enumeration and decision diagrams.

    python -m tests.benchmarks.bench_notepad [--states 2000] [--json]

For each game: median and worst milliseconds for a seat's notepad with all its marginal chances,
made from the seat's view; for the coach; and for what the others can know. Ratios compare with the
tests' own enumeration and with `dd`, on states they can finish, in the same run. Memory is the
growth of a process of its own from before the first notepad. Times are of the processor, so that
other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

from companion.bench_notepad import measure
from companion.cards import family_cards
from companion.notepad import deduction, gotcha, suspense
from companion.registry import all_games
from tests.companion.notepad import test_deduction, test_gotcha, test_suspense
from tests.companion.notepad.bdd_oracle import Diagram


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def ratios(rng: random.Random) -> dict[str, float]:
    """How many times longer enumeration and decision diagrams take than the notepads."""
    found = {}
    times: dict[str, list[float]] = {"brute": [], "dd": [], "one": [], "two": []}
    while len(times["brute"]) < 8:
        knowledge, world = test_deduction.deal(rng, 3)
        state = test_deduction.seated(knowledge, world, "A")
        times["one"].append(timed(lambda state=state: deduction.solve(state)))
        times["brute"].append(timed(lambda state=state: test_deduction.brute(state)))
    for round_ in range(12):
        knowledge, world = test_deduction.deal(rng, 5)
        state = test_deduction.seated(knowledge, world, "A")
        for _ in range(round_ * 2):
            state = state.learn(test_deduction.random_fact(rng, state, world))

        def diagram(state: deduction.DeductionKnowledge = state) -> object:
            built = Diagram(state)
            tiles = family_cards(state.deck[0].family)
            places = (deduction.MISSING, *state.players[1:])
            return [built.count(tile, place) for tile in tiles for place in places]

        times["dd"].append(timed(diagram))
        times["two"].append(timed(lambda state=state: deduction.solve(state)))
    found["deduction: enumeration / notepad"] = median(times["brute"]) / median(times["one"])
    found["deduction: dd / notepad"] = median(times["dd"]) / median(times["two"])
    pairs = []
    while len(pairs) < 60:
        small, _ = test_gotcha.random_match(rng)
        if gotcha.worlds(small) > 300:
            listing = timed(lambda small=small: list(test_gotcha.all_worlds(small)))
            pairs.append((listing, timed(lambda small=small: gotcha.solve(small))))
    found["gotcha: enumeration / notepad"] = median(a for a, _ in pairs) / median(
        b for _, b in pairs
    )
    match = suspense.SuspenseKnowledge(("A", "B", "C"), (4, 4, 4), (0, 0, 0)).learn(
        *(suspense.CardAt(card=c, place="A") for c in suspense.DECK[:4])
    )
    listing = timed(lambda: list(test_suspense.all_worlds(match)))
    found["suspense: enumeration / notepad"] = listing / timed(lambda: suspense.solve(match))
    return {key: round(value, 1) for key, value in found.items()}


_MEMORY = """
from pathlib import Path
import numpy
from companion.bench_notepad import measure
from companion.registry import all_games

def peak():
    # The process's own high-water mark; getrusage would count what it was forked from.
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

games = [game for game in all_games() if game.coach_bot() is not None]
before = peak()
for game in games:
    measure(game, number=STATES)
print(peak() - before)
"""


def memory(number: int) -> float:
    """Megabytes by which a process grows over so many states of each game, coach included."""
    code = _MEMORY.replace("STATES", str(number))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return round(float(done.stdout), 1)


def main() -> None:
    """Prints a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=2000, help="states of each game")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    rng = random.Random(20_200)
    report: dict[str, dict[str, float]] = {}

    def tell(name: str, row: dict[str, float]) -> None:
        report[name] = {key: round(value, 2) for key, value in row.items()}
        if not options.json:
            text = ", ".join(f"{key} {value}" for key, value in report[name].items())
            sys.stdout.write(f"{name}: {text}\n")
            sys.stdout.flush()

    for game in all_games():
        if game.coach_bot() is not None:
            tell(game.name, measure(game, number=options.states))
    tell("times as long", ratios(rng))
    tell("memory", {"MB": memory(max(20, options.states // 20))})
    if options.json:
        sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
