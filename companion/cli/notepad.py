"""`companion notepad`: what one seat can work out, from its own knowledge."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from companion.cards import Family
from companion.cli.common import emit, json_option
from companion.cli.spoken import label_words, spoken
from companion.cli.stored import find_stored, replay_as
from companion.core.game import Game
from companion.core.referee import Referee
from companion.errors import UsageError
from companion.games.gotcha.state import place_words
from companion.notepad.base import Grid, Layout, Notepad, Reason, open_notepad, suppose
from companion.phrases import percent

#: A whole count has six digits at most.
_MOST_COUNTED = 999_999
_NUMBER = re.compile(r"\((\d+)\)")


@click.command(epilog="Example: companion notepad match.txt --as Ann --coach")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--seat", metavar="N", help="The seat, counted from 1.")
@click.option("--as", "viewer", metavar="NAME|N|public", help="The player, or the public.")
@click.option("--coach", is_flag=True, help="Also advise: the best question, guess or decision.")
@click.option("--string", "strings", metavar="UDS", multiple=True, help="A prediction to value.")
@click.option("--model", metavar="NAME", help="How secret choices weigh (gotcha: card, rank).")
@click.option("--why", metavar="ROW@COLUMN", help="Why a cell is certain, e.g. “5C @ Bo”.")
@click.option("--what-if", "events", metavar="EVENT", multiple=True, help="Suppose it happened.")
@json_option
def notepad(
    file: Path,
    seat: str | None,
    viewer: str | None,
    strings: tuple[str, ...],
    model: str | None,
    why: str | None,
    events: tuple[str, ...],
    *,
    coach: bool,
    as_json: bool,
) -> None:
    """Exact chances of everything hidden, as one player (or the public) can know them."""
    chosen = viewer if viewer is not None else seat
    if chosen is None or (viewer is not None and seat is not None):
        raise UsageError("Say once whose notepad: --seat N or --as NAME.")
    own = replay_as(file, chosen)
    match, eyes = own.match, own.viewer
    referee: Referee[Any] = Referee.of(match)
    view = referee.view(eyes)
    if events:
        view = suppose(match.game, view, *events)
    pad = open_notepad(match.game, view)
    if model is not None:
        pad.weigh(model.casefold())
    # A session of the journal keeps the viewer's own count: gaps would tell of hidden lines.
    log = () if find_stored(file) is not None else referee.view(eyes).log
    lines = {line.step: referee.number_of(eyes, line.step) for line in log}
    reason = None if why is None else _why(match.game, pad, why)
    if as_json:
        found = pad.as_dict(strings=strings, coach=coach)
        if reason is not None:
            found["why"] = reason.as_dict()
        emit(_renumbered(found, lines))
        return
    _print(match.game, pad, strings, reason, lines, coach=coach)


def _why(game: Game[Any], pad: Notepad[Any], cell: str) -> Reason:
    row, at, column = cell.partition("@")
    if not at:
        raise UsageError(f"“{cell}” names no cell: write ROW@COLUMN, such as “5C @ Bo”.")
    called = {
        label_words(name, game.family): name
        for grid in pad.grids()
        for name in (*grid.rows, *grid.columns)
    }
    row, column = row.strip(), column.strip()
    return pad.why(called.get(row, row), called.get(column, column))


def _renumbered(found: dict[str, Any], lines: dict[int, int]) -> dict[str, Any]:
    """Reasons with the file's line numbers; viewers count only the lines they see."""
    if all(step == n for step, n in lines.items()):
        return found
    for key in ("conflict", "why"):
        told = found.get(key)
        if told is not None:
            told["text"] = _in_lines(told["text"], lines)
            told["events"] = [lines.get(step, step) for step in told["events"]]
    return found


def _in_lines(text: str, lines: dict[int, int]) -> str:
    return _NUMBER.sub(lambda hit: f"({lines.get(int(hit[1]), int(hit[1]))})", text)


