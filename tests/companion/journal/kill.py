"""Kills a process that applies events, again and again, and looks at what it had announced.

    python -m tests.companion.journal.kill --count 300

Each child opens the journal (which the last one left as it fell), goes on with the match, and
writes a line to a pipe after each call has returned: that is its announcement. At a random moment
it gets SIGKILL. Then everything it announced must stand in the journal, whole, and the next child
goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from companion.core.notation import write_event
from companion.core.registry import all_games
from companion.journal import FileDeviceKeys, Journal, restore
from tests.companion.journal.play import CHEAP, script

#: Simulated sessions a game that children play in turn.
SEEDS = 3
#: Events after which a child is killed at the latest, and seconds that it gets beyond.
EVENTS, BEYOND = 40, 0.05
PASSPHRASE = "killed in between"


@dataclass
class Tally:
    """What a run came to."""

    kills: int = 0
    announced: int = 0
    unannounced: int = 0
    sessions: int = 0
    lines: int = 0
    marks: int = 0
    deleted: int = 0
    backups: int = 0


def open_journal(folder: Path) -> Journal:
    return Journal(
        folder / "journal.sqlite", device=FileDeviceKeys(folder / "keys"), pin_cost=CHEAP
    )


@cache
def scripted(name: str, seed: int):
    """A simulated session: game, setup and lines. Made before the children are."""
    return script(name, seed)


def lines_of(session):
    """The lines that a session of the journal follows."""
    return scripted(session.game.name, session.id % SEEDS)[2]


def play_on(folder: Path, pipe: int, seed: int) -> None:
    """The child: plays until it is killed, announcing each line when it stands."""

    def announce(*what):
        os.write(pipe, (json.dumps(what) + "\n").encode())

    rng = random.Random(seed)
    games = [game.name for game in all_games()]
    with open_journal(folder) as journal:
        announce("open", 0, journal.notice)
        while True:
            infos = journal.unfinished()
            if infos:
                session = journal.resume(infos[0].id)
            else:
                number = max((info.id for info in journal.sessions()), default=0) + 1
                game, setup, _ = scripted(games[number % len(games)], number % SEEDS)
                session = journal.begin(game, setup)
            play_session(session, rng, announce)
            session.close()
            if rng.random() < 0.5:
                tidy(journal, folder, session.id, rng, announce)


def tidy(journal, folder: Path, number: int, rng, announce) -> None:
    """Backs up, or deletes the session that has just ended: both are killed too."""
    if rng.random() < 0.5:
        journal.backup(folder / "games.backup", PASSPHRASE, cost=CHEAP)
        announce("backup", number)
        return
    announce("deleting", number)
    journal.delete(number)
    announce("deleted", number)


def play_session(session, rng, announce) -> None:
    """Plays one session to its end, with undos, corrections, refusals and marks among it."""
    lines, desk = lines_of(session), session.referee
    while not desk.state.table.over:
        done = len(desk.events)
        text = lines[done]
        dice = rng.random()
        if dice < 0.08 and done:
            text = "table: undo"
        elif dice < 0.12:
            text = "Ann: mumbles something"
        elif dice < 0.16 and desk.events:
            last = desk.events[-1]
            who = (
                "table"
                if last.is_public
                else write_event(session.game, session.setup, last).partition(":")[0]
            )
            text = f"{who}: correct {last.n} {lines[done - 1]}"
        elif dice < 0.2:
            who = session.unlock(0)
            count = int(session.marks(who).get("count", "0")) + 1
            session.marks(who).put("count", str(count))
            announce("mark", session.id, count)
            continue
        entry = desk.submit(text)
        announce("line", session.id, entry.n, text, entry.applied)
    announce("over", session.id, len(desk.log))


def killed_child(folder: Path, rng: random.Random) -> list:
    """Lets a child play on, kills it at random, and returns what it had announced."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reader)
            play_on(folder, writer, rng.randrange(2**32))
            status = 0
        except BaseException as error:  # noqa: BLE001  the child must end here
            print(f"child: {error!r}", file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    os.close(writer)
    data, wanted = b"", rng.randrange(EVENTS)
    while data.count(b"\n") <= wanted:
        more = os.read(reader, 1 << 16)
        assert more, "the child ended by itself"
        data += more
    # Somewhere in what it does next.
    until = time.monotonic() + rng.uniform(0, BEYOND)
    while (left := until - time.monotonic()) > 0:
        if select.select([reader], [], [], left)[0]:
            data += os.read(reader, 1 << 16)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    while more := os.read(reader, 1 << 16):
        data += more
    os.close(reader)
    assert os.WIFSIGNALED(status), "the child ended by itself"
    whole, _, _ = data.rpartition(b"\n")
    return [json.loads(line) for line in whole.splitlines()]


def look(folder: Path, announced: list, known: dict, tally: Tally) -> None:
    """Compares the journal with all that was ever announced."""
    take_in(announced, known, tally)
    with open_journal(folder) as journal:
        assert journal.notice == "", journal.notice
        infos = {info.id: info for info in journal.sessions()}
        for number in {each[1] for each in announced if each[0] == "deleting"}:
            # Deleted, or cut short before or after its keys went: then the next try does it.
            if ["deleted", number] in announced:
                assert number not in infos
            elif number in infos:
                assert infos[number].over or "cut short" in infos[number].damage
                journal.delete(number)
                infos.pop(number)
            known.pop(number, None)
            known.pop(("mark", number), None)
            tally.deleted += 1
        # A child may have been killed before it announced anything of the session it was in.
        touched = {each[1] for each in announced}
        touched |= {
            number for number, info in infos.items() if not info.over or number not in known
        }
        for key, counted in known.items():
            if isinstance(key, tuple) and key[1] in touched:
                session = journal.resume(key[1])
                count = int(session.marks(session.unlock(0)).get("count", "0"))
                assert counted <= count <= counted + 1, (key, counted, count)
                known[key] = count
        for number in touched & infos.keys():
            lines = known.setdefault(number, {})
            compare(journal.resume(number), lines, infos[number], tally)
    tally.sessions = len(infos)
    tally.lines = sum(info.events for info in infos.values())


def take_in(announced: list, known: dict, tally: Tally) -> None:
    """Adds what a child announced to what is known: lines by session and number, marks."""
    for kind, number, *what in announced:
        if kind == "open":
            assert what == [""], what
        elif kind == "line":
            n, text, applied = what
            known.setdefault(number, {})[n] = (text, applied)
            tally.announced += 1
        elif kind == "mark":
            known["mark", number] = what[0]
            tally.marks += 1
        elif kind == "backup":
            tally.backups += 1


def compare(session, lines: dict, info, tally: Tally) -> None:
    """One session with what was announced of it; takes up the line that was not announced yet."""
    log = session.referee.log
    assert session.damage == "", session.damage
    assert session.differences == ()
    assert len(log) - len(lines) in (0, 1), (len(log), len(lines))
    assert info.events == len(log)
    for n, (text, applied) in lines.items():
        entry = log[n - 1]
        assert entry.applied == applied, (n, text)
        if entry.event is None:
            assert entry.text == text
        else:
            assert same(session, entry, text), (n, text)
    if len(log) > len(lines):
        tally.unannounced += 1
        last = log[-1]
        text = last.text or write_event(session.game, session.setup, last.event)
        lines[last.n] = (text, last.applied)
    standing = [write_event(session.game, session.setup, event) for event in session.referee.events]
    assert standing == list(lines_of(session)[: len(standing)])


def same(session, entry, text: str) -> bool:
    """Whether an entry says what was announced."""
    written = write_event(session.game, session.setup, entry.event)
    return written == text or session.referee.parse(text).args == entry.event.args


def run(count: int, seed: int = 0, *, progress=None) -> Tally:
    """Kills so many children; raises AssertionError at the first announced line that is lost."""
    tally = Tally()
    rng = random.Random(seed)
    known: dict = {}
    for game in all_games():
        for number in range(SEEDS):
            scripted(game.name, number)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for _ in range(count):
            announced = killed_child(folder, rng)
            tally.kills += 1
            look(folder, announced, known, tally)
            if progress is not None:
                progress(tally)
        if tally.backups:
            check_backup(folder)
    return tally


def check_backup(folder: Path) -> None:
    """The last backup that was announced, or one that was finished since, is whole."""
    keys = FileDeviceKeys(folder / "other-keys")
    restore(folder / "games.backup", folder / "other.sqlite", PASSPHRASE, keys)
    with Journal(folder / "other.sqlite", device=keys) as journal:
        for info in journal.sessions():
            assert journal.resume(info.id).damage == ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=300, help="how often to kill")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()

    def progress(tally: Tally) -> None:
        if tally.kills % 25 == 0:
            print(tally, flush=True)

    started = time.monotonic()
    tally = run(given.count, given.seed, progress=progress)
    print(
        f"{tally.kills} kills, {tally.announced} announced events, all there; "
        f"{tally.unannounced} more had just been recorded; {tally.marks} marks, "
        f"{tally.backups} backups, {tally.deleted} deletions; "
        f"{tally.sessions} sessions, {tally.lines} lines; {time.monotonic() - started:.0f} s"
    )


if __name__ == "__main__":
    main()
