"""The people who play here: their names, typed once, and a colour each.

They are kept in a small file of the app's own. The journal keeps what they played; a person who is
forgotten here stays in the matches that were kept, until those are deleted too.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.atomic_io import write_private
from companion.bounded_io import read_object_or_set_aside
from companion.core.names import check_names, clean_name, name_key
from companion.errors import CompanionError, UsageError

FILE = "people.json"
#: So many different colours there are (`mobile.resources.theme.PLAYERS`).
COLOURS = 8
#: Of people who have not played for long nothing is remembered.
MOST = 60
#: A file longer than this, in bytes, is none of ours.
MAX_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who plays here.

    Attributes:
        colour: number of the colour, from 0 to `COLOURS` - 1.
    """

    name: str
    colour: int


def is_kept(folder: Path) -> bool:
    """Whether people were ever remembered in a folder."""
    return (folder / FILE).exists()


def load(folder: Path) -> tuple[Person, ...]:
    """The people remembered in a folder, who played last first.

    A damaged file is set aside; what cannot be a person in it is left out.
    """
    stored = read_object_or_set_aside(folder / FILE, MAX_BYTES)[0].get("people")
    people: dict[str, Person] = {}
    for entry in stored if isinstance(stored, list) else ():
        person = _person(entry)
        if person is not None:
            people.setdefault(name_key(person.name), person)
    return tuple(people.values())[:MOST]


def _person(entry: Any) -> Person | None:
    """A stored person; None where it is none."""
    if not isinstance(entry, dict):
        return None
    name, colour = entry.get("name"), entry.get("colour")
    if not isinstance(name, str) or type(colour) is not int or not 0 <= colour < COLOURS:
        return None
    return Person(name, colour) if _is_name(name) else None


def _is_name(name: str) -> bool:
    with contextlib.suppress(CompanionError):
        check_names((name,))
        return True
    return False


def load_youngest(folder: Path) -> dict[str, str]:
    """Who is the youngest of which group (`mobile.model.starting`), as it was said once."""
    stored = read_object_or_set_aside(folder / FILE, MAX_BYTES)[0].get("youngest")
    entries = stored.items() if isinstance(stored, dict) else ()
    return {key: who for key, who in entries if isinstance(who, str)}


def save(folder: Path, people: Sequence[Person], youngest: Mapping[str, str] | None = None) -> None:
    """Keeps them; a folder that cannot be written changes nothing else.

    Args:
        folder: the app's folder.
        people: who plays here.
        youngest: who is the youngest of which group; of older groups nothing is remembered.
    """
    kept = [{"name": person.name, "colour": person.colour} for person in people[:MOST]]
    groups = dict(list((youngest or {}).items())[-MOST:])
    with contextlib.suppress(UsageError):
        text = json.dumps({"people": kept, "youngest": groups}, ensure_ascii=False, indent=2)
        write_private(folder / FILE, text, folders=True)


def find(people: Sequence[Person], name: str) -> Person | None:
    """The person of a name, ignoring case; None where nobody is called so."""
    return next((p for p in people if name_key(p.name) == name_key(name)), None)


def met(people: Sequence[Person], names: Iterable[str]) -> tuple[Person, ...]:
    """The people after some of them sat down to play: these first, new ones with a free colour."""
    here: list[Person] = []
    for name in names:
        known = find((*here, *people), name)
        here.append(replace(known, name=name) if known else Person(name, free_colour(here, people)))
    seated = {name_key(person.name) for person in here}
    others = (person for person in people if name_key(person.name) not in seated)
    return (*here, *others)[:MOST]


def free_colour(here: Sequence[Person], people: Sequence[Person] = ()) -> int:
    """The colour that fewest have: of those who sit together, then of all."""
    together = [person.colour for person in here]
    everybody = [person.colour for person in people]
    return min(range(COLOURS), key=lambda c: (together.count(c), everybody.count(c), c))


def seated(people: Sequence[Person], names: Sequence[str]) -> tuple[int, ...]:
    """A colour for each player at a table, no two alike while there are enough.

    Somebody whose own colour another one at the table has keeps it only where they sit first.
    """
    own = [find(people, name) for name in names]
    taken: list[Person] = []
    for name, person in zip(names, own, strict=True):
        is_free = person is not None and all(p.colour != person.colour for p in taken)
        reserved = [p for p in own if p is not None]
        colour = person.colour if person and is_free else free_colour([*taken, *reserved])
        taken.append(Person(name, colour))
    return tuple(person.colour for person in taken)


def added(people: Sequence[Person], name: str) -> tuple[Person, ...]:
    """The people with somebody new, listed first.

    Raises:
        CompanionError: it cannot be a name, or somebody is called so already.
    """
    check_names((*(person.name for person in people), name))
    return (Person(clean_name(name), free_colour((), people)), *people)[:MOST]


def renamed(people: Sequence[Person], old: str, new: str) -> tuple[Person, ...]:
    """The people with another name for one of them.

    Raises:
        CompanionError: it cannot be a name, or somebody else is called so.
    """
    others = (p.name for p in people if name_key(p.name) != name_key(old))
    check_names((*others, new))
    is_meant = name_key(old)
    return tuple(
        replace(p, name=clean_name(new)) if name_key(p.name) == is_meant else p for p in people
    )


def recoloured(people: Sequence[Person], name: str, colour: int) -> tuple[Person, ...]:
    """The people with another colour for one of them."""
    who = name_key(name)
    return tuple(replace(p, colour=colour) if name_key(p.name) == who else p for p in people)


def forgotten(people: Sequence[Person], name: str) -> tuple[Person, ...]:
    """The people without one of them."""
    return tuple(person for person in people if name_key(person.name) != name_key(name))
