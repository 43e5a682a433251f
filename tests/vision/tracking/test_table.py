"""The table as it is played on: laid, moved, turned over, removed, nudged, hidden by hands."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.cards import Change, Family, card
from companion.decks import get_deck
from tests.vision.layouts import HEIGHT, index
from tests.vision.table import SHRINK, SIZE, DrawnTable, Lying, straight_view
from vision.geometry import fit_plane, project, rectangle
from vision.tracking.camera_shift import pairs_of
from vision.tracking.patches import Patch, There, compare, lies_near, patch, snapped
from vision.tracking.places import without_echoes
from vision.tracking.status import ADVICE, NoticeKind, TableStatus
from vision.tracking.table import TableTracker
from vision.tracking.table_place import TrackedPlace
from vision.tracking.thumbnails import blocks, changed_share, thumbnail
from vision.tracking.zones import Zones
from vision.types import CardRead, Reading

STANDARD = get_deck()
HALVES = Zones(
    {
        "near": np.array([[0, 0.5], [1, 0.5], [1, 1], [0, 1]]),
        "far": np.array([[0, 0], [1, 0], [1, 0.5], [0, 0.5]]),
    }
)


class Watcher:
    """A tracker with a clock, and all that it said."""

    def __init__(self, table, *, seed=0, zones=HALVES, thumbs=True, lazy=False):
        self.lazy, self._read = lazy, None
        self.table, self.rng, self.thumbs = table, np.random.default_rng(seed), thumbs
        self.tracker = TableTracker(STANDARD, zones)
        self.t, self.said = 0.0, []

    def run(self, seconds, rate=8.0, spoil=None):
        for _ in range(round(seconds * rate)):
            self.t += 1 / rate
            reading, grey = self.table.frame(self.rng)
            if spoil is not None:
                reading = spoil(reading, self.rng)
            if self.lazy and self._skips(grey):
                self.tracker.update(None, self.t, grey)
                continue
            self.said += self.tracker.update(reading, self.t, grey if self.thumbs else None)
        return self

    def _skips(self, grey):
        """Whether a frame need not be read, as `vision.tracking.watching` decides it."""
        small = blocks(grey)
        same = self._read is not None and changed_share(self._read, small) <= 0.002
        if same and not self.tracker.needs_look:
            return True
        self._read = small
        return False

    @property
    def told(self):
        return [(s.card.code, str(s.change), s.zone) for s in self.said]


def watched(*lying):
    """A table on which these cards have lain for two seconds, and who watches it."""
    table = DrawnTable([*lying])
    return table, Watcher(table).run(2)


def flaky(reading, rng):
    """A third of the reads fail, one in twenty bears another name."""
    kept = []
    for read in reading.cards:
        if rng.random() < 0.3:
            continue
        misread = rng.random() < 0.05
        other = STANDARD.cards[int(rng.integers(52))] if misread else read.card
        rest = ((read.card, 0.04),) if misread else ()
        kept.append(replace(read, card=other, alternatives=rest))
    return replace(reading, cards=tuple(kept))


def test_laid_cards_are_told_once_with_their_zone():
    rng = np.random.default_rng(0)
    names = [c.code for c in rng.permutation(STANDARD.cards[:52])[:8]]
    table = DrawnTable()
    watcher = Watcher(table).run(1)
    for k, name in enumerate(names):
        at = ((k % 4 - 1.5) * 90.0, (-90.0, 80.0)[k // 4])
        table.cards.append(Lying(name, at, float(rng.uniform(0, 6.3))))
        watcher.run(2.5, spoil=flaky)
    zones = ["far"] * 4 + ["near"] * 4
    assert watcher.told == [(n, "laid", z) for n, z in zip(names, zones, strict=True)]
    assert all(s.confidence > 0.9 for s in watcher.said)
    assert [s.card.code for s in watcher.tracker.lying] == names
    assert watcher.said[4].since == pytest.approx(1 + 4 * 2.5 + 1 / 8, abs=0.5)


@pytest.mark.parametrize("zones", [Zones({"middle": None}), HALVES])
@pytest.mark.parametrize("angle", [0.0, 0.6, 1.5, 2.6])
def test_it_tells_where_in_its_zone_a_card_lies(zones, angle):
    at = (66.0, 88.0)
    watcher = Watcher(DrawnTable([Lying("7H", at, angle)]), zones=zones).run(2)
    (seen,) = watcher.tracker.lying
    share = {"middle": (0.5, 0.5), "near": (0.5, 0.75)}[seen.zone]
    (middle,) = project(np.linalg.inv(straight_view()), [np.multiply(share, SIZE)])
    x, y = (at - middle) / HEIGHT
    assert (seen.spot.x, seen.spot.y) == pytest.approx((x, y), abs=0.05)
    askew = (seen.spot.turn - angle) % np.pi
    assert min(askew, np.pi - askew) < 0.05


def test_a_nudged_camera_moves_no_card_and_no_zone():
    table = DrawnTable(
        [Lying("7H", (-80, -60)), Lying("QS", (20, -70), 0.4), Lying("2C", (90, 70))]
    )
    watcher = Watcher(table).run(2)
    assert len(watcher.said) == 3
    table.view = straight_view((25, 130), 0.08)
    watcher.run(2.5)
    assert len(watcher.said) == 3
    assert not watcher.tracker.camera.is_home
    table.cards.append(Lying("9D", (-10, -25)))
    watcher.run(2)
    assert watcher.told[3:] == [("9D", "laid", "far")]


def test_one_card_and_a_nudge_is_settled_by_the_whole_picture():
    table, watcher = watched(Lying("7H", (-80, -60)), Lying("AS", (60, 60), up=False))
    table.view = straight_view((24, 12))
    watcher.run(2)
    assert watcher.told == [("7H", "laid", "far")]
    assert not watcher.tracker.camera.is_home


def test_hands_take_nothing_away():
    table, watcher = watched(Lying("7H", (-80, -60)), Lying("QS", (20, -70)), Lying("2C", (90, 70)))
    table.hand = (20, -90)
    watcher.run(0.5)
    assert watcher.tracker.status is TableStatus.HAND
    assert ADVICE[watcher.tracker.status]
    watcher.run(3.5)
    table.hand = None
    watcher.run(2)
    assert len(watcher.said) == 3
    assert watcher.tracker.status is TableStatus.STEADY


@pytest.mark.parametrize("lazy", [False, True])
def test_taken_away_turned_over_and_turned_up(lazy):
    table = DrawnTable([Lying("AD", (60, -60))])
    watcher = Watcher(table, lazy=lazy).run(6 if lazy else 1)
    table.cards += [Lying("7H", (-80, -60)), Lying("QS", (-80, 70))]
    watcher.run(2)
    seven, queen = table.cards[1:]
    table.cards = [table.cards[0], queen]
    watcher.run(2)
    assert watcher.told[3:] == [("7H", "removed", "far")]
    table.cards[1] = replace(queen, up=False)
    watcher.run(2)
    assert watcher.told[4:] == [("QS", "turned over", "near")]
    assert [s.card.code for s in watcher.tracker.turned] == ["QS"]
    assert watcher.said[4].since > watcher.t - 2
    watcher.run(6 if lazy else 0)
    table.cards[1] = queen
    table.cards.append(seven)
    watcher.run(2)
    assert sorted(watcher.told[5:]) == [("7H", "laid", "far"), ("QS", "turned up", "near")]


def test_a_card_laid_upon_another_covers_it():
    table = DrawnTable()
    watcher = Watcher(table).run(1)
    for name in ("7H", "8H", "QS"):
        table.hand = (-80, 0)
        watcher.run(0.8)
        table.cards.append(Lying(name, (-80, 60), 0.03 * len(name)))
        table.hand = None
        watcher.run(2)
    assert watcher.told == [(n, "laid", "near") for n in ("7H", "8H", "QS")]
    assert [s.card.code for s in watcher.tracker.lying] == ["QS"]


def test_what_is_turned_up_again_lies_upon_nothing_new():
    table, watcher = watched(Lying("AD", (60, 60)), Lying("7H", (-80, 60)))
    table.cards.append(Lying("QS", (-80, 60)))
    watcher.run(1.5)
    assert watcher.said[-1].upon[0] is card("7H")
    for up in (False, True):
        table.cards[2] = replace(table.cards[2], up=up)
        watcher.run(1.5)
    assert watcher.told[3:] == [("QS", "turned over", "near"), ("QS", "turned up", "near")]
    assert watcher.said[-1].upon is None


def test_a_back_as_bright_as_the_table_is_a_back():
    """None of its sides shows, but nothing reaches across it."""
    inside = np.random.default_rng(3).uniform(120, 235, 117).astype(np.float32)
    ring = np.full(28, 70, np.float32)
    then, now = Patch(inside, ring, 4), Patch(np.full(117, 72, np.float32), ring, 0)
    ground = Patch(np.full(117, 100, np.float32), ring, 0)
    assert compare(now, then, ground) is There.OTHER
    reached = ring.copy()
    reached[:9] = 150
    assert compare(replace(now, ring=reached), then, ground) is There.COVERED


def test_a_side_that_noise_hides_now_and_then_makes_no_hand():
    def doubts(pattern):
        place = TrackedPlace(np.zeros(52), [], 0.0, None)
        for k, there in enumerate(pattern):
            place.suspect(there, 1 + k / 8)
        return place.there, place.doubt_frames, place.doubted_since

    other, covered = There.OTHER, There.COVERED
    assert doubts([other, covered, other, other, covered, other]) == (other, 4, 1.0)
    there, frames, since = doubts([other, covered, covered, covered])
    assert (there, frames) == (covered, 2)
    assert since > 1.0, "a hand that stays is a hand"
    assert doubts([other, There.BARE]) == (There.BARE, 1, 1.125)


def test_onto_a_turned_over_card():
    table, watcher = watched(Lying("7H", (-80, 60)), Lying("AD", (60, 60)))
    table.cards[0] = replace(table.cards[0], up=False)
    watcher.run(2)
    table.cards.append(Lying("KC", (-78, 62), 0.02))
    watcher.run(2)
    assert watcher.told[2:] == [("7H", "turned over", "near"), ("KC", "laid", "near")]
    table.cards[2] = replace(table.cards[2], at=table.cards[0].at, angle=0.0, up=False)
    watcher.run(2)
    assert watcher.told[4:] == [("KC", "turned over", "near")], "a back upon a back"
    assert {s.card.code for s in watcher.tracker.turned} >= {"KC"}


def test_a_card_moved_to_another_zone():
    table, watcher = watched(Lying("7H", (-80, 60)), Lying("AD", (60, 60)), Lying("2D", (0, -80)))
    table.cards[0] = Lying("7H", (-80, -60), 1.0)
    watcher.run(2)
    assert watcher.told[3:] == [("7H", "moved", "far")]


def test_two_of_a_card_are_noticed_and_not_reported():
    table, watcher = watched(Lying("7H", (-80, 60)), Lying("AD", (60, 60)))
    table.cards.append(Lying("7H", (0, -60)))
    watcher.run(3)
    assert len(watcher.said) == 2
    assert [n.kind for n in watcher.tracker.notices] == [NoticeKind.SEEN_TWICE]


def test_the_first_name_does_not_stay_where_the_votes_turn():
    table = DrawnTable([Lying("6S", (-80, 60)), Lying("AD", (60, 60))], wrong={"6S": "8S"})
    watcher = Watcher(table).run(1.4)
    assert ("8S", "laid", "near") in watcher.told
    table.wrong = {}
    watcher.run(4)
    assert watcher.told[2:] == [("6S", "read anew", "near")]
    assert watcher.said[2].was is card("8S")


def test_what_is_never_sure_is_left_to_the_people():
    table = DrawnTable([Lying("6S", (-80, 60))], wrong={"6S": "8S"}, sure=0.5)
    watcher = Watcher(table).run(3)
    assert watcher.said == []
    (lying,) = watcher.tracker.lying
    assert not lying.settled
    assert lying.alternatives[0][0] in (card("6S"), card("8S"))
    assert [c for c, _ in lying.lying] == [lying.card], "counted among what lies there"


def test_light_changes_take_nothing_away():
    table, watcher = watched(Lying("7H", (-80, 60)), Lying("AD", (60, 60)))
    blind = lambda reading, rng: replace(reading, cards=())  # noqa: E731
    table.light = 0.7
    watcher.run(3, spoil=blind)
    assert len(watcher.said) == 2


def test_without_pictures_a_card_is_gone_when_only_it_is_not_read_for_long():
    table = DrawnTable([Lying("7H", (-80, 60)), Lying("AD", (60, 60))])
    watcher = Watcher(table, thumbs=False).run(2)
    taken = table.cards.pop()
    watcher.run(1.5)
    assert len(watcher.said) == 2
    watcher.run(3)
    assert watcher.told[2:] == [(taken.name, "removed", "near")]


def test_any_recogniser_that_names_quads_will_do():
    """Coins at any rotation, as an embedding recogniser would name them."""
    coins = get_deck("piecepack-coins")
    tracker = TableTracker(coins, Zones({"coin": None}))
    rng = np.random.default_rng(3)
    said = []
    for k in range(20):
        angle = float(rng.uniform(0, 6.3))
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        quad = tuple(map(tuple, rectangle((40, 40)) @ turn + (200, 150)))
        read = CardRead(card("3M", Family.COIN), 0.95, quad, (), outlined=True)
        said += tracker.update(Reading(SIZE, (read,)), k / 8)
    assert [(s.card.code, s.zone) for s in said] == [("3M", "coin")]


def test_nothing_new_needs_no_look():
    table = DrawnTable([Lying("7H", (-80, 60))])
    watcher = Watcher(table)
    watcher.run(0.5)
    assert watcher.tracker.needs_look
    watcher.run(2)
    assert not watcher.tracker.needs_look
    _, grey = table.frame(np.random.default_rng(0))
    for _ in range(30):
        watcher.t += 0.1
        watcher.tracker.update(None, watcher.t, grey)
    assert watcher.tracker.needs_look, "it looks again every other second"


def test_the_plane_is_found_from_cards_of_known_size():
    rng = np.random.default_rng(5)
    view = straight_view(turn=0.3)
    quads, places = [], []
    for x, y in ((-100, -80), (90, -60), (-80, 70), (100, 90), (0, 0)):
        angle = rng.uniform(0, 6.3)
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        corners = rectangle((63, 88)) @ turn + (x, y)
        places.append(corners)
        quads.append(project(view, corners) + rng.normal(0, 0.3, (4, 2)))
    plane = fit_plane(quads)
    assert plane.error < 0.6
    true = np.linalg.norm(places[0][0] - places[3][2])
    found = np.linalg.norm(plane.to_mm(quads[0])[0] - plane.to_mm(quads[3])[2])
    assert found == pytest.approx(true, rel=0.02)
    assert fit_plane([]) is None


def test_a_thumbnail_and_its_blocks_keep_the_picture():
    picture = np.zeros((720, 1280, 3), np.uint8)
    picture[:, 640:] = 200
    grey = thumbnail(picture)
    assert grey.shape == (180, 320)
    assert abs(grey[:, :150].mean()) < 1
    assert abs(grey[:, 170:].mean() - 200) < 1
    brighter = np.clip(grey * 1.2, 0, 255)
    assert changed_share(blocks(grey), blocks(brighter)) == 0
    brighter[40:80, 40:80] = 120
    assert 0.01 < changed_share(blocks(grey), blocks(brighter)) < 0.1


# -- what lies where a card was not read --------------------------------------------------------


def shown(table, lying, seed=0):
    """How a card's place looks, and the thumbnail that it is cut from."""
    _, grey = table.frame(np.random.default_rng(seed))
    outline = table.outline(lying) / SHRINK
    return patch(grey, outline), grey, outline


