"""The one gate: what each viewer may know.

A view is not the referee's state with parts cut out. It is built from an allow-list: the gate folds
only the events that the viewer may read, and takes from the referee's state nothing but the public
scoreboard `Table`. An event arrives `hidden`, without its arguments, if the viewer may only know
*that* it happened; it does not arrive at all if nobody else may know of it. Viewers count the lines
they see, so numbers say nothing about the lines they do not see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic

from companion.core.entries import Entry, Node
from companion.core.events import CORRECT, Event
from companion.core.game import Game
from companion.core.notation import write_event
from companion.core.setup import Setup
from companion.core.state import StateT, evolve
from companion.core.view import LogLine, View
from companion.errors import IllegalError


class _Fold(Generic[StateT]):
    """One viewer's fold, kept beside the referee's and brought up to date when asked."""

    def __init__(self, viewer: int | None, initial: StateT) -> None:
        self.viewer = viewer
        self.initial = initial
        self.disclosed: frozenset[int] = frozenset()
        #: Last line of what was disclosed as a whole, and what stays hidden of it.
        self.disclosed_to = 0
        self.withheld: frozenset[int] = frozenset()
        self.seen = 0
        self.steps: dict[int, int] = {}
        #: Lines this viewer never saw that a correction turned into something visible.
        self.mended: dict[int, int] = {}
        self.nodes: list[Node[StateT]] = []
        self.states: list[StateT] = []
        self.events: list[Event | None] = []
        #: What this viewer sees of the log, and its lines as far as they are written.
        self.entries: list[Entry] = []
        #: Written again when more or less is disclosed.
        self.lines: list[LogLine] = []

    @property
    def state(self) -> StateT:
        """The state after the last node."""
        return self.state_after(len(self.states))

    def state_after(self, count: int) -> StateT:
        """The state after a number of the nodes."""
        return self.states[count - 1] if count else self.initial

    def may_read(self, event: Event) -> bool:
        """Whether the viewer may know what an event says."""
        if event.may_be_read_by(self.viewer) or event.n in self.disclosed:
            return True
        subject = event.args[0] if event.verb == CORRECT else event.n
        return 0 < event.n <= self.disclosed_to and subject not in self.withheld

    def step_of(self, n: int) -> int | None:
        """The viewer's number of line n; None if the viewer does not see it."""
        return self.steps.get(n) or self.mended.get(n)

    def numbered(self, event: Event) -> Event:
        """An event with the number by which the viewer counts its line, or would count it."""
        return evolve(event, n=self.step_of(event.n) or len(self.steps) + 1)

    def cut(self, length: int) -> None:
        """Forgets all but the first nodes."""
        del self.nodes[length:], self.states[length:], self.events[length:]


