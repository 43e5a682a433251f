"""Size and completeness of a picture file, read from its structure without decoding it.

Layouts: ITU-T T.81 annex B (JPEG), W3C PNG, RFC 9649 (WebP), TIFF 6.0, BMP's info header, GIF89a,
ISO/IEC 14496-12 and 23008-12 (HEIC, AVIF).
"""

from __future__ import annotations

import mmap
import os
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from companion.bounded_io import open_regular

Buffer = bytes | mmap.mmap

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
JPEG_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
_TIFF_SIZES = {3: "H", 4: "I", 16: "Q"}
_TIFF_WIDTH, _TIFF_HEIGHT, _TIFF_BITS, _TIFF_SAMPLES = 256, 257, 258, 277
_TIFF_TILE_WIDTH, _TIFF_TILE_HEIGHT, _TIFF_LARGEST_TILE = 322, 323, 1024
_TIFF_IS_SMALLER, _TIFF_OTHERS, _TIFF_DNG = 254, 330, 50706
_TIFF_TAGS = frozenset(
    (
        _TIFF_WIDTH, _TIFF_HEIGHT, _TIFF_SAMPLES, _TIFF_TILE_WIDTH, _TIFF_TILE_HEIGHT,
        _TIFF_IS_SMALLER,
    )
)  # fmt: skip
#: More boxes than that are no picture's.
_MOST_BOXES = 10_000
_VIDEO = "a video, not a picture: companion row, hand and watch read videos"
_RAW = "a camera's raw picture"
#: What other files begin with: pictures are not called none because they are not read here.
_OTHERS = (
    (b"\xff\x0a", "a JPEG XL picture"),
    (b"\0\0\0\x0cJXL ", "a JPEG XL picture"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 picture"),
    (b"\xff\x4f\xff\x51", "a JPEG 2000 picture"),
    (b"II\xbc", "a JPEG XR picture"),
    (b"II+\0", "a BigTIFF picture"),
    (b"MM\0+", "a BigTIFF picture"),
    (b"IIU\0", _RAW),
    (b"IIRO", _RAW),
    (b"IIRS", _RAW),
    (b"MMOR", _RAW),
    (b"FUJIFILMCCD-RAW", _RAW),
    (b"FOVb", _RAW),
    (b"8BPS", "a Photoshop picture"),
    (b"gimp xcf", "a GIMP picture"),
    (b"v/1\x01", "an OpenEXR picture"),
    (b"#?R", "a Radiance picture"),
    (b"qoif", "a QOI picture"),
    (b"BPG\xfb", "a BPG picture"),
    (b"DDS ", "a DDS picture"),
    (b"\0\0\1\0", "an icon"),
    (b"<svg", "an SVG drawing"),
    (b"%PDF-", "a PDF document"),
    (b"%!PS", "a PostScript document"),
    (b"\x1a\x45\xdf\xa3", _VIDEO),
    (b"\0\0\1\xba", _VIDEO),
    (b"\0\0\1\xb3", _VIDEO),
)
_NETPBM = re.compile(rb"P[1-7]\s")
_SVG = re.compile(rb"\s*<\?xml.*<svg", re.DOTALL)
#: How much of a file tells what it is, in bytes.
HEAD = 1024
#: Largest picture file that is opened, in bytes.
MAX_BYTES = 500_000_000


class HeaderError(ValueError):
    """The bytes are no picture, or not a whole one; the text says which."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A picture as its file says.

    Attributes:
        kind: "JPEG", "PNG", "WebP", "TIFF", "BMP", "GIF", "HEIC" or "AVIF".
        size: width and height in pixels as stored, before any rotation or cropping.
        pixel_bytes: bytes of a pixel where it needs more than four, else 4.
        may_be_clear: whether it may be transparent in parts.
        is_turned: whether a HEIC or AVIF says by properties of its own how it stands, so that its
            EXIF orientation is of no account.
    """

    kind: str
    size: tuple[int, int]
    pixel_bytes: int = 4
    may_be_clear: bool = False
    is_turned: bool = False


def stored_picture(path: Path) -> Stored:
    """What a picture file says of itself.

    Raises:
        HeaderError: it is empty, cut off, far too large, or of a kind that is not read; says which.
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
    if head[4:8] == b"ftyp":
        return _heif(data)
    raise HeaderError(f"it is {what_else(data[:HEAD])}")


def what_else(head: bytes) -> str:
    """What a file is that is not read as a picture, by its first bytes; with what to do about it.

    Args:
        head: the first ``HEAD`` bytes, fewer of a shorter file.
    """
    kind = next((kind for start, kind in _OTHERS if head.startswith(start)), None)
    if head[:4] == b"RIFF" and head[8:12] == b"AVI ":
        kind = _VIDEO
    if _NETPBM.match(head):
        kind = "a Netpbm picture"
    if _SVG.match(head):
        kind = "an SVG drawing"
    if kind is None:
        return "no picture (JPEG, PNG, HEIC, AVIF, WebP, TIFF, BMP or GIF)"
    return kind if kind == _VIDEO else f"{kind}, which is not read here: save it as JPEG or PNG"


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
    tags: set[int] = set()
    for entry in range(entries):
        offset = directory + 2 + 12 * entry
        tag, kind = struct.unpack_from(order + "HH", data, offset)
        tags.add(tag)
        if tag in _TIFF_TAGS and kind in _TIFF_SIZES:
            (found[tag],) = struct.unpack_from(order + _TIFF_SIZES[kind], data, offset + 8)
        if tag == _TIFF_BITS and kind == 3:
            (count,) = struct.unpack_from(order + "I", data, offset + 4)
            # More than two numbers of two bytes do not fit into the entry: they lie elsewhere.
            at = struct.unpack_from(order + "I", data, offset + 8)[0] if count > 2 else offset + 8
            (found[tag],) = struct.unpack_from(order + "H", data, at)
    # Cameras put their raw picture behind a small one for show.
    is_preview = _TIFF_OTHERS in tags and found.get(_TIFF_IS_SMALLER) == 1
    if _TIFF_DNG in tags or data[8:10] == b"CR" or is_preview:
        raise HeaderError(f"it is {_RAW}, which is not read here: save it as JPEG or PNG")
    if not {_TIFF_WIDTH, _TIFF_HEIGHT} <= set(found):
        raise HeaderError("the TIFF is damaged")
    size = (found[_TIFF_WIDTH], found[_TIFF_HEIGHT])
    tile = (found.get(_TIFF_TILE_WIDTH, 1), found.get(_TIFF_TILE_HEIGHT, 1))
    # A tile may reach beyond the picture, but not by more than a tile of usual size.
    if any(t > s + _TIFF_LARGEST_TILE for t, s in zip(tile, size, strict=True)):
        raise HeaderError("the TIFF is damaged")
    pixel = found.get(_TIFF_SAMPLES, 1) * ceil(found.get(_TIFF_BITS, 8) / 8)
    return Stored("TIFF", size, max(4, pixel))


def _heif(data: Buffer) -> Stored:
    """The picture that a HEIF file shows first: HEIC or AVIF by how it is coded."""
    outer = dict(_boxes(data, 0, len(data)))
    start, end = outer[b"ftyp"]
    brands = {bytes(data[at : at + 4]) for at in range(start, min(end, start + HEAD), 4)}
    if b"crx " in brands:
        raise HeaderError(f"it is {_RAW}, which is not read here: save it as JPEG or PNG")
    if not brands & {b"mif1", b"mif2", b"msf1", b"heic", b"heix", b"avif", b"avis"}:
        raise HeaderError(f"it is {_VIDEO}")
    if b"meta" not in outer:
        raise HeaderError("it holds a film, not a picture")
    kinds, of_first = _properties(data, outer[b"meta"])
    if not kinds & {b"hvcC", b"av1C"}:
        raise HeaderError(
            "it is a HEIF picture that is coded neither as HEIC nor as AVIF, which is not read "
            "here: save it as JPEG or PNG"
        )
    if b"ispe" not in of_first:
        raise HeaderError("the HEIC or AVIF is damaged")
    width, height = struct.unpack_from(">II", data, of_first[b"ispe"] + 4)
    is_turned = not of_first.keys().isdisjoint((b"irot", b"imir"))
    name = "HEIC" if b"hvcC" in kinds else "AVIF"
    return Stored(name, (width, height), is_turned=is_turned)


def _properties(data: Buffer, meta: tuple[int, int]) -> tuple[set[bytes], dict[bytes, int]]:
    """The kinds of all pictures' properties, and where those of the picture shown first lie."""
    parts = dict(_boxes(data, meta[0] + 4, meta[1]))
    if not {b"pitm", b"iprp"} <= set(parts):
        raise HeaderError("the HEIC or AVIF is damaged")
    held = list(_boxes(data, *parts[b"iprp"]))
    listed = [box for kind, place in held if kind == b"ipco" for box in _boxes(data, *place)]
    first = _item(data, parts[b"pitm"][0])
    of_first: dict[bytes, int] = {}
    for kind, (start, _) in held:
        if kind == b"ipma":
            numbers = _properties_of(data, first, start)
            chosen = (listed[k - 1] for k in numbers if 0 < k <= len(listed))
            of_first |= {name: place[0] for name, place in chosen}
    return {kind for kind, _ in listed}, of_first


def _boxes(data: Buffer, at: int, end: int) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """Kind and body of each box between two places."""
    for _ in range(_MOST_BOXES):
        if at >= end:
            return
        size, kind = struct.unpack_from(">I4s", data, at)
        head = 8
        if size == 1:
            (size,), head = struct.unpack_from(">Q", data, at + 8), 16
        if size == 0:
            size = end - at  # it reaches to the end
        if size < head:
            raise HeaderError("the HEIC or AVIF is damaged")
        if at + size > end:
            raise HeaderError("the file is cut off")
        yield kind, (at + head, at + size)
        at += size
    raise HeaderError("the HEIC or AVIF is damaged")


def _item(data: Buffer, pitm: int) -> int:
    """Number of the picture that is shown first."""
    return int(struct.unpack_from(">H" if data[pitm] == 0 else ">I", data, pitm + 4)[0])


def _properties_of(data: Buffer, item: int, ipma: int) -> Iterator[int]:
    """Numbers, from 1, of the properties that a picture has."""
    number, wide = (">H" if data[ipma] == 0 else ">I"), data[ipma + 3] & 1
    (entries,) = struct.unpack_from(">I", data, ipma + 4)
    at = ipma + 8
    for _ in range(entries):
        (found,) = struct.unpack_from(number, data, at)
        at += struct.calcsize(number)
        count = data[at]
        at += 1
        for _ in range(count):
            value = struct.unpack_from(">H" if wide else ">B", data, at)[0]
            at += 2 if wide else 1
            if found == item:
                yield int(value) & (0x7FFF if wide else 0x7F)
