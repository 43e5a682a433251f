"""What once went wrong in people's hands, by real touches: each scene would show it again."""

import re
import time
from dataclasses import replace

import cv2
import numpy as np

from companion.cards import parse_card, parse_cards
from companion.core.events import Event, private
from companion.core.registry import all_games, get_game
from mobile.resources import theme
from mobile.tools.fitting import misfits
from mobile.tools.scenes import app_sheets_away
from tests.companion.seating import fewest
from tests.mobile.life_scenes import Camera
from tests.mobile.scenes import start


def lit(stage) -> list[str]:
    """What the primary buttons in sight say."""
    from mobile.widgets.basic import Act

    acts = (w for w in stage._widgets() if isinstance(w, Act) and not w.disabled)
    return [w.text for w in acts if w.kind == "main"]


def shown(stage) -> list[str]:
    """The players whose chips stand out: who is waited for."""
    from mobile.widgets.basic import Chip

    return [w.text for w in stage._widgets() if isinstance(w, Chip) and w.chosen]


def predictions_come_first() -> None:
    """Neither a tap nor the camera lays a card before predictions were asked for."""
    camera = Camera()
    camera.cards = [("2S", 20.0, 1.0), ("6H", 120.0, 1.0)]
    stage = start(make_reader=lambda: camera, make_source=lambda _name: camera)
    screen = stage.open_table("precognition", source="camera")
    screen.table.do(private(0, "predict", "UD"))
    screen.refresh()
    question = "Bo has not written. Start anyway?"
    stage.wait(lambda: screen.question == question, 20)
    assert screen.table.state.row == ()
    stage.shot("early")
    assert lit(stage) == ["Write Bo's prediction"]
    stage.tap("Not yet")
    stage.wait(lambda: "from before the start" in screen.eyes_status, 20)
    # What lay there is not recorded when Bo has written either: nobody said that it counts.
    screen.table.do(private(1, "predict", "UD"))
    screen.refresh()
    looks = screen.eyes.looks
    stage.wait(lambda: screen.eyes.looks > looks + 10, 20)
    assert screen.table.state.row == ()
    stage.tap("Look again")
    stage.wait(lambda: len(screen.table.state.row) == 2, 20)
    stage.tap("‹")

    screen = stage.open_table("precognition")
    stage.tap_card("2S")
    assert stage._tops()[0].question == "Ann and Bo have not written. Start anyway?"
    stage.tap("Cancel")
    assert screen.table.state.row == ()
    stage.tap_card("2S")
    stage.tap("Start")
    assert [card.code for card in screen.table.state.row] == ["2S"]
    stage.tap_card("6H")
    assert len(screen.table.state.row) == 2, "it is asked once"
    for _ in range(2):
        screen.table.undo()
    screen.refresh()
    stage.tap_card("4H")
    assert screen.table.state.row == (), "it is asked again"
    stage.tap("Cancel")
    stage.tap("‹")

    # What the last frame of a film shows counts once people say so.
    question = "Ann and Bo have not written. Start anyway?"
    screen = stage.open_table("precognition", source="camera")
    stage.wait(lambda: screen.question == question, 20)
    looks = screen.eyes.looks
    stage.wait(lambda: screen.eyes.looks > looks + 10, 20)
    camera.ended = True
    stage.wait(lambda: screen.eyes.ended, 20)
    stage.tap("Look again")
    stage.wait(lambda: screen.question == question, 20)
    stage.tap("Start")
    stage.wait(lambda: len(screen.table.state.row) == 2, 20)
    stage.close()


