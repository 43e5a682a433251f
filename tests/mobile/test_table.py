"""View-models without a window: proposals, doubts, undo, the row's cells and edits."""

import json
from dataclasses import replace

import pytest

from companion.cards import Change, card, parse_cards
from companion.core.events import Event, private
from companion.core.registry import get_game
from mobile.model import demo_script, rows, zones
from mobile.model.camera_worker import FrameReport
from mobile.model.table import Table
from vision.types import CardRead, Reading, Sighting

GAME = get_game("precognition")


@pytest.fixture
def table():
    made = Table(GAME, GAME.setup(["Ann", "Bo"]))
    for seat in (0, 1):
        made.do(private(seat, "predict", "UD"))
    return made


def place(code, sure=0.99, settled=True, others=(), since=0.0):
    return Sighting(card(code), "row", 0, since, sure, tuple(others), settled=settled)


def look(table, *places, t=1.0):
    reading = Reading((64, 48))
    return FrameReport(table.stamp, t, reading, 0.1, "steady", places)


def row(table):
    return [c.code for c in table.state.row]


def test_sure_cards_are_recorded_in_order_with_their_source(table):
    assert table.see(look(table, place("2S"), place("6H")))
    assert row(table) == ["2S", "6H"]
    assert table.referee.events[-1].provenance == ("camera", 0.99)
    assert not table.see(look(table, place("2S"), place("6H")))


def test_another_tables_message_is_dropped(table):
    other = Table(GAME, GAME.setup(["Ann", "Bo"]))
    assert not table.see(look(other, place("2S")))
    assert row(table) == []


def test_a_doubtful_card_is_asked_about_and_holds_up_the_rest(table):
    unsure = place("6H", 0.6, settled=False, others=[(card("6D"), 0.4)])
    table.see(look(table, place("2S"), unsure, place("9C")))
    assert row(table) == ["2S"]
    assert table.question.card.code == "6H"
    assert table.accept_question(card("6D"))
    assert table.question is None
    table.see(look(table, place("2S"), unsure, place("9C")))
    assert row(table) == ["2S", "6D", "9C"]


def test_an_answer_to_a_question_that_is_gone_records_nothing(table):
    for name in ("6H", "7H"):
        asked = table.question
        table.see(look(table, place("2S"), place(name, 0.6, settled=False), place("9C")))
    assert (asked.card.code, table.question.card.code) == ("6H", "7H")
    assert not table.accept_question(card("6D"), asked=asked)
    assert "something else" in table.message
    assert row(table) == ["2S"]
    assert table.accept_question(card("7D"), asked=table.question)
    assert row(table) == ["2S", "7D"]


def test_a_passing_shadow_at_the_end_is_no_question(table):
    table.see(look(table, place("2S"), place("6H", 0.6, settled=False)))
    assert row(table) == ["2S"]
    assert table.question is None


def test_what_was_waved_aside_is_not_asked_again(table):
    unsure = place("6H", 0.6, settled=False)
    assert not table.see(look(table, unsure))
    table.see(look(table, unsure, t=1.5))
    table.dismiss_question()
    assert not table.see(look(table, unsure, t=1.6))
    table.look_again()
    assert table.see(look(table, unsure, t=1.7))


def test_undo_is_not_undone_by_the_camera(table):
    table.see(look(table, place("2S"), place("6H")))
    table.undo()
    table.see(look(table, place("2S"), place("6H")))
    assert row(table) == ["2S"]
    assert table.tap(card("6H"))
    assert row(table) == ["2S", "6H"]


def test_a_card_that_reads_otherwise_now_is_put_to_the_people(table):
    table.see(look(table, place("2S"), place("6H")))
    table.see(look(table, place("2S"), place("8H")))
    assert table.question.old.code == "6H"
    assert table.accept_question()
    assert row(table) == ["2S", "8H"]


def test_a_sure_reading_against_the_rules_is_said_and_not_bent():
    table = Table(GAME, GAME.setup(["Ann", "Bo"], trusted=True))
    table.do(private(0, "predict", "UD"))
    table.do(private(1, "predict", "UD"))
    table.see(look(table, place("2S")))
    assert row(table) == []
    assert "hand" in table.question.why
    assert not table.question.is_possible


def test_refusals_are_told(table):
    assert table.tap(card("2S"))
    assert not table.tap(card("2S"))
    assert "2♠" in table.message


