"""What plays say about hands, and what shows that a rule was broken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from companion.cards import Card
from companion.core.events import Event
from companion.core.state import FindingKind, evolve, find, hand_zone, put
from companion.core.unchecked import Unchecked
from companion.games.tricks.state import Bar, Limit, TricksState
from companion.phrases import N_


@dataclass(frozen=True, slots=True)
class UncheckedPlays(Unchecked):
    """A seat's plays that its hidden cards could show to be against a rule."""

    def told(self, state: TricksState) -> str:
        """It in a sentence."""
        text = (
            N_("{count} play could not be checked: {name}'s hand was not turned up.")
            if self.answers == 1
            else N_("{count} plays could not be checked: {name}'s hand was not turned up.")
        )
        return state.phrase(text, count=self.answers, name=self.seat)


@dataclass(frozen=True, slots=True)
class UncheckedClaim(Unchecked):
    """A claim of tricks that nobody played out."""

    def told(self, state: TricksState) -> str:
        """It in a sentence."""
        text = N_("{name}'s claim could not be checked: {name}'s hand was not turned up.")
        return state.phrase(text, name=self.seat)


def unchecked(state: TricksState) -> Iterator[Unchecked]:
    """What nobody could check, because cards were left in a hidden hand at the match's end."""
    for seat in range(len(state.hands)):
        left = state.left(seat)
        if not left or state.whole_hand(seat) is not None:
            continue
        plays = sum(limit.seat == seat and not limit.doubted for limit in state.limits)
        if plays and not state.setup.trusted[seat]:
            yield UncheckedPlays(seat, plays, left)
        if state.claim is not None and state.claim.seat == seat:
            yield UncheckedClaim(seat, 1, left)


def in_hand(state: TricksState, seat: int) -> frozenset[Card]:
    """The particular cards that the state's owner knows to be in a hand."""
    zone = hand_zone(seat)
    return frozenset(card for card, place in state.ledger.items() if place.zone == zone)


def broken(state: TricksState, seat: int, card: Card) -> Bar | None:
    """The first rule that a seat would break by a play, as far as its recorded hand is known.

    By that hand alone: where another seat recorded one of its cards must not decide.
    """
    held = frozenset(state.held[seat] or ()) - {card}
    return next((bar for bar in state.law.bars(state, seat, card) if bar.cards & held), None)


def note_limits(state: TricksState, bars: Iterable[Bar], event: Event) -> TricksState:
    """Notes what a play says about its hand, before its trick is taken; finds what refutes it."""
    bars = tuple(bars)
    if not bars:
        return state
    seat, n = event.actor, event.n
    held = in_hand(state, seat)
    open_cards = {card for owner, card in state.faced if owner == seat}
    for bar in bars:
        limit = Limit(seat, n, state.number, bar)
        known = sorted(bar.cards & held)
        if bar.cards & open_cards:
            limit = evolve(limit, shown=n)
        if known:
            state = _found_in_hand(state, limit, known[0], n)
            limit = evolve(limit, doubted=True)
        elif bar.rule.counted:
            state, limit = _check_count(state, limit, event.args[0])
        state = evolve(state, limits=(*state.limits, limit))
    return state


def _check_count(state: TricksState, limit: Limit, card: Card) -> tuple[TricksState, Limit]:
    """Finds a play after which too few cards are left that its hand could consist of."""
    hand, bar = hand_zone(limit.seat), limit.bar
    fit = sum(
        other not in bar.cards
        and ((place := state.ledger.get(other)) is None or place.zone == hand)
        for other in state.deck
    )
    left = state.left(limit.seat) - 1
    if left <= fit:
        return state, limit
    found = _found(state, limit, bar.rule.counted, card, limit.n, fit=fit, left=left)
    return found, evolve(limit, doubted=True)


def check_play(state: TricksState, event: Event) -> TricksState:
    """Finds earlier plays that a card now played shows to have been against a rule."""
    card, n = event.args[0], event.n
    if not any(limit.seat == event.seat and card in limit.bar.cards for limit in state.limits):
        return state
    limits = []
    for limit in state.limits:
        shows = limit.seat == event.seat and card in limit.bar.cards
        if shows and not limit.doubted:
            text = limit.bar.rule.played
            state = _found(state, limit, text, card, n, n2=n, trick2=state.number)
        limits.append(evolve(limit, doubted=True, shown=limit.shown or n) if shows else limit)
    return evolve(state, limits=tuple(limits))


def check_shown(state: TricksState, event: Event) -> TricksState:
    """Finds plays that cards turned up in a hand show to have been against a rule."""
    for k, limit in enumerate(state.limits):
        known = sorted(limit.bar.cards & set(event.args[0])) if limit.seat == event.seat else []
        if not known:
            continue
        if not limit.doubted:
            state = _found_in_hand(state, limit, known[0], event.n)
        seen = event.n if event.is_public else 0
        shown = evolve(limit, doubted=True, shown=limit.shown or seen)
        state = evolve(state, limits=put(state.limits, k, shown))
    return state


def _found_in_hand(state: TricksState, limit: Limit, card: Card, n: int) -> TricksState:
    """A finding by a card that lies in the hand."""
    place = state.ledger.get(card)
    n2 = n if place is None else place.n
    return _found(state, limit, limit.bar.rule.held, card, n, n2=n2)


def _found(
    state: TricksState, limit: Limit, text: str, card: Card, n: int, **more: int
) -> TricksState:
    """A finding by a card, at event `n`, that a rule was broken by an earlier play."""
    return find(
        state,
        limit.n,
        FindingKind.IMPOSSIBLE,
        text,
        found_at=n,
        name=limit.seat,
        suit=limit.bar.suit_name,
        trick=limit.trick,
        n=limit.n,
        card=card,
        **more,
    )
