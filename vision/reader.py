"""The reader: from a decoded picture to named cards in reading order."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path

from companion.decks import Deck, get_deck
from vision.arrays import Image
from vision.images.pyramid import Pyramid
from vision.indices.alphabets import LettersOfFilm
from vision.networks import load_networks
from vision.outlines.faces import with_faces, with_outlines
from vision.outlines.outliner import Outliner
from vision.scene import Scene, passed_through, scene_of
from vision.stages import Limits, modes
from vision.types import Reading, timed


class Reader:
    """Reads cards; see `vision.protocols.CardReader`.

    Args:
        folder: where the networks are; None takes the shipped ones.
        threads: processor threads for the networks.
        deck: what can lie on the table.
        auto: whether the deck is told from its letters (`vision.indices.alphabets`); ``deck`` is
            then what is read where they do not tell.
        engine: see `vision.inference.backend.open_session`.
        limits: how thoroughly pictures are read; None as shipped.

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
        limits: Limits | None = None,
    ) -> None:
        self.networks = load_networks(folder, threads=threads, engine=engine)
        self._limits = limits or Limits()
        self._prepare(deck or get_deck(), auto=auto)

    def _prepare(self, deck: Deck, *, auto: bool, film: LettersOfFilm | None = None) -> Reader:
        self.deck, self._auto, self._film = deck, auto, film
        self.modes = modes(self.networks, auto=auto, film=film, limits=self._limits)
        return self

    def for_film(self) -> Reader:
        """A reader for the pictures of one film: one deck, seen from one side.

        It shares the networks with this one, and learns from picture to picture which letters the
        deck has.
        """
        return copy(self)._prepare(self.deck, auto=self._auto, film=LettersOfFilm())

    def for_deck(self, deck: Deck) -> Reader:
        """A reader for another deck that shares the networks with this one."""
        return copy(self)._prepare(deck, auto=False, film=self._film)

    def for_sweep(self) -> Reader:
        """A reader whose stills are frames of a sweep over a row: what stands there is a card."""
        reader = copy(self)
        reader.modes = replace(self.modes, still=self.modes.sweep)
        return reader

    def read(self, image: Image) -> Reading:
        """Reads a still, as well as it can."""
        return timed(lambda: self.look(image).reading)

    def read_frame(self, image: Image) -> Reading:
        """Reads one frame of a video, as fast as it can."""
        return timed(lambda: passed_through(self.modes.frame, self._scene(image)).reading)

    def read_closely(self, image: Image) -> Reading:
        """Reads a still of a row: as any still, and where that leaves something open once more.

        The second look knows that cards of a row overlap and lie side by side, searches for smaller
        and fainter indices, and takes its time. It stands if it is surer of them.
        """
        return timed(lambda: passed_through(self.modes.row, self._scene(image)).reading)

    def read_with_faces(self, image: Image) -> Reading:
        """Reads a still, with the outlines of faces where they are seen."""
        return timed(lambda: self._outlined(with_faces, image))

    def read_with_outlines(self, image: Image) -> Reading:
        """Reads a still, with the outlines of faces and of backs."""
        return timed(lambda: self._outlined(with_outlines, image))

    def _outlined(
        self, outline: Callable[[Pyramid, Reading, Outliner], Reading], image: Image
    ) -> Reading:
        scene = self.look(image)
        return outline(scene.picture, scene.reading, self.networks.outliner)

    def look(self, image: Image) -> Scene:
        """All that is known of a still, and what each stage of reading changed."""
        return passed_through(self.modes.still, self._scene(image))

    def _scene(self, image: Image) -> Scene:
        return scene_of(image, self.deck)
