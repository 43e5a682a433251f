"""Sessions come back as they were left, and let out only what they may."""

import json
import os
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.cards import card
from companion.core.events import private, public
from companion.core.notation import read_match
from companion.core.referee import Referee
from companion.core.registry import all_games, get_game
from companion.errors import CompanionError, IllegalError, UnreadableError
from companion.games.suspense.conditions import DEFAULT_CONDITIONS
from companion.journal import REFEREE, JournalError, NotYetError, PinError, ReadOnlyError
from tests.companion.journal.play import Place, everything, plain, script, sql

EVERY_GAME = [game.name for game in all_games()]


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_whole_session_comes_back(place, name, trusted):
    game, setup, lines = script(name, trusted=trusted)
    with place.open() as journal:
        session = journal.begin(game, setup)
        session.referee.submit_all(lines)
        expected = everything(session.referee)
    with place.open() as journal:
        session = journal.resume(1)
        assert everything(session.referee) == expected
        assert session.setup == setup
        assert (session.damage, session.differences) == ("", ())


def test_options_and_small_decks_come_back(place):
    game = get_game("gotcha")
    cards = tuple(card(code) for code in ("AS", "2S", "3S", "4S", "5S", "6S"))
    setup = game.setup(["Ann", "Bo"], {"starter": "Bo", "deal": "3"}, trusted=(True, False))
    with place.open() as journal:
        first = journal.begin(game, setup)
        second = journal.begin(game, replace(setup, cards=cards))
        assert first.setup == setup
        assert second.setup.cards == cards


def test_a_deck_file_is_needed_only_once(place):
    game = get_game("suspense")
    deck = place.folder / "deck.json"
    conditions = {c.code: str(each) for c, each in DEFAULT_CONDITIONS.items()}
    conditions["W1"], conditions["W2"] = conditions["W2"], conditions["W1"]
    deck.write_text(json.dumps(conditions), "utf-8")
    setup = game.setup(["Ann", "Bo"], {"conditions": str(deck)})
    with place.open() as journal:
        session = journal.begin(game, setup)
        assert session.referee.state.printed == game.initial(setup).printed
        assert session.referee.state.printed != DEFAULT_CONDITIONS
        with pytest.raises(JournalError, match="cannot be kept"):
            journal.begin(game, replace(setup, options=dict(setup.options) | {"target": "\ud800"}))
    deck.unlink()
    with place.open() as journal:
        again = journal.resume(1)
        assert again.referee.state.printed == session.referee.state.printed


def actions(name):
    """What may be done to a journal, as (kind, number)."""
    kinds = ("next", "next", "next", "undo", "redo", "garbage", "again", "correct", "reopen")
    return st.lists(st.tuples(st.sampled_from(kinds), st.integers(0, 10**6)), max_size=30)


@pytest.mark.soak
@pytest.mark.parametrize("name", EVERY_GAME)
@settings(max_examples=200 if os.environ.get("SOAK_EVENTS") else 8)
@given(data=st.data())
def test_any_history_comes_back(name, tmp_path_factory, data):
    """The journal's referee and one in memory, given the same lines, are the same all along."""
    place = Place(tmp_path_factory.mktemp("journal"))
    game, setup, lines = script(
        name, data.draw(st.integers(0, 3)), trusted=data.draw(st.booleans())
    )
    beside = Referee(game, setup)
    journal = place.open()
    session = journal.begin(game, setup)
    for kind, number in data.draw(actions(name)):
        if kind == "reopen":
            journal.close()
            journal = place.open()
            session = journal.resume(session.id)
            assert everything(session.referee) == everything(beside)
            continue
        depth = len(beside.events)
        text = {
            "next": lines[min(depth, len(lines) - 1)],
            "undo": "table: undo",
            "redo": "table: redo",
            "garbage": f"Ann: {number} …",
            "again": lines[number % len(lines)],
            "correct": f"table: correct {number % (depth + 2)} {lines[number % len(lines)]}",
        }[kind]
        session.referee.submit(text)
        beside.submit(text)
        assert plain(session.referee)[-1] == plain(beside)[-1]
    journal.close()
    with place.open() as journal:
        assert everything(journal.resume(1).referee) == everything(beside)


def test_lists_follow_the_events(place):
    game, setup, lines = script("suspense")
    journal = place.open()
    session = journal.begin(game, setup)
    session.referee.submit_all(lines[:-1])
    (info,) = journal.sessions()
    assert not info.over
    assert journal.unfinished() == (info,)
    session.referee.accept(lines[-1])
    table = session.referee.state.table
    (info,) = journal.sessions()
    assert info.over
    assert info.match == table.match
    assert tuple(info.scores.values()) == table.scores
    assert info.winners == tuple(setup.players[seat] for seat in table.winners)
    assert info.reasons == table.reasons
    assert info.events == len(lines)
    assert journal.unfinished() == ()
    session.referee.undo()
    assert not journal.sessions()[0].over
    journal.close()


