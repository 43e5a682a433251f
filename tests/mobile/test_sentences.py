"""Everything the referee and the notepads say at real tables has its translation, part by part."""

import random
import re
from itertools import islice, product

import pytest

from companion.cards import parse_card
from companion.core.referee import Referee
from companion.core.registry import all_games, get_game
from companion.errors import CompanionError
from companion.phrases import Phrase, phrase
from companion.simulate import play_events
from mobile.model import notepads
from mobile.model.wording import told_event
from mobile.resources import texts
from tests.companion.table_play import NAMES, RandomTable

#: Places in a sentence that hold what is written in matches: questions, verbs and their forms.
NOTATION = ("text", "syntax", "verb", "form", "known", "better", "choices", "star", "what")
STEPS = 55


def untranslated(said, place=""):
    """The parts of a sentence that stay English."""
    if isinstance(said, Phrase):
        found = {
            part
            for name, value in said.fields.items()
            if not isinstance(value, int | float)
            for part in untranslated(value, name)
        }
        plain = re.sub(r"\{.*?\}", "", said.template)
        if _is_english(plain) and texts._begun(said.template, texts._catalogue) == said.template:
            found.add(said.template)
        return found
    words = str(said)
    if isinstance(words, Phrase):
        return untranslated(words, place)
    if not _is_english(words) or place in NOTATION:
        return set()
    return {words} if texts._begun(words, texts._catalogue) == words else set()


def _is_english(words):
    for same in (*NAMES, "min", "Gotcha"):
        words = words.replace(same, "")
    return re.search(r"[a-z]{2}", words) is not None


def said_at(table, viewer):
    """What somebody is told at a table as it stands."""
    state = table.desk.knowledge(viewer)
    yield from state.remarks
    yield from state.table.reasons
    yield from (finding.message for finding in state.findings)
    yield from (zone.title for zone in table.game.zones(state))
    yield from (line.error for line in table.desk.view(viewer).log if line.error)


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_the_referee_speaks_the_language_at_random_tables(game):
    heard, english = set(), set()
    for seed in range(4):
        table = RandomTable(game, seed)
        for _ in range(STEPS):
            chance = table.rng.random()
            try:
                step = table.step if chance < 0.75 else table.lie if chance < 0.9 else table.babble
                step()
            except (CompanionError, IndexError):
                continue
            for viewer in (None, 0):
                for said in said_at(table, viewer):
                    heard.add(texts.told(said))
                    english |= untranslated(said)
    assert len(heard) > 40
    assert english == set()


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_notepads_and_coaches_speak_the_language(game):
    """Titles, whys and advice, in the middle of honest matches."""
    english, whys, advised = set(), 0, 0
    for seed in range(3):
        for number, desk in enumerate(honest_match(game, seed)):
            if number % 5 != 4 or number > 34:
                continue
            pad = game.notepad(desk.view(0))
            english |= untranslated(pad.advice().text)
            advised += bool(pad.advice().text)
            for grid in pad.grids():
                english |= untranslated(grid.title)
                for label in (*grid.rows, *grid.columns):
                    english |= untranslated(label)
                cells = list(product(grid.rows, grid.columns))
                settled = [c for c in cells if grid.chances.get(c) == 1]
                settled = settled or [c for c in cells if grid.settled(*c) is False]
                for cell in settled[:2]:
                    whys += 1
                    english |= untranslated(pad.why(*cell).text)
    assert whys
    assert advised
    assert english == set()


def honest_match(game, seed, options=None):
    """A referee after each event of a match in which nobody lies."""
    names = NAMES[: max(2, game.info.min_players)]
    desk = Referee(game, game.setup(names, {"coach": "yes"} | (options or {}), trusted=True))
    bots = [game.bots["sensible"]] * len(names)
    for event in play_events(desk, bots, random.Random(seed)):
        if event.verb == "match":
            return
        desk.accept(event)
        yield desk


@pytest.mark.usefixtures("german")
def test_a_sentence_is_made_anew_with_all_its_parts():
    tile = phrase("{words} of {suit}", words="Ace", suit="Suns")
    said = phrase("{name} is right: the {tile} is the missing tile.", name="Ann", tile=tile)
    assert texts.told(said) == "Ann hat recht: Ass der Sonnen ist der fehlende Stein."
    assert texts.told(parse_card("KD").name) == "Karo-König"
    assert texts.told("wrong") == "falsch"
    assert texts.told("Wrong") == "Falsch", "a word that begins a sentence"
    assert texts.told("no such words") == "no such words"
    assert untranslated(phrase("{name} dances with {what}.", name="Ann", what="9C")) == {
        "{name} dances with {what}."
    }


@pytest.mark.usefixtures("german")
def test_a_notepads_page_is_in_the_language():
    game = get_game("gotcha")
    *_, desk = islice(honest_match(game, 1, {"deal": "4"}), 3)
    found, pad = notepads.page(game, desk.view(0))
    assert found.sheets[0].title == "Karten von Bo, die kleinste zuerst"
    assert notepads.why(pad, found.sheets[0], *_open_cell(found.sheets[0])) == ""


def _open_cell(sheet):
    return next(cell for cell, p in sheet.chances.items() if 0 < p < 1)


def test_why_there_are_no_pictures_is_said_in_german():
    from vision.images.sources import SourceError, open_source

    texts.use("de")
    try:
        with pytest.raises(SourceError, match="cannot be opened") as failed:
            open_source("camera:97").open()
        assert texts.told(failed.value.message).startswith("Kamera 97 lässt sich nicht öffnen")
    finally:
        texts.use("en")


def test_the_log_tells_a_question_in_the_language(german):
    game = get_game("missing-persons")
    setup = game.setup(["Ann", "Bo"])
    asked = Referee(game, setup).parse('Ann: ask "a red royal?"')
    assert told_event(game, setup, asked) == "Ann fragt: rot und Bildkarte?"
