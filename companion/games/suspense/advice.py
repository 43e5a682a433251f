"""What Suspense's coach says: which card to play, when to pass, fold or stay.

A turn is valued as if the secret card were turned up right after it: the better of folding and
staying counts, since that choice is still to come. Opponents are taken to stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from companion.cards import Card
from companion.games.suspense.state import Stage, SuspenseState
from companion.notepad.pad import Advice
from companion.notepad.suspense import (
    CardAt,
    SuspenseChances,
    SuspenseKnowledge,
    in_play,
    solve,
)


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to do now.

    Attributes:
        action: as it is written.
        fold: expected points if the match ended after it and the player folded.
        stay: the same if the player stayed.
        others: the best that an opponent could expect then.
    """

    action: str
    fold: float
    stay: float
    others: float

    @property
    def points(self) -> float:
        """Of the better choice."""
        return max(self.fold, self.stay)

    @property
    def lead(self) -> float:
        """What decides: own points less the best opponent's."""
        return self.points - self.others


def valued(action: str, solved: SuspenseChances, name: str) -> Option:
    """An option from the chances after it."""
    others = max(
        max(solved.expected_points(other, stay=stay) for stay in (False, True))
        for other in solved.players
        if other != name
    )
    return Option(
        action,
        solved.expected_points(name, stay=False),
        solved.expected_points(name, stay=True),
        others,
    )


def after_play(knowledge: SuspenseKnowledge, name: str, played: Card) -> SuspenseKnowledge:
    """What is known after one's own card was played."""
    seat = knowledge.players.index(name)
    facts = tuple(
        replace(fact, place=in_play(name)) if fact.card is played and fact.place == name else fact
        for fact in knowledge.facts
    )
    if not any(f.card is played and f.place == in_play(name) for f in facts):
        facts += (CardAt(card=played, place=in_play(name)),)
    sizes = tuple(n - (i == seat) for i, n in enumerate(knowledge.hand_sizes))
    played_sizes = tuple(n + (i == seat) for i, n in enumerate(knowledge.played))
    return replace(knowledge, hand_sizes=sizes, played=played_sizes, facts=facts)


def turn_options(
    state: SuspenseState, seat: int, knowledge: SuspenseKnowledge, solved: SuspenseChances
) -> Iterator[Option]:
    """Every card that can be played, and passing, valued."""
    name = knowledge.players[seat]
    for held in state.held[seat] or ():
        if held.is_known:
            after = solve(after_play(knowledge, name, held))
            if after.worlds:
                yield valued(f"play {held.code}", after, name)
    if state.turns[seat] or not state.left(seat):
        yield valued("pass", solved, name)


def advise(
    state: SuspenseState,
    viewer: int | None,
    knowledge: SuspenseKnowledge,
    solved: SuspenseChances,
) -> Advice:
    """The advice for what the viewer does next."""
    if viewer is None:
        return Advice("A coach advises players, not spectators.")
    if state.table.match_over or state.stage is Stage.REVEAL or viewer in state.folded:
        return Advice("There is nothing left to decide in this match.")
    now = valued("stay", solved, knowledge.players[viewer])
    verdict = "stay" if now.stay >= now.fold else "fold"
    declare = (
        f"{verdict.capitalize()} if it ended now: staying brings {now.stay:.2f} points, "
        f"folding {now.fold:.2f}."
    )
    numbers = {"fold": now.fold, "stay": now.stay, "declare": verdict}
    if state.stage is not Stage.PLAY:
        return Advice(declare, verdict, numbers)
    options = list(turn_options(state, viewer, knowledge, solved))
    if not options:
        return Advice(declare, "", numbers)
    best = max(options, key=lambda option: round(option.lead, 9))
    table = {
        option.action: {"fold": option.fold, "stay": option.stay, "others": option.others}
        for option in options
    }
    text = (
        f"{best.action.capitalize()}: then {best.points:.2f} points could be expected, against "
        f"{best.others:.2f} of the best opponent. {declare}"
    )
    return Advice(text, best.action, numbers | {"options": table})
