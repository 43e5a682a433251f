"""One hand of cards that is shown to a camera: names gather over its frames.

A hand is held as a fan, and the hand, the camera or both move. No frame shows all of it equally
well, and each errs in its own way: a name counts by how many of the frames say it that show its
neighbours too. A name is sure only where nothing speaks against it; all others are asked about.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.cards import Card
from companion.decks import Deck
from vision.arrays import Image
from vision.protocols import CardReader, for_film
from vision.types import CardRead, Reading

#: A name, and the how manieth of its copies it is, from 1.
Copy = tuple[Card, int]


@dataclass(frozen=True, slots=True)
class Limits:
    """How names gather, measured on rendered hands (`python -m models.evaluate hands`).

    Attributes:
        window: frames that count, the newest ones: who shows other cards is not held to the first.
        accepted: frames of a film in which a name must be accepted to be sure; one of photographs.
        clear: how many times as many they must be as those that say another name of that card: of
            320 hands two wrong names of three were not sure any more, and two hands not whole.
        majority: part of the frames that show its neighbours which must name it: who looks long
            enough sees everything twice somewhere.
        near: index heights within which other cards say which way the hand is held.
        most_alternatives: of a card in doubt.
        other_size: how many times as large every second frame of a film is read, so that two frames
            of a hand that is held still do not err alike: of 320 hands seven more were whole. Then
            the same for frames whose longer side is more than ``large`` pixels.
    """

    window: int = 24
    accepted: int = 2
    clear: float = 2.0
    majority: float = 0.5
    near: float = 6.0
    most_alternatives: int = 3
    other_size: tuple[float, float] = (1.4, 0.7)
    large: int = 1600


@dataclass(frozen=True, slots=True)
class HandCard:
    """One card of a hand.

    Attributes:
        card: its likeliest name.
        confidence: part of the frames that show it which say this name, by their chances, 0 to 1.
        is_sure: whether it needs no question.
        alternatives: what else a doubtful one may be with its chance, the likeliest first.
    """

    card: Card
    confidence: float
    is_sure: bool
    alternatives: tuple[tuple[Card, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand as far as it is known.

    Attributes:
        cards: sure and doubtful ones in the natural order of cards; no name more often than the
            deck has it, and no more cards than are expected.
        expected: how many the hand holds; None if that is not known.
        frames: how many frames showed cards so far.
        steady: how many frames in a row have left it as it is.
        deck: name of the deck as which the last of them was read.
        in_view: how many names need no question by themselves; more than expected are not one hand.
    """

    cards: tuple[HandCard, ...] = ()
    expected: int | None = None
    frames: int = 0
    steady: int = 0
    deck: str = ""
    in_view: int = 0

    @property
    def sure(self) -> tuple[Card, ...]:
        """The cards that need no question."""
        return tuple(one.card for one in self.cards if one.is_sure)

    @property
    def doubtful(self) -> tuple[HandCard, ...]:
        """The cards that are asked about."""
        return tuple(one for one in self.cards if not one.is_sure)

    @property
    def is_whole(self) -> bool:
        """Whether all cards that are expected are there, and none is doubtful."""
        return len(self.sure) == len(self.cards) == (self.expected or max(1, len(self.cards)))


@dataclass(frozen=True, slots=True)
class _Said:
    """What one frame says of a copy of a card."""

    confidence: float
    is_accepted: bool
    alternatives: tuple[tuple[Card, float], ...]


_Frame = Mapping[Copy, _Said]


