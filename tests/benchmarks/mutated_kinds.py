"""The kinds of files that are read, an undamaged one or more of each, and what harms them."""

from __future__ import annotations

import json
import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image

from companion.errors import CompanionError
from tests.companion.fuzz import mutated_file, try_file
from tests.vision.images.films import heic, write_clip

Bytes = bytes
GOLDEN = Path(__file__).parents[1] / "golden"
MODELS = Path(__file__).parents[2] / "models"
PASS = "correct horse"
#: log2 of scrypt's N: a passphrase is stretched quickly.
CHEAP = 4


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name: what it is called.
        file: the name under which it is read.
        seeds: makes undamaged files; called once, in a folder that stays.
        read: reads it as the program does.
        harm: changes the bytes of one.
        weight: its share of all files; slow kinds have small ones.
    """

    name: str
    file: str
    seeds: Callable[[Path], list[bytes]]
    read: Callable[[Path, random.Random], object]
    harm: Callable[[bytes, random.Random], bytes]
    weight: float

    def prepare(self, folder: Path) -> None:
        """Makes the undamaged files."""
        made = folder / "seeds"
        made.mkdir(exist_ok=True)
        _SEEDS[self.name] = self.seeds(made)

    def write(self, folder: Path, data: bytes) -> Path:
        """Puts a file where it is read, in a folder of its own."""
        place = folder / "case"
        place.mkdir(exist_ok=True)
        for old in place.iterdir():
            old.unlink()
        path = place / self.file
        path.write_bytes(data)
        return path


_SEEDS: dict[str, list[bytes]] = {}


def mutated(kind: Kind, rng: random.Random) -> bytes:
    """One of the kind's files, harmed."""
    return kind.harm(rng.choice(_SEEDS[kind.name]), rng)


# -- what harms them ---------------------------------------------------------------------------

TOKENS = [
    b"[" * 100_000, b'{"a":' * 20_000, b"1" + b"0" * 10_000, b"NaN", b"-Infinity", b"1e999",
    b"null", b"true", b"-1", b"0", b"9007199254740993", b"0.1", b'""', b"[]", b"{}",
    b'"\\ud800"', b'"\\u0000"', b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xff", b"\n", b",", b":",
    b'"', b"}", b"]", b"= 1", b"a.b.c.d = 1\n", b".a" * 10_000, b"[[a]]\n", b'"""', b"'''",
    b"1979-05-27", b"0x" + b"f" * 9000, "🂡".encode(), "\u202e".encode(), b"---\n", b"??", b"JK",
    b"undo", b"correct 1 ",
]  # fmt: skip
_EXTREMES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)


def harm_bytes(data: bytes, rng: random.Random) -> bytes:
    """Cuts, flips, repeats, moves and overwrites bytes."""
    hurt = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(hurt) + 1)
        kind = rng.randrange(8)
        if kind == 0:
            del hurt[at:]
        elif kind == 1:
            del hurt[at : at + rng.randint(1, 64)]
        elif kind == 2:
            hurt[at:at] = hurt[at : at + rng.randint(1, 64)] * rng.randint(1, 4)
        elif kind == 3:
            hurt[at:at] = rng.randbytes(rng.randint(1, 16))
        elif kind == 4:
            near = rng.randrange(min(len(hurt), 64) + 1)
            width = rng.choice((1, 2, 4))
            value = rng.choice(_EXTREMES) & ((1 << 8 * width) - 1)
            hurt[near : near + width] = value.to_bytes(width, rng.choice(("little", "big")))
        elif hurt:
            for _ in range(rng.choice((1, 1, 4, 32))):
                hurt[rng.randrange(len(hurt))] = rng.randrange(256)
        if not hurt:
            break
    return bytes(hurt)


def harm_text(data: bytes, rng: random.Random) -> bytes:
    """The same, and tokens that mean something put in, doubled, or in the place of others."""
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind < 2:
            data = data[:at] + rng.choice(TOKENS) + data[at:]
        elif kind == 2:
            words = data.split(b" ")
            words[rng.randrange(len(words))] = rng.choice(TOKENS)
            data = b" ".join(words)
        elif kind == 3:
            words = data.split(b" ")
            words.insert(rng.randrange(len(words)), rng.choice(words))
            data = b" ".join(words)
        elif kind == 4:
            data = data.decode("utf-8", "replace").encode(
                rng.choice(("utf-16", "utf-8-sig", "utf-8"))
            )
        else:
            data = harm_bytes(data, rng)
    return data


def harm_match(data: bytes, rng: random.Random) -> bytes:
    """Mostly a part of a match with lines and letters changed; a whole one takes long to audit."""
    if rng.random() < 0.1:
        return harm_text(data, rng)
    part = mutated_file(data.decode("utf-8"), rng).encode("utf-8", "replace")
    return harm_text(part, rng) if rng.random() < 0.5 else part


