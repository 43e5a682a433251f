"""`companion play`: the referee in a terminal, with prompts or from a file."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from companion.cli.common import complain, read_match_file, read_text
from companion.cli.simulate import read_options
from companion.cli.stored import tell_damage
from companion.errors import CompanionError, UsageError
from companion.events import LOG_VERBS, Event
from companion.game import Game, Secrecy
from companion.journal import Journal, Session
from companion.notation import (
    SEPARATOR,
    MatchText,
    read_match,
    read_trust,
    split_comment,
    write_event,
    write_header,
)
from companion.referee import Entry, Referee
from companion.registry import get_game
from companion.replay import describe
from companion.setup import Setup

#: `--continue` without a number.
LAST = "last"
HELP = """\
NAME: VERB …      what a player does, for all to know (“NAME:” is needed only in doubt)
NAME*: VERB …     what only that player (and the referee) may know
table: VERB …     nobody's act
undo, redo        take back, restore
table: correct N EVENT
log, score, who   what happened, how it stands, what may be done
help, quit"""


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
) -> None:
    """Referees a game: prompts for events, or applies those of a file.

    Every event is in the journal before it is announced. With --events only if --journal names one.
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
        with _kept(journal, chosen, match.setup) as desk:
            _apply(match, desk)
        return
    with Journal(journal) as book:
        if book.read_only:
            raise CompanionError(f"{book.notice} Name another journal with --journal.")
        if resumed is not None:
            session = _resume(book, resumed, chosen)
        else:
            assert chosen is not None
            setup = _setup(chosen, players, options, referee, seed)
            session = book.begin(chosen, setup)
        _prompt(session)


@contextmanager
def _kept(path: Path | None, game: Game[Any], setup: Setup) -> Iterator[Referee[Any]]:
    """A referee for a match file: with a journal only where one is named."""
    if path is None:
        yield Referee(game, setup)
        return
    with Journal(path) as book:
        yield book.begin(game, setup).referee


def _resume(book: Journal, resumed: str, game: Game[Any] | None) -> Session:
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


def _setup(
    game: Game[Any],
    players: str | None,
    options: tuple[str, ...],
    referee: str,
    seed: int | None,
) -> Setup:
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
    header = write_header(_setup(game, players, options, referee, None))
    return read_match(header + text)


def _apply(match: MatchText, desk: Referee[Any]) -> None:
    """Applies a match and prints what the referee announces."""
    for line in match.events:
        _announce(desk, desk.submit_line(line))
    for text in describe(desk.state.table, match.setup.players):
        click.echo(text)


def _announce(desk: Referee[Any], entry: Entry) -> None:
    """What is said about an entry: to everybody, or to the reader of a private one."""
    if entry.error is not None:
        complain(f"{entry.n}: {entry.error.message}")
        return
    event = entry.event
    assert event is not None
    state = desk.knowledge(None)
    for note in state.notes:
        click.echo(note)
    if not event.is_public:
        own = desk.knowledge(event.seat)
        for note in own.notes:
            if note not in state.notes:
                click.echo(f"({desk.setup.name(event.seat)} only) {note}")
    known = {finding.message for finding in state.findings}
    for finding in entry.findings:
        if finding.message in known:
            click.echo(f"! {finding.kind.value}: {finding.message}")
    if entry.unfit:
        click.echo(f"! No longer fits: {', '.join(str(n) for n in entry.unfit)}")


def _prompt(session: Session) -> None:
    """Asks for events until the end of input or `quit`."""
    desk = session.referee
    tell = sys.stdin.isatty()
    if tell:
        click.echo(f"{desk.game.info.title}: {', '.join(desk.setup.players)}. “help” explains.")
        click.echo(f"Session {session.id}: go on later with --continue {session.id}.")
        if desk.log:
            _log(desk)
    while True:
        mover = desk.state.table.to_move
        label = desk.setup.name(mover) if mover is not None else desk.game.name
        try:
            text = input(f"{label}> " if tell else "").strip()
        except EOFError:
            break
        if text.casefold() in ("quit", "exit"):
            break
        try:
            _do(desk, text)
        except CompanionError as error:
            complain(error.message)
    for line in describe(desk.state.table, desk.setup.players):
        click.echo(line)


def _read(desk: Referee[Any], text: str) -> Event:
    """The event that a line means; without a name that of the only one whose act it can be.

    Raises:
        CompanionError: it cannot be read, or may be the act of several or of nobody.
    """
    verb = desk.game.verbs.get(text.split(maxsplit=1)[0].casefold())
    if verb is None or verb.secrecy is Secrecy.PRIVATE:
        return desk.parse(text)
    mover = desk.state.table.to_move
    found, trouble = [], None
    for seat in (*range(len(desk.setup.players)), None):
        name = "table" if seat is None else desk.setup.name(seat)
        try:
            event = desk.parse(f"{name}: {text}")
            error = desk.propose(event).error
        except CompanionError as unread:
            error = unread
        if error is None:
            found.append(event)
        elif seat == mover:
            trouble = error
    if len(found) == 1:
        return found[0]
    if found or trouble is None:
        return desk.parse(text)  # which says that a name is missing
    raise trouble


def _do(desk: Referee[Any], text: str) -> None:
    """One line typed at the prompt."""
    word = text.casefold()
    talk = {
        "": lambda: None,
        "help": lambda: _help(desk),
        "?": lambda: _help(desk),
        "log": lambda: _log(desk),
        "score": lambda: _score(desk),
        "who": lambda: _who(desk),
    }
    if word in talk:
        talk[word]()
        return
    event = Event(word) if word in ("undo", "redo") else _read(desk, text)
    verdict = desk.propose(event)
    if verdict.error is not None:
        raise verdict.error
    for finding in verdict.findings:
        click.echo(f"! {finding.kind.value}: {finding.message}")
    if verdict.findings and sys.stdin.isatty() and not click.confirm("Record it all the same?"):
        return
    following: Event | None = event
    while following is not None:
        entry = desk.accept(following)
        _announce(desk, entry)
        # What the referee now says by itself, e.g. the answer of a player who trusts it.
        following = None if event.verb in LOG_VERBS else desk.game.automatic(desk.state)


def _help(desk: Referee[Any]) -> None:
    click.echo(HELP)
    for verb in desk.game.verbs.values():
        click.echo(f"  {verb.syntax}: {verb.explain}")


def _log(desk: Referee[Any]) -> None:
    for line in desk.view(None).log:
        click.echo(f"{line.step:4} {line.text}")


def _score(desk: Referee[Any]) -> None:
    for line in describe(desk.state.table, desk.setup.players):
        click.echo(line)


def _who(desk: Referee[Any]) -> None:
    """Who may act, with examples of what everybody knows to be possible."""
    state = desk.knowledge(None)
    seats = desk.game.actors(state)
    if not seats:
        click.echo("Nobody has to act.")
    for seat in seats:
        actions = list(desk.game.legal(state, seat))
        shown = "; ".join(write_event(desk.game, desk.setup, event) for event in actions[:4])
        click.echo(f"{desk.setup.name(seat)}: {shown}{' …' if len(actions) > 4 else ''}")
