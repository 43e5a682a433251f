"""The camera's lens: focal length, middle and bending, from photos of a board or of cards.

Cards do as well as a board: a poker card is known to be 63 × 88 mm, and each one that lies whole in
a picture is a small board of four corners. More photos, from more sides, make it better.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outlines import Shape, find_outlines
from companion.atomic_io import write_private
from companion.bounded_io import FileError, read_json
from companion.decks import POKER_MM
from companion.errors import UnreadableError
from vision.arrays import Image

FloatArray = NDArray[np.float64]

#: Inner corners of our board, across and down, and the side of its squares in mm.
BOARD = (9, 6)
SQUARE_MM = 24.0
#: Fewest board photos, and fewest cards, that give a lens.
LEAST_BOARDS, LEAST_CARDS = 3, 8
#: Reprojection errors in pixels at a picture 1280 wide: up to here good, beyond it poor.
GOOD_ERROR, POOR_ERROR = 0.5, 1.5
#: Cards' corners are found less finely than a board's.
CARD_FACTOR = 2.0
#: A lens file longer than this, in bytes, is not read; no number in one is larger than that.
MAX_BYTES, _LARGEST = 100_000, 1e6


@dataclass(frozen=True, slots=True)
class Lens:
    """What the camera does to a picture.

    Attributes:
        size: width and height in pixels that the numbers are for.
        matrix: (3, 3) focal lengths and middle, in pixels.
        bending: (5,) distortion k1 k2 p1 p2 k3 as OpenCV has it.
        error: root mean square distance of the corners from where the lens says, in pixels.
        views: boards or cards it was made from.
        source: "board" or "cards".
    """

    size: tuple[int, int]
    matrix: FloatArray
    bending: FloatArray
    error: float
    views: int
    source: str

    @property
    def verdict(self) -> str:
        """How good it is, in words with the limits."""
        scale = max(self.size) / 1280 * (CARD_FACTOR if self.source == "cards" else 1.0)
        good, poor = GOOD_ERROR * scale, POOR_ERROR * scale
        if self.error <= good:
            return f"good: {self.error:.2f} pixels off (up to {good:.2f} is good)"
        if self.error <= poor:
            return (
                f"usable: {self.error:.2f} pixels off (up to {good:.2f} is good); more photos from "
                "other sides, sharp and not shaken, make it better"
            )
        return (
            f"poor: {self.error:.2f} pixels off (beyond {poor:.2f}); take the photos again with "
            "one camera at one zoom, sharp, the board or cards flat"
        )

    def straightened(self, image: Image) -> Image:
        """The picture without the lens's bending."""
        return np.asarray(cv2.undistort(image, self._for(image), self.bending), np.uint8)

    def _for(self, image: Image) -> FloatArray:
        factor = image.shape[1] / self.size[0]
        return np.asarray(self.matrix * np.array([[factor], [factor], [1]]))


def lens_from_board(
    images: Sequence[Image], *, board: tuple[int, int] = BOARD, square_mm: float = SQUARE_MM
) -> tuple[Lens, tuple[int, ...]]:
    """The lens from photos of a chessboard pattern.

    Args:
        images: photos of one size; those that do not show the whole board are left out.
        board: inner corners across and down.
        square_mm: side of a square; it does not change the lens.

    Returns:
        The lens, and which photos show no board.

    Raises:
        UnreadableError: fewer than `LEAST_BOARDS` photos show it.
    """
    size = _one_size(images)
    flat = np.zeros((board[0] * board[1], 3), np.float32)
    flat[:, :2] = np.mgrid[: board[0], : board[1]].T.reshape(-1, 2) * square_mm
    found, missed = [], []
    for k, image in enumerate(images):
        corners = find_board(image, board)
        if corners is None:
            missed.append(k)
        else:
            found.append(corners)
    if len(found) < LEAST_BOARDS:
        raise UnreadableError(
            f"The board of {board[0]} by {board[1]} inner corners is seen whole in {len(found)} of "
            f"{len(images)} photos; {LEAST_BOARDS} or more are needed, from different sides. "
            "Lay it flat in even light with its white rim in the picture."
        )
    error, matrix, bending, *_ = cv2.calibrateCamera(
        [flat] * len(found), found, size, None, None, flags=cv2.CALIB_FIX_K3
    )
    lens = Lens(size, np.array(matrix), np.ravel(bending)[:5], float(error), len(found), "board")
    return lens, tuple(missed)


