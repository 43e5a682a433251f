"""What is remembered beside a match, what games need, and which cameras there are."""

import queue
import sys
import types
from pathlib import Path

import pytest

from companion.core.registry import all_games, get_game
from mobile.model import cameras, exports, saved_table, seating, sharing, speech
from mobile.model.camera_worker import Eyes
from mobile.model.saved_table import Watched
from mobile.resources import texts


def test_how_a_match_was_watched_is_remembered(tmp_path):
    assert saved_table.load(tmp_path, 3) == Watched()
    saved_table.save(tmp_path, 3, Watched("french", True))
    saved_table.save(tmp_path, 4, Watched("standard", False))
    assert saved_table.load(tmp_path, 3) == Watched("french", True)
    assert not saved_table.load(tmp_path, 4).camera
    for damaged in ("[]", "no json", '{"3": 7}'):
        (tmp_path / saved_table.FILE).write_text(damaged)
        assert saved_table.load(tmp_path, 3) == Watched()


def test_old_matches_are_forgotten(tmp_path):
    for number in range(230):
        saved_table.save(tmp_path, number, Watched("french", True))
    assert saved_table.load(tmp_path, 29) == Watched()
    assert saved_table.load(tmp_path, 229).camera


def test_what_a_game_needs_is_said():
    assert seating.needed(get_game("gotcha")) == "52 cards"
    assert seating.needed(get_game("missing-persons")) == "Standard 52 and two jokers"
    assert "," in seating.needed(get_game("deduction"))
    assert seating.to_print(get_game("gotcha")) == ()
    assert seating.to_print(get_game("suspense")) == ("suspense",)


def test_decks_are_printed_and_a_folder_in_the_way_is_told(tmp_path):
    (path,) = exports.print_decks(("suspense",), tmp_path)
    assert path.read_bytes().startswith(b"%PDF")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "exports").write_text("")
    with pytest.raises(exports.CompanionError, match="cannot be made"):
        exports.print_decks(("suspense",), tmp_path / "x")


def test_a_kept_file_is_shown_in_its_folder(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(sharing.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(
        sharing.subprocess, "Popen", lambda command, **_more: opened.append(command)
    )
    assert sharing.share(tmp_path / "a.png")
    assert opened == [["/bin/xdg-open", str(tmp_path)]]
    monkeypatch.setattr(sharing.shutil, "which", lambda _name: None)
    assert not sharing.share(tmp_path / "a.png")


def test_cameras_are_told_apart_by_their_names(tmp_path):
    for n, name, index in ((0, "Webcam", "0"), (1, "Webcam", "1"), (10, "Other", "0")):
        folder = tmp_path / f"video{n}"
        folder.mkdir()
        (folder / "name").write_text(f"{name}\n")
        (folder / "index").write_text(index)
    found = [(c.source, c.title) for c in cameras.cameras(tmp_path)]
    assert found == [("camera:0", "Webcam"), ("camera:10", "Other")]
    assert cameras.resolved("camera") == "camera"
    assert cameras.cameras(tmp_path / "none") == ()


def test_a_pi_camera_is_meant_first(tmp_path, monkeypatch):
    listed = [{"Model": "imx708", "Id": "/base/soc/i2c"}, {"Model": "C270", "Id": "/base/usb@1"}]
    own = types.SimpleNamespace(global_camera_info=lambda: listed)
    monkeypatch.setitem(sys.modules, "picamera2", types.SimpleNamespace(Picamera2=own))
    assert cameras.cameras(tmp_path)[0].title == texts.CAMERA_PI.format(model="imx708")
    assert [c.source for c in cameras.cameras(tmp_path)] == ["picamera:0"]
    assert cameras.resolved("camera") == "picamera"
    assert cameras.resolved("camera:1") == "camera:1"


def test_torch_and_focus_are_the_sources_where_it_has_them():
    class Lit:
        has_torch, has_focus_lock = True, False

        def set_torch(self, on):
            self.lit = on

    from companion.decks import get_deck

    lit, dark = Lit(), object()
    eyes = Eyes(lit, lambda: None, get_deck(), zone=None, is_clip=False)
    eyes.set_torch(True)
    eyes.lock_focus(True)
    assert lit.lit
    assert (eyes.torch_on, eyes.focus_locked) == (True, False)
    eyes = Eyes(dark, lambda: None, get_deck(), zone=None, is_clip=False)
    eyes.set_torch(True)
    assert (eyes.has_torch, eyes.torch_on) == (False, False)


def test_no_screen_knows_a_game_by_name():
    root = Path(texts.__file__).parents[1]
    files = [path for kind in ("*.py", "*.kv") for path in (root / "screens").glob(kind)]
    files += [path for kind in ("*.py", "*.kv") for path in (root / "widgets").glob(kind)]
    models = ("table", "actions", "camera_worker", "notepads")
    files += [root / "model" / f"{name}.py" for name in models]
    for path in files:
        text = path.read_text("utf-8")
        for game in all_games():
            module = game.name.replace("-", "_")
            named = [f'"{game.name}"', f'"{module}"', f"games.{module}", game.info.title.upper()]
            named += [f"import {game.info.title}", f'"{game.info.title}"']
            found = [word for word in named if word in text]
            # Suits are of families of cards, and one family is called as its game is.
            assert [word for word in found if f"Family.{word}" not in text] == [], path.name


def test_what_the_referee_says_is_said_aloud_where_there_is_a_voice(monkeypatch):
    monkeypatch.setitem(sys.modules, "plyer", None)
    assert speech.voice() is None
    speech.say("nobody hears this")
    said = queue.Queue()

    def speak(message):
        said.put(message)
        raise RuntimeError("the platform's voice has a cold")

    tts = types.SimpleNamespace(speak=speak)
    monkeypatch.setitem(sys.modules, "plyer", types.SimpleNamespace(tts=tts))
    speech.say("Ann wins.")
    assert said.get(timeout=10) == "Ann wins."
