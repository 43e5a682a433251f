"""Making things in a thread of their own, a few ahead of their use."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

AHEAD = 6
"""So many are made before the first is taken."""


def ahead(make: Callable[[int], Iterator[T]]) -> Callable[[int], Iterator[T]]:
    """The same endless iterators; what they yield is made while what came before is in use.

    Cutting and learning take turns no more: each has its processor. An error in the making is
    raised where the thing is taken.
    """

    def iterate(seed: int) -> Iterator[T]:
        things = make(seed)
        pool = ThreadPoolExecutor(1)
        try:
            waiting = deque(pool.submit(next, things) for _ in range(AHEAD))
            while True:
                yield waiting.popleft().result()
                waiting.append(pool.submit(next, things))
        finally:
            pool.shutdown(cancel_futures=True)

    return iterate
