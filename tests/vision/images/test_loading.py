"""Picture files, good and bad, as people have them."""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
import zlib
from io import BytesIO, TextIOWrapper

import cv2
import numpy as np
import PIL.Image
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from companion.errors import UnreadableError
from tests.vision.images.films import heic
from vision.images.headers import HeaderError, stored_picture
from vision.images.loading import find_images, list_folder, load_image

RNG = np.random.default_rng(0)
PICTURE = cv2.GaussianBlur(RNG.integers(0, 255, (60, 90, 3)).astype(np.uint8), (0, 0), 3)
FORMATS = tuple(
    suffix
    for suffix in (".jpg", ".png", ".webp", ".bmp", ".tiff", ".gif", ".heic", ".avif")
    if suffix != ".gif" or cv2.haveImageWriter(suffix)  # from OpenCV 4.11 on
)


def save(path, picture=PICTURE, options=()):
    if path.suffix == ".gif" and not cv2.haveImageWriter(".gif"):
        Image.fromarray(picture[..., ::-1]).save(path)  # OpenCV 4.10 has no GIF
        return path
    if path.suffix == ".heic":
        path.write_bytes(heic(picture))
        return path
    if path.suffix == ".avif":
        order = [2, 1, 0, 3][: picture.shape[2]]
        Image.fromarray(picture[..., order]).save(path, quality=90, speed=10)
        return path
    assert cv2.imwrite(str(path), picture, list(options))
    return path


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png_header(width, height):
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)


def exif(orientation):
    """An APP1 segment that says only how the camera was held."""
    entry = struct.pack("<HHIHH", 0x0112, 3, 1, orientation, 0)
    tiff = b"II*\0" + struct.pack("<IH", 8, 1) + entry + b"\0\0\0\0"
    data = b"Exif\0\0" + tiff
    return b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data


def test_a_kind_that_this_opencv_does_not_read_is_not_called_damaged(tmp_path, monkeypatch):
    path = tmp_path / "a.gif"
    PIL.Image.new("RGB", (20, 30), (0, 90, 200)).save(path)
    if cv2.haveImageReader(str(path)):
        assert load_image(path).size == (20, 30)
        monkeypatch.setattr(cv2, "imread", lambda *_arguments: None)
        monkeypatch.setattr(cv2, "haveImageReader", lambda _path: False)
    with pytest.raises(UnreadableError, match=r"a\.gif: OpenCV .* Save it as JPEG or PNG"):
        load_image(path)


@pytest.mark.parametrize("suffix", FORMATS)
def test_formats_are_read_and_measured(tmp_path, suffix):
    path = save(tmp_path / f"a{suffix}")
    padded = (90, 64) if suffix == ".heic" else (90, 60)  # whole blocks, cropped for show
    assert stored_picture(path).size == padded
    loaded = load_image(path)
    assert loaded.pixels.shape == (60, 90, 3)
    assert loaded.pixels.dtype == np.uint8
    assert loaded.size == (90, 60)
    assert loaded.scale == 1


def test_lossless_webp_is_measured(tmp_path):
    path = save(tmp_path / "a.webp", options=(cv2.IMWRITE_WEBP_QUALITY, 101))
    assert stored_picture(path).size == (90, 60)


@pytest.mark.parametrize("name", ["progressive", "grey", "16-bit", "grey 16-bit", "half-clear"])
def test_kinds_of_pixels_become_eight_bit_colour(tmp_path, name):
    grey = cv2.cvtColor(PICTURE, cv2.COLOR_BGR2GRAY)
    clear = np.dstack([PICTURE, np.full((60, 90), 255, np.uint8)])
    clear[:, :45, 3] = 0
    path = {
        "progressive": lambda: save(tmp_path / "a.jpg", options=(cv2.IMWRITE_JPEG_PROGRESSIVE, 1)),
        "grey": lambda: save(tmp_path / "a.jpg", grey),
        "16-bit": lambda: save(tmp_path / "a.png", PICTURE.astype(np.uint16) * 257),
        "grey 16-bit": lambda: save(tmp_path / "a.tiff", grey.astype(np.uint16) * 257),
        "half-clear": lambda: save(tmp_path / "a.png", clear),
    }[name]()
    pixels = load_image(path).pixels
    assert pixels.shape == (60, 90, 3)
    assert pixels.dtype == np.uint8
    if name == "16-bit":
        assert np.abs(pixels.astype(int) - PICTURE).max() <= 1
    if name == "half-clear":
        assert (pixels[:, :45] == 128).all()
        assert (pixels[:, 45:] == PICTURE[:, 45:]).all()


