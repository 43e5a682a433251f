"""How matches look on a filmed table: who lays what where, game by game."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from calibration.live_reader import TableReader, deck_on_table
from calibration.printing.curves import rasterised
from calibration.printing.faces import printable
from companion.cards import Card, Family
from companion.core.events import Event, public
from companion.core.game import Game
from companion.core.layout import Corners, layout
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.setup import Setup
from companion.decks import Deck, get_deck
from companion.games.suspense.conditions import captions
from models.films.pieces import BACK, Art, Pieces
from models.films.table import Item, Side, TableFilm
from models.synth.layouts import Placement
from vision.protocols import CardReader
from vision.reader import Reader

STANDARD = get_deck()
Box = tuple[float, float, float, float]
Frames = Iterator[Any]


class Stage:
    """One game on a filmed table.

    Args:
        rng: the source of chance.
        art: what standard decks look like.
    """

    #: Half the width and height of the table that the camera has in view, millimetres.
    half = (330.0, 185.0)
    seats = ("Ann", "Bo")
    #: Where they sit.
    sides: Sequence[Side] = (Side.NEAR, Side.FAR)
    #: Verbs of public events that are seen; all others are said.
    seen: frozenset[str] = frozenset()
    name = ""

    def __init__(self, rng: np.random.Generator, art: Art) -> None:
        self.rng, self.count = rng, Counter[str]()
        self.game: Game[Any] = get_game(self.name)
        self.referee: Referee[Any] = Referee(self.game, self.setup())
        self.pieces = self.choose(art)
        places = layout(self.game.zones(self.referee.knowledge(None)))
        self.zones: Mapping[str, Corners | None] = places
        self.boxes = {name: self._box(corners) for name, corners in places.items()}
        self.film: TableFilm = TableFilm(
            rng, self.pieces, art.grounds, half=self.half, sides=self.sides
        )

    @classmethod
    def opened(cls) -> tuple[Deck, CardReader]:
        """The deck on the table and what reads it."""
        return STANDARD, Reader(threads=1, deck=STANDARD)

    def setup(self) -> Setup:
        """The match's set-up."""
        return self.game.setup(list(self.seats), {}, cards=STANDARD.cards[:52])

    def choose(self, art: Art) -> Pieces:
        """What is played with."""
        return Pieces.of_deck(art.decks[int(self.rng.integers(len(art.decks)))], self.rng)

    def open(self) -> None:
        """Lays out what lies there before the match."""

    def acts(self, event: Event) -> Sequence[Event]:
        """What people do one after the other to carry out an event."""
        return (event,)

    def after(self) -> Frames:
        """What people do with their pieces once something has been said."""
        return iter(())

    def said(self, event: Event) -> Frames:
        """What is seen of an event that is only said."""
        return iter(())

    def played(self, event: Event) -> Frames:
        """An event's play."""
        raise NotImplementedError

    # -- where people lay things ---------------------------------------------------------------

    def loose(self) -> float:
        """As exactly as people lay things, millimetres."""
        return float(self.rng.normal(0, 1.5))

    def next(self, spot: str) -> int:
        """Counts what was laid at a spot, from 0."""
        self.count[spot] += 1
        return self.count[spot] - 1

    def anybody(self) -> Side:
        """Where one sits of two who may do it."""
        return Side.FAR if self.rng.random() < 0.5 else Side.NEAR

    def row_in(self, zone: str, k: int, places: int) -> Placement:
        """One of so many places side by side in a zone."""
        x0, y0, x1, y1 = self.boxes[zone]
        x = x0 + (k + 0.5) * (x1 - x0) / places
        return Placement(x + self.loose(), (y0 + y1) / 2 + self.loose(), self.loose() * 0.015)

    def _box(self, corners: Corners | None) -> Box:
        """A zone of the picture as millimetres on the table."""
        x, y = self.half
        if corners is None:
            return (-x, -y, x, y)
        (left, top), _, (right, bottom), _ = corners
        return ((2 * left - 1) * x, (2 * top - 1) * y, (2 * right - 1) * x, (2 * bottom - 1) * y)


class Gotcha(Stage):
    """Guessed cards come to lie in the middle: spread out, as a cascade, or as a pile."""

    name, seen = "gotcha", frozenset({"right"})

    def setup(self) -> Setup:
        return self.game.setup(list(self.seats), {"deal": "13-1"}, cards=STANDARD.cards[:52])

    def open(self) -> None:
        self.style = str(self.rng.choice(["spread", "pile", "cascade"]))

    def played(self, event: Event) -> Frames:
        return self.film.lay(event.args[0].code, self._spot(), _across(event.seat))

    def _spot(self) -> Placement:
        k = self.next("pile")
        turn = float(self.rng.normal(0, 0.12))
        if self.style == "pile":
            x, y = self.rng.normal(0, 5, 2)
            return Placement(float(x), float(y), turn)
        if self.style == "cascade":
            line, column = divmod(k, 12)
            return Placement(-200.0 + 30 * column + self.loose(), -60.0 + 70 * line, turn * 0.3)
        line, column = divmod(k % 15, 5)
        return Placement(-170.0 + 80 * column + self.loose(), -110.0 + 100 * line, turn)


