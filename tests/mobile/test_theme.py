"""Contrasts, settings, texts."""

import json
import re
from pathlib import Path

import pytest

from calibration.printing import standard
from companion.cards import parse_card
from mobile.model import settings as kept
from mobile.resources import texts, theme


@pytest.mark.parametrize("name", ["dark", "light"])
@pytest.mark.parametrize(("front", "back"), theme.TEXT_PAIRS)
def test_text_is_readable(name, front, back):
    palette = theme.PALETTES[name]
    assert theme.contrast(getattr(palette, front), getattr(palette, back)) >= 4.5


@pytest.mark.parametrize("name", ["dark", "light"])
@pytest.mark.parametrize(("front", "back"), theme.SIGN_PAIRS)
def test_rims_can_be_seen(name, front, back):
    palette = theme.PALETTES[name]
    assert theme.contrast(getattr(palette, front), getattr(palette, back)) >= 3


@pytest.mark.parametrize("sheet", ["mobile/seats/static/seat.css", "mobile/kept/page.css"])
def test_pages_take_their_colours_from_the_app(sheet):
    given = set(re.findall(r"(--[a-z-]+):", theme.css()))
    text = Path(sheet).read_text("utf-8").partition("@media print")[0]
    own = set(re.findall(r"(--[a-z-]+):", text))
    assert not given & own
    assert set(re.findall(r"var\((--[a-z-]+)", text)) <= given | own


@pytest.mark.parametrize("suit", "SHDC")
@pytest.mark.parametrize("four", [True, False])
def test_suits_are_readable_on_paper(suit, four):
    ink = standard.ink_of(parse_card(f"7{suit}"))
    printed = (*(v / 255 for v in ink), 1.0)
    assert (
        theme.contrast(theme.FOUR_COLOURS[suit] if four else printed, theme.rgba("#FFFFFF")) >= 4.5
    )


def test_contrast_of_black_and_white():
    assert theme.contrast(theme.rgba("#000000"), theme.rgba("#FFFFFF")) == pytest.approx(21)


def test_settings_survive(tmp_path):
    chosen = kept.Settings("light", 1.2, True, left_handed=True, names=("Di", "Eve"))
    kept.save(tmp_path, chosen)
    assert kept.load(tmp_path)[0] == chosen


@pytest.mark.parametrize(
    "text", ["", "[1]", "{", '{"theme": "pink", "names": [], "text_scale": 9}']
)
def test_damaged_settings_fall_back(tmp_path, text):
    (tmp_path / kept.FILE).write_text(text, encoding="utf-8")
    assert kept.load(tmp_path)[0] == kept.Settings()


def test_one_damaged_setting_leaves_the_others(tmp_path):
    (tmp_path / kept.FILE).write_text(json.dumps({"theme": "light", "text_scale": "x"}))
    assert kept.load(tmp_path)[0] == kept.Settings(theme="light")


def test_no_text_is_empty():
    said = [value for name, value in vars(texts).items() if name.isupper()]
    assert all(text for text in said)
