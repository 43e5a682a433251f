"""What the parts of a verb's form ask for, and which of them each need of a step is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.cards import RANKS, Card, family_cards
from companion.core.game import Game
from companion.core.guidance.steps import Need, NeedKind, Step
from companion.core.setup import Setup
from companion.core.syntax import (
    CardPart,
    CardsPart,
    ChoicePart,
    NumberPart,
    Part,
    PlayerPart,
    PlayersPart,
    RankPart,
    WordPart,
)
from companion.errors import UsageError

#: How a part of a verb's form is asked for; any other is typed.
_KINDS: tuple[tuple[type[Part], NeedKind], ...] = (
    (CardPart, NeedKind.CARD),
    (CardsPart, NeedKind.CARDS),
    (PlayerPart, NeedKind.PLAYER),
    (PlayersPart, NeedKind.PLAYERS),
    (NumberPart, NeedKind.NUMBER),
    (RankPart, NeedKind.RANK),
    (ChoicePart, NeedKind.CHOICE),
)
#: Which parts of a verb's form a need can be about.
_PARTS: dict[NeedKind, tuple[type[Part], ...]] = {
    **{kind: (part,) for part, kind in _KINDS},
    NeedKind.POSITION: (NumberPart,),
    NeedKind.CHOICE: (ChoicePart, WordPart),
    NeedKind.TEXT: (Part,),
}
#: Numbers that are offered of a part at most.
_MOST_NUMBERS = 61
#: Needs that want several values, and those that want cards.
SEVERAL = (NeedKind.CARDS, NeedKind.PLAYERS)
CARDS = (NeedKind.CARD, NeedKind.CARDS)


def kind_of(part: Part) -> NeedKind:
    """How a part of a form is asked for."""
    if isinstance(part, WordPart) and "|" in part.title:
        return NeedKind.CHOICE
    return next((kind for cls, kind in _KINDS if isinstance(part, cls)), NeedKind.TEXT)


def values_of(part: Part, setup: Setup) -> tuple[Any, ...]:
    """What can be chosen for a part, in order: single cards and seats, even where it takes several.

    Returns:
        Only the first of very many numbers; nothing for free text.
    """
    if isinstance(part, CardPart | CardsPart):
        return family_cards(part.family)
    if isinstance(part, PlayerPart | PlayersPart):
        return tuple(range(len(setup.players)))
    if isinstance(part, NumberPart):
        return tuple(range(part.low, part.high + 1)[:_MOST_NUMBERS])
    if isinstance(part, RankPart):
        return tuple(range(1, len(RANKS) + 1))
    if isinstance(part, ChoicePart):
        return part.words
    return tuple(part.label.split("|")) if kind_of(part) is NeedKind.CHOICE else ()


def parts_of(game: Game[Any], step: Step) -> tuple[Part, ...]:
    """The parts of the step's form that yield an argument."""
    assert step.event is not None
    form = game.verbs[step.verb].form_of(step.event.args)
    return tuple(part for part in form if part.yields)


def position_of(game: Game[Any], step: Step, need: Need) -> int:
    """Which argument of the step's event a need is about."""
    return positions_of(game, step)[next(k for k, n in enumerate(step.needs) if n is need)]


def positions_of(game: Game[Any], step: Step) -> tuple[int, ...]:
    """For each need of a step, the number of the argument that it is about.

    Needs come in the order of the form; what they do not ask for is settled by the step's event.

    Raises:
        UsageError: the step asks for something that its verb does not take.
    """
    found = _match(step, step.needs, parts_of(game, step), 0)
    if found is None:
        raise UsageError(f"“{step.verb}” is not asked for by its own form.")
    return found


def _match(
    step: Step, needs: Sequence[Need], parts: Sequence[Part], start: int
) -> tuple[int, ...] | None:
    if not needs:
        return ()
    assert step.event is not None
    for place in range(start, len(parts)):
        if not isinstance(parts[place], _PARTS[needs[0].kind]):
            continue
        if not _fits(needs[0], step.event.args[place]):
            continue
        rest = _match(step, needs[1:], parts, place + 1)
        if rest is not None:
            return (place, *rest)
    return None


def _fits(need: Need, arg: Any) -> bool:
    """Whether the example's argument can be one of what the need offers."""
    if need.kind in (NeedKind.TEXT, *CARDS) or not need.candidates:
        return True
    values = arg if need.kind in SEVERAL else (arg,)
    return isinstance(values, tuple) and all(value in need.candidates for value in values)


def is_unread(arg: Any) -> bool:
    """Whether an argument is cards that nobody has read."""
    cards = arg if isinstance(arg, tuple) else (arg,)
    return any(isinstance(card, Card) and card.code == "??" for card in cards)
