"""Smaller things that once went wrong in people's hands, each reached by touches."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from companion.cards import parse_card, parse_cards
from companion.core.events import private
from companion.core.question import SightingQuestion
from companion.core.sightings import SeenCard
from mobile.tools.fitting import misfits
from tests.mobile.double import ClipReader, ClipSource
from tests.mobile.life_scenes import Camera
from tests.mobile.scenes import start
from tests.mobile.taps import DEAL


def a_long_row_shows_its_newest_card(stage) -> None:
    """A card laid as the 50th is in sight; the winner's stretch is lit wherever the row stands."""
    from mobile.widgets.faces import CardFace

    screen = stage.open_table("precognition")
    table = screen.table
    table.do(private(0, "predict", "UDU"))
    table.do(private(1, "predict", "DDD"))
    cards = [table.game.all_cards(table.setup)[(k * 23) % 52] for k in range(52)]
    for card in cards[:49]:
        table.tap(card)
    screen.refresh()
    stage.frames(4)
    view = screen.ids.scroll

    def in_sight(card) -> bool:
        face = next(w for w in view.walk() if isinstance(w, CardFace) and w.card is card)
        _, low = face.to_window(*face.pos)
        _, floor = view.to_window(*view.pos)
        return bool(floor <= low and low + face.height <= floor + view.height + 1)

    for number, card in enumerate(cards[49:], 50):
        before = stage.touches
        stage.tap_card(card.code)
        assert stage.touches - before <= 3, "its place, and the card; at most a swipe in the grid"
        assert len(table.state.row) == number
        stage.frames(4)
        assert screen.over or in_sight(card), number
    assert screen.over
    stage.frames(3)
    lit_here = sorted(
        step.number for step in screen.board.ids.row.children if getattr(step, "lit", False)
    )
    stretch = list(range(lit_here[0], lit_here[-1] + 1))
    assert lit_here == stretch
    assert len(stretch) == 4

    def lit_faces() -> list[int]:
        faces = [w for w in stage.app.manager.current_screen.walk() if isinstance(w, CardFace)]
        return sorted(cards.index(w.card) + 1 for w in faces if w.marked and w.card in cards)

    stage.app.open_scores()
    stage.frames(4)
    assert lit_faces() == stretch
    stage.app.open_replay()
    stage.frames(4)
    stage.app.screen("replay").go_to(10_000)
    stage.frames(4)
    assert lit_faces() == stretch


def a_guess_counts_for_good(stage) -> None:
    """Who the missing person is is guessed once: asked about before it is recorded."""
    from mobile.widgets.basic import Act

    screen = stage.open_table("missing-persons", lines=DEAL)
    stage.reach(stage.find("More"))
    offered = [w.text for w in stage._tops()[0].walk() if isinstance(w, Act)]
    assert len(set(offered)) == len(offered), "two buttons of one name"
    stage.tap("Close")
    stage.reach(stage.find("Ann guesses who Bo is"))  # beside what play waits for
    stage.pick_card("KD")
    assert screen.table.referee.events[-1].verb != "guess"
    asked = stage._tops()[0].question
    assert "K♦" in asked
    assert asked.endswith("By the rules this is final."), asked
    assert "Ann guesses: it is K♦" in stage.texts(), "the button says what it will do"
    stage.tap("Cancel")
    stage.reach(stage.find("Ann guesses who Bo is"))
    assert "Not known" not in stage.texts(), "nobody guesses a card that is not known"
    keys = [key.value.code for key in stage._tops()[0].grid.keys if key.value.is_joker]
    assert keys == ["JK"], "one joker is as good as the other"
    stage.tap("Cancel")
    assert screen.table.referee.events[-1].verb != "guess"


def what_is_not_complete_does_not_look_ready(stage) -> None:
    """A prediction without a letter cannot be kept; keys stand in their suits' lines."""
    screen = stage.open_table("precognition")
    stage.tap("Write Ann's prediction")
    stage.tap("I am Ann")
    assert stage.find("Keep it secret").disabled
    stage.tap("▲ U\nup")
    assert not stage.find("Keep it secret").disabled
    stage.tap("Back")
    screen.tap_card()
    stage.frames(4)
    keys = stage._tops()[0].grid.keys
    places: dict[str, list[tuple[int, int]]] = {}
    for key in keys:
        places.setdefault(key.value.code[-1], []).append((round(key.x), round(key.y)))
    for suit in "SHDC":
        columns = {x for x, _ in places[suit]}
        lines = {y for _, y in places[suit]}
        assert min(len(columns), len(lines)) <= 2, (suit, columns, lines)
    taken = [set(places[suit]) for suit in "SHDC"]
    assert len(set.union(*taken)) == 52


