"""The outliner: where the four corners of a card lie that is about there."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.labels import OUTLINE_HEIGHT, OUTLINE_KINDS, OUTLINE_WIDTH
from models.nets.locator import Residual, conv

CORNERS = 4


class Outliner(nn.Module):
    """Input n × 3 × 144 × 96 (RGB, 0 to 1); output n × (8 + 4 + kinds).

    First how far each corner lies from where it was thought, x and y in turn, in widths of the
    inner box of the patch; then the logarithm of how far off that usually is, a number a corner;
    then the logits of the kinds. A last map of 9 × 6 cells keeps where the sides run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            conv(3, 16, 2, 5),
            conv(16, 32, 2),
            Residual(32, 24),
            conv(32, 64, 2),
            Residual(64, 40),
            conv(64, 96, 2),
            Residual(96, 48),
            nn.Conv2d(96, 28, 1, bias=False),
            nn.BatchNorm2d(28),
            nn.ReLU(inplace=True),
            nn.Flatten(),
        )
        cells = (OUTLINE_HEIGHT // 16) * (OUTLINE_WIDTH // 16)
        self.neck = nn.Sequential(nn.Linear(28 * cells, 192), nn.ReLU(inplace=True))
        self.head = nn.Linear(192, 3 * CORNERS + len(OUTLINE_KINDS))
        with torch.no_grad():
            self.head.weight.mul_(0.1)

    def forward(self, x: Tensor) -> Tensor:
        """Steps of the corners, their scales, kinds."""
        return self.head(self.neck(self.features(x)))
