"""The guided way at a terminal: whole matches typed by steps and answers, as people would."""

import random
import re
import termios

import pytest

from companion.cards import RANKS, Card
from companion.cli.guided import offers_of
from companion.cli.spoken import card_words
from companion.core.arguments import is_unread, parts_of, positions_of
from companion.core.guidance.generic import guidance_of
from companion.core.guidance.steps import NeedKind
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.journal import Journal
from companion.simulate import play_events
from tests.companion.terminal import CODES, Terminal

NAMES = ("Mary Ann", "Bo", "José")
#: What no screen says: words of the program and of the notation.
CODE = re.compile(
    r"is no verb|nobody's act|player's act|NAME|VERB|duplicate-card|Traceback|[a-z]\*:|"
    r"\b(?:10|[2-9AJQK])[SHDC]\b|\b[0A2-5][SMCH]\b|\b[WB][1-6]\b"
)
MATCHES = {
    "precognition": (2, {}, False),
    "gotcha": (3, {"deal": "6-2"}, True),
    "missing-persons": (2, {"draw": "one", "questions": "any"}, False),
    "deduction": (3, {}, False),
    "suspense": (3, {"target": "1"}, False),
    "oh-hell": (3, {"cards": "3"}, False),
    "hearts": (4, {"target": "0"}, True),
}


@pytest.fixture
def terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    opened = []

    def play(*arguments):
        opened.append(Terminal(*arguments))
        return opened[-1]

    yield play
    for one in opened:
        one.close()


def answer(need, part, value, setup):
    """A value as a person may type it."""
    if need.kind is NeedKind.PLAYER:
        return setup.players[value].upper()
    if need.kind is NeedKind.CHOICE:
        return str(need.candidates.index(value) + 1)
    if need.kind is NeedKind.RANK:
        return RANKS[value - 1].lower()
    if isinstance(value, Card):
        return "" if is_unread(value) else value.name
    if need.kind is NeedKind.CARDS:
        return "" if is_unread(value) else ", ".join(map(card_words, value))
    return part.write(value, setup).strip('"')


def typed_for(referee, event):
    """The key of a step and the answers by which an event is entered, and whether it is asked."""
    game, setup = referee.game, referee.setup
    guidance = guidance_of(game, referee.view(None))
    for key, step in offers_of(referee, guidance).items():
        if (step.verb, step.seat, step.audience) != (event.verb, event.seat, event.audience):
            continue
        if len(step.event.args) != len(event.args):
            continue
        places, parts = positions_of(game, step), parts_of(game, step)
        settled = set(range(len(event.args))) - set(places)
        if any(step.event.args[k] != event.args[k] for k in settled):
            continue
        answers = [
            answer(need, parts[place], event.args[place], setup)
            for need, place in zip(step.needs, places, strict=True)
            if len(need.candidates) != 1 or need.kind in (NeedKind.CARD, NeedKind.CARDS)
        ]
        return key, answers, step.commits
    raise AssertionError(f"no step for {event}: {[s.title for s in guidance.steps]}")


@pytest.mark.parametrize("name", MATCHES)
def test_a_whole_match_is_played_by_steps_alone(terminal, name):
    count, options, trusted = MATCHES[name]
    game, players = get_game(name), NAMES[:count]
    stated = [f"--option={key}={value}" for key, value in options.items()]
    trust = "trusted" if trusted else "open"
    table = terminal(name, f"--players={','.join(players)}", f"--referee={trust}", *stated)
    mirror = Referee(game, game.setup(players, options, trusted=trusted))
    shown = table.read()
    bots = [list(game.bots.values())[-1]] * count
    for event in play_events(mirror, bots, random.Random(7)):
        key, answers, commits = typed_for(mirror, event)
        for text in (key, *answers, *(["y"] if commits else [])):
            shown = table.type(text)
            is_secret = event.audience is not None and text in answers and text
            assert not (is_secret and shown.startswith(text)), "it was echoed"
            assert not (len(text) > 15 and is_secret and text in shown)
        mirror.accept(event)
        mirror.follow_up()
        assert shown.endswith("> "), shown
        headline = guidance_of(game, mirror.view(None)).headline
        assert headline.split()[0] in shown, shown
    assert mirror.state.table.over
    table.type("quit")
    screen = CODES.sub("", table.seen)
    assert not CODE.search(screen), CODE.search(screen)
    with Journal() as book:
        played = book.resume(1).referee
        assert [e.args for e in played.events] == [e.args for e in mirror.events]
        assert played.state.table.scores == mirror.state.table.scores


