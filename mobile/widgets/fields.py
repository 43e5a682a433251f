"""An entry for any action: what it has to be told, each part by touch where it can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from kivy.app import App
from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.label import Label

from companion.cards import RANKS, Card
from companion.core.events import Event
from companion.core.guidance.steps import NeedKind, split_at_blanks
from companion.errors import CompanionError
from companion.phrases import capitalised
from mobile.model.actions import ActionField, fields_of, read_text
from mobile.model.hand_scan import meant
from mobile.model.steps import Action, place_told, untouched
from mobile.model.table import Table
from mobile.resources import texts
from mobile.widgets.basic import (
    Act,
    Column,
    Key,
    LowSheet,
    Panel,
    Row,
    Words,
    ask,
    card_name,
    offer,
    saying,
)
from mobile.widgets.cardgrid import CardGrid
from mobile.widgets.faces import CardKey
from mobile.widgets.presses import Pressable
from mobile.widgets.ui import load_layout
from vision.hands import Hand

_CARDS = frozenset({NeedKind.CARD, NeedKind.CARDS})
#: Values up to which each has a key of its own.
_MOST_KEYS = 60
#: A last blank of so few choices is left to buttons that say the whole sentence.
_FEW = 3
#: So many of the cards chosen last are named.
_NAMED = 4


class EntryForm(Column):
    """Where a player enters what no camera sees; a game may bring its own for a verb."""

    error = StringProperty()

    def open(
        self,
        table: Table,
        due: Action,
        done: Callable[[], None],
        alternatives: tuple[Action, ...] = (),
    ) -> None:
        """Asks for an event; `done` is called once it is recorded."""
        self._table, self._due, self._done = table, due, done
        self.alternatives = alternatives
        self.begin()

    def begin(self) -> None:
        """Shows what is asked for; each entry has its own way."""

    def frame(self, _above: Any, below: Any) -> None:
        """Puts what stays in sight, however far the entry is scrolled, into boxes around it."""
        foot = self.ids.get("foot")
        if foot is not None:
            foot.parent.remove_widget(foot)
            below.add_widget(foot)

    def submit(self, event: Event) -> bool:
        """Records the event, or says why not; what counts for good is asked first."""
        self.error = self._table.plain(self._table.refusal(event))
        if self.error:
            return False
        confirm(self._table, self._due, event, self._record)
        return not self.error

    def _record(self, event: Event) -> None:
        if self._table.do(event):
            self._done()
            return
        self.error = self._table.plain(self._table.message)
        self._table.message = ""


def confirm(
    table: Table, action: Action | None, event: Event, then: Callable[[Event], Any]
) -> None:
    """Asks before an event that is for good, that comes too early, or that contradicts the table.

    Args:
        table: the table.
        action: what is being done; None for an event that nobody chose from a list.
        event: it, complete.
        then: called with the event once nothing speaks against it any more.
    """
    if table.is_early(event):

        def start() -> None:
            table.start_anyway()
            confirm(table, action, event, then)

        ask(table.start_question, texts.START_NOW, start)
        return
    found = table.objections(event)
    if found:
        why = table.plain(" ".join(found))
        ask(texts.RECORD_ANYWAY.format(why=why), texts.RECORD, lambda: then(event))
    elif action is not None and action.commits:
        what = table.words(event)
        go = what.rstrip(".") if event.args else action_title(table, action)
        ask(texts.FOR_GOOD.format(what=what), go, lambda: then(event))
    else:
        then(event)


def has_sentence(action: Action) -> bool:
    """Whether guidance says the action as a sentence with blanks."""
    return action.step is not None and bool(action.step.sentence)


def action_title(table: Table, action: Action) -> str:
    """An action in plain words, as on its button."""
    if action.step is not None:
        return str(texts.told(action.step.title))
    seat = action.seat
    said = texts.RARELY.get(f"{action.verb}/private" if action.is_secret else action.verb)
    if said is None:
        said = texts.tr(table.game.verbs[action.verb].explain).rstrip(".")
        return said if seat is None else f"{table.setup.name(seat)}: {said}"
    return said.format(name=table.setup.name(seat))


def said_value(table: Table, kind: NeedKind, value: Any) -> str:
    """A value that an action is told, as people say it."""
    if kind is NeedKind.CARDS and isinstance(value, tuple):
        return " ".join(card_name(card) for card in value)
    if kind in _CARDS:
        return card_name(value)
    if kind in (NeedKind.PLAYER, NeedKind.PLAYERS):
        return table.setup.players[value]
    if kind is NeedKind.RANK:
        return RANKS[value - 1]
    return str(texts.tr(str(value)))


def said_touched(table: Table, action: Action) -> str:
    """What the thing that an action was begun on says to it; empty where it says nothing."""
    begun = table.begun(action)
    if begun:
        return begun
    return " · ".join(
        texts.TOUCHED.format(
            what=capitalised(texts.told(need.title)), value=said_value(table, need.kind, value)
        )
        for need, value in action.touched
    )


class Progress(Row):
    """How many cards of a list are chosen, the last of them, and what takes one back."""

    text = StringProperty()
    is_empty = BooleanProperty(True)

    def __init__(self, view: FieldView) -> None:
        super().__init__()
        self.view = view
        view.bind(chosen_text=self._show)
        self._show()

    def _show(self, *_args: object) -> None:
        self.text, self.is_empty = self.view.chosen_text, not self.view.values


class FieldView(Panel):
    """One part of an action: keys for its values, or a line for typing."""

    title = StringProperty()
    chosen_text = StringProperty()
    can_widen = BooleanProperty(False)
    #: Of the cards that are offered.
    family = StringProperty("standard")
    is_typed = BooleanProperty(False)
    is_list = BooleanProperty(False)
    key_em = NumericProperty(3.4)
    #: Whether its cards can be shown to the camera.
    can_show = BooleanProperty(False)

    def __init__(
        self,
        table: Table,
        field: ActionField,
        changed: Callable[[], None],
        shown: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__()
        self.field, self._table, self._changed, self._shown = field, table, changed, shown
        self._doubtful: frozenset[Card] = frozenset()
        self.values: list[Any] = []
        titled = texts.told(field.need.title if field.need else "")
        self.title = capitalised(titled) or texts.FIELDS[field.kind.value]
        self.grid: CardGrid | None = None
        typed = field.kind is NeedKind.TEXT or not field.values
        self.is_typed = typed or len(field.values) > _MOST_KEYS
        self.is_list = field.kind in (NeedKind.CARDS, NeedKind.PLAYERS)
        self.can_show = field.kind is NeedKind.CARDS and not self.is_typed
        self.can_widen = bool(field.usual) and set(field.usual) < set(field.values)
        if field.kind in _CARDS and field.values:
            self.family = field.values[0].family.value
        if not self.is_typed:
            self._offer(field.usual or field.values)
        self.ids.line.bind(text=lambda *_args: self._changed())
        self._count()

    @property
    def keys(self) -> list[Key | CardKey]:
        """Every key in sight."""
        if self.grid is not None:
            return self.grid.keys
        return list(self.ids.choices.children)

    @property
    def is_full(self) -> bool:
        """Whether all that is wanted is chosen."""
        if self.is_list:
            return 0 < self.field.count == len(self.values)
        return bool(self.values)

    @property
    def has_value(self) -> bool:
        """Whether anything was told."""
        return bool(self.ids.line.text.strip() if self.is_typed else self.values)

    def widen(self) -> None:
        """Offers every card, not only the likely ones."""
        if self.can_widen:
            self.can_widen = False
            self._offer(self.field.values)

    def show(self) -> None:
        """Lets the camera read the cards."""
        with saying(self, "chosen_text"):
            App.get_running_app().show_cards(self.fill, self.field.count)

    def fill(self, hand: Hand) -> str:
        """Takes what a camera has read.

        Returns:
            how far it is, in words; empty where every card is there and sure.
        """
        self.widen()
        self.values, doubtful = meant(hand, self.field.values, self.field.count)
        self._doubtful = frozenset(doubtful)
        self._shown()
        self.mark()
        self._changed()
        return "" if self.is_full and not self._doubtful else self.chosen_text

    def choose(self, value: Any) -> None:
        """Takes a value; in a list of cards a second touch takes it back."""
        self._doubtful -= {value}
        if not self.is_list:
            self.values = [value]
        elif value in self.values and getattr(value, "code", "") != "??":
            self.values.remove(value)
        else:
            self.values.append(value)
        self.mark()
        self._changed()

    def rub_out(self) -> None:
        """Takes the last value back."""
        if self.values:
            self.values.pop()
            self.mark()
            self._changed()

    def value(self) -> Any:
        """What was entered.

        Raises:
            CompanionError: nothing was, or it cannot be read.
        """
        if self.is_typed:
            return read_text(self.field, self.ids.line.text, self._table.referee)
        if not self.values:
            raise CompanionError(texts.STILL_MISSING.format(what=self.title))
        return tuple(self.values) if self.is_list else self.values[0]

    def _offer(self, values: tuple[Any, ...]) -> None:
        box = self.ids.choices
        box.clear_widgets()
        if self.field.kind in _CARDS:
            if self.grid is not None:
                self.remove_widget(self.grid)
            self.grid = CardGrid(values, self.choose, unread=True)
            # Above the line for typing, below what is chosen.
            self.add_widget(self.grid, index=1)
            self.mark()
            return
        wide = self.field.kind in (NeedKind.PLAYER, NeedKind.PLAYERS, NeedKind.CHOICE)
        self.key_em = 7.0 if wide else 3.4
        for value in values:
            offer(box, self._label(value), partial(self.choose, value), Key, value=value)
        self.mark()

    def _label(self, value: Any) -> str:
        worded = (NeedKind.CHOICE, NeedKind.NUMBER)
        if self.field.kind in worded and (words := self.field.words_of(value)):
            return capitalised(texts.told(words))
        return said_value(self._table, self.field.kind, value)

    @property
    def in_words(self) -> str:
        """What is chosen, as a sentence says it; empty where nothing is."""
        said = [self.field.words_of(value) for value in self.values]
        return " ".join(
            texts.told(words) if words else said_value(self._table, self.field.kind, value)
            for words, value in zip(said, self.values, strict=True)
        )

    def mark(self) -> None:
        """Shows on the keys what is chosen."""
        if self.grid is not None:
            self.grid.mark(self.values, self._doubtful)
        else:
            for key in self.keys:
                key.chosen = key.value in self.values
        self._count()

    def _count(self) -> None:
        if not self.is_list:
            return
        named = [self._label(value) for value in self.values[-_NAMED:]]
        shown = " ".join(("…", *named) if len(self.values) > _NAMED else named)
        count = str(len(self.values))
        if self.field.count:
            count = texts.OF.format(n=count, total=self.field.count)
        self.chosen_text = f"{count}: {shown}" if shown else count


class Blank(Pressable, Label):
    """A blank of a sentence: what was chosen for it; a touch lets it be chosen anew."""

    active = BooleanProperty(False)
    view = ObjectProperty()


class Sentence(Act):
    """A button that says all that it will do."""

    event = ObjectProperty()


class SaidPart(Label):
    """Words of a sentence between its blanks."""


class FormEntry(EntryForm):
    """An entry made of the parts of a verb's form.

    Only a button that says all of it records it. Where a single thing is asked for, that is the
    key that is touched.

    Args:
        looks_over: whether even a single list of cards is looked over before it is recorded.
    """

    has_button = BooleanProperty(True)
    #: Whether everything that the button needs was told.
    is_ready = BooleanProperty(False)
    #: What the button will do, in words.
    doing = StringProperty()
    #: The place on the table that is told so far.
    place = ObjectProperty(None, allownone=True)

    def __init__(self, *, looks_over: bool = False) -> None:
        super().__init__()
        self._looks_over = looks_over
        #: The blank whose choices are shown, and one that was touched to choose anew.
        self._active: FieldView | None = None
        self._opened: FieldView | None = None

    def begin(self) -> None:
        """Asks for each part; where guidance has a sentence, for its blanks one after the other."""
        table, due = self._table, self._due
        touched: dict[int, Any] = {}
        if has_sentence(due):
            due, touched = untouched(table.game, due)
        self._due = self._first = due
        fields = fields_of(table.referee, due)
        asks_much = due.step is not None and len(due.step.needs) > 1
        self.views = [FieldView(table, field, self._changed, self._look_over) for field in fields]
        for other in self.alternatives:
            self._offer(other)
        typed = any(view.is_typed for view in self.views)
        lists = any(view.is_list and not view.field.count for view in self.views)
        needs_button = typed or lists or asks_much or self._looks_over or not self.views
        self.has_button = needs_button or bool(self.alternatives)
        if not has_sentence(due):
            for view in self.views:
                self.ids.fields.add_widget(view)
            self._say()
            return
        for view in self.views:
            view.title = ""
            if view.field.need is not None and view.field.need.usual is not None:
                view.values = [view.field.need.usual]
        self.fill(touched)

    def fill(self, values: Mapping[int, Any]) -> None:
        """Fills blanks of the sentence, each by the position of its argument."""
        for view in self.views:
            if view.field.position in values:
                view.values = [values[view.field.position]]
            view.mark()
        self._changed()

    def _show_sentence(self) -> None:
        """The sentence as far as it is told, and the choices of its first open blank."""
        step = self._due.step
        if step is None or not step.sentence:
            return
        open_views = [view for view in self.views if not view.has_value]
        # Once all is told the choices give way to the button, until a blank is touched.
        self._active = self._opened or next(iter(open_views), None)
        line = self.ids.sentence
        line.clear_widgets()
        for part in split_at_blanks(texts.told(step.sentence)):
            if isinstance(part, str):
                words = part.split()
                if words and not part[0].isspace() and line.children:
                    mark = words.pop(0)  # it stands with its word
                    if line.children[0].view.has_value:
                        line.children[0].text += mark
                for word in words:
                    line.add_widget(SaidPart(text=word))
                continue
            view = self.views[part]
            blank = Blank(text=view.in_words or "…", view=view, active=view is self._active)
            blank.bind(on_release=lambda blank: self._open_blank(blank.view))
            line.add_widget(blank)
        self.ids.sentences.clear_widgets()
        is_few = (
            self._opened is None
            and len(open_views) == 1
            and len(open_views[0].field.values) <= _FEW
        )
        shown = None if is_few else self._active
        self.has_button = not is_few
        if self.ids.fields.children[:1] != [shown]:
            self.ids.fields.clear_widgets()
            if shown is not None:
                self.ids.fields.add_widget(shown)
        if is_few:
            self._offer_sentences(open_views[0])

    def _offer_sentences(self, last: FieldView) -> None:
        """Buttons that each say the whole sentence, where only one blank of few choices is left."""
        for value in last.field.values:
            told = [value if view is last else view.value() for view in self.views]
            event = self._due.event(told)
            text, go = self._table.words(event).rstrip("."), partial(self.submit, event)
            offer(self.ids.sentences, text, go, Sentence, event=event)

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The buttons that say all that is to be recorded, where a blank of few choices is left."""
        return tuple(reversed(self.ids.sentences.children))

    def _open_blank(self, view: FieldView) -> None:
        self._opened = view
        self._show_sentence()

    def frame(self, above: Any, below: Any) -> None:
        """What a touch has settled and how far lists are; below, what is wrong, and the button."""
        said = "" if has_sentence(self._due) else said_touched(self._table, self._due)
        if said:
            above.add_widget(Words(text=said, tone="muted"))
        for view in self.views:
            if view.is_list:
                above.add_widget(Progress(view))
        super().frame(above, below)

    def finish(self) -> None:
        """Records what was entered, or says what is missing."""
        with saying(self, "error"):
            self.submit(self._due.event(tuple(view.value() for view in self.views)))

    def _offer(self, other: Action) -> None:
        title = action_title(self._table, other)
        key = offer(self.ids.instead, title, lambda: self._toggle(key), Key, value=other)

    def _toggle(self, key: Any) -> None:
        is_on = key.chosen
        for other in self.ids.instead.children:
            other.chosen = other is key and not is_on
            title = action_title(self._table, other.value)
            other.text = f"✓ {title}" if other.chosen else title
        self._due = self._first if is_on else key.value
        self._changed()

    def _changed(self) -> None:
        self.error, self._opened = "", None
        if not self.has_button and all(view.is_full for view in self.views):
            self.finish()
        else:
            self._say()

    def _look_over(self) -> None:
        """A camera has filled it in: nothing is recorded before a person has looked."""
        self._looks_over = self.has_button = True

    def _say(self) -> None:
        self._show_sentence()
        if self._first.step is not None:
            told = {v.field.need: v.values[0] for v in self.views if v.field.need and v.values}
            self.place = place_told(self._first.step, told)
        self.doing = action_title(self._table, self._due) if self._active else texts.RECORD
        self.is_ready = all(view.has_value for view in self.views)
        if self._looks_over:
            self.is_ready = all(view.is_full for view in self.views)
            count = sum(len(view.values) for view in self.views)
            if not self._due.is_secret:
                self.doing = texts.RECORD_CARDS.format(n=count)
                return
            self.doing = texts.KEEP_ONE if count == 1 else texts.KEEP_SECRET.format(n=count)
        if self.has_button and self.views and all(v.values and not v.is_list for v in self.views):
            event = self._due.event(view.values[0] for view in self.views)
            self.doing = self._table.words(event).rstrip(".")
            self.error = self._table.plain(self._table.refusal(event))
            self.is_ready = not self.error


class EntrySheet(LowSheet):
    """A public entry over the foot of the table, so that the board stays in sight.

    Args:
        entry: the widget that asks for it; it is opened by whoever shows the sheet.
    """

    title = StringProperty()

    def __init__(self, title: str, entry: EntryForm) -> None:
        super().__init__()
        self.title, self.entry = title, entry
        self.ids.body.add_widget(entry)

    def on_open(self) -> None:
        """The entry knows what it asks for: what stays in sight stands above it."""
        self.entry.frame(self.ids.fixed, self.ids.foot)


load_layout(__file__)
