"""What is packed for others: types, rooms, licences, and nothing that only the repository needs."""

import ast
import json
import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

from companion.cli.main import main

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]


@pytest.mark.parametrize("room", WHEEL["packages"])
def test_every_package_says_that_it_is_typed(room):
    assert (ROOT / room / "py.typed").is_file()


def kept_of_models():
    """The modules of `models` that the wheel brings."""
    kept = [line.removeprefix("!/models/") for line in WHEEL["exclude"] if line.startswith("!")]
    found = {path.relative_to(ROOT) for pattern in kept for path in (ROOT / "models").glob(pattern)}
    assert all(list((ROOT / "models").glob(pattern)) for pattern in kept)
    return found


def test_nothing_packed_imports_what_is_left_out():
    kept = kept_of_models()
    packed = [
        path
        for room in WHEEL["packages"]
        for path in (ROOT / room).rglob("*.py")
        if (room != "models" or path.relative_to(ROOT) in kept)
        and f"/{path.relative_to(ROOT)}" not in WHEEL["exclude"]
    ]
    assert len(packed) > 300
    wrong = []
    for path in packed:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                names.append(str(node.module))
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                file = Path(*name.split(".")).with_suffix(".py")
                if name.startswith("models.") and (ROOT / file).exists() and file not in kept:
                    wrong.append((path.name, name))
                if f"/{file}" in WHEEL["exclude"]:
                    wrong.append((path.name, name))
    # Rendered sets are drawn in the repository alone; the command says so where they are missing.
    assert set(wrong) == {
        ("evaluate.py", "models.evaluation.enrolment"),
        ("evaluate.py", "models.evaluation.guards"),
        ("evaluate.py", "models.evaluation.stress"),
    }


def test_the_wheel_brings_what_its_patterns_name():
    pathspec = pytest.importorskip("pathspec", reason="what hatchling matches with")
    patterns = pathspec.GitIgnoreSpec.from_lines(WHEEL["exclude"])
    modules = [path.relative_to(ROOT) for path in (ROOT / "models").rglob("*.py")]
    packed = {path for path in modules if not patterns.match_file(path)}
    assert packed == {path for path in kept_of_models() if path.suffix == ".py"}


def test_the_networks_are_packed():
    assert {path.name for path in kept_of_models()} >= {
        *("models.json", "checksums.json", "__init__.py", "evaluate.py"),
        *(path.name for path in (ROOT / "models").glob("*.onnx")),
    }


def test_licences_of_everything_that_is_needed(capsys):
    assert main(["doctor", "--licences", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = {re.sub(r"[-_.]+", "-", name).lower() for name in found}
    wanted = {re.match(r"[a-z0-9-]+", line)[0] for line in PROJECT["project"]["dependencies"]}
    if "opencv-python-headless" in names:
        wanted.discard("opencv-python")
    assert wanted <= names
    assert "cffi" in names, "what cryptography needs in its turn"
    assert "pytest" not in names, "only what is needed to run"
    for name, facts in found.items():
        assert facts["licence"] != "not said", name
        assert "\n" not in facts["licence"]
        assert all(Path(file).is_file() for file in facts["files"])
    assert found["tabletop-companion"]["licence"] == "MIT"
    assert any(facts["files"] for facts in found.values())


def test_licences_as_text(capsys):
    assert main(["doctor", "--licences"]) == 0
    out = capsys.readouterr().out
    assert f"numpy {distribution('numpy').version}: BSD" in out
