"""Names as people write them: with spaces, accents and emoji, the same through everything."""

import random
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from companion.core.names import MAX_NAME, characters, check_names, clean_name, name_key
from companion.core.notation import read_match, write_event, write_match
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.errors import CompanionError, UnreadableError
from companion.journal.lines import owner_of_text
from companion.simulate import play_events

FAMILY = "\N{WOMAN}\u200d\N{GIRL}"
LETTERS = st.characters(codec="utf-8", exclude_characters=':*,;"', exclude_categories=("C", "Z"))
WORDS = st.text(LETTERS, min_size=1, max_size=6)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ann", 3),
        ("Mary Ann", 8),
        ("José", 4),
        ("Jose\u0301", 4),
        (FAMILY, 1),
        ("\N{WAVING HAND SIGN}\U0001f3fd", 1),  # with a tone of skin
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 2),  # two flags
        ("\u2764\ufe0f", 1),  # a heart, drawn in colour
        ("김민준", 3),
        ("क्षि", 2),
    ],
)
def test_characters_are_counted_as_people_count(text, count):
    assert characters(text) == count


@pytest.mark.parametrize("name", ["Mary Ann", "José", FAMILY, "x" * 20, "Jose\u0301" * 5, "O'Neil"])
def test_these_are_names(name):
    check_names((name,))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "missing"),
        ("  ", "missing"),
        ("x" * 21, "too long"),
        ("a" + "\u0301" * 500, "too long"),
        ("An:n", "leave out"),
        ("An\u202en", "cannot be seen"),
        ("Table", "“table”"),
        ("ｔａｂｌｅ", "“table”"),
    ],
)
def test_these_are_none_and_say_why(name, why):
    with pytest.raises(UnreadableError, match=why):
        check_names((name,))


@pytest.mark.parametrize(
    "pair", [("José", "Jose\u0301"), ("Ann", "ANN"), ("Ａｎｎ", "ann"), ("Mary Ann", "mary  ann")]
)
def test_names_that_look_alike_are_one(pair):
    assert name_key(pair[0]) == name_key(pair[1])
    with pytest.raises(UnreadableError, match="names must differ"):
        check_names(pair)


@given(first=NAMES, second=NAMES, third=NAMES)
@example(first="Ann", second="Ann Bo", third="Bo")
@example(first="Mary Ann", second="Mary", third="Ann smallest")
@example(first="Ann have", second="Ann", third="count")
@pytest.mark.parametrize(
    "game", ["gotcha", "missing-persons", "deduction", "suspense", "precognition"]
)
def test_any_names_round_trip(game, first, second, third):
    played = get_game(game)
    names = [first, second, third][: max(2, played.info.min_players)]
    try:
        check_names(names)
    except CompanionError:
        assume(False)
    setup = played.setup(names)
    assert setup.players == tuple(map(clean_name, names))
    referee = Referee(played, setup)
    bots = [played.bots["random"]] * len(names)
    for count, event in enumerate(play_events(referee, bots, random.Random(1))):
        referee.accept(event)
        if count > 12:
            break
    match = referee.match_text()
    text = write_match(match)
    again = read_match(text)
    assert again.setup.players == setup.players
    assert [line.event and line.event.args for line in again.events] == [
        event.args for event in referee.events
    ]
    assert [line.event.audience for line in again.events] == [e.audience for e in referee.events]
    assert write_match(again) == text
    for event in referee.events:
        if event.audience == frozenset({event.seat}):
            spoilt = write_event(played, setup, event).replace(":", ": gibberish", 1)
            assert owner_of_text(spoilt, setup.players) == event.seat


def test_names_are_kept_composed():
    setup = get_game("gotcha").setup(["Jose\u0301", " Mary  Ann "])
    assert setup.players == ("José", "Mary Ann")
    assert unicodedata.is_normalized("NFC", setup.players[0])
    assert setup.seat("jose\u0301") == 0
    assert setup.seat("mary ann") == 1
    assert MAX_NAME == 20
