"""The networks of the eyes, loaded as their list says that they are fed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.indices.classify import Classifier, Views
from vision.indices.locate import Locator
from vision.inference.backend import ModelError
from vision.inference.model_files import load_model, manifest, models_folder
from vision.outlines.outliner import CardPatch, Outliner


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
    """What each of them does is said where it is defined.

    Attributes:
        locator: finds indices.
        classifier: names them.
        outliner: finds the corners of cards.
    """

    locator: Locator
    classifier: Classifier
    outliner: Outliner


def load_networks(
    folder: Path | None = None, *, threads: int = 2, engine: str | None = None
) -> Networks:
    """The networks of a folder.

    Args:
        folder: where they are; None takes the shipped ones.
        threads: processor threads for them.
        engine: see `vision.inference.backend.open_session`.

    Raises:
        ModelError: a network's file is missing, damaged or refused.
    """
    folder = folder or models_folder()
    spec = manifest(folder)
    try:
        return _loaded(folder, spec, threads=threads, engine=engine)
    except (ValueError, LookupError, TypeError):
        raise ModelError(
            f"{folder / 'models.json'}: the list of networks does not fit them. "
            "Reinstall the companion."
        ) from None


def load_outliner(
    folder: Path | None = None, *, threads: int = 2, engine: str | None = None
) -> Outliner:
    """The network of outlines alone; arguments and errors as of `load_networks`."""
    folder = folder or models_folder()
    spec = manifest(folder)["outliner"]
    patch = CardPatch(_pair(spec["patch"]), float(spec["inner"]))
    session = load_model(folder / spec["file"], threads=threads, engine=engine)
    return Outliner(session, patch=patch, kinds=spec["kinds"])


def _loaded(
    folder: Path, spec: dict[str, dict[str, Any]], *, threads: int, engine: str | None
) -> Networks:
    """The networks of a list.

    Raises:
        ModelError: one is missing, damaged or refused.
        ValueError, LookupError, TypeError: the list does not fit it.
    """
    if not {"joker", "none"} <= set(spec["classifier"]["glyphs"]):
        raise ValueError("names for what is no rank are missing")
    sessions = {
        name: load_model(folder / spec[name]["file"], threads=threads, engine=engine)
        for name in ("locator", "classifier")
    }
    locator, classifier = spec["locator"], spec["classifier"]
    return Networks(
        Locator(
            sessions["locator"],
            stride=int(locator["stride"]),
            size_unit=float(locator["size_unit"]),
        ),
        Classifier(
            sessions["classifier"],
            glyphs=classifier["glyphs"],
            suits=classifier["suits"],
            views=Views(
                patch=_pair(classifier["patch"]),
                index_height=float(classifier["patch_index_height"]),
                far_index_height=float(classifier["far_index_height"]),
                far_anchor=_pair(classifier["far_anchor"]),
            ),
            temperature=float(classifier.get("temperature", 1.0)),
        ),
        load_outliner(folder, threads=threads, engine=engine),
    )


def _pair(values: Any) -> tuple[int, int]:
    first, second = values
    return int(first), int(second)
