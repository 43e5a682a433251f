"""Whole matches with a screen reader: by what the accessibility tree says, and by the keyboard."""

import json
import random
import re

import pytest

from companion.core.guidance.generic import guidance_of
from companion.core.referee import Referee
from companion.phrases import capitalised
from companion.simulate import play_events
from mobile.seats import sentences
from mobile.seats.forms import form as form_of
from tests.mobile.seats.browser import ANSWERED, needs_browser, touches_for
from tests.mobile.seats.hosting import hosted
from tests.mobile.seats.listening import Listener, faults
from tests.mobile.seats.test_browser_play import MATCHES, MOST_EVENTS

pytestmark = [needs_browser(), pytest.mark.browser, pytest.mark.slow]

SHOWN = sentences.SHOW_YOUR_HAND
#: From so many cards on that nobody knows, a place says their number alone.
PILE = 9


#: The shortest matches that have everything in them.
SHORT = MATCHES | {
    "gotcha": (["Ann", "Bo"], {"deal": "4"}, 7),
    "missing-persons": (["Ann", "Bo"], {}, 5),
}


@pytest.mark.parametrize("game", [game for game in MATCHES if game != "high-card"])
def test_a_match_is_played_to_its_end_by_listening(game, running, tmp_path):
    players, options, seed = SHORT[game]
    with hosted(tmp_path, game, players, options, secure=True) as table:
        seats = [Listener(running, table, seat) for seat in range(len(players))]
        play(table, seats, random.Random(seed))
        assert table.referee.state.table.match_over
        for page in seats:
            look(table, page)
            assert page.faults == []


def play(table, seats, rng):
    """Plays a match by what the bots choose, each act on its player's page."""
    referee, game = table.referee, table.session.game
    shadow = Referee(game, table.session.setup)
    bots = [list(game.bots.values())[-1]] * len(seats)
    for event in play_events(shadow, bots, rng):
        page = seats[event.seat or 0]
        look(table, page)
        before = referee.stands
        act(table, page, event)
        page.until(lambda before=before: referee.stands > before)
        page.until(lambda page=page: page.focused())
        for entry in referee.log[shadow.stands :]:
            shadow.submit(entry.event)
        if shadow.state.table.match_over or shadow.stands > MOST_EVENTS:
            return


# -- what is heard -------------------------------------------------------------------------------


def look(table, page):
    """Whether a page says all that its player may know: whose turn it is, points, every card."""
    view, game = table.view(page.seat), table.session.game
    page.wait_for_state(len(view.log))
    heard = page.hear(anew=True)
    assert faults(heard) == []
    (title,) = (one.name for one in heard if one.role == "heading" and one.states["level"] == 1)
    assert title == title_of(page.player, view, guidance_of(game, view).waiting)
    headline = " ".join(table.headline(page.seat).split())
    assert any(headline in one.lines for one in heard if one.states.get("live") == "polite")
    for seat, name in enumerate(view.setup.players):
        standing = page.language.told(game.standing(view.state, seat))
        score = f"{sentences.SCORE} {view.table.scores[seat]}" if view.table.scores else ""
        told = " ".join(filter(None, (name, standing, score)))
        assert told in (" ".join(one.lines) for one in heard if one.role == "listitem"), told
    for zone in view.zones:
        if zone.cards:
            look_at(zone, page.language.told, heard)


def title_of(player, view, waiting):
    """Who is to act, as the first heading has to say it."""
    names = [view.setup.players[seat] for seat in waiting if seat is not None]
    if view.table.match_over:
        return sentences.OVER
    if None in waiting:
        return sentences.FOR_ALL
    if player in names:
        return sentences.YOUR_TURN.format(name=player)
    return sentences.WAITING_FOR.format(names=" and ".join(", ".join(names).rsplit(", ", 1)))


