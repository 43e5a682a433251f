"""How many touches a turn takes on the seat pages: `python -m tests.mobile.seats.touches`.

Each is done twice, on tables of their own: by filling the form in, as every page took it before,
and on the things themselves.
"""

import json
import sys
import tempfile
from pathlib import Path

from tests.mobile.seats.browser import Screen, browser, touches_for
from tests.mobile.seats.hosting import hosted, journalled, serving


def by_form(table, screen, line):
    """Does what a line says by filling in its form."""
    event = table.referee.parse_typed(line)
    view = table.view(screen.seat)
    screen.wait_for_state(len(view.log))
    found = touches_for(table.session.game, view, event)
    screen.step(*found)


def turn(table, screens, lines, by_things):
    """Does lines by forms, or what `by_things` does instead of them; gives touches for both."""
    before = sum(screen.touches for screen in screens.values())
    stands = table.referee.stands
    if by_things is None:
        for line in lines:
            name = line.split(":")[0].rstrip("*")
            by_form(table, screens[name], line)
    else:
        by_things(table, screens)
    assert [one.text for one in table.view(None).log[stands:]] == list(lines)
    return sum(screen.touches for screen in screens.values()) - before


def gotcha(_table, screens):
    ann, bo = screens["Ann"], screens["Bo"]
    ann.touch("Bo's hand", number=2)
    ann.tap(ann.page.locator("#do .field:not(.settled) label.choice:visible").nth(6))
    ann.press("You guess: Bo's 2nd smallest card is a 7")
    bo.wait_for_state(1)
    bo.press("Wrong")


def suspects(table, screens):
    ann = screens["Ann"]
    for card in ("2 of Spades", "3 of Spades", "4 of Spades", "5 of Spades", "6 of Spades"):
        ann.wait_for_state(len(table.view(0).log))
        ann.touch("Your suspects", card=card)


def question(table, screens):
    ann, bo = screens["Ann"], screens["Bo"]
    ann.wait_for_state(len(table.view(0).log))
    keys = ann.page.locator("#do [data-key]")
    ann.tap(keys.filter(has_text="red"))
    ann.tap(keys.filter(has_text="royal"))
    ann.page.get_by_role("button", name="You ask: red and royal?").wait_for()
    ann.press("You ask: red and royal?")
    bo.wait_for_state(len(table.view(1).log))
    bo.press("No")


def deduction(table, screens):
    ann, bo = screens["Ann"], screens["Bo"]
    ann.wait_for_state(len(table.view(0).log))
    ann.tap(ann.page.locator("#do label.choice:visible", has_text="4 of Crowns").first)
    ann.tap(ann.page.locator("#do button.primary"))
    ann.page.locator("#do .blanks").wait_for()
    ann.touch("Bo's hand")
    ann.tap(ann.page.locator("#do button[data-blank='1']"))
    ann.tap(ann.page.locator("#do label.choice:visible", has_text="Crowns"))
    ann.tap(ann.page.locator("#do button.primary"))
    bo.wait_for_state(len(table.view(1).log))
    bo.press("2: Say how many")
    ann.wait_for_state(len(table.view(0).log))
    ann.press("End the turn")


def suspense(table, screens):
    ann = screens["Ann"]
    ann.wait_for_state(len(table.view(0).log))
    ann.touch("Your hand", card="white 2")


def precognition(table, screens):
    ann = screens["Ann"]
    ann.wait_for_state(len(table.view(0).log))
    ann.tap(ann.page.locator("#do label.choice:visible", has_text="7 of Hearts").first)
    ann.press("You place 7♥")


