"""What Missing Persons' referee finds: false answers, and answers that fit no card."""

from __future__ import annotations

from companion.cards import Card, Family, family_cards
from companion.core.state import FindingKind, evolve, find
from companion.games.missing_persons.state import Guess, MissingState, Reply, hideout
from companion.phrases import N_, joined, phrase


def yes_no(answer: bool) -> str:
    """`Yes` or `No`."""
    return "Yes" if answer else "No"


def right_wrong(answer: bool | None) -> str:
    """`right` or `wrong`."""
    return "right" if answer else "wrong"


def refuse_false(state: MissingState, seat: int, *, truthful: bool | None) -> None:
    """Refuses a false answer of a player who trusts the referee with the card.

    Raises:
        IllegalError: the referee knows better.
    """
    if truthful is False and state.setup.trusted[seat]:
        raise state.illegal(
            "That is not true of the missing person {name} gave to the referee.", name=seat
        )


def check_answers(state: MissingState, seat: int, n: int) -> MissingState:
    """Compares everything a seat has answered with its missing person, once that is known."""
    known = state.person(seat)
    if known is None:
        return state
    person, told_at = known
    false = [r for r in state.replies if r.seat == seat and r.is_true_of(person) is False]
    guess = state.guesses[1 - seat]
    misjudged = guess is not None and guess.right is not None and not guess.is_true_of(person)
    if not false and not misjudged:
        return state
    truth = state.phrase(
        "{name}'s missing person is {person} ({told_at})", name=seat, person=person, told_at=told_at
    )
    for reply in false:
        if reply.n not in state.faulted:
            said = state.phrase("{name} {told}", name=seat, told=_told(reply))
            message = phrase("{said}, but {truth}.", said=said, truth=truth)
            state = _fault(state, reply.n, message, n)
    if guess is None or not misjudged or guess.answer_n in state.faulted:
        return state
    text, verdict = N_("{name} called the guess {card} {verdict}"), right_wrong(guess.right)
    said = state.phrase(text, name=seat, card=guess.card, verdict=verdict)
    text = N_("{said} ({answer_n}), but {truth}.")
    message = phrase(text, said=said, answer_n=guess.answer_n, truth=truth)
    return _fault(state, guess.answer_n, message, n)


def _fault(state: MissingState, event: int, message: str, found_at: int) -> MissingState:
    state = evolve(state, faulted=state.faulted | {event})
    return find(state, event, FindingKind.FALSE_ANSWER, message, found_at=found_at)


def candidates(state: MissingState, seat: int) -> tuple[Card, ...]:
    """Cards that a seat's missing person can still be, by what the state's owner knows.

    Both missing persons left the deck before the deal, so a card that was seen is not among them.
    """
    facts = _facts(state, seat)
    return tuple(c for c in _unseen(state, seat) if all(_fits(fact, c) for fact in facts))


def _unseen(state: MissingState, seat: int) -> list[Card]:
    """Cards that a seat may have taken, judged by the cards on the table alone."""
    cards = family_cards(Family.STANDARD) if state.setup.cards is None else state.setup.cards
    jokers = state.setup.is_on("jokers")
    return [c for c in cards if (jokers or not c.is_joker) and not _is_seen(state, seat, c)]


def _is_seen(state: MissingState, seat: int, card: Card) -> bool:
    place = state.ledger.get(card)
    return place is not None and place.zone != hideout(seat)


def _facts(state: MissingState, seat: int) -> list[Reply | Guess]:
    facts: list[Reply | Guess] = [reply for reply in state.replies if reply.seat == seat]
    guess = state.guesses[1 - seat]
    if guess is not None and guess.right is not None:
        facts.append(guess)
    return facts


def _fits(fact: Reply | Guess, card: Card) -> bool:
    return fact.is_true_of(card) is not False


def check_consistent(state: MissingState, seat: int, n: int) -> MissingState:
    """Makes a finding when no unseen card fits a seat's answers any more, once per seat and match.

    If the missing person is known, each answer is judged by itself (`check_answers`).
    """
    if seat in state.contradicted or state.person(seat) is not None or candidates(state, seat):
        return state
    newest, *earlier = sorted(_facts(state, seat), key=_number, reverse=True)
    alone = [card for card in _unseen(state, seat) if _fits(newest, card)]
    said = state.phrase("{name} {told}", name=seat, told=_told(newest))
    partner = next((f for f in earlier if not any(_fits(f, card) for card in alone)), None)
    if not alone:
        text = N_("{said}, but every card that this is true of has been seen elsewhere.")
        message = phrase(text, said=said)
    elif partner is not None:
        text = N_("{said}, but {told}: no unseen card fits both.")
        message = phrase(text, said=said, told=_told(partner))
    else:
        others = joined("; ", (_told(fact) for fact in reversed(earlier)))
        text = N_("{said}: no unseen card fits that and the earlier answers ({others}).")
        message = phrase(text, said=said, others=others)
    state = evolve(state, contradicted=state.contradicted | {seat})
    return find(state, n, FindingKind.IMPOSSIBLE, message)


def _number(fact: Reply | Guess) -> int:
    return fact.n if isinstance(fact, Reply) else fact.answer_n


def _told(fact: Reply | Guess) -> str:
    if isinstance(fact, Guess):
        return phrase(
            "called {card} {verdict} ({answer_n})",
            card=fact.card.code,
            verdict=right_wrong(fact.right),
            answer_n=fact.answer_n,
        )
    text = N_("answered {answer} to “{text}” ({n})")
    return phrase(text, answer=yes_no(fact.yes), text=fact.asked.text, n=fact.n)
