"""Pictures of every screen: `python -m mobile.tools.shots FOLDER` writes SCREEN-SIZE-THEME.png.

The camera's picture is a frame of the bundled clip with what the shipped networks read from it.
Each size has a process of its own, because Kivy has one window a process.
"""

from __future__ import annotations

import argparse
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import cv2

from companion.errors import CompanionError
from mobile.app import make_app
from mobile.card_readers import shipped_reader
from mobile.model import demo_script
from mobile.model.settings import Settings
from mobile.resources import texts
from mobile.tools import contrast
from mobile.tools.beside import sheet
from mobile.tools.fitting import misfits
from mobile.tools.offscreen import SIZES, OffscreenApp, environment
from mobile.tools.scenes import scenes

THEMES = {
    "dark": Settings(welcomed=True, calm=True, language="en"),
    "light": Settings(theme="light", welcomed=True, calm=True, language="en"),
    "large": Settings("light", 1.45, four_colours=True, welcomed=True, calm=True, language="en"),
    "german": Settings(welcomed=True, calm=True, language="de"),
    "left": Settings(
        "light", 1.2, four_colours=True, left_handed=True, welcomed=True, calm=True, language="en"
    ),
}
#: Where there is little room is where large text and long words can go wrong; which hand it is
#: shows where camera and buttons lie side by side.
ONLY = {"large": ("small",), "german": ("small", "pi"), "left": ("pi",)}
#: Seconds after which a size is given up.
TIMEOUT = 900
#: When seven cards lie in the clip and no hand is in sight, in seconds.
SEVEN_CARDS = 10.0


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--size", choices=sorted(SIZES), help="one size only, in this process")
    parser.add_argument("--beside", type=Path, help="mocks that stand beside them on beside.png")
    parser.add_argument("--read", type=Path, help="frames that were read already (made by itself)")
    chosen = parser.parse_args()
    if chosen.size:
        return shoot(chosen.folder, chosen.size, chosen.read)
    running = []
    for old in _pictures(chosen.folder):
        old.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        # The networks are run once, not once a size.
        read = Path(scratch) / "frames"
        read.write_bytes(pickle.dumps(read_frames(shipped_reader)))
        for name, size in SIZES.items():
            command = [sys.executable, "-m", __spec__.name, str(chosen.folder), "--size", name]
            command += ["--read", str(read)]
            env = environment(Path(scratch) / name, size)
            # As on a device with a graphics chip, whatever draws the pictures here.
            env["KCFG_GRAPHICS_MULTISAMPLES"] = "2"
            running.append(subprocess.Popen(command, env=env))  # noqa: S603 - our own module
        codes = [process.wait(timeout=TIMEOUT) for process in running]
    count = len(_pictures(chosen.folder))
    shown = sheet(chosen.folder, chosen.folder / "beside.png", chosen.beside)
    print(f"{count} pictures in {chosen.folder}, {shown} of them side by side in beside.png")
    return max(codes)


def _pictures(folder: Path) -> list[Path]:
    names = [f"*-{size}-{theme}.png" for size in SIZES for theme in THEMES]
    return [path for name in names for path in folder.glob(name)]


def shoot(folder: Path, size: str, read: Path | None = None) -> int:
    """Every screen in every theme at one size, in this process."""
    app = make_app(None, None)
    app.services.change(THEMES["dark"])
    stage = OffscreenApp(app)
    if read is None:
        pictures = read_frames(app.services.make_reader)
    else:
        pictures = pickle.loads(read.read_bytes())  # noqa: S301 - written by our own process
    lowest, count, unfit = 21.0, 0, 0
    for theme, settings in THEMES.items():
        if size not in ONLY.get(theme, SIZES):
            continue
        app.change(settings)
        for screen in scenes(app, pictures):
            stage.frames(4)
            path = stage.picture(folder / f"{screen}-{size}-{theme}.png")
            picture = cv2.imread(str(path))
            assert picture is not None, path
            texts_ = contrast.measure(picture)
            lowest = min([lowest, *(m.ratio for m in texts_)])
            for poor in (m for m in texts_ if not m.ok):
                count += 1
                print(f"contrast {poor.ratio:.1f} < {poor.wanted} {path.name}: {poor.text[:40]!r}")
            for words in misfits():
                unfit += 1
                print(f"{path.name}: {words}")
    print(f"{size}: lowest contrast of a text {lowest:.1f}, too low {count}, not fitting {unfit}")
    stage.close()
    return 1 if count or unfit else 0


def read_frames(make_reader: Any) -> list[tuple[Any, Any]]:
    """A frame with seven cards and the last one, each with what the networks read from it.

    The reading is None where there are no networks.
    """
    capture = cv2.VideoCapture(str(demo_script.load().clip))
    rate = capture.get(cv2.CAP_PROP_FPS)
    frames = []
    while True:
        good, image = capture.read()
        if not good:
            break
        frames.append(image)
    chosen = [frames[round(SEVEN_CARDS * rate)], frames[-1]]
    try:
        reader = make_reader()
    except CompanionError as error:
        print(f"shots: {texts.told(error.message)}", file=sys.stderr)
        return [(frame, None) for frame in chosen]
    return [(frame, reader.read_frame(frame)) for frame in chosen]


if __name__ == "__main__":
    sys.exit(main())
