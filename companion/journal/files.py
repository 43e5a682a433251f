"""A journal's files, before anything in them is read: found, made, removed."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from companion.atomic_io import make_private_folder, open_private
from companion.journal.errors import DamagedError, JournalError

MAGIC = b"SQLite format 3\0"
#: Bytes without which there is no room: what SQLite keeps beside a file it writes, and some.
_ROOM = 256_000
_SIDES = ("-wal", "-shm", "-journal")


def is_journal(path: Path) -> bool:
    """Whether a file looks like a journal (an SQLite file)."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def look_at(path: Path) -> tuple[bool, str]:
    """Whether a file is there and worth opening, and why it may only be read.

    Raises:
        JournalError: it is no journal, or cannot be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise DamagedError(f"{path} is no journal: it is no plain file.")
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
    except FileNotFoundError:
        if path.is_symlink():
            raise JournalError(f"{path} is a link to nothing: remove it.") from None
        return False, ""
    except OSError as error:
        reason = error.strerror or error
        raise JournalError(f"The journal {path} cannot be read: {reason}.") from error
    if head and head != MAGIC:
        raise DamagedError(
            f"{path} is no journal, or its beginning is damaged: restore a backup of it, "
            "or move it away to begin a new one."
        )
    return bool(head), _why_read_only(path, exists=bool(head))


def _why_read_only(path: Path, *, exists: bool) -> str:
    names = (path.name + side for side in ("", *_SIDES))
    link = next((name for name in names if path.with_name(name).is_symlink()), "")
    if link:
        return (
            f"{link} is a link to another file, and nothing is written through links: it is "
            "open for reading only."
        )
    # Not by opening it: closing it again would drop the locks of a connection to it.
    if exists and not os.access(
        path, os.W_OK, effective_ids=os.access in os.supports_effective_ids
    ):
        return "The file may not be written: it is open for reading only."
    return ""


def make_folder(path: Path) -> None:
    """Makes the folder of a file.

    Raises:
        JournalError: it cannot be made.
    """
    try:
        make_private_folder(path.parent)
    except OSError as error:
        reason = error.strerror or error
        raise JournalError(f"{path.parent} cannot be made: {reason}.") from error


def make_file(path: Path) -> None:
    """Creates it for its owner alone; SQLite gives its other files the same permissions.

    Raises:
        JournalError: it cannot be made.
    """
    try:
        os.close(open_private(path))
    except OSError as error:
        reason = error.strerror or error
        raise JournalError(f"The journal {path} cannot be made: {reason}.") from error


def has_no_room(path: Path) -> bool:
    """Whether there is no room left where a file lies."""
    try:
        found = shutil.disk_usage(path.parent)
    except OSError:
        return False
    return found.free < _ROOM


def remove_files(path: Path) -> None:
    """Removes a closed journal's files.

    Raises:
        JournalError: one of them cannot be removed.
    """
    for name in (path.name, *(path.name + side for side in _SIDES), path.name + ".lock"):
        file = path.with_name(name)
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise JournalError(f"{file} cannot be removed: {error.strerror or error}.") from error