def an_entry_says_what_was_touched(stage) -> None:
    """Whose card and which place is guessed stays in sight; nothing is lit too early."""
    from mobile.widgets.basic import CardBack, Tool

    screen = stage.open_table("gotcha", options={"deal": "6"})
    stage.reach(next(w for w in stage._widgets() if isinstance(w, CardBack) and w.index == 2))
    stage.frames(3)
    entry = screen.sentence

    def blanks():
        return [w.text for w in reversed(entry.ids.sentence.children) if hasattr(w, "view")]

    assert blanks() == ["3rd", "smallest", "…"], "the place that was touched"
    button = next(w for w in entry.ids.foot.walk() if getattr(w, "text", "") == entry.doing)
    assert button.disabled
    call = "Guess a card of Bo and call Gotcha"
    stage.tap(call)
    assert button.disabled
    assert f"✓ {call}" in stage.texts()
    assert "Gotcha!" in stage.texts()
    stage.tap("5")
    assert blanks() == ["3rd", "smallest", "a 5."]
    assert not button.disabled
    assert "Gotcha" in button.text
    assert "K" not in stage.texts(), "the choices give way to the button"
    stage.tap(f"✓ {call}")
    assert "Gotcha" not in button.text
    # A blank that is touched can be chosen anew; another place on the table changes it too.
    stage.tap("a 5.")
    stage.tap("7")
    assert blanks() == ["3rd", "smallest", "a 7."]
    stage.reach(next(w for w in stage._widgets() if isinstance(w, CardBack) and w.index == 0))
    assert blanks() == ["1st", "smallest", "a 7."]
    assert not stage.app.screen("table").table.referee.events
    # On a small phone what records it, and the choice that costs more, are in sight throughout.
    stage.resize(360, 540)
    for text in ("1st", "a 7."):
        stage.frames(4)
        for act in (button, *entry.ids.instead.children):
            low, top = (act.to_window(0, y)[1] for y in (act.y, act.top))
            bar = next(w for w in stage._widgets() if isinstance(w, Tool))
            assert bar.to_window(0, bar.top)[1] <= low < top
            assert top <= screen.ids.scroll.to_window(*screen.ids.scroll.pos)[1]
            assert act.height >= act.texture_size[1] + 16, "all that it says"
        stage.reach(next(w for w in entry.ids.sentence.children if w.text == text))


def a_prediction_too_long_is_asked_about(stage) -> None:
    """Its writer is told before it is kept; nobody can write what no two cards can do."""
    screen = stage.open_table("precognition", cards=parse_cards("AH 2H 3H 4H"))
    stage.tap("Write Ann's prediction")
    stage.tap("I am Ann")
    assert stage.find("= S\nstay").disabled, "all ranks differ"
    for _ in range(5):
        stage.tap("▲ U\nup")
    why = "A prediction of 4 letters can never match: the row has 3 changes."
    assert {"UUUU", "4 of 4", f"! {why}"} <= stage.texts()
    stage.tap("Keep it secret")
    assert f"{why} Record it anyway?" in stage.texts()
    stage.tap("Cancel")
    stage.tap("Erase")
    assert {"UUU", "3 of 4"} <= stage.texts()
    assert f"! {why}" not in stage.texts()
    stage.shot("prediction-length")
    stage.tap("Keep it secret")
    assert screen.table.state.predictions[0] is not None


def progress_stays_in_sight(stage) -> None:
    """However far a hand is scrolled, how many cards are chosen is seen, and can be less."""
    for scale in (1.0, 1.45):
        stage.resize(360, 640)
        stage.app.change(replace(stage.app.settings, text_scale=scale))
        stage.open_table("gotcha", options={"deal": "20"})
        stage.more("Record Ann's hand")
        stage.tap("I am Ann")
        stage.frames(4)
        entry = stage.app.screen("private").ids.entry.children[0]
        assert stage.find("Erase").disabled
        for number, code in enumerate(("AS", "KS", "4D", "9C", "KC"), 1):
            stage.reach(next(k for k in entry.views[0].keys if k.value.code == code))
            line = next(t for t in stage.texts() if t.startswith(f"{number} of 20"))
            words = stage.find(line)
            low, high = (words.to_window(0, y)[1] for y in (words.y, words.top))
            view = stage.app.screen("private").ids.scroll
            _, floor = view.to_window(0, view.top)
            assert floor <= low < high <= 640, "it is above what scrolls"
            assert misfits() == [], (scale, number)
        assert line.endswith("K♠ 4♦ 9♣ K♣"), line
        stage.tap("Erase")
        assert any(t.startswith("4 of 20") for t in stage.texts())
        stage.tap("Back")
        assert not any("of 20" in text for text in stage.texts()), "it is covered"


