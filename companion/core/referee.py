"""The referee: judges events, keeps the log, folds it into state.

The log holds every line in order, refused ones too, and never shrinks: undoing, redoing and
correcting are lines of it. The standing events form a list of nodes, ordered by their lines, each
with the state after it, so that accepting an event and undoing one take the same short time however
long the match is. Correcting replaces a node and folds again what follows; events that no longer
fit are kept (they may fit again after another correction) and marked.

What the referee says follows from what the listener may know; see `companion.core.judging`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic

from companion.core.entries import Entry, Node
from companion.core.events import CORRECT, LOG_VERBS, REDO, UNDO, Event
from companion.core.game import Game
from companion.core.judging import Ruling, judge
from companion.core.notation import (
    Line,
    MatchText,
    read_event,
    reader_of,
    split_comment,
    write_event,
)
from companion.core.setup import Setup
from companion.core.sightings import Proposal, Sighting
from companion.core.state import Finding, StateT, evolve
from companion.core.timeline import NONE_SUCH, StandingChange, Timeline, UndoStep
from companion.core.view import LogLine, View
from companion.core.views import Gate
from companion.errors import CompanionError, HiddenError, IllegalError

#: In place of a viewer: eyes that see every line, the file's owner's.
EVERYTHING = -1


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the referee thinks of an event before it is recorded.

    Attributes:
        error: why it would be refused, None if it would not.
        findings: what it would contradict, as far as everybody who may read it may know.
    """

    error: CompanionError | None
    findings: tuple[Finding, ...] = ()


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
        self._record = record
        self._gate: Gate[StateT] = Gate(game, setup, game.initial(setup))
        self._timeline: Timeline[StateT] = Timeline(self._gate)
        # The same lists: the timeline keeps what stands, the referee what was said.
        self._log, self._nodes = self._gate.log, self._gate.nodes

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
        return self._timeline.state

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
        return self._gate.view(viewer)

    def knowledge(self, viewer: int | None) -> StateT:
        """The state a seat may know: `view(viewer).state` without building the rest."""
        return self._gate.state(viewer)

    def lines_seen(self, viewer: int | None) -> tuple[int, int]:
        """How many lines a viewer may know of, and the number of the last one; 0 for none."""
        return self._gate.lines_seen(viewer)

    def number_of(self, viewer: int | None, step: int) -> int:
        """The line number behind a step of a viewer's log (viewers count what they see)."""
        return self._gate.number(viewer, step)

    def line_of(self, entry: Entry) -> LogLine:
        """A line as the match's owner reads it: whole, with the match's own numbers."""
        index = self._timeline.index_of(entry.n)
        node = self._nodes[index] if index < len(self._nodes) else None
        if node is not None and node.event.n != entry.n:
            node = None
        text = entry.text
        if entry.event is not None:
            text = write_event(self.game, self.setup, entry.event)
        return LogLine(
            entry.n,
            text,
            "" if entry.error is None else entry.error.message,
            undone=entry.n in self._gate.gone,
            corrected_by=None if node is None else node.by or None,
            unfit=node is not None and node.error is not None,
        )

    def undoes(self, seat: int | None = None) -> UndoStep | None:
        """What `undo` would take back now; None if nothing is left.

        Args:
            seat: None for `table: undo`, which skips what only one player knows of; a seat for
                `NAME*: undo`, which takes back only that.
        """
        return self._timeline.undoes(seat)

    def misfits(self, entry: Entry, viewer: int | None) -> tuple[str, ...]:
        """The lines that no longer fit after a correction, as a viewer may read them.

        Args:
            entry: the correction, the last line of the log.
            viewer: a seat, None for the public, `EVERYTHING` for the whole text.
        """
        if not entry.unfit:
            return ()
        if viewer == EVERYTHING:
            events = (node.event for node in self._nodes if node.event.n in entry.unfit)
            return tuple(
                f"{event.n} {write_event(self.game, self.setup, event, comment=False)}"
                for event in events
            )
        return tuple(f"{line.step} {line.text}" for line in self.view(viewer).log if line.unfit)

    def redoes(self, seat: int | None = None) -> UndoStep | None:
        """What `redo` would restore now; None if nothing is left."""
        return self._timeline.redoes(seat)

    # -- what happens -----------------------------------------------------------------------

    def parse(self, text: str) -> Event:
        """Reads an event line as it stands in a file, where numbers count every line.

        Raises:
            UnreadableError: it cannot be read.
        """
        content, comment = split_comment(text)
        earlier = [entry.event for entry in self._log] if CORRECT in content else ()
        event = read_event(self.game, self.setup, content, earlier=earlier)
        return evolve(event, comment=comment) if comment else event

    def parse_typed(self, text: str, *, seat: int | None = None) -> Event:
        """Reads an event line typed by somebody, who counts the lines that they see.

        `table: correct N` means the line that everybody reads as N, `NAME*: correct N` the one
        that NAME does.

        Args:
            text: the line.
            seat: whose own page it was typed on: N is then the number there. None on a screen
                that everybody sees.

        Raises:
            UnreadableError: it cannot be read.
            IllegalError: there is no such line for them.
        """
        content, comment = split_comment(text)
        if CORRECT not in content:
            return self.parse(text)
        reader = reader_of(self.setup, content)
        viewer = seat if reader is None else reader
        lines = [self.number_of(viewer, line.step) for line in self.view(viewer).log]
        earlier = [self._log[n - 1].event for n in lines]
        event = read_event(self.game, self.setup, content, earlier=earlier)
        if event.verb == CORRECT:
            step, inner = event.args
            if not 1 <= step <= len(lines):
                raise IllegalError("There is no line {n}.", n=step)
            n = lines[step - 1]
            if event.is_public and viewer is not None:
                public = {self.number_of(None, line.step) for line in self.view(None).log}
                if n not in public:
                    raise IllegalError(NONE_SUCH)
            event = evolve(event, args=(n, inner))
        return evolve(event, comment=comment) if comment else event

    def propose(self, event: Event, *, viewer: int | None = None) -> Judgement:
        """Judges an event without recording it.

        Error and findings are those that the event's own audience may know, so asking reveals no
        secrets: what only a hidden fact forbids is no error here.

        Args:
            event: the event.
            viewer: the seat that alone is told, which knows more of a public event than all do.
        """
        event = evolve(event, n=len(self._log) + 1)
        judged = judge(self._timeline, event)
        if judged.told is not None and not isinstance(judged.told, HiddenError):
            return Judgement(judged.told)
        viewer = viewer if event.is_public else event.seat
        for seat, reason in judged.reasons:
            if seat == viewer:
                return Judgement(reason)
        if event.verb == CORRECT:
            n, new = event.args
            place = self._timeline.place_of(event)
            new = evolve(new, n=n)
            state = self._gate.trial(viewer, new, place)
            known = set(self.knowledge(viewer).findings)
            return Judgement(None, tuple(f for f in state.findings if f not in known))
        if event.verb in LOG_VERBS:
            return Judgement(None)
        before = self.knowledge(viewer)
        count, _ = self.lines_seen(viewer)
        # A finding names lines as its reader counts them.
        after = self.game.apply(before, evolve(event, n=count + 1))
        return Judgement(None, after.findings[len(before.findings) :])

    def accept(self, event: Event | str) -> Entry:
        """Records an event.

        Args:
            event: the event, or its line.

        Returns:
            Its entry, with findings if it contradicts something.

        Raises:
            HiddenError: a fact that the event's audience may not know forbids it; the attempt is
                recorded.
            CompanionError: it cannot be read or is illegal; nothing was recorded.
        """
        parsed = self.parse(event) if isinstance(event, str) else event
        parsed = evolve(parsed, n=len(self._log) + 1)
        judged = judge(self._timeline, parsed)
        if judged.change is not None:
            return self._commit(parsed, judged.change)
        assert judged.told is not None
        if isinstance(judged.told, HiddenError):
            self._refuse(parsed, "", judged)
        raise judged.told

    def submit(self, event: Event | str) -> Entry:
        """Records an event like `accept`; a refused one gets a line with its error."""
        text = event if isinstance(event, str) else ""
        try:
            parsed = self.parse(event) if isinstance(event, str) else event
        except CompanionError as error:
            return self._refuse(None, text, Ruling(None, error))
        n = len(self._log) + 1
        if parsed.n != n:
            parsed = evolve(parsed, n=n)
        judged = judge(self._timeline, parsed)
        if judged.change is not None:
            return self._commit(parsed, judged.change)
        return self._refuse(parsed, "", judged)

    def submit_line(self, line: Line) -> Entry:
        """Records a line that was read from a file, as `submit`."""
        if line.event is None:
            text = f"{line.text} ; {line.comment}" if line.comment else line.text
            error = line.error or CompanionError("The line cannot be read.")
            return self._refuse(None, text, Ruling(None, error))
        event = line.event
        if event.comment != line.comment:
            event = evolve(event, comment=line.comment)
        return self.submit(event)

    def submit_all(self, events: Iterable[Event | str]) -> list[Entry]:
        """Records several events in order, as `submit`."""
        return [self.submit(event) for event in events]

    def follow_up(self) -> list[Entry]:
        """In live play, records the referee's automatic answers to an event (`Game.automatic`).

        Returns:
            The new entries, none where people have to act.
        """
        entries = []
        while (event := self.game.automatic(self.state)) is not None:
            entries.append(self.accept(event))
        return entries

    def undo(self) -> Entry:
        """Takes back the last thing done; `undoes` says what that is.

        That is an event with the referee's automatic answer to it, or a correction.

        Raises:
            IllegalError: nothing is left, or everything before was disclosed to all.
        """
        return self.accept(Event(UNDO))

    def redo(self) -> Entry:
        """Restores what was last taken back.

        Raises:
            IllegalError: nothing was taken back, or something else has happened since.
        """
        return self.accept(Event(REDO))

    def proposals(self, sighting: Sighting) -> tuple[Proposal, ...]:
        """What a sighting could mean, judged; from what everybody knows."""
        proposals = []
        for proposal in self.game.proposals(self.knowledge(None), sighting):
            verdict = self.propose(proposal.event)
            proposals.append(evolve(proposal, error=verdict.error, findings=verdict.findings))
        return tuple(proposals)

    # -- inside -----------------------------------------------------------------------------

    def _refuse(self, event: Event | None, text: str, judged: Ruling[StateT]) -> Entry:
        entry = Entry(
            len(self._log) + 1,
            event,
            text,
            applied=False,
            error=judged.error,
            told=judged.told,
            reasons=judged.reasons,
        )
        if self._record is not None:
            self._record(entry)
        self._log.append(entry)
        return entry

    def _commit(self, event: Event, change: StandingChange[StateT]) -> Entry:
        before = len(self.state.findings)
        state = change.add[-1].state if change.add else None
        is_play = event.verb not in LOG_VERBS
        findings = state.findings[before:] if state is not None and is_play else ()
        step = change.step
        affects = () if is_play else step.lines if step.new is None else (step.new.n,)
        entry = Entry(event.n, event, findings=findings, unfit=change.unfit, affects=affects)
        if self._record is not None:
            self._record(entry)
        self._timeline.make(change)
        self._log.append(entry)
        return entry
