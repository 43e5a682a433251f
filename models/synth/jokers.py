"""Jokers of drawn decks: corner marks as makers print them, with their boxes.

A joker's corner bears no rank and no suit. Makers print the word down the edge (letters upright or
lying), a short form of it, a star, a jester's cap, or two of these one above the other. The mark
is labelled as an index is: its upper part as the rank's box, its lower part as the suit's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from models.arrays import Mask
from models.synth.glyphs import Forms, glyph_mask
from models.synth.paper import Colour, blend, both_ends, rounded
from models.synth.pips import bezier, fill, tight
from models.synth.style import Style

WORDS = ("JOKER", "JOKER", "JOKER", "JOLLY", "JKR", "JOK", "JK")
_SIZE = 128
_UPPER = 0.55
"""Part of an undivided mark that counts as its rank box."""


@dataclass(frozen=True, slots=True)
class JokerMark:
    """How one joker's corners look.

    Attributes:
        mask: The whole mark, tight, 0 to 255.
        split: Where its upper part ends, fraction of the height.
        colour: Its ink, BGR.
    """

    mask: Mask
    split: float
    colour: Colour


def star(rng: np.random.Generator) -> Mask:
    """A star of five to eight points, tight in its box."""
    points = int(rng.choice([5, 5, 5, 5, 6, 8]))
    inner = float(rng.uniform(0.36, 0.52))
    turn = np.arange(2 * points) * np.pi / points - np.pi / 2
    radius = np.where(np.arange(2 * points) % 2, inner, 1.0) * _SIZE / 2
    outline = np.stack([np.cos(turn), np.sin(turn)], 1) * radius[:, None] + _SIZE / 2
    mask = np.zeros((_SIZE + 1, _SIZE + 1), np.uint8)
    fixed = np.round(outline * 16).astype(np.int32)
    if rng.random() < 0.25:  # only its outline
        cv2.polylines(mask, [fixed], True, 255, int(rng.integers(7, 13)), cv2.LINE_AA, 4)
    else:
        cv2.fillPoly(mask, [fixed], 255, cv2.LINE_AA, 4)
    return tight(mask)


def cap(rng: np.random.Generator) -> Mask:
    """A jester's cap: three horns that bend outwards, a bell at each tip, a band below."""
    mask = np.zeros((_SIZE, _SIZE), np.uint8)
    reach, droop = rng.uniform(0.4, 0.45), rng.uniform(0.45, 0.68)
    half, brim = rng.uniform(0.16, 0.24), rng.uniform(0.72, 0.8)
    arch, top = rng.uniform(0.08, 0.22), rng.uniform(0.07, 0.14)
    for side in (-1, 1):
        tip = (0.5 + side * reach, droop)
        horn = bezier([
            (0.5 + side * half, brim), (0.5 + side * (half + 0.01), 0.55),
            (tip[0] - side * 0.16, arch + 0.22), tip,
            (tip[0] - side * 0.01, arch), (0.5 + side * 0.14, arch - 0.08), (0.5, 0.5),
        ])  # fmt: skip
        fill(mask, [*horn, (0.5, brim)])
        _bell(mask, (tip[0], tip[1] + 0.02), rng)
    middle = bezier([
        (0.5 - half * 0.9, brim), (0.43, 0.45), (0.47, top + 0.1), (0.5, top),
        (0.53, top + 0.1), (0.57, 0.45), (0.5 + half * 0.9, brim),
    ])  # fmt: skip
    fill(mask, middle)
    _bell(mask, (0.5, top), rng)
    gap = rng.uniform(0.02, 0.05)
    band = [(0.5 - half, brim + gap), (0.5 + half, brim + gap),
            (0.5 + half, brim + gap + 0.1), (0.5 - half, brim + gap + 0.1)]  # fmt: skip
    fill(mask, band)
    return tight(mask)


def _bell(mask: Mask, at: tuple[float, float], rng: np.random.Generator) -> None:
    radius = float(rng.uniform(0.045, 0.075))
    centre = (round(at[0] * _SIZE * 16), round(at[1] * _SIZE * 16))
    cv2.circle(mask, centre, round(radius * _SIZE * 16), 255, -1, cv2.LINE_AA, 4)


def _letters(word: str, font: str | None, width: int) -> list[Mask]:
    """The letters of a word at one height, at most ``width`` wide on the whole."""
    masks = [glyph_mask(c, font, Forms()) for c in word]
    height = max(6, round(width / max(m.shape[1] / m.shape[0] for m in masks)))
    out = []
    for m in masks:
        new = (max(3, round(m.shape[1] * height / m.shape[0])), height)
        out.append(np.asarray(cv2.resize(m, new, interpolation=cv2.INTER_AREA), np.uint8))
    return out


def stack(parts: list[Mask], gap: int) -> Mask:
    """Masks one above the other, their middles in line."""
    width = max(p.shape[1] for p in parts)
    rows = []
    for p in parts:
        left = (width - p.shape[1]) // 2
        rows += [np.pad(p, ((0, gap), (left, width - p.shape[1] - left)))]
    joined = np.vstack(rows)
    return np.ascontiguousarray(joined[: joined.shape[0] - gap] if gap else joined)


def _to_width(mask: Mask, width: int) -> Mask:
    new = (width, max(4, round(mask.shape[0] * width / mask.shape[1])))
    return np.asarray(cv2.resize(mask, new, interpolation=cv2.INTER_AREA), np.uint8)


def _standing(rng: np.random.Generator, font: str | None, width: int) -> tuple[Mask, float]:
    letters = _letters(str(rng.choice(WORDS)), font, width)
    return stack(letters, max(1, round(rng.uniform(0.06, 0.3) * letters[0].shape[0]))), _UPPER


