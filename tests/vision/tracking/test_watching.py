"""A watched table: rows and places together, and frames that need not be read."""

from __future__ import annotations

import numpy as np

from companion.cards import card
from companion.decks import get_deck
from tests.vision.layouts import index
from vision.tracking.watching import TableWatch
from vision.tracking.zones import Zones
from vision.types import CardRead, Reading

SIZE = (320, 240)


class Counter:
    """Reads known cards and counts how often it is asked."""

    def __init__(self) -> None:
        self.cards: list[tuple[str, float, float]] = []
        self.asked = 0
        self.how: list[str] = []

    def picture(self) -> np.ndarray:
        image = np.full((SIZE[1], SIZE[0], 3), 70, np.uint8)
        for _, x, y in self.cards:
            image[int(y) : int(y) + 60, int(x) : int(x) + 42] = 230
        return image

    def read(self, image) -> Reading:
        return self.seen("close")

    def read_frame(self, image) -> Reading:
        return self.seen("quick")

    read_closely = read

    def seen(self, how: str) -> Reading:
        self.asked += 1
        self.how.append(how)
        reads = []
        for name, x, y in self.cards:
            quad = ((x, y), (x + 42, y), (x + 42, y + 60), (x, y + 60))
            lead = index(x + 6, y + 10, size=12, sure=0.98)
            reads.append(CardRead(card(name), 0.98, quad, (lead,), outlined=True))
        return Reading(SIZE, tuple(reads))


class Watched:
    """A table with these cards that is watched, eight frames a second."""

    def __init__(self, *cards, zones=None, rows=()) -> None:
        self.reader = Counter()
        self.reader.cards += cards
        self.watch = TableWatch(get_deck(), zones or Zones({"pile": None}), rows=rows)
        self.frames, self.news = 0, []

    def run(self, frames, *, hands=None):
        """The view after so many frames, over which hands may pass by chance."""
        for _ in range(frames):
            image = self.reader.picture()
            if hands is not None:
                x = int(hands.integers(80, 250))
                image[:, x : x + 60] = 160
            view = self.watch.look(image, self.frames / 8, self.reader)
            self.news += view.news
            self.frames += 1
        return view

    def lying(self, frames):
        return [seen.card.code for seen in self.run(frames).lying]


def test_a_table_at_rest_is_hardly_ever_read():
    table = Watched(("7S", 30, 100))
    assert table.lying(80) == ["7S"]
    before = table.reader.asked
    assert before < 20, "one look every other second, once the card is known"
    table.reader.cards.append(("QD", 200, 100))
    assert table.lying(16) == ["7S", "QD"]
    assert table.reader.asked > before
    assert table.run(1).advice == ""


def test_rows_and_places_share_a_table():
    left = np.array([[0, 0], [0.5, 0], [0.5, 1], [0, 1]])
    right = np.array([[0.5, 0], [1, 0], [1, 1], [0.5, 1]])
    cards = [("7S", 10, 100), ("QD", 60, 100), ("2C", 220, 90)]
    table = Watched(*cards, zones=Zones({"row": left, "pile": right}), rows=("row",))
    view = table.run(12)
    assert [c.card.code for c in view.row] == ["7S", "QD"]
    told = {(s.card.code, s.zone) for s in table.news}
    assert told == {("7S", "row"), ("QD", "row"), ("2C", "pile")}
    assert [name for name, _ in view.statuses] == ["row", ""]


def test_while_hands_are_at_work_a_read_now_and_then_will_do():
    table = Watched(("7S", 30, 100))
    table.run(40, hands=np.random.default_rng(1))
    assert 6 < table.reader.asked < 12, "five seconds of hands, about two reads a second"
    assert table.lying(8) == ["7S"]


def test_what_one_look_misses_is_seen_in_the_next_ones():
    table = Watched()
    table.run(8)
    table.reader.cards.append(("QD", 200, 100))
    seen, blind = table.reader.seen, iter([True, False])

    def now_and_then(how):
        found = seen(how)
        return Reading(SIZE) if next(blind, False) else found

    table.reader.seen = now_and_then
    assert table.lying(16) == ["QD"]


def test_a_table_at_rest_is_looked_at_closely_while_something_is_new():
    table = Watched(("7S", 30, 100))
    table.run(80)
    how = table.reader.how
    assert how[:4] == ["quick", "close", "close", "close"]
    assert how[-1] == "quick", "a look now and then at what is settled need not be close"
    how.clear()
    table.run(40, hands=np.random.default_rng(1))
    assert set(how) == {"quick"}, "while hands move it would be wasted"
