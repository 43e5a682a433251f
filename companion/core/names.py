"""Players' names: what can be one, how long it is as people count, and when two are the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from companion.errors import UnreadableError

#: Most characters of a name, as people count them.
MAX_NAME = 20
#: More code points than any name of so many characters needs: accents can be piled up for ever.
_MOST_POINTS = 8 * MAX_NAME
#: The notation's own signs. A quotation mark would begin a quoted text on every line with the name.
_RESERVED = re.compile(r"[:*,;\"]")
#: Thai and Lao AM: letters to Unicode's categories, parts of the letter before to UAX 29.
_VOWEL_SIGNS = frozenset("\u0e33\u0eb3")
#: What joins several emoji into one, and the characters that say how one is drawn.
_JOINER = "\u200d"
#: Keeps two letters apart that would join, as in many Persian names.
_NO_JOINER = "\u200c"
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
_TAGS = range(0xE0020, 0xE0080)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)


def clean_name(name: str) -> str:
    """A name as it is kept: composed (NFC), with single spaces inside and none around."""
    return " ".join(unicodedata.normalize("NFC", name).split())


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """What two names have in common that people cannot tell apart: NFKC, without case.

    What has no look of its own makes no name another one: joiners, how a sign is drawn, fillers.
    """
    folded = unicodedata.normalize("NFKC", clean_name(name)).casefold()
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", folded))


def characters(name: str) -> int:
    """How many characters people count in a text: its grapheme clusters.

    The rules of Unicode Standard Annex 29 as far as names need them: accents and signs of
    drawing belong to the letter before, a joiner joins what follows, two letters make a flag.
    """
    count = 0
    joins = is_half_flag = False
    for letter in unicodedata.normalize("NFC", name):
        if _extends(letter):
            joins = letter == _JOINER
            continue
        is_flag_letter = ord(letter) in _FLAG_LETTERS
        if not joins and not (is_flag_letter and is_half_flag):
            count += 1
            is_half_flag = is_flag_letter
        else:
            is_half_flag = False
        joins = False
    return count


def _extends(letter: str) -> bool:
    """Whether a code point belongs to the character before it."""
    return (
        unicodedata.category(letter) in ("Mn", "Me", "Mc")
        or letter in (_JOINER, _NO_JOINER)
        or ord(letter) in _TAGS
        or ord(letter) in _SKIN_TONES
        or letter in _VOWEL_SIGNS
    )


def _is_visible(letter: str) -> bool:
    """Whether a code point is seen, or may stand where it is not: tags only make flags."""
    return letter.isprintable() or (_extends(letter) and ord(letter) not in _TAGS)


def check_names(players: Iterable[str]) -> None:
    """Refuses names that could not be written in a match.

    Raises:
        UnreadableError: names the first bad one and why.
    """
    seen: set[str] = set()
    for name in map(clean_name, players):  # a Greek question mark is a semicolon once composed
        _check_name(name)
        key = name_key(name)
        if key in seen:
            raise UnreadableError("Two players are called “{name}”: names must differ.", name=name)
        seen.add(key)


def _check_name(name: str) -> None:
    if not name.strip():
        raise UnreadableError("A player's name is missing.")
    if _RESERVED.search(name):
        raise UnreadableError(
            "“{name}” cannot be a name: leave out : * , ; and quotation marks.", name=name
        )
    is_blank = not name_key(name)
    if is_blank or not all(map(_is_visible, _FLAG.sub("", name))):
        raise UnreadableError(
            "“{name}” cannot be a name: it holds characters that cannot be seen.",
            name="".join(letter if _is_visible(letter) else "�" for letter in name),
        )
    count = characters(name)
    if not 1 <= count <= MAX_NAME or len(name) > _MOST_POINTS:
        raise UnreadableError(
            "“{name}” is too long for a name: {most} characters at most.", name=name, most=MAX_NAME
        )
    if name_key(name) == "table":
        raise UnreadableError("“table” cannot be a player's name.")
