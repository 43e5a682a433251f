"""Attacks on a hosted table: what no page of ours does is refused, and the table goes on."""

import json
import secrets
import socket
import ssl
import time

import pytest

from companion.core.guidance.generic import guidance_of
from companion.core.registry import all_games, get_game
from mobile.seats import connections, host, middleware
from tests.mobile.seats.hosting import Phone, crowd_at, hosted

HAND = "2S 3S 4S 5S 6S"
ACT = {"key": "k" * 16, "state": 0, "do": "type", "line": "Ann: guess Bo smallest 1 is 2"}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    with hosted(
        tmp_path_factory.mktemp("attacked"), "gotcha", ["Ann", "Bo"], {"deal": "5"}
    ) as table:
        table.ann, table.bo = table.phone("Ann"), table.phone("Bo")
        table.ann.act("type", state=0, line=f"Ann*: hand {HAND}")
        yield table
        # Whatever was tried, nothing was written and the table goes on.
        assert [entry.event.verb for entry in table.referee.log] == ["hand"]
        assert table.bo.get().status_code == 200


def raw(table, data, *, patience=5.0):
    """Sends bytes as they are; returns what is answered until the end."""
    name, port = table.base.removeprefix("http://").split(":")
    with socket.create_connection((name, int(port)), timeout=patience) as link:
        link.sendall(data)
        link.shutdown(socket.SHUT_WR)
        parts = []
        try:
            while part := link.recv(65536):
                parts.append(part)
        except TimeoutError:
            pass
        return b"".join(parts)


# -- who somebody is ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/act", "/pad", "/why", "/mark", "/note", "/keys", "/unlock"])
def test_another_seats_token_opens_nothing(table, path):
    thief = Phone(table.base, "seat/1", cookies={"seat1": table.bo.client.cookies["seat2"]})
    assert thief.post(path, ACT).status_code == 403
    assert "Sit down as Ann" in thief.get().text
    assert thief.get("/events").status_code == 403


@pytest.mark.parametrize(
    "token", ["", "x", "A" * 43, "seat1", "é", "a" * 8000, "%00", "../seat2", '"'], ids=repr
)
def test_guessed_tokens_open_nothing(table, token):
    for place, name in (("seat/1", "seat1"), ("table", "table"), ("camera", "camera")):
        headers = {"Cookie": f"{name}={token}".encode("latin-1")}
        thief = Phone(table.base, place, headers=headers)
        assert thief.post("/act" if place != "camera" else "/frame", ACT).status_code in (
            400, 403, 415,
        )  # fmt: skip


def test_bos_phone_cannot_ask_for_anns_page_notepad_or_secrets(table):
    bo = table.bo
    for path in ("/seat/1", "/seat/1/", "/seat/01", "/seat/2/../1", "/seat/1/events"):
        answer = bo.client.get(path, follow_redirects=True)
        assert "2S" not in answer.text, path
    for path in ("pad", "why", "act"):
        answer = bo.client.post(f"/seat/1/{path}", json=ACT, headers={"Origin": table.base})
        assert answer.status_code == 403
    for what in ("Ann*: hand ??", "Ann*: undo", "table: disclose", "table: undo"):
        told = bo.act("type", state=table.state(1), line=what).json()
        assert told["answer"] in ("refused", "ask"), what
        assert "2S" not in json.dumps(told)
    for do in ("undo", "undo own", "consent", "view", "pin"):
        told = bo.act(do, state=table.state(1), seat=0, sure=True).json()
        assert told["answer"] == "refused", do


@pytest.mark.parametrize("code", ["", "x", None, 7, [], {}, "A" * 22, "é" * 22, "x" * 10_000])
def test_guessed_codes_seat_nobody(table, code):
    thief = Phone(table.base, "seat/1")
    assert thief.post("/join", {"code": code}).status_code in (400, 403)
    assert not thief.client.cookies


def test_a_code_for_one_seat_opens_no_other_place(fresh):
    code = fresh.urls["seats"]["Ann"]
    for place in ("seat/2", "table", "camera"):
        assert Phone(fresh.base, place).join(code)["answer"] == "refused"
    assert Phone(fresh.base, "seat/1").join(code)["answer"] == "done"
    assert Phone(fresh.base, "seat/1").join(code)["answer"] == "refused"