def held(orientation):
    """A picture whose top left quarter is white when it stands right, as the sensor took it."""
    upright = np.zeros((40, 80, 3), np.uint8)
    upright[:20, :40] = 255
    stored = {
        1: upright,
        2: upright[:, ::-1],
        3: upright[::-1, ::-1],
        4: upright[::-1],
        5: upright.transpose(1, 0, 2),
        6: np.rot90(upright, 1),
        7: np.rot90(upright, 2).transpose(1, 0, 2),
        8: np.rot90(upright, -1),
    }[orientation]
    return np.ascontiguousarray(stored)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "HEIC", "HEIC by EXIF alone", "AVIF"])
def test_pictures_stand_as_the_camera_was_held(tmp_path, kind, orientation):
    stored, said = held(orientation), exif(orientation)
    path = tmp_path / "picture"
    if kind == "JPEG":
        data = cv2.imencode(".jpg", stored)[1].tobytes()
        path.write_bytes(data[:2] + said + data[2:])
    elif kind == "AVIF":
        Image.fromarray(stored).save(path, "AVIF", exif=said[4:])
    else:
        # Told afterwards, so that the encoder does not turn it by a property of HEIC.
        early = kind == "HEIC"
        coded = heic(stored, exif=(said if early else exif(1))[4:])
        path.write_bytes(coded if early else coded.replace(exif(1)[10:], said[10:]))
        assert stored_picture(path).is_turned == (kind == "HEIC" and orientation > 1)
    loaded = load_image(path)
    assert loaded.size == (80, 40)
    assert loaded.pixels[:18, :38].min() > 200
    assert loaded.pixels[22:].max() < 50
    assert loaded.pixels[:, 42:].max() < 50


@pytest.mark.parametrize("suffix", [".jpg", ".avif"])
def test_large_pictures_are_decoded_smaller_and_say_by_how_much(tmp_path, suffix):
    path = save(tmp_path / f"a{suffix}", np.full((5200, 6000, 3), 90, np.uint8))
    if suffix == ".jpg":
        data = path.read_bytes()
        path.write_bytes(data[:2] + exif(6) + data[2:])
    turned = slice(None, None, -1 if suffix == ".jpg" else 1)
    loaded = load_image(path)
    assert loaded.size == (6000, 5200)[turned]
    assert loaded.pixels.shape == (*(2600, 3000)[turned], 3)
    assert loaded.scale == 2


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("part", [0.02, 0.3, 0.7, 0.97])
def test_cut_off_files_are_refused_not_half_shown(tmp_path, suffix, part):
    data = save(tmp_path / f"a{suffix}").read_bytes()
    path = tmp_path / f"b{suffix}"
    path.write_bytes(data[: int(len(data) * part)])
    with pytest.raises(UnreadableError, match=f"b{suffix}"):
        load_image(path)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("text.jpg", b"this is no picture at all\n" * 10, "no picture"),
        ("empty.png", b"", "empty"),
        ("zip.png", b"PK\x03\x04" + bytes(200), "no picture"),
        (
            "huge.png",
            png_header(16000, 15700) + chunk(b"IDAT", b"x") + chunk(b"IEND", b""),
            "large",
        ),
        ("vast.png", png_header(2**31 - 1, 2**31 - 1) + chunk(b"IEND", b""), "too large"),
        ("flat.png", png_header(100, 0) + chunk(b"IEND", b""), "too small"),
        ("dot.png", png_header(1, 1) + chunk(b"IEND", b""), "1×1 is too small"),
        ("a.jpg", b"\0\0\0\x0cJXL \r\n\x87\n", "a JPEG XL picture, .* save it as JPEG or PNG"),
        ("a.jpg", b"\0\0\0\x0cjP  \r\n\x87\n", "a JPEG 2000 picture, .* save it as JPEG"),
        ("a.dng", b"II*\0\x08\0\0\0\1\0\x12\xc6\1\0\4\0\0\0\1\4\0\0", "a camera's raw picture"),
        ("a.cr3", b"\0\0\0\x14ftypcrx \0\0\0\1isom", "a camera's raw picture"),
        ("a.heic", b"\0\0\0\x14ftypqt  \0\0\0\0qt  ", "it is a video"),
        ("a.svg", b'<?xml version="1.0"?>\n<svg>', "an SVG drawing"),
        ("a.pdf", b"%PDF-1.7", "a PDF document, .* save it as JPEG"),
        ("a.ppm", b"P6\n2 2\n255\n", "a Netpbm picture"),
    ],
)
def test_bad_files_are_named_with_the_reason(tmp_path, name, data, says):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UnreadableError, match=says) as caught:
        load_image(path)
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message


