"""How the app looks, moves and sounds, in a real window."""

import random
from dataclasses import replace

import cv2
import numpy as np

from companion.cards import card, parse_card
from companion.core.registry import all_games
from companion.simulate import play_events
from mobile.model.steps import needs_nothing
from mobile.tools.fitting import misfits
from mobile.tools.scenes import app_sheets_away
from tests.mobile.scenes import start
from tests.mobile.taps import DEAL


def cards_are_painted_once(stage) -> None:
    """A row of 52 is painted card by card once; scrolling and looking again paints nothing."""
    from mobile.widgets.faces import PICTURES, CardFace

    screen = stage.open_table("precognition")
    before = PICTURES.painted  # the pieces on the home screen, smaller
    table = screen.table
    table.do("Ann*: predict UUDD")
    table.do("Bo*: predict DDUU")
    cards = table.game.all_cards(table.setup)
    for k in range(52):
        table.tap(cards[(k * 23) % 52])
    screen.refresh()
    stage.frames(6)
    faces = [w for w in stage._widgets() if isinstance(w, CardFace)]
    assert len(faces) == len(table.state.row) == 52
    assert PICTURES.painted == before + 52, PICTURES.painted
    drawn = [face.canvas.children[:] for face in faces]
    for place in (0, 0.3, 0.7, 1):
        screen.ids.scroll.scroll_y = place
        stage.frames(2)
    screen.refresh()
    stage.frames(3)
    assert PICTURES.painted == before + 52
    assert drawn == [face.canvas.children[:] for face in faces], "a card was drawn again"
    assert all(face.width >= 48 and face.height >= 48 for face in faces)


def impossible_cards_are_grey(stage) -> None:
    """In a picker a card that lies there already is grey, and told why when it is touched."""
    from mobile.widgets.faces import CardKey

    screen = stage.open_table("precognition")
    table = screen.table
    table.do("Ann*: predict UU")
    table.do("Bo*: predict DD")
    table.tap(parse_card("7S"))
    screen.refresh()
    screen.tap_card()
    stage.frames(4)
    picker = stage._tops()[0]
    keys = {key.value.code: key for key in picker.grid.keys if isinstance(key, CardKey)}
    picture = stage.shot("grey-key")

    image = cv2.imread(str(picture))

    def paper(code: str) -> float:
        key = keys[code]
        x, y = key.to_window(key.x + 6, key.top - 8)
        return float(image[image.shape[0] - round(y), round(x)].mean())

    assert paper("7S") < 140 < 200 < paper("8S")
    stage.touch(keys["7S"])
    assert picker.hint == "7♠ lies in the row already. Touch it again to take it anyway."
    stage.tap("Cancel")
    # A card that the rules speak against is grey for a reason as well.
    lines = ("Ann: bid 3", "Bo: bid 3", "Cy: bid 3", "Di: bid 3")
    lines += ("Ann: play 5H", "Bo: play 7D", "Cy: play 6H", "Di: play 4H", "Cy: play 9C")
    screen = stage.open_table("spades", ("Ann", "Bo", "Cy", "Di"), lines=lines)
    for line in ("Di: play 5C", "Ann: play 8C"):
        screen.do(line)
    stage.tap("Play a card")
    stage.frames(3)
    stage.touch(next(key for key in stage._tops()[0].grid.keys if key.value.code == "9H"))
    why = "Bo did not follow hearts in trick 1 and plays 9♥ in trick 2. "
    assert stage._tops()[0].hint == why + "Touch it again to take it anyway."


