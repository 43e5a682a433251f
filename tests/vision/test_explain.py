"""What the stages of a reading did, kept and told in words."""

from __future__ import annotations

import numpy as np
import pytest

from companion.cards import card
from tests.vision.layouts import read_of
from tests.vision.test_search_again import candidates, readings
from vision.bench import SCENES
from vision.explain import explanation
from vision.fuse import card_reads
from vision.images import load_image
from vision.read import Reader
from vision.trace import Trace
from vision.types import Reading, Reason

DOWN = np.array([0.0, 30.0])


def lone(name: str, x: float, confidence: float):
    return read_of(card(name), [(np.array([x, 60.0]), DOWN)], confidence=confidence)


def test_an_index_is_followed_through_the_stages_that_changed_it():
    trace, found = Trace(), candidates((60, 60, 30), (200, 60, 30))
    trace.note("first", found, readings(("8H", 0.6), ("KS", 0.9)))
    trace.note("second", found, readings(("8H", 0.6), ("KS", 0.99)))
    trace.note("third", found, readings(("3H", 0.9), ("KS", 0.99)))
    (index,) = lone("3H", 60, 0.9).indices
    assert [(stage, name) for stage, name, _ in trace.history(index)] == [
        ("first", "8H"),
        ("third", "3H"),
    ]
    (elsewhere,) = lone("3H", 400, 0.9).indices
    assert list(trace.history(elsewhere)) == []


def test_every_card_and_every_doubtful_place_is_told_of_with_a_reason():
    trace, found = Trace(), candidates((60, 60, 30), (200, 60, 30), (300, 60, 30), (400, 60, 30))
    trace.begin()
    trace.note(
        "at first sight", found, readings(("8H", 0.99), ("KS", 0.5), ("8H", 0.9), ("9C", 0.3))
    )
    doubt = lone("KS", 200, 0.5).held_back(Reason.RIVAL, accept=0.85)
    trace.refused = [lone("2D", 300, 0.9).held_back(Reason.OTHER_END, accept=0.85)]
    reading = Reading((900, 90), (lone("8H", 60, 0.99),), (doubt,), deck="german")
    text = explanation(reading, trace, factor=2.0)
    first, *lines = text.splitlines()
    assert "German" in first
    assert "looked at again" not in first
    assert lines[0].startswith("8H  accepted, 0.99: it is sure.")
    assert "index at 120, 120, 60 px high: 8H 0.99 at first sight" in lines[1]
    assert "KS  doubtful, 0.50: it may as well be another card." in text
    assert "2D  refused, 0.84: it is the other end of a surer card." in text
    assert "?   at 800, 120, 60 px high: 9C 0.30" in text


def test_a_further_corner_of_a_card_is_no_news():
    trace = Trace()
    trace.refused = [lone("8H", 300, 0.9).held_back(Reason.CORNER, accept=0.85)]
    reading = Reading((900, 90), (lone("8H", 60, 0.99),))
    assert "refused" not in explanation(reading, trace)


def test_a_real_reading_is_told_whole_and_is_the_same_as_without():
    image = load_image(SCENES / "five.jpg").pixels
    reader, trace = Reader(threads=1), Trace()
    plain, told = reader.read(image), reader.traced(trace).read(image)
    assert [r.card for r in plain.cards] == [r.card for r in told.cards]
    assert {r.reason for r in told.cards} == {Reason.SURE}
    text = explanation(told, trace)
    for read in told.cards:
        assert f"{read.card.code}  accepted" in text
    assert text.count("px high") >= sum(len(read.indices) for read in told.cards)
    reader.read(image)
    assert explanation(told, trace) == text, "another reading is no business of this trace"


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ([("9C", 0.5)], Reason.CHANCE),
        ([("9C", 0.9)], Reason.LONELY),
    ],
)
def test_what_is_in_doubt_has_a_reason(named, reason):
    found = candidates(*((60 + 400 * k, 60, 30) for k in range(len(named))))
    _, (doubt,) = card_reads(found, readings(*named), accept=0.85, doubt=0.2)
    assert doubt.reason is reason


def test_what_is_given_up_is_collected_with_its_reason():
    found, refused = candidates((60, 60, 30), (700, 60, 30)), []
    card_reads(found, readings(("9C", 0.9), ("9C", 0.9)), accept=0.85, doubt=0.2, refused=refused)
    assert [(r.card.code, r.reason) for r in refused] == [("9C", Reason.NAME_TAKEN)]