def _lying(rng: np.random.Generator, font: str | None, width: int) -> tuple[Mask, float]:
    word = _to_width(glyph_mask(str(rng.choice(WORDS[:5])), font, Forms()), 4 * width)
    turn = cv2.ROTATE_90_CLOCKWISE if rng.random() < 0.7 else cv2.ROTATE_90_COUNTERCLOCKWISE
    mask = np.asarray(cv2.rotate(word, turn), np.uint8)
    return mask, _UPPER


def _star(rng: np.random.Generator, font: str | None, width: int) -> tuple[Mask, float]:
    return _to_width(star(rng), round(width * rng.uniform(1.2, 2.1))), _UPPER


def _cap(rng: np.random.Generator, font: str | None, width: int) -> tuple[Mask, float]:
    return _to_width(cap(rng), round(width * rng.uniform(1.3, 2.3))), _UPPER


def _letter_and_sign(rng: np.random.Generator, font: str | None, width: int) -> tuple[Mask, float]:
    letter = _letters("J", font, max(6, round(0.7 * width)))[0]
    return _pair(letter, _sign(rng, width), rng)


def _sign_and_word(rng: np.random.Generator, font: str | None, width: int) -> tuple[Mask, float]:
    word = (_standing if rng.random() < 0.6 else _lying)(rng, font, width)[0]
    sign = _sign(rng, width)
    return _pair(sign, word, rng) if rng.random() < 0.7 else _pair(word, sign, rng)


def _word_and_sign(rng: np.random.Generator, font: str | None, width: int) -> tuple[Mask, float]:
    word = _to_width(glyph_mask("JOKER", font, Forms()), round(width * rng.uniform(1.6, 2.4)))
    return _pair(word, _sign(rng, round(1.3 * width)), rng)


def _sign(rng: np.random.Generator, width: int) -> Mask:
    return _to_width(star(rng) if rng.random() < 0.55 else cap(rng), width)


def _pair(upper: Mask, lower: Mask, rng: np.random.Generator) -> tuple[Mask, float]:
    gap = max(2, round(rng.uniform(0.08, 0.3) * min(upper.shape[0], lower.shape[0])))
    mask = stack([upper, lower], gap)
    return mask, upper.shape[0] / mask.shape[0]


_Maker = Callable[[np.random.Generator, str | None, int], tuple[Mask, float]]
_MAKERS: tuple[_Maker, ...] = (
    _standing, _standing, _standing, _lying, _lying, _star, _cap, _letter_and_sign, _sign_and_word,
    _word_and_sign,
)  # fmt: skip


def joker_mark(style: Style, rng: np.random.Generator) -> JokerMark:
    """Draw the corner mark of one joker in a deck's style.

    Args:
        style: Its font, index size and inks; the mark is about as wide as the deck's indices.
        rng: Decides the kind and the proportions.
    """
    width = max(8, round(style.rank_height * rng.uniform(0.4, 0.75)))
    maker = _MAKERS[int(rng.integers(len(_MAKERS)))]
    mask, split = maker(rng, style.font, width)
    return JokerMark(mask, split, _ink(style, rng))


def _ink(style: Style, rng: np.random.Generator) -> Colour:
    roll = rng.random()
    if roll < 0.7:
        return style.colours["S" if roll < 0.38 else "H"]
    b, g, r = (int(v) for v in rng.integers(0, 200, 3))
    return b, g, r


def draw_joker(
    style: Style, rng: np.random.Generator, art: Mask | None, *, height: int
) -> tuple[Mask, list[dict[str, Any]]]:
    """Draw a joker's face.

    Args:
        style: The deck's.
        rng: Decides the mark and what is in the middle.
        art: Borrowed art for the middle; None for a large sign.
        height: Face height, pixels.

    Returns:
        RGBA picture and its two corner marks as in ``deck.json``.
    """
    w, h = style.width, height
    mark = joker_mark(style, rng)
    mask = mark.mask
    most = (round(0.3 * w), round(0.55 * h))
    fit = min(1.0, most[0] / mask.shape[1], most[1] / mask.shape[0])
    if fit < 1:
        mask = _to_width(mask, max(4, int(mask.shape[1] * fit)))
    face = np.zeros((h, w, 4), np.uint8)
    face[..., :3] = style.ground
    _middle(face, style, rng, art)
    x0, y0 = style.margin_x, style.margin_y
    x1, y1 = x0 + mask.shape[1], y0 + mask.shape[0]
    pad = max(3, style.gap)
    face[: y1 + pad, : x1 + pad, :3] = style.ground
    blend(face, mask, x0, y0, mark.colour)
    face[h - y1 - pad :, w - x1 - pad :] = face[: y1 + pad, : x1 + pad][::-1, ::-1]
    split = y0 + mark.split * mask.shape[0]
    upper, lower = [x0, y0, x1, split], [x0, split, x1, y1]
    face[..., 3] = rounded(w, h, round(h * 0.035))
    return face, both_ends(upper, lower, (w, h))


def _middle(face: Mask, style: Style, rng: np.random.Generator, art: Mask | None) -> None:
    h, w = face.shape[:2]
    mx, my = round(w * rng.uniform(0.16, 0.24)), round(h * rng.uniform(0.08, 0.2))
    if art is not None:
        inner = cv2.resize(art[..., :3], (w - 2 * mx, h - 2 * my), interpolation=cv2.INTER_AREA)
        face[my : h - my, mx : w - mx, :3] = inner
        return
    sign = _to_width(
        cap(rng) if rng.random() < 0.6 else star(rng), round(w * rng.uniform(0.3, 0.6))
    )
    x, y = (w - sign.shape[1]) / 2, (h - sign.shape[0]) / 2
    blend(face, sign, x, y, _ink(style, rng))
