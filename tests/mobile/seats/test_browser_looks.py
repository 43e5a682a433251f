"""What a page does in a real browser when it is touched, left, covered, and told something new."""

import random

import pytest

from tests.mobile.seats.browser import ANSWERED, Screen, needs_browser
from tests.mobile.seats.hosting import hosted, journalled, serving
from tests.mobile.seats.looks import (
    CHECKS,
    advance,
)
from tests.mobile.seats.touches import MISSING

pytestmark = [needs_browser(), pytest.mark.browser]


@pytest.mark.slow
def test_the_checks_find_what_is_wrong(ann):
    assert ann.page.evaluate(CHECKS) == []
    ann.page.evaluate(
        """() => {
          const wrong = '<button class=cell></button><h1>Again</h1><p id=now>Twice</p>';
          document.querySelector('main').insertAdjacentHTML('beforeend', wrong);
          const p = document.querySelector('p.headline');
          p.style.color = '#333';
          const wide = document.createElement('div');
          wide.style.width = '900px'; wide.textContent = 'wide';
          document.body.append(wide);
          document.querySelector('details.more > summary').style.minHeight = '10px';
          document.querySelector('details.more > summary').style.padding = '0';
        }"""
    )
    found = " ".join(ann.page.evaluate(CHECKS))
    for fault in ("wide", "no name", "twice", "contrast", "not one h1", "small"):
        assert fault in found, fault


def test_a_page_is_covered_when_it_is_left_and_opened_by_a_touch(ann):
    assert ann.page.locator("main").is_visible()
    ann.hide(True)
    assert not ann.page.locator("#now h1").is_visible()
    ann.hide(False)
    assert not ann.page.locator("#now h1").is_visible()
    ann.tap(ann.page.locator("#cover button.primary"))
    assert ann.page.locator("#now h1").is_visible()


@pytest.mark.slow
def test_a_question_goes_when_the_page_is_covered(table, ann):
    ann.tap(ann.page.locator("details.more > summary"))
    ann.tap(ann.page.get_by_role("button", name="Stop here"))
    ann.page.locator("dialog[open]").wait_for()
    ann.hide(True)
    ann.page.locator("#ask").wait_for(state="hidden")
    ann.page.wait_for_function(ANSWERED)
    assert not table.referee.log


def test_a_late_answer_brings_nothing_old(table, ann, bo):
    held = []

    def hold(route):
        held.append((route, route.fetch()))

    ann.page.route("**/act", hold)
    ann.tap(ann.page.locator("details.more > summary"))
    ann.page.locator("#line").fill("guess Bo smallest 1 is 2")
    ann.tap(ann.page.locator("form.typed button"))
    ann.wait_for_state(1)
    bo.wait_for_state(1)
    bo.press("Wrong")
    ann.wait_for_state(2)
    ((route, answer),) = held
    route.fulfill(response=answer)
    ann.page.wait_for_function(ANSWERED)
    assert ann.state == 2
    assert ann.page.locator("#now .headline").inner_text() == table.headline(0)


@pytest.mark.slow
def test_the_cell_touched_last_is_explained(ann):
    """The answer for the one before comes late."""
    cells = ann.page.locator("#sheet [data-cell]")
    cells.first.wait_for()
    late = []

    def answer(route):
        if late:
            route.continue_()
        else:
            late.append((route, route.fetch()))

    ann.page.route("**/why", answer)
    why = ann.page.locator("#why")
    ann.tap(cells.nth(0))
    ann.page.wait_for_function("() => document.querySelector('#why').textContent === ''")
    while not late:
        ann.page.wait_for_timeout(20)
    ann.tap(cells.nth(1))
    ann.page.wait_for_function("() => document.querySelector('#why').textContent !== ''")
    explained = why.inner_html()
    ((route, first),) = late
    assert first.json()["html"] not in ("", explained)
    route.fulfill(response=first)
    ann.page.wait_for_timeout(200)
    assert why.inner_html() == explained


