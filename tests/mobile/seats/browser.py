"""A real browser for the seat pages: the system's Chromium, driven by touches.

Playwright downloads no browser here. Where there is no Chromium, or no Playwright, the tests that
need it are skipped and say so.
"""

import os
import shutil
from contextlib import ExitStack, closing, contextmanager

import cv2
import pytest

from companion.cards import Card
from companion.core import arguments
from companion.core.guidance.generic import guidance_of

try:
    from playwright.sync_api import Error
except ImportError:  # without it no test that drives a browser runs
    Error = RuntimeError

#: Without a window of its own it needs a third less processor time.
_HEADLESS = shutil.which("chromium-headless-shell")
CHROMIUM = os.environ.get("COMPANION_CHROMIUM") or _HEADLESS or shutil.which("chromium")
TIMEOUT_MS = 30_000
_HIDE = """hidden => {
  Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


#: Whatever was sent is answered, or the page asks.
ANSWERED = "() => document.querySelector('dialog[open]') || !('busy' in document.body.dataset)"
#: Neither what came just now nor what is still on its way makes a touch count for nothing.
_READY = f"() => !globalThis.touches?.isQuiet() && ({ANSWERED})()"

#: How old the page is, how many touches came too early for it, and how many reached it at all.
_COUNTS = "() => [performance.timeOrigin, globalThis.touches?.ignored() ?? 0, globalThis.clicks]"
_COUNTING = "globalThis.clicks = 0; addEventListener('click', () => { clicks += 1 }, true);"

_BRISK = """document.addEventListener('DOMContentLoaded', () => {
  document.body.dataset.quiet = '20';
});"""


def needs_browser():
    """Marks a test that needs a browser."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return pytest.mark.skip(reason="no browser: playwright is not installed")
    return pytest.mark.skipif(
        CHROMIUM is None,
        reason="no browser: install chromium-headless-shell, or name one in COMPANION_CHROMIUM",
    )


