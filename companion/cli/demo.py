"""`companion demo`: a bundled clip becomes a scored row, in a window or in the terminal."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import webbrowser
from pathlib import Path
from typing import Any

import click

from companion.cli.common import room
from companion.cli.host import say_addresses
from companion.core.referee import Referee
from companion.core.replay import describe
from companion.core.sightings import Proposal
from companion.errors import CompanionError
from companion.journal import Journal


@click.command(epilog="Example: companion demo")
@click.option("--terminal", is_flag=True, help="In the terminal even where there is a screen.")
@click.option(
    "--phones", is_flag=True, help="With each player's own page: in a browser, or on phones."
)
def demo(*, terminal: bool, phones: bool) -> int:
    """Plays the bundled Precognition clip: cards recognised, refereed, scored."""
    if phones:
        run_with_phones()
        return 0
    if has_screen() and not terminal:
        try:
            return int(room("mobile.app").main("demo", None) or 0)
        except CompanionError as error:
            click.echo(f"{error.message}\nHere is the demo in the terminal instead.", err=True)
    run_in_terminal()
    return 0


def has_screen() -> bool:
    """Whether a window can be opened where somebody sees it."""
    if sys.platform != "linux":
        return True
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return True
    return os.environ.get("SDL_VIDEODRIVER") == "kmsdrm" or _is_console()


def _is_console() -> bool:
    """Whether this is a text console of a machine whose screen can be drawn on (KMSDRM).

    Over SSH there is a graphics device too, but nobody sees its screen.
    """
    try:
        terminal = os.ttyname(sys.stdin.fileno())
    except (OSError, ValueError):
        return False
    at_the_machine = (
        terminal.startswith("/dev/tty") and terminal.removeprefix("/dev/tty").isdecimal()
    )
    return at_the_machine and any(Path("/dev/dri").glob("card*"))


def run_in_terminal() -> None:
    """Recognises the clip and referees it, printing what happens."""
    script = room("mobile.model.demo_script").load()
    referee: Referee[Any] = Referee(script.game, script.setup)
    for event in script.predictions:
        referee.accept(event)
        click.echo(f"{script.setup.name(event.actor)} predicts {event.args[0]}")
    for seen in room("vision.commands").sightings(str(script.clip), deck="standard"):
        proposals = referee.proposals(seen)
        best = next((proposal for proposal in proposals if proposal.is_clean), None)
        if best is None:
            _explain(proposals)
            continue
        turn = referee.state.table.to_move
        referee.accept(best.event)
        note = referee.knowledge(None).remarks[0]
        head = f"{seen.since:5.1f} s  {referee.setup.name(turn)}'s turn"
        click.echo(f"{head}  seen: {seen.card.code:3} ({best.confidence:.2f})  {note}")
    click.echo("---")
    for line in describe(referee.state.table, referee.setup.players):
        click.echo(line)


def run_with_phones() -> None:
    """Hosts the clip's table: each player's page in this machine's browser, or for phones to scan.

    The clip begins when the first player has sat down. Nothing is kept: the journal is a temporary
    one.

    Raises:
        CompanionError: nothing can be served here.
    """
    hosting = room("mobile.seats.host")
    script = room("mobile.model.demo_script").load()
    browser = _browser()
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as book:
        session = book.begin(script.game, script.setup)
        for event in script.predictions:
            session.referee.accept(event)
        options = hosting.HostOptions(
            folder=Path(folder) / "keys",
            # A browser here needs no encryption, and warns of certificates that nobody has signed.
            address="127.0.0.1" if browser is not None else "",
            port=0,
            secure=browser is None,
            source=str(script.clip),
            awaits_phone=True,
        )
        served = hosting.Host(session, options)
        served.run(lambda: _invite(served, browser))


def _browser() -> webbrowser.BaseBrowser | None:
    """The browser of the screen in use; None without one."""
    if not has_screen():
        return None
    try:
        return webbrowser.get()
    except webbrowser.Error:
        return None


def _invite(served: Any, browser: webbrowser.BaseBrowser | None) -> None:
    click.echo("The clip begins when the first player has sat down. Ctrl-C ends.")
    if browser is None:
        say_addresses(served)
        return
    found = served.addresses()
    addresses = (found["table"], *found["seats"].values())
    click.echo("\n".join(addresses))
    # Some browsers hold up whoever opens them, and nothing would be served meanwhile.
    threading.Thread(target=lambda: [*map(browser.open_new_tab, addresses)], daemon=True).start()


def _explain(proposals: tuple[Proposal, ...]) -> None:
    """Says why a sighting was not recorded."""
    for proposal in proposals[:1]:
        reasons = [finding.message for finding in proposal.findings]
        if proposal.error is not None:
            reasons.append(proposal.error.message)
        click.echo(f"? {' '.join(reasons)}")