class HandReader:
    """Reads one hand from frames, none of which is kept.

    Args:
        reader: what reads a frame; None where only readings are taken in.
        deck: what can be in the hand.
        expected: how many cards it holds; None if that is not known.
        stills: whether they are photographs, chosen by a person, rather than frames of a film.
    """

    def __init__(
        self,
        reader: CardReader | None,
        deck: Deck,
        *,
        expected: int | None = None,
        stills: bool = False,
        limits: Limits | None = None,
    ) -> None:
        self._reader = reader if stills or reader is None else for_film(reader)
        self._deck, self._counts, self._expected = deck, deck.counts, expected
        self._limits = limits or (Limits(accepted=1) if stills else Limits())
        self._frames: deque[_Frame] = deque(maxlen=self._limits.window)
        self._stills, self._hand = stills, Hand(expected=expected)

    def add(self, image: Image) -> Hand:
        """Reads one frame, (height, width, 3) BGR, and drops it; gives the hand as it is known."""
        assert self._reader is not None
        return self.take(self._reader.read(self._sized(image)))

    def _sized(self, image: Image) -> Image:
        """The frame in the size in which it is read."""
        if self._stills or self._deck.enrolled or self._hand.frames % 2 == 0:
            return image
        height, width = image.shape[:2]
        factor = self._limits.other_size[max(height, width) > self._limits.large]
        way = cv2.INTER_CUBIC if factor > 1 else cv2.INTER_AREA
        size = (round(width * factor), round(height * factor))
        return np.asarray(cv2.resize(image, size, interpolation=way), np.uint8)

    def take(self, reading: Reading) -> Hand:
        """Takes in what was read in one frame."""
        frame = _said(reading, self._counts, self._limits.near)
        if frame:
            self._frames.append(frame)
            weighed = _weighed(self._frames, self._limits.majority)
            before, cards = self._hand, self._cards(weighed)
            steady = before.steady + 1 if _names(cards) == _names(before.cards) else 0
            self._hand = replace(
                before,
                cards=cards,
                frames=before.frames + 1,
                steady=steady,
                deck=reading.deck or self._deck.name,
                in_view=len(_sure(weighed, self._limits, None)),
            )
        return self._hand

    @property
    def hand(self) -> Hand:
        """The hand as far as it is known."""
        return self._hand

    def _cards(self, weighed: Mapping[Copy, _Weight]) -> tuple[HandCard, ...]:
        sure = _sure(weighed, self._limits, self._expected)
        cards = [HandCard(name[0], weighed[name].share, is_sure=True) for name in sure]
        taken = Counter(card for card, _ in sure)
        full = {card for card, count in taken.items() if count >= self._counts[card]}
        doubts = _doubts(
            {name: weight for name, weight in weighed.items() if name not in sure},
            self._frames,
            full,
            self._limits.most_alternatives,
        )
        cards += doubts if self._expected is None else doubts[: self._expected - len(sure)]
        return tuple(sorted(cards, key=lambda one: (one.card, not one.is_sure)))


def _names(cards: Sequence[HandCard]) -> list[tuple[Card, bool]]:
    return [(one.card, one.is_sure) for one in cards]


@dataclass(frozen=True, slots=True)
class _Weight:
    """What all frames together say of a copy of a card.

    Attributes:
        accepted: frames that accept it.
        named: frames that say it, accepted or not.
        share: mean chance over the frames that show its neighbours, 0 to 1.
        is_majority: whether most of those say it.
        against: frames that say another name of what seems to be the same card.
    """

    accepted: int
    named: int
    share: float
    is_majority: bool
    against: int


def _said(reading: Reading, counts: Mapping[Card, int], near: float) -> _Frame:
    """What a frame says, each name at most as often as the deck has it."""
    frame: dict[Copy, _Said] = {}
    far = _far_ends(reading.cards, near)
    reads = [(read, k not in far) for k, read in enumerate(reading.cards)]
    reads += [(read, False) for read in reading.doubtful]
    number: Counter[Card] = Counter()
    for read, is_accepted in reads:
        if number[read.card] < counts.get(read.card, 0):
            number[read.card] += 1
            frame[read.card, number[read.card]] = _Said(
                read.confidence, is_accepted, read.alternatives
            )
    return frame


def _far_ends(reads: Sequence[CardRead], near: float) -> frozenset[int]:
    """Places of reads by an index alone that stands on its head beside its neighbours.

    In a fan the lower ends of the cards show as well, more or less covered.
    """
    lone = [k for k, read in enumerate(reads) if len(read.indices) == 1]
    if len(reads) < 3 or not lone:
        return frozenset()
    known = [read.indices[0] for read in reads if read.indices]
    places = np.array([index.centre for index in known])
    ways = np.array([index.direction for index in known])
    out = []
    for k in lone:
        (index,) = reads[k].indices
        off = np.linalg.norm(places - np.array(index.centre), axis=1)
        beside = (off > 0) & (off < near * index.size)
        against = ways[beside] @ np.array(index.direction) < 0
        if beside.sum() >= 2 and against.mean() > 0.5:
            out.append(k)
    return frozenset(out)


