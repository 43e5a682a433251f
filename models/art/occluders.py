"""Cut-out pictures of things that lie on or hide cards: ``occluders/*.png`` with their list."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from models.art.fonts import held_out
from models.art.packages import Say
from models.art.render import Rgba, decode_picture, fit_height, read_svg, render_svg, write_png

_MAX_SIDE, _MIN_SIDE = 480, 64
_HOLDOUT_ONE_IN = 6
_STAMPS = "debian-tuxpaint-stamps-default/usr/share/tuxpaint/stamps"

# Letters, digits, chess and card symbols would be read as indices; flags and signs bear text.
_NOT = re.compile(
    r"(alphabets/(?!asl)|/symbols/(?!money|alphabets/asl)|/00_symbols|numbers|math|roadsigns|flags|/shapes|chess|playing|cards|dice"
    r"|_mirror|_flip)"
)


@dataclass(frozen=True, slots=True)
class Occluder:
    """One cut-out thing.

    Attributes:
        path: The PNG, relative to the cache folder.
        kind: What it is, as its folder says, for example ``household/tools``.
        holdout: Whether it is kept for evaluation.
    """

    path: str
    kind: str
    holdout: bool


def build_occluders(root: Path, *, say: Say) -> list[Occluder]:
    """Writes ``occluders/*.png`` and ``occluders.json``."""
    base = root / "unpacked" / _STAMPS
    out: list[Occluder] = []
    failed = 0
    for path in sorted(base.rglob("*")):
        name = path.relative_to(base).as_posix()
        if path.suffix.lower() not in {".png", ".svg"} or _NOT.search("/" + name.lower()):
            continue
        target = root / "occluders" / (re.sub(r"[^a-z0-9]+", "_", name.lower()[:-4]) + ".png")
        if not target.is_file():
            try:
                image = _cut_out(path)
            except (OSError, ValueError):
                failed += 1
                continue
            if image is None:
                continue
            write_png(target, image)
        kind = str(Path(name).parent)
        held = held_out(target.stem, one_in=_HOLDOUT_ONE_IN, salt="occluder")
        out.append(Occluder(target.relative_to(root).as_posix(), kind, held))
    text = json.dumps([asdict(o) for o in out], ensure_ascii=False, indent=1)
    (root / "occluders.json").write_text(text, encoding="utf-8")
    say(f"occluders: {len(out)} from {_STAMPS.split('/', maxsplit=1)[0]}, {failed} unreadable")
    return out


def _cut_out(path: Path) -> Rgba | None:
    """The thing, trimmed to its outline; None if it is tiny or has no transparent surround."""
    if path.suffix.lower() == ".svg":
        image = render_svg(read_svg(path), height=_MAX_SIDE)
    else:
        image = decode_picture(path.read_bytes())
    solid = image[..., 3] > 40
    if not solid.any() or solid.mean() > 0.97:
        return None
    ys, xs = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    image = np.ascontiguousarray(image[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1])
    if min(image.shape[:2]) < _MIN_SIDE:
        return None
    scale = min(1.0, _MAX_SIDE / max(image.shape[:2]))
    return fit_height(image, round(image.shape[0] * scale)) if scale < 1.0 else image
