"""The reader: from a decoded picture to named cards in reading order."""

from __future__ import annotations

import json
import time
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.decks import Deck, get_deck
from vision.backend import ModelError
from vision.classify import Classifier
from vision.exposure import deepened, is_burnt_out, levelled
from vision.fuse import card_reads, rivals_in_row
from vision.hypotheses import Hypotheses, rank_probabilities, suppress
from vision.ink import suits_by_ink
from vision.likeness import suits_by_likeness, suits_in_heaps
from vision.locate import LEAST_HEAT, Candidates, Locator, as_tens, jittered, thin
from vision.looks import LooksOfFilm, Read
from vision.model_files import load_model, models_folder
from vision.pips import with_pips
from vision.rank_likeness import ranks_by_likeness
from vision.rows import order_lines
from vision.second_look import look_again, look_as_before
from vision.types import RANK_LABELS, Reading

Image = NDArray[np.uint8]

ACCEPT = 0.85
"""Least confidence of an accepted read; one value for every deck and picture."""

DOUBT = 0.2

_SURELY_READ = 0.95
_SURELY_NOTHING = 0.98
_WORTH_A_LOOK = 0.1
_ROUNDS = 2
#: How many sure cards more a deepened picture must show: a spot that it makes a card is one more.
_WORTH_DEEPENING = 1.5
_LIKE_A_NOUGHT, _A_TEN = 0.3, 0.5

#: Long sides of the pyramid's levels, pixels. Each halves the one before: the locator knows a
#: ninefold range of sizes, so half steps would only look twice at the same.
STILL_SIDES = (1920, 960, 480, 240)
FRAME_SIDES = (640, 320)

#: For a row that is read once and counts: half steps between the levels show every index at a
#: second size, and what one of them misreads the other often reads. About twice the work.
ROW_SIDES = (2720, 1920, 1360, 960, 480, 240)


@dataclass(frozen=True, slots=True)
class Settings:
    """How thoroughly to look.

    Attributes:
        sides: long sides of the pyramid's levels, pixels.
        accept: least confidence of an accepted read.
        doubt: least confidence of a doubtful read.
        least_heat: least heat of a candidate, see `vision.locate.Locator.find`.
        enough: index height for which one level is enough, pixels; see there.
        most: most candidates that are classified.
        in_row: whether the cards lie in a row, see `vision.fuse.card_reads`.
        again: whether to look at all again in the ways that suit the picture (`vision.looks`), and
            between the cards of a row (`vision.gaps`).
    """

    sides: tuple[int, ...] = STILL_SIDES
    accept: float = ACCEPT
    doubt: float = DOUBT
    least_heat: float = 0.4
    enough: float | None = 36.0
    most: int = 320
    in_row: bool = False
    again: bool = False


STILL = Settings()
FRAME = Settings(sides=FRAME_SIDES, most=160)
ROW = Settings(
    sides=ROW_SIDES, least_heat=LEAST_HEAT, enough=None, most=1000, in_row=True, again=True
)
#: A frame of a sweep over a row: what stands there is a card, as in a still of a row. Half steps
#: between sizes are left out, since the next frame shows every index at another one.
SWEEP = replace(ROW, sides=STILL_SIDES, most=320, again=False)


