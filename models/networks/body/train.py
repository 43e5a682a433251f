"""Trains the body reader: a card's rank and suit from all that it shows besides its index."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from models.labels import SUITS
from models.networks.body.net import Body
from models.networks.body.samples import (
    ANCHOR,
    BODIES,
    HEIGHT,
    HIDDEN,
    INDEX_HEIGHT,
    WIDTH,
    bodies_of,
    class_shares,
)
from models.training.export import export
from models.training.loop import averaged, fit_on_cards
from models.training.run import Entry, Network, Run
from models.training.samples import IGNORE, scene_files

POOL = 6000


def body_loss(out: Tensor, body: Tensor, suit: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Cross entropy of both heads; unknown classes do not count."""
    n = len(BODIES)
    a = functional.cross_entropy(out[:, :n], body, ignore_index=IGNORE)
    b = functional.cross_entropy(out[:, n:], suit, ignore_index=IGNORE)
    return a + b, {"body": float(a.detach()), "suit": float(b.detach())}


def _train(run: Run) -> None:
    seed = run.plan.seed + 4
    torch.manual_seed(seed)
    fit_on_cards(run, "body", Body(), bodies_of, body_loss, seed=seed, pool=POOL)


def _export(run: Run, path: Path) -> Entry:
    net = averaged(Body(), run.checkpoint("body"))
    export(net, net.features[0][0], path, size=(HEIGHT, WIDTH), dynamic={0: "n"})
    return {
        "input": f"BGR float32 0..255, n x 3 x {HEIGHT} x {WIDTH}, index "
        "upright with its centre at the anchor, patch_index_height tall, painted over with grey "
        "128 so far to each side and up and down as hidden says",
        "output": "n x (bodies + suits) logits",
        "bodies": list(BODIES),
        "suits": list(SUITS[:-1]),
        "prior": [round(float(p), 4) for p in class_shares(scene_files(run.scenes))],
        "patch": [WIDTH, HEIGHT],
        "patch_index_height": INDEX_HEIGHT,
        "anchor": list(ANCHOR),
        "hidden": list(HIDDEN),
    }


NETWORK = Network("body", 1_700_000, 1024, _train, _export)
