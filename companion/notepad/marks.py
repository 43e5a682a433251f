"""A player's own marks on the notepad: hunches, kept apart from what follows.

Marks are a separate layer: no mark changes a chance, and no event changes a mark. The model is a
pure value. A `MarkStore` keeps it; the journal's marks, sealed with the player's PIN, are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from companion.errors import UsageError
from companion.phrases import phrase

#: Longest mark, in characters: a sign or a few words.
MAX_MARK = 40
#: Between row and column in a stored name; neither holds one.
_SEPARATOR = "\x1f"


class MarkStore(Protocol):
    """Where one player's marks of one session are kept, as texts by name."""

    def all(self) -> dict[str, str]:
        """Every mark."""

    def replace(self, marks: Mapping[str, str]) -> None:
        """Keeps these marks instead of all others."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks by cell.

    Attributes:
        cells: (row, column) of a notepad's table → what the player wrote there; never empty texts.
    """

    cells: Mapping[tuple[str, str], str] = field(default_factory=lambda: MappingProxyType({}))

    def at(self, row: str, column: str) -> str:
        """The mark of a cell, empty if there is none."""
        return self.cells.get((row, column), "")

    def put(self, row: str, column: str, text: str) -> Marks:
        """These marks with one more, or one replaced; an empty text erases.

        Raises:
            UsageError: the text is too long or cannot be shown on one line.
        """
        text = text.strip()
        if len(text) > MAX_MARK or not text.isprintable():
            raise UsageError(
                phrase("A mark has at most {most} characters on one line.", most=MAX_MARK)
            )
        if _SEPARATOR in row + column:
            raise UsageError("There is no such cell to mark.")
        changed = dict(self.cells)
        changed.pop((row, column), None)
        if text:
            changed[row, column] = text
        return Marks(MappingProxyType(changed))

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """Row, column and text of every mark, in a fixed order."""
        return iter(sorted((row, column, text) for (row, column), text in self.cells.items()))

    def __len__(self) -> int:
        return len(self.cells)


def load_marks(store: MarkStore) -> Marks:
    """The marks of a store; entries that name no cell are passed over."""
    cells: dict[tuple[str, str], str] = {}
    for name, text in store.all().items():
        row, separator, column = name.partition(_SEPARATOR)
        if separator:
            cells[row, column] = text
    return Marks(MappingProxyType(cells))


def save_marks(store: MarkStore, marks: Marks) -> None:
    """Keeps marks, and whatever else the store holds under other names."""
    others = {name: text for name, text in store.all().items() if _SEPARATOR not in name}
    store.replace(others | {f"{row}{_SEPARATOR}{column}": text for row, column, text in marks})