def no_answer_is_lit(stage) -> None:
    """After an announcement play waits for right or wrong, and for nobody to show a hand."""
    lines = (
        "table: up 5M 5C",
        "Ann: coin AS",
        "Ann: ask Bo have Suns",
        "Bo: no",
    )
    screen = stage.open_table("deduction", ("Ann", "Bo", "Cy"), lines=lines)
    assert lit(stage) == ["End the turn"]
    stage.tap("Announce the missing tile")
    stage.pick_card("3S")
    assert screen.table.referee.events[-1].verb != "announce", "it is for good: asked twice"
    assert "the 3 of Suns is missing. By the rules this is final." in stage._tops()[0].question
    stage.shot("announce")
    stage.tap("Cancel")
    assert screen.table.referee.events[-1].verb != "announce"
    stage.tap("Announce the missing tile")
    stage.pick_card("3S")
    stage.tap("Ann announces that the 3 of Suns is missing")
    assert screen.table.referee.events[-1].verb == "announce"
    assert lit(stage) == [], "no answer is favoured"
    assert shown(stage) == ["Ann"], "who looks at it stands out"
    assert "Right, it is the one" in stage.texts()
    assert "Wrong, it is another one" in stage.texts()
    assert (
        screen.turn
        == "Ann announces the 3 of Suns, looks at the missing tile and says if it is the one."
    )
    stage.shot("verdict")
    screen = stage.open_table("hearts", ("Ann", "Bo", "Cy"))
    assert (lit(stage), shown(stage)) == ([], []), "nobody knows yet who leads"
    assert {f"{name} leads the 2 of Clubs" for name in ("Ann", "Bo", "Cy")} <= stage.texts()
    stage.tap("Ann leads the 2 of Clubs")
    assert "Bo takes all remaining tricks" not in stage.texts(), "with so many left it is rare"
    stage.tap("More")
    stage.tap("Bo takes all remaining tricks")
    assert "Bo takes the last 17 tricks. By the rules" in stage._tops()[0].question
    stage.tap("Cancel")
    assert not screen.over


def the_headline_names_who_is_waited_for(stage) -> None:
    """While Bo answers Ann, the table says so, not that it is Ann's turn."""
    screen = stage.open_table("gotcha", options={"deal": "4"})
    assert shown(stage) == ["Ann"]
    screen.do("Ann: guess Bo smallest 1 is A")
    stage.frames(3)
    assert screen.turn == "Bo answers Ann: is Bo's smallest card an Ace?"
    assert shown(stage) == ["Bo"]
    assert lit(stage) == [], "no answer is favoured"
    stage.tap("Wrong")
    assert screen.turn == "Bo guesses a card of Ann."


def a_person_is_hidden_by_one_touch(stage) -> None:
    """With both jokers among 54 cards, too, all see that a card was taken, and not which."""
    screen = stage.open_table("missing-persons")
    assert len(screen.table.game.all_cards(screen.table.setup)) == 54
    assert lit(stage) == ["Ann has taken a card"]
    for name in ("Ann", "Bo"):
        stage.tap(f"{name} has taken a card")
    hidden = [e for e in screen.table.referee.events if e.verb == "hide"]
    assert [(e.seat, e.is_public, e.args[0].code) for e in hidden] == [
        (0, True, "??"),
        (1, True, "??"),
    ]


def white_is_white(stage) -> None:
    """A white card is white and a black one black in both themes, whatever is around it."""
    for look in ("dark", "light"):
        stage.app.change(replace(stage.app.settings, theme=look))
        screen = stage.open_table("suspense")
        screen.do("table: dealer Ann")
        stage.frames(3)
        stage.tap("Play a card")
        stage.frames(3)
        image = cv2.imread(str(stage.shot(f"suspense-keys-{look}")))
        paper = {}
        for key in stage._tops()[0].grid.keys:
            x, y = key.to_window(key.x + 6, key.top - 8)
            paper[key.value.code] = image[image.shape[0] - round(y), round(x)].mean()
        assert paper["W3"] > 200, (look, paper)
        assert paper["B3"] < 60, (look, paper)
        stage.tap("Cancel")


