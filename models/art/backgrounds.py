"""Photographs and textures to lay cards on, brought to JPEG with ``backgrounds.json``."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from models.art.fonts import held_out
from models.art.packages import Say

_MAX_SIDE, _MIN_SIDE = 1600, 200
_HOLDOUT_ONE_IN = 6
_SUFFIXES = {".jpg", ".jpeg", ".png", ".tga", ".webp"}
_ARCHIVES = {".jar", ".pk3", ".zip", ".sh3t"}
_FLAT_DEVIATION = 3.0

# Folder patterns of each package that hold photographs or surfaces, and what to leave out:
# stereo and motion-capture frames, binary shapes and other test patterns are no tables.
_WHERE = {
    "debian-mate-backgrounds": r"backgrounds/",
    "debian-lomiri-wallpapers-16.04": r"backgrounds/",
    "debian-plasma-workspace-wallpapers": (
        r"/(1920x1080|2560x1440|1280x1024|1600x1200|3840x2160|5120x2880)\."
    ),
    "debian-sweethome3d": r"(textures?|wood|carpet|floor|parquet)",
    "debian-openarena-081-textures": r"textures/",
    "pypi-scikit-image": (
        r"skimage/data/(astronaut|brick|grass|gravel|coffee|chelsea|rocket|page|text|coins|cat"
        r"|motorcycle_left|retina|ihc|immunohistochemistry|hubble_deep_field)\."
    ),
}
_NOT = re.compile(
    r"(_n|_nm|_normal|_s|_spec|_glow|_fx|_local|_bump|alpha|screenshot|_lum)\.|/sfx|/effects"
)


@dataclass(frozen=True, slots=True)
class Background:
    """One surface.

    Attributes:
        path: The JPEG, relative to the cache folder.
        source: The package folder and file it was made from.
        kind: ``photo`` for wallpapers and pictures, ``texture`` for materials.
        holdout: Whether it is kept for evaluation.
    """

    path: str
    source: str
    kind: str
    holdout: bool


def build_backgrounds(root: Path, *, say: Say) -> list[Background]:
    """Writes ``backgrounds/*.jpg`` and ``backgrounds.json``."""
    folder = root / "backgrounds"
    folder.mkdir(parents=True, exist_ok=True)
    out: list[Background] = []
    seen: set[bytes] = set()
    for package, pattern in _WHERE.items():
        before = len(out)
        for source, data in _pictures(root / "unpacked" / package, re.compile(pattern)):
            item = _convert(source, data, package, root, seen)
            if item is not None:
                out.append(item)
        say(f"backgrounds: {len(out) - before} from {package}")
    text = json.dumps([asdict(b) for b in out], ensure_ascii=False, indent=1)
    (root / "backgrounds.json").write_text(text, encoding="utf-8")
    return out


def _pictures(folder: Path, pattern: re.Pattern[str]) -> Iterator[tuple[str, bytes]]:
    """The picture files of a package, those inside its archives included."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        if path.suffix.lower() in _ARCHIVES:
            with zipfile.ZipFile(path) as archive:
                for inner in archive.namelist():
                    if Path(inner).suffix.lower() in _SUFFIXES and pattern.search(inner.lower()):
                        yield f"{name}!{inner}", archive.read(inner)
        elif path.suffix.lower() in _SUFFIXES and pattern.search(name.lower()):
            yield name, path.read_bytes()


def _convert(
    source: str, data: bytes, package: str, root: Path, seen: set[bytes]
) -> Background | None:
    """Makes one JPEG; None for what is too small, flat, dark, see-through or there already."""
    if _NOT.search(source.lower()):
        return None
    image = _decode(data, Path(source).suffix.lower())
    if image is None or min(image.shape[:2]) < _MIN_SIDE:
        return None
    tiny = cv2.resize(image, (16, 16), interpolation=cv2.INTER_AREA)
    if float(tiny.std()) < _FLAT_DEVIATION and float(image.std()) < _FLAT_DEVIATION:
        return None
    if float((image.max(axis=2) < 24).mean()) > 0.3:
        return None
    key = np.concatenate([tiny[::4, ::4].ravel() // 24, [image.std() // 6]]).tobytes()
    if key in seen:
        return None
    seen.add(key)
    scale = min(1.0, _MAX_SIDE / max(image.shape[:2]))
    if scale < 1.0:
        size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    short = package.split("-", 1)[1].split("-", maxsplit=1)[0]
    stem = re.sub(r"[^a-z0-9]+", "_", source.lower().rsplit(".", 1)[0])[-60:].strip("_")
    target = root / "backgrounds" / f"{short}_{stem}.jpg"
    cv2.imwrite(str(target), image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    photo = package in {"debian-mate-backgrounds", "debian-lomiri-wallpapers-16.04",
                        "debian-plasma-workspace-wallpapers", "pypi-scikit-image"}  # fmt: skip
    return Background(
        path=target.relative_to(root).as_posix(),
        source=f"{package}: {source}",
        kind="photo" if photo else "texture",
        holdout=held_out(target.stem, one_in=_HOLDOUT_ONE_IN, salt="background"),
    )


def _decode(data: bytes, suffix: str) -> npt.NDArray[np.uint8] | None:
    """BGR pixels, or None for what is no opaque picture."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if image is None and suffix == ".tga":
        from PIL import Image

        try:
            with Image.open(io.BytesIO(data)) as opened:
                image = cv2.cvtColor(np.asarray(opened.convert("RGBA")), cv2.COLOR_RGBA2BGRA)
        except (OSError, ValueError):
            return None
    if image is None:
        return None
    if image.ndim == 2:
        return cv2.cvtColor(image, cv2.COLOR_GRAY2BGR).astype(np.uint8)
    if image.shape[2] == 4:
        if float((image[..., 3] > 200).mean()) < 0.98:
            return None
        image = image[..., :3]
    return np.ascontiguousarray(image).astype(np.uint8)
