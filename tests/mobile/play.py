"""Plays any game by touches: bots decide, fingers do it, through the same screens as people."""

import random

from companion.cards import Card
from companion.core.referee import Referee
from companion.games.missing_persons.questions.question import ALL_RANKS, ALL_SUITS
from companion.simulate import play_events
from mobile.model.steps import of_event
from mobile.widgets.basic import AskSheet, Key
from mobile.widgets.faces import CardKey
from mobile.widgets.fields import EntrySheet, FormEntry
from mobile.widgets.picker import CardPicker


def play_by_touch(stage, game, setup, *, seed=0, most=400):
    """Plays a session to its end in the window; returns the number of events touched in."""
    stage.app.open_table(game, setup, None)
    stage.frames(3)
    screen = stage.app.screen("table")
    shadow = Referee(game, setup)
    bots = [game.bots["sensible"]] * len(setup.players)
    count = 0
    for event in play_events(shadow, bots, random.Random(seed)):
        shadow.accept(event)
        if len(shadow.log) <= len(screen.table.referee.log):
            continue  # the referee of the window has said it by itself
        perform(stage, event)
        assert [e.args for e in screen.table.referee.events] == [e.args for e in shadow.events], (
            event,
            screen.table.message,
            sorted(stage.texts()),
        )
        count += 1
        assert count < most, "it does not end"
    assert screen.over
    return count


def perform(stage, event) -> None:
    """Does one event by touches."""
    private = stage.app.screen("private")
    if stage.app.manager.current == "private":
        # After an entry the next player's turn at it comes by itself.
        if _fits(stage, private._due, event):
            _enter(stage, event)
            return
        stage.tap("Back")
    button = find_button(stage, event)
    if button is None and _fill_sentence(stage, event):
        return
    if button is None:
        stage.tap("More")
        button = find_button(stage, event)
        assert button is not None, f"no button for {event}: {sorted(stage.texts())}"
    stage.reach(button)
    _enter(stage, event)


def _fits(stage, action, event) -> bool:
    """Whether an action can become an event."""
    game = stage.app.screen("table").table.game
    wanted = of_event(game, event).key
    settled = all(event.args[k] == value for k, value in action.settled)
    return action.key == wanted and settled


def _fill_sentence(stage, event) -> bool:
    """Fills the sentence that stands on the table, where it can become the event."""
    entry = stage.app.screen("table").sentence
    if entry is None or not any(_fits(stage, a, event) for a in (entry._due, *entry.alternatives)):
        return False
    if not _fits(stage, entry._due, event):
        stage.reach(next(key for key in entry.ids.instead.children if key.value.verb == event.verb))
    fill(stage, entry, event)
    answer(stage)
    return True


def _enter(stage, event) -> None:
    """Tells the action everything, behind the cover where there is one."""
    screen = stage.app.screen("table")
    if event.audience is not None:
        assert stage.app.manager.current == "private"
        stage.tap(f"I am {screen.table.setup.players[event.seat]}")
        entry = stage.app.screen("private").ids.entry.children[0]
        fill(stage, entry, event)
    else:
        top = stage._tops()[0]
        if isinstance(top, CardPicker):
            _pick(stage, top, event)
        elif isinstance(top, EntrySheet):
            fill(stage, top.entry, event)
    answer(stage)
    private = stage.app.screen("private")
    at_table = stage.app.manager.current == "table"
    assert at_table or (private.covered and not private.ids.entry.children), sorted(stage.texts())


def answer(stage) -> None:
    """Says yes to what is asked before something is recorded."""
    for _ in range(3):
        top = stage._tops()[0]
        if not isinstance(top, AskSheet):
            return
        stage.tap(top.yes)


def _pick(stage, picker, event) -> None:
    """Touches cards in the grid."""
    action_args = [arg for arg in event.args if isinstance(arg, Card | tuple)]
    cards = action_args[-1] if isinstance(action_args[-1], tuple) else (action_args[-1],)
    for card in cards:
        key = next(key for key in picker.grid.keys if key.value is card)
        stage.reach(key)
        if key.faded:
            stage.reach(key)
    if not picker._count:
        stage.tap("Done")


def find_button(stage, event):
    """The button in sight by which an event can be done."""
    for widget in stage._widgets():
        action = getattr(widget, "action", None)
        if action is None or widget.get_root_window() is None:
            continue
        if _fits(stage, action, event):
            return widget
    return None


def fill(stage, entry, event) -> None:
    """Tells an action everything by its keys."""
    if not isinstance(entry, FormEntry):
        _fill_pad(stage, entry, event)
        return
    for view in list(entry.views):
        _choose(stage, entry, view, event.args[view.field.position])
    if entry.sentences:
        stage.reach(next(w for w in entry.sentences if w.event.args == event.args))
        return
    if entry.has_button and entry.get_root_window() is not None:
        stage.reach(next(w for w in entry.walk() if getattr(w, "text", "") == entry.doing))


def _choose(stage, entry, view, value) -> None:
    """Touches what a part of an action is told."""
    if entry.sentences and not view.has_value:
        return  # its choices are in the sentences
    if blanks := {w.view: w for w in entry.ids.sentence.children if hasattr(w, "view")}:
        if view.values == [value]:
            return
        stage.reach(blanks[view])
        stage.frames(2)
    if view.is_typed:
        view.ids.line.text = str(value)
        return
    for one in value if view.is_list else (value,):
        key = next((k for k in view.keys if k.value == one), None)
        if key is None:
            view.widen()
            stage.frames(2)
            key = next(k for k in view.keys if k.value == one)
        assert isinstance(key, (Key, CardKey))
        stage.reach(key)


def _fill_pad(stage, entry, event) -> None:
    """The entries that games bring themselves: the prediction pad and the question pad."""
    if event.verb == "predict":
        for letter in event.args[0]:
            keys = (w for w in entry.walk() if "\n" in getattr(w, "text", ""))
            stage.reach(next(key for key in keys if key.text[2] == letter))
        stage.reach(next(w for w in entry.walk() if getattr(w, "text", "") == entry.save))
        return
    cards = event.args[0].cards
    suits, ranks = {card.suit for card in cards}, {card.rank for card in cards}
    for every, chosen in ((ALL_SUITS, suits), (ALL_RANKS, ranks)):
        if chosen == every:
            chosen.clear()  # nothing tapped means all
    for key in (*entry.ids.suits.children, *entry.ids.ranks.children):
        if key.value in suits or key.value in ranks:
            stage.reach(key)
    assert entry.words == event.args[0].text
    stage.reach(next(w for w in entry.walk() if getattr(w, "text", "") == "Ask"))
