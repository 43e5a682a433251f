"""Sounds: when one is heard, the files that the script makes, and silence without a device."""

import subprocess
import sys
import wave

import numpy as np
import pytest

from companion.cards import card, parse_cards
from companion.core.events import private
from companion.core.registry import get_game
from mobile.model import demo_script
from mobile.model.sound_cues import Cue, Cues
from mobile.model.table import Table
from mobile.resources import sounds

GAME = get_game("precognition")


def table():
    return Table(GAME, GAME.setup(["Ann", "Bo"]))


def test_a_match_is_heard_step_by_step():
    cues, played = Cues(), table()
    assert cues.news(played) is None  # a table that is opened is silent
    assert cues.news(played) is None
    played.do(private(0, "predict", "U"))
    assert cues.news(played) is Cue.TURN
    played.do(private(1, "predict", "DD"))
    assert cues.news(played) is Cue.TURN
    played.tap(card("2S"))
    assert cues.news(played) is Cue.TAKEN
    assert not played.do("Ann: predict UUUUUUUUUUUUUU")
    assert cues.news(played) is Cue.REFUSED
    assert cues.news(played) is None  # said once
    played.tap(card("5H"))
    assert cues.news(played) is Cue.TAKEN
    played.undo()
    assert cues.news(played) is None
    played.redo()
    assert cues.news(played) is Cue.TAKEN


def test_the_last_card_is_a_win():
    cues, played, heard = Cues(), demo_script.table(demo_script.load()), []
    cues.news(played)
    for one in parse_cards("2S 6H 5C 4D 7S 9D 7H AC 2H 2D 5S 8C"):
        played.tap(one)
        heard.append(cues.news(played))
    assert played.state.table.match_over
    assert heard == [*[Cue.TAKEN] * 11, Cue.WIN]


def test_another_table_is_silent():
    cues, first, second = Cues(), table(), table()
    cues.news(first)
    second.do(private(0, "predict", "U"))
    assert cues.news(second) is None


def test_what_is_heard_does_not_tell_a_secret():
    """Whatever is predicted sounds alike."""
    heard = set()
    for text in ("U", "DDD", "S"):
        cues, played = Cues(), table()
        cues.news(played)
        played.do(private(0, "predict", text))
        heard.add(cues.news(played))
    assert heard == {Cue.TURN}


@pytest.mark.parametrize("cue", Cue)
def test_the_files_are_what_the_script_makes(cue):
    with wave.open(str(sounds.FOLDER / f"{cue.value}.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 22050)
        kept = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(int)
    made = np.array(sounds.samples(sounds.SOUNDS[cue.value]))
    assert np.abs(kept - made).max() <= 1  # sines may differ in their last digit
    assert 3000 < np.abs(kept).max() < 32767  # to be heard, and nowhere clipped
    assert np.abs(kept[-50:]).max() < 300  # fades out, no click
    assert len(kept) / 22050 <= 1.5


def test_sounds_are_told_apart():
    """By the strongest pitch of their first tenth of a second, and by their length."""
    found = set()
    for cue in Cue:
        data = np.array(sounds.samples(sounds.SOUNDS[cue.value]))
        pitch = np.abs(np.fft.rfft(data[:2205], 22050)).argmax()
        found.add((round(pitch / 20), len(data) // 2000))
    assert len(found) == len(Cue)


@pytest.mark.parametrize("driver", ["", "alsa", "nonsense"])
def test_without_a_device_nothing_is_printed(driver, tmp_path):
    """Where there is no card, no thread begins; where one does not answer, nobody hears of it."""
    code = (
        "import time; from mobile.environment import prepare; from pathlib import Path;"
        f"prepare(Path({str(tmp_path)!r}));"
        "from mobile.widgets import sounds; from mobile.model.sound_cues import Cue;"
        "s = sounds.Sounds();"
        + ("sounds.has_output = lambda: True;" if driver else "assert not sounds.has_output();")
        + "s.play(Cue.WIN); s.play(Cue.TAKEN);"
        + (
            "s._thread.join(2); assert s._thread.is_alive();"
            if driver
            else "assert s._thread is None;"
        )
        + "print('done')"
    )
    env = {"PATH": "/usr/bin", "SDL_AUDIODRIVER": driver or "dummy", "KIVY_HOME": str(tmp_path)}
    env |= {"KIVY_NO_ARGS": "1", "HOME": str(tmp_path), "SDL_VIDEODRIVER": "offscreen"}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "done\n"
    assert ran.stderr == ""
