"""Clips of one card each: through how many frames the right name is held, and whether another is.

    python -m tests.benchmarks.held_cards FOLDER_OR_CLIP...

A clip is named after its card (`2c.mp4`). It is watched as `companion watch` does; a frame counts
from the first one on in which the card is told.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.cards import parse_card
from companion.decks import get_deck
from vision.images.sources import is_video, open_source
from vision.reader import Reader
from vision.tracking.watching import TableWatch
from vision.tracking.zones import Zones


@dataclass(slots=True)
class Held:
    """Frames of one clip.

    Attributes:
        frames: all of them.
        before: those before the card was told first.
        right: those in which it, and nothing else, was told.
        others: names of other cards that were told.
    """

    frames: int = 0
    before: int = 0
    right: int = 0
    others: frozenset[str] = frozenset()

    @property
    def share(self) -> float:
        """Part of the frames since it was told first."""
        return self.right / max(1, self.frames - self.before)


def watch(clip: Path, reader: Reader) -> Held:
    """Watches one clip."""
    name = str(parse_card(clip.stem.upper()))
    table = TableWatch(get_deck("standard"), Zones({"row": None}), rows=("row",))
    held = Held()
    source = open_source(str(clip))
    source.open()
    while (frame := source.newest()) is not None:
        view = table.look(frame[1], frame[0], reader)
        told = {str(place.card) for place in view.row}
        held.frames += 1
        held.before += not told and not held.right
        held.right += told == {name}
        held.others |= told - {name}
    source.close()
    return held


def main(argv: Sequence[str] | None = None) -> int:
    """Prints one line a clip."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--models", type=Path, help="folder with the networks")
    args = parser.parse_args(argv)
    clips = [
        clip
        for path in args.paths
        for clip in (sorted(path.iterdir()) if path.is_dir() else [path])
        if is_video(clip)
    ]
    reader = Reader(args.models)
    for clip in clips:
        held = watch(clip, reader)
        print(
            f"{clip.name}: {held.right} of {held.frames - held.before} frames "
            f"({held.share:.1%}), {held.before} before; others: "
            f"{' '.join(sorted(held.others)) or 'none'}"
        )
    return 0 if clips else 2


if __name__ == "__main__":
    sys.exit(main())
