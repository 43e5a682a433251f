"""The rules of Deduction, sentence by sentence, and its search for contradictions."""

import random
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.cards import Family, card, family_cards
from companion.core.events import Event, private, public
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.errors import CompanionError
from companion.games.deduction.audit import facts_of, find_witness, knowledge_of
from companion.games.deduction.bots import candidates
from companion.games.deduction.engine.facts import TileCount
from companion.games.deduction.state import face_name, number_of, read_face
from companion.notepad.facts import CardAt
from tests.companion.secretly import refused_in_secret

GAME = get_game("deduction")
TILES = family_cards(Family.TILE)
#: Eight tiles: two in each of three hands, one up, one missing.
SMALL = tuple(card(code, Family.TILE) for code in ("0S", "AS", "2S", "0M", "AM", "2M", "0C", "AC"))
NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve")


def referee(players=3, trusted=False, cards=None, **options):
    return Referee(GAME, GAME.setup(NAMES[:players], options, trusted=trusted, cards=cards))


def tile(code):
    return card(code, Family.TILE)


def found(desk, viewer=-1):
    state = desk.state if viewer == -1 else desk.knowledge(viewer)
    return [(f.event, f.kind.value) for f in state.findings]


def accept(desk, *lines):
    for line in lines:
        desk.accept(line)


def trusted_table(**options):
    desk = referee(trusted=True, **options)
    accept(
        desk,
        "table: up 0S AS",
        "Ann*: hand 2S 3S 4S 5S 0M AM 2M",
        "Bo*: hand 3M 4M 5M 0C AC 2C 3C",
        "Cy*: hand 4C 5C 0H AH 2H 3H 5H",
    )
    return desk


# -- set-up --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "hand", "up"), [(3, 7, 2), (4, 5, 3), (5, 4, 3)])
def test_the_tiles_are_dealt_evenly(players, hand, up):
    desk = referee(players)
    assert (desk.state.hand_size, desk.state.left_over) == (hand, up)
    zones = {zone.name: zone for zone in GAME.zones(desk.state)}
    tiles = [zone for name, zone in zones.items() if name not in ("coin", "bag")]
    assert sum(len(zone.cards) for zone in tiles) == 24
    assert len(zones["coin"].cards) + len(zones["bag"].cards) == 24


@pytest.mark.parametrize("players", [2, 6])
def test_number_of_players(players):
    with pytest.raises(CompanionError, match="3 to 5"):
        GAME.setup([f"P{i}" for i in range(players)])


def test_too_few_tiles():
    with pytest.raises(CompanionError, match="too few"):
        referee(cards=SMALL[:3])


@pytest.mark.parametrize(
    ("text", "face"),
    [
        ("Suns", "Suns"),
        ("sun", "Suns"),
        ("Arms", "Shields"),
        ("Blank", "Blank"),
        ("null", "Blank"),
        ("0", "Blank"),
        ("aces", "Ace"),
        ("3s", "3"),
        ("3's", "3"),
        ("5", "5"),
    ],
)
def test_what_can_be_asked_about(text, face):
    assert read_face(text) == face


@pytest.mark.parametrize("text", ["6", "Stars", "", "3S", "10"])
def test_what_cannot_be_asked_about(text):
    with pytest.raises(CompanionError, match="is none of"):
        read_face(text)


def test_numbers_of_a_face_in_words():
    face = tile("4?")
    assert [number_of(n, face) for n in (0, 1, 2, 9)] == ["no 4s", "one 4", "two 4s", "9 4s"]
    assert number_of(1, tile("?C")) == "one Crown"
    assert face_name(tile("0?")) == "Blank"


# -- a turn --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "answer", "bounds"),
    [
        ("have 3", "yes", (1, 24)),
        ("have Suns", "no", (0, 0)),
        ("count 3", "2", (2, 2)),
        ("count Suns", "0", (0, 0)),
    ],
)
def test_the_four_questions_that_the_3_of_suns_allows(question, answer, bounds):
    desk = referee()
    accept(desk, "Ann: coin 3S", f"Ann: ask Bo {question}", f"Bo: {answer}")
    assert desk.state.questions[-1].bounds == bounds


@pytest.mark.parametrize("what", ["Moons", "Crowns", "Shields", "Blank", "Ace", "2", "4", "5"])
def test_no_other_question_is_allowed(what):
    desk = referee()
    desk.accept("Ann: coin 3S")
    for kind in ("have", "count"):
        with pytest.raises(CompanionError, match="allows questions about Suns or 3"):
            desk.accept(f"Ann: ask Bo {kind} {what}")


