"""Progressive pictures from their first scan, beside OpenCV's whole decoding."""

from __future__ import annotations

import struct
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import UnreadableError
from vision.images import loading
from vision.images.progressive import coefficient_bytes, eighth_size

FULL_COLOUR = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444


def smooth(width: int, height: int, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    soft = cv2.GaussianBlur(noise, (0, 0), 9)
    return cv2.normalize(soft, None, 0, 255, cv2.NORM_MINMAX)


def written(
    path: Path,
    picture: np.ndarray,
    *,
    scans: bool = True,
    restart: int = 0,
    quality: int = 90,
) -> Path:
    how = [cv2.IMWRITE_JPEG_PROGRESSIVE, int(scans), cv2.IMWRITE_JPEG_QUALITY, quality]
    how += [cv2.IMWRITE_JPEG_RST_INTERVAL, restart]
    how += [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, FULL_COLOUR]
    assert cv2.imwrite(str(path), picture, how)
    return path


@settings(deadline=None, max_examples=40)
@given(
    width=st.integers(17, 260),
    height=st.integers(17, 260),
    seed=st.integers(0, 99),
    restart=st.sampled_from((0, 1, 7)),
    quality=st.integers(40, 98),
    grey=st.booleans(),
)
def test_it_is_what_a_whole_decoder_gives(
    tmp_path_factory, width, height, seed, restart, quality, grey
):
    picture = smooth(width, height, seed)
    picture = picture[..., 0] if grey else picture
    path = tmp_path_factory.mktemp("p") / "a.jpg"
    written(path, picture, restart=restart, quality=quality)
    whole = cv2.imread(str(path), cv2.IMREAD_REDUCED_COLOR_8)
    small = eighth_size(path)
    assert small is not None
    assert small.shape == whole.shape
    # The scan leaves out the last bit of the means, which a later one brings.
    assert np.abs(small.astype(int) - whole).mean() < 1.5 + 60 / quality


def test_the_memory_of_a_whole_decoder_is_told_beforehand(tmp_path):
    path = written(tmp_path / "a.jpg", smooth(161, 97, 1))
    assert coefficient_bytes(path) == 21 * 13 * 64 * 3 * 2
    assert coefficient_bytes(written(tmp_path / "b.jpg", smooth(161, 97, 1), scans=False)) == 0
    (tmp_path / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert coefficient_bytes(tmp_path / "c.png") == 0


def turned(path: Path, orientation: int) -> Path:
    """The file with an EXIF orientation put in."""
    entry = struct.pack(">HHIHH", 0x112, 3, 1, orientation, 0)
    body = b"Exif\0\0MM\0*" + struct.pack(">IH", 8, 1) + entry + struct.pack(">I", 0)
    data = path.read_bytes()
    path.write_bytes(data[:2] + struct.pack(">HH", 0xFFE1, len(body) + 2) + body + data[2:])
    return path


@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_it_is_turned_upright(tmp_path, orientation):
    path = turned(written(tmp_path / "a.jpg", smooth(240, 160, 2)), orientation)
    whole = cv2.imread(str(path), cv2.IMREAD_REDUCED_COLOR_8)
    small = eighth_size(path)
    assert small.shape == whole.shape
    assert np.abs(small.astype(int) - whole).mean() < 3


def test_large_ones_are_loaded_that_way(tmp_path, monkeypatch):
    path = written(tmp_path / "a.jpg", smooth(640, 400, 3))
    monkeypatch.setattr(loading, "FULL_SIZE_PIXELS", 20_000)
    whole = loading.load_image(path)
    monkeypatch.setattr(loading, "MOST_COEFFICIENT_BYTES", 100_000)
    small = loading.load_image(path)
    assert small.size == whole.size == (640, 400)
    assert small.pixels.shape == (50, 80, 3)
    assert small.scale == 8
    data = path.read_bytes()
    start = data.index(b"\xff\xda")
    path.write_bytes(data[: start + 14] + b"\x55" * 20 + data[-2:])
    with pytest.raises(UnreadableError, match="damaged"):
        loading.load_image(path)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_damaged_one_is_no_picture_or_some_picture(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("p") / "a.jpg"
    whole = bytearray(written(path, smooth(64, 48, 4)).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        whole[data.draw(st.integers(2, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(whole))
    small = eighth_size(path)
    assert small is None or (small.ndim == 3 and small.dtype == np.uint8)
