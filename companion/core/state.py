"""What every game's state has in common: the public table, known cards, findings.

A game derives its own state from `State`. Everything is frozen: applying an event makes a new
state. The same state type serves the referee, who knows every event, and each viewer, who knows
some (see `companion.core.views`): a state holds what its owner may know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self, TypeVar

from companion.cards import Card, format_cards
from companion.core.setup import Setup
from companion.errors import IllegalError
from companion.phrases import N_, phrase


class FindingKind(StrEnum):
    """What can be wrong with an event that stands nevertheless."""

    DUPLICATE_CARD = "duplicate-card"
    IMPOSSIBLE = "impossible"
    FALSE_ANSWER = "false-answer"
    FALSE_CLAIM = "false-claim"


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction on the table.

    Attributes:
        event: number of the event that is at fault, in the numbering of whoever found it.
        kind: what is wrong.
        message: names both facts, with their events.
        found_at: number of the event that brought it to light (often the same).
    """

    event: int
    kind: FindingKind
    message: str
    found_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchTable:
    """The scoreboard: what everybody always knows.

    Secrets must not flow in, except as far as the rules announce them.

    Attributes:
        match: number of the match in the session, from 1.
        starter: seat that starts (deals, in suspense) this match.
        to_move: seat whose turn it is, None when it is nobody's.
        match_over: whether this match has ended.
        over: whether the session's game has ended (usually with the match; suspense: the target).
        scores: points of the session by seat; matches won if a game has no points.
        winners: seats that won the session's game.
        match_winners: seats that won the last match that ended.
        reasons: why the last match ended as it did and what everybody scored, one sentence each.
    """

    match: int = 1
    starter: int = 0
    to_move: int | None = None
    match_over: bool = False
    over: bool = False
    scores: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    match_winners: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()


class ZoneKind(StrEnum):
    """What a zone is, for drawing it and for setting up the camera."""

    HAND = N_("hand")
    ROW = N_("row")
    PILE = N_("pile")
    DISPLAY = N_("display")
    SECRET = N_("secret")
    DISCARD = "discard"


@dataclass(frozen=True, slots=True)
class Zone:
    """A place for cards, as its reader knows it.

    Attributes:
        name: identifies it in sightings and zone files, e.g. `row`, `hand:1`.
        title: as people say it.
        kind: what it is.
        owner: the seat it belongs to, None for the table's.
        cards: its cards in order; `??` for each that is there and not known.
        face_up: whether a camera over the table may read it.
        laid_by: the seat that laid each card; empty where that is nobody's or of no matter.
    """

    name: str
    title: str
    kind: ZoneKind
    owner: int | None
    cards: tuple[Card, ...]
    face_up: bool
    laid_by: tuple[int, ...] = ()

    @property
    def known(self) -> int:
        """Number of cards known at least in part."""
        return sum(card.code != "??" for card in self.cards)

    @property
    def unknown(self) -> int:
        """Number of cards that are there and not known."""
        return len(self.cards) - self.known


@dataclass(frozen=True, slots=True)
class Place:
    """Where a particular card was last recorded, and by which event."""

    zone: str
    n: int


