"""People, their statistics, the history and a first match, by touches."""

import random
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from companion.core.registry import get_game
from companion.simulate import play_events
from mobile.model import exports, people, session_stats, sharing
from tests.mobile.double import ClipReader, ClipSource
from tests.mobile.scenes import ROW, start


def _play(stage, name, names, seed=1, **options):
    """A match kept and played to its end by bots."""
    services = stage.app.services
    game = get_game(name)
    table = services.new_table(game, game.setup(list(names), **options))
    bots = [game.bots["sensible"]] * len(names)
    for event in play_events(table.session.referee, bots, random.Random(seed)):
        table.session.referee.accept(event)
        if table.session.referee.state.table.over:
            break
    services.meet(tuple(names))
    return table.session


def people_are_remembered(stage) -> None:
    """A name is typed once; then it is a chip in the set-up, with a colour of its own."""
    stage.app.open_setup(get_game("gotcha"))
    stage.frames(3)
    setup = stage.app.screen("setup")
    setup.ids.players.children[0].ids.name.text = "Cleo"
    stage.tap("Start")
    assert stage.app.screen("table").table.setup.players == ("Ann", "Cleo")
    stage.app.screen("table").do("Ann: guess Cleo smallest 1 is A")
    stage.shot("people-table")
    stage.tap("‹")
    stage.app.open_setup(get_game("precognition"))
    stage.frames(3)
    stage.shot("people-setup")
    assert {chip.text for chip in setup.ids.people.children if chip.chosen} == {"Ann", "Cleo"}
    chips = {chip.text: chip for chip in setup.ids.people.children}
    stage.reach(chips["Ann"])
    assert setup.names == ["Cleo"]
    stage.reach(chips["Ann"])
    assert setup.names == ["Cleo", "Ann"]
    stage.tap("Back")
    stage.frames(3)
    stage.tap("People")
    stage.frames(4)
    stage.shot("people")
    assert "no game has ended yet" in stage.texts()
    screen = stage.app.screen("people")
    screen.ids.line.text = "Dora"
    stage.tap("Add")
    assert people.load(stage.app.services.folder)[0].name == "Dora"
    screen.ids.line.text = "dora"
    stage.tap("Add")
    assert any("names must differ" in text for text in stage.texts())
    row = next(w for w in screen.ids.people.children if w.name == "Cleo")
    stage.reach(row)
    stage.frames(4)
    person = stage.app.screen("person")
    assert "No game with Cleo has ended yet. Play one to its end, and it is counted here." in (
        stage.texts()
    )
    swatch = next(s for s in person.ids.colours.children if s.number == 5)
    stage.reach(swatch)
    assert people.find(stage.app.services.people, "Cleo").colour == 5
    person.ids.line.text = "Cleopatra"
    stage.reach(stage.find("Rename"))
    stage.shot("person-renamed")
    assert stage.app.services.journal.sessions()[0].players == ("Ann", "Cleopatra")
    assert stage.app.settings.names == ("Ann", "Cleopatra")
    stage.reach(stage.find("Forget this person"))
    assert people.find(stage.app.services.people, "Cleopatra") is not None, "it is asked for first"
    stage.tap("Forget this person")
    assert stage.app.manager.current == "people"
    assert people.find(people.load(stage.app.services.folder), "Cleopatra") is None
    assert "Cleopatra" not in stage.texts()


def statistics_over_evenings(stage) -> None:
    """What was played is counted by itself, for each game and each pair; deleting reaches it."""
    from mobile.screens import scores

    _play(stage, "gotcha", ("Ann", "Bo"), seed=1)
    _play(stage, "precognition", ("Ann", "Bo"), seed=4)
    _play(stage, "missing-persons", ("Bo", "Cy"), seed=3)
    stage.app.go("people")
    screen = stage.app.screen("people")
    stage.wait(lambda: not screen.counting, 30)
    stage.frames(3)
    stage.shot("people-statistics")
    assert "Played together" in stage.texts()
    assert any(text.startswith("Ann and Bo: 1 evening, 2 games.") for text in stage.texts())
    stage.reach(next(w for w in screen.ids.people.children if w.name == "Bo"))
    person = stage.app.screen("person")
    stage.wait(lambda: not person.counting, 10)
    stage.frames(3)
    stage.shot("person")
    texts = stage.texts()
    assert {"Gotcha", "Precognition", "Missing Persons"} <= texts
    assert any(text.startswith("1 evening · ") and "of 3 won" in text for text in texts)
    assert any("Luck alone gets" in text for text in texts)
    dots = [type(w).__name__ for w in person.ids.games.walk()].count("Dot")
    assert dots == 3, "a line of form"
    assert any(text.startswith("Bo and Cy: 1 evening, 1 game.") for text in texts)
    stage.app.go("home")
    stage.frames(2)
    stage.tap("History")
    stage.frames(3)
    stage.shot("history-people")
    _matches_say_why(stage)
    kept = len(session_stats.load(stage.app.services.folder))
    delete = [w for w in stage._widgets() if getattr(w, "text", "") == "…"]
    assert delete
    assert all(button.kind == "quiet" for button in delete), "no row shouts to be deleted"
    stage.reach(delete[0])
    # It says which one.
    assert "Delete this match? Missing Persons · Bo, Cy · today" in stage._tops()[0].question
    scores.UNDOABLE = 0.3
    stage.tap("Delete")
    assert len(session_stats.load(stage.app.services.folder)) == kept
    stage.wait(lambda: not stage.app.screen("scores").deleted)
    assert len(session_stats.load(stage.app.services.folder)) == kept - 1
    stage.app.go("settings")
    stage.frames(2)
    stage.reach(stage.find("Delete all matches permanently"))
    stage.tap("Delete")
    assert "Deleted." in stage.texts()
    assert not (stage.app.services.folder / session_stats.FILE).exists()
    assert not (stage.app.services.folder / people.FILE).exists()