@pytest.mark.parametrize(
    ("lines", "text", "message"),
    [
        ([], "Bo: coin 3S", "Ann's turn"),
        ([], "Ann: coin 3?", "both"),
        ([], "Ann: coin ?S", "both"),
        ([], "Ann: ask Bo have 3", "Draw a coin"),
        ([], "Ann: done", "draw and ask"),
        ([], "Ann: announce 3S", "draw and ask"),
        ([], "Bo: yes", "no question"),
        ([], "table: right", "Nothing was announced"),
        ([], "Ann*: peek 3S", "announced nothing"),
        ([], "Ann*Bo: show 3S", "after a Yes"),
        ([], "table: up 0S", "2 tiles are left over"),
        ([], "Ann*: hand 0S", "dealt 7"),
        ([], "Ann: reveal 0S AS 2S 3S 4S 5S 0M AM", "holds 7"),
        (["Ann: coin 3S"], "Ann: coin 3S", "is drawn"),
        (["Ann: coin 3S"], "Ann: ask Ann have 3", "not yourself"),
        (["Ann: coin 3S"], "Ann: done", "draw and ask"),
        (["Ann: coin 3S", "Ann: ask Bo have 3"], "Cy: yes", "put to Bo"),
        (["Ann: coin 3S", "Ann: ask Bo have 3"], "Bo: 2", "wants yes or no"),
        (["Ann: coin 3S", "Ann: ask Bo count 3"], "Bo: yes", "wants a number"),
        (["Ann: coin 3S", "Ann: ask Bo count 3"], "Ann: done", "yet to answer"),
        (["Ann: coin 3S", "Ann: ask Bo count 3", "Bo: 1"], "Ann: ask Cy have 3", "One question"),
        (["Ann: coin 3S", "Ann: ask Bo have 3", "Bo: yes"], "Ann: done", "shows Ann a matching"),
        (["Ann: coin 3S", "Ann: ask Bo have 3", "Bo: yes"], "Bo*Ann: show 4S", "must match"),
        (["Ann: coin 3S", "Ann: ask Bo have 3", "Bo: yes"], "Bo*Cy: show 3S", "to Ann alone"),
        (["Ann: coin 3S", "Ann: ask Bo have 3", "Bo: yes"], "Cy*Ann: show 3S", "Bo said Yes"),
        (
            ["Ann: coin 3S", "Ann: ask Bo have 3", "Bo: yes"],
            "Bo: show 3S",
            "Only [A-Z][a-z]+ .*may",
        ),
        (["Ann: coin 3S", "Ann: ask Bo have 3", "Bo: yes"], "Bo*: show 3S", r"Bo\*Cy: show"),
        (["Ann: coin 3S", "Ann: ask Bo count 3", "Bo: 1"], "Ann: announce 3?", "particular tile"),
        (
            ["Ann: coin 3S", "Ann: ask Bo count 3", "Bo: 1", "Ann: announce 3S"],
            "Ann: done",
            "verdict",
        ),
    ],
)
def test_refusals_say_which_rule(lines, text, message):
    desk = referee()
    accept(desk, *lines)
    with pytest.raises(CompanionError, match=message):
        desk.accept(text)


def test_only_the_asker_sees_the_tile_that_is_shown():
    desk = referee(4)
    accept(desk, "Ann: coin 3S", "Ann: ask Bo have 3", "Bo: yes", "Bo*Ann: show 3M")
    for viewer, sees in ((None, False), (0, True), (1, True), (2, False), (3, False)):
        view = desk.view(viewer)
        zones = {zone.name: zone for zone in view.zones}
        assert (tile("3M") in zones["hand:2"].cards) == sees
        assert ("3M" in view.log[-1].text) == sees
        assert len(zones["hand:2"].cards) == 5


# -- announcements -------------------------------------------------------------------------------


def announce(desk, seat, code, verdict):
    name, other = NAMES[seat], NAMES[(seat + 1) % len(desk.setup.players)]
    accept(desk, f"{name}: coin 5C", f"{name}: ask {other} count 5", f"{other}: 1")
    accept(desk, f"{name}: announce {code}", f"table: {verdict}")