def undo_says_what_and_asks(stage) -> None:
    """Undo is grey where nothing is left, names what it took back, and asks before a secret."""
    from mobile.widgets.basic import AskSheet, Tool

    screen = stage.open_table("precognition")

    def undo():
        return next(w for w in stage._widgets() if isinstance(w, Tool) and w.text == "Undo")

    assert undo().disabled
    screen.do(private(0, "predict", "UD"))
    stage.frames(2)
    stage.touch(undo())
    assert isinstance(stage._tops()[0], AskSheet), "a secret is asked about"
    assert screen.table.state.predictions[0] is not None
    stage.tap("Cancel")
    screen.do(private(1, "predict", "UD"))
    screen.do("Ann: place 2S")
    stage.frames(2)
    stage.touch(undo())
    assert screen.table.state.row == ()
    assert screen.snack == "Undone: Ann places 2♠."
    assert screen.message == "", "it is no warning"
    stage.shot("snackbar")
    stage.tap("Redo")
    assert [card.code for card in screen.table.state.row] == ["2S"]
    assert screen.snack == ""
    # A correction that contradicts the table is asked about as any event is.
    screen.do("Bo: place 6H")
    screen.replace(screen.table.referee.events[-1].n, parse_card("2S"))
    assert isinstance(stage._tops()[0], AskSheet)
    stage.tap("Cancel")
    assert [card.code for card in screen.table.state.row] == ["2S", "6H"]
    # What is behind a PIN is taken back by whoever knows it.
    screen = stage.open_table("precognition")
    screen.table.session.set_pin(0, "2580", "")
    screen.do(private(0, "predict", "UD"))
    for button, left in (("Undo", None), ("Redo", "UD")):
        stage.tap(button)
        if button == "Undo":
            stage.tap("Undo")  # it is asked
        before = screen.table.state.predictions[0]
        assert stage.app.manager.current == "private"
        for digit in "2580":
            stage.tap(digit)
        assert screen.table.state.predictions[0] == before
        stage.tap("I am Ann")
        assert stage.app.manager.current == "table"
        found = screen.table.state.predictions[0]
        assert (found is None) == (left is None)


def no_notation_on_the_table(stage) -> None:
    """Whatever is shown in play, no verb, star or code of the notation stands there."""
    from mobile.widgets.basic import Act

    notation = re.compile(
        r"\*:|\?\?|\b(?:[AJQK]|10|[2-9])[SHDC]\b|\b[WB][1-6]\b|\b[0A2-5][SMCH]\b|\bNAME\b|\bCARDS?\b"
    )
    for game, screen, events in stage.matches(3):
        for count, event in enumerate(events):
            screen.table.do(event)
            if count % 4 == 0:
                screen.refresh()
                screen.show_more()
                offered = [w.text for w in stage._tops()[0].walk() if isinstance(w, Act)]
                assert len(set(offered)) == len(offered), "two buttons of one name"
                screen.show_log()
                stage.frames(2)
                said = [t for t in stage.texts() if notation.search(t)]
                assert said == [], game.name
                app_sheets_away()
            if count > 24:
                break
    # The reasons at the end speak of cards as well, on the table and in the scores.
    screen = stage.open_table("precognition")
    screen.table.do(private(0, "predict", "UUD"))
    screen.table.do(private(1, "predict", "UD"))
    cards = screen.table.game.all_cards(screen.table.setup)
    screen.do(Event("row", (tuple(cards[k * 23 % 52] for k in range(52)),)))
    stage.frames(3)
    assert screen.over
    stage.app.open_scores()
    stage.frames(3)
    said = [t for t in (*stage.texts(), *screen.table.reasons) if notation.search(t)]
    assert said == []


def the_set_up_asks_who_deals(stage) -> None:
    """A game that begins by naming a player asks for them before its first screen."""
    stage.app.open_setup(get_game("suspense"))
    stage.frames(3)
    setup = stage.app.screen("setup")
    assert setup._named is not None
    stage.reach(next(w for w in setup._named.walk() if getattr(w, "text", "") == "Bo"))
    stage.tap("Start")
    screen = stage.app.screen("table")
    assert [(e.verb, e.args) for e in screen.table.referee.events] == [("dealer", (1,))]
    assert screen.turn.startswith("Bo plays a card")


