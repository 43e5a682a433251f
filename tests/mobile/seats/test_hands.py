"""A player shows a hand to the own phone: it is read for that seat alone, and forgotten."""

import asyncio
import hashlib
import sqlite3
from contextlib import closing
from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from companion.cards import RANKS, parse_cards
from companion.core.registry import get_game
from companion.decks import get_deck
from companion.errors import CompanionError
from mobile.seats import hands as service
from mobile.seats.hands import MOST_SIDE, Hands
from tests.mobile.seats.browser import Screen, browser, camera_of, needs_browser
from tests.mobile.seats.hosting import hosted, journalled, serving
from vision.types import CardRead, Reading

HAND = parse_cards("2S 5H 9C JD KD")
QUAD = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
HEADERS = {"Content-Type": "image/jpeg"}


@dataclass
class Eyes:
    """A reader that sees what its test says, whatever the picture; a black one shows nothing."""

    sure: tuple = ()
    doubtful: tuple = ()
    frames: int = 0

    def read(self, image):
        self.frames += 1
        if image.max() < 40:
            return Reading((64, 48))
        reads = [
            tuple(CardRead(one, chance, QUAD, ()) for one in cards)
            for cards, chance in ((self.sure, 0.99), (self.doubtful, 0.6))
        ]
        return Reading((64, 48), *reads)

    read_frame = read_closely = read


def jpeg(level=120, side=64):
    return cv2.imencode(".jpg", np.full((side, side, 3), level, np.uint8))[1].tobytes()


# -- the host ----------------------------------------------------------------------------------


def taken(hands, *calls):
    async def all_of_them():
        work = [hands.take(seat, data, is_new=new, is_alone=False) for seat, data, new in calls]
        return await asyncio.gather(*work, return_exceptions=True)

    return asyncio.run(all_of_them())


def test_the_newest_frame_of_a_seat_is_read_and_no_other_waits():
    eyes = Eyes(sure=HAND)
    found = taken(Hands(get_deck, lambda: eyes), *[(0, jpeg(), False)] * 6)
    assert sum(one is not None for one in found) <= 2
    assert eyes.frames <= 2


def test_a_new_hand_forgets_the_last_one():
    eyes = Eyes(sure=HAND)
    hands = Hands(get_deck, lambda: eyes)
    for _ in range(2):
        taken(hands, (0, jpeg(), False))
    eyes.sure = parse_cards("3S 4S")
    (seen,) = taken(hands, (0, jpeg(), True))
    assert seen.sure == ()
    assert {one.card for one in seen.doubtful} == set(eyes.sure)


