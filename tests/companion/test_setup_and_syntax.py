import pytest

from companion.cards import card
from companion.core.registry import get_game
from companion.core.setup import GameInfo, Option, OptionKind, make_setup
from companion.core.syntax import (
    CardPart,
    CardsPart,
    ChoicePart,
    Literal,
    NumberPart,
    PlayerPart,
    PlayersPart,
    QuotedPart,
    RankPart,
    fits_form,
    form_label,
    read_form,
    words_of,
    write_form,
)
from companion.errors import CompanionError

SETUP = get_game("precognition").setup(["Ann", "Bo"])
GUESS = (
    PlayerPart("OTHER"),
    ChoicePart(("smallest", "biggest")),
    NumberPart(1, 26, "X"),
    Literal("is"),
    RankPart(),
)


@pytest.mark.parametrize(
    ("form", "text", "args"),
    [
        (GUESS, "Bo smallest 3 is K", (1, "smallest", 3, 13)),
        ((CardPart(), Literal("on"), CardPart()), "7S on 8S", (card("7S"), card("8S"))),
        ((CardsPart(),), "7S 8S", ((card("7S"), card("8S")),)),
        ((QuotedPart(),), '"red; or a spade?"', ("red; or a spade?",)),
        ((PlayersPart(),), "Ann Bo", ((0, 1),)),
        ((), "", ()),
    ],
)
def test_forms_round_trip(form, text, args):
    assert read_form(form, words_of(text), SETUP) == args
    assert write_form(form, args, SETUP) == text
    assert fits_form(form, args)
    assert form_label(form) is not None


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        (GUESS, "Bo smallest 0 is K", "0 is not from 1 to 26"),
        (GUESS, "Bo smallest 27 is K", "27 is not from 1 to 26"),
        (GUESS, "Bo smallest ² is K", "A number is expected"),
        (GUESS, "Bo middle 3 is K", "One of smallest, biggest"),
        (GUESS, "Bo smallest 3 be K", "“is” is expected"),
        (GUESS, "Bo smallest 3 is 7S", "no rank"),
        (GUESS, "Bo smallest 3 is", "A rank is missing"),
        (GUESS, "Cy smallest 3 is K", "Nobody called “Cy”"),
        (GUESS, "Bo smallest 3 is K now", "left over"),
        ((CardsPart(),), "", "cards are missing"),
        ((QuotedPart(),), "", "missing"),
    ],
)
def test_forms_that_do_not_read(form, text, message):
    with pytest.raises(CompanionError, match=message):
        read_form(form, words_of(text), SETUP)


def test_a_quoted_text_cannot_hold_quotes():
    with pytest.raises(CompanionError, match="quotation marks"):
        write_form((QuotedPart(),), ('a "b"',), SETUP)


def odd(value, players):
    if len(value) % 2 == 0:
        raise CompanionError("odd only")


INFO = GameInfo("toy", "Toy", "A toy.", 2, 3, 1, ("standard",))
OPTIONS = (
    Option("draw", "all", "How many.", choices=("all", "one")),
    Option("jokers", "yes", "Whether.", OptionKind.YES_NO),
    Option("target", "6", "How far.", OptionKind.NUMBER, bounds=(1, 99)),
    Option("deal", "abc", "What.", OptionKind.PATTERN, check=odd, by_players={3: "a"}),
    Option("starter", "", "Who.", OptionKind.PLAYER),
)


def test_options_are_completed():
    setup = make_setup(INFO, OPTIONS, ("A", "B", "C"), stated={"draw": "ONE", "starter": "b"})
    expected = {"draw": "one", "jokers": "yes", "target": "6", "deal": "a", "starter": "B"}
    assert dict(setup.options) == expected
    assert setup.stated == ("draw", "starter")
    assert setup.is_on("jokers")
    assert setup.first_starter == 1
    assert setup.names((0, 1, 2)) == "A, B and C"


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"draw": "two"}, "one of all, one"),
        ({"jokers": "maybe"}, "one of yes, no"),
        ({"target": "0"}, "from 1 to 99"),
        ({"target": "many"}, "from 1 to 99"),
        ({"deal": "ab"}, "odd only"),
        ({"starter": "Z"}, "Nobody called"),
        ({"speed": "1"}, "no option “speed”"),
    ],
)
def test_options_that_cannot_be(stated, message):
    with pytest.raises(CompanionError, match=message):
        make_setup(INFO, OPTIONS, ("A", "B"), stated=stated)
