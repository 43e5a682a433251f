"""Is the picture good enough? What `calibration.light` finds wrong with it, in the app's words."""

from __future__ import annotations

from calibration.light import Fault, measure
from mobile.resources import texts
from vision.protocols import Image


def check(image: Image) -> tuple[Fault, ...]:
    """What is wrong with a frame, (height, width, 3) BGR, the worst first."""
    return measure(image).faults


def is_black(faults: tuple[Fault, ...]) -> bool:
    """Whether nothing can be seen at all."""
    return Fault.BLACK in faults


def advice(faults: tuple[Fault, ...]) -> tuple[str, ...]:
    """What to do about it, each once."""
    return tuple(dict.fromkeys(texts.PICTURE_FAULTS[fault.value] for fault in faults))
