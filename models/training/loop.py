"""The training loop of every network: resumable, with progress in the log."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from companion.errors import UsageError
from models.training.batches import Batches, as_input, made_ahead
from models.training.run import Run

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""Where networks learn: on a graphics card where there is one."""

EMA = 0.998
"""What the averaged weights keep of themselves at a step."""


def _has_half_precision() -> bool:
    """Whether this machine's processor, or its graphics card, is faster in half precision."""
    return DEVICE.type == "cuda" or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


Net = TypeVar("Net", bound=nn.Module)

_LOG = logging.getLogger(__name__)


class Progress:
    """A line in the log every few seconds: samples, rate, loss."""

    def __init__(self, name: str, total: int, every: float = 20.0) -> None:
        self.name, self.total, self.every = name, total, every
        self.started = self.last = time.monotonic()
        self.at_start: int | None = None

    def __call__(self, done: int, loss: Mapping[str, Tensor | float]) -> None:
        """Say where it stands, if it is time to."""
        now = time.monotonic()
        if self.at_start is None:
            self.at_start = done
        if now - self.last < self.every and done < self.total:
            return
        self.last = now
        rate = (done - self.at_start) / max(1e-6, now - self.started)
        left = (self.total - done) / max(rate, 1e-6) / 60
        text = ", ".join(f"{k} {float(v):.4f}" for k, v in loss.items())
        _LOG.info(
            "%s %d/%d %.0f/s, %.0f min left, %s", self.name, done, self.total, rate, left, text
        )


Parts = dict[str, Tensor]
"""Parts of a loss by name, for the log."""
Loss = Callable[..., tuple[Tensor, Parts]]
Select = Callable[[nn.Module, Tensor, tuple[Tensor, ...]], tuple[Tensor, tuple[Tensor, ...]]]


def fit(
    net: nn.Module,
    batches: Batches,
    loss_of: Loss,
    checkpoint: Path,
    *,
    samples: int,
    rate: float,
    run: Run,
    select: Select | None = None,
    prepare: Callable[[Tensor], Tensor] = as_input,
) -> nn.Module:
    """Train ``net`` on ``samples`` samples and return its averaged weights' twin.

    ``prepare`` makes inputs of a batch's pictures. ``select`` may choose from each batch what is
    worth a step; what it leaves out counts as seen.

    Continues from ``checkpoint`` when it is there; writes it every ``run.save_every`` seconds and
    at the end. The learning rate warms up over 2 % and then falls along a cosine; the seed of the
    batches follows from the samples already seen, so a continued run does not see the same batches
    again. Where all have been seen no batch is asked for and nothing is written.
    """
    seen = 0
    twin = type(net)().to(DEVICE)
    twin.load_state_dict(net.state_dict())
    net.to(DEVICE, memory_format=torch.channels_last).train()
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-2)
    if checkpoint.exists():
        state: dict[str, Any] = torch.load(checkpoint, weights_only=True, map_location=DEVICE)
        net.load_state_dict(state["net"])
        twin.load_state_dict(state["twin"])
        optimiser.load_state_dict(state["optimiser"])
        seen = int(state["seen"])
        if seen >= samples:
            return twin.cpu().eval()
        _LOG.info("%s: continues at %d of %d samples", checkpoint.stem, seen, samples)
    saved = time.monotonic()
    progress = Progress(checkpoint.stem, samples)
    mean: Parts = {}
    faster = torch.autocast(DEVICE.type, torch.bfloat16, enabled=_has_half_precision())
    for pictures, wanted in made_ahead(batches, seen, workers=run.makers):
        part = seen / samples
        factor = min(1.0, part / 0.02 + 0.02) * (0.5 + 0.5 * math.cos(math.pi * part)) + 0.003
        for group in optimiser.param_groups:
            group["lr"] = rate * factor
        offered = len(pictures)
        inputs = prepare(pictures.to(DEVICE, non_blocking=True))
        targets = tuple(target.to(DEVICE, non_blocking=True) for target in wanted)
        with faster:
            if select is not None:
                inputs, targets = select(net, inputs, targets)
            out = net(inputs.contiguous(memory_format=torch.channels_last))
        total, parts = loss_of(out.float(), *targets)
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        _average(twin, net, min(EMA, 1 - 1 / (1 + seen / offered / 4)))
        seen += offered
        now = {k: v.detach() for k, v in parts.items()}
        mean = {k: mean.get(k, v) * 0.98 + v * 0.02 for k, v in now.items()}
        progress(seen, mean)
        if time.monotonic() - saved > run.save_every:
            saved = time.monotonic()
            _save(checkpoint, net, twin, optimiser, seen)
            _LOG.info("%s: checkpoint at %d of %d samples", checkpoint.stem, seen, samples)
        if seen >= samples:
            break
    _save(checkpoint, net, twin, optimiser, seen)
    return twin.cpu().eval()


def _average(twin: nn.Module, net: nn.Module, keep: float) -> None:
    pairs = list(zip(twin.state_dict().values(), net.state_dict().values(), strict=True))
    moving = [(a, b) for a, b in pairs if a.dtype.is_floating_point]
    with torch.no_grad():
        torch._foreach_lerp_([a for a, _ in moving], [b for _, b in moving], 1 - keep)
        for a, b in pairs:
            if not a.dtype.is_floating_point:
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
    net.load_state_dict(torch.load(checkpoint, weights_only=True, map_location="cpu")["twin"])
    return net.eval()
