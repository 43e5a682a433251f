"""The only reader of text, JSON and TOML files: everything about them is bounded before parsing.

A file is opened only if it is a regular one (a pipe or a device never ends). No more of it is read
than its kind may hold, its bytes must be UTF-8 without NUL, and its nesting is counted before a
parser sees it. Whole numbers must be ones that a floating-point number holds exactly, names in an
object must be unique, and texts hold nothing that cannot be printed or be part of a file's name.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from companion.errors import UnreadableError
from companion.phrases import phrase

#: Bytes of a text file of ours, and of a JSON or TOML file, which takes far more room once read.
MOST_BYTES, MOST_JSON_BYTES = 20_000_000, 5_000_000
#: How deep lists and objects may lie in each other; ours are five deep at most.
DEEPEST = 32
#: Letters of a number: more say nothing that a floating-point number could keep.
_LONGEST_NUMBER = 40
#: Beyond it, floating-point numbers do not represent every whole number.
_LARGEST = 2**53
#: What a damaged file's name gets when it is set aside.
ASIDE = ".damaged"

_JSON_MARKS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)
_TOML_MARKS = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"""|\Z)'
    r"|'''.*?(?:'''|\Z)"
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+(?:"|$)'
    r"|'[^'\n]*+(?:'|$)"
    r"|\#[^\n]*|[\[{]|[\]}]|[.,=\n]",
    re.DOTALL | re.MULTILINE,
)


class FileError(UnreadableError):
    """A file that is not read; the message is one line that names it and says why.

    Attributes:
        path: the file as it was named.
        why: the message without the file's name, and without a full stop.
        missing: whether there is no such file.
    """

    def __init__(self, path: Path | str, why: str, *, missing: bool = False) -> None:
        super().__init__(f"{path} {why}.")
        self.path, self.why, self.missing = path, why, missing

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.path, self.why), {"missing": self.missing})

    def advising(self, advice: str) -> FileError:
        """The same with what to do about it, unless there is no such file."""
        return self if self.missing else FileError(self.path, f"{self.why}; {advice}")


def open_regular(path: Path) -> BinaryIO:
    """Opens a regular file for reading; never blocks.

    Raises:
        FileError: it is missing, a folder, a pipe or a device, or may not be read.
    """
    try:
        # Looked at first: opening some devices does something.
        _check_kind(path, path.stat().st_mode)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _CLOSE)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "that is no file name"
        missing = isinstance(error, FileNotFoundError)
        raise FileError(path, f"cannot be read: {why}", missing=missing) from None
    file = os.fdopen(handle, "rb")
    try:
        # Once more on what was really opened: the name may have come to mean something else.
        _check_kind(path, os.fstat(handle).st_mode)
    except FileError:
        file.close()
        raise
    return file


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """A regular file's bytes.

    Args:
        path: the file.
        most: bytes that it may hold.

    Raises:
        FileError: it cannot be opened or read, is no regular file, or is larger.
    """
    with open_regular(path) as file:
        # `read` makes room for all that it is asked for, whatever the file holds.
        return read_stream(file, path, most, likely=os.fstat(file.fileno()).st_size)


def read_stream(
    file: BinaryIO, name: Path | str, most: int = MOST_BYTES, *, likely: int | None = None
) -> bytes:
    """The bytes of an open file or of standard input, which may have no end.

    Args:
        file: what is read.
        name: what to call it in messages.
        most: bytes that it may hold.
        likely: bytes that it probably holds, where that is known.

    Raises:
        FileError: it cannot be read, or holds more than `most` bytes.
    """
    try:
        data = file.read(min(most if likely is None else likely, most) + 1)
        if likely is not None and len(data) > likely:
            data += file.read(most + 1 - len(data))
    except OSError as error:
        raise FileError(name, f"cannot be read: {error.strerror or error}") from None
    if len(data) > most:
        raise FileError(name, f"is too large (more than {most:,} bytes)")
    return data


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """A text file's content, without a byte order mark.

    Raises:
        FileError: see `read_bytes` and `decoded`.
    """
    return decoded(read_bytes(path, most), path)


