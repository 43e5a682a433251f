"""Keeps the picture of a misread card, with what lies there and how it was read.

Only where the user has chosen so; nothing is sent. `companion scan --replay-misreads` reads the
folder again.
"""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

from companion.cards import Card
from companion.decks import AUTO, STANDARD, get_deck
from companion.errors import CompanionError
from mobile.model.camera_worker import Eyes

FOLDER = "misreads"


def keep(place: Path, eyes: Eyes, deck: str, *, seen: Card, right: Card) -> threading.Thread | None:
    """Keeps the frame that was read last, if the misread card was read in it.

    Returns:
        The thread that writes, because explaining a picture takes a moment; None if there is
        nothing to keep.
    """
    last = eyes.read_last()
    if last is None or not get_deck(deck).indices:
        return None
    image, reading = last
    there = [read.card for read in reading.cards]
    doubtful = [read.card for read in reading.doubtful]
    if seen not in (*there, *doubtful):
        return None
    cards = [card for card in there if card not in (seen, right)] + [right]

    def write() -> None:
        from mobile.card_readers import shipped_reader
        from vision.explain import explanation
        from vision.misreads import keep_picture
        from vision.reader import Reader

        reader = shipped_reader(deck)
        told = explanation(reader.look(image)) if isinstance(reader, Reader) else ""
        # A full device keeps no picture; the match goes on.
        with contextlib.suppress(CompanionError, OSError):
            keep_picture(
                place / FOLDER,
                image,
                reading,
                deck=AUTO if deck == STANDARD else deck,
                cards=cards,
                explanation=told,
            )

    thread = threading.Thread(target=write, name="misread", daemon=True)
    thread.start()
    return thread
