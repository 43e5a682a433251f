"""Names the poses of a picture that may be indices: the classifier, asked where it pays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.decks import Deck
from vision.arrays import Float32Array, Image
from vision.indices.classify import Classifier
from vision.indices.hypotheses import Hypotheses, rank_probabilities, suppress
from vision.indices.locate import (
    NO_CANDIDATES,
    Candidates,
    as_tens,
    jittered,
    join_candidates,
    thin,
)
from vision.types import RANK_LABELS


@dataclass(frozen=True, slots=True)
class LookRule:
    """Which sites are looked at again, by their chances.

    Attributes:
        surely_read: a site so sure of its name is not.
        surely_nothing: nor one so sure to be no card.
        worth_a_look: least chance of some card of one that is.
        even: even chances: the nearer to them, the sooner it is shown.
        review_below: what is surer is not shown to the second network.
        least_reviewed: nor what is smaller, pixels.
        surely_a_joker: a faint pose is a joker's mark if it is so likely one.
        like_a_nought: least chance of a nought that may be a ten's.
        a_ten: and of the ten it makes.
    """

    surely_read: float = 0.95
    surely_nothing: float = 0.98
    worth_a_look: float = 0.1
    even: float = 0.5
    review_below: float = 0.995
    least_reviewed: float = 18.0
    surely_a_joker: float = 0.5
    like_a_nought: float = 0.3
    a_ten: float = 0.5


RULE = LookRule()

#: Glyphs that the classifier has met often enough: a second opinion makes them no surer.
_COMMON = frozenset(
    ["A", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "joker", "none"]
)


@dataclass(frozen=True, slots=True, eq=False)
class Sites:
    """What the classifier says at first sight, before it is known which deck lies there.

    Attributes:
        found: every pose of whatever may be an index, the hottest first.
        leader: (n,) the hottest pose of each one's site.
        glyphs: (n, glyphs) chances; zero but for the leaders.
        suits: (n, suits) likewise.
        faint: fainter poses, one of each site, of which only jokers are told.
    """

    found: Candidates
    leader: NDArray[np.intp]
    glyphs: Float32Array
    suits: Float32Array
    faint: Candidates

    @property
    def leading(self) -> NDArray[np.intp]:
        """The hottest pose of each site."""
        return np.flatnonzero(self.leader == np.arange(len(self.leader)))


def seen_first(
    classifier: Classifier, image: Image, poses: Candidates, *, least_heat: float, most: int
) -> Sites:
    """The poses of a picture by sites, of each of which the hottest is named.

    Args:
        classifier: names them.
        image: (height, width, 3) BGR.
        poses: all that was found.
        least_heat: what is no hotter is faint.
        most: so many of each are kept, the hottest.
    """
    is_faint = poses.heat <= least_heat
    faint = thin(poses.take(is_faint), keep=1)[0].take(np.s_[:most]) if is_faint.any() else None
    found, leader = thin(poses.take(~is_faint))
    found, leader = found.take(np.s_[:most]), leader[:most]
    sites = Sites(
        found,
        leader,
        np.zeros((len(found), len(classifier.glyphs)), np.float32),
        np.zeros((len(found), len(classifier.suits)), np.float32),
        NO_CANDIDATES if faint is None else faint,
    )
    first = sites.leading
    sites.glyphs[first], sites.suits[first] = classifier.name(image, found.take(first))
    return sites


@dataclass(frozen=True, slots=True, eq=False)
class Namer:
    """The classifier and the deck whose cards it names."""

    classifier: Classifier
    deck: Deck

    @property
    def has_rare_letters(self) -> bool:
        """Whether the deck is printed in another language than most of what was learnt from."""
        rare = set(self.classifier.glyphs) - _COMMON
        return any(self.deck.rank_of(glyph) is not None for glyph in rare)

    def read_at(self, image: Image, poses: Candidates, stretch: float) -> Hypotheses:
        """What some poses of a picture read as, at a stretch, see `cut_patches`."""
        return self.hypotheses(*self.classifier.name(image, poses, stretch=stretch))

    def hypotheses(self, glyph_probs: Float32Array, suit_probs: Float32Array) -> Hypotheses:
        """What the classifier's chances mean in this deck."""
        ranks = rank_probabilities(glyph_probs, self.classifier.glyphs, self.deck)
        return Hypotheses(self.deck, ranks, suit_probs)

    def names(self, image: Image, sites: Sites, *, reviewed: int) -> tuple[Candidates, Hypotheses]:
        """The poses that stand after suppression, with what they may be.

        Args:
            image: (height, width, 3) BGR.
            sites: at first sight.
            reviewed: so many in doubt are shown to the second network, too, in decks of other
                languages.
        """
        first = self.hypotheses(sites.glyphs, sites.suits)
        settled = first.rank_probs[:, RANK_LABELS.index("none")] > RULE.surely_nothing
        look = _Look(self, image, sites, settled | (first.score > RULE.surely_read))
        look.closer(reviewed if self.has_rare_letters else 0)
        return look.result()

    def names_in_row(
        self, image: Image, sites: Sites, *, reviewed: int
    ) -> tuple[Candidates, Hypotheses]:
        """The same in a row, where the hottest pose may lie between an index and a pip beside it.

        There wide tens are found by their noughts, too.
        """
        first = self.hypotheses(sites.glyphs, sites.suits)
        look = _Look(self, image, sites, first.score > RULE.surely_read)
        look.closer(reviewed if self.has_rare_letters else 0)
        look.for_tens()
        return look.result()

    def faint_jokers(self, image: Image, sites: Sites) -> tuple[Candidates, Hypotheses]:
        """The fainter poses that read as jokers' marks.

        Stars, caps and words are less like an index than indices are: the locator is less sure of
        them, and the classifier is not.
        """
        if not len(sites.faint) or not self.deck.jokers:
            return NO_CANDIDATES, self.hypotheses(sites.glyphs[:0], sites.suits[:0])
        hypotheses = self.read_at(image, sites.faint, 1.0)
        jokers = np.flatnonzero(hypotheses.joker > RULE.surely_a_joker)
        return sites.faint.take(jokers), hypotheses.take(jokers)


