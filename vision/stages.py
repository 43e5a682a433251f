"""What happens to a picture, stage by stage: a table of contents of the eyes.

Each stage is a function of the scene that asks one part of the eyes and keeps the answer. The lists
at the end say which stages a still, a row, a frame of a sweep and a frame of a film pass through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from vision.cards.jokers import chances_of_jokers, covered_in_row, joker_reads, stands_in_row
from vision.cards.one_name import Outlines, one_name_a_card
from vision.cards.reads import Reads, card_reads, row_reads
from vision.indices.alphabets import RULE as LETTERS
from vision.indices.alphabets import (
    LettersOfFilm,
    Weights,
    chance_of_rank,
    contradicted,
    likeliest,
    weights_of,
)
from vision.indices.naming import Namer, seen_first
from vision.networks import Networks
from vision.outlines.faces import card_about
from vision.rows.order import order_lines
from vision.rows.row_places import leaves_open
from vision.scene import SAME, Scene, Stage, passed_through
from vision.settings import FRAME, ROW, STILL, SWEEP, Settings
from vision.types import CardRead, Reason


@dataclass(frozen=True, slots=True)
class Limits:
    """How thoroughly each kind of picture is read."""

    still: Settings = STILL
    row: Settings = ROW
    sweep: Settings = SWEEP
    frame: Settings = FRAME


# -- where indices stand and what they read as -------------------------------------------------


def find_indices(networks: Networks, settings: Settings, scene: Scene) -> Scene:
    """Where indices may stand, and what the surest poses look like."""
    least = min(settings.least_heat, settings.joker_heat)
    poses = networks.locator.find(
        scene.picture, settings.sides, least_heat=least, enough=settings.enough
    )
    sites = seen_first(
        networks.classifier,
        scene.picture,
        poses,
        least_heat=settings.least_heat,
        most=settings.most,
    )
    return replace(scene, sites=sites)


def infer_alphabet(networks: Networks, film: LettersOfFilm | None, scene: Scene) -> Scene:
    """Which deck it is, by its letters."""
    weights = _weights(networks, film, scene)
    return replace(scene, deck=likeliest(weights), letters=weights)


def check_alphabet(networks: Networks, film: LettersOfFilm | None, scene: Scene) -> Scene:
    """Whether the letters contradict the deck that was chosen."""
    other = contradicted(_weights(networks, film, scene), scene.deck)
    return replace(scene, looks_like=other.name) if other else scene


def _weights(networks: Networks, film: LettersOfFilm | None, scene: Scene) -> Weights:
    assert scene.sites is not None
    weights = weights_of(scene.sites.named.glyphs[scene.sites.leading], networks.classifier.glyphs)
    return weights if film is None else film.learn(weights)


def name_indices(networks: Networks, scene: Scene) -> Scene:
    """What the indices read as in this deck, doubtful ones looked at twice."""
    assert scene.sites is not None
    namer = Namer(networks.classifier, scene.deck)
    found, names = namer.names(scene.picture, scene.sites)
    faint = namer.faint_jokers(scene.picture, scene.sites)
    return replace(scene, found=found, names=names, faint=faint)


# -- which cards they make ---------------------------------------------------------------------


def group_cards(settings: Settings, scene: Scene) -> Scene:
    """Indices put together to cards, each card once."""
    return _grouped(card_reads, settings, scene)


def group_row(settings: Settings, scene: Scene) -> Scene:
    """The same in a row, where what stands in line is a card for certain."""
    return _grouped(row_reads, settings, scene)


def _grouped(put_together: Callable[..., Reads], settings: Settings, scene: Scene) -> Scene:
    reads = put_together(
        scene.found,
        scene.names,
        accept=settings.accept,
        doubt=settings.doubt,
        copies=scene.deck.copies,
    )
    accepted, doubtful, refused = (tuple(part) for part in reads)
    return replace(scene, cards=accepted, doubtful=doubtful, refused=refused)


def find_jokers(networks: Networks, settings: Settings, scene: Scene) -> Scene:
    """Corners that bear a joker's mark, where cards lie beside them."""
    return _with_jokers(partial(joker_reads, faint=scene.faint), networks, settings, scene)


def find_jokers_of_row(networks: Networks, settings: Settings, scene: Scene) -> Scene:
    """The same in a row, where a joker stands as the other cards do."""
    covered = covered_in_row(scene.cards)
    in_row = partial(joker_reads, among=stands_in_row, covered=covered)
    return _with_jokers(in_row, networks, settings, scene)


def _with_jokers(
    look: Callable[..., tuple[list[CardRead], list[CardRead]]],
    networks: Networks,
    settings: Settings,
    scene: Scene,
) -> Scene:
    sure, doubtful = look(
        scene.found,
        scene.names,
        scene.cards,
        accept=settings.accept,
        doubt=settings.doubt,
        closely=partial(chances_of_jokers, networks.classifier, scene.picture),
        outlines=_outlines(networks, scene),
        copies=scene.deck.copies,
    )
    if not sure and not doubtful:
        return scene
    return replace(scene, cards=(*scene.cards, *sure), doubtful=(*scene.doubtful, *doubtful))


def _outlines(networks: Networks, scene: Scene) -> Outlines:
    """What looks for the cards about indices of a picture."""
    return partial(card_about, scene.picture, outliner=networks.outliner)


def one_name_each(networks: Networks, settings: Settings, scene: Scene) -> Scene:
    """One name an outline, and each name as often as the deck has it."""
    return _with_one_name(scene, settings, _outlines(networks, scene))


def one_name_each_in_row(settings: Settings, scene: Scene) -> Scene:
    """Each name as often as the deck has it; in a row cards cover each other's outlines."""
    return _with_one_name(scene, settings, None)


