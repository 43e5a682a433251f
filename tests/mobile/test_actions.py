"""Every event that play needs is among the actions offered, and offering tells no secrets."""

import random

import pytest

from companion.cards import parse_cards
from companion.core.events import private
from companion.core.guidance.steps import NeedKind
from companion.core.referee import Referee
from companion.core.registry import all_games, get_game
from companion.simulate import play_events
from mobile.model import actions
from mobile.model.steps import of_event
from tests.companion.seating import fewest

#: Of a card that is the one in one match, and not in the other.
GUESS = "Bo: guess Ann smallest 1 is 2"
GAMES = [game.name for game in all_games()]


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_whatever_happens_next_is_offered(name, trusted):
    game = get_game(name)
    names = fewest(game)
    referee = Referee(game, game.setup(names, trusted=trusted))
    bots = [game.bots["sensible"]] * len(names)
    for count, event in enumerate(play_events(referee, bots, random.Random(5))):
        wanted = of_event(game, event)
        offered = {action.key: action for action in actions.offered(referee)}
        assert wanted.key in offered, event
        fields = actions.fields_of(referee, offered[wanted.key])
        for field, value in zip(fields, event.args, strict=True):
            many = field.kind in (NeedKind.CARDS, NeedKind.PLAYERS)
            for one in value if many else (value,):
                is_card = field.kind in (NeedKind.CARD, NeedKind.CARDS)
                known = not is_card or one.is_known
                assert not field.values or not known or one in field.values, (event, field)
        referee.accept(event)
        if count > 45:
            break
    assert count > 10


def test_a_hidden_hand_changes_no_public_button():
    """Two matches that differ only in what Ann holds offer everybody else the same."""
    game = get_game("gotcha")
    found = []
    for rank in ("2", "3"):
        referee = Referee(game, game.setup(["Ann", "Bo"], {"deal": "10-1", "starter": "Bo"}))
        hand = parse_cards(f"{rank}S 4S 5S 6S 7S 8S 9S 10S JS QS")
        referee.accept(private(0, "hand", hand))
        referee.accept(private(0, "discard", hand[-1:]))
        referee.accept(GUESS)
        found.append([a.key for a in actions.offered(referee) if not a.is_secret])
    assert found[0] == found[1]
    verbs = {key[1] for key in found[0]}
    assert {"right", "wrong"} <= verbs


def test_only_cards_of_the_guessed_rank_are_shown_first():
    game = get_game("gotcha")
    referee = Referee(game, game.setup(["Ann", "Bo"]))
    referee.accept("Ann: guess Bo smallest 1 is A")
    right = next(
        a
        for a in actions.offered(referee)
        if a.verb == "right" and game.verbs["right"].forms[a.form]
    )
    (field,) = actions.fields_of(referee, right)
    assert [card.code for card in field.usual] == ["AS", "AH", "AD", "AC"]
    assert len(field.values) == 52


def test_typed_parts_are_read():
    game = get_game("missing-persons")
    referee = Referee(game, game.setup(["Ann", "Bo"]))
    form = game.verbs["ask cryptic"].forms[0]
    field = actions.ActionField(form[0])
    assert actions.read_text(field, "Is it sad?", referee) == "Is it sad?"
