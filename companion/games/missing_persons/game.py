"""Missing Persons behind the protocol that all games share."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import ClassVar

from companion.cards import Card, Change, card
from companion.core.events import Event, private, public
from companion.core.game import Bot, Game, unknowns
from companion.core.match import end_match
from companion.core.setup import COACH, STARTER, GameInfo, Option, OptionKind
from companion.core.sightings import Proposal, Sighting, readings
from companion.core.state import Zone, ZoneKind
from companion.core.unchecked import Unchecked
from companion.core.verb import Verb
from companion.games.missing_persons import dealing, scoring, simulation, turns
from companion.games.missing_persons.bots import random_bot, sensible_bot
from companion.games.missing_persons.state import (
    PILE,
    MissingState,
    Spot,
    display_zone,
    hideout,
    turned_zone,
)
from companion.phrases import N_

#: Chance of a card that the eyes did not think of.
_BARELY = 0.002


class MissingPersons(Game[MissingState]):
    """Yes/no questions about the card that the other player took."""

    info = GameInfo(
        name="missing-persons",
        title="Missing Persons",
        summary="Find the other's card by yes and no.",
        min_players=2,
        max_players=2,
        minutes=20,
        decks=("standard", "four-index", "french", "german", "dutch", "russian", "nordic"),
        table_widget="mobile.games.missing_persons:PersonsBoard",
    )
    #: Turning a suspect over is an event of its own.
    seen_changes = frozenset(Change)
    options = (
        STARTER,
        Option(
            "draw",
            "all",
            "After a Yes, cards are drawn onto all turned-over places, or one onto one of them.",
            OptionKind.CHOICE,
            ("all", "one"),
        ),
        Option(
            "questions",
            "plain",
            "Plain: no question may name a rank, a card, the joker or a royal's sex; any: every "
            "set of cards may be asked for; cryptic: any wording as well.",
            OptionKind.CHOICE,
            ("plain", "any", "cryptic"),
        ),
        Option(
            "jokers",
            "yes",
            "Whether a joker may be the missing person; it answers No to every question.",
            OptionKind.YES_NO,
        ),
        COACH,
    )
    bots: ClassVar[Mapping[str, Bot]] = {"random": random_bot, "sensible": sensible_bot}
    folder = __package__

    def own_verbs(self) -> Iterable[Verb[MissingState]]:
        return (*dealing.VERBS, *turns.VERBS, *scoring.VERBS)

    initial = staticmethod(MissingState.fresh)

    def awaits_answer(self, state: MissingState) -> bool:
        """A question or a guess waits."""
        return state.asked is not None or state.open_guess is not None

    def on_agree(self, state: MissingState, event: Event) -> MissingState:
        """A tie ends as a draw; a match that is running, without a winner."""
        drawn = (0, 1) if state.table.match_over else ()
        reason = N_("All agree on a draw.") if drawn else N_("All agreed to stop.")
        return end_match(state, reason, winners=drawn)

    def hand_size(self, state: MissingState, seat: int) -> int | None:
        """The missing person stands for a hand."""
        return 1

    def unchecked(self, state: MissingState) -> tuple[Unchecked, ...]:
        """Answers about missing persons that nobody has seen."""
        found = []
        for seat, guess in enumerate(reversed(state.guesses)):
            count = sum(reply.seat == seat for reply in state.replies)
            count += guess is not None and guess.right is False
            if count and not state.setup.trusted[seat] and state.person(seat) is None:
                found.append(Unchecked(seat, count, 1, one=True))
        return tuple(found)

    def zones(self, state: MissingState) -> tuple[Zone, ...]:
        """The missing persons, the face-up and the turned-over suspects, the pile."""
        zones = []
        for seat in (0, 1):
            known = state.person(seat)
            person = unknowns(1) if known is None else (known[0],)
            spots = state.displays[seat]
            over = tuple(c for spot in spots for c in (*spot.under, spot.card)[: _covered(spot)])
            up = state.shown[seat] is not None
            rows = (
                (hideout, N_("{name}'s missing person"), ZoneKind.SECRET, person, up),
                (
                    display_zone,
                    N_("{name}'s suspects"),
                    ZoneKind.DISPLAY,
                    state.suspects(seat),
                    True,
                ),
                (turned_zone, N_("{name}'s turned-over suspects"), ZoneKind.DISCARD, over, False),
            )
            zones += [
                Zone(zone(seat), state.phrase(text, name=seat), kind, seat, cards, face_up=face_up)
                for zone, text, kind, cards, face_up in rows
            ]
        pile = unknowns(max(0, state.pile))
        return (*zones, Zone(PILE, N_("the pile"), ZoneKind.PILE, None, pile, face_up=False))

    def actors(self, state: MissingState) -> tuple[int, ...]:
        """Who has to answer, guess or show; else the one to move, then the other (to guess)."""
        if state.table.match_over:
            return ()
        if not state.is_dealt:
            return tuple(seat for seat in (0, 1) if not state.hidden[seat])
        if state.asked is not None:
            return (1 - state.asked.seat,)
        if state.open_guess is not None:
            first = 1 - state.open_guess.seat
            second = state.guesses[first]
            both = second is not None and second.right is None
            return (first, 1 - first) if both else (first,)
        if state.wants_reveal:
            return state.wants_reveal
        mover = state.table.to_move
        if mover is None:
            return ()
        return (mover,) if state.forced else (mover, 1 - mover)

    def legal(self, state: MissingState, seat: int) -> Iterable[Event]:
        """Answers, guesses, draws (of cards not read yet); some questions; single turnings."""
        if state.table.match_over:
            return
        if not state.hidden[seat]:
            for person in self.all_cards(state.setup):
                if not person.is_joker or state.setup.is_on("jokers"):
                    yield private(seat, "hide", person)
        if not state.is_dealt:
            return
        if seat in state.wants_reveal:
            for person in state.hands[seat] or self.all_cards(state.setup):
                yield public(seat, "reveal", person)
        plain = (public(seat, verb) for verb in ("yes", "no", "right", "wrong", "done"))
        yield from (event for event in plain if self.can(state, event))
        yield from simulation.draws(state, seat)
        yield from self._questions(state, seat)
        yield from simulation.turnings(state, seat)
        if self.can(state, public(seat, "guess", card("AS"))):
            for guess in dict.fromkeys(c.identity for c in self.all_cards(state.setup)):
                yield public(seat, "guess", guess)

    def _questions(self, state: MissingState, seat: int) -> Iterable[Event]:
        """Some questions, if the seat may ask."""
        if self.can(state, public(seat, "ask", simulation.representative_questions()[0])):
            for question in simulation.representative_questions():
                yield public(seat, "ask", question)
            if state.setup.options["questions"] == "cryptic":
                yield public(seat, "ask cryptic", "Would your person stand out in a crowd?")

    def deal(self, state: MissingState, rng: random.Random) -> simulation.World:
        """Missing persons at random, then the displays, then the pile."""
        cards = list(self.all_cards(state.setup))
        rng.shuffle(cards)
        allowed = [c for c in cards if not c.is_joker or state.setup.is_on("jokers")]
        persons = tuple(allowed[:2])
        rest = tuple(c for c in cards if c not in persons)
        size = state.display_size
        return simulation.World(persons, (rest[:size], rest[size : 2 * size]), rest[2 * size :])

    def forced(
        self, state: MissingState, world: simulation.World, rng: random.Random
    ) -> Event | None:
        """The set-up, truthful answers, draws as soon as they are possible, turned-up cards."""
        if state.table.match_over:
            return None
        if not state.is_dealt or not all(state.hidden):
            return simulation.set_up(state, world)
        waiting = state.asked or state.open_guess
        if waiting is not None:
            seat = 1 - waiting.seat
            # The truth about a cryptic question is known to nobody here.
            return simulation.truth(state, seat, world.persons[seat]) or public(
                seat, "yes" if rng.random() < 0.5 else "no"
            )
        for seat in state.wants_reveal:
            return public(seat, "reveal", world.persons[seat])
        return simulation.draw(state, world, rng)

    def automatic(self, state: MissingState) -> Event | None:
        """A trusting player's true answer to a question or a guess."""
        if state.table.match_over:
            return None
        if state.asked is not None:
            return self._trusted(state, 1 - state.asked.seat)
        if state.open_guess is not None:
            waiting = [g for g in state.guesses if g is not None and g.right is None]
            answers = (self._trusted(state, 1 - guess.seat) for guess in waiting)
            return next((event for event in answers if event is not None), None)
        return None

    def _trusted(self, state: MissingState, seat: int) -> Event | None:
        hand = state.hands[seat]
        # A joker says No to a cryptic question. An answer at once would give it away.
        is_cryptic = state.asked is not None and state.asked.question is None
        if hand is None or is_cryptic or not state.setup.trusted[seat]:
            return None
        return simulation.truth(state, seat, hand[0])

    def proposals(self, state: MissingState, sighting: Sighting) -> tuple[Proposal, ...]:
        """A display was dealt, drawn onto or turned over; a missing person was turned up."""
        found: list[tuple[Event, float]] = []
        # Before the rules turn it up a card that is seen there is a secret, or something else.
        turns_up = (0, 1) if state.table.match_over else state.wants_reveal
        for seat in (0, 1):
            if sighting.zone == hideout(seat) and state.shown[seat] is None and seat in turns_up:
                found = [(public(seat, "reveal", c), p) for c, p in readings(sighting)]
            elif sighting.zone == display_zone(seat):
                found = _on_display(state, seat, sighting)
        return tuple(Proposal(event, confidence) for event, confidence in found)