def doubt_letters(networks: Networks, settings: Settings, scene: Scene) -> Scene:
    """Cards with a letter that may mean another card in another deck are asked about."""
    assert scene.letters is not None
    assert scene.sites is not None
    leading = scene.sites.leading
    centres, glyphs = scene.sites.found.centre[leading], scene.sites.named.glyphs[leading]
    cards: list[CardRead] = []
    asked: list[CardRead] = []
    for read in scene.cards:
        own = np.zeros(len(leading), bool)
        for index in read.indices:
            own |= np.linalg.norm(centres - index.centre, axis=1) < SAME * index.size
        is_sure = (
            read.card.is_joker
            or not own.any()
            or chance_of_rank(
                int(read.card.rank or 0), scene.letters, glyphs[own], networks.classifier.glyphs
            )
            >= LETTERS.sure
        )
        if is_sure:
            cards.append(read)
        else:
            asked.append(read.held_back(Reason.LETTERS, accept=settings.accept))
    if not asked:
        return scene
    doubtful = (*scene.doubtful, *asked)
    return replace(scene, cards=tuple(cards), doubtful=doubtful, lines=order_lines(cards))


def order(scene: Scene) -> Scene:
    """The accepted cards in reading order."""
    return replace(scene, lines=order_lines(scene.cards))


def _with_one_name(scene: Scene, settings: Settings, outlines: Outlines | None) -> Scene:
    cards, doubtful, refused = one_name_a_card(
        scene.cards,
        scene.doubtful,
        scene.deck.counts,
        size=scene.size,
        accept=settings.accept,
        outlines=outlines,
        refused=scene.refused,
    )
    # That a further corner of a card shows its name once more is no news.
    names = {read.card for read in (*cards, *doubtful)}
    news = tuple(read for read in refused if read.card not in names)
    return replace(scene, cards=tuple(cards), doubtful=tuple(doubtful), refused=news)


# -- a second look ------------------------------------------------------------------------------


def look_again_at_row(stages: Sequence[Stage], scene: Scene) -> Scene:
    """A second look at a row that left something open; it stands if it is surer of the cards."""
    if not leaves_open(scene.reading, scene.deck.whole):
        return scene
    second = passed_through(stages, scene)
    is_surer = _sureness(second) > _sureness(scene)
    return second if is_surer else replace(scene, looks=second.looks, steps=second.steps)


def _sureness(scene: Scene) -> float:
    """How many cards were read, each as far as it is sure."""
    return sum(read.confidence for read in scene.cards)


# -- the lists ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Modes:
    """What a picture of each kind passes through."""

    still: tuple[Stage, ...]
    row: tuple[Stage, ...]
    sweep: tuple[Stage, ...]
    frame: tuple[Stage, ...]


def modes(
    networks: Networks,
    *,
    auto: bool,
    film: LettersOfFilm | None = None,
    limits: Limits | None = None,
) -> Modes:
    """The lists of stages.

    Args:
        networks: what the stages ask.
        auto: whether the deck is told from its letters; else they may only contradict it.
        film: what the film whose pictures they are for has told of its letters; None for pictures
            each by itself.
        limits: how thoroughly each kind is read; None as shipped.
    """
    limits = limits or Limits()
    still = _still(networks, limits.still, auto=auto, film=film)
    letters = _letters(networks, limits.row, auto=auto)
    second = (
        *_first_sight(networks, limits.row, auto=auto, film=film),
        *_row_cards(networks, limits.row),
    )
    return Modes(
        still=still,
        row=(*still, Stage("read again as a row", partial(look_again_at_row, second)), *letters),
        sweep=(
            *_first_sight(networks, limits.sweep, auto=auto, film=film),
            *_row_cards(networks, limits.sweep),
        ),
        frame=(
            *_first_sight(networks, limits.frame, auto=auto, film=film),
            *_cards(networks, limits.frame),
        ),
    )


def _still(
    networks: Networks, settings: Settings, *, auto: bool, film: LettersOfFilm | None
) -> tuple[Stage, ...]:
    return (
        *_first_sight(networks, settings, auto=auto, film=film),
        *_cards(networks, settings),
        # A film tells its letters better than any of its pictures.
        *_letters(networks, settings, auto=auto and film is None),
    )


def _letters(networks: Networks, settings: Settings, *, auto: bool) -> tuple[Stage, ...]:
    if not auto:
        return ()
    doubt = partial(doubt_letters, networks, settings)
    return (Stage("by what its letter means elsewhere", doubt),)


def _first_sight(
    networks: Networks, settings: Settings, *, auto: bool, film: LettersOfFilm | None
) -> tuple[Stage, ...]:
    letters = infer_alphabet if auto else check_alphabet
    return (
        Stage("where an index may stand", partial(find_indices, networks, settings)),
        Stage("by the letters of the picture", partial(letters, networks, film)),
        Stage("at first sight", partial(name_indices, networks)),
    )


def _cards(networks: Networks, settings: Settings) -> tuple[Stage, ...]:
    return (
        Stage("with its other corners, each card once", partial(group_cards, settings)),
        Stage("as a joker", partial(find_jokers, networks, settings)),
        Stage("with one name a card", partial(one_name_each, networks, settings)),
        Stage("in reading order", order),
    )


def _row_cards(networks: Networks, settings: Settings) -> tuple[Stage, ...]:
    return (
        Stage("in its place of the row, each card once", partial(group_row, settings)),
        Stage("as a joker", partial(find_jokers_of_row, networks, settings)),
        Stage("with one name a card", partial(one_name_each_in_row, settings)),
        Stage("in reading order", order),
    )
