"""View-model of a player's notepad: the tables of chances, whys, advice and the player's marks.

Everything comes from the player's own view; where the game has no notepad, the view alone is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from companion.core.state import Zone, ZoneKind
from companion.core.view import View
from companion.errors import CompanionError
from companion.gc_pause import collector_paused
from companion.notepad.base import Supposition, notepad_of
from companion.phrases import capitalised
from mobile.model import telling
from mobile.model.telling import cell_text
from mobile.resources import texts

__all__ = ["ChanceSheet", "NotepadPage", "big", "cell_text", "in_words", "page", "why"]
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


@dataclass(frozen=True, slots=True)
class ChanceSheet:
    """A table of chances as it is drawn.

    Attributes:
        title: what it is about.
        rows: names of the rows.
        columns: names of the columns.
        chances: (row, column) → chance; missing ones are 0.
        words: name of a row or column → what people call it, where that is not the name itself.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    chances: Mapping[tuple[str, str], float]
    words: Mapping[str, str] = field(default_factory=dict)

    def called(self, name: str) -> str:
        """What people call a row or column."""
        return self.words.get(name, name)

    def chance(self, row: str, column: str) -> float:
        """The chance of a cell, exactly 0 or 1 where it is settled."""
        value = self.chances.get((row, column), 0.0)
        return 0.0 if value < 1e-12 else 1.0 if value > 1 - 1e-12 else value


@dataclass(frozen=True, slots=True)
class NotepadPage:
    """A notepad as it is shown.

    Attributes:
        worlds: how many contents of what is hidden fit; None where the game has no notepad.
        conflict: what contradicts itself, in words; empty where nothing does.
        sheets: the tables.
        advice: what the coach says; empty where no coach was agreed on.
        others: each opponent with how many worlds the public facts leave them.
        own: the zones that belong to the player, with what is known of them.
        models: the ways in which choices made in secret can be weighed; none where there is
            nothing to choose.
        model: the one in use.
        supposed: what is supposed beside what is known, in words.
        meanings: what each card does in this match beside its face, a line each.
    """

    worlds: int | None
    conflict: str
    sheets: tuple[ChanceSheet, ...]
    advice: str
    others: tuple[tuple[str, int], ...]
    own: tuple[Zone, ...]
    models: tuple[str, ...] = ()
    model: str = ""
    supposed: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()


def page(
    game: Any, view: View[Any], *, model: str = "", supposed: Sequence[Supposition] = ()
) -> tuple[NotepadPage, Any]:
    """A player's notepad, worked out from their view.

    Args:
        game: the game.
        view: the player's own view.
        model: how choices made in secret are weighed; empty or unknown takes the usual way.
        supposed: what is supposed beside what the player knows. The coach keeps silent then.

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
        return NotepadPage(None, "", (), "", (), own), None
    if model in pad.models:
        pad.weigh(model)
    pad = pad.supposing(*supposed)
    with collector_paused(), _spoken_to(view):
        worlds = pad.worlds
        clash = None if worlds else pad.conflict()
        sheets = tuple(
            ChanceSheet(
                texts.told(g.title),
                g.rows,
                g.columns,
                g.chances,
                {n: telling.without_codes(game, texts.told(n)) for n in (*g.rows, *g.columns)},
            )
            for g in pad.grids()
            if g.chances
        )
        advice = ""
        if worlds and view.setup.coached and not supposed:
            said = texts.told(pad.advice().text)
            advice = telling.without_codes(game, said)
        others = tuple(pad.others().items())
        conflict = "" if clash is None else telling.without_codes(game, texts.told(clash.text))
        words = tuple(in_words(game, pad, each) for each in supposed)
        meant = telling.meanings(game, view.state, game.all_cards(view.setup))
    models = pad.models if pad.has_choices else ()
    found = NotepadPage(
        worlds, conflict, sheets, advice, others, own, models, pad.model, words, meant
    )
    return found, pad


def _spoken_to(view: View[Any]) -> AbstractContextManager[None]:
    """Everything told meanwhile is told to the player whose view it is."""
    return texts.addressing("" if view.viewer is None else view.setup.players[view.viewer])


def in_words(game: Any, pad: Any, supposition: Supposition) -> str:
    """What is supposed, as a line by itself."""
    text = telling.without_codes(game, texts.told(pad.in_words(supposition)))
    return capitalised(text)


def why(pad: Any, sheet: ChanceSheet, row: str, column: str) -> str:
    """Why a cell is settled, in words; empty where it is still open."""
    if sheet.chance(row, column) not in (0.0, 1.0):
        return ""
    try:
        return texts.told(pad.why(row, column).text)
    except CompanionError as error:
        return texts.told(error.message)


#: Deals that are counted out; of more nobody has an idea.
_MOST_COUNTED = 999_999


def big(number: int, told: Callable[[str], str] = texts.tr) -> str:
    """A number as people read it: with thin spaces, a large one in words.

    Args:
        number: of deals.
        told: puts words into a language; into the one in use by default.
    """
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
        said = (telling.without_codes(game, texts.told(each)) for each in (row, column))
        lines.append(f"{mark} {' · '.join(said)}")
    return (*((note,) if note else ()), *lines)