class Gate(Generic[StateT]):
    """Builds views. The referee owns one; nothing else reads the referee's state for people.

    Args:
        game: the game.
        setup: its settings.
        initial: the state before the first event.

    Attributes:
        log: every line so far, kept by the referee.
        nodes: the standing events in order, those that no longer fit among them; kept by the
            timeline.
        gone: lines that were taken back and not restored; kept by the timeline.
    """

    def __init__(self, game: Game[StateT], setup: Setup, initial: StateT) -> None:
        self.game = game
        self.setup = setup
        self.initial = initial
        self.log: list[Entry] = []
        self.nodes: list[Node[StateT]] = []
        self.gone: set[int] = set()
        self._folds: dict[int | None, _Fold[StateT]] = {}

    def state(self, viewer: int | None) -> StateT:
        """The fold of what a viewer may read."""
        return self._update(viewer).state

    def view(self, viewer: int | None) -> View[StateT]:
        """Everything a viewer may know."""
        state = self.state(viewer)
        fold = self._folds[viewer]
        events = tuple(event for event in fold.events if event is not None)
        return View(
            viewer=viewer,
            setup=self.setup,
            state=state,
            public=state if viewer is None else self.state(None),
            events=events,
            zones=self.game.zones(state),
            log=self._lines(fold),
            findings=state.findings,
            undo_depth=len(events),
        )

    def lines_seen(self, viewer: int | None) -> tuple[int, int]:
        """How many lines a viewer may know of, and the number of the last one; 0 for none."""
        fold = self._fold(viewer)
        return len(fold.steps), next(reversed(fold.steps), 0)

    def number(self, viewer: int | None, step: int) -> int:
        """The line number behind a viewer's step.

        Raises:
            IllegalError: the viewer sees no such step.
        """
        fold = self._fold(viewer)
        for n, own in fold.steps.items():
            if own == step:
                return next((old for old, at in fold.mended.items() if at == step), n)
        raise IllegalError("There is no step {step}.", step=step)

    def verify(self, viewer: int | None, event: Event, index: int) -> None:
        """Judges an event by what a viewer may know after a number of the standing nodes.

        Raises:
            CompanionError: why the viewer can tell that it may not happen.
        """
        fold = self._update(viewer)
        self.game.verify(fold.state_after(index), fold.numbered(event))

    def preview(self, viewer: int | None, index: int, more: Sequence[Node[StateT]]) -> list[StateT]:
        """A viewer's states after each of further nodes, as if a correction had put them there.

        Args:
            viewer: a seat, or None for the public.
            index: how many of the standing nodes come before the line that is corrected.
            more: what would stand after them, the corrected line first; the viewer may read that.
        """
        fold = self._update(viewer, self.nodes[:index])
        state, states = fold.state, []
        for node, read in zip(more, self._read(fold, [n.event for n in more]), strict=True):
            state = self._after(fold, state, node, read if node.error is None else None)
            states.append(state)
        return states

    def trial(self, viewer: int | None, event: Event, place: tuple[int, bool]) -> StateT:
        """A viewer's state after a correction, worked out from what that viewer knows alone.

        Whether it can be made does not show: asking first must not tell what making it would.

        Args:
            viewer: a seat, or None for the public.
            event: what the correction puts there.
            place: how many of the nodes come before it, and whether it replaces the next one.
        """
        fold = self._update(viewer)
        index, standing = place
        state = fold.state_after(index)
        events = [event, *(node.event for node in self.nodes[index + standing :])]
        for later, read in zip(events, self._read(fold, events), strict=True):
            if read is None:
                continue
            if not fold.may_read(later):
                break  # whether it would still fit, this viewer cannot tell
            if self.game.can(state, read):
                state = self.game.apply(state, read)
        return state

    # -- inside -----------------------------------------------------------------------------

    def _fold(self, viewer: int | None) -> _Fold[StateT]:
        if viewer is not None and not 0 <= viewer < len(self.setup.players):
            raise IllegalError("There is no seat {number}.", number=viewer + 1)
        fold = self._folds.get(viewer)
        if fold is None:
            fold = self._folds[viewer] = _Fold(viewer, self.initial)
        self._count(fold)
        return fold

    def _count(self, fold: _Fold[StateT]) -> None:
        """Numbers the lines this viewer sees. A line's visibility never changes."""
        for entry in self.log[fold.seen :]:
            event = entry.event
            # An unreadable line may hold anybody's secret: only the file's owner sees it.
            visible = event is not None and (
                event.may_be_read_by(fold.viewer)
                or (entry.applied and self.game.is_announced(event))
            )
            if visible:
                assert event is not None
                step = len(fold.steps) + 1
                fold.steps[entry.n] = step
                fold.entries.append(entry)
                if event.verb == CORRECT and entry.applied and event.args[0] not in fold.steps:
                    fold.mended.setdefault(event.args[0], step)
        fold.seen = len(self.log)

    def _update(
        self, viewer: int | None, nodes: Sequence[Node[StateT]] | None = None
    ) -> _Fold[StateT]:
        """A viewer's fold of the standing nodes, or of other ones in their place."""
        fold = self._fold(viewer)
        nodes = self.nodes if nodes is None else nodes
        length = min(len(fold.nodes), len(nodes))
        while length and fold.nodes[length - 1] is not nodes[length - 1]:
            length -= 1
        state = nodes[-1].state if nodes else self.initial
        disclosed = state.disclosed | {n for seat, n in state.shared if seat == viewer}
        if disclosed != fold.disclosed:
            changed = disclosed ^ fold.disclosed
            first = (i for i, node in enumerate(nodes[:length]) if node.event.n in changed)
            length = min(length, next(first, length))
            fold.disclosed = disclosed
            fold.lines.clear()
        # What stays withheld matters only once something was disclosed as a whole.
        whole = (state.disclosed_to, state.withheld if state.disclosed_to else frozenset())
        if whole != (fold.disclosed_to, fold.withheld):
            # Rare, and any line may be affected: the fold is made again.
            fold.disclosed_to, fold.withheld = whole
            length = 0
            fold.lines.clear()
        fold.cut(length)
        for node in nodes[length:]:
            self._extend(fold, node)
        return fold

    def _extend(self, fold: _Fold[StateT], node: Node[StateT]) -> None:
        event = None if node.error is not None else self._readable(fold, node.event)
        state = self._after(fold, fold.state, node, event)
        fold.nodes.append(node)
        fold.events.append(event)
        fold.states.append(state)

    def _after(
        self, fold: _Fold[StateT], state: StateT, node: Node[StateT], event: Event | None
    ) -> StateT:
        """A viewer's state after a node that the viewer reads as an event, or (None) not at all.

        What was said before stands until something happens that the viewer may know of.
        """
        if event is not None:
            state = self.game.apply(state, event)
            reasons = node.state.table.reasons
            if reasons and reasons != state.table.reasons:
                # This viewer could not work the result out, but it is public.
                state = evolve(state, remarks=state.remarks + reasons)
        elif state.remarks and fold.step_of(node.event.n) is not None:
            state = evolve(state, remarks=())
        return evolve(state, table=node.state.table)

    def _read(self, fold: _Fold[StateT], events: Sequence[Event]) -> Iterator[Event | None]:
        """A correction's own event, which the viewer reads, and later ones as far as they may."""
        yield fold.numbered(events[0])
        for event in events[1:]:
            yield self._readable(fold, event)

    def _readable(self, fold: _Fold[StateT], event: Event) -> Event | None:
        """The event as the viewer may read it, None if it may not even be known of."""
        step = fold.step_of(event.n)
        if step is None:
            return None
        if fold.may_read(event):
            return evolve(event, n=step)
        return evolve(event.redacted(), n=step)

    def _lines(self, fold: _Fold[StateT]) -> tuple[LogLine, ...]:
        """The lines that a viewer sees, with what became of them later."""
        for entry in fold.entries[len(fold.lines) :]:
            fold.lines.append(self._write_line(fold, entry))
        lines = list(fold.lines)
        marked = {n.event.n: n for n in self.nodes if n.by or n.error is not None}
        for n in marked.keys() | self.gone:
            step = fold.steps.get(n)
            if step is not None:
                lines[step - 1] = _mark(fold, lines[step - 1], marked.get(n), n in self.gone)
        return tuple(lines)

    def _write_line(self, fold: _Fold[StateT], entry: Entry) -> LogLine:
        event = entry.event
        assert event is not None
        step = fold.steps[entry.n]
        if not fold.may_read(event):
            event = event.redacted()
        elif event.verb == CORRECT:
            n, inner = event.args
            event = evolve(event, args=(fold.step_of(n) or 0, inner))
        text = write_event(self.game, self.setup, event)
        error = entry.error_for(fold.viewer)
        return LogLine(step, text, "" if error is None else error.message)


def _mark(fold: _Fold[Any], line: LogLine, node: Node[Any] | None, is_gone: bool) -> LogLine:
    """The line with its later marks: taken back, corrected, no longer fitting."""
    if node is None:
        return evolve(line, undone=is_gone)
    return evolve(
        line,
        undone=is_gone,
        corrected_by=fold.step_of(node.by) if node.by else None,
        unfit=node.error is not None,
    )