def the_screen_stays_on_in_a_match(stage) -> None:
    """Nobody touches the screen while cards are laid: it sleeps elsewhere, not in a match."""
    from kivy.core.window import Window

    assert Window.allow_screensaver
    stage.open_table("gotcha")
    assert not Window.allow_screensaver
    stage.more("Scores")
    assert not Window.allow_screensaver, "the match is still open below"
    stage.tap("Back")
    stage.tap("‹")
    assert Window.allow_screensaver
    assert Window.softinput_mode == "below_target", "the keyboard covers no button"


def a_camera_fails_once() -> None:
    """A failed camera says so once, beside what can be done; no outline stays behind."""
    camera = Camera()
    camera.cards = [("2S", 20.0, 1.0)]
    stage = start(make_reader=lambda: camera, make_source=lambda _name: camera)
    screen = stage.open_row("camera")
    view = screen.ids.camera
    stage.wait(lambda: view.names == ("2♠",), 20)
    camera.unplug()
    why = "Camera 0 stopped delivering pictures. Plug it in again."
    stage.wait(lambda: why in stage.texts(), 20)
    stage.frames(5)
    assert sum(getattr(w, "text", "") == why for w in stage._widgets()) == 1
    assert view.names == ()
    assert not view._marks.children, "outlines outlive their frame"
    stage.shot("camera-failed")
    stage.tap("Play without it")
    assert not screen.has_camera
    assert why not in stage.texts()
    row = len(screen.table.state.row)
    stage.tap_card("9D")
    assert len(screen.table.state.row) == row + 1
    stage.close()


def outlines_go_with_their_frame(stage) -> None:
    """Where the picture goes on and nothing new is read, the old outlines are wiped off."""
    from mobile.widgets import camera as view_module

    source = Camera()
    source.cards = [("2S", 20.0, 1.0)]
    screen = stage.open_table("precognition")
    view = screen.ids.camera
    view.size = 320, 240
    image = np.zeros((240, 320, 3), np.uint8)
    view.show(image)
    view.mark(source.read(image))
    assert view._marks.children
    view_module.LAST = 0.05
    end = time.monotonic() + 0.2
    stage.until(lambda: time.monotonic() > end, 5)
    assert view._marks.children, "its own frame is still the one that is shown"
    view.show(image)
    assert not view._marks.children
    assert view.names == ()


def a_page_begins_at_its_top(stage) -> None:
    """How far one page was scrolled says nothing about the next one."""
    stage.app.open_setup(get_game("suspense"))
    stage.frames(3)
    setup = stage.app.screen("setup")
    setup.ids.scroll.scroll_y = 0
    stage.app.open_setup(get_game("gotcha"))
    assert setup.ids.scroll.scroll_y == 1
    stage.tap("Back")
    stage.tap("Settings")
    settings = stage.app.screen("settings")
    settings.ids.scroll.scroll_y = 0
    stage.tap("Back")
    stage.tap("Settings")
    assert settings.ids.scroll.scroll_y == 1
    settings.ids.scroll.scroll_y = 0.2
    settings._choose("spoken", True)
    assert settings.ids.scroll.scroll_y == 0.2, "a choice leaves the page where it is"
    stage.tap("Back")
    for name in ("missing-persons", "gotcha"):
        screen = stage.open_table(name)
        assert screen.ids.scroll.scroll_y == 1
        screen.ids.scroll.scroll_y = 0


