"""Finds the networks' files and checks them before they are loaded."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from vision.backend import ModelError, Session, open_session

CHECKSUMS = "checksums.json"
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
    return Path(__file__).parent.parent / "models"


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
        data = path.read_bytes()
    except OSError:
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
        ModelError: see `read_model` and `vision.backend.open_session`.
    """
    return open_session(read_model(path), threads=threads, engine=engine, name=str(path))


def write_checksums(folder: Path) -> Path:
    """Writes ``checksums.json`` for all .onnx files of a folder; returns its path."""
    sums = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.glob("*.onnx")}
    target = folder / CHECKSUMS
    target.write_text(json.dumps(sums, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return target


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


def _checksums(folder: Path) -> dict[str, str]:
    path = folder / CHECKSUMS
    try:
        sums = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise ModelError(f"{path}: the list of checksums is missing. {_REMEDY}") from None
    except ValueError:
        raise ModelError(f"{path}: the list of checksums is damaged. {_REMEDY}") from None
    if not isinstance(sums, dict):
        raise ModelError(f"{path}: the list of checksums is damaged. {_REMEDY}")
    return sums
