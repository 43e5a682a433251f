"""A reader that knows where the cards of the bundled clip lie, for tests of the app itself."""

from functools import lru_cache

import numpy as np

from companion.cards import card
from mobile.model import demo_script
from models.films import demo as demo_clip
from models.synth.camera import face_homography, project
from models.synth.drawn import draw_face
from models.synth.pips import draw_pip
from vision.images.sources import VideoSource
from vision.types import CardRead, IndexRead, Reading

_EACH = demo_clip.COME + demo_clip.LEAVE + demo_clip.PAUSE


@lru_cache(maxsize=1)
def clip_reads() -> tuple[tuple[float, CardRead], ...]:
    """For each card of the clip, when it lies there (seconds) and how it reads."""
    film = demo_clip.Film()
    look, rng = demo_clip.style(), np.random.default_rng(0)
    found = []
    for k, (name, place) in enumerate(zip(demo_clip.ROW.split(), film.places, strict=True)):
        face, marks = draw_face(name[:-1], name[-1], look, draw_pip(name[-1], rng), rng, None)
        height, width = face.shape[:2]
        view = face_homography(film.view, place, width, height)
        x0, y0, x1, _ = marks[0]["rank_box"]
        y1 = marks[0]["suit_box"][3]
        quad = [tuple(p) for p in project(view, [(x0, y0), (x1, y0), (x1, y1), (x0, y1)])]
        centre = tuple(np.mean(quad, axis=0))
        size = float(np.hypot(quad[3][0] - quad[0][0], quad[3][1] - quad[0][1]))
        none = np.zeros(0, np.float32)
        index = IndexRead(centre, (0.0, 1.0), size, none, none, 0.98)
        laid = demo_clip.LEAD + k * _EACH + demo_clip.COME
        found.append((laid, CardRead(card(name), 0.98, tuple(quad), (index,))))
    return tuple(found)


class ClipSource(VideoSource):
    """The bundled clip; remembers the time of each frame it hands out."""

    def __init__(self) -> None:
        super().__init__(demo_script.load().clip, title="the bundled clip")
        self.times: dict[int, float] = {}

    def newest(self):
        frame = super().newest()
        if frame is not None:
            self.times[id(frame[1])] = frame[0]
        return frame


class ClipReader:
    """Reads frames of a `ClipSource` by their time."""

    def __init__(self, source: ClipSource) -> None:
        self._source = source

    def read(self, image) -> Reading:
        t = self._source.times[id(image)]
        cards = tuple(read for laid, read in clip_reads() if laid <= t)
        size = (image.shape[1], image.shape[0])
        return Reading(size, cards, lines=(tuple(r.card for r in cards),))

    read_frame = read
