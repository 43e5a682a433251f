"""The only writer of the program's files: readable by their owner alone, and never half written.

A file that another library writes, or that is locked, is at least created here: see `open_private`.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from companion.errors import UsageError

#: Modes of files and of folders made for them, whatever the process's mask says.
FILE_MODE, FOLDER_MODE = 0o600, 0o700
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def write_private(path: Path, data: bytes | str, *, folders: bool = False) -> None:
    """Writes a file that only its owner can read, in place of an older one of that name.

    It is written beside its place and then renamed, so that a full device or a power cut leaves
    the older one.

    Args:
        path: the file; a link is not followed, and only a regular file is replaced.
        data: bytes, or text that is written as UTF-8.
        folders: make the folders that are missing, for the owner alone.

    Raises:
        UsageError: it cannot be written; the message is one line that says why.
    """
    content = data.encode("utf-8") if isinstance(data, str) else data
    try:
        _check_place(path)
        if folders:
            make_private_folder(path.parent)
        _replace(path, content)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "that is no file name"
        raise UsageError(f"{path} cannot be written: {why}.") from error


def remove_private(path: Path, *others: Path) -> None:
    """Removes files of ours, where they are there.

    Raises:
        UsageError: one cannot be removed.
    """
    for each in (path, *others):
        try:
            each.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(f"{each} cannot be removed: {error.strerror}.") from None


def make_private_folder(folder: Path) -> None:
    """Makes a folder and those above it if they are missing, each for its owner alone.

    Raises:
        OSError: one cannot be made.
    """
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    try:
        folder.mkdir(mode=FOLDER_MODE)
        # The mask can only have taken rights away from the owner.
        folder.chmod(FOLDER_MODE)
    except FileExistsError:
        if not folder.is_dir():  # a file is in the way
            raise


def open_private(path: Path, *, new: bool = False) -> int:
    """Opens a file to write that only its owner may read (0600), whatever the umask.

    No link is followed: a file that somebody else chose is never written. The old content stays;
    the caller truncates it.

    Args:
        path: the file.
        new: it must not be there yet.

    Returns:
        A file descriptor for reading and writing.

    Raises:
        OSError: it is a link or no plain file, cannot be made or written, or is there already.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= os.O_EXCL if new else 0
    if path.is_symlink():
        raise OSError(errno.ELOOP, "It is a link to another file", str(path))
    file = os.open(path, flags, FILE_MODE)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "It is no plain file", str(path))
        if hasattr(os, "fchmod"):
            # Somebody else's file, on a shared drive for instance, keeps its mode.
            with suppress(PermissionError):
                os.fchmod(file, FILE_MODE)
    except BaseException:
        os.close(file)
        raise
    return file


def _check_place(path: Path) -> None:
    """Refuses a path that is something other than a file.

    Raises:
        UsageError: it is a link, a folder, a pipe or a device.
        OSError: it cannot be looked at.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise UsageError(f"{path} cannot be written: it is a link. Name the file itself.")
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a pipe, a socket or a device"
        raise UsageError(f"{path} cannot be written: it is {kind}. Name a file.")


def _replace(path: Path, content: bytes) -> None:
    """Writes a temporary file beside the target and renames it; removes it if that fails."""
    part = path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
    with suppress(FileNotFoundError):
        part.unlink()  # of a process of this number that was killed
    handle = os.open(part, _NEW, FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            part.chmod(FILE_MODE)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