# -- where a request comes from -------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin",
    [None, "null", "https://evil.example", "http://127.0.0.1", "http://127.0.0.1.evil.example",
     "https://127.0.0.1", ""],
)  # fmt: skip
def test_other_sites_cannot_send(table, origin):
    headers = {} if origin is None else {"Origin": origin}
    if origin and origin.endswith("127.0.0.1") and origin.startswith("https"):
        headers["Origin"] = table.base.replace("http:", "https:")
    answer = table.ann.client.post("/seat/1/act", json=ACT, headers=headers)
    assert answer.status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_calls_another_site_is_refused(table, site):
    answer = table.ann.post("/act", ACT, headers={"Sec-Fetch-Site": site})
    assert answer.status_code == 403
    answer = table.ann.get("/events", headers={"Sec-Fetch-Site": site})
    assert answer.status_code == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_plain_form_of_another_site_is_no_request_of_ours(table, kind):
    answer = table.ann.client.post(
        "/seat/1/act",
        content=json.dumps(ACT),
        headers={"Origin": table.base, "Content-Type": kind},
    )
    assert answer.status_code == 415


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "", "a" * 5000])
def test_names_that_lead_here_by_a_trick_are_refused(table, host):
    assert table.ann.get(headers={"Host": host}).status_code == 421
    assert table.ann.post("/act", ACT, headers={"Host": host}).status_code == 421


def test_two_hosts_in_one_request_are_refused(table):
    own = table.base.removeprefix("http://")
    data = f"GET /seat/1 HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n\r\n".encode()
    assert raw(table, data).split(b"\r\n")[0].split()[1] in (b"400", b"421")


@pytest.mark.parametrize(
    "path",
    ["/static/../host.py", "/static/%2e%2e/host.py", "/static/..%2fhost.py", "/static//etc/passwd",
     "/static/seat.css/", "/static/", "/seat/0", "/seat/3", "/seat/-1", "/seat/9999999999999999",
     "/seat/1/../../table", "/seat/x", "/keys/phones.json", "/%00", "/static/seat.js%00.css"],
)  # fmt: skip
def test_paths_lead_nowhere_else(table, path):
    own = table.base.removeprefix("http://")
    answer = raw(table, f"GET {path} HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n".encode())
    assert answer.split(b"\r\n")[0].split()[1] in (b"404", b"400", b"307"), answer[:200]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"])
def test_other_methods_do_nothing(table, method):
    own = table.base.removeprefix("http://")
    data = f"{method} /seat/1/act HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n".encode()
    assert raw(table, data).split(b"\r\n")[0].split()[1] in (b"405", b"400")


def test_web_sockets_are_not_spoken(table):
    own = table.base.removeprefix("http://")
    data = (
        f"GET /seat/1/events HTTP/1.1\r\nHost: {own}\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()
    assert raw(table, data).split(b"\r\n")[0].split()[1] == b"403"


# -- how much, how slowly, how many ---------------------------------------------------------------


def test_a_body_of_ten_megabytes_is_not_taken(table):
    big = b"x" * 10_000_000
    headers = {"Origin": table.base, "Content-Type": "application/json"}
    answer = table.ann.client.post("/seat/1/act", content=big, headers=headers)
    assert answer.status_code == 413
    pieces = (big[:100_000] for _ in range(100))
    answer = table.ann.client.post("/seat/1/act", content=pieces, headers=headers)
    assert answer.status_code == 413
    answer = table.ann.client.post("/seat/1/act", content=big, headers={"Host": "elsewhere"})
    assert answer.status_code == 421


def test_who_goes_on_sending_for_ever_is_let_go(table, monkeypatch):
    monkeypatch.setattr(middleware, "BODY_TIMEOUT", 0.5)
    name, port = table.base.removeprefix("http://").split(":")
    begin = (
        f"POST /seat/1/act HTTP/1.1\r\nHost: {name}:{port}\r\nOrigin: {table.base}\r\n"
        "Content-Type: application/json\r\nContent-Length: 999999999\r\n\r\n"
    ).encode()
    with socket.create_connection((name, int(port)), timeout=5) as link:
        link.sendall(begin)
        assert link.recv(65536).split()[1] == b"413"
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            _send_for_five_seconds(link)


def _send_for_five_seconds(link):
    for _ in range(100):
        link.sendall(b"x" * 1000)
        time.sleep(0.05)


@pytest.mark.parametrize("length", ["-1", "x", "1" * 30, "16385"])
def test_lengths_that_are_no_lengths(table, length):
    own = table.base.removeprefix("http://")
    data = (
        f"POST /seat/1/act HTTP/1.1\r\nHost: {own}\r\nOrigin: {table.base}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{{}}"
    ).encode()
    assert raw(table, data).split(b"\r\n")[0].split()[1] in (b"400", b"413")


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"null", b"[]", b'"x"', b"{", b'{"key": NaN}', b"[" * 5000, b'{"a":1,"a":2}',
     b'{"state": 1e999}', b"{}", b'{"key":"kkkkkkkk","state":99999999999999999999}'],
    ids=repr,
)  # fmt: skip
def test_malformed_requests_are_answered_in_words(table, content):
    headers = {"Origin": table.base, "Content-Type": "application/json"}
    answer = table.ann.client.post("/seat/1/act", content=content, headers=headers)
    assert answer.status_code in (200, 400)
    assert answer.json()["answer"] == "refused"
    assert answer.json()["told"]


