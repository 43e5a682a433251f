"""What Precognition's coach says: which string to predict, and which card to lay.

A player who lays every n-th card steers the row. The coach follows how much of the prediction the
end of the row has matched so far (the prefix automaton of D. Knuth, J. Morris and V. Pratt). At an
opponent's card the next change is random, judged by the unseen cards. At the player's own card the
wanted change is assumed to be possible most of the time. Going backwards from the end of the row,
this gives the chance to complete the prediction from each progress; the card to lay is the one that
maximises it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from companion.cards import Card
from companion.games.precognition.state import PrecognitionState
from companion.notepad.base import Advice
from companion.phrases import about, percent, phrase

LETTERS = "UDS"
RANK_COUNT = 13
#: A prediction should be completed at least this often before a longer one is not tried.
RELIABLE = 0.95
#: How often the hand still has a card for the wanted change.
SUITABLE = 0.9
#: How much a card of middling use is kept back: ties of chance are settled by this.
_THRIFT = 1e-3


@lru_cache(maxsize=256)
def automaton(text: str) -> tuple[tuple[int, int, int], ...]:
    """For each number of letters matched so far, that number after each next letter."""
    rows = []
    for done in range(len(text) + 1):
        row = []
        for letter in LETTERS:
            seen = text[:done] + letter
            size = min(len(text), len(seen))
            while size and not seen.endswith(text[:size]):
                size -= 1
            row.append(len(text) if done == len(text) else size)
        rows.append((row[0], row[1], row[2]))
    return tuple(rows)


def progress(text: str, changes: str) -> int:
    """How many letters of a prediction the end of the row has matched; all of them for good."""
    table, done = automaton(text), 0
    for letter in changes:
        done = table[done][LETTERS.index(letter)]
    return done


@dataclass(frozen=True, slots=True)
class Odds:
    """How likely the changes at an opponent's card are after one's own.

    Attributes:
        after: for each of one's own ranks the chances of up, down and stay.
        low: the chances after a small card.
        high: the chances after a big one.
    """

    after: dict[int, tuple[float, float, float]]
    low: tuple[float, float, float]
    high: tuple[float, float, float]


def odds_of(own: Sequence[int], unseen: Sequence[int]) -> Odds:
    """The odds for ranks in hand against ranks unseen."""
    counts, total = Counter(unseen), max(1, len(unseen))
    after = {}
    for rank in sorted(set(own)):
        up = sum(number for other, number in counts.items() if other > rank) / total
        stay = counts[rank] / total
        after[rank] = (up, 1 - up - stay if unseen else 0.0, stay)
    ordered = sorted(own)
    third = max(1, len(ordered) // 3)

    def mean(ranks: Sequence[int]) -> tuple[float, float, float]:
        rows = [after[rank] for rank in ranks] or [(1 / 3, 1 / 3, 1 / 3)]
        return (
            sum(row[0] for row in rows) / len(rows),
            sum(row[1] for row in rows) / len(rows),
            sum(row[2] for row in rows) / len(rows),
        )

    return Odds(after, mean(ordered[:third]), mean(ordered[-third:]))


def values(text: str, odds: Odds, *, mine: Sequence[bool]) -> list[list[float]]:
    """The chance to complete a prediction before each coming card, by progress.

    Args:
        text: the prediction.
        odds: of the opponents' changes.
        mine: for each coming card whether it is one's own.

    Returns:
        For each coming card and the end of the row the chances by progress.
    """
    table = automaton(text)
    final = [0.0] * len(text) + [1.0]
    layers = [final]
    for own in reversed(mine):
        after, layer = layers[-1], []
        for row in table:
            if own:
                chances = [after[to] for to in row]
                rest = (sum(chances) - max(chances)) / 2
                layer.append(SUITABLE * max(chances) + (1 - SUITABLE) * rest)
            else:
                layer.append(
                    max(
                        sum(p * after[to] for p, to in zip(chances, row, strict=True))
                        for chances in (odds.low, odds.high)
                    )
                )
        layers.append(layer)
    return layers[::-1]


def known_ranks(cards: Sequence[Card] | None) -> list[int]:
    """The ranks that are known."""
    return [card.rank for card in cards or () if card.rank is not None]


def unseen_ranks(state: PrecognitionState, seat: int, deck: Sequence[Card]) -> list[int]:
    """The ranks of all cards that lie neither in the row nor in the seat's own hand."""
    left = Counter(card.rank for card in deck)
    left -= Counter(known_ranks(state.row))
    left -= Counter(known_ranks(state.held[seat]))
    return [rank for rank in left.elements() if rank is not None]


