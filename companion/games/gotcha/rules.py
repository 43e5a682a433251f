"""What may happen in Gotcha, what it does, and how a match ends."""

from __future__ import annotations

from companion.cards import RANKS, Card, of_rank
from companion.core.events import Event
from companion.core.game import require_hand, require_turn
from companion.core.state import (
    FindingKind,
    evolve,
    find,
    hand_zone,
    move_to,
    owned_zone,
    put,
    record,
    say,
    take,
)
from companion.core.syntax import (
    CardPart,
    CardsPart,
    ChoicePart,
    Form,
    Literal,
    NumberPart,
    PlayerPart,
    RankPart,
)
from companion.core.verb import Secrecy, VerbTable
from companion.errors import IllegalError
from companion.games.gotcha import audit
from companion.games.gotcha.scoring import finish, points_for, told_points
from companion.games.gotcha.state import ASIDE, PILE, GotchaState, Guess
from companion.phrases import N_, number_of_cards, phrase

_GUESS: Form = (
    PlayerPart("OTHER"),
    ChoicePart(("smallest", "biggest")),
    NumberPart(1, 52, "X"),
    Literal("is"),
    RankPart(),
)

VERBS = VerbTable[GotchaState]()


# -- cards ---------------------------------------------------------------------------------------


def verify_card(card: Card) -> None:
    """Refuses jokers."""
    if card.is_joker:
        raise IllegalError("Gotcha is played without jokers.")


def require_ready(state: GotchaState, seat: int) -> None:
    """Refuses to go on until a trusting player's hand and discards are recorded.

    Raises:
        IllegalError: names what is missing.
    """
    require_hand(state, seat)
    if state.discarded and state.setup.trusted[seat] and not state.aside_events[seat]:
        raise state.illegal(
            "{name} trusts the referee: record “{name}*: discard CARDS” first.", name=seat
        )


def on_hand(state: GotchaState, event: Event) -> GotchaState:
    """A hand was recorded: takes out what has already left it, and compares it with the answers."""
    if event.hidden:
        return state
    seat, n = event.actor, event.n
    aside, text = state.aside[seat] or (), N_("{name} discarded {card} ({aside_events})")
    state = audit.remove(state, seat, aside, n, text, aside_events=state.aside_events[seat])
    text = N_("{name} showed {card} ({answer})")
    for guess in state.guesses:
        if guess.of == seat and guess.card is not None:
            state = audit.remove(state, seat, (guess.card,), n, text, answer=guess.answer)
    return _compare(state, seat, n, state.phrase("{name}'s recorded hand ({n})", name=seat, n=n))


def _compare(state: GotchaState, seat: int, n: int, source: str) -> GotchaState:
    """Audits the answers about a hand once more of it is known."""
    state = audit.audit_hand(state, seat, n, source)
    return audit.check_cards(state, n, source)


def verify_discard(state: GotchaState, event: Event) -> None:
    """As many cards as the deal says are discarded, once; a trusting player's are in the hand."""
    seat, cards = event.actor, event.args[0]
    if not state.discarded:
        raise state.illegal("With deal {dealt} nobody discards.", dealt=state.dealt)
    if state.aside_events[seat]:
        raise state.illegal(
            "{name}'s discards are recorded already; correct that event instead.", name=seat
        )
    if len(cards) != state.discarded:
        raise state.illegal(
            "{name} discards {cards}, not {count} (write ?? for unread ones).",
            name=seat,
            cards=number_of_cards(state.discarded),
            count=len(cards),
        )
    for card in cards:
        verify_card(card)
    require_hand(state, seat)
    if not state.setup.trusted[seat]:
        return
    held = state.held[seat]
    for card in cards:
        held = take(held, card) if held is not None else None
        if held is None:
            raise state.illegal("{card} is not in {name}'s recorded hand.", card=card, name=seat)


@VERBS(
    "discard",
    "Record what a player discards unseen before play.",
    verify_discard,
    CardsPart(),
    secrecy=Secrecy.PRIVATE,
)
def apply_discard(state: GotchaState, event: Event) -> GotchaState:
    """Lays the discards aside, unseen by others."""
    seat, n = event.actor, event.n
    state = evolve(state, aside_events=put(state.aside_events, seat, n))
    state = say(
        state, "{name} has discarded {cards}.", name=seat, cards=number_of_cards(state.discarded)
    )
    if event.hidden:
        return state
    cards = event.args[0]
    state = record(state, cards, owned_zone(ASIDE, seat), n, come_from=(hand_zone(seat),))
    state = evolve(state, aside=put(state.aside, seat, cards))
    state = audit.remove(state, seat, cards, n, N_("{name} discards {card} ({n})"), n=n)
    return _compare(state, seat, n, state.phrase("{name}'s discards ({n})", name=seat, n=n))