# -- hesitating ------------------------------------------------------------------------------------


@pytest.fixture
def precognition(terminal):
    table = terminal("precognition", "--players=Ann,Bo")
    table.read()
    return table


def test_enter_goes_back_and_nothing_is_recorded(precognition):
    precognition.type("3")
    assert "Nothing was recorded." in precognition.type("")
    precognition.type("quit")
    with Journal() as book:
        assert not book.resume(1).referee.log


def test_a_line_or_a_command_may_be_typed_in_place_of_an_answer(precognition):
    precognition.type("3")
    assert "1 Bo places" not in precognition.type("Ann: place 7S")
    precognition.type(
        "1"
    )  # the third step has become the first: a prediction no longer comes first
    assert "Ann places 7♠" in precognition.type("log")


def test_what_is_possible_is_said(precognition):
    assert "The card placed (such as A♠)" in precognition.type("3")
    every = precognition.type("?")
    assert "A♠ 2♠ 3♠" in every
    assert "K♣" in every
    wrong = precognition.type("seven of harts")
    assert "names no card: write it like 6♠ or 6 of Spades." in wrong
    assert "Ann places 7♥" in precognition.type("seven of hearts")


def test_cards_alone_are_taken_by_the_only_step_for_them(terminal):
    table = terminal("oh-hell", "--players=Ann,Bo,Cy", "--option=cards=1")
    table.read()
    assert "1 5♠ is turned up" in table.type("5s")
    for text in ("1", "0", "1", "0"):
        table.type(text)
    told = table.type("1")
    assert "The tricks: only 0. The last to bid may not make it 1" in told
    assert "5 Ann plays K♦." in table.type("king of diamonds")


def test_rare_steps_stand_behind_more(terminal):
    table = terminal("hearts", "--players=Ann,Bo,Cy,Dee")
    table.read()
    told = table.type("Ann: play 2C")
    assert "   2  Stop here, as all agree\nmore  Show rarer steps\n" in told
    assert "takes all" not in told
    assert "   4  Bo takes all remaining tricks\n" in table.type("more")
    assert "Bo takes all remaining tricks. Is that meant?" in table.type("4")
    assert "2 Bo takes the last 13 tricks." in table.type("y")


def test_what_a_blank_takes_is_said_in_words(terminal):
    table = terminal("suspense", "--players=Ann,Bo")
    table.read()
    table.type("1")
    table.type("1")
    table.type("1")
    assert "“zz” names no card: write it like white 1.\n" in table.type("zz")
    table.type("!")
    assert "! “!” is seen twice" in table.type("Bo: play !")
    table.type("n")
    assert "6 of them, such as white 1, white 5, black 3 …" in table.type("3")
    assert "This takes 6, not 2." in table.type("w2 w3")


def test_the_pin_is_asked_for_before_the_secret(terminal):
    table = terminal("gotcha", "--players=Ann,Bo", "--option=deal=3")
    table.read()
    table.type("quit")
    with Journal() as book:
        book.resume(1).set_pin(0, "7391")
    table = terminal("--continue", "1")
    table.read()
    assert table.type("3").endswith("Ann's PIN: ")
    assert "For Ann alone" in table.type("7391")
    assert "1 Ann's hand is recorded: 3 cards." in table.type("as 4h kd")


