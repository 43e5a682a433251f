#!/usr/bin/env python3
"""The lowest run-time versions that pyproject.toml allows, as constraints for pip, one a line.

With --check, run by an environment's own Python: compares them with what is installed there and
says what differs (exit code 1).
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
#: Name, lowest version, other bounds, marker.
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*>=\s*([0-9.]+)\s*(?:,[^;]*)?(;.*)?")


def pins(requirements: list[str]) -> list[tuple[str, str, str]]:
    """Name, lowest version and marker (with its semicolon) of each requirement.

    Raises:
        ValueError: a requirement names no lowest version.
    """
    found = []
    for text in requirements:
        match = _REQUIREMENT.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"pyproject.toml: {text!r} names no lowest version.")
        name, lowest, marker = match.groups()
        found.append((name, lowest, marker or ""))
    return found


def differences(wanted: list[tuple[str, str, str]]) -> list[str]:
    """What is installed in another version than wanted, or not at all."""
    found = []
    for name, lowest, _ in wanted:
        try:
            present = version(name)
        except PackageNotFoundError:
            present = "not installed"
        if present != lowest:
            found.append(f"{name}: {lowest} is wanted, {present} is here.")
    return found


def main(arguments: list[str]) -> int:
    """The command line."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    try:
        wanted = pins([*project["dependencies"], *project["optional-dependencies"]["host"]])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if "--check" in arguments:
        problems = differences(wanted)
        for problem in problems:
            print(problem, file=sys.stderr)
        return 1 if problems else 0
    for name, lowest, marker in wanted:
        print(f"{name}=={lowest}{marker}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
