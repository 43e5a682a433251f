"""Things that are touched on a page, pickers, and keys that make a text."""

from itertools import chain

import pytest

from companion.cards import RANKS, Family, family_cards
from companion.core.guidance.generic import guidance_of
from companion.core.referee import Referee
from companion.core.registry import all_games, get_game
from companion.games.missing_persons.questions.grammar import parse_question
from mobile.seats import form_answers, forms, pages
from mobile.seats.language import language
from mobile.seats.table import ViewerMoment
from tests.mobile.seats.browser import browser, needs_browser
from tests.mobile.seats.hosting import hosted
from tests.mobile.seats.touches import TURNS, count, glances

MISSING = TURNS["Missing Persons: a question and its answer"][2]


def played(game, lines=(), players=("Ann", "Bo"), **options):
    chosen = get_game(game)
    referee = Referee(chosen, chosen.setup(list(players), options))
    for line in lines:
        referee.submit(referee.parse_typed(line))
    return referee


def page_of(referee, seat):
    view = referee.view(seat)
    moment = ViewerMoment(view, guidance_of(referee.game, view))
    return pages.page(referee.game, moment, language("en"))


def things(page):
    """Every thing of a page with what touching it does."""
    for place in page.board:
        touches = place.touches.cards if place.touches else (None,) * len(place.faces)
        for face, touch in zip(place.faces, touches, strict=True):
            if touch is not None:
                yield place, face, touch


def test_a_place_in_a_hand_says_what_is_guessed_about():
    page = page_of(played("gotcha", deal="5"), 0)
    found = [touch for place, _, touch in things(page) if place.title == "Bo's hand"]
    assert [touch.settled for touch in found] == [((0, 0), (1, place)) for place in range(5)]
    assert not any(touch.is_whole for touch in found)


def test_only_who_may_have_the_card_that_leads_is_asked_to_lead_it_first():
    four = ("Ann", "Bo", "Cy", "Dee")
    lacks = "Ann*: hand AC KC QC JC 10C AS KS QS JS AH KH QH JH"
    referee = played("hearts", [lacks, "Bo*: hand 2C 3C 4C 5C 6C 7C 8C 9C 2S 3S 4S 5S 6S"],
                     four, **{"pass": "hold"})  # fmt: skip
    firsts = [[form.title for form in page_of(referee, seat).first] for seat in range(3)]
    assert firsts == [[], ["Bo leads the 2 of Clubs"], ["Cy leads the 2 of Clubs"]]
    groups = {title: [form.title for form in group] for title, group in page_of(referee, 0).more}
    assert "Ann leads the 2 of Clubs" in groups["What else you can do"]


def test_the_one_whom_play_waits_for_does_what_is_the_tables():
    referee = played("whist", players=("Ann", "Bo", "Cy", "Dee"))
    pages_ = [page_of(referee, seat) for seat in (0, 3, None)]
    turns = [[form.title for form in page.first] for page in pages_]
    assert turns == [[], ["Turn up the card for trumps"], ["Turn up the card for trumps"]]
    assert [page.title for page in pages_[:2]] == ["Waiting for Dee", "Your turn, Dee"]


def test_a_hand_is_not_recorded_and_cards_are_not_named():
    four = ("Ann", "Bo", "Cy", "Dee")
    page = page_of(played("hearts", players=four), 0)
    assert page.lead.without == "Without recording it"
    page = page_of(played("hearts", [f"Ann*: hand {' '.join(['??'] * 13)}"], four), 0)
    assert page.first[0].without == "Without naming the cards"


def test_a_bid_of_none_is_chosen_as_a_nil():
    page = page_of(played("spades", players=("Ann", "Bo", "Cy", "Dee")), 0)
    labels = [choice.label for row in page.first[0].fields[0].rows for choice in row]
    assert labels[:2] == ["Nil", "1"]


def test_a_page_says_how_to_deal_until_the_match_has_begun():
    referee = played("gotcha", deal="5")
    deal = "Deal 5 cards to each. Hold them in ascending order."
    assert [page_of(referee, seat).opening for seat in (0, 1, None)] == [deal] * 3
    referee.submit(referee.parse_typed("Ann: guess Bo smallest 1 is 2"))
    assert [page_of(referee, seat).opening for seat in (0, 1, None)] == [""] * 3


