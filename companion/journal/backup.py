"""Backups: one file that another device can take up, its keys wrapped by a passphrase.

A backup is a journal in itself, compacted, in which what the device wrapped is wrapped by a key
stretched from the passphrase (scrypt) instead. Names and public events stand in it as readable as
in the journal; what is private opens with the passphrase only, marks with the PIN besides.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import uuid
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from companion.journal import schema
from companion.journal.device import DeviceKeys, sync_folder
from companion.journal.errors import DamagedError, JournalError, PinError, SealedError
from companion.journal.lines import REFEREE
from companion.journal.lock import ProcessLock
from companion.journal.sealing import PASSPHRASE_COST, Stretch, about, seal, unseal
from companion.journal.store import Store, in_words, is_journal, remove_files

MIN_PASSPHRASE = 8
_PROOF = b"this passphrase"
#: Opens one wrapping and makes the other, given what a key belongs to.
Rewrap = Callable[[object, bytes], bytes]


def write(
    store: Store,
    device: DeviceKeys,
    name: str,
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
    stretch = Stretch.new(PASSPHRASE_COST if cost is None else cost)
    key = stretch.key(passphrase)

    def rewrap(sealed: object, belongs: bytes) -> bytes:
        return seal(key, device.unwrap(name, sealed, belongs), belongs)

    part = target.with_name(target.name + ".part")
    with _writing(target, part):
        store.rows("VACUUM INTO ?", str(part))
        with closing(sqlite3.connect(part, isolation_level=None)) as db:
            _begin(db)
            _rewrap_all(db, rewrap)
            db.execute("DELETE FROM meta WHERE key = 'journal'")
            for entry, value in (
                ("stretch", stretch.write()),
                ("proof", seal(key, _PROOF, about("backup"))),
            ):
                db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (entry, value))
            db.execute("COMMIT")
        _put_in_place(part, target)


def restore(
    source: Path,
    path: Path,
    passphrase: str,
    device: DeviceKeys,
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
        Where the existing journal was put, None where there was none.

    Raises:
        JournalError: it is no backup, the passphrase is wrong, it is damaged, or a journal lies
            there already.
    """
    _check_source(source)
    if path.exists() and not replace:
        raise JournalError(
            f"There is a journal {path} already: restoring would take its place. Say that it may "
            "be set aside, or name another place."
        )
    part = path.with_name(path.name + ".part")
    name = uuid.uuid4().hex
    with _writing(path, part):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = ProcessLock(path.with_name(path.name + ".lock"))
        if not lock.acquire():
            raise JournalError(f"The journal {path} is in use by {lock.holder()}: close it first.")
        try:
            shutil.copyfile(source, part)
            with closing(sqlite3.connect(part, isolation_level=None)) as db:
                key = _key_of(db, source, passphrase)
                device.create(name)

                def rewrap(sealed: object, belongs: bytes) -> bytes:
                    return device.wrap(name, unseal(key, sealed, belongs), belongs)

                _begin(db)
                _rewrap_all(db, rewrap)
                db.execute("DELETE FROM meta WHERE key IN ('stretch', 'proof', 'journal')")
                db.execute("INSERT INTO meta (key, value) VALUES ('journal', ?)", (name,))
                db.execute("COMMIT")
            aside = set_aside(path, "before-restore") if path.exists() else None
            _put_in_place(part, path)
        except BaseException:
            with suppress(JournalError):
                device.destroy(name)
            raise
        finally:
            lock.release()
    return aside


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
    try:
        for side in ("-wal", "-shm"):
            log = path.with_name(path.name + side)
            if log.exists():
                log.replace(aside.with_name(aside.name + side))
        path.replace(aside)
    except OSError as error:
        reason = error.strerror or error
        raise JournalError(f"The journal {path} cannot be moved aside: {reason}.") from error
    return aside


class _writing:  # noqa: N801  used as a statement
    """Removes the unfinished file and puts errors into words."""

    def __init__(self, target: Path, part: Path) -> None:
        self._target = target
        self._part = part

    def __enter__(self) -> None:
        with suppress(OSError):
            self._part.unlink(missing_ok=True)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        with suppress(JournalError):
            remove_files(self._part)
        if isinstance(error, sqlite3.Error):
            raise in_words(error, self._target) from error
        if isinstance(error, OSError):
            reason = error.strerror or error
            raise JournalError(f"{self._target} cannot be written: {reason}.") from error


def _check_source(source: Path) -> None:
    if not source.exists():
        raise JournalError(f"There is no backup {source}.")
    if not is_journal(source):
        raise DamagedError(f"{source} is no backup of a journal, or its beginning is damaged.")


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
    if db.execute("PRAGMA user_version").fetchone()[0] > schema.VERSION:
        raise JournalError(f"{source} was written by a newer version of the program: update it.")
    try:
        meta = dict(db.execute("SELECT key, value FROM meta").fetchall())
    except sqlite3.Error:
        meta = {}
    if "proof" not in meta:
        raise DamagedError(f"{source} is no backup of a journal, or damaged.")
    if db.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        raise DamagedError(f"The backup {source} is damaged.")
    key = Stretch.read(meta.get("stretch")).key(passphrase)
    try:
        unseal(key, meta["proof"], about("backup"))
    except SealedError:
        raise PinError("That is not the passphrase of this backup.") from None
    return key


def _rewrap_all(db: sqlite3.Connection, rewrap: Rewrap) -> None:
    """Wraps every key of a journal anew.

    Raises:
        SealedError: one does not open.
    """
    for number, own, sealed in db.execute("SELECT id, uuid, referee_key FROM sessions").fetchall():
        key = rewrap(sealed, about("key", own, REFEREE, ""))
        db.execute("UPDATE sessions SET referee_key = ? WHERE id = ?", (key, number))
        for seat, player, wrapped in db.execute(
            "SELECT seat, player, event_key FROM seats WHERE session = ?", (number,)
        ).fetchall():
            db.execute(
                "UPDATE seats SET event_key = ? WHERE session = ? AND seat = ?",
                (rewrap(wrapped, about("key", own, seat, player)), number, seat),
            )
    for own, sealed, stretch in db.execute("SELECT uuid, key, stretch FROM players").fetchall():
        belongs = about("player", own, "open" if stretch is None else "pin")
        db.execute("UPDATE players SET key = ? WHERE uuid = ?", (rewrap(sealed, belongs), own))


def _put_in_place(part: Path, target: Path) -> None:
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.chmod(0o600)
    part.replace(target)
    sync_folder(target.parent)
