from __future__ import annotations

import numpy as np
import pytest

from companion.decks import get_deck
from tests.vision.layouts import candidates, index, readings
from vision.cards.corners import are_opposite_ends, same_card
from vision.cards.grouping import fuse, has_four_indices, join, join_row, row_has_four_indices
from vision.cards.reads import card_reads, next_likely, row_reads
from vision.geometry import card_outline
from vision.indices.hypotheses import Hypotheses, suppress
from vision.indices.locate import Candidates
from vision.types import RANK_LABELS

DECK = get_deck("standard")


def scene(*indices: tuple[str, float, float, float, float, float]) -> tuple[Candidates, Hypotheses]:
    """Indices as (name, confidence, x, y, degrees from upright, size)."""
    found = candidates(*((x, y, size, degrees) for _, _, x, y, degrees, size in indices))
    return found, readings(*((name, p) for name, p, *_ in indices))


def reads(*indices: tuple[str, float, float, float, float, float]):
    found, hypotheses = scene(*indices)
    return card_reads(found, hypotheses, accept=0.7, doubt=0.2)[:2]


def test_opposite_corners_become_one_card_and_strengthen_each_other():
    accepted, doubtful = reads(("7H", 0.62, 50, 50, 0, 30), ("7H", 0.62, 137, 150, 180, 30))
    assert [str(r.card) for r in accepted] == ["7H"]
    assert len(accepted[0].indices) == 2
    assert accepted[0].confidence > 0.7
    assert not doubtful


def test_outline_of_an_upright_card_from_its_two_indices():
    # 2 px a mm: index centres 5.5 and 14 mm from the corner of a 63 × 88 mm card at (100, 200).
    accepted, _ = reads(("KS", 0.9, 111, 228, 0, 30), ("KS", 0.9, 215, 348, 180, 30))
    assert accepted[0].outlined
    assert np.array(accepted[0].quad) == pytest.approx(
        np.array([(100, 200), (226, 200), (226, 376), (100, 376)]), abs=0.01
    )
    assert card_outline(accepted[0].indices[:1]) is None


def test_a_lone_index_below_the_threshold_is_doubtful_with_its_chance():
    accepted, doubtful = reads(("9C", 0.5, 50, 50, 0, 30))
    assert not accepted
    assert str(doubtful[0].card) == "9C"
    assert doubtful[0].confidence == pytest.approx(0.5, abs=0.02)


def test_each_card_at_most_once():
    accepted, doubtful = reads(("9C", 0.95, 50, 50, 0, 30), ("9C", 0.9, 700, 60, 10, 30))
    assert [str(r.card) for r in accepted] == ["9C"]
    assert accepted[0].indices[0].centre == (50, 50)
    assert not doubtful


@pytest.mark.parametrize(
    ("x", "y", "degrees", "size", "one_card"),
    [
        (137, 150, 180, 30, True),  # the opposite corner
        (150, 50, 0, 30, True),  # the upper right corner of a four-index card
        (50, 170, 180, 30, True),  # the lower left corner of a four-index card
        (50, 170, 0, 30, False),  # the next card of a column
        (137, 150, 90, 30, False),  # a card that lies across
        (137, 150, 180, 80, False),  # a card much nearer
        (600, 700, 180, 30, False),  # too far away
        (-40, -60, 180, 30, False),  # up and left of it
    ],
)
def test_which_indices_can_be_one_card(
    x: float, y: float, degrees: float, size: float, one_card: bool
):
    found, _ = scene(("5D", 1, 50, 50, 0, 30), ("5D", 1, x, y, degrees, size))
    assert same_card(found, 0, 1) is one_card
    assert same_card(found, 1, 0) is one_card
    ends = index(50, 50, size=30), index(x, y, down=tuple(found.direction[1]), size=size)
    assert are_opposite_ends(*ends) is are_opposite_ends(*ends[::-1]) is (one_card and degrees > 0)


def test_late_suppression_keeps_the_pose_that_reads_best():
    found, hypotheses = scene(
        ("6S", 0.4, 50, 50, 0, 30),
        ("6S", 0.9, 52, 51, 4, 30),
        ("9S", 0.5, 51, 50, 180, 30),
        ("2H", 0.3, 90, 50, 0, 30),
    )
    assert suppress(found, hypotheses.score, hypotheses.best).tolist() == [1, 3]


def a_row(*names: str, doubts: dict[int, tuple[str, float]], step: float = 40.0):
    """A row of upright indices; some may as well be another card, with that chance."""
    found, hypotheses = scene(*((n, 0.999, 60 + step * k, 60, 0, 30) for k, n in enumerate(names)))
    ranks, suits = hypotheses.rank_probs.copy(), hypotheses.suit_probs.copy()
    for k, (name, chance) in doubts.items():
        ranks[k] *= 1 - chance
        ranks[k, RANK_LABELS.index(name[:-1])] = chance
    return found, Hypotheses(DECK, ranks, suits)


