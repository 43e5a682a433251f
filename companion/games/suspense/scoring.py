"""How a Suspense match ends: the secret card, the hands, the points."""

from __future__ import annotations

from companion.cards import Card, Family
from companion.core.events import Event
from companion.core.match import end_match
from companion.core.state import FindingKind, Shown, evolve, find, put, record, say
from companion.core.syntax import CardPart
from companion.core.verb import Secrecy, VerbTable, Who
from companion.errors import IllegalError
from companion.games.suspense.conditions import (
    Condition,
    ConditionResult,
    CountedIn,
    evaluate,
    match_points,
)
from companion.games.suspense.state import (
    SECRET,
    Look,
    Stage,
    SuspenseState,
    require_dealer,
)
from companion.phrases import N_, number_of_cards, phrase

VERBS = VerbTable[SuspenseState]()


def verify_secret(state: SuspenseState, event: Event) -> None:
    """Only the dealer may look; for all it is turned up when everybody has declared."""
    require_dealer(state)
    card = event.args[0]
    dealer = state.setup.players[state.table.starter]
    if not card.is_known:
        raise IllegalError("Say which card the secret is.")
    if event.is_public:
        if event.seat is not None:
            raise IllegalError("The secret card is turned up by nobody: table: secret CARD.")
        if state.table.match_over:
            raise IllegalError("The match is over: the secret card is known.")
        if state.stage is not Stage.REVEAL:
            raise IllegalError("The secret card is turned up when everybody has declared.")
        if state.secret is not None:
            raise IllegalError("The secret card is turned up already; correct that event.")
        return
    if event.seat != state.table.starter:
        text = N_("Only the dealer, {dealer}, may look at the secret card.")
        raise state.illegal(text, dealer=dealer)
    if state.table.match_over or state.secret is not None:
        raise IllegalError("The secret card lies open: there is nothing to look at in private.")
    if state.look is not None:
        raise state.illegal(
            "{dealer} has looked at the secret card already; correct that event.", dealer=dealer
        )


def _apply_look(state: SuspenseState, event: Event) -> SuspenseState:
    """The dealer looks at the secret card."""
    state = say(state, "{name} has looked at the secret card.", name=event.actor)
    if event.hidden:
        return evolve(state, look=Look(None, event.n))
    card = event.args[0]
    state = record(state, (card,), SECRET, event.n)
    return evolve(state, look=Look(card, event.n))


@VERBS(
    "secret",
    "The dealer looks at the secret card (NAME*), or it is turned up for all (table).",
    verify_secret,
    CardPart(Family.SUSPENSE),
    who=Who.ANY,
    secrecy=Secrecy.EITHER,
)
def apply_secret(state: SuspenseState, event: Event) -> SuspenseState:
    """The dealer's look, or the card turned up for all."""
    if not event.is_public:
        return _apply_look(state, event)
    card, look = event.args[0], state.look
    state = record(state, (card,), SECRET, event.n, come_from=(SECRET,))
    if look is not None and look.card is not None and look.card is not card:
        state = find(
            state,
            event.n,
            FindingKind.IMPOSSIBLE,
            "The secret card is {card} ({n}), but {dealer} looked at {card2} ({n2}).",
            card=card,
            n=event.n,
            dealer=state.setup.players[state.table.starter],
            card2=look.card,
            n2=look.n,
        )
    state = evolve(state, secret=card)
    text = N_("The secret card is {card}: “{condition}”.")
    return settle(say(state, text, card=card, condition=state.condition))


# -- hands -------------------------------------------------------------------------------------


def verify_reveal(state: SuspenseState, event: Event) -> None:
    """The whole hand that is left, after declaring; for the referee alone from folding on."""
    seat = event.actor
    require_dealer(state)
    cards, shown = event.args[0], state.shown[seat]
    over = state.table.match_over
    if event.is_public and state.stage is not Stage.REVEAL and not over:
        raise IllegalError("Hands stay hidden until everybody has declared.")
    playing = state.stage is Stage.PLAY and seat not in state.folded and not over
    if not event.is_public and playing:
        raise state.illegal("{name} may still play: hands are turned up at the end.", name=seat)
    if shown is not None and (not shown.private or not event.is_public):
        raise state.illegal("{name}'s hand is turned up already; correct that event.", name=seat)
    if len(cards) != state.left(seat):
        raise state.illegal(
            "{name} has {cards} left, not {count}.",
            name=seat,
            cards=number_of_cards(state.left(seat)),
            count=len(cards),
        )
    if not all(card.is_known for card in cards):
        raise IllegalError("A hand that is turned up is known card by card.")
    held = state.held[seat]
    same = held is None or len(held) != len(cards) or set(held) == set(cards)
    if state.setup.trusted[seat] and not same:
        raise state.illegal("{name} gave the referee another hand.", name=seat)


