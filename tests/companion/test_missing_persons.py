"""The rules of Missing Persons that random play does not reach."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import Change, Family, card, family_cards, parse_cards
from companion.core.audit import audit
from companion.core.events import public
from companion.core.notation import read_match
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.errors import IllegalError, UnreadableError
from companion.games.missing_persons.audit import candidates
from companion.games.missing_persons.questions.grammar import parse_question
from companion.games.missing_persons.questions.question import why_not_plain
from companion.games.missing_persons.scoring import closeness, closeness_text
from companion.games.missing_persons.simulation import representative_questions
from companion.games.missing_persons.turns import set_text
from companion.simulate import play_events, play_out
from tests.companion.secretly import refused_in_secret

GAME = get_game("missing-persons")
DECK = family_cards(Family.STANDARD)
ANN = "2S 3S 4S 5S 6S 2H 3H 4H 5H 6H"
BO = "2D 3D 4D 5D 6D 2C 3C 4C 5C 6C"
SAMPLE = Path(__file__).parents[1] / "golden" / "missing-persons" / "printed-sample.txt"


def desk(*, hide=("AS", "KC"), deal=True, trusted=False, **options):
    """A referee; Ann has AS and Bo KC, unless they are told otherwise."""
    referee = Referee(GAME, GAME.setup(("Ann", "Bo"), options, trusted=trusted))
    for name, code in zip(("Ann", "Bo"), hide, strict=True):
        referee.accept(f"{name}: hide ??" if code == "??" else f"{name}*: hide {code}")
    if deal:
        referee.accept(f"table: deal Ann {ANN}")
        referee.accept(f"table: deal Bo {BO}")
    return referee


def refused(referee, line, match):
    with pytest.raises(IllegalError, match=match):
        referee.accept(line)


def ask(referee, asker, question, answer):
    other = "Bo" if asker == "Ann" else "Ann"
    referee.accept(f'{asker}: ask "{question}"')
    referee.accept(f"{other}: {answer}")


def kinds(referee):
    return [(fault.event, fault.kind) for fault in audit(referee)]


# -- the printed sample --------------------------------------------------------------------------


def test_the_sample_game_has_exactly_the_seven_cards_seen_twice():
    referee = Referee.of(read_match(SAMPLE.read_text("utf-8")))
    faults = audit(referee)
    assert {fault.kind for fault in faults} == {"duplicate-card"}
    assert [fault.message.split()[0] for fault in faults] == [
        "9C", "5D", "10D", "AH", "JS", "KS", "QS",
    ]  # fmt: skip
    assert not referee.state.table.over


@pytest.mark.parametrize(
    ("before", "seat", "ruled_out"),
    [
        ("One: ask “royal?”", 0, "10D JH AC 9H QH"),
        ("Two: ask “5 down round to J?”", 1, "AH"),
        ("Two: ask “a club?”", 1, "JK1"),
    ],
)
def test_what_the_answers_had_ruled_out_in_the_sample(before, seat, ruled_out):
    match = read_match(SAMPLE.read_text("utf-8"))
    referee = Referee(match.game, match.setup)
    for line in match.events:
        if line.text.replace('"', "“", 1).replace('"', "”", 1) == before:
            break
        referee.submit_line(line)
    else:
        pytest.fail(f"the sample has no line {before}")
    codes = [c.code for c in referee.state.ruled_out(seat)]
    assert sorted(codes) == sorted(ruled_out.split())


def test_between_5_and_j_is_audited_by_the_arc_that_was_asked():
    for question, faults in (("between 5 and J", 1), ("5 down round to J", 0)):
        referee = desk(hide=("9S", "AS"))
        ask(referee, "Ann", question, "yes")
        assert [kind for _, kind in kinds(referee)] == ["false-answer"] * faults


# -- set-up --------------------------------------------------------------------------------------


def test_a_public_hide_tells_no_card_and_a_private_one_may_follow():
    referee = desk(hide=("??", "??"), deal=False)
    refused(referee, "Ann: hide ??", "already")
    refused(referee, "Ann: hide AS", "stays hidden")
    refused(referee, "Ann*: hide 7?", "which card")
    referee.accept("Ann*: hand AS")
    assert referee.view(0).state.person(0) == (card("AS"), 3)
    assert referee.view(1).state.person(0) is None
    refused(referee, "Ann*: hide 2S", "recorded already")
    refused(referee, "Ann*: hand 2S", "recorded already")


def test_jokers_by_option():
    referee = desk(hide=("??", "??"), deal=False, jokers="no")
    refused(referee, "Ann*: hand JK1", "No joker")
    assert desk(hide=("JK", "JK2")).state.person(0)[0].is_joker


def test_the_deal_is_ten_each_and_comes_before_asking():
    referee = desk(deal=False)
    refused(referee, 'Ann: ask "red?"', "Ann's 10 suspects are dealt first")
    refused(referee, "Ann: guess AS", "dealt first")
    refused(referee, "table: deal Ann 2S 3S", "10 suspects, not 2")
    referee.accept(f"table: deal Ann {ANN}")
    refused(referee, f"table: deal Ann {BO}", "dealt already")
    refused(referee, 'Ann: ask "red?"', "Bo's 10 suspects")
    assert referee.state.pile == 42


def test_the_starter_begins_and_the_start_passes():
    referee = desk(starter="Bo")
    refused(referee, 'Ann: ask "red?"', "Bo's turn")
    referee.accept("Ann: guess KC")
    referee.accept("Bo: right")
    referee.accept("table: match")
    assert referee.state.table.starter == 0


def test_a_trusting_player_gives_the_card_before_playing_or_answering():
    referee = Referee(GAME, GAME.setup(("Ann", "Bo"), trusted=True))
    refused(referee, "Ann: hide ??", "trusts the referee")
    for line in (f"table: deal Ann {ANN}", f"table: deal Bo {BO}"):
        referee.accept(line)
    refused(referee, 'Ann: ask "red?"', "hide CARD")
    refused(referee, "Ann: guess KC", "hide CARD")
    referee.accept("Ann*: hand AS")
    referee.accept('Ann: ask "red?"')
    refused(referee, "Bo: yes", "hide CARD")


# -- questions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("is it a 10", "one rank"),
        ("is it the king of clubs", "one card"),
        ("is it a joker", "joker"),
        ("a jack or a king", "sex"),
        ("a queen", "one rank"),
    ],
)
def test_plain_questions_name_no_rank_card_joker_or_sex(question, reason):
    refused(desk(), f'Ann: ask "{question}"', reason)
    desk(questions="any").accept(f'Ann: ask "{question}"')
    desk(questions="cryptic").accept(f'Ann: ask "{question}"')


def test_a_question_that_is_not_understood_is_unreadable():
    referee = desk()
    with pytest.raises(UnreadableError, match="not understood"):
        referee.accept('Ann: ask "is he tall?"')
    assert referee.submit('Ann: ask "is he tall?"').error.kind == "unreadable"


def test_cryptic_questions_need_the_option():
    refused(desk(), 'Ann: ask cryptic "Is he tall?"', "option")
    refused(desk(questions="any"), 'Ann: ask cryptic "Is he tall?"', "option")
    desk(questions="cryptic").accept('Ann: ask cryptic "Is he tall?"')


def test_the_set_is_shown():
    referee = desk()
    referee.accept('Ann: ask "red royal?"')
    assert (
        referee.state.remarks[-1]
        == "Yes to “red royal?” is true of 6 cards: J Q K of Hearts and Diamonds."
    )
    assert set_text(parse_question("a joker")) == "none"
    assert set_text(parse_question("not a joker")) == "all but the jokers"
    assert set_text(parse_question("a spade or a heart and royal")) == (
        "all Spades; J Q K of Hearts"
    )


def test_representative_questions_are_plain_and_distinct():
    questions = representative_questions()
    assert len({question.cards for question in questions}) == len(questions) > 50
    assert all(why_not_plain(question) is None for question in questions)


# -- answers -------------------------------------------------------------------------------------


def test_a_yes_goes_on_and_a_no_passes_the_turn():
    referee = desk()
    ask(referee, "Ann", "black", "yes")
    assert referee.state.table.to_move == 0
    ask(referee, "Ann", "a spade", "no")
    assert referee.state.table.to_move == 1
    refused(referee, 'Ann: ask "red?"', "Bo's turn")


def test_only_the_other_answers_and_only_a_question():
    referee = desk()
    refused(referee, "Bo: yes", "No question waits")
    referee.accept('Ann: ask "red?"')
    refused(referee, "Ann: yes", "Bo answers")
    for line in ('Ann: ask "red?"', "Ann: done", "Ann: guess KC", "Bo: guess AS", "Ann: draw 7C"):
        refused(referee, line, "has to answer")
    referee.accept("Ann: turn 2S")  # a note to oneself is always free


def test_a_false_answer_is_refused_where_trusted_and_found_where_open():
    trusted = desk(trusted=True)
    trusted.accept('Ann: ask "red?"')
    refused_in_secret(trusted, "Bo: yes", 1, "not true")
    referee = desk()
    ask(referee, "Ann", "red", "yes")
    assert kinds(referee) == [(6, "false-answer")]
    message = referee.state.findings[0].message
    assert message == "Bo answered Yes to “red?” (6), but Bo's missing person is KC (2)."
    assert referee.view(0).findings == referee.view(None).findings == ()
    assert len(referee.view(1).findings) == 1
    assert referee.propose(public(1, "yes")).findings == ()


def test_a_late_reveal_brings_false_answers_to_light_for_all():
    referee = desk(hide=("??", "??"))
    ask(referee, "Ann", "red", "yes")
    referee.accept("Ann: guess KC")
    referee.accept("Bo: wrong")
    assert kinds(referee) == []
    referee.accept("Bo: reveal KC")
    assert kinds(referee) == [(6, "false-answer"), (8, "false-answer")]
    assert len(referee.view(0).findings) == 2
    refused(referee, "Bo: reveal KC", "turned up already")


@pytest.mark.parametrize("question", ["red", "black", "royal", "number card", "odd", "even"])
def test_a_joker_answers_no_to_everything(question):
    referee = desk(hide=("AS", "JK1"), trusted=True)
    referee.accept(f'Ann: ask "{question}?"')
    refused_in_secret(referee, "Bo: yes", 1, "not true")
    assert GAME.automatic(referee.state).verb == "no"


def test_a_joker_answers_no_to_cryptic_questions_but_not_by_itself():
    """An automatic No would tell that it is a joker: other players have to think."""
    referee = desk(hide=("AS", "JK1"), trusted=True, questions="cryptic")
    referee.accept('Ann: ask cryptic "Is he tall?"')
    assert GAME.automatic(referee.state) is None
    refused_in_secret(referee, "Bo: yes", 1, "not true")
    referee.accept("Bo: no")


def test_answers_that_no_card_fits_are_impossible():
    referee = desk(hide=("??", "??"))
    ask(referee, "Ann", "red", "yes")
    ask(referee, "Ann", "black", "yes")
    assert kinds(referee) == [(8, "impossible")]
    assert "answered Yes to “red?” (6): no unseen card fits both" in (
        referee.view(None).findings[0].message
    )
    ask(referee, "Ann", "royal", "yes")
    assert len(referee.state.findings) == 1


def test_answers_that_only_seen_cards_fit_are_impossible():
    referee = desk(hide=("??", "??"))
    ask(referee, "Ann", "between 2 and 6", "yes")
    assert kinds(referee) == [(6, "impossible")]
    assert "seen elsewhere" in referee.state.findings[0].message


def test_calling_a_card_right_that_lies_on_the_table_is_impossible():
    referee = desk(hide=("??", "??"))
    referee.accept("Ann: guess 2S")
    referee.accept("Bo: right")
    assert kinds(referee) == [(6, "impossible")]


# -- turning over and drawing --------------------------------------------------------------------


def test_turning_over_is_free_and_can_be_taken_back_until_it_is_covered():
    referee = desk()
    for line in ("Ann: turn 2S 3S", "Bo: turn 2D", "Ann: unturn 3S", "Bo: unturn 2D"):
        referee.accept(line)
    refused(referee, "Ann: turn 2S", "no 2S that lies face up")
    refused(referee, "Ann: unturn 4S", "no 4S that lies turned over")
    refused(referee, "Ann: turn 2D", "no 2D")
    ask(referee, "Ann", "black", "yes")
    referee.accept("Ann: draw 9C")
    refused(referee, "Ann: unturn 2S", "no 2S")
    zones = {zone.name: [c.code for c in zone.cards] for zone in GAME.zones(referee.state)}
    assert zones["display:1"][0] == "9C"
    assert zones["turned:1"] == ["2S"]


def test_a_yes_refills_every_turned_over_place_once():
    referee = desk()
    referee.accept("Ann: turn 2S 3S 4S")
    refused(referee, "Ann: draw 7C 8C 9C", "once for each Yes")
    ask(referee, "Ann", "black", "yes")
    refused(referee, "Bo: draw 7C 8C 9C", "Ann's turn")
    refused(referee, "Ann: draw 7C 8C", "draws 3, not 2")
    refused(referee, "Ann: draw 7C on 2S", "draw CARDS")
    referee.accept("Ann: draw 7C 8C ??")
    assert [spot.card.code for spot in referee.state.displays[0][:4]] == ["7C", "8C", "??", "5S"]
    referee.accept("Ann: turn 5S")
    refused(referee, "Ann: draw 9C", "once for each Yes")
    assert referee.state.pile == 29


def test_drawing_is_optional_and_lost_with_the_next_question_or_a_no():
    referee = desk()
    referee.accept("Ann: turn 2S")
    ask(referee, "Ann", "black", "yes")
    referee.accept('Ann: ask "red?"')
    referee.accept("Bo: no")
    refused(referee, "Ann: draw 7C", "Bo's turn")
    refused(referee, "Bo: draw 7C", "once for each Yes")


def test_nothing_is_drawn_where_nothing_is_turned_over():
    referee = desk()
    ask(referee, "Ann", "black", "yes")
    refused(referee, "Ann: draw 7C", "no turned-over place")


def test_the_long_game_draws_one_card_onto_one_place():
    referee = desk(draw="one")
    referee.accept("Ann: turn 2S 3S")
    ask(referee, "Ann", "black", "yes")
    refused(referee, "Ann: draw 7C 8C", "draw CARD on CARD")
    refused(referee, "Ann: draw 7C on 4S", "no 4S that lies turned over")
    referee.accept("Ann: draw 7C on 3S")
    refused(referee, "Ann: draw 8C on 2S", "once for each Yes")
    assert [spot.card.code for spot in referee.state.displays[0][:2]] == ["2S", "7C"]


def test_the_pile_fills_as_far_as_it_goes():
    referee = emptied(stop_at=2)
    referee.accept("Ann: turn " + " ".join(c.code for c in referee.state.suspects(0)))
    ask(referee, "Ann", "royal", "yes")
    assert (referee.state.pile, referee.state.to_draw(0)) == (2, 2)
    refused(referee, "Ann: draw 7C 8C 9C", "draws 2, not 3")
    referee.accept("Ann: draw ?? ??")
    assert referee.state.pile == 0
    assert len(referee.state.turned(0)) == 8


# -- guesses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("guess", "answer", "winner"), [("KC", "right", 0), ("QC", "wrong", 1)])
def test_a_right_guess_wins_and_a_wrong_one_loses(guess, answer, winner):
    referee = desk()
    referee.accept(f"Ann: guess {guess}")
    refused(referee, "Ann: right", "No guess waits for Ann")
    refused(referee, 'Ann: ask "red?"', "has to say whether the guess")
    referee.accept(f"Bo: {answer}")
    table = referee.state.table
    assert table.over
    assert table.winners == table.match_winners == (winner,)
    assert table.scores[winner] == 1
    assert table.reasons == (f"Ann's guess {guess} is {answer}: {('Ann', 'Bo')[winner]} wins.",)
    refused(referee, "Bo: guess AS", "match is over")


def test_a_guess_may_come_in_the_opponents_turn():
    referee = desk()
    referee.accept("Bo: guess AS")
    referee.accept("Ann: right")
    assert referee.state.table.winners == (1,)


@pytest.mark.parametrize("code", ["JK", "JK1", "JK2", "joker"])
def test_naming_the_joker_is_right_for_either(code):
    referee = desk(hide=("AS", "JK1"), trusted=True)
    entry = referee.accept(f"Ann: guess {code}")
    assert entry.event.args[0].code == "JK"
    refused_in_secret(referee, "Bo: wrong", 1, "not true")
    assert GAME.automatic(referee.state).verb == "right"


def test_a_guess_names_one_card():
    refused(desk(), "Ann: guess 7?", "one card")
    refused(desk(), "Ann: guess ??", "one card")


# -- forced guesses ------------------------------------------------------------------------------


def emptied(*, hide=("10H", "JC"), stop_at=0, trusted=False, **options):
    """A match in which Ann's questions have emptied the pile (or left a few cards)."""
    referee = desk(hide=hide, trusted=trusted, **options)
    person = card("JC" if hide[1] == "??" else hide[1])
    while referee.state.pile > stop_at:
        if not referee.state.turned(0):
            referee.accept("Ann: turn " + " ".join(c.code for c in referee.state.suspects(0)))
        question = next(q for q in representative_questions() if q.answer(person))
        referee.accept(public(0, "ask", question))
        referee.accept("Bo: yes")
        referee.accept("Ann: draw " + " ".join(["??"] * referee.state.to_draw(0)))
    return referee


