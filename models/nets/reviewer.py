"""The reviewer: a second opinion on the same upright 48 × 64 RGB patch as the classifier's.

It has twice the classifier's weights and twice its work, is made from nothing by itself, and sees
the letters of other languages far oftener; what the two agree on is surer than what either says.
"""

from __future__ import annotations

from torch import Tensor, nn

from models.labels import GLYPHS, SUITS
from models.nets.locator import Residual, conv


class Reviewer(nn.Module):
    """Input n × 3 × 64 × 48 (RGB, 0 to 1); output n × (glyphs + suits) logits.

    As in :class:`models.nets.classifier.Classifier` a coarse grid of 4 × 3 cells is kept.
    """

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            conv(3, 32, 2, 5),
            conv(32, 64, 2),
            Residual(64),
            Residual(64),
            conv(64, 128, 2),
            Residual(128, 96),
            Residual(128, 96),
            nn.AvgPool2d(2),
            nn.Conv2d(128, 64, 1, bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(inplace=True),
            nn.Flatten(),
        )
        self.neck = nn.Sequential(nn.Linear(64 * 12, 192), nn.ReLU(inplace=True))
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(192, len(GLYPHS) + len(SUITS))

    def forward(self, x: Tensor) -> Tensor:
        """Logits: glyph classes first, then suit classes."""
        return self.head(self.drop(self.neck(self.features(x))))
