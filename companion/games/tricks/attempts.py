"""The record of bids: who took as many tricks as was said."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.attempts import Attempt
from companion.games.tricks.state import TricksState


def attempts(before: TricksState, after: TricksState) -> Iterator[Attempt]:
    """The bids that the end of a match decided; both states are what everybody knows.

    No chance is given: how likely a bid is depends on how everybody plays.
    """
    ended = after.table.match_over and not before.table.match_over
    played_out = after.claim is not None or len(after.takers) == after.size
    if not ended or not played_out:
        return
    for seat, bid in enumerate(after.bids):
        if bid is None:
            continue
        if after.law.partners and bid:
            side = after.side(seat)
            made = after.tricks_of(seat) >= sum(after.bids[other] or 0 for other in side)
        else:
            made = after.taken(seat) == bid
        yield Attempt(seat, made, None)