def test_a_tile_that_lies_face_up_is_not_announced():
    desk = referee()
    accept(desk, "table: up 0S AS", "Ann: coin 5C", "Ann: ask Bo count 5", "Bo: 1")
    with pytest.raises(CompanionError, match="lies face up, so it is not the missing tile"):
        desk.accept("Ann: announce 0S")
    accept(desk, "Ann: announce 4H", "table: right")


def test_who_is_wrong_asks_no_more_but_answers():
    desk = referee()
    announce(desk, 0, "4H", "wrong")
    assert (desk.state.table.to_move, desk.state.out) == (1, frozenset({0}))
    standing = [GAME.standing(desk.knowledge(None), seat) for seat in range(3)]
    assert standing == ["out, still answers", "", ""]
    accept(desk, "Bo: coin 3S", "Bo: ask Ann count 3", "Ann: 1", "Bo: done")
    accept(desk, "Cy: coin 3S", "Cy: ask Ann count 3", "Ann: 1", "Cy: done")
    assert desk.state.table.to_move == 1  # Ann is skipped


def test_the_tile_stays_hidden_after_a_wrong_announcement_but_for_the_peek():
    desk = referee()
    announce(desk, 0, "4H", "wrong")
    desk.accept("Ann*: peek 5H")
    shown = {
        viewer: next(zone for zone in desk.view(viewer).zones if zone.name == "missing").cards[0]
        for viewer in (None, 0, 1, 2)
    }
    assert shown == {None: tile("??"), 0: tile("5H"), 1: tile("??"), 2: tile("??")}
    assert candidates(desk.knowledge(0)) == [tile("5H")]
    assert len(candidates(desk.knowledge(1))) == 23
    with pytest.raises(CompanionError, match="recorded already"):
        desk.accept("Ann*: peek 5H")


def test_a_peek_is_accepted_after_the_end():
    desk = referee()
    announce(desk, 0, "4H", "right")
    assert desk.accept("Ann*: peek 4H").findings == ()


def test_the_start_passes_clockwise_and_wins_are_counted():
    desk = referee(starter="Cy")
    announce(desk, 2, "4H", "right")
    desk.accept("table: match")
    assert (desk.state.table.to_move, desk.state.questions) == (0, ())
    announce(desk, 0, "4H", "right")
    assert desk.state.table.scores == (1, 0, 1)


# -- trusted -------------------------------------------------------------------------------------


def test_a_trusted_referee_answers_and_judges_by_itself():
    desk = trusted_table()
    accept(desk, "Ann: coin 5C", "Ann: ask Bo have 5")
    assert next(entry.event for entry in desk.follow_up()).verb == "yes"
    assert desk.log[-1].event.args == (tile("5M"),)  # the only one that can be shown
    accept(desk, "Ann: announce 4H")
    (verdict,) = desk.follow_up()
    assert (verdict.event.verb, desk.state.table.winners) == ("right", (0,))


def test_who_has_several_matching_tiles_chooses_which_to_show():
    desk = trusted_table()
    accept(desk, "Ann: coin 5C", "Ann: ask Bo have Crowns")
    assert [entry.event.verb for entry in desk.follow_up()] == ["yes"]
    assert GAME.actors(desk.state) == (1,)
    shows = list(GAME.legal(desk.knowledge(1), 1))
    assert [event.args[0].code for event in shows] == ["0C", "AC", "2C", "3C"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("have 5", "no"), ("have Suns", "yes"), ("count 5", "2"), ("count 5", "0")],
)
def test_a_trusted_players_false_answer_is_refused(question, answer):
    desk = trusted_table()
    accept(desk, "Ann: coin 5S", f"Ann: ask Bo {question}")
    refused_in_secret(desk, f"Bo: {answer}", 1, "says otherwise")


def test_a_trusted_player_shows_only_tiles_of_the_hand():
    desk = trusted_table()
    accept(desk, "Ann: coin 5S", "Ann: ask Bo have 5", "Bo: yes")
    with pytest.raises(CompanionError, match="no 5H"):
        desk.accept("Bo*Ann: show 5H")
    desk.accept("Bo*Ann: show ??")


def test_false_verdicts_are_refused_where_trusted_hands_settle_them():
    desk = trusted_table()
    accept(desk, "Ann: coin 5S", "Ann: ask Bo count 5", "Bo: 1", "Ann: announce 5H")
    refused_in_secret(desk, "table: right", 2, "it is wrong")
    accept(desk, "table: wrong", "Bo: coin 5S", "Bo: ask Ann count 5", "Ann: 1")
    desk.accept("Bo: announce 4H")
    with pytest.raises(CompanionError, match="recorded in secret"):
        desk.accept("table: wrong")