def test_nothing_is_played_by_a_touch_while_the_own_secret_entry_is_due():
    hand = "Ann*: hand " + " ".join(f"{rank}{suit}" for suit in "SH" for rank in RANKS)
    referee = played("precognition", [hand])
    page = page_of(referee, 0)
    assert not any(place.touches for place in page.board)
    assert [place.count for place in page.hand] == [26]
    referee.submit(referee.parse_typed("Ann*: predict UUD"))
    assert len(list(things(page_of(referee, 0)))) == 26


def test_a_row_shows_its_changes_the_own_prediction_and_at_the_end_what_won():
    lines = ["Ann*: predict UD", "Bo*: predict DD", "Ann: place 3S", "Bo: place 5S"]
    referee = played("precognition", lines)
    for seat, standing in (
        (0, ["prediction UD", ""]),
        (1, ["", "prediction DD"]),
        (None, ["", ""]),
    ):
        page = page_of(referee, seat)
        assert [one.standing for one in page.seats] == standing
        (row,) = (place for place in page.board if place.title == "The row")
        assert (row.changes, row.lit) == (("", "▲"), frozenset())
    suits = "table: row " + " ".join(f"{rank}{suit}" for suit in "SHDC" for rank in RANKS)
    page = page_of(played("precognition", [*lines[:2], suits]), None)
    (row,) = (place for place in page.board if place.title == "The row")
    assert (row.changes[11:15], row.lit) == (("▲", "▲", "▼", "▲"), {11, 12, 13})


def test_whoever_said_yes_without_one_still_chooses_the_tile_that_was_shown():
    lines = ("table: up AM 0H", "Bo*: hand 0S AS 2S 3S 4S 5S 0M", "Ann: coin 4C",
             "Ann: ask Bo have Crowns", "Bo: yes")  # fmt: skip
    page = page_of(played("deduction", lines, ("Ann", "Bo", "Cy")), 1)
    (field,) = page.first[0].fields
    assert (field.kind, field.suggestions) == ("one", ())
    assert len(list(chain(*field.rows))) == 6


def test_two_answers_about_one_card_are_told_apart_by_their_buttons_alone():
    referee = played("gotcha", ["Ann: guess Bo smallest 1 is 2"], deal="5")
    assert list(things(page_of(referee, 1))) == []


def test_a_lead_that_anybody_may_owe_is_nobodys_turn_and_an_equal_answer():
    referee = played("hearts", players=("Ann", "Bo", "Cy"))
    for seat, titles in ((None, ["Ann leads", "Bo leads", "Cy leads"]), (1, ["Bo leads"])):
        page = page_of(referee, seat)
        assert [(one.title, one.is_answer) for one in page.first] == [
            (f"{title} the 2 of Clubs", True) for title in titles
        ]
        assert page.title == "All together"
        assert not any(one.is_awaited for one in page.seats)


def test_a_claim_stands_apart_until_few_tricks_are_left_and_no_lead_lies_by_the_last_trick():
    lines = ["table: trump 9S", "Ann: bid 0", "Bo: bid 0", "Cy: bid 0", "Ann: play 2C"]
    referee = played("oh-hell", lines, ("Ann", "Bo", "Cy"), cards="4")
    plays, seen = ("Bo: play 3C", "Cy: play 4C", "Cy: play 5C"), []
    for line in (*plays, ""):
        page = page_of(referee, None)
        is_by_trick = any(place.touches and place.touches.end for place in page.board)
        seen.append(([form.title for form in page.first], is_by_trick))
        referee.submit(referee.parse_typed(line or "table: undo"))
    alone = ["Play a card"], True
    claimed = ["Play a card", "Cy takes all remaining tricks"], False
    assert seen == [alone, alone, claimed, alone]


def test_ones_own_things_do_not_play_for_somebody_else():
    assert list(things(page_of(played("gotcha", deal="5"), 1))) == []


