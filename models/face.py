"""Trains the face reader: a card's glyph and suit from its whole face."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from models import data
from models.ahead import ahead
from models.body_patches import augment
from models.face_patches import faces_of, printed_cards, single_view
from models.labels import GLYPHS
from models.nets.face import Face
from models.synth.scene import Props
from models.training import Motley, fit, pooled_batches

POOL, BATCH = 5000, 128
SINGLES, STRANGERS = 0.35, 0.4
"""How often single views, and else scenes of strangers, are cut, the rest being kept scenes."""
_A_TIME = 8
"""Single views that are made at a time."""
_SMOOTH = 0.02


def face_batches(
    folder: Path,
    seed: int,
    *,
    decks: Sequence[Path],
    props: Props,
    strangers: Motley,
    pool: int = POOL,
) -> Callable[[int], Iterator[tuple[Tensor, tuple[Tensor, ...]]]]:
    """Endless batches of whole cards, see :func:`models.training.pooled_batches`.

    Args:
        folder: Scenes.
        seed: Of all that is drawn.
        decks: Folders of fetched decks.
        props: What single cards are laid on.
        strangers: Renders scenes in which no two cards are of one deck.
        pool: Patches that batches are drawn from, at least.
    """
    cards = printed_cards(decks)
    jokers = [card for card in cards if GLYPHS[card.glyph] == "joker"]

    def cut(files: Sequence[data.SceneFile], rng: np.random.Generator) -> Iterator[data.Sample]:
        roll = rng.random()
        if roll < SINGLES:
            for _ in range(_A_TIME):
                yield single_view(cards, jokers, props, rng)
        elif roll < SINGLES + STRANGERS:
            scene = strangers(rng)
            yield from faces_of(scene.image, scene.labels, scene.quads, scene.shown, rng)
        else:
            file = files[int(rng.integers(len(files)))]
            picture, labels = file.load()
            yield from faces_of(picture, labels, *file.outlines(), rng)

    return pooled_batches(folder, seed, cut, augment, pool=pool, batch_size=BATCH)


def face_loss(out: Tensor, glyph: Tensor, suit: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Cross entropy of both heads, targets a little softened."""
    n = len(GLYPHS)
    a = nn.functional.cross_entropy(
        out[:, :n], glyph, ignore_index=data.IGNORE, label_smoothing=_SMOOTH
    )
    b = nn.functional.cross_entropy(
        out[:, n:], suit, ignore_index=data.IGNORE, label_smoothing=_SMOOTH
    )
    right = float((out[:, :n].argmax(1) == glyph).float().mean())
    return a + b, {"glyph": float(a.detach()), "suit": float(b.detach()), "right": right}


def train_face(
    folder: Path,
    checkpoint: Path,
    samples: int,
    *,
    decks: Sequence[Path] = (),
    props: Props | None = None,
    strangers: Motley | None = None,
    seed: int = 7,
) -> nn.Module:
    """Train the face reader on ``samples`` patches; returns the averaged network.

    Raises:
        ValueError: patches are asked for, but not what they are made of.
    """
    torch.manual_seed(seed)

    def batches(seen: int) -> Iterator[tuple[Tensor, tuple[Tensor, ...]]]:
        if props is None or strangers is None:
            raise ValueError("to train the face reader, say what its scenes are rendered from")
        pool = max(BATCH, min(POOL, samples))
        make = face_batches(folder, seed, decks=decks, props=props, strangers=strangers, pool=pool)
        return make(seen)

    return fit(
        Face(),
        ahead(batches),
        face_loss,
        checkpoint,
        samples=samples,
        rate=2e-3,
        name="face",
    )
