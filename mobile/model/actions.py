"""View-model of what may happen now: which actions to offer, and what each still has to be asked.

Everything follows from the verbs that a game declares, so a table needs no code per game. Whether
a *public* action is offered follows from public knowledge alone, judged as at an open table: else
a button that is missing could tell a hidden hand. A private action is judged by what its own seat
knows, and what can be chosen in it is worked out behind that seat's cover.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from companion.cards import Card, Family, family_cards, unknown
from companion.core.arguments import positions_of
from companion.core.events import Event
from companion.core.game import Game
from companion.core.guidance.steps import Need, NeedKind
from companion.core.referee import Referee
from companion.core.state import State, evolve
from companion.core.syntax import (
    CardPart,
    CardsPart,
    ChoicePart,
    Form,
    NumberPart,
    Part,
    PlayerPart,
    PlayersPart,
    RankPart,
    WordPart,
)
from companion.core.verb import Secrecy, Verb, Who
from companion.errors import CompanionError
from mobile.model.steps import Action

#: At most so many cards are tried to find out whether a verb that lists cards may come now.
_MOST_CARDS = 26
#: Verbs that end or follow a match; they are offered apart.
CLOSING = ("match", "agree")
#: Offered apart as well: everybody has to agree to it, one after the other.
DISCLOSING = "disclose"


@dataclass(frozen=True, slots=True)
class ActionField:
    """One thing an action has to be told.

    Attributes:
        label: what the notation calls it, e.g. `CARD`.
        values: what can be chosen, in order; empty for free text.
        usual: the values that are likely meant (shown first); all of `values` where empty.
        count: how many cards are expected, 0 where any number will do.
        part: the form's part, which reads free text.
        title: what it is in words, as guidance says it; empty where it does not.
        position: which argument of the event it is, from 0.
    """

    kind: NeedKind
    label: str
    values: tuple[Any, ...]
    usual: tuple[Any, ...]
    count: int
    part: Part
    title: str = ""
    position: int = 0
    need: Need | None = None

    def words_of(self, value: Any) -> str:
        """A value as the step's sentence says it; empty where its name will do."""
        need = self.need
        if need is None or not need.words or value not in need.candidates:
            return ""
        return need.words[need.candidates.index(value)]


def offered(referee: Referee[Any], *, everything: bool = True) -> tuple[Action, ...]:
    """Every action that may happen now, those that play waits for first.

    Args:
        referee: who judges.
        everything: also those that play does not wait for, which takes longer to find out.
    """
    found: dict[tuple[Any, ...], Action] = {}
    for action in _listed(referee):
        found.setdefault(action.key, action)
    for action in _probed(referee, found, everything=everything):
        found.setdefault(action.key, action)
    order = list(referee.game.verbs)
    return tuple(
        sorted(
            found.values(),
            key=lambda a: (not a.is_first, -1 if a.seat is None else a.seat, order.index(a.verb)),
        )
    )


def public_state(referee: Referee[Any]) -> State:
    """What everybody knows, judged as at an open table."""
    return _opened(referee.knowledge(None))


def _opened(state: Any) -> Any:
    """The state with nobody trusting the referee, so that no refusal speaks of hidden cards."""
    if not any(state.setup.trusted):
        return state
    return evolve(state, setup=evolve(state.setup, trusted=(False,) * len(state.setup.players)))


def _listed(referee: Referee[Any]) -> Iterator[Action]:
    """Actions that the game lists for those who may act: play waits for them."""
    game, open_state = referee.game, public_state(referee)
    for seat in game.actors(open_state):
        for event in game.legal(open_state, seat):
            yield _action_of(game, event, is_first=True)


def _action_of(game: Game[Any], event: Event, *, is_first: bool) -> Action:
    verb = game.verbs[event.verb]
    form = verb.forms.index(verb.form_of(event.args))
    return Action(event.seat, event.verb, form, event.audience, is_first)


def _probed(
    referee: Referee[Any], listed: dict[tuple[Any, ...], Action], *, everything: bool
) -> Iterator[Action]:
    """Actions found by trying each verb with placeholders (unread cards, the first player…)."""
    game, open_state = referee.game, public_state(referee)
    seats = tuple(range(len(referee.setup.players)))
    actors = frozenset(game.actors(open_state))
    busy = frozenset(seat for seat, *_ in listed)
    for verb in game.verbs.values():
        for seat, audience in _actors_of(verb, seats):
            first = _is_awaited(verb, referee, seat, audience) or (
                audience is None and seat in actors and not (verb.late and seat in busy)
            )
            if not (first or everything):
                continue
            for form in range(len(verb.forms)):
                action = Action(seat, verb.name, form, audience, first)
                if action.key not in listed and _may_happen(referee, open_state, action):
                    yield action


