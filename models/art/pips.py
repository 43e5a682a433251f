"""Suit symbol shapes: as alpha masks from decks' indices and from fonts, with ``pips.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import ImageFont

from models.art.fonts import SUIT_CHARACTERS, draw_glyph
from models.art.indices import correlation
from models.art.packages import Say
from models.art.paths import RANKS, SUITS
from models.art.render import Rgba, decode_picture, write_png

SIZE = 96
"""Side of a pip mask, pixels; the longer side of the shape fills it."""

_LEAST_LIKENESS = 0.6
_SAME = 0.995
_MOST_HALF_TONES = 0.2  # above it the symbol is a shaded or a magnified one

Ink = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Pip:
    """One suit symbol's shape.

    Attributes:
        path: The PNG, relative to the cache folder: black, with the shape as alpha.
        suit: One of ``SHDC``.
        source: The deck's or the font's name.
        holdout: Whether it is kept for evaluation.
    """

    path: str
    suit: str
    source: str
    holdout: bool


def build_pips(root: Path, *, say: Say) -> list[Pip]:
    """Writes ``pips/<suit>/*.png`` and ``pips.json``; shapes unlike the suit are left out."""
    found = [*_from_decks(root), *_from_fonts(root)]
    out: list[Pip] = []
    kept: dict[str, list[Ink]] = {suit: [] for suit in SUITS}
    usual = {s: np.median([ink for suit, _, ink, _ in found if suit == s], axis=0) for s in SUITS}
    for suit, source, ink, holdout in found:
        if correlation(ink, usual[suit].astype(np.float32)) < _LEAST_LIKENESS:
            continue
        if any(correlation(ink, other) > _SAME for other in kept[suit]):
            continue
        kept[suit].append(ink)
        target = root / "pips" / suit / f"{source.replace(' ', '_').replace('/', '_')}.png"
        write_png(target, _as_mask(ink))
        out.append(Pip(target.relative_to(root).as_posix(), suit, source, holdout))
    text = json.dumps([asdict(p) for p in out], ensure_ascii=False, indent=1)
    (root / "pips.json").write_text(text, encoding="utf-8")
    say("pips: " + ", ".join(f"{len(kept[s])} of {s}" for s in SUITS))
    return out


def _from_decks(root: Path) -> Iterator[tuple[str, str, Ink, bool]]:
    """Each deck's index symbols, held-out decks first so that training gets no copy of theirs."""
    decks = [json.loads(p.read_text("utf-8")) for p in sorted((root / "decks").glob("*/deck.json"))]
    for deck in sorted(decks, key=lambda d: not d["holdout"]):
        for suit in SUITS:
            names = [rank + suit for rank in RANKS if rank + suit in deck["cards"]]
            if not names:
                continue
            box = deck["cards"][names[0]]["indices"][0]["suit_box"]
            picture = root / "decks" / deck["name"] / f"{names[0]}.png"
            ink = _cut(decode_picture(picture.read_bytes()), box)
            if ink is not None:
                yield suit, f"deck {deck['name']}", ink, bool(deck["holdout"])


def _cut(card: Rgba, box: list[int]) -> Ink | None:
    """A symbol's coverage, from the ground's (0) to the ink's (1); None if it is unclear."""
    x0, y0, x1, y1 = box
    patch = card[max(0, y0 - 2) : y1 + 2, max(0, x0 - 2) : x1 + 2, :3].astype(np.float32)
    middle = patch[
        patch.shape[0] // 3 : -patch.shape[0] // 3, patch.shape[1] // 3 : -patch.shape[1] // 3
    ]
    edge = np.concatenate([patch[0], patch[-1]])
    ground, ink = np.median(edge, axis=0), np.median(middle.reshape(-1, 3), axis=0)
    along = ink - ground
    span = float(along @ along)
    if span < 3000.0:
        return None
    cover = np.clip(((patch - ground) @ along) / span, 0.0, 1.0).astype(np.float32)
    half_tones = float(((cover > 0.2) & (cover < 0.8)).mean())
    return _square(cover) if half_tones < _MOST_HALF_TONES else None


def _square(cover: Ink) -> Ink:
    height, width = cover.shape
    side = max(height, width)
    square = np.zeros((side, side), np.float32)
    y, x = (side - height) // 2, (side - width) // 2
    square[y : y + height, x : x + width] = cover
    big = cv2.resize(square, (SIZE, SIZE), interpolation=cv2.INTER_CUBIC)
    return np.clip(big, 0.0, 1.0).astype(np.float32)


def _from_fonts(root: Path) -> Iterator[tuple[str, str, Ink, bool]]:
    faces = json.loads((root / "fonts.json").read_text("utf-8"))
    for face in sorted(faces, key=lambda f: not f["holdout"]):
        if not face["suits"]:
            continue
        font = ImageFont.truetype(str(root / face["path"]), 160)
        for suit in face["suits"]:
            ink = draw_glyph(font, SUIT_CHARACTERS[suit], size=SIZE, stretch=False)
            name = f"font {face['family']} {face['style']}"
            yield suit, name, ink, bool(face["holdout"])


def _as_mask(ink: Ink) -> Rgba:
    image = np.zeros((*ink.shape, 4), np.uint8)
    image[..., 3] = np.rint(ink * 255.0).astype(np.uint8)
    return image
