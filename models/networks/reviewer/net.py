"""The reviewer: a second opinion on the same upright 48 × 64 RGB patch as the classifier's.

It has twice the classifier's weights and twice its work, is made from nothing by itself, and sees
the letters of other languages far oftener; what the two agree on is surer than what either says.
"""

from __future__ import annotations

from models.networks.classifier.net import PatchNet
from models.training.layers import Residual, conv


class Reviewer(PatchNet):
    """The network that is asked where the classifier is in doubt."""

    def __init__(self) -> None:
        super().__init__(
            conv(3, 32, 2, 5),
            conv(32, 64, 2),
            Residual(64),
            Residual(64),
            conv(64, 128, 2),
            Residual(128, 96),
            Residual(128, 96),
            channels=128,
            kept=64,
            hidden=192,
        )
