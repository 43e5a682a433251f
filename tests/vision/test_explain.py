"""What the stages of a reading did, kept and told in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.cards import card
from companion.decks import get_deck
from tests.vision.layouts import candidates, read_of, readings
from vision.bench import SCENES
from vision.cards.reads import card_reads
from vision.explain import explanation
from vision.images.loading import load_image
from vision.reader import Reader
from vision.scene import Scene, Stage, passed_through, scene_of, trace
from vision.types import Reason, Status

DOWN = np.array([0.0, 30.0])


def lone(name: str, x: float, confidence: float):
    return read_of(card(name), [(np.array([x, 60.0]), DOWN)], confidence=confidence)


def picture(found, names, **known) -> Scene:
    """A picture with these candidates, as if they had been found and named."""
    scene = scene_of(np.zeros((90, 900, 3), np.uint8), get_deck())
    return replace(scene, found=found, names=names, **known)


def test_an_index_is_followed_through_the_stages_that_changed_it():
    found = candidates((60, 60, 30), (200, 60, 30))
    read = lone("3H", 60, 0.9)
    first, second, third = (
        readings(("8H", 0.6), ("KS", 0.9)),
        readings(("8H", 0.6), ("KS", 0.99)),
        readings(("3H", 0.9), ("KS", 0.99)),
    )
    stages = [
        Stage("first", lambda scene: replace(scene, found=found, names=first)),
        Stage("second", lambda scene: replace(scene, names=second)),
        Stage("third", lambda scene: replace(scene, names=third)),
        Stage("fourth", lambda scene: replace(scene, cards=(read,))),
        Stage("nothing new", lambda scene: scene),
    ]
    scene = passed_through(stages, picture(candidates(), readings()))
    assert [step.words for step in scene.steps] == ["first", "second", "third", "fourth"]
    assert [(c.stage, c.name, c.status) for c in trace(scene, read.indices[0])] == [
        ("first", "8H", None),
        ("third", "3H", None),
        ("fourth", "3H", Status.ACCEPTED),
    ]
    assert list(trace(scene, lone("3H", 400, 0.9).indices[0])) == []


def test_every_card_and_every_doubtful_place_is_told_of_with_a_reason():
    found = candidates((60, 60, 30), (200, 60, 30), (300, 60, 30), (400, 60, 30))
    names = readings(("8H", 0.99), ("KS", 0.5), ("8H", 0.9), ("9C", 0.3))
    doubt = lone("KS", 200, 0.5).held_back(Reason.RIVAL, accept=0.85)
    given_up = lone("2D", 300, 0.9).held_back(Reason.OTHER_END, accept=0.85)
    done = picture(
        found, names, cards=(lone("8H", 60, 0.99),), doubtful=(doubt,), refused=(given_up,)
    )
    stage = Stage("at first sight", lambda _: replace(done, deck=get_deck("german")))
    text = explanation(passed_through([stage], done), factor=2.0)
    first, *lines = text.splitlines()
    assert "German" in first
    assert "looked at again" not in first
    assert lines[0].startswith("8H  accepted, 0.99: it is sure.")
    assert "index at 120, 120, 60 px high: 8H 0.99 at first sight" in lines[1]
    assert "accepted as 8H 0.99 at first sight" in lines[1]
    assert "KS  doubtful, 0.50: it may as well be another card." in text
    assert "2D  refused, 0.84: it is the other end of a surer card." in text
    assert "?   at 800, 120, 60 px high: 9C 0.30" in text


def test_a_real_reading_is_told_whole_and_every_card_is_followed_to_its_acceptance():
    image = load_image(SCENES / "five.jpg").pixels
    reader = Reader(threads=1)
    plain, scene = reader.read(image), reader.look(image)
    assert plain.cards == scene.reading.cards
    assert {r.reason for r in scene.cards} == {Reason.SURE}
    text = explanation(scene)
    for read in scene.cards:
        assert f"{read.card.code}  accepted" in text
        *_, last = trace(scene, read.indices[0])
        assert (last.name, last.status) == (read.card.code, Status.ACCEPTED)
    assert text.count("px high") >= sum(len(read.indices) for read in scene.cards)


def test_the_stages_of_a_still_of_a_row_are_those_of_a_still_and_one_more():
    modes = Reader(threads=1).modes
    assert modes.row[:-1] == modes.still
    assert "row" in modes.row[-1].words


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ([("9C", 0.5)], Reason.CHANCE),
        ([("9C", 0.9)], Reason.LONELY),
    ],
)
def test_what_is_in_doubt_has_a_reason(named, reason):
    found = candidates(*((60 + 400 * k, 60, 30) for k in range(len(named))))
    _, (doubt,), _ = card_reads(found, readings(*named), accept=0.85, doubt=0.2)
    assert doubt.reason is reason


def test_what_is_given_up_is_collected_with_its_reason():
    found = candidates((60, 60, 30), (700, 60, 30))
    *_, refused = card_reads(found, readings(("9C", 0.9), ("9C", 0.9)), accept=0.85, doubt=0.2)
    # So far away that it is no corner of the other.
    assert [(r.card.code, r.reason) for r in refused] == [("9C", Reason.COPIES)]
    found = candidates((60, 60, 30), (160, 60, 30))
    *_, refused = card_reads(found, readings(("9C", 0.9), ("9C", 0.8)), accept=0.85, doubt=0.2)
    assert all(r.reason is Reason.NAME_TAKEN for r in refused)


def test_a_further_corner_of_a_card_that_is_read_is_no_open_place():
    found = candidates((60, 60, 30), (300, 60, 30))
    names = readings(("8H", 0.99), ("8H", 0.9))
    assert "?" not in explanation(picture(found, names, cards=(lone("8H", 60, 0.99),)))