def force(referee, anns, bos):
    """Both guess and both answer."""
    referee.accept("Ann: done")
    for line in (f"Bo: guess {bos}", f"Ann: guess {anns}"):
        referee.accept(line)
    persons = [referee.state.person(seat)[0].identity.code for seat in (0, 1)]
    referee.accept(f"Ann: {'right' if bos == persons[0] else 'wrong'}")
    referee.accept(f"Bo: {'right' if anns == persons[1] else 'wrong'}")
    return referee.state.table


def test_an_empty_pile_forces_guesses_in_order():
    referee = emptied()
    referee.accept("Ann: done")
    assert referee.state.forced
    assert referee.state.table.to_move == 1
    refused(referee, 'Bo: ask "red?"', "everybody guesses")
    refused(referee, "Ann: guess JC", "Bo's turn")
    referee.accept("Bo: guess 9H")
    refused(referee, "Bo: guess 8H", "already")
    refused(referee, "Ann: wrong", "No guess waits")
    referee.accept("Ann: guess QC")
    assert referee.state.table.to_move is None
    assert GAME.actors(referee.state) == (0, 1)


def test_a_no_with_an_empty_pile_forces_guesses_too():
    referee = emptied()
    ask(referee, "Ann", "red", "no")
    assert referee.state.forced


