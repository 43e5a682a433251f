"""Pictures of every screen: `python -m mobile.tools.shots FOLDER` writes SCREEN-SIZE-THEME.png.

The camera's picture is a frame of the bundled clip with what the shipped networks read from it.
Each size has a process of its own, because Kivy has one window a process.
"""

from __future__ import annotations

import argparse
import pickle
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2

from companion.cards import parse_card, parse_cards
from companion.core.events import private
from companion.core.question import SightingQuestion
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.errors import CompanionError
from companion.simulate import play_events
from mobile.app import make_app
from mobile.model import demo_script
from mobile.model.enrolling import Teaching
from mobile.model.settings import Settings
from mobile.model.steps import Action
from mobile.model.table import Table
from mobile.readers import shipped_reader
from mobile.resources import texts
from mobile.tools import contrast
from mobile.tools.fitting import misfits
from mobile.tools.offscreen import SIZES, OffscreenApp, environment

THEMES = {
    "dark": Settings(welcomed=True, calm=True, language="en"),
    "light": Settings(theme="light", welcomed=True, calm=True, language="en"),
    "large": Settings("light", 1.45, four_colours=True, welcomed=True, calm=True, language="en"),
    "german": Settings(welcomed=True, calm=True, language="de"),
    "left": Settings(
        "light", 1.2, four_colours=True, left_handed=True, welcomed=True, calm=True, language="en"
    ),
}
#: Where there is little room is where large text and long words can go wrong; which hand it is
#: shows where camera and buttons lie side by side.
ONLY = {"large": ("small",), "german": ("small", "pi"), "left": ("pi",)}
#: Games without a camera → what is being done when the picture is taken.
GAMES = {"gotcha": "guess", "missing-persons": "ask", "deduction": "ask", "suspense": "play"}
#: Games and players of the matches that statistics are shown of.
EVENINGS = (
    ("gotcha", ("Annabel", "Bo")),
    ("precognition", ("Annabel", "Bo", "Cy")),
    ("suspense", ("Cy", "Annabel")),
    ("missing-persons", ("Bo", "Annabel")),
)
#: Seconds after which a size is given up.
PATIENCE = 900
#: When seven cards lie in the clip and no hand is in sight, in seconds.
SEVEN_CARDS = 10.0


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--size", choices=sorted(SIZES), help="one size only, in this process")
    parser.add_argument("--read", type=Path, help="frames that were read already (made by itself)")
    chosen = parser.parse_args()
    if chosen.size:
        return shoot(chosen.folder, chosen.size, chosen.read)
    running = []
    for old in _pictures(chosen.folder):
        old.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        # The networks are run once, not once a size.
        read = Path(scratch) / "frames"
        read.write_bytes(pickle.dumps(read_frames(shipped_reader)))
        for name, size in SIZES.items():
            command = [sys.executable, "-m", __spec__.name, str(chosen.folder), "--size", name]
            command += ["--read", str(read)]
            env = environment(Path(scratch) / name, size)
            # As on a device with a graphics chip, whatever draws the pictures here.
            env["KCFG_GRAPHICS_MULTISAMPLES"] = "2"
            running.append(subprocess.Popen(command, env=env))  # noqa: S603 - our own module
        codes = [process.wait(timeout=PATIENCE) for process in running]
    count = len(_pictures(chosen.folder))
    print(f"{count} pictures in {chosen.folder}")
    return max(codes)


def _pictures(folder: Path) -> list[Path]:
    """All pictures of screens in a folder."""
    names = [f"*-{size}-{theme}.png" for size in SIZES for theme in THEMES]
    return [path for name in names for path in folder.glob(name)]


