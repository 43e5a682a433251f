"""`companion journal`: lists, shows, deletes, backs up and mends what was played."""

from __future__ import annotations

import time
from pathlib import Path

import click

from companion.cli.common import Commands, complain, emit, json_option
from companion.cli.secret_line import ask_hidden
from companion.cli.stored import eyes_of, tell_damage
from companion.core.registry import get_game
from companion.core.setup import seat_of
from companion.errors import CompanionError, UsageError
from companion.journal import (
    Journal,
    Session,
    SessionInfo,
    device_keys,
    journal_path,
    mend,
    restore,
)

_passphrase = click.option(
    "--passphrase",
    envvar="COMPANION_PASSPHRASE",
    help="What the keys in the backup are wrapped with (asked for if not given).",
)
_number = click.argument("number", type=int)


@click.group(cls=Commands, epilog="Example: companion journal list")
@click.option(
    "--journal",
    "path",
    type=click.Path(path_type=Path),
    help="Another journal than the data folder's.",
)
@click.pass_context
def journal(ctx: click.Context, path: Path | None) -> None:
    """Lists, shows, deletes and backs up what was played."""
    ctx.obj = path or journal_path()


def _open(path: Path) -> Journal:
    """The journal; a missing one is not made.

    Raises:
        UsageError: there is none.
    """
    if not path.exists():
        raise UsageError(f"There is no journal {path} yet: “companion play GAME” begins one.")
    book = Journal(path)
    if book.notice:
        complain(book.notice)
    return book


@journal.command("list", epilog="Example: companion journal list --json")
@json_option
@click.pass_obj
def list_(path: Path, *, as_json: bool) -> None:
    """Every session, the one that changed last first."""
    infos: tuple[SessionInfo, ...] = ()
    if path.exists():
        with _open(path) as book:
            infos = book.sessions()
    if as_json:
        emit([info.as_dict() for info in infos])
        return
    for info in infos:
        click.echo(_line(info))
    if not infos:
        click.echo("Nothing was played yet.")


def _line(info: SessionInfo) -> str:
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.touched))
    if info.damage:
        return f"{info.id:4}  {day}  {_title(info.game)}: {info.damage}"
    score = ", ".join(f"{name} {points}" for name, points in info.scores.items())
    shown = ", disclosed to all" if info.disclosed else ""
    stands = f"won by {' and '.join(info.winners)}" if info.winners else "over"
    title = _title(info.game)
    return f"{info.id:4}  {day}  {title}: {score} ({stands if info.over else 'unfinished'}{shown})"


def _title(name: str) -> str:
    """A game as people call it; what a damaged session, or one of another version, says of it."""
    try:
        return get_game(name).info.title
    except CompanionError:
        return name or "?"


@journal.command(epilog="Example: companion journal show 3 --as Ann")
@_number
@click.option("--as", "viewer", metavar="SEAT|public", default="public", help="Whose eyes.")
@click.option("--everything", is_flag=True, help="All of it, once it was disclosed.")
@click.pass_obj
def show(path: Path, number: int, viewer: str, *, everything: bool) -> None:
    """A session in notation, as everybody or one player may know it."""
    with _open(path) as book:
        session = book.resume(number)
        tell_damage(session)
        if session.damage and viewer == "public" and not everything:
            for n, text in session.public_lines():
                click.echo(f"{text} ; event {n}")
            return
        who = eyes_of(session, None if everything else viewer)
        click.echo(session.export_text(who), nl=False)


@journal.command(epilog="Example: companion journal delete 3")
@click.argument("number", type=int, required=False)
@click.option("--everything", is_flag=True, help="All sessions, players and keys.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def delete(path: Path, number: int | None, *, everything: bool, yes: bool) -> None:
    """Deletes a session, or everything, permanently."""
    if (number is None) != everything:
        raise UsageError("Name one session, or --everything.")
    what = "everything" if everything else f"session {number}"
    if number is not None:
        with _open(path) as book:
            if number not in book.identities():
                raise UsageError(f"There is no session {number} in {path}.")
    if not yes:
        click.confirm(f"Delete {what} permanently?", abort=True, err=True)
    gone: tuple[Path, ...] = ()
    with _open(path) as book:
        if number is None:
            book.delete_everything()
        else:
            gone = book.delete(number)
    click.echo(f"Deleted {what}.")
    for copy in gone:
        click.echo(f"{copy} was too damaged to delete in: it is gone as a whole.")


@journal.command(epilog="Example: companion journal pin 3 Ann")
@_number
@click.argument("name")
@click.pass_obj
def pin(path: Path, number: int, name: str) -> None:
    """Sets, changes or (left empty) removes the PIN of a session's player."""
    with _open(path) as book:
        session = book.resume(number)
        seat = seat_of(name, session.setup.players)
        old = _ask_old(session, seat)
        new = ask_hidden(
            "New PIN (four digits or, better, a longer word)",
            "give it on standard input",
            differ="The two PINs differ: type it again.",
        )
        session.set_pin(seat, new, old)
    click.echo(f"{name} has {'a new PIN' if new else 'no PIN any more'}.")


def _ask_old(session: Session, seat: int) -> str:
    if not session.has_pin(seat):
        return ""
    return ask_hidden("Old PIN", "give it on standard input")


@journal.command(epilog="Example: companion journal rename 3 Bo Bob")
@_number
@click.argument("name")
@click.argument("new")
@click.pass_obj
def rename(path: Path, number: int, name: str, new: str) -> None:
    """Renames a player in a session."""
    with _open(path) as book:
        book.rename(number, seat_of(name, book.resume(number).setup.players), new)


@journal.command(epilog="Example: companion journal backup games.backup")
@click.argument("target", type=click.Path(path_type=Path))
@_passphrase
@click.pass_obj
def backup(path: Path, target: Path, passphrase: str | None) -> None:
    """Writes everything into one file for another device."""
    with _open(path) as book:
        differ = "The two passphrases differ: type it again."
        book.backup(target, _asked(passphrase, differ=differ))
    click.echo(f"Backed up to {target}. Without the passphrase nothing private in it opens.")


def _asked(passphrase: str | None, *, differ: str = "") -> str:
    if passphrase is not None:
        return passphrase
    return ask_hidden("Passphrase", "give --passphrase or COMPANION_PASSPHRASE", differ=differ)


@journal.command("restore", epilog="Example: companion journal restore games.backup")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Set an existing journal aside (it is kept).")
@_passphrase
@click.pass_obj
def restore_(path: Path, source: Path, passphrase: str | None, *, replace: bool) -> None:
    """Restores a backup on this device."""
    if path.exists() and not replace:
        raise UsageError(
            f"There is a journal {path} already: --replace sets it aside (it is kept)."
        )
    aside = restore(source, path, _asked(passphrase), device_keys(), replace=replace)
    if aside is not None:
        click.echo(f"The journal that was there is kept as {aside}.")
    click.echo(f"Restored to {path}.")


@journal.command("mend", epilog="Example: companion journal mend")
@click.pass_obj
def mend_(path: Path) -> None:
    """Makes a new journal from everything readable in a damaged one."""
    if not path.exists():
        raise UsageError(f"There is no journal {path}.")
    done = mend(path)
    click.echo(f"Sessions that go on: {done.kept}; that could not be read: {done.lost}.")
    for number, lines in done.lines.items():
        click.echo(f"Session {number} stands before its first damaged event: {lines} left behind.")
    if done.lost or done.lines:
        click.echo(f"The damaged file is kept as {done.aside}.")
    else:
        click.echo(f"No event was damaged. The file as it was is kept as {done.aside}.")
