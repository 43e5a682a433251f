"""Rank glyphs as card makers cut them, which differ from what text fonts offer.

A queen's tail may be a stroke, a swash through the bowl or a loop below it; the ten is often set
tighter than any font sets it, with a bare stroke for its one; a whole alphabet may lean.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from models.arrays import Mask
from models.synth.pips import bezier, tight

_SIZE = 96


@dataclass(frozen=True, slots=True)
class Forms:
    """Shapes of one drawn deck's glyphs; the defaults are the font's own.

    Attributes:
        tail: Control points of the queen's tail (x right, y down, in the O's width and height),
            none for the font's own Q.
        tail_weight: Its thickness, strokes of the O.
        ten_gap: Space between one and nought in heights, may be negative; none: the font's.
        ten_bar: The one of the ten is a bare stroke.
        nought: Width of the nought, 1 is the font's.
        lean: Shear to the right, widths a height.
    """

    tail: tuple[tuple[float, float], ...] = ()
    tail_weight: float = 1.0
    ten_gap: float | None = None
    ten_bar: bool = False
    nought: float = 1.0
    lean: float = 0.0


#: The font's own forms.
PLAIN = Forms()


def random_forms(rng: np.random.Generator) -> Forms:
    """Draw the forms of a deck: about every second deck keeps the font's own."""
    tail: tuple[tuple[float, float], ...] = ()
    if rng.random() < 0.5:
        tail = _TAILS[int(rng.integers(len(_TAILS)))](rng)
    tight_ten = rng.random() < 0.5
    return Forms(
        tail=tail,
        tail_weight=float(rng.uniform(0.55, 1.1)),
        ten_gap=float(rng.uniform(-0.04, 0.14)) if tight_ten else None,
        ten_bar=bool(tight_ten and rng.random() < 0.6),
        nought=float(rng.uniform(0.65, 1.1)) if tight_ten else 1.0,
        lean=float(rng.uniform(-0.08, 0.3)) if rng.random() < 0.2 else 0.0,
    )


def _stroke(rng: np.random.Generator) -> tuple[tuple[float, float], ...]:
    x0, y0 = rng.uniform(0.4, 0.62), rng.uniform(0.58, 0.8)
    x1, y1 = rng.uniform(0.85, 1.12), rng.uniform(0.92, 1.14)
    bow = rng.uniform(-0.08, 0.08)
    return (
        (x0, y0),
        (x0 + (x1 - x0) / 3 + bow, y0 + (y1 - y0) / 3 - bow),
        (x0 + (x1 - x0) / 1.5 + bow, y0 + (y1 - y0) / 1.5 - bow),
        (x1, y1),
    )


def _swash(rng: np.random.Generator) -> tuple[tuple[float, float], ...]:
    left, height = rng.uniform(-0.05, 0.3), rng.uniform(0.72, 0.95)
    return (
        (left, height),
        (left + 0.15, height - rng.uniform(0.1, 0.3)),
        (0.6, height + rng.uniform(-0.05, 0.35)),
        (rng.uniform(0.9, 1.15), rng.uniform(0.92, 1.1)),
    )


def _loop(rng: np.random.Generator) -> tuple[tuple[float, float], ...]:
    x0 = rng.uniform(0.3, 0.5)
    return (
        (x0, rng.uniform(0.94, 1.0)),
        (x0 + 0.1, rng.uniform(1.05, 1.2)),
        (0.7, rng.uniform(1.1, 1.25)),
        (rng.uniform(0.9, 1.2), rng.uniform(0.98, 1.18)),
    )


_TAILS = (_stroke, _swash, _swash, _loop)


@functools.lru_cache(maxsize=512)
def _font(path: str | None) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.truetype(path, _SIZE) if path else ImageFont.load_default(_SIZE)


def _set(text: str, font: str | None) -> Mask:
    face = _font(font)
    left, top, right, bottom = face.getbbox(text)
    canvas = Image.new("L", (int(right - left) + 40, int(bottom - top) + 40), 0)
    ImageDraw.Draw(canvas).text((20 - left, 20 - top), text, fill=255, font=face)
    return tight(np.asarray(canvas, dtype=np.uint8))


def stroke_width(mask: Mask) -> float:
    """Thickness of the strokes of a tight mask, pixels."""
    room = cv2.copyMakeBorder(mask, 2, 2, 2, 2, cv2.BORDER_CONSTANT)
    depth = cv2.distanceTransform((room > 127).astype(np.uint8), cv2.DIST_L2, 3)
    return max(2.0, 2 * float(np.percentile(depth[depth > 0], 90))) if depth.any() else 2.0


def _queen(font: str | None, forms: Forms) -> Mask:
    bowl = _set("O", font)
    h, w = bowl.shape
    room = h // 2
    canvas = cv2.copyMakeBorder(bowl, room, room, room, room, cv2.BORDER_CONSTANT)
    line = np.asarray([*bezier(list(forms.tail)), forms.tail[-1]]) * [w, h] + room
    thick = max(2, round(stroke_width(bowl) * forms.tail_weight))
    cv2.polylines(canvas, [np.round(line * 16).astype(np.int32)], False, 255, thick, cv2.LINE_AA, 4)
    return tight(canvas)


def _ten(font: str | None, forms: Forms) -> Mask:
    nought = _set("0", font)
    h = nought.shape[0]
    width = max(8, round(nought.shape[1] * forms.nought))
    nought = cv2.resize(nought, (width, h), interpolation=cv2.INTER_AREA)
    if forms.ten_bar:
        one = np.full((h, max(3, round(stroke_width(nought)))), 255, np.uint8)
    else:
        one = _set("1", font)
        one = cv2.resize(one, (max(3, round(one.shape[1] * h / one.shape[0])), h))
    # Touching digits would be one blob: at least a thin line stays open.
    gap = max(-round(0.25 * one.shape[1]), 3, round((forms.ten_gap or 0.0) * h))
    return np.hstack([one, np.zeros((h, gap), np.uint8), nought])


def glyph_mask(text: str, font: str | None, forms: Forms) -> Mask:
    """A rank's mask, tight, about 70 pixels high; ``text`` as the deck prints it."""
    if text == "Q" and forms.tail:
        mask = _queen(font, forms)
    elif text == "10" and forms.ten_gap is not None:
        mask = _ten(font, forms)
    else:
        mask = _set(text, font)
    if not forms.lean:
        return mask
    h, w = mask.shape
    reach = round(abs(forms.lean) * h)
    shift = reach if forms.lean > 0 else 0
    m = np.array([[1, -forms.lean, shift], [0, 1, 0]], np.float64)
    return tight(np.asarray(cv2.warpAffine(mask, m, (w + reach, h)), np.uint8))
