"""Trick-taking games: rules that random play does not reach, revokes, and Whist by brute force."""

import os
import random
from dataclasses import dataclass
from itertools import pairwise
from math import pi

import pytest

from companion.cards import Card, Spot, card, parse_cards
from companion.core.audit import audit
from companion.core.events import public
from companion.core.game import unknowns
from companion.core.layout import direction
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.core.state import FindingKind
from companion.core.watched_match import WatchedMatch
from companion.errors import HiddenError, IllegalError
from companion.games.tricks import GAMES
from companion.games.tricks.state import Law
from companion.notepad.base import open_notepad
from companion.simulate import play_events

FOUR = ("Ann", "Bo", "Cy", "Dee")
#: Simulated matches with revokes; each game gets its share.
REVOKED = int(os.environ.get("REVOKES", "40"))


def table(name, *lines, players=FOUR, trusted=False, **options):
    game = get_game(name)
    setup = game.setup(players, options, trusted=trusted)
    referee = Referee(game, setup)
    for line in lines:
        referee.accept(line)
    return referee


# -- the family ------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_declaration_overrides_what_the_kernel_asks(game):
    """The games differ in hooks alone: a misspelt one would be a new name."""
    own = {name for name in vars(type(game)) if not name.startswith("_")}
    allowed = {*dir(Law), "info", "options", "presets", "begins", "most"}
    assert own <= allowed


# -- Hearts ----------------------------------------------------------------------------------------


def test_cards_passed_are_read_by_who_gets_them_after_passing_too():
    referee = table("hearts", "Ann*: hand AS KS QS 2H 3H 4H 5H 6H 7H 8H 9H 10H JH",
                    "Bo*: hand AH KH QH 2D 3D 4D 5D 6D 7D 8D 9D 10D JD",
                    "Ann*: pass AS KS QS", **{"pass": "left"})  # fmt: skip
    line = referee.view(1).log[-1].text
    assert line == "Ann*: pass …"
    assert "QS" not in str(referee.view(1).as_dict())
    referee.accept("Bo*: pass AH KH QH")
    assert "AS KS QS" in referee.view(1).log[2].text
    assert set(parse_cards("AS KS QS")) <= set(referee.knowledge(1).held[1])
    assert "QS" not in str(referee.view(2).as_dict())
    pad = open_notepad(referee.game, referee.view(0))
    assert pad.chances()["hands"]["Bo"]["QS"] == 1
    assert pad.why("QS", "Bo").text == "Bo holds QS (3)"
    referee.accept("table: undo")
    assert "QS" not in str(referee.view(1).as_dict())


def test_a_hand_that_is_recorded_has_to_pass_before_play():
    referee = table("hearts", "Ann*: hand AS KS QS 2H 3H 4H 5H 6H 7H 8H 9H 10H JH")
    with pytest.raises(IllegalError, match="Ann passes first"):
        referee.accept("Bo: play 2C")
    referee.accept("Ann*: pass 2H 3H 4H")
    referee.accept("Bo: play 2C")
    with pytest.raises(IllegalError, match="before the first card"):
        referee.accept("Bo*: pass 2D 3D 4D")


@pytest.mark.parametrize(
    ("players", "cards", "first"), [(3, 51, "2C"), (4, 52, "2C"), (5, 50, "3C")]
)
def test_twos_are_left_out_so_that_all_cards_are_dealt(players, cards, first):
    game = get_game("hearts")
    state = game.initial(game.setup([*FOUR, "Eve"][:players]))
    assert len(state.deck) == cards
    assert len(state.deck) % players == 0
    assert game.first_card(state) is card(first)


@pytest.mark.parametrize(
    ("players", "ways"), [(4, "left right across hold left"), (3, "left right hold left right")]
)
def test_the_way_to_pass_changes_from_match_to_match(players, ways):
    referee = table("hearts", players=FOUR[:players], target="0")
    places = {"left": 1, "right": players - 1, "across": 2, "hold": 0}
    for way in ways.split():
        assert referee.game.passes_to(referee.state) == places[way]
        referee.accept("table: agree")
        referee.accept("table: match")


def test_nobody_sits_across_from_one_of_three():
    with pytest.raises(Exception, match="no way to pass"):
        get_game("hearts").setup(FOUR[:3], {"pass": "across"})


@pytest.mark.parametrize(
    ("options", "scores"),
    [({}, (0, 26, 26, 26)), ({"moon": "self"}, (-26, 0, 0, 0)),
     ({"jack": "yes"}, (-10, 26, 26, 26))],
)  # fmt: skip
def test_all_points_for_one(options, scores):
    referee = table("hearts", "Ann: play 2C", "Bo: play 3C", "Cy: play 4C", "Dee: play 5C",
                    "Ann: claim 12", target="0", **{"pass": "hold"}, **options)  # fmt: skip
    assert referee.state.table.scores == scores


