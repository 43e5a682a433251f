"""Printed decks: true size, every face, backs behind their fronts."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest

from calibration.printing.curves import rasterised, straight
from calibration.printing.faces import printable
from calibration.printing.pdf import RULER, write_deck
from calibration.printing.sheets import PAPERS, lay_out
from companion.cli.deck import captions
from companion.cli.main import main
from companion.decks import PRINTABLE
from companion.errors import CompanionError

PX_PER_MM = 10.0


def render(path: Path, page: int) -> np.ndarray:
    document = pypdfium2.PdfDocument(path)
    return np.asarray(document[page].render(scale=PX_PER_MM * 25.4 / 72).to_pil().convert("L"))


def span_mm(line: np.ndarray) -> tuple[float, float]:
    """First and last dark pixel of a line, as mm from its start (pixel edges)."""
    dark = np.flatnonzero(line < 150)
    return dark[0] / PX_PER_MM, (dark[-1] + 1) / PX_PER_MM


@pytest.mark.parametrize("paper", PAPERS)
def test_coins_are_true_to_size_and_their_backs_lie_behind_them(paper: str, tmp_path: Path):
    out = tmp_path / "coins.pdf"
    layout = write_deck("piecepack-coins", out, paper=paper)
    width, height = pypdfium2.PdfDocument(out)[0].get_size()
    assert (width * 25.4 / 72, height * 25.4 / 72) == pytest.approx(PAPERS[paper], abs=0.05)
    front, back = render(out, 0), render(out, 1)
    for cell in layout.pages[1].cells[:12:5]:
        # The disc of a suit side ends 1.4 mm within the cut: a light rim is left all round.
        row = back[round((cell.y + 9.5) * PX_PER_MM)]
        part = row[round((cell.x - 2) * PX_PER_MM) : round((cell.x + 21) * PX_PER_MM)]
        left, right = span_mm(part)
        assert left - 2 == pytest.approx(1.4, abs=0.2)
        assert right - 2 == pytest.approx(17.6, abs=0.2)
    for a, b in zip(layout.pages[0].cells, layout.pages[1].cells, strict=True):
        assert a.x + 19 + b.x == pytest.approx(PAPERS[paper][0])
        assert a.y == b.y
    y = round((PAPERS[paper][1] - 5.6) * PX_PER_MM)
    middle = PAPERS[paper][0] * 0.3
    ruler = front[y, round((middle - 30) * PX_PER_MM) : round((middle + 30) * PX_PER_MM)]
    left, right = span_mm(ruler)
    assert right - left == pytest.approx(RULER + 0.15, abs=0.2)  # its pen is 0.15 mm wide


def test_black_cards_are_63_by_88_mm(tmp_path: Path):
    out = tmp_path / "suspense.pdf"
    write_deck("suspense", out, backs=False, captions=captions("suspense"))
    page = render(out, 1)  # B4 B5 B6 and the !
    dark = page < 60
    columns = np.flatnonzero(dark[300:1100].mean(0) > 0.5)
    rows = np.flatnonzero(dark[:, 300:1900].mean(1) > 0.5)
    # A light rim of 3 mm is left round each.
    assert (columns[-1] + 1 - columns[0]) / PX_PER_MM == pytest.approx(3 * 63 - 6, abs=0.2)
    assert (rows[-1] + 1 - rows[0]) / PX_PER_MM == pytest.approx(88 - 6, abs=0.2)
    assert columns[0] / PX_PER_MM == pytest.approx((210 - 189) / 2 + 3, abs=0.2)


@pytest.mark.parametrize("name", PRINTABLE)
def test_every_face_is_drawn_and_differs_from_all_others(name: str):
    deck = printable(name, captions(name))
    codes = {card.code for card in deck.deck.cards}
    if name == "piecepack-coins":
        codes = {"0?", "A?", "2?", "3?", "4?", "5?", "?S", "?M", "?C", "?H"}
        assert len(deck.pieces) == 24
    assert set(deck.faces) == codes
    small = {c: rasterised(d, 1.5, 2).astype(int) for c, d in deck.faces.items()}
    names = sorted(small)
    for k, a in enumerate(names):
        for b in names[k + 1 :]:
            assert np.abs(small[a] - small[b]).max() > 40, (a, b)


@pytest.mark.parametrize("name", PRINTABLE)
def test_every_piece_is_on_paper_once(name: str):
    deck = printable(name)
    for paper, (width, height) in PAPERS.items():
        layout = lay_out(deck, paper=paper)
        fronts = [cell for page in layout.pages if not page.is_back for cell in page.cells]
        assert len(fronts) == len(deck.deck.cards)
        w, h = layout.piece
        for cell in fronts:
            assert 5 <= cell.x <= width - w - 5
            assert 5 <= cell.y <= height - h - 5
        for page in layout.pages:
            boxes = sorted((c.y, c.x) for c in page.cells)
            for (y0, x0), (y1, x1) in itertools.pairwise(boxes):
                assert y1 >= y0 + h - 1e-6 or x1 >= x0 + w - 1e-6


def test_marks_stay_within_their_piece():
    for name in PRINTABLE:
        for code, drawing in printable(name, captions(name)).faces.items():
            for mark in drawing.marks:
                for contour in mark.contours:
                    assert contour.min() >= -1e-6, (name, code)
                    assert (contour.max(0) <= np.array(drawing.size) + 1e-6).all(), (name, code)


def test_a_page_of_a_deck_looks_like_its_faces(tmp_path: Path):
    out = tmp_path / "tiles.pdf"
    layout = write_deck("piecepack-tiles", out, backs=False)
    page = render(out, 0)
    faces = printable("piecepack-tiles").faces
    for cell in layout.pages[0].cells[::4]:
        x, y = round(cell.x * PX_PER_MM), round(cell.y * PX_PER_MM)
        seen = page[y : y + 508, x : x + 508]
        drawn = cv2.cvtColor(
            rasterised(faces[cell.code], PX_PER_MM, 2)[..., :3], cv2.COLOR_BGR2GRAY
        )
        assert np.corrcoef(seen.ravel(), drawn.ravel())[0, 1] > 0.97


def test_straight_pieces_are_known():
    contour = np.array([[0, 0], [1, 0], [2, 0], [3, 0], [3, 1], [4, 2], [3, 3]], float)
    assert straight(contour).tolist() == [True, False]


def test_the_command_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "coins.pdf"
    assert main(["deck", "print", "piecepack-coins", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(out), "pages": 2, "sheets": 1}
    assert out.read_bytes().startswith(b"%PDF")


def test_what_cannot_be_printed_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["deck", "print", "french", str(tmp_path / "x.pdf")]) == 2
    assert "cannot be printed" in capsys.readouterr().err
    assert main(["deck", "print", "suspense", str(tmp_path / "x.pdf"), "--paper", "a3"]) == 2
    assert "a4 or letter" in capsys.readouterr().err
    with pytest.raises(CompanionError, match="cannot be written"):
        write_deck("piecepack-coins", tmp_path / "no" / "such" / "folder.pdf")
