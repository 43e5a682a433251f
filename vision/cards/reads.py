"""From groups of indices to card reads: each card as often as the deck has it, others asked about.

The chances of all groups are weighed together (`vision.indices.assign`); then the surest is named
first. In a row what stands in line is a card for certain, and what stands off it is doubted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Float32Array
from vision.cards.corners import may_share_card, same_card
from vision.cards.extra_corners import extra_corners, spare_in_row
from vision.cards.grouping import Groups, join, join_row
from vision.indices.assign import marginals
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates
from vision.rows.row_places import RowPlaces
from vision.types import CardRead, Reason, just_below


@dataclass(frozen=True, slots=True)
class ReadRule:
    """How sure a card must be, by where it lies and by what lies around it.

    Attributes:
        sure: a read so sure is believed by itself, and vouches for others.
        unjoined: how likely a group is a further corner of a card that it was not joined to.
        rival: names of less chance do not compete.
        some_card: what is so likely some card, and stands in a row's line, is a card for certain.
        must: how much is left of the chance of no card then, and of the least of it.
        least_nothing: see `must`.
        unlikely: least chance of a name that competes then.
        next_likely: least chance of the name that is taken where the likeliest one is a surer
            card's.
        sure_alone: least confidence off a row's lines, where print on the table lies.
        sure_turned: the same for what shows only indices that stand the other way up.
        sure_beyond: the same beyond an end of a line.
        sure_apart: the same apart from all cards, or across them.
        favourites: patterns read as some names more often than as others: what is no card reads as
            one that is free so many times as often as by chance.
        least_free: and no seldomer than that, however few are left.
        lonely: odds are so much worse where no card lies around and one index is seen. Without it
            one of 915 names of 229 real photographs is wrong.
        as_large: a card that vouches is as large, by this factor.
        seen: an index so sure counts as seen.
    """

    sure: float = 0.95
    unjoined: float = 0.01
    rival: float = 0.02
    some_card: float = 0.7
    must: float = 0.1
    least_nothing: float = 1e-3
    unlikely: float = 2e-3
    next_likely: float = 0.1
    sure_alone: float = 0.9
    sure_turned: float = 0.95
    sure_beyond: float = 0.95
    sure_apart: float = 0.98
    favourites: float = 2.0
    least_free: float = 0.25
    lonely: float = 6.0
    as_large: float = 1.6
    seen: float = 0.5


RULE = ReadRule()


class Reads(NamedTuple):
    """What the indices of a picture make: accepted cards, each once, doubtful and refused ones."""

    accepted: list[CardRead]
    doubtful: list[CardRead]
    refused: list[CardRead]


def card_reads(
    found: Candidates, hypotheses: Hypotheses, *, accept: float, doubt: float, copies: int = 1
) -> Reads:
    """The cards that lie about in a picture, each as often as the deck has it at most.

    Args:
        found: candidates after suppression.
        hypotheses: their readings.
        accept: least confidence of an accepted read.
        doubt: least confidence of a doubtful one.
        copies: how many of each card the deck has.
    """
    groups = replace(join(found, hypotheses), copies=copies)
    spare = extra_corners(groups.members, groups.alone, found, hypotheses) if groups.four else None
    reads = _without_spare(groups, spare or set(), doubt)
    groups = groups.without(spare or set())
    chances = _by_exclusion(_each_as_often(groups), copies)
    must = np.zeros(len(groups), bool)
    accepted = _named(groups, chances, must, reads, accept=accept, doubt=doubt, corners=True)
    return _parted(_vouched_for(accepted, accept), reads, accept)


def row_reads(
    found: Candidates, hypotheses: Hypotheses, *, accept: float, doubt: float, copies: int = 1
) -> Reads:
    """The cards of a row, each as often as the deck has it at most.

    What stands in a row like the others is a card for certain; if its name is taken it is the next
    likely one. Arguments as of `card_reads`.
    """
    groups = replace(join_row(found, hypotheses), copies=copies)
    spare = spare_in_row(groups.members, groups.alone, found, hypotheses, four=groups.four)
    reads = _without_spare(groups, spare or set(), doubt)
    groups = groups.without(spare or set())
    must = _must_be_cards(groups)
    free, forced = (_by_exclusion(_each_as_often(groups, w), copies) for w in (None, must))
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
    """Names the groups, the surest first, each as often as there is one; gives the accepted ones.

    Args:
        groups: the cards.
        chances: (cards,) of each.
        must: (n,) which of them lie there for certain.
        reads: collects the doubtful and the refused ones.
        accept: least confidence of an accepted read.
        doubt: least confidence of a doubtful one.
        corners: whether a lone index may be the misread corner of a surer card.
    """
    given: Counter[int] = Counter()
    accepted: list[tuple[int, CardRead]] = []
    for g in sorted(range(len(groups)), key=lambda g: -float(chances[g].max(initial=0))):
        own = chances[g]
        if own.max(initial=0) < doubt:
            break
        first = int(own.argmax())
        taken = {name for name, count in given.items() if count >= groups.copies}
        if must[g]:
            own = next_likely(own, taken, accept)
        top = int(own.argmax())
        read = groups.read(g, own)
        misread = corners and _is_misread_corner(groups, g, read, accepted)
        if misread and not must[g]:
            reads.refused.append(replace(read, reason=Reason.CORNER))
        elif top in taken:
            # The same name again: a further corner that geometry did not join, or a further copy.
            reads.refused.append(_again(groups, g, [n for n, _ in accepted], read))
        elif own[top] >= accept:
            given[top] += 1
            accepted.append((g, read))
        else:
            why = Reason.SECOND_NAME if top != first else _why(read, place=bool(must[g]))
            reads.doubtful.append(replace(read, reason=why))
    # What was weighed as such a corner, and by itself is as sure as a card.
    names = {int(groups.alone[n].argmax()) for n, _ in accepted}
    for g, own in enumerate(groups.alone):
        hidden = chances[g].max(initial=0) < doubt and own.max(initial=0) >= accept
        if hidden and int(own.argmax()) in names:
            reads.refused.append(_again(groups, g, [n for n, _ in accepted], groups.read(g, own)))
    return [read for _, read in accepted]


def _again(groups: Groups, g: int, accepted: Sequence[int], read: CardRead) -> CardRead:
    """A read whose name was given already: a corner of that card, or a copy of it.

    It is a copy for certain where no corner of that card can be; else the outlines tell
    (`vision.cards.one_name`), if it is as sure as a card by itself.
    """
    name = int(groups.alone[g].argmax())
    hosts = [n for n in accepted if int(groups.alone[n].argmax()) == name]
    if not hosts or groups.hypotheses.cards[name] != read.card:
        return replace(read, reason=Reason.NAME_TAKEN)
    leading = [groups.members[n][0] for n in (g, *hosts)]
    share = may_share_card(groups.found, leading, four=groups.four)[0, 1:]
    reason = Reason.NAME_TAKEN if share.any() else Reason.COPIES
    return replace(groups.read(g, groups.alone[g]), reason=reason)


def _is_misread_corner(
    groups: Groups, g: int, read: CardRead, accepted: Sequence[tuple[int, CardRead]]
) -> bool:
    """Whether a lone index is a corner of a surer card whose suit was lost, in glare say.

    It has that card's rank and stands, turned about, where its opposite corner can be. A read that
    is sure alone, without the others' help, is believed all the same: cards of one rank may well
    lie like that.
    """
    if len(groups.members[g]) > 1 or float(groups.alone[g].max()) > RULE.sure:
        return False
    (k,), found = groups.members[g], groups.found
    return any(
        other.card.rank == read.card.rank
        and other.confidence > read.confidence
        and any(found.direction[i] @ found.direction[k] < -0.6 for i in groups.members[n])
        and all(same_card(found, i, k, four=groups.four) for i in groups.members[n])
        for n, other in accepted
    )


def _parted(graded: Sequence[CardRead], reads: Reads, accept: float) -> Reads:
    """What is sure and what is asked about."""
    sure = [read for read in graded if read.confidence >= accept]
    asked = [read for read in graded if read.confidence < accept]
    return Reads(sure, [*reads.doubtful, *asked], reads.refused)


def _why(read: CardRead, *, place: bool) -> Reason:
    """Why a read is in doubt: what most of the chance is left for that it is not given."""
    if read.chance_of_any - read.confidence > 1 - read.chance_of_any:
        return Reason.RIVAL
    return Reason.PLACE if place else Reason.CHANCE


def _vouched_for(reads: Sequence[CardRead], accept: float) -> list[CardRead]:
    """The reads with what their neighbours say of them in their confidence."""
    vouched = [_vouched(read, reads) for read in reads]
    return [
        replace(read, confidence=p, reason=read.reason if p >= accept else Reason.LONELY)
        for read, p in zip(reads, vouched, strict=True)
    ]


def _vouched(read: CardRead, others: Sequence[CardRead]) -> float:
    """The confidence of a read, less where nothing around says that cards lie there.

    A card's second corner does, and so does another card as large that is sure itself. A single
    index in a picture without either is as likely to be print of some other kind: a word of a page,
    a sign.
    """
    if not read.indices or sum(index.confidence > RULE.seen for index in read.indices) > 1:
        return read.confidence
    if lies_beside(read, others):
        return read.confidence
    odds = read.confidence / max(1 - read.confidence, 1e-6) / RULE.lonely
    return odds / (1 + odds)


def lies_beside(
    read: CardRead, others: Sequence[CardRead], *, as_large: float = RULE.as_large
) -> bool:
    """Whether a sure card of about the same size, by that factor, lies there too."""
    size = read.indices[0].size
    return any(
        size / as_large < index.size < size * as_large
        for other in others
        if other is not read and other.confidence >= RULE.sure
        for index in other.indices
    )


def _on_row(reads: Sequence[CardRead], accept: float) -> list[CardRead]:
    """The reads of a row; those off its lines are no more accepted unless they are quite sure.

    What stands apart or across is print on the table, or parts of figures, more often than a card.
    """
    places = RowPlaces(reads)
    sure = np.array([read.confidence >= RULE.sure for read in reads], bool)
    off = np.where(places.turned, RULE.sure_turned, RULE.sure_alone)
    least = np.where(places.stand_in(sure), 0.0, off)
    least = np.where(places.beyond(sure), np.maximum(least, RULE.sure_beyond), least)
    least = np.where(places.apart(sure) | places.lie_across(sure), RULE.sure_apart, least)
    return [
        read if read.confidence >= enough else read.held_back(Reason.OFF_ROW, accept=accept)
        for read, enough in zip(reads, least.tolist(), strict=True)
    ]


def _each_as_often(groups: Groups, must: NDArray[np.bool_] | None = None) -> Sequence[Float32Array]:
    """The groups' chances, given how many of each card the deck has."""
    return _each_once(groups, must) if groups.copies == 1 else _each_apart(groups)