# -- Spades ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bids", "claimer", "scores"),
    [
        ("4 3 2 3", "Ann", (67, -60)),  # 6 bid, 13 taken: 60 and 7 bags
        ("13 nil nil 1", "Ann", (130 - 100 + 100, 100 - 10)),  # Cy's nil is made, Bo's too
        ("nil 3 2 3", "Ann", (20 + 11 - 100 - 100, -60)),  # missed; eleven bags cost at once
    ],
)
def test_a_side_is_scored_by_bid_nil_and_bags(bids, claimer, scores):
    lines = [f"{name}: bid {bid}" for name, bid in zip(FOUR, bids.split(), strict=True)]
    lines += ["Ann: play AD", "Bo: play 2D", "Cy: play 3D", "Dee: play 4D", f"{claimer}: claim 12"]
    referee = table("spades", *lines, target="0")
    ann, bo, cy, dee = referee.state.table.scores
    assert (ann, bo) == (cy, dee)
    if bids.startswith("13"):
        assert (ann, bo) == (130 + 100, 10 * -1 + 100)
    else:
        assert (ann, bo) == scores


def test_bags_are_kept_from_match_to_match():
    lines = [f"{name}: bid 1" for name in FOUR]
    play = ["{0}: play AD", "{1}: play 2D", "{2}: play 3D", "{3}: play 4D", "{0}: claim 12"]
    referee = table("spades", *lines)
    for line in play:
        referee.accept(line.format(*FOUR))
    assert referee.state.kept == (1, 0, 1, 0)  # eleven bags: ten are gone
    assert referee.state.table.scores == (20 + 11 - 100, -20, 20 + 11 - 100, -20)
    referee.accept("table: match")
    assert referee.state.kept == (1, 0, 1, 0)
    assert referee.state.table.starter == 1


# -- Oh Hell ---------------------------------------------------------------------------------------


def test_the_number_of_cards_goes_up_and_down_and_ends_the_game():
    game = get_game("oh-hell")
    referee = Referee(game, game.setup(FOUR))
    sizes = []
    for event in play_events(referee, [game.bots["sensible"]] * 4, random.Random(1)):
        referee.accept(event)
        if referee.state.table.match_over:
            sizes.append(referee.state.size)
    assert sizes == [*range(1, 11), *range(9, 0, -1)]
    with pytest.raises(IllegalError, match="over"):
        referee.accept("table: match")


def test_the_last_bid_may_not_make_all_bids_fit():
    bids = ("Ann: bid 2", "Bo: bid 0", "Cy: bid 2")
    referee = table("oh-hell", "table: trump 2C", *bids, cards="5")
    with pytest.raises(IllegalError, match="anything but 1"):
        referee.accept("Dee: bid 1")
    referee.accept("Dee: bid 2")
    agreed = table("oh-hell", "table: trump 2C", *bids, cards="5", hook="no")
    agreed.accept("Dee: bid 1")


def test_there_are_no_trumps_when_all_cards_are_dealt():
    referee = table("oh-hell", cards="13")
    with pytest.raises(IllegalError, match="No card is turned up"):
        referee.accept("table: trump 2C")
    referee.accept("Ann: bid 13")
    assert referee.state.trump is None


# -- Whist, and revokes ----------------------------------------------------------------------------


def test_the_dealers_card_is_known_until_it_is_played():
    referee = table("whist", "table: trump 9C", "Ann: play 2C", "Bo: play 3C", "Cy: play AC")
    pad = open_notepad(referee.game, referee.view(None))
    assert pad.chances()["hands"]["Dee"]["9C"] == 1
    entry = referee.accept("Dee: play 4H")
    (finding,) = entry.findings
    assert finding.kind is FindingKind.IMPOSSIBLE
    assert finding.message == "Dee did not follow clubs in trick 1 (5), but holds 9C (1)."