@pytest.mark.parametrize("light", [0.75, 1.0, 1.25])
def test_a_card_turned_over_is_told_from_one_that_is_only_unread(light):
    six, neighbour = Lying("6H", (-60, 0)), Lying("9C", (-60, 96))
    table = DrawnTable([six, neighbour])
    before, _, _ = shown(table, six)
    ground, _, _ = shown(DrawnTable([neighbour]), six)
    table.light = light
    assert compare(shown(table, six, 1)[0], before, ground) is There.SAME
    # A neighbour turned over in the meantime is no hand that reaches across.
    table.cards = [replace(six, up=False), replace(neighbour, up=False)]
    assert compare(shown(table, six, 2)[0], before, ground) is There.OTHER
    table.hand = (-60, 0)
    assert compare(shown(table, six, 3)[0], before, ground) is There.COVERED
    table.hand, table.cards = None, [neighbour]
    assert compare(shown(table, six, 4)[0], before, ground) is There.BARE


def in_shadow(grey, slope):
    """The thumbnail in a light that falls off to one side."""
    across = np.linspace(-1, 1, grey.shape[1])[None]
    return (grey * np.exp(slope * across)).astype(np.float32)


@pytest.mark.parametrize("slope", [-0.9, -0.5, 0.5, 0.9])
def test_a_shadow_that_falls_off_along_a_card_is_no_hand(slope):
    six, neighbour = Lying("6H", (-60, 0)), Lying("9C", (-60, 96))
    table = DrawnTable([six, neighbour])
    outline = table.outline(six) / SHRINK
    shaded = in_shadow(table.frame(np.random.default_rng(0))[1], slope)
    before = patch(shaded, outline)
    assert compare(shown(table, six, 1)[0], before, None) is There.SAME
    over = DrawnTable([replace(six, up=False), neighbour])
    assert compare(shown(over, six, 2)[0], before, None) is There.OTHER
    table.hand = (-40, 10)
    assert compare(shown(table, six, 3)[0], before, None) is There.COVERED


