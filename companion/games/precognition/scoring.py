"""The Precognition row: its changes, and which stretch of it a prediction matches.

A row is a sequence of rank numbers (1 to 13), None for a card that is not known. Its *changes* are
one letter for each neighbouring pair: `U` up, `D` down, `S` stay, `?` where a card is not known.
A prediction matches if the whole of it occurs as consecutive changes; an unknown change matches
nothing. Rule: rules of Precognition (Leroy Quet, 2009), "Scoring".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from companion.errors import UnreadableError

LETTERS = "UDS"
UNKNOWN_CHANGE = "?"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where changes of a row match a string.

    Attributes:
        start: number of the first card, from 1.
        length: number of changes; the stretch spans `length + 1` cards.
        offset: where in the prediction it begins, from 0 (0 for a whole match).
    """

    start: int
    length: int
    offset: int = 0

    @property
    def end(self) -> int:
        """Number of the last card, from 1."""
        return self.start + self.length


def change(before: int | None, after: int | None) -> str:
    """The letter between two neighbouring cards."""
    if before is None or after is None:
        return UNKNOWN_CHANGE
    return "U" if after > before else "D" if after < before else "S"


def changes(row: Sequence[int | None]) -> str:
    """The row's changes, one letter fewer than it has cards.

    >>> changes([2, 6, 5, 4, 7, 9, 7, 1, 2, 2, 5, 8])
    'UDDUUDDUSUU'
    """
    return "".join(change(a, b) for a, b in pairwise(row))


def read_prediction(text: str) -> str:
    """A prediction in capitals; `U D S` with spaces is read as `UDS`.

    Raises:
        UnreadableError: it is empty or holds another letter than U, D and S.
    """
    prediction = "".join(text.split()).upper()
    if not prediction:
        raise UnreadableError("A prediction has at least one letter: U, D or S.")
    for position, letter in enumerate(prediction, 1):
        if letter not in LETTERS:
            raise UnreadableError(
                "“{text}” is no prediction: letter {position} is “{letter}”, not U, D or S.",
                text=text[:40],
                position=position,
                letter=letter,
            )
    return prediction


def match_stretch(row_changes: str, prediction: str) -> Stretch | None:
    """The first place where the whole prediction occurs, None if it does not.

    >>> match_stretch("UDDUUDDUSUU", "UUDDUSU")
    Stretch(start=4, length=7, offset=0)
    """
    start = row_changes.find(prediction)
    return Stretch(start + 1, len(prediction)) if start >= 0 and prediction else None


def best_stretch(row_changes: str, prediction: str) -> Stretch | None:
    """The longest part of the prediction that occurs anywhere, the whole of it if it matches.

    Shown under the row for predictions that do not match. First in the row among equally long
    ones; None if not a single letter occurs. Takes time proportional to both lengths.
    """
    best: Stretch | None = None
    lengths = [0] * (len(prediction) + 1)
    for end, letter in enumerate(row_changes, 1):
        # Backwards, so that lengths[j] still speaks of the previous change.
        for j in range(len(prediction), 0, -1):
            lengths[j] = lengths[j - 1] + 1 if prediction[j - 1] == letter else 0
            if lengths[j] > (best.length if best else 0):
                best = Stretch(end - lengths[j] + 1, lengths[j], j - lengths[j])
    return best


def longest(lengths: Sequence[int]) -> tuple[int, ...]:
    """Indices of the greatest length, none where all are 0."""
    top = max(lengths, default=0)
    return tuple(i for i, length in enumerate(lengths) if length == top) if top else ()
