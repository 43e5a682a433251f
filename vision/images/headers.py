"""Size and completeness of a picture file, read from its structure without decoding it.

Layouts: ITU-T T.81 annex B (JPEG), W3C PNG, RFC 9649 (WebP), TIFF 6.0, BMP's info header, GIF89a.
"""

from __future__ import annotations

import mmap
import os
import re
import struct
import zlib
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from companion.reading import open_regular

Buffer = bytes | mmap.mmap

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
JPEG_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
_TIFF_SIZES = {3: "H", 4: "I", 16: "Q"}
_TIFF_WIDTH, _TIFF_HEIGHT, _TIFF_BITS, _TIFF_SAMPLES = 256, 257, 258, 277
_TIFF_TILE_WIDTH, _TIFF_TILE_HEIGHT, _TIFF_LARGEST_TILE = 322, 323, 1024
_TIFF_TAGS = frozenset(
    (_TIFF_WIDTH, _TIFF_HEIGHT, _TIFF_SAMPLES, _TIFF_TILE_WIDTH, _TIFF_TILE_HEIGHT)
)
#: Largest picture file that is opened, in bytes.
MAX_BYTES = 500_000_000


class HeaderError(ValueError):
    """The bytes are no picture, or not a whole one; the text says which."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A picture as its file says.

    Attributes:
        kind: "JPEG", "PNG", "WebP", "TIFF", "BMP" or "GIF".
        size: width and height in pixels as stored, before any rotation.
        pixel_bytes: bytes of a pixel where it needs more than four, else 4.
        may_be_clear: whether it may be transparent in parts.
    """

    kind: str
    size: tuple[int, int]
    pixel_bytes: int = 4
    may_be_clear: bool = False


def stored_picture(path: Path) -> Stored:
    """What a picture file says of itself.

    Raises:
        HeaderError: it is empty, cut off, far too large, or no JPEG, PNG, WebP, TIFF, BMP or GIF.
        FileError: it cannot be opened, or is a folder, a pipe or a device.
    """
    with open_regular(path) as file:
        length = os.fstat(file.fileno()).st_size
        if length == 0:
            raise HeaderError("the file is empty")
        if length > MAX_BYTES:
            raise HeaderError(f"the file is too large (up to {MAX_BYTES // 10**6} MB are read)")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                return _stored(data)
            except (struct.error, IndexError):
                raise HeaderError("the file is cut off") from None


def _stored(data: Buffer) -> Stored:
    head = data[:16]
    if head[:2] == b"\xff\xd8":
        return Stored("JPEG", _jpeg(data))
    if head[:8] == _PNG:
        size = _png(data)
        clear = data[25] in (4, 6)
        return Stored("PNG", size, 8 if data[24] == 16 else 4, may_be_clear=clear)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Stored("WebP", _webp(data), may_be_clear=data[12:16] in (b"VP8X", b"VP8L"))
    if head[:2] == b"BM":
        return Stored("BMP", _bmp(data))
    if head[:4] in (b"II*\0", b"MM\0*"):
        return _tiff(data, "<" if head[:2] == b"II" else ">")
    if head[:6] in (b"GIF87a", b"GIF89a"):
        return Stored("GIF", struct.unpack_from("<HH", data, 6))
    raise HeaderError("it is no picture (JPEG, PNG, WebP, TIFF, BMP or GIF)")


def _jpeg(data: Buffer) -> tuple[int, int]:
    """Walks the segments to the end-of-image marker, which a cut-off file does not have."""
    size: tuple[int, int] | None = None
    position = 2
    while True:
        if data[position] != 0xFF:
            raise HeaderError("the JPEG is damaged")
        while data[position] == 0xFF:
            position += 1
        marker = data[position]
        position += 1
        if marker == 0xD9:
            break
        if marker == 0x01 or 0xD0 <= marker <= 0xD7:
            continue
        (length,) = struct.unpack_from(">H", data, position)
        if marker in _JPEG_FRAME and size is None:
            height, width = struct.unpack_from(">HH", data, position + 3)
            size = (width, height)
        position += length
        if marker == 0xDA:
            end = JPEG_SCAN_END.search(data, position)
            if end is None:
                raise HeaderError("the file is cut off")
            position = end.start()
    if size is None:
        raise HeaderError("the JPEG holds no picture")
    return size


def _png(data: Buffer) -> tuple[int, int]:
    """Walks the chunks to the closing IEND; refuses at the first wrong checksum."""
    width, height = struct.unpack_from(">II", data, 16)
    if data[12:16] != b"IHDR":
        raise HeaderError("the PNG is damaged")
    if width * height > 1 << 28:
        return width, height  # far too large whatever follows: the caller refuses it
    position, kind = 8, b""
    while kind != b"IEND":
        length, kind = struct.unpack_from(">I4s", data, position)
        end = position + 12 + length
        if end > len(data):
            raise HeaderError("the file is cut off")
        with memoryview(data) as view:
            checksum = zlib.crc32(view[position + 4 : end - 4])
        if checksum != struct.unpack_from(">I", data, end - 4)[0]:
            raise HeaderError("the PNG is damaged")
        position = end
    return width, height


def _webp(data: Buffer) -> tuple[int, int]:
    (length,) = struct.unpack_from("<I", data, 4)
    if length + 8 > len(data):
        raise HeaderError("the file is cut off")
    kind = data[12:16]
    if kind == b"VP8X":
        width = int.from_bytes(data[24:27], "little") + 1
        height = int.from_bytes(data[27:30], "little") + 1
        return width, height
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    raise HeaderError("the WebP is damaged")


def _bmp(data: Buffer) -> tuple[int, int]:
    (header,) = struct.unpack_from("<I", data, 14)
    if header == 12:
        return struct.unpack_from("<HH", data, 18)
    width, height = struct.unpack_from("<ii", data, 18)
    return abs(width), abs(height)


def _tiff(data: Buffer, order: str) -> Stored:
    (directory,) = struct.unpack_from(order + "I", data, 4)
    (entries,) = struct.unpack_from(order + "H", data, directory)
    found: dict[int, int] = {}
    for entry in range(entries):
        offset = directory + 2 + 12 * entry
        tag, kind = struct.unpack_from(order + "HH", data, offset)
        if tag in _TIFF_TAGS and kind in _TIFF_SIZES:
            (found[tag],) = struct.unpack_from(order + _TIFF_SIZES[kind], data, offset + 8)
        if tag == _TIFF_BITS and kind == 3:
            (count,) = struct.unpack_from(order + "I", data, offset + 4)
            # More than two numbers of two bytes do not fit into the entry: they lie elsewhere.
            at = struct.unpack_from(order + "I", data, offset + 8)[0] if count > 2 else offset + 8
            (found[tag],) = struct.unpack_from(order + "H", data, at)
    if not {_TIFF_WIDTH, _TIFF_HEIGHT} <= set(found):
        raise HeaderError("the TIFF is damaged")
    size = (found[_TIFF_WIDTH], found[_TIFF_HEIGHT])
    tile = (found.get(_TIFF_TILE_WIDTH, 1), found.get(_TIFF_TILE_HEIGHT, 1))
    # A tile may reach beyond the picture, but not by more than a tile of usual size.
    if any(t > s + _TIFF_LARGEST_TILE for t, s in zip(tile, size, strict=True)):
        raise HeaderError("the TIFF is damaged")
    pixel = found.get(_TIFF_SAMPLES, 1) * ceil(found.get(_TIFF_BITS, 8) / 8)
    return Stored("TIFF", size, max(4, pixel))
