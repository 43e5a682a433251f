"""A monkey at the seat pages: random touches in a real browser, on all pages of a table at once.

Bots play on now and then, so that a match goes through all that it has. Phones are put away and
taken up, pages are opened anew and networks fail in between. An error of a page's script or of the
host ends the run, and so does a page that does not say what the referee says, one on which
something is wrong to the eye (`checks.js`), or one that shows another player's note.
"""

from __future__ import annotations

import contextlib
import random

from companion.errors import CompanionError
from tests.mobile.seats.browser import ANSWERED, Screen
from tests.mobile.seats.hosting import hosted
from tests.mobile.seats.looks import CHECKS, MATCHES, advance

NOTE = "Zugzwang-Zebra"
#: Touches between two looks at all pages, and between two moves of a bot.
LOOKED, PLAYED = 25, 8

#: Brings something that can be touched into sight and says where it is; null if nothing is there.
FIND = """share => {
  const box = document.querySelector('dialog[open]') || document.body;
  const all = [...box.querySelectorAll('button, summary, label.choice, input[type=text], textarea')]
    .filter((e) => e.checkVisibility() && !e.closest('.letgo'));
  if (!all.length) return null;
  const e = all[Math.floor(share * all.length)];
  e.scrollIntoView({ block: 'center' });
  const at = e.getBoundingClientRect();
  return { x: at.x + at.width / 2, y: at.y + at.height / 2, is: e.outerHTML.slice(0, 160) };
}"""


class Monkey:
    """Touches the pages of a hosted table at random.

    Args:
        table: the hosted table.
        screens: its pages, by names.
        rng: decides everything.
    """

    def __init__(self, table, screens, rng):
        self.table, self.screens, self.rng = table, screens, rng
        self.errors, self.last = [], ""
        for name, screen in screens.items():
            screen.page.on("pageerror", lambda error, name=name: self.errors.append((name, error)))
            screen.page.on("response", lambda answer, name=name: self._answered(name, answer))

    def _answered(self, name, answer):
        if answer.status >= 500:
            self.errors.append((name, answer.url, answer.status))

    def run(self, touches):
        """So many touches, and a look at everything now and then."""
        for number in range(1, touches + 1):
            name, screen = self.rng.choice(list(self.screens.items()))
            self.step(name, screen)
            assert not self.errors, (self.last, self.errors)
            if number % PLAYED == 0:
                # What the monkey did may be beyond the bots.
                with contextlib.suppress(CompanionError):
                    advance(self.table, self.table.referee.stands + 1, self.rng)
                self.table.host.changed()
            if number % LOOKED == 0:
                for screen in self.screens.values():
                    self.settle(screen)
                for name, screen in self.screens.items():
                    self.look(name, screen)

    def step(self, name, screen):
        """One touch, or something that happens to a phone."""
        page, what = screen.page, self.rng.random()
        if what < 0.02:
            self.last = f"{name}: opened anew"
            page.reload()
            page.locator("#now h1").wait_for(state="attached")
        elif what < 0.05:
            self.last = f"{name}: put away and taken up"
            screen.hide(True)
            screen.hide(False)
        elif what < 0.07:
            self.last = f"{name}: without a network for a while"
            screen.context.set_offline(True)
            page.wait_for_timeout(300)
            screen.context.set_offline(False)
        else:
            page.wait_for_function(ANSWERED)
            found = page.evaluate(FIND, self.rng.random())
            if found is not None:
                self.last = f"{name}: {found['is']}"
                page.touchscreen.tap(found["x"], found["y"])
                if self.rng.random() < 0.3:
                    page.keyboard.type(self.rng.choice(("UD", "7", "Ann: 3", "what?")))

    def settle(self, screen):
        """Lets what was begun on a page come to its end: nothing is on its way then."""
        uncover = screen.page.locator("#cover button.primary")
        if uncover.is_visible():
            uncover.tap()
        screen.page.wait_for_function(ANSWERED)
        answer = screen.page.locator("dialog[open] button").first
        if answer.is_visible():
            answer.tap()
            screen.page.wait_for_function(ANSWERED)

    def look(self, name, screen):
        """Whether a page is as it should be."""
        page = screen.page
        view = self.table.view(screen.seat)
        screen.wait_for_state(len(view.log))
        if screen.locale == "en-GB":
            said = page.locator("#now .headline").inner_text()
            assert said == self.table.headline(screen.seat), (self.last, name)
        wrong = page.evaluate(CHECKS)
        assert wrong == [], (self.last, name, wrong)
        if screen.seat != 0:
            assert NOTE not in page.content(), (self.last, name)


def touched(running, folder, game, touches, seed):
    """A run at one game.

    Raises:
        AssertionError: something was wrong.
    """
    rng = random.Random(seed)
    players, options, _ = MATCHES[game]
    with hosted(folder, game, players, options, secure=True) as table:
        screens = {}
        for seat, name in enumerate(players):
            width, locale = rng.choice((320, 390, 820)), rng.choice(("en-GB", "de-DE"))
            screens[name] = Screen(
                running, table.urls["seats"][name], seat, width=width, locale=locale,
                reduced_motion="no-preference",
            ).sit_down()  # fmt: skip
            screens[name].locale = locale
        screens["table"] = Screen(running, table.urls["table"], None, width=820).wait_for_table()
        screens["table"].locale = "en-GB"
        table.run(_written, table.session)
        try:
            Monkey(table, screens, rng).run(touches)
        finally:
            for screen in screens.values():
                screen.context.close()
        return table.referee.stands


def _written(session):
    session.marks(session.unlock(0)).put("note", NOTE)
