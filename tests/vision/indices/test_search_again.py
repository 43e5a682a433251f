"""What is searched once more, and what of it is believed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.cards import card
from companion.decks import get_deck
from tests.vision.layouts import read_of
from vision.bench import SCENES
from vision.images.loading import load_image
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates, Locator
from vision.indices.naming import Namer
from vision.indices.search_again import joined, near_to, open_places, unsure_of
from vision.reader import Reader
from vision.settings import STILL
from vision.stages import Limits
from vision.types import RANK_LABELS, SUIT_LABELS

DOWN = np.array([0.0, 30.0])


def candidates(*rows: tuple[float, float, float]) -> Candidates:
    """Rows of x, y and size; all upright."""
    r = np.array(rows, np.float32).reshape(-1, 3)
    down = np.tile(np.float32([0, 1]), (len(r), 1))
    return Candidates(r[:, :2], down, r[:, 2], np.full(len(r), 0.8, np.float32))


def readings(*named: tuple[str, float]) -> Hypotheses:
    """Each is that card with that chance, and otherwise none."""
    ranks = np.zeros((len(named), len(RANK_LABELS)), np.float32)
    suits = np.zeros((len(named), len(SUIT_LABELS)), np.float32)
    for k, (name, chance) in enumerate(named):
        rank = RANK_LABELS.index("joker") if name == "JK" else int(card(name).rank) - 1
        ranks[k, rank], ranks[k, RANK_LABELS.index("none")] = chance, 1 - chance
        suits[k, SUIT_LABELS.index(name[-1]) if name != "JK" else -1] = 1
    return Hypotheses(get_deck(), ranks, suits)


def lone(name: str, confidence: float, x: float = 60.0):
    return read_of(card(name), [(np.array([x, 60.0]), DOWN)], confidence=confidence)


def test_what_may_be_a_card_and_was_not_read_is_open():
    found = candidates((60, 60, 30), (66, 62, 30), (300, 60, 30), (400, 60, 30), (500, 60, 30))
    hypotheses = readings(("7H", 0.99), ("7D", 0.5), ("8S", 0.6), ("9C", 0.05), ("JK", 0.4))
    places = open_places(found, hypotheses, [lone("7H", 0.99)])
    assert places.centre[:, 0].tolist() == [300, 500]


def test_where_nothing_was_read_all_is_open_that_may_be_a_card():
    found = candidates((60, 60, 30), (300, 60, 30))
    assert len(open_places(found, readings(("7H", 0.5), ("8S", 0.02)), [])) == 1
    assert len(open_places(candidates(), readings(), [])) == 0


def test_an_index_stands_within_reach_of_the_place_that_shows_it():
    places = candidates((100, 100, 20), (500, 100, 60))
    found = candidates((140, 100, 30), (170, 100, 30), (500, 240, 30), (10, 10, 30))
    assert near_to(found, places).tolist() == [True, False, True, False]


def test_of_two_poses_of_an_index_that_which_reads_better_stands():
    first = candidates((100, 100, 40), (300, 100, 40)), readings(("6C", 0.6), ("KD", 0.9))
    second = candidates((102, 101, 36), (298, 100, 36)), readings(("8C", 0.97), ("JD", 0.7))
    found, hypotheses = joined(first, second)
    names = {
        str(hypotheses.cards[k]): float(p)
        for k, p in zip(hypotheses.best, hypotheses.score, strict=True)
    }
    assert names == pytest.approx({"8C": 0.97, "KD": 0.9})
    assert len(found) == 2


def test_one_index_that_only_the_further_search_accepts_must_be_surer():
    two = read_of(
        card("9D"),
        [(np.array([500.0, 60]), DOWN), (np.array([560.0, 160]), -DOWN)],
        confidence=0.86,
    )
    cards = (lone("7H", 0.86), lone("8S", 0.88, 200), lone("KC", 0.93, 300), two)
    kept, (asked,) = unsure_of(cards, [lone("7H", 0.86)], accept=0.85)
    assert [str(r.card) for r in kept] == ["7H", "KC", "9D"]
    assert str(asked.card) == "8S"
    assert 0.8 < asked.confidence < 0.85


def test_what_was_accepted_before_stays_accepted():
    cards = [lone("7H", 0.86)]
    assert unsure_of(cards, cards, accept=0.85) == (cards, [])


@pytest.fixture
def unsure_of_the_ace(monkeypatch: pytest.MonkeyPatch) -> list[Candidates | None]:
    """The first search leaves the ace's indices in doubt; gives where the second one looks."""
    search, again = Namer.names, Locator.around
    asked: list[Candidates | None] = []

    def unsure(self: Namer, image, sites, *, reviewed):
        found, hypotheses = search(self, image, sites, reviewed=reviewed)
        if asked:  # the further search is sure of it
            return found, hypotheses
        name = hypotheses.cards.index(card("AD"))
        ace = np.flatnonzero((hypotheses.best == name) & (hypotheses.score > 0.5))
        assert len(ace) == 2
        return found, hypotheses.replaced(ace, readings(("AD", 0.3), ("AD", 0.01)))

    def noting(self: Locator, image, sides, places, **options):
        asked.append(places)
        return again(self, image, sides, places, **options)

    monkeypatch.setattr(Namer, "has_rare_letters", True)
    monkeypatch.setattr(Namer, "names", unsure)
    monkeypatch.setattr(Locator, "around", noting)
    return asked


def names(reader: Reader, image: np.ndarray) -> set[str]:
    return {str(read.card) for read in reader.read(image).cards}


def test_a_card_that_the_first_search_leaves_in_doubt_is_read_by_the_second(unsure_of_the_ace):
    image = load_image(SCENES / "five.jpg").pixels
    whole = names(Reader(threads=2), image)
    assert len(whole) == 5
    assert "AD" in whole
    (places,) = unsure_of_the_ace
    assert places is None  # four cards are few: all is searched
    unsure_of_the_ace.clear()
    once = replace(STILL, again_sides=())
    assert names(Reader(threads=2, limits=Limits(still=once)), image) == whole - {"AD"}


def test_where_more_is_read_only_the_open_places_are_searched(unsure_of_the_ace):
    image = load_image(SCENES / "five.jpg").pixels
    still = replace(STILL, few=2)
    assert "AD" in names(Reader(threads=2, limits=Limits(still=still)), image)
    (places,) = unsure_of_the_ace
    assert places is not None
    assert 0 < len(places) < 6


def test_an_english_deck_is_not_searched_again(unsure_of_the_ace, monkeypatch):
    monkeypatch.setattr(Namer, "has_rare_letters", False)
    image = load_image(SCENES / "five.jpg").pixels
    assert "AD" not in names(Reader(threads=2), image)
    assert unsure_of_the_ace == []


def test_a_film_is_not_searched_again(unsure_of_the_ace):
    Reader(threads=2).for_film().read(load_image(SCENES / "five.jpg").pixels)
    assert unsure_of_the_ace == []