def test_where_a_card_ends_is_known_by_its_sides_once_they_were_seen():
    """By its indices alone each card seems to reach to the one below it."""
    six, neighbour = Lying("6H", (-60, 0)), Lying("9C", (-60, 96))
    table = DrawnTable([six, neighbour])
    watcher = Watcher(table)
    exact = iter([True, True])

    def spoil(reading, rng):
        by_sides = next(exact, False)
        cards = []
        for read in reading.cards:
            a, b, c, d = (np.array(corner) for corner in read.quad)
            long = (a, b, b + 1.2 * (c - b), a + 1.2 * (d - a))
            quad = read.quad if by_sides else tuple(map(tuple, long))
            cards.append(replace(read, quad=quad, exact=by_sides and read.outlined))
        return replace(reading, cards=tuple(cards))

    watcher.run(2.0, spoil=spoil)
    (place,) = [p for p in watcher.tracker._places if p.reported.code == "6H"]
    assert np.abs(place.seen_quad - table.outline(six)).max() < 5
    table.cards = [replace(six, up=False), neighbour]
    watcher.run(2.0, spoil=spoil)
    assert ("6H", "turned over", "near") in watcher.told


def test_a_card_beside_its_place_was_not_turned_over():
    six = Lying("6H", (-60, 0))
    before, _, _ = shown(DrawnTable([six]), six)
    moved = DrawnTable([six], view=straight_view((9, -8)))
    back = DrawnTable([replace(six, up=False)])
    outline = back.outline(six) / SHRINK
    assert lies_near(moved.frame(np.random.default_rng(1))[1], outline, before)
    assert not lies_near(back.frame(np.random.default_rng(1))[1], outline, before)


