"""Places of indices seen again and again: nearness, camera shifts, running means.

A pose is an `IndexRead` whose `confidence` says how regularly it is seen. A thing that may lie any
way round (a coin) has the direction (0, 0).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from vision.types import IndexRead, Point

#: Two indices this close, in index heights, are the same one seen again.
SAME_SPOT = 0.45
_NO_PROBS = np.zeros(0, np.float32)


def alike(a: IndexRead, b: IndexRead) -> bool:
    """Whether two indices point the same way (within 60°); one without direction always does."""
    if a.direction == (0.0, 0.0) or b.direction == (0.0, 0.0):
        return True
    return a.direction[0] * b.direction[0] + a.direction[1] * b.direction[1] > 0.5


def gap_of(a: IndexRead, b: IndexRead) -> float:
    """Distance of two indices in index heights; large where they point different ways."""
    if not alike(a, b):
        return 9.0
    distance = float(np.hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1]))
    return distance / max((a.size + b.size) / 2, 1e-9)


def moved(pose: IndexRead, turn: complex, move: complex) -> IndexRead:
    """A pose after the similarity new = turn · old + move over complex numbers, in pixels."""
    centre = complex(*pose.centre) * turn + move
    way = complex(*pose.direction) * turn / abs(turn)
    return replace(
        pose,
        centre=(centre.real, centre.imag),
        direction=(way.real, way.imag),
        size=pose.size * abs(turn),
    )


def merged(poses: list[IndexRead], seen: Iterable[IndexRead]) -> list[IndexRead]:
    """Known indices of a card, brought up to date with those seen now (running means).

    An index's ``confidence`` here is how regularly it is seen; one that a later card covers fades
    and is dropped, so that what still shows tells which way the row stands.
    """
    fresh = {k: replace(pose, confidence=0.75 * pose.confidence) for k, pose in enumerate(poses)}
    for new in seen:
        near = [k for k, old in fresh.items() if gap_of(old, new) < SAME_SPOT]
        if near:
            fresh[near[0]] = _mean(fresh[near[0]], new)
        else:
            fresh[len(fresh)] = replace(
                new, rank_probs=_NO_PROBS, suit_probs=_NO_PROBS, confidence=0.5
            )
    kept = [pose for pose in fresh.values() if pose.confidence > 0.1]
    return sorted(kept, key=lambda pose: -pose.confidence)[:4]


def _mean(old: IndexRead, new: IndexRead, weight: float = 0.3) -> IndexRead:
    def mix(a: Point, b: Point) -> Point:
        return (a[0] + weight * (b[0] - a[0]), a[1] + weight * (b[1] - a[1]))

    way = mix(old.direction, new.direction)
    length = max(float(np.hypot(*way)), 1e-9)
    return replace(
        old,
        centre=mix(old.centre, new.centre),
        direction=(way[0] / length, way[1] / length),
        size=old.size + weight * (new.size - old.size),
        confidence=old.confidence + 0.25,
    )
