"""The outliner: where the four corners of a card lie that is about there."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.networks.outliner.samples import HEIGHT, KINDS, WIDTH
from models.training.layers import Residual, conv

CORNERS = 4
NECK = 192
_MAPS = 28


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
            nn.Conv2d(96, _MAPS, 1, bias=False),
            nn.BatchNorm2d(_MAPS),
            nn.ReLU(inplace=True),
            nn.Flatten(),
        )
        cells = (HEIGHT // 16) * (WIDTH // 16)
        self.neck = nn.Sequential(nn.Linear(_MAPS * cells, NECK), nn.ReLU(inplace=True))
        self.head = nn.Linear(NECK, 3 * CORNERS + len(KINDS))
        with torch.no_grad():
            self.head.weight.mul_(0.1)

    def forward(self, x: Tensor) -> Tensor:
        """Steps of the corners, their scales, kinds."""
        return self.head(self.neck(self.features(x)))
