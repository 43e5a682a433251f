"""`companion games`: what can be played, with which options."""

from __future__ import annotations

from typing import Any

import click

from companion.cli.common import emit, json_option
from companion.core.game import Game
from companion.core.registry import all_games
from companion.core.setup import OptionKind


@click.command(epilog="Example: companion games --json")
@json_option
def games(*, as_json: bool) -> None:
    """Lists the games with players, options, defaults and their meaning."""
    if as_json:
        emit([describe(game) for game in all_games()])
        return
    for game in all_games():
        info = game.info
        players = f"{info.min_players}-{info.max_players}"
        players = players if info.min_players != info.max_players else str(info.min_players)
        click.echo(f"{info.name}  {players} players, {info.minutes} min. {info.summary}")
        for option in describe(game)["options"]:
            values = f" ({'|'.join(option['choices'])})" if option["choices"] else ""
            default = option["default"] or "-"
            click.echo(f"    {option['name']} = {default}{values}: {option['explain']}")


def describe(game: Game[Any]) -> dict[str, Any]:
    """A game as plain values."""
    info = game.info
    return {
        "name": info.name,
        "title": info.title,
        "summary": info.summary,
        "players": [info.min_players, info.max_players],
        "minutes": info.minutes,
        "decks": list(info.decks),
        "options": [
            {
                "name": option.name,
                "kind": option.kind.value,
                "choices": ["yes", "no"]
                if option.kind is OptionKind.YES_NO
                else list(option.choices),
                "default": option.default,
                "by_players": {str(n): value for n, value in option.by_players.items()},
                "explain": option.explain,
            }
            for option in game.options
        ],
        "verbs": [
            {"name": verb.name, "syntax": verb.syntax, "explain": verb.explain}
            for verb in game.verbs.values()
        ],
    }
