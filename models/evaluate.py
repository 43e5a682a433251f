"""How well the shipped networks read photographs: ``python -m models.evaluate FOLDER``.

Cards count as read or wrong by what is accepted; a row is exact if all of it comes out as it lies,
as ``companion row`` gives it (doubtful places, which it marks, included).

FOLDER holds a ``truth.json``: a list of {"image", "set", "kind", "cards": [...]} (or "rank_only":
true with "ranks"; "row" where the order matters; "outlines" where the corners of the cards are
known; "alphabet" where the deck is another than the standard one). Each deck has one of each card,
so reads are compared as sets; rank-only truth as multisets of ranks. Naming a card that has an
outline there is not wrong, even if too little of it shows for it to be among the cards.
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.cards import card
from companion.decks import get_deck
from companion.errors import CompanionError
from companion.reading import MOST_BYTES, read_json
from models.charts import Confusion, Reliability
from models.evaluate_outlines import OutlineTally
from models.tables import Picture, Tables
from vision.commands import read_row, sweep_reader
from vision.images.loading import load_image
from vision.networks import load_outliner
from vision.outlines.faces import with_outlines
from vision.outlines.outliner import Outliner
from vision.protocols import CardReader
from vision.reader import Reader
from vision.rows.join import read_of_still
from vision.types import Reading


@dataclass(slots=True)
class Tally:
    """Counts of one set of photographs."""

    photos: int = 0
    cards: int = 0
    read: int = 0
    wrong: int = 0
    exact: int = 0
    rows: int = 0
    rows_exact: int = 0
    ms: list[float] = field(default_factory=list)
    outlines: OutlineTally | None = None

    def summary(self) -> dict[str, Any]:
        """Counts with recall and median time."""
        out = asdict(self) | {"recall": self.read / max(1, self.cards)}
        out["outlines"] = self.outlines.summary() if self.outlines else None
        out["ms"] = round(float(np.median(self.ms)), 1) if self.ms else None
        return out


def _identity(name: str) -> str:
    """What a read can say of a card: of the two jokers only that it is one."""
    return str(card(name).identity) if name != "back" else name


def score(entry: dict[str, Any], reading: Reading) -> tuple[int, int, int, list[str], list[str]]:
    """Cards wanted, read and wrong, with the missed and the wrong names."""
    names = [str(r.card.identity) for r in reading.cards]
    if entry.get("rank_only"):
        want = collections.Counter(entry["ranks"])
        got = collections.Counter(n[:-1] for n in set(names))
    else:
        want = collections.Counter(_identity(name) for name in set(entry["cards"]))
        got = collections.Counter(names)
    hit = want & got
    # A card that lies there is rightly named though nobody is asked to read it, covered as it is.
    there = {_identity(outline["card"]) for outline in entry.get("outlines", ())}
    missed = sorted((want - hit).elements())
    wrong = sorted(name for name in (got - hit).elements() if name not in there)
    return sum(want.values()), sum(hit.values()), len(wrong), missed, wrong


def score_sweep(entry: dict[str, Any], film: Path, sweeps: CardReader, tally: Tally) -> list[str]:
    """Reads and scores a film of a row; the row's cards, those not sure of marked by ``?``."""
    started = time.perf_counter()
    row = read_row([film], sweeps=sweeps)
    tally.ms.append((time.perf_counter() - started) * 1000)
    names = [str(card) for card in row.cards]
    sure = {name for k, name in enumerate(names) if k not in row.doubtful}
    tally.photos += 1
    tally.cards += len(entry["row"])
    tally.read += len(sure & set(entry["row"]))
    tally.wrong += len(sure - set(entry["row"]))
    tally.exact += sure == set(entry["row"])
    tally.rows += 1
    tally.rows_exact += names == entry["row"]
    return [name + ("" if name in sure else "?") for name in names]


def _score_outlines(
    entry: dict[str, Any],
    picture: Picture,
    reading: Reading,
    tally: Tally,
    outliner: Outliner,
) -> None:
    """Looks for the outlines of the cards that were read, and scores them."""
    tally.outlines = tally.outlines or OutlineTally()
    found = with_outlines(picture, reading, outliner)
    outlined = {str(r.card): np.array(r.quad) for r in found.cards if r.outlined}
    tally.outlines.add(entry["outlines"], outlined, [np.array(quad) for quad in found.backs])