def test_the_printed_example_of_closeness():
    referee = emptied()
    assert not force(referee, "QC", "5H").match_over
    assert referee.state.wants_reveal == (0, 1)
    referee.accept("Ann: reveal 10H")
    referee.accept("Bo: reveal JC")
    table = referee.state.table
    assert table.winners == (0,)
    assert table.reasons == (
        "Ann's guess QC (1 rank away, the same suit) is closer than "
        "Bo's guess 5H (5 ranks away, the same suit): Ann wins.",
    )


def test_showing_the_referee_alone_is_enough():
    referee = emptied()
    force(referee, "QC", "5H")
    referee.accept("Ann*: reveal 10H")
    referee.accept("Bo*: reveal JC")
    assert referee.view(None).table.winners == (0,)
    assert referee.view(1).state.person(0) is None


@pytest.mark.parametrize(
    ("anns", "bos", "winners"), [("JC", "5H", (0,)), ("QC", "10H", (1,)), ("JC", "10H", ())]
)
def test_one_right_guess_wins_and_two_tie(anns, bos, winners):
    referee = emptied()
    table = force(referee, anns, bos)
    assert table.match_over
    assert table.winners == winners
    assert table.over == bool(winners)


def test_a_tie_is_decided_by_the_next_game_that_has_a_winner():
    referee = emptied()
    force(referee, "JC", "10H")
    referee.accept("table: match")
    for line in ("Ann*: hide AS", "Bo*: hide KC", f"table: deal Ann {ANN}", f"table: deal Bo {BO}"):
        referee.accept(line)
    referee.accept("Bo: guess AS")
    referee.accept("Ann: right")
    table = referee.state.table
    assert (table.over, table.winners, table.scores, table.match) == (True, (1,), (0, 1), 2)


