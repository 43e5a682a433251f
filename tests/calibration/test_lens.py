"""The lens, from photos of the board and from cards."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest

from calibration.lens import (
    BOARD,
    find_board,
    lens_from_board,
    lens_from_cards,
    load_lens,
    save_lens,
)
from calibration.printing.pdf import write_board
from companion.cli.main import main
from companion.errors import UnreadableError
from tests.calibration.camera import MATRIX, see, table_of_cards

TURNS = [(0.0, 0.0, 0.1), (0.5, 0.1, 0.0), (-0.45, 0.2, 0.4), (0.1, 0.55, -0.2), (0.2, -0.5, 1.5)]
SPREAD = [(-150.0, -70.0, 5), (-55.0, -70.0, 80), (60.0, -80.0, 12), (160.0, -70.0, -20),
          (-150.0, 70.0, 40), (-40.0, 75.0, 0), (70.0, 60.0, 30), (165.0, 70.0, 95)]  # fmt: skip


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """Our board as it comes out of the printer, 4 pixels a millimetre."""
    out = tmp_path_factory.mktemp("board") / "board.pdf"
    write_board(out)
    page = pypdfium2.PdfDocument(out)[0].render(scale=4 * 25.4 / 72).to_pil().convert("RGB")
    return np.ascontiguousarray(np.asarray(page)[..., ::-1])


def test_the_printed_board_is_found_with_squares_of_24_mm(board: np.ndarray):
    corners = find_board(board)
    assert corners is not None
    assert len(corners) == BOARD[0] * BOARD[1]
    steps = np.linalg.norm(np.diff(corners.reshape(BOARD[1], BOARD[0], 2), axis=1), axis=2)
    assert steps / 4 == pytest.approx(np.full_like(steps, 24.0), abs=0.2)


@pytest.fixture(scope="module")
def bent_photos(board: np.ndarray) -> list[np.ndarray]:
    """Five photos of it through a lens that bends."""
    return [see(board, 4, turn, 420, bending=-0.15) for turn in TURNS]


def test_a_board_gives_focal_length_and_bending(bent_photos: list[np.ndarray]):
    lens, missed = lens_from_board(bent_photos)
    assert missed == ()
    assert lens.error < 0.3
    assert lens.matrix[0, 0] == pytest.approx(MATRIX[0, 0], rel=0.015)
    assert lens.matrix[:2, 2] == pytest.approx(MATRIX[:2, 2], abs=12)
    assert lens.bending[0] == pytest.approx(-0.15, abs=0.03)
    assert lens.verdict.startswith("good")


def test_straightening_takes_the_bending_out(bent_photos: list[np.ndarray]):
    photos = bent_photos
    lens, _ = lens_from_board(photos)
    straight = find_board(lens.straightened(photos[0])).reshape(BOARD[1], BOARD[0], 2)
    bent = find_board(photos[0]).reshape(BOARD[1], BOARD[0], 2)

    def bow(rows: np.ndarray) -> float:
        """How far the first row of corners leaves the straight line through its ends."""
        a, b = rows[0, 0], rows[0, -1]
        normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.linalg.norm(b - a)
        return float(np.abs((rows[0] - a) @ normal).max())

    assert bow(bent) > 0.6
    assert bow(straight) < 0.35


def test_cards_give_the_focal_length():
    photos = [
        see(table_of_cards(SPREAD, (460, 320)), 3, turn, 520)
        for turn in [(0.6, 0.1, 0.0), (-0.55, 0.15, 0.3), (0.1, 0.6, -0.2)]
    ]
    lens = lens_from_cards(photos)
    assert lens.views >= 20
    assert lens.error < 1.0
    assert lens.matrix[0, 0] == pytest.approx(MATRIX[0, 0], rel=0.06)


def test_too_little_is_said_so(board: np.ndarray):
    plain = np.full((720, 960, 3), 90, np.uint8)
    with pytest.raises(UnreadableError, match="1 of 2 photos"):
        lens_from_board([see(board, 4, TURNS[0], 420), plain])
    with pytest.raises(UnreadableError, match="0 cards"):
        lens_from_cards([plain])
    with pytest.raises(UnreadableError, match="one size"):
        lens_from_board([plain, plain[:400]])


def test_the_command_keeps_the_lens(
    board: np.ndarray, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    files = []
    for k, turn in enumerate([*TURNS[:3]]):
        files.append(str(tmp_path / f"board{k}.png"))
        cv2.imwrite(files[-1], see(board, 4, turn, 420))
    blank = tmp_path / "blank.png"
    cv2.imwrite(str(blank), np.full((720, 960, 3), 90, np.uint8))
    out = tmp_path / "lens.json"
    assert main(["calibrate", "camera", *files, str(blank), "--out", str(out), "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["views"] == 3
    assert "blank.png" in said.err
    lens = load_lens(out)
    assert lens.source == "board"
    save_lens(lens, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == out.read_text()
    out.write_text("{}")
    with pytest.raises(UnreadableError, match="calibrate the camera again"):
        load_lens(out)
