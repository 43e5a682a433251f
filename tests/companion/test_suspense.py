"""The rules of Suspense that random play does not reach."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import Family, card, family_cards
from companion.core.audit import audit
from companion.core.events import public
from companion.core.notation import read_match, write_match
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.errors import IllegalError, UnreadableError
from companion.games.suspense.conditions import DEFAULT_CONDITIONS, EXCLAMATIONS
from companion.games.suspense.deckfile import read_conditions, write_conditions
from companion.games.suspense.state import Stage
from companion.simulate import play_events, simulate
from tests.companion.secretly import refused_in_secret

GAME = get_game("suspense")
DECK = family_cards(Family.SUSPENSE)
NAMES = ("Ann", "Bo", "Cy")


def one(code):
    return card(code, Family.SUSPENSE)


def desk(players=2, *, trusted=False, dealer="Ann", **options):
    referee = Referee(GAME, GAME.setup(NAMES[:players], options, trusted=trusted))
    if dealer:
        referee.accept(f"table: dealer {dealer}")
    return referee


def refused(referee, line, match):
    with pytest.raises(IllegalError, match=match):
        referee.accept(line)


def play(referee, *lines):
    for line in lines:
        referee.accept(line)


def moves(referee, text):
    """Turns in order, each a card or a verb: `W1 B5 pass fold`."""
    for word in text.split():
        name = referee.setup.players[referee.state.table.to_move]
        verb = word in ("pass", "fold", "stay")
        referee.accept(f"{name}: {word if verb else 'play ' + word}")


def kinds(referee):
    return [(fault.event, fault.kind) for fault in audit(referee)]


# -- set-up --------------------------------------------------------------------------------------


def test_each_match_begins_with_its_dealer():
    referee = desk(dealer=None)
    for line in ("Ann: play W1", "Ann*: hand W1 W2 W3 W4 W5 W6", "Ann: pass", "Ann: fold"):
        refused(referee, line, "The dealer is named first")
    referee.accept("table: dealer Bo")
    assert referee.state.table.to_move == referee.state.table.starter == 1
    refused(referee, "table: dealer Ann", "Bo deals it")


def test_the_deal_passes_clockwise():
    referee = desk(3, dealer="Cy")
    refused(referee, "table: match", "not over yet")
    moves(referee, "W6 B6 W5 W4 stay stay stay")
    referee.accept("table: secret B2")
    refused(referee, "table: dealer Cy", "Ann deals this match")
    referee.accept("table: dealer Ann")
    assert (referee.state.table.match, referee.state.table.starter) == (2, 0)


def test_a_match_named_by_match_needs_no_dealer_line_and_takes_one():
    referee = desk(3, dealer="Cy")
    moves(referee, "W6 B6 W5 W4 stay stay stay")
    play(referee, "table: secret B2", "table: match Bo")
    refused(referee, "table: dealer Ann", "Bo deals")
    referee.accept("table: dealer Bo")
    refused(referee, "table: dealer Bo", "Bo deals it")
    moves(referee, "W1")


@pytest.mark.parametrize("begins", ["table: dealer Bo", "table: match Bo"])
@pytest.mark.parametrize("when", [1, 2])
def test_a_folded_hand_stays_folded_in_the_next_match(begins, when):
    """However that begins, and whether all was disclosed before or after it."""
    referee = desk()
    play(referee, "Ann*: hand W1 W2 W3 W4 W5 W6", "Bo*: hand B1 B2 B3 B4 B5 B6")
    moves(referee, "W6 B6 W5 stay fold")
    play(referee, "table: secret !", *["table: disclose"] * (when == 1), begins)
    moves(referee, "W6 B6 W5 stay stay")
    play(referee, "table: secret !", *["table: disclose"] * (when == 2))
    read = [line.text for line in referee.view(None).log if "hand" in line.text]
    assert read == ["Ann*: hand W1 W2 W3 W4 W5 W6", "Bo*: hand …"]
    assert referee.state.disclosed_to


@pytest.mark.parametrize(("players", "size", "limit"), [(2, 6, 15), (3, 4, 20)])
def test_hands_and_limits(players, size, limit):
    referee = desk(players)
    assert (referee.state.hand_size, referee.state.limit) == (size, limit)
    zones = {zone.name: len(zone.cards) for zone in GAME.zones(referee.state)}
    assert sum(zones.values()) == 13
    assert zones["secret"] == 1
    refused(referee, "Ann*: hand W1", f"was dealt {size} cards, not 1")


def test_only_the_dealer_may_look_and_nobody_else_is_told():
    referee = desk()
    refused(referee, "Bo*: secret W1", "Only the dealer, Ann")
    refused(referee, "Ann: secret W1", "turned up by nobody")
    refused(referee, "table: secret W1", "everybody has declared")
    referee.accept("Ann*: secret W1")
    refused(referee, "Ann*: secret W2", "looked at the secret card already")
    zones = [GAME.zones(referee.knowledge(viewer))[-1].cards[0].code for viewer in (0, 1, None)]
    assert zones == ["W1", "??", "??"]
    assert referee.knowledge(1).look.card is None


def test_trusting_players_give_whole_hands_before_their_first_turn():
    referee = desk(trusted=True)
    refused(referee, "Ann: play W1", "hand CARDS")
    refused(referee, "Ann*: hand W1 W2 W3 W4 W5 ??", "names every card")
    referee.accept("Ann*: hand W1 W2 W3 W4 W5 W6")
    referee.accept("Ann: play W1")
    refused(referee, "Bo: play B1", "hand CARDS")


# -- turns ---------------------------------------------------------------------------------------


def test_on_the_first_turn_a_card_must_be_played():
    referee = desk(fold="any_turn")
    refused(referee, "Bo: play W1", "Ann's turn")
    refused(referee, "Ann: pass", "first turn")
    refused(referee, "Ann: fold", "first turn")
    referee.accept("Ann: play W1")
    refused(referee, "Bo: pass", "first turn")
    refused(referee, "Bo: play ??", "face up")
    referee.accept("Bo: play B1")
    referee.accept("Ann: pass")


def test_a_player_without_cards_can_only_pass():
    cards = tuple(one(code) for code in ["W1", "W2", "B1", "B2", "!"])
    referee = Referee(GAME, GAME.setup(("Ann", "Bo"), cards=cards))
    play(referee, "table: dealer Ann")
    moves(referee, "W1 B1 W2 pass")
    refused(referee, "Ann: play !", "no cards left")
    referee.accept("Ann: pass")
    assert referee.state.stage is Stage.DECLARE


@pytest.mark.parametrize(
    ("players", "turns", "ended"),
    [
        (2, "W6 B6 W2", False),
        (2, "W6 B6 W3", True),
        (2, "W6 B6 W4", True),
        (3, "W6 B6 W5 W2", False),
        (3, "W6 B6 W5 W3", True),
        (2, "W1 B1 pass", False),
        (2, "W1 B1 pass pass", True),
        (2, "W1 B1 pass W2 pass", False),
        (2, "W1 B1 pass W2 pass pass", True),
        (3, "W1 B1 W2 pass pass", False),
        (3, "W1 B1 W2 pass pass pass", True),
        (3, "W1 B1 W2 pass pass ! pass pass", False),
        (2, "W6 B6 ! W1 B1", False),
    ],
)
def test_when_a_match_ends(players, turns, ended):
    referee = desk(players)
    moves(referee, turns)
    assert (referee.state.stage is Stage.DECLARE) is ended
    if ended:
        assert referee.state.table.to_move == 0
        refused(referee, "Ann: play B2", "folds or stays now")
        refused(referee, "Ann: pass", "folds or stays now")


def test_folding_at_the_end_only():
    referee = desk()
    moves(referee, "W1 B1")
    refused(referee, "Ann: fold", "when the match has ended")
    refused(referee, "Ann: stay", "when the match has ended")
    moves(referee, "pass pass")
    refused(referee, "Bo: stay", "Ann's turn")
    moves(referee, "fold stay")
    refused(referee, "Bo: fold", "declared already")


# -- folding at any turn -------------------------------------------------------------------------


def test_who_folds_takes_no_more_turns_and_does_not_declare():
    referee = desk(3, fold="any_turn")
    moves(referee, "W1 B1 W2 fold")
    refused(referee, "Ann: fold", "folded already")
    refused(referee, "Ann: play W3", "Bo's turn")
    moves(referee, "B2 W3 pass pass")
    assert referee.state.stage is Stage.DECLARE
    assert referee.state.table.to_move == 1
    moves(referee, "stay stay")
    assert referee.state.stage is Stage.REVEAL


def test_who_has_folded_who_stays_and_who_may_look_is_said():
    referee = desk(3, fold="any_turn")
    standing = [GAME.standing(referee.state, seat) for seat in range(3)]
    assert standing == ["may look at the secret card", "", ""]
    moves(referee, "W1 B1 W2 pass pass fold stay")
    standing = [GAME.standing(referee.knowledge(None), seat) for seat in range(3)]
    assert standing == ["stays", "", "folded"]


def test_every_card_says_its_condition():
    referee = desk(2)
    said = {each: GAME.meaning(referee.state, each) for each in DECK}
    assert all(said.values())
    assert said[one("W1")] == "highest number in play"
    assert len(set(said.values())) == len(DECK)


# -- points --------------------------------------------------------------------------------------


def decided_by_hands(trusted=False):
    """W3, the highest number in hand, is the secret; Ann holds 5, Bo 6."""
    referee = desk(trusted=trusted)
    if trusted:
        play(referee, "Ann*: hand W1 W2 W4 B1 B2 W5", "Bo*: hand B3 B4 B5 B6 W6 !")
    moves(
        referee, "W1 B3 W2 B4 W4 ! B1 stay stay" if not trusted else "W1 B3 W2 B4 W4 B5 stay fold"
    )
    referee.accept("table: secret W3")
    return referee


def test_conditions_in_hand_wait_for_the_hands():
    referee = decided_by_hands()
    assert not referee.state.table.match_over
    assert GAME.actors(referee.state) == (0, 1)
    refused(referee, "Ann: reveal W5", "has 2 cards left, not 1")
    refused(referee, "Ann: reveal W5 ??", "card by card")
    play(referee, "Ann: reveal W5 B2", "Bo: reveal B5 B6 W6")
    table = referee.state.table
    assert table.scores == (0, 2)
    assert table.reasons[0] == "The secret card is W3, highest number in hand: Bo, 6 over 5."
    refused(referee, "Bo: reveal B5 B6 W6", "turned up already")


def test_a_trusted_referee_scores_without_a_reveal_and_tells_no_numbers():
    referee = decided_by_hands(trusted=True)
    table = referee.view(None).table
    assert table.scores == (0, 0)
    assert table.reasons[0] == "The secret card is W3, highest number in hand: Bo."
    assert referee.knowledge(0).held[1] is None


def test_nobody_can_meet_a_condition_on_trusted_hands():
    referee = desk(3, trusted=True)
    play(referee, "Ann*: hand W1 B4 B1 !", "Bo*: hand W3 B2 W4 B5", "Cy*: hand W5 W6 B6 W2")
    moves(referee, "W1 W3 W5 B4 W4 W2 pass pass W6 stay fold fold")
    referee.accept("table: secret B3")
    assert referee.state.table.reasons[0].endswith("in hand: nobody qualifies.")
    assert referee.state.table.scores == (0, 1, 1)


def test_a_folders_hand_may_be_shown_to_the_referee_alone():
    referee = desk()
    moves(referee, "W1 B3 W2 B4 W4 B5 fold")
    refused(referee, "Ann: reveal W5 B1 B2", "until everybody has declared")
    referee.accept("Ann*: reveal W5 B1 B2")
    moves(referee, "stay")
    play(referee, "table: secret W3", "Bo: reveal B6 W6 !")
    assert referee.state.table.scores == (1, 2)
    assert referee.knowledge(1).held[0] is None
    assert referee.view(1).table.reasons[0].endswith("highest number in hand: Bo.")


def test_a_hand_is_not_shown_while_its_owner_plays():
    refused(desk(), "Ann*: reveal W1 W2 W3 W4 W5 W6", "may still play")


@pytest.mark.parametrize("target", [2, 6])
def test_the_target_ends_the_game(target):
    referee = desk(target=str(target))
    moves(referee, "W6 B5 W4 stay fold")
    referee.accept("table: secret W1")
    table = referee.state.table
    assert table.over is (target == 2)
    assert table.winners == ((0,) if target == 2 else ())
    if table.over:
        refused(referee, "table: dealer Bo", "game is over")
        refused(referee, "table: match", "game is over")


def test_all_who_reach_the_target_in_one_match_win():
    referee = desk(target="1")
    moves(referee, "W6 B6 W4 stay stay")
    referee.accept("table: secret W1")
    assert referee.state.table.winners == (0, 1)
    assert referee.state.table.reasons[-1] == "Ann and Bo reach 1 point and win."


# -- conditions as data --------------------------------------------------------------------------


def test_the_d20_picks_a_condition_for_one_match():
    referee = desk(exclamation="d20")
    refused(referee, "Ann: play W1", "table: exclamation N")
    referee.accept("table: exclamation 13")
    refused(referee, "table: exclamation 2", "13 already")
    assert referee.state.conditions[one("!")] == EXCLAMATIONS[12]
    moves(referee, "W6 B6 W4 stay stay")
    referee.accept("table: secret !")
    assert (
        referee.state.table.reasons[0]
        == "The secret card is !, fewest cards in play: Bo, 1 under 2."
    )
    referee.accept("table: dealer Bo")
    assert referee.state.conditions == DEFAULT_CONDITIONS


def test_no_d20_without_the_option():
    refused(desk(), "table: exclamation 3", "option")


def deck_file(path, **changes):
    content = {c.code: str(condition) for c, condition in DEFAULT_CONDITIONS.items()} | changes
    if path.suffix == ".toml":
        lines = [f'{json.dumps(code)} = "{words}"' for code, words in content.items()]
        path.write_text("[conditions]\n" + "\n".join(lines), "utf-8")
    else:
        path.write_text(json.dumps({"name": "mine", **content}), "utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["deck.json", "deck.toml"])
def test_a_deck_file_says_which_card_bears_what(tmp_path, name):
    path = deck_file(
        tmp_path / name,
        W1="lowest number in play",
        W2="highest number in play",
        **{"!": "most cards in hand"},
    )
    referee = desk(conditions=path)
    moves(referee, "W6 B5 W4 stay stay")
    referee.accept("table: secret W1")
    assert referee.state.table.scores == (2, 0)
    assert str(referee.state.conditions[one("!")]) == "most cards in hand"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"W1": "lowest number in play"}, "W1 and W2 both bear"),
        ({"W1": "lowest sum in play"}, "on numbers"),
        ({"W1": "best of all"}, "no victory condition"),
        ({"W7": "lowest number in play"}, "W7"),
        ({"!": "highest number in play"}, "none of the twenty"),
        ({"W1": 3}, "not written in words"),
    ],
)
def test_a_deck_file_that_is_no_deck_is_refused(tmp_path, changes, reason):
    path = deck_file(tmp_path / "deck.json", **changes)
    with pytest.raises(UnreadableError, match=reason):
        GAME.setup(("Ann", "Bo"), {"conditions": path})


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"W1": "highest number in play"}', "[" * 5000]
)
def test_a_file_that_is_no_deck_file_is_refused(tmp_path, text):
    path = tmp_path / "deck.json"
    path.write_text(text, "utf-8")
    with pytest.raises(UnreadableError):
        GAME.setup(("Ann", "Bo"), {"conditions": str(path)})


@pytest.mark.parametrize("value", ["/nowhere/deck.json", "x\0y", "/", "W1 nonsense", "W1"])
def test_a_value_that_names_no_deck_is_refused(value):
    with pytest.raises(UnreadableError):
        GAME.setup(("Ann", "Bo"), {"conditions": value})


def test_changes_to_the_bundled_deck_can_be_written_out():
    value = "W1 lowest number in play, W2 highest number in play"
    mapping = read_conditions(value)
    assert mapping[one("W1")] == DEFAULT_CONDITIONS[one("W2")]
    assert write_conditions(mapping) == value
    assert write_conditions(DEFAULT_CONDITIONS) == "default"
    match = read_match(f"game: suspense\nplayers: A, B\noption conditions: {value}\n---\n")
    assert read_match(write_match(match)).setup == match.setup


@given(st.permutations([c for c in DEFAULT_CONDITIONS if c.code != "!"]), st.integers(0, 19))
def test_any_printing_can_be_written_out(order, number):
    bearers = [c for c in DEFAULT_CONDITIONS if c.code != "!"]
    mapping = {b: DEFAULT_CONDITIONS[o] for b, o in zip(bearers, order, strict=True)}
    mapping[one("!")] = EXCLAMATIONS[number]
    assert read_conditions(write_conditions(mapping)) == mapping


# -- what contradicts ----------------------------------------------------------------------------


def test_a_card_that_the_hand_did_not_hold():
    referee = desk()
    play(referee, "Ann*: hand W1 W2 W3 W4 W5 W6", "Ann: play B1")
    assert kinds(referee) == [(3, "impossible")]
    assert referee.view(None).findings == referee.view(1).findings == ()


def test_a_hand_recorded_late():
    referee = desk()
    moves(referee, "W1 B1")
    referee.accept("Ann*: hand W1 W2 W3 W4 W5 W6")
    assert kinds(referee) == []
    assert [c.code for c in referee.knowledge(0).held[0]] == ["W2", "W3", "W4", "W5", "W6"]
    referee.accept("Bo*: hand B2 B3 B4 B5 B6 !")
    assert kinds(referee) == [(5, "impossible")]


def test_the_secret_that_the_dealer_saw_was_another():
    referee = desk()
    referee.accept("Ann*: secret B2")
    moves(referee, "W6 B5 W4 stay stay")
    referee.accept("table: secret W1")
    assert kinds(referee) == [(8, "impossible")]
    assert "Ann looked at B2 (2)" in referee.state.findings[0].message


def test_a_secret_that_lies_in_play_is_seen_twice():
    referee = desk()
    moves(referee, "W6 B5 W4 stay stay")
    referee.accept("table: secret W4")
    assert kinds(referee) == [(7, "duplicate-card")]


def test_a_hand_turned_up_otherwise_than_recorded():
    for trusted in (False, True):
        referee = desk(trusted=(trusted, False))
        referee.accept("Ann*: hand W1 W2 W4 B1 B2 W5")
        moves(referee, "W1 B3 W2 B4 W4 B5 stay stay")
        referee.accept("table: secret W3")
        if trusted:
            refused_in_secret(referee, "Ann: reveal B1 B2 W6", 0, "another hand")
        else:
            referee.accept("Ann: reveal B1 B2 W6")
            assert kinds(referee) == [(12, "false-claim")]


def test_the_dealers_open_look_gives_nothing_away_when_it_is_undone():
    referee = desk()
    before = referee.view(1).as_dict()["zones"]
    referee.accept("Ann*: secret W1")
    assert referee.view(1).as_dict()["zones"] == before


# -- everything else -----------------------------------------------------------------------------


def test_a_trusted_dealers_secret_is_turned_up_by_the_referee():
    referee = desk(trusted=True)
    play(
        referee,
        "Ann*: hand W2 W3 W4 W5 W6 !",
        "Bo*: hand B1 B2 B3 B4 B5 B6",
        "Ann*: secret W1",
    )
    moves(referee, "W6 B5 W4 stay fold")
    assert [entry.event.verb for entry in referee.follow_up()] == ["secret"]
    assert referee.state.table.scores == (2, 1)


def test_sightings_become_plays_and_the_secret():
    referee = desk()
    proposals = referee.proposals(SeenCard(one("W4"), "play:1", 0.8, ((one("W1"), 0.2),)))
    assert [p.event for p in proposals] == [
        public(0, "play", one("W4")),
        public(0, "play", one("W1")),
    ]
    (out_of_turn,) = referee.proposals(SeenCard(one("W4"), "play:2"))
    assert "turn" in out_of_turn.error.message
    early = referee.proposals(SeenCard(one("W4"), "secret"))
    assert "everybody has declared" in early[0].error.message
    moves(referee, "W6 B5")
    twice = referee.proposals(SeenCard(one("B5"), "play:1"))
    assert twice[0].findings[0].kind == "duplicate-card"
    moves(referee, "W4 stay stay")
    assert referee.proposals(SeenCard(one("W1"), "secret"))[0].is_clean


def test_legal_lists_unseen_cards_where_the_hand_is_not_known():
    referee = desk()
    assert len(list(GAME.legal(referee.knowledge(0), 0))) == 13
    moves(referee, "W1 B1")
    actions = list(GAME.legal(referee.knowledge(0), 0))
    assert len(actions) == 12
    assert public(0, "pass") in actions


def test_the_sensible_bot_beats_the_random_one():
    bots = [GAME.bots["random"], GAME.bots["sensible"]]
    result = simulate(GAME, GAME.setup(("Ann", "Bo")), matches=12, bots=bots)
    assert result.wins["Bo"] > result.wins["Ann"]


@given(st.integers(0, 10**6), st.sampled_from([(2, 5), (2, 9), (2, 13), (3, 7), (3, 13)]))
def test_every_card_stays_in_one_place(seed, table):
    players, size = table
    rng = random.Random(seed)
    deck = tuple(rng.sample(DECK, size))
    options = {"target": "2", "fold": rng.choice(("at_end", "any_turn"))}
    referee = Referee(GAME, GAME.setup(NAMES[:players], options, cards=deck))
    for event in play_events(referee, [GAME.bots["random"]] * players, rng):
        referee.accept(event)
        for viewer in rng.sample((None, *range(players)), 1):
            zones = GAME.zones(referee.knowledge(viewer))
            cards = [c for zone in zones for c in zone.cards]
            assert len(cards) == size
            known = [c for c in cards if c.is_known]
            assert len(set(known)) == len(known)
            assert set(known) <= set(deck)
    assert not referee.state.findings