def test_a_card_of_ones_hand_is_played_by_one_touch_and_shown_to_nobody_before():
    lines = TURNS["Suspense: a card of one's hand"][2]
    referee = played("suspense", lines, ("Ann", "Bo", "Cy"))
    own = [touch for place, _, touch in things(page_of(referee, 0)) if place.title == "Ann's hand"]
    assert len(own) == 4
    assert all(touch.is_whole for touch in own)
    assert list(things(page_of(referee, 1))) == []
    table = page_of(referee, None)
    assert not [place for place, _, _ in things(table) if "hand" in place.title]


def test_a_page_says_who_has_folded_and_what_ones_own_cards_mean():
    lines = ("table: dealer Ann", "Ann: play W1", "Bo: play B1", "Cy*: hand W2 B4 B6 W3",
             "Cy: play W2", "Ann: pass", "Bo: pass", "Cy: fold")  # fmt: skip
    page = page_of(played("suspense", lines, ("Ann", "Bo", "Cy"), fold="any_turn"), 2)
    assert [(seat.name, seat.points, seat.standing) for seat in page.seats] == [
        ("Ann", 0, "may look at the secret card"), ("Bo", 0, ""), ("Cy", 0, "folded"),
    ]  # fmt: skip
    meanings = [line for place in (*page.hand, *page.board) for line in place.meanings]
    assert "4● lowest white number in hand" in meanings
    assert len(meanings) == 3


def test_several_cards_are_chosen_on_the_hand():
    referee = played("gotcha", ["Ann*: hand AS 3S 5S 7S 9S JS KS 2H 4H"], deal="9-3")
    own = [touch for place, _, touch in things(page_of(referee, 0)) if place.title == "Ann's hand"]
    assert len(own) == 9
    assert all(touch.adds and not touch.is_whole for touch in own)


@pytest.mark.parametrize("game", [game.name for game in all_games()])
def test_a_touch_that_says_all_means_an_event_that_its_step_offers(game):
    """What a page would send for each thing can be read by the same table."""
    turns = [turn for turn in TURNS.values() if turn[0] == game]
    for name, options, before, _, _ in turns:
        players = ("Ann", "Bo", "Cy") if name in ("deduction", "suspense") else ("Ann", "Bo")
        referee = played(name, before, players, **options)
        for seat in range(len(players)):
            view = referee.view(seat)
            guidance = guidance_of(referee.game, view)
            for _, _, touch in things(page_of(referee, seat)):
                values = [[choice] for _, choice in touch.settled]
                if touch.is_whole:
                    step, event = form_answers.event_of(
                        referee.game, referee.setup, guidance, touch.step, values
                    )
                    assert step.seat in (None, seat)
                    assert referee.propose(event).error is None, event


def test_a_picker_has_every_card_in_its_place_and_says_why_one_cannot_be_meant():
    referee = played("precognition", ["Ann: place 5H"])
    view = referee.view(1)
    step = guidance_of(referee.game, view).steps[0]
    field = forms.form(referee.game, view, step, 0, language("en")).fields[0]
    assert [len(row) for row in field.rows] == [13, 13, 13, 13]
    gone = [choice for row in field.rows for choice in row if choice.why_not]
    assert [choice.label for choice in gone] == ["5 of Hearts"]
    assert gone[0].why_not == "5 of Hearts lies here already: the row."
    german = forms.form(referee.game, view, step, 0, language("de")).fields[0]
    why = [choice.why_not for row in german.rows for choice in row if choice.why_not]
    assert "liegt schon hier" in why[0]


def asked(table, seat, keys, more=None):
    view = table.view(seat)
    steps = guidance_of(table.session.game, view).steps
    number = next(k for k, step in enumerate(steps) if step.verb == "ask")
    return {"state": len(view.log), "step": number, "field": 0, "keys": keys} | (more or {})


@pytest.fixture
def persons(tmp_path):
    with hosted(tmp_path, "missing-persons", ["Ann", "Bo"]) as table:
        for line in MISSING:
            table.referee.submit(table.referee.parse_typed(line))
        yield table