def test_a_place_at_the_edge_of_the_picture_is_still_looked_at():
    low = Lying("6H", (0, 185))
    seen, _, _ = shown(DrawnTable([low]), low)
    assert np.isnan(seen.inside).any()
    over, _, _ = shown(DrawnTable([replace(low, up=False)]), low)
    assert compare(over, seen, None) is not There.BARE
    far = Lying("6H", (0, 400))
    assert shown(DrawnTable([low]), far)[0] is None


def test_the_other_corner_read_as_another_card_is_no_card():
    table = DrawnTable([Lying("8S", (-80, 60)), Lying("AD", (60, 60))])

    def torn(reading, rng):
        found = []
        for read in reading.cards:
            if read.card is not card("8S") or len(read.indices) < 2:
                found.append(read)
                continue
            first, second = read.indices
            found.append(replace(read, indices=(first,)))
            found.append(
                replace(read, card=card("8C"), indices=(second,), confidence=0.93, outlined=False)
            )
        return replace(reading, cards=tuple(found))

    watcher = Watcher(table).run(1.5)
    watcher.run(6, spoil=torn)
    assert sorted(name for name, _, _ in watcher.told) == ["8S", "AD"]
    assert sorted(s.card.code for s in watcher.tracker.lying) == ["8S", "AD"]


