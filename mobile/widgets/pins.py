"""Entering a PIN: a number pad beside the line, and setting one by typing it twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from kivy.properties import ObjectProperty, StringProperty

from companion.journal.players import check_pin
from mobile.resources import texts
from mobile.widgets.basic import Grid, Key, Sheet, offer, saying
from mobile.widgets.ui import load_layout

#: Rubs out the last digit.
RUB = "⌫"
_KEYS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "", "0", RUB)


class NumberPad(Grid):
    """Ten digits; each goes into a line, which takes words from the keyboard as well."""

    line = ObjectProperty(None, allownone=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(cols=3, **kwargs)
        for text in _KEYS:
            look = {"value": text, "disabled": not text, "opacity": 1 if text else 0}
            offer(self, text, partial(self.press, text), Key, **look)

    def press(self, digit: str) -> None:
        """A key of the pad."""
        if self.line is not None:
            text = self.line.text
            self.line.text = text[:-1] if digit == RUB else text + digit


class PinSheet(Sheet):
    """Sets a PIN: the old one where there is one, then the new one twice.

    Args:
        then: called with the new and the old PIN; returns why it cannot be set, empty if it was.
    """

    lead = StringProperty()
    error = StringProperty()

    def __init__(self, name: str, *, has_old: bool, then: Callable[[str, str], str]) -> None:
        super().__init__()
        self._asks = [texts.PIN_NEW.format(name=name), texts.PIN_AGAIN]
        if has_old:
            self._asks.insert(0, texts.PIN_OLD)
        self._has_old, self._then = has_old, then
        self._given: list[str] = []
        self.lead = self._asks[0]

    def go_on(self) -> None:
        """Takes what was typed, and asks for what comes after it."""
        given = self.ids.line.text.strip()
        self.ids.line.text = self.error = ""
        # An empty new one takes the old one away.
        if len(self._given) == len(self._asks) - 2 and (given or not self._has_old):
            with saying(self, "error"):
                check_pin(given)
            if self.error:
                return
        self._given.append(given)
        if len(self._given) < len(self._asks):
            self.lead = self._asks[len(self._given)]
            return
        old = self._given[0] if self._has_old else ""
        new, again = self._given[-2:]
        self.error = texts.PIN_UNLIKE if new != again else self._then(new, old)
        if self.error:
            self._given, self.lead = [], self._asks[0]
        else:
            self.dismiss(animation=False)


load_layout(__file__)
