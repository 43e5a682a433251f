"""The bare address: plain http leads to https, and a short code to a seat; both under attack."""

import json
import secrets
import socket
import time

import httpx
import pytest

from mobile.seats import connections, host
from mobile.seats.invitations import (
    HOLDS,
    MOST_WRONG,
    PERIOD,
    SHORT_LETTERS,
    Invitations,
    TooOftenError,
)
from tests.mobile.seats.browser import Screen, needs_browser
from tests.mobile.seats.hosting import Phone, crowd_at, hosted


@pytest.fixture
def table(tmp_path):
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as table:
        yield table


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    folder = tmp_path_factory.mktemp("secure")
    with hosted(folder, "gotcha", ["Ann", "Bo"], {"deal": "5"}, secure=True) as table:
        yield table


def sit(table, short, **options):
    """What the field of the bare page answers."""
    phone = Phone(table.base, "")
    phone.place = ""
    return phone.post("/sit", {"short": short}, **options)


# -- codes by themselves ------------------------------------------------------------


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def codes(clock):
    return Invitations(clock=clock)


def wrong():
    """A short code that is not right."""
    return "".join(secrets.choice(SHORT_LETTERS) for _ in range(8))


def test_a_short_code_has_forty_bits_in_letters_that_nobody_mixes_up(codes):
    assert len(set(SHORT_LETTERS)) == 32
    assert not set("ILOU") & set(SHORT_LETTERS)
    seen = {codes.make("1").short for _ in range(500)}
    assert len(seen) == 500
    letters = "".join(seen).replace("-", "")
    assert set(letters) == set(SHORT_LETTERS)
    assert len(letters) == 8 * 500


@pytest.mark.parametrize(
    "typed",
    [str, str.lower, lambda c: c.replace("-", ""), lambda c: f"  {c.replace('-', ' ')} ",
     lambda c: c.replace("0", "O").replace("1", "l"), lambda c: c.replace("1", "I").lower(),
     lambda c: c.replace("-", "–")],
)  # fmt: skip
def test_a_short_code_is_read_as_people_type_it(codes, typed):
    for _ in range(50):
        found = codes.exchange(typed(codes.make("2").short))
        assert found is not None
        assert found[0] == "2"


def test_it_holds_once_and_two_minutes(codes, clock):
    made = codes.make("1")
    place, code = codes.exchange(made.short)
    assert place == "1"
    assert codes.holds("1", code)
    assert codes.exchange(made.short) is None
    assert not codes.holds("1", made.code)  # the one beside it was shown with it
    made = codes.make("1")
    clock.now += HOLDS
    assert codes.exchange(made.short) is None
    made = codes.make("1")
    codes.use_up("1")  # somebody scanned the one beside it
    assert codes.exchange(made.short) is None


def test_the_corners_code_holds_beside_the_one_that_was_asked_for(codes):
    asked, old = codes.make("1"), codes.make("1", corner=True)
    corner = codes.make("1", corner=True)
    assert codes.holds("1", asked.code)
    assert codes.holds("1", corner.code)
    assert not codes.holds("1", old.code)
    place, code = codes.exchange(corner.short)
    assert place == "1"
    assert codes.holds("1", code)
    assert codes.holds("1", asked.code)
    assert not codes.holds("1", corner.code)
    codes.use_up("1")
    assert not codes.holds("1", code)
    assert not codes.holds("1", asked.code)


def test_a_long_code_is_no_short_one_and_the_other_way_round(codes):
    made = codes.make("1")
    assert codes.exchange(made.code) is None
    assert not codes.holds("1", made.short)
    assert not codes.holds("1", made.short.replace("-", ""))


def test_thirty_wrong_tries_close_the_field_even_to_what_is_right(codes, clock):
    made = codes.make("1")
    for _ in range(MOST_WRONG):
        assert codes.exchange(wrong()) is None
    for short in (made.short, wrong()):
        with pytest.raises(TooOftenError):
            codes.exchange(short)
    # What is scanned opens all the same, and neither counter fills the other.
    assert codes.holds("1", made.code)
    clock.now += PERIOD - 1
    with pytest.raises(TooOftenError):
        codes.exchange(made.short)
    clock.now += 1
    assert codes.exchange(made.short) is not None


