"""Joins what several pictures show of one row into the whole row.

Cards are unique, so pictures overlap where they share cards: by these they are laid on one map
(`vision.rows.row_map`). All that is read at one spot of it, in all pictures, says together which
card lies there, each card at most once, and the map's geometry says in which order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.decks import get_deck
from vision.indices.assign import marginals
from vision.rows.anchors import standing
from vision.rows.order import reading_lines
from vision.rows.row_map import Fit, RowMap, RowPicture, Spot, spot_read, turned_about, view_of
from vision.rows.row_places import RowPlaces
from vision.rows.votes import FRAME_WEIGHT
from vision.types import CardRead, Reading, Reason

#: Least chance of being some card of an unaccepted read that is taken into a row, marked doubtful;
#: and of one that stands where a card is wanting.
PLAUSIBLE, _WANTED = 0.5, 0.3
#: The same where of a deck almost all cards are read: all but so many.
_PLAUSIBLE_LAST, _WANTED_LAST, _FEW_MISSING = 0.3, 0.1, 5
#: From here on it need not stand just where the next card is to be expected.
_LIKELY = 0.8
#: Below this a card of a row is marked doubtful.
SURE = 0.9
#: Least part of the pictures of a spot in which something must be read there.
_SUPPORT = 0.45
#: Weight of "no card that is not counted already" beside a spot's names.
_NOTHING = 0.02
#: The same for a spot that was seen so often that it must be a card, and for each further picture:
#: of two spots of one name the one that is seen less often is something else.
_NOTHING_OFTEN, _OFTEN, _NOTHING_FURTHER = 1e-4, 5, 0.25
#: Further pictures of a card that count.
_INDEPENDENT = 8
#: Least joint chance of a name that competes for a spot, and of one that is given, as doubtful as
#: it may be.
_LEAST_NAME, _LEAST_GIVEN = 0.02, 0.1
#: Least chance of a name that competes with others, and the same where few are left.
_WORTH, _WORTH_LAST = 1e-4, 1e-5
#: Least chance, by the single pictures, of a free name for what is surely a card: where it may be
#: a further corner of the card that has its likeliest name, and where of an almost whole deck that
#: card lies farther off than a card is long, in index heights.
_LEAST_FREE, _LEAST_FREE_FAR, _CARD_LENGTH = 0.5, 0.02, 8.0
#: Cards of most decks, without jokers.
_WHOLE = get_deck().whole
#: Least cosine between a doubtful index and the way the row stands.
_ALIGNED = 0.5


@dataclass(frozen=True, slots=True)
class RowReading:
    """One row, read.

    Attributes:
        cards: the cards in order.
        confidences: for each card the chance that it is right, 0 to 1.
        doubtful: positions, from 0, of cards whose name or place is not sure.
        lines: number of cards of each line, top to bottom.
    """

    cards: tuple[Card, ...]
    confidences: tuple[float, ...]
    doubtful: tuple[int, ...]
    lines: tuple[int, ...] = ()

    @property
    def changes(self) -> str:
        """U, D or S for each neighbouring pair, by rank; ``?`` beside a joker."""
        return "".join(_change(a, b) for a, b in pairwise(self.cards))


def _change(left: Card, right: Card) -> str:
    if left.rank is None or right.rank is None:
        return "?"
    return "U" if right.rank > left.rank else "D" if right.rank < left.rank else "S"


def row_lines(reading: Reading, whole: int = _WHOLE) -> list[list[CardRead]]:
    """The lines of one picture, with doubtful reads where they fit among the accepted ones.

    Args:
        reading: of the picture.
        whole: how many cards the deck has, without jokers.
    """
    reads = list(reading.cards)
    names = {read.card for read in reads}
    sizes = [read.indices[0].size for read in reads]
    usual = float(np.median(sizes)) if sizes else 0.0
    way = standing(reads)
    is_almost_whole = len(reads) >= whole - _FEW_MISSING
    wanted = _WANTED_LAST if is_almost_whole else _WANTED
    for read in sorted(reading.doubtful, key=lambda r: -r.confidence):
        fits = not sizes or 0.6 * usual < read.indices[0].size < 1.6 * usual
        # The far end of a card that is read already looks like a card that lies turned about.
        ways = [float(way @ index.direction) for index in read.indices]
        fits = fits and (not way.any() or max(ways) > _ALIGNED)
        is_free = read.card not in names or read.reason is Reason.COPIES
        if fits and read.chance_of_any >= wanted and is_free:
            reads.append(read)
            names.add(read.card)
    places = RowPlaces(reads)
    sure = np.arange(len(reads)) < len(reading.cards)
    likely = np.array([read.confidence >= _LIKELY for read in reads], bool)
    plausible = np.array(
        [read.chance_of_any >= _least(read, is_almost_whole) for read in reads], bool
    )
    fills = places.fill_gaps(sure)
    stands = places.stand_in(sure) & (plausible | fills)
    if len(reading.cards) == whole - 1:
        # The one card that is wanting may be half covered: it stands too close to the next.
        stands |= plausible & fills
    # What makes a line of its own has nothing beside it that would speak for it.
    stands |= likely & ~places.turned & ~places.alone
    stands = sure | (stands & ~places.apart(sure) & ~places.beyond(sure))
    if stands.all():
        return [[reads[k] for k in line] for line in places.lines]
    reads = [read for read, keep in zip(reads, stands, strict=True) if keep]
    return [[reads[k] for k in line] for line in reading_lines(reads)]


def _least(read: CardRead, is_almost_whole: bool) -> float:
    """From which chance on a doubtful read that stands in a row is plausible, see `row_lines`."""
    return _PLAUSIBLE_LAST if is_almost_whole and read.card.rank is not None else PLAUSIBLE


def read_of_still(reading: Reading, whole: int = _WHOLE) -> RowReading:
    """The row of a single picture, of a deck of so many cards."""
    lines = row_lines(reading, whole)
    reads = [read for line in lines for read in line]
    accepted = {id(read) for read in reading.cards}
    doubtful = tuple(k for k, r in enumerate(reads) if id(r) not in accepted or r.confidence < SURE)
    return RowReading(
        tuple(r.card for r in reads),
        tuple(r.confidence for r in reads),
        doubtful,
        tuple(len(line) for line in lines),
    )


class RowJoiner:
    """Collects the readings of several stills or of a sweep.

    Args:
        least: pictures in which a card must be read to be believed; 1 for stills, more for the
            many frames of a video. It may be changed between pictures.
        growing: whether cards may be laid while the pictures are taken.
        whole: how many cards the deck has, without jokers.
        copies: how many of each it has.
    """

    def __init__(
        self, *, least: int = 1, growing: bool = False, whole: int = _WHOLE, copies: int = 1
    ) -> None:
        self.least = least
        self._whole, self._copies = whole, copies
        self._growing = growing
        self._maps: list[RowMap] = []

    def add(self, reading: Reading) -> None:
        """Takes in one picture."""
        reads = [*reading.cards, *reading.doubtful]
        if not reads:
            return
        standing_in = {id(read) for line in row_lines(reading, self._whole) for read in line}
        view = view_of(reads, [id(read) in standing_in for read in reads], reading.size)
        self._lay(view)

    def _lay(self, view: RowPicture) -> None:
        """Lays a picture on the map that it shares most with, or on one of its own."""
        fits = self._fits(view)
        if not fits and (turned := turned_about(view)) is not None and (fits := self._fits(turned)):
            view = turned
        if not fits:
            self._maps.append(RowMap(view))
            return
        whole, fit = max(fits, key=lambda pair: len(pair[1].pairs))
        whole.add(view, fit)
        for other, _ in fits:
            if other is not whole:
                self._merge(whole, other)

    def _fits(self, view: RowPicture) -> list[tuple[RowMap, Fit]]:
        """The maps on which a picture can be laid, and how."""
        least = min(self.least, 2)
        return [(m, fit) for m in self._maps if (fit := m.fit(view, least=least)) is not None]

    def _merge(self, whole: RowMap, other: RowMap) -> None:
        """Lays the pictures of one map on another that has become connected with it."""
        self._maps.remove(other)
        least = min(self.least, 2)
        waiting = [view for view, _, _ in other.views]
        while waiting:
            fits = [(v, fit) for v in waiting if (fit := whole.fit(v, least=least)) is not None]
            if not fits:
                break
            view, fit = max(fits, key=lambda pair: len(pair[1].pairs))
            whole.add(view, fit)
            waiting.remove(view)
        for view in waiting:
            self._lay(view)

    def result(self) -> RowReading:
        """The row as all pictures together have it."""
        for map_ in self._maps:
            map_.unite()
        believed = [(map_, part) for map_ in self._maps if (part := self._believed(map_))]
        spots = [spot for _, part in believed for spot in part]
        named = _named(spots, self._whole, self._copies)
        parts = [
            [*part, *_in_gaps(map_.spots, part, named, self._whole)] for map_, part in believed
        ]
        lines: list[list[tuple[Card, float]]] = []
        unsure: set[Card] = set()
        for part in parts:
            placed = [spot for spot in part if spot in named]
            reads = [spot_read(spot, *named[spot]) for spot in placed]
            more = [[named[placed[k]] for k in line] for line in reading_lines(reads)]
            if lines and more:
                # Nothing tells where a part of the row lies that shares no card with the others.
                unsure |= {lines[-1][-1][0], more[0][0][0]}
            lines += more
        every = [pair for line in lines for pair in line]
        return RowReading(
            tuple(card for card, _ in every),
            tuple(confidence for _, confidence in every),
            tuple(k for k, (card, sure) in enumerate(every) if sure < SURE or card in unsure),
            tuple(len(line) for line in lines),
        )

    def _believed(self, map_: RowMap) -> list[Spot]:
        """The spots at which a card lies for all that is known."""
        least = min(self.least, len(map_.views)) if len(self._maps) == 1 else self.least
        seen = map_.seen(growing=self._growing)
        return [
            spot
            for spot, share in zip(map_.spots, seen, strict=True)
            if spot.firm >= least and (self.least < 2 or share >= _SUPPORT)
        ]


def _named(spots: Sequence[Spot], whole: int, copies: int) -> dict[Spot, tuple[Card, float]]:
    """The card of each spot, each as often as the deck has it, with its chance.

    Spots without a free name are out.
    """
    cards = list({card: None for spot in spots for card in spot.votes})
    column = {card: k for k, card in enumerate(cards)}
    if not cards:
        return {}
    evidence = np.zeros((len(spots), len(cards)))
    for row, spot in zip(evidence, spots, strict=True):
        # Pictures of one card err alike: further ones count less than the first, many no more.
        weight = (1 + FRAME_WEIGHT * min(spot.hits - 1, _INDEPENDENT)) / spot.hits
        for card, vote in spot.votes.items():
            row[column[card]] = weight * vote
    top = evidence.max(axis=1, keepdims=True)
    weights = np.exp(evidence - top)
    total = weights.sum(axis=1, keepdims=True) + max(0, whole - len(cards)) * np.exp(-top)
    alone = np.where(evidence > 0, weights / total, 0).astype(np.float32)
    worth = _WORTH_LAST if len(spots) >= whole - _FEW_MISSING else _WORTH
    # Of several copies the names say nothing of each other.
    joint = alone if copies > 1 else marginals(alone, _nothing(spots), worth=worth)
    named: dict[Spot, tuple[Card, float]] = {}
    taken: Counter[Card] = Counter()
    for flat in np.argsort(-joint, axis=None, kind="stable").tolist():
        k, c = divmod(flat, len(cards))
        chance = float(joint[k, c])
        if chance < _LEAST_NAME:
            break
        if spots[k] not in named and taken[cards[c]] < copies:
            chance = min(1.0, chance / float(alone[k, c])) * _by_single_reads(spots[k], cards[c])
            if chance >= _LEAST_GIVEN:
                named[spots[k]] = (cards[c], chance)
                taken[cards[c]] += 1
    _name_the_rest(spots, named, {card for card in taken if taken[card] >= copies}, whole)
    return named


def _in_gaps(
    spots: Sequence[Spot],
    believed: Sequence[Spot],
    named: dict[Spot, tuple[Card, float]],
    whole: int,
) -> list[Spot]:
    """Other spots that must be the last cards of a deck, which are named: they fill a gap.

    Args:
        spots: of one map.
        believed: those of them at which a card lies anyway.
        named: the cards of all believed spots; what is found is added, as doubtful as can be.
        whole: how many cards the deck has, without jokers.
    """
    if len(named) < whole - _FEW_MISSING:
        return []
    taken = {card for card, _ in named.values()}
    sure = [spot for spot in believed if spot in named]
    others = [
        (spot, spot.best)
        for spot in spots
        if spot.firm and spot not in believed and spot.best is not None and spot.best not in taken
    ]
    reads = [spot_read(spot, *named[spot]) for spot in sure]
    reads += [spot_read(spot, card, _LEAST_GIVEN) for spot, card in others]
    is_sure = np.arange(len(reads)) < len(sure)
    places = RowPlaces(reads)
    stands = places.stand_in(is_sure)
    if len(named) == whole - 1:
        # The one card that is wanting may be half covered: it stands too close to the next.
        stands[len(sure) :] |= np.array([spot.hits >= _OFTEN for spot, _ in others], bool)
    fits = places.fill_gaps(is_sure) & stands
    found = []
    for k in np.flatnonzero(fits).tolist():
        spot, card = others[k - len(sure)]
        if card not in taken:
            taken.add(card)
            named[spot] = (card, _LEAST_GIVEN)
            found.append(spot)
    return found


def _nothing(spots: Sequence[Spot]) -> NDArray[np.float64]:
    """(n,) weights of a spot's being no card that is not counted already, beside its names."""
    further = np.array([min(spot.firm - _OFTEN, _INDEPENDENT) for spot in spots])
    often = _NOTHING_OFTEN * _NOTHING_FURTHER ** np.maximum(further, 0)
    return np.where(further < 0, _NOTHING, often)