def evaluate(
    folder: Path,
    reader: Reader,
    outliner: Outliner,
    *,
    sweeps: CardReader | None = None,
    misses: bool = False,
) -> tuple[dict[str, Tally], Confusion, Reliability, Tables]:
    """Read and score every photograph that ``truth.json`` names."""
    truth = read_json(folder / "truth.json", MOST_BYTES)
    tallies: dict[str, Tally] = collections.defaultdict(Tally)

    @functools.cache
    def reader_for(alphabet: str | None) -> Reader:
        return reader if alphabet is None else reader.for_deck(get_deck(alphabet))

    confusion, reliability, tables = Confusion(), Reliability(), Tables()
    for entry in truth:
        tally = tallies[f"{entry['set']}/{entry['kind']}"]
        if "video" in entry:
            names = score_sweep(entry, folder / entry["video"], sweeps or reader, tally)
            if misses and [name.rstrip("?") for name in names] != entry["row"]:
                print(f"{entry['video']}: row read as {' '.join(names)}", file=sys.stderr)
            continue
        tally.photos += 1
        picture = None
        try:
            suited = reader_for(entry.get("alphabet"))
            look = suited.read_closely if entry.get("row") else suited.read
            picture = load_image(folder / entry["image"]).pixels
            reading = look(picture)
        except CompanionError as error:
            print(f"{entry['image']}: {error}", file=sys.stderr)
            reading = Reading(size=(0, 0))
        wanted, hit, wrong, missed, wrong_names = score(entry, reading)
        tally.cards += wanted
        tally.read += hit
        tally.wrong += wrong
        tally.exact += hit == wanted and not wrong
        tally.ms.append(reading.ms)
        tables.add(entry, picture, wanted, hit, wrong)
        if "outlines" in entry and picture is not None:
            _score_outlines(entry, picture, reading, tally, outliner)
        if entry.get("row"):
            tally.rows += 1
            row = [str(c) for c in read_of_still(reading).cards]
            tally.rows_exact += row == entry["row"]
            if misses and row != entry["row"]:
                print(f"{entry['image']}: row read as {' '.join(row)}", file=sys.stderr)
        confusion.add(entry, {str(r.card) for r in reading.cards}, missed, wrong_names)
        reads = (*reading.cards, *reading.doubtful)
        reliability.add(entry, [(str(r.card), r.confidence) for r in reads])
        if misses and (missed or wrong_names):
            print(f"{entry['image']}: missed {missed} wrong {wrong_names}", file=sys.stderr)
    return dict(tallies), confusion, reliability, tables


def main(argv: Sequence[str] | None = None) -> int:
    """Command line of ``python -m models.evaluate``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--misses", action="store_true", help="name the misread cards of each photo"
    )
    parser.add_argument("--tables", action="store_true", help="by deck, index height and light")
    parser.add_argument("--confusion", type=Path, help="write the confusion picture here (PNG)")
    parser.add_argument("--reliability", type=Path, help="write the reliability diagram here (PNG)")
    parser.add_argument(
        "--models", type=Path, help="folder with the networks (default: the shipped ones)"
    )
    args = parser.parse_args(argv)
    try:
        tallies, confusion, reliability, tables = evaluate(
            args.folder,
            Reader(args.models),
            load_outliner(args.models),
            sweeps=sweep_reader("standard", folder=args.models),
            misses=args.misses,
        )
    except (OSError, CompanionError) as error:
        print(error, file=sys.stderr)
        return 2
    if args.confusion:
        cv2.imwrite(str(args.confusion), confusion.picture())
    if args.reliability:
        cv2.imwrite(str(args.reliability), reliability.picture())
    if args.json:
        print(json.dumps({k: t.summary() for k, t in tallies.items()}))
        return 0
    for name, t in sorted(tallies.items()):
        rows = f"  rows exact {t.rows_exact}/{t.rows}" if t.rows else ""
        print(
            f"{name:22} cards {t.cards:5} read {t.read:5} ({t.read / max(1, t.cards):6.2%})"
            f" wrong {t.wrong:4} photos {t.photos:4} exact {t.exact:4}{rows}"
        )
        if t.outlines:
            print(t.outlines.text())
    if args.tables:
        print(tables.text())
    print(f"expected calibration error {reliability.calibration_error:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