def _covered(spot: Spot) -> int:
    """How many cards of a place are turned over or beneath."""
    return len(spot.under) + (not spot.up)


def _on_display(state: MissingState, seat: int, sighting: Sighting) -> list[tuple[Event, float]]:
    card, sure = sighting.card, sighting.confidence
    if not state.displays[seat]:
        return _deal(state, seat, sighting)
    up = card in state.suspects(seat)
    if sighting.change == Change.TURNED_OVER:
        return [(public(seat, "turn", (card,)), _turned(state, seat, sighting))] if up else []
    if up:
        return []
    if any(card is spot.card and not spot.up for spot in state.displays[seat]):
        # Only seen to be turned up: eyes that never saw it turned over take nothing back.
        up_again = sighting.change == Change.TURNED_UP
        return [(public(seat, "unturn", (card,)), sure)] if up_again else []
    return _draw(state, seat, sighting)


def _turned(state: MissingState, seat: int, sighting: Sighting) -> float:
    """How sure it is which suspect was turned over.

    It lay face up among the others, and those that still lie there were not turned over.
    """
    lying = {card for card, _ in sighting.lying}
    if not lying:
        return sighting.confidence
    rest = dict(readings(sighting))
    others = [card for card in state.suspects(seat) if card not in lying]
    whole = sum(rest.get(card, _BARELY) for card in others)
    return max(sighting.confidence, rest[sighting.card] / whole) if whole > 0 else 0.0


