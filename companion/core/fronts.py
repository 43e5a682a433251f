"""In front of whom a card lies: where people sit, learned from what they have played.

Until somebody has played, people are expected where the layout has them. A camera may look from
another side, and the middle of the trick is seldom that of the picture: so what was recorded counts
for more, and where the two disagree the layout says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import dist, pi

from companion.cards import Card, Spot
from companion.core.events import Event
from companion.core.layout import direction
from companion.core.question import laid_by

#: A card lies so far from the middle, in heights of one, where nobody has played yet.
_REACH = 0.7
#: A card is somebody's if it lies at most so many times as far from there as from anybody else's
#: place, and no farther than so many heights of a card.
_CLEARLY, _NEAR = 0.5, 0.6
#: Where people are only expected, it also has to be turned as they look at it, radians.
_ASKEW = 0.5
#: The layout is believed as long as people play no farther from where it has them.
_OFF = 0.5
#: So many of a seat's last cards say where it plays.
_LAST = 5

Point = tuple[float, float]


class Fronts:
    """Where the cards of each seat come to lie.

    Args:
        seats: how many people play.
    """

    def __init__(self, seats: int) -> None:
        self._seats = seats
        #: By the number of the event that laid a card.
        self._spots: dict[int, Spot] = {}

    def learn(self, events: Iterable[Event], lying: Mapping[Card, Spot]) -> None:
        """Notes where the cards lie that this match's events have laid.

        Args:
            events: those that stand, the latest first.
            lying: where cards lie now.
        """
        for event in events:
            if event.verb == "match":
                return
            card = laid_by(event)
            if card is None or card not in lying or not event.is_public:
                continue
            if event.seat is not None:
                self._spots.setdefault(event.n, lying[card])

    def seats_at(
        self, spots: Iterable[Spot], events: Iterable[Event]
    ) -> dict[Spot, tuple[int, ...]]:
        """The seats in front of which cards may lie.

        Args:
            spots: where they lie.
            events: those that stand, the latest first; those learned from among them.

        Returns:
            By spot, the nearest seat first; one alone if that is clear, none if nothing is known.
        """
        played = self._played(events)
        places = played | self._expected(played)
        if len(places) < self._seats:
            return dict.fromkeys(spots, ())

        def seats(spot: Spot) -> tuple[int, ...]:
            away = sorted((dist(place, (spot.x, spot.y)), seat) for seat, place in places.items())
            (nearest, seat), (second, _) = away[:2]
            clear = nearest <= min(_NEAR, _CLEARLY * second)
            if clear and (seat in played or self._is_turned(seat, spot)):
                return (seat,)
            return tuple(seat for _, seat in away)

        return {spot: seats(spot) for spot in spots}

    def _played(self, events: Iterable[Event]) -> dict[int, Point]:
        """Where each seat has played, in the middle of its last cards."""
        spots: dict[int, list[Spot]] = {}
        for event in events:
            if event.n in self._spots and event.seat is not None:
                spots.setdefault(event.seat, []).append(self._spots[event.n])
        return {seat: _middle([(s.x, s.y) for s in found[:_LAST]]) for seat, found in spots.items()}

    def _expected(self, played: Mapping[int, Point]) -> dict[int, Point]:
        """Where those should play who have not, as far from the layout as the others do."""
        layout = {}
        for seat in range(self._seats):
            x, y = direction(seat, self._seats)
            layout[seat] = (_REACH * x, _REACH * y)
        off = [(x - layout[seat][0], y - layout[seat][1]) for seat, (x, y) in played.items()]
        if any(dist(shift, (0.0, 0.0)) > _OFF for shift in off):
            return {}
        dx, dy = _middle(off) if off else (0.0, 0.0)
        return {seat: (x + dx, y + dy) for seat, (x, y) in layout.items() if seat not in played}

    def _is_turned(self, seat: int, spot: Spot) -> bool:
        """Whether a card lies as who sits there would lay it."""
        askew = (spot.turn - 2 * pi * seat / self._seats) % pi
        return min(askew, pi - askew) <= _ASKEW


def _middle(points: list[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
