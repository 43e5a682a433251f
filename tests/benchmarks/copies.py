"""Pictures in which some cards lie twice: whether each is named, and as often as it lies there.

    python -m tests.benchmarks.copies --count 100 --seed 1

Every picture is read as of two packs, and once more as of one: then what lies there twice is to be
asked about. Decks are drawn anew for each picture.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from companion.decks import get_deck
from models.synth.layouts import Placement
from models.synth.own import Workshop, own_deck
from models.synth.scene import Props, render_scene
from tests.benchmarks.close_ups import fonts
from vision.reader import Reader
from vision.types import Reason

Picture = NDArray[np.uint8]


def scenes(count: int, seed: int) -> Iterator[tuple[Counter[str], Picture]]:
    """The cards of a table, as often as each lies there, and a picture of it."""
    for k in range(count):
        rng = np.random.default_rng((seed, k))
        deck = own_deck(rng, Workshop(fonts()), {})
        chosen = [deck.cards[n] for n in rng.permutation(52)[: int(rng.integers(2, 6))]]
        chosen += chosen[: int(rng.integers(1, 3))]
        spots = [(x, y) for y in (-62, 62) for x in (-130, -43, 43, 130)]
        table = [
            Placement(
                spots[n][0] + float(rng.normal(0, 3)),
                spots[n][1] + float(rng.normal(0, 3)),
                float(rng.normal(0, 0.15)),
            )
            for n in rng.permutation(len(spots))[: len(chosen)]
        ]
        scene = render_scene(
            rng, [deck], Props(), table=table, cards=chosen, size=(1280, 960),
            px_per_mm=float(rng.uniform(2.6, 3.4)), tilt=float(rng.uniform(0, 0.5)),
        )  # fmt: skip
        readable = [
            name for name, shown in zip(scene.names, scene.shown, strict=True) if shown > 0.9
        ]
        if len(readable) == len(chosen):
            yield Counter(readable), scene.image


def main(argv: Sequence[str] | None = None) -> int:
    """Prints what is misread, and how many pictures are read exactly."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    both, one = Reader(deck=get_deck("two-packs")), Reader()
    pictures = exact = wrong = missed = copies = asked = 0
    for lying, picture in scenes(args.count, args.seed):
        got = Counter(read.card.code for read in both.read(picture).cards)
        again = Counter(
            read.card.code for read in one.read(picture).doubtful if read.reason is Reason.COPIES
        )
        twice = Counter({name: count - 1 for name, count in lying.items() if count > 1})
        pictures, exact = pictures + 1, exact + (got == lying)
        wrong, missed = wrong + (got - lying).total(), missed + (lying - got).total()
        copies, asked = copies + twice.total(), asked + (twice & again).total()
        if got != lying or again != twice:
            print(
                f"missed {dict(lying - got)}, wrong {dict(got - lying)}; of one pack, {dict(again)}"
            )
    print(f"two packs: {exact} of {pictures} pictures exact, {missed} cards missed, {wrong} wrong")
    print(f"one pack: {asked} of {copies} copies asked about")
    return 0 if pictures else 2


if __name__ == "__main__":
    sys.exit(main())
