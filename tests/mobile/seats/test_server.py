"""Joining, being told, doing things: the pages over a real connection."""

import asyncio
import json
import re
import time
from contextlib import suppress
from html import unescape
from types import SimpleNamespace

import pytest

from companion.errors import CompanionError
from mobile.seats import events
from mobile.seats.events import Broadcast
from mobile.seats.invitations import HOLDS, Invitations, SeatPhones, TooOftenError
from mobile.seats.render import HOME
from tests.mobile.seats.hosting import Phone, hosted, journalled, serving

HAND = "2S 3S 4S 5S 6S"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One table for tests that leave it as it is."""
    folder = tmp_path_factory.mktemp("shared")
    with hosted(folder, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as table:
        table.ann = table.phone("Ann")
        yield table


@pytest.fixture
def table(tmp_path):
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as table:
        yield table


def test_a_code_opens_its_seat_once(table):
    ann = Phone(table.base, "seat/1")
    url = table.urls["seats"]["Ann"]
    assert "Sit down as Ann" in ann.get().text
    assert ann.join(url) == {"answer": "done"}
    assert "You guess a card of Bo." in ann.get().text
    other = Phone(table.base, "seat/1")
    assert other.join(url)["answer"] == "refused"
    assert "Sit down as Ann" in other.get().text
    assert other.join(table.host.state.url("1"))["told"].startswith("Ann's seat is taken")


def test_nobody_tries_a_pin_at_a_seat_that_is_taken(tmp_path):
    with journalled(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as session:
        session.set_pin(0, "4711")
        with serving(session, tmp_path) as table:
            sent = {"code": table.urls["seats"]["Ann"].partition("#")[2]}
            ann, other = Phone(table.base, "seat/1"), Phone(table.base, "seat/1")
            assert ann.post("/join", sent).json()["answer"] == "pin"
            assert ann.post("/join", sent | {"pin": "4711"}).json()["answer"] == "done"
            told = other.join(table.host.state.url("1"))
            assert told["told"].startswith("Ann's seat is taken")


def test_the_token_is_out_of_a_scripts_reach(table):
    answer = Phone(table.base, "seat/1").post(
        "/join", {"code": table.urls["seats"]["Ann"].partition("#")[2]}
    )
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/seat/1" in cookie
    assert len(answer.cookies["seat1"]) >= 43  # 256 bits
    kept = (table.host.options.folder / "phones.json").read_text("utf-8")
    assert answer.cookies["seat1"] not in kept


def test_an_encrypted_table_marks_its_cookies_secure(tmp_path):
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], secure=True) as table:
        assert table.base.startswith("https://")
        answer = Phone(table.base, "seat/1").post(
            "/join", {"code": table.urls["seats"]["Ann"].partition("#")[2]}
        )
        assert "Secure" in answer.headers["set-cookie"]
        assert "could read everything" not in table.phone().get().text


def test_an_open_table_says_so_where_others_can_listen(shared, tmp_path):
    warned = "others on this network could read everything"
    assert warned not in shared.phone().get().text  # it is served to this machine alone
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], address="0.0.0.0") as table:
        assert warned in table.phone().get().text
    assert shared.urls["camera"] is None
    assert shared.phone().client.get("/camera").status_code == 403


def test_a_page_is_told_what_happens_and_only_what_has_changed(table):
    ann, bo = table.phone("Ann"), table.phone("Bo")
    with bo.events() as events:
        name, first = next(events)
        assert name == "page"
        assert set(first["parts"]) == {"seats", "now", "do", "hand", "table", "spoken", "log"}
        assert first["state"] == 0
        assert ann.act("type", state=0, line="guess Bo smallest 1 is 2").json()["answer"] == "done"
        told = next(message for kind, message in events if kind == "page")
        assert told["state"] == 1
        assert told["mine"] is True
        assert "hand" not in told["parts"]
        assert "You answer Ann" in told["parts"]["now"]


def test_one_player_s_secret_wakes_nobody_else_with_news(table):
    ann, bo = table.phone("Ann"), table.phone("Bo")
    with bo.events() as events:
        next(events)
        told = []
        for state, line in enumerate((f"Ann*: hand {HAND}", "guess Bo smallest 1 is 2")):
            ann.act("type", state=state, line=line)
            told.append(next(events)[1])  # two that come together would be one message
    assert [message["state"] for message in told] == [1, 2]
    assert not any("2♠ 3♠" in json.dumps(m, ensure_ascii=False) for m in told)
    assert "Ann" in told[0]["parts"]["log"]
    assert "2♠ 3♠ 4♠ 5♠ 6♠" in ann.get().text


def test_the_answer_to_an_act_brings_the_states_number(shared):
    answer = shared.ann.act("type", state=0, line="right").json()
    assert answer["answer"] == "refused"
    assert answer["told"]
    assert answer["state"] == 0


def test_pages_speak_the_phones_language(shared):
    german = Phone(shared.base, "seat/1", headers={"Accept-Language": "de-CH,de;q=0.9,en;q=0.5"})
    text = german.get().text
    assert 'lang="de"' in text


def test_the_notepad_and_its_whys(table):
    ann = table.phone("Ann")
    ann.act("type", state=0, line=f"Ann*: hand {HAND}")
    html = ann.post("/pad", {}).json()["html"]
    assert html.count('data-cell="0 ') == 5, "a thing for each place of Bo's hand"
    assert "deals fit what you know" in html
    told = ann.post("/why", {"cell": "0 0 0"}).json()["html"]
    assert "<p>Bo 1, A: " in told, "the place first, then what it may be"
    assert re.findall(r'data-cell="([^"]+)"', told) == [f"0 {row} 0" for row in range(13)]
    for cell in ("9 9 9", "x", "0 0 -1", "", "0 0"):
        assert ann.post("/why", {"cell": cell}).status_code == 400, cell


def test_what_would_follow_is_counted_and_kept_nowhere(table, tmp_path):
    ann, bo = table.phone("Ann"), table.phone("Bo")
    ann.act("type", state=0, line=f"Ann*: hand {HAND}")
    before, kept = ann.post("/pad", {}).json(), bytes_in(tmp_path)
    row, column = first_cell(ann).values()
    sent = {"supposed": [[row, column, True]], "log": before["asked"]["log"]}
    then = ann.post("/pad", sent).json()["html"]
    assert "You suppose that Bo" in then
    assert "deals are left then" in then
    assert "deals fit what you know" not in then
    because = ann.post("/why", {"cell": "0 0 0", **sent}).json()["html"]
    assert "You suppose that Bo" in because
    assert "data-suppose" not in because, "it is settled"
    never = {"supposed": [[row, column, True], [row, column, False]], "log": before["asked"]["log"]}
    assert "That cannot be: you suppose that" in ann.post("/pad", never).json()["html"]
    wrong = ["x", [1], [[row, column]], [[row, column, "yes"]], [[row, "Zed 1", True]]]
    for rows in (*wrong, [["?", column, True]], *([[row, column, True]] * n for n in (5, 9))):
        answer = ann.post("/pad", {"supposed": rows, "log": before["asked"]["log"]})
        assert answer.status_code == 400, rows
        assert answer.json()["told"]
    # Nothing is kept, and nobody else's page knows of it.
    assert ann.post("/pad", {}).json() == before
    assert "suppose" not in bo.post("/pad", {}).json()["html"]
    assert bytes_in(tmp_path) == kept
    # A mark goes to the cell that is in sight.
    here = {"row": row, "column": column}
    assert ann.post("/mark", {**here, "mark": "?", **sent}).json()["answer"] == "done"
    assert 'class="mark">?' in ann.post("/pad", sent).json()["html"]
    # Once something has happened a cell may mean something else.
    assert ann.act("type", state=1, line="guess Bo smallest 1 is 2").json()["answer"] == "done"
    assert ann.post("/pad", sent).json() == ann.post("/pad", {}).json()


def bytes_in(folder):
    """What lies in a folder, by name, without what every request touches."""
    return {p.name: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_marks_are_a_seats_own_and_the_apps_as_well(table):
    ann, bo = table.phone("Ann"), table.phone("Bo")
    here = first_cell(ann)
    assert ann.post("/mark", {**here, "mark": "?"}).json()["answer"] == "done"
    assert 'class="mark">?' in ann.post("/pad", {}).json()["html"]
    assert 'class="mark"' not in bo.post("/pad", {}).json()["html"]
    session = table.session
    kept = table.run(lambda: session.marks(session.unlock(0)).all())
    assert list(kept.values()) == ["?"]
    assert ann.post("/mark", {**here, "mark": ""}).json()["answer"] == "done"
    assert 'class="mark"' not in ann.post("/pad", {}).json()["html"]
    wrong = {**here, "mark": "x"}, {**here, "row": "?", "mark": "?"}, {}, {"row": 1, "mark": "?"}
    for sent in wrong:
        assert ann.post("/mark", sent).status_code == 400, sent
    thief = Phone(table.base, "seat/1", cookies={"seat1": bo.client.cookies["seat2"]})
    assert thief.post("/mark", {**here, "mark": "?"}).status_code == 403


def first_cell(phone):
    """The names of the first cell of a notepad, as its page sends them."""
    html = phone.post("/why", {"cell": "0 0 0"}).json()["html"]
    row, column, _ = json.loads(unescape(re.search(r"data-supposed='\[(.*?)\]'", html)[1]))
    return {"row": unescape(row), "column": unescape(column)}


def test_marks_behind_a_pin_open_when_it_was_entered(tmp_path):
    with journalled(tmp_path, "gotcha", ["Ann", "Bo"]) as session:
        session.set_pin(0, "4711")
        with serving(session, tmp_path) as table:
            ann = table.phone("Ann", pin="4711")
            here = first_cell(ann)
            assert ann.post("/mark", {**here, "mark": "!"}).json()["answer"] == "done"
            token = ann.client.cookies["seat1"]
    again = journalled(tmp_path, "gotcha", [], number=1)
    with again as session, serving(session, tmp_path) as table:
        ann = Phone(table.base, "seat/1", cookies={"seat1": token})
        assert 'class="mark"' not in ann.post("/pad", {}).json()["html"]
        assert "with your PIN" in ann.post("/why", {"cell": "0 0 0"}).json()["html"]
        assert ann.post("/mark", {**here, "mark": ""}).status_code == 403
        assert ann.post("/note", {"text": "mine", "match": 1}).status_code == 403
        assert ann.post("/pad", {}).json()["note"] is None
        # The PIN, entered on one's own phone, opens them.
        assert ann.post("/unlock", {"pin": "4711"}).json()["answer"] == "done"
        assert 'class="mark">!' in ann.post("/pad", {}).json()["html"]


def test_marks_and_notes_belong_to_their_match(table):
    ann = table.phone("Ann")
    here = first_cell(ann)
    assert ann.post("/mark", {**here, "mark": "?"}).json()["answer"] == "done"
    assert ann.post("/note", {"text": "first", "match": 1}).json()["answer"] == "done"
    for line in ("table: agree", "table: match"):
        answer = ann.act("type", state=table.state(0), line=line).json()
        if answer["answer"] == "ask":
            answer = ann.act("type", state=table.state(0), line=line, sure=True).json()
        assert answer["answer"] == "done", answer
    pad = ann.post("/pad", {}).json()
    assert pad["match"] == 2
    assert pad["note"] == ""
    assert 'class="mark"' not in pad["html"]
    # A note that was being written when the next match began belongs to the one before.
    assert ann.post("/note", {"text": "first, longer", "match": 1}).json()["answer"] == "done"
    assert ann.post("/pad", {}).json()["note"] == ""
    assert ann.post("/note", {"text": "second", "match": 2}).json()["answer"] == "done"
    session = table.session
    kept = table.run(lambda: session.marks(session.unlock(0)).all())
    assert (kept["note"], kept["2: note"]) == ("first, longer", "second")


def test_a_note_of_ones_own_is_kept_and_nobody_elses(table):
    ann, bo = table.phone("Ann"), table.phone("Bo")
    text = "Bo lies.\n<b>„quotes“ & more</b>"
    assert ann.post("/note", {"text": f" {text} ", "match": 1}).json()["answer"] == "done"
    assert ann.post("/pad", {}).json()["note"] == text
    assert bo.post("/pad", {}).json()["note"] == ""
    session = table.session
    kept = table.run(lambda: session.marks(session.unlock(0)).all())
    assert list(kept.values()) == [text], "the app shows it as well"
    assert ann.post("/note", {"text": "", "match": 1}).json()["answer"] == "done"
    assert ann.post("/pad", {}).json()["note"] == ""
    bad = ({"text": "x" * 2001, "match": 1}, {"text": None, "match": 1}, {}, {"text": "x"})
    for sent in (*bad, {"text": "x", "match": "1"}, {"text": "x", "match": True}):
        assert ann.post("/note", sent).status_code == 400, sent
    for path, sent in (("/note", {"text": "x"}), ("/unlock", {"pin": ""})):
        thief = Phone(table.base, "seat/1", cookies={"seat1": bo.client.cookies["seat2"]})
        assert thief.post(path, sent).status_code == 403


def test_pins_cannot_be_tried_without_end_on_a_phone(table):
    table.run(table.session.set_pin, 0, "4711")
    ann = table.phone("Ann", pin="4711")
    table.run(table.host.state.leave, 0)
    told = [ann.post("/unlock", {"pin": f"{n:04}"}).json()["told"] for n in range(3)]
    assert told[0].startswith("That is not Ann's PIN"), told
    assert told[-1].startswith("Too soon"), told
    assert ann.post("/pad", {}).json()["note"] is None
    assert ann.post("/unlock", {"pin": "4711"}).status_code == 403
    assert ann.post("/unlock", {"pin": "9" * 101}).status_code == 400


def test_the_tables_own_screen_is_known_after_a_restart(tmp_path):
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"]) as table:
        token = table.screen().client.cookies["table"]
    again = journalled(tmp_path, "gotcha", [], number=1)
    with again as session, serving(session, tmp_path) as table:
        screen = Phone(table.base, "table", cookies={"table": token})
        assert screen.post("/invite", {"place": "1"}).json()["answer"] == "done"


def test_no_word_of_the_notation_is_on_a_page(table):
    ann = table.phone("Ann")
    ann.act("type", state=0, line=f"Ann*: hand {HAND}")
    ann.act("type", state=1, line="guess Bo smallest 1 is 2")
    for page in (ann.get().text, table.screen().get().text):
        for word in ("2S", "Ann*", "guess Bo", "table:"):
            assert word not in page, word


def test_a_spectator_sees_the_table_and_touches_nothing(table):
    watching = table.phone()
    page = watching.get().text
    assert "Ann guesses a card of Bo." in page
    assert page.count("<form") == 1
    assert '<form id="sit">' in page  # with a code it is a player's way in, and nothing else
    for path, sent in (
        ("/act", {"key": "k" * 16, "state": 0, "do": "type", "line": "table: agree"}),
        ("/invite", {"place": "1"}),
        ("/free", {"seat": 1}),
        ("/agree", {"seat": 1}),
    ):
        assert watching.post(path, sent).status_code == 403
    with watching.events() as events:
        assert set(next(events)[1]["parts"]) == {"seats", "now", "do", "table", "log"}


def test_the_tables_own_screen_invites_frees_and_shows_who_is_there(table):
    screen, ann = table.screen(), table.phone("Ann")
    with ann.events() as events:
        next(events)
        assert "connected" in screen.get().text
        assert screen.post("/invite", {"place": "1"}).status_code == 409
        made = screen.post("/invite", {"place": "2"}).json()["html"]
        assert "<svg" in made
        assert "/seat/2#" in made
        assert screen.post("/free", {"seat": 1, "pin": ""}).json()["answer"] == "done"
        assert next(kind for kind, _ in events if kind != "page") == "gone"
    assert ann.act("type", state=0, line="guess Bo smallest 1 is 2").status_code == 403
    assert "Sit down as Ann" in ann.get().text


def test_a_seat_with_a_pin_is_joined_and_freed_by_it(table):
    table.run(table.session.set_pin, 0, "4711")
    ann, url = Phone(table.base, "seat/1"), table.urls["seats"]["Ann"]
    assert ann.join(url)["answer"] == "pin"
    wrong = ann.join(url, "0000")
    assert wrong["answer"] == "pin"
    assert "not Ann's PIN" in wrong["told"]
    time.sleep(1.1)  # the journal's own wait after a wrong PIN
    assert ann.join(url, "4711")["answer"] == "done"
    screen = table.screen()
    assert screen.post("/free", {"seat": 1, "pin": ""}).status_code == 403
    assert table.host.state.phones.has_seat(0)


def test_a_restarted_host_knows_its_phones(tmp_path):
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"]) as table:
        ann = table.phone("Ann")
        token = ann.client.cookies["seat1"]
    with (
        journalled(tmp_path, "gotcha", [], number=1) as session,
        serving(session, tmp_path) as again,
    ):
        ann = Phone(again.base, "seat/1", cookies={"seat1": token})
        assert "Sit down" not in ann.get().text
        other = Phone(again.base, "seat/2", cookies={"seat2": token})
        assert "Sit down as Bo" in other.get().text
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"]) as another:
        ann = Phone(another.base, "seat/1", cookies={"seat1": token})
        assert "Sit down as Ann" in ann.get().text


# -- codes and tokens by themselves ---------------------------------------------------------------


def test_a_code_runs_out():
    now = [0.0]
    codes = Invitations(clock=lambda: now[0])
    code = codes.make("1").code
    assert len(code) >= 22  # 128 bits
    now[0] = HOLDS - 1
    assert codes.holds("1", code)
    now[0] = HOLDS
    assert not codes.holds("1", code)


def test_a_newer_code_takes_the_place_of_an_older_one():
    codes = Invitations()
    old, new = codes.make("1").code, codes.make("1").code
    assert not codes.holds("1", old)
    assert codes.holds("1", new)
    assert not codes.holds("2", new)


def test_guessing_codes_is_stopped_and_goes_on_later():
    now = [0.0]
    codes = Invitations(clock=lambda: now[0])
    code = codes.make("1").code
    guesses = 0
    with suppress(TooOftenError):
        while guesses < 1000:
            assert not codes.holds("1", "guess")
            guesses += 1
    assert guesses < 100
    with pytest.raises(TooOftenError):
        codes.holds("1", "guess")
    # Who has the code gets in all the same: strangers could keep everybody out otherwise.
    assert codes.holds("1", code)
    now[0] = 61
    assert not codes.holds("1", "guess")


def test_what_a_page_is_not_shown_does_not_set_the_rhythm_of_its_ticks(monkeypatch):
    """Another's secret line wakes all pages, and shows on this one in nothing."""
    monkeypatch.setattr(events, "TICK", 0.6)
    page = SimpleNamespace(differs=lambda sent: sent is None, message=lambda _sent: "{}")

    async def ticks():
        broadcast = Broadcast()

        async def shown():
            return page

        async def wake_often():
            for _ in range(20):
                await asyncio.sleep(0.1)
                broadcast.wake()

        texts = events.Events(broadcast, 0, shown)._texts(asyncio.create_task(asyncio.sleep(9)))
        waking, found = asyncio.create_task(wake_often()), []
        async for text in texts:
            found.append(text.split("\n")[0])
            if len(found) == 3 or waking.done():
                break
        return found, waking.done()

    assert asyncio.run(ticks()) == (["event: page", "event: tick", "event: tick"], False)


