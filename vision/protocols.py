"""The seams of the eyes: what a reader of pictures and a source of frames must offer."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from vision.arrays import Image
from vision.types import Reading


@runtime_checkable
class CardReader(Protocol):
    """Finds and names the cards of a picture; ``vision.reader.Reader`` is the real one."""

    def read(self, image: Image) -> Reading:
        """Reads a still, as well as it can.

        Args:
            image: (height, width, 3) BGR.
        """
        ...

    def read_frame(self, image: Image) -> Reading:
        """Reads one frame of a video, as fast as it can."""
        ...

    def read_closely(self, image: Image) -> Reading:
        """Reads a still of a long row: slower than ``read``, and surer."""
        ...


@runtime_checkable
class LearningReader(CardReader, Protocol):
    """A reader that gets used to a deck while it is watched."""

    def for_film(self) -> CardReader:
        """A reader for the pictures of one film: one deck, seen from one side."""
        ...


@runtime_checkable
class OutliningReader(CardReader, Protocol):
    """A reader that also tells where the cards end that it has read."""

    def read_with_faces(self, image: Image) -> Reading:
        """Reads a still, with the outlines of faces where they are seen."""
        ...

    def read_with_outlines(self, image: Image) -> Reading:
        """The same, with the outlines of backs."""
        ...


def for_film(reader: CardReader) -> CardReader:
    """The reader to use for one film: one that gets used to the deck, if there is such a one."""
    return reader.for_film() if isinstance(reader, LearningReader) else reader


@runtime_checkable
class FrameSource(Protocol):
    """Pictures one after the other: a camera, a clip, a folder.

    ``open`` raises ``vision.images.sources.SourceError`` with the reason in words. ``newest``
    returns None when there is no further frame (``ended`` is then true) or none yet.
    """

    @property
    def name(self) -> str:
        """What it is, in words for a person."""
        ...

    @property
    def ended(self) -> bool:
        """Whether no frame will come any more."""
        ...

    @property
    def failure(self) -> str | None:
        """Why it stopped, in words, where it did not simply end."""
        ...

    def open(self) -> None:
        """Gets ready to deliver frames."""
        ...

    def newest(self) -> tuple[float, Image] | None:
        """The newest frame with its time in seconds since the source was opened.

        Waits for it, a tenth of a second at most: those who ask do not pause in between, so a
        source that answers None at once keeps a core busy.
        """
        ...

    def close(self) -> None:
        """Lets go of the device or file; a closed source may be opened again."""
        ...
