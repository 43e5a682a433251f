"""Decks drawn from a font, suit symbols and a layout: any number of them, no two alike.

A drawn deck is written as a folder of PNG files with the same ``deck.json`` as a fetched one.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from fontTools.ttLib import TTFont, TTLibError

from models.arrays import Picture
from models.labels import STANDARD_RANKS
from models.synth.glyphs import PLAIN, Forms, glyph_mask
from models.synth.jokers import draw_joker
from models.synth.paper import Colour, blend, both_ends, rounded
from models.synth.pips import draw_pip, tight, vary
from models.synth.style import STANDARD_PIPS, PipColumns, Style

HEIGHT = 490
"""Face height, pixels (88 mm)."""

JOKERS = ("JK1", "JK2")


FOREIGN_SHARE = 0.16
"""How often a drawn deck is in another language."""
FOREIGN: tuple[dict[str, str], ...] = (
    {"A": "1", "J": "V", "Q": "D", "K": "R"},
    {"A": "1"},
    {"J": "B", "Q": "D"},
    {"J": "B", "Q": "V", "K": "H"},
    {"J": "V", "Q": "D"},
    {"A": "T", "J": "В", "Q": "Д", "K": "К"},
    {"J": "Kn", "Q": "D"},
)
"""Alphabets drawn now and then: French, Belgian, German, Dutch, Italian-style, Russian, Swedish."""

OTHER_PIPS: dict[int, tuple[PipColumns, ...]] = {
    6: ((2, (0.25, 0.75)),),
    7: ((3, (0.5,)), (2, (0, 0.5, 1))),
    8: ((4, ()), (3, (0, 1)), (3, (1 / 6, 5 / 6))),
    9: ((3, (0, 0.5, 1)), (3, (0.25, 0.5, 0.75))),
    10: ((5, ()), (4, (0, 1)), (4, (1 / 3, 2 / 3)), (3, (0, 1 / 3, 2 / 3, 1))),
}
"""Ways to lay the pips of a number that some makers take instead of the standard one."""

_OTHER_PIPS_SHARE = 0.2
"""How often a deck lays the pips of such a number in another way."""


_PIP_ON_COURT = 0.6
"""How often the deck's own pip stands beside a court's heads."""

FLAT_THREE = "Ʒ"
"""Many makers print the three with a flat top; fonts keep that shape under this letter."""


@functools.lru_cache(maxsize=4096)
def _letters(font: str) -> frozenset[int]:
    """The characters that a font file draws; none if it cannot be read."""
    try:
        with TTFont(font, lazy=True, fontNumber=0) as face:
            return frozenset(face.getBestCmap() or ())
    except (TTLibError, OSError):
        return frozenset()


def _font_with(text: str, fonts: Sequence[str], rng: np.random.Generator) -> str | None:
    """A font picked at random that draws all of ``text``; None if a few dozen picks do not."""
    for _ in range(60 if len(fonts) else 0):
        font = str(fonts[int(rng.integers(len(fonts)))])
        if _letters(font).issuperset(map(ord, text)):
            return font
    return None


def random_style(
    rng: np.random.Generator,
    fonts: Sequence[str],
    glyphs: Mapping[str, str] | None = None,
    foreign: float = FOREIGN_SHARE,
) -> Style:
    """Draw a style.

    Args:
        rng: Decides.
        fonts: Font file paths; empty means Pillow's built-in font.
        glyphs: What is printed for ranks, where it is not the English letter; drawn as well if it
            is not given.
        foreign: How often those of another language are drawn.

    Raises:
        ValueError: no font has the glyphs that are asked for.
    """
    jumbo = rng.random() < 0.15
    rank = rng.uniform(0.15, 0.26) if jumbo else rng.uniform(0.07, 0.135)
    rank_height = round(rank * HEIGHT)
    black = tuple(int(v) for v in rng.integers(0, 50, 3))
    red = (int(rng.integers(10, 70)), int(rng.integers(0, 60)), int(rng.integers(165, 245)))
    colours: dict[str, Colour] = {"S": black, "C": black, "H": red, "D": red}  # type: ignore[dict-item]
    if rng.random() < 0.18:
        colours["C"] = (
            int(rng.integers(20, 80)),
            int(rng.integers(100, 150)),
            int(rng.integers(0, 50)),
        )
        colours["D"] = (
            int(rng.integers(170, 230)),
            int(rng.integers(60, 130)),
            int(rng.integers(0, 60)),
        )
    ground = _ground(rng)
    if max(ground) < _DARK:
        colours = _inks_on_dark(rng)
    asked = glyphs is not None
    if glyphs is None:
        glyphs = FOREIGN[int(rng.integers(len(FOREIGN)))] if rng.random() < foreign else {}
    glyphs = dict(glyphs)
    font = _font_with("".join(glyphs.values()), fonts, rng)
    if font is None:  # what no font here can draw is not asked for
        if asked and glyphs:
            raise ValueError(f"no font has {' '.join(glyphs.values())}")
        glyphs = {}
        font = str(fonts[int(rng.integers(len(fonts)))]) if len(fonts) else None
    # Few fonts have the letter of the flat three; the others borrow it.
    flat = _font_with(FLAT_THREE, [font] if font else (), rng) or _font_with(FLAT_THREE, fonts, rng)
    if flat is not None and rng.random() < 0.22:
        glyphs["3"] = FLAT_THREE
    return Style(
        font=font,
        width=350 if rng.random() < 0.7 else int(rng.integers(312, 365)),
        rank_height=rank_height,
        stretch=float(rng.uniform(0.62, 1.2)),
        weight=float(np.clip(rng.normal(10, 32), -45, 75)),
        pip_height=round(rank_height * rng.uniform(0.55, 1.0)),
        gap=round(rank_height * rng.uniform(0.03, 0.22)),
        margin_x=round(HEIGHT * rng.uniform(0.015, 0.045)),
        margin_y=round(HEIGHT * rng.uniform(0.02, 0.06)),
        four_indices=bool(rng.random() < 0.22),
        colours=colours,
        ground=ground,
        glyphs=glyphs,
        big_pip=float(rng.uniform(0.1, 0.165)),
        frame=bool(rng.random() < 0.5),
        field_x=float(rng.uniform(0.18, 0.26)),
        flat_font=flat,
        pips=_pip_columns(rng),
    )


def _pip_columns(rng: np.random.Generator) -> Mapping[int, PipColumns]:
    """How a deck lays its pips: the standard way, but for a number here and there."""
    other = {
        n: ways[int(rng.integers(len(ways)))]
        for n, ways in OTHER_PIPS.items()
        if rng.random() < _OTHER_PIPS_SHARE
    }
    return {**STANDARD_PIPS, **other}


_DARK = 100
"""Ground of which no colour is lighter is dark."""
_DARK_SHARE, _TINTED_SHARE = 0.04, 0.08
"""Shares of decks with a dark and with a coloured ground."""


def _ground(rng: np.random.Generator) -> Colour:
    """White as a rule, now and then yellowed, coloured or dark."""
    roll = rng.random()
    if roll < _DARK_SHARE:
        b, g, r = (int(v) for v in rng.integers(5, 50, 3))
        return b, g, r
    if roll < _DARK_SHARE + _TINTED_SHARE:
        b, g, r = (int(v) for v in rng.integers(150, 256, 3))
        return b, g, r
    paper = int(rng.integers(232, 256))
    warm = int(rng.integers(0, 26)) if rng.random() < 0.4 else 0
    return max(0, paper - warm), max(0, paper - warm // 2), paper


def _inks_on_dark(rng: np.random.Generator) -> dict[str, Colour]:
    """White, silver or gold for the black suits; red, or the same once more, for the red ones."""
    light = int(rng.integers(170, 256))
    black = (light, light, light) if rng.random() < 0.7 else (light // 3, light * 3 // 4, light)
    red = (int(rng.integers(10, 80)), int(rng.integers(10, 80)), int(rng.integers(190, 256)))
    if rng.random() < 0.2:
        red = black
    return {"S": black, "C": black, "H": red, "D": red}


def text_mask(
    text: str,
    font: str | None,
    height: int,
    stretch: float,
    weight: float = 0.0,
    forms: Forms = PLAIN,
) -> Picture:
    """A word as a tight mask of the asked height; its width follows the font times ``stretch``.

    ``weight`` makes strokes bolder (up to 80) or finer (down to -50); ``forms`` are the shapes
    that are not the font's own.
    """
    mask = glyph_mask(text, font, forms)
    if weight:
        mask = _reweight(mask, weight)
    width = max(3, round(mask.shape[1] * height / max(1, mask.shape[0]) * stretch))
    return cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)


def _reweight(mask: Picture, weight: float) -> Picture:
    """Bolder or finer strokes: cards print their indices in other weights than books."""
    room = cv2.copyMakeBorder(mask, 8, 8, 8, 8, cv2.BORDER_CONSTANT)
    soft = cv2.GaussianBlur(room, (0, 0), 2.5).astype(np.float32)
    out = tight(np.clip((soft - (127 - weight)) * 4 + 127, 0, 255).astype(np.uint8))
    # Hairlines that would break, and holes that would close, keep the font's own weight.
    return out if 0.72 < float(out.sum()) / max(1.0, float(mask.sum())) < 1.6 else mask


def _court(
    face: Picture,
    style: Style,
    rng: np.random.Generator,
    art: Picture | None,
    pip: Picture,
    colour: Colour,
) -> None:
    """Fill the middle with borrowed court art, or with a two-headed pattern of our own.

    Most have the deck's own pip beside either head.
    """
    h, w = face.shape[:2]
    mx, my = round(w * rng.uniform(0.14, 0.2)), round(h * rng.uniform(0.06, 0.12))
    inner_w, inner_h = w - 2 * mx, h - 2 * my
    if art is not None:
        inner = cv2.resize(art[..., :3], (inner_w, inner_h), interpolation=cv2.INTER_AREA)
    else:
        half = np.full((inner_h // 2 + 1, inner_w, 3), style.ground, np.uint8)
        for _ in range(int(rng.integers(10, 28))):
            pts = rng.integers(0, [inner_w, inner_h // 2 + 1], (int(rng.integers(3, 6)), 2))
            inks = [(0, 0, 200), (180, 60, 20), (20, 190, 240), (10, 10, 10), style.ground]
            cv2.fillPoly(half, [pts.astype(np.int32)], inks[rng.integers(5)], cv2.LINE_AA)
        inner = np.vstack([half, half[::-1, ::-1]])[:inner_h]
    inner = np.ascontiguousarray(inner)
    if rng.random() < _PIP_ON_COURT:
        _pip_by_heads(inner, style, rng, pip, colour)
    face[my : my + inner_h, mx : mx + inner_w, :3] = inner
    if style.frame:
        cv2.rectangle(face, (mx, my), (mx + inner_w, my + inner_h), (120, 40, 20), 2, cv2.LINE_AA)


def _pip_by_heads(
    inner: Picture, style: Style, rng: np.random.Generator, pip: Picture, colour: Colour
) -> None:
    """The pip in the picture's upper left and lower right corner, on the card's ground."""
    tall = round(style.big_pip * rng.uniform(0.7, 1.15) * HEIGHT)
    wide = max(4, round(tall * pip.shape[1] / pip.shape[0]))
    pad = max(2, round(tall * rng.uniform(0.05, 0.15)))
    corner = np.empty((tall + 2 * pad, wide + 2 * pad, 3), np.uint8)
    corner[:] = style.ground
    blend(corner, cv2.resize(pip, (wide, tall), interpolation=cv2.INTER_AREA), pad, pad, colour)
    corner = corner[: inner.shape[0] // 2, : inner.shape[1]]
    inner[: corner.shape[0], : corner.shape[1]] = corner
    inner[-corner.shape[0] :, -corner.shape[1] :] = corner[::-1, ::-1]


def _pips(
    face: Picture, pip: Picture, n: int, style: Style, colour: Colour, rng: np.random.Generator
) -> None:
    h, w = face.shape[:2]
    size = style.big_pip * h * (rng.uniform(1.2, 3.0) if n == 1 else 1.0)
    big = cv2.resize(
        pip,
        (max(4, round(size * pip.shape[1] / pip.shape[0])), round(size)),
        interpolation=cv2.INTER_AREA,
    )
    x_left, y_top = style.field_x * w + big.shape[1] / 2, 0.13 * h + big.shape[0] / 2
    side, middle = style.pips[n]
    rows = np.linspace(0, 1, side) if side else ()
    spots = [(fx, float(fy)) for fy in rows for fx in (0.0, 1.0)] + [(0.5, fy) for fy in middle]
    for fx, fy in spots:
        x = x_left + fx * (w - 2 * x_left)
        y = y_top + fy * (h - 2 * y_top)
        mask = big if fy <= 0.5 else np.ascontiguousarray(big[::-1, ::-1])
        blend(face, mask, x - big.shape[1] / 2, y - big.shape[0] / 2, colour)


def draw_face(
    rank: str, suit: str, style: Style, pip: Picture, rng: np.random.Generator, art: Picture | None
) -> tuple[Picture, list[dict[str, Any]]]:
    """Draw one face.

    Returns:
        RGBA picture and its index entries as in ``deck.json``.
    """
    w, h = style.width, HEIGHT
    face = np.zeros((h, w, 4), np.uint8)
    face[..., :3] = style.ground
    colour = style.colours[suit]
    if rank in "JQK":
        _court(face, style, rng, art, pip, colour)
    else:
        _pips(face, pip, 1 if rank == "A" else int(rank), style, colour, rng)
    text = style.glyphs.get(rank, rank)
    glyph = text_mask(
        text,
        style.flat_font if text == FLAT_THREE else style.font,
        style.rank_height,
        style.stretch,
        style.weight,
        style.forms,
    )
    if glyph.shape[1] > 0.3 * w:
        glyph = cv2.resize(glyph, (round(0.3 * w), glyph.shape[0]), interpolation=cv2.INTER_AREA)
    small_w = max(3, round(style.pip_height * pip.shape[1] / pip.shape[0]))
    small = cv2.resize(pip, (small_w, style.pip_height), interpolation=cv2.INTER_AREA)
    column = max(glyph.shape[1], small_w)
    gx = style.margin_x + (column - glyph.shape[1]) / 2
    sx = style.margin_x + (column - small_w) / 2
    sy = style.margin_y + style.rank_height + style.gap
    bottom, pad = sy + style.pip_height, max(3, style.gap)
    wide, tall = style.margin_x + column + pad, bottom + pad
    marks: list[dict[str, Any]] = []
    # The index stands in the upper left corner, or in both upper ones; turned, in those opposite.
    for dx in (0, w - 2 * style.margin_x - column)[: 1 + style.four_indices]:
        left = w - wide if dx else 0
        # The corner is cleared first so that court art never runs under the index.
        face[:tall, left : left + wide, :3] = style.ground
        blend(face, glyph, gx + dx, style.margin_y, colour)
        blend(face, small, sx + dx, sy, colour)
        corner = face[:tall, left : left + wide].copy()
        face[h - tall :, w - left - wide : w - left] = corner[::-1, ::-1]
        top, middle = style.margin_y, style.margin_y + style.rank_height
        rank_box = [gx + dx, top, gx + dx + glyph.shape[1], middle]
        marks += both_ends(rank_box, [sx + dx, sy, sx + dx + small_w, bottom], (w, h))
    face[..., 3] = rounded(w, h, round(h * 0.035))
    return face, marks


def draw_back(style: Style, rng: np.random.Generator) -> Picture:
    """A card back: a bordered field of a two-colour lattice."""
    w, h = style.width, HEIGHT
    face = np.zeros((h, w, 4), np.uint8)
    face[..., :3] = style.ground
    ink = tuple(int(v) for v in rng.integers(0, 200, 3))
    b = int(rng.integers(8, 26))
    cv2.rectangle(face, (b, b), (w - b, h - b), ink, -1)
    step = int(rng.integers(8, 36))
    light = tuple(int(v) for v in rng.integers(150, 256, 3))
    for k in range(-h, w + h, step):
        cv2.line(face, (k, b), (k + h, h - b), light, int(rng.integers(1, 4)), cv2.LINE_AA)
        cv2.line(face, (k + h, b), (k, h - b), light, 1, cv2.LINE_AA)
    if rng.random() < 0.5:
        cv2.circle(
            face,
            (w // 2, h // 2),
            int(rng.integers(30, 130)),
            light,
            int(rng.integers(2, 20)),
            cv2.LINE_AA,
        )
    face[:b], face[h - b :], face[:, :b], face[:, w - b :] = (
        (*style.ground, 0),
        (*style.ground, 0),
        (*style.ground, 0),
        (*style.ground, 0),
    )
    face[..., 3] = rounded(w, h, round(h * 0.035))
    return face


def write_deck(
    folder: Path,
    seed: int,
    fonts: Sequence[str],
    *,
    courts: Sequence[Path] = (),
    pip_files: Mapping[str, Sequence[Path]] | None = None,
) -> None:
    """Draw a whole deck into ``folder`` (52 faces, two jokers, a back and ``deck.json``).

    Args:
        folder: Created; left as it is when it already holds a finished deck.
        seed: The same seed and inputs give the same deck.
        fonts: Font files to choose from.
        courts: Pictures of court cards to borrow middles from.
        pip_files: Suit masks by suit letter; half of the decks use one, half draw their own.
    """
    if (folder / "deck.json").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    style = random_style(rng, fonts)
    pips = {s: choose_pip(s, rng, pip_files) for s in "SHDC"}
    cards: dict[str, Any] = {}
    for suit in "SHDC":
        for rank in STANDARD_RANKS:
            art = borrow_court(courts, rng, suit) if rank in "JQK" else None
            face, marks = draw_face(rank, suit, style, pips[suit], rng, art)
            cv2.imwrite(str(folder / f"{rank}{suit}.png"), face, [cv2.IMWRITE_PNG_COMPRESSION, 1])
            cards[rank + suit] = {"size": [style.width, HEIGHT], "indices": marks}
    cv2.imwrite(str(folder / "back.png"), draw_back(style, rng), [cv2.IMWRITE_PNG_COMPRESSION, 1])
    for name in JOKERS:
        face, marks = draw_joker(style, rng, borrow_court(courts, rng), height=HEIGHT)
        cv2.imwrite(str(folder / f"{name}.png"), face, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        cards[name] = {"size": [style.width, HEIGHT], "indices": marks}
    meta = {
        "name": folder.name,
        "source": "drawn",
        "holdout": False,
        "glyphs": style.glyphs,
        "cards": cards,
    }
    (folder / "deck.json").write_text(json.dumps(meta), encoding="utf-8")


def choose_pip(
    suit: str, rng: np.random.Generator, files: Mapping[str, Sequence[Path]] | None
) -> Picture:
    """A suit symbol of a deck: from a file of ``files`` or drawn, never quite the same."""
    choices = (files or {}).get(suit, ())
    if len(choices) and rng.random() < 0.65:
        mask = _pip_file(choices[int(rng.integers(len(choices)))])
        if mask is not None:
            return vary(mask, rng)
    return vary(draw_pip(suit, rng), rng)


@functools.lru_cache(maxsize=1024)
def _pip_file(path: Path) -> Picture | None:
    """The mask of a suit symbol's file, None where it has none."""
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None:
        return None
    mask = picture[..., 3] if picture.ndim == 3 and picture.shape[2] == 4 else picture
    if mask.ndim != 2 or mask.max() <= 100:
        return None
    return tight(np.ascontiguousarray(mask, dtype=np.uint8))


def borrow_court(
    courts: Sequence[Path], rng: np.random.Generator, suit: str | None = None
) -> Picture | None:
    """The middle of somebody's court card, three times out of four; None to draw a pattern.

    Of ``suit``, where one is asked for: beside its head a figure holds the pip of its own suit.
    """
    courts = [path for path in courts if suit is None or path.stem[-1] == suit]
    if not courts or rng.random() < 0.25:
        return None
    return _court_file(courts[int(rng.integers(len(courts)))])


@functools.lru_cache(maxsize=512)
def _court_file(path: Path) -> Picture | None:
    """The middle of a court card's file."""
    art = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if art is None:
        return None
    h, w = art.shape[:2]
    return np.ascontiguousarray(
        art[round(h * 0.06) : round(h * 0.94), round(w * 0.17) : round(w * 0.83)]
    )
