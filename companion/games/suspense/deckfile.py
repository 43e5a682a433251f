"""Which card bears which victory condition: deck files, and changes written out.

A deck file is JSON or TOML (by its ending) that maps cards to conditions in words, at its top level
or under `conditions`:

    {"conditions": {"W1": "highest number in play", …, "!": "lowest sum in play"}}

All twelve numbered cards must be listed; `!` may be left out. Instead of a file, the changes to the
bundled deck can be written out, `W1 lowest number in play, W2 highest number in play`, so that a
mapping edited on a screen stays readable without any file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from companion.bounded_io import FileError, read_json, read_toml
from companion.cards import Card, Family, card, parse_card
from companion.errors import UnreadableError
from companion.games.suspense.conditions import (
    DEFAULT_CONDITIONS,
    EXCLAMATIONS,
    Condition,
    Measure,
    parse_condition,
)

#: A deck file longer than this, in bytes, is not read.
MAX_BYTES = 100_000
#: Letters of a card or of a condition; what is longer is neither, and is not repeated.
_LONGEST = 200
EXCLAMATION = card("!", Family.SUSPENSE)
#: Keys of a deck file that are no cards.
_LABELS = ("name", "title")
_NUMBERED = tuple(c for c in DEFAULT_CONDITIONS if c is not EXCLAMATION)


def read_conditions(value: str) -> Mapping[Card, Condition]:
    """The mapping that an option's value stands for.

    Args:
        value: empty or `default` for the bundled deck, changes to it, or the path of a deck file.

    Raises:
        UnreadableError: a file cannot be read, or the mapping is not that of a deck.
    """
    if value in ("", "default"):
        return DEFAULT_CONDITIONS
    if _is_written_out(value):
        return _checked(dict(DEFAULT_CONDITIONS) | _changes(value))
    return _checked(_load(Path(value).expanduser()))


def check_conditions(value: str, _players: int) -> None:
    """Raises `UnreadableError` for a value that `read_conditions` refuses."""
    read_conditions(value)


def write_conditions(mapping: Mapping[Card, Condition]) -> str:
    """A mapping as changes to the bundled deck; `read_conditions` reads it back."""
    changes = [
        f"{c.code} {mapping[c]}" for c in DEFAULT_CONDITIONS if mapping[c] != DEFAULT_CONDITIONS[c]
    ]
    return ", ".join(changes) or "default"


def _is_written_out(value: str) -> bool:
    words = value.split()
    return len(words) > 1 and any(words[0].upper() == known.code for known in DEFAULT_CONDITIONS)


def _changes(value: str) -> dict[Card, Condition]:
    found: dict[Card, Condition] = {}
    for part in value.split(","):
        code, _, words = part.strip().partition(" ")
        bearer = parse_card(code, Family.SUSPENSE)
        if not bearer.is_known or bearer in found:
            raise UnreadableError("“{code}” cannot be given a condition here.", code=code)
        found[bearer] = parse_condition(words)
    return found


def _load(path: Path) -> dict[Card, Condition]:
    read = read_toml if path.suffix == ".toml" else read_json
    try:
        content = read(path, MAX_BYTES)
    except FileError as error:
        why = error.message.removesuffix(".")
        raise UnreadableError("The deck file is not used: {why}.", why=why) from None
    if isinstance(content, dict) and isinstance(content.get("conditions"), dict):
        content = content["conditions"]
    if not isinstance(content, dict):
        raise UnreadableError("The deck file {path} maps no cards to conditions.", path=path)
    entries = [_entry(code, words) for code, words in content.items() if code not in _LABELS]
    return {EXCLAMATION: EXCLAMATIONS[0]} | dict(entries)


def _entry(code: str, words: Any) -> tuple[Card, Condition]:
    if not isinstance(words, str):
        raise UnreadableError("The condition of {code} is not written in words.", code=code[:20])
    if len(code) > _LONGEST or len(words) > _LONGEST:
        raise UnreadableError("“{code}” cannot be given a condition here.", code=code[:20])
    return parse_card(code, Family.SUSPENSE), parse_condition(words)


def _checked(mapping: Mapping[Card, Condition]) -> Mapping[Card, Condition]:
    """Refuses what is no deck: each card one condition, each condition one card."""
    missing = [c.code for c in _NUMBERED if c not in mapping]
    if missing:
        raise UnreadableError("Cards without a condition: {missing}.", missing=", ".join(missing))
    unknown = [c.code for c in mapping if c not in DEFAULT_CONDITIONS]
    if unknown:
        raise UnreadableError("{unknown}: no card of the deck.", unknown=", ".join(unknown))
    if mapping[EXCLAMATION] not in EXCLAMATIONS:
        raise UnreadableError(
            "“{mapping}” is none of the twenty conditions of !.", mapping=mapping[EXCLAMATION]
        )
    bearers: dict[Condition, Card] = {}
    for bearer in _NUMBERED:
        condition = mapping[bearer]
        if condition.measure is not Measure.NUMBER:
            raise UnreadableError(
                "{bearer} bears a condition on numbers, not “{condition}”.",
                bearer=bearer.code,
                condition=condition,
            )
        if condition in bearers:
            other = bearers[condition].code
            raise UnreadableError(
                "{other} and {bearer} both bear “{condition}”.",
                other=other,
                bearer=bearer.code,
                condition=condition,
            )
        bearers[condition] = bearer
    return MappingProxyType({c: mapping[c] for c in DEFAULT_CONDITIONS})