def a_swipe_ends_with_its_page(stage) -> None:
    """A page that still moves when it is left does not move the next one."""
    stage.app.change(replace(stage.app.settings, text_scale=1.45))
    stage.open_table("gotcha", options={"deal": "20"})
    view = stage.app.screen("private").ids.scroll
    for _ in range(2):
        stage.more("Record Ann's hand")
        stage.tap("I am Ann")
        stage.frames(20)
        assert view.scroll_y == 1
        finger = stage.finger(180, 250)
        for k in range(1, 7):
            finger.touch_move(180, 250 + 60 * k)
            stage.frames(1)
        finger.touch_up()
        stage.frames(2)
        assert view.scroll_y < 1
        assert view.effect_y.velocity, "it goes on moving"
        stage.app.back()


def what_comes_next_is_lit(stage) -> None:
    """After a match as well one button is lit: the next one, or to play again."""
    for game, screen, events in stage.matches(3):
        for event in events:
            screen.table.do(event)
            if screen.table.state.table.match_over:
                break
        screen.refresh()
        stage.frames(3)
        assert screen.over
        lit = [w.text for w in screen.ids.steps.children if w.kind == "main"]
        assert len(lit) == 1, (game.name, lit)


def recorded_and_seen_look_different(stage) -> None:
    """On the camera's picture what is recorded, asked about and merely seen differ."""
    from kivy.graphics import Color, Line

    from mobile.widgets.camera import Mark

    source = Camera()
    source.cards = [("2S", 20.0, 1.0), ("6H", 120.0, 1.0), ("AC", 220.0, 1.0)]
    screen = stage.open_row()
    table, view = screen.table, screen.ids.camera
    view.size = 320, 240
    view.show(np.zeros((240, 320, 3), np.uint8))
    view.mark(source.read(None))
    stage.tap_card("2S")
    seen = SeenCard(parse_card("6H"), "row", 0.7)
    table.question = SightingQuestion(seen.card, 0.7, "row", table.referee.proposals(seen))
    screen.refresh()

    def marks() -> list[Mark]:
        return [view.mark_of(parse_card(code)) for code in ("2S", "6H", "AC")]

    assert marks() == [Mark.NEWEST, Mark.ASKED, Mark.SEEN]
    colours, colour = set(), None
    for drawn in view._marks.children:
        if isinstance(drawn, Color):
            colour = tuple(drawn.rgba)
        elif isinstance(drawn, Line):
            colours.add(colour)
    assert len(colours) == 3, "an outline of its own for each"
    stage.tap("Not this")
    assert marks() == [Mark.NEWEST, Mark.SEEN, Mark.SEEN]


def places_end_with_the_picture(stage) -> None:
    """Parts of the table that the cropped picture does not show are not drawn beside it."""
    from kivy.graphics import Line, Rectangle

    from mobile.widgets.camera import CameraView
    from vision.types import Reading

    view = CameraView(size_hint=(None, None), size=(200, 100), pos=(50, 60), crops=True)
    view.places = (
        ("Bo's suspects", ((0.2, 0.0), (1.0, 0.0), (1.0, 0.4), (0.2, 0.4))),
        ("Bo's missing person", ((0.0, 0.0), (0.3, 0.0), (0.3, 1.0), (0.0, 1.0))),
        ("Far away", ((0.0, 0.0), (1.0, 0.0), (1.0, 0.1), (0.0, 0.1))),
        ("Unspeakably", ((0.8, 0.3), (0.9, 0.3), (0.9, 0.8), (0.8, 0.8))),
    )
    view.show(np.zeros((200, 200, 3), np.uint8))
    view.mark(Reading((200, 200)))
    drawn = view._marks.children
    lines = [one.points for one in drawn if isinstance(one, Line)]
    assert len(lines) == 3, "one is not in the picture"
    for points in lines:
        assert all(50 <= x <= 250 for x in points[0::2]), points
        assert all(60 <= y <= 160 for y in points[1::2]), points
    names = [one for one in drawn if isinstance(one, Rectangle)][1::2]  # each on its plate
    assert [one.size == one.texture.size for one in names] == [True, True], "whole or not at all"
    assert names[1].size[1] > names[0].size[1], "in two lines"
    assert all(one.pos[0] + one.size[0] <= 250 and one.pos[1] >= 60 for one in names)