def a_tablet_has_two_panes(stage) -> None:
    """On a wide screen the board stands beside the rest, cards grow, and a long row is lines."""
    from mobile.widgets.basic import Act, FreePlace, Panel
    from mobile.widgets.faces import CardFace

    screen = stage.open_table("precognition")
    table = screen.table
    table.do("Ann*: predict UUDD")
    table.do("Bo*: predict DDUU")
    cards = table.game.all_cards(table.setup)

    def faces() -> list:
        found = [w for w in stage._widgets() if isinstance(w, CardFace) and w.card is not None]
        return [(round(x), round(y)) for x, y in (w.to_window(*w.center) for w in found)], found

    for k in range(6):
        table.tap(cards[(k * 23) % 52])
    screen.refresh()
    stage.frames(4)
    small = faces()[1][0].width
    stage.resize(1280, 800)
    stage.frames(6)
    assert faces()[1][0].width >= 1.35 * small, "cards grow with the board"
    free = next(w for w in stage._widgets() if isinstance(w, FreePlace))
    assert free.height >= 0.95 * faces()[1][0].height, "the next card's place as well"
    board, button = (
        screen.ids.scroll,
        next(w for w in screen.ids.steps.children if isinstance(w, Act)),
    )
    assert board.to_window(board.right, 0)[0] <= button.to_window(button.x, 0)[0]
    assert board.height >= 0.95 * 800
    assert screen.board.height < 0.7 * 800 < 0.9 * 800 < screen.board.felt, "the felt fills it"

    def told() -> list[str]:
        """The lines of the log in the rail, each whole and above the buttons."""
        lines = screen.ids.log.children[::-1]
        foot = screen.ids.sentence.parent.parent
        assert all(w.to_window(*w.pos)[1] >= foot.to_window(0, foot.top)[1] for w in lines)
        return [w.text for w in lines]

    assert told() == table.log, "the log stands in the rail"
    for k in range(6, 52):
        table.tap(cards[(k * 23) % 52])
    screen.refresh()
    stage.frames(6)
    places, _ = faces()
    assert len(places) == 52
    columns = sorted({x for x, _ in places})
    lines = sorted({y for _, y in places}, reverse=True)
    assert len(columns) * (len(lines) - 1) < 52 <= len(columns) * len(lines), "lines are in step"
    assert len(lines) <= 8
    assert 6 <= len(told()) <= 12
    assert told() == table.log[: len(told())], "the newest lines, as many as fit"
    _, floor = board.to_window(*board.pos)
    screen.ids.scroll.scroll_y = 1
    stage.frames(3)
    assert min(y for _, y in faces()[0]) > floor, "all of it is in sight"
    stage.resize(412, 915)
    stage.frames(6)
    assert told() == [], "on a phone it is a touch away"
    stage.resize(1280, 800)
    stage.app.go("home")
    stage.frames(6)
    games = stage.app.screen("home").ids.games
    assert (len(games.children), games.cols) == (10, 5), "rows are even"
    stage.tap("Gotcha")
    stage.tap("More settings")
    (rarely,) = stage.app.screen("setup").ids.rarely.children
    assert len({round(w.x) for w in rarely.children}) == 2, "two columns"
    stage.app.go("settings")
    stage.frames(4)
    panels = [w for w in stage._widgets() if isinstance(w, Panel)]
    assert len({round(w.to_window(*w.pos)[0]) for w in panels}) == 2, "two columns"
    stage.resize(412, 915)
    stage.frames(6)
    panels = [w for w in stage._widgets() if isinstance(w, Panel)]
    assert len({round(w.to_window(*w.pos)[0]) for w in panels}) == 1


def the_long_set_up_fits_in_large_letters(stage) -> None:
    """The whole page of each game at 145 % on 360 × 640, in both languages: nothing is cut."""
    app = stage.app
    stage.resize(360, 640)
    for language, more in (("de", "Mehr Einstellungen"), ("en", "More settings")):
        app.change(replace(app.settings, language=language, text_scale=1.45))
        for game in all_games():
            app.open_setup(game)
            stage.frames(4)
            setup = app.screen("setup")
            title = setup.ids.title
            assert title.texture_size[0] >= 3 * title.font_size, "letters below each other"
            assert setup.ids.rules.x - title.right >= 8
            rows = setup.ids.players.children
            assert all(part.height <= row.height for row in rows for part in row.children)
            stage.reach(stage.find(more))
            assert setup.unfolded
            view = setup.ids.scroll
            assert view.height > 0.6 * 640, "the page has its room"
            pages = int(view.children[0].height / view.height) + 2
            for k in range(pages):
                view.scroll_y = 1 - k / (pages - 1)
                stage.frames(2)
                assert misfits() == [], (language, game.name, k)
            app.go("home")


