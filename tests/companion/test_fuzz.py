import os
from dataclasses import replace

import cv2
import pytest

from companion.errors import CompanionError
from tests.benchmarks.mutated import line, one, run
from tests.benchmarks.mutated_kinds import KINDS
from tests.companion.fuzz import fuzz


@pytest.mark.soak
def test_mutated_lines_and_files_raise_only_our_own_errors():
    count = 20_000 if os.environ.get("SOAK_EVENTS") else 1_500
    applied, read = fuzz(count, seed=1)
    assert applied > count // 50
    assert read > count // 50


@pytest.mark.soak
@pytest.mark.parametrize("name", KINDS)
def test_mutated_files_of_every_kind_are_read_or_refused_in_a_line(tmp_path, name):
    kind = KINDS[name]
    kind.prepare(tmp_path)
    count = int(400 * kind.weight) if os.environ.get("SOAK_EVENTS") else 20
    found = [one(kind, 5, number, tmp_path) for number in range(count)]
    assert [(o.number, o.crash) for o in found if o.crash] == []
    assert max(o.seconds for o in found) < 10


def test_undamaged_files_of_every_kind_are_read(tmp_path):
    for kind in KINDS.values():
        folder = tmp_path / kind.name
        folder.mkdir()
        whole = replace(kind, harm=lambda data, rng: data)
        whole.prepare(folder)
        told = [one(whole, 0, number, folder) for number in range(3)]
        # OpenCV 4.10 reads no GIF, and is said not to.
        refused = kind.name == "gif" and not cv2.haveImageWriter(".gif")
        assert [bool(o.told) for o in told] == [refused] * 3, (kind.name, told)
        assert [o.crash for o in told if o.crash] == []


def raising(error):
    def read(path, rng):
        raise error

    return read


def test_what_breaks_a_promise_is_seen(tmp_path):
    lens = KINDS["lens"]
    lens.prepare(tmp_path)
    for error, says in (
        (ValueError("no"), "ValueError: no"),
        (RecursionError(), "RecursionError"),
        (CompanionError("one\ntwo"), "not one line"),
    ):
        assert says in one(replace(lens, read=raising(error)), 0, 0, tmp_path).crash
    assert one(replace(lens, read=raising(CompanionError("no"))), 0, 0, tmp_path).told


def test_a_kind_is_read_in_a_process_of_its_own():
    (tally,) = run(60, only=("lens",)).values()
    assert (tally.files, tally.crashes) == (60, [])
    assert 0 < tally.told < 60
    assert tally.good
    assert "60" in line("lens", tally)
