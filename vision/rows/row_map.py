"""Where the cards of a row lie, over several overlapping pictures of it.

A picture finds its place by the names it shares with those before; from then on a card is a spot on
the map, not a name: what is read there in all pictures counts together, and a wrong name in some of
them founds no card of its own. Positions and index vectors are complex numbers, x + iy in pixels.

The map is that of its first picture, carried on affinely from picture to picture. It may bend and
stretch over a long row; neighbours stay neighbours, and nothing more is asked of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.decks import get_deck
from vision.arrays import FloatArray
from vision.rows.anchors import leading_indices
from vision.rows.votes import BLUR
from vision.types import NO_PROBS, CardRead, IndexRead

ComplexArray = NDArray[np.complex128]

#: A read this near to a spot, in index heights, is the card there; by its name from farther.
_SAME, _BY_NAME = 0.45, 1.8
#: Two spots of one name this near are one card, if they are hardly ever seen in one picture: in
#: such a part of the pictures that show the rarer one.
_NEAR_NAME, _TOGETHER = 2.0, 0.1
#: So are two of one name anywhere, of which the shares of pictures that show them (of those that
#: should) come to less than this together.
_BY_TURNS = 1.4
#: Furthest from where a similarity would have it: index heights, and more far from the known ones.
_INLIER, _INLIER_FAR = 0.6, 0.12
#: Rounds of fitting the picture to what it shares with the map.
_ROUNDS = 4
#: Reach, in index heights, of what neighbours say of the map's local distortion.
_REACH = 4.0
#: A spot's position is the mean over about so many of its last pictures.
_MEMORY = 8
#: Cards of most decks, for chances that nothing is known of.
_WHOLE = get_deck().whole
#: An index nearer to the picture's border than this, in index heights, may be cut off.
_MARGIN = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class RowPicture:
    """What one picture shows, ready to be laid on a map.

    Attributes:
        reads: n reads, accepted and doubtful.
        at: (n,) leading indices' centres.
        down: (n,) their rank-to-suit vectors, as long as the indices are high.
        firm: (n,) which stand in the picture's row as cards do.
        usable: (n,) of which the leading index was seen.
        size: width and height of the picture.
    """

    reads: Sequence[CardRead]
    at: ComplexArray
    down: ComplexArray
    firm: NDArray[np.bool_]
    usable: NDArray[np.bool_]
    size: tuple[int, int]


def view_of(reads: Sequence[CardRead], firm: Sequence[bool], size: tuple[int, int]) -> RowPicture:
    """A picture's reads, at least one, with where their leading indices stand."""
    anchors = leading_indices(reads)
    plane = np.array([1, 1j])
    at, down = anchors.at @ plane, anchors.down @ plane
    return RowPicture(reads, at, down, np.array(firm, bool), ~anchors.flipped, size)


def turned_about(view: RowPicture) -> RowPicture | None:
    """The same picture with its cards read the other way up; None where no index stands so.

    Where the row's upper edge is cut off, cards with indices at all corners show the lower ones
    only, and a picture alone seems to stand on its head. What lies around it tells better.
    """
    way = -view.down / np.maximum(np.abs(view.down), 1e-9)
    at, down = view.at.copy(), view.down.copy()
    usable = np.zeros(len(at), bool)
    for k, read in enumerate(view.reads):
        standing = [
            (complex(*index.centre), index.size * complex(*index.direction))
            for index in read.indices
            if (complex(*index.direction) * way[k].conjugate()).real > 0
        ]
        if standing:
            # The leftmost as the card then stands: its right is a quarter turn back from its down.
            right = -1j * way[k]
            at[k], down[k] = min(standing, key=lambda s: (s[0] * right.conjugate()).real)
            usable[k] = True
    return RowPicture(view.reads, at, down, view.firm, usable, view.size) if usable.any() else None


