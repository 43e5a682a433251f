"""Finds the outlines of the cards that were read: four straight sides, by the edges of the paper.

Nothing is printed between a corner index and the two sides of the card beside it. So from an index
outwards the first long straight edge is a side, and two opposite indices show all four. Where the
index stands on the card, and how large it is, is the same for all cards of a deck: cards of which
less is seen are found by what those have in common of which all is seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import FloatArray, Image
from vision.geometry import index_box
from vision.outlines.about import looked_at
from vision.outlines.backs import find_backs, lone_backs
from vision.outlines.deck_shape import DeckShape, Flat, deck_shape, flat_view, index_place
from vision.outlines.edges import Lines, fit_lines, rough_lines
from vision.outlines.frames import (
    SEEN,
    CardFrame,
    ExpectedCard,
    frame_of,
    guess_of_index,
    guess_of_pair,
    is_covered,
    is_sound,
)
from vision.outlines.guesses import taken_by
from vision.outlines.outliner import Outliner
from vision.types import CardRead, IndexRead, Quad, Reading, as_quad

#: Sides are first looked for in a picture in which the usual index is no higher, pixels.
_ROUGH_INDEX = 28.0
#: How far an end or a side may lie inside and outside of where that puts it, index heights.
_WINDOWS = ((-0.35, 0.6), (-0.22, 0.55))
#: The ends of a card may be slanted against its sides by this much (in a tilted view), and its
#: sides against the index: tangents.
_SLANTS = (0.5, 0.13)
#: A side is strong if an edge is along this share of its length, and hidden below the other one.
_MOSTLY, _HIDDEN = 0.5, 0.3
#: All four sides of a card together are seen for this many sides' length at least.
_IN_ALL = 2.2
#: How far the sides may lie from where the other cards put them, as a share of the card's width.
_SLACK = 0.05
#: Where an index stands on the card differs by no more, as a share of the card, if the outline is
#: right; asked from so many cards on.
_SAME_PLACE, _ENOUGH = 0.05, 3
#: The proportion of a card of which one index is seen differs by no more from the others'.
_SAME_SHAPE = 0.06
#: Seen straight from above a card is a parallelogram but for so much, as a share of its width.
_ASKEW = 0.08
#: Corners farther off are those of no card, in longer sides of the picture.
_FAR = 3.0
#: The paper shows so far to either side of an index, and so far up and down, index heights.
_BESIDE, _UPWARDS = 0.36, np.linspace(-0.55, 0.55, 5)
#: The same as above for a card of which one index is seen; and how far the sides beside that index
#: and those away from it usually lie off, index heights.
_LONE_WINDOWS, _LONE_SLANTS = ((-0.7, 0.7), (-0.7, 0.7)), (0.13, 0.13)
_LONE_UNSURE = (0.12, 0.5)


@dataclass(frozen=True, slots=True)
class _Picture:
    """A picture, and a copy of it reduced by ``scale``."""

    image: Image
    small: Image
    scale: float


@dataclass(frozen=True, slots=True)
class Outlines:
    """The outlines in a picture.

    Attributes:
        quads: for each read its outline, None where its sides are not seen.
        flat: the view in which all cards are parallelograms.
        deck: what they have in common, None where no outline is certain.
    """

    quads: tuple[Quad | None, ...]
    flat: Flat
    deck: DeckShape | None


def find_outlines(image: Image, reads: Sequence[CardRead]) -> Outlines:
    """The outlines of the cards that were read.

    Args:
        image: (height, width, 3) BGR.
        reads: of that picture.
    """
    size = (image.shape[1], image.shape[0])
    frames = {k: frame for k, read in enumerate(reads) if (frame := frame_of(read)) is not None}
    if not frames:
        return Outlines((None,) * len(reads), flat_view(np.zeros((0, 4, 2)), size), None)
    picture = _reduced(image, [frame.unit for frame in frames.values()])
    lines = _lines_of(picture, list(frames.values()))
    corners = lines.corners()
    row = {k: n for n, k in enumerate(frames)}
    sure = [
        k
        for k, n in row.items()
        if (lines.seen[n] > SEEN).all() and is_sound(corners[n], frames[k].corners)
    ]
    flat = flat_view(corners[[row[k] for k in sure]], size)
    views = {k: frame.viewed(flat) for k, frame in frames.items()}
    flats = {k: flat.view(corners[row[k]]) for k in sure}
    sure = _agreeing(flats, views)
    deck = deck_shape([flats[k] for k in sure], [views[k].indices for k in sure])
    quads = {k: corners[row[k]] for k in sure}
    guesses: dict[int, ExpectedCard] = {}
    for k, read in enumerate(reads):
        if k in quads:
            continue
        guess = None
        if k in frames:
            guess = guess_of_pair(views[k], lines.take(row[k]).moved(flat.view), deck)
        elif deck is not None and read.indices:
            guess = guess_of_index(flat.index(read.indices[0]), deck)
            others = [i.centre for n, r in enumerate(reads) if n != k for i in r.indices]
            if others and is_covered(guess.corners, flat.view(np.array(others))):
                guess = None
        if guess is not None:
            guesses[k] = guess
    quads |= _followed(picture, reads, guesses, flat, deck)
    done = tuple(as_quad(quads[k]) if k in quads else None for k in range(len(reads)))
    return Outlines(done, flat, deck)


def _reduced(image: Image, units: Sequence[float]) -> _Picture:
    """A picture and its copy, halved (which is quick) until indices are small."""
    small, scale = image, 1.0
    while scale * float(np.median(units)) > _ROUGH_INDEX:
        height, width = small.shape[0] // 2, small.shape[1] // 2
        even = small[: 2 * height, : 2 * width]
        small = np.asarray(cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA))
        scale /= 2
    return _Picture(image, small, scale)


def _lines_of(picture: _Picture, frames: Sequence[CardFrame]) -> Lines:
    """The four sides of each card, found outwards from its two indices."""
    return _searched(
        picture,
        np.array([frame.corners for frame in frames]),
        np.array([frame.unit for frame in frames]),
        np.array([frame.pivots for frame in frames]),
        _paper(picture.image, [frame.indices for frame in frames]),
        windows=_WINDOWS,
        slants=_SLANTS,
    )


def _searched(
    picture: _Picture,
    corners: FloatArray,
    unit: FloatArray,
    pivots: FloatArray,
    paper: NDArray[np.float32],
    *,
    windows: Sequence[tuple[float, float]],
    slants: Sequence[float],
    unsure: tuple[float, float] | None = None,
) -> Lines:
    """The sides of cards near where they are about; see `rough_lines`."""
    scale = picture.scale
    shift = 0.5 * scale - 0.5
    rough = Lines.around(corners * scale + shift)
    ends, sides = (
        rough_lines(
            picture.small,
            rough.take(slice(None), which),
            unit * scale,
            pivots[:, which],
            paper,
            window=windows[which.start],
            slant=slants[which.start],
            unsure=unsure if unsure is None or not which.start else (unsure[1], unsure[0]),
        )
        for which in (slice(0, 4, 2), slice(1, 4, 2))
    )
    found = Lines.interleaved(ends, sides).scaled(1 / scale, -shift / scale)
    return fit_lines(picture.image, found, paper)


def _paper(image: Image, indices: Sequence[Sequence[IndexRead]]) -> NDArray[np.float32]:
    """(n, 3) colour of each card's paper: the brighter half of what is seen beside its indices."""
    out = np.zeros((len(indices), 3), np.float32)
    for k, own in enumerate(indices):
        spots = []
        for index in own:
            down = index.size * np.array(index.direction)
            right = _BESIDE * np.array([down[1], -down[0]])
            up = np.array(index.centre) + _UPWARDS[:, None] * down
            spots += [up - right, up + right]
        x, y = np.rint(np.concatenate(spots)).astype(int).T
        inside = (x >= 0) & (y >= 0) & (x < image.shape[1]) & (y < image.shape[0])
        if inside.any():
            seen = image[y[inside], x[inside]].astype(np.float32)
            order = np.argsort(-seen.sum(axis=1))[: (len(seen) + 1) // 2]
            out[k] = np.median(seen[order], axis=0)
    return out


def _agreeing(quads: Mapping[int, FloatArray], frames: Mapping[int, CardFrame]) -> list[int]:
    """Those of some cards that are parallelograms with the index where the others have theirs."""
    good = []
    for k, quad in quads.items():
        askew = np.linalg.norm(quad[0] + quad[2] - quad[1] - quad[3])
        if askew < _ASKEW * np.linalg.norm(quad[1] - quad[0]):
            good.append(k)
    if len(good) < _ENOUGH:
        return good
    places = np.array(
        [
            [index_place(quads[k], first), 1 - index_place(quads[k], second)]
            for k in good
            for first, second in (frames[k].indices,)
        ]
    )
    off = np.abs(places - np.median(places.reshape(-1, 2), axis=0))
    fits = off.reshape(len(good), -1).max(axis=1) < _SAME_PLACE
    return [k for k, agrees in zip(good, fits, strict=True) if agrees]


def _followed(
    picture: _Picture,
    reads: Sequence[CardRead],
    guesses: Mapping[int, ExpectedCard],
    flat: Flat,
    deck: DeckShape | None,
) -> dict[int, FloatArray]:
    """The corners of those cards that lie where they were guessed, by the edges seen there."""
    placed = {k: flat.picture(guess.corners) for k, guess in guesses.items()}
    far = _FAR * max(picture.image.shape)
    guesses = {k: guess for k, guess in guesses.items() if np.abs(placed[k]).max() < far}
    if not guesses:
        return {}
    every = list(guesses.values())
    corners = np.array([placed[k] for k in guesses])
    wide = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    paper = _paper(picture.image, [reads[k].indices for k in guesses])
    fine = fit_lines(picture.image, Lines.around(corners, slack=_SLACK * wide), paper)
    lone = np.array([guess.middle is None for guess in every])
    if lone.any():
        unit = np.array([reads[k].indices[0].size for k in guesses])[lone]
        wanted = _searched(
            picture,
            corners[lone],
            unit,
            np.tile([0.0, 1.0, 0.0, 1.0], (len(unit), 1)),
            paper[lone],
            windows=_LONE_WINDOWS,
            slants=_LONE_SLANTS,
            unsure=_LONE_UNSURE,
        )
        for part, of in zip(fine.parts, wanted.parts, strict=True):
            part[lone] = of
    out = {}
    for n, (k, guess) in enumerate(guesses.items()):
        quad = _supported(fine.take(n).moved(flat.view), guess, deck)
        if quad is not None:
            out[k] = flat.picture(quad)
    return out


def _supported(lines: Lines, guess: ExpectedCard, deck: DeckShape | None) -> FloatArray | None:
    """The corners of a card by those of its sides that are seen, None where those are too few."""
    strong = lines.seen > _MOSTLY
    if lines.seen.sum() < _IN_ALL:
        return None
    if guess.middle is not None:
        if strong.sum() < 3 and not ((strong[0] or strong[2]) and (strong[1] or strong[3])):
            return None
        quad = lines.completed(
            guess.middle, _HIDDEN, Lines.around(guess.corners[None]).take(0)
        ).corners()
    else:
        if deck is None or not (strong[0] and strong[3] and (strong[1] or strong[2])):
            return None
        quad = lines.corners()
        if not strong.all() and np.isfinite(quad).all():
            quad = deck.with_side(quad, int(np.argmin(strong)))
        if not np.isfinite(quad).all() or deck.misshapen(quad) > _SAME_SHAPE:
            return None
    if not is_sound(quad, guess.corners):
        return None
    if deck is not None and deck.misplaced(quad, guess.indices[0]) > _SAME_PLACE:
        return None
    return quad


def with_outlines(image: Image, reading: Reading, outliner: Outliner | None = None) -> Reading:
    """The reading with the outlines of whole cards, of faces and backs.

    What a read's two indices alone tell of the outline is dropped: it may be off by a tenth.

    Args:
        image: (height, width, 3) BGR.
        reading: of that picture.
        outliner: is asked besides the edges; None for the edges alone.
    """
    reads = [*reading.cards, *reading.doubtful]
    found = find_outlines(image, reads)
    if outliner is not None:
        found = replace(found, quads=looked_at(image, reads, found.quads, outliner))
    done = [_with_quad(read, quad) for read, quad in zip(reads, found.quads, strict=True)]
    count = len(reading.cards)
    taken = taken_by(reads, found.quads, (image.shape[1], image.shape[0]))
    backs: tuple[Quad, ...] = ()
    if found.deck is not None and any(found.quads[:count]):
        backs = find_backs(image, taken, found.flat, found.deck, outliner)
    elif outliner is not None:
        # By its edges a back is but one more rectangle: a book, a tile, a window.
        backs = lone_backs(image, taken, outliner)
    return replace(
        reading,
        cards=tuple(done[:count]),
        doubtful=tuple(done[count:]),
        backs=backs,
    )


def with_exact_faces(image: Image, reading: Reading) -> Reading:
    """The reading with the exact outlines of those faces whose sides are seen; others as they were.

    What was named by its whole face has its outline from there.

    Args:
        image: (height, width, 3) BGR.
        reading: of that picture.
    """
    done = [*reading.cards, *reading.doubtful]
    by_index = [k for k, read in enumerate(done) if not read.is_by_face]
    if not by_index:
        return reading
    for k, quad in zip(
        by_index, find_outlines(image, [done[k] for k in by_index]).quads, strict=True
    ):
        done[k] = done[k] if quad is None else _with_quad(done[k], quad)
    count = len(reading.cards)
    return replace(reading, cards=tuple(done[:count]), doubtful=tuple(done[count:]))


def _with_quad(read: CardRead, quad: Quad | None) -> CardRead:
    """The read with its outline; without any, where its sides are not seen."""
    if quad is not None:
        return replace(read, quad=quad, outlined=True, exact=True)
    if read.outlined and read.indices:
        return replace(read, quad=index_box(read.indices[0]), outlined=False)
    return read
