"""The face reader: which card it is, by the whole of its face."""

from __future__ import annotations

from torch import Tensor, nn

from models.labels import GLYPHS, SUITS
from models.nets.outliner import NECK, card_neck, card_trunk


class Face(nn.Module):
    """Input n × 3 × 144 × 96 (RGB, 0 to 1); output n × (glyphs + suits) logits.

    The card stands upright or on its head. Both indices, the pips and the picture are seen at once,
    each too small to be read for certain by itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self.features, self.neck = card_trunk(), card_neck()
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(NECK, len(GLYPHS) + len(SUITS)))

    def forward(self, x: Tensor) -> Tensor:
        """Logits: glyphs first, then suits."""
        return self.head(self.neck(self.features(x)))
