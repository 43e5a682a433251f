"""What is done in the window: each function is run in a process of its own.

Kivy has one window and one clock a process, so scenes would disturb each other otherwise.
"""

import os
import random
import subprocess
import sys
from dataclasses import replace

import cv2

from companion.cards import parse_card, parse_cards
from companion.core.events import private
from companion.core.registry import all_games, get_game
from mobile.app import make_app
from mobile.model.settings import load
from tests.companion.seating import fewest
from tests.mobile.blind import NoCamera, no_reader
from tests.mobile.double import ClipReader, ClipSource
from tests.mobile.driver import Driver

#: A deck of four cards.
_SHORT = parse_cards("2S 2H 5C 9D")
ROW = ["2S", "6H", "5C", "4D", "7S", "9D", "7H", "AC", "2H", "2D", "5S", "8C"]


def start(source=None, *, welcomed=True, calm=True, **parts) -> Driver:
    # Whoever imports Kivy earlier takes the app's own settings of it away.
    assert "kivy.config" not in sys.modules
    app = make_app(source, None, **parts)
    app.services.change(replace(app.services.settings, welcomed=welcomed, calm=calm, language="en"))
    return Driver(app)


def clip_with_the_double() -> None:
    """The demo from the home screen, read by a reader that knows where the cards lie."""
    source = ClipSource()
    stage = start(make_reader=lambda: ClipReader(source), make_source=lambda _name: source)
    stage.tap("Watch the demo")
    _watch_the_demo(stage, "clip-double")


def clip_with_the_networks() -> None:
    """The demo as it ships: the cards are recognised from the pixels."""
    stage = start("demo")
    _watch_the_demo(stage, "clip")
    # Its clip is no table: a game of one's own is not read from it.
    assert stage.app.source is None


def _watch_the_demo(stage: Driver, name: str) -> None:
    screen = stage.app.screen("table")
    stage.wait(lambda: len(screen.table.state.row) >= 4)
    assert stage.app.manager.current == "table"
    assert screen.ids.camera.has_picture
    assert "2♠" in screen.ids.camera.names
    assert "written, hidden" in stage.texts()
    assert "UUDDUSU" not in stage.texts()
    stage.shot(f"{name}-growing")
    stage.wait(lambda: screen.over, 400)
    assert [card.code for card in screen.table.state.row] == ROW
    stage.frames(3)
    texts = stage.texts()
    assert {"UUDDUSU", "cards 4 to 11", "12 of 12 cards"} <= texts
    assert screen.turn.startswith("Ann wins with 7")
    assert any("length 7" in text for text in texts)
    marked = [step.number for step in screen.board.ids.row.children if getattr(step, "lit", 0)]
    assert sorted(marked) == list(range(4, 12))
    events = [event for event in screen.table.referee.events if event.verb == "place"]
    assert all(event.provenance[0] == "camera" for event in events)
    stage.wait(lambda: screen.eyes.ended)
    stage.shot(f"{name}-winner")
    stage.close()


def match_by_hand(stage) -> None:
    """A whole match without a camera: set-up, secrets behind the cover, cards tapped in."""
    stage.tap("Precognition")
    stage.tap("Start")
    screen = stage.open_table("precognition", cards=_SHORT)
    stage.tap("Write Ann's prediction")
    for name, keys in (("Ann", ("= S\nstay", "▲ U\nup", "Erase")), ("Bo", ("▼ D\ndown",))):
        assert f"Pass the phone to {name}" in stage.texts()
        assert "Keep it secret" not in stage.texts()
        stage.tap(f"I am {name}")
        for key in keys:
            stage.tap(key)
        stage.tap("Keep it secret")
    assert stage.app.manager.current == "table"
    assert screen.turn == "All predictions are written: Ann places the first card of 4."
    for code in ("2S", "2H"):
        stage.tap_card(code)
    assert screen.turn == "Ann places card 3 of 4."
    stage.tap("Undo")
    assert [card.code for card in screen.table.state.row] == ["2S"]
    assert "Undone: Bo places 2♥." in stage.texts()
    stage.tap("Redo")
    assert [card.code for card in screen.table.state.row] == ["2S", "2H"]
    stage.tap("Undo")
    stage.tap_card("2H")
    stage.tap_card("9D")
    assert not screen.over
    stage.tap_card("5C")
    assert screen.turn.startswith("Ann and Bo tie"), screen.turn
    assert "Play again: Ann and Bo" in stage.texts()
    stage.shot("by-hand-tie")
    stage.more("Stop here, as all agree")
    assert not screen.table.state.table.over, "what is for good is asked twice"
    stage.tap("Stop here, as all agree")
    assert screen.turn == "Ann and Bo agree on a draw."


