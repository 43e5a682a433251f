"""Chooses the fonts that can draw card indices, and lists them in ``fonts.json``."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from fontTools.ttLib import TTFont, TTLibError
from PIL import Image, ImageDraw, ImageFont

from models.art.packages import Say

RANK_CHARACTERS = "A2345678901JQK"
SUIT_CHARACTERS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
CYRILLIC_RANKS = "ТВДК"

_GLYPH_SIZE = 32
_LEAST_READ, _LEAST_MEAN = 9, 0.75
_LEAST_COURT = 0.35
# Looked at and refused: school lines, outlines, dots, scribbles, lower-case shapes, Greek letters.
_NO_INDEX = (
    "Abecedario", "Breip", "Domestic Manners", "El Abogado Loco", "It wasn", "Junkyard",
    "Penguin Attack", "Solothurn", "Standard Symbols", "Ubuntu-Title", "Ubuntu Title", "Wargames",
)  # fmt: skip
# Looked at and taken, although so narrow or so ornate that they resemble no plain face.
_NARROW = (
    "Antonio", "Big Shoulders", "Cinzel", "IM FELL", "League Gothic", "Limelight",
    "Mouse Memoirs", "Pathway Gothic", "Poiret One", "Stint Ultra",
)  # fmt: skip
_HAIRLINES = ("hairline", "thin", "extralight", "ultralight")
_PER_FAMILY = 6
_HOLDOUT_ONE_IN = 5
_SOURCES = ("debian-fonts-*/**/*", "npm-fontsource-*/**/*")
"""Where font files lie; of one family the faces of the first place are the ones that stay."""
_WEB = "unpacked/npm-"
_SUFFIXES = frozenset({".ttf", ".otf", ".woff"})
_TWINS = 0.985
"""Mean correlation of the rank glyphs from which two faces are one design under two names."""
_REFERENCES = (
    "debian-fonts-dejavu-core/**/DejaVuSans.ttf",
    "debian-fonts-dejavu-core/**/DejaVuSans-Bold.ttf",
    "debian-fonts-dejavu-core/**/DejaVuSerif.ttf",
    "debian-fonts-dejavu-core/**/DejaVuSerif-Bold.ttf",
    "debian-fonts-dejavu-extra/**/DejaVuSerif-Italic.ttf",
    "debian-fonts-urw-base35/**/NimbusSans-Regular.otf",
    "debian-fonts-urw-base35/**/NimbusSans-Bold.otf",
    "debian-fonts-urw-base35/**/NimbusSans-Italic.otf",
    "debian-fonts-urw-base35/**/NimbusRoman-Regular.otf",
    "debian-fonts-urw-base35/**/NimbusRoman-Italic.otf",
    "debian-fonts-urw-base35/**/C059-Italic.otf",
    "debian-fonts-ebgaramond/**/EBGaramond12-Regular.otf",
    "debian-fonts-open-sans/**/OpenSans-Regular.ttf",
)
"""Plain faces, upright and slanted; a usable font's glyphs resemble one of them."""


@dataclass(frozen=True, slots=True)
class FontFace:
    """One usable font file.

    Attributes:
        path: The file, relative to the cache folder.
        family: Its typographic family; a family is held out whole.
        style: For example ``Bold Italic``.
        holdout: Whether it is kept for evaluation.
        suits: Which of ``SHDC`` it can draw.
        cyrillic: Whether it has the Russian rank letters.
        likeness: Mean correlation of its rank glyphs with the nearest plain font's, 0 to 1.
    """

    path: str
    family: str
    style: str
    holdout: bool
    suits: str
    cyrillic: bool
    likeness: float


