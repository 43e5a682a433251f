import os
import shutil
import tempfile
from pathlib import Path

import pytest

from companion.journal import store
from tests.companion.journal.play import Place, everything, script


@pytest.fixture(autouse=True, scope="package")
def hasty():
    """Does not wait for the disk, which only a loss of power would show (see test_store)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "SYNCHRONOUS", "OFF")
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    return Place(tmp_path)


@pytest.fixture
def played(place):
    """A closed journal of one session of twenty lines, and what is expected of it."""
    game, setup, lines = script("gotcha")
    with place.open() as journal:
        session = journal.begin(game, setup)
        session.referee.submit_all(lines[:20])
        place.expected = everything(session.referee)
    return place


@pytest.fixture
def other(tmp_path_factory):
    """Another device: another folder, other keys."""
    return Place(tmp_path_factory.mktemp("other"))


@pytest.fixture
def plain_user():
    """A folder of somebody whom file modes bind, and the means to become them (root is not)."""
    folder = Path(tempfile.mkdtemp())
    somebody = 65534
    was = os.geteuid()
    if was == 0:
        os.chown(folder, somebody, somebody)
        os.seteuid(somebody)
    yield folder
    if was == 0:
        os.seteuid(was)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700)
    shutil.rmtree(folder)
