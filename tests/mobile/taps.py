"""How many touches what people do takes: `python -m tests.mobile.taps` prints it as JSON.

Real touches on a small phone; a swipe to what is not in sight counts as a touch. An action that
takes other ways around is counted by the way that the screen shows.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from companion.cards import parse_cards
from companion.core.registry import get_game
from mobile.tools.offscreen import SIZES, environment

#: Action → the most touches it should take.
GOALS = {
    "lay a card by hand": 2,
    "turn over five suspects": 5,
    "Gotcha: guess": 3,
    "Gotcha: answer": 1,
    "Deduction: a whole turn": 6,
    "Missing Persons: the deal, per player": 11,
    "see my notepad and go back": 2,
    "see my notepad and go back, with PIN": 6,
    "hand of 20 cards": 21,
    "before the camera: Gotcha's hand of 20": 3,
    "before the camera: Missing Persons' suspects": 3,
    "before the camera: Deduction's seven tiles": 3,
    "before the camera: Suspense's hand": 3,
}
SIZE = "small"
HAND = "AS 2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AH 2H 3H 4H 5H 6H 7H"


def main() -> int:
    """Prints the table; 1 where a goal is not reached."""
    with tempfile.TemporaryDirectory() as scratch:
        env = environment(Path(scratch), SIZES[SIZE])
        for name in ("data", "kivy"):
            (Path(scratch) / name).mkdir()
        command = [sys.executable, "-m", __spec__.name, "--count"]
        ran = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    counts = json.loads(ran.stdout.splitlines()[-1])
    table = {name: {"touches": counts[name], "goal": goal} for name, goal in GOALS.items()}
    print(json.dumps(table, indent=2))
    return int(any(row["touches"] > row["goal"] for row in table.values()))


def count() -> dict[str, int]:
    """Does each action in a window and counts its touches."""
    from tests.mobile.life_scenes import Camera
    from tests.mobile.scenes import start

    camera = Camera()
    stage = start(make_reader=lambda: camera, make_source=lambda _name: camera)
    stage.camera = camera
    found = {}
    for name, act in ACTS.items():
        screen = act(stage)  # prepares it, and gives what does it
        before = stage.touches
        screen()
        found[name] = stage.touches - before
    stage.close()
    return found


def _lay(stage):
    screen = stage.open_row()

    def act():
        stage.tap_card("7S")
        assert [card.code for card in screen.table.state.row] == ["7S"]

    return act


DEAL = (
    "Ann: hide ??",
    "Bo: hide ??",
    "table: deal Ann 2S 4S 6S 8S 10S 2H 4H 6H 8H 10H",
    "table: deal Bo 2C 4C 6C 8C 10C 2D 4D 6D 8D 10D",
)


def _turn(stage):
    screen = stage.open_table("missing-persons", lines=(*DEAL, 'Ann: ask "red?"', "Bo: no"))
    for line in ("Ann: done",):
        screen.table.do(line)
    screen.refresh()

    def act():
        for card in parse_cards("2H 4H 6H 8H 10H"):
            stage.reach(_face(stage, card))
        assert len(screen.table.state.turned(0)) == 5, screen.message

    return act


def _face(stage, card):
    from mobile.widgets.basic import CardFace

    stage.frames(2)
    return next(w for w in stage._widgets() if isinstance(w, CardFace) and w.card is card)


def _deal(stage):
    screen = stage.open_table("missing-persons", lines=DEAL[:2])

    def act():
        stage.tap("Deal Ann's suspects")
        for code in DEAL[2].split()[3:]:
            stage.pick_card(code)
        assert len(screen.table.state.displays[0]) == 10, screen.message

    return act


def _guess(stage):
    from mobile.widgets.basic import CardBack

    screen = stage.open_table("gotcha")

    def act():
        backs = {w.index: w for w in stage._widgets() if isinstance(w, CardBack)}
        stage.reach(backs[8])
        stage.frames(3)
        entry = screen.sentence
        stage.reach(next(key for key in entry.views[-1].keys if key.text == "10"))
        stage.tap(entry.doing)
        assert screen.table.referee.events[-1].args == (1, "smallest", 9, 10), screen.message

    return act


def _answer(stage):
    screen = stage.open_table("gotcha", lines=("Ann: guess Bo smallest 9 is 10",))

    def act():
        stage.tap("Wrong")
        assert screen.table.referee.events[-1].verb == "wrong"

    return act


def _whole_turn(stage):
    screen = stage.open_table("deduction", ("Ann", "Bo", "Cy"), lines=("table: up 5M 5C",))

    def act():
        stage.tap("Draw a coin")
        stage.pick_card("AS")
        stage.reach(next(w for w in stage._widgets() if "Bo's hand" in getattr(w, "text", "")))
        stage.frames(3)
        entry = screen.sentence
        stage.reach(next(w for w in entry.sentences if w.event.args[1:] == ("have", "Suns")))
        stage.tap("No")
        stage.tap("End the turn")
        assert screen.table.state.table.to_move == 1, screen.message

    return act


def _look(stage, digits=""):
    screen = stage.open_table("gotcha")
    if digits:
        screen.table.session.set_pin(0, digits, "")

    def act():
        stage.tap("Notepad")
        for digit in digits:
            stage.tap(digit)
        seen = []
        stage.hold("I am Ann", 1.0, lambda: seen.append(stage.app.manager.current))
        assert seen == ["notepad"]
        assert stage.app.manager.current == "table"

    return act


def _hand(stage):
    """Where the referee knows the hands, one cover leads to the next."""
    game = get_game("gotcha")
    setup = game.setup(["Ann", "Bo"], {"deal": "20"}, trusted=True)
    stage.app.open_table(game, setup, None)
    stage.frames(4)
    screen = stage.app.screen("table")
    stage.tap("Record Ann's hand")

    def act():
        stage.tap("I am Ann")
        for card in parse_cards(HAND):
            entry = stage.app.screen("private").ids.entry.children[0]
            stage.reach(next(key for key in entry.views[0].keys if key.value is card))
        assert screen.table.referee.events[-1].verb == "hand"

    return act


def _shown(stage, screen, codes, begin, keep):
    """Cards that are shown to the camera, from the lit button to their record."""
    family = screen.table.game.family
    stage.camera.family = family
    stage.camera.cards = [(code, 10.0 + 5 * n, 1.0) for n, code in enumerate(codes.split())]
    stands = screen.table.referee.stands

    def act():
        stage.tap(begin)
        stage.tap("Show them to the camera")
        stage.wait(lambda: keep in stage.texts(), 30)
        stage.wait(lambda: "Done" not in stage.texts())
        stage.reach(stage.find(keep))
        assert screen.table.referee.stands == stands + 1, screen.message

    return act


def _gotcha_shown(stage):
    screen = stage.open_table("gotcha", options={"deal": "20"})
    stage.tap("Tell the notepads your hands")
    return _shown(stage, screen, HAND, "I am Ann", "Keep these 20 secret")


def _suspects_shown(stage):
    screen = stage.open_table("missing-persons", lines=DEAL[:2])
    suspects = DEAL[2].partition("Ann ")[2]
    return _shown(stage, screen, suspects, "Deal Ann's suspects", "Record these 10 cards")


def _tiles_shown(stage):
    screen = stage.open_table("deduction", ("Ann", "Bo", "Cy"), lines=("table: up 5M 5C",))
    stage.tap("Tell the notepads your hands")
    return _shown(stage, screen, "AS 2S 3S 4S AM 2M 3M", "I am Ann", "Keep these 7 secret")


def _suspense_shown(stage):
    screen = stage.open_table("suspense", lines=("table: dealer Bo",))
    stage.tap("Tell the notepads your hands")
    return _shown(stage, screen, "W1 W2 W3 B1 B2 B3", "I am Ann", "Keep these 6 secret")


ACTS = {
    "lay a card by hand": _lay,
    "turn over five suspects": _turn,
    "Gotcha: guess": _guess,
    "Gotcha: answer": _answer,
    "Deduction: a whole turn": _whole_turn,
    "Missing Persons: the deal, per player": _deal,
    "see my notepad and go back": _look,
    "hand of 20 cards": _hand,
    "before the camera: Gotcha's hand of 20": _gotcha_shown,
    "before the camera: Missing Persons' suspects": _suspects_shown,
    "before the camera: Deduction's seven tiles": _tiles_shown,
    "before the camera: Suspense's hand": _suspense_shown,
    # Last: Ann has a PIN at every table from then on.
    "see my notepad and go back, with PIN": lambda stage: _look(stage, "2580"),
}

if __name__ == "__main__":
    if "--count" in sys.argv:
        print(json.dumps(count()))
    else:
        sys.exit(main())
