"""What `companion deck enrol`, `deck check` and `companion calibrate` do with photos and clips."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibration.embed import Embedder
from calibration.enrolment import EnrolledDeck, Naming, Report, enrol, load, save
from calibration.light import Light, measure
from calibration.outlines import Outline, Shape, shape_of
from calibration.recognise import Recogniser, printed_deck
from companion.cards import Family
from companion.decks import PRINTABLE, Deck, deck_names, get_deck
from companion.errors import UnreadableError, UsageError
from vision.arrays import Image
from vision.images.loading import (
    PICTURE_SUFFIXES,
    VIDEO_SUFFIXES,
    list_folder,
    load_image,
    natural_key,
)
from vision.images.sources import SourceError, is_video, open_source

#: Views taken from a clip of one piece.
CLIP_VIEWS = 3
_NUMBERED = re.compile(r"(.+?)[-_ ]+\d+")
_NAME = re.compile(r"[\w][\w .-]{0,40}")


@dataclass(frozen=True, slots=True)
class Taught:
    """A deck that was just enrolled.

    Attributes:
        path: its file.
        report: how well its pieces are told apart.
        missing: codes of the deck's cards that no photo shows.
    """

    path: Path
    report: Report
    missing: tuple[str, ...]


def enrol_photos(
    name: str,
    paths: Sequence[Path],
    folder: Path,
    *,
    like: str | None = None,
    shape: str | None = None,
    size_mm: tuple[float, float] | None = None,
    in_order: int | None = None,
    told: Callable[[int], None] | None = None,
) -> Taught:
    """Teaches a deck from files and keeps it.

    Args:
        name: to call it; that of a built-in deck gives its cards and size.
        paths: photos and clips, or folders of them; see `labelled`.
        folder: where enrolled decks are kept.
        like: the built-in deck whose cards these are, where the name does not say.
        shape: card, tile or coin, where no deck says.
        size_mm: of a piece, likewise.
        in_order: photos a piece, where their names say nothing: they are the deck's cards in order.
        told: is told how many files are done.

    Raises:
        CompanionError: a file cannot be read, shows no piece, or is named after none.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"“{name}” cannot be a deck's name: use letters, digits, space, - and _.")
    deck = get_deck(like or name) if like or name in deck_names() else None
    outline = shape_of(deck) if deck else Shape(shape or "card")
    size = size_mm or (deck.size_mm if deck else None)
    files = labelled(paths, deck, in_order=in_order)
    views: dict[str, list[Image]] = {}
    done = 0
    for label, group in files.items():
        for path in group:
            views.setdefault(label, []).extend(_views_of(path))
            done += 1
            if told is not None:
                told(done)
    taught, report = enrol(name, views, Embedder(), shape=outline, size_mm=size)
    target = folder / f"{name}.json"
    save(taught, target)
    wanted = _codes(deck) if deck else ()
    return Taught(target, report, tuple(code for code in wanted if code not in views))


def labelled(
    paths: Sequence[Path], deck: Deck | None, *, in_order: int | None = None
) -> dict[str, list[Path]]:
    """Which files show which piece, by their names.

    A file is named after its piece (`W1.jpg`) with a number where there are several (`W1-2.jpg`,
    `W1_2.mp4`), or lies in a folder named after it (`W1/IMG_0123.jpg`).

    Raises:
        UnreadableError: a file is missing or named after no piece of the deck.
        UsageError: ``in_order`` does not fit the number of files.
    """
    files: list[tuple[Path, str]] = []
    for path in paths:
        if path.is_dir():
            for file in list_folder(path, PICTURE_SUFFIXES | VIDEO_SUFFIXES):
                own = file.parent != path
                files.append((file, file.parent.name if own else file.stem))
        else:
            files.append((path, path.stem))
    if in_order is not None:
        return _in_order([file for file, _ in files], deck, in_order)
    found: dict[str, list[Path]] = {}
    for file, word in files:
        match = _NUMBERED.fullmatch(word)
        label = _label(word, deck) or (_label(match[1], deck) if match else None)
        if label is None:
            assert deck is not None
            raise UnreadableError(
                f"{file}: is named after no card of {deck.name}; name it like "
                f"{_codes(deck)[0]}-1{file.suffix}, or put it in a folder {_codes(deck)[0]}."
            )
        found.setdefault(label, []).append(file)
    return found


