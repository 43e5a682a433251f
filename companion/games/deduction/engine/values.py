"""Advice in Deduction: what to ask for the coin in hand, and whether to announce.

A question's answers split the worlds. The coach reads the joint counts of (hand of the player
asked, missing tile) that solving has produced, so a question costs a few sums and no new counting.
After a Yes a tile is shown: each matching tile is assumed to be equally likely, and what follows
from it is judged as the notepad judges a shown tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from companion.cards import Card
from companion.games.deduction.engine.count import Hands, TileCounts, count_tiles
from companion.games.deduction.engine.facts import DeductionKnowledge, face_words, tile_problem
from companion.phrases import phrase


@dataclass(frozen=True, slots=True)
class QuestionValue:
    """What asking is worth.

    Attributes:
        player: whom to ask.
        what: the coin's face.
        count: True for "how many", False for "do you have".
        bits: expected information about the missing tile, in bits.
        finish: the chance that the missing tile is certain after the answer.
        best: the chance of announcing rightly straight after the answer.
    """

    player: str
    what: Card
    count: bool
    bits: float
    finish: float
    best: float

    @property
    def text(self) -> str:
        """The question as it is asked."""
        return phrase(
            "ask {player}: how many {face}?" if self.count else "ask {player}: do you have {face}?",
            player=self.player,
            face=face_words(self.what),
        )


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One possible answer.

    Attributes:
        chance: how likely it is.
        weights: shape (classes,): weight of the missing tile being of each class afterwards.
        sharing: shape (classes,): among how many tiles of the class that weight is shared.
        times: how many different answers are alike (one for each tile of a class shown).
    """

    chance: float
    weights: npt.NDArray[np.float64]
    sharing: npt.NDArray[np.int64]
    times: int = 1


def question_values(
    knowledge: DeductionKnowledge, faces: Sequence[Card], players: Sequence[str]
) -> list[QuestionValue]:
    """Values every question that the faces allow, the most informative first.

    Args:
        knowledge: what the asker knows, free of contradictions.
        faces: the faces of the drawn coin (or any others), as partly known tiles (`?S`, `3?`).
        players: who may be asked.

    Returns:
        A value for each face, player and kind of question; equal ones by higher chance to finish.
    """
    problem = tile_problem(knowledge)
    masks = [
        sum(1 << i for i, tile in enumerate(problem.deck) if what.matches(tile)) for what in faces
    ]
    weighted = knowledge.shown_random and bool(problem.shown)
    counts = count_tiles(problem, weighted=weighted, distinguish=masks)
    before = _entropy(np.array(counts.missing, float), _sizes(counts)) if counts.missing else 0.0
    found = []
    for player in players:
        place = problem.names.index(player)
        hands = next((hands for hands in counts.hands if hands.place == place), None)
        for what, mask in zip(faces, masks, strict=True):
            for count in (True, False):
                outcomes = (
                    _outcomes(counts, hands, mask, count=count, weighted=knowledge.shown_random)
                    if hands is not None and counts.missing
                    else _no_news(counts)
                )
                found.append(_value(player, what, count, list(outcomes), before))
    # Rounded, so that equal values are not ordered by floating point noise.
    return sorted(found, key=lambda v: (-round(v.bits, 9), -round(v.finish, 9), v.text))


def _sizes(counts: TileCounts) -> npt.NDArray[np.int64]:
    """How many tiles each class has."""
    return np.array([len(members) for members in counts.classes], np.int64)


def _entropy(weights: npt.NDArray[np.float64], sharing: npt.NDArray[np.int64]) -> float:
    """Entropy in bits when each class's weight is shared equally by its tiles."""
    kept = weights > 0
    chance = weights[kept] / weights[kept].sum()
    return float((chance * np.log2(sharing[kept] / chance)).sum()) if kept.any() else 0.0


def _no_news(counts: TileCounts) -> list[_Outcome]:
    """The one answer to a question whose answer, or the missing tile, is known beforehand."""
    if not counts.missing:
        return [_Outcome(1.0, np.ones(1), np.ones(1, np.int64))]
    return [_Outcome(1.0, np.array(counts.missing, float), _sizes(counts))]


def _outcomes(
    counts: TileCounts, hands: Hands, mask: int, *, count: bool, weighted: bool
) -> Iterator[_Outcome]:
    """The possible answers of a player to a question on the tiles of a mask."""
    sizes = _sizes(counts)
    joint = hands.joint.astype(np.float64) / float(counts.total)
    member = np.array([mask >> members[0] & 1 for members in counts.classes], np.int64)
    certain = (hands.settled & mask).bit_count()
    matches = hands.kinds @ member + certain
    for number in np.unique(matches):
        if count or not number:
            weights = joint[matches == number].sum(axis=0)
            yield _Outcome(float(weights.sum()), weights, sizes)
    if count:
        return
    some = matches > 0
    joint, kinds, matches = joint[some], hands.kinds[some], matches[some]
    # How a shown tile weighs in the notepad afterwards: 1, or 1/(matching tiles).
    read = joint / matches[:, None] if weighted else joint
    if certain and len(joint):
        chance = float((joint.sum(axis=1) / matches).sum())
        yield _Outcome(chance, read.sum(axis=0), sizes, certain)
    for at in np.flatnonzero(member * kinds.any(axis=0)):
        having = (kinds[:, at] / sizes[at])[:, None]
        chance = float((joint * having).sum(axis=1) @ (1 / matches))
        sharing = sizes.copy()
        sharing[at] -= 1  # the tile shown is not the missing one
        yield _Outcome(chance, (read * having).sum(axis=0), sharing, int(sizes[at]))


def _value(
    player: str, what: Card, count: bool, outcomes: list[_Outcome], before: float
) -> QuestionValue:
    """Takes the expectation over the answers."""
    after = finish = best = 0.0
    for outcome in outcomes:
        chance = outcome.chance * outcome.times
        kept = outcome.weights > 0
        if not chance or not kept.any():
            continue
        after += chance * _entropy(outcome.weights, outcome.sharing)
        per_tile = outcome.weights[kept] / outcome.sharing[kept]
        best += chance * float(per_tile.max() / outcome.weights.sum())
        if kept.sum() == 1 and outcome.sharing[kept][0] == 1:
            finish += chance
    return QuestionValue(player, what, count, max(0.0, before - after), finish, best)
