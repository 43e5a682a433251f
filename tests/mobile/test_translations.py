"""Every sentence has its translation, with the same placeholders; switching works at once."""

import gettext
import io
import re
import string
from pathlib import Path

import pytest
from babel.messages.extract import extract

from companion.core.notation import read_match
from mobile.kept.page import page
from mobile.model.settings import LANGUAGES
from mobile.resources import texts
from mobile.tools import catalogue

MATCHES = Path(__file__).parents[1] / "golden"
FILES = {path.parts[-3]: path for path in catalogue.po_files()}


def placeholders(text):
    return sorted(
        (name, spec) for _, name, spec, _ in string.Formatter().parse(text) if name is not None
    )


def test_every_language_offered_has_a_catalogue():
    assert set(LANGUAGES) == {"en", *FILES}


@pytest.mark.parametrize("language", FILES)
def test_nothing_is_missing_and_nothing_is_left_over(language):
    known = catalogue.translations(FILES[language])
    assert [text for text in catalogue.sentences() if not known.get(text)] == []
    assert sorted(set(known) - set(catalogue.sentences())) == []


@pytest.mark.parametrize("language", FILES)
def test_placeholders_match(language):
    wrong = [
        english
        for english, said in catalogue.translations(FILES[language]).items()
        if placeholders(english) != placeholders(said)
    ]
    assert wrong == []


@pytest.mark.parametrize("language", FILES)
def test_the_compiled_catalogue_is_the_written_one(language):
    compiled = gettext.translation(texts.DOMAIN, texts.FOLDER, [language])
    for english, said in catalogue.translations(FILES[language]).items():
        assert compiled.gettext(english) == said


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
    ways = ("T.{}", "texts.{}", 'texts.ENGLISH["{}"]')
    unused = [n for n in texts.ENGLISH if not any(way.format(n) in code for way in ways)]
    assert unused == []


def test_sentences_are_found_where_calls_choose_or_stand_within_others():
    source = b"""
say(state, N_("{a} wins.") if one else "{b} win.", names=phrase("{a} and {b}", a=1, b=2))
text = "not marked."
place.find("a text's own method")
raise IllegalError("Not now.")
"""
    found = extract(catalogue.calls_in, io.BytesIO(source), keywords=catalogue.KEYWORDS)
    assert {message for _, message, _, _ in found} == {
        "{a} wins.",
        "{b} win.",
        "{a} and {b}",
        "Not now.",
    }


def test_a_catalogue_without_news_stays_as_it_is(tmp_path):
    path = tmp_path / "de" / "LC_MESSAGES" / "companion.po"
    path.parent.mkdir(parents=True)
    path.write_bytes(FILES["de"].read_bytes())
    known = [(None, text) for text in catalogue.translations(path)]
    assert catalogue.update(path, tuple(known)) == []
    before = path.read_bytes(), path.with_suffix(".mo").read_bytes()
    assert catalogue.update(path, tuple(known)) == []
    assert (path.read_bytes(), path.with_suffix(".mo").read_bytes()) == before
    # Babel writes its version into the head; a new release of it is no news.
    version = re.compile(rb"Generated-By: Babel [\d.]+")
    assert version.sub(b"", before[0]) == version.sub(b"", FILES["de"].read_bytes())
    new = None, "A new sentence."
    assert catalogue.update(path, (*known, new)) == [new]


#: What the page of a match says by itself, in English.
_ENGLISH = re.compile(
    r"\b(This page|Players?|Referee|Score|wins|still running|Where the cards|Place|Cards|unknown|"
    r"nothing|all of it|it happened|could know|everybody|Event|Refused|Audit|Kind|What is wrong)\b"
)


@pytest.mark.parametrize("path", sorted(MATCHES.glob("*/*.txt")), ids=lambda path: path.stem)
def test_the_page_of_a_match_is_in_the_language_of_the_app(path):
    texts.use("de")
    match = read_match(path.read_text(encoding="utf-8"))
    html = page(match, None)
    assert '<html lang="de">' in html
    body = html[html.index("<body>") :]
    # Lines are told as they are written in a file; titles of games are names.
    said = re.sub(r"<code>.*?</code>|<h1>.*?</h1>|<[^>]+>", " ", body, flags=re.DOTALL)
    assert _ENGLISH.findall(said) == []
