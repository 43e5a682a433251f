"""The interface of every game's notepad, so that no screen and no command knows a game by name.

A notepad is made from one viewer's `View` (see `companion.core.views`) and from nothing else, so it
cannot reveal what the viewer may not know. It is a value: the view it was made from never changes
it, and a hypothesis is a notepad of another view (`suppose`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Generic, Self

from companion.cards import Card, Family, parse_card
from companion.core.events import LOG_VERBS, Event
from companion.core.game import Game
from companion.core.notation import read_event
from companion.core.state import StateT, evolve
from companion.core.view import View
from companion.errors import IllegalError, UnreadableError, UsageError
from companion.gc_pause import collector_paused
from companion.notepad.facts import Fact, Why
from companion.phrases import N_, joined, phrase

#: So much can be supposed at once; each thing more makes counting slower.
MOST_SUPPOSED = 4
#: Chances this close to 0 or 1 are settled: the counts behind them are exact.
_CERTAIN = 1e-12


class Layout(StrEnum):
    """As what screens draw a table of chances.

    `TABLE` is rows and columns of numbers. In `CARDS` each row is a card, ruled-out ones among
    them, and each column a place: a small card is filled by its chance in the first column, and
    the others are its parts. In `PLACES` each column is a place of a hand and each row a rank: a
    back with the likeliest rank.
    """

    TABLE = "table"
    CARDS = "cards"
    PLACES = "places"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of chances, for screens and terminals.

    Attributes:
        title: what it is about.
        rows: names of the rows, e.g. tiles.
        columns: names of the columns, e.g. places.
        chances: (row, column) → chance; cells that are left out are 0.
        layout: as what it is drawn.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    chances: Mapping[tuple[str, str], float]
    layout: Layout = Layout.TABLE

    def settled(self, row: str, column: str) -> bool | None:
        """Whether a cell is certainly so or certainly not; None while it is open."""
        chance = self.chances.get((row, column), 0.0)
        if chance <= _CERTAIN:
            return False
        return True if chance >= 1 - _CERTAIN else None


@dataclass(frozen=True, slots=True)
class Supposition:
    """A cell that is supposed to be so, or not to be so, to see what would follow.

    Attributes:
        row: its row.
        column: its column.
        holds: False for "it is not so".
    """

    row: str
    column: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is so, in words.

    Attributes:
        text: the facts that force it, each with its event's number, joined by semicolons.
        events: numbers of the events they come from, as the viewer counts them, ascending.
        smallest: whether no smaller number of events forces it.
    """

    text: str
    events: tuple[int, ...]
    smallest: bool

    def as_dict(self) -> dict[str, Any]:
        """As `notepad --json` prints it."""
        return {"text": self.text, "events": list(self.events), "smallest": self.smallest}


def reason_of(why: Why[Any]) -> Reason:
    """A set of facts as a reason; many facts of one event are summed up."""
    by_event: dict[int, list[Fact]] = {}
    for fact in why.facts:
        by_event.setdefault(fact.event, []).append(fact)
    texts: list[str] = []
    for facts in by_event.values():
        told = list(dict.fromkeys(fact.text for fact in facts if fact.text))
        texts += (
            told
            if len(told) < 4
            else [phrase("{told} and {number} more like it", told=told[0], number=len(told) - 1)]
        )
    events = tuple(sorted(event for event in by_event if event))
    return Reason(joined("; ", texts) or N_("the rules alone"), events, why.smallest)


