"""From index reads to card reads: evidence of one physical card joined, each card at most once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Float32Array
from vision.cards.corners import (
    apart,
    cards_of,
    claimed_corners,
    is_covered,
    may_share_card,
    on_one_edge,
    parted,
    same_card,
)
from vision.cards.spare_corners import spare_corners, spare_in_row
from vision.geometry import card_outline, index_box
from vision.indices.assign import marginals
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates
from vision.rows.row_places import RowPlaces
from vision.types import CardRead, IndexRead, Reason, just_below

_CLAIM = 0.6
_SURE = 0.95
_LIKELY = 0.6
_EVIDENCE = 0.1
_SECOND_WEIGHT = 0.7
_FLOOR = 0.005
_CHANCE_AGREES = 0.25
_UNJOINED = 0.01
_RIVAL = 0.02
_SOME_CARD = 0.7
_MUST = 0.1
_LEAST_NOTHING = 1e-3
_UNLIKELY = 2e-3
_NEXT_LIKELY = 0.1
_SURE_ALONE, _SURE_TURNED, _SURE_BEYOND, _SURE_APART = 0.9, 0.95, 0.95, 0.98
#: Patterns read as some names more often than as others: what is no card reads as one that is free
#: so many times as often as it would by chance, and no seldomer than that, however few are left.
_FAVOURITES, _LEAST_FREE = 2.0, 0.25
_LONELY, _AS_LARGE, _SEEN = 6.0, 1.6, 0.5
_MANY_CARDS = 6


class Reads(NamedTuple):
    """What the indices of a picture make: accepted cards, each once, doubtful and refused ones."""

    accepted: list[CardRead]
    doubtful: list[CardRead]
    refused: list[CardRead]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Index candidates put together to physical cards.

    Attributes:
        found: the candidates.
        hypotheses: what they read as.
        members: the candidates of each card, the surest first.
        alone: (cards,) what each card reads as by its own indices.
        four: whether the deck may print an index in all four corners.
    """

    found: Candidates
    hypotheses: Hypotheses
    members: list[list[int]]
    alone: list[Float32Array]
    four: bool

    def __len__(self) -> int:
        return len(self.members)

    def without(self, spare: set[int]) -> Groups:
        """The groups but for some."""
        keep = [k for k in range(len(self)) if k not in spare]
        members, alone = [self.members[k] for k in keep], [self.alone[k] for k in keep]
        return replace(self, members=members, alone=alone)

    def read(self, g: int, chances: Float32Array) -> CardRead:
        """A group as the card that it most likely is."""
        card, confidence, alternatives = self.hypotheses.named(chances)
        indices = tuple(
            index_read(
                k,
                self.found,
                self.hypotheses,
                confidence=float(self.hypotheses.probs[k].max(initial=0)),
            )
            for k in self.members[g]
        )
        outline = card_outline(indices)
        return CardRead(
            card=card,
            confidence=confidence,
            quad=outline or index_box(indices[0]),
            indices=indices,
            alternatives=alternatives,
            outlined=outline is not None,
        )


def join(found: Candidates, hypotheses: Hypotheses) -> Groups:
    """The candidates of cards that lie about, put together by reading and geometry."""
    joined = partial(_joined, found, hypotheses, np.zeros(0, np.intp))
    groups, corners = joined(four=False), joined(four=True)
    # Three indices of one name in the corners of one card are no accident.
    if has_four_indices(groups, found) or any(len(group) > 2 for group in corners):
        groups = corners
    return _groups(found, hypotheses, groups, four=has_four_indices(groups, found))


def join_row(found: Candidates, hypotheses: Hypotheses) -> Groups:
    """The candidates of a row's cards, which lie one upon the next."""
    likely = np.flatnonzero(hypotheses.score > _LIKELY)
    joined = partial(_joined, found, hypotheses, likely)
    groups = joined(four=False)
    if row_has_four_indices(groups, found):
        groups = parted(joined(four=True), found)
    return _groups(found, hypotheses, groups, four=row_has_four_indices(groups, found))


def _groups(
    found: Candidates, hypotheses: Hypotheses, members: list[list[int]], *, four: bool
) -> Groups:
    alone = [fuse(group, hypotheses) for group in members]
    return Groups(found, hypotheses, members, alone, four)


