"""The body reader: what a card shows besides its index, as a rank and a suit."""

from __future__ import annotations

from torch import Tensor, nn

from models.networks.body.samples import BODIES, PLAIN_SUITS
from models.training.layers import Residual, conv


class Body(nn.Module):
    """Input n × 3 × 144 × 96 (RGB, 0 to 1); output n × (bodies + suits) logits.

    The index is painted over: what is said here and what the classifier says of the index are two
    witnesses of the same card. A last map of 9 × 6 cells keeps where pips stand.
    """

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            conv(3, 16, 2, 5),
            conv(16, 40, 2),
            Residual(40, 20),
            conv(40, 64, 2),
            Residual(64, 40),
            conv(64, 80, 2),
            nn.Conv2d(80, 32, 1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(inplace=True),
            nn.Flatten(),
        )
        self.neck = nn.Sequential(nn.Linear(32 * 54, 128), nn.ReLU(inplace=True), nn.Dropout(0.1))
        self.head = nn.Linear(128, len(BODIES) + PLAIN_SUITS)

    def forward(self, x: Tensor) -> Tensor:
        """Logits: bodies first, then suits."""
        return self.head(self.neck(self.features(x)))
