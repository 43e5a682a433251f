"""Missing Persons' coach: it never asks what it knows, and guesses where a guess wins at once."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from companion.cards import Family, card, family_cards, parse_cards
from companion.core.events import public
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.games.missing_persons.coach import advise, best_guess, race
from companion.games.missing_persons.engine.facts import knowledge_of
from companion.games.missing_persons.engine.solve import candidates, question_value
from companion.games.missing_persons.questions.grammar import parse_question
from companion.games.missing_persons.questions.question import why_not_plain
from companion.notepad.base import open_notepad
from companion.simulate import play_events

GAME = get_game("missing-persons")
DECK = family_cards(Family.STANDARD)


def random_table(rng):
    """A table of any size, with any of the options that matter to the coach."""
    stated = {
        "questions": rng.choice(("plain", "any", "cryptic")),
        "draw": rng.choice(("all", "one")),
        "jokers": rng.choice(("yes", "no")),
    }
    jokers = [c for c in DECK if c.is_joker] if rng.random() < 0.5 else []
    others = [c for c in DECK if c not in jokers]
    deck = {*jokers, *rng.sample(others, rng.choice((10, 12, 16, 30, 52)))}
    return GAME.setup(("Ann", "Bo"), stated, cards=tuple(sorted(deck)))


def random_views(seed, count):
    """Views of the seats of random tables in which something is left to decide."""
    rng = random.Random(seed)
    while True:
        desk = Referee(GAME, random_table(rng))
        bots = [rng.choice(list(GAME.bots.values())) for _ in range(2)]
        for event in play_events(desk, bots, rng):
            desk.accept(event)
            if desk.state.table.match_over:
                break
            if desk.state.is_dealt and rng.random() < 0.4:
                viewer = rng.randrange(2)
                if desk.state.guesses[viewer] is None:
                    yield desk.view(viewer)
                    count -= 1
            if count <= 0:
                return


def test_the_coach_never_asks_what_is_known_and_guesses_what_it_knows() -> None:
    kinds = Counter()
    for view in random_views(33, 200):
        pad = open_notepad(GAME, view)
        if not pad.worlds:
            continue
        state, knowledge = pad.state, pad.knowledge[0]
        left = candidates(knowledge)
        found = pad.advice()
        identities = {c.identity for c in left}
        if len(identities) == 1:
            kinds["known"] += 1
            assert found.action == f"guess {left[0].identity.code}"
            assert found.numbers["guess"]["p"] == 1
        must = advise(replace(state, forced=True), pad.viewer, knowledge)
        assert must.action.startswith("guess ")
        assert card(must.action.split()[1]) in identities
        if found.action.startswith("guess "):
            kinds["guess"] += 1
            assert card(found.action.split()[1]) in identities
            continue
        kinds["ask"] += 1
        question = parse_question(found.action.removeprefix('ask "').removesuffix('"'))
        yes = [c for c in left if question.answer(c)]
        assert 0 < len(yes) < len(left)
        assert not any(c.is_joker for c in yes)
        assert question_value(knowledge, question).bits > 0
        assert why_not_plain(question) is None
        if state.table.to_move == pad.viewer:
            assert found.numbers["win"] > found.numbers["guess"]["p"]
    assert kinds["known"] > 10
    assert kinds["ask"] > 100


def known_by(desk):
    """For each seat what the other's missing person can be."""
    return [candidates(knowledge_of(desk.knowledge(seat), 1 - seat)) for seat in (0, 1)]


def guess_out_of_turn(desk):
    """The guess of the one who waits and knows the card; bots have only turns."""
    state, waits = desk.state, 1 - (desk.state.table.to_move or 0)
    if state.asked is not None or state.open_guess is not None or not state.is_dealt:
        return None
    sure = [{card.identity for card in left} for left in known_by(desk)]
    if state.forced or len(sure[waits]) != 1 or len(sure[1 - waits]) == 1:
        return None  # where both know it, the mover is quicker
    return public(waits, "guess", *sure[waits])


def races(seed):
    """What the coach says to the mover and to who waits, and whether they won.

    Some questions that halve the candidates come first; then both play as the coach does.
    """
    rng = random.Random(seed)
    desk, bot, said = Referee(GAME, GAME.setup(("Ann", "Bo"))), GAME.bots["sensible"], []

    def play(*moment):
        return bot(*moment)

    plays = play_events(desk, [play] * 2, rng)
    before = rng.randrange(9)
    while not desk.state.table.match_over:
        state = desk.state
        is_free = state.is_dealt and state.asked is None and state.open_guess is None
        if is_free and not said and len(state.replies) >= before:
            bot = GAME.coach_bot()
            if any(len({card.identity for card in left}) < 2 for left in known_by(desk)):
                return  # somebody knows it already
            for seat in (state.table.to_move, 1 - state.table.to_move):
                pad = open_notepad(GAME, desk.view(seat))
                said.append((seat, pad.advice().numbers["win"]))
        desk.accept(guess_out_of_turn(desk) or next(plays))
    for seat, chance in said:
        yield chance, desk.state.table.match_winners == (seat,)


def test_the_chance_to_win_is_what_happens_and_that_of_who_waits_is_the_rest() -> None:
    found = [list(races(seed)) for seed in range(40)]
    played = [pair for pair in found if pair]
    assert len(played) > 20
    for moves in (0, 1):
        said = sum(pair[moves][0] for pair in played) / len(played)
        won = sum(pair[moves][1] for pair in played) / len(played)
        assert abs(said - won) < 0.08
    assert all(abs(mover[0] + waits[0] - 1) < 0.3 for mover, waits in played)


def test_one_candidate_always_wins_the_race_and_a_guess_is_never_below_its_chance() -> None:
    for own in range(1, 12):
        for other in range(2, 12):
            for pile in (0, 3, 10):
                value, yes = race(own, other, pile, 3)
                assert 1 / own <= value <= 1
                assert 0 <= yes < own
                assert (value, yes) == (1.0, 0) or own > 1


def test_where_all_must_guess_a_joker_is_named_only_if_it_is_likely() -> None:
    open_state = Referee(GAME, GAME.setup(("Ann", "Bo"))).state
    forced = replace(open_state, forced=True)
    many = tuple(parse_cards("JK1 JK2 3S 7H 8D KC"))
    few = tuple(parse_cards("JK1 JK2 7H"))
    assert best_guess(open_state, many) == (card("JK"), 2 / 6)
    assert best_guess(forced, many)[0] in parse_cards("7H 8D")
    assert best_guess(forced, few) == (card("JK"), 2 / 3)