def harm_json(data: bytes, rng: random.Random) -> bytes:
    """Half of the time a value somewhere in it becomes another one: it stays JSON."""
    if rng.random() < 0.5:
        return harm_text(data, rng)
    value = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        value = _other(value, rng)
    return json.dumps(value).encode()


_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**53, 10**30, 0.5, 1e300, 1e-300, float("nan"),
    float("inf"), "", "a", "0" * 3000, "\0", "\ud800", [], {}, [[]], [0, 0], [[0, 0], [1, 1]],
    {"": 0},
)  # fmt: skip


def _other(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        if rng.random() < 0.1:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: _other(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        changed = rng.random()
        if changed < 0.1:
            return value[:at] + value[at + 1 :]
        if changed < 0.2:
            return value * rng.randint(2, 5)
        return [*value[:at], _other(value[at], rng), *value[at + 1 :]]
    return rng.choice(_VALUES)


def harm_png(data: bytes, rng: random.Random) -> bytes:
    """As bytes; half of the time the checksums are put right, so that the harm is read."""
    hurt = harm_bytes(data, rng)
    if rng.random() < 0.5:
        return hurt
    out, at = bytearray(hurt[:8]), 8
    while at + 12 <= len(hurt):
        (length,) = struct.unpack_from(">I", hurt, at)
        length = min(length, len(hurt) - at - 12)
        body = hurt[at + 4 : at + 8 + length]
        out += struct.pack(">I", length) + body + struct.pack(">I", zlib.crc32(body))
        at += 12 + length
    return bytes(out)


# -- undamaged ones ----------------------------------------------------------------------------


def _matches(_folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(GOLDEN.glob("*/*.txt"))]


def _decks(_folder: Path) -> list[bytes]:
    return [json.dumps({"name": "mine", "conditions": _conditions()}, indent=1).encode()]


def _toml_decks(_folder: Path) -> list[bytes]:
    lines = [f"{json.dumps(code)} = {json.dumps(words)}" for code, words in _conditions().items()]
    return ["\n".join(('name = "mine"', "", "[conditions]", *lines)).encode()]


def _conditions() -> dict[str, str]:
    from companion.games.suspense.conditions import DEFAULT_CONDITIONS

    return {card.code: str(condition) for card, condition in DEFAULT_CONDITIONS.items()}


def _settings(folder: Path) -> list[bytes]:
    from mobile.model import settings

    settings.save(folder, settings.Settings(names=("Ann", "Bo", "Cy"), camera="camera:1"))
    return [(folder / settings.FILE).read_bytes()]


def _kept(folder: Path) -> list[bytes]:
    from mobile.model import saved_table

    for number in range(1, 6):
        saved_table.save(folder, number, saved_table.Watched("standard", camera=number % 2 == 0))
    return [(folder / saved_table.FILE).read_bytes()]


def _zones(folder: Path) -> list[bytes]:
    from calibration.table import save_table, seat_zones, table_from_taps
    from mobile.model import zones

    zones.save(folder, zones.WHOLE)
    corners = [(100.0, 80.0), (1100.0, 90.0), (1200.0, 700.0), (60.0, 690.0)]
    table = table_from_taps((1280, 720), corners, (900.0, 600.0))
    save_table(table, seat_zones(table, ["Ann", "Bo"], middle="row"), folder / "table.json")
    return [(folder / name).read_bytes() for name in (zones.FILE, "table.json")]


def _lens(folder: Path) -> list[bytes]:
    from calibration.lens import Lens, save_lens

    matrix = np.array([[900.0, 0, 640], [0, 900, 360], [0, 0, 1]])
    bending = np.array([0.1, -0.02, 0.001, 0.0, 0.0])
    save_lens(Lens((1280, 720), matrix, bending, 0.3, 12, "board"), folder / "lens.json")
    return [(folder / "lens.json").read_bytes()]


def _enrolled(folder: Path) -> list[bytes]:
    from calibration.enrolment import EnrolledDeck, save
    from calibration.outlines import Shape

    vectors = np.random.default_rng(0).normal(size=(8, 32)).astype(np.float32)
    labels = tuple(f"W{k // 2 + 1}" for k in range(8))
    save(EnrolledDeck("mine", Shape.CARD, (63.0, 88.0), labels, vectors), folder / "mine.json")
    return [(folder / "mine.json").read_bytes()]


def _networks(_folder: Path) -> list[bytes]:
    return [(MODELS / "models.json").read_bytes()]


def _journals(folder: Path) -> list[bytes]:
    with _journal(folder) as journal:
        _play(journal)
    return [(folder / "journal.sqlite").read_bytes()]


def _backups(folder: Path) -> list[bytes]:
    made = folder / "games.backup"
    with _journal(folder) as journal:
        _play(journal)
        journal.backup(made, PASS, cost=CHEAP)
    return [made.read_bytes()]


def _journal(folder: Path, keys: Path | None = None) -> Any:
    from companion.journal import FileDeviceKeys, Journal

    device = FileDeviceKeys(keys or folder / "keys")
    return Journal(folder / "journal.sqlite", device=device, pin_cost=CHEAP)


def _play(journal: Any) -> None:
    from companion.core.notation import read_match

    for name in ("gotcha", "precognition"):
        match = read_match(min((GOLDEN / name).glob("*.txt")).read_text("utf-8"))
        session = journal.begin(match.game, match.setup)
        for line in match.events[:25]:
            session.referee.submit_line(line)
    session.set_pin(0, "1234")


@cache
def _picture() -> np.ndarray:
    rng = np.random.default_rng(0)
    return cv2.GaussianBlur(rng.integers(0, 255, (60, 90, 3)).astype(np.uint8), (0, 0), 2)


def _encoded(suffix: str, *pictures: tuple[np.ndarray, tuple[int, ...]]) -> list[bytes]:
    return [bytes(cv2.imencode(suffix, picture, list(flags))[1]) for picture, flags in pictures]


def _pngs(_folder: Path) -> list[bytes]:
    picture = _picture()
    clear = np.dstack([picture, picture[..., 0]])
    wide = picture.astype(np.uint16) * 257
    return _encoded(".png", (picture, ()), (clear, ()), (wide, ()), (picture[..., 0], ()))


def _jpegs(_folder: Path) -> list[bytes]:
    picture = _picture()
    slow = (cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
    again = (cv2.IMWRITE_JPEG_RST_INTERVAL, 4)
    return _encoded(".jpg", (picture, ()), (picture, slow), (picture[..., 0], ()), (picture, again))


def _gifs(_folder: Path) -> list[bytes]:
    stored = BytesIO()  # OpenCV 4.10 writes none
    Image.fromarray(_picture()[..., ::-1]).save(stored, "GIF")
    return [stored.getvalue()]


def _webps(_folder: Path) -> list[bytes]:
    picture = _picture()
    clear = np.dstack([picture, picture[..., 0]])
    whole = (cv2.IMWRITE_WEBP_QUALITY, 101)
    return _encoded(".webp", (picture, ()), (picture, whole), (clear, ()))


def _heics(_folder: Path) -> list[bytes]:
    picture = _picture()
    return [heic(picture), heic(np.dstack([picture, picture[..., 0]]))]


def _avifs(_folder: Path) -> list[bytes]:
    stored = BytesIO()  # OpenCV 4.10 writes none
    Image.fromarray(_picture()[..., ::-1]).save(stored, "AVIF", speed=10)
    return [stored.getvalue()]


def _tiffs(_folder: Path) -> list[bytes]:
    picture = _picture()
    plain = (cv2.IMWRITE_TIFF_COMPRESSION, 1)
    return _encoded(
        ".tiff", (picture, ()), (picture, plain), (picture.astype(np.uint16) * 257, ()),
    )  # fmt: skip


def _bmps(_folder: Path) -> list[bytes]:
    return _encoded(".bmp", (_picture(), ()), (_picture()[..., 0], ()))


def _clips(folder: Path, name: str, codec: str) -> list[bytes]:
    pictures = (cv2.resize(np.roll(_picture(), k, 1), (96, 64)) for k in range(12))
    return [write_clip(folder / name, pictures, codec=codec).read_bytes()]


def one_line(error: CompanionError) -> None:
    """Checks that an error is one line."""
    if len(error.message.splitlines()) != 1:
        raise AssertionError(f"not one line: {error.message[:200]!r}")


# -- reading them ------------------------------------------------------------------------------


def _read_match(path: Path, rng: random.Random) -> None:
    from companion.cli.stored import read_match_file

    read_match_file(path)
    try_file(path.read_bytes().decode("utf-8-sig"), rng)


def _read_deck(path: Path, _rng: random.Random) -> None:
    from companion.games.suspense.deckfile import read_conditions

    read_conditions(str(path))


def _read_settings(path: Path, _rng: random.Random) -> None:
    from mobile.model import settings

    found, said = settings.load(path.parent)
    assert len(said.splitlines()) <= 1
    settings.save(path.parent, found)
    assert settings.load(path.parent) == (found, "")


def _read_kept(path: Path, _rng: random.Random) -> None:
    from mobile.model import saved_table

    saved_table.load(path.parent, 1)
    saved_table.save(path.parent, 3, saved_table.Watched())
    assert saved_table.load(path.parent, 3) == saved_table.Watched()


def _read_zones(path: Path, _rng: random.Random) -> None:
    from companion.core.registry import get_game
    from mobile.model import zones
    from mobile.model.table import Table

    game = get_game("precognition")
    places = Table(game, game.setup(["Ann", "Bo"])).zones
    corners = zones.load(path.parent)
    zones.of_table(places, corners)
    if (known := zones.calibrated(path.parent)) is not None:
        zones.of_calibrated(places, ["Ann", "Bo"], known)
    if path.exists():
        from vision.tracking.zones import load_zones

        load_zones(path).at((0.5, 0.5))


def _read_lens(path: Path, _rng: random.Random) -> None:
    from calibration.lens import load_lens

    lens = load_lens(path)
    assert lens.verdict
    lens.straightened(_picture())


def _read_enrolled(path: Path, _rng: random.Random) -> None:
    from calibration.enrolment import load, merged, name_turns

    deck = load(path)
    merged("two", [deck, deck])
    name_turns(deck, deck.vectors[:2])


def _read_networks(path: Path, rng: random.Random) -> None:
    from vision.inference.model_files import manifest
    from vision.networks import load_networks

    manifest(path.parent)
    if rng.random() < 0.1:
        for network in (*MODELS.glob("*.onnx"), MODELS / "checksums.json"):
            (path.parent / network.name).symlink_to(network)
        load_networks(path.parent, threads=1)


def _read_journal(path: Path, _rng: random.Random) -> None:
    with _journal(path.parent, path.parent.parent / "seeds" / "keys") as journal:
        for info in journal.sessions():
            try:
                session = journal.resume(info.id)
                session.public_lines()
                session.replay(None).final()
                session.unlock(0, "1234")
            except CompanionError as error:
                one_line(error)
        journal.unfinished()


def _read_backup(path: Path, _rng: random.Random) -> None:
    from companion.journal import FileDeviceKeys, restore

    target = path.parent / "restored.sqlite"
    restore(path, target, PASS, FileDeviceKeys(path.parent.parent / "other keys"))


def _read_picture(path: Path, _rng: random.Random) -> None:
    from vision.images.loading import load_image

    pixels = load_image(path).pixels
    assert pixels.dtype == np.uint8
    assert pixels.shape[2:] == (3,)


def _read_clip(path: Path, _rng: random.Random) -> None:
    from vision.images.sources import SourceError, open_source

    source = open_source(str(path))
    source.open()
    try:
        while not source.ended:
            source.newest()
    finally:
        source.close()
    if source.failure:
        raise SourceError(source.failure)


KINDS = {
    kind.name: kind
    for kind in (
        Kind("deck-json", "deck.json", _decks, _read_deck, harm_json, 12),
        Kind("deck-toml", "deck.toml", _toml_decks, _read_deck, harm_text, 8),
        Kind("settings", "app.json", _settings, _read_settings, harm_json, 12),
        Kind("kept", "tables.json", _kept, _read_kept, harm_json, 10),
        Kind("zones", "zones.json", _zones, _read_zones, harm_json, 10),
        Kind("lens", "lens.json", _lens, _read_lens, harm_json, 10),
        Kind("enrolled", "mine.json", _enrolled, _read_enrolled, harm_json, 10),
        Kind("models", "models.json", _networks, _read_networks, harm_json, 2),
        Kind("journal", "journal.sqlite", _journals, _read_journal, harm_bytes, 1.5),
        Kind("backup", "games.backup", _backups, _read_backup, harm_bytes, 1.5),
        Kind("png", "a.png", _pngs, _read_picture, harm_png, 4),
        Kind("jpeg", "a.jpg", _jpegs, _read_picture, harm_bytes, 4),
        Kind("gif", "a.gif", _gifs, _read_picture, harm_bytes, 2),
        Kind("webp", "a.webp", _webps, _read_picture, harm_bytes, 2),
        Kind("heic", "a.heic", _heics, _read_picture, harm_bytes, 2),
        Kind("avif", "a.avif", _avifs, _read_picture, harm_bytes, 2),
        Kind("tiff", "a.tiff", _tiffs, _read_picture, harm_bytes, 2),
        Kind("bmp", "a.bmp", _bmps, _read_picture, harm_bytes, 1),
        Kind("avi", "a.avi", lambda at: _clips(at, "a.avi", "MJPG"), _read_clip, harm_bytes, 1),
        Kind("mp4", "a.mp4", lambda at: _clips(at, "a.mp4", "mp4v"), _read_clip, harm_bytes, 1),
        Kind("match", "match.txt", _matches, _read_match, harm_match, 6),
    )
}
