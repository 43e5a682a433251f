"""Names of the cameras that may be watched, and what they can do; imports nothing heavy."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

#: Names of live sources, each with an optional number: `camera`, `camera:1`. All other sources are
#: clips: their frames have times of their own and can be waited for.
LIVE = ("camera", "picamera")


def is_live(name: str) -> bool:
    """Whether a source of that name delivers what is there now, and cannot be waited for."""
    kind, _, number = name.partition(":")
    return kind in LIVE and (number.isdecimal() or not number)


@runtime_checkable
class WithTorch(Protocol):
    """A camera that may have a light.

    Attributes:
        has_torch: whether the light can stay on; known once it is open.
    """

    has_torch: bool

    def set_torch(self, on: bool) -> None:
        """Turns the light on or off."""
        ...


@runtime_checkable
class WithFocusLock(Protocol):
    """A camera that may be able to keep its focus.

    Attributes:
        has_focus_lock: whether it can; known once it is open.
    """

    has_focus_lock: bool

    def lock_focus(self, locked: bool) -> None:
        """Keeps the focus where it is, or lets the camera find it again."""
        ...
