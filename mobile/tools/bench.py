"""How quick and how large the app is on this machine, with the shipped networks at work.

The app runs in a process of its own in an offscreen window (software OpenGL) and plays the
bundled clip, once at a phone's size in dp and once at a phone's size in pixels.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from companion.bench import figure
from companion.errors import CompanionError
from mobile.tools.offscreen import SIZES, OffscreenApp, environment

STARTED = "COMPANION_BENCH_STARTED"
#: Seconds of the clip that are watched, then seconds in which every frame is drawn while it goes
#: on; a run is given up after `TIMEOUT` seconds.
WATCHED = 6.0
DRAWN = 4.0
TIMEOUT = 21.0

#: Processor time of the app itself, which other programs on the machine do not lengthen: to the
#: first usable screen; while recognising, the share of one core; for each frame that was read.
PROCESSOR = {"start processor": "s", "processor": "cores", "processor a frame read": "ms"}

Figures = dict[str, dict[str, Any]]


def bench() -> Figures:
    """Start, first card, memory, frames a second and latency, each with its limit.

    Returns:
        `{NAME: {"value", "unit", "limit", "ok"}}`; figures of the large window have no limit.

    Raises:
        CompanionError: the app does not run here; says why.
    """
    small = _run(SIZES["phone"], 1.0)
    large = _run((1072, 2380), 2.6)
    results = {
        "app start": figure(small["start"], "s", 1.2),
        "app first card": figure(small["first_card"], "s", 2.0),
        "app memory": figure(small["memory"], "MB", 280),
        "app frames": figure(small["frames"], "frames/s", 40),
        "app latency": figure(small["latency"], "ms", 150),
    }
    for name, unit in PROCESSOR.items():
        results[f"app {name}"] = figure(small[name], unit)
    units = {"start": "s", "first_card": "s", "memory": "MB", "frames": "frames/s", "latency": "ms"}
    for name, unit in (units | PROCESSOR).items():
        results[f"app {name.replace('_', ' ')} 1072x2380"] = figure(large[name], unit)
    return results


def _run(size: tuple[int, int], density: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as scratch:
        env = environment(Path(scratch), size, density)
        env[STARTED] = str(time.time())
        command = [sys.executable, "-m", "mobile.tools.bench"]
        try:
            ran = subprocess.run(  # noqa: S603 - our own module
                command, env=env, capture_output=True, text=True, timeout=60, check=False
            )
        except subprocess.TimeoutExpired:
            raise CompanionError("The app did not answer within a minute.") from None
    if ran.returncode:
        reason = ran.stderr.strip().splitlines() or ["it gave no reason"]
        raise CompanionError(f"The app does not run here: {reason[-1]}")
    result: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return result


def measure() -> dict[str, float]:
    """In the app's own process: plays the demo and takes the times."""
    from mobile.app import make_app

    app = make_app(None, None)
    app.services.change(replace(app.settings, welcomed=True))
    stage = OffscreenApp(app, waits=True)
    start, start_processor = time.time() - float(os.environ[STARTED]), time.process_time()
    opened = time.monotonic()
    app.open_demo()
    screen = app.screen("table")
    stage.until(lambda: bool(screen.ids.camera.names) or screen.eyes.failure, TIMEOUT)
    if screen.eyes.failure:
        raise CompanionError(screen.eyes.failure)
    first_card = time.monotonic() - opened
    busy, looks = time.process_time(), screen.eyes.looks
    seconds = _watch(stage)
    busy, looks = time.process_time() - busy, screen.eyes.looks - looks
    latencies = screen.latencies or [float("inf")]
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    frames = _drawn(stage)
    stage.close()
    return {
        "start": start,
        "first_card": first_card,
        "memory": memory,
        "frames": frames,
        "latency": median(latencies) * 1000,
        "start processor": start_processor,
        "processor": busy / seconds,
        "processor a frame read": busy / max(1, looks) * 1000,
    }


def _watch(stage: OffscreenApp) -> float:
    """Runs the app as people do, drawing what changes; returns the seconds it took."""
    began = time.monotonic()
    while time.monotonic() - began < WATCHED:
        stage.frames()
    return time.monotonic() - began


def _drawn(stage: OffscreenApp) -> float:
    """Frames a second where all of the screen is drawn anew each time, as if it were moving."""
    from kivy.core.window import Window

    frames, began = 0, time.monotonic()
    while time.monotonic() - began < DRAWN:
        Window.canvas.ask_update()
        stage.frames()
        frames += 1
    return frames / (time.monotonic() - began)


if __name__ == "__main__":
    try:
        print(json.dumps(measure()))
    except CompanionError as error:
        sys.exit(error.message)
