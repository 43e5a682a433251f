"""Names as people write them: with spaces, accents and emoji, the same through everything."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from companion.core.events import LOG_VERBS, Event
from companion.core.names import MAX_NAME, characters, check_names, name_key
from companion.core.notation import (
    is_private_line,
    read_match,
    reader_of,
    says_whose,
    write_event,
    write_match,
)
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.errors import CompanionError, UnreadableError
from companion.journal import Journal
from companion.journal.lines import owner_of_text
from mobile.seats.gate import NotYoursError, read_line

FAMILY = "\N{WOMAN}\u200d\N{GIRL}"


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
        ("น้ำ", 1),
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


def test_names_are_kept_composed():
    setup = get_game("gotcha").setup(["Jose\u0301", " Mary  Ann "])
    assert setup.players == ("José", "Mary Ann")
    assert unicodedata.is_normalized("NFC", setup.players[0])
    assert setup.seat("jose\u0301") == 0
    assert setup.seat("mary ann") == 1
    assert MAX_NAME == 20


# -- where names stand -----------------------------------------------------------------------------

GOLDEN = Path(__file__).parent.parent / "golden"
MATCHES = [
    text
    for text in (path.read_text("utf-8") for path in sorted(GOLDEN.glob("*/*.txt")))
    if len(text) < 6000
]
#: Names that look like what may stand beside them.
HOSTILE = (
    "Ann", "Ann 2S", "Mary", "Mary Ann", "smallest", "Mary smallest", "have", "Bo have", "guess",
    "Guess Who", "undo", "correct 3 Ann", "correct", "trusted", "Ann trusted", "open", "---", "#1",
    "#2 #3", "match", "deal Ann", "is it", "AS", "2S 3S", "on", "no", "1", "…", "red?", FAMILY,
    "a = b", "--players", "ask cryptic", "<b>Ann</b>", "{name}", "%s", "José María", "d’Arc",
)  # fmt: skip


def is_name(text):
    try:
        check_names((text,))
    except CompanionError:
        return False
    return True


UNSEEN = ("Cs", "Cc", "Cn", "Co", "Cf", "Zl", "Zp")
ANY = st.text(
    st.characters(codec="utf-8", exclude_categories=UNSEEN, exclude_characters=':*,;"'),
    min_size=1,
    max_size=7,
)
FIVE = st.lists(
    st.one_of(
        st.sampled_from(HOSTILE), ANY, st.lists(ANY, min_size=2, max_size=2).map(" ".join)
    ).filter(is_name),
    min_size=5,
    max_size=5,
    unique_by=name_key,
)


def renamed(text, names):
    """A golden match with other players in the same seats, without what could not be read."""
    old = read_match(text)
    new = dict(zip(old.setup.players, names, strict=False))
    stated = {key: new.get(old.setup.options[key], old.setup.options[key])
              for key in old.setup.stated}  # fmt: skip
    setup = old.game.setup(tuple(new.values()), stated, trusted=old.setup.trusted)
    lines = tuple(line for line in old.lines if line.n is None or line.event is not None)
    return type(old)(old.game, setup, lines, old.comments)


def told(event):
    """What an event says; the one that a correction puts in place has no number of its own."""
    args = tuple(told(arg) if isinstance(arg, Event) else arg for arg in event.args)
    return event.verb, args, event.seat, event.audience


@given(names=FIVE, text=st.sampled_from(MATCHES))
@example(names=["Mary", "Mary Ann", "Mary Ann 2S", "Ann", "Mary smallest"], text=MATCHES[0])
@example(names=["Ann have", "Ann", "count", "Bo", "Ann Bo"], text=MATCHES[0])
@settings(max_examples=80)
def test_every_name_stands_in_every_line_of_every_game(names, text):
    """Every verb, option and correction of the golden matches, with players of any names."""
    match = renamed(text, names)
    written = write_match(match)
    again = read_match(written)
    assert again.setup == match.setup
    assert [line.error for line in again.events] == [None] * len(match.events)
    assert [told(line.event) for line in again.events] == [told(e.event) for e in match.events]
    assert write_match(again) == written
    for line in match.events:
        typed = write_event(match.game, match.setup, line.event, comment=False)
        assert says_whose(match.setup, typed)
        if line.event.audience is not None:
            assert is_private_line(typed)
            assert reader_of(match.setup, typed) == line.event.seat
            if line.event.verb not in LOG_VERBS:
                spoilt = typed.replace(":", ": gibberish", 1)
                assert owner_of_text(spoilt, match.setup.players) == line.event.seat


@given(names=FIVE, text=st.sampled_from(MATCHES))
@example(names=["Mary", "Mary Ann", "Mary Ann 2S", "Ann", "Mary smallest"], text=MATCHES[0])
@settings(max_examples=12, deadline=None)
def test_every_name_is_kept_by_the_journal_and_stands_in_its_export(tmp_path_factory, names, text):
    match = renamed(text, names)
    path = tmp_path_factory.mktemp("names") / "journal.sqlite"
    with Journal(path) as book:
        session = book.begin(match.game, match.setup)
        for line in match.events:
            session.referee.submit(line.event)
        number, kept = session.id, [entry.event for entry in session.referee.log]
    with Journal(path) as book:
        again = book.resume(number)
        assert again.setup.players == match.setup.players
        assert [entry.event for entry in again.referee.log] == kept
        exported = read_match(again.export_text())
    assert exported.setup.players == match.setup.players
    assert not [line for line in exported.events if line.error and not line.text.endswith("…")]


@given(names=FIVE, text=st.sampled_from(MATCHES))
@settings(max_examples=30)
def test_every_name_is_typed_on_its_own_page(names, text):
    """What a page of a phone or the terminal takes: whole lines, and a correction before a name."""
    match = renamed(text, names)
    for line in match.events:
        event = line.event
        typed = write_event(match.game, match.setup, event, comment=False)
        if event.verb in LOG_VERBS:
            continue
        referee = Referee(match.game, match.setup)
        assert told(read_line(referee, event.seat, typed)) == told(event)
        also = f"correct 3 {match.setup.name(event.seat)}"  # may be somebody's name, too
        if event.audience is not None and name_key(also) not in map(name_key, names):
            assert reader_of(match.setup, f"correct 3 {typed}") == event.seat


def test_one_person_in_two_spellings_is_one_player_of_the_journal(tmp_path):
    game = get_game("gotcha")
    with Journal(tmp_path / "journal.sqlite") as book:
        first = book.begin(game, game.setup(("José", "Mary Ann")))
        first.set_pin(0, "7391")
        second = book.begin(game, game.setup(("mary  ann", "Jose\u0301")))
        assert not second.has_pin(0)
        assert second.has_pin(1)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("A\u037eb", "leave out"),  # the Greek question mark is a semicolon once composed
        ("\u200d", "cannot be seen"),
        ("\u3164", "cannot be seen"),
        ("A\U000e0067", "cannot be seen"),
    ],
)
def test_what_looks_like_nothing_or_becomes_a_sign_is_no_name(name, why):
    with pytest.raises(UnreadableError, match=why):
        check_names((name, "Bo"))


def test_what_cannot_be_seen_makes_no_name_another_one():
    with pytest.raises(UnreadableError, match="names must differ"):
        check_names(("A\u200dnn", "Ann"))
    flags = ["\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
             "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"]  # fmt: skip
    check_names((*flags, "می\u200cرا"))


def test_a_private_correction_is_typed_on_ones_own_page():
    game = get_game("gotcha")
    referee = Referee(game, game.setup(("Correct Ann", "Bo"), {"deal": "3"}))
    referee.accept("Bo*: hand 2S 3S 4S")
    event = read_line(referee, 1, "correct 1 Bo*: hand 2S 3S 5S")
    assert event.args[1].args[0][2].code == "5S"
    with pytest.raises(NotYoursError):
        read_line(referee, 0, "correct 1 Bo*: hand 2S 3S 5S")
    assert read_line(referee, 0, "Correct Ann: guess Bo smallest 1 is 2").verb == "guess"
