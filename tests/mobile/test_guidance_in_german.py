"""Whatever guidance says in play is said in German too, whole."""

import re
from itertools import islice

import pytest

from companion.core.guidance.generic import guidance_of
from companion.core.registry import all_games
from companion.errors import UnreadableError
from companion.games.missing_persons.questions.question import tapped
from companion.games.precognition.scoring import read_prediction
from companion.phrases import Phrase
from mobile.resources import texts
from mobile.tools import catalogue
from tests.companion.seating import seated
from tests.companion.test_guidance import MOST, NOTATION, moments, tables

pytestmark = pytest.mark.usefixtures("german")

#: Words by which an English sentence that was left as it is would be known.
ENGLISH = re.compile(
    r"\b(?:the|is|are|and|of|hand|card|turn|with|wins|answers|guess|guesses|record|writes?|"
    r"black|white|kings?|queens?|jacks?|clubs|diamonds|nil)\b",
    re.IGNORECASE,
)

(PATH,) = (path for path in catalogue.po_files() if path.parts[-3] == "de")
GERMAN = {text for text, german in catalogue.translations(PATH).items() if german}


def said(guidance):
    """Every text of a guidance."""
    yield guidance.headline
    for step in guidance.steps:
        yield step.title
        yield from (need.title for need in step.needs)


def templates(text):
    """The templates a text is made from, down to its parts."""
    if isinstance(text, Phrase):
        yield text.template
        for field in text.fields.values():
            yield from templates(field)


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_every_sentence_is_said_in_german(game):
    seen = set()
    for setup, rng in tables(game):
        for referee in islice(moments(game, setup, rng), 3 * MOST):
            for text in said(guidance_of(game, referee.view(None))):
                if str(text) in seen:
                    continue
                seen.add(str(text))
                whole = set(templates(text)) or {str(text)}
                words = {t for t in whole if re.search("[a-z]", re.sub(r"{.*?}", "", t))}
                assert words <= GERMAN
                german = re.sub(r"„[^“]*“", "", str(texts.told(text)))
                assert not ENGLISH.search(german), (str(text), german)
                assert not NOTATION.search(german), german
    assert len(seen) > 12


def test_a_tapped_question_is_asked_in_german():
    said = [
        texts.told(tapped(suits="HD", ranks=range(5, 10)).text),
        texts.told(tapped(suits="SHD").text),
        texts.told(tapped(suits="SH", ranks=(3, 5)).text),
    ]
    assert said == [
        "rot und zwischen 5 und 9?",
        "nicht Kreuz?",
        "(Pik oder Herz) und (eine 3 oder eine 5)?",
    ]


def test_a_question_has_the_article_of_what_it_asks_for():
    referee = seated("deduction", "table: up 0S AS", "Ann: coin 3C", players=3)
    referee.accept("Ann: ask Bo have Crowns")
    assert "Hast du eine Krone?" in " ".join(map(texts.told, referee.view(None).state.remarks))


def test_a_prediction_that_cannot_be_read_is_refused_in_german():
    with pytest.raises(UnreadableError) as caught:
        read_prediction("UX")
    assert texts.told(caught.value.message) == (
        "„UX“ ist keine Vorhersage: Buchstabe 2 ist „X“, nicht U, D oder S."
    )
