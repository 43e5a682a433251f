"""Plays the app's sounds, where the device can; where it cannot, nothing happens."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mobile.android.device import feel, is_android
from mobile.model.sound_cues import Cue
from mobile.resources.sounds import FOLDER

#: Where a Linux system has its sound cards, and where its sound servers answer.
_CARDS = Path("/dev/snd")
_SERVERS = ("pulse/native", "pipewire-0")


def has_output() -> bool:
    """Whether there is anything to play on; looking for it by playing would print complaints."""
    if sys.platform != "linux" or is_android():
        return True
    driver = os.environ.get("SDL_AUDIODRIVER", "")
    if driver in ("dummy", "disk"):
        return driver == "disk"
    home = os.environ.get("XDG_RUNTIME_DIR", "")
    served = any((Path(home) / name).exists() for name in _SERVERS) if home else False
    cards = any(_CARDS.glob("pcm*p")) if _CARDS.is_dir() else False
    return served or cards or "PULSE_SERVER" in os.environ


class Sounds:
    """One thread that loads each sound when it is first wanted, and plays it.

    Opening the device may take a while, and a touch must not wait for it.
    """

    def __init__(self) -> None:
        self._wanted: queue.SimpleQueue[Cue] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loaded: dict[Cue, Any] = {}

    def play(self, cue: Cue) -> None:
        """Plays a sound, and lets the device be felt; returns at once."""
        feel(is_strong=cue in (Cue.REFUSED, Cue.WIN))
        if self._thread is None and has_output():
            self._thread = threading.Thread(target=self._work, name="sounds", daemon=True)
            self._thread.start()
        if self._thread is not None:
            self._wanted.put(cue)

    def _work(self) -> None:
        while True:
            self._play(self._wanted.get())

    def _play(self, cue: Cue) -> None:
        try:
            if cue not in self._loaded:
                with _quiet():
                    from kivy.core.audio import SoundLoader

                    self._loaded[cue] = SoundLoader.load(str(FOLDER / f"{cue.value}.wav"))
            sound = self._loaded[cue]
            if sound is not None:
                sound.stop()
                sound.play()
        except Exception:  # noqa: BLE001 - what a platform's sound raises is not known
            self._loaded[cue] = None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Sound libraries write straight to the error output where a device does not answer."""
    with contextlib.ExitStack() as stack:
        try:
            kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        except OSError:  # a program without an error output
            yield
            return
        stack.callback(os.close, kept)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        stack.callback(os.dup2, kept, 2)
        yield
