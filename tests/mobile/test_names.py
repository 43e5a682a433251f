"""Names are never translated, though some are words of the catalogue."""

import random

import pytest

from companion.core.guidance.generic import guidance_of
from companion.core.registry import all_games
from companion.simulate import play_events
from mobile.model import notepads
from mobile.model.table import Table
from mobile.resources import texts
from mobile.tools import catalogue
from tests.mobile.test_guidance_in_german import said

pytestmark = pytest.mark.usefixtures("german")

(PATH,) = (path for path in catalogue.po_files() if path.parts[-3] == "de")
#: Names that are words of the catalogue, and as many that no sentence holds.
WORDS = ("One", "Cards", "Yes", "No")
PLAIN = ("Qaa", "Qbb", "Qcc", "Qdd")


def everything_said(game, names):
    """Every text that the app shows of a played match, in German, in order."""
    table = Table(game, game.setup(list(names), {"coach": "yes"} if has_coach(game) else {}))
    bots = [game.bots["sensible"]] * len(names)
    for count, event in enumerate(play_events(table.referee, bots, random.Random(5))):
        for text in said(guidance_of(game, table.referee.view(None))):
            yield texts.told(text)
        yield table.words(event)
        table.do(event)
        yield from (table.message, *table.remarks, table.opening, *table.log)
        yield from (texts.told(zone.title) for zone in table.zones)
        if count in (12, 18):
            yield from pad_texts(game, table)
        if count > 40 or table.state.table.over:
            break
    yield from table.reasons


def has_coach(game):
    return any(option.name == "coach" for option in game.options)


def pad_texts(game, table):
    """Every text of a notepad."""
    page, pad = notepads.page(game, table.referee.view(0))
    yield from (page.advice, page.conflict)
    for sheet in page.sheets:
        yield sheet.title
        yield from (sheet.called(name) for name in (*sheet.rows, *sheet.columns))
        # Every third: they are told in the same few ways, and counted anew for each.
        for row in sheet.rows[::3]:
            yield from (notepads.why(pad, sheet, row, column) for column in sheet.columns)


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_a_name_that_is_a_word_stays_what_it_is(game):
    count = max(2, game.info.min_players)
    plain = list(everything_said(game, PLAIN[:count]))
    for name, word in zip(PLAIN, WORDS, strict=True):
        plain = [text.replace(name, word) for text in plain]
    assert list(everything_said(game, WORDS[:count])) == plain
    assert any("One" in text for text in plain)


def test_the_names_are_words_of_the_catalogue():
    known = {text for text, german in catalogue.translations(PATH).items() if german != text}
    begun = {text[:1].upper() + text[1:] for text in known}
    assert set(WORDS) <= begun
