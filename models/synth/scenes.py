"""Folders of labelled synthetic photographs, and the art that they are made of.

A scene is a picture ``000000.jpg`` with its labels ``000000.npz`` beside it. Scene ``k`` depends on
the seed and ``k`` alone, so a run can be stopped, continued and split over processes.
"""

from __future__ import annotations

import functools
import json
import logging
import multiprocessing
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.synth.drawn import write_deck
from models.synth.faces import FaceDeck, deck_folders, load_deck
from models.synth.own import Workshop, own_deck
from models.synth.scene import Props, render_scene

DRAWN_SHARE = 0.7
"""How often a scene is laid with a drawn deck rather than a fetched one."""

OWN_SHARE = 0.85
"""How often such a deck is drawn for this one scene only (:mod:`models.synth.own`)."""

_LOG = logging.getLogger(__name__)


def _listed(art: Path, kind: str, *, holdout: bool) -> list[dict[str, Any]]:
    """What ``<kind>.json`` lists on one side of the split, of the files that are there."""
    listing = art / f"{kind}.json"
    if not listing.exists():
        return []
    rows = json.loads(listing.read_text(encoding="utf-8"))
    # An absolute path stays as it is.
    rows = [r | {"path": art / r["path"]} for r in rows if bool(r.get("holdout")) == holdout]
    return [row for row in rows if row["path"].exists()]


def font_files(art: Path, *, holdout: bool) -> list[str]:
    """Font files of the art folder on one side of the hold-out split; empty without art."""
    return [str(row["path"]) for row in _listed(art, "fonts", holdout=holdout)]


def picture_files(art: Path, kind: str, *, holdout: bool) -> list[Path]:
    """Pictures of a kind (backgrounds, occluders, pips) on one side of the split."""
    return [row["path"] for row in _listed(art, kind, holdout=holdout)]


def pip_masks(art: Path, *, holdout: bool) -> dict[str, list[Path]]:
    """Suit masks by suit letter."""
    rows = _listed(art, "pips", holdout=holdout)
    return {suit: [row["path"] for row in rows if row["suit"] == suit] for suit in "SHDC"}


def court_files(art: Path, *, holdout: bool) -> list[Path]:
    """Pictures of the court cards of the fetched decks on one side of the split."""
    return [
        p
        for folder in deck_folders(art / "decks", holdout=holdout)
        for p in sorted(folder.glob("*.png"))
        if p.stem[:-1] in ("J", "Q", "K")
    ]


def prepare_drawn(
    art: Path, out: Path, count: int, *, holdout: bool = False, seed: int = 1000, workers: int = 1
) -> list[Path]:
    """Draw ``count`` decks under ``out`` (those already there are kept); returns their folders."""
    folders = [out / f"drawn{seed + k:04d}" for k in range(count)]
    draw = partial(
        _draw_deck,
        fonts=font_files(art, holdout=holdout),
        courts=court_files(art, holdout=holdout),
        pips=pip_masks(art, holdout=holdout),
    )
    jobs = [(folder, seed + k) for k, folder in enumerate(folders)]
    with _processes(workers) as pool:
        for done, _ in enumerate(pool.imap_unordered(draw, jobs), 1):
            if done % 20 == 0:
                _LOG.info("drawn decks %d/%d", done, count)
    return folders


def _draw_deck(
    job: tuple[Path, int],
    *,
    fonts: Sequence[str],
    courts: Sequence[Path],
    pips: Mapping[str, Sequence[Path]],
) -> None:
    cv2.setNumThreads(1)
    write_deck(*job, fonts, courts=courts, pip_files=pips)


def _processes(workers: int) -> Pool:
    # OpenCV's threads do not survive a fork: a child would wait for them for ever.
    cv2.setNumThreads(1)
    return multiprocessing.get_context("fork").Pool(workers)


def make_scene(
    index: int, *, out: Path, seed: int, art: Path, drawn: Sequence[Path], holdout: bool
) -> int:
    """Render scene ``index`` into ``out`` unless it is there; returns how many labels it has."""
    target = out / f"{index:06d}.npz"
    if target.exists():
        return 0
    cv2.setNumThreads(1)
    rng = np.random.default_rng((seed, index))
    fetched, drawn_decks, props = material(art, tuple(drawn), holdout=holdout)
    decks = fetched
    if not fetched or rng.random() < DRAWN_SHARE:
        own = rng.random() < OWN_SHARE
        decks = [own_deck(rng, workshop(art, holdout=holdout))] if own else drawn_decks
    scene = render_scene(rng, decks, props)
    quality = int(rng.integers(35, 96))
    cv2.imwrite(str(out / f"{index:06d}.jpg"), scene.image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    partial_path = out / f".{index:06d}.npz"
    np.savez(partial_path, labels=scene.labels, quads=scene.quads, shown=scene.shown)
    partial_path.rename(target)
    return len(scene.labels)


@functools.lru_cache(maxsize=4)
def material(
    art: Path, drawn: tuple[Path, ...], *, holdout: bool
) -> tuple[list[FaceDeck], list[FaceDeck], Props]:
    """Fetched decks, drawn decks and props of one side of the split, loaded once a process.

    Jokers of fetched decks stay out: their corner marks bear no labels.
    """
    fetched = [load_deck(p) for p in deck_folders(art / "decks", holdout=holdout)]
    fetched = [replace(d, cards=tuple(c for c in d.cards if c.indices)) for d in fetched]
    props = Props(
        picture_files(art, "backgrounds", holdout=holdout),
        picture_files(art, "occluders", holdout=holdout),
        font_files(art, holdout=holdout),
    )
    return [d for d in fetched if d.cards], [load_deck(p) for p in drawn], props


@functools.lru_cache(maxsize=2)
def workshop(art: Path, *, holdout: bool) -> Workshop:
    """What a scene's own deck is drawn from."""
    return Workshop(
        font_files(art, holdout=holdout),
        pip_masks(art, holdout=holdout),
        court_files(art, holdout=holdout),
    )


def make_scenes(
    out: Path,
    count: int,
    *,
    art: Path,
    seed: int,
    drawn: Sequence[Path],
    workers: int,
    holdout: bool = False,
) -> None:
    """Render scenes 0 to ``count`` - 1 that are not there yet, with progress in the log."""
    out.mkdir(parents=True, exist_ok=True)
    todo = [k for k in range(count) if not (out / f"{k:06d}.npz").exists()]
    job = partial(make_scene, out=out, seed=seed, art=art, drawn=list(drawn), holdout=holdout)
    started = time.monotonic()
    with _processes(workers) as pool:
        for done, _ in enumerate(pool.imap_unordered(job, todo, chunksize=8), 1):
            if done % 100 == 0 or done == len(todo):
                rate = done / (time.monotonic() - started)
                _LOG.info("scenes %d/%d, %.1f/s", done, len(todo), rate)