class Precognition(Stage):
    """One row, from left to right."""

    name, seen = "precognition", frozenset({"place"})

    def setup(self) -> Setup:
        cards = tuple(STANDARD.cards[k] for k in self.rng.permutation(52)[:14])
        return self.game.setup(list(self.seats), {}, cards=cards)

    def played(self, event: Event) -> Frames:
        x = -230.0 + 26 * self.next("row") + self.loose()
        place = Placement(x, self.loose(), self.loose() * 0.015)
        return self.film.lay(event.args[0].code, place, _across(event.seat))


class MissingPersons(Stage):
    """Two lines of five suspects in front of each; turned over, and drawn onto."""

    name, seen = "missing-persons", frozenset({"deal", "turn", "unturn", "draw", "reveal"})
    half = (365.0, 206.0)

    def open(self) -> None:
        self.suspects: dict[Card, Item] = {}
        for seat in (0, 1):
            x0, y0, x1, y1 = self.boxes[f"hideout:{seat + 1}"]
            self.film.put(Item(BACK, Placement((x0 + x1) / 2, (y0 + y1) / 2, self.loose() * 0.02)))

    def acts(self, event: Event) -> Sequence[Event]:
        if event.verb in ("turn", "unturn"):
            return [public(event.seat, event.verb, (card,)) for card in event.args[0]]
        return (event,)

    def played(self, event: Event) -> Frames:
        if event.verb == "deal":
            seat, cards = event.args
            for card in cards:
                yield from self._lay(card, self._on_display(seat), seat)
            return
        seat = event.seat or 0
        if event.verb == "draw":
            turned = [i for c, i in self.suspects.items() if i.face == BACK and self._owns(c, seat)]
            for card, under in zip(event.args[0], turned, strict=False):
                here = Placement(under.place.x + self.loose(), under.place.y + self.loose(), 0.0)
                self._gone(under)
                yield from self._lay(card, here, seat)
        elif event.verb == "reveal":
            back = next(i for i in self.film.items if i.face == BACK and self._hides(i, seat))
            yield from self.film.turn(back, event.args[0].code, _across(seat))
        else:
            (card,) = event.args[0]
            face = BACK if event.verb == "turn" else card.code
            yield from self.film.turn(self.suspects[card], face, _across(seat))

    def _lay(self, card: Card, place: Placement, seat: int) -> Frames:
        yield from self.film.lay(card.code, place, _across(seat))
        self.suspects[card] = self.film.items[-1]

    def _owns(self, card: Card, seat: int) -> bool:
        return (self.suspects[card].place.y < 0) == (seat == 1)

    def _gone(self, item: Item) -> None:
        self.suspects = {card: i for card, i in self.suspects.items() if i is not item}

    def _hides(self, item: Item, seat: int) -> bool:
        x0, y0, x1, y1 = self.boxes[f"hideout:{seat + 1}"]
        return x0 < item.place.x < x1 and y0 < item.place.y < y1

    def _on_display(self, seat: int) -> Placement:
        x0, y0, x1, y1 = self.boxes[f"display:{seat + 1}"]
        line, column = divmod(self.next(f"display {seat}"), 5)
        x = x0 + (column + 0.5) * (x1 - x0) / 5
        y = y0 + (line + 0.5) * (y1 - y0) / 2
        return Placement(x + self.loose(), y + self.loose(), self.loose() * 0.01)


class Suspense(Stage):
    """Our printed cards, face up in front of each; the secret card in the middle is turned up."""

    name, seen = "suspense", frozenset({"play", "secret"})
    half = (340.0, 191.0)

    @classmethod
    def opened(cls) -> tuple[Deck, CardReader]:
        return _enrolled("suspense")

    def setup(self) -> Setup:
        return self.game.setup(list(self.seats), {"target": "1"})

    def choose(self, art: Art) -> Pieces:
        return _printed("suspense")

    def said(self, event: Event) -> Frames:
        if event.verb == "secret" and event.audience is not None:
            return self.film.lay(BACK, self.row_in("secret", 0, 1), _across(event.seat))
        return iter(())

    def played(self, event: Event) -> Frames:
        code = event.args[0].code
        if event.verb == "secret":
            back = next(item for item in self.film.items if item.face == BACK)
            return self.film.turn(back, code, _across(self.referee.state.table.starter))
        zone = f"play:{(event.seat or 0) + 1}"
        return self.film.lay(code, self.row_in(zone, self.next(zone), 6), _across(event.seat))


