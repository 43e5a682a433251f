"""Whist: partners, the dealer's last card is trump, a point for each trick above six."""

from __future__ import annotations

from companion.core.setup import COACH, STARTER, GameInfo, Preset
from companion.games.tricks.game import TrickGame
from companion.games.tricks.state import DECKS, REVOKES, TricksState, target
from companion.phrases import N_


class Whist(TrickGame):
    """The most tricks win; honours are not counted."""

    info = GameInfo(
        name="whist",
        title="Whist",
        summary="Take more tricks than the other pair.",
        min_players=4,
        max_players=4,
        minutes=45,
        decks=DECKS,
    )
    options = (STARTER, target(5), REVOKES, COACH)
    presets = (Preset("Long game: 10 points", "Twice the usual points.", {"target": "10"}),)
    begins = N_("Match {match}: {name} leads.")
    partners = turns_up = True

    def turned_owner(self, state: TricksState) -> int | None:
        """The dealer, who takes it up."""
        return state.dealer

    def score(self, state: TricksState) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """The tricks above half of them."""
        points, reasons = [0] * len(state.hands), []
        for side in (state.side(0), state.side(1)):
            tricks = state.tricks_of(side[0])
            odd = max(0, tricks - state.size // 2)
            for seat in side:
                points[seat] = odd
            text = N_("{names} took {tricks} tricks: {points} points.")
            one = N_("{names} took {tricks} tricks: 1 point.")
            fields = {"tricks": tricks, "points": odd}
            reasons.append(state.phrase(one if odd == 1 else text, names=side, **fields))
        return tuple(points), tuple(reasons)


WHIST = Whist()