def test_headers_without_end_are_cut_off(table):
    own = table.base.removeprefix("http://")
    endless = "".join(f"X-{n}: {'y' * 100}\r\n" for n in range(400))
    answer = raw(table, f"GET / HTTP/1.1\r\nHost: {own}\r\n{endless}\r\n".encode())
    assert answer == b"" or answer.split()[1] in (b"400", b"431")


def test_slow_clients_are_let_go_and_hold_up_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "HEADER_TIMEOUT", 0.5)
    monkeypatch.setattr(connections.Limits.__init__, "__defaults__", (64, 320, 0.5))
    monkeypatch.setattr(middleware, "BODY_TIMEOUT", 0.5)
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"]) as table:
        name, port = table.base.removeprefix("http://").split(":")
        own = f"{name}:{port}"
        starts = (
            b"",
            b"G",
            f"GET /seat/1 HTTP/1.1\r\nHost: {own}\r\n".encode(),
            f"POST /seat/1/act HTTP/1.1\r\nHost: {own}\r\nOrigin: {table.base}\r\nContent-Type: "
            "application/json\r\nContent-Length: 1000\r\n\r\n{".encode(),
        )
        links = []
        for start in starts:
            link = socket.create_connection((name, int(port)), timeout=5)
            link.sendall(start)
            links.append(link)
        assert table.phone().get().status_code == 200
        for link in links:
            try:
                answer = link.recv(65536)
            except ConnectionResetError:
                answer = b""
            assert answer == b"" or answer.split()[1] == b"408"
            link.close()


def test_two_hundred_connections_leave_room_for_the_others(fresh):
    ann = fresh.phone("Ann")
    crowd = crowd_at(fresh.base, 200)
    began = time.monotonic()
    assert ann.get().status_code == 200
    line = "guess Bo smallest 1 is 2"
    assert ann.act("type", state=0, line=line).json()["answer"] == "done"
    assert time.monotonic() - began < 2
    closed = 0
    for link in crowd:
        link.settimeout(0.01)
        try:
            closed += link.recv(1) == b""
        except ConnectionResetError:
            closed += 1
        except TimeoutError:
            pass
        link.close()
    assert closed >= 200 - connections.MOST_EACH


def test_a_page_that_takes_nothing_is_let_go_and_delays_nobody(fresh):
    ann, bo = fresh.phone("Ann"), fresh.phone("Bo")
    name, port = fresh.base.removeprefix("http://").split(":")
    with socket.create_connection((name, int(port))) as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        link.sendall(f"GET /table/events HTTP/1.1\r\nHost: {name}:{port}\r\n\r\n".encode())
        with bo.events() as events:
            next(events)
            for number in range(6):
                line = "guess Bo smallest 1 is 2" if number % 2 == 0 else "table: undo"
                state = fresh.state(0)
                began = time.monotonic()
                assert ann.act("type", state=state, line=line).json()["answer"] == "done"
                next(events)
                assert time.monotonic() - began < 1


def test_nobody_speaks_plainly_to_an_encrypted_table(tmp_path):
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], secure=True) as table:
        name, port = table.base.removeprefix("https://").split(":")
        with socket.create_connection((name, int(port)), timeout=5) as link:
            link.sendall(f"GET /table HTTP/1.1\r\nHost: {name}:{port}\r\n\r\n".encode())
            link.settimeout(5)
            assert b"HTTP/1.1 200" not in link.recv(65536)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        with pytest.warns(DeprecationWarning, match="TLSv1_1"):
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        with (
            socket.create_connection((name, int(port)), timeout=5) as link,
            pytest.raises((ssl.SSLError, ConnectionError, OSError)),
        ):
            old.wrap_socket(link)


