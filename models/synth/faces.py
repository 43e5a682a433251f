"""Card faces: an RGBA picture plus where its corner indices stand.

Faces come from fetched decks (a folder of PNG files with a ``deck.json``) or are drawn by
:mod:`models.synth.drawn`. Both are the same thing to the scene renderer.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from models.labels import GLYPH_ALIASES, GLYPH_ID, JOKER, NO_SUIT, SUIT_ID

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels of the face picture."""

_SMALL_HEIGHT = 260


@dataclass(frozen=True, slots=True)
class IndexMark:
    """One corner index of a face.

    Attributes:
        rank_box: The glyph's box, pixels of the face.
        suit_box: The small suit symbol's box, pixels of the face.
        angle: Clockwise turn of the index in the face, degrees (0 upright, 180 opposite corner).
        glyph: Class number in :data:`models.labels.GLYPHS`.
        suit: Class number in :data:`models.labels.SUITS`.
    """

    rank_box: Box
    suit_box: Box
    angle: float
    glyph: int
    suit: int


class Face(Protocol):
    """A card's face or back as the scene renderer takes it."""

    @property
    def name(self) -> str:
        """The card's name, ``back`` for a back."""
        ...

    @property
    def indices(self) -> Sequence[IndexMark]:
        """Its corner indices; empty for a back."""
        ...

    def image(self) -> npt.NDArray[np.uint8]:
        """The RGBA picture, height × width × 4, blue first as OpenCV reads it."""
        ...

    def reduced(self, height: int) -> npt.NDArray[np.uint8]:
        """The picture at most ``height`` pixels high."""
        ...


def reduce(image: npt.NDArray[np.uint8], height: int) -> npt.NDArray[np.uint8]:
    """``image`` at most ``height`` pixels high, by area averaging."""
    if height >= image.shape[0]:
        return image
    width = max(2, round(image.shape[1] * height / image.shape[0]))
    return cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)


@dataclass(frozen=True, slots=True)
class FaceRef:
    """A face on disk: its picture's path and its index marks (empty for a back)."""

    path: Path
    indices: tuple[IndexMark, ...]
    name: str

    def image(self) -> npt.NDArray[np.uint8]:
        """The RGBA picture, height × width × 4, blue first as OpenCV reads it."""
        return _read(str(self.path))

    def reduced(self, height: int) -> npt.NDArray[np.uint8]:
        """The picture at most ``height`` pixels high."""
        return _reduced(str(self.path), height)


@dataclass(frozen=True, slots=True)
class FaceDeck:
    """A deck of faces for one scene: cards by name and backs."""

    name: str
    cards: Sequence[Face]
    backs: Sequence[Face]


def card_picture(path: Path) -> npt.NDArray[np.uint8]:
    """A card's picture as it was fetched or drawn, BGRA.

    Raises:
        OSError: the file is missing or no picture.
    """
    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise OSError(f"cannot read the card picture {path}; fetch the art again")
    if image.ndim == 2 or image.shape[2] == 3:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGRA if image.ndim == 2 else cv2.COLOR_BGR2BGRA)
    return np.ascontiguousarray(image, dtype=np.uint8)


@functools.lru_cache(maxsize=6000)
def card_face(path: Path) -> npt.NDArray[np.uint8]:
    """A card's picture, BGRA, at most 260 pixels tall."""
    return reduce(card_picture(path), _SMALL_HEIGHT)


@functools.lru_cache(maxsize=2500)
def _read(path: str) -> npt.NDArray[np.uint8]:
    image = card_picture(Path(path))
    if image.shape[0] > 520:
        scale = 500 / image.shape[0]
        size = (round(image.shape[1] * scale), 500)
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(image, dtype=np.uint8)


@functools.lru_cache(maxsize=3000)
def _reduced(path: str, height: int) -> npt.NDArray[np.uint8]:
    return reduce(_read(path), height)


def glyph_class(glyph: str) -> int:
    """The class number of a drawn glyph. Raises KeyError for one the networks do not know."""
    return GLYPH_ID[GLYPH_ALIASES.get(glyph, glyph)]


def card_classes(name: str, glyphs: Mapping[str, str]) -> tuple[int, int]:
    """The glyph and suit classes of a card, ``7H`` or ``JK1``.

    Args:
        name: As in ``deck.json``.
        glyphs: What the deck prints for a rank, where that is not the rank itself.

    Raises:
        KeyError: the networks do not know its glyph.
    """
    if name.startswith("JK"):
        return JOKER, NO_SUIT
    return glyph_class(glyphs.get(name[:-1], name[:-1])), SUIT_ID[name[-1]]


def load_deck(folder: Path) -> FaceDeck:
    """Read a deck folder made by ``python -m models.art`` or :mod:`models.synth.drawn`.

    Cards whose drawn glyph the networks have no class for are left out.
    """
    meta = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
    glyphs: dict[str, str] = meta.get("glyphs") or {}
    cards = []
    for name, entry in meta["cards"].items():
        path = folder / f"{name}.png"
        try:
            glyph, suit = card_classes(name, glyphs)
        except KeyError:
            continue
        if not path.exists():
            continue
        scale = 500 / entry["size"][1] if entry["size"][1] > 520 else 1.0
        marks = tuple(
            IndexMark(
                _scaled(i["rank_box"], scale),
                _scaled(i.get("suit_box") or i["rank_box"], scale),
                float(i.get("angle", 0)),
                glyph,
                suit,
            )
            for i in entry.get("indices", ())
        )
        cards.append(FaceRef(path, marks, name))
    backs = tuple(FaceRef(p, (), "back") for p in sorted(folder.glob("back*.png")))
    return FaceDeck(meta["name"], tuple(cards), backs)


def _scaled(box: list[float], scale: float) -> Box:
    x0, y0, x1, y1 = (float(v) * scale for v in box)
    return x0, y0, x1, y1


def deck_folders(root: Path, *, holdout: bool) -> list[Path]:
    """Folders under ``root`` that hold a deck on the asked side of the hold-out split."""
    return [
        meta.parent
        for meta in sorted(root.glob("*/deck.json"))
        if bool(json.loads(meta.read_text(encoding="utf-8")).get("holdout")) == holdout
    ]