def _matches_say_why(stage) -> None:
    """Each match of one that was kept is a line; the last one says why, the others on a touch."""
    scores = stage.app.screen("scores")
    stage.reach(next(w for w in scores.ids.matches.children if "Precognition" in w.title))
    stage.frames(3)
    last, before, *_more = reversed(scores.ids.matches.children)
    assert (last.unfolded, before.unfolded) == (True, False)
    reason = before.ids.why._held[0].text
    assert reason not in stage.texts()
    stage.reach_twice(before)
    assert reason in stage.texts(), "a second touch turns nothing back"
    stage.shot("scores-matches")
    stage.reach(before)
    assert reason not in stage.texts()
    stage.app.open_history()
    stage.frames(3)


def a_first_match() -> None:
    """From the first start through a whole first match, each touch as the sentence says."""
    source = ClipSource()
    stage = start(
        welcomed=False, make_reader=lambda: ClipReader(source), make_source=lambda _name: source
    )
    for button in ("Next", "Next", "Try a first match"):
        stage.tap(button)
    app, screen = stage.app, stage.app.screen("table")
    assert app.settings.welcomed

    def says(words: str) -> None:
        stage.wait(lambda: words in app._lessons.sentence, 10)
        stage.frames(2)

    says("Touch “Write Ann's prediction”")
    stage.shot("first-match-write")
    assert "Tell the notepads your hands" not in stage.texts()
    stage.tap("Write Ann's prediction")
    says("Touch “I am Ann”")
    stage.shot("first-match-cover")
    stage.tap("I am Ann")
    says("▲ ▲ ▼")
    stage.shot("first-match-predict")
    for key in ("▲ U\nup", "▲ U\nup", "▼ D\ndown"):
        stage.tap(key)
    stage.tap("Keep it secret")
    says("Lay a card by hand")
    stage.shot("first-match-lay")
    stage.tap_card("9D")
    says("In the film 2♠ comes first")
    stage.tap("Undo")
    says("Lay a card by hand")
    stage.tap_card("2S")
    says("A mistake does no harm")
    stage.tap_card("6H")
    says("one card too many")
    assert [button.kind for button in screen.ids.steps.children] == ["plain"]
    stage.tap("Undo")
    says("A mistake does no harm")
    stage.tap("Undo")
    says("lies there again")
    stage.tap("Redo")
    says("a film lays the cards")
    stage.wait(lambda: len(screen.table.state.row) >= 5, 60)
    stage.shot("first-match-watch")
    stage.wait(lambda: screen.over, 90)
    says("That was a match")
    assert screen.turn == "Ann wins with 3 over 2."
    assert [card.code for card in screen.table.state.row] == ROW
    stage.shot("first-match-end")
    # Nothing in the journal, nobody among the people, nothing counted.
    assert not app.services.has_journal
    assert app.services.people == ()
    stage.tap("Play one of your own")
    assert app.manager.current == "setup"
    assert app._lessons is None
    stage.close()


