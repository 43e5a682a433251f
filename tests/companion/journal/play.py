"""Matches to put into journals, and what must be the same when they come out again."""

import random
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache

import pytest

from companion.core.notation import write_event
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.journal import FileDeviceKeys, Journal, PinError
from companion.simulate import play_out
from tests.companion.seating import NAMES, short

#: Cheap scrypt: what it costs is not what is tested.
CHEAP = 4


@dataclass
class Clock:
    """A clock that stands until it is told to go on."""

    now: float = 1_000_000.0

    def __call__(self):
        return self.now


@dataclass
class Place:
    """A folder with a journal and, apart from it, the device's keys."""

    folder: object
    clock: Clock = field(default_factory=Clock)
    uptime: Clock = field(default_factory=Clock)

    @property
    def path(self):
        return self.folder / "journal.sqlite"

    @property
    def keys(self):
        return FileDeviceKeys(self.folder / "keys")

    def open(self, **options):
        options = {
            "device": self.keys,
            "clock": self.clock,
            "steady": self.uptime,
            "pin_cost": CHEAP,
        } | options
        return Journal(self.path, **options)

    def wrong(self, match="not Ann's PIN"):
        """How long Ann's seat waits after a wrong PIN, in a process of its own as it were."""
        with self.open() as journal, pytest.raises(PinError, match=match) as caught:
            journal.resume(1).unlock(0, "0000")
        return caught.value.wait

    def bytes(self):
        """All that lies on the disk beside the keys."""
        files = sorted(path for path in self.folder.iterdir() if path.is_file())
        return b"\n".join(path.read_bytes() for path in files)


def sql(path, *statements):
    """Does something to a journal's file from outside; the rows of the last statement."""
    with closing(sqlite3.connect(path)) as db, db:
        return [db.execute(statement).fetchall() for statement in statements][-1]


@cache
def script(name, seed=0, *, trusted=True, players=None):
    """A game, a setup and the lines of a whole simulated session."""
    game = get_game(name)
    count = players or game.info.min_players
    setup = game.setup(NAMES[:count], short(game), trusted=trusted)
    referee = Referee(game, setup)
    bots = list(game.bots.values())
    play_out(referee, [bots[seat % len(bots)] for seat in range(count)], random.Random(seed))
    return game, setup, tuple(write_event(game, setup, event) for event in referee.events)


def plain(referee):
    """The log, with errors that can be compared."""
    return [
        (
            entry.n,
            entry.event,
            entry.text,
            entry.applied,
            None if entry.error is None else (type(entry.error), entry.error.message),
            entry.findings,
            entry.unfit,
        )
        for entry in referee.log
    ]


def everything(referee):
    """All that must be the same after a restart: log, nodes, what redo restores, every view."""
    viewers = (None, *range(len(referee.setup.players)))
    nodes = [
        (node.event, node.state, None if node.error is None else node.error.message)
        for node in referee.nodes
    ]
    undone = [(referee.undoes(seat), referee.redoes(seat)) for seat in viewers]
    views = [referee.view(viewer) for viewer in viewers]
    return plain(referee), nodes, undone, views, [view.as_dict() for view in views]
