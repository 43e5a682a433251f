"""The embedder: a rectified picture of one card, tile or coin to a vector that says how it looks.

Two pictures of the same thing give vectors with a large scalar product, whatever the light; it is
trained on many designs so that it need not know a design to tell its members apart. The vector is
two coarse maps (14 × 14 places of 8 numbers, 7 × 7 of 24), not an average: members of a deck differ
in *where* something is printed as much as in what.

Its first layers are the locator's, which have seen a million pieces of cards in every light; it
starts from the trained locator where there is one and needs little training of its own.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.networks.locator.net import Locator
from models.training.layers import Residual, conv

COARSE = (7, 24)
FINE = (14, 8)
"""Places a side and numbers a place of the vector's two halves."""


class Embedder(nn.Module):
    """Input n × 3 × 112 × 112 (BGR, 0 to 255); output n × 2744, each row of length 1.

    Light is taken out at the door: its strength wholly, its colour by half, so that a tint still
    tells two things apart.
    """

    def __init__(self) -> None:
        super().__init__()
        stem = nn.Conv2d(3, 32, 6, 4, 1, bias=False)
        self.stem = nn.Sequential(stem, nn.BatchNorm2d(32), nn.ReLU(inplace=True))
        self.down8 = nn.Sequential(conv(32, 48, 2), Residual(48))
        self.down16 = conv(48, 96, 2)
        self.deepen = Residual(96, 48)
        self.fine = nn.Conv2d(48, FINE[1], 1, bias=False)
        self.coarse = nn.Conv2d(96, COARSE[1], 1, bias=False)
        self.centre_fine = nn.BatchNorm2d(FINE[1], affine=False)
        self.centre_coarse = nn.BatchNorm2d(COARSE[1], affine=False)
        nn.init.zeros_(self.deepen.b[1].weight)  # starts by passing on what it is given

    def start_from(self, locator: Locator) -> None:
        """Take over the first layers of a trained locator, which reads RGB."""
        self.stem.load_state_dict(locator.stem.state_dict())
        self.down8.load_state_dict(locator.down8.state_dict())
        self.down16.load_state_dict(locator.down16[0].state_dict())
        with torch.no_grad():
            first = self.stem[0].weight
            first.copy_(first.flip(1))

    def maps(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The fine (n × 48 × 14 × 14) and the coarse map (n × 96 × 7 × 7) of pictures."""
        tint = x.mean((2, 3), keepdim=True)
        apart = x - (tint + tint.mean(1, keepdim=True)) * 0.5
        # Not the mean over three axes at once, which OpenCV 4 gets wrong.
        power = (apart * apart).mean((2, 3), keepdim=True).mean(1, keepdim=True)
        spread = torch.sqrt(power + 16.0)
        fine = self.down8(self.stem(apart / spread * 0.25 + 0.5))
        return fine, self.deepen(self.down16(fine))

    def forward(self, x: Tensor) -> Tensor:
        """Unit vectors; a dot product is the cosine of two pictures."""
        fine, coarse = self.maps(x)
        a = functional.normalize(self.centre_fine(self.fine(fine)).flatten(1), dim=1)
        b = functional.normalize(self.centre_coarse(self.coarse(coarse)).flatten(1), dim=1)
        return torch.cat([a, b], 1) * 0.5**0.5
