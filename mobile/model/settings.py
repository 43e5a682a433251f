"""What the app remembers: appearance and names, in one small file."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from companion.atomic_io import write_private
from companion.bounded_io import read_object_or_set_aside
from companion.errors import UsageError
from vision.images.cameras import is_live

FILE = "app.json"
#: A settings file longer than this, in bytes, is none of ours.
MAX_BYTES = 100_000
_MOST_NAMES, _LONGEST_NAME = 20, 200
#: Code → what its speakers call it.
LANGUAGES = {"en": "English", "de": "Deutsch"}
#: Seconds for a turn that can be chosen; 0 is no clock.
CLOCKS = (0, 30, 60, 120)
TEXT_SCALES = (0.85, 1.0, 1.2, 1.45)


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's choices.

    Attributes:
        theme: `dark` or `light`, empty for the device's.
        text_scale: one of `TEXT_SCALES`.
        four_colours: clubs green and diamonds blue.
        left_handed: the main buttons on the left.
        sound: sounds, and the device is felt where it can be.
        calm: nothing moves on the screen.
        spoken: what the referee says is also spoken, if the device can.
        language: code of the app's language, empty for the system's.
        welcomed: the three cards that explain the app were seen.
        reads: whether the camera read the cards of the match begun last.
        camera: name of the camera that is used, see `mobile.model.cameras`.
        files: where files go, one of `mobile.model.exports.places`.
        keep_misreads: pictures of cards that were misread are kept in the user's folder.
        clock: seconds that the turn clock gives for a turn; 0 where there is none.
    """

    theme: str = "dark"
    text_scale: float = 1.0
    four_colours: bool = False
    left_handed: bool = False
    sound: bool = True
    calm: bool = False
    spoken: bool = False
    language: str = ""
    welcomed: bool = False
    names: tuple[str, ...] = ("Ann", "Bo")
    reads: bool = False
    camera: str = "camera"
    files: str = "own"
    clock: int = 0
    keep_misreads: bool = False


def load(folder: Path) -> tuple[Settings, str]:
    """The settings kept in a folder, and what became of a damaged file.

    Returns:
        Defaults for what is missing or damaged; and where the file is no settings file one
        sentence for the user, who finds it set aside, else nothing.
    """
    stored, trouble = read_object_or_set_aside(folder / FILE, MAX_BYTES)
    kept = Settings()
    for field in fields(Settings):
        with contextlib.suppress(TypeError, ValueError):
            if field.name in stored:
                kept = replace(kept, **{field.name: _checked(field.name, stored[field.name])})
    return kept, trouble


def _checked(name: str, value: Any) -> Any:
    """A stored value, if it can be used.

    Raises:
        ValueError: it cannot.
    """
    good = {
        "theme": lambda v: v in ("", "dark", "light"),
        "text_scale": lambda v: v in TEXT_SCALES,
        "language": lambda v: v in ("", *LANGUAGES),
        "camera": lambda v: isinstance(v, str) and is_live(v),
        "files": lambda v: isinstance(v, str),
        "clock": lambda v: v in CLOCKS and not isinstance(v, bool),
        "names": lambda v: (
            isinstance(v, list)
            and 0 < len(v) <= _MOST_NAMES
            and all(isinstance(name, str) and len(name) <= _LONGEST_NAME for name in v)
        ),
    }
    # What is not named here is on or off.
    if not good.get(name, lambda v: isinstance(v, bool))(value):
        raise ValueError(name)
    return tuple(value) if name == "names" else value


def save(folder: Path, settings: Settings) -> None:
    """Keeps the settings; a folder that cannot be written changes nothing else."""
    with contextlib.suppress(UsageError):
        write_private(folder / FILE, json.dumps(asdict(settings), indent=2), folders=True)
