"""Games by name: the built-in ones and those of other packages.

A package adds a game by an entry point in the group `tabletop_companion.games` that names a
`Game` instance, or by calling `register` with one.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from companion.core.game import Game
from companion.errors import CompanionError, UsageError

GROUP = "tabletop_companion.games"

#: The folders of the built-in games, below `companion.games`, in the order to offer them. Each
#: exports `GAME`, or `GAMES` if it holds a family.
BUILT_IN = ("precognition", "gotcha", "missing_persons", "deduction", "suspense", "tricks")

_games: dict[str, Game[Any]] = {}
_loaded = False


def register(game: Game[Any]) -> None:
    """Makes a game known. Registering the same object again changes nothing.

    Raises:
        UsageError: another game has that name.
    """
    known = _games.get(game.name)
    if known is not None and known is not game:
        raise UsageError(f"There is already a game called “{game.name}”.")
    _games[game.name] = game


def unregister(name: str) -> None:
    """Forgets a game (for tests that bring their own)."""
    _games.pop(name, None)


def _load() -> None:
    global _loaded  # noqa: PLW0603  the registry is the one process-wide table
    if _loaded:
        return
    _loaded = True
    for module in BUILT_IN:
        folder = import_module(f"companion.games.{module}")
        for game in getattr(folder, "GAMES", None) or (folder.GAME,):
            register(game)
    for point in entry_points(group=GROUP):
        if point.module.startswith("companion.games."):
            continue
        try:
            register(point.load())
        except (ImportError, AttributeError) as error:
            raise CompanionError(
                f"The game “{point.name}” of another package does not load: {error}."
            ) from error


def get_game(name: str) -> Game[Any]:
    """The game of that name, ignoring case.

    Raises:
        UsageError: there is none; the message lists those there are.
    """
    _load()
    game = _games.get(name.strip().casefold())
    if game is None:
        raise UsageError(f"There is no game “{name}”. Known: {', '.join(_games)}.")
    return game


def all_games() -> tuple[Game[Any], ...]:
    """Every known game, the built-in ones first."""
    _load()
    return tuple(_games.values())
