"""`companion bench`: how fast everything is on this machine."""

from __future__ import annotations

import random
from typing import Any

import click

from companion.bench import bench_referee, figure
from companion.bench_journal import bench_journal
from companion.bench_notepad import bench_notepads
from companion.cli.common import complain, emit, json_option, room
from companion.errors import CompanionError


def _beside_diagrams() -> dict[str, Any]:
    """Decision diagrams beside counting, where the tests and their library are at hand."""
    try:
        beside = room("tests.benchmarks.bench_notepad")
    except CompanionError as error:
        complain(f"Not measured beside decision diagrams: {error.message}")
        return {}
    slow, quick = beside.diagrams_against_counting(random.Random(20_200), states=5)
    return {"notepad deduction: decision diagrams / counting": figure(slow / quick, "times", 1)}


@click.command(epilog="Example: companion bench --json")
@click.option("--app", "with_app", is_flag=True, help="Measure the app instead.")
@json_option
def bench(*, with_app: bool, as_json: bool) -> None:
    """Measures referee, notepads and eyes (or the app), each figure with its limit."""
    results: dict[str, Any] = {}
    if with_app:
        results |= room("mobile.tools.bench").bench()
    else:
        results |= bench_referee()
        results |= bench_notepads()
        results |= bench_journal()
        results |= _beside_diagrams()
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
