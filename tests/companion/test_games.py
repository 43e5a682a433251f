"""What every registered game must do, checked by playing it at random.

A new game is tested here without a line of its own.
"""

import json
import random
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.bench import LONG_MATCH, long_match
from companion.cards import family_cards
from companion.core.notation import read_event, read_match, write_event, write_match
from companion.core.referee import Referee
from companion.core.registry import all_games, get_game
from companion.core.replay import EVERYTHING, Replay
from companion.core.state import hand_zone
from companion.errors import CompanionError
from companion.simulate import play_events, play_out, simulate
from tests.companion import rules_check
from tests.companion.hidden import knows, scramble
from tests.companion.seating import short
from tests.companion.table_play import random_setup

GAMES = all_games()


def tables(*trusts):
    """Every game with its least and greatest (at most five) number of players."""
    for game in GAMES:
        sizes = {game.info.min_players, min(5, game.info.max_players)}
        for players in sorted(sizes):
            for trusted in trusts:
                yield pytest.param(
                    game, players, trusted, id=f"{game.name}-{players}-{trusted and 'trusted'}"
                )


def at_tables(*trusts):
    return pytest.mark.parametrize(("game", "players", "trusted"), list(tables(*trusts)))


every_table = at_tables(False, True)


def start(game, players, trusted, **options):
    names = ["Ann", "Bo", "Cy", "Dee", "Eve"][:players]
    return Referee(game, game.setup(names, short(game) | options, trusted=trusted))


def played(game, players, trusted, seed=0):
    referee = start(game, players, trusted)
    play_out(referee, bots_of(game, players), random.Random(seed))
    return referee


@cache
def session(game, players, trusted):
    """One that is only looked at, by several tests."""
    return played(game, players, trusted)


def bots_of(game, players):
    bots = list(game.bots.values())
    return [bots[seat % len(bots)] for seat in range(players)]


@every_table
def test_random_play_ends_without_findings(game, players, trusted):
    referee = session(game, players, trusted)
    table = referee.state.table
    assert table.over
    assert table.reasons
    assert set(table.winners) <= set(range(players))
    assert referee.state.findings == ()
    assert all(referee.view(seat).findings == () for seat in (None, *range(players)))
    assert not any(entry.error for entry in referee.log)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_honest_play_with_any_options_ends_without_findings(game):
    for seed in range(8):
        rng = random.Random(seed)
        referee = Referee(game, random_setup(game, rng))
        bots = [rng.choice(list(game.bots.values())) for _ in referee.setup.players]
        play_out(referee, bots, rng)
        assert referee.state.table.over
        assert referee.state.findings == ()
        rules_check.check(referee.state)


@every_table
def test_a_match_reads_back_as_it_was_written(game, players, trusted):
    referee = session(game, players, trusted)
    text = write_match(referee.match_text())
    match = read_match(text)
    assert write_match(match) == text
    assert match == referee.match_text()
    again = Referee.of(match)
    assert again.state == referee.state
    assert again.log == referee.log
    for entry in referee.log:
        line = write_event(game, referee.setup, entry.event)
        assert replace(read_event(game, referee.setup, line), n=entry.n) == entry.event


@at_tables(False)
def test_what_a_viewer_may_not_know_changes_nothing_for_that_viewer(game, players, trusted):
    """Of an open match: a trusted referee's verdicts are public and may depend on secrets."""
    finished = session(game, players, trusted)
    rng = random.Random(2)
    for viewer in (None, *range(players)):
        one = start(game, players, trusted=False)
        other = start(game, players, trusted=False)
        for event in finished.events:
            one.accept(event)
            changed = event
            if not knows(game, one.state, event, viewer):
                changed = scramble(game, other.state, event, rng)
            other.accept(changed)
            if one.state.table.match_over:
                break
            if rng.random() < 0.2:
                assert one.view(viewer).as_dict() == other.view(viewer).as_dict()
                assert one.view(viewer) == other.view(viewer)


@every_table
def test_replay_from_every_eye(game, players, trusted):
    text = write_match(session(game, players, trusted).match_text())
    for viewer in (EVERYTHING, None, *range(players)):
        run = Replay(read_match(text), viewer)
        steps = list(run.steps())
        assert steps
        assert all(step.applied for step in steps)
        assert run.final()["over"] is True
        json.dumps([step.as_dict() for step in steps] + [run.final()])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_the_bench_plays_is_as_long_as_it_says(game):
    assert len(long_match(game, LONG_MATCH).log) == LONG_MATCH


