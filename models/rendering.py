"""What the commands that render pictures for measuring share: options, decks, processes, truth."""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

from models.scenes import prepare_drawn

_DRAWN, _DRAWN_SEED = 12, 9000
"""How many decks are drawn from held-out fonts and suit symbols, and the first one's number."""


def arguments(description: str | None, *, count: int) -> argparse.ArgumentParser:
    """The options of such a command; ``count`` pictures unless another number is asked for."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--art", type=Path, default=Path("build/art"))
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--workers", type=int, default=2)
    return parser


def held_out_decks(art: Path) -> list[Path]:
    """Folders of the decks drawn for measuring, made beside the art where they are not there."""
    return prepare_drawn(art, art.parent / "drawn-holdout", _DRAWN, holdout=True, seed=_DRAWN_SEED)


def write_truth(
    job: Callable[[int], dict[str, Any]], out: Path, *, count: int, workers: int, chunk: int = 1
) -> list[dict[str, Any]]:
    """Runs a job for each number up to ``count`` and writes what they return to ``truth.json``."""
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        entries = list(pool.imap(job, range(count), chunksize=chunk))
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    (out / "truth.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return entries