def test_lists_after_a_kill_are_made_from_the_events(place):
    """As a killed process leaves it: the last events are there, lists are behind."""
    game, setup, lines = script("gotcha")
    journal = place.open()
    session = journal.begin(game, setup)
    session.referee.submit_all(lines)
    journal.store._drop()
    for read_only in (True, False):
        with place.open(read_only=read_only) as journal:
            (info,) = journal.sessions()
            assert info.over
            assert tuple(info.scores.values()) == session.referee.state.table.scores


def test_the_last_match_and_its_scores_stand_in_tables(place):
    game, setup, lines = script("suspense")
    with place.open() as journal:
        session = journal.begin(game, setup)
        session.referee.submit_all(lines)
        table = session.referee.state.table
        first = next(
            node.event.n for node in session.referee.nodes if node.state.table.match == table.match
        )
    assert table.match > 1
    kept = sql(place.path, "SELECT number, first, over FROM matches")
    assert kept == [(table.match, first, 1)]
    scores = sql(place.path, "SELECT match, points FROM scores ORDER BY seat")
    assert scores == [(table.match, points) for points in table.scores]


# -- gates -----------------------------------------------------------------------------------


def test_before_the_end_only_public_and_own_exports_exist(place):
    game = get_game("precognition")
    row = "2S 3S 2H 2D 3D 4D 2C 3C 3H 4H"
    setup = game.setup(["Ann", "Bo"], cards=tuple(card(code) for code in row.split()))
    with place.open() as journal:
        session = journal.begin(game, setup)
        session.referee.submit_all(["Ann*: predict UD", "Bo*: predict SSUDDUUS"])
        lines = [f"table: row {row}"]
        secret = "SSUDDUUS"
        ann, bo = session.unlock(0), session.unlock(1)
        for refused in (
            lambda: session.export_text(REFEREE),
            lambda: session.replay(REFEREE),
            session.match_text,
        ):
            with pytest.raises(NotYetError, match="not over"):
                refused()
        assert session.revealed is None
        assert f"predict {secret}" not in session.export_text()
        assert f"predict {secret}" not in session.export_text(ann)
        assert "Bo*: predict …" in session.export_text(ann)
        assert f"predict {secret}" in session.export_text(bo)
        assert [step.text for step in session.replay(ann).steps()] == [
            line.text for line in session.view(ann).log
        ]
        session.referee.accept(lines[-1])
        with pytest.raises(NotYetError, match="table: disclose"):
            session.export_text(REFEREE)
        session.referee.accept("table: disclose")
        text = session.export_text(REFEREE)
        assert secret in text
        assert read_match(text).setup.players == setup.players
        assert session.revealed == 4
        for line in ("table: undo", "table: correct 3 table: agree"):
            with pytest.raises(IllegalError, match="disclosed to all"):
                session.referee.accept(line)
        assert session.export_text(REFEREE) == text
        # What is written in secret since then is not shown with it.
        session.referee.submit("Ann*: mumbles afterwards")
        assert "mumbles" not in session.export_text(REFEREE)
        assert "mumbles" not in str([step.as_dict() for step in session.replay(REFEREE).steps()])
        with pytest.raises(NotYetError, match="stays hidden"):
            session.match_text()
        session.referee.accept("table: match")
        with pytest.raises(NotYetError, match="not over"):
            session.export_text(REFEREE)
        session.referee.accept("Ann*: predict DDD")
        assert "DDD" not in session.export_text()
        assert secret in session.export_text()
    with place.open() as journal:
        assert journal.resume(1).revealed == 4
        assert [info.disclosed for info in journal.sessions()] == [4]


def test_what_others_do_in_secret_leaves_no_gap_in_numbers(place):
    game, setup, lines = script("missing-persons")
    shown = []
    with place.open() as journal:
        for secrets in ([], ["Bo*: hand AS", "Bo*: nonsense"]):
            session = journal.begin(game, setup)
            session.referee.submit_all([*lines[:3], *secrets, *lines[3:6], "table: undo"])
            ann = session.unlock(0)
            steps = [
                [step.as_dict() for step in session.replay(who).steps()] for who in (ann, None)
            ]
            shown.append((steps, session.export_text(ann), session.export_text()))
    assert shown[0] == shown[1]


def test_what_is_locked_again_shows_nothing(place):
    game, setup, lines = script("precognition")
    with place.open() as journal:
        session, other = journal.begin(game, setup), journal.begin(game, setup)
        session.referee.submit_all(lines[:6])
        ann = session.unlock(0)
        assert session.view(ann).viewer == 0
        with pytest.raises(PinError, match="another session"):
            other.view(ann)
        ann.lock()
        assert ann.locked
        for use in (session.view, session.marks, session.export_text, session.replay):
            with pytest.raises(PinError, match="needed again"):
                use(ann)
        with pytest.raises(PinError, match="no seat"):
            session.unlock(7)


