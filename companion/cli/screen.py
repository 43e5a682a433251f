"""What people at a terminal are shown: the log, the score, help; sentences in place of notation.

A script that pipes lines in reads the notation in the same places. What the referee announces about
a line goes to all, or to the player whose secret it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from companion.cli.common import complain, say
from companion.cli.secret_line import show_secretly
from companion.cli.spoken import line_words, spoken
from companion.core.entries import Entry
from companion.core.events import REDO, UNDO, Event
from companion.core.guidance.generic import guidance_of, opening_of
from companion.core.guidance.steps import Guidance, tell
from companion.core.notation import MatchText
from companion.core.referee import Referee
from companion.core.replay import describe
from companion.core.state import State
from companion.core.undo import lines_of
from companion.errors import CompanionError, UsageError

_SCREEN_HELP = """\
Type the number of a step; what it still needs is asked for, and Enter alone goes back.
undo, redo       undo the last thing done, or redo it
log, score       what happened, how it stands
who              what may be done, once more
correct 3 …      line 3 of the log was something else
quit             stop here; the match is kept
help lines       everything that can be typed as a line
A whole line may be typed at any time, such as:"""
_SCREEN_LINES = """\
A line begins with a name and a colon; with a name, a star and a colon it is that player's secret,
and is not shown as it is typed. What the whole table does begins with “table:”. After that:"""
_HELP = """\
NAME: VERB …      what a player does, for all to know (“NAME:” is needed only in doubt)
NAME*: VERB …     what only that player (and the referee) may know; it is not shown as you type
table: VERB …     what no single player does
undo, redo        take back the last thing done, restore it
correct N EVENT   replace line N of the log (NAME*: correct N … for a secret one)
log, score, who   what happened, how it stands, what may be done
help, quit"""
#: What an undo and a redo did.
TAKEN = {UNDO: "Undone", REDO: "Redone"}
#: What a screen says of a line in other words than the log.
_MARKS = {"taken back": "undone"}
#: So many examples stand in the help.
_MOST_EXAMPLES = 4


class Screen:
    """Shows a match to people, or to a script.

    Args:
        referee: of the match.
        talks: whether people sit at a screen.
    """

    def __init__(self, referee: Referee[Any], *, talks: bool) -> None:
        self._referee = referee
        self._talks = talks

    # -- in words ---------------------------------------------------------------------------------

    def words(self, text: str) -> str:
        """A sentence of the referee, on a screen as people read it."""
        return spoken(self._referee.game, text) if self._talks else text

    def line(self, line: str) -> str:
        """A line of the public log after its number; on a screen as a sentence."""
        number, text = line.split(" ", maxsplit=1)
        return f"{number:>4} {line_words(self._referee, text) if self._talks else text}"

    def lines(self, lines: tuple[str, ...]) -> str:
        """Lines of the public log in one; something secret where there are none."""
        if not lines:
            return "something recorded in secret."
        if not self._talks:
            return f"{'; '.join(lines)}."
        return " ".join(self.line(line).strip() for line in lines)

    def confirm(self, entry: Entry, notes: Sequence[str]) -> None:
        """Says what was recorded; on a screen with the number of its line.

        Args:
            entry: the line.
            notes: what the referee says about it; a screen gets the line itself without any.
        """
        event, referee = entry.event, self._referee
        assert event is not None
        told = list(map(self.words, notes))
        if event.verb in TAKEN:
            told.insert(0, f"{TAKEN[event.verb]}: {self.lines(taken_back(referee, entry))}")
        elif self._talks and self._is_last(entry):
            line = referee.view(None).log[-1]
            told = told or [line_words(referee, line.text)]
            told[0] = f"{line.step:>4} {told[0]}"
        for text in told:
            say(text)

    def _is_last(self, entry: Entry) -> bool:
        """Whether everybody is told of a line that was just recorded."""
        return self._referee.lines_seen(None)[1] == entry.n

    def show_own(self, entry: Entry) -> None:
        """Shows a player what the referee says to that player alone about a secret."""
        event, referee = entry.event, self._referee
        assert event is not None
        if event.is_public:
            return
        notes = own_notes(referee, event)
        if self._talks and not self._is_last(entry):
            notes.insert(0, line_words(referee, referee.view(event.seat).log[-1].text))
        show_secretly(referee.setup.name(event.seat), list(map(self.words, notes)))

    # -- what is asked for ------------------------------------------------------------------------

    def guidance(self) -> Guidance:
        """What goes on, as everybody may know it."""
        return guidance_of(self._referee.game, self._referee.view(None))

    def opening(self) -> str:
        """How a match begins with the real cards; empty once it has begun."""
        return self.words(opening_of(self._referee.game, self._referee.view(None)))

    def typed(self) -> list[str]:
        """What play waits for, with a line to type as it stands; then the other actions."""
        return tell(self.guidance(), self._referee.setup)

    def help(self) -> None:
        """How to go on."""
        if not self._talks:
            say(self.typed()[0])
            say(_HELP)
            self._verbs()
            return
        say(_SCREEN_HELP)
        examples = [
            step.example for step in self.guidance().steps if step.example and not step.is_rare
        ]
        for example in examples[:_MOST_EXAMPLES]:
            say(f"  {example}")

    def help_lines(self) -> None:
        """Everything that can be typed as a line."""
        say(_SCREEN_LINES)
        self._verbs()

    def _verbs(self) -> None:
        for verb in self._referee.game.verbs.values():
            say(f"  {verb.syntax}: {verb.explain}")

    def log(self) -> None:
        """What happened, as everybody may know it."""
        for line in self._referee.view(None).log:
            marks = [_MARKS.get(mark, mark) if self._talks else mark for mark in line.marks]
            became = f"  ({', '.join(marks)})" if marks else ""
            refused = f"  (refused: {self.words(line.error)})" if line.error else ""
            say(f"{self.line(f'{line.step} {line.text}')}{became}{refused}")

    def score(self) -> None:
        """How it stands."""
        for line in describe(self._referee.state.table, self._referee.setup.players):
            say(self.words(line))

    def who(self) -> None:
        """What may be done; people read it before every line anyway."""
        if self._talks:
            return
        opening = opening_of(self._referee.game, self._referee.view(None))
        for line in filter(None, (opening, *self.typed())):
            say(line)


# -- what the referee announces about a line ------------------------------------------------------


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
        for text in remarks(referee, entry):
            said.add(text)
            say(text)
        error = _error_of(entry)
        if error is None:
            continue
        complain(f"{entry.n}: {error.message}")
        if not keep_going and referee.game.awaits_answer(referee.state):
            raise UsageError(
                f"Stopped at line {entry.n}: a question waits for its answer, and later lines "
                "would be taken for it (--keep-going reads on)."
            )
    echo_standing(referee.state, said)


def remarks(referee: Referee[Any], entry: Entry) -> Iterator[str]:
    """What is said about an accepted line, to all and to its player."""
    if entry.error is not None:
        return
    event = entry.event
    assert event is not None
    taken = taken_back(referee, entry)
    if taken:
        yield f"{TAKEN[event.verb]}: {'; '.join(taken)}."
    yield from public_notes(referee, entry)
    yield from (f"({referee.setup.name(event.seat)} only) {t}" for t in own_notes(referee, event))
    yield from faults(referee, entry)


def taken_back(referee: Referee[Any], entry: Entry) -> tuple[str, ...]:
    """The lines that an undo took back or a redo restored, as everybody may read them."""
    if entry.event is None or entry.event.verb not in TAKEN:
        return ()
    return lines_of(referee, entry.affects)


def public_notes(referee: Referee[Any], entry: Entry) -> tuple[str, ...]:
    """What is said to all about a line; nothing about one that nobody is told of.

    After an undo the newest notes are about an older line, which is no news.
    """
    if entry.event is not None and entry.event.verb == UNDO:
        return ()
    _, last = referee.lines_seen(None)
    return referee.knowledge(None).remarks if last == entry.n else ()


def own_notes(referee: Referee[Any], event: Event) -> list[str]:
    """What is said to the player of a private event alone."""
    if event.is_public:
        return []
    public = referee.knowledge(None).remarks
    return [note for note in referee.knowledge(event.seat).remarks if note not in public]


def faults(referee: Referee[Any], entry: Entry) -> Iterator[str]:
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


def echo_standing(state: State, said: set[str]) -> None:
    """How the match stands, without what was already said."""
    for text in describe(state.table, state.setup.players):
        if text not in said:
            say(text)
