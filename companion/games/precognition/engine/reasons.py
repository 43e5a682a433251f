"""Why a hidden hand of Precognition does or does not hold a rank, and which events contradict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, islice

from companion.cards import Card
from companion.errors import UsageError
from companion.games.precognition.engine.facts import (
    CardFact,
    InHand,
    Laid,
    OfRank,
    RowFact,
    RowKnowledge,
)
from companion.games.precognition.engine.solve import worlds
from companion.notepad.facts import Oracle, Why, by_trial, settling, smallest_core
from companion.phrases import N_

_STILL_OPEN = N_("Whether such a card is held is still open: nothing forces it.")


def why(knowledge: RowKnowledge, rank: int, player: str) -> Why[RowFact]:
    """A smallest set of events that settles whether a hidden hand holds a card of a rank.

    None is held where every card of the rank is known to be elsewhere; one is held where fewer
    other cards are left over than the hand has. Either way enough cards must be known to be
    elsewhere, so a smallest set is a smallest cover: all choices of the few events about several
    cards (hands) are tried, and single cards fill up the rest.

    Raises:
        UsageError: it is not settled.
    """
    cards = knowledge.cards
    if len(cards) < len(knowledge.facts):
        return _why_supposed(knowledge, rank, player)
    there = [f for f in cards if isinstance(f, InHand) and f.player == player]
    ranked = [fact for fact in there if fact.card.rank == rank]
    if ranked:
        return Why((ranked[0],), smallest=True, checks=0)
    of_rank = {card for card in knowledge.deck if card.rank == rank}
    found = _cover(cards, player, of_rank, len(of_rank))
    if found is None:
        others = {card for card in knowledge.deck if card.rank != rank}
        left = knowledge.left(knowledge.players.index(player))
        found = _cover(cards, player, others, len(others) - left + 1)
    if found is None:
        raise UsageError(_STILL_OPEN)
    return Why(found, smallest=True, checks=0)


def _why_supposed(knowledge: RowKnowledge, rank: int, player: str) -> Why[RowFact]:
    """The same where something is known of ranks alone: by trying sets of facts."""
    return settling(
        knowledge.facts,
        lambda refuted: _oracle(knowledge, (refuted,)),
        (OfRank(rank=rank, player=player, holds=holds) for holds in (True, False)),
        _STILL_OPEN,
        max_checks=400,
    )


def _cover(
    facts: Sequence[CardFact], player: str, wanted: set[Card], least: int
) -> tuple[CardFact, ...] | None:
    """Facts of the fewest events that tell of enough cards that a player does not hold them."""
    telling: dict[tuple[int, int], dict[Card, CardFact]] = {}
    for index, fact in enumerate(facts):
        if fact.card in wanted and (isinstance(fact, Laid) or fact.player != player):
            key = (fact.event, 0 if fact.event else index)
            telling.setdefault(key, {}).setdefault(fact.card, fact)
    several = [row for row in telling.values() if len(row) > 1]
    single = [row for row in telling.values() if len(row) == 1]
    best: list[dict[Card, CardFact]] | None = None
    for count in range(len(several) + 1):
        if best is not None and count >= len(best):
            break
        for rows in combinations(several, count):
            told = set().union(*rows)
            more = {c: row for row in single for c in row if c not in told}
            if len(told) + len(more) >= least:
                chosen = [*rows, *islice(more.values(), max(0, least - len(told)))]
                if best is None or len(chosen) < len(best):
                    best = chosen
    if best is None:
        return None
    needed: dict[Card, CardFact] = {}
    for row in best:
        needed = row | needed
    kept = set(islice(needed, least))
    return tuple(f for f in facts if f.card in kept and needed[f.card] is f)


def conflict(knowledge: RowKnowledge) -> Why[RowFact] | None:
    """A smallest set of facts that contradict each other, None when all fit together."""
    return smallest_core(knowledge.facts, _oracle(knowledge, ()))


def _oracle(knowledge: RowKnowledge, extra: tuple[RowFact, ...]) -> Oracle:
    """Whether chosen facts and the extra ones fit together."""
    return by_trial(
        knowledge.facts, lambda facts: bool(worlds(replace(knowledge, facts=(*facts, *extra))))
    )