@dataclass(frozen=True, slots=True)
class Advice:
    """What the coach says.

    Attributes:
        text: what to do, with the number that decides, in a sentence or two.
        action: the event to make, in the match notation without the name; empty if the advice
            is not one event.
        numbers: the numbers behind it, by name.
    """

    text: str
    action: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As `notepad --coach --json` prints it."""
        return {"text": self.text, "action": self.action, **self.numbers}


class Notepad(ABC, Generic[StateT]):
    """Exact chances from one viewer's own knowledge; a game's notepad derives from it.

    Args:
        state: the viewer's own fold.
        viewer: the seat, None for somebody who knows only what is public.
        public: the fold of what everybody knows; without it `others` is empty.

    Attributes:
        game: the game's name.
        players: names in seat order.
        model: how choices made in secret are weighed, one of `models`; empty if none are.
        supposed: what is supposed beside what is known, see `supposing`.
    """

    #: The ways of weighing choices made in secret, the usual one first.
    models: ClassVar[tuple[str, ...]] = ()

    def __init__(self, state: StateT, viewer: int | None, public: StateT | None = None) -> None:
        self.state = state
        self.viewer = viewer
        self.public = public
        self.game = state.setup.game
        self.players = state.setup.players
        self.model = self.models[0] if self.models else ""
        self.supposed: tuple[Supposition, ...] = ()

    @classmethod
    def of(cls, view: View[StateT]) -> Self:
        """The notepad of a view."""
        return cls(view.state, view.viewer, view.public)

    def weigh(self, model: str) -> None:
        """Weighs choices made in secret by another of `models` from now on.

        Raises:
            UsageError: this notepad has no such model.
        """
        if model not in self.models:
            known = ", ".join(self.models) or N_("none")
            raise UsageError(
                "This notepad has no model “{model}” (its models: {known}).",
                model=model,
                known=known,
            )
        self.model = model

    @property
    def has_choices(self) -> bool:
        """Whether anything was chosen in secret, so that it matters how that is weighed."""
        return bool(self.models)

    @property
    @abstractmethod
    def worlds(self) -> int:
        """The exact number of contents of everything hidden that fit the viewer's knowledge.

        0 if what is known contradicts itself.
        """

    @abstractmethod
    def chances(self, *, strings: Sequence[str] = ()) -> dict[str, Any]:
        """The game's own entries of `companion notepad --json`; empty chances without a world.

        Args:
            strings: predictions to value beside the viewer's own, if the game has predictions.
        """

    def marginals(self) -> None:
        """Works out all chances in advance, so that a screen does not have to wait."""
        with collector_paused():
            self._work_out()

    def _work_out(self) -> None:
        """Works out the chances that are shown without being asked for."""
        self.chances()

    @abstractmethod
    def grids(self) -> tuple[Grid, ...]:
        """The chances as tables."""

    @abstractmethod
    def conflict(self) -> Reason | None:
        """A smallest set of events that contradict each other; None if all fit together."""

    @abstractmethod
    def why(self, row: str, column: str) -> Reason:
        """A smallest set of events that settle a cell of the tables.

        Raises:
            UsageError: there is no such cell, or it is still open.
        """

    @abstractmethod
    def fact_of(self, supposition: Supposition) -> Fact:
        """A supposition as a fact of no event; its text says that it is supposed.

        Raises:
            UsageError: there is no such cell.
        """

    def supposing(self, *more: Supposition) -> Self:
        """A notepad in which cells are supposed to be so, or not; this one is unchanged.

        Raises:
            UsageError: there is no such cell, or more than `MOST_SUPPOSED` things are supposed.
        """
        if len(self.supposed) + len(more) > MOST_SUPPOSED:
            raise UsageError(
                "{number} things are supposed already: take one back first.", number=MOST_SUPPOSED
            )
        for supposition in more:
            self.fact_of(supposition)
        pad = type(self)(self.state, self.viewer, self.public)
        pad.model = self.model
        pad.supposed = (*self.supposed, *more)
        return pad

    def in_words(self, supposition: Supposition) -> str:
        """What is supposed, as a sentence without a full stop.

        Raises:
            UsageError: there is no such cell.
        """
        return self.fact_of(supposition).text

    @abstractmethod
    def others(self) -> dict[str, int]:
        """For each opponent, the worlds that public facts leave of what is hidden from them.

        How close is Bo? The number of contents of the hands and cards hidden from Bo that fit what
        everybody knows; Bo's own cards only reduce it.
        """

    @abstractmethod
    def advice(self) -> Advice:
        """What the coach says now. Nothing here asks whether a coach was agreed on."""

    def as_dict(self, *, strings: Sequence[str] = (), coach: bool = False) -> dict[str, Any]:
        """As `companion notepad --json` prints it."""
        seat = None if self.viewer is None else self.viewer + 1
        found: dict[str, Any] = {"game": self.game, "seat": seat, "worlds": str(self.worlds)}
        found |= self.chances(strings=strings)
        clash = None if self.worlds else self.conflict()
        found["conflict"] = None if clash is None else clash.as_dict()
        found["others"] = {name: str(number) for name, number in self.others().items()}
        if coach:
            found["advice"] = self.advice().as_dict()
        return found

    def opponents(self) -> tuple[str, ...]:
        """Everybody but the viewer."""
        return tuple(name for seat, name in enumerate(self.players) if seat != self.viewer)

    def hidden_hands(self) -> tuple[str, ...]:
        """Hands that the viewer does not hold, the viewer's own where it is not known whole."""
        own = self.viewer
        known = own is not None and self.state.whole_hand(own) is not None
        return self.opponents() if known else self.players


