"""View-model of a row of changes: its cells, the stretches that match, and editing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from companion.cards import Card
from companion.core.acceptance import SURE
from companion.core.events import Event, public
from companion.core.state import evolve
from companion.games.precognition.rules import stretches
from companion.games.precognition.scoring import Stretch, best_stretch
from companion.games.precognition.state import ROW, PrecognitionState
from mobile.model.faces import card_name
from mobile.resources import texts

if TYPE_CHECKING:  # a table brings what reads zones in pictures
    from mobile.model.table import Table

#: The sign of each change from one card of a row to the next.
ARROWS = {"U": "▲", "D": "▼", "S": "="}


@dataclass(frozen=True, slots=True)
class RowCell:
    """One card of the row as it is drawn.

    Attributes:
        number: its place, from 1.
        letter: the change that leads to it; empty for the first one.
        sure: how sure the eyes were, 0 to 1; 1 where somebody tapped it in.
        in_stretch: whether the stretch shown runs over it.
        letter_in_stretch: whether the stretch shown holds its letter.
    """

    number: int
    card: Card
    letter: str
    sure: float
    is_seen: bool
    in_stretch: bool
    letter_in_stretch: bool

    @property
    def is_doubtful(self) -> bool:
        """Whether a person should look at it."""
        return self.sure < SURE


@dataclass(frozen=True, slots=True)
class ShownPrediction:
    """A player's prediction as everybody may see it.

    Attributes:
        text: the letters, None while they are hidden or not written.
        stretch: where it occurs, None where it does not or it is not known yet.
        is_whole: whether `stretch` is all of it.
    """

    name: str
    text: str | None
    is_written: bool
    stretch: Stretch | None
    is_whole: bool
    has_won: bool


def placements(table: Table) -> list[Event]:
    """The standing events that laid the row of this match, in order."""
    row = table.state.row
    laid = [e for e in table.referee.events if e.verb == "place"]
    return laid[len(laid) - len(row) :] if row and len(laid) >= len(row) else []


def guesses(table: Table) -> tuple[ShownPrediction, ...]:
    """Everybody's prediction; the letters only once the rules have revealed them."""
    state: PrecognitionState = table.state
    whole = stretches(state) if state.table.match_over else {}
    # Those who won the match before stand there until the next one is over.
    won = state.table.match_winners if state.table.match_over else ()
    found = []
    for seat in state.seats:
        prediction = state.predictions[seat]
        text = prediction.text if prediction is not None else None
        stretch = whole.get(seat)
        best = stretch
        if best is None and text and state.table.match_over:
            best = best_stretch(state.changes, text)
        found.append(
            ShownPrediction(
                state.setup.players[seat],
                text,
                prediction is not None,
                best,
                stretch is not None,
                seat in won,
            )
        )
    return tuple(found)


def lit_places(state: Any) -> Mapping[str, frozenset[int]]:
    """Where the winner's stretch lies, once there is one.

    Returns:
        Name of a place on the table → places in it, from 0; empty where nothing is lit.
    """
    if not isinstance(state, PrecognitionState) or not state.table.match_over:
        return {}
    found = stretches(state)
    won = (found[seat] for seat in state.table.match_winners if found.get(seat) is not None)
    stretch = next(won, None)
    return {} if stretch is None else {ROW: frozenset(range(stretch.start - 1, stretch.end))}


def cells(table: Table) -> tuple[RowCell, ...]:
    """The row as it is drawn."""
    state: PrecognitionState = table.state
    events: Sequence[Event | None] = placements(table) or [None] * len(state.row)
    stretch = next((g.stretch for g in guesses(table) if g.has_won and g.is_whole), None)
    result = []
    for k, (card, event) in enumerate(zip(state.row, events, strict=True)):
        source = event.provenance if event is not None else None
        result.append(
            RowCell(
                k + 1,
                card,
                state.changes[k - 1] if k else "",
                source[1] if source else 1.0,
                source is not None,
                stretch is not None and stretch.start <= k + 1 <= stretch.end,
                stretch is not None and stretch.start < k + 1 <= stretch.end,
            )
        )
    return tuple(result)


def fixing(table: Table, number: int) -> int | None:
    """Number of the event that laid card number `number`; None where there is none."""
    events = placements(table)
    return events[number - 1].n if len(events) >= number else None


def insert(table: Table, number: int, card: Card) -> bool:
    """Says that a card is missing before card number `number`."""
    tail = placements(table)[number - 1 :]
    return _relay(table, tail, [card, *(event.args[0] for event in tail)])


def delete(table: Table, number: int) -> bool:
    """Says that there is no card number `number`."""
    tail = placements(table)[number - 1 :]
    return _relay(table, tail, [event.args[0] for event in tail[1:]])


def _relay(table: Table, tail: Sequence[Event], cards: Sequence[Card]) -> bool:
    """Takes events from the row's end back and lays other cards; whose they are follows anew."""
    comments = {event.args[0]: event.comment for event in tail}
    while table.state.row and any(e.n >= tail[0].n for e in table.referee.events if tail):
        if not table.undo():
            return False
    for card in cards:
        mover = table.state.table.to_move
        if mover is None:
            table.message = texts.ROW_FULL.format(card=card_name(card))
            return False
        if not table.do(evolve(public(mover, "place", card), comment=comments.get(card, ""))):
            return False
    return True
