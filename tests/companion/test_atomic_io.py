"""Files that are written: for their owner alone, whole or not at all, through no link."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from companion.atomic_io import write_private
from companion.cli.main import main
from companion.core.registry import get_game
from companion.errors import CompanionError
from mobile.model import exports, saved_table, settings, zones
from mobile.model.table import Table

MATCH = Path(__file__).parent.parent / "golden"


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777])
def mask(request):
    """Masks from none to one that would leave the owner nothing."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_files_are_their_owners_alone_whatever_the_mask(tmp_path, mask):
    path = tmp_path / "a" / "b" / "c.txt"
    write_private(path, "first", folders=True)
    assert mode(path) == 0o600
    assert mode(path.parent) == mode(path.parent.parent) == 0o700
    path.chmod(0o644)
    write_private(path, b"second")
    assert path.read_bytes() == b"second"
    assert mode(path) == 0o600
    assert [p.name for p in path.parent.iterdir()] == ["c.txt"]


def test_everything_that_is_kept_or_exported_is_written_so(tmp_path, mask):
    folder = tmp_path / "data"
    settings.save(folder, settings.Settings())
    saved_table.save(folder, 1, saved_table.Watched("standard", camera=True))
    zones.save(folder, zones.WHOLE)
    game = get_game("precognition")
    exports.export(Table(game, game.setup(["Ann", "Bo"])), folder)
    match = next((MATCH / "precognition").glob("*.txt"))
    assert main(["export", str(match), str(folder / "m.html"), "--as", "public"]) == 0
    found = [path for path in folder.rglob("*") if path.is_file()]
    assert len(found) == 5
    assert {mode(path) for path in found} == {0o600}
    assert {mode(path) for path in (folder, *folder.rglob("*")) if path.is_dir()} == {0o700}


def test_no_link_is_followed_and_nothing_but_a_file_is_replaced(tmp_path):
    target = tmp_path / "target"
    target.write_text("kept")
    (tmp_path / "link").symlink_to(target)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("link", "dangling", "pipe", "folder"):
        with pytest.raises(CompanionError, match=f"{name} cannot be written: it is a") as caught:
            write_private(tmp_path / name, "new")
        assert len(caught.value.message.splitlines()) == 1
    with pytest.raises(CompanionError, match="cannot be written"):
        write_private(Path("/dev/null"), "new")
    assert target.read_text() == "kept"
    assert not (tmp_path / "nowhere").exists()
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_what_cannot_be_written_leaves_the_older_file(tmp_path, monkeypatch):
    path = tmp_path / "a"
    write_private(path, "older")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CompanionError, match="No space left on device"):
        write_private(path, "newer")
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_an_export_to_a_link_is_refused_in_one_line(tmp_path, capfd):
    match = next((MATCH / "precognition").glob("*.txt"))
    (tmp_path / "page.html").symlink_to(tmp_path / "elsewhere.html")
    assert main(["export", str(match), str(tmp_path / "page.html"), "--as", "public"]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert not (tmp_path / "elsewhere.html").exists()
