"""The referee's desk in a terminal: what people type, and what the referee answers.

A terminal is shared. What the referee says to all follows from what everybody knows. A player's
secrets are entered behind that player's PIN, are not echoed, and are covered afterwards. People at
a screen are led by the game's guidance (`companion.cli.guided`); lines of the notation are taken at
any time, and from scripts.
"""

from __future__ import annotations

import sys
from difflib import get_close_matches
from shlex import quote
from typing import Any

from companion.cli.common import complain, say
from companion.cli.guided import MORE, Aside, Back, Guided, offers_of
from companion.cli.screen import Screen, faults, public_notes
from companion.cli.secret_line import ask_pin, read_line, show_secretly
from companion.core.entries import Entry
from companion.core.events import CORRECT, DISCLOSE, LOG_VERBS, REDO, UNDO, Event
from companion.core.notation import is_private_line, reader_of, says_whose
from companion.core.referee import Referee
from companion.core.replay import describe
from companion.core.undo import is_weighty, lines_of
from companion.core.verb import Secrecy
from companion.errors import CompanionError, UsageError
from companion.journal import PinError, Session

#: What ends the session at this screen.
QUITS = frozenset({"quit", "exit"})
#: A wrong PIN is asked for again at once where the wait is no longer, in seconds.
_SOON = 4.0