def verify_reveal(state: GotchaState, event: Event) -> None:
    """No more cards can be turned up than the hand has left."""
    seat, cards = event.actor, event.args[0]
    left = state.left(seat)
    if not state.has_discarded(seat):
        raise state.illegal("{name} discards first: hands are turned up after that.", name=seat)
    if len(cards) > left:
        text = N_("{name} holds {cards}, not {count}.")
        raise state.illegal(text, name=seat, cards=number_of_cards(left), count=len(cards))
    for card in cards:
        verify_card(card)


def on_reveal(state: GotchaState, event: Event) -> GotchaState:
    """A hand, or a part of it, was turned up: compares it with everything said about it."""
    if event.hidden:
        return state
    seat, cards, n = event.actor, event.args[0], event.n
    held = state.held[seat]
    state = audit.remove(state, seat, cards, n, N_("{name} turns up {card} ({n})"), n=n)
    whole = len(cards) == state.left(seat) and all(card.rank is not None for card in cards)
    if not whole:
        return evolve(state, held=put(state.held, seat, held))
    turned = put(state.turned, seat, n)
    state = evolve(state, held=put(state.held, seat, cards), turned=turned, witness=None)
    return audit.audit_hand(state, seat, n, phrase("the hand turned up ({n})", n=n))


# -- guesses and answers -------------------------------------------------------------------------


def verify_guess(state: GotchaState, event: Event) -> None:
    """The player to move guesses an opponent's card, once the last guess is answered."""
    other, _, x, _ = event.args
    require_turn(state, event.actor)
    if state.pending is not None:
        raise state.illegal(
            "{name} has yet to answer: right CARD, or wrong.", name=state.pending.of
        )
    if other == event.actor:
        raise IllegalError("Guess an opponent's card, not your own.")
    left = state.left(other)
    if not 1 <= x <= left:
        text = N_("{name} has {cards} left: x is from 1 to {left}.")
        raise state.illegal(text, name=other, cards=number_of_cards(left), left=left)
    require_ready(state, event.actor)


def verify_gotcha(state: GotchaState, event: Event) -> None:
    """As a guess, and not on an end card unless the option allows it."""
    verify_guess(state, event)
    other, _, x, _ = event.args
    if x in (1, state.left(other)) and not state.setup.is_on("gotcha_on_ends"):
        raise IllegalError("Gotcha is not called on the smallest or the biggest card.")


@VERBS(
    "gotcha",
    "Guess and call Gotcha: win one more point, or lose the card's distance from its end.",
    verify_gotcha,
    *_GUESS,
)
@VERBS(
    "guess",
    "Guess one card of an opponent by its place in the ascending hand.",
    verify_guess,
    *_GUESS,
)
def apply_guess(state: GotchaState, event: Event) -> GotchaState:
    """Notes the guess; it waits for its answer."""
    other, end, x, rank = event.args
    seat, size = event.actor, state.left(other)
    smallest = end == "smallest"
    gone = state.gone(other)
    places = [p for p in range(1, state.kept + 1) if p not in gone]
    guess = Guess(
        n=event.n,
        by=seat,
        of=other,
        x=x,
        smallest=smallest,
        rank=rank,
        called=event.verb == "gotcha",
        size=size,
        position=places[x - 1] if smallest else places[-x],
    )
    return say(
        evolve(state, guesses=(*state.guesses, guess)),
        "Gotcha! {name} guesses that {name2}'s {words} (of {size})."
        if guess.called
        else "{name} guesses that {name2}'s {words} (of {size}).",
        name=seat,
        name2=other,
        words=guess.words,
        size=size,
    )


def _require_asked(state: GotchaState, event: Event) -> Guess:
    """The guess that the event's seat has to answer.

    Raises:
        IllegalError: there is none.
    """
    guess = state.pending
    if guess is None:
        raise IllegalError("There is no guess to answer.")
    if guess.of != event.seat:
        raise state.illegal("The guess is about {name}'s card.", name=guess.of)
    require_ready(state, guess.of)
    return guess


def verify_right(state: GotchaState, event: Event) -> None:
    """The card shown has the rank guessed; a trusting player's answer is true."""
    guess = _require_asked(state, event)
    card = event.args[0] if event.args else of_rank(guess.rank)
    verify_card(card)
    if card.rank != guess.rank:
        text = N_("The guess was {rank_text}: a right answer shows a card of that rank.")
        raise state.illegal(text, rank_text=guess.rank_text)
    seat = guess.of
    if not state.setup.trusted[seat]:
        return
    if audit.true_rank(state, guess) not in (None, guess.rank):
        text = N_("{name}'s recorded hand has another card there: the answer is “wrong”.")
        raise state.illegal(text, name=seat)
    held = state.held[seat]
    if held is not None and (take(held, card) is None or not audit.is_dealt(state, seat, card)):
        text = N_("{name}'s recorded hand has no {card}: show a card that is there.")
        raise state.illegal(text, name=seat, card=card)


