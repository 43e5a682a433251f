"""Reads whole faces: which card it is, by both indices, the pips and the picture at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.decks import Deck
from vision.backend import Session
from vision.card_patches import CardPatch, load_card_network
from vision.classify import run_patches, softmax
from vision.hypotheses import Hypotheses, rank_probabilities
from vision.protocols import Image
from vision.types import RANK_LABELS, FloatArray

Chances = NDArray[np.float32]
FacesAt = Callable[[FloatArray], Hypotheses]
"""What faces within corners, (n, 4, 2), may be."""

#: Of these a letter alone tells which it is.
_LETTERED = [RANK_LABELS.index(rank) for rank in ("J", "Q", "K", "joker")]


class FaceReader:
    """The network of whole faces.

    Args:
        session: the loaded network.
        glyphs: its glyph classes in order.
        suits: its suit classes in order.
        patch: its input.
        batch: patches a run.
    """

    def __init__(
        self,
        session: Session,
        *,
        glyphs: Sequence[str],
        suits: Sequence[str],
        patch: CardPatch,
        batch: int = 32,
    ) -> None:
        self._session, self._batch = session, batch
        self._glyphs, self._suits = tuple(glyphs), tuple(suits)
        self._patch = patch

    def read(self, image: Image, quads: FloatArray, deck: Deck) -> tuple[Chances, Chances]:
        """Chances of ranks, (n, 15) as `vision.types.RANK_LABELS`, and of suits, (n, 5).

        Args:
            image: (height, width, 3) BGR.
            quads: (n, 4, 2) corners, clockwise, the first at the card's upper left or lower right.
            deck: says which glyph means which rank.
        """
        levels = [image]
        cuts = [self._patch.cut(levels, quad)[0] for quad in quads]
        out = run_patches(self._session, np.stack(cuts), self._batch)
        logits = out[self._session.outputs[0].name]
        n = len(self._glyphs)
        ranks = rank_probabilities(softmax(logits[:, :n]), self._glyphs, deck)
        return ranks, softmax(logits[:, n:])

    def read_twice(
        self, image: Image, quads: FloatArray, deck: Deck, *, letters: bool = True
    ) -> Hypotheses:
        """What faces may be, each seen upright and on its head.

        Args:
            image: (height, width, 3) BGR.
            quads: (n, 4, 2) corners, as for `read`.
            deck: says which glyph means which rank.
            letters: whether the deck's letters are those that the network was mostly shown. If not,
                court cards are not told from each other, nor from jokers, who bear such figures.
        """
        n = len(quads)
        both = np.concatenate([quads, np.roll(quads, 2, axis=1)])
        ranks, suits = (
            part.reshape(2, n, -1).mean(axis=0) for part in self.read(image, both, deck)
        )
        if not letters:
            ranks[:, _LETTERED] = ranks[:, _LETTERED].mean(axis=1, keepdims=True)
        return Hypotheses(deck, ranks, suits)


def load_face_reader(
    folder: Path | None = None, *, threads: int = 2, engine: str | None = None
) -> FaceReader:
    """The network of whole faces.

    Args:
        folder: where the networks are; None takes the shipped ones.
        threads: processor threads for it.
        engine: see `vision.backend.open_session`.

    Raises:
        ModelError: its file is missing, damaged or refused.
    """
    session, spec, patch = load_card_network("face", folder, threads=threads, engine=engine)
    return FaceReader(session, patch=patch, glyphs=spec["glyphs"], suits=spec["suits"])
