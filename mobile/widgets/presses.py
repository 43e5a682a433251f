"""Touches count only on what the person has had time to see.

A button that is touched is often replaced by another one in the same place: the next player's
answer, another question of the camera. A second touch of the same finger, some 170 ms later, would
act on it. So whenever what the buttons mean has changed, touches that began before it, or within
`QUIET` seconds after it was drawn, do nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from kivy.clock import Clock
from kivy.core.window import Window
from kivy.uix.behaviors import ButtonBehavior

#: Seconds. Two touches of a double touch are 50 to 350 ms apart.
QUIET = 0.4
_BEGAN = "began"


class TouchGuard:
    """Knows since when a touch counts.

    Attributes:
        clock: gives the time in seconds; it never goes back.
        since: touches that begin from this time on count; infinite until a change is drawn.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.since = -math.inf
        self._drawn = Clock.create_trigger(self._shown)

    def watch(self) -> None:
        """Notes from now on when each touch of the window begins."""
        Window.bind(on_touch_down=self._begin)

    def changed(self) -> None:
        """What the buttons mean has changed; touches count again when it was in sight for long."""
        self.since = math.inf
        self._drawn()

    def counts(self, touch: Any) -> bool:
        """Whether a touch may do something."""
        began: float = touch.ud.get(_BEGAN, -math.inf)
        return began >= self.since

    def _begin(self, _window: object, touch: Any) -> bool:
        touch.ud[_BEGAN] = self.clock()
        return False

    def _shown(self, _seconds: float) -> None:
        self.since = self.clock() + QUIET


GUARD = TouchGuard()


class Pressable(ButtonBehavior):
    """A button that only touches press which count."""

    # Of the widget that it is mixed into.
    collide_point: Any

    def on_touch_down(self, touch: Any) -> bool:
        """Takes a touch; one that does not count ends here."""
        if not GUARD.counts(touch) and self.collide_point(*touch.pos):
            return not touch.is_mouse_scrolling
        return bool(super().on_touch_down(touch))

    def on_touch_up(self, touch: Any) -> bool:
        """Lets go; nothing happens where what the button means has changed under the finger."""
        if touch.grab_current is self and not GUARD.counts(touch):
            touch.ungrab(self)
            self._do_release()
            return True
        return bool(super().on_touch_up(touch))
