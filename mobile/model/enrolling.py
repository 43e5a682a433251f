"""View-models of what is taken picture by picture: a deck that is taught, a lens that is measured.

Both look at frames on the eyes' reading thread (they are readers of cards, too: what they see is
outlined in the picture) and take one by themselves when something has been laid and lies still.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from pathlib import Path

import cv2
import numpy as np

from calibration.embed import Embedder, Vectors, all_turns
from calibration.enrolment import ALIKE, EnrolledDeck, examine, save
from calibration.lens import LEAST_CARDS, Lens, lens_from_cards, save_lens
from calibration.light import LightFault, measure
from calibration.live_reader import deck_on_table
from calibration.outlines import Outline, Shape, find_outlines, shape_of
from companion.cards import UNKNOWN, Card
from companion.decks import POKER_MM
from companion.errors import CompanionError
from mobile.resources import texts
from vision.arrays import Image
from vision.types import CardRead, Quad, Reading

#: Frames that must not differ before one is taken.
_STILL = 4
#: A pixel has changed by so much, and the picture moves where more than a share of it has.
_CHANGE, _SHARE = 14, 0.004
_SMALL = (96, 72)
#: Edges wider than this, in `calibration.light`'s measure, are a picture of no use; whole faces are
#: told apart in softer pictures than indices.
_BLURRED = 5.0
#: Two things in the picture: the second is at least this large beside the first.
_BESIDE = 0.6
#: Pictures of cards that a lens is made from, and the most of them.
_LEAST_PICTURES, MOST_PICTURES = 3, 12


class Stillness:
    """Tells when a picture that has moved stands still."""

    def __init__(self) -> None:
        self._last: np.ndarray | None = None
        self._still = 0
        self.has_moved = True

    def add(self, image: Image) -> bool:
        """Takes in a frame; whether it stands still, and has moved since `taken`."""
        small = cv2.resize(image, _SMALL, interpolation=cv2.INTER_AREA).astype(np.int16)
        if self._last is not None:
            changed = (np.abs(small - self._last).max(2) > _CHANGE).mean()
            self._still = 0 if changed > _SHARE else self._still + 1
            self.has_moved = self.has_moved or changed > _SHARE
        self._last = small
        return self.has_moved and self._still >= _STILL

    def taken(self) -> None:
        """This picture was used: the next one is used after something has moved."""
        self.has_moved = False


class Taking(ABC):
    """Something taken picture by picture; a reader of cards for the eyes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stillness = Stillness()
        self.title = ""
        #: What to do next, what is wrong, and what came out, in words.
        self.lead = self.status = self.result = ""

    @property
    def face(self) -> Card | None:
        """The card to lay next, where a certain one is wanted."""
        return None

    @property
    @abstractmethod
    def can_finish(self) -> bool:
        """Whether there is enough."""

    @property
    def can_skip(self) -> bool:
        """Whether what is wanted now can be left out."""
        return False

    @property
    def can_insist(self) -> bool:
        """Whether something was held back that a person may want all the same."""
        return False

    @abstractmethod
    def skip(self) -> None:
        """Leaves out what is wanted now."""

    @abstractmethod
    def insist(self) -> None:
        """Takes what was held back."""

    @abstractmethod
    def undo(self) -> bool:
        """Takes the last picture back; False where there is none."""

    @abstractmethod
    def finish(self) -> None:
        """Makes the best of what was taken, keeps it, and says how good it is in `result`.

        Raises:
            CompanionError: it cannot be used, or not be kept.
        """

    def read_frame(self, image: Image) -> Reading:
        """Looks at a frame; gives the outlines it found as reads."""
        begun = time.monotonic()
        with self._lock:
            found = () if self.result else self._look(image, is_still=self._stillness.add(image))
            reads = tuple(self._as_read(outline) for outline in found) if self._named else ()
        size = (image.shape[1], image.shape[0])
        return Reading(size, reads, ms=(time.monotonic() - begun) * 1000)

    read = read_frame

    @abstractmethod
    def _look(self, image: Image, *, is_still: bool) -> tuple[Outline, ...]:
        """Takes the frame where it is wanted; the outlines in it."""

    @property
    def _named(self) -> Card | None:
        return self.face

    def _as_read(self, outline: Outline) -> CardRead:
        assert self._named is not None
        a, b, c, d = ((float(x), float(y)) for x, y in outline.corners)
        quad: Quad = (a, b, c, d)
        return CardRead(self._named, 1.0, quad, (), outlined=True)


