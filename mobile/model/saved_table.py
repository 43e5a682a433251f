"""What the app remembers of a kept match beside its events: its deck, and whether a camera reads.

The journal holds what was played; how it was watched is this device's own affair.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.atomic_io import write_private
from companion.bounded_io import read_object_or_set_aside
from companion.errors import UsageError

FILE = "tables.json"
#: Of older matches nothing is remembered.
_MOST = 200
#: A file longer than this, in bytes, is none of ours.
MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Watched:
    """How a match is watched.

    Attributes:
        deck: name of the deck that lies on the table, empty for the game's first.
    """

    deck: str = ""
    camera: bool = False


def load(folder: Path, number: int) -> Watched:
    """How a session was watched; by default with the game's first deck and no camera."""
    entry = _read(folder).get(str(number))
    if not isinstance(entry, dict):
        return Watched()
    return Watched(str(entry.get("deck", "")), entry.get("camera") is True)


def save(folder: Path, number: int, watched: Watched) -> None:
    """Remembers it; a folder that cannot be written changes nothing else."""
    entries = _read(folder)
    entries.pop(str(number), None)
    entries[str(number)] = {"deck": watched.deck, "camera": watched.camera}
    newest = dict(list(entries.items())[-_MOST:])
    with contextlib.suppress(UsageError):
        write_private(folder / FILE, json.dumps(newest), folders=True)


def _read(folder: Path) -> dict[str, Any]:
    """What is remembered; a damaged file is set aside, and matches are watched as at first."""
    return read_object_or_set_aside(folder / FILE, MAX_BYTES)[0]
