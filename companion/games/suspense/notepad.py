"""Suspense's notepad: a viewer's knowledge as facts, and its chances, reasons and advice."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from companion.cards import Card, Family
from companion.core.attempts import Attempt
from companion.core.events import Event
from companion.games.suspense.coach import advise, declaration, turn_options
from companion.games.suspense.engine import solve
from companion.games.suspense.engine.facts import SECRET, SuspenseKnowledge, in_play
from companion.games.suspense.engine.solve import SuspenseChances
from companion.games.suspense.state import SECRET as SECRET_ZONE
from companion.games.suspense.state import Stage, SuspenseState, play_zone
from companion.notepad.base import NO_ADVICE, Advice
from companion.notepad.fact_pad import CardPad
from companion.notepad.facts import CardAt
from companion.phrases import N_, phrase


def knowledge_of(state: SuspenseState) -> SuspenseKnowledge:
    """Everything the state's owner knows, contradictions included."""
    players, seats = state.setup.players, range(len(state.setup.players))
    facts = sorted(_facts(state), key=lambda fact: fact.event)
    return SuspenseKnowledge(
        players,
        tuple(state.left(seat) for seat in seats),
        tuple(len(state.played[seat]) for seat in seats),
        tuple(facts),
        frozenset(players[seat] for seat in state.folded),
        state.conditions,
    )


def _facts(state: SuspenseState) -> Iterator[CardAt]:
    for seat, name in enumerate(state.setup.players):
        zone = play_zone(seat)
        for played in state.played[seat]:
            n = _event_of(state, played, zone)
            text = state.phrase("{name} played {played} ({n})", name=seat, played=played, n=n)
            yield CardAt(event=n, text=text, card=played, place=in_play(name))
        yield from _dealt(state, seat)
        shown = state.shown[seat]
        n = shown.n if shown is not None else state.hand_events[seat]
        cards = shown.cards if shown is not None else state.held[seat]
        words = N_("{name} turned up {card} ({n})") if shown else N_("{name} holds {card} ({n})")
        for held in cards or ():
            if held.is_known:
                text = state.phrase(words, name=seat, card=held, n=n)
                yield CardAt(event=n, text=text, card=held, place=name)
    secret, look = state.secret, state.look
    if secret is not None:
        n = _event_of(state, secret, SECRET_ZONE)
        text = state.phrase("the secret card is {secret} ({n})", secret=secret, n=n)
        yield CardAt(event=n, text=text, card=secret, place=SECRET)
    if look is not None and look.card is not None:
        words = N_("the dealer saw that the secret card is {card} ({n})")
        text = state.phrase(words, card=look.card, n=look.n)
        yield CardAt(event=look.n, text=text, card=look.card, place=SECRET)


def _dealt(state: SuspenseState, seat: int) -> Iterator[CardAt]:
    """Where the cards in play that a recorded hand held cannot have been: with anybody else.

    Playing them said that a second time; a reason may need the hand alone.
    """
    hand, n = state.hands[seat], state.hand_events[seat]
    mine = state.setup.players[seat]
    others = [name for name in state.setup.players if name != mine]
    places = [SECRET, *others, *map(in_play, others)]
    for card_ in state.played[seat] if n else ():
        if card_ in (hand or ()):
            for place in places:
                text = phrase("{name} was dealt {card} ({n})", name=mine, card=card_.code, n=n)
                yield CardAt(event=n, text=text, card=card_, place=place, holds=False)


def _event_of(state: SuspenseState, found: Card, zone: str) -> int:
    """The event that recorded a card in a zone; 0 where it was seen elsewhere since."""
    place = state.ledger.get(found)
    return place.n if place is not None and place.zone == zone else 0


class SuspensePad(CardPad[SuspenseState, SuspenseKnowledge, SuspenseChances]):
    """The secret card, the hidden hands, and fold against stay."""

    engine = solve
    family = Family.SUSPENSE
    own_places = (SECRET,)
    supposes: ClassVar[Mapping[str, tuple[str, str]]] = {
        SECRET: (
            N_("you suppose that the secret card is {card}"),
            N_("you suppose that the secret card is not {card}"),
        )
    }

    def known(self, state: SuspenseState, viewer: int | None) -> SuspenseKnowledge:
        return knowledge_of(state)

    def chances(self, *, strings: Sequence[str] = ()) -> dict[str, Any]:
        solved = self.solved
        found: dict[str, Any] = {
            "secret": {c.code: p for c, p in solved.secret.items()},
            "hands": {
                name: {c.code: p for c, p in solved.chances(name).items()}
                for name in self.hidden_hands()
            },
        }
        if self.viewer is not None:
            name = self.players[self.viewer]
            found["meets_if_revealed_now"] = solved.meets(name)
            found["expected_points"] = {
                "fold": solved.expected_points(name, stay=False),
                "stay": solved.expected_points(name, stay=True),
            }
        return found

    def columns(self) -> tuple[str, ...]:
        return (SECRET, *self.hidden_hands())

    def cards(self) -> tuple[Card, ...]:
        return tuple(sorted(self.knowledge.conditions))

    def advice(self) -> Advice:
        """What to play, or whether to fold."""
        if not self.worlds:
            return NO_ADVICE
        return advise(self.state, self.viewer, self.knowledge, self.solved)


notepad = SuspensePad.of


def coach_bot(
    state: SuspenseState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Plays for the greatest lead over the best opponent; folds when that brings more of a lead."""
    by_verb = {event.verb: event for event in actions}
    if not {"play", "pass", "stay"} & by_verb.keys():
        return rng.choice(actions)
    pad = SuspensePad(state, seat)
    if not pad.worlds:
        return actions[0]
    if state.stage is Stage.DECLARE:
        return by_verb[declaration(state, seat, pad.solved).verdict]
    lead = {
        option.action: round(option.lead, 9)
        for option in turn_options(state, seat, pad.knowledge, pad.solved)
    }

    def worth(event: Event) -> float:
        text = event.verb if event.verb != "play" else f"play {event.args[0].code}"
        return lead.get(text, -10.0)

    return max(actions, key=worth)


def attempts(before: SuspenseState, after: SuspenseState) -> Iterator[Attempt]:
    """Who stayed and, once the secret card lies open, met its condition or did not.

    Both states are what everybody knows. The secret card may be turned up some events before the
    match is scored (hands decide); the chance is that from before any of them, so it is worked out
    where the card was still hidden and otherwise left open.
    """
    if before.table.match_over or not after.table.match_over or after.condition is None:
        return
    solved = SuspensePad(before, None).solved if before.secret is None else None
    for seat in sorted(after.stayed):
        name = after.setup.players[seat]
        chance = solved.meets(name) if solved is not None and solved.worlds else None
        yield Attempt(seat, seat in after.table.match_winners, chance)
