"""Sessions of a journal named on the command line, wherever a match file can be named."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from companion.cli.common import complain, read_text, viewer_of
from companion.cli.secret_line import ask_hidden
from companion.core.notation import MatchText, read_match
from companion.core.replay import EVERYTHING, Replay
from companion.errors import UnreadableError, UsageError
from companion.journal import (
    REFEREE,
    FullView,
    Journal,
    NotYetError,
    Session,
    Unlocked,
    is_journal,
    journal_path,
)

#: What stands for the journal of the data folder.
DEFAULT = "journal"
_NUMBERED = re.compile(r"(?P<file>.+):(?P<number>[0-9]{1,9})")
PIN_VARIABLE = "COMPANION_PIN"


@contextmanager
def _opened(path: Path, number: int | None = None) -> Iterator[Session]:
    """A session of a journal, the one that changed last if none is named."""
    with Journal(path) as journal:
        if journal.notice:
            complain(journal.notice)
        if number is None:
            sessions = journal.sessions()
            if not sessions:
                raise UsageError(f"The journal {path} holds no session.")
            number = sessions[0].id
        session = journal.resume(number)
        tell_damage(session)
        yield session


def find_stored(path: Path) -> AbstractContextManager[Session] | None:
    """The session that is meant by `journal:N`, `FILE:N` or FILE; None for any other file.

    It is open for as long as a `with` block runs; what is wrong with it goes to stderr. Entering
    the block raises a `CompanionError` if there is none, or nothing of it can be read.
    """
    text = str(path)
    if (match := _NUMBERED.fullmatch(text)) is not None and not path.exists():
        file, number = match["file"], int(match["number"])
        if file == DEFAULT:
            return _opened(journal_path(), number)
        if is_journal(Path(file)):
            return _opened(Path(file), number)
    return _opened(path) if is_journal(path) else None


def replay_as(path: Path, viewer: str | None) -> Replay:
    """The replay of a match file, or of a session as far as the viewer may see it.

    Args:
        path: a match file, or what `find_stored` knows.
        viewer: as for `eyes_of`; None is the public until a session was disclosed.

    Raises:
        CompanionError: it cannot be read, nobody is meant, or the PIN is wrong.
    """
    if (stored := find_stored(path)) is not None:
        with stored as session:
            return _replayed(session, viewer)
    match = read_match_file(path)
    eyes = EVERYTHING if viewer is None else viewer_of(viewer, match.setup.players)
    return Replay(match, eyes)


def _replayed(session: Session, viewer: str | None) -> Replay:
    try:
        return session.replay(eyes_of(session, viewer))
    except NotYetError:
        complain("It shows what everybody may know (see --as); all of it after table: disclose.")
        return session.replay()


def tell_damage(session: Session) -> None:
    """Says on stderr what is wrong with a session."""
    if session.damage:
        complain(session.damage)
    if session.differences:
        numbers = ", ".join(str(n) for n in session.differences)
        complain(
            f"This version of the program judges otherwise than when it was played: {numbers}."
        )


def eyes_of(session: Session, viewer: str | None) -> Unlocked | FullView | None:
    """The viewer named by `--as`; a player's PIN is asked for (or taken from COMPANION_PIN).

    Args:
        session: whose players can be named.
        viewer: `public`, a seat from 1, a player's name; None for everything.

    Raises:
        CompanionError: nobody is meant, or the PIN is wrong.
    """
    if viewer is None:
        return REFEREE
    seat = viewer_of(viewer, session.setup.players)
    if seat is None:
        return None
    pin = ""
    if session.has_pin(seat):
        name = session.setup.players[seat]
        pin = os.environ.get(PIN_VARIABLE) or ask_hidden(
            f"{name}'s PIN", f"set {PIN_VARIABLE}, or give it on standard input"
        )
    return session.unlock(seat, pin)


def read_match_file(path: Path) -> MatchText:
    """A match file, or a session of a journal (`journal:N`, `FILE:N`) whose match has ended.

    Raises:
        UnreadableError: the file or its header cannot be read.
        CompanionError: the journal cannot be read, or the match is running.
    """
    if (stored := find_stored(path)) is not None:
        with stored as session:
            return session.match_text()
    try:
        return read_match(read_text(path))
    except UnreadableError as error:
        if error.message.startswith(str(path)):
            raise
        raise UnreadableError(f"{path}: {error.message}") from error
