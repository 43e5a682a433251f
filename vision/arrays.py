"""The arrays that the eyes pass around, by what they hold; every module takes them from here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""A picture, (height, width, 3) BGR, or (height, width) where it is grey."""
FloatArray = NDArray[np.float64]
"""Geometry: points, directions and outlines, whose errors add up."""
Float32Array = NDArray[np.float32]
"""What networks take and give."""