class Teaching(Taking):
    """Teaches one of the decks without indices from the pieces that lie on the table.

    Args:
        views: pictures of each piece.
    """

    def __init__(
        self, deck: str, folder: Path, embedder: Embedder | None = None, *, views: int = 2
    ) -> None:
        super().__init__()
        self._deck, self._folder, self._views = deck_on_table([deck]), folder, views
        self._name = deck
        self._embedder = embedder or Embedder(threads=1)
        self._shape = shape_of(self._deck)
        self._left = [card for card in self._deck.cards for _ in range(views)]
        self._total = len(self._left)
        self._labels: list[str] = []
        self._turned: list[Vectors] = []
        self._held: Vectors | None = None
        self.title = texts.TEACH.format(deck=texts.tr(self._deck.title))
        self._want()

    @property
    def face(self) -> Card | None:
        """The piece to lay."""
        return self._left[0] if self._left and not self.result else None

    @property
    def can_finish(self) -> bool:
        """Two pieces are a deck."""
        return len(set(self._labels)) >= 2 and not self.result

    @property
    def can_skip(self) -> bool:
        """A piece may be lost."""
        return self.face is not None

    @property
    def can_insist(self) -> bool:
        """It looked too much like another one."""
        return self._held is not None

    def skip(self) -> None:
        """Leaves the piece out."""
        with self._lock:
            gone = self._left[:1]
            self._left = [card for card in self._left if card not in gone]
            self._held = None
            self._want()

    def insist(self) -> None:
        """It looks like another one, and is this one."""
        with self._lock:
            if self._held is not None:
                self._keep(self._held)

    def undo(self) -> bool:
        """Takes the last picture back: its piece is wanted again."""
        with self._lock:
            if not self._labels or self.result:
                return False
            label = self._labels.pop()
            self._turned.pop()
            again = next(card for card in self._deck.cards if card.code == label)
            self._left.insert(0, again)
            self._held = None
            self._stillness.taken()
            self._want()
            return True

    def finish(self) -> None:
        """Keeps the deck; says how surely its pieces are told apart."""
        with self._lock:
            vectors = np.stack([turned[0] for turned in self._turned])
            size = self._deck.size_mm
            made = EnrolledDeck(self._name, self._shape, size, tuple(self._labels), vectors)
            save(made, self._folder / f"{self._name}.json")
            report = examine(made, self._turned)
            said = [texts.TAUGHT.format(n=len(made.names), total=len(self._deck.cards))]
            if report.tried:
                said.append(texts.TAUGHT_RIGHT.format(right=report.right, tried=report.tried))
            said += [texts.TAUGHT_ALIKE.format(a=a, b=b) for a, b, _ in report.alike]
            self.result = "\n".join(said)
            self.lead = self.status = ""

    def _want(self) -> None:
        done = self._total - len(self._left)
        self.status = ""
        if not self._left:
            self.lead = texts.TEACH_ALL
            return
        second = self._left[0].code in self._labels
        self.lead = (texts.TEACH_AGAIN if second else texts.TEACH_LAY).format(
            n=done + 1, total=self._total, name=texts.told(self._left[0].name)
        )

    def _look(self, image: Image, *, is_still: bool) -> tuple[Outline, ...]:
        if not self._left:
            return ()
        aspect = self._deck.size_mm[0] / self._deck.size_mm[1]
        found = find_outlines(image, self._shape, aspect=aspect)
        if not found:
            self.status = texts.TEACH_NOTHING
            return ()
        largest = max(found, key=lambda one: one.size)
        beside = [one for one in found if one.size > _BESIDE * largest.size]
        if len(beside) > 1:
            self.status = texts.TEACH_SEVERAL
        elif not self._stillness.has_moved:
            self.status = self.status if self._held is not None else texts.TEACH_TAKEN
        elif not is_still:
            self.status, self._held = texts.TEACH_STILL, None
        else:
            self._take(image, largest)
        return tuple(beside)

    def _take(self, image: Image, outline: Outline) -> None:
        if measure(image).edge > _BLURRED:
            self.status = texts.PICTURE_FAULTS[LightFault.BLURRED.value]
            return
        turned = self._embedder(all_turns(image, outline.corners, self._shape))
        self._stillness.taken()
        like, likeness = self._most_like(turned)
        if likeness > ALIKE:
            self._held = turned
            self.status = texts.TEACH_ALIKE.format(a=self._left[0].code, b=like)
            return
        self._keep(turned)
        self.status = texts.TEACH_TAKEN

    def _most_like(self, turned: Vectors) -> tuple[str, float]:
        """Another piece that this one looks like, with the cosine."""
        own, best = self._left[0].code, ("", -1.0)
        for label, other in zip(self._labels, self._turned, strict=True):
            likeness = float((turned @ other[0]).max())
            if label != own and likeness > best[1]:
                best = label, likeness
        return best

    def _keep(self, turned: Vectors) -> None:
        self._labels.append(self._left.pop(0).code)
        self._turned.append(turned)
        self._held = None
        self._want()


