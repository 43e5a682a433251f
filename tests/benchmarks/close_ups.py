"""Single cards close up in large pictures, as a phone takes them: how many are read.

    python -m tests.benchmarks.close_ups --count 60 --seed 1

Every other card is of the deck that can be printed, the others are drawn anew with a style of their
own. They fill half of the picture or nearly all of it, turned anyhow and seen a little askew.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.printing.curves import rasterised
from calibration.printing.standard import face
from companion.decks import AUTO, get_deck
from models.synth.own import Workshop, own_deck
from vision.commands import make_reader

Picture = NDArray[np.uint8]
#: Long sides of the pictures, pixels, and how much of the short side the card's height takes.
SIDES, FILLS = (3000, 4001), (0.6, 1.15)
_PX_PER_MM = 10.0


def card_face(rng: np.random.Generator, *, printed: bool) -> tuple[str, Picture]:
    """The name and the picture, BGRA, of some card."""
    cards = [card for card in get_deck().cards if not card.is_joker]
    card = cards[int(rng.integers(len(cards)))]
    if printed:
        return card.code, rasterised(face(card), _PX_PER_MM, oversample=1)
    deck = own_deck(rng, Workshop(fonts()), {})
    drawn = next(drawn for drawn in deck.cards if drawn.name == card.code)
    return card.code, drawn.image()


def fonts() -> list[str]:
    """Font files that come with Kivy; none without it."""
    spec = find_spec("kivy")
    if spec is None or spec.origin is None:
        return []
    return sorted(map(str, (Path(spec.origin).parent / "data" / "fonts").glob("Roboto-*.ttf")))


def close_up(rng: np.random.Generator, face: Picture) -> Picture:
    """A large picture, BGR, of which a card fills the greater part.

    Args:
        rng: the only source of chance.
        face: the card, BGRA.
    """
    width = int(rng.integers(*SIDES))
    height = round(width * 0.75)
    ground = rng.integers(20, 210, (1, 1, 3)) + rng.normal(0, 9, (height // 8, width // 8, 1))
    table = np.clip(ground, 0, 255).astype(np.uint8)
    image = cv2.resize(table, (width, height), interpolation=cv2.INTER_LINEAR)
    matrix = _askew(rng, face.shape[1::-1], (width, height))
    laid = cv2.warpPerspective(face, matrix, (width, height), flags=cv2.INTER_LINEAR)
    alpha = laid[..., 3:] > 127
    np.copyto(image, laid[..., :3], where=alpha)
    image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.6, 3.0)))
    light = np.linspace(*rng.uniform(0.55, 1.0, 2), width)
    return np.asarray(np.clip(image * light[None, :, None], 0, 255), np.uint8)


def _askew(
    rng: np.random.Generator, face: tuple[int, int], size: tuple[int, int]
) -> NDArray[np.float64]:
    """The homography that lays a face into the middle of a picture."""
    tall = float(rng.uniform(*FILLS)) * size[1]
    upright = rng.random() < 0.5
    turn = rng.uniform(0, 2 * np.pi) if tall < 0.8 * size[1] else rng.normal(0, 0.1)
    turn += 0 if upright and tall < 0.9 * size[1] else np.pi / 2
    w, h = tall * face[0] / face[1] / 2, tall / 2
    corners = np.array([(-w, -h), (w, -h), (w, h), (-w, h)])
    c, s = np.cos(turn), np.sin(turn)
    corners = corners @ np.array([[c, s], [-s, c]]) + rng.normal(0, 0.02 * tall, (4, 2))
    corners += np.array(size) / 2 + rng.normal(0, 0.015 * tall, 2)
    whole = np.array([(0, 0), (face[0], 0), face, (0, face[1])], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(whole, corners.astype(np.float32)), np.float64)


def close_ups(count: int, seed: int) -> Iterator[tuple[str, Picture]]:
    """The name of a card, and a picture of it; the same ones for the same seed."""
    for k in range(count):
        rng = np.random.default_rng((seed, k))
        name, picture = card_face(rng, printed=k % 2 == 0)
        yield name, close_up(rng, picture)


def main(argv: Sequence[str] | None = None) -> int:
    """Prints what is misread, and how many are read."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the pictures that are misread")
    args = parser.parse_args(argv)
    reader, right = make_reader(AUTO), 0
    for k, (name, picture) in enumerate(close_ups(args.count, args.seed)):
        reading = reader.read(picture)
        got = [read.card.code for read in reading.cards]
        right += got == [name]
        if got != [name]:
            asked = [f"{read.card.code} {read.confidence:.2f}" for read in reading.doubtful]
            print(f"{k}: {name} read as {got}, asked about {asked}")
            if args.keep:
                args.keep.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(args.keep / f"{k:03d}-{name}.jpg"), picture)
    print(f"{right} of {args.count} close-ups read")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