def a_word_is_never_broken_by_a_pixel(stage) -> None:
    """Whatever the room, a name that is made smaller fits it, down to the least size."""
    from mobile.widgets.basic import _LEAST, Name, word_width

    for size in (14.4, 16.0, 23.2):
        name = Name(text="Annabel", size_hint=(None, None))
        name.font_size = size
        stage.app.screen("home").add_widget(name)
        full = word_width("Annabel", name, size)
        for room in range(int(full * 0.75) + 1, int(full) + 3):
            name.width = room + 0.5
            stage.frames(2)
            assert word_width("Annabel", name, name.font_size) <= name.room, (size, room)
            assert name.font_size >= _LEAST * size
        stage.app.screen("home").remove_widget(name)


def german_fits_in_large_letters(stage) -> None:
    """Home, tables and entries of each game with long names, at 145 % on 360 × 640, in German."""
    app = stage.app
    stage.resize(360, 640)
    app.change(replace(app.settings, language="de", text_scale=1.45))
    home = app.screen("home").ids.scroll
    for k in range(5):
        home.scroll_y = 1 - k / 4
        stage.frames(3)
        assert misfits() == [], k
    for game in all_games():
        most = max(2, game.info.min_players)
        names = ["Maximilian", "Wilhelmina", "Cy", "Bo"][:most]
        screen = stage.open_table(game.name, names)
        bots = [game.bots["sensible"]] * len(names)
        events = play_events(screen.table.referee, bots, random.Random(6))
        for count, event in zip(range(19), events, strict=False):
            screen.table.do(event)
            if count % 3:
                continue
            screen.refresh()
            stage.frames(4)
            assert misfits() == [], (game.name, count)
            action = screen.table.steps[0]
            if action.is_secret or needs_nothing(game, action):
                continue
            screen.start(action, screen.instead_of(action))
            stage.frames(4)
            assert misfits() == [], (game.name, count, action.verb)
            app_sheets_away()


def _fliers(kind: str = "Flier") -> list:
    """The cards, or the points, that are on their way."""
    from kivy.core.window import Window

    return [child for child in Window.children if type(child).__name__ == kind]


def cards_are_turned_over_where_they_lie() -> None:
    """A suspect turned down, and the hidden card turned up: a back and a face in one place."""
    stage = start(calm=False)

    from mobile.widgets import motion

    motion.SECONDS = 1.0
    screen = stage.open_table("missing-persons")
    table = screen.table

    def turns(line: str) -> motion.Flier:
        table.do(line)
        assert not table.message, table.message
        screen.refresh()
        assert stage.until(lambda: bool(_fliers()), 1), line
        (flier,) = _fliers()
        before, widths = flier._shape.texture, []
        while _fliers():
            widths.append(flier._shape.size[0])
            stage.frames(1)
        middle = widths.index(min(widths))
        assert widths[: middle + 1] == sorted(widths[: middle + 1], reverse=True)
        assert widths[middle:] == sorted(widths[middle:])
        assert flier._shape.texture is not before
        return flier

    for line in (
        "Ann*: hide AS",
        "Bo*: hide 3S",
        "table: deal Ann AH 5C QC 10D 4S 5D JS QS KS 2S",
        "table: deal Bo 9C 9S 9D 4H KC KH 4D 8C 7H 6D",
        'Ann: ask "a spade?"',
        "Bo: yes",
    ):
        table.do(line)
    screen.refresh()
    stage.frames(3)
    assert not table.message
    suspect = turns("Ann: turn AH")
    assert suspect._from == suspect._to
    screen = stage.open_table("suspense")
    table = screen.table
    for line in (
        "table: dealer Ann",
        "Ann*: secret B1",
        "Ann: play B6",
        "Bo: play W1",
        "Ann: pass",
        "Bo: pass",
        "Ann: stay",
        "Bo: stay",
    ):
        table.do(line)
        assert not table.message, table.message
    screen.refresh()
    stage.frames(3)
    _, height = turns("table: secret B1")._from
    assert height > 500, "it lay there, not among the buttons"
    stage.close()


