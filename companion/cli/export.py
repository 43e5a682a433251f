"""`companion export`: a match as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from companion.atomic_io import write_private
from companion.cli.common import complain, room, viewer_of
from companion.cli.stored import eyes_of, find_stored, read_match_file
from companion.core.notation import MatchText
from companion.core.referee import Referee
from companion.core.replay import EVERYTHING


@click.command(epilog="Example: companion export match.txt match.html")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--as", "viewer", metavar="SEAT|public", help="Only what these eyes may know.")
@click.option("--language", default="en", type=click.Choice(("en", "de")), help="Of its sentences.")
@click.option("--everything", is_flag=True, help="Private lines too, once disclosed.")
def export(file: Path, out: Path, viewer: str | None, language: str, *, everything: bool) -> None:
    """Writes a match as one page: who won and how, the cards, the story, what did not fit.

    What everybody may know, or one seat's view (--as). A session of the journal is shown whole once
    it was disclosed, a match file once its match has ended.
    """
    match, eyes = _match_for(file, viewer, everything=everything)
    with room("mobile.resources.texts").spoken(language):
        write_private(out, room("mobile.kept.page").page(match, eyes))


def _match_for(file: Path, viewer: str | None, *, everything: bool) -> tuple[MatchText, int | None]:
    """The match, and the viewer of its page."""
    if (stored := find_stored(file)) is not None:
        with stored as session:
            wanted = viewer or (None if session.revealed or everything else _public())
            run = session.replay(eyes_of(session, wanted))
            return run.match, run.viewer
    match = read_match_file(file)
    if viewer is not None:
        return match, viewer_of(viewer, match.setup.players)
    referee: Referee[Any] = Referee.of(match)
    if everything or referee.state.table.match_over:
        return match, EVERYTHING
    _public()
    return match, None


def _public() -> str:
    complain("The page shows what everybody may know (see --as); all of it after table: disclose.")
    return "public"
