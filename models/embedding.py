"""Trains the embedder: views of one thing together, members of the same design apart.

A batch holds a few designs, several members of each, two views of every member. The loss asks each
view to find its twin among all other views of the batch (InfoNCE, van den Oord 2018, both ways);
those of its own design are the hard ones, and now and then they share a suit or a rank.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.nets.embedder import Embedder
from models.nets.locator import Locator
from models.scenes import font_files, picture_files
from models.synth.faces import card_face, deck_folders
from models.synth.pieces import random_set
from models.synth.views import training_patch
from models.training import fit

Picture = npt.NDArray[np.uint8]

GROUPS, MEMBERS = 6, 8
"""Designs in a batch and members of each; two views a member."""
TEMPERATURE = 0.07
FRESH, STOCK = 1, 48
"""Groups drawn anew for each batch, the rest being taken from those of the last batches."""
FIT_BATCHES = 12
SETS = 64
"""Made-up designs kept at a time; one is replaced every few batches."""


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


def _made_up(rng: np.random.Generator, fonts: Sequence[str], pips: Sequence[Path]) -> Design:
    made = random_set(rng, fonts, pips)
    faces = made.faces
    shape = next(iter(faces.values())).shape
    return Design(tuple(faces), faces.__getitem__, made.round, shape[0] == shape[1])


def _choose(design: Design, rng: np.random.Generator) -> list[str]:
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


def batches_of(
    folders: Sequence[Path],
    seed: int,
    *,
    fonts: Sequence[str],
    pips: Sequence[Path],
    grounds: Sequence[Path],
) -> Callable[[int], Iterator[tuple[Tensor, tuple[Tensor, ...]]]]:
    """Endless batches: pictures, and the number of the thing each shows."""
    decks = [d for d in map(deck_design, folders) if len(d.names) >= MEMBERS]

    def batches(seen: int) -> Iterator[tuple[Tensor, tuple[Tensor, ...]]]:
        rng = np.random.default_rng((seed, seen))
        sets: list[Design] = []
        stock: list[tuple[Design, list[Picture]]] = []
        for batch in itertools.count():
            if len(sets) < SETS or batch % 4 == 0:
                sets = [*sets[-SETS + 1 :], _made_up(rng, fonts, pips)]
            for _ in range(GROUPS if batch == 0 else FRESH):
                pool = decks if decks and rng.random() < 0.6 else sets
                design = pool[int(rng.integers(len(pool)))]
                names = _choose(design, rng)
                stock.append(
                    (design, [v for name in names for v in _twins(design, name, rng, grounds)])
                )
            stock = stock[-STOCK:]
            older = [stock[k] for k in rng.permutation(max(0, len(stock) - FRESH))]
            # One design twice would set two views of one thing against each other.
            groups = {id(design): views for design, views in [*stock[-FRESH:], *older]}
            patches = [view for views in list(groups.values())[:GROUPS] for view in views]
            yield _as_tensor(patches), (torch.arange(len(patches) // 2).repeat_interleave(2),)

    return batches


def _twins(
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


def _as_tensor(patches: Sequence[Picture]) -> Tensor:
    batch = torch.from_numpy(np.stack(patches)).permute(0, 3, 1, 2)
    return batch.float()


def twin_loss(out: Tensor, thing: Tensor) -> tuple[Tensor, dict[str, float]]:
    """InfoNCE over the batch: each view must find its twin among all others."""
    likeness = out @ out.T
    n = len(out)
    itself = torch.eye(n, dtype=torch.bool)
    twin = torch.arange(n) ^ 1
    logits = (likeness / TEMPERATURE).masked_fill(itself, -1e9)
    loss = functional.cross_entropy(logits, twin)
    right = (logits.argmax(1) == twin).float().mean()
    return loss, {"twin": float(loss.detach()), "found": float(right)}


def fit_squeeze(net: Embedder, pictures: Tensor) -> None:
    """Set the two last layers in closed form: linear discriminants of twins.

    Of all directions of the feature maps those are kept along which pictures differ most for the
    spread that two views of one thing have (Fisher 1936; the same matrix at every place).
    """
    net.train()
    with torch.no_grad():
        for layer, maps in zip((net.fine, net.coarse), net.maps(pictures), strict=True):
            c = maps.shape[1]
            apart = (maps[0::2] - maps[1::2]).permute(0, 2, 3, 1).reshape(-1, c).double()
            centred = maps - maps.mean((0, 2, 3), keepdim=True)
            spread = centred.permute(0, 2, 3, 1).reshape(-1, c).double()
            within = apart.T @ apart / len(apart) / 2
            total = spread.T @ spread / len(spread)
            ridge = 0.02 * torch.trace(total) / c * torch.eye(c, dtype=torch.float64)
            half = torch.linalg.cholesky(within + ridge)
            inverse = torch.linalg.inv(half)
            values, vectors = torch.linalg.eigh(inverse @ total @ inverse.T)
            best = vectors[:, values.argsort(descending=True)[: layer.out_channels]]
            layer.weight.copy_((best.T @ inverse)[..., None, None].float())
        for layer, norm, maps in (
            (net.fine, net.centre_fine, net.maps(pictures)[0]),
            (net.coarse, net.centre_coarse, net.maps(pictures)[1]),
        ):
            squeezed = layer(maps)
            norm.running_mean.copy_(squeezed.mean((0, 2, 3)))
            norm.running_var.copy_(squeezed.var((0, 2, 3)))


def train_embedder(
    art: Path,
    drawn: Sequence[Path],
    checkpoint: Path,
    samples: int,
    *,
    seed: int = 1,
    locator: Locator | None = None,
) -> nn.Module:
    """Train on ``samples`` views; returns the averaged network, ready to export.

    Args:
        art: Fetched art; without it made-up designs and drawn decks do.
        drawn: Folders of drawn decks.
        checkpoint: Continued when it is there.
        samples: How many views.
        seed: Of everything random.
        locator: A trained one, to start from.
    """
    torch.manual_seed(seed)
    net = Embedder()
    if locator is not None:
        net.start_from(locator)
    # Drawn decks come in hundreds and differ less than fetched ones: each a third as often.
    fetched = deck_folders(art / "decks", holdout=False)
    folders = [*fetched, *list(drawn)[: max(8, 2 * len(fetched))]]
    batches = batches_of(
        folders,
        seed,
        fonts=font_files(art, holdout=False),
        pips=picture_files(art, "pips", holdout=False),
        grounds=picture_files(art, "backgrounds", holdout=False),
    )
    if not checkpoint.exists():
        first = [inputs for inputs, _ in itertools.islice(batches(0), FIT_BATCHES)]
        fit_squeeze(net, torch.cat(first))
    return fit(net, batches, twin_loss, checkpoint, samples=samples, rate=1e-3, name="embedder")
