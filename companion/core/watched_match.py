"""A match in front of a camera: what is sure is recorded, the rest is put to people.

This is the only way from sightings to events. The terminal, the app and a host's table all use it;
they differ only in how a question is shown and answered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from companion.cards import Card
from companion.core.acceptance import Decision, Judged, LiveSighting, judge, judge_all, spent_by
from companion.core.events import CORRECT, Event
from companion.core.fronts import Fronts
from companion.core.game import Game
from companion.core.guidance.generic import guidance_of
from companion.core.guidance.steps import Guidance
from companion.core.question import Seen, SightingQuestion, laid_by, with_card
from companion.core.referee import Referee
from companion.core.sightings import Proposal, SeenCard
from companion.core.state import Zone, ZoneKind, evolve
from companion.core.verb import Who

#: The last match's cards are gathered once none of them was in sight in this many messages.
_GATHERED = 6
#: A place of a row that is still unsettled after so many seconds is asked about; the trackers
#: settle a clear card in about half of that.
_ASK_AFTER = 1.2


def begins_play(game: Game[Any], event: Event) -> bool:
    """Whether an event is one that ends the time for secret entries, where some are due."""
    verb = game.verbs.get(event.verb)
    is_play = verb is not None and (verb.who is not Who.TABLE or bool(event.args))
    return event.is_public and is_play


class WatchedMatch:
    """A match in play in front of a camera.

    Args:
        referee: returns the match's referee of this moment.
        record: records an event; returns whether it was accepted.
        guidance: returns what everybody is told now; by default worked out from the public view.
        asks_to_start: whether to ask people before cards count that lie there while a secret entry
            is still due. If not, such cards count.
    """

    def __init__(
        self,
        referee: Callable[[], Referee[Any]],
        record: Callable[[Event], bool],
        *,
        guidance: Callable[[], Guidance] | None = None,
        asks_to_start: bool = True,
    ) -> None:
        self._referee, self._record = referee, record
        self._guidance = guidance or self._public_guidance
        self._asks_to_start = asks_to_start
        self.question: SightingQuestion | None = None
        self._dismissed: set[Card] = set()
        self._waved: set[Seen] = set()
        self._spent: set[tuple[object, ...]] = set()
        self._judged: tuple[object, ...] = ()
        #: How many lines there were when people started although something secret is missing.
        self._started = -1
        #: Messages in a row in which no card to be gathered was in sight.
        self._bare = 0
        self._fronts = Fronts(len(referee().setup.players))
        self._is_early = self._was_waved = False
        #: Whether people were asked again once everybody had written.
        self._asked_again = False
        self._gathering = self._left_lying()

    @property
    def is_gathering(self) -> bool:
        """Whether cards that do not count still lie there; until they are gone, none counts."""
        return bool(self._gathering)

    @property
    def is_waiting_to_start(self) -> bool:
        """Whether cards lie there that were laid before play began."""
        return self._is_early

    # -- before play starts ------------------------------------------------------------------

    def is_early(self, event: Event) -> bool:
        """Whether an event would begin play before what is secret was written or recorded."""
        return self._waits_for_secrets and begins_play(self._referee().game, event)

    def start_anyway(self) -> None:
        """Play starts although something secret is missing, or with what lay there before.

        It holds for the next line: once that is taken back, or somebody has written instead, people
        are asked again.
        """
        self._started = self._referee().stands
        self._let_go()

    @property
    def _waits_for_secrets(self) -> bool:
        if not self._asks_to_start or self._started == self._referee().stands:
            return False
        return bool(self._guidance().due)

    # -- what people do ----------------------------------------------------------------------

    def new_match(self, lying: Collection[Card]) -> None:
        """Another match has begun; what lay there at the end of the last one is gathered first."""
        self._gathering, self._bare = frozenset(lying), 0
        self._is_early = self._was_waved = False
        self._forget_answers()

    def settled_by_hand(self, card: Card) -> None:
        """People say that a card lies there; this overrides what was said before."""
        self._dismissed.discard(card)

    def set_aside(self, cards: Iterable[Card]) -> None:
        """What is read as these cards is something else, or was taken back: not to be recorded."""
        self._dismissed.update(cards)
        self._judged = ()

    def look_again(self) -> None:
        """Considers everything again that was dismissed."""
        self._is_early = self._was_waved = False
        self._gathering = frozenset()
        self._forget_answers()

    def wave_aside(self) -> None:
        """The question is answered with no."""
        question, self.question = self.question, None
        if question is None:
            return
        if question.is_early:
            self._was_waved, self._asked_again = True, not self._waits_for_secrets
        elif question.zone in self._rows:
            self._dismissed.add(question.card)
        else:
            self._waved.add(question.key)

    def taken_back(self, before: Collection[Card]) -> None:
        """Something was undone: the camera does not record the same cards again.

        Args:
            before: the cards that lay on the table before.
        """
        after = {card for zone in self._zones for card in zone.cards}
        self._dismissed |= set(before) - after
        self._let_go()
        self.question, self._judged = None, ()

    def _let_go(self) -> None:
        """Nothing has to be gathered any more."""
        self._gathering = frozenset()
        self._is_early = False
        if self.question is not None and self.question.is_early:
            self.question = None

    def _forget_answers(self) -> None:
        self._dismissed.clear()
        self._waved.clear()
        self.question, self._judged = None, ()

    # -- what the eyes see -------------------------------------------------------------------

    def see(
        self, seen: Sequence[LiveSighting], *, now: float, in_sight: Collection[Card]
    ) -> tuple[Judged, ...]:
        """Takes in all that lies on the table.

        What is sure, legal, contradicts nothing and can mean nothing else is recorded; the first
        other thing becomes `question`.

        Args:
            seen: what lies there and what was turned over, rows in their order.
            now: the time, in seconds.
            in_sight: the cards that this very frame shows.

        Returns:
            What was recorded, in order, then what is open; empty if nothing is new.
        """
        if self._gathering:
            self._ask_again(seen)
            self._gather(in_sight, seen)
            return ()
        early = self._early(seen)
        if early:
            self._ask_to_start(early)
            return ()
        seen = self._with_seats(seen)
        what = self._what(seen, now)
        if what == self._judged:
            return ()
        done: list[Judged] = []
        while True:
            found = self._judge(seen, now)
            sure = next((one for one in found if one.verdict is Decision.ACCEPTED), None)
            if sure is None or not self._accept(sure):
                break
            done.append(sure)
            if self._gathering:
                return tuple(done)
        self._judged = self._what(seen, now)
        # Whoever records says why something could not be recorded; it is no question.
        self._ask([one for one in found if one.verdict is not Decision.ACCEPTED])
        return (*done, *found)

    def _with_seats(self, seen: Sequence[LiveSighting]) -> list[LiveSighting]:
        """Says of each card in front of whom it lies, once it is known who laid the others."""
        spots = {s.card: s.spot for s in seen if s.spot is not None}
        if not spots:
            return list(seen)
        events = self._referee().events[::-1]
        self._fronts.learn(events, spots)
        seats = self._fronts.seats_at([s.spot for s in seen if s.spot is not None], events)
        return [s if s.spot is None else evolve(s, seats=seats[s.spot]) for s in seen]

    def _accept(self, judged: Judged) -> bool:
        sure = judged.sighting.confidence
        done = self._record(evolve(judged.best.event, comment=f"camera {sure:.2f}"))
        if done:
            self._spent.add(spent_by(judged.sighting))
        return done

    def _what(self, seen: Sequence[LiveSighting], now: float) -> tuple[object, ...]:
        """All that a judgement depends on; while it is the same nothing is judged again."""
        state = (self._referee().stands, len(self._dismissed), len(self._waved))
        signs = ((s.card, s.zone, s.change, s.seats, s.settled, _waited(s, now)) for s in seen)
        return (*state, *signs, *(round(s.confidence, 2) for s in seen))

    def _judge(self, seen: Sequence[LiveSighting], now: float) -> list[Judged]:
        """Everything that is neither recorded nor dismissed, rows first."""
        referee, rows = self._referee(), self._rows
        found = [
            judged
            for name, recorded in rows.items()
            if (judged := self._next_in_row([s for s in seen if s.zone == name], recorded, now))
        ]
        others = [s for s in seen if s.zone and s.zone not in rows and not self._is_waved(s)]
        lying = judge_all(referee, others, now=now, spent=self._spent)
        return [*found, *sorted(lying, key=lambda one: one.verdict is not Decision.ACCEPTED)]

    def _next_in_row(
        self, row: Sequence[LiveSighting], recorded: Sequence[Card], now: float
    ) -> Judged | None:
        """The first card of a row that is not recorded yet; those behind it wait for it."""
        there = {seen.card for seen in row}
        for number, seen in enumerate(row):
            if seen.card in recorded or seen.card in self._dismissed:
                continue
            if not (seen.settled or _waited(seen, now) or any(s.settled for s in row[number:])):
                return None
            if number < len(recorded) and recorded[number] not in there:
                replaced = self._event_with(recorded[number])
                if replaced:
                    return self._correction(seen, replaced, recorded[number])
            # How long a card has lain there plays no part: its place tells when it was laid.
            return judge(seen, self._referee().proposals(seen))
        return None

    def _correction(self, seen: LiveSighting, n: int, old: Card) -> Judged:
        """The question whether a card is another one than the public event says."""
        event = next(event for event in self._referee().events if event.n == n)
        new = evolve(with_card(event, old, seen.card), comment="")
        proposal = Proposal(Event(CORRECT, (n, new)), seen.confidence)
        return Judged(seen, Decision.ASK, (proposal,), seen.confidence, n, old)

    def _is_waved(self, seen: LiveSighting) -> bool:
        key = (seen.card, seen.zone, str(seen.change))
        return seen.card in self._dismissed or key in self._waved

    def _ask(self, found: Sequence[Judged]) -> None:
        """Puts the first open thing to people."""
        if not found:
            self.question = None
            return
        question = self._question(found[0])
        old = self.question
        if old is None or (old.key, old.why) != (question.key, question.why):
            self.question = question

    def _question(self, judged: Judged) -> SightingQuestion:
        seen = judged.sighting
        replaced, old = judged.replaces, judged.old
        if not replaced and seen.was is not None:
            replaced, old = self._event_with(seen.was), seen.was
        card, sure = _least_sure(judged)
        return SightingQuestion(
            card,
            sure,
            seen.zone,
            () if replaced else judged.proposals,
            replaced,
            old if replaced else None,
            str(seen.change),
        )

    def _event_with(self, card: Card) -> int:
        """Number of the public event that laid a card, 0 if none did.

        An event that only names the card that another one is laid on says nothing about it.
        """
        for event in reversed(self._referee().events):
            if event.is_public and laid_by(event) is card:
                return event.n
        return 0

    # -- cards that do not count -------------------------------------------------------------

    def _gather(self, in_sight: Collection[Card], seen: Iterable[LiveSighting]) -> None:
        """Waits until the cards that do not count were out of sight for a while."""
        there = any(card in self._gathering for card in in_sight)
        if self._is_early:
            there |= any(s.card in self._gathering for s in seen if s.zone in self._rows)
        self._bare = 0 if there else self._bare + 1
        if self._bare >= _GATHERED:
            self._was_waved = False
            self._let_go()

    def _early(self, seen: Sequence[LiveSighting]) -> list[LiveSighting]:
        """What lies there before everybody has written and could be recorded as it is."""
        if not self._waits_for_secrets:
            return []
        return [s for s in seen if s.zone and self._could_begin(s)]

    def _could_begin(self, seen: LiveSighting) -> bool:
        proposals = self._referee().proposals(SeenCard(seen.card, seen.zone, seen.confidence))
        return any(p.error is None and self.is_early(p.event) for p in proposals)

    def _ask_to_start(self, early: Sequence[LiveSighting]) -> None:
        """People say whether cards that lie there early count; until then none is recorded."""
        if self._was_waved:
            return
        self._gathering, self._bare = frozenset(seen.card for seen in early), 0
        self._is_early = True
        self._ask_early(early[0])

    def _ask_early(self, seen: LiveSighting) -> None:
        self.question = SightingQuestion(seen.card, seen.confidence, seen.zone, is_early=True)

    def _ask_again(self, seen: Iterable[LiveSighting]) -> None:
        """Cards that did not count yet may do so once everybody has written."""
        if self._asked_again or not (self._is_early and self._was_waved):
            return
        first = next((one for one in seen if one.zone and one.card in self._gathering), None)
        if first is not None and not self._waits_for_secrets:
            self._asked_again = True
            self._ask_early(first)

    def _left_lying(self) -> frozenset[Card]:
        """The last match's cards if a match is taken up before its first card was laid."""
        match = self._match
        if match < 2 or known_cards(self._zones):
            return frozenset()
        referee = self._referee()
        nodes = reversed(referee.nodes)
        last = next((node.state for node in nodes if node.state.table.match < match), None)
        if last is None:
            return frozenset()
        return known_cards(zone for zone in referee.game.zones(last) if zone.face_up)

    # -- what stands -------------------------------------------------------------------------

    def _public_guidance(self) -> Guidance:
        referee = self._referee()
        return guidance_of(referee.game, referee.view(None))

    @property
    def _match(self) -> int:
        number: int = self._referee().knowledge(None).table.match
        return number

    @property
    def _zones(self) -> tuple[Zone, ...]:
        referee = self._referee()
        return tuple(referee.game.zones(referee.knowledge(None)))

    @property
    def _rows(self) -> dict[str, tuple[Card, ...]]:
        """The rows that lie open, with the cards that are recorded in them."""
        return {z.name: z.cards for z in self._zones if z.kind is ZoneKind.ROW and z.face_up}


def known_cards(zones: Iterable[Zone]) -> frozenset[Card]:
    """Every particular card that lies in some zones."""
    return frozenset(card for zone in zones for card in zone.cards if card.is_known)


def _waited(seen: LiveSighting, now: float) -> bool:
    """Whether it has been unsettled for so long that people should look."""
    return not seen.settled and now - seen.since > _ASK_AFTER


def _least_sure(judged: Judged) -> tuple[Card, float]:
    """The card that people should look at: of several in one event the least sure one."""
    seen = judged.sighting
    together = [arg for arg in judged.best.event.args if isinstance(arg, tuple)]
    concerned = [pair for pair in seen.lying if together and pair[0] in together[0]]
    if concerned:
        return min(concerned, key=lambda pair: pair[1])
    named = [arg for arg in judged.best.event.args if isinstance(arg, Card)]
    if judged.verdict is Decision.ASK and named:
        return named[0], seen.confidence
    return seen.card, seen.confidence
