"""`python -m companion` in a folder where somebody has packages with the names of our rooms."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("vision", "calibration", "models", "mobile")
MISCHIEF = "print('somebody else', flush=True)\nraise SystemExit(7)\n"


@pytest.fixture
def folder(tmp_path):
    """Packages, and one plain module, that are not ours."""
    place = tmp_path / "work"
    for name in ROOMS[1:]:
        (place / name).mkdir(parents=True)
        (place / name / "__init__.py").write_text(MISCHIEF)
    (place / "vision.py").write_text(MISCHIEF)
    return place


def companion(folder, *arguments, **variables):
    environment = os.environ | {"COMPANION_DATA": str(folder.parent / "data")} | variables
    return subprocess.run(
        [sys.executable, "-m", "companion", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_what_lies_there_is_not_imported(folder):
    done = companion(folder, "doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert "somebody else" not in done.stdout
    assert "checksum right" in done.stdout


def test_the_companion_runs_from_its_own_folder(folder):
    done = companion(ROOT, "doctor", COMPANION_DATA=str(folder.parent / "data"), PYTHONSAFEPATH="")
    assert (done.returncode, done.stderr) == (0, "")
    assert "checksum right" in done.stdout


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("vision", ("scan", "x.jpg")),
        ("calibration", ("calibrate", "check", "x.jpg")),
        ("mobile", ("demo", "--terminal")),
    ],
)
def test_another_package_on_the_path_is_named(folder, name, arguments):
    only = folder.parent / "only"
    shutil.copytree(folder / "models", only / name)
    done = companion(folder.parent, *arguments, PYTHONPATH=str(only))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert str(only / name) in done.stderr
    assert "pipx" in done.stderr


def test_the_networks_are_found_beside_the_eyes(folder):
    only = folder.parent / "only"
    shutil.copytree(folder / "models", only / "models")
    done = companion(folder.parent, "doctor", PYTHONPATH=str(only))
    assert (done.returncode, done.stderr) == (0, "")
    assert "checksum right" in done.stdout