def held_out(name: str, *, one_in: int, salt: str) -> bool:
    """A fixed choice of about one in ``one_in`` names, the same on every machine."""
    digest = hashlib.sha256(f"{salt}:{name.casefold()}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % one_in == 0


def build_fonts(root: Path, *, say: Say) -> list[FontFace]:
    """Writes ``fonts.json`` with the usable fonts, and ``fonts-dropped.json`` with the others."""
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    faces: dict[tuple[str, str], FontFace] = {}
    looks: set[bytes] = set()
    dropped: dict[str, str] = {}
    files = [
        p for pattern in _SOURCES for p in sorted((root / "unpacked").glob(pattern))
        if p.suffix.lower() in _SUFFIXES and p.is_file() and not p.is_symlink()
    ]  # fmt: skip
    for path in files:
        name = path.relative_to(root).as_posix()
        try:
            face = _examine(path, name, root)
        except (TTLibError, OSError, ValueError, KeyError) as error:
            dropped[name] = str(error) or type(error).__name__
            continue
        look = b"".join(g.tobytes() for g in _glyphs(str(path)).values())
        if (face.family, face.style) in faces or look in looks:
            dropped[name] = "the same glyphs are there in another file"
        elif name.startswith(_WEB) and (twin := _twin(face, faces.values(), root)):
            dropped[name] = f"as good as {twin}, which is kept for evaluation"
        else:
            faces[face.family, face.style] = face
            looks.add(look)
    chosen = _spread(sorted(faces.values(), key=lambda f: (f.family, f.path)), dropped)
    text = json.dumps([asdict(f) for f in chosen], ensure_ascii=False, indent=1)
    (root / "fonts.json").write_text(text, encoding="utf-8")
    (root / "fonts-dropped.json").write_text(
        json.dumps(dropped, ensure_ascii=False, indent=1), encoding="utf-8"
    )
    families = {f.family for f in chosen}
    held = {f.family for f in chosen if f.holdout}
    counts = f"{len(families)} families, {len(held)} of them held out"
    say(f"fonts: {len(chosen)} of {len(files)} files, {counts}")
    return chosen


def _spread(faces: list[FontFace], dropped: dict[str, str]) -> list[FontFace]:
    """Keeps at most a few faces of each family, spread over its weights and widths."""
    families: dict[str, list[FontFace]] = {}
    for face in faces:
        families.setdefault(face.family, []).append(face)
    chosen = []
    for group in families.values():
        picks = {round(i) for i in np.linspace(0, len(group) - 1, min(_PER_FAMILY, len(group)))}
        for i, face in enumerate(group):
            if i in picks:
                chosen.append(face)
            else:
                dropped[face.path] = "its family has enough faces"
    return chosen


def _examine(path: Path, name: str, root: Path) -> FontFace:
    """Reads a font's names and checks that it draws the ranks as ranks.

    Raises:
        ValueError: The font lacks rank glyphs or draws something else in their place.
    """
    with TTFont(path, lazy=True) as font:
        cmap = font.getBestCmap() or {}
        names = font["name"]
        family = names.getDebugName(16) or names.getDebugName(1) or path.stem
        style = names.getDebugName(17) or names.getDebugName(2) or "Regular"
    lacking = [c for c in RANK_CHARACTERS if ord(c) not in cmap]
    if lacking:
        raise ValueError(f"no glyph for {' '.join(lacking)}")
    if any(word in style.replace(" ", "").casefold() for word in _HAIRLINES):
        raise ValueError("no card prints its index in hairlines")
    if family.startswith(_NO_INDEX):
        raise ValueError("no card prints its index like this")
    read, likeness, court = _likeness(path, root)
    strange = len(read) < _LEAST_READ or likeness < _LEAST_MEAN or court < _LEAST_COURT
    if strange and not family.startswith(_NARROW):
        scores = f"reads as {''.join(read)}, {likeness:.2f}, {court:.2f}"
        raise ValueError(f"draws ranks unlike any plain font ({scores})")
    return FontFace(
        path=name,
        family=family,
        style=style,
        holdout=held_out(_design(family), one_in=_HOLDOUT_ONE_IN, salt="font"),
        suits="".join(s for s, c in SUIT_CHARACTERS.items() if ord(c) in cmap),
        cyrillic=all(ord(c) in cmap for c in CYRILLIC_RANKS),
        likeness=round(likeness, 3),
    )


def _design(family: str) -> str:
    """The part of a family's name that its widths, scripts and optical sizes share."""
    words = family.split()
    return " ".join(words[: 3 if words[0] == "TeX" else 2])


def _likeness(path: Path, root: Path) -> tuple[list[str], float, float]:
    """Reads a font's rank characters by the nearest glyph of the plain fonts.

    Returns:
        The characters that are read as themselves, the mean correlation of every character with
        the nearest plain glyph of the same character, and the least one of J, Q and K, which
        unmasks Greek letters in Latin places.
    """
    # best[i, j]: how like the font's character i is the nearest plain character j.
    best = (_plain(root) @ _table(str(path)).T).max(axis=0).T
    read = [c for i, c in enumerate(RANK_CHARACTERS) if best[i].argmax() == i]
    scores = best.diagonal()
    return read, float(scores.mean()), float(scores[-3:].min())


@cache
def _plain(root: Path) -> npt.NDArray[np.float32]:
    """The tables of the plain fonts, one behind the other."""
    tables = [_table(str(file)) for pattern in _REFERENCES
              for file in sorted((root / "unpacked").glob(pattern))[:1]]  # fmt: skip
    if not tables:
        raise ValueError("the plain fonts to compare with were not fetched")
    return np.stack(tables)


def _twin(face: FontFace, others: Iterable[FontFace], root: Path) -> str | None:
    """The held-out face that ``face`` is as good as, if there is one and ``face`` is none itself.

    Families are told apart by their names, but a design may go by several.
    """
    if face.holdout:
        return None
    own = _table(str(root / face.path))
    for other in others:
        alike = float((own * _table(str(root / other.path))).sum(axis=1).mean())
        if other.holdout and alike >= _TWINS:
            return f"{other.family} {other.style}"
    return None


@cache
def _table(path: str) -> npt.NDArray[np.float32]:
    """Rank characters as unit vectors, so that a product is a correlation: characters × pixels."""
    rows = np.stack([g.ravel() for g in _glyphs(path).values()])
    rows = rows - rows.mean(axis=1, keepdims=True)
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norm, 1e-6), np.float32)


