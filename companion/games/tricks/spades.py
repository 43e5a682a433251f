"""Spades: partners bid how many tricks they take; spades are trumps."""

from __future__ import annotations

from companion.core.setup import COACH, STARTER, GameInfo, Preset
from companion.games.tricks.game import TrickGame
from companion.games.tricks.state import DECKS, REVOKES, TricksState, target
from companion.phrases import N_

_TRICK, _NIL, _BAGS, _BAG_COST = 10, 100, 10, 100


class Spades(TrickGame):
    """Ten points for each trick bid and made, and as many off where the bid is missed."""

    info = GameInfo(
        name="spades",
        title="Spades",
        summary="Take the tricks that your pair bids.",
        min_players=4,
        max_players=4,
        minutes=60,
        decks=DECKS,
    )
    options = (STARTER, target(500), REVOKES, COACH)
    presets = (Preset("Short game: 200 points", "Two or three matches.", {"target": "200"}),)
    begins = N_("Match {match}: {name} bids first.")
    partners = has_bids = True
    nil = _NIL
    unbroken = "S"

    def trump(self, state: TricksState) -> str | None:
        """Spades, always."""
        return "S"

    def score(self, state: TricksState) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Each side's bid, its nils and its bags; both partners have the side's score."""
        points, reasons = [0] * len(state.hands), []
        for side in (state.side(0), state.side(1)):
            gained, bags = side_score(state, side)
            cost = (self._bags(state, side) + bags) // _BAGS * _BAG_COST
            for seat in side:
                points[seat] = gained - cost
            bid = sum(state.bids[seat] or 0 for seat in side)
            text = N_("{names}: {tricks} tricks, {bid} bid: {points} points.")
            fields = {"tricks": state.tricks_of(side[0]), "bid": bid, "points": gained}
            reasons.append(state.phrase(text, names=side, **fields))
            for seat in side:
                if state.bids[seat] == 0:
                    made, missed = N_("{name} makes the nil."), N_("{name} misses the nil.")
                    text = missed if state.taken(seat) else made
                    reasons.append(state.phrase(text, name=seat))
            if cost:
                text = N_("{names} have ten bags: {cost} points off.")
                reasons.append(state.phrase(text, names=side, cost=cost))
        return tuple(points), tuple(reasons)

    @staticmethod
    def _bags(state: TricksState, side: tuple[int, ...]) -> int:
        """The bags of a side before the match."""
        return state.kept[side[0]] if state.kept else 0

    def kept(self, state: TricksState) -> tuple[int, ...]:
        """The bags of each seat's side."""
        sides = [state.side(seat) for seat in range(len(state.hands))]
        return tuple(
            (self._bags(state, side) + side_score(state, side)[1]) % _BAGS for side in sides
        )

    def says(self, state: TricksState, seat: int) -> str:
        """Bid and tricks; a bid of none is a nil."""
        if state.bids[seat] == 0:
            return state.phrase(N_("bid nil, took {taken}"), taken=state.taken(seat))
        return super().says(state, seat)


def side_score(state: TricksState, side: tuple[int, ...]) -> tuple[int, int]:
    """What a side's bid and nils count in a match that is over, and its bags."""
    bid = sum(state.bids[seat] or 0 for seat in side)
    tricks = state.tricks_of(side[0])
    bags = max(0, tricks - bid)
    points = _TRICK * bid + bags if tricks >= bid else -_TRICK * bid
    nils = [seat for seat in side if state.bids[seat] == 0]
    points += sum(-_NIL if state.taken(seat) else _NIL for seat in nils)
    return points, bags


SPADES = Spades()