def photos_are_read_one_after_the_other() -> None:
    """A folder of photos is a source like another: what lies in them is recorded."""
    laid = ("2S", "6H", "5C")
    reader = Camera()

    def read(image):
        # A card is a bright rectangle.
        reader.cards = [
            (code, 10.0 + 70 * k, 1.0)
            for k, code in enumerate(laid)
            if image[100, 40 + 70 * k].mean() > 200
        ]
        return Camera.read_frame(reader, image)

    reader.read_frame = reader.read = read
    folder = Path(tempfile.mkdtemp())
    for count in range(1, 4):
        photo = np.full((240, 320, 3), 100, np.uint8)
        for k in range(count):
            photo[60:150, 10 + 70 * k : 70 + 70 * k] = 230
        cv2.imwrite(str(folder / f"{count}.png"), photo)
    stage = start(make_reader=lambda: reader)
    screen = stage.open_row()
    screen.watch_source(str(folder))
    stage.wait(lambda: [c.code for c in screen.table.state.row] == list(laid), 30)
    stage.wait(lambda: screen.eyes_status == "All pictures were looked at.", 30)
    stage.close()


def figures_are_said_as_people_say_them(stage) -> None:
    """The coach speaks in per cent as the sheet beside it; nothing is counted in events."""
    screen = stage.open_table("gotcha", options={"deal": "6", "coach": "yes"})
    stage.tap("Notepad")
    stage.tap("I am Ann")
    pad = stage.app.screen("notepad")
    stage.wait(lambda: pad.advice != "" and pad.lead != "Counting …")
    assert re.search(r"\d ?%", pad.advice), pad.advice
    assert not [t for t in stage.texts() if re.search(r"\b0\.\d", t)]
    stage.tap("Back")
    screen.do("Ann: gotcha Bo smallest 3 is A")
    screen.do("Bo: wrong")
    stage.frames(3)
    assert any(chip.text.startswith("Ann  −") for chip in screen.ids.chips.children), "no hyphen"
    stage.tap("‹")
    stage.frames(3)
    stage.app.open_history()
    stage.frames(3)
    assert not [t for t in stage.texts() if re.search(r"\d+ events?\b", t)]


def a_question_fits_in_large_letters(stage) -> None:
    """What the camera asks, at 145 % on a small phone in both languages: no answer is cut."""
    stage.resize(360, 640)
    for language, answer in (("de", "Ändern"), ("en", "Fix")):
        stage.app.change(
            replace(stage.app.settings, language=language, text_scale=1.45, theme="light")
        )
        screen = stage.open_row()
        table = screen.table
        table.tap(parse_card("2S"))
        seen = SeenCard(parse_card("10C"), "row", 0.71)
        table.question = SightingQuestion(seen.card, 0.71, "row", table.referee.proposals(seen))
        screen.refresh()
        stage.frames(5)
        assert misfits() == [], language
        button = stage.find(answer)
        assert button.height >= button.texture_size[1]
        stage.reach(button)
        stage.pick_card("9C")
        assert [c.code for c in table.state.row] == ["2S", "9C"]
        stage.tap("‹")


def whoever_began_with_the_demo_is_welcomed() -> None:
    """The three cards wait for the home screen where a source was named at the first start."""
    source = ClipSource()
    stage = start(
        "demo",
        welcomed=False,
        make_reader=lambda: ClipReader(source),
        make_source=lambda _name: source,
    )
    from mobile.screens.welcome import WelcomeSheet

    assert stage.app.manager.current == "table"
    assert not any(isinstance(top, WelcomeSheet) for top in stage._tops())
    stage.tap("‹")
    stage.frames(3)
    (sheet,) = [top for top in stage._tops() if isinstance(top, WelcomeSheet)]
    sheet.dismiss(animation=False)
    assert stage.app.settings.welcomed
    stage.app.go("settings")
    stage.app.go("home")
    assert not any(isinstance(top, WelcomeSheet) for top in stage._tops())
    stage.close()
