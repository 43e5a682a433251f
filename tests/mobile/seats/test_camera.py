"""A phone lends its camera: its pictures are read as any camera's, and dropped."""

import random
import re
import time
from contextlib import contextmanager, suppress
from html import unescape
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from companion.cards import card, parse_cards
from companion.core.events import private, public
from companion.core.question import SightingQuestion
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.errors import UnreadableError
from mobile.model import demo_script
from mobile.model.table import Table
from mobile.seats.lent_camera import MOST_SIDE, LentSource, decode, jpeg_size
from mobile.seats.middleware import MOST_FRAME
from tests.mobile.seats.browser import (
    Screen,
    browser,
    camera_of,
    clip_of,
    needs_browser,
    touches_for,
)
from tests.mobile.seats.hosting import Phone, hosted, journalled, serving
from tests.mobile.test_table import look, place

try:
    from playwright.sync_api import TimeoutError as TimeoutError_
except ImportError:  # without it no test that drives a browser runs
    TimeoutError_ = TimeoutError


def jpeg(width=64, height=48):
    picture = np.full((height, width, 3), 90, np.uint8)
    return cv2.imencode(".jpg", picture)[1].tobytes()


def test_a_frame_is_decoded_within_its_bounds():
    assert jpeg_size(jpeg()) == (64, 48)
    assert decode(jpeg()).shape == (48, 64, 3)


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xd8", b"\xff\xd8\xff\xc0", b"GIF89a", b"\x89PNG\r\n\x1a\n" + b"0" * 100,
     jpeg()[:40], jpeg(MOST_SIDE + 1, 16), jpeg(16, MOST_SIDE + 1), b"\xff\xd8\xff\xe0\xff\xff"],
    ids=range(9),
)  # fmt: skip
def test_what_is_no_frame_is_refused_without_being_decoded(data):
    with pytest.raises(UnreadableError):
        decode(data)


def test_damaged_frames_never_end_in_a_traceback():
    rng, good = random.Random(2), jpeg(160, 120)
    for _ in range(200):
        data = bytearray(good)
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            image = decode(bytes(data))
        except UnreadableError:
            continue
        assert max(image.shape[:2]) <= MOST_SIDE


def test_the_newest_frame_wins():
    source = LentSource()
    source.open()
    for number in range(3):
        source.give(number)
    assert source.newest()[1] == 2
    assert source.newest() is None
    source.close()
    assert source.ended


def test_frames_come_only_from_the_phone_that_lends_and_on_encrypted_pages(tmp_path):
    with hosted(tmp_path, "precognition", ["Ann", "Bo"], secure=True) as table:
        headers = {"Content-Type": "image/jpeg"}
        ann = table.phone("Ann")
        for phone in (Phone(table.base, "camera"), ann):
            phone.place = "/camera"
            assert phone.post("/frame", content=jpeg(), headers=headers).status_code == 403
        lender = Phone(table.base, "camera")
        assert lender.join(table.urls["camera"])["answer"] == "done"
        assert "camera=(self)" in lender.get().headers["permissions-policy"]
        assert "camera=()" in ann.client.get("/table").headers["permissions-policy"]
        assert lender.post("/frame", content=b"x", headers=headers).status_code == 400
        big = b"\xff\xd8" + b"x" * MOST_FRAME
        assert lender.post("/frame", content=big, headers=headers).status_code == 413
        assert lender.post("/frame", content=jpeg(), headers=headers).json()["answer"] == "done"
        # Whoever lends a camera is no player and no screen.
        assert lender.client.post(
            "/table/act", json={}, headers={"Origin": table.base}
        ).status_code == 403  # fmt: skip


#: The eyes had answered their question themselves before the touch came.
LATE = "400 (Bad Request)"


