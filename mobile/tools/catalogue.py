"""Keeps the catalogues of translations: `python -m mobile.tools.catalogue`.

Babel collects every sentence that the source marks, and what games register by name is added: new
sentences come into each `.po` empty, for a translator, those that are gone are dropped, and the
`.mo` files that the app reads are compiled. Needs Babel, which the dev extra brings.
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import companion
import mobile
import vision
from companion.core.registry import all_games
from companion.core.setup import OptionKind
from companion.core.syntax import Part
from companion.decks import deck_names, get_deck
from mobile.resources import texts
from mobile.seats import language as seat_language
from mobile.seats import sentences as seat_sentences

#: What takes a sentence to translate, with the number of the argument where it is not the first.
KEYWORDS: dict[str, tuple[int, ...] | None] = {
    "_": None,
    "N_": None,
    "phrase": None,
    "illegal": None,
    "say": (2,),
    "find": (4,),
    "Advice": None,
    "Unbracketed": None,
    "Unclear": None,
    "CompanionError": None,
    "ReadOnlyError": None,
    "HiddenError": None,
    "IllegalError": None,
    "OverflowError": None,
    "SearchTooLongError": None,
    "SourceError": None,
    "UnreadableError": None,
    "UsageError": None,
}
#: The context of a sentence, None for most, and the sentence.
Sentence = tuple[str | None, str]
_NO_DATE = datetime.fromtimestamp(0, UTC)
#: Parts of the package that people meet in the terminal or in files, not in the app.
_NOT_SHOWN = ("cli", "bench.py", "bench_notepad.py", "bench_journal.py")
#: Where sentences stand: the package, the app's own words, and why cameras do not work.
_SOURCES = (
    *sorted(Path(companion.__file__).parent.rglob("*.py")),
    Path(texts.__file__),
    Path(mobile.__file__).parent / "android" / "camera.py",
    Path(vision.__file__).parent / "images" / "sources.py",
)


def main() -> int:
    """The command line; 1 where something is not translated."""
    missing = 0
    for path, wanted in catalogues().items():
        empty = update(path, wanted)
        missing += len(empty)
        print(f"{path.parts[-3]}, {path.stem}: {len(wanted)} sentences, {len(empty)} to translate")
    return 1 if missing else 0


def update(path: Path, wanted: Collection[Sentence]) -> list[Sentence]:
    """Brings a catalogue to the sentences it must hold, in their order, and compiles it.

    Returns:
        The sentences that are not translated yet.
    """
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import write_po

    known = _read(path)
    catalogue = Catalog(
        locale=path.parts[-3],
        header_comment="",
        project="Tabletop Companion",
        version="-",
        msgid_bugs_address="-",
        last_translator="-",
        charset="utf-8",
        fuzzy=False,
        # A file whose sentences did not change stays the same.
        creation_date=_NO_DATE,
        revision_date=_NO_DATE,
    )
    for context, text in wanted:
        # A sentence said to a player has no place for the name.
        flags = {"python-brace-format"} if "{" in text and context is None else set()
        catalogue.add(text, known.get((context, text), ""), flags=flags, context=context)
    written, compiled = io.BytesIO(), io.BytesIO()
    write_po(written, catalogue, width=100, no_location=True)
    write_mo(compiled, catalogue)
    path.write_bytes(written.getvalue())
    path.with_suffix(".mo").write_bytes(compiled.getvalue())
    return [sentence for sentence in wanted if not known.get(sentence)]


def translations(path: Path) -> dict[str, str]:
    """What a catalogue says for each sentence; empty where it has no translation."""
    return {text: said for (_, text), said in _read(path).items()}


def to_player(language: str) -> dict[Sentence, str]:
    """What a player is told in a language, by the name's place and the sentence about anybody."""
    return _read(texts.FOLDER / language / "LC_MESSAGES" / f"{texts.TO_PLAYER}.po")


def _read(path: Path) -> dict[Sentence, str]:
    from babel.messages.pofile import read_po

    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.parts[-3], abort_invalid=True)
    found = (message for message in catalogue if message.id)
    return {(message.context, str(message.id)): str(message.string) for message in found}


