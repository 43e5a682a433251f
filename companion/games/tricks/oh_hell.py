"""Oh Hell: say exactly how many tricks you will take; every match has another number of cards."""

from __future__ import annotations

from companion.core.setup import COACH, STARTER, GameInfo, Option, OptionKind, Preset, Setup
from companion.errors import UnreadableError
from companion.games.tricks.game import TrickGame
from companion.games.tricks.state import DECKS, TricksState, target
from companion.phrases import N_

_MADE, _MOST, _PACK = 10, 10, 52


def check_cards(text: str, players: int) -> None:
    """Refuses a number of cards that cannot be dealt.

    Raises:
        UnreadableError: it is no number, or there are too few cards for it.
    """
    most = _PACK // players
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= most:
        text_ = N_("Deal 1 to {most} cards to each of {count} players, not “{text}”.")
        raise UnreadableError(text_, most=most, count=players, text=text)


class OhHell(TrickGame):
    """Ten points and the tricks for who takes exactly what was bid."""

    info = GameInfo(
        name="oh-hell",
        title="Oh Hell",
        summary="Take exactly the tricks you bid.",
        min_players=3,
        max_players=7,
        minutes=45,
        decks=DECKS,
    )
    options = (
        STARTER,
        target(0),
        Option(
            "cards",
            "",
            "Cards dealt to each; if none are named, one in the first match, one more in each "
            "next, up to ten or as many as there are, and down again.",
            OptionKind.PATTERN,
            check=check_cards,
        ),
        Option("hook", "yes", "The last to bid may not make all bids fit.", OptionKind.YES_NO),
        Option(
            "miss",
            "tricks",
            "Who misses the bid scores the tricks taken, or nothing.",
            OptionKind.CHOICE,
            ("tricks", "nothing"),
        ),
        COACH,
    )
    presets = (Preset("One match: 7 cards each", "No other match follows.", {"cards": "7"}),)
    begins = N_("Match {match}: {name} bids first.")
    has_bids = turns_up = True

    def cards_each(self, state: TricksState) -> int:
        """As stated, or up by one each match and down again."""
        stated = state.setup.options["cards"]
        if stated:
            return int(stated)
        most = self.most(state)
        at = (state.table.match - 1) % (2 * most - 1)
        return min(at, 2 * most - 2 - at) + 1

    @staticmethod
    def most(state: TricksState) -> int:
        """The greatest number of cards dealt in a session."""
        return min(_MOST, len(state.deck) // len(state.hands))

    def has_turned(self, state: TricksState) -> bool:
        """Unless all cards are dealt."""
        return state.size * len(state.hands) < len(state.deck)

    def barred_bid(self, state: TricksState) -> int | None:
        """What would make the sum of all bids fit, for the last one, if so agreed."""
        others = [count for count in state.bids if count is not None]
        left = state.size - sum(others)
        is_last = len(others) == len(state.bids) - 1
        return left if is_last and state.setup.is_on("hook") and left >= 0 else None

    def verify_bid(self, state: TricksState, bid: int) -> None:
        """Up to the number of cards; the last bid may not make the sum fit, if so agreed."""
        super().verify_bid(state, bid)
        if bid == self.barred_bid(state):
            text = N_("The last to bid may not make it {count}: bid anything but {bid}.")
            raise state.illegal(text, count=state.size, bid=bid)

    def score(self, state: TricksState) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Ten and the tricks for a bid that was made exactly."""
        points, reasons = [], []
        misses = state.setup.options["miss"] == "tricks"
        for seat, bid in enumerate(state.bids):
            taken = state.taken(seat)
            gained = _MADE + taken if taken == bid else taken if misses else 0
            points.append(gained)
            text = N_("{name} bid {bid} and took {taken}: {points} points.")
            one = N_("{name} bid {bid} and took {taken}: 1 point.")
            fields = {"bid": bid, "taken": taken, "points": gained}
            reasons.append(state.phrase(one if gained == 1 else text, name=seat, **fields))
        return tuple(points), tuple(reasons)

    def has_target(self, setup: Setup) -> bool:
        """Unless the number of cards is always the same and no target was named."""
        return not setup.options["cards"] or super().has_target(setup)

    def is_over(self, state: TricksState, scores: tuple[int, ...]) -> bool:
        """At the target, or once the numbers of cards have gone up and down."""
        if super().has_target(state.setup) or state.setup.options["cards"]:
            return super().is_over(state, scores)
        return state.table.match % (2 * self.most(state) - 1) == 0


OH_HELL = OhHell()
