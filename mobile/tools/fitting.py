"""Texts that do not fit: cut off by their own widget, broken within a word, or under another text.

Both are found from the widgets' places, so they are found in every language and text size.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

#: Pixels by which a text may stick out: glyphs have side bearings and empty descents.
_SLACK = 3.0

Box = tuple[float, float, float, float]


def misfits() -> list[str]:
    """What is wrong with the texts in sight, each in words; empty where all of them fit."""
    from kivy.core.window import Window
    from kivy.uix.label import Label

    from mobile.widgets.basic import Sheet, word_width

    sheets = [child for child in Window.children if isinstance(child, Sheet)]
    found, boxes = [], []
    for widget in (sheets or Window.children)[0].walk():
        if not isinstance(widget, Label) or not widget.text.strip() or _is_hidden(widget):
            continue
        width, height = widget.texture_size
        room = widget.text_size[0]
        if room and not getattr(widget, "may_break", False):
            words = (
                w for w in widget.text.split() if word_width(w, widget, widget.font_size) > room
            )
            found += [f"broken: {word!r}" for word in words]
        if width > widget.width + _SLACK or height > widget.height + _SLACK:
            found.append(f"cut: {widget.text[:40]!r}")
        box = _text_box(widget)
        if box is not None:
            boxes.append((box, widget.text))
    for (first, one), (second, other) in combinations(boxes, 2):
        if _overlap(first, second):
            found.append(f"overlap: {one[:30]!r} and {other[:30]!r}")
    return found


def _is_hidden(widget: Any) -> bool:
    while widget is not None and widget is not widget.parent:
        if widget.opacity == 0:
            return True
        widget = widget.parent
    return False


def _text_box(widget: Any) -> Box | None:
    """Left, bottom, right and top of a text in the window, cut by the views it scrolls in."""
    from kivy.uix.scrollview import ScrollView

    width, height = widget.texture_size
    left, bottom = widget.to_window(widget.center_x - width / 2, widget.center_y - height / 2)
    box = left, bottom, left + width, bottom + height
    parent = widget.parent
    while parent is not None and parent is not parent.parent:
        if isinstance(parent, ScrollView):
            x, y = parent.to_window(*parent.pos)
            box = (
                max(box[0], x),
                max(box[1], y),
                min(box[2], x + parent.width),
                min(box[3], y + parent.height),
            )
        parent = parent.parent
    return box if box[0] < box[2] and box[1] < box[3] else None


def _overlap(first: Box, second: Box) -> bool:
    across = min(first[2], second[2]) - max(first[0], second[0])
    up = min(first[3], second[3]) - max(first[1], second[1])
    return across > _SLACK and up > 2 * _SLACK