def _in_order(files: list[Path], deck: Deck | None, each: int) -> dict[str, list[Path]]:
    files = sorted(files, key=natural_key)
    codes = _codes(deck) if deck else tuple(str(k + 1) for k in range(len(files) // each))
    if each < 1 or len(files) != each * len(codes):
        raise UsageError(
            f"{len(files)} photos are no {each} for each of {len(codes)} pieces; "
            "name them after their pieces instead."
        )
    return {code: files[k * each : (k + 1) * each] for k, code in enumerate(codes)}


def _label(word: str, deck: Deck | None) -> str | None:
    """A piece's label from a file's word; of a known deck its code, `3` and `S` a coin's sides."""
    if deck is None:
        match = _NUMBERED.fullmatch(word)
        return match[1] if match else word
    for code in (word, word.upper(), f"{word.upper()}?", f"?{word.upper()}"):
        if code in _codes(deck):
            return code
    return None


def _codes(deck: Deck) -> tuple[str, ...]:
    """Codes of what a camera can tell apart: a coin shows one of its sides."""
    if deck.family is Family.COIN:
        values = dict.fromkeys(f"{c.rank_text}?" for c in deck.cards)
        return (*values, *dict.fromkeys(f"?{c.suit}" for c in deck.cards))
    return tuple(c.code for c in deck.cards)


def _views_of(path: Path) -> list[Image]:
    """A photo, or the sharpest frame of each part of a clip."""
    if not is_video(path):
        return [load_image(path).pixels]
    edges = [measure(image).edge for image in _frames_of(path)]
    if not edges:
        raise UnreadableError(f"{path}: holds no frame.")
    parts = np.array_split(np.arange(len(edges)), CLIP_VIEWS)
    best = {min(part.tolist(), key=edges.__getitem__) for part in parts if len(part)}
    # Once more: all frames of a clip at a time would fill the memory.
    return [image for k, image in enumerate(_frames_of(path)) if k in best]


def _frames_of(path: Path) -> Iterator[Image]:
    """The frames of a clip, one after the other.

    Raises:
        SourceError: it cannot be read to its end.
    """
    source = open_source(str(path))
    source.open()
    with closing(source):
        while not source.ended:
            frame = source.newest()
            if frame is not None:
                yield frame[1]
    if source.failure:
        raise SourceError(source.failure)


def enrolled_deck(
    name: str,
    folder: Path,
    embedder: Embedder,
    captions: Mapping[str, str] | None = None,
) -> EnrolledDeck:
    """An enrolled deck by its name: one that was taught, else one of our printed ones.

    Raises:
        UsageError: there is neither.
        UnreadableError: its file is damaged.
    """
    path = folder / f"{name}.json"
    if path.exists():
        return load(path)
    if name in PRINTABLE:
        return printed_deck(name, embedder, captions)
    taught = ", ".join([*PRINTABLE, *enrolled_names(folder)])
    raise UsageError(f"The deck “{name}” is not enrolled. Enrolled: {taught}.")


def enrolled_names(folder: Path) -> tuple[str, ...]:
    """Decks that were taught here."""
    return tuple(sorted(p.stem for p in folder.glob("*.json"))) if folder.is_dir() else ()


def name_pieces(
    deck: EnrolledDeck, paths: Sequence[Path], embedder: Embedder
) -> list[tuple[Path, list[tuple[Outline, Naming]]]]:
    """The pieces in each photo.

    Raises:
        UnreadableError: a photo cannot be read.
    """
    reader = Recogniser(deck, embedder)
    found = []
    for path in paths:
        loaded = load_image(path)
        named = [
            (Outline(((o.corners + 0.5) * loaded.scale - 0.5).astype(np.float32), o.fit), naming)
            for o, naming in reader.named(loaded.pixels)
        ]
        found.append((path, named))
    return found


def first_image(source: str) -> Image:
    """The picture of a photo, or the first frame of a clip or camera.

    Raises:
        CompanionError: there is none.
    """
    path = Path(source)
    if path.suffix.lower() in PICTURE_SUFFIXES:
        return load_image(path).pixels
    frames = open_source(source)
    frames.open()
    with closing(frames):
        while not frames.ended:
            frame = frames.newest()
            if frame is not None:
                return frame[1]
    raise SourceError(frames.failure or f"{source}: holds no picture.")


def light_of(source: str) -> Light:
    """How good a source's picture is; see `first_image`."""
    return measure(first_image(source))