def the_history_says_who_won(stage) -> None:
    """Winner and players apart; Delete alone is red, and asks; a kept picture is opaque."""
    from mobile.widgets.basic import Act

    stage.open_table(
        "suspense", lines=("table: dealer Ann", "Ann: play W6", "Bo: play W5", "Ann: play W4")
    )
    stage.app.open_scores()
    stage.frames(2)
    stage.tap("Keep a picture")
    (path,) = (stage.app.services.folder / "exports").glob("*.png")
    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    assert image.shape[2] == 3 or image[..., 3].min() == 255, "it has holes"
    for colour in theme.PLAYERS[:2]:
        seat = [round(255 * part) for part in colour[2::-1]]
        assert (image[..., :3] == seat).all(-1).sum() > 300, "everybody has a face and a bar"
    assert "Show it in its folder" in stage.texts()
    stage.app.go("home")
    stage.app.open_history()
    stage.frames(3)
    assert any("Ann 0, Bo 0" in text for text in stage.texts())
    acts = {w.text: w for w in stage._widgets() if isinstance(w, Act)}
    assert acts["…"].kind == "quiet"
    assert lit(stage) == [], "going back is no primary action"
    stage.reach(acts["…"])
    top = stage._tops()[0]
    assert top.kind == "danger"
    stage.shot("history")


def one_typeface(stage) -> None:
    """Every text is in the one typeface, which has the suits and arrows."""
    from kivy.core.text import Label, LabelBase
    from kivy.uix.label import Label as Text

    stage.open_table("precognition")
    files = {
        LabelBase._fonts[w.font_name]
        for w in stage._widgets()
        if isinstance(w, Text) and w.font_name in LabelBase._fonts
    }
    assert len(files) == 1
    assert all("CompanionSans" in str(name) for name in next(iter(files)) if name)
    widths = {bold: Label(text="Ann", bold=bold, font_size=40) for bold in (False, True)}
    for label in widths.values():
        label.refresh()
    assert widths[True].texture.width > widths[False].texture.width, "bold is another cut"


def a_card_says_why_it_is_grey(stage) -> None:
    """A card that lies already, or that the guess excludes, is greyed and says why when touched."""
    screen = stage.open_table("gotcha", options={"deal": "4"})
    screen.do("Ann: guess Bo smallest 1 is A")
    screen.do("Bo: right AS")
    screen.do("Ann: guess Bo smallest 1 is A")
    stage.frames(3)
    stage.more("Right, and name the card shown")
    picker = stage._tops()[0]
    keys = {key.value.code: key for key in picker.grid.keys}
    assert [code for code in ("AS", "AH", "2C") if keys[code].faded] == ["AS", "2C"]
    stage.reach(keys["AS"])
    assert picker.hint.startswith("A♠ lies already: the guessed cards.")
    stage.reach(keys["2C"])
    assert "rank" in picker.hint, picker.hint
    stage.shot("grey-why")
    stage.reach(keys["AH"])
    assert screen.table.referee.events[-1].args[0].code == "AH"


def a_peek_ends_with_the_finger(stage) -> None:
    """A finger that slides off the button looks at nothing, however long one waits."""
    stage.open_table("gotcha")
    stage.tap("Notepad")
    button = stage.find("I am Ann")
    touch = stage.finger(*button.to_window(*button.center))
    touch.touch_move(touch.x, touch.y + 200)
    stage.frames(1)
    touch.touch_up()
    end = time.monotonic() + 0.8
    stage.until(lambda: time.monotonic() > end, 5)
    assert stage.app.manager.current == "private"
    assert stage.app.screen("private").covered
    seen = []
    stage.hold("I am Ann", 1.0, lambda: seen.append(stage.app.manager.current))
    assert (seen, stage.app.manager.current) == (["notepad"], "table")
    stage.tap("Notepad")
    stage.tap("I am Ann")
    assert stage.app.manager.current == "notepad", "a short touch stays there"


