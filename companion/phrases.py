"""Sentences that remember how they were made.

A sentence is its English words, a plain `str` to everything here, and beside that the template it
was made from with what stands in its places. Who shows it in another language looks the template
up and fills in the same places; nothing in this package does.
"""

from __future__ import annotations

from collections.abc import Mapping


class Phrase(str):
    """A sentence or a part of one.

    Attributes:
        template: it with names in braces, as for `str.format`.
        fields: what stands in their places; sentences among them may be made in the same way.
    """

    __slots__ = ("fields", "template")
    template: str
    fields: Mapping[str, object]


def phrase(template: str, **fields: object) -> str:
    """Makes a `Phrase`, for whoever asks for the words alone a plain text.

    Args:
        template: the sentence with names in braces, as for `str.format`.
        fields: what stands in their places.
    """
    text = Phrase(template.format_map(fields))
    text.template, text.fields = template, fields
    return text
