"""What is going on in Gotcha and what may be done, in words."""

from __future__ import annotations

from collections.abc import Iterator

from companion.cards import RANKS, of_rank, unknown
from companion.core.events import private, public
from companion.core.game import Game
from companion.core.guidance.build import Guide
from companion.core.guidance.steps import Guidance, Need, NeedKind, On, Step, blank
from companion.core.state import hand_zone
from companion.core.view import View
from companion.games.gotcha.scoring import verdict
from companion.games.gotcha.state import ONE_OF_RANK, GotchaState, Guess, ordinal
from companion.phrases import N_, phrase


def guidance(game: Game[GotchaState], view: View[GotchaState]) -> Guidance:
    """What a viewer reads at this moment of a match."""
    guide = Guide(game, view)
    state: GotchaState = guide.state
    if state.table.match_over:
        return guide.after_match(verdict(state))
    hands = guide.hands_first()
    if hands is not None:
        return hands
    discards = _undiscarded(guide, state)
    if discards:
        return _discarding(guide, state, discards)
    if state.pending is not None:
        return _answering(guide, state, state.pending)
    return _guessing(guide, state)


# -- before the first guess --------------------------------------------------------------------


def _undiscarded(guide: Guide, state: GotchaState) -> tuple[int, ...]:
    """Seats that have yet to discard: trusting ones, and those whose hand was recorded."""
    if not state.discarded:
        return ()
    trusted = guide.setup.trusted
    return tuple(
        seat
        for seat in range(len(state.points))
        if not state.aside_events[seat]
        and (trusted[seat] or (bool(state.hand_events[seat]) and not state.guesses))
    )


def _discarding(guide: Guide, state: GotchaState, seats: tuple[int, ...]) -> Guidance:
    """Cards laid aside unseen."""
    if len(seats) > 1:
        one = N_("{names} discard {count} card each, unseen.")
        several = N_("{names} discard {count} cards each, unseen.")
    else:
        one = N_("{names} discards {count} card unseen.")
        several = N_("{names} discards {count} cards unseen.")
    text = one if state.discarded == 1 else several
    headline = guide.phrase(text, names=seats, count=state.discarded)
    return Guidance(headline, seats, (*_discard_steps(guide, state, seats), *_also(guide, state)))


def _discard_steps(guide: Guide, state: GotchaState, seats: tuple[int, ...]) -> Iterator[Step]:
    for seat in seats:
        held = guide.known(seat).held[seat]
        cards = held or guide.unseen()
        unread = (unknown(guide.game.family),) * state.discarded
        event = private(seat, "discard", unread)
        need = Need(NeedKind.CARDS, phrase("the cards discarded"), cards, state.discarded)
        title = guide.phrase("Record what {name} discards", name=seat)
        yield guide.step(title, event, needs=(need,), on=(On(hand_zone(seat)),))


def _also(guide: Guide, state: GotchaState) -> Iterator[Step]:
    """What may be done apart from the turn."""
    yield from guide.own_hand()
    yield from guide.stop()


# -- guesses and answers -----------------------------------------------------------------------


def _guessing(guide: Guide, state: GotchaState) -> Guidance:
    """A guess about a card of an opponent, with or without a Gotcha."""
    mover = state.table.to_move
    assert mover is not None
    others = tuple(s for s in range(len(state.points)) if s != mover and state.left(s))
    if state.finisher is not None:
        text = N_("The last round: {name} guesses until a guess is wrong.")
        headline = guide.phrase(text, name=mover)
    elif len(others) == 1:
        other = guide.name(others[0])
        headline = guide.phrase("{name} guesses a card of {other}.", name=mover, other=other)
    else:
        headline = guide.phrase("{name} guesses a card of an opponent.", name=mover)
    guesses = (_guess(guide, state, mover, other) for other in others)
    called = (step for other in others for step in _gotcha(guide, state, mover, other))
    return Guidance(headline, (mover,), (*guesses, *called, *_also(guide, state)))


def _needs(places: tuple[int, ...]) -> tuple[Need, ...]:
    """What a guess still needs once it is settled whose card it is about."""
    end, ends = phrase("from which end it is counted"), ("smallest", "biggest")
    said = phrase("smallest"), phrase("biggest")
    ordinals = tuple(map(ordinal, places))
    ranks = tuple(range(1, len(RANKS) + 1))
    return (
        Need(NeedKind.CHOICE, end, ends, words=said, usual=ends[0]),
        Need(NeedKind.POSITION, phrase("its place"), places, words=ordinals),
        Need(NeedKind.RANK, phrase("its rank"), ranks, words=ONE_OF_RANK),
    )


def _sentence(guide: Guide, other: int, text: str) -> str:
    return guide.phrase(text, name=other, end=blank(0), place=blank(1), one=blank(2))


def _places(other: int, places: tuple[int, ...]) -> tuple[On, ...]:
    return tuple(On(hand_zone(other), index=place - 1) for place in places)


def _guess(guide: Guide, state: GotchaState, mover: int, other: int) -> Step:
    """A plain guess."""
    places = tuple(range(1, state.left(other) + 1))
    event = public(mover, "guess", other, "smallest", 1, 1)
    title = guide.phrase("Guess a card of {name}", name=other)
    said = _sentence(guide, other, N_("{name}'s {place} {end} card is {one}."))
    on = _places(other, places)
    return guide.step(title, event, needs=_needs(places), on=on, sentence=said)


def _gotcha(guide: Guide, state: GotchaState, mover: int, other: int) -> Iterator[Step]:
    """A guess with a Gotcha, on an end card only if that was agreed."""
    left = state.left(other)
    ends = () if guide.setup.is_on("gotcha_on_ends") else (1, left)
    places = tuple(place for place in range(1, left + 1) if place not in ends)
    if places:
        event = public(mover, "gotcha", other, "smallest", places[0], 2)
        title = guide.phrase("Guess a card of {name} and call Gotcha", name=other)
        said = _sentence(guide, other, N_("Gotcha! {name}'s {place} {end} card is {one}."))
        on = _places(other, places)
        yield guide.step(title, event, needs=_needs(places), on=on, sentence=said)


def _answering(guide: Guide, state: GotchaState, guess: Guess) -> Guidance:
    """Right or wrong."""
    seat = guess.of
    headline = guide.phrase(
        "Gotcha! {name} answers {by}: is {name}'s {place} {one}?"
        if guess.called
        else "{name} answers {by}: is {name}'s {place} {one}?",
        name=seat,
        by=guide.name(guess.by),
        place=guess.place,
        one=guess.one_of_rank,
    )
    on = (On(hand_zone(seat), index=guess.index),)
    right = guide.option(phrase("Right"), (public(seat, "right"),), on=on, answers=True)
    wrong = guide.option(phrase("Wrong"), (public(seat, "wrong"),), on=on, answers=True)
    cards = tuple(card for card in guide.unseen() if of_rank(guess.rank).matches(card))
    named = guide.option(
        phrase("Right, and name the card shown"),
        (public(seat, "right", card) for card in cards),
        needs=(Need(NeedKind.CARD, phrase("the card shown"), cards),),
        on=on,
        answers=True,
    )
    return Guidance(headline, (seat,), (*right, *wrong, *named, *_also(guide, state)))
