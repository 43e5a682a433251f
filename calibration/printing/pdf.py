"""Writes sheets as a PDF of curves alone: no fonts, no pictures, sharp at any size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from calibration.lens import BOARD, SQUARE_MM
from calibration.printing.curves import (
    Contour,
    Mark,
    arc,
    line,
    placed,
    rectangle,
    straight,
    strokes,
)
from calibration.printing.faces import Printable, printable
from calibration.printing.letters import written
from calibration.printing.sheets import PAPERS, UNPRINTABLE, Layout, SheetSide, lay_out
from companion.atomic_io import write_private
from companion.errors import CompanionError, UsageError

CUT = (150, 150, 150)
INK = (60, 60, 60)
#: Pen of the cut lines, in mm.
HAIRLINE = 0.1
#: The line that tells whether the print is true to size, in mm.
RULER = 50.0


def write_deck(
    name: str,
    out: Path,
    *,
    paper: str = "a4",
    backs: bool = True,
    captions: Mapping[str, str] | None = None,
) -> Layout:
    """Writes a deck's sheets.

    Args:
        name: of a printable deck.
        out: the PDF file.
        paper: see `calibration.printing.sheets.PAPERS`.
        backs: whether the backs of cards and tiles are printed.
        captions: text on a card by its code.

    Returns:
        Where everything lies.

    Raises:
        CompanionError: fpdf2 is missing, or the file cannot be written.
        UsageError: there is no such deck or paper.
    """
    deck = printable(name, captions)
    layout = lay_out(deck, paper=paper, backs=backs)
    document = _document(layout.paper, deck.deck.title)
    for page in layout.pages:
        document.add_page()
        _paint(document, _page_marks(deck, layout, page))
    _save(document, out)
    return layout


def write_board(out: Path, *, paper: str = "a4") -> None:
    """Writes the chessboard that the lens is found with, on a page held across.

    Raises:
        CompanionError: fpdf2 is missing, or the file cannot be written.
        UsageError: there is no such paper.
    """
    if paper not in PAPERS:
        raise UsageError(f"There is no paper “{paper}”. Choose {' or '.join(PAPERS)}.")
    height, width = PAPERS[paper]
    document = _document((width, height), "Board for the camera")
    document.add_page()
    _paint(document, [*board_marks(paper), *_ruler(width / 2, height - UNPRINTABLE - 1.0)])
    _save(document, out)


def _document(paper: tuple[float, float], title: str) -> Any:
    try:
        from fpdf import FPDF
        from fpdf.prefs import ViewerPreferences
    except ImportError as error:
        raise CompanionError(
            "Printing needs fpdf2, which is not installed: pip install 'tabletop-companion[print]'."
        ) from error
    document = FPDF(unit="mm", format=paper)
    document.set_auto_page_break(False)
    document.set_margin(0)
    document.set_title(title)
    document.set_creator("Tabletop Companion")
    # Without this viewers shrink the page to their printer's margins.
    document.viewer_preferences = ViewerPreferences(print_scaling="None")
    return document


def _save(document: Any, out: Path) -> None:
    write_private(out, bytes(document.output()))


def _page_marks(deck: Printable, layout: Layout, page: SheetSide) -> list[Mark]:
    marks: list[Mark] = []
    for cell in page.cells:
        drawing = deck.back if cell.code is None else deck.faces[cell.code]
        pieces = _within_disc(drawing.marks, layout.piece) if drawing.round else drawing.marks
        marks += placed(pieces, cell.x, cell.y)
    marks += _cut_lines(layout, page)
    width, height = layout.paper
    side = "back" if page.is_back else "front"
    words = f"sheet {page.number} {side}"
    if len(layout.pages) > 1 and any(p.is_back for p in layout.pages):
        words += ": flip on the long edge"
    marks += _ruler(width * 0.3, height - UNPRINTABLE - 0.6)
    marks += written(words, width * 0.72, height - UNPRINTABLE - 0.6, 1.7, INK, pen=0.14)
    return marks


def _within_disc(marks: Iterable[Mark], piece: tuple[float, float]) -> list[Mark]:
    """A disc's ground is painted as a disc, 0.8 mm larger so that a crooked cut shows no paper."""
    first, *rest = marks
    w, h = piece
    return [Mark((arc(w / 2, h / 2, w / 2 + 0.8),), first.colour), *rest]


