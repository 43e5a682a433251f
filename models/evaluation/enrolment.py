"""How well enrolment works: ``python -m models.evaluate enrolment [--art DIR] [--json]``.

Every deck is taught from photographs of each piece alone (two views a piece; our printed decks from
their drawings), then photographs that were not shown before are named. All are rendered: plain
tables, any rotation, tilt, uneven light, blur, noise and JPEG (`models.synth.views`). Decks, from
the side of the split that no network was trained on: three court artists of the fetched art, or
without fetched art three drawn decks; and made-up sets of tiles and coins.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.embed import Embedder
from calibration.enrolment import EnrolledDeck, enrol
from calibration.outlines import Shape, find_outlines
from calibration.printing.curves import rasterised
from calibration.printing.faces import printable
from calibration.recognise import Recogniser, printed_deck
from companion.decks import PRINTABLE
from models.arrays import Picture
from models.synth.faces import card_picture
from models.synth.pieces import random_set
from models.synth.scenes import font_files, picture_files, prepare_drawn
from models.synth.views import View, render_view

NEVER_SEEN = ("gnome_anglo", "gnome_tigullio", "gnome_slavic_costumes")
"""Held-out decks of three court artists and index fonts."""
LONG_SIDE = (110.0, 320.0)
"""Longer side of a piece in the test photographs, pixels."""
LEAST_CONTRAST = 18.0
"""Between table and rim of a piece, see `photo`."""
SEED = 20_000


@dataclass(slots=True)
class Score:
    """Counts of one deck."""

    deck: str
    pieces: int = 0
    views: int = 0
    found: int = 0
    right: int = 0
    told: int = 0
    told_wrong: int = 0
    strangers: int = 0
    strangers_told: int = 0
    leave_one_out: float | None = None

    def summary(self) -> dict[str, Any]:
        """Counts and the share of all views that were named rightly."""
        return asdict(self) | {"accuracy": self.right / max(1, self.views)}


def photo(face: Picture, rng: np.random.Generator, *, blur: float = 0.1) -> Picture:
    """A photograph of one piece alone, at any rotation, on a plain table of another colour.

    Pictures in which a person could not see the piece's edge (white on white, burnt out, black)
    are taken again.
    """
    while True:
        long_side = float(np.exp(rng.uniform(*np.log(LONG_SIDE))))
        view = render_view(
            face, rng, long_side=long_side, margin=0.35, tilt=0.25, plain=True, blur=blur
        )
        if _edge_contrast(view) > LEAST_CONTRAST:
            return view.image


def _edge_contrast(view: View) -> float:
    """Least difference of colour across a side of the piece, grey levels of one channel."""
    image = cv2.GaussianBlur(view.image, (0, 0), 1.5).astype(float)
    middles = (view.corners + np.roll(view.corners, -1, 0)) / 2
    centre = view.corners.mean(0)
    steps = []
    for middle in middles:
        inner, outer = (np.round(centre + (middle - centre) * k).astype(int) for k in (0.955, 1.06))
        steps.append(np.abs(image[inner[1], inner[0]] - image[outer[1], outer[0]]).max())
    return float(min(steps))


def _shape(faces: Mapping[str, Picture], *, disc: bool) -> Shape:
    if disc:
        return Shape.COIN
    face = next(iter(faces.values()))
    return Shape.TILE if face.shape[0] == face.shape[1] else Shape.CARD


def enrolment_photo(face: Picture, rng: np.random.Generator, shape: Shape) -> Picture:
    """A photo on which the piece is found: a person is told to take it again until it is."""
    for _ in range(6):
        image = photo(face, rng, blur=0.06)
        if find_outlines(image, shape):
            return image
    return image


def measure(
    deck: EnrolledDeck,
    faces: Mapping[str, Picture],
    strangers: Sequence[Picture],
    rng: np.random.Generator,
    score: Score,
    embedder: Embedder,
    *,
    views: int,
) -> Score:
    """Names ``views`` photographs of every piece, and photographs of pieces of no such deck."""
    reader = Recogniser(deck, embedder)
    for label, face in faces.items():
        for _ in range(views):
            score.views += 1
            named = reader.named(photo(face, rng))
            if not named:
                continue
            naming = named[0][1]
            score.found += 1
            score.right += naming.label == label
            score.told += naming.is_known
            score.told_wrong += naming.is_known and naming.label != label
    for face in strangers:
        named = reader.named(photo(face, rng))
        score.strangers += 1
        score.strangers_told += bool(named) and named[0][1].is_known
    score.pieces = len(faces)
    return score


def _card_faces(folder: Path) -> dict[str, Picture]:
    faces = {}
    for path in sorted(folder.glob("*.png")):
        if path.stem.startswith(("JK", "back")):
            continue
        faces[path.stem] = card_picture(path)
    return faces


def never_seen(art: Path, work: Path, sets: int) -> dict[str, tuple[dict[str, Picture], bool]]:
    """Faces of designs that no network was trained on, and whether they are round."""
    folders = [art / "decks" / name for name in NEVER_SEEN]
    if not all(folder.exists() for folder in folders):
        folders = prepare_drawn(art, work / "drawn-holdout", 3, holdout=True, seed=9000)
    found = {folder.name: (_card_faces(folder), False) for folder in folders}
    fonts = font_files(art, holdout=True)
    pips = picture_files(art, "pips", holdout=True)
    rng = np.random.default_rng(SEED)
    wanted = {"tiles": sets, "coins": sets}
    while any(wanted.values()):
        made = random_set(rng, fonts, pips)
        shape = next(iter(made.faces.values())).shape
        kind = "coins" if made.round else "tiles"
        if shape[0] != shape[1] or not wanted[kind] or not _told_apart(made.faces):
            continue
        wanted[kind] -= 1
        found[f"made-up {kind} {sets - wanted[kind]}"] = (made.faces, made.round)
    return found


def _told_apart(faces: Mapping[str, Picture]) -> bool:
    """Whether a person could tell all members apart at any rotation."""
    small = [cv2.resize(f[..., :3], (48, 48), interpolation=cv2.INTER_AREA) for f in faces.values()]
    for k, a in enumerate(small):
        for b in small[k + 1 :]:
            turned = [np.rot90(b, q).astype(int) for q in range(4)]
            if min(np.percentile(np.abs(a - t), 97) for t in turned) < 30:
                return False
    return True


def run(
    art: Path, work: Path, *, views: int, taught: int, sets: int, only: str | None = None
) -> list[Score]:
    """Measures everything; see the module's text."""
    embedder = Embedder(threads=1)
    scores: list[Score] = []
    others = {name: _printed_faces(name) for name in PRINTABLE}
    designs = never_seen(art, work, sets)
    for name in PRINTABLE:
        if only and only not in name:
            continue
        deck = printed_deck(name, embedder)
        strangers = _strangers(others, name) or _strangers_of(name, deck.shape, designs, {})
        rng = np.random.default_rng((SEED, len(scores)))
        scores.append(
            measure(deck, others[name], strangers, rng, Score(name), embedder, views=views)
        )
        print(scores[-1].summary(), file=sys.stderr)
    for name, (faces, disc) in designs.items():
        if only and only not in name:
            continue
        rng = np.random.default_rng((SEED, 100 + len(scores)))
        shape = _shape(faces, disc=disc)
        photos = {
            label: [enrolment_photo(face, rng, shape) for _ in range(taught)]
            for label, face in faces.items()
        }
        deck, report = enrol(name, photos, embedder, shape=shape)
        strangers = _strangers_of(name, shape, designs, others)
        score = Score(name, leave_one_out=report.accuracy)
        scores.append(measure(deck, faces, strangers, rng, score, embedder, views=views))
        print(scores[-1].summary(), file=sys.stderr)
    return scores


