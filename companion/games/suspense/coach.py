"""What Suspense's coach says: which card to play, when to pass, fold or stay.

A turn is valued as if the secret card were turned up right after it: by the chance to meet its
condition, ties shared, minus that of the best opponent. Whether to fold or to stay is decided by
expected points minus the opponents', since a match is a race: folding on a tie gives the other
player a point. Opponents who declare later are assumed to stay.

The dealer declares first, and only the dealer has seen the secret card. The notepad's chances count
deals, not habits, but the coach assumes that the dealer declares correctly nine times out of ten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from companion.cards import Card
from companion.games.suspense.conditions import match_points
from companion.games.suspense.engine.facts import SuspenseKnowledge, in_play
from companion.games.suspense.engine.solve import SuspenseChances, solve
from companion.games.suspense.state import Stage, SuspenseState
from companion.notepad.base import Advice
from companion.notepad.facts import CardAt
from companion.phrases import capitalised, decimal, joined, percent, phrase

#: How often the dealer is taken to declare rightly.
_TRUST = 0.9
#: Fewer points than this are shown as none.
_LEVEL = 0.005


@dataclass(frozen=True, slots=True)
class OptionValue:
    """One thing to do now.

    Attributes:
        action: as it is written.
        fold: expected points if the match ended after it and the player folded.
        stay: the same if the player stayed.
        share: the chance to meet the condition then, a tie counted in equal parts.
        others: the greatest such chance of an opponent.
    """

    action: str
    fold: float
    stay: float
    share: float
    others: float

    @property
    def lead(self) -> float:
        """What decides: own chance less the best opponent's."""
        return self.share - self.others


def valued(action: str, solved: SuspenseChances, name: str) -> OptionValue:
    """An option from the chances after it."""
    shares = dict.fromkeys(solved.players, 0.0)
    for meets, number in solved.outcomes.items():
        for player in meets:
            shares[player] += number / len(meets) / solved.worlds
    return OptionValue(
        action,
        solved.expected_points(name, stay=False),
        solved.expected_points(name, stay=True),
        shares.pop(name),
        max(shares.values()),
    )


@dataclass(frozen=True, slots=True)
class Declaration:
    """Folding and staying compared.

    Attributes:
        points: expected points of each choice.
        leads: the same less the mean of the opponents'.
        dealer: what the dealer declared, if that is another player who has; else empty.
    """

    points: dict[str, float]
    leads: dict[str, float]
    dealer: str

    @property
    def verdict(self) -> str:
        """The better choice."""
        return "stay" if round(self.leads["stay"] - self.leads["fold"], 9) >= 0 else "fold"


def declaration(state: SuspenseState, seat: int, solved: SuspenseChances) -> Declaration:
    """Weighs folding against staying, if the secret card were turned up now; there is a world."""
    names, dealer = solved.players, state.table.starter
    told = ""
    if dealer != seat and (dealer in state.folded or dealer in state.stayed):
        told = "fold" if dealer in state.folded else "stay"
    weights = {}
    for meets, number in solved.outcomes.items():
        right = not told or (names[dealer] in meets) == (told == "stay")
        weights[meets] = number * (_TRUST if right else 1 - _TRUST)
    total = sum(weights.values())
    points, leads = {}, {}
    for choice in ("fold", "stay"):
        folded = (state.folded | {seat}) if choice == "fold" else state.folded - {seat}
        out = sorted(names[other] for other in folded)
        stayed = [name for name in names if name not in out]
        earned = dict.fromkeys(names, 0.0)
        for meets, weight in weights.items():
            for name, number in match_points(sorted(meets), stayed, out).items():
                earned[name] += number * weight / total
        points[choice] = earned[names[seat]]
        others = sum(earned.values()) - points[choice]
        leads[choice] = points[choice] - others / (len(names) - 1)
    return Declaration(points, leads, told)


def _lead(points: float) -> str:
    """How far one is before the others' mean."""
    if abs(points) < _LEVEL:
        return phrase("level with the others")
    if points < 0:
        return phrase("{n} points behind the others", n=decimal(-points))
    return phrase("{n} points ahead of the others", n=decimal(points))


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
) -> Iterator[OptionValue]:
    """Every card that can be played, and passing, valued."""
    name = knowledge.players[seat]
    for held in state.held[seat] or ():
        if held.is_known:
            after = solve(after_play(knowledge, name, held))
            if after.worlds:
                yield valued(phrase("play {held}", held=held.code), after, name)
    if state.turns[seat] or not state.left(seat):
        yield valued("pass", solved, name)


def advise(
    state: SuspenseState, viewer: int | None, knowledge: SuspenseKnowledge, solved: SuspenseChances
) -> Advice:
    """The advice for what the viewer does next."""
    if viewer is None:
        return Advice("A coach advises players, not spectators.")
    if state.table.match_over or state.stage is Stage.REVEAL or viewer in state.folded:
        return Advice("There is nothing left to decide in this match.")
    if state.stage is Stage.DEALER or state.held[viewer] is None:
        return Advice("Record your hand first: the coach advises from your own cards.")
    now = declaration(state, viewer, solved)
    verdict = now.verdict
    declare = phrase(
        "{verdict} if it ended now: on average you are then {stay} if you stay, and {fold} if you "
        "fold.",
        verdict=capitalised(verdict),
        stay=_lead(now.leads["stay"]),
        fold=_lead(now.leads["fold"]),
    )
    if now.dealer:
        seen = phrase(
            " The dealer has seen the secret card and chose to {dealer}, which is "
            "taken to be right with a chance of {trust}.",
            dealer=now.dealer,
            trust=percent(_TRUST),
        )
        declare = joined("", (declare, seen))
    numbers: dict[str, Any] = {**now.points, "leads": now.leads, "declare": verdict}
    if state.stage is not Stage.PLAY:
        return Advice(declare, verdict, numbers)
    options = list(turn_options(state, viewer, knowledge, solved))
    if not options:
        return Advice(declare, "", numbers)
    best = max(options, key=lambda option: round(option.lead, 9))
    shown = ("fold", "stay", "share", "others")
    table = {option.action: {name: getattr(option, name) for name in shown} for option in options}
    text = phrase(
        "{action}: then you would meet the condition with a chance of {share} (ties shared), the "
        "best opponent with {others}.",
        action=capitalised(best.action),
        share=percent(best.share),
        others=percent(best.others),
    )
    return Advice(text, best.action, numbers | {"options": table})
