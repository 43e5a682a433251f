"""Notepads in a real window, beside the table and alone."""

import random
from dataclasses import replace
from itertools import product

from companion.cards import parse_card, parse_cards
from companion.core.registry import all_games
from companion.simulate import play_events
from mobile.model.wording import cell_text
from mobile.tools.fitting import misfits


def the_notepad_stands_beside_the_table(stage) -> None:
    """Where there is room both are in sight, behind the same cover; the table is only looked at."""
    from mobile.widgets.beside import TableBeside, Untouched
    from mobile.widgets.faces import CardFace

    screen = stage.open_table("precognition")
    pad = stage.app.screen("notepad")
    table = screen.table
    session = table.session
    table.do("Ann*: predict UUDD")
    table.do("Bo*: predict DDUU")
    table.tap(parse_card("7S"))
    screen.refresh()
    session.set_pin(0, "2580", "")

    def beside() -> list:
        return [w for w in stage._widgets() if isinstance(w, TableBeside)]

    def open_pad() -> None:
        stage.tap("Notepad")
        assert not beside(), "the cover shows nothing but itself"
        if "I am Ann" not in stage.texts():
            stage.tap("Ann")  # it is Bo's turn, and nobody has looked yet
        for digit in "2580":
            stage.tap(digit)
        stage.tap("I am Ann")
        assert stage.app.manager.current == "notepad"
        stage.wait(lambda: pad.lead != "Counting …")

    open_pad()
    assert not beside(), "a phone has no room"
    for size in ((1280, 800), (800, 1280), (800, 480)):
        stage.resize(*size)
        stage.frames(6)
        (pane,) = beside()
        shown = [w.card.code for w in pane.walk() if isinstance(w, CardFace) and w.card]
        assert shown == ["7S"], size
        assert pane.turn == screen.turn
        board, page = pane.ids.scroll, pad.ids.scroll
        assert board.to_window(board.right, 0)[0] <= page.to_window(page.x, 0)[0]
        assert min(board.width, page.width) >= 300
    # A card that is laid meanwhile is seen on both sides.
    said = pad._counted
    table.tap(parse_card("8S"))
    screen.refresh()
    stage.wait(lambda: pad.lead != "Counting …")
    assert [w.card.code for w in pane.walk() if isinstance(w, CardFace) and w.card] == ["7S", "8S"]
    assert pad._counted != said
    # Focus lost: covered, and nothing of the page is left.
    stage.lose_focus()
    stage.frames(4)
    assert stage.app.manager.current == "table"
    assert (pad.table, pad.beside, pad.lead) == (None, None, "")
    # Whoever touches the table leaves the page; nothing is begun by it.
    open_pad()
    before = table.referee.stands
    stage.touch(next(w for w in stage._widgets() if isinstance(w, Untouched)))
    stage.wait(lambda: stage.app.manager.current == "table")
    assert (table.referee.stands, stage._tops()[1:]) == (before, [])
    assert (pad.table, pad.beside) == (None, None)
    # Somebody else's secret is not seen to have happened.
    lines = (
        *("Ann: hide ??", "Bo: hide ??"),
        "table: deal Ann 2S 3S 4S 5S 6S 2H 3H 4H 5H 6H",
        "table: deal Bo 2D 3D 4D 5D 6D 2C 3C 4C 5C 6C",
        *('Bo: ask cryptic "Would your person dance?"', "Ann: no"),
    )
    options = {"questions": "cryptic", "starter": "Bo"}
    table = stage.open_table("missing-persons", options=options, lines=lines).table
    open_pad()
    counted, stands = pad._job, table.referee.stands
    assert table.do("Bo*: sketch KS")
    screen.refresh()
    assert (pad._job, screen.stands) == (counted, stands + 1)


def a_match_ends_beside_a_notepad(stage) -> None:
    """The camera may lay the last card while a notepad is open beside the table."""
    stage.resize(1280, 800)
    screen = stage.open_row(cards=parse_cards("2S 2H"))
    stage.app.open_notepad(0, None)
    stage.frames(4)
    for card in parse_cards("2S 2H"):
        assert screen.table.tap(card)
        screen.refresh()
    assert stage.app.screen("notepad").beside.over


