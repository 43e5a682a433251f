"""`companion` works where neither OpenCV nor ONNX Runtime nor Kivy is installed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
REFUSE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"cv2", "onnxruntime", "kivy"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
"""
IMPORT_ALL = """
import pkgutil
import companion

found = [module.name for module in pkgutil.walk_packages(companion.__path__, "companion.")]
for name in found:
    if name != "companion.__main__":
        __import__(name)
print(len(found), sorted({"vision", "mobile", "models", "calibration"} & set(sys.modules)))
"""
PLAY = """
from companion.cli.main import main
from companion.core.registry import all_games

for game in all_games():
    assert main(["simulate", game.name, "--matches", "1", "--json"]) == 0
assert main(["scan", "x.jpg"]) == 2
"""
TESTS = """
import pytest

chosen = ["referee", "notation", "rules", "suspense_conditions", "cards"]
files = [f"tests/companion/test_{name}.py" for name in chosen]
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *files]))
"""


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", REFUSE + code],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_every_module_is_imported_without_them():
    count, rooms = run(IMPORT_ALL).stdout.split(maxsplit=1)
    assert int(count) > 80
    assert rooms.strip() == "[]"


def test_bots_play_every_game_and_what_needs_eyes_says_what_is_missing():
    done = run(PLAY)
    assert done.stdout.count('"wins"') >= 5
    assert "which is not installed here" in done.stderr


def test_tests_pass_without_them():
    assert "[100%]" in run(TESTS).stdout
