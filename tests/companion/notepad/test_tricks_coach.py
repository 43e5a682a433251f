"""What the coach of trick-taking games counts in the last tricks, against the game's own rules.

Deals are listed from the viewer's events, and each is played out by the game itself, card by card.
"""

import random

import pytest

from companion.core.notation import read_match
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.state import evolve
from companion.games.tricks.coach import worths
from companion.games.tricks.notepad import TricksPad
from companion.games.tricks.state import Stage, strength
from companion.notepad.base import open_notepad
from companion.simulate import play_events
from tests.companion.notepad import listing
from tests.companion.notepad.test_pads import TRICKS, table

POSITIONS = 12


def how_good(state, seat):
    """How a match that is over went for a seat, more being better."""
    law = state.law
    if law.name == "hearts":
        return -sum(map(law.costs, state.won[seat]))
    if law.name == "oh-hell":
        return -abs(state.bids[seat] - state.taken(seat))
    return sum(map(state.taken, state.side(seat)))


def played_out(game, state):
    """The end of a match in which everybody plays best for themselves with open cards."""
    if state.stage is Stage.OVER:
        return state
    seat = state.table.to_move
    plays = sorted(game.legal(state, seat), key=lambda e: (e.args[0].suit, strength(e.args[0])))
    ends = [played_out(game, game.do(state, evolve(play, n=1))) for play in plays]
    return max(ends, key=lambda end: how_good(end, seat))  # the first of equal ones


def positions(name):
    """Views of who plays next, not in the first trick, with the deals that fit."""
    game = get_game(name)
    for seed in range(1000):
        rng = random.Random(seed)
        setup = table(name, rng)
        setup = game.setup(setup.players, {k: setup.options[k] for k in setup.stated},
                           cards=setup.cards)  # fmt: skip
        referee = Referee(game, setup)
        bots = [game.bots["random"]] * len(setup.players)
        for event in play_events(referee, bots, rng):
            state = referee.state
            if name == "spades" and 0 in state.bids:
                break  # a nil is not counted
            if event.verb == "play" and state.number > 1 and rng.random() < 0.5:
                view = referee.view(event.seat)
                worlds = listing.tricks(view)
                if worlds is not None and len(worlds) <= 8:
                    yield game, view, event.seat, worlds
            referee.accept(event)
            if referee.state.table.match_over:
                break


@pytest.mark.parametrize("name", TRICKS)
def test_worth_equals_every_deal_played_out(name):
    differ = counted = 0
    for game, view, seat, worlds in positions(name):
        state = view.state
        cards = [event.args[0] for event in game.legal(state, seat)]
        found = worths(state, seat, cards, TricksPad(state, seat).knowledge)
        if len(found) < 2:
            continue
        before = how_good(state, seat) if name != "oh-hell" else 0
        for card in cards:
            total = 0
            for world, _ in worlds:
                held = tuple(tuple(sorted(world[s])) for s in range(len(state.hands)))
                play = next(e for e in game.legal(state, seat) if e.args[0] is card)
                after = game.do(evolve(state, held=held), evolve(play, n=1))
                total += how_good(played_out(game, after), seat) - before
            assert found[card] == pytest.approx(total / len(worlds))
        differ += len(set(found.values())) > 1
        counted += 1
        if counted == POSITIONS:
            break
    assert counted == POSITIONS
    assert differ > 3


HEARTS = "game: hearts\nplayers: Ann, Bo, Cy, Dee\noption pass: hold\n---\n"
REST = "3D 4D 5D 6D 10H JH 2S 3S 4S 5S"


@pytest.mark.parametrize(
    ("clubs", "played", "said"),
    [
        ("3C JD QD", "Dee: play 2C", "Play the 3 of Clubs: you may play no other."),
        (
            "3C 5C 9C",
            "Bo: play 2C\nCy: play KC\nDee: play 4C",
            "Play the 9 of Clubs: it cannot take this trick.",
        ),
        (
            "3C 5C 9C",
            "Dee: play 2C",
            "Play the 5 of Clubs: it takes the trick with a chance of 1 % at most, and else you "
            "are rid of it.",
        ),
        (
            "JC QC KC",
            "Dee: play 2C",
            "Play the King of Clubs: none of your cards is less likely to take the trick. It does "
            "with a chance of 98 % at most.",
        ),
    ],
)
def test_the_advice_says_why_a_card_is_played(clubs, played, said):
    match = read_match(f"{HEARTS}Ann*: hand {clubs} {REST}\n{played}\n")
    assert open_notepad(match.game, Referee.of(match).view(0)).advice().text == said
