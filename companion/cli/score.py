"""`companion score precognition`: scores predictions against a row."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from companion.cards import Card, parse_cards, speak_cards
from companion.cli.common import emit, json_option, read_text, room
from companion.core.names import check_names
from companion.decks import get_deck
from companion.errors import UnreadableError, UsageError
from companion.games.precognition.scoring import (
    Stretch,
    best_stretch,
    changes,
    longest,
    match_stretch,
    read_prediction,
)


@click.group(epilog="Example: companion score precognition --row '2 6 5 4 7' Ann=UD")
def score() -> None:
    """Scores a game from the cards on the table."""


@score.command(epilog="Example: companion score precognition --row '2 6 5 4 7' Ann=UD Bo=DDU")
@click.argument("predictions", metavar="NAME=PREDICTION...", nargs=-1, required=True)
@click.option("--row", "row_text", metavar="CARDS", help="The row, ranks or cards.")
@click.option("--row-file", type=click.Path(path_type=Path), help="A text file with the row.")
@click.option("--photo", type=click.Path(path_type=Path), multiple=True, help="Photo of the row.")
@click.option("--deck", default="standard", show_default=True, help="The deck in the photo.")
@json_option
def precognition(
    predictions: tuple[str, ...],
    row_text: str | None,
    row_file: Path | None,
    photo: tuple[Path, ...],
    deck: str,
    *,
    as_json: bool,
) -> None:
    """Shows each prediction's best stretch and the winner."""
    written = dict(_read_predictions(predictions))
    row = _row(row_text, row_file, photo, deck)
    result = score_row(row, written)
    if as_json:
        emit(result.as_dict())
    else:
        _show(row, result)


@dataclass(frozen=True, slots=True)
class Scored:
    """A scored row.

    Attributes:
        changes: its changes.
        predictions: name → prediction.
        matches: name → where the whole of it occurs.
        winners: names of the longest.
    """

    changes: str
    predictions: dict[str, str]
    matches: dict[str, Stretch | None]
    winners: list[str]

    def as_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        results = {
            name: {
                "length": stretch.length if stretch else 0,
                "from": stretch.start if stretch else None,
                "to": stretch.end if stretch else None,
            }
            for name, stretch in self.matches.items()
        }
        return {"changes": self.changes, "results": results, "winners": self.winners}


def score_row(row: tuple[Card, ...], predictions: dict[str, str]) -> Scored:
    """Scores predictions against a row of cards."""
    letters = changes([card.rank for card in row])
    matches = {name: match_stretch(letters, text) for name, text in predictions.items()}
    names = list(predictions)
    lengths = [stretch.length if stretch else 0 for stretch in matches.values()]
    return Scored(letters, predictions, matches, [names[i] for i in longest(lengths)])


def _read_predictions(texts: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        name, equals, prediction = text.partition("=")
        if not equals:
            raise UsageError(f"“{text}” is no prediction: write NAME=UDS…, e.g. Ann=UUD.")
        try:
            pairs.append((name.strip(), read_prediction(prediction)))
        except UnreadableError as error:
            raise UnreadableError(f"{name}: {error.message}") from error
    check_names(tuple(name for name, _ in pairs))
    return pairs


def _row(
    text: str | None, file: Path | None, photos: tuple[Path, ...], deck: str
) -> tuple[Card, ...]:
    if sum(source is not None for source in (text, file, photos or None)) != 1:
        raise UsageError("Give the row by exactly one of --row, --row-file and --photo.")
    if photos:
        cards = tuple(room("vision.commands").read_row(list(photos), deck=deck).cards)
    else:
        cards = parse_cards(text if text is not None else read_text(file or Path()))
    jokers = [card.code for card in cards if card.is_joker]
    if jokers:
        raise UnreadableError(f"{jokers[0]} is in the row; Precognition is played without jokers.")
    if len(cards) < 2:
        raise UnreadableError(f"A row has at least two cards; this one has {len(cards)}.")
    whole = get_deck().whole
    if len(cards) > whole:
        raise UnreadableError(f"A row has at most {whole} cards; this one has {len(cards)}.")
    known = [card for card in cards if card.is_known]
    for card in known:
        if known.count(card) > 1:
            raise UnreadableError(f"{card.code} is in the row twice.")
    return cards


def _show(row: tuple[Card, ...], result: Scored) -> None:
    click.echo(f"Row      {speak_cards(row)}")
    click.echo(f"Changes  {result.changes}")
    for name, text in result.predictions.items():
        stretch = result.matches[name]
        if stretch is not None:
            cards = speak_cards(row[stretch.start - 1 : stretch.end])
            click.echo(
                f"{name}: {text} matches, length {stretch.length}, "
                f"cards {stretch.start} to {stretch.end}: {cards}"
            )
            continue
        best = best_stretch(result.changes, text)
        part = text[best.offset : best.offset + best.length] if best else ""
        tail = f"; the most of it is {part}, cards {best.start} to {best.end}" if best else ""
        click.echo(f"{name}: {text} does not occur{tail}")
    if len(result.winners) == 1:
        click.echo(f"Winner: {result.winners[0]}")
    elif result.winners:
        click.echo(f"Tie: {', '.join(result.winners)} play again among themselves")
    else:
        click.echo("Nobody's prediction occurs: everybody plays again")