def verify_wrong(state: GotchaState, event: Event) -> None:
    """A trusting player's answer is true."""
    guess = _require_asked(state, event)
    if state.setup.trusted[guess.of] and audit.true_rank(state, guess) == guess.rank:
        text = N_("{name}'s recorded hand has {rank_text} there: the answer is “right CARD”.")
        raise state.illegal(text, name=guess.of, rank_text=guess.rank_text)


@VERBS("wrong", "The guess is wrong.", verify_wrong)
@VERBS(
    "right",
    "The guess is right: show and discard the card.",
    verify_right,
    forms=((CardPart(),), ()),
)
def apply_answer(state: GotchaState, event: Event) -> GotchaState:
    """Scores the guess, discards the card if it was right, and moves the turn on."""
    pending = state.pending
    assert pending is not None
    right = event.verb == "right"
    card = (event.args[0] if event.args else of_rank(pending.rank)) if right else None
    guess = evolve(pending, answer=event.n, right=right, card=card)
    points = points_for(guess)
    guess = evolve(guess, points=points)
    state = _check_truth(state, guess)
    last = state.guesses[-1]
    guess = evolve(guess, doubted=last.doubted, false=last.false)
    state = evolve(state, guesses=(*state.guesses[:-1], guess))
    if card is not None:
        known = len(state.findings)
        state = _discard_guessed(state, guess, card)
        if len(state.findings) > known:  # one finding per card: the answer is not judged again
            state = _doubt_last(state)
        state = say(state, "Right: {name}'s {words}.", name=guess.of, words=guess.words)
    else:
        text = N_("Wrong: {name}'s {place} is not {one}.")
        state = say(state, text, name=guess.of, place=guess.place, one=guess.one_of_rank)
    state = audit.check_answer(state, event.n)
    if right and not state.left(guess.of):
        source = phrase("the cards shown ({n})", n=event.n)
        state = audit.audit_hand(state, guess.of, event.n, source)
    if points:
        state = evolve(state, remarks=(*state.remarks, told_points(state, guess)))
    return _go_on(_add_points(state, guess.by, points), guess)


def _check_truth(state: GotchaState, guess: Guess) -> GotchaState:
    """Compares an answer with the hand, if the fold knows it; a false one is doubted."""
    truth = audit.true_rank(state, guess)
    if truth is None or (truth == guess.rank) == guess.right:
        return state
    state = find(
        state,
        guess.answer,
        FindingKind.FALSE_ANSWER,
        "{name} says {said} ({answer}) to “{words}” ({n}); {name}'s recorded hand "
        "({n2}) has {rank} there.",
        name=guess.of,
        said=guess.said,
        answer=guess.answer,
        words=guess.words,
        n=guess.n,
        n2=state.turned[guess.of] or state.hand_events[guess.of],
        rank=RANKS[truth - 1],
    )
    return _doubt_last(state, false=True)


def _doubt_last(state: GotchaState, *, false: bool = False) -> GotchaState:
    """Nothing is concluded from the last answer any more."""
    last = state.guesses[-1]
    last = evolve(last, doubted=True, false=last.false or false)
    return evolve(state, guesses=(*state.guesses[:-1], last))


def _discard_guessed(state: GotchaState, guess: Guess, card: Card) -> GotchaState:
    """Lays a guessed card face up."""
    seat, n = guess.of, guess.answer
    state = record(state, (card,), PILE, n, come_from=(hand_zone(seat),))
    return audit.remove(state, seat, (card,), n, N_("{name} shows {card} ({answer})"), answer=n)


def _add_points(state: GotchaState, seat: int, points: int) -> GotchaState:
    if not points:
        return state
    scores = put(state.table.scores, seat, state.table.scores[seat] + points)
    return evolve(
        state,
        points=put(state.points, seat, state.points[seat] + points),
        table=evolve(state.table, scores=scores),
    )


def _go_on(state: GotchaState, guess: Guess) -> GotchaState:
    """Who guesses next: the same after a right guess; else the anticlockwise neighbour."""
    count = len(state.setup.players)
    emptied = guess.right and not state.left(guess.of)
    if emptied and count == 2 and state.finisher is None:
        text = N_("{name} has guessed all of {name2}'s cards: {name2} has one more round.")
        state = move_to(evolve(state, finisher=guess.by), guess.of)
        return say(state, text, name=guess.by, name2=guess.of)
    if emptied or (not guess.right and state.finisher is not None):
        return finish(state, _why_over(state, guess))
    if guess.right:
        return state
    return move_to(state, (guess.by - 1) % count)


def _why_over(state: GotchaState, guess: Guess) -> str:
    if state.finisher is None:
        return state.phrase("{name} has no card left: the game stops.", name=guess.of)
    all_right, wrong = (
        N_("{name} guessed all cards too."),
        N_("{name} guessed wrong in the last round."),
    )
    return state.phrase(all_right if guess.right else wrong, name=guess.by)
