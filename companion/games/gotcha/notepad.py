"""Gotcha's notepad: a viewer's knowledge as facts, and its chances, reasons and advice."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from companion.cards import RANKS, Card
from companion.core.attempts import Attempt
from companion.core.events import Event, private, public
from companion.core.game import without_jokers
from companion.games.gotcha.audit import answer_fact
from companion.games.gotcha.coach import BestGuess, best_discards, best_guess, quick_guess
from companion.games.gotcha.engine import solve
from companion.games.gotcha.engine.facts import (
    CardKept,
    CardOut,
    GotchaFact,
    GotchaKnowledge,
    GuessWrong,
    RankHere,
    without_suits,
)
from companion.games.gotcha.engine.ranks import rank_model_chances
from companion.games.gotcha.engine.solve import GotchaChances
from companion.games.gotcha.state import SHOWN, GotchaState
from companion.notepad.base import (
    NO_ADVICE,
    Advice,
    Grid,
    Layout,
    Reason,
    Supposition,
    cell_of,
    reason_of,
)
from companion.notepad.fact_pad import FactPad
from companion.notepad.placing import Suits
from companion.phrases import N_, decimal, percent, phrase


def is_hidden(state: GotchaState, seat: int) -> bool:
    """Whether a seat's dealt hand was never recorded, as far as the state's owner knows."""
    hand = state.hands[seat]
    return hand is None or not any(card.rank is not None for card in hand)


def hidden_seats(state: GotchaState, viewer: int | None) -> tuple[int, ...]:
    """Hands to reason about: all but the viewer's own, and that too if it was not recorded."""
    seats = range(len(state.setup.players))
    return tuple(seat for seat in seats if seat != viewer or is_hidden(state, seat))


def knowledge_of(state: GotchaState, seats: Sequence[int]) -> GotchaKnowledge:
    """Everything the state's owner knows of some hands, contradictions included.

    Args:
        state: the viewer's own fold.
        seats: the hands to reason about; all cards of other hands that are known are out.
    """
    names = state.setup.players
    deck = without_jokers(state.setup)
    known = {c for hand in (*state.hands, *state.held, *state.aside) for c in hand or ()}
    known |= {g.card for g in state.guesses if g.card is not None}
    suits = Suits(deck, known)
    facts: list[GotchaFact] = []
    for seat in range(len(names)):
        if seat in seats:
            facts += _hidden_hand(state, seat, suits)
        else:
            facts += _out(state, seat, suits)
    facts += _discards(state, seats, suits)
    facts.sort(key=lambda fact: fact.event)
    return GotchaKnowledge(tuple((names[seat], state.kept) for seat in seats), tuple(facts), deck)


def _out(state: GotchaState, seat: int, suits: Suits) -> Iterator[CardOut]:
    """The cards a seat was dealt, or showed, that are thus in no other hand."""
    n = state.hand_events[seat]
    told: set[Card] = set()
    for dealt in state.hands[seat] or ():
        found = suits.particular(dealt)
        if found is not None:
            told.add(found)
            text = state.phrase("{name} was dealt {found} ({n})", name=seat, found=found, n=n)
            yield CardOut(event=n, text=text, card=found)
    for guess in state.guesses:
        if guess.of != seat or guess.card is None or not guess.card.is_known:
            continue
        if guess.card not in told and state.hands[seat] is None:
            words, n = N_("{name} showed {card} ({answer})"), guess.answer
            text = state.phrase(words, name=seat, card=guess.card, answer=n)
            yield CardOut(event=n, text=text, card=guess.card)


def _hidden_hand(state: GotchaState, seat: int, suits: Suits) -> Iterator[GotchaFact]:
    """All answers about a hand, and its cards that were turned up."""
    name = state.setup.players[seat]
    for guess in state.guesses:
        if guess.of == seat and guess.answer:
            yield answer_fact(state, guess)
    n = state.turned[seat]
    for held in state.held[seat] or () if n else ():
        found = suits.particular(held)
        if found is not None:
            text = state.phrase("{name} turned up {found} ({n})", name=seat, found=found, n=n)
            yield CardKept(event=n, text=text, player=name, card=found)


