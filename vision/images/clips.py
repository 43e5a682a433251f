"""What a video file's structure says before a decoder sees it: its kind, and whether it is cut off.

Only containers that are known here reach the decoder: what else it would open are lists of other
files and addresses on a network. Layouts: Microsoft's AVI RIFF, ISO/IEC 14496-12 (MP4, MOV),
RFC 8794 (Matroska, WebM).
"""

from __future__ import annotations

import mmap
import os
import re
import struct
from pathlib import Path
from typing import BinaryIO

from companion.bounded_io import open_regular
from vision.images.headers import HeaderError

_MATROSKA, _SEGMENT = b"\x1a\x45\xdf\xa3", b"\x18\x53\x80\x67"
_BOXES = frozenset((b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot"))
#: How a stream of JPEGs, MPEG, ASF, FLV and Ogg begin; of these the end is not known beforehand.
_STREAMS = (
    b"\xff\xd8\xff", b"\x00\x00\x01\xba", b"\x00\x00\x01\xb3", b"\x30\x26\xb2\x75", b"FLV", b"OggS",
)  # fmt: skip
_TS_PACKET = 188
#: A video with more pixels in a frame is not decoded.
MOST_FRAME_PIXELS = 50_000_000
#: A JPEG frame's header (ITU-T T.81, B.2.2): SOF0 to SOF2 with one, three or four components of
#: eight bits, then its height and width.
_JPEG_FRAME = re.compile(rb"\xff[\xc0-\xc2]\x00[\x0b\x11\x14]\x08(..)(..)", re.DOTALL)
#: More boxes than that are no video.
_MOST_BOXES = 100_000


def is_cut_off(path: Path) -> bool:
    """Whether a video file ends before its structure says so; False where that is not said.

    Raises:
        HeaderError: it is empty, no video, so cut off that nothing of it can be shown, or holds
            frames that are too large.
        FileError: it cannot be opened, or is a folder, a pipe or a device.
    """
    with open_regular(path) as file:
        length = os.fstat(file.fileno()).st_size
        head = file.read(_TS_PACKET + 1)
        if not head:
            raise HeaderError("the file is empty")
        if head.startswith((b"RIFF", b"\xff\xd8\xff")):
            _check_jpeg_frames(file)
        try:
            return _is_cut(file, head, length)
        except struct.error:
            raise HeaderError("the file is cut off") from None


def _check_jpeg_frames(file: BinaryIO) -> None:
    """Refuses frames that say they are far larger than any camera's, before they are decoded."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for found in _JPEG_FRAME.finditer(content):
            height, width = (int.from_bytes(side, "big") for side in found.groups())
            if height * width > MOST_FRAME_PIXELS:
                raise HeaderError(f"a frame of {width}×{height} pixels is too large for a video")


def _is_cut(file: BinaryIO, head: bytes, length: int) -> bool:
    if head[:4] == b"RIFF" and head[8:11] == b"AVI":
        _check_avi_chunks(file, length)
        return int(struct.unpack_from("<I", head, 4)[0]) + 8 > length
    if head[4:8] in _BOXES:
        return _boxes_are_cut(file, length)
    if head[:4] == _MATROSKA:
        return _segment_is_cut(head, length)
    is_ts = head[:1] == b"G" and head[_TS_PACKET : _TS_PACKET + 1] == b"G"
    if is_ts or head.startswith(_STREAMS):
        return False
    raise HeaderError("it is no video")


def _check_avi_chunks(file: BinaryIO, length: int) -> None:
    """Refuses a chunk that says it is longer than the file: a decoder would make room for it.

    Only the frames themselves may be cut off; what comes before them may not.
    """
    at = 12
    for _ in range(_MOST_BOXES):
        file.seek(at)
        head = file.read(12)
        if len(head) < 12 or head[8:] == b"movi":
            return
        size = int(struct.unpack_from("<I", head, 4)[0])
        if at + 8 + size > length:
            raise HeaderError("the video is damaged")
        # What a list holds follows its name; chunks begin at even places.
        at += 12 if head[:4] == b"LIST" else 8 + size + size % 2


def _boxes_are_cut(file: BinaryIO, length: int) -> bool:
    """Walks the outer boxes; without the one named moov no frame can be found."""
    at, found = 0, False
    for _ in range(_MOST_BOXES):
        if at >= length:
            break
        file.seek(at)
        head = file.read(16)
        (size,), kind = struct.unpack_from(">I", head), head[4:8]
        if size == 1:
            (size,) = struct.unpack_from(">Q", head, 8)
        if size == 0:
            size = length - at  # it reaches to the end
        if size < 8:
            raise HeaderError("the video is damaged")
        found |= kind == b"moov" and at + size <= length
        at += size
    if not found:
        raise HeaderError("the file is cut off: its list of frames is missing")
    return at > length


def _segment_is_cut(head: bytes, length: int) -> bool:
    at = head.find(_SEGMENT)
    if at < 0 or at + 5 > len(head):
        return False
    first = head[at + 4]
    width = 9 - first.bit_length()
    if width > 8:
        return False
    stated = int.from_bytes(head[at + 4 : at + 4 + width], "big") - (1 << (7 * width))
    is_unknown = stated == (1 << (7 * width)) - 1  # recorded without being finished
    return not is_unknown and at + 4 + width + stated > length
