"""What several commands share: reading files, JSON lines, progress, rooms that may be missing."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from textwrap import wrap
from typing import Any

import click

from companion import bounded_io
from companion.core.names import name_key
from companion.errors import CompanionError, UsageError

#: Larger text files are refused.
MAX_BYTES = 20_000_000
#: Letters of an error on stderr.
MOST_LETTERS = 600

#: What stands before the words of a step or of a line of the log.
_NUMBERED = re.compile(r" *(?:\d+ +)?")

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Machine-readable output, and nothing else on stdout."
)


class Commands(click.Group):
    """A command of several; named alone it shows its help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the arguments.

        Raises:
            UsageError: there are none.
        """
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            raise UsageError("Name one of these commands.")
        return super().parse_args(ctx, args)


def emit(value: Any) -> None:
    """Prints one JSON value on one line."""
    click.echo(json.dumps(value, ensure_ascii=False))


def say(text: str) -> None:
    """Prints a text for people; on a terminal no line breaks within a word."""
    click.echo("\n".join(wrapped(text)))


def wrapped(text: str) -> Iterator[str]:
    """The lines of a text as wide as the terminal is; as they stand where there is none."""
    columns = os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 0
    for line in text.split("\n"):
        if not 0 < columns < len(line):
            yield line
            continue
        indent = _NUMBERED.match(line)
        assert indent is not None
        yield from wrap(line, columns, subsequent_indent=" " * indent.end(), break_on_hyphens=False)


def complain(message: str) -> None:
    """One line on stderr."""
    click.echo(f"companion: {one_line(message)}", err=True)


def one_line(message: str) -> str:
    """A message without line breaks; the middle of a very long one is left out."""
    text = " ".join(message.split())
    if len(text) <= MOST_LETTERS:
        return text
    half = MOST_LETTERS // 2
    return f"{text[:half]} … {text[-half:]}"


def read_text(path: Path) -> str:
    """A text file's content; `-` is standard input.

    Raises:
        UnreadableError: it is missing, no regular file, no text, or far too large.
    """
    if str(path) == "-":
        return bounded_io.decoded(bounded_io.read_stream(sys.stdin.buffer, path, MAX_BYTES), path)
    return bounded_io.read_text(path, MAX_BYTES)


def viewer_of(text: str, players: tuple[str, ...]) -> int | None:
    """A viewer as named on the command line: `public`, a seat from 1, or a player's name.

    Raises:
        UsageError: it is none of these.
    """
    if text.casefold() == "public":
        return None
    if text.isdecimal() and 1 <= int(text) <= len(players):
        return int(text) - 1
    for seat, name in enumerate(players):
        if name_key(name) == name_key(text):
            return seat
    raise UsageError(f"“{text}” is no seat: name public, 1 to {len(players)}, or a player.")


def room(module: str) -> Any:
    """Imports a module of another room, inside the command that needs it.

    Raises:
        CompanionError: it, or a library it needs, is not installed, or another package has its
            name; says which.
    """
    try:
        _check_origin(module.partition(".")[0])
        return import_module(module)
    except ImportError as error:
        missing = error.name or str(error)
        raise CompanionError(
            f"This command needs “{missing}”, which is not installed here "
            "(companion doctor says what to install)."
        ) from error


def _check_origin(room_name: str) -> None:
    """Raises if a room's name leads to another package's module, without running it."""
    spec = find_spec(room_name)
    if spec is None:
        return
    home = Path(__file__).resolve().parents[2] / room_name
    places = [Path(place).resolve() for place in spec.submodule_search_locations or ()]
    if home not in places:
        found = places[0] if places else spec.origin
        raise CompanionError(
            f"{found} was found in place of the companion's own “{room_name}”: take it off "
            "PYTHONPATH, or install the companion into an environment of its own (pipx)."
        )


@contextmanager
def progress(title: str, total: int) -> Iterator[Any]:
    """A progress bar on stderr when that is a terminal; yields a function of the number done."""
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)
