"""The index locator: a fully convolutional network with a feature pyramid, output stride 4.

Per output cell six channels: heat (logit that an index is centred here), centre offset x and y
(cells, from the cell's middle), direction from rank to suit (cosine, sine; not normalised), and
log(index height / 24 px).

Plain 3 × 3 convolutions throughout: on a CPU they train and run about twice as fast as depthwise
ones of the same accuracy. The first layer jumps straight to stride 4, which leaves no full-width
feature map to move through memory.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.training.layers import Residual, conv

CHANNELS = 6


class Locator(nn.Module):
    """Input n × 3 × H × W (RGB, 0 to 1, H and W multiples of 32); output n × 6 × H/4 × W/4."""

    def __init__(self) -> None:
        super().__init__()
        stem = nn.Conv2d(3, 32, 6, 4, 1, bias=False)
        self.stem = nn.Sequential(stem, nn.BatchNorm2d(32), nn.ReLU(inplace=True))
        self.down8 = nn.Sequential(conv(32, 48, 2), Residual(48))
        self.down16 = nn.Sequential(conv(48, 96, 2), Residual(96))
        self.down32 = nn.Sequential(conv(96, 128, 2), Residual(128))
        self.side32 = nn.Conv2d(128, 64, 1)
        self.side16 = nn.Conv2d(96, 64, 1)
        self.fuse16 = conv(64, 64)
        self.to8 = nn.Conv2d(64, 48, 1)
        self.side8 = nn.Conv2d(48, 48, 1)
        self.fuse8 = conv(48, 48)
        self.to4 = nn.Conv2d(48, 24, 1)
        self.side4 = nn.Conv2d(32, 24, 1)
        self.fuse4 = conv(24, 24)
        self.head = nn.Conv2d(24, CHANNELS, 1)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        with torch.no_grad():
            self.head.weight.mul_(0.1)
            self.head.bias.zero_()
            self.head.bias[0] = -5.0  # almost every cell is empty: start there

    def forward(self, x: Tensor) -> Tensor:
        """Raw maps; see the module's text for the channels."""
        s4 = self.stem(x)
        s8 = self.down8(s4)
        s16 = self.down16(s8)
        s32 = self.down32(s16)
        p16 = self.fuse16(self.side16(s16) + self.up(self.side32(s32)))
        p8 = self.fuse8(self.side8(s8) + self.up(self.to8(p16)))
        p4 = self.fuse4(self.side4(s4) + self.up(self.to4(p8)))
        return self.head(p4)
