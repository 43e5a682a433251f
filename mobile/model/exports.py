"""Keeps matches as files where the user asks for it.

A file holds what everybody may know; all of it only once everybody agreed to show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from companion.atomic_io import make_private_folder, write_private
from companion.errors import CompanionError
from mobile.android.device import is_android
from mobile.model.table import Table

_MOST = 1000
#: The app's own folder for files; what lies in it is deleted with its match.
OWN = "own"
#: Folders of a desktop's user where files may go instead.
ELSEWHERE = {"downloads": "Downloads", "documents": "Documents", "pictures": "Pictures"}


def places(folder: Path, home: Path | None = None) -> dict[str, Path]:
    """Where files may go on this device, by name; the app's own folder first.

    Args:
        folder: the app's folder.
        home: the user's folder; None takes the usual one.
    """
    found = {OWN: folder / "exports"}
    if is_android():
        return found
    try:
        home = home or Path.home()
    except RuntimeError:  # there is no such user
        return found
    others = {name: home / part for name, part in ELSEWHERE.items()}
    return found | {name: path for name, path in others.items() if path.is_dir()}


def place_of(folder: Path, name: str) -> Path:
    """Where files go by the user's choice; the app's own folder where that is not there."""
    known = places(folder)
    return known.get(name, known[OWN])


def free_name(table: Table, folder: Path, to: str, suffix: str) -> Path:
    """A file name that is not taken yet, where files go.

    Args:
        table: what was played.
        folder: the app's folder.
        to: where files go, one of `places`.
        suffix: of the name.

    Raises:
        CompanionError: the folder cannot be made.
    """
    place = _made(place_of(folder, to))
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

    place = _made(folder / "exports")
    paths = tuple(place / f"{name}.pdf" for name in names)
    for name, path in zip(names, paths, strict=True):
        write_deck(name, path, captions=captions(name))
    return paths


def _made(place: Path) -> Path:
    if place.is_dir():
        return place
    try:
        make_private_folder(place)
    except OSError as error:
        raise CompanionError(f"{place} cannot be made: {error.strerror}.") from None
    return place


def export(table: Table, folder: Path, to: str = OWN) -> Path:
    """Writes a match as text: its public log, or all of it once that was disclosed.

    Args:
        table: what was played.
        folder: the app's folder.
        to: where files go, one of `places`.

    Returns:
        The file.

    Raises:
        CompanionError: the file cannot be written.
    """
    path = free_name(table, folder, to, "txt")
    if table.session is not None:
        from companion.journal import REFEREE, NotYetError  # brings cryptography: when it is needed

        try:
            text = table.session.export_text(REFEREE)
        except NotYetError:
            text = table.session.export_text()
    else:
        text = "\n".join(reversed(table.lines)) + "\n"
    write_private(path, text)
    written(table, folder, path)
    return path


def export_page(table: Table, folder: Path, to: str = OWN) -> Path:
    """Writes a match as a page for a browser, in the app's language, for everybody's eyes.

    Raises:
        CompanionError: the file cannot be written.
    """
    from mobile.kept.page import page  # brings the drawings: when they are needed

    path = free_name(table, folder, to, "html")
    write_private(path, page(table.referee.match_text(), None))
    written(table, folder, path)
    return path


def written(table: Table, folder: Path, path: Path) -> None:
    """Tells the journal of a file in the app's own folder: it is deleted with the match."""
    if table.session is not None and path.parent == places(folder)[OWN]:
        table.session.exported(path.name)