def test_wrong_scanned_codes_do_not_close_the_field(codes):
    made = codes.make("1")
    for _ in range(MOST_WRONG):
        assert not codes.holds("1", "guess")
    with pytest.raises(TooOftenError):
        codes.holds("1", "guess")
    assert codes.exchange(made.short) is not None


def test_no_more_than_thirty_guesses_a_minute_whatever_the_rhythm(codes, clock):
    looked_at = 0
    for _ in range(3600):  # an hour, a try each second
        try:
            codes.exchange(wrong())
            looked_at += 1
        except TooOftenError:
            pass
        clock.now += 1
    assert looked_at <= MOST_WRONG * 60


def test_what_is_compared_does_not_depend_on_what_is_known(codes, monkeypatch):
    """Every open code is compared, whether an earlier one fitted or not."""
    made = [codes.make(str(seat)) for seat in range(1, 9)]
    compared = []
    compare = secrets.compare_digest
    monkeypatch.setattr(secrets, "compare_digest", lambda *two: compared.append(1) or compare(*two))
    for short in (made[0].short, made[7].short, wrong()):
        compared.clear()
        codes.exchange(short)
        assert len(compared) == 8


# -- the field ----------------------------------------------------------------------


def test_the_bare_page_shows_the_table_and_a_way_to_sit_down(table):
    for path in ("", "/", "/table"):
        page = httpx.get(table.base + path).text
        assert "Ann guesses a card of Bo." in page
        assert "Sit down" in page
        assert 'id="sit"' in page
    assert 'id="sit"' not in table.screen().get().text


def test_a_short_code_leads_to_its_seat(table):
    invited = table.host.state.invited("1")
    answer = sit(table, invited.short).json()
    assert answer["answer"] == "done"
    assert answer["go"].startswith("/seat/1#")
    ann = Phone(table.base, "seat/1")
    assert "Sit down as Ann" in ann.get().text
    assert ann.join(answer["go"]) == {"answer": "done"}
    assert 'id="hand"' in ann.get().text
    assert sit(table, invited.short).status_code == 403


def test_it_opens_the_tables_own_screen_too(table):
    invited = table.host.state.invited("table")
    go = sit(table, invited.short).json()["go"]
    assert go.startswith("/table#")
    assert Phone(table.base, "table").join(go)["answer"] == "done"


def test_a_seats_pin_is_asked_for_as_with_a_scanned_code(table):
    table.run(table.session.set_pin, 0, "1234")
    go = sit(table, table.host.state.invited("1").short).json()["go"]
    ann = Phone(table.base, "seat/1")
    assert ann.join(go)["answer"] == "pin"
    assert ann.join(go, pin="1234")["answer"] == "done"


def test_asking_whether_a_code_holds_seats_nobody_and_uses_nothing_up(table):
    url, phone = table.host.state.url("1"), Phone(table.base, "seat/1")
    sent = {"code": url.partition("#")[2], "asked": True}
    for _ in range(2):
        answer = phone.post("/join", sent)
        assert answer.json()["answer"] == "done"
        assert "set-cookie" not in answer.headers
    assert not table.host.state.phones.has("1")
    assert Phone(table.base, "seat/1").join(url)["answer"] == "done"
    # A dead one is told as by whoever sits down with it.
    dead = [phone.post("/join", one) for one in (sent, {**sent, "asked": False})]
    assert dead[0].status_code == 403
    assert dead[0].content == dead[1].content


def test_what_is_refused_tells_nothing(table):
    """Wrong, expired, used, of a taken seat, of none: one answer, byte for byte."""
    hosted = table.host.state
    used, old = hosted.invited("1").short, hosted.invited("2").short
    assert sit(table, used).status_code == 200
    hosted.invited("2")
    answers = [sit(table, short) for short in (used, old, "00000000", "", "x", "é" * 8, "1" * 5000)]
    assert {(answer.status_code, answer.content) for answer in answers} == {
        (403, answers[0].content)
    }
    assert not any("set-cookie" in answer.headers for answer in answers)
    for name in ("Ann", "Bo"):
        assert name not in answers[0].text


@pytest.mark.parametrize("sent", [{}, {"short": None}, {"short": 7}, {"short": ["A"]}, [], None])
def test_what_no_page_sends_is_refused_and_does_not_count(table, sent):
    phone = Phone(table.base, "")
    phone.place = ""
    for _ in range(MOST_WRONG + 5):
        answer = phone.post("/sit", content=json.dumps(sent), headers={
            "Content-Type": "application/json"})  # fmt: skip
        assert answer.status_code == 400
    assert sit(table, table.host.state.invited("1").short).status_code == 200


