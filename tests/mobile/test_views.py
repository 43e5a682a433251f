"""View-models of the further screens, without a window."""

import random
from itertools import islice

import cv2
import numpy as np
import pytest

from calibration.light import LightFault, measure
from companion.cards import card, parse_cards
from companion.core.events import private
from companion.core.registry import get_game
from companion.simulate import play_events
from mobile.model import demo_script, notepads, replaying, rows, wording, zones
from mobile.model.camera_worker import FrameReport
from mobile.model.scores import scoreboard
from mobile.model.sweep import RowSweep
from mobile.model.table import Table
from mobile.resources import texts
from mobile.tools import contrast
from tests.companion.seating import fewest
from vision.types import CardRead, IndexRead, Reading

GAME = get_game("precognition")
ROW = parse_cards("2S 6H 5C 4D 7S 9D 7H AC 2H 2D 5S 8C")


@pytest.fixture
def finished():
    table = demo_script.table(demo_script.load())
    for laid in ROW:
        table.tap(laid)
    return table


def test_scores_say_why(finished):
    board = scoreboard(finished.referee)
    assert board.points == (("Ann", 1), ("Bo", 0))
    assert board.winners == ("Ann",)
    assert [end.number for end in board.matches] == [1]
    assert any("length 7" in reason for reason in board.matches[0].reasons)
    finished.undo()
    assert scoreboard(finished.referee).matches == ()


def test_the_replay_shows_only_what_the_viewer_knew(finished):
    public = replaying.moments(finished.referee, None)
    assert len(public) == 14
    assert not any("UUDDUSU" in moment.text for moment in public[:1])
    row = next(z for z in public[5].zones if z.name == "row")
    assert [c.code for c in row.cards] == ["2S", "6H", "5C", "4D"]
    assert replaying.faults(finished.referee) == ()


def test_there_is_no_audit_while_a_match_runs():
    table = Table(GAME, GAME.setup(["Ann", "Bo"]))
    table.do(private(0, "predict", "UD"))
    assert replaying.faults(table.referee) is None
    moments = replaying.moments(table.referee, 1)
    assert "UD" not in moments[0].text
    assert "UD" in replaying.moments(table.referee, 0)[0].text


def test_renaming_changes_no_event(finished):
    finished.rename(("Zoë", "Ann"))
    assert finished.setup.players == ("Zoë", "Ann")
    assert scoreboard(finished.referee).winners == ("Zoë",)
    assert tuple(finished.state.row) == ROW


