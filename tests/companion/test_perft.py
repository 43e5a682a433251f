"""Counts of all sequences of decisions on tiny decks, against second, independent counts.

One side walks through the game's own `legal` and `verify`/`apply`, with everything that is nobody's
choice (`forced`) in between. The other is a small model of the rules, written for this test alone.
To add a game, write such a model and a case for it.
"""

import random
from dataclasses import replace
from functools import cache

import pytest

from companion.cards import Family, card
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.games.missing_persons import simulation
from companion.games.missing_persons.questions.grammar import parse_question
from tests.companion.table_play import fork


def settled(game, state, world, rng):
    """The state after everything that nobody decides."""
    while not state.table.match_over:
        event = game.forced(state, world, rng)
        if event is None:
            break
        state = game.do(state, replace(event, n=1))
    return state


def perft(game, state, world, depth):
    """The numbers of sequences of 0, 1, … `depth` decisions within one match, in one walk."""
    state = settled(game, state, world, random.Random(0))
    if not depth or state.table.match_over:
        return [1] + [0] * depth
    seat = game.actors(state)[0]
    actions = list(game.legal(state, seat))
    for action in actions:
        game.verify(state, action)
    if depth == 1:
        return [1, len(actions)]
    numbered = (replace(action, n=1) for action in actions)
    branches = (perft(game, game.apply(state, act), world, depth - 1) for act in numbered)
    return summed(branches, depth)


def summed(branches, depth):
    """The counts of a place from those of the places one decision further."""
    return [1, *map(sum, zip([0] * depth, *branches, strict=True))]


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
    counts = perft(game, state, world, depth)
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
    monkeypatch.setattr(simulation, "representative_questions", lambda: questions)
    game, state, world = start("missing-persons", ("Ann", "Bo"), codes, {})
    size = len(codes.split())
    identities = len({c.identity for c in state.setup.cards})
    model = missing_model(world, questions, identities, size - 4, 0)
    counts = perft(game, state, world, depth)
    assert counts == [model(n) for n in range(depth + 1)]
    assert counts[-1] > 1000


# -- Precognition ----------------------------------------------------------------------------------


def precognition_model(players, size, starter):
    """Counts where predictions are listed up to three letters, and each lays its own cards."""
    length = players * size
    strings = sum(3**letters for letters in range(1, min(3, length) + 1))

    @cache
    def count(written, laid, depth):
        if not depth:
            return 1
        silent = [seat for seat in range(players) if seat not in written]
        less = depth - 1
        if laid == length:
            return strings * count(written | {silent[0]}, laid, less) if silent else 0
        mover = (starter + laid) % players
        own = size - laid // players
        if laid or not silent:
            return own * count(written, laid + 1, less)
        found = strings * count(written | {silent[0]}, laid, less)
        if silent[0] == mover:
            found += own * count(written, laid + 1, less)
        return found

    return lambda depth: count(frozenset(), 0, depth)


@pytest.mark.parametrize(
    ("names", "codes", "starter", "depth"),
    [
        (("Ann", "Bo"), "AS 2H", "Ann", 4),
        (("Ann", "Bo"), "AS 2H 2C 4D 5S", "Bo", 4),
        (("Ann", "Bo", "Cy"), "AS 2H 2C 4D 5S 6H", "Ann", 3),
    ],
)
def test_precognition(names, codes, starter, depth):
    game, state, world = start("precognition", names, codes, {"starter": starter})
    size = len(codes.split()) // len(names)
    model = precognition_model(len(names), size, names.index(starter))
    counts = perft(game, state, world, depth)
    assert counts == [model(n) for n in range(depth + 1)]
    assert max(counts) > 100


# -- Gotcha ----------------------------------------------------------------------------------------


def gotcha_model(hands, thrown, on_ends, starter):  # noqa: C901  (as above)
    """Counts from the ranks held; who discards is offered the lowest and the highest cards."""
    players = len(hands)

    @cache
    def guessing(hands, mover, last_round, depth):
        if not depth:
            return 1
        found = 0
        for other in range(players):
            size = len(hands[other])
            for place in range(size) if other != mover else ():
                ends = min(place + 1, size - place)
                calls = 2 if ends > 1 or on_ends else 1
                rest = hands[other][:place] + hands[other][place + 1 :]
                after = (*hands[:other], rest, *hands[other + 1 :])
                hit = right(after, mover, other, last_round, depth - 1)
                miss = wrong(hands, mover, last_round, depth - 1)
                found += calls * (hit + 12 * miss)
        return found

    def right(hands, mover, other, last_round, depth):
        if hands[other]:
            return guessing(hands, mover, last_round, depth)
        if players == 2 and not last_round:
            return guessing(hands, other, True, depth)
        return int(not depth)

    def wrong(hands, mover, last_round, depth):
        if last_round:
            return int(not depth)
        return guessing(hands, (mover - 1) % players, False, depth)

    def discarding(hands, seat, depth):
        if not thrown or seat == players:
            return guessing(hands, starter, False, depth)
        if not depth:
            return 1
        kept = (hands[seat][thrown:], hands[seat][:-thrown])
        return sum(
            discarding((*hands[:seat], rest, *hands[seat + 1 :]), seat + 1, depth - 1)
            for rest in kept
        )

    return lambda depth: discarding(hands, 0, depth)


