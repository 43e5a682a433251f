"""Suspense's victory conditions as data, and who meets them, with the reason in words.

A condition is (extreme, measure, colour, place). The twelve numbered cards carry every combination
of highest or lowest × number, white number or black number × in play or in hand; the `!` carries
the lowest sum in play, or one of twenty by a d20. Printings differ in which card carries which, so
the mapping is data: `DEFAULT_CONDITIONS` is that of the bundled printable deck.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from companion.cards import Card, Colour, Family, card
from companion.errors import UnreadableError
from companion.phrases import N_, phrase


class Extreme(StrEnum):
    """Which end of the measure wins; the last two measure the distance to a target."""

    HIGHEST = N_("highest")
    LOWEST = N_("lowest")
    NOT_OVER = N_("closest to 6 without going over")
    NOT_UNDER = N_("closest to 6 without being under")


class Measure(StrEnum):
    """What is measured of a player's cards."""

    NUMBER = "number"
    SUM = N_("sum")
    CARDS = "cards"


class CountedIn(StrEnum):
    """Which of a player's cards count."""

    PLAY = N_("in play")
    HAND = N_("in hand")


#: The sum that the two "closest" conditions aim at.
TARGET = 6


_MEASURED = {
    (Measure.NUMBER, None): N_("{word} number {place}"),
    (Measure.NUMBER, Colour.BLACK): N_("{word} black number {place}"),
    (Measure.NUMBER, Colour.WHITE): N_("{word} white number {place}"),
    (Measure.SUM, None): N_("{word} sum {place}"),
    (Measure.SUM, Colour.BLACK): N_("{word} black sum {place}"),
    (Measure.SUM, Colour.WHITE): N_("{word} white sum {place}"),
    (Measure.CARDS, None): N_("{word} cards {place}"),
    (Measure.CARDS, Colour.BLACK): N_("{word} black cards {place}"),
    (Measure.CARDS, Colour.WHITE): N_("{word} white cards {place}"),
}
_CLOSEST = {
    None: N_("sum {extreme} {place}"),
    Colour.BLACK: N_("black sum {extreme} {place}"),
    Colour.WHITE: N_("white sum {extreme} {place}"),
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A victory condition.

    Attributes:
        extreme: highest, lowest (most and fewest for cards), or closest to 6 (for sums).
        measure: the best single number, the sum of numbers, or how many cards.
        colour: only cards of this colour count; None for all of them.
        place: cards in play or in hand.
    """

    extreme: Extreme
    measure: Measure
    colour: Colour | None
    place: CountedIn

    def __str__(self) -> str:
        if self.extreme in (Extreme.NOT_OVER, Extreme.NOT_UNDER):
            text = _CLOSEST[self.colour]
            return phrase(text, extreme=self.extreme, place=self.place)
        word = self.extreme.value
        if self.measure is Measure.CARDS:
            word = N_("most") if self.extreme is Extreme.HIGHEST else N_("fewest")
        text = _MEASURED[self.measure, self.colour]
        return phrase(text, word=word, place=self.place)

    def contribution(self, card: Card) -> int | None:
        """What one card adds to the measure (a number is compared, not added); None: nothing.

        The `!` adds nothing to a sum, is no number, and counts as a card.
        """
        if self.colour is not None and card.colour is not self.colour:
            return None
        if self.measure is Measure.CARDS:
            return 1
        return card.rank if card.suit is not None else None

    def raw(self, cards: Iterable[Card]) -> int | None:
        """The number, sum or count as such; None for a number where no card has one."""
        numbers = [n for n in map(self.contribution, cards) if n is not None]
        if self.measure is not Measure.NUMBER:
            return sum(numbers)  # over nothing it is 0, which does count
        if not numbers:
            return None
        return max(numbers) if self.extreme is Extreme.HIGHEST else min(numbers)

    def value(self, cards: Iterable[Card]) -> int | None:
        """What a player's cards of the right place measure, higher being better.

        Returns:
            The value, None when the player cannot meet the condition at all.
        """
        raw = self.raw(cards)
        if raw is None or (self.extreme is Extreme.NOT_OVER and raw > TARGET):
            return None
        if self.extreme is Extreme.NOT_UNDER and raw < TARGET:
            return None
        return raw if self.extreme in (Extreme.HIGHEST, Extreme.NOT_OVER) else -raw


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """Who meets a condition.

    Attributes:
        meets: the players who meet it, folded ones included, in the order given.
        reason: why, in words, e.g. `highest white number in play: Bo, 5 over 3`.
    """

    meets: tuple[str, ...]
    reason: str


def evaluate(condition: Condition, cards: Mapping[str, Iterable[Card]]) -> ConditionResult:
    """Decides a condition over all players.

    Args:
        condition: the condition on the secret card.
        cards: for each player, in seat order, the cards in play or in hand, whichever
            `condition.place` says.

    Returns:
        Everyone whose value is best (several on equal values), and the reason.
    """
    held = {name: tuple(own) for name, own in cards.items()}
    values = {name: condition.value(own) for name, own in held.items()}
    best = max((value for value in values.values() if value is not None), default=None)
    if best is None:
        return ConditionResult((), phrase("{condition}: nobody qualifies", condition=condition))
    meets = tuple(name for name, value in values.items() if value == best)
    raws = {name: condition.raw(own) for name, own in held.items()}
    winners = meets[0]
    if len(meets) > 1:
        winners = phrase("{name} and {name2}", name=", ".join(meets[:-1]), name2=meets[-1])
    rest = sorted({value for value in values.values() if value not in (None, best)}, key=str)
    said, fields = N_("{condition}: {names}, {raw}"), {}
    if rest:
        second = max(value for value in values.values() if value is not None and value != best)
        runner = next(name for name, value in values.items() if value == second)
        is_over = condition.extreme in (Extreme.HIGHEST, Extreme.NOT_OVER)
        over, under = (
            N_("{condition}: {names}, {raw} over {raw2}"),
            N_("{condition}: {names}, {raw} under {raw2}"),
        )
        said, fields = over if is_over else under, {"raw2": raws[runner]}
    elif len(meets) == len(held):
        said = N_("{condition}: {names}, {raw} each")
    raw = raws[meets[0]]
    reason = phrase(said, condition=condition, names=winners, raw=raw, **fields)
    return ConditionResult(meets, reason)


def _numbers(place_words: str) -> list[Condition]:
    """Highest and lowest of a colour in a place, from e.g. `white in play`."""
    word, _, place = place_words.partition(" ")
    colour = None if word == "any" else Colour(word)
    return [
        Condition(extreme, Measure.NUMBER, colour, CountedIn(place))
        for extreme in (Extreme.HIGHEST, Extreme.LOWEST)
    ]


def _default() -> dict[Card, Condition]:
    """The mapping of the bundled deck: white 1–6, black 1–6, then the `!`."""
    order = (
        ["any in play", "any in hand", "white in play"],
        ["black in play", "white in hand", "black in hand"],
    )
    mapping: dict[Card, Condition] = {}
    for suit, groups in zip("WB", order, strict=True):
        conditions = [condition for group in groups for condition in _numbers(group)]
        for number, condition in enumerate(conditions, 1):
            mapping[card(f"{suit}{number}", Family.SUSPENSE)] = condition
    mapping[card("!", Family.SUSPENSE)] = EXCLAMATIONS[0]
    return mapping


def _exclamations() -> tuple[Condition, ...]:
    """The twenty conditions of the `!`, in the order of the d20."""
    low, high = Extreme.LOWEST, Extreme.HIGHEST
    found = [
        Condition(extreme, Measure.SUM, colour, place)
        for colour in (None, Colour.BLACK, Colour.WHITE)
        for extreme in (low, high)
        for place in CountedIn
    ]
    found += [
        Condition(extreme, Measure.CARDS, None, place)
        for extreme in (low, high)
        for place in CountedIn
    ]
    found += [
        Condition(extreme, Measure.SUM, None, place)
        for extreme in (Extreme.NOT_OVER, Extreme.NOT_UNDER)
        for place in CountedIn
    ]
    return tuple(found)


#: The `!` conditions; the d20 showing n picks entry n − 1. The first is the fixed one.
EXCLAMATIONS: tuple[Condition, ...] = _exclamations()

#: Card to condition in the bundled printable deck.
DEFAULT_CONDITIONS: Mapping[Card, Condition] = _default()

_CONDITION = re.compile(
    r"(?:(?P<extreme>highest|lowest|most|fewest) )?(?:(?P<colour>white|black) )?"
    r"(?P<measure>number|sum|cards)"
    r"(?: (?P<target>closest to 6 without (?:going over|being under)))?"
    r" (?P<place>in play|in hand)"
)


def parse_condition(text: str) -> Condition:
    """Reads a condition as `str(condition)` writes it, e.g. `lowest black sum in hand`.

    Raises:
        UnreadableError: it is none; the message shows the form.
    """
    words = " ".join(text.casefold().replace("numbers", "number").split())
    match = _CONDITION.fullmatch(words)
    help_text = N_("write it like “highest white number in play” or “fewest cards in hand”")
    if match is None or (match["extreme"] is None) == (match["target"] is None):
        raise UnreadableError(
            "“{text}” is no victory condition; {help_text}.", text=text, help_text=help_text
        )
    measure = Measure(match["measure"])
    counting = match["extreme"] in ("most", "fewest")
    if counting != (measure is Measure.CARDS) or (match["target"] and measure is not Measure.SUM):
        raise UnreadableError(
            "“{text}” mixes two kinds of condition; {help_text}.", text=text, help_text=help_text
        )
    names = {"most": "highest", "fewest": "lowest"}
    extreme = Extreme(match["target"] or names.get(match["extreme"], match["extreme"]))
    colour = Colour(match["colour"]) if match["colour"] else None
    return Condition(extreme, measure, colour, CountedIn(match["place"]))


def match_points(
    meets: Sequence[str], stayed: Sequence[str], folded: Sequence[str]
) -> dict[str, int]:
    """Points of a match.

    Args:
        meets: the players who meet the secret card's condition, folded ones included.
        stayed: the players who stayed.
        folded: the players who folded.

    Returns:
        Stayed and meets: 2, or 1 each when several who stayed meet it; folded and does not meet:
        1; all others 0 (a folded player who meets it leaves the win to nobody else).
    """
    winners = [name for name in stayed if name in meets]
    prize = 2 if len(winners) == 1 else 1
    points = {name: prize if name in winners else 0 for name in stayed}
    points.update({name: int(name not in meets) for name in folded})
    return points


def captions(deck: str) -> dict[str, str]:
    """The words on each card of a deck, by the card's code; empty for a deck without words."""
    if deck != "suspense":
        return {}
    return {card.code: str(condition) for card, condition in DEFAULT_CONDITIONS.items()}
