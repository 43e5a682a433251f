"""A turn of Missing Persons: asking, answering, turning over, drawing, ending it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from companion.cards import RANKS, SUITS, Card
from companion.core.events import Event
from companion.core.game import require_turn
from companion.core.state import evolve, move_to, put, record, say
from companion.core.syntax import CardPart, CardsPart, Literal, QuotedPart
from companion.core.verb import Secrecy, VerbTable
from companion.errors import IllegalError
from companion.games.missing_persons.audit import (
    check_answers,
    check_consistent,
    refuse_false,
    yes_no,
)
from companion.games.missing_persons.questions.question import CARDS, Question, why_not_plain
from companion.games.missing_persons.state import (
    Asked,
    MissingState,
    Reply,
    Sketch,
    Spot,
    display_zone,
    require_deal,
    require_nothing_waits,
    require_person,
)
from companion.games.missing_persons.syntax import QuestionPart
from companion.phrases import N_, joined, number_of_cards, phrase

VERBS = VerbTable[MissingState]()


# -- asking ------------------------------------------------------------------------------------


def _verify_turn(state: MissingState, event: Event) -> None:
    """What asking and ending a turn have in common."""
    require_deal(state)
    require_nothing_waits(state)
    if state.forced:
        raise IllegalError("The pile is empty: nobody asks any more, everybody guesses.")
    require_turn(state, event.actor)
    require_person(state, event.actor)


def verify_ask(state: MissingState, event: Event) -> None:
    """Under `plain`, a question may not name a rank, a card, the joker or a royal's sex."""
    _verify_turn(state, event)
    plain = state.setup.options["questions"] == "plain"
    problem = why_not_plain(event.args[0]) if plain else None
    if problem is not None:
        text = N_("“{text}” may not be asked: {problem}.")
        raise state.illegal(text, text=event.args[0].asked, problem=problem)


def verify_cryptic(state: MissingState, event: Event) -> None:
    """Any wording, if that was agreed."""
    _verify_turn(state, event)
    if state.setup.options["questions"] != "cryptic":
        raise IllegalError("Cryptic questions need the option “questions: cryptic”.")


@VERBS("ask", "Ask a question about number or suit.", verify_ask, QuestionPart())
def apply_ask(state: MissingState, event: Event) -> MissingState:
    """Puts the question and shows its set beside the asker's words."""
    question: Question = event.args[0]
    count = len(question.cards)
    one = N_("Yes to “{text}” is true of {count} card: {cards}.")
    several = N_("Yes to “{text}” is true of {count} cards: {cards}.")
    return say(
        _ask(state, event, question.asked, question),
        one if count == 1 else several,
        text=question.asked,
        count=count,
        cards=set_text(question),
    )


@VERBS("ask cryptic", "Ask a question in any wording.", verify_cryptic, QuotedPart())
def apply_cryptic(state: MissingState, event: Event) -> MissingState:
    """Puts a question whose set nobody but its asker knows."""
    return _ask(state, event, event.args[0], None)


def _ask(state: MissingState, event: Event, text: str, question: Question | None) -> MissingState:
    seat = event.actor
    asked = Asked(seat, event.n, text, question)
    state = evolve(state, asked=asked, questions=state.questions + 1, may_draw=False)
    return say(state, "{name} asks {name2}: {text}", name=seat, name2=1 - seat, text=text)


@lru_cache(maxsize=1024)
def set_text(question: Question) -> str:
    """A set of cards by suits, as it is shown before it is asked.

    >>> from companion.games.missing_persons.questions.grammar import parse_question
    >>> set_text(parse_question("red royal?"))
    'J Q K of Hearts and Diamonds'
    """
    if not question.cards:
        return N_("none")
    if len(question.cards) == len(CARDS):
        return N_("all but the jokers")
    groups: dict[tuple[int, ...], list[str]] = {}
    for letter, name in SUITS.items():
        ranks = tuple(sorted(c.rank for c in question.cards if c.suit == letter and c.rank))
        if ranks:
            groups.setdefault(ranks, []).append(name)
    parts = []
    for ranks, names in groups.items():
        suits = N_("every suit") if len(names) == len(SUITS) else _listed(names)
        if len(ranks) == len(RANKS):
            parts.append(phrase("all {suits}", suits=suits))
        else:
            cards = " ".join(RANKS[rank - 1] for rank in ranks)
            parts.append(phrase("{cards} of {suits}", cards=cards, suits=suits))
    return joined("; ", parts)


