"""Reads the rest of a card beside its index: how many pips, a picture, which suit.

An index may be too small, blurred or of a strange font, while the large pips beside it are plain:
below a five's first pip there is none for half a card, below a six's there is another. The body
reader is a network that is shown a card with its index painted over. What it says and what the
classifier says of the index are two witnesses of one card, so their chances multiply.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.arrays import Float32Array, Image
from vision.indices.classify import cut_patches, run_patches, softmax
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates
from vision.inference.backend import Session
from vision.types import RANK_LABELS, SUIT_LABELS

#: Chances of being some card, and a joker, from which on it is asked.
_PERHAPS, _PERHAPS_JOKER = 0.02, 0.1
_HIDDEN = 128
_COURT = (11, 12, 13)
_MOST = 5.0
"""Most that a body's log likelihood counts, for or against."""


class BodyReader:
    """The body network.

    Args:
        session: the loaded network.
        bodies: its classes in order: ranks to ten, ``court`` and ``joker``.
        suits: its suit classes in order.
        prior: how often each class occurred in training, bodies first.
        patch: width and height of its input.
        anchor: where the index's centre stands in it, pixels.
        index_height: how tall an index stands in it, pixels.
        hidden: so far to each side, and up and down, of its centre the index is painted over.
        trust: how much its log likelihoods count, for ranks and for suits.
        batch: patches a run.
    """

    def __init__(
        self,
        session: Session,
        *,
        bodies: Sequence[str],
        suits: Sequence[str],
        prior: Sequence[float],
        patch: tuple[int, int],
        anchor: tuple[int, int],
        index_height: float,
        hidden: tuple[int, int],
        trust: tuple[float, float] = (0.85, 0.7),
        batch: int = 64,
    ) -> None:
        self._session = session
        self._output = session.outputs[0].name
        self._count = len(bodies)
        self._prior = np.array(prior, np.float32)
        self._patch, self._anchor, self._hidden = patch, anchor, hidden
        self._index_height, self._trust, self._batch = index_height, trust, batch
        self._of_rank = _columns(bodies)
        self._of_suit = [list(suits).index(suit) for suit in SUIT_LABELS[:4]]

    def weighed(self, image: Image, found: Candidates, hypotheses: Hypotheses) -> Hypotheses:
        """The same hypotheses, weighed by what the cards show beside their indices.

        Args:
            image: (height, width, 3) BGR.
            found: its index candidates.
            hypotheses: what they read as.

        Returns:
            New hypotheses; the chances of no index and of no suit stay as they are.
        """
        if not len(found):
            return hypotheses
        ranks, suits = self.likelihoods(image, found)
        return hypotheses.with_ranks(_weighed(hypotheses.rank_probs, ranks)).with_suits(
            _weighed(hypotheses.suit_probs, suits)
        )

    def weighed_where_open(
        self,
        image: Image,
        found: Candidates,
        hypotheses: Hypotheses,
        *,
        most: int,
        below: float = 1.0,
    ) -> Hypotheses:
        """What may be a card, weighed by what it shows beside its index; the rest as it was.

        So many at ``most``, none that is surer than ``below``: first those that most likely are
        cards and are open.
        """
        chance = hypotheses.probs.sum(axis=1)
        may_be = (chance > _PERHAPS) | (hypotheses.joker > _PERHAPS_JOKER)
        score = np.maximum(hypotheses.score, hypotheses.joker)
        some = np.flatnonzero(may_be & (score <= below))
        if len(some) > most:
            worth = np.maximum(chance, hypotheses.joker) * (1 - score)
            some = some[np.argsort(-worth[some], kind="stable")[:most]]
        if not len(some):
            return hypotheses
        part = self.weighed(image, found.take(some), hypotheses.take(some))
        return hypotheses.replaced(some, part)

    def likelihoods(self, image: Image, found: Candidates) -> tuple[Float32Array, Float32Array]:
        """Log likelihoods of ranks, (n, 14) with a joker last, and of suits, (n, 4).

        0 where the body tells nothing.
        """
        logits = self._run(image, found)
        n = self._count
        parts = []
        for part, trust, order in (
            (np.s_[:, :n], self._trust[0], self._of_rank),
            (np.s_[:, n:], self._trust[1], self._of_suit),
        ):
            chances = softmax(logits[part])
            prior = self._prior[part[1]]
            logs = trust * np.log(np.maximum(chances, 1e-6) / prior)
            parts.append(np.clip(logs, -_MOST, _MOST)[:, order].astype(np.float32))
        return parts[0], parts[1]

    def joker_chances(self, image: Image, found: Candidates) -> Float32Array:
        """(n,) chance that what stands beside each index is a joker's, by itself."""
        bodies = softmax(self._run(image, found)[:, : self._count])
        return np.asarray(bodies[:, self._of_rank[-1]], np.float32)

    def _run(self, image: Image, found: Candidates) -> Float32Array:
        cut = cut_patches(
            image,
            found,
            patch=self._patch,
            index_height=self._index_height,
            anchor=self._anchor,
        )
        (x, y), (across, down) = self._anchor, self._hidden
        cut[:, y - down : y + down, x - across : x + across] = _HIDDEN
        return run_patches(self._session, cut, self._batch)[self._output]


def _columns(bodies: Sequence[str]) -> list[int]:
    """For each rank, and then a joker, the class of its body."""
    names = ["court" if k in _COURT else label for k, label in enumerate(RANK_LABELS[:13], start=1)]
    return [list(bodies).index(name) for name in (*names, "joker")]


def _weighed(chances: Float32Array, logs: Float32Array) -> Float32Array:
    """Chances times likelihoods; the columns beyond those of ``logs`` stay as they are."""
    n = logs.shape[1]
    out = chances.copy()
    whole = chances[:, :n].sum(axis=1, keepdims=True)
    told = chances[:, :n] * np.exp(logs)
    out[:, :n] = told * (whole / np.maximum(told.sum(axis=1, keepdims=True), 1e-12))
    return out