def test_a_tie_can_be_agreed_to_be_a_draw():
    referee = emptied()
    force(referee, "JC", "10H")
    referee.accept("table: agree")
    assert referee.state.table.winners == (0, 1)


@pytest.mark.parametrize(
    ("closer", "farther"),
    [
        (("QC", "JC"), ("5H", "10H")),
        (("KS", "AS"), ("2S", "JK1")),
        (("7H", "7D"), ("7S", "7D")),
        (("7S", "7S"), ("7H", "7D")),
        (("8D", "7D"), ("8S", "7D")),
        (("7S", "7D"), ("8D", "7D")),
        (("8D", "7D"), ("8H", "7D")),
        (("JK", "JK2"), ("7H", "7D")),
    ],
)
def test_closeness_order(closer, farther):
    keys = [closeness(card(guess), card(person)) for guess, person in (closer, farther)]
    assert keys[0] < keys[1]
    assert all(closeness_text(key) for key in keys)


def test_two_joker_mismatches_are_equally_close():
    assert closeness(card("JK"), card("AS")) == closeness(card("KD"), card("JK1"))


# -- everything else -----------------------------------------------------------------------------


def test_a_trusted_players_reveal_must_be_the_card_that_was_given():
    referee = desk(trusted=True)
    refused_in_secret(referee, "Bo: reveal 2D", 1, "another card")
    referee.accept("Bo: reveal KC")


