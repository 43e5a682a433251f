"""The rendered sets that guard against breakage: each is drawn anew, read, and held to its goal.

``python -m models.evaluate NAME`` runs one. Rendered pictures say what broke, not how good the eyes
are on photographs.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from companion.decks import get_deck
from models.evaluation import card_free, hands, pictures, sweeps
from models.evaluation.pictures import CONFIGURATION, ENGLISH, FOREIGN, Laid, printed_glyphs
from models.evaluation.rendering import held_out_decks, write_truth
from models.evaluation.scoring import Eyes, Tally, evaluate, total


@dataclass(frozen=True, slots=True)
class Task:
    """A set to be drawn: where to, how many, from which seed and art, by how many processes."""

    out: Path
    count: int
    seed: int
    art: Path
    workers: int


@dataclass(frozen=True, slots=True)
class Goal:
    """What a set is held to: the least share of something, and the most that may be wrong.

    Attributes:
        hits: Name of the count in :class:`models.evaluation.scoring.Tally` that is to be high.
        of: Name of the count that it is a share of.
        least: The least share; None where nothing is asked.
        wrong: Name of the count that is to be low.
        most: The most of it; None where nothing is asked.
    """

    hits: str = "read"
    of: str = "cards"
    least: float | None = None
    wrong: str = "wrong"
    most: int | None = None

    def is_met(self, tally: Tally) -> bool:
        """Whether the counts are as good as asked."""
        share = getattr(tally, self.hits) / max(1, getattr(tally, self.of))
        enough = self.least is None or share >= self.least
        return enough and (self.most is None or getattr(tally, self.wrong) <= self.most)


@dataclass(frozen=True, slots=True)
class Guard:
    """One set.

    Attributes:
        about: What it shows, as a line of a table.
        count: How many pictures or films, unless another number is asked for.
        draw: Writes them and their truth.
        goal: What it is held to.
        auto: Whether the deck is told from its letters rather than named.
    """

    about: str
    count: int
    draw: Callable[[Task], None]
    goal: Goal
    auto: bool = False


def _pictures(
    task: Task,
    *,
    kind: str,
    index_px: tuple[float, float] = CONFIGURATION.index_px,
    whole: bool = False,
    laid: Laid = ENGLISH,
    foreign: bool = False,
) -> None:
    configuration = replace(CONFIGURATION, index_px=index_px)
    if whole:
        configuration = replace(configuration, row_cards=(52, 52))
    draw = partial(
        pictures.write_one, out=task.out, kind=kind, seed=task.seed, art=task.art,
        drawn=held_out_decks(task.art), configuration=configuration, laid=laid,
    )  # fmt: skip
    job = partial(_foreign, draw) if foreign else draw
    write_truth(job, task.out, count=task.count, workers=task.workers)


def _foreign(draw: Callable[..., dict[str, Any]], index: int) -> dict[str, Any]:
    """Decks with other letters in turn."""
    alphabet = FOREIGN[index % len(FOREIGN)]
    return draw(index, alphabet=alphabet, laid=Laid(printed_glyphs(get_deck(alphabet))))


def _sweeps(task: Task) -> None:
    job = partial(
        sweeps.write_one, out=task.out, seed=task.seed, art=task.art,
        drawn=held_out_decks(task.art),
        configuration=replace(sweeps.CONFIGURATION, cards=(52, 52)),
    )  # fmt: skip
    write_truth(job, task.out, count=task.count, workers=task.workers)


def _hands(task: Task, *, cards: tuple[int, ...]) -> None:
    job = partial(
        hands.write_one, out=task.out, seed=task.seed, art=task.art,
        drawn=held_out_decks(task.art),
        configuration=replace(hands.CONFIGURATION, cards=cards),
    )  # fmt: skip
    write_truth(job, task.out, count=task.count, workers=task.workers)


def _card_free(task: Task) -> None:
    card_free.render(task.out, task.art.parent / "card-free", task.count, task.seed)


_EXACT_ROWS = Goal("rows_exact", "rows", 0.97, most=0)
_LETTERS = partial(_pictures, kind="separate", index_px=(18.0, 40.0), foreign=True)

GUARDS: dict[str, Guard] = {
    "separate": Guard(
        "separate cards, index of 18 px and more",
        100,
        partial(_pictures, kind="separate", index_px=(18.0, 40.0)),
        Goal(),
    ),
    "small": Guard(
        "separate cards, index of 12 to 18 px",
        100,
        partial(_pictures, kind="separate", index_px=(12.0, 18.0)),
        Goal(),
    ),
    "fans": Guard("fans", 100, partial(_pictures, kind="fan"), Goal()),
    "backs": Guard("cards, some of them face down", 60, partial(_pictures, kind="backs"), Goal()),
    "rows": Guard(
        "rows of all 52 cards, stills", 100, partial(_pictures, kind="row", whole=True), _EXACT_ROWS
    ),
    "sweeps": Guard("rows of all 52 cards, hand-held sweeps", 100, _sweeps, _EXACT_ROWS),
    "hands": Guard(
        "hands of 5, 7 and 13 cards, films of two seconds",
        120,
        partial(_hands, cards=(5, 7, 13)),
        Goal("kept", "hands", 0.95, most=0),
        auto=True,
    ),
    "large-hands": Guard(
        "hands of 20 cards, films of two seconds",
        100,
        partial(_hands, cards=(20,)),
        Goal("kept", "hands", 0.90, most=0),
        auto=True,
    ),
    "alphabets": Guard(
        "French, German, Dutch, Russian, Nordic indices, the deck named",
        200,
        _LETTERS,
        Goal(least=0.98),
    ),
    "auto": Guard(
        "the same, `--deck auto`: the deck told",
        200,
        _LETTERS,
        Goal("told", "lettered", 0.98, "foreign_wrong", 0),
        auto=True,
    ),
    "jokers": Guard(
        "jokers of English decks",
        60,
        partial(_pictures, kind="separate", index_px=(18.0, 40.0), laid=Laid(jokers=True)),
        Goal("jokers_read", "jokers", 0.85),
    ),
    "card-free": Guard("pictures without a card", 900, _card_free, Goal(most=0)),
}


def run(
    name: str,
    work: Path,
    *,
    seed: int,
    art: Path,
    count: int | None = None,
    workers: int = 2,
    models: Path | None = None,
    misses: bool = False,
) -> Tally:
    """Draw and read a set, and add up what was read.

    Args:
        name: Of a set in :data:`GUARDS`.
        work: The set's folder is made in here; one that is there is read and not drawn again.
        seed: Of everything random.
        art: Fetched art.
        count: How many pictures or films; None for as many as usual.
        workers: Processes that draw.
        models: Folder of the networks; None for the shipped ones.
        misses: Whether what was misread is told.
    """
    guard = GUARDS[name]
    number = count or guard.count
    drawn = "alphabets" if name == "auto" else name
    out = work / f"{drawn}-{seed}-{number}"
    if not (out / "truth.json").exists():
        guard.draw(Task(out, number, seed, art, workers))
    report = evaluate(out, Eyes.of(models, auto=guard.auto), misses=misses)
    whole = total(report.tallies.values())
    # Only sets of one kind of picture have outlines.
    whole.outlines = next((t.outlines for t in report.tallies.values() if t.outlines), None)
    return whole


def line(name: str, tally: Tally, seed: int) -> str:
    """A set's line of the model card's table."""
    guard = GUARDS[name]
    goal = guard.goal
    number, hits = getattr(tally, goal.of), getattr(tally, goal.hits)
    things = {"lettered": "pictures"}.get(goal.of, goal.of)
    right = f"{hits} ({hits / number:.1%})" if number else f"{tally.photos - tally.wrong}"
    many = f"{number} {things}" if number else f"{tally.photos} pictures"
    return f"| {guard.about} (seed {seed}) | {many} | {right} | {getattr(tally, goal.wrong)} |"


def card_table(
    work: Path,
    *,
    models: Path,
    art: Path,
    seed: int,
    workers: int,
    counts: Mapping[str, int] | None = None,
) -> str:
    """The model card's table of all sets, or of those that ``counts`` gives numbers of.

    What was counted of these very networks is kept, so that a stopped run goes on.
    """
    which = hashlib.sha256((models / "checksums.json").read_bytes()).hexdigest()[:8]
    rows = ["| what | how many | right | wrong |", "|---|---|---|---|"]
    for name in counts or GUARDS:
        count = counts[name] if counts else None
        kept = work / f"{name}-{seed}-{which}.txt"
        if not kept.exists():
            tally = run(name, work, seed=seed, art=art, count=count, workers=workers, models=models)
            work.mkdir(parents=True, exist_ok=True)
            kept.write_text(line(name, tally, seed), encoding="utf-8")
        rows.append(kept.read_text(encoding="utf-8"))
    return "\n".join(rows) + "\n"


_MARKED = re.compile(r"(<!-- table: .*? -->\n).*?(<!-- end of table -->)", re.DOTALL)


def write_table(text: str, file: Path, card: Path) -> None:
    """Write a table to a file, and into a model card between its marks where there is one."""
    file.write_text(text, encoding="utf-8")
    if card.exists():
        old = card.read_text(encoding="utf-8")
        card.write_text(_MARKED.sub(lambda m: m[1] + text + m[2], old), encoding="utf-8")


def summary(name: str, tally: Tally, seed: int) -> str:
    """What a run of a set says in JSON: the counts, and whether the goal was met."""
    met = GUARDS[name].goal.is_met(tally)
    return json.dumps({"guard": name, "seed": seed, "met": met} | tally.summary())
