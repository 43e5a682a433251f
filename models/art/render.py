"""Vector drawings to pixels, and sheets of cards to single cards."""

from __future__ import annotations

import gzip
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

Rgba = npt.NDArray[np.uint8]
"""A picture, shape (height, width, 4), red green blue alpha, not premultiplied."""


def read_svg(path: Path) -> str:
    """The text of an SVG or SVGZ file."""
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    return raw.decode("utf-8", errors="replace")


def render_svg(text: str, *, height: int) -> Rgba:
    """Draws an SVG text at the given height, pixels; the width follows its proportions.

    Raises:
        ValueError: The drawing cannot be read, or resvg-py is missing.
    """
    try:
        import resvg_py
    except ImportError as error:
        raise ValueError(
            "drawing SVG needs the package resvg-py: pip install 'tabletop-companion[train]'"
        ) from error
    png = bytes(resvg_py.svg_to_bytes(svg_string=text, height=height, dpi=96.0))
    return decode_picture(png)


def decode_picture(data: bytes) -> Rgba:
    """Decodes a PNG or JPEG file's bytes.

    Raises:
        ValueError: The bytes are no picture.
    """
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise ValueError("the file is no picture that OpenCV reads")
    if image.dtype == np.uint16:
        image = (image // 256).astype(np.uint8)
    if image.ndim == 2:
        return cv2.cvtColor(image, cv2.COLOR_GRAY2RGBA).astype(np.uint8)
    code = cv2.COLOR_BGRA2RGBA if image.shape[2] == 4 else cv2.COLOR_BGR2RGBA
    return cv2.cvtColor(image, code).astype(np.uint8)


def write_png(path: Path, image: Rgba) -> None:
    """Writes an RGBA picture as PNG, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done, data = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGBA2BGRA))
    if not done:
        raise ValueError(f"{path} could not be written as PNG")
    path.write_bytes(data.tobytes())


def cut_cell(sheet: Rgba, *, row: int, column: int, rows: int, columns: int) -> Rgba | None:
    """One cell of a regular sheet, or None where the cell is empty."""
    height, width = sheet.shape[:2]
    y0, y1 = round(row * height / rows), round((row + 1) * height / rows)
    x0, x1 = round(column * width / columns), round((column + 1) * width / columns)
    return trim_card(sheet[y0:y1, x0:x1])


def trim_card(image: Rgba, *, least_fill: float = 0.3) -> Rgba | None:
    """Cuts away what lies outside the card: transparent margins and crumbs of neighbours.

    Args:
        image: RGBA picture with one card on a transparent ground.
        least_fill: Share of the picture that the card must fill to count as one.

    Returns:
        The card alone, or None where there is none.
    """
    solid = (image[..., 3] > 127).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=4)
    if count < 2:
        return None
    best = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    x, y, w, h, area = (int(v) for v in stats[best])
    if area < least_fill * solid.size:
        return None
    near = cv2.dilate((labels == best).astype(np.uint8), np.ones((5, 5), np.uint8))
    card = image.copy()
    card[near == 0] = 0
    return np.ascontiguousarray(card[y : y + h, x : x + w])


def fit_height(image: Rgba, height: int) -> Rgba:
    """Scales to a height, pixels, weighing colours by alpha so that no dark fringe appears."""
    scale = height / image.shape[0]
    size = (max(1, round(image.shape[1] * scale)), height)
    alpha = image[..., 3:].astype(np.float32) / 255.0
    pre = np.concatenate([image[..., :3].astype(np.float32) * alpha, alpha], axis=2)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    small = cv2.resize(pre, size, interpolation=way)
    out_alpha = np.clip(small[..., 3:], 0.0, 1.0)
    colour = small[..., :3] / np.maximum(out_alpha, 1e-4)
    out = np.concatenate([colour, out_alpha * 255.0], axis=2)
    return np.asarray(np.clip(np.rint(out), 0, 255).astype(np.uint8))


def round_corners(card: Rgba, *, radius: float = 0.04) -> Rgba:
    """Rounds the corners of a card that was drawn with square ones.

    Args:
        card: The card, cut close.
        radius: Corner radius as a share of the height; a poker card's 3.5 mm of 88 mm.

    Returns:
        The same picture where the corners are transparent already, else a rounded copy.
    """
    height, width = card.shape[:2]
    if min(card[1, 1, 3], card[1, -2, 3], card[-2, 1, 3], card[-2, -2, 3]) < 128:
        return card
    r = max(2, round(radius * height))
    scale = 4
    mask = np.zeros((height * scale, width * scale), np.uint8)
    far_x, far_y, big = (width - r) * scale, (height - r) * scale, r * scale
    cv2.rectangle(mask, (big, 0), (far_x, height * scale), 255, -1)
    cv2.rectangle(mask, (0, big), (width * scale, far_y), 255, -1)
    for centre in ((big, big), (far_x, big), (big, far_y), (far_x, far_y)):
        cv2.circle(mask, centre, big, 255, -1)
    out = card.copy()
    smooth = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)
    out[..., 3] = np.minimum(out[..., 3], smooth)
    return out
