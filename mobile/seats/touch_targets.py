"""What can be done on the things themselves: a card, a place in a hand, the end of a row.

A step of guidance names the things that it can be done on. A thing that is touched says some of
what the step still has to be told, often all of it. Cards of one's own hand say it as well where
the step is done from the hand: the hand is among its things, or a card is laid somewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from companion.cards import Card
from companion.core.guidance.steps import NeedKind, On, Step
from companion.core.state import Zone, ZoneKind
from mobile.model.steps import told_by

#: Steps that a page offers, each with its number.
Offered = Sequence[tuple[int, Step]]


@dataclass(frozen=True, slots=True)
class Touch:
    """What touching a thing does.

    Attributes:
        step: number of the step.
        title: the step in plain words.
        settled: for each thing asked that the touch says, its number and that of the choice.
        is_whole: whether nothing more has to be told, so that it is done at once.
        adds: whether a second touch takes the choice back, because several are chosen.
    """

    step: int
    title: str
    settled: tuple[tuple[int, int], ...] = ()
    is_whole: bool = False
    adds: bool = False

    @property
    def values(self) -> list[list[int]]:
        """The choices as a filled form sends them."""
        return [[choice] for _, choice in self.settled]


@dataclass(frozen=True, slots=True)
class Touches:
    """What can be touched in a place.

    Attributes:
        cards: for each card, in order, what touching it does; None where nothing.
        whole: what touching the place as a whole does.
        end: what touching the free place after its last card does.
    """

    cards: tuple[Touch | None, ...]
    whole: Touch | None = None
    end: Touch | None = None

    def __bool__(self) -> bool:
        return any((*self.cards, self.whole, self.end))


def touches(offered: Offered, zone: Zone, viewer: int | None) -> Touches:
    """What can be done on the things of a zone."""
    there = [(number, step, on) for number, step in offered for on in step.on
             if on.zone == zone.name]  # fmt: skip
    is_own_hand = zone.kind is ZoneKind.HAND and zone.owner is not None and zone.owner == viewer
    from_hand = [
        (number, step)
        for number, step in offered
        if is_own_hand
        and step.seat == viewer
        and any(on.zone == zone.name or on.is_end for on in step.on)
    ]
    cards = tuple(
        _first(_on_card(there, from_hand, zone, index, card))
        for index, card in enumerate(zone.cards)
    )
    wholes = [
        _touch(number, step, on, zone)
        for number, step, on in there
        if on.card is None and on.index is None and not on.is_end
    ]
    ends = [Touch(number, step.title) for number, step, on in there if on.is_end]
    return Touches(cards, _first(one for one in wholes if one.settled), next(iter(ends), None))


def _on_card(
    there: Sequence[tuple[int, Step, On]],
    from_hand: Offered,
    zone: Zone,
    index: int,
    card: Card,
) -> Iterator[Touch]:
    """What may be meant by a touch on one card of a zone."""
    for number, step, on in there:
        if on.card == card if on.card is not None else on.index == index:
            yield _touch(number, step, on, zone)
    for number, step in from_hand if card.is_known else ():
        needs = step.needs
        if len(needs) == 1 and card in needs[0].candidates:
            kind, place = needs[0].kind, needs[0].candidates.index(card)
            if kind is NeedKind.CARD or (kind is NeedKind.CARDS and needs[0].count == 1):
                yield Touch(number, step.title, ((0, place),), is_whole=True)
            elif kind is NeedKind.CARDS:
                yield Touch(number, step.title, ((0, place),), adds=True)


def _touch(number: int, step: Step, on: On, zone: Zone) -> Touch:
    found = []
    for place, need in enumerate(step.needs):
        value = told_by(need, step.needs, on, zone)
        one = value[0] if isinstance(value, tuple) else value
        if one is not None and one in need.candidates:
            found.append((place, need.candidates.index(one)))
    return Touch(number, step.title, tuple(found), len(found) == len(step.needs))


def _first(found: Iterable[Touch]) -> Touch | None:
    """The first that a thing says something to; where it says nothing, the only one there is.

    Two answers to one question, such as Right and Wrong, are told apart by their buttons alone.
    """
    every = list(dict.fromkeys(found))
    told = [one for one in every if one.settled]
    if told:
        return told[0]
    return every[0] if len(every) == 1 else None
