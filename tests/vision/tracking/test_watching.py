"""A watched table: rows and places together, and frames that need not be read."""

from __future__ import annotations

import numpy as np

from companion.cards import card
from companion.decks import get_deck
from vision.tracking.watching import TableWatch
from vision.tracking.zones import Zones
from vision.types import CardRead, IndexRead, Reading

SIZE = (320, 240)
NONE = np.zeros(0, np.float32)


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
            index = IndexRead((x + 6, y + 10), (0.0, 1.0), 12.0, NONE, NONE, 0.98)
            quad = ((x, y), (x + 42, y), (x + 42, y + 60), (x, y + 60))
            reads.append(CardRead(card(name), 0.98, quad, (index,), outlined=True))
        return Reading(SIZE, tuple(reads))


def test_a_table_at_rest_is_hardly_ever_read():
    reader = Counter()
    reader.cards.append(("7S", 30, 100))
    watch = TableWatch(get_deck(), Zones({"pile": None}), rows=())
    for k in range(80):
        view = watch.look(reader.picture(), k / 8, reader)
    assert [s.card.code for s in view.lying] == ["7S"]
    assert reader.asked < 20, "one look every other second, once the card is known"
    before = reader.asked
    reader.cards.append(("QD", 200, 100))
    for k in range(80, 96):
        view = watch.look(reader.picture(), k / 8, reader)
    assert [s.card.code for s in view.lying] == ["7S", "QD"]
    assert reader.asked > before
    assert view.advice == ""


def test_rows_and_places_share_a_table():
    reader = Counter()
    left = np.array([[0, 0], [0.5, 0], [0.5, 1], [0, 1]])
    right = np.array([[0.5, 0], [1, 0], [1, 1], [0.5, 1]])
    watch = TableWatch(get_deck(), Zones({"row": left, "pile": right}), rows=("row",))
    reader.cards += [("7S", 10, 100), ("QD", 60, 100), ("2C", 220, 90)]
    news = []
    for k in range(12):
        view = watch.look(reader.picture(), k / 8, reader)
        news += view.news
    assert [c.card.code for c in view.row] == ["7S", "QD"]
    assert {(s.card.code, s.zone) for s in news} == {("7S", "row"), ("QD", "row"), ("2C", "pile")}
    assert [name for name, _ in view.statuses] == ["row", ""]


def test_while_hands_are_at_work_a_read_now_and_then_will_do():
    reader = Counter()
    reader.cards.append(("7S", 30, 100))
    watch = TableWatch(get_deck(), Zones({"pile": None}), rows=())
    rng = np.random.default_rng(1)
    for k in range(40):
        image = reader.picture()
        x = int(rng.integers(80, 250))
        image[:, x : x + 60] = 160
        watch.look(image, k / 8, reader)
    assert 6 < reader.asked < 12, "five seconds of hands, about two reads a second"
    for k in range(40, 48):
        view = watch.look(reader.picture(), k / 8, reader)
    assert [s.card.code for s in view.lying] == ["7S"]


def test_what_one_look_misses_is_seen_in_the_next_ones():
    reader = Counter()
    watch = TableWatch(get_deck(), Zones({"pile": None}), rows=())
    for k in range(8):
        watch.look(reader.picture(), k / 8, reader)
    reader.cards.append(("QD", 200, 100))
    seen, blind = reader.seen, iter([True, False])

    def now_and_then(how):
        found = seen(how)
        return Reading(SIZE) if next(blind, False) else found

    reader.seen = now_and_then
    for k in range(8, 24):
        view = watch.look(reader.picture(), k / 8, reader)
    assert [s.card.code for s in view.lying] == ["QD"]


def test_a_table_at_rest_is_looked_at_closely_while_something_is_new():
    reader = Counter()
    reader.cards.append(("7S", 30, 100))
    watch = TableWatch(get_deck(), Zones({"pile": None}), rows=())
    for k in range(80):
        watch.look(reader.picture(), k / 8, reader)
    assert reader.how[:4] == ["quick", "close", "close", "close"]
    assert reader.how[-1] == "quick", "a look now and then at what is settled need not be close"
    rng = np.random.default_rng(1)
    reader.how.clear()
    for k in range(80, 120):
        image = reader.picture()
        x = int(rng.integers(80, 250))
        image[:, x : x + 60] = 160
        watch.look(image, k / 8, reader)
    assert set(reader.how) == {"quick"}, "while hands move it would be wasted"
