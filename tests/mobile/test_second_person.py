"""On a player's own page the referee says “you”, and the other players' names as before."""

import gettext
import random
import re
import string

import pytest

from companion.core.guidance.generic import guidance_of
from companion.core.referee import Referee
from companion.core.registry import all_games
from companion.notepad.base import open_notepad
from companion.phrases import Name, phrase
from companion.simulate import play_events
from mobile.resources import texts
from mobile.seats import pages
from mobile.seats.language import language, to_player
from mobile.seats.table import ViewerMoment
from mobile.tools import catalogue

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus")
LANGUAGES = ("en", *(path.parts[-3] for path in catalogue.po_files()))
#: Several people in a row are called by their names, also where the reader is one of them.
SEVERAL = re.compile(r"(?:(?:Ann|Bo|Cy|Dee|Eve|Fay|Gus)(?: -?\d+)?(?:, | and | und )?){2,}")


def places(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_says_them_all_without_the_name(code):
    known, written = catalogue.to_player(code), set(catalogue.sentences())
    assert set(known) == set(catalogue.to_player("en"))
    compiled = gettext.translation(texts.TO_PLAYER, texts.FOLDER, [code])
    for (fields, sentence), said in known.items():
        assert sentence in written
        assert places(said) == places(sentence) - set(fields.split()), sentence
        assert compiled.pgettext(fields, sentence) == said


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_no_page_names_its_own_player(game, code):
    for seed, names in (
        (1, NAMES[: max(2, game.info.min_players)]),
        (2, NAMES[: game.info.max_players]),
    ):
        referee = Referee(game, game.setup(names))
        bots = [game.bots["sensible"]] * len(names)
        for count, event in enumerate(play_events(referee, bots, random.Random(seed))):
            referee.accept(event)
            # Who acted, who acts now, and one of the others in turn.
            mover = referee.state.table.to_move
            for seat in {event.seat, mover, count % len(names)} - {None}:
                name = names[seat]
                for said in page(game, referee.view(seat), to_player(language(code), name)):
                    assert not re.search(rf"\b{name}\b", SEVERAL.sub("", said)), said
            if referee.view(None).table.match_over:
                break


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_no_reason_of_a_notepad_names_its_own_player(game):
    names = NAMES[: max(2, game.info.min_players)]
    referee = Referee(game, game.setup(names))
    plays = play_events(referee, [game.bots["sensible"]] * len(names), random.Random(1))
    for count, event in enumerate(plays):
        referee.accept(event)
        is_over = referee.view(None).table.match_over
        if count % 9 == 0 or is_over:
            seat = count % len(names)
            known = open_notepad(game, referee.view(seat)).knowledge
            spoken = to_player(language("en"), names[seat])
            for one in known if isinstance(known, tuple) else (known,):
                for said in (spoken.told(fact.text) for fact in one.facts):
                    assert not re.search(rf"\b{names[seat]}\b", SEVERAL.sub("", said)), said
        if is_over:
            break


def page(game, view, spoken):
    """Every sentence of a page; names on buttons by which a player is chosen are none."""
    with spoken.spoken():
        moment = ViewerMoment(view, guidance_of(game, view))
        shown = pages.page(game, moment, spoken)
    forms = [*shown.first, *(form for _, group in shown.more for form in group)]
    yield from (shown.headline, shown.opening, *shown.said)
    yield from (place.title for place in (*shown.board, *shown.hand, *shown.places))
    yield from (form.title for form in forms)
    yield from (field.title for form in forms for field in form.fields)
    yield from (line.text for line in shown.log)
    yield from (line for place in (*shown.board, *shown.hand) for line in place.meanings)
    yield from (seat.standing for seat in shown.seats)
    yield from (shown.undo, shown.redo)


def test_only_the_reader_is_you():
    asked = phrase("{name} asks {name2}: {text}", name=Name("Ann"), name2=Name("Bo"), text="Red?")
    assert texts.told(asked) == "Ann asks Bo: Red?"
    with texts.addressing("Ann"):
        assert texts.told(asked) == "You ask Bo: Red?"
    with texts.addressing("Bo"):
        assert texts.told(asked) == "Ann asks you: Red?"
    with texts.addressing("Cy"):
        assert texts.told(asked) == "Ann asks Bo: Red?"


def test_a_word_that_reads_like_the_name_is_no_name():
    with texts.addressing("Red"):
        said = phrase("{name} asks {name2}: {text}", name=Name("Ann"), name2=Name("Bo"), text="Red")
        assert texts.told(said) == "Ann asks Bo: Red"


def test_a_language_without_catalogue_is_english_here_too():
    texts.use("xx")
    with texts.addressing("Ann"):
        assert texts.told(phrase("It is {name}'s turn.", name=Name("Ann"))) == "It is your turn."
