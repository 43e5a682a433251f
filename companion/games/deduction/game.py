"""Deduction behind the protocol that all games share."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from companion.cards import Card, Family, card, family_cards, unknown
from companion.core.acceptance import ACCEPT
from companion.core.events import Event, private, public
from companion.core.game import Bot, Game, dealt, hand_as_zone, unknowns
from companion.core.setup import COACH, STARTER, GameInfo, Setup
from companion.core.sightings import Proposal, Sighting, readings
from companion.core.state import Zone, ZoneKind, hand_zone
from companion.core.unchecked import Unchecked
from companion.core.verb import Verb
from companion.games.deduction import rules, scoring
from companion.games.deduction.bots import rash_bot, sensible_bot
from companion.games.deduction.engine.facts import face_words
from companion.games.deduction.state import (
    BAG,
    CENTRE,
    COIN,
    COINS,
    FACES,
    LAST_ONE_WINS,
    MISSING_ZONE,
    ONE_OF_FACE,
    SHOWN,
    DeductionState,
    Question,
)
from companion.phrases import N_, Name, phrase


@dataclass(frozen=True, slots=True)
class World:
    """Where every tile of a match physically is."""

    hands: tuple[tuple[Card, ...], ...]
    up: tuple[Card, ...]
    missing: Card


class Deduction(Game[DeductionState]):
    """Questions about what the others hold, until somebody names the missing tile."""

    info = GameInfo(
        name="deduction",
        title="Deduction",
        summary="Ask who holds what; find the missing tile.",
        min_players=3,
        max_players=5,
        minutes=40,
        decks=("piecepack-tiles", "piecepack-coins"),
    )
    options = (STARTER, LAST_ONE_WINS, SHOWN, COACH)
    family = Family.TILE
    begins = N_("Match {match}: {name} draws first.")
    bots: ClassVar[Mapping[str, Bot]] = {"random": rash_bot, "sensible": sensible_bot}
    folder = __package__

    def unchecked(self, state: DeductionState) -> tuple[Unchecked, ...]:
        """Answers about hands that nobody has seen."""
        found = []
        for seat in range(len(state.hands)):
            count = sum(q.of == seat and bool(q.answer) for q in state.questions)
            if count and not state.setup.trusted[seat] and state.whole_hand(seat) is None:
                found.append(Unchecked(seat, count, state.hand_size))
        return tuple(found)

    def told(self, setup: Setup, event: Event) -> str:
        """A question as people say it."""
        if event.verb != "ask" or event.seat is None or event.hidden:
            return ""
        of, kind, what = event.args
        if None in event.args:
            return ""
        names = {"name": Name(setup.players[event.seat]), "other": Name(setup.players[of])}
        face = FACES[what]
        if kind == "count":
            text = N_("{name} asks {other}: how many {faces}?")
            return phrase(text, faces=face_words(face), **names)
        text = N_("{name} asks {other}: is there {one}?")
        return phrase(text, one=ONE_OF_FACE[face.code], **names)

    def own_verbs(self) -> Iterable[Verb[DeductionState]]:
        return (*rules.VERBS, *scoring.VERBS)

    def initial(self, setup: Setup) -> DeductionState:
        return scoring.initial(setup, self.all_cards(setup))

    on_hand = staticmethod(rules.on_hand)
    verify_reveal = staticmethod(rules.verify_reveal)
    on_reveal = staticmethod(rules.on_reveal)

    def hand_size(self, state: DeductionState, seat: int) -> int | None:
        return state.hand_size

    def verify_hand(self, state: DeductionState, event: Event) -> None:
        """Only tiles in play."""
        rules.verify_tiles(state, event.args[0])

    def gone_from_hand(self, state: DeductionState, seat: int) -> frozenset[Card]:
        """Tiles already seen in the hand, which they never leave."""
        return frozenset(state.known_tiles(seat))

    def on_agree(self, state: DeductionState, event: Event) -> DeductionState:
        """All stop: nobody wins."""
        return scoring.finish(state, N_("All agreed to stop: nobody wins."), ())

    def awaits_answer(self, state: DeductionState) -> bool:
        """A question or an announcement waits."""
        if state.table.match_over:
            return False
        question = state.question
        return state.announced is not None or (question is not None and not question.answer)

    def automatic(self, state: DeductionState) -> Event | None:
        """True answers, the only tile that can be shown, and verdicts, from trusted hands."""
        if state.table.match_over:
            return None
        if state.announced is not None:
            truth = scoring.trusted_verdict(state)
            return None if truth is None else public(None, "right" if truth else "wrong")
        question = state.question
        if question is None or not state.setup.trusted[question.of]:
            return None
        hand = state.held[question.of]
        if hand is None or not all(tile.is_known for tile in hand):
            return None
        matching = [tile for tile in hand if question.face.matches(tile)]
        if not question.answer:
            return _answer(question, len(matching))
        if question.must_show and len(matching) == 1:
            return private(question.of, "show", matching[0], other=question.by)
        return None

    def zones(self, state: DeductionState) -> tuple[Zone, ...]:
        """The tiles turned up, the missing one, the hands, the coins."""
        up = state.up if state.up is not None else unknowns(state.left_over, Family.TILE)
        missing = _missing_known(state)
        coin = () if state.coin is None else (state.coin,)
        bag = unknowns(COINS - len(coin), Family.COIN)
        kinds = ZoneKind
        zones = [
            Zone(CENTRE, "the tiles turned up", kinds.DISPLAY, None, up, face_up=True),
            Zone(MISSING_ZONE, "the missing tile", kinds.SECRET, None, (missing,), face_up=False),
            Zone(COIN, N_("the drawn coin"), kinds.DISPLAY, None, coin, face_up=True),
            Zone(BAG, N_("the bag of coins"), kinds.PILE, None, bag, face_up=False),
        ]
        for seat in range(len(state.setup.players)):
            held = state.held[seat]
            if held is None:
                known = state.known_tiles(seat)[: state.hand_size]
                held = known + unknowns(state.hand_size - len(known), Family.TILE)
            zones.append(hand_as_zone(state, seat, tuple(sorted(held))))
        return tuple(zones)

    def standing(self, state: DeductionState, seat: int) -> str:
        """Whether a player has announced wrongly, and only answers from then on."""
        return N_("out, still answers") if seat in state.out else ""

    def actors(self, state: DeductionState) -> tuple[int, ...]:
        """The one who answers or shows, else the one whose turn it is."""
        if state.table.match_over:
            return ()
        question = state.question
        if question is not None and (not question.answer or question.must_show):
            return (question.of,)
        return super().actors(state)

    def legal(self, state: DeductionState, seat: int) -> Iterable[Event]:
        """Every coin, question, answer, matching tile, and every tile not seen to announce."""
        if state.table.match_over:
            return
        question = state.question
        if question is not None and (not question.answer or question.must_show):
            if question.of == seat:
                yield from _replies(state, question)
            return
        if state.table.to_move == seat and state.announced is None:
            yield from self._own_turn(state, seat)

    def _own_turn(self, state: DeductionState, seat: int) -> Iterable[Event]:
        """What the one whose turn it is may do next."""
        if state.coin is None:
            if not state.setup.trusted[seat] or state.hands[seat] is not None:
                yield from (public(seat, "coin", coin) for coin in family_cards(Family.COIN))
        elif state.may_ask:
            for other in range(len(state.setup.players)):
                for kind in ("have", "count") if other != seat else ():
                    for what in rules.coin_faces(state.coin):
                        yield public(seat, "ask", other, kind, what)
        else:
            yield public(seat, "done")
            unseen = [tile for tile in state.deck if tile not in state.ledger]
            yield from (public(seat, "announce", tile) for tile in unseen)

    def deal(self, state: DeductionState, rng: random.Random) -> World:
        """The missing tile, the hands, and what is left over."""
        deck = list(state.deck)
        rng.shuffle(deck)
        missing, *rest = deck
        size, count = state.hand_size, len(state.setup.players)
        return World(dealt(rest, size, count), tuple(sorted(rest[count * size :])), missing)

    def forced(self, state: DeductionState, world: World, rng: random.Random) -> Event | None:
        """The deal, the coin, truthful answers, the peek and the verdict."""
        if state.table.match_over:
            return None
        if state.up is None and world.up:
            return public(None, "up", world.up)
        for seat, hand in enumerate(world.hands):
            if not state.hand_events[seat]:
                return private(seat, "hand", hand)
        if state.coin is None:
            assert state.table.to_move is not None
            return public(state.table.to_move, "coin", rng.choice(family_cards(Family.COIN)))
        item, question = state.announced, state.question
        if item is not None:
            if all(peek.by != item.by for peek in state.peeks):
                return private(item.by, "peek", world.missing)
            return public(None, "right" if item.tile is world.missing else "wrong")
        if question is not None and not question.answer:
            return _answer(question, sum(map(question.face.matches, world.hands[question.of])))
        return None

    def proposals(self, state: DeductionState, sighting: Sighting) -> tuple[Proposal, ...]:
        """The coin drawn, the tiles left over, the tile shown, the missing tile."""
        found: list[Proposal] = []
        mover, item, question = state.table.to_move, state.announced, state.question
        for seen, confidence in readings(sighting):
            if sighting.zone == COIN and mover is not None and seen.family is Family.COIN:
                whole, sure = _whole_coin(seen, sighting.upon)
                coins = [coin for coin in family_cards(Family.COIN) if whole.matches(coin)]
                share = confidence * sure / len(coins)
                found += [Proposal(public(mover, "coin", coin), share) for coin in coins]
            elif seen.family is not Family.TILE:
                continue
            elif sighting.zone == CENTRE and state.up is None and state.left_over == 1:
                found.append(Proposal(public(None, "up", (seen,)), confidence))
            elif sighting.zone == MISSING_ZONE and item is not None:
                verdict = "right" if seen is item.tile else "wrong"
                found.append(Proposal(public(None, verdict), confidence))
            elif (
                question is not None
                and question.must_show
                and sighting.zone == hand_zone(question.by)
            ):
                event = private(question.of, "show", seen, other=question.by)
                found.append(Proposal(event, confidence))
        return (*found, *_turned_up(state, sighting))

    def opening(self, state: DeductionState) -> str:
        """The missing tile and the deal; see `Game.opening`."""
        return state.phrase(
            "Set one tile aside that nobody sees, and deal {count} to each.", count=state.hand_size
        )


def _whole_coin(face: Card, upon: tuple[Card, float] | None) -> tuple[Card, float]:
    """A coin by both its faces and the other one's chance, if that lay there; else the face.

    A face that is as sure as any card has to be is believed, and its doubt not counted twice.
    """
    other, sure = upon if upon is not None else (face, 1.0)
    if other.family is not Family.COIN or (face.suit is None) == (other.suit is None):
        return face, 1.0
    suit, value = (other, face) if face.suit is None else (face, other)
    whole = card(f"{value.rank_text}{suit.suit}", Family.COIN)
    return whole, 1.0 if sure >= ACCEPT else sure


def _turned_up(state: DeductionState, sighting: Sighting) -> tuple[Proposal, ...]:
    """The tiles left over, as soon as all of them lie in the centre."""
    tiles = tuple(card for card, _ in sighting.lying if card.family is Family.TILE)
    due = sighting.zone == CENTRE and state.up is None and state.left_over > 1
    if not due or len(tiles) != state.left_over:
        return ()
    least = min(sure for card, sure in sighting.lying if card in tiles)
    return (Proposal(public(None, "up", tiles), least),)


def _answer(question: Question, number: int) -> Event:
    """The answer to a question from the number of matching tiles."""
    if question.count:
        return public(question.of, "number", number)
    return public(question.of, "yes" if number else "no")


def _replies(state: DeductionState, question: Question) -> Iterable[Event]:
    """What the one who was asked may answer or show; the truth if the hand is known."""
    hand = state.whole_hand(question.of)
    matching = [tile for tile in hand or () if question.face.matches(tile)]
    if question.must_show:
        shown = matching or [unknown(Family.TILE)]
        yield from (private(question.of, "show", tile, other=question.by) for tile in shown)
    elif hand is not None:
        yield _answer(question, len(matching))
    elif not state.setup.trusted[question.of]:
        high = state.hand_size if question.count else 1
        yield from (_answer(question, number) for number in range(high + 1))


def _missing_known(state: DeductionState) -> Card:
    """The missing tile if the state's owner saw it."""
    for item in state.announcements:
        if item.right and item.tile not in state.ledger:
            return item.tile
    for peek in state.peeks:
        if peek.tile is not None and not peek.doubted and peek.tile not in state.ledger:
            return peek.tile
    return unknown(Family.TILE)


GAME = Deduction()