def sentences() -> tuple[str, ...]:
    """Everything to translate, each once."""
    return tuple(dict.fromkeys((*_marked(), *_of_games())))


def _marked() -> Iterator[str]:
    """What the source marks."""
    from babel.messages.extract import extract_from_file

    root = Path(companion.__file__).parent
    for path in _SOURCES:
        if path.is_relative_to(root) and path.relative_to(root).parts[0] in _NOT_SHOWN:
            continue
        found = extract_from_file("mobile.tools.catalogue:calls_in", path, keywords=KEYWORDS)
        yield from (str(message) for _, message, _, _ in found)


def calls_in(
    file: IO[bytes], keywords: Collection[str], _tags: Collection[str], options: dict[str, Any]
) -> Iterator[tuple[int, str, tuple[str | None, ...], list[str]]]:
    """Calls that take a sentence, for Babel; its own reader passes over calls within calls.

    Yields:
        Line, name and arguments of each call; a call that chooses between sentences once for each.
    """
    for node in ast.walk(ast.parse(file.read())):
        if not isinstance(node, ast.Call):
            continue
        func = node.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name not in keywords:
            continue
        if isinstance(func, ast.Attribute) and name in ("find", "say"):
            continue  # a text's own method
        for index, argument in enumerate(node.args):
            for text in _alternatives(argument):
                yield node.lineno, name, (*[None] * index, text), []


def _alternatives(node: ast.expr) -> Iterator[str]:
    """The sentences that an argument can be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _alternatives(node.body)
        yield from _alternatives(node.orelse)


def _of_games() -> Iterator[str]:
    """What games register: their options and verbs, and decks by name."""
    for game in all_games():
        if not type(game).__module__.startswith(f"{companion.__name__}."):
            continue  # another package's game, which brings its own words
        yield game.info.summary
        for option in game.options:
            yield option.name.replace("_", " ")
            yield option.explain
            if option.kind is OptionKind.CHOICE:
                yield from (choice.replace("_", " ") for choice in option.choices)
        for preset in game.presets:
            yield preset.title
            yield preset.explain
        for verb in game.verbs.values():
            yield verb.name
            yield verb.explain
            for form in verb.forms:
                for part in form:
                    yield from _words_of(part, is_one_of_several=len(verb.forms) > 1)
    for name in deck_names():
        yield get_deck(name).title


def _words_of(part: Part, *, is_one_of_several: bool) -> Iterator[str]:
    """What a part of a verb shows: its name where forms must be told apart, and its choices."""
    if is_one_of_several:
        yield part.label
    yield from getattr(part, "words", ())
    title = getattr(part, "title", "")
    if "|" in title:
        yield from title.split("|")


def catalogues() -> dict[Path, tuple[Sentence, ...]]:
    """Every catalogue there is, with what it must hold.

    Which sentences name their reader, and where, is for a person to say: the English catalogue of
    `texts.TO_PLAYER` says it for all languages.
    """
    said = sentences()
    known = frozenset(said)
    to_anybody = tuple(sentence for sentence in to_player("en") if sentence[1] in known)
    return (
        dict.fromkeys(po_files(), _plain(said))
        | dict.fromkeys(
            _files(seat_language.FOLDER, seat_language.DOMAIN), _plain(seat_sentences.ALL)
        )
        | dict.fromkeys(_files(texts.FOLDER, texts.TO_PLAYER), to_anybody)
    )


def _plain(said: Iterable[str]) -> tuple[Sentence, ...]:
    return tuple((None, text) for text in said)


def _files(folder: Path, domain: str) -> tuple[Path, ...]:
    return tuple(sorted(folder.glob(f"*/LC_MESSAGES/{domain}.po")))


def po_files() -> tuple[Path, ...]:
    """The app's own catalogues."""
    return _files(texts.FOLDER, texts.DOMAIN)


if __name__ == "__main__":
    sys.exit(main())
