"""Who starts: by lot, who lost last, or the youngest. No window."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from companion.core.names import name_key

if TYPE_CHECKING:  # brings cryptography: only when it is needed
    from companion.journal import SessionInfo


_DRAW = random.SystemRandom()


def group_of(names: Iterable[str]) -> str:
    """A group of people as a key, whatever their order and spelling."""
    return "|".join(sorted(name_key(name) for name in names))


def last_losers(sessions: Iterable[SessionInfo], game: str, names: Sequence[str]) -> list[str]:
    """Who lost the last game that these people played: of those who did not win, the last.

    Args:
        sessions: the one that changed last first.
        game: the game's name.
        names: who plays now.

    Returns:
        Their names as they are written now, several where they had as few points; none where these
        people have not ended this game together, or nobody lost it.
    """
    group = group_of(names)
    for info in sessions:
        is_theirs = info.game == game and group_of(info.players) == group
        if is_theirs and info.over and info.winners:
            lost = [name for name in info.players if name not in info.winners]
            fewest = min((info.scores.get(name, 0) for name in lost), default=0)
            last = {name_key(name) for name in lost if info.scores.get(name, 0) == fewest}
            return [name for name in names if name_key(name) in last]
    return []


def by_lot(names: Sequence[str], rng: random.Random = _DRAW) -> str:
    """One of some names, each equally likely."""
    return rng.choice(list(names))


def youngest(known: Mapping[str, str], names: Sequence[str]) -> str:
    """Who was said to be the youngest of a group; empty where nobody has said so."""
    who = known.get(group_of(names), "")
    return next((name for name in names if name_key(name) == who), "")


def with_youngest(known: Mapping[str, str], names: Sequence[str], who: str) -> dict[str, str]:
    """What is known after somebody was said to be the youngest of a group."""
    return {**known, group_of(names): name_key(who)}


def renamed(known: Mapping[str, str], old: str, new: str) -> dict[str, str]:
    """What is known after somebody got another name."""
    before, after = name_key(old), name_key(new)

    def other(name: str) -> str:
        return after if name == before else name

    return {group_of(map(other, key.split("|"))): other(who) for key, who in known.items()}


def forgotten(known: Mapping[str, str], name: str) -> dict[str, str]:
    """What is known without one person: their groups are forgotten."""
    gone = name_key(name)
    return {key: who for key, who in known.items() if gone not in key.split("|")}