def _listed(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    return phrase("{name} and {name2}", name=joined(", ", names[:-1]), name2=names[-1])


# -- sketches ----------------------------------------------------------------------------------


def verify_sketch(state: MissingState, event: Event) -> None:
    """Notes what a cryptic answer ruled out."""
    answered = any(r.asked.seat == event.seat and r.asked.question is None for r in state.replies)
    if not answered:
        raise IllegalError("A sketch notes what the answer to a cryptic question rules out.")


@VERBS(
    "sketch",
    "Note in private what a cryptic answer rules out.",
    verify_sketch,
    CardsPart(),
    secrecy=Secrecy.PRIVATE,
    announced=False,
)
def apply_sketch(state: MissingState, event: Event) -> MissingState:
    """Keeps the note for its owner."""
    if event.hidden:
        return state
    sketch = Sketch(event.actor, event.args[0], event.n)
    return evolve(state, sketches=(*state.sketches, sketch))


# -- answering ---------------------------------------------------------------------------------


def _reply(asked: Asked, event: Event) -> Reply:
    return Reply(asked, event.n, event.verb == "yes")


def verify_answer(state: MissingState, event: Event) -> None:
    """The one who was asked answers at once."""
    seat = event.actor
    if state.asked is None:
        raise IllegalError("No question waits for an answer.")
    if seat == state.asked.seat:
        raise state.illegal("{name} answers this question.", name=1 - seat)
    require_person(state, seat)
    hand = state.hands[seat]
    if hand is not None:
        refuse_false(state, seat, truthful=_reply(state.asked, event).is_true_of(hand[0]))


@VERBS("no", phrase("Answer {word} to the question.", word="No"), verify_answer)
@VERBS("yes", phrase("Answer {word} to the question.", word="Yes"), verify_answer)
def apply_answer(state: MissingState, event: Event) -> MissingState:
    """A Yes lets the asker draw and go on, a No passes the turn."""
    asked, seat = state.asked, event.actor
    assert asked is not None
    reply = _reply(asked, event)
    state = evolve(state, asked=None, replies=(*state.replies, reply), may_draw=reply.yes)
    state = say(state, "{name}: {answer}.", name=seat, answer=yes_no(reply.yes))
    state = check_answers(state, seat, event.n)
    state = check_consistent(state, seat, event.n)
    return state if reply.yes else end_turn(state)


def end_turn(state: MissingState) -> MissingState:
    """Passes the turn; with an empty pile everybody has to guess now."""
    assert state.table.to_move is not None
    to_move = 1 - state.table.to_move
    state = evolve(state, questions=0, may_draw=False, forced=not state.pile)
    state = move_to(state, to_move)
    if state.forced:
        return say(state, "The pile is empty: both guess now, {name} first.", name=to_move)
    return say(state, "{name}'s turn.", name=to_move)


# -- turning over ------------------------------------------------------------------------------


def _spots_of(
    spots: tuple[Spot, ...], cards: Iterable[Card], *, up: bool
) -> tuple[list[int], Card | None]:
    """The places of cards that lie face up (or turned over), and the first that lies nowhere."""
    found: list[int] = []
    for card in cards:
        free = [i for i, spot in enumerate(spots) if spot.up is up and i not in found]
        exact = [i for i in free if spots[i].card is card]
        fitting = exact or [i for i in free if spots[i].card.matches(card)]
        if not fitting:
            return found, card
        found.append(fitting[0])
    return found, None


def verify_turn(state: MissingState, event: Event) -> None:
    """Any of one's own suspects, at any time: a note to oneself, taken back until it is covered."""
    up = event.verb == "turn"
    require_deal(state)
    _, missing = _spots_of(state.displays[event.actor], event.args[0], up=up)
    if missing is not None:
        shown, over = (
            N_("{name} has no {missing} that lies face up."),
            N_("{name} has no {missing} that lies turned over."),
        )
        raise state.illegal(shown if up else over, name=event.actor, missing=missing)


@VERBS("unturn", "Turn suspects up again.", verify_turn, CardsPart())
@VERBS("turn", "Turn over suspects.", verify_turn, CardsPart())
def apply_turn(state: MissingState, event: Event) -> MissingState:
    """Turns suspects over, or up again."""
    seat, over = event.actor, event.verb == "turn"
    spots = list(state.displays[seat])
    for index in _spots_of(state.displays[seat], event.args[0], up=over)[0]:
        spots[index] = evolve(spots[index], up=not over)
    state = evolve(state, displays=put(state.displays, seat, tuple(spots)))
    count = len(event.args[0])
    one, several = N_("{name} turns over {count} card."), N_("{name} turns over {count} cards.")
    if not over:
        one, several = (
            N_("{name} turns up again {count} card."),
            N_("{name} turns up again {count} cards."),
        )
    return say(state, one if count == 1 else several, name=seat, count=count)


# -- drawing -----------------------------------------------------------------------------------


def verify_draw(state: MissingState, event: Event) -> None:
    """After a Yes, once, onto turned-over places: all of them, or one (option `draw`)."""
    seat = event.actor
    require_deal(state)
    require_nothing_waits(state)
    require_turn(state, seat)
    count = state.to_draw(seat)
    if not state.may_draw:
        raise IllegalError("Cards are drawn once for each Yes, before the next question.")
    if not state.turned(seat):
        raise state.illegal("{name} has no turned-over place to draw onto.", name=seat)
    if not count:
        raise IllegalError("The pile is empty.")
    one = state.setup.options["draw"] == "one"
    if one != (len(event.args) == 2):
        raise IllegalError(
            "Here it is written: draw CARD on CARD (option draw: one)."
            if one
            else "Here it is written: draw CARDS (option draw: all)."
        )
    if one:
        place = event.args[1]
        if _spots_of(state.displays[seat], (place,), up=False)[1] is not None:
            raise state.illegal(
                "{name} has no {args} that lies turned over.", name=seat, args=place
            )
        return
    given = len(event.args[0])
    if given != count:
        raise state.illegal(
            "Places turned over: {count}; the pile holds {cards}: {name} draws "
            "{count2}, not {given} (write ?? for unread ones).",
            count=len(state.turned(seat)),
            cards=number_of_cards(state.pile),
            name=seat,
            count2=count,
            given=given,
        )


@VERBS(
    "draw",
    "Draw from the pile onto turned-over places after a Yes.",
    verify_draw,
    forms=((CardPart(), Literal("on"), CardPart()), (CardsPart(),)),
)
def apply_draw(state: MissingState, event: Event) -> MissingState:
    """Covers turned-over places, in their order."""
    seat = event.actor
    spots = list(state.displays[seat])
    cards, places = event.args[0], list(state.turned(seat))
    if len(event.args) == 2:
        cards, places = (cards,), _spots_of(state.displays[seat], (event.args[1],), up=False)[0]
    for card, index in zip(cards, places, strict=False):
        spots[index] = Spot(card, up=True, under=(*spots[index].under, spots[index].card))
    state = record(state, cards, display_zone(seat), event.n)
    drawn, displays = state.drawn + len(cards), put(state.displays, seat, tuple(spots))
    state = evolve(state, displays=displays, drawn=drawn, may_draw=False)
    count = len(cards)
    one = N_("{name} draws {count} card; {pile} left in the pile.")
    several = N_("{name} draws {count} cards; {pile} left in the pile.")
    return say(state, one if count == 1 else several, name=seat, count=count, pile=state.pile)


# -- the end of a turn --------------------------------------------------------------------------


def verify_done(state: MissingState, event: Event) -> None:
    """A turn has at least one question before it is ended."""
    _verify_turn(state, event)
    if not state.questions:
        raise IllegalError("A turn has at least one question before it is ended.")


@VERBS("done", "End the turn after a Yes.", verify_done)
def apply_done(state: MissingState, event: Event) -> MissingState:
    """Ends the turn after a Yes."""
    return end_turn(state)
