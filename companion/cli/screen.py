"""What people at a terminal are shown: the log, the score, help; sentences in place of notation.

A script that pipes lines in reads the notation in the same places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from companion.cli.announcing import TAKEN, own_notes, taken_back
from companion.cli.secret_line import show_secretly
from companion.cli.spoken import line_words, spoken
from companion.core.entries import Entry
from companion.core.guidance.generic import guidance_of, opening_of
from companion.core.guidance.steps import Guidance, tell
from companion.core.referee import Referee
from companion.core.replay import describe

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
            click.echo(text)

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
            click.echo(self.typed()[0])
            click.echo(_HELP)
            self._verbs()
            return
        click.echo(_SCREEN_HELP)
        examples = [step.example for step in self.guidance().steps if step.example]
        for example in examples[:_MOST_EXAMPLES]:
            click.echo(f"  {example}")

    def help_lines(self) -> None:
        """Everything that can be typed as a line."""
        click.echo(_SCREEN_LINES)
        self._verbs()

    def _verbs(self) -> None:
        for verb in self._referee.game.verbs.values():
            click.echo(f"  {verb.syntax}: {verb.explain}")

    def log(self) -> None:
        """What happened, as everybody may know it."""
        for line in self._referee.view(None).log:
            marks = [_MARKS.get(mark, mark) if self._talks else mark for mark in line.marks]
            became = f"  ({', '.join(marks)})" if marks else ""
            refused = f"  (refused: {self.words(line.error)})" if line.error else ""
            click.echo(f"{self.line(f'{line.step} {line.text}')}{became}{refused}")

    def score(self) -> None:
        """How it stands."""
        for line in describe(self._referee.state.table, self._referee.setup.players):
            click.echo(self.words(line))

    def who(self) -> None:
        """What may be done; people read it before every line anyway."""
        if self._talks:
            return
        opening = opening_of(self._referee.game, self._referee.view(None))
        for line in filter(None, (opening, *self.typed())):
            click.echo(line)
