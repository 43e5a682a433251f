"""Hearts: take no hearts and not the queen of spades, or all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.cards import Card, card
from companion.core.setup import COACH, STARTER, GameInfo, Option, OptionKind, Preset
from companion.errors import UnreadableError
from companion.games.tricks.game import TrickGame
from companion.games.tricks.state import DECKS, Bar, Rule, TricksState, strength, target
from companion.phrases import N_

QUEEN, JACK = card("QS"), card("JD")
#: All that can be taken: thirteen hearts and the queen.
_ALL = 26
#: What the jack of diamonds takes off.
_JACK = 10
#: Twos that are left out, by the number of players, so that the cards can be dealt evenly.
_LEFT_OUT = {3: (card("2D"),), 5: (card("2D"), card("2C"))}
_DEALER = replace(
    STARTER,
    title=N_("Who deals"),
    explain=N_("Who deals the first match; the deal passes clockwise from match to match."),
)
_WAYS = {"left": 1, "right": -1, "across": 2, "hold": 0}


def check_pass(text: str, players: int) -> None:
    """Refuses a way to pass that so many players do not have.

    Raises:
        UnreadableError: it is none, or there is nobody across.
    """
    if text not in ("turns", *_WAYS) or (text == "across" and players % 2):
        raise UnreadableError(
            "“{text}” is no way to pass here: turns, left, right, hold, and across with four "
            "players.",
            text=text,
        )


class Hearts(TrickGame):
    """The lowest points win: one for each heart, thirteen for the queen of spades."""

    info = GameInfo(
        name="hearts",
        title="Hearts",
        summary="Avoid hearts and the queen of spades.",
        min_players=3,
        max_players=5,
        minutes=45,
        decks=DECKS,
        low_wins=True,
    )
    options = (
        _DEALER,
        target(100),
        Option(
            "pass",
            "turns",
            "Where three cards are passed: left, right, across and nowhere in turns, or always "
            "the same way.",
            OptionKind.PATTERN,
            choices=("turns", "left", "right", "across", "hold"),
            check=check_pass,
        ),
        Option(
            "moon",
            "others",
            "Who takes all points: 26 for the others, or 26 off one's own.",
            OptionKind.CHOICE,
            ("others", "self"),
        ),
        Option("jack", "no", "The jack of diamonds takes ten points off.", OptionKind.YES_NO),
        COACH,
    )
    presets = (Preset("Short game: 50 points", "Half the usual points.", {"target": "50"}),)
    begins = N_("Match {match}: the cards are dealt anew.")
    passed = 3
    unbroken = "H"
    starter_deals = True

    def pack(self, players: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Without some twos for three and five players."""
        gone = _LEFT_OUT.get(players, ())
        return tuple(one for one in cards if one not in gone)

    def passes_to(self, state: TricksState) -> int:
        """Left, right, across, nowhere by turns; three and five players leave out across."""
        way, count = state.setup.options["pass"], len(state.hands)
        if way == "turns":
            ways = [way for way in _WAYS if way != "across" or count % 2 == 0]
            way = ways[(state.table.match - 1) % len(ways)]
        places = count // 2 if way == "across" else _WAYS[way]
        return places % count if state.size >= self.passed else 0

    def first_card(self, state: TricksState) -> Card | None:
        """The lowest club."""
        clubs = state.suit("C")
        return min(clubs, key=strength) if self._all_dealt(state) and clubs else None

    @staticmethod
    def _all_dealt(state: TricksState) -> bool:
        return len(state.deck) % len(state.hands) == 0

    def bars(self, state: TricksState, seat: int, card: Card) -> Iterator[Bar]:
        """Also: no points to the first trick."""
        yield from super().bars(state, seat, card)
        if state.number == 1 and counts_against(card) and state.led is not None:
            # Who has to follow suit chooses among the cards of that suit alone.
            among = state.suit(state.led) if card.suit == state.led else state.deck
            yield Bar(Rule.FIRST_TRICK, "", frozenset(c for c in among if not counts_against(c)))

    def breaks(self, card: Card) -> bool:
        """A heart, or the queen of spades."""
        return counts_against(card)

    def costs(self, card: Card) -> int:
        """Its points."""
        return points_of(card)

    def says(self, state: TricksState, seat: int) -> str:
        """The points taken, which count here and not the tricks."""
        if not state.plays:
            return ""
        count = sum(map(points_of, state.won[seat]))
        text = N_("took 1 point") if count == 1 else N_("took {count} points")
        return state.phrase(text, count=count)

    def score(self, state: TricksState) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """What the cards taken count; all of them count for the others, or off."""
        won = state.won
        points = [sum(map(points_of, cards)) for cards in won]
        reasons = []
        for seat, count in enumerate(points):
            text = N_("{name}: 1 point.") if count == 1 else N_("{name}: {count} points.")
            reasons.append(state.phrase(text, name=seat, count=count))
        if max(points) == _ALL:
            shooter = points.index(_ALL)
            to_others = state.setup.options["moon"] == "others"
            own, other = (0, _ALL) if to_others else (-_ALL, 0)
            points = [own if seat == shooter else other for seat in range(len(points))]
            text = N_("{name} takes all 26 points: 0 for {name}, 26 for each other player.")
            off = N_("{name} takes all 26 points: they are taken off.")
            reasons = [state.phrase(text if to_others else off, name=shooter)]
        if state.setup.is_on("jack"):
            for seat, cards in enumerate(won):
                if JACK in cards:
                    points[seat] -= _JACK
                    reasons.append(state.phrase("{name} has the jack: 10 off.", name=seat))
        return tuple(points), tuple(reasons)


def points_of(one: Card) -> int:
    """What a card counts for who takes it."""
    return 13 if one is QUEEN else int(one.suit == "H")


def counts_against(one: Card) -> bool:
    """Whether a card counts: a heart or the queen of spades."""
    return points_of(one) > 0


HEARTS = Hearts()
