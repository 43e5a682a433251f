"""View-model of what is played: one referee, what stands, what may be done, what people do.

Plain Python, no window; knows no game by name.
"""

from __future__ import annotations

import itertools
from typing import Any

from companion.cards import Card
from companion.core.events import CORRECT, REDO, UNDO, Event
from companion.core.game import Game
from companion.core.guidance.generic import guidance_of, opening_of
from companion.core.guidance.steps import Guidance
from companion.core.names import name_key
from companion.core.question import laid_by, with_card
from companion.core.referee import Referee
from companion.core.setup import OptionKind, Setup
from companion.core.sightings import SeenCard
from companion.core.state import Zone, ZoneKind, evolve
from companion.core.timeline import UndoStep
from companion.core.undo import is_weighty
from companion.core.verb import HAND, MATCH
from companion.core.watched_match import known_cards
from companion.errors import CompanionError
from mobile.model import actions, wording
from mobile.model.camera_worker import Stamp
from mobile.model.faces import card_name
from mobile.model.steps import Action, has_acted, of_step
from mobile.resources import texts

_numbers = itertools.count(1)


class MatchModel:
    """One session.

    Args:
        session: the session that keeps every event; None where nothing is kept.
    """

    def __init__(
        self, game: Game[Any], setup: Setup, session: Any = None, journal: Any = None
    ) -> None:
        self.game, self.setup = game, setup
        self.session, self._journal = session, journal
        #: Name of the deck that lies on the table.
        self.deck = game.info.decks[0]
        self.number = next(_numbers)
        self.message = ""
        self._own: Referee[Any] | None = None if session else Referee(game, setup)
        self._guided: tuple[int, Guidance, tuple[Action, ...]] | None = None

    # -- what stands -------------------------------------------------------------------------

    @property
    def referee(self) -> Referee[Any]:
        """The session's referee of this moment: a PIN may replace it by one that knows more."""
        if self._own is not None:
            return self._own
        referee: Referee[Any] = self.session.referee
        return referee

    @property
    def stamp(self) -> Stamp:
        """The table and its state number, for messages of the eyes."""
        return Stamp(self.number, self.referee.stands)

    @property
    def state(self) -> Any:
        """What everybody may know."""
        return self.referee.knowledge(None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the referee says about the last event, for everybody."""
        return tuple(self.plain(texts.told(note)) for note in self.state.remarks)

    @property
    def opening(self) -> str:
        """What is done with the real cards now; empty once anything of the match was recorded."""
        # From what everybody may know: what was recorded unseen shows in no public sentence.
        return texts.told(opening_of(self.game, self.referee.view(None)))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the match ended as it did."""
        return tuple(self.plain(texts.told(reason)) for reason in self.state.table.reasons)

    def player_line(self, seat: int) -> str:
        """A player's name with the points, if there are any, and the standing."""
        scores = self.state.table.scores
        points = texts.signed(scores[seat]) if any(scores) else ""
        standing = texts.told(self.game.standing(self.state, seat))
        return "  ".join(filter(None, (self.setup.players[seat], points, standing)))

    @property
    def log(self) -> list[str]:
        """Every line that everybody may read, as a sentence, newest first."""
        return self.newest(len(self.referee.view(None).log))

    def newest(self, most: int) -> list[str]:
        """The newest lines that everybody may read, as sentences, newest first.

        Args:
            most: how many at most.
        """
        referee = self.referee
        return [
            " ".join(
                (
                    f"{line.step}. {wording.told_line(referee, line.text)}",
                    *(f"({texts.told(word)})" for word in (*line.marks, line.error) if word),
                )
            )
            for line in referee.view(None).log[::-1][:most]
        ]

    @property
    def lines(self) -> list[str]:
        """Every line that everybody may read, in the notation, newest first; for files."""
        return [f"{line.step}. {line.text}" for line in self.referee.view(None).log][::-1]

    @property
    def zones(self) -> tuple[Zone, ...]:
        """All places for cards, as everybody knows them."""
        return self.game.zones(self.state)

    @property
    def lying(self) -> tuple[Card, ...]:
        """Every particular card that lies somewhere, as everybody knows."""
        return tuple(card for zone in self.zones for card in zone.cards if card.is_known)

    def where_it_lies(self, card: Card) -> str:
        """Where a card lies already, in words; empty where it lies nowhere that all know."""
        zone = next((zone for zone in self.zones if card in zone.cards), None)
        if zone is None:
            return ""
        if zone.name == self.watched_zone:
            return texts.LIES_TWICE.format(card=card_name(card))
        return texts.LIES_IN.format(card=card_name(card), place=texts.told(zone.title))

    def plain(self, text: str) -> str:
        """A sentence of the referee with cards written as on their faces, not as in files."""
        return wording.without_codes(self.game, text)

    def words(self, event: Event) -> str:
        """An event as a sentence."""
        return wording.told_event(self.game, self.setup, event)

    def begun(self, action: Action) -> str:
        """The sentence of an act as far as it is settled; empty where the game has none of it."""
        form = self.game.verbs[action.verb].forms[action.form]
        settled = dict(action.settled)
        args = tuple(settled.get(k) for k in range(sum(part.yields for part in form)))
        if not settled or len(settled) == len(args):
            return ""
        event = Event(action.verb, args, action.seat, action.audience)
        said = self.plain(texts.told(self.game.told(self.setup, event)))
        return said.replace("….", "…")

    def _known(self) -> frozenset[Card]:
        """Every card that is known to lie somewhere."""
        return known_cards(self.zones)

    @property
    def watched_zone(self) -> str | None:
        """The row that the camera can follow, if the game has one that lies open."""
        for zone in self.zones:
            if zone.kind is ZoneKind.ROW and zone.face_up:
                return zone.name
        return None

    @property
    def guidance(self) -> Guidance:
        """What is going on and what may be done, for the screen that everybody sees."""
        return self._guide()[0]

    @property
    def steps(self) -> tuple[Action, ...]:
        """What may be done, as guidance offers it; the first is what play waits for."""
        return self._guide()[1]

    def _guide(self) -> tuple[Guidance, tuple[Action, ...]]:
        """Guidance and its steps, worked out once for each state."""
        stands = self.referee.stands
        if self._guided is None or self._guided[0] != stands:
            guidance = guidance_of(self.game, self.referee.view(None))
            steps = tuple(
                of_step(self.game, step) for step in guidance.steps if step.event is not None
            )
            self._guided = stands, guidance, steps
        return self._guided[1:]

    @property
    def goes_on(self) -> bool:
        """Whether a match is played, or the next one can begin, whatever verb does it."""
        begins = (a for a in self.steps if a.seat is None and a.verb not in actions.CLOSING)
        return not self.state.table.match_over or any(begins)

    def due(self) -> tuple[Action, ...]:
        """Secret entries that play waits for (predictions, hands), each player's."""
        due = self.guidance.due
        return tuple(a for a in self.steps if a.step in due)

    def hands(self) -> tuple[Action, ...]:
        """Before anybody has acted: the hands that notepads can still be told."""
        if has_acted(self.referee.view(None).events):
            return ()
        return tuple(a for a in self.steps if a.verb == HAND and a.is_secret)

    def public_actions(self) -> tuple[Action, ...]:
        """Public actions that guidance offers."""
        return tuple(a for a in self.steps if not a.is_secret)

    def others(self) -> tuple[Action, ...]:
        """Everything else that may happen now."""
        known = {action.key for action in self.steps}
        apart = (MATCH, *actions.CLOSING)
        found = (a for a in actions.offered(self.referee) if a.verb not in apart)
        return tuple(a for a in found if a.key not in known)

    def refusal(self, event: Event) -> str:
        """Why an event cannot be recorded, as its readers may know; empty where it can."""
        verdict = self.referee.propose(event)
        return "" if verdict.error is None else texts.told(verdict.error.message)

    def objections(self, event: Event) -> tuple[str, ...]:
        """What the table knows that speaks against an event, which may be recorded all the same."""
        if event.verb in (REDO,):
            return ()
        verdict = self.referee.propose(event)
        return tuple(wording.without_numbers(finding.message) for finding in verdict.findings)

    # -- what people do ----------------------------------------------------------------------

    def do(self, event: Event | str) -> bool:
        """Records an event; where it is refused, says why in `message` and returns False."""
        match, lying = self.state.table.match, self._known()
        try:
            self.referee.accept(event)
            self.referee.follow_up()
        except CompanionError as error:
            self.message = texts.told(error.message)
            return False
        self.message = ""
        self._goes_on(lying, is_new=self.state.table.match != match)
        return True

    def _goes_on(self, lying: frozenset[Card], *, is_new: bool) -> None:
        """Something was recorded; a table that is watched looks anew.

        Args:
            lying: what lay there before.
            is_new: whether another match has begun.
        """

    @property
    def takes_cards(self) -> bool:
        """Whether any card that somebody taps in could be recorded now."""
        message, cards = self.message, self.game.all_cards(self.setup)
        takes = any(self.meaning(card) is not None for card in cards)
        self.message = message
        return takes

    def meaning(self, card: Card, zone: str | None = None) -> Event | None:
        """What a card that somebody tapped in would be recorded as, where it can lie now.

        Returns:
            The event; None where it can lie nowhere, and `message` says why.
        """
        zone = zone or self.watched_zone
        places = [zone] if zone else [z.name for z in self.zones if z.kind is not ZoneKind.HAND]
        found = [p for place in places for p in self.referee.proposals(SeenCard(card, place))]
        clean = [proposal for proposal in found if proposal.error is None]
        if clean:
            return clean[0].event
        error = found[0].error if found else None
        self.message = texts.NOT_THERE.format(card=card_name(card))
        if found:
            self.message = "" if error is None else texts.told(error.message)
        return None

    def replacing(self, n: int, card: Card, old: Card | None = None) -> Event | None:
        """The correction by which a standing event names another card.

        Args:
            n: the event's number.
            card: the card that it was.
            old: the card that was misread; by default the one that the event lays.

        Returns:
            None where there is no such event, or it does not name the misread card.
        """
        event = next((e for e in self.referee.events if e.n == n), None)
        misread = old if event is None or old is not None else laid_by(event)
        if event is None or misread is None:
            return None
        new = evolve(with_card(event, misread, card), comment="")
        if new.args == event.args and card is not misread:
            return None
        seat = event.seat if event.audience else None
        return Event(CORRECT, (n, new), seat, event.audience)

    @property
    def can_disclose(self) -> bool:
        """Whether everybody may agree now to show what is private."""
        state = self.state
        shown = state.disclosed_to and not self.referee.undoes()
        return bool(state.table.match_over) and not shown

    def must_show(self, event: Event) -> tuple[int, ...]:
        """Seats whose PIN is needed before an event is written; none at a table not kept."""
        return () if self.session is None else tuple(self.session.must_show(event))

    @property
    def took_back(self) -> bool:
        """Whether the last line took something back."""
        log = self.referee.log
        event = log[-1].event if log else None
        return event is not None and event.verb == UNDO

    @property
    def undoes(self) -> str:
        """What undo would take back, as everybody may read it; empty where nothing is left."""
        return self._step_text(self.referee.undoes())

    @property
    def redoes(self) -> str:
        """What redo would restore; empty where nothing was taken back."""
        return self._step_text(self.referee.redoes())

    @property
    def asks_before_undo(self) -> bool:
        """Whether the last thing done was private, an answer, or brought a result."""
        step = self.referee.undoes()
        return step is not None and is_weighty(self.referee, step)

    def _step_text(self, step: UndoStep | None) -> str:
        """A step in sentences, as everybody may read it."""
        if step is None:
            return ""
        referee = self.referee
        log = {referee.number_of(None, line.step): line for line in referee.view(None).log}
        shown = [wording.told_step(referee, log[n].text) for n in step.lines if n in log]
        return " ".join(shown) or texts.A_SECRET

    def redo(self) -> bool:
        """Restores what was last taken back."""
        return self.do(Event(REDO))

    def rename(self, names: tuple[str, ...]) -> None:
        """Gives the players other names; events hold seats, so nothing else changes.

        Raises:
            CompanionError: names that cannot be used.
        """
        old = self.setup
        stated = {}
        for option in self.game.options:
            if option.name in old.stated:
                value = old.options[option.name]
                is_player = option.kind is OptionKind.PLAYER
                stated[option.name] = names[old.seat(value)] if is_player else value
        setup = self.game.setup(names, stated, trusted=old.trusted, cards=old.cards)
        if self.session is not None:
            self._rename_kept(names)
            return
        referee: Referee[Any] = Referee(self.game, setup)
        for line in self.referee.match_text().events:
            referee.submit_line(line)
        self.setup, self._own = setup, referee
        self._guided = None

    def _rename_kept(self, names: tuple[str, ...]) -> None:
        """Renames in the journal, one seat after the other, and takes the session up again."""
        journal, number = self._journal, self.session.id
        # Names may change places: those that would clash for a moment get another in between.
        wanted = {name_key(name) for name in names}
        for seat, old in enumerate(self.setup.players):
            if name_key(old) in wanted and old != names[seat]:
                journal.rename(number, seat, f"_{seat}")
        for seat, name in enumerate(names):
            journal.rename(number, seat, name)
        self.session = journal.resume(number)
        self.setup = self.session.setup
        self._guided = None
