"""Advice in Gotcha: the best guess, counting the chance to go on, and whether to call.

A turn is a row of guesses that ends with the first wrong one, so its value is the sum over the row
of P(all right so far) times the points. The row is laid greedily by the index

    expected points of the guess / (1 − chance that it is right),

which is the optimal order for independent guesses (the "quiz problem"; D. Bertsekas, Dynamic
Programming and Optimal Control, section 4.5). The chances are counted again, exactly, after each
uncertain guess. Each of the best few first guesses is followed by such a row. The value is thus
what that plan earns, and a lower bound of what perfect play would earn.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod

from companion.cards import RANKS, Card
from companion.core.game import without_jokers
from companion.games.gotcha.engine.facts import GotchaKnowledge
from companion.games.gotcha.engine.passes import Passes
from companion.games.gotcha.engine.solve import GotchaChances, gotcha_problem, rank_chances, solve
from companion.games.gotcha.state import GotchaState, place_words
from companion.phrases import phrase

#: A row ends after so many uncertain guesses, or once the next one is this unlikely to be reached.
#: If counting takes long (five players), fewer and shorter rows are tried.
_LONGEST_ROW = 6
_WIDE = 5000
_NEGLIGIBLE = 1e-4


@dataclass(frozen=True, slots=True)
class GuessValue:
    """A guess and what it is worth.

    Attributes:
        player: whose card.
        smallest: counted from the smallest; otherwise from the biggest.
        x: 1 for the outermost card still held, counted from the nearer end.
        rank: 1–13.
        position: the original position.
        p: the chance that it is right.
        call: whether to call Gotcha first.
        points: for being right, the call's extra point included.
        penalty: for being wrong (0 without a call).
    """

    player: str
    smallest: bool
    x: int
    rank: int
    position: int
    p: float
    call: bool
    points: int
    penalty: int

    @property
    def expected_points(self) -> float:
        """Of this guess alone."""
        return self.p * self.points - (1 - self.p) * self.penalty

    @property
    def text(self) -> str:
        """The guess as an event's text without the guesser."""
        verb = "gotcha" if self.call else "guess"
        end = "smallest" if self.smallest else "biggest"
        return f"{verb} {self.player} {end} {self.x} is {RANKS[self.rank - 1]}"

    @property
    def words(self) -> str:
        """The guess as people say it, without the call."""
        return phrase(
            "Guess that {name}'s {place} is {rank}",
            name=self.player,
            place=place_words(self.x, smallest=self.smallest),
            rank=RANKS[self.rank - 1],
        )


@dataclass(frozen=True, slots=True)
class BestGuess:
    """The guess to make.

    Attributes:
        guess: the guess.
        with_continuation: expected points of the whole turn when it goes on after a right guess.
        row: the guesses planned to follow it.
    """

    guess: GuessValue
    with_continuation: float
    row: tuple[GuessValue, ...]


def should_call(p: float, x: int) -> bool:
    """Whether calling Gotcha pays: one more point if right against x lost if wrong.

    Args:
        p: the chance to be right.
        x: min(x, N + 1 − x) of the guess; 1 is an end card, where a call never pays.
    """
    return x > 1 and p > (1 - p) * x


def guesses(
    positions: Mapping[str, Mapping[int, Mapping[int, float]]], gone: Mapping[str, frozenset[int]]
) -> list[GuessValue]:
    """Every guess that can be right, with the call if it pays; in order of hand and position."""
    found = []
    for player, rows in positions.items():
        held = [at for at in rows if at not in gone[player]]
        for number, at in enumerate(held, 1):
            x = min(number, len(held) + 1 - number)
            for rank, p in rows[at].items():
                call = should_call(p, x)
                smallest = number == x
                points, penalty = 3 + x + call, x if call else 0
                found.append(GuessValue(player, smallest, x, rank, at, p, call, points, penalty))
    return found


def best_guess(
    knowledge: GotchaKnowledge, chances: GotchaChances, *, players: Sequence[str] | None = None
) -> BestGuess | None:
    """The guess with the greatest expected points for the turn, going on included.

    Args:
        knowledge: what the guesser knows, free of contradictions.
        chances: the same, solved.
        players: whose cards may be guessed; everybody's by default.

    Returns:
        The best one found, None when no card is left to guess.
    """
    if players is not None:
        positions = {name: row for name, row in chances.positions.items() if name in players}
        chances = GotchaChances(chances.worlds, positions, chances.gone)
    options = guesses(chances.positions, chances.gone)
    if not options:
        return None
    passes = Passes(gotcha_problem(knowledge))
    wide = prod(size + 1 for _, size in knowledge.hands) > _WIDE
    first_guesses, longest = (1, 3) if wide else (2, _LONGEST_ROW)
    ranked = sorted(options, key=_order)[:first_guesses]
    for candidate in (max(options, key=_points), max(options, key=lambda g: (g.p, _points(g)))):
        if candidate not in ranked:
            ranked.append(candidate)
    plans = [_plan(passes, chances, first, longest) for first in ranked]
    return max(plans, key=lambda plan: round(plan.with_continuation, 9))


