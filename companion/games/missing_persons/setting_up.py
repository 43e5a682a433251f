"""Before and after the questions: taking missing persons, dealing suspects, turning cards up."""

from __future__ import annotations

from companion.cards import Card
from companion.core.events import Event
from companion.core.state import FindingKind, evolve, find, put, record, say
from companion.errors import IllegalError
from companion.games.missing_persons.audit import check_answers
from companion.games.missing_persons.scoring import settle
from companion.games.missing_persons.state import (
    MissingState,
    Shown,
    Spot,
    display_zone,
    hideout,
)
from companion.phrases import number_of_cards, phrase

# -- missing persons ---------------------------------------------------------------------------


def _verify_person(state: MissingState, card: Card, name: str) -> None:
    """Refuses what is no particular card, and jokers if they are out."""
    if "?" in card.code:
        raise IllegalError(
            phrase("Say which card {name} took, not {card}.", name=name, card=card.code)
        )
    if card.is_joker and not state.setup.is_on("jokers"):
        raise IllegalError("No joker may be the missing person here (option jokers: no).")


def verify_hide(state: MissingState, event: Event) -> None:
    """Each takes one card; in public it is only said that this happened."""
    assert event.seat is not None
    card, name = event.args[0], state.setup.players[event.seat]
    if state.hands[event.seat] is not None:
        raise IllegalError(
            phrase("{name}'s missing person is recorded already; correct that event.", name=name)
        )
    if event.is_public:
        if card.code != "??":
            raise IllegalError(
                phrase(
                    "A missing person stays hidden: {name}*: hide CARD, or {name}: hide ??.",
                    name=name,
                )
            )
        if state.hidden[event.seat]:
            raise IllegalError(phrase("{name} has taken a missing person already.", name=name))
        if state.setup.trusted[event.seat]:
            raise IllegalError(
                phrase("{name} trusts the referee: write {name}*: hide CARD.", name=name)
            )
        return
    _verify_person(state, card, name)


def verify_hand(state: MissingState, event: Event) -> None:
    """`hand` says later which card was taken."""
    assert event.seat is not None
    name = state.setup.players[event.seat]
    if state.hands[event.seat] is not None:
        raise IllegalError(
            phrase("{name}'s missing person is recorded already; correct that event.", name=name)
        )
    _verify_person(state, event.args[0], name)


def apply_hide(state: MissingState, event: Event) -> MissingState:
    """Keeps the card if it is known, or else that one was taken."""
    seat = event.seat
    assert seat is not None
    name = state.setup.players[seat]
    if not state.hidden[seat]:
        state = say(state, phrase("{name} has taken a missing person.", name=name))
    else:
        state = say(state, phrase("{name} has recorded the missing person.", name=name))
    state = evolve(state, hidden=put(state.hidden, seat, True))
    if event.hidden or event.is_public:
        return state
    card = event.args[0]
    state = record(state, (card,), hideout(seat), event.n)
    state = evolve(
        state,
        hands=put(state.hands, seat, (card,)),
        held=put(state.held, seat, (card,)),
        hidden_at=put(state.hidden_at, seat, event.n),
    )
    return check_answers(state, seat, event.n)


# -- the deal ----------------------------------------------------------------------------------


def verify_deal(state: MissingState, event: Event) -> None:
    """Ten suspects each, once."""
    seat, cards = event.args
    name, size = state.setup.players[seat], state.display_size
    if state.displays[seat]:
        raise IllegalError(
            phrase("{name}'s suspects are dealt already; correct that event instead.", name=name)
        )
    if len(cards) != size:
        raise IllegalError(
            phrase(
                "{name} is dealt {size} suspects, not {count} (write ?? for unread ones).",
                name=name,
                size=size,
                count=len(cards),
            )
        )


def apply_deal(state: MissingState, event: Event) -> MissingState:
    """Lays the display."""
    seat, cards = event.args
    state = record(state, cards, display_zone(seat), event.n)
    displays = put(state.displays, seat, tuple(Spot(card) for card in cards))
    state = evolve(state, displays=displays)
    name = state.setup.players[seat]
    state = say(
        state,
        phrase(
            "{name} has {count} suspects; the pile holds {cards} more.",
            name=name,
            count=len(cards),
            cards=number_of_cards(state.pile),
        ),
    )
    if state.is_dealt:
        mover = state.setup.name(state.table.to_move)
        state = say(state, phrase("{mover} asks first.", mover=mover))
    return state


# -- turning up --------------------------------------------------------------------------------


def verify_reveal(state: MissingState, event: Event) -> None:
    """One particular card, once in public; a trusting player's is known."""
    seat = event.seat
    if seat is None:
        raise IllegalError("A missing person is turned up by its owner: NAME: reveal CARD.")
    name, card, shown = state.setup.players[seat], event.args[0], state.shown[seat]
    _verify_person(state, card, name)
    if shown is not None and (not shown.private or not event.is_public):
        raise IllegalError(
            phrase("{name}'s missing person is turned up already; correct that event.", name=name)
        )
    hand = state.hands[seat]
    if hand is not None and state.setup.trusted[seat] and hand[0].identity is not card.identity:
        raise IllegalError(
            phrase("{name} gave the referee another card as missing person.", name=name)
        )


def apply_reveal(state: MissingState, event: Event) -> MissingState:
    """Turns up the card, compares all answers with it, and goes on where it was waited for."""
    seat = event.seat
    assert seat is not None
    name, before = state.setup.players[seat], state.person(seat)
    if event.hidden:
        state = evolve(state, shown=put(state.shown, seat, Shown(None, event.n, private=True)))
        state = say(state, phrase("{name} shows the missing person to the referee.", name=name))
        return settle(state)
    card = event.args[0]
    state = record(state, (card,), hideout(seat), event.n, come_from=(hideout(seat),))
    shown = Shown(card, event.n, private=not event.is_public)
    state = evolve(state, shown=put(state.shown, seat, shown))
    if event.is_public:
        state = say(state, phrase("{name}'s missing person is {card}.", name=name, card=card.code))
    else:
        state = say(state, phrase("{name} shows the missing person to the referee.", name=name))
    if before is not None and before[0].identity is not card.identity:
        message = phrase(
            "{name} turns up {card} ({n}), but recorded {before} as missing person ({before2}).",
            name=name,
            card=card.code,
            n=event.n,
            before=before[0].code,
            before2=before[1],
        )
        state = find(state, event.n, FindingKind.FALSE_CLAIM, message)
    return settle(check_answers(state, seat, event.n))
