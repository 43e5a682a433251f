"""What happens to an app that is used: cameras fail, devices turn, people change seats."""

import threading
from dataclasses import replace

import numpy as np

from companion.cards import Family, card
from companion.core.registry import get_game
from mobile.tools.fitting import misfits
from tests.calibration.test_enrolment import photo
from tests.mobile.driver import SHOTS
from tests.mobile.scenes import start
from vision.types import CardRead, IndexRead, Reading

SIZE = (320, 240)
NONE = np.zeros(0, np.float32)


class Camera:
    """A source and a reader in one, which does as the scene says."""

    name = "a camera"
    has_torch = has_focus_lock = True

    def __init__(self) -> None:
        self.ended, self.failure = False, None
        self.light, self.opened = 120, 0
        self.torch = self.locked = False
        self.cards: list[tuple[str, float, float]] = []
        self.family = Family.STANDARD
        self._frame = 0
        self._pace = threading.Event()

    def open(self) -> None:
        self.ended, self.failure = False, None
        self.opened += 1

    def close(self) -> None:
        self.ended = True

    def unplug(self) -> None:
        self.failure = "Camera 0 stopped delivering pictures. Plug it in again."
        self.ended = True

    def set_torch(self, on: bool) -> None:
        self.torch = on

    def lock_focus(self, locked: bool) -> None:
        self.locked = locked

    def newest(self):
        self._pace.wait(0.03)  # as many frames as a camera has
        self._frame += 1
        rng = np.random.default_rng(self._frame)
        noise = rng.integers(0, 2 + self.light // 2, (SIZE[1], SIZE[0], 3))
        return self._frame / 10, (self.light + noise).clip(0, 255).astype(np.uint8)

    def read_frame(self, image) -> Reading:
        reads = []
        for name, x, down in list(self.cards):
            index = IndexRead((x + 8, 100.0 + 30 * down), (0.0, down), 18.0, NONE, NONE, 0.97)
            quad = ((x, 60.0), (x + 60, 60.0), (x + 60, 150.0), (x, 150.0))
            reads.append(CardRead(card(name, self.family), 0.97, quad, (index,), outlined=True))
        return Reading(SIZE, tuple(reads))

    read = read_frame


def a_camera_in_trouble() -> None:
    """Black, upside down, a card twice, unplugged: each is said, and the match goes on by hand."""
    camera = Camera()
    stage = start(make_reader=lambda: camera, make_source=lambda _name: camera)
    screen = stage.open_row("camera")

    def said(words: str) -> None:
        stage.wait(lambda: any(words in text for text in stage.texts()), 20)

    camera.light = 0
    said("The picture is black")
    stage.shot("trouble-black")
    camera.light = 120
    camera.cards = [("2S", 20.0, -1.0), ("6H", 120.0, -1.0)]
    said("upside down")
    camera.cards = [("2S", 20.0, 1.0), ("2S", 220.0, 1.0)]
    said("2♠ is seen in two places")
    stage.shot("trouble-twice")
    camera.cards = []
    stage.more("Torch")
    stage.more("Lock the focus")
    assert camera.torch
    assert camera.locked
    camera.unplug()
    said("Plug it in again")
    stage.shot("trouble-unplugged")
    row = len(screen.table.state.row)
    stage.tap_card("9D")
    assert len(screen.table.state.row) == row + 1
    stage.tap("Try again")
    stage.wait(lambda: screen.eyes.failure is None and camera.opened == 2, 20)
    number = screen.table.session.id
    stage.tap("‹")
    stage.wait(lambda: "Continue" in stage.texts(), 10)
    stage.frames(4)
    entry = stage.app.screen("home").ids.unfinished.children[0]
    row = stage.app.services.resumed(number).state.row
    stage.wait(lambda: entry.ids.lying.cards == row[-5:], 10)
    stage.shot("continue-thumbnail")
    stage.tap("Continue")
    stage.wait(lambda: camera.opened == 3, 20)  # it was watched by the camera, and is again
    stage.app.on_pause()
    assert camera.ended
    stage.app.on_resume()
    stage.wait(lambda: camera.opened == 4, 20)
    stage.more("Stop the camera")
    assert screen.eyes is None
    assert "No camera: tap the cards in" in stage.texts()
    stage.more("Start the camera")
    stage.wait(lambda: camera.opened == 5 and screen.ids.camera.has_picture, 20)
    stage.tap("‹")
    stage.tap("Decks & camera")
    looking = stage.app.screen("camera")
    looking.switch()
    stage.wait(lambda: camera.opened == 6, 20)
    # As when Android asks whether the camera is permitted: off the screen and back.
    stage.app.on_pause()
    assert camera.ended
    assert not looking.is_on
    stage.app.on_resume()
    stage.wait(lambda: camera.opened == 7 and looking.ids.camera.has_picture, 20)
    looking.stop()
    stage.app.on_pause()
    stage.app.on_resume()
    assert not looking.is_on
    stage.close()


def _long_lists(stage) -> None:
    """A long log in several labels; a long history as far as it is asked for."""
    from mobile.screens import scores
    from mobile.screens import table_sheets as table

    game = get_game("gotcha")
    for _ in range(5):
        kept = stage.app.services.new_table(game, game.setup(["Ann", "Bo"]))
        kept.do("Ann: guess Bo smallest 1 is A")
        kept.do("Bo: wrong")
    lines = [f"{n}. a line" for n in range(3 * table.LINES_A_LABEL)]
    log = table.LogSheet(lines)
    assert [label.text.count("\n") + 1 for label in log.ids.lines.children] == [20, 20, 20]
    scores.AT_ONCE = 2
    stage.app.open_history()
    stage.frames(2)
    stage.reach(stage.find("4 older ones"))
    stage.reach(stage.find("2 older ones"))
    shown = stage.app.screen("scores").ids.matches.children
    assert sum(isinstance(one, scores.KeptRow) for one in shown) == 6
    assert len(shown) == 7, "they share one evening's heading"
    (info, *_) = stage.app.services.journal.sessions()
    hurt = replace(info, players=(), winners=(), scores={}, damage="A part cannot be read.")
    row = stage.app.screen("scores")._kept(hurt)
    assert (row.facts, row.goes_on) == (hurt.damage, False)
    stage.app.back()


def a_hand_is_scored() -> None:
    """Four cards and a starter apart: points and whys; touched cards, the crib, a starter named."""
    camera = Camera()
    stage = start(make_reader=lambda: camera, make_source=lambda _name: camera)
    camera.cards = [("5H", 0.0, 1.0), ("5S", 25.0, 1.0), ("5D", 50.0, 1.0), ("JC", 75.0, 1.0)]
    stage.reach(stage.find("Score a hand"))
    screen = stage.app.screen("hand")
    stage.wait(lambda: len(screen.ids.cards.children) == 4, 20)
    assert any("starter apart" in text for text in stage.texts()), "four are no hand yet"
    camera.cards.append(("5C", 230.0, 1.0))
    stage.wait(lambda: not screen.is_looking, 20)
    assert "29 points" in stage.texts()
    assert camera.ended, "what it read stands still"
    stage.shot("hand-scored")
    stage.reach(stage.find("1 for jack of the starter's suit\nJ♣"))
    lit = [face.card.code for face in screen.ids.cards.children if face.marked]
    assert lit == ["JC"]
    names = ("2H", "4H", "6H", "8H", "10S")
    camera.cards = [(name, 25.0 * k, 1.0) for k, name in enumerate(names)]
    stage.tap("Look again")
    stage.wait(lambda: any("Touch it" in text for text in stage.texts()), 20)
    stage.wait(lambda: not screen.is_looking, 20)
    stage.reach_twice(screen.ids.cards.children[-1])
    assert screen.ids.cards.children[0].card.code == "2H", "a second touch names no other starter"
    stage.reach(next(face for face in screen.ids.cards.children if face.card.code == "10S"))
    assert "4 for flush\n2♥ 4♥ 6♥ 8♥" in stage.texts()
    stage.reach_twice(stage.find("It is the crib"))
    assert not any("flush" in text for text in stage.texts()), "a second touch turns nothing back"
    stage.tap("Back")
    assert camera.ended
    stage.close()


def seats_and_turns(stage) -> None:
    """Seats are dragged into order, decks printed, and a device that is turned loses nothing."""
    stage.app.open_setup(get_game("suspense"))
    setup = stage.app.screen("setup")
    stage.frames(3)
    stage.tap("Add a player")
    assert setup.names == ["Ann", "Bo", "Cy"]
    row = setup.ids.players.children[-1]
    grip = next(w for w in row.walk() if type(w).__name__ == "Grip")
    touch = stage.finger(*grip.to_window(*grip.center))
    for _ in range(12):
        touch.touch_move(touch.x, touch.y - row.height / 6)
        stage.frames(1)
    touch.touch_up()
    stage.frames(2)
    assert setup.names == ["Bo", "Cy", "Ann"]
    stage.touch(grip)
    assert setup.names == ["Bo", "Ann", "Cy"]
    stage.reach(stage.find("Print it: make a PDF"))
    kept = stage.app.services.folder / "exports" / "suspense.pdf"
    assert kept.read_bytes().startswith(b"%PDF")
    stage.tap("Start")
    app, table = stage.app, stage.app.screen("table").table
    _long_lists(stage)
    assert table.setup.players == ("Bo", "Ann", "Cy")

    def turned(width: int, height: int) -> None:
        stage.resize(width, height)
        stage.frames(4)
        assert misfits() == [], (width, height)

    for size in ((915, 412), (412, 915)):
        turned(*size)
        assert app.manager.current == "table"
    precognition = get_game("precognition")
    app.open_table(precognition, precognition.setup(["Ann", "Bo"]), None)
    stage.frames(3)
    stage.tap("Write Ann's prediction")
    stage.tap("I am Ann")
    stage.tap("▲ U\nup")
    turned(915, 412)
    assert "U" in stage.texts()  # what is half written is still there
    stage.picture(SHOTS / "turned.png")
    turned(412, 915)
    assert "U" in stage.texts()


class Stills:
    """A source that shows a picture until it is given another one."""

    name = "a camera"

    def __init__(self, image) -> None:
        self.ended, self.failure = False, None
        self.image = image
        self._pace = threading.Event()

    def open(self) -> None:
        self.ended = False

    def close(self) -> None:
        self.ended = True

    def newest(self):
        self._pace.wait(0.03)  # as many frames as a camera has
        return 0.0, self.image


def a_deck_is_taught() -> None:
    """From the list of decks: pieces are laid one after the other, one taken back, one left out."""
    from tests.mobile.test_taking import BARE

    source = Stills(BARE)
    stage = start(make_source=lambda _name: source)
    stage.tap("Decks & camera")
    panel = next(
        widget
        for widget in stage._widgets()
        if any("Suspense" in getattr(child, "text", "") for child in widget.children)
    )
    button = next(w for w in panel.walk() if getattr(w, "text", "").startswith("Teach the camera"))
    stage.reach(button)
    taking = stage.app.screen("taking")

    def lie(seed: int, then: str) -> None:
        source.image = BARE
        stage.wait(lambda: "No piece is seen" in taking.status, 30)
        source.image = photo("suspense", taking.face.code, seed)
        stage.wait(lambda: taking.lead.startswith(then), 30)

    stage.wait(lambda: taking.lead.startswith("1 of 26"), 30)
    lie(1, "2 of 26")
    stage.shot("teaching")
    stage.tap("Undo")
    assert taking.lead.startswith("1 of 26")
    lie(1, "2 of 26")
    stage.tap("Skip")
    lie(4, "4 of 26")
    for _ in range(12):
        stage.tap("Skip")
    assert taking.lead == "Every piece was taken."
    stage.tap("Finish")
    assert "Kept: 2 of 13 pieces." in taking.lead
    stage.shot("taught")
    stage.tap("OK")
    assert stage.app.manager.current == "camera"
    assert "Taught here: 2 pieces." in stage.texts()
    stage.reach(stage.find("Forget what was taught"))
    stage.tap("Forget what was taught")
    assert "Taught here: 2 pieces." not in stage.texts()
    stage.close()
