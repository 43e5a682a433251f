"""`companion simulate`: bots play whole games through the referee."""

from __future__ import annotations

from typing import Any

import click

from companion.cli.common import emit, json_option, progress
from companion.core.game import Bot, Game
from companion.core.registry import get_game
from companion.errors import UsageError
from companion.simulate import simulate as run


@click.command(epilog="Example: companion simulate gotcha --bots coach,sensible --matches 100")
@click.argument("game")
@click.option("--players", type=int, help="Number of players.")
@click.option("--matches", type=click.IntRange(1), default=10, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--bots",
    metavar="A,B,...",
    help="Bot of each seat (“coach” plays by the coach); all “random” by default.",
)
@click.option("--option", "options", metavar="K=V", multiple=True, help="Option of the game.")
@click.option("--trusted", is_flag=True, help="Everybody trusts the referee.")
@json_option
def simulate(
    game: str,
    players: int | None,
    matches: int,
    seed: int,
    bots: str | None,
    options: tuple[str, ...],
    *,
    trusted: bool,
    as_json: bool,
) -> None:
    """Plays matches by bots and counts who wins."""
    chosen = get_game(game)
    count = chosen.info.min_players if players is None else players
    names = [f"P{seat}" for seat in range(1, count + 1)]
    setup = chosen.setup(names, read_options(options), trusted=trusted)
    seated, called = _bots(chosen, bots, count)
    with progress(chosen.info.title, matches) as report:
        result = run(
            chosen,
            setup,
            matches=matches,
            seed=seed,
            bots=seated,
            names=called if bots is not None else (),
            progress=report,
        )
    if as_json:
        emit(result.as_dict())
        return
    click.echo(
        f"{result.matches} matches, {result.events} events in {result.seconds:.2f} s "
        f"({result.events / max(result.seconds, 1e-9):.0f} events/s)"
    )
    for name, rate in result.rates().items():
        shared = f" and {rate['shared']} shared" if rate["shared"] else ""
        bot = f" ({rate['bot']})" if rate["bot"] else ""
        click.echo(
            f"{name}{bot}: {rate['alone']} won{shared}; alone {rate['rate']:.1%} "
            f"(95 % confidence {rate['low']:.1%} to {rate['high']:.1%})"
        )


def read_options(texts: tuple[str, ...]) -> dict[str, str]:
    """`k=v` pairs of the command line.

    Raises:
        UsageError: one has no `=`.
    """
    values = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"“{text}” is no option: write --option NAME=VALUE.")
        values[key.strip()] = value.strip()
    return values


def _bots(game: Game[Any], text: str | None, count: int) -> tuple[list[Bot], list[str]]:
    """The bots with their names."""
    names = ["random"] * count if text is None else [name.strip() for name in text.split(",")]
    if len(names) != count:
        raise UsageError(f"{len(names)} bots are named for {count} players.")
    coach = game.coach_bot()
    known = dict(game.bots) | ({} if coach is None else {"coach": coach})
    for name in names:
        if name not in known:
            raise UsageError(f"There is no bot “{name}” (known: {', '.join(known)}).")
    return [known[name] for name in names], names
