"""Keeps the catalogues of translations: `python -m mobile.tools.catalogue`.

Collects every sentence of the app and every word that the games bring, adds what is new to each
`companion.po` (left empty for a translator), drops what is gone, and compiles the `.mo` files that
the app reads. Needs polib, which the dev extra brings.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import companion
from companion.core.registry import all_games
from companion.core.setup import OptionKind
from companion.core.syntax import Part
from companion.decks import deck_names, get_deck
from mobile.android import camera as android_camera
from mobile.resources import texts
from mobile.resources.words import WORDS
from mobile.seats import language as seat_language
from mobile.seats import sentences as seat_sentences
from vision import sources as vision_sources

#: Parts of the package that people meet in the terminal or in files, not in the app.
_NOT_SHOWN = ("cli", "bench.py", "bench_notepad.py", "bench_journal.py", "export.py", "journal")
#: Where cameras say why they do not work.
_CAMERAS = (vision_sources, android_camera)
#: What takes a template (see `companion.phrases` and `companion.core.state`).
_FUNCTIONS = ("phrase", "say", "find")
_METHODS = ("phrase", "illegal")
_PLACE = re.compile(r"\{[a-z_]{2,}\w*(:[.0-9f%]+)?\}")
_SENTENCE = re.compile(r"[^\n\\=|]*[a-z]{2,} [^\n\\=|]*[.!?]")


def main() -> int:
    """The command line; 1 where something is not translated."""
    import polib

    missing = 0
    for path, wanted in catalogues().items():
        catalogue = polib.pofile(str(path), wrapwidth=100)
        update(catalogue, wanted)
        catalogue.save()
        catalogue.save_as_mofile(str(path.with_suffix(".mo")))
        empty = catalogue.untranslated_entries()
        missing += len(empty)
        print(f"{path.parts[-3]}: {len(catalogue)} sentences, {len(empty)} to translate")
    return 1 if missing else 0


def update(catalogue: object, wanted: tuple[str, ...]) -> None:
    """Brings a polib catalogue to the sentences it must hold, in their order."""
    import polib

    known = {entry.msgid: entry.msgstr for entry in catalogue}  # type: ignore[attr-defined]
    catalogue.clear()  # type: ignore[attr-defined]
    for text in wanted:
        entry = polib.POEntry(msgid=text, msgstr=known.get(text, ""))
        if "{" in text:
            entry.flags.append("python-brace-format")
        catalogue.append(entry)  # type: ignore[attr-defined]


def sentences() -> tuple[str, ...]:
    """Everything to translate, each once."""
    return tuple(dict.fromkeys((*_own(), *_of_games(), *_of_referee(), *_of_cameras(), *WORDS)))


def _own() -> Iterator[str]:
    for value in texts.ENGLISH.values():
        if isinstance(value, dict):
            yield from value.values()
        elif isinstance(value, tuple):
            yield from value
        else:
            yield str(value)


def _of_games() -> Iterator[str]:
    for game in all_games():
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


def _of_referee() -> Iterator[str]:
    """Templates and plain sentences in the source of the rules, notepads and errors."""
    root = Path(companion.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in _NOT_SHOWN:
            yield from _said_in(ast.parse(path.read_text(encoding="utf-8")))


def _of_cameras() -> Iterator[str]:
    """Why there are no pictures."""
    for module in _CAMERAS:
        yield from _said_in(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")))


def _said_in(tree: ast.Module) -> Iterator[str]:
    """What a module can say: the templates of its phrases, and texts that end as sentences do."""
    templates: list[tuple[ast.Constant, str]] = []
    silent: set[ast.Constant] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _speaks(node):
            for argument in node.args:
                templates += [text for text in _texts_in(argument) if len(text[1]) > 1]
        elif isinstance(node, ast.Expr | ast.JoinedStr):  # docstrings, and what is no phrase
            silent |= {child for child, _ in _texts_in(node)}
    silent |= {template for template, _ in templates}
    yield from (text for _, text in templates)
    yield from (
        text
        for node, text in _texts_in(tree)
        if node not in silent and (_SENTENCE.fullmatch(text) or _PLACE.search(text))
    )


def _texts_in(node: ast.AST) -> list[tuple[ast.Constant, str]]:
    """The texts that stand in a piece of a program, each with its node."""
    found = (child for child in ast.walk(node) if isinstance(child, ast.Constant))
    return [(child, child.value) for child in found if isinstance(child.value, str)]


def _speaks(call: ast.Call) -> bool:
    """Whether a call takes a template: a function's, or a method's of a game's state."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in _METHODS
    return isinstance(call.func, ast.Name) and call.func.id in _FUNCTIONS


def _words_of(part: Part, *, is_one_of_several: bool) -> Iterator[str]:
    """What a part of a verb shows: its name where forms must be told apart, and its choices."""
    if is_one_of_several:
        yield part.label
    yield from getattr(part, "words", ())
    title = getattr(part, "title", "")
    if "|" in title:
        yield from title.split("|")


def catalogues() -> dict[Path, tuple[str, ...]]:
    """Every catalogue there is, with what it must hold."""
    own = dict.fromkeys(po_files(), sentences())
    seats = sorted(seat_language.FOLDER.glob(f"*/LC_MESSAGES/{seat_language.DOMAIN}.po"))
    return own | dict.fromkeys(seats, seat_sentences.ALL)


def po_files() -> tuple[Path, ...]:
    """The app's own catalogues."""
    return tuple(sorted(texts.FOLDER.glob(f"*/LC_MESSAGES/{texts.DOMAIN}.po")))


if __name__ == "__main__":
    sys.exit(main())
