"""What may happen in a trick-taking match, and what it does."""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card
from companion.core.events import Event
from companion.core.game import require_hand, require_turn, unknowns
from companion.core.setup import Setup
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
    take_from_hand,
)
from companion.core.syntax import CardPart, CardsPart, NumberPart
from companion.core.verb import Secrecy, VerbTable, Who
from companion.errors import IllegalError
from companion.games.tricks import audit
from companion.games.tricks.scoring import finish
from companion.games.tricks.state import (
    PLAYED,
    SUIT_WORDS,
    TURNED,
    Claim,
    Play,
    Stage,
    TricksState,
    require_known,
    strength,
)
from companion.phrases import N_, number_of_cards

NIL_BID = N_("{name} bids nil: no trick at all.")
VERBS = VerbTable[TricksState]()


# -- the deal --------------------------------------------------------------------------------------


def verify_hand(state: TricksState, event: Event) -> None:
    """Hands are recorded as dealt, before anything was passed or played."""
    if state.plays:
        raise IllegalError("Hands are recorded before the first card is played.")
    if state.pass_events[event.actor]:
        raise IllegalError("Hands are recorded as they were dealt, before any card is passed.")
    for card in event.args[0]:
        if card.code != "??":
            require_known(state, card)


def on_hand(state: TricksState, event: Event) -> TricksState:
    """A card that was turned up from the dealer's hand has to be among those dealt."""
    seat = event.actor
    mine = next((card for owner, card in state.faced if owner == seat), None)
    if event.hidden or mine is None or take(event.args[0], mine) is not None:
        return state
    return _not_dealt(state, seat, mine, event.n)


def _not_dealt(state: TricksState, seat: int, card: Card, n: int) -> TricksState:
    """The dealer's recorded hand lacks the card that was turned up from it."""
    text = N_("{name} turned up {card} ({n}), but {name}'s recorded hand ({n2}) has no such card.")
    events = {"n": state.turned_event, "n2": state.hand_events[seat]}
    return find(state, n, FindingKind.IMPOSSIBLE, text, name=seat, card=card, **events)


def verify_pass(state: TricksState, event: Event) -> None:
    """So many cards, once and before play; a player who trusts the referee holds them."""
    seat, cards = event.actor, event.args[0]
    if not state.law.passes_to(state):
        raise IllegalError("No cards are passed in this match.")
    if state.plays:
        raise IllegalError("Cards are passed before the first card is played.")
    if state.pass_events[seat]:
        text = N_("{name} has passed already; correct that event instead.")
        raise state.illegal(text, name=seat)
    if len(cards) != state.law.passed:
        text = N_("{name} passes {cards}, not {count} (write ?? for unread ones).")
        cards_ = number_of_cards(state.law.passed)
        raise state.illegal(text, name=seat, cards=cards_, count=len(cards))
    for card in cards:
        if card.code != "??":
            require_known(state, card)
    require_hand(state, seat)
    hand = state.hands[seat] if state.setup.trusted[seat] else None
    for card in cards if hand is not None else ():
        hand = take(hand, card) if hand is not None else None
        if hand is None:
            raise state.illegal("{card} is not in {name}'s recorded hand.", card=card, name=seat)


@VERBS(
    "pass",
    "Pass cards on, face down, before play; who gets them sees them after passing too.",
    verify_pass,
    CardsPart(),
    secrecy=Secrecy.PRIVATE,
)
def apply_pass(state: TricksState, event: Event) -> TricksState:
    """Passes cards on; who gets them may read which once that seat has passed as well."""
    seat, n = event.actor, event.n
    to = (seat + state.law.passes_to(state)) % len(state.hands)
    state = evolve(state, pass_events=put(state.pass_events, seat, n))
    state = say(
        state,
        "{name} has passed {cards} to {name2}.",
        name=seat,
        cards=number_of_cards(state.law.passed),
        name2=to,
    )
    if not event.hidden:
        cards = event.args[0]
        state = evolve(state, passes=put(state.passes, seat, cards))
        state = record(state, cards, hand_zone(to), n, come_from=(hand_zone(seat),))
        text = N_("{name} passes {card} ({n}), but {name}'s recorded hand has no such card.")
        state = take_from_hand(state, seat, cards, n, text)
    giver = state.giver(seat)
    shared = state.shared
    if state.pass_events[giver]:
        shared |= {(seat, state.pass_events[giver])}
    if state.pass_events[to]:
        shared |= {(to, n)}
    return _after_passing(evolve(state, shared=shared))


