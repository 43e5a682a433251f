"""View-model of a table before eyes: what they propose, what waits for a person.

Plain Python, no window; knows no game by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from companion.cards import Card
from companion.core.acceptance import Judged, Verdict, judge_all
from companion.core.events import Event
from companion.core.game import Game
from companion.core.setup import Setup
from companion.core.sightings import Proposal, SeenCard
from companion.core.state import evolve
from companion.core.verb import Who
from companion.errors import CompanionError
from mobile.model.camera_worker import Look
from mobile.model.played import Played
from mobile.resources import texts
from vision.grow import RowCard
from vision.types import Sighting

#: A reading at least this sure is recorded by itself where nothing else is legal.
SURE = 0.9
#: The last match's cards are gathered once none of them was read in so many messages.
_GATHERED = 6
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


class Table(Played):
    """One session at a table that eyes may watch.

    Args:
        game: the game.
        setup: its settings.
        session: the session that keeps every event; None where nothing is kept.
        journal: the journal it is in.
    """

    def __init__(
        self, game: Game[Any], setup: Setup, session: Any = None, journal: Any = None
    ) -> None:
        super().__init__(game, setup, session, journal)
        self.pending: Pending | None = None
        self._dismissed: set[Card] = set()
        self._waved: set[Seen] = set()
        self._judged: tuple[object, ...] = ()
        #: The match in which people said that play starts though something secret is missing.
        self._started = 0
        self._is_early = self._was_waved = False
        self._bare = 0
        self._gathering = self._left_lying()

    @property
    def is_gathering(self) -> bool:
        """Whether the last match's cards still lie there; until they are gone nothing is taken."""
        return bool(self._gathering)

    @property
    def is_waiting_to_start(self) -> bool:
        """Whether cards lie there that were laid before play began."""
        return self._is_early

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

    # -- what people do ----------------------------------------------------------------------

    def _goes_on(self, lying: frozenset[Card], *, is_new: bool) -> None:
        """What lay there at the end of a match is gathered before the next one is watched."""
        if is_new:
            self._gathering, self._bare = lying, 0
            self._is_early = self._was_waved = False
            self._forget_answers()
        self._drop_stale_pending()

    def tap(self, card: Card, zone: str | None = None) -> bool:
        """Records a card that somebody tapped in, in whichever place it can lie now."""
        event = self.meaning(card, zone)
        if event is None:
            return False
        self._dismissed.discard(card)
        return self.do(event)

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
