"""The array types of all modules here; pictures are BGR or BGRA, 0 to 255."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float64]
Corners = npt.NDArray[np.float64]
Float32 = npt.NDArray[np.float32]