def test_no_line_is_longer_than_the_terminal_is_wide(terminal):
    table = terminal("gotcha", "--players=Ann,Bo")
    termios.tcsetwinsize(table.screen, (40, 48))
    table.read()
    table.type("1")
    table.type("help")
    table.type("3")
    table.type("quit")
    shown = CODES.sub("", table.seen).split("\n")
    assert max(len(line.rstrip()) for line in shown) <= 48
    assert "   3  Record Ann's hand (Ann alone)" in shown


def test_what_is_not_understood_says_what_to_type(precognition):
    assert "Did you mean “undo”?" in precognition.type("undoo")
    assert "“hello there” is not understood: type the number" in precognition.type("hello there")
    assert "There is no step 99." in precognition.type("99")
    assert "Score: Ann 0, Bo 0." in precognition.type("scores")
    shown = precognition.type("help")
    assert "Ann: place AS" in shown
    assert not re.search("NAME|VERB", shown)


def test_undo_says_what_it_takes_back_and_nothing_older(precognition):
    precognition.type("Ann: place 7S")
    precognition.type("Bo: place 8S")
    told = precognition.type("undo")
    assert "Undone: 2 Bo places 8♠." in told
    assert "Ann places 7♠: card 1" not in told


def test_a_question_presets_no_answer(precognition):
    shown = precognition.type("7")
    assert shown.endswith("Stop here, as all agree. Is that meant? Type y for yes, n for no: ")
    assert precognition.type("").endswith("n for no: ")
    assert "Nothing was recorded." in precognition.type("n")
    precognition.type("quit")
    with Journal() as book:
        assert not book.resume(1).referee.log


def test_a_recorded_hand_is_confirmed_and_nothing_of_it_shown(terminal):
    table = terminal("gotcha", "--players=Ann,Bo", "--option=deal=3")
    table.read()
    table.type("3")
    told = table.type("as 4h kd")
    assert "1 Ann's hand is recorded: 3 cards." in told
    assert not re.search("A♠|4♥|K♦|4h", told.split("recorded", 1)[1])


def test_a_secret_that_is_refused_is_said_to_its_player_alone(terminal):
    table = terminal("gotcha", "--players=Ann,Bo", "--option=deal=3")
    table.read()
    table.type("3")
    start = len(table.seen)
    table.type("as 4h zz")
    raw = table.seen[start:]
    before, _, secret = raw.partition("\x1b[?1049h")
    assert "zz" not in before
    assert "“zz” names no card" in secret.partition("\x1b[?1049l")[0]
    assert "zz" not in secret.partition("\x1b[?1049l")[2]


def test_lines_that_contradict_are_named_as_they_are_counted(terminal):
    """Ann's note in between is a line that she alone counts."""
    table = terminal("missing-persons", "--players=Ann,Bo", "--option=questions=cryptic")
    table.read()
    for line in (
        "Ann: hide ??", "Bo: hide ??", "table: deal Ann 2S 3S 4S 5S 6S 7S 8S 9S 10S JS",
        "table: deal Bo 2H 3H 4H 5H 6H 7H 8H 9H 10H JH", 'Ann: ask cryptic "nice?"', "Bo: no",
        "Ann*: sketch 2H 3H",
    ):  # fmt: skip
        table.type(line)
    told = table.type("Bo: reveal 2S")
    assert "2♠ is seen twice: in Ann's display (line 3) and" in told
    assert "(line 7)." in told
    assert told.endswith("Record it anyway? Type y for yes, n for no: ")
    told = table.type("y")
    assert "   7 " in told
    assert "seen twice" not in told, "it was said"


def test_without_the_signs_a_terminal_reads_codes(terminal, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1:replace")
    table = terminal("precognition", "--players=Ann,Bo")
    table.read()
    told = table.type("Ann: place 7S")
    assert "7S" in told
    assert "♠" not in told