def a_first_match_is_left(stage) -> None:
    """It is offered on the home screen and with the rules, and can be left at any moment."""
    app = stage.app
    app.screen("home").ids.scroll.scroll_y = 0.4
    stage.reach(stage.find("Try a first match"))
    stage.wait(lambda: app._lessons is not None and app._lessons.sentence, 5)
    stage.tap("Leave it")
    assert app.manager.current == "home"
    assert app.screen("home").ids.scroll.scroll_y == 1, "it begins at its top"
    assert app._lessons is None
    app.open_rules(get_game("gotcha"))
    stage.frames(3)
    assert not stage._tops()[0].can_try
    stage.tap("Close")
    app.open_rules(get_game("precognition"))
    stage.frames(3)
    stage.shot("rules-try")
    top = stage._tops()[0]
    assert top.can_try
    stage.touch(next(w for w in top.walk() if getattr(w, "text", "") == "Try a first match"))
    stage.wait(lambda: app._lessons is not None and app._lessons.sentence, 5)
    # The arrow back leads home, and the strip goes with it.
    stage.tap("‹")
    stage.wait(lambda: app._lessons is None, 5)
    assert app.manager.current == "home"


def a_result_is_kept(stage) -> None:
    """The result as a picture, a page and a file; where they go is said, and can be chosen."""
    from mobile.screens.scores import KeptRow

    opened = []
    sharing.shutil.which = lambda _name: "/usr/bin/true"
    sharing.subprocess = type("Quiet", (), {"DEVNULL": subprocess.DEVNULL, "Popen": opened.append})
    sharing.subprocess.Popen = lambda command, **_kw: opened.append(command)
    downloads = stage.app.services.folder / "home" / "Downloads"
    downloads.mkdir(parents=True)
    exports.Path = type("Here", (type(Path()),), {"home": staticmethod(lambda: downloads.parent)})
    session = _play(stage, "gotcha", ("Ann", "Bo"), seed=1)
    stage.app.open_history()
    stage.app.go("scores")
    stage.frames(3)
    (row,) = (w for w in stage._widgets() if isinstance(w, KeptRow))
    stage.touch(row)
    stage.frames(3)
    screen = stage.app.screen("scores")
    winner = session.setup.players[session.referee.state.table.winners[0]]
    assert f"★ Won by {winner}" in stage.texts()
    stage.shot("result-card")
    folder = stage.app.services.folder / "exports"
    for button, suffix in (
        ("Keep a picture", "png"),
        ("Keep as a page", "html"),
        ("Keep as a file", "txt"),
    ):
        stage.tap(button)
        (path,) = folder.glob(f"*.{suffix}")
        assert screen.message == f"Kept as {path}"
        assert path.stat().st_mode & 0o077 == 0
    stage.tap("Show it in its folder")
    assert opened[-1][1] == str(folder)
    # Elsewhere, where the user chooses it.
    stage.app.go("settings")
    stage.frames(3)
    stage.reach(stage.find("Downloads"))
    stage.frames(2)
    stage.shot("settings-files")
    assert any(str(downloads) in text and "does not delete" in text for text in stage.texts())
    stage.reach(stage.find("Open the folder"))
    assert opened[-1][1] == str(downloads)
    stage.app.go("scores")
    stage.frames(3)
    stage.tap("Keep as a page")
    assert list(downloads.glob("*.html"))
    # Deleting the match takes the files of the app's own folder along.
    stage.app.open_history()
    stage.frames(3)
    stage.tap("…")
    assert all(path.name in stage._tops()[0].question for path in folder.iterdir())
    stage.tap("Delete")
    stage.app.dispatch("on_pause")
    assert list(folder.iterdir()) == []
    assert list(downloads.glob("*.html"))


def who_starts_and_how_long(stage) -> None:
    """By lot, who lost last, the youngest; a short game in words; a clock that does nothing."""
    session = _play(stage, "gotcha", ("Ann", "Bo"), seed=1)
    lost = 1 - session.referee.state.table.winners[0]
    stage.app.change(replace(stage.app.settings, names=("Ann", "Bo")))
    stage.app.open_setup(get_game("gotcha"))
    stage.frames(3)
    setup = stage.app.screen("setup")
    choice = setup._questions["starter"]

    def touch(text: str) -> None:
        stage.reach(next(w for w in choice.walk() if getattr(w, "text", "").endswith(text)))
        stage.frames(2)

    touch("Who lost last")
    assert choice.value == session.setup.players[lost]
    assert "lost last time" in choice.explain
    touch("By lot")
    assert choice.explain == f"Drawn by lot: {choice.value}."
    touch("The youngest")
    assert choice.value == ""
    stage.tap("Start")
    assert stage.app.manager.current == "setup", "nobody was named yet"
    touch("Bo")
    assert choice.explain == "Bo is the youngest; that is remembered."
    touch("Ann")
    touch("The youngest")
    assert choice.value == "Bo"
    stage.shot("setup-start")
    stage.reach(stage.find("Short game: 10 cards each"))
    assert setup._questions["deal"].value == "10"
    stage.reach(stage.find("More settings"))
    stage.frames(2)
    stage.reach(next(w for w in setup._clock.walk() if getattr(w, "text", "") == "30 seconds"))
    stage.shot("setup-clock")
    stage.tap("Start")
    screen = stage.app.screen("table")
    referee = screen.table.referee
    assert referee.setup.first_starter == 1
    assert referee.setup.options["deal"] == "10"
    assert referee.log == (), "the clock and the lot leave nothing in the match"
    screen._clock._since = time.monotonic()  # however long the first frames took
    screen._show_clock()
    assert screen.clock_chip.text == "◷ 0:30"
    stage.wait(lambda: screen.clock_chip.text < "◷ 0:30", 5)
    stage.shot("table-clock")
    screen._clock._since -= 60
    stage.wait(lambda: screen.clock_chip.text == "◷ 0:00", 5)
    assert referee.log == ()
    assert stage.app.settings.clock == 30
    # A short row, with a deck of half the cards.
    stage.app.open_setup(get_game("precognition"))
    stage.frames(3)
    stage.reach(stage.find("Short game: 26 cards"))
    assert "Spades and hearts alone: take the other cards out of the deck." in stage.texts()
    stage.tap("Start")
    assert screen.table.state.length == 26
    stage.tap("‹")
    stage.app.open_setup(get_game("suspense"))
    stage.frames(3)
    stage.reach(stage.find("Who lost last"))
    assert "not ended this game yet" in setup._named.explain
    stage.reach(stage.find("Short game: 3 points"))
    stage.tap("Start")
    assert screen.table.setup.options["target"] == "3"


