"""Where the pieces lie on the paper, fronts and backs, in true size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from calibration.printing.faces import Printable, is_round
from companion.errors import UsageError

#: Paper sizes, width by height in mm.
PAPERS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
)
#: Printers leave about this much of the paper blank, in mm.
UNPRINTABLE = 5.0
#: Between round pieces, so that scissors get around them, in mm.
ROUND_GAP = 6.0
#: Pieces a page at most, columns by rows, by their longer side being below a size in mm.
_GRIDS = ((30.0, (6, 4)), (60.0, (3, 4)), (100.0, (3, 3)))


@dataclass(frozen=True, slots=True)
class SheetCell:
    """One piece on a page: its face's code (None for the common back), its upper left corner."""

    code: str | None
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class SheetSide:
    """One side of a sheet.

    Attributes:
        number: of the sheet, from 1.
        is_back: whether it is printed on the other side of that sheet.
        cells: its pieces.
    """

    number: int
    is_back: bool
    cells: tuple[SheetCell, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """All pages of a deck on one kind of paper.

    Attributes:
        paper: width and height in mm.
        piece: width and height of a piece in mm.
        round: whether pieces are cut out as discs.
        columns: left edges of the columns, in mm, on a front.
        rows: upper edges of the rows, in mm.
        pages: in the order in which they are printed, each back after its front.
    """

    paper: tuple[float, float]
    piece: tuple[float, float]
    round: bool
    columns: tuple[float, ...]
    rows: tuple[float, ...]
    pages: tuple[SheetSide, ...]


def lay_out(printable: Printable, *, paper: str = "a4", backs: bool = True) -> Layout:
    """Lays a deck's pieces out.

    Backs lie mirrored left to right, so that a sheet turned over its long edge carries each back
    behind its front. The grid is centred on the paper, so both sides share their cut lines.

    Args:
        printable: the deck.
        paper: a key of `PAPERS`.
        backs: whether pages with the backs are made; coins always have theirs, it is their suit.

    Raises:
        UsageError: there is no such paper.
    """
    if paper not in PAPERS:
        raise UsageError(f"There is no paper “{paper}”. Choose {' or '.join(PAPERS)}.")
    width, height = PAPERS[paper]
    w, h = printable.deck.size_mm
    disc = is_round(printable.deck)
    gap = ROUND_GAP if disc else 0.0
    across, down = next(grid for size, grid in _GRIDS if max(w, h) < size)
    left = (width - across * w - (across - 1) * gap) / 2
    top = (height - down * h - (down - 1) * gap) / 2
    columns = tuple(left + k * (w + gap) for k in range(across))
    rows = tuple(top + k * (h + gap) for k in range(down))
    per_page = across * down
    pages: list[SheetSide] = []
    for start in range(0, len(printable.pieces), per_page):
        chunk = printable.pieces[start : start + per_page]
        spots = [(columns[k % across], rows[k // across]) for k in range(len(chunk))]
        number = start // per_page + 1
        fronts = tuple(SheetCell(p[0], x, y) for p, (x, y) in zip(chunk, spots, strict=True))
        pages.append(SheetSide(number, False, fronts))
        if backs or any(p[1] for p in chunk):
            turned = tuple(
                SheetCell(p[1], width - w - x, y) for p, (x, y) in zip(chunk, spots, strict=True)
            )
            pages.append(SheetSide(number, True, turned))
    return Layout((width, height), (w, h), disc, columns, rows, tuple(pages))
