"""What the coach of trick-taking games says: which card to play, what to bid, what to pass.

For each card that may be played it counts, over every deal that fits, two chances that it takes the
trick: if all who play after it beat it where they can, and if all of them duck where they can. That
is no forecast of what the others will do: the truth lies between. Where tricks are wanted the card
with the greatest first chance is advised, and the lowest of equal ones; where they are not, the one
that costs least by the second, what one gets rid of counted.
With few cards left the whole rest is counted instead, in every deal that fits, if there are not too
many: what each card is worth if all then play it out with open cards (`engine.endgame`).
Bids and passed cards are not counted but judged as the sensible bot does; the advice says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.cards import Card
from companion.games.tricks.bots import expected_tricks, wants_tricks, worst_cards
from companion.games.tricks.engine.endgame import Aims, OpenPlay
from companion.games.tricks.engine.facts import TrickKnowledge
from companion.games.tricks.engine.solve import Terms, deals, worlds, worlds_where
from companion.games.tricks.rules import winner
from companion.games.tricks.state import Play, Stage, TricksState, strength
from companion.notepad.base import Advice
from companion.phrases import N_, decimal, joined, percent, phrase

#: Most deals that are played out, by the cards left in a hand: so many take a third of a second at
#: most on a desktop computer.
_DEALS = {1: 2000, 2: 1000, 3: 250, 4: 80, 5: 10}


@dataclass(frozen=True, slots=True)
class CardValue:
    """A card that may be played.

    Attributes:
        card: the card.
        takes: the chance that it takes the trick though all beat it who can.
        may_take: the chance that it takes the trick if all duck who can.
        worth: how good it is over the whole rest, more being better (`OpenPlay.value`); None where
            that is not counted.
    """

    card: Card
    takes: float
    may_take: float
    worth: float | None = None


def advise(state: TricksState, viewer: int | None, known: TrickKnowledge) -> Advice:
    """The advice for what the viewer does next."""
    if viewer is None:
        return Advice("A coach advises players, not spectators.")
    held = state.whole_hand(viewer)
    if held is None:
        return Advice("Record your hand: the coach counts from it.")
    stage = state.stage
    if stage is Stage.PASS and viewer in state.passers:
        cards = worst_cards(state, held)
        names = joined(", ", (card.name for card in cards))
        text = phrase(
            "Pass {cards}: they are the likeliest to cost you points, by a rule of thumb.",
            cards=names,
        )
        return Advice(text, f"pass {' '.join(card.code for card in cards)}")
    if stage is Stage.BID and state.table.to_move == viewer:
        return _bidding(state, held)
    if stage is Stage.PLAY and viewer in state.law.actors(state):
        return _playing(state, viewer, known)
    return Advice("There is nothing for you to decide now.")


def _bidding(state: TricksState, held: tuple[Card, ...]) -> Advice:
    """A bid by the worth of single cards."""
    value = expected_tricks(state, held)
    legal = list(state.law.legal(state, state.table.to_move or 0))
    best = min(legal, key=lambda event: abs(event.args[0] - value))
    text = phrase(
        "Your cards are worth about {value} tricks, by a rule of thumb.", value=decimal(value, 1)
    )
    return Advice(text, f"bid {best.args[0]}", {"tricks": value})


def _playing(state: TricksState, seat: int, known: TrickKnowledge) -> Advice:
    """A card by the chance that nobody can beat it."""
    values = card_values(state, seat, known)
    if not values:
        return Advice("There is nothing for you to decide now.")
    best = best_card(state, seat, values)
    p = best.takes if wants_tricks(state, seat) else best.may_take
    text = phrase(_reason(state, seat, values, best), card=best.card.name, p=percent(p))
    numbers: dict[str, Any] = {
        "takes": {value.card.code: value.takes for value in values},
        "may_take": {value.card.code: value.may_take for value in values},
    }
    if best.worth is not None:
        numbers["worth"] = {value.card.code: value.worth for value in values}
        numbers["deals"] = worlds(known)
    if best.worth is not None and len(values) > 1:
        text = phrase(_worth_text(state), card=best.card.name, worth=decimal(abs(best.worth)))
    return Advice(text, f"play {best.card.code}", numbers)


def _reason(state: TricksState, seat: int, values: list[CardValue], best: CardValue) -> str:
    """Why a card is played now, in words with a place for the chance that it takes the trick."""
    if len(values) == 1:
        return N_("Play the {card}: you may play no other.")
    if wants_tricks(state, seat):
        if _has_trick(state, seat):
            return N_("Play the {card}: your side has the trick so far, so a low card will do.")
        if max(value.takes for value in values) <= 0:
            return N_("Play the {card}: others can beat all your cards, so keep the better ones.")
        return N_("Play the {card}: nobody can beat it, with a chance of {p}.")
    if best.may_take <= 0:
        return N_("Play the {card}: it cannot take this trick.")
    if best.may_take >= 1:
        return N_("Play the {card}: it costs you least, though it takes the trick if others duck.")
    if best.may_take <= min(value.may_take for value in values):
        return N_(
            "Play the {card}: none of your cards is less likely to take the trick. It does with a "
            "chance of {p} at most."
        )
    return N_(
        "Play the {card}: it takes the trick with a chance of {p} at most, and else you are rid "
        "of it."
    )


def _has_trick(state: TricksState, seat: int) -> bool:
    """Whether the seat's side has the best card that lies."""
    return bool(state.trick) and winner(state, state.trick) in state.side(seat)


