"""A session's stored lines, submitted again to a referee of today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.core.entries import Entry
from companion.core.notation import Line
from companion.core.referee import Referee
from companion.errors import CompanionError, UnreadableError
from companion.journal.errors import SealedError
from companion.journal.lines import LineReader
from companion.journal.salvage import EventRows


@dataclass(frozen=True, slots=True)
class Resumed:
    """How it went.

    Attributes:
        damage: why it ended early, empty if it did not.
        differences: numbers of lines that are judged otherwise than when they were recorded.
        touched: when the last of them was recorded, in seconds since 1970, None if there is none.
    """

    damage: str
    differences: tuple[int, ...]
    touched: int | None


def submit_rows(
    referee: Referee[Any], rows: EventRows, reader: LineReader, last: int, behind: Sequence[str]
) -> Resumed:
    """Judges the kept lines again, up to the first that cannot be read.

    Args:
        referee: has judged nothing yet.
        rows: the lines that are there.
        reader: opens them.
        last: number of the last line that there should be.
        behind: names of players whose lines open here only when they have entered their PIN once.
    """
    damage = ""
    differences: list[int] = []
    touched: int | None = None
    for n in range(1, last + 1):
        row = rows.rows.get(n)
        try:
            if row is None:
                raise UnreadableError(f"Event {n} is damaged or missing.")
            line = reader.read(row)
        except CompanionError as error:
            damage = _damage(error, n, behind)
            break
        if _submit(referee, line).applied != bool(row.applied):
            differences.append(n)
        touched = row.at
    if rows.broken and not damage:
        damage = _damage(UnreadableError(rows.broken), referee.stands + 1, ())
    return Resumed(damage, tuple(differences), touched)


def _submit(referee: Referee[Any], line: Line) -> Entry:
    if line.event is not None:
        return referee.submit_line(line)
    error: CompanionError = UnreadableError("The line could not be read when it was written.")
    try:
        referee.parse(line.text)
    except CompanionError as again:
        error = again
    return referee.submit_line(replace(line, error=error))


def _damage(error: CompanionError, n: int, behind: Sequence[str]) -> str:
    stands = f"as it stood after event {n - 1}" if n > 1 else "without its events"
    if isinstance(error, SealedError) and behind:
        return (
            f"What {' and '.join(behind)} wrote in secret is sealed by the PIN and opens here once "
            "it was entered (on the notepad, or “companion journal show” with “--as NAME”). Until "
            f"then the session is shown {stands}, for reading only."
        )
    why = error.message
    if isinstance(error, SealedError):
        why = f"{why} It was sealed on another device, or is damaged."
    return f"{why} The session is shown {stands}, for reading only."
