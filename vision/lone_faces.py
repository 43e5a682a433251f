"""Names cards by their faces alone: of which no index can be read, though they lie in the open.

An index may be overexposed, blurred, of a strange shape or under a finger. What has the size of the
cards that were read, and their shape, may be one more; the network of outlines says whether it is,
and another one reads the face.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.decks import Deck
from vision.card_geometry import INDEX_MM, LEAD_MM
from vision.face_reader import FacesAt
from vision.hypotheses import Hypotheses
from vision.locate import Candidates
from vision.mark_starts import starts_about_marks
from vision.outline_deck import DeckShape, Flat
from vision.outline_guesses import Taken, guesses_of, taken_by
from vision.outline_looks import start_of_index
from vision.outliner import Outliner
from vision.plane import CARD_MM
from vision.protocols import Image
from vision.types import CardRead, FloatArray, IndexRead, as_quad

Chances = NDArray[np.float32]

#: Width of a card in the picture in which corners are looked for, pixels; how many guesses are
#: looked at.
_WIDTH, _MOST = 32.0, 16
#: What is less likely a face at each look is not looked at again.
_WORTH = (0.1, 0.5, 0.5, 0.9)
#: How far a face's corners are off at most, in widths.
_OFF = 0.03
#: What is so much wider than high was begun a quarter turn off.
_LYING = 1.15
#: So many indices of cards that were read may be upon a joker's face.
_UPON = 1
#: Faces whose middles are nearer than that, in widths, are one.
_SAME = 0.2
#: So many of the starts that lead to one face are followed.
_EACH = 2


@dataclass(frozen=True, slots=True, eq=False)
class LoneFace:
    """A face that was found by its outline.

    Attributes:
        quad: (4, 2) its corners, clockwise, the first one at its upper left or lower right.
        ranks: (15,) chances of its rank.
        suits: (5,) chances of its suit.
        is_covered: whether the index of a card that was read is upon it.
    """

    quad: FloatArray
    ranks: Chances
    suits: Chances
    is_covered: bool = False


def lone_faces(
    image: Image,
    reads: Sequence[CardRead],
    outliner: Outliner,
    faces_at: FacesAt,
    marks: Candidates | None = None,
) -> list[LoneFace]:
    """The faces that lie open where nothing was read.

    Args:
        image: (height, width, 3) BGR.
        reads: the cards that were read; without any it is not known how large cards are.
        outliner: finds the corners of cards.
        faces_at: reads whole faces.
        marks: what may be an index or a joker's mark, however faint; None if that is not known.
    """
    if not reads:
        return []
    size = (image.shape[1], image.shape[0])
    rough = [_roughly(read) for read in reads]
    taken = taken_by(reads, [read.quad if read.outlined else None for read in reads], size)
    wide = float(np.median([np.linalg.norm(quad[1] - quad[0]) for quad in rough]))
    # By two indices an outline is off by a tenth: too far to tell how the table slants.
    shape = DeckShape.usual(wide, cards=len(reads))
    _, guesses = guesses_of(
        image,
        Flat.level(size),
        shape,
        taken,
        width=_WIDTH,
        most=_MOST,
        like=rough,
    )
    if marks is not None:
        starts = starts_about_marks(marks, rough, taken, upon=_UPON)
        guesses = np.concatenate([starts, guesses])[: max(_MOST, len(starts))]
    quads = _faces_at(image, guesses, outliner, taken)
    if not len(quads):
        return []
    told = faces_at(quads)
    return [
        LoneFace(
            quads[group[0]],
            told.rank_probs[group].mean(axis=0),
            told.suit_probs[group].mean(axis=0),
            is_covered=not taken.leaves(quads[group[0]]),
        )
        for group in _alike(quads)
    ]


def with_lone_faces(
    lone: Sequence[LoneFace],
    cards: Sequence[CardRead],
    doubtful: Sequence[CardRead],
    deck: Deck,
    *,
    accept: float,
    doubt: float,
) -> tuple[list[CardRead], list[CardRead]]:
    """The reads of a picture with what their faces alone tell of further cards.

    A face that bears an index which reads as another card is left to that: who is right, a person
    decides.

    Args:
        lone: the faces.
        cards: what was accepted.
        doubtful: what was not.
        deck: the cards in play.
        accept: least confidence of an accepted read.
        doubt: least confidence of a doubtful one.

    Returns:
        What is accepted now, and what is not.
    """
    sure, open_ = list(cards), list(doubtful)
    names = {read.card for read in cards}
    for face in lone:
        # What lies upon it might be its own index, read amiss: then it would be named twice.
        read = None if face.is_covered else _read(face, deck)
        if read is None or read.confidence < doubt or read.card in names:
            continue
        upon = [other for other in open_ if stands_upon(other, face.quad)]
        if read.confidence >= accept and all(other.card == read.card for other in upon):
            names.add(read.card)
            sure.append(read)
            open_ = [other for other in open_ if other.card != read.card]
        elif not upon:
            open_.append(replace(read, confidence=min(read.confidence, 0.99 * accept)))
    return sure, open_


def read_of(face: LoneFace, card: Card, confidence: float) -> CardRead:
    """A face as that card's, as sure as that."""
    return CardRead(
        card=card,
        confidence=confidence,
        quad=as_quad(face.quad),
        indices=(_index_of(face, confidence),),
        outlined=True,
    )