def shoot(folder: Path, size: str, read: Path | None = None) -> int:
    """Every screen in every theme at one size, in this process."""
    app = make_app(None, None)
    app.parts.change(THEMES["dark"])
    stage = OffscreenApp(app)
    if read is None:
        pictures = read_frames(app.parts.make_reader)
    else:
        pictures = pickle.loads(read.read_bytes())  # noqa: S301 - written by our own process
    lowest, count, unfit = 21.0, 0, 0
    for theme, settings in THEMES.items():
        if size not in ONLY.get(theme, SIZES):
            continue
        app.change(settings)
        for screen in scenes(app, pictures):
            stage.frames(4)
            path = stage.picture(folder / f"{screen}-{size}-{theme}.png")
            picture = cv2.imread(str(path))
            assert picture is not None, path
            texts_ = contrast.measure(picture)
            lowest = min([lowest, *(m.ratio for m in texts_)])
            for poor in (m for m in texts_ if not m.ok):
                count += 1
                print(f"contrast {poor.ratio:.1f} < {poor.wanted} {path.name}: {poor.text[:40]!r}")
            for words in misfits():
                unfit += 1
                print(f"{path.name}: {words}")
    print(f"{size}: lowest contrast of a text {lowest:.1f}, too low {count}, not fitting {unfit}")
    stage.close()
    return 1 if count or unfit else 0


def read_frames(make_reader: Any) -> list[tuple[Any, Any]]:
    """A frame with seven cards and the last one, each with what the networks read from it.

    The reading is None where there are no networks.
    """
    capture = cv2.VideoCapture(str(demo_script.load().clip))
    rate = capture.get(cv2.CAP_PROP_FPS)
    frames = []
    while True:
        good, image = capture.read()
        if not good:
            break
        frames.append(image)
    chosen = [frames[round(SEVEN_CARDS * rate)], frames[-1]]
    try:
        reader = make_reader()
    except CompanionError as error:
        print(f"shots: {texts.told(error.message)}", file=sys.stderr)
        return [(frame, None) for frame in chosen]
    return [(frame, reader.read_frame(frame)) for frame in chosen]


def scenes(app: Any, pictures: list[tuple[Any, Any]]) -> Iterator[str]:
    """Brings the app to each screen in turn and says its name."""
    app.go("home")
    yield "home"
    app.open_setup(get_game("precognition"))
    yield "setup"
    app.open_setup(get_game("suspense"))
    app.screen("setup").ids.scroll.scroll_y = 0.5
    yield "setup-suspense"
    app.screen("setup").ids.scroll.scroll_y = 1
    app.go("settings")
    app.screen("settings").ids.scroll.scroll_y = 1
    yield "settings"
    app.screen("settings").ids.scroll.scroll_y = 0
    yield "settings-end"
    yield from _entry_scenes(app)
    yield from _table_scenes(app, *pictures)
    yield from _game_scenes(app)
    yield from _question_scenes(app, pictures[0])
    yield from _kept_scenes(app)
    yield from _other_scenes(app, pictures[0])


def _demo_table(cards: int) -> Table:
    table = demo_script.table(demo_script.load())
    for card in parse_cards("2S 6H 5C 4D 7S 9D 7H AC 2H 2D 5S 8C")[:cards]:
        table.tap(card)
    return table


def _entry_scenes(app: Any) -> Iterator[str]:
    game = get_game("precognition")
    app.screen("table").open(Table(game, game.setup(["Ann", "Bo"])), None)
    app.go("table")
    yield "table-empty"
    app.open_entry(Action(0, "predict", 0, frozenset({0}), is_first=True))
    yield "cover"
    private_screen = app.screen("private")
    private_screen.uncover()
    pad = private_screen.ids.entry.children[0]
    for letter in "UUDDUSU":
        pad.press(letter)
    yield "predict"


