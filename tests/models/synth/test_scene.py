"""The synthesiser's labels are where the indices are."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from models.labels import GLYPH_ID, JOKER, NO_SUIT, SUIT_ID
from models.synth.camera import face_homography, project, table_homography
from models.synth.drawn import HEIGHT, OTHER_PIPS, borrow_court, random_style, write_deck
from models.synth.faces import FaceDeck, load_deck
from models.synth.layouts import LAYOUTS, Placement, random_table
from models.synth.own import Workshop, own_deck
from models.synth.scene import Props, render_scene
from models.synth.style import STANDARD_PIPS

SIZE = (800, 600)


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> FaceDeck:
    folder = tmp_path_factory.mktemp("drawn")
    write_deck(folder / "deck", 5, [])
    return load_deck(folder / "deck")


def face(deck: FaceDeck, name: str):
    return next(c for c in deck.cards if c.name == name)


def test_a_drawn_deck_has_52_marked_faces_two_jokers_and_a_back(deck: FaceDeck):
    assert len({c.name for c in deck.cards}) == 54
    assert all(len(c.indices) in (2, 4) for c in deck.cards)
    assert len(deck.backs) == 1


@pytest.mark.parametrize("seed", range(12))
def test_a_jokers_marks_hold_its_ink_and_bear_no_suit(seed: int):
    joker = own_deck(np.random.default_rng(seed), Workshop()).cards[-1]
    image = joker.image()
    height, width = image.shape[:2]
    assert [(m.glyph, m.suit) for m in joker.indices] == [(JOKER, NO_SUIT)] * 2
    for mark in joker.indices:
        upper, lower = sorted((mark.rank_box, mark.suit_box), key=lambda box: box[1])
        x0, y0, x1, y1 = upper[0], upper[1], upper[2], lower[3]
        assert 0 <= x0 < x1 <= width
        assert 0 <= y0 < upper[3] < y1 <= height
        assert upper[3] == pytest.approx(lower[1])
        inside = image[round(y0) : round(y1), round(x0) : round(x1), :3].astype(int)
        assert np.ptp(inside, axis=(0, 1)).max() > 30
        # One pixel further out all is paper.
        row = image[round(y0) - 2, round(x0) : round(x1), :3].astype(int)
        assert np.ptp(row, axis=0).max() == 0
    assert joker.indices[0].angle == 0
    assert joker.indices[1].angle == 180


def test_letters_that_a_font_lacks_are_not_asked_of_it():
    for seed in range(60):
        style = random_style(np.random.default_rng(seed), [])
        assert style.glyphs == {}


def test_the_same_seed_draws_the_same_deck(deck: FaceDeck, tmp_path: Path):
    write_deck(tmp_path / "again", 5, [])
    again = load_deck(tmp_path / "again")
    assert np.array_equal(face(again, "QD").image(), face(deck, "QD").image())


def test_a_borrowed_court_is_of_the_cards_suit(tmp_path: Path):
    courts = []
    for value, suit in zip((40, 90, 140, 190), "SHDC", strict=True):
        courts.append(tmp_path / f"Q{suit}.png")
        cv2.imwrite(str(courts[-1]), np.full((90, 60, 3), value, np.uint8))
    rng = np.random.default_rng(2)
    for value, suit in zip((40, 90, 140, 190), "SHDC", strict=True):
        lent = [borrow_court(courts, rng, suit) for _ in range(40)]
        assert {int(art.mean()) for art in lent if art is not None} == {value}
        assert any(art is None for art in lent)
    of_any = [borrow_court(courts, rng) for _ in range(60)]
    assert len({art.mean() for art in of_any if art is not None}) == 4


def test_straight_down_view_measures_millimetres():
    h = table_homography(*SIZE, extent=300.0, tilt=0.0, roll=0.0)
    (x0, y0), (x1, y1) = project(h, [(0, 0), (30, -45)])
    assert (x0, y0) == pytest.approx((400, 300))
    assert (x1 - x0, y1 - y0) == pytest.approx((60, -90))
    corner = project(face_homography(h, Placement(0, 0, 0), 350, HEIGHT), [(0, 0)])[0]
    assert corner[1] == pytest.approx(300 - 88)


def test_labels_of_a_lone_card(deck: FaceDeck):
    card = face(deck, "7C")
    rng = np.random.default_rng(1)
    scene = render_scene(
        rng,
        [deck],
        Props(),
        table=[Placement(0, 0, 0.0)],
        cards=[card],
        size=SIZE,
        px_per_mm=4.0,
        tilt=0.0,
    )
    upright = scene.labels[scene.labels[:, 3] > 0.9]
    assert len(upright) == len(scene.labels) / 2
    first = upright[np.argmin(upright[:, 0])]
    mark = card.indices[0]
    px = 4.0 * 88 / HEIGHT
    assert first[4] == pytest.approx((mark.suit_box[3] - mark.rank_box[1]) * px, rel=0.01)
    assert int(first[5]) == GLYPH_ID["7"]
    assert int(first[6]) == SUIT_ID["C"]
    assert scene.quads[0, 0] == pytest.approx([400 - 4 * 63 / 2, 300 - 4 * 44], abs=3)


def test_a_covering_card_hides_the_index_below(deck: FaceDeck):
    rng = np.random.default_rng(2)
    below, above = face(deck, "2H"), face(deck, "9S")
    hidden = []
    for step in (0.0, 30.0):
        scene = render_scene(
            rng, [deck], Props(), table=[Placement(0, 0, 0), Placement(step, 0, 0)],
            cards=[below, above],
            size=SIZE, px_per_mm=3.0, tilt=0.0,
        )  # fmt: skip
        rows = scene.labels[(scene.labels[:, 9] == 0) & (scene.labels[:, 3] > 0)]
        leading = rows[np.argmin(rows[:, 0])]
        hidden.append(leading[7])
        top = scene.labels[scene.labels[:, 9] == 1]
        if not [*top]:
            raise AssertionError("the upper card has no labels")
    assert hidden[0] == 0
    assert hidden[1] > 0.95


@pytest.mark.parametrize("kind", [k for _, k in LAYOUTS], ids=lambda k: k.__name__)
def test_layouts_place_cards_about_the_origin(kind):
    rng = np.random.default_rng(3)
    for _ in range(20):
        group = kind(rng)
        assert 1 <= len(group) <= 60
        assert all(abs(p.x) < 1500 and abs(p.y) < 1500 for p in group)


def test_a_table_holds_at_most_a_deck():
    rng = np.random.default_rng(4)
    assert max(len(random_table(rng)) for _ in range(60)) <= 52


def test_scenes_are_repeatable(deck: FaceDeck):
    a, b = (render_scene(np.random.default_rng(9), [deck], Props()) for _ in range(2))
    assert np.array_equal(a.image, b.image)
    assert np.array_equal(a.labels, b.labels)


def test_every_way_to_lay_pips_has_as_many_as_the_card_says():
    for number, ways in [*((n, [way]) for n, way in STANDARD_PIPS.items()), *OTHER_PIPS.items()]:
        for side, middle in ways:
            assert 2 * side + len(middle) == number
            assert sorted(round(1 - row, 6) for row in middle) == [round(r, 6) for r in middle] or (
                number == 7
            ), "all but the seven look the same from both ends"


def test_decks_lay_their_pips_in_several_ways():
    styles = [random_style(np.random.default_rng(seed), []) for seed in range(60)]
    ways = {style.pips[8] for style in styles}
    assert ways == {STANDARD_PIPS[8], *OTHER_PIPS[8]}
    assert sum(style.pips[8] == STANDARD_PIPS[8] for style in styles) > 30
