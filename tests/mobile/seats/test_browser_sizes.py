"""Seat pages on small phones and on phones held sideways: what is needed is in the first screen."""

import pytest

from tests.mobile.seats.browser import Screen, needs_browser
from tests.mobile.seats.hosting import hosted
from tests.mobile.seats.looks import CHECKS

pytestmark = [needs_browser(), pytest.mark.browser]

FOUR = ["Ann", "Bo", "Cy", "Dee"]
THIRTEEN = "Ann*: hand 7H 6S 6H 4H AD 7D JC QS 10S 5S 10D 2H KH"
LOW, SIDEWAYS, USUAL = (360, 640), (844, 390), (390, 844)
#: How many choices of cards can be touched as they stand, whole and with nothing over them.
_WHOLE = """() => [...document.querySelectorAll('#do label.choice')].filter((one) => {
  const box = one.getBoundingClientRect();
  const middle = box.x + box.width / 2;
  return [box.top + 4, box.bottom - 4].every((y) =>
    one.contains(document.elementFromPoint(middle, y)));
}).length"""
_LINES = """() => [...document.querySelectorAll('#do .word')].map((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  return range.getClientRects().length;
})"""
#: How far down the first screen an element reaches.
_ENDS = "(one) => one.getBoundingClientRect().bottom - innerHeight"


def turn(screen, size):
    screen.page.set_viewport_size({"width": size[0], "height": size[1]})
    screen.page.evaluate("scrollTo(0, 0)")


def seat(running, table, name):
    number = table.session.setup.players.index(name)
    screen = Screen(running, table.urls["seats"][name], number).sit_down()
    screen.page.locator("#sheet p:not(.quiet)").first.wait_for()
    return screen


def across(screen, parts):
    """How many stand in each row of a grid."""
    tops = [one.bounding_box()["y"] for one in screen.page.locator(parts).all()]
    return [tops.count(top) for top in dict.fromkeys(tops)]


def test_a_hand_is_entered_and_a_bid_is_made_on_a_small_phone_and_on_one_held_sideways(
    running, tmp_path
):
    with hosted(tmp_path, "spades", FOUR, {"starter": "Ann"}, secure=True) as table:
        ann = seat(running, table, "Ann")
        ann.tap(ann.page.locator("#do .lead summary"))
        for size, least in ((LOW, 5), (SIDEWAYS, 7), (USUAL, 26)):
            turn(ann, size)
            assert ann.page.evaluate(_WHOLE) >= least, size
            button = ann.page.locator("#do .lead button[type=submit]")
            assert button.evaluate(_ENDS) <= 0, size
        for size, rows in ((LOW, [7, 6]), ((320, 640), [5, 5, 3]), ((600, 844), [7, 6])):
            turn(ann, size)
            assert across(ann, "#sheet .band:first-child .cell") == rows, "no card stands alone"
        table.record(THIRTEEN)
        ann.wait_for_state(1)
        for size in (SIDEWAYS, LOW, USUAL):
            turn(ann, size)
            assert ann.page.locator("#hand .card").first.evaluate(_ENDS) <= 0, size
            lines = ann.page.evaluate(_LINES)
            assert (len(lines), set(lines)) == (14, {1}), "a number stands in one line"
        turn(ann, SIDEWAYS)
        assert ann.page.evaluate(CHECKS) == []
        # They stand sorted, whatever the order in which they were entered.
        names = ann.page.locator("#hand .sr").all_text_contents()
        assert names[:4] == ["5 of Spades", "6 of Spades", "10 of Spades", "Queen of Spades"]
        assert names[-1] == "Jack of Clubs"
        assert ann.faults == []


def test_a_long_hand_shows_every_suit_on_a_small_phone(running, tmp_path):
    with hosted(tmp_path, "precognition", FOUR[:3], secure=True) as table:
        hand = "2S 6S 10S AH 6H 8H 9H KH 2D 6D 9D 3C 4C 5C 6C 9C JC"
        for line in ("Ann*: predict UD", "Bo*: predict UD", "Cy*: predict UD", f"Bo*: hand {hand}"):
            table.record(line)
        bo = seat(running, table, "Bo")
        turn(bo, LOW)
        suits = [one.bounding_box() for one in bo.page.locator("#hand .card i").all()]
        cards = [one.bounding_box() for one in bo.page.locator("#hand .card").all()]
        assert len(cards) == 17
        assert max(one["y"] + one["height"] for one in suits[:10]) <= cards[10]["y"] + 2
