"""Every game's notepad, made from views alone: right, tight-lipped, explained, and with a coach."""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from companion.cards import RANKS, Family, card, family_cards, of_rank
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.errors import CompanionError, UsageError
from companion.games.gotcha.engine.ranks import rank_model_chances
from companion.games.suspense.conditions import evaluate, match_points
from companion.games.suspense.engine.facts import SuspenseKnowledge
from companion.games.suspense.engine.solve import solve
from companion.games.suspense.state import Stage
from companion.notepad.base import open_notepad, suppose
from companion.notepad.facts import CardAt
from companion.simulate import play_events, play_out
from tests.companion.hidden import knows, scramble
from tests.companion.notepad import listing
from tests.companion.seating import NAMES, seated

TRICKS = ("hearts", "spades", "oh-hell", "whist")
GAMES = ("precognition", "gotcha", "missing-persons", "deduction", "suspense", *TRICKS)
#: Random states listed for each small game; SOAK_EVENTS asks for thousands.
STATES = max(40, int(os.environ.get("SOAK_EVENTS", "0")) // 30)


def seats(name):
    """How many sit at a usual table of a game."""
    return max(2, get_game(name).info.min_players)


def trick_table(name, rng, stated):
    """A random small deck of a trick-taking game, and how many play; settles its options."""
    players = rng.choice((3, 4)) if name in ("hearts", "oh-hell") else 4
    each = rng.choice((2, 3)) if players == 4 else rng.choice((2, 3, 4))
    stated["target"] = "0"
    if name == "oh-hell":
        stated["cards"] = str(each)
    if name == "hearts":
        ways = ("left", "right", "hold") if players == 3 else ("left", "right", "across", "hold")
        stated["pass"] = rng.choice(ways)
    cards = [c for c in family_cards(Family.STANDARD) if not c.is_joker]
    suits = rng.choice(("SH", "SHC", "SHDC"))
    cards = [c for c in cards if c.suit in suits]
    spare = rng.randint(1, 3) if name == "oh-hell" else 0
    return players, rng.sample(cards, players * each + spare)


def table(name, rng):
    """A random small table of a game: its set-up."""
    game = get_game(name)
    stated, trusted = {}, rng.random() < 0.3
    if name == "deduction":
        players = rng.choice((3, 3, 4))
        deck = rng.sample(family_cards(Family.TILE), rng.randint(players * 2 + 1, 10))
        stated["shown"] = rng.choice(("equal", "random"))
    elif name == "gotcha":
        players = rng.choice((2, 2, 3))
        dealt = rng.randint(2, {2: 5, 3: 3}[players])
        stated["deal"] = f"{dealt}-{rng.randint(0, dealt - 1)}"
        stated["shown"] = rng.choice(("equal", "random"))
        suits = rng.choice(("SH", "SHDC"))
        cards = [
            c for c in family_cards(Family.STANDARD) if c.suit and c.suit in suits and c.rank <= 7
        ]
        deck = rng.sample(cards, rng.randint(dealt * players, min(14, len(cards))))
    elif name in TRICKS:
        players, deck = trick_table(name, rng, stated)
    elif name == "suspense":
        stated = {
            "exclamation": rng.choice(("fixed", "d20")),
            "fold": rng.choice(("at_end", "any_turn")),
        }
        return game.setup(NAMES[: rng.choice((2, 3))], stated, trusted=trusted)
    elif name == "missing-persons":
        players = 2
        deck = rng.sample(family_cards(Family.STANDARD), rng.randint(12, 30))
        stated["questions"] = rng.choice(("plain", "any", "cryptic"))
    else:
        players = rng.choice((2, 3))
        cards = [c for c in family_cards(Family.STANDARD) if not c.is_joker]
        deck = rng.sample(cards, rng.randint(2 * players, 10))
    return game.setup(NAMES[:players], stated, trusted=trusted, cards=tuple(sorted(deck)))


def states(name, number, seed=0):
    """So many (game, view) of simulated matches on small tables, from all eyes."""
    game, rng = get_game(name), random.Random(seed)
    bots = list(game.bots.values())
    while number > 0:
        setup = table(name, rng)
        desk = Referee(game, setup)
        seated = [rng.choice(bots) for _ in setup.players]
        for played in play_events(desk, seated, rng):
            unnamed = played.verb == "right" and played.args and rng.random() < 0.2
            args = (of_rank(played.args[0].rank),) if unnamed else played.args
            desk.accept(replace(played, args=args))
            if rng.random() < 0.15:
                viewers = (None, *range(len(setup.players)))
                yield game, desk.view(rng.choice(viewers))
                number -= 1
            if number <= 0 or desk.stands > 120:
                break


def shares_of(worlds, places):
    """For each place the chance of each card to lie there."""
    total = sum(weight for _, weight in worlds)
    found = {place: Counter() for place in places}
    for world, weight in worlds:
        for place in places:
            inside = world[place] if isinstance(world[place], frozenset | list) else [world[place]]
            for each in inside:
                found[place][each] += weight
    return {place: {c: w / total for c, w in row.items()} for place, row in found.items()}


def same(row, expected):
    assert set(row) == {c.code for c in expected}
    for c, p in expected.items():
        assert row[c.code] == pytest.approx(float(p), abs=1e-9)


def check_deduction(view, pad):
    listed = listing.deduction(view)
    if listed is None:
        return False
    assert pad.worlds == len(listed)
    seats = [i for i, name in enumerate(view.setup.players) if name in pad.chances()["hands"]]
    expected = shares_of(listed, ["missing", *seats])
    same(pad.chances()["missing"], expected["missing"])
    for seat in seats:
        same(pad.chances()["hands"][view.setup.players[seat]], expected[seat])
    return True


def check_gotcha(view, pad):
    listed = listing.gotcha(view)
    if listed is None:
        return False
    assert pad.worlds == len(listed)
    for seat, name in enumerate(view.setup.players):
        rows = pad.chances()["positions"].get(name)
        if rows is None:
            continue
        gone = view.state.gone(seat)
        places = [at for at in range(view.state.kept) if at + 1 not in gone]
        assert len(rows) == len(places)
        for at, row in zip(places, rows, strict=True):
            whole = sum(weight for _, weight in listed)
            counts = Counter()
            for world, weight in listed:
                counts[RANKS[world[seat][at].rank - 1]] += weight
            assert set(row) == set(counts)
            for rank, number in counts.items():
                assert row[rank] == pytest.approx(float(number / whole), abs=1e-9)
    return True


def check_suspense(view, pad):
    listed = listing.suspense(view)
    if listed is None:
        return False
    assert pad.worlds == len(listed)
    names, state, found = view.setup.players, view.state, pad.chances()
    seats = [i for i, name in enumerate(names) if name in found["hands"]]
    expected = shares_of(listed, ["secret", *seats])
    same(found["secret"], expected["secret"])
    for seat in seats:
        same(found["hands"][names[seat]], expected[seat])
    if view.viewer is None or len(listed) > 700:
        return True
    me = names[view.viewer]
    meets, points = 0, {"fold": Fraction(0), "stay": Fraction(0)}
    for world, _ in listed:
        condition = state.conditions[world["secret"]]
        hands = {names[s]: tuple(world[s]) for s in range(len(names))}
        plays = {names[s]: state.played[s] for s in range(len(names))}
        who = evaluate(condition, hands if condition.place.value == "in hand" else plays).meets
        meets += me in who
        folded = {names[s] for s in state.folded}
        for choice, out in (("fold", folded | {me}), ("stay", folded - {me})):
            stayed = [name for name in names if name not in out]
            points[choice] += match_points(sorted(who), stayed, sorted(out))[me]
    assert found["meets_if_revealed_now"] == pytest.approx(meets / len(listed), abs=1e-9)
    for choice, total in points.items():
        mean = float(total / len(listed))
        assert found["expected_points"][choice] == pytest.approx(mean, abs=1e-9)
    return True


def check_missing_persons(view, pad):
    if view.viewer is None:
        return False
    listed = [c for c, _ in listing.missing_persons(view)]
    assert pad.worlds == len(listed)
    counts = Counter(c.identity for c in listed)
    same(pad.chances()["candidates"], {c: n / len(listed) for c, n in counts.items()})
    return True


def check_precognition(view, pad):
    assert pad.worlds == listing.precognition(view)
    return True


def check_tricks(view, pad):
    listed = listing.tricks(view)
    if listed is None:
        return False
    assert pad.worlds == len(listed)
    found = pad.chances()
    places = {i: found["hands"].get(name) for i, name in enumerate(view.setup.players)}
    places["undealt"] = found.get("undealt")
    for place, row in places.items():
        if row is not None:
            expected = shares_of(listed, [place])[place]
            assert {c.code for c in expected} <= set(row)
            assert sum(row.values()) == pytest.approx(float(sum(expected.values())), abs=1e-9)
            same({code: p for code, p in row.items() if p}, expected)
    return True


CHECKS = {
    **dict.fromkeys(TRICKS, check_tricks),
    "deduction": check_deduction,
    "gotcha": check_gotcha,
    "suspense": check_suspense,
    "missing-persons": check_missing_persons,
    "precognition": check_precognition,
}


@pytest.mark.parametrize("name", GAMES)
def test_equal_to_every_world_listed_from_the_viewers_events(name):
    checked = skipped = 0
    # Positions of trick-taking games are listed fast, and there is more to go wrong.
    number = max(STATES, 900) if name in TRICKS else STATES
    for game, view in states(name, number):
        pad = open_notepad(game, view)
        assert pad.worlds > 0
        done = CHECKS[name](view, pad)
        checked, skipped = checked + done, skipped + (not done)
    assert checked > (500 if name in TRICKS else STATES // 2)
    print(f"{name}: {checked} states equal, {skipped} too large to list")


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize(
    ("name", "players"),
    [(n, seats(n)) for n in GAMES]
    + [
        ("hearts", 5),
        ("oh-hell", 5),
        ("deduction", 5),
        pytest.param("gotcha", 4, marks=pytest.mark.slow),
        ("suspense", 3),
        ("precognition", 5),
    ],
)
def test_full_tables_keep_the_truth_possible(name, players, trusted):
    game, rng = get_game(name), random.Random(players)
    desk = Referee(game, game.setup(NAMES[:players], trusted=trusted))
    for count, event in enumerate(play_events(desk, [game.bots["sensible"]] * players, rng)):
        desk.accept(event)
        if count % 17 == 5 or desk.state.table.match_over:
            for viewer in (None, *range(players)):
                pad = open_notepad(game, desk.view(viewer))
                assert pad.worlds > 0
                assert pad.conflict() is None
                text = json.dumps(pad.as_dict())
                assert json.loads(text)["worlds"] == str(pad.worlds)
                for grid in pad.grids():
                    assert all(0 <= p <= 1 + 1e-9 for p in grid.chances.values())
        if count > 90:
            break


@pytest.mark.parametrize("name", GAMES)
def test_secrets_of_others_change_nothing_in_a_notepad(name):
    """Two matches that differ only in what P may not know: P's notepads are equal."""
    game = get_game(name)
    players = seats(name)
    finished = Referee(game, game.setup(NAMES[:players]))
    play_out(finished, [game.bots["sensible"]] * players, random.Random(4))
    compared = 0
    for viewer in (None, *range(players)):
        rng = random.Random(viewer)
        one, other = (Referee(game, game.setup(NAMES[:players])) for _ in range(2))
        for event in finished.events:
            one.accept(event)
            hidden = not knows(game, one.state, event, viewer)
            other.accept(scramble(game, other.state, event, rng) if hidden else event)
            if one.state.table.match_over:
                break
            if rng.random() < (0.4 if name in ("suspense", "oh-hell") else 0.1):
                mine, same_ = (open_notepad(game, desk.view(viewer)) for desk in (one, other))
                assert mine.knowledge == same_.knowledge
                assert mine.as_dict(coach=True) == same_.as_dict(coach=True)
                compared += 1
    assert compared > 5


def read(name, players, *lines, **options):
    desk = seated(name, *lines, players=players, **options)
    return desk.game, desk


DEDUCTION = (
    "table: up 0S AS",
    "Ann*: hand 2S 3S 4S 5S 0M AM 2M",
    "Ann: coin 3C",
    "Ann: ask Cy have Crowns",
    "Cy: no",
    "Ann: done",
    "Bo: coin 3C",
    "Bo: ask Ann count 3",
    "Ann: 1",
)
MISSING_PERSONS = (
    "Ann*: hide AS",
    "Bo: hide ??",
    "table: deal Ann 2S 3S 4S 5S 6S 7S 8S 9S 10S JS",
    "table: deal Bo 2H 3H 4H 5H 6H 7H 8H 9H 10H JH",
    'Ann: ask "red?"',
    "Bo: yes",
)
PRECOGNITION = (
    "Ann*: hand AS 2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH"
)


def test_cells_that_are_open_or_not_there_have_no_reason():
    game, desk = read("deduction", NAMES[:3], *DEDUCTION)
    pad = open_notepad(game, desk.view(0))
    with pytest.raises(UsageError, match="open"):
        pad.why("3C", "Bo")
    with pytest.raises(UsageError, match="no cell"):
        pad.why("3C", "Zed")


def test_a_contradiction_leaves_nothing_to_show():
    game, desk = read("missing-persons", NAMES[:2], *MISSING_PERSONS)
    desk.submit_all(['Ann: ask "black?"', "Bo: yes"])
    found = open_notepad(game, desk.view(0)).as_dict(coach=True)
    assert found["worlds"] == "0"
    assert found["candidates"] == {}
    assert found["conflict"]["smallest"]
    assert "contradicts" in found["advice"]["text"]


def test_what_if_is_tried_and_dropped():
    game, desk = read("deduction", NAMES[:3], *DEDUCTION)
    view = desk.view(0)
    before = open_notepad(game, view)
    number = before.worlds
    asked = suppose(game, view, "Bo: done", "Cy: coin 5C", "Cy: ask Bo count Crowns", "Bo: 5")
    after = open_notepad(game, asked)
    assert 0 < after.worlds < number
    assert after.why("3C", "Cy").events == (5,)
    assert open_notepad(game, view).worlds == before.worlds == number
    assert desk.view(0) == view
    with pytest.raises(CompanionError):
        suppose(game, view, "Cy: done")
    with pytest.raises(CompanionError):
        suppose(game, view, "table: undo")


def test_others_are_told_from_public_facts_only():
    game, desk = read("missing-persons", ("Ann", "Bo"), *MISSING_PERSONS)
    assert open_notepad(game, desk.view(1)).others() == {"Ann": 16}
    assert open_notepad(game, desk.view(0)).others() == {"Bo": 34}
    assert open_notepad(game, desk.view(0)).worlds == 16
    game, desk = read("deduction", NAMES[:5], "table: up 0S AS 2S")
    pad = open_notepad(game, desk.view(0))
    assert set(pad.others()) == set(NAMES[1:5])
    assert len(set(pad.others().values())) == 1


def test_ranks_alone_are_enough_for_gotcha():
    full = read("gotcha", ("Ann", "Bo"), "Ann*: hand AS AH 2S", "Ann: guess Bo smallest 1 is A",
                "Bo: right AD", deal="3")  # fmt: skip
    bare = read("gotcha", ("Ann", "Bo"), "Ann*: hand A? A? 2?", "Ann: guess Bo smallest 1 is A",
                "Bo: right", deal="3")  # fmt: skip
    rows = [open_notepad(g, d.view(0)).chances()["positions"]["Bo"] for g, d in (full, bare)]
    for one, other in zip(*rows, strict=True):
        assert one == pytest.approx(other)


def test_gotchas_discards_weigh_by_card_or_by_rank():
    game, desk = read("gotcha", ("Ann", "Bo"), "Ann: guess Bo smallest 1 is A", "Bo: wrong",
                      "Ann*: discard AS 2H", deal="4-2")  # fmt: skip
    cards = open_notepad(game, desk.view(0))
    ranks = open_notepad(game, desk.view(0))
    ranks.weigh("rank")
    assert (cards.model, ranks.model) == ("card", "rank")
    by_card, by_rank = (pad.chances()["positions"] for pad in (cards, ranks))
    for name in ("Ann", "Bo"):
        for one, other in zip(by_card[name], by_rank[name], strict=True):
            assert set(one) == set(other)
            assert sum(other.values()) == pytest.approx(1)
    assert by_card["Bo"][0] != pytest.approx(by_rank["Bo"][0])
    # Ann's own discards are known, so only Bo's weigh; the tables follow.
    known = rank_model_chances(ranks.knowledge, {"Ann": 0, "Bo": 2})
    grid = ranks.grids()[-1]  # one's own comes last
    assert grid.chances["2", "Ann 1"] == known["Ann"][1][2]
    with pytest.raises(UsageError, match="its models: card, rank"):
        cards.weigh("suit")
    game, desk = read("gotcha", ("Ann", "Bo"), deal="3")
    plain, pad = (open_notepad(game, desk.view(0)) for _ in range(2))
    pad.weigh("rank")
    assert pad.chances() == plain.chances()


def test_a_game_without_secret_choices_has_no_models():
    game, desk = read("deduction", NAMES, "table: up 0S AS 2S")
    with pytest.raises(UsageError, match="its models: none"):
        open_notepad(game, desk.view(0)).weigh("rank")


def test_strings_of_precognition():
    game, desk = read("precognition", ("Ann", "Bo"), PRECOGNITION,
                      "Ann*: predict UUD")  # fmt: skip
    pad = open_notepad(game, desk.view(0))
    found = pad.chances(strings=["ud", "UUD"])["match_chance"]
    assert list(found) == ["UUD", "UD"]
    assert found["UD"]["p"] >= found["UUD"]["p"]
    with pytest.raises(UsageError):
        pad.chances(strings=["UX"])


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_coached_bots_play_whole_games(name, trusted):
    game = get_game(name)
    players = 3 if name == "suspense" else seats(name)
    desk = Referee(game, game.setup(NAMES[:players], trusted=trusted))
    bots = [game.coach_bot(), *[game.bots["sensible"]] * (players - 1)]
    play_out(desk, bots, random.Random(11))
    assert desk.state.table.over
    assert desk.state.findings == ()


def test_the_coach_is_off_unless_agreed_on():
    for name in GAMES:
        game = get_game(name)
        players = NAMES[: game.info.min_players]
        assert not game.setup(players).coached
        assert game.setup(players, {"coach": "yes"}).coached


def test_advice_of_each_game():
    game, desk = read("deduction", NAMES[:3], *DEDUCTION, "Bo: done", "Cy: coin 5H")
    advice = open_notepad(game, desk.view(2)).advice()
    assert advice.numbers["question"]["bits"] > 0
    assert advice.action.startswith("ask ")
    assert game.can(desk.state, desk.parse(f"Cy: {advice.action}"))
    game, desk = read("missing-persons", ("Ann", "Bo"), *MISSING_PERSONS)
    advice = open_notepad(game, desk.view(0)).advice()
    assert game.can(desk.state, desk.parse(f"Ann: {advice.action}"))
    assert 0 < advice.numbers["question"]["yes"] < 1
    game, desk = read("suspense", ("Ann", "Bo"), "table: dealer Ann",
                      "Ann*: hand W1 W2 W3 B1 B2 !", "Ann*: secret W6")  # fmt: skip
    advice = open_notepad(game, desk.view(0)).advice()
    assert game.can(desk.state, desk.parse(f"Ann: {advice.action}"))
    assert {"fold", "stay", "declare", "options"} <= set(advice.numbers)
    game, desk = read("precognition", ("Ann", "Bo"), PRECOGNITION)
    advice = open_notepad(game, desk.view(0)).advice()
    desk.accept(f"Ann*: {advice.action}")
    advice = open_notepad(game, desk.view(0)).advice()
    assert game.can(desk.state, desk.parse(f"Ann: {advice.action}"))
    game, desk = read("gotcha", ("Ann", "Bo"), "Ann*: hand AS 2S 3S", deal="3")
    advice = open_notepad(game, desk.view(0)).advice()
    assert game.can(desk.state, desk.parse(f"Ann: {advice.action}"))


def test_coaches_say_what_their_chances_are_chances_of():
    game, desk = read("deduction", NAMES[:3], *DEDUCTION)
    text = open_notepad(game, desk.view(0)).advice().text
    assert "waiting wins" not in text
    assert re.search(
        "one round later, .* would be right, and nobody quicker, with a chance of about \\d", text
    )
    game, desk = read("precognition", ("Ann", "Bo"), PRECOGNITION)
    text = open_notepad(game, desk.view(0)).advice().text
    assert re.search("comes true with a chance of (about|more than) \\d+ %", text)
    game, desk = read("suspense", ("Ann", "Bo"), "table: dealer Ann")
    first = "Record your hand first: the coach advises from your own cards."
    assert open_notepad(game, desk.view(0)).advice().text == first
    desk.accept("Ann*: hand W1 W2 W3 B1 B2 !")
    assert "if it ended now" not in open_notepad(game, desk.view(0)).advice().text


def test_suspenses_coach_heeds_what_the_dealer_declared_and_the_chances_do_not():
    game, rng = get_game("suspense"), random.Random(5)
    lower = compared = 0
    while compared < 6:
        desk = Referee(game, game.setup(NAMES[:2]))
        for event in play_events(desk, [game.bots["sensible"]] * 2, rng):
            desk.accept(event)
            if desk.state.stage is Stage.DECLARE:
                break
        dealer = desk.state.table.starter
        me, view = NAMES[1 - dealer], desk.view(1 - dealer)
        found = {}
        for choice in ("fold", "stay"):
            pad = open_notepad(game, suppose(game, view, f"{NAMES[dealer]}: {choice}"))
            assert pad.chances()["secret"] == open_notepad(game, view).chances()["secret"]
            numbers = pad.advice().numbers
            weights = {
                meets: number * (0.9 if (NAMES[dealer] in meets) == (choice == "stay") else 0.1)
                for meets, number in pad.solved.outcomes.items()
            }
            both = [m for m in weights if me in m]
            prize = {m: 1 if choice == "stay" and NAMES[dealer] in m else 2 for m in both}
            mean = sum(weights[m] * prize[m] for m in both) / sum(weights.values())
            assert numbers["stay"] == pytest.approx(mean)
            leads = numbers["leads"]
            assert numbers["declare"] == ("stay" if leads["stay"] >= leads["fold"] else "fold")
            found[choice] = numbers["stay"]
        lower += found["stay"] < found["fold"]
        compared += 1
    assert lower >= 4


def test_suspense_counts_only_what_belongs_to_the_table():
    with pytest.raises(UsageError, match="do not add up"):
        SuspenseKnowledge(("A", "B"), (6, 6), (1, 0))
    elsewhere = CardAt(card=card("W1", Family.SUSPENSE), place="Cy")
    with pytest.raises(UsageError, match="not part"):
        solve(SuspenseKnowledge(("A", "B"), (6, 6), (0, 0), (elsewhere,)))


def test_suspense_asks_for_a_card_by_its_family():
    game, desk = read("suspense", ("Ann", "Bo"), "table: dealer Ann")
    pad = open_notepad(game, desk.view(1))
    with pytest.raises(UsageError):
        pad.why("KS", "Bo")
    assert card("W1", Family.SUSPENSE).code in pad.chances()["secret"]