def _table_scenes(app: Any, growing: tuple[Any, Any], last: tuple[Any, Any]) -> Iterator[str]:
    screen = app.screen("table")
    table = _demo_table(7)
    screen.open(table, None)
    _show_frame(screen, *growing)
    app.go("table")
    yield "table"
    seen = SeenCard(parse_card("AC"), "row", 0.71)
    table.question = SightingQuestion(seen.card, 0.71, "row", table.referee.proposals(seen))
    screen.refresh()
    yield "proposal"
    table.dismiss_question()
    screen.refresh()
    screen.board.edit(3)
    yield "edit"
    app_sheets_away()
    screen.tap_card()
    yield "picker"
    app_sheets_away()
    screen.show_log()
    yield "log"
    app_sheets_away()
    screen.undo()
    yield "undone"
    screen.open(_demo_table(12), None)
    _show_frame(screen, *last)
    screen.refresh()
    yield "winner"
    yield from _long_row(app, screen)


def _game_scenes(app: Any) -> Iterator[str]:
    """Tables, entries and notepads of games without a camera."""
    for name, verb in GAMES.items():
        game = get_game(name)
        names = ["Ann", "Bo", "Cy"][: max(2, game.info.min_players)]
        table = Table(game, game.setup(names))
        bots = [game.bots["sensible"]] * len(names)
        for event in play_events(table.referee, bots, random.Random(4)):
            if event.verb == verb and len(table.referee.log) > 5:
                break
            table.referee.accept(event)
        screen = app.screen("table")
        screen.open(table, None)
        app.go("table")
        yield f"table-{name}"
        action = next(a for a in table.deeds() if a.verb == verb)
        screen.start(action, screen._instead_of(action))
        yield f"entry-{name}"
        app_sheets_away()
        screen.show_more()
        yield f"more-{name}"
        app_sheets_away()
        pad = app.screen("notepad")
        pad.open(table, 0, None)
        app.go("notepad")
        pad.wait()
        yield f"notepad-{name}"
        app.back()


def _question_scenes(app: Any, growing: tuple[Any, Any]) -> Iterator[str]:
    """What the camera saw and the rules do not allow."""
    game = get_game("gotcha")
    table = Table(game, game.setup(["Ann", "Bo"]))
    screen = app.screen("table")
    screen.open(table, None)
    app.go("table")
    _show_frame(screen, *growing)
    zone = next(zone for zone in table.zones if zone.face_up)
    seen = SeenCard(parse_card("AC"), zone.name, 0.97)
    table.question = SightingQuestion(seen.card, 0.97, zone.name, table.referee.proposals(seen))
    screen.refresh()
    yield "not-possible"
    table.dismiss_question()


def _kept_scenes(app: Any) -> Iterator[str]:
    """A match that can be continued, with what lies open in it."""
    game = get_game("precognition")
    setup = game.setup(["Ann", "Bo"])
    app.open_table(game, setup, None)
    table = app.screen("table").table
    for seat in (0, 1):
        table.do(private(seat, "predict", "UUD"))
    for card in parse_cards("2S 6H 5C 4D 7S"):
        table.tap(card)
    app.go("home")
    yield "home-continue"
    app.screen("table").forget()
    yield from _people_scenes(app)
    app.parts.forget_everything()


def _people_scenes(app: Any) -> Iterator[str]:
    """People, their statistics, the history and a result, of matches that bots have played."""
    for seed, (name, names) in enumerate(EVENINGS, 1):
        game = get_game(name)
        table = app.parts.new_table(game, game.setup(list(names)))
        bots = [game.bots["sensible"]] * len(names)
        for event in play_events(table.session.referee, bots, random.Random(seed)):
            table.session.referee.accept(event)
            if table.session.referee.state.table.over:
                break
        app.parts.meet(names)
    app.open_setup(get_game("gotcha"))
    yield "setup-people"
    list(app.parts.counting())
    app.go("people")
    yield "people"
    app.open_person("Annabel")
    app.screen("person").ids.scroll.scroll_y = 1
    yield "person"
    app.screen("person").ids.scroll.scroll_y = 0
    yield "person-end"
    app.open_history()
    yield "history-people"
    app.screen("scores").open_kept(app.parts.journal.sessions()[0].id)
    yield "result"
    app.go("home")


