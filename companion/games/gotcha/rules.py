"""What may happen in Gotcha, what it does, and how a match ends."""

from __future__ import annotations

from companion.cards import RANKS, Card, of_rank
from companion.errors import IllegalError
from companion.events import Event
from companion.game import require_hand, require_turn
from companion.games.gotcha import checks
from companion.games.gotcha.ends import finish
from companion.games.gotcha.state import ASIDE, PILE, GotchaState, Guess
from companion.state import (
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
        raise IllegalError(f"{name} trusts the referee: record “{name}*: discard CARDS” first.")


def on_hand(state: GotchaState, event: Event) -> GotchaState:
    """A hand was recorded: takes out what has left it already, compares it with the answers."""
    seat = event.seat
    assert seat is not None
    state = evolve(state, hand_events=put(state.hand_events, seat, event.n))
    if event.hidden:
        return state
    name = state.setup.players[seat]
    if state.aside[seat] is not None:
        words = f"{name} discarded {{card}} ({state.aside_events[seat]})"
        state = checks.remove(state, seat, state.aside[seat] or (), event.n, words)
    shown = [g for g in state.guesses if g.of == seat and g.card is not None]
    for guess in shown:
        assert guess.card is not None
        words = f"{name} showed {{card}} ({guess.answer})"
        state = checks.remove(state, seat, (guess.card,), event.n, words)
    return _compare(state, seat, event.n, f"{name}'s recorded hand ({event.n})")


def _compare(state: GotchaState, seat: int, n: int, source: str) -> GotchaState:
    """Audits the answers about a hand of which more is known now."""
    state = checks.audit_hand(state, seat, n, source)
    return checks.check_cards(state, n, source)


def verify_discard(state: GotchaState, event: Event) -> None:
    """As many cards as the deal says, once; a trusting player's from the recorded hand."""
    seat, cards = event.seat, event.args[0]
    assert seat is not None
    name = state.setup.players[seat]
    if not state.discarded:
        raise IllegalError(f"With deal {state.dealt} nobody discards.")
    if state.aside_events[seat]:
        raise IllegalError(f"{name}'s discards are recorded already; correct that event instead.")
    if len(cards) != state.discarded:
        raise IllegalError(
            f"{name} discards {state.discarded} cards, not {len(cards)} (write ?? for unread ones)."
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
            raise IllegalError(f"{card.code} is not in {name}'s recorded hand.")


def apply_discard(state: GotchaState, event: Event) -> GotchaState:
    """Lays the discards aside, unseen by others."""
    seat = event.seat
    assert seat is not None
    name = state.setup.players[seat]
    state = evolve(state, aside_events=put(state.aside_events, seat, event.n))
    cards_word = "card" if state.discarded == 1 else "cards"
    state = say(state, f"{name} has discarded {state.discarded} {cards_word}.")
    if event.hidden:
        return state
    cards = event.args[0]
    zone = owned_zone(ASIDE, seat)
    state = record(state, cards, zone, event.n, come_from=(hand_zone(seat),))
    state = evolve(state, aside=put(state.aside, seat, cards))
    state = checks.remove(state, seat, cards, event.n, f"{name} discards {{card}} ({event.n})")
    return _compare(state, seat, event.n, f"{name}'s discards ({event.n})")


def verify_reveal(state: GotchaState, event: Event) -> None:
    """At most the cards that are left can be turned up."""
    seat, cards = event.seat, event.args[0]
    assert seat is not None
    left = state.left(seat)
    if not state.has_discarded(seat):
        name = state.setup.players[seat]
        raise IllegalError(f"{name} discards first: hands are turned up after that.")
    if len(cards) > left:
        raise IllegalError(f"{state.setup.players[seat]} holds {left} cards, not {len(cards)}.")
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
    state = checks.remove(state, seat, cards, event.n, f"{name} turns up {{card}} ({event.n})")
    whole = len(cards) == state.left(seat) and all(card.rank is not None for card in cards)
    if not whole:
        return evolve(state, held=put(state.held, seat, held))
    state = evolve(
        state,
        held=put(state.held, seat, cards),
        turned=put(state.turned, seat, event.n),
        witness=None,
    )
    return checks.audit_hand(state, seat, event.n, f"the hand turned up ({event.n})")


# -- guesses and answers -------------------------------------------------------------------------


def verify_guess(state: GotchaState, event: Event) -> None:
    """One opponent's card, by the one whose turn it is, when the last guess is answered."""
    other, _, x, _ = event.args
    names = state.setup.players
    require_turn(state, event.seat)
    if state.pending is not None:
        raise IllegalError(f"{names[state.pending.of]} has yet to answer: right CARD, or wrong.")
    if other == event.seat:
        raise IllegalError("Guess an opponent's card, not your own.")
    left = state.left(other)
    if not 1 <= x <= left:
        raise IllegalError(f"{names[other]} has {left} cards left: x is from 1 to {left}.")
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
    text = f"{call}{names[seat]} guesses that {names[other]}'s {guess.words} (of {size})."
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
        raise IllegalError(f"The guess is about {state.setup.players[guess.of]}'s card.")
    require_ready(state, guess.of)
    return guess


def verify_right(state: GotchaState, event: Event) -> None:
    """The card shown has the rank guessed; a trusting player's answer is true."""
    guess = _require_asked(state, event)
    card = event.args[0] if event.args else of_rank(guess.rank)
    verify_card(card)
    if card.rank != guess.rank:
        raise IllegalError(
            f"The guess was {guess.rank_text}: a right answer shows a card of that rank."
        )
    if not state.setup.trusted[guess.of]:
        return
    name = state.setup.players[guess.of]
    truth = checks.true_rank(state, guess)
    if truth is not None and truth != guess.rank:
        raise IllegalError(f"{name}'s recorded hand has another card there: the answer is “wrong”.")
    held = state.held[guess.of]
    if held is not None and take(held, card) is None:
        raise IllegalError(f"{name}'s recorded hand has no {card.code}: show a card that is there.")


def verify_wrong(state: GotchaState, event: Event) -> None:
    """A trusting player's answer is true."""
    guess = _require_asked(state, event)
    if state.setup.trusted[guess.of] and checks.true_rank(state, guess) == guess.rank:
        name = state.setup.players[guess.of]
        raise IllegalError(
            f"{name}'s recorded hand has {guess.rank_text} there: the answer is “right CARD”."
        )


def points_for(guess: Guess) -> tuple[int, str]:
    """What an answered guess scores, and how that comes about.

    Right: 3 + min(x, N+1-x), one more with a Gotcha; with a Gotcha on an end card (an option) one
    less instead. Wrong: nothing, with a Gotcha -min(x, N+1-x).
    """
    depth = guess.depth
    smaller = f"min({guess.x}, {guess.size + 1 - guess.x})"
    if not guess.right:
        return (-depth, f"{smaller} = {depth} (Gotcha)") if guess.called else (0, "0")
    if not guess.called:
        return BASE_POINTS + depth, f"{BASE_POINTS} + {smaller} = {BASE_POINTS + depth}"
    if depth == 1:
        total = BASE_POINTS + depth - 1
        return total, f"{BASE_POINTS} + {smaller} − 1 = {total} (Gotcha on an end card)"
    total = BASE_POINTS + depth + 1
    return total, f"{BASE_POINTS} + {smaller} + 1 = {total} (Gotcha)"


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
        state = say(state, f"Right: {names[guess.of]}'s {guess.words}.")
    else:
        state = say(state, f"Wrong: {names[guess.of]}'s {guess.place} is no {guess.rank_text}.")
    state = checks.check_answer(state, event.n)
    if right and not state.left(guess.of):
        state = checks.audit_hand(state, guess.of, event.n, f"the cards shown ({event.n})")
    if points:
        verb = "scores" if points > 0 else "loses"
        state = say(state, f"{names[guess.by]} {verb} {sum_text}.")
    return _go_on(_add_points(state, guess.by, points), guess)


def _check_truth(state: GotchaState, guess: Guess) -> GotchaState:
    """Compares an answer with the hand, where the fold knows it; a false one is doubted."""
    truth = checks.true_rank(state, guess)
    if truth is None or (truth == guess.rank) == guess.right:
        return state
    name = state.setup.players[guess.of]
    said = "right" if guess.right else "wrong"
    n = state.turned[guess.of] or state.hand_events[guess.of]
    message = (
        f"{name} says {said} ({guess.answer}) to “{guess.words}” ({guess.n}); {name}'s recorded "
        f"hand ({n}) has {RANKS[truth - 1]} there."
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
    return checks.remove(
        state, guess.of, (card,), guess.answer, f"{name} shows {{card}} ({guess.answer})"
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
        text = (
            f"{names[guess.by]} has guessed all of {names[guess.of]}'s cards: "
            f"{names[guess.of]} has one more round."
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
        end = "guessed all cards too" if guess.right else "guessed wrong in the last round"
        return f"{names[guess.by]} {end}."
    return f"{names[guess.of]} has no card left: the game stops."
