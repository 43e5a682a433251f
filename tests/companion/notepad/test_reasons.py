"""That no smaller set of events forces a cell than the one a notepad names, tried by listing.

Every world of a small table is listed without regard to what is known. A set of events forces a
cell if all worlds that fit these events agree on it; the fewest are found by trying all sets.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

import pytest

from companion.cards import RANKS, Card, Family, family_cards
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.view import View
from companion.errors import UsageError
from companion.games.suspense.conditions import DEFAULT_CONDITIONS
from companion.games.suspense.engine.facts import DECK, SECRET, SuspenseKnowledge, in_play
from companion.games.suspense.engine.solve import why as suspense_why
from companion.notepad.base import open_notepad
from companion.notepad.facts import CardAt
from companion.simulate import play_events

#: A world: which events it fits, as a mask, and what it says of the cell.
Told = tuple[int, bool]


def fewest(told: Sequence[Told], events: int) -> int | None:
    """The least number of events that force the cell; None while both are possible."""
    everything = (1 << events) - 1
    possible = {cell for fits, cell in told if fits == everything}
    if len(possible) != 1:
        return None
    # Each such world must be excluded by an event that it does not fit; the hardest suffice.
    missed = {everything & ~fits for fits, cell in told if cell not in possible}
    hard = [mask for mask in missed if not any(less & mask == less != mask for less in missed)]
    for count in range(events + 1):
        for chosen in combinations(range(events), count):
            mask = sum(1 << event for event in chosen)
            if all(mask & each for each in hard):
                return count
    raise AssertionError("all events together force it")


def rows(
    deck: Sequence[Card], players: int, laid: int
) -> Iterator[tuple[list[tuple[Card, ...]], list[tuple[Card, ...]]]]:
    """Precognition: each player's cards in hand, and those laid in order; what is left is spare."""
    size = len(deck) // players

    def fill(seat: int, left: tuple[Card, ...]) -> Iterator[list[tuple[tuple[Card, ...], ...]]]:
        if seat == players:
            yield []
            return
        count = len(range(seat, laid, players))
        for down in permutations(left, count):
            rest = [c for c in left if c not in down]
            for held in combinations(rest, size - count):
                for more in fill(seat + 1, tuple(c for c in rest if c not in held)):
                    yield [(held, down), *more]

    for world in fill(0, tuple(deck)):
        yield [held for held, _ in world], [down for _, down in world]


def row_masks(view: View, worlds: Sequence[tuple], order: Sequence[int]) -> list[int]:
    """Which events of a view each world fits: every card of the row, then every hand."""
    row, players = view.state.row, len(order)
    hands = [
        (order.index(event.seat), set(event.args[0]))
        for event in view.events
        if event.verb == "hand" and event.args
    ]
    masks = []
    for held, down in worlds:
        mask = sum(1 << i for i, c in enumerate(row) if down[i % players][i // players] is c)
        for number, (at, hand) in enumerate(hands, len(row)):
            mask |= (hand == {*held[at], *down[at]}) << number
        masks.append(mask)
    return masks


def test_precognition_names_a_smallest_set() -> None:
    game, rng = get_game("precognition"), random.Random(1)
    explained = {True: 0, False: 0}
    largest = 0
    cards = [c for c in family_cards(Family.STANDARD) if c.rank in (2, 3, 4)]
    while min(explained.values()) < 12:
        players = rng.choice((2, 2, 3))
        deck = tuple(sorted(rng.sample(cards, rng.choice((5, 6)) if players == 2 else 6)))
        desk = Referee(game, game.setup(("Ann", "Bo", "Cy")[:players], cards=deck))
        stop = rng.randint(players + 2, len(deck) + players)
        for event in play_events(desk, [game.bots["random"]] * players, rng):
            desk.accept(event)
            if desk.stands == stop:
                break
        view = desk.view(rng.choice((None, *range(players))))
        if not view.state.row or view.state.is_complete:
            continue
        pad, grid = open_notepad(game, view), open_notepad(game, view).grids()[0]
        order = [(view.state.table.starter + i) % players for i in range(players)]
        worlds = list(rows(deck, players, len(view.state.row)))
        masks = row_masks(view, worlds, order)
        events = max(masks).bit_length()
        for name in grid.columns:
            at = order.index(view.setup.players.index(name))
            for rank in {c.rank for c in deck}:
                cells = [any(c.rank == rank for c in held[at]) for held, _ in worlds]
                least = fewest(list(zip(masks, cells, strict=True)), events)
                if least is None:
                    with pytest.raises(UsageError, match="open"):
                        pad.why(RANKS[rank - 1], name)
                    continue
                reason = pad.why(RANKS[rank - 1], name)
                assert len(reason.events) == least
                assert reason.smallest
                largest = max(largest, least)
                explained[grid.settled(RANKS[rank - 1], name)] += 1
    assert largest >= 3


def suspense_worlds(sizes: dict[str, int], deck: Sequence[Card]) -> Iterator[dict[Card, str]]:
    """All ways to put cards into places."""
    if not deck:
        yield {}
        return
    for place, size in sizes.items():
        if size:
            for rest in suspense_worlds(sizes | {place: size - 1}, deck[1:]):
                yield rest | {deck[0]: place}


def test_suspense_names_a_smallest_set() -> None:
    rng = random.Random(2)
    explained = {True: 0, False: 0}
    largest = 0
    for _ in range(14):
        deck = tuple(sorted(rng.sample(DECK, 7)))
        dealt = rng.sample(deck, 7)
        hands = {"A": dealt[:3], "B": dealt[3:6]}
        played = {name: hand[: rng.randint(1, 3)] for name, hand in hands.items()}
        facts, fits = [], []
        for name, cards in played.items():
            for number, card in enumerate(cards):
                n = 10 + 2 * number + (name == "B")
                facts.append(CardAt(event=n, card=card, place=in_play(name)))
                fits.append(lambda w, c=card, p=facts[-1].place: w[c] == p)
        # As the pad reads A's hand: cards in hand are there, cards laid were never elsewhere.
        for card in hands["A"]:
            if card in played["A"]:
                elsewhere = (SECRET, "B", in_play("B"))
                facts += [CardAt(event=1, card=card, place=p, holds=False) for p in elsewhere]
            else:
                facts.append(CardAt(event=1, card=card, place="A"))
        held = [c for c in hands["A"] if c not in played["A"]]
        fits.append(
            lambda w, hand=hands["A"], held=held: all(
                w[c] == "A" if c in held else w[c] in ("A", in_play("A")) for c in hand
            )
        )
        left = tuple(3 - len(played[name]) for name in "AB")
        knowledge = SuspenseKnowledge(
            ("A", "B"), left, tuple(len(played[name]) for name in "AB"), tuple(facts),
            conditions={c: DEFAULT_CONDITIONS[c] for c in deck},
        )  # fmt: skip
        worlds = [
            (w, sum(1 << i for i, fit in enumerate(fits) if fit(w)))
            for w in suspense_worlds(knowledge.sizes, deck)
        ]
        for card in deck:
            for place in ("A", "B", SECRET):
                least = fewest([(mask, w[card] == place) for w, mask in worlds], len(fits))
                if least is None:
                    with pytest.raises(UsageError, match="open"):
                        suspense_why(knowledge, card, place)
                    continue
                reason = suspense_why(knowledge, card, place)
                assert len({fact.event for fact in reason.facts}) == least
                assert reason.smallest
                everything = (1 << len(fits)) - 1
                sure = next(w[card] == place for w, mask in worlds if mask == everything)
                explained[sure] += 1
                largest = max(largest, least)
    assert min(explained.values()) > 10
    assert largest >= 3