class Deduction(Stage):
    """Printed piecepack: tiles turned up, coins drawn and shown on both faces, the missing tile."""

    name, seen = "deduction", frozenset({"up", "coin", "right"})
    half = (165.0, 93.0)
    seats = ("Ann", "Bo", "Cy")

    @classmethod
    def opened(cls) -> tuple[Deck, CardReader]:
        return _enrolled("piecepack-tiles", "piecepack-coins")

    def setup(self) -> Setup:
        return self.game.setup(list(self.seats), {})

    def choose(self, art: Art) -> Pieces:
        return _printed("piecepack-tiles", "piecepack-coins")

    def open(self) -> None:
        self.missing = Item(BACK, self.row_in("missing", 0, 1))
        self.film.put(self.missing)

    def after(self) -> Frames:
        """A coin goes back into the bag after the answer."""
        coins = [item for item in self.film.items if "?" in item.face]
        if coins and self.referee.state.coin is None:
            return self.film.take(coins[0], self.anybody())
        return iter(())

    def played(self, event: Event) -> Frames:
        side = self.anybody()
        if event.verb == "up":
            for card in event.args[0]:
                spot = self.row_in("centre", self.next("centre"), len(event.args[0]))
                yield from self.film.lay(card.code, spot, side)
        elif event.verb == "coin":
            value, suit = f"{event.args[0].rank_text}?", f"?{event.args[0].suit}"
            turn = float(self.rng.uniform(0, 2 * np.pi))
            x0, y0, x1, y1 = self.boxes["coin"]
            x, y = self.rng.normal(0, 8, 2)
            spot = Placement((x0 + x1) / 2 + float(x), (y0 + y1) / 2 + float(y), turn)
            first, second = (value, suit) if self.rng.random() < 0.5 else (suit, value)
            yield from self.film.lay(first, spot, side)
            yield from self.film.still(float(self.rng.uniform(1.2, 2.0)))
            yield from self.film.turn(self.film.items[-1], second, side)
        else:
            announced = self.referee.state.announced
            yield from self.film.turn(self.missing, announced.tile.code, side)


class Tricks(Stage):
    """Four sides: each lays towards the middle; whoever takes the trick gathers it and leads."""

    half = (300.0, 169.0)
    seats = ("Ann", "Bo", "Cy", "Dee")
    sides = tuple(Side)
    seen = frozenset({"play"})

    def setup(self) -> Setup:
        starter = self.seats[int(self.rng.integers(len(self.seats)))]
        options = {"starter": starter, "target": "0"}
        return self.game.setup(list(self.seats), options, cards=STANDARD.cards[:52])

    def open(self) -> None:
        """How far from the middle these people lay their cards, how askew, and how they gather."""
        self.reach = float(self.rng.uniform(48, 80))
        self.askew = float(self.rng.uniform(0.03, 0.25))
        self.keeps_in_sight = bool(self.rng.random() < 0.5)
        self.piles: list[Item] = []

    def played(self, event: Event) -> Frames:
        if not self.referee.state.trick:
            yield from self._gathered()
        side = Side(event.seat or 0)
        (x, y), (across, along) = side.outward, self.rng.normal(0, 7, 2)
        place = Placement(
            x * self.reach + float(across),
            y * self.reach + float(along),
            side.angle + float(self.rng.normal(0, self.askew)),
        )
        yield from self.film.lay(event.args[0].code, place, side)

    def _gathered(self) -> Frames:
        """The last trick goes to its taker: out of sight, or onto a heap at the edge."""
        lying = [item for item in self.film.items if item not in self.piles]
        if not lying:
            return
        side = Side(self.referee.state.takers[-1])
        pile = None
        if self.keeps_in_sight:
            (x, y), (dx, dy) = side.outward, self.rng.normal(0, 6, 2)
            # At the right hand of who sits there.
            place = (250 * x + 110 * y + float(dx), 125 * y - 70 * x + float(dy))
            pile = Placement(*place, side.angle + float(self.rng.normal(0, 0.1)))
        yield from self.film.gather(lying, side, pile)
        self.piles = [item for item in self.film.items if item.face == BACK]
        yield from self.film.still(float(self.rng.uniform(0.3, 1.0)))


class Hearts(Tricks):
    """No trumps; the lowest club leads, wherever it is."""

    name = "hearts"


class Spades(Tricks):
    """Bids are said."""

    name = "spades"


class Whist(Tricks):
    """The dealer's card is said: it is shown and taken up again."""

    name = "whist"


def _across(seat: int | None) -> Side:
    """Where one of two sits."""
    return Side.FAR if seat == 1 else Side.NEAR


def _printed(*names: str) -> Pieces:
    """Our own decks as they come out of a printer."""
    faces, heights = {}, {}
    for name in names:
        deck = printable(name, captions(name))
        drawings = dict(deck.faces)
        if deck.deck.family is not Family.COIN:
            drawings[BACK] = deck.back
        for code, drawing in drawings.items():
            faces[code] = rasterised(drawing, 5.0, 2)
            heights[code] = drawing.size[1]
    return Pieces(" and ".join(names), faces, heights)


def _enrolled(*names: str) -> tuple[Deck, CardReader]:
    written = {name: captions(name) for name in names}
    folder = Path(tempfile.mkdtemp(prefix="no-taught-decks-"))
    return deck_on_table(names), TableReader(names, folder, written, threads=1)


_GAMES = (Gotcha, MissingPersons, Precognition, Suspense, Deduction)
_TRICKS = (Hearts, Spades, Whist)
#: A clip is drawn from its game's number here: new ones come last.
STAGES: Mapping[str, type[Stage]] = {stage.name: stage for stage in (*_GAMES, *_TRICKS)}
