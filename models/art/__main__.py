"""``python -m models.art fetch``: everything from packages to the cache folder."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from models.art.backgrounds import build_backgrounds
from models.art.decks import build_decks
from models.art.fonts import build_fonts
from models.art.occluders import build_occluders
from models.art.packages import Say, fetch_packages, load_packages
from models.art.paths import DEFAULT_DIR
from models.art.pips import build_pips

PARTS: tuple[str, ...] = ("decks", "fonts", "pips", "backgrounds", "occluders")
"""What ``fetch`` makes, in this order; pips are cut from decks and fonts."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m models.art", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    fetch = commands.add_parser("fetch", help="download, unpack and bring into one form")
    fetch.add_argument("--out", type=Path, default=DEFAULT_DIR, help="cache folder (%(default)s)")
    fetch.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART",
                       help=f"some of: {', '.join(PARTS)}")  # fmt: skip
    fetch.add_argument("--again", action="store_true",
                       help="make finished parts anew; downloads are kept")  # fmt: skip
    arguments = parser.parse_args(argv)
    started = time.monotonic()
    problems = fetch_art(arguments.out, only=arguments.only, again=arguments.again, say=_say)
    _say(f"done in {time.monotonic() - started:.0f} s; the art is in {arguments.out}")
    for problem in problems:
        print(f"not available: {problem}", file=sys.stderr)
    return 1 if problems else 0


def fetch_art(
    root: Path, *, only: Sequence[str] = PARTS, again: bool = False, say: Say
) -> list[str]:
    """Fetches packages and makes the parts that are wanted and not there.

    Args:
        root: The cache folder.
        only: Parts to make.
        again: Make them even if they are there.
        say: Told what happens, a line at a time.

    Returns:
        A message for each thing that could not be had; the rest is complete.
    """
    root.mkdir(parents=True, exist_ok=True)
    wanted = [p for p in load_packages() if p.parts & set(only)]
    problems = fetch_packages(wanted, root, say=say)
    makers: dict[str, tuple[str, Callable[..., object]]] = {
        "decks": ("decks", build_decks),  # finished decks are passed over one by one
        "fonts": ("fonts.json", build_fonts),
        "pips": ("pips.json", build_pips),
        "backgrounds": ("backgrounds.json", build_backgrounds),
        "occluders": ("occluders.json", build_occluders),
    }
    for part in PARTS:
        product, make = makers[part]
        if part not in only:
            continue
        if again:
            _discard(root, part, product)
        if part == "decks" or not (root / product).is_file():
            try:
                make(root, say=say)
            except (OSError, ValueError) as error:
                problems.append(f"{part}: {error}")
                say(problems[-1])
    return problems


def _discard(root: Path, part: str, product: str) -> None:
    shutil.rmtree(root / part, ignore_errors=True)
    if product != part:
        (root / product).unlink(missing_ok=True)


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
