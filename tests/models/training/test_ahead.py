from __future__ import annotations

import itertools
import threading

import pytest

from models.training.ahead import AHEAD, ahead


def test_they_come_in_order_and_are_made_elsewhere():
    makers = set()

    def squares(seed):
        for k in itertools.count(seed):
            makers.add(threading.get_ident())
            yield k * k

    assert list(itertools.islice(ahead(squares)(3), 20)) == [k * k for k in range(3, 23)]
    assert makers.isdisjoint({threading.get_ident()})


def test_only_a_few_are_made_ahead():
    made = []

    def numbers(seed):
        for k in itertools.count(seed):
            made.append(k)
            yield k

    numbered = ahead(numbers)(0)
    for _ in range(5):
        next(numbered)
    numbered.close()
    assert len(made) <= 5 + AHEAD


def test_an_error_is_raised_where_the_thing_is_taken():
    def breaks(seed):
        yield seed
        raise ValueError("no scenes")

    taken = ahead(breaks)(7)
    assert next(taken) == 7
    with pytest.raises(ValueError, match="no scenes"):
        next(taken)
