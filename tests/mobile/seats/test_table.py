"""What a page may do at a table: its own, what all see, once, and in answer to what it shows."""

import re
import secrets

import pytest

from companion.core.events import DISCLOSE
from companion.core.guidance.generic import guidance_of
from mobile.seats.language import language
from mobile.seats.pages import page
from mobile.seats.render import Renderer
from mobile.seats.table import Answer, HostedTable
from tests.mobile.seats.hosting import journalled

HAND = "2S 3S 4S 5S 6S"


@pytest.fixture
def session(tmp_path):
    with journalled(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as session:
        yield session


@pytest.fixture
def phones():
    return set()


@pytest.fixture
def table(session, phones):
    return HostedTable(session, has_phone=phones.__contains__)


def act(table, seat, do, **more):
    state = more.pop("state", len(table.referee.view(seat).log))
    key = more.pop("key", None) or secrets.token_hex(8)
    return table.act(seat, {"key": key, "state": state, "do": do, **more})


def typed(table, seat, line, **more):
    return act(table, seat, "type", line=line, **more)


def lines(table, viewer=None):
    return [line.text for line in table.referee.view(viewer).log]


def test_a_seat_writes_its_own_secrets_and_what_all_see(table):
    assert typed(table, 0, f"Ann*: hand {HAND}").answer is Answer.DONE
    assert typed(table, 1, "Ann: guess Bo smallest 1 is 2").answer is Answer.DONE
    assert lines(table, 0) == [f"Ann*: hand {HAND}", "Ann: guess Bo smallest 1 is 2"]
    assert lines(table)[0] == "Ann*: hand …"


def test_a_line_without_a_name_is_the_pages_own(table):
    assert typed(table, 0, "guess Bo smallest 1 is 2").answer is Answer.DONE
    assert typed(table, 1, "wrong").answer is Answer.DONE
    assert lines(table) == ["Ann: guess Bo smallest 1 is 2", "Bo: wrong"]


@pytest.mark.parametrize("seat", [1, None])
@pytest.mark.parametrize(
    "line",
    [f"Ann*: hand {HAND}", "Ann*: discard ??", "Ann*: undo", "Ann*: correct 1 Ann*: hand 2S",
     "table: correct 1 Ann*: hand 2S", "ann* : hand 2S", "  Ann*: hand ??"],
)  # fmt: skip
def test_nobody_else_writes_a_seats_secrets(table, seat, line):
    typed(table, 0, f"Ann*: hand {HAND}")
    before = lines(table, 0)
    answer = typed(table, seat, line)
    assert answer.answer is Answer.REFUSED
    assert lines(table, 0) == before


def test_what_another_is_answered_does_not_hang_on_the_hand(tmp_path):
    told = []
    for name, hand in (("a", HAND), ("b", "7H 8H 9H 10H JH")):
        (tmp_path / name).mkdir()
        with journalled(tmp_path / name, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as session:
            table = HostedTable(session)
            typed(table, 0, f"Ann*: hand {hand}")
            probes = (
                "Ann*: hand 2S",
                "Ann*: correct 1 Ann*: hand 2S 3S 4S 5S 7S",
                "Ann*: nonsense",
            )
            told.append([typed(table, 1, line).told for line in probes])
    assert told[0] == told[1]
    assert len(set(told[0])) == 1


def test_a_request_that_comes_twice_is_done_once(table):
    key = secrets.token_hex(8)
    line = "Ann: guess Bo smallest 1 is 2"
    first = typed(table, 0, line, key=key, state=0)
    again = typed(table, 0, line, key=key, state=0)
    assert first == again
    assert first.answer is Answer.DONE
    assert lines(table) == [line]


def test_what_answers_an_older_state_is_refused(table):
    typed(table, 0, "Ann: guess Bo smallest 1 is 2")
    answer = typed(table, 1, "Ann: guess Bo smallest 1 is 3", state=0)
    assert answer.answer is Answer.STALE
    assert len(lines(table)) == 1


@pytest.mark.parametrize(
    "request_",
    [{}, {"key": "x", "state": 0}, {"key": "k" * 65, "state": 0}, {"key": "k" * 16},
     {"key": "k" * 16, "state": "0"}, {"key": "k" * 16, "state": True, "do": "undo"},
     {"key": "k" * 16, "state": 0, "do": "PIN"}, {"key": "k" * 16, "state": 0, "do": ["step"]},
     {"key": "k" * 16, "state": 0, "do": "type", "line": 7},
     {"key": "k" * 16, "state": 0, "do": "type", "line": "Ann: pass\nBo: pass"},
     {"key": "k" * 16, "state": 0, "do": "type", "line": "x" * 301},
     {"key": "k" * 16, "state": 0, "do": "type", "line": ""},
     {"key": "k" * 16, "state": 0, "do": "type", "line": "*:"},
     {"key": "k" * 16, "state": 0, "do": "type", "line": ":"}],
)  # fmt: skip
def test_malformed_requests_do_nothing_and_say_so(table, request_):
    answer = table.act(0, request_)
    assert answer.answer is Answer.REFUSED
    assert answer.told
    assert not table.referee.log


def test_cards_that_lie_hidden_are_turned_up_by_their_owner(tmp_path, phones):
    with journalled(tmp_path, "suspense", ["Ann", "Bo", "Cy"]) as session:
        table = HostedTable(session, has_phone=phones.__contains__)
        phones.add(0)
        answer = typed(table, 1, "Ann: reveal W1 W2 W3")
        assert answer.answer is Answer.REFUSED
        assert "private to Ann" in answer.told
        # Her own phone, or a seat without phone or PIN, gets the rules' own answer.
        assert "private to Ann" not in typed(table, 0, "Ann: reveal W1 W2 W3").told
        assert "own" not in typed(table, 0, "Bo: reveal W1 W2 W3").told


def test_a_pin_keeps_others_from_turning_up_a_hand(tmp_path):
    with journalled(tmp_path, "suspense", ["Ann", "Bo", "Cy"]) as session:
        session.set_pin(0, "1234")
        answer = typed(HostedTable(session), 1, "Ann: reveal W1 W2 W3")
        assert "private to Ann" in answer.told


def test_nobody_tries_out_what_another_has_told_a_trusted_referee(tmp_path):
    with journalled(tmp_path, "missing-persons", ["Ann", "Bo"], trusted=True) as session:
        session.referee.accept("Ann*: hide 3C")
        session.referee.accept("Bo*: hide 4C")
        table = HostedTable(session)
        told = {card: typed(table, 1, f"Ann: reveal {card}").told for card in ("3C", "10C")}
        assert len(set(told.values())) == 1
        assert "private to Ann" in told["3C"]
        # At the table's device Ann herself, who has no phone and no PIN, turns it up.
        assert typed(table, None, "Ann: reveal 3C").answer is Answer.DONE


def test_a_secret_entry_is_taken_back_by_its_owner_after_a_question(table):
    typed(table, 0, f"Ann*: hand {HAND}")
    for seat in (1, None):
        answer = act(table, seat, "undo", sure=True)
        assert answer.answer is Answer.REFUSED
        assert "Ann" in answer.told
        assert not table.moment(seat).undo
    assert table.moment(0).undo
    assert act(table, 0, "undo").answer is Answer.ASK
    assert act(table, 0, "undo", sure=True).answer is Answer.DONE
    assert act(table, 1, "redo").answer is Answer.REFUSED
    assert act(table, 0, "redo").answer is Answer.DONE
    assert table.referee.view(0).state.held[0] is not None


def test_an_answer_is_taken_back_after_a_question_and_stays_in_the_log(table):
    typed(table, 0, "Ann: guess Bo smallest 1 is 2")
    typed(table, 1, "Bo: wrong")
    asked = act(table, 0, "undo")
    assert asked.answer is Answer.ASK
    assert "Bo" in asked.told
    assert "Bo: wrong" not in asked.told
    assert act(table, 0, "undo", sure=True).answer is Answer.DONE
    assert [line.undone for line in table.referee.view(None).log] == [False, True, False]


def test_what_another_player_did_is_taken_back_after_a_question(table):
    typed(table, 0, "Ann: guess Bo smallest 1 is 2")
    asked = act(table, 1, "undo")
    assert (asked.answer, asked.told.count("..")) == (Answer.ASK, 0)
    assert act(table, 0, "undo").answer is Answer.DONE  # one's own slip, without one


def test_a_card_that_ends_the_time_for_predictions_is_asked_about(tmp_path):
    with journalled(tmp_path, "precognition", ["Ann", "Bo"]) as session:
        table = HostedTable(session)
        asked = typed(table, 0, "place 3S")
        assert (asked.answer, asked.told) == (
            Answer.ASK,
            "Ann and Bo have not written. Start anyway?",
        )
        typed(table, 0, "Ann*: predict UUD")
        assert typed(table, 0, "place 3S").told == "Bo has not written. Start anyway?"
        assert typed(table, 0, "place 3S", sure=True).answer is Answer.DONE
        assert typed(table, 1, "place 4S").answer is Answer.DONE


def finished(table):
    typed(table, 0, f"Ann*: hand {HAND}")
    assert act_by_title(table, None, "Stop here, as all agree", sure=True).answer is Answer.DONE


def act_by_title(table, seat, title, **more):
    steps = guidance_of(table.game, table.referee.view(seat)).steps
    number = next(k for k, step in enumerate(steps) if step.title == title)
    return act(table, seat, "step", step=number, values=None, **more)


def test_a_step_for_good_is_asked_twice(table):
    asked = act_by_title(table, 0, "Stop here, as all agree")
    assert asked.answer is Answer.ASK
    assert asked.told == "Stop here, as all agree: this counts for everybody. Really?"
    assert not table.referee.state.table.match_over
    assert act_by_title(table, 0, "Stop here, as all agree", sure=True).answer is Answer.DONE
    assert table.referee.state.table.match_over


def test_what_counts_for_everybody_is_asked_however_it_is_said(table):
    assert typed(table, 1, "table: agree").told.startswith("Stop here, as all agree: this counts")
    assert typed(table, 1, "table: agree", sure=True).answer is Answer.DONE
    assert act(table, 0, "undo", sure=True).answer is Answer.DONE
    assert act(table, 1, "redo").told.startswith("Stop here, as all agree: this counts")
    assert not table.referee.state.table.match_over
    assert act(table, 1, "redo", sure=True).answer is Answer.DONE
    assert table.referee.state.table.match_over


def test_what_ones_own_hand_says_against_an_answer_is_asked_on_ones_own_page_alone(table):
    typed(table, 1, f"Bo*: hand {HAND}")
    typed(table, 0, "Ann: guess Bo smallest 1 is 2")
    told = typed(table, 1, "wrong").told
    assert "Bo's recorded hand (1) has 2 there. Record it anyway?" in told
    assert typed(table, 0, "Bo: wrong").answer is Answer.DONE
    act(table, 0, "undo", sure=True)
    assert typed(table, 1, "wrong", sure=True).answer is Answer.DONE


CLUBS = "2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC AC"
DIAMONDS, HEARTS, SPADES = (CLUBS.replace("C", suit) for suit in "DHS")


@pytest.mark.parametrize("swapped", ["6C", "6S"])
def test_nobody_else_asks_a_trusted_referee_what_one_may_play(tmp_path, swapped):
    """Whether a diamond is taken tells whether Bo has clubs: his page and the table's ask."""
    names, options = ["Ann", "Bo", "Cy", "Dee"], {"pass": "hold"}
    other = {"6C": "6S", "6S": "6C"}[swapped]
    hands = {
        "Ann": CLUBS.replace("6C", "2D"),
        "Bo": f"{DIAMONDS.replace('2D', swapped)}",
        "Cy": HEARTS,
        "Dee": SPADES.replace("6S", other),
    }
    with journalled(tmp_path, "hearts", names, options, trusted=True) as session:
        table = HostedTable(session)
        for seat, (name, cards) in enumerate(hands.items()):
            assert typed(table, seat, f"{name}*: hand {cards}").answer is Answer.DONE
        assert typed(table, 0, "play 2C").answer is Answer.DONE
        for line in ("Bo: play 3D", "Bo: play 6C", "correct 5 Bo: play 3D"):
            told = typed(table, 2, line)
            assert (told.answer, told.told) == (
                Answer.REFUSED,
                "The referee knows Bo's hand: Bo plays on their own page or at the table's screen.",
            )
        shown = page(table.game, table.moment(2), language("en"))
        assert "Play a card" not in [form.title for _, forms in shown.more for form in forms]
        own = typed(table, 1, "play 3D")
        if swapped == "6C":
            assert (own.answer, "follow" in own.told) == (Answer.REFUSED, True)
            assert len(table.referee.log) == 5, (
                "what is refused behind a cover is nobody's business"
            )
            assert "recorded in secret" in typed(table, None, "Bo: play 3D").told
        else:
            assert own.answer is Answer.DONE


def test_everything_is_disclosed_when_every_phone_has_agreed(table, phones):
    phones |= {0, 1}
    assert act(table, 0, "consent").answer is Answer.REFUSED  # the match is running
    finished(table)
    assert typed(table, 0, "table: disclose", sure=True).answer is Answer.REFUSED
    assert act(table, 0, "consent").answer is Answer.DONE
    assert table.moment(1).consents == {0}
    assert table.referee.view(1).log[0].text == "Ann*: hand …"
    assert act(table, 0, "withdraw").answer is Answer.DONE
    assert act(table, 1, "consent").answer is Answer.DONE
    assert table.referee.log[-1].event.verb != DISCLOSE
    assert act(table, 0, "consent").answer is Answer.DONE
    assert table.referee.log[-1].event.verb == DISCLOSE
    assert table.referee.view(1).log[0].text == f"Ann*: hand {HAND}"


def test_agreement_ends_when_something_else_happens(table):
    finished(table)
    act(table, 0, "consent")
    act(table, 0, "undo", sure=True)
    act(table, 0, "redo", sure=True)
    assert table.moment(0).consents == set()


def test_the_tables_screen_agrees_for_seats_without_a_phone_by_their_pin(table, phones):
    phones.add(0)
    table.session.set_pin(1, "4321")
    finished(table)
    with pytest.raises(Exception, match="private to Ann"):
        table.agree_for(0, "")
    with pytest.raises(Exception, match="not Bo's PIN"):
        table.agree_for(1, "1111")
    assert table.moment(None).consents == set()
    act(table, 0, "consent")
    assert table.referee.log[-1].event.verb != DISCLOSE


def test_a_change_wakes_the_pages_and_a_refusal_does_not(session):
    woken = []
    table = HostedTable(session, changed=lambda: woken.append(1))
    typed(table, 0, "Ann: right")
    assert not woken
    typed(table, 0, "Ann: guess Bo smallest 1 is 2")
    assert woken


def test_a_filled_form_says_what_it_will_do_and_no_other_seats_secret(table):
    def said(seat, verb, values, owner=None):
        view = table.referee.view(seat)
        steps = guidance_of(table.game, view).steps
        wanted = (verb, seat if owner is None else owner)
        number = next(n for n, s in enumerate(steps) if (s.verb, s.seat) == wanted)
        return table.says(seat, {"state": len(view.log), "step": number, "values": values})

    assert said(0, "guess", [[0], [1], [6]]) == "Ann guesses: Bo's 2nd smallest card is a 7"
    assert said(0, "guess", [[0], [1]]) == ""
    assert said(0, "guess", [[0], [1], [99]]) == ""
    assert said(0, "hand", [[0, 1, 2, 3, 4]]) == "Ann was dealt A♠ 2♠ 3♠ 4♠ 5♠"
    assert table.says(0, {"state": 7, "step": 0, "values": [[0], [1], [6]]}) == ""
    assert table.says(0, {"state": 0, "step": 99, "values": None}) == ""
    # The public page is offered every seat's entries; what one would be is that seat's alone.
    assert said(None, "hand", [[0, 1, 2, 3, 4]], owner=0) == ""
    assert not table.referee.log


def test_a_count_does_not_run_into_the_title_before_it(tmp_path):
    with journalled(tmp_path, "hearts", ["Ann", "Bo", "Cy"], {"pass": "hold"}) as session:
        table = HostedTable(session)
        for line in ("Ann: play 2C", "Bo: play 3C"):
            assert typed(table, None, line).answer is Answer.DONE
        renderer = Renderer(table, words="", secure=True, readable=False, lens=False)
        shown = renderer.shown(None, language("en")).parts["table"]
        words = " ".join(re.sub("<[^>]*>", " ", shown).split())
        assert "The trick: Ann and Bo · 2" in words