def _may_happen(referee: Referee[Any], open_state: Any, action: Action) -> bool:
    """Whether some arguments make the action possible, as far as everybody may know.

    Secret actions as well: their buttons stand on a screen that all can see.
    """
    game, state = referee.game, open_state
    form = game.verbs[action.verb].forms[action.form]
    samples = _samples(game, state, form, action.seat)
    return any(game.can(state, action.event(args)) for args in samples)


def _is_awaited(
    verb: Verb[Any], referee: Referee[Any], seat: int | None, audience: frozenset[int] | None
) -> bool:
    """Whether play waits for an action that no list names: set-up steps, and trusted hands."""
    if referee.knowledge(None).table.match_over:
        return False
    if verb.who is Who.TABLE:
        return verb.name not in (*CLOSING, DISCLOSING)
    trusting = seat is not None and referee.setup.trusted[seat]
    return trusting and audience == frozenset({seat}) and not verb.late


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
    if isinstance(part, CardPart):
        return (unknown(part.family), *family_cards(part.family)[: None if is_alone else 1])
    if isinstance(part, CardsPart):
        size = game.hand_size(state, seat) if seat is not None else None
        known = () if seat is None else (game.remaining(state, seat) or ())
        counts = dict.fromkeys((size or 1, len(known) or 1, *range(1, _MOST_CARDS + 1)))
        unseen = [c for c in family_cards(part.family) if c not in state.ledger]
        lists = [(unknown(part.family),) * count for count in counts]
        lists += [tuple(unseen[:count]) for count in counts]
        return (*lists, *((known,) if known else ()))
    if isinstance(part, PlayerPart):
        return tuple(range(len(state.setup.players)))
    if isinstance(part, PlayersPart):
        return (tuple(range(len(state.setup.players))),)
    if isinstance(part, NumberPart):
        return (part.low,)
    if isinstance(part, RankPart):
        return (1,)
    if isinstance(part, ChoicePart):
        return part.words
    if isinstance(part, WordPart):
        return tuple(part.title.split("|")) if "|" in part.title else ()
    return ()


# -- what an action still has to be told ---------------------------------------------------------


def fields_of(referee: Referee[Any], action: Action) -> tuple[ActionField, ...]:
    """What to ask for, with the values that can be chosen.

    For a secret action the values follow from what its own seat knows: show them to it alone.
    """
    game = referee.game
    verb = game.verbs[action.verb]
    form = verb.forms[action.form]
    state = public_state(referee)
    if action.is_secret and action.seat is not None:
        state = referee.knowledge(action.seat)
    examples = _examples(game, state, action)
    fields = []
    settled = dict(action.settled)
    step = action.step
    needed = {} if step is None else dict(zip(positions_of(game, step), step.needs, strict=True))
    parts = [part for part in form if part.yields]
    fitting = [a for a in examples if all(a[k] == value for k, value in settled.items())]
    for position, part in enumerate(parts):
        if position in settled:
            continue
        seen = tuple(dict.fromkeys(args[position] for args in fitting))
        found = _field(referee, state, part, action, seen)
        need = needed.get(position)
        if need is not None:
            found = replace(found, title=need.title, count=need.count, need=need)
            if not action.is_secret and found.kind in (NeedKind.CARD, NeedKind.CARDS):
                found = _as_guided(found, need.candidates)
        fields.append(replace(found, position=position))
    return tuple(fields)


