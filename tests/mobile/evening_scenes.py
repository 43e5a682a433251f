"""An evening at the table: what one match leaves for the next, and what can be gone on with."""

from companion.cards import parse_card
from companion.core.events import private
from companion.core.question import SightingQuestion
from companion.core.sightings import SeenCard
from companion.core.state import hand_zone
from tests.mobile.fault_scenes import lit


def an_answer_is_to_the_question_on_the_screen(stage) -> None:
    """Asked about one card, Yes does not record another that the camera has read meanwhile."""
    screen = stage.open_row()
    table = screen.table

    def asks(code):
        seen = SeenCard(parse_card(code), "row", 0.71)
        return SightingQuestion(seen.card, 0.71, "row", table.referee.proposals(seen))

    table.question = asks("6H")
    screen.refresh()
    stage.frames(3)
    assert lit(stage) == [], "no answer is favoured"
    for answer in (screen.accept, screen.dismiss, screen.fix):
        table.question = asks("7H")  # the frame changes while the finger is down
        answer()
        assert not table.state.row
        assert table.question.card.code == "7H"
        assert "7♥" in screen.question, "now that one is asked about"
        table.question = asks("6H")
        screen.refresh()
    stage.frames(3)
    stage.tap("Accept")
    assert [card.code for card in table.state.row] == ["6H"]


def a_notepad_belongs_to_its_match(stage) -> None:
    """A mark and a note of one match are not in the next; its replay shows them."""
    from mobile.widgets.board import HiddenZone

    screen = stage.open_table("gotcha", options={"deal": "4"})
    screen.do("Ann: guess Bo smallest 1 is A")
    pad = stage.app.screen("notepad")

    def look():
        stage.tap("Notepad")
        if "I am Ann" not in stage.texts():
            stage.tap("Ann")
        stage.tap("I am Ann")
        stage.wait(lambda: pad.lead != "Counting …", 60)

    look()
    row, column = pad.pad.grids()[0].rows[0], pad.pad.grids()[0].columns[0]
    pad.mark(f"{row} @ {column}", "✗")
    pad.ids.note.text = "Bo blinks"
    pad.keep_note()
    assert set(pad.marks.values()) == {"✗", "Bo blinks"}
    stage.tap("Back")
    for line in ("Bo: wrong", "table: agree", "table: match"):
        assert screen.do(line), screen.message
    assert screen.ids.scroll.scroll_y == 1
    look()
    assert pad.marks == {}
    assert pad.ids.note.text == ""
    pad.ids.note.text = "another"
    stage.tap("Back")
    assert not pad.ids.note.text
    look()
    assert pad.ids.note.text == "another", "it is kept without a word"
    stage.tap("Back")
    stage.app.open_replay()
    stage.frames(3)
    stage.tap("Ann")
    stage.tap("I am Ann")
    stage.frames(4)
    replay = stage.app.screen("replay")
    assert "another" in stage.texts()
    assert "Bo blinks" not in stage.texts()
    replay.go_to(1)
    stage.frames(3)
    assert "Bo blinks" in stage.texts()
    assert any(text.startswith("✗ ") for text in stage.texts())
    backs = [w.zone_name for w in stage._widgets() if isinstance(w, HiddenZone)]
    assert hand_zone(1) in backs, "hidden hands are drawn as they lie"
    replay.cover()
    stage.frames(3)
    assert "Bo blinks" not in stage.texts(), "they are Ann's alone"


def every_match_can_be_gone_on_with(stage) -> None:
    """Five unfinished matches: three at home, all in the history; an empty one leaves no trace."""
    for _ in range(5):
        screen = stage.open_table("gotcha")
        screen.do("Ann: guess Bo smallest 1 is A")
        stage.tap("‹")
    stage.open_table("suspense")
    stage.tap("‹")
    journal = stage.app.services.journal
    assert len(journal.sessions()) == 5, "nothing happened at the last one"
    stage.frames(12)
    assert [w.text for w in stage._widgets() if getattr(w, "text", "") == "Continue"] == (
        ["Continue"] * 3
    )
    assert lit(stage) == ["Continue"], "one is lit: the newest"
    stage.reach(stage.find("2 more to go on with: in the history"))
    stage.frames(3)
    ways = [w for w in stage._widgets() if getattr(w, "text", "") == "Continue"]
    assert len(ways) == 5
    oldest = min(info.id for info in journal.sessions())
    stage.reach(ways[-1])
    assert stage.app.manager.current == "table"
    assert screen.table.session.id == oldest


def the_next_match_begins_another_day(stage) -> None:
    """A session left after a match is gone on with from its scores, where the next one begins."""
    screen = stage.open_table("gotcha")
    screen.do("Ann: guess Bo smallest 1 is A")
    screen.do("table: agree")
    stage.frames(3)
    number = screen.table.session.id
    stage.tap("Result and sharing")
    assert "Continue" not in stage.texts(), "“Back” leads to the table"
    stage.app.go("home")
    stage.app.open_history()
    stage.frames(3)
    row = next(w for w in stage.app.screen("scores").ids.matches.children if hasattr(w, "goes_on"))
    assert not row.goes_on, "nothing waits to be played on"
    stage.reach(row)
    stage.shot("scores-go-on")
    stage.reach(stage.find("Continue"))
    assert screen.table.session.id == number
    assert any(text.startswith("Begin the next match") for text in stage.texts())


def the_lesson_ends_once(stage) -> None:
    """After the first match one button is lit, and nothing begins the lesson again."""
    app = stage.app
    app.open_first_match()
    stage.frames(3)
    screen = app.screen("table")
    screen.do(private(0, "predict", "UUD"))
    for card in app._lessons.first.cards:
        screen.do(screen.table.meaning(card))
    stage.frames(3)
    app.look_at_lesson()
    stage.frames(3)
    assert screen.over
    assert lit(stage) == ["Play one of your own"]
    screen.do("table: match")
    app.look_at_lesson()
    stage.frames(3)
    assert app._lessons is None, "it was one match"


def no_card_is_dead(stage) -> None:
    """What cannot be guessed is not among the cards that can be."""
    from mobile.widgets.basic import CardBack

    for names in (("Ann", "Bo"), ("Ann", "Bo", "Cy")):
        screen = stage.open_table("gotcha", names)
        kept = screen.table.state.kept
        backs = [w for w in stage._widgets() if isinstance(w, CardBack)]
        assert {w.index for w in backs} == set(range(kept))
        assert not any(w.disabled for w in backs)
    stage.app.go("home")
    stage.app.go("camera")
    stage.frames(3)
    view = stage.app.screen("camera").ids.camera
    assert tuple(view._frame.size) == (0, 0), "no picture, no box"