@dataclass(frozen=True, slots=True)
class Shown:
    """Hidden cards that a player turned up.

    Attributes:
        cards: the cards; None for those who cannot know them.
        n: the event.
        private: whether only the referee saw them.
    """

    cards: tuple[Card, ...] | None
    n: int
    private: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Base of every game's state.

    Attributes:
        setup: the session's settings.
        table: the scoreboard.
        hands: for each seat the cards dealt this match, as recorded by `hand`; None before.
        held: for each seat the cards still held, as far as recorded; None before `hand`.
        hand_events: for each seat the event of `hand` in this match, 0 before.
        ledger: particular card → where it was last recorded.
        reported: cards that already have a finding in this match (one finding a card).
        findings: all findings so far, in order found.
        remarks: what the referee says about the last event.
        disclosed: numbers of private events that everybody may read by now, because the rules
            turned them up.
        shared: (seat, number) of private events that one more seat may read by now, because the
            rules let that player see them, such as cards passed on.
        disclosed_to: last line of what was disclosed by everybody's consent, 0 before: private
            events up to it are everybody's.
        withheld: numbers of private events that stay hidden even then (a folded hand).
        handed: (match, seat) of every hand that was recorded, which everybody may know.
    """

    setup: Setup
    table: MatchTable
    hands: tuple[tuple[Card, ...] | None, ...] = ()
    held: tuple[tuple[Card, ...] | None, ...] = ()
    hand_events: tuple[int, ...] = ()
    ledger: MappingProxyType[Card, Place] = field(default_factory=lambda: MappingProxyType({}))
    reported: frozenset[Card] = frozenset()
    findings: tuple[Finding, ...] = ()
    remarks: tuple[str, ...] = ()
    disclosed: frozenset[int] = frozenset()
    shared: frozenset[tuple[int, int]] = frozenset()
    disclosed_to: int = 0
    withheld: frozenset[int] = frozenset()
    handed: frozenset[tuple[int, int]] = frozenset()

    @classmethod
    def fresh(cls, setup: Setup, **fields: Any) -> Self:
        """The state at the start of a session: nothing recorded, the first starter to move."""
        count = len(setup.players)
        return cls(
            setup=setup,
            table=fresh_table(setup),
            hands=(None,) * count,
            held=(None,) * count,
            hand_events=(0,) * count,
            **fields,
        )

    def whole_hand(self, seat: int) -> tuple[Card, ...] | None:
        """The cards that a seat holds if every one of them is known."""
        held = self.held[seat]
        return held if held is not None and all(card.is_known for card in held) else None

    def phrase(self, template: str, /, **fields: object) -> str:
        """A sentence about this match, with players and cards written as people read them.

        A field whose name begins with `name` holds a seat, or several: it becomes the player's
        name. A card, or several, become their codes. All other values stay as they are.
        """
        for key, value in fields.items():
            if isinstance(value, str):
                continue
            if isinstance(value, Card):
                fields[key] = value.code
            elif isinstance(value, int) and key.startswith("name"):
                fields[key] = self.setup.players[value]
            elif isinstance(value, tuple):
                is_seats = key.startswith("name")
                fields[key] = self.setup.names(value) if is_seats else format_cards(value)
        return phrase(template, **fields)

    def illegal(self, template: str, /, **fields: object) -> IllegalError:
        """A refusal in words; the fields as for `phrase`."""
        return IllegalError(self.phrase(template, **fields))


StateT = TypeVar("StateT", bound=State)
ItemT = TypeVar("ItemT")


#: By class, a function that copies one of its objects, and what sets each field of a copy.
_COPIERS: dict[type, tuple[Callable[[Any], Any], dict[str, Callable[[Any, Any], None]]]] = {}


def _copier(kind: type) -> tuple[Callable[[Any], Any], dict[str, Callable[[Any, Any], None]]]:
    """A function that copies objects of a slotted dataclass, and one for each field that sets it.

    Written out and compiled once per class, as `dataclasses` does with `__init__`: a loop over the
    fields takes more than twice as long.
    """
    setters = {item.name: getattr(kind, item.name).__set__ for item in fields(kind)}
    scope: dict[str, Any] = {"new": object.__new__, "kind": kind}
    lines = ["def copy(old):", " made = new(kind)"]
    for name, setter in setters.items():
        scope[f"set_{name}"] = setter
        lines.append(f" set_{name}(made, old.{name})")
    exec("\n".join([*lines, " return made"]), scope)  # noqa: S102  (of field names only)
    return scope["copy"], setters


def evolve(value: ItemT, **changes: Any) -> ItemT:
    """`dataclasses.replace` for frozen slotted dataclasses, about nine times as fast.

    States are replaced several times per event, so the speed matters.

    Raises:
        TypeError: the dataclass has no field of that name.
    """
    kind = type(value)
    known = _COPIERS.get(kind)
    if known is None:
        known = _COPIERS[kind] = _copier(kind)
    copy, setters = known
    made: ItemT = copy(value)
    for name, new in changes.items():
        if name not in setters:
            raise TypeError(f"{kind.__name__} has no {name}")
        setters[name](made, new)
    return made


def fresh_table(setup: Setup) -> MatchTable:
    """The scoreboard at the start of a session, the starter to move."""
    starter = setup.first_starter
    return MatchTable(starter=starter, to_move=starter, scores=(0,) * len(setup.players))


def next_table(table: MatchTable, starter: int) -> MatchTable:
    """The scoreboard at the start of the session's next match: the scores stay."""
    return evolve(
        table,
        match=table.match + 1,
        starter=starter,
        to_move=starter,
        match_over=False,
        over=False,
        winners=(),
        reasons=(),
    )


def move_to(state: StateT, seat: int | None) -> StateT:
    """Passes the turn to a seat; None if it is nobody's."""
    return evolve(state, table=evolve(state.table, to_move=seat))


