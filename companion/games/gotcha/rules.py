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
    owned_zone,
    put,
    record,
    say,
    take,
)
from companion.errors import IllegalError
from companion.games.gotcha import audit
from companion.games.gotcha.scoring import finish
from companion.games.gotcha.state import ASIDE, PILE, GotchaState, Guess
from companion.phrases import joined, number_of_cards, phrase

BASE_POINTS = 3


# -- cards ---------------------------------------------------------------------------------------


def verify_card(card: Card) -> None:
    """Refuses jokers."""
    if card.is_joker:
        raise IllegalError("Gotcha is played without jokers.")


def require_ready(state: GotchaState, seat: int) -> None:
    """Refuses to go on before a trusting player's hand and discards are recorded.

    Raises:
        IllegalError: names what is missing.
    """
    require_hand(state, seat)
    if state.discarded and state.setup.trusted[seat] and not state.aside_events[seat]:
        name = state.setup.players[seat]
        raise IllegalError(
            phrase("{name} trusts the referee: record “{name}*: discard CARDS” first.", name=name)
        )


def on_hand(state: GotchaState, event: Event) -> GotchaState:
    """A hand was recorded: takes out what has left it already, compares it with the answers."""
    seat = event.seat
    assert seat is not None
    state = evolve(state, hand_events=put(state.hand_events, seat, event.n))
    if event.hidden:
        return state
    name = state.setup.players[seat]
    if state.aside[seat] is not None:
        words = phrase(
            "{name} discarded {{card}} ({aside_events})",
            name=name,
            aside_events=state.aside_events[seat],
        )
        state = audit.remove(state, seat, state.aside[seat] or (), event.n, words)
    shown = [g for g in state.guesses if g.of == seat and g.card is not None]
    for guess in shown:
        assert guess.card is not None
        words = phrase("{name} showed {{card}} ({answer})", name=name, answer=guess.answer)
        state = audit.remove(state, seat, (guess.card,), event.n, words)
    return _compare(
        state, seat, event.n, phrase("{name}'s recorded hand ({n})", name=name, n=event.n)
    )


def _compare(state: GotchaState, seat: int, n: int, source: str) -> GotchaState:
    """Audits the answers about a hand once more of it is known."""
    state = audit.audit_hand(state, seat, n, source)
    return audit.check_cards(state, n, source)