def test_another_site_cannot_fill_the_field(table):
    short = table.host.state.invited("1").short
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert sit(table, short, headers=headers).status_code == 403
    assert sit(table, short).status_code == 200


def test_guessing_closes_the_field_for_all_and_scanning_goes_on(table):
    hosted = table.host.state
    invited = hosted.invited("1")
    told = {sit(table, "22222222").json()["told"] for _ in range(MOST_WRONG)}
    assert len(told) == 1
    # From anywhere, whatever is typed: there is one counter for the field.
    closed = sit(table, invited.short)
    assert closed.status_code == 403
    assert "scan the QR code, or wait a minute" in closed.json()["told"]
    assert closed.json() == sit(table, "22222222").json()
    assert Phone(table.base, "seat/1").join(invited.url)["answer"] == "done"
    assert table.phone("Bo").get().status_code == 200


# -- another network ------------------------------------------------------------------------------


def test_codes_are_made_for_the_networks_there_are_alone(table):
    screen = table.screen()
    html = screen.post("/invite", {"place": "1"}).json()["html"]
    assert "Without a camera: open" in html
    assert "another network" not in html  # there is one alone
    own = screen.post("/invite", {"place": "1", "network": "127.0.0.1"})
    assert own.status_code == 200
    for network in ("192.0.2.77", "evil.example", 7, ["127.0.0.1"], "127.0.0.1@evil.example"):
        answer = screen.post("/invite", {"place": "1", "network": network})
        assert answer.status_code == 400, network


# -- plain http -----------------------------------------------------------------------------------


def plainly(table, data, *, patience=5.0):
    """Sends bytes in the open to an encrypted table; gives what is answered until the end."""
    name, port = table.base.removeprefix("https://").split(":")
    with socket.create_connection((name, int(port)), timeout=patience) as link:
        link.sendall(data)
        parts = []
        try:
            while part := link.recv(65536):
                parts.append(part)
        except (TimeoutError, ConnectionResetError):
            pass
        return b"".join(parts)


def answer_to(table, start, host=None, more=""):
    host = table.base.removeprefix("https://") if host is None else host
    return plainly(table, f"{start} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode())


def where(answer):
    lines = [line for line in answer.decode().splitlines() if line.lower().startswith("location:")]
    return lines[0].partition(" ")[2] if lines else None


@pytest.mark.parametrize("path", ["/", "/table", "/seat/1", "/seat/2?x=1"])
def test_plain_http_is_shown_the_way(secure, path):
    answer = answer_to(secure, f"GET {path}")
    assert answer.split()[1] == b"307"
    assert where(answer) == secure.base + path.partition("?")[0]
    assert b"Ann" not in answer
    followed = httpx.get(
        secure.base.replace("https", "http") + path, verify=False, follow_redirects=True
    )
    assert followed.status_code == 200
    assert str(followed.url).startswith("https://")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "", "evil.example:7380"])
def test_the_way_leads_nowhere_else(secure, host):
    answer = answer_to(secure, "GET /", host=host)
    assert answer.split()[1] == b"421"
    assert where(answer) is None


@pytest.mark.parametrize(
    "path", ["//evil.example/", "/\\evil.example", "@evil.example", "http://evil.example/",
             "/%0d%0aSet-Cookie:%20table=x", "/../..", "*"],
)  # fmt: skip
def test_no_path_leads_elsewhere(secure, path):
    answer = answer_to(secure, f"GET {path}")
    place = where(answer)
    assert b"\r\nset-cookie" not in answer.lower()
    assert place is None or httpx.URL(place).netloc.decode() == secure.base[8:]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_what_is_sent_in_the_open_is_not_passed_on(secure, method):
    answer = answer_to(secure, f"{method} /sit", more="Content-Length: 0\r\n")
    assert answer.split()[1] == b"403"
    assert where(answer) is None


def test_ten_megabytes_in_the_open(secure):
    name, port = secure.base.removeprefix("https://").split(":")
    base = f"http://{name}:{port}"
    answer = httpx.post(f"{base}/sit", content=b"x" * 10_000_000)
    assert answer.status_code == 403
    assert secure.phone().get().status_code == 200


