"""A training run: how much is asked of it, where its things lie, and what a network brings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from companion.errors import UsageError

Entry = dict[str, Any]
"""What ``models.json`` says of a network: how to feed it, and what its numbers mean."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything; a work folder keeps to the plan that it was begun with.

    Attributes:
        samples: What each network is trained on in all, by its name.
        scenes: Rendered tables.
        drawn_decks: Decks that are drawn beside the fetched ones.
        proposals_every: The locator looks at one scene in so many for the namers.
        seed: Every random number follows from it.
    """

    samples: Mapping[str, int]
    scenes: int = 12_000
    drawn_decks: int = 400
    proposals_every: int = 2
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Run:
    """A plan being carried out.

    Attributes:
        plan: How much.
        work: Scenes, checkpoints and the log are kept here between runs.
        art: Fetched art; may be missing, then all is drawn.
        workers: Processes for rendering, threads for training.
        save_every: Seconds between checkpoints.
    """

    plan: Plan
    work: Path
    art: Path
    workers: int = 2
    save_every: float = 120.0

    @property
    def makers(self) -> int:
        """Processes that make samples while a network learns from others."""
        return max(1, self.workers - 1)

    @property
    def scenes(self) -> Path:
        """Folder of the rendered scenes."""
        return self.work / "scenes"

    @property
    def drawn(self) -> Path:
        """Folder of the drawn decks."""
        return self.work / "drawn"

    @property
    def proposals(self) -> Path:
        """Folder of what the locator found in scenes."""
        return self.work / "proposals"

    def checkpoint(self, name: str) -> Path:
        """Where a network's weights are kept between runs."""
        return self.work / f"{name}.pt"


@dataclass(frozen=True, slots=True)
class Network:
    """What a folder of :mod:`models.networks` brings.

    Attributes:
        name: Of the folder, of its checkpoint and of the file that ships.
        samples: What it is trained on in all.
        smoke: The same in a run that only proves that the path works.
        train: Trains it until it has seen what the plan asks; continues where it was left.
        export: Writes the file that ships to a path and says how to feed it.
    """

    name: str
    samples: int
    smoke: int
    train: Callable[[Run], None]
    export: Callable[[Run, Path], Entry]


def keep_to_plan(work: Path, plan: Plan) -> None:
    """Note the plan of a work folder, or find that it is the one it was begun with.

    A network that is new to the plan is added to it.

    Raises:
        UsageError: The folder was begun with another plan.
    """
    file = work / "plan.json"
    if file.exists():
        begun = json.loads(file.read_text(encoding="utf-8"))
        now = json.loads(json.dumps(asdict(plan)))
        samples = now["samples"] | begun["samples"]
        other = [k for k in now if k != "samples" and now[k] != begun.get(k)]
        other += [k for k in now["samples"] if now["samples"][k] != samples[k]]
        if other:
            raise UsageError(
                f"{work} was begun with another plan ({', '.join(other)} differ): "
                "give the same numbers, or another folder with --work."
            )
    work.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(asdict(plan), indent=1) + "\n", encoding="utf-8")
