"""Where a picture is searched once more, at other sizes, because something there is left open.

The levels of a picture are halves of each other, and the first search leaves out those that seem to
tell nothing more. So an index may stand between two levels, or on one that was left out: then its
pose is poor, or none is found. Around what may be a card and was not read the levels between are
worth their time; where next to nothing was read, they are everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.indices.hypotheses import Hypotheses, suppress
from vision.indices.locate import Candidates, join_candidates
from vision.types import CardRead, Reason


@dataclass(frozen=True, slots=True)
class AgainRule:
    """What is left open, and what a further search may name.

    Attributes:
        perhaps: least chance of being some card, or a joker, of what is left open.
        same_index: nearer than that to an index of a card that was read it is that index, in
            heights.
        sure_alone: least confidence of a card that only the further search accepts, by a single
            index. Of 19 such in pictures of held-out decks that are surer 16 lie there, of 7 others
            two.
    """

    perhaps: float = 0.1
    same_index: float = 0.6
    sure_alone: float = 0.9


RULE = AgainRule()

#: So far around an open place may the index be that it stands for, in its heights: an open place
#: may be a pip, or the rank of an index alone.
REACH = 2.5


def open_places(found: Candidates, hypotheses: Hypotheses, cards: Sequence[CardRead]) -> Candidates:
    """What may be an index of a card, and is of none that was read.

    Args:
        found: the candidates of the first search.
        hypotheses: what they read as.
        cards: what was accepted.
    """
    perhaps = hypotheses.probs.sum(axis=1) + hypotheses.joker > RULE.perhaps
    own = np.array([index.centre for card in cards for index in card.indices]).reshape(-1, 2)
    off = np.linalg.norm(found.centre[:, None] - own[None], axis=2).min(axis=1, initial=np.inf)
    return found.take(perhaps & (off > RULE.same_index * found.size))


def near_to(found: Candidates, places: Candidates) -> NDArray[np.bool_]:
    """(n,) whether candidates lie within reach of some open places."""
    off = np.linalg.norm(found.centre[:, None] - places.centre[None], axis=2)
    return np.asarray((off < REACH * places.size).any(axis=1))


def joined(
    first: tuple[Candidates, Hypotheses], second: tuple[Candidates, Hypotheses]
) -> tuple[Candidates, Hypotheses]:
    """The candidates of two searches; of two poses of one index that which reads better."""
    found = join_candidates([first[0], second[0]])
    hypotheses = first[1].extended(second[1])
    stand = suppress(found, hypotheses.score, hypotheses.best)
    return found.take(stand), hypotheses.take(stand)


def unsure_of(
    cards: Sequence[CardRead], before: Sequence[CardRead], *, accept: float
) -> tuple[list[CardRead], list[CardRead]]:
    """What is accepted after the further search, without what it alone accepts by a single index.

    Of two looks the better one stands, and by that a half-covered index reads more surely than it
    should.

    Args:
        cards: what was accepted after it.
        before: what was accepted before it.
        accept: least confidence of an accepted read.

    Returns:
        What stays accepted, and what is asked about now.
    """
    names = {read.card for read in before}
    kept: list[CardRead] = []
    asked: list[CardRead] = []
    for read in cards:
        sure = len(read.indices) > 1 or read.confidence >= RULE.sure_alone or read.card in names
        if sure:
            kept.append(read)
        else:
            asked.append(read.held_back(Reason.ONE_INDEX, accept=accept))
    return kept, asked