def test_four_seats_show_their_hands_at_once_and_a_fifth_is_told(monkeypatch):
    hands = Hands(get_deck, lambda: Eyes(sure=HAND))
    *four, fifth = taken(hands, *[(seat, jpeg(), True) for seat in range(4)]), None
    (fifth,) = taken(hands, (4, jpeg(), True))
    assert all(not isinstance(one, Exception) for one in four[0])
    assert isinstance(fifth, CompanionError)
    monkeypatch.setattr(service, "_DONE", 0.0)
    (fifth,) = taken(hands, (4, jpeg(), True))
    assert {one.card for one in fifth.doubtful} == set(HAND)


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A hosted Gotcha table whose eyes see HAND in every picture that is not black."""
    eyes = Eyes(sure=HAND)
    with (
        journalled(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as session,
        serving(session, tmp_path, secure=True) as table,
    ):
        monkeypatch.setattr(table.host.state.hands, "_make_reader", lambda: eyes)
        table.folder, table.eyes = tmp_path, eyes
        yield table


def send(phone, data=None, asked="new&photo"):
    return phone.post(f"/frame?{asked}", content=data or jpeg(), headers=HEADERS)


def test_a_seats_own_phone_alone_may_show_its_hand(table):
    ann, bo, watcher = table.phone("Ann"), table.phone("Bo"), table.phone()
    answer = send(ann).json()
    assert answer["answer"] == "done"
    assert sorted(answer["sure"]) == sorted(one.code for one in HAND)
    assert "camera=(self)" in ann.get().headers["permissions-policy"]
    for other in (bo, watcher):
        other.place = "/seat/1"
        refused = send(other)
        assert refused.status_code == 403
        assert not set(refused.text) & {"♠", "♥"}
    assert not table.referee.log, "nothing is recorded by showing"


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"GIF89a", "no picture"), (b"\xff\xd8\xff\xc0", "no picture"),
     (jpeg(side=MOST_SIDE + 8), "too large")],
    ids=["gif", "cut off", "large"],
)  # fmt: skip
def test_a_bad_picture_gets_one_clear_sentence(table, data, words):
    ann = table.phone("Ann")
    refused = send(ann, data)
    assert refused.status_code == 400
    assert words in refused.json()["told"]
    assert send(ann).json()["answer"] == "done", "the next one is read"


def kept(folder):
    """Every file, once journals have merged their logs, as they do by themselves when idle."""
    for path in sorted(folder.rglob("*.sqlite")):
        with closing(sqlite3.connect(path)) as merging:
            assert merging.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    return {
        path.relative_to(folder): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")  # who reads where, in memory
    }


def test_nobody_else_sees_that_a_hand_is_shown_and_nothing_is_kept(table, capfd):
    ann, bo, watcher = table.phone("Ann"), table.phone("Bo"), table.phone()

    def seen_by_others():
        return bo.get().text, watcher.get().text, table.host.state.broadcast.version

    before, files = seen_by_others(), kept(table.folder)
    for number in range(4):
        assert send(ann, asked="new" if number == 0 else "").json()["answer"] == "done"
    assert seen_by_others() == before
    assert kept(table.folder) == files
    said = "".join(capfd.readouterr())
    assert not any(one.code in said or one.name in said for one in HAND)


def test_what_is_answered_depends_on_the_seats_own_pictures_alone(table):
    ann, bo = table.phone("Ann"), table.phone("Bo")
    alone = send(ann).json()
    table.record("Bo*: hand 2S 5H 9C JD KD")
    table.eyes.sure = parse_cards("AS")
    send(bo)
    table.eyes.sure = HAND
    assert send(ann).json() == alone


def test_a_page_that_is_not_encrypted_offers_no_camera(tmp_path):
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as table:
        ann = table.phone("Ann")
        assert "data-show" not in ann.get().text
        assert send(ann).status_code == 403


# -- the page ----------------------------------------------------------------------------------


def film(path):
    """What a browser's fake camera shows: grey pictures."""
    path.write_bytes(jpeg() * 40)


@pytest.fixture
def phone(table, tmp_path):
    clip = tmp_path / "clip.mjpeg"
    film(clip)
    with browser(*camera_of(clip)) as running:
        ann = Screen(running, table.urls["seats"]["Ann"], 0).sit_down()
        yield ann
        assert ann.faults == []


def lead(phone):
    phone.tap(phone.page.get_by_text("Show your hand, so that your notepad knows it"))
    phone.touches = 0


@needs_browser()
@pytest.mark.browser
def test_a_hand_is_shown_and_kept_with_two_touches(table, phone):
    lead(phone)
    phone.tap(phone.page.get_by_role("button", name="Show them to the camera").first)
    keep = phone.page.get_by_role("button", name="Keep these 5 secret")
    keep.wait_for()
    assert phone.page.locator("#shown").get_attribute("open") is None, "it ends by itself"
    assert keep.get_attribute("class") == "primary"
    assert not table.referee.log
    phone.tap(keep)
    phone.wait_for_state(1)
    assert phone.touches == 2
    (entry,) = table.referee.log
    assert (entry.event.verb, set(entry.event.args[0])) == ("hand", set(HAND))
    assert not phone.page.get_by_text("so that your notepad knows it").count()


@needs_browser()
@pytest.mark.browser
def test_doubtful_cards_are_amber_and_chosen_by_a_touch(table, phone):
    table.eyes.sure, table.eyes.doubtful = HAND[:4], HAND[4:]
    lead(phone)
    phone.tap(phone.page.get_by_role("button", name="Show them to the camera").first)
    amber = phone.page.locator("#do .choice:has([aria-description])")
    # The first frame alone makes nothing sure.
    amount = "() => document.querySelectorAll('#do .choice:has([aria-description])').length === 1"
    phone.page.wait_for_function(amount)
    phone.page.locator("#shown .card.doubtful").wait_for()
    phone.tap(phone.page.get_by_role("button", name="Done"))
    assert not phone.page.get_by_role("button", name="Keep these 5 secret").count()
    phone.tap(amber.locator("input"))
    assert not amber.count()
    phone.tap(phone.page.get_by_role("button", name="Keep these 5 secret"))
    phone.wait_for_state(1)
    assert set(table.referee.log[0].event.args[0]) == set(HAND)


