"""`companion deck`: which decks there are, decks to print, decks to teach the camera."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from companion.cli.common import Commands, complain, emit, json_option, progress, room
from companion.decks import PRINTABLE, deck_names, get_deck
from companion.errors import CompanionError, UsageError
from companion.games.suspense.conditions import captions
from companion.paths import data_folder


@click.group(cls=Commands, epilog="Example: companion deck print suspense suspense.pdf")
def deck() -> None:
    """Decks: built in, printable, enrolled."""


@deck.command("print", epilog="Example: companion deck print piecepack-tiles --paper letter")
@click.argument("name")
@click.argument("out", type=click.Path(path_type=Path), required=False)
@click.option("--paper", default="a4", show_default=True, help="a4 or letter.")
@click.option("--no-backs", is_flag=True, help="Fronts alone (coins have two fronts anyway).")
@json_option
def print_deck(name: str, out: Path | None, paper: str, *, no_backs: bool, as_json: bool) -> None:
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


@deck.command("list", epilog="Example: companion deck list")
@json_option
def list_decks(*, as_json: bool) -> None:
    """All decks, and how their cards are known."""
    rows = [_summary(name) for name in deck_names()]
    rows += [
        {"name": name, "title": "Enrolled here", "enrolled": True}
        for name in _taught()
        if name not in deck_names()
    ]
    for row in rows:
        if as_json:
            emit(row)
        else:
            click.echo(_line(row))


@deck.command("show", epilog="Example: companion deck show suspense")
@click.argument("name")
@json_option
def show(name: str, *, as_json: bool) -> None:
    """One deck: its cards, size, index letters, and the words on them."""
    known = get_deck(name)
    if as_json:
        cards = [{"card": c.code, "name": c.name} for c in known.cards]
        emit(_summary(name) | {"cards": cards, "captions": captions(name)})
        return
    click.echo(_line(_summary(name)))
    click.echo(f"{known.size_mm[0]:g} × {known.size_mm[1]:g} mm")
    said = captions(name)
    for c in known.cards:
        click.echo(f"  {c.code:4} {c.name}" + (f": {said[c.code]}" if c.code in said else ""))


@deck.command(
    epilog="Example: companion deck enrol my-suspense --like suspense W1-1.jpg W1-2.jpg W2-1.jpg …"
)
@click.argument("name")
@click.argument("photos", metavar="PHOTO...", nargs=-1, required=True,
                type=click.Path(path_type=Path))  # fmt: skip
@click.option("--like", help="The built-in deck whose cards these are.")
@click.option("--shape", type=click.Choice(["card", "tile", "coin"]), help="If no deck says it.")
@click.option("--size", help="Width and height of a piece in mm, such as 70x120.")
@click.option("--in-order", type=int, metavar="N", help="N photos a piece, in the deck's order.")
@json_option
def enrol(
    name: str,
    photos: tuple[Path, ...],
    like: str | None,
    shape: str | None,
    size: str | None,
    in_order: int | None,
    *,
    as_json: bool,
) -> None:
    """Teaches the camera a deck: one to three photos or one slow clip of each piece.

    Each piece lies alone on a plain table. Files are named after their piece (W1-1.jpg, W1-2.jpg)
    or lie in a folder named after it.
    """
    with progress("Looking", len(photos)) as step:
        done = room("calibration.commands").enrol_photos(
            name, list(photos), _folder(create=True), like=like, shape=shape,
            size_mm=millimetres(size) if size else None, in_order=in_order,
            told=step,
        )  # fmt: skip
    report = done.report
    if as_json:
        emit({"deck": name, "file": str(done.path), "missing": list(done.missing)} | _json(report))
        return
    click.echo(f"{name} is enrolled ({done.path}).")
    _tell(report)
    if done.missing:
        click.echo(f"Not shown yet: {' '.join(done.missing)}.")


@deck.command(epilog="Example: companion deck check suspense photo.jpg")
@click.argument("name")
@click.argument("photos", metavar="[PHOTO...]", nargs=-1, type=click.Path(path_type=Path))
@json_option
def check(name: str, photos: tuple[Path, ...], *, as_json: bool) -> int:
    """Says which pieces of an enrolled deck look too alike; names the pieces in photos."""
    embedder = room("calibration.embed").Embedder()
    known = room("calibration.commands").enrolled_deck(name, _folder(), embedder, captions(name))
    if not photos:
        report = room("calibration.enrolment").examine(known, known.vectors[:, None])
        if as_json:
            emit({"deck": name, "pieces": len(known.names)} | _json(report))
        else:
            click.echo(f"{name}: {len(known.names)} pieces, {len(known.labels)} views.")
            _tell(report)
        return 0
    failed = False
    for photo in photos:
        try:
            named = room("calibration.commands").name_pieces(known, [photo], embedder)[0][1]
        except CompanionError as error:
            complain(error.message)
            failed = True
            continue
        _tell_pieces(photo, named, as_json=as_json)
    return 2 if failed else 0


def _tell_pieces(photo: Path, named: list[Any], *, as_json: bool) -> None:
    if as_json:
        pieces = [
            {
                "piece": naming.label if naming.is_known else None,
                "confidence": round(naming.confidence, 4),
                "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in outline.corners],
                "alternatives": [
                    {"piece": label, "confidence": round(chance, 4)}
                    for label, chance in naming.alternatives
                ],
            }
            for outline, naming in named
        ]
        emit({"image": str(photo), "pieces": pieces})
        return
    words = [
        naming.label if naming.is_known else f"unknown ({naming.label}?)" for _, naming in named
    ]
    click.echo(f"{photo}: {', '.join(words) or 'nothing found'}")


def _tell(report: Any) -> None:
    """A report in words."""
    if report.tried:
        click.echo(
            f"Named with each photo left out: {report.right} of {report.tried} right "
            f"({100 * report.accuracy:.1f} %)."
        )
    else:
        click.echo("Each piece has one view; a second photo of each tells how sure it is.")
    for a, b, likeness in report.alike[:20]:
        click.echo(f"{a} and {b} look too alike ({100 * likeness:.0f} %); tell them apart by hand.")
    if report.weak:
        click.echo(f"Not sure of {' '.join(report.weak)}: add a photo of each in other light.")


def _json(report: Any) -> dict[str, Any]:
    return {
        "tried": report.tried,
        "right": report.right,
        "accuracy": report.accuracy,
        "alike": [
            {"pieces": [a, b], "likeness": round(likeness, 4)} for a, b, likeness in report.alike
        ],
        "weak": list(report.weak),
        "single": list(report.single),
    }


def millimetres(text: str) -> tuple[float, float]:
    """A size such as `70x120` in mm.

    Raises:
        UsageError: it is none.
    """
    try:
        width, height = (float(part) for part in text.casefold().replace("×", "x").split("x"))
    except ValueError:
        width = height = 0.0
    if not (1 <= width <= 5000 and 1 <= height <= 5000):
        raise UsageError(f"“{text}” is no size: write width x height in mm, such as 70x120.")
    return width, height


def _folder(*, create: bool = False) -> Path:
    return data_folder(create=create) / "decks"


def _taught() -> tuple[str, ...]:
    folder = _folder()
    return tuple(sorted(p.stem for p in folder.glob("*.json"))) if folder.is_dir() else ()


def _line(row: dict[str, Any]) -> str:
    if "cards" not in row:
        return f"{row['name']:16} enrolled here"
    how = "by its indices" if row["indices"] else "by its faces"
    tail = ", printable" if row["printable"] else ""
    tail += ", enrolled" if row["enrolled"] else ""
    return f"{row['name']:16} {row['cards']:3} cards, read {how}{tail}: {row['title']}"


def _summary(name: str) -> dict[str, Any]:
    known = get_deck(name)
    printable = name in PRINTABLE
    return {
        "name": name,
        "title": known.title,
        "cards": sum(known.counts.values()),
        "size_mm": list(known.size_mm),
        "indices": 0 if known.enrolled else known.indices,
        "printable": printable,
        "enrolled": printable or name in _taught(),
    }