def test_predictions_are_due_in_secret_until_written():
    table = Table(GAME, GAME.setup(["Ann", "Bo"]))
    assert [(due.seat, due.verb, due.is_secret) for due in table.due()] == [
        (0, "predict", True),
        (1, "predict", True),
    ]
    table.do(private(0, "predict", "UD"))
    assert [due.seat for due in table.due()] == [1]
    assert [guess.text for guess in rows.guesses(table)] == [None, None]
    assert [guess.is_written for guess in rows.guesses(table)] == [True, False]


def test_cards_before_the_predictions_are_asked_about_and_never_recorded():
    table = Table(GAME, GAME.setup(["Ann", "Bo"]))
    table.do(private(0, "predict", "UD"))
    assert table.see(look(table, place("2S"), place("6H")))
    assert row(table) == []
    assert table.question.is_early
    assert table.start_question == "Bo has not written. Start anyway?"
    # They lie there still when Bo has written: nobody has said that they count.
    table.do(private(1, "predict", "UD"))
    for _ in range(20):
        table.see(look(table, place("2S"), place("6H")))
    assert row(table) == []
    assert table.accept_question()
    table.see(look(table, place("2S"), place("6H")))
    assert row(table) == ["2S", "6H"]


def test_early_cards_that_are_taken_away_are_forgotten():
    table = Table(GAME, GAME.setup(["Ann", "Bo"]))
    table.see(look(table, place("KC")))
    table.dismiss_question()
    assert not table.see(look(table, place("KC"))), "it is not asked again"
    for seat in (0, 1):
        table.do(private(seat, "predict", "UD"))
    for _ in range(8):
        table.see(look(table))
    table.see(look(table, place("2S")))
    assert row(table) == ["2S"]


def test_a_match_taken_up_before_its_first_card_ignores_the_last_ones():
    cards = parse_cards("2S 6H 5C 9D")
    table = Table(GAME, GAME.setup(["Ann", "Bo"], cards=cards))
    for seat, text in ((0, "UD"), (1, "DDD")):
        table.do(private(seat, "predict", text))
    for laid in cards:
        table.tap(laid)
    table.do(Event("match"))
    for seat in (0, 1):
        table.do(private(seat, "predict", "UD"))

    class Kept:
        referee = table.referee

    again = Table(GAME, table.setup, Kept())
    for _ in range(3):
        again.see(look(again, *(place(card.code) for card in cards)))
    assert row(again) == []


def test_the_sessions_referee_is_the_tables_whenever_it_is_replaced():
    class Kept:
        pass

    Kept.referee = Table(GAME, GAME.setup(["Ann", "Bo"])).referee
    table = Table(GAME, GAME.setup(["Ann", "Bo"]), Kept)
    Kept.referee = Table(GAME, GAME.setup(["Ann", "Bo"])).referee
    assert table.do(private(0, "predict", "UD"))
    assert len(Kept.referee.events) == 1
    assert table.referee is Kept.referee


def test_a_correction_that_contradicts_the_table_is_objected_to(table):
    table.do(
        private(
            0,
            "hand",
            parse_cards("AS 2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS")
            + parse_cards("AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH"),
        )
    )
    table.tap(card("2S"))
    table.tap(card("9C"))
    assert table.objections(table.replacing(table.referee.events[-1].n, card("2S")))
    correction = table.replacing(table.referee.events[-1].n, card("8C"))
    assert not table.objections(correction)
    table.do(correction)
    assert table.undoes == "the correction of line 5"


def test_the_row_is_edited_and_turns_follow(table):
    for code in ("2S", "6H", "4D"):
        table.tap(card(code))
    assert rows.insert(table, 2, card("KC"))
    assert row(table) == ["2S", "KC", "6H", "4D"]
    assert rows.delete(table, 1)
    assert row(table) == ["KC", "6H", "4D"]
    assert table.replace(rows.fixing(table, 3), card("9D"))
    assert row(table) == ["KC", "6H", "9D"]
    assert [cell.letter for cell in rows.cells(table)] == ["", "D", "U"]
    assert table.state.table.to_move == 1


def test_doubtful_cells_are_marked(table):
    table.see(look(table, place("2S", 0.97)))
    table.see(look(table, place("2S", 0.97), place("6H", 0.5, settled=False), t=2.0))
    table.accept_question()
    cells = rows.cells(table)
    assert [cell.is_doubtful for cell in cells] == [False, False]