def test_an_open_players_other_reveal_is_a_false_claim():
    referee = desk()
    referee.accept("Bo: reveal QC")
    assert kinds(referee) == [(5, "false-claim")]


def test_a_revealed_card_that_lay_on_the_table_is_seen_twice():
    referee = desk(hide=("??", "??"))
    referee.accept("Bo: reveal 2S")
    assert kinds(referee) == [(5, "duplicate-card")]


def test_sketches_stay_with_their_owner():
    referee = desk(questions="cryptic")
    refused(referee, "Ann*: sketch AS", "cryptic")
    referee.accept('Ann: ask cryptic "Is he tall?"')
    referee.accept("Bo: yes")
    referee.accept("Ann*: sketch 9S 10S")
    assert [len(referee.view(seat).state.sketches) for seat in (None, 0, 1)] == [0, 1, 0]
    assert [len(referee.view(seat).log) for seat in (None, 0, 1)] == [6, 7, 6]


def test_candidates_are_unseen_cards_that_fit():
    referee = desk(hide=("??", "??"))
    ask(referee, "Ann", "a heart", "yes")
    codes = [c.code for c in candidates(referee.knowledge(0), 1)]
    assert codes == ["AH", "7H", "8H", "9H", "10H", "JH", "QH", "KH"]


def test_sightings_become_draws_and_reveals():
    referee = desk()
    seen = SeenCard(card("9C"), "display:1", 0.9, ((card("9S"), 0.1),))
    assert "once for each Yes" in referee.proposals(seen)[0].error.message
    over = SeenCard(card("2S"), "display:1", change=Change.TURNED_OVER)
    assert referee.proposals(over)[0].event == public(0, "turn", (card("2S"),))
    referee.accept("Ann: turn 2S")
    back = SeenCard(card("2S"), "display:1", change=Change.TURNED_UP)
    assert referee.proposals(back)[0].event.verb == "unturn"
    ask(referee, "Ann", "black", "yes")
    proposals = referee.proposals(seen)
    assert [(p.event.args[0][0].code, p.confidence) for p in proposals] == [
        ("9C", 0.9),
        ("9S", 0.1),
    ]
    assert all(p.is_clean for p in proposals)
    twice = referee.proposals(SeenCard(card("2D"), "display:1"))
    assert twice[0].findings[0].kind == "duplicate-card"
    shown = referee.proposals(SeenCard(card("KC"), "hideout:2"))
    assert shown[0].event == public(1, "reveal", card("KC"))