def test_a_trusted_hand_comes_before_the_first_answer_or_turn():
    desk = Referee(GAME, GAME.setup(NAMES[:3], trusted=(True, True, False)))
    with pytest.raises(CompanionError, match="trusts the referee"):
        desk.accept("Ann: coin 5S")
    accept(desk, "Ann*: hand 2S 3S 4S 5S 0M AM 2M", "Ann: coin 5S", "Ann: ask Bo count 5")
    with pytest.raises(CompanionError, match="trusts the referee"):
        desk.accept("Bo: 1")


# -- open: findings ------------------------------------------------------------------------------


def test_a_false_no_is_named_with_both_facts_when_the_tile_turns_up():
    desk = referee(4)
    accept(desk, "Ann: coin 3S", "Ann: ask Bo have Suns", "Bo: no", "Ann: done")
    accept(desk, "Bo: coin 3S", "Bo: ask Cy count 3", "Cy: 1", "Bo: announce 0H", "table: wrong")
    desk.accept("Bo: reveal 3S")
    (finding,) = desk.state.findings
    assert (finding.event, finding.kind.value, finding.found_at) == (3, "false-answer", 10)
    assert finding.message == "Bo said no Suns (3), but 3S (3 of Suns) is in Bo's hand (10)."


@pytest.mark.parametrize(
    ("question", "answer", "false"),
    [
        ("have Suns", "no", True),
        ("count Suns", "1", True),
        ("count Suns", "3", True),
        ("count Suns", "2", False),
        ("have 3", "no", True),
        ("have 3", "yes", False),
        ("count 3", "0", True),
    ],
)
def test_the_audit_of_a_whole_hand(question, answer, false):
    desk = referee(4)
    accept(desk, "Ann: coin 3S", f"Ann: ask Bo {question}", f"Bo: {answer}")
    if answer == "yes":
        desk.accept("Bo*Ann: show ??")
    accept(desk, "Ann: done", "table: agree", "Bo: reveal 2S 3S 4M 5M 0C")
    assert found(desk) == ([(3, "false-answer")] if false else [])


def test_only_those_who_know_see_that_an_answer_is_false():
    desk = referee(4)
    accept(desk, "Bo*: hand 2S 3S 4M 5M 0C", "Ann: coin 3S", "Ann: ask Bo have 3", "Bo: no")
    assert found(desk) == found(desk, 1) == [(4, "false-answer")]
    assert found(desk, None) == found(desk, 0) == found(desk, 2) == []


def test_a_tile_shown_refutes_an_earlier_no_for_the_two_who_saw_it():
    desk = referee()
    accept(desk, "Ann: coin 3S", "Ann: ask Bo have Suns", "Bo: no", "Ann: done")
    accept(desk, "Bo: coin 3S", "Bo: ask Cy count 3", "Cy: 1", "Bo: done")
    accept(desk, "Cy: coin 3S", "Cy: ask Bo have 3", "Bo: yes", "Bo*Cy: show 3S")
    assert found(desk) == found(desk, 1) == found(desk, 2) == [(3, "false-answer")]
    assert found(desk, None) == found(desk, 0) == []


@pytest.mark.parametrize(
    ("lines", "event", "part"),
    [
        (["Ann: coin 3S", "Ann: ask Bo count Suns", "Bo: 7"], 3, "there are only six Suns"),
        (
            ["table: up 0S AS", "Ann: coin 3S", "Ann: ask Bo count Suns", "Bo: 5"],
            4,
            "0S is face up (1)",
        ),
        (
            [
                *("Ann: coin 3S", "Ann: ask Bo have Suns", "Bo: no", "Ann: done"),
                *("Bo: coin 3S", "Bo: ask Cy count 3", "Cy: 1", "Bo: done"),
                *("Cy: coin 3S", "Cy: ask Bo count Suns", "Bo: 1"),
            ],
            11,
            "it conflicts with Bo has no Suns (3).",
        ),
        (
            [
                *("Ann: coin 3S", "Ann: ask Bo count 3", "Bo: 3", "Ann: done"),
                *("Bo: coin 3S", "Bo: ask Cy count 3", "Cy: 2"),
            ],
            7,
            "it conflicts with Bo has three 3s (3).",
        ),
    ],
)
def test_impossible_answers_are_named_with_what_they_conflict_with(lines, event, part):
    desk = referee()
    accept(desk, *lines)
    (finding,) = desk.knowledge(None).findings
    assert (finding.event, finding.kind.value) == (event, "impossible")
    assert part in finding.message


