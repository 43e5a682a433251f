"""Trains the embedder: views of one thing together, members of the same design apart.

A batch holds a few designs, several members of each, two views of every member. The loss asks each
view to find its twin among all other views of the batch (InfoNCE, van den Oord 2018, both ways);
those of its own design are the hard ones, and now and then they share a suit or a rank.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models.arrays import Picture
from models.networks.embedder.net import Embedder
from models.networks.embedder.samples import (
    MEMBERS,
    SIDE,
    Design,
    choose,
    deck_design,
    made_up,
    twins,
)
from models.networks.locator.train import trained as trained_locator
from models.synth.faces import deck_folders
from models.synth.scenes import font_files, picture_files
from models.training.batches import Batch, Batches, stacked
from models.training.export import export
from models.training.loop import Parts, averaged, fit
from models.training.run import Entry, Network, Run

GROUPS = 6
"""Designs in a batch."""
TEMPERATURE = 0.07
FRESH, STOCK = 1, 48
"""Groups drawn anew for each batch, the rest being taken from those of the last batches."""
FIT_BATCHES = 12
SETS = 64
"""Made-up designs kept at a time; one is replaced every few batches."""


def batches_of(
    folders: Sequence[Path],
    seed: int,
    *,
    fonts: Sequence[str],
    pips: Sequence[Path],
    grounds: Sequence[Path],
) -> Batches:
    """Endless batches: pictures, and the number of the thing each shows."""
    decks = [d for d in map(deck_design, folders) if len(d.names) >= MEMBERS]

    def batches(seen: int, worker: int) -> Iterator[Batch]:
        rng = np.random.default_rng((seed, seen, worker))
        sets: list[Design] = []
        stock: list[tuple[Design, list[Picture]]] = []
        for batch in itertools.count():
            if len(sets) < SETS or batch % 4 == 0:
                sets = [*sets[-SETS + 1 :], made_up(rng, fonts, pips)]
            for _ in range(GROUPS if batch == 0 else FRESH):
                pool = decks if decks and rng.random() < 0.6 else sets
                design = pool[int(rng.integers(len(pool)))]
                names = choose(design, rng)
                stock.append(
                    (design, [v for name in names for v in twins(design, name, rng, grounds)])
                )
            stock = stock[-STOCK:]
            older = [stock[k] for k in rng.permutation(max(0, len(stock) - FRESH))]
            # One design twice would set two views of one thing against each other.
            groups = {id(design): views for design, views in [*stock[-FRESH:], *older]}
            patches = [view for views in list(groups.values())[:GROUPS] for view in views]
            yield stacked(patches), (torch.arange(len(patches) // 2).repeat_interleave(2),)

    return batches


def as_they_are(pictures: Tensor) -> Tensor:
    """BGR, 0 to 255: the embedder sees to light itself."""
    return pictures.permute(0, 3, 1, 2).float()


def twin_loss(out: Tensor, thing: Tensor) -> tuple[Tensor, Parts]:
    """InfoNCE over the batch: each view must find its twin among all others."""
    likeness = out @ out.T
    n = len(out)
    itself = torch.eye(n, dtype=torch.bool, device=out.device)
    twin = torch.arange(n, device=out.device) ^ 1
    logits = (likeness / TEMPERATURE).masked_fill(itself, -1e9)
    loss = functional.cross_entropy(logits, twin)
    right = (logits.argmax(1) == twin).float().mean()
    return loss, {"twin": loss, "found": right}


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


def _train(run: Run) -> None:
    seed = run.plan.seed + 2
    torch.manual_seed(seed)
    net = Embedder()
    net.start_from(trained_locator(run))
    # Drawn decks come in hundreds and differ less than fetched ones: each a third as often.
    fetched = deck_folders(run.art / "decks", holdout=False)
    drawn = sorted(run.drawn.glob("*/"))[: max(8, 2 * len(fetched))]
    batches = batches_of(
        [*fetched, *drawn],
        seed,
        fonts=font_files(run.art, holdout=False),
        pips=picture_files(run.art, "pips", holdout=False),
        grounds=picture_files(run.art, "backgrounds", holdout=False),
    )
    checkpoint = run.checkpoint("embedder")
    if not checkpoint.exists():
        first = [pictures for pictures, _ in itertools.islice(batches(0, 0), FIT_BATCHES)]
        fit_squeeze(net, as_they_are(torch.cat(first)))
    fit(
        net, batches, twin_loss, checkpoint,
        samples=run.plan.samples["embedder"], rate=1e-3, run=run, prepare=as_they_are,
    )  # fmt: skip


def _export(run: Run, path: Path) -> Entry:
    # It was trained on what it is fed with, BGR: no first layer to change.
    net = averaged(Embedder(), run.checkpoint("embedder"))
    export(net, (), path, size=(SIDE, SIDE), dynamic={0: "n"})
    return {
        "input": f"BGR float32 0..255, n x 3 x {SIDE} x {SIDE}, a piece stretched to it",
        "output": "n unit vectors; a dot product says how alike two pieces look",
    }


NETWORK = Network("embedder", 120_000, 288, _train, _export)
