"""The classifier: what an index and the card about it show, to a glyph and a suit."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.labels import GLYPHS, SUITS
from models.training.layers import Residual, conv

_STRANGE = 0.12
"""So often, in training, an index is shown with the view of another card."""


class Classifier(nn.Module):
    """Input n × 6 × 64 × 48 (RGB twice, 0 to 1); output n × (glyphs + suits) logits.

    The first three channels show the index itself, the others more of the card, smaller: which
    pips, or which picture, stand beside it. Each view has layers of its own. Their last maps keep a
    grid of places, so that "rank above, suit below" and "four pips, none between" stay visible to
    the last layers.

    A card may bear what its index does not tell: so in training the second view is now and then
    another card's, and the first then counts alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            conv(3, 32, 2, 5),
            conv(32, 64, 2),
            Residual(64, 40),
            Residual(64, 40),
            conv(64, 112, 2),
            Residual(112, 96),
            nn.AvgPool2d(2),
            nn.Conv2d(112, 48, 1, bias=False),
            nn.BatchNorm2d(48),
            nn.ReLU(inplace=True),
            nn.Flatten(),
        )
        self.around = nn.Sequential(
            conv(3, 16, 2, 5),
            conv(16, 40, 2),
            Residual(40, 24),
            conv(40, 64, 2),
            Residual(64, 40),
            nn.Conv2d(64, 20, 1, bias=False),
            nn.BatchNorm2d(20),
            nn.ReLU(inplace=True),
            nn.Flatten(),
        )
        self.neck = nn.Sequential(nn.Linear(48 * 12 + 20 * 48, 192), nn.ReLU(inplace=True))
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(192, len(GLYPHS) + len(SUITS))

    def forward(self, x: Tensor) -> Tensor:
        """Logits: glyph classes first, then suit classes."""
        features, beside = self.features(x[:, :3]), self.around(x[:, 3:])
        if self.training:
            strange = torch.rand(len(beside), 1, device=beside.device) < _STRANGE
            beside = torch.where(strange, beside.roll(1, 0), beside)
        return self.head(self.drop(self.neck(torch.cat([features, beside], 1))))
