"""A seat's notepad as its page shows it: chances, whys, and what the coach says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from companion.core.game import Game
from companion.core.view import View
from companion.errors import UsageError
from companion.notepad.base import Grid, Layout, Notepad, Supposition
from companion.phrases import capitalised
from mobile.model import notepads, wording
from mobile.model.notepads import Cell, ChanceSheet, Thing, big, mark_name, sheets_of
from mobile.model.people import COLOURS
from mobile.model.wording import cell_text, chance_in_words
from mobile.seats import sentences
from mobile.seats.faces import PageFace, face
from mobile.seats.language import Language

#: A player's own marks in words, for a screen reader.
MARK_NAMES = {
    "": sentences.NO_MARK,
    "✓": sentences.MARK_TICK,
    "✗": sentences.MARK_CROSS,
    "?": sentences.MARK_ASKED,
    "!": sentences.MARK_CALLED,
}
#: A row and a column that are supposed to be so, or not to be so.
Row = tuple[str, str, bool]
#: Steps of a cell's colour between impossible and certain.
_STEPS = 5
#: So many rows stand one below the other.
_FEW = 7
#: Columns of a table that is so slender that a phone has room for two of it.
_SLENDER = 3
#: A part of a card so wide, in hundredths, has room for letters.
_LETTERED = 25


@dataclass(frozen=True, slots=True)
class ChanceCell:
    """A chance, or a thing of the picture with its chances.

    Attributes:
        place: what the page sends to ask for its why: sheet, row and column.
        text: as it is written, e.g. `40 %` or `✗`.
        level: class of the style sheet: `no`, `yes`, or `p0` to `p4`.
        label: row, column and chance, for a screen reader.
        places: of everything that it stands for; its marks are shown on it.
        name: what stands on a thing that is no card, or names a cell beside its number.
        large: the likeliest rank of a place in a hand.
        percent: how high the card is filled.
        parts: where the card may be beside that, each with the class of its seat, the left end and
            the width in hundredths, and the letters of its name where there is room for them.
        heat: how likely each rank is, as the outline of bars on a ground of 100 by 100.
    """

    place: str
    text: str
    level: str
    label: str
    places: tuple[str, ...] = ()
    face: PageFace | None = None
    name: str = ""
    large: str = ""
    note: str = ""
    percent: int = 0
    parts: tuple[tuple[str, int, int, str], ...] = ()
    heat: str = ""


@dataclass(frozen=True, slots=True)
class ChanceTable:
    """A table of chances, or a picture of them.

    Attributes:
        rows: name of each row with its cells; none of a picture.
        bands: the things of a picture, in bands; none of a table.
        kind: class of the picture's things: `cards`, `noted` where they do something, `places`.
        legend: the class, the letters and the name of each part of a card.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[ChanceCell, ...]], ...] = ()
    bands: tuple[tuple[ChanceCell, ...], ...] = ()
    kind: str = ""
    legend: tuple[tuple[str, str, str], ...] = ()

    @property
    def half(self) -> int:
        """Rows of the first half."""
        return (len(self.rows) + 1) // 2

    @property
    def is_slender(self) -> bool:
        """Whether its halves fit beside each other on a phone."""
        return len(self.rows) > _FEW and len(self.columns) <= _SLENDER


@dataclass(frozen=True, slots=True)
class Pad:
    """A notepad.

    Attributes:
        lead: how much is still open, in words.
        advice: what the coach says; empty where no coach was agreed on, or something is supposed.
        supposed: what is supposed beside what is known, in words, each with what the page supposes
            without it.
        meanings: what each card does in this match beside its face, a line each.
    """

    lead: str
    tables: tuple[ChanceTable, ...]
    advice: str
    supposed: tuple[tuple[str, list[Row]], ...] = ()
    meanings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Why:
    """Why a cell is as it is.

    Attributes:
        text: the reason in words.
        row: the cell's row, as the notepad names it.
        column: its column.
        cells: those of the thing that it belongs to, to go on to; none where it is the only one.
        is_open: whether it is neither certain nor impossible.
    """

    text: str
    row: str
    column: str
    cells: tuple[ChanceCell, ...]
    is_open: bool