def _after_passing(state: TricksState) -> TricksState:
    """The hands as they are now: what was passed is gone, what came is there."""
    if not state.law.passes_to(state):
        return state
    for seat, hand in enumerate(state.hands):
        if hand is None or not state.pass_events[seat]:
            continue
        held: tuple[Card, ...] = hand
        for card in state.passes[seat] or ():
            rest = take(held, card)
            held = held if rest is None else rest
        received = state.passes[state.giver(seat)] or unknowns(state.law.passed)
        state = evolve(state, held=put(state.held, seat, tuple(sorted((*held, *received)))))
    return state


def verify_trump(state: TricksState, event: Event) -> None:
    """Once, before the first bid and the first card, where a card is turned up."""
    card = event.args[0]
    if not state.law.has_turned(state):
        raise IllegalError("No card is turned up in this match.")
    if state.turned is not None:
        raise state.illegal("{card} was turned up; correct that event.", card=state.turned)
    require_known(state, card)


@VERBS(
    "trump",
    "Turn up the card whose suit is trump.",
    verify_trump,
    CardPart(),
    who=Who.TABLE,
)
def apply_trump(state: TricksState, event: Event) -> TricksState:
    """Sets the trump suit."""
    card, n = event.args[0], event.n
    dealer = state.law.turned_owner(state)
    state = evolve(state, turned=card, turned_event=n)
    if dealer is None:
        state = record(state, (card,), TURNED, n)
    else:
        state = record(state, (card,), hand_zone(dealer), n, come_from=(hand_zone(dealer),))
        state = evolve(state, faced=state.faced | {(dealer, card)})
        held = state.held[dealer]
        if held is not None and take(held, card) is None:
            state = _not_dealt(state, dealer, card, n)
    return say(state, "{card} is turned up: {suit} are trumps.", card=card, suit=_suit(card))


def _suit(card: Card) -> str:
    return SUIT_WORDS.get(card.suit or "", "")


# -- bids ------------------------------------------------------------------------------------------


def verify_bid(state: TricksState, event: Event) -> None:
    """Once each, in turn, before play."""
    _require_stage(state, Stage.BID, N_("Everybody has bid."))
    require_turn(state, event.actor)
    require_hand(state, event.actor)
    state.law.verify_bid(state, event.args[0])


@dataclass(frozen=True, slots=True)
class BidPart(NumberPart):
    """A number of tricks, or `nil` for none.

    Attributes:
        has_nil: whether none is written as a nil.
    """

    has_nil: bool = False

    def read(self, words: list[str], setup: Setup) -> tuple[int, int]:
        if words and words[0].casefold() == "nil":
            return 0, 1
        return NumberPart.read(self, words, setup)

    def write(self, value: int, setup: Setup) -> str:
        return str(value) if value or not self.has_nil else "nil"

    @property
    def label(self) -> str:
        return f"{self.title}|nil" if self.has_nil else self.title


@VERBS("bid", "Say how many tricks it will be.", verify_bid, BidPart(0, 26))
def apply_bid(state: TricksState, event: Event) -> TricksState:
    """Notes the bid; the next player bids, and after the last one the starter leads."""
    seat, bid = event.actor, event.args[0]
    state = evolve(state, bids=put(state.bids, seat, bid))
    text = N_("{name} bids 1 trick.") if bid == 1 else N_("{name} bids {count} tricks.")
    if not bid and state.law.nil:
        text = NIL_BID
    state = say(state, text, name=seat, count=bid)
    if None not in state.bids:
        return move_to(state, state.table.starter)
    return move_to(state, (seat + 1) % len(state.hands))


def _require_stage(state: TricksState, stage: Stage, late: str) -> None:
    """Refuses what belongs to another part of the match.

    Raises:
        IllegalError: says what comes first, or `late`.
    """
    now = state.stage
    if now is stage:
        return
    if now is Stage.PASS:
        text = N_("{names} passes first.") if len(state.passers) == 1 else N_("{names} pass first.")
        raise state.illegal(text, names=state.passers)
    if now is Stage.TRUMP:
        raise IllegalError("The card for trumps is turned up first.")
    if now is Stage.BID:
        raise IllegalError("Everybody bids before the first card is played.")
    raise IllegalError(late)


# -- play ------------------------------------------------------------------------------------------