def _joined(
    found: Candidates, hypotheses: Hypotheses, likely: NDArray[np.intp], *, four: bool
) -> list[list[int]]:
    # What is hardly read must not lend a card a corner.
    order = np.argsort(-hypotheses.score, kind="stable")
    order = order[hypotheses.score[order] >= _EVIDENCE]
    best = hypotheses.best[order]
    groups = [
        group
        for name in np.unique(best)
        for group in cards_of(
            order[best == name].tolist(),
            lambda i, k: same_card(found, i, k, four=four) and not is_covered(found, likely, i, k),
        )
    ]
    place = {k: n for n, k in enumerate(order.tolist())}
    return sorted(groups, key=lambda group: place[group[0]])


def fuse(group: Sequence[int], hypotheses: Hypotheses) -> Float32Array:
    """Card probabilities of a group: evidence added up before any threshold.

    The second and further indices of a card count less than fully (their errors are not
    independent: same light, same blur).
    """
    probs = hypotheses.probs[list(group)].astype(np.float64)
    none = np.clip(1 - probs.sum(axis=1, keepdims=True), 1e-6, 1)
    # A corner that is half covered or blurred may read as anything: it can weaken a name that
    # another corner shows clearly, never rule it out.
    probs[1:] = np.maximum(probs[1:], _FLOOR * probs[1:].max(axis=1, keepdims=True))
    full = np.log(np.clip(np.concatenate([probs, none], axis=1), 1e-9, 1))
    weights = np.array([1.0] + [_SECOND_WEIGHT] * (len(group) - 1))
    # Whether anything is there at all is asked of the surest index only: a half-covered second
    # index that reads as "none" does not speak against the first.
    # Two chance patterns rarely agree on one of 52 names in the right place, so "none" loses.
    full[1:, -1] = np.minimum(full[1:, -1], full[1:, :-1].max(axis=1)) + np.log(_CHANCE_AGREES)
    total = (weights[:, None] * full).sum(axis=0)
    e = np.exp(total - total.max())
    return (e / e.sum())[:-1].astype(np.float32)


def has_four_indices(groups: Sequence[Sequence[int]], found: Candidates) -> bool:
    """Whether the deck may print an index in all four corners.

    It does if some card shows two opposite ones straight below each other (a left or right edge)
    or more than two. It is taken to have two where cards show but the diagonal ones, and where
    many cards show one each. A few cards with one index each say nothing.
    """
    edges, pairs = _edges(groups, found)
    return edges > 0 if pairs else len(groups) < _MANY_CARDS


def row_has_four_indices(groups: Sequence[Sequence[int]], found: Candidates) -> bool:
    """The same of a row, where the cards of such a deck show edge after edge.

    A single edge among diagonals is an accident there: the indices of two cards, of which one is
    misread.
    """
    edges, pairs = _edges(groups, found)
    return edges > 1 or edges == pairs if pairs else len(groups) < _MANY_CARDS


def _edges(groups: Sequence[Sequence[int]], found: Candidates) -> tuple[int, int]:
    """How many cards show an edge, and how many show two indices or more.

    One that shows three indices counts as many edges.
    """
    pairs = [g for g in groups if len(g) > 1]
    if any(len(g) > 2 for g in pairs):
        return len(pairs) + 1, len(pairs)
    return sum(on_one_edge(apart(found, g[0], g[1])) for g in pairs), len(pairs)


def rivals_in_row(found: Candidates, hypotheses: Hypotheses) -> NDArray[np.bool_]:
    """Which candidates of a row are surely of different cards: no two of them are the same one.

    Those that stand as the row does, each the upper left index of its card; where a deck has an
    index in the upper right as well, not the weaker of two that may be of one card.
    """
    way = (found.direction * hypotheses.score[:, None]).sum(axis=0)
    out = np.asarray(found.direction @ way > 0)
    if join_row(found, hypotheses).four:
        upright = np.flatnonzero(out)
        best, score = hypotheses.best[upright], hypotheses.score[upright]
        one = may_share_card(found, upright.tolist(), four=True) & (best[:, None] == best[None])
        out[upright[(one & (score[:, None] < score[None])).any(axis=1)]] = False
    return out