def test_phones_of_deleted_sessions_are_forgotten_and_damage_forgets_all(tmp_path):
    phones = SeatPhones(tmp_path, "one")
    token = phones.give("1")
    assert SeatPhones(tmp_path, "one").is_token("1", token)
    assert not SeatPhones(tmp_path, "two").has_seat(0)
    assert (tmp_path / "phones.json").stat().st_mode & 0o777 == 0o600
    SeatPhones(tmp_path, "two").forget_all_but(["two"])
    assert not SeatPhones(tmp_path, "one").has_seat(0)
    (tmp_path / "phones.json").write_text("{", "utf-8")
    assert not SeatPhones(tmp_path, "one").has_seat(0)


def test_an_address_that_is_not_this_devices_is_said(tmp_path):
    from mobile.seats.host import listening

    with pytest.raises(CompanionError, match="--address"):
        listening("192.0.2.1", 0)


# -- the pages themselves -------------------------------------------------------------------------


def test_every_page_keeps_to_its_own_address(shared):
    pages = [shared.ann.get(), shared.phone().get(), shared.ann.client.get("/static/seat.js"),
             shared.ann.client.get("/nothing"), shared.ann.client.post("/table/act")]  # fmt: skip
    for page in pages:
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["referrer-policy"] == "same-origin"
        assert "server" not in page.headers
    text = shared.ann.get().text
    assert "http://" not in text
    assert "https://" not in text
    assert " style=" not in text
    assert " on" not in "".join(part.split(">")[0] for part in text.split("<"))
    assert shared.ann.get().headers["cache-control"] == "no-store"


def test_a_page_weighs_little(shared):
    import gzip

    texts = [shared.ann.get().text]
    scripts = sorted(path.name for path in (HOME / "static").glob("*.js"))
    loaded = [name for name in scripts if name != "join.js"]
    texts += [shared.ann.client.get(f"/static/{name}").text for name in (*loaded, "seat.css")]
    weight = sum(len(gzip.compress(text.encode())) for text in texts)
    assert weight <= 60_000
    faces = [shared.ann.client.get(f"/static/companion-{cut}.woff2") for cut in ("regular", "bold")]
    assert all("immutable" in face.headers["cache-control"] for face in faces)
    assert all(face.headers["content-type"] == "font/woff2" for face in faces)
    # As it is sent, which is not packed.
    sent = sum(len(text.encode()) for text in texts) + sum(len(face.content) for face in faces)
    assert sent <= 150_000, sent
    lines = {
        name: len((HOME / "static" / name).read_text("utf-8").splitlines()) for name in scripts
    }
    assert sum(lines.values()) <= 686, lines
