"""Thousands of damaged, odd and empty pictures and streams: nothing may crash or be made up.

    python -m tests.benchmarks.robustness --count 5000

Each case depends on its number alone. It is written to a file and read as `companion scan` and
`companion watch` read it, in another process, so that a crash of a decoder is seen as one.
Counted are crashes (anything but cards or one of our own errors), names read where there is no
card, and wrong names in damaged pictures of cards.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np

from companion.errors import CompanionError
from tests.vision.images.films import write_clip
from vision.images.loading import load_image
from vision.reader import Reader

Rng = np.random.Generator
Picture = np.ndarray
SCENES = Path(__file__).parents[2] / "vision" / "scenes"
#: Pictures of cards, by the number of cards that lie in them.
CARDS = {"five": 5, "fifty": 50}
#: One case in so many is a stream.
_STREAM = 25


@dataclass(frozen=True)
class Outcome:
    """What became of a case.

    Attributes:
        kind: what was done to which picture.
        told: the class of the error that was told, empty where it was read.
        crash: anything else that was raised.
        wrong: accepted names that are not there.
        right: accepted names that are.
    """

    number: int
    kind: str
    told: str = ""
    crash: str = ""
    wrong: tuple[str, ...] = ()
    right: int = 0


# -- pictures ----------------------------------------------------------------------------------


def black(rng: Rng, size: tuple[int, int]) -> Picture:
    return np.zeros((size[1], size[0], 3), np.uint8)


def flat(rng: Rng, size: tuple[int, int]) -> Picture:
    return np.full((size[1], size[0], 3), rng.integers(0, 256, 3), np.uint8)


def noise(rng: Rng, size: tuple[int, int]) -> Picture:
    coarse = int(rng.choice([1, 2, 5, 12]))
    small = rng.integers(0, 256, (size[1] // coarse + 1, size[0] // coarse + 1, 3), dtype=np.uint8)
    return cv2.resize(small, size, interpolation=cv2.INTER_NEAREST)


def ramp(rng: Rng, size: tuple[int, int]) -> Picture:
    x, y = np.meshgrid(np.linspace(0, 1, size[0]), np.linspace(0, 1, size[1]))
    angle = rng.uniform(0, 6.3)
    wave = np.sin((x * np.cos(angle) + y * np.sin(angle)) * rng.uniform(1, 200))
    return np.repeat((127 + 127 * wave)[..., None], 3, axis=2).astype(np.uint8)


def shapes(rng: Rng, size: tuple[int, int]) -> Picture:
    image = flat(rng, size)
    for _ in range(int(rng.integers(5, 120))):
        at = tuple(int(v) for v in rng.uniform(0, 1, 2) * size)
        colour = tuple(int(v) for v in rng.integers(0, 256, 3))
        axes = tuple(int(v) for v in rng.uniform(1, 90, 2))
        if rng.random() < 0.5:
            cv2.ellipse(image, at, axes, float(rng.uniform(0, 180)), 0, 360, colour, -1)
        else:
            cv2.rectangle(image, at, (at[0] + axes[0], at[1] + axes[1]), colour, -1)
    return image


def letters(rng: Rng, size: tuple[int, int]) -> Picture:
    """Numbers and words, the letters of ranks among them, on white slips."""
    image = flat(rng, size)
    words = ("A", "10", "K", "Q", "J", "7", "404", "KEEP", "AJAX", "2 x 5", "9:30", "SALE", "66")
    for _ in range(int(rng.integers(5, 60))):
        x, y = (int(v) for v in rng.uniform(0, 1, 2) * size)
        word, scale = words[int(rng.integers(len(words)))], float(rng.uniform(0.5, 3))
        if rng.random() < 0.5:
            far = (x + int(20 * scale * len(word)), y + int(12 * scale))
            cv2.rectangle(image, (x - 5, y - int(30 * scale)), far, (245, 245, 245), -1)
        colour = ((20, 20, 20), (30, 20, 190))[int(rng.integers(2))]
        face = int(rng.integers(0, 8))
        cv2.putText(image, word, (x, y), face, scale, colour, max(1, int(3 * scale)), cv2.LINE_AA)
    return image


EMPTY: dict[str, Callable[[Rng, tuple[int, int]], Picture]] = {
    f.__name__: f for f in (black, flat, noise, ramp, shapes, letters)
}


@cache
def cards(name: str) -> Picture:
    """A picture of cards, half its size: small indices, and quick."""
    image = cv2.imread(str(SCENES / f"{name}.jpg"))
    return cv2.resize(image, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)


def base(rng: Rng) -> tuple[str, Picture]:
    """A picture with or without cards."""
    if rng.random() < 0.3:
        name = "five" if rng.random() < 0.75 else "fifty"
        return name, cards(name)
    name = list(EMPTY)[int(rng.integers(len(EMPTY)))]
    size = tuple(int(v) for v in np.exp(rng.uniform(np.log(80), np.log(900), 2)))
    return name, EMPTY[name](rng, size)


# -- what happens to them ----------------------------------------------------------------------


def encoded(image: Picture, suffix: str = ".jpg") -> bytes:
    return bytes(cv2.imencode(suffix, image)[1])


def whole(rng: Rng, image: Picture) -> tuple[bytes, str]:
    suffix = str(rng.choice([".jpg", ".png", ".webp", ".bmp", ".tiff"]))
    return encoded(image, suffix), suffix


def cut_off(rng: Rng, image: Picture) -> tuple[bytes, str]:
    data, suffix = whole(rng, image)
    return data[: int(rng.uniform(0, len(data)))], suffix


def flipped(rng: Rng, image: Picture) -> tuple[bytes, str]:
    data, suffix = whole(rng, image)
    hurt = np.frombuffer(data, np.uint8).copy()
    where = rng.integers(0, len(hurt), int(np.exp(rng.uniform(0, 6))))
    hurt[where] = rng.integers(0, 256, len(where))
    return hurt.tobytes(), suffix


def turned(rng: Rng, image: Picture) -> tuple[bytes, str]:
    """With an EXIF orientation, a nonsensical one among them."""
    data = encoded(image)
    orientation = int(rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 700]))
    tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0" + orientation.to_bytes(4, "little")
    exif = b"Exif\0\0" + tiff + b"\0\0\0\0"
    marker = b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif
    return data[:2] + marker + data[2:], ".jpg"


def grey(rng: Rng, image: Picture) -> tuple[bytes, str]:
    return encoded(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), ".png"), ".png"


def sixteen_bits(rng: Rng, image: Picture) -> tuple[bytes, str]:
    suffix = str(rng.choice([".png", ".tiff"]))
    return encoded(image.astype(np.uint16) * 257, suffix), suffix


def see_through(rng: Rng, image: Picture) -> tuple[bytes, str]:
    alpha = rng.integers(0, 256, image.shape[:2], dtype=np.uint8)
    return encoded(np.dstack([image, alpha]), ".png"), ".png"


def tiny(rng: Rng, image: Picture) -> tuple[bytes, str]:
    size = tuple(int(v) for v in rng.integers(1, 40, 2))
    return encoded(cv2.resize(image, size, interpolation=cv2.INTER_AREA), ".png"), ".png"


def stretched(rng: Rng, image: Picture) -> tuple[bytes, str]:
    size = (int(rng.integers(1500, 4000)), int(rng.integers(16, 60)))
    size = size if rng.random() < 0.5 else size[::-1]
    return encoded(cv2.resize(image, size, interpolation=cv2.INTER_AREA), ".png"), ".png"


def misnamed(rng: Rng, image: Picture) -> tuple[bytes, str]:
    return whole(rng, image)[0], str(rng.choice([".jpg", ".png", ".webp", ".bmp", ".gif"]))


def invented(rng: Rng, image: Picture) -> tuple[bytes, str]:
    """Random bytes behind the beginning of a picture file."""
    data, suffix = whole(rng, image)
    head = int(rng.choice([0, 4, 16, 64]))
    return data[:head] + rng.bytes(int(rng.integers(0, 5000))), suffix


HARM = (
    whole, cut_off, flipped, turned, grey, sixteen_bits, see_through, tiny, stretched, misnamed,
    invented,
)  # fmt: skip
#: What leaves the cards of a picture as they are.
_HARMLESS = {"whole", "grey", "sixteen_bits", "misnamed"}


def stream(rng: Rng, image: Picture, folder: Path) -> Path:
    """A clip, mostly damaged."""
    path = write_clip(folder / "clip.avi", [image] * 8)
    data = np.fromfile(path, np.uint8)
    what = rng.random()
    if what < 0.4:
        data = data[: int(rng.uniform(0, len(data)))]
    elif what < 0.8:
        where = rng.integers(0, len(data), int(np.exp(rng.uniform(0, 7))))
        data[where] = rng.integers(0, 256, len(where))
    data.tofile(path)
    return path


# -- reading them ------------------------------------------------------------------------------

_READER: list[Reader] = []


def reader() -> Reader:
    if not _READER:
        cv2.setNumThreads(1)
        _READER.append(Reader(threads=1))
    return _READER[0]


@cache
def truth(name: str) -> frozenset[str]:
    """The cards of an undamaged picture; all of them are read, else nothing here means anything."""
    found = frozenset(str(read.card) for read in reader().read(cards(name)).cards)
    if len(found) != CARDS[name]:
        raise AssertionError(f"{name}: {len(found)} of {CARDS[name]} cards are read.")
    return found


def case(number: int) -> Outcome:
    """Makes and reads one case."""
    rng = np.random.default_rng([20, number])
    name, image = base(rng)
    there = truth(name) if name in CARDS else frozenset()
    with tempfile.TemporaryDirectory() as folder:
        if number % _STREAM == 0:
            return _judged(
                number, f"{name} stream", there, _watched, stream(rng, image, Path(folder))
            )
        harm = HARM[int(rng.integers(len(HARM)))]
        data, suffix = harm(rng, image)
        path = Path(folder) / f"picture{suffix}"
        path.write_bytes(data)
        return _judged(number, f"{name} {harm.__name__}", there, _scanned, path)


def _scanned(path: Path) -> set[str]:
    return {str(read.card) for read in reader().read(load_image(path).pixels).cards}


def _watched(path: Path) -> set[str]:
    from vision.images.sources import open_source
    from vision.tracking.watching import TableWatch
    from vision.tracking.zones import Zones

    watch = TableWatch(reader().deck, Zones({"table": None}), rows=())
    source = open_source(str(path))
    source.open()
    names: set[str] = set()
    try:
        while not source.ended:
            newest = source.newest()
            if newest is None:
                break
            view = watch.look(newest[1], newest[0], reader())
            names |= {str(read.card) for read in view.reading.cards}
    finally:
        source.close()
    return names


def _judged(
    number: int, kind: str, there: frozenset[str], read: Callable[[Path], set[str]], path: Path
) -> Outcome:
    try:
        names = read(path)
    except CompanionError as error:
        return Outcome(number, kind, told=type(error).__name__)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return Outcome(number, kind, crash=f"{type(error).__name__}: {error}")
    return Outcome(number, kind, wrong=tuple(sorted(names - there)), right=len(names & there))


def outcomes(numbers: Sequence[int]) -> Iterator[Outcome]:
    """All cases, in a process of their own; one that dies is a crash, and the next goes on."""
    waiting = list(numbers)
    while waiting:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            try:
                for outcome in pool.map(case, waiting):
                    waiting.pop(0)
                    yield outcome
            except BrokenProcessPool:
                yield Outcome(waiting.pop(0), "process", crash="the process died")


def main(argv: Sequence[str] | None = None) -> int:
    """Prints what became of all cases; exit 1 where something crashed or was made up."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args(argv)
    started = time.monotonic()
    done: Counter[str] = Counter()
    read: Counter[str] = Counter()
    bad = []
    for outcome in outcomes(range(args.first, args.first + args.count)):
        picture, harm = outcome.kind.partition(" ")[::2]
        done["crashed" if outcome.crash else "told" if outcome.told else "read"] += 1
        if outcome.wrong or outcome.crash:
            bad.append(outcome)
        if picture in CARDS and harm in _HARMLESS and not outcome.told:
            read["cards"] += CARDS[picture]
            read["right"] += outcome.right
    made_up = sum(len(o.wrong) for o in bad if o.kind.partition(" ")[0] not in CARDS)
    misread = sum(len(o.wrong) for o in bad if o.kind.partition(" ")[0] in CARDS)
    for outcome in bad:
        print(outcome)
    print(
        json.dumps(
            {
                "cases": args.count,
                **done,
                "names where there is no card": made_up,
                "wrong names in damaged pictures of cards": misread,
                "cards in pictures that were only stored otherwise": dict(read),
                "seconds": round(time.monotonic() - started),
            }
        )
    )
    return 1 if done["crashed"] or made_up else 0


if __name__ == "__main__":
    sys.exit(main())