def look_at(zone, told, heard):
    """Whether a place says its name, how many cards lie there, and each of them in its order."""
    title, count = capitalised(told(zone.title)), len(zone.cards)
    said = re.compile(re.escape(title if count == 1 else f"{title} {count}") + "(: .*)?")
    (at,) = (k for k, one in enumerate(heard) if one.role == "heading" and said.fullmatch(one.name))
    if not zone.known and (count >= PILE or ": " in heard[at].name):
        return
    things = [one for one in heard[at:] if one.role in ("StaticText", "button", "heading")
              and one.parents[-1].role not in ("button", "heading")]  # fmt: skip
    names = [re.split(r"[:,] ", one.name)[0] for one in things[1 : count + 1]]
    assert names == [told(card.name) for card in zone.cards], (zone.name, things)


# -- what is done --------------------------------------------------------------------------------


def act(table, page, event):
    """Takes the step that an event is, as its player finds it by the step's name."""
    game, view = table.session.game, table.view(page.seat)
    number, sent = touches_for(game, view, event)
    step = guidance_of(game, view).steps[number]
    asked = form_of(game, view, step, number, page.language)
    words = [named(one, values) for one, values in zip(asked.fields, sent or (), strict=False)]
    alone = f"{words[0][0][0]}: {asked.title}" if len(words) == 1 and len(words[0]) == 1 else ""
    if alone and (thing := page.all("button", alone)):
        page.press(thing[0])
    elif not asked.fields:
        page.press(page.one("button", asked.title))
    else:
        unfold(page, asked.title)
        if "refused" not in page.tried:
            be_refused(page, asked.title)
        if sent is None:
            page.press(page.one("button", asked.without, asked.title))
        else:
            fill(page, asked, sent, words)
    confirm(page, step)


def named(asked, values):
    """The name of each thing chosen, and it as a sentence says it; a text has none."""
    choices = {one.number: one for row in (*asked.rows, *asked.others) for one in row}
    found = [choices[value] for value in values] if asked.kind != "text" else []
    return [(one.label, one.said or one.label) for one in found]


def unfold(page, title):
    """Opens what the form of a step is folded into."""
    folds = re.compile("|".join(map(re.escape, (title, SHOWN, sentences.MORE))))
    while not page.all("form", title):
        shut = [one for one in page.all("DisclosureTriangle", folds) if not one.states["expanded"]]
        page.press(shut[0])
        page.until(
            lambda name=shut[0].name: page.one("DisclosureTriangle", name).states["expanded"]
        )


def be_refused(page, title):
    """What is refused is said at once with the reason, and so is why a card cannot be meant."""
    page.tried.add("refused")
    page.press(page.one("button", re.compile(".* …"), title))
    page.until(lambda: sentences.MISSING in page.said("alert"))
    off = [one for one in page.all("button", None, title) if one.states.get("disabled")]
    if off:
        page.press(off[0])
        page.until(lambda: capitalised(off[0].name) in page.said("alert"))


def fill(page, asked, sent, words):
    """Says all that a form asks for; then its button says what it will do."""
    for one, values, names in zip(asked.fields, sent, words, strict=True):
        if one.kind == "text":
            write(page, one, values, asked.title)
        for order, (name, said) in enumerate(names, 1):
            choose(page, one, name, said, asked.title, order)
    last = -2 if asked.without else -1
    page.until(lambda: not page.all("button", None, asked.title)[last].name.endswith("…"))
    page.press(page.all("button", None, asked.title)[last], "Enter")


def choose(page, asked, name, said, form, order):
    """Chooses one thing by its name, and hears that it is chosen."""
    role = "checkbox" if asked.kind == "several" else "radio"
    blank, filled = re.compile(re.escape(asked.title) + "(: .*)?"), f"{asked.title}: {said}"
    for one in page.all("button", blank, form):
        if one.name != filled and not one.states["expanded"]:
            page.press(one)
    if page.all("button", filled, form):
        return
    if not page.all(role, name, form):
        page.press(page.one("DisclosureTriangle", sentences.OTHER_CARDS, form))
    if page.one(role, name, form).states["checked"] == "false":
        page.press(page.one(role, name, form))
    page.until(page.focused)
    if page.all("button", blank, form):
        page.until(lambda: page.all("button", filled, form))
        return
    total = f" of {asked.count}" if asked.count else ""
    place, told = (f" {order}", f" {order}{total}") if role == "checkbox" else ("", "")
    page.until(lambda: [one.states["checked"] for one in
                        page.all(role, name + place, form)] == ["true"])  # fmt: skip
    assert page.one("group", asked.title + told, form)


