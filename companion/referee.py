"""The referee: judges events, keeps the log, folds it into state.

The log holds every line in order, refused ones too, and never shrinks: undoing, redoing and
correcting are lines of it. The standing events form a list of nodes, each with the state after it,
so that accepting an event and undoing one take the same short time however long the match is.
Correcting replaces a node and folds again what follows; events that no longer fit are kept aside
(they may fit again after another correction) and named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic

from companion.errors import CompanionError, IllegalError
from companion.events import CORRECT, LOG_VERBS, REDO, UNDO, Event
from companion.game import Game
from companion.notation import Line, MatchText, read_event, split_comment, write_event
from companion.phrases import phrase
from companion.setup import Setup
from companion.sightings import Proposal, Sighting
from companion.state import Finding, StateT, evolve
from companion.views import Gate, View

#: The same words whether there is no such event or it is somebody else's: everybody reads why a
#: public correction was refused, so neither numbers nor names may tell of lines not seen.
_NONE_SUCH = (
    "There is no such event to correct. An event is corrected by its own readers: a public one by "
    "table: correct N …, a private one by NAME*: correct N …"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log, as it was judged when it came.

    Attributes:
        n: its number, from 1.
        event: what it says, None where it could not be read.
        text: as written where it could not be read, else empty.
        applied: whether it took effect.
        error: why it did not.
        findings: what it contradicts (it stands all the same).
        unfit: after a correction, the numbers of events that no longer fit.
    """

    n: int
    event: Event | None
    text: str = ""
    applied: bool = True
    error: CompanionError | None = None
    findings: tuple[Finding, ...] = ()
    unfit: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Node(Generic[StateT]):
    """A standing event with the state after it.

    Attributes:
        event: the event, numbered by its line.
        state: the state after it; where it no longer fits, the state before it.
        error: why it no longer fits after a correction, None where it does.
    """

    event: Event
    state: StateT
    error: CompanionError | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the referee thinks of an event before it is recorded.

    Attributes:
        error: why it would be refused, None where it would not.
        findings: what it would contradict, as far as everybody who may read it may know.
    """

    error: CompanionError | None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class _Change(Generic[StateT]):
    """What a line does to the standing events, before it is committed."""

    keep: int
    add: tuple[Node[StateT], ...]
    undone: tuple[Node[StateT], ...] | None = None
    redone: bool = False
    unfit: tuple[int, ...] = ()


class Referee(Generic[StateT]):
    """Judges and records the events of one session.

    Args:
        game: the game.
        setup: its settings.
        record: called with each entry after it was judged and before it counts; what it raises
            stops the entry (a journal makes it durable here, before anything is announced).
    """

    def __init__(
        self,
        game: Game[StateT],
        setup: Setup,
        *,
        record: Callable[[Entry], None] | None = None,
    ) -> None:
        self.game = game
        self.setup = setup
        self._initial = game.initial(setup)
        self._record = record
        self._log: list[Entry] = []
        self._nodes: list[Node[StateT]] = []
        self._undone: list[tuple[Node[StateT], ...]] = []
        self._gate: Gate[StateT] = Gate(game, setup, self._initial)

    @classmethod
    def of(cls, match: MatchText) -> Referee[StateT]:
        """A referee that has read a whole match."""
        referee = cls(match.game, match.setup)
        for line in match.events:
            referee.submit_line(line)
        return referee

    # -- what stands ------------------------------------------------------------------------

    @property
    def state(self) -> StateT:
        """The referee's own state, secrets included: for judging, never for showing."""
        return self._nodes[-1].state if self._nodes else self._initial

    @property
    def log(self) -> tuple[Entry, ...]:
        """Every line so far."""
        return tuple(self._log)

    @property
    def nodes(self) -> tuple[Node[StateT], ...]:
        """The standing events in order, those that no longer fit among them."""
        return tuple(self._nodes)

    @property
    def events(self) -> tuple[Event, ...]:
        """The standing events that fit, in order: folding them gives the state."""
        return tuple(node.event for node in self._nodes if node.error is None)

    @property
    def stands(self) -> int:
        """Number of `state`: grows with every line, so that stale answers can be dropped."""
        return len(self._log)

    def match_text(self) -> MatchText:
        """The match as it would be written to a file."""
        lines = []
        for entry in self._log:
            comment = entry.event.comment if entry.event is not None else ""
            text = entry.text
            if entry.event is not None:
                text = write_event(self.game, self.setup, entry.event, comment=False)
            elif entry.text:
                text, comment = split_comment(entry.text)
            lines.append(Line(entry.n, text, entry.event, entry.error, comment))
        return MatchText(self.game, self.setup, tuple(lines))

    # -- what people see --------------------------------------------------------------------

    def view(self, viewer: int | None) -> View[StateT]:
        """What a seat may know; None for somebody who knows only what is public."""
        return self._gate.view(viewer, self._log, self._nodes)

    def knowledge(self, viewer: int | None) -> StateT:
        """The state a seat may know: `view(viewer).state` without building the rest."""
        return self._gate.state(viewer, self._log, self._nodes)

    def number_of(self, viewer: int | None, step: int) -> int:
        """The line number behind a step of a viewer's log (viewers count what they see)."""
        return self._gate.number(viewer, step, self._log)

    # -- what happens -----------------------------------------------------------------------

    def parse(self, text: str) -> Event:
        """Reads an event line typed by somebody.

        Raises:
            UnreadableError: it cannot be read.
        """
        content, comment = split_comment(text)
        earlier = [entry.event for entry in self._log] if CORRECT in content else ()
        event = read_event(self.game, self.setup, content, earlier=earlier)
        return evolve(event, comment=comment) if comment else event

    def propose(self, event: Event) -> Verdict:
        """Judges an event without recording it.

        The findings are those that the event's own audience may know, so asking tells nobody's
        secrets.
        """
        event = evolve(event, n=len(self._log) + 1)
        try:
            self._judge(event)
        except CompanionError as error:
            return Verdict(error)
        if event.verb in LOG_VERBS:
            return Verdict(None)
        viewer = None if event.is_public else event.seat
        before = self.knowledge(viewer)
        after = self.game.apply(before, event)
        return Verdict(None, after.findings[len(before.findings) :])

    def accept(self, event: Event | str) -> Entry:
        """Records an event.

        Args:
            event: the event, or its line.

        Returns:
            Its entry, with findings where it contradicts something.

        Raises:
            CompanionError: it cannot be read or is illegal; nothing was recorded.
        """
        parsed = self.parse(event) if isinstance(event, str) else event
        return self._commit(evolve(parsed, n=len(self._log) + 1))

    def submit(self, event: Event | str) -> Entry:
        """Records an event like `accept`; a refused one gets a line with its error."""
        text = event if isinstance(event, str) else ""
        try:
            parsed = self.parse(event) if isinstance(event, str) else event
        except CompanionError as error:
            return self._refuse(None, text, error)
        try:
            return self.accept(parsed)
        except CompanionError as error:
            return self._refuse(evolve(parsed, n=len(self._log) + 1), "", error)

    def submit_line(self, line: Line) -> Entry:
        """Records a line that was read from a file, as `submit`."""
        if line.event is None:
            text = f"{line.text} ; {line.comment}" if line.comment else line.text
            error = line.error or CompanionError("The line cannot be read.")
            return self._refuse(None, text, error)
        return self.submit(evolve(line.event, comment=line.comment))

    def submit_all(self, events: Iterable[Event | str]) -> list[Entry]:
        """Records several events in order, as `submit`."""
        return [self.submit(event) for event in events]

    def follow_up(self) -> list[Entry]:
        """In live play, records what the referee says by itself after an event (`Game.automatic`).

        Returns:
            The new entries, none where people have to act.
        """
        entries = []
        while (event := self.game.automatic(self.state)) is not None:
            entries.append(self.accept(event))
        return entries

    def undo(self) -> Entry:
        """Takes back the last event that stands.

        Raises:
            IllegalError: nothing stands any more.
        """
        return self.accept(Event(UNDO))

    def redo(self) -> Entry:
        """Restores what was last taken back.

        Raises:
            IllegalError: nothing was taken back, or something else has happened since.
        """
        return self.accept(Event(REDO))

    def correct(self, n: int, event: Event) -> Entry:
        """Replaces event number n; `Entry.unfit` names what no longer fits.

        Raises:
            IllegalError: there is no such standing event, or the new one is illegal there.
        """
        return self.accept(
            Event(CORRECT, (n, event), event.seat if event.audience else None, event.audience)
        )

    def proposals(self, sighting: Sighting) -> tuple[Proposal, ...]:
        """What a sighting could mean, judged; from what everybody knows."""
        proposals = []
        for proposal in self.game.proposals(self.knowledge(None), sighting):
            verdict = self.propose(proposal.event)
            proposals.append(evolve(proposal, error=verdict.error, findings=verdict.findings))
        return tuple(proposals)

    # -- inside -----------------------------------------------------------------------------

    def _refuse(self, event: Event | None, text: str, error: CompanionError) -> Entry:
        entry = Entry(len(self._log) + 1, event, text, applied=False, error=error)
        if self._record is not None:
            self._record(entry)
        self._log.append(entry)
        return entry

    def _commit(self, event: Event) -> Entry:
        before = len(self.state.findings)
        change = self._judge(event)
        state = change.add[-1].state if change.add else None
        findings = () if state is None or event.verb in LOG_VERBS else state.findings[before:]
        entry = Entry(event.n, event, findings=findings, unfit=change.unfit)
        if self._record is not None:
            self._record(entry)
        if change.undone is not None:
            self._undone.append(change.undone)
        elif change.redone:
            self._undone.pop()
        else:
            self._undone.clear()
        del self._nodes[change.keep :]
        self._nodes.extend(change.add)
        self._log.append(entry)
        return entry

    def _judge(self, event: Event) -> _Change[StateT]:
        if event.verb not in LOG_VERBS:
            node = Node(event, self.game.do(self.state, event))
            return _Change(len(self._nodes), (node,))
        if event.verb == CORRECT:
            return self._judge_correct(event)
        if event.audience is not None or event.seat is not None:
            raise IllegalError(phrase("“{verb}” is written table: {verb}.", verb=event.verb))
        return self._judge_undo() if event.verb == UNDO else self._judge_redo()

    def _judge_undo(self) -> _Change[StateT]:
        keep = len(self._nodes)
        while keep and self._nodes[keep - 1].error is not None:
            keep -= 1
        if not keep:
            raise IllegalError("There is nothing left to take back.")
        return _Change(keep - 1, (), undone=tuple(self._nodes[keep - 1 :]))

    def _judge_redo(self) -> _Change[StateT]:
        if not self._undone:
            raise IllegalError("Nothing was taken back that could be restored.")
        return _Change(len(self._nodes), self._undone[-1], redone=True)

    def _judge_correct(self, event: Event) -> _Change[StateT]:
        n, new = event.args
        new = evolve(new, n=n, comment=new.comment or event.comment)
        if not 1 <= n <= len(self._log):
            raise IllegalError(_NONE_SUCH)
        old = self._log[n - 1].event
        if old is not None and old.verb in LOG_VERBS:
            raise IllegalError(
                phrase("“{verb}” cannot be corrected.", verb=old.verb)
                if old.is_public
                else _NONE_SUCH
            )
        self._check_audience(event, new)
        index = next((i for i, node in enumerate(self._nodes) if node.event.n >= n), None)
        index = len(self._nodes) if index is None else index
        standing = index < len(self._nodes) and self._nodes[index].event.n == n
        if standing:
            self._check_audience(event, self._nodes[index].event)
        elif old is not None and self._log[n - 1].applied:
            self._check_audience(event, old)
            raise IllegalError("That event was taken back: restore it first.")
        state = self._nodes[index - 1].state if index else self._initial
        nodes = [Node(new, self.game.do(state, new))]
        nodes += self._refold(nodes[0].state, self._nodes[index + standing :])
        unfit = tuple(node.event.n for node in nodes if node.error is not None)
        return _Change(index, tuple(nodes), unfit=unfit)

    def _check_audience(self, event: Event, other: Event) -> None:
        if event.audience != other.audience or (event.audience and event.seat != other.seat):
            raise IllegalError(_NONE_SUCH)

    def _refold(self, state: StateT, nodes: Iterable[Node[StateT]]) -> list[Node[StateT]]:
        """Judges the events of nodes again from another state."""
        result = []
        for node in nodes:
            try:
                state = self.game.do(state, node.event)
                result.append(Node(node.event, state))
            except CompanionError as error:
                result.append(Node(node.event, state, error))
        return result