@pytest.mark.slow
def test_what_is_looked_at_stays_and_takes_no_touch_that_was_on_its_way(running, table):
    ann = Screen(running, table.urls["seats"]["Ann"], 0, height=480).sit_down()
    bo = Screen(running, table.urls["seats"]["Bo"], 1).sit_down()
    ann.page.locator("#sheet .picture").first.wait_for()
    ann.page.evaluate(
        """() => {
          document.querySelector('#pad').scrollIntoView();
          window.was = [];
          new MutationObserver(() => was.push(touches.isQuiet()))
            .observe(document.querySelector('#do'), { childList: true });
        }"""
    )
    offset = "document.querySelector('#pad').getBoundingClientRect().top"
    height = "document.querySelector('#do').offsetHeight"
    before = ann.page.evaluate(offset), ann.page.evaluate(height)
    bo.type("Ann: guess Bo smallest 1 is 2")
    ann.wait_for_state(1)
    assert abs(ann.page.evaluate(offset) - before[0]) < 2
    assert abs(ann.page.evaluate(height) - before[1]) > 50
    assert ann.page.evaluate("was") == [True]
    ann.page.wait_for_function("() => !touches.isQuiet()")


#: Marks what came with the page, and counts what the stream brings.
_SERVED = """
  const Stream = EventSource;
  globalThis.EventSource = class extends Stream {
    constructor(...asked) {
      super(...asked);
      this.addEventListener('page', () => { globalThis.heard = true; });
    }
  };
  document.addEventListener('DOMContentLoaded', () => {
    for (const one of document.querySelectorAll('section > *')) one.wasServed = true;
  });
"""
_NEW = """() => [...document.querySelectorAll('section > *')]
  .filter((one) => !one.wasServed && !one.closest('#pad')).map((one) => one.outerHTML)"""


@pytest.mark.slow
def test_the_first_message_puts_nothing_new_under_a_finger(running, table, ann):
    for screen in (ann, Screen(running, table.urls["table"], None).wait_for_table()):
        screen.page.add_init_script(_SERVED)
        screen.page.reload()
        screen.page.wait_for_function("() => globalThis.heard")
        assert screen.page.evaluate(_NEW) == []


