"""A seat's notepad as its page shows it: chances, whys, and what the coach says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from companion.cards import Card, Family, card, family_cards
from companion.core.game import Game
from companion.core.view import View
from companion.errors import CompanionError, UsageError
from companion.gc_pause import collector_paused
from companion.notepad.base import Grid, Notepad, Supposition, notepad_of
from companion.phrases import capitalised
from mobile.model import telling
from mobile.model.notepads import ChanceSheet, big, cell_text, mark_name
from mobile.seats import sentences
from mobile.seats.faces import face
from mobile.seats.language import Language

#: Steps of a cell's colour between impossible and certain.
_STEPS = 5
#: So many ranks fit side by side, and so many cards one below the other.
_FEW = 7
#: Columns of a table that is so slender that a phone has room for two of it.
_SLENDER = 3
#: A joker as naming it goes.
_NAMED = {"JK": card("JK")}


@dataclass(frozen=True, slots=True)
class ChanceCell:
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
class ChanceTable:
    """A table of chances.

    Attributes:
        title: what it is about.
        columns: names of the columns.
        rows: name of each row with its cells; None where there is no such card.
        fold: what it is folded up behind; empty where it lies open.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[ChanceCell | None, ...]], ...]
    fold: str = ""

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
        tables: the tables of chances.
        advice: what the coach says; empty where no coach was agreed on, or something is supposed.
        supposed: what is supposed beside what is known, in words.
        meanings: what each card does in this match beside its face, a line each.
    """

    lead: str
    tables: tuple[ChanceTable, ...]
    advice: str
    supposed: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()


def pad(
    game: Game[Any], view: View[Any], language: Language, supposed: Sequence[Supposition] = ()
) -> tuple[Pad, Notepad | None]:
    """A seat's notepad, worked out from its view and from what its player supposes.

    Returns:
        What to show, and the notepad itself to ask for whys; None where the game has none.

    Raises:
        UsageError: a cell that is supposed is not there, or too much is supposed.
    """
    notepad = notepad_of(game, view)
    if notepad is None:
        return Pad(language.say(sentences.NO_NOTEPAD), (), ""), None
    notepad = notepad.supposing(*supposed)
    with collector_paused():
        worlds = notepad.worlds
        grids = tuple(notepad.grids())
        clash = None if worlds else notepad.conflict()
        coached = worlds and view.setup.coached and not supposed
        said = language.told(notepad.advice().text) if coached else ""
        advice = telling.without_codes(game, said)
    why = "" if clash is None else telling.without_codes(game, language.told(clash.text))
    none, one, many = (
        (sentences.NO_WORLD_THEN, sentences.ONE_WORLD_THEN, sentences.WORLDS_THEN)
        if supposed
        else (sentences.NO_WORLD, sentences.ONE_WORLD, sentences.WORLDS)
    )
    said = none if not worlds else one if worlds == 1 else many
    lead = capitalised(language.say(said, n=big(worlds, language.look_up), why=why))
    tables = tuple(
        table
        for number, grid in enumerate(grids)
        if grid.chances
        for table in _tables(number, grid, game.family, language)
    )
    coach = language.say(sentences.COACH, advice=advice) if advice else ""
    lines = tuple(
        capitalised(telling.without_codes(game, language.told(notepad.in_words(each))))
        for each in supposed
    )
    meant = telling.meanings(game, view.state, game.all_cards(view.setup), language.told)
    return Pad(lead, tables, coach, lines, meant), notepad


def _tables(number: int, grid: Grid, family: Family, language: Language) -> Iterator[ChanceTable]:
    """A grid as it is shown: many cards are laid out by suit and rank, a table for each column."""
    sheet = ChanceSheet(language.told(grid.title), grid.rows, grid.columns, grid.chances)
    columns = tuple(language.told(column) for column in grid.columns)
    known = _cards_by_code(family)
    cards = [known[row] for row in grid.rows if row in known]
    names = [language.told(known[row].name if row in known else row) for row in grid.rows]

    def cell(r: int, c: int) -> ChanceCell:
        chance = sheet.chance(grid.rows[r], grid.columns[c])
        return _cell(f"{number} {r} {c}", chance, f"{names[r]}, {columns[c]}")

    if len(cards) < len(grid.rows) or len(cards) <= _FEW:
        heads = [
            face(known[row], language).text if row in known else name
            for row, name in zip(grid.rows, names, strict=True)
        ]
        rows = (
            (head, tuple(cell(r, c) for c in range(len(columns)))) for r, head in enumerate(heads)
        )
        yield ChanceTable(sheet.title, columns, tuple(rows))
        return
    for c, column in enumerate(columns):
        fold = column if len(columns) > 1 else ""
        yield _laid_out(sheet.title, cards, fold, partial(cell, c=c), language)


def _cards_by_code(family: Family) -> dict[str, Card]:
    return {one.code: one for one in family_cards(family)} | _NAMED


def _laid_out(
    title: str, cards: list[Card], fold: str, cell: Callable[[int], ChanceCell], language: Language
) -> ChanceTable:
    """Cards by suit and rank; the longer side goes down the page."""
    places = {_suit_and_rank(one, language): row for row, one in enumerate(cards)}
    suits = tuple(dict.fromkeys(suit for suit, _ in places))
    ranks = tuple(dict.fromkeys(_suit_and_rank(c, language)[1] for c in sorted(cards, key=_rank)))
    is_wide = len(ranks) > _FEW
    across, down = (suits, ranks) if is_wide else (ranks, suits)

    def at(one: str, other: str) -> ChanceCell | None:
        row = places.get((other, one) if is_wide else (one, other))
        return None if row is None else cell(row)

    rows = tuple((one, tuple(at(one, other) for other in across)) for one in down)
    return ChanceTable(title, across, rows, fold)


def _rank(one: Card) -> tuple[int, int]:
    return (99 if one.rank is None else one.rank, one.order)


def _suit_and_rank(one: Card, language: Language) -> tuple[str, str]:
    drawn = face(one, language)
    return drawn.sign or "–", drawn.rank if not one.is_joker else one.code


def _cell(place: str, chance: float, label: str) -> ChanceCell:
    level = "no" if chance <= 0 else "yes" if chance >= 1 else f"p{min(4, int(chance * _STEPS))}"
    text = cell_text(chance)
    return ChanceCell(place, text, level, f"{label}: {text}")


def marks_by_place(notepad: Notepad, marks: Mapping[str, str]) -> dict[str, str]:
    """A player's marks by the cells' places."""
    found = {}
    for number, grid in enumerate(notepad.grids()) if marks else ():
        for r, row in enumerate(grid.rows):
            for c, column in enumerate(grid.columns):
                mark = marks.get(mark_name(row, column))
                if mark:
                    found[f"{number} {r} {c}"] = mark
    return found


def has_cell(notepad: Notepad, row: str, column: str) -> bool:
    """Whether a table of the notepad has such a row and such a column."""
    return any(row in grid.rows and column in grid.columns for grid in notepad.grids())


def cell_of(notepad: Notepad, place: str) -> tuple[Grid, str, str]:
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


def is_open(notepad: Notepad, place: str) -> bool:
    """Whether a cell is neither certain nor impossible.

    Raises:
        UsageError: there is no such cell.
    """
    grid, row, column = cell_of(notepad, place)
    return grid.settled(row, column) is None


def why(game: Game[Any], notepad: Notepad, place: str, language: Language) -> str:
    """Why a cell is as it is, in words.

    Args:
        game: the game.
        notepad: the notepad.
        place: sheet, row and column, as the page sent it.
        language: the phone's.

    Raises:
        UsageError: there is no such cell.
    """
    grid, row, column = cell_of(notepad, place)
    card_of = _cards_by_code(game.family).get(row)
    spoken = row if card_of is None else card_of.name
    cell = f"{language.told(spoken)}, {language.told(column)}"
    chance = ChanceSheet(grid.title, grid.rows, grid.columns, grid.chances).chance(row, column)
    if chance not in (0.0, 1.0):
        return language.say(sentences.OPEN_CELL, cell=cell, chance=cell_text(chance))
    try:
        reason = language.told(notepad.why(row, column).text)
    except CompanionError as error:
        reason = language.told(error.message)
    reason = telling.without_codes(game, reason)
    return language.say(sentences.WHY_CELL, cell=cell, chance=cell_text(chance), why=reason)
