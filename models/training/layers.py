"""Layers that several networks are built of."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def conv(cin: int, cout: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    """Convolution, batch normalisation, ReLU."""
    return nn.Sequential(
        nn.Conv2d(cin, cout, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class Residual(nn.Module):
    """Two 3 × 3 convolutions with a skip; ``mid`` narrows the middle."""

    def __init__(self, channels: int, mid: int | None = None) -> None:
        super().__init__()
        mid = mid or channels
        self.a = conv(channels, mid)
        self.b = nn.Sequential(
            nn.Conv2d(mid, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Same shape in and out."""
        return torch.relu(x + self.b(self.a(x)))
