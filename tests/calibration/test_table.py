"""The table's plane and zones, and the light."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.light import measure
from calibration.table import seat_zones, table_from_cards, table_from_taps
from companion.cli.main import main
from companion.errors import UnreadableError, UsageError
from tests.calibration.camera import MATRIX, plane, see, table_of_cards
from vision.tracking.zones import load_zones

SEATS = [(0.0, 110.0, 4), (-170.0, 0.0, 80), (0.0, -110.0, -8), (170.0, 5.0, 97)]
TURN, FAR = (0.55, 0.05, 0.02), 560.0


def inside(polygon: np.ndarray, point: np.ndarray) -> bool:
    contour = (polygon * 1000).astype(np.float32).reshape(-1, 1, 2)
    return cv2.pointPolygonTest(contour, tuple((point * 1000).tolist()), False) >= 0


@pytest.fixture(scope="module")
def photo() -> np.ndarray:
    return see(table_of_cards(SEATS, (520, 400)), 3, TURN, FAR)


def test_cards_give_the_plane_in_millimetres(photo: np.ndarray):
    table = table_from_cards(photo)
    assert table.cards == 4
    assert table.error < 1.0
    points = np.array([(x, y) for x, y, _ in SEATS])
    rays = np.column_stack([points, np.ones(4)]) @ (MATRIX @ plane(TURN, FAR)).T
    found = table.millimetres(rays[:, :2] / rays[:, 2:])
    for a in range(4):
        for b in range(a):
            true = np.linalg.norm(points[a] - points[b])
            assert np.linalg.norm(found[a] - found[b]) == pytest.approx(true, rel=0.02)
    assert table.pixels(table.millimetres(rays[:, :2])) == pytest.approx(rays[:, :2], abs=1e-3)


def test_each_card_marks_its_players_zone(photo: np.ndarray):
    table = table_from_cards(photo)
    zones = seat_zones(table, ["Ann", "Bo", "Cy", "Di"], middle="middle")
    # Clockwise in the picture from its lower edge: bottom, left, top, right.
    for name, (x, y, _) in zip(["Ann", "Bo", "Cy", "Di"], SEATS, strict=True):
        ray = MATRIX @ plane(TURN, FAR) @ [x, y, 1]
        point = ray[:2] / ray[2] / [960, 720]
        assert [z for z, polygon in zones.items() if inside(polygon, point)] == [name]
    ray = MATRIX @ plane(TURN, FAR) @ [0, 0, 1]
    assert inside(zones["middle"], ray[:2] / ray[2] / [960, 720])


def test_four_taps_do_without_cards():
    corners = [(100.0, 100.0), (860.0, 100.0), (940.0, 700.0), (20.0, 700.0)]
    table = table_from_taps((960, 720), corners, (900, 600))
    assert table.millimetres(np.array(corners)) == pytest.approx(
        np.array([[0, 0], [900, 0], [900, 600], [0, 600]], float), abs=1e-3
    )
    zones = seat_zones(table, ["Ann", "Bo", "Cy"])
    assert inside(zones["Ann"], np.array([0.5, 0.95]))
    with pytest.raises(UsageError, match="clockwise"):
        table_from_taps((960, 720), [(0, 0), (10, 10), (0, 10), (10, 0)], (9, 6))


def test_wrong_numbers_of_cards_are_said(photo: np.ndarray):
    with pytest.raises(UsageError, match="4 cards are seen and 2 players"):
        seat_zones(table_from_cards(photo), ["Ann", "Bo"])
    with pytest.raises(UnreadableError, match="No card is seen"):
        table_from_cards(np.full((300, 400, 3), 90, np.uint8))


def test_the_command_writes_zones_that_watch_reads(
    photo: np.ndarray, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    cv2.imwrite(str(tmp_path / "table.png"), photo)
    out = tmp_path / "zones.json"
    command = ["calibrate", "table", str(tmp_path / "table.png"), "--players", "A,B,C,D"]
    assert main([*command, "--out", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["cards"] == 4
    assert load_zones(out).names == ("A", "B", "C", "D")
    assert main([*command[:-1], "A,B", "--out", str(out)]) == 2
    assert "lay one card" in capsys.readouterr().err
    assert main([*command[:-2], "--out", str(out)]) == 0
    assert load_zones(out).names == ("table",)


def test_a_good_picture_needs_no_advice(photo: np.ndarray):
    assert measure(photo).advice == ()


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda p: (p * 0.15).astype(np.uint8), "dark"),
        (lambda p: cv2.GaussianBlur(p, (0, 0), 6), "Blurred"),
        (lambda p: cv2.blur(p, (25, 1)), "Blurred"),
        (
            lambda p: (p * np.linspace(0.05, 1, p.shape[1])[None, :, None]).astype(np.uint8),
            "Shadow",
        ),
        (lambda p: (p * np.array([0.35, 0.6, 1.0])).astype(np.uint8), "reddish"),
    ],
)
def test_a_bad_picture_is_told_why(photo: np.ndarray, spoil, word: str):
    assert any(word in line for line in measure(spoil(photo)).advice)


def test_a_reflection_is_glare_and_paper_is_none(photo: np.ndarray):
    spot = np.zeros(photo.shape[:2], np.float32)
    cv2.circle(spot, (400, 300), 110, 500.0, -1)
    shiny = np.clip(photo + cv2.GaussianBlur(spot, (0, 0), 50)[..., None], 0, 255)
    assert any("Glare" in line for line in measure(shiny.astype(np.uint8)).advice)
    burnt = np.where(photo > 200, 255, photo).astype(np.uint8)
    assert not any("Glare" in line for line in measure(burnt).advice)


def test_an_empty_cloth_has_no_card_in_sight():
    cloth = np.full((360, 480, 3), (60, 110, 70), np.uint8)
    (advice,) = measure(cloth).advice
    assert "Lay some cards face up" in advice
    assert "pixels wide" not in advice
