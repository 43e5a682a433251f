"""Where the project keeps what it must remember. Nothing is written anywhere else unasked."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from companion.errors import CompanionError

VARIABLE = "COMPANION_DATA"


def data_folder(chosen: Path | None = None, *, create: bool = False) -> Path:
    """The user's data folder.

    Args:
        chosen: a folder named by the user (`--data`); else `COMPANION_DATA`, else the platform's.
        create: make it where it is missing.

    Raises:
        CompanionError: it cannot be made.
    """
    if chosen is None:
        named = os.environ.get(VARIABLE)
        if named:
            chosen = Path(named)
        else:
            from platformdirs import user_data_path

            chosen = user_data_path("tabletop-companion", appauthor=False)
    if create:
        try:
            make_folder(chosen)
        except OSError as error:
            reason = error.strerror or error
            raise CompanionError(f"The data folder {chosen} cannot be made: {reason}.") from error
    return chosen


def make_folder(folder: Path) -> None:
    """Makes a folder, and those above it that are missing, for its owner alone (0700).

    A folder that is there stays as it is.

    Raises:
        OSError: it cannot be made.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    # A umask may have taken from the mode what the owner needs.
    folder.chmod(0o700)


def open_private(path: Path, *, new: bool = False, append: bool = False) -> int:
    """Opens a file to write that only its owner may read (0600), whatever the umask.

    No link is followed: a file that somebody else chose is never written. What stood in the file
    stays, for the caller to cut off.

    Args:
        path: the file.
        new: it must not be there yet.
        append: write behind what stands in it.

    Returns:
        A file descriptor for reading and writing.

    Raises:
        OSError: it is a link or no plain file, cannot be made or written, or is there already.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= (os.O_EXCL if new else 0) | (os.O_APPEND if append else 0)
    if path.is_symlink():
        raise OSError(errno.ELOOP, "It is a link to another file", str(path))
    file = os.open(path, flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "It is no plain file", str(path))
        if hasattr(os, "fchmod"):
            # Somebody else's file, on a shared drive for instance, keeps its mode.
            with suppress(PermissionError):
                os.fchmod(file, 0o600)
    except BaseException:
        os.close(file)
        raise
    return file


def write_private(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Writes a file that only its owner may read, whole or not at all.

    A link of that name is replaced, never followed.

    Args:
        path: the file; one that is there is replaced when the new one is complete.
        data: what is to stand in it.
        durable: have it on the disk before this returns.

    Raises:
        OSError: it cannot be written; what was there still stands.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    file = open_private(part, new=True)
    try:
        with os.fdopen(file, "wb") as out:
            out.write(data)
            out.flush()
            if durable:
                os.fsync(out.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
