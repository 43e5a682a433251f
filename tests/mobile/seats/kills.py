"""Kills a host in the middle of a match, again and again, and starts it anew.

    nice -n 10 python -m tests.mobile.seats.kills --count 300

Two phones play on without end. Each time one of them has sent something and not heard the answer;
it sends the same again to the next host, as its page does. Both listen, and have to be shown the
match as it stands. At the end the journal holds what was announced, each once, and nothing else.
"""

import argparse
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from companion.journal import FileDeviceKeys, Journal
from tests.mobile.seats.hosting import Phone

RANKS = "A23456789"
#: Seconds for which phones play between two kills, at most.
LONGEST = 0.4


def let_children_be_interrupted():
    """A shell starts what runs in its background without Ctrl-C, and every child inherits that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def process(folder, *arguments, port=0):
    """A `companion host` of its own; yields it and what it prints when it is ready."""
    command = [sys.executable, "-m", "companion", "host", "--address", "127.0.0.1", "--json"]
    env = os.environ | {"COMPANION_DATA": str(folder)}
    let_children_be_interrupted()
    running = subprocess.Popen(
        [*command, "--port", str(port), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    )
    try:
        yield running, json.loads(running.stdout.readline())
    finally:
        if running.poll() is None:
            running.send_signal(signal.SIGINT)
            assert running.wait(20) == 130


def port_of(found):
    return int(found["table"].split(":")[2].split("/")[0])


def log_of(folder):
    with Journal(folder / "journal.sqlite", device=FileDeviceKeys(folder / "keys")) as book:
        return [line.text for line in book.resume(1).view().log]


class Players:
    """Two phones that play Gotcha without end: every guess is wrong.

    Attributes:
        announced: the lines that a host has said it recorded.
    """

    def __init__(self, found):
        base = found["table"].rsplit("/", 1)[0]
        self.phones = [Phone(base, f"seat/{seat}") for seat in (1, 2)]
        for phone, url in zip(self.phones, found["seats"].values(), strict=True):
            assert phone.join(url)["answer"] == "done"
        self.announced = []

    def asked(self):
        """The phone whose turn it is, what it sends, and the line that this is in the log."""
        number = len(self.announced)
        turn, is_answer = divmod(number, 2)
        mover = turn % 2
        seat = 1 - mover if is_answer else mover
        rank, place = RANKS[turn // 2 % len(RANKS)], 1 + turn // 18 % 5
        name, other = ("Ann", "Bo") if seat == 0 else ("Bo", "Ann")
        line = "wrong" if is_answer else f"guess {other} smallest {place} is {rank}"
        request = {"key": secrets.token_hex(8), "state": number, "do": "type", "line": line,
                   "sure": True}  # fmt: skip
        return self.phones[seat], request, f"{name}: {line}"

    def play(self, seconds):
        """Plays for a while; every answer is waited for."""
        stop = time.monotonic() + seconds
        while time.monotonic() < stop:
            phone, request, line = self.asked()
            answer = phone.post("/act", request).json()
            assert answer["answer"] == "done", (line, answer["told"])
            self.announced.append(line)

    def send_unheard(self, patience):
        """Sends something, and hangs up before the answer; returns how to send it again."""
        phone, request, line = self.asked()
        with suppress(httpx.HTTPError):
            phone.post("/act", request, timeout=patience)
        return phone, request, line

    def send_again(self, phone, request, line):
        """The same once more: it is done now, or was done before."""
        answer = phone.post("/act", request).json()
        assert answer["answer"] in ("done", "stale"), answer
        assert answer["state"] == len(self.announced) + 1, answer["state"]
        self.announced.append(line)

    def listen(self):
        """Both are shown the match as it stands."""
        for phone in self.phones:
            with phone.events() as events:
                name, page = next(events)
                assert (name, page["state"]) == ("page", len(self.announced))


def killed(folder, count, rng):
    """Kills a host so many times; gives numbers of events announced, and of those in doubt."""
    begin = ["--game", "gotcha", "--players", "Ann,Bo", "--option", "deal=5", "--no-https"]
    with process(folder, *begin) as (running, found):
        players = Players(found)
        players.play(rng.uniform(0.05, LONGEST))
        unheard = players.send_unheard(0.005)
        running.kill()
        running.wait(20)
    done_before = 0
    for number in range(1, count + 1):
        again = process(folder, "--continue", "--no-https", port=port_of(found))
        with again as (running, _):
            done_before += log_length(players) > len(players.announced)
            players.send_again(*unheard)
            players.listen()
            players.play(rng.uniform(0.05, LONGEST))
            if number < count:
                unheard = players.send_unheard(rng.choice((0.0003, 0.001, 0.005, 0.02)))
                running.kill()
                running.wait(20)
    lines = log_of(folder)
    return {
        "kills": count,
        "announced": len(players.announced),
        "recorded before they were sent again": done_before,
        "lost": len(players.announced) - len(lines) if lines != players.announced else 0,
        "the same lines": lines == players.announced,
    }


def log_length(players):
    """How many lines the match has, as the first phone is shown it."""
    with players.phones[0].events() as events:
        return next(events)[1]["state"]


def main():
    """Prints what was found; 1 where something was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = killed(Path(folder), options.count, random.Random(options.seed))
    print(json.dumps(found))
    return 0 if found["the same lines"] else 1


if __name__ == "__main__":
    sys.exit(main())
