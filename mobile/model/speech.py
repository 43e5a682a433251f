"""Says sentences aloud where the device can; where it cannot, nothing happens."""

from __future__ import annotations

import threading
from typing import Any


def voice() -> Any:
    """Plyer's text to speech, None where it is not installed or the platform has none."""
    try:
        from plyer import tts
    except ImportError:
        return None
    return tts


def say(text: str) -> None:
    """Says a text without waiting for its end."""
    speaker = voice()
    if speaker is None:
        return

    def speak() -> None:
        try:
            speaker.speak(message=text)
        except Exception:  # noqa: BLE001 - what a platform's voice raises is not known
            return

    threading.Thread(target=speak, name="voice", daemon=True).start()
