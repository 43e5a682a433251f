"""Pictures for the README: `python -m mobile.tools.readme_pictures SHOTS FOLDER`.

One of each screen, out of those that `mobile.tools.shots` made, with fewer colours; and the demo as
a short animation, recorded while the app plays it with the shipped networks in a real window.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2

from companion.errors import CompanionError
from mobile.tools.offscreen import SIZES, OffscreenApp, environment

#: Name in the README → the picture of `mobile.tools.shots` that shows it.
SCREENS = {
    "home": "home-continue",
    "setup": "setup-suspense",
    "table": "table",
    "question": "proposal",
    "row": "row",
    "predict": "predict",
    "notepad": "notepad-gotcha",
    "scores": "scores",
    "replay": "replay",
    "camera": "camera",
    "taking": "taking",
    "settings": "settings",
}
SUFFIX = "-phone-dark.png"
COLOURS = 96
#: The animation: its width, pictures a second of the clip, how much quicker it is shown, and how
#: long its last picture stays, in milliseconds.
WIDTH, RATE, QUICKER, LAST = 206, 2.5, 2.0, 3000
TIMEOUT = 180.0


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("shots", type=Path, help="where `mobile.tools.shots` put its pictures")
    parser.add_argument("folder", type=Path, help="where the README's pictures go")
    parser.add_argument("--film", action="store_true", help="the animation alone, in this process")
    chosen = parser.parse_args()
    try:
        if chosen.film:
            _film(chosen.folder / "demo.gif")
            return 0
        for name, shot in SCREENS.items():
            _fewer_colours(chosen.shots / f"{shot}{SUFFIX}", chosen.folder / f"{name}.png")
    except CompanionError as error:
        print(f"readme_pictures: {error.message}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", __spec__.name, str(chosen.shots), str(chosen.folder)]
        env = environment(Path(scratch), SIZES["phone"])
        ran = subprocess.run([*command, "--film"], env=env, check=False)  # noqa: S603 - our own module
    return ran.returncode


def _fewer_colours(source: Path, target: Path) -> None:
    from PIL import Image

    if not source.exists():
        raise CompanionError(f"{source} is missing: run make shots first.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(source) as image:
        image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)


def _film(target: Path) -> None:
    from PIL import Image

    from mobile.app import make_app

    app = make_app(None, None)
    app.services.change(replace(app.settings, welcomed=True, language="en"))
    stage = OffscreenApp(app)
    with tempfile.TemporaryDirectory() as scratch:
        frames = [
            Image.fromarray(cv2.cvtColor(_small(path), cv2.COLOR_BGR2RGB)).quantize(COLOURS)
            for path in _record(app, stage, Path(scratch))
        ]
    stage.close()
    each = round(1000 / RATE / QUICKER)
    durations = [each] * (len(frames) - 1) + [LAST]
    target.parent.mkdir(parents=True, exist_ok=True)
    frames[0].save(
        target, save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True
    )
    print(f"{target}: {len(frames)} pictures, {target.stat().st_size / 1000:.0f} kB")


def _record(app: Any, stage: OffscreenApp, folder: Path) -> list[Path]:
    app.open_demo()
    screen, began = app.screen("table"), time.monotonic()
    paths: list[Path] = []
    due, seen = 0.0, 0.0
    while not screen.over or not screen.eyes.ended:
        stage.frames()
        if screen.eyes.failure or time.monotonic() - began > TIMEOUT:
            raise CompanionError(screen.eyes.failure or "The demo did not come to its end.")
        seen = screen.eyes.seen_until
        if seen >= due:
            paths.append(stage.picture(folder / f"{len(paths):04}.png"))
            due = seen + 1 / RATE
    stage.frames(4)
    paths.append(stage.picture(folder / "last.png"))
    return paths


def _small(path: Path) -> Any:
    image = cv2.imread(str(path))
    assert image is not None, path
    size = WIDTH, round(image.shape[0] * WIDTH / image.shape[1])
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)


if __name__ == "__main__":
    sys.exit(main())
