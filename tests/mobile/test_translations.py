"""Every sentence has its translation, with the same placeholders; switching works at once."""

import gettext
import string

import polib
import pytest

from mobile.model.settings import LANGUAGES
from mobile.resources import texts
from mobile.tools import catalogue

FILES = {path.parts[-3]: path for path in catalogue.po_files()}


@pytest.fixture(autouse=True)
def english():
    yield
    texts.use("en")


def placeholders(text):
    return sorted(
        (name, spec) for _, name, spec, _ in string.Formatter().parse(text) if name is not None
    )


def test_every_language_offered_has_a_catalogue():
    assert set(LANGUAGES) == {"en", *FILES}


@pytest.mark.parametrize("language", FILES)
def test_nothing_is_missing_and_nothing_is_left_over(language):
    catalogue_ = polib.pofile(str(FILES[language]))
    known = {entry.msgid: entry.msgstr for entry in catalogue_}
    assert [text for text in catalogue.sentences() if not known.get(text)] == []
    assert sorted(set(known) - set(catalogue.sentences())) == []


@pytest.mark.parametrize("language", FILES)
def test_placeholders_match(language):
    wrong = [
        entry.msgid
        for entry in polib.pofile(str(FILES[language]))
        if placeholders(entry.msgid) != placeholders(entry.msgstr)
    ]
    assert wrong == []


@pytest.mark.parametrize("language", FILES)
def test_the_compiled_catalogue_is_the_written_one(language):
    compiled = gettext.translation(texts.DOMAIN, texts.FOLDER, [language])
    for entry in polib.pofile(str(FILES[language])):
        assert compiled.gettext(entry.msgid) == entry.msgstr


def test_a_language_is_taken_over_and_given_back():
    english = {name: getattr(texts, name) for name in texts.ENGLISH}
    texts.use("de")
    assert texts.UNDO == "Rückgängig"
    assert texts.FIELDS["card"] == "Welche Karte?"
    assert len(texts.WELCOME) == len(english["WELCOME"])
    assert texts.tr("guess") == "raten"
    assert texts.tr("") == ""
    texts.use("en")
    assert {name: getattr(texts, name) for name in texts.ENGLISH} == english


def test_an_unknown_language_stays_english():
    texts.use("xx")
    assert texts.UNDO == "Undo"


def test_no_sentence_is_unused():
    from pathlib import Path

    root = Path(texts.__file__).parents[1]
    files = [path for kind in ("*.py", "*.kv") for path in root.rglob(kind)]
    code = "\n".join(p.read_text("utf-8") for p in files if p.name != "texts.py")
    unused = [n for n in texts.ENGLISH if f"T.{n}" not in code and f"texts.{n}" not in code]
    assert unused == []
