"""How a Suspense match ends: the secret card, the hands, the points."""

from __future__ import annotations

from companion.cards import Card, format_cards
from companion.core.events import Event
from companion.core.state import FindingKind, evolve, find, put, record, say
from companion.errors import IllegalError
from companion.games.suspense.conditions import Condition, Place, Verdict, evaluate, match_points
from companion.games.suspense.rules import apply_look
from companion.games.suspense.state import (
    SECRET,
    ShownHand,
    Stage,
    SuspenseState,
    require_dealer,
)
from companion.phrases import number_of_cards, phrase


def apply_secret(state: SuspenseState, event: Event) -> SuspenseState:
    """The dealer's look, or the card turned up for all."""
    if not event.is_public:
        return apply_look(state, event)
    card, look = event.args[0], state.look
    state = record(state, (card,), SECRET, event.n, come_from=(SECRET,))
    if look is not None and look.card is not None and look.card is not card:
        dealer = state.setup.players[state.table.starter]
        message = phrase(
            "The secret card is {card} ({n}), but {dealer} looked at {card2} ({n2}).",
            card=card.code,
            n=event.n,
            dealer=dealer,
            card2=look.card.code,
            n2=look.n,
        )
        state = find(state, event.n, FindingKind.IMPOSSIBLE, message)
    state = evolve(state, secret=card)
    return settle(
        say(
            state,
            phrase(
                "The secret card is {card}: “{condition}”.",
                card=card.code,
                condition=state.condition,
            ),
        )
    )


# -- hands -------------------------------------------------------------------------------------


def verify_reveal(state: SuspenseState, event: Event) -> None:
    """The whole hand that is left, after declaring; for the referee alone from folding on."""
    seat = event.seat
    if seat is None:
        raise IllegalError("A hand is turned up by its owner: NAME: reveal CARDS.")
    require_dealer(state)
    name, cards, shown = state.setup.players[seat], event.args[0], state.shown[seat]
    over = state.table.match_over
    if event.is_public and state.stage is not Stage.REVEAL and not over:
        raise IllegalError("Hands stay hidden until everybody has declared.")
    playing = state.stage is Stage.PLAY and seat not in state.folded and not over
    if not event.is_public and playing:
        raise IllegalError(
            phrase("{name} may still play: hands are turned up at the end.", name=name)
        )
    if shown is not None and (not shown.private or not event.is_public):
        raise IllegalError(
            phrase("{name}'s hand is turned up already; correct that event.", name=name)
        )
    if len(cards) != state.left(seat):
        raise IllegalError(
            phrase(
                "{name} has {cards} left, not {count}.",
                name=name,
                cards=number_of_cards(state.left(seat)),
                count=len(cards),
            )
        )
    if not all(card.is_known for card in cards):
        raise IllegalError("A hand that is turned up is known card by card.")
    held = state.held[seat]
    same = held is None or len(held) != len(cards) or set(held) == set(cards)
    if state.setup.trusted[seat] and not same:
        raise IllegalError(phrase("{name} gave the referee another hand.", name=name))


def on_reveal(state: SuspenseState, event: Event) -> SuspenseState:
    """Turns up a hand and goes on where it was waited for."""
    seat = event.seat
    assert seat is not None
    name = state.setup.players[seat]
    if event.is_public:
        state = say(
            state, phrase("{name}'s hand is {cards}.", name=name, cards=format_cards(event.args[0]))
        )
    else:
        state = say(state, phrase("{name} shows the hand to the referee.", name=name))
    if event.hidden:
        shown = ShownHand(None, event.n, private=True)
        return settle(evolve(state, shown=put(state.shown, seat, shown)))
    cards: tuple[Card, ...] = event.args[0]
    held = state.held[seat]
    if held is not None and all(card.is_known for card in held):
        strange = [card.code for card in cards if card not in held]
        if strange:
            message = phrase(
                "{name} turns up {strange} ({n}), but {name}'s recorded hand was {cards}.",
                name=name,
                strange=" ".join(strange),
                n=event.n,
                cards=format_cards(held),
            )
            state = find(state, event.n, FindingKind.FALSE_CLAIM, message)
    shown = ShownHand(cards, event.n, private=not event.is_public)
    state = evolve(state, held=put(state.held, seat, cards), shown=put(state.shown, seat, shown))
    return settle(state)


