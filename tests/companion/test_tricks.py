"""Trick-taking games: rules that random play does not reach, revokes, and Whist by brute force."""

import os
import random
from functools import partial
from math import pi

import pytest

from companion.cards import Spot, card
from companion.core.events import public
from companion.core.guidance.generic import guidance_of
from companion.core.layout import direction
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.watched_match import WatchedMatch
from companion.games.tricks import GAMES
from companion.games.tricks.state import Law
from companion.simulate import play_events
from tests.companion.seating import seated
from tests.companion.test_acceptance import Seen

FOUR = ("Ann", "Bo", "Cy", "Dee")
#: Simulated matches with revokes; each game gets its share.
REVOKED = int(os.environ.get("REVOKES", "40"))


table = partial(seated, players=4)


# -- the family ------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_declaration_overrides_what_the_kernel_asks(game):
    """The games differ in hooks alone: a misspelt one would be a new name."""
    own = {name for name in vars(type(game)) if not name.startswith("_")}
    allowed = {*dir(Law), "info", "options", "presets", "begins", "most"}
    assert own <= allowed


# -- Hearts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "cards", "first", "opening"),
    [
        (3, 51, "2C", "Take the 2 of Diamonds out; Ann deals 17 cards to each."),
        (4, 52, "2C", "Ann deals 13 cards to each."),
        (5, 50, "3C", "Take the 2 of Diamonds and the 2 of Clubs out; Ann deals 10 cards to each."),
    ],
)
def test_twos_are_left_out_so_that_all_cards_are_dealt(players, cards, first, opening):
    game = get_game("hearts")
    state = game.initial(game.setup([*FOUR, "Eve"][:players]))
    assert len(state.deck) == cards
    assert len(state.deck) % players == 0
    assert game.first_card(state) is card(first)
    assert game.opening(state) == opening


@pytest.mark.parametrize(
    ("players", "ways"), [(4, "left right across hold left"), (3, "left right hold left right")]
)
def test_the_way_to_pass_changes_from_match_to_match(players, ways):
    referee = table("hearts", players=players, target="0")
    places = {"left": 1, "right": players - 1, "across": 2, "hold": 0}
    for way in ways.split():
        assert referee.game.passes_to(referee.state) == places[way]
        referee.accept("table: agree")
        referee.accept("table: match")


def guided(referee):
    found = guidance_of(referee.game, referee.view(None))
    return found.headline, found.waiting, [step.verb for step in found.steps]


def test_who_has_recorded_no_hand_passes_as_well():
    unread = " ".join(["??"] * 13)
    lines = [f"{name}*: hand {unread}" for name in ("Ann", "Bo", "Dee")]
    referee = table("hearts", *lines)
    said, waiting, verbs = guided(referee)
    assert said == "Ann, Bo, Cy and Dee pass 3 cards each."
    assert waiting == (0, 1, 2, 3)
    assert "play" not in verbs
    for name in ("Ann", "Bo", "Dee"):
        referee.accept(f"{name}*: pass ?? ?? ??")
    said, waiting, verbs = guided(referee)
    assert (said, waiting) == ("Cy passes 3 cards to Dee.", (2,))
    assert verbs[:2] == ["pass", "play"]  # whoever records nothing may lead all the same
    referee.accept("Cy*: pass ?? ?? ??")
    assert guided(referee)[0] == "Whoever has the 2 of Clubs leads it."


def test_the_dealer_turns_up_the_last_card_and_nobody_else_is_waited_for():
    said, waiting, _ = guided(table("whist"))
    assert said.startswith("Dee turns up the last card dealt")
    assert waiting == (3,)


def test_a_nil_is_called_so_with_what_it_is_worth():
    referee = table("spades")
    said, _, _ = guided(referee)
    assert said.endswith("Nil, no trick at all, wins 100 points or loses them.")
    bid = guidance_of(referee.game, referee.view(0)).steps[0].needs[0]
    assert dict(zip(bid.candidates, bid.words, strict=True))[0] == "nil"
    told = referee.game.told(referee.setup, referee.parse("Ann: bid nil"))
    assert told == "Ann bids nil: no trick at all."


def test_nobody_sits_across_from_one_of_three():
    with pytest.raises(Exception, match="no way to pass"):
        get_game("hearts").setup(FOUR[:3], {"pass": "across"})


# -- Whist, and revokes ----------------------------------------------------------------------------


def revoking(bot, rng, chance):
    """A bot that now and then does not follow although it could."""

    def play(state, seat, actions, _rng):
        held = state.held[seat] or ()
        others = [c for c in held if state.led is not None and c.suit != state.led]
        if actions[0].verb == "play" and others and rng.random() < chance:
            return public(seat, "play", rng.choice(others))
        return bot(state, seat, actions, rng)

    return play


def first_shown(plays, count, turned=()):
    """From the plays alone: for each revoke that the table shows, the events of both plays.

    `turned` is the seat of the dealer and the card that all have seen in that hand.
    """
    shown = {}
    for at, (n, seat, _) in enumerate(plays):
        trick = plays[at - at % count : at]
        led = trick[0][2].suit if trick else None
        if led is None or plays[at][2].suit == led:
            continue
        gone = [c for _, _, c in plays[:at]]
        if turned and turned[0] == seat and turned[1].suit == led and turned[1] not in gone:
            shown[n] = n
            continue
        later = [other for other, by, c in plays[at + 1 :] if by == seat and c.suit == led]
        if later:
            shown[n] = later[0]
    return shown