class _Look:
    """A second look at the sites of a picture of which the first left a doubt.

    Args:
        namer: names what is looked at.
        image: (height, width, 3) BGR.
        sites: at first sight.
        settled: (n,) whose sites are not worth the time.
    """

    def __init__(
        self, namer: Namer, image: Image, sites: Sites, settled: NDArray[np.bool_]
    ) -> None:
        self._namer, self._image, self._sites = namer, image, sites
        self._glyphs, self._suits = sites.glyphs.copy(), sites.suits.copy()
        first, leader = sites.leading, sites.leader
        again = np.flatnonzero((leader != np.arange(len(leader))) & ~settled[leader])
        name = namer.classifier.name
        self._glyphs[again], self._suits[again] = name(image, sites.found.take(again))
        self._looked = np.concatenate([first, again])

    def closer(self, reviewed: int) -> None:
        """Reads doubtful candidates again at slightly other poses.

        The locator's pose is a few per cent off. Where the mean of the poses around it reads
        otherwise, the mean is believed; where it reads the same, whichever is surer. So many at
        most, those that are most in doubt, are also shown to the second network.
        """
        looked, found = self._looked, self._sites.found
        first = self._namer.hypotheses(self._glyphs[looked], self._suits[looked])
        doubt = np.abs(first.score - RULE.even)
        # Small indices the second network tells no better.
        large = found.size[looked] >= RULE.least_reviewed
        may_be = first.score > RULE.worth_a_look
        shown = np.flatnonzero(may_be & (first.score < RULE.review_below) & large)
        shown = shown[np.argsort(doubt[shown], kind="stable")][:reviewed]
        others = np.setdiff1d(np.flatnonzero(may_be & (first.score < RULE.surely_read)), shown)
        for part, review in ((shown, True), (others, False)):
            if not len(part):
                continue
            doubtful, before = looked[part], first.take(part)
            poses = join_candidates([found.take(doubtful), jittered(found.take(doubtful))])
            glyphs, suits = (
                probs.reshape(-1, len(doubtful), probs.shape[1]).mean(axis=0)
                for probs in self._namer.classifier.name(self._image, poses, reviewed=review)
            )
            after = self._namer.hypotheses(glyphs, suits)
            # Where the mean reads the same, the surer of the two pictures of it stands; but what
            # two networks say always outweighs what one said.
            better = (after.best != before.best) | (after.score > before.score) | review
            self._glyphs[doubtful[better]] = glyphs[better]
            self._suits[doubtful[better]] = suits[better]

    def for_tens(self) -> None:
        """Names wide tens that were found by their nought: it looks like a Q or a 6.

        The poses of a site are asked together.
        """
        classifier, leader = self._namer.classifier, self._sites.leader
        columns = [classifier.glyphs.index(glyph) for glyph in ("Q", "6")]
        ten = classifier.glyphs.index("10")
        like = self._glyphs[self._looked][:, columns].max(axis=1, initial=0) > RULE.like_a_nought
        which = self._looked[like]
        if not len(which):
            return
        glyphs, _ = classifier.name(self._image, as_tens(self._sites.found.take(which)))
        both = glyphs.reshape(2, len(which), -1)
        surely, mean = both[:, :, ten].min(axis=0), both.mean(axis=0)
        for site in np.unique(leader[which]):
            poses = np.flatnonzero(leader[which] == site)
            if surely[poses].mean() > RULE.a_ten:
                self._glyphs[which[poses]] = mean[poses[surely[poses].argmax()]]

    def result(self) -> tuple[Candidates, Hypotheses]:
        """The poses that stand after suppression, with what they may be."""
        looked = self._looked
        found = self._sites.found.take(looked)
        every = self._namer.hypotheses(self._glyphs[looked], self._suits[looked])
        stand = suppress(found, every.score, every.best)
        return found.take(stand), every.take(stand)
