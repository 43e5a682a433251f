"""HEIC, as iPhones take pictures, and AVIF: decoded by pillow-heif and Pillow.

Both are imported when such a picture comes: phones' builds do without them.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.errors import UnreadableError
from vision.images.headers import Stored
from vision.images.opencv import without_log

#: What the decoders raise for a damaged file; RuntimeError is libheif's.
_DAMAGED = (OSError, EOFError, RuntimeError, SyntaxError, ValueError, MemoryError)
_ORIENTATION = 0x0112


def decode_heif(path: Path, stored: Stored) -> NDArray[np.uint8]:
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
