"""Is a picture good enough to read cards from? Light, sharpness, glare, with advice in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np

from vision.arrays import Image

#: Pictures are judged at this width in pixels, so that the limits hold for every camera.
WIDTH = 480
#: Mean grey level below which nothing can be seen at all.
BLACK = 8.0
#: Mean grey level below which noise hides small print, and above which the picture is washed out.
DARK, BRIGHT = 45.0, 215.0
#: Width in pixels, at `WIDTH`, over which an edge rises: more is blur or shake.
SOFT_EDGE = 3.2
#: Share of the picture in burnt-out spots: print under them is gone.
GLARE = 0.01
#: Darkest over brightest part of the table: below this, shadows hide the suit's colour.
UNEVEN = 0.25
#: Red over blue of the greyish parts: outside this the light is coloured.
WARM, COLD = 1.9, 0.6
_BURNT = 250


class LightFault(StrEnum):
    """What can be wrong with a picture."""

    BLACK = "black"
    DARK = "dark"
    BRIGHT = "bright"
    BLURRED = "blurred"
    GLARE = "glare"
    UNEVEN = "uneven"
    REDDISH = "reddish"
    BLUISH = "bluish"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Light:
    """What a picture is like, beside the limits above.

    Attributes:
        light: mean grey level, 0 to 255.
        edge: median width of its strongest edges in pixels at `WIDTH`, which it is where there
            are none.
        glare: share of burnt-out spots, 0 to 1; white paper that keeps its print is none.
        evenness: brightness of the darkest fifth over that of the brightest, 0 to 1.
        warmth: red over blue of its greyish parts.
    """

    light: float
    edge: float
    glare: float
    evenness: float
    warmth: float

    @property
    def faults(self) -> tuple[LightFault, ...]:
        """What is wrong, the worst first; nothing else is looked for in a black picture."""
        if self.light < BLACK:
            return (LightFault.BLACK,)
        found = {
            LightFault.DARK: self.light < DARK,
            LightFault.BRIGHT: self.light > BRIGHT,
            LightFault.EMPTY: self.edge >= WIDTH,
            LightFault.BLURRED: SOFT_EDGE < self.edge < WIDTH,
            LightFault.GLARE: self.glare > GLARE,
            LightFault.UNEVEN: self.evenness < UNEVEN,
            LightFault.REDDISH: self.warmth >= WARM,
            LightFault.BLUISH: self.warmth <= COLD,
        }
        return tuple(fault for fault, is_so in found.items() if is_so)

    @property
    def advice(self) -> tuple[str, ...]:
        """What is wrong and what to do, the worst first; empty where all is good."""
        return tuple(self._advice(fault) for fault in self.faults)

    def _advice(self, fault: LightFault) -> str:
        return {
            LightFault.BLACK: (
                f"Nothing can be seen: brightness {self.light:.0f}. Uncover the lens."
            ),
            LightFault.DARK: (
                f"Too dark: brightness {self.light:.0f}, {DARK:.0f} or more is wanted. "
                "Switch a lamp on."
            ),
            LightFault.BRIGHT: (
                f"Too bright: brightness {self.light:.0f}, at most {BRIGHT:.0f} is wanted. "
                "Dim the light or lower the exposure."
            ),
            LightFault.BLURRED: (
                f"Blurred: edges are {self.edge:.1f} pixels wide, at most {SOFT_EDGE} is wanted. "
                "Hold or prop the camera still, let it focus, wipe the lens."
            ),
            LightFault.EMPTY: (
                "Nothing has an edge here, so sharpness cannot be told. Lay some cards face "
                "up under the camera and check again."
            ),
            LightFault.GLARE: (
                f"Glare: {100 * self.glare:.1f} % of the picture is burnt out, at most "
                f"{100 * GLARE:.0f} % is wanted. Move the lamp aside or tilt the camera."
            ),
            LightFault.UNEVEN: (
                f"Shadows: the darkest part has {100 * self.evenness:.0f} % of the brightest "
                f"one's light, {100 * UNEVEN:.0f} % or more is wanted. Light the table from two "
                "sides."
            ),
            LightFault.REDDISH: "The light is very reddish: red and black are hard to tell apart.",
            LightFault.BLUISH: "The light is very bluish: red and black are hard to tell apart.",
        }[fault]


def measure(image: Image) -> Light:
    """Measures a picture, (height, width, 3) BGR."""
    height, width = image.shape[:2]
    small = cv2.resize(
        image, (WIDTH, max(16, round(height * WIDTH / width))), interpolation=cv2.INTER_AREA
    )
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    burnt = (small.min(2) >= _BURNT).astype(np.uint8)
    blown = cv2.erode(burnt, np.ones((5, 5), np.uint8))
    coarse = cv2.resize(grey, (12, 9), interpolation=cv2.INTER_AREA).astype(float).ravel()
    coarse.sort()
    fifth = len(coarse) // 5
    dull = small.reshape(-1, 3).astype(float)
    spread = dull.max(1) - dull.min(1)
    plain = dull[(spread <= np.percentile(spread, 50)) & (dull.max(1) > 20)]
    warmth = float(plain[:, 2].mean() / max(1.0, plain[:, 0].mean())) if len(plain) else 1.0
    return Light(
        light=float(grey.mean()),
        edge=_edge_width(grey),
        glare=float(blown.mean()) if not _is_paper(small, blown) else 0.0,
        evenness=float(coarse[:fifth].mean() / max(1.0, coarse[-fifth:].mean())),
        warmth=warmth,
    )


def _edge_width(grey: np.ndarray) -> float:
    """Rise over slope of the strongest edges: contrast around a pixel by its steepest gradient."""
    soft = cv2.GaussianBlur(grey, (3, 3), 0).astype(np.float32)
    gx, gy = cv2.Sobel(soft, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(soft, cv2.CV_32F, 0, 1) / 8
    slope = np.hypot(gx, gy)
    kernel = np.ones((9, 9), np.uint8)
    rise = cv2.dilate(grey, kernel).astype(np.float32) - cv2.erode(grey, kernel)
    strong = (rise > 40) & (slope >= cv2.dilate(slope, np.ones((5, 5), np.uint8)) - 1e-3)
    if np.count_nonzero(strong) < 20:
        return float(WIDTH)  # nothing has an edge: as blurred as can be
    return float(np.median(rise[strong] / np.maximum(slope[strong], 1e-3)))


def _is_paper(image: np.ndarray, blown: np.ndarray) -> bool:
    """Whether the burnt-out spots have a sharp rim, as paper has; a lamp's reflection fades out."""
    contours = cv2.findContours(blown, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
    rim = np.zeros_like(blown)
    cv2.drawContours(rim, contours, -1, 1, 1)
    if not rim.any():
        return True
    wide = cv2.dilate(rim, np.ones((13, 13), np.uint8)) & (
        1 - cv2.dilate(blown, np.ones((7, 7), np.uint8))
    )
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    around = grey[wide > 0]
    return bool(len(around) and np.median(around) < 200)