def test_the_demo_ends_with_the_stretch_of_the_rules():
    table = demo_script.table(demo_script.load())
    for laid in parse_cards("2S 6H 5C 4D 7S 9D 7H AC 2H 2D 5S 8C"):
        assert table.tap(laid)
    ann, bo = rows.guesses(table)
    assert (ann.has_won, ann.stretch.start, ann.stretch.end) == (True, 4, 11)
    assert not bo.has_won
    lit = [cell.number for cell in rows.cells(table) if cell.in_stretch]
    assert lit == list(range(4, 12))
    table.do("table: match")
    assert not any(guess.has_won for guess in rows.guesses(table)), "it was the match before"


def test_a_card_is_tapped_in_only_where_one_can_be_recorded():
    gotcha, deduction = get_game("gotcha"), get_game("deduction")
    table = Table(gotcha, gotcha.setup(["Ann", "Bo"]))
    assert not table.takes_cards, "nothing was guessed"
    table.do("Ann: guess Bo smallest 1 is A")
    assert table.takes_cards
    table = Table(deduction, deduction.setup(["Ann", "Bo", "Cy", "Dee"]))
    table.message = "kept"
    assert not table.takes_cards, "nothing is dealt face up"
    assert table.message == "kept"


# -- games whose cards lie in zones ------------------------------------------------------------


def lies(code, zone, sure=0.99, **more):
    return Sighting(card(code), zone, 0, 0.0, sure, **more)


def zone_look(table, *lying, turned=()):
    reading = Reading((64, 48))
    return FrameReport(table.stamp, 1.0, reading, 0.1, "steady", lying, turned)


@pytest.fixture
def gotcha():
    game = get_game("gotcha")
    return Table(game, game.setup(["Ann", "Bo"], {"deal": "4"}))


def test_a_card_on_the_pile_answers_the_guess(gotcha):
    gotcha.do("Ann: guess Bo smallest 2 is 9")
    assert gotcha.see(zone_look(gotcha, lies("9S", "pile")))
    assert gotcha.referee.events[-1].args[0] is card("9S")
    assert gotcha.referee.events[-1].provenance == ("camera", 0.99)
    assert not gotcha.see(zone_look(gotcha, lies("9S", "pile")))
    assert gotcha.question is None


def test_out_of_turn_is_explained_and_goes_when_its_time_comes(gotcha):
    assert gotcha.see(zone_look(gotcha, lies("9S", "pile")))
    assert "guess" in gotcha.question.why
    assert not gotcha.question.is_possible
    gotcha.do("Ann: guess Bo smallest 2 is 9")
    assert gotcha.see(zone_look(gotcha, lies("9S", "pile")))
    assert gotcha.question is None
    assert gotcha.referee.events[-1].verb == "right"


def test_not_possible_is_explained_and_fixed_with_any_card(gotcha):
    gotcha.do("Ann: guess Bo smallest 2 is 9")
    gotcha.see(zone_look(gotcha, lies("6S", "pile", 0.95)))
    assert "card of that rank" in gotcha.question.why
    assert not gotcha.accept_question()
    assert gotcha.accept_question(card("9H"))
    assert gotcha.referee.events[-1].args[0] is card("9H")
    gotcha.see(zone_look(gotcha, lies("6S", "pile", 0.95)))
    assert gotcha.question is None, "it is known to be another card"


def test_a_doubtful_card_waits_for_one_tap(gotcha):
    gotcha.do("Ann: guess Bo smallest 2 is 9")
    doubtful = lies("9S", "pile", 0.6, alternatives=((card("9C"), 0.38),), settled=False)
    gotcha.see(zone_look(gotcha, doubtful))
    assert (gotcha.question.card.code, gotcha.question.why) == ("9S", "")
    assert not gotcha.see(zone_look(gotcha, doubtful))
    assert gotcha.accept_question()
    assert gotcha.referee.events[-1].verb == "right"


def test_what_is_waved_aside_or_taken_away_is_no_question(gotcha):
    gotcha.see(zone_look(gotcha, lies("9S", "pile")))
    gotcha.dismiss_question()
    gotcha.see(zone_look(gotcha, lies("9S", "pile")))
    assert gotcha.question is None
    gotcha.see(zone_look(gotcha, lies("9S", "pile"), lies("5D", "pile")))
    assert gotcha.question.card.code == "5D"
    gotcha.see(zone_look(gotcha, lies("9S", "pile")))
    assert gotcha.question is None


def test_undo_is_not_undone_by_the_camera_in_zones(gotcha):
    gotcha.do("Ann: guess Bo smallest 2 is 9")
    gotcha.see(zone_look(gotcha, lies("9S", "pile")))
    gotcha.undo()
    gotcha.see(zone_look(gotcha, lies("9S", "pile")))
    assert gotcha.referee.events[-1].verb == "guess"