@pytest.mark.parametrize(
    "data", [b"\x00" * 64, b"\x15\x03\x01\x00\x02", b"SSH-2.0-x\r\n", b"\x16" * 90], ids=repr
)
def test_what_is_neither_is_let_go(secure, data):
    answer = plainly(secure, data)
    assert b" 200 " not in answer
    assert secure.phone().get().status_code == 200


def test_slow_ones_at_the_door_are_let_go_and_hold_up_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(host, "HEADER_TIMEOUT", 0.5)
    monkeypatch.setattr(connections.Limits.__init__, "__defaults__", (64, 320, 0.5))
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], secure=True) as table:
        name, port = table.base.removeprefix("https://").split(":")
        links = []
        for start in (b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\n", b"\x16", b"\x16\x03\x01\x02"):
            link = socket.create_connection((name, int(port)), timeout=5)
            link.sendall(start)
            links.append(link)
        began = time.monotonic()
        assert table.phone().get().status_code == 200
        assert time.monotonic() - began < 2
        for link in links:
            try:
                answer = link.recv(65536)
            except ConnectionResetError:
                answer = b""
            assert b" 200 " not in answer
            link.close()
        limits = table.host._server._limits
        began = time.monotonic()
        while limits.waiting.total() and time.monotonic() - began < 5:
            time.sleep(0.02)
        assert limits.waiting.total() == 0


@pytest.mark.parametrize("start", [b"", b"G", b"\x16"], ids=repr)
def test_two_hundred_that_say_nothing_leave_room_for_the_others(tmp_path, start):
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], secure=True) as table:
        ann = table.phone("Ann")
        crowd = crowd_at(table.base, 200, start)
        began = time.monotonic()
        assert ann.get().status_code == 200
        assert Phone(table.base, "seat/2").get().status_code == 200
        assert time.monotonic() - began < 2
        limits = table.host._server._limits
        assert limits.open["127.0.0.2"] + limits.waiting["127.0.0.2"] <= connections.MOST_EACH
        for link in crowd:
            link.close()
        began = time.monotonic()
        while time.monotonic() - began < 5 and (
            limits.open["127.0.0.2"] or limits.waiting["127.0.0.2"]
        ):
            time.sleep(0.02)
        # Whoever has gone is counted off, however they came.
        assert limits.open["127.0.0.2"] == limits.waiting["127.0.0.2"] == 0


# -- in a browser ---------------------------------------------------------------------------------


@needs_browser()
def test_a_typed_address_and_a_short_code_seat_a_player(secure, running):
    typed = secure.base.replace("https://", "http://") + "/"
    phone = Screen(running, typed, 0)
    page = phone.page
    assert page.url == secure.base + "/"
    assert "Ann guesses a card of Bo." in page.locator("#now").inner_text()
    page.locator("#status", has_text="connected to the table").wait_for()
    # The bare page is told what happens, like any other that watches.
    secure.phone("Bo").act("type", state=0, line="Ann: guess Bo smallest 1 is 2")
    page.get_by_text("Bo answers Ann").first.wait_for()
    field = page.get_by_label("Short code")
    field.fill("2222-2222")
    page.get_by_role("button", name="Sit down").tap()
    page.locator("#told", has_text="This short code is wrong").wait_for()
    short = secure.host.state.invited("1").short
    field.fill(short.lower().replace("-", " "))
    page.get_by_role("button", name="Sit down").tap()
    page.wait_for_url(secure.base + "/seat/1")
    assert "Sit down as Ann" in page.content()
    phone.sit_down()
    assert page.url == secure.base + "/seat/1"
    assert page.locator("#hand").count()
    # The wrong code was refused, which Chromium notes; nothing else went wrong.
    assert [fault for fault in phone.faults if "403" not in fault] == []


@needs_browser()
def test_the_tables_screen_opens_by_a_short_code_on_the_page_itself(table, running):
    """The way leads to the very page on which the code was typed."""
    phone = Screen(running, table.base + "/table", None)
    phone.page.get_by_label("Short code").fill(table.host.state.invited("table").short)
    phone.page.get_by_role("button", name="Sit down").tap()
    phone.wait_for_table()
    phone.press("Show Ann's code")
    phone.page.locator("#invitation", has_text="Without a camera: open").wait_for()
    assert phone.faults == []
