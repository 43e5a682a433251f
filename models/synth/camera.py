"""A pinhole camera over the table plane: millimetres on the table to pixels of the picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from models.arrays import Matrix
from models.synth.layouts import CARD_H, Placement


def table_homography(
    width: int, height: int, extent: float, tilt: float, roll: float, *, focal: float = 1.2
) -> Matrix:
    """Homography from the table plane (mm, origin at what the camera looks at) to pixels.

    Args:
        width: Picture width, pixels.
        height: Picture height, pixels.
        extent: Millimetres of table that span the picture's shorter side at its centre.
        tilt: Camera tilt from looking straight down, radians (0 to below π/2).
        roll: Turn of the picture about the optical axis, radians.
        focal: Focal length over the picture's longer side (about 0.8 to 1.4 for phones).

    Returns:
        3 × 3 matrix ``H`` with pixel ~ H · (x, y, 1).
    """
    f = focal * max(width, height)
    distance = f * extent / min(width, height)
    ct, st = np.cos(tilt), np.sin(tilt)
    cr, sr = np.cos(roll), np.sin(roll)
    # Camera axes: x right, y down (towards the viewer), z into the table.
    rotation = np.array([[1, 0], [0, ct], [0, -st]])
    roll_matrix = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    rt = np.column_stack([roll_matrix @ rotation, np.array([0.0, 0.0, distance])])
    k = np.array([[f, 0, width / 2], [0, f, height / 2], [0, 0, 1]])
    return k @ rt


def face_homography(table: Matrix, place: Placement, face_w: int, face_h: int) -> Matrix:
    """Homography from a face picture's pixels to the photograph's pixels."""
    sx = sy = CARD_H / face_h
    c, s = np.cos(place.angle), np.sin(place.angle)
    to_table = np.array(
        [
            [c * sx, -s * sy, place.x - c * sx * face_w / 2 + s * sy * face_h / 2],
            [s * sx, c * sy, place.y - s * sx * face_w / 2 - c * sy * face_h / 2],
            [0, 0, 1],
        ]
    )
    return table @ to_table


def project(h: Matrix, points: npt.ArrayLike) -> Matrix:
    """Apply a homography to points (n × 2); returns n × 2."""
    p = np.asarray(points, np.float64)
    q = np.column_stack([p, np.ones(len(p))]) @ h.T
    return q[:, :2] / q[:, 2:3]
