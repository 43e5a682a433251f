"""Every phone in its own language: the catalogue of the app, and one for the pages' own words."""

from __future__ import annotations

import gettext
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path

from mobile.resources import texts
from mobile.seats import sentences
from mobile.seats.networks import Kind, Network

FOLDER = Path(__file__).parent / "locale"
DOMAIN = "seats"
#: Languages of the pages beside English.
LANGUAGES = tuple(sorted(path.name for path in FOLDER.glob("*") if path.is_dir()))
#: The app has one language in use at a time.
_SPEAKING = threading.RLock()
#: What people call a kind of network; the others go by the name of their interface alone.
_KINDS = {
    Kind.HOTSPOT: sentences.HOTSPOT,
    Kind.WIFI: sentences.WIFI,
    Kind.ETHERNET: sentences.ETHERNET,
    Kind.TUNNEL: sentences.TUNNEL,
}
_WANTED = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{1,3})?))?\s*")


class Language:
    """One language.

    Attributes:
        code: as pages name it, e.g. `de`.
        you: the player whose page speaks it; empty for nobody's own.
    """

    def __init__(self, code: str, you: str = "") -> None:
        self.code, self.you = code, you
        own = gettext.translation(DOMAIN, FOLDER, [code], fallback=True)
        own.add_fallback(texts.catalogue(code))
        self._own = own

    def look_up(self, text: str) -> str:
        """The translation of a sentence, or the sentence itself."""
        return self._own.gettext(text) if text else text

    def told(self, text: object) -> str:
        """What the referee, a notepad, a game or an error says."""
        with texts.addressing(self.you):
            return texts.told(text, self._own)

    @contextmanager
    def spoken(self) -> Iterator[None]:
        """The app's own words are in this language meanwhile, for everything that tells in them."""
        with _SPEAKING, texts.addressing(self.you), texts.spoken(self.code):
            yield

    def say(self, text: str, **fields: object) -> str:
        """A sentence of the pages' own, with what stands in its places."""
        return self.look_up(text).format_map(fields) if fields else self.look_up(text)


def named(network: Network, language: Language) -> str:
    """A network as people choose it."""
    if not network.interface:
        return network.address
    kind = _KINDS.get(network.kind, "")
    template = sentences.NETWORK if kind else sentences.OTHER_KIND
    facts = {"interface": network.interface, "address": network.address}
    return language.say(template, kind=language.say(kind), **facts)


@cache
def language(code: str) -> Language:
    """The language of a code; English for one that there is no catalogue for."""
    return Language(code if code in LANGUAGES else "en")


@lru_cache(maxsize=256)  # names are what people like
def to_player(language: Language, name: str) -> Language:
    """The same language, as it is spoken to a player."""
    return Language(language.code, name)


def wanted(header: str) -> Language:
    """The language that a browser asks for."""
    found: list[tuple[float, str]] = []
    for part in header[:200].split(","):
        match = _WANTED.fullmatch(part)
        if match is not None:
            found.append((float(match[2] or 1), match[1].lower()))
    for _, code in sorted(found, key=lambda pair: -pair[0]):
        if code == "en" or code in LANGUAGES:
            return language(code)
    return language("en")
