"""Rows joined from overlapping pictures."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from companion.cards import card, parse_cards
from tests.vision.growth import mislabelled
from tests.vision.layouts import DECK, Camera, RowStyle, corners_of, deal, lay_row, photo_of, view
from vision.geometry import index_box
from vision.rows.join import RowJoiner, read_of_still
from vision.types import Reading, Reason


def pan(rng, laid, *, frames, width, dropped=0.1, wrong=0.03):
    """Readings of a camera that moves along a row and sees ``width`` millimetres of it."""
    scene = [placed for line in laid for placed in line]
    xs = np.array([p.corner[0] for p in scene])
    roll = rng.uniform(-0.6, 0.6)
    stops = np.linspace(xs.min(), xs.max(), frames)
    for centre in np.clip(stops, xs.min() + width / 3, xs.max() - width / 3) + rng.normal(0, 10):
        inside = [p for p, x in zip(scene, xs, strict=True) if abs(x - centre) < width / 2]
        inside = [p for p in inside if rng.random() > dropped]
        if not inside:
            continue
        camera = Camera.looking(
            corners_of(inside),
            tilt=rng.uniform(0, 0.6),
            azimuth=rng.uniform(0, 6),
            roll=roll + rng.normal(0, 0.05),
        )
        reads = mislabelled(rng, view(rng, inside, camera), wrong)
        yield Reading((1000, 1000), tuple(reads))


@pytest.mark.parametrize("lines", [1, 2])
def test_sweeps_are_joined(lines):
    for seed in range(8):
        rng = np.random.default_rng(1000 * lines + seed)
        style = RowStyle(lines=lines, pitch=rng.uniform(18, 35), jitter=2)
        laid = lay_row(rng, deal(rng, int(rng.integers(25, 53))), style)
        joiner = RowJoiner(least=2)
        for reading in pan(rng, laid, frames=40, width=12 * style.pitch):
            joiner.add(reading)
        assert list(joiner.result().cards) == [p.card for line in laid for p in line]


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_stills_in_any_order_are_joined(lines):
    for seed in range(5):
        rng = np.random.default_rng(7000 + 100 * lines + seed)
        style = RowStyle(
            lines=lines, pitch=rng.uniform(16, 35), jitter=2, bend=rng.uniform(0, 15), along=True
        )
        laid = lay_row(rng, deal(rng, int(rng.integers(24, 53))), style)
        scene = [placed for line in laid for placed in line]
        xs = np.array([p.corner[0] for p in scene])
        parts = int(rng.integers(2, 5))
        edges = np.linspace(xs.min() - 1, xs.max() + 1, parts + 1)
        over = (edges[1] - edges[0]) / 4
        joiner = RowJoiner()
        for k in rng.permutation(parts):
            shown = (xs > edges[k] - over) & (xs < edges[k + 1] + over)
            inside = [p for p, here in zip(scene, shown, strict=True) if here]
            joiner.add(reading_of(rng, inside, tilt=rng.uniform(0, 0.5), roll=rng.normal(0, 0.1)))
        row = joiner.result()
        assert list(row.cards) == [p.card for p in scene]
        assert sum(row.lines) == len(scene)
        assert row.doubtful == ()


def reading_of(rng, inside, *, tilt=0.2, roll=0.0):
    reads = photo_of(rng, inside, tilt=tilt, azimuth=rng.uniform(0, 6), roll=roll)
    return Reading((2000, 2000), tuple(reads))


def mistaken(reading, card, chance, other, confidence):
    """The same reading with one card read as another one, and as itself but with that chance."""
    reads = [
        replace(r, card=other, confidence=confidence, alternatives=((card, chance),))
        if r.card == card
        else r
        for r in reading.cards
    ]
    return replace(reading, cards=tuple(reads))


def doubted(reading, card, confidence):
    """The same reading with one card in doubt."""
    unsure = tuple(replace(r, confidence=confidence) for r in reading.cards if r.card == card)
    sure = tuple(r for r in reading.cards if r.card != card)
    return replace(reading, cards=sure, doubtful=unsure)


def row_of(seed, count=30, **style):
    """Chance, a row of one line, and its cards in their order."""
    rng = np.random.default_rng(seed)
    (line,) = lay_row(rng, deal(rng, count), RowStyle(**({"pitch": 25, "jitter": 2} | style)))
    return rng, line, [placed.card for placed in line]


def windows(line, width):
    """What a camera shows that passes along a line and rests at its ends: so many cards each."""
    starts = [0, 0, *range(len(line) - width + 1), len(line) - width, len(line) - width]
    return [line[k : k + width] for k in starts]


def joined(readings, **how):
    """The row of several pictures."""
    joiner = RowJoiner(**how)
    for reading in readings:
        joiner.add(reading)
    return joiner.result()


def swept(rng, shown, change=lambda reading: reading):
    """The row of a sweep that shows some cards in each picture; their readings may be changed."""
    return joined((change(reading_of(rng, inside)) for inside in shown), least=2)


def test_a_name_that_is_wrong_in_some_frames_loses_its_place():
    rng, line, names = row_of(11)
    other = next(card for card in deal(rng, 52) if card not in names)
    seen = count(1)

    def misread(reading):
        shows = any(r.card == names[14] for r in reading.cards)
        wrong = shows and next(seen) % 3 == 0
        return mistaken(reading, names[14], 0.02, other, 0.98) if wrong else reading

    row = swept(rng, windows(line, 10), misread)
    assert list(row.cards) == names
    assert 14 in row.doubtful


def test_what_always_stands_at_one_place_in_doubt_is_in_the_row_and_marked():
    rng, line, names = row_of(12)
    row = swept(rng, windows(line, 10), lambda reading: doubted(reading, names[9], 0.5))
    assert list(row.cards) == names
    assert row.doubtful == (9,)


def test_two_cards_that_read_alike_are_told_apart_by_exclusion():
    rng, line, names = row_of(13)
    row = swept(
        rng, windows(line, 10), lambda reading: mistaken(reading, names[22], 0.3, names[4], 0.7)
    )
    assert list(row.cards) == names
    assert 22 in row.doubtful


def test_what_always_reads_as_a_card_that_lies_elsewhere_is_no_other_card():
    """The foot of a card, half covered, reads as another one of the row and as nothing else."""
    rng, line, names = row_of(15)
    other = next(card for card in deal(rng, 52) if card not in names)
    x, y = line[12].corner
    foot = replace(line[12], card=other, corner=(x + 4, y + 55))
    shown = [[*part, foot] if line[12] in part else part for part in windows(line, 10)]
    row = swept(rng, shown, lambda reading: mistaken(reading, other, 0.03, names[11], 0.9))
    assert list(row.cards) == names


@pytest.mark.parametrize(("size", "found"), [(52, True), (40, False)])
def test_what_reads_as_a_card_far_away_is_the_last_one_of_a_whole_deck(size, found):
    rng, line, names = row_of(16, size)
    row = swept(
        rng, windows(line, 12), lambda reading: mistaken(reading, names[30], 0.05, names[20], 0.9)
    )
    assert list(row.cards) == [name for name in names if found or name != names[30]]
    assert row.doubtful == ((30,) if found else (20,))


@pytest.mark.parametrize(("size", "found"), [(52, True), (40, False)])
def test_the_last_card_of_a_deck_may_be_seen_but_once_where_one_is_wanting(size, found):
    rng, line, names = row_of(18, size)
    seen = count(1)

    def once(reading):
        """In the middle of the picture once, and never again."""
        shows = any(r.card == names[30] for r in reading.cards)
        if not shows or next(seen) == 6:
            return reading
        return replace(reading, cards=tuple(r for r in reading.cards if r.card != names[30]))

    row = swept(rng, windows(line, 12), once)
    assert list(row.cards) == [name for name in names if found or name != names[30]]
    assert row.doubtful == ((30,) if found else ())


@pytest.mark.parametrize(("size", "found"), [(52, True), (46, False)])
def test_the_one_card_that_is_wanting_may_be_half_covered(size, found):
    """It lies nearer to the next card than others do, and is doubtful in all pictures but one."""
    rng, line, names = row_of(21, size, jitter=1)
    x, y = line[31].corner
    line[30] = replace(line[30], corner=(x - 8, y), angle=line[31].angle)
    seen = count(1)

    def half_covered(reading):
        shows = any(r.card == names[30] for r in reading.cards)
        return doubted(reading, names[30], 0.6) if shows and next(seen) != 6 else reading

    row = swept(rng, windows(line, 12), half_covered)
    assert list(row.cards) == [name for name in names if found or name != names[30]]
    assert row.doubtful == ((30,) if found else ())


def test_of_two_places_of_one_name_the_one_that_is_seen_oftener_is_the_card():
    rng, line, names = row_of(17)
    x, y = line[12].corner
    ghost = replace(line[12], corner=(x + 4, y + 55))
    # The ghost beside the card, in every other picture.
    shown = [
        [*part, ghost] if line[12] in part and k % 2 else part
        for k, part in enumerate(windows(line, 14))
    ]
    row = swept(rng, shown)
    assert list(row.cards) == names
    assert 12 not in row.doubtful


def test_what_is_read_now_and_then_only_is_no_card():
    rng, line, names = row_of(14)
    pip = next(card for card in deal(rng, 52) if card not in names)
    x, y = line[12].corner
    ghost = replace(line[12], card=pip, corner=(x + 8, y + 32))
    shown = [[*part, ghost] if k in (6, 11) else part for k, part in enumerate(windows(line, 10))]
    assert list(swept(rng, shown).cards) == names


def test_frames_that_cut_the_upper_edge_off_do_not_turn_the_row_about():
    rng, line, names = row_of(15, four=True)
    shown = windows(line, 12)
    for k in range(3, len(shown), 4):
        shown[k] = [
            replace(p, corners_seen=("bl",)) if n % 4 else p for n, p in enumerate(shown[k])
        ]
    row = swept(rng, shown)
    assert list(row.cards) == names
    assert row.lines == (30,)


def test_parts_that_share_nothing_are_marked_where_they_meet():
    rng, line, names = row_of(16, 20, pitch=30, jitter=3)
    row = joined(reading_of(rng, part) for part in (line[:9], line[9:]))
    assert list(row.cards) == names
    assert row.doubtful == (8, 9)


def test_rows_of_two_packs_are_joined_with_both_copies():
    for seed in range(5):
        rng = np.random.default_rng(4000 + seed)
        cards = deal(rng, 22)
        cards += [cards[k] for k in rng.permutation(22)[:6]]
        (line,) = lay_row(rng, cards, RowStyle(pitch=rng.uniform(18, 35), jitter=2))
        parts = (reading_of(rng, part) for part in (line[:18], line[10:]))
        assert list(joined(parts, whole=104, copies=2).cards) == cards


def test_what_lies_there_once_more_stands_in_the_row_of_a_still_and_is_marked():
    reading = still_row("2S 6H 5C 9D KH", {"KH": (0.84,)})
    again = replace(reading.doubtful[0], card=card("6H"), reason=Reason.COPIES)
    row = read_of_still(replace(reading, doubtful=(again,)))
    assert [c.code for c in row.cards] == ["2S", "6H", "5C", "9D", "6H"]
    assert row.doubtful == (4,)
    other = replace(again, reason=Reason.CHANCE)  # a corner of a card, for all that is known
    assert len(read_of_still(replace(reading, doubtful=(other,))).cards) == 4


def still_row(codes, doubtful):
    """A still of a row, the doubtful ones of its cards with their confidence and other names."""
    rng = np.random.default_rng(4)
    laid = lay_row(rng, list(parse_cards(codes)), RowStyle(pitch=30))
    reads = view(rng, laid[0], Camera.looking(corners_of(laid[0]), tilt=0, azimuth=0, roll=0))
    return Reading(
        (1000, 1000),
        tuple(r for r in reads if r.card.code not in doubtful),
        tuple(
            replace(r, confidence=doubtful[r.card.code][0], alternatives=doubtful[r.card.code][1:])
            for r in reads
            if r.card.code in doubtful
        ),
    )


ROW = "2S 6H 5D 4C 7S 9D KH 3S"


@pytest.mark.parametrize(
    ("unsure", "stands"),
    [
        ({"5D": (0.5,)}, True),
        ({"4C": (0.35,)}, True),  # faint, but a card is wanting there
        ({"4C": (0.25,)}, False),
        ({"3S": (0.35,)}, False),  # none is wanting beyond the end
        ({"3S": (0.48, (card("3C"), 0.45))}, True),  # one of the two it is
    ],
)
def test_a_still_shows_a_faint_card_where_it_must_be_one(unsure, stands):
    row = read_of_still(still_row(ROW, unsure))
    (name,) = unsure
    assert [c.code for c in row.cards] == [c for c in ROW.split() if stands or c != name]
    assert row.doubtful == ((ROW.split().index(name),) if stands else ())


def test_of_an_almost_whole_deck_the_last_card_is_taken_however_faint():
    codes = [c.code for c in DECK]
    row = read_of_still(still_row(" ".join(codes), {"8D": (0.15,)}))
    assert [c.code for c in row.cards] == codes
    assert row.doubtful == (codes.index("8D"),)


@pytest.mark.parametrize(("chance", "stands"), [(0.35, True), (0.2, False)])
@pytest.mark.parametrize("name", ["first", "last"])
def test_of_an_almost_whole_deck_the_card_at_an_end_may_be_faint(chance, stands, name):
    codes = [c.code for c in DECK]
    end = codes[0] if name == "first" else codes[-1]
    row = read_of_still(still_row(" ".join(codes), {end: (chance,)}))
    assert [c.code for c in row.cards] == [c for c in codes if stands or c != end]


@pytest.mark.parametrize(
    ("codes", "stands"), [([c.code for c in DECK], True), (ROW.split(), False)]
)
def test_the_one_card_that_is_wanting_in_a_still_may_stand_close_to_the_one_before(codes, stands):
    reading = still_row(" ".join(codes), {codes[4]: (0.6,)})
    before = next(r for r in reading.cards if r.card.code == codes[3]).indices[0]
    (read,) = reading.doubtful
    index = read.indices[0]
    near = np.array(before.centre) + 0.45 * index.size * np.array(
        [before.direction[1], -before.direction[0]]
    )
    close = replace(read, indices=(replace(index, centre=tuple(near)),))
    row = read_of_still(replace(reading, doubtful=(close,)))
    assert [c.code for c in row.cards] == [c for c in codes if stands or c != codes[4]]


def test_a_faint_joker_is_none_of_an_almost_whole_deck():
    codes = [c.code for c in DECK]
    reading = still_row(" ".join(codes), {codes[-1]: (0.35,)})
    joker = replace(reading.doubtful[0], card=card("JK1"))
    row = read_of_still(replace(reading, doubtful=(joker,)))
    assert [c.code for c in row.cards] == codes[:-1]


def test_what_is_alone_beside_a_row_is_none_of_its_cards_unless_it_is_sure():
    reading = still_row(ROW, {"3S": (0.84,)})
    (last,) = reading.doubtful
    index = last.indices[0]
    far = replace(index, centre=(index.centre[0], index.centre[1] + 8 * index.size))
    off = replace(last, indices=(far,), quad=index_box(far), outlined=False)
    row = read_of_still(replace(reading, doubtful=(off,)))
    assert [c.code for c in row.cards] == ROW.split()[:-1]
    sure = replace(reading, cards=(*reading.cards, replace(off, confidence=0.99)), doubtful=())
    assert {c.code for c in read_of_still(sure).cards} == set(ROW.split())


def test_nothing_read_is_an_empty_row():
    assert RowJoiner().result().cards == ()
    assert read_of_still(Reading((10, 10))).changes == ""


@pytest.mark.parametrize("seed", range(3))
def test_what_is_laid_last_is_kept_where_the_row_grows(seed):
    """Two cards are there in the last few of many pictures only."""
    rng = np.random.default_rng(seed)
    style = RowStyle(jitter=1.0, turn=0.02)
    scene = [p for line in lay_row(rng, deal(rng, 10), style) for p in line]
    joiner = RowJoiner(least=2, growing=True)
    for picture in range(20):
        there = scene if picture > 16 else scene[:8]
        camera = Camera.looking(corners_of(scene), tilt=0.2, azimuth=1.0, roll=0.05)
        joiner.add(Reading((2000, 2000), tuple(view(rng, there, camera))))
    assert list(joiner.result().cards) == [p.card for p in scene]