def _each_apart(groups: Groups) -> Sequence[Float32Array]:
    """The groups' chances where the deck has several of each card.

    Two that read alike may both be there, unless they stand as two corners of one card do.
    """
    if not groups.alone:
        return groups.alone
    chances = np.stack(groups.alone)
    best, sureness = chances.argmax(axis=1), chances.max(axis=1)
    leading = [group[0] for group in groups.members]
    share = may_share_card(groups.found, leading, four=groups.four)
    surer = sureness[:, None] > sureness[None]
    surer |= (sureness[:, None] == sureness[None]) & (
        np.arange(len(best))[:, None] < np.arange(len(best))
    )
    further = (share & surer & (best[:, None] == best[None])).any(axis=0)
    chances[further, best[further]] *= RULE.unjoined
    return list(chances)


def _each_once(groups: Groups, must: NDArray[np.bool_] | None = None) -> Sequence[Float32Array]:
    """The groups' chances, given that each card is there once.

    A group may also be a further corner of a card that another group already is: seldom just so,
    but as likely as its reading says where the corner of that card can be.
    """
    if not groups.alone:
        return groups.alone
    posteriors = np.stack(groups.alone)
    missing = 1 - posteriors.sum(axis=1, dtype=np.float64)
    nothing = np.clip(missing, 1e-6, 1) + RULE.unjoined * posteriors.sum(axis=1)
    best = posteriors.argmax(axis=1)
    leading = [group[0] for group in groups.members]
    share = may_share_card(groups.found, leading, four=groups.four)
    for g in range(len(groups)):
        for card in np.flatnonzero(posteriors[g] > RULE.rival):
            surer = posteriors[:, card] > posteriors[g, card]
            surer[:g] |= posteriors[:g, card] == posteriors[g, card]
            others = np.flatnonzero((best == card) & surer)
            if share[others, g].any():
                nothing[g] += posteriors[g, card]
    if must is None:
        joint = marginals(posteriors, nothing)
    else:
        # Where a card must lie "nothing" is out of the question, and an unlikely name may be it.
        least = RULE.must * np.clip(missing, 0, 1) + RULE.least_nothing
        joint = marginals(posteriors, np.where(must, least, nothing), worth=RULE.unlikely)
    # Of two groups with one name either may be "nothing new", and the card is there all the same:
    # the surer group stands for both. Where cards must lie and no group is sure by itself, that
    # they must counts as well.
    surest = posteriors
    if must is not None:
        surest = np.where(posteriors >= RULE.sure, 1 + posteriors, joint)
    for card in np.flatnonzero((posteriors > RULE.rival).sum(axis=0) > 1):
        first = int(surest[:, card].argmax())
        elsewhere = float(joint[:, card].sum()) - float(joint[first, card])
        free = max(0.0, 1 - float(joint[first].sum()))
        joint[first, card] += min(elsewhere, free)
    return list(joint)