@dataclass(slots=True, eq=False)
class Spot:
    """A card's place on the map.

    Attributes:
        at: its leading index's centre.
        down: that index's rank-to-suit vector.
        votes: evidence for each name, in log chances above nothing being known.
        hits: pictures in which something was read here.
        firm: how many of them had it stand in the row.
        best: the likeliest name.
    """

    at: complex
    down: complex
    votes: defaultdict[Card, float] = field(default_factory=lambda: defaultdict(float))
    hits: int = 0
    firm: int = 0
    best: Card | None = None
    reads: list[CardRead] = field(default_factory=list)

    def add(self, read: CardRead, at: complex, down: complex, *, firm: bool, weight: float) -> None:
        """Takes in what one picture shows here."""
        self.hits += 1
        self.firm += firm
        self.reads.append(read)
        share = max(1 / self.hits, 1 / _MEMORY)
        self.at += share * (at - self.at)
        self.down += share * (down - self.down)
        least = BLUR / _WHOLE
        for card, chance in ((read.card, read.confidence), *read.alternatives):
            self.votes[card] += weight * math.log((1 - BLUR) * chance / least + 1)
        self.best = max(self.votes, key=lambda card: self.votes[card])

    def take(self, other: Spot) -> None:
        """Takes over all that was read at another spot."""
        self.hits, self.firm = self.hits + other.hits, self.firm + other.firm
        self.reads += other.reads
        for card, vote in other.votes.items():
            self.votes[card] += vote
        self.best = max(self.votes, key=lambda card: self.votes[card])


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How a picture lies on the map: new = linear part of (x, y), plus what neighbours add.

    Attributes:
        matrix: (3,) complex a, b, c of ``a · z + b · conj(z) + c``, which is any affine map.
        pairs: (m, 2) reads of the picture and spots that fixed it.
        rest: (m,) what the affine map leaves for each of them.
    """

    matrix: ComplexArray
    pairs: NDArray[np.intp]
    rest: ComplexArray

    def linear(self, vectors: ComplexArray) -> ComplexArray:
        """Vectors of the picture on the map."""
        a, b, _ = self.matrix
        return np.asarray(a * vectors + b * vectors.conj())

    def affine(self, points: ComplexArray) -> ComplexArray:
        """Points of the picture on the map, without local corrections."""
        return np.asarray(self.linear(points) + self.matrix[2])

    def back(self, points: ComplexArray) -> ComplexArray:
        """Points of the map in the picture, without local corrections."""
        a, b, c = self.matrix
        z = points - c
        return np.asarray((a.conjugate() * z - b * z.conj()) / (abs(a) ** 2 - abs(b) ** 2))


class RowMap:
    """Spots of one connected part of the row.

    Args:
        first: the picture that founds it.
    """

    def __init__(self, first: RowPicture) -> None:
        self.spots: list[Spot] = []
        self.views: list[tuple[RowPicture, Fit, dict[int, int]]] = []
        none = np.zeros((0, 2), np.intp)
        self.add(first, Fit(np.array([1, 0, 0], complex), none, np.zeros(0, complex)))

    def fit(self, view: RowPicture, *, least: int) -> Fit | None:
        """How a picture lies on the map.

        Args:
            view: the picture.
            least: names that they must share; None is returned where they do not.
        """
        pairs = self._shared(view)
        if len(pairs) < least:
            return None
        at, down = view.at[pairs[:, 0]], view.down[pairs[:, 0]]
        there = np.array([self.spots[k].at for k in pairs[:, 1]])
        there_down = np.array([self.spots[k].down for k in pairs[:, 1]])
        inside = _consistent(at, down, there, there_down)
        if inside.sum() < max(least, 0.4 * len(pairs)):
            return None
        for _ in range(_ROUNDS):
            matrix = _affine(at[inside], down[inside], there[inside], there_down[inside])
            rest = there - (matrix[0] * at + matrix[1] * at.conj() + matrix[2])
            # What seemed wrongly named may only lie where the picture is foreshortened.
            nearer = np.abs(rest) < _BY_NAME * np.abs(there_down)
            if nearer.sum() < least or (nearer == inside).all():
                break
            inside = nearer
        return Fit(matrix, pairs[inside], rest[inside])

    def add(self, view: RowPicture, fit: Fit) -> None:
        """Lays a picture on the map."""
        at = self._placed(view, fit)
        down = fit.linear(view.down)
        found = self._associated(view, at, down)
        for k, read in enumerate(view.reads):
            if not view.usable[k]:
                continue
            if k not in found and view.firm[k]:
                found[k] = len(self.spots)
                self.spots.append(Spot(complex(at[k]), complex(down[k])))
            if k in found:
                self.spots[found[k]].add(
                    read,
                    complex(at[k]),
                    complex(down[k]),
                    firm=bool(view.firm[k]),
                    weight=_weight(view, k),
                )
        self.views.append((view, fit, found))

    def unite(self) -> None:
        """Makes one of spots that must be one card: near, and never seen in one picture."""
        while (pair := self._same_card()) is not None:
            kept, gone = pair
            self.spots[kept].take(self.spots[gone])
            del self.spots[gone]
            for _, _, found in self.views:
                for read, spot in found.items():
                    one = kept if spot == gone else spot
                    found[read] = one - (one > gone)

    def _same_card(self) -> tuple[int, int] | None:
        """Two spots that are one card, the one seen more often first; None where there are none.

        They lie on top of each other, or bear one name and are seen by turns: where the one is
        read the other is not, though it should be in view. So a map that has slipped looks.
        """
        at = np.array([spot.at for spot in self.spots])
        size = np.abs([spot.down for spot in self.spots])
        gap = 2 * np.abs(at[:, None] - at[None]) / (size[:, None] + size[None])
        hit = self._hit()
        both = hit.T.astype(int) @ hit
        hits = np.diag(both)
        rare = both <= _TOGETHER * np.minimum(hits[:, None], hits[None])
        seen = self.seen()
        by_turns = (gap < _NEAR_NAME) | (seen[:, None] + seen[None] < _BY_TURNS)
        for i, j in np.argwhere(np.triu(rare & ((gap < _SAME) | by_turns), 1)).tolist():
            if gap[i, j] < _SAME or self.spots[i].best == self.spots[j].best:
                return (i, j) if hits[i] >= hits[j] else (j, i)
        return None

    def _hit(self) -> NDArray[np.bool_]:
        """(pictures, spots): what was read where."""
        hit = np.zeros((len(self.views), len(self.spots)), bool)
        for row, (_, _, found) in zip(hit, self.views, strict=True):
            row[list(found.values())] = True
        return hit

    def seen(self, *, growing: bool = False) -> FloatArray:
        """In how many pictures each spot was read, of those in which it must have been in view.

        A picture in which little is read of what it shows counts for as little.

        Args:
            growing: whether cards may be laid meanwhile; then pictures before the first in which a
                spot was read do not count for it.

        Returns:
            Shares between 0 and 1.
        """
        at = np.array([spot.at for spot in self.spots])
        size = np.abs([spot.down for spot in self.spots])
        hits, views = np.zeros(len(at)), np.full(len(at), 1e-9)
        begun = np.full(len(at), not growing)
        for hit, (view, fit, _) in zip(self._hit(), self.views, strict=True):
            there = fit.back(at)
            margin = 1.5 * size / max(abs(fit.matrix[0]), 1e-9)
            inside = (there.real > margin) & (there.real < view.size[0] - margin)
            inside &= (there.imag > margin) & (there.imag < view.size[1] - margin)
            inside |= hit
            known = inside & (np.array([spot.firm for spot in self.spots]) > 1)
            clear = float(hit[known].mean()) if known.any() else 1.0
            begun |= hit
            hits += clear * hit
            views += clear * (inside & begun)
        return np.asarray(hits / views)

    def _shared(self, view: RowPicture) -> NDArray[np.intp]:
        """(m, 2): reads and spots of one name."""
        named: dict[Card, list[int]] = defaultdict(list)
        for k, spot in enumerate(self.spots):
            if spot.best is not None:
                named[spot.best].append(k)
        pairs = [
            (k, spot)
            for k, read in enumerate(view.reads)
            if view.usable[k] and view.firm[k]
            for spot in named.get(read.card, ())
        ]
        return np.array(pairs, np.intp).reshape(-1, 2)

    def _placed(self, view: RowPicture, fit: Fit) -> ComplexArray:
        """Where the reads lie on the map, with what their neighbours are off taken into account."""
        at = fit.affine(view.at)
        if not len(fit.pairs):
            return at
        known = at[fit.pairs[:, 0]]
        size = np.abs(fit.linear(view.down))
        far = np.abs(at[:, None] - known[None]) / (_REACH * size[:, None])
        near = np.exp(-(far**2))
        return np.asarray(at + (near @ fit.rest) / (near.sum(axis=1) + 0.1))

    def _associated(self, view: RowPicture, at: ComplexArray, down: ComplexArray) -> dict[int, int]:
        """Which read lies on which spot: the nearest, each once."""
        if not self.spots:
            return {}
        there = np.array([s.at for s in self.spots])
        there_down = np.array([s.down for s in self.spots])
        size = (np.abs(down)[:, None] + np.abs(there_down)[None]) / 2
        gap = np.abs(at[:, None] - there[None]) / size
        turned = np.real(down[:, None] * there_down[None].conj()) < 0.5 * np.abs(
            down[:, None] * there_down[None]
        )
        same = np.array([[read.card == s.best for s in self.spots] for read in view.reads])
        possible = (gap < np.where(same, _BY_NAME, _SAME)) & ~turned
        cost = np.where(possible & view.usable[:, None], gap + _BY_NAME * ~same, np.inf)
        found: dict[int, int] = {}
        for flat in np.argsort(cost, axis=None, kind="stable")[: int(np.isfinite(cost).sum())]:
            k, spot = divmod(int(flat), len(self.spots))
            if k not in found and spot not in found.values():
                found[k] = spot
        return found


def _weight(view: RowPicture, k: int) -> float:
    """How much a read counts: less at the picture's border, where an index may be cut off."""
    x, y = view.at[k].real, view.at[k].imag
    near = min(x, y, view.size[0] - x, view.size[1] - y) / max(abs(view.down[k]), 1e-6)
    return 1.0 if near > _MARGIN else 0.4