def test_keys_make_a_question_and_say_when_it_is_not_allowed(persons):
    ann = persons.phone("Ann")
    deck = [card for card in family_cards(Family.STANDARD) if not card.is_joker]
    for keys, means, why in (
        ([[1], [], [0], []], lambda c: c.suit == "H" and c.rank > 10, ""),
        ([[4], [], [2], []], lambda c: c.suit in "HD" and c.rank % 2 == 0, ""),
        ([[0, 3], [0, 1], [3], []], lambda c: c.suit in "SC" and (c.rank < 3 or c.rank % 2), ""),
        ([[0], [], [], [0]], lambda c: c.suit != "S", ""),
        ([[], [6], [], []], lambda c: c.rank == 7, "it names one rank, a 7"),
    ):
        found = ann.post("/keys", asked(persons, 0, keys)).json()
        meant = parse_question(found["text"]).cards
        assert meant == frozenset(card for card in deck if means(card)), found
        assert why in found["told"], found
        assert bool(found["told"]) == bool(why), found
    assert ann.post("/keys", asked(persons, 0, [[], [], [], []])).json()["text"] == ""
    assert len(persons.referee.log) == len(MISSING), "nothing was recorded"


@pytest.mark.parametrize(
    "more",
    [{"keys": None}, {"keys": [[], [], []]}, {"keys": [[99], [], [], []]}, {"keys": "x"},
     {"keys": [[True], [], [], []]}, {"step": 10_000}, {"step": "0"}, {"field": 7},
     {"field": -1}, {"step": None}],
    ids=str,
)  # fmt: skip
def test_keys_that_are_none_are_refused_in_words(persons, more):
    answer = persons.phone("Ann").post("/keys", asked(persons, 0, [[], [], [], []], more))
    assert answer.status_code == 400
    assert answer.json()["told"]


def test_keys_are_asked_by_ones_own_page_alone(persons):
    bo = persons.phone("Bo")
    answer = bo.client.post(
        "/seat/1/keys", json=asked(persons, 0, [[1], [], [], []]), headers={"Origin": persons.base}
    )
    assert answer.status_code == 403
    watching = persons.phone()
    assert watching.post("/keys", asked(persons, None, [[1], [], [], []])).status_code == 403
    screen = persons.screen()
    assert (
        screen.post("/keys", asked(persons, None, [[1], [], [], []])).json()["text"] == "a heart?"
    )


@needs_browser()
@pytest.mark.browser
@pytest.mark.slow
def test_turns_take_few_touches(tmp_path):
    """Those in which a thing says most of it; a form takes more or the same."""
    with browser() as running:
        for number, (what, most) in enumerate(
            {
                "Missing Persons: five suspects turned over": 5,
                "Missing Persons: a question and its answer": 4,
                "Gotcha: a guess and its answer": 4,
                "Deduction: a whole turn": 8,
                "Suspense: a card of one's hand": 1,
            }.items()
        ):
            folder = tmp_path / str(number)
            folder.mkdir()
            found = count(running, folder, what)
            assert found["things"] <= most, (what, found)
            assert found["things"] <= found["forms"], (what, found)


@needs_browser()
@pytest.mark.browser
@pytest.mark.parametrize("pins", [False, True])
def test_four_glance_at_their_notepads_with_four_touches_at_most(tmp_path, pins):
    with browser() as running:
        assert max(glances(running, tmp_path, pins=pins)) <= 4


@pytest.mark.parametrize(
    "game",
    # Nobody holds a secret hand when a match of the others begins.
    [game for game in all_games() if game.name not in ("missing-persons", "suspense")],
    ids=lambda game: game.name,
)
def test_a_page_leads_with_the_own_hand_whoever_else_has_shown_theirs(game):
    players = ["Ann", "Bo", "Cy", "Dot"][: min(4, game.info.max_players)]
    referee, seats = Referee(game, game.setup(players)), range(len(players))
    for seat in seats:
        leads = [page_of(referee, other).lead for other in seats]
        assert [lead is not None for lead in leads] == [other >= seat for other in seats]
        referee.submit(guidance_of(game, referee.view(seat)).steps[leads[seat].number].event)
