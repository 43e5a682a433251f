"""Settles whether a doubtful index is one at all by whether there is a card around it.

A word of a page, a sign or a flaw of a cloth may look like an index, but no card lies there: the
network of outlines finds no face with it in a corner, or is far from sure of its corners. Which
card it is, that says nothing about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.outline_looks import holds_index, start_of_index
from vision.outliner import Outliner
from vision.protocols import Image
from vision.types import CardRead, FloatArray

#: Reads from this confidence on are looked at, if so much is left for no card at all, and no more
#: for other cards: between those the face around does not choose.
_LEAST, _NOTHING, _RIVALS = 0.4, 0.02, 0.04
#: A face is as likely as that, and its corners are as near: widths of the card. Of 900 pictures
#: without a card (487 doubtful reads) nothing that a rank and a suit were read from showed that.
_FACE, _OFF = 0.9, 0.03
#: So many looks are taken; and so much less likely is it then that no card lies there.
_LOOKS, _LESS_LIKELY = 3, 8.0


def with_faces_around(
    image: Image,
    cards: Sequence[CardRead],
    doubtful: Sequence[CardRead],
    outliner: Outliner,
    *,
    accept: float,
) -> tuple[list[CardRead], list[CardRead]]:
    """The reads of a picture, doubtful ones surer where a face is found around them.

    Args:
        image: (height, width, 3) BGR.
        cards: what was accepted.
        doubtful: what was not.
        outliner: looks for the faces.
        accept: least confidence of an accepted read.

    Returns:
        What is accepted now, and what is not.
    """
    names = {read.card for read in cards}
    asked = [k for k, read in enumerate(doubtful) if _may_gain(read) and read.card not in names]
    if not asked:
        return list(cards), list(doubtful)
    starts = [
        start_of_index(doubtful[k].indices[0], left=left) for k in asked for left in (True, False)
    ]
    found = outliner.find(image, np.array(starts), looks=_LOOKS)
    face = found.kinds[:, outliner.kinds.index("face")]
    shows = (face > _FACE) & (found.off.max(axis=1) < _OFF)
    now = list(doubtful)
    for n, k in enumerate(asked):
        for m in (2 * n, 2 * n + 1):
            others = [*cards, *(read for read in doubtful if read is not doubtful[k])]
            if shows[m] and _is_its_own(found.corners[m], found.off[m], doubtful[k], others):
                now[k] = _surer(doubtful[k])
    gained = [k for k in asked if now[k].confidence >= accept]
    best = {now[k].card: k for k in sorted(gained, key=lambda k: now[k].confidence)}
    gained = [k for k in gained if best[now[k].card] == k]
    rest = [now[k] for k in range(len(now)) if k not in gained]
    rest = [replace(read, confidence=min(read.confidence, 0.99 * accept)) for read in rest]
    taken = names | {now[k].card for k in gained}
    return [*cards, *(now[k] for k in gained)], [read for read in rest if read.card not in taken]


def _may_gain(read: CardRead) -> bool:
    """Whether a read is doubtful for no other reason than that it may be no card."""
    rivals = read.chance_of_any - read.confidence
    nothing = 1 - read.chance_of_any
    return (
        bool(read.indices) and read.confidence >= _LEAST and rivals < _RIVALS and nothing > _NOTHING
    )


def _is_its_own(
    quad: FloatArray, off: FloatArray, read: CardRead, others: Sequence[CardRead]
) -> bool:
    """Whether a card that lies there has the read's index in a corner, and no other read's."""
    indices = (index for other in others for index in other.indices)
    return holds_index(quad, off, read.indices[0]) and not any(
        holds_index(quad, off, index) for index in indices
    )


def _surer(read: CardRead) -> CardRead:
    """The read with less left for no card at all."""
    nothing = max(0.0, 1 - read.chance_of_any)
    whole = 1 - nothing + nothing / _LESS_LIKELY
    alternatives = tuple((card, chance / whole) for card, chance in read.alternatives)
    return replace(read, confidence=read.confidence / whole, alternatives=alternatives)