def _consistent(
    at: ComplexArray, down: ComplexArray, there: ComplexArray, there_down: ComplexArray
) -> NDArray[np.bool_]:
    """The largest set of pairs that one similarity explains, roughly; (n,).

    Every pair alone gives a similarity by its index's vector, every two by their positions.
    """
    size = np.abs(there_down)
    i, j = np.triu_indices(len(at), 1)
    apart = np.abs(at[j] - at[i]) > 1e-6
    i, j = i[apart], j[apart]
    turns = np.concatenate([there_down / down, (there[j] - there[i]) / (at[j] - at[i])])
    bases = np.concatenate([np.arange(len(at)), i])
    upright = np.abs(np.angle(turns / np.median(there_down / down))) < 0.6
    turns, bases = turns[upright], bases[upright]
    if not len(turns):
        return np.zeros(len(at), bool)
    guess = there[bases, None] + turns[:, None] * (at[None] - at[bases, None])
    off = np.abs(guess - there[None]) / size[None]
    reach = np.abs(there[None] - there[bases, None]) / size[None]
    inside = off < _INLIER + _INLIER_FAR * reach
    score = inside.sum(axis=1) - 0.5 * np.where(inside, off, 0).sum(axis=1) / inside.sum(axis=1)
    return np.asarray(inside[int(np.argmax(score))])


def _affine(
    at: ComplexArray, down: ComplexArray, there: ComplexArray, there_down: ComplexArray
) -> ComplexArray:
    """Least squares of ``there = a · at + b · conj(at) + c``, drawn to ``b = 0`` where free.

    The indices' vectors count as well, less: they tell the scale across the row.
    """
    size = float(np.mean(np.abs(down)))
    one, none = np.ones(len(at)), np.zeros(len(at))
    rows = [
        np.column_stack([at, at.conj(), one]),
        0.5 * np.column_stack([down, down.conj(), none]),
        np.array([[0, 1.0 * size, 0]]),
    ]
    values = [there, 0.5 * there_down, np.zeros(1)]
    return np.asarray(
        np.linalg.lstsq(np.concatenate(rows), np.concatenate(values), rcond=None)[0], complex
    )


def spot_read(spot: Spot, card: Card, confidence: float) -> CardRead:
    """A spot as the read of a card, on the map."""
    size = abs(spot.down)
    way = spot.down / size
    index = IndexRead(
        (spot.at.real, spot.at.imag), (way.real, way.imag), size,
        NO_PROBS, NO_PROBS, confidence,
    )  # fmt: skip
    return CardRead(card, confidence, (index.centre,) * 4, (index,))
