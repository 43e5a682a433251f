"""The referee: judges events, keeps the log, folds it into state.

The log holds every line in order, refused ones too, and never shrinks: undoing, redoing and
correcting are lines of it. The standing events form a list of nodes, ordered by their lines, each
with the state after it, so that accepting an event and undoing one take the same short time however
long the match is. Correcting replaces a node and folds again what follows; events that no longer
fit are kept (they may fit again after another correction) and marked.

What the referee says follows from what the listener may know. A refusal is worded by the fold of
the event's own audience. Where that fold finds nothing wrong, a hidden fact has decided: the
listener gets one fixed sentence, the try stands in the log, and only the seats that know the fact
read the reason.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic

from companion.core.entries import Entry, Node
from companion.core.events import CORRECT, DISCLOSE, LOG_VERBS, REDO, UNDO, Event
from companion.core.game import Game
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
from companion.core.view import LogLine, View
from companion.core.views import Gate
from companion.errors import CompanionError, HiddenError, IllegalError
from companion.phrases import phrase

#: The same words whether there is no such event or it is somebody else's: everybody reads why a
#: public correction was refused, so neither numbers nor names may tell of lines not seen.
_NONE_SUCH = (
    "There is no such event to correct. An event is corrected by its own readers: a public one by "
    "table: correct N …, a private one by NAME*: correct N …"
)


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


@dataclass(frozen=True, slots=True)
class Deed:
    """Something done that undo takes back as one.

    Attributes:
        line: number of the line that did it.
        events: for a play, the event and what the referee said by itself upon it.
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