def the_notepad_fits_its_pane(stage) -> None:
    """Beside the table or alone, no text of a notepad's picture lies outside; every cell is met."""
    pad = stage.app.screen("notepad")
    sizes = ((800, 1280, 1.0), (760, 1024, 1.0), (800, 480, 1.0), (360, 640, 1.45))
    for width, height, scale in sizes:
        stage.resize(width, height)
        stage.app.change(replace(stage.app.settings, text_scale=scale))
        stage.frames(4)
        for game in all_games():
            names = ["Maximilian", "Wilhelmina", "Bartholomea", "Theodora"]
            names = names[: max(2, game.info.min_players)]
            screen = stage.open_table(game.name, names)
            bots = [game.bots["sensible"]] * len(names)
            events = play_events(screen.table.referee, bots, random.Random(4))
            for _, event in zip(range(13), events, strict=False):
                screen.table.do(event)
            screen.refresh()
            stage.tap("Notepad")
            if "I am Maximilian" not in stage.texts():
                stage.tap("Maximilian")
            stage.tap("I am Maximilian")
            stage.wait(lambda: pad.lead != "Counting …")
            stage.frames(4)
            for grid in pad._grids():
                _inside(grid, pad.ids.scroll, (width, scale, game.name))
                met = {cell for one in grid.targets for cell in grid.sheet.beside(one)}
                assert met == set(product(grid.sheet.rows, grid.sheet.columns)), game.name
                # The finger meets what is drawn there.
                for cell in grid.targets:
                    left, bottom, wide, high = grid.box_of(cell)
                    assert grid.cell_at(left + wide / 2, bottom + high / 2) == cell, game.name
            assert misfits() == [], (width, scale, game.name)
            stage.app.back()


def _inside(grid, view, where) -> None:
    """What a table of chances writes can be read and lies within its panel and the page."""
    assert all(min(grid.box_of(cell)[2:]) >= 48 for cell in grid.targets), where
    assert all(top - low >= 0.7 * grid._em for _, (_, low, _, top) in grid.drawn), where
    for box in (grid.parent, view):
        left, _ = box.to_window(*box.pos)
        right = left + box.width
        for text, (x0, _, x1, _) in grid.drawn:
            low, high = grid.to_window(x0, 0)[0], grid.to_window(x1, 0)[0]
            assert left <= low <= high <= right + 1, (text, where)
    # Nor over the text beside it.
    boxes = [box for _, box in grid.drawn]
    for k, a in enumerate(boxes):
        for b in boxes[k + 1 :]:
            across = min(a[2], b[2]) - max(a[0], b[0])
            assert across <= 1 or min(a[3], b[3]) - max(a[1], b[1]) <= 6, where


class _Supposing:
    """Ann's notepad, on which she tries what would follow."""

    def __init__(self, stage) -> None:
        self.stage, self.pad = stage, stage.app.screen("notepad")

    def open(self) -> None:
        self.stage.tap("Notepad")
        if "I am Ann" not in self.stage.texts():
            self.stage.tap("Ann")
        self.stage.tap("I am Ann")
        self.counted()

    def counted(self) -> None:
        self.stage.wait(lambda: self.pad.lead != "Counting …")
        self.stage.frames(4)

    @property
    def lines(self) -> list[str]:
        return [line.text for line in reversed(self.pad.ids.supposed.children)]

    def open_cell(self):
        """The first cell that is neither certain nor impossible, None where there is none."""
        for grid in self.pad._grids():
            for row, column in grid.targets:
                if 0 < grid.sheet.chance(row, column) < 1:
                    return grid, row, column
        return None

    def hold(self) -> tuple[str, str]:
        """Holds an open cell; returns its row and column.

        What is open beside what a card shows is supposed in the card's sheet.
        """
        found = self.open_cell()
        if found is None:
            return self._suppose_beside()
        grid, row, column = found
        supposed = len(self.pad._supposed)
        self.stage.touch_cell(
            grid, row, column, seconds=0.8, held=lambda: len(self.pad._supposed) > supposed
        )
        self.counted()
        return row, column

    def _suppose_beside(self) -> tuple[str, str]:
        for grid in self.pad._grids():
            for target in grid.targets:
                for cell in grid.sheet.beside(target):
                    if 0 < (chance := grid.sheet.chance(*cell)) < 1:
                        self.stage.touch_cell(grid, *target)
                        self.stage.tap(f"{grid.sheet.part(cell)}\n{cell_text(chance)}")
                        self.stage.tap("Suppose it is so")
                        self.counted()
                        return cell
        raise AssertionError("nothing is open")

    def touch(self, cell: tuple[str, str]) -> None:
        """Touches a cell, or the thing that shows it and then the cell."""
        grid = next(g for g in self.pad._grids() if cell[1] in g.sheet.columns)
        target = next(t for t in grid.sheet.beside(cell) if t in grid.targets)
        self.stage.touch_cell(grid, *target)
        if target != cell:
            chance = cell_text(grid.sheet.chance(*cell))
            self.stage.tap(f"{grid.sheet.part(cell)}\n{chance}")

    def drop(self, line: str) -> None:
        self.stage.reach(self.stage.find(line))
        self.counted()