def _deal(state: MissingState, seat: int, sighting: Sighting) -> list[tuple[Event, float]]:
    """The whole display at once, as soon as it lies there."""
    if len(sighting.lying) != state.display_size:
        return []
    cards = tuple(card for card, _ in sighting.lying)
    return [(public(None, "deal", seat, cards), min(sure for _, sure in sighting.lying))]


def _draw(state: MissingState, seat: int, sighting: Sighting) -> list[tuple[Event, float]]:
    """Cards drawn onto turned-over places: one by one, or all of a Yes together."""
    mover, count = state.table.to_move, state.to_draw(seat)
    if state.setup.options["draw"] == "one":
        places = [state.displays[seat][i].card for i in state.turned(seat)]
        return [
            (public(seat, "draw", seen, place), sure)
            for seen, sure in readings(sighting)
            for place in places
        ]
    new = [(c, p) for c, p in sighting.lying if c not in state.suspects(seat)]
    expected = mover == seat and state.may_draw and count > 0
    if expected and len(new) < count and sighting.lying:
        return []
    if len(new) > 1:
        cards = tuple(card for card, _ in new)
        return [(public(seat, "draw", cards), min(sure for _, sure in new))]
    rest: tuple[Card, ...] = unknowns(max(0, count - 1))
    return [(public(seat, "draw", (seen, *rest)), sure) for seen, sure in readings(sighting)]


GAME = MissingPersons()