def _by_exclusion(posteriors: Sequence[Float32Array], copies: int) -> Sequence[Float32Array]:
    """The groups' chances, given how many of the deck's cards are read for sure elsewhere.

    What is no card may read as any name, and where most of the deck lies there, as one of those
    that are read already. So the fewer are left, the more it says that a name is one of these.
    """
    if not posteriors:
        return posteriors
    chances = np.stack(posteriors).astype(np.float64)
    sure = chances.max(axis=1) >= RULE.sure
    free = np.bincount(chances[sure].argmax(axis=1), minlength=chances.shape[1]) < copies
    named = free[chances.argmax(axis=1)] & ~sure
    nothing = np.clip(1 - chances.sum(axis=1, keepdims=True), 0, 1)
    share = float(np.clip(RULE.favourites * free.mean(), RULE.least_free, 1.0))
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
    if int(chances.argmax()) not in taken or free.max() < RULE.next_likely:
        return chances
    return np.asarray(np.minimum(free * chances.sum() / free.sum(), just_below(accept)), np.float32)


def _must_be_cards(groups: Groups) -> NDArray[np.bool_]:
    """Which groups must be cards of the row: they are surely some card, and stand in its line."""
    some = [g for g, chances in enumerate(groups.alone) if float(chances.sum()) > RULE.some_card]
    reads = [groups.read(g, groups.alone[g]) for g in some]
    sure = np.array([float(groups.alone[g].max()) >= RULE.sure for g in some], bool)
    out = np.zeros(len(groups), bool)
    out[some] = RowPlaces(reads).stand_in(sure, four=groups.four)
    return out