#: Notes what moves on the page: the named cards, and whether each was there before.
_MOVES = """() => {
  globalThis.moves = [];
  const start = document.startViewTransition.bind(document);
  document.startViewTransition = (change) => {
    const transition = start(change);
    transition.ready.then(() => moves.push(document.getAnimations()
      .map((one) => one.effect.pseudoElement).filter((one) => one?.includes('card-'))), () => {});
    return transition;
  };
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("motion", "covered", "moving"),
    [("no-preference", False, 13), ("reduce", False, 0), ("no-preference", True, 0)],
)
def test_a_card_goes_from_the_hand_to_the_table(motion, covered, moving, running, tmp_path):
    """Not where motion is not wanted, and not on a page that is covered."""
    options = {"starter": "Ann", "pass": "hold", "target": "0"}
    with hosted(tmp_path, "hearts", ["Ann", "Bo", "Cy", "Dee"], options, secure=True) as table:
        ann = Screen(running, table.urls["seats"]["Ann"], 0, reduced_motion=motion).sit_down()

        def record(line):
            table.record(line)
            ann.wait_for_state(table.referee.stands)

        record("Ann*: hand 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC AC")
        ann.page.wait_for_timeout(300)
        ann.page.evaluate(_MOVES)
        if covered:
            ann.hide(True)
            ann.hide(False)
            ann.page.locator("#cover").wait_for()
        record("Ann: play 2C")
        ann.page.wait_for_timeout(100)
        # What has an old and a new picture is the same card before and after.
        moved = [one for moves in ann.page.evaluate("moves") for one in moves]
        same = {one for one in moved if one.startswith("::view-transition-old(card-")}
        assert len(same) == moving, moved
        assert ann.page.locator(".board .place .sr", has_text="2 of Clubs").count() == 1
        assert ann.page.locator("#hand .card").count() == 12
        assert ann.faults == []


@pytest.mark.slow
def test_a_seat_is_freed_after_a_question(running, table, ann):
    screen = Screen(running, table.urls["table"], None).wait_for_table()
    screen.tap(screen.page.get_by_role("button", name="Free Ann's seat"))
    screen.tap(screen.page.locator("dialog[open]").get_by_role("button", name="No"))
    screen.tap(screen.page.get_by_role("button", name="Free Ann's seat"))
    screen.tap(screen.page.locator("dialog[open] button.primary"))
    screen.page.get_by_role("button", name="Show Ann's code").wait_for()
    ann.page.get_by_role("heading", name="A seat at the table").wait_for()
    told = "Ann's seat was freed: this phone no longer has it. Scan the code"
    assert ann.told().startswith(told)
    assert not ann.page.get_by_text("This phone becomes Ann's").is_visible()


@pytest.mark.slow
def test_the_next_free_seats_code_stands_in_the_corner_of_a_wide_screen(running, table):
    url = table.host.state.url
    wide = Screen(running, url("table"), None, width=1280, height=800).wait_for_table()
    slender = Screen(running, url("table"), None).wait_for_table()
    wide.page.locator('#corner [data-place="1"] svg').wait_for()
    assert wide.page.evaluate(CHECKS) == []
    code = wide.page.locator("#corner a").get_attribute("href")
    # What was asked for meanwhile holds as well.
    asked = Screen(running, url("1"), 0)
    ann = Screen(running, code, 0).sit_down()
    asked.page.locator("#join button").tap()
    asked.page.locator("#told", has_text="expired").wait_for()
    assert not asked.page.locator("#join").is_visible(), "its button leads nowhere"
    wide.page.locator('#corner [data-place="2"] svg').wait_for()
    Screen(running, wide.page.locator("#corner a").get_attribute("href"), 1).sit_down()
    wide.page.locator("#corner svg").wait_for(state="detached")
    assert not slender.page.locator("#corner").is_visible()
    assert [screen.faults for screen in (wide, slender, ann)] == [[], [], []]


@pytest.mark.slow
def test_a_code_that_is_dead_is_said_at_once_and_a_short_code_opens_all_the_same(running, table):
    dead = table.host.state.url("1")
    ann = Screen(running, table.host.state.url("1"), 0).sit_down()
    for url, told in ((dead, "expired"), (dead.partition("#")[0], "Scan the code")):
        late = Screen(running, url, 0)
        late.page.locator("#told", has_text=told).wait_for()
        assert not late.page.locator("#join").is_visible(), "its button leads nowhere"
        assert late.page.get_by_role("link", name="Look at the table").is_visible()
        assert late.page.evaluate(CHECKS) == []
    late.page.locator("#sit input").fill(table.host.state.invited("2").short)
    late.page.locator("#sit button").tap()
    late.page.get_by_role("button", name="Sit down as Bo").wait_for()
    assert not late.page.locator("#sit").is_visible()
    assert ann.faults == []


#: Where the headline is out of sight, what stands at the top of the screen.
_AT_TOP = "document.elementFromPoint(innerWidth / 2, 20).closest('.sign, #now')?.textContent"


def test_a_scrolled_page_says_that_it_is_ones_turn_and_leads_to_the_top(table, ann):
    sign = ann.page.locator(".sign")
    assert sign.text_content() == "▲ Your turn, Ann"
    box, now = sign.bounding_box(), ann.page.locator("#now").bounding_box()
    assert now["y"] <= box["y"], "behind the headline"
    assert box["y"] + box["height"] <= now["y"] + now["height"], "behind the headline"
    ann.page.set_viewport_size({"width": 360, "height": 480})
    ann.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert ann.page.evaluate(_AT_TOP) == "▲ Your turn, Ann"
    ann.tap(sign)
    ann.page.wait_for_function("scrollY === 0")
    table.record("Ann: guess Bo smallest 1 is 2")
    sign.wait_for(state="detached")


@pytest.mark.slow
def test_a_picker_keeps_every_card_in_its_place_and_above_its_button(running, tmp_path):
    with hosted(tmp_path, "suspense", ["Ann", "Bo"], secure=True) as table:
        table.record("table: dealer Ann")
        url = table.host.state.url("1")
        ann = Screen(running, url, 0, width=360, height=640).sit_down()
        row = ann.page.locator("#do .row").first
        button = ann.page.locator("#do div.fold .send").bounding_box()
        assert row.bounding_box()["y"] + row.bounding_box()["height"] <= button["y"] + 10
        table.record("Ann: play W3")
        table.record("Bo: play W5")
        ann.wait_for_state(3)
        tops = [one.bounding_box()["y"] for one in row.locator(".choice").all()]
        assert (len(tops), len(set(tops))) == (6, 1), tops
        # Whoever waits sees first what lies there, and the notepad in two columns.
        table.record("Ann: play W6")
        ann.wait_for_state(4)
        top = ann.page.locator("#table").bounding_box()["y"]
        ann.page.locator("#sheet .band").first.wait_for()
        assert top < ann.page.locator("#pad").bounding_box()["y"]
        band = "getComputedStyle(document.querySelector('.band')).gridTemplateColumns.split(' ')"
        assert ann.page.evaluate(f"{band}.length") == 2


@pytest.mark.slow
def test_suspects_that_are_turned_over_lie_as_backs_and_all_fits_the_tables_screen(
    running, tmp_path
):
    with hosted(tmp_path, "missing-persons", ["Ann", "Bo"], secure=True) as table:
        for line in MISSING:
            table.record(line)
        url = table.host.state.url("table")
        wide = Screen(running, url, None, width=1280, height=800).wait_for_table()
        rng = random.Random(3)
        for lines in (8, 16, 24):
            advance(table, lines, rng)
            wide.wait_for_state(table.state(None))
            assert wide.page.evaluate("document.documentElement.scrollHeight") == 800
            ground = "getComputedStyle(document.querySelector('.over .card')).backgroundImage"
            assert "repeating" in wide.page.evaluate(ground)
        assert wide.page.evaluate(CHECKS) == []


@pytest.mark.slow
def test_a_touch_shows_no_ring_of_the_keyboard(running, tmp_path):
    with hosted(tmp_path, "deduction", ["Ann", "Bo", "Cy"], secure=True) as table:
        for line in ("table: up AM 0H", "Ann: coin 4C"):
            table.record(line)
        ann = Screen(running, table.host.state.url("1"), 0).sit_down()
        ann.touch("Bo's hand")
        ring = "getComputedStyle(document.querySelector('.field.active .word')).outlineStyle"
        assert ann.page.evaluate("document.activeElement.tagName") == "INPUT"
        assert ann.page.evaluate(ring) == "none"
        ann.page.keyboard.press("Tab")
        ann.page.keyboard.press("Shift+Tab")
        assert ann.page.evaluate(ring) == "solid"


@pytest.mark.slow
def test_the_tables_forms_stand_beside_the_table(running, table):
    wide = Screen(running, table.urls["table"], None, width=1280, height=800).wait_for_table()
    wide.unrail()
    button = wide.page.locator("[data-rail]")
    assert button.inner_text() == "Close"
    rail, closer = wide.page.locator("#rail").bounding_box(), button.bounding_box()
    assert closer["y"] + closer["height"] <= rail["y"]
    for part in (".words", "#now", "#table", "#seats"):
        box = wide.page.locator(part).first.bounding_box()
        assert box["x"] + box["width"] <= rail["x"], part
    wide.tap(button)
    assert button.inner_text() == "More"


def test_everything_is_reached_by_keyboard(table, ann):
    keys = ann.page.keyboard
    # From the top: one's hand, Bo's first card, his second, which leads to its rank; button.
    for key in ("Tab", "Tab", "Tab", "Enter", "ArrowRight", "Tab", "Enter"):
        keys.press(key)
        ann.page.wait_for_function(ANSWERED)
    ann.wait_for_state(1)
    assert [entry.event.verb for entry in table.referee.log] == ["guess"]
    assert table.referee.log[0].event.args == (1, "smallest", 2, 2)


@pytest.mark.slow
def test_what_is_being_filled_in_stays_when_something_else_happens(running, tmp_path):
    with hosted(tmp_path, "precognition", ["Ann", "Bo"], secure=True) as table:
        ann = Screen(running, table.urls["seats"]["Ann"], 0).sit_down()
        bo = Screen(running, table.urls["seats"]["Bo"], 1).sit_down()
        ann.tap(ann.page.get_by_text("More", exact=True))
        line = ann.page.locator("#line")
        line.fill("Ann*: predict U")
        at = ann.page.evaluate("scrollY")
        bo.type("Bo*: predict UD")
        ann.wait_for_state(1)
        assert ann.page.locator("details.more").get_attribute("open") is not None
        assert ann.page.evaluate("document.activeElement.id") == "line"
        assert line.input_value() == "Ann*: predict U"
        assert abs(ann.page.evaluate("scrollY") - at) < 5
        # So do cards that were chosen, though their numbers have changed.
        ann.tap(ann.page.locator("summary", has_text="Place the first card"))
        card = ann.page.locator("label.choice:visible", has_text="5 of Hearts").first
        ann.tap(card)
        # The keyboard stays where it was, on something without a name of its own, too.
        ann.page.locator("summary", has_text="Place the first card").focus()
        bo.type("table: undo")
        ann.wait_for_state(2)
        assert card.locator("input").is_checked()
        assert ann.page.evaluate("document.activeElement.tagName") == "SUMMARY"


@pytest.mark.slow
def test_a_touched_cell_says_why_and_takes_a_mark(running, tmp_path):
    with hosted(tmp_path, "deduction", ["Ann", "Bo", "Cy"], secure=True) as table:
        ann = Screen(running, table.urls["seats"]["Ann"], 0).sit_down()
        ann.tap(ann.page.locator(".cell").nth(3))
        assert "%" in ann.page.locator("#why p").first.inner_text()
        ground = "getComputedStyle(document.querySelector('[data-mark=\"\"]')).backgroundColor"
        lit = "getComputedStyle(document.querySelector('.status'), '::before').color"
        assert ann.page.evaluate(f"{ground} !== {lit}"), "no mark is no action"
        ann.tap(ann.page.locator('[data-mark="?"]'))
        ann.page.locator(".cell .mark").wait_for()
        assert ann.page.locator(".cell .mark").inner_text() == "?"
        assert ann.faults == []


def test_the_sheet_with_the_why_goes_by_its_button_by_escape_and_by_any_other_touch(ann):
    why = ann.page.locator("#why")
    ways = (
        lambda: ann.tap(why.get_by_role("button", name="Close")),
        lambda: ann.page.keyboard.press("Escape"),
        lambda: ann.touch("Bo's hand", number=2),
    )
    for leave in ways:
        ann.tap(ann.page.locator("#sheet .cell").first)
        why.locator("p").first.wait_for()
        ann.page.evaluate("scrollTo(0, 0)")
        leave()
        why.wait_for(state="hidden")
    assert ann.page.locator("[data-blank]").first.inner_text() == "2nd", "that touch counts as well"
    assert ann.faults == []


def test_what_is_missing_is_said_until_something_is_chosen_and_what_follows_is_in_sight(
    running, tmp_path
):
    players = ["Ann", "Bo", "Cy", "Dee"]
    with hosted(tmp_path, "hearts", players, {"starter": "Ann"}, secure=True) as table:
        ann = Screen(running, table.urls["seats"]["Ann"], 0).sit_down()
        ann.tap(ann.page.locator("#do .lead summary"))
        button = ann.page.locator("#do .lead button[type=submit]")
        ann.tap(button)
        ann.page.locator("#told", has_text="Something is still missing").wait_for()
        for choice in ann.page.locator("#do .lead label.choice").all()[-13:]:
            ann.tap(choice)
        assert ann.told() == ""
        assert button.inner_text() == "Keep these 13 secret"
        ann.tap(button)
        ann.wait_for_state(1)
        ann.page.wait_for_function(ANSWERED)
        assert ann.page.evaluate(_TOP_OF, "#now") >= 0
        # What leaves the hand is not kept.
        for choice in ann.page.locator("#do label.choice").all()[:3]:
            ann.tap(choice)
        ann.page.locator("#do button.primary", has_text="You pass on A♣ 2♣ 3♣").wait_for()
        assert ann.faults == []


_TOP_OF = "(name) => document.querySelector(name).getBoundingClientRect().top"


@pytest.mark.slow
def test_what_would_follow_is_tried_by_touch_until_something_happens(running, tmp_path):
    with hosted(tmp_path, "deduction", ["Ann", "Bo", "Cy"], secure=True) as table:
        ann = Screen(running, table.urls["seats"]["Ann"], 0).sit_down()
        bo = Screen(running, table.urls["seats"]["Bo"], 1).sit_down()
        lead = ann.page.locator("#sheet > p").first
        lead.get_by_text("deals fit what you know").wait_for()
        before = ann.page.locator("#sheet").text_content()
        ann.tap(ann.page.locator(".cell").nth(3))
        ann.tap(ann.page.get_by_role("button", name="Suppose it is so"))
        line = ann.page.get_by_role("button", name="You suppose that")
        line.wait_for()
        assert lead.inner_text().endswith("deals are left then.")
        assert ann.page.locator("#why").inner_text() == ""
        assert ann.page.evaluate(CHECKS) == []
        ann.tap(ann.page.locator("#sheet .cell").nth(5))
        ann.tap(ann.page.locator("#why .cell").nth(1))  # the same tile in Ann's own hand
        ann.page.locator('#why .cell:nth-child(2)[aria-pressed="true"]').wait_for()
        ann.tap(ann.page.get_by_role("button", name="Suppose it is not so"))
        line.nth(1).wait_for()
        # One line back, the other line back: all is as it was.
        ann.tap(line.first)
        line.nth(1).wait_for(state="detached")
        ann.tap(line.first)
        lead.get_by_text("deals fit what you know").wait_for()
        assert ann.page.locator("#sheet").text_content() == before
        # What happens at the table ends it; nothing of it is in the page of another.
        ann.tap(ann.page.locator(".cell").nth(3))
        ann.tap(ann.page.get_by_role("button", name="Suppose it is so"))
        line.wait_for()
        assert "suppose" not in bo.page.content()
        bo.type("table: up AM 0H")
        ann.wait_for_state(1)
        lead.get_by_text("deals fit what you know").wait_for()
        assert line.count() == 0
        assert ann.faults == []


@pytest.mark.slow
def test_a_note_is_kept_while_it_is_written_and_opened_by_the_pin(running, tmp_path):
    with journalled(tmp_path, "deduction", ["Ann", "Bo", "Cy"]) as session:
        session.set_pin(0, "4711")
        with serving(session, tmp_path, secure=True) as table:
            ann = Screen(running, table.urls["seats"]["Ann"], 0)
            ann.page.locator("#join button").tap()
            ann.page.locator("#pin", has_text="Type Ann's PIN.").wait_for()
            assert ann.told() == "", "it is said once"
            ann.page.locator("#pin input").fill("4711")
            ann.page.locator("#join button").tap()
            note = ann.page.locator("#note textarea")
            ann.tap(ann.page.locator("#note summary"))
            with ann.page.expect_response("**/note") as kept:
                note.fill("Cy asked for Suns")
                # What another one does meanwhile does not take the letters away,
                table.record("table: up AM 0H")
                ann.wait_for_state(1)
            assert kept.value.json()["answer"] == "done"
            assert note.input_value() == "Cy asked for Suns"
            # nor does a notepad that was counted before they were kept and comes after.
            late = []
            ann.page.route("**/pad", lambda route: late.append((route, route.fetch())), times=1)
            table.record("Ann: coin 4C")
            while not late:
                ann.page.wait_for_timeout(20)
            with ann.page.expect_response("**/note"):
                note.fill("Cy asked for Suns twice")
            [(route, counted)] = late
            assert counted.json()["note"] == "Cy asked for Suns"
            with ann.page.expect_response("**/pad"):
                route.fulfill(response=counted)
            ann.page.wait_for_timeout(300)
            assert note.input_value() == "Cy asked for Suns twice"
            # As after a restart: the PIN is asked, on Ann's own phone.
            table.run(table.host.state.leave, 0)
            ann.page.reload()
            ann.page.locator(".unlock input").fill("4711")
            assert not note.is_visible()
            ann.tap(ann.page.locator(".unlock button"))
            note.wait_for()
            assert note.input_value() == "Cy asked for Suns twice"
            faults = [fault for fault in ann.faults if "403" not in fault]
            assert faults == [], "the first code without a PIN is answered by asking for it"


@pytest.mark.slow
def test_everything_is_shown_when_all_have_agreed_each_on_their_phone(running, table):
    screens = [Screen(running, table.urls["seats"][name], seat).sit_down()
               for seat, name in enumerate(("Ann", "Bo"))]  # fmt: skip
    advance(table, 999, random.Random(2))
    assert table.referee.state.table.match_over
    ann, bo = screens
    for screen in screens:
        screen.wait_for_state(len(table.view(screen.seat).log))
    ann.press("I agree to show everything")
    bo.page.get_by_text("Agreed: Ann.").wait_for()
    assert table.referee.log[-1].event.verb != "disclose"
    # Taken back, and given again.
    ann.press("I no longer agree")
    bo.page.get_by_text("Agreed: Ann.").wait_for(state="detached")
    bo.press("I agree to show everything")
    ann.page.get_by_text("Agreed: Bo.").wait_for()
    ann.press("I agree to show everything")
    bo.page.get_by_text("All secrets are disclosed.").wait_for()
    assert table.referee.log[-1].event.verb == "disclose"
    # An answer is taken back on a phone only after a question; nothing crosses the disclosure.
    assert not bo.page.get_by_role("button", name="Undo").count()
    assert [screen.faults for screen in screens] == [[], []]


@pytest.mark.slow
def test_an_answer_is_taken_back_on_a_phone_after_a_question(table, ann, bo):
    ann.type("guess Bo smallest 1 is 2")
    bo.wait_for_state(1)
    bo.press("Wrong")
    ann.wait_for_state(2)
    bo.tap(bo.page.locator("details.more > summary"))
    undo = bo.page.get_by_role("button", name="Undo")
    bo.tap(undo)
    asked = bo.page.locator("dialog[open]")
    assert asked.locator("p").inner_text().startswith("Takes back: ")
    bo.tap(asked.get_by_role("button", name="No", exact=True))
    assert table.view(1).log[-1].text == "Bo: wrong"
    bo.tap(undo)
    bo.tap(asked.get_by_role("button", name="Yes, really"))
    ann.wait_for_state(3)
    assert table.view(0).log[-1].text == "table: undo"
    assert (
        "taken back" in ann.page.locator("#log").inner_html() or ann.page.locator("#log s").count()
    ), "everybody sees it struck through"
