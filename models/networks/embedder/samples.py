"""Training samples of the embedder: designs, and two views at a time of their members."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Picture
from models.synth.faces import card_face
from models.synth.pieces import random_set
from models.synth.views import render_view

SIDE = 112
"""Side of the square picture that the embedder takes, pixels."""

MEMBERS = 8
"""Members of a design in a batch, two views of each."""


@dataclass(frozen=True, slots=True)
class Design:
    """Things to tell apart: pictures by name, loaded when asked for."""

    names: tuple[str, ...]
    face: Callable[[str], Picture]
    disc: bool
    square: bool


def deck_design(folder: Path) -> Design:
    """The cards of a deck folder; jokers are left out, two of them may be the same picture."""
    meta = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
    names = tuple(
        n for n in meta["cards"] if not n.startswith("JK") and (folder / f"{n}.png").exists()
    )
    return Design(names, lambda name: card_face(folder / f"{name}.png"), disc=False, square=False)


def made_up(rng: np.random.Generator, fonts: Sequence[str], pips: Sequence[Path]) -> Design:
    """A set of tiles, coins or cards that nobody prints."""
    made = random_set(rng, fonts, pips)
    faces = made.faces
    shape = next(iter(faces.values())).shape
    return Design(tuple(faces), faces.__getitem__, made.round, shape[0] == shape[1])


def choose(design: Design, rng: np.random.Generator) -> list[str]:
    """Members of a batch's group; half of the time alike in suit or in rank where there are."""
    names = list(design.names)
    if rng.random() < 0.5:
        key = (lambda n: n[-1]) if rng.random() < 0.5 else (lambda n: n[:-1])
        of = key(names[int(rng.integers(len(names)))])
        alike = [n for n in names if key(n) == of]
        rest = [n for n in names if key(n) != of]
        names = [*rng.permutation(alike), *rng.permutation(rest)]
    else:
        names = list(rng.permutation(names))
    return [str(n) for n in names[:MEMBERS]]


def twins(
    design: Design, name: str, rng: np.random.Generator, grounds: Sequence[Path]
) -> list[Picture]:
    """Two views that agree about which side is up; others in the batch need not."""
    turns = int(rng.integers(4)) if design.square else 2 * int(rng.integers(2))
    twist = float(rng.uniform(-np.pi, np.pi))
    return [
        training_patch(
            design.face(name), rng, disc=design.disc, quarter_turns=turns, twist=twist,
            grounds=grounds,
        )
        for _ in range(2)
    ]  # fmt: skip


def training_patch(
    face: Picture,
    rng: np.random.Generator,
    *,
    disc: bool,
    quarter_turns: int = 0,
    twist: float = 0.0,
    grounds: Sequence[Path] = (),
) -> Picture:
    """A photographed and rectified face, with the small errors a found outline has.

    Args:
        face: BGRA.
        rng: Decides light, camera and errors.
        disc: Whether it is round.
        quarter_turns: Which side is taken to be up (half turns for what is not square).
        twist: Turn beyond that, radians; discs only, which have no sides to go by.
        grounds: Pictures of surfaces to lay it on.
    """
    long_side = float(np.exp(rng.uniform(np.log(50), np.log(180))))
    view = render_view(face, rng, long_side=long_side, grounds=grounds, margin=0.12)
    corners = view.corners
    centre = corners.mean(0)
    if disc:
        angle = twist + rng.uniform(-0.3, 0.3)
        h = cv2.getPerspectiveTransform(
            np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32), corners
        )
        c, s = np.cos(angle), np.sin(angle)
        unit = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float) @ np.array([[c, s], [-s, c]])
        corners = cv2.perspectiveTransform(unit[None].astype(np.float32), h)[0]
    error = rng.normal(0, 0.012, (4, 2)) * long_side
    zoom = 1 + rng.normal(0, 0.015)
    corners = (corners - centre) * zoom + centre + error
    return rectify(view.image, np.roll(corners, -quarter_turns, 0).astype(np.float32), disc=disc)


def rectify(image: Picture, corners: npt.NDArray[np.float32], *, disc: bool) -> Picture:
    """Stretch what lies within four corners to a square; a disc's outside becomes grey."""
    goal = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], np.float32) - 0.5
    m = cv2.getPerspectiveTransform(corners.astype(np.float32), goal.astype(np.float32))
    shrink = np.sqrt(abs(np.linalg.det(m[:2, :2])))
    if shrink < 0.6:
        image = cv2.GaussianBlur(image, (0, 0), 0.4 / shrink)
    out = cv2.warpPerspective(image, m, (SIDE, SIDE), flags=cv2.INTER_LINEAR,
                              borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    if disc:
        out = np.where(disc_mask()[..., None], out, 128).astype(np.uint8)
    return np.ascontiguousarray(out)


def disc_mask() -> npt.NDArray[np.bool_]:
    """Which pixels lie within the inscribed circle."""
    axis = np.arange(SIDE) - (SIDE - 1) / 2
    return axis[:, None] ** 2 + axis[None, :] ** 2 <= (0.49 * SIDE) ** 2
