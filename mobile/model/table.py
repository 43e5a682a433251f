"""View-model of a table: one referee, what the eyes propose, what waits for a person.

Plain Python, no window; knows no game by name.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from companion.cards import Card
from companion.core.acceptance import Judged, Verdict, judge_all
from companion.core.deeds import is_weighty
from companion.core.events import CORRECT, REDO, Event
from companion.core.game import Game
from companion.core.guidance import Guidance
from companion.core.referee import Deed, Referee
from companion.core.setup import OptionKind, Setup
from companion.core.shared_guidance import guidance_of
from companion.core.sightings import Proposal, SeenCard
from companion.core.state import Zone, ZoneKind, evolve
from companion.core.verb import Who
from companion.errors import CompanionError
from mobile.model import actions, telling
from mobile.model.actions import Action
from mobile.model.camera_worker import Look, Stamp
from mobile.model.faces import card_name
from mobile.resources import texts
from vision.grow import RowCard
from vision.types import Sighting

#: A reading at least this sure is recorded by itself where nothing else is legal.
SURE = 0.9
#: The last match's cards are gathered once none of them was read in so many messages.
_GATHERED = 6
_numbers = itertools.count(1)
#: A card, the zone it was seen in, and what happened to it there.
Seen = tuple[Card, str, str]
#: A card that lies there early, how sure that is, and its zone.
Early = tuple[Card, float, str]


@dataclass(frozen=True, slots=True)
class Pending:
    """Something seen that a person should decide.

    Attributes:
        card: what was seen.
        confidence: how sure, 0 to 1.
        zone: where.
        proposals: what it could mean, likeliest first.
        replaces: number of the recorded event that it contradicts; 0 for something new.
        old: the card recorded there.
        change: what happened to the card.
        is_early: it lay there before play could begin; whether that counts is for people to say.
    """

    card: Card
    confidence: float
    zone: str
    proposals: tuple[Proposal, ...]
    replaces: int = 0
    old: Card | None = None
    change: str = "laid"
    is_early: bool = False

    @property
    def key(self) -> Seen:
        """Tells it from other things seen."""
        return self.card, self.zone, str(self.change)

    @property
    def why(self) -> str:
        """What speaks against it, in words; empty where nothing does."""
        for proposal in self.proposals[:1]:
            if proposal.error is not None:
                return texts.told(proposal.error.message)
            if proposal.findings:
                return texts.told(proposal.findings[0].message)
        return ""

    @property
    def event(self) -> Event | None:
        """What it would be recorded as; None where it replaces another card."""
        return self.proposals[0].event if self.proposals else None

    @property
    def is_possible(self) -> bool:
        """Whether it can be recorded as it stands."""
        if self.replaces or self.is_early:
            return True
        return any(p.error is None for p in self.proposals[:1])


class Table:
    """One session at a table.

    Args:
        game: the game.
        setup: its settings.
        session: the session that keeps every event; None where nothing is kept.
        journal: the journal it is in.
    """

    def __init__(
        self, game: Game[Any], setup: Setup, session: Any = None, journal: Any = None
    ) -> None:
        self.game, self.setup = game, setup
        self.session, self._journal = session, journal
        #: Name of the deck that lies on the table.
        self.deck = game.info.decks[0]
        self.number = next(_numbers)
        self._own: Referee[Any] | None = None if session else Referee(game, setup)
        self.pending: Pending | None = None
        self.message = ""
        self._dismissed: set[Card] = set()
        self._waved: set[Seen] = set()
        self._judged: tuple[object, ...] = ()
        self._guided: tuple[int, Guidance, tuple[Action, ...]] | None = None
        #: The match in which people said that play starts though something secret is missing.
        self._started = 0
        self._is_early = self._was_waved = False
        self._bare = 0
        self._gathering = self._left_lying()

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
    def notes(self) -> tuple[str, ...]:
        """What the referee says about the last event, for everybody."""
        return tuple(map(texts.told, self.state.notes))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the match ended as it did."""
        return tuple(map(texts.told, self.state.table.reasons))

    @property
    def log(self) -> list[str]:
        """Every line that everybody may read, as a sentence, newest first."""
        referee = self.referee
        lines = [
            " ".join(
                (
                    f"{line.step}. {telling.told_line(referee, line.text)}",
                    *(f"({texts.told(word)})" for word in (*line.marks, line.error) if word),
                )
            )
            for line in referee.view(None).log
        ]
        return lines[::-1]

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

    def plain(self, text: str) -> str:
        """A sentence of the referee with cards written as on their faces, not as in files."""
        return telling.without_codes(self.game, text)

    def words(self, event: Event) -> str:
        """An event as a sentence."""
        return telling.told_event(self.game, self.setup, event)

    @property
    def is_gathering(self) -> bool:
        """Whether the last match's cards still lie there; until they are gone nothing is taken."""
        return bool(self._gathering)

    @property
    def is_waiting_to_start(self) -> bool:
        """Whether cards lie there that were laid before play began."""
        return self._is_early

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
                actions.of_step(self.game, step, is_first=k == 0)
                for k, step in enumerate(guidance.steps)
                if step.event is not None
            )
            self._guided = stands, guidance, steps
        return self._guided[1:]

    def due(self) -> tuple[Action, ...]:
        """Secret entries that play waits for (predictions, hands), each player's."""
        steps = self.steps
        if not steps or not steps[0].is_secret:
            return ()
        return tuple(a for a in steps if a.is_secret and a.verb == steps[0].verb)

    def deeds(self) -> tuple[Action, ...]:
        """Public actions that guidance offers."""
        return tuple(a for a in self.steps if not a.is_secret)

    def others(self) -> tuple[Action, ...]:
        """Everything else that may happen now."""
        known = {action.key for action in self.steps}
        apart = (*actions.CLOSING, actions.DISCLOSING)
        found = (a for a in actions.offered(self.referee) if a.verb not in apart)
        return tuple(a for a in found if a.key not in known)

    # -- before play starts ------------------------------------------------------------------

    def is_early(self, event: Event) -> bool:
        """Whether an event would begin play before what is secret was written or recorded."""
        due = self.due()
        if not due or not event.is_public or self._started == self.state.table.match:
            return False
        return self.game.verbs[event.verb].who is not Who.TABLE or bool(event.args)

    @property
    def start_question(self) -> str:
        """Asks whether play starts though somebody has not written; empty where all have."""
        seats = tuple(
            seat for seat in dict.fromkeys(a.seat for a in self.due()) if seat is not None
        )
        if not seats:
            return ""
        said = texts.START_ANYWAY if len(seats) == 1 else texts.START_WITHOUT
        return said.format(names=texts.told(self.setup.names(seats)))

    def start_anyway(self) -> None:
        """Play starts though something secret is missing, or with what lay there before."""
        self._started = self.state.table.match
        self._gathering = frozenset()
        self._is_early = False
        if self.pending is not None and self.pending.is_early:
            self.pending = None

    def refusal(self, event: Event) -> str:
        """Why an event cannot be recorded, as its readers may know; empty where it can."""
        verdict = self.referee.propose(event)
        return "" if verdict.error is None else texts.told(verdict.error.message)

    def objections(self, event: Event) -> tuple[str, ...]:
        """What the table knows that speaks against an event, which may be recorded all the same."""
        if event.verb in (REDO,):
            return ()
        verdict = self.referee.propose(event)
        return tuple(texts.told(finding.message) for finding in verdict.findings)

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
        if self.state.table.match != match:
            self._gathering, self._bare = lying, 0
            self._is_early = self._was_waved = False
            self._forget_answers()
        self._drop_stale_pending()
        return True

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

    def tap(self, card: Card, zone: str | None = None) -> bool:
        """Records a card that somebody tapped in, in whichever place it can lie now."""
        event = self.meaning(card, zone)
        if event is None:
            return False
        self._dismissed.discard(card)
        return self.do(event)

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
    def undoes(self) -> str:
        """What undo would take back, as everybody may read it; empty where nothing is left."""
        return self._deed(self.referee.undoes())

    @property
    def redoes(self) -> str:
        """What redo would restore; empty where nothing was taken back."""
        return self._deed(self.referee.redoes())

    @property
    def asks_before_undo(self) -> bool:
        """Whether the last thing done was private, an answer, or brought a result."""
        deed = self.referee.undoes()
        return deed is not None and is_weighty(self.referee, deed)

    def _deed(self, deed: Deed | None) -> str:
        """A deed in sentences, as everybody may read it."""
        if deed is None:
            return ""
        referee = self.referee
        log = {referee.number_of(None, line.step): line for line in referee.view(None).log}
        shown = [telling.told_line(referee, log[n].text) for n in deed.lines if n in log]
        return " ".join(shown) or texts.A_SECRET

    def redo(self) -> bool:
        """Restores what was last taken back."""
        return self.do(Event(REDO))

    def undo(self) -> bool:
        """Takes back the last thing done; the eyes do not put the same card there again."""
        before = self._known()
        try:
            self.referee.undo()
        except CompanionError as error:
            self.message = texts.told(error.message)
            return False
        after = {card for zone in self.zones for card in zone.cards}
        self._dismissed |= before - after
        self._gathering = frozenset()
        self._is_early = False
        self.pending, self.message, self._judged = None, "", ()
        return True

    def look_again(self) -> None:
        """Takes the eyes' word anew for everything that was waved aside."""
        self._gathering = frozenset()
        self._is_early = self._was_waved = False
        self._forget_answers()

    def _forget_answers(self) -> None:
        self._dismissed.clear()
        self._waved.clear()
        self.pending, self._judged = None, ()

    def _known(self) -> frozenset[Card]:
        """Every card that is known to lie somewhere."""
        return frozenset(c for zone in self.zones for c in zone.cards if c.is_known)

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
        wanted = {name.casefold() for name in names}
        for seat, old in enumerate(self.setup.players):
            if old.casefold() in wanted and old != names[seat]:
                journal.rename(number, seat, f"_{seat}")
        for seat, name in enumerate(names):
            journal.rename(number, seat, name)
        self.session = journal.resume(number)
        self.setup = self.session.setup
        self._guided = None

    # -- what the eyes see -------------------------------------------------------------------

    def see(self, look: Look) -> bool:
        """Takes in a message of the eyes; returns whether anything was recorded or asked.

        What is sure, legal, contradicts nothing and can mean nothing else is recorded; the first
        other thing is put to the people and what came later waits.
        """
        if look.stamp.match != self.number:
            return False
        if self._is_gathering_still(look):
            return False
        early = self._early(look)
        if early:
            return self._ask_to_start(early)
        before = self.referee.stands, self.pending
        asked = self.watched_zone is not None and self._see_row(look)
        if not asked:
            self._see_zones(look)
        return (self.referee.stands, self.pending) != before or asked

    def _is_gathering_still(self, look: Look) -> bool:
        """Whether cards that do not count are in sight, or were a moment ago."""
        if self._gathering:
            reads = (*look.reading.cards, *look.reading.doubtful)
            seen = any(read.card in self._gathering for read in reads)
            seen |= self._is_early and any(p.card in self._gathering for p in look.row)
            self._bare = 0 if seen else self._bare + 1
            if self._bare >= _GATHERED:
                self._gathering = frozenset()
                self._is_early = self._was_waved = False
                if self.pending is not None and self.pending.is_early:
                    self.pending = None
            return True
        return False

    def _early(self, look: Look) -> list[Early]:
        """What lies there before everybody has written, and could be recorded as it is.

        Returns:
            Each card with its confidence and zone; none where play may begin.
        """
        if not self.due() or self._started == self.state.table.match:
            return []
        lying = [(p.card, p.confidence, self.watched_zone or "") for p in look.row]
        lying += [(s.card, s.confidence, s.zone) for s in look.lying if s.zone]
        return [found for found in lying if self._could_begin(found)]

    def _could_begin(self, found: Early) -> bool:
        card, sure, zone = found
        proposals = self.referee.proposals(SeenCard(card, zone, sure))
        return any(p.error is None and self.is_early(p.event) for p in proposals)

    def _ask_to_start(self, early: list[Early]) -> bool:
        """People say whether cards that lie there early count; until then none is recorded."""
        if self._was_waved:
            return False
        card, sure, zone = early[0]
        self._gathering, self._bare = frozenset(one for one, _, _ in early), 0
        self._is_early = True
        self.pending = Pending(card, sure, zone, (), is_early=True)
        return True

    def _left_lying(self) -> frozenset[Card]:
        """The last match's cards, where a match is taken up before its first card was laid."""
        match = self.state.table.match
        if self._known() or match < 2:
            return frozenset()
        nodes = reversed(self.referee.nodes)
        last = next((node.state for node in nodes if node.state.table.match < match), None)
        if last is None:
            return frozenset()
        zones = (zone for zone in self.game.zones(last) if zone.face_up)
        return frozenset(card for zone in zones for card in zone.cards if card.is_known)

    def _see_row(self, look: Look) -> bool:
        """Takes a row's cards in their order; returns whether something has to be decided."""
        seen = {place.card for place in look.row}
        for number, place in enumerate(look.row):
            recorded = self._recorded()
            if place.card in recorded or place.card in self._dismissed:
                continue
            if not place.settled and not self._must_ask(look, number):
                break
            if not self._take(place, number, recorded, seen):
                return self.pending is not None
        return False

    def _see_zones(self, look: Look) -> None:
        """Takes in what lies elsewhere on the table."""
        lying = [s for s in (*look.lying, *look.turned) if s.zone and s.zone != self.watched_zone]
        while True:
            self._drop_vanished(lying)
            judged = self._unsettled(lying, look.t)
            if judged is None:
                return
            if not judged:
                if self.pending is not None and self.pending.zone != self.watched_zone:
                    self.pending = None
                return
            first = judged[0]
            if first.verdict is not Verdict.ACCEPTED:
                self._ask_about(first)
                return
            event = evolve(first.best.event, comment=f"camera {first.sighting.confidence:.2f}")
            if not self.do(event):
                return

    def _unsettled(self, lying: Sequence[Sighting], t: float) -> list[Judged] | None:
        """What is not recorded yet and was not waved aside, what is sure first.

        None where nothing has changed since this was last asked.
        """
        state = (self.referee.stands, len(self._dismissed), len(self._waved))
        now = (*state, *((s.card, s.zone, s.change, s.settled) for s in lying))
        now += tuple(round(s.confidence, 2) for s in lying)
        if now == self._judged:
            return None
        wanted = [s for s in lying if not self._is_waved(s)]
        judged = judge_all(self.referee, wanted, now=t)
        self._judged = now
        return sorted(judged, key=lambda one: one.verdict is not Verdict.ACCEPTED)

    def _is_waved(self, seen: Sighting) -> bool:
        return seen.card in self._dismissed or (seen.card, seen.zone, seen.change) in self._waved

    def _ask_about(self, judged: Judged) -> None:
        seen = judged.sighting
        old = getattr(seen, "was", None)
        n = self._event_with(old) if old is not None else 0
        card, sure = seen.card, seen.confidence
        together = [arg for arg in judged.best.event.args if isinstance(arg, tuple)]
        concerned = [pair for pair in seen.lying if together and pair[0] in together[0]]
        if concerned:
            # Several cards in one event: the least sure of them is the one to look at.
            card, sure = min(concerned, key=lambda pair: pair[1])
        elif judged.verdict is Verdict.ASK and judged.best.event.args:
            named = [arg for arg in judged.best.event.args if isinstance(arg, Card)]
            card = named[0] if named else card
        pending = Pending(
            card, sure, seen.zone, () if n else judged.proposals, n, old if n else None,
            str(seen.change),
        )  # fmt: skip
        old_one = self.pending
        if old_one is None or (old_one.key, old_one.why) != (pending.key, pending.why):
            self.pending = pending

    def _drop_vanished(self, lying: Sequence[Sighting]) -> None:
        """A question about a card that does not lie there any more is no question."""
        pending = self.pending
        if pending is None or pending.zone == self.watched_zone:
            return
        there = {s.card for s in lying if s.zone == pending.zone}
        there |= {c for s in lying if s.zone == pending.zone for c, _ in s.alternatives}
        if pending.card not in there:
            self.pending, self._judged = None, ()

    def _recorded(self) -> tuple[Card, ...]:
        name = self.watched_zone
        return next((zone.cards for zone in self.zones if zone.name == name), ())

    @staticmethod
    def _must_ask(look: Look, number: int) -> bool:
        """Whether a place that is not settled holds up those behind it, or stays doubtful."""
        return number in look.doubtful or any(p.settled for p in look.row[number + 1 :])

    def _take(self, place: RowCard, number: int, recorded: Sequence[Card], seen: set[Card]) -> bool:
        """Records one tracked card, or asks about it; returns whether it was recorded."""
        zone = self.watched_zone or ""
        if number < len(recorded) and recorded[number] not in seen:
            old = recorded[number]
            n = self._event_with(old)
            if n:
                self.pending = Pending(place.card, place.confidence, zone, (), n, old)
                return False
        sighting = SeenCard(place.card, zone, place.confidence, place.alternatives)
        proposals = self.referee.proposals(sighting)
        if not proposals:
            return False
        best = proposals[0]
        others = [p for p in proposals[1:] if p.event.args == best.event.args and p.error is None]
        if place.settled and place.confidence >= SURE and best.is_clean and not others:
            comment = f"camera {place.confidence:.2f}"
            return self.do(evolve(best.event, comment=comment))
        self.pending = Pending(place.card, place.confidence, zone, proposals)
        return False

    def _event_with(self, card: Card) -> int:
        """Number of the standing event that names a card, 0 where none does."""
        for event in reversed(self.referee.events):
            if event.is_public and card in event.args:
                return event.n
        return 0

    # -- what waits for a person -------------------------------------------------------------

    def accept_pending(self, card: Card | None = None) -> bool:
        """Records what was seen, or another card in its place."""
        pending = self.pending
        if pending is None:
            return False
        chosen = card or pending.card
        if pending.is_early:
            self.start_anyway()
            return True
        if pending.replaces:
            done = self.replace(pending.replaces, chosen)
        elif pending.zone == self.watched_zone or not pending.proposals:
            done = self.tap(chosen, pending.zone)
        else:
            done = self.do(_with_card(pending.proposals[0].event, pending.card, chosen))
        if done:
            if chosen is not pending.card:
                self._dismissed.add(pending.card)
            self.pending = None
        return done

    def dismiss_pending(self) -> None:
        """What was seen is not so."""
        pending = self.pending
        if pending is None:
            return
        if pending.is_early:
            self._was_waved = True
        elif pending.zone == self.watched_zone:
            self._dismissed.add(pending.card)
        else:
            self._waved.add(pending.key)
        self.pending = None

    def replacing(self, n: int, card: Card) -> Event | None:
        """The correction by which a standing event names another card; None without the event."""
        event = next((e for e in self.referee.events if e.n == n), None)
        if event is None:
            return None
        args = tuple(card if isinstance(arg, Card) else arg for arg in event.args)
        new = evolve(event, args=args, comment="")
        seat = event.seat if event.audience else None
        return Event(CORRECT, (n, new), seat, event.audience)

    def replace(self, n: int, card: Card) -> bool:
        """Corrects the card of a standing event."""
        event = next((e for e in self.referee.events if e.n == n), None)
        if event is None:
            return False
        args = tuple(card if isinstance(arg, Card) else arg for arg in event.args)
        old = [arg for arg in event.args if isinstance(arg, Card)]
        try:
            self.referee.correct(n, evolve(event, args=args, comment=""))
        except CompanionError as error:
            self.message = texts.told(error.message)
            return False
        self._dismissed.update(old)
        self._dismissed.discard(card)
        self.message = ""
        return True

    def _drop_stale_pending(self) -> None:
        if self.pending is not None and self.pending.card in self._recorded():
            self.pending = None


def _with_card(event: Event, old: Card, new: Card) -> Event:
    """The event with one of its cards replaced."""

    def swapped(arg: Any) -> Any:
        if isinstance(arg, tuple):
            return tuple(new if card is old else card for card in arg)
        return new if arg is old else arg

    return evolve(event, args=tuple(swapped(arg) for arg in event.args))
