"""The stress set: what a release must not lose, kind by kind, beside what the last one read.

``python -m models.evaluate stress`` renders it with court artists, index fonts, suit symbols and
backgrounds that no network was trained on, reads it as ``companion scan`` does, and exits 1 where a
kind lost more than noise against the figures in ``stress.json``. ``--ship`` writes those: done when
networks or rules ship, and what a kind loses is said in the model card.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.errors import UsageError
from models.arrays import Picture
from models.evaluation.pictures import ENGLISH, outlines_of, readable
from models.evaluation.rendering import write_truth
from models.evaluation.scoring import Eyes, evaluate
from models.synth.faces import Face, FaceDeck
from models.synth.layouts import Placement, fan, turned
from models.synth.own import own_deck
from models.synth.scene import Props, Scene, render_scene
from models.synth.scenes import material, workshop

SHIPPED = Path(__file__).with_name("stress.json")
#: Of everything random; pictures of each kind.
SEED, COUNT = 4711, 60
#: How often a picture is drawn anew because no card of it can be read by a person.
_ATTEMPTS = 200


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of picture.

    Attributes:
        about: what it shows.
        cards: how many lie there, least and most; a fan has as many as it has.
        px_per_mm: the scale.
        size: width and height of the picture, pixels.
        fits: which decks are taken, by one of their faces.
        change: done to the finished picture.
        fan: whether the cards are fanned.
        eights: share of pictures that show an eight.
    """

    about: str
    cards: tuple[int, int] = (3, 6)
    px_per_mm: tuple[float, float] = (2.4, 3.4)
    size: tuple[int, int] = (1280, 960)
    fits: Callable[[Face], bool] | None = None
    change: Callable[[Picture, np.random.Generator], Picture] | None = None
    fan: bool = False
    eights: float = 0.0


def _index_share(face: Face) -> float:
    """How high a rank stands, as a share of the card's height."""
    box = face.indices[0].rank_box
    return (box[3] - box[1]) / face.image().shape[0]


def _is_tinted(face: Face) -> bool:
    """Whether the card's ground is not white: coloured, yellowed or dark."""
    image = face.image()
    ground = image[image.shape[0] // 2, 6, :3].astype(int)
    return bool(ground.min() < 200)


def _faded(picture: Picture, rng: np.random.Generator) -> Picture:
    """Half of the contrast and some noise, as of a worn deck in poor light."""
    grey = float(rng.uniform(70, 150))
    faint = grey + rng.uniform(0.3, 0.5) * (picture.astype(np.float32) - grey)
    return np.clip(faint + rng.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)


def _enlarged(picture: Picture, rng: np.random.Generator) -> Picture:
    """As large as a phone takes it."""
    scale = float(rng.uniform(3000, 4000)) / picture.shape[1]
    return cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)


KINDS: Mapping[str, Kind] = {
    "large": Kind("large indices", fits=lambda face: _index_share(face) > 0.15),
    "small": Kind("indices of 12 to 18 px", (4, 8), (0.95, 1.3)),
    "faint": Kind("half of the contrast", change=_faded),
    "tinted": Kind("coloured, yellowed and dark cards", fits=_is_tinted),
    "lone": Kind(
        "one card alone, every other an eight", (1, 1), (1.6, 4.0), (960, 720), eights=0.5
    ),
    "close-up": Kind("one card close up, 3,000 to 4,000 px", (1, 1), (7.0, 9.5), change=_enlarged),
    "fan": Kind("fans", px_per_mm=(2.2, 3.2), fan=True),
}


def write_one(index: int, *, out: Path, kind: str, art: Path) -> dict[str, Any]:
    """Renders picture ``index`` of a kind until a person can read some card; gives its truth."""
    cv2.setNumThreads(1)
    fetched, _, props = material(art, (), holdout=True)
    whole = [deck for deck in fetched if ENGLISH.are_whole(deck)]
    fits = KINDS[kind].fits
    for attempt in range(_ATTEMPTS):
        rng = np.random.default_rng((SEED, list(KINDS).index(kind), index, attempt))
        # Few fetched decks are of any one kind.
        from_art = bool(whole) and index % 3 == 0 and attempt < 3
        deck = (
            whole[int(rng.integers(len(whole)))]
            if from_art
            else own_deck(rng, workshop(art, holdout=True), {})
        )
        if fits is not None and not fits(deck.cards[7]):
            continue
        scene = _rendered(rng, KINDS[kind], deck, props, eight=index % 2 == 0)
        good = readable(scene, len(scene.names))
        if any(good) and (KINDS[kind].fan or all(good)):
            break
    else:
        raise RuntimeError(f"{kind} {index}: nothing readable in {_ATTEMPTS} attempts")
    name = f"{kind}{index:04d}.jpg"
    change = KINDS[kind].change
    picture = scene.image if change is None else change(scene.image, rng)
    cv2.imwrite(str(out / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 88])
    scale = picture.shape[1] / scene.image.shape[1]
    outlines = outlines_of(replace(scene, quads=scene.quads * scale))
    return {
        "image": name,
        "set": "stress",
        "kind": kind,
        "deck": deck.name,
        "cards": [card for card, is_good in zip(scene.names, good, strict=True) if is_good],
        "outlines": outlines,
    }


