"""Texts that do not fit: cut off by their own widget, broken within a word, or under another text.

Both are found from the widgets' places, so they are found in every language and text size.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

#: Pixels by which a text may stick out: glyphs have side bearings and empty descents.
_SLACK = 3.0

Box = tuple[float, float, float, float]


def open_sheets() -> list[Any]:
    """The sheets over the screen, the topmost first."""
    from kivy.core.window import Window

    from mobile.widgets.basic import Sheet

    return [child for child in Window.children if isinstance(child, Sheet)]


def texts_in_sight() -> Iterator[Any]:
    """Every label with a text that is not hidden, on the topmost sheet or else on the screen."""
    from kivy.core.window import Window
    from kivy.uix.label import Label

    for widget in (open_sheets() or Window.children)[0].walk():
        is_text = isinstance(widget, Label) and widget.text.strip()
        if is_text and all(one.opacity for one in with_parents(widget)):
            yield widget


def with_parents(widget: Any) -> Iterator[Any]:
    """A widget and everything that it lies in."""
    while widget is not None and widget is not widget.parent:
        yield widget
        widget = widget.parent


def misfits() -> list[str]:
    """What is wrong with the texts in sight, each in words; empty where all of them fit."""
    from mobile.widgets.basic import word_width

    found, boxes = [], []
    for widget in texts_in_sight():
        width, height = widget.texture_size
        room = widget.text_size[0]
        if room and not getattr(widget, "may_break", False):
            words = (
                w for w in widget.text.split() if word_width(w, widget, widget.font_size) > room
            )
            found += [f"broken: {word!r}" for word in words]
        if width > widget.width + _SLACK or height > widget.height + _SLACK:
            found.append(f"cut: {widget.text[:40]!r}")
        _, box = text_boxes(widget)
        if box[0] < box[2] and box[1] < box[3]:
            boxes.append((box, widget.text))
    for (first, one), (second, other) in combinations(boxes, 2):
        if _overlap(first, second):
            found.append(f"overlap: {one[:30]!r} and {other[:30]!r}")
    return found


def text_boxes(widget: Any) -> tuple[Box, Box]:
    """Left, bottom, right and top of a text in the window; whole, and cut by what it scrolls in."""
    from kivy.uix.scrollview import ScrollView

    width, height = widget.texture_size
    left, bottom = widget.to_window(widget.center_x - width / 2, widget.center_y - height / 2)
    whole = box = left, bottom, left + width, bottom + height
    for parent in with_parents(widget.parent):
        if isinstance(parent, ScrollView):
            x, y = parent.to_window(*parent.pos)
            right, top = x + parent.width, y + parent.height
            box = max(box[0], x), max(box[1], y), min(box[2], right), min(box[3], top)
    return whole, box


def _overlap(first: Box, second: Box) -> bool:
    across = min(first[2], second[2]) - max(first[0], second[0])
    up = min(first[3], second[3]) - max(first[1], second[1])
    return across > _SLACK and up > 2 * _SLACK
