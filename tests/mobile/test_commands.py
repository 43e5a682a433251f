"""`companion demo` and `companion app` where there is no screen, as a user runs them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vision.inference.model_files import models_folder

ROOT = Path(__file__).parents[2]


def run(home, *arguments, **env):
    kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    kept.pop("SDL_VIDEODRIVER", None)
    return subprocess.run(
        [sys.executable, "-m", "companion", *arguments],
        cwd=ROOT,
        env=kept | {"HOME": str(home), "XDG_DATA_HOME": str(home / "share")} | env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=400,
        check=False,
    )


@pytest.mark.ui
@pytest.mark.parametrize("env", [{}, {"DISPLAY": ":4095"}])
def test_the_app_says_that_there_is_no_screen(tmp_path, env):
    ran = run(tmp_path, "--data", str(tmp_path / "data"), "app", **env)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith("companion: No window can be opened here")
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.ui
@pytest.mark.parametrize("env", [{}, pytest.param({"DISPLAY": ":4095"}, marks=pytest.mark.slow)])
def test_the_demo_goes_on_in_the_terminal(tmp_path, env):
    ran = run(tmp_path, "--data", str(tmp_path / "data"), "demo", **env)
    if not (models_folder() / "models.json").exists():
        assert ran.returncode == 2
        assert "networks" in ran.stderr
        return
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    laid = [line.split("seen: ")[1].split()[0] for line in lines if "seen: " in line]
    assert laid == ["2S", "6H", "5C", "4D", "7S", "9D", "7H", "AC", "2H", "2D", "5S", "8C"]
    assert "Ann's turn" in lines[2]
    assert "Bo's turn" in lines[3]
    assert lines[-1] == "Winner: Ann."
    assert any("cards 4 to 11" in line for line in lines)
    # ONNX Runtime would keep a telemetry database in the home folder.
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in kept if (tmp_path / "data") not in path.parents]