class Lent:
    """A table whose eyes are a phone's camera, in a real browser with a film before its camera.

    Attributes:
        seats: the players' pages.
        screen: the table's own.
        asked: how many questions of the eyes were answered there.
    """

    def __init__(self, running, table):
        urls = table.urls
        self.table, self.asked = table, 0
        self.seats = [Screen(running, url, n).sit_down()
                      for n, url in enumerate(urls["seats"].values())]  # fmt: skip
        self.screen = Screen(running, urls["table"], None).wait_for_table()
        self.lender = Screen(running, urls["camera"], None)
        self.lender.join("#lens")
        self.lender.tap(self.lender.page.locator("#lens"))
        self.lender.page.wait_for_function(
            "() => document.querySelector('#seen').textContent.includes('of')", timeout=60_000
        )

    def watch_until(self, done):
        """The eyes record; what a slow machine does not see settle is asked on the table's own."""
        end = time.monotonic() + 240
        while not done():
            assert time.monotonic() < end, self.screen.page.locator("main").inner_text()
            yes = self.screen.page.locator('[data-decide="yes"]')
            if yes.count():
                with suppress(TimeoutError_):
                    yes.tap(timeout=1000)
                    self.asked += 1
            self.screen.page.wait_for_timeout(200)

    def is_over(self):
        return self.table.referee.state.table.match_over


@contextmanager
def lent_camera(folder, game, setup, begin=()):
    """A hosted table, watched by a phone's camera before which the bundled clip is played."""
    clip = folder / "clip.mjpeg"
    clip_of(demo_script.load().clip, clip, times=2)
    with (
        browser(*camera_of(clip)) as running,
        journalled(folder, game, [], setup=setup) as session,
    ):
        for event in begin:
            session.referee.accept(event)
        with serving(session, folder, secure=True) as table:
            lent = Lent(running, table)
            yield lent
            for shown in (*lent.seats, lent.lender):
                assert shown.faults == []
            late = [fault for fault in lent.screen.faults if LATE in fault]
            assert len(late) <= lent.asked
            assert [fault for fault in lent.screen.faults if fault not in late] == []
    assert not list(folder.rglob("*.jpg"))


@needs_browser()
@pytest.mark.browser
@pytest.mark.slow
def test_a_lent_camera_records_a_precognition_row_to_its_end(tmp_path):
    script = demo_script.load()
    # Nothing counts before everybody has written.
    begin = [private(seat, "predict", "UD") for seat in (0, 1)]
    with lent_camera(tmp_path, script.game, script.setup, begin) as lent:
        lent.watch_until(lent.is_over)
        row = [event.args[0] for event in lent.table.referee.events if event.verb == "place"]
        assert set(row) == set(script.setup.cards)
        for shown in (*lent.seats, lent.screen):
            shown.page.get_by_text("card 12 of 12").first.wait_for()


def answers(referee):
    """What a guess was answered with, each time."""
    return [event for event in referee.events if event.verb in ("right", "wrong")]


@needs_browser()
@pytest.mark.browser
@pytest.mark.slow
def test_a_lent_camera_answers_the_guesses_of_a_gotcha_match(tmp_path):
    game = get_game("gotcha")
    hand = parse_cards("2S 6H 5C 4D 7S 9D")  # what the clip lays first, in its order
    setup = game.setup(["Ann", "Bo"], {"deal": str(len(hand))})
    with lent_camera(tmp_path, game, setup) as lent:
        ann, referee = lent.seats[0], lent.table.referee
        left = sorted(hand, key=lambda card: card.rank)
        for card in hand:
            place = left.index(card)
            top = len(left) - place
            which = ("smallest", place + 1) if place < top else ("biggest", top)
            left.remove(card)
            guess = public(0, "guess", 1, *which, card.rank)
            ann.wait_for_state(len(lent.table.view(0).log))
            told_before, asked_before = len(answers(referee)), lent.asked
            ann.step(*touches_for(game, lent.table.view(0), guess))
            # The eyes may have answered before anybody could look at the open guess.
            lent.watch_until(lambda before=told_before: len(answers(referee)) > before)
            told = answers(referee)[-1]
            assert (told.verb, told.args) == ("right", (card,))
            assert told.comment.startswith("camera") or lent.asked > asked_before
        # Bo has one round more, in which nothing is laid.
        for seat, event in ((1, public(1, "guess", 0, "smallest", 1, 13)), (0, public(0, "wrong"))):
            lent.seats[seat].wait_for_state(len(lent.table.view(seat).log))
            lent.seats[seat].step(*touches_for(game, lent.table.view(seat), event))
        assert lent.is_over()