NO_ADVICE = Advice("What is known contradicts itself: correct it before you reason from it.")


def cell_of(grids: Iterable[Grid], row: str, column: str) -> tuple[str, str]:
    """A cell as its table writes it, ignoring case.

    Raises:
        UsageError: no table has it.
    """
    for grid in grids:
        rows = [name for name in grid.rows if name.casefold() == row.casefold()]
        columns = [name for name in grid.columns if name.casefold() == column.casefold()]
        if rows and columns:
            return rows[0], columns[0]
    raise UsageError("The notepad has no cell “{row} @ {column}”.", row=row, column=column)


def card_cell_of(family: Family, places: Sequence[str], row: str, column: str) -> tuple[Card, str]:
    """The card of a row and the place of a column, ignoring case.

    Raises:
        UsageError: there is no such card or no such place.
    """
    try:
        found: Card = parse_card(row, family)
    except UnreadableError as error:
        raise UsageError(error.message) from None
    grid = Grid("", (found.code,), tuple(places), {})
    return found, cell_of([grid], found.code, column)[1]


def supposed_to_hold(name: str, card: Card, *, holds: bool) -> str:
    """That a player is supposed to hold a card, or not to hold it."""
    if holds:
        return phrase("you suppose that {name} holds {card}", name=name, card=card.code)
    return phrase("you suppose that {name} does not hold {card}", name=name, card=card.code)


def notepad_of(game: Game[StateT], view: View[StateT]) -> Notepad[Any] | None:
    """The notepad of a view; None if the game has none."""
    pad = game.notepad(view)
    assert pad is None or isinstance(pad, Notepad)
    return pad


def open_notepad(game: Game[StateT], view: View[StateT]) -> Notepad[Any]:
    """The notepad of a view.

    Raises:
        UsageError: the game has none.
    """
    pad = notepad_of(game, view)
    if pad is None:
        raise UsageError("{title} has no notepad.", title=game.info.title)
    return pad


def suppose(game: Game[StateT], view: View[StateT], *events: Event | str) -> View[StateT]:
    """A view in which more has happened, to try out a hypothesis; the view itself is unchanged.

    Args:
        game: the game.
        view: what is known.
        events: what is supposed to happen, as events or lines of the match notation.

    Raises:
        CompanionError: one cannot be read, or may not happen there as far as the viewer can tell.
    """
    state, public, seen = view.state, view.public, list(view.events)
    for item in events:
        event = read_event(game, view.setup, item) if isinstance(item, str) else item
        if event.verb in LOG_VERBS:
            raise IllegalError(
                "Suppose something that happens in the game, not a change of the log."
            )
        event = evolve(event, n=_next_number(view) + len(seen) - len(view.events))
        # The viewer cannot know whether a trusting opponent's hand was recorded: assume that it is.
        open_setup = evolve(state.setup, trusted=(False,) * len(state.setup.players))
        game.verify(evolve(state, setup=open_setup), event)
        state = game.apply(state, event)
        readable = event.may_be_read_by(None)
        public = game.apply(public, event if readable else event.redacted())
        seen.append(event)
    return evolve(
        view,
        state=state,
        public=public,
        events=tuple(seen),
        zones=game.zones(state),
        findings=state.findings,
        undo_depth=len(seen),
    )


def _next_number(view: View[Any]) -> int:
    return (view.log[-1].step if view.log else 0) + 1
