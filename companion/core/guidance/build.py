"""Makes a viewer's guidance. Each step is judged by what its readers may know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from companion.cards import Card, Family, unknown
from companion.core.events import DISCLOSE, Event, private, public
from companion.core.game import Game
from companion.core.guidance.steps import Guidance, Need, NeedKind, On, Step
from companion.core.notation import write_event
from companion.core.setup import Setup
from companion.core.state import evolve, hand_zone
from companion.core.view import View
from companion.phrases import N_, phrase

#: Verbs with which a match of some game begins.
_BEGINNINGS = frozenset({"match", "playoff", "dealer"})


class Guide:
    """Makes steps for one view, each judged by what its readers may know."""

    def __init__(self, game: Game[Any], view: View[Any]) -> None:
        self.game = game
        self.view = view
        self.setup: Setup = view.setup
        #: What everybody knows, judged as at an open table: a refusal that follows from a trusted
        #: hand would tell what is in it.
        self.state: Any = opened(view.public)

    def name(self, seat: int) -> str:
        """A player's name."""
        return self.setup.players[seat]

    def known(self, seat: int | None) -> Any:
        """The state that judges a secret step of a seat."""
        return self.view.state if seat is not None and seat == self.view.viewer else self.state

    def step(
        self,
        title: str,
        event: Event,
        *,
        needs: Iterable[Need] = (),
        on: Iterable[On] = (),
        commits: bool = False,
        answers: bool = False,
        sentence: str = "",
        is_rare: bool = False,
    ) -> Step:
        """A step with its example.

        Args:
            title: what it does, in plain words.
            event: the event, or an example where something is needed.
            needs: what it still needs.
            on: things on the table that it can be done on.
            commits: whether it is confirmed first.
            answers: whether it is one of several equal answers.
            sentence: the act with blanks for what it needs.
            is_rare: whether it stands behind “More”.
        """
        return Step(
            title,
            event.verb,
            event.seat,
            event.audience,
            commits,
            answers,
            tuple(needs),
            tuple(on),
            event,
            write_event(self.game, self.setup, event),
            sentence,
            is_rare,
        )

    def can(self, event: Event) -> bool:
        """Whether an event may happen, as far as its readers may know.

        Another seat's secret is judged as at an open table, because its hand is not known here.
        """
        if event.is_public:
            return self.game.can(self.view.public, event)
        return self.game.can(self.known(event.seat), event)

    def first(self, events: Iterable[Event]) -> Event | None:
        """The first event that may happen."""
        return next((event for event in events if self.can(event)), None)

    def option(self, title: str, events: Iterable[Event], **more: Any) -> Iterator[Step]:
        """A step, as `step` makes it, if one of the events may happen: that one is its example."""
        event = self.first(events)
        if event is not None:
            yield self.step(title, event, **more)

    def phrase(self, template: str, /, **fields: object) -> str:
        """A sentence with players and cards written as people read them; see `State.phrase`."""
        words: str = self.state.phrase(template, **fields)
        return words

    def unseen(self) -> tuple[Card, ...]:
        """The cards of the game's family that nobody has seen on the table."""
        ledger = self.state.ledger
        return tuple(card for card in self.game.all_cards(self.setup) if card not in ledger)

    # -- steps that every game has ----------------------------------------------------------

    def is_handed(self, seat: int) -> bool:
        """Whether the seat's hand is recorded, or none is dealt to it."""
        state = self.view.public
        return (state.table.match, seat) in state.handed or (
            self.game.hand_size(state, seat) is None
        )

    def missing_hands(self) -> tuple[int, ...]:
        """Seats that trust the referee and have not given it their hands."""
        seats = range(len(self.setup.players))
        return tuple(s for s in seats if self.setup.trusted[s] and not self.is_handed(s))

    def hand_steps(self, seats: Iterable[int]) -> Iterator[Step]:
        """Recording the hands of seats that have not, if that may be done now."""
        for seat in seats:
            size = self.game.hand_size(self.state, seat)
            if size is None or self.is_handed(seat):
                continue
            unread = (unknown(self.game.family),) * size
            lists = (
                [unread] if self.game.can(self.view.public, private(seat, "hand", unread)) else []
            )
            events = (private(seat, "hand", c) for c in (*lists, self.unseen()[:size]))
            are_tiles = self.game.family is Family.TILE
            dealt = phrase("the tiles dealt") if are_tiles else phrase("the cards dealt")
            need = Need(NeedKind.CARDS, dealt, self.unseen(), size)
            yield from self.option(
                self.phrase("Record {name}'s hand", name=seat), events, needs=(need,)
            )

    def own_hand(self) -> Iterator[Step]:
        """The viewer's hand, which may be recorded for the notepad; all on a shared screen."""
        viewer = self.view.viewer
        yield from self.hand_steps(range(len(self.setup.players)) if viewer is None else (viewer,))

    def hands_first(self) -> Guidance | None:
        """The guidance while trusting players have not given the referee their hands."""
        missing = self.missing_hands()
        steps = tuple(self.hand_steps(missing))
        if not steps:
            return None
        template = (
            N_("{names} trusts the referee: the hand is recorded first.")
            if len(missing) == 1
            else N_("{names} trust the referee: their hands are recorded first.")
        )
        return Guidance(self.phrase(template, names=missing), missing, steps)

    def stop(self) -> Iterator[Step]:
        """All agree to stop."""
        events = (public(None, "agree"),)
        yield from self.option(phrase("Stop here, as all agree"), events, commits=True)

    def next_match(self) -> Iterator[Step]:
        """The session's next match."""
        starter = self.game.starts_next(self.state)
        title = self.phrase("Begin the next match: {name} starts", name=starter)
        yield from self.option(title, (public(None, "match"),))

    def turn_up(self) -> Iterator[Step]:
        """Turning up what answers can be checked by; play does not wait for it."""
        cards, open_ = self.unseen(), self.game.unchecked(self.view.public)
        # A hand that would check two things is turned up once.
        for item in {item.title(self.state): item for item in open_}.values():
            kind = NeedKind.CARD if item.one else NeedKind.CARDS
            need = Need(kind, item.asked(), cards, item.cards)
            on = (On(hand_zone(item.seat)),)
            events = (item.event(cards),) if len(cards) >= item.cards else ()
            yield from self.option(item.title(self.state), events, needs=(need,), on=on)

    def disclose(self) -> Iterator[Step]:
        """Disclosing what was secret."""
        if not was_disclosed(self.view):
            events = (public(None, DISCLOSE),)
            yield from self.option(phrase("Show everybody what was secret"), events, commits=True)

    def after_match(self, headline: str) -> Guidance:
        """What is said when a match is over.

        Args:
            headline: how it ended.
        """
        steps = (*self.next_match(), *self.stop(), *self.turn_up(), *self.disclose())
        if was_disclosed(self.view):
            headline = phrase("{headline} All secrets are disclosed.", headline=headline)
        return Guidance(headline, (None,), steps)

    def winners(self) -> str:
        """How a match ended, for a game that has no better sentence."""
        table = self.state.table
        winners = table.winners or table.match_winners
        if not winners:
            return phrase("The match is over: nobody wins.")
        template = N_("{names} wins.") if len(winners) == 1 else N_("{names} win together.")
        return self.phrase(template, names=winners)


def opened(state: Any) -> Any:
    """The state with no trusting players, so that no refusal mentions hidden cards."""
    if not any(state.setup.trusted):
        return state
    return evolve(state, setup=evolve(state.setup, trusted=(False,) * len(state.setup.players)))


def was_disclosed(view: View[Any]) -> bool:
    """Whether the secrets of the match that just ended were disclosed."""
    for event in reversed(view.events):
        if event.verb == DISCLOSE:
            return True
        if event.verb in _BEGINNINGS:
            return False
    return False