class Reader:
    """Reads cards; see `vision.protocols.CardReader`.

    Args:
        folder: where the networks are; None takes the shipped ones.
        threads: processor threads for the networks.
        deck: what can lie on the table.
        engine: see `vision.backend.open_session`.
        still: settings of `read`.
        frame: settings of `read_frame`.
        row: settings of `read_closely`.

    Raises:
        ModelError: a network's file is missing, damaged or refused.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        threads: int = 2,
        deck: Deck | None = None,
        engine: str | None = None,
        still: Settings | None = None,
        frame: Settings | None = None,
        row: Settings | None = None,
    ) -> None:
        folder = folder or models_folder()
        self.deck = deck or get_deck()
        spec = _manifest(folder)
        locator, classifier = spec["locator"], spec["classifier"]
        self.locator = Locator(
            load_model(folder / locator["file"], threads=threads, engine=engine),
            stride=int(locator["stride"]),
            size_unit=float(locator["size_unit"]),
        )
        self.classifier = Classifier(
            load_model(folder / classifier["file"], threads=threads, engine=engine),
            glyphs=classifier["glyphs"],
            suits=classifier["suits"],
            patch=(int(classifier["patch"][0]), int(classifier["patch"][1])),
            index_height=float(classifier["patch_index_height"]),
            temperature=float(classifier.get("temperature", 1.0)),
            rank_spread=classifier.get("rank_spread", ()),
        )
        self._still = still or STILL
        self._frame = frame or FRAME
        self._row = row or ROW
        self._film: LooksOfFilm | None = None

    def for_film(self) -> Reader:
        """A reader for the pictures of one film: one deck, seen from one side.

        It shares the networks with this one, and learns from picture to picture in what ways the
        deck is best looked at, see `vision.looks`.
        """
        reader = copy(self)
        reader._film = LooksOfFilm()
        return reader

    def read(self, image: Image) -> Reading:
        """Reads a still, as well as it can."""
        return self._read(image, self._still)

    def read_frame(self, image: Image) -> Reading:
        """Reads one frame of a video, as fast as it can."""
        return self._read(image, self._frame)

    def read_closely(self, image: Image) -> Reading:
        """Reads a still of a long row, brought to even exposure: slower than `read`, and surer.

        A burnt-out picture is read as it is and with its pale inks deepened; the latter stands if
        it shows clearly more cards.
        """
        first = self._read(levelled(image), self._row)
        if not is_burnt_out(image):
            return first
        second = self._read(levelled(deepened(image)), self._row)
        gain = sum(c.confidence for c in second.cards) - sum(c.confidence for c in first.cards)
        return replace(second if gain > _WORTH_DEEPENING else first, ms=first.ms + second.ms)

    def candidates(self, image: Image, settings: Settings) -> tuple[Candidates, Hypotheses]:
        """Every index candidate that stands after suppression, with what it may be."""
        every_pose = self.locator.find(
            image, settings.sides, least_heat=settings.least_heat, enough=settings.enough
        )
        found, leader = thin(every_pose)
        if len(found) > settings.most:
            found, leader = found.take(np.arange(settings.most)), leader[: settings.most]
        first = np.flatnonzero(leader == np.arange(len(leader)))
        glyph_probs, suit_probs = self._names(image, found, first)
        every = self._hypotheses(glyph_probs, suit_probs)
        # A second look at a site is worth its time only where the first one left a doubt.
        settled = every.score > _SURELY_READ
        if not settings.in_row:
            # In a row the hottest pose may lie between an index and the pip beside it.
            settled |= every.rank_probs[:, RANK_LABELS.index("none")] > _SURELY_NOTHING
        again = np.flatnonzero((leader != np.arange(len(leader))) & ~settled[leader])
        glyph_probs[again], suit_probs[again] = self.classifier.name(image, found.take(again))
        looked = np.concatenate([first, again])
        self._look_closer(image, found, looked, glyph_probs, suit_probs)
        if settings.in_row:
            self._look_for_tens(image, found, looked, leader, glyph_probs)
        found, every = found.take(looked), self._hypotheses(glyph_probs[looked], suit_probs[looked])
        stand = suppress(found, every.score, every.best)
        return found.take(stand), every.take(stand)

    def _look_closer(
        self,
        image: Image,
        found: Candidates,
        looked: NDArray[np.intp],
        glyph_probs: NDArray[np.float32],
        suit_probs: NDArray[np.float32],
    ) -> None:
        """Reads doubtful candidates again at slightly other poses, in place.

        The locator's pose is a few per cent off. Where the mean of the poses around it reads
        otherwise, the mean is believed; where it reads the same, whichever is surer.
        """
        first = self._hypotheses(glyph_probs[looked], suit_probs[looked])
        which = np.flatnonzero((first.score > _WORTH_A_LOOK) & (first.score < _SURELY_READ))
        if not len(which):
            return
        doubtful, before = looked[which], first.take(which)
        near = jittered(found.take(doubtful))
        glyphs, suits = self.classifier.name(image, near)
        count = len(near) // len(doubtful)
        mean = [
            (others.reshape(count, len(doubtful), -1).sum(axis=0) + probs[doubtful]) / (count + 1)
            for probs, others in ((glyph_probs, glyphs), (suit_probs, suits))
        ]
        after = self._hypotheses(mean[0], mean[1])
        # Where the mean reads the same, the surer of the two pictures of it stands.
        better = (after.best != before.best) | (after.score > before.score)
        glyph_probs[doubtful[better]] = mean[0][better]
        suit_probs[doubtful[better]] = mean[1][better]

    def _look_for_tens(
        self,
        image: Image,
        found: Candidates,
        looked: NDArray[np.intp],
        leader: NDArray[np.intp],
        glyph_probs: NDArray[np.float32],
    ) -> None:
        """Names wide tens that were found by their nought, in place: it looks like a Q or a 6.

        The poses of a site are asked together.
        """
        columns = [self.classifier.glyphs.index(glyph) for glyph in ("Q", "6")]
        ten = self.classifier.glyphs.index("10")
        which = looked[glyph_probs[looked][:, columns].max(axis=1, initial=0) > _LIKE_A_NOUGHT]
        if not len(which):
            return
        glyphs, _ = self.classifier.name(image, as_tens(found.take(which)))
        both = glyphs.reshape(2, len(which), -1)
        surely, mean = both[:, :, ten].min(axis=0), both.mean(axis=0)
        for site in np.unique(leader[which]):
            poses = np.flatnonzero(leader[which] == site)
            if surely[poses].mean() > _A_TEN:
                glyph_probs[which[poses]] = mean[poses[surely[poses].argmax()]]

    def _reading_of(self, image: Image) -> Read:
        def read(poses: Candidates, stretch: float) -> Hypotheses:
            return self._hypotheses(*self.classifier.name(image, poses, stretch=stretch))

        return read

    def _names(
        self, image: Image, found: Candidates, which: NDArray[np.intp]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Class probabilities of some candidates in arrays for all; zero for the others."""
        glyphs = np.zeros((len(found), len(self.classifier.glyphs)), np.float32)
        suits = np.zeros((len(found), len(self.classifier.suits)), np.float32)
        glyphs[which], suits[which] = self.classifier.name(image, found.take(which))
        return glyphs, suits

    def _hypotheses(
        self, glyph_probs: NDArray[np.float32], suit_probs: NDArray[np.float32]
    ) -> Hypotheses:
        ranks = rank_probabilities(glyph_probs, self.classifier.glyphs, self.deck)
        return Hypotheses(self.deck, ranks, suit_probs)

    def _read(self, image: Image, settings: Settings) -> Reading:
        started = time.perf_counter()
        found, hypotheses = self.candidates(image, settings)
        make = partial(
            card_reads, accept=settings.accept, doubt=settings.doubt, in_row=settings.in_row
        )
        if settings.again:
            first, _ = make(found, hypotheses)
            size = (image.shape[1], image.shape[0])
            found, hypotheses = look_again(self._reading_of(image), size, found, hypotheses, first)
        elif self._film is not None:
            hypotheses = look_as_before(self._reading_of(image), found, hypotheses, self._film)
        if settings.in_row:
            marks, rank_marks = self.classifier.marks(image, found)
            rivals = rivals_in_row(found, hypotheses)
            hypotheses = suits_in_heaps(marks, hypotheses, rivals)
            spread = self.classifier.rank_spread
            hypotheses = ranks_by_likeness(rank_marks, spread, hypotheses, rivals)
        cards, doubtful = make(found, hypotheses)
        told = suits_by_ink(image, found, hypotheses, cards, two=settings.in_row)
        if told is not hypotheses:
            cards, doubtful = make(found, told)
        if settings.in_row:
            # What the first round settles is a pattern in the second.
            for _ in range(_ROUNDS):
                before, told = told, suits_by_likeness(marks, found, told, cards)
                if told is before:
                    break
                cards, doubtful = make(found, told)
        cards, doubtful = with_pips(image, cards, doubtful, accept=settings.accept)
        lines = order_lines(cards)
        return Reading(
            size=(image.shape[1], image.shape[0]),
            cards=tuple(cards),
            doubtful=tuple(doubtful),
            lines=lines,
            ms=(time.perf_counter() - started) * 1000,
        )


def _manifest(folder: Path) -> dict[str, dict[str, Any]]:
    path = folder / "models.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))["models"]  # type: ignore[no-any-return]
    except OSError:
        raise ModelError(
            f"{path}: the list of networks is missing. Reinstall the companion, or make the "
            "networks anew with `python -m models.train`."
        ) from None
    except (ValueError, KeyError):
        raise ModelError(
            f"{path}: the list of networks is damaged. Reinstall the companion."
        ) from None
