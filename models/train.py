"""Make the networks from nothing: ``python -m models.train``.

Stages, each continued where it was left: fetch card art from package registries (Debian, npm,
PyPI), draw decks, render scenes, train the locator, collect its proposals, train the classifier on
labels and proposals, fit its marks, train the reviewer that is asked where the classifier is in
doubt, train the body reader, train the outliner that finds cards' corners, train the embedder that
whole faces are enrolled with, export all to ONNX. On two 2.5 GHz processors the default takes about
ten hours and downloads about 900 MB; ``--smoke`` does the whole path with drawn decks only, small
numbers and no download in about two minutes, and its networks are good for nothing but proving that
the path works.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch

from models import data, scenes
from models.body import train_body
from models.body_patches import class_shares
from models.embedding import train_embedder
from models.export import FILES, export, write_manifest
from models.labels import BODY_HEIGHT, BODY_WIDTH, OUTLINE_HEIGHT, OUTLINE_WIDTH
from models.marks import Marks, fit_marks
from models.nets.classifier import WithMarks
from models.nets.reviewer import Reviewer
from models.outliner import train_outliner
from models.synth.motley import motley_scene
from models.synth.scene import Scene
from models.training import mine, train_classifier, train_locator

STAGES = (
    "art", "scenes", "locator", "mine", "classifier", "marks", "reviewer", "body", "outliner",
    "embedder", "export",
)  # fmt: skip
FOREIGN_STRAYS, STRAY_JOKERS = 0.45, 0.09
"""Shares of decks in other languages, and of jokers, among the strangers shown to the reviewer: in
whole decks their marks are so seldom met that the classifier knows them less well."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything."""

    scenes: int = 12_000
    drawn_decks: int = 400
    locator_crops: int = 400_000
    classifier_patches: int = 2_400_000
    reviewer_patches: int = 1_200_000
    body_patches: int = 1_700_000
    outline_patches: int = 620_000
    embedder_views: int = 60_000
    mine_every: int = 2
    marks_every: int = 3
    seed: int = 1


SMOKE = Plan(
    scenes=24,
    drawn_decks=2,
    locator_crops=480,
    classifier_patches=2048,
    reviewer_patches=1024,
    body_patches=1024,
    outline_patches=512,
    embedder_views=288,
)


def run(
    plan: Plan,
    *,
    work: Path,
    art: Path,
    out: Path,
    stages: Sequence[str],
    workers: int,
    fetch: bool,
) -> None:
    """Run the asked stages in order.

    Args:
        plan: Amounts and seed.
        work: Scenes, checkpoints and proposals are kept here.
        art: Fetched art; may be missing when ``fetch`` is false.
        out: Where the ONNX files and ``models.json`` go.
        stages: A subset of :data:`STAGES`.
        workers: Processes for rendering.
        fetch: Whether the art stage may download.
    """
    torch.set_num_threads(workers)
    folder = work / "scenes"
    locator_state, classifier_state = work / "locator.pt", work / "classifier.pt"
    marks_state, reviewer_state = work / "marks.npz", work / "reviewer.pt"
    if "art" in stages and fetch:
        from models.art.__main__ import main as fetch_art

        fetch_art(["fetch", "--out", str(art)])
    if "scenes" in stages:
        drawn = scenes.prepare_drawn(art, work / "drawn", plan.drawn_decks)
        scenes.make_scenes(
            folder, plan.scenes, art=art, seed=plan.seed, drawn=drawn, workers=workers
        )
    if "locator" in stages:
        train_locator(folder, locator_state, plan.locator_crops, seed=plan.seed)
    if "mine" in stages:
        mine(
            train_locator(folder, locator_state, 0),
            data.scene_files(folder)[:: plan.mine_every],
            work / "mined",
        )
    _train_namers(plan, work=work, art=art, stages=stages)
    if "body" in stages:
        train_body(folder, work / "body.pt", plan.body_patches, seed=plan.seed + 4)
    if "outliner" in stages:
        train_outliner(folder, work / "outliner.pt", plan.outline_patches, seed=plan.seed + 5)
    if "embedder" in stages:
        embedder = train_embedder(
            art,
            sorted((work / "drawn").glob("*/")),
            work / "embedder.pt",
            plan.embedder_views,
            seed=plan.seed + 2,
            locator=train_locator(folder, locator_state, 0),
        )
        out.mkdir(parents=True, exist_ok=True)
        export(
            embedder, None, out / FILES["embedder"],
            height=112, width=112, dynamic={0: "n"}, half=True,
        )  # fmt: skip
    if "export" in stages:
        out.mkdir(parents=True, exist_ok=True)
        locator, classifier = (
            train_locator(folder, locator_state, 0),
            train_classifier(folder, classifier_state, 0),
        )
        export(
            locator, locator.stem[0], out / FILES["locator"],
            height=256, width=256, dynamic={0: "n", 2: "h", 3: "w"}, half=True,
        )  # fmt: skip
        marks = Marks.load(marks_state)
        suits, ranks = (torch.from_numpy(m.astype(np.float32)) for m in (marks.suits, marks.ranks))
        first = classifier.features[0][0]
        export(
            WithMarks(classifier, suits, ranks), first, out / FILES["classifier"],
            height=64, width=48, dynamic={0: "n"}, outputs=("out", "marks", "rank_marks"),
            half=True,
        )  # fmt: skip
        reviewer = train_classifier(folder, reviewer_state, 0, net=Reviewer)
        export(
            reviewer, reviewer.features[0][0], out / FILES["reviewer"],
            height=64, width=48, dynamic={0: "n"}, half=True,
        )  # fmt: skip
        body = train_body(folder, work / "body.pt", 0)
        export(
            body, body.features[0][0], out / FILES["body"],
            height=BODY_HEIGHT, width=BODY_WIDTH, dynamic={0: "n"}, half=True,
        )  # fmt: skip
        outliner = train_outliner(folder, work / "outliner.pt", 0)
        export(
            outliner, outliner.features[0][0], out / FILES["outliner"],
            height=OUTLINE_HEIGHT, width=OUTLINE_WIDTH, dynamic={0: "n"}, half=True,
        )  # fmt: skip
        notes = asdict(plan) | {"torch": torch.__version__}
        write_manifest(
            out,
            notes,
            rank_spread=marks.rank_spread.tolist(),
            body_prior=class_shares(data.scene_files(folder)).tolist(),
        )


