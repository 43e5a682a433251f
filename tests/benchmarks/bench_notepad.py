"""Times every notepad over random states, beside plain enumeration and decision diagrams.

    python -m tests.benchmarks.bench_notepad [--states 2000] [--json]

For each game: median and worst milliseconds for all marginal chances of a state, and for the
coach. Ratios compare with the tests' own enumeration and with `dd`, on states they can finish, in
the same run. Times are of the processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterable
from statistics import median

from companion.cards import family_cards
from companion.notepad import (
    deduction,
    deduction_coach,
    gotcha,
    gotcha_coach,
    missing_persons,
    precognition,
    suspense,
)
from tests.companion.notepad import (
    test_deduction,
    test_gotcha,
    test_missing_persons,
    test_suspense,
)
from tests.companion.notepad.bdd_oracle import Diagram

Step = tuple[Callable[[], object], Callable[[], object] | None]


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def deduction_states(rng: random.Random, players: int, number: int) -> Iterable[Step]:
    """States after 0 to 40 answers, as a player sees them; the coach values the drawn coin."""
    while number > 0:
        knowledge, world = test_deduction.deal(rng, players)
        knowledge = test_deduction.seated(knowledge, world, "A")
        for _ in range(rng.randint(1, 40)):
            state = knowledge

            def coach(state: deduction.DeductionKnowledge = state) -> object:
                faces = (rng.choice(test_deduction.FACES[:6]), rng.choice(test_deduction.FACES[6:]))
                return deduction_coach.question_values(state, faces, state.players[1:])

            yield lambda state=state: deduction.solve(state), coach
            knowledge = knowledge.learn(test_deduction.random_fact(rng, knowledge, world))
            number -= 1
            if number <= 0:
                return


def gotcha_states(
    rng: random.Random, players: int, dealt: int, thrown: int, number: int
) -> Iterable[Step]:
    """States after 0 to 30 guesses about all other hands."""
    while number > 0:
        deck = rng.sample(gotcha.DECK, 52)
        kept = dealt - thrown
        world = {
            name: tuple(sorted(deck[i * dealt : i * dealt + kept], key=lambda c: c.rank or 0))
            for i, name in enumerate("ABCDE"[:players])
        }
        own = tuple(gotcha.CardOut(card=c) for c in deck[:dealt])
        hands = tuple((name, kept) for name in list(world)[1:])
        knowledge = gotcha.GotchaKnowledge(hands, own)
        for _ in range(rng.randint(1, 30)):
            state = knowledge

            def coach(state: gotcha.GotchaKnowledge = state) -> object:
                return gotcha_coach.best_guess(state, gotcha.solve(state))

            yield lambda state=state: gotcha.solve(state), coach
            knowledge = knowledge.learn(*test_gotcha.random_fact(rng, knowledge, world))
            number -= 1
            if number <= 0:
                return


def suspense_states(rng: random.Random, number: int) -> Iterable[Step]:
    """States after some plays, from every seat and the spectator's; one in ten before any play."""
    for at in range(number):
        knowledge, _ = test_suspense.random_match(rng)
        if at % 10 == 0:
            knowledge = suspense.SuspenseKnowledge(("A", "B", "C"), (4, 4, 4), (0, 0, 0))
        name = knowledge.players[0]

        def coach(state: suspense.SuspenseKnowledge = knowledge, name: str = name) -> object:
            solved = suspense.solve(state)
            return [solved.expected_points(name, stay=stay) for stay in (True, False)]

        yield lambda state=knowledge: suspense.solve(state), coach


def missing_states(rng: random.Random, number: int) -> Iterable[Step]:
    """States after some cards seen and some questions answered."""
    for _ in range(number):
        state = test_missing_persons.random_knowledge(rng)
        yield (
            lambda state=state: missing_persons.chances(state),
            lambda state=state: missing_persons.best_question(state),
        )


def precognition_states(rng: random.Random, number: int) -> Iterable[Step]:
    """Own hand known, some cards laid; three predictions valued, and the best of each length."""
    for at in range(number):
        players = rng.choice((2, 2, 3, 4))
        names = tuple("ABCD"[:players])
        deck = rng.sample(precognition.DECK, 52)
        size, laid = 52 // players, rng.randint(0, 40)
        hands = [deck[i * size : (i + 1) * size] for i in range(players)]
        row = [hands[i % players][i // players] for i in range(laid)]
        facts: list[precognition.RowFact] = [
            precognition.Laid(card=c, position=i) for i, c in enumerate(row)
        ]
        facts += [precognition.InHand(card=c, player="A") for c in hands[0] if c not in row]
        if players == 2:
            facts += [precognition.InHand(card=c, player="B") for c in hands[1] if c not in row]
        state = precognition.RowKnowledge(names, laid, tuple(facts))

        def chances(state: precognition.RowKnowledge = state, seed: int = at) -> object:
            rows = precognition.complete_rows(state, seed=seed)
            return [rows.chance(text) for text in ("UUD", "UDUDUDU", "UDDUUDDS")]

        def coach(state: precognition.RowKnowledge = state, seed: int = at) -> object:
            rows = precognition.complete_rows(state, seed=seed)
            check = precognition.complete_rows(state, seed=seed + 1)
            return precognition.best_strings(rows, check=check)

        yield chances, coach


def measure(states: Iterable[Step], coached: int) -> dict[str, float]:
    """Median and worst of the notepad, and of the coach on every so many states."""
    times, advice = [], []
    for at, (solve, coach) in enumerate(states):
        times.append(timed(solve))
        if coach is not None and at % coached == 0:
            advice.append(timed(coach))
    times = times[1:] or times  # the first builds tables that are kept
    advice = advice[1:] or advice
    found = {"states": len(times), "median_ms": median(times), "worst_ms": max(times)}
    if advice:
        found |= {"coach_median_ms": median(advice), "coach_worst_ms": max(advice)}
    return {key: round(value, 2) for key, value in found.items()}


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


def main() -> None:
    """Prints a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=2000, help="states of each game")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    rng, number = random.Random(20_200), options.states
    deals = ((2, 26, 6), (2, 20, 0), (2, 20, 5), (3, 17, 1), (4, 13, 1), (5, 10, 1))
    games: dict[str, tuple[Iterable[Step], int]] = {
        f"deduction, {n} players": (deduction_states(rng, n, number // 3), 4) for n in (3, 4, 5)
    }
    for players, dealt, thrown in deals:
        states = gotcha_states(rng, players, dealt, thrown, number // 6)
        games[f"gotcha, {players} players {dealt}-{thrown}"] = (states, 10)
    games["suspense"] = (suspense_states(rng, number), 4)
    games["missing-persons"] = (missing_states(rng, number), 10)
    games["precognition"] = (precognition_states(rng, number // 4), 10)
    report: dict[str, dict[str, float]] = {}
    for name, (states, coached) in games.items():
        report[name] = measure(states, coached)
        if not options.json:
            row = ", ".join(f"{key} {value}" for key, value in report[name].items())
            sys.stdout.write(f"{name}: {row}\n")
            sys.stdout.flush()
    report["ratios"] = ratios(rng)
    if options.json:
        sys.stdout.write(json.dumps(report) + "\n")
        return
    for key, value in report["ratios"].items():
        sys.stdout.write(f"{key}: {value}\n")


if __name__ == "__main__":
    main()
