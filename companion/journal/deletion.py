"""Deleting for good: keys first, then rows, then the space they used, in copies and exports too."""

from __future__ import annotations

from pathlib import Path

from companion.journal import copies
from companion.journal.device import DeviceKeys
from companion.journal.errors import BusyError, FullError, JournalError
from companion.journal.files import remove_files
from companion.journal.keyring import Keyring
from companion.journal.store import Store


def delete_session(store: Store, number: int, keyring: Keyring) -> tuple[Path, ...]:
    """Deletes a session that is closed; see `companion.journal.journal.Journal.delete`.

    Returns:
        Files that were set aside and too damaged for that; they were deleted as a whole.

    Raises:
        BusyError: it is deleted, but another program is reading the file.
        JournalError: there is no such session, or it cannot be deleted now.
    """
    rows = store.rows("SELECT CAST(uuid AS TEXT) FROM sessions WHERE id = ?", number)
    if not rows:
        raise JournalError(f"There is no session {number} in {store.path}.")
    exports = store.rows("SELECT path FROM exports WHERE session = ?", number)
    try:
        reader = _delete_rows(store, number)
    except FullError:
        store.tighten()
        reader = _delete_rows(store, number)
    if store.tight:
        store.loosen()
    copies.remove_exports(store.path, tuple(str(name) for (name,) in exports))
    for part in copies.unfinished(store.path):
        remove_files(part)
    gone = tuple(
        copy
        for copy in copies.set_aside(store.path)
        if not copies.forget_session(copy, str(rows[0][0]), keyring.device, keyring.name)
    )
    if reader is not None:
        raise reader
    return gone


def _delete_rows(store: Store, number: int) -> BusyError | None:
    """Deletes a session's keys and rows; returns why the space they used is not wiped yet."""
    with store.transaction(deleting=True) as db:
        copies.delete_keys(db, number)
    reader: BusyError | None = None
    try:
        if not store.tight:
            store.merge()
    except BusyError as error:
        reader = error
    with store.transaction(deleting=True) as db:
        copies.delete_rows(db, number)
    store.wipe()
    return reader


def delete_files(path: Path, device: DeviceKeys) -> None:
    """Deletes a closed journal with all that the program keeps beside it.

    Raises:
        JournalError: a file cannot be removed.
    """
    for copy in copies.set_aside(path):
        copies.remove_copy(copy, device)
    for part in copies.unfinished(path):
        remove_files(part)
    remove_files(path)
    copies.remove_exports(path)
    copies.remove_app_files(path)
