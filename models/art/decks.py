"""Brings the decks of all packages into one form: a PNG a card and a ``deck.json`` a deck."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.art.indices import Index, find_indices
from models.art.layouts import LAYOUTS, Named
from models.art.packages import Say
from models.art.paths import CARD_HEIGHT, CARDS, split_card
from models.art.render import Rgba, fit_height, round_corners, write_png

_KNOWN = {"name", "package", "layout", "file", "licence", "family", "holdout", "alphabet", "skip"}


@dataclass(frozen=True, slots=True)
class DeckSource:
    """Where a deck's art is and what it shows; one table of ``decks.toml``.

    Attributes:
        name: The deck's folder name.
        package: The folder of its package under ``unpacked/``.
        layout: How its file or files hold the cards; a key of `LAYOUTS`.
        file: The file or folder within the package.
        licence: The art's licence, as SPDX writes it.
        family: Court artist family; decks of one family share art.
        holdout: Whether the deck is kept for evaluation.
        glyphs: Rank to the glyph that is drawn, where they differ from the international ones.
        skip: Ranks whose cards bear no index and are left out.
        options: The table's other keys, for the layout.
    """

    name: str
    package: str
    layout: str
    file: str
    licence: str
    family: str
    holdout: bool
    glyphs: Mapping[str, str]
    skip: tuple[str, ...]
    options: Mapping[str, Any]


def load_sources(path: Path | None = None) -> tuple[tuple[DeckSource, ...], dict[str, str]]:
    """Reads ``decks.toml``: the decks, and those left out by hand with the reason."""
    path = path or Path(__file__).with_name("decks.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    sources = tuple(
        DeckSource(
            name=row["name"],
            package=row["package"],
            layout=row["layout"],
            file=row["file"],
            licence=row["licence"],
            family=row["family"],
            holdout=row["holdout"],
            glyphs=data["alphabets"][row["alphabet"]],
            skip=tuple(row.get("skip", ())),
            options={k: v for k, v in row.items() if k not in _KNOWN},
        )
        for row in data["deck"]
    )
    return sources, {row["name"]: row["reason"] for row in data.get("dropped", ())}


def build_decks(root: Path, *, say: Say, only: Callable[[str], bool] = lambda _: True) -> None:
    """Builds every deck that is not there yet, and writes ``decks/dropped.json``.

    Args:
        root: The cache folder, with the unpacked packages in it.
        say: Told one line a deck.
        only: Chooses decks by name.
    """
    sources, by_hand = load_sources()
    folder = root / "decks"
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "dropped.json"
    dropped: dict[str, Any] = json.loads(report.read_text("utf-8")) if report.is_file() else {}
    dropped.update(by_hand)
    for i, source in enumerate(sources, start=1):
        if not only(source.name) or (folder / source.name / "deck.json").is_file():
            continue
        try:
            count, missing = _build(source, root)
        except (OSError, ValueError) as error:
            dropped[source.name] = str(error)
            say(f"deck {i}/{len(sources)} {source.name}: left out: {error}")
            continue
        dropped.pop(source.name, None)
        if missing:
            dropped[source.name] = {"cards without an index": missing}
        say(f"deck {i}/{len(sources)} {source.name}: {count} cards, {len(missing)} left out")
    report.write_text(json.dumps(dropped, ensure_ascii=False, indent=1), encoding="utf-8")


def _build(source: DeckSource, root: Path) -> tuple[int, list[str]]:
    """Builds one deck; gives the number of cards and those without a findable index."""
    art = root / "unpacked" / source.package
    if not (art / source.file).exists():
        raise ValueError(f"{art / source.file} is not there; was the package fetched?")
    faces: dict[str, Rgba] = {}
    extras: dict[str, Rgba] = {}
    for name, image in _normalised(LAYOUTS[source.layout](art / source.file, source.options)):
        (faces if name in CARDS else extras)[name] = image
    wanted = {c: image for c, image in faces.items() if split_card(c)[0] not in source.skip}
    indices = find_indices(wanted)
    missing = sorted(set(wanted) - set(indices))
    if len(indices) < len(wanted) / 2 or not wanted:
        raise ValueError(f"the index was found on only {len(indices)} of {len(wanted)} cards")
    folder = root / "decks" / source.name
    for name in indices:
        write_png(folder / f"{name}.png", faces[name])
    for name, image in extras.items():
        write_png(folder / f"{name}.png", image)
    jokers = [name for name in extras if name.startswith("JK")]
    description = _describe(source, faces | extras, indices, jokers)
    (folder / "deck.json").write_text(
        json.dumps(description, ensure_ascii=False, indent=1), encoding="utf-8"
    )
    return len(indices), missing


def _normalised(cards: Iterator[Named]) -> Iterator[Named]:
    for name, image in cards:
        yield name, round_corners(fit_height(image, CARD_HEIGHT))


def _describe(
    source: DeckSource,
    pictures: Mapping[str, Rgba],
    indices: Mapping[str, tuple[Index, ...]],
    jokers: list[str],
) -> dict[str, Any]:
    """The contents of ``deck.json``."""
    cards = {
        name: {
            "size": [pictures[name].shape[1], pictures[name].shape[0]],
            "indices": [
                {"rank_box": i.rank_box, "suit_box": i.suit_box, "angle": i.angle}
                for i in indices.get(name, ())
            ],
        }
        for name in (*sorted(indices, key=CARDS.index), *sorted(jokers))
    }
    return {
        "name": source.name,
        "source": f"{source.package}: {source.file}",
        "licence": source.licence,
        "family": source.family,
        "holdout": source.holdout,
        "glyphs": {rank: glyph for rank, glyph in source.glyphs.items() if rank != glyph},
        "cards": cards,
    }