def fixing_the_row(stage) -> None:
    """A wrong card is fixed, one inserted and one deleted by touches."""
    screen = stage.open_row()
    stage.frames(3)
    for code in ("2S", "6H", "4D"):
        stage.tap_card(code)

    def edit(number: int, choice: str) -> None:
        cells = [w for w in screen.board.ids.row.children if hasattr(w, "letter")]
        steps = {step.number: step for step in cells}
        stage.touch(steps[number].ids.face)
        stage.tap(choice)

    def row() -> list[str]:
        return [card.code for card in screen.table.state.row]

    edit(2, "It is another card")
    stage.pick_card("9H")
    assert row() == ["2S", "9H", "4D"]
    edit(2, "A card is missing before it")
    stage.pick_card("KC")
    assert row() == ["2S", "KC", "9H", "4D"]
    edit(1, "There is no such card")
    assert row() == ["KC", "9H", "4D"]
    assert screen.turn == "Bo places card 4 of 52."


def secrets_are_covered(stage) -> None:
    """Losing focus takes a half-written prediction off the screen, back leads to the table."""
    from kivy.core.window import Window

    from mobile import navigation

    hidden = []
    navigation.keep_secret = hidden.append  # what Android is told about its app switcher
    stage.open_table("precognition")
    assert hidden[-1] is False
    stage.tap("Write Ann's prediction")
    stage.tap("I am Ann")
    stage.tap("▲ U\nup")
    assert "Keep it secret" in stage.texts()
    assert hidden[-1] is True
    stage.lose_focus()
    assert "Keep it secret" not in stage.texts()
    assert "Pass the phone to Ann" in stage.texts()
    Window.dispatch("on_keyboard", 27, 41, "", [])
    stage.frames(3)
    assert stage.app.manager.current == "table"
    assert hidden[-1] is False


def troubles_in_words() -> None:
    """No camera, no such file: said in words, and the match goes on by hand."""
    for source, words in (("camera:77", "cannot be opened"), ("/nowhere.mp4", "no such file")):
        stage_table(source, words)


def stage_table(source: str, words: str) -> None:
    stage = start() if not hasattr(stage_table, "stage") else stage_table.stage
    stage_table.stage = stage
    game = get_game("precognition")
    screen = stage.app.screen("table")
    stage.app.open_table(game, game.setup(["Ann", "Bo"]), source)
    stage.wait(lambda: any(words in text for text in stage.texts()))
    for seat in (0, 1):
        screen.table.do(private(seat, "predict", "UD"))
    stage.frames(2)
    stage.tap_card("7S")
    assert [card.code for card in screen.table.state.row] == ["7S"]


def appearance(stage) -> None:
    """Theme, text size and suits change at once and are remembered."""
    _a_button_is_let_go(stage)
    stage.tap("Settings")
    for _twice in range(2):
        was = stage.app.settings.sound
        switch = stage.find("Sounds and vibration")
        assert switch.on is was
        stage.reach(switch)
        assert stage.app.settings.sound is not was
        assert switch.on is not was, "the switch shows what was chosen"
    before = stage.app.ui.em
    for choice in ("Light", "145 %"):
        stage.tap(choice)
    assert stage.app.settings.theme == "light"
    assert stage.app.ui.em > before * 1.4
    assert load(stage.app.services.folder)[0].theme == "light"
    stage.shot("settings-light")
    stage.reach(stage.find("Deutsch"))
    assert "Schriftgröße" in stage.texts()
    stage.shot("settings-german")
    stage.tap("Zurück")
    assert "Verlauf" in stage.texts()
    stage.app.open_setup(get_game("gotcha"))
    stage.tap("Beginnen")
    assert any("eine Karte von Bo" in text for text in stage.texts()), sorted(stage.texts())
    stage.shot("table-german")


