import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.notation import read_event, read_match, split_comment, write_event, write_match
from companion.core.registry import get_game
from companion.errors import CompanionError, UnreadableError

GAME = get_game("precognition")
SETUP = GAME.setup(["Ann", "Bo", "Cy"])
HEADER = "game: precognition\nplayers: Ann, Bo, Cy\n"


@pytest.mark.parametrize(
    ("text", "first_form"),
    [
        ("ann: PLACE 7♠", "Ann: place 7S"),
        ("Bo*:predict uds", "Bo*: predict UDS"),
        ("table: row 2 6 ten of hearts, ??", "table: row 2? 6? 10H ??"),
        ("TABLE: match bo", "table: match Bo"),
        ("table: match", "table: match"),
        ("table: playoff Ann, Cy", "table: playoff Ann Cy"),
        ("table: undo", "table: undo"),
        ("table: correct 3 Bo: place 7s", "table: correct 3 Bo: place 7S"),
        ("Ann*: correct 1 Ann*: hand AS 2S", "Ann*: correct 1 Ann*: hand AS 2S"),
        ("Ann*Bo: hand AS", "Ann*Bo: hand AS"),
        ("Ann: place the queen of spades", "Ann: place QS"),
    ],
)
def test_first_forms(text, first_form):
    event = read_event(GAME, SETUP, text)
    assert write_event(GAME, SETUP, event) == first_form
    assert read_event(GAME, SETUP, first_form) == event


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("place 7S", "does not say who does it"),
        ("Dee: place 7S", "Nobody called “Dee”"),
        ("Ann:", "verb is missing"),
        ("Ann: jump", "Precognition does not know “jump”"),
        ("Ann: place", "missing"),
        ("Ann: place 7S 8S", "left over"),
        ("Ann: place ZZ", "is no standard card"),
        ("Ann Bo: place 7S", "Nobody called “Ann Bo” plays here"),
        ("table*: row 2", "has no secrets"),
        ("Ann*Ann: hand AS", "another player"),
        ("table: undo 3", "Nothing follows"),
        ("table: correct x", "correct N EVENT"),
        ("table: correct 3 table: undo", "cannot be corrected into"),
        ('Ann: place "7S', "missing its partner"),
    ],
)
def test_unreadable_lines_say_why(text, message):
    with pytest.raises(UnreadableError, match=message):
        read_event(GAME, SETUP, text)


def test_a_correction_takes_over_whose_event_it_was():
    text = HEADER + "---\nBo*: predict UD\nBo*: correct 1 predict D\n"
    event = read_match(text).events[1].event
    assert event.args == (1, read_event(GAME, SETUP, "Bo*: predict D"))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("", "“game: …” is missing"),
        ("game: precognition\n", "“players: …” is missing"),
        ("game: chess\nplayers: A, B\n", "no game “chess”"),
        ("game: precognition\nplayers: A\n", "2 to 26"),
        ("game: precognition\nplayers: A, a\n", "names must differ"),
        ("game: precognition\nplayers: A, table\n", "cannot be a player"),
        ("game: precognition\nplayers: A*b, C\n", "cannot be a name"),
        ("game: precognition\nplayers: A,, C\n", "name is missing"),
        ('game: precognition\nplayers: A"b, C\n', "quotation mark"),
        ("game: precognition\nplayers: " + "x" * 21 + ", C\n", "too long for a name"),
        (HEADER + "option deal: 20\n", "no option “deal”"),
        (HEADER + "option starter: Dee\n", "Nobody called"),
        (HEADER + "referee: maybe\n", "cannot be read"),
        (HEADER + "referee: Dee trusted\n", "cannot be read"),
        (HEADER + "colour: red\n", "header line"),
        (HEADER + "game: precognition\n", "twice"),
    ],
)
def test_unusable_headers(header, message):
    with pytest.raises(UnreadableError, match=message):
        read_match(header + "---\n")


def test_no_separator():
    with pytest.raises(UnreadableError, match="no match"):
        read_match("hello")


def test_trust_and_options():
    match = read_match(HEADER + "option starter: cy\nreferee: Bo trusted\n---\n")
    assert match.setup.trusted == (False, True, False)
    assert match.setup.options["starter"] == "Cy"
    assert "referee: Ann open, Bo trusted, Cy open" in write_match(match)


def test_reading_goes_on_after_faults_and_keeps_everything():
    text = HEADER + "---\n; a remark\n\nAnn: jump ; why\nAnn*: predict UD ; camera 0.98\n"
    match = read_match(text)
    assert [line.n for line in match.lines] == [None, None, 1, 2]
    assert isinstance(match.events[0].error, UnreadableError)
    assert match.events[1].event.provenance == ("camera", 0.98)
    assert write_match(match) == text


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ('a "b; c" ; d', ('a "b; c"', "d")),
        ("; x", ("", "x")),
        ("plain", ("plain", "")),
        ("a;b;c", ("a", "b;c")),
    ],
)
def test_comments(line, parts):
    assert split_comment(line) == parts


ALPHABET = 'AnBoCy:*,; "place?7S♠10handUDtable: correct 3row\n-'


@given(st.text(st.sampled_from(ALPHABET) | st.characters(codec="utf-8"), max_size=60))
def test_any_text_is_read_or_refused_in_words(text):
    try:
        event = read_event(GAME, SETUP, text)
    except CompanionError:
        return
    assert read_event(GAME, SETUP, write_event(GAME, SETUP, event)) == event


@given(st.text(max_size=200))
def test_any_body_is_read_and_written_again(body):
    match = read_match(HEADER + "---\n" + body)
    again = read_match(write_match(match))
    assert write_match(again) == write_match(match)
    assert [line.event for line in again.events] == [line.event for line in match.events]
