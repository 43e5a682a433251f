"""How the view of a table is, and what on it a person should settle."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.cards import Card
from vision.types import Point


class TableStatus(StrEnum):
    """How the view of the table is."""

    WATCHING = "watching"
    HAND = "hand in the way"
    MOVING = "moving"
    STEADY = "steady"
    LOST = "lost"


ADVICE: dict[TableStatus, str] = {
    TableStatus.WATCHING: "Nothing lies in view yet: lay a card, or point the camera at the table.",
    TableStatus.HAND: "A hand is in the way: what lies under it is looked at when it is gone.",
    TableStatus.MOVING: "Something is moving: let it lie for a moment.",
    TableStatus.STEADY: "",
    TableStatus.LOST: (
        "The cards cannot be found any more: bring the camera back to where it was, give more "
        "light, or look again from here."
    ),
}
"""What to do in each state, in words."""


class NoticeKind(StrEnum):
    """What a person should look at."""

    DOUBTFUL = "doubtful"
    SEEN_TWICE = "seen twice"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a person should settle.

    Attributes:
        kind: what it is.
        card: the card that it is about.
        places: positions of the places that are concerned, from 0.
        at: where in the picture, in pixels.
    """

    kind: NoticeKind
    card: Card
    places: tuple[int, ...]
    at: Point