#: Dark and light, 80 pixels each.
STRIPES = np.tile(np.where(np.arange(640) // 80 % 2, 60.0, 200.0)[None, :, None], (480, 1, 3))


@pytest.mark.parametrize(
    ("image", "advice"),
    [
        (np.zeros((480, 640, 3)), "black"),
        (np.full((480, 640, 3), 30), "dark"),
        (np.full((480, 640, 3), 128), "empty"),
        (cv2.GaussianBlur(STRIPES, (0, 0), 12), "blurred"),
        (np.full((480, 640, 3), 255), "bright"),
    ],
)
def test_pictures_are_judged(image, advice):
    found = measure(image.astype(np.uint8)).faults
    assert advice in [fault.value for fault in found]
    assert (LightFault.BLACK in found) == (advice == "black")


def test_every_fault_has_its_words():
    assert set(texts.PICTURE_FAULTS) == {fault.value for fault in LightFault}


def test_a_good_picture_needs_no_advice():
    rng = np.random.default_rng(0)
    image = np.kron(rng.integers(40, 220, (60, 80, 1)), np.ones((8, 8, 3))).astype(np.uint8)
    assert measure(image).faults == ()


@pytest.mark.parametrize(
    ("which", "to", "expected"),
    [(0, (0.2, 0.3), (0.2, 0.3)), (1, (2.0, -1.0), (1.0, 0.0)), (2, (0.0, 0.0), (0.05, 0.05))],
)
def test_corners_stay_in_order(which, to, expected):
    moved = zones.moved(zones.WHOLE, which, to)
    assert moved[which] == pytest.approx(expected)
    assert [c for k, c in enumerate(moved) if k != which] == [
        c for k, c in enumerate(zones.WHOLE) if k != which
    ]


def test_corners_are_kept(tmp_path):
    assert zones.load(tmp_path) == zones.WHOLE
    corners = zones.moved(zones.WHOLE, 0, (0.25, 0.5))
    zones.save(tmp_path, corners)
    assert zones.load(tmp_path) == corners
    (tmp_path / zones.FILE).write_text("{", encoding="utf-8")
    assert zones.load(tmp_path) == zones.WHOLE


def reading(*cards):
    none = np.zeros(0, np.float32)
    reads = tuple(
        CardRead(
            c,
            0.97,
            ((x, 0), (x + 20, 0), (x + 20, 30), (x, 30)),
            (IndexRead((x + 5.0, 10.0), (0.0, 1.0), 18.0, none, none, 0.97),),
        )
        for x, c in zip(range(10, 500, 40), cards, strict=False)
    )
    return Reading((500, 100), reads, lines=(tuple(cards),))


def test_reads_outside_the_corners_are_left_out():
    seen = reading(*ROW[:6])
    right = zones.moved(zones.WHOLE, 0, (0.2, 0.0))
    right = zones.moved(right, 3, (0.2, 1.0))
    inside = zones.within(seen, right)
    assert [read.card for read in inside.cards] == list(ROW[3:6])
    assert inside.row == tuple(read.card for read in inside.cards)
    assert zones.within(seen, zones.WHOLE) is seen


def test_a_row_is_read_at_once():
    table = Table(GAME, GAME.setup(["Ann", "Bo"], cards=ROW))
    for seat in (0, 1):
        table.do(private(seat, "predict", "UD"))
    sweep = RowSweep(table)
    for part in (ROW[:8], ROW[4:]):
        sweep.add(FrameReport(table.stamp, 0.0, reading(*part), 0.1))
    assert sweep.row == ROW
    assert sweep.take()
    assert tuple(table.state.row) == ROW
    table.undo()
    assert table.state.row == ()


def test_the_notepad_follows_from_the_players_own_view():
    game = get_game("gotcha")
    table = Table(game, game.setup(["Ann", "Bo"], {"deal": "10-1"}))
    page, pad = notepads.page(game, table.referee.view(0))
    assert (page.worlds or 0) > 0
    assert page.sheets
    assert not page.advice
    sheet = page.sheets[0]
    open_cell = next(
        (r, c) for r in sheet.rows for c in sheet.columns if 0 < sheet.chance(r, c) < 1
    )
    assert notepads.why(pad, sheet, *open_cell) == ""


def test_a_notepad_with_several_models_is_counted_by_the_chosen_one():
    game = get_game("gotcha")
    view = Table(game, game.setup(["Ann", "Bo"])).referee.view(0)
    usual, _ = notepads.page(game, view)
    other, pad = notepads.page(game, view, model=usual.models[-1])
    assert usual.models == pad.models
    assert usual.model == usual.models[0] != other.model == usual.models[-1]
    assert [dict(sheet.chances) for sheet in usual.sheets] != [
        dict(s.chances) for s in other.sheets
    ]
    assert notepads.page(game, view, model="unheard of")[0].model == usual.model
    # Where everything that was dealt is held there is nothing to weigh.
    dealt = Table(game, game.setup(["Ann", "Bo"], {"deal": "20"})).referee.view(0)
    assert notepads.page(game, dealt)[0].models == ()


@pytest.mark.parametrize(
    ("chance", "text"), [(0, "✗"), (1, "✓"), (0.5, "50 %"), (0.001, "<1 %"), (0.999, ">99 %")]
)
def test_chances_are_certain_only_where_they_are(chance, text):
    assert wording.cell_text(chance) == text


def test_contrast_of_drawn_text():
    image = np.full((40, 120, 3), 255, np.uint8)
    image[10:30, 10:60] = 118
    assert contrast.ratio(image) == pytest.approx(4.6, abs=0.15)
    assert contrast.ratio(np.full((9, 9, 3), 60, np.uint8)) == pytest.approx(1)


def test_cards_are_tapped_in_where_they_can_lie():
    game = get_game("suspense")
    table = Table(game, game.setup(["Ann", "Bo"]))
    table.do("table: dealer Ann")
    assert table.tap(card("W5", game.family))
    assert table.referee.events[-1].verb == "play"


@pytest.mark.parametrize("name", ["deduction", "missing-persons", "suspense"])
def test_a_notepad_calls_cards_by_what_stands_on_them(name):
    game = get_game(name)
    table = Table(game, game.setup(fewest(game)))
    bots = [game.bots["sensible"]] * len(table.setup.players)
    for event in islice(play_events(table.referee, bots, random.Random(4)), 12):
        table.referee.accept(event)
    shown, _ = notepads.page(game, table.referee.view(0))
    assert shown.meanings == (), "each card says it"
    assert sum(len(sheet.notes) for sheet in shown.sheets) == (13 if name == "suspense" else 0)
    called = [sheet.head(row) for sheet in shown.sheets for row in sheet.rows]
    assert any(sign in "".join(called) for sign in "♠♥♦♣☀☾♛⚜○●"), called
    codes = {card.code for card in game.all_cards(table.setup) if len(card.code) > 1}
    assert not codes & set(called)


def test_the_winning_stretch_is_lit_in_scores_and_replay(finished):
    lit = rows.lit_places(finished.state)
    assert lit == {"row": frozenset(range(3, 11))}  # cards 4 to 11
    shown = replaying.moments(finished.referee, None)
    assert shown[-1].lit == lit
    assert not any(moment.lit for moment in shown[:-1])
    other = get_game("gotcha")
    assert rows.lit_places(Table(other, other.setup(["Ann", "Bo"])).state) == {}


def test_a_players_chip_says_points_and_standing():
    game = get_game("suspense")
    table = Table(game, game.setup(["Ann", "Bo", "Cy"], {"fold": "any_turn"}))
    begin = ("table: dealer Ann", "Ann: play W1", "Bo: play B1", "Cy: play W2")
    for line in (*begin, "Ann: pass", "Bo: pass", "Cy: fold"):
        table.do(line)
    lines = [table.player_line(seat) for seat in range(3)]
    assert lines == ["Ann  may look at the secret card", "Bo", "Cy  folded"]


def test_more_deals_than_anybody_can_imagine_are_said_in_words():
    assert notepads.big(999_999) == "999\u202f999"
    assert notepads.big(10**24) == "more than a million"