def _weighed(frames: Collection[_Frame], majority: float) -> dict[Copy, _Weight]:
    """What all frames together say of every name that any of them says."""
    accepted, named = Counter[Copy](), Counter[Copy]()
    together: dict[Copy, Counter[Copy]] = {}
    for frame in frames:
        named.update(frame.keys())
        accepted.update(name for name, said in frame.items() if said.is_accepted)
        for name in frame:
            together.setdefault(name, Counter()).update(frame.keys())
    alike = _alike(frames)
    out = {}
    for name, count in named.items():
        # Of a hand that is shown part by part, the frames of other parts say nothing of it.
        company = {other for other, both in together[name].items() if both > count / 2} - {name}
        shows = [frame for frame in frames if len(company & frame.keys()) * 2 >= len(company)]
        chance = sum(frame[name].confidence for frame in shows if name in frame)
        saying = sum(name in frame for frame in shows)
        rivals = alike[name[0]] - {other[0] for other in together[name]}
        against = max((said for other, said in named.items() if other[0] in rivals), default=0)
        out[name] = _Weight(
            accepted[name],
            count,
            chance / max(1, len(shows)),
            saying > majority * len(shows),
            against,
        )
    return out


def _alike(frames: Iterable[_Frame]) -> dict[Card, set[Card]]:
    """For each name the others that one read held possible beside it."""
    alike: dict[Card, set[Card]] = defaultdict(set)
    for frame in frames:
        for (card, _), said in frame.items():
            for other, _ in said.alternatives:
                alike[card].add(other)
                alike[other].add(card)
    return alike


def _sure(weighed: Mapping[Copy, _Weight], limits: Limits, expected: int | None) -> list[Copy]:
    """The names that need no question.

    Where more are accepted than the hand holds, one of them is wrong: the bar rises.
    """
    sure = [
        name
        for name, w in weighed.items()
        if w.accepted >= limits.accepted and w.is_majority and w.accepted > limits.clear * w.against
    ]
    while expected is not None and len(sure) > expected:
        lowest = min(weighed[name].accepted for name in sure)
        sure = [name for name in sure if weighed[name].accepted > lowest]
    return sure


def _doubts(
    weighed: Mapping[Copy, _Weight], frames: Collection[_Frame], full: Set[Card], most: int
) -> list[HandCard]:
    """The names that are not sure, the likeliest first, one for each place.

    Args:
        weighed: those names.
        frames: what all frames say.
        full: cards of which no further copy can be there.
        most: alternatives that are told of each.
    """
    waiting = sorted(weighed, key=lambda name: -weighed[name].share)
    if len(frames) > 2:  # what one frame alone holds possible is hardly a card
        waiting = [name for name in waiting if weighed[name].named > 1 or weighed[name].accepted]
    found: dict[Copy, HandCard] = {}
    for name in waiting:
        shown = [frame for frame in frames if name in frame]
        if any(_is_rival(name, other, card, shown) for other, card in found.items()):
            continue
        chances: dict[Card, float] = {}
        for frame in shown:
            for card, chance in frame[name].alternatives:
                chances[card] = chances.get(card, 0.0) + chance / len(shown)
        others = sorted(chances.items(), key=lambda pair: -pair[1])
        likely = [pair for pair in others if pair[0] not in full][:most]
        found[name] = HandCard(name[0], weighed[name].share, False, tuple(likely))
    return list(found.values())


def _is_rival(name: Copy, other: Copy, card: HandCard, shown: Sequence[_Frame]) -> bool:
    """Whether a name is only what else the card of another one may be: no frame says both."""
    names = {alternative for alternative, _ in card.alternatives}
    return name[0] in names and not any(other in frame for frame in shown)
