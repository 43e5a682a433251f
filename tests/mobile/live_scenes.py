"""A game whose cards lie in zones, played before the camera in a real window."""

from dataclasses import replace

import numpy as np

from calibration.live_reader import deck_on_table
from companion.cards import card, parse_cards
from companion.core.registry import get_game
from tests.companion.seating import fewest
from tests.mobile.filmed import DrawnFilm
from tests.mobile.scenes import start
from vision.types import CardRead, IndexRead, Reading

SIZE = (320, 240)
NONE = np.zeros(0, np.float32)


class Pile:
    """A source and a reader in one: a pile on which cards come to lie when the test says so."""

    name = "a table"

    def __init__(self) -> None:
        self.ended, self.failure = False, None
        self.cards: list[tuple[str, float]] = []
        self._frame = 0

    def open(self) -> None:
        self._frame = 0

    def close(self) -> None:
        self.ended = True

    def newest(self):
        self._frame += 1
        image = np.full((SIZE[1], SIZE[0], 3), 60, np.uint8)
        for k in range(len(self.cards)):
            image[60:150, 20 + 75 * k : 80 + 75 * k] = 230
        # Something moves all the time, so every frame is read.
        image[200:230, 10 * (self._frame % 20) : 10 * (self._frame % 20) + 60] = 200
        return self._frame / 10, image

    def read_frame(self, image) -> Reading:
        reads = []
        for k, (name, sure) in enumerate(list(self.cards)):
            index = IndexRead((28.0 + 75 * k, 75.0), (0.0, 1.0), 18.0, NONE, NONE, sure)
            left, right = 20.0 + 75 * k, 80.0 + 75 * k
            quad = ((left, 60.0), (right, 60.0), (right, 150.0), (left, 150.0))
            reads.append(CardRead(card(name), sure, quad, (index,), outlined=True))
        return Reading(SIZE, tuple(reads))

    read = read_frame


def guesses_are_answered_before_the_camera() -> None:
    """Recorded by itself, explained where it cannot be, fixed with any card, waved aside."""
    pile = Pile()
    stage = start(make_reader=lambda: pile, make_source=lambda _name: pile)
    screen = stage.open_table("gotcha", options={"deal": "4"}, source="a clip")
    table = screen.table
    screen.do("Ann: guess Bo smallest 2 is 9")
    pile.cards.append(("9S", 0.97))
    stage.wait(lambda: table.referee.events[-1].verb == "right")
    assert table.referee.events[-1].provenance[0] == "camera"
    pile.cards.append(("5D", 0.97))
    stage.wait(lambda: "guess" in screen.question)
    assert not screen.can_record, "out of turn: nothing to accept"
    stage.shot("live-out-of-turn")
    screen.do("Ann: guess Bo smallest 1 is 4")
    stage.wait(lambda: "card of that rank" in screen.question)
    kept = stage.app.services.folder / "exports" / "misreads"
    stage.app.change(replace(stage.app.settings, keep_misreads=True))
    stage.tap("Fix")
    stage.pick_card("4D")
    stage.wait(lambda: any(kept.glob("*.json")))
    assert '"4D"' in next(kept.glob("*.json")).read_text()
    assert table.referee.events[-1].args[0] is card("4D")
    stage.frames(3)
    assert screen.question == ""
    pile.cards.append(("KC", 0.97))
    stage.wait(lambda: "guess" in screen.question)
    stage.tap("Not this")
    stage.frames(5)
    assert screen.question == ""
    stage.close()


#: What makes a session short enough: fewer cards, or fewer points to win.
OPTIONS = {"gotcha": {"deal": "5"}, "suspense": {"target": "2"}}
SEEDS = {"precognition": 15, "gotcha": 2, "deduction": 7, "missing-persons": 17}
ROW = "2S 6H 5C 4D 7S 9D 7H AC 2H 2D 5S 8C"


def play_on_film(name: str) -> None:
    """A whole session before the camera, to the final scores."""
    game = get_game(name)
    pieces = {one.code: one for one in deck_on_table(game.info.decks).cards}
    film = DrawnFilm(pieces.__getitem__)
    stage = start(make_reader=lambda: film, make_source=lambda _name: film)
    from tests.mobile.clip_play import ClipPlay

    names = fewest(game)
    cards = parse_cards(ROW) if name == "precognition" else None
    play = ClipPlay(stage, film, game, game.setup(names, OPTIONS.get(name), cards=cards))
    play.run(seed=SEEDS.get(name, 0))
    stage.shot(f"clip-end-{name}")
    print(f"{name}: {play.filmed} plays filmed, {play.accepted} accepted and {play.fixed} fixed")
    stage.more("Scores")
    assert any("Match 1" in text for text in stage.texts())
    stage.shot(f"clip-scores-{name}")
    stage.close()


#: Scenes of any game: `films_missing_persons`.
OF_A_GAME = {"films": play_on_film}
