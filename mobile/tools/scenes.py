"""Brings the app to each of its screens, with matches in which something is going on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from companion.cards import parse_card, parse_cards
from companion.core.events import private
from companion.core.question import SightingQuestion
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.simulate import play_events
from mobile.model import demo_script
from mobile.model.enrolling import Teaching
from mobile.model.steps import Action
from mobile.model.table import Table
from mobile.resources import texts
from mobile.tools.fitting import open_sheets

#: Games without a camera → what is being done when the picture is taken.
GAMES = {"gotcha": "guess", "missing-persons": "ask", "deduction": "ask", "suspense": "play"}
#: Games and players of the matches that statistics are shown of.
EVENINGS = (
    ("gotcha", ("Annabel", "Bo")),
    ("precognition", ("Annabel", "Bo", "Cy")),
    ("suspense", ("Cy", "Annabel")),
    ("missing-persons", ("Bo", "Annabel")),
)


def scenes(app: Any, pictures: list[tuple[Any, Any]]) -> Iterator[str]:
    """Brings the app to each screen in turn and says its name.

    Args:
        app: the app, in a window.
        pictures: a frame with seven cards and the last one of the demo's clip, each with what was
            read in it.
    """
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
    app.open_entry(Action(0, "predict", 0, frozenset({0})))
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
        action = next(a for a in table.public_actions() if a.verb == verb)
        screen.start(action, screen.instead_of(action))
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
        yield from _supposing_scenes(pad, name)
        app.back()


def _supposing_scenes(pad: Any, name: str) -> Iterator[str]:
    from mobile.widgets.grid import ChanceGrid

    for grid in [widget for widget in pad.ids.sheets.walk() if isinstance(widget, ChanceGrid)]:
        sheet = grid.sheet
        for row, column in grid.targets:
            if 0 < sheet.chance(row, column) < 1:
                grid.dispatch("on_cell", row, column)
                yield f"cell-{name}"
                app_sheets_away()
                grid.dispatch("on_hold", row, column)
                pad.wait()
                yield f"what-if-{name}"
                return


def _question_scenes(app: Any, growing: tuple[Any, Any]) -> Iterator[str]:
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
    app.services.forget_everything()


def _people_scenes(app: Any) -> Iterator[str]:
    """People, their statistics, the history and a result, of matches that bots have played."""
    for seed, (name, names) in enumerate(EVENINGS, 1):
        game = get_game(name)
        table = app.services.new_table(game, game.setup(list(names)))
        bots = [game.bots["sensible"]] * len(names)
        for event in play_events(table.session.referee, bots, random.Random(seed)):
            table.session.referee.accept(event)
            if table.session.referee.state.table.over:
                break
        app.services.meet(names)
    app.open_setup(get_game("gotcha"))
    yield "setup-people"
    app.screen("setup").unfolded = True
    app.screen("setup").ids.scroll.scroll_y = 0
    yield "setup-more"
    list(app.services.counting())
    app.go("people")
    yield "people"
    app.open_person("Annabel")
    app.screen("person").ids.scroll.scroll_y = 1
    yield "person"
    app.screen("person").ids.scroll.scroll_y = 0
    yield "person-end"
    app.open_history()
    yield "history-people"
    app.screen("scores").open_kept(app.services.journal.sessions()[0].id)
    yield "result"
    app.go("home")


def _first_match_scenes(app: Any) -> Iterator[str]:
    """A first match: what the strip says at the beginning, behind the cover, at the end."""
    app.open_first_match()
    yield "first-match"
    first = app.screen("table").table
    app.open_entry(Action(0, "predict", 0, frozenset({0})))
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
    taking = Teaching("suspense", app.services.folder / "decks")
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


def app_sheets_away() -> None:
    """Closes every sheet."""
    for sheet in open_sheets():
        sheet.dismiss(animation=False)
