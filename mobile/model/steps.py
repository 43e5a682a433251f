"""View-model of guidance's steps as actions: what each settles, and what a thing on the table says.

A step of guidance names an event with some of its arguments open; a thing that is touched (a card,
a place in a hand, a zone) settles more of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.core.arguments import positions_of
from companion.core.events import Event
from companion.core.game import Game
from companion.core.guidance.steps import Need, NeedKind, On, Step
from companion.core.state import Zone
from companion.core.verb import MATCH


@dataclass(frozen=True, slots=True)
class Action:
    """Something that may happen now.

    Attributes:
        seat: who acts, None for the table.
        audience: the seats that may know what it says; None where it is public.
        step: the step of the game's guidance that it is; None where guidance does not name it.
        settled: position and value of each argument that is settled already.
        touched: what the thing on the table that it was begun on has settled of it.
    """

    seat: int | None
    verb: str
    form: int
    audience: frozenset[int] | None
    step: Step | None = field(default=None, compare=False)
    settled: tuple[tuple[int, Any], ...] = ()
    touched: tuple[tuple[Need, Any], ...] = field(default=(), compare=False)

    @property
    def is_secret(self) -> bool:
        """Whether it has to be entered behind a cover."""
        return self.audience is not None

    @property
    def key(self) -> tuple[Any, ...]:
        """What identifies it."""
        return self.seat, self.verb, self.form, self.audience

    def event(self, values: Iterable[Any] = ()) -> Event:
        """The event with these arguments, in their order, beside those that are settled."""
        args = list(values)
        for position, value in self.settled:
            args.insert(position, value)
        return Event(self.verb, tuple(args), self.seat, self.audience)

    @property
    def commits(self) -> bool:
        """Whether it is for good, so that it is asked twice."""
        return self.step is not None and self.step.commits


def needs_nothing(game: Game[Any], action: Action) -> bool:
    """Whether the action is complete as it is."""
    parts = game.verbs[action.verb].forms[action.form]
    return sum(part.yields for part in parts) == len(action.settled)


def of_event(game: Game[Any], event: Event) -> Action:
    """The action by which an event comes about."""
    verb = game.verbs[event.verb]
    form = verb.forms.index(verb.form_of(event.args))
    return Action(event.seat, event.verb, form, event.audience)


def of_step(game: Game[Any], step: Step) -> Action:
    """The action of a step of guidance, with what the step settles."""
    assert step.event is not None
    needed = positions_of(game, step)
    settled = tuple((k, arg) for k, arg in enumerate(step.event.args) if k not in needed)
    return replace(of_event(game, step.event), step=step, settled=settled)


def done_on(action: Action, on: On, zone: Zone | None) -> Action:
    """An action begun on a thing that lies on the table: what the thing says is settled."""
    if action.step is None:
        return action
    taken = {position for position, _ in action.settled}
    free = (k for k in itertools.count() if k not in taken)
    found, touched = list(action.settled), list(action.touched)
    for position, need in zip(free, action.step.needs, strict=False):
        value = told_by(need, action.step.needs, on, zone)
        if value is not None:
            found.append((position, value))
            touched.append((need, value))
    settled = tuple(sorted(found, key=lambda pair: pair[0]))
    return replace(action, settled=settled, touched=tuple(touched))


def untouched(game: Game[Any], action: Action) -> tuple[Action, dict[int, Any]]:
    """An action as it was before it was begun on a thing, and what that said, by position."""
    if action.step is None:
        return action, {}
    needed = positions_of(game, action.step)
    kept = tuple(pair for pair in action.settled if pair[0] not in needed)
    touched = {position: value for position, value in action.settled if position in needed}
    return replace(action, settled=kept, touched=()), touched


def told_by(need: Need, needs: tuple[Need, ...], on: On, zone: Zone | None) -> Any:
    """What a thing says to what a step has to be told; None where it says nothing."""
    if need.kind is NeedKind.CARD and on.card in need.candidates:
        return on.card
    if need.kind is NeedKind.CARDS and on.card in need.candidates and need.count in (0, 1):
        return (on.card,)
    if need.kind is NeedKind.PLAYER and zone is not None and zone.owner in need.candidates:
        return zone.owner
    if on.index is None:
        return None
    if need.kind is NeedKind.POSITION:
        return on.index + 1
    # Places are counted from the first end that is named.
    counted = NeedKind.POSITION in [other.kind for other in needs]
    return need.candidates[0] if need.kind is NeedKind.CHOICE and counted else None


def place_told(step: Step, told: Mapping[Need, Any]) -> On | None:
    """The place on the table that a step was told; None where it is none, or not told yet.

    Args:
        step: what is done.
        told: what it was told so far.
    """
    places = {on.index: on for on in step.on if on.index is not None}
    place = next((told[need] for need in told if need.kind is NeedKind.POSITION), None)
    if place is None or not places:
        return None
    ends = {need.candidates[0]: told[need] for need in told if need.kind is NeedKind.CHOICE}
    is_first = all(first == end for first, end in ends.items())
    return places.get(place - 1 if is_first else max(places) + 1 - place)


def has_acted(events: Sequence[Event], seat: int | None = None) -> bool:
    """Whether a player has acted in the present match for all to see.

    Args:
        events: the standing ones.
        seat: who; None for any of them.
    """
    match = of_this_match(events)
    acts = (event.seat for event in match if event.is_public and event.seat is not None)
    return any(seat in (None, actor) for actor in acts)


def of_this_match(events: Sequence[Event]) -> Sequence[Event]:
    """Those of the standing events that belong to the present match."""
    begun = (n for n, event in enumerate(events) if event.verb == MATCH)
    return events[max(begun, default=-1) + 1 :]