def _discards(state: GotchaState, seats: Sequence[int], suits: Suits) -> Iterator[CardOut]:
    """Discards that the state's owner knows of hands that are reasoned about."""
    for seat in seats:
        n = state.aside_events[seat]
        for thrown in state.aside[seat] or ():
            found = suits.particular(thrown)
            if found is not None:
                words = N_("{name} discarded {found} ({n})")
                text = state.phrase(words, name=seat, found=found, n=n)
                yield CardOut(event=n, text=text, card=found)


class GotchaPad(FactPad[GotchaState, GotchaKnowledge]):
    """Every rank at every position of every hand that the viewer does not see.

    Unseen discards are weighed by `card` (every choice of cards alike) or by `rank` (every choice
    of ranks alike, see `companion.games.gotcha.engine.ranks`). The best guess stays by card.
    """

    engine = solve
    models: ClassVar[tuple[str, ...]] = ("card", "rank")

    @property
    def has_choices(self) -> bool:
        """Whether cards were discarded unseen."""
        return bool(self.state.discarded)

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """Whose hands are reasoned about."""
        return hidden_seats(self.state, self.viewer)

    def known(self, state: GotchaState, viewer: int | None) -> GotchaKnowledge:
        return knowledge_of(state, hidden_seats(state, viewer))

    def fact_of(self, supposition: Supposition) -> RankHere | GuessWrong:
        name, position, rank = self._cell(supposition.row, supposition.column)
        words = (
            N_("you suppose that {name}'s card {number}, counted from the smallest, is {rank}")
            if supposition.holds
            else N_(
                "you suppose that {name}'s card {number}, counted from the smallest, is not {rank}"
            )
        )
        number = int(supposition.column.rpartition(" ")[2])
        text = phrase(words, name=name, number=number, rank=RANKS[rank - 1])
        kind = RankHere if supposition.holds else GuessWrong
        return kind(text=text, player=name, position=position, rank=rank)

    def _cell(self, row: str, column: str) -> tuple[str, int, int]:
        """The player and the original position of a column, and the rank of a row.

        Raises:
            UsageError: there is no such cell.
        """
        recorded = self.recorded
        places: dict[str, tuple[str, int]] = {}
        for name, kept in recorded.hands:
            held = [at for at in range(1, kept + 1) if at not in recorded.gone[name]]
            places |= {f"{name} {number}": (name, at) for number, at in enumerate(held, 1)}
        rank, place = cell_of([Grid("", RANKS, tuple(places), {})], row, column)
        return (*places[place], RANKS.index(rank) + 1)

    @cached_property
    def weighed(self) -> GotchaKnowledge:
        """The knowledge that chances are counted from.

        With `shown: random` the suit that is shown says nothing about how many cards of that rank
        the hand holds: every suit not seen elsewhere is equally likely, however many there are.
        Each world would be weighed by 1 / (cards of that rank held then) for each card shown by
        name. That amounts to leaving the suit out, as brute force confirms.
        """
        if self.state.setup.options[SHOWN.name] != "random":
            return self.knowledge
        return without_suits(self.knowledge)

    @cached_property
    def solved(self) -> GotchaChances:
        """The counts."""
        number = solve.worlds(self.knowledge)
        chosen = self.weighed if number else self.knowledge
        return replace(solve.solve(chosen), worlds=number)

    @cached_property
    def by_rank(self) -> dict[str, dict[int, dict[int, float]]]:
        """The chances at the original positions when discards are weighed by rank."""
        unseen = {}
        for seat in self.seats:
            seen = sum(card.rank is not None for card in self.state.aside[seat] or ())
            unseen[self.players[seat]] = self.state.discarded - seen
        return rank_model_chances(self.weighed, unseen)

    def held(self, player: str) -> list[tuple[int, dict[int, float]]]:
        """The positions a hidden hand still holds with the chances there, smallest first."""
        rows = self.solved.held(player)
        if self.model == "card" or not self.state.discarded:
            return rows
        return [(at, self.by_rank[player][at]) for at, _ in rows]

    @cached_property
    def best(self) -> BestGuess | None:
        """The best guess about an opponent, None if there is none or for spectators."""
        if self.viewer is None or not self.worlds or self.state.table.match_over:
            return None
        return best_guess(self.weighed, self.solved, players=self.opponents())

    @property
    def worlds(self) -> int:
        """Sets of cards that the hidden hands may have held after discarding."""
        return self.solved.worlds

    def chances(self, *, strings: Sequence[str] = ()) -> dict[str, Any]:
        positions = {
            self.players[seat]: [
                {RANKS[rank - 1]: p for rank, p in row.items()}
                for _, row in self.held(self.players[seat])
            ]
            for seat in self.seats
        }
        return {"positions": positions, "best_guess": _best_as_dict(self.best)}

    def _work_out(self) -> None:
        """The chances of all positions; the best guess waits until it is asked for."""
        _ = self.solved

    def grids(self) -> tuple[Grid, ...]:
        """For each hand ranks by positions, 1 the smallest card still held; one's own is last."""
        found = []
        for seat in sorted(self.seats, key=lambda seat: seat == self.viewer):
            name = self.players[seat]
            rows = self.held(name)
            count = len(rows) or self.state.left(seat)
            columns = tuple(f"{name} {at}" for at in range(1, count + 1))
            cells = {
                (RANKS[rank - 1], columns[at]): p
                for at, (_, row) in enumerate(rows)
                for rank, p in row.items()
            }
            title = phrase("{name}'s cards, smallest first", name=name)
            found.append(Grid(title, RANKS, columns, cells, Layout.PLACES))
        return tuple(found)

    def why(self, row: str, column: str) -> Reason:
        """Whether a rank (row) stands at a place (column: `Bo 3`, counted now, smallest first)."""
        return reason_of(solve.why(self.knowledge, *self._cell(row, column)))

    def others(self) -> dict[str, int]:
        """See `Notepad.others`: contents of the hands that an opponent cannot see."""
        found: dict[str, int] = {}
        for seat, name in enumerate(self.players):
            if seat != self.viewer and self.public is not None:
                rest = [other for other in range(len(self.players)) if other != seat]
                found[name] = solve.worlds(knowledge_of(self.public, rest))
        return found

    def advice(self) -> Advice:
        """The guess to make, and whether to call Gotcha."""
        if not self.worlds:
            return NO_ADVICE
        best = self.best
        if best is None:
            return Advice("There is no card to guess.")
        guess = best.guess
        call = N_("Call Gotcha: on average it gains more points than it risks.")
        if not guess.call:
            call = N_("Do not call Gotcha: on average it risks more points than it gains.")
        if guess.x == 1:
            call = N_("Gotcha never pays on an end card.")
        text = phrase(
            "{text}: right with a chance of {p}. It brings {points} points on average, {more} with "
            "the guesses that may follow. {call}",
            text=guess.words,
            p=percent(guess.p),
            points=decimal(guess.expected_points),
            more=decimal(best.with_continuation),
            call=call,
        )
        return Advice(text, guess.text, {"guess": _best_as_dict(best)})