@cache
def _glyphs(path: str) -> dict[str, npt.NDArray[np.float32]]:
    """Rank characters at one size, softened so that stroke width matters less than shape."""
    font = ImageFont.truetype(path, 64)
    out = {}
    for character in RANK_CHARACTERS:
        ink = np.pad(draw_glyph(font, character, size=_GLYPH_SIZE, stretch=False), 4)
        out[character] = cv2.GaussianBlur(ink, (0, 0), 1.5).astype(np.float32)
    return out


def draw_glyph(
    font: ImageFont.FreeTypeFont, character: str, *, size: int, stretch: bool = True
) -> npt.NDArray[np.float32]:
    """Draws a character's ink, cut close and scaled to a square.

    Args:
        font: The font at any size; 64 or more looks well.
        character: What to draw.
        size: Side of the square, pixels.
        stretch: Fill the square; otherwise keep proportions, centred.

    Returns:
        Ink from 0 to 1, shape (size, size).

    Raises:
        ValueError: The glyph is empty.
    """
    left, top, right, bottom = (round(v) for v in font.getbbox(character))
    if right - left < 2 or bottom - top < 2:
        raise ValueError(f"the glyph for {character} is empty")
    image = Image.new("L", (right - left + 8, bottom - top + 8), 0)
    ImageDraw.Draw(image).text((4 - left, 4 - top), character, fill=255, font=font)
    box = image.getbbox()
    if box is None:
        raise ValueError(f"the glyph for {character} is empty")
    cut = image.crop(box)
    if not stretch:
        side = max(cut.size)
        square = Image.new("L", (side, side), 0)
        square.paste(cut, ((side - cut.width) // 2, (side - cut.height) // 2))
        cut = square
    scaled = cut.resize((size, size), Image.Resampling.BOX if cut.width >= size else
                        Image.Resampling.BICUBIC)  # fmt: skip
    return np.asarray(scaled, np.float32) / 255.0
