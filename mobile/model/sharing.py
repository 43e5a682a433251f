"""Hands on a file that was kept: Android's share sheet, elsewhere the folder in a file manager."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from mobile.android import device

#: What opens a folder: the first that is installed.
_OPENERS = ("xdg-open", "open", "explorer")


def share(path: Path) -> bool:
    """Hands a file on.

    Returns:
        Whether the device can; else the user has to find the file by its path.
    """
    if device.is_android():
        return device.share(path)
    opener = next((found for name in _OPENERS if (found := shutil.which(name))), None)
    if opener is None:
        return False
    quiet = subprocess.DEVNULL
    try:
        # A program of the desktop's own, by its whole path, with one folder of ours.
        subprocess.Popen([opener, str(path.parent)], stdout=quiet, stderr=quiet)  # noqa: S603
    except OSError as error:
        print(f"{opener}: {error.strerror}", file=sys.stderr)
        return False
    return True
