"""Missing Persons (David Morrah, 1995): ask your way to the card the other one took.

Two players each take one card of 54 as their missing person and have ten suspects face up in front
of them. The player to move asks yes/no questions about number and suit. After a Yes, new cards from
the pile cover turned-over suspects and the turn goes on; a No passes it. Each player may guess
once: right wins, wrong loses. When the pile is empty both must guess, and the closer guess wins.
"""

from companion.games.missing_persons.game import GAME, MissingPersons

__all__ = ["GAME", "MissingPersons"]
