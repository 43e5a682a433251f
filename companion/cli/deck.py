"""`companion deck`: which decks there are, decks to print, decks to teach the camera."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from companion.cli.common import emit, json_option, room
from companion.decks import deck_names, get_deck
from companion.suspense_conditions import DEFAULT_CONDITIONS


@click.group(epilog="Example: companion deck print suspense suspense.pdf")
def deck() -> None:
    """Decks: built in, printable, enrolled."""


def captions(name: str) -> dict[str, str]:
    """What is written on a printable deck's cards beside rank and suit, by code."""
    if name != "suspense":
        return {}
    return {card.code: str(condition) for card, condition in DEFAULT_CONDITIONS.items()}


@deck.command("print", epilog="Example: companion deck print piecepack-tiles --paper letter")
@click.argument("name")
@click.argument("out", type=click.Path(path_type=Path), required=False)
@click.option("--paper", default="a4", show_default=True, help="a4 or letter.")
@click.option("--no-backs", is_flag=True, help="Fronts alone (coins have two fronts anyway).")
@json_option
def print_deck(name: str, out: Path | None, paper: str, *, no_backs: bool, as_json: bool) -> int:
    """Writes a deck as a PDF in true size, with cut lines; backs lie behind their fronts."""
    target = out or Path(f"{name}.pdf")
    layout = room("calibration.printing.pdf").write_deck(
        name, target, paper=paper.casefold(), backs=not no_backs, captions=captions(name)
    )
    sheets = max(page.number for page in layout.pages)
    if as_json:
        emit({"file": str(target), "pages": len(layout.pages), "sheets": sheets})
    else:
        click.echo(
            f"{target}: {sheets} sheet{'' if sheets == 1 else 's'}. Print at 100 %, both sides, "
            "flipped on the long edge; the line at the bottom must measure 50 mm."
        )
    return 0


@deck.command("list", epilog="Example: companion deck list")
@json_option
def list_decks(*, as_json: bool) -> int:
    """All decks, and how their cards are known."""
    rows = [_summary(name) for name in deck_names()]
    if as_json:
        for row in rows:
            emit(row)
        return 0
    for row in rows:
        how = "by its indices" if row["indices"] else "by its faces"
        tail = ", printable" if row["printable"] else ""
        click.echo(f"{row['name']:16} {row['cards']:3} cards, read {how}{tail}: {row['title']}")
    return 0


def _summary(name: str) -> dict[str, Any]:
    known = get_deck(name)
    printable = name in ("standard", "suspense", "piecepack-tiles", "piecepack-coins")
    return {
        "name": name,
        "title": known.title,
        "cards": len(known.cards),
        "size_mm": list(known.size_mm),
        "indices": known.indices,
        "printable": printable,
    }
