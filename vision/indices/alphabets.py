"""Which letters a deck bears, told by all the glyphs of a picture or of a film.

One B that is no 8 says that this deck has a B for its jack. So the alphabets of the built-in decks
are weighed by every glyph that is clear: how much of what the classifier says of it is a letter of
that alphabet. Where a picture does not tell, the deck is English.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.decks import Deck, get_deck
from vision.arrays import Float32Array
from vision.indices.hypotheses import meaning_of

Weights = NDArray[np.float64]

#: The decks whose letters are weighed, the English one first.
DECKS = tuple(map(get_deck, ("standard", "french", "german", "dutch", "russian", "nordic")))


@dataclass(frozen=True, slots=True)
class AlphabetRule:
    """How alphabets are weighed.

    Chosen on 373 English photographs of 15 sources, of which none went to another alphabet, and 28
    German ones that show a jack or a queen, of which 21 did.

    Attributes:
        least: the least share of a glyph that an alphabet is given, lest one misread letter decide.
        nothing: a candidate that is likelier no card, or a joker, says nothing.
        english: how much the English alphabet is preferred, as a logarithm.
        contradicts: by how much another alphabet must be better for a chosen deck to be doubted.
        sure: a card less likely of its rank than that, whichever deck lies there, is asked about.
        misread: the least share of a corner's glyph that a rank is given there; chosen.
    """

    least: float = 0.02
    nothing: float = 0.3
    english: float = 2.0
    contradicts: float = 4.0
    sure: float = 0.9
    misread: float = 0.002


RULE = AlphabetRule()


def weights_of(glyph_probs: Float32Array, glyphs: Sequence[str]) -> Weights:
    """How well each of ``DECKS`` explains some candidates' glyphs: sums of logarithms.

    Args:
        glyph_probs: (n, glyphs) the classifier's chances.
        glyphs: its classes, ``none`` and ``joker`` among them.
    """
    others = [glyphs.index(name) for name in ("none", "joker")]
    clear = glyph_probs[:, others].sum(axis=1) < RULE.nothing
    letters = np.array(
        [[meaning_of(glyph, deck) is not None for glyph in glyphs] for deck in DECKS]
    )
    shares = glyph_probs[clear].astype(np.float64) @ letters.T
    return np.asarray(np.log(np.maximum(shares, RULE.least)).sum(axis=0))


def likeliest(weights: Weights) -> Deck:
    """The deck whose letters were seen; the English one where that is not clear."""
    return DECKS[int(np.argmax(_with_prior(weights)))]


def chance_of_rank(
    rank: int, weights: Weights, glyph_probs: Float32Array, glyphs: Sequence[str]
) -> float:
    """How likely a card is of a rank, whichever deck lies there, by all of its corners together.

    V is a French jack and a Dutch queen, and a B may look like an 8: what the other letters of the
    picture say of the decks counts, and what each corner says of the letter.

    Args:
        rank: 1 to 13.
        weights: of the whole picture, by `weights_of`.
        glyph_probs: (n, glyphs) the classifier's chances at the card's corners.
        glyphs: its classes.
    """
    meanings = np.array([[meaning_of(glyph, deck) or 0 for glyph in glyphs] for deck in DECKS])
    told = meanings[DECKS.index(likeliest(weights))]
    chances = glyph_probs.astype(np.float64)
    own = np.log(np.maximum(chances @ (meanings > 0).T, RULE.least)).sum(axis=0)
    # What it may be instead in the deck that is told was weighed before: here only letters count
    # that mean something else in another one.
    shares = np.stack(
        [chances @ ((meanings == m) & ((m == rank) | (meanings != told))).T for m in range(1, 14)]
    )  # (ranks, n, decks)
    elsewhere = _with_prior(weights) - own
    total = np.log(np.maximum(shares, RULE.misread)).sum(axis=1) + elsewhere
    by_rank = np.exp(total - total.max()).sum(axis=1)
    return float(by_rank[rank - 1] / by_rank.sum())


def _with_prior(weights: Weights) -> Weights:
    prior = np.zeros(len(DECKS))
    prior[0] = RULE.english
    return weights + prior


def contradicted(weights: Weights, deck: Deck) -> Deck | None:
    """The deck whose letters were seen though another one was said to lie there, if it is clear.

    Args:
        weights: by `weights_of`.
        deck: the one that was said to lie there.
    """
    letters = deck.alphabet.items()
    own = [k for k, other in enumerate(DECKS) if letters <= other.alphabet.items()]
    if not own:
        return None
    best = int(np.argmax(weights))
    return DECKS[best] if weights[best] > weights[own[0]] + RULE.contradicts else None


class LettersOfFilm:
    """What the pictures of one film say of its letters, as its usual picture has it."""

    def __init__(self) -> None:
        self._sum, self._count = np.zeros(len(DECKS)), 0

    def learn(self, weights: Weights) -> Weights:
        """Takes in a picture; pictures without any letter say nothing. Gives the mean so far."""
        if weights.any():
            self._sum, self._count = self._sum + weights, self._count + 1
        return self._sum / max(1, self._count)
