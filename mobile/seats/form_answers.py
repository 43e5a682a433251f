"""What a page sent back: the event that a filled form means.

A page sends which step it was and, for each thing asked, the numbers of what was chosen. Nothing
that it sends is parsed but free text.
"""

from __future__ import annotations

from typing import Any

from companion.core.arguments import SEVERAL, is_unread, parts_of, positions_of
from companion.core.events import Event
from companion.core.game import Game
from companion.core.guidance.steps import Guidance, Need, NeedKind, Step
from companion.core.setup import Setup
from companion.core.state import evolve
from companion.core.syntax import KeyedPart, Part, QuotedPart
from companion.errors import CompanionError, UnreadableError, UsageError
from mobile.seats import sentences

#: Longest text that is read, in characters.
MOST_TEXT = 300


def made_of_keys(
    game: Game[Any], guidance: Guidance, number: object, place: object, touched: object
) -> str:
    """The text that touched keys of a field mean.

    Args:
        game: the game.
        guidance: what was offered.
        number: which of its steps, as the page sent it.
        place: which of the things that it asks for.
        touched: for each group of keys the numbers of those that are down.

    Raises:
        UsageError: there are no such keys.
    """
    step, _ = _offered(guidance, number)
    if type(place) is not int or not 0 <= place < len(step.needs):
        raise UsageError(sentences.NOT_OFFERED)
    part = parts_of(game, step)[positions_of(game, step)[place]]
    if not isinstance(part, KeyedPart) or not isinstance(touched, list):
        raise UsageError(sentences.UNREADABLE)
    groups = part.key_groups()
    if len(touched) != len(groups) or not all(
        isinstance(down, list)
        and all(type(key) is int and 0 <= key < len(group.keys) for key in down)
        for down, group in zip(touched, groups, strict=True)
    ):
        raise UsageError(sentences.UNREADABLE)
    return part.made_of([frozenset(down) for down in touched])


def event_of(
    game: Game[Any], setup: Setup, guidance: Guidance, number: object, values: object
) -> tuple[Step, Event]:
    """The event that a filled form means.

    Args:
        game: the game.
        setup: the session's settings.
        guidance: what was offered.
        number: which of its steps, as the page sent it.
        values: for each need the numbers of what was chosen, or a text; None for the step as it
            stands, without naming what is hidden.

    Raises:
        CompanionError: it is no filled form, or something is missing in it.
    """
    step, event = _offered(guidance, number)
    if not step.needs or (values is None and any(is_unread(arg) for arg in event.args)):
        return step, event
    if not isinstance(values, list) or len(values) != len(step.needs):
        raise UsageError(sentences.UNREADABLE)
    args, parts = list(event.args), parts_of(game, step)
    for need, value, place in zip(step.needs, values, positions_of(game, step), strict=True):
        args[place] = _value(need, value, parts[place], setup)
    return step, evolve(event, args=tuple(args), n=0)


def _offered(guidance: Guidance, number: object) -> tuple[Step, Event]:
    if type(number) is int and 0 <= number < len(guidance.steps):
        step = guidance.steps[number]
        if step.event is not None:
            return step, step.event
    raise UsageError(sentences.NOT_OFFERED)


def _value(need: Need, sent: object, part: Part, setup: Setup) -> Any:
    if need.kind is NeedKind.TEXT or not need.candidates:
        return _read(sent, part, setup)
    if not isinstance(sent, list) or not all(type(number) is int for number in sent):
        raise UsageError(sentences.UNREADABLE)
    if any(not 0 <= number < len(need.candidates) for number in sent):
        raise UsageError(sentences.NOT_OFFERED)
    chosen = tuple(need.candidates[number] for number in sent)
    if len(set(sent)) != len(sent) or not chosen:
        raise UnreadableError(sentences.MISSING)
    if need.kind in SEVERAL:
        return chosen
    if len(chosen) != 1:
        raise UsageError(sentences.UNREADABLE)
    return chosen[0]


def _read(sent: object, part: Part, setup: Setup) -> Any:
    if not isinstance(sent, str) or len(sent) > MOST_TEXT or not sent.isprintable():
        raise UsageError(sentences.UNREADABLE)
    text = sent.strip()
    if '"' in text:
        raise UnreadableError(sentences.NO_QUOTES)
    if not text:
        raise UnreadableError(sentences.MISSING)
    is_quoted = isinstance(part, QuotedPart) or part.label.startswith('"')
    words = [f'"{text}"'] if is_quoted else text.split()
    value, used = part.read(words, setup)
    if used != len(words):
        raise CompanionError(sentences.NO_SENSE)
    return value
