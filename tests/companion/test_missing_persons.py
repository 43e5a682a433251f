"""The rules of Missing Persons that random play does not reach."""

from pathlib import Path

import pytest

from companion.cards import Change, card, parse_cards
from companion.core.audit import audit
from companion.core.events import public
from companion.core.notation import read_match
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.games.missing_persons.audit import candidates
from companion.games.missing_persons.questions.grammar import parse_question
from companion.games.missing_persons.questions.question import why_not_plain
from companion.games.missing_persons.scoring import closeness, closeness_text
from companion.games.missing_persons.simulation import representative_questions
from companion.games.missing_persons.turns import set_text
from tests.companion.seating import seated

GAME = get_game("missing-persons")
ANN = "2S 3S 4S 5S 6S 2H 3H 4H 5H 6H"
BO = "2D 3D 4D 5D 6D 2C 3C 4C 5C 6C"
SAMPLE = Path(__file__).parents[1] / "golden" / "missing-persons" / "printed-sample.txt"


def desk(*, hidden=("Ann*: hide AS", "Bo*: hide KC")):
    """A referee; Ann has AS and Bo KC, unless it is told otherwise."""
    return seated("missing-persons", *hidden, f"table: deal Ann {ANN}", f"table: deal Bo {BO}")


def ask(referee, question):
    """Ann asks it, and Bo says Yes."""
    referee.submit_all([f'Ann: ask "{question}"', "Bo: yes"])


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


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("a joker", "none"),
        ("not a joker", "all but the jokers"),
        ("a spade or a heart and royal", "all Spades; J Q K of Hearts"),
    ],
)
def test_a_set_in_words(question, words):
    assert set_text(parse_question(question)) == words


def test_representative_questions_are_plain_and_distinct():
    questions = representative_questions()
    assert len({question.cards for question in questions}) == len(questions) > 50
    assert all(why_not_plain(question) is None for question in questions)


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


def test_candidates_are_unseen_cards_that_fit():
    referee = desk(hidden=("Ann: hide ??", "Bo: hide ??"))
    ask(referee, "a heart")
    codes = [c.code for c in candidates(referee.knowledge(0), 1)]
    assert codes == ["AH", "7H", "8H", "9H", "10H", "JH", "QH", "KH"]


def test_a_missing_person_that_is_seen_too_early_stays_secret():
    referee = seated("missing-persons", "Ann: hide ??", "Bo: hide ??")
    seen = SeenCard(card("7H"), "hideout:1", 0.99)
    assert referee.proposals(seen) == ()
    for line in (f"table: deal Ann {ANN}", f"table: deal Bo {BO}", "Ann: guess QC"):
        referee.accept(line)
        assert referee.proposals(seen) == (), "the guess is answered in words"
    referee.accept("Bo: right")
    (turned,) = referee.proposals(SeenCard(card("QC"), "hideout:2", 0.99))
    assert turned.event == public(1, "reveal", card("QC"))


def test_sightings_become_draws_and_reveals():
    referee = desk()
    seen = SeenCard(card("9C"), "display:1", 0.9, ((card("9S"), 0.1),))
    over = SeenCard(card("2S"), "display:1", change=Change.TURNED_OVER)
    assert referee.proposals(over)[0].event == public(0, "turn", (card("2S"),))
    referee.accept("Ann: turn 2S")
    back = SeenCard(card("2S"), "display:1", change=Change.TURNED_UP)
    assert referee.proposals(back)[0].event.verb == "unturn"
    ask(referee, "black")
    proposals = referee.proposals(seen)
    read = [(p.event.args[0][0].code, p.confidence) for p in proposals]
    assert read == [("9C", 0.9), ("9S", 0.1)]
    assert all(p.is_clean for p in proposals)
    twice = referee.proposals(SeenCard(card("2D"), "display:1"))
    assert twice[0].findings[0].kind == "duplicate-card"


def test_a_display_is_dealt_and_drawn_onto_when_all_its_cards_lie_there():
    referee = seated("missing-persons")
    cards = parse_cards("2S 3S 4S 5S 6S 7S 8S 9S 10S JS")
    lying = tuple((c, 0.95 + k / 1000) for k, c in enumerate(cards))
    part = SeenCard(cards[0], "display:1", 0.95, lying=lying[:9])
    assert referee.proposals(part) == ()
    (deal,) = referee.proposals(SeenCard(cards[3], "display:1", 0.95, lying=lying))
    assert (deal.event, deal.confidence) == (public(None, "deal", 0, cards), 0.95)
    referee = desk()
    referee.accept("Ann: turn 2S 3S")
    ask(referee, "black")
    new = tuple((card(code), 0.97) for code in ("9C", "8C"))
    suspects = tuple((c, 0.99) for c in referee.state.suspects(0))
    one = SeenCard(card("9C"), "display:1", 0.97, lying=(*suspects, new[0]))
    assert referee.proposals(one) == ()
    both = referee.proposals(SeenCard(card("9C"), "display:1", 0.97, lying=(*suspects, *new)))
    assert [p.event.args[0] for p in both] == [parse_cards("9C 8C")]
    assert both[0].is_clean


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
