"""Backups: one file that another device can restore, its keys wrapped by a passphrase.

A backup is a compacted journal in which a key stretched from the passphrase (scrypt) wraps what the
device's key wrapped. Names and public events are as readable in it as in the journal; what is
private opens only with the passphrase. For a player who has a PIN it holds only the keys behind
that player's gate: on another device, too, their private lines and marks open once the PIN is
entered. In sessions with such a player, lines that nobody could read and that name nobody are left
blank, because they may hold what that player meant to write.

A backup may come from anybody, so nothing in it is trusted: its tables are compared with ours, and
its rows are read and checked one by one and written into a new file.
"""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from companion.atomic_io import make_private_folder, open_private
from companion.journal import schema, untrusted
from companion.journal.device import FileDeviceKeys
from companion.journal.errors import (
    DamagedError,
    JournalError,
    PinError,
    SealedError,
    os_errors,
    sqlite_errors,
)
from companion.journal.files import beside, is_journal, locked, remove_files, sync_folder
from companion.journal.keyring import Keyring, Rewrap, about_event_key, reseal, rewrap_all
from companion.journal.lines import REFEREE, SessionKeys
from companion.journal.sealing import PASSPHRASE_COST, KeyStretching, about, seal, unseal
from companion.journal.store import Store

MIN_PASSPHRASE = 8
_PROOF = b"this passphrase"


def write(
    store: Store,
    keyring: Keyring,
    target: Path,
    passphrase: str,
    *,
    cost: int | None = None,
) -> None:
    """Writes a backup; see `Journal.backup`."""
    if len(passphrase) < MIN_PASSPHRASE:
        raise PinError(f"The passphrase of a backup has at least {MIN_PASSPHRASE} characters.")
    if target.absolute() == store.path.absolute():
        raise JournalError("A backup cannot lie where the journal lies.")
    if target.exists() and not target.is_file():
        raise JournalError(f"{target} cannot be written: it is no plain file.")
    _refuse_unlocked(store)
    stretch = KeyStretching.new(PASSPHRASE_COST if cost is None else cost)
    key = stretch.key(passphrase)

    def rewrap(sealed: object, belongs: bytes) -> bytes:
        return seal(key, keyring.unwrap(sealed, belongs), belongs)

    part = beside(target, ".part")
    with _writing(target, part):
        os.close(open_private(part, new=True))
        store.rows("VACUUM INTO ?", str(part))
        with closing(sqlite3.connect(part, isolation_level=None)) as db:
            _begin(db)
            _blank_unread(db, keyring)
            db.execute(
                "UPDATE seats SET event_key = x'' WHERE player IN"
                " (SELECT uuid FROM players WHERE stretch IS NOT NULL)"
            )
            rewrap_all(db, rewrap)
            db.execute("DELETE FROM exports")
            db.execute("DELETE FROM meta WHERE key IN ('journal', 'retired')")
            for entry, value in (
                ("stretch", stretch.write()),
                ("proof", seal(key, _PROOF, about("backup"))),
            ):
                db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (entry, value))
            db.execute("COMMIT")
            # Overwritten values must not remain in it either.
            db.execute("VACUUM")
        _put_in_place(part, target)


def _refuse_unlocked(store: Store) -> None:
    """Refuses a backup that would not enforce a PIN.

    Raises:
        JournalError: an older version set a PIN that was not entered since.
    """
    names = store.rows(
        "SELECT DISTINCT p.name FROM players p JOIN seats t ON t.player = p.uuid"
        " WHERE p.stretch IS NOT NULL AND t.gate IS NULL"
    )
    if names:
        raise JournalError(
            f"The PIN of {' and '.join(str(name) for (name,) in names)} was set by an older version"
            " of the program: it must be entered once (on the notepad, or “companion journal show”"
            " with “--as NAME”), so that it holds in a backup too."
        )


def _blank_unread(db: sqlite3.Connection, keyring: Keyring) -> None:
    """Empties unreadable lines without an owner in sessions in which somebody has a PIN."""
    for number, own, wrapped in db.execute(
        "SELECT id, uuid, referee_key FROM sessions WHERE id IN (SELECT t.session FROM seats t"
        " JOIN players p ON p.uuid = t.player WHERE p.stretch IS NOT NULL)"
    ).fetchall():
        referee = keyring.unwrap(wrapped, about_event_key(own, REFEREE))
        keys = SessionKeys(own.encode(), {REFEREE: referee})

        def blank(
            n: int, owner: int, value: dict[str, str], keys: SessionKeys = keys
        ) -> bytes | None:
            return keys.seal(n, owner, {"text": "…"}) if "text" in value else None

        reseal(db, number, keys, blank)


