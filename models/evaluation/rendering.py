"""What renders pictures for measuring: held-out decks, processes, the list of what is true."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from models.synth.scenes import prepare_drawn

_DRAWN, _DRAWN_SEED = 12, 9000
"""How many decks are drawn from held-out fonts and suit symbols, and the first one's number."""


def held_out_decks(art: Path) -> list[Path]:
    """Folders of the decks drawn for measuring, made beside the art where they are not there."""
    return prepare_drawn(art, art.parent / "drawn-holdout", _DRAWN, holdout=True, seed=_DRAWN_SEED)


def write_truth(
    job: Callable[[int], dict[str, Any]], out: Path, *, count: int, workers: int
) -> None:
    """Run a job for each number up to ``count`` and write what they return to ``truth.json``.

    What a run that was stopped has finished is kept.
    """
    (out / "entries").mkdir(parents=True, exist_ok=True)
    kept = partial(_kept, job, out / "entries")
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        lines = list(pool.imap(kept, range(count)))
    (out / "truth.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _kept(job: Callable[[int], dict[str, Any]], folder: Path, index: int) -> str:
    file = folder / f"{index:05d}.json"
    if not file.exists():
        unfinished = file.with_suffix(".part")
        unfinished.write_text(json.dumps(job(index)), encoding="utf-8")
        unfinished.rename(file)
    return file.read_text(encoding="utf-8")
