"""People remembered by the app: names once typed, colours, and deletion that reaches them."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.registry import get_game
from companion.errors import CompanionError
from companion.journal.deletion import APP_FILES
from companion.simulate import play_events
from mobile.app import open_source
from mobile.card_readers import shipped_reader
from mobile.model import people as model
from mobile.model import saved_table, session_stats
from mobile.model.people import Person
from mobile.resources import theme
from mobile.services import AppServices

NAMES = st.text("abcdefgh", min_size=1, max_size=4)


def services_of(folder):
    return AppServices(folder, None, shipped_reader, open_source)


def play(services, game_name, names, seed=1):
    """A kept match played to its end by bots."""
    game = get_game(game_name)
    table = services.new_table(game, game.setup(names))
    bots = [game.bots["sensible"]] * len(names)
    for event in play_events(table.session.referee, bots, random.Random(seed)):
        table.session.referee.accept(event)
        if table.session.referee.state.table.over:
            break
    services.meet(tuple(names))
    return table.session.id


def test_every_colour_is_drawn_and_readable():
    assert len(theme.PLAYERS) == model.COLOURS == len(set(theme.PLAYERS))
    for colour in theme.PLAYERS:
        assert theme.contrast(colour, theme.PLAYER_INK) >= 4.5


def test_a_name_is_typed_once(tmp_path):
    services = services_of(tmp_path)
    services.meet(("Ann", "Bo"))
    services.meet(("Cy", "ann"))
    fresh = services_of(tmp_path)
    assert [p.name for p in fresh.people] == ["Cy", "ann", "Bo"]  # who played last comes first
    assert len({p.colour for p in fresh.people}) == 3


def test_people_of_older_matches_are_known(tmp_path):
    services = services_of(tmp_path)
    game = get_game("gotcha")
    services.new_table(game, game.setup(["Di", "Eve"]))
    assert [p.name for p in services.people] == ["Di", "Eve"]


@given(st.lists(NAMES, max_size=12), st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_no_two_at_a_table_are_of_one_colour(before, names):
    people = ()
    for name in before:
        people = model.met(people, [name])
    colours = model.seated(people, names)
    assert len(set(colours)) == len(names)
    first = model.find(people, names[0])
    assert first is None or colours[0] == first.colour


@given(st.lists(st.tuples(NAMES, st.integers(0, 7)), max_size=8))
def test_what_is_kept_is_read_again(tmp_path_factory, entries):
    folder = tmp_path_factory.mktemp("people")
    unique = {name.casefold(): Person(name, colour) for name, colour in entries}
    model.save(folder, tuple(unique.values()))
    assert model.load(folder) == tuple(unique.values())


@pytest.mark.parametrize(
    "entry", [None, 7, {"name": "a*b", "colour": 1}, {"name": "A", "colour": 99}, {"name": "A"}]
)
def test_what_is_no_person_is_left_out(tmp_path, entry):
    kept = {"people": [entry, {"name": "Bo", "colour": 2}]}
    (tmp_path / model.FILE).write_text(json.dumps(kept))
    assert model.load(tmp_path) == (Person("Bo", 2),)


def test_a_damaged_file_is_set_aside(tmp_path):
    (tmp_path / model.FILE).write_text("{")
    assert model.load(tmp_path) == ()
    assert not (tmp_path / model.FILE).exists()


def test_a_person_is_renamed_in_every_match(tmp_path):
    services = services_of(tmp_path)
    number = play(services, "missing-persons", ["Ann", "Bo"])
    play(services, "missing-persons", ["Bo", "Cy"])
    services.rename_person("Bo", "Bob")
    infos = services.journal.sessions()
    assert {info.players for info in infos} == {("Ann", "Bob"), ("Bob", "Cy")}
    assert not any(info.damage for info in infos)
    assert [p.name for p in services.people] == ["Bob", "Cy", "Ann"]
    assert services.settings.names[1] == "Bob"
    assert services.journal.resume(number).damage == ""
    for bad in ("Cy", "a*b", ""):
        with pytest.raises(CompanionError):
            services.rename_person("Bob", bad)
    assert "Bob" in {p.name for p in services.people}


def test_a_renamed_person_keeps_the_pin(tmp_path):
    services = services_of(tmp_path)
    game = get_game("gotcha")
    services.new_table(game, game.setup(["Ann", "Bo"])).session.set_pin(0, "2580")
    services.meet(("Ann", "Bo"))
    services.rename_person("Ann", "Anna")
    assert services.new_table(game, game.setup(["anna", "Bo"])).session.has_pin(0)


def test_a_mistyped_name_in_a_match_is_not_remembered(tmp_path):
    services = services_of(tmp_path)
    game = get_game("gotcha")
    table = services.new_table(game, game.setup(["Amn", "Bo"]))
    services.meet(("Amn", "Bo"))
    table.rename(("Ann", "Bo"))
    services.names_changed(("Amn", "Bo"), ("Ann", "Bo"))
    assert {p.name for p in services.people} == {"Ann", "Bo"}


def test_somebody_is_forgotten(tmp_path):
    services = services_of(tmp_path)
    services.meet(("Ann", "Bo"))
    services.forget_person("ann")
    fresh = services_of(tmp_path)
    assert [p.name for p in fresh.people] == ["Bo"]
    assert b"Ann" not in (tmp_path / model.FILE).read_bytes()


def test_deleting_the_journal_by_itself_reaches_the_apps_files(tmp_path):
    """As `companion journal delete --everything` does, without the app."""
    services = services_of(tmp_path)
    play(services, "missing-persons", ["Zelda", "Yorick"])
    list(services.counting())
    assert {model.FILE, session_stats.FILE, saved_table.FILE} == set(APP_FILES)
    services.journal.delete_everything()
    assert not [name for name in APP_FILES if (tmp_path / name).exists()]


def test_deleting_everything_reaches_people_and_records(tmp_path):
    services = services_of(tmp_path)
    play(services, "missing-persons", ["Zelda", "Yorick"])
    (tmp_path / f"{model.FILE}.damaged").write_text("Zelda")
    list(services.counting())
    assert (tmp_path / session_stats.FILE).exists()
    services.forget_everything()
    left = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"Zelda" not in left
    assert b"Yorick" not in left
    assert not (tmp_path / session_stats.FILE).exists()
    assert services.people == ()