def a_new_user_is_led(stage) -> None:
    """What made people hesitate: how to deal, a full table, a hand to tell, the next game."""
    app = stage.app
    app.open_setup(get_game("deduction"))
    stage.frames(3)
    setup = app.screen("setup")
    assert setup.names == ["Ann", "Bo", "Cy"], "nobody is called P3"
    add = stage.find("Add a player")
    stage.reach(add)
    stage.reach(add)
    assert add.disabled, "five is the most"
    stage.tap("Start")
    screen = app.screen("table")
    assert screen.note == "Set one tile aside that nobody sees, and deal 4 to each."
    app.open_setup(get_game("gotcha"))
    stage.frames(3)
    stage.tap("Start")
    deal = "Deal 10 cards to each. Everybody discards one unseen and holds the rest in ascending"
    assert screen.note.startswith(deal)
    stage.shot("begin-gotcha")
    # The notepad says how to tell it one's own hand.
    stage.tap("Notepad")
    stage.tap("I am Ann")
    pad = app.screen("notepad")
    stage.wait(lambda: pad.lead != "Counting …", 60)
    stage.shot("notepad-no-hand")
    stage.reach(stage.find("Record your hand"))
    assert "Pass the phone to Ann" not in stage.texts(), "she has it already"
    entry = app.screen("private").ids.entry.children[0]
    for key in entry.views[0].keys[:10]:
        stage.reach(key)
    assert not screen.table.referee.log, "it is looked over first"
    stage.reach(stage.find("Keep these 10 secret"))
    assert app.manager.current == "notepad"
    assert screen.table.referee.events[-1].verb == "hand"
    stage.wait(lambda: pad.lead != "Counting …", 60)
    assert pad.can_mark, "she is still known to be Ann"
    stage.tap("Back")
    stage.tap("Undo")
    stage.tap("Undo")
    assert not screen.table.referee.events
    assert screen.do("Ann: guess Bo smallest 1 is 2")
    assert "Deal" not in screen.note
    # Missing Persons: nothing can be asked before anything was tapped.
    game = get_game("missing-persons")
    app.open_table(game, game.setup(["Ann", "Bo"]), None)
    for line in (
        *("Ann: hide ??", "Bo: hide ??"),
        "table: deal Ann 2S 4S 6S 8S 10S 2H 4H 6H 8H 10H",
        "table: deal Bo 2C 4C 6C 8C 10C 2D 4D 6D 8D 10D",
    ):
        assert screen.do(line), screen.table.message
    stage.frames(3)
    stage.tap("Ask a question")
    assert stage.find("Ask").disabled
    stage.tap("♥")
    stage.tap("Ask")
    assert screen.table.referee.events[-1].verb == "ask"
    # After the last match of Suspense the next game is one touch away, and it is what is lit.
    game = get_game("suspense")
    session = _play(stage, "suspense", ("Ann", "Bo"), seed=2)
    app.continue_session(session.id)
    stage.frames(4)
    assert screen.over
    lit = [w.text for w in screen.ids.steps.children if w.kind == "main"]
    assert lit == ["Play again"]
    stage.shot("end-suspense-again")
    stage.reach(stage.find("Result and sharing"))
    assert app.manager.current == "scores"
    stage.tap("Back")
    stage.tap("Play again")
    assert app.manager.current == "setup"
    assert setup.game is game