def cards_fly_and_touches_do_not_wait() -> None:
    """A card laid flies to its place, undo runs back; meanwhile both can be touched."""
    stage = start(calm=False)

    from mobile.widgets import motion
    from mobile.widgets.faces import CardFace

    assert 0.15 <= motion.SECONDS <= 0.25
    motion.SECONDS = 1.0  # a busy machine draws few frames, and some must be caught
    screen = stage.open_table("precognition")
    table = screen.table
    table.do("Ann*: predict UU")
    table.do("Bo*: predict DD")
    screen.refresh()
    stage.frames(3)
    assert not _fliers()

    def face(code: str):
        found = [w for w in stage._widgets() if isinstance(w, CardFace) and w.card]
        return next(w for w in found if w.card.code == code)

    stage.tap_card("7S")
    stage.until(lambda: bool(_fliers()), 1)
    flier = _fliers()[0]
    _, y = face("7S").to_window(*face("7S").center)
    assert face("7S").opacity == 0, "it is on its way"
    way = [flier._shape.pos[1] + flier.height / 2]
    stage.touch(face("7S"))  # it lies there for a finger already
    assert any(getattr(w, "text", "") == "It is another card" for w in stage._widgets())
    while _fliers():
        way.append(flier._shape.pos[1] + flier.height / 2)
        stage.frames(1)
    assert way == sorted(way), "it goes up from the buttons to the row"
    assert abs(way[-1] - y) < 60
    assert face("7S").opacity == 1
    stage.tap("Cancel")
    stage.tap("Undo")
    stage.until(lambda: bool(_fliers()), 1)
    assert table.state.row == (), "what flies has been taken back already"
    back = _fliers()[0]
    stage.until(lambda: not _fliers(), 5)
    assert back._shape.pos[1] < y, "it ran back to where it came from"
    # Opened again, and with reduced motion, nothing flies.
    stage.app.change(replace(stage.app.settings, calm=True))
    stage.tap("Redo")
    assert not _fliers()
    assert face("7S").opacity == 1
    stage.close()


def points_fly_and_the_stretch_is_lit_card_by_card() -> None:
    """At the end of a row its stretch is lit from the first card on, and whoever wins gets points.

    Undo sends the points back; with reduced motion all of it is there at once.
    """
    stage = start(calm=False)

    from mobile.games import precognition
    from mobile.widgets import motion
    from mobile.widgets.faces import CardFace
    from mobile.widgets.people import SeatChip

    motion.SECONDS = 0.5
    precognition.LIT_AFTER = 0.3
    four = tuple(card(code) for code in ("3S", "5S", "9S", "2S"))
    screen = stage.open_table("precognition", cards=four)
    table = screen.table
    for line in ("Ann*: predict UU", "Bo*: predict DD", "Ann: place 3S", "Bo: place 5S"):
        assert table.do(line), table.message
    assert table.do("Ann: place 9S"), table.message
    screen.refresh()
    stage.frames(3)
    assert stage.until(lambda: not _fliers(), 5)

    def winner() -> tuple[float, float]:
        chip = next(w for w in stage._widgets() if isinstance(w, SeatChip) and w.letter == "A")
        return chip.to_window(*chip.center)

    def lit() -> list[int]:
        steps = [w for w in stage._widgets() if isinstance(w, precognition.RowStep)]
        return sorted(step.number for step in steps if step.lit)

    def points() -> motion.FlyingPoints:
        assert stage.until(lambda: bool(_fliers("FlyingPoints")), 2)
        return _fliers("FlyingPoints")[0]

    assert table.do("Bo: place 2S"), table.message
    assert table.state.table.match_over
    screen.refresh()
    assert lit() == []
    gained = points()
    assert gained._to == winner()
    seen = {tuple(lit())}
    while _fliers("FlyingPoints") or lit() != [1, 2, 3]:
        stage.frames(1)
        seen.add(tuple(lit()))
    assert seen == {(), (1,), (1, 2), (1, 2, 3)}
    faces = [w for w in stage._widgets() if isinstance(w, CardFace) and w.marked]
    assert {tuple(face.accent) for face in faces} == {tuple(stage.app.ui.brass)}, "won, not to do"
    stage.tap("Undo")
    confirmed = [w for w in stage._widgets() if getattr(w, "text", "") == "Undo"]
    if len(confirmed) > 1:
        stage.touch(confirmed[0])
    assert points()._from == winner()
    stage.app.change(replace(stage.app.settings, calm=True))
    stage.until(lambda: not _fliers("FlyingPoints"), 5)
    stage.tap("Redo")
    assert lit() == [1, 2, 3]
    assert not _fliers("FlyingPoints")
    stage.close()