def test_a_card_that_reads_otherwise_now_is_put_to_the_people_in_zones():
    game = get_game("suspense")
    table = Table(game, game.setup(["Ann", "Bo"]))
    one, two = (c for c in game.all_cards(table.setup) if c.code in ("W1", "W2"))
    table.do("table: dealer Ann")
    seen = Sighting(one, "play:1", 0, 0.0, 0.99)
    assert table.see(zone_look(table, seen))
    table.do("Bo: pass")
    again = Sighting(two, "play:1", 0, 0.0, 0.99, change=Change.CORRECTED, was=one)
    table.see(zone_look(table, again))
    assert (table.question.card, table.question.old) == (two, one)
    assert table.accept_question()
    assert table.state.played[0] == (two,)


def drawn_onto_a_suspect():
    """A table of Missing Persons at which one card was drawn onto one turned-over suspect."""
    game = get_game("missing-persons")
    table = Table(game, game.setup(["Ann", "Bo"], {"draw": "one", "questions": "any"}))
    for line in (
        "Ann: hide ??",
        "Bo: hide ??",
        "table: deal Ann AS 2S 3S 4S 5S 6S 7S 8S 9S 10S",
        "table: deal Bo AH 2H 3H 4H 5H 6H 7H 8H 9H 10H",
        'Ann: ask "red"',
        "Bo: yes",
        "Ann: turn 2S",
        "Ann: draw KD on 2S",
        "Ann: turn 3S",
    ):
        assert table.do(line), table.message
    return table


def test_a_misread_card_is_replaced_and_the_one_it_lies_on_is_not():
    table = drawn_onto_a_suspect()
    event = table.referee.events[-2]
    assert table.replacing(event.n, card("KH")).args[1].args == (card("KH"), card("2S"))
    assert table.replacing(event.n, card("3S"), card("2S")).args[1].args == (card("KD"), card("3S"))
    assert table.replacing(event.n, card("KH"), card("9C")) is None
    again = Sighting(card("KH"), "display:1", 0, 0.0, 0.99, change=Change.CORRECTED, was=card("KD"))
    table.see(zone_look(table, again))
    assert table.question.old is card("KD")
    assert table.accept_question(), table.message
    assert table.referee.events[-2].args == (card("KH"), card("2S"))


def test_a_card_that_others_are_laid_on_is_not_looked_for_in_their_events():
    table = drawn_onto_a_suspect()
    again = Sighting(card("2C"), "display:1", 0, 0.0, 0.99, change=Change.CORRECTED, was=card("2S"))
    table.see(zone_look(table, again))
    assert table.question is None or not table.question.replaces


def test_whose_cards_they_are_is_told_by_where_they_lie():
    game = get_game("suspense")
    table = Table(game, game.setup(["Ann", "Bo"]))
    card_ = next(c for c in game.all_cards(table.setup) if c.code == "B5")
    table.do("table: dealer Ann")
    table.see(zone_look(table, Sighting(card_, "play:2", 0, 0.0, 0.99)))
    assert "turn" in table.question.why


def test_the_last_matchs_cards_are_no_part_of_the_next():
    """They are gathered first, whatever is read of them meanwhile."""
    game = get_game("precognition")
    table = Table(game, game.setup(["Ann", "Bo"], cards=parse_cards("2S 2H 5C 9D")))
    for seat in (0, 1):
        table.do(private(seat, "predict", "UD"))
    laid = [place(code) for code in ("2S", "2H", "5C", "9D")]
    table.see(look(table, *laid))
    assert table.state.table.match_over
    assert not table.is_gathering
    assert table.do(Event("playoff", ((0, 1),))), table.message
    for seat in (0, 1):
        table.do(private(seat, "predict", "UD"))
    assert table.is_gathering
    read = CardRead(card("2H"), 0.9, ((0, 0), (1, 0), (1, 1), (0, 1)), ())
    there = replace(look(table, *laid), reading=Reading((64, 48), (read,)))
    for _ in range(20):
        assert not table.see(there)
    for _ in range(5):
        table.see(look(table, *laid))
    assert table.is_gathering
    assert not table.see(look(table, *laid))
    assert not table.is_gathering
    assert row(table) == []
    table.see(look(table, place("5C")))
    assert row(table) == ["5C"]


