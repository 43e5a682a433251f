"""Photographs for measuring, rendered with held-out art: rows, fans and separate cards.

Kind ``backs`` shows separate cards of which some, now and then all, lie face down. Of every card
that is seen the truth has the four corners. Decks, fonts, suit symbols, backgrounds and occluders
all come from the held-out side of the split; no court artist and no index font of it was trained
on. The scene configuration below is fixed, so that figures of different networks can be compared.
With an alphabet another deck with its indices lies in each picture, drawn from held-out fonts and
suit symbols. :mod:`models.evaluation.guards` names the sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.decks import Deck
from models.evaluation.outlines import MOSTLY
from models.labels import GLYPH_ALIASES, GLYPHS
from models.synth.drawn import JOKERS
from models.synth.faces import Face, FaceDeck, glyph_class
from models.synth.layouts import Placement, fan, separate, turned
from models.synth.own import own_deck
from models.synth.scene import Props, Scene, render_scene
from models.synth.scenes import material, workshop

KINDS = ("row", "fan", "separate", "backs")

FOREIGN = ("french", "german", "dutch", "russian", "nordic")
"""Decks whose indices are not English, see :mod:`companion.decks`."""

_LEAST_SHOWN = 0.1
"""Cards of which less is visible are left out of the outlines of the truth."""

_ALL_DOWN = 0.15
"""Share of the pictures of kind ``backs`` in which no card shows its face."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Ranges of the scenes for measuring; lengths in mm on the table, sizes in pixels."""

    index_px: tuple[float, float] = (20.0, 40.0)
    index_mm: float = 15.0
    row_cards: tuple[int, int] = (20, 52)
    row_step: tuple[float, float] = (14.0, 30.0)
    row_lines: tuple[int, int] = (1, 4)
    row_bend: float = 0.0015
    row_loose: float = 2.0
    row_turn: float = 0.05
    tilt_sd_deg: float = 22.0
    tilt_most_deg: float = 45.0
    roll_sd_deg: float = 12.0
    widest: int = 2400


CONFIGURATION = Configuration()

ATTEMPTS = 100
"""How often a picture is drawn anew because some card of it could not be read by a person."""


