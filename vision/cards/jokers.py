"""Names jokers: corners that bear neither a rank nor a suit, but a word, a star or a jester's cap.

They are named beside all other cards (`vision.cards.reads`): a joker has no suit, and the two of
a deck look alike. The one further left in the picture is called the first, so that a name stays
with its card while nothing moves. A word of a page looks like a joker's mark, but no card lies
about it: where the network of outlines finds one with the mark in a corner, it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from vision.arrays import Float32Array
from vision.cards.corners import cards_of, may_share_card, same_card
from vision.cards.grouping import index_read
from vision.cards.reads import lies_beside
from vision.geometry import card_outline, index_box
from vision.images.pyramid import Pyramid
from vision.indices.classify import Classifier
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates, jittered, join_candidates
from vision.outlines.flat import place_on
from vision.rows.row_places import RowPlaces
from vision.types import CardRead, IndexRead, Reason, as_quad

Closely = Callable[[Candidates], Float32Array]
"""Chances (n,) that corners are those of jokers, at a closer look."""
Among = Callable[[CardRead, Sequence[CardRead]], bool]
"""Whether a joker lies as the other cards of a picture do."""
Outlines = Callable[[Sequence[IndexRead]], Sequence[NDArray[np.float64] | None]]
"""(4, 2) corners of the card about each of some marks; None where none is found."""


@dataclass(frozen=True, slots=True)
class JokerRule:
    """What is a joker.

    Attributes:
        likely: a corner less likely a joker's than that is none.
        by_mark: how much the log odds of a mark count.
        words: odds are so much worse: words look like the words of jokers, and there are more of
            them than the classifier was shown.
        card_about: odds are so much better where a card is found about the mark: of 155 marks of
            drawn jokers that was so of 120, of 18 other things on real and drawn tables of two.
        alone: a joker is at most so sure where no card lies beside it.
        sure_mark: unless it shows both ends and its surest mark is so likely a joker's. (Of five
            frames with words in 900 pictures without a card the likest had 0.80; of 157 drawn
            jokers two in three have 0.95 and more.)
        second_weight: how much a further corner counts: it is seen in the same light.
        in_place: what is added to its log odds, since little else stands just where that corner
            must.
        agrees: how much better the odds are where two stand on each other's heads.
        marks: a joker's mark is so many times as high as the indices of its deck, or they as it, at
            most.
        off_card: a mark so far off the outline of a card, in its heights, is not of it.
        upside_down: minus the cosine between marks at the two ends of a card.
        same: a corner nearer than that to one that is read, in heights, is the same.
    """

    likely: float = 0.1
    by_mark: float = 0.62
    words: float = 2.4
    card_about: float = 4.0
    alone: float = 0.5
    sure_mark: float = 0.85
    second_weight: float = 0.6
    in_place: float = 1.5
    agrees: float = 4.0
    marks: float = 2.5
    off_card: float = 0.5
    upside_down: float = 0.8
    same: float = 0.5


RULE = JokerRule()


def joker_reads(
    found: Candidates,
    hypotheses: Hypotheses,
    cards: Sequence[CardRead],
    *,
    accept: float,
    doubt: float,
    faint: tuple[Candidates, Hypotheses] | None = None,
    among: Among | None = None,
    covered: Sequence[Float32Array] = (),
    closely: Closely | None = None,
    outlines: Outlines | None = None,
    copies: int = 1,
) -> tuple[list[CardRead], list[CardRead]]:
    """Accepted and doubtful jokers of a picture, no more than the deck has.

    Args:
        found: candidates after suppression.
        hypotheses: their readings.
        cards: the other cards that are read.
        accept: least confidence of an accepted read.
        doubt: least confidence of a doubtful one.
        faint: marks that the locator hardly saw and the classifier believes: a joker of such alone
            is accepted or not, never asked about.
        among: whether a joker lies as cards do; None where it must lie beside one.
        covered: (4, 2) corners of cards that nothing lies upon.
        closely: looks at them once more; None to believe the hypotheses.
        outlines: looks for the cards about marks; None if nobody does.
        copies: how many of each the deck has.
    """
    names = [name for name in hypotheses.joker_cards for _ in range(copies)]
    if not names:
        return [], []
    seen = len(found)
    if faint is not None:
        found, hypotheses = join_candidates([found, faint[0]]), hypotheses.extended(faint[1])
    reads = _by_marks(
        found, hypotheses, cards,
        seen=seen, accept=accept, among=among or lies_among, covered=covered,
        closely=closely, outlines=outlines,
    )  # fmt: skip
    reads.sort(key=lambda read: -read.confidence)
    reads = [read for read in reads if read.confidence >= doubt][: len(names)]
    reads.sort(key=lambda read: read.indices[0].centre)
    reads = [replace(read, card=name) for read, name in zip(reads, names, strict=False)]
    sure = [read for read in reads if read.confidence >= accept]
    return sure, [read for read in reads if read.confidence < accept]


def _by_marks(
    found: Candidates,
    hypotheses: Hypotheses,
    cards: Sequence[CardRead],
    *,
    seen: int,
    accept: float,
    among: Among,
    covered: Sequence[Float32Array],
    closely: Closely | None,
    outlines: Outlines | None,
) -> list[CardRead]:
    """Jokers by the marks in their corners, the first ``seen`` of which are plain to see.

    The name is that of the first joker.
    """
    likely = np.flatnonzero(hypotheses.joker > RULE.likely).tolist()
    free = [k for k in likely if not _is_read(found, k, cards)]
    free = [k for k in free if not _is_within(found.centre[k], covered)]
    if not free:
        return []
    chances = hypotheses.joker.astype(np.float64)
    if closely is not None:
        odds = RULE.by_mark * _log_odds(closely(found.take(np.array(free))))
        chances[free] = 1 / (1 + np.exp(-odds))
    free.sort(key=lambda k: -float(chances[k]))
    free = _apart_from_surer(free, found)
    indices = {k: index_read(k, found, hypotheses, confidence=float(chances[k])) for k in free}
    quads = [None] * len(free) if outlines is None else outlines(list(indices.values()))
    about = {
        k: quad.astype(np.float32) for k, quad in zip(free, quads, strict=True) if quad is not None
    }
    groups = _by_card(free, found, about)
    name = hypotheses.joker_cards[0]
    own = [next((about[k] for k in group if k in about), None) for group in groups]
    reads = [
        _read([indices[k] for k in group], name, quad)
        for group, quad in zip(groups, own, strict=True)
    ]
    # Of two that may be corners of one card the less sure one is no second joker for certain.
    first = [group[0] for group in groups]
    share = may_share_card(found, first, four=True) & ~_lie_apart(found, first, own)
    graded = [
        _graded(
            read,
            among=among(read, cards) or _shows_both_ends(read, quad),
            shared=bool(share[k, :k].any()),
            accept=accept,
        )
        for k, (read, quad) in enumerate(zip(reads, own, strict=True))
    ]
    return [
        read
        for read, group in zip(graded, groups, strict=True)
        if read.confidence >= accept or min(group) < seen
    ]


def _lie_apart(
    found: Candidates, marks: Sequence[int], own: Sequence[Float32Array | None]
) -> NDArray[np.bool_]:
    """(n, n) whether of two marks one is off the card that is found about the other.

    Args:
        found: all candidates.
        marks: (n,) which of them.
        own: the card about each, None where none is found.
    """
    apart = np.zeros((len(marks), len(marks)), bool)
    for i, card in enumerate(own):
        for j, k in enumerate(marks):
            if card is not None and i != j:
                x, y = found.centre[k].tolist()
                far = -cv2.pointPolygonTest(card, (x, y), True) / float(found.size[k])
                apart[i, j] = own[j] is not None or far > RULE.off_card
    return np.asarray(apart | apart.T)


def _shows_both_ends(read: CardRead, about: Float32Array | None) -> bool:
    """Whether a joker's marks stand at both ends of a card that is found about them.

    Words in a frame hardly ever stand on each other's heads, nor look so like a joker's.
    """
    if about is None or len(read.indices) < 2 or read.indices[0].confidence < RULE.sure_mark:
        return False
    first, second = (np.array(index.direction) for index in read.indices[:2])
    return bool(first @ second < -RULE.upside_down)


def chances_of_jokers(classifier: Classifier, picture: Pyramid, found: Candidates) -> Float32Array:
    """(n,) chances that candidates are corners of jokers, seen at slightly other poses as well."""
    named = classifier.name(picture, join_candidates([found, jittered(found)]))
    joker = named.glyphs[:, classifier.glyphs.index("joker")]
    return np.asarray(joker.reshape(-1, len(found)).mean(axis=0), np.float32)


def _log_odds(chances: NDArray[np.floating]) -> NDArray[np.float64]:
    """(n,) logarithms of the odds of chances, which are kept off 0 and 1."""
    kept = np.clip(chances.astype(np.float64), 1e-6, 1 - 1e-6)
    return np.asarray(np.log(kept / (1 - kept)))


def lies_among(read: CardRead, cards: Sequence[CardRead]) -> bool:
    """Whether a joker lies where cards lie: beside one."""
    return lies_beside(read, cards, as_large=RULE.marks)


def stands_in_row(read: CardRead, cards: Sequence[CardRead]) -> bool:
    """Whether a joker stands in a row as its cards do."""
    known = np.arange(len(cards) + 1) < len(cards)
    return lies_among(read, cards) and bool(RowPlaces([*cards, read]).stand_in(known)[-1])


def covered_in_row(cards: Sequence[CardRead]) -> list[Float32Array]:
    """Corners of the cards of a row that show both their ends: nothing lies upon those.

    What looks like a joker's mark there is a part of a court card's figure.
    """
    whole = (read for read in cards if read.outlined and len(read.indices) > 1)
    return [np.array(read.quad, np.float32) for read in whole]


def _graded(read: CardRead, *, among: bool, shared: bool, accept: float) -> CardRead:
    """The read, less sure where no card lies beside it or where it may be another one's corner."""
    if not among:
        return replace(read, confidence=min(read.confidence, RULE.alone), reason=Reason.LONELY)
    if shared:
        return read.held_back(Reason.SECOND_JOKER, accept=accept)
    return read if read.confidence >= accept else replace(read, reason=Reason.CHANCE)


