"""The standing events of a session, and what was done, taken back and corrected.

Undo, redo and correction are lines of the log like any other. `Timeline.change` says what a line
would do to the standing events; `Timeline.make` lets it take effect once it is recorded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic

from companion.core.entries import Node
from companion.core.events import CORRECT, DISCLOSE, LOG_VERBS, REDO, UNDO, Event
from companion.core.state import StateT, evolve
from companion.core.views import Gate
from companion.errors import CompanionError, HiddenError, IllegalError
from companion.phrases import phrase

#: The same words whether there is no such event or it is somebody else's: everybody reads why a
#: public correction was refused, so neither numbers nor names may tell of lines not seen.
NONE_SUCH = (
    "There is no such event that you could correct: everybody corrects what everybody may read, "
    "and a player what only that player may read."
)


@dataclass(frozen=True, slots=True)
class UndoStep:
    """Something done that undo takes back as one.

    Attributes:
        line: number of the line that did it.
        events: for a play, the event and the referee's automatic answer to it.
        new: for a correction, the event that took the other's place.
        old: for a correction, the event it replaced; None if that line had been refused.
        old_by: line of the correction that `old` came from, 0 if it stood as recorded.
        quiet: the seat that alone knows of it, None if everybody knows that it happened.
    """

    line: int
    events: tuple[Event, ...] = ()
    new: Event | None = None
    old: Event | None = None
    old_by: int = 0
    quiet: int | None = None

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines that take effect by it."""
        return tuple(event.n for event in self.events) or (self.line,)

    @property
    def secret_of(self) -> int | None:
        """The seat that wrote in secret what is taken back or restored; None where all read it."""
        first = self.new or self.events[0]
        return None if first.is_public else first.seat


@dataclass(frozen=True, slots=True)
class StandingChange(Generic[StateT]):
    """What a line does to the standing events, before it is committed.

    Attributes:
        keep: how many of the standing nodes stay as they are.
        add: the nodes that stand after them.
        step: what is done, undone or redone by it.
        is_undo: whether it takes the step back.
        is_redo: whether it restores the step.
        unfit: numbers of the events that no longer fit.
    """

    keep: int
    add: tuple[Node[StateT], ...]
    step: UndoStep
    is_undo: bool = False
    is_redo: bool = False
    unfit: tuple[int, ...] = ()