def test_a_tile_that_looks_the_same_four_ways_is_one_tile():
    tiles = get_deck("piecepack-tiles")
    tracker = TableTracker(tiles, Zones({"centre": None}))
    corners = rectangle((50, 50)) * 2 + np.array([400, 300])
    said = []
    for k in range(24):
        way = [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][k % 4]
        quad = tuple(map(tuple, np.roll(corners, k % 4, axis=0)))
        pose = index(400, 300, down=way)
        read = CardRead(card("0M", Family.TILE), 0.97, quad, (pose,), outlined=True)
        said += tracker.update(Reading(SIZE, (read,)), k / 8)
    assert [s.card.code for s in said] == ["0M"]
    assert len(tracker.lying) == 1
    assert tracker.notices == ()


@pytest.mark.parametrize("away", [0.0, 0.4, 0.7])
def test_what_was_taken_away_before_has_nothing_to_do_with_what_comes(away):
    """Only what was covered or turned over in one go lay below."""
    table = DrawnTable([Lying("AD", (100, -60)), Lying("7H", (-80, 60))])
    watcher = Watcher(table).run(3)
    table.hand = (-80, 0)
    watcher.run(0.6)
    table.cards = table.cards[:1]
    if away:
        table.hand = None
        watcher.run(away)
    table.cards.append(Lying("QS", (-80, 60)))
    table.hand = None
    watcher.run(2)
    said = next(s for s in watcher.said if s.card.code == "QS")
    assert (said.upon is None) == (away > 0)