def coming(state: PrecognitionState, seat: int) -> list[bool]:
    """For each card still to be laid whether it is the seat's."""
    return [state.owner(at) == seat for at in range(len(state.row), state.length)]


def best_prediction(state: PrecognitionState, seat: int, deck: Sequence[Card]) -> tuple[str, float]:
    """The longest alternation that is still reliable when steered for, with its chance."""
    odds = odds_of(known_ranks(state.held[seat]), unseen_ranks(state, seat, deck))
    mine = coming(state, seat)
    best = ("U", 0.0)
    for length in range(1, state.length):
        found = []
        for first, second in ("UD", "DU"):
            text = ((first + second) * length)[:length]
            # The first card brings no change.
            found.append((values(text, odds, mine=mine[1:])[0][0], text))
        chance, text = max(found)
        if chance < RELIABLE and length > 1:
            break
        best = (text, chance)
    return best


def best_card(
    state: PrecognitionState, seat: int, text: str, deck: Sequence[Card]
) -> tuple[Card, float] | None:
    """The card of the seat's hand that keeps the prediction likeliest, with its chance."""
    hand = [card for card in state.held[seat] or () if card.rank is not None]
    if not hand:
        return None
    odds = odds_of(known_ranks(hand), unseen_ranks(state, seat, deck))
    mine = coming(state, seat)
    layers = values(text, odds, mine=mine[2:]) if len(mine) > 1 else [[0.0] * len(text) + [1.0]]
    table, done = automaton(text), progress(text, state.changes)
    last = state.row[-1].rank if state.row else None
    best: tuple[float, float, Card] | None = None
    for card in hand:
        assert card.rank is not None
        after = done
        if last is not None:
            letter = 0 if card.rank > last else 1 if card.rank < last else 2
            after = table[done][letter]
        chance = layers[0][after]
        if len(mine) > 1:
            steps = zip(odds.after[card.rank], table[after], strict=True)
            chance = layers[0][after] if mine[1] else sum(p * layers[0][to] for p, to in steps)
        # Cards at the ends steer best: of nearly equal ones the more middling goes first.
        thrifty = chance - _THRIFT * abs(card.rank - (RANK_COUNT + 1) / 2)
        if best is None or thrifty > best[0]:
            best = (thrifty, chance, card)
    assert best is not None
    return best[2], best[1]


def advise(state: PrecognitionState, viewer: int | None, deck: Sequence[Card]) -> Advice:
    """The advice for what the viewer does next."""
    if viewer is None:
        return Advice("A coach advises players, not spectators.")
    if viewer not in state.seats or state.table.match_over or state.is_complete:
        return Advice("There is nothing left to decide in this match.")
    if state.held[viewer] is None:
        return Advice("Record your hand first: the coach advises from your own cards.")
    prediction = state.predictions[viewer]
    if prediction is None and not state.row:
        text, chance = best_prediction(state, viewer, deck)
        return Advice(
            phrase(
                "Predict {text} and lay cards for it: it comes true with a chance of {chance} (the "
                "longest one that does with {share} or more).",
                text=text,
                chance=about(chance),
                share=percent(RELIABLE),
            ),
            phrase("predict {text}", text=text),
            {"string": text, "length": len(text), "p": chance},
        )
    if prediction is None or prediction.text is None:
        return Advice("No prediction of yours is recorded.")
    if progress(prediction.text, state.changes) == len(prediction.text):
        return Advice(
            phrase("{text} has come true: lay what you like.", text=prediction.text), "", {"p": 1.0}
        )
    found = best_card(state, viewer, prediction.text, deck)
    if found is None:
        return Advice("You have no card to lay.")
    card, chance = found
    return Advice(
        phrase(
            "Lay {card} next: {text} then comes true with a chance of {chance}.",
            card=card.code,
            text=prediction.text,
            chance=about(chance),
        ),
        phrase("place {card}", card=card.code),
        {"card": card.code, "p": chance},
    )