def write(page, asked, text, form):
    """Types a text, or says it by the keys that there are for it."""
    if asked.groups:
        key = next(one.name for one in page.all("button", None, form) if "pressed" in one.states)
        for now in ("true", "false"):
            page.press(page.one("button", key, form))
            page.until(lambda now=now: page.one("button", key, form).states["pressed"] == now)
    for letter in text if asked.keys else ():
        page.press(page.one("button", f"{letter} {dict(asked.keys)[letter]}", form))
    if not asked.keys:
        page.press(page.one("textbox", asked.title, form), "Control+A")
        page.page.keyboard.type(text)
    page.until(lambda: page.one("textbox", asked.title, form).value == text)


def confirm(page, step):
    """Says yes where the page asks: its question is the dialog's name."""
    page.page.wait_for_function(ANSWERED)
    is_asked = page.page.locator("dialog[open]").count()  # heard only where there is one
    asking = page.all("dialog") if is_asked else []
    assert asking or not step.commits
    for one in asking:
        assert one.name.endswith("?"), one
        page.press(page.one("button", sentences.SURE), "Enter")


# -- what no match needs -------------------------------------------------------------------------


def test_a_notepad_is_read_and_marked_by_listening(running, table):
    ann = Listener(running, table, 0)
    place = re.compile("Bo 1: A [0-9]+ %, .*")
    ann.press(ann.until(lambda: ann.all("button", place))[0])
    ann.until(lambda: "still open" in ann.said("status"))
    assert faults(ann.hear()) == []
    cross = re.compile(f"Bo 1: .*, {sentences.MARK}: {sentences.MARK_CROSS}")
    ann.press(ann.one("button", sentences.MARK_CROSS))
    ann.until(lambda: ann.all("button", cross))
    ann.press(ann.all("button", cross)[0])
    ann.until(lambda: [one.states["pressed"] for one in
                       ann.all("button", sentences.MARK_CROSS)] == ["true"])  # fmt: skip
    ann.press(ann.one("button", sentences.IS_NOT_SO))
    dropped = re.compile(sentences.DROP_ALOUD.format(supposed=".*"))
    ann.press(ann.until(lambda: ann.all("button", dropped))[0])
    ann.until(lambda: not ann.all("button", dropped))
    ann.hide(True)
    assert [one.name for one in ann.hear(anew=True) if one.role in ("button", "heading")] == [
        sentences.UNCOVER, sentences.NOTEPAD,
    ]  # fmt: skip


def test_arrows_go_through_all_choices_of_a_blank(running, table):
    ann = Listener(running, table, 0)
    form = "Guess a card of Bo"
    ann.press(ann.one("radio", "1", form), "ArrowDown")
    ann.page.keyboard.press("ArrowDown")
    ann.until(lambda: ann.all("button", "Its place: 3rd", form))
    assert ann.one("radio", "3", form).states["checked"] == "true"
    assert ann.focused().name == "3"


def test_a_doubtful_card_is_told_in_words(running, tmp_path, table):
    ann = Listener(running, table, 0)
    read = {"answer": "done", "sure": ["2S", "5H", "9C", "JD"], "doubtful": ["KD"]}
    ann.page.route("**/frame*", lambda route: route.fulfill(body=json.dumps(read)))
    picture = tmp_path / "photo.png"
    picture.write_bytes(ann.page.screenshot())
    ann.press(ann.one("DisclosureTriangle", SHOWN))
    ann.page.locator("#do [data-photo]").first.set_input_files(picture)
    card = "King of Diamonds"
    ann.until(lambda: ann.one("checkbox", card).description == sentences.DOUBTFUL)
    assert not any(one.description for one in ann.all("checkbox") if one.name != card)
    ann.press(ann.one("checkbox", card))
    assert ann.one("checkbox", f"{card} 5").description == ""