def test_every_revoke_is_found_as_soon_as_the_table_shows_it():
    """With an open referee and no recorded hand, by the plays alone."""
    found = matches = 0
    seed = 0
    while matches < REVOKED:
        seed += 1
        rng = random.Random(seed)
        game = GAMES[seed % len(GAMES)]
        options = {"target": "0", "pass": "hold"} if game.name == "hearts" else {"target": "0"}
        if game.name == "oh-hell":
            options["cards"] = "8"
        private_table = Referee(game, game.setup(FOUR, options))
        open_table = Referee(game, game.setup(FOUR, options))
        bots = [revoking(game.bots["sensible"], rng, 0.06)] * 4
        when = {}
        for event in play_events(private_table, bots, rng):
            private_table.accept(event)
            if event.verb == "hand":
                continue
            entry = open_table.accept(event)
            for finding in entry.findings:
                if "did not follow" in finding.message:
                    when[finding.event] = (finding.found_at, entry.n, finding.message)
            if private_table.state.table.match_over:
                break
        plays = [(p.n, p.seat, p.card) for p in open_table.state.plays]
        state = open_table.state
        whist = game.turned_owner(state) is not None
        expected = first_shown(plays, 4, (state.dealer, state.turned) if whist else ())
        assert {n: at for n, (at, _, _) in when.items()} == expected, seed
        for n, (at, line, message) in when.items():
            assert at == line
            assert f"({n})" in message
            assert f"({at})" in message
        found += len(expected)
        matches += bool(expected)
    print(f"{matches} matches with revokes, {found} of them found at once")


def test_revokes_with_recorded_hands_are_found_at_the_play_by_who_knows_the_hand():
    for game in GAMES:
        options = {"target": "0", **({"cards": "8"} if game.name == "oh-hell" else {})}
        referee = Referee(game, game.setup(FOUR, options))
        rng = random.Random(3)
        bots = [revoking(game.bots["sensible"], rng, 0.2)] * 4
        for event in play_events(referee, bots, rng):
            before = referee.state
            entry = referee.accept(event)
            if event.verb == "play" and before.led not in (None, event.args[0].suit):
                could = any(c.suit == before.led for c in before.held[event.seat])
                assert could == any("did not follow" in f.message for f in entry.findings)
            if referee.state.table.match_over:
                break


# -- Whist by brute force --------------------------------------------------------------------------


def whist_by_hand(hands, trump, plays, leader):
    """Tricks of each side, counted from the plays alone; asserts that each play was legal."""
    hands = [list(hand) for hand in hands]
    taken = [0, 0]
    order = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    for start in range(0, len(plays), 4):
        trick = plays[start : start + 4]
        assert [seat for seat, _ in trick] == [(leader + k) % 4 for k in range(4)]
        led = trick[0][1].suit
        for seat, played in trick:
            suits = {c.suit for c in hands[seat]}
            assert played.suit == led or led not in suits
            hands[seat].remove(played)
        best = max(
            trick,
            key=lambda one: (
                one[1].suit == trump, one[1].suit == led, order.index(one[1].rank_text)
            ),
        )  # fmt: skip
        leader = best[0]
        taken[leader % 2] += 1
    return taken


def test_whist_scores_what_a_count_by_hand_says():
    game = get_game("whist")
    for seed in range(40):
        rng = random.Random(seed)
        setup = game.setup(FOUR, {"target": "0", "starter": rng.choice(FOUR)}, trusted=True)
        referee = Referee(game, setup)
        bots = [game.bots[rng.choice(("random", "sensible"))] for _ in FOUR]
        for event in play_events(referee, bots, rng):
            state = referee.state
            for seat in game.actors(state) if state.plays else ():
                legal = {e.args[0] for e in game.legal(referee.knowledge(seat), seat)}
                held = set(state.held[seat])
                follow = {c for c in held if state.trick and c.suit == state.led}
                assert legal == (follow or held)
            referee.accept(event)
        state = referee.state
        plays = [(p.seat, p.card) for p in state.plays]
        taken = whist_by_hand(state.hands, state.turned.suit, plays, setup.first_starter)
        points = [max(0, count - 6) for count in taken]
        assert state.table.scores == (*points, *points)
        assert state.turned in state.hands[state.dealer]


# -- the camera ------------------------------------------------------------------------------------


