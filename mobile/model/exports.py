"""Keeps matches as files where the user asks for it.

A file holds what everybody may know; all of it only once everybody agreed to show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from companion.errors import CompanionError
from companion.writing import make_private_folder, write_private
from mobile.model.table import Table

_MOST = 1000


def free_name(folder: Path, table: Table, suffix: str) -> Path:
    """A file name in the exports folder that is not taken yet.

    Raises:
        CompanionError: the folder cannot be made.
    """
    place = _place(folder)
    stem = "-".join((table.game.name, *table.setup.players))
    names = (place / f"{stem}-{n}.{suffix}" for n in range(1, _MOST))
    path = next((name for name in names if not name.exists()), None)
    if path is None:
        raise CompanionError(f"There are too many files in {place}: move some away.")
    return path


def print_decks(names: Sequence[str], folder: Path) -> tuple[Path, ...]:
    """Writes decks to print as PDFs into the exports folder, over older ones.

    Raises:
        CompanionError: what writes PDFs is not installed, or a file cannot be written.
    """
    from calibration.printing.pdf import write_deck
    from companion.games.suspense.conditions import captions

    place = _place(folder)
    paths = tuple(place / f"{name}.pdf" for name in names)
    for name, path in zip(names, paths, strict=True):
        write_deck(name, path, captions=captions(name))
    return paths


def _place(folder: Path) -> Path:
    place = folder / "exports"
    try:
        make_private_folder(place)
    except OSError as error:
        raise CompanionError(f"{place} cannot be made: {error.strerror}.") from None
    return place


def export(table: Table, folder: Path) -> Path:
    """Writes a match as text: its public log, or all of it once that was disclosed.

    Returns:
        The file.

    Raises:
        CompanionError: the file cannot be written.
    """
    path = free_name(folder, table, "txt")
    if table.session is not None:
        from companion.journal import REFEREE, NotYetError  # brings cryptography: when it is needed

        try:
            text = table.session.export_text(REFEREE)
        except NotYetError:
            text = table.session.export_text()
    else:
        text = "\n".join(reversed(table.lines)) + "\n"
    write_private(path, text)
    if table.session is not None:
        table.session.exported(path.name)
    return path