def with_stated_size(data, width, height):
    """A HEIC or AVIF that says of itself how large it is, truly or not."""
    changed = bytearray(data)
    at = changed.index(b"ispe") + 8
    changed[at : at + 8] = struct.pack(">II", width, height)
    return bytes(changed)


@pytest.mark.parametrize(
    ("suffix", "size", "says"),
    [
        (".heic", (20000, 20000), "too large"),
        (".heic", (30, 20), "damaged"),  # it holds more than it says
        (".avif", (20000, 20000), "too large"),
    ],
)
def test_a_picture_of_a_phone_is_refused_by_its_size_before_it_is_decoded(
    tmp_path, suffix, size, says
):
    data = save(tmp_path / f"a{suffix}").read_bytes()
    path = tmp_path / f"b{suffix}"
    path.write_bytes(with_stated_size(data, *size))
    with pytest.raises(UnreadableError, match=says):
        load_image(path)


def test_a_clear_picture_of_a_phone_is_laid_over_grey(tmp_path):
    clear = np.dstack([PICTURE, np.full((60, 90), 255, np.uint8)])
    clear[:, :45, 3] = 0
    for suffix in (".heic", ".avif"):
        pixels = load_image(save(tmp_path / f"a{suffix}", clear)).pixels.astype(int)
        assert np.abs(pixels[:, :40] - 128).max() <= 2
        assert np.abs(pixels[:, 50:] - PICTURE[:, 50:]).mean() < 6


@pytest.mark.parametrize(
    ("suffix", "module", "says"),
    [
        (
            ".heic",
            "pillow_heif",
            r"a HEIC picture, which needs pillow-heif.*pip install pillow-heif",
        ),
        (".heic", "PIL.ImageOps", r"a HEIC picture, which needs Pillow.*as JPEG"),
        (".avif", "PIL.ImageOps", r"an AVIF picture, which needs Pillow.*as JPEG"),
    ],
)
def test_what_a_picture_needs_is_named_where_it_is_missing(
    tmp_path, monkeypatch, suffix, module, says
):
    path = save(tmp_path / f"a{suffix}")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnreadableError, match=says):
        load_image(path)


def test_a_pillow_without_avif_is_told(tmp_path, monkeypatch):
    path = save(tmp_path / "a.avif")
    monkeypatch.setattr("PIL.features.check", lambda _name: False)
    with pytest.raises(UnreadableError, match=r"needs Pillow 11.3 or later .*pip install pillow"):
        load_image(path)


def test_a_folder_of_pictures_that_are_not_read_is_not_called_empty(tmp_path):
    (tmp_path / "IMG_1.DNG").write_bytes(b"II*\0")
    with pytest.raises(UnreadableError, match=r"\.dng.* not read here"):
        list_folder(tmp_path)


@pytest.mark.parametrize("name", ["none.jpg", "."])
def test_missing_file_and_folder_instead_of_file(tmp_path, name):
    with pytest.raises(UnreadableError, match="cannot be read"):
        load_image(tmp_path / name)


def test_wrong_checksum_in_a_png_is_damage(tmp_path):
    data = bytearray(save(tmp_path / "a.png").read_bytes())
    data[len(data) // 2] ^= 0xFF
    path = tmp_path / "b.png"
    path.write_bytes(bytes(data))
    with pytest.raises(UnreadableError, match="damaged"):
        load_image(path)


@given(
    suffix=st.sampled_from(FORMATS),
    spots=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=6),
    keep=st.floats(0, 1),
)
@settings(max_examples=150, deadline=None)
def test_damaged_files_give_a_picture_or_an_error_in_words(tmp_path_factory, suffix, spots, keep):
    folder = tmp_path_factory.mktemp("fuzz")
    data = bytearray(save(folder / f"a{suffix}").read_bytes())
    for place, value in spots:
        data[int(place * (len(data) - 1))] = value
    path = folder / f"b{suffix}"
    path.write_bytes(bytes(data[: max(1, int(len(data) * max(keep, 0.5)))]))
    result = outcome(path)
    assert (path.name in result) if isinstance(result, str) else result.shape[2:] == (3,)


def outcome(path):
    try:
        return load_image(path).pixels
    except UnreadableError as error:
        return error.message


@given(st.binary(max_size=200))
def test_any_bytes_are_measured_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "a.jpg"
    path.write_bytes(data)
    try:
        width, height = stored_picture(path).size
    except HeaderError:
        return
    assert width >= 0
    assert height >= 0


def piped(monkeypatch, data):
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(data)))
    return load_image("-")


