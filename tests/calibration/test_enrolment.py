"""Teaching a deck from photos, and naming its pieces."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.commands import enrol_photos, enrolled_deck, labelled
from calibration.embed import Embedder, all_turns, rectified
from calibration.enrolment import EnrolledDeck, enrol, load, name_turns, save
from calibration.outlines import Shape, find_outlines
from calibration.printing.curves import rasterised
from calibration.printing.faces import printable
from calibration.recognise import FaceReader, Recogniser, printed_deck
from companion.cli.deck import captions
from companion.cli.main import main
from companion.decks import get_deck
from companion.errors import UnreadableError, UsageError
from tests.calibration.camera import see
from tests.vision.images.films import write_clip
from vision.protocols import CardReader

GROUND = (70, 110, 60)


@cache
def face(deck: str, code: str) -> np.ndarray:
    picture = rasterised(printable(deck, captions(deck)).faces[code], 5.0, 2)
    return np.where(picture[..., 3:] > 127, picture[..., :3], GROUND).astype(np.uint8)


def photo(deck: str, code: str, seed: int) -> np.ndarray:
    """A piece photographed at a random turn, tilt, distance and light."""
    rng = np.random.default_rng(seed)
    turn = (rng.uniform(-0.35, 0.35), rng.uniform(-0.35, 0.35), rng.uniform(-3.1, 3.1))
    size = max(get_deck(deck).size_mm)
    image = see(face(deck, code), 5.0, turn, size * rng.uniform(2.6, 4.0), ground=GROUND)
    light = np.linspace(rng.uniform(0.6, 1), rng.uniform(0.6, 1), image.shape[1])[None, :, None]
    noise = rng.normal(0, 4, image.shape)
    return np.clip(image * light * rng.uniform(0.7, 1.05) + noise, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder(threads=1)


@pytest.fixture(scope="module")
def recogniser(embedder: Embedder) -> Callable[[str], Recogniser]:
    """Of our decks as they are printed, each made once."""
    return cache(lambda name: Recogniser(printed_deck(name, embedder, captions(name)), embedder))


@pytest.fixture(scope="module")
def tiles(embedder: Embedder) -> EnrolledDeck:
    """Six tiles taught from two photos each."""
    codes = ["2S", "3S", "5S", "2M", "AC", "0H"]
    views = {c: [photo("piecepack-tiles", c, 10 * k + v) for v in (1, 2)]
             for k, c in enumerate(codes)}  # fmt: skip
    deck, report = enrol("mine", views, embedder, shape=Shape.TILE)
    assert report.accuracy == 1.0
    assert report.alike == ()
    return deck


@pytest.mark.parametrize(
    ("deck", "codes"),
    [
        ("suspense", ["W1", "B1", "W6", "B4", "!"]),
        ("piecepack-tiles", ["0M", "AS", "3C", "5H"]),
        ("piecepack-coins", ["0?", "A?", "2?", "5?", "?S", "?C"]),
        ("standard", ["9S", "10S", "QH", "KH", "JK2"]),
    ],
)
def test_our_printed_decks_are_known_without_teaching(
    deck: str, codes: list[str], recogniser: Callable[[str], Recogniser]
):
    for k, code in enumerate(codes):
        named = recogniser(deck).named(photo(deck, code, 300 + k))
        assert [naming.label for _, naming in named] == [code]


@pytest.mark.parametrize("code", ["6S", "AD", "QC"])
def test_a_card_seen_so_steeply_that_its_long_sides_look_short_is_named(
    code: str, recogniser: Callable[[str], Recogniser]
):
    image = see(face("standard", code), 5.0, (0.95, 0.0, 0.4), 260.0, ground=GROUND)
    (outline,) = find_outlines(image, Shape.CARD)
    assert outline.on_its_side is not None
    assert [naming.label for _, naming in recogniser("standard").named(image)] == [code]


@pytest.mark.parametrize("turn", [0.0, 0.3, 1.2])
def test_paper_is_found_on_a_table_as_light_as_itself(turn: float):
    """Squares of two pale colours; what parts the card from both is that it has none."""
    rows, columns = np.indices((480, 640)) // 20
    table = np.where((rows + columns)[..., None] % 2, (255, 238, 246), (252, 250, 238))
    c, s = 100 * np.cos(turn), 100 * np.sin(turn)
    x, y = np.array([[-0.71, -1], [0.71, -1], [0.71, 1], [-0.71, 1]]).T
    corners = np.column_stack([320 + c * x - s * y, 240 + s * x + c * y])
    image = cv2.fillPoly(table.astype(np.uint8), [corners.round().astype(int)], (246, 246, 246))
    noise = np.random.default_rng(0).normal(0, 2, image.shape)
    photo = cv2.GaussianBlur(np.clip(image + noise, 0, 255), (0, 0), 1.0).astype(np.uint8)
    found = find_outlines(photo, Shape.CARD)
    assert found
    far = np.linalg.norm(found[0].corners[:, None] - corners[None], axis=2).min(axis=1)
    assert far.max() < 8


@pytest.mark.parametrize("code", ["3C", "AM", "5S"])
def test_a_tile_on_a_square_mat_is_named(code: str, recogniser: Callable[[str], Recogniser]):
    """The mat has the shape of a tile as well, and is clearer and larger."""
    image = see(face("piecepack-tiles", code), 5.0, (0.1, 0.2, 0.7), 150.0, ground=GROUND)
    height, width = image.shape[:2]
    half = round(0.46 * height)
    y, x = np.indices((height, width))
    around = np.maximum(abs(x - width // 2), abs(y - height // 2)) > half
    image = np.where(around[..., None], (200, 210, 215), image).astype(np.uint8)
    assert [naming.label for _, naming in recogniser("piecepack-tiles").named(image)] == [code]


def test_taught_tiles_are_named_and_others_refused(tiles: EnrolledDeck, embedder: Embedder):
    reader = Recogniser(tiles, embedder)
    for k, code in enumerate(tiles.names):
        _, naming = reader.named(photo("piecepack-tiles", code, 500 + k))[0]
        assert naming.label == code
        assert naming.is_known
    for k, code in enumerate(["0S", "AM", "0C"]):  # as unlike as other decks' tiles are
        _, naming = reader.named(photo("piecepack-tiles", code, 600 + k))[0]
        assert not naming.is_known


def test_two_names_for_one_piece_are_too_alike(embedder: Embedder):
    views = {
        "one": [photo("piecepack-tiles", "3S", s) for s in (1, 2)],
        "other": [photo("piecepack-tiles", "3S", s) for s in (3, 4)],
        "third": [photo("piecepack-tiles", "AM", s) for s in (5, 6)],
    }
    _, report = enrol("twins", views, embedder, shape=Shape.TILE)
    assert [pair[:2] for pair in report.alike] == [("one", "other")]
    assert {"one", "other"} >= set(report.weak) != set()


def test_a_photo_without_a_piece_is_named(embedder: Embedder):
    plain = np.full((480, 640, 3), 90, np.uint8)
    views = {c: [photo("piecepack-tiles", f"{v}M", 1)] for c, v in (("a", "A"), ("b", "2"))}
    views["b"].append(plain)
    with pytest.raises(UnreadableError, match="Photo 2 of “b”"):
        enrol("x", views, embedder, shape=Shape.TILE)
    with pytest.raises(UsageError, match="two different"):
        enrol("x", {"a": [plain]}, embedder, shape=Shape.TILE)


def test_every_way_to_lie_is_tried(embedder: Embedder):
    deck = printed_deck("piecepack-coins", embedder)
    upright = face("piecepack-coins", "5?")
    corners = np.array([[0, 0], [95, 0], [95, 95], [0, 95]], np.float32) - 0.5
    best = set()
    for degrees in range(0, 360, 30):
        turn = cv2.getRotationMatrix2D((47, 47), degrees, 1)
        turned = cv2.warpAffine(upright, turn, (95, 95), borderValue=GROUND)
        naming = name_turns(deck, embedder(all_turns(turned, corners, Shape.COIN)))
        assert naming.label == "5?"
        best.add(naming.turn)
    assert len(best) == 12


def test_a_decks_file_says_what_was_taught(tiles: EnrolledDeck, tmp_path: Path):
    path = tmp_path / "decks" / "mine.json"
    save(tiles, path)
    again = load(path)
    assert again.labels == tiles.labels
    assert again.shape is Shape.TILE
    assert (again.vectors * tiles.vectors).sum(1) == pytest.approx(1.0, abs=0.003)
    assert path.stat().st_size < 5000 * len(tiles.labels)
    path.write_text(path.read_text()[:-100])
    with pytest.raises(UnreadableError, match="enrol it again"):
        load(path)


def test_files_are_named_after_their_pieces(tmp_path: Path):
    for name in ["W1-1.jpg", "W1_2.jpg", "b3.png", "!.jpg", "W2/IMG_77.jpg", "W2/IMG_78.jpg"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = labelled([tmp_path], get_deck("suspense"))
    assert {label: len(files) for label, files in found.items()} == {
        "W1": 2, "B3": 1, "!": 1, "W2": 2,
    }  # fmt: skip
    coins = [tmp_path / name for name in ("3-1.jpg", "S-1.jpg")]
    assert set(labelled(coins, get_deck("piecepack-coins"))) == {"3?", "?S"}
    with pytest.raises(UnreadableError, match="named after no card of suspense"):
        labelled([tmp_path / "IMG_0001.jpg"], get_deck("suspense"))
    with pytest.raises(UsageError, match="2 photos are no 2 for each of 13"):
        labelled(coins, get_deck("suspense"), in_order=2)
    ordered = labelled([tmp_path / f"{k}.jpg" for k in range(13)], get_deck("suspense"), in_order=1)
    assert ordered["W3"] == [tmp_path / "2.jpg"]


def test_the_commands_teach_and_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "data"))
    files = []
    for k, code in enumerate(["W1", "B1", "W4", "!"]):
        for view in (1, 2):
            files.append(str(tmp_path / f"{code}-{view}.png"))
            cv2.imwrite(files[-1], photo("suspense", code, 40 * k + view))
    assert main(["deck", "enrol", "mine", "--like", "suspense", *files, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["accuracy"] == 1.0
    assert len(said["missing"]) == 9
    test = tmp_path / "test.png"
    cv2.imwrite(str(test), photo("suspense", "W4", 999))
    assert main(["deck", "check", "mine", str(test), "--json"]) == 0
    (piece,) = json.loads(capsys.readouterr().out)["pieces"]
    assert piece["piece"] == "W4"
    assert main(["deck", "check", "nothing"]) == 2
    assert "is not enrolled" in capsys.readouterr().err
    assert main(["deck", "list"]) == 0
    assert "mine" in capsys.readouterr().out


def test_a_slow_clip_gives_three_views(tmp_path: Path):
    for code in ("2S", "AM"):
        views = (photo("piecepack-tiles", code, 7 * k) for k in range(6))
        write_clip(tmp_path / f"{code}.mp4", views, codec="mp4v")
    done = enrol_photos("clips", [tmp_path], tmp_path / "decks", like="piecepack-tiles")
    assert load(done.path).labels == ("2S",) * 3 + ("AM",) * 3
    assert done.report.tried == 6


def test_faces_are_read_like_any_cards(embedder: Embedder, tmp_path: Path):
    enrolled = enrolled_deck("suspense", tmp_path, embedder, captions("suspense"))
    reader = FaceReader(get_deck("suspense"), enrolled, embedder)
    assert isinstance(reader, CardReader)
    both = np.hstack([photo("suspense", "B2", 3), photo("suspense", "W5", 8)])
    reading = reader.read(both)
    assert {read.card.code for read in (*reading.cards, *reading.doubtful)} == {"B2", "W5"}
    for read in reading.cards:
        assert read.outlined
        # The upper left corner comes first: its index is there, so the quad is as the card stands.
        upright = rectified(both, np.array(read.quad, np.float32), Shape.CARD)
        drawn = cv2.resize(face("suspense", read.card.code), upright.shape[1::-1])
        assert np.corrcoef(upright.ravel(), drawn.ravel())[0, 1] > 0.7


def test_both_engines_agree(tiles: EnrolledDeck, embedder: Embedder):
    image = photo("piecepack-tiles", "3S", 77)
    patches = all_turns(image, find_outlines(image, Shape.TILE)[0].corners, Shape.TILE)
    other = Embedder(threads=1, engine="opencv")
    assert other(patches) == pytest.approx(embedder(patches), abs=1e-4)