def _is_read(found: Candidates, k: int, cards: Sequence[CardRead]) -> bool:
    """Whether a candidate is an index of a card that is read already."""
    return any(
        np.hypot(*(found.centre[k] - index.centre)) < RULE.same * found.size[k]
        for read in cards
        for index in read.indices
    )


def _apart_from_surer(marks: Sequence[int], found: Candidates) -> list[int]:
    """The marks, the surest first, without those that are another pose of a surer one."""
    kept: list[int] = []
    for k in marks:
        off = np.linalg.norm(found.centre[kept] - found.centre[k], axis=1)
        if not (off < RULE.same * np.maximum(found.size[kept], found.size[k])).any():
            kept.append(k)
    return kept


def _corner_of(card: Float32Array, found: Candidates, k: int) -> tuple[bool, bool]:
    """Whether a mark is in the right and in the lower half of a card by its corners, (4, 2)."""
    right, low = place_on(card, found.centre[k]) > 0.5
    return bool(right), bool(low)


def _is_within(point: Float32Array, quads: Sequence[Float32Array]) -> bool:
    """Whether a point lies upon some of several cards by their corners, (4, 2) each."""
    x, y = point.tolist()
    return any(cv2.pointPolygonTest(quad, (x, y), False) > 0 for quad in quads)


