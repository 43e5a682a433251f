"""A hosted table for tests, and phones that talk to it without a browser."""

import json
import secrets
import socket
import threading
from contextlib import contextmanager, suppress

import httpx

from companion.core.guidance.generic import guidance_of
from companion.core.registry import get_game
from companion.journal import Journal
from mobile.seats.host import Host, HostOptions
from mobile.seats.language import language, to_player

TIMEOUT = 30


class Phone:
    """A browser without a screen: one seat, the table's own screen, or a spectator.

    Args:
        base: the table's address.
        place: `seat/1`, …, or `table`.
    """

    def __init__(self, base, place, **options):
        self.base, self.place = base, f"/{place}"
        self.client = httpx.Client(base_url=base, verify=False, timeout=TIMEOUT, **options)

    def get(self, path="", **options):
        return self.client.get(self.place + path, **options)

    def post(self, path, sent=None, *, headers=None, **options):
        headers = {"Origin": self.base} | (headers or {})
        if sent is not None:
            options["json"] = sent
        return self.client.post(self.place + path, headers=headers, **options)

    def join(self, url, pin=""):
        """Joins with the code of an address."""
        return self.post("/join", {"code": url.partition("#")[2], "pin": pin}).json()

    def act(self, do, *, state, **more):
        return self.post("/act", {"key": secrets.token_hex(8), "state": state, "do": do, **more})

    @contextmanager
    def events(self):
        """Yields an iterator of what the page is sent: (event, data)."""
        with self.client.stream("GET", f"{self.place}/events") as answer:
            assert answer.status_code == 200, answer.status_code
            yield _messages(answer.iter_lines())

    def close(self):
        self.client.close()


def _messages(lines):
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def crowd_at(base, count, said=b""):
    """Connections that say something, or nothing, from an address of their own."""
    name, port = base.partition("://")[2].split(":")
    crowd = []
    for _ in range(count):
        link = socket.socket()
        link.settimeout(5)
        link.bind(("127.0.0.2", 0))
        link.connect((name, int(port)))
        with suppress(ConnectionError):
            link.sendall(said)
        crowd.append(link)
    return crowd


class Table:
    """A running host.

    Attributes:
        host: the host.
        session: what it hosts; only to be looked at while nothing is sent.
        urls: what `companion host --json` prints.
    """

    def __init__(self, host, session, urls):
        self.host, self.session, self.urls = host, session, urls
        self.base = host.state.address
        self._phones = []

    @property
    def referee(self):
        return self.session.referee

    def phone(self, name=None, *, pin=""):
        """A phone that has joined as a player; without a name a spectator."""
        place = "table"
        if name is not None:
            place = f"seat/{self.session.setup.players.index(name) + 1}"
        phone = Phone(self.base, place)
        self._phones.append(phone)
        if name is not None:
            answer = phone.join(self.host.state.url(place.removeprefix("seat/")), pin)
            assert answer["answer"] == "done", answer
        return phone

    def screen(self):
        """The table's own screen."""
        phone = Phone(self.base, "table")
        self._phones.append(phone)
        assert phone.join(self.host.state.url("table"))["answer"] == "done"
        return phone

    def run(self, work, *asked):
        """Does something on the session's thread, as pages do."""
        return self.host.state.worker.submit(work, *asked).result()

    def view(self, seat):
        """What a viewer may know now."""
        return self.run(self.referee.view, seat)

    def state(self, seat):
        """The number of the state as a seat's page knows it."""
        return len(self.view(seat).log)

    def record(self, line):
        """Something happens at the table: a line of the notation, on the session's thread."""
        event = self.referee.parse_typed(line)
        self.run(self.referee.submit, event)
        self.host.changed()

    def headline(self, seat):
        """What a viewer's page in English says above all: a seat's own page says “you”."""
        name = "" if seat is None else self.session.setup.players[seat]
        said = guidance_of(self.session.game, self.view(seat)).headline
        return to_player(language("en"), name).told(said)

    def close(self):
        for phone in self._phones:
            phone.close()


@contextmanager
def journalled(folder, game, players, options=None, *, trusted=False, number=None, setup=None):
    """A session of a journal in a folder."""
    with Journal(folder / "journal.sqlite", device=_keys(folder), pin_cost=4) as book:
        if number is not None:
            yield book.resume(number)
            return
        chosen = get_game(game) if isinstance(game, str) else game
        yield book.begin(chosen, setup or chosen.setup(players, options, trusted=trusted))


def _keys(folder):
    from companion.journal import FileDeviceKeys

    return FileDeviceKeys(folder / "keys")


@contextmanager
def serving(session, folder, *, secure=False, address="127.0.0.1"):
    """A host that serves a session."""
    host = Host(session, HostOptions(folder / "keys", address, 0, secure))
    ready = threading.Event()
    thread = threading.Thread(target=host.run, args=(ready.set,), daemon=True)
    thread.start()
    assert ready.wait(TIMEOUT)
    table = Table(host, session, host.addresses())
    try:
        yield table
    finally:
        table.close()
        host.stop()
        thread.join(TIMEOUT)
        assert not thread.is_alive()


@contextmanager
def hosted(folder, game, players, options=None, *, trusted=False, **served):
    """A new session, hosted."""
    with (
        journalled(folder, game, players, options, trusted=trusted) as session,
        serving(session, folder, **served) as table,
    ):
        yield table
