"""A reading in words: for each card, and for each place in doubt, what the stages made of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from companion.decks import get_deck
from vision.trace import Trace
from vision.types import CardRead, IndexRead, Reading, Status

#: A candidate that may be a card with this chance and is of no read is mentioned.
_PERHAPS = 0.1
#: A candidate is an index of a read that is nearer than that, in its heights.
_SAME = 0.6


def explanation(reading: Reading, trace: Trace, *, factor: float = 1.0) -> str:
    """What was read in a picture and why, several lines.

    Args:
        reading: of the picture, in the pixels in which it was read.
        trace: of that reading.
        factor: how many times larger the full picture is, in whose pixels places are told.
    """
    return "\n".join(_lines(reading, trace, factor))


def _lines(reading: Reading, trace: Trace, factor: float) -> Iterator[str]:
    deck = get_deck(reading.deck or "standard")
    twice = " Something was left open, so it was looked at again." if trace.looks > 1 else ""
    yield f"Read as: {deck.title}.{twice}"
    if reading.looks_like:
        yield f"The letters look like another deck: {get_deck(reading.looks_like).title}."
    names = {read.card for read in reading.cards}
    # That a further corner of a card shows its name once more is no news.
    refused = [read for read in trace.refused if read.card not in names]
    for status, reads in (
        (Status.ACCEPTED, reading.cards),
        (Status.DOUBTFUL, reading.doubtful),
        (Status.REFUSED, refused),
    ):
        for read in reads:
            yield f"{read.card.code}  {status}, {read.confidence:.2f}: {read.reason}."
            for index in read.indices:
                yield f"    {_place(index, factor)}: {_history(trace, index)}"
            if read.alternatives:
                others = (f"{card.code} {chance:.2f}" for card, chance in read.alternatives)
                yield f"    It may also be {', '.join(others)}."
    yield from _open_places(trace, [*reading.cards, *reading.doubtful, *trace.refused], factor)


def _place(index: IndexRead, factor: float) -> str:
    x, y = (round(v * factor) for v in index.centre)
    return f"index at {x}, {y}, {round(index.size * factor)} px high"


def _history(trace: Trace, index: IndexRead) -> str:
    told = [f"{name} {chance:.2f} {stage}" for stage, name, chance in trace.history(index)]
    return "; ".join(told) or "nothing was read there"


def _open_places(trace: Trace, reads: list[CardRead], factor: float) -> Iterator[str]:
    """What may be a card and became none."""
    if not trace.steps:
        return
    last = trace.steps[-1]
    own = np.array([i.centre for read in reads for i in read.indices]).reshape(-1, 2)
    chance = last.hypotheses.probs.sum(axis=1) + last.hypotheses.joker
    for k in np.flatnonzero(chance > _PERHAPS).tolist():
        centre, size = last.found.centre[k], float(last.found.size[k])
        if len(own) and np.linalg.norm(own - centre, axis=1).min() < _SAME * size:
            continue
        x, y = (round(float(v) * factor) for v in centre)
        name, surest = last.name(k)
        place = f"at {x}, {y}, {round(size * factor)} px high"
        yield f"?   {place}: {name} {surest:.2f}, too little to ask about."