def _a_button_is_let_go(stage) -> None:
    """A button that was pressed looks as it did before."""
    button = stage.find("History")
    x, y = button.to_window(button.x + 16, button.center_y)

    def looks():
        stage.frames(2)
        image = cv2.imread(str(stage.shot("button")))
        return tuple(int(v) for v in image[image.shape[0] - round(y), round(x)])

    before = looks()
    button.state = "down"
    assert looks() != before
    button.state = "normal"
    assert looks() == before


def every_game_opens(stage) -> None:
    """Each registered game reaches its table from the home screen, known by nobody's name."""
    for game in all_games():
        stage.app.open_setup(game)
        stage.frames(2)
        stage.tap("Start")
        assert stage.app.manager.current == "table", (game.name, stage.app.screen("setup").error)
        # What nobody touched is as the game declares it, and nobody's hand is known.
        setup = stage.app.screen("table").table.setup
        assert set(setup.stated) <= {"starter"}, (game.name, setup.stated)
        assert not any(setup.trusted), game.name
        stage.frames(3)
        stage.tap("‹")
        assert stage.app.manager.current == "home"
    stage.app.open_setup(get_game("gotcha"))
    stage.reach(stage.find("More settings"))
    for switch in ("The referee may know hidden hands", "Gotcha on end cards"):
        stage.reach(stage.find(switch))
    stage.tap("Start")
    setup = stage.app.screen("table").table.setup
    assert all(setup.trusted)
    assert setup.options["gotcha_on_ends"] == "yes"


def half_a_match() -> None:
    """Two cards by touch, then the process dies as if it were killed."""
    stage = start()
    stage.open_row()
    stage.frames(2)
    for code in ("2S", "6H"):
        stage.tap_card(code)
    os._exit(9)


def killed_and_continued() -> None:
    """A match goes on where the killed app left it, secrets included."""
    here = [sys.executable, "-m", "tests.mobile.scene", "scenes", "half_a_match"]
    assert subprocess.run(here, check=False).returncode == 9
    stage = start()
    stage.wait(lambda: "Continue" in stage.texts())
    stage.shot("continue")
    stage.tap("Continue")
    screen = stage.app.screen("table")
    assert [card.code for card in screen.table.state.row] == ["2S", "6H"]
    assert screen.turn == "Ann places card 3 of 52."
    assert screen.table.referee.knowledge(0).predictions[0].text == "UD"
    stage.tap_card("9D")
    stage.tap("Undo")
    stage.tap("Undo")
    assert [card.code for card in screen.table.state.row] == ["2S"]
    _notepad_behind_a_pin(stage)
    stage.tap("‹")
    stage.tap("History")
    assert any("Precognition" in text for text in stage.texts())
    # It can be wanted back for a while: as long as the history is open.
    journal = stage.app.services.journal
    before = stage.texts()
    for then in ("Undo", "Back"):
        stage.tap("…")
        stage.tap("Delete")
        assert any(text.startswith("Deleted: Precognition · Ann, Bo · ") for text in stage.texts())
        assert "…" not in stage.texts()
        assert len(journal.sessions()) == 1
        stage.tap(then)
        if then == "Undo":
            assert stage.texts() == before
    assert not journal.sessions()
    stage.tap("History")
    assert any(text.startswith("No match has been kept yet.") for text in stage.texts())
    stage.close()


