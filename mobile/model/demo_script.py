"""The bundled demo: which clip, which game, what was predicted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from companion.cards import parse_cards
from companion.core.events import private
from companion.core.registry import get_game
from companion.errors import CompanionError
from companion.reading import FileError, read_json
from mobile.model.table import Table

FOLDER = Path(__file__).parents[1] / "demo"


@dataclass(frozen=True, slots=True)
class Script:
    """What `demo.json` says.

    Attributes:
        clip: the clip's file.
        game: name of the game.
        deck: the cards it is played with.
        predictions: player → what that player wrote beforehand.
    """

    clip: Path
    game: str
    deck: str
    predictions: dict[str, str]


def load(folder: Path = FOLDER) -> Script:
    """Reads the script.

    Raises:
        CompanionError: it is not there.
    """
    try:
        data = read_json(folder / "demo.json")
        return Script(folder / data["clip"], data["game"], data["deck"], data["predictions"])
    except (FileError, LookupError, TypeError) as error:
        raise CompanionError("The bundled clip is missing: install the companion anew.") from error


def table(script: Script) -> Table:
    """A table at which the script's players have written their predictions."""
    game = get_game(script.game)
    cards = parse_cards(script.deck)
    result = Table(game, game.setup(list(script.predictions), cards=cards))
    for seat, text in enumerate(script.predictions.values()):
        result.referee.accept(private(seat, "predict", text))
    return result