def _as_guided(found: ActionField, candidates: tuple[Any, ...]) -> ActionField:
    """A field for cards with those that guidance means shown first."""
    if not candidates:
        return found
    values = tuple(dict.fromkeys((*found.values, *candidates)))
    return replace(found, values=values, usual=candidates if len(candidates) < len(values) else ())


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
    referee: Referee[Any], state: Any, part: Part, action: Action, seen: tuple[Any, ...]
) -> ActionField:
    label = part.label
    if isinstance(part, CardPart):
        usual = _known_only(seen) or _possible(referee, state, part, action)
        return ActionField(NeedKind.CARD, label, _all_cards(referee, part.family), usual, 1, part)
    if isinstance(part, CardsPart):
        cards = _all_cards(referee, part.family)
        held = _own_cards(referee.game, state, action)
        usual = held or _known_only(tuple(c for cards_ in seen for c in cards_))
        count = _count(referee, state, action)
        return ActionField(NeedKind.CARDS, label, cards, usual, count, part)
    if isinstance(part, PlayersPart):
        seats = tuple(range(len(referee.setup.players)))
        return ActionField(NeedKind.PLAYERS, label, seats, (), 0, part)
    if isinstance(part, PlayerPart):
        seats = tuple(range(len(referee.setup.players)))
        return ActionField(NeedKind.PLAYER, label, seen or seats, (), 0, part)
    if isinstance(part, NumberPart):
        wide = part.high - part.low > 60
        numbers = () if wide and not seen else tuple(range(part.low, part.high + 1))
        chosen = tuple(sorted(seen)) if seen else numbers
        return ActionField(NeedKind.NUMBER, label, chosen, (), 0, part)
    if isinstance(part, RankPart):
        return ActionField(NeedKind.RANK, label, tuple(range(1, 14)), (), 0, part)
    if isinstance(part, ChoicePart):
        words = tuple(word for word in part.words if not seen or word in seen)
        return ActionField(NeedKind.CHOICE, label, words, (), 0, part)
    if isinstance(part, WordPart) and "|" in part.title:
        words = tuple(part.title.split("|"))
        return ActionField(NeedKind.CHOICE, label, seen or words, (), 0, part)
    return ActionField(NeedKind.TEXT, label, (), (), 0, part)


def _all_cards(referee: Referee[Any], family: Family) -> tuple[Card, ...]:
    game = referee.game
    if family is game.family:
        return game.all_cards(referee.setup)
    return family_cards(family)


def _known_only(seen: tuple[Any, ...]) -> tuple[Card, ...]:
    """The cards that a game lists, where they are particular ones."""
    cards = tuple(dict.fromkeys(seen))
    return cards if all(c.code != "??" for c in cards) else ()


def _possible(
    referee: Referee[Any], state: Any, part: CardPart, action: Action
) -> tuple[Card, ...]:
    """The cards with which an action may happen that needs nothing else; empty where any may."""
    game = referee.game
    form = game.verbs[action.verb].forms[action.form]
    if [p for p in form if p.yields] != [part]:
        return ()
    cards, opened = _all_cards(referee, part.family), _opened(state)
    fit = tuple(card for card in cards if game.can(opened, action.event((card,))))
    return fit if len(fit) < len(cards) else ()


def _own_cards(game: Game[Any], state: Any, action: Action) -> tuple[Card, ...]:
    """For an action on one's own hand, the cards held where they are known."""
    if action.seat is None or action.verb == "hand" or not action.is_secret:
        return ()
    held = game.remaining(state, action.seat) or ()
    return tuple(held) if all(card.is_known for card in held) else ()


def _count(referee: Referee[Any], state: Any, action: Action) -> int:
    """How many cards the action wants: the only number with which it may happen; 0 for several."""
    game = referee.game
    verb = game.verbs[action.verb]
    position = [p for p in verb.forms[action.form] if p.yields]
    fits = set()
    for args in _samples(game, _opened(state), verb.forms[action.form], action.seat):
        lists = [a for a, p in zip(args, position, strict=True) if isinstance(p, CardsPart)]
        if len(lists[0]) not in fits and game.can(_opened(state), action.event(args)):
            fits.add(len(lists[0]))
    return fits.pop() if len(fits) == 1 else 0


def record(referee: Referee[Any], action: Action, values: Iterable[Any]) -> None:
    """Records an action with everything it was told, and what the referee says to it by itself.

    Raises:
        CompanionError: it is refused; says why.
    """
    referee.accept(action.event(values))
    referee.follow_up()


def read_text(field: ActionField, text: str, referee: Referee[Any]) -> Any:
    """What somebody typed for a field.

    Raises:
        CompanionError: it cannot be read.
    """
    text = text.strip()
    words = [f'"{text}"'] if field.label.startswith('"') else text.split()
    value, used = field.part.read(words, referee.setup)
    if used != len(words):
        raise CompanionError(f"“{' '.join(words[used:])}” is left over.")
    return value
