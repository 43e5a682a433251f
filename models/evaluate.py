"""How well the networks read: ``python -m models.evaluate FOLDER`` or ``... NAME``.

FOLDER holds pictures or films and a ``truth.json`` (`models/evaluation/scoring.py` says in what
form): the shipped networks read them, and what is right and wrong is counted. With ``--worse``
they are read smaller, darker, blurred and compressed as well, as few are by themselves.

NAME is a rendered set, drawn anew from held-out art with a fresh seed, or with ``--seed``; it is
held to its goal (exit 1 where that is missed) and kept in ``--work``:

  separate, small, fans, backs   cards side by side, small, in fans, some face down
  rows, sweeps                   whole decks in overlapped rows: stills, hand-held films
  hands, large-hands             one hand held as a fan, films of two seconds: 5 to 13 cards, 20
  alphabets, auto                other letters: the deck named; told by itself (--deck auto)
  jokers                         English decks with jokers
  card-free                      pictures without a card
  stress                         kind by kind, beside the last release; `stress --help`
  enrolment                      pieces that are taught first; `enrolment --help`

Filmed plays of all games are counted by ``python -m tests.benchmarks.table_plays``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2

from companion.errors import CompanionError, UsageError
from models.evaluation.scoring import Eyes, Tally, evaluate, total
from models.evaluation.worsening import WAYS

NAMES = (
    "separate", "small", "fans", "backs", "rows", "sweeps", "hands", "large-hands", "alphabets",
    "auto", "jokers", "card-free",
)  # fmt: skip


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", metavar="FOLDER|NAME")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--misses", action="store_true", help="name what is misread in each")
    parser.add_argument(
        "--models", type=Path, help="folder with the networks (default: the shipped ones)"
    )
    folder = parser.add_argument_group("of a folder")
    folder.add_argument(
        "--worse", action="store_true", help="also smaller, darker, blurred, compressed"
    )
    folder.add_argument("--tables", action="store_true", help="by deck, index height and light")
    folder.add_argument("--reliability", type=Path, help="write the reliability diagram here (PNG)")
    rendered = parser.add_argument_group("of a rendered set")
    rendered.add_argument("--count", type=int, help="pictures or films")
    rendered.add_argument("--seed", type=int, help="default: a fresh one, which is told")
    rendered.add_argument("--art", type=Path, default=Path("build/art"), help="fetched art")
    rendered.add_argument("--work", type=Path, default=Path("build/guards"))
    rendered.add_argument("--workers", type=int, default=2)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Command line of ``python -m models.evaluate``."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        if given[:1] == ["enrolment"]:
            from models.evaluation.enrolment import main as enrolment

            return enrolment(given[1:])
        if given[:1] == ["stress"]:
            from models.evaluation.stress import main as stress

            return stress(given[1:])
        args = _parser().parse_args(given)
        return _of_set(args) if args.what in NAMES else _of_folder(args)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("models"):
            raise
        print(
            "Rendered sets are drawn in the repository; this is an installation.", file=sys.stderr
        )
        return 2
    except (OSError, CompanionError) as error:
        print(error, file=sys.stderr)
        return 2


def _of_set(args: argparse.Namespace) -> int:
    from models.evaluation.guards import GUARDS, line, run, summary

    if not (args.art / "decks").is_dir():
        raise UsageError(
            f"There is no card art in {args.art}. "
            f"Fetch it: python -m models.art fetch --out {args.art}"
        )
    seed = args.seed if args.seed is not None else time.time_ns() % 1_000_000
    tally = run(
        args.what, args.work, seed=seed, art=args.art, count=args.count, workers=args.workers,
        models=args.models, misses=args.misses,
    )  # fmt: skip
    met = GUARDS[args.what].goal.is_met(tally)
    if args.json:
        print(summary(args.what, tally, seed))
    else:
        _say(args.what, tally)
        print(line(args.what, tally, seed) + ("" if met else " goal missed"))
    return 0 if met else 1


def _of_folder(args: argparse.Namespace) -> int:
    eyes = Eyes.of(args.models)
    if args.worse:
        for name, change in WAYS.items():
            found = evaluate(Path(args.what), replace(eyes, change=change), misses=args.misses)
            _say(name, total(found.tallies.values()))
        return 0
    report = evaluate(Path(args.what), eyes, misses=args.misses)
    if args.reliability:
        cv2.imwrite(str(args.reliability), report.reliability.picture())
    if args.json:
        print(json.dumps({k: t.summary() for k, t in report.tallies.items()}))
        return 0
    for name, tally in sorted(report.tallies.items()):
        _say(name, tally)
    if args.tables:
        print(report.tables.text())
    print(f"expected calibration error {report.reliability.calibration_error:.4f}")
    return 0


def _say(name: str, t: Tally) -> None:
    rows = f"  rows exact {t.rows_exact}/{t.rows}" if t.rows else ""
    jokers = f"  jokers {t.jokers_read}/{t.jokers}" if t.jokers else ""
    hands = f"  hands kept {t.kept}/{t.hands}" if t.hands else ""
    letters = (
        f"  foreign letters {t.foreign}, {t.foreign_wrong} wrong, deck told {t.told}/{t.lettered}"
        if t.foreign
        else ""
    )
    print(
        f"{name:22} cards {t.cards:5} read {t.read:5} ({t.read / max(1, t.cards):6.2%})"
        f" wrong {t.wrong:4} photos {t.photos:4} exact {t.exact:4}{rows}{hands}{jokers}{letters}"
    )
    if t.outlines:
        print(t.outlines.text())


if __name__ == "__main__":
    sys.exit(main())
