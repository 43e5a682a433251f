"""How soon an event reaches every page: a hosted table with seats and spectators.

    python -m tests.benchmarks.seats_load [--seats 8] [--spectators 30] [--events 40] [--eyes]
        [--json]

The table is hosted by a process of its own, encrypted as at home; all pages listen from this one.
Measured is the time from sending an event to its arrival at each page, over all pages and events.
With --eyes the host's own eyes read the bundled clip meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from companion.cards import Family, family_cards

#: Milliseconds within which an event reaches 95 of 100 pages.
LIMIT = 150.0


@contextmanager
def hosting(folder: Path, *arguments: str):
    """Yields a running `companion host` and what it prints when it is ready."""
    command = [sys.executable, "-m", "companion", "host", "--port", "0", "--address", "127.0.0.1"]
    env = os.environ | {"COMPANION_DATA": str(folder)}
    process = subprocess.Popen(
        [*command, *arguments, "--json"], stdout=subprocess.PIPE, text=True, env=env
    )
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(20)


def trusting() -> ssl.SSLContext:
    """As a browser whose user went on past the warning."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class Page:
    """A page that listens: remembers when each state arrived."""

    def __init__(self, url: str) -> None:
        address, _, self.code = url.partition("#")
        self.host, _, path = address.removeprefix("https://").partition("/")
        self.path, self.cookie = f"/{path}", ""
        self.arrived: dict[int, float] = {}
        self.news = asyncio.Event()

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        name, port = self.host.split(":")
        return await asyncio.open_connection(name, int(port), ssl=trusting(), limit=1 << 22)

    async def post(self, path: str, sent: dict[str, object]) -> tuple[str, dict[str, object]]:
        """Sends something; returns the head and what is answered."""
        reader, writer = await self._open()
        body = json.dumps(sent).encode()
        head = (
            f"POST {self.path}{path} HTTP/1.1\r\nHost: {self.host}\r\n"
            f"Origin: https://{self.host}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nCookie: {self.cookie}\r\nConnection: close\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = await reader.read()
        writer.close()
        top, _, rest = answer.partition(b"\r\n\r\n")
        return top.decode(), json.loads(rest[rest.index(b"{") : rest.rindex(b"}") + 1])

    async def join(self) -> None:
        """Sits down."""
        top, answer = await self.post("/join", {"code": self.code, "pin": ""})
        assert answer["answer"] == "done", answer
        line = next(row for row in top.split("\r\n") if row.lower().startswith("set-cookie"))
        self.cookie = line.split(": ", 1)[1].split(";")[0]

    async def listen(self) -> None:
        """Takes what is sent until it is cancelled."""
        reader, writer = await self._open()
        head = f"GET {self.path}/events HTTP/1.1\r\nHost: {self.host}\r\nCookie: {self.cookie}\r\n"
        writer.write(f"{head}\r\n".encode())
        try:
            while line := await reader.readline():
                if line.startswith(b'data: {"state":'):
                    self.arrived.setdefault(int(line[15:25].split(b",")[0]), time.perf_counter())
                    self.news.set()
        finally:
            writer.close()

    async def wait_for(self, state: int) -> float:
        """When a state arrived."""
        while state not in self.arrived:
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 20)
        return self.arrived[state]


async def measure(found: dict[str, object], *, spectators: int, events: int) -> list[float]:
    """Milliseconds until each page was told of each event."""
    urls: dict[str, str] = found["seats"]  # type: ignore[assignment]
    seats = [Page(url) for url in urls.values()]
    for seat in seats:
        await seat.join()
    watching = [Page(str(found["table"]).split("#")[0]) for _ in range(spectators)]
    pages = [*seats, *watching]
    tasks = [asyncio.create_task(page.listen()) for page in pages]
    for page in pages:
        await page.wait_for(0)
    names = list(urls)
    times: list[float] = []
    for number, card in enumerate(family_cards(Family.STANDARD)[:events]):
        mover = number % len(seats)
        sent = {
            "key": secrets.token_hex(8), "state": number, "do": "type",
            "line": f"{names[mover]}: place {card.code}",
        }  # fmt: skip
        began = time.perf_counter()
        answer, *arrived = await asyncio.gather(
            seats[mover].post("/act", sent), *(page.wait_for(number + 1) for page in pages)
        )
        assert answer[1]["answer"] == "done", answer[1]
        times += [(at - began) * 1000 for at in arrived]
        await asyncio.sleep(0.05)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return times


def run(*, seats: int, spectators: int, events: int, eyes: bool) -> dict[str, float]:
    """Milliseconds: median and 95th percentile over all pages and events."""
    names = ",".join(f"P{number}" for number in range(1, seats + 1))
    arguments = ["--game", "precognition", "--players", names]
    with tempfile.TemporaryDirectory() as folder:
        arguments += ["--source", "demo"] if eyes else []
        with hosting(Path(folder), *arguments) as (_, found):
            times = sorted(asyncio.run(measure(found, spectators=spectators, events=events)))
    return {
        "pages": seats + spectators,
        "events": len(times) // (seats + spectators),
        "median_ms": round(median(times), 1),
        "p95_ms": round(times[int(len(times) * 0.95)], 1),
        "worst_ms": round(times[-1], 1),
        "limit_ms": LIMIT,
    }


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seats", type=int, default=8)
    parser.add_argument("--spectators", type=int, default=30)
    parser.add_argument("--events", type=int, default=40)
    parser.add_argument("--eyes", action="store_true")
    parser.add_argument("--json", action="store_true", dest="as_json")
    chosen = parser.parse_args()
    found = run(
        seats=chosen.seats,
        spectators=chosen.spectators,
        events=chosen.events,
        eyes=chosen.eyes,
    )
    print(json.dumps(found) if chosen.as_json else "\n".join(f"{k}: {v}" for k, v in found.items()))
    return 0 if found["p95_ms"] <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