def test_keys_of_requests_are_remembered_within_bounds(fresh):
    ann = fresh.phone("Ann")
    for _ in range(200):
        sent = {"key": secrets.token_hex(8), "state": 0, "do": "type", "line": "right"}
        assert ann.post("/act", sent).status_code == 200
    assert len(fresh.host.state.table._answers[0]) <= 64


def test_silence_while_keys_are_exchanged_is_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(host, "HEADER_TIMEOUT", 0.5)
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], secure=True) as table:
        name, port = table.base.removeprefix("https://").split(":")
        with socket.create_connection((name, int(port)), timeout=5) as link:
            link.settimeout(5)
            assert link.recv(100) == b""
        assert table.phone().get().status_code == 200


def test_a_page_that_fails_says_one_line_and_the_table_goes_on(tmp_path, monkeypatch, capsys):
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"]) as table:
        ann = table.phone("Ann")
        monkeypatch.setattr(table.host.state.renderer, "page", lambda *_, **__: 1 / 0)
        assert ann.get().status_code == 500
        monkeypatch.undo()
        assert ann.get().status_code == 200
    said = capsys.readouterr().err
    assert "a page failed: ZeroDivisionError" in said
    assert "Traceback" not in said


# -- what is new on the pages ---------------------------------------------------------------------


def test_names_that_are_markup_are_shown_as_they_are(tmp_path):
    names = ["<b>Ann</b>", "<img/src=x>"]
    with hosted(tmp_path, "missing-persons", names) as table:
        pages = [table.phone(names[0]), table.phone(names[1]), table.screen(), table.phone()]
        for phone in pages:
            text = phone.get().text
            assert "<b>Ann" not in text
            assert "<img" not in text
            assert "&lt;b&gt;Ann" in text


@pytest.mark.parametrize("game", [game.name for game in all_games()])
def test_no_number_of_a_step_records_what_is_anothers(game, tmp_path):
    """Pages send numbers: those of steps that a page does not show are refused all the same."""
    chosen = get_game(game)
    count = 3 if game == "suspense" else max(2, chosen.info.min_players)
    players = ["Ann", "Bo", "Cy", "Dee"][:count]
    with hosted(tmp_path, game, players, trusted=True) as table:
        bo = table.phone("Bo")
        steps = guidance_of(chosen, table.view(1)).steps
        secrets_of_others = 0
        for number in range(len(steps) + 2):
            for values in (None, [], [[0]], [[0, 1]], [list(range(20))], [""], ["UD"]):
                answer = bo.act("step", state=table.state(1), step=number, values=values, sure=True)
                assert answer.status_code == 200
            secrets_of_others += number < len(steps) and steps[number].seat not in (None, 1)
        for entry in table.referee.log:
            assert entry.event.is_public or entry.event.seat == 1, entry.event
        assert secrets_of_others or not steps or game in ("suspense", "high-card"), "nothing tried"


@pytest.mark.parametrize("text", ["\ud800", "\x00", "\u202e" * 50, "a" * 2000, "\U0001f0a1" * 900])
def test_odd_notes_are_kept_or_refused_in_words(table, text):
    answer = table.bo.client.post(
        "/seat/2/note",
        content=json.dumps({"text": text}),
        headers={"Origin": table.base, "Content-Type": "application/json"},
    )
    assert answer.status_code in (200, 400)
    assert answer.json()["answer"] in ("done", "refused")
    kept = table.bo.post("/pad", {}).json()["note"]
    assert kept == (text.strip() if answer.status_code == 200 else "")
    table.bo.post("/note", {"text": "", "match": 1})


def test_a_phone_that_was_freed_reads_and_writes_nothing_more(fresh):
    ann = fresh.phone("Ann")
    assert ann.post("/note", {"text": "mine", "match": 1}).json()["answer"] == "done"
    assert fresh.screen().post("/free", {"seat": 1, "pin": ""}).json()["answer"] == "done"
    for path, sent in (
        ("/act", ACT), ("/pad", {}), ("/why", {"cell": "0 0 0"}),
        ("/note", {"text": "x", "match": 1}),
        ("/mark", {"row": "0", "column": "0", "mark": "?"}), ("/keys", {}),
        ("/unlock", {"pin": ""}),
    ):  # fmt: skip
        assert ann.post(path, sent).status_code == 403, path
    assert ann.get("/events").status_code == 403
    assert "mine" not in ann.get().text