def measured_row(rng: np.random.Generator, n: int, c: Configuration) -> list[Placement]:
    """``n`` overlapped cards in one to four bent lines, lines read top to bottom."""
    least = -(-n // 14) if rng.random() < 0.6 else 1
    lines = int(rng.integers(max(1, min(least, c.row_lines[1])), c.row_lines[1] + 1))
    per_line = -(-n // lines)
    step, bend = rng.uniform(*c.row_step), rng.normal(0, c.row_bend)
    gap = 88 * rng.uniform(0.6, 1.15)
    out = []
    for k in range(n):
        line, col = divmod(k, per_line)
        x = (col - (per_line - 1) / 2) * step + rng.normal(0, c.row_loose / 2)
        y = (line - (lines - 1) / 2) * gap + bend * x * x + rng.normal(0, c.row_loose)
        turn = np.arctan(2 * bend * x) + rng.normal(0, c.row_turn)
        out.append(Placement(float(x), float(y), float(turn)))
    return out


@dataclass(frozen=True, slots=True)
class Laid:
    """Which cards of a deck are laid: those whose printed index is as expected.

    Attributes:
        glyphs: what is printed for a rank, where it is not the rank itself.
        jokers: whether they are laid too.
    """

    glyphs: Mapping[str, str] = field(default_factory=dict)
    jokers: bool = False

    def faces(self, deck: FaceDeck, rng: np.random.Generator, n: int) -> list[Face]:
        """``n`` of these cards in random order, a joker first where jokers are laid."""
        cards = [face for face in deck.cards if self._is_laid(face)]
        shuffled = [cards[k] for k in rng.permutation(len(cards))]
        if self.jokers:
            shuffled.sort(key=lambda face: face.name != JOKERS[0])
        return shuffled[:n]

    def are_whole(self, deck: FaceDeck) -> bool:
        """Whether a deck has 52 of them."""
        return sum(self._is_laid(face) for face in deck.cards) == 52

    def _is_laid(self, face: Face) -> bool:
        if face.name in JOKERS:
            return self.jokers
        rank = face.name[:-1]
        wanted = glyph_class(self.glyphs.get(rank, rank))
        return bool(face.indices) and face.indices[0].glyph == wanted


ENGLISH = Laid()


def render(
    index: int,
    kind: str,
    seed: int,
    decks: Sequence[FaceDeck],
    props: Props,
    c: Configuration,
    laid: Laid = ENGLISH,
) -> tuple[Scene, list[str], float, str]:
    """Scene ``index`` of a kind, its cards in laying order, smallest index height and deck."""
    rng = np.random.default_rng((seed, KINDS.index(kind), index))
    deck = decks[index % len(decks)]
    count = int(rng.integers(c.row_cards[0], c.row_cards[1] + 1)) if kind == "row" else 54
    faces = laid.faces(deck, rng, count)
    if kind == "row":
        table = measured_row(rng, len(faces), c)
    else:
        table = fan(rng) if kind == "fan" else separate(rng)
        faces = faces[: len(table)]
    if kind == "backs":
        faces = _some_turned(faces, deck, decks, rng)
    tilt = float(np.deg2rad(min(c.tilt_most_deg, abs(rng.normal(0, c.tilt_sd_deg)))))
    table = turned(
        table,
        float(np.deg2rad(rng.normal(0, c.roll_sd_deg)))
        if kind == "row"
        else float(rng.uniform(0, 6.3)),
    )
    want = float(rng.uniform(*c.index_px))
    scale = want / c.index_mm / np.cos(tilt) ** 1.5
    reach_x = max(abs(p.x) for p in table) + 60
    reach_y = max(abs(p.y) for p in table) + 60
    width = int(np.clip(2 * reach_x * scale * (1 + 0.35 * np.sin(tilt)), 640, c.widest)) // 16 * 16
    height = int(np.clip(2 * reach_y * scale * (1 + 0.2 * np.sin(tilt)), 480, c.widest)) // 16 * 16
    scene = render_scene(
        rng,
        [deck],
        props,
        table=table,
        cards=faces,
        size=(width, height),
        px_per_mm=scale,
        tilt=tilt,
    )
    leading = scene.labels[(scene.labels[:, 7] > 0.55) & (scene.labels[:, 8] > 0.3)]
    smallest = float(leading[:, 4].min()) if len(leading) else 0.0
    return scene, [f.name for f in faces], smallest, deck.name


def printed_glyphs(deck: Deck) -> dict[str, str]:
    """What a deck prints for an ace, a jack, a queen and a king, where it is not English."""
    usual = {"A": 1, "J": 11, "Q": 12, "K": 13}
    return {
        rank: glyph
        for rank, number in usual.items()
        if (glyph := _printed(deck.glyphs_of(number))) != rank
    }


def _printed(glyphs: Sequence[str]) -> str:
    """The first of them that the networks have a class for; no deck here prints an E of Es."""
    return next(g for g in glyphs if GLYPH_ALIASES.get(g, g) in GLYPHS)


def _some_turned(
    faces: Sequence[Face], deck: FaceDeck, decks: Sequence[FaceDeck], rng: np.random.Generator
) -> list[Face]:
    """The cards with at least one of them face down; the same back for all."""
    backs = deck.backs or next(d.backs for d in decks if d.backs)
    back = backs[int(rng.integers(len(backs)))]
    share = 1.0 if rng.random() < _ALL_DOWN else rng.uniform(0.2, 0.7)
    turned_over = rng.random(len(faces)) < share
    turned_over[int(rng.integers(len(faces)))] = True
    return [back if down else face for face, down in zip(faces, turned_over, strict=True)]


def outlines_of(scene: Scene) -> list[dict[str, Any]]:
    """The corners of the cards, clockwise from the top left of the upright card, and what shows."""
    return [
        {"card": name, "corners": np.round(quad, 2).astype(float).tolist(), "shown": float(shown)}
        for name, quad, shown in zip(scene.names, scene.quads, scene.shown.round(2), strict=True)
        if shown >= _LEAST_SHOWN
    ]


def readable(scene: Scene, n: int) -> list[bool]:
    """Which cards show at least one index well enough to be read by a person.

    Its rank and suit lie open and stand out from the paper (:mod:`models.synth.legible`).
    """
    seen = [False] * n
    for row in scene.labels:
        if row[7] >= 0.75 and row[8] >= 0.6:
            seen[int(row[9])] = True
    return seen


def write_one(
    index: int,
    *,
    out: Path,
    kind: str,
    seed: int,
    art: Path,
    drawn: Sequence[Path],
    configuration: Configuration = CONFIGURATION,
    alphabet: str | None = None,
    laid: Laid = ENGLISH,
) -> dict[str, Any]:
    """Render picture ``index`` until all its cards can be read; returns its truth entry."""
    cv2.setNumThreads(1)
    fetched, drawn_decks, props = material(art, tuple(drawn), holdout=True)
    if alphabet or laid.jokers:  # fetched decks' jokers are not marked
        rng = np.random.default_rng((seed, index))
        own = own_deck(rng, workshop(art, holdout=True), laid.glyphs)
        decks = [replace(own, name=alphabet or own.name)]
    else:
        decks = [deck for deck in [*fetched, *drawn_decks] if laid.are_whole(deck)]
    for attempt in range(ATTEMPTS):
        scene, names, smallest, deck = render(
            index + 100_000 * attempt,
            kind,
            seed,
            decks,
            props,
            configuration,
            laid,
        )
        good = readable(scene, len(names))
        if set(names) == {"back"}:
            if scene.shown.max() >= MOSTLY:
                break
        elif (kind != "row" or all(good)) and any(good) and smallest >= configuration.index_px[0]:
            break
    else:
        raise RuntimeError(f"picture {index}: nothing readable in {ATTEMPTS} attempts")
    name = f"{kind}{index:04d}.jpg"
    cv2.imwrite(str(out / name), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 88])
    shown = [n for n, g in zip(names, good, strict=True) if g]
    entry: dict[str, Any] = {
        "image": name,
        "set": "rendered",
        "kind": kind,
        "deck": deck,
        "cards": shown,
        "index_px": round(smallest, 1),
        "outlines": outlines_of(scene),
    }
    if alphabet:
        entry["alphabet"] = alphabet
        changed = {
            rank for rank, glyph in laid.glyphs.items() if glyph_class(glyph) != glyph_class(rank)
        }
        entry["foreign"] = [name for name in shown if name[:-1] in changed]
    if kind == "row":
        entry["row"] = names
    return entry