def test_the_least_sure_card_of_a_display_is_the_one_to_look_at():
    game = get_game("missing-persons")
    table = Table(game, game.setup(["Ann", "Bo"]))
    cards = parse_cards("2S 3S 4S 5S 6S 7S 8S 9S 10S JS")
    lying = tuple((c, 0.6 if c.code == "6S" else 0.99) for c in cards)
    seen = [
        Sighting(c, "display:1", k, 0.0, p, settled=p > 0.9, lying=lying)
        for k, (c, p) in enumerate(lying)
    ]
    table.see(zone_look(table, *seen))
    assert table.question.card.code == "6S"
    assert table.accept_question(card("6C"))
    assert card("6C") in table.state.suspects(0)
    table.do("table: deal Bo 2H 3H 4H 5H 6H 7H 8H 9H 10H JH")
    over = Sighting(card("2S"), "display:1", 0, 0.0, 0.99, change=Change.TURNED_OVER)
    table.see(zone_look(table, turned=(over,)))
    assert card("2S") not in table.state.suspects(0)


def test_a_games_places_follow_the_tables_corners():
    game = get_game("suspense")
    table = Table(game, game.setup(["Ann", "Bo"]))
    corners = ((0.2, 0.1), (0.8, 0.1), (1.0, 0.9), (0.0, 0.9))
    places = zones.of_table(table.zones, corners)
    assert places.at((0.5, 0.8)) == "play:1"
    assert places.at((0.5, 0.15)) == "play:2"
    assert places.at((0.05, 0.2)) is None
    game = get_game("gotcha")
    single = Table(game, game.setup(["Ann", "Bo"]))
    assert zones.of_table(single.zones, zones.WHOLE).at((0.9, 0.9)) == "pile"


def test_a_calibrated_tables_zones_are_the_games(tmp_path):
    """Zones by players' names are shared by what those players have; the rest is nobody's."""
    sides = {
        "bo": [(0.0, 0.0), (1.0, 0.0), (0.9, 0.4), (0.1, 0.4)],
        "Ann": [(0.1, 0.6), (0.9, 0.6), (1.0, 1.0), (0.0, 1.0)],
        "between": [(0.1, 0.4), (0.9, 0.4), (0.9, 0.6), (0.1, 0.6)],
    }
    (tmp_path / zones.FILE).write_text(json.dumps({"zones": sides, "plane": []}))
    known = zones.calibrated(tmp_path)
    assert zones.load(tmp_path) == zones.WHOLE
    game = get_game("suspense")
    table = Table(game, game.setup(["Ann", "Bo"]))
    places = zones.of_calibrated(table.zones, table.setup.players, known)
    assert places.at((0.5, 0.8)) == "play:1"
    assert places.at((0.5, 0.2)) == "play:2"
    assert places.at((0.5, 0.5)) == "secret"
    game = get_game("missing-persons")
    table = Table(game, game.setup(["Ann", "Bo"]))
    places = zones.of_calibrated(table.zones, table.setup.players, known)
    assert places.at((0.15, 0.9)) == "hideout:1"
    assert places.at((0.5, 0.9)) == "display:1"
    assert places.at((0.05, 0.02)) == "hideout:2"
    strangers = Table(game, game.setup(["Cy", "Dee"]))
    assert zones.of_calibrated(strangers.zones, strangers.setup.players, known) is None
    assert zones.of_calibrated(table.zones, table.setup.players, {}) is None
    zones.save(tmp_path, zones.moved(zones.WHOLE, 0, (0.2, 0.2)))
    assert zones.calibrated(tmp_path) == {}, "whoever drags the corners has set it up anew"


def test_the_eyes_of_a_camera_watch_the_calibrated_zones(tmp_path):
    from mobile.services import AppServices

    half = [(0.0, 0.5), (1.0, 0.5), (1.0, 1.0), (0.0, 1.0)]
    (tmp_path / zones.FILE).write_text(json.dumps({"zones": {"pile": half}}))
    services = AppServices(tmp_path, None, object, lambda _name: None)
    game = get_game("gotcha")
    table = Table(game, game.setup(["Ann", "Bo"]))
    assert services.eyes(table, "camera").zones.at((0.5, 0.2)) is None
    assert services.eyes(table, "camera").zones.at((0.5, 0.7)) == "pile"
    assert services.eyes(table, "clip.mp4").zones.at((0.5, 0.2)) == "pile"


def test_how_to_deal_is_said_until_something_is_known_to_be_recorded():
    game = get_game("gotcha")
    table = Table(game, game.setup(["Ann", "Bo"], {"deal": "20"}))
    said = "Deal 20 cards to each. Hold them in ascending order."
    assert table.opening == said
    table.do("Ann: guess Bo smallest 1 is 2")
    assert table.opening == ""
    table.undo()
    assert table.opening == said