def _strangers(art: Path) -> partial[Scene]:
    """Renders scenes in which no two cards are of one deck."""
    _, _, props = scenes.material(art, (), holdout=False)
    return partial(motley_scene, workshop=scenes.workshop(art, holdout=False), props=props)


def _train_namers(plan: Plan, *, work: Path, art: Path, stages: Sequence[str]) -> None:
    """The networks that name an index's patch: the classifier with its marks, and the reviewer."""
    folder, classifier_state = work / "scenes", work / "classifier.pt"
    if not {"classifier", "reviewer"}.isdisjoint(stages):
        strangers = _strangers(art)
    if "classifier" in stages:
        train_classifier(
            folder,
            classifier_state,
            plan.classifier_patches,
            mined=work / "mined",
            motley=strangers,
            seed=plan.seed + 1,
        )
    if "marks" in stages:
        fit_marks(
            train_classifier(folder, classifier_state, 0),
            data.scene_files(folder)[:: plan.marks_every],
            seed=plan.seed + 3,
        ).save(work / "marks.npz")
    if "reviewer" in stages:
        train_classifier(
            folder,
            work / "reviewer.pt",
            plan.reviewer_patches,
            mined=work / "mined",
            motley=partial(strangers, foreign=FOREIGN_STRAYS, jokers=STRAY_JOKERS),
            seed=plan.seed + 100,
            net=Reviewer,
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Command line of ``python -m models.train``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=Path("build/train"), help="kept between runs")
    parser.add_argument("--art", type=Path, default=Path("build/art"))
    parser.add_argument(
        "--out",
        type=Path,
        help="where the ONNX files go (default: models/, smoke: the work folder)",
    )
    parser.add_argument("--stages", default=",".join(STAGES), help=f"of {','.join(STAGES)}")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--smoke", action="store_true", help="two minutes, drawn decks only, no download"
    )
    parser.add_argument("--scenes", type=int)
    parser.add_argument("--locator-crops", type=int)
    parser.add_argument("--classifier-patches", type=int)
    parser.add_argument("--reviewer-patches", type=int)
    parser.add_argument("--body-patches", type=int)
    parser.add_argument("--outline-patches", type=int)
    parser.add_argument("--embedder-views", type=int)
    args = parser.parse_args(argv)
    base = SMOKE if args.smoke else Plan()
    plan = Plan(
        scenes=args.scenes or base.scenes,
        drawn_decks=base.drawn_decks,
        locator_crops=args.locator_crops or base.locator_crops,
        classifier_patches=args.classifier_patches or base.classifier_patches,
        reviewer_patches=args.reviewer_patches or base.reviewer_patches,
        body_patches=args.body_patches or base.body_patches,
        outline_patches=args.outline_patches or base.outline_patches,
        embedder_views=args.embedder_views or base.embedder_views,
    )
    stages = args.stages.split(",")
    if unknown := set(stages) - set(STAGES):
        parser.error(f"no such stage: {', '.join(sorted(unknown))}; there are {', '.join(STAGES)}")
    started = time.monotonic()
    work = args.work / "smoke" if args.smoke else args.work
    art = work / "no-art" if args.smoke else args.art
    out = args.out or (work if args.smoke else Path(__file__).parent)
    run(
        plan, work=work, art=art, out=out, stages=stages, workers=args.workers, fetch=not args.smoke
    )
    print(f"done in {(time.monotonic() - started) / 60:.1f} min: {out}/", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