def test_after_a_contradiction_the_rest_is_still_watched():
    desk = referee()
    accept(desk, "Ann: coin 3S", "Ann: ask Bo count Suns", "Bo: 7", "Ann: done")
    accept(desk, "Bo: coin 3S", "Bo: ask Cy count Suns", "Cy: 5", "Bo: done")
    accept(desk, "Cy: coin 3S", "Cy: ask Ann count Suns", "Ann: 2")
    assert found(desk) == [(3, "impossible"), (11, "impossible")]


def test_a_wrong_verdict_is_false_when_every_other_tile_is_seen():
    desk = referee()
    announce(desk, 0, "4H", "wrong")
    accept(
        desk,
        "table: agree",
        "Ann: reveal 2S 3S 4S 5S 0M AM 2M",
        "Bo: reveal 3M 4M 5M 0C AC 2C 3C",
        "Cy: reveal 4C 5C 0H AH 2H 3H 5H",
    )
    assert found(desk) == []  # the tiles turned up are not recorded yet
    desk = referee()
    desk.accept("table: up 0S AS")
    announce(desk, 0, "4H", "wrong")
    accept(
        desk,
        "Ann: reveal 2S 3S 4S 5S 0M AM 2M",
        "Bo: reveal 3M 4M 5M 0C AC 2C 3C",
        "Cy: reveal 4C 5C 0H AH 2H 3H 5H",
    )
    assert found(desk) == [(6, "false-answer")]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["table: up 0S AS", "Bo: reveal AS"], [(2, "duplicate-card")]),
        (["table: up 0S 0S"], [(1, "duplicate-card")]),
        (["Bo: reveal AS AS"], [(1, "duplicate-card")]),
        (["Ann*: hand 2S 3S 4S 5S 0M AM 2M", "Ann: reveal 0H"], [(2, "impossible")]),
        (["Ann: reveal 0H", "Ann*: hand 2S 3S 4S 5S 0M AM 2M"], [(2, "impossible")]),
        (["Ann*: hand 2S 3S 4S 5S 0M AM 2M", "Ann: reveal 2S 3S"], []),
    ],
)
def test_tiles_that_cannot_be(lines, expected):
    desk = referee()
    accept(desk, *lines)
    assert found(desk) == expected


def test_peeks_that_disagree():
    desk = referee()
    announce(desk, 0, "4H", "wrong")
    announce(desk, 1, "5H", "wrong")
    accept(desk, "Ann*: peek 3H", "Bo*: peek 2H")
    assert found(desk) == [(12, "impossible")]
    assert found(desk, 0) == found(desk, 1) == []


# -- sightings -----------------------------------------------------------------------------------


def test_a_coin_with_one_face_seen_could_be_any_that_has_it():
    desk = referee()
    whole = desk.proposals(SeenCard(card("3S", Family.COIN), "coin", 0.9))
    assert [p.event.args[0].code for p in whole] == ["3S"]
    half = desk.proposals(SeenCard(card("3?", Family.COIN), "coin", 0.8))
    assert [p.event.args[0].code for p in half] == ["3S", "3M", "3C", "3H"]
    assert half[0].confidence == pytest.approx(0.2)


def test_a_coin_turned_over_is_known_by_both_faces():
    desk = referee()
    value, suit = (card(code, Family.COIN) for code in ("3?", "?S"))
    for face, other in ((value, suit), (suit, value)):
        (whole,) = desk.proposals(SeenCard(face, "coin", 0.98, upon=(other, 0.99)))
        assert whole.event.args[0].code == "3S"
        assert whole.confidence == pytest.approx(0.98)
        # A face that was not sure by itself makes the coin less so.
        (whole,) = desk.proposals(SeenCard(face, "coin", 0.98, upon=(other, 0.9)))
        assert whole.confidence == pytest.approx(0.98 * 0.9)
    two_values = SeenCard(value, "coin", upon=(card("4?", Family.COIN), 0.99))
    assert len(desk.proposals(two_values)) == 4


def test_the_missing_tile_turned_up_is_the_verdict():
    desk = referee()
    accept(desk, "Ann: coin 3S", "Ann: ask Bo count 3", "Bo: 1", "Ann: announce 4H")
    (right,) = desk.proposals(SeenCard(tile("4H"), "missing"))
    (wrong,) = desk.proposals(SeenCard(tile("5H"), "missing"))
    assert (right.event.verb, wrong.event.verb) == ("right", "wrong")


