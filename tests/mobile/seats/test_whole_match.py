"""A whole match of Hearts: four phones, a camera above the table, no touch but the passing.

The eyes read what the test lays there; what they make of rendered pictures of such matches is
measured by `tests.benchmarks.table_plays --games hearts`.
"""

import random
import time

import cv2
import numpy as np
import pytest

import mobile.card_readers
from companion.core.layout import direction
from companion.core.referee import Referee
from companion.simulate import play_events
from tests.mobile.seats.browser import needs_browser, touches_for
from tests.mobile.seats.hosting import Phone, hosted
from tests.mobile.seats.looks import screens
from vision.types import CardRead, IndexRead, Reading

PLAYERS = ["Ann", "Bo", "Cy", "Dee"]
SIZE = np.array((640, 360))
CARD = np.array((57, 80))
_NONE = np.zeros(0, np.float32)
JPEG = {"Content-Type": "image/jpeg"}


class Tabletop:
    """What lies on the table, as its pictures show it and its eyes read it.

    Attributes:
        lying: the cards and their outlines, never changed but replaced: two threads look at it.
    """

    def __init__(self):
        self.lying = {}

    def lay(self, card, seat):
        """A card in front of a seat, turned towards it."""
        down = np.array(direction(seat, 4))
        right = np.array((down[1], -down[0]))
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * CARD / 2
        quad = SIZE / 2 + 65 * down + corners[:, :1] * right + corners[:, 1:] * down
        self.lying = self.lying | {card: tuple(map(tuple, quad.tolist()))}

    def gather(self):
        self.lying = {}

    def picture(self):
        image = np.full((*SIZE[::-1], 3), 70, np.uint8)
        for number, quad in enumerate(self.lying.values()):
            cv2.fillConvexPoly(image, np.int32(quad), (240, 240, 225 + 5 * number))
        return cv2.imencode(".jpg", image)[1].tobytes()

    def read(self, _image):
        return Reading(tuple(SIZE.tolist()), tuple(map(self._read, self.lying.items())))

    read_frame = read_closely = read

    @staticmethod
    def _read(lies):
        card, quad = lies
        index = IndexRead(quad[0], (0.0, 1.0), 12.0, _NONE, _NONE, 0.99)
        return CardRead(card, 0.99, quad, (index,), outlined=True)


@needs_browser()
@pytest.mark.browser
@pytest.mark.slow
def test_a_match_of_hearts_needs_no_touch_beside_the_passing(running, tmp_path, monkeypatch):
    tabletop = Tabletop()
    monkeypatch.setattr(mobile.card_readers, "shipped_reader", lambda _deck: tabletop)
    with hosted(tmp_path, "hearts", PLAYERS, secure=True) as table:
        *phones, screen = screens(running, table, "en-GB").values()
        lender = Phone(table.base, "camera")
        assert lender.join(table.urls["camera"])["answer"] == "done"

        def look_until(done):
            end = time.monotonic() + 30
            while not done():
                assert time.monotonic() < end, table.host.state.lens.question
                answer = lender.post("/frame", content=tabletop.picture(), headers=JPEG)
                assert answer.json()["answer"] == "done"
                time.sleep(0.1)

        passed = 0
        for event in match(table):
            view, stands = table.view(event.seat), table.referee.stands
            if event.verb != "play":
                phone = phones[event.seat]
                phone.wait_for_state(len(view.log))
                phone.step(*touches_for(table.session.game, view, event))
                assert table.referee.stands == stands + 1, phone.told()
                passed = sum(one.touches for one in phones)
                continue
            if not table.referee.state.trick and tabletop.lying:
                tabletop.gather()
                gone = time.monotonic() + 0.5
                look_until(lambda gone=gone: time.monotonic() > gone)
            tabletop.lay(event.args[0], event.seat)
            look_until(lambda stands=stands: table.referee.stands > stands)
            done = table.referee.log[-1].event
            assert (done.verb, done.seat, done.args) == ("play", event.seat, event.args)
        assert table.referee.state.table.match_over
        for shown in (*phones, screen):
            shown.wait_for_state(len(table.view(shown.seat).log))
            headline = shown.page.locator("#now .headline").inner_text()
            assert headline == table.headline(shown.seat)
            assert shown.faults == []
        assert sum(one.touches for one in phones) == passed
        assert screen.touches == 0


def match(table):
    """What people do in one deal."""
    game, setup = table.session.game, table.session.setup
    shadow = Referee(game, setup)
    bots = [list(game.bots.values())[-1]] * len(PLAYERS)
    for event in play_events(shadow, bots, random.Random(3)):
        if event.verb == "match":
            return
        yield event
        shadow.accept(event)
