"""The referee's desk in a terminal: what people type, and what the referee answers.

A terminal is shared. What the referee says to all follows from what everybody knows. A player's
secrets are entered behind that player's PIN, are not echoed, and are covered afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import click

from companion.cli.common import complain
from companion.cli.secret_line import ask_pin, read_line, show_secretly
from companion.core.deeds import is_weighty, lines_of
from companion.core.entries import Entry
from companion.core.events import CORRECT, DISCLOSE, LOG_VERBS, REDO, UNDO, Event
from companion.core.guidance import tell
from companion.core.notation import MatchText, is_private_line
from companion.core.referee import Referee
from companion.core.replay import describe
from companion.core.shared_guidance import guidance_of, opening_of
from companion.core.state import State
from companion.core.verb import Secrecy
from companion.errors import CompanionError, UsageError
from companion.journal import PinError, Session

HELP = """\
NAME: VERB …      what a player does, for all to know (“NAME:” is needed only in doubt)
NAME*: VERB …     what only that player (and the referee) may know; it is not shown as you type
table: VERB …     what no single player does
undo, redo        take back the last thing done, restore it
correct N EVENT   replace line N of the log (NAME*: correct N … for a secret one)
log, score, who   what happened, how it stands, what may be done
help, quit"""


def apply_match(match: MatchText, referee: Referee[Any], *, keep_going: bool) -> None:
    """Applies a match file and prints what the referee announces.

    Args:
        match: the file.
        referee: takes its lines.
        keep_going: whether to read on after a refused line that leaves a question open.

    Raises:
        UsageError: it stopped there; later lines would answer an older question.
    """
    said: set[str] = set()
    for line in match.events:
        entry = referee.submit_line(line)
        for text in announcements(referee, entry):
            said.add(text)
            click.echo(text)
        error = _error_of(entry)
        if error is None:
            continue
        complain(f"{entry.n}: {error.message}")
        if not keep_going and referee.game.awaits_answer(referee.state):
            raise UsageError(
                f"Stopped at line {entry.n}: a question waits for its answer, and later lines "
                "would be taken for it (--keep-going reads on)."
            )
    _echo_standing(referee.state, said)


def announcements(referee: Referee[Any], entry: Entry) -> Iterator[str]:
    """What is said about an accepted line, to all and to its player."""
    if entry.error is not None:
        return
    event = entry.event
    assert event is not None
    yield from _public_notes(referee, entry)
    yield from (f"({referee.setup.name(event.seat)} only) {t}" for t in _own_notes(referee, event))
    yield from _faults(referee, entry)


def _public_notes(referee: Referee[Any], entry: Entry) -> tuple[str, ...]:
    """What is said to all about a line; nothing about one that nobody is told of."""
    _, last = referee.lines_seen(None)
    return referee.knowledge(None).notes if last == entry.n else ()


def _own_notes(referee: Referee[Any], event: Event) -> list[str]:
    """What is said to the player of a private event alone."""
    if event.is_public:
        return []
    public = referee.knowledge(None).notes
    return [note for note in referee.knowledge(event.seat).notes if note not in public]


def _faults(referee: Referee[Any], entry: Entry) -> Iterator[str]:
    """What a line contradicts or made impossible, as everybody may know it."""
    known = {finding.message for finding in referee.knowledge(None).findings}
    for finding in entry.findings:
        if finding.message in known:
            yield f"! {finding.message}"
    for line in referee.misfits(entry, None):
        yield f"! No longer fits: {line}"


def _error_of(entry: Entry) -> CompanionError | None:
    """Why a line was refused, as its own audience may know it."""
    event = entry.event
    return entry.error_for(None if event is None or event.is_public else event.seat)


def _echo_standing(state: State, said: set[str]) -> None:
    """How the match stands, without what was already said."""
    for text in describe(state.table, state.setup.players):
        if text not in said:
            click.echo(text)


class Desk:
    """Asks for events until the end of input or `quit`.

    Args:
        session: the session, open for recording.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.referee: Referee[Any] = session.referee
        self._said: set[str] = set()
        #: A line that was typed where y or n was asked for.
        self._ahead = ""
        #: The match of which it was said how it begins.
        self._opened: int | None = None
        self._talk = {
            "": lambda: None,
            "help": self._help,
            "?": self._help,
            "log": self._log,
            "score": self._score,
            "scores": self._score,
            "who": self._who,
        }

    def run(self) -> None:
        """Takes lines until there are no more."""
        referee = self.referee
        talks = sys.stdin.isatty()
        if talks:
            names = ", ".join(referee.setup.players)
            click.echo(f"{referee.game.info.title}: {names}. “help” explains.")
            click.echo(f"Session {self.session.id}: go on later with --continue {self.session.id}.")
            if not any(map(self.session.has_pin, range(len(referee.setup.players)))):
                click.echo(
                    "No player has a PIN: whoever holds this device can look at every hand "
                    f"(companion journal pin {self.session.id} NAME sets one)."
                )
            if referee.log:
                self._log()
        while True:
            if talks:
                self._say_opening()
                click.echo(self._told()[0])
            try:
                text, self._ahead = self._ahead or read_line(f"{self._label()}> ").strip(), ""
            except EOFError:
                break
            if text.casefold() in ("quit", "exit"):
                break
            try:
                self.take(text)
            except CompanionError as error:
                self._complain(text, error)
            except EOFError:
                complain("The input ended where a PIN was asked for.")
                break
        _echo_standing(referee.knowledge(None), self._said)

    def take(self, text: str) -> None:
        """One line that was typed.

        Raises:
            CompanionError: it is refused, or not for whoever typed it.
        """
        if (talk := self._talk.get(text.casefold())) is not None:
            talk()
            return
        self._suggest(text)
        event = self._read(text)
        self._gate(event)
        verdict = self.referee.propose(event)
        if verdict.error is not None:
            raise verdict.error
        findings = [f"! {found.message}" for found in verdict.findings]
        if event.is_public:
            for line in findings:
                click.echo(line)
        else:
            show_secretly(self.referee.setup.name(event.seat), findings)
        if not self._is_meant(event, contradicts=bool(findings)):
            return
        self._record(event)

    def _suggest(self, text: str) -> None:
        """Asks what was meant by a word that is nearly one.

        Raises:
            UsageError: names the word.
        """
        word = text.casefold()
        known = [*filter(str.isalpha, self._talk), UNDO, REDO, *self.referee.game.verbs]
        if not word.isalpha() or word in known:
            return
        for near in get_close_matches(word, known, n=1, cutoff=0.75):
            raise UsageError(f"Did you mean “{near}”?")

    # -- who may ----------------------------------------------------------------------------

    def _gate(self, event: Event) -> None:
        """Asks for the PINs that an event needs.

        Raises:
            PinError: one is wrong, or may not be tried yet.
            UsageError: not everybody agrees.
        """
        if event.verb == DISCLOSE:
            verdict = self.referee.propose(event)
            if verdict.error is not None:
                raise verdict.error
        for seat in self.session.must_show(event):
            pin = ask_pin(self.referee.setup.name(seat))
            self.session.unlock(seat, pin).lock()
        if event.verb == DISCLOSE and sys.stdin.isatty():
            names = self.referee.setup.players
            without = [name for seat, name in enumerate(names) if not self.session.has_pin(seat)]
            question = "Everything private becomes public permanently."
            if without and not self._agrees(f"{question} Agreed by {', '.join(without)}?"):
                raise UsageError("Not everybody agrees: nothing was disclosed.")

    # -- what is meant ------------------------------------------------------------------------

    def _read(self, text: str) -> Event:
        """The event that a line means; without a name, that of the only player who can act.

        Raises:
            CompanionError: it cannot be read, or several players or none can act.
        """
        referee = self.referee
        word = text.split(maxsplit=1)[0].casefold()
        if word in (UNDO, REDO, CORRECT):
            return referee.parse_typed(f"table: {text}")
        verb = referee.game.verbs.get(word)
        # Without a name and a verb of this game it is read all the same, to say what is wrong.
        says_whose = ":" in text if verb is None else verb.secrecy is Secrecy.PRIVATE
        if says_whose:
            return referee.parse_typed(text)
        mover = referee.state.table.to_move
        found: list[Event] = []
        trouble: CompanionError | None = None
        for seat in (*range(len(referee.setup.players)), None):
            name = "table" if seat is None else referee.setup.name(seat)
            try:
                event = referee.parse_typed(f"{name}: {text}")
                error = referee.propose(event).error
            except CompanionError as unread:
                error = unread
            if error is None:
                found.append(event)
            elif seat == mover or (verb is None and trouble is None):
                trouble = error
        if len(found) == 1:
            return found[0]
        if found or trouble is None:
            return referee.parse_typed(text)  # which says that a name is missing
        raise trouble

    def _is_meant(self, event: Event, *, contradicts: bool) -> bool:
        """Asks before recording a contradiction, and before taking back something important."""
        asks = sys.stdin.isatty()
        if event.verb in (UNDO, REDO):
            whose = event.seat
            deed = self.referee.undoes(whose) if event.verb == UNDO else self.referee.redoes(whose)
            if deed is None:
                return True
            done = "Takes back" if event.verb == UNDO else "Restores"
            lines = lines_of(self.referee, deed)
            click.echo(f"{done}: {'; '.join(lines) if lines else 'something recorded in secret'}.")
            if event.verb == UNDO and asks and is_weighty(self.referee, deed):
                return self._agrees("Take it back?")
            return True
        return not (contradicts and asks) or self._agrees("Record it anyway?")

    def _agrees(self, question: str) -> bool:
        """Whether somebody types y; what is no answer leaves it and is taken as the next line.

        A corrected line is what most people type here, so what it says in secret is not echoed.
        """
        try:
            text = read_line(f"{question} Type y for yes, n for no: ").strip()
        except EOFError:
            return False
        if text.casefold() in ("y", "yes"):
            return True
        if text.casefold() not in ("", "n", "no"):
            click.echo("It was left. Your line comes next.")
            self._ahead = text
        return False

    # -- what is said -------------------------------------------------------------------------

    def _record(self, event: Event) -> None:
        following: Event | None = event
        while following is not None:
            entry = self.referee.accept(following)
            self._announce(entry)
            # What the referee now says by itself, e.g. the answer of a player who trusts it.
            is_log = event.verb in LOG_VERBS
            following = None if is_log else self.referee.game.automatic(self.referee.state)

    def _announce(self, entry: Entry) -> None:
        event = entry.event
        assert event is not None
        for text in (*_public_notes(self.referee, entry), *_faults(self.referee, entry)):
            self._said.add(text)
            click.echo(text)
        if not event.is_public:
            name = self.referee.setup.name(event.seat)
            show_secretly(name, _own_notes(self.referee, event))

    def _complain(self, text: str, error: CompanionError) -> None:
        """Says why a line is refused: to all, or to the one player whose secret it may repeat."""
        if is_private_line(text) and sys.stdin.isatty() and not isinstance(error, PinError):
            show_secretly(text.split("*", maxsplit=1)[0].strip(), [error.message])
        else:
            complain(error.message)

    def _label(self) -> str:
        mover = self.referee.knowledge(None).table.to_move
        return self.referee.game.name if mover is None else self.referee.setup.name(mover)

    def _say_opening(self) -> None:
        """What is done with the real cards as a match begins, once a match."""
        match = self.referee.knowledge(None).table.match
        opening = opening_of(self.referee.game, self.referee.view(None))
        if opening and match != self._opened:
            self._opened = match
            click.echo(opening)

    def _told(self) -> list[str]:
        """What play waits for, with a line to type as it stands; then the other actions."""
        view = self.referee.view(None)
        return tell(guidance_of(self.referee.game, view), self.referee.setup)

    def _help(self) -> None:
        click.echo(self._told()[0])
        click.echo(HELP)
        for verb in self.referee.game.verbs.values():
            click.echo(f"  {verb.syntax}: {verb.explain}")

    def _public_log(self) -> tuple[Any, ...]:
        return self.referee.view(None).log

    def _log(self) -> None:
        for line in self._public_log():
            became = f"  ({', '.join(line.marks)})" if line.marks else ""
            refused = f"  (refused: {line.error})" if line.error else ""
            click.echo(f"{line.step:4} {line.text}{became}{refused}")

    def _score(self) -> None:
        for line in describe(self.referee.state.table, self.referee.setup.players):
            click.echo(line)

    def _who(self) -> None:
        """What play waits for and what else may be done, as everybody may know it."""
        opening = opening_of(self.referee.game, self.referee.view(None))
        for line in filter(None, (opening, *self._told())):
            click.echo(line)