def _name_the_rest(
    spots: Sequence[Spot], named: dict[Spot, tuple[Card, float]], taken: set[Card], whole: int
) -> None:
    """Names what was seen again and again by its best free name: it is a card, whatever its name.

    What reads like none of the free ones is a further corner of a card that has its name already,
    unless that card lies elsewhere and few are left that it can be.
    """
    almost_whole = len(named) >= whole - _FEW_MISSING
    place = {card: spot.at for spot, (card, _) in named.items()}
    for spot in spots:
        free = [card for card in spot.votes if card not in taken]
        if spot in named or spot.firm < _OFTEN or not free:
            continue
        best = max(free, key=lambda card: spot.votes[card])
        chance = _by_single_reads(spot, best)
        # Where the card of its likeliest name lies; at the spot itself if that is nowhere.
        other = spot.at if spot.best is None else place.get(spot.best, spot.at)
        far = almost_whole and abs(other - spot.at) > _CARD_LENGTH * abs(spot.down)
        if chance >= (_LEAST_FREE_FAR if far else _LEAST_FREE):
            named[spot] = (best, 0.5 * chance)
            taken.add(best)


def _by_single_reads(spot: Spot, card: Card) -> float:
    """What the spot's pictures say of a name one by one, which all together hardly make surer.

    What makes one doubtful, such as small print, is the same in the next.
    """
    chances = [dict([(r.card, r.confidence), *r.alternatives]).get(card, 0.0) for r in spot.reads]
    alike = 1 + 0.25 * min(1.0, (len(chances) - 1) / 3)
    return float(1 - (1 - min(1.0, float(np.mean(chances)))) ** alike)
