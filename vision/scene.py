"""The one traveller of reading: all that is known of a picture so far, and what each stage changed.

A stage takes a scene and gives another; what it needs besides, such as a network, is bound when the
reader is made. Which stages there are, and in which order, is said in `vision.stages`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from companion.cards import Card
from companion.decks import Deck
from vision.arrays import Image
from vision.images.pyramid import Pyramid
from vision.indices.alphabets import Weights
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import NO_CANDIDATES, Candidates
from vision.indices.naming import Sites
from vision.types import CardRead, IndexRead, Reading, Status

#: Poses nearer than that to an index, in its heights, are of it.
SAME = 0.35


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All that is known of one picture so far.

    Attributes:
        image: (height, width, 3) BGR.
        deck: as which the picture is read.
        looks_like: name of the deck whose letters are seen, where that is clearly another one.
        letters: how well each deck explains the letters (`vision.indices.alphabets`), where the
            deck is told by them.
        sites: where indices may stand, as they look at first sight; None before that.
        found: the index candidates.
        names: what they may be.
        faint: marks that only a joker may have, with what they may be.
        cards: accepted reads, each card at most as often as the deck has it.
        doubtful: reads below the acceptance confidence.
        refused: reads that were given up, each with its reason.
        lines: the accepted cards in reading order.
        looks: how often the picture was read: twice where the first look left something open.
        steps: the scene after each stage so far.
    """

    picture: Pyramid
    deck: Deck
    names: Hypotheses
    looks_like: str = ""
    letters: Weights | None = None
    sites: Sites | None = None
    found: Candidates = NO_CANDIDATES
    faint: tuple[Candidates, Hypotheses] | None = None
    cards: tuple[CardRead, ...] = ()
    doubtful: tuple[CardRead, ...] = ()
    refused: tuple[CardRead, ...] = ()
    lines: tuple[tuple[Card, ...], ...] = ()
    looks: int = 1
    steps: tuple[Step, ...] = ()

    @property
    def image(self) -> Image:
        """The picture itself, (height, width, 3) BGR."""
        return self.picture.image

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture, pixels."""
        return self.image.shape[1], self.image.shape[0]

    @property
    def reading(self) -> Reading:
        """What was read, for those who do not care how."""
        return Reading(
            size=self.size,
            cards=self.cards,
            doubtful=self.doubtful,
            lines=self.lines,
            deck=self.deck.name,
            looks_like=self.looks_like,
            refused=self.refused,
        )

    def judged(self) -> Iterator[tuple[Status, CardRead]]:
        """Every read, and what became of it."""
        for status, reads in (
            (Status.ACCEPTED, self.cards),
            (Status.DOUBTFUL, self.doubtful),
            (Status.REFUSED, self.refused),
        ):
            yield from ((status, read) for read in reads)

    def status_at(self, index: IndexRead) -> tuple[Status, CardRead] | None:
        """The read that an index is of, and what became of it; None while it is of none."""
        for status, read in self.judged():
            if any(own.centre == index.centre for own in read.indices):
                return status, read
        return None

    def name_at(self, index: IndexRead) -> tuple[str, float] | None:
        """The likeliest card of the candidate at an index, and its chance; None without one."""
        off = np.linalg.norm(self.found.centre - np.array(index.centre, np.float32), axis=1)
        if not len(off) or off.min() > SAME * index.size:
            return None
        return self.name(int(off.argmin()))

    def name(self, k: int) -> tuple[str, float]:
        """The likeliest card of a candidate, and its chance."""
        joker, score = float(self.names.joker[k]), float(self.names.score[k])
        if joker > score:
            return "joker", joker
        return self.names.cards[int(self.names.best[k])].code, score


def scene_of(image: Image, deck: Deck) -> Scene:
    """A picture of which nothing is known yet but which deck may lie there."""
    none = Hypotheses(deck, np.zeros((0, 15), np.float32), np.zeros((0, 5), np.float32))
    return Scene(Pyramid(image), deck, none)


@dataclass(frozen=True, slots=True)
class Step:
    """The scene after one stage.

    Attributes:
        words: what the stage did, ending a sentence.
        scene: after it.
    """

    words: str
    scene: Scene


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of reading.

    Attributes:
        words: what it does, ending a sentence that begins with a card's name.
        run: a pure function of the scene.
    """

    words: str
    run: Callable[[Scene], Scene]


def passed_through(stages: Iterable[Stage], scene: Scene) -> Scene:
    """The scene after all stages; its `Scene.steps` say what each one changed."""
    for stage in stages:
        after = stage.run(scene)
        if after is not scene:
            again = " of the second look" if after.looks > 1 else ""
            step = Step(stage.words + again, replace(after, steps=()))
            scene = replace(after, steps=(*after.steps, step))
    return scene


@dataclass(frozen=True, slots=True)
class Change:
    """What a stage changed about one index.

    Attributes:
        stage: what it did, ending a sentence.
        name: the card that the index is now believed to be of.
        chance: how likely that is.
        status: what has become of the card; None while it is of none.
        read: the card as it was read; None while it is of none.
    """

    stage: str
    name: str
    chance: float
    status: Status | None = None
    read: CardRead | None = None


def trace(scene: Scene, index: IndexRead) -> Iterator[Change]:
    """What every stage changed about an index of a picture, in order."""
    named, became = ("", -1.0), ("", -1.0, "")
    for step in scene.steps:
        name = step.scene.name_at(index)
        if name is not None and (name[0], round(name[1], 2)) != (named[0], round(named[1], 2)):
            named = name
            yield Change(step.words, *name)
        at = step.scene.status_at(index)
        if at is None:
            continue
        status, read = at
        now = (read.card.code, round(read.confidence, 2), str(status))
        if now != became:
            became = now
            yield Change(step.words, read.card.code, read.confidence, status, read)