@dataclass(frozen=True, slots=True)
class _Change(Generic[StateT]):
    """What a line does to the standing events, before it is committed."""

    keep: int
    add: tuple[Node[StateT], ...]
    deed: Deed
    is_undo: bool = False
    is_redo: bool = False
    unfit: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Judged(Generic[StateT]):
    """An event judged: the change it makes, or why not.

    Attributes:
        change: None if it is refused.
        error: the whole reason.
        told: the reason as the event's audience may know it.
        reasons: seats that know more, each with the reason; not empty only where `told` is a
            `HiddenError`.
    """

    change: _Change[StateT] | None
    error: CompanionError | None = None
    told: CompanionError | None = None
    reasons: tuple[tuple[int, CompanionError], ...] = ()


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
        self._deeds: list[Deed] = []
        self._undone: list[Deed] = []
        #: Lines that were taken back and not restored.
        self._gone: set[int] = set()
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
        return self._gate.view(viewer, self._log, self._nodes, self._gone)

    def knowledge(self, viewer: int | None) -> StateT:
        """The state a seat may know: `view(viewer).state` without building the rest."""
        return self._gate.state(viewer, self._log, self._nodes)

    def number_of(self, viewer: int | None, step: int) -> int:
        """The line number behind a step of a viewer's log (viewers count what they see)."""
        return self._gate.number(viewer, step, self._log)

    def line_of(self, entry: Entry) -> LogLine:
        """A line as the match's owner reads it: whole, with the match's own numbers."""
        index = self._index_of(entry.n)
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
            undone=entry.n in self._gone,
            corrected_by=None if node is None else node.by or None,
            unfit=node is not None and node.error is not None,
        )

    def undoes(self, seat: int | None = None) -> Deed | None:
        """What `undo` would take back now; None if nothing is left.

        Args:
            seat: None for `table: undo`, which passes over what one player alone knows of; a seat
                for `NAME*: undo`, which takes back only such a thing.
        """
        return next((deed for deed in reversed(self._deeds) if deed.quiet == seat), None)

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

    def redoes(self, seat: int | None = None) -> Deed | None:
        """What `redo` would restore now; None if nothing is left."""
        return next((deed for deed in reversed(self._undone) if deed.quiet == seat), None)

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

    def parse_typed(self, text: str) -> Event:
        """Reads an event line typed by somebody, who counts the lines that they see.

        `table: correct N` means the line that everybody reads as N, `NAME*: correct N` the one
        that NAME does.

        Raises:
            UnreadableError: it cannot be read.
            IllegalError: there is no such line for them.
        """
        content, comment = split_comment(text)
        if CORRECT not in content:
            return self.parse(text)
        viewer = reader_of(self.setup, content)
        lines = [self.number_of(viewer, line.step) for line in self.view(viewer).log]
        earlier = [self._log[n - 1].event for n in lines]
        event = read_event(self.game, self.setup, content, earlier=earlier)
        if event.verb == CORRECT:
            step, inner = event.args
            if not 1 <= step <= len(lines):
                raise IllegalError(_NONE_SUCH)
            event = evolve(event, args=(lines[step - 1], inner))
        return evolve(event, comment=comment) if comment else event

    def propose(self, event: Event) -> Judgement:
        """Judges an event without recording it.

        Error and findings are those that the event's own audience may know, so asking tells
        nobody's secrets: what only a hidden fact speaks against is no error here.
        """
        event = evolve(event, n=len(self._log) + 1)
        judged = self._judge(event)
        if judged.told is not None and not isinstance(judged.told, HiddenError):
            return Judgement(judged.told)
        viewer = None if event.is_public else event.seat
        if event.verb == CORRECT and judged.change is not None:
            states = self._gate.preview(viewer, self._log, self._nodes, judged.change.add)
            known = set(self.knowledge(viewer).findings)
            return Judgement(None, tuple(f for f in states[-1].findings if f not in known))
        if event.verb in LOG_VERBS:
            return Judgement(None)
        before = self.knowledge(viewer)
        after = self.game.apply(before, event)
        return Judgement(None, after.findings[len(before.findings) :])

    def accept(self, event: Event | str) -> Entry:
        """Records an event.

        Args:
            event: the event, or its line.

        Returns:
            Its entry, with findings if it contradicts something.

        Raises:
            HiddenError: a fact that the event's audience may not know refuses it; the try is
                recorded.
            CompanionError: it cannot be read or is illegal; nothing was recorded.
        """
        parsed = self.parse(event) if isinstance(event, str) else event
        parsed = evolve(parsed, n=len(self._log) + 1)
        judged = self._judge(parsed)
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
            return self._refuse(None, text, _Judged(None, error))
        n = len(self._log) + 1
        if parsed.n != n:
            parsed = evolve(parsed, n=n)
        judged = self._judge(parsed)
        if judged.change is not None:
            return self._commit(parsed, judged.change)
        return self._refuse(parsed, "", judged)

    def submit_line(self, line: Line) -> Entry:
        """Records a line that was read from a file, as `submit`."""
        if line.event is None:
            text = f"{line.text} ; {line.comment}" if line.comment else line.text
            error = line.error or CompanionError("The line cannot be read.")
            return self._refuse(None, text, _Judged(None, error))
        event = line.event
        if event.comment != line.comment:
            event = evolve(event, comment=line.comment)
        return self.submit(event)

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
        """Takes back the last thing done; `undoes` says what that is.

        That is an event with what the referee said upon it by itself, or a correction.

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

    def _refuse(self, event: Event | None, text: str, judged: _Judged[StateT]) -> Entry:
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

    def _commit(self, event: Event, change: _Change[StateT]) -> Entry:
        before = len(self.state.findings)
        state = change.add[-1].state if change.add else None
        is_play = event.verb not in LOG_VERBS
        findings = state.findings[before:] if state is not None and is_play else ()
        deed = change.deed
        affects = () if is_play else deed.lines if deed.new is None else (deed.new.n,)
        entry = Entry(event.n, event, findings=findings, unfit=change.unfit, affects=affects)
        if self._record is not None:
            self._record(entry)
        self._keep_account(change)
        del self._nodes[change.keep :]
        self._nodes.extend(change.add)
        self._log.append(entry)
        return entry

    def _keep_account(self, change: _Change[StateT]) -> None:
        """Brings the lists of what was done and what was taken back up to date."""
        deed = change.deed
        if change.is_undo:
            self._deeds = [old for old in self._deeds if old is not deed]
            self._undone.append(deed)
            self._gone.update(deed.lines)
            return
        if change.is_redo:
            self._undone = [old for old in self._undone if old is not deed]
            self._gone.difference_update(deed.lines)
        else:
            self._undone = [old for old in self._undone if old.quiet != deed.quiet]
        if self._deeds and self._deeds[-1].line == deed.line:
            self._deeds[-1] = deed  # the referee's own answer joins what it answers
        else:
            self._deeds.append(deed)

    def _judge(self, event: Event) -> _Judged[StateT]:
        """Judges an event, and says to its audience what that may know of a refusal."""
        try:
            return _Judged(self._change(event))
        except HiddenError as error:
            return _Judged(None, error, self._hidden(()), ())
        except CompanionError as error:
            if event.verb in (UNDO, REDO):
                return _Judged(None, error, error)
            viewer = None if event.is_public else event.seat
            told = self._reason(viewer, event)
            if told is not None:
                return _Judged(None, error, told)
            seats = range(len(self.setup.players))
            found = [(seat, self._reason(seat, event)) for seat in seats if seat != viewer]
            reasons = tuple((seat, why) for seat, why in found if why is not None)
            return _Judged(None, error, self._hidden(tuple(seat for seat, _ in reasons)), reasons)

    def _hidden(self, seats: tuple[int, ...]) -> HiddenError:
        """The one sentence for a refusal whose reason its audience may not know."""
        if not seats:
            return HiddenError("This does not fit what was recorded in secret.")
        names = self.setup.names(seats)
        if len(seats) > 1:
            return HiddenError(
                phrase(
                    "This does not fit what {names} recorded in secret; they can read why behind "
                    "their covers.",
                    names=names,
                )
            )
        return HiddenError(
            phrase(
                "This does not fit what {name} recorded in secret; {name} can read why behind "
                "their cover.",
                name=names,
            )
        )

    def _reason(self, viewer: int | None, event: Event) -> CompanionError | None:
        """Why a viewer's own knowledge speaks against an event; None if it does not."""
        try:
            if event.verb != CORRECT:
                self._gate.verify(viewer, event, self._log, self._nodes, len(self._nodes))
                return None
            n, new = event.args
            index = self._place_of(event)[0]
            self._gate.verify(viewer, evolve(new, n=n), self._log, self._nodes, index)
        except CompanionError as error:
            return error
        return None

    def _change(self, event: Event) -> _Change[StateT]:
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
            last = self._deeds[-1]
            deed = evolve(last, events=(*last.events, event))
        else:
            deed = Deed(event.n, (event,), quiet=self._quiet(event))
        return _Change(len(self._nodes), (node,), deed)

    def _is_own_answer(self, event: Event) -> bool:
        """Whether an event answers, for a player who trusts the referee, the last thing done.

        Such answers the referee gives by itself, so they are taken back with what they answer.
        It follows from public knowledge alone: who may undo what must not depend on a hand.
        """
        if not self._deeds or not self._deeds[-1].events or not event.is_public:
            return False
        trusted = self.setup.trusted
        trusts = any(trusted) if event.seat is None else trusted[event.seat]
        return trusts and self.game.awaits_answer(self.knowledge(None))

    def _quiet(self, event: Event) -> int | None:
        """The seat that alone knows that an event happened, None if everybody does."""
        inner: Event = event.args[1] if event.verb == CORRECT else event
        verb = self.game.verbs.get(inner.verb)
        announced = verb is None or verb.announced
        return None if event.is_public or announced else event.seat

    def _whose(self, event: Event) -> int | None:
        """The seat whose own list of deeds an undo or redo means; None for the table's.

        Raises:
            IllegalError: it is written as a public act of a player.
        """
        if event.audience is None and event.seat is None:
            return None
        if event.seat is not None and event.audience == frozenset({event.seat}):
            return event.seat
        raise IllegalError(
            phrase(
                "“{verb}” is written table: {verb}, or NAME*: {verb} for a note of one's own.",
                verb=event.verb,
            )
        )

    def _undoing(self, event: Event) -> _Change[StateT]:
        deed = self.undoes(self._whose(event))
        if deed is None:
            raise IllegalError("There is nothing left to take back.")
        if any(done.verb == DISCLOSE for done in deed.events):
            raise IllegalError(
                "Everything was disclosed to all: nothing before that can be taken back."
            )
        numbers = {done.n for done in deed.events}
        if deed.new is None:
            first = self._index_of(min(numbers))
            kept = [n for n in self._nodes[first:] if n.event.n not in numbers]
            return _Change(first, self._refold(first, _pairs(kept)), deed, is_undo=True)
        first = self._index_of(deed.new.n)
        rest = _pairs(self._nodes[first + 1 :])
        if deed.old is not None:
            rest = [(deed.old, deed.old_by), *rest]
        return _Change(first, self._refold(first, rest), deed, is_undo=True)

    def _redoing(self, event: Event) -> _Change[StateT]:
        deed = self.redoes(self._whose(event))
        if deed is None:
            raise IllegalError("Nothing was taken back that could be restored.")
        if deed.new is None:
            first = self._index_of(deed.events[0].n)
            again = [(done, 0) for done in deed.events]
            rest = _pairs(self._nodes[first:])
        else:
            first = self._index_of(deed.new.n)
            again = [(deed.new, deed.line)]
            rest = _pairs(self._nodes[first + (deed.old is not None) :])
        return _Change(first, self._refold(first, [*again, *rest]), deed, is_redo=True)

    def _index_of(self, n: int) -> int:
        """Place of event n among the standing ones, or where it would stand."""
        return bisect_left(self._nodes, n, key=lambda node: node.event.n)

    def _place_of(self, event: Event) -> tuple[int, bool]:
        """Where the event that a correction names stands (or would), and whether it stands.

        Raises:
            IllegalError: there is no such event for whoever corrects it.
        """
        n, new = event.args
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
        index = self._index_of(n)
        standing = index < len(self._nodes) and self._nodes[index].event.n == n
        if standing:
            self._check_audience(event, self._nodes[index].event)
        elif old is not None:
            # A refused line can be mended by its own readers; nobody else may learn of it.
            self._check_audience(event, old)
            if self._log[n - 1].applied:
                raise IllegalError("That event was taken back: restore it first.")
        if n <= self.state.disclosed_to:
            raise IllegalError(
                "Everything was disclosed to all: nothing before that can be corrected."
            )
        return index, standing

    def _correction(self, event: Event) -> _Change[StateT]:
        n, new = event.args
        index, standing = self._place_of(event)
        new = evolve(new, n=n, comment=new.comment or event.comment)
        state = self._nodes[index - 1].state if index else self._initial
        first = Node(new, self.game.do(state, new), by=event.n)
        rest = self._nodes[index + standing :]
        nodes = (first, *self._refold(index, _pairs(rest), first.state))
        unfit = tuple(node.event.n for node in nodes if node.error is not None)
        before = {node.event.n for node in rest if node.error is not None}
        self._refuse_hidden_misfits(event, index, nodes, set(unfit) - before)
        old = self._nodes[index] if standing else None
        deed = Deed(
            event.n,
            new=new,
            old=None if old is None else old.event,
            old_by=0 if old is None else old.by,
            quiet=self._quiet(event),
        )
        return _Change(index, nodes, deed, unfit=unfit)

    def _refuse_hidden_misfits(
        self, event: Event, index: int, nodes: Sequence[Node[StateT]], fresh: set[int]
    ) -> None:
        """Refuses a correction after which an event no longer fits for a hidden reason.

        Everybody learns which later events fit, so that may follow only from what the correction's
        own audience knows.

        Raises:
            HiddenError: that audience could not tell why an event does not fit.
        """
        if not fresh:
            return
        viewer = None if event.is_public else event.seat
        states = self._gate.preview(viewer, self._log, self._nodes[:index], nodes)
        for node, state in zip(nodes, states, strict=True):
            if node.event.n not in fresh:
                continue
            readable = node.event.may_be_read_by(viewer)
            if not readable or self.game.can(state, node.event):
                raise HiddenError("An event would no longer fit what was recorded in secret.")

    def _check_audience(self, event: Event, other: Event) -> None:
        if event.audience != other.audience or (event.audience and event.seat != other.seat):
            raise IllegalError(_NONE_SUCH)

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
            state = self._nodes[index - 1].state if index else self._initial
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