@pytest.mark.parametrize("late", [False, True])
def test_a_whole_deal_is_recorded_by_the_camera_alone(late):
    """Cards come to lie in the middle; the four leave it, some only when the next one is led."""
    played = table("whist", starter="Cy", target="0")
    for event in play_events(played, [played.game.bots["sensible"]] * 4, random.Random(8)):
        played.accept(event)
        if played.state.table.match_over:
            break
    plays = played.state.plays
    referee = table("whist", f"table: trump {played.state.turned}", starter="Cy", target="0")

    def record(event):
        referee.accept(event)
        return True

    watched = WatchedMatch(lambda: referee, record)
    lying = []
    for at, play in enumerate(plays):
        if at % 4 == (1 if late else 0):
            lying = lying[4:] if late else []
        lying.append(Seen(play.card, "trick", since=float(at)))
        watched.see(lying, now=at + 0.5, in_sight={one.card for one in lying})
        assert watched.question is None, (at, watched.question)
        assert len(referee.state.plays) == at + 1
    assert [p.card for p in referee.state.plays] == [p.card for p in plays]
    assert referee.state.table.scores == played.state.table.scores


class MiddleCamera:
    """Four sit around a table before a camera that may look from any side.

    Args:
        referee: of the match.
        off: how far the middle of the tricks is from that of the picture, in heights of a card.
        turned: by how many seats the first player sits away from the picture's lower edge.
    """

    def __init__(self, referee, off=(0.0, 0.0), turned=0):
        self.referee, self.off, self.turned = referee, off, turned
        self.watched = WatchedMatch(lambda: self.referee, self.record)
        self.now, self.asked = 0.0, 0
        self.lying = []

    def record(self, event):
        self.referee.accept(event)
        return True

    def spot(self, seat, far=0.7, askew=0.0):
        x, y = direction(seat + self.turned, 4)
        (dx, dy), turn = self.off, pi * (seat + self.turned) / 2 + askew
        return Spot(far * x + dx, far * y + dy, turn % pi)

    def lay(self, code, spot):
        """A card comes to lie there; returns the question that is put."""
        if len(self.lying) == 4:
            self.lying = []
        self.now += 1
        self.lying.append(Seen(card(code), "trick", since=self.now, spot=spot))
        self.watched.see(self.lying, now=self.now, in_sight=[s.card for s in self.lying])
        return self.watched.question

    def play(self, event):
        """Somebody plays; if that is asked about, people say whose card it is."""
        count = len(self.referee.state.plays)
        question = self.lay(event.args[0].code, self.spot(event.seat))
        self.asked += question is not None
        plays = self.referee.state.plays
        if plays[count:] and plays[-1].seat != event.seat:
            self.asked += 1
            self.referee.accept("table: undo")
        if self.referee.state.plays[count:] == ():
            self.referee.accept(event)
            self.watched.see(self.lying, now=self.now, in_sight=())


def hearts_plays(seed):
    played = table("hearts", target="0")
    bots = [played.game.bots["sensible"]] * 4
    for event in play_events(played, bots, random.Random(seed)):
        played.accept(event)
        if event.verb == "play":
            yield event
        if played.state.table.match_over:
            return


@pytest.mark.parametrize("off", [(0.0, 0.0), (0.2, -0.1)])
def test_the_place_tells_who_leads_and_nothing_is_asked(off):
    camera = MiddleCamera(table("hearts", target="0", **{"pass": "hold"}), off)
    for event in hearts_plays(5):
        camera.play(event)
    assert camera.asked == 0
    assert camera.referee.state.table.match_over


@pytest.mark.parametrize(("off", "turned"), [((0.0, 0.0), 1), ((0.0, 0.0), 2), ((0.6, -0.9), 0)])
def test_a_camera_that_looks_from_elsewhere_asks_no_more_than_once(off, turned):
    camera = MiddleCamera(table("hearts", target="0", **{"pass": "hold"}), off, turned)
    for event in hearts_plays(6):
        camera.play(event)
    assert camera.asked <= 1
    assert camera.referee.state.table.match_over


@pytest.mark.parametrize("tricks", [0, 2])
def test_a_card_before_another_seat_is_a_question(tricks):
    """Whether people were watched before or are only expected there."""
    camera = MiddleCamera(table("hearts", target="0", **{"pass": "hold"}))
    plays = list(hearts_plays(7))
    for event in plays[: 4 * tricks + 1]:
        camera.play(event)
    turn = camera.referee.state.table.to_move
    event = plays[4 * tricks + 1]
    assert event.seat == turn
    across = (turn + 2) % 4
    question = camera.lay(event.args[0].code, camera.spot(across))
    assert question.event == event
    assert [p.event.seat for p in question.proposals] == [turn, across]
    assert question.proposals[1].error is not None
    assert len(camera.referee.state.plays) == 4 * tricks + 1


@pytest.mark.parametrize(
    ("far", "askew"), [(0.05, 0.0), (2.0, 0.0), (0.7, 1.2)], ids=["middle", "far off", "askew"]
)
def test_a_place_that_is_not_clear_says_nothing(far, askew):
    """In the very middle, far away, or turned as that seat would not lay it."""
    camera = MiddleCamera(table("hearts", target="0", **{"pass": "hold"}))
    question = camera.lay("2C", camera.spot(2, far, askew))
    assert sorted(p.event.seat for p in question.proposals) == [0, 1, 2, 3]
    assert question.event.seat == 2, "the nearest comes first"
    camera.referee.accept("Bo: play 2C")
    assert camera.lay("3C", camera.spot(1, far, askew)) is None
    assert len(camera.referee.state.plays) == 2
