"""Photos that were misread, kept by whoever took them and read again by a later version.

A folder holds each photo beside a JSON file: what lies there, if that was said, and what was read.
Nothing leaves the folder; its files are their owner's alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from companion.atomic_io import write_private
from companion.bounded_io import FileError, read_bytes, read_json
from companion.cards import Card, parse_cards
from companion.decks import AUTO, get_deck
from companion.errors import CompanionError, UnreadableError
from vision.arrays import Image
from vision.types import Reading

#: A photo larger than that is not kept, bytes.
_MOST = 100_000_000
_DAMAGED = "is damaged; delete it, or keep the photo again with --keep-misread"


@dataclass(frozen=True, slots=True)
class Misread:
    """One kept photo.

    Attributes:
        photo: its file.
        deck: name of the deck that it was read with.
        cards: what lies there; None where nobody said.
        read: what was accepted when it was kept.
    """

    photo: Path
    deck: str
    cards: tuple[Card, ...] | None
    read: tuple[Card, ...]

    def missed_and_wrong(self, reading: Reading) -> tuple[list[str], list[str]]:
        """Codes of cards that a reading misses, and of those that do not lie there.

        Where nobody said what lies there, by what was read when the photo was kept.
        """
        wanted = Counter(card.code for card in (self.read if self.cards is None else self.cards))
        got = Counter(read.card.code for read in reading.cards)
        return sorted((wanted - got).elements()), sorted((got - wanted).elements())


def is_worth_keeping(reading: Reading, cards: Sequence[Card] | None) -> bool:
    """Whether a photo was misread, or leaves something in doubt where nobody says what lies there.

    Args:
        reading: of the photo.
        cards: what lies there, if that is known.
    """
    if cards is None:
        return bool(reading.doubtful or reading.looks_like)
    return Counter(read.card for read in reading.cards) != Counter(cards)


def keep(
    folder: Path, photo: Path, reading: Reading, *, deck: str, cards: Sequence[Card] | None
) -> Path:
    """Copies a photo into a folder, with what was read and what lies there; gives the copy.

    Args:
        folder: made if it is missing.
        photo: the file.
        reading: what was read.
        deck: name of the deck, or `AUTO`.
        cards: what lies there, if that is known.

    Raises:
        FileError: the photo cannot be read again.
        UsageError: the folder cannot be written.
    """
    copy = _free(folder, photo)
    write_private(copy, read_bytes(photo, _MOST), folders=True)
    _write_note(copy, reading, deck=deck, cards=cards)
    return copy


def keep_picture(
    folder: Path,
    image: Image,
    reading: Reading,
    *,
    deck: str,
    cards: Sequence[Card],
    explanation: str = "",
) -> Path:
    """Writes a camera's picture into a folder as `keep` does with a photo; gives its file.

    Args:
        folder: made if it is missing.
        image: (height, width, 3) BGR.
        reading: what was read in it.
        deck: name of the deck, or `AUTO`.
        cards: what lies there.
        explanation: what the stages of reading made of it, written beside it; empty for none.

    Raises:
        UsageError: the folder cannot be written.
    """
    copy = _free(folder, Path("camera.png"))
    write_private(copy, cv2.imencode(".png", image)[1].tobytes(), folders=True)
    _write_note(copy, reading, deck=deck, cards=cards)
    if explanation:
        write_private(copy.with_suffix(".txt"), explanation + "\n")
    return copy


def _write_note(copy: Path, reading: Reading, *, deck: str, cards: Sequence[Card] | None) -> None:
    note = {
        "photo": copy.name,
        "deck": deck,
        "cards": None if cards is None else [card.code for card in cards],
        "read": [read.card.code for read in reading.cards],
        "doubtful": {read.card.code: read.reason for read in reading.doubtful},
    }
    write_private(copy.with_suffix(".json"), json.dumps(note, indent=1) + "\n")


def kept(folder: Path) -> Iterator[Misread]:
    """The photos of a folder, by their names.

    Raises:
        FileError: a note is damaged; the message names it.
        UnreadableError: there is no such folder, or nothing was kept in it.
    """
    notes = sorted(folder.glob("*.json"))
    if not notes:
        raise UnreadableError(f"{folder}: no misread photo was kept there.")
    for path in notes:
        yield _misread(path, read_json(path))


def _misread(path: Path, note: Any) -> Misread:
    try:
        name, deck, cards = str(note["photo"]), str(note["deck"]), note["cards"]
        if Path(name).name != name:
            raise ValueError(name)
        if deck != AUTO:
            get_deck(deck)
        truth = None if cards is None else parse_cards(" ".join(cards))
        return Misread(path.parent / name, deck, truth, parse_cards(" ".join(note["read"])))
    except (LookupError, TypeError, ValueError, CompanionError) as error:
        raise FileError(path, _DAMAGED) from error


def _free(folder: Path, photo: Path) -> Path:
    """A name for the copy that neither a photo nor a note has yet."""
    for number in range(1, 10_000):
        ending = "" if number == 1 else f"-{number}"
        path = folder / f"{photo.stem}{ending}{photo.suffix}"
        if not path.exists() and not path.with_suffix(".json").exists():
            return path
    raise FileError(photo, "was kept there too often")
