"""Games with pieces of their own before the eyes: read, tracked, proposed."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.live_reader import TableReader, deck_on_table
from companion.cards import Family, card
from companion.core.acceptance import Decision, judge_all
from companion.core.layout import layout
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.games.suspense.conditions import captions
from tests.calibration.test_enrolment import photo
from vision.hands import HandReader
from vision.tracking.watching import TableWatch
from vision.tracking.zones import Zones


def test_a_suspense_play_is_seen_in_front_of_its_player(tmp_path):
    game = get_game("suspense")
    referee: Referee = Referee(game, game.setup(["Ann", "Bo"]))
    referee.accept("table: dealer Ann")
    reader = TableReader(["suspense"], tmp_path, {"suspense": captions("suspense")}, threads=1)
    zones = Zones.of_corners(layout(game.zones(referee.state)))
    watch = TableWatch(deck_on_table(["suspense"]), zones, rows=())
    near = photo("suspense", "B2", 3)
    table = np.vstack([np.full_like(near, 90), near])
    judged = []
    for k in range(8):
        view = watch.look(table, k / 8, reader)
        judged = judge_all(referee, view.lying, now=view.t)
        if judged:
            break
    (found,) = judged
    assert found.sighting.zone == "play:1"
    assert found.verdict is Decision.ACCEPTED
    assert found.best.event.verb == "play"
    assert found.best.event.args[0].code == "B2"


def test_tiles_and_coins_lie_on_one_table(tmp_path):
    names = ["piecepack-tiles", "piecepack-coins"]
    deck = deck_on_table(names)
    assert card("3?", Family.COIN) in deck.cards
    assert card("?M", Family.COIN) in deck.cards
    assert card("3M", Family.TILE) in deck.cards
    reading = TableReader(names, tmp_path, threads=1).read(photo("piecepack-tiles", "AS", 301))
    assert card("AS", Family.TILE) in [read.card for read in reading.cards]


@pytest.mark.parametrize("zone", ["centre", "coin", "missing"])
def test_the_places_of_deduction_are_in_the_picture(zone):
    game = get_game("deduction")
    places = layout(game.zones(game.initial(game.setup(["Ann", "Bo", "Cy"]))))
    assert zone in places or any(name.startswith(zone) for name in places)


def test_a_hand_of_our_own_pieces_is_laid_apart_before_a_camera(tmp_path):
    deck = deck_on_table(["piecepack-tiles"])
    hand = HandReader(TableReader(["piecepack-tiles"], tmp_path, threads=1), deck, expected=3)
    codes = ("AS", "3M", "5C")
    for seed in (301, 401):
        tiles = [photo("piecepack-tiles", code, seed + k) for k, code in enumerate(codes)]
        low, wide = (max(tile.shape[axis] for tile in tiles) for axis in (0, 1))
        room = [np.full((low, wide, 3), tile.reshape(-1, 3).mean(0), np.uint8) for tile in tiles]
        for space, tile in zip(room, tiles, strict=True):
            space[: tile.shape[0], : tile.shape[1]] = tile
        hand.add(np.hstack(room))
    assert [str(one) for one in hand.hand.sure] == ["AS", "3M", "5C"]
    assert hand.hand.is_whole
