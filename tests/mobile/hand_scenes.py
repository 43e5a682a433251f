"""Cards held before the camera, for one player's eyes or for everybody's."""

from mobile.model import speech
from tests.mobile.fault_scenes import lit
from tests.mobile.life_scenes import Camera
from tests.mobile.scenes import start


def a_hand_is_shown_to_the_camera() -> None:
    """Two touches fill a hand in and keep it; what is doubtful waits for a person."""
    camera = Camera()
    heard: list[str] = []
    speech.voice, speech.say = (lambda: heard), heard.append
    stage = start(make_reader=lambda: camera, make_source=lambda _name: camera)
    screen = stage.open_table("gotcha", options={"deal": "5"})
    stage.more("Record Ann's hand")
    stage.tap("I am Ann")
    camera.cards = [(code, 20.0 + 50 * n, 1.0) for n, code in enumerate(("2S", "5H", "9C", "JD"))]
    stage.tap("Show them to the camera")
    stage.wait(lambda: any("4 of 5" in text for text in stage.texts()), 20)
    stage.shot("hand-camera")
    assert not heard, "nothing is said before somebody wants it"
    stage.tap("Say each card aloud")
    stage.wait(lambda: bool(heard), 20)
    assert any("earphone" in text for text in stage.texts())
    assert not screen.table.referee.log
    camera.cards = [*camera.cards, ("KD", 240.0, 1.0)]
    stage.wait(lambda: "Keep these 5 secret" in stage.texts(), 20)
    stage.wait(lambda: "Done" not in stage.texts())
    assert camera.ended, "the camera is let go"
    assert lit(stage) == ["Keep these 5 secret"]
    assert not screen.table.referee.log, "nothing is recorded before somebody has looked"
    said = sorted(", ".join(heard).split(", "))
    named = ("2 of Spades", "5 of Hearts", "9 of Clubs", "Jack of Diamonds", "King of Diamonds")
    assert said == sorted(named), "each once"
    stage.shot("hand-camera-filled")
    stage.tap("Keep these 5 secret")
    (entry,) = screen.table.referee.log
    assert {card.code for card in entry.event.args[0]} == {"2S", "5H", "9C", "JD", "KD"}

    # Who leaves the app closes the camera with the hand before it.
    screen.table.undo()
    stage.more("Record Bo's hand")
    stage.tap("I am Bo")
    stage.tap("Show them to the camera")
    stage.wait(lambda: "Done" in stage.texts())
    stage.app._hide()
    stage.frames(3)
    assert stage.app.screen("private").covered
    assert "Done" not in stage.texts()
    assert camera.ended
    stage.close()


def everybody_tells_the_notepads_their_hand() -> None:
    """Before the first turn the phone goes round once; afterwards nothing offers it any more."""
    camera = Camera()
    stage = start(make_reader=lambda: camera, make_source=lambda _name: camera)
    screen = stage.open_table("gotcha", options={"deal": "2"})
    assert lit(stage) == [], "nothing of the sentence is chosen"
    stage.tap("Tell the notepads your hands")
    for name, codes in (("Ann", ("2S", "5H")), ("Bo", ("9C", "JD"))):
        camera.cards = [(code, 20.0 + 60 * n, 1.0) for n, code in enumerate(codes)]
        stage.tap(f"I am {name}")
        stage.tap("Show them to the camera")
        stage.wait(lambda: "Keep these 2 secret" in stage.texts(), 20)
        stage.wait(lambda: "Done" not in stage.texts())
        stage.tap("Keep these 2 secret")
    assert stage.app.manager.current == "table"
    assert [entry.event.seat for entry in screen.table.referee.log] == [0, 1]
    assert "Tell the notepads your hands" not in stage.texts()
    # Who does not care for it plays on, and is not asked again.
    screen = stage.open_table("gotcha", options={"deal": "2"})
    assert "Tell the notepads your hands" in stage.texts()
    assert screen.table.do("Ann: guess Bo smallest 1 is 2")
    screen.refresh()
    assert "Tell the notepads your hands" not in stage.texts()
    stage.close()


def hands_are_turned_up_from_one_picture() -> None:
    """At the end a hand that lies open is read in one question."""
    camera = Camera()
    stage = start(make_reader=lambda: camera, make_source=lambda _name: camera)
    screen = stage.open_table("gotcha", options={"deal": "2"})
    for line in ("Ann: guess Bo smallest 1 is 2", "Bo: wrong", "table: agree"):
        assert screen.table.do(line), screen.table.message
    screen.refresh()
    stage.frames(3)
    stage.more("Turn up Bo's hand")
    camera.cards = [("5H", 20.0, 1.0), ("9C", 120.0, 1.0)]
    stage.tap("Show them to the camera")
    stage.wait(lambda: "Record these 2 cards" in stage.texts(), 20)
    assert screen.table.referee.events[-1].verb == "agree"
    stage.shot("turn-up-from-one-picture")
    stage.tap("Record these 2 cards")
    event = screen.table.referee.events[-1]
    assert (event.verb, [card.code for card in event.args[0]]) == ("reveal", ["5H", "9C"])
    assert not screen.table.game.unchecked(screen.table.state)
    stage.close()