def on_reveal(state: SuspenseState, event: Event) -> SuspenseState:
    """Turns up a hand and goes on where it was waited for."""
    seat = event.actor
    cards: tuple[Card, ...] | None = None if event.hidden else event.args[0]
    shown = Shown(cards, event.n, private=not event.is_public)
    state = evolve(state, shown=put(state.shown, seat, shown))
    if event.is_public:
        state = say(state, "{name}'s hand is {cards}.", name=seat, cards=cards)
    else:
        state = say(state, "{name} shows the hand to the referee.", name=seat)
    if cards is None:
        return settle(state)
    held = state.held[seat]
    strange = tuple(card for card in cards if held is not None and card not in held)
    if held is not None and strange and all(card.is_known for card in held):
        state = find(
            state,
            event.n,
            FindingKind.FALSE_CLAIM,
            "{name} turns up {strange} ({n}), but {name}'s recorded hand was {cards}.",
            name=seat,
            strange=strange,
            n=event.n,
            cards=held,
        )
    return settle(evolve(state, held=put(state.held, seat, cards)))


def wanted_hands(state: SuspenseState) -> tuple[int, ...]:
    """Seats whose hands the condition needs and the referee does not have."""
    condition = state.condition
    if state.table.match_over or condition is None or condition.place is not CountedIn.HAND:
        return ()
    return tuple(seat for seat in state.order if state.for_scoring(seat) is None)


# -- points ------------------------------------------------------------------------------------


def settle(state: SuspenseState) -> SuspenseState:
    """Scores the match as soon as everything needed is known."""
    condition = state.condition
    if condition is None or state.table.match_over:
        return state
    names = state.setup.players
    if condition.place is CountedIn.PLAY:
        in_play = dict(zip(names, state.played, strict=True))
        return _finish(state, condition, evaluate(condition, in_play))
    missing = tuple(seat for seat in state.order if not state.is_with_referee(seat))
    if missing:
        return say(state, "Hands decide. Turn up: {names}.", names=missing)
    hands: dict[str, tuple[Card, ...]] = {}
    for seat, name in enumerate(names):
        hand = state.for_scoring(seat)
        if hand is None:
            # Somebody who knows the hand can compare, or a misread one must be turned up.
            return say(state, "Hands decide: the referee compares them.")
        hands[name] = hand
    verdict = evaluate(condition, hands)
    if verdict.meets and not all(_is_open(state, seat) for seat in range(len(names))):
        # The numbers would tell of hands that only the referee may know.
        meeting = tuple(names.index(name) for name in verdict.meets)
        reason = state.phrase("{condition}: {names}", condition=condition, names=meeting)
        verdict = ConditionResult(verdict.meets, reason)
    return _finish(state, condition, verdict)


def _is_open(state: SuspenseState, seat: int) -> bool:
    shown = state.shown[seat]
    return not state.left(seat) or (shown is not None and not shown.private)


def _points_reason(state: SuspenseState, seat: int, verdict: ConditionResult, points: int) -> str:
    name = state.setup.players[seat]
    if seat in state.folded:
        met, missed = (
            N_("{name} folded but meets it: {points}."),
            N_("{name} folded and does not meet it: {points}."),
        )
    else:
        met, missed = (
            N_("{name} stayed and meets it: {points}."),
            N_("{name} stayed but does not meet it: {points}."),
        )
    return state.phrase(
        met if name in verdict.meets else missed, name=seat, points=_number_of_points(points)
    )


def _number_of_points(number: int) -> str:
    return phrase("{target} point" if number == 1 else "{target} points", target=number)


def _finish(state: SuspenseState, condition: Condition, verdict: ConditionResult) -> SuspenseState:
    """Counts the points; all who reach the target in this match win the game."""
    setup, names = state.setup, state.setup.players
    stayed = [names[seat] for seat in state.order if seat in state.stayed]
    folded = [names[seat] for seat in state.order if seat in state.folded]
    points = match_points(verdict.meets, stayed, folded)
    gained = {seat: points[name] for seat, name in enumerate(names)}
    text = N_("The secret card is {secret}, {reason}.")
    reasons = [state.phrase(text, secret=state.secret, reason=verdict.reason)]
    reasons += [_points_reason(state, seat, verdict, gained[seat]) for seat in gained]
    target = int(setup.options["target"])
    winners = tuple(seat for seat in gained if state.table.scores[seat] + gained[seat] >= target)
    if winners:
        reasons.append(
            state.phrase(
                "{names} reaches {count} and wins."
                if len(winners) == 1
                else "{names} reach {count} and win.",
                names=winners,
                count=_number_of_points(target),
            )
        )
    return end_match(
        state,
        *reasons,
        winners=winners,
        match_winners=tuple(s for s in sorted(state.stayed) if names[s] in verdict.meets),
        points=gained,
        over=bool(winners),
    )
