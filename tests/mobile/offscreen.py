"""Scenes run in a process of their own: there is one window a process."""

import os
import subprocess
import sys
from pathlib import Path

from mobile.tools.offscreen import environment

ROOT = Path(__file__).parents[2]


def run(scene, module, folder):
    """Runs a scene of a module of `tests.mobile` in a real offscreen window."""
    (folder / "data").mkdir()
    (folder / "kivy").mkdir()
    ran = subprocess.run(
        [sys.executable, "-m", "tests.mobile.scene", module, scene],
        cwd=ROOT,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=None if "MONKEY" in os.environ else 900,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert ran.stdout.strip().endswith("done")
    assert not [path for path in folder.rglob("*") if "telemetry" in path.name.lower()]
