"""What index candidates may be: chances of the deck's cards, and which of rival poses stands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.decks import Deck
from vision.arrays import Float32Array
from vision.indices.locate import Candidates
from vision.types import RANK_LABELS, SUIT_LABELS

#: A card less likely than that is no alternative.
_WORTH_NAMING = 0.01
#: Two poses nearer than that, in index heights, are of one index; of one name, a little further.
_NEAR, _BESIDE = 0.28, 0.6


#: Letters that a deck does not bear have no more of a glyph together where they mean nothing.
_HAZE = 0.05

#: Classes of the classifier that are also another alphabet's letter: they look the same.
_ALSO = {"T": "Т", "B": "В", "K": "К"}


def rank_probabilities(
    glyph_probs: Float32Array, glyphs: Sequence[str], deck: Deck
) -> Float32Array:
    """Rank probabilities as the deck's alphabet reads the glyphs.

    Args:
        glyph_probs: (n, glyphs).
        glyphs: the classifier's classes, with ``none`` and ``joker``.
        deck: says which glyph means which rank. A glyph that it does not use is no rank of it: its
            chance goes to ``none``, never to a letter that looks like it. Only the haze that lies
            over all letters is shared out.

    Returns:
        (n, 15) in the order of ``RANK_LABELS``, rows summing to 1.
    """
    out = np.zeros((len(glyph_probs), len(RANK_LABELS)), np.float32)
    for k, glyph in enumerate(glyphs):
        rank = meaning_of(glyph, deck)
        if rank is not None:
            out[:, rank - 1] += glyph_probs[:, k]
        elif glyph in ("joker", "none"):
            out[:, RANK_LABELS.index(glyph)] += glyph_probs[:, k]
    unused = glyph_probs.sum(axis=1) - out.sum(axis=1)
    out[:, RANK_LABELS.index("none")] += np.where(unused > _HAZE, unused, 0.0)
    return out / np.maximum(out.sum(axis=1, keepdims=True), 1e-9)


def meaning_of(glyph: str, deck: Deck) -> int | None:
    """The rank, 1 to 13, that a glyph of the classifier means in a deck; None where it is none."""
    rank = deck.rank_of(glyph) or deck.rank_of(_ALSO.get(glyph, glyph))
    return rank if rank is not None and 1 <= rank <= 13 else None


class Hypotheses:
    """What each candidate may be: probabilities over the deck's cards.

    Attributes:
        cards: the deck's indexed cards, in the order of the columns.
        ranks: (cards,) their ranks, from 0.
        suits: (cards,) their suits, as positions in ``SUIT_LABELS``.
        probs: (n, cards), chance that the candidate is an index of that card; rows sum to at most
            1, the rest is "no card" or a joker.
        joker_cards: the deck's jokers.
    """

    def __init__(self, deck: Deck, rank_probs: Float32Array, suit_probs: Float32Array) -> None:
        self._deck = deck
        self.cards = tuple(
            c for c in deck.cards if c.rank is not None and c.suit in SUIT_LABELS[:4]
        )
        ranks = np.array([int(c.rank or 0) - 1 for c in self.cards])
        suits = np.array([SUIT_LABELS.index(str(c.suit)) for c in self.cards])
        self.ranks, self.suits = ranks, suits
        self.rank_probs, self.suit_probs = rank_probs, suit_probs
        self.probs: Float32Array = rank_probs[:, ranks] * suit_probs[:, suits]
        self.joker_cards = deck.jokers

    @property
    def joker(self) -> Float32Array:
        """(n,) chance that the candidate is a joker's corner; 0 where the deck has none."""
        chances = self.rank_probs[:, RANK_LABELS.index("joker")]
        return chances if self.joker_cards else np.zeros_like(chances)

    def take(self, which: NDArray[np.intp]) -> Hypotheses:
        """The hypotheses of the candidates at these positions."""
        return Hypotheses(self._deck, self.rank_probs[which], self.suit_probs[which])

    def extended(self, more: Hypotheses) -> Hypotheses:
        """These candidates, then those."""
        return Hypotheses(
            self._deck,
            np.concatenate([self.rank_probs, more.rank_probs]),
            np.concatenate([self.suit_probs, more.suit_probs]),
        )

    def chance(self, i: int, card: Card) -> float:
        """That a candidate is that card; 0 if the deck has none such."""
        return float(self.probs[i, self.cards.index(card)]) if card in self.cards else 0.0

    def named(self, chances: Float32Array) -> tuple[Card, float, tuple[tuple[Card, float], ...]]:
        """The likeliest card by some chances, (cards,), with its chance, and up to three others."""
        first, *rest = np.argsort(-chances, kind="stable")[:4].tolist()
        others = ((self.cards[k], float(chances[k])) for k in rest if chances[k] > _WORTH_NAMING)
        return self.cards[first], float(chances[first]), tuple(others)

    @property
    def best(self) -> NDArray[np.intp]:
        """(n,) column of the likeliest card."""
        return self.probs.argmax(axis=1)

    @property
    def score(self) -> Float32Array:
        """(n,) its probability."""
        return self.probs.max(axis=1, initial=0.0)


def suppress(found: Candidates, score: Float32Array, best: NDArray[np.intp]) -> NDArray[np.intp]:
    """Positions that stand after late non-maximum suppression, the best score first.

    The *final* score decides, not the locator's heat: of two poses of one index the one that reads
    better is the better pose. In a tight fan the next card's index stands less than half an index
    away, so beyond the nearest neighbourhood only a candidate that reads the same is suppressed.

    Args:
        found: all candidates.
        score: (n,) probability of each one's likeliest card.
        best: (n,) that card's number.
    """
    order = np.argsort(-score, kind="stable")
    x, y = found.centre[order].T
    size, best = found.size[order], best[order]
    far = np.hypot(x[:, None] - x[None], y[:, None] - y[None])
    far /= np.maximum(size[:, None], size[None])
    rivals = (far < _NEAR) | ((far < _BESIDE) & (best[:, None] == best[None]))
    standing = np.zeros(len(order), bool)
    for k in range(len(order)):
        standing[k] = not (rivals[k] & standing).any()
    return np.asarray(order[standing])
