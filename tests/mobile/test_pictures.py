"""Pictures of cards in pixels: their shape, their corners, and when OpenCV is needed for them."""

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from companion.cards import Family, card, unknown
from mobile.resources.pictures import Side, fitted, painted
from mobile.tools.beside import HIGH, MOCKS, sheet
from mobile.tools.readme_pictures import SCREENS


@pytest.mark.parametrize(
    ("one", "box", "size"),
    [
        (card("7S"), (48, 67), (48, 67)),
        (card("7S"), (62, 81), (58, 81)),
        (card("7S"), (62, 50), (62, 50)),
        (card("3M", Family.TILE), (48, 67), (48, 48)),
        (card("3?", Family.COIN), (48, 44), (44, 44)),
        (card("B4", Family.SUSPENSE), (96, 200), (96, 134)),
    ],
)
def test_a_card_keeps_its_shape(one, box, size):
    assert fitted(one, Side.FACE, box, four=False).size == size


def test_a_low_box_holds_a_key_and_a_high_one_a_face():
    assert fitted(card("7S"), Side.FACE, (62, 50), four=False).side is Side.KEY
    assert fitted(card("7S"), Side.FACE, (48, 67), four=False).side is Side.FACE


def test_a_back_fills_a_low_box():
    assert fitted(card("7S"), Side.BACK, (62, 50), four=False).size == (62, 50)
    assert fitted(card("7S"), Side.BACK, (62, 90), four=False).size == (62, 87)
    assert painted(fitted(card("7S"), Side.BACK, (62, 50), four=False)).shape == (50, 62, 4)


def test_corners_are_clear_and_the_middle_is_not():
    pixels = painted(fitted(card("7S"), Side.FACE, (96, 134), four=False))
    assert pixels.shape == (134, 96, 4)
    assert pixels[[0, 0, -1, -1], [0, -1, 0, -1], 3].max() == 0
    assert pixels[10:-10, 10:-10, 3].min() == 255
    # The rim is darker than the paper, so that a card ends somewhere on a white ground.
    assert pixels[67, 0, :3].max() < 160 < pixels[67, 4, :3].min()


def test_only_suits_of_the_standard_deck_take_four_colours():
    assert fitted(card("7C"), Side.KEY, (48, 48), four=True).four
    assert not fitted(card("3M", Family.TILE), Side.KEY, (48, 48), four=True).four
    assert not fitted(card("7C"), Side.BACK, (48, 67), four=True).four
    green = painted(fitted(card("7C"), Side.KEY, (48, 48), four=True))
    black = painted(fitted(card("7C"), Side.KEY, (48, 48), four=False))
    assert np.abs(green.astype(int) - black)[..., 1].max() > 50


def test_every_family_has_a_back_of_its_own():
    backs = [
        painted(fitted(unknown(family), Side.BACK, (48, 67), four=False)).tobytes()
        for family in Family
    ]
    assert len(set(backs)) == len(backs)


def test_opencv_is_loaded_where_a_card_is_painted_and_not_before():
    code = (
        "import sys; from mobile.resources.pictures import *; from companion.cards import card;"
        "p = fitted(card('7S'), Side.FACE, (48, 67), four=False); assert 'cv2' not in sys.modules;"
        "painted(p); assert 'cv2' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_mock_stands_before_the_picture_of_its_screen(tmp_path):
    shots, mocks = tmp_path / "shots", tmp_path / "mocks"
    for folder in (shots, mocks):
        folder.mkdir()
    for name in (f"{SCREENS['home']}-phone-dark", f"{SCREENS['table']}-phone-dark"):
        Image.new("RGB", (412, 915), "#00ff00").save(shots / f"{name}.png")
    for name in MOCKS:
        Image.new("RGB", (412, 915), "#ff0000").save(mocks / f"{name}.png")
    assert sheet(shots, tmp_path / "alone.png") == 2
    # Of the mocks those of the home screen and of Precognition's table have a picture.
    assert sheet(shots, tmp_path / "beside.png", mocks) == 6
    row = np.asarray(Image.open(tmp_path / "beside.png"))[HIGH // 2]
    seen = [tuple(pixel) for pixel in row[np.any(row[1:] != row[:-1], 1).nonzero()[0] + 1]]
    red, green, ground = (255, 0, 0), (0, 255, 0), (119, 119, 119)
    assert seen[:8] == [red, ground, green, ground, red, ground, green, ground]
