"""Acts at the table: begun by a touch, told what they still need, typed; asked about before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from kivy.app import App
from kivy.metrics import dp

from companion.cards import Card, Family, family_cards, unknown
from companion.core.events import DISCLOSE, Event
from companion.core.guidance.steps import NeedKind
from companion.core.syntax import CardPart, PlayerPart
from companion.core.verb import REVEAL
from companion.errors import CompanionError
from mobile.model.actions import fields_of
from mobile.model.steps import Action, needs_nothing, untouched
from mobile.model.table import Table
from mobile.resources import texts
from mobile.screens.table_eyes import TableEyes
from mobile.widgets.basic import Grid, Key, ask, offer
from mobile.widgets.board import Board
from mobile.widgets.fields import (
    EntryForm,
    EntrySheet,
    FormEntry,
    action_title,
    confirm,
    has_sentence,
    said_value,
)
from mobile.widgets.picker import CardPicker

#: So many cards that can be meant are offered alone.
_FEW = 20
#: What is chosen from a grid of cards.
_CARDS = (NeedKind.CARD, NeedKind.CARDS)


class TableEntries(TableEyes):
    """A table's screen as far as acts are begun and recorded on it."""

    board: Board | None = None
    #: The step that stands on the table as a sentence with blanks, and what it was made for.
    sentence: FormEntry | None = None
    _sentence_for: tuple[Any, ...] = ()

    def do(self, event: Event | str) -> bool:
        """Records an event that the board asks for."""
        raise NotImplementedError

    def enter(self, due: Action) -> None:
        """Begins a private entry (behind the cover) or a public one."""
        App.get_running_app().open_entry(due)

    def start(self, action: Action, instead: tuple[Action, ...] = ()) -> None:
        """Records an action that is complete, or asks for what it still has to be told.

        Args:
            action: what shall be done.
            instead: what may be done with the same choices instead.
        """
        table = self.table
        if table is None:
            return
        if action.verb == DISCLOSE:
            self.disclose()
        elif action.is_secret:
            self.enter(action)
        elif self.sentence is not None and is_inline(action):
            self.show_sentence(action, instead)
        elif needs_nothing(table.game, action):
            self.offer(action, action.event())
        elif action.verb == REVEAL and action.seat is not None and self._has_pin(action.seat):
            # Whoever turns up somebody's cards has to be that player.
            app = App.get_running_app()
            app.unlock(action.seat, lambda who: self._ask_parts(action, instead, who))
        else:
            self._ask_parts(action, instead)

    def _has_pin(self, seat: int) -> bool:
        session = self.table.session if self.table is not None else None
        return session is not None and bool(session.has_pin(seat))

    def _ask_parts(self, action: Action, instead: tuple[Action, ...], who: Any = None) -> None:
        """Asks for what an action still has to be told, over the foot of the table."""
        if who is not None:
            who.lock()
        table, board = self.table, self.board
        if table is None or board is None:
            return
        entry = board.entry(action)
        if isinstance(entry, FormEntry) and not instead:
            fields = fields_of(table.referee, action)
            if len(fields) == 1 and fields[0].kind in _CARDS:
                self._pick_for(action, fields[0])
                return
        sheet = EntrySheet(_whose(table, action), entry)

        def done() -> None:
            sheet.dismiss(animation=False)
            self.refresh()

        entry.open(table, action, done, instead)
        sheet.open(animation=False)

    def _pick_for(self, action: Action, field: Any) -> None:
        """Asks for an action's cards, which is all that it has to be told."""
        table = self.table
        assert table is not None
        is_list = field.kind is NeedKind.CARDS

        def take(cards: tuple[Card, ...]) -> None:
            self.offer(action, action.event([cards if is_list else cards[0]]))

        def why(card: Card) -> str:
            event = action.event([(card,) if is_list else card])
            against = table.refusal(event) or " ".join(table.objections(event))
            return table.where_it_lies(card) or table.plain(against)

        # A card that nobody knows is offered where it can be recorded as such.
        nobodys = unknown(field.values[0].family)
        unread = is_list or not table.refusal(action.event([nobodys]))
        meant = frozenset(field.usual or field.values)
        doubted = [card for card in field.values if card not in meant]
        # A few that lie there are all that can be meant; of a whole deck the others stay in sight.
        few = is_list and 0 < len(field.usual) <= _FEW
        CardPicker(
            field.usual if few else field.values,
            take,
            title=_whose(table, action),
            count=field.count if is_list else 1,
            doubted=doubted,
            why=why,
            unread=unread,
        ).open(animation=False)

    def show_sentence(self, action: Action | None, instead: tuple[Action, ...] = ()) -> None:
        """Shows a step as a sentence, the parts filled that a touch has settled; None: no step.

        One that stands there already keeps what is filled in.
        """
        table, box = self.table, self.ids.sentence
        if table is None or action is None:
            self.sentence, self._sentence_for = None, ()
            box.clear_widgets()
            self.ids.acts.clear_widgets()
            return
        base, touched = untouched(table.game, action)
        made_for = table.number, table.referee.stands, base.key, base.settled, texts.CLOSE
        if self.sentence is not None and made_for == self._sentence_for:
            self.sentence.fill(touched)
            return
        box.clear_widgets()
        self.ids.acts.clear_widgets()
        self._offer_variants(base)
        self.sentence, self._sentence_for = FormEntry(), made_for
        self.sentence.open(table, action, self.refresh, instead)
        self.sentence.bind(place=lambda *_args: self.mark_place())
        box.add_widget(self.sentence)
        # However many choices there are, what they lead to stays in sight.
        EntryForm.frame(self.sentence, None, self.ids.acts)

    def mark_place(self) -> None:
        """Marks the place on the board that the sentence names."""
        if self.board is not None and self.sentence is not None:
            self.board.mark(self.sentence.place)

    def _offer_variants(self, shown: Action) -> None:
        """Keys for steps that differ in one thing that is settled, such as whose card it is."""
        assert self.table is not None
        alike = [a for a in self.table.public_actions() if a.key == shown.key and is_inline(a)]
        if len(alike) < 2:
            return
        row = Grid(cols=len(alike), spacing=dp(6))
        for action in alike:
            text, is_shown = said_settled(self.table, action), action.settled == shown.settled
            offer(row, text, partial(self.begin, action), Key, chosen=is_shown)
        self.ids.sentence.add_widget(row)

    def begin(self, action: Action) -> None:
        """Starts an action by its own button, with all that may be done instead."""
        self.start(action, self.instead_of(action))

    def instead_of(self, action: Action) -> tuple[Action, ...]:
        """What may be done with the same choices instead, such as a guess with more at stake."""
        assert self.table is not None
        return tuple(
            other
            for other in self.table.public_actions()
            if other.verb != action.verb
            and (other.seat, other.form, other.settled)
            == (action.seat, action.form, action.settled)
            and _kinds(other)
            and _kinds(other) == _kinds(action)
        )

    def offer(self, action: Action | None, event: Event) -> None:
        """Records an event, or says why not; asks first what has to be asked."""
        table = self.table
        if table is None:
            return
        table.message = table.refusal(event)
        if table.message:
            self.refresh()
        else:
            confirm(table, action, event, self.do)

    def tap_card(self) -> None:
        """Asks for a card and records it where it can lie now."""
        if self.table is not None:
            self.pick(self._tapped)

    def _tapped(self, card: Card) -> None:
        assert self.table is not None
        event = self.table.meaning(card)
        if event is not None:
            confirm(self.table, None, event, self.do)

    def pick(self, chosen: Any, *, family: Family | None = None) -> None:
        """Asks for a card; what is done with it is `chosen`'s.

        Args:
            chosen: called with the card.
            family: of the card; None for the game's own cards (a coin is none of them).
        """
        table = self.table
        if table is None:
            return

        def take(cards: tuple[Card, ...]) -> None:
            chosen(cards[0])
            self.refresh()

        cards = table.game.all_cards(table.setup)
        title = texts.WHICH_PIECE[(family or table.game.family).value]
        if family is not None and family is not table.game.family:
            cards = family_cards(family)
        CardPicker(cards, take, title=title, doubted=table.lying, why=table.where_it_lies).open(
            animation=False
        )

    def type(self, line: str) -> bool:
        """Records a line that was typed for all to see; numbers count the lines of the log."""
        table = self.table
        if table is None:
            return False
        try:
            event = table.referee.parse_typed(line)
        except CompanionError as error:
            table.message = texts.told(error.message)
            return False
        seats = table.must_show(event)
        if event.verb == DISCLOSE or len(seats) > 1:
            self.disclose()
            return True
        if seats:
            self.once_shown(event, lambda: self.do(event))
            return True
        table.message = table.refusal(event)
        if table.message:
            return False
        confirm(table, None, event, self.do)
        return True

    def once_shown(self, event: Event, then: Callable[[], object]) -> None:
        """Goes on once the player whose secret an event concerns has shown to be there."""
        seats = () if self.table is None else self.table.must_show(event)
        if not seats:
            then()
            return

        def shown(who: Any) -> None:
            who.lock()
            then()

        App.get_running_app().unlock(seats[0], shown)

    def disclose(self) -> None:
        """Asks every player, one after the other, whether all that is private may be shown."""
        table = self.table
        if table is None:
            return
        verdict = table.referee.propose(Event(DISCLOSE))
        if verdict.error is not None:
            table.message = texts.told(verdict.error.message)
            self.refresh()
            return
        ask(texts.DISCLOSE_SURE, texts.DISCLOSE, lambda: self._ask_next(0, None))

    def _ask_next(self, seat: int, who: Any) -> None:
        if who is not None:
            who.lock()
        if self.table is None:
            return
        if seat < len(self.table.setup.players):
            App.get_running_app().unlock(seat, lambda who: self._ask_next(seat + 1, who))
        else:
            self.do(Event(DISCLOSE))


def is_inline(action: Action) -> bool:
    """Whether a step's sentence is filled on the table itself: its choices are a few keys."""
    return (
        has_sentence(action)
        and not action.is_secret
        and not any(kind in (*_CARDS, NeedKind.TEXT) for kind in _kinds(action))
    )


def _whose(table: Table, action: Action) -> str:
    """An action as the title of a sheet over the headline: it names who acts."""
    title = action_title(table, action)
    name = "" if action.seat is None else table.setup.players[action.seat]
    return title if name in title else f"{name} · {title}"


def said_settled(table: Table, action: Action) -> str:
    """What is settled of an action, as people say it."""
    parts = [part for part in table.game.verbs[action.verb].forms[action.form] if part.yields]
    kinds = {PlayerPart: NeedKind.PLAYER, CardPart: NeedKind.CARD}
    return " ".join(
        said_value(table, kinds.get(type(parts[k]), NeedKind.CHOICE), value)
        for k, value in action.settled
    )


def _kinds(action: Action) -> tuple[NeedKind, ...]:
    return () if action.step is None else tuple(need.kind for need in action.step.needs)
