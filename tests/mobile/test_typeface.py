"""The typeface: every sign that is written, letters that are told apart, one licence for all."""

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont

from mobile.resources.licences import PARTS, full_text
from mobile.tools.typeface import FONTS, signs

FILES = sorted([*FONTS.glob("*.ttf"), *FONTS.glob("*.woff2")], key=lambda path: path.name)
LETTERS = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA1, 0xAD), *range(0xC0, 0x180)]))


def ink(text, path, size):
    """How dark each column is, from 0 to `size`."""
    font = ImageFont.truetype(str(path), size)
    image = Image.new("L", (round(font.getlength(text)) + 2, 2 * size))
    ImageDraw.Draw(image).text((1, size // 4), text, font=font, fill=255)
    return np.asarray(image, float).sum(0) / 255


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_letter_and_sign_that_is_written_is_there(path):
    with TTFont(path) as font:
        known = set(map(chr, font.getBestCmap()))
        names = " ".join(str(record) for record in font["name"].names if record.nameID in (1, 4, 6))
    assert {sign for sign in signs() + LETTERS if sign not in known} == set()
    assert "Plex" not in names, "a reserved name"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_rn_is_not_m(path):
    """Between r and n the lower half is nearly white, where an m has its stem."""
    columns = ink("rn", path, 17)
    inked = np.flatnonzero(columns > 0.5)
    third = columns[inked[0] + 3 : inked[-1] - 4]
    assert third.min() < 0.35 * columns.max()
    assert len(ink("rn", path, 60)) > 1.05 * len(ink("m", path, 60))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_figures_are_equally_wide_and_bars_differ(path):
    font = ImageFont.truetype(str(path), 60)
    assert len({round(font.getlength(figure)) for figure in "0123456789"}) == 1
    bars = [tuple(ink(bar, path, 17).round()) for bar in "Il1|"]
    assert len(set(bars)) == 4


def test_its_licence_is_beside_it():
    part = next(part for part in PARTS if part.file)
    assert "SIL OPEN FONT LICENSE Version 1.1" in full_text(part)
