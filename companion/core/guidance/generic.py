"""Guidance for a game that has none: worked out from its verbs, who may act, and what is legal.

The titles are the verbs' explanations. What the game means by them is not known, so the headline
says only whose turn it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from companion.cards import unknown
from companion.core.arguments import kind_of, values_of
from companion.core.events import DISCLOSE, Event, public
from companion.core.game import Game
from companion.core.guidance.build import Guide
from companion.core.guidance.steps import Guidance, Need, Step
from companion.core.syntax import CardPart, CardsPart, Form, Part, PlayersPart
from companion.core.verb import Verb, Who
from companion.core.view import View
from companion.phrases import phrase

#: How many legal events are searched for what can be chosen.
_MOST_EVENTS = 2000
#: How many cards are tried at most if nothing says how many are needed.
_MOST_CARDS = 13
#: Verbs that every game's guidance treats separately.
_COMMON = frozenset({"hand", "reveal", "agree", "match", DISCLOSE})
#: Verbs after which cards are dealt anew.
_BEGINNINGS = frozenset({"match", "playoff"})


def guidance_of(game: Game[Any], view: View[Any]) -> Guidance:
    """What is going on and what may be done, in words for one viewer."""
    own = game.guidance(view)
    return guidance_of_any(game, view) if own is None else own


def opening_of(game: Game[Any], view: View[Any]) -> str:
    """What is done with the real cards now, in a sentence, such as how they are dealt.

    Args:
        game: the game.
        view: the match as one viewer may know it.

    Returns:
        The sentence; empty once the viewer knows that anything of this match was recorded.
    """
    if view.events and view.events[-1].verb not in _BEGINNINGS:
        return ""
    return game.opening(view.public)


def guidance_of_any(game: Game[Any], view: View[Any]) -> Guidance:
    """The guidance of a game that has none of its own."""
    guide = Guide(game, view)
    table = guide.state.table
    if table.match_over:
        return guide.after_match(guide.winners())
    hands = guide.hands_first()
    if hands is not None:
        return hands
    seats = game.actors(guide.state)
    steps = [step for seat in seats for step in _steps_of(guide, seat)]
    waiting: tuple[int | None, ...] = seats
    headline = _headline(guide, seats)
    if not steps:
        steps = list(_table_steps(guide))
        waiting = (None,) if steps or not seats else seats
        headline = phrase("The table goes on.") if steps else headline
    also = (*guide.own_hand(), *guide.stop())
    return Guidance(headline, waiting, (*steps, *also))


def _headline(guide: Guide, seats: tuple[int, ...]) -> str:
    if not seats:
        return phrase("Nobody has to act.")
    if len(seats) == 1:
        return phrase("It is {name}'s turn.", name=guide.name(seats[0]))
    return phrase("{names} may act.", names=guide.setup.names(seats))


def _steps_of(guide: Guide, seat: int) -> Iterator[Step]:
    """What a seat may do: public acts by public knowledge, its secrets by what it knows."""
    game = guide.game
    openly = [e for e in _legal(game, guide.state, seat) if e.is_public]
    secretly = [e for e in _legal(game, guide.known(seat), seat) if not e.is_public]
    groups: dict[tuple[Any, ...], list[Event]] = {}
    for event in (*openly, *secretly):
        if event.verb != "hand":
            form = game.verbs[event.verb].form_of(event.args)
            groups.setdefault((event.verb, form, event.audience), []).append(event)
    for (name, form, _), events in groups.items():
        # A secret of the seat may rule out one of the legal acts.
        allowed = guide.first(events)
        if allowed is not None:
            yield guide.step(_title(game.verbs[name]), allowed, needs=_needs(guide, form, events))


def _legal(game: Game[Any], state: Any, seat: int) -> Iterable[Event]:
    return itertools.islice(game.legal(state, seat), _MOST_EVENTS)


def _title(verb: Verb[Any]) -> str:
    return verb.explain.rstrip(".")


def _needs(guide: Guide, form: Form, events: list[Event]) -> Iterator[Need]:
    """What the parts of a form ask for; a part that is the same in all events is settled."""
    parts = [part for part in form if part.yields]
    for index, part in enumerate(parts):
        values = tuple(dict.fromkeys(event.args[index] for event in events))
        if len(values) == 1 and len(events) == 1 and not isinstance(part, CardPart | CardsPart):
            continue
        count = _count(part, values)
        yield Need(kind_of(part), part.label.lower(), _candidates(guide, part, values), count)


def _candidates(guide: Guide, part: Part, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """What can be chosen: single cards, and all unseen ones where no card is listed by name."""
    if isinstance(part, CardsPart):
        values = tuple(dict.fromkeys(card for cards in values for card in cards))
    if not isinstance(part, CardPart | CardsPart) or part.family is not guide.game.family:
        return values
    return values if all(card.is_known for card in values) else guide.unseen()


def _count(part: Part, values: tuple[Any, ...]) -> int:
    """How many cards are wanted, 0 for several numbers of them."""
    if not isinstance(part, CardsPart):
        return 1
    counts = {len(cards) for cards in values}
    return counts.pop() if len(counts) == 1 else 0


def _table_steps(guide: Guide) -> Iterator[Step]:
    """Acts of the table, tried out with all kinds of arguments."""
    for verb in guide.game.verbs.values():
        if verb.who is Who.SEAT or verb.name in _COMMON:
            continue
        for form in verb.forms:
            parts = [part for part in form if part.yields]
            samples = itertools.product(*(_samples(guide, part) for part in parts))
            events = [e for args in samples if guide.can(e := public(None, verb.name, *args))]
            if events:
                needs = _needs(guide, form, events)
                yield guide.step(_title(verb), events[0], needs=needs)
                break


def _samples(guide: Guide, part: Part) -> tuple[Any, ...]:
    """The values of a part to try."""
    if isinstance(part, CardsPart):
        cards = guide.unseen()
        return tuple(cards[:count] for count in range(1, min(len(cards), _MOST_CARDS) + 1))
    values = values_of(part, guide.setup)
    if isinstance(part, CardPart):
        return (*values, unknown(part.family))
    return (values,) if isinstance(part, PlayersPart) else values
