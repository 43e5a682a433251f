"""`companion play`: the referee in a terminal, with prompts or from a file."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from companion.cli.common import read_text
from companion.cli.desk import Desk
from companion.cli.screen import apply_match
from companion.cli.simulate import read_options
from companion.cli.stored import read_match_file, tell_damage
from companion.core.game import Game
from companion.core.notation import (
    SEPARATOR,
    MatchText,
    read_match,
    read_trust,
    split_comment,
    write_header,
)
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.setup import Setup
from companion.errors import CompanionError, UsageError
from companion.journal import Journal, Session

#: `--continue` without a number.
LAST = "last"


@click.command(epilog="Example: companion play precognition --players Ann,Bo")
@click.argument("game", required=False)
@click.option("--players", metavar="A,B,...", help="Names in seat order.")
@click.option("--option", "options", metavar="K=V", multiple=True, help="Option of the game.")
@click.option("--referee", default="open", metavar="TRUST", help="open, trusted, or each.")
@click.option(
    "--journal",
    type=click.Path(path_type=Path),
    help="Keep it in this journal instead of the data folder's.",
)
@click.option(
    "--continue",
    "resumed",
    is_flag=False,
    flag_value=LAST,
    metavar="[N]",
    help="Go on with session N, or the last unfinished one (companion journal list).",
)
@click.option("--events", type=click.Path(path_type=Path), help="Apply this match file and exit.")
@click.option("--keep-going", is_flag=True, help="With --events: past a refused answer, too.")
@click.option("--seed", type=int, help="Name a starter by lot with this seed.")
def play(
    game: str | None,
    players: str | None,
    options: tuple[str, ...],
    referee: str,
    journal: Path | None,
    resumed: str | None,
    events: Path | None,
    seed: int | None,
    *,
    keep_going: bool,
) -> None:
    """Referees a game: prompts for events, or applies those of a file.

    Every event is in the journal before it is announced. With --events only if --journal names one.
    A file is read up to the first refused line that leaves a question open.
    """
    if game is None and resumed not in (None, LAST) and not resumed.isdecimal():
        game, resumed = resumed, LAST  # “--continue GAME”: the name is no number of a session
    if game is None and resumed is None:
        raise UsageError("Name a game (companion games lists them), or --continue.")
    chosen = None if game is None else get_game(game)
    if events is not None:
        if chosen is None or resumed is not None:
            raise UsageError("--events begins a session of its own: name the game.")
        match = _match_of(chosen, events, players, options, referee)
        with _kept(journal, chosen, match.setup) as judge:
            apply_match(match, judge, keep_going=keep_going)
        return
    with Journal(journal) as book:
        if book.read_only:
            raise CompanionError(f"{book.notice} Name another journal with --journal.")
        if resumed is not None:
            session = resume(book, resumed, chosen)
        else:
            assert chosen is not None
            setup = setup_of(chosen, players, options, referee, seed)
            session = book.begin(chosen, setup)
        Desk(session).run()


@contextmanager
def _kept(path: Path | None, game: Game[Any], setup: Setup) -> Iterator[Referee[Any]]:
    """A referee for a match file: with a journal only where one is named."""
    if path is None:
        yield Referee(game, setup)
        return
    with Journal(path) as book:
        yield book.begin(game, setup).referee


def resume(book: Journal, resumed: str, game: Game[Any] | None) -> Session:
    """The session to go on with.

    Raises:
        CompanionError: there is none, it is of another game, or it is damaged.
    """
    if resumed == LAST:
        unfinished = book.unfinished(None if game is None else game.name)
        if not unfinished:
            of = "" if game is None else f" of {game.info.title}"
            raise UsageError(f"There is no unfinished session{of} in {book.path}.")
        number = unfinished[0].id
    elif resumed.isdecimal():
        number = int(resumed)
    else:
        raise UsageError(f"--continue takes a session's number, not “{resumed}”.")
    session = book.resume(number)
    if game is not None and session.game is not game:
        raise UsageError(f"Session {number} is one of {session.game.name}, not of {game.name}.")
    if session.read_only:
        raise CompanionError(session.damage)
    tell_damage(session)
    return session


def setup_of(
    game: Game[Any],
    players: str | None,
    options: tuple[str, ...],
    referee: str,
    seed: int | None,
) -> Setup:
    """The settings that the command line names; names where it names no players."""
    names = tuple(name.strip() for name in (players or "").split(",") if name.strip())
    if not names:
        names = tuple(f"Player{seat}" for seat in range(1, game.info.min_players + 1))
    stated = read_options(options)
    if (
        seed is not None
        and "starter" not in stated
        and any(o.name == "starter" for o in game.options)
    ):
        stated["starter"] = random.Random(seed).choice(names)
    return game.setup(names, stated, trusted=read_trust(referee, names))


def _match_of(
    game: Game[Any], path: Path, players: str | None, options: tuple[str, ...], referee: str
) -> MatchText:
    """A match file, or bare event lines for the players named on the command line."""
    text = read_text(path)
    if any(split_comment(line)[0] == SEPARATOR for line in text.splitlines()):
        match = read_match_file(path)
        if match.game is not game:
            raise UsageError(f"{path} is a match of {match.game.name}, not of {game.name}.")
        return match
    if players is None:
        raise UsageError(f"{path} has no header: name the players with --players.")
    header = write_header(setup_of(game, players, options, referee, None))
    return read_match(header + text)
