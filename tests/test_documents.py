"""What the documents say of files, commands, games and networks is so, and they stay short."""

import json
import re
from pathlib import Path

import pytest

from companion.cli.main import COMMANDS
from companion.core.registry import all_games
from vision.inference.onnx_proto import unrounded

ROOT = Path(__file__).parents[1]
ROOMS = ("companion", "vision", "calibration", "models", "mobile", "tests")
DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(p for room in ROOMS for p in (ROOT / room).rglob("*.md")))
    if "build" not in path.parts
)
#: In words, as `wc -w` counts them.
LONGEST = {"README.md": 1200, "CHANGELOG.md": 600}
#: In lines.
TALLEST = {"models/CARD.md": 150}
#: A newcomer's task names at most so many files to open.
MOST_FILES = 6

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_PATH = re.compile(rf"`((?:{'|'.join(ROOMS)})/[\w./-]+\.\w+)`")
_ENTRIES = re.compile(r"^## (?P<title>.+)\n\nOpen (?P<files>[^.]*(?:\.\w[^.]*)*)\.\s", re.M)


def text_of(name):
    return (ROOT / name).read_text("utf-8")


def anchor(title):
    """As a forge makes it from a heading."""
    return re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-")


def name_of(path):
    return str(path.relative_to(ROOT))


def anchors_of(path):
    return {anchor(title) for title in re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.M)}


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_link_leads_somewhere(path):
    for link in _LINK.findall(path.read_text("utf-8")):
        if link.startswith("https://"):
            continue
        file, _, heading = link.partition("#")
        target = path.parent / file if file else path
        assert target.exists(), link
        assert not heading or heading in anchors_of(target), link


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_file_named_exists(path):
    missing = [name for name in _PATH.findall(path.read_text("utf-8")) if "NAME" not in name]
    missing = [name for name in missing if "STAGE" not in name and not (ROOT / name).exists()]
    assert missing == []


@pytest.mark.parametrize(("name", "words"), LONGEST.items())
def test_it_stays_short(name, words):
    assert len(text_of(name).split()) <= words


@pytest.mark.parametrize(("name", "lines"), TALLEST.items())
def test_it_stays_on_a_few_pages(name, lines):
    assert len(text_of(name).splitlines()) <= lines


def test_each_task_of_contributing_begins_with_a_few_files():
    tasks = {
        m["title"]: m["files"].count("`") // 2
        for m in _ENTRIES.finditer(text_of("CONTRIBUTING.md"))
    }
    assert {"A game", "A deck", "A camera source", "Follow a misread"} <= set(tasks)
    assert all(0 < count <= MOST_FILES for count in tasks.values()), tasks


def test_the_readme_names_every_command():
    readme = text_of("README.md")
    assert [name for name in COMMANDS if f"companion {name}" not in readme] == []
    named = re.findall(r"^\| `companion ([a-z]+)", readme, re.M)
    assert [name for name in named if name not in COMMANDS] == []


def test_the_readme_tells_every_game_as_it_is():
    rows = re.findall(r"^\| ([A-Z][\w ]+) \| ([\d–]+) \| (.+) \|$", text_of("README.md"), re.M)
    built_in = [game for game in all_games() if type(game).__module__.startswith("companion.games")]
    games = [game.info for game in built_in]
    players = [
        f"{i.min_players}–{i.max_players}" if i.max_players > i.min_players else f"{i.min_players}"
        for i in games
    ]
    expected = {(i.title, p, i.summary) for i, p in zip(games, players, strict=True)}
    assert set(rows) == expected


def test_the_model_card_lists_the_networks_that_ship():
    card = text_of("models/CARD.md")
    listed = re.findall(r"^\| `(\w+\.onnx)` \|", card, re.M)
    shipped = json.loads(text_of("models/checksums.json"))
    assert sorted(listed) == sorted(shipped)
    size = sum((ROOT / "models" / name).stat().st_size for name in shipped) / 1e6
    assert f"{size:.2f} MB" in card


def test_the_model_card_knows_every_network_by_its_size():
    rows = re.findall(r"^\| `(\w+\.onnx)` \|.*?\| ([\d.]+) M \|", text_of("models/CARD.md"), re.M)
    for name, millions in rows:
        model = (ROOT / "models" / name).read_bytes()
        full = unrounded(model)
        weights = len(full) / (4e6 if len(full) > 2 * len(model) else 2e6)  # else kept in fp16
        assert float(millions) == pytest.approx(weights, abs=0.015)


def test_every_document_is_linked_from_the_readme():
    """Diaries and plans stay out."""
    start = text_of("README.md")
    assert [n for n in map(name_of, DOCUMENTS) if n != "README.md" and f"({n})" not in start] == []
