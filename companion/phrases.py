"""Sentences that remember how they were made.

A sentence is a plain `str` in English that also carries the template it was made from and the
values of its fields. An interface in another language looks the template up and fills in the same
fields; nothing in this package does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

#: A smaller chance than this is none, in whole percents.
_SURE = 0.005


class Phrase(str):
    """A sentence or a part of one.

    Attributes:
        template: it with names in braces, as for `str.format`.
        fields: what stands in their places; sentences among them may be made in the same way.
    """

    __slots__ = ("fields", "template")
    template: str
    fields: Mapping[str, object]


class Name(str):
    """A person's name: no language translates it, though it may be one of its words (`One`)."""

    __slots__ = ()


def N_(text: str) -> str:  # noqa: N802 - the name that gettext's tools look for
    """Marks a text that is translated where it is shown; returns it as it is."""
    return text


def phrase(template: str, **fields: object) -> str:
    """Makes a `Phrase`; its type is `str`, since most callers need only the words.

    Args:
        template: the sentence with names in braces, as for `str.format`.
        fields: what stands in their places.
    """
    text = Phrase(template.format_map(fields))
    text.template, text.fields = template, fields
    return text


def percent(chance: float) -> str:
    """A chance, 0 to 1, in words: `7 %`; only what is certain is 0 % or 100 %."""
    if 0 < chance < _SURE:
        return phrase("less than {n} %", n=1)
    if 1 - _SURE < chance < 1:
        return phrase("more than {n} %", n=99)
    return f"{round(chance * 100)} %"


def about(chance: float) -> str:
    """An estimated chance, 0 to 1, in words: `about 7 %`, `more than 99 %`; never certain."""
    if chance < _SURE or chance > 1 - _SURE:
        return percent(min(max(chance, _SURE / 2), 1 - _SURE / 2))
    return phrase("about {n} %", n=round(chance * 100))


def decimal(number: float, places: int = 2) -> str:
    """A number with so many places after the point, which other languages write in their way."""
    whole, part = f"{number:.{places}f}".split(".")
    return phrase("{whole}.{part}", whole=whole, part=part)


def number_of_cards(number: int) -> str:
    """A number of cards in words: `1 card`, `3 cards`."""
    return phrase("{number} card" if number == 1 else "{number} cards", number=number)


def joined(separator: str, parts: Iterable[str]) -> str:
    """Sentences or parts in a row, each still with its own template.

    Args:
        separator: what stands between them; no braces.
        parts: in their order.
    """
    fields = {f"part{k}": part for k, part in enumerate(parts)}
    return phrase(separator.join(f"{{{name}}}" for name in fields), **fields)


def capitalised(text: str) -> str:
    """A part of a sentence with a capital, to begin it."""
    first = text[:1].upper() + text[1:]
    if isinstance(text, Phrase) and not text.template.startswith("{"):
        return phrase(text.template[:1].upper() + text.template[1:], **text.fields)
    return first
