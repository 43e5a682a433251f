"""Hearts, Spades and Oh Hell against OpenSpiel: legal plays at every card, and every score.

`SPIEL_DEALS` says how many random deals of each are played; the suite plays a few dozen.
"""

import os
import random

import pytest

from companion.cards import parse_card
from companion.core.events import private, public
from companion.core.registry import get_game
from companion.core.state import evolve

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel has no wheel for this platform")

DEALS = int(os.environ.get("SPIEL_DEALS", "30"))
NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve")
WAYS = {"No Pass": "hold", "Left": "left", "Right": "right", "Across": "across"}


def card_of(text):
    """A card as OpenSpiel writes it: `TH` or `HT`."""
    rank, suit = (text[0], text[1]) if text[0] not in "SHDC" else (text[1], text[0])
    return parse_card(f"{'10' if rank == 'T' else rank}{suit}")


class Table:
    """The same deal at both tables."""

    def __init__(self, theirs, rng):
        self.theirs, self.rng = theirs.new_initial_state(), rng
        self.players = theirs.num_players()

    def words(self, action):
        return self.theirs.action_to_string(self.theirs.current_player(), action)

    def chance(self):
        """Draws what chance decides; returns it in words."""
        action = self.rng.choice([action for action, _ in self.theirs.chance_outcomes()])
        said = self.words(action)
        self.theirs.apply_action(action)
        return said

    def hands(self, count):
        """Deals that many cards in turn, as our games are told of them."""
        cards = [card_of(self.chance()) for _ in range(count * self.players)]
        return [tuple(sorted(cards[seat :: self.players])) for seat in range(self.players)]

    def sit(self, name, hands, **options):
        """Our side of the table, hands recorded."""
        self.game = get_game(name)
        setup = self.game.setup(NAMES[: self.players], options, trusted=True)
        self.state, self.events = self.game.initial(setup), 0
        for seat, hand in enumerate(hands):
            self.do(private(seat, "hand", hand))

    def do(self, event):
        self.events += 1
        self.state = self.game.do(self.state, evolve(event, n=self.events))

    def choose(self):
        """One of their actions, taken there; the seat and the words of all that were legal."""
        seat = self.theirs.current_player()
        legal = self.theirs.legal_actions()
        action = self.rng.choice(legal)
        words = {self.words(one) for one in legal}
        chosen = self.words(action)
        self.theirs.apply_action(action)
        return seat, chosen, words

    def play_out(self, *, more_leads=False):
        """Plays all tricks; every set of legal cards is alike. Returns the number of plays."""
        plays = 0
        while not self.theirs.is_terminal():
            seat, chosen, words = self.choose()
            held = self.state.held[seat]
            ours = {card for card in held if self.game.can(self.state, public(seat, "play", card))}
            listed = {event.args[0] for event in self.game.legal(self.state, seat)}
            assert ours == listed
            theirs = set(map(card_of, words))
            assert seat in self.game.actors(self.state)
            if more_leads and self.state.led is None and ours != theirs:
                # It never marks spades as broken.
                assert theirs < ours == set(held)
                assert any(play.card.suit == "S" for play in self.state.plays)
            else:
                assert ours == theirs
            self.do(public(seat, "play", card_of(chosen)))
            plays += 1
        assert self.state.table.match_over
        return plays


def hearts(seed):
    rng = random.Random(seed)
    jack = rng.random() < 0.3
    table = Table(pyspiel.load_game("hearts", {"jd_bonus": jack}), rng)
    way = WAYS[table.chance()]
    options = {"pass": way, "jack": "yes" if jack else "no", "target": "0"}
    table.sit("hearts", table.hands(13), **options)
    for seat in range(4 if way != "hold" else 0):
        passed = []
        for _ in range(3):
            actor, chosen, _ = table.choose()
            assert actor == seat
            passed.append(card_of(chosen))
        table.do(private(seat, "pass", tuple(passed)))
    plays = table.play_out()
    assert table.theirs.returns() == [26 - points for points in table.state.table.scores]
    return plays, way


def spades(seed):
    table = Table(pyspiel.load_game("spades"), random.Random(seed))
    table.sit("spades", table.hands(13), target="0")
    for seat in range(4):
        actor, chosen, words = table.choose()
        legal = {event.args[0] for event in table.game.legal(table.state, seat)}
        assert actor == seat
        assert {0 if word == "Nil" else int(word) for word in words} <= legal == set(range(14))
        table.do(public(seat, "bid", 0 if chosen == "Nil" else int(chosen)))
    plays = table.play_out(more_leads=True)
    assert table.theirs.returns() == list(table.state.table.scores)
    return plays, "spades"


def oh_hell(seed):
    rng = random.Random(seed)
    players = rng.choice((3, 4, 5))
    table = Table(pyspiel.load_game("oh_hell", {"players": players}), rng)
    count = int(table.chance())
    dealer = int(table.chance())
    hands = table.hands(count)
    trump = card_of(table.chance())
    starter = (dealer + 1) % players
    options = {"cards": str(count), "starter": NAMES[starter], "hook": "yes", "target": "0"}
    table.sit("oh-hell", hands, **options)
    table.do(public(None, "trump", trump))
    for place in range(players):
        seat, chosen, words = table.choose()
        assert seat == (starter + place) % players
        legal = {event.args[0] for event in table.game.legal(table.state, seat)}
        assert legal == set(map(int, words))
        table.do(public(seat, "bid", int(chosen)))
    plays = table.play_out()
    assert table.theirs.returns() == list(table.state.table.scores)
    return plays, players


@pytest.mark.parametrize("deal", [hearts, spades, oh_hell], ids=lambda deal: deal.__name__)
def test_legal_plays_and_scores_are_those_of_openspiel(deal):
    plays, kinds = 0, {}
    for seed in range(DEALS):
        count, kind = deal(seed)
        plays += count
        kinds[kind] = kinds.get(kind, 0) + 1
    print(f"{deal.__name__}: {DEALS} deals, {plays} plays, {kinds}")
    assert len(kinds) == {"hearts": 4, "spades": 1, "oh_hell": 3}[deal.__name__]
