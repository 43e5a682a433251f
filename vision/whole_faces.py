"""Weighs what index candidates may be by the whole faces around them.

An index may be blurred or of a strange letter, while the card around it lies open: the network of
outlines finds its corners, and another one reads the face within them. That one sees the index as
well, so what it says counts less than the word of a stranger would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.decks import Deck
from vision.face_reader import FaceReader
from vision.fuse import index_read
from vision.hypotheses import Hypotheses
from vision.locate import Candidates
from vision.outline_deck import stand_upon
from vision.outline_looks import holds_index, start_of_index
from vision.outliner import Outliner
from vision.protocols import Image
from vision.types import RANK_LABELS, SUIT_LABELS, FloatArray

Chances = NDArray[np.float32]

#: What may be a card with that chance is looked at, unless it is settled; what the face says is
#: no card's tells nothing.
_PERHAPS, _SETTLED, _NO_CARD = 0.01, 0.9, 0.5
#: Faces whose middles are nearer than that, in widths, are one.
_SAME = 0.2
_COURTS = [RANK_LABELS.index(rank) for rank in "JQK"]
#: How much the logarithm of what a face says counts beside that of what the index says, and the
#: least chance that either has. On candidates in doubt, in pictures of held-out decks, 0.8 and 0.75
#: are calibrated best; with these as few names are wrong as without faces, and more are sure.
_FACES, _FAINT = 0.9, 0.01
#: A face that several indices stand on tells each of them so much less, as a power of their number.
_SHARED = 0.7
#: Each start is looked at once, and again if a face is so likely there; then the better of two.
_WORTH = 0.1
#: How likely a face lies there at least, and how far its corners are off at most, in widths.
_FACE, _OFF = 0.9, 0.06
#: What is likelier some card than that covers what it lies upon.
_SOME_CARD = 0.5
#: So many of them may lie upon a card of which enough is seen.
_UPON = 1
#: Where so many cards are settled they lie upon each other, and few faces are open.
_CROWD = 32


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Whole faces around candidates.

    Attributes:
        which: (n,) positions of the candidates.
        quads: (n, 4, 2) the corners of their cards.
        ranks: (n, 15) chances of their ranks, by the face.
        suits: (n, 5) chances of their suits.
    """

    which: NDArray[np.intp]
    quads: FloatArray
    ranks: Chances
    suits: Chances

    @classmethod
    def nothing(cls) -> Seen:
        """No faces."""
        return cls(
            np.zeros(0, np.intp),
            np.zeros((0, 4, 2)),
            np.zeros((0, len(RANK_LABELS)), np.float32),
            np.zeros((0, len(SUIT_LABELS)), np.float32),
        )

    def take(self, some: NDArray[np.bool_]) -> Seen:
        """Some of them."""
        return Seen(self.which[some], self.quads[some], self.ranks[some], self.suits[some])


def weighed_by_faces(
    image: Image,
    found: Candidates,
    hypotheses: Hypotheses,
    outliner: Outliner,
    faces: FaceReader,
    deck: Deck,
    *,
    most: int,
    letters: bool = True,
) -> tuple[Hypotheses, Seen]:
    """The same hypotheses, weighed by the faces around what is in doubt, and those faces.

    Args:
        image: (height, width, 3) BGR.
        found: its index candidates.
        hypotheses: what they may be.
        outliner: finds the corners of cards.
        faces: reads what lies within.
        deck: the cards in play.
        most: so many candidates at most are looked at, those that are most in doubt.
        letters: whether the deck's letters are those that the face reader was mostly shown; of
            others it is too small a picture to tell the court cards from each other.

    Returns:
        New hypotheses: the chances of no card and of no suit stay as they are.
    """
    chance, joker = hypotheses.probs.sum(axis=1), hypotheses.joker
    # That a mark is a joker's is never settled: words look like it.
    open_ = ((chance > _PERHAPS) | (joker > _PERHAPS)) & (hypotheses.score < _SETTLED)
    worth = np.maximum(chance, joker) * (1 - hypotheses.score)
    if len(set(hypotheses.best[hypotheses.score >= _SETTLED].tolist())) > _CROWD:
        return hypotheses, Seen.nothing()
    which = sorted(np.flatnonzero(open_).tolist(), key=lambda k: -float(worth[k]))[:most]
    if not which:
        return hypotheses, Seen.nothing()
    seen = faces_around(image, found, hypotheses, which, outliner, faces, deck)
    seen = seen.take(seen.ranks[:, -1] < _NO_CARD)
    if not len(seen.which):
        return hypotheses, seen
    seen = _with_others(seen, found, hypotheses, np.flatnonzero(open_).tolist())
    upon = _counts(seen.quads)
    weights = _FACES / upon[:, None] ** _SHARED
    ranks = seen.ranks if letters else _courts_alike(seen.ranks)
    before = hypotheses.take(seen.which)
    after = before.with_ranks(_weighed(before.rank_probs, ranks, weights)).with_suits(
        _weighed(before.suit_probs, seen.suits, weights)
    )
    return hypotheses.replaced(seen.which, after), seen