def _strangers_of(
    name: str,
    shape: Shape,
    designs: Mapping[str, tuple[dict[str, Picture], bool]],
    printed: Mapping[str, Mapping[str, Picture]],
) -> list[Picture]:
    """Pieces that no photo of the deck shows: of our own decks and of the made-up ones.

    Other decks' cards are none: an eight of hearts may well be named so in any deck.
    """
    found = []
    for other, faces in printed.items():
        if _shape(faces, disc=other == "piecepack-coins") is shape:
            found += list(faces.values())[::3] if other != "standard" else []
    for other, (faces, disc) in designs.items():
        if other != name and other.startswith("made-up"):
            found += list(faces.values())[::4] if _shape(faces, disc=disc) is shape else []
    return found


def _printed_faces(name: str) -> dict[str, Picture]:
    """A deck's faces as photographed; what is written on a card is not what was taught."""
    captions = dict.fromkeys(printable(name).faces, "lowest black number in hand")
    return {c: rasterised(d, 5.0, 2) for c, d in printable(name, captions).faces.items()}


def _strangers(faces: Mapping[str, Mapping[str, Picture]], name: str) -> list[Picture]:
    shape = next(iter(faces[name].values())).shape
    return [
        face
        for other, members in faces.items()
        if other != name and next(iter(members.values())).shape == shape
        for face in list(members.values())[::3]
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Command line of ``python -m models.evaluate enrolment``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--art", type=Path, default=Path("build/art"))
    parser.add_argument("--work", type=Path, default=Path("build/eval"))
    parser.add_argument("--views", type=int, default=4, help="test photographs a piece")
    parser.add_argument("--taught", type=int, default=2, help="photographs taught a piece")
    parser.add_argument("--sets", type=int, default=2, help="made-up sets of tiles and of coins")
    parser.add_argument("--only", help="decks whose name contains this")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
    try:
        scores = run(
            args.art,
            args.work,
            views=args.views,
            taught=args.taught,
            sets=args.sets,
            only=args.only,
        )
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    for score in scores:
        if args.json:
            print(json.dumps(score.summary()))
        else:
            print(
                f"{score.deck:24} {score.right}/{score.views} named rightly "
                f"({score.found} found), told {score.told}, wrongly {score.told_wrong}; "
                f"strangers told {score.strangers_told}/{score.strangers}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
