"""View-model of a player's notepad: the tables of chances, whys, advice and the player's marks.

Everything comes from the player's own view; where the game has no notepad, the view alone is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.cards import Card, card, family_cards
from companion.core.game import Game
from companion.core.state import Zone, ZoneKind
from companion.core.view import View
from companion.errors import CompanionError
from companion.gc_pause import collector_paused
from companion.notepad.base import Grid, Layout, Supposition, notepad_of
from companion.phrases import capitalised
from mobile.model import wording
from mobile.model.faces import card_name
from mobile.model.steps import of_this_match
from mobile.model.wording import chance_in_words
from mobile.resources import texts

#: Names of the marks that are not cells.
NOTE = "note"
#: How a mark of a later match is kept: its number before its name. Those of the first stand alone.
_LATER = re.compile(r"([0-9]+): (.*)", re.DOTALL)
#: What a cell can be marked with.
MARKS = ("", "✓", "✗", "?", "!")


def mark_name(row: str, column: str) -> str:
    """The name of a cell's mark."""
    return f"{row} @ {column}"


def kept_name(match: int, name: str) -> str:
    """Under which name a mark of a match is kept: a notepad belongs to its match.

    Args:
        match: the match's number in its session, from 1.
        name: a cell's, or `NOTE`.
    """
    return name if match == 1 else f"{match}: {name}"


def marks_of_match(kept: Mapping[str, str], match: int) -> dict[str, str]:
    """The marks and the note of one match by their names, out of all that a session keeps."""
    found = {}
    for name, mark in kept.items():
        later = _LATER.fullmatch(name)
        number, own = (1, name) if later is None else (int(later[1]), later[2])
        if number == match:
            found[own] = mark
    return found


#: A cell's row and column.
Cell = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing of a notepad's picture, which stands for one cell or several.

    Attributes:
        lead: the cell that its number is about, one of `cells`.
        card: the card; None for a place in a hand, and for what is no card.
        text: what stands on it: the place's number, or what is no card.
        note: what the card does in this match; empty if nothing.
    """

    cells: tuple[Cell, ...]
    lead: Cell
    card: Card | None = None
    text: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ChanceSheet:
    """A table of chances as it is drawn.

    Attributes:
        chances: (row, column) → chance; missing ones are 0.
        words: name of a row or column → what people call it, where that is not the name itself.
        cards: name of a row → its card.
        notes: name of a row → what its card does in this match, if anything.
        seats: name of a column → the seat whose place it is.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    chances: Mapping[Cell, float]
    words: Mapping[str, str] = field(default_factory=dict)
    layout: Layout = Layout.TABLE
    cards: Mapping[str, Card] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    seats: Mapping[str, int] = field(default_factory=dict)

    def called(self, name: str) -> str:
        """What people call a row or column."""
        return self.words.get(name, name)

    def head(self, row: str) -> str:
        """A row's name at the side of a table: what stands on the card."""
        return card_name(self.cards[row]) if row in self.cards else self.called(row)

    def chance(self, row: str, column: str) -> float:
        """The chance of a cell, exactly 0 or 1 where it is settled."""
        value = self.chances.get((row, column), 0.0)
        return 0.0 if value < 1e-12 else 1.0 if value > 1 - 1e-12 else value

    def things(self) -> tuple[tuple[Thing, ...], ...]:
        """The picture: cards in a band for each suit, or the places of a hand; none of a table."""
        if self.layout is Layout.PLACES:
            return (tuple(map(self._place, self.columns)),)
        if self.layout is not Layout.CARDS:
            return ()
        bands: dict[str, list[Thing]] = {}
        for row in self.rows:
            card = self.cards.get(row)
            # What has no suit, such as a joker, stands at the end of the last one.
            suit = (card.suit if card else None) or next(reversed(bands), "")
            bands.setdefault(suit, []).append(self._card(row))
        return tuple(map(tuple, bands.values()))

    def _card(self, row: str) -> Thing:
        cells = tuple((row, column) for column in self.columns)
        card = self.cards.get(row)
        text = "" if card else self.called(row)
        return Thing(cells, cells[0], card, text, self.notes.get(row, ""))

    def _place(self, column: str) -> Thing:
        cells = tuple((row, column) for row in self.rows)
        likeliest = max(cells, key=lambda cell: self.chance(*cell))
        return Thing(cells, likeliest, text=str(self.columns.index(column) + 1))

    def beside(self, cell: Cell) -> tuple[Cell, ...]:
        """The cells of the thing that a cell belongs to; the cell alone in a table."""
        found = (thing.cells for band in self.things() for thing in band if cell in thing.cells)
        return next(found, (cell,))

    def is_out(self, thing: Thing) -> bool:
        """Whether a card is ruled out: not where it is looked for, and settled elsewhere too."""
        is_open = any(0 < self.chance(*cell) < 1 for cell in thing.cells)
        return not is_open and self.chance(*thing.lead) == 0

    def part(self, cell: Cell) -> str:
        """What people call a cell among those of its thing."""
        return self.called(cell[0] if self.layout is Layout.PLACES else cell[1])

    def aloud(self, thing: Thing, words: Callable[[str], str]) -> str:
        """A thing and its chances, for a screen reader.

        Args:
            thing: a card or a place.
            words: translates into the reader's language.
        """
        row, column = thing.lead
        if self.layout is Layout.PLACES:
            name = self.called(column)
            told = sorted(thing.cells, key=lambda cell: -self.chance(*cell))
            told = [cell for cell in told if self.chance(*cell)] or told[:1]
        else:
            name, told = self.called(row), list(thing.cells)
        said = ", ".join(
            f"{self.part(cell)} {chance_in_words(self.chance(*cell), words)}" for cell in told
        )
        return f"{name}: {said}"

    @property
    def initials(self) -> dict[str, str]:
        """The columns beside the first with as many letters as tell them apart."""
        names = {column: self.called(column) for column in self.columns[1:]}
        short = [name[:1] for name in names.values()]
        return {c: n[:1] if short.count(n[:1]) == 1 else n[:2] for c, n in names.items()}


