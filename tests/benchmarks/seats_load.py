"""How soon an event reaches every page: a hosted table with seats and spectators.

    python -m tests.benchmarks.seats_load [--seats 8] [--spectators 30] [--events 40] [--eyes]
        [--hands 4] [--json]

The table is hosted by a process of its own, encrypted as at home; all pages listen from this one.
Measured is the time from sending an event to its arrival at each page, over all pages and events.
With --eyes the host's own eyes read the bundled clip meanwhile; with --hands so many seats show
cards to their phones.
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

    async def post(
        self, path: str, sent: dict[str, object] | bytes
    ) -> tuple[str, dict[str, object]]:
        """Sends something, bytes as a JPEG; returns the head and what is answered."""
        reader, writer = await self._open()
        body = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        kind = "image/jpeg" if isinstance(sent, bytes) else "application/json"
        head = (
            f"POST {self.path}{path} HTTP/1.1\r\nHost: {self.host}\r\n"
            f"Origin: https://{self.host}\r\nContent-Type: {kind}\r\n"
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


def _frame() -> bytes:
    """A picture with cards, as large as a page sends one."""
    import cv2

    from mobile.model import demo_script

    capture = cv2.VideoCapture(str(demo_script.load().clip))
    capture.set(cv2.CAP_PROP_POS_FRAMES, int(capture.get(cv2.CAP_PROP_FRAME_COUNT)) - 20)
    good, image = capture.read()
    assert good
    image = cv2.resize(image, (1600, round(image.shape[0] * 1600 / image.shape[1])))
    return cv2.imencode(".jpg", image)[1].tobytes()


async def show(page: Page, frame: bytes, answered: list[float]) -> None:
    """Shows cards to a phone until it is cancelled; notes the milliseconds to each answer."""
    asked = "new"
    while True:
        began = time.perf_counter()
        _, answer = await page.post(f"/frame?{asked}", frame)
        assert answer["answer"] == "done", answer
        answered.append((time.perf_counter() - began) * 1000)
        asked = ""


async def measure(
    found: dict[str, object], *, spectators: int, events: int, hands: int, answered: list[float]
) -> list[float]:
    """Milliseconds until each page was told of each event; `answered` takes those of frames."""
    urls: dict[str, str] = found["seats"]  # type: ignore[assignment]
    seats = [Page(url) for url in urls.values()]
    for seat in seats:
        await seat.join()
    watching = [Page(str(found["table"]).split("#")[0]) for _ in range(spectators)]
    pages = [*seats, *watching]
    tasks = [asyncio.create_task(page.listen()) for page in pages]
    for page in pages:
        await page.wait_for(0)
    frame = _frame() if hands else b""
    tasks += [asyncio.create_task(show(seat, frame, answered)) for seat in seats[:hands]]
    while len(answered) < hands:  # the networks are loaded once
        await asyncio.sleep(0.05)
    names = list(urls)
    times: list[float] = []
    for number, card in enumerate(family_cards(Family.STANDARD)[:events]):
        mover = number % len(seats)
        sent = {
            "key": secrets.token_hex(8), "state": number, "do": "type", "sure": True,
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


def run(
    *, seats: int, spectators: int, events: int, eyes: bool, hands: int = 0
) -> dict[str, float]:
    """Milliseconds: median and 95th percentile over all pages and events."""
    names = ",".join(f"P{number}" for number in range(1, seats + 1))
    arguments = ["--game", "precognition", "--players", names]
    with tempfile.TemporaryDirectory() as folder:
        arguments += ["--source", "demo"] if eyes else []
        with hosting(Path(folder), *arguments) as (_, found):
            answered: list[float] = []
            work = measure(
                found, spectators=spectators, events=events, hands=hands, answered=answered
            )
            times = sorted(asyncio.run(work))
    shown = {"first_hand_ms": round(max(answered[:hands]), 1)} if hands else {}
    return shown | {
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
    parser.add_argument("--hands", type=int, default=0)
    parser.add_argument("--json", action="store_true", dest="as_json")
    chosen = parser.parse_args()
    found = run(
        seats=chosen.seats,
        spectators=chosen.spectators,
        events=chosen.events,
        eyes=chosen.eyes,
        hands=chosen.hands,
    )
    print(json.dumps(found) if chosen.as_json else "\n".join(f"{k}: {v}" for k, v in found.items()))
    return 0 if found["p95_ms"] <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