def _rendered(
    rng: np.random.Generator, kind: Kind, deck: FaceDeck, props: Props, *, eight: bool
) -> Scene:
    faces = [face for face in deck.cards if not face.name.startswith("JK")]
    faces = [faces[k] for k in rng.permutation(len(faces))]
    if kind.eights and eight:
        faces.sort(key=lambda face: not face.name.startswith("8"))
    if kind.fan:
        table = turned(fan(rng), float(rng.normal(0, 0.4)))
    else:
        table = _apart(rng, int(rng.integers(kind.cards[0], kind.cards[1] + 1)))
    return render_scene(
        rng, [deck], props, table=table, cards=faces[: len(table)], size=kind.size,
        px_per_mm=float(rng.uniform(*kind.px_per_mm)), tilt=abs(float(rng.normal(0, 0.2))),
    )  # fmt: skip


def _apart(rng: np.random.Generator, count: int) -> list[Placement]:
    """Cards that lie apart, each turned as it likes."""
    if count == 1:
        return [Placement(0.0, 0.0, float(rng.uniform(0, 2 * math.pi)))]
    spots = [(x, y) for y in (-60, 60) for x in (-150, -50, 50, 150)]
    return [
        Placement(
            spots[k][0] + float(rng.normal(0, 5)),
            spots[k][1] + float(rng.normal(0, 5)),
            float(rng.normal(0, 0.3)) + math.pi * bool(rng.random() < 0.3),
        )
        for k in rng.permutation(len(spots))[:count]
    ]


@dataclass(frozen=True, slots=True)
class Count:
    """What is read of one kind."""

    cards: int
    read: int
    wrong: int

    def lost_against(self, before: Count) -> bool:
        """Whether it is worse than before by more than noise: twice the spread of what fails."""
        missed, wrong = before.cards - before.read, before.wrong
        more_missed = before.read - self.read > 2 * math.sqrt(max(1, missed))
        return more_missed or self.wrong - wrong > 2 * math.sqrt(max(1, wrong))


def counted(
    work: Path,
    *,
    art: Path,
    models: Path | None = None,
    kinds: Sequence[str] = tuple(KINDS),
    count: int = COUNT,
    workers: int = 2,
    misses: bool = False,
) -> dict[str, Count]:
    """What is read of each kind; pictures that were drawn before are not drawn again.

    Args:
        work: the pictures lie in folders of it.
        art: fetched art.
        models: folder of the networks; None for the shipped ones.
        kinds: which kinds.
        count: pictures of each.
        workers: processes that draw.
        misses: whether what was misread is told.
    """
    folders = {kind: work / f"stress-{kind}-{SEED}-{count}" for kind in kinds}
    # All are drawn before the first is read: OpenCV's threads do not survive a fork.
    for kind, folder in folders.items():
        if not (folder / "truth.json").exists():
            job = partial(write_one, out=folder, kind=kind, art=art)
            write_truth(job, folder, count=count, workers=workers)
    eyes = Eyes.of(models, auto=True)
    out = {}
    for kind, folder in folders.items():
        (tally,) = evaluate(folder, eyes, misses=misses).tallies.values()
        out[kind] = Count(tally.cards, tally.read, tally.wrong)
    return out


def table(now: Mapping[str, Count], before: Mapping[str, Count]) -> str:
    """The kinds beside what the last release read of them, as the model card has it."""
    lines = ["| stress set | cards | read | wrong | last release |", "|---|---|---|---|---|"]
    for kind, count in now.items():
        old = before.get(kind)
        then = "new" if old is None else f"{old.read}, {old.wrong} wrong"
        lost = " **lost**" if old is not None and count.lost_against(old) else ""
        share = f"{count.read} ({count.read / max(1, count.cards):.1%})"
        lines.append(
            f"| {KINDS[kind].about} | {count.cards} | {share} | {count.wrong} | {then}{lost} |"
        )
    return "\n".join(lines)


def shipped(file: Path = SHIPPED) -> dict[str, Count]:
    """What the last release read; nothing before the first."""
    if not file.exists():
        return {}
    return {kind: Count(**row) for kind, row in json.loads(file.read_text("utf-8")).items()}


def main(argv: Sequence[str]) -> int:
    """Command line of ``python -m models.evaluate stress``."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluate stress",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--kinds", nargs="+", choices=tuple(KINDS), default=tuple(KINDS))
    parser.add_argument("--models", type=Path, help="folder with the networks")
    parser.add_argument("--art", type=Path, default=Path("build/art"), help="fetched art")
    parser.add_argument("--work", type=Path, default=Path("build/guards"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--misses", action="store_true", help="name what is misread in each")
    parser.add_argument("--ship", action="store_true", help="these are the figures of a release")
    args = parser.parse_args(argv)
    if not (args.art / "decks").is_dir():
        raise UsageError(
            f"There is no card art in {args.art}. "
            f"Fetch it: python -m models.art fetch --out {args.art}"
        )
    now = counted(
        args.work, art=args.art, models=args.models, kinds=args.kinds, workers=args.workers,
        misses=args.misses,
    )  # fmt: skip
    before = shipped()
    print(table(now, before))
    if args.ship:
        rows = before | now
        text = {
            kind: {"cards": c.cards, "read": c.read, "wrong": c.wrong} for kind, c in rows.items()
        }
        SHIPPED.write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")
        return 0
    lost = [kind for kind in now if kind in before and now[kind].lost_against(before[kind])]
    for kind in lost:
        print(f"{kind}: lost more than noise; say so in the model card", file=sys.stderr)
    return 1 if lost else 0
