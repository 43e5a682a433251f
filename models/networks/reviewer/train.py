"""Trains the reviewer as the classifier is trained, from other weights and on rarer cards."""

from __future__ import annotations

from pathlib import Path

from models.networks.classifier.train import export_namer, train_namer
from models.networks.reviewer.net import Reviewer
from models.networks.reviewer.samples import FOREIGN, JOKERS
from models.training.loop import averaged
from models.training.run import Entry, Network, Run


def _train(run: Run) -> None:
    seed = run.plan.seed + 100
    train_namer(run, "reviewer", Reviewer, seed=seed, foreign=FOREIGN, jokers=JOKERS)


def _export(run: Run, path: Path) -> Entry:
    net = averaged(Reviewer(), run.checkpoint("reviewer"))
    export_namer(net, net.features[0][0], path)
    return {
        "input": "the classifier's",
        "output": "n x (glyphs + suits) logits, the classifier's classes",
    }


NETWORK = Network("reviewer", 1_200_000, 1024, _train, _export)
