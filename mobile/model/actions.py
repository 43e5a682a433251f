"""View-model of what may happen now: which actions to offer, and what each still has to be asked.

Everything follows from the verbs that a game declares, so a table needs no code per game. Whether
a *public* action is offered follows from public knowledge alone, judged as at an open table: else
a button that is missing could tell a hidden hand. A private action is judged by what its own seat
knows, and what can be chosen in it is worked out behind that seat's cover.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from companion.cards import Card, unknown
from companion.core.arguments import kind_of, positions_of, values_of
from companion.core.events import DISCLOSE
from companion.core.game import Game
from companion.core.guidance.build import opened
from companion.core.guidance.steps import Need, NeedKind
from companion.core.referee import Referee
from companion.core.syntax import CardPart, CardsPart, Form, NumberPart, Part, PlayersPart
from companion.core.verb import Secrecy, Verb, Who
from companion.errors import CompanionError
from mobile.model.steps import Action, of_event

#: At most so many cards are tried to find out whether a verb that lists cards may come now.
_MOST_CARDS = 26
#: So many places have keys in two lines on a small phone.
_FEW = 12
#: Verbs that end a session or open its secrets: everybody has to agree to them.
CLOSING = ("agree", DISCLOSE)


@dataclass(frozen=True, slots=True)
class ActionField:
    """One thing an action has to be told.

    Attributes:
        part: the form's part, which reads free text.
        values: what can be chosen, in order; empty for free text.
        usual: the values that are likely meant (shown first); all of `values` where empty.
        count: how many cards are expected, 0 where any number will do.
        position: which argument of the event it is, from 0.
        need: what guidance says of it; None where it says nothing.
    """

    part: Part
    values: tuple[Any, ...] = ()
    usual: tuple[Any, ...] = ()
    count: int = 0
    position: int = 0
    need: Need | None = None

    @property
    def kind(self) -> NeedKind:
        """How it is asked for."""
        return kind_of(self.part)

    def words_of(self, value: Any) -> str:
        """A value as the step's sentence says it; empty where its name will do."""
        need = self.need
        if need is None or not need.words or value not in need.candidates:
            return ""
        return need.words[need.candidates.index(value)]


def offered(referee: Referee[Any]) -> tuple[Action, ...]:
    """Every action that may happen now, those that the game lists first.

    The others are found by trying each verb with placeholders (unread cards, the first player…), as
    far as everybody may know: the buttons of secret actions stand on a screen that all can see.
    """
    game, state = referee.game, opened(referee.knowledge(None))
    events = (event for seat in game.actors(state) for event in game.legal(state, seat))
    listed = {of_event(game, event).key for event in events}
    seats = tuple(range(len(referee.setup.players)))
    found = (
        Action(seat, verb.name, form, audience)
        for verb in game.verbs.values()
        for seat, audience in _actors_of(verb, seats)
        for form in range(len(verb.forms))
    )
    possible = [a for a in found if a.key in listed or _may_happen(game, state, a)]
    possible.sort(key=lambda a: (a.key not in listed, -1 if a.seat is None else a.seat))
    return tuple(possible)


def _may_happen(game: Game[Any], state: Any, action: Action) -> bool:
    """Whether some arguments make the action possible."""
    form = game.verbs[action.verb].forms[action.form]
    samples = _samples(game, state, form, action.seat)
    return any(game.can(state, action.event(args)) for args in samples)


def _actors_of(
    verb: Verb[Any], seats: tuple[int, ...]
) -> Iterator[tuple[int | None, frozenset[int] | None]]:
    """Every seat (None for the table) and audience that a verb can have."""
    if verb.who is not Who.SEAT and verb.secrecy in (Secrecy.PUBLIC, Secrecy.EITHER):
        yield None, None
    if verb.who is Who.TABLE:
        return
    for seat in seats:
        if verb.secrecy in (Secrecy.PUBLIC, Secrecy.EITHER) and verb.who is Who.SEAT:
            yield seat, None
        if verb.secrecy in (Secrecy.PRIVATE, Secrecy.EITHER):
            yield seat, frozenset({seat})
        if verb.secrecy is Secrecy.SHARED:
            for other in seats:
                if other != seat:
                    yield seat, frozenset({seat, other})


def _samples(
    game: Game[Any], state: Any, form: Form, seat: int | None
) -> Iterator[tuple[Any, ...]]:
    """Arguments by which to find out whether a verb may come now."""
    parts = [part for part in form if part.yields]
    alone = len(parts) == 1
    return itertools.product(*(_sample_values(game, state, p, seat, is_alone=alone) for p in parts))


def _sample_values(
    game: Game[Any], state: Any, part: Part, seat: int | None, *, is_alone: bool
) -> tuple[Any, ...]:
    values = values_of(part, state.setup)
    if isinstance(part, CardPart):
        return (unknown(part.family), *values[: None if is_alone else 1])
    if isinstance(part, CardsPart):
        size = game.hand_size(state, seat) if seat is not None else None
        known = () if seat is None else (game.remaining(state, seat) or ())
        counts = dict.fromkeys((size or 1, len(known) or 1, *range(1, _MOST_CARDS + 1)))
        unseen = [card for card in values if card not in state.ledger]
        lists = [(unknown(part.family),) * count for count in counts]
        lists += [tuple(unseen[:count]) for count in counts]
        return (*lists, *((known,) if known else ()))
    if isinstance(part, PlayersPart):
        return (values,)
    return values[:1] if kind_of(part) in (NeedKind.NUMBER, NeedKind.RANK) else values


# -- what an action still has to be told ---------------------------------------------------------


