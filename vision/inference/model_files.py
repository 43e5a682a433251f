"""Finds the networks' files and checks them before they are loaded."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.bounded_io import FileError, read_bytes, read_json
from vision.inference.backend import ModelError, Session, open_session

CHECKSUMS = "checksums.json"
_NETWORKS = ("locator", "classifier", "outliner")
#: A network larger than this, in bytes, is not read.
MOST_BYTES = 200_000_000
_REMEDY = "Reinstall the companion, or make the networks anew with `python -m models.train`."


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """What is known of one network's file without running it."""

    path: Path
    problem: str | None


def models_folder() -> Path:
    """The folder with the .onnx files: ``COMPANION_MODELS`` or the ``models`` room itself."""
    named = os.environ.get("COMPANION_MODELS")
    if named:
        return Path(named)
    # Beside this room, not wherever a package of that common name is found.
    return Path(__file__).parents[2] / "models"


def read_model(path: Path | str) -> bytes:
    """The bytes of a network, after comparing them with ``checksums.json`` beside it.

    Args:
        path: the .onnx file; a bare name is looked up in `models_folder`.

    Raises:
        ModelError: the file or its checksum is missing, or they do not agree.
    """
    path = Path(path)
    if path.name == str(path):
        path = models_folder() / path
    try:
        data = read_bytes(path, MOST_BYTES)
    except FileError:
        raise ModelError(f"{path}: the model file is missing. {_REMEDY}") from None
    expected = _checksums(path.parent).get(path.name)
    if expected is None:
        raise ModelError(f"{path}: {CHECKSUMS} has no checksum for this model. {_REMEDY}")
    if hashlib.sha256(data).hexdigest() != expected:
        raise ModelError(
            f"{path}: the model file has a wrong checksum, so it is not used. {_REMEDY}"
        )
    return data


def load_model(path: Path | str, *, threads: int = 2, engine: str | None = None) -> Session:
    """Checks a network's file and loads it.

    Raises:
        ModelError: see `read_model` and `vision.inference.backend.open_session`.
    """
    return open_session(read_model(path), threads=threads, engine=engine, name=str(path))


def check_models(folder: Path | None = None) -> list[ModelStatus]:
    """The state of every network named in a folder's ``checksums.json``.

    Raises:
        ModelError: the list of checksums itself is missing or unreadable.
    """
    folder = folder or models_folder()
    states = []
    for name in sorted(_checksums(folder)):
        try:
            read_model(folder / name)
        except ModelError as error:
            states.append(ModelStatus(folder / name, error.message))
        else:
            states.append(ModelStatus(folder / name, None))
    return states


class _Entry(dict[str, Any]):
    """How a network is fed; what it does not say is an error in words."""

    def __missing__(self, key: str) -> Any:
        raise ModelError(f"The list of networks is damaged: “{key}” is missing. {_REMEDY}")


def checked_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """A network's entry in the list of networks, if each thing in it is of its kind.

    Raises:
        ModelError: something is not, or is asked for later and missing.
    """
    checked = _Entry(entry)
    for key, value in checked.items():
        good = _KINDS.get(key)
        if good is not None and not good(value):
            raise ModelError(f"The list of networks is damaged: “{key}” is wrong. {_REMEDY}")
    return checked


def _is_size(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 10_000


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, int) for v in value)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)


def _checksums(folder: Path) -> dict[str, str]:
    path = folder / CHECKSUMS
    try:
        sums = read_json(path)
    except FileError as error:
        state = "missing" if error.missing else "damaged"
        raise ModelError(f"{path}: the list of checksums is {state}. {_REMEDY}") from None
    if not isinstance(sums, dict):
        raise ModelError(f"{path}: the list of checksums is damaged. {_REMEDY}")
    return sums


def manifest(folder: Path) -> dict[str, dict[str, Any]]:
    """How each network of a folder is to be fed.

    Raises:
        ModelError: the list is missing or damaged.
    """
    path = folder / "models.json"
    try:
        models = read_json(path)["models"]
        return {name: checked_entry(models[name]) for name in _NETWORKS}
    except FileError as error:
        if error.missing:
            raise ModelError(f"{path}: the list of networks is missing. {_REMEDY}") from None
        raise ModelError(
            f"{path}: the list of networks is damaged, it {error.why}. Reinstall the companion."
        ) from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ModelError(
            f"{path}: the list of networks is damaged. Reinstall the companion."
        ) from None


#: What each key of an entry must be, where it is there.
_KINDS: dict[str, Callable[[Any], bool]] = {
    "file": lambda value: isinstance(value, str) and Path(value).name == value,
    "stride": _is_size,
    "size_unit": _is_size,
    "patch_index_height": _is_size,
    "inner": _is_size,
    "temperature": _is_size,
    "glyphs": _are_names,
    "suits": _are_names,
    "kinds": _are_names,
    "patch": lambda value: _is_pair(value) and all(0 < v < 10_000 for v in value),
    "far_index_height": _is_size,
    "far_anchor": _is_pair,
}
