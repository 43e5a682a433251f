"""A pretend camera for the tests: flat pictures in space, seen through a known lens."""

from __future__ import annotations

import cv2
import numpy as np

SIZE = (960, 720)
MATRIX = np.array([[820.0, 0, 479.5], [0, 820.0, 359.5], [0, 0, 1]])


def see(
    picture: np.ndarray, px_per_mm: float, turn: tuple[float, float, float], distance: float,
    *, ground: tuple[int, int, int] = (70, 110, 60), bending: float = 0.0,
) -> np.ndarray:  # fmt: skip
    """A flat picture, centred before the camera, turned (radians) and so far away (mm)."""
    image = np.full((SIZE[1], SIZE[0], 3), ground, np.uint8)
    h = MATRIX @ plane(turn, distance)
    height, width = picture.shape[:2]
    centre = np.array([[1 / px_per_mm, 0, -width / 2 / px_per_mm],
                       [0, 1 / px_per_mm, -height / 2 / px_per_mm], [0, 0, 1]])  # fmt: skip
    cv2.warpPerspective(picture, h @ centre, SIZE, dst=image, flags=cv2.INTER_AREA,
                        borderMode=cv2.BORDER_TRANSPARENT)  # fmt: skip
    if bending:
        grid = np.stack(np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1])), -1).astype(float)
        straight = cv2.undistortPoints(
            grid.reshape(-1, 1, 2), MATRIX, np.array([bending, 0, 0, 0, 0]), P=MATRIX
        ).reshape(SIZE[1], SIZE[0], 2)
        x, y = straight.astype(np.float32).transpose(2, 0, 1)
        image = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cv2.GaussianBlur(image, (0, 0), 0.7)


def plane(turn: tuple[float, float, float], distance: float) -> np.ndarray:
    """From mm on the plane to the camera's rays (3 × 3), the plane's origin before the camera."""
    rotation = cv2.Rodrigues(np.array(turn))[0]
    return np.column_stack([rotation[:, :2], [0, 0, distance]])


def table_of_cards(
    places: list[tuple[float, float, float]], size: tuple[float, float], px_per_mm: float = 3.0
) -> np.ndarray:
    """White cards of 63 × 88 mm at x, y (mm from the middle), turned by degrees, on green."""
    width, height = (round(v * px_per_mm) for v in size)
    out = np.full((height, width, 3), (70, 110, 60), np.uint8)
    for x, y, degrees in places:
        corners = cv2.boxPoints(((x, y), (63.0, 88.0), degrees))
        pixels = (corners + np.array(size) / 2) * px_per_mm
        cv2.fillConvexPoly(out, np.round(pixels * 16).astype(np.int32), (245, 245, 245),
                           cv2.LINE_AA, 4)  # fmt: skip
        middle = (np.array([x, y]) + np.array(size) / 2) * px_per_mm
        cv2.circle(out, tuple(np.round(middle).astype(int).tolist()), 30, (30, 30, 200), -1)
    return out
