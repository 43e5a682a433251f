"""`companion calibrate`: the camera's lens, the table's plane and zones, the light."""

from __future__ import annotations

from pathlib import Path

import click

from companion.cli.common import Commands, complain, emit, json_option, progress, room
from companion.cli.deck import millimetres
from companion.errors import CompanionError, UsageError
from companion.paths import data_folder


@click.group(cls=Commands, epilog="Example: companion calibrate check camera")
def calibrate() -> None:
    """Fits recognition to this camera, table and light."""


@calibrate.command(epilog="Example: companion calibrate camera board1.jpg board2.jpg board3.jpg")
@click.argument("photos", metavar="[PHOTO...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--cards", is_flag=True, help="The photos show cards lying apart, not our board.")
@click.option("--size", default="63x88", show_default=True, help="Size of a card in mm.")
@click.option("--print", "board", type=click.Path(path_type=Path), help="Write the board as a PDF.")
@click.option("--paper", default="a4", show_default=True, help="a4 or letter, for --print.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to keep it (default: data).")
@json_option
def camera(
    photos: tuple[Path, ...],
    size: str,
    board: Path | None,
    paper: str,
    out: Path | None,
    *,
    cards: bool,
    as_json: bool,
) -> None:
    """The lens, from photos of our board (three or more) or of cards (eight or more in all)."""
    if board is not None:
        room("calibration.printing.pdf").write_board(board, paper=paper.casefold())
        if not as_json:
            click.echo(f"{board}: print it at 100 %, glue it on something flat, photograph it.")
    if not photos:
        if board is None:
            raise UsageError("Name photos of the board, or --print FILE.pdf to make one.")
        if as_json:
            emit({"board": str(board)})
        return
    lens_room, images = room("calibration.lens"), []
    load_image = room("vision.images.loading").load_image
    with progress("Looking", len(photos)) as step:
        for k, photo in enumerate(photos, 1):
            images.append(load_image(photo).pixels)
            step(k)
    missed: tuple[int, ...] = ()
    if cards:
        lens = lens_room.lens_from_cards(images, size_mm=millimetres(size))
    else:
        lens, missed = lens_room.lens_from_board(images)
    for k in missed:
        complain(f"{photos[k]}: the whole board is not seen, so this photo is left out.")
    target = out or data_folder(create=True) / "lens.json"
    lens_room.save_lens(lens, target)
    if as_json:
        emit(lens_room.lens_json(lens) | {"file": str(target)})
    else:
        click.echo(f"The lens is {lens.verdict}.")
        click.echo(f"Made from {lens.views} {'cards' if cards else 'photos'}, kept in {target}.")


@calibrate.command(epilog="Example: companion calibrate table table.jpg --players Ann,Bo,Cy")
@click.argument("source", metavar="PHOTO|SRC")
@click.option("--players", help="Names, clockwise in the picture from its lower edge.")
@click.option("--middle", help="Name of a zone between all players.")
@click.option("--corners", help="Four corners in pixels, clockwise: 'x,y x,y x,y x,y'.")
@click.option("--size", help="Size in mm: of a card, or with --corners of their rectangle.")
@click.option("--lens", type=click.Path(path_type=Path), help="Lens file (default: the one kept).")
@click.option("--out", type=click.Path(path_type=Path), default=Path("zones.json"),
              show_default=True, help="Zones file, for companion watch --zones.")  # fmt: skip
@json_option
def table(
    source: str,
    players: str | None,
    middle: str | None,
    corners: str | None,
    size: str | None,
    lens: Path | None,
    out: Path,
    *,
    as_json: bool,
) -> None:
    """The table's plane and a zone for each player, from one card at each seat, or four corners."""
    tables, image = room("calibration.table"), room("calibration.commands").first_image(source)
    kept = lens or data_folder() / "lens.json"
    if lens is not None or kept.exists():
        image = room("calibration.lens").load_lens(kept).straightened(image)
    if corners:
        if not size:
            raise UsageError("With --corners, --size must say how large their rectangle is in mm.")
        shape = (image.shape[1], image.shape[0])
        plane = tables.table_from_taps(shape, _points(corners), millimetres(size))
    else:
        plane = tables.table_from_cards(image, size_mm=millimetres(size or "63x88"))
    if players is None:
        zones = {"table": tables.whole_picture()}
    else:
        names = [name.strip() for name in players.split(",") if name.strip()]
        zones = tables.seat_zones(plane, names, middle=middle)
    tables.save_table(plane, zones, out)
    if as_json:
        emit(tables.table_json(plane, zones) | {"file": str(out)})
    else:
        click.echo(f"The plane is {plane.verdict}.")
        click.echo(f"Zones: {', '.join(zones)}, kept in {out}.")


@calibrate.command(epilog="Example: companion calibrate check photo.jpg")
@click.argument("sources", metavar="SRC...", nargs=-1, required=True)
@json_option
def check(sources: tuple[str, ...], *, as_json: bool) -> int:
    """Light, sharpness, glare, shadows and colour of a picture, with advice."""
    failed = False
    for source in sources:
        try:
            found = room("calibration.commands").light_of(source)
        except CompanionError as error:
            complain(error.message)
            failed = True
            continue
        if as_json:
            emit(
                {
                    "source": source,
                    "light": round(found.light, 1),
                    "edge": round(found.edge, 2),
                    "glare": round(found.glare, 4),
                    "evenness": round(found.evenness, 3),
                    "warmth": round(found.warmth, 3),
                    "advice": list(found.advice),
                }
            )
        else:
            click.echo(f"{source}: {' '.join(found.advice) or 'good light, sharp, no glare.'}")
    return 2 if failed else 0


def _points(text: str) -> list[tuple[float, float]]:
    try:
        pairs = [tuple(float(v) for v in pair.split(",")) for pair in text.split()]
        return [(x, y) for x, y in pairs]
    except ValueError:
        raise UsageError(f"“{text}” are no corners: write them as 'x,y x,y x,y x,y'.") from None