def say(state: StateT, template: str, /, **fields: object) -> StateT:
    """Adds a sentence the referee says about this event; the fields as for `State.phrase`."""
    text = state.phrase(template, **fields) if fields else template
    return evolve(state, remarks=(*state.remarks, text))


def find(
    state: StateT,
    event: int,
    kind: FindingKind,
    template: str,
    /,
    *,
    found_at: int | None = None,
    **fields: object,
) -> StateT:
    """Adds a finding about event number `event`; the fields as for `State.phrase`."""
    message = state.phrase(template, **fields) if fields else template
    finding = Finding(event, kind, message, event if found_at is None else found_at)
    return evolve(state, findings=(*state.findings, finding))


def put(items: tuple[ItemT, ...], index: int, value: ItemT) -> tuple[ItemT, ...]:
    """The tuple with one item replaced."""
    return (*items[:index], value, *items[index + 1 :])


def take(held: tuple[Card, ...], card: Card) -> tuple[Card, ...] | None:
    """The held cards without one: the card itself, else one that it can be (`7?` for `7S`).

    Returns:
        The rest, or None if no held card can be it.
    """
    if card in held:
        index = held.index(card)
    else:
        fits = [i for i, other in enumerate(held) if other.matches(card)]
        if not fits:
            return None
        # A rank alone is a nearer fit than an unread card.
        index = min(fits, key=lambda i: held[i].code == "??")
    return held[:index] + held[index + 1 :]


def take_from_hand(
    state: StateT, seat: int, cards: Iterable[Card], n: int, template: str, /, **fields: object
) -> StateT:
    """Takes cards out of a hand, where it is recorded.

    A card that it lacks is found impossible at event `n`, once a card: `template` says so of the
    seat (`name`), the `card` and `n`.
    """
    held = state.held[seat]
    if held is None:
        return state
    for card in cards:
        rest = take(held, card)
        if rest is not None:
            held = rest
        elif card not in state.reported:
            fields |= {"name": seat, "card": card, "n": n}
            state = find(state, n, FindingKind.IMPOSSIBLE, state.phrase(template, **fields))
    return evolve(state, held=put(state.held, seat, held))


def hand_zone(seat: int) -> str:
    """Name of the zone of a seat's hand; seats count from 1 in zone names."""
    return owned_zone("hand", seat)


def owned_zone(kind: str, seat: int) -> str:
    """Name of a zone that belongs to a seat, e.g. `display:2` for the second seat's."""
    return f"{kind}:{seat + 1}"


def record(
    state: StateT, cards: Iterable[Card], zone: str, n: int, *, come_from: tuple[str, ...] = ()
) -> StateT:
    """Records where particular cards lie now, and finds those that already lie elsewhere.

    Args:
        state: before.
        cards: what was seen; partly known cards are passed over (`find` those).
        zone: name of the zone they lie in now.
        n: number of the event that says so.
        come_from: zones they may have come from.

    Returns:
        The state with its ledger, and a `duplicate-card` finding for each card that was recorded
        in a zone it cannot have come from, once a card and match.
    """
    ledger = state.ledger.copy()
    reported = state.reported
    findings = list(state.findings)
    listed: set[Card] = set()
    for card in cards:
        if not card.is_known:
            continue
        before = ledger.get(card)
        elsewhere = before is not None and (before.zone not in come_from or card in listed)
        listed.add(card)
        if before is not None and elsewhere and card not in reported:
            message = state.phrase(
                "{card} is seen twice: {where} and {where2}.",
                card=card,
                where=at(state, before),
                where2=at(state, Place(zone, n)),
            )
            findings.append(Finding(n, FindingKind.DUPLICATE_CARD, message, n))
            reported |= {card}
        ledger[card] = Place(zone, n)
    return evolve(
        state, ledger=MappingProxyType(ledger), reported=reported, findings=tuple(findings)
    )


#: Zones that people name by the card in them.
_ROLES = {"hideout": N_("missing person")}


def at(state: State, place: Place) -> str:
    """A place in words with its event, e.g. `in Ann's hand (3)`, `in the row (12)`."""
    kind, _, number = place.zone.partition(":")
    if not number:
        return phrase("in the {kind} ({n})", kind=kind, n=place.n)
    seat = int(number) - 1
    if kind == "play":
        return state.phrase("in {name}'s play ({n})", name=seat, n=place.n)
    if kind in _ROLES:
        return state.phrase("as {name}'s {role} ({n})", name=seat, role=_ROLES[kind], n=place.n)
    return state.phrase("in {name}'s {kind} ({n})", name=seat, kind=kind, n=place.n)
