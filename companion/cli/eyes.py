"""`companion scan`, `row` and `watch`: what the camera sees. The work is done by `vision`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from companion.cli.common import json_option, room
from companion.decks import get_deck
from companion.notation import write_event
from companion.referee import Referee
from companion.registry import get_game
from companion.sightings import Sighting

deck_option = click.option(
    "--deck", default="standard", show_default=True, help="The deck on the table."
)
pictures = click.argument(
    "photos", metavar="PHOTO...", type=click.Path(path_type=Path), nargs=-1, required=True
)


@click.command(epilog="Example: companion scan table.jpg --json")
@pictures
@deck_option
@json_option
def scan(photos: tuple[Path, ...], deck: str, *, as_json: bool) -> int:
    """Names the cards in each photo; folders are accepted."""
    get_deck(deck)
    return int(room("vision.commands").scan(list(photos), deck=deck, json_output=as_json))


@click.command(epilog="Example: companion row row.jpg")
@pictures
@deck_option
@json_option
def row(photos: tuple[Path, ...], deck: str, *, as_json: bool) -> int:
    """Reads one row from a still, several stills or a sweep."""
    get_deck(deck)
    return int(room("vision.commands").row(list(photos), deck=deck, json_output=as_json))


@click.command(epilog="Example: companion watch clip.mp4 --game precognition")
@click.argument("source", metavar="SRC")
@click.option("--game", help="Propose events of this game.")
@click.option("--zones", type=click.Path(path_type=Path), help="File with the table's zones.")
@deck_option
@json_option
def watch(source: str, game: str | None, zones: Path | None, deck: str, *, as_json: bool) -> int:
    """Follows a video or camera and prints what it sees, live."""
    get_deck(deck)
    return int(
        room("vision.commands").watch(
            source,
            game=game,
            zones=zones,
            deck=deck,
            json_output=as_json,
            propose=proposer(game) if game else None,
        )
    )


def proposer(game: str) -> Callable[[Sighting], Iterator[dict[str, Any]]]:
    """What a sighting could mean at a fresh table of a game; the first clean proposal is taken.

    Raises:
        CompanionError: there is no such game.
    """
    rules = get_game(game)
    names = [f"P{seat}" for seat in range(1, rules.info.min_players + 1)]
    referee: Referee[Any] = Referee(rules, rules.setup(names))

    def propose(seen: Sighting) -> Iterator[dict[str, Any]]:
        taken = False
        for proposal in referee.proposals(seen):
            said = [finding.message for finding in proposal.findings]
            if proposal.error is not None:
                said.insert(0, proposal.error.message)
            accepted = proposal.is_clean and not taken
            text = write_event(rules, referee.setup, proposal.event, comment=False)
            if accepted:
                referee.accept(proposal.event)
                taken = True
            yield {"event": text, "accepted": accepted, "error": " ".join(said) or None}

    return propose
