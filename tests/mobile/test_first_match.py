"""A first match asks for what comes next, whatever the person does in between."""

from companion.cards import card
from companion.core.events import private
from mobile.model import demo_script
from mobile.model.first_match import YOU, FirstMatch, Lesson

TABLE = "table"


def begun():
    return FirstMatch(demo_script.load())


def predicted():
    first = begun()
    first.table.do(private(YOU, "predict", "UUD"))
    return first


def test_it_leads_to_the_prediction():
    first = begun()
    assert first.follow(TABLE) is Lesson.WRITE
    assert first.follow("private", covered=True) is Lesson.COVER
    assert first.follow("private") is Lesson.PREDICT
    assert first.follow(TABLE) is Lesson.WRITE  # the person went back


def test_a_row_that_began_too_early_is_taken_back():
    first = begun()
    first.table.start_anyway()
    first.table.tap(card("9D"))
    assert first.follow(TABLE) is Lesson.ONE_TOO_MANY
    assert first.goes_back_and_forth
    first.table.undo()
    assert first.follow(TABLE) is Lesson.WRITE


def test_a_card_is_laid_taken_back_and_put_back():
    first = predicted()
    assert first.follow(TABLE) is Lesson.LAY
    first.table.tap(first.first_card)
    assert first.follow(TABLE) is Lesson.TAKE_BACK
    assert not first.plays_clip
    first.table.undo()
    assert first.follow(TABLE) is Lesson.PUT_BACK
    first.table.redo()
    assert first.follow(TABLE) is Lesson.WATCH
    assert first.plays_clip


def test_another_card_is_taken_back_first():
    first = predicted()
    first.table.tap(card("9D"))
    assert first.follow(TABLE) is Lesson.OTHER_CARD
    first.table.undo()
    assert first.follow(TABLE) is Lesson.LAY


def test_a_card_too_many_is_taken_back():
    first = predicted()
    for one in first.cards[:2]:
        first.table.tap(one)
    assert first.follow(TABLE) is Lesson.ONE_TOO_MANY
    assert first.goes_back_and_forth
    first.table.undo()
    assert first.follow(TABLE) is Lesson.TAKE_BACK


def test_a_film_that_ends_early_is_finished_by_hand():
    first = predicted()
    first.table.tap(first.first_card)
    first.follow(TABLE)
    first.table.undo()
    first.follow(TABLE)
    first.table.redo()
    assert first.follow(TABLE) is Lesson.WATCH
    assert first.follow(TABLE, ended=True) is Lesson.FINISH
    for other in first.cards[1:]:
        first.table.tap(other)
    assert first.follow(TABLE, ended=True) is Lesson.END


def test_nothing_of_it_is_kept():
    assert begun().table.session is None
