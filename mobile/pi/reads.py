"""What the networks read in a few frames of the bundled clip, to compare machines.

`python -m mobile.pi.reads` prints a line a frame: the cards in order, and why each is accepted or
not. Their confidence differs by a hundredth between processors, which round differently.
"""

from __future__ import annotations

import sys

import cv2

from companion.errors import CompanionError
from mobile.card_readers import shipped_reader
from vision.images.sources import demo_clip

#: Seconds of the clip.
TIMES = (4.0, 10.0, 16.0)


def main() -> int:
    """The command line."""
    try:
        reader = shipped_reader()
        clip = demo_clip()
    except CompanionError as error:
        print(error.message, file=sys.stderr)
        return 2
    capture = cv2.VideoCapture(str(clip))
    for t in TIMES:
        capture.set(cv2.CAP_PROP_POS_MSEC, t * 1000)
        good, image = capture.read()
        if not good:
            print(f"{t:.1f}: no frame", file=sys.stderr)
            return 2
        cards = reader.read(image).cards
        found = sorted(f"{read.card.code} ({read.reason})" for read in cards)
        print(f"{t:.1f}:", ", ".join(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