def pad(
    game: Game[Any], view: View[Any], language: Language, supposed: Sequence[Supposition] = ()
) -> tuple[Pad, Notepad[Any] | None]:
    """A seat's notepad, worked out from its view and from what its player supposes.

    Returns:
        What to show, and the notepad itself to ask for whys; None where the game has none.

    Raises:
        UsageError: a cell that is supposed is not there, or too much is supposed.
    """
    found, notepad = notepads.page(game, view, supposed=supposed, told=language.told)
    if found.worlds is None:
        return Pad(language.say(sentences.NO_NOTEPAD), (), ""), None
    none, one, many = (
        (sentences.NO_WORLD_THEN, sentences.ONE_WORLD_THEN, sentences.WORLDS_THEN)
        if supposed
        else (sentences.NO_WORLD, sentences.ONE_WORLD, sentences.WORLDS)
    )
    said = none if not found.worlds else one if found.worlds == 1 else many
    number = big(found.worlds, language.look_up)
    lead = capitalised(language.say(said, n=number, why=found.conflict))
    counted = (pair for pair in enumerate(found.sheets) if pair[1].chances)
    tables = tuple(_table(number, sheet, language) for number, sheet in counted)
    coach = language.say(sentences.COACH, advice=found.advice) if found.advice else ""
    rows = rows_of(supposed)
    told = tuple((words, rows[:k] + rows[k + 1 :]) for k, words in enumerate(found.supposed))
    return Pad(lead, tables, coach, told, found.meanings), notepad


def rows_of(supposed: Iterable[Supposition]) -> list[Row]:
    """What is supposed, as the page sends it."""
    return [(one.row, one.column, one.holds) for one in supposed]


def _table(number: int, sheet: ChanceSheet, language: Language) -> ChanceTable:
    """A table of chances as it is shown: as its picture, if it has one."""
    columns = tuple(map(sheet.called, sheet.columns))
    place = _places(number, sheet)
    bands = tuple(
        tuple(_thing(sheet, thing, place, language) for thing in band) for band in sheet.things()
    )
    if bands:
        kind = "noted" if sheet.notes else sheet.layout.value
        parts = {} if sheet.layout is Layout.PLACES else sheet.initials
        legend = [(_seat(sheet, c), short, sheet.called(c)) for c, short in parts.items()]
        return ChanceTable(sheet.title, columns, (), bands, kind, tuple(legend))

    def cell(row: str, column: str) -> ChanceCell:
        label = f"{sheet.called(row)}, {sheet.called(column)}"
        return _cell(sheet, (row, column), place[row, column], label, language)

    rows = ((sheet.head(row), tuple(cell(row, c) for c in sheet.columns)) for row in sheet.rows)
    return ChanceTable(sheet.title, columns, tuple(rows))


def _places(number: int, sheet: ChanceSheet) -> dict[Cell, str]:
    """The places of a sheet's cells, as the page sends them."""
    cells = product(enumerate(sheet.rows), enumerate(sheet.columns))
    return {(row, column): f"{number} {r} {c}" for (r, row), (c, column) in cells}


def _cell(sheet: ChanceSheet, cell: Cell, place: str, label: str, language: Language) -> ChanceCell:
    chance = sheet.chance(*cell)
    words = chance_in_words(chance, language.look_up)
    text = cell_text(chance)
    return ChanceCell(place, text, _level(chance), f"{label}: {words}", (place,), name=label)


def _level(chance: float) -> str:
    return "no" if chance <= 0 else "yes" if chance >= 1 else f"p{min(4, int(chance * _STEPS))}"


def _thing(
    sheet: ChanceSheet, thing: Thing, place: Mapping[Cell, str], language: Language
) -> ChanceCell:
    chance = sheet.chance(*thing.lead)
    is_place = sheet.layout is Layout.PLACES
    level = "no" if sheet.is_out(thing) else _level(chance or 0.01)
    return ChanceCell(
        place[thing.lead],
        cell_text(chance),
        level,
        f"{sheet.aloud(thing, language.look_up)}{f' – {thing.note}' if thing.note else ''}",
        tuple(place[cell] for cell in thing.cells),
        None if thing.card is None else face(thing.card, language),
        thing.text,
        sheet.called(thing.lead[0]) if is_place else "",
        thing.note,
        0 if is_place else round(100 * chance),
        () if is_place else _parts(sheet, thing),
        _heat([sheet.chance(*cell) for cell in thing.cells]) if is_place else "",
    )


