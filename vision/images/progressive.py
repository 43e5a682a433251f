"""A progressive JPEG at an eighth of its size, from its first scan alone.

A decoder keeps all coefficients of a progressive picture until the last scan is in: two bytes a
sample, more than a gigabyte for 200 megapixels that are not subsampled. The mean of every block of
8 × 8 comes in the first scan (ITU-T T.81, annexes F.2.2.1 and G.1.2.1), and these means are the
picture at an eighth of its size, in a few megabytes.
"""

from __future__ import annotations

import itertools
import mmap
import re
import struct
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.bounded_io import open_regular
from vision.arrays import Image
from vision.images.headers import JPEG_SCAN_END

_EOI, _SOF_PROGRESSIVE, _DHT, _SOS, _DQT, _DRI = 0xD9, 0xC2, 0xC4, 0xDA, 0xDB, 0xDD
_EXIF, _ADOBE = 0xE1, 0xEE
_FACTORS = frozenset(16 * across + down for across in (1, 2, 4) for down in (1, 2, 4))
_BLOCK, _COEFFICIENT_BYTES = 8, 2
_WINDOW = 16
"""Bits of the longest Huffman code."""

_LARGEST = 11
"""Bits of the largest difference of two means, for samples of eight bits."""

_REFILL = 64
"""Bytes of a scan that are taken up at a time."""

_DAMAGED = (IndexError, KeyError, ValueError, struct.error)
_RESTART = re.compile(rb"\xff[\xd0-\xd7]")


@dataclass(slots=True)
class _Component:
    name: int
    across: int
    down: int
    quantiser: int
    blocks: NDArray[np.float32] | None = None


@dataclass(slots=True)
class _Frame:
    """What the headers say, and what the scans have brought so far."""

    size: tuple[int, int] = (0, 0)
    components: list[_Component] = field(default_factory=list)
    quantisers: dict[int, int] = field(default_factory=dict)
    tables: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    restart: int = 0
    exif: bytes = b""
    is_plain_rgb: bool = False

    @property
    def most(self) -> tuple[int, int]:
        """The largest sampling factors, across and down."""
        return max(c.across for c in self.components), max(c.down for c in self.components)

    def blocks_of(self, c: _Component, *, padded: bool) -> tuple[int, int]:
        """Columns and rows of a component's blocks; padded to whole units of all components."""
        out = []
        for length, factor, most in zip(self.size, (c.across, c.down), self.most, strict=True):
            samples = ceil(length * factor / most)
            units = ceil(length / (_BLOCK * most))
            out.append(units * factor if padded else ceil(samples / _BLOCK))
        return out[0], out[1]


def coefficient_bytes(path: Path) -> int:
    """Memory that a decoder needs for all coefficients of a progressive JPEG; 0 for others."""
    frame = _Frame()
    try:
        with _mapped(path) as data:
            for marker, body, _ in _segments(data):
                if marker == _SOF_PROGRESSIVE:
                    _take_frame(frame, body)
                    counts = (frame.blocks_of(c, padded=True) for c in frame.components)
                    return sum(a * b for a, b in counts) * _BLOCK**2 * _COEFFICIENT_BYTES
    except _DAMAGED:
        return 0
    return 0


