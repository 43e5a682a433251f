"""Times the referee beside two well-known rules engines, in one run.

    python -m tests.benchmarks.bench_referee [--json]

Operations are what each engine judges and applies: our events (with log and state kept for undo),
python-chess's moves (read, checked for legality, pushed), PokerKit's actions of a hand of hold'em.
They do different amounts of work, so the ratio says whether we are in the same league, no more.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable

import chess
from pokerkit import Automation, NoLimitTexasHoldem

from companion.bench import long_match
from companion.core.notation import read_match, write_match
from companion.core.referee import Referee
from companion.core.registry import all_games

EVENTS = 500


def rate(work: Callable[[], int], budget: float = 1.0) -> float:
    """Operations a second of processor time: the median of runs that fill the budget."""
    rates = []
    end = time.process_time() + budget
    while len(rates) < 3 or time.process_time() < end:
        start = time.process_time()
        done = work()
        rates.append(done / max(time.process_time() - start, 1e-9))
    return sorted(rates)[len(rates) // 2]


def chess_moves() -> Callable[[], int]:
    """A random game of chess, played again from its moves in text."""
    rng, board = random.Random(1), chess.Board()
    while not board.is_game_over() and len(board.move_stack) < 200:
        board.push(rng.choice(list(board.legal_moves)))
    moves = [move.uci() for move in board.move_stack]

    def work() -> int:
        again = chess.Board()
        for move in moves:
            again.push_uci(move)
        return len(moves)

    return work


def poker_actions() -> int:
    """A hand of no-limit hold'em by three players, every operation counted."""
    automations = (
        Automation.ANTE_POSTING,
        Automation.BET_COLLECTION,
        Automation.BLIND_OR_STRADDLE_POSTING,
        Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
        Automation.HAND_KILLING,
        Automation.CHIPS_PUSHING,
        Automation.CHIPS_PULLING,
    )
    state = NoLimitTexasHoldem.create_state(automations, True, 0, (1, 2), 2, (200, 200, 200), 3)
    for cards in ("AcKd", "7h8h", "QsQd"):
        state.deal_hole(cards)
    for board in ("", "2c3d9s", "Th", "Jc"):
        if board:
            state.burn_card("??")
            state.deal_board(board)
        while state.actor_index is not None:
            state.check_or_call()
    return len(state.operations)


def measure() -> dict[str, float]:
    """All figures."""
    theirs = {
        "python-chess moves/s": rate(chess_moves()),
        "PokerKit operations/s": rate(poker_actions),
    }
    found = dict(theirs)
    for game in all_games():
        played = long_match(game, EVENTS)
        events, setup = played.events, played.setup
        text = write_match(played.match_text())

        def accept_all(game=game, setup=setup, events=events) -> int:
            desk: Referee = Referee(game, setup)
            for event in events:
                desk.accept(event)
            return len(events)

        def replay(text=text, events=events) -> int:
            Referee.of(read_match(text))
            return len(events)

        def undo_all(played=played) -> int:
            for _ in range(EVENTS):
                played.undo()
            for _ in range(EVENTS):
                played.redo()
            return 2 * EVENTS

        ours = rate(accept_all)
        found[f"{game.name} events/s"] = ours
        found[f"{game.name} replay of {len(events)} events, ms"] = 1000 * len(events) / rate(replay)
        found[f"{game.name} undo, ms"] = 1000 / rate(undo_all)
        for name, value in theirs.items():
            found[f"{game.name} / {name.split()[0]}"] = ours / value
    return {name: round(value, 3) for name, value in found.items()}


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found = measure()
    lines = [json.dumps(found)] if options.json else [f"{k}: {v}" for k, v in found.items()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
