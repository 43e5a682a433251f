"""Every phone in its own language, and every sentence of the pages in each."""

import re
import string
from pathlib import Path

import pytest

from companion.core.registry import get_game
from companion.phrases import phrase
from mobile.model import wording
from mobile.seats import language, sentences
from mobile.tools import catalogue

FILES = {path.parts[-3]: path for path in catalogue.catalogues() if path.stem == language.DOMAIN}


def places(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("code", FILES)
def test_every_sentence_is_translated_with_its_places(code):
    known = catalogue.translations(FILES[code])
    assert set(known) == set(sentences.ALL)
    for english, translated in known.items():
        assert translated
        assert places(english) == places(translated), english
        assert language.language(code).look_up(english) == translated  # compiled, too


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en;q=0.9,de", "de"),
        ("fr,en;q=0.9,de;q=0.1", "en"),
        ("fr", "en"),
        ("../../etc", "en"),
        ("de" * 5000, "en"),
    ],
)
def test_the_browsers_wish_is_followed(header, code):
    assert language.wanted(header).code == code


def test_what_the_referee_says_is_told_in_the_phones_language():
    said = phrase("It is {name}'s turn.", name="Ann")
    assert language.language("en").told(said) == "It is Ann's turn."
    assert language.language("de").told(said) == "Ann ist am Zug."


def test_no_sentence_is_unused():
    mobile = Path(sentences.__file__).parents[1]
    files = [*mobile.rglob("*.py"), *mobile.rglob("*.html"), *mobile.rglob("*.kv")]
    code = "\n".join(path.read_text("utf-8") for path in files if path.name != "sentences.py")
    names = [name for name in vars(sentences) if name.isupper() and name != "ALL"]
    used = r"(?:sentences|s)\.{0}\b|[\"(]{0}[\"),]|import {0}\b"
    assert [name for name in names if not re.search(used.format(name), code)] == []


def test_a_joker_has_its_name_in_a_sentence():
    game = get_game("missing-persons")
    assert wording.without_codes(game, "Bo turns over 3S JK1.") == "Bo turns over 3♠ Joker 1."