def what_follows_from_a_cell(stage) -> None:
    """A cell that is held is supposed to be so; a touch asks for the why, and for what-if."""
    trial = _Supposing(stage)
    for game in all_games():
        count = max(game.info.min_players, min(3, game.info.max_players))
        names = ["Ann", "Bo", "Cy", "Dee"][:count]
        # A first match of one card each would be over by then.
        options = {"cards": "7"} if any(o.name == "cards" for o in game.options) else {}
        screen = stage.open_table(game.name, names, options=options)
        bots = [game.bots["sensible"]] * len(names)
        events = play_events(screen.table.referee, bots, random.Random(4))
        for _, event in zip(range(10), events, strict=False):
            screen.table.do(event)
        screen.refresh()
        stands = screen.table.referee.stands
        trial.open()
        lead = trial.pad.lead
        _suppose_and_drop(trial)
        # Nothing of it is kept, and it is gone with the page.
        trial.hold()
        assert len(trial.lines) == 1
        stage.app.back()
        stage.frames(2)
        assert (trial.lines, trial.pad._supposed) == ([], ())
        assert screen.table.referee.stands == stands
        trial.open()
        assert (trial.lines, trial.pad.lead) == ([], lead)
        stage.app.back()


def _suppose_and_drop(trial: _Supposing) -> None:
    """That a cell is so, that another is not, and neither."""
    stage, pad = trial.stage, trial.pad
    lead, before = pad.lead, pad.pad.worlds
    assert trial.lines == []
    row, column = trial.hold()
    (line,) = trial.lines
    assert line.startswith("✕ You suppose that ")
    assert "left then" in pad.lead
    assert 0 < pad.pad.worlds < before
    shown = next(g for g in pad._grids() if row in g.sheet.rows and column in g.sheet.columns)
    assert shown.sheet.chance(row, column) == 1
    trial.touch((row, column))
    assert any(t.startswith("Why? you suppose that ") for t in stage.texts()), stage.texts()
    assert "Suppose it is so" not in stage.texts(), "it is settled"
    stage.tap("Close")
    other = trial.open_cell()
    if other is not None:
        once = pad.pad.worlds
        stage.touch_cell(*other)
        assert {"What if?", "Suppose it is so"} <= stage.texts()
        stage.tap("Suppose it is not so")
        trial.counted()
        assert len(trial.lines) == 2
        assert 0 < pad.pad.worlds < once
        trial.drop(trial.lines[1])
        assert pad.pad.worlds == once
    trial.drop(line)
    assert (trial.lines, pad.lead, pad.pad.worlds) == ([], lead, before)


def what_is_supposed_ends_when_something_happens(stage) -> None:
    """A cell may mean another card afterwards."""
    trial = _Supposing(stage)
    screen = stage.open_table("gotcha", options={"deal": "6"})
    assert screen.do("Ann*: hand 7S 8S" + 4 * " ??")
    trial.open()
    trial.hold()
    assert len(trial.lines) == 1
    assert screen.table.do("Ann: guess Bo smallest 1 is A")
    screen.refresh()
    trial.counted()
    assert (trial.lines, trial.pad._supposed) == ([], ())


def a_notepad_opens_for_who_is_waited_for(stage) -> None:
    """The first look is offered to whoever's turn it is, later ones to whoever looked last."""
    stage.open_table(
        "gotcha", options={"deal": "6"}, lines=("Ann: guess Bo smallest 1 is 4", "Bo: wrong")
    )
    stage.tap("Notepad")
    stage.tap("Ann")
    stage.tap("I am Ann")
    assert stage.app.manager.current == "notepad"
    assert not stage.app.screen("notepad").ids.models.children, "nothing was discarded unseen"
    stage.app.back()
    stage.tap("Notepad")
    assert "I am Ann" in stage.texts(), "she looked last"
    stage.tap("Back")


def the_own_prediction_stands_on_the_notepad(stage) -> None:
    """What was written in secret can be read again; a hand that nobody knows has no heading."""
    stage.open_table("precognition", lines=("Ann*: predict UUD", "Bo*: predict DD"))
    stage.tap("Notepad")
    stage.tap("I am Ann")
    pad = stage.app.screen("notepad")
    stage.wait(lambda: pad.lead != "Counting …")
    stage.frames(3)
    assert [w.text for w in pad.ids.own.children] == ["You predict UUD."]
