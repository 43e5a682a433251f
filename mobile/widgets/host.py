"""What boards and sheets ask of the screen of the table that they belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from mobile.model.steps import Action
from mobile.model.table import Table

#: A button's title and what touching it does.
Place = tuple[str, Callable[[], object]]


class BoardHost(Protocol):
    """What a board asks of its screen.

    Attributes:
        ids: its widgets by their names; `scroll` is the view that the board scrolls in.
    """

    over: bool
    ids: Any

    @property
    def moves(self) -> bool:
        """Whether what changes is to be seen on its way."""

    def start(self, action: Action, instead: tuple[Action, ...] = ()) -> None:
        """Begins an entry."""

    def follow(self, box: Any) -> None:
        """Scrolls the board until the last thing in a box is in sight."""


class TableHost(BoardHost, Protocol):
    """The table's own screen, as its sheets know it.

    Attributes:
        table: the table that is open, None before one is.
    """

    table: Table | None

    def type(self, line: str) -> bool:
        """Records a typed line; says whether it stands."""

    def places(self) -> Iterable[tuple[str, Sequence[Place]]]:
        """Where one can go from the table, in groups with their titles."""

    def refresh(self) -> None:
        """Shows the table as it stands."""