def _first_match_scenes(app: Any) -> Iterator[str]:
    """A first match: what the strip says at the beginning, behind the cover, at the end."""
    app.open_first_match()
    yield "first-match"
    first = app.screen("table").table
    app.open_entry(Action(0, "predict", 0, frozenset({0}), is_first=True))
    app.screen("private").uncover()
    app.look_at_lesson()
    yield "first-match-predict"
    app.go("table")
    first.do(private(0, "predict", "UUD"))
    for card in demo_script.table(demo_script.load()).game.all_cards(first.setup):
        first.tap(card)
    app.screen("table").refresh()
    app.look_at_lesson()
    yield "first-match-end"
    app.leave_first_match()
    app.go("home")


def _other_scenes(app: Any, growing: tuple[Any, Any]) -> Iterator[str]:
    """Scores, replay, row, camera, licences, names, the three cards."""
    table = _demo_table(12)
    screen = app.screen("table")
    screen.open(table, None)
    app.go("table")
    app.open_scores()
    yield "scores"
    app.open_replay(table)
    yield "replay"
    app.go("table")
    app.open_row()
    yield "row"
    yield from _first_match_scenes(app)
    screen.open(table, None)
    app.go("table")
    screen.edit_names()
    yield "names"
    app_sheets_away()
    app.go("home")
    app.open_history()
    yield "history"
    app.open_rules(get_game("missing-persons"))
    yield "rules"
    app_sheets_away()
    app.go("camera")
    camera = app.screen("camera")
    camera.ids.camera.show(growing[0])
    camera.ids.camera.notice = ""
    camera.ids.camera.mark(growing[1])
    camera.ids.camera.set_corners(((0.05, 0.1), (0.95, 0.1), (0.95, 0.9), (0.05, 0.9)))
    camera.advice = texts.PICTURE_GOOD
    yield "camera"
    yield from _taking_scenes(app)
    app.go("settings")
    app.screen("settings").show_licences()
    yield "licences"
    app_sheets_away()
    app.welcome()
    yield "welcome"
    app_sheets_away()


def _taking_scenes(app: Any) -> Iterator[str]:
    """A deck that is taught: the fourth piece is wanted."""
    taking = Teaching("suspense", app.parts.folder / "decks")
    for _ in range(3):
        taking.skip()
    screen = app.screen("taking")
    screen.open(taking, None)
    app.go("taking")
    taking.status = texts.TEACH_ALIKE.format(a="W4", b="W2")
    screen.refresh()
    screen.can_insist = True
    yield "taking"
    app.go("camera")


def _show_frame(screen: Any, frame: Any, reading: Any) -> None:
    screen.has_camera = True
    screen.ids.camera.show(frame)
    screen.ids.camera.notice = ""
    screen.ids.camera.mark(reading)
    screen.eyes_status = texts.STATUS["steady"]


def _long_row(app: Any, screen: Any) -> Iterator[str]:
    """All 52 cards, by hand."""
    game = get_game("precognition")
    table = Table(game, game.setup(["Annabel", "Bo", "Cy", "Di"]))
    for seat, text in enumerate(("UUDD", "UDUDUDUDU", "S", "DDDDD")):
        table.do(private(seat, "predict", text))
    cards = game.all_cards(table.setup)
    for k in range(52):
        table.tap(cards[(k * 23) % 52])
    screen.open(table, None)
    yield "long"
    app.go("home")


def open_sheets() -> list[Any]:
    """The sheets over the screen, the topmost first."""
    from kivy.core.window import Window

    from mobile.widgets.basic import Sheet

    return [child for child in Window.children if isinstance(child, Sheet)]


def app_sheets_away() -> None:
    """Closes every sheet."""
    for sheet in open_sheets():
        sheet.dismiss(animation=False)


if __name__ == "__main__":
    sys.exit(main())
