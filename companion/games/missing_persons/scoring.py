"""How a match of Missing Persons ends: guesses, forced guesses, which guess is closer."""

from __future__ import annotations

from companion.cards import Card
from companion.core.events import Event
from companion.core.game import require_turn
from companion.core.match import end_match
from companion.core.state import evolve, move_to, put, say
from companion.core.verb import VerbTable
from companion.games.missing_persons.audit import (
    check_answers,
    check_consistent,
    refuse_false,
    right_wrong,
)
from companion.games.missing_persons.state import (
    Guess,
    MissingState,
    require_deal,
    require_nothing_waits,
    require_person,
)
from companion.games.missing_persons.syntax import IdentityPart
from companion.phrases import N_, phrase

VERBS = VerbTable[MissingState]()


def verify_guess(state: MissingState, event: Event) -> None:
    """Once per player and game, at any stage, but not while an answer is due."""
    seat, card = event.actor, event.args[0]
    require_deal(state)
    if "?" in card.code:
        raise state.illegal("A guess names one card, not {card}.", card=card)
    if state.guesses[seat] is not None:
        raise state.illegal("{name} has guessed already: one guess per player and game.", name=seat)
    require_nothing_waits(state)
    if state.forced:
        require_turn(state, seat)
    require_person(state, seat)


@VERBS("guess", "Guess the other's missing person, once per game.", verify_guess, IdentityPart())
def apply_guess(state: MissingState, event: Event) -> MissingState:
    """Makes the guess; forced ones wait for both."""
    seat = event.actor
    guess = Guess(seat, event.args[0].identity, event.n)
    state = evolve(state, guesses=put(state.guesses, seat, guess), may_draw=False)
    state = say(
        state, "{name} guesses that {name2} is {card}.", name=seat, name2=1 - seat, card=guess.card
    )
    if state.forced:
        state = move_to(state, 1 - seat if state.guesses[1 - seat] is None else None)
    return state


def verify_verdict(state: MissingState, event: Event) -> None:
    """The one whose missing person was guessed says whether it is right."""
    seat = event.actor
    guess = state.guesses[1 - seat]
    if state.open_guess is None or guess is None or guess.right is not None:
        raise state.illegal("No guess waits for {name}'s answer.", name=seat)
    require_person(state, seat)
    hand = state.hands[seat]
    if hand is not None:
        answered = evolve(guess, right=event.verb == "right")
        refuse_false(state, seat, truthful=answered.is_true_of(hand[0]))


@VERBS("wrong", phrase("Say that the guess is {word}.", word="wrong"), verify_verdict)
@VERBS("right", phrase("Say that the guess is {word}.", word="right"), verify_verdict)
def apply_verdict(state: MissingState, event: Event) -> MissingState:
    """Right wins and wrong loses; forced guesses are compared when both are answered."""
    seat = event.actor
    guess = state.guesses[1 - seat]
    assert guess is not None
    guess = evolve(guess, right=event.verb == "right", answer_n=event.n)
    state = evolve(state, guesses=put(state.guesses, guess.seat, guess))
    verdict = right_wrong(guess.right)
    state = say(state, "{name}: {verdict}.", name=seat, verdict=verdict)
    state = check_answers(state, seat, event.n)
    state = check_consistent(state, seat, event.n)
    if state.forced:
        return settle(state)
    winner = guess.seat if guess.right else seat
    text = N_("{name}'s guess {card} is {verdict}: {name2} wins.")
    reason = state.phrase(text, name=guess.seat, card=guess.card, verdict=verdict, name2=winner)
    return _finish(state, (winner,), reason)


def settle(state: MissingState) -> MissingState:
    """Ends forced guess mode as soon as everything needed is known."""
    first, second = state.guesses
    if not state.forced or state.table.match_over or first is None or second is None:
        return state
    if first.right is None or second.right is None:
        return state
    if first.right and second.right:
        text = N_("Both guesses are right ({card}, {card2}): a tie-break.")
        return _finish(state, (), state.phrase(text, card=first.card, card2=second.card))
    if first.right or second.right:
        right, wrong = (first, second) if first.right else (second, first)
        reason = state.phrase(
            "{name}'s guess {card} is right, {name2}'s guess {card2} is wrong: {name} wins.",
            name=right.seat,
            card=right.card,
            name2=wrong.seat,
            card2=wrong.card,
        )
        return _finish(state, (right.seat,), reason)
    missing = state.wants_reveal
    if missing:
        whose = state.setup.names(missing)
        return say(state, "Neither is right. Turn up the missing persons: {whose}.", whose=whose)
    return _compare(state, first, second)


def _compare(state: MissingState, first: Guess, second: Guess) -> MissingState:
    """Neither guess is right: the closer one wins, equally close ones tie."""
    persons = (state.for_scoring(0), state.for_scoring(1))
    if persons[0] is None or persons[1] is None:
        # The referee knows cards that this reader does not: only it can compare.
        return say(state, "Neither is right. The referee compares how close they are.")
    close = (closeness(first.card, persons[1]), closeness(second.card, persons[0]))
    if close[0] == close[1]:
        text = N_("Both guesses are equally close ({close}): a tie-break.")
        return _finish(state, (), phrase(text, close=closeness_text(close[0])))
    text, texts = N_("{name}'s guess {card} ({close})"), []
    for guess, near in ((first, close[0]), (second, close[1])):
        near_text = closeness_text(near)
        texts.append(state.phrase(text, name=guess.seat, card=guess.card, close=near_text))
    winner = 0 if close[0] < close[1] else 1
    text = N_("{text} is closer than {text2}: {name} wins.")
    reason = state.phrase(text, text=texts[winner], text2=texts[1 - winner], name=winner)
    return _finish(state, (winner,), reason)


def _finish(state: MissingState, winners: tuple[int, ...], reason: str) -> MissingState:
    """Ends the match; one without a winner is decided by the next game that has one."""
    points = dict.fromkeys(winners, 1)
    return end_match(state, reason, winners=winners, points=points, over=bool(winners))


#: Smaller is closer: joker-or-not mismatch, rank distance, colour mismatch, suit mismatch.
Closeness = tuple[int, int, int, int]


def closeness(guess: Card, person: Card) -> Closeness:
    """Compares a guess with the card it was meant for; Ace is 1, King 13.

    Two guesses that mistake a joker for another card, or another card for a joker, are equally
    close.

    >>> from companion.cards import card
    >>> closeness(card("QC"), card("JC")) < closeness(card("5H"), card("10H"))
    True
    """
    if guess.is_joker or person.is_joker:
        return (int(guess.is_joker != person.is_joker), 0, 0, 0)
    assert guess.rank is not None
    assert person.rank is not None
    return (
        0,
        abs(guess.rank - person.rank),
        int(guess.colour is not person.colour),
        int(guess.suit != person.suit),
    )


def closeness_text(value: Closeness) -> str:
    """A closeness in words, e.g. `5 ranks away, another colour`."""
    joker, distance, colour, suit = value
    if joker:
        return N_("only one of the two is a joker")
    ranks = N_("{distance} rank away") if distance == 1 else N_("{distance} ranks away")
    where = phrase(ranks, distance=distance) if distance else N_("the same rank")
    if colour:
        return phrase("{where}, another colour", where=where)
    if suit:
        return phrase("{where}, the same colour, another suit", where=where)
    return phrase("{where}, the same suit", where=where) if distance else "right"
