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
@click.option("--address", metavar="A", default="", help="All of this device's by default.")
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
        hosted = hosting.HostOptions(
            folder=book.path.parent / "keys",
            address=address,
            port=hosting.PORT if port is None else port,
            secure=not plain,
            source=source or "",
        )
        # Before a session is begun: where nothing can be served, none is.
        addresses = hosting.Addresses(hosted.address, hosted.port)
        session = _session(book, game, players, options, referee, resumed)
        served = hosting.Host(session, hosted, addresses)
        served.state.phones.forget_all_but(book.identities().values())
        served.run(lambda: _ready(served, as_json=as_json), lambda: _moved(served, as_json=as_json))


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
    """Enter shows new codes; the number of a network before it shows them for that network."""
    for line in sys.stdin:
        address, wanted = "", line.strip()
        if wanted:
            found = served.state.addresses.found
            known = {str(number): one.address for number, one in enumerate(found, 1)}
            if wanted not in known:
                offered = "There is no such network: press Enter, or type a number from the list."
                click.echo(offered if len(known) > 1 else "Enter shows new codes, Ctrl-C ends.")
                continue
            address = known[wanted]
        _say(served, as_json=as_json, address=address)


def _moved(served: Any, *, as_json: bool) -> None:
    """Says what became of the network, and where the pages are now."""
    template, fields = served.state.notice
    if template:
        click.echo(template.format_map(fields), err=True)
    if served.state.addresses.found:
        _say(served, as_json=as_json)


def _say(served: Any, *, as_json: bool, address: str = "") -> None:
    if as_json:
        emit(served.addresses())
        sys.stdout.flush()
        return
    say_addresses(served, address)
    click.echo("Each code holds two minutes, once. Enter shows new ones, Ctrl-C ends.")


def say_addresses(served: Any, address: str = "") -> None:
    """Prints how to open each page that nobody has opened yet, on a terminal also as a QR code.

    Args:
        served: the host (`mobile.seats.host.Host`).
        address: of the network that the phones are on; by default the likeliest.
    """
    render, hosted = room("mobile.seats.render"), served.state
    places = {"The table's own screen": "table"} | {
        name: str(seat + 1)
        for seat, name in enumerate(hosted.table.setup.players)
        if not hosted.phones.has_seat(seat)
    }
    for name, place in places.items():
        invited = hosted.invited(place, address)
        click.echo(f"{name}: {invited.url}")
        if sys.stdout.isatty():
            click.echo(render.qr_lines(invited.url))
        typed = f"open {invited.typed} in a browser and type {invited.short}"
        click.echo(f"  Without a camera: {typed}")
    _say_networks(hosted.addresses, address)
    click.echo(f"This table's words are “{hosted.words}”.")


def _say_networks(addresses: Any, address: str) -> None:
    """Names the other networks, where there are any."""
    if not addresses.others(address):
        return
    shown = {one.address for one in addresses.others(address)}
    click.echo("My phone is on another network: type its number and press Enter.")
    for number, one in enumerate(addresses.found, 1):
        if one.address in shown:
            click.echo(f"  {number}  {one.interface} ({one.kind.value}): {one.address}")
