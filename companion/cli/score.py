"""`companion score`: predictions of Precognition against a row, and hands of cribbage."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from companion import cribbage as rules
from companion.cards import Card, format_cards, parse_card, parse_cards, speak_cards
from companion.cli.common import Commands, emit, json_option, read_text, room
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


@click.group(cls=Commands, epilog="Example: companion score precognition --row '2 6 5 4 7' Ann=UD")
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
    letters = changes([card.rank for card in row])
    found = {name: match_stretch(letters, text) for name, text in written.items()}
    lengths = [stretch.length if stretch else 0 for stretch in found.values()]
    winners = [list(written)[i] for i in longest(lengths)]
    if not as_json:
        _show(row, letters, written, found, winners)
        return
    results = {
        name: {
            "length": stretch.length if stretch else 0,
            "from": stretch.start if stretch else None,
            "to": stretch.end if stretch else None,
        }
        for name, stretch in found.items()
    }
    emit({"changes": letters, "results": results, "winners": winners})


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


def _show(
    row: tuple[Card, ...],
    letters: str,
    written: dict[str, str],
    found: dict[str, Stretch | None],
    winners: list[str],
) -> None:
    click.echo(f"Row      {speak_cards(row)}")
    click.echo(f"Changes  {letters}")
    for name, text in written.items():
        stretch = found[name]
        if stretch is not None:
            cards = speak_cards(row[stretch.start - 1 : stretch.end])
            click.echo(
                f"{name}: {text} matches, length {stretch.length}, "
                f"cards {stretch.start} to {stretch.end}: {cards}"
            )
            continue
        best = best_stretch(letters, text)
        part = text[best.offset : best.offset + best.length] if best else ""
        tail = f"; the most of it is {part}, cards {best.start} to {best.end}" if best else ""
        click.echo(f"{name}: {text} does not occur{tail}")
    if len(winners) == 1:
        click.echo(f"Winner: {winners[0]}")
    elif winners:
        click.echo(f"Tie: {', '.join(winners)} play again among themselves")
    else:
        click.echo("Nobody's prediction occurs: everybody plays again")


# -- cribbage ------------------------------------------------------------------------------------


@score.command(epilog='Example: companion score cribbage --hand "5H 5S 5D JC" --starter 5C')
@click.argument("photo", metavar="PHOTO", type=click.Path(path_type=Path), required=False)
@click.option("--hand", "hand_text", metavar="CARDS", help="The four cards.")
@click.option("--starter", "starter_text", metavar="CARD", help="The card turned up.")
@click.option("--crib", is_flag=True, help="It is the crib: only five of a suit are a flush.")
@click.option("--deck", default="standard", show_default=True, help="The deck in the photo.")
@json_option
def cribbage(
    photo: Path | None,
    hand_text: str | None,
    starter_text: str | None,
    deck: str,
    *,
    crib: bool,
    as_json: bool,
) -> None:
    """Counts a hand with its starter: points, and what each is for.

    In a photo the four cards lie together and the starter apart; --starter says which it is.
    """
    if (photo is None) == (hand_text is None):
        raise UsageError("Give the hand by exactly one of PHOTO and --hand.")
    starter = None if starter_text is None else parse_card(starter_text)
    if photo is not None:
        hand, starter = _seen(photo, deck, starter)
    elif starter is None:
        raise UsageError("Name the card turned up: --starter CARD.")
    else:
        hand = parse_cards(hand_text or "")
    parts = rules.count(hand, starter, crib=crib)
    points = sum(part.points for part in parts)
    if as_json:
        told = [
            {"points": part.points, "cards": [c.code for c in part.cards], "why": part.why}
            for part in parts
        ]
        emit({"points": points, "parts": told})
        return
    click.echo(f"{'Crib' if crib else 'Hand'} {format_cards(hand)}, starter {starter.code}")
    for part in parts:
        click.echo(f"{part.points:3}  {part.why}: {format_cards(part.cards)}")
    click.echo(f"{points:3}  in all")


def _seen(photo: Path, deck: str, starter: Card | None) -> tuple[tuple[Card, ...], Card]:
    """The hand and the starter in a photo; somebody at a terminal is asked where it is not clear.

    Raises:
        UsageError: there are other cards than four and one, or nothing says which is the starter.
    """
    eyes = room("vision.commands")
    reading = eyes.make_reader(deck).read(eyes.load_image(photo).pixels)
    cards = tuple(read.card for read in reading.cards)
    doubtful = "".join(f", perhaps {read.card.code}" for read in reading.doubtful)
    wanted = (rules.HAND, rules.HAND + 1) if starter is not None else (rules.HAND + 1,)
    if len(cards) not in wanted:
        seen = format_cards(cards) or "none"
        raise UsageError(f"Four cards and a starter are counted; seen: {seen}{doubtful}.")
    if starter is None:
        place = rules.apart([read.quad for read in reading.cards])
        starter = _asked(cards) if place is None else cards[place]
    if len(cards) > rules.HAND and starter not in cards:
        raise UsageError(f"{starter.code} is not in the photo; seen: {format_cards(cards)}.")
    return tuple(card for card in cards if card is not starter), starter


def _asked(cards: tuple[Card, ...]) -> Card:
    if not sys.stdin.isatty():
        raise UsageError(f"Which of {format_cards(cards)} is the starter? Say --starter CARD.")
    return parse_card(click.prompt(f"Which of {format_cards(cards)} is the starter?", err=True))
