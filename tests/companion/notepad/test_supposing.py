"""What-if: a cell supposed to be so, or not, counted again world by world."""

from __future__ import annotations

import random

import pytest

from companion.cards import RANKS, Family, card
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.errors import UsageError
from companion.games.precognition.notepad import PrecognitionPad
from companion.notepad.base import Supposition, open_notepad
from tests.companion.notepad import listing
from tests.companion.notepad.test_pads import GAMES, NAMES, STATES, TRICKS, seats, states

LISTS = {
    "deduction": listing.deduction,
    "gotcha": listing.gotcha,
    "suspense": listing.suspense,
    "missing-persons": lambda view: None if view.viewer is None else listing.missing_persons(view),
    "precognition": listing.precognition_hands,
    **dict.fromkeys(TRICKS, listing.tricks),
}


def is_so(name, view, world, row, column):
    """Whether a cell is so in a listed world."""
    names = view.setup.players
    if name == "missing-persons":
        return world.identity.code == row
    if name == "gotcha":
        player, _, number = column.rpartition(" ")
        seat = names.index(player)
        held = [at for at in range(view.state.kept) if at + 1 not in view.state.gone(seat)]
        return RANKS[world[seat][held[int(number) - 1]].rank - 1] == row
    if name == "precognition":
        return any(c.rank == RANKS.index(row) + 1 for c in world[names.index(column)])
    if name in TRICKS:
        return card(row) in world[names.index(column) if column in names else "undealt"]
    family = Family.TILE if name == "deduction" else Family.SUSPENSE
    if column in names:
        return card(row, family) in world[names.index(column)]
    return card(row, family) is world["missing" if name == "deduction" else "secret"]


def cells_of(pad):
    return [(row, column) for grid in pad.grids() for row in grid.rows for column in grid.columns]


@pytest.mark.parametrize("name", GAMES)
def test_equal_to_the_listed_worlds_in_which_it_is_so(name):
    rng, checked, empty = random.Random(name), 0, 0
    for game, view in states(name, STATES):
        listed, pad = LISTS[name](view), open_notepad(game, view)
        cells = cells_of(pad)
        if listed is None or not cells:
            continue
        supposed = [
            Supposition(*rng.choice(cells), holds=rng.random() < 0.5)
            for _ in range(rng.choice((1, 1, 2, 3)))
        ]
        asked = pad.supposing(*supposed)
        for each in supposed:
            listed = [
                (world, weight)
                for world, weight in listed
                if is_so(name, view, world, each.row, each.column) == each.holds
            ]
        assert asked.worlds == len(listed)
        assert pad.worlds == open_notepad(game, view).worlds
        assert asked.supposed == tuple(supposed)
        checked += 1
        if not listed:
            empty += 1
            found = asked.conflict()
            assert found is not None
            assert "suppose" in found.text
            continue
        total = sum(weight for _, weight in listed)
        for grid in asked.grids():
            for row in grid.rows:
                for column in grid.columns:
                    so = sum(w for world, w in listed if is_so(name, view, world, row, column))
                    chance = grid.chances.get((row, column), 0.0)
                    assert chance == pytest.approx(float(so / total), abs=1e-9)
    assert checked > STATES // 2
    assert 0 < empty < checked


@pytest.mark.parametrize("name", GAMES)
def test_a_reason_names_what_is_supposed(name):
    told = 0
    for game, view in states(name, 40, seed=3):
        pad = open_notepad(game, view)
        open_cells = [
            (row, column)
            for grid in pad.grids()
            for row in grid.rows
            for column in grid.columns
            if grid.settled(row, column) is None
        ]
        if view.viewer is None or not open_cells:
            continue
        for holds in (True, False):
            each = Supposition(*open_cells[0], holds=holds)
            asked = pad.supposing(each)
            reason = asked.why(each.row, each.column)
            assert reason.text == pad.in_words(each)
            assert reason.events == ()
            told += 1
    assert told > 4


@pytest.mark.parametrize("name", GAMES)
def test_a_cell_is_supposed_however_it_is_written(name):
    game = get_game(name)
    pad = open_notepad(
        game,
        Referee(game, game.setup(NAMES[: max(3, seats(name))][: game.info.max_players])).view(0),
    )
    row, column = cells_of(pad)[0]
    for holds in (True, False):
        exact, loose = (
            pad.supposing(Supposition(r, c, holds=holds))
            for r, c in ((row, column), (row.lower(), column.upper()))
        )
        assert exact.worlds == loose.worlds < pad.worlds


@pytest.mark.parametrize("name", GAMES)
def test_a_cell_that_is_not_there_cannot_be_supposed(name):
    game = get_game(name)
    players = seats(name)
    pad = open_notepad(game, Referee(game, game.setup(NAMES[:players])).view(0))
    for row, column in (("ZZ", "Bo"), ("AS", "Zed"), ("", ""), ("A", "Bo 99")):
        with pytest.raises(UsageError):
            pad.supposing(Supposition(row, column, holds=True))


def test_completed_rows_are_those_in_which_it_is_so():
    game = get_game("precognition")
    compared = 0
    for _, view in states("precognition", 60, seed=5):
        pad = open_notepad(game, view)
        assert isinstance(pad, PrecognitionPad)
        if not pad.worlds or pad.rows.exact is False or not pad.rows.changes:
            continue
        for row, column in cells_of(pad)[::3]:
            chance = pad.grids()[0].chances.get((row, column), 0.0)
            if not 0 < chance < 1:
                continue
            sides = [pad.supposing(Supposition(row, column, holds=so)) for so in (True, False)]
            for text in ("U", "DU", "S"):
                mixed = sum(
                    share * side.rows.chance(text).p
                    for share, side in zip((chance, 1 - chance), sides, strict=True)
                )
                assert mixed == pytest.approx(pad.rows.chance(text).p, abs=1e-9)
                compared += 1
    assert compared > 20