SETTLED = (
    "table: deal Ann 2S 3S 4S 5S 6S 7S 8S 9S 10S JS",
    "table: deal Bo 2D 3D 4D 5D 6D 7D 8D 9D 10D JD",
)
MISSING = ("Ann: hide ??", "Bo: hide ??", *SETTLED)
#: What → game, options, lines before, lines, on the things.
TURNS = {
    "Gotcha: a guess and its answer": (
        "gotcha", {"deal": "5"}, (), ("Ann: guess Bo smallest 2 is 7", "Bo: wrong"), gotcha),
    "Missing Persons: five suspects turned over": (
        "missing-persons", {}, MISSING,
        tuple(f"Ann: turn {rank}S" for rank in "23456"), suspects),
    "Missing Persons: a question and its answer": (
        "missing-persons", {}, MISSING, ('Ann: ask "red and royal?"', "Bo: no"), question),
    "Deduction: a whole turn": (
        "deduction", {}, ("table: up AM 0H", "Ann*: hand AS 5S 4M 2C 4C AH 3H"),
        ("Ann: coin 4C", "Ann: ask Bo count Crowns", "Bo: 2", "Ann: done"), deduction),
    "Suspense: a card of one's hand": (
        "suspense", {}, ("table: dealer Bo", "Bo*: hand W3 W6 B3 B4", "Ann*: hand W2 B1 B6 !",
                         "Cy*: hand W1 W5 B2 B5", "Bo: play W3", "Cy: play B2"),
        ("Ann: play W2",), suspense),
    "Precognition: a card of the row": (
        "precognition", {},
        ("Ann*: predict UD", "Bo*: predict DU", "Ann: place 5H", "Bo: place 9S"),
        ("Ann: place 7H",), precognition),
}  # fmt: skip
#: Games that two cannot play.
THREE = ("deduction", "suspense")


def count(running, folder, what):
    """Touches by forms and on things."""
    game, options, before, lines, things = TURNS[what]
    found = []
    for number, way in enumerate((None, things)):
        place = folder / str(number)
        place.mkdir()
        names = ["Ann", "Bo", *(["Cy"] if game in THREE else [])]
        with hosted(place, game, names, options, secure=True) as table:
            for line in before:
                table.record(line)
            screens = {name: Screen(running, table.urls["seats"][name], seat).sit_down()
                       for seat, name in enumerate(names)}  # fmt: skip
            found.append(turn(table, screens, lines, way))
            for screen in screens.values():
                assert screen.faults == []
                screen.context.close()
    return {"forms": found[0], "things": found[1]}


GLANCERS = ("Ann", "Bo", "Cy", "Dee")
_IN_SIGHT = """() => {
  const box = document.querySelector('#sheet .picture').getBoundingClientRect();
  return box.top < innerHeight - 100 && box.bottom > 100;
}"""


def glance(screen, *, put_away):
    """One player looks at the notepad; a swipe counts as a touch."""
    page = screen.page
    if put_away:  # and taken up again: the page was covered meanwhile
        screen.hide(True)
        screen.hide(False)
        assert not page.locator("#sheet .picture").first.is_visible()
        screen.tap(page.locator("#cover button[value=pad]"))
        # The notepad comes as the question's end is heard, which may be after the touch's.
        page.wait_for_function("() => scrollY > 0")
    page.locator("#sheet .picture").first.wait_for()
    if not page.evaluate(_IN_SIGHT):
        screen.touches += 1
        page.evaluate("document.querySelector('#pad').scrollIntoView()")
    assert page.evaluate(_IN_SIGHT)


def glances(running, folder, *, pins):
    """Touches of a round in which four players look at their notepads.

    Returns:
        With phones that were put away, and with phones that lie there with their pages open.
    """
    with journalled(folder, "deduction", GLANCERS) as session:
        for seat in range(4) if pins else ():
            session.set_pin(seat, f"471{seat}")
        with serving(session, folder, secure=True) as table:
            screens = []
            for seat, name in enumerate(GLANCERS):
                screen = Screen(running, table.urls["seats"][name], seat)
                if pins:
                    screen.join("#pin input")
                    screen.page.locator("#pin input").fill(f"471{seat}")
                screens.append(screen.sit_down())
            found = []
            for put_away in (True, False):
                for screen in screens:
                    screen.page.evaluate("scrollTo(0, 0)")
                before = sum(screen.touches for screen in screens)
                for screen in screens:
                    glance(screen, put_away=put_away)
                found.append(sum(screen.touches for screen in screens) - before)
            for screen in screens:
                screen.context.close()
            return found


def main():
    """Prints the table."""
    found = {}
    with browser() as running:
        for pins in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                what = f"four glance at their notepads{', with PINs' if pins else ''}"
                away, on = glances(running, Path(folder), pins=pins)
                found[what] = {
                    "phones put away": away,
                    "pages open": on,
                    "one phone for all": 36 if pins else 16,
                }
        for what in TURNS:
            with tempfile.TemporaryDirectory() as folder:
                found[what] = count(running, Path(folder), what)
    print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
