"""The row with its changes, the predictions, and the pad they are written on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kivy.clock import Clock
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.cards import Card
from companion.core.events import private, public
from companion.games.precognition.rules import NEVER_MATCHES
from mobile.model import rows
from mobile.model.steps import Action
from mobile.model.table import Table
from mobile.resources import texts
from mobile.widgets.basic import FreePlace, Sheet, Words, ask, card_name
from mobile.widgets.board import Board, grown_screen
from mobile.widgets.fields import EntryForm
from mobile.widgets.ui import load_layout

#: How much of the board's height a row takes before it is drawn smaller.
_ROW_SHARE = 0.75
_DOZEN = 12
#: How large cards are at least where each is touched to correct it.
_TO_TOUCH = 1.3
#: Seconds after which the next card of the winning stretch is lit.
LIT_AFTER = 0.15


class RowStep(BoxLayout):
    """A card of the row with the change that leads to it."""

    number = NumericProperty()
    letter = StringProperty()
    arrow = StringProperty()
    lit = BooleanProperty(False)
    letter_lit = BooleanProperty(False)
    scale = NumericProperty(1.0)

    def show(self, cell: rows.RowCell) -> None:
        """Shows a card of the row."""
        self.letter, self.arrow = cell.letter, rows.ARROWS.get(cell.letter, "")
        self.lit, self.letter_lit = cell.in_stretch, cell.letter_in_stretch
        face = self.ids.face
        face.card, face.doubtful, face.marked = cell.card, cell.is_doubtful, cell.in_stretch


class PredictionLine(BoxLayout):
    """A player's prediction in one line."""

    name = StringProperty()
    text = StringProperty()
    detail = StringProperty()
    won = BooleanProperty(False)


class EditSheet(Sheet):
    """What can be wrong with a card of the row."""

    title = StringProperty()
    doubt = StringProperty()

    def __init__(self, table: Table, cell: rows.RowCell, screen: Any) -> None:
        super().__init__()
        self._table, self._cell, self._screen = table, cell, screen
        self.title = texts.EDIT_CARD.format(n=cell.number)
        if cell.is_doubtful:
            self.doubt = texts.DOUBTFUL.format(sure=round(cell.sure * 100))
        self.ids.face.card = cell.card

    def fix(self) -> None:
        """It is another card."""
        self.dismiss(animation=False)
        event = rows.fixing(self._table, self._cell.number)
        if event is not None:
            self._screen.pick(lambda card: self._fixed(event, card))

    def _fixed(self, event: int, card: Card) -> None:
        """Records the other card; one that the camera named was misread."""
        if self._cell.is_seen and card is not self._cell.card:
            self._screen.keep_misread(self._cell.card, card)
        self._screen.replace(event, card)

    def insert(self) -> None:
        """A card is missing before it; asks where the table knows that it lies elsewhere."""
        self.dismiss(animation=False)
        self._screen.pick(self._inserted)

    def _inserted(self, card: Card) -> None:
        def insert() -> None:
            rows.insert(self._table, self._cell.number, card)
            self._screen.refresh()

        if card in self._table.lying:
            why = texts.LIES_TWICE.format(card=card_name(card))
            ask(texts.RECORD_ANYWAY.format(why=why), texts.RECORD, insert)
        else:
            insert()

    def delete(self) -> None:
        """It does not lie there."""
        self.dismiss(animation=False)
        rows.delete(self._table, self._cell.number)
        self._screen.refresh()


class PredictPad(EntryForm):
    """Three large keys for a prediction."""

    text = StringProperty()
    #: How many letters it has, and of how many.
    count = StringProperty()
    save = StringProperty()
    #: Whether two cards of the row can have one rank.
    can_stay = BooleanProperty(True)

    def begin(self) -> None:
        """Begins with an empty prediction."""
        cards = self._table.game.all_cards(self._table.setup)
        self.can_stay = len({card.rank for card in cards}) < len(cards)
        self.on_text()
        self.save = texts.PREDICT_DONE if self._due.is_secret else texts.PREDICT_SHOW

    def press(self, letter: str) -> None:
        """Adds a letter, as long as there is room."""
        if len(self.text) < self._table.state.length:
            self.text += letter

    def on_text(self, *_args: object) -> None:
        """Says how long it is, and whether it is too long to come true."""
        count, most = len(self.text), self._table.state.length
        self.count, self.error = texts.OF.format(n=count, total=most), ""
        if count == most:
            told = self._table.state.phrase(NEVER_MATCHES, count=count, number=most - 1)
            self.error = texts.told(told)

    def rub_out(self) -> None:
        """Takes the last letter away."""
        self.text = self.text[:-1]

    def keep(self) -> None:
        """Records the prediction; asks first where it can never come true."""
        if len(self.text) < self._table.state.length:
            self._keep()
        else:
            ask(texts.RECORD_ANYWAY.format(why=self.error), self.save, self._keep)

    def _keep(self) -> None:
        event = public(self._due.seat, "predict", self.text)
        if self._due.is_secret:
            assert self._due.seat is not None
            event = private(self._due.seat, "predict", self.text)
        if self.text and self._table.do(event):
            self.text = ""
            self._done()
        else:
            self.error = self._table.plain(self._table.message) or texts.PREDICT_LEAD
            self._table.message = ""


