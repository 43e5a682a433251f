"""State of a Deduction match: questions with their answers, announcements, peeks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from companion.cards import PIECE_SUITS, VALUES, Card, Family, card, family_cards
from companion.core.setup import Option, OptionKind
from companion.core.state import hand_zone
from companion.errors import UnreadableError
from companion.games.deduction.engine.facts import face_words
from companion.notepad.consistency import Witnessed
from companion.phrases import N_, phrase

#: Zones: tiles turned up for all, the missing tile, the drawn coin, the other coins.
CENTRE = N_("centre")
MISSING_ZONE = "missing"
COIN = "coin"
BAG = "bag"
COINS = len(family_cards(Family.COIN))

LAST_ONE_WINS = Option(
    "last_one_wins",
    "no",
    "When all others have announced wrongly, the last player still in wins at once.",
    OptionKind.YES_NO,
)
SHOWN = Option(
    "shown",
    "equal",
    "How the notepad judges a shown tile: every deal equally likely, or picked at random.",
    OptionKind.CHOICE,
    choices=("equal", "random"),
)

_NUMBERS = ("no", N_("one"), N_("two"), N_("three"), N_("four"), N_("five"), N_("six"), "seven")
_NUMBER_NAMES = {"0": "Blank", "A": "Ace"}
#: What can be asked about, as written, with the face of the coin it stands for.
FACES: dict[str, Card] = {
    name: card(f"?{suit}", Family.TILE) for suit, name in PIECE_SUITS.items()
} | {_NUMBER_NAMES.get(text, text): card(f"{text}?", Family.TILE) for text in VALUES}
#: One of a face, as people say it.
ONE_OF_FACE = {
    "?S": phrase("a Sun"),
    "?M": phrase("a Moon"),
    "?C": phrase("a Crown"),
    "?H": phrase("a Shield"),
    "0?": phrase("a Blank"),
    "A?": phrase("an Ace"),
    "2?": phrase("a 2"),
    "3?": phrase("a 3"),
    "4?": phrase("a 4"),
    "5?": phrase("a 5"),
}
_FACE_NAMES = {face: name for name, face in FACES.items()}
_READ = {name.casefold(): name for name in FACES} | {
    "sun": "Suns",
    "moon": "Moons",
    "crown": "Crowns",
    "shield": "Shields",
    "arm": "Shields",
    "arms": "Shields",
    "blanks": "Blank",
    "null": "Blank",
    "nulls": "Blank",
    "0": "Blank",
    "aces": "Ace",
    "a": "Ace",
    "1": "Ace",
}


def read_face(text: str) -> str:
    """The first form of what is asked about: `sun` → `Suns`, `3s` → `3`.

    Raises:
        UnreadableError: it is no suit and no value.
    """
    word = text.strip("?.")
    # A plural is written small: “3s” are threes, “3S” is a tile.
    found = _READ.get(word.casefold()) or _READ.get(re.sub(r"['’]?s$", "", word).casefold())
    if found is None:
        raise UnreadableError("“{text}” is none of {faces}.", text=text, faces=", ".join(FACES))
    return found


def face_name(face: Card) -> str:
    """How a face is written after `have` and `count`."""
    return _FACE_NAMES[face]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer.

    Attributes:
        n: the event of the question.
        by: the asker's seat.
        of: the seat asked.
        count: whether it is “how many”, else “do you have”.
        face: the suit or value asked about, as a partly known tile.
        answer: the event of the answer, 0 while it is due.
        number: the number answered; 0 for No, 1 for Yes.
        shown: the event of showing a tile after a Yes, 0 while it is due or not needed.
        tile: the tile shown; None if there was none or the state's owner may not know it.
        doubted: it is part of a contradiction, so it is no longer reasoned from.
        false: a tile that was seen refutes it, and a finding says so.
    """

    n: int
    by: int
    of: int
    count: bool
    face: Card
    answer: int = 0
    number: int = 0
    shown: int = 0
    tile: Card | None = None
    doubted: bool = False
    false: bool = False

    @property
    def bounds(self) -> tuple[int, int]:
        """Least and greatest number of matching tiles by the answer."""
        if self.count or not self.number:
            return self.number, self.number
        return 1, COINS

    @property
    def must_show(self) -> bool:
        """Whether a tile is still to be shown."""
        return bool(self.answer and self.number and not self.count and not self.shown)

    @property
    def said(self) -> str:
        """The answer in words, e.g. `no Suns`, `two Aces`, `yes to Suns`."""
        if self.count or not self.number:
            return number_of(self.number, self.face)
        return phrase("yes to {face}", face=face_words(self.face))