def _best_as_dict(best: BestGuess | None) -> dict[str, Any] | None:
    """The best guess as plain values."""
    if best is None:
        return None
    guess = best.guess
    return {
        "player": guess.player,
        "end": "smallest" if guess.smallest else "biggest",
        "x": guess.x,
        "rank": RANKS[guess.rank - 1],
        "call": guess.call,
        "p": guess.p,
        "expected_points": guess.expected_points,
        "with_continuation": best.with_continuation,
    }


notepad = GotchaPad.of


def coach_bot(state: GotchaState, seat: int, actions: Sequence[Event], rng: random.Random) -> Event:
    """Discards so that the others' first guesses fail; then guesses by expected points."""
    if actions[0].verb == "discard":
        return private(seat, "discard", rng.choice(best_discards(state, seat, rng)))
    if actions[0].verb not in ("guess", "gotcha"):
        return rng.choice(actions)
    pad = GotchaPad(state, seat)
    guess = quick_guess(pad.solved, pad.opponents()) if pad.worlds else None
    if guess is None:
        return rng.choice(actions)
    other = state.setup.players.index(guess.player)
    verb, end = ("gotcha" if guess.call else "guess"), "smallest" if guess.smallest else "biggest"
    return public(seat, verb, other, end, guess.x, guess.rank)


def attempts(before: GotchaState, after: GotchaState) -> Iterator[Attempt]:
    """The guess that one event answered; both states are what everybody knows."""
    guess = before.pending
    if guess is None or len(after.guesses) != len(before.guesses) or after.pending is not None:
        return
    held = GotchaPad(before, None).held(before.setup.players[guess.of])
    chance = held[guess.index][1].get(guess.rank, 0.0) if guess.index < len(held) else None
    yield Attempt(guess.by, after.guesses[-1].right, chance)
