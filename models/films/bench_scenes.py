"""Draws the photographs that ``companion bench`` times the reading of.

Five separate cards, fifty in four fans and a row of 52 in four lines, 1280×960, with the deck of
the demo clip: everything in them is drawn here. They say nothing of accuracy.

    python -m models.films.bench_scenes vision/scenes
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from companion.decks import get_deck
from models.films.demo import style
from models.synth.drawn import HEIGHT, draw_face
from models.synth.faces import FaceDeck, load_deck
from models.synth.layouts import CARD_H, Placement
from models.synth.pips import draw_pip
from models.synth.scene import Props, render_scene

SIZE = (1280, 960)
SEED = 7
_FANS = (13, 13, 12, 12)
_LINE = 13


def five() -> list[Placement]:
    """Five cards side by side, none touching."""
    places = [(-150, -60, -0.2), (0, -70, 0.1), (150, -55, 0.3), (-80, 70, 0.05), (85, 75, -0.35)]
    return [Placement(*place) for place in places]


def fifty() -> list[Placement]:
    """Four hands, fanned."""
    placed = []
    for hand, count in enumerate(_FANS):
        middle = (175 * (hand % 2 * 2 - 1), 120 * (hand // 2 * 2 - 1) + 165)
        for k in range(count):
            angle = 0.118 * (k - (count - 1) / 2)
            radius = 125 + CARD_H / 2
            placed.append(
                Placement(
                    float(middle[0] + radius * np.sin(angle)),
                    float(middle[1] - radius * np.cos(angle)),
                    angle,
                )
            )
    return placed


def row() -> list[Placement]:
    """A whole deck in four lines, each card upon the one before."""
    return [
        Placement(22.0 * (k % _LINE - (_LINE - 1) / 2), 96.0 * (k // _LINE - 1.5), 0.0)
        for k in range(4 * _LINE)
    ]


def draw_deck(folder: Path) -> FaceDeck:
    """The demo clip's deck as picture files."""
    look, rng = style(), np.random.default_rng(SEED)
    pips = {suit: draw_pip(suit, rng) for suit in "SHDC"}
    cards = {}
    for card in get_deck().cards:
        if card.rank_text is None or card.suit is None:
            continue  # a joker
        face, marks = draw_face(card.rank_text, card.suit, look, pips[card.suit], rng, None)
        cv2.imwrite(str(folder / f"{card.code}.png"), face)
        cards[card.code] = {"size": [look.width, HEIGHT], "indices": marks}
    meta = {"name": "bench", "source": "drawn", "holdout": False, "glyphs": {}, "cards": cards}
    (folder / "deck.json").write_text(json.dumps(meta), encoding="utf-8")
    return load_deck(folder)


def main(argv: Sequence[str] | None = None) -> int:
    """Draws the pictures into a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args(argv).out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        deck = draw_deck(Path(folder))
        for name, table, scale in (
            ("five", five(), 2.9),
            ("fifty", fifty(), 1.85),
            ("row", row(), 2.3),
        ):
            rng = np.random.default_rng(SEED)
            order = rng.permutation(len(deck.cards))[: len(table)]
            scene = render_scene(
                rng,
                [deck],
                Props(),
                table=table,
                cards=[deck.cards[k] for k in order],
                size=SIZE,
                px_per_mm=scale,
                tilt=0.25,
            )
            cv2.imwrite(str(out / f"{name}.jpg"), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 88])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
