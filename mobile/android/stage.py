"""Copies what the Android package needs into one folder: `python -m mobile.android.stage FOLDER`.

The repository holds more than a phone needs (training, tests), and python-for-android wants a
`main.py` beside the packages.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from mobile.resources import icons

ROOT = Path(__file__).parents[2]
#: Folder → what of it is packed.
_PACKED = {
    "companion": ("*.py",),
    "vision": ("*.py",),
    "calibration": ("*.py", "*.json", "*.npz"),
    "mobile": (
        "*.py",
        "*.kv",
        "*.mo",
        "*.json",
        "*.mp4",
        "*.ttf",
        "*.woff2",
        "*.txt",
        "*.wav",
        "*.html",
        "*.css",
        "*.js",
    ),
    "models": ("*.onnx", "*.json", "__init__.py"),
}
#: What only a desktop or the command line needs.
_LEFT_OUT = ("cli", "pictures", "pi", "desktop", "__pycache__")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="where the copy goes; replaced if it is there")
    folder = stage(parser.parse_args().folder)
    print(f"Staged in {folder}. Next: cd {folder} && buildozer android debug")
    return 0


def stage(folder: Path) -> Path:
    """Makes the copy; returns its folder."""
    for name, patterns in _PACKED.items():
        target = folder / name
        shutil.rmtree(target, ignore_errors=True)
        files = {path for pattern in patterns for path in (ROOT / name).rglob(pattern)}
        for path in sorted(files):
            inside = path.relative_to(ROOT / name)
            is_wanted = not set(inside.parts) & set(_LEFT_OUT)
            is_shallow = name != "models" or len(inside.parts) == 1
            if is_wanted and is_shallow:
                (target / inside).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target / inside)
    for name in ("main.py", "buildozer.spec"):
        shutil.copyfile(Path(__file__).parent / name, folder / name)
    shutil.copytree(Path(__file__).parent / "res", folder / "res", dirs_exist_ok=True)
    icons.draw_icon(512, folder / "icon.png")
    icons.draw_splash((1080, 1920), folder / "splash.png")
    return folder


if __name__ == "__main__":
    sys.exit(main())