class Timeline(Generic[StateT]):
    """The standing events of a session, each with the state after it.

    Args:
        gate: says what a viewer may know, and holds the log and the standing events.
    """

    def __init__(self, gate: Gate[StateT]) -> None:
        self.gate, self.game, self.setup = gate, gate.game, gate.setup
        self.log, self.nodes, self.gone = gate.log, gate.nodes, gate.gone
        self._done: list[UndoStep] = []
        self._undone: list[UndoStep] = []

    @property
    def state(self) -> StateT:
        """The state after the last standing event."""
        return self.state_after(len(self.nodes))

    def state_after(self, count: int) -> StateT:
        """The state after a number of the standing events."""
        return self.nodes[count - 1].state if count else self.gate.initial

    def undoes(self, seat: int | None) -> UndoStep | None:
        """See `Referee.undoes`."""
        return next((step for step in reversed(self._done) if step.quiet == seat), None)

    def redoes(self, seat: int | None) -> UndoStep | None:
        """See `Referee.redoes`."""
        return next((step for step in reversed(self._undone) if step.quiet == seat), None)

    def make(self, change: StandingChange[StateT]) -> None:
        """Lets a change take effect."""
        self._keep(change)
        del self.nodes[change.keep :]
        self.nodes.extend(change.add)

    def _keep(self, change: StandingChange[StateT]) -> None:
        """Brings the lists of what was done and what was taken back up to date."""
        step = change.step
        if change.is_undo:
            self._done = [old for old in self._done if old is not step]
            self._undone.append(step)
            self.gone.update(step.lines)
            return
        if change.is_redo:
            self._undone = [old for old in self._undone if old is not step]
            self.gone.difference_update(step.lines)
        elif self._undone:
            self._undone = [old for old in self._undone if old.quiet != step.quiet]
        if self._done and self._done[-1].line == step.line:
            self._done[-1] = step  # the referee's own answer joins what it answers
        else:
            self._done.append(step)

    def change(self, event: Event) -> StandingChange[StateT]:
        """What an event does to the match.

        Raises:
            CompanionError: why it may not happen.
        """
        if event.verb == CORRECT:
            return self._correction(event)
        if event.verb == UNDO:
            return self._undoing(event)
        if event.verb == REDO:
            return self._redoing(event)
        node = Node(event, self.game.do(self.state, event))
        if self._is_own_answer(event):
            last = self._done[-1]
            step = evolve(last, events=(*last.events, event))
        else:
            step = UndoStep(event.n, (event,), quiet=self._quiet(event))
        return StandingChange(len(self.nodes), (node,), step)

    def _is_own_answer(self, event: Event) -> bool:
        """Whether an event answers, for a player who trusts the referee, the last thing done.

        The referee gives such answers automatically, so they are taken back with what they answer.
        It follows from public knowledge alone: who may undo what must not depend on a hand.
        """
        if not self._done or not self._done[-1].events or not event.is_public:
            return False
        trusted = self.setup.trusted
        trusts = any(trusted) if event.seat is None else trusted[event.seat]
        return trusts and self.game.awaits_answer(self.gate.state(None))

    def _quiet(self, event: Event) -> int | None:
        """The seat that alone knows that an event happened, None if everybody does."""
        return None if event.is_public or self.game.is_announced(event) else event.seat

    def _whose(self, event: Event) -> int | None:
        """The seat whose own list of steps an undo or redo means; None for the table's.

        Raises:
            IllegalError: it is written as a public act of a player.
        """
        if event.audience is None and event.seat is None:
            return None
        if event.seat is not None and event.audience == frozenset({event.seat}):
            return event.seat
        raise IllegalError(
            "Write “table: {verb}”, or your name with a star before it for a note of your own.",
            verb=event.verb,
        )

    def _undoing(self, event: Event) -> StandingChange[StateT]:
        step = self.undoes(self._whose(event))
        if step is None:
            raise IllegalError("There is nothing left to take back.")
        if any(done.verb == DISCLOSE for done in step.events):
            raise IllegalError(
                "Everything was disclosed to all: nothing before that can be taken back."
            )
        numbers = {done.n for done in step.events}
        if step.new is None:
            first = self.index_of(min(numbers))
            kept = [n for n in self.nodes[first:] if n.event.n not in numbers]
            return StandingChange(first, self._refold(first, _pairs(kept)), step, is_undo=True)
        first = self.index_of(step.new.n)
        rest = _pairs(self.nodes[first + 1 :])
        if step.old is not None:
            rest = [(step.old, step.old_by), *rest]
        return StandingChange(first, self._refold(first, rest), step, is_undo=True)

    def _redoing(self, event: Event) -> StandingChange[StateT]:
        step = self.redoes(self._whose(event))
        if step is None:
            raise IllegalError("Nothing was taken back that could be restored.")
        if step.new is None:
            first = self.index_of(step.events[0].n)
            again = [(done, 0) for done in step.events]
            rest = _pairs(self.nodes[first:])
        else:
            first = self.index_of(step.new.n)
            again = [(step.new, step.line)]
            rest = _pairs(self.nodes[first + (step.old is not None) :])
        return StandingChange(first, self._refold(first, [*again, *rest]), step, is_redo=True)

    def index_of(self, n: int) -> int:
        """Place of event n among the standing ones, or where it would stand."""
        return bisect_left(self.nodes, n, key=lambda node: node.event.n)

    def place_of(self, event: Event) -> tuple[int, bool]:
        """Where the event that a correction names stands (or would), and whether it stands.

        Raises:
            IllegalError: there is no such event for whoever corrects it.
        """
        n, new = event.args
        if not 1 <= n <= len(self.log):
            raise IllegalError(NONE_SUCH)
        old = self.log[n - 1].event
        if old is not None and old.verb in LOG_VERBS:
            raise IllegalError(
                phrase("“{verb}” cannot be corrected.", verb=old.verb)
                if old.is_public
                else NONE_SUCH
            )
        self._check_audience(event, new)
        index = self.index_of(n)
        standing = index < len(self.nodes) and self.nodes[index].event.n == n
        if standing:
            self._check_audience(event, self.nodes[index].event)
        elif old is not None:
            # A refused line can be mended by its own readers; nobody else may learn of it.
            self._check_audience(event, old)
            if self.log[n - 1].applied:
                raise IllegalError("That event was taken back: restore it first.")
        if n <= self.state.disclosed_to:
            raise IllegalError(
                "Everything was disclosed to all: nothing before that can be corrected."
            )
        return index, standing

    def _correction(self, event: Event) -> StandingChange[StateT]:
        n, new = event.args
        index, standing = self.place_of(event)
        new = evolve(new, n=n, comment=new.comment or event.comment)
        state = self.state_after(index)
        first = Node(new, self.game.do(state, new), by=event.n)
        rest = self.nodes[index + standing :]
        nodes = (first, *self._refold(index, _pairs(rest), first.state))
        unfit = tuple(node.event.n for node in nodes if node.error is not None)
        before = {node.event.n for node in rest if node.error is not None}
        self._refuse_hidden_misfits(event, index, nodes, before)
        old = self.nodes[index] if standing else None
        step = UndoStep(
            event.n,
            new=new,
            old=None if old is None else old.event,
            old_by=0 if old is None else old.by,
            quiet=self._quiet(event),
        )
        return StandingChange(index, nodes, step, unfit=unfit)

    def _refuse_hidden_misfits(
        self, event: Event, index: int, nodes: Sequence[Node[StateT]], before: set[int]
    ) -> None:
        """Refuses a correction after which an event does not fit for a hidden reason.

        Everybody learns which later events fit, so that may follow only from what the correction's
        own audience knows. An event that did not fit before either is no exception: whether it
        fits again would tell as much.

        Args:
            event: the correction.
            index: how many of the standing nodes come before what it corrects.
            nodes: what would stand from there on.
            before: numbers of the events that do not fit now.

        Raises:
            HiddenError: that audience could not tell why an event does not fit.
        """
        if all(node.error is None for node in nodes):
            return
        viewer = None if event.is_public else event.seat
        states = self.gate.preview(viewer, index, nodes)
        for node, state in zip(nodes, states, strict=True):
            if node.error is None:
                continue
            if node.event.may_be_read_by(viewer):
                hidden = self.game.can(state, node.event)
            else:
                hidden = node.event.n not in before
            if hidden:
                raise HiddenError("An event would no longer fit what was recorded in secret.")

    def _check_audience(self, event: Event, other: Event) -> None:
        if event.audience != other.audience or (event.audience and event.seat != other.seat):
            raise IllegalError(NONE_SUCH)

    def _refold(
        self,
        index: int,
        events: Iterable[tuple[Event, int]],
        state: StateT | None = None,
    ) -> tuple[Node[StateT], ...]:
        """Judges events again.

        Args:
            index: how many of the standing nodes come before.
            events: each with the line of the correction that it comes from.
            state: the state before the first of them; by default that after those nodes.
        """
        if state is None:
            state = self.state_after(index)
        result = []
        for event, by in events:
            try:
                state = self.game.do(state, event)
                result.append(Node(event, state, by=by))
            except CompanionError as error:
                result.append(Node(event, state, error, by))
        return tuple(result)


def _pairs(nodes: Iterable[Node[StateT]]) -> list[tuple[Event, int]]:
    """Events of nodes with the corrections that they come from."""
    return [(node.event, node.by) for node in nodes]