def decoded(data: bytes, name: Path | str) -> str:
    """Bytes as text.

    Raises:
        FileError: they are no UTF-8, or hold NUL; says so for UTF-16 by its name.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FileError(name, "is UTF-16 text; save it as UTF-8")
    if b"\0" in data:
        raise FileError(name, "is no text file (it holds a NUL byte)")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(name, "is no text file (UTF-8)") from None


def read_json(path: Path, most: int = MOST_JSON_BYTES) -> Any:
    """What a JSON file says.

    Raises:
        FileError: see `read_text` and `parse_json`.
    """
    return parse_json(read_text(path, most), path)


def parse_json(text: str, name: Path | str) -> Any:
    """What a JSON text says, with the bounds of this module.

    Raises:
        FileError: it is no JSON, or goes beyond a bound; says where or which.
    """
    _check_depth(_JSON_MARKS, text, name)
    try:
        value = json.loads(
            text,
            parse_int=_whole,
            parse_float=_fraction,
            parse_constant=_no_number,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise FileError(name, f"is no JSON (line {error.lineno}, column {error.colno})") from None
    except _BoundError as error:
        raise FileError(name, str(error)) from None
    return _checked(value, name)


def read_toml(path: Path, most: int = MOST_JSON_BYTES) -> dict[str, Any]:
    """What a TOML file says.

    Raises:
        FileError: see `read_text` and `parse_toml`.
    """
    return parse_toml(read_text(path, most), path)


def parse_toml(text: str, name: Path | str) -> dict[str, Any]:
    """What a TOML text says, with the bounds of this module.

    Raises:
        FileError: it is no TOML, or goes beyond a bound; says where or which.
    """
    _check_depth(_TOML_MARKS, text, name)
    try:
        value: dict[str, Any] = tomllib.loads(text, parse_float=_fraction)
    except tomllib.TOMLDecodeError as error:
        raise FileError(name, f"is no TOML ({' '.join(str(error).split())[:100]})") from None
    except _BoundError as error:
        raise FileError(name, str(error)) from None
    except (ValueError, RecursionError):
        raise FileError(name, "is no TOML (a number in it is too large)") from None
    _checked(value, name)
    return value


def set_aside(path: Path) -> Path | None:
    """Renames a damaged file, in its folder; replaces one set aside before.

    Returns:
        Its new name; None if it cannot be renamed.
    """
    aside = path.with_name(path.name + ASIDE)
    with suppress(OSError):
        path.replace(aside)
        return aside
    return None


def read_object_or_set_aside(path: Path, most: int = MOST_JSON_BYTES) -> tuple[dict[str, Any], str]:
    """The content of one of the app's own JSON files; damage in it never stops the app.

    Returns:
        Its object, empty if the file is missing or damaged; and if it is damaged one
        sentence for the user, who finds the file under the name in it, else nothing.
    """
    try:
        value = read_json(path, most)
    except FileError as error:
        return {}, "" if error.missing else told_aside(path)
    return (value, "") if isinstance(value, dict) else ({}, told_aside(path))


def told_aside(path: Path) -> str:
    """Sets a damaged file aside and says so in one sentence."""
    aside = set_aside(path)
    if aside is None:
        return phrase("{name} is damaged and is not used.", name=path.name)
    return phrase(
        "{name} was damaged: it is not used any more and was set aside as {aside}.",
        name=path.name,
        aside=aside.name,
    )


# -- bounds ------------------------------------------------------------------------------------


_CLOSE = getattr(os, "O_CLOEXEC", 0)


class _BoundError(Exception):
    """A limit exceeded inside a parser's hook; not a ValueError, which parsers catch."""


def _check_kind(path: Path, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    kind = "a folder" if stat.S_ISDIR(mode) else "a pipe, a socket or a device"
    raise FileError(path, f"cannot be read: it is {kind}, not a file")


def _check_depth(marks: re.Pattern[str], text: str, name: Path | str) -> None:
    """Counts brackets outside of strings, and the parts of a dotted name: each is a table."""
    depth = parts = 0
    for found in marks.finditer(text):
        mark = found.group()[0]
        if mark == ".":
            parts += 1
        elif mark in "[{":
            depth, parts = depth + 1, 0
        elif mark in "]}":
            depth -= 1
        elif mark in ",=\n":
            parts = 0
        if max(depth, parts) > DEEPEST:
            raise FileError(name, f"is nested too deeply (more than {DEEPEST} levels)")


def _whole(text: str) -> int:
    if len(text) > _LONGEST_NUMBER or abs(number := int(text)) > _LARGEST:
        raise _BoundError("holds a number that is too large")
    return number


def _fraction(text: str) -> float:
    if len(text) > _LONGEST_NUMBER:
        raise _BoundError("holds a number that is too long")
    if not math.isfinite(number := float(text)):
        raise _BoundError("holds a number that is too large")
    return number


def _no_number(text: str) -> NoReturn:
    raise _BoundError(f"holds {text}, which is no number")


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise _BoundError(f"names {twice[:40]!a} twice")
    return found


def _checked(value: Any, name: Path | str) -> Any:
    """The value, if its texts can be printed and stand in file names and its numbers are small."""
    if isinstance(value, dict):
        for key, part in value.items():
            _checked(key, name)
            _checked(part, name)
    elif isinstance(value, list):
        for part in value:
            _checked(part, name)
    elif isinstance(value, str):
        if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            raise FileError(name, "holds half a character (a lone surrogate)")
        if "\0" in value:
            raise FileError(name, "holds a NUL character")
    elif isinstance(value, int) and abs(value) > _LARGEST:
        raise FileError(name, "holds a number that is too large")
    elif isinstance(value, float) and not math.isfinite(value):
        raise FileError(name, "holds a number that is none")
    return value
