"""Reads pictures and films of which the truth is known, and scores the reads.

Cards count as read or wrong by what is accepted; a row is exact if all of it comes out as it lies,
as ``companion row`` gives it (doubtful places, which it marks, included).

A folder holds a ``truth.json``: a list of {"image", "set", "kind", "cards": [...]} (or "rank_only":
true with "ranks"; "row" where the order matters; "outlines" where the corners of the cards are
known; "alphabet" where the deck is another than the standard one, "foreign" the cards whose letter
is not the English one; kind "hand" where a film shows one hand). Each deck has one of each card,
so reads are compared as sets; rank-only truth as multisets of ranks. Naming a card that has an
outline there is not wrong, even if too little of it shows for it to be among the cards.
"""

from __future__ import annotations

import collections
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.bounded_io import MOST_BYTES, read_json
from companion.cards import card
from companion.decks import get_deck
from companion.errors import CompanionError
from models.arrays import Picture
from models.evaluation.charts import Reliability
from models.evaluation.outlines import OutlineTally
from models.evaluation.tables import Tables
from models.evaluation.worsening import Change
from vision.commands import read_hand, read_row, sweep_reader
from vision.images.loading import load_image
from vision.images.pyramid import Pyramid
from vision.networks import load_outliner
from vision.outlines.faces import with_outlines
from vision.outlines.outliner import Outliner
from vision.protocols import CardReader
from vision.reader import Reader
from vision.rows.join import read_of_still
from vision.types import Reading


@dataclass(slots=True)
class Tally:
    """Counts of one set of photographs.

    Attributes:
        exact: photographs of which all cards and no other were named.
        jokers: of the cards those that are jokers.
        foreign: of the cards those whose letter is not the English one.
        foreign_wrong: of these those that were accepted under a wrong name.
        lettered: photographs of three cards and more that show such a letter.
        told: of these those that were read as a deck in which all their cards are what they are.
        hands: films of one hand.
        kept: of these those of which every card, and no other, was sure.
    """

    photos: int = 0
    cards: int = 0
    read: int = 0
    wrong: int = 0
    exact: int = 0
    rows: int = 0
    rows_exact: int = 0
    jokers: int = 0
    jokers_read: int = 0
    foreign: int = 0
    foreign_wrong: int = 0
    lettered: int = 0
    told: int = 0
    hands: int = 0
    kept: int = 0
    ms: list[float] = field(default_factory=list)
    outlines: OutlineTally | None = None

    def summary(self) -> dict[str, Any]:
        """Counts with recall and median time."""
        out = asdict(self) | {"recall": self.read / max(1, self.cards)}
        out["outlines"] = self.outlines.summary() if self.outlines else None
        out["ms"] = round(float(np.median(self.ms)), 1) if self.ms else None
        return out


def total(tallies: Iterable[Tally]) -> Tally:
    """The counts of several sets together; nothing of outlines."""
    found = Tally()
    for tally in tallies:
        for name in _COUNTS:
            setattr(found, name, getattr(found, name) + getattr(tally, name))
    return found


_COUNTS = tuple(f.name for f in fields(Tally) if f.type == "int")


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


def _score_letters(entry: dict[str, Any], reading: Reading, tally: Tally) -> None:
    """Whether foreign letters were taken for what they are."""
    foreign = set(entry["foreign"])
    tally.foreign += len(foreign)
    there = {outline["card"] for outline in entry["outlines"]}
    for read in reading.cards:
        if str(read.card) not in there and read.indices:
            place = read.indices[0].centre
            tally.foreign_wrong += any(
                outline["card"] in foreign
                and cv2.pointPolygonTest(np.float32(outline["corners"]), place, False) >= 0
                for outline in entry["outlines"]
            )
    if not foreign or len(entry["cards"]) < 3:
        return
    true, told = get_deck(entry["alphabet"]), get_deck(reading.deck or "standard")
    ranks = {rank for name in entry["cards"] if (rank := card(name).rank)}
    tally.lettered += 1
    tally.told += all(set(true.glyphs_of(r)) & set(told.glyphs_of(r)) for r in ranks)


def _score_outlines(
    entry: dict[str, Any],
    picture: Picture,
    reading: Reading,
    tally: Tally,
    outliner: Outliner,
) -> None:
    """Looks for the outlines of the cards that were read, and scores them."""
    tally.outlines = tally.outlines or OutlineTally()
    found = with_outlines(Pyramid(picture), reading, outliner)
    outlined = {str(r.card): np.array(r.quad) for r in found.cards if r.outlined}
    tally.outlines.add(entry["outlines"], outlined, [np.array(quad) for quad in found.backs])


@dataclass(frozen=True, slots=True)
class Eyes:
    """What reads: stills, films, and the corners of cards.

    Attributes:
        still: Reads stills.
        film: Reads films of rows.
        outliner: Finds the corners.
        auto: Whether the reader tells the deck itself; else the truth names it.
        change: Done to each picture before; films are left out then, and outlines not scored.
    """

    still: Reader
    film: CardReader
    outliner: Outliner
    auto: bool = False
    change: Change | None = None

    @classmethod
    def of(cls, models: Path | None, *, auto: bool = False) -> Eyes:
        """Those with the networks of a folder; None takes the shipped ones."""
        film = sweep_reader("standard", folder=models)
        return cls(Reader(models, auto=auto), film, load_outliner(models), auto)

    def for_deck(self, alphabet: str | None) -> Reader:
        """Reads stills of a deck with other letters."""
        return self.still if self.auto or not alphabet else self.still.for_deck(get_deck(alphabet))


