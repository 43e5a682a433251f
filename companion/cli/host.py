"""`companion host`: pages for everybody's own phone, on the local network."""

from __future__ import annotations

import sys
import threading
from typing import Any

import click

from companion.cli.common import emit, json_option, room
from companion.cli.play import LAST, resume, setup_of
from companion.core.registry import get_game
from companion.errors import CompanionError, UsageError
from companion.journal import Journal, Session


@click.command(epilog="Example: companion host --game deduction --players Ann,Bo,Cy")
@click.option("--game", metavar="GAME", help="Begin a session of this game.")
@click.option("--players", metavar="A,B,...", help="Names in seat order.")
@click.option("--option", "options", metavar="K=V", multiple=True, help="Option of the game.")
@click.option("--referee", default="open", metavar="TRUST", help="open, trusted, or each.")
@click.option(
    "--continue",
    "resumed",
    is_flag=False,
    flag_value=LAST,
    metavar="[N]",
    help="Go on with session N, or the last unfinished one (companion journal list).",
)
@click.option("--source", metavar="SRC", help="What the host's own eyes look at: camera[:N], …")
@click.option("--port", type=click.IntRange(0, 65535), help="0 takes any that is free.")
@click.option("--address", metavar="A", default="", help="The network's own by default.")
@click.option("--no-https", "plain", is_flag=True, help="No certificate, and no encryption.")
@json_option
def host(
    game: str | None,
    players: str | None,
    options: tuple[str, ...],
    referee: str,
    resumed: str | None,
    source: str | None,
    port: int | None,
    address: str,
    *,
    plain: bool,
    as_json: bool,
) -> None:
    """Serves a page for each player's own phone, one for the table and one for a camera.

    Each seat's code is valid once, for two minutes; Enter shows new ones. Ctrl-C ends it;
    --continue goes on, and phones that had a seat keep it.
    """
    if (game is None) == (resumed is None):
        raise UsageError("Name a game (--game, --players) to begin, or --continue to go on.")
    hosting = room("mobile.seats.host")
    with Journal() as book:
        if book.read_only:
            raise CompanionError(book.notice)
        wishes = hosting.Wishes(
            folder=book.path.parent / "keys",
            address=address,
            port=hosting.PORT if port is None else port,
            secure=not plain,
            source=source or "",
        )
        # Before a session is begun: where nothing can be served, none is.
        listener = hosting.listening(wishes.address, wishes.port)
        session = _session(book, game, players, options, referee, resumed)
        served = hosting.Host(session, wishes, listener)
        served.house.phones.forget_all_but(book.identities().values())
        served.run(lambda: _ready(served, as_json=as_json))


def _session(
    book: Journal,
    game: str | None,
    players: str | None,
    options: tuple[str, ...],
    referee: str,
    resumed: str | None,
) -> Session:
    if resumed is not None:
        return resume(book, resumed, None)
    assert game is not None
    chosen = get_game(game)
    return book.begin(chosen, setup_of(chosen, players, options, referee, None))


def _ready(served: Any, *, as_json: bool) -> None:
    """Says where the pages are, and again when somebody presses Enter at a terminal."""
    _say(served, as_json=as_json)
    if sys.stdin.isatty():
        threading.Thread(target=_listen, args=(served, as_json), daemon=True).start()


def _listen(served: Any, as_json: bool) -> None:
    for _line in sys.stdin:
        _say(served, as_json=as_json)


def _say(served: Any, *, as_json: bool) -> None:
    if as_json:
        emit(served.addresses())
        sys.stdout.flush()
        return
    say_addresses(served)
    click.echo("Each code holds two minutes, once. Enter shows new ones, Ctrl-C ends.")


def say_addresses(served: Any) -> None:
    """Prints the address of each page that nobody has opened yet, on a terminal also as a QR code.

    Args:
        served: the host (`mobile.seats.host.Host`).
    """
    found = served.addresses()
    render = room("mobile.seats.render")
    places = {"The table's own screen": found["table"]} | {
        name: address
        for seat, (name, address) in enumerate(found["seats"].items())
        if not served.house.phones.has_seat(seat)
    }
    for name, address in places.items():
        click.echo(f"{name}: {address}")
        if sys.stdout.isatty():
            click.echo(render.qr_lines(address))
    click.echo(f"This table's words are “{found['fingerprint']}”.")