def test_a_tile_before_the_asker_is_the_one_that_was_shown():
    desk = referee()
    accept(desk, "Ann: coin 3S", "Ann: ask Bo have 3", "Bo: yes")
    (good,) = desk.proposals(SeenCard(tile("3M"), "hand:1"))
    assert good.event == private(1, "show", tile("3M"), other=0)
    assert good.is_clean
    (bad,) = desk.proposals(SeenCard(tile("4M"), "hand:1"))
    assert "must match" in bad.error.message


# -- the search ----------------------------------------------------------------------------------


def deals(deck, players=3, size=2):
    """Every deal of a small deck as hands, tiles up and the missing one (with repetitions)."""
    seen = set()
    for order in permutations(deck):
        hands = tuple(frozenset(order[seat * size : (seat + 1) * size]) for seat in range(players))
        deal = (*hands, frozenset(order[players * size : -1]), frozenset(order[-1:]))
        if deal not in seen:
            seen.add(deal)
            yield deal


DEALS = list(deals(SMALL))


def holds(fact, deal, players):
    places = (*players, "face up", "the missing tile")
    if isinstance(fact, CardAt):
        return (fact.card in deal[places.index(fact.place)]) == fact.holds
    assert isinstance(fact, TileCount)
    number = sum(map(fact.what.matches, deal[places.index(fact.player)]))
    return fact.low <= number <= fact.high


@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_an_answer_is_called_impossible_exactly_when_no_deal_fits(seed):
    rng = random.Random(seed)
    desk = referee(cards=SMALL)
    coins = [c for c in family_cards(Family.COIN) if c.suit in "SMC" and c.rank < 3]
    for _ in range(6):
        seat = desk.state.table.to_move
        other = rng.choice([s for s in range(3) if s != seat])
        coin = rng.choice(coins)
        desk.accept(public(seat, "coin", coin))
        what = rng.choice([e for e in GAME.legal(desk.state, seat) if e.args[1] == "count"]).args
        desk.accept(public(seat, "ask", other, "count", what[2]))
        before = knowledge_of(desk.state)
        entry = desk.accept(public(other, "number", rng.choice((0, 1, 1, 2))))
        question = desk.state.questions[-1]
        fact = TileCount(
            player=NAMES[other], what=question.face, low=question.number, high=question.number
        )
        facts = (*before.facts, fact)
        possible = any(all(holds(f, deal, NAMES[:3]) for f in facts) for deal in DEALS)
        assert [f.kind.value for f in entry.findings] == ([] if possible else ["impossible"])
        desk.accept(public(seat, "done"))
    witness, possible = find_witness(desk.state)
    assert possible
    deck = desk.state.deck
    deal = [frozenset(t for i, t in enumerate(deck) if mask >> i & 1) for mask in witness]
    assert all(holds(fact, deal, NAMES[:3]) for fact in facts_of(desk.state))


# -- playouts ------------------------------------------------------------------------------------


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_exactly_the_lies_are_named_when_all_hands_are_turned_up(seed):
    rng = random.Random(seed)
    desk = referee(4)
    world = GAME.deal(desk.state, rng)
    desk.accept(public(None, "up", world.up))
    lies = []
    for _ in range(10):
        seat = desk.state.table.to_move
        desk.accept(public(seat, "coin", rng.choice(family_cards(Family.COIN))))
        desk.accept(rng.choice(list(GAME.legal(desk.state, seat))))
        question = desk.state.question
        number = sum(map(question.face.matches, world.hands[question.of]))
        lie = rng.random() < 0.2
        if question.count:
            said = number + 1 if lie else number
            entry = desk.accept(public(question.of, "number", said))
        else:
            yes = (number > 0) != lie
            entry = desk.accept(public(question.of, "yes" if yes else "no"))
            if yes:
                desk.accept(private(question.of, "show", tile("??"), other=question.by))
        if lie:
            lies.append(entry.n)
        desk.accept(public(seat, "done"))
    desk.accept("table: agree")
    for seat in range(4):
        desk.accept(Event("reveal", (world.hands[seat],), seat))
    false = sorted(event for event, kind in found(desk) if kind == "false-answer")
    assert false == lies
    if not lies:
        assert found(desk) == []