def the_picture_moves_with_its_view(stage) -> None:
    """The camera's frame lies in the middle of its view, also where the view alone has moved."""
    from mobile.widgets.camera import CameraView

    view = CameraView(size_hint=(None, None), size=(200, 100))
    stage.app.screen("home").add_widget(view)
    stage.frames(2)
    view.show(np.full((60, 80, 3), 90, np.uint8))
    for place in ((0, 0), (30, 200), (30, 90)):
        assert view.center_y is not None  # Kivy remembers it, and for too long
        view.x, view.y = place
        x, y = view._frame.pos
        width, height = view._frame.size
        assert abs(x + width / 2 - (place[0] + 100)) < 1
        assert abs(y + height / 2 - (place[1] + 50)) < 1


def things_grow_as_far_as_all_are_in_sight(stage) -> None:
    """On a tablet, either way up, cards are larger than on a phone and none needs scrolling."""
    for size in ((800, 1280), (1280, 800)):
        stage.resize(*size)
        stage.frames(4)
        grew = set()
        for game, screen, count in stage.moments(4, (2, 12, 30)):
            board, where = screen.board, (size, game.name, count)
            assert board.height <= screen.ids.scroll.height or board.scale == 1.0, where
            if board.scale >= 1.4:
                grew.add(game.name)
        assert grew == {game.name for game in all_games()}, size


def targets_fit_a_thumb(stage) -> None:
    """On the tables, in their sheets and pickers nothing to touch is smaller than 48 dp."""
    from kivy.uix.behaviors import ButtonBehavior

    def small() -> list:
        """What is too small, of what lies on top."""
        found = (w for w in stage._tops()[0].walk() if isinstance(w, ButtonBehavior))
        return [
            (type(w).__name__, getattr(w, "text", ""), round(w.width), round(w.height))
            for w in found
            if not w.disabled and w.opacity and w.get_root_window() and min(w.size) < 47.5
        ]

    for size in ((360, 640), (412, 915), (800, 480)):
        stage.resize(*size)
        stage.frames(4)
        for game, screen, events in stage.matches(4):
            for count, event in enumerate(events):
                screen.table.do(event)
                if count == 12:
                    break
            screen.refresh()
            stage.frames(4)
            assert not small(), (size, game.name, small())
            for opens in (screen.tap_card, screen.show_more):
                opens()
                stage.frames(4)
                assert not small(), (size, game.name, small())
                app_sheets_away()


def the_head_ends_with_a_whole_line(stage) -> None:
    """In large letters on a small window no line of it is cut in half."""
    stage.resize(360, 640)
    stage.app.change(replace(stage.app.settings, language="de", text_scale=1.45))
    screen = stage.open_table("oh-hell", ("Bo", "Ann", "Cy", "Di"))
    for line in ("table: trump 5D", "Bo: bid 0", "Ann: bid 0", "Cy: bid 0"):
        assert screen.do(line), screen.table.message
        stage.frames(6)
        head = screen.ids.note.parent.parent
        edge = head.to_window(*head.pos)[1]
        note = screen.ids.note
        above = note.to_window(0, note.top)[1] - edge
        whole = note._label.get_extents("A")[1]
        assert above <= 0 or above >= note.height or abs(above % whole) < 1, (line, above)


def the_left_hand_has_the_main_button(stage) -> None:
    """It turns the cover's buttons round, but not the time of a replay."""
    stage.app.change(replace(stage.app.settings, left_handed=True))
    screen = stage.open_table("precognition")
    stage.tap("Write Ann's prediction")
    stage.frames(3)
    assert stage.find("I am Ann").right < stage.find("Back").x
    stage.tap("Back")
    screen.table.do("Ann*: predict UU")
    stage.app.open_replay()
    stage.frames(3)
    keys = [stage.find(text).x for text in ("|◀", "◀", "▶", "▶|")]
    assert keys == sorted(keys)


def a_place_in_a_hand_is_a_key_and_is_marked(stage) -> None:
    """Every place of a hand is a key; the one that is meant is marked, from either end."""
    from mobile.widgets.basic import CardBack

    screen = stage.open_table("gotcha", options={"deal": "6"})

    def marked() -> list:
        stage.frames(3)
        return [w.index for w in stage._widgets() if isinstance(w, CardBack) and w.marked]

    place, end, rank = (screen.sentence.views[k] for k in (1, 0, 2))
    assert [key.value for key in reversed(place.keys)] == [1, 2, 3, 4, 5, 6]
    assert marked() == []
    place.choose(1)
    assert marked() == [0]
    end.choose("biggest")
    assert marked() == [5]
    rank.choose(3)
    stage.tap("Guess a card of Bo and call Gotcha")
    assert "! Gotcha is not called on the smallest or the biggest card." in stage.texts()
    assert not screen.sentence.is_ready, "what cannot be is not lit"
    place.choose(2)
    assert marked() == [4]
    assert screen.sentence.is_ready


