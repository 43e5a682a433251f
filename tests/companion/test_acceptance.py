"""What becomes of sightings: recorded, asked about, or reported as against the rules."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from companion.cards import Card, Family, Spot, card
from companion.cli.eyes import WatchDesk
from companion.core.acceptance import Decision, judge, judge_all, spent_by
from companion.core.events import private, public
from companion.core.layout import layout
from companion.core.question import with_card
from companion.core.registry import all_games
from companion.core.watched_match import WatchedMatch
from companion.errors import CompanionError
from tests.companion.seating import seated


@dataclass(frozen=True, slots=True)
class Seen:
    card: Card
    zone: str
    confidence: float = 0.99
    alternatives: tuple[tuple[Card, float], ...] = ()
    change: str = "laid"
    lying: tuple[tuple[Card, float], ...] = ()
    settled: bool = True
    since: float = 0.0
    upon: tuple[Card, float] | None = None
    spot: Spot | None = None
    seats: tuple[int, ...] = ()
    was: Card | None = None


@pytest.fixture
def desk():
    return seated("gotcha", deal="4")


def seen(code, sure=0.99, *others, zone="pile", **more):
    return Seen(card(code), zone, sure, tuple((card(c), p) for c, p in others), **more)


@pytest.mark.parametrize(
    ("sighting", "verdict", "best"),
    [
        (seen("9S"), Decision.ACCEPTED, "9S"),
        # Six or nine: only the nine was guessed.
        (seen("9S", 0.72, ("6S", 0.275)), Decision.ACCEPTED, "9S"),
        (seen("6S", 0.55, ("9S", 0.4)), Decision.ASK, "9S"),  # the eyes believe otherwise
        (seen("6S", 0.93, ("9S", 0.06)), Decision.REFUSED, "6S"),  # never bent
        (seen("9S", 0.6, ("9C", 0.39)), Decision.ASK, "9S"),  # people decide between legal ones
        (seen("9S", 0.75, settled=False), Decision.ASK, "9S"),
    ],
)
def test_the_rules_weigh_readings(desk, sighting, verdict, best):
    desk.accept("Ann: guess Bo smallest 2 is 9")
    (judged,) = judge_all(desk, [sighting])
    assert (judged.verdict, judged.best.event.args[0].code) == (verdict, best)
    assert judged.chance > 0.97 or verdict is not Decision.ACCEPTED
    assert ("card of that rank" in judged.why) == (verdict is Decision.REFUSED)


def test_a_display_is_as_sure_as_its_least_sure_card():
    referee = seated("missing-persons")
    codes = ["2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "10S", "JS"]
    for least, verdict in ((0.6, Decision.ASK), (0.985, Decision.ACCEPTED)):
        lying = tuple((card(c), least if c == "6S" else 0.99) for c in codes)
        (judged,) = judge_all(referee, [seen("2S", 0.99, zone="display:1", lying=lying)])
        assert judged.verdict is verdict


def test_the_tiles_left_over_are_turned_up_together():
    referee = seated("deduction", players=3)
    one, two = (card(code, Family.TILE) for code in ("0C", "AC"))
    assert judge_all(referee, [Seen(one, "centre", lying=((one, 0.99),))]) == []
    (judged, _) = judge_all(
        referee, [Seen(c, "centre", lying=((one, 0.99), (two, 0.98))) for c in (one, two)]
    )
    assert judged.verdict is Decision.ACCEPTED
    referee.accept(judged.best.event)
    assert referee.state.up == (one, two)


def test_out_of_turn_is_said_and_done_when_its_turn_comes(desk):
    (judged,) = judge_all(desk, [seen("9S")])
    assert judged.verdict is Decision.REFUSED
    assert "guess" in judged.why
    desk.accept("Ann: guess Bo smallest 2 is 9")
    (judged,) = judge_all(desk, [seen("9S")])
    desk.accept(judged.best.event)
    assert judge_all(desk, [seen("9S")]) == []


def test_what_lay_there_long_before_is_no_answer_without_asking(desk):
    desk.accept("Ann: guess Bo smallest 2 is 9")
    (judged,) = judge_all(desk, [seen("9S", since=1.0)], now=5.0)
    assert judged.verdict is Decision.ACCEPTED
    (judged,) = judge_all(desk, [seen("9S", since=1.0)], now=20.0)
    assert judged.verdict is Decision.ASK


def test_what_was_recorded_is_not_recorded_again(desk):
    first = seen("9S", since=1.0)
    assert judge_all(desk, [first], spent={spent_by(first)}) == []
    again = seen("9S", since=7.0)
    assert len(judge_all(desk, [again], spent={spent_by(first)})) == 1


def test_what_contradicts_the_table_is_never_recorded_alone():
    referee = seated("suspense", "table: dealer Ann", "Ann: play W1")
    one = referee.state.played[0][0]
    (judged,) = judge_all(referee, [Seen(one, "play:2")])
    assert judged.verdict is Decision.REFUSED
    assert "W1" in judged.why


def test_changes_that_mean_nothing_in_the_game_are_left_out(desk):
    desk.accept("Ann: guess Bo smallest 2 is 9")
    assert judge_all(desk, [replace(seen("9S"), change="removed")]) == []
    assert judge(seen("9S"), ()) is None


def test_every_game_has_its_places_in_the_picture():
    for game in all_games():
        state = game.initial(game.setup([f"P{k}" for k in range(game.info.min_players)]))
        places = layout(game.zones(state))
        assert places, game.name
        area = 0.0
        for corners in places.values():
            if corners is None:
                assert len(places) == 1
                area = 1.0
            else:
                (left, top), _, (right, bottom), _ = corners
                assert 0 <= left < right <= 1 + 1e-9
                assert 0 <= top < bottom <= 1 + 1e-9
                area += (right - left) * (bottom - top)
        assert area == pytest.approx(1), game.name


def test_seats_sit_where_they_sit():
    referee = seated("suspense", players=3)
    places = layout(referee.game.zones(referee.state))
    assert places["play:1"][0][1] > places["secret"][0][1] > places["play:2"][0][1]
    assert places["play:2"][0][0] < places["play:3"][0][0]


def test_a_match_goes_on_from_a_file_while_a_clip_plays(tmp_path):
    path = tmp_path / "match.txt"
    path.write_text(
        "game: gotcha\nplayers: Ann, Bo\noption deal: 4\n---\n"
        "Ann: guess Bo smallest 2 is 9 ; at 2.5\n"
    )
    desk = WatchDesk.opened(None, path)
    assert desk.layout == {"pile": None}
    early = list(desk.propose([seen("9S")], 1.0))
    assert [f["verdict"] for _, f in early] == ["refused"]
    assert list(desk.propose([seen("9S")], 1.2)) == [], "said once"
    later = [f for _, f in desk.propose([seen("9S")], 2.6)]
    assert [f["verdict"] for f in later] == ["typed", "accepted"]
    assert later[1]["event"] == "Bo: right 9S"
    with pytest.raises(CompanionError):
        WatchDesk.opened("no such game", None)


# -- a watched match: rows in their order, and what people answered -----------------------------


class Recorder:
    """A match of Precognition before eyes, with all that was recorded."""

    def __init__(self, *, asks_to_start: bool = False) -> None:
        self.referee = seated("precognition")
        self.full = False
        self.watched = WatchedMatch(lambda: self.referee, self._record, asks_to_start=asks_to_start)

    def _record(self, event) -> bool:
        if self.full:
            return False
        self.referee.accept(event)
        return True

    @property
    def row(self) -> list[str]:
        return [c.code for c in self.referee.state.row]

    def see(self, *row, now=1.0):
        cards = {one.card for one in row}
        return [j.verdict for j in self.watched.see(row, now=now, in_sight=cards)]


def in_row(code, sure=0.99, *others, **more):
    return seen(code, sure, *others, zone="row", **more)


def test_a_row_is_recorded_in_its_order_and_an_unsettled_place_holds_up_the_rest():
    match = Recorder()
    unsure = in_row("6H", 0.6, ("6D", 0.4), settled=False)
    assert match.see(in_row("2S"), unsure) == [Decision.ACCEPTED], "it may be a passing shadow"
    assert match.see(in_row("2S"), unsure, in_row("9C")) == [Decision.ASK]
    assert match.row == ["2S"]
    assert match.watched.question.card is card("6H")
    match.referee.accept("Bo: place 6D")
    assert match.see(in_row("2S"), in_row("6D"), in_row("9C")) == [Decision.ACCEPTED]
    assert match.row == ["2S", "6D", "9C"]
    assert match.watched.question is None


def test_how_long_a_card_has_lain_in_a_row_plays_no_part():
    match = Recorder()
    assert match.see(in_row("2S"), in_row("6H"), now=1000.0) == [Decision.ACCEPTED] * 2


def test_a_card_of_the_row_that_reads_otherwise_now_becomes_a_correction():
    match = Recorder()
    match.see(in_row("2S"), in_row("6H"))
    (judged,) = match.watched.see((in_row("2S"), in_row("8H")), now=2.0, in_sight=())
    assert (judged.verdict, judged.replaces) == (Decision.ASK, 2)
    assert match.watched.question.old is card("6H")
    match.referee.accept(judged.best.event)
    assert match.row == ["2S", "8H"]


def test_what_people_waved_aside_is_not_asked_again():
    match = Recorder()
    unsure = in_row("6H", 0.6, settled=False)
    assert match.see(unsure, now=1.0) == []
    assert match.see(unsure, now=2.0) == [Decision.ASK]
    match.watched.wave_aside()
    assert match.see(unsure, now=3.0) == []
    match.watched.look_again()
    assert match.see(unsure, now=4.0) == [Decision.ASK]


def test_what_cannot_be_recorded_is_tried_again_when_something_is_new():
    match = Recorder()
    match.full = True
    match.see(in_row("2S"))
    assert (match.row, match.watched.question) == ([], None)
    match.full = False
    match.see(in_row("2S", 0.98))
    assert match.row == ["2S"]


def test_cards_before_the_predictions_count_only_where_nobody_can_be_asked():
    asked = Recorder(asks_to_start=True)
    assert asked.see(in_row("2S")) == []
    assert asked.watched.question.is_early
    assert asked.row == []
    asked.watched.start_anyway()
    asked.see(in_row("2S"))
    assert asked.row == ["2S"]


def test_cards_that_did_not_count_are_asked_about_once_more_when_all_have_written():
    asked = Recorder(asks_to_start=True)
    asked.see(in_row("2S"))
    asked.watched.wave_aside()
    asked.see(in_row("2S"))
    asked.referee.accept("Ann*: predict UD")
    asked.see(in_row("2S"))
    assert asked.watched.question is None, "Bo has not written"
    asked.referee.accept("Bo*: predict UD")
    asked.see(in_row("2S"))
    assert asked.watched.question.is_early
    asked.watched.wave_aside()
    asked.see(in_row("2S"))
    assert asked.watched.question is None, "nothing new was written"
    asked.watched.look_again()
    asked.see(in_row("2S"))
    assert asked.row == ["2S"]


def test_a_start_without_predictions_holds_until_its_card_is_taken_back():
    asked = Recorder(asks_to_start=True)
    asked.see(in_row("2S"))
    asked.watched.start_anyway()
    asked.see(in_row("2S"))
    asked.see(in_row("2S"), in_row("6H"))
    assert asked.row == ["2S", "6H"]
    for _ in asked.row:
        asked.referee.undo()
    place = public(0, "place", card("4H"))
    assert asked.watched.is_early(place)
    asked.see(in_row("4H"))
    assert asked.row == []
    asked.watched.start_anyway()
    assert not asked.watched.is_early(place)
    asked.referee.accept(private(0, "predict", "UD"))
    assert asked.watched.is_early(place)  # the other one may write as well


@pytest.mark.parametrize(
    ("args", "old", "wanted"),
    [
        (("KD", "2S"), "KD", ("7C", "2S")),
        (("KD", "2S"), "2S", ("KD", "7C")),
        ((("KD", "2S"),), "2S", (("KD", "7C"),)),
        ((("??", "??"),), "??", (("7C", "??"),)),
        ((("KD",), "KD"), "KD", (("7C",), "KD")),
        (("KD",), "2S", ("KD",)),
    ],
)
def test_one_card_of_an_event_is_replaced_and_no_other(args, old, wanted):
    def cards(each):
        return card(each) if isinstance(each, str) else tuple(map(card, each))

    event = with_card(public(0, "draw", *map(cards, args)), card(old), card("7C"))
    assert event.args == tuple(map(cards, wanted))
