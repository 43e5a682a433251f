"""The journal: every line of a match is on the disk before it is announced, private parts sealed.

What it protects is described in the README beside this file. In short: the journal is one SQLite
file. Public events, names and scores are readable in it; private events are sealed for their player
(AES-GCM, a random key for each player and session), unreadable lines for the referee. A key of the
device, kept outside the file, wraps these keys. A player's PIN guards that player's views, marks
and exports; it also seals the marks and, in a backup, everything private. Setting or changing a PIN
replaces every key (`companion.journal.keyring`), so no older copy of the file or of a row opens any
more. Wrong PINs are counted beside the device's keys (`companion.journal.device`). The
journal does not protect against a thief who has the unlocked device, nor against a changed program.

How an interface uses it::

    journal = Journal()                       # at the start; once a process
    journal.notice                            # not empty: read-only, and why; show it
    journal.unfinished()                      # home screen: what can be continued
    session = journal.begin(game, setup)      # from set-up …
    session = journal.resume(info.id)         # … or Continue: same log, undo depth and views
    session.referee.accept(event)             # as any referee: on the disk when it returns;
    session.referee.undo()                    #   a JournalError (no room, …) records nothing
    session.view()                            # what everybody may know
    ann = session.unlock(0, pin)              # behind “pass the phone”; PinError.wait in seconds
    session.view(ann)                         # her view: notepad, private screen
    session.marks(ann).put("3S", "?")         # her marks; .get .all .replace
    ann.lock()                                # cover: focus lost, phone passed on
    session.export_text(), session.export_text(ann), session.export_text(REFEREE)
    session.damage, session.differences       # show them if they are not empty
    journal.sessions()                        # history and scores
    session.exported(name)                    # a file in exports/: it is deleted with the session
    journal.delete(info.id)                   # for good, in what was set aside too, also without
    journal.delete_everything()               #   room; returns copies that had to go as a whole
    journal.backup(path, passphrase); restore(path, journal_path(), passphrase, keys)
    journal.close()                           # at the end; being killed instead loses nothing

Everything raises `CompanionError`s whose message can be shown. Calls are quick (an event takes one
write to the disk) except `unlock` with a PIN and `backup`, which stretch keys on purpose.
"""

from companion.journal.access import REFEREE, FullView, Marks, Unlocked
from companion.journal.backup import restore
from companion.journal.device import FileDeviceKeys
from companion.journal.errors import (
    BusyError,
    DamagedError,
    FullError,
    JournalError,
    NewerError,
    NotYetError,
    PinError,
    ReadOnlyError,
    SealedError,
)
from companion.journal.files import is_journal
from companion.journal.journal import Journal, device_keys, journal_path
from companion.journal.listing import SessionInfo
from companion.journal.mend import Mended, mend
from companion.journal.session import Session

__all__ = [
    "REFEREE",
    "BusyError",
    "DamagedError",
    "FileDeviceKeys",
    "FullError",
    "FullView",
    "Journal",
    "JournalError",
    "Marks",
    "Mended",
    "NewerError",
    "NotYetError",
    "PinError",
    "ReadOnlyError",
    "SealedError",
    "Session",
    "SessionInfo",
    "Unlocked",
    "device_keys",
    "is_journal",
    "journal_path",
    "mend",
    "restore",
]
