"""Names the poses of a picture that may be indices: the classifier, asked where it pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.decks import Deck
from vision.images.pyramid import Pyramid
from vision.indices.classify import Classifier, Named
from vision.indices.hypotheses import Hypotheses, rank_probabilities, suppress
from vision.indices.locate import (
    NO_CANDIDATES,
    Candidates,
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
        surely_a_joker: a faint pose is a joker's mark if it is so likely one.
    """

    surely_read: float = 0.95
    surely_nothing: float = 0.98
    worth_a_look: float = 0.1
    surely_a_joker: float = 0.5


RULE = LookRule()


@dataclass(frozen=True, slots=True, eq=False)
class Sites:
    """What the classifier says at first sight, before it is known which deck lies there.

    Attributes:
        found: every pose of whatever may be an index, the hottest first.
        leader: (n,) the hottest pose of each one's site.
        named: what each of them shows; zero but for the leaders.
        faint: fainter poses, one of each site, of which only jokers are told.
    """

    found: Candidates
    leader: NDArray[np.intp]
    named: Named
    faint: Candidates

    @property
    def leading(self) -> NDArray[np.intp]:
        """The hottest pose of each site."""
        return np.flatnonzero(self.leader == np.arange(len(self.leader)))


def seen_first(
    classifier: Classifier, picture: Pyramid, poses: Candidates, *, least_heat: float, most: int
) -> Sites:
    """The poses of a picture by sites, of each of which the hottest is named.

    Args:
        classifier: names them.
        picture: what they stand in.
        poses: all that was found.
        least_heat: what is no hotter is faint.
        most: so many of each are kept, the hottest.
    """
    is_faint = poses.heat <= least_heat
    faint = thin(poses.take(is_faint), keep=1)[0].take(np.s_[:most]) if is_faint.any() else None
    found, leader = thin(poses.take(~is_faint))
    found, leader = found.take(np.s_[:most]), leader[:most]
    leading = np.flatnonzero(leader == np.arange(len(leader)))
    parts = classifier.name(picture, found.take(leading))
    glyphs, suits = (np.zeros((len(found), part.shape[1]), np.float32) for part in parts)
    glyphs[leading], suits[leading] = parts
    named = Named(glyphs, suits)
    return Sites(found, leader, named, NO_CANDIDATES if faint is None else faint)


@dataclass(frozen=True, slots=True, eq=False)
class Namer:
    """The classifier and the deck whose cards it names."""

    classifier: Classifier
    deck: Deck

    def hypotheses(self, named: Named) -> Hypotheses:
        """What the classifier's chances mean in this deck."""
        ranks = rank_probabilities(named.glyphs, self.classifier.glyphs, self.deck)
        return Hypotheses(self.deck, ranks, named.suits)

    def names(self, picture: Pyramid, sites: Sites) -> tuple[Candidates, Hypotheses]:
        """The poses that stand after suppression, with what they may be.

        Args:
            picture: what they stand in.
            sites: at first sight.
        """
        first = self.hypotheses(sites.named)
        settled = first.rank_probs[:, RANK_LABELS.index("none")] > RULE.surely_nothing
        look = _Look(self, picture, sites, settled | (first.score > RULE.surely_read))
        look.closer()
        return look.result()

    def faint_jokers(self, picture: Pyramid, sites: Sites) -> tuple[Candidates, Hypotheses]:
        """The fainter poses that read as jokers' marks.

        Stars, caps and words are less like an index than indices are: the locator is less sure of
        them, and the classifier is not.
        """
        if not len(sites.faint) or not self.deck.jokers:
            return NO_CANDIDATES, self.hypotheses(_rows(sites.named, np.s_[:0]))
        hypotheses = self.hypotheses(self.classifier.name(picture, sites.faint))
        jokers = np.flatnonzero(hypotheses.joker > RULE.surely_a_joker)
        return sites.faint.take(jokers), hypotheses.take(jokers)


class _Look:
    """A second look at the sites of a picture of which the first left a doubt.

    Args:
        namer: names what is looked at.
        picture: what they stand in.
        sites: at first sight.
        settled: (n,) whose sites are not worth the time.
    """

    def __init__(
        self, namer: Namer, picture: Pyramid, sites: Sites, settled: NDArray[np.bool_]
    ) -> None:
        self._namer, self._picture, self._sites = namer, picture, sites
        self._named = Named(*(part.copy() for part in sites.named))
        first, leader = sites.leading, sites.leader
        again = np.flatnonzero((leader != np.arange(len(leader))) & ~settled[leader])
        if len(again):
            self._take(again, namer.classifier.name(picture, sites.found.take(again)))
        self._looked = np.concatenate([first, again])

    def _take(self, which: NDArray[np.intp], named: Named) -> None:
        for mine, new in zip(self._named, named, strict=True):
            mine[which] = new

    def closer(self) -> None:
        """Reads doubtful candidates again at slightly other poses.

        The locator's pose is a few per cent off. Where the mean of the poses around it reads
        otherwise, the mean is believed; where it reads the same, whichever is surer.
        """
        looked, found = self._looked, self._sites.found
        first = self._namer.hypotheses(_rows(self._named, looked))
        may_be = (first.score > RULE.worth_a_look) & (first.score < RULE.surely_read)
        part = np.flatnonzero(may_be)
        if not len(part):
            return
        doubtful, before = looked[part], first.take(part)
        poses = join_candidates([found.take(doubtful), jittered(found.take(doubtful))])
        seen = self._namer.classifier.name(self._picture, poses)
        glyphs, suits = (
            part.reshape(-1, len(doubtful), part.shape[1]).mean(axis=0)
            for part in (seen.glyphs, seen.suits)
        )
        mean = Named(glyphs, suits)
        after = self._namer.hypotheses(mean)
        better = (after.best != before.best) | (after.score > before.score)
        self._take(doubtful[better], _rows(mean, better))

    def result(self) -> tuple[Candidates, Hypotheses]:
        """The poses that stand after suppression, with what they may be."""
        looked = self._looked
        found, named = self._sites.found.take(looked), _rows(self._named, looked)
        every = self._namer.hypotheses(named)
        stand = suppress(found, every.score, every.best)
        return found.take(stand), every.take(stand)


def _rows(named: Named, which: Any) -> Named:
    """What was said of some of the poses."""
    return Named(*(part[which] for part in named))
