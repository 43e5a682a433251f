"""Teaching the camera a deck from a few photos of each card; nothing is trained.

Every photo gives one prototype: the embedder's vector of the piece as it lay. A piece is named by
the prototype that it is most like, tried in every way it may lie.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from calibration.embed import Embedder, Vectors, all_turns
from calibration.outlines import Shape, find_outlines
from companion.atomic_io import write_private
from companion.bounded_io import FileError, read_json
from companion.errors import UnreadableError, UsageError
from vision.arrays import Image

FORMAT = 1
#: An enrolled deck longer than this, in bytes, is not read: 30,000 views.
MAX_BYTES = 20_000_000
#: Cosine that stands for "none of the deck's": what is not more like some prototype is refused.
#: (Of 36 photographs of tiles that were not taught the likest has 0.70, of 72 taught ones all have
#: 0.99.)
STRANGER = 0.65
#: Cosines are turned into chances by a softmax with this temperature; the lower one where pieces
#: were taught from so many views each that the best of them is near to any view of the piece.
TEMPERATURE, _WELL_TAUGHT, _MANY_VIEWS = 0.03, 0.02, 6
#: Least chance at which a name is given.
ACCEPT = 0.9
#: Two pieces of which views agree more than this are said to look too alike.
ALIKE = 0.9


@dataclass(frozen=True, slots=True)
class EnrolledDeck:
    """A deck that the camera has been taught.

    Attributes:
        name: how it was called.
        shape: of its pieces.
        size_mm: width and height of a piece, where known.
        labels: the piece of each prototype.
        vectors: (n, dimensions) unit vectors, one a prototype.
    """

    name: str
    shape: Shape
    size_mm: tuple[float, float] | None
    labels: tuple[str, ...]
    vectors: Vectors

    @property
    def names(self) -> tuple[str, ...]:
        """Its pieces, each once."""
        return tuple(dict.fromkeys(self.labels))


@dataclass(frozen=True, slots=True)
class Naming:
    """What a piece looks like.

    Attributes:
        label: the likeliest piece.
        confidence: chance that it is that, 0 to 1; the rest is shared by others and strangers.
        likeness: cosine to its best prototype.
        turn: which of the ways to lie fitted best.
        alternatives: other pieces with their chances, the likeliest first.
    """

    label: str
    confidence: float
    likeness: float
    turn: int
    alternatives: tuple[tuple[str, float], ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether it is sure enough to be told."""
        return self.confidence >= ACCEPT


@dataclass(frozen=True, slots=True)
class Report:
    """How well a deck's pieces can be told apart.

    Attributes:
        tried: prototypes named with themselves left out; pieces with one view are not tried.
        right: of these named rightly.
        alike: pairs of pieces that look too alike, with their likeness, the worst first.
        weak: pieces one of whose views was not named rightly, or not surely.
        single: pieces with one view alone.
    """

    tried: int
    right: int
    alike: tuple[tuple[str, str, float], ...]
    weak: tuple[str, ...]
    single: tuple[str, ...]

    @property
    def accuracy(self) -> float | None:
        """Share named rightly, None where nothing could be tried."""
        return self.right / self.tried if self.tried else None


def name_turns(deck: EnrolledDeck, turned: Vectors, *, leave_out: int | None = None) -> Naming:
    """Names a piece from its vectors in every way it may lie.

    Args:
        deck: what it may be.
        turned: (turns, dimensions).
        leave_out: a prototype that does not count.
    """
    cosines = turned @ deck.vectors.T
    if leave_out is not None:
        cosines[:, leave_out] = -1.0
    best = cosines.max(0)
    by_label: dict[str, float] = {}
    for label, value in zip(deck.labels, best.tolist(), strict=True):
        by_label[label] = max(value, by_label.get(label, -1.0))
    order = sorted(by_label, key=lambda label: -by_label[label])
    values = np.array([by_label[label] for label in order] + [STRANGER])
    well_taught = len(deck.labels) >= _MANY_VIEWS * len(by_label)
    weights = np.exp((values - values.max()) / (_WELL_TAUGHT if well_taught else TEMPERATURE))
    chances = weights / weights.sum()
    top = int(np.argmax(np.where(np.array(deck.labels) == order[0], best, -2)))
    others = tuple(
        (label, float(chance))
        for label, chance in zip(order[1:5], chances[1:5], strict=False)
        if chance > 1e-3
    )
    turn = int(np.argmax(cosines[:, top]))
    return Naming(order[0], float(chances[0]), by_label[order[0]], turn, others)