def test_marks_are_kept(place):
    game, setup, _ = script("deduction")
    with place.open() as journal:
        session = journal.begin(game, setup)
        ann, bo = session.unlock(0), session.unlock(1)
        session.marks(ann).put("3S", "surely not")
        session.marks(ann).put("4S", "?")
        session.marks(ann).put("3S", "")
        assert session.marks(bo).all() == {}
        with pytest.raises(JournalError, match="too long"):
            session.marks(bo).put("x", "y" * 300_000)
    with place.open() as journal:
        session = journal.resume(1)
        assert session.marks(session.unlock(0)).all() == {"4S": "?"}
        assert session.marks(session.unlock(0)).get("9S", "-") == "-"
        assert session.marks(session.unlock(1)).all() == {}


# -- what cannot be kept ---------------------------------------------------------------------


def test_an_event_that_would_not_read_back_is_refused_and_nothing_counts(place):
    game, _, _ = script("missing-persons")
    with place.open() as journal:
        desk = journal.begin(game, game.setup(["Ann", "Bo"])).referee
        desk.accept("Ann: hide ??")
        with pytest.raises(JournalError, match="cannot be kept"):
            desk.accept(public(1, "hide", card("??"), comment="\ud800"))
        assert len(desk.log) == 1
        with pytest.raises(JournalError, match="cannot be kept"):
            desk.submit(private(1, "hide", card("AS"), comment="\ud800"))
        assert len(desk.log) == 1
        desk.accept(private(1, "hide", card("AS"), comment="fine; “quoted”\nsecond line"))
        expected = everything(desk)
    with place.open() as journal:
        assert everything(journal.resume(1).referee) == expected


def test_a_closed_session_takes_nothing_more(place):
    game, setup, lines = script("gotcha")
    with place.open() as journal:
        session = journal.begin(game, setup)
        session.referee.accept(lines[0])
        assert journal.resume(session.id) is session
        session.close()
        with pytest.raises(ReadOnlyError, match="closed"):
            session.referee.accept(lines[1])
        assert len(session.referee.log) == 1
        with pytest.raises(JournalError, match="no session 9"):
            journal.resume(9)
    with pytest.raises(JournalError, match="closed"):
        journal.sessions()


def test_events_that_are_judged_otherwise_now_are_named(place, monkeypatch):
    game, setup, lines = script("gotcha")
    with place.open() as journal:
        journal.begin(game, setup).referee.submit_all(lines[:5])
    stricter = game.verbs["guess"]

    def refuse(state, event):
        raise IllegalError("A newer rule.")

    monkeypatch.setitem(game.verbs, "guess", replace(stricter, verify=refuse))
    with place.open() as journal:
        session = journal.resume(1)
        numbers = tuple(n for n, line in enumerate(lines[:5], 1) if "guess" in line)
        assert numbers
        assert numbers[0] in session.differences
        assert session.damage == ""


def test_a_player_is_renamed(place):
    game, setup, lines = script("deduction")
    names = ("Ann", "Bob", "Cy")
    with place.open() as journal:
        session = journal.begin(game, replace(setup))
        session.set_pin(1, "4321")
        session.referee.submit_all(lines[:20])
        for bad in ("cy", "a*b", ""):
            with pytest.raises(UnreadableError):
                journal.rename(1, 1, bad)
        with pytest.raises(CompanionError, match="no seat"):
            journal.rename(1, 9, "Zed")
        journal.rename(1, 1, "Bob")
        session = journal.resume(1)
        assert session.setup.players == names
        assert session.damage == ""
        assert session.unlock(1, "4321").name == "Bob"
        log = " ".join(line.text for line in session.view().log).split()
        assert "Bob:" in log
        assert "Bo:" not in log
        assert journal.sessions()[0].players == names
        # The same person in the next session.
        assert journal.begin(game, game.setup(["bob", "Dee", "Eve"])).has_pin(0)
    assert b"Bo\0" not in place.bytes()


def test_a_starter_is_renamed_too(place):
    game = get_game("gotcha")
    with place.open() as journal:
        journal.begin(game, game.setup(["Ann", "Bo"], {"starter": "Bo"}))
        journal.rename(1, 1, "Bob")
        setup = journal.resume(1).setup
        assert setup.options["starter"] == "Bob"
        assert setup.first_starter == 1


def test_times_come_from_the_clock(place):
    game, setup, lines = script("gotcha")
    with place.open() as journal:
        first, second = journal.begin(game, setup), journal.begin(game, setup)
        place.clock.now += 100
        second.referee.accept(lines[0])
        place.clock.now += 100
        first.referee.accept(lines[0])
        infos = journal.sessions()
        assert [info.id for info in infos] == [1, 2]
        assert [info.touched - info.begun for info in infos] == [200, 100]


def test_many_sessions_side_by_side(place):
    rng = random.Random(5)
    with place.open() as journal:
        tables = [(journal.begin(*made[:2]), made[2]) for made in map(script, EVERY_GAME)]
        for _ in range(80):
            session, lines = rng.choice(tables)
            depth = len(session.referee.log)
            if depth < len(lines):
                session.referee.accept(lines[depth])
        expected = {session.id: everything(session.referee) for session, _ in tables}
    with place.open() as journal:
        for number, all_of_it in expected.items():
            assert everything(journal.resume(number).referee) == all_of_it