def number_of(number: int, face: Card) -> str:
    """A number of tiles in words: `no Suns`, `one 4`, `three Aces`."""
    words = face_words(face, is_one=number == 1)
    text = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    if not number:
        return phrase("no {face}", face=words)
    return phrase("{number} {face}", number=text, face=words)


@dataclass(frozen=True, slots=True)
class Announcement:
    """A tile announced to be the missing one.

    Attributes:
        n: the event of the announcement.
        by: the seat.
        tile: the tile.
        verdict: the event of `right` or `wrong`, 0 while it is due.
        right: the verdict.
        doubted: a finding was made about the verdict.
    """

    n: int
    by: int
    tile: Card
    verdict: int = 0
    right: bool = False
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class Peek:
    """A look at the missing tile; `tile` is None if the state's owner may not know it."""

    n: int
    by: int
    tile: Card | None
    doubted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeductionState(Witnessed):
    """State of a match.

    Attributes:
        deck: the tiles in play.
        up: the tiles turned up for all, None before they are recorded.
        up_event: the event of `up`.
        turned: by seat the event that turned up the whole hand, 0 if none did.
        coin: the coin drawn this turn, None before.
        asked: whether this turn's question was asked.
        questions: all questions in order.
        announcements: all announcements in order.
        peeks: all looks at the missing tile.
        out: seats that announced wrongly.
        witness: one deal that fits all that is known, as a mask of tiles for each place (see
            `companion.games.deduction.audit`); None if it must be searched again.
    """

    deck: tuple[Card, ...]
    turned: tuple[int, ...]
    up: tuple[Card, ...] | None = None
    up_event: int = 0
    coin: Card | None = None
    asked: bool = False
    questions: tuple[Question, ...] = ()
    announcements: tuple[Announcement, ...] = ()
    peeks: tuple[Peek, ...] = ()
    out: frozenset[int] = frozenset()
    witness: tuple[int, ...] | None = None

    @property
    def hand_size(self) -> int:
        """Tiles dealt to each player: all but the missing one, evenly."""
        return (len(self.deck) - 1) // len(self.setup.players)

    @property
    def left_over(self) -> int:
        """Tiles turned up for all."""
        return len(self.deck) - 1 - self.hand_size * len(self.setup.players)

    @property
    def may_ask(self) -> bool:
        """Whether the turn still has a question, once its coin is drawn."""
        return self.coin is not None and not self.asked

    @property
    def question(self) -> Question | None:
        """This turn's question, None before it was asked."""
        return self.questions[-1] if self.asked else None

    @property
    def announced(self) -> Announcement | None:
        """The announcement that waits for its verdict."""
        last = self.announcements[-1] if self.announcements else None
        return last if last is not None and not last.verdict else None

    def known_tiles(self, seat: int) -> tuple[Card, ...]:
        """Tiles known to be in the seat's hand, sorted."""
        zone = hand_zone(seat)
        return tuple(sorted(tile for tile, place in self.ledger.items() if place.zone == zone))

    def whole_hand(self, seat: int) -> tuple[Card, ...] | None:
        """See `State.whole_hand`; tiles that were seen one by one make a hand known as well."""
        whole = Witnessed.whole_hand(self, seat)
        if whole is not None:
            return whole
        known = self.known_tiles(seat)
        return known if len(known) == self.hand_size else None