def test_an_answer_to_what_the_eyes_no_longer_ask_records_nothing(tmp_path):
    with hosted(tmp_path, "precognition", ["Ann", "Bo"], secure=True) as table:
        screen, lens, session = table.screen(), table.host.state.lens, table.session
        work = table.host.state.worker.submit
        for line in ("Ann*: predict UD", "Bo*: predict DU"):
            work(table.referee.submit, table.referee.parse_typed(line)).result()
        # Eyes that ask what the test wants.
        lens._model = Table(session.game, session.setup, session, None)
        lens._eyes = SimpleNamespace(
            expect=lambda _stamp: None, repeat=lambda: None, stop=lambda: None
        )

        def asked(name, old=None, *, early=False):
            seen = SeenCard(card(name), lens._model.watched_zone, 0.7)
            meant = tuple(table.referee.proposals(seen))
            question = SightingQuestion(seen.card, 0.7, seen.zone, meant, old=old, is_early=early)
            work(setattr, lens._model, "question", question).result()
            page = screen.get().text
            assert not old or "lies where" in page
            assert ("Record it" in page, "Count it" in page) == (not early, early)
            return re.search('"question": "([^"]*)"', page)[1]

        asked("6H", early=True)
        before, now = asked("6H", card("9C")), asked("7H")
        for key in (before, "", None):
            answer = screen.post("/decide", {"accept": True, "question": key}).json()
            assert answer["answer"] == "refused"
            assert "something else" in answer["told"]
        assert table.referee.stands == 2
        assert screen.post("/decide", {"accept": True, "question": now}).json()["answer"] == "done"
        (placed,) = table.referee.log[2:]
        assert (placed.event.verb, placed.event.args) == ("place", (card("7H"),))
        assert lens.question is None
        for accept in (True, False):
            answer = screen.post("/decide", {"accept": accept, "question": ""}).json()
            assert answer["answer"] == "refused"


def test_cards_that_do_not_count_yet_are_no_dead_end(tmp_path):
    with hosted(tmp_path, "precognition", ["Ann", "Bo"], secure=True) as table:
        screen, lens, session = table.screen(), table.host.state.lens, table.session
        work = table.host.state.worker.submit
        lens._model = model = Table(session.game, session.setup, session, None)
        none = dict.fromkeys(("repeat", "forget", "stop"), lambda: None)
        lens._eyes = SimpleNamespace(expect=lambda _stamp: None, **none)

        def page_with(*codes):
            work(lens._see, look(model, *map(place, codes))).result()
            return unescape(screen.get().text)

        def decided(**sent):
            return screen.post("/decide", sent).json()["answer"] == "done"

        assert "2 of Spades lies there, but not everybody has written." in page_with("2S")
        assert (
            screen.post("/decide", {"accept": False, "question": lens.key}).json()["answer"]
            == "done"
        )
        assert "Cards from before the start lie there" in page_with("2S")
        for line in ("Ann*: predict UD", "Bo*: predict DU"):
            work(table.referee.submit, table.referee.parse_typed(line)).result()
        assert "2 of Spades lay there before everybody had written." in page_with("2S")
        assert (
            screen.post("/decide", {"accept": False, "question": lens.key}).json()["answer"]
            == "done"
        )
        assert "Cards from before the start lie there" in page_with("2S")
        assert decided(again=True)
        assert "Cards from before" not in page_with("2S")
        assert [entry.event.verb for entry in table.referee.log] == ["predict", "predict", "place"]


def test_eyes_that_see_nothing_say_so_on_the_tables_own_screen(tmp_path, monkeypatch):
    with hosted(tmp_path, "precognition", ["Ann", "Bo"], secure=True) as table:
        screen, lens = table.screen(), table.host.state.lens
        lender = Phone(table.base, "camera")
        assert lender.join(table.host.state.url("camera"))["answer"] == "done"
        headers = {"Content-Type": "image/jpeg"}
        assert lender.post("/frame", content=jpeg(), headers=headers).json()["answer"] == "done"
        with screen.events() as events:
            next(events)
            monkeypatch.setattr(type(lens._eyes), "failure", property(lambda _eyes: "No networks."))
            told = (message["parts"].get("eyes", "") for _, message in events if message)
            assert any("No networks." in part for part in told)
        told = lender.post("/frame", content=jpeg(), headers=headers).json()
        assert told == {"answer": "refused", "told": "No networks."}
