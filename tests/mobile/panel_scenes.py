"""Panels that stand for one thing are touched as a whole, in a real window."""

from mobile.tools.scenes import app_sheets_away


def panels_at_home_lead_on(stage) -> None:
    """A game, a match that goes on, a first match, a kept match: beside the button too."""
    from mobile.widgets.basic import TouchPanel

    manager = stage.app.manager

    def beside(text: str) -> None:
        """Touches a panel at a text that is no button."""
        words = stage.find(text)
        assert any(isinstance(one, TouchPanel) for one in stage._parents(words)), text
        stage.reach(words)
        stage.frames(3)

    stage.frames(3)
    beside("New here?")
    assert stage.app.screen("table").table is not None
    assert manager.current == "table"
    stage.app.leave_first_match()
    stage.app.go("home")
    stage.frames(3)
    beside("Gotcha")
    assert manager.current == "setup"
    assert stage.app.screen("setup").game.name == "gotcha"
    stage.tap("Start")
    screen = stage.app.screen("table")
    assert screen.do("Ann: guess Bo smallest 1 is A"), screen.table.message
    number = screen.table.session.id
    stage.tap("‹")
    stage.frames(3)
    panels = stage.app.screen("home").ids.unfinished.children
    (words,) = (w for w in panels[0].walk(restrict=True) if getattr(w, "text", "") == "Gotcha")
    stage.reach(words)
    stage.wait(lambda: manager.current == "table", 10)
    assert screen.table.session.id == number
    stage.tap("‹")
    stage.tap("History")
    stage.frames(3)
    beside(next(text for text in stage.texts() if text.startswith("Ann 0, Bo 0 · ")))
    assert stage.app.screen("scores").has_table
    assert stage.find("Scores")


def places_on_the_table_are_touched(stage) -> None:
    """A place on which something is done as a whole is a button, one with cards in it as well."""
    from mobile.widgets.board import TouchZone, ZoneView

    screen = stage.open_table("suspense", lines=("table: dealer Ann", "Ann: play W4"))
    before = screen.table.referee.stands
    zones = {w.title: w for w in stage._widgets() if isinstance(w, ZoneView)}
    assert isinstance(zones["Bo's cards in play (0)"], TouchZone)
    assert not isinstance(zones["Ann's cards in play"], TouchZone), "it is not Ann's turn"
    stage.reach(stage.find("Bo's cards in play (0)"))
    assert stage._tops()[0].title == "Bo · Play a card", "who acts is named"
    stage.pick_card("W5")
    assert screen.table.referee.stands == before + 1
    stage.frames(4)
    # With a card in it the panel is still the place: its heading leads to the same picker.
    stage.reach(stage.find("Ann's cards in play"))
    assert "Play a card" in stage._tops()[0].title
    app_sheets_away()
    # What cannot be touched does nothing.
    stands = screen.table.referee.stands
    stage.reach(stage.find("Bo's cards in play"))
    assert (screen.table.referee.stands, len(stage._tops())) == (stands, 1)