@contextmanager
def browsers(*several):
    """Chromiums that run beside each other, each with its own flags."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, ExitStack() as stack:
        yield [
            stack.enter_context(
                closing(
                    driver.chromium.launch(
                        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", *flags]
                    )
                )
            )
            for flags in several
        ]


@contextmanager
def browser(*flags):
    """A running Chromium."""
    with browsers(flags) as (running,):
        yield running


def camera_of(clip):
    """What makes a browser take a clip for its camera."""
    return (
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={clip}",
    )


def clip_of(film, out, *, times=1, quality=95):
    """Writes a film as a browser's fake camera wants it: one JPEG after the other.

    Each is there so many times: a slower machine follows a film that is laid half as quickly.
    """
    capture = cv2.VideoCapture(str(film))
    with out.open("wb") as file:
        while True:
            good, image = capture.read()
            if not good:
                break
            jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
            file.write(jpeg.tobytes() * times)
    capture.release()


class Screen:
    """One page in a browser of its own, as a phone has it.

    Args:
        running: the browser.
        url: what was scanned.
        seat: whose page it is, None for the table's.
        brisk: whether touches count sooner than a person needs.
    """

    def __init__(self, running, url, seat, *, width=390, height=844, brisk=True, **options):
        usual = {"color_scheme": "dark", "locale": "en-GB", "reduced_motion": "reduce"}
        options = usual | options
        self.context = running.new_context(
            ignore_https_errors=True,
            viewport={"width": width, "height": height},
            has_touch=True,
            **options,
        )
        self.context.set_default_timeout(TIMEOUT_MS)
        self.seat = seat
        self.faults = []
        self.touches = 0
        self.context.add_init_script(_COUNTING)
        # People wait for what they touch; here a touch waits for less than a person does.
        if brisk:
            self.context.add_init_script(_BRISK)
        #: Decides how soon a second touch follows one that records; None where none does.
        self.trembles = None
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._hear)
        self.page.goto(url)

    def _hear(self, message):
        if message.type == "error":
            self.faults.append(message.text)

    def sit_down(self):
        """Presses the button of the page that joins."""
        self.join("#now h1")
        # Its script runs once the whole page is there; people are slower than that.
        self.page.wait_for_load_state()
        return self

    def join(self, shown):
        """Presses the button of the page that joins; waits for something of the page after it."""
        self.page.locator("#join button").tap()
        self.page.locator(shown).wait_for()

    def wait_for_table(self):
        """Waits until the table's own screen shows who is connected."""
        self.page.locator("#people li").first.wait_for(state="attached")
        return self

    @property
    def state(self):
        return int(self.page.locator("body").get_attribute("data-state"))

    def wait_for_state(self, number):
        self.page.wait_for_function(
            "number => Number(document.body.dataset.state) >= number", arg=number
        )

    def told(self):
        return self.page.locator("#told").inner_text()

    def hide(self, hidden):
        """The phone is put away, or taken up again."""
        self.page.evaluate(_HIDE, hidden)

    # -- touching -------------------------------------------------------------------------------

    def tap(self, locator):
        """A touch, which is counted; it waits until touches count.

        What came just before it may have made it too early, or have put something else under the
        finger: a person touches again.
        """
        self.touches += 1
        # It may be on the page that is only coming, whose script runs once all of it is there.
        locator.wait_for(state="attached")
        self.page.wait_for_load_state()
        for _again in range(5):
            self.page.wait_for_function(_READY)
            page, ignored, clicks = self._counts()
            locator.tap()
            now, too_early, reached = self._counts()
            if now != page or (too_early == ignored and reached > clicks):
                return

    def _counts(self):
        while True:
            try:
                return self.page.evaluate(_COUNTS)
            except Error as error:  # the touch led to another page meanwhile
                if "navigation" not in str(error):
                    raise

    def _record(self, locator):
        """A touch that records something; a second one may follow it too soon."""
        if self.trembles is None:
            self.tap(locator)
            return
        locator.scroll_into_view_if_needed()
        box = locator.bounding_box()
        self.tap(locator)
        self.page.wait_for_timeout(self.trembles.uniform(50, 300))
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.touchscreen.tap(x, y)

    def touch(self, place, *, card=None, number=None):
        """Touches a thing in a place: a card by its name, or a place in a row by its number."""
        there = self.page.locator(".place", has=self.page.locator("h3", has_text=place))
        things = there.locator("[data-thing]")
        if card is not None:
            things = things.filter(has=self.page.get_by_text(card, exact=True))
        self.tap(things.nth(number - 1) if number is not None else things.first)
        self._confirm()

    def press(self, name):
        """Presses a button by its name."""
        self.tap(self.page.get_by_role("button", name=name).first)
        self._confirm()

    def step(self, number, sent, labels=()):
        """Fills the form of a step by touches, and presses its button.

        Args:
            number: which step.
            sent: for each field the numbers of what is chosen, or a text.
        """
        form = self.page.locator(f"#step{number}")
        self._unfold(form)
        answers = form.locator("button[data-answer]")
        if answers.count():
            self._record(form.locator(f'button[data-answer="{sent[0][0]}"]'))
            self._confirm()
            return
        fields = form.locator(".field")
        for place, values in enumerate(sent or ()):
            field = fields.nth(place)
            if isinstance(values, str):
                self._write(field, values)
                continue
            blank = form.locator(f'button[data-blank="{place}"]')
            for value in values:
                choice = field.locator(f'input[value="{value}"]')
                if blank.count() and not (choice.is_checked() or choice.is_visible()):
                    self.tap(blank)
                if not (blank.count() and choice.is_checked()):
                    self.tap(choice)
        button = form.locator("button[data-hide]" if sent is None else "button[type=submit]")
        self._record(button)
        self._confirm()

    def _write(self, field, text):
        keys = field.locator("button[data-letter]")
        if not keys.count():
            self.touches += len(text)
            field.locator("input").fill(text)
            return
        for letter in text:
            self.tap(field.locator(f'button[data-letter="{letter}"]'))

    def unrail(self):
        """On a wide table's screen the forms lie behind one touch."""
        rail = self.page.locator("[data-rail][aria-expanded=false]:visible")
        if rail.count():
            self.tap(rail)

    def _unfold(self, form):
        self.unrail()
        folds = form.locator("xpath=ancestor::details[not(@open)]")
        while folds.count():
            self.tap(folds.first.locator("> summary"))

    def type(self, line):
        """Types a line in the notation."""
        form = self.page.locator("form.typed")
        self._unfold(form)
        form.locator("input").fill(line)
        self.tap(form.locator("button"))
        self._confirm()

    def _confirm(self):
        """Says yes where the page asks."""
        self.page.wait_for_function(ANSWERED)
        yes = self.page.locator("dialog[open] button.primary")
        if yes.count():
            self.tap(yes)
            self.page.wait_for_function(ANSWERED)


def touches_for(game, view, event):
    """The step by which an event can be entered on a viewer's page, and how it is filled.

    Returns:
        Its number and what each field is told; None where no step offers it.
    """
    guidance = guidance_of(game, view)
    for number, step in enumerate(guidance.steps):
        if (step.verb, step.seat, step.audience) != (event.verb, event.seat, event.audience):
            continue
        sent = _filled(game, view.setup, step, event)
        if sent is not None:
            return number, sent
    return None


def _filled(game, setup, step, event):
    parts = arguments.parts_of(game, step)
    if game.verbs[event.verb].form_of(event.args) is not game.verbs[step.verb].form_of(
        step.event.args
    ):
        return None
    places = arguments.positions_of(game, step)
    settled = [k for k in range(len(parts)) if k not in places]
    if any(step.event.args[k] != event.args[k] for k in settled):
        return None
    sent = []
    for need, place in zip(step.needs, places, strict=True):
        value = event.args[place]
        if not need.candidates:
            sent.append(parts[place].write(value, setup).strip('"'))
            continue
        values = value if isinstance(value, tuple) else (value,)
        values = [one.identity if isinstance(one, Card) and one.is_joker and
                  one not in need.candidates else one for one in values]  # fmt: skip
        if any(one not in need.candidates for one in values):
            return None
        sent.append([need.candidates.index(one) for one in values])
    return sent