def find_board(image: Image, board: tuple[int, int] = BOARD) -> NDArray[np.float32] | None:
    """The inner corners (n, 1, 2) of a chessboard pattern, None where it is not seen whole."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    done, corners = cv2.findChessboardCornersSB(grey, board, flags=cv2.CALIB_CB_NORMALIZE_IMAGE)
    return np.asarray(corners, np.float32).reshape(-1, 1, 2) if done else None


def lens_from_cards(images: Sequence[Image], *, size_mm: tuple[float, float] = POKER_MM) -> Lens:
    """The lens from photos of cards lying apart on a plain table.

    Only the focal length and the first number of the bending are fitted: four corners a card do
    not say more.

    Args:
        images: photos of one size.
        size_mm: width and height of a card.

    Raises:
        UnreadableError: fewer than `LEAST_CARDS` cards are found in all, or all lie square to the
            camera, from which no focal length follows.
    """
    size = _one_size(images)
    w, h = size_mm
    flat = np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], np.float32)
    corners = [
        outline.corners.reshape(-1, 1, 2)
        for image in images
        for outline in find_outlines(image, Shape.CARD, aspect=w / h)
    ]
    if len(corners) < LEAST_CARDS:
        raise UnreadableError(
            f"{len(corners)} cards are found in the photos; {LEAST_CARDS} or more are needed, "
            "lying apart on a plain table of another colour."
        )
    guess = np.array([[max(size), 0, (size[0] - 1) / 2], [0, max(size), (size[1] - 1) / 2],
                      [0, 0, 1]], float)  # fmt: skip
    flags = (
        cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_FIX_ASPECT_RATIO
        | cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3
    )  # fmt: skip
    for _ in range(2):
        error, matrix, bending, _, _, _, _, errors = cv2.calibrateCameraExtended(
            [flat] * len(corners), corners, size, guess.copy(), np.zeros(5), flags=flags
        )
        each = np.ravel(errors)
        # A card that is not one (a shadow, a phone) does not fit the others' lens.
        keep = each < max(3 * float(np.median(each)), 0.5)
        if keep.all() or keep.sum() < LEAST_CARDS:
            break
        corners = [c for c, k in zip(corners, keep, strict=True) if k]
    focal = float(matrix[0, 0])
    if not 0.3 * max(size) < focal < 6 * max(size):
        raise UnreadableError(
            "From these photos no focal length follows; take some with the camera tilted, so that "
            "the cards look narrower at their far end."
        )
    bent = np.ravel(bending)[:5]
    return Lens(size, np.array(matrix), bent, float(error), len(corners), "cards")


def save_lens(lens: Lens, path: Path) -> None:
    """Writes a lens as JSON.

    Raises:
        CompanionError: it cannot be written.
    """
    write_private(path, json.dumps(lens_json(lens), indent=1) + "\n", folders=True)


def lens_json(lens: Lens) -> dict[str, object]:
    """A lens as it is stored and printed."""
    return {
        "size": list(lens.size),
        "matrix": np.round(lens.matrix, 4).tolist(),
        "bending": np.round(lens.bending, 6).tolist(),
        "error": round(lens.error, 4),
        "views": lens.views,
        "source": lens.source,
        "verdict": lens.verdict,
    }


def load_lens(path: Path) -> Lens:
    """Reads what `save_lens` wrote.

    Raises:
        UnreadableError: it is missing or damaged.
    """
    try:
        data = read_json(path, MAX_BYTES)
        width, height = (int(v) for v in data["size"])
        matrix = np.array(data["matrix"], float).reshape(3, 3)
        bending = np.array(data["bending"], float).reshape(5)
        focal = min(matrix[0, 0], matrix[1, 1])
        if min(width, height, focal) <= 0 or np.abs([*matrix.flat, *bending]).max() > _LARGEST:
            raise ValueError("no camera has such a lens")
        return Lens((width, height), matrix, bending, float(data["error"]), int(data["views"]),
                    str(data["source"]))  # fmt: skip
    except FileError as error:
        raise error.advising("calibrate the camera again") from None
    except (ValueError, LookupError, TypeError):
        raise UnreadableError(f"{path}: is no lens file; calibrate the camera again.") from None


def _one_size(images: Sequence[Image]) -> tuple[int, int]:
    sizes = {(image.shape[1], image.shape[0]) for image in images}
    if len(sizes) != 1:
        told = ", ".join(f"{w}×{h}" for w, h in sorted(sizes)) or "none"
        raise UnreadableError(
            f"All photos must be of one size, from one camera held one way (there are: {told})."
        )
    return sizes.pop()