def _print(
    game: Game[Any],
    pad: Notepad[Any],
    strings: tuple[str, ...],
    reason: Reason | None,
    lines: dict[int, int],
    *,
    coach: bool,
) -> None:
    """The notepad for people."""
    console = Console(highlight=False)
    whose = "the public" if pad.viewer is None else pad.players[pad.viewer]
    click.echo(f"Notepad of {whose}: {_deals(pad.worlds)} fit{'s'[pad.worlds != 1 :]}.")
    clash = None if pad.worlds else pad.conflict()
    if clash is not None:
        text = spoken(game, _in_lines(clash.text, lines))
        click.echo(f"These cannot all be true: {text}.")
    for grid in pad.grids():
        if grid.chances:
            console.print(_table(grid, game.family))
    for text in _more(pad.chances(strings=strings)):
        click.echo(text)
    for name, number in pad.others().items():
        # A greater count tells nothing: their own cards, which leave far fewer, are not in it.
        if number <= _MOST_COUNTED:
            told = f"{name} is left with at most {_deals(number)} by what everybody knows."
            click.echo(told)
    if reason is not None:
        click.echo(f"Why: {spoken(game, _in_lines(reason.text, lines))}.")
    if coach:
        click.echo(f"Coach: {spoken(game, pad.advice().text)}")


def _deals(number: int) -> str:
    if number > _MOST_COUNTED:
        return "more than a million deals"
    return f"{number:,} deal{'s'[: number != 1]}"


def _table(grid: Grid, family: Family) -> Table:
    """A table of percentages; certain cells as ✓, impossible ones empty, no ruled-out cards."""
    table = Table(title=grid.title, title_justify="left")
    table.add_column("", no_wrap=True)
    for column in grid.columns:
        table.add_column(
            label_words(column, family), justify="right", no_wrap=len(grid.columns) < 8
        )
    for row in grid.rows:
        is_out = all(grid.settled(row, column) is False for column in grid.columns)
        if is_out and grid.layout is Layout.CARDS:
            continue
        cells = []
        for column in grid.columns:
            settled = grid.settled(row, column)
            chance = grid.chances.get((row, column), 0.0)
            cells.append("✓" if settled else "" if settled is False else f"{chance:.1%}")
        table.add_row(label_words(row, family), *cells)
    return table


def _occurs(p: float, error: float) -> str:
    """How likely a prediction is; only what is certain is said to be."""
    if p in (0, 1) and not error:
        return "is certain" if p else "cannot occur"
    shown = f"{p:.2%}" if 0.00005 <= p < 0.99995 else percent(p)
    return f"occurs with a chance of {shown}{f' ± {error:.2%}' if error else ''}"


def _more(found: dict[str, Any]) -> list[str]:
    """Single figures beside the tables, as far as a game has them."""
    texts = []
    if "meets_if_revealed_now" in found and found.get("worlds") == "0":
        texts.append("Nothing fits all that is recorded, so there is nothing to weigh.")
    elif "meets_if_revealed_now" in found:
        points = found["expected_points"]
        texts.append(
            "If the secret were turned up now: condition met with "
            f"{found['meets_if_revealed_now']:.1%}; "
            f"staying brings {points['stay']:.3f} points, folding {points['fold']:.3f}."
        )
    for text, chance in found.get("match_chance", {}).items():
        texts.append(f"{text} {_occurs(chance['p'], chance['stderr'])}.")
    best = [f"{row['string']} {row['p']:.3f}" for row in found.get("best", ())]
    if best:
        texts.append(f"Best string of each length: {', '.join(best)}.")
    guess = found.get("best_guess")
    if guess:
        place = place_words(guess["x"], smallest=guess["end"] == "smallest")
        texts.append(
            f"Best guess: {guess['player']}'s {place} is {guess['rank']}, "
            f"{guess['p']:.1%} likely, {guess['expected_points']:.2f} points expected, "
            f"{guess['with_continuation']:.2f} with the guesses that may follow."
        )
    return texts
