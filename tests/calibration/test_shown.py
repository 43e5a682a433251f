"""The decks' drawings composed for a screen: told apart when small, nothing cut, one source."""

from itertools import combinations

import numpy as np
import pytest

from calibration.printing import faces, shown, standard
from calibration.printing.curves import flattened, rasterised
from companion.cards import Card, Family, card, family_cards, unknown

#: Pixels of a card on a phone of the least density, and of a key.
THUMB = 48


def cards(family: Family) -> tuple[Card, ...]:
    if family is Family.COIN:
        codes = [*(f"{v}?" for v in "0A2345"), *(f"?{s}" for s in "SMCH")]
        return tuple(card(code, family) for code in codes)
    return family_cards(family)


def grey(drawing) -> np.ndarray:
    picture = rasterised(drawing, THUMB / drawing.size[0], 4).astype(float)
    return picture[..., :3] * picture[..., 3:] / 255


@pytest.mark.parametrize("family", Family)
@pytest.mark.parametrize("draw", [shown.shown_face, lambda c: shown.key_face(c, ratio=1.0)])
def test_no_two_cards_look_alike(family, draw):
    pictures = [grey(draw(c)) for c in (*cards(family), unknown(family))]
    for one, other in combinations(pictures, 2):
        apart = np.abs(one - other).max(2) > 60
        assert apart.sum() >= 20  # pixels of 48 by 48 or more


@pytest.mark.parametrize("family", Family)
@pytest.mark.parametrize("draw", [shown.shown_face, lambda c: shown.key_face(c, ratio=0.8)])
def test_nothing_reaches_beyond_the_edge(family, draw):
    for one in (*cards(family), unknown(family)):
        drawing = draw(one)
        for mark in drawing.marks:
            points = np.concatenate([flattened(c) for c in mark.contours])
            pen = (mark.width or 0) / 2
            assert points.min() >= pen - 0.05, one
            assert (points.max(0) <= np.array(drawing.size) - pen + 0.05).all(), one


def test_a_rank_is_far_higher_than_printed():
    def height(drawing) -> float:
        """Of the first thing that is written on a 7: its rank."""
        pen = next(mark for mark in drawing.marks if mark.width is not None)
        y = np.concatenate(pen.contours)[:, 1]
        return float(y.max() - y.min())

    seven = card("7S")
    assert height(shown.shown_face(seven)) >= 2.4 * height(standard.face(seven))


def test_court_tiles_and_suspense_are_the_printed_drawings():
    king = card("KH")
    printed = standard.court(13, "H", standard.ink_of(king))
    drawn = {c.tobytes() for m in shown.shown_face(king).marks for c in m.contours}
    moved = [m.moved(np.array([[1, 0, 9.5], [0, 1, 0]])) for m in printed]
    assert {c.tobytes() for m in moved for c in m.contours} <= drawn
    tile = shown.shown_face(card("3M", Family.TILE))
    assert np.array_equal(grey(tile), grey(faces.printable("piecepack-tiles").faces["3M"]))
    black = shown.shown_face(card("B4", Family.SUSPENSE))
    assert np.array_equal(grey(black), grey(faces.printable("suspense").faces["B4"]))
    assert shown.shown_back(Family.STANDARD).marks[1].colour == standard.BLUE


def test_a_coin_shows_the_side_that_is_known():
    value, suit = card("3?", Family.COIN), card("?C", Family.COIN)
    printed = faces.printable("piecepack-coins").faces
    assert np.array_equal(grey(shown.shown_face(value)), grey(printed["3?"]))
    assert np.array_equal(grey(shown.shown_face(suit)), grey(printed["?C"]))


def test_four_colours_change_the_ink_alone():
    club = card("7C")
    black, green = grey(shown.shown_face(club)), grey(shown.shown_face(club, ink=(10, 101, 41)))
    changed = np.abs(black - green).max(2) > 20
    assert changed.any()
    assert (black[changed].max(1) < 250).all()  # only where there was ink
