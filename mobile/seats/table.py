"""One session as phones may use it: one thing at a time, each answering a known state.

Everything here runs on one thread, the session's (`host.py` sees to that). A request says which
state of the match it answers, as its own page counts states: by the lines that it can see, so the
number tells nothing of lines that it cannot. Where something has happened since, it is refused and
the page shows the match as it is now. A request that comes twice, because its answer was lost, is
answered again and done once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companion.core.events import DISCLOSE, LOG_VERBS, REDO, UNDO, Event
from companion.core.game import Game
from companion.core.guidance.build import opened
from companion.core.guidance.generic import guidance_of
from companion.core.guidance.steps import Guidance, Step
from companion.core.referee import Referee
from companion.core.setup import Setup
from companion.core.state import evolve
from companion.core.view import View
from companion.errors import CompanionError, UsageError
from companion.journal import Session
from companion.phrases import joined, phrase
from mobile.model import wording
from mobile.seats import form_answers, gate, sentences

#: Answers that are remembered for each page, so that a request is done once.
_REMEMBERED = 64
_MOST_KEY = 64


class Answer(StrEnum):
    """What became of a request."""

    DONE = "done"
    #: Nothing was done: something else happened first.
    STALE = "stale"
    #: Nothing was done: it is against the rules, or not this page's.
    REFUSED = "refused"
    #: Nothing was done yet: a person is asked whether it is meant.
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a page is answered.

    Attributes:
        answer: what became of its request.
        told: why, or what is asked; in words.
    """

    answer: Answer
    told: str = ""


@dataclass(frozen=True, slots=True)
class ViewerMoment:
    """The match as one viewer may know it.

    Attributes:
        consents: seats that agree to disclose everything, None where that is not asked now.
        undo: what they may take back, in words; empty where nothing.
        redo: what they may restore.
        undo_own: what they may take back of their own notes.
    """

    view: View[Any]
    guidance: Guidance
    consents: frozenset[int] | None = None
    undo: str = ""
    redo: str = ""
    undo_own: str = ""


