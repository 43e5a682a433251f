"""Kills `python -m models.train` in the middle, again and again, and lets it finish.

    python -m tests.models.training.kills

Each time the process gets SIGKILL at another moment: while it renders, in the middle of a network,
in its second leg. The next one must go on from the last checkpoint and render nothing again, and
at the end everything is there. It needs PyTorch, so `make train-smoke` runs it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

SCENES = 8
OPTIONS = (
    "--smoke", "--stages", "scenes,locator,classifier", f"--scenes={SCENES}",
    "--samples=locator=240", "--samples=classifier=2048",
)  # fmt: skip
MOMENTS = ("scenes: begins", "locator: checkpoint", "classifier-every: checkpoint")
"""A child is killed when it says so."""


def child(work: Path, options: tuple[str, ...] = OPTIONS) -> subprocess.Popen[str]:
    """A training run in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "models.train", *options, "--work", str(work)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until(process: subprocess.Popen[str], is_moment: Callable[[str], bool]) -> list[str]:
    """What it says until a line is of the right kind, and then its death."""
    said = []
    assert process.stderr is not None
    for line in process.stderr:
        said.append(line)
        if is_moment(line):
            os.killpg(process.pid, signal.SIGKILL)
            break
    process.stderr.close()
    process.wait()
    return said


def seen(lines: list[str], words: str) -> int:
    """The number of samples in the first line with these words."""
    [line, *_] = [line for line in lines if words in line]
    return int(line.split(words)[1].split()[0])


def main() -> int:
    """The command line."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        killed: list[list[str]] = []
        for moment in MOMENTS:
            killed.append(until(child(work), lambda line, moment=moment: moment in line))
            assert moment in killed[-1][-1], "".join(killed[-1])
            print(f"killed at: {killed[-1][-1].strip()}")
        drawn = {path: path.stat().st_mtime_ns for path in (work / "smoke/scenes").glob("*.npz")}
        last = until(child(work), lambda line: False)
        assert len(drawn) == SCENES
        assert drawn == {p: p.stat().st_mtime_ns for p in (work / "smoke/scenes").glob("*.npz")}
        again = killed[2]
        assert seen(again, "locator: continues at") >= seen(killed[1], "locator: checkpoint at") > 0
        begun = seen(killed[2], "classifier-every: checkpoint at")
        assert seen(last, "classifier-every: continues at") >= begun > 0
        assert "all done" in last[-1], "".join(last)
        log = (work / "smoke" / "log.txt").read_text("utf-8")
        assert log.count("python -m models.train") == len(MOMENTS) + 1
        other = child(work, (*OPTIONS, "--seed", "2"))
        assert "another plan (seed differ)" in "".join(until(other, lambda line: False))
        assert other.returncode == 2
    print("continued each time from the last checkpoint, and finished")
    return 0


if __name__ == "__main__":
    sys.exit(main())