def _each_once(groups: Groups, must: NDArray[np.bool_] | None = None) -> Sequence[Float32Array]:
    """The groups' chances, given that each card is there once.

    A group may also be a further corner of a card that another group already is: seldom just so,
    but as likely as its reading says where the corner of that card can be.
    """
    if not groups.alone:
        return groups.alone
    posteriors = np.stack(groups.alone)
    missing = 1 - posteriors.sum(axis=1, dtype=np.float64)
    nothing = np.clip(missing, 1e-6, 1) + _UNJOINED * posteriors.sum(axis=1)
    best = posteriors.argmax(axis=1)
    leading = [group[0] for group in groups.members]
    share = may_share_card(groups.found, leading, four=groups.four)
    for g in range(len(groups)):
        for card in np.flatnonzero(posteriors[g] > _RIVAL):
            surer = posteriors[:, card] > posteriors[g, card]
            surer[:g] |= posteriors[:g, card] == posteriors[g, card]
            others = np.flatnonzero((best == card) & surer)
            if share[others, g].any():
                nothing[g] += posteriors[g, card]
    if must is None:
        joint = marginals(posteriors, nothing)
    else:
        # Where a card must lie "nothing" is out of the question, and an unlikely name may be it.
        least = _MUST * np.clip(missing, 0, 1) + _LEAST_NOTHING
        joint = marginals(posteriors, np.where(must, least, nothing), worth=_UNLIKELY)
    # Of two groups with one name either may be "nothing new", and the card is there all the same:
    # the surer group stands for both. Where cards must lie and no group is sure by itself, that
    # they must counts as well.
    surest = posteriors
    if must is not None:
        surest = np.where(posteriors >= _SURE, 1 + posteriors, joint)
    for card in np.flatnonzero((posteriors > _RIVAL).sum(axis=0) > 1):
        first = int(surest[:, card].argmax())
        elsewhere = float(joint[:, card].sum()) - float(joint[first, card])
        free = max(0.0, 1 - float(joint[first].sum()))
        joint[first, card] += min(elsewhere, free)
    return list(joint)


def _is_claimed(
    group: Sequence[int], found: Candidates, corners: Sequence[tuple[Float32Array, Float32Array]]
) -> bool:
    """Whether all indices of a group stand on corners of cards that are already read."""
    return all(
        any(
            np.hypot(*(found.centre[k] - at)) < _CLAIM * found.size[k]
            and found.direction[k] @ way > 0.8
            for at, way in corners
        )
        for k in group
    )


def _is_misread_corner(
    groups: Groups, g: int, read: CardRead, accepted: Sequence[tuple[int, CardRead]]
) -> bool:
    """Whether a lone index is a corner of a surer card whose suit was lost, in glare say.

    It has that card's rank and stands, turned about, where its opposite corner can be. A read that
    is sure alone, without the others' help, is believed all the same: cards of one rank may well
    lie like that.
    """
    if len(groups.members[g]) > 1 or float(groups.alone[g].max()) > _SURE:
        return False
    (k,), found = groups.members[g], groups.found
    return any(
        other.card.rank == read.card.rank
        and other.confidence > read.confidence
        and any(found.direction[i] @ found.direction[k] < -0.6 for i in groups.members[n])
        and all(same_card(found, i, k, four=groups.four) for i in groups.members[n])
        for n, other in accepted
    )


def card_reads(found: Candidates, hypotheses: Hypotheses, *, accept: float, doubt: float) -> Reads:
    """The cards that lie about in a picture, each once.

    Args:
        found: candidates after suppression.
        hypotheses: their readings.
        accept: least confidence of an accepted read.
        doubt: least confidence of a doubtful one.
    """
    groups = join(found, hypotheses)
    spare = spare_corners(groups.members, groups.alone, found, hypotheses) if groups.four else None
    reads = _without_spare(groups, spare or set(), doubt)
    groups = groups.without(spare or set())
    chances = _by_exclusion(_each_once(groups))
    must = np.zeros(len(groups), bool)
    accepted = _named(groups, chances, must, reads, accept=accept, doubt=doubt, corners=True)
    return _parted(_vouched_for(accepted, accept), reads, accept)


def row_reads(found: Candidates, hypotheses: Hypotheses, *, accept: float, doubt: float) -> Reads:
    """The cards of a row, each once.

    What stands in a row like the others is a card for certain; if its name is taken it is the next
    likely one. Arguments as of `card_reads`.
    """
    groups = join_row(found, hypotheses)
    spare = spare_in_row(groups.members, groups.alone, found, hypotheses, four=groups.four)
    reads = _without_spare(groups, spare or set(), doubt)
    groups = groups.without(spare or set())
    must = _must_be_cards(groups)
    free, forced = (_by_exclusion(_each_once(groups, which)) for which in (None, must))
    chances = [_no_surer(f, p, accept) for f, p in zip(forced, free, strict=True)]
    # Where all corners of a row's cards are known, no index elsewhere is one that was misread.
    corners = spare is None or not groups.four
    accepted = _named(groups, chances, must, reads, accept=accept, doubt=doubt, corners=corners)
    return _parted(_on_row(_vouched_for(accepted, accept), accept), reads, accept)


