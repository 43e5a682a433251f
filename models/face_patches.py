"""Samples for the face reader: whole cards, upright or on their heads, and what is none."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from models import data
from models.body_patches import halved
from models.labels import FACE_INNER, NO_GLYPH, NO_SUIT
from models.outline_patches import SEEN, Corners, cut_outline, loosened, nothings
from models.synth.backgrounds import photo_ground, text_sheet
from models.synth.faces import card_classes, card_face
from models.synth.scene import Props
from models.synth.views import render_view

Picture = npt.NDArray[np.uint8]

_LEAST_SHOWN = 0.6
"""Cards of which less is seen are not learnt from."""
_SMALLEST = 32.0
"""Width from which a card is looked at, pixels."""
_LOOSE = (0.006, 0.02, 0.04)
"""How far outlines are off, in widths of the card."""
_LOOKS = 2
_FETCHED_JOKERS, _NOTICES = 0.25, 0.25
"""Shares of jokers, and of prints of a card's shape that are none, among single views."""
_SIDES = (55.0, 260.0)
"""Longer sides of cards in single views, pixels."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A fetched card: its picture, and its classes."""

    path: Path
    glyph: int
    suit: int


def printed_cards(folders: Sequence[Path]) -> list[Printed]:
    """The cards of fetched decks whose glyphs the networks know, jokers among them."""
    out = []
    for folder in folders:
        meta = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
        glyphs: dict[str, str] = meta.get("glyphs") or {}
        for name in meta["cards"]:
            path = folder / f"{name}.png"
            if path.exists():
                with contextlib.suppress(KeyError):
                    out.append(Printed(path, *card_classes(name, glyphs)))
    return out


def cut_face(levels: list[Picture], quad: Corners) -> Picture:
    """The patch of a whole card: 144 × 96 × 3.

    Args:
        levels: The picture, and the same halved again and again, see
            :func:`models.body_patches.halved`.
        quad: (4, 2) its corners, clockwise, the first at its upper left or lower right, pixels.
    """
    return cut_outline(levels, quad, FACE_INNER)[0]


def faces_of(
    picture: Picture,
    labels: data.Labels,
    quads: npt.NDArray[np.float32],
    shown: npt.NDArray[np.float32],
    rng: np.random.Generator,
) -> Iterator[data.Sample]:
    """Patches of one scene with the classes of glyphs and suits.

    Args:
        picture: BGR.
        labels: Its indices, columns :data:`models.synth.scene.INDEX_FIELDS`.
        quads: (cards, 4, 2) corners.
        shown: (cards,) visible part of each.
        rng: Decides how far off outlines are.
    """
    levels, outlines = halved(picture), quads.astype(np.float64)
    wide = np.linalg.norm(outlines[:, 1] - outlines[:, 0], axis=1)
    for k in np.flatnonzero((shown >= _LEAST_SHOWN) & (wide >= _SMALLEST)):
        own = labels[labels[:, 9] == k]
        glyph, suit = (int(own[0, 5]), int(own[0, 6])) if len(own) else (NO_GLYPH, NO_SUIT)
        for _ in range(_LOOKS):
            start = np.roll(outlines[k], 2 * int(rng.integers(2)), axis=0)
            start = loosened(start, rng, float(rng.choice(_LOOSE)))
            yield cut_face(levels, start), glyph, suit
    for start in nothings(picture.shape[:2], outlines[shown > SEEN], rng):
        yield cut_face(levels, start), NO_GLYPH, NO_SUIT


def single_view(
    cards: Sequence[Printed], jokers: Sequence[Printed], props: Props, rng: np.random.Generator
) -> data.Sample:
    """One fetched card, or a print of its shape that is none, by itself on a table."""
    roll = rng.random()
    if roll < _NOTICES or not cards:
        face, glyph, suit = notice(props, rng), NO_GLYPH, NO_SUIT
    else:
        pool = jokers if jokers and roll < _NOTICES + _FETCHED_JOKERS else cards
        card = pool[int(rng.integers(len(pool)))]
        face, glyph, suit = card_face(card.path), card.glyph, card.suit
    side = float(np.exp(rng.uniform(*np.log(_SIDES))))
    view = render_view(face, rng, long_side=side, grounds=props.backgrounds, margin=0.15)
    start = np.roll(view.corners.astype(np.float64), 2 * int(rng.integers(2)), axis=0)
    start = loosened(start, rng, float(rng.choice(_LOOSE)))
    return cut_face(halved(view.image), start), glyph, suit


def notice(props: Props, rng: np.random.Generator) -> Picture:
    """A print of a card's shape that is no playing card: a leaflet, a photograph, both; BGRA."""
    height, width = 260, int(rng.integers(150, 230))
    sheet = text_sheet(rng, props.fonts)
    face = np.asarray(cv2.resize(sheet, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    if len(props.backgrounds) and rng.random() < 0.6:
        path = props.backgrounds[int(rng.integers(len(props.backgrounds)))]
        left, right = sorted(rng.uniform((0.02, 0.55), (0.45, 0.98)) * width)
        top, bottom = sorted(rng.uniform((0.02, 0.4), (0.6, 0.98)) * height)
        x, y, w, h = int(left), int(top), max(8, int(right - left)), max(8, int(bottom - top))
        photo = photo_ground(path, w, h, rng)
        part = face[y : y + h, x : x + w, :3]
        if photo is not None:
            part[:] = photo[: part.shape[0], : part.shape[1]]
    return face
