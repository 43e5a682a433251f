"""Frames a second of the app while it serves pages to everybody's own phone.

    python -m tests.benchmarks.app_frames [--seats 8] [--spectators 30] [--events 40]

A window without a screen shows a match of Precognition and serves it; another process is all the
phones: they listen, and lay cards in turn. Beside the frames' times on the clock stands what the
app's own thread had to do for each, which another busy program beside it does not change.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from mobile.tools.offscreen import SIZES, environment

#: Longest frame in 95 of 100, in milliseconds: 30 frames a second.
LIMIT = 1000 / 30


def main() -> int:
    """The command line; 1 where the app's thread needs longer than a frame may take."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seats", type=int, default=8)
    parser.add_argument("--spectators", type=int, default=30)
    parser.add_argument("--events", type=int, default=40)
    parser.add_argument("--part", choices=("app", "phones"), help=argparse.SUPPRESS)
    parser.add_argument("--served", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.part == "phones":
        return phones(json.loads(chosen.served), chosen.spectators, chosen.events)
    if chosen.part == "app":
        return app(chosen.seats, chosen.spectators, chosen.events)
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("data", "kivy"):
            (Path(scratch) / name).mkdir()
        command = [sys.executable, "-m", "tests.benchmarks.app_frames", "--part", "app"]
        sizes = ["--seats", str(chosen.seats), "--spectators", str(chosen.spectators)]
        ran = subprocess.run(
            [*command, *sizes, "--events", str(chosen.events)],
            env=environment(Path(scratch), SIZES["phone"]),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    found = json.loads(ran.stdout.splitlines()[-1])
    print(json.dumps(found, indent=2))
    return 0 if found["app's thread, p95 ms"] <= LIMIT else 1


def phones(served: dict[str, object], spectators: int, events: int) -> int:
    """All the phones; prints how long events took to reach them."""
    from tests.benchmarks.seats_load import measure

    times = sorted(asyncio.run(measure(served, spectators=spectators, events=events)))
    print(json.dumps({"p95": round(times[int(len(times) * 0.95)], 1)}))
    return 0


def app(seats: int, spectators: int, events: int) -> int:
    """The app with its table; prints how its frames came while phones played."""
    from companion.core.registry import get_game
    from tests.mobile.scenes import start

    stage = start()  # before anything else imports Kivy
    from kivy.base import EventLoop

    game = get_game("precognition")
    names = [f"P{number}" for number in range(1, seats + 1)]
    stage.app.open_table(game, game.setup(names), None)
    stage.frames(3)
    screen = stage.app.screen("table")
    screen.own_phones()
    own = screen.phones.own
    own.address_now, own.port = (lambda: "127.0.0.1"), 0
    screen.phones.start()
    stage.wait(lambda: own.is_on and bool(own.seats()))
    served = {
        "table": own.address("table"),
        "seats": {name: own.address(str(seat + 1)) for seat, name in enumerate(names)},
    }
    for sheet in list(stage.app.root_window.children)[:-1]:
        sheet.dismiss(animation=False)
    command = [sys.executable, "-m", "tests.benchmarks.app_frames", "--part", "phones"]
    sizes = ["--spectators", str(spectators), "--events", str(events)]
    playing = subprocess.Popen(
        [*command, *sizes, "--served", json.dumps(served)], stdout=subprocess.PIPE, text=True
    )
    wall, own_thread = [], []
    while playing.poll() is None:
        began, worked = time.perf_counter(), time.thread_time()
        EventLoop.idle()
        if screen.table.referee.stands:  # everybody has sat down
            wall.append((time.perf_counter() - began) * 1000)
            own_thread.append((time.thread_time() - worked) * 1000)
    assert playing.returncode == 0
    assert playing.stdout is not None
    arrived = json.loads(playing.stdout.read())
    stands = screen.table.referee.stands
    stage.close()
    found = {
        "events": stands,
        "frames": len(wall),
        "frames a second": round(1000 * len(wall) / sum(wall), 1),
        "on the clock, median ms": round(median(wall), 1),
        "on the clock, p95 ms": _of_hundred(wall, 95),
        "app's thread, median ms": round(median(own_thread), 1),
        "app's thread, p95 ms": _of_hundred(own_thread, 95),
        "app's thread, worst ms": round(max(own_thread), 1),
        "an event at a page, p95 ms": arrived["p95"],
    }
    print(json.dumps(found))
    return 0


def _of_hundred(times: list[float], share: int) -> float:
    return round(sorted(times)[len(times) * share // 100], 1)


if __name__ == "__main__":
    sys.exit(main())