def _with_others(
    seen: Seen, found: Candidates, hypotheses: Hypotheses, open_: Sequence[int]
) -> Seen:
    """The faces, also for the other candidates in doubt that stand in a corner of one."""
    rest = [k for k in open_ if k not in seen.which]
    which, face = seen.which.tolist(), list(range(len(seen.which)))
    sure = np.zeros(4)
    for k in rest:
        index = index_read(k, found, hypotheses, confidence=0.0)
        on = [n for n, quad in enumerate(seen.quads) if holds_index(quad, sure, index)]
        which += [k] * bool(on)
        face += on[:1]
    return Seen(np.array(which), seen.quads[face], seen.ranks[face], seen.suits[face])


def _counts(quads: FloatArray) -> FloatArray:
    """(n,) how many of some faces are about the same one."""
    middles = quads.mean(axis=1)
    wide = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    return np.asarray((apart < _SAME * wide[:, None]).sum(axis=1), float)


def _courts_alike(ranks: Chances) -> Chances:
    """The chances of ranks with those of court cards shared evenly among them."""
    out = ranks.copy()
    out[:, _COURTS] = ranks[:, _COURTS].mean(axis=1, keepdims=True)
    return out


def _weighed(chances: Chances, told: Chances, weights: FloatArray) -> Chances:
    """Chances as two witnesses have them; the last column, that of none, stays as it is."""
    own, other = (part[:, :-1].astype(np.float64) for part in (chances, told))
    logs = np.log(own + _FAINT) + weights * np.log(other + _FAINT)
    both = np.exp(logs - logs.max(axis=1, keepdims=True))
    both *= own.sum(axis=1, keepdims=True) / both.sum(axis=1, keepdims=True)
    return np.concatenate([both, chances[:, -1:]], axis=1).astype(np.float32)


def faces_around(
    image: Image,
    found: Candidates,
    hypotheses: Hypotheses,
    which: Sequence[int],
    outliner: Outliner,
    faces: FaceReader,
    deck: Deck,
) -> Seen:
    """The faces around some candidates, of those around which one is seen.

    Args:
        image: (height, width, 3) BGR.
        found: index candidates.
        hypotheses: what they may be.
        which: positions of those that are asked about.
        outliner: finds the corners.
        faces: reads what lies within.
        deck: the cards in play.
    """
    marks = found.centre[hypotheses.probs.sum(axis=1) > _SOME_CARD].astype(np.float64)
    indices = {k: index_read(k, found, hypotheses, confidence=0.0) for k in which}
    starts, owner = [], []
    for k in which:
        for left in (True, False):
            start = start_of_index(indices[k], left=left)
            if not _lies_under(start, marks):
                starts.append(start)
                owner.append(k)
    if not starts:
        return Seen.nothing()
    kind = outliner.kinds.index("face")
    looks = outliner.find(image, np.array(starts), looks=1)
    worth = np.flatnonzero(looks.kinds[:, kind] > _WORTH)
    if not len(worth):
        return Seen.nothing()
    owner = [owner[n] for n in worth]
    looks = outliner.find(image, looks.corners[worth], looks=1)
    best: dict[int, int] = {}
    for n, k in enumerate(owner):
        surer = k not in best or looks.off[n].max() < looks.off[best[k]].max()
        if surer and holds_index(looks.corners[n], looks.off[n], indices[k]):
            best[k] = n
    if not best:
        return Seen.nothing()
    looks = outliner.find(image, looks.corners[list(best.values())], looks=1)
    is_face = looks.kinds[:, kind] > _FACE
    good = [
        n
        for n, k in enumerate(best)
        if is_face[n]
        and float(looks.off[n].max()) < _OFF
        and holds_index(looks.corners[n], looks.off[n], indices[k])
        and not _lies_under(looks.corners[n], marks)
    ]
    if not good:
        return Seen.nothing()
    quads = looks.corners[good]
    ranks, suits = faces.read(image, quads, deck)
    return Seen(np.array(list(best))[good], quads, ranks, suits)


def _lies_under(quad: FloatArray, marks: FloatArray) -> bool:
    """Whether several indices, (n, 2), stand on a card elsewhere than in its corners."""
    upon, own = stand_upon(quad, marks)
    return int((upon & ~own).sum()) > _UPON
