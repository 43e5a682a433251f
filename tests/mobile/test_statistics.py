"""Statistics: sums that agree with what was played, from what everybody knows alone."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.attempts import Attempt
from companion.core.events import UNDO, Event
from companion.core.referee import Referee
from companion.core.registry import all_games, get_game
from companion.journal import SessionInfo
from companion.simulate import play_events
from mobile.model import session_stats
from mobile.model.days import evening
from mobile.model.session_stats import Record
from mobile.model.statistics import statistics
from tests.companion.seating import fewest
from tests.mobile.test_people import play, services_of

#: Games in which something is tried: predicted, guessed, declared, or bid.
GAMES = [game.name for game in all_games() if game.name in (
    "precognition", "gotcha", "missing-persons", "deduction", "suspense", "spades", "oh-hell"
)]  # fmt: skip


def played(name, seed, games=1):
    game = get_game(name)
    names = fewest(game)
    referee = Referee(game, game.setup(names))
    bots = [game.bots["sensible"]] * len(names)
    over = 0
    for event in play_events(referee, bots, random.Random(seed)):
        was = referee.state.table.over
        referee.accept(event)
        over += referee.state.table.over and not was
        if over == games:
            break
    return referee


def record(referee):
    standing = [node.event for node in referee.nodes if node.error is None]
    return session_stats.record_of(referee.game, referee.setup, standing, len(referee.log))


@pytest.mark.parametrize("name", GAMES)
def test_every_game_tells_who_won_and_what_was_tried(name):
    referee = played(name, 4)
    found = record(referee)
    assert found.games == (referee.state.table.winners,)
    assert found.attempts
    for attempt in found.attempts:
        assert attempt.chance is None or 0 <= attempt.chance <= 1
        # What certainly could not be was not right, and what was certain was.
        assert not (attempt.came_true and attempt.chance == 0)
        assert attempt.came_true or attempt.chance != 1
    # How likely a bid is depends on how everybody plays: none is given.
    bids = any(verb == "bid" for verb in referee.game.verbs)
    assert bids != any(attempt.chance is not None for attempt in found.attempts)


def test_gotchas_guesses_are_those_of_the_match():
    referee = played("gotcha", 7)
    state = referee.knowledge(None)
    tried = [(guess.by, guess.right) for guess in state.guesses]
    assert [(attempt.seat, attempt.came_true) for attempt in record(referee).attempts] == tried


def test_the_longest_prediction_is_that_of_the_match():
    referee = played("precognition", 4)
    lengths = {attempt.seat: attempt.length for attempt in record(referee).attempts[-2:]}
    said = referee.game.extra(referee.state)["lengths"]
    assert [lengths[seat] for seat in (0, 1)] == list(said.values())


@pytest.mark.parametrize("name", GAMES)
def test_a_record_follows_from_what_everybody_knows(name):
    """Two sessions that differ only in what was private have one record."""
    referee = played(name, 11)
    public = Referee(referee.game, referee.setup)
    whole = record(referee)
    for node in referee.nodes:
        event = node.event
        is_hand = event.verb in ("hand", "discard", "hide") and not event.may_be_read_by(None)
        if node.error is None and not is_hand:
            public.submit(event)
    assert [entry.event.verb for entry in public.log if entry.error is not None] == []
    assert record(public).attempts == whole.attempts


def test_what_was_taken_back_does_not_count():
    referee = played("gotcha", 3)
    before = record(referee)
    referee.accept(Event(UNDO))
    assert record(referee).games == ()
    assert len(record(referee).attempts) == len(before.attempts) - 1


def info(number, game, names, begun=0, events=1):
    return SessionInfo(number, game, names, begun, begun, events, 1, True, (), {}, ())


NAMES = st.permutations(["Ann", "Bo", "Cy", "Di"]).flatmap(
    lambda names: st.integers(2, 4).map(lambda n: tuple(names[:n]))
)


@st.composite
def sessions(draw):
    names = draw(NAMES)
    seats = st.integers(0, len(names) - 1)
    games = draw(st.lists(st.lists(seats, unique=True, max_size=2).map(tuple), max_size=3))
    attempts = draw(
        st.lists(
            st.builds(
                Attempt, seats, st.booleans(), st.none() | st.floats(0, 1), st.integers(0, 9)
            ),
            max_size=4,
        )
    )
    begun = draw(st.integers(0, 10)) * 86_400 + 60_000
    game = draw(st.sampled_from(["gotcha", "suspense"]))
    return info(1, game, names, begun), Record(1, tuple(games), tuple(attempts))


@given(st.lists(sessions(), max_size=12))
@settings(max_examples=60, deadline=None)
def test_sums_agree_with_what_is_added_up(played_sessions):
    found = statistics(played_sessions)
    for name in ("Ann", "Bo", "Cy", "Di"):
        mine = [(i, r, i.players.index(name)) for i, r in played_sessions if name in i.players]
        whole = found.overall(name)
        assert whole.played == sum(len(r.games) for _, r, _ in mine)
        assert whole.won == sum(seat in won for _, r, seat in mine for won in r.games)
        attempts = [
            attempt for _, r, seat in mine for attempt in r.attempts if attempt.seat == seat
        ]
        assert whole.right == sum(attempt.came_true for attempt in attempts)
        assert whole.lucky == pytest.approx(sum(attempt.chance or 0 for attempt in attempts))
        assert whole.longest == max((attempt.length for attempt in attempts), default=0)
        nights = {evening(i.begun) for i, r, _ in mine if r.games or r.attempts}
        assert found.evenings_of(name) == len(nights)
    for pair in found.pairs:
        both = [(i, r) for i, r in played_sessions if set(pair.names) <= set(i.players)]
        assert pair.played == sum(len(r.games) for _, r in both)
        assert pair.evenings <= min(found.evenings_of(name) for name in pair.names)
        for name, won in zip(pair.names, pair.won, strict=True):
            seats = [(r, i.players.index(name)) for i, r in both]
            assert won == sum(seat in winners for r, seat in seats for winners in r.games)


@given(st.lists(sessions(), max_size=8))
@settings(deadline=None)
def test_the_order_of_sessions_does_not_matter(played_sessions):
    one, other = statistics(played_sessions), statistics(played_sessions[::-1])
    assert one.nights == other.nights
    assert {n: sum(form) for n, form in one.forms.items()} == {
        n: one.overall(n).won for n in one.forms
    }
    assert {n: one.overall(n).won for n in one.people} == {
        n: other.overall(n).won for n in other.people
    }


def test_a_line_of_form_ends_with_the_newest_game():
    older, newer = (
        info(1, "gotcha", ["Ann", "Bo"], 60_000),
        info(2, "suspense", ["Bo", "Ann"], 90_000),
    )
    found = statistics([(newer, Record(1, ((1,),), ())), (older, Record(1, ((1,), (0, 1)), ()))])
    assert found.form_of("ann") == (False, True, True)
    assert found.form_of("Bo") == (True, True, False)
    assert found.form_of("Cy") == ()


def test_an_evening_ends_in_the_night():
    from time import localtime, mktime

    late = int(mktime((2026, 3, 7, 23, 0, 0, 0, 0, -1)))
    assert evening(late) == evening(late + 3 * 3600)
    assert evening(late) != evening(late + 24 * 3600)
    assert localtime(late).tm_yday == evening(late).timetuple().tm_yday


def test_records_are_kept_and_caught_up(tmp_path):
    services = services_of(tmp_path)
    play(services, "missing-persons", ["Ann", "Bo"])
    second = play(services, "suspense", ["Ann", "Bo"], seed=2)
    assert list(services.counting()) == [(1, 2), (2, 2)]
    text = (tmp_path / session_stats.FILE).read_text()
    assert "Ann" not in text  # seats, no names
    services.close()
    again = services_of(tmp_path)
    assert list(again.counting()) == []
    assert again.statistics().overall("Ann").played == 2
    assert again.statistics().evenings_of("bo") == 1
    again.delete_session(second)
    assert again.statistics().overall("Ann").played == 1
    assert len(session_stats.load(tmp_path)) == 1


def test_a_damaged_record_is_worked_out_anew(tmp_path):
    services = services_of(tmp_path)
    play(services, "missing-persons", ["Ann", "Bo"])
    list(services.counting())
    good = session_stats.load(tmp_path)
    text = (tmp_path / session_stats.FILE).read_text()
    for bad in (
        text.replace("[[", "[[-", 1),
        "{",
        "[]",
        text.replace('"version":1', '"version":0'),
    ):
        (tmp_path / session_stats.FILE).write_text(bad)
        fresh = services_of(tmp_path)
        list(fresh.counting())
        assert session_stats.load(tmp_path) == good


def test_a_thousand_sessions_are_added_up_at_once():
    """Adding up is a small part of what listing them costs; counted in steps, not in seconds."""
    one = info(1, "gotcha", ("Ann", "Bo"))
    record_ = Record(1, ((0,),), (Attempt(0, True, 0.5),) * 40)
    many = [(replace(one, id=n, begun=(n + 1) * 86_400), record_) for n in range(1000)]
    found = statistics(many)
    assert found.overall("Ann").won == 1000
    assert found.overall("Ann").lucky == pytest.approx(20_000)
    assert len(set().union(*found.nights.values())) == 1000