@pytest.mark.parametrize(
    ("names", "codes", "deal", "on_ends", "depth"),
    [
        (("Ann", "Bo"), "AS 2H", "1", "no", 3),
        (("Ann", "Bo"), "AS AH 3C 4D", "2", "yes", 2),
        (("Ann", "Bo"), "AS AH 3C 4D KS KH", "3", "no", 2),
        (("Ann", "Bo"), "AS AH 3C 4D KS KH", "3-1", "no", 3),
        (("Ann", "Bo", "Cy"), "AS AH 3C 4D KS KH", "2-1", "no", 4),
    ],
)
def test_gotcha(names, codes, deal, on_ends, depth):
    options = {"deal": deal, "gotcha_on_ends": on_ends, "starter": names[-1]}
    game, state, world = start("gotcha", names, codes, options)
    hands = tuple(tuple(c.rank for c in hand) for hand in world)
    thrown = int(deal.partition("-")[2] or 0)
    model = gotcha_model(hands, thrown, on_ends == "yes", len(names) - 1)
    counts = perft(game, state, world, depth)
    assert counts == [model(n) for n in range(depth + 1)]
    assert max(counts) > 100


# -- Deduction -------------------------------------------------------------------------------------


class OneCoin(random.Random):
    """Draws the same coin each time."""

    coin = card("AM", Family.COIN)

    def choice(self, seq):
        assert self.coin in seq
        return self.coin


def perft_seen(desk, world, depth):
    """As `perft`, but each decides from what its own seat may know."""
    rng = OneCoin(0)
    while (event := desk.game.forced(desk.state, world, rng)) is not None:
        desk.accept(event)
    if not depth or desk.state.table.match_over:
        return [1] + [0] * depth
    seat = desk.game.actors(desk.state)[0]
    actions = list(desk.game.legal(desk.knowledge(seat), seat))
    if depth == 1:
        return [1, len(actions)]
    branches = []
    for action in actions:
        branch = fork(desk)
        branch.accept(action)
        branches.append(perft_seen(branch, world, depth - 1))
    return summed(branches, depth)


def deduction_model(world, deck, last_wins):  # noqa: C901  (as above)
    """Counts from the tiles each has seen; the coin is always the same."""
    players = len(world.hands)
    faces = [
        lambda tile: tile.suit == OneCoin.coin.suit,
        lambda tile: tile.rank == OneCoin.coin.rank,
    ]

    def ended(out):
        left = [seat for seat in range(players) if seat not in out]
        return not left or (last_wins and len(left) == 1)

    def following(mover, out):
        return next(s for i in range(1, players + 1) if (s := (mover + i) % players) not in out)

    def asking(mover, seen, out, depth):
        if not depth:
            return 1
        found = 0
        for other in range(players):
            for face in faces if other != mover else ():
                fitting = [tile for tile in world.hands[other] if face(tile)]
                found += asked(mover, seen, out, depth - 1)
                found += showing(mover, fitting, seen, out, depth - 1)
        return found

    def showing(mover, fitting, seen, out, depth):
        if not fitting:
            return asked(mover, seen, out, depth)
        if not depth:
            return 1
        return sum(
            asked(
                mover,
                (*seen[:mover], seen[mover] | {tile}, *seen[mover + 1 :]),
                out,
                depth - 1,
            )
            for tile in fitting
        )

    def asked(mover, seen, out, depth):
        if not depth:
            return 1
        less = depth - 1
        found = asking(following(mover, out), seen, out, less)
        for tile in deck:
            if tile in seen[mover]:
                continue
            wrong = out | {mover}
            if tile is world.missing or ended(wrong):
                found += not less
            else:
                found += asking(following(mover, wrong), seen, wrong, less)
        return found

    seen = tuple(frozenset((*hand, *world.up)) for hand in world.hands)
    return lambda depth: asking(0, seen, frozenset(), depth)


@pytest.mark.parametrize("last_wins", ["no", "yes"])
@pytest.mark.parametrize(("codes", "depth"), [("0S AS 0M AM", 5), ("0S AS 2S 0M AM 2M 0C AC", 4)])
def test_deduction(codes, depth, last_wins):
    options = {"last_one_wins": last_wins}
    names = ("Ann", "Bo", "Cy")
    game, state, world = start("deduction", names, codes, options, Family.TILE)
    model = deduction_model(world, state.deck, last_wins == "yes")
    counts = perft_seen(Referee(game, state.setup), world, depth)
    assert counts == [model(n) for n in range(depth + 1)]
    assert max(counts) > 1000
