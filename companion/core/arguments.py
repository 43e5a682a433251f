"""Which argument of a step's event each of its needs is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.cards import Card
from companion.core.game import Game
from companion.core.guidance.steps import Need, NeedKind, Step
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

#: Which parts of a verb's form a need can be about.
_PARTS: dict[NeedKind, tuple[type[Part], ...]] = {
    NeedKind.CARD: (CardPart,),
    NeedKind.CARDS: (CardsPart,),
    NeedKind.PLAYER: (PlayerPart,),
    NeedKind.PLAYERS: (PlayersPart,),
    NeedKind.NUMBER: (NumberPart,),
    NeedKind.POSITION: (NumberPart,),
    NeedKind.RANK: (RankPart,),
    NeedKind.CHOICE: (ChoicePart, WordPart),
    NeedKind.TEXT: (Part,),
}
#: Needs that want several values, and those that want cards.
SEVERAL = (NeedKind.CARDS, NeedKind.PLAYERS)
CARDS = (NeedKind.CARD, NeedKind.CARDS)


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
