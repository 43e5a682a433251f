"""Times every notepad over states of simulated matches, beside enumeration and decision diagrams.

    python -m tests.benchmarks.bench_notepad [--states 2000] [--runs 2] [--json]

For each game: median and worst milliseconds for the notepad of a seat or of a spectator with all
its marginal chances, made from that view; for the coach; and for what others can know. Ratios
compare with the tests' own enumeration and with `dd`, on states they can finish, in the same run.
Memory is the growth of a process of its own from before the first notepad. Times are of the
processor, so that other work on the machine does not count; `wall` is the notepads' time by the
clock.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from statistics import median

from companion.bench_notepad import measure, memory
from companion.bench_notepad import processor_ms as timed
from companion.cards import family_cards
from companion.core.registry import all_games
from companion.games.deduction.engine import facts as deduction_facts
from companion.games.deduction.engine import solve as deduction
from companion.games.gotcha.engine import solve as gotcha
from companion.games.suspense.engine import solve as suspense
from tests.companion.notepad import test_deduction, test_gotcha, test_suspense
from tests.companion.notepad.bdd_oracle import Diagram
from tests.companion.notepad.facts import learn


def diagrams_against_counting(rng: random.Random, *, states: int = 12) -> tuple[float, float]:
    """Median milliseconds of a decision diagram's chances, and of the notepad's.

    Args:
        rng: deals and answers.
        states: of five players, from none to many answers.
    """
    slow, quick = [], []
    for number in range(states):
        knowledge, world = test_deduction.deal(rng, 5)
        state = test_deduction.seated(knowledge, world, "A")
        for _ in range(number * 24 // states):
            state = learn(state, test_deduction.random_fact(rng, state, world))

        def diagram(state: deduction_facts.DeductionKnowledge = state) -> object:
            built = Diagram(state)
            tiles = family_cards(state.deck[0].family)
            places = (deduction_facts.MISSING, *state.players[1:])
            return [built.count(tile, place) for tile in tiles for place in places]

        slow.append(timed(diagram))
        quick.append(timed(lambda state=state: deduction.solve(state)))
    return median(slow), median(quick)


def ratios(rng: random.Random) -> dict[str, float]:
    """How many times longer enumeration and decision diagrams take than the notepads."""
    found = {}
    times: dict[str, list[float]] = {"brute": [], "one": []}
    while len(times["brute"]) < 8:
        knowledge, world = test_deduction.deal(rng, 3)
        state = test_deduction.seated(knowledge, world, "A")
        times["one"].append(timed(lambda state=state: deduction.solve(state)))
        times["brute"].append(timed(lambda state=state: test_deduction.brute(state)))
    found["deduction: enumeration / notepad"] = median(times["brute"]) / median(times["one"])
    slow, quick = diagrams_against_counting(rng)
    found["deduction: dd / notepad"] = slow / quick
    pairs = []
    while len(pairs) < 60:
        small, _ = test_gotcha.random_match(rng)
        if gotcha.worlds(small) > 300:
            listing = timed(lambda small=small: list(test_gotcha.all_worlds(small)))
            pairs.append((listing, timed(lambda small=small: gotcha.solve(small))))
    found["gotcha: enumeration / notepad"] = median(a for a, _ in pairs) / median(
        b for _, b in pairs
    )
    match = learn(
        suspense.SuspenseKnowledge(("A", "B", "C"), (4, 4, 4), (0, 0, 0)),
        *(suspense.CardAt(card=c, place="A") for c in suspense.DECK[:4]),
    )
    listing = timed(lambda: list(test_suspense.all_worlds(match)))
    found["suspense: enumeration / notepad"] = listing / timed(lambda: suspense.solve(match))
    return {key: round(value, 1) for key, value in found.items()}


def main() -> None:
    """Prints a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=2000, help="states of each game")
    parser.add_argument("--runs", type=int, default=2, help="runs; the least time of each counts")
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
            tell(game.name, measure(game, number=options.states, runs=options.runs))
    tell("times as long", ratios(rng))
    tell("memory", {"MB": memory(max(20, options.states // 20)) or 0.0})
    if options.json:
        sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