class RowBoard(Board):
    """The table of a game that grows one row."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._shown: tuple[Any, ...] = ()
        #: Whether the match was over when the row was shown last, and what lights its stretch.
        self._was_over = True
        self._lighting: Any = None
        self._guessed: tuple[Any, ...] = ()

    def height_at(self, scale: float, width: float) -> float:
        """A long row stays as large as all of it is in sight, where it can be."""
        state, across = self.table.state, max(1, int(width // (dp(77) * scale)))
        # By the dozen: the row does not change its size with every card.
        count = min(state.length, (len(state.row) // _DOZEN + 1) * _DOZEN)
        return -(-count // across) * dp(78) * scale / _ROW_SHARE

    def refresh(self) -> None:
        """Shows row, predictions and, at the end, the reasons."""
        self.scale = self.room_for()
        state = self.table.state
        cells, guesses = rows.cells(self.table), rows.guesses(self.table)
        count = texts.ROW_COUNT.format(n=len(cells), total=state.length)
        self.ids.count.text = count if cells else texts.ROW_EMPTY
        shown = (cells, guesses, state.table, self.table.referee.stands, self.scale, texts.CLOSE)
        if shown == self._shown:
            return
        self._shown = shown
        self._draw_row(cells)
        if state.table.match_over and not self._was_over and self.screen.moves:
            self._light(cells)
        self._was_over = state.table.match_over
        guessed = guesses, state.table.match_over, texts.CLOSE
        if guessed != self._guessed:  # a line for each of eight players is slow to make
            self._guessed = guessed
            self.ids.guesses.clear_widgets()
            for guess in guesses:
                self.ids.guesses.add_widget(self._guess(guess))
        self.ids.reasons.clear_widgets()
        for reason in self.table.reasons if state.table.match_over else ():
            self.ids.reasons.add_widget(Words(text=reason))
        if state.table.match_over:
            self.look_back(self.ids.reasons)

    def entry(self, due: Action, *, looks_over: bool = False) -> EntryForm:
        """Predictions have their own pad."""
        return PredictPad() if due.verb == "predict" else super().entry(due, looks_over=looks_over)

    def edit(self, number: int) -> None:
        """Offers what can be wrong with a card."""
        cell = rows.cells(self.table)[number - 1]
        EditSheet(self.table, cell, self.screen).open(animation=False)

    def draw_row(self, box: Any, screen: Any) -> None:
        """The row larger, each card to touch."""
        scale = max(_TO_TOUCH, 0.8 * grown_screen())
        for cell in rows.cells(self.table):
            step = RowStep(number=cell.number, scale=scale)
            step.show(cell)
            step.ids.face.bind(
                on_release=lambda _face, cell=cell: EditSheet(self.table, cell, screen).open(
                    animation=False
                )
            )
            box.add_widget(step)

    def _draw_row(self, cells: tuple[rows.RowCell, ...]) -> None:
        if self._lighting is not None:
            self._lighting.cancel()
            self._lighting = None
        box = self.ids.row
        before = sum(isinstance(w, RowStep) for w in box.children)
        for place in [w for w in box.children if isinstance(w, FreePlace)]:
            box.remove_widget(place)
        steps = list(reversed(box.children))
        while len(steps) > len(cells):
            box.remove_widget(steps.pop())
        while len(steps) < len(cells):
            step = RowStep(number=len(steps) + 1)
            step.ids.face.bind(on_release=lambda _face, n=step.number: self.edit(n))
            steps.append(step)
            box.add_widget(step)
        for step, cell in zip(steps, cells, strict=True):
            step.scale = self.scale
            step.show(cell)
        zone = next(z for z in self.table.zones if z.name == self.table.watched_zone)
        if any(on.is_end for _, on in self.doable(zone)):
            place = FreePlace(size=(dp(48) * self.scale, dp(72) * self.scale))
            place.bind(on_release=lambda _place: self.touch(zone))
            box.add_widget(place)
        if len(cells) > before and box.children:
            # A long row is followed to its newest card; nothing jumps where it is in sight.
            Clock.schedule_once(lambda _dt: self.screen.follow(box), 0)

    def _light(self, cells: tuple[rows.RowCell, ...]) -> None:
        """The winning stretch is lit card by card."""
        steps = [w for w in reversed(self.ids.row.children) if isinstance(w, RowStep)]
        dark = [(step, cell) for step, cell in zip(steps, cells, strict=True) if cell.in_stretch]
        for step, cell in dark:
            step.show(replace(cell, in_stretch=False, letter_in_stretch=False))

        def light(_dt: float) -> bool:
            step, cell = dark.pop(0)
            step.show(cell)
            return bool(dark)

        if dark:
            self._lighting = Clock.schedule_interval(light, LIT_AFTER)

    def _guess(self, guess: rows.ShownPrediction) -> PredictionLine:
        text = guess.text or (texts.HIDDEN if guess.is_written else texts.MISSING)
        detail = ""
        if guess.stretch is not None and guess.is_whole:
            detail = texts.STRETCH.format(a=guess.stretch.start, b=guess.stretch.end)
        elif guess.text is not None and self.table.state.table.match_over:
            detail = texts.NOT_FOUND
        return PredictionLine(name=guess.name, text=text, detail=detail, won=guess.has_won)


load_layout(__file__)
