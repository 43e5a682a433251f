"""What the commands of the eyes print, with a reader whose reads are known."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count

import cv2
import numpy as np
import pytest
from PIL import Image

from companion.cards import parse_cards
from companion.errors import CompanionError, UnreadableError
from tests.vision.growth import Growth, frames
from tests.vision.images.films import heic, write_clip, write_hevc
from tests.vision.layouts import Camera, RowStyle, corners_of, lay_row, view
from vision import commands
from vision.bench import SCENES, bench, interleaved_medians, reference_network
from vision.inference.onnx_proto import signature
from vision.rows.order import order_lines
from vision.tracking.zones import Zones, load_zones
from vision.types import Reading, Reason

ROW = "2S 6H 5D 4C 7S"


def reading_of(text, doubtful=0):
    rng = np.random.default_rng(0)
    laid = lay_row(rng, list(parse_cards(text)), RowStyle(pitch=30, jitter=1))[0]
    camera = Camera.looking(corners_of(laid), tilt=0, azimuth=0, roll=0, pixels=100)
    reads = view(rng, laid, camera)
    sure, rest = reads[doubtful:], reads[:doubtful]
    return Reading((100, 80), tuple(sure), tuple(rest), (), order_lines(sure), 12.345)


class KnownReader:
    """Gives the readings it was made with, one after the other."""

    def __init__(self, *readings):
        self.readings = list(readings)
        self.images = []

    def read(self, image):
        self.images.append(image.shape)
        return self.readings[min(len(self.images), len(self.readings)) - 1]

    read_frame = read_closely = read_with_outlines = read_with_faces = read


@pytest.fixture
def reader(monkeypatch):
    def use(*readings):
        known = KnownReader(*readings)
        monkeypatch.setattr(commands, "make_reader", lambda deck: known)
        monkeypatch.setattr(commands, "sweep_reader", lambda deck: known)
        return known

    return use


@pytest.fixture
def photo(tmp_path):
    path = tmp_path / "a.jpg"
    cv2.imwrite(str(path), np.zeros((80, 100, 3), np.uint8))
    return path


@pytest.fixture
def scanned(photo, capsys):
    """What is said of the photo as JSON."""

    def scan():
        commands.scan([photo], json_output=True)
        return json.loads(capsys.readouterr().out)

    return scan


def test_pictures_and_films_of_phones_are_read(reader, tmp_path, capsys):
    """HEIC, AVIF and a turned film in HEVC; what they show is read by a reader that knows it."""
    grey = np.full((80, 100, 3), 90, np.uint8)
    (tmp_path / "a.HEIC").write_bytes(heic(grey))
    Image.fromarray(grey).save(tmp_path / "b.avif")
    film = write_hevc(tmp_path / "c.MOV", [np.full((96, 160, 3), 90, np.uint8)] * 6, quarters=1)
    known = reader(reading_of(ROW))
    assert commands.scan([tmp_path]) == 0
    assert commands.row([tmp_path / "a.HEIC", tmp_path / "b.avif"]) == 0
    assert known.images == [(80, 100, 3)] * 4
    known.images.clear()
    assert commands.row([film]) == 0
    assert commands.watch(str(film), reader=known) == 0
    assert set(known.images) == {(160, 96, 3)}
    out, err = capsys.readouterr()
    assert out.count(f"Row      {ROW}") == 2
    assert err == ""


@pytest.fixture
def clip(tmp_path):
    def write(count):
        # A light blinks: a table on which nothing changes is not read again, and one on which much
        # moves only now and then.
        pictures = np.full((2, 240, 320, 3), 100, np.uint8)
        pictures[1, 80:96, 160:176] = 150
        return write_clip(tmp_path / "clip.avi", (pictures[k % 2] for k in range(count)))

    return write


def test_scan_says_as_which_deck_a_photo_was_read_and_what_it_looks_like(
    reader, scanned, photo, capsys
):
    read = replace(reading_of(ROW), deck="standard", looks_like="german")
    reader(read, read, reading_of(ROW))
    line = scanned()
    assert (line["deck"], line["looks_like"]) == ("standard", "german")
    commands.scan([photo])
    assert "looks like another deck (German" in capsys.readouterr().out
    assert scanned()["looks_like"] is None


def test_scan_prints_one_json_line_a_photo(reader, photo, capsys):
    reader(reading_of(ROW))
    assert commands.scan([photo, photo.parent], json_output=True) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["image"] for line in lines] == [str(photo), str(photo)]
    first = lines[0]
    assert first["size"] == [100, 80]
    assert first["row"] == ROW.split()
    assert {c["card"] for c in first["cards"]} == set(ROW.split())
    assert all(len(c["quad"]) == 4 and 0 < c["confidence"] <= 1 for c in first["cards"])
    assert first["ms"] == 12.35 or first["ms"] == 12.34
    assert {(c["status"], c["reason"]) for c in first["cards"]} == {("accepted", "it is sure")}
    assert first["doubtful"] == []
    assert first["backs"] == []


def test_scan_says_why_a_card_is_in_doubt_and_what_was_given_up(reader, scanned):
    read = reading_of("7H")
    held = read.cards[0].held_back(Reason.TWO_NAMES, accept=0.85)
    given_up = replace(read.cards[0], reason=Reason.OTHER_END)
    doubting = replace(read, cards=(), doubtful=(held,))
    reader(doubting, replace(reading_of("8H"), refused=(given_up,)))
    (doubt,) = scanned()["doubtful"]
    why = "its two ends read as different cards"
    assert (doubt["status"], doubt["reason"]) == ("doubtful", why)
    assert doubt["confidence"] < 0.85
    (refused,) = scanned()["refused"]
    assert (refused["card"], refused["status"]) == ("7H", "refused")
    assert refused["reason"] == "it is the other end of a surer card"


def test_scan_explains_in_words(capsys):
    assert commands.scan([SCENES / "five.jpg"], explain=True) == 0
    out = capsys.readouterr().out
    assert "5 cards" in out.splitlines()[0]
    assert "Read as: Standard" in out
    assert out.count("  accepted, ") == 5


def test_scan_gives_places_in_the_full_picture(reader, tmp_path, capsys):
    path = tmp_path / "large.jpg"
    cv2.imwrite(str(path), np.zeros((4800, 6000, 3), np.uint8))
    known = reader(reading_of("7H"))
    small = known.readings[0].cards[0].quad[0]
    assert commands.scan([path], json_output=True) == 0
    line = json.loads(capsys.readouterr().out)
    assert known.images == [(2400, 3000, 3)]
    assert line["size"] == [6000, 4800]
    assert line["cards"][0]["quad"][0] == [round(2 * v, 1) for v in small]


def test_bad_files_among_good_ones_cost_one_line_each(reader, photo, tmp_path, capsys):
    reader(reading_of(ROW))
    bad = tmp_path / "bad.jpg"
    bad.write_text("no picture")
    (tmp_path / "empty").mkdir()
    paths = [bad, photo, tmp_path / "empty", tmp_path / "none.png"]
    assert commands.scan(paths, json_output=True) == 2
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert len(err.splitlines()) == 3
    assert all(line.startswith("companion: ") for line in err.splitlines())


def test_scan_in_words(reader, photo, capsys):
    reader(reading_of(ROW, doubtful=1))
    assert commands.scan([photo]) == 0
    out = capsys.readouterr().out
    assert "4 cards" in out
    assert "not sure: " in out


def test_scan_that_finds_nothing_says_what_it_looked_for_and_what_to_try(reader, photo, capsys):
    cv2.imwrite(str(photo), np.zeros((3000, 4000, 3), np.uint8))
    empty = Reading(size=(4000, 3000), deck="standard")
    reader(empty, replace(reading_of("7H"), cards=(), doubtful=reading_of("7H").cards))
    assert commands.scan([photo]) == 0
    out = capsys.readouterr().out
    assert "no cards" in out
    # As a photo of 1,920 pixels is searched, so is one of 4,000.
    assert "no corner of a card was found: a rank above its suit, 19 to 1400 pixels high" in out
    assert "try --deck NAME" in out
    # What is asked about was found.
    commands.scan([photo])
    assert "was found" not in capsys.readouterr().out


def test_row_of_a_still(reader, photo, capsys):
    reader(reading_of(ROW))
    assert commands.row([photo], json_output=True) == 0
    result = json.loads(capsys.readouterr().out)
    assert [c["card"] for c in result["row"]] == ROW.split()
    assert result["changes"] == "UDDU"
    assert result["doubtful"] == []


def test_row_of_several_stills_and_in_words(reader, photo, capsys):
    reader(reading_of("5D 4C 7S"), reading_of("2S 6H 5D 4C"))
    assert commands.row([photo, photo]) == 0
    assert capsys.readouterr().out == f"Row      {ROW}\nChanges  UDDU\n"


@pytest.fixture
def pan(tmp_path):
    """A film of ten pictures a second along a cloth, 20 pixels a picture."""

    def write(count):
        cloth = np.random.default_rng(1).integers(0, 256, (30, 40 + 3 * count, 3), np.uint8)
        cloth = cv2.resize(cloth, None, fx=8, fy=8, interpolation=cv2.INTER_CUBIC)
        views = (cloth[:, 20 * k : 20 * k + 320] for k in range(count))
        return write_clip(tmp_path / "pan.avi", views)

    return write


def test_row_of_a_video(reader, pan, capsys):
    known = reader(reading_of("2S 6H 5D"), *[reading_of("6H 5D 4C 7S")] * 9)
    known.readings.insert(0, known.readings[0])
    assert commands.row([pan(20)], json_output=True) == 0
    assert len(known.images) == 8  # four of the ten frames of each second
    result = json.loads(capsys.readouterr().out)
    assert [c["card"] for c in result["row"]] == ROW.split()


def test_a_sweep_is_not_read_again_and_again_where_the_camera_rests(reader, clip):
    known = reader(reading_of(ROW))
    commands.row([clip(40)])
    assert 2 <= len(known.images) < 8


def test_row_with_one_bad_picture_says_so_and_reads_the_rest(reader, photo, tmp_path, capsys):
    reader(reading_of(ROW))
    assert commands.row([tmp_path / "none.jpg", photo], json_output=True) == 2
    out, err = capsys.readouterr()
    assert [c["card"] for c in json.loads(out)["row"]] == ROW.split()
    assert "none.jpg" in err


def test_read_row_raises_on_any_bad_picture_and_row_where_none_is_good(reader, photo, tmp_path):
    reader(reading_of(ROW))
    assert [c.code for c in commands.read_row([photo]).cards] == ROW.split()
    with pytest.raises(UnreadableError, match="none"):
        commands.read_row([photo, tmp_path / "none.jpg"])
    with pytest.raises(UnreadableError, match="none"):
        commands.row([tmp_path / "none.jpg"])


def growing_clip(reader, clip, cards=4):
    growth = Growth(cards=cards, every=1.2, wrong=0, dropped=0.1, hands=0)
    steps = list(frames(np.random.default_rng(2), growth))
    reader(*[reading for _, reading, _ in steps])
    return clip(len(steps)), [placed.card for placed in steps[-1][2]]


def test_watch_prints_sightings_states_and_proposals(reader, clip, capsys):
    path, truth = growing_clip(reader, clip)

    placed = []

    def propose(seen, t):
        for sighting in seen:
            if sighting.settled and sighting.card not in placed:
                placed.append(sighting.card)
                yield sighting, {"event": f"P1: place {sighting.card}", "accepted": True}

    code = commands.watch(str(path), game="precognition", json_output=True, propose=propose)
    assert code == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    seen = [e for e in events if e["kind"] == "sighting"]
    assert [e["card"] for e in seen] == [c.code for c in truth]
    assert all(e["zone"] == "row" and e["since"] <= e["t"] for e in seen)
    assert [e["event"] for e in events if e["kind"] == "proposal"] == [
        f"P1: place {c}" for c in truth
    ]
    assert {e["change"] for e in seen} == {"laid"}
    assert {e["state"] for e in events if e["kind"] == "state"} >= {"moving", "steady"}
    assert all("advice" in e for e in events if e["kind"] == "state" and "card" not in e)


def test_watch_in_words_and_sightings(reader, clip, capsys):
    path, truth = growing_clip(reader, clip)
    assert commands.watch(str(path)) == 0
    assert f"{truth[0]} in row, place 1" in capsys.readouterr().out
    path, truth = growing_clip(reader, clip)
    assert [s.card for s in commands.sightings(str(path), deck="standard")] == truth


def test_watch_of_nothing_is_an_error(reader, tmp_path):
    reader(reading_of(ROW))
    with pytest.raises(CompanionError, match="no such file"):
        commands.watch(str(tmp_path / "none.mp4"))


def test_zones_split_what_is_read(tmp_path):
    path = tmp_path / "zones.json"
    left = [[0, 0], [0.5, 0], [0.5, 1], [0, 1]]
    right = [[0.5, 0], [1, 0], [1, 1], [0.5, 1]]
    path.write_text(json.dumps({"zones": {"left": left, "right": right}}))
    reading = reading_of(ROW)
    parts = load_zones(path).split(reading)
    for name, keep in (("left", lambda x: x < 50), ("right", lambda x: x > 50)):
        assert {r.card for r in parts[name].cards} == {
            r.card for r in reading.cards if keep(r.indices[0].centre[0])
        }
    assert load_zones(None) == Zones({"row": None})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"zones": {}}',
        '{"zones": {"a": [[0, 0], [1, 1]]}}',
        '{"zones": 3}',
        '{"zones": {"a": [[0, 0], [1, 0], [1e300, 1]]}}',
        '{"zones": {"a": [[0, 0], [1, 0], [NaN, 1]]}}',
    ],
)
def test_what_is_no_zones_file_is_said(tmp_path, text):
    path = tmp_path / "zones.json"
    path.write_text(text)
    with pytest.raises(UnreadableError, match="zones file"):
        load_zones(path)
    with pytest.raises(UnreadableError, match="cannot be read"):
        load_zones(tmp_path / "none.json")


def test_bench_compares_with_the_reference_of_the_same_run():
    results = bench(KnownReader(reading_of(ROW)), seconds=0.1)
    assert results["scan five / reference network"]["limit"] == 0.8
    assert results["scan fifty / reference network"]["limit"] == 2.2
    assert results["row of 52 / reference network"]["limit"] == 2.5
    assert results["tracked frame / reference network"]["limit"] == 0.1
    for figure in results.values():
        assert set(figure) == {"value", "unit", "limit", "ok"}
        assert figure["ok"] == (figure["limit"] is None or figure["value"] <= figure["limit"])
    ratio = results["scan five"]["value"] / results["reference network"]["value"]
    assert results["scan five / reference network"]["value"] == pytest.approx(ratio, abs=2e-3)


def test_bench_takes_a_reference_by_name(monkeypatch, tmp_path):
    path = tmp_path / "small.onnx"
    path.write_bytes(reference_network(64))
    monkeypatch.setenv("COMPANION_REFERENCE_MODEL", str(path))
    assert "scan five / small" in bench(KnownReader(reading_of(ROW)), seconds=0.1)
    monkeypatch.setenv("COMPANION_REFERENCE_MODEL", str(tmp_path / "none.onnx"))
    with pytest.raises(CompanionError, match="cannot be opened"):
        bench(KnownReader(reading_of(ROW)), seconds=0.1)


def test_medians_are_of_interleaved_runs():
    calls = []
    works = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    times = interleaved_medians(works, seconds=0)
    assert set(times) == {"a", "b"}
    assert calls == ["a", "b"] * (len(calls) // 2)


def test_the_reference_is_as_large_as_it_says():
    inputs, _ = signature(reference_network())
    assert inputs[0].shape == (1, 3, 640, 640)


@pytest.mark.parametrize("deck", ["suspense", "piecepack-coins"])
def test_a_deck_that_is_known_by_its_faces_is_refused_in_words(deck):
    with pytest.raises(CompanionError, match="companion watch and the app"):
        commands.make_reader(deck)


def test_hand_of_photographs(reader, photo, capsys):
    reader(reading_of("9C 2S KH", doubtful=1), reading_of("9C 2S KH"))
    assert commands.hand([str(photo), str(photo)], count=3, json_output=True) == 0
    out, err = capsys.readouterr()
    assert err == ""
    line = json.loads(out)
    assert [one["card"] for one in line["hand"]] == ["2S", "KH", "9C"]
    assert all(0 < one["confidence"] <= 1 for one in line["hand"])
    assert (line["doubtful"], line["count"], line["expected"]) == ([], 3, 3)


def test_hand_says_what_it_is_not_sure_of(reader, photo, capsys):
    read = reading_of("9C 2S KH")
    doubt = replace(read.cards[0], confidence=0.7, alternatives=((parse_cards("9S")[0], 0.25),))
    reader(replace(read, cards=read.cards[1:], doubtful=(doubt,)))
    assert commands.hand([str(photo)], count=4) == 0
    assert capsys.readouterr().out == (
        "Hand  2S KH 9C?  (3 of 4 cards)\nNot sure of 9C: it may be 9S\n"
    )
    assert commands.hand([str(photo)], json_output=True) == 0
    line = json.loads(capsys.readouterr().out)
    assert line["doubtful"] == [
        {"card": "9C", "confidence": 0.7, "alternatives": [{"card": "9S", "confidence": 0.25}]}
    ]
    reader(Reading((100, 80)))
    commands.hand([str(photo)])
    assert capsys.readouterr().out == "No cards.\n"


def test_hand_of_a_video_is_read_until_it_is_whole(reader, clip):
    known = reader(reading_of("9C 2S KH"))
    path = str(clip(40))
    assert commands.read_hand([path], count=3).is_whole
    assert len(known.images) == 5
    known.images.clear()
    assert len(commands.read_hand([path], count=4).sure) == 3
    assert len(known.images) == 16


def test_hand_of_a_camera_is_waited_for_and_not_for_ever(reader, monkeypatch):
    picture = np.zeros((80, 100, 3), np.uint8)
    monkeypatch.setattr(commands, "_newest", lambda _: ((k / 2, picture) for k in count()))
    known = reader(reading_of("9C 2S KH"))
    assert commands.read_hand(["camera:1"], count=3).is_whole
    assert len(known.images) == 5
    known.images.clear()
    assert len(commands.read_hand(["camera"], count=4).sure) == 3
    assert len(known.images) == 122  # a minute of it


def test_hand_reads_what_can_be_read(reader, photo, tmp_path, capsys):
    reader(reading_of("9C 2S KH"))
    missing, empty = str(tmp_path / "none.jpg"), tmp_path / "empty"
    empty.mkdir()
    assert commands.hand([missing, str(photo), str(empty)], json_output=True) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["count"] == 3
    assert len(err.splitlines()) == 2
    with pytest.raises(CompanionError, match="none"):
        commands.hand([missing])
    with pytest.raises(CompanionError, match="none"):
        commands.read_hand([str(photo), missing])
