"""What can be known of a missing person, as facts, and what a viewer of a match knows of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.cards import Card, Family, family_cards
from companion.core.state import Place
from companion.games.missing_persons.audit import yes_no
from companion.games.missing_persons.questions.question import Question
from companion.games.missing_persons.state import MissingState, hideout
from companion.notepad.facts import Fact
from companion.phrases import N_, phrase

#: The 54 cards.
DECK: tuple[Card, ...] = family_cards(Family.STANDARD)
_JOKERS = frozenset(c for c in DECK if c.is_joker)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen(Fact):
    """A card was seen elsewhere, or is the viewer's own missing person."""

    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Fact):
    """The opponent answered a question."""

    question: Question
    yes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledOut(Fact):
    """Cards that a cryptic answer rules out, by the viewer's own sketch."""

    cards: frozenset[Card]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity(Fact):
    """The missing person is a card, or (a wrong guess, a refutation) is not; jokers are one."""

    card: Card
    holds: bool = True


PersonFact = Seen | Answered | RuledOut | Identity


@dataclass(frozen=True, slots=True)
class PersonKnowledge:
    """Everything one viewer knows of the opponent's missing person.

    Attributes:
        facts: what is known, in the order in which it was learnt.
        jokers: whether a joker may be chosen as missing person.
        deck: the cards in play, all 54 unless a smaller game is studied.
    """

    facts: tuple[PersonFact, ...] = ()
    jokers: bool = True
    deck: tuple[Card, ...] = DECK


# -- from a match -------------------------------------------------------------------------------


def knowledge_of(state: MissingState, seat: int, *, told: bool = True) -> PersonKnowledge:
    """Everything the state's owner knows of a seat's missing person, contradictions included.

    Args:
        state: the viewer's own fold.
        seat: whose missing person.
        told: False leaves out which card it is, even if the state's owner knows it.
    """
    facts = sorted(_facts(state, seat, told=told), key=lambda fact: fact.event)
    deck = DECK if state.setup.cards is None else state.setup.cards
    return PersonKnowledge(tuple(facts), state.setup.is_on("jokers"), tuple(deck))


def _facts(state: MissingState, seat: int, *, told: bool) -> Iterator[PersonFact]:
    for found, place in state.ledger.items():
        if place.zone != hideout(seat):
            yield Seen(event=place.n, text=_seen(state, found, place), card=found)
    for reply in state.replies:
        if reply.seat != seat:
            continue
        words, answer = N_("{name} answered {answer} to “{text}” ({n})"), yes_no(reply.yes)
        text = state.phrase(words, name=seat, answer=answer, text=reply.asked.text, n=reply.n)
        if reply.asked.question is not None:
            yield Answered(event=reply.n, text=text, question=reply.asked.question, yes=reply.yes)
        elif reply.yes:
            # Whoever is a joker answers No to everything.
            yield RuledOut(event=reply.n, text=text, cards=_JOKERS)
    yield from _noted(state, seat)
    if told:
        yield from _told(state, seat)


def _noted(state: MissingState, seat: int) -> Iterator[PersonFact]:
    """Sketches of the one who asks, and the answer to that player's guess."""
    for sketch in state.sketches:
        if sketch.seat != seat:
            words = N_("{name} noted cards as ruled out ({n})")
            text = state.phrase(words, name=sketch.seat, n=sketch.n)
            yield RuledOut(event=sketch.n, text=text, cards=frozenset(sketch.cards))
    guess = state.guesses[1 - seat]
    if guess is not None and guess.right is not None:
        right, wrong = (
            N_("the guess {card} was right ({n})"),
            N_("the guess {card} was wrong ({n})"),
        )
        n = guess.answer_n
        text = state.phrase(right if guess.right else wrong, card=guess.card, n=n)
        yield Identity(event=n, text=text, card=guess.card, holds=guess.right)


def _told(state: MissingState, seat: int) -> Iterator[PersonFact]:
    """The missing person itself, if it was turned up or recorded."""
    known = state.person(seat)
    if known is None or not known[0].is_known:
        return
    person, n = known
    words = N_("{name}'s missing person is {person} ({n})")
    text = state.phrase(words, name=seat, person=person, n=n)
    yield Identity(event=n, text=text, card=person)
    for other in _JOKERS - {person} if person.is_joker else ():
        yield Seen(event=n, text=text, card=other)


def _seen(state: MissingState, found: Card, place: Place) -> str:
    kind, _, seat = place.zone.partition(":")
    name = state.setup.players[int(seat) - 1] if seat else N_("the table")
    if kind == "hideout":
        words = N_("{found} is {name}'s missing person ({n})")
        return phrase(words, found=found.code, name=name, n=place.n)
    words = N_("{found} lies in {name}'s {kind} ({n})")
    return phrase(words, found=found.code, name=name, kind=kind, n=place.n)
