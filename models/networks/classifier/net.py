"""The index classifier: an upright 48 × 64 RGB patch to a glyph and a suit."""

from __future__ import annotations

from torch import Tensor, nn

from models.labels import GLYPHS, SUITS
from models.training.layers import Residual, conv


class PatchNet(nn.Module):
    """Input n × 3 × 64 × 48 (RGB, 0 to 1); output n × (glyphs + suits) logits.

    The last feature map keeps a coarse grid (4 × 3 cells) so that "rank above, suit below" stays
    visible to the last layer; averaging it away lets a suit's place be mistaken.
    """

    def __init__(self, *trunk: nn.Module, channels: int, kept: int, hidden: int) -> None:
        """``trunk`` ends in a map of ``channels`` × 8 × 6; ``kept`` of them are left in the grid.

        ``hidden`` is the width of the layer before the last.
        """
        super().__init__()
        self.features = nn.Sequential(
            *trunk,
            nn.AvgPool2d(2),
            nn.Conv2d(channels, kept, 1, bias=False),
            nn.BatchNorm2d(kept),
            nn.ReLU(inplace=True),
            nn.Flatten(),
        )
        self.neck = nn.Sequential(nn.Linear(kept * 12, hidden), nn.ReLU(inplace=True))
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(hidden, len(GLYPHS) + len(SUITS))

    def forward(self, x: Tensor) -> Tensor:
        """Logits: glyph classes first, then suit classes."""
        return self.head(self.drop(self.neck(self.features(x))))


class Classifier(PatchNet):
    """The network that is asked about every index."""

    def __init__(self) -> None:
        super().__init__(
            conv(3, 32, 2, 5),
            conv(32, 64, 2),
            Residual(64, 32),
            Residual(64, 32),
            conv(64, 96, 2),
            Residual(96),
            channels=96,
            kept=48,
            hidden=160,
        )


class WithMarks(nn.Module):
    """The network as it ships: logits, and marks by which one picture's indices are compared."""

    def __init__(self, net: Classifier, marks: Tensor, rank_marks: Tensor) -> None:
        """``marks`` and ``rank_marks`` are (features, marks), as ``marks.py`` fits them."""
        super().__init__()
        self.net = net
        self.register_buffer("projection", marks)
        self.register_buffer("rank_projection", rank_marks)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits (n × classes), marks of suits and marks of ranks (n × marks)."""
        net, features = self.net, self.net.features(x)
        logits = net.head(net.drop(net.neck(features)))
        return logits, features @ self.projection, features @ self.rank_projection