def _without_spare(groups: Groups, spare: set[int], doubt: float) -> Reads:
    """No reads yet but the corners of surer cards, which are refused."""
    given_up = [k for k in sorted(spare) if groups.alone[k].max(initial=0) >= doubt]
    corners = [replace(groups.read(k, groups.alone[k]), reason=Reason.CORNER) for k in given_up]
    return Reads([], [], corners)


def _named(
    groups: Groups,
    chances: Sequence[Float32Array],
    must: NDArray[np.bool_],
    reads: Reads,
    *,
    accept: float,
    doubt: float,
    corners: bool,
) -> list[CardRead]:
    """Names the groups, the surest first, each name once; gives the accepted ones.

    Args:
        groups: the cards.
        chances: (cards,) of each.
        must: (n,) which of them lie there for certain.
        reads: collects the doubtful and the refused ones.
        accept: least confidence of an accepted read.
        doubt: least confidence of a doubtful one.
        corners: whether a lone index may be the misread corner of a surer card.
    """
    taken: set[int] = set()
    accepted: list[tuple[int, CardRead]] = []
    claimed: list[tuple[Float32Array, Float32Array]] = []
    for g in sorted(range(len(groups)), key=lambda g: -float(chances[g].max(initial=0))):
        own = chances[g]
        if own.max(initial=0) < doubt:
            break
        first = int(own.argmax())
        if must[g]:
            own = next_likely(own, taken, accept)
        top = int(own.argmax())
        read = groups.read(g, own)
        misread = corners and _is_misread_corner(groups, g, read, accepted)
        if not must[g] and (misread or _is_claimed(groups.members[g], groups.found, claimed)):
            reads.refused.append(replace(read, reason=Reason.CORNER))
        elif top in taken:
            # The same name again: a further corner that geometry did not join, or a card that
            # cannot be there twice. Either way nothing new is known.
            reads.refused.append(replace(read, reason=Reason.NAME_TAKEN))
        elif own[top] >= accept:
            taken.add(top)
            accepted.append((g, read))
            claimed += claimed_corners(groups.members[g], groups.found) if groups.four else []
        else:
            why = Reason.SECOND_NAME if top != first else _why(read, place=bool(must[g]))
            reads.doubtful.append(replace(read, reason=why))
    return [read for _, read in accepted]


def _parted(graded: Sequence[CardRead], reads: Reads, accept: float) -> Reads:
    """What is sure and what is asked about, of names that no sure read has."""
    sure = [read for read in graded if read.confidence >= accept]
    asked = [*reads.doubtful, *(read for read in graded if read.confidence < accept)]
    names = {read.card for read in sure}
    taken = [replace(read, reason=Reason.NAME_TAKEN) for read in asked if read.card in names]
    free = [read for read in asked if read.card not in names]
    return Reads(sure, free, [*reads.refused, *taken])


def _why(read: CardRead, *, place: bool) -> Reason:
    """Why a read is in doubt: what most of the chance is left for that it is not given."""
    if read.chance_of_any - read.confidence > 1 - read.chance_of_any:
        return Reason.RIVAL
    return Reason.PLACE if place else Reason.CHANCE


def _vouched(read: CardRead, others: Sequence[CardRead]) -> float:
    """The confidence of a read, less where nothing around says that cards lie there.

    A card's second corner does, and so does another card as large that is sure itself. A single
    index in a picture without either is as likely to be print of some other kind: a word of a page,
    a sign.
    """
    if not read.indices or sum(index.confidence > _SEEN for index in read.indices) > 1:
        return read.confidence
    if lies_beside(read, others):
        return read.confidence
    odds = read.confidence / max(1 - read.confidence, 1e-6) / _LONELY
    return odds / (1 + odds)


def lies_beside(read: CardRead, others: Sequence[CardRead], *, as_large: float = _AS_LARGE) -> bool:
    """Whether a sure card of about the same size, by that factor, lies there too."""
    size = read.indices[0].size
    return any(
        size / as_large < index.size < size * as_large
        for other in others
        if other is not read and other.confidence >= _SURE
        for index in other.indices
    )