def test_a_card_that_lay_there_from_the_start_is_seen_to_be_taken():
    table = DrawnTable([Lying("AD", (100, -60)), Lying("7H", (-80, 60))])
    watcher = Watcher(table).run(3)
    del table.cards[1]
    watcher.run(2)
    assert watcher.told[2:] == [("7H", "removed", "near")]


def coin_tracker(*faces):
    """Of coins that have these faces only."""
    coins = replace(
        get_deck("piecepack-coins"), cards=tuple(card(code, Family.COIN) for code in faces)
    )
    return TableTracker(coins, Zones({"coin": None}))


def coins_laid(tracker, *laid, frames=12, pause=0.5):
    """What is said of coins that are laid one by one: (face, x) each."""
    said, t = [], 0.0
    for face, x in laid:
        quad = tuple(map(tuple, rectangle((40, 40)) + np.array([x, 150])))
        read = CardRead(card(face, Family.COIN), 0.99, quad, (), outlined=True)
        for _ in range(frames):
            t += 1 / 8
            said += tracker.update(Reading(SIZE, (read,)), t)
        t += pause
    return said


@pytest.mark.parametrize(
    ("others", "laid", "pause"),
    [
        (("4?", "?S"), [("3?", 200), ("?M", 200)], 0.5),
        # Not the face of the coin before the last.
        ((), [("5?", 200), ("A?", 200), ("?C", 200)], 0.0),
        # Another coin may have shown the same face elsewhere.
        (("?M",), [("?S", 200), ("4?", 200), ("A?", 320), ("?S", 320)], 0.5),
    ],
)
def test_a_coin_turned_over_keeps_in_mind_its_other_face(others, laid, pause):
    tracker = coin_tracker(*dict.fromkeys(face for face, _ in laid), *others)
    *_, last = (s for s in coins_laid(tracker, *laid, pause=pause) if s.zone)
    assert (last.card.code, str(last.change)) == (laid[-1][0], "laid")
    assert last.upon[0].code == laid[-2][0]
    assert last.upon[1] > 0.97


def test_after_a_while_a_coin_that_was_turned_over_is_one_that_lies_there():
    tracker = coin_tracker("3?", "4?", "?M", "?S")
    coins_laid(tracker, ("3?", 200), *[("?M", 200)] * 5, pause=0)
    assert tracker.lying[0].upon is None