def _parts(sheet: ChanceSheet, thing: Thing) -> tuple[tuple[str, int, int, str], ...]:
    """The strip at a card's foot: where it may be beside the place that is asked for."""
    found, left = [], 0
    for row, column in thing.cells[1:]:
        wide = min(round(100 * sheet.chance(row, column)), 100 - left)
        if wide:
            short = sheet.initials[column] if wide >= _LETTERED else ""
            found.append((_seat(sheet, column), left, wide, short))
            left += wide
    return tuple(found)


def _seat(sheet: ChanceSheet, column: str) -> str:
    """The class of a column's colour: its seat's, or none in particular."""
    seat = sheet.seats.get(column)
    return "seat" if seat is None else f"seat{seat % COLOURS}"


def _heat(chances: Sequence[float]) -> str:
    """Bars side by side, the likeliest one up to the top; of an impossible one a line is left."""
    wide, most = 100 / max(1, len(chances)), max(chances, default=0) or 1
    bars = ((k * wide, max(5, 100 * chance / most)) for k, chance in enumerate(chances))
    return "".join(f"M{x:.1f} 100v-{high:.0f}h{wide * 0.8:.1f}v{high:.0f}z" for x, high in bars)


def marks_by_place(notepad: Notepad[Any], marks: Mapping[str, str]) -> dict[str, str]:
    """A player's marks by the cells' places."""
    found = {}
    for number, grid in enumerate(notepad.grids()) if marks else ():
        for r, row in enumerate(grid.rows):
            for c, column in enumerate(grid.columns):
                mark = marks.get(mark_name(row, column))
                if mark:
                    found[f"{number} {r} {c}"] = mark
    return found


def has_cell(notepad: Notepad[Any], row: str, column: str) -> bool:
    """Whether a table of the notepad has such a row and such a column."""
    return any(row in grid.rows and column in grid.columns for grid in notepad.grids())


def _cell_of(notepad: Notepad[Any], place: str) -> tuple[Grid, str, str]:
    """The grid, row and column of a place, as a page sent it.

    Raises:
        UsageError: there is no such cell.
    """
    grids = tuple(notepad.grids())
    try:
        sheet, row, column = (int(word) for word in place[:20].split())
        if min(sheet, row, column) < 0:
            raise IndexError
        return grids[sheet], grids[sheet].rows[row], grids[sheet].columns[column]
    except (ValueError, IndexError) as error:
        raise UsageError(sentences.UNREADABLE) from error


def why(
    game: Game[Any], view: View[Any], notepad: Notepad[Any], place: str, language: Language
) -> Why:
    """Why a cell is as it is, and what can be done about it.

    Args:
        game: the game.
        view: the seat's.
        notepad: the notepad.
        place: sheet, row and column, as the page sent it.
        language: the phone's.

    Raises:
        UsageError: there is no such cell.
    """
    grid, row, column = _cell_of(notepad, place)
    (sheet,) = sheets_of(game, view, (grid,), language.told)
    at, beside = _places(int(place.partition(" ")[0]), sheet), sheet.beside((row, column))
    cells = tuple(_cell(sheet, cell, at[cell], sheet.part(cell), language) for cell in beside)
    names, chance = [sheet.called(row), sheet.called(column)], sheet.chance(row, column)
    if sheet.layout is Layout.PLACES:  # the thing first, then what it may be
        names.reverse()
    name = ", ".join(names)
    if chance not in (0.0, 1.0):
        text = language.say(sentences.OPEN_CELL, cell=name, chance=cell_text(chance))
    else:
        reason = notepads.why(notepad, sheet, row, column, language.told)
        reason = wording.without_codes(game, reason)
        words = chance_in_words(chance, language.look_up)
        text = language.say(sentences.WHY_CELL, cell=name, chance=words, why=capitalised(reason))
    is_open = grid.settled(row, column) is None
    return Why(text, row, column, cells if len(cells) > 1 else (), is_open)
