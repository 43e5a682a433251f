"""A reading in words: for each card, and for each place in doubt, what the stages made of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from companion.decks import get_deck
from vision.scene import Change, Scene, trace
from vision.types import CardRead, IndexRead, Reason

#: A candidate that may be a card with this chance and is of no read is mentioned.
_PERHAPS = 0.1
#: A candidate is an index of a read that is nearer than that, in its heights.
_SAME = 0.6


def explanation(scene: Scene, *, factor: float = 1.0) -> str:
    """What was read in a picture and why, several lines.

    Args:
        scene: the picture, read.
        factor: how many times larger the full picture is, in whose pixels places are told.
    """
    return "\n".join(_lines(scene, factor))


def _lines(scene: Scene, factor: float) -> Iterator[str]:
    twice = " Something was left open, so it was looked at again." if scene.looks > 1 else ""
    yield f"Read as: {scene.deck.title}.{twice}"
    if scene.looks_like:
        yield f"The letters look like another deck: {get_deck(scene.looks_like).title}."
    for status, read in scene.judged():
        yield f"{read.card.code}  {status}, {read.confidence:.2f}: {_reason(read)}."
        for index in read.indices:
            yield f"    {_place(index, factor)}: {_history(scene, index)}"
        if read.alternatives:
            others = (f"{card.code} {chance:.2f}" for card, chance in read.alternatives)
            yield f"    It may also be {', '.join(others)}."
    yield from _open_places(scene, factor)


def _reason(read: CardRead) -> str:
    if read.reason is Reason.COPIES:
        return "it lies there once more, and the deck has no more of it"
    return str(read.reason)


def _place(index: IndexRead, factor: float) -> str:
    x, y = (round(v * factor) for v in index.centre)
    return f"index at {x}, {y}, {round(index.size * factor)} px high"


def _history(scene: Scene, index: IndexRead) -> str:
    return "; ".join(map(_told, trace(scene, index))) or "nothing was read there"


def _told(change: Change) -> str:
    """One change in words: what an index reads as, or what became of its card."""
    became = "" if change.status is None else f"{change.status} as "
    return f"{became}{change.name} {change.chance:.2f} {change.stage}"


def _open_places(scene: Scene, factor: float) -> Iterator[str]:
    """What may be a card and became none."""
    # A further corner of a card shows its name once more.
    names = {read.card.code for read in scene.cards}
    own = np.array([i.centre for _, read in scene.judged() for i in read.indices]).reshape(-1, 2)
    chance = scene.names.probs.sum(axis=1) + scene.names.joker
    for k in np.flatnonzero(chance > _PERHAPS).tolist():
        centre, size = scene.found.centre[k], float(scene.found.size[k])
        if len(own) and np.linalg.norm(own - centre, axis=1).min() < _SAME * size:
            continue
        name, surest = scene.name(k)
        if name in names:
            continue
        x, y = (round(float(v) * factor) for v in centre)
        place = f"at {x}, {y}, {round(size * factor)} px high"
        yield f"?   {place}: {name} {surest:.2f}, too little to ask about."
