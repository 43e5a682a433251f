"""What all rules are written with: sentences, hands, how a match begins and ends."""

import pytest

from companion.cards import card, parse_cards
from companion.core.events import private, public
from companion.core.match import begin_match, end_match
from companion.core.registry import get_game
from companion.core.state import FindingKind, State, evolve, find, move_to, say, take_from_hand
from companion.errors import IllegalError
from companion.phrases import Phrase

SETUP = get_game("gotcha").setup(["Ann", "Bo", "Cy"])


@pytest.fixture
def state():
    return State.fresh(SETUP)


@pytest.mark.parametrize(
    ("template", "fields", "text"),
    [
        ("{name} asks {name2}", {"name": 0, "name2": 2}, "Ann asks Cy"),
        ("{names} win", {"names": (0, 1, 2)}, "Ann, Bo and Cy win"),
        ("{name} wins", {"name": (1,)}, "Bo wins"),
        ("{name} wins", {"name": "nobody"}, "nobody wins"),
        ("{count} of {n}", {"count": 1, "n": 2}, "1 of 2"),
        ("{tile} on {cards}", {"tile": card("10H"), "cards": (card("AS"), card("??"))}, None),
    ],
)
def test_seats_and_cards_are_written_as_people_read_them(state, template, fields, text):
    said = state.phrase(template, **fields)
    assert said == (text or "10H on AS ??")
    assert isinstance(said, Phrase)
    assert said.template == template


def test_refusals_notes_and_findings_take_the_same(state):
    error = state.illegal("{name} has no {card}.", name=1, card=card("7S"))
    assert isinstance(error, IllegalError)
    assert error.message == "Bo has no 7S."
    said = say(say(state, "All is well."), "{name} starts.", name=0)
    assert said.remarks == ("All is well.", "Ann starts.")
    found = find(state, 7, FindingKind.IMPOSSIBLE, "{name}, at {n}", name=2, n=7, found_at=9)
    assert [(f.event, f.message, f.found_at) for f in found.findings] == [(7, "Cy, at 7", 9)]
    whole = find(state, 3, FindingKind.IMPOSSIBLE, "{kept} as it is")
    assert [(f.message, f.found_at) for f in whole.findings] == [("{kept} as it is", 3)]


def test_a_card_that_a_hand_lacks_is_found_once(state):
    text = "{name} has no {card} ({n})"
    assert take_from_hand(state, 1, parse_cards("7S"), 4, text) == state, "no hand was recorded"
    held = evolve(state, held=(None, parse_cards("7S ?? 9H"), None))
    left = take_from_hand(held, 1, parse_cards("7S 2C"), 4, text)
    assert left.held[1] == parse_cards("9H")
    assert left.findings == ()
    lacking = take_from_hand(left, 1, parse_cards("3D"), 5, text)
    assert [finding.message for finding in lacking.findings] == ["Bo has no 3D (5)"]
    reported = evolve(left, reported=frozenset(parse_cards("3D")))
    assert take_from_hand(reported, 1, parse_cards("3D"), 5, text).findings == ()


def test_an_actor_is_a_seat():
    assert private(2, "hand", ()).actor == 2
    with pytest.raises(TypeError, match="nobody's act"):
        _ = public(None, "match").actor


def test_a_match_ends_with_its_reasons_and_points(state):
    reasons = ("Ann is right.", "Ann wins.")
    ended = end_match(move_to(state, 1), *reasons, winners=(0,), points={0: 3, 2: -1})
    table = ended.table
    assert (table.match_over, table.over, table.to_move) == (True, True, None)
    assert (table.scores, table.winners, table.match_winners) == ((3, 0, -1), (0,), (0,))
    assert table.reasons == ended.remarks == reasons


def test_an_undecided_match_is_settled_later(state):
    tied = end_match(state, "A tie.", match_winners=(0, 1), over=False)
    assert (tied.table.over, tied.table.winners, tied.table.match_winners) == (False, (), (0, 1))
    drawn = end_match(tied, "All agree on a draw.", winners=(0, 1))
    assert drawn.table.reasons == ("A tie.", "All agree on a draw.")
    assert drawn.table.scores == (0, 0, 0)


def test_the_next_match_keeps_what_outlasts_one(state):
    ended = find(end_match(state, "Over.", points={1: 2}), 5, FindingKind.IMPOSSIBLE, "Wrong.")
    ended = evolve(
        ended,
        hands=(parse_cards("7S"), None, None),
        disclosed=frozenset({3}),
        disclosed_to=6,
        withheld=frozenset({4}),
        handed=frozenset({(1, 0)}),
    )
    after = begin_match(State.fresh(SETUP), ended, 2)
    assert (after.table.match, after.table.starter, after.table.to_move) == (2, 2, 2)
    assert (after.table.scores, after.table.match_over, after.table.reasons) == (
        (0, 2, 0),
        False,
        (),
    )
    assert (after.hands, after.hand_events, after.remarks) == ((None,) * 3, (0,) * 3, ())
    for name in ("findings", "disclosed", "disclosed_to", "withheld", "handed"):
        assert getattr(after, name) == getattr(ended, name)