def test_a_display_is_dealt_and_drawn_onto_when_all_its_cards_lie_there():
    referee: Referee = Referee(GAME, GAME.setup(["Ann", "Bo"]))
    cards = parse_cards("2S 3S 4S 5S 6S 7S 8S 9S 10S JS")
    lying = tuple((c, 0.95 + k / 1000) for k, c in enumerate(cards))
    part = SeenCard(cards[0], "display:1", 0.95, lying=lying[:9])
    assert referee.proposals(part) == ()
    (deal,) = referee.proposals(SeenCard(cards[3], "display:1", 0.95, lying=lying))
    assert (deal.event, deal.confidence) == (public(None, "deal", 0, cards), 0.95)
    referee = desk()
    referee.accept("Ann: turn 2S 3S")
    ask(referee, "Ann", "black", "yes")
    new = tuple((card(code), 0.97) for code in ("9C", "8C"))
    suspects = tuple((c, 0.99) for c in referee.state.suspects(0))
    one = SeenCard(card("9C"), "display:1", 0.97, lying=(*suspects, new[0]))
    assert referee.proposals(one) == ()
    both = referee.proposals(SeenCard(card("9C"), "display:1", 0.97, lying=(*suspects, *new)))
    assert [p.event.args[0] for p in both] == [parse_cards("9C 8C")]
    assert both[0].is_clean


