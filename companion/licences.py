"""The packages of an installation, and their licences as their own metadata states them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import PurePath

#: The package whose requirements are followed.
OURS = "tabletop-companion"
#: What may be installed in a package's place.
SUBSTITUTES = {"opencv-python": "opencv-python-headless"}
_UNSAID = "not said"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
#: Where a licence's whole text was put in place of its name, the text is not it.
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Licence:
    """One installed package.

    Attributes:
        name: as it calls itself.
        version: that is installed.
        licence: its licence in short, "not said" if it says none.
        files: its licence texts, as paths on this machine.
    """

    name: str
    version: str
    licence: str
    files: tuple[str, ...]


def licences(package: str = OURS) -> tuple[Licence, ...]:
    """A package and everything it needs to run that is installed here, by name.

    Packages of extras are left out.
    """
    found: dict[str, Licence] = {}
    waiting = [package]
    while waiting:
        name = waiting.pop()
        installed = _installed(name)
        if installed is None or _plain(installed.metadata["Name"]) in found:
            continue
        found[_plain(installed.metadata["Name"])] = _read(installed)
        for requirement in installed.requires or ():
            needed, _, marker = requirement.partition(";")
            match = _NAME.match(needed.strip())
            if match and "extra" not in marker:
                waiting.append(match.group())
    return tuple(licence for _, licence in sorted(found.items()))


def _installed(name: str) -> Distribution | None:
    for candidate in (name, SUBSTITUTES.get(_plain(name), name)):
        try:
            return distribution(candidate)
        except PackageNotFoundError:
            continue
    return None


def _plain(name: str) -> str:
    """A name as the index compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _read(installed: Distribution) -> Licence:
    facts = installed.metadata
    texts = tuple(
        str(file.locate())
        for file in installed.files or ()
        if PurePath(str(file)).name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE"))
        and ".dist-info" in str(file)
    )
    return Licence(facts["Name"], installed.version, _in_short(installed), texts)


def _in_short(installed: Distribution) -> str:
    """The expression, else the classifiers, else the name that is given."""
    facts = installed.metadata
    expression = facts.get_all("License-Expression") or ()
    classifiers = [
        text.rpartition(" :: ")[2]
        for text in facts.get_all("Classifier") or ()
        if text.startswith("License :: ") and text != "License :: OSI Approved"
    ]
    named = [text for text in facts.get_all("License") or () if len(text) <= _LONGEST_NAME]
    for said in (expression, classifiers, named):
        told = " and ".join(text.strip() for text in said if text.strip() and text != "UNKNOWN")
        if told:
            return told
    return _UNSAID
