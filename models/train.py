"""Make the networks from nothing: ``python -m models.train``.

Steps, each continued where it was left: fetch card art from package registries (Debian, npm,
PyPI), draw decks and render scenes, train each network, export all to ONNX with their checksums,
and count what they read on held-out pictures. On two 2.5 GHz processors the default takes about
ten hours, measuring included, and downloads about 900 MB; ``--smoke`` does the whole path with
drawn decks only, small numbers and no download in a few minutes, and its networks are good for
nothing but proving that the path works. `models/CARD.md` says what each step takes and writes.

Stop it whenever you like, also with kill -9, and give the same command again: it goes on from the
last checkpoint. The work folder keeps to the plan it was begun with, and holds plan, seeds and log.
"""

from __future__ import annotations

import argparse
import logging
import os
import platform
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import cv2
import torch

from companion.errors import CompanionError, UsageError
from models.networks.classifier.train import NETWORK as CLASSIFIER
from models.networks.embedder.train import NETWORK as EMBEDDER
from models.networks.locator.train import NETWORK as LOCATOR
from models.networks.outliner.train import NETWORK as OUTLINER
from models.synth import scenes
from models.synth.faces import deck_folders
from models.training.export import write_manifest
from models.training.run import Network, Plan, Run, keep_to_plan

NETWORKS: tuple[Network, ...] = (LOCATOR, CLASSIFIER, OUTLINER, EMBEDDER)
"""All networks, in the order in which they are trained: each may use what stands before it."""

STEPS = ("art", "scenes", *(network.name for network in NETWORKS), "export", "table")

_SHIPPED = Path(__file__).parent
_SMOKE_SAVE = 1.0
"""Seconds between the checkpoints of a smoke run."""

_LOG = logging.getLogger(__name__)


def carry_out(run: Run, *, out: Path, steps: Sequence[str], smoke: bool) -> None:
    """Take the asked steps in order.

    Args:
        run: The plan, and where things lie.
        out: Where the ONNX files and ``models.json`` go.
        steps: A subset of :data:`STEPS`.
        smoke: Whether nothing may be downloaded and little is to be counted.
    """
    torch.set_num_threads(run.workers)
    # OpenCV's threads do not survive the fork that makers of samples start with.
    cv2.setNumThreads(1)
    for step in STEPS:
        if step not in steps:
            continue
        started, worked = time.monotonic(), _worked()
        _LOG.info("%s: begins", step)
        if step == "art":
            if not smoke:
                _fetch(run.art)
        elif step == "scenes":
            _render(run)
        elif step == "export":
            _export(run, out)
        elif step == "table":
            _count(run, out, smoke=smoke)
        else:
            next(n for n in NETWORKS if n.name == step).train(run)
        _LOG.info(
            "%s: done in %.1f min, %.1f min of processor time",
            step,
            (time.monotonic() - started) / 60,
            (_worked() - worked) / 60,
        )


def _worked() -> float:
    """Seconds that this process and its finished children have kept processors busy."""
    return sum(os.times()[:4])


def _fetch(art: Path) -> None:
    from models.art.__main__ import fetch_art

    for problem in fetch_art(art, say=_LOG.info):
        _LOG.warning("not available: %s", problem)
    if not deck_folders(art / "decks", holdout=False):
        raise UsageError(
            f"No deck reached {art}: see the log for what failed, then run the same command again."
        )


def _render(run: Run) -> None:
    drawn = scenes.prepare_drawn(run.art, run.drawn, run.plan.drawn_decks, workers=run.workers)
    scenes.make_scenes(
        run.scenes, run.plan.scenes,
        art=run.art, seed=run.plan.seed, drawn=drawn, workers=run.workers,
    )  # fmt: skip


def _export(run: Run, out: Path) -> None:
    """All files first beside the checkpoints, then into ``out``, so that they always match."""
    made = run.work / "export"
    made.mkdir(parents=True, exist_ok=True)
    entries = {
        network.name: network.export(run, made / f"{network.name}.onnx") for network in NETWORKS
    }
    write_manifest(made, entries, _how(run.plan))
    out.mkdir(parents=True, exist_ok=True)
    for file in sorted(made.iterdir()):
        shutil.copy2(file, out)


def _count(run: Run, out: Path, *, smoke: bool) -> None:
    from models.evaluation.guards import card_table, write_table

    counts = {"separate": 1, "rows": 1} if smoke else None
    text = card_table(
        run.work / "guards", models=out, art=run.art, seed=run.plan.seed + 50_000,
        workers=run.workers, counts=counts,
    )  # fmt: skip
    write_table(text, run.work / "table.md", out / "CARD.md")


def _how(plan: Plan) -> dict[str, Any]:
    versions = {"python": platform.python_version(), "torch": str(torch.__version__)}
    return asdict(plan) | versions


def _open_log(work: Path, argv: Sequence[str]) -> None:
    """Tells everything on the screen and in the work folder's log."""
    work.mkdir(parents=True, exist_ok=True)
    handlers = (logging.StreamHandler(), logging.FileHandler(work / "log.txt", encoding="utf-8"))
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(message)s", handlers=handlers, force=True
    )
    _LOG.info("python -m models.train %s", " ".join(argv))


def _samples(text: str) -> tuple[str, int]:
    name, _, count = text.partition("=")
    if name not in {network.name for network in NETWORKS} or not count.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no NAME=COUNT of a network")
    return name, int(count)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line of ``python -m models.train``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=Path("build/train"), help="kept between runs")
    parser.add_argument("--art", type=Path, default=Path("build/art"))
    parser.add_argument(
        "--out",
        type=Path,
        help="where the ONNX files go (default: models/, smoke: the work folder)",
    )
    parser.add_argument("--stages", default=",".join(STEPS), help=f"of {','.join(STEPS)}")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--smoke", action="store_true", help="a few minutes, drawn decks only, no download"
    )
    parser.add_argument("--scenes", type=int, help="rendered tables")
    parser.add_argument(
        "--samples", type=_samples, action="append", default=[], metavar="NETWORK=COUNT",
        help="what a network is trained on in all",
    )  # fmt: skip
    args = parser.parse_args(argv)
    steps = args.stages.split(",")
    if unknown := set(steps) - set(STEPS):
        parser.error(f"no such step: {', '.join(sorted(unknown))}; there are {', '.join(STEPS)}")
    samples = {n.name: n.smoke if args.smoke else n.samples for n in NETWORKS}
    plan = Plan(samples | dict(args.samples), seed=args.seed)
    if args.smoke:
        plan = replace(plan, scenes=24, drawn_decks=2)
    if args.scenes:
        plan = replace(plan, scenes=args.scenes)
    work = args.work / "smoke" if args.smoke else args.work
    training = Run(plan, work, work / "no-art" if args.smoke else args.art, args.workers)
    if args.smoke:
        training = replace(training, save_every=_SMOKE_SAVE)
    out = args.out or (work / "shipped" if args.smoke else _SHIPPED)
    try:
        keep_to_plan(work, plan)
        _open_log(work, sys.argv[1:] if argv is None else argv)
        carry_out(training, out=out, steps=steps, smoke=args.smoke)
    except CompanionError as error:
        print(error, file=sys.stderr)
        return 2
    _LOG.info("all done: %s/", out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