def _points(guess: GuessValue) -> float:
    return guess.expected_points


def _order(guess: GuessValue) -> tuple[float, float, str, int, int]:
    """Sorts by falling index; certain guesses come first, those with most points leading."""
    wrong = 1 - guess.p
    certain = wrong < 1e-12
    index = -guess.points if certain else -guess.expected_points / wrong
    return (-1e18 if certain else index, index, guess.player, guess.position, guess.rank)


def _plan(passes: Passes, chances: GotchaChances, first: GuessValue, longest: int) -> BestGuess:
    """Values a first guess followed by the greedy row."""
    positions, gone = chances.positions, dict(chances.gone)
    value, reached, uncertain = 0.0, 1.0, 0
    row: list[GuessValue] = []
    guess = first
    while True:
        row.append(guess)
        value += reached * guess.expected_points
        reached *= guess.p
        gone[guess.player] |= {guess.position}
        certain = guess.p > 1 - 1e-12
        uncertain += not certain
        empty = len(gone[guess.player]) == len(positions[guess.player])
        # The match, or this half of it, is over when a hand is empty.
        if empty or reached < _NEGLIGIBLE or uncertain > longest:
            break
        if not certain:
            hand = passes.problem.names.index(guess.player)
            passes = passes.given(hand, guess.position, guess.rank)
            passes.count()
            counted = rank_chances(passes)
            positions = {name: counted[name] for name in positions}
        guess = min(guesses(positions, gone), key=_order)
    return BestGuess(first, value, tuple(row[1:]))


def quick_guess(chances: GotchaChances, players: Sequence[str]) -> GuessValue | None:
    """The guess with the most expected points by itself, without planning the guesses after it.

    Over whole matches that is as good: cards near the middle are worth most while the hand is
    still large, so a plan that takes certain end cards first loses later what it gains now.
    """
    positions = {name: row for name, row in chances.positions.items() if name in players}
    options = guesses(positions, chances.gone)
    return max(options, key=lambda guess: round(guess.expected_points, 9), default=None)


#: How many choices are tried, and among how many of the best the bot draws: nobody can foresee it.
_TRIED = 200
_LEFT = 4


@lru_cache(maxsize=8)
def _expected(stock: tuple[Card, ...], kept: int) -> tuple[dict[int, float], ...]:
    """The chance of each rank at each position of a hand of a given size out of a stock."""
    rows = solve(GotchaKnowledge((("hand", kept),), deck=stock)).positions["hand"]
    return tuple(rows[at] for at in range(1, kept + 1))


def exposure(hand: Sequence[Card], expected: Sequence[dict[int, float]]) -> float:
    """Points that a hand is worth to others by their chances before the first guess.

    Args:
        hand: in ascending order.
        expected: the chance of each rank at each position.
    """
    total, size = 0.0, len(hand)
    for at, (card, row) in enumerate(zip(hand, expected, strict=True)):
        total += row.get(card.rank or 0, 0.0) * (3 + min(at + 1, size - at))
    return total


def best_discards(state: GotchaState, seat: int, rng: random.Random) -> list[tuple[Card, ...]]:
    """The best few choices of discards from the seat's recorded hand, the best first."""
    held = state.held[seat]
    assert held is not None
    cards = sorted(held, key=lambda card: (card.rank or 0, card))
    deck = without_jokers(state.setup)
    # If every card is dealt to two players, each knows what the other was dealt.
    all_dealt = len(state.points) == 2 and 2 * state.dealt == len(deck)
    stock = tuple(cards) if all_dealt and all(c.is_known for c in cards) else deck
    expected = _expected(stock, state.kept)

    def worth(chosen: frozenset[int]) -> float:
        hand = [card for at, card in enumerate(cards) if at not in chosen]
        return exposure(hand, expected)

    choices = set(_choices(len(cards), state.discarded, rng))
    ranked = sorted(choices, key=lambda chosen: (worth(chosen), sorted(chosen)))
    return [tuple(sorted(cards[at] for at in chosen)) for chosen in ranked[:_LEFT]]


def _choices(size: int, count: int, rng: random.Random) -> Iterable[frozenset[int]]:
    """Blocks, pairs of blocks and random choices of positions; all of them if they are few."""
    if count == 1:
        yield from map(frozenset, combinations(range(size), 1))
        return
    for first in range(size - count + 1):
        yield frozenset(range(first, first + count))
    for low in range(count + 1):
        yield frozenset([*range(low), *range(size - count + low, size)])
    for _ in range(_TRIED):
        yield frozenset(rng.sample(range(size), count))