def test_a_revoke_is_named_with_both_plays_and_costs_three_tricks():
    lines = ["table: trump 9D", "Ann: play 2H", "Bo: play 3C", "Cy: play AH", "Dee: play 4H",
             "Cy: play 2S", "Dee: play 3S", "Ann: play KS"]  # fmt: skip
    for revoke in ("none", "three"):
        referee = table("whist", *lines, target="0", revoke=revoke)
        entry = referee.accept("Bo: play 9H")
        (finding,) = entry.findings
        said = "Bo did not follow hearts in trick 1 (3) and plays 9H in trick 2 (9)."
        assert (finding.message, finding.event, finding.found_at) == (said, 3, 9)
        assert [fault.message for fault in audit(referee)] == [said]
        referee.accept("Ann: claim 11")
        assert referee.state.table.scores == (7, 0, 7, 0)  # Bo's side has no trick to give
    referee = table("whist", *lines[:3], "Cy: play 4H", "Dee: play AH", "Dee: play 2S",
                    "Ann: play 3S", "Bo: play 9H", target="0", revoke="three")  # fmt: skip
    referee.accept("Cy: play 4S")
    referee.accept("Dee: claim 11")
    assert [referee.state.tricks_of(seat) for seat in range(4)] == [4, 9, 4, 9]


def test_a_trusted_player_may_not_revoke_and_only_that_player_reads_why():
    hand = "Ann*: hand AS KS QS 2H 3H 4H 5H 6H 7H 8H 9H 10H JH"
    lines = ["table: trump 9C", "Bo: play 2S", "Cy: play 3S", "Dee: play 4S"]
    setup = {"trusted": (True, False, False, False), "starter": "Bo", "target": "0"}
    referee = table("whist", hand, *lines, **setup)
    with pytest.raises(HiddenError) as told:
        referee.accept("Ann: play 2H")
    assert "Ann" in told.value.message
    assert "spades" not in told.value.message
    tried = referee.log[-1]
    assert tried.error_for(0).message == "Ann has spades: follow suit."
    assert isinstance(tried.error_for(1), HiddenError)
    referee.accept("Ann: play QS")


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


def test_a_card_in_the_middle_is_the_next_players():
    referee = table("whist", "table: trump 9C", "Ann: play 2H")
    (proposal,) = referee.proposals(SeenCard(card("3H"), "trick"))
    assert proposal.event == public(1, "play", card("3H"))
    assert proposal.is_clean
    assert referee.proposals(SeenCard(card("2H"), "trick")) == ()
    for name, code in zip(("Bo", "Cy", "Dee"), ("3H", "AH", "4H"), strict=True):
        referee.accept(f"{name}: play {code}")
    # The four lie there until they are taken in.
    assert referee.proposals(SeenCard(card("AH"), "trick")) == ()
    (proposal,) = referee.proposals(SeenCard(card("KH"), "trick"))
    assert proposal.event.seat == 2


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
        lying.append(SeenInMiddle(play.card, since=float(at)))
        watched.see(lying, now=at + 0.5, in_sight={one.card for one in lying})
        assert watched.question is None, (at, watched.question)
        assert len(referee.state.plays) == at + 1
    assert [p.card for p in referee.state.plays] == [p.card for p in plays]
    assert referee.state.table.scores == played.state.table.scores


@dataclass(frozen=True, slots=True)
class SeenInMiddle:
    """A card that the camera reads in the middle."""

    card: Card
    since: float
    zone: str = "trick"
    confidence: float = 0.99
    alternatives: tuple = ()
    change: str = "laid"
    lying: tuple = ()
    settled: bool = True
    upon: None = None
    spot: Spot | None = None
    seats: tuple[int, ...] = ()
    was: None = None


def test_the_card_turned_up_is_seen_by_the_camera():
    referee = table("oh-hell", cards="3")
    (proposal,) = referee.proposals(SeenCard(card("3H"), "trump"))
    assert proposal.event == public(None, "trump", card("3H"))


def test_the_camera_asks_who_had_the_card_that_leads():
    referee = table("hearts", **{"pass": "hold"})
    found = referee.proposals(SeenCard(card("2C"), "trick"))
    assert sorted(proposal.event.seat for proposal in found) == [0, 1, 2, 3]


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
        self.lying.append(SeenInMiddle(card(code), since=self.now, spot=spot))
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


def test_seats_show_what_was_bid_and_taken():
    referee = table("spades", *[f"{name}: bid {n}" for n, name in enumerate(FOUR)])
    game, state = referee.game, referee.state
    assert [game.standing(state, seat) for seat in range(2)] == ["bid nil, took 0", "bid 1, took 0"]


def test_tricks_taken_and_hands_are_counted_in_their_zones():
    referee = table("whist", "table: trump 9C", "Ann: play 2H", "Bo: play 3H", "Cy: play AH",
                    "Dee: play 4H", "Cy: play 2S")  # fmt: skip
    zones = {zone.name: zone for zone in referee.game.zones(referee.state)}
    assert zones["trick"].cards == (card("2S"),)
    assert zones["taken:3"].cards == unknowns(4)
    assert len(zones["hand:3"].cards) == 11
    assert all(a.n < b.n for a, b in pairwise(referee.state.plays))