def _cut_lines(layout: Layout, page: SheetSide) -> list[Mark]:
    """Circles to cut along, or lines across the page, with register crosses on both sides."""
    width, height = layout.paper
    w, h = layout.piece
    crosses = [
        line([(x - 2, y), (x + 2, y)]) for x in (8.0, width - 8.0) for y in (height / 2,)
    ] + [line([(x, height / 2 - 2), (x, height / 2 + 2)]) for x in (8.0, width - 8.0)]
    lines: list[Contour] = list(crosses) if layout.columns[0] > 11 else []
    if layout.round:
        lines += [arc(c.x + w / 2, c.y + h / 2, w / 2) for c in page.cells]
        return [strokes(lines, CUT, HAIRLINE)]
    for x in sorted({c.x for c in page.cells} | {c.x + w for c in page.cells}):
        lines += [line([(x, 3.0), (x, height - 3.0)])]
    for y in sorted({c.y for c in page.cells} | {c.y + h for c in page.cells}):
        lines += [line([(3.0, y), (width - 3.0, y)])]
    return [strokes(lines, CUT, HAIRLINE)]


def _ruler(x: float, y: float) -> list[Mark]:
    """A line that must measure 50 mm, about a middle."""
    a, b = x - RULER / 2, x + RULER / 2
    lines = [line([(a, y), (b, y)])] + [line([(k, y - 1.2), (k, y + 0.2)]) for k in (a, b)]
    label = written("50 mm - print at 100 %", x, y - 0.9, 1.7, INK, pen=0.14)
    return [strokes(lines, INK, 0.15), *label]


def _paint(document: Any, marks: Iterable[Mark]) -> None:
    from fpdf.drawing import PaintedPath
    from fpdf.enums import IntersectionRule, StrokeCapStyle, StrokeJoinStyle

    with document.drawing_context() as context:
        for mark in marks:
            path = PaintedPath()
            path.style.auto_close = False
            colour = "#{:02x}{:02x}{:02x}".format(*mark.colour)
            if mark.width is None:
                path.style.fill_color = colour
                path.style.stroke_color = None
                path.style.intersection_rule = IntersectionRule.EVENODD
            else:
                path.style.fill_color = None
                path.style.stroke_color = colour
                path.style.stroke_width = mark.width
                path.style.stroke_cap_style = StrokeCapStyle.ROUND
                path.style.stroke_join_style = StrokeJoinStyle.ROUND
            for contour in mark.contours:
                _trace(path, contour, closed=mark.width is None)
            context.add_item(path, clone=False)


def _trace(path: Any, contour: Contour, *, closed: bool) -> None:
    points = np.round(contour, 4).tolist()
    path.move_to(*points[0])
    for k, plain in enumerate(straight(contour)):
        b, c, d = points[3 * k + 1 : 3 * k + 4]
        if plain:
            path.line_to(*d)
        else:
            path.curve_to(*b, *c, *d)
    if closed:
        path.close()


def board_marks(paper: str) -> list[Mark]:
    """The squares of the board: one more each way than `calibration.lens.BOARD` has corners."""
    height, width = PAPERS[paper]
    columns, rows, square = BOARD[0] + 1, BOARD[1] + 1, SQUARE_MM
    left, top = (width - columns * square) / 2, (height - rows * square) / 2 - 2
    black = [
        rectangle(left + i * square, top + j * square, square, square)
        for j in range(rows)
        for i in range(columns)
        if (i + j) % 2 == 0
    ]
    return [Mark((piece,), (0, 0, 0)) for piece in black]