@at_tables(True)
def test_legal_actions_are_accepted(game, players, trusted):
    referee = start(game, players, trusted=True)
    rng = random.Random(4)
    bots = [game.bots["random"]] * players
    for count, event in enumerate(play_events(referee, bots, rng)):
        if count % 7 == 0:
            for seat in game.actors(referee.state):
                for action in game.legal(referee.knowledge(seat), seat):
                    game.verify(referee.state, action)
        referee.accept(event)


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_long_random_play(game, soak_events):
    events, seed = 0, 0
    while events < soak_events:
        sizes = range(game.info.min_players, min(5, game.info.max_players) + 1)
        rng = random.Random(seed)
        referee = played(game, rng.choice(sizes), rng.random() < 0.5, seed)
        assert not referee.state.findings
        events += len(referee.log)
        seed += 1


@pytest.mark.parametrize("name", ["missing-persons", "suspense"])
def test_the_sensible_bot_beats_the_random_one(name):
    game = get_game(name)
    bots = [game.bots["random"], game.bots["sensible"]]
    result = simulate(game, game.setup(("Ann", "Bo")), matches=12, bots=bots)
    assert result.wins["Bo"] > 2 * result.wins["Ann"]


@given(
    st.integers(0, 10**6),
    st.sampled_from(
        [("missing-persons", 2, size) for size in (8, 12, 30)]
        + [("suspense", 2, size) for size in (5, 9, 13)]
        + [("suspense", 3, size) for size in (7, 13)]
    ),
)
def test_small_decks_keep_every_card_in_one_place(seed, table):
    (name, players, size), rng = table, random.Random(seed)
    game = get_game(name)
    deck = tuple(rng.sample(family_cards(game.family), size))
    options = random_setup(game, rng).options
    stated = {key: options[key] for key in ("draw", "fold") if key in options}
    referee = Referee(game, game.setup("ABC"[:players], stated, cards=deck))
    for event in play_events(referee, [game.bots["sensible"]] * players, rng):
        referee.accept(event)
        zones = game.zones(referee.knowledge(rng.choice((None, *range(players)))))
        cards = [card for zone in zones for card in zone.cards]
        known = [card for card in cards if card.is_known]
        assert len(cards) == size
        assert len(set(known)) == len(known)
        assert set(known) <= set(deck)
        if referee.state.table.match == 3:
            break
    assert not referee.state.findings


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_too_few_and_too_many_players_are_told_how_many_it_takes(game):
    least, most = game.info.min_players, game.info.max_players
    for count in (least - 1, most + 1):
        with pytest.raises(CompanionError, match=str(least)) as caught:
            game.setup([f"P{n}" for n in range(count)])
        assert str(most) in caught.value.message


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_metadata_says_enough(game):
    assert game.info.summary.endswith(".")
    assert game.deck.cards
    for option in game.options:
        assert option.explain.endswith(".")
        for players in range(game.info.min_players, min(5, game.info.max_players) + 1):
            names = tuple("ABCDE"[:players])
            default = option.default_for(players)
            assert not default or option.read(default, names) == default
    for verb in game.verbs.values():
        assert verb.explain.endswith(".")
        assert verb.syntax


@pytest.mark.parametrize(
    ("name", "players", "lines", "held"),
    [
        ("spades", 4, ["Ann*: hand 7H 6S 6H 4H AD 7D JC QS 10S 5S 10D 2H KH"],
         "5S 6S 10S QS 2H 4H 6H 7H KH AD 7D 10D JC"),
        ("suspense", 3, ["table: dealer Bo", "Ann*: hand W2 ! B6 B1"], "W2 B1 B6 !"),
        ("deduction", 3, ["table: up AM 0H", "Ann*: hand 4M 2C 5S AS 4C AH 3H"],
         "AS 5S 4M 2C 4C AH 3H"),
        ("gotcha", 2, ["Ann*: hand 9C 5H KD 2S 5D AC 8S JD 3H"], "AC 2S 3H 5H 5D 8S 9C JD KD"),
    ],
)  # fmt: skip
def test_a_hand_is_shown_sorted_however_it_was_entered(name, players, lines, held):
    game = get_game(name)
    options = {"gotcha": {"deal": "9-3"}}.get(name, {})
    referee = Referee(game, game.setup(["Ann", "Bo", "Cy", "Dee"][:players], options))
    for line in lines:
        referee.accept(referee.parse_typed(line))
    zone = next(zone for zone in referee.view(0).zones if zone.name == hand_zone(0))
    assert " ".join(map(str, zone.cards)) == held