def things_keep_their_places(stage) -> None:
    """What lies on the felt does not move with what can be done on it."""
    from mobile.widgets.faces import Backs

    screen = stage.open_table("deduction", ("Bo", "Ann", "Cy"))

    def lying() -> list:
        titles = [getattr(w, "title", "") for w in screen.board.walk(restrict=True)]
        return [title.removesuffix("  ›") for title in titles if title]

    for line in ("table: up 5M 5C", "Bo: coin AS"):
        assert screen.do(line), screen.table.message
    stage.frames(3)
    before = lying()
    assert screen.do("Bo: ask Ann have Suns")
    stage.frames(3)
    assert lying() == before
    assert any(isinstance(w, Backs) for w in screen.board.walk())


def asking_stays_in_sight(stage) -> None:
    """On a small phone the button of a tapped question is there, and guessing beside asking."""
    stage.resize(360, 640)
    stage.open_table("missing-persons", lines=DEAL)
    assert stage.find("Ann guesses who Bo is").get_root_window()
    stage.tap("Ask a question")
    stage.frames(4)
    ask = stage.find("Ask")
    assert ask.to_window(*ask.pos)[1] >= 0
    assert not any(type(w).__name__ == "Scroll" for w in stage._parents(ask))
    assert misfits() == []


def players_are_known_by_their_sign(stage) -> None:
    """Each card of a trick and each cover carry the letter and the colour of their player."""
    from mobile.widgets.faces import CardFace
    from mobile.widgets.people import SeatChip

    lines = ("Bo: play 2C", "Cy: play KC")
    screen = stage.open_table("hearts", ("Ann", "Bo", "Cy"), {"pass": "hold"}, lines=lines)
    chips = [w for w in stage._widgets() if isinstance(w, SeatChip)]
    signs = {chip.letter: tuple(chip.dot) for chip in chips}
    shown = [
        (w.card.code, w.seat[0], tuple(w.seat[1]))
        for w in screen.board.walk()
        if isinstance(w, CardFace)
    ]
    assert shown == [("2C", "B", signs["B"]), ("KC", "C", signs["C"])]
    stage.tap("Notepad")
    stage.frames(4)
    stage.shot("cover")
    avatar = stage.app.screen("private").ids.avatar
    assert (avatar.letter, tuple(avatar.colour)) == ("A", signs["A"])
    middle = avatar.to_window(*avatar.center)
    assert abs(middle[0] - 206) < 2
    assert middle[1] < 0.85 * 915
    screen.table.session.set_pin(0, "2580", "")
    stage.tap("Back")
    stage.resize(800, 480)
    stage.tap("Notepad")
    stage.frames(4)
    low = stage.find("0")
    assert low.to_window(*low.pos)[1] > stage.find("Back").to_window(0, stage.find("Back").top)[1]


def facts_stand_beside_the_pieces(stage) -> None:
    """On a small phone how many can play does not run below a game's cards."""
    from mobile.screens.home import Box

    stage.resize(360, 640)
    stage.frames(6)
    boxes = [w for w in stage._widgets() if isinstance(w, Box)]
    assert len(boxes) > 5
    for box in boxes:
        facts, pieces = box.ids.facts, box.ids.pieces
        assert facts.x + facts.texture_size[0] + 6 <= pieces.x, box.title


def two_answers_are_equally_high(stage) -> None:
    """Whichever of them has more lines."""
    from mobile.widgets.basic import Act, ask

    for yes in ("Stop here, as all agree with each other", "Stop"):
        ask("Shall it end?", yes, app_sheets_away)
        stage.frames(4)
        acts = [w for w in stage._tops()[0].walk() if isinstance(w, Act)]
        assert len({act.height for act in acts}) == 1, yes
        assert all(act.height >= act.texture_size[1] + 16 for act in acts), yes
        app_sheets_away()