def _by_card(
    marks: Sequence[int], found: Candidates, about: Mapping[int, Float32Array]
) -> list[list[int]]:
    """Marks put together to cards, by the outlines found about them and else by their places.

    Corners of two jokers that lie near each other look like those of one card, and a long word is
    found in several places: where a card is found, what lies upon it is of it and nothing else is,
    and in each corner the surest mark speaks for it.

    Args:
        marks: the marks, the surest first.
        found: all candidates.
        about: corners, (4, 2), of the cards found about some of them.

    Returns:
        Groups of marks, each with its surest one first.
    """
    cards: list[Float32Array] = []
    groups: list[list[int]] = []
    for k in marks:
        if k in about and not _is_within(found.centre[k], cards):
            cards.append(about[k])
            groups.append([])
    rest: list[int] = []
    for k in marks:
        upon = (n for n, card in enumerate(cards) if _is_within(found.centre[k], [card]))
        n = next(upon, None)
        if n is None:
            rest.append(k)
        elif all(
            _corner_of(cards[n], found, k) != _corner_of(cards[n], found, j) for j in groups[n]
        ):
            groups[n].append(k)
    groups += cards_of(rest, partial(same_card, found))
    place = {k: n for n, k in enumerate(marks)}
    return sorted(groups, key=lambda group: place[group[0]])


def _read(marks: Sequence[IndexRead], name: Card, about: Float32Array | None) -> CardRead:
    """A joker by its marks and the outline of the card about them, if one is found."""
    logits = _log_odds(np.array([mark.confidence for mark in marks]))
    outline = card_outline(marks)
    # A further corner is there or is not seen: it speaks for the card, never against it. The words
    # of a page all stand one way: two that stand on each other's heads, as corners do, are none.
    more = np.maximum(logits[1:] + RULE.in_place, 0.0).sum()
    words = 1 / RULE.agrees if outline is not None and more > 0 else RULE.words
    if about is not None:
        words, outline = min(words, 1 / RULE.card_about), as_quad(about.astype(np.float64))
    told = logits[0] + RULE.second_weight * more - np.log(words)
    return CardRead(
        card=name,
        confidence=float(1 / (1 + np.exp(-told))),
        quad=outline or index_box(marks[0]),
        indices=tuple(marks),
        outlined=outline is not None,
    )
