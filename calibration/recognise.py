"""Names enrolled pieces in pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.contours import Traces
from calibration.embed import Embedder, Vectors, rectified, stretched, view_of
from calibration.enrolment import EnrolledDeck, Naming, name_turns
from calibration.outlines import (
    Corners,
    Outline,
    Shape,
    find_outlines,
    overlap,
    shape_of,
    sharpened,
    traces_for,
)
from calibration.printing.curves import rasterised
from calibration.printing.faces import RIM, printable
from companion.cards import Card, card
from companion.decks import Deck
from companion.errors import CompanionError
from vision.arrays import Image
from vision.types import CardRead, IndexRead, Quad, Reading, timed

#: Longer side in pixels at which drawn faces are turned into prototypes.
_DRAWN_SIDE = 260.0
#: Blurs of the drawn faces, in pixels of the network's picture: sharp, and as a camera sees them.
_DRAWN_BLURS = (0.5, 1.1)
#: An outline may lie a little off, and the frame within the rim may be taken for it: the faces are
#: cut out by so many times the rim within their edge.
_DRAWN_INSETS = (-0.5, 0.0, 0.5, 1.0)
#: A piece cut out along the wrong line is less like its prototype than `_PLAIN`, or named less
#: surely than that; a stranger hardly comes up to `_MAY_BE`.
#: Of two things that overlap by more, as a share of the smaller one, one is print on a piece.
_UPON = 0.3
#: A coin is tried in every third turn first, then in the turns beside the best two of them; a turn
#: that is a little off takes so much from its likeness at most.
_COARSE, _BEST_TURNS, _A_TURN_OFF = 3, 2, 0.2
_MAY_BE, _PLAIN, _SURE = 0.4, 0.82, 0.99
#: What lies within a thing that is no piece is at most so large, as a share of its area.
_SMALLER = 0.9


def printed_deck(
    name: str, embedder: Embedder, captions: Mapping[str, str] | None = None
) -> EnrolledDeck:
    """One of our own decks, taught from its drawings.

    Args:
        name: of a printable deck.
        embedder: the network.
        captions: see `calibration.printing.faces.printable`.

    Raises:
        UsageError: there is no such deck.
    """
    deck = printable(name, captions)
    shape = shape_of(deck.deck)
    labels, patches = [], []
    for code, drawing in deck.faces.items():
        face = rasterised(drawing, _DRAWN_SIDE / max(drawing.size), 2)[..., :3]
        h, w = face.shape[:2]
        for share in _DRAWN_INSETS if name in RIM else (0.0,):
            inset = share * RIM.get(name, 0.0) * w / drawing.size[0]
            x, y = w - inset, h - inset
            corners = np.array([[inset, inset], [x, inset], [x, y], [inset, y]], np.float32) - 0.5
            square = rectified(np.ascontiguousarray(face), corners, shape)
            for blur in _DRAWN_BLURS:
                labels.append(code)
                patches.append(np.asarray(cv2.GaussianBlur(square, (0, 0), blur), np.uint8))
    return EnrolledDeck(name, shape, deck.deck.size_mm, tuple(labels), embedder(patches))


def _turns_beside(likeness: Vectors) -> list[int]:
    """The turns next to the best ones of a coin.

    Args:
        likeness: (turns, views) cosines, 0 for turns that were not tried.
    """
    best = likeness.max(1)
    count = len(best)
    top = np.argsort(-best[::_COARSE])[:_BEST_TURNS] * _COARSE
    if best[top[0]] < _MAY_BE - _A_TURN_OFF:
        return []
    steps = [step for step in range(1 - _COARSE, _COARSE) if step]
    return sorted({(int(turn) + step) % count for turn in top for step in steps})


def _likeness(named: Sequence[tuple[Outline, Naming]]) -> float:
    """Of the likest piece."""
    return named[0][1].likeness if named else 0.0


class Recogniser:
    """Names the separate pieces of a deck in a picture.

    Args:
        deck: what may lie there.
        embedder: the network.
    """

    def __init__(self, deck: EnrolledDeck, embedder: Embedder) -> None:
        self.deck, self._embedder = deck, embedder

    def named(self, image: Image, traces: Traces | None = None) -> list[tuple[Outline, Naming]]:
        """Every piece that is found, known or not, the likest first.

        Args:
            image: (height, width, 3) BGR.
            traces: its closed lines, where they are known.
        """
        lines = traces_for(image, self.deck.shape) if traces is None else traces
        named = self._named(image, lines, math.inf)
        if named and named[0][1].likeness < _MAY_BE and self.deck.shape is not Shape.COIN:
            # Lines of a patterned table may pass for one great piece round about the real one.
            below = _SMALLER * max(cv2.contourArea(outline.corners) for outline, _ in named)
            named = max(named, self._named(image, lines, below), key=_likeness)
        return named

    def _named(self, image: Image, lines: Traces, below: float) -> list[tuple[Outline, Naming]]:
        """The pieces of less than some area, pixels."""
        size = self.deck.size_mm
        aspect = size[0] / size[1] if size else 63 / 88
        outlines = find_outlines(image, self.deck.shape, aspect=aspect, traces=lines, below=below)
        if self.deck.shape is Shape.CARD:
            # Of the two ways round the likelier one is kept.
            outlines += [turned for outline in outlines if (turned := outline.on_its_side)]
        named = list(zip(outlines, self._names(image, outlines), strict=True))
        closer = [self._closer(image, outline, naming) for outline, naming in named]
        kept: list[tuple[Outline, Naming]] = []
        for outline, naming in sorted(closer, key=lambda found: -found[1].likeness):
            if not any(overlap(outline, other) > _UPON for other, _ in kept):
                kept.append((outline, naming))
        return kept

    def _names(self, image: Image, outlines: Sequence[Outline]) -> list[Naming]:
        shape = self.deck.shape
        views = [view_of(image, outline.corners) for outline in outlines]
        every = range(0, shape.turns, _COARSE if shape is Shape.COIN else 1)
        turned = self._turned(views, [list(every)] * len(views))
        if shape is Shape.COIN:
            # Nearly right turns are like enough to tell which ones are worth a closer look.
            finer = [_turns_beside(rows @ self.deck.vectors.T) for rows in turned]
            turned = [a + b for a, b in zip(turned, self._turned(views, finer), strict=True)]
        return [name_turns(self.deck, rows) for rows in turned]

    def _turned(
        self, views: Sequence[tuple[Image, Corners]], turns: Sequence[Sequence[int]]
    ) -> list[Vectors]:
        """The vectors of pieces in some of the ways they may lie; those of the others are 0."""
        patches = [
            stretched(*view, self.deck.shape, turn=turn)
            for view, some in zip(views, turns, strict=True)
            for turn in some
        ]
        vectors = self._embedder(patches)
        found, start = [], 0
        for some in turns:
            rows = np.zeros((self.deck.shape.turns, self.deck.vectors.shape[1]), np.float32)
            rows[list(some)] = vectors[start : start + len(some)] if some else 0.0
            found.append(rows)
            start += len(some)
        return found

    def _closer(self, image: Image, outline: Outline, naming: Naming) -> tuple[Outline, Naming]:
        """The piece by another line that may be its edge, where it looks more like a piece then."""
        is_sure = naming.confidence > _SURE and naming.likeness > _PLAIN
        if not outline.others or is_sure or naming.likeness < _MAY_BE:
            return outline, naming
        lines = outline.others
        if self.deck.shape is not Shape.COIN:
            lines = tuple(sharpened(image, corners) for corners in lines)
        others = [replace(outline, corners=corners) for corners in lines]
        every = [(outline, naming), *zip(others, self._names(image, others), strict=True)]
        return max(every, key=lambda found: found[1].likeness)


class FaceReader:
    """A `vision.protocols.CardReader` that goes by whole faces instead of indices.

    Args:
        deck: whose cards the labels of the enrolled deck are codes of.
        enrolled: the taught deck.
        embedder: the network.

    Raises:
        CompanionError: no label is a code of the deck's cards.
    """

    def __init__(self, deck: Deck, enrolled: EnrolledDeck, embedder: Embedder) -> None:
        self._recogniser = Recogniser(enrolled, embedder)
        self._cards = {label: _card_of(label, deck) for label in enrolled.names}
        if not any(self._cards.values()):
            raise CompanionError(
                f"The enrolled deck “{enrolled.name}” holds no card of “{deck.name}”; "
                "name its pieces by their codes, such as "
                f"{', '.join(c.code for c in deck.cards[:3])}."
            )

    def read(self, image: Image, traces: Traces | None = None) -> Reading:
        """Names the pieces of a picture; each is read at its surest place only.

        Args:
            image: (height, width, 3) BGR.
            traces: its closed lines, where they are known.
        """
        return timed(lambda: self._read(image, traces))

    def _read(self, image: Image, traces: Traces | None) -> Reading:
        found = [
            self._read_of(outline, naming)
            for outline, naming in self._recogniser.named(image, traces)
            if self._cards.get(naming.label) is not None
        ]
        found.sort(key=lambda read: -read.confidence)
        sure: dict[str, CardRead] = {}
        doubtful: list[CardRead] = []
        for read in found:
            known = read.confidence >= 0.9
            once = read.card.is_known  # a coin's single face may well lie there twice
            if known and not (once and read.card.code in sure):
                sure[read.card.code if once else f"{read.card.code} {len(sure)}"] = read
            elif read.confidence > 0.2:
                doubtful.append(read)
        size = (image.shape[1], image.shape[0])
        return Reading(size, tuple(sure.values()), tuple(doubtful))

    def read_frame(self, image: Image) -> Reading:
        """The same; a frame is a picture."""
        return self.read(image)

    def read_closely(self, image: Image) -> Reading:
        """The same; whole faces have no smaller print to look for."""
        return self.read(image)

    def _read_of(self, outline: Outline, naming: Naming) -> CardRead:
        seen = self._cards[naming.label]
        assert seen is not None
        corners = _upright(outline.corners, naming.turn, self._recogniser.deck.shape)
        quad: Quad = tuple((float(x), float(y)) for x, y in corners)  # type: ignore[assignment]
        down = (corners[3] - corners[0]).astype(float)
        way = down / max(1e-6, float(np.linalg.norm(down)))
        pose = IndexRead(
            outline.centre,
            (float(way[0]), float(way[1])),
            outline.size / 5,
            np.zeros(15, np.float32),
            np.zeros(5, np.float32),
            naming.confidence,
        )
        others = tuple(
            (other, chance)
            for label, chance in naming.alternatives
            if (other := self._cards.get(label)) is not None
        )
        return CardRead(seen, naming.confidence, quad, (pose,), others, outlined=True)


def _upright(corners: np.ndarray, turn: int, shape: Shape) -> np.ndarray:
    """The corners clockwise from the upper left of the piece as its prototype stands."""
    if shape is Shape.COIN:
        return corners
    return np.roll(corners, -(2 if shape is Shape.CARD else 1) * turn, 0)


def _card_of(label: str, deck: Deck) -> Card | None:
    try:
        return card(label, deck.family)
    except CompanionError:
        return None
