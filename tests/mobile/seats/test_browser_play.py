"""Whole matches on seat pages and the table's screen, by touches in a real browser."""

import random
from functools import partial

import pytest

from companion.core import registry
from companion.core.notation import write_event
from companion.core.referee import Referee
from companion.simulate import play_events
from tests.companion.test_outside_game import OUTSIDE
from tests.mobile.seats.browser import Screen, needs_browser, touches_for
from tests.mobile.seats.hosting import hosted

pytestmark = [needs_browser(), pytest.mark.browser]

#: Game → players, options, and a seed whose match is short and has everything in it.
MATCHES = {
    "precognition": (["Ann", "Bo", "Cy"], {}, 4),
    "deduction": (["Ann", "Bo", "Cy"], {}, 7),
    "gotcha": (["Ann", "Bo"], {"deal": "5"}, 2),
    "missing-persons": (["Ann", "Bo"], {}, 4),
    "suspense": (["Ann", "Bo", "Cy"], {}, 4),
    # It comes from outside the package and says nothing to any page by name.
    "high-card": (["Ann", "Bo"], {}, 4),
}
MOST_EVENTS = 160
#: When the fingers came down, by the browser's own clock, as the page reads it.
_NOTE_TOUCHES = """() => {
  globalThis.downs = [];
  addEventListener("pointerdown", (event) => downs.push(event.timeStamp), true);
}"""


@pytest.fixture
def outside(monkeypatch):
    """The sixth game is there."""
    monkeypatch.syspath_prepend(str(OUTSIDE))
    monkeypatch.setattr(registry, "_loaded", False)
    yield
    registry.unregister("high-card")


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=[] if game in ("suspense", "high-card") else pytest.mark.slow)
        for game in MATCHES
    ],
)
def test_a_match_is_played_to_its_end_by_touches(game, running, tmp_path, outside):
    players, options, seed = MATCHES[game]
    with hosted(tmp_path, game, players, options, secure=True) as table:
        seats = [Screen(running, table.urls["seats"][name], seat).sit_down()
                 for seat, name in enumerate(players)]  # fmt: skip
        screen = Screen(running, table.urls["table"], None, width=820, height=1180)
        screen.wait_for_table()
        typed = play(table, seats, screen, random.Random(seed))
        assert table.referee.state.table.match_over
        for shown in (*seats, screen):
            shown.wait_for_state(len(table.view(shown.seat).log))
            said = shown.page.locator("#now .headline").inner_text()
            assert said == table.headline(shown.seat)
            assert shown.faults == []
        assert not typed, typed


@pytest.mark.slow
@pytest.mark.parametrize("game", [game for game in MATCHES if game != "high-card"])
def test_a_second_touch_does_nothing(game, running, tmp_path):
    """On the table's screen, where everybody's buttons replace each other."""
    players, options, seed = MATCHES[game]
    rng = random.Random(seed)
    with hosted(tmp_path, game, players, options, secure=True) as table:
        screen = Screen(running, table.urls["table"], None, width=820, height=1180, brisk=False)
        screen.wait_for_table()
        screen.trembles = rng
        referee, session = table.referee, table.session
        shadow = Referee(session.game, session.setup)
        bots = [list(session.game.bots.values())[-1]] * len(players)
        done, phones = 0, {}
        for event in play_events(shadow, bots, rng):
            view = table.view(None)
            screen.wait_for_state(len(view.log))
            found = touches_for(session.game, view, event) if event.is_public else None
            before = len(referee.log)
            if found is None:
                phone = phones.setdefault(event.seat, None) or table.phone(players[event.seat])
                phones[event.seat] = phone
                line = write_event(session.game, session.setup, event)
                phone.act("type", state=table.state(event.seat), line=line)
            else:
                screen.step(*found)
                screen.page.wait_for_timeout(200)
                done += 1
                assert len(referee.log) == before + 1, (event, referee.log[before:])
            for entry in referee.log[shadow.stands :]:
                shadow.submit(entry.event)
            if shadow.state.table.match_over or done == 8:
                break
        assert done >= 3
        assert screen.faults == []


def play(table, seats, screen, rng):
    """Plays a match by what the bots choose; returns the lines that had to be typed."""
    referee, game = table.referee, table.session.game
    shadow = Referee(game, table.session.setup)
    bots = [list(game.bots.values())[-1]] * len(seats)
    typed = []
    for event in play_events(shadow, bots, rng):
        page = screen if event.seat is None else seats[event.seat]
        view = table.view(page.seat)
        page.wait_for_state(len(view.log))
        found = touches_for(game, view, event)
        before = referee.stands
        if found is None:
            line = write_event(game, table.session.setup, event)
            typed.append(line)
            page.type(line)
        else:
            page.step(*found)
        assert referee.stands > before, (event, found, page.told())
        for entry in referee.log[shadow.stands :]:
            shadow.submit(entry.event)
        if shadow.state.table.match_over or shadow.stands > MOST_EVENTS:
            return typed
    return typed


@pytest.mark.parametrize("wide", [False, True])
def test_a_second_touch_turns_nothing_back(wide, running, table):
    """A blank of two choices takes the other; a wide table's screen opens its forms: once each."""
    url = table.urls["table"] if wide else table.urls["seats"]["Ann"]
    seat, width = (None, 1280) if wide else (0, 390)
    screen = Screen(running, url, seat, width=width, brisk=False)
    if wide:
        button = screen.wait_for_table().page.locator("[data-rail]")
    else:
        button = screen.sit_down().page.locator("#do .blank").nth(1)
        assert button.inner_text() == "smallest"
    said = partial(button.get_attribute, "aria-expanded") if wide else button.inner_text
    screen.page.evaluate(_NOTE_TOUCHES)
    most = 380
    for attempt in range(16):
        # A busy machine makes two touches of a double touch, and it is tried again. One that
        # never is quick enough has more time, in which the page lets no second one count.
        if attempt == 8:
            screen.page.evaluate("document.body.dataset.quiet = '2000'")
            most = 1900
        before = said()
        screen.tap(button)
        box = button.bounding_box()
        screen.page.wait_for_timeout(120)
        screen.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        screen.page.wait_for_timeout(100)
        gap = screen.page.evaluate("downs.at(-1) - downs.at(-2)")
        if gap < most:
            break
    assert gap < most
    assert {before, said()} == ({"false", "true"} if wide else {"smallest", "biggest"})
    assert screen.faults == []