def sheets_of(
    game: Game[Any], view: View[Any], grids: Iterable[Grid], told: Callable[[object], str]
) -> tuple[ChanceSheet, ...]:
    """A notepad's tables as they are drawn."""
    cards = {one.code: one for one in family_cards(game.family)} | {"JK": card("JK")}
    seats = {name: seat for seat, name in enumerate(view.setup.players)}
    found = []
    for grid in grids:
        names = (*grid.rows, *grid.columns)
        own = {row: cards[row] for row in grid.rows if row in cards}
        meant = {row: told(game.meaning(view.state, each)) for row, each in own.items()}
        found.append(
            ChanceSheet(
                told(grid.title),
                grid.rows,
                grid.columns,
                grid.chances,
                {name: told(own[name].name if name in own else name) for name in names},
                grid.layout,
                own,
                {row: means for row, means in meant.items() if means},
                seats,
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class NotepadPage:
    """A notepad as it is shown.

    Attributes:
        worlds: how many contents of what is hidden fit; None where the game has no notepad.
        conflict: what contradicts itself, in words; empty where nothing does.
        advice: what the coach says; empty where no coach was agreed on.
        models: the ways in which choices made in secret can be weighed; none where there is
            nothing to choose.
        supposed: what is supposed beside what is known, in words.
        meanings: what each card does in this match beside its face, a line each.
    """

    worlds: int | None
    conflict: str
    sheets: tuple[ChanceSheet, ...]
    advice: str
    own: tuple[Zone, ...]
    models: tuple[str, ...] = ()
    model: str = ""
    supposed: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()


def page(
    game: Any,
    view: View[Any],
    *,
    model: str = "",
    supposed: Sequence[Supposition] = (),
    told: Callable[[object], str] = texts.told,
) -> tuple[NotepadPage, Any]:
    """A player's notepad, worked out from their view.

    Args:
        game: the game.
        view: the player's own view.
        model: how choices made in secret are weighed; empty or unknown takes the usual way.
        supposed: what is supposed beside what the player knows. The coach keeps silent then.
        told: puts a sentence into the reader's language.

    Raises:
        CompanionError: a cell that is supposed is not there.

    Returns:
        What to show, and the notepad itself to ask for whys (None where the game has none).
    """
    own = tuple(
        zone for zone in view.zones if zone.owner == view.viewer and zone.kind is not ZoneKind.PILE
    )
    pad = notepad_of(game, view)
    if pad is None:
        return NotepadPage(None, "", (), "", own), None
    if model in pad.models:
        pad.weigh(model)
    pad = pad.supposing(*supposed)
    you = "" if view.viewer is None else view.setup.players[view.viewer]
    with collector_paused(), texts.addressing(you):
        worlds = pad.worlds
        clash = None if worlds else pad.conflict()
        sheets = sheets_of(game, view, pad.grids(), told)
        coached = worlds and view.setup.coached and not supposed
        advice = told(pad.advice().text) if coached else ""
        conflict = "" if clash is None else told(clash.text)
        words = [told(pad.in_words(each)) for each in supposed]
        # A picture shows what each card does on the card itself.
        has_notes = any(sheet.notes for sheet in sheets if sheet.chances)
        cards = () if has_notes else game.all_cards(view.setup)
        meant = wording.meanings(game, view.state, cards, told)
    said = (wording.without_codes(game, text) for text in (advice, conflict, *words))
    advice, conflict, *words = said
    models = pad.models if pad.has_choices else ()
    lines = tuple(map(capitalised, words))
    found = NotepadPage(worlds, conflict, sheets, advice, own, models, pad.model, lines, meant)
    return found, pad


def why(
    pad: Any,
    sheet: ChanceSheet,
    row: str,
    column: str,
    told: Callable[[object], str] = texts.told,
) -> str:
    """Why a cell is settled, in words; empty where it is still open."""
    if sheet.chance(row, column) not in (0.0, 1.0):
        return ""
    try:
        return told(pad.why(row, column).text)
    except CompanionError as error:
        return told(error.message)


#: Deals that are counted out; of more nobody has an idea.
_MOST_COUNTED = 999_999


def written(game: Game[Any], view: View[Any]) -> tuple[str, ...]:
    """What the viewer has written in secret and no place on the table holds: a prediction."""
    own = (e for e in of_this_match(view.events) if e.seat == view.viewer and e.audience)
    words = (e for e in own if e.args and not any(isinstance(a, Card | tuple) for a in e.args))
    return tuple(wording.told_event(game, view.setup, event) for event in words)


def big(number: int, told: Callable[[str], str] = texts.tr) -> str:
    """A number as people read it: with thin spaces, a large one in words."""
    if number > _MOST_COUNTED:
        return told(texts.ENGLISH["MANY_DEALS"])
    return f"{number:,}".replace(",", "\u202f")


def told_marks(game: Any, kept: Mapping[str, str], match: int) -> tuple[str, ...]:
    """What a player noted in a match, in lines: the note first, then each marked cell."""
    marks = marks_of_match(kept, match)
    note = marks.pop(NOTE, "")
    lines = []
    for name, mark in marks.items():
        row, _, column = name.partition(" @ ")
        said = (wording.without_codes(game, texts.told(each)) for each in (row, column))
        lines.append(f"{mark} {' · '.join(said)}")
    return (*((note,) if note else ()), *lines)
