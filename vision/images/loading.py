"""Loads picture files safely: whole, upright, eight bits, three channels, within bounded memory."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.bounded_io import read_stream
from companion.errors import UnreadableError
from vision.arrays import Image
from vision.images.headers import HeaderError, Stored, stored_picture
from vision.images.opencv import without_log
from vision.images.progressive import coefficient_bytes, eighth_size

#: Largest JPEG that is decoded, in pixels.
MAX_PIXELS = 200_000_000
#: Largest picture of the other kinds, of which a decoder makes the whole before anything smaller.
MAX_WHOLE_PIXELS = 50_000_000
#: Largest of those that need more memory or time a pixel than others do.
MAX_HEAVY_PIXELS = 25_000_000
#: Shortest side that can hold a readable card, in pixels.
MIN_SIDE = 16
#: Largest file that is taken from standard input, in bytes.
MAX_PIPED = 200_000_000
#: Pictures above this many pixels are decoded at half, quarter or eighth size.
FULL_SIZE_PIXELS = 25_000_000
#: Progressive pictures whose coefficients need more memory than that are read at an eighth of their
#: size, without them.
MOST_COEFFICIENT_BYTES = 700_000_000

PICTURE_SUFFIXES = frozenset(
    (
        ".jpg", ".jpeg", ".jpe", ".png", ".webp", ".tif", ".tiff", ".bmp", ".gif",
        ".heic", ".heif", ".hif", ".avif",
    )
)  # fmt: skip
#: Pictures of kinds that are not read: a folder of them is not called empty.
_UNREAD_SUFFIXES = frozenset(
    (
        ".jxl", ".jp2", ".dng", ".cr2", ".cr3", ".nef", ".arw", ".raf", ".rw2", ".orf", ".psd",
        ".svg", ".pdf",
    )
)  # fmt: skip
VIDEO_SUFFIXES = frozenset((".mp4", ".m4v", ".mov", ".avi", ".mkv", ".webm", ".mjpg", ".mjpeg"))

_REDUCED = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}
#: Rows that are blended at a time.
_STRIP = 256
#: What the decoders raise for a damaged file; RuntimeError is libheif's.
_DAMAGED = (OSError, EOFError, RuntimeError, SyntaxError, ValueError, MemoryError)
_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class LoadedImage:
    """A decoded picture.

    Attributes:
        path: where it came from.
        pixels: (height, width, 3) uint8 BGR, turned upright by its EXIF orientation.
        size: width and height of the full upright picture; larger than ``pixels`` where it was
            decoded at reduced size.
    """

    path: Path
    pixels: Image
    size: tuple[int, int]

    @property
    def scale(self) -> float:
        """Factor from coordinates in ``pixels`` to coordinates in the full picture."""
        return max(self.size) / max(self.pixels.shape[:2])


def load_image(path: Path | str) -> LoadedImage:
    """Decodes a picture file; `-` is standard input.

    Grey, palette, 16-bit, CMYK and transparent pictures become 8-bit BGR (transparent parts show
    mid-grey); large ones are decoded at reduced size.

    Raises:
        UnreadableError: it cannot be opened, is no picture, is cut off or damaged, or is too
            small or too large; the message names the file and says which.
    """
    path = Path(path)
    if str(path) == "-":
        return _piped(path)
    header = _checked_header(path)
    stored = header.size
    factor = next((f for f in (1, 2, 4) if stored[0] * stored[1] <= FULL_SIZE_PIXELS * f * f), 8)
    if header.kind in ("HEIC", "AVIF"):
        whole = _over_grey(_decode_heif(path, header))
        return LoadedImage(path, _reduced(whole, factor), (whole.shape[1], whole.shape[0]))
    if factor > 1 and coefficient_bytes(path) > MOST_COEFFICIENT_BYTES:
        pixels = _without_coefficients(path)
    else:
        pixels = _decode(path, factor, may_be_clear=header.may_be_clear)
    height, width = pixels.shape[:2]
    if factor == 1:
        return LoadedImage(path, pixels, (width, height))
    turned = (width > height) != (stored[0] > stored[1])
    return LoadedImage(path, pixels, stored[::-1] if turned else stored)


def _piped(name: Path) -> LoadedImage:
    """The picture on standard input, as a file for a moment: decoders open one more than once."""
    data = read_stream(sys.stdin.buffer, name, MAX_PIPED)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "picture"
        path.write_bytes(data)
        try:
            return replace(load_image(path), path=name)
        except UnreadableError as error:
            raise UnreadableError(str(error).replace(str(path), str(name))) from None


def find_images(paths: Iterable[Path | str]) -> tuple[list[Path], list[UnreadableError]]:
    """Lists pictures to read: files as named, folders as the pictures in them by natural order.

    Returns:
        The files, and one error for each path that is missing or is a folder without pictures.
    """
    found: list[Path] = []
    errors: list[UnreadableError] = []
    for path in map(Path, paths):
        if not path.is_dir():
            found.append(path)
            continue
        try:
            found.extend(list_folder(path))
        except UnreadableError as error:
            errors.append(error)
    return found, errors


def list_folder(folder: Path, suffixes: Iterable[str] = PICTURE_SUFFIXES) -> list[Path]:
    """Pictures of a folder and of the folders in it, in natural order (2 before 10).

    Raises:
        UnreadableError: the folder cannot be listed or holds none.
    """
    wanted = frozenset(suffixes)
    try:
        files = [p for p in folder.rglob("*") if p.is_file()]
    except OSError as error:
        raise UnreadableError(f"{folder}: cannot be opened ({error.strerror}).") from None
    found = [p for p in files if p.suffix.lower() in wanted]
    if found:
        return sorted(found, key=natural_key)
    others = sorted({p.suffix.lower() for p in files} & _UNREAD_SUFFIXES)
    if others:
        raise UnreadableError(
            f"{folder}: the pictures in this folder ({', '.join(others)}) are of kinds that are "
            "not read here. Save them as JPEG or PNG."
        )
    raise UnreadableError(f"{folder}: there are no pictures in this folder.")


def natural_key(path: Path) -> list[list[tuple[int, int, str]]]:
    """Sorting key under which numbers inside names compare as numbers."""
    return [
        [
            (0, int(part), "") if part.isdigit() else (1, 0, part.casefold())
            for part in re.findall(r"[0-9]+|[^0-9]+", name)
        ]
        for name in path.parts
    ]


def _checked_header(path: Path) -> Stored:
    try:
        header = stored_picture(path)
    except HeaderError as error:
        raise UnreadableError(f"{path}: cannot be read, {error}.") from None
    except (OSError, ValueError):  # the file shrank meanwhile
        raise UnreadableError(f"{path}: cannot be read, the file is cut off.") from None
    width, height = header.size
    most = _most_pixels(header)
    if width * height > most:
        millions = width * height / 1e6
        raise UnreadableError(
            f"{path}: {width}×{height} is too large for a {header.kind} ({millions:.0f} "
            f"megapixels; up to {most // 1_000_000} are read). Make it smaller first."
        )
    if min(width, height) < MIN_SIDE:
        raise UnreadableError(
            f"{path}: {width}×{height} is too small to show a card "
            f"(each side needs {MIN_SIDE} pixels or more)."
        )
    return header


def _most_pixels(header: Stored) -> int:
    """How many pixels of such a picture are decoded within a gigabyte and a few seconds."""
    if header.kind == "JPEG":
        return MAX_PIXELS
    if header.kind == "GIF" or header.pixel_bytes > 4:
        return MAX_HEAVY_PIXELS * 8 // max(8, header.pixel_bytes)
    return MAX_WHOLE_PIXELS


def _decode(path: Path, factor: int, *, may_be_clear: bool) -> Image:
    try:
        with without_log():
            pixels = cv2.imread(str(path), _REDUCED[1 if may_be_clear else factor])
            if pixels is not None and may_be_clear:
                _lay_over_grey(path, pixels)
                pixels = _reduced(pixels, factor)
    except (cv2.error, MemoryError):
        pixels = None
    if pixels is None and not cv2.haveImageReader(str(path)):
        # OpenCV 4.10 has no GIF, and its builds differ in others.
        raise UnreadableError(
            f"{path}: OpenCV {cv2.__version__} does not read this kind of picture. "
            "Save it as JPEG or PNG."
        )
    if pixels is None:
        raise UnreadableError(f"{path}: cannot be read, the picture is damaged.")
    return np.ascontiguousarray(pixels, dtype=np.uint8)


def _without_coefficients(path: Path) -> Image:
    pixels = eighth_size(path)
    if pixels is None:
        raise UnreadableError(f"{path}: cannot be read, the picture is damaged.")
    return pixels


def _reduced(pixels: Image, factor: int) -> Image:
    """A picture of which a decoder has made the whole, at half of its size or less."""
    if factor == 1:
        return pixels
    size = (ceil(pixels.shape[1] / factor), ceil(pixels.shape[0] / factor))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def _over_grey(decoded: NDArray[np.uint8]) -> Image:
    """A decoded RGB or RGBA picture as BGR, the latter over mid-grey."""
    if decoded.shape[2] == 3:
        return np.asarray(cv2.cvtColor(decoded, cv2.COLOR_RGB2BGR), np.uint8)
    pixels = np.asarray(cv2.cvtColor(decoded, cv2.COLOR_RGBA2BGR), np.uint8)
    _blend(pixels, decoded)
    return pixels


def _lay_over_grey(path: Path, pixels: Image) -> None:
    """Blends a transparent picture over mid-grey in place; a turned one stays as decoded."""
    full = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if full is None or full.ndim != 3 or full.shape[2] != 4 or full.shape[:2] != pixels.shape[:2]:
        return
    _blend(pixels, full)


def _blend(pixels: Image, full: NDArray[Any]) -> None:
    """Blends BGR pixels over mid-grey in place, by the last channel of ``full``.

    A strip at a time: as floating-point numbers the whole would need a gigabyte.
    """
    top = np.float32(np.iinfo(full.dtype).max)
    for start in range(0, len(full), _STRIP):
        alpha = full[start : start + _STRIP, :, 3:].astype(np.float32) / top
        if bool((alpha == 1).all()):
            continue
        colour = pixels[start : start + _STRIP].astype(np.float32)
        blended = np.rint(colour * alpha + 128 * (1 - alpha))
        pixels[start : start + _STRIP] = blended.astype(np.uint8)


# -- HEIC, as iPhones take pictures, and AVIF; phones' builds do without their decoders ---------


def _decode_heif(path: Path, stored: Stored) -> NDArray[np.uint8]:
    """The whole picture, upright, with eight bits a sample.

    Args:
        path: the file.
        stored: what it says of itself; of kind "HEIC" or "AVIF".

    Returns:
        (height, width, 3) RGB, or (height, width, 4) RGBA where it may be transparent.

    Raises:
        UnreadableError: it is damaged, or what decodes it is not installed.
    """
    decoders = _decoders(path, stored.kind)
    try:
        with without_log():
            picture = _opened(path, stored, *decoders)
            is_clear = picture.has_transparency_data
            return np.asarray(picture.convert("RGBA" if is_clear else "RGB"))
    except (*_DAMAGED, decoders[0].Image.DecompressionBombError):
        raise UnreadableError(f"{path}: cannot be read, the {stored.kind} is damaged.") from None


def _decoders(path: Path, kind: str) -> tuple[ModuleType, ModuleType | None]:
    """Pillow, and pillow-heif where it is needed.

    Raises:
        UnreadableError: one of them is not installed, or Pillow was built without AVIF.
    """
    missing = "Pillow"
    try:
        import PIL.ImageOps

        if kind == "HEIC":
            missing = "pillow-heif"
            import pillow_heif

            return PIL, pillow_heif
        from PIL import features

        if features.check("avif"):
            return PIL, None
        missing = "Pillow 11.3 or later with AVIF"
    except ImportError:
        pass
    raise UnreadableError(
        f"{path}: is {'a HEIC' if kind == 'HEIC' else 'an AVIF'} picture, which needs {missing}. "
        f"Install it (pip install {missing.split()[0].lower()}), or save the picture as JPEG."
    )


def _opened(path: Path, stored: Stored, pil: ModuleType, heif: ModuleType | None) -> Any:
    """The picture, upright."""
    if heif is None:
        # Pillow puts the file's own way of standing in the place of its EXIF orientation.
        picture = pil.Image.open(path, formats=("AVIF",))
    else:
        picture = heif.open_heif(path, convert_hdr_to_8bit=True).to_pillow()
        said = picture.info.get("original_orientation")
        if said and not stored.is_turned:
            # libheif turns by the file's own properties, and rightly by nothing else; but some
            # programs write the EXIF orientation alone.
            picture.getexif()[_ORIENTATION] = said
    if picture.width * picture.height > max(stored.size[0] * stored.size[1], 1):
        raise ValueError("larger than it says")
    return pil.ImageOps.exif_transpose(picture)
