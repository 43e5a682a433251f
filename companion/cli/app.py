"""`companion app`: the Kivy app."""

from __future__ import annotations

from pathlib import Path

import click

from companion.cli.common import room


@click.command(epilog="Example: companion app --source demo")
@click.option("--source", metavar="SRC", help="demo, camera[:N], a video file or a folder.")
@click.option("--data", type=click.Path(path_type=Path), help="Folder for what is remembered.")
def app(source: str | None = None, data: Path | None = None) -> int:
    """Opens the app."""
    return int(room("mobile.app").main(source, data) or 0)