def _worth_text(state: TricksState) -> str:
    """What is counted, and over what."""
    if state.law.info.low_wins:
        return N_(
            "Play the {card}: over all deals that fit it costs you {worth} points on average, "
            "if all play on with open cards and avoid points."
        )
    if _is_exact(state):
        return N_(
            "Play the {card}: over all deals that fit you miss your bid by {worth} tricks on "
            "average, if all play on with open cards, each for their own bid."
        )
    return N_(
        "Play the {card}: over all deals that fit your side takes {worth} more tricks on "
        "average, if all play on with open cards."
    )


def card_values(state: TricksState, seat: int, known: TrickKnowledge) -> list[CardValue]:
    """Every card that the seat may play, valued."""
    cards = [event.args[0] for event in state.law.legal(state, seat)]
    worth = worths(state, seat, cards, known)
    values = [card_value(state, seat, card, known) for card in cards]
    return [replace(value, worth=worth.get(value.card)) for value in values]


def worths(
    state: TricksState, seat: int, cards: Sequence[Card], known: TrickKnowledge
) -> dict[Card, float]:
    """What cards are worth if the rest is played out; empty where that is not counted.

    Counted are the last five tricks, where not too many deals fit; a first trick is not, as it may
    have rules of its own. In Hearts the jack's ten and all 26 for one are left out.
    """
    left = max(state.left(other) for other in range(len(state.hands)))
    number = worlds(known)
    is_last = state.number > 1 and 0 < number <= _DEALS.get(left, 0)
    if not is_last or not _has_one_aim(state, seat):
        return {}
    rest, total = OpenPlay(_aims(state)), dict.fromkeys(cards, 0)
    lying = [(play.seat, play.card) for play in state.trick]
    for hands in deals(known):
        for card in cards:
            held = [h if s != seat else set(h) - {card} for s, h in enumerate(hands)]
            total[card] += rest.value(seat, rest.gains(held, [*lying, (seat, card)]))
    return {card: value / number for card, value in total.items()}


def _has_one_aim(state: TricksState, seat: int) -> bool:
    """Whether costs, tricks or the bid alone say how good the rest is.

    Once a bid is made, or with a nil on the table, more tricks are no more what a side wants.
    """
    law = state.law
    if law.info.low_wins:
        return True
    if any(map(law.costs, state.deck)) or (law.nil and 0 in state.bids):
        return False
    return _is_exact(state) or wants_tricks(state, seat)