def test_long_game_sightings_name_the_place():
    referee = desk(draw="one")
    referee.accept("Ann: turn 2S 3S")
    ask(referee, "Ann", "black", "yes")
    proposals = referee.proposals(SeenCard(card("9C"), "display:1"))
    assert [p.event.args[1].code for p in proposals] == ["2S", "3S"]


def test_follow_up_answers_for_trusting_players():
    referee = desk(trusted=True)
    referee.accept('Ann: ask "red?"')
    assert [entry.event.verb for entry in referee.follow_up()] == ["no"]
    referee.accept("Bo: guess AS")
    assert [entry.event.verb for entry in referee.follow_up()] == ["right"]


def test_the_sensible_bot_beats_the_random_one():
    wins = 0
    for seed in range(12):
        referee = Referee(GAME, GAME.setup(("Ann", "Bo")))
        play_out(referee, [GAME.bots["random"], GAME.bots["sensible"]], random.Random(seed))
        wins += referee.state.table.winners == (1,)
    assert wins >= 9


@given(st.integers(0, 10**6), st.sampled_from([8, 12, 30]))
def test_tiny_decks_play_to_the_end_with_every_card_in_one_place(seed, size):
    rng = random.Random(seed)
    deck = tuple(rng.sample(DECK, size))
    setup = GAME.setup(("Ann", "Bo"), {"draw": rng.choice(("all", "one"))}, cards=deck)
    referee = Referee(GAME, setup)
    for event in play_events(referee, [GAME.bots["sensible"]] * 2, rng):
        referee.accept(event)
        cards = [c for zone in GAME.zones(referee.state) for c in zone.cards]
        assert len(cards) == size
        known = [c for c in cards if c.is_known]
        assert len(set(known)) == len(known)
        if referee.state.table.match == 3:
            break
    assert not referee.state.findings


def test_the_suspect_turned_over_is_the_one_that_lies_there_no_more():
    referee = desk()
    suspects = referee.state.suspects(0)
    rest = tuple((c, 0.99) for c in suspects[1:])
    seen = SeenCard(suspects[0], "display:1", 0.9, change=Change.TURNED_OVER, lying=rest)
    (turn,) = referee.proposals(seen)
    assert turn.confidence > 0.99, "a doubtful name, but all others are still seen"
    (alone,) = referee.proposals(SeenCard(suspects[0], "display:1", 0.9, change=seen.change))
    assert alone.confidence == 0.9
    two = SeenCard(
        suspects[0], "display:1", 0.6, ((suspects[1], 0.4),), Change.TURNED_OVER, rest[1:]
    )
    (either,) = referee.proposals(two)
    assert either.confidence < 0.7
