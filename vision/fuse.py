"""From index reads to card reads: evidence of one physical card joined, each card at most once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.assign import marginals
from vision.card_geometry import (
    apart,
    card_outline,
    cards_of,
    claimed_corners,
    index_box,
    is_covered,
    may_share_card,
    on_one_edge,
    parted,
    same_card,
)
from vision.hypotheses import Hypotheses
from vision.locate import Candidates
from vision.row_places import RowPlaces
from vision.spare_corners import spare_corners
from vision.types import CardRead, IndexRead, Reason, just_below

FloatArray = NDArray[np.float32]

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


def join(found: Candidates, hypotheses: Hypotheses, *, in_row: bool = False) -> list[list[int]]:
    """Groups of candidates that are one physical card, by reading and geometry."""
    likely = np.flatnonzero(hypotheses.score > _LIKELY) if in_row else np.zeros(0, np.intp)
    joined = partial(_joined, found, hypotheses, likely)
    groups = joined(four=False)
    four = has_four_indices(groups, found, in_row=in_row)
    if four or not in_row:
        corners = joined(four=True)
        # Three indices of one name in the corners of one card are no accident.
        four = four or any(len(group) > 2 for group in corners)
        groups = corners if four else groups
    if four and in_row:
        groups = parted(groups, found)
    return groups


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


def fuse(group: Sequence[int], hypotheses: Hypotheses) -> FloatArray:
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


def has_four_indices(
    groups: Sequence[Sequence[int]], found: Candidates, *, in_row: bool = False
) -> bool:
    """Whether the deck may print an index in all four corners.

    It does if some card shows two opposite ones straight below each other (a left or right edge)
    or more than two. It is taken to have two where cards show but the diagonal ones, and where
    many cards show one each. A few cards with one index each say nothing. In a row, where the cards
    of such a deck show edge after edge, a single one among diagonals is an accident: the indices of
    two cards, of which one is misread.
    """
    pairs = [g for g in groups if len(g) > 1]
    if not pairs:
        return len(groups) < _MANY_CARDS
    if any(len(g) > 2 for g in pairs):
        return True
    edges = sum(on_one_edge(apart(found, g[0], g[1])) for g in pairs)
    return edges > 1 or edges == len(pairs) if in_row else edges > 0


def rivals_in_row(found: Candidates, hypotheses: Hypotheses) -> NDArray[np.bool_]:
    """Which candidates of a row are surely of different cards: no two of them are the same one.

    Those that stand as the row does, each the upper left index of its card; where a deck has an
    index in the upper right as well, not the weaker of two that may be of one card.
    """
    way = (found.direction * hypotheses.score[:, None]).sum(axis=0)
    out = np.asarray(found.direction @ way > 0)
    if has_four_indices(join(found, hypotheses, in_row=True), found, in_row=True):
        upright = np.flatnonzero(out)
        best, score = hypotheses.best[upright], hypotheses.score[upright]
        one = may_share_card(found, upright.tolist(), four=True) & (best[:, None] == best[None])
        out[upright[(one & (score[:, None] < score[None])).any(axis=1)]] = False
    return out


def _each_once(
    groups: Sequence[Sequence[int]],
    alone: Sequence[FloatArray],
    found: Candidates,
    *,
    four: bool,
    must: NDArray[np.bool_] | None = None,
) -> Sequence[FloatArray]:
    """The groups' chances, given that each card is there once.

    A group may also be a further corner of a card that another group already is: seldom just so,
    but as likely as its reading says where the corner of that card can be.
    """
    if not alone:
        return alone
    posteriors = np.stack(alone)
    missing = 1 - posteriors.sum(axis=1, dtype=np.float64)
    nothing = np.clip(missing, 1e-6, 1) + _UNJOINED * posteriors.sum(axis=1)
    best = posteriors.argmax(axis=1)
    share = may_share_card(found, [group[0] for group in groups], four=four)
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
    group: Sequence[int], found: Candidates, corners: Sequence[tuple[FloatArray, FloatArray]]
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
    group: Sequence[int],
    read: CardRead,
    alone: float,
    accepted: Sequence[CardRead],
    accepted_groups: Sequence[Sequence[int]],
    found: Candidates,
    *,
    four: bool,
) -> bool:
    """Whether a lone index is a corner of a surer card whose suit was lost, in glare say.

    It has that card's rank and stands, turned about, where its opposite corner can be. A read that
    is sure ``alone``, without the others' help, is believed all the same: cards of one rank may
    well lie like that.
    """
    if len(group) > 1 or alone > _SURE:
        return False
    k = group[0]
    return any(
        other.card.rank == read.card.rank
        and other.confidence > read.confidence
        and any(found.direction[i] @ found.direction[k] < -0.6 for i in strong)
        and all(same_card(found, i, k, four=four) for i in strong)
        for other, strong in zip(accepted, accepted_groups, strict=True)
    )


def card_reads(
    found: Candidates,
    hypotheses: Hypotheses,
    *,
    accept: float,
    doubt: float,
    in_row: bool = False,
    refused: list[CardRead] | None = None,
) -> tuple[list[CardRead], list[CardRead]]:
    """Accepted reads, each card once, and doubtful ones.

    Args:
        found: candidates after suppression.
        hypotheses: their readings.
        accept: least confidence of an accepted read.
        doubt: least confidence of a doubtful one.
        in_row: whether the picture shows a row; then what stands in it like the others is a card
            for certain, and if its name is taken it is the next likely one.
        refused: collects what is given up, with the reasons; None if nobody asks.
    """
    refused = [] if refused is None else refused
    groups = join(found, hypotheses, in_row=in_row)
    four = has_four_indices(groups, found, in_row=in_row)
    alone = [fuse(group, hypotheses) for group in groups]
    spare = None
    if in_row or four:
        spare = spare_corners(
            groups, alone, found, hypotheses.ranks, hypotheses.suits, four=four, in_row=in_row
        )
    given_up = [k for k in sorted(spare or ()) if alone[k].max(initial=0) >= doubt]
    refused += [
        replace(_card_read(groups[k], alone[k], found, hypotheses), reason=Reason.CORNER)
        for k in given_up
    ]
    keep = [k for k in range(len(groups)) if k not in (spare or ())]
    groups, alone = [groups[k] for k in keep], [alone[k] for k in keep]
    # Where all corners of a row's cards are known, no index elsewhere is one that was misread.
    known = spare is not None and four and in_row
    posteriors = _by_exclusion(_each_once(groups, alone, found, four=four))
    must = np.zeros(len(groups), bool)
    if in_row:
        must = _must_be_cards(groups, alone, found, hypotheses, four=four)
        forced = _by_exclusion(_each_once(groups, alone, found, four=four, must=must))
        posteriors = [_no_surer(f, p, accept) for f, p in zip(forced, posteriors, strict=True)]
    order = sorted(range(len(groups)), key=lambda g: -float(posteriors[g].max(initial=0)))
    taken: set[int] = set()
    accepted: list[CardRead] = []
    accepted_groups: list[list[int]] = []
    doubtful: list[CardRead] = []
    corners: list[tuple[FloatArray, FloatArray]] = []
    for g in order:
        posterior = posteriors[g]
        if posterior.max(initial=0) < doubt:
            break
        first = int(posterior.argmax())
        if must[g]:
            posterior = next_likely(posterior, taken, accept)
        top = int(posterior.argmax())
        read = _card_read(groups[g], posterior, found, hypotheses)
        own = float(alone[g].max())
        misread = not known and _is_misread_corner(
            groups[g], read, own, accepted, accepted_groups, found, four=four
        )
        if not must[g] and (misread or _is_claimed(groups[g], found, corners)):
            refused.append(replace(read, reason=Reason.CORNER))
        elif top in taken:
            # The same name again: a further corner that geometry did not join, or a card that
            # cannot be there twice. Either way nothing new is known.
            refused.append(replace(read, reason=Reason.NAME_TAKEN))
        elif posterior[top] >= accept:
            taken.add(top)
            accepted.append(read)
            accepted_groups.append(groups[g])
            corners += claimed_corners(groups[g], found) if four else []
        else:
            why = Reason.SECOND_NAME if top != first else _why(read, place=bool(must[g]))
            doubtful.append(replace(read, reason=why))
    return _parted(_graded(accepted, accept, in_row=in_row), doubtful, accept, refused)


def _parted(
    graded: Sequence[CardRead],
    doubtful: Sequence[CardRead],
    accept: float,
    refused: list[CardRead],
) -> tuple[list[CardRead], list[CardRead]]:
    """What is sure and what is asked about, of names that no sure read has."""
    sure = [read for read in graded if read.confidence >= accept]
    asked = [*doubtful, *(read for read in graded if read.confidence < accept)]
    names = {read.card for read in sure}
    refused += [replace(read, reason=Reason.NAME_TAKEN) for read in asked if read.card in names]
    return sure, [read for read in asked if read.card not in names]


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


def _graded(reads: Sequence[CardRead], accept: float, *, in_row: bool) -> list[CardRead]:
    """The reads with what their neighbours say of them in their confidence.

    Those that stand off the lines of a row, apart from it or across, and are not quite sure are no
    more accepted: they are print on the table, or parts of figures, more often than cards.
    """
    vouched = [_vouched(read, reads) for read in reads]
    reads = [
        replace(read, confidence=p, reason=read.reason if p >= accept else Reason.LONELY)
        for read, p in zip(reads, vouched, strict=True)
    ]
    if not in_row:
        return reads
    places, sure = RowPlaces(reads), np.array([read.confidence >= _SURE for read in reads], bool)
    off = np.where(places.turned, _SURE_TURNED, _SURE_ALONE)
    least = np.where(places.stand_in(sure), 0.0, off)
    least = np.where(places.beyond(sure), np.maximum(least, _SURE_BEYOND), least)
    least = np.where(places.apart(sure) | places.lie_across(sure), _SURE_APART, least)
    return [
        read if read.confidence >= enough else read.held_back(Reason.OFF_ROW, accept=accept)
        for read, enough in zip(reads, least.tolist(), strict=True)
    ]


def _by_exclusion(posteriors: Sequence[FloatArray]) -> Sequence[FloatArray]:
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


def _no_surer(forced: FloatArray, free: FloatArray, accept: float) -> FloatArray:
    """Chances of a card that must be there, never accepted for that reason alone."""
    return np.where(free < accept, np.minimum(forced, just_below(accept)), forced)


def next_likely(chances: FloatArray, taken: set[int], accept: float) -> FloatArray:
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


def _must_be_cards(
    groups: Sequence[Sequence[int]],
    alone: Sequence[FloatArray],
    found: Candidates,
    hypotheses: Hypotheses,
    *,
    four: bool,
) -> NDArray[np.bool_]:
    """Which groups must be cards of the row: they are surely some card, and stand in its line."""
    some = [g for g, chances in enumerate(alone) if float(chances.sum()) > _SOME_CARD]
    reads = [_card_read(groups[g], alone[g], found, hypotheses) for g in some]
    sure = np.array([float(alone[g].max()) >= _SURE for g in some], bool)
    out = np.zeros(len(groups), bool)
    out[some] = RowPlaces(reads).stand_in(sure, four=four)
    return out


def _card_read(
    group: Sequence[int], posterior: FloatArray, found: Candidates, hypotheses: Hypotheses
) -> CardRead:
    card, confidence, alternatives = hypotheses.named(posterior)
    indices = tuple(
        index_read(k, found, hypotheses, confidence=float(hypotheses.probs[k].max(initial=0)))
        for k in group
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