def _is_exact(state: TricksState) -> bool:
    """Whether everybody wants exactly as many tricks as were bid."""
    return state.law.has_bids and not state.law.partners


def _aims(state: TricksState) -> Aims:
    """How the rest of the state's match is played out."""
    law, seats = state.law, range(len(state.hands))
    gone = {play.card for play in state.plays[: len(state.takers) * len(seats)]}
    order = sorted(set(state.deck) - gone, key=lambda card: (card.suit or "", strength(card)))
    is_closed = not any(law.breaks(play.card) for play in state.plays)
    return Aims(
        order=tuple(order),
        trump=state.trump,
        sides=tuple(map(state.side, seats)),
        costs={card: law.costs(card) for card in order} if law.info.low_wins else None,
        needs=tuple((state.bids[s] or 0) - state.taken(s) for s in seats)
        if _is_exact(state)
        else (),
        unbroken=law.unbroken if is_closed else "",
        breaking=frozenset(card for card in order if law.breaks(card)),
    )


def card_value(state: TricksState, seat: int, card: Card, known: TrickKnowledge) -> CardValue:
    """A card valued over every deal that fits what is known."""
    trick = (*state.trick, Play(0, seat, card))
    if winner(state, trick) != seat:
        return CardValue(card, 0.0, 0.0)
    names, players = state.setup.players, len(state.hands)
    later = [names[(seat + k) % players] for k in range(1, players - len(trick) + 1)]
    led = trick[0].card.suit or ""
    total = worlds(known)
    chances = [
        worlds_where(known, dict.fromkeys(later, terms)) / total
        for terms in (_cannot(state, led, card), _need_not(state, led, card))
    ]
    return CardValue(card, *chances)


def _cannot(state: TricksState, led: str, card: Card) -> Terms:
    """That a hand cannot beat a card, as a sum of terms "none of these cards"."""
    trump = state.trump
    higher = frozenset(c for c in state.suit(card.suit or "") if strength(c) > strength(card))
    following = state.suit(led)
    if card.suit == trump != led:
        # Who follows suit cannot, and who does not needs a higher trump.
        return (1, frozenset()), (-1, following), (1, following | higher)
    if trump is None or led == trump:
        return ((1, higher),)
    # Who follows suit needs a higher card, and who does not a trump.
    return (1, higher), (-1, following), (1, following | state.suit(trump))


def _need_not(state: TricksState, led: str, card: Card) -> Terms:
    """That a hand need not beat a card, as a sum of terms "none of these cards"."""
    trump, anything = state.trump, frozenset[Card]()
    lower = frozenset(c for c in state.suit(card.suit or "") if strength(c) < strength(card))
    following = state.suit(led)
    plain = frozenset(c for c in state.deck if c.suit != trump)
    if card.suit == trump != led:
        return (1, anything), (-1, plain | lower)
    forced: Terms = ((-1, lower), (1, following))
    if trump is None or led == trump:
        return (1, anything), *forced
    # Who holds nothing but trumps has to play one.
    return (1, anything), *forced, (-1, plain)


def best_card(state: TricksState, seat: int, values: list[CardValue]) -> CardValue:
    """The card to play by what is wanted; see the module."""
    if values[0].worth is not None:
        most = max(round(value.worth or 0.0, 9) for value in values)
        values = [value for value in values if round(value.worth or 0.0, 9) == most]
    cost = state.law.costs
    if wants_tricks(state, seat):
        if _has_trick(state, seat) or max(value.takes for value in values) <= 0:
            return min(values, key=lambda v: (v.card.suit == state.trump, strength(v.card)))
        return max(values, key=lambda v: (round(v.takes, 9), -strength(v.card)))
    lying = sum(cost(play.card) for play in state.trick)

    def loss(value: CardValue) -> float:
        """What the card costs on the average if it is beaten wherever it can be."""
        rid = cost(value.card) + strength(value.card) / 100
        return value.may_take * (lying + cost(value.card) + 0.5) - (1 - value.may_take) * rid

    return min(values, key=lambda value: round(loss(value), 9))