def enrol(
    name: str,
    views: Mapping[str, Sequence[Image]],
    embedder: Embedder,
    *,
    shape: Shape,
    size_mm: tuple[float, float] | None = None,
) -> tuple[EnrolledDeck, Report]:
    """Teaches a deck.

    Args:
        name: to call it.
        views: pictures of each piece alone on a plain table, one to three or the frames of a clip.
        embedder: the network.
        shape: of the pieces.
        size_mm: width and height of a piece, where known.

    Raises:
        UnreadableError: in one of the pictures no piece of that shape is found; says of which.
        UsageError: there are fewer than two pieces.
    """
    if len(views) < 2:
        raise UsageError("A deck needs photos of at least two different pieces.")
    aspect = size_mm[0] / size_mm[1] if size_mm else 63 / 88
    labels: list[str] = []
    turned: list[Vectors] = []
    for label, images in views.items():
        for k, image in enumerate(images, 1):
            outlines = find_outlines(image, shape, aspect=aspect)
            if not outlines:
                raise UnreadableError(
                    f"Photo {k} of “{label}”: no {shape} is seen. Lay it alone on a plain table "
                    "of another colour, whole in the picture, and take it again."
                )
            turned.append(embedder(all_turns(image, outlines[0].corners, shape)))
            labels.append(label)
    vectors = np.stack([t[0] for t in turned])
    deck = EnrolledDeck(name, shape, size_mm, tuple(labels), vectors)
    return deck, examine(deck, turned)


def examine(deck: EnrolledDeck, turned: Sequence[Vectors]) -> Report:
    """Names every view with itself left out, and looks for pieces that look too alike."""
    count = {label: deck.labels.count(label) for label in deck.names}
    tried = right = 0
    weak: list[str] = []
    for k, (label, vectors) in enumerate(zip(deck.labels, turned, strict=True)):
        if count[label] < 2:
            continue
        naming = name_turns(deck, vectors, leave_out=k)
        tried += 1
        right += naming.label == label
        if naming.label != label or not naming.is_known:
            weak.append(label)
    single = tuple(label for label in deck.names if count[label] == 1)
    return Report(tried, right, _alike(deck, turned), tuple(dict.fromkeys(weak)), single)


def _alike(deck: EnrolledDeck, turned: Sequence[Vectors]) -> tuple[tuple[str, str, float], ...]:
    """Pairs whose views are as like each other as two views of one piece are."""
    flat = np.stack([(t @ deck.vectors.T).max(0) for t in turned])
    members = {
        label: [k for k, of in enumerate(deck.labels) if of == label] for label in deck.names
    }
    own = {
        label: max((flat[a, b] for a in ks for b in ks if a != b), default=1.0)
        for label, ks in members.items()
    }
    found = []
    for a, b in combinations(deck.names, 2):
        likeness = float(flat[np.ix_(members[a], members[b])].max())
        if likeness > min(ALIKE, 0.02 + float(max(own[a], own[b]))):
            found.append((a, b, likeness))
    return tuple(sorted(found, key=lambda pair: -pair[2]))


def merged(name: str, decks: Iterable[EnrolledDeck]) -> EnrolledDeck:
    """Several decks of one shape as one, to tell which deck a piece is of (`DECK:PIECE`)."""
    every = list(decks)
    labels = tuple(f"{d.name}:{label}" for d in every for label in d.labels)
    vectors = np.concatenate([d.vectors for d in every])
    return EnrolledDeck(name, every[0].shape, every[0].size_mm, labels, vectors)


def save(deck: EnrolledDeck, path: Path) -> None:
    """Writes a deck as JSON; vectors as 8-bit numbers, which changes cosines by about 0.001.

    Raises:
        UsageError: it cannot be written.
    """
    scaled = deck.vectors / np.abs(deck.vectors).max(1, keepdims=True)
    rows = np.rint(scaled * 127).astype(np.int8)
    data = {
        "format": FORMAT,
        "name": deck.name,
        "shape": str(deck.shape),
        "size_mm": list(deck.size_mm) if deck.size_mm else None,
        "views": [
            {"piece": label, "vector": base64.b64encode(row.tobytes()).decode()}
            for label, row in zip(deck.labels, rows, strict=True)
        ],
    }
    write_private(path, json.dumps(data, indent=1), folders=True)


def load(path: Path) -> EnrolledDeck:
    """Reads a deck that `save` wrote.

    Raises:
        UnreadableError: it is missing, damaged, or of a later format.
    """
    try:
        data = read_json(path, MAX_BYTES)
        if data["format"] != FORMAT:
            raise UnreadableError(f"{path}: was written by another version; enrol the deck again.")
        rows = [np.frombuffer(base64.b64decode(v["vector"]), np.int8) for v in data["views"]]
        vectors = np.stack(rows).astype(np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not lengths.all():
            raise ValueError("a vector without a direction")
        vectors /= lengths
        size = tuple(float(v) for v in data["size_mm"]) if data["size_mm"] else None
        labels = tuple(str(v["piece"]) for v in data["views"])
        return EnrolledDeck(str(data["name"]), Shape(data["shape"]), size, labels, vectors)  # type: ignore[arg-type]
    except FileError as error:
        raise error.advising("enrol it again") from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise UnreadableError(f"{path}: is no enrolled deck; enrol it again.") from None