@needs_browser()
@pytest.mark.browser
def test_a_photo_is_read_where_there_is_no_camera(table, phone, tmp_path):
    picture = tmp_path / "photo.jpg"
    cv2.imwrite(str(picture), np.full((1800, 2400, 3), 120, np.uint8))
    lead(phone)
    phone.page.locator("#do input[type=file]").first.set_input_files(str(picture))
    phone.page.get_by_role("button", name="Keep these 5 secret").wait_for()
    black = tmp_path / "black.png"
    cv2.imwrite(str(black), np.zeros((30, 40, 3), np.uint8))
    phone.page.locator("#do input[type=file]").first.set_input_files(str(black))
    phone.page.locator("#told", has_text="No card was read").wait_for()


@needs_browser()
@pytest.mark.browser
def test_the_camera_stops_when_the_page_is_left(phone):
    lead(phone)
    phone.page.locator("#do").evaluate("() => 0")
    phone.page.route("**/frame*", lambda route: None)  # no answer: it would go on for ever
    phone.tap(phone.page.get_by_role("button", name="Show them to the camera").first)
    phone.page.locator("#shown[open]").wait_for()
    phone.hide(True)
    assert phone.page.locator("#shown").get_attribute("open") is None
    assert phone.page.evaluate("() => document.querySelector('#shown video').srcObject") is None


#: Game → players, lines before, options, and Ann's hand.
GAMES = {
    "precognition": (2, (), {}, " ".join(f"{rank}{suit}" for suit in "SH" for rank in RANKS)),
    "deduction": (3, ("table: up AM 0H",), {}, "AS 5S 4M 2C 4C AH 3H"),
    "suspense": (3, ("table: dealer Bo",), {}, "W2 B1 B6 !"),
}


@needs_browser()
@pytest.mark.browser
@pytest.mark.parametrize("game", GAMES)
def test_every_games_hand_is_kept_with_two_touches(game, tmp_path, monkeypatch):
    count, lines, options, codes = GAMES[game]
    names, family = ["Ann", "Bo", "Cy"][:count], get_game(game).family
    hand = parse_cards(codes, family)
    clip = tmp_path / "clip.mjpeg"
    film(clip)
    with (
        hosted(tmp_path, game, names, options, secure=True) as table,
        browser(*camera_of(clip)) as running,
    ):
        monkeypatch.setattr(table.host.state.hands, "_make_reader", lambda: Eyes(sure=hand))
        for line in lines:
            table.record(line)
        phone = Screen(running, table.urls["seats"]["Ann"], 0).sit_down()
        lead(phone)
        phone.tap(phone.page.get_by_role("button", name="Show them to the camera").first)
        phone.tap(phone.page.get_by_role("button", name=f"Keep these {len(hand)} secret"))
        phone.wait_for_state(len(lines) + 1)
        assert phone.touches == 2
        assert set(table.referee.log[-1].event.args[0]) == set(hand)
        assert phone.faults == []


HEARD = """() => {
  globalThis.heard = [];
  globalThis.speechSynthesis.speak = (words) => heard.push(`${words.lang}: ${words.text}`);
}"""


@needs_browser()
@pytest.mark.browser
def test_cards_are_said_aloud_for_those_who_cannot_see_them(table, phone):
    phone.page.evaluate(HEARD)
    phone.tap(phone.page.get_by_text("Aloud", exact=True))
    phone.press("Cards in my hand")
    phone.press("Say each card that the camera reads")
    lead(phone)
    phone.tap(phone.page.get_by_role("button", name="Show them to the camera").first)
    phone.press("Keep these 5 secret")
    phone.wait_for_state(1)
    heard = phone.page.evaluate("() => heard")
    assert heard[0] == "en: No card of your hand is known."
    assert sorted(heard[1:]) == sorted(f"en: {one.name}" for one in HAND), "each once"
    phone.press("Cards in my hand")
    phone.press("What lies on the table")
    hand, lying = phone.page.evaluate("() => heard.slice(-2)")
    assert all(one.name in hand for one in HAND)
    assert "You guess a card of Bo." in lying
    assert not any(one.name in lying for one in HAND)


def test_who_sits_down_next_learns_nothing_of_a_hand_that_was_shown(table):
    ann = table.phone("Ann")
    for asked in ("new", ""):
        send(ann, asked=asked)
    table.host.state.leave(0)
    table.host.state.phones.let_go("1")
    table.eyes.sure = ()
    next_one = table.phone("Ann")
    answer = send(next_one, asked="").json()
    assert (answer["answer"], answer["sure"], answer["doubtful"]) == ("done", [], [])
