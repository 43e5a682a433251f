"""`companion replay`, `audit` and `export`: a recorded match step by step, judged, as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from companion.atomic_io import write_private
from companion.cli.common import complain, emit, json_option, room, viewer_of
from companion.cli.stored import eyes_of, find_stored, read_match_file, replay_as
from companion.core.audit import Fault, audit_view, unchecked, unchecked_in_view
from companion.core.audit import audit as audit_of
from companion.core.notation import MatchText
from companion.core.referee import Referee
from companion.core.replay import EVERYTHING, ReplayStep, describe
from companion.journal import NotYetError

match_argument = click.argument("file", type=click.Path(path_type=Path))


@click.command(epilog="Example: companion replay match.txt --as public")
@match_argument
@click.option("--as", "viewer", metavar="SEAT|public", help="See it with these eyes only.")
@json_option
def replay(file: Path, viewer: str | None, *, as_json: bool) -> None:
    """Shows a match step by step."""
    run = replay_as(file, viewer)
    for step in run.steps():
        if as_json:
            emit(step.as_dict())
        else:
            show_step(step)
    if as_json:
        emit({"final": run.final()})
        return
    click.echo("---")
    for line in describe(run.state.table, run.match.setup.players):
        click.echo(line)


def show_step(step: ReplayStep) -> None:
    """One step as text."""
    click.echo(f"{step.n:4} {step.text}")
    if step.error is not None:
        click.echo(f"     ! {step.error[0]}: {step.error[1]}")
    for note in step.remarks:
        click.echo(f"     {note}")
    for finding in step.findings:
        click.echo(f"     ! {finding.kind.value}: {finding.message}")
    for line in step.unfit:
        click.echo(f"     ! no longer fits: {line}")
    if step.became.marks:
        click.echo(f"     ({', '.join(step.became.marks)})")


@click.command(epilog="Example: companion audit match.txt")
@match_argument
@json_option
def audit(file: Path, *, as_json: bool) -> None:
    """Names what was inconsistent, illegal or false, with its step."""
    faults, open_ = _faults(file)
    if as_json:
        emit({"findings": [fault.as_dict() for fault in faults], "unchecked": list(open_)})
        return
    for fault in faults:
        click.echo(f"{fault.event:4} {fault.kind}: {fault.message}")
    for sentence in open_:
        click.echo(sentence)
    if not faults and not open_:
        click.echo("Nothing to find fault with.")


def _faults(file: Path) -> tuple[tuple[Fault, ...], tuple[str, ...]]:
    """The faults of a match file, or of a session as far as it was disclosed.

    Returns:
        The faults, and what could not be checked, in sentences.
    """
    if (stored := find_stored(file)) is None:
        return _of_all(Referee.of(read_match_file(file)))
    with stored as session:
        try:
            return _of_all(Referee.of(session.match_text()))
        except NotYetError:
            complain("This audits what everybody may know; private facts after table: disclose.")
            view = session.view()
            return audit_view(view), unchecked_in_view(session.game, view)


def _of_all(referee: Referee[Any]) -> tuple[tuple[Fault, ...], tuple[str, ...]]:
    return audit_of(referee), unchecked(referee)


@click.command(epilog="Example: companion export match.txt match.html")
@match_argument
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