@dataclass(slots=True)
class Report:
    """What became of all pictures of a folder."""

    tallies: dict[str, Tally] = field(default_factory=lambda: collections.defaultdict(Tally))
    reliability: Reliability = field(default_factory=Reliability)
    tables: Tables = field(default_factory=Tables)


def evaluate(folder: Path, eyes: Eyes, *, misses: bool = False) -> Report:
    """Read and score every picture and film that ``truth.json`` names.

    Args:
        folder: With the pictures.
        eyes: What reads them.
        misses: Whether what is misread is told on stderr.
    """
    report = Report()
    for entry in read_json(folder / "truth.json", MOST_BYTES):
        if eyes.change is not None and "video" in entry:
            continue
        tally = report.tallies[f"{entry['set']}/{entry['kind']}"]
        tally.photos += 1
        if "video" in entry:
            film = folder / entry["video"]
            if entry["kind"] == "hand":
                said = _score_hand(entry, film, eyes.still, tally)
            else:
                said = _score_film(entry, film, eyes.film, tally)
        else:
            said = _score_picture(entry, folder / entry["image"], eyes, tally, report)
        if misses and said:
            print(f"{entry.get('image') or entry['video']}: {said}", file=sys.stderr)
    return report


def _score_film(entry: dict[str, Any], film: Path, reader: CardReader, tally: Tally) -> str:
    """Reads and scores a film of a row; gives a misread row, those not sure of marked by ``?``."""
    started = time.perf_counter()
    row = read_row([film], sweeps=reader)
    tally.ms.append((time.perf_counter() - started) * 1000)
    names = [str(card) for card in row.cards]
    sure = {name for k, name in enumerate(names) if k not in row.doubtful}
    tally.cards += len(entry["row"])
    tally.read += len(sure & set(entry["row"]))
    tally.wrong += len(sure - set(entry["row"]))
    tally.exact += sure == set(entry["row"])
    tally.rows += 1
    tally.rows_exact += names == entry["row"]
    if names == entry["row"]:
        return ""
    return f"row read as {' '.join(n + '?' * (n not in sure) for n in names)}"


def _score_hand(entry: dict[str, Any], film: Path, reader: CardReader, tally: Tally) -> str:
    """Reads and scores a film of one hand; says what was not sure or wrong."""
    started = time.perf_counter()
    hand = read_hand([str(film)], deck=get_deck(), count=len(entry["cards"]), reader=reader)
    tally.ms.append((time.perf_counter() - started) * 1000)
    want, sure = set(entry["cards"]), {str(card) for card in hand.sure}
    tally.cards += len(want)
    tally.read += len(want & sure)
    tally.wrong += len(sure - want)
    tally.exact += sure == want
    tally.hands += 1
    tally.kept += sure == want and hand.is_whole
    missed, wrong = sorted(want - sure), sorted(sure - want)
    asked = [f"{one.card}?" for one in hand.doubtful]
    return f"missed {missed} wrong {wrong} asked {asked}" if missed or wrong else ""


def _score_picture(
    entry: dict[str, Any], path: Path, eyes: Eyes, tally: Tally, report: Report
) -> str:
    """Reads and scores a picture; says what is misread."""
    picture, reading = _read(entry, path, eyes)
    wanted, hit, wrong, missed, wrong_names = score(entry, reading)
    tally.cards += wanted
    tally.read += hit
    tally.wrong += wrong
    tally.exact += hit == wanted and not wrong
    tally.ms.append(reading.ms)
    if not entry.get("rank_only"):
        jokers = sum(name.startswith("JK") for name in set(entry["cards"]))
        tally.jokers += jokers
        tally.jokers_read += min(jokers, sum(read.card.is_joker for read in reading.cards))
    if "foreign" in entry:
        _score_letters(entry, reading, tally)
    if "outlines" in entry and picture is not None and eyes.change is None:
        _score_outlines(entry, picture, reading, tally, eyes.outliner)
    report.tables.add(entry, picture, wanted, hit, wrong)
    reads = (*reading.cards, *reading.doubtful)
    report.reliability.add(entry, [(str(r.card), r.confidence) for r in reads])
    said = f"missed {missed} wrong {wrong_names}" if missed or wrong_names else ""
    if entry.get("row"):
        row = [str(c) for c in read_of_still(reading).cards]
        tally.rows += 1
        tally.rows_exact += row == entry["row"]
        said += "" if row == entry["row"] else f" row read as {' '.join(row)}"
    return said


def _read(entry: dict[str, Any], path: Path, eyes: Eyes) -> tuple[Picture | None, Reading]:
    """The picture and what is read in it; nothing in one that cannot be opened."""
    reader = eyes.for_deck(entry.get("alphabet"))
    try:
        picture = load_image(path).pixels
        if eyes.change is not None:
            picture = eyes.change(picture)
        return picture, (reader.read_closely if entry.get("row") else reader.read)(picture)
    except CompanionError as error:
        print(f"{path.name}: {error}", file=sys.stderr)
        return None, Reading(size=(0, 0))
