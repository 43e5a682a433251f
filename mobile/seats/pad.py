"""A seat's notepad as its page shows it: chances, whys, and what the coach says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.core.game import Game
from companion.core.view import View
from companion.errors import CompanionError, UsageError
from companion.notepad.base import Grid, Notepad, notepad_of
from companion.notepad.gc_pause import collector_paused
from mobile.notepads import Sheet, big, cell_text
from mobile.seats import sentences
from mobile.seats.language import Language

#: Steps of a cell's colour between impossible and certain.
_STEPS = 5


@dataclass(frozen=True, slots=True)
class Cell:
    """A chance.

    Attributes:
        place: what the page sends to ask for its why: sheet, row and column.
        text: as it is written, e.g. `40 %` or `✗`.
        level: class of the style sheet: `no`, `yes`, or `p0` to `p4`.
        label: row, column and chance, for a screen reader.
    """

    place: str
    text: str
    level: str
    label: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of chances.

    Attributes:
        title: what it is about.
        columns: names of the columns.
        rows: name of each row with its cells.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True, slots=True)
class Pad:
    """A notepad.

    Attributes:
        lead: how much is still open, in words.
        tables: the tables of chances.
        advice: what the coach says; empty where no coach was agreed on.
    """

    lead: str
    tables: tuple[Table, ...]
    advice: str


def pad(game: Game[Any], view: View[Any], language: Language) -> tuple[Pad, Notepad | None]:
    """A seat's notepad, worked out from its view alone.

    Returns:
        What to show, and the notepad itself to ask for whys; None where the game has none.
    """
    notepad = notepad_of(game, view)
    if notepad is None:
        return Pad(language.say(sentences.NO_NOTEPAD), (), ""), None
    with collector_paused():
        worlds = notepad.worlds
        grids = tuple(notepad.grids())
        clash = None if worlds else notepad.conflict()
        advice = language.told(notepad.advice().text) if worlds and view.setup.coached else ""
    if not worlds:
        why = "" if clash is None else language.told(clash.text)
        lead = language.say(sentences.NO_WORLD, why=why)
    elif worlds == 1:
        lead = language.say(sentences.ONE_WORLD)
    else:
        lead = language.say(sentences.WORLDS, n=big(worlds))
    tables = tuple(_table(number, grid, language) for number, grid in enumerate(grids))
    coach = language.say(sentences.COACH, advice=advice) if advice else ""
    return Pad(lead, tables, coach), notepad


def _table(number: int, grid: Grid, language: Language) -> Table:
    sheet = Sheet(language.told(grid.title), grid.rows, grid.columns, grid.chances)
    columns = tuple(language.told(column) for column in grid.columns)
    rows = []
    for r, row in enumerate(grid.rows):
        name = language.told(row)
        cells = tuple(
            _cell(f"{number} {r} {c}", sheet.chance(row, column), f"{name}, {columns[c]}")
            for c, column in enumerate(grid.columns)
        )
        rows.append((name, cells))
    return Table(sheet.title, columns, tuple(rows))


def _cell(place: str, chance: float, label: str) -> Cell:
    level = "no" if chance <= 0 else "yes" if chance >= 1 else f"p{min(4, int(chance * _STEPS))}"
    text = cell_text(chance)
    return Cell(place, text, level, f"{label}: {text}")


def why(notepad: Notepad, place: str, language: Language) -> str:
    """Why a cell is as it is, in words.

    Args:
        notepad: the notepad.
        place: sheet, row and column, as the page sent it.
        language: the phone's.

    Raises:
        UsageError: there is no such cell.
    """
    grids = tuple(notepad.grids())
    try:
        sheet, row, column = (int(word) for word in place[:20].split())
        grid = grids[sheet]
        names = grid.rows[row], grid.columns[column]
    except (ValueError, IndexError) as error:
        raise UsageError(sentences.UNREADABLE) from error
    if min(sheet, row, column) < 0:
        raise UsageError(sentences.UNREADABLE)
    cell = ", ".join(map(language.told, names))
    chance = Sheet(grid.title, grid.rows, grid.columns, grid.chances).chance(*names)
    if chance not in (0.0, 1.0):
        return language.say(sentences.OPEN_CELL, cell=cell, chance=cell_text(chance))
    try:
        reason = language.told(notepad.why(*names).text)
    except CompanionError as error:
        reason = language.told(error.message)
    return language.say(sentences.WHY_CELL, cell=cell, chance=cell_text(chance), why=reason)
