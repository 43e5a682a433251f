"""`companion bench`: how fast everything is on this machine."""

from __future__ import annotations

from typing import Any

import click

from companion.bench import bench_referee
from companion.bench_notepad import bench_notepads
from companion.cli.common import complain, emit, json_option, room
from companion.errors import CompanionError


@click.command(epilog="Example: companion bench --json")
@click.option("--app", "with_app", is_flag=True, help="Measure the app instead.")
@json_option
def bench(*, with_app: bool, as_json: bool) -> None:
    """Measures referee, notepads and eyes (or the app), each figure with its limit."""
    results: dict[str, Any] = {}
    if with_app:
        results |= room("mobile.bench").bench()
    else:
        results |= bench_referee()
        results |= bench_notepads()
        try:
            results |= room("vision.commands").bench()
        except CompanionError as error:
            complain(f"The eyes are not measured: {error.message}")
    if as_json:
        emit(results)
        return
    width = max(len(name) for name in results)
    for name, result in results.items():
        limit = "" if result["limit"] is None else f"  (limit {result['limit']})"
        verdict = "" if result["ok"] else "  TOO SLOW"
        click.echo(f"{name:{width}}  {result['value']:>12} {result['unit']}{limit}{verdict}")