def test_a_picture_comes_by_standard_input_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pixels = np.random.default_rng(0).integers(0, 255, (40, 60, 3), np.uint8)
    loaded = piped(monkeypatch, cv2.imencode(".png", pixels)[1].tobytes())
    assert (str(loaded.path), loaded.size) == ("-", (60, 40))
    assert (loaded.pixels == pixels).all()
    for data in (b"", b"no picture"):
        with pytest.raises(UnreadableError, match=r"^-: "):
            piped(monkeypatch, data)
    assert not list(tmp_path.iterdir())


def test_folders_are_listed_naturally(tmp_path):
    for name in ("p10.jpg", "p2.JPG", "p1.png", "p3.HEIC", "notes.txt"):
        (tmp_path / name).write_bytes(b"x")
    assert [p.name for p in list_folder(tmp_path)] == ["p1.png", "p2.JPG", "p3.HEIC", "p10.jpg"]


def test_an_empty_folder_is_an_error_beside_good_paths(tmp_path):
    (tmp_path / "empty").mkdir()
    good = save(tmp_path / "a.png")
    found, errors = find_images([tmp_path / "empty", good])
    assert found == [good]
    assert [e.message for e in errors] == [
        f"{tmp_path / 'empty'}: there are no pictures in this folder."
    ]


PEAK = """
import re, sys, time
from pathlib import Path
from companion.errors import CompanionError
from vision.images.loading import load_image
start = time.process_time()
try:
    load_image(sys.argv[1])
except CompanionError as error:
    print(error.message, file=sys.stderr)
used = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
print(int(used) / 1024, time.process_time() - start)
"""


def tiled(side, channels, kind, *, soft=False):
    tile = RNG.integers(0, 255, (100, 100, channels)).astype(kind)
    if soft:  # what is sharp takes longest to write
        tile = cv2.resize(tile[:10, :10], (100, 100), interpolation=cv2.INTER_CUBIC)
    picture = np.tile(tile, (side // 100, side // 100, 1))
    return picture * 257 if kind is np.uint16 else picture


def stating(data, side):
    """A GIF, PNG or TIFF that says of itself that it is so large."""
    changed = bytearray(data)
    if data[:3] == b"GIF":
        changed[6:10] = struct.pack("<HH", side, side)
    elif data[1:4] == b"PNG":
        changed[16:24] = struct.pack(">II", side, side)
        changed[29:33] = struct.pack(">I", zlib.crc32(changed[12:29]))
    else:
        for tag in (256, 257):  # width and height, in a list of two, two, four and four bytes
            at = data.index(struct.pack("<HHI", tag, 3, 1))
            changed[at + 8 : at + 12] = struct.pack("<I", side)
    return bytes(changed)


def _slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("name", "side", "channels", "kind"),
    [
        ("clear16.png", 5000, 4, np.uint16),  # the largest of its kind that is read
        ("clear8.png", 7000, 4, np.uint8),
        _slow("a.gif", 5000, 3, np.uint8),
        _slow("a.webp", 7000, 4, np.uint8),
        ("float.tiff", 4000, 3, np.float32),
        ("a.tiff", 7000, 3, np.uint8),
        _slow("a.avif", 5000, 3, np.uint8),
        _slow("a.heic", 3000, 3, np.uint8),
        ("huge.gif", 12000, 3, np.uint8),  # and some that are not
        ("huge.png", 11000, 4, np.uint8),
        ("huge16.tiff", 7000, 3, np.uint16),
    ],
)
def test_no_picture_needs_a_gigabyte_or_ten_seconds(tmp_path, name, side, channels, kind):
    path = tmp_path / name
    if name.startswith("huge"):
        path.write_bytes(stating(save(path, tiled(100, channels, kind)).read_bytes(), side))
    else:
        quick = (cv2.IMWRITE_PNG_COMPRESSION, 1) if name.endswith(".png") else ()
        soft = path.suffix in (".avif", ".heic")
        save(path, tiled(side, channels, kind, soft=soft), quick)
    ran = subprocess.run(
        [sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True
    )
    memory, seconds = map(float, ran.stdout.split())
    assert memory < 1000
    assert seconds < 10
    assert ("too large" in ran.stderr) == name.startswith("huge")
    assert ran.stderr.count("\n") <= 1


def test_a_large_transparent_picture_is_laid_over_grey_too(tmp_path):
    clear = np.zeros((5200, 5200, 4), np.uint8)
    clear[2600:, :, 3] = 255
    loaded = load_image(save(tmp_path / "a.png", clear))
    assert loaded.pixels.shape == (2600, 2600, 3)
    assert (loaded.pixels[:1200] == 128).all()
    assert (loaded.pixels[1400:] == 0).all()