def fields_of(referee: Referee[Any], action: Action) -> tuple[ActionField, ...]:
    """What to ask for, with the values that can be chosen.

    For a secret action the values follow from what its own seat knows: show them to it alone.
    """
    game = referee.game
    is_own = action.is_secret and action.seat is not None
    known = referee.knowledge(action.seat if is_own else None)
    state = known if is_own else opened(known)
    settled, step = dict(action.settled), action.step
    needed = {} if step is None else dict(zip(positions_of(game, step), step.needs, strict=True))
    examples = _examples(game, state, action)
    fitting = [a for a in examples if all(a[k] == value for k, value in settled.items())]
    parts = [part for part in game.verbs[action.verb].forms[action.form] if part.yields]
    fields = []
    for position, part in enumerate(parts):
        if position not in settled:
            seen = tuple(dict.fromkeys(args[position] for args in fitting))
            need = needed.get(position)
            fields.append(_field(referee, state, action, position, part, seen, need))
    return tuple(fields)


def _examples(game: Game[Any], state: Any, action: Action) -> list[tuple[Any, ...]]:
    """Arguments of the events that the game lists for this action."""
    if action.seat is None:
        return []
    verb = game.verbs[action.verb]
    found = []
    for event in game.legal(state, action.seat):
        same = (event.verb, event.audience) == (action.verb, action.audience)
        if same and verb.forms.index(verb.form_of(event.args)) == action.form:
            found.append(event.args)
    return found


def _field(
    referee: Referee[Any],
    state: Any,
    action: Action,
    position: int,
    part: Part,
    seen: tuple[Any, ...],
    need: Need | None,
) -> ActionField:
    """A field for one part.

    Args:
        referee: who judges.
        state: what whoever is asked knows.
        action: what is done.
        position: of the argument.
        part: of the form.
        seen: the values that the game lists.
        need: what guidance says of it.
    """
    kind, values = kind_of(part), values_of(part, referee.setup)
    usual: tuple[Any, ...] = ()
    count = 0
    if isinstance(part, CardPart | CardsPart):
        values, usual = _cards(referee, state, action, part, seen)
        count = 1 if kind is NeedKind.CARD else _count(referee, state, action)
        if need is not None and need.candidates and not action.is_secret:
            # What guidance means is shown first.
            values = tuple(dict.fromkeys((*values, *need.candidates)))
            # One joker is as good as the other where either is meant.
            likely = frozenset(need.candidates)
            values = tuple(v for v in values if v in likely or v.identity not in likely)
            usual = need.candidates if len(need.candidates) < len(values) else ()
    elif isinstance(part, NumberPart):
        # Every place of a small hand is offered; those of a large one are counted from its ends.
        meant = need.candidates if need is not None and len(need.candidates) <= _FEW else ()
        # Of very many numbers one is typed.
        values = tuple(sorted({*seen, *meant})) or (values if part.high in values else ())
    elif kind in (NeedKind.PLAYER, NeedKind.CHOICE):
        values = seen or values
    return ActionField(part, values, usual, count if need is None else need.count, position, need)


def _cards(
    referee: Referee[Any], state: Any, action: Action, part: CardPart | CardsPart, seen: Any
) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """The cards that can be chosen, and those that are likely meant."""
    game, cards = referee.game, values_of(part, referee.setup)
    if part.family is game.family:
        cards = game.all_cards(referee.setup)
    if isinstance(part, CardPart):
        return cards, _known_only(seen) or _possible(game, state, part, action, cards)
    held = _own_cards(game, state, action)
    return cards, held or _known_only(tuple(card for several in seen for card in several))


def _known_only(seen: tuple[Any, ...]) -> tuple[Card, ...]:
    """The cards that a game lists, where they are particular ones."""
    cards = tuple(dict.fromkeys(seen))
    return cards if all(c.code != "??" for c in cards) else ()


def _possible(
    game: Game[Any], state: Any, part: CardPart, action: Action, cards: tuple[Card, ...]
) -> tuple[Card, ...]:
    """The cards with which an action may happen that needs nothing else; empty where any may."""
    form = game.verbs[action.verb].forms[action.form]
    if [p for p in form if p.yields] != [part]:
        return ()
    state = opened(state)
    fit = tuple(card for card in cards if game.can(state, action.event((card,))))
    return fit if len(fit) < len(cards) else ()


def _own_cards(game: Game[Any], state: Any, action: Action) -> tuple[Card, ...]:
    """For an action on one's own hand, the cards held where they are known."""
    if action.seat is None or action.verb == "hand" or not action.is_secret:
        return ()
    held = game.remaining(state, action.seat) or ()
    return tuple(held) if all(card.is_known for card in held) else ()


def _count(referee: Referee[Any], state: Any, action: Action) -> int:
    """How many cards the action wants: the only number with which it may happen; 0 for several."""
    game, state = referee.game, opened(state)
    form = game.verbs[action.verb].forms[action.form]
    where = next(k for k, p in enumerate(p for p in form if p.yields) if isinstance(p, CardsPart))
    fits = set()
    for args in _samples(game, state, form, action.seat):
        if len(args[where]) not in fits and game.can(state, action.event(args)):
            fits.add(len(args[where]))
    return fits.pop() if len(fits) == 1 else 0


def read_text(field: ActionField, text: str, referee: Referee[Any]) -> Any:
    """What somebody typed for a field.

    Raises:
        CompanionError: it cannot be read.
    """
    text = text.strip()
    words = [f'"{text}"'] if field.part.label.startswith('"') else text.split()
    value, used = field.part.read(words, referee.setup)
    if used != len(words):
        raise CompanionError(f"“{' '.join(words[used:])}” is left over.")
    return value
