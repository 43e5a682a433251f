"""View-model of the cameras of this device: which there are, what they are called.

A camera is named as sources are (`camera`, `camera:1`, `picamera`); `AUTO` is the one that a person
most likely means: on a Raspberry Pi with a Pi camera that, else the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mobile.android.device import is_android
from mobile.resources import texts

AUTO = "camera"
#: Where Linux lists its video devices.
DEVICES = Path("/sys/class/video4linux")
#: More are not offered.
MOST = 6


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera that can be chosen."""

    source: str
    title: str


def cameras(devices: Path = DEVICES) -> tuple[Camera, ...]:
    """The cameras that can be told apart, without opening any.

    Args:
        devices: the folder in which Linux lists video devices.
    """
    if is_android():
        return Camera("camera:0", texts.CAMERA_BACK), Camera("camera:1", texts.CAMERA_FRONT)
    found = [
        Camera(f"picamera:{k}", texts.CAMERA_PI.format(model=model))
        for k, model in enumerate(pi_cameras())
    ]
    for folder in sorted(devices.glob("video*"), key=_number):
        if _text(folder / "index") in ("", "0"):  # a camera's further devices deliver no pictures
            n = _number(folder)
            found.append(Camera(f"camera:{n}", _text(folder / "name") or f"{AUTO} {n}"))
    return tuple(found[:MOST])


def pi_cameras() -> tuple[str, ...]:
    """Models of the Raspberry Pi's own cameras, as picamera2 lists them; none elsewhere."""
    try:
        from picamera2 import Picamera2

        listed: Any = Picamera2.global_camera_info()
    except (ImportError, RuntimeError, OSError):
        return ()
    # It lists USB cameras as well, which OpenCV reaches too.
    own = [info for info in listed if "usb" not in str(info.get("Id", "")).lower()]
    return tuple(str(info.get("Model", "")) for info in own)


def resolved(source: str) -> str:
    """A source's name with `AUTO` settled."""
    return "picamera" if source == AUTO and not is_android() and pi_cameras() else source


def _number(folder: Path) -> int:
    digits = "".join(c for c in folder.name if c.isdecimal())
    return int(digits or 0)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
