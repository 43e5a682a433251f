"""What `companion scan`, `row`, `hand`, `watch` and `bench` do, once their options are read.

Results go to stdout (JSON lines where asked for), one line for each unreadable picture to stderr.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from companion.cards import Card
from companion.decks import AUTO, Deck, get_deck
from companion.errors import CompanionError, UnreadableError
from vision import misreads
from vision.arrays import Image
from vision.bench import bench
from vision.explain import explanation
from vision.hands import Hand, HandReader
from vision.images.cameras import is_live
from vision.images.grabber import NewestFrame
from vision.images.loading import find_images, load_image
from vision.images.sources import STILL, SourceError, is_video, open_source
from vision.images.sweep_frames import sharpest, worth_reading
from vision.printing import (
    changes_of_state,
    event_text,
    hand_json,
    hand_text,
    news_json,
    replay_text,
    row_json,
    row_text,
    scan_json,
    scan_text,
    sighting_json,
)
from vision.protocols import CardReader, FrameSource
from vision.reader import Reader
from vision.rows.join import RowJoiner, RowReading, read_of_still
from vision.tracking.watching import TableView, TableWatch
from vision.tracking.zones import TABLE, Zones, load_zones
from vision.types import Reading, Sighting

__all__ = ["bench", "hand", "read_hand", "read_row", "row", "scan", "sightings", "watch"]

#: Frames of clips that are looked at, per second.
FRAME_RATE = 10.0
#: Frames of a sweep that are read, per second, and from how many the sharpest are chosen.
SWEEP_RATE, LOOK_RATE = 4.0, 30.0
#: Frames of a hand that are read, per second; after so many that have left a whole hand as it is
#: no more are; nor does a camera wait longer for one, in seconds.
HAND_RATE, HAND_STEADY, HAND_PATIENCE = 4.0, 3, 60.0
_FAILED = 2
_CAMERA_WAIT = 5.0
Propose = Callable[[Sequence[Sighting], float], Iterable[tuple[Sighting | None, dict[str, Any]]]]


def make_reader(deck: str) -> Reader:
    """The reader that all commands use."""
    return Reader(deck=_with_indices(deck), auto=deck == AUTO)


def _with_indices(name: str) -> Deck:
    """The deck of that name, if its cards are known by their corner indices."""
    deck = _deck_of(name)
    if deck.enrolled:
        raise CompanionError(
            f"“{name}” is known by its whole faces, not by the indices in the corners, which are "
            "read here: companion watch and the app read it."
        )
    return deck


def _deck_of(name: str) -> Deck:
    """The deck of that name; where it is to be told from what is seen, a standard one."""
    return get_deck() if name == AUTO else get_deck(name)


def sweep_reader(deck: str, *, folder: Path | None = None) -> CardReader:
    """The reader of a sweep's frames.

    Args:
        deck: name of the deck.
        folder: where the networks are; None takes the shipped ones.
    """
    return Reader(folder, deck=_with_indices(deck), auto=deck == AUTO).for_sweep()


def scan(
    paths: Sequence[Path],
    *,
    deck: str = AUTO,
    json_output: bool = False,
    explain: bool = False,
    keep_misread: Path | None = None,
    cards: Sequence[Card] | None = None,
) -> int:
    """Names the cards in each picture; folders are accepted.

    Args:
        paths: pictures and folders of pictures.
        deck: name of the deck.
        json_output: one JSON object a line instead of words.
        explain: also says for each card, and each place in doubt, what the stages of reading did.
        keep_misread: a folder in which photos that are misread are kept, see `vision.misreads`.
        cards: what lies on the photo; None if that is not known.

    Returns:
        0, or 2 where a picture could not be read (the others are done).
    """
    images, errors = find_images(paths)
    failed = _complain_all(errors)
    if not images:
        return _FAILED if failed else 0
    reader = make_reader(deck)
    for path in _with_progress(images):
        try:
            loaded = load_image(path)
        except UnreadableError as error:
            failed = _complain_all([error])
            continue
        read = reader.read_with_outlines if json_output else reader.read
        reading = read(loaded.pixels)
        if keep_misread is not None and misreads.is_worth_keeping(reading, cards):
            copy = misreads.keep(keep_misread, path, reading, deck=deck, cards=cards)
            print(f"companion: kept as {copy}", file=sys.stderr)
        reading = reading.scaled(loaded.scale, loaded.size)
        _say(json.dumps(scan_json(path, reading)) if json_output else scan_text(path, reading))
        if explain:
            told = explanation(reader.look(loaded.pixels), factor=loaded.scale)
            _say("  " + told.replace("\n", "\n  "))
    return _FAILED if failed else 0


def replay_misreads(folder: Path, *, json_output: bool = False) -> int:
    """Reads the kept photos of a folder again and says which are read rightly now.

    Returns:
        0, or 2 where a photo could not be read (the others are done).
    """
    readers: dict[str, Reader] = {}
    failed, right, count = False, 0, 0
    for misread in misreads.kept(folder):
        if misread.deck not in readers:
            readers[misread.deck] = make_reader(misread.deck)
        try:
            loaded = load_image(misread.photo)
        except UnreadableError as error:
            failed = _complain_all([error])
            continue
        reading = readers[misread.deck].read(loaded.pixels)
        missed, wrong = misread.missed_and_wrong(reading)
        count, right = count + 1, right + (not missed and not wrong)
        if json_output:
            line = scan_json(misread.photo, reading.scaled(loaded.scale, loaded.size))
            known = misread.cards is not None
            _say(json.dumps(line | {"missed": missed, "wrong": wrong, "known": known}))
        else:
            _say(replay_text(misread, missed, wrong))
    if not json_output:
        _say(f"{right} of {count} as they should be")
    return _FAILED if failed else 0


def row(paths: Sequence[Path], *, deck: str = AUTO, json_output: bool = False) -> int:
    """Reads one row from a still, several stills or a sweep.

    Returns:
        0, or 2 where one of the pictures could not be read.
    """
    failed: list[CompanionError] = []
    result = read_row(paths, deck=deck, failed=failed)
    _complain_all(failed)
    if json_output:
        _say(json.dumps(row_json(result)))
    else:
        _say(row_text(result))
    return _FAILED if failed else 0


def read_row(
    paths: Sequence[Path],
    *,
    deck: str = AUTO,
    failed: list[CompanionError] | None = None,
    sweeps: CardReader | None = None,
) -> RowReading:
    """One row from pictures, folders of pictures and videos together.

    Args:
        paths: what to read; several are joined by the cards they share.
        deck: name of the deck.
        failed: collects what could not be read while something else could; None raises it.
        sweeps: what reads the frames of videos, closely; None takes `sweep_reader`.

    Raises:
        CompanionError: nothing could be read, or something could not and ``failed`` is None.
    """
    stills, errors = find_images(p for p in map(Path, paths) if not is_video(p))
    videos = [path for path in map(Path, paths) if is_video(path)]
    problems: list[CompanionError] = list(errors)
    readings: list[Reading] = []
    if stills:
        readings += _still_readings(stills, make_reader(deck), problems)
    frames: list[Reading] = []
    for path in videos:
        sweeps = sweeps or sweep_reader(deck)
        try:
            frames += sweep_readings(path, sweeps)
        except CompanionError as error:
            problems.append(error)
    _settle(problems, failed, is_read=bool(readings or frames))
    if len(readings) == 1 and not frames:
        return read_of_still(readings[0], _deck_of(deck).whole)
    joiner = RowJoiner(
        least=2 if frames and not readings else 1,
        growing=bool(frames),  # a film may show how the row is laid
        whole=_deck_of(deck).whole,
        copies=_deck_of(deck).copies,
    )
    for reading in (*readings, *frames):
        joiner.add(reading)
    return joiner.result()


def _still_readings(
    stills: Sequence[Path], reader: CardReader, problems: list[CompanionError]
) -> Iterator[Reading]:
    for path in stills:
        try:
            yield reader.read_closely(load_image(path).pixels)
        except UnreadableError as error:
            problems.append(error)


def sweep_readings(path: Path, reader: CardReader) -> list[Reading]:
    """What is read in the frames of a sweep that are worth it.

    Raises:
        SourceError: it is no video, or broke off.
    """
    frames = _frames(open_source(str(path)), LOOK_RATE)
    return [reader.read(image) for _, image in worth_reading(frames, rate=SWEEP_RATE)]


def hand(
    sources: Sequence[str],
    *,
    deck: str | Deck = AUTO,
    count: int | None = None,
    reader: CardReader | None = None,
    json_output: bool = False,
) -> int:
    """Names the cards of one hand.

    Args:
        sources: photos, folders of photos, videos or a camera that show it.
        deck: what it can hold, or its name.
        count: how many cards it holds; None if that is not known.
        reader: what reads the frames; None takes the networks for corner indices.
        json_output: one JSON object instead of words.

    Returns:
        0, or 2 where one of the sources could not be read.
    """
    failed: list[CompanionError] = []
    found = read_hand(sources, deck=deck, count=count, reader=reader, failed=failed)
    _complain_all(failed)
    _say(json.dumps(hand_json(found)) if json_output else hand_text(found))
    return _FAILED if failed else 0


def read_hand(
    sources: Sequence[str],
    *,
    deck: str | Deck = AUTO,
    count: int | None = None,
    reader: CardReader | None = None,
    failed: list[CompanionError] | None = None,
) -> Hand:
    """One hand from photos, videos or a camera together.

    A video or a camera is read until the hand is whole.

    Args:
        sources: what shows it.
        deck: what it can hold, or its name.
        count: how many cards it holds; None if that is not known.
        reader: what reads the frames; None takes the networks for corner indices.
        failed: collects what could not be read while something else could; None raises it.

    Raises:
        CompanionError: nothing could be read, or something could not and ``failed`` is None.
    """
    known = _deck_of(deck) if isinstance(deck, str) else deck
    reader = reader or make_reader(deck if isinstance(deck, str) else deck.name)
    stills = not any(is_live(source) or is_video(Path(source)) for source in sources)
    gathered = HandReader(reader, known, expected=count, stills=stills)
    problems: list[CompanionError] = []
    read = 0
    for source in sources:
        try:
            for image in _frames_of_hand(source, problems):
                read += 1
                found = gathered.add(image)
                if not stills and count and found.is_whole and found.steady >= HAND_STEADY:
                    break
        except CompanionError as error:
            problems.append(error)
    _settle(problems, failed, is_read=read > 0)
    return gathered.hand


def _settle(
    problems: Sequence[CompanionError], failed: list[CompanionError] | None, *, is_read: bool
) -> None:
    """Collects what could not be read, or raises the first of it where nothing else was read."""
    if problems and (failed is None or not is_read):
        if failed is not None:
            failed.extend(problems[1:])
        raise problems[0]
    if failed is not None:
        failed.extend(problems)


def _frames_of_hand(source: str, problems: list[CompanionError]) -> Iterator[Image]:
    """What a photo, a folder, a video or a camera shows; photos that cannot be read are told."""
    if is_live(source):
        for t, image in _newest(open_source(source)):
            yield image
            if t > HAND_PATIENCE:
                return
    elif is_video(Path(source)):
        frames = _frames(open_source(source), LOOK_RATE)
        yield from (image for _, image in sharpest(frames, rate=HAND_RATE))
    else:
        stills, errors = find_images([source])
        problems.extend(errors)
        for path in stills:
            try:
                yield load_image(path).pixels
            except UnreadableError as error:
                problems.append(error)


def watch(
    source: str,
    *,
    game: str | None = None,
    zones: Path | Zones | None = None,
    deck: str | Deck = AUTO,
    rows: Collection[str] | None = None,
    reader: CardReader | None = None,
    json_output: bool = False,
    propose: Propose | None = None,
) -> int:
    """Follows a video or camera and prints sightings, states and proposals as they come.

    Args:
        source: see `vision.images.sources.open_source`.
        game: name of the game that is proposed for; only told with its proposals.
        zones: the table's zones or a file with them, see `vision.tracking.zones`; None takes the
            whole picture as one row.
        deck: the deck or its name.
        reader: what reads the frames; None takes the networks for corner indices.
        rows: names of the zones that are rows; None takes every zone of a name beginning so.
        json_output: one JSON object a line instead of words.
        propose: what all that lies on the table means in the game, as JSON-ready fields; called
            after every frame.

    Returns:
        0.

    Raises:
        CompanionError: the source, the zones or the networks cannot be used.
    """
    places = zones if isinstance(zones, Zones) else load_zones(zones)
    told: dict[str, str] = {}
    for view in follow(source, zones=places, deck=deck, rows=rows, reader=reader):
        for event in (*news_json(view), *changes_of_state(view, told)):
            _say(json.dumps(event) if json_output else event_text(event), flush=True)
        if propose is None:
            continue
        for seen, fields in propose((*view.lying, *view.turned), view.t):
            line = {"t": round(view.t, 3), "kind": "proposal", "game": game}
            line |= (sighting_json(seen) if seen is not None else {}) | fields
            _say(json.dumps(line) if json_output else event_text(line), flush=True)
    return 0


def sightings(source: str, *, deck: str = AUTO, zone: str = TABLE) -> Iterator[Sighting]:
    """The cards that come to lie in the row of a clip or camera, one after the other."""
    for view in follow(source, zones=Zones({zone: None}), deck=deck, rows=(zone,)):
        yield from view.news


def follow(
    source: str,
    *,
    zones: Zones,
    deck: str | Deck,
    rows: Collection[str] | None = None,
    reader: CardReader | None = None,
) -> Iterator[TableView]:
    """The table after each frame of a source, in order of time."""
    frames = open_source(source, looks=STILL)
    if rows is None:
        rows = [name for name in zones.names if name.startswith(TABLE)]
    known = _deck_of(deck) if isinstance(deck, str) else deck
    table = TableWatch(known, zones, rows=rows)
    reader = reader or make_reader(deck if isinstance(deck, str) else deck.name)
    live = is_live(source)
    for t, image in _newest(frames) if live else _frames(frames, FRAME_RATE):
        yield table.look(image, t, reader)


def _frames(source: FrameSource, rate: float) -> Iterator[tuple[float, Image]]:
    """Frames of a clip, at most ``rate`` a second of its own time."""
    source.open()
    due = 0.0
    with closing(source):
        while not source.ended:
            frame = source.newest()
            if frame is not None and frame[0] >= due - 1e-6:
                due = frame[0] + 1 / rate
                yield frame
    if source.failure:
        raise SourceError(source.failure)


def _newest(source: FrameSource) -> Iterator[tuple[float, Image]]:
    """The newest frame of a camera whenever the reader is ready for one."""
    with NewestFrame(source) as grabber:
        while not grabber.ended:
            frame = grabber.take(_CAMERA_WAIT)
            if frame is not None:
                yield frame
    if grabber.failure:
        raise SourceError(grabber.failure)


def _with_progress(images: Sequence[Path]) -> Iterable[Path]:
    """The pictures, with a progress bar on stderr where a person waits for many."""
    if len(images) < 4 or not sys.stderr.isatty():
        return images
    from rich.console import Console
    from rich.progress import track

    return track(images, description="Reading", console=Console(stderr=True), transient=True)


def _complain_all(errors: Iterable[CompanionError]) -> bool:
    told = False
    for error in errors:
        print(f"companion: {' '.join(error.message.split())}", file=sys.stderr)
        told = True
    return told


def _say(text: str, *, flush: bool = False) -> None:
    print(text, flush=flush)
