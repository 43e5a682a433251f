"""What once went wrong in people's hands, by real touches: each scene would show it again.

Run in a process of its own, like the other scenes.
"""

from __future__ import annotations

import sys

from companion.cards import parse_card
from companion.core.events import private
from companion.core.registry import get_game
from tests.mobile.scenes import start


def open_table(stage, name, names=("Ann", "Bo"), options=None, source=None):
    """A table of a game, by its name."""
    game = get_game(name)
    stage.app.open_table(game, game.setup(list(names), options), source)
    stage.frames(4)
    return stage.app.screen("table")


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
    from tests.mobile.life_scenes import Camera

    camera = Camera()
    camera.cards = [("2S", 20.0, 1.0), ("6H", 120.0, 1.0)]
    stage = start(make_reader=lambda: camera, make_source=lambda _name: camera)
    screen = open_table(stage, "precognition", source="camera")
    screen.table.do(private(0, "predict", "UD"))
    screen.refresh()
    question = "Bo has not written. Start all the same?"
    stage.wait(lambda: screen.question == question, 20)
    assert screen.table.state.row == ()
    stage.shot("early")
    stage.tap("Not this")
    stage.wait(lambda: "before the start" in screen.eyes_status, 20)
    # What lay there is not recorded when Bo has written either: nobody said that it counts.
    screen.table.do(private(1, "predict", "UD"))
    screen.refresh()
    looks = screen.eyes.looks
    stage.wait(lambda: screen.eyes.looks > looks + 10, 20)
    assert screen.table.state.row == ()
    stage.tap("‹")

    screen = open_table(stage, "precognition")
    stage.tap_card("2S")
    assert stage._tops()[0].question == "Ann and Bo have not written. Start all the same?"
    stage.tap("Cancel")
    assert screen.table.state.row == ()
    stage.tap_card("2S")
    stage.tap("Start")
    assert [card.code for card in screen.table.state.row] == ["2S"]
    stage.tap_card("6H")
    assert len(screen.table.state.row) == 2, "it is asked once"
    stage.close()


def the_answer_is_lit() -> None:
    """After an announcement play waits for right or wrong, and for nobody to show a hand."""
    stage = start()
    screen = open_table(stage, "deduction", ("Ann", "Bo", "Cy"))
    for line in (
        "table: up 5M 5C",
        "Ann: coin AS",
        "Ann: ask Bo have Suns",
        "Bo: no",
    ):
        assert screen.do(line), screen.table.message
    stage.frames(3)
    assert lit(stage) == ["End the turn"]
    stage.tap("Announce the missing tile")
    stage.pick_card("3S")
    assert screen.table.referee.events[-1].verb != "announce", "it is for good: asked twice"
    assert "3☀ is missing. This counts for good." in stage._tops()[0].question
    stage.shot("announce")
    stage.tap("Cancel")
    assert screen.table.referee.events[-1].verb != "announce"
    stage.tap("Announce the missing tile")
    stage.pick_card("3S")
    stage.tap("Announce the missing tile")
    assert screen.table.referee.events[-1].verb == "announce"
    assert lit(stage) == ["Right, it is the one"]
    assert "Wrong, it is another one" in stage.texts()
    assert screen.turn == "Ann announces the 3 of Suns: is it the missing tile?"
    stage.shot("verdict")
    stage.close()


def the_headline_names_who_is_waited_for() -> None:
    """While Bo answers Ann, the table says so, not that it is Ann's turn."""
    stage = start()
    screen = open_table(stage, "gotcha", options={"deal": "4"})
    assert shown(stage) == ["Ann"]
    screen.do("Ann: guess Bo smallest 1 is A")
    stage.frames(3)
    assert screen.turn == "Bo answers Ann: is the smallest card of 4 an Ace?"
    assert shown(stage) == ["Bo"]
    assert lit(stage) == ["Right"]
    stage.tap("Wrong")
    assert screen.turn == "Bo guesses a card of Ann."
    stage.close()


def a_person_is_hidden_by_one_touch() -> None:
    """With both jokers among 54 cards, too, all see that a card was taken, and not which."""
    stage = start()
    screen = open_table(stage, "missing-persons")
    assert len(screen.table.game.all_cards(screen.table.setup)) == 54
    assert lit(stage) == ["Ann has taken a card"]
    for name in ("Ann", "Bo"):
        stage.tap(f"{name} has taken a card")
    hidden = [e for e in screen.table.referee.events if e.verb == "hide"]
    assert [(e.seat, e.is_public, e.args[0].code) for e in hidden] == [
        (0, True, "??"),
        (1, True, "??"),
    ]
    stage.close()


def white_is_white() -> None:
    """A white card is white and a black one black in both themes, whatever is around it."""
    from dataclasses import replace

    import cv2

    stage = start()
    for theme in ("dark", "light"):
        stage.app.change(replace(stage.app.settings, theme=theme))
        screen = open_table(stage, "suspense")
        screen.do("table: dealer Ann")
        stage.frames(3)
        stage.tap("Play a card")
        stage.frames(3)
        image = cv2.imread(str(stage.shot(f"suspense-keys-{theme}")))
        paper = {}
        for key in stage._tops()[0].grid.keys:
            x, y = key.to_window(key.x + 9, key.center_y)
            paper[key.value.code] = image[image.shape[0] - round(y), round(x)].mean()
        assert paper["W3"] > 200, (theme, paper)
        assert paper["B3"] < 60, (theme, paper)
        stage.tap("Cancel")
    stage.close()


def undo_says_what_and_asks() -> None:
    """Undo is grey where nothing is left, names what it took back, and asks before a secret."""
    stage = start()
    from mobile.widgets.basic import AskSheet, Tool

    screen = open_table(stage, "precognition")

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
    assert screen.snack == "Taken back: Ann places 2♠."
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
    stage.close()


def no_notation_on_the_table() -> None:
    """Whatever is shown in play, no verb, star or code of the notation stands there."""
    import random
    import re

    from companion.core.registry import all_games
    from companion.simulate import play_events
    from mobile.shots import app_sheets_away

    notation = re.compile(
        r"\*:|\?\?|\b(?:[AJQK]|10|[2-9])[SHDC]\b|\b[WB][1-6]\b|\b[0A2-5][SMCH]\b|\bNAME\b|\bCARDS?\b"
    )
    stage = start()
    for game in all_games():
        names = ["Ann", "Bo", "Cy"][: max(2, game.info.min_players)]
        screen = open_table(stage, game.name, names)
        bots = [game.bots["sensible"]] * len(names)
        for count, event in enumerate(play_events(screen.table.referee, bots, random.Random(3))):
            screen.table.do(event)
            if count % 4 == 0:
                screen.refresh()
                screen.show_more()
                screen.show_log()
                stage.frames(2)
                said = [t for t in stage.texts() if notation.search(t)]
                assert said == [], game.name
                app_sheets_away()
            if count > 24:
                break
    stage.close()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("done")