def _notepad_behind_a_pin(stage) -> None:

    stage.more("Ann's notepad")
    assert "Pass the phone to Ann" in stage.texts()
    stage.tap("I am Ann")
    pad = stage.app.screen("notepad")
    stage.wait(lambda: pad.lead != "Counting …")
    stage.shot("notepad")
    pad.ids.note.text = "Bo bluffs"
    stage.reach(stage.find("Keep the note"))
    assert "Kept, sealed." in stage.texts()
    stage.reach(stage.find("Set the PIN"))
    for pin in ("", "25"):  # told at once, before it is repeated
        for digit in pin:
            stage.tap(digit)
        stage.tap("Next")
        assert "! A PIN has 4 to 64 characters." in stage.texts()
    for pin in ("2580", "2508", "2580", "2580"):  # the first time not alike
        for digit in pin:
            stage.tap(digit)
        stage.tap("Next")
    assert pad.pin_state == "The PIN applies from now on."
    assert "Change the PIN" in stage.texts()
    stage.lose_focus()
    assert stage.app.manager.current == "table"
    assert pad.ids.note.text == ""
    stage.tap("Notepad")
    private_screen = stage.app.screen("private")
    stage.frames(2)
    assert stage.find("I am Ann").disabled, "nothing typed is no wrong PIN"
    for _ in range(4):
        stage.tap("1")
    stage.tap("I am Ann")
    assert stage.app.manager.current == "private"
    assert private_screen.pin_error
    stage.shot("pin")
    stage.until(lambda: private_screen._screen.table.session.waiting(0) <= 0, 5)
    for digit in "2580":
        stage.tap(digit)
    stage.tap("I am Ann")
    assert stage.app.manager.current == "notepad", private_screen.pin_error
    assert pad.ids.note.text == "Bo bluffs"
    stage.tap("Back")
    assert stage.app.manager.current == "table"


def every_screen() -> None:
    """Scores, replay, row, decks and camera, licences, names: reached by touch, and back."""
    source = ClipSource()
    stage = start(make_reader=lambda: ClipReader(source), make_source=lambda _name: source)
    stage.app.services.source = "demo.mp4"
    screen = stage.open_row(cards=_SHORT)
    for code in ("2S", "2H", "5C", "9D"):
        screen.table.tap(parse_card(code))
    screen.refresh()
    stage.reach(stage.find("Replay and audit"))
    assert stage.app.manager.current == "replay"
    stage.tap("Back")
    stage.more("Scores")
    assert any("Match 1" in text for text in stage.texts())
    stage.tap("Keep as a file")
    assert list((stage.app.services.folder / "exports").glob("precognition-*.txt"))
    stage.tap("Keep a picture")
    assert list((stage.app.services.folder / "exports").glob("precognition-*.png"))
    stage.tap("Replay")
    replay = stage.app.screen("replay")
    assert replay.count == 6
    assert "Nothing was illegal, false or contradictory." in stage.texts()
    stage.tap("◀")
    assert replay.position == 5
    stage.tap("|◀")
    assert "Before the first event" in stage.texts()
    stage.reach(stage.find("Bo"))
    stage.tap("Back")
    stage.tap("◀")
    assert (replay.viewer, replay.position) == (None, 5)
    stage.reach(stage.find("Bo"))
    stage.tap("I am Bo")
    assert replay.viewer == 1
    stage.tap("Back")
    stage.tap("Back")
    assert stage.app.manager.current == "table"
    _rename(stage)
    _read_a_row(stage)
    _camera_and_licences(stage)
    stage.close()


def _rename(stage) -> None:
    stage.more("Players' names")
    fields = {w.text: w for w in stage._widgets() if type(w).__name__ == "Field"}
    fields["Ann"].text, fields["Bo"].text = "Bo", "Zoë"
    stage.tap("OK")
    table = stage.app.screen("table").table
    assert table.setup.players == ("Bo", "Zoë")
    assert len(table.state.row) == 4


