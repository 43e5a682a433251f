"""Finds every index of a picture and says what it may be: the networks, asked where it pays."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.decks import Deck
from companion.reading import FileError, read_json
from vision.alphabets import Weights, weights_of
from vision.backend import ModelError
from vision.body import BodyReader
from vision.classify import Classifier
from vision.hypotheses import Hypotheses, rank_probabilities, suppress
from vision.locate import (
    NO_CANDIDATES,
    Candidates,
    Locator,
    as_tens,
    jittered,
    join_candidates,
    thin,
)
from vision.model_files import checked_entry, load_model
from vision.search_again import REACH, near_to
from vision.settings import Settings
from vision.types import RANK_LABELS

Image = NDArray[np.uint8]

#: Chances from which on, up to which, or between which a site is not, or is, looked at again.
_SURELY_READ = 0.95
_SURELY_NOTHING = 0.98
_WORTH_A_LOOK, _EVEN = 0.1, 0.5
_PERHAPS, _PERHAPS_JOKER = 0.02, 0.1
_REVIEW_BELOW, _LEAST_REVIEWED = 0.995, 18.0
#: A faint pose is a joker's mark if it is so likely one.
_SURELY_A_JOKER = 0.5
_LIKE_A_NOUGHT, _A_TEN = 0.3, 0.5
#: Glyphs that the classifier has met often enough: a second opinion makes them no surer.
_COMMON = frozenset(
    ["A", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "joker", "none"]
)
_NETWORKS = ("locator", "classifier", "reviewer", "body", "outliner")


@dataclass(frozen=True, slots=True, eq=False)
class FirstLook:
    """What the classifier says at first sight, before it is known which deck lies there.

    Attributes:
        found: every pose of whatever may be an index, the hottest first.
        leader: (n,) the hottest pose of each one's site.
        glyphs: (n, glyphs) chances; zero but for the leaders.
        suits: (n, suits) likewise.
        weights: how well each alphabet explains the glyphs, see `vision.alphabets`.
        faint: fainter poses, one of each site, of which only jokers are told.
    """

    found: Candidates
    leader: NDArray[np.intp]
    glyphs: NDArray[np.float32]
    suits: NDArray[np.float32]
    weights: Weights
    faint: Candidates


class Finder:
    """The networks and the deck whose cards they look for.

    Args:
        folder: where the networks are.
        deck: what can lie on the table.
        threads: processor threads for the networks.
        engine: see `vision.backend.open_session`.

    Raises:
        ModelError: a network's file is missing, damaged or refused.
    """

    def __init__(self, folder: Path, deck: Deck, *, threads: int, engine: str | None) -> None:
        spec = manifest(folder)
        self._deck = deck
        try:
            self._load(folder, spec, threads=threads, engine=engine)
        except (ValueError, LookupError, TypeError):
            raise ModelError(
                f"{folder / 'models.json'}: the list of networks does not fit them. "
                "Reinstall the companion."
            ) from None

    def _load(
        self, folder: Path, spec: dict[str, dict[str, Any]], *, threads: int, engine: str | None
    ) -> None:
        """Loads the networks as the list says that they are fed.

        Raises:
            ModelError: one is missing, damaged or refused.
            ValueError, LookupError, TypeError: the list does not fit it.
        """
        if not {"joker", "none"} <= set(spec["classifier"]["glyphs"]):
            raise ValueError("names for what is no rank are missing")
        locator, classifier, body = spec["locator"], spec["classifier"], spec["body"]
        self._locator = Locator(
            load_model(folder / locator["file"], threads=threads, engine=engine),
            stride=int(locator["stride"]),
            size_unit=float(locator["size_unit"]),
        )
        self._classifier = Classifier(
            load_model(folder / classifier["file"], threads=threads, engine=engine),
            glyphs=classifier["glyphs"],
            suits=classifier["suits"],
            patch=(int(classifier["patch"][0]), int(classifier["patch"][1])),
            index_height=float(classifier["patch_index_height"]),
            temperature=float(classifier.get("temperature", 1.0)),
            reviewer=load_model(folder / spec["reviewer"]["file"], threads=threads, engine=engine),
        )
        self._body = BodyReader(
            load_model(folder / body["file"], threads=threads, engine=engine),
            bodies=body["bodies"],
            suits=body["suits"],
            prior=body["prior"],
            patch=(int(body["patch"][0]), int(body["patch"][1])),
            anchor=(int(body["anchor"][0]), int(body["anchor"][1])),
            index_height=float(body["patch_index_height"]),
            hidden=(int(body["hidden"][0]), int(body["hidden"][1])),
        )

    def for_deck(self, deck: Deck) -> Finder:
        """The same networks, looking for the cards of another deck."""
        finder = copy(self)
        finder._deck = deck
        return finder

    @property
    def has_rare_letters(self) -> bool:
        """Whether the deck is printed in another language than most of what was learnt from."""
        rare = set(self._classifier.glyphs) - _COMMON
        return any(self._deck.rank_of(glyph) is not None for glyph in rare)

    def first_look(self, image: Image, settings: Settings) -> FirstLook:
        """Every pose of a picture that may be an index, and what the classifier makes of them."""
        least = min(settings.least_heat, settings.joker_heat)
        poses = self._locator.find(image, settings.sides, least_heat=least, enough=settings.enough)
        is_faint = poses.heat <= settings.least_heat
        faint = thin(poses.take(is_faint), keep=1)[0].take(np.s_[: settings.most])
        return self._first_look(image, poses.take(~is_faint), settings, faint=faint)

    def candidates(
        self, image: Image, settings: Settings, look: FirstLook | None = None
    ) -> tuple[Candidates, Hypotheses]:
        """Every index candidate that stands after suppression, with what it may be.

        Args:
            image: (height, width, 3) BGR.
            settings: how thoroughly to look.
            look: at this picture; None if it is still to be taken.
        """
        return self._read_of(image, look or self.first_look(image, settings), settings)

    def candidates_around(
        self, image: Image, places: Candidates | None, settings: Settings
    ) -> tuple[Candidates, Hypotheses]:
        """The same around some places only, None for everywhere, on levels between the others."""
        every_pose = self._locator.around(
            image, settings.again_sides, places, least_heat=settings.again_heat, reach=REACH
        )
        look = self._first_look(image, every_pose, settings)
        found, hypotheses = self._read_of(image, look, settings)
        if places is None:
            return found, hypotheses
        near = np.flatnonzero(near_to(found, places))
        return found.take(near), hypotheses.take(near)

    def _first_look(
        self,
        image: Image,
        every_pose: Candidates,
        settings: Settings,
        *,
        faint: Candidates = NO_CANDIDATES,
    ) -> FirstLook:
        found, leader = thin(every_pose)
        if len(found) > settings.most:
            found, leader = found.take(np.arange(settings.most)), leader[: settings.most]
        first = np.flatnonzero(leader == np.arange(len(leader)))
        glyphs, suits = self._names(image, found, first)
        weights = weights_of(glyphs[first], self._classifier.glyphs)
        return FirstLook(found, leader, glyphs, suits, weights, faint)

    def _read_of(
        self, image: Image, look: FirstLook, settings: Settings
    ) -> tuple[Candidates, Hypotheses]:
        """The poses that stand after suppression, with what they may be."""
        found, leader = look.found, look.leader
        first = np.flatnonzero(leader == np.arange(len(leader)))
        glyph_probs, suit_probs = look.glyphs.copy(), look.suits.copy()
        every = self._hypotheses(glyph_probs, suit_probs)
        # A second look at a site is worth its time only where the first one left a doubt.
        settled = every.score > _SURELY_READ
        if not settings.in_row:
            # In a row the hottest pose may lie between an index and the pip beside it.
            settled |= every.rank_probs[:, RANK_LABELS.index("none")] > _SURELY_NOTHING
        again = np.flatnonzero((leader != np.arange(len(leader))) & ~settled[leader])
        glyph_probs[again], suit_probs[again] = self._classifier.name(image, found.take(again))
        looked = np.concatenate([first, again])
        reviewed = settings.reviewed if self.has_rare_letters else 0
        self._look_closer(image, found, looked, glyph_probs, suit_probs, reviewed=reviewed)
        if settings.in_row:
            self._look_for_tens(image, found, looked, leader, glyph_probs)
        found, every = found.take(looked), self._hypotheses(glyph_probs[looked], suit_probs[looked])
        stand = suppress(found, every.score, every.best)
        return found.take(stand), every.take(stand)

    def read_at(self, image: Image, poses: Candidates, stretch: float) -> Hypotheses:
        """What some poses of a picture read as, at a stretch, see `vision.classify.cut_patches`."""
        return self._hypotheses(*self._classifier.name(image, poses, stretch=stretch))

    def weighed_by_bodies(
        self,
        image: Image,
        found: Candidates,
        hypotheses: Hypotheses,
        *,
        most: int,
        below: float = 1.0,
    ) -> Hypotheses:
        """What may be a card, weighed by what it shows beside its index; the rest as it was.

        So many at ``most``, none that is surer than ``below``: first those that most likely are
        cards and are open.
        """
        chance = hypotheses.probs.sum(axis=1)
        may_be = (chance > _PERHAPS) | (hypotheses.joker > _PERHAPS_JOKER)
        score = np.maximum(hypotheses.score, hypotheses.joker)
        some = np.flatnonzero(may_be & (score <= below))
        if len(some) > most:
            worth = np.maximum(chance, hypotheses.joker) * (1 - score)
            some = some[np.argsort(-worth[some], kind="stable")[:most]]
        if not len(some):
            return hypotheses
        part = self._body.weighed(image, found.take(some), hypotheses.take(some))
        return hypotheses.replaced(some, part)

    def witnesses_of_jokers(
        self, image: Image, found: Candidates
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Two chances (n,) that candidates are corners of jokers: by their marks, by the bodies.

        The marks are seen by both networks, and at slightly other poses as well.
        """
        poses = join_candidates([found, jittered(found)])
        glyphs, _ = self._classifier.name(image, poses, reviewed=True)
        joker = glyphs[:, self._classifier.glyphs.index("joker")]
        return joker.reshape(-1, len(found)).mean(axis=0), self._body.joker_chances(image, found)

    def faint_jokers(self, image: Image, look: FirstLook) -> tuple[Candidates, Hypotheses]:
        """The fainter poses that read as jokers' marks.

        Stars, caps and words are less like an index than indices are: the locator is less sure of
        them, and the classifier is not.
        """
        if not len(look.faint) or not self._deck.jokers:
            return NO_CANDIDATES, self._hypotheses(look.glyphs[:0], look.suits[:0])
        found = look.faint
        hypotheses = self._hypotheses(*self._classifier.name(image, found))
        jokers = np.flatnonzero(hypotheses.joker > _SURELY_A_JOKER)
        return found.take(jokers), hypotheses.take(jokers)

    def marks(self, image: Image, found: Candidates) -> NDArray[np.float32]:
        """(n, d) marks of suits, see `vision.classify.Classifier.marks`."""
        return self._classifier.marks(image, found)

    def _look_closer(
        self,
        image: Image,
        found: Candidates,
        looked: NDArray[np.intp],
        glyph_probs: NDArray[np.float32],
        suit_probs: NDArray[np.float32],
        *,
        reviewed: int,
    ) -> None:
        """Reads doubtful candidates again at slightly other poses, in place.

        The locator's pose is a few per cent off. Where the mean of the poses around it reads
        otherwise, the mean is believed; where it reads the same, whichever is surer. So many at
        most, those that are most in doubt, are also shown to the second network.
        """
        first = self._hypotheses(glyph_probs[looked], suit_probs[looked])
        doubt = np.abs(first.score - _EVEN)
        # Small indices the second network tells no better.
        large = found.size[looked] >= _LEAST_REVIEWED
        may_be = first.score > _WORTH_A_LOOK
        shown = np.flatnonzero(may_be & (first.score < _REVIEW_BELOW) & large)
        shown = shown[np.argsort(doubt[shown], kind="stable")][:reviewed]
        others = np.setdiff1d(np.flatnonzero(may_be & (first.score < _SURELY_READ)), shown)
        for part, review in ((shown, True), (others, False)):
            if not len(part):
                continue
            doubtful, before = looked[part], first.take(part)
            poses = join_candidates([found.take(doubtful), jittered(found.take(doubtful))])
            glyphs, suits = (
                probs.reshape(-1, len(doubtful), probs.shape[1]).mean(axis=0)
                for probs in self._classifier.name(image, poses, reviewed=review)
            )
            after = self._hypotheses(glyphs, suits)
            # Where the mean reads the same, the surer of the two pictures of it stands; but what
            # two networks say always outweighs what one said.
            better = (after.best != before.best) | (after.score > before.score) | review
            glyph_probs[doubtful[better]] = glyphs[better]
            suit_probs[doubtful[better]] = suits[better]

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
        columns = [self._classifier.glyphs.index(glyph) for glyph in ("Q", "6")]
        ten = self._classifier.glyphs.index("10")
        which = looked[glyph_probs[looked][:, columns].max(axis=1, initial=0) > _LIKE_A_NOUGHT]
        if not len(which):
            return
        glyphs, _ = self._classifier.name(image, as_tens(found.take(which)))
        both = glyphs.reshape(2, len(which), -1)
        surely, mean = both[:, :, ten].min(axis=0), both.mean(axis=0)
        for site in np.unique(leader[which]):
            poses = np.flatnonzero(leader[which] == site)
            if surely[poses].mean() > _A_TEN:
                glyph_probs[which[poses]] = mean[poses[surely[poses].argmax()]]

    def _names(
        self, image: Image, found: Candidates, which: NDArray[np.intp]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Class probabilities of some candidates in arrays for all; zero for the others."""
        glyphs = np.zeros((len(found), len(self._classifier.glyphs)), np.float32)
        suits = np.zeros((len(found), len(self._classifier.suits)), np.float32)
        glyphs[which], suits[which] = self._classifier.name(image, found.take(which))
        return glyphs, suits

    def _hypotheses(
        self, glyph_probs: NDArray[np.float32], suit_probs: NDArray[np.float32]
    ) -> Hypotheses:
        ranks = rank_probabilities(glyph_probs, self._classifier.glyphs, self._deck)
        return Hypotheses(self._deck, ranks, suit_probs)


def manifest(folder: Path) -> dict[str, dict[str, Any]]:
    """How each network of a folder is to be fed.

    Raises:
        ModelError: the list is missing or damaged.
    """
    path = folder / "models.json"
    try:
        models = read_json(path)["models"]
        return {name: checked_entry(models[name]) for name in _NETWORKS}
    except FileError as error:
        if error.missing:
            raise ModelError(
                f"{path}: the list of networks is missing. Reinstall the companion, or make the "
                "networks anew with `python -m models.train`."
            ) from None
        raise ModelError(
            f"{path}: the list of networks is damaged, it {error.why}. Reinstall the companion."
        ) from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ModelError(
            f"{path}: the list of networks is damaged. Reinstall the companion."
        ) from None
