"""Files that are not what they should be: one line, at once, whatever reads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tracemalloc
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest

from calibration import enrolment, lens
from companion.bounded_io import (
    DEEPEST,
    FileError,
    parse_json,
    parse_toml,
    read_bytes,
    read_json,
    read_stream,
    read_text,
)
from companion.cli.main import main
from companion.cli.stored import read_match_file
from companion.errors import CompanionError
from companion.games.suspense.deckfile import read_conditions
from mobile.model import saved_table, settings, zones
from vision import networks
from vision.inference import model_files
from vision.inference.backend import ModelError
from vision.tracking.zones import load_zones

DEEP = b"[" * 100_000
#: What may stand in a file that should be JSON.
BROKEN = {
    "nested": DEEP,
    "nested objects": b'{"a":' * 100_000,
    "huge whole number": b'{"a": 1' + b"0" * 10_000 + b"}",
    "huge number": b'{"a": 1e999}',
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": -Infinity}',
    "a name twice": b'{"a": 1, "a": 2}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "no UTF-8": b'{"a": "\xff"}',
    "NUL": b'{"a": "\x00"}',
    "escaped NUL": b'{"a": "\\u0000"}',
    "half a character": b'{"a": "\\ud83d"}',
    "cut off": b'{"a": [1, 2',
    "empty": b"",
    "another kind": b"[1, 2]",
    "a bare word": b"null",
}
LOADERS = {
    "deck file": lambda path: read_conditions(str(path)),
    "zones": load_zones,
    "lens": lens.load_lens,
    "enrolled deck": enrolment.load,
    "list of networks": lambda path: model_files.manifest(path.parent),
    "checksums": lambda path: model_files.check_models(path.parent),
    "match": read_match_file,
}
NAMES = {"list of networks": "models.json", "checksums": "checksums.json"}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("kind", LOADERS)
def test_every_loader_tells_in_one_line(tmp_path, kind, content):
    path = tmp_path / NAMES.get(kind, "a.json")
    path.write_bytes(content)
    with pytest.raises(CompanionError) as caught:
        LOADERS[kind](path)
    assert len(caught.value.message.splitlines()) == 1
    assert len(caught.value.message) < 300 + len(str(path))
    assert "a.json" in caught.value.message or kind in NAMES


@pytest.mark.parametrize("kind", LOADERS)
def test_pipes_devices_and_folders_are_no_files(tmp_path, kind):
    path = tmp_path / NAMES.get(kind, "a.json")
    makers = (
        partial(os.mkfifo, path),
        path.mkdir,
        partial(path.symlink_to, "/dev/zero"),
        partial(path.symlink_to, path.name),
    )
    for make in makers:
        make()
        with pytest.raises(CompanionError) as caught:
            LOADERS[kind](path)
        assert len(caught.value.message.splitlines()) == 1
        path.rmdir() if path.is_dir() else path.unlink()


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_what_the_app_keeps_never_stops_it_and_is_set_aside(tmp_path, content):
    path = tmp_path / settings.FILE
    path.write_bytes(content)
    found, said = settings.load(tmp_path)
    assert found == settings.Settings()
    assert path.name in said
    assert len(said.splitlines()) == 1
    assert not path.exists()
    aside = tmp_path / (path.name + ".damaged")
    assert aside.read_bytes() == content
    assert aside.name in said
    assert settings.load(tmp_path) == (settings.Settings(), "")  # said once
    for module, load in ((saved_table, partial(saved_table.load, number=1)), (zones, zones.load)):
        path = tmp_path / module.FILE
        path.write_bytes(content)
        load(tmp_path)
        assert not path.exists()
        assert (tmp_path / (path.name + ".damaged")).read_bytes() == content


def test_a_settings_file_that_is_a_pipe_is_set_aside_too(tmp_path):
    os.mkfifo(tmp_path / settings.FILE)
    found, said = settings.load(tmp_path)
    assert found == settings.Settings()
    assert "set aside" in said
    settings.save(tmp_path, found)
    assert settings.load(tmp_path) == (found, "")


@pytest.mark.parametrize(
    ("key", "value"),
    [("names", "Ann"), ("names", ["A" * 10_000]), ("names", {"a": 1}), ("text_scale", True),
     ("language", ["en"]), ("theme", None), ("camera", "/dev/zero")],
)  # fmt: skip
def test_a_setting_that_cannot_be_used_leaves_the_others(tmp_path, key, value):
    stored = {"theme": "light", "four_colours": True} | {key: value}
    (tmp_path / settings.FILE).write_text(json.dumps(stored), encoding="utf-8")
    found, _ = settings.load(tmp_path)
    assert getattr(found, key) == (True == 0 or getattr(settings.Settings(), key))
    assert found.four_colours


def test_bounds_of_json_are_those_told():
    assert parse_json("[" * DEEPEST + "]" * DEEPEST, "x") is not None
    assert parse_json('["[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\"[[[["]', "x")
    assert parse_json("[9007199254740992, -0.1, 1e300, true, null]", "x")[0] == 2**53
    for text, says in (
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "nested too deeply"),
        ("[9007199254740993]", "too large"),
        ("[0." + "1" * 50 + "]", "too long"),
        ('{"b": 1, "a": 2, "b": 3}', "'b' twice"),
        ("[1,\n2,,]", "line 2, column 3"),
    ):
        with pytest.raises(FileError, match=says):
            parse_json(text, "x")


def test_bounds_of_toml_are_those_told():
    assert parse_toml('a = "[[[[.....{{{"\nb = [1.5, 2.5]  # [[[[[[\n', "x")["b"] == [1.5, 2.5]
    assert parse_toml("a = [" + "1.5, " * 500 + "]", "x")["a"][499] == 1.5
    for text, says in (
        ("a = " + "[" * 50_000, "nested too deeply"),
        (".".join("a" * 50_000) + " = 1", "nested too deeply"),
        ("a = " + "1" * 50_000, "too large"),
        ("a = 0x" + "f" * 50_000, "too large"),
        ("a = nan", "no number|none|too large"),
        ("a = 1\na = 2", "is no TOML"),
        ('a = "\\u0000"', "NUL"),
    ):
        with pytest.raises(FileError, match=says):
            parse_toml(text, "x")


def test_text_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": "\xc3\xa9"}')
    assert read_json(path) == {"a": "é"}
    assert read_text(path).startswith("{")


@pytest.mark.parametrize(
    ("network", "key", "value"),
    [("classifier", "glyphs", ["A"]), ("classifier", "glyphs", "A"), ("locator", "stride", 0),
     ("outliner", "patch", [1]), ("locator", "file", "../locator.onnx"),
     ("classifier", "far_anchor", None)],
)  # fmt: skip
def test_a_list_of_networks_that_does_not_fit_them_is_said(tmp_path, network, key, value):
    folder = Path(model_files.__file__).parents[2] / "models"
    for path in (*folder.glob("*.onnx"), folder / "checksums.json"):
        (tmp_path / path.name).symlink_to(path)
    listed = json.loads((folder / "models.json").read_text("utf-8"))
    listed["models"][network][key] = value
    (tmp_path / "models.json").write_text(json.dumps(listed))
    with pytest.raises(ModelError, match="list of networks") as caught:
        networks.load_networks(tmp_path, threads=1)
    assert len(caught.value.message.splitlines()) == 1
    listed["models"][network].pop(key)
    (tmp_path / "models.json").write_text(json.dumps(listed))
    with pytest.raises(ModelError, match="list of networks"):
        networks.load_networks(tmp_path, threads=1)


def test_a_file_that_grows_past_its_bound_is_refused_unread(tmp_path):
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(FileError, match="too large"):
        read_json(path)


def test_damage_is_one_line_and_exit_2_on_the_command_line(tmp_path, capfd):
    path = tmp_path / "a.txt"
    for content in BROKEN.values():
        path.write_bytes(content)
        for command in (
            ["replay", str(path)],
            ["audit", str(path)],
            ["export", str(path), str(tmp_path / "out.html")],
            ["play", "precognition", "--script", str(path)],
        ):
            assert main(command) == 2
            out, err = capfd.readouterr()
            assert (out, len(err.splitlines())) == ("", 1), (command, err)
            assert err.startswith("companion: ")


def test_an_endless_header_line_is_not_repeated_whole(tmp_path, capfd):
    path = tmp_path / "a.txt"
    path.write_text("game precognition\noption " + "f" * 100_000 + "\n---\n")
    assert main(["replay", str(path)]) == 2
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert str(path) in err
    assert len(err) < 1000


def test_an_endless_event_line_is_refused_at_once(tmp_path):
    path = tmp_path / "a.txt"
    events = ("a " * 50_000, "Bo: " + "[" * 100_000, "Bo* " + " " * 100_000)
    path.write_text("game: precognition\nplayers: Ann, Bo\n---\n" + "\n".join(events))
    started = time.process_time()
    match = read_match_file(path)
    assert all(line.error is not None for line in match.events)
    assert time.process_time() - started < 2


def test_endless_input_has_an_end():
    """Standard input is the one pipe that is read, and no further than a match may be long."""
    with Path("/dev/zero").open("rb") as zero:
        ran = subprocess.run(
            [sys.executable, "-m", "companion", "replay", "-"],
            stdin=zero, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
    assert ran.returncode == 2
    assert ran.stderr.decode().count("\n") == 1


@pytest.mark.parametrize("likely", [None, 0, 3, 8, 100])
def test_a_file_is_read_whole_whatever_size_was_expected(likely):
    assert read_stream(BytesIO(b"12345678"), "a file", 8, likely=likely) == b"12345678"
    with pytest.raises(FileError, match="more than 7 bytes"):
        read_stream(BytesIO(b"12345678"), "a file", 7, likely=likely)


def test_a_small_file_takes_no_more_room_than_it_has(tmp_path):
    path = tmp_path / "small"
    path.write_bytes(b"x" * 1000)
    tracemalloc.start()
    try:
        read_bytes(path, 200_000_000)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