def verify_play(state: TricksState, event: Event) -> None:
    """In turn, a card that may be played; who holds what is known keeps the rules."""
    seat, card = event.actor, event.args[0]
    _require_stage(state, Stage.PLAY, "")
    first = state.law.first_card(state) if not state.plays else None
    if first is None:
        require_turn(state, seat)
    require_hand(state, seat)
    require_known(state, card)
    if first is not None and card is not first:
        raise state.illegal("{card} leads the first trick.", card=first)
    bar = audit.broken(state, seat, card) if state.setup.trusted[seat] else None
    if bar is not None:
        raise state.illegal(bar.rule.refused, name=seat, suit=bar.suit_name)


@VERBS("play", "Play a card to the trick.", verify_play, CardPart(), tells=True)
def apply_play(state: TricksState, event: Event) -> TricksState:
    """Lays the card; the last one of a trick decides who takes it."""
    seat, card, n = event.actor, event.args[0], event.n
    bars = tuple(state.law.bars(state, seat, card))
    state = record(state, (card,), owned_zone(PLAYED, seat), n, come_from=(hand_zone(seat),))
    text = N_("{name} plays {card} ({n}), but {name}'s recorded hand has no such card.")
    state = take_from_hand(state, seat, (card,), n, text)
    state = audit.check_play(evolve(state, faced=state.faced - {(seat, card)}), event)
    state = audit.note_limits(state, bars, event)
    state = evolve(state, plays=(*state.plays, Play(n, seat, card)))
    if len(state.trick) < len(state.hands):
        return move_to(state, (seat + 1) % len(state.hands))
    taker = winner(state, state.trick)
    state = evolve(state, takers=(*state.takers, taker))
    state = say(state, "{name} takes the trick.", name=taker)
    return finish(state) if len(state.takers) == state.size else move_to(state, taker)


def winner(state: TricksState, trick: tuple[Play, ...]) -> int:
    """The seat whose card takes the trick: the highest trump, else the highest of the suit led."""
    led, trump = trick[0].card.suit, state.trump
    suit = trump if any(play.card.suit == trump for play in trick) else led
    best = max((p for p in trick if p.card.suit == suit), key=lambda play: strength(play.card))
    return best.seat


def verify_claim(state: TricksState, event: Event) -> None:
    """All remaining tricks, during play."""
    _require_stage(state, Stage.PLAY, "")
    if not state.plays:
        raise IllegalError("Tricks are claimed once the first card is played.")
    left = state.size - len(state.takers)
    if event.args[0] != left:
        raise state.illegal("The remaining tricks are claimed, all {count} of them.", count=left)


@VERBS(
    "claim",
    "Take the remaining tricks, as all agree; else it is taken back.",
    verify_claim,
    NumberPart(1, 26),
)
def apply_claim(state: TricksState, event: Event) -> TricksState:
    """Gives the remaining tricks to the claimer and ends the match."""
    seat, count = event.actor, event.args[0]
    state = evolve(state, claim=Claim(seat, count))
    return finish(say(state, claims(count), name=seat, count=count))


def claims(count: int) -> str:
    """What is said of a claim of so many tricks."""
    one, text = N_("{name} takes the last trick."), N_("{name} takes the last {count} tricks.")
    return one if count == 1 else text


# -- cards turned up -------------------------------------------------------------------------------


def verify_reveal(state: TricksState, event: Event) -> None:
    """No more cards can be turned up than the hand has left."""
    seat, cards = event.actor, event.args[0]
    left = state.left(seat)
    if len(cards) > left:
        text = N_("{name} holds {cards}, not {count}.")
        raise state.illegal(text, name=seat, cards=number_of_cards(left), count=len(cards))
    for card in cards:
        require_known(state, card)


def on_reveal(state: TricksState, event: Event) -> TricksState:
    """Compares cards turned up with the recorded hand and with what was played."""
    if event.hidden:
        return state
    seat, cards, n = event.actor, event.args[0], event.n
    held = state.held[seat]
    text = N_("{name} turns up {card} ({n}), but {name}'s recorded hand has no such card.")
    state = take_from_hand(state, seat, cards, n, text)
    is_whole = len(cards) == state.left(seat)
    state = evolve(state, held=put(state.held, seat, cards if is_whole else held))
    if event.is_public:
        state = evolve(state, faced=state.faced | {(seat, card) for card in cards})
    return audit.check_shown(state, event)
