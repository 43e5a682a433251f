"""The app's sounds: `python -m mobile.resources.sounds` makes the WAV files that are committed.

Each is a handful of decaying sines, so they need nobody's recording and no licence but ours.
"""

from __future__ import annotations

import math
import struct
import sys
import wave
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

RATE = 22050
FOLDER = Path(__file__).parent / "wav"
#: Overtones of a struck bar: how high above its tone, how loud, and how much sooner they are gone.
_WOOD = ((1.0, 1.0, 1.0), (2.76, 0.45, 2.4), (5.4, 0.2, 4.5))
_BELL = ((1.0, 1.0, 1.0), (2.0, 0.35, 1.6), (3.01, 0.14, 2.6))
#: Seconds in which a tone begins; at once would click.
_ATTACK = 0.003


@dataclass(frozen=True, slots=True)
class Tone:
    """One struck tone.

    Attributes:
        pitch: in hertz.
        at: when it begins, in seconds.
        lasts: seconds after which it has fallen to a thousandth.
        loud: its share of the full range.
    """

    pitch: float
    at: float
    lasts: float
    loud: float
    partials: tuple[tuple[float, float, float], ...] = _BELL


#: What is heard when: a card was taken, something was refused, it is somebody's turn, a win.
SOUNDS: Mapping[str, tuple[Tone, ...]] = MappingProxyType(
    {
        "taken": (Tone(440.0, 0.0, 0.16, 0.5, _WOOD),),
        "refused": (Tone(174.6, 0.0, 0.22, 0.5, _WOOD), Tone(146.8, 0.11, 0.3, 0.5, _WOOD)),
        "turn": (Tone(659.3, 0.0, 0.4, 0.22), Tone(880.0, 0.12, 0.55, 0.22)),
        "win": (
            Tone(523.3, 0.0, 0.5, 0.2),
            Tone(659.3, 0.11, 0.5, 0.2),
            Tone(784.0, 0.22, 0.5, 0.2),
            Tone(1046.5, 0.33, 1.0, 0.22),
        ),
    }
)


def samples(tones: tuple[Tone, ...]) -> list[int]:
    """A sound as signed 16-bit samples."""
    length = max(tone.at + tone.lasts for tone in tones)
    out = [0.0] * (round(length * RATE) + 2)
    for tone in tones:
        first = round(tone.at * RATE)
        for n in range(round(tone.lasts * RATE)):
            t = n / RATE
            value = sum(
                share
                * math.exp(-6.9 * t * sooner / tone.lasts)
                * math.sin(2 * math.pi * tone.pitch * high * t)
                for high, share, sooner in tone.partials
            )
            out[first + n] += tone.loud * min(1.0, t / _ATTACK) * value
    return [round(32767 * max(-1.0, min(1.0, value))) for value in out]


def write(name: str, folder: Path) -> Path:
    """Writes a sound as a WAV file, 16 bits, one channel."""
    data = samples(SOUNDS[name])
    path = folder / f"{name}.wav"
    folder.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(struct.pack(f"<{len(data)}h", *data))
    return path


def main() -> int:
    """The command line."""
    for name in SOUNDS:
        path = write(name, FOLDER)
        print(f"{path}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
