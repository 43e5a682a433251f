"""Pictures of cards: the drawings of the printable decks, painted in pixels for the screen.

They are painted where they are first shown, in the size that they are shown in. OpenCV is loaded
for that, and not before.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from companion.cards import Card, Family
from mobile.resources.theme import FOUR_COLOURS, Rgba, rgba

if TYPE_CHECKING:
    from calibration.printing.curves import Colour, Drawing

#: A box that is lower than this for its width holds a card's signs beside each other.
TALL = 1.15
#: The rim of a card, three to one against the light ground; on the dark one the paper stands out.
RIM = rgba("#6D7D76")
#: Rounding of a card's corners and width of its rim, as shares of its shorter side.
_ROUND, _LINE = 0.11, 0.02


class Side(Enum):
    """What of a card is shown."""

    FACE = "face"
    BACK = "back"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture shows, and how large it is in pixels.

    Attributes:
        card: whose face; of a back only the family counts.
        size: width and height in pixels.
    """

    card: Card
    side: Side
    size: tuple[int, int]
    four: bool = False


def fitted(card: Card, side: Side, box: tuple[float, float], *, four: bool) -> Picture:
    """The picture of a card that fits a box.

    Cards keep their shape. In a box too low for a face they become keys, which fill it.

    Args:
        card: whose picture.
        side: what is shown of it.
        box: width and height that there are, in pixels.
        four: four colours of suits.
    """
    width, height = max(1.0, box[0]), max(1.0, box[1])
    square = card.family in (Family.TILE, Family.COIN)
    is_low = not square and height < TALL * width
    if side is Side.FACE and is_low:
        side = Side.KEY
    # A back has nothing to read: it fills a low box as a key does.
    if side is not Side.KEY and not (side is Side.BACK and is_low):
        shape = 1.0 if square else 88 / 63
        width = min(width, height / shape)
        height = width * shape
    four = four and card.family is Family.STANDARD and side is not Side.BACK
    return Picture(card, side, (max(1, round(width)), max(1, round(height))), four)


def painted(picture: Picture) -> Any:
    """Paints a picture.

    Returns:
        (height, width, 4) RGBA, `uint8`, the corners transparent.
    """
    import cv2
    import numpy as np

    from calibration.printing.curves import rasterised

    drawing = _drawing(picture)
    width, height = picture.size
    image = rasterised(drawing, width / drawing.size[0], 4)
    if image.shape[:2] != (height, width):
        image = np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA))
    pixels = cv2.cvtColor(image, cv2.COLOR_BGRA2RGBA)
    return pixels if drawing.round else _framed(pixels)


def _drawing(picture: Picture) -> Drawing:
    from calibration.printing import shown

    card = picture.card
    if picture.side is Side.BACK:
        return shown.shown_back(card.family)
    ink = _ink(FOUR_COLOURS[card.suit]) if picture.four and card.suit is not None else None
    if picture.side is Side.KEY:
        return shown.key_face(card, ratio=picture.size[1] / picture.size[0], ink=ink)
    return shown.shown_face(card, ink=ink)


def _ink(colour: Rgba) -> Colour:
    red, green, blue = (round(v * 255) for v in colour[:3])
    return red, green, blue


def _framed(pixels: Any) -> Any:
    import numpy as np

    height, width = pixels.shape[:2]
    short = min(width, height)
    outer = _rounded(width, height, short * _ROUND, 0.0)[..., None]
    inner = _rounded(width, height, short * _ROUND, max(0.75, short * _LINE))[..., None]
    rim = np.array(RIM[:3]) * 255
    # The transparent corners have the rim's colour: they would else shimmer through its edge.
    colours = pixels[..., :3] * inner + rim * (1 - inner)
    return np.concatenate([np.round(colours), np.round(outer * 255)], 2).astype(np.uint8)


def _rounded(width: int, height: int, radius: float, inset: float) -> Any:
    """How much of each pixel lies in a rounded rectangle, 0 to 1, by its distance from the edge."""
    import numpy as np

    x = np.abs(np.arange(width) + 0.5 - width / 2)[None]
    y = np.abs(np.arange(height) + 0.5 - height / 2)[:, None]
    dx, dy = x - (width / 2 - radius), y - (height / 2 - radius)
    beyond = np.hypot(np.maximum(dx, 0), np.maximum(dy, 0)) + np.minimum(np.maximum(dx, dy), 0)
    return np.clip(radius - inset - beyond + 0.5, 0, 1)