def eighth_size(path: Path) -> Image | None:
    """The picture at an eighth of its size, turned upright by its EXIF orientation, BGR.

    None where it is no progressive JPEG of one or three components, or is damaged.
    """
    try:
        with _mapped(path) as data:
            frame = _read(data)
        picture = _picture(frame)
    except _DAMAGED:
        return None
    return _upright(picture, frame.exif)


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    """A file's bytes without reading them all into memory."""
    with (
        open_regular(path) as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        yield data


def _picture(frame: _Frame) -> Image:
    width, height = (ceil(length / _BLOCK) for length in frame.size)
    full = []
    for c in frame.components:
        if c.blocks is None:
            raise ValueError("a component is missing")
        across, down = frame.most[0] // c.across, frame.most[1] // c.down
        full.append(np.repeat(np.repeat(c.blocks, down, 0), across, 1)[:height, :width])
    picture = np.clip(np.rint(np.dstack(full)), 0, 255).astype(np.uint8)
    if len(full) == 1:
        bgr = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    elif len(full) != 3:
        raise ValueError("neither grey nor colour")
    elif frame.is_plain_rgb:
        bgr = picture[..., ::-1]
    else:
        bgr = cv2.cvtColor(picture[..., [0, 2, 1]], cv2.COLOR_YCrCb2BGR)
    return np.ascontiguousarray(bgr, np.uint8)


def _upright(picture: Image, exif: bytes) -> Image | None:
    """Turns as OpenCV turns any picture: it is given this one with the file's EXIF data."""
    if not exif:
        return picture
    whole_colour = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
    fine = (cv2.IMWRITE_JPEG_QUALITY, 98, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, whole_colour)
    _, coded = cv2.imencode(".jpg", picture, fine)
    segment = struct.pack(">BBH", 0xFF, _EXIF, len(exif) + 2) + exif
    whole = coded[:2].tobytes() + segment + coded[2:].tobytes()
    turned = cv2.imdecode(np.frombuffer(whole, np.uint8), cv2.IMREAD_COLOR)
    return None if turned is None else np.ascontiguousarray(turned, np.uint8)


def _segments(data: mmap.mmap) -> Iterator[tuple[int, bytes, bytes]]:
    """Marker and body of each segment, and what is coded behind it."""
    position = 2
    while True:
        while data[position] == 0xFF:
            position += 1
        marker = data[position]
        if marker == _EOI:
            return
        (length,) = struct.unpack_from(">H", data, position + 1)
        body = data[position + 3 : position + 1 + length]
        position += 1 + length
        coded = b""
        if marker == _SOS:
            end = JPEG_SCAN_END.search(data, position)
            stop = len(data) if end is None else end.start()
            coded, position = data[position:stop], stop
        yield marker, body, coded


def _read(data: mmap.mmap) -> _Frame:
    """Walks the segments until every component has its means."""
    frame = _Frame()
    for marker, body, coded in _segments(data):
        if marker == _SOS:
            _take_scan(frame, body, coded)
            if all(c.blocks is not None for c in frame.components):
                break
        else:
            _take(frame, marker, body)
    return frame


def _take(frame: _Frame, marker: int, body: bytes) -> None:
    """Takes in what a segment says, unless it is of no account here."""
    if marker == _SOF_PROGRESSIVE:
        _take_frame(frame, body)
    elif marker == _DQT:
        while body:
            size = 1 + 64 * (1 + (body[0] >> 4))
            first = struct.unpack_from(">H" if body[0] >> 4 else ">B", body, 1)[0]
            frame.quantisers[body[0] & 15] = int(first)
            body = body[size:]
    elif marker == _DHT:
        while body:
            counts = body[1:17]
            if body[0] >> 4 == 0:
                frame.tables[body[0] & 15] = _lookup(counts, body[17 : 17 + sum(counts)])
            body = body[17 + sum(counts) :]
    elif marker == _DRI:
        (frame.restart,) = struct.unpack(">H", body)
    elif marker == _EXIF and body[:4] == b"Exif":
        frame.exif = body
    elif marker == _ADOBE and body[:5] == b"Adobe":
        frame.is_plain_rgb = body[11] == 0


def _take_frame(frame: _Frame, body: bytes) -> None:
    precision, height, width, count = struct.unpack_from(">BHHB", body)
    if precision != 8 or not width or not height:
        raise ValueError("not eight bits a sample")
    frame.size = (width, height)
    for k in range(count):
        name, factors, quantiser = body[6 + 3 * k : 9 + 3 * k]
        if factors not in _FACTORS:
            raise ValueError("no such sampling")
        frame.components.append(_Component(name, factors >> 4, factors & 15, quantiser))


def _lookup(counts: bytes, symbols: bytes) -> list[tuple[int, int]]:
    """For every window of 16 bits the length of the code it starts with, and its symbol."""
    table, code = [(0, 0)] * (1 << _WINDOW), 0
    names = iter(symbols)
    for length, count in enumerate(counts, 1):
        for name in itertools.islice(names, count):
            first, span = code << (_WINDOW - length), 1 << (_WINDOW - length)
            if first + span > len(table) or name > _LARGEST:
                raise ValueError("no table of means")
            table[first : first + span] = [(length, name)] * span
            code += 1
        code <<= 1
    return table


def _take_scan(frame: _Frame, header: bytes, coded: bytes) -> None:
    """Takes the means out of a scan that brings them for the first time."""
    count = header[0]
    first, _, bits = header[1 + 2 * count :]
    if first != 0 or bits >> 4 != 0:
        return
    names = {header[1 + 2 * k]: header[2 + 2 * k] >> 4 for k in range(count)}
    parts = [c for c in frame.components if c.name in names]
    alone = len(parts) == 1
    order = [c for c in parts for _ in range(1 if alone else c.across * c.down)]
    grids = [frame.blocks_of(c, padded=not alone) for c in parts]
    units = grids[0][0] * grids[0][1] // (1 if alone else parts[0].across * parts[0].down)
    tables = [frame.tables[names[c.name]] for c in order]
    step = frame.restart or units
    pieces = _RESTART.split(coded) if frame.restart else [coded]
    runs: list[list[NDArray[np.int32]]] = [[] for _ in parts]
    for k, piece in enumerate(pieces):
        here = min(step, units - k * step)
        if here <= 0:
            break
        steps = np.array(_differences(piece.replace(b"\xff\0", b"\xff"), tables, here), np.int32)
        by_unit, at = steps.reshape(here, len(order)), 0
        for run, c in zip(runs, parts, strict=True):
            each = 1 if alone else c.across * c.down
            run.append(by_unit[:, at : at + each].ravel().cumsum(dtype=np.int32))
            at += each
    for run, c, grid in zip(runs, parts, grids, strict=True):
        # The bits that a later scan brings are halfway between all nought and all one.
        unit = 1 << (bits & 15)
        means = np.concatenate(run).astype(np.float32) * unit + (unit - 1) / 2
        means = means * (frame.quantisers[c.quantiser] / _BLOCK) + 128
        c.blocks = _laid_out(means, grid, (1, 1) if alone else (c.across, c.down))


def _laid_out(
    means: NDArray[np.float32], grid: tuple[int, int], unit: tuple[int, int]
) -> NDArray[np.float32]:
    """Blocks in their places: units by rows, and the blocks of each unit by rows."""
    columns, rows = grid[0] // unit[0], grid[1] // unit[1]
    blocks = means.reshape(rows, columns, unit[1], unit[0]).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(blocks.reshape(grid[1], grid[0]))


def _differences(coded: bytes, tables: Sequence[list[tuple[int, int]]], units: int) -> array[int]:
    """The decoded differences of so many units, each of which uses the tables in their order."""
    out = array("i")
    buffer = have = position = 0
    for table in itertools.chain.from_iterable(itertools.repeat(tables, units)):
        if have < 2 * _WINDOW:
            if position > len(coded) + _REFILL:
                raise ValueError("cut off")
            piece = coded[position : position + _REFILL].ljust(_REFILL, b"\xff")
            buffer = (buffer & ((1 << have) - 1)) << (8 * _REFILL) | int.from_bytes(piece, "big")
            have += 8 * _REFILL
            position += _REFILL
        length, bits = table[(buffer >> (have - _WINDOW)) & 0xFFFF]
        if length == 0:
            raise ValueError("no such code")
        have -= length + bits
        value = (buffer >> have) & ((1 << bits) - 1)
        # Below half of its range a difference is negative (T.81, figure F.12).
        out.append(value if not bits or value >> (bits - 1) else value - (1 << bits) + 1)
    return out
