"""The reader: from a decoded picture to named cards in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.decks import Deck, get_deck
from vision.deblur import SHARP, undone
from vision.exposure import deepened, is_burnt_out, levelled, smoothed
from vision.find import Finder
from vision.fuse import card_reads, rivals_in_row
from vision.hypotheses import Hypotheses
from vision.ink import suits_by_ink
from vision.jokers import joker_reads
from vision.likeness import doubtful_suits_in_heaps, suits_by_likeness, suits_in_heaps
from vision.locate import Candidates
from vision.looks import LooksOfFilm
from vision.model_files import models_folder
from vision.outline_looks import card_about
from vision.outliner import load_outliner
from vision.rank_likeness import ranks_by_likeness
from vision.rows import order_lines
from vision.search_again import (
    is_unsettled,
    joined,
    open_places,
    trusted,
    with_last_of_deck,
)
from vision.second_look import look_again, look_as_before, look_together
from vision.settings import FRAME, ROW, STILL, Settings
from vision.types import Reading, timed

Image = NDArray[np.uint8]

_ROUNDS = 2
#: How many sure cards more a deepened picture must show (a spot that it makes a card is one more),
#: one whose blur is undone, and one that was searched once more.
_WORTH_DEEPENING, _WORTH_SHARPENING, _WORTH_SEARCHING = 1.5, 0.0, 0.0
_WORTH_SMOOTHING = 0.0
#: The same for a deepened one that shows the whole deck: then the first one lacks a card.
_WORTH_WHOLE = 0.0


class Reader:
    """Reads cards; see `vision.protocols.CardReader`.

    Args:
        folder: where the networks are; None takes the shipped ones.
        threads: processor threads for the networks.
        deck: what can lie on the table.
        engine: see `vision.backend.open_session`.
        still: settings of `read`.
        frame: settings of `read_frame`.
        row: settings of `read_closely`.

    Raises:
        ModelError: a network's file is missing, damaged or refused.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        threads: int = 2,
        deck: Deck | None = None,
        engine: str | None = None,
        still: Settings | None = None,
        frame: Settings | None = None,
        row: Settings | None = None,
    ) -> None:
        self.deck = deck or get_deck()
        folder = folder or models_folder()
        self.finder = Finder(folder, self.deck, threads=threads, engine=engine)
        self._outliner = load_outliner(folder, threads=threads, engine=engine)
        self._still = still or STILL
        self._frame = frame or FRAME
        self._row = row or ROW
        self._film: LooksOfFilm | None = None

    def for_film(self) -> Reader:
        """A reader for the pictures of one film: one deck, seen from one side.

        It shares the networks with this one, and learns from picture to picture in what ways the
        deck is best looked at, see `vision.looks`.
        """
        reader = copy(self)
        reader._film = LooksOfFilm()
        return reader

    def for_deck(self, deck: Deck) -> Reader:
        """A reader for another deck that shares the networks with this one."""
        reader = copy(self)
        reader.deck, reader.finder = deck, self.finder.for_deck(deck)
        return reader

    def read(self, image: Image) -> Reading:
        """Reads a still, as well as it can."""
        return timed(lambda: self._read(image, self._still))

    def read_frame(self, image: Image) -> Reading:
        """Reads one frame of a video, as fast as it can."""
        return timed(lambda: self._read(image, self._frame))

    def read_closely(self, image: Image) -> Reading:
        """Reads a still of a long row, brought to even exposure: slower than `read`, and surer.

        A burnt-out picture is read as it is and with its pale inks deepened; the latter stands if
        it shows clearly more cards, or the whole deck where the former does not. A blurred one is
        read as it is, and together with a picture of the same in which the blur is undone; that
        stands if it is surer of them. One that leaves something open is read a little out of focus,
        too, and the surer of both readings stands.
        """
        return timed(lambda: self._read_closely(image))

    def _read_closely(self, image: Image) -> Reading:
        even = levelled(image)
        first = self._read_sharpened(even, self._row)
        if is_unsettled(first, self._whole):
            second = self._read_sharpened(smoothed(even), self._row)
            first = _stands(first, second, least=_WORTH_SMOOTHING, whole=self._whole)
        if not is_burnt_out(image):
            return first
        second = self._read_sharpened(levelled(deepened(image)), self._row)
        return of_deepened(first, second, self._whole)

    @property
    def _whole(self) -> int:
        return len(self.deck.cards) - len(self.deck.jokers)

    def _read(self, image: Image, settings: Settings) -> Reading:
        found, hypotheses = self.finder.candidates(image, settings)
        first = self._cards([image], found, hypotheses, settings)
        # A film has further pictures, at other sizes; an English deck's common letters are read at
        # the first search, and a further one names as many cards wrongly as it finds.
        if not settings.again_sides or self._film is not None or not self.finder.has_rare_letters:
            return first
        second = self._searched_again([image], found, hypotheses, first, settings)
        return trusted(first, second, accept=settings.accept)

    def _read_sharpened(self, image: Image, settings: Settings) -> Reading:
        """Reads a picture as it is, and, where it is blurred, also with the blur undone."""
        images, parts = [image], self.finder.candidates(image, settings)
        reading = self._cards(images, *parts, settings)
        blur = self.finder.blur(image, *parts) if settings.again else SHARP
        if blur != SHARP:
            both = [image, undone(image, blur)]
            more = self.finder.candidates(both[1], settings)
            together = look_together(self.finder.reading_of(both), [parts, more])
            second = self._cards(both, *together, settings)
            if _surer(reading, second, least=_WORTH_SHARPENING) is second:
                images, parts, reading = both, together, second
        if not settings.again_sides or not is_unsettled(reading, self._whole):
            return reading
        second = self._searched_again(images, *parts, reading, settings)
        return _stands(reading, second, least=_WORTH_SEARCHING, whole=self._whole)

    def _searched_again(
        self,
        images: Sequence[Image],
        found: Candidates,
        hypotheses: Hypotheses,
        first: Reading,
        settings: Settings,
    ) -> Reading:
        """What the candidates make with those of a further search; the first reading if none."""
        places = open_places(found, hypotheses, first.cards)
        if not len(places):
            return first
        is_sparse = len(first.cards) < settings.few
        more = self.finder.candidates_around(images[0], None if is_sparse else places, settings)
        if not len(more[0]):
            return first
        return self._cards(images, *joined((found, hypotheses), more), settings)

    def _cards(
        self,
        images: Sequence[Image],
        found: Candidates,
        hypotheses: Hypotheses,
        settings: Settings,
    ) -> Reading:
        """What the candidates make together.

        Args:
            images: the picture, first as it is; the others show the same in other ways.
            found: the candidates.
            hypotheses: what they read as, in all the pictures.
            settings: what else to look for.
        """
        image, read = images[0], self.finder.reading_of(images)
        size = (image.shape[1], image.shape[0])
        make = partial(
            card_reads, accept=settings.accept, doubt=settings.doubt, in_row=settings.in_row
        )
        if settings.again:
            first, _ = make(found, hypotheses)
            found, hypotheses = look_again(read, size, found, hypotheses, first)
        elif self._film is not None:
            hypotheses = look_as_before(read, found, hypotheses, self._film)
        hypotheses = self.finder.weighed_by_bodies(
            image, found, hypotheses, most=settings.bodies, below=settings.bodies_below
        )
        if settings.in_row:
            shapes, rank_shapes = self.finder.marks(images, found)
            rivals = rivals_in_row(found, hypotheses)
            hypotheses = suits_in_heaps(shapes, hypotheses, rivals)
            spread = self.finder.rank_spread
            hypotheses = ranks_by_likeness(rank_shapes, spread, hypotheses, rivals)
        else:
            hypotheses = doubtful_suits_in_heaps(
                lambda poses: self.finder.marks([image], poses)[0], found, hypotheses
            )
        cards, doubtful = make(found, hypotheses)
        told = suits_by_ink(image, found, hypotheses, cards, two=settings.in_row)
        if told is not hypotheses:
            cards, doubtful = make(found, told)
        if settings.in_row:
            # What the first round settles is a pattern in the second.
            for _ in range(_ROUNDS):
                before, told = told, suits_by_likeness(shapes, found, told, cards)
                if told is before:
                    break
                cards, doubtful = make(found, told)
        jokers = joker_reads(
            found,
            told,
            cards,
            accept=settings.accept,
            doubt=settings.doubt,
            in_row=settings.in_row,
            witnesses=partial(self.finder.witnesses_of_jokers, image),
            outlines=partial(card_about, image, outliner=self._outliner),
        )
        cards, doubtful = [*cards, *jokers[0]], [*doubtful, *jokers[1]]
        return Reading(
            size=size,
            cards=tuple(cards),
            doubtful=tuple(doubtful),
            lines=order_lines(cards),
        )


def of_deepened(first: Reading, second: Reading, whole: int) -> Reading:
    """Which of the readings of a burnt-out row stands, of it as it is or of it deepened.

    The last cards of a deck that it lacks are asked about where the other one shows them.

    Args:
        first: as it is.
        second: with its pale inks deepened.
        whole: how many cards the deck has, without jokers.
    """
    is_whole = len(second.cards) >= whole > len(first.cards)
    least = _WORTH_WHOLE if is_whole else _WORTH_DEEPENING
    return _stands(first, second, least=least, whole=whole)


def _stands(first: Reading, second: Reading, *, least: float, whole: int) -> Reading:
    """The surer reading of a row; it asks about the last of a deck that the other one shows."""
    stands = _surer(first, second, least=least)
    return with_last_of_deck(stands, second if stands is first else first, whole)


def _surer(first: Reading, second: Reading, *, least: float) -> Reading:
    """The second reading if it has so many sure cards more."""
    gain = sum(c.confidence for c in second.cards) - sum(c.confidence for c in first.cards)
    return second if gain > least else first
