"""Is the picture good enough? What `calibration.light` finds wrong with it, in the app's words."""

from __future__ import annotations

from calibration.light import LightFault, measure
from mobile.resources import texts
from vision.arrays import Image


def check(image: Image) -> tuple[LightFault, ...]:
    """What is wrong with a frame, (height, width, 3) BGR, the worst first."""
    return measure(image).faults


def is_black(faults: tuple[LightFault, ...]) -> bool:
    """Whether nothing can be seen at all."""
    return LightFault.BLACK in faults


def advice(faults: tuple[LightFault, ...]) -> tuple[str, ...]:
    """What to do about it, each once."""
    return tuple(dict.fromkeys(texts.PICTURE_FAULTS[fault.value] for fault in faults))