def wanted_hands(state: SuspenseState) -> tuple[int, ...]:
    """Seats whose hands the condition needs and the referee does not have."""
    condition = state.condition
    if state.table.match_over or condition is None or condition.place is not Place.HAND:
        return ()
    return tuple(seat for seat in state.order if state.for_scoring(seat) is None)


# -- points ------------------------------------------------------------------------------------


def settle(state: SuspenseState) -> SuspenseState:
    """Scores the match as soon as everything needed is known."""
    condition = state.condition
    if condition is None or state.table.match_over:
        return state
    names = state.setup.players
    if condition.place is Place.PLAY:
        in_play = dict(zip(names, state.played, strict=True))
        return _finish(state, condition, evaluate(condition, in_play))
    missing = tuple(seat for seat in state.order if not state.is_with_referee(seat))
    if missing:
        return say(
            state, phrase("Hands decide. Turn up: {names}.", names=state.setup.names(missing))
        )
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
        who = state.setup.names(tuple(names.index(name) for name in verdict.meets))
        reason = phrase("{condition}: {names}", condition=condition, names=who)
        verdict = Verdict(verdict.meets, reason)
    return _finish(state, condition, verdict)


def _is_open(state: SuspenseState, seat: int) -> bool:
    shown = state.shown[seat]
    return not state.left(seat) or (shown is not None and not shown.private)


def _points_reason(state: SuspenseState, seat: int, verdict: Verdict, points: int) -> str:
    name = state.setup.players[seat]
    did = "folded" if seat in state.folded else "stayed"
    meets = "meets it" if name in verdict.meets else "does not meet it"
    link = "but" if (name in verdict.meets) == (seat in state.folded) else "and"
    return phrase(
        "{name} {did} {link} {meets}: {points} point."
        if points == 1
        else "{name} {did} {link} {meets}: {points} points.",
        name=name,
        did=did,
        link=link,
        meets=meets,
        points=points,
    )


def _finish(state: SuspenseState, condition: Condition, verdict: Verdict) -> SuspenseState:
    """Counts the points; all who reach the target in this match win the game."""
    setup, names = state.setup, state.setup.players
    assert state.secret is not None
    stayed = [names[seat] for seat in state.order if seat in state.stayed]
    folded = [names[seat] for seat in state.order if seat in state.folded]
    points = match_points(verdict.meets, stayed, folded)
    scores = tuple(
        score + points[name] for score, name in zip(state.table.scores, names, strict=True)
    )
    reasons = [
        phrase(
            "The secret card is {secret}, {reason}.",
            secret=state.secret.code,
            reason=verdict.reason,
        )
    ]
    reasons += [
        _points_reason(state, seat, verdict, points[name]) for seat, name in enumerate(names)
    ]
    target = int(setup.options["target"])
    winners = tuple(seat for seat, score in enumerate(scores) if score >= target)
    if winners:
        reached = "reaches" if len(winners) == 1 else "reach"
        wins = "wins" if len(winners) == 1 else "win"
        count = phrase("{target} point" if target == 1 else "{target} points", target=target)
        reasons.append(
            phrase(
                "{names} {reached} {count} and {wins}.",
                names=setup.names(winners),
                reached=reached,
                count=count,
                wins=wins,
            )
        )
    table = evolve(
        state.table,
        match_over=True,
        over=bool(winners),
        to_move=None,
        scores=scores,
        winners=winners,
        match_winners=tuple(seat for seat in sorted(state.stayed) if names[seat] in verdict.meets),
        reasons=tuple(reasons),
    )
    return say(evolve(state, table=table), *reasons)