def options_in_words(stage) -> None:
    """Options and what can be chosen for them are called as people call them."""
    from kivy.uix.textinput import TextInput

    for game in all_games():
        stage.app.open_setup(game)
        stage.frames(3)
        stage.reach(stage.find("More settings"))
        stage.frames(2)
        texts = [w.text for w in stage._widgets() if not isinstance(w, TextInput) and _text(w)]
        codes = [t for t in texts if re.search(r"_|\d+-\d+", t)]
        assert codes == [], game.name
        names = {option.name.replace("_", " ") for option in game.options}
        assert not names & set(texts), game.name
    stage.app.open_setup(get_game("deduction"))
    stage.frames(3)
    assert "✓ Piecepack tiles, Piecepack coins" in stage.texts(), "both are needed"
    stage.app.open_setup(get_game("gotcha"))
    stage.frames(3)
    stage.reach(stage.find("More settings"))
    stage.reach(stage.find("20 cards each"))
    stage.shot("options")
    stage.reach(stage.find("Start"))
    assert stage.app.screen("table").table.setup.options["deal"] == "20"


def _text(widget) -> bool:
    return bool(getattr(widget, "text", ""))


def rules_in_a_match(stage) -> None:
    """Each game's rules are two touches away in a match: how it is played, then an example."""
    from mobile.screens.rules import RulesSheet

    for game in all_games():
        names = fewest(game)
        screen = stage.open_table(game.name, names)
        before = screen.table.referee.stands
        stage.more("Rules")
        stage.frames(3)
        assert isinstance(stage._tops()[0], RulesSheet)
        assert "What it is about" in stage.texts()
        assert misfits() == []
        stage.tap("An example")
        stage.frames(2)
        assert any(text.startswith("An example ") for text in stage.texts())
        assert misfits() == []
        stage.shot(f"rules-{game.name}")
        stage.tap("Close")
        assert stage.app.manager.current == "table"
        assert screen.table.referee.stands == before


def look_again_stays_in_sight() -> None:
    """On the smallest phone, with a question open and a full row, the key is there to touch."""
    camera = Camera()
    stage = start(make_reader=lambda: camera, make_source=lambda _name: camera)

    stage.resize(360, 640)
    screen = stage.open_row("camera")
    for count in (1, 11):
        row = parse_cards("2S 6H 5C 4D 7S 9D 7H AC 2H 2D 5S")[:count]
        camera.cards = [(card.code, 10.0 + 12 * n, 1.0) for n, card in enumerate(row)]
        stage.wait(lambda count=count: len(screen.table.state.row) == count, 20)
        stage.frames(6)
        again, picture = screen.ids.again, screen.ids.camera
        low = again.to_window(*again.pos)[1]
        assert low >= screen.ids.scroll.to_window(0, screen.ids.scroll.top)[1], "above the board"
        assert picture.height >= 64
        assert low + again.height <= picture.to_window(*picture.pos)[1]
    stage.close()


def the_board_stays_in_sight(stage) -> None:
    """On a small phone and on a wide screen the board, the lit button and the bar are there."""
    from mobile.widgets.basic import Act, Tool

    for width, height in ((360, 640), (800, 480)):
        stage.resize(width, height)
        stage.frames(4)
        for game, screen, _count in stage.moments(4, (3, 9, 14)):
            board = screen.ids.scroll
            assert board.height >= 0.34 * height, (game.name, board.height)
            assert board.width >= 0.55 * width
            acts = [w for w in screen.ids.steps.children if isinstance(w, Act)]
            tools = [w for w in stage._widgets() if isinstance(w, Tool)]
            is_said = screen.sentence is not None
            assert 1 <= len(acts) + is_said <= 2, "never a wall of buttons"
            first = screen.table.steps[0].step
            lit = [act.kind for act in acts].count("main")
            assert lit == (not first.answers and not is_said)
            for widget in (*acts, *tools):
                low = widget.to_window(*widget.pos)[1]
                assert low >= 0, (game.name, widget.text)
                assert low + widget.height <= height
                assert widget.height >= 48
            assert misfits() == [], game.name
    screen = stage.open_table("gotcha")
    stage.frames(3)
    asked, board = screen.sentence, screen.ids.scroll
    right = board.to_window(board.right, 0)[0]
    assert asked.to_window(asked.x, 0)[0] >= right, "what is asked stands beside the board"
