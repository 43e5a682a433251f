"""The reader: from a decoded picture to named cards in reading order."""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.decks import Deck, get_deck
from vision.alphabets import LettersOfFilm, contradicted, likeliest
from vision.exposure import levelled
from vision.find import Finder, FirstLook
from vision.fuse import card_reads, rivals_in_row
from vision.hypotheses import Hypotheses
from vision.jokers import joker_reads
from vision.likeness import doubtful_suits_in_heaps, suits_by_likeness, suits_in_heaps
from vision.locate import Candidates
from vision.looks import LooksOfFilm, look_again, look_as_before
from vision.model_files import models_folder
from vision.one_name import one_name_a_card
from vision.outline_looks import card_about
from vision.outliner import load_outliner
from vision.row_places import leaves_open
from vision.rows import order_lines
from vision.search_again import joined, open_places, trusted
from vision.settings import FRAME, ROW, STILL, Settings
from vision.trace import Trace
from vision.types import CardRead, Reading, timed

Image = NDArray[np.uint8]

_ROUNDS = 2


class Reader:
    """Reads cards; see `vision.protocols.CardReader`.

    Args:
        folder: where the networks are; None takes the shipped ones.
        threads: processor threads for the networks.
        deck: what can lie on the table.
        auto: whether the deck's letters are told from what is seen (`vision.alphabets`); ``deck``
            is then what is read where they do not tell.
        engine: see `vision.backend.open_session`.
        still: settings of `read`.
        frame: settings of `read_frame`.
        row: settings of the second look of `read_closely`.

    Raises:
        ModelError: a network's file is missing, damaged or refused.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        threads: int = 2,
        deck: Deck | None = None,
        auto: bool = False,
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
        self._auto = auto
        self._trace: Trace | None = None
        self._film: LooksOfFilm | None = None
        self._letters: LettersOfFilm | None = None

    def for_film(self) -> Reader:
        """A reader for the pictures of one film: one deck, seen from one side.

        It shares the networks with this one, and learns from picture to picture in what ways the
        deck is best looked at, see `vision.looks`.
        """
        reader = copy(self)
        reader._film, reader._letters = LooksOfFilm(), LettersOfFilm()
        return reader

    def for_deck(self, deck: Deck) -> Reader:
        """A reader for another deck that shares the networks with this one."""
        reader = copy(self)
        reader.deck, reader.finder, reader._auto = deck, self.finder.for_deck(deck), False
        return reader

    def traced(self, trace: Trace) -> Reader:
        """A reader that tells what each of its stages does, with the same networks."""
        reader = copy(self)
        reader._trace = trace
        return reader

    def _note(self, stage: str, found: Candidates, hypotheses: Hypotheses) -> None:
        if self._trace is not None:
            self._trace.note(stage, found, hypotheses)

    def read(self, image: Image) -> Reading:
        """Reads a still, as well as it can."""
        return timed(lambda: self._read(image, self._still))

    def read_frame(self, image: Image) -> Reading:
        """Reads one frame of a video, as fast as it can."""
        return timed(lambda: self._read(image, self._frame))

    def read_closely(self, image: Image) -> Reading:
        """Reads a still of a row: as any still, and where that leaves something open once more.

        The second look knows that cards of a row overlap and lie side by side, searches for smaller
        and fainter indices, and takes its time. It stands if it is surer of them.
        """
        return timed(lambda: self._read_closely(image))

    def _read_closely(self, image: Image) -> Reading:
        first = self._read(image, self._still)
        if not leaves_open(first, self.deck.whole):
            return first
        second = self._read(levelled(image), self._row)
        return second if _sureness(second) > _sureness(first) else first

    def _read(self, image: Image, settings: Settings) -> Reading:
        look = self.finder.first_look(image, settings)
        weights = look.weights if self._letters is None else self._letters.learn(look.weights)
        if self._auto:
            reader = self.for_deck(likeliest(weights))
            return replace(reader._read_as(image, look, settings), deck=reader.deck.name)
        reading = self._read_as(image, look, settings)
        other = contradicted(weights, self.deck)
        return replace(reading, deck=self.deck.name, looks_like=other.name if other else "")

    def _read_as(self, image: Image, look: FirstLook, settings: Settings) -> Reading:
        """The reading of a picture whose deck is known."""
        found, hypotheses = self.finder.candidates(image, settings, look)
        faint = self.finder.faint_jokers(image, look)
        first = self._cards(image, found, hypotheses, settings, faint)
        # A film has further pictures, at other sizes; an English deck's common letters are read at
        # the first search, and a further one names as many cards wrongly as it finds.
        if not settings.again_sides or self._film is not None or not self.finder.has_rare_letters:
            return first
        places = open_places(found, hypotheses, first.cards)
        if not len(places):
            return first
        is_sparse = len(first.cards) < settings.few
        more = self.finder.candidates_around(image, None if is_sparse else places, settings)
        if not len(more[0]):
            return first
        second = self._cards(image, *joined((found, hypotheses), more), settings, faint)
        return trusted(first, second, accept=settings.accept)

    def _cards(
        self,
        image: Image,
        found: Candidates,
        hypotheses: Hypotheses,
        settings: Settings,
        faint: tuple[Candidates, Hypotheses],
    ) -> Reading:
        """What the candidates make together.

        Args:
            image: (height, width, 3) BGR.
            found: the candidates.
            hypotheses: what they read as.
            settings: what else to look for.
            faint: fainter candidates that read as jokers' marks.
        """
        refused: list[CardRead] = []
        if self._trace is not None:
            self._trace.begin()
        self._note("at first sight", found, hypotheses)

        def make(
            found: Candidates, hypotheses: Hypotheses
        ) -> tuple[list[CardRead], list[CardRead]]:
            refused.clear()
            return card_reads(
                found,
                hypotheses,
                accept=settings.accept,
                doubt=settings.doubt,
                in_row=settings.in_row,
                refused=refused,
            )

        read, size = partial(self.finder.read_at, image), (image.shape[1], image.shape[0])
        if settings.again:
            first, _ = make(found, hypotheses)
            found, hypotheses = look_again(read, size, found, hypotheses, first)
            self._note("in the looks that suit the picture", found, hypotheses)
        elif self._film is not None:
            hypotheses = look_as_before(read, found, hypotheses, self._film)
        hypotheses = self.finder.weighed_by_bodies(
            image, found, hypotheses, most=settings.bodies, below=settings.bodies_below
        )
        self._note("with what its card shows beside it", found, hypotheses)
        marks_of = partial(self.finder.marks, image)
        if settings.in_row:
            shapes = marks_of(found)
            hypotheses = suits_in_heaps(shapes, hypotheses, rivals_in_row(found, hypotheses))
        else:
            hypotheses = doubtful_suits_in_heaps(marks_of, found, hypotheses)
        self._note("beside the suits that look like it", found, hypotheses)
        cards, doubtful = make(found, hypotheses)
        if settings.in_row:
            # What the first round settles is a pattern in the second.
            for _ in range(_ROUNDS):
                before = hypotheses
                hypotheses = suits_by_likeness(shapes, found, before, cards)
                if hypotheses is before:
                    break
                cards, doubtful = make(found, hypotheses)
        outlines = partial(card_about, image, outliner=self._outliner)
        jokers = joker_reads(
            found,
            hypotheses,
            cards,
            faint=faint,
            accept=settings.accept,
            doubt=settings.doubt,
            in_row=settings.in_row,
            witnesses=partial(self.finder.witnesses_of_jokers, image),
            outlines=outlines,
        )
        cards, doubtful = one_name_a_card(
            [*cards, *jokers[0]],
            [*doubtful, *jokers[1]],
            Counter(self.deck.cards),
            accept=settings.accept,
            outlines=None if settings.in_row else outlines,
            refused=refused,
        )
        names = {read.card for read in cards}
        return Reading(
            size=size,
            cards=tuple(cards),
            doubtful=tuple(doubtful),
            lines=order_lines(cards),
            # That a further corner of a card shows its name once more is no news.
            refused=tuple(read for read in refused if read.card not in names),
        )


def _sureness(reading: Reading) -> float:
    """How many cards were read, each as far as it is sure."""
    return sum(read.confidence for read in reading.cards)