def verify_discard(state: GotchaState, event: Event) -> None:
    """As many cards as the deal says, once; a trusting player's from the recorded hand."""
    seat, cards = event.seat, event.args[0]
    assert seat is not None
    name = state.setup.players[seat]
    if not state.discarded:
        raise IllegalError(phrase("With deal {dealt} nobody discards.", dealt=state.dealt))
    if state.aside_events[seat]:
        raise IllegalError(
            phrase("{name}'s discards are recorded already; correct that event instead.", name=name)
        )
    if len(cards) != state.discarded:
        raise IllegalError(
            phrase(
                "{name} discards {cards}, not {count} (write ?? for unread ones).",
                name=name,
                cards=number_of_cards(state.discarded),
                count=len(cards),
            )
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
            raise IllegalError(
                phrase("{card} is not in {name}'s recorded hand.", card=card.code, name=name)
            )


def apply_discard(state: GotchaState, event: Event) -> GotchaState:
    """Lays the discards aside, unseen by others."""
    seat = event.seat
    assert seat is not None
    name = state.setup.players[seat]
    state = evolve(state, aside_events=put(state.aside_events, seat, event.n))
    cards_word = "card" if state.discarded == 1 else "cards"
    state = say(
        state,
        phrase(
            "{name} has discarded {discarded} {cards_word}.",
            name=name,
            discarded=state.discarded,
            cards_word=cards_word,
        ),
    )
    if event.hidden:
        return state
    cards = event.args[0]
    zone = owned_zone(ASIDE, seat)
    state = record(state, cards, zone, event.n, come_from=(hand_zone(seat),))
    state = evolve(state, aside=put(state.aside, seat, cards))
    state = audit.remove(
        state, seat, cards, event.n, phrase("{name} discards {{card}} ({n})", name=name, n=event.n)
    )
    return _compare(state, seat, event.n, phrase("{name}'s discards ({n})", name=name, n=event.n))


def verify_reveal(state: GotchaState, event: Event) -> None:
    """At most the cards that are left can be turned up."""
    seat, cards = event.seat, event.args[0]
    assert seat is not None
    left = state.left(seat)
    if not state.has_discarded(seat):
        name = state.setup.players[seat]
        raise IllegalError(
            phrase("{name} discards first: hands are turned up after that.", name=name)
        )
    if len(cards) > left:
        raise IllegalError(
            phrase(
                "{name} holds {cards}, not {count}.",
                name=state.setup.players[seat],
                cards=number_of_cards(left),
                count=len(cards),
            )
        )
    for card in cards:
        verify_card(card)


def on_reveal(state: GotchaState, event: Event) -> GotchaState:
    """A hand, or a part of it, was turned up: compares it with everything said about it."""
    seat = event.seat
    if event.hidden or seat is None:
        return state
    cards = event.args[0]
    name = state.setup.players[seat]
    held = state.held[seat]
    state = audit.remove(
        state, seat, cards, event.n, phrase("{name} turns up {{card}} ({n})", name=name, n=event.n)
    )
    whole = len(cards) == state.left(seat) and all(card.rank is not None for card in cards)
    if not whole:
        return evolve(state, held=put(state.held, seat, held))
    state = evolve(
        state,
        held=put(state.held, seat, cards),
        turned=put(state.turned, seat, event.n),
        witness=None,
    )
    return audit.audit_hand(state, seat, event.n, phrase("the hand turned up ({n})", n=event.n))


# -- guesses and answers -------------------------------------------------------------------------


def verify_guess(state: GotchaState, event: Event) -> None:
    """One opponent's card, by the one whose turn it is, when the last guess is answered."""
    other, _, x, _ = event.args
    names = state.setup.players
    require_turn(state, event.seat)
    if state.pending is not None:
        raise IllegalError(
            phrase("{name} has yet to answer: right CARD, or wrong.", name=names[state.pending.of])
        )
    if other == event.seat:
        raise IllegalError("Guess an opponent's card, not your own.")
    left = state.left(other)
    if not 1 <= x <= left:
        raise IllegalError(
            phrase(
                "{name} has {cards} left: x is from 1 to {left}.",
                name=names[other],
                cards=number_of_cards(left),
                left=left,
            )
        )
    assert event.seat is not None
    require_ready(state, event.seat)


def verify_gotcha(state: GotchaState, event: Event) -> None:
    """As a guess, and not on an end card unless the option allows it."""
    verify_guess(state, event)
    other, _, x, _ = event.args
    if x in (1, state.left(other)) and not state.setup.is_on("gotcha_on_ends"):
        raise IllegalError(
            "Gotcha is not called on the smallest or the biggest card (option gotcha_on_ends)."
        )


def apply_guess(state: GotchaState, event: Event) -> GotchaState:
    """Notes the guess; it waits for its answer."""
    other, end, x, rank = event.args
    seat, size = event.seat, state.left(other)
    assert seat is not None
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
    names = state.setup.players
    call = "Gotcha! " if guess.called else ""
    text = phrase(
        "{call}{name} guesses that {name2}'s {words} (of {size}).",
        call=call,
        name=names[seat],
        name2=names[other],
        words=guess.words,
        size=size,
    )
    return say(evolve(state, guesses=(*state.guesses, guess)), text)


def _require_asked(state: GotchaState, event: Event) -> Guess:
    """The guess that the event's seat has to answer.

    Raises:
        IllegalError: there is none.
    """
    guess = state.pending
    if guess is None:
        raise IllegalError("There is no guess to answer.")
    if guess.of != event.seat:
        raise IllegalError(
            phrase("The guess is about {name}'s card.", name=state.setup.players[guess.of])
        )
    require_ready(state, guess.of)
    return guess


def verify_right(state: GotchaState, event: Event) -> None:
    """The card shown has the rank guessed; a trusting player's answer is true."""
    guess = _require_asked(state, event)
    card = event.args[0] if event.args else of_rank(guess.rank)
    verify_card(card)
    if card.rank != guess.rank:
        raise IllegalError(
            phrase(
                "The guess was {rank_text}: a right answer shows a card of that rank.",
                rank_text=guess.rank_text,
            )
        )
    if not state.setup.trusted[guess.of]:
        return
    seat, name = guess.of, state.setup.players[guess.of]
    truth = audit.true_rank(state, guess)
    if truth is not None and truth != guess.rank:
        raise IllegalError(
            phrase(
                "{name}'s recorded hand has another card there: the answer is “wrong”.", name=name
            )
        )
    held = state.held[guess.of]
    if held is not None and (take(held, card) is None or not audit.is_dealt(state, seat, card)):
        raise IllegalError(
            phrase(
                "{name}'s recorded hand has no {card}: show a card that is there.",
                name=name,
                card=card.code,
            )
        )


def verify_wrong(state: GotchaState, event: Event) -> None:
    """A trusting player's answer is true."""
    guess = _require_asked(state, event)
    if state.setup.trusted[guess.of] and audit.true_rank(state, guess) == guess.rank:
        name = state.setup.players[guess.of]
        raise IllegalError(
            phrase(
                "{name}'s recorded hand has {rank_text} there: the answer is “right CARD”.",
                name=name,
                rank_text=guess.rank_text,
            )
        )


def points_for(guess: Guess) -> tuple[int, str]:
    """What an answered guess scores, and how that comes about.

    Right: 3 + min(x, N+1-x), one more with a Gotcha; with a Gotcha on an end card (an option) one
    less instead. Wrong: nothing, with a Gotcha -min(x, N+1-x).
    """
    depth = guess.depth
    smaller = phrase("min({x}, {number})", x=guess.x, number=guess.size + 1 - guess.x)
    if not guess.right:
        return (
            (-depth, phrase("{smaller} = {depth} (Gotcha)", smaller=smaller, depth=depth))
            if guess.called
            else (0, "0")
        )
    if not guess.called:
        total = BASE_POINTS + depth
        return total, joined("", (f"{BASE_POINTS} + ", smaller, f" = {total}"))
    if depth == 1:
        total = BASE_POINTS + depth - 1
        return total, phrase(
            "{base} + {smaller} − 1 = {total} (Gotcha on an end card)",
            base=BASE_POINTS,
            smaller=smaller,
            total=total,
        )
    total = BASE_POINTS + depth + 1
    return total, phrase(
        "{base} + {smaller} + 1 = {total} (Gotcha)",
        base=BASE_POINTS,
        smaller=smaller,
        total=total,
    )


def apply_answer(state: GotchaState, event: Event) -> GotchaState:
    """Scores the guess, discards the card if it was right, and moves the turn on."""
    pending = state.pending
    assert pending is not None
    right = event.verb == "right"
    card = (event.args[0] if event.args else of_rank(pending.rank)) if right else None
    guess = evolve(pending, answer=event.n, right=right, card=card)
    points, sum_text = points_for(guess)
    guess = evolve(guess, points=points)
    state = _check_truth(state, guess)
    last = state.guesses[-1]
    guess = evolve(guess, doubted=last.doubted, false=last.false)
    state = evolve(state, guesses=(*state.guesses[:-1], guess))
    names = state.setup.players
    if card is not None:
        known = len(state.findings)
        state = _discard_guessed(state, guess, card)
        if len(state.findings) > known:  # one finding a card: the answer is not judged again
            state = _doubt_last(state)
        state = say(
            state, phrase("Right: {name}'s {words}.", name=names[guess.of], words=guess.words)
        )
    else:
        state = say(
            state,
            phrase(
                "Wrong: {name}'s {place} is no {rank_text}.",
                name=names[guess.of],
                place=guess.place,
                rank_text=guess.rank_text,
            ),
        )
    state = audit.check_answer(state, event.n)
    if right and not state.left(guess.of):
        state = audit.audit_hand(
            state, guess.of, event.n, phrase("the cards shown ({n})", n=event.n)
        )
    if points:
        text = "{name} scores {points}." if points > 0 else "{name} loses {points}."
        state = say(state, phrase(text, name=names[guess.by], points=sum_text))
    return _go_on(_add_points(state, guess.by, points), guess)


def _check_truth(state: GotchaState, guess: Guess) -> GotchaState:
    """Compares an answer with the hand, if the fold knows it; a false one is doubted."""
    truth = audit.true_rank(state, guess)
    if truth is None or (truth == guess.rank) == guess.right:
        return state
    name = state.setup.players[guess.of]
    said = "right" if guess.right else "wrong"
    n = state.turned[guess.of] or state.hand_events[guess.of]
    message = phrase(
        "{name} says {said} ({answer}) to “{words}” ({n}); {name}'s recorded hand "
        "({n2}) has {rank} there.",
        name=name,
        said=said,
        answer=guess.answer,
        words=guess.words,
        n=guess.n,
        n2=n,
        rank=RANKS[truth - 1],
    )
    return _doubt_last(find(state, guess.answer, FindingKind.FALSE_ANSWER, message), false=True)


def _doubt_last(state: GotchaState, *, false: bool = False) -> GotchaState:
    """Nothing is concluded from the last answer any more."""
    last = state.guesses[-1]
    last = evolve(last, doubted=True, false=last.false or false)
    return evolve(state, guesses=(*state.guesses[:-1], last))


def _discard_guessed(state: GotchaState, guess: Guess, card: Card) -> GotchaState:
    """Lays a guessed card face up."""
    state = record(state, (card,), PILE, guess.answer, come_from=(hand_zone(guess.of),))
    name = state.setup.players[guess.of]
    return audit.remove(
        state,
        guess.of,
        (card,),
        guess.answer,
        phrase("{name} shows {{card}} ({answer})", name=name, answer=guess.answer),
    )


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
    names = state.setup.players
    emptied = guess.right and not state.left(guess.of)
    if emptied and count == 2 and state.finisher is None:
        text = phrase(
            "{name} has guessed all of {name2}'s cards: {name2} has one more round.",
            name=names[guess.by],
            name2=names[guess.of],
        )
        table = evolve(state.table, to_move=guess.of)
        return say(evolve(state, finisher=guess.by, table=table), text)
    if emptied or (not guess.right and state.finisher is not None):
        return finish(state, _why_over(state, guess))
    if guess.right:
        return state
    return evolve(state, table=evolve(state.table, to_move=(guess.by - 1) % count))


def _why_over(state: GotchaState, guess: Guess) -> str:
    names = state.setup.players
    if state.finisher is not None:
        if guess.right:
            return phrase("{name} guessed all cards too.", name=names[guess.by])
        return phrase("{name} guessed wrong in the last round.", name=names[guess.by])
    return phrase("{name} has no card left: the game stops.", name=names[guess.of])
