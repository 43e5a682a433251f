"""Counts of all sequences of decisions on tiny decks, against second, independent counts.

One side walks through the game's own `legal` and `verify`/`apply`, with everything that is nobody's
choice (`forced`) in between. The other is a small model of the rules, written for this test alone.
To add a game, write such a model and a case for it.
"""

import random
from functools import cache

import pytest

from companion.cards import Family, card
from companion.games.missing_persons import play as missing_play
from companion.question_grammar import parse_question
from companion.registry import get_game


def settled(game, state, world, rng):
    """The state after everything that nobody decides."""
    while not state.table.match_over:
        event = game.forced(state, world, rng)
        if event is None:
            break
        state = game.do(state, event)
    return state


def perft(game, state, world, depth):
    """The number of sequences of so many decisions within one match."""
    state = settled(game, state, world, random.Random(0))
    if not depth:
        return 1
    if state.table.match_over:
        return 0
    seat = game.actors(state)[0]
    actions = list(game.legal(state, seat))
    for action in actions:
        game.verify(state, action)
    if depth == 1:
        return len(actions)
    return sum(perft(game, game.apply(state, action), world, depth - 1) for action in actions)


def start(name, names, codes, options, family=Family.STANDARD):
    game = get_game(name)
    cards = tuple(card(code, family) for code in codes.split())
    state = game.initial(game.setup(names, options, trusted=True, cards=cards))
    world = game.deal(state, random.Random(5))
    return game, state, world


# -- Suspense --------------------------------------------------------------------------------------


def suspense_model(world, dealer, any_turn):  # noqa: C901  (closures over one cache)
    """Counts from (numbers still in each hand, sum, mover, turns taken, passed, folded)."""
    players = len(world.hands)
    limit = {2: 15, 3: 20}[players]
    hands = tuple(tuple(c.rank for c in hand) for hand in world.hands)

    def declare(active, depth):
        return 2**depth if depth <= active else 0

    def turn_over(hands, total, mover, turns, passed, folded, depth):
        turns = (*turns[:mover], True, *turns[mover + 1 :])
        active = [seat for seat in range(players) if seat not in folded]
        if total >= limit or len(active) == 1 or all(seat in passed for seat in active):
            return declare(len(active), depth)
        while True:
            mover = (mover + 1) % players
            if mover in active:
                return count(hands, total, mover, turns, passed, folded, depth)

    @cache
    def count(hands, total, mover, turns, passed, folded, depth):
        if not depth:
            return 1
        found = 0
        for i, number in enumerate(hands[mover]):
            rest = hands[mover][:i] + hands[mover][i + 1 :]
            after = (*hands[:mover], rest, *hands[mover + 1 :])
            found += turn_over(after, total + number, mover, turns, (), folded, depth - 1)
        if turns[mover]:
            less = depth - 1
            found += turn_over(hands, total, mover, turns, (*passed, mover), folded, less)
            if any_turn:
                found += turn_over(hands, total, mover, turns, passed, (*folded, mover), less)
        return found

    return lambda depth: count(hands, 0, dealer, (False,) * players, (), (), depth)


@pytest.mark.parametrize("fold", ["at_end", "any_turn"])
@pytest.mark.parametrize(
    ("names", "codes", "depth"),
    [
        (("Ann", "Bo"), "W6 W5 B6 B4 !", 7),
        (("Ann", "Bo"), "W6 W5 B6 B4 ! W1 B1 B2 B3", 7),
        (("Ann", "Bo", "Cy"), "W6 W5 B6 B4 ! W1 B1", 8),
    ],
)
def test_suspense(names, codes, depth, fold):
    game, state, world = start("suspense", names, codes, {"fold": fold}, Family.SUSPENSE)
    dealer = settled(game, state, world, random.Random(0)).table.starter
    model = suspense_model(world, dealer, fold == "any_turn")
    counts = [perft(game, state, world, n) for n in range(depth + 1)]
    assert counts == [model(n) for n in range(depth + 1)]
    assert max(counts) > 10


# -- Missing Persons -------------------------------------------------------------------------------


def missing_model(world, questions, identities, pile, starter):  # noqa: C901  (as above)
    """Counts for displays of one suspect each: there is one place to turn over and to draw onto."""
    yes = [sum(q.answer(world.persons[1 - seat]) for q in questions) for seat in (0, 1)]

    def drawn(up, pile, seat, may_draw):
        if may_draw and not up[seat] and pile:
            return tuple(True if s == seat else up[s] for s in (0, 1)), pile - 1, False
        return up, pile, may_draw

    @cache
    def guessing(up, mover, first, depth):
        """Forced guesses: turning stays free, guesses pass the turn; both made, nothing is left."""
        if not depth:
            return 1
        flipped = tuple(not u if s == mover else u for s, u in enumerate(up))
        found = guessing(flipped, mover, first, depth - 1)
        if first:
            return found + identities * guessing(up, 1 - mover, False, depth - 1)
        return found + identities * (depth == 1)

    def passed(up, pile, mover, depth):
        if not pile:
            return guessing(up, 1 - mover, True, depth)
        return count(up, pile, 1 - mover, False, False, depth)

    @cache
    def count(up, pile, mover, asked, may_draw, depth):
        up, pile, may_draw = drawn(up, pile, mover, may_draw)
        if not depth:
            return 1
        less = depth - 1
        found = yes[mover] * count(up, pile, mover, True, True, less)
        found += (len(questions) - yes[mover]) * passed(up, pile, mover, less)
        found += identities * (depth == 1)
        if asked:
            found += passed(up, pile, mover, less)
        flipped = tuple(not u if s == mover else u for s, u in enumerate(up))
        return found + count(flipped, pile, mover, asked, may_draw, less)

    return lambda depth: count((True, True), pile, starter, False, False, depth)


@pytest.mark.parametrize(
    ("codes", "depth"), [("AS 2H 3C 4D 5S 6H", 8), ("AS 2H 3C 4D 5S 6H 7D JK1 JK2", 6)]
)
def test_missing_persons(codes, depth, monkeypatch):
    questions = tuple(map(parse_question, ("red?", "between A and 3?")))
    monkeypatch.setattr(missing_play, "representative_questions", lambda: questions)
    game, state, world = start("missing-persons", ("Ann", "Bo"), codes, {})
    size = len(codes.split())
    identities = len({c.identity for c in state.setup.cards})
    model = missing_model(world, questions, identities, size - 4, 0)
    counts = [perft(game, state, world, n) for n in range(depth + 1)]
    assert counts == [model(n) for n in range(depth + 1)]
    assert counts[-1] > 1000