class Desk:
    """Asks for events until the end of input or `quit`.

    Args:
        session: the session, open for recording.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.referee: Referee[Any] = session.referee
        #: Whether people sit at a screen; else a script is read.
        self._talks = sys.stdin.isatty()
        self._screen = Screen(self.referee, talks=self._talks)
        self._guided = Guided(self.referee, _answer, self._is_line)
        self._said: set[str] = set()
        #: A line that was typed where something else was asked for.
        self._ahead = ""
        #: The match of which it was said how it begins.
        self._opened: int | None = None
        screen = self._screen
        self._talk = {
            "": lambda: None,
            "help": screen.help,
            "?": screen.help,
            "help lines": screen.help_lines,
            "log": screen.log,
            "score": screen.score,
            "scores": screen.score,
            "points": screen.score,
            MORE: self._show_rare,
            "who": screen.who,
            "steps": screen.who,
        }

    def run(self) -> None:
        """Takes lines until there are no more."""
        if self._talks:
            self._welcome()
        while True:
            if self._talks:
                self._lead()
            try:
                text, self._ahead = self._ahead or read_line(f"{self._label()}> ").strip(), ""
            except EOFError:
                break
            if text.casefold() in QUITS or not self._took(text):
                break
        for line in describe(self.referee.knowledge(None).table, self.referee.setup.players):
            if line not in self._said:
                say(self._screen.words(line))

    def _took(self, text: str) -> bool:
        """Takes a line and says what is wrong with it; False if the input has ended."""
        try:
            self.take(text)
        except Back:
            say("Nothing was recorded.")
        except Aside as aside:
            self._ahead = aside.line
        except CompanionError as error:
            self._complain(text, error)
        except EOFError:
            complain("The input ended where something was asked for.")
            return False
        return True

    def _welcome(self) -> None:
        """What is played, and how to go on with it later."""
        referee, number = self.referee, self.session.id
        names = ", ".join(referee.setup.players)
        say(f"{referee.game.info.title}: {names}. “help” explains.")
        say(f"Session {number}: go on later with --continue {number}.")
        if not any(map(self.session.has_pin, range(len(referee.setup.players)))):
            say(
                "No player has a PIN: whoever holds this device can look at every hand "
                f"(companion journal pin {number} {quote(referee.setup.players[0])} sets one)."
            )
        if referee.log:
            self._screen.log()

    def _lead(self) -> None:
        """What goes on, and what may be done, by number; once a match how it is dealt."""
        match, opening = self.referee.knowledge(None).table.match, self._screen.opening()
        say("")
        if opening and match != self._opened:
            self._opened = match
            say(opening)
        for line in self._guided.shown(self._screen.guidance()):
            say(line)

    def _show_rare(self) -> None:
        for line in self._guided.rare(self._screen.guidance()):
            say(line)

    def _is_line(self, text: str) -> bool:
        """Whether a text is a command, or a line that says whose it is."""
        word = text.split(maxsplit=1)[0].casefold()
        return (
            word == CORRECT
            or text.casefold() in {*self._talk, UNDO, REDO, *QUITS}
            or says_whose(self.referee.setup, text)
        )

    def take(self, text: str) -> None:
        """One line that was typed.

        Raises:
            CompanionError: it is refused, or not for whoever typed it.
            Back: a step was left.
            Aside: another line was typed where a step asked for something.
        """
        if (talk := self._talk.get(text.casefold())) is not None:
            talk()
            return
        event = self._chosen(text) if self._talks else None
        if event is None:
            self._suggest(text)
            event = self._read(text)
            self._gate(event)
            self._submit(event)
            return
        if event.is_public:
            self._gate(event)
        try:
            self._submit(event)
        except CompanionError as error:
            if event.is_public:
                raise
            # It may repeat the secret.
            names = self.referee.setup.name(event.seat)
            show_secretly(names, [self._screen.words(error.message)])

    def _chosen(self, text: str) -> Event | None:
        """The event of the step that a key names or cards fill; None for another text.

        Raises:
            CompanionError: there is no such step, or it is not for whoever typed it.
            Back: it is not meant after all.
        """
        setup, offers = self.referee.setup, offers_of(self.referee, self._screen.guidance())
        first = next(iter(offers.values()), None)
        if first is not None and text.isdecimal() and self.referee.game.verbs[first.verb].bare:
            return self.referee.parse_typed(f"{setup.name(first.seat)}: {text}")
        step, cards = offers.get(text.casefold()), ""
        if step is None and text.isdecimal():
            raise UsageError(f"There is no step {text}.")
        if step is None:
            step, cards = self._guided.taking(text, offers.values()), text
        if step is None:
            return None
        if step.event is not None and step.secret:
            # Before anything is typed: a wrong PIN would lose it.
            self._gate(step.event)
        event = self._guided.event(step, cards)
        if step.commits and event.verb != DISCLOSE:
            title = self._screen.words(step.title)
            if not self._agrees(f"{title}. Is that meant?"):
                raise Back
        return event

    def _submit(self, event: Event) -> None:
        """Records an event, after asking what is to be asked.

        Raises:
            CompanionError: it is refused.
        """
        verdict = self.referee.propose(event)
        if verdict.error is not None:
            raise verdict.error
        findings = [f"! {found.message}" for found in verdict.findings]
        if event.is_public:
            for line in findings:
                say(self._screen.words(line))
                self._said.add(line)
        else:
            name = self.referee.setup.name(event.seat)
            show_secretly(name, list(map(self._screen.words, findings)))
        if self._is_meant(event, contradicts=bool(findings)):
            self._record(event)

    def _suggest(self, text: str) -> None:
        """Refuses what is no word of this game, naming one that is nearly the same.

        Raises:
            UsageError: says what may be meant.
        """
        word = text.split(maxsplit=1)[0].casefold()
        known = [*filter(str.isalpha, self._talk), UNDO, REDO, *self.referee.game.verbs]
        if word in (*known, CORRECT) or ":" in text or "*" in text:
            return
        for near in get_close_matches(word, known, n=1, cutoff=0.75):
            raise UsageError(f"Did you mean “{near}”?")
        if self._talks:
            raise UsageError(f"“{text}” is not understood: type the number of a step, or “help”.")

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
            self._ask_pin(seat)
        if event.verb == DISCLOSE and self._talks:
            names = self.referee.setup.players
            without = [name for seat, name in enumerate(names) if not self.session.has_pin(seat)]
            question = "Everything private becomes public permanently."
            if without and not self._agrees(f"{question} Agreed by {', '.join(without)}?"):
                raise UsageError("Not everybody agrees: nothing was disclosed.")

    def _ask_pin(self, seat: int) -> None:
        """Asks for a player's PIN; at a screen a mistyped one does not lose the line before it.

        Raises:
            PinError: it is wrong, or may not be tried for a while.
        """
        while True:
            pin = ask_pin(self.referee.setup.name(seat))
            try:
                self.session.unlock(seat, pin).lock()
            except PinError as error:
                if not self._talks or error.wait > _SOON:
                    raise
                say(self._screen.words(error.message))
            else:
                return

    # -- what is meant ------------------------------------------------------------------------

    def _read(self, text: str) -> Event:
        """The event that a line means; without a name, that of the only player who can act.

        Raises:
            CompanionError: it cannot be read, or several players or none can act.
        """
        referee = self.referee
        if says_whose(self.referee.setup, text):
            return referee.parse_typed(text)
        word = text.split(maxsplit=1)[0].casefold()
        if word in (UNDO, REDO, CORRECT):
            return referee.parse_typed(f"table: {text}")
        verb = referee.game.verbs.get(word)
        # Without a name and a verb of this game it is read all the same, to say what is wrong.
        is_whole = ":" in text if verb is None else verb.secrecy is Secrecy.PRIVATE
        if is_whole:
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
        if not self._talks:
            return True
        if event.verb != UNDO:
            return not contradicts or self._agrees("Record it anyway?")
        step = self.referee.undoes(event.seat)
        if step is None or not is_weighty(self.referee, step):
            return True
        lines = lines_of(self.referee, step.lines)
        return self._agrees(f"Undo this? {self._screen.lines(lines)}")

    def _agrees(self, question: str) -> bool:
        """Whether somebody types y; nothing is preset.

        What is no answer leaves it and is taken as the next line. A corrected line is what most
        people type here, so what it says in secret is not echoed.
        """
        text = ""
        while not text:
            try:
                text = read_line(f"{question} Type y for yes, n for no: ").strip()
            except EOFError:
                return False
            if not self._talks:
                break
        if text.casefold() in ("y", "yes"):
            return True
        if text.casefold() not in ("", "n", "no"):
            say("It was left. Your line comes next.")
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
        notes = public_notes(self.referee, entry)
        self._screen.confirm(entry, notes)
        found = [line for line in faults(self.referee, entry) if line not in self._said]
        for text in found:
            say(self._screen.words(text))
        self._said.update(notes, found)
        self._screen.show_own(entry)

    def _complain(self, text: str, error: CompanionError) -> None:
        """Says why a line is refused: to all, or to the one player whose secret it may repeat."""
        message = self._screen.words(error.message)
        if is_private_line(text) and self._talks and not isinstance(error, PinError):
            show_secretly(self._reader(text), [message])
        elif self._talks:
            say(message)
        else:
            complain(message)

    def _reader(self, text: str) -> str:
        """Who reads a secret line, as far as it says so."""
        try:
            seat = reader_of(self.referee.setup, text)
        except CompanionError:
            seat = None
        return text.partition("*")[0].strip() if seat is None else self.referee.setup.name(seat)

    def _label(self) -> str:
        """Whom play waits for, where that is one player."""
        if not self._talks:
            return ""
        waiting = self._screen.guidance().waiting
        seat = waiting[0] if len(waiting) == 1 else None
        return self.referee.game.info.title if seat is None else self.referee.setup.players[seat]


def _answer(prompt: str, hidden: bool) -> str:
    return read_line(prompt, hidden=hidden)