def _vouched_for(reads: Sequence[CardRead], accept: float) -> list[CardRead]:
    """The reads with what their neighbours say of them in their confidence."""
    vouched = [_vouched(read, reads) for read in reads]
    return [
        replace(read, confidence=p, reason=read.reason if p >= accept else Reason.LONELY)
        for read, p in zip(reads, vouched, strict=True)
    ]


def _on_row(reads: Sequence[CardRead], accept: float) -> list[CardRead]:
    """The reads of a row; those off its lines are no more accepted unless they are quite sure.

    What stands apart or across is print on the table, or parts of figures, more often than a card.
    """
    places, sure = RowPlaces(reads), np.array([read.confidence >= _SURE for read in reads], bool)
    off = np.where(places.turned, _SURE_TURNED, _SURE_ALONE)
    least = np.where(places.stand_in(sure), 0.0, off)
    least = np.where(places.beyond(sure), np.maximum(least, _SURE_BEYOND), least)
    least = np.where(places.apart(sure) | places.lie_across(sure), _SURE_APART, least)
    return [
        read if read.confidence >= enough else read.held_back(Reason.OFF_ROW, accept=accept)
        for read, enough in zip(reads, least.tolist(), strict=True)
    ]


def _by_exclusion(posteriors: Sequence[Float32Array]) -> Sequence[Float32Array]:
    """The groups' chances, given how many of the deck's cards are read for sure elsewhere.

    What is no card may read as any name, and where most of the deck lies there, as one of those
    that are read already. So the fewer are left, the more it says that a name is one of these.
    """
    if not posteriors:
        return posteriors
    chances = np.stack(posteriors).astype(np.float64)
    sure = chances.max(axis=1) >= _SURE
    free = np.ones(chances.shape[1], bool)
    free[chances[sure].argmax(axis=1)] = False
    named = free[chances.argmax(axis=1)] & ~sure
    nothing = np.clip(1 - chances.sum(axis=1, keepdims=True), 0, 1)
    share = float(np.clip(_FAVOURITES * free.mean(), _LEAST_FREE, 1.0))
    less = np.where(named, 1.0 - share, 0.0)[:, None]
    return list((chances / (1 - less * nothing)).astype(np.float32))


def _no_surer(forced: Float32Array, free: Float32Array, accept: float) -> Float32Array:
    """Chances of a card that must be there, never accepted for that reason alone."""
    return np.where(free < accept, np.minimum(forced, just_below(accept)), forced)


def next_likely(chances: Float32Array, taken: set[int], accept: float) -> Float32Array:
    """Chances of a card that must be there, though a surer one may have its likeliest name.

    If so and another name is likely enough it is that one, in doubt; if none is, it is the same
    card.

    Args:
        chances: (cards,) of its names.
        taken: which names are taken.
        accept: least confidence of an accepted read.
    """
    free = chances.copy()
    free[list(taken)] = 0
    if int(chances.argmax()) not in taken or free.max() < _NEXT_LIKELY:
        return chances
    return np.asarray(np.minimum(free * chances.sum() / free.sum(), just_below(accept)), np.float32)


def _must_be_cards(groups: Groups) -> NDArray[np.bool_]:
    """Which groups must be cards of the row: they are surely some card, and stand in its line."""
    some = [g for g, chances in enumerate(groups.alone) if float(chances.sum()) > _SOME_CARD]
    reads = [groups.read(g, groups.alone[g]) for g in some]
    sure = np.array([float(groups.alone[g].max()) >= _SURE for g in some], bool)
    out = np.zeros(len(groups), bool)
    out[some] = RowPlaces(reads).stand_in(sure, four=groups.four)
    return out


def index_read(
    k: int, found: Candidates, hypotheses: Hypotheses, *, confidence: float
) -> IndexRead:
    """A candidate as the index of a card that it is believed to be with that confidence."""
    return IndexRead(
        centre=(float(found.centre[k, 0]), float(found.centre[k, 1])),
        direction=(float(found.direction[k, 0]), float(found.direction[k, 1])),
        size=float(found.size[k]),
        rank_probs=hypotheses.rank_probs[k],
        suit_probs=hypotheses.suit_probs[k],
        confidence=confidence,
    )
