"""`companion scan`, `row`, `hand` and `watch`: what the camera sees. `vision` does the work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from companion.cards import parse_cards
from companion.cli.common import json_option, room
from companion.core.acceptance import Decision, Judged, LiveSighting
from companion.core.events import Event
from companion.core.layout import Corners, layout
from companion.core.notation import write_event
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.state import Zone, ZoneKind
from companion.core.watched_match import WatchedMatch
from companion.decks import AUTO, get_deck
from companion.errors import UsageError
from companion.games.suspense.conditions import captions
from companion.paths import data_folder

#: A comment that says when an event is recorded while a clip plays.
_MOMENT = re.compile(r"^at\s+(\d+(?:\.\d+)?)$")

deck_option = click.option(
    "--deck",
    default=AUTO,
    show_default=True,
    help="The deck on the table; auto tells its letters from what is seen.",
)
pictures = click.argument(
    "photos", metavar="PHOTO...", type=click.Path(path_type=Path), nargs=-1, required=True
)


@click.command(epilog="Example: companion scan table.jpg --json")
@click.argument("photos", metavar="PHOTO...", type=click.Path(path_type=Path), nargs=-1)
@deck_option
@click.option(
    "--explain", is_flag=True, help="Say for each card what the stages of reading made of it."
)
@click.option(
    "--keep-misread",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep a copy of each photo that is misread, or in doubt where --cards is not given.",
)
@click.option("--cards", help="What lies on the photo, such as “8H 10D JK”.")
@click.option(
    "--replay-misreads",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Read the photos kept there again and say which are right now.",
)
@json_option
def scan(
    photos: tuple[Path, ...],
    deck: str,
    *,
    explain: bool,
    keep_misread: Path | None,
    cards: str | None,
    replay_misreads: Path | None,
    as_json: bool,
) -> int:
    """Names the cards in each photo; folders and - (standard input) are accepted."""
    _check_deck(deck)
    if explain and as_json:
        raise UsageError("--explain speaks in words and --json does not: ask for one of them.")
    if replay_misreads is not None:
        if photos:
            raise UsageError("--replay-misreads reads the photos of its folder: name no others.")
        return int(room("vision.commands").replay_misreads(replay_misreads, json_output=as_json))
    if not photos:
        raise UsageError("Missing argument PHOTO: name a photo or a folder of photos.")
    if keep_misread is not None and Path("-") in photos:
        raise UsageError("--keep-misread copies photos: name files, not standard input.")
    if cards is not None and (len(photos) > 1 or keep_misread is None):
        raise UsageError("--cards says what lies on the one photo that --keep-misread may keep.")
    return int(
        room("vision.commands").scan(
            list(photos),
            deck=deck,
            json_output=as_json,
            explain=explain,
            keep_misread=keep_misread,
            cards=None if cards is None else parse_cards(cards),
        )
    )


@click.command(epilog="Example: companion row row.jpg")
@pictures
@deck_option
@json_option
def row(photos: tuple[Path, ...], deck: str, *, as_json: bool) -> int:
    """Reads one row from a still, several stills or a sweep."""
    _check_deck(deck)
    return int(room("vision.commands").row(list(photos), deck=deck, json_output=as_json))


@click.command(epilog="Example: companion hand hand.jpg --count 13")
@click.argument("sources", metavar="PHOTO|VIDEO|camera...", nargs=-1, required=True)
@deck_option
@click.option(
    "--count", metavar="N", type=click.IntRange(min=1), help="How many cards the hand holds."
)
@json_option
def hand(sources: tuple[str, ...], deck: str, count: int | None, *, as_json: bool) -> int:
    """Names the cards of one hand, held as a fan or laid apart, and says which are doubtful."""
    in_hand, reader = _readable((deck,))
    return int(
        room("vision.commands").hand(
            list(sources), deck=in_hand, count=count, reader=reader, json_output=as_json
        )
    )


@click.command(epilog="Example: companion watch clip.mp4 --game precognition")
@click.argument("source", metavar="SRC")
@click.option("--game", help="Propose events of this game.")
@click.option("--zones", type=click.Path(path_type=Path), help="File with the table's zones.")
@click.option(
    "--events",
    type=click.Path(path_type=Path),
    help="The match so far, as text; a line with the comment “; at 12.5” is recorded then.",
)
@click.option(
    "--deck",
    help="The deck on the table; by default the game's own. A standard deck may be printed in any "
    "language (auto).",
)
@json_option
def watch(
    source: str,
    game: str | None,
    zones: Path | None,
    events: Path | None,
    deck: str | None,
    *,
    as_json: bool,
) -> int:
    """Follows a video or camera and prints what it sees, live."""
    desk = WatchDesk.opened(game, events) if game or events else None
    names = desk.referee.game.info.decks if desk is not None else (AUTO,)
    # A game's decks are several to choose from, or all lie there where they are enrolled.
    if deck is None and names[0] == "standard":
        names = (AUTO,)
    on_table, reader = _readable((deck,) if deck else names)
    places: Any = zones
    if zones is None and desk is not None:
        places = room("vision.tracking.zones").Zones.of_corners(desk.layout)
    return int(
        room("vision.commands").watch(
            source,
            game=desk.referee.game.name if desk is not None else None,
            zones=places,
            deck=on_table,
            reader=reader,
            rows=desk.rows if desk is not None else None,
            json_output=as_json,
            propose=desk.propose if desk is not None else None,
        )
    )


def _readable(names: Sequence[str]) -> tuple[Any, Any]:
    """The deck on the table and what reads it: indices by default, whole faces where enrolled."""
    if names[0] == AUTO or not get_deck(names[0]).enrolled:
        _check_deck(names[0])
        return names[0], None
    live = room("calibration.live_reader")
    written = {name: captions(name) for name in names}
    return live.deck_on_table(names), live.TableReader(names, data_folder() / "decks", written)


def _check_deck(name: str) -> None:
    """Raises `UsageError` if there is no deck of that name."""
    if name != AUTO:
        get_deck(name)


class WatchDesk:
    """A match in front of a clip or camera: sightings, and lines recorded at given times.

    Args:
        referee: of the match.
        timed: further event lines, each with the second at which it is recorded.
    """

    def __init__(self, referee: Referee[Any], timed: Iterable[tuple[float, str]] = ()) -> None:
        self.referee = referee
        self._timed = sorted(timed, key=lambda entry: entry[0])
        self._told: dict[tuple[object, ...], str] = {}
        # Nobody can be asked here, so cards count from the first one on.
        self._watched = WatchedMatch(lambda: self.referee, self._record, asks_to_start=False)

    @classmethod
    def opened(cls, game: str | None, events: Path | None) -> WatchDesk:
        """A fresh match of a game, or one that goes on from a file.

        Raises:
            CompanionError: there is no such game, or the file cannot be read.
        """
        if events is None:
            rules = get_game(game or "")
            names = [f"P{seat}" for seat in range(1, rules.info.min_players + 1)]
            return cls(Referee(rules, rules.setup(names)))
        from companion.cli.stored import read_match_file  # the journal is needed for nothing else

        text = read_match_file(events)
        desk = cls(Referee(text.game, text.setup))
        for line in text.events:
            moment = _MOMENT.search(line.comment)
            if moment is None:
                desk.referee.submit_line(line)
            else:
                desk._timed.append((float(moment[1]), line.text))
        desk._timed.sort(key=lambda entry: entry[0])
        return desk

    @property
    def zones(self) -> tuple[Zone, ...]:
        """The game's places for cards, as everybody knows them."""
        return tuple(self.referee.game.zones(self.referee.knowledge(None)))

    @property
    def layout(self) -> dict[str, Corners | None]:
        """Where they lie in the picture by default."""
        return layout(self.zones)

    @property
    def rows(self) -> list[str]:
        """Those that are rows."""
        return [zone.name for zone in self.zones if zone.kind is ZoneKind.ROW]

    def propose(
        self, seen: Sequence[LiveSighting], t: float
    ) -> Iterator[tuple[LiveSighting | None, dict[str, Any]]]:
        """Judges what lies on the table; records what is sure and legal.

        Args:
            seen: all that lies on the table.
            t: the time in seconds.
        """
        while self._timed and self._timed[0][0] <= t:
            yield None, self._typed(self._timed.pop(0)[1])
        in_sight = [sighting.card for sighting in seen]
        for judged in self._watched.see(seen, now=t, in_sight=in_sight):
            fields = self._fields(judged)
            told = f"{judged.verdict} {fields['event']} {fields['error']}"
            if self._told.get(judged.key) != told:
                self._told[judged.key] = told
                yield judged.sighting, fields

    def _record(self, event: Event) -> bool:
        self.referee.accept(event)
        self.referee.follow_up()
        return True

    def _typed(self, text: str) -> dict[str, Any]:
        entry = self.referee.submit(text)
        self.referee.follow_up()
        error = entry.error.message if entry.error is not None else None
        return {"event": text, "verdict": "typed", "accepted": entry.applied, "error": error}

    def _fields(self, judged: Judged) -> dict[str, Any]:
        rules, setup = self.referee.game, self.referee.setup
        return {
            "event": write_event(rules, setup, judged.best.event, comment=False),
            "verdict": str(judged.verdict),
            "accepted": judged.verdict is Decision.ACCEPTED,
            "chance": round(judged.chance, 4),
            "error": judged.why or None,
        }
