"""Clips; and films as phones take them, without an encoder for them: each frame by itself.

OpenCV has no encoder for HEVC. A HEIC picture is one frame of it, so a film can be put together
from pictures by the boxes of ISO/IEC 14496-12.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pillow_heif

#: How a picture is turned for show, in quarters clockwise: a, b, c, d of the track's matrix.
_TURNS = {0: (1, 0, 0, 1), 1: (0, 1, -1, 0), 2: (-1, 0, 0, -1), 3: (0, -1, 1, 0)}


def write_clip(
    path: Path, pictures: Iterable[np.ndarray], *, codec: str = "MJPG", rate: float = 10
) -> Path:
    """Writes BGR pictures of one size as a clip of that four-letter code."""
    writer = None
    for picture in pictures:
        if writer is None:
            size = picture.shape[1::-1]
            writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), rate, size)
        writer.write(np.ascontiguousarray(picture))
    writer.release()
    return path


def heic(picture: np.ndarray, **options: object) -> bytes:
    """A BGR picture as a HEIC file."""
    stored = BytesIO()
    height, width = picture.shape[:2]
    quick = {"enc_params": {"preset": "ultrafast"}}
    mode = "BGRA" if picture.shape[2] == 4 else "BGR"
    made = pillow_heif.from_bytes(mode, (width, height), np.ascontiguousarray(picture).tobytes())
    made.save(stored, **(quick | {"quality": 90} | options))
    return stored.getvalue()


def write_hevc(
    path: Path, pictures: Sequence[np.ndarray], *, rate: int = 10, quarters: int = 0
) -> Path:
    """Writes BGR pictures of one size as a film in HEVC.

    Args:
        path: where to.
        pictures: (height, width, 3) each, as the camera's sensor lies.
        rate: frames a second.
        quarters: how far a player turns them, in quarters clockwise.
    """
    stills = [heic(picture) for picture in pictures]
    height, width = pictures[0].shape[:2]
    frames = [_inside(still, b"mdat") for still in stills]
    head = _box(b"ftyp", b"qt  \0\0\0\0qt  ")
    # Once to learn how long the list of frames is, and then with the place where they begin.
    blank = _moov(_inside(stills[0], b"hvcC"), (width, height), frames, rate, quarters, 0)
    begin = len(head) + len(blank) + 8
    moov = _moov(_inside(stills[0], b"hvcC"), (width, height), frames, rate, quarters, begin)
    path.write_bytes(head + moov + _box(b"mdat", b"".join(frames)))
    return path


def _inside(data: bytes, kind: bytes) -> bytes:
    at = data.index(kind) - 4
    return data[at + 8 : at + struct.unpack_from(">I", data, at)[0]]


def _box(kind: bytes, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I4s", len(body) + 8, kind) + body


def _numbers(*values: int) -> bytes:
    return struct.pack(f">{len(values)}i", *values)


def _matrix(quarters: int) -> bytes:
    a, b, c, d = (value << 16 for value in _TURNS[quarters])
    return _numbers(a, b, 0, c, d, 0, 0, 0, 1 << 30)


def _moov(
    coding: bytes,
    size: tuple[int, int],
    frames: Sequence[bytes],
    rate: int,
    quarters: int,
    begin: int,
) -> bytes:
    count, (width, height) = len(frames), size
    movie = _numbers(0, 0, 0, rate, count, 1 << 16) + struct.pack(">hxx8x", 256)
    movie += _matrix(0) + bytes(24) + _numbers(2)
    track = _numbers(7, 0, 0, 1, 0, count) + bytes(16) + _matrix(quarters)
    track += _numbers(width << 16, height << 16)
    media = _numbers(0, 0, 0, rate, count) + struct.pack(">HH", 0x55C4, 0)
    kind = bytes(6) + struct.pack(">H16xHH", 1, width, height)
    kind += _numbers(72 << 16, 72 << 16, 0) + struct.pack(">H32xHh", 1, 24, -1)
    table = _box(
        b"stbl",
        _box(b"stsd", _numbers(0, 1), _box(b"hvc1", kind, _box(b"hvcC", coding))),
        _box(b"stts", _numbers(0, 1, count, 1)),
        _box(b"stsc", _numbers(0, 1, 1, count, 1)),
        _box(b"stsz", _numbers(0, 0, count, *map(len, frames))),
        _box(b"stco", _numbers(0, 1, begin)),
    )
    source = _box(b"dinf", _box(b"dref", _numbers(0, 1), _box(b"url ", _numbers(1))))
    shown = _box(b"minf", _box(b"vmhd", _numbers(1), bytes(8)), source, table)
    handler = _box(b"hdlr", _numbers(0, 0), b"vide", bytes(12), b"\0")
    return _box(
        b"moov",
        _box(b"mvhd", movie),
        _box(b"trak", _box(b"tkhd", track), _box(b"mdia", _box(b"mdhd", media), handler, shown)),
    )
