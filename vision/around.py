"""Settles whether a doubtful index is one at all by whether there is a card around it.

A word of a page, a sign or a flaw of a cloth may look like an index, but no card lies there: the
network of outlines finds no face with it in a corner, or is far from sure of its corners. Where it
is one, the network of whole faces has a word in which card it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.face_reader import FacesAt
from vision.outline_looks import holds_index, start_of_index
from vision.outliner import Outliner
from vision.protocols import Image
from vision.types import CardRead, FloatArray

#: That a face lies around it counts if so much is left for no card at all, and no more for others:
#: between those the face around does not choose.
_NOTHING, _RIVALS = 0.02, 0.04
#: A face is as likely as that, and its corners are as near: widths of the card. Of 900 pictures
#: without a card (487 doubtful reads) nothing that a rank and a suit were read from showed that.
_FACE, _OFF = 0.9, 0.03
#: So many looks are taken; and so much less likely is it then that no card lies there.
_LOOKS, _LESS_LIKELY = 3, 8.0
#: Reads from this confidence on are looked at, so many at most. How much the odds of what the face
#: says count, if it says the same: the index was a part of what it saw.
_ASKED, _MOST, _WEIGHT = 0.4, 8, 0.7
#: Its corners are as near as that.
_ROUGHLY = 0.04


def with_faces_around(
    image: Image,
    cards: Sequence[CardRead],
    doubtful: Sequence[CardRead],
    outliner: Outliner,
    *,
    accept: float,
    faces_at: FacesAt | None = None,
) -> tuple[list[CardRead], list[CardRead]]:
    """The reads of a picture, doubtful ones surer where a face is found around them.

    Args:
        image: (height, width, 3) BGR.
        cards: what was accepted.
        doubtful: what was not.
        outliner: looks for the faces.
        accept: least confidence of an accepted read.
        faces_at: reads whole faces; None if nobody does.

    Returns:
        What is accepted now, and what is not.
    """
    names = {read.card for read in cards}
    asked = [k for k, read in enumerate(doubtful) if read.indices and read.card not in names]
    if faces_at is None:
        asked = [k for k in asked if _may_gain(doubtful[k])]
    asked = [k for k in asked if doubtful[k].confidence >= _ASKED][:_MOST]
    if not asked:
        return list(cards), list(doubtful)
    starts = [
        start_of_index(doubtful[k].indices[0], left=left) for k in asked for left in (True, False)
    ]
    found = outliner.find(image, np.array(starts), looks=_LOOKS)
    face, off = found.kinds[:, outliner.kinds.index("face")], found.off.max(axis=1)
    now = list(doubtful)
    around: list[tuple[int, int]] = []
    for n, k in enumerate(asked):
        others = [*cards, *(read for read in doubtful if read is not doubtful[k])]
        for m in (2 * n, 2 * n + 1):
            quad, own = found.corners[m], found.off[m]
            if face[m] <= _FACE or not holds_index(quad, own, doubtful[k].indices[0]):
                continue
            if off[m] < _ROUGHLY:
                around.append((k, m))
            if off[m] < _OFF and _may_gain(doubtful[k]) and not _holds_any(quad, own, others):
                now[k] = _surer(doubtful[k])
    if faces_at is not None and around:
        told = faces_at(found.corners[[m for _, m in around]])
        for n, (k, _) in enumerate(around):
            now[k] = max(now[k], _as_told(doubtful[k], told.chance(n, doubtful[k].card)), key=_sure)
    gained = [k for k in asked if now[k].confidence >= accept]
    best = {now[k].card: k for k in sorted(gained, key=lambda k: now[k].confidence)}
    gained = [k for k in gained if best[now[k].card] == k]
    rest = [now[k] for k in range(len(now)) if k not in gained]
    rest = [replace(read, confidence=min(read.confidence, 0.99 * accept)) for read in rest]
    taken = names | {now[k].card for k in gained}
    return [*cards, *(now[k] for k in gained)], [read for read in rest if read.card not in taken]


def _sure(read: CardRead) -> float:
    return read.confidence


def _may_gain(read: CardRead) -> bool:
    """Whether a read is doubtful for no other reason than that it may be no card."""
    rivals = read.chance_of_any - read.confidence
    nothing = 1 - read.chance_of_any
    return rivals < _RIVALS and nothing > _NOTHING


def _holds_any(quad: FloatArray, off: FloatArray, reads: Sequence[CardRead]) -> bool:
    """Whether a card that lies there has an index of one of some reads in a corner."""
    return any(holds_index(quad, off, index) for read in reads for index in read.indices)


def _as_told(read: CardRead, chance: float) -> CardRead:
    """The read as a face around it has it that is its card's with that chance."""
    if chance < 0.5:
        return read
    odds = read.confidence / max(1 - read.confidence, 1e-6)
    odds *= (chance / max(1 - chance, 1e-6)) ** _WEIGHT
    confidence = odds / (1 + odds)
    less = (1 - confidence) / max(1 - read.confidence, 1e-6)
    alternatives = tuple((card, rest * less) for card, rest in read.alternatives)
    return replace(read, confidence=confidence, alternatives=alternatives)


def _surer(read: CardRead) -> CardRead:
    """The read with less left for no card at all."""
    nothing = max(0.0, 1 - read.chance_of_any)
    whole = 1 - nothing + nothing / _LESS_LIKELY
    alternatives = tuple((card, chance / whole) for card, chance in read.alternatives)
    return replace(read, confidence=read.confidence / whole, alternatives=alternatives)