class LensTaking(Taking):
    """Measures the lens from cards that lie apart on the table, from several sides.

    Args:
        path: where the lens is kept.
        size_mm: width and height of a card.
    """

    def __init__(self, path: Path, size_mm: tuple[float, float] = POKER_MM) -> None:
        super().__init__()
        self._path, self._size_mm = path, size_mm
        self._pictures: list[tuple[Image, int]] = []
        self.title = texts.LENS
        self._want()

    @property
    def cards(self) -> int:
        """Cards in all pictures."""
        return sum(count for _, count in self._pictures)

    @property
    def can_finish(self) -> bool:
        """Cards from several sides."""
        enough = len(self._pictures) >= _LEAST_PICTURES and self.cards >= LEAST_CARDS
        return enough and not self.result

    @property
    def _named(self) -> Card | None:
        return UNKNOWN

    def skip(self) -> None:
        """No certain card is wanted: there is nothing to leave out."""

    def insist(self) -> None:
        """Nothing is held back."""

    def undo(self) -> bool:
        """Takes the last picture back."""
        with self._lock:
            if not self._pictures or self.result:
                return False
            self._pictures.pop()
            self._want()
            return True

    def finish(self) -> None:
        """Measures, and keeps the lens."""
        with self._lock:
            pictures = [picture for picture, _ in self._pictures]
            lens = lens_from_cards(pictures, size_mm=self._size_mm)
            save_lens(lens, self._path)
            self.result = _verdict(lens)
            self.lead = self.status = ""

    def _want(self) -> None:
        self.status = ""
        self.lead = texts.LENS_LAY.format(n=len(self._pictures), cards=self.cards)

    def _look(self, image: Image, *, is_still: bool) -> tuple[Outline, ...]:
        aspect = self._size_mm[0] / self._size_mm[1]
        found = tuple(find_outlines(image, Shape.CARD, aspect=aspect))
        if not found:
            self.status = texts.TEACH_NOTHING
        elif not self._stillness.has_moved:
            self.status = texts.LENS_TAKEN
        elif not is_still:
            self.status = texts.TEACH_STILL
        elif len(self._pictures) < MOST_PICTURES:
            self._pictures.append((image.copy(), len(found)))
            self._stillness.taken()
            self._want()
            self.status = texts.LENS_TAKEN
        return found


def _verdict(lens: Lens) -> str:
    word = lens.verdict.split(":", 1)[0]
    said = {"good": texts.LENS_GOOD, "usable": texts.LENS_USABLE}.get(word, texts.LENS_POOR)
    return said.format(error=lens.error, cards=lens.views)


def taught(folder: Path, name: str) -> int:
    """How many pieces of a deck were taught here; 0 where it is known from its drawings only."""
    from calibration.enrolment import load

    try:
        return len(load(folder / f"{name}.json").names)
    except CompanionError:
        return 0
