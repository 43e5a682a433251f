"""Cards as pages draw them: a rank, a suit's sign, and a name to read aloud."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from companion.cards import Card
from mobile.model.faces import KINDS, SIGNS
from mobile.seats.language import Language

#: Shapes tell the suits apart, so that no colour is needed. The selector after a sign asks for a
#: drawing in the text's colour instead of a small picture.
_TEXT = "\ufe0e"


@dataclass(frozen=True, slots=True)
class PageFace:
    """A card as it is drawn.

    Attributes:
        rank: what stands at the top; empty on a back.
        sign: the suit's sign, empty where it has none.
        kind: class of the style sheet: the suit's colour, or `back`.
        code: the card's; empty on a back.
    """

    rank: str
    sign: str
    kind: str
    name: str
    code: str = ""

    @property
    def text(self) -> str:
        """Rank and sign, as in a table's margin."""
        return f"{self.rank}{self.sign}" or "?"


@lru_cache(maxsize=4096)  # a page of a large deck draws some hundred, each event anew
def face(card: Card, language: Language) -> PageFace:
    """A card's face; a back where it is not known."""
    name = language.told(card.name)
    if card.code == "??":
        return PageFace("", "", "back", name)
    if card.is_joker:
        return PageFace("JK", f"★{_TEXT}", "black", name, card.code)
    sign = SIGNS[card.family].get(card.suit or "", "")
    kind = KINDS[card.family].get(card.suit or "", "black")
    rank = card.code.replace("?", "").replace(card.suit or "?", "")
    return PageFace(rank, f"{sign}{_TEXT}" if sign else "", kind, name, card.code)
