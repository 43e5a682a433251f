"""Pictures: cutting, scaling, rounding; and drawing code back to SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from models.art.jsx import JsxError, svg_components
from models.art.render import (
    cut_cell,
    decode_picture,
    fit_height,
    round_corners,
    trim_card,
    write_png,
)


def test_png_keeps_every_pixel(tmp_path: Path) -> None:
    image = np.random.default_rng(1).integers(0, 256, (20, 30, 4), dtype=np.uint8)
    write_png(tmp_path / "deep" / "a.png", image)
    assert np.array_equal(decode_picture((tmp_path / "deep" / "a.png").read_bytes()), image)


def test_bytes_that_are_no_picture_are_refused() -> None:
    with pytest.raises(ValueError, match="no picture"):
        decode_picture(b"not a picture")


def test_trim_takes_the_card_and_drops_crumbs() -> None:
    image = np.zeros((100, 80, 4), np.uint8)
    image[10:90, 5:65] = (10, 20, 30, 255)
    image[2:4, 70:72] = 255
    card = trim_card(image)
    assert card is not None
    assert card.shape == (80, 60, 4)
    assert (card == (10, 20, 30, 255)).all()


def test_an_empty_cell_is_none() -> None:
    assert trim_card(np.zeros((50, 50, 4), np.uint8)) is None
    sheet = np.zeros((100, 100, 4), np.uint8)
    sheet[52:98, 2:48] = 255
    assert cut_cell(sheet, row=0, column=0, rows=2, columns=2) is None
    cell = cut_cell(sheet, row=1, column=0, rows=2, columns=2)
    assert cell is not None
    assert cell.shape == (46, 46, 4)


def test_scaling_leaves_no_dark_fringe() -> None:
    image = np.zeros((100, 100, 4), np.uint8)
    image[20:80, 20:80] = (250, 240, 230, 255)
    small = fit_height(image, 33)
    seen = small[small[..., 3] > 20]
    assert small.shape == (33, 33, 4)
    assert (np.abs(seen[:, :3].astype(int) - (250, 240, 230)) <= 3).all()


def test_square_corners_are_rounded_and_round_ones_left() -> None:
    square = np.full((200, 140, 4), 255, np.uint8)
    rounded = round_corners(square)
    assert rounded[0, 0, 3] == 0
    assert rounded[-1, -1, 3] == 0
    assert rounded[100, 0, 3] == 255
    assert rounded[0, 70, 3] == 255
    assert np.array_equal(round_corners(rounded), rounded)


MODULE = """
const SvgS2 = _ref => {
  let { title, ...props } = _ref;
  return /*#__PURE__*/React.createElement("svg", _extends({
    className: "card", viewBox: "0 0 24 36", width: 24, "aria-labelledby": titleId
  }, props), title ? /*#__PURE__*/React.createElement("title", { id: titleId }, title) : null,
  /*#__PURE__*/React.createElement("g", { strokeWidth: 1.5, style: { fillRule: "evenodd" } },
    /*#__PURE__*/React.createElement("use", { xlinkHref: "#a", y: -3e-2 }),
    /*#__PURE__*/React.createElement("text", null, "2 < 3")));
};
"""


def test_drawing_code_becomes_svg() -> None:
    [(name, text)] = list(svg_components(MODULE))
    root = ET.fromstring(text.replace("<svg", '<svg xmlns:x="x"', 1))
    assert name == "SvgS2"
    assert root.attrib == {"class": "card", "viewBox": "0 0 24 36", "width": "24"}
    [group] = list(root)
    assert group.attrib == {"stroke-width": "1.5", "style": "fill-rule:evenodd"}
    use, words = list(group)
    assert use.attrib == {"{http://www.w3.org/1999/xlink}href": "#a", "y": "-3e-2"}
    assert words.text == "2 < 3"


def test_other_code_is_refused() -> None:
    module = 'const SvgX = r => { return React.createElement("g", { d: f(x) }); };'
    with pytest.raises(JsxError):
        list(svg_components(module))
