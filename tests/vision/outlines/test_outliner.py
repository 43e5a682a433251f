"""The network of outlines, with networks whose answers are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.images.pyramid import Pyramid
from vision.inference.backend import ModelError, TensorSpec
from vision.networks import load_outliner
from vision.outlines.outliner import CardPatch, Outliner

SIZE = (96, 144)
KINDS = ("face", "back", "none")
CARD = np.array([[200.0, 100.0], [326.0, 110.0], [312.0, 286.0], [186.0, 276.0]])


@dataclass
class Guide:
    """Says where the corners of a red quadrilateral are: measured in the patch that it is shown."""

    stubborn: bool = False
    shown: list[np.ndarray] = field(default_factory=list)

    @property
    def inputs(self) -> list[TensorSpec]:
        return [TensorSpec("image", (None, 3, SIZE[1], SIZE[0]))]

    @property
    def outputs(self) -> list[TensorSpec]:
        return [TensorSpec("out", (None, 15))]

    def run(self, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        patches = feeds["image"]
        self.shown += list(patches)
        out = np.zeros((len(patches), 15), np.float32)
        out[:, 8:12], out[:, 12] = -4.0, 3.0
        for k, patch in enumerate(patches):
            if not self.stubborn:
                out[k, :8] = self._steps(patch).ravel()
        return {"out": out}

    @staticmethod
    def _steps(patch: np.ndarray) -> np.ndarray:
        mask = ((patch[2] > 128) & (patch[0] < 128)).astype(np.uint8)
        (contour,), _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        points = contour[:, 0].astype(float)
        x, y = points.T
        ends = points[[(x + y).argmin(), (y - x).argmin(), (x + y).argmax(), (x - y).argmin()]]
        box = np.array([[16, 24], [80, 24], [80, 120], [16, 120]])
        return (ends - box) / 64


def outliner(session: Guide) -> Outliner:
    return Outliner(session, patch=CardPatch(SIZE, 2 / 3), kinds=KINDS)


@pytest.fixture
def picture() -> np.ndarray:
    image = np.full((420, 520, 3), 200, np.uint8)
    cv2.fillConvexPoly(image, np.round(CARD).astype(np.int32), (0, 0, 220))
    return image


@pytest.mark.parametrize("times", [1, 4])
def test_each_look_begins_where_the_last_one_ended(picture: np.ndarray, times: int):
    large = cv2.resize(picture, None, fx=times, fy=times, interpolation=cv2.INTER_NEAREST)
    start = times * (CARD + np.array([[-12, 8], [10, 14], [16, -9], [-5, -14]]))
    found = outliner(Guide()).find(Pyramid(large), start[None], looks=3)
    assert (
        np.abs(found.corners[0] - times * CARD).max() < 4 * times
    )  # a pixel and a half of the patch
    assert found.off[0] == pytest.approx(2 * np.exp(-4.0))
    assert found.kinds[0].argmax() == 0
    assert found.kinds[0].sum() == pytest.approx(1)


def test_corners_stay_where_the_network_has_nothing_to_say(picture: np.ndarray):
    found = outliner(Guide(stubborn=True)).find(Pyramid(picture), CARD[None], looks=2)
    assert found.corners[0] == pytest.approx(CARD, abs=1e-3)


def test_the_card_fills_the_inner_part_of_what_is_shown(picture: np.ndarray):
    guide = Guide(stubborn=True)
    outliner(guide).find(Pyramid(picture), CARD[None], looks=1)
    (patch,) = guide.shown
    red = (patch[2] > 128) & (patch[0] < 128)
    assert red[30:114, 20:76].all()
    assert not red[:22].any()
    assert not red[:, 82:].any()


@pytest.mark.parametrize(
    "broken",
    [
        np.full((4, 2), np.nan),
        np.array([[0.0, 0], [2, 0], [2, 3], [0, 3]]),  # next to nothing
        CARD[[0, 2, 1, 3]],  # crossed
        CARD[::-1],  # the wrong way round
    ],
)
def test_what_is_no_card_is_not_looked_at(picture: np.ndarray, broken: np.ndarray):
    guide = Guide(stubborn=True)
    found = outliner(guide).find(Pyramid(picture), np.stack([CARD, broken]), looks=1)
    assert len(guide.shown) == 1
    assert np.isfinite(found.off[0]).all()
    assert np.isinf(found.off[1]).all()
    assert found.kinds[1].max() == 0


def test_without_cards_nothing_is_found(picture: np.ndarray):
    assert outliner(Guide()).find(Pyramid(picture), np.zeros((0, 4, 2))).corners.shape == (0, 4, 2)


def test_a_missing_file_says_what_to_do(tmp_path: Path):
    with pytest.raises(ModelError, match="Reinstall"):
        load_outliner(tmp_path)
