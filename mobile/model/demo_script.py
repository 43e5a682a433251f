"""The bundled demo: which clip, which game, what was predicted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.bounded_io import FileError, read_json
from companion.cards import parse_cards
from companion.core.events import Event, private
from companion.core.game import Game
from companion.core.registry import get_game
from companion.core.setup import Setup
from companion.errors import CompanionError
from mobile.model.table import Table

FOLDER = Path(__file__).parents[1] / "demo"


@dataclass(frozen=True, slots=True)
class Script:
    """What `demo.json` says.

    Attributes:
        setup: with the players and the cards of the clip.
        predictions: what each player wrote beforehand, in seat order.
    """

    clip: Path
    game: Game[Any]
    setup: Setup
    predictions: tuple[Event, ...]


def load(folder: Path = FOLDER) -> Script:
    """Reads the script.

    Raises:
        CompanionError: it is not there.
    """
    try:
        data = read_json(folder / "demo.json")
        game, written = get_game(data["game"]), data["predictions"]
        setup = game.setup(list(written), cards=parse_cards(data["deck"]))
        predictions = (private(seat, "predict", text) for seat, text in enumerate(written.values()))
        return Script(folder / data["clip"], game, setup, tuple(predictions))
    except (FileError, LookupError, TypeError) as error:
        raise CompanionError("The bundled clip is missing. Reinstall the companion.") from error


def table(script: Script) -> Table:
    """A table at which the script's players have written their predictions."""
    result = Table(script.game, script.setup)
    for event in script.predictions:
        result.referee.accept(event)
    return result