def _read_a_row(stage) -> None:
    screen = stage.open_row(cards=parse_cards(" ".join(ROW)))
    stage.more("Row")
    row = stage.app.screen("row")
    stage.tap("Read the whole row")
    stage.wait(lambda: not row.is_reading)
    stage.shot("row-read")
    assert [card.code for card in row._sweep.row] == ROW, [card.code for card in row._sweep.row]
    stage.tap("Use this row")
    assert [card.code for card in screen.table.state.row] == ROW
    stage.shot("row")
    stage.tap("Undo")
    assert [card.code for card in screen.table.state.row] == ROW  # it brought a result: asked first
    stage.tap("Undo")
    assert not screen.table.state.row
    stage.tap("Back")
    stage.tap("‹")


def _camera_and_licences(stage) -> None:

    stage.tap("Decks & camera")
    camera = stage.app.screen("camera")
    stage.tap("Start the camera")
    stage.wait(lambda: camera.ids.camera.has_picture and bool(camera.advice))
    stage.frames(4)
    stage.shot("camera")
    x, y = camera.ids.camera.point_on_screen((0.0, 0.0))
    touch = stage.finger(*camera.ids.camera.to_window(x + 2, y - 2))
    touch.touch_move(touch.x + 60, touch.y - 40)
    touch.touch_up()
    stage.frames(3)
    assert stage.app.services.corners[0][0] > 0.05
    stage.tap("Stop the camera")
    stage.tap("Back")
    stage.tap("Settings")
    stage.reach(stage.find("Third-party licences"))
    assert any("SDL 2" in text for text in stage.texts())
    stage.tap("Close")
    stage.reach(stage.find("Left-handed"))
    assert stage.app.ui.left_handed
    stage.tap("Back")
    assert stage.app.manager.current == "home"


def first_start() -> None:
    """Three cards explain the app, once."""
    stage = start(welcomed=False)
    assert any("real cards" in text for text in stage.texts())
    stage.tap("Next")
    stage.tap("Next")
    stage.shot("welcome")
    stage.tap("Begin")
    assert stage.app.settings.welcomed
    assert "Skip" not in stage.texts()
    stage.close()


OPTIONS = {
    "gotcha": {"deal": "10-1"},
    "suspense": {"target": "2"},
    "hearts": {"target": "0"},
    "spades": {"target": "0"},
    "whist": {"target": "0"},
    "oh-hell": {"cards": "4"},
}


FEW_CARDS = {
    "precognition": " ".join(ROW),
    "spades": "AS KS 5S 2S AH QH 7H 3H KD JD 8D 4D QC 10C 6C 2C",
    "whist": "AS KS 5S 2S AH QH 7H 3H KD JD 8D 4D QC 10C 6C 2C",
}


def _play_a_game(name: str) -> None:
    """A match to its end by touches; a second touch follows each too soon, and does nothing."""
    stage = start()
    from tests.mobile.play import play_by_touch

    stage.trembles = random.Random(int(os.environ.get("MONKEY_SEED", "1")))
    game = get_game(name)
    names = fewest(game)
    # A whole deck laid card by card would only take longer.
    codes = FEW_CARDS.get(name)
    cards = None if codes is None else parse_cards(codes)
    setup = game.setup(names, OPTIONS.get(name), cards=cards)
    count = play_by_touch(stage, game, setup)
    stage.shot(f"end-{name}")
    assert count > 4
    assert stage.trembled > 4
    print(f"{name}: {count} events by touch")
    stage.close()


def _let_a_monkey_loose(name: str) -> None:

    stage = start(make_source=lambda _name: NoCamera(), make_reader=no_reader)
    from tests.mobile.monkey import Monkey

    monkey = Monkey(stage, get_game(name), seed=int(os.environ.get("MONKEY_SEED", "1")))
    monkey.run(int(os.environ.get("MONKEY", "60")))
    stage.shot(f"monkey-{name}")
    print(f"{name}: {monkey.touches} touches, {monkey.tables} tables, {monkey.ways_out} ways out")
    print(monkey.seen)
    stage.close()


#: Scenes of any game: `plays_gotcha`, `monkey_missing_persons`.
OF_A_GAME = {"plays": _play_a_game, "monkey": _let_a_monkey_loose}