def _index_of(face: LoneFace, confidence: float) -> IndexRead:
    """Where the upper left index of a face usually stands, of a card that is as sure as that."""
    a, b, _, d = face.quad
    x, y = LEAD_MM[0] / CARD_MM[0], LEAD_MM[1] / CARD_MM[1]
    centre, down = a + x * (b - a) + y * (d - a), d - a
    high = max(float(np.linalg.norm(down)), 1e-9)
    u, v = (down / high).tolist()
    return IndexRead(
        centre=(float(centre[0]), float(centre[1])),
        direction=(u, v),
        size=high * INDEX_MM / CARD_MM[1],
        rank_probs=face.ranks,
        suit_probs=face.suits,
        confidence=confidence,
    )


def _roughly(read: CardRead) -> FloatArray:
    """(4, 2) about where a card lies."""
    return np.array(read.quad) if read.outlined else start_of_index(read.indices[0], left=True)


def _faces_at(image: Image, guesses: FloatArray, outliner: Outliner, taken: Taken) -> FloatArray:
    """(n, 4, 2) the corners of faces about some guesses that may lie there, the surest first."""
    kind = outliner.kinds.index("face")
    corners, off = np.array([as_quad(quad) for quad in guesses]).reshape(-1, 4, 2), np.zeros(0)
    for worth in _WORTH:
        if not len(corners):
            break
        looks = outliner.find(image, corners, looks=1)
        off = looks.off.max(axis=1, initial=0.0)
        order = [k for k in np.argsort(off).tolist() if looks.kinds[k, kind] > worth]
        order = [k for k in order if taken.leaves(looks.corners[k], upon=_UPON)]
        # Several starts lead to one card: its surest few are worth a further look.
        groups = _alike(looks.corners[order]) if order else []
        order = sorted((order[k] for group in groups for k in group[:_EACH]), key=off.__getitem__)
        corners, off = looks.corners[order], off[order]
    return np.array([_upright(quad) for quad in corners[off < _OFF]]).reshape(-1, 4, 2)


def _upright(quad: FloatArray) -> FloatArray:
    """The same corners from one that is at the upper left of the card or at its lower right."""
    wide, high = (float(np.linalg.norm(quad[k] - quad[0])) for k in (1, 3))
    return np.roll(quad, 1, axis=0) if wide > _LYING * high else quad


def _alike(quads: FloatArray) -> list[list[int]]:
    """Positions of some faces, those of one card together."""
    middles = quads.mean(axis=1)
    wide = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    groups: list[list[int]] = []
    for k, middle in enumerate(middles):
        own = [g for g in groups if np.linalg.norm(middles[g[0]] - middle) < _SAME * wide[k]]
        if own:
            own[0].append(k)
        else:
            groups.append([k])
    return groups


def _read(face: LoneFace, deck: Deck) -> CardRead | None:
    """The card that a face is likeliest, None where it likelier is a joker or nothing."""
    hypotheses = Hypotheses(deck, face.ranks[None], face.suits[None])
    chances = hypotheses.probs[0]
    card, confidence, alternatives = hypotheses.named(chances)
    if confidence <= max(float(hypotheses.joker[0]), 1 - float(chances.sum())):
        return None
    return replace(read_of(face, card, confidence), alternatives=alternatives)


def stands_upon(read: CardRead, quad: FloatArray) -> bool:
    """Whether an index of a read stands within four corners, (4, 2)."""
    line = quad.astype(np.float32).reshape(-1, 1, 2)
    return any(cv2.pointPolygonTest(line, index.centre, False) > 0 for index in read.indices)