def test_what_stands_in_a_row_is_a_card_though_its_name_is_taken():
    found, hypotheses = a_row("2S", "6H", "9D", "6H", "KC", "4S", doubts={3: ("QH", 0.004)})
    for read_cards, in_row in ((card_reads, False), (row_reads, True)):
        accepted, doubtful, _ = read_cards(found, hypotheses, accept=0.7, doubt=0.2)
        names = [str(r.card) for r in accepted]
        assert sorted(names) == sorted(["2S", "6H", "9D", "KC", "4S"])
        assert [str(r.card) for r in doubtful] == (["QH"] if in_row else [])


def test_the_last_free_name_goes_to_the_place_in_the_row_not_to_a_pattern_beside_it():
    """The row's own index reads as a name that is taken; a fleck of a figure, a little, as its."""
    names = [str(card) for card in DECK.cards[:52] if str(card) != "JD"]
    names.insert(20, "2D")
    row = [(n, 0.999, 60 + 40 * (k % 13), 60 + 160 * (k // 13), 0, 30) for k, n in enumerate(names)]
    found, hypotheses = scene(*row, ("JD", 0.2, 60 + 40 * 5.5, 140, 0, 30))
    ranks = hypotheses.rank_probs.copy()
    ranks[20] *= 0.89
    ranks[20, RANK_LABELS.index("J")] = 0.11
    hypotheses = Hypotheses(get_deck(), ranks, hypotheses.suit_probs)
    accepted, doubtful, _ = row_reads(found, hypotheses, accept=0.85, doubt=0.2)
    jack = next(read for read in (*accepted, *doubtful) if str(read.card) == "JD")
    assert jack.indices[0].centre == tuple(found.centre[20].tolist())
    assert len(accepted) + len(doubtful) == 52


@pytest.mark.parametrize(
    ("eight", "other", "named"), [(0.68, 0.27, "8S"), (0.9, 0.05, "8C"), (0.97, 0.0, "8C")]
)
def test_a_card_of_the_row_whose_name_is_taken_is_the_next_likely_one_in_doubt(eight, other, named):
    """Clubs and spades look alike; what reads as nothing else is a corner of the same card."""
    names = [str(card) for card in DECK.cards]
    chances = np.zeros(52, np.float32)
    chances[names.index("8C")], chances[names.index("8S")] = eight, other
    told = next_likely(chances, {names.index("8C"), names.index("KD")}, 0.85)
    assert names[int(told.argmax())] == named
    assert named == "8C" or 0.5 < told.max() < 0.85


def test_of_two_parts_of_one_sure_card_the_one_that_must_be_a_card_takes_nothing_away():
    """The upper corners, off the line, and the lower one in it were not joined."""
    names = ["AS", "2H", "3D", "4C", "5S", "6H", "7C", "8D", "9S", "10H"]
    row = [(n, 0.999, 60 + 40 * k, 100, 0, 30) for k, n in enumerate(names)]
    found, hypotheses = scene(*row, ("KH", 0.99, 460, 100, 0, 30), ("KH", 0.998, 560, 300, 0, 33))
    accepted, *_ = row_reads(found, hypotheses, accept=0.85, doubt=0.2)
    assert sorted(str(r.card) for r in accepted) == sorted([*names, "KH"])


def test_a_name_by_exclusion_alone_is_never_accepted():
    found, hypotheses = a_row("2S", "6H", "9D", "6H", "KC", "4S", doubts={3: ("QH", 0.3)})
    for accept in (0.5, 0.7, 0.9):
        accepted, doubtful, _ = row_reads(found, hypotheses, accept=accept, doubt=0.2)
        plain, *_ = card_reads(found, hypotheses, accept=accept, doubt=0.2)
        assert {r.card for r in accepted} == {r.card for r in plain}
        assert all(r.confidence < accept for r in doubtful)


def test_a_covered_second_corner_rules_no_name_out():
    _, hypotheses = scene(("7H", 0.99, 50, 50, 0, 30), ("6H", 0.9999, 137, 150, 180, 30))
    names = [str(card) for card in DECK.cards]
    both = fuse([0, 1], hypotheses)
    assert 0.5 < both[names.index("7H")] < 0.998
    clear = fuse([0], hypotheses)
    assert clear[names.index("7H")] > 0.98


def test_a_single_index_with_nothing_around_must_be_surer():
    """A word of a page reads like an index now and then; cards come with others, or two corners."""
    alone = ("7H", 0.95, 50, 50, 0, 30)
    accepted, doubtful, _ = card_reads(*scene(alone), accept=0.85, doubt=0.2)
    assert not accepted
    assert [str(read.card) for read in doubtful] == ["7H"]
    beside = ("4S", 0.99, 250, 60, 40, 33)
    accepted, *_ = card_reads(*scene(alone, beside), accept=0.85, doubt=0.2)
    assert {str(read.card) for read in accepted} == {"7H", "4S"}
    far_larger = ("4S", 0.999, 250, 60, 40, 90)
    accepted, *_ = card_reads(*scene(alone, far_larger), accept=0.85, doubt=0.2)
    assert [str(read.card) for read in accepted] == ["4S"]
    both_corners = ("7H", 0.95, 137, 150, 180, 30)
    accepted, *_ = card_reads(*scene(alone, both_corners), accept=0.85, doubt=0.2)
    assert [str(read.card) for read in accepted] == ["7H"]
    accepted, *_ = card_reads(*scene(("7H", 0.99, 50, 50, 0, 30)), accept=0.85, doubt=0.2)
    assert [str(read.card) for read in accepted] == ["7H"]


def column(x: float, *, size: float = 30.0):
    """A card of a row with two indices on its diagonal, its left upper one at ``x``."""
    return (0.97, x, 50, 0, size), (0.97, x + 104, 50 + 120, 180, size)


def test_one_edge_among_diagonals_does_not_make_a_deck_of_four_indices():
    """Two misread indices of a row may lie like those of one edge; the other cards know better."""
    names = ["AS", "2H", "3D", "4C", "5S", "6H"]
    row = [(n, *place) for k, n in enumerate(names) for place in column(100 + 160 * k)]
    accident = [("9C", 0.9, 1100, 50, 0, 30), ("9C", 0.88, 1100, 170, 180, 30)]
    found, hypotheses = scene(*row, *accident)
    groups = join_row(found, hypotheses).members
    assert sorted(len(g) for g in groups)[-2:] == [2, 2]
    assert not row_has_four_indices(groups, found)
    assert has_four_indices(groups, found)
    both = [*accident, ("10C", 0.9, 1300, 50, 0, 30), ("10C", 0.9, 1300, 170, 180, 30)]
    found, hypotheses = scene(*row, *both)
    assert row_has_four_indices(join(found, hypotheses).members, found)


@pytest.mark.parametrize("between", [True, False])
def test_corners_under_another_card_of_the_row_are_not_joined(between):
    """Two upper indices that read alike belong to one card only if no card lies between them."""
    indices = [("5D", 0.97, 100, 100, 0, 30), ("5D", 0.95, 190, 100, 0, 30)]
    for k, name in enumerate(["9C", "KS", "2H", "7D"]):
        x = (145 if between else 300) + 60 * k if k == 0 else 400 + 45 * k
        indices += [(name, 0.99, x, 100, 0, 30), (name, 0.99, x, 230, 180, 30)]
    found, hypotheses = scene(*indices)
    groups = join_row(found, hypotheses).members
    assert row_has_four_indices(groups, found)
    fives = [g for g in groups if hypotheses.cards[hypotheses.best[g[0]]].code == "5D"]
    assert [len(g) for g in fives] == ([1, 1] if between else [2])


@pytest.mark.parametrize(("count", "accepted"), [(48, True), (24, False)])
def test_a_free_name_says_more_where_most_of_the_deck_is_read(count, accepted):
    cards = [c.code for c in DECK.cards[:52] if c.code != "3H"][:count]
    far = [(n, 0.99, 100 + 400 * (k % 8), 100 + 400 * (k // 8), 0, 30) for k, n in enumerate(cards)]
    found, hypotheses = scene(*far, ("3H", 0.75, 3500, 100, 0, 30))
    sure, doubtful, _ = card_reads(found, hypotheses, accept=0.85, doubt=0.2)
    assert ("3H" in [r.card.code for r in sure]) == accepted
    assert [r.card.code for r in doubtful] == ([] if accepted else ["3H"])


def test_a_name_that_is_taken_says_no_more_for_that():
    cards = [c.code for c in DECK.cards[:48]]
    far = [(n, 0.99, 100 + 400 * (k % 8), 100 + 400 * (k // 8), 0, 30) for k, n in enumerate(cards)]
    sure, doubtful = reads(*far, (cards[5], 0.75, 3500, 100, 0, 30))
    assert len(sure) == 48
    assert doubtful == []


FAR_APART = [("9H", 0.97, 60 + 500 * k, 60, 0, 30) for k in range(3)]


@pytest.mark.parametrize("read_cards", [card_reads, row_reads])
@pytest.mark.parametrize("copies", [1, 2])
def test_a_card_is_named_as_often_as_the_deck_has_it(copies, read_cards):
    """A pinochle deck has two of each; three of one name are one too many there."""
    others = [(name, 0.99, 60 + 500 * k, 400, 0, 30) for k, name in enumerate(["KS", "10D", "AC"])]
    found, hypotheses = scene(*FAR_APART, *others)
    accepted, *_ = read_cards(found, hypotheses, accept=0.7, doubt=0.2, copies=copies)
    assert [str(r.card) for r in accepted].count("9H") == copies
    assert {str(r.card) for r in accepted} == {"9H", "KS", "10D", "AC"}


def test_two_corners_of_one_card_are_no_two_of_it():
    """Seen steeply the corners of a card do not lie as on paper, so they are not joined."""
    found, hypotheses = scene(("9H", 0.99, 60, 60, 0, 30), ("9H", 0.95, 60, 330, 170, 30))
    assert len(join(found, hypotheses)) == 2
    accepted, *_ = card_reads(found, hypotheses, accept=0.7, doubt=0.2, copies=2)
    assert [str(r.card) for r in accepted] == ["9H"]
