"""The garbage collector waits during a counting, and only then."""

from __future__ import annotations

import gc
import random
import threading
import weakref
from contextlib import suppress

import pytest

from companion.bench_notepad import states
from companion.core.registry import all_games
from companion.gc_pause import collector_paused
from companion.notepad.base import open_notepad


def test_the_collector_waits_and_goes_on_even_after_an_error() -> None:
    with suppress(ValueError), collector_paused():
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise ValueError
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_it_waits_for_the_last_thread() -> None:
    inside, leave = threading.Event(), threading.Event()

    def count() -> None:
        with collector_paused():
            inside.set()
            leave.wait(10)

    worker = threading.Thread(target=count)
    with collector_paused():
        worker.start()
        assert inside.wait(10)
    assert not gc.isenabled()
    leave.set()
    worker.join()
    assert gc.isenabled()


def test_what_gathers_meanwhile_is_collected_afterwards() -> None:
    class Ring:
        """Refers to itself, so that only the collector frees it."""

    with collector_paused():
        ring = Ring()
        ring.__dict__["self"] = ring
        gone = weakref.ref(ring)
        del ring
        held = [[] for _ in range(100_000)]
        assert gone() is not None
    held += [[] for _ in range(100_000)]
    assert gone() is None


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_no_collection_falls_into_a_notepads_counting(game) -> None:
    pads = []
    for view in states(game, random.Random(5)):
        pads.append(open_notepad(game, view))
        if len(pads) == 20:
            break
    inside, begun, finished = False, 0, 0

    def note(phase: str, _info: dict[str, int]) -> None:
        nonlocal begun
        begun += phase == "start" and inside

    thresholds = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(20, 1, 1)
    try:
        for pad in pads:
            work = pad._work_out

            def watched(work=work) -> None:
                nonlocal inside, finished
                inside = True
                work()
                inside, finished = False, finished + 1

            pad._work_out = watched
            pad.marginals()
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(note)
    assert (begun, finished) == (0, 20)