def restore(
    source: Path,
    path: Path,
    passphrase: str,
    device: FileDeviceKeys,
    *,
    replace: bool = False,
) -> Path | None:
    """Makes a journal of a backup.

    Args:
        source: the backup.
        path: where the journal is to lie.
        passphrase: as given when the backup was written.
        device: gets a key of its own for the restored journal.
        replace: whether an existing journal may be set aside (it stays beside the new one).

    Returns:
        Where the existing journal was put, None if there was none.

    Raises:
        JournalError: it is no backup, the passphrase is wrong, it is damaged, or a journal lies
            there already.
    """
    if not source.exists():
        raise JournalError(f"There is no backup {source}.")
    if not is_journal(source):
        raise DamagedError(f"{source} is no backup of a journal, or its beginning is damaged.")
    if path.is_symlink():
        raise JournalError(f"{path} is a link: name the file itself.")
    if path.exists() and not replace:
        raise JournalError(
            f"There is a journal {path} already: restoring would take its place. Say that it may "
            "be set aside, or name another place."
        )
    part = beside(path, ".part")
    name = uuid.uuid4().hex
    with _writing(path, part):
        make_private_folder(path.parent)
        with locked(path):
            try:
                with untrusted.opened(source) as db:
                    key = _key_of(db, source, passphrase)
                    device.create(name)

                    def rewrap(sealed: object, belongs: bytes) -> bytes:
                        return device.wrap(name, unseal(key, sealed, belongs), belongs)

                    _fill(db, part, name, rewrap)
                aside = set_aside(path, "before-restore") if path.exists() else None
                _put_in_place(part, path)
            except BaseException:
                if part.exists():  # not in its place yet
                    with suppress(JournalError):
                        device.destroy(name)
                raise
    return aside


def _fill(db: sqlite3.Connection, part: Path, name: str, rewrap: Rewrap) -> None:
    """Writes the rows of a backup into a new journal."""
    os.close(open_private(part, new=True))
    with closing(sqlite3.connect(part, isolation_level=None)) as fresh:
        _begin(fresh)
        schema.create(fresh)
        untrusted.copy(db, fresh)
        rewrap_all(fresh, rewrap)
        fresh.execute("INSERT INTO meta (key, value) VALUES ('journal', ?)", (name,))
        fresh.execute("COMMIT")


def set_aside(path: Path, why: str) -> Path:
    """Moves a closed journal's files out of the way.

    Returns:
        The file's new path.

    Raises:
        JournalError: they cannot be moved.
    """
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.stem}.{why}-{stamp}{path.suffix}")
    count = 1
    while aside.exists():
        count += 1
        aside = path.with_name(f"{path.stem}.{why}-{stamp}-{count}{path.suffix}")
    with os_errors(f"The journal {path} cannot be moved aside"):
        for side in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                beside(path, side).replace(beside(aside, side))
        path.replace(aside)
    return aside


@contextmanager
def _writing(target: Path, part: Path) -> Iterator[None]:
    """Removes the unfinished file and turns errors into sentences."""
    with suppress(OSError):
        part.unlink(missing_ok=True)
    try:
        with os_errors(f"{target} cannot be written"), sqlite_errors(target):
            yield
    except BaseException:
        with suppress(JournalError):
            remove_files(part)
        raise


def _begin(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("BEGIN IMMEDIATE")


def _key_of(db: sqlite3.Connection, source: Path, passphrase: str) -> bytes:
    """The key that opens a backup.

    Raises:
        PinError: the passphrase is wrong.
        JournalError: it is no backup, or damaged.
    """
    try:
        meta = dict(db.execute("SELECT key, value FROM meta LIMIT 100").fetchall())
    except sqlite3.Error:
        meta = {}
    if "proof" not in meta:
        raise DamagedError(f"{source} is no backup of a journal, or damaged.")
    key = KeyStretching.read(meta.get("stretch")).key(passphrase)
    try:
        unseal(key, meta["proof"], about("backup"))
    except SealedError:
        raise PinError("That is not the passphrase of this backup.") from None
    return key


def _put_in_place(part: Path, target: Path) -> None:
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.chmod(0o600)
    part.replace(target)
    with suppress(OSError):  # it is in its place
        sync_folder(target.parent)
