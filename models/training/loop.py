"""The training loop of every network: resumable, with progress in the log."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from companion.errors import UsageError
from models.training.ahead import ahead
from models.training.batches import Batches, SamplesOf, pooled_batches
from models.training.run import Run
from models.training.samples import augment_card

CARD_BATCH = 128
"""Patches of whole cards a batch."""

EMA = 0.998
"""What the averaged weights keep of themselves at a step."""

Net = TypeVar("Net", bound=nn.Module)

_LOG = logging.getLogger(__name__)


class Progress:
    """A line in the log every few seconds: samples, rate, loss."""

    def __init__(self, name: str, total: int, every: float = 20.0) -> None:
        self.name, self.total, self.every = name, total, every
        self.started = self.last = time.monotonic()
        self.at_start: int | None = None

    def __call__(self, done: int, loss: dict[str, float]) -> None:
        """Say where it stands, if it is time to."""
        now = time.monotonic()
        if self.at_start is None:
            self.at_start = done
        if now - self.last < self.every and done < self.total:
            return
        self.last = now
        rate = (done - self.at_start) / max(1e-6, now - self.started)
        left = (self.total - done) / max(rate, 1e-6) / 60
        text = ", ".join(f"{k} {v:.4f}" for k, v in loss.items())
        _LOG.info(
            "%s %d/%d %.0f/s, %.0f min left, %s", self.name, done, self.total, rate, left, text
        )


Loss = Callable[..., tuple[Tensor, dict[str, float]]]
Select = Callable[[nn.Module, Tensor, tuple[Tensor, ...]], tuple[Tensor, tuple[Tensor, ...]]]


def fit(
    net: nn.Module,
    batches: Batches,
    loss_of: Loss,
    checkpoint: Path,
    *,
    samples: int,
    rate: float,
    save_every: float,
    select: Select | None = None,
) -> nn.Module:
    """Train ``net`` on ``samples`` samples and return its averaged weights' twin.

    ``select`` may choose from each batch what is worth a step; what it leaves out counts as seen.

    Continues from ``checkpoint`` when it is there; writes it every ``save_every`` seconds and at
    the end. The learning rate warms up over 2 % and then falls along a cosine; the seed of the
    batches follows from the samples already seen, so a continued run does not see the same batches
    again. Where all have been seen no batch is asked for and nothing is written.
    """
    seen = 0
    twin = type(net)()
    twin.load_state_dict(net.state_dict())
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-2)
    if checkpoint.exists():
        state: dict[str, Any] = torch.load(checkpoint, weights_only=True)
        net.load_state_dict(state["net"])
        twin.load_state_dict(state["twin"])
        optimiser.load_state_dict(state["optimiser"])
        seen = int(state["seen"])
        if seen >= samples:
            return twin.eval()
        _LOG.info("%s: continues at %d of %d samples", checkpoint.stem, seen, samples)
    net.to(memory_format=torch.channels_last).train()
    saved = time.monotonic()
    progress = Progress(checkpoint.stem, samples)
    mean: dict[str, float] = {}
    for offer, wanted in batches(seen):
        part = seen / samples
        factor = min(1.0, part / 0.02 + 0.02) * (0.5 + 0.5 * math.cos(math.pi * part)) + 0.003
        for group in optimiser.param_groups:
            group["lr"] = rate * factor
        offered = len(offer)
        inputs, targets = (offer, wanted) if select is None else select(net, offer, wanted)
        total, parts = loss_of(net(inputs.contiguous(memory_format=torch.channels_last)), *targets)
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        _average(twin, net, min(EMA, 1 - 1 / (1 + seen / offered / 4)))
        seen += offered
        mean = {k: mean.get(k, v) * 0.98 + v * 0.02 for k, v in parts.items()}
        progress(seen, mean)
        if time.monotonic() - saved > save_every:
            saved = time.monotonic()
            _save(checkpoint, net, twin, optimiser, seen)
            _LOG.info("%s: checkpoint at %d of %d samples", checkpoint.stem, seen, samples)
        if seen >= samples:
            break
    _save(checkpoint, net, twin, optimiser, seen)
    return twin.eval()


def _average(twin: nn.Module, net: nn.Module, keep: float) -> None:
    with torch.no_grad():
        for a, b in zip(twin.state_dict().values(), net.state_dict().values(), strict=True):
            if a.dtype.is_floating_point:
                a.lerp_(b, 1 - keep)
            else:
                a.copy_(b)


def _save(
    path: Path, net: nn.Module, twin: nn.Module, optimiser: torch.optim.Optimizer, seen: int
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {
        "net": net.state_dict(),
        "twin": twin.state_dict(),
        "optimiser": optimiser.state_dict(),
        "seen": seen,
    }
    partial = path.with_suffix(".part")
    torch.save(state, partial)
    partial.replace(path)


def averaged(net: Net, checkpoint: Path) -> Net:
    """``net`` with the averaged weights of a checkpoint, to be used and not trained further."""
    if not checkpoint.exists():
        raise UsageError(
            f"{checkpoint} is not there: train {checkpoint.stem} before what is made of it."
        )
    net.load_state_dict(torch.load(checkpoint, weights_only=True)["twin"])
    return net.eval()


def fit_on_cards(
    run: Run,
    name: str,
    net: nn.Module,
    samples_of: SamplesOf,
    loss_of: Loss,
    *,
    seed: int,
    pool: int,
) -> None:
    """Train a network on patches of whole cards, cut from scenes taken at random.

    Args:
        run: The run.
        name: Of the network.
        net: As it is made.
        samples_of: Patches of a scene with what is to be learnt of each.
        loss_of: See :func:`fit`.
        seed: Of everything random.
        pool: Patches that batches are drawn from.
    """
    samples = run.plan.samples[name]
    batches = pooled_batches(
        run.scenes,
        seed,
        lambda files, rng: samples_of(files[int(rng.integers(len(files)))], rng),
        augment_card,
        pool=max(CARD_BATCH, min(pool, samples)),
        batch_size=CARD_BATCH,
    )
    checkpoint = run.checkpoint(name)
    fit(
        net,
        ahead(batches),
        loss_of,
        checkpoint,
        samples=samples,
        rate=2e-3,
        save_every=run.save_every,
    )
