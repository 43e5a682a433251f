"""Before and after the questions: taking missing persons, dealing suspects, turning cards up."""

from __future__ import annotations

from companion.cards import Card
from companion.core.events import Event
from companion.core.state import FindingKind, Shown, evolve, find, put, record, say
from companion.core.syntax import CardPart, CardsPart, PlayerPart
from companion.core.verb import Secrecy, VerbTable, Who
from companion.errors import IllegalError
from companion.games.missing_persons.audit import check_answers
from companion.games.missing_persons.scoring import settle
from companion.games.missing_persons.state import MissingState, Spot, display_zone, hideout
from companion.phrases import N_, number_of_cards

VERBS = VerbTable[MissingState]()


# -- missing persons ---------------------------------------------------------------------------


def _verify_person(state: MissingState, card: Card, seat: int) -> None:
    """Refuses anything but one particular card, and jokers if they are out."""
    if "?" in card.code:
        raise state.illegal("Say which card {name} took, not {card}.", name=seat, card=card)
    if card.is_joker and not state.setup.is_on("jokers"):
        raise IllegalError("No joker may be the missing person here (option jokers: no).")


def verify_hide(state: MissingState, event: Event) -> None:
    """Each takes one card; in public it is only said that this happened."""
    seat, card = event.actor, event.args[0]
    if not event.is_public or state.hands[seat] is not None:
        verify_hand(state, event)
    elif card.code != "??":
        text = N_("A missing person stays hidden: {name}*: hide CARD, or {name}: hide ??.")
        raise state.illegal(text, name=seat)
    elif state.hidden[seat]:
        raise state.illegal("{name} has taken a missing person already.", name=seat)
    elif state.setup.trusted[seat]:
        raise state.illegal("{name} trusts the referee: write {name}*: hide CARD.", name=seat)


def verify_hand(state: MissingState, event: Event) -> None:
    """`hand` says later which card was taken."""
    seat = event.actor
    if state.hands[seat] is not None:
        text = N_("{name}'s missing person is recorded already; correct that event.")
        raise state.illegal(text, name=seat)
    _verify_person(state, event.args[0], seat)


@VERBS(
    "hand",
    "Record which card was taken as missing person; nobody else is told.",
    verify_hand,
    CardPart(),
    secrecy=Secrecy.PRIVATE,
)
@VERBS(
    "hide",
    "Take a missing person: NAME*: with the card, or NAME: hide ?? for all to know that.",
    verify_hide,
    CardPart(),
    secrecy=Secrecy.EITHER,
)
def apply_hide(state: MissingState, event: Event) -> MissingState:
    """Keeps the card if it is known, or else that one was taken."""
    seat = event.actor
    first, later = (
        N_("{name} has taken a missing person."),
        N_("{name} has recorded the missing person."),
    )
    state = say(state, later if state.hidden[seat] else first, name=seat)
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
    size = state.display_size
    if state.displays[seat]:
        raise state.illegal(
            "{name}'s suspects are dealt already; correct that event instead.", name=seat
        )
    if len(cards) != size:
        text = N_("{name} is dealt {size} suspects, not {count} (write ?? for unread ones).")
        raise state.illegal(text, name=seat, size=size, count=len(cards))


@VERBS(
    "deal",
    "Deal a player's ten suspects, face up.",
    verify_deal,
    PlayerPart(),
    CardsPart(),
    who=Who.TABLE,
)
def apply_deal(state: MissingState, event: Event) -> MissingState:
    """Lays the display."""
    seat, cards = event.args
    state = record(state, cards, display_zone(seat), event.n)
    display = tuple(Spot(card) for card in cards)
    state = evolve(state, displays=put(state.displays, seat, display))
    text = N_("{name} has {count} suspects; the pile holds {cards} more.")
    state = say(state, text, name=seat, count=len(cards), cards=number_of_cards(state.pile))
    if state.is_dealt:
        mover = state.setup.name(state.table.to_move)
        state = say(state, "{mover} asks first.", mover=mover)
    return state


# -- turning up --------------------------------------------------------------------------------


def verify_reveal(state: MissingState, event: Event) -> None:
    """One particular card, once in public; a trusting player's is known."""
    seat, card = event.actor, event.args[0]
    shown = state.shown[seat]
    _verify_person(state, card, seat)
    if shown is not None and (not shown.private or not event.is_public):
        raise state.illegal(
            "{name}'s missing person is turned up already; correct that event.", name=seat
        )
    hand = state.hands[seat]
    if hand is not None and state.setup.trusted[seat] and hand[0].identity is not card.identity:
        raise state.illegal("{name} gave the referee another card as missing person.", name=seat)


@VERBS(
    "reveal",
    "Turn up the missing person; with NAME*: to the referee alone.",
    verify_reveal,
    CardPart(),
    secrecy=Secrecy.EITHER,
    late=True,
)
def apply_reveal(state: MissingState, event: Event) -> MissingState:
    """Turns up the card, compares all answers with it, and goes on where it was waited for."""
    seat = event.actor
    before = state.person(seat)
    card: Card | None = None if event.hidden else event.args[0]
    cards = None if card is None else (card,)
    shown = Shown(cards, event.n, private=not event.is_public)
    state = evolve(state, shown=put(state.shown, seat, shown))
    if event.is_public:
        state = say(state, "{name}'s missing person is {card}.", name=seat, card=card)
    else:
        state = say(state, "{name} shows the missing person to the referee.", name=seat)
    if card is None:
        return settle(state)
    state = record(state, (card,), hideout(seat), event.n, come_from=(hideout(seat),))
    if before is not None and before[0].identity is not card.identity:
        state = find(
            state,
            event.n,
            FindingKind.FALSE_CLAIM,
            "{name} turns up {card} ({n}), but recorded {before} as missing person ({before2}).",
            name=seat,
            card=card,
            n=event.n,
            before=before[0],
            before2=before[1],
        )
    return settle(check_answers(state, seat, event.n))