class HostedTable:
    """A running session.

    Args:
        session: the session, open for recording.
        has_phone: whether a seat is somebody's own phone's.
        changed: called after something has changed.
    """

    def __init__(
        self,
        session: Session,
        *,
        has_phone: Callable[[int], bool] = lambda _seat: False,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.session = session
        self.game: Game[Any] = session.game
        self._has_phone = has_phone
        self._changed = changed
        self._answers: dict[int | None, OrderedDict[str, Outcome]] = {}
        self._consents: frozenset[int] = frozenset()
        self._consents_at = 0

    @property
    def referee(self) -> Referee[Any]:
        """The session's referee."""
        return self.session.referee

    @property
    def setup(self) -> Setup:
        """The session's settings."""
        return self.session.setup

    @property
    def version(self) -> tuple[int, frozenset[int]]:
        """Grows or changes whenever any page may have to show something else."""
        return self.referee.stands, self.consents

    @property
    def consents(self) -> frozenset[int]:
        """Seats that agree to disclose everything as it stands now."""
        return self._consents if self._consents_at == self._public_lines() else frozenset()

    def _public_lines(self) -> int:
        """Consent holds until anything happens that all can see, and hangs on nothing else."""
        return len(self.referee.view(None).log)

    # -- what people see ----------------------------------------------------------------------

    def moment(self, viewer: int | None) -> ViewerMoment:
        """The match as a seat, or (None) everybody, may know it now."""
        referee = self.referee
        view = referee.view(viewer)
        guidance = guidance_of(self.game, view)
        asked = any(step.verb == DISCLOSE for step in guidance.steps)
        own = None if viewer is None else referee.undoes(viewer)
        return ViewerMoment(
            view,
            guidance,
            self.consents if asked else None,
            gate.offered(self.session, viewer, referee.undoes()),
            gate.offered(self.session, viewer, referee.redoes()),
            "" if own is None else gate.told(referee, own, viewer),
        )

    # -- what people do -----------------------------------------------------------------------

    def act(self, seat: int | None, request: Mapping[str, object]) -> Outcome:
        """Does what a page asks for.

        Args:
            seat: whose page it is, None for the table's own.
            request: `key` tells it from every other request, `state` is the number of the state
                that it answers, `do` says what is wanted (`step`, `type`, `undo`, `undo own`,
                `redo`, `consent`, `withdraw`), `sure` that a person was asked.
        """
        key, state = request.get("key"), request.get("state")
        if not isinstance(key, str) or not 8 <= len(key) <= _MOST_KEY or type(state) is not int:
            return Outcome(Answer.REFUSED, sentences.UNREADABLE)
        answers = self._answers.setdefault(seat, OrderedDict())
        if key in answers:
            return answers[key]
        if state != len(self.referee.view(seat).log):
            return Outcome(Answer.STALE, sentences.STALE)
        before = self.version
        try:
            outcome = self._do(seat, request)
        except CompanionError as error:
            outcome = Outcome(Answer.REFUSED, error.message)
        if outcome.answer is not Answer.ASK:
            answers[key] = outcome
            while len(answers) > _REMEMBERED:
                answers.popitem(last=False)
        if self.version != before:
            self._changed()
        return outcome

    def made_of_keys(self, seat: int | None, request: Mapping[str, object]) -> tuple[str, str]:
        """The text that keys of a form mean, and why it could not be recorded now.

        Judged by what everybody knows: asking tells nothing.

        Args:
            seat: whose page it is, None for the table's own.
            request: `state`, `step`, `field`, and `keys`: those that are down, in their groups.
        """
        view = self.referee.view(seat)
        if request.get("state") != len(view.log):
            return "", ""
        guidance = guidance_of(self.game, view)
        step, field = request.get("step"), request.get("field")
        text = form_answers.made_of_keys(self.game, guidance, step, field, request.get("keys"))
        if not text:
            return "", ""
        try:
            values = [text] if len(guidance.steps[int(str(step))].needs) == 1 else None
            _, event = form_answers.event_of(self.game, self.setup, guidance, step, values)
            self.game.verify(opened(view.public), event)
        except CompanionError as error:
            return text, error.message
        return text, ""

    def says(self, seat: int | None, request: Mapping[str, object]) -> str:
        """What a filled form will do, as a sentence in the language in use; empty where it is none.

        Args:
            seat: whose page it is, None for the table's own.
            request: `state`, `step` and `values`, as to act.
        """
        view = self.referee.view(seat)
        if request.get("state") != len(view.log):
            return ""
        try:
            step, event = self._meant(view, request)
        except CompanionError:
            return ""  # it is said when it is sent
        if step.secret and step.seat != seat:
            return ""
        return wording.told_event(self.game, self.setup, event).rstrip(".")

    def _meant(self, view: View[Any], request: Mapping[str, object]) -> tuple[Step, Event]:
        guidance, step = guidance_of(self.game, view), request.get("step")
        return form_answers.event_of(self.game, self.setup, guidance, step, request.get("values"))

    def _do(self, seat: int | None, request: Mapping[str, object]) -> Outcome:
        what, sure = request.get("do"), request.get("sure") is True
        if what in ("consent", "withdraw"):
            return self._consent(seat, agrees=what == "consent")
        if what == "step":
            event = self._meant(self.referee.view(seat), request)[1]
        elif what == "type":
            line = request.get("line")
            if (
                not isinstance(line, str)
                or len(line) > form_answers.MOST_TEXT
                or not line.isprintable()
            ):
                raise UsageError(sentences.UNREADABLE)
            event = gate.read_line(self.referee, seat, line)
        elif what in ("undo", "redo"):
            event = Event(UNDO if what == "undo" else REDO)
        elif what == "undo own" and seat is not None:
            event = Event(UNDO, (), seat, frozenset({seat}))
        else:
            raise UsageError(sentences.UNREADABLE)
        return self._record(seat, event, sure=sure)

    def _record(self, seat: int | None, event: Event, *, sure: bool) -> Outcome:
        gate.check(self.session, seat, event, has_phone=self._has_phone)
        # What speaks against it in one's own secrets is said on one's own page.
        verdict = self.referee.propose(event, viewer=seat)
        if verdict.error is not None:
            raise verdict.error
        if not sure:
            if verdict.findings:
                why = joined(" ", (finding.message for finding in verdict.findings))
                return Outcome(Answer.ASK, phrase(sentences.ALL_THE_SAME, why=why))
            question = gate.question_before(self.referee, seat, event)
            if question:
                return Outcome(Answer.ASK, question)
        self._accept(event)
        return Outcome(Answer.DONE)

    def _accept(self, event: Event) -> None:
        self.referee.accept(evolve(event, comment=""))
        if event.verb not in LOG_VERBS:
            self.referee.follow_up()

    # -- disclosing everything ----------------------------------------------------------------

    def agree_for(self, seat: int, pin: str) -> Outcome:
        """A seat without a phone agrees at the table's own screen: its PIN, or one press.

        Raises:
            CompanionError: the PIN is wrong, or the seat has a phone of its own to agree on.
        """
        if self._has_phone(seat):
            name = self.setup.players[seat]
            raise gate.NotYoursError(phrase(sentences.NOT_YOURS, name=name))
        self.session.unlock(seat, pin).lock()
        before = self.version
        outcome = self._consent(seat, agrees=True)
        if self.version != before:
            self._changed()
        return outcome

    def _consent(self, seat: int | None, *, agrees: bool) -> Outcome:
        if seat is None:
            raise UsageError(sentences.UNREADABLE)
        event = Event(DISCLOSE)
        verdict = self.referee.propose(event)
        if verdict.error is not None:
            raise verdict.error
        given = self.consents | {seat} if agrees else self.consents - {seat}
        self._consents, self._consents_at = given, self._public_lines()
        if given == frozenset(range(len(self.setup.players))):
            self._consents = frozenset()
            self._accept(event)
        return Outcome(Answer.DONE)
