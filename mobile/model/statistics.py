"""Statistics over evenings: who played, who won, who guesses better than luck. No window.

They add up the records of sessions (`mobile.model.session_stats`), which hold what everybody knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from companion.core.names import name_key
from mobile.model.days import evening
from mobile.model.session_stats import Record

if TYPE_CHECKING:  # brings cryptography: only when it is needed
    from companion.journal import SessionInfo


#: Games that a person's line of form shows.
LAST_GAMES = 10


@dataclass(slots=True)
class Tally:
    """What somebody did in one game, or in all.

    Attributes:
        played: games that have ended.
        won: how many of them were won, alone or with others.
        tries: predictions, guesses and claims that were decided.
        right: how many of them came true.
        weighed: tries whose chance is known.
        lucky: how many of these luck alone would have got right: the sum of their chances.
        hits: how many of these came true.
        longest: letters of the longest prediction that came true.
    """

    played: int = 0
    won: int = 0
    tries: int = 0
    right: int = 0
    weighed: int = 0
    lucky: float = 0.0
    hits: int = 0
    longest: int = 0


@dataclass(slots=True)
class Pair:
    """Two people who have played together.

    Attributes:
        names: of both, as written last.
        nights: the evenings on which they did.
        played: games that have ended with both at the table.
        won: how many of them each of the two won.
    """

    names: tuple[str, str]
    nights: set[date] = field(default_factory=set)
    played: int = 0
    won: tuple[int, int] = (0, 0)

    @property
    def evenings(self) -> int:
        """On how many evenings they have played together."""
        return len(self.nights)


@dataclass(slots=True)
class Statistics:
    """Everything that is counted.

    Attributes:
        people: name, small → game → tally.
        nights: name, small → the evenings on which they have played.
        pairs: those who have played together, most evenings first.
        forms: name, small → whether each game was won, the oldest first.
    """

    people: dict[str, dict[str, Tally]] = field(default_factory=dict)
    nights: dict[str, set[date]] = field(default_factory=dict)
    pairs: tuple[Pair, ...] = ()
    forms: dict[str, list[bool]] = field(default_factory=dict)

    def of(self, name: str) -> dict[str, Tally]:
        """Somebody's tallies by game."""
        return self.people.get(name_key(name), {})

    def overall(self, name: str) -> Tally:
        """Somebody's tally over all games."""
        whole = Tally()
        for tally in self.of(name).values():
            for part in ("played", "won", "tries", "right", "weighed", "lucky", "hits"):
                setattr(whole, part, getattr(whole, part) + getattr(tally, part))
            whole.longest = max(whole.longest, tally.longest)
        return whole

    def evenings_of(self, name: str) -> int:
        """On how many evenings somebody has played."""
        return len(self.nights.get(name_key(name), ()))

    def form_of(self, name: str) -> tuple[bool, ...]:
        """Whether somebody won each of the last games, the newest last."""
        return tuple(self.forms.get(name_key(name), ())[-LAST_GAMES:])

    def pairs_of(self, name: str) -> tuple[Pair, ...]:
        """With whom somebody has played."""
        who = name_key(name)
        return tuple(p for p in self.pairs if who in [name_key(other) for other in p.names])


def statistics(sessions: Iterable[tuple[SessionInfo, Record]]) -> Statistics:
    """Adds up sessions."""
    result = Statistics()
    together: dict[tuple[str, str], Pair] = {}
    for info, record in sorted(sessions, key=lambda one: (one[0].begun, one[0].id)):
        if not record.games and not record.attempts:
            continue  # nothing has been decided in it yet
        night = evening(info.begun)
        names = [name_key(name) for name in info.players]
        for name in names:
            result.nights.setdefault(name, set()).add(night)
        _add_games(result, info, names, record)
        _add_feats(result, info, names, record)
        _add_pairs(together, info, night, record)
    result.pairs = tuple(sorted(together.values(), key=lambda p: (-p.evenings, -p.played, p.names)))
    return result


def _tally(result: Statistics, name: str, game: str) -> Tally:
    return result.people.setdefault(name, {}).setdefault(game, Tally())


def _add_games(result: Statistics, info: SessionInfo, names: Sequence[str], record: Record) -> None:
    for winners in record.games:
        for seat, name in enumerate(names):
            tally = _tally(result, name, info.game)
            tally.played += 1
            tally.won += seat in winners
            result.forms.setdefault(name, []).append(seat in winners)


def _add_feats(result: Statistics, info: SessionInfo, names: Sequence[str], record: Record) -> None:
    for attempt in record.attempts:
        if attempt.seat >= len(names):
            continue
        tally = _tally(result, names[attempt.seat], info.game)
        tally.tries += 1
        tally.right += attempt.came_true
        tally.longest = max(tally.longest, attempt.length)
        if attempt.chance is not None:
            tally.weighed += 1
            tally.lucky += attempt.chance
            tally.hits += attempt.came_true


def _add_pairs(
    together: dict[tuple[str, str], Pair], info: SessionInfo, night: date, record: Record
) -> None:
    seats = sorted(range(len(info.players)), key=lambda seat: name_key(info.players[seat]))
    for k, one in enumerate(seats):
        for other in seats[k + 1 :]:
            names = info.players[one], info.players[other]
            key = name_key(names[0]), name_key(names[1])
            pair = together.setdefault(key, Pair(names))
            pair.nights.add(night)
            pair.played += len(record.games)
            first, second = pair.won
            first += sum(one in winners for winners in record.games)
            second += sum(other in winners for winners in record.games)
            pair.won = first, second