@pytest.mark.parametrize("taken", [True, False])
def test_a_coin_laid_where_none_was_read_is_another_one_on_any_table(taken):
    tracker = coin_tracker("3?", "?M")
    said, t = [], 0.0
    box = np.array([200, 150]) + rectangle((80, 80))
    striped = np.where(np.arange(320) // 9 % 2, 70, 180).astype(np.float32)[None].repeat(240, 0)
    reading = Reading((640, 480), ())
    for face, frames in (("3?", 12), (None, 2 if taken else 0), ("?M", 12)):
        grey = striped.copy()
        cards = ()
        if face is None:
            grey = grey * np.linspace(0.8, 1.1, 320, dtype=np.float32)  # a shadow on the stripes
        else:
            cv2.circle(grey, (100, 75), 20, 120.0 if face == "3?" else 220.0, -1)
            read = CardRead(
                card(face, Family.COIN), 0.99, tuple(map(tuple, box)), (), outlined=True
            )
            cards = (read,)
        for _ in range(frames):
            t += 1 / 8
            said += tracker.update(replace(reading, cards=cards), t, grey)
        t += 0.3
    assert [s.card.code for s in said if s.change is Change.LAID] == ["3?", "?M"]
    assert (said[-1].upon is None) == taken


def test_the_first_face_of_the_next_coin_does_not_go_with_the_coin_before():
    tracker = coin_tracker("4?", "0?", "?M")
    said = coins_laid(tracker, ("?M", 200), ("4?", 200), ("?M", 214), ("0?", 214))
    assert [s.card.code for s in said] == ["?M", "4?", "?M", "0?"]
    beneath = [None if s.upon is None else s.upon[0].code for s in said]
    assert beneath == [None, "?M", None, "?M"]


def test_an_outline_made_from_slanted_print_is_turned_to_the_sides_that_are_seen():
    table = DrawnTable([Lying("6H", (-60, 0), 0.1)])
    _, grey = table.frame(np.random.default_rng(0))
    true = table.outline(table.cards[0]) / SHRINK
    off = table.outline(replace(table.cards[0], angle=0.1 + 0.1)) / SHRINK + np.array([1.5, -1])
    found, clear = snapped(grey, off)
    assert clear > 0
    assert np.abs(found - true).max() < 1.5 < 2.5 < np.abs(off - true).max()
    bare = np.full_like(grey, 70.0)
    assert snapped(bare, off) is None


def test_four_indices_keep_their_order_when_the_camera_is_nudged():
    corners = ((0, 0, 1.0), (60, 0, 1.0), (60, 100, -1.0), (0, 100, -1.0))
    home = [index(x, y, down=(0.0, down)) for x, y, down in corners]
    now = [replace(i, centre=(i.centre[0] + 55, i.centre[1] + 3)) for i in reversed(home)]
    pairs = pairs_of(now, home, 7)
    assert len(pairs) == 4
    assert {np.subtract(p.now.centre, p.home.centre).tolist()[0] for p in pairs} == {55.0}
    assert len(pairs_of(now[:3], home, 7)) == 4, "one of two may be either"


def test_what_single_frames_doubt_is_not_told_as_sure():
    table = DrawnTable([Lying("6S", (-80, 60))], wrong={"6S": "6C"}, sure=0.9)
    watcher = Watcher(table).run(6)
    (lying,) = watcher.tracker.lying
    assert lying.confidence < 0.97


def test_the_other_corners_of_four_are_no_cards_of_their_own():
    quad = ((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0))
    first = index(6, 14, size=17)
    whole = CardRead(card("AS"), 0.97, quad, (first,), outlined=True)
    side = CardRead(card("AC"), 0.7, quad, (replace(first, centre=(57.0, 14.0)),))
    beyond = CardRead(card("9D"), 0.7, quad, (replace(first, centre=(38.0, 14.0)),))
    assert without_echoes([whole, side, beyond]) == [whole, beyond]
    surer = replace(side, confidence=0.99)
    assert without_echoes([whole, surer]) == [whole, surer]


def test_another_card_read_faintly_where_one_was_told_is_put_to_the_people():
    table, watcher = watched(Lying("6S", (-80, 60)))
    assert watcher.told == [("6S", "laid", "near")]
    table.cards = [Lying("8S", (-80, 60))]
    table.sure = 0.5
    watcher.run(6)
    (lying,) = watcher.tracker.lying
    assert lying.card is card("8S")
    assert not lying.settled
    assert lying.since > 2
