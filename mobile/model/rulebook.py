"""The rules of each game as two pages for a screen: how it is played, and an example.

They stand in `mobile/model/rules/LANGUAGE/GAME.txt`. Pages are parted by `---`; a line that begins
with `#` is a heading, one that begins with `cards:` shows cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from companion.cards import Card, Family, parse_cards
from mobile.resources import texts

FOLDER = Path(__file__).parent / "rules"
_PAGE, _HEADING, _CARDS = "---", "# ", "cards: "


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, a heading, or some cards.

    Attributes:
        text: the words; empty where there are cards.
        cards: what is shown instead of words.
    """

    text: str
    is_heading: bool = False
    cards: tuple[Card, ...] = ()


def pages(name: str, family: Family) -> tuple[tuple[Paragraph, ...], ...]:
    """The pages of a game's rules in the language in use; none where the game brings none."""
    language = texts.language()
    known = (FOLDER / code / f"{name}.txt" for code in (language, "en"))
    path = next((path for path in known if path.exists()), None)
    if path is None:
        return ()
    written = path.read_text("utf-8").split(f"\n{_PAGE}\n")
    lines = (page.splitlines() for page in written)
    return tuple(tuple(_line(line, family) for line in page if line) for page in lines)


def _line(text: str, family: Family) -> Paragraph:
    if text.startswith(_CARDS):
        return Paragraph("", cards=parse_cards(text.removeprefix(_CARDS), family))
    if text.startswith(_HEADING):
        return Paragraph(text.removeprefix(_HEADING), is_heading=True)
    return Paragraph(text)
