"""No word of the notation, no formula and no old name of a thing stands on a screen."""

import random
import re

import pytest
from babel.messages.pofile import read_po

from companion.core.registry import all_games
from companion.simulate import play_events
from mobile.model import notepads
from mobile.model.table import Table
from mobile.resources import texts
from mobile.seats import language as pages
from mobile.seats.language import to_player
from tests.companion.seating import fewest
from tests.mobile.test_second_person import page

CATALOGUES = sorted(
    path for folder in (texts.FOLDER, pages.FOLDER) for path in folder.glob("*/LC_MESSAGES/*.po")
)
#: In sentences of both languages: one word for one thing, no formulas.
NEVER = re.compile(
    r"\([UDS]\)|min\(|◆|\bTake(n)? back\b|\bRestored?\b|Take it over|luck alone"
    r"|choices made in secret are weighed|nach Monde\b"
)
#: In what a table shows as well: nothing of the notation.
NOTATION = re.compile(
    r"\*:|\?\?|\b(hand|discard|reveal):[0-9]|\b[0A2-5][SMCH]\b|\b[2-9AJQK][SHDC]\b"
)


def sentences(path):
    with path.open("rb") as file:
        for message in read_po(file):
            yield from (text for text in (message.id, message.string) if isinstance(text, str))


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_no_sentence_holds_them(path):
    found = [text for text in sentences(path) if NEVER.search(text)]
    assert found == []


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_no_table_shows_them(game, language):
    texts.use(language)
    try:
        for seed in (1, 2):
            for said in shown(game, seed):
                assert not NEVER.search(said), said
                assert not NOTATION.search(said), said
    finally:
        texts.use("en")


def shown(game, seed):
    """Everything that a table's screen says in a match."""
    names = fewest(game)
    table = Table(game, game.setup(names))
    bots = [game.bots["sensible"]] * len(names)
    for event in play_events(table.referee, bots, random.Random(seed)):
        table.do(event)
        yield texts.told(table.guidance.headline)
        yield from (texts.told(step.title) for step in table.guidance.steps)
        yield from (*table.remarks, table.opening, *table.reasons, table.undoes)
        if table.state.table.match_over:
            break
    yield from table.log


@pytest.mark.parametrize("code", ["en", "de"])
@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_no_page_and_no_notepad_shows_them(game, code):
    names = fewest(game)
    table = Table(game, game.setup(names))
    bots = [game.bots["sensible"]] * len(names)
    texts.use(code)
    try:
        for count, event in enumerate(play_events(table.referee, bots, random.Random(3))):
            table.do(event)
            view = table.referee.view(0)
            said = [*page(game, view, to_player(pages.language(code), "Ann"))]
            if count % 12 == 5:
                found, _ = notepads.page(game, view)
                said += [found.conflict, found.advice, *found.supposed, *found.meanings]
            for one in filter(None, said):
                assert not NEVER.search(one), one
                assert not NOTATION.search(one), one
            if table.state.table.match_over or count > 60:
                break
    finally:
        texts.use("en")
