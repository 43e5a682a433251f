"""Pictures of the seat pages, each checked: `python -m tests.mobile.seats.looks FOLDER [LOOK]`.

Every page is made from a running table, at several widths, dark and light, in German and with text
at twice its size. One table serves several looks: each of its moments is looked at in every way.
"""

import json
import random
import re
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from companion.simulate import play_events
from tests.mobile.seats.browser import Screen, browser
from tests.mobile.seats.hosting import hosted

#: Game → players, options, and after how many events the pictures are taken.
MATCHES = {
    "precognition": (["Ann", "Bo", "Cy"], {}, (0, 12)),
    "deduction": (["Ann", "Bo", "Cy"], {"coach": "yes"}, (5, 8)),
    "gotcha": (["Ann", "Bo"], {"deal": "9-3"}, (4, 5)),
    "missing-persons": (["Ann", "Bo"], {}, (4, 8)),
    "suspense": (["Ann", "Bo", "Cy"], {}, (6, 14)),
}


@dataclass(frozen=True)
class Look:
    """How pages are looked at."""

    name: str
    width: int
    height: int
    scheme: str = "dark"
    locale: str = "en-GB"
    text: int = 16


LOOKS = (
    Look("320-dark", 320, 640),
    Look("390-light", 390, 844, "light"),
    Look("390-german", 390, 844, "dark", "de-DE"),
    Look("390-large", 390, 844, "light", "en-GB", 32),
    Look("820-dark", 820, 1180),
)

#: A moment's page is to be no higher at the width of a usual phone, in pixels.
HIGHEST, USUAL = 1700, 390
#: What a browser's user has set cannot change while a table is played: these looks share one.
WALKS = tuple(dict.fromkeys((look.locale, look.text) for look in LOOKS))
CHECKS = (Path(__file__).parent / "checks.js").read_text("utf-8")


def advance(table, upto, rng):
    """Plays a match on by bots until so many lines stand, on the session's own thread."""

    def work():
        referee = table.referee
        bots = [list(table.session.game.bots.values())[-1]] * len(referee.setup.players)
        for event in play_events(referee, bots, rng):
            if referee.stands >= upto or referee.state.table.match_over:
                return
            referee.submit(event)

    table.run(work)
    table.host.changed()


def dress(screen, look):
    """From now on a page is looked at in this way, but for its language and its size of text."""
    screen.page.set_viewport_size({"width": look.width, "height": look.height})
    screen.page.emulate_media(color_scheme=look.scheme)


def screens(running, table, locale, **size):
    """The pages of a table, each in a browser of its own, by names."""
    hosted = table.host.state
    found = {}
    for seat, name in enumerate(table.session.setup.players):
        hosted.phones.let_go(str(seat + 1))
        screen = Screen(running, hosted.url(str(seat + 1)), seat, locale=locale, **size)
        found[name] = screen.sit_down()
    screen = Screen(running, hosted.url("table"), None, locale=locale, **size)
    found["table"] = screen.wait_for_table()
    return found


def scenes(running, looks, folder):
    """Yields each scene in each look: its name, the look, and the page.

    Args:
        looks: of one language and one size of text.
    """
    for game in MATCHES:
        for name, screen in _moments(running, game, looks[0].locale, folder / game):
            for look in looks:
                dress(screen, look)
                yield name, look, screen
            dress(screen, Look("usual", USUAL, 844))


def _moments(running, game, locale, folder):
    """Yields the name of each moment of a match with a page."""
    players, options, moments = MATCHES[game]
    rng = random.Random(3)
    with hosted(folder, game, players, options, secure=True) as table:
        if game == "precognition":
            joining = Screen(running, table.host.state.url("1"), 0, locale=locale)
            yield "join", joining
            joining.context.close()
        pages = screens(running, table, locale)
        for moment in moments:
            advance(table, moment, rng)
            for screen in pages.values():
                screen.wait_for_state(len(table.view(screen.seat).log))
            for name, screen in pages.items():
                if screen.seat is not None:
                    screen.page.locator("#sheet p:not(.quiet)").first.wait_for()
                if name in ("Ann", "Bo") or (name == "table" and moment == moments[-1]):
                    yield f"{game}-{moment}-{name.lower()}", screen
        yield from _more(game, pages)
        for screen in pages.values():
            assert screen.faults == [], screen.faults
            screen.context.close()


def _more(game, pages):
    """A notepad, everything unfolded, a seat's code."""
    ann = pages["Ann"]
    ann.page.locator("#sheet p:not(.quiet)").first.wait_for()
    yield f"{game}-notepad", ann
    ann.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    yield f"{game}-all", ann
    if game == "precognition":
        screen = pages["table"]
        screen.unrail()
        screen.tap(screen.page.locator("#people .letgo button").first)
        screen.tap(screen.page.locator("dialog[open] button.primary"))
        screen.tap(screen.page.locator("[data-invite]").first)
        screen.page.locator("#invitation svg").wait_for()
        yield "invitation", screen


@contextmanager
def scratch():
    with tempfile.TemporaryDirectory() as folder:
        for game in MATCHES:
            (Path(folder) / game).mkdir()
        yield Path(folder)


def every_scene(looks):
    """Yields all scenes of these looks, a table for each game, language and size of text."""
    for locale, text in WALKS:
        mine = [look for look in looks if (look.locale, look.text) == (locale, text)]
        if mine:
            setting = f"--blink-settings=defaultFontSize={text}"
            with browser(setting) as running, scratch() as folder:
                yield from scenes(running, mine, folder)


#: A table from above: the tablet that is the table's own screen, and a phone for each player.
TABLE_TOP = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 36px; width: 1128px; background: #7d5f43 }
div { display: flex; justify-content: center; gap: 48px }
div + div { margin-top: 36px }
img { background: #111; padding: 12px 10px; border-radius: 30px;
  box-shadow: 0 10px 26px #0009, inset 0 0 2px #fff8 }
</style><div><img src="TABLE" width="760"></div><div>PHONES</div>"""


def picture(path):
    """The README's picture: one table with its own screen and three players' phones."""
    import base64

    players, options, _ = MATCHES["deduction"]
    with (
        browser() as running,
        scratch() as folder,
        hosted(folder / "deduction", "deduction", players, options, secure=True) as table,
    ):
        pages = screens(running, table, "en-GB", height=780, color_scheme="light")
        pages["table"].page.set_viewport_size({"width": 1000, "height": 770})
        advance(table, 5, random.Random(3))
        shots = {}
        for name, screen in pages.items():
            screen.wait_for_state(len(table.view(screen.seat).log))
            if name == "Bo":  # somebody looks at a notepad meanwhile
                screen.page.locator("#sheet p:not(.quiet)").first.wait_for()
                screen.page.locator("#sheet").evaluate("it => it.scrollIntoView()")
            data = base64.b64encode(screen.page.screenshot()).decode()
            shots[name] = f"data:image/png;base64,{data}"
        phones = "".join(f'<img src="{shots[name]}" width="300">' for name in players)
        page = running.new_page(viewport={"width": 1200, "height": 400})
        page.set_content(TABLE_TOP.replace("TABLE", shots["table"]).replace("PHONES", phones))
        page.screenshot(path=path, full_page=True)
    return 0


def height(name, screen, look):
    """How high a moment's page is on a usual phone; 0 of anything else."""
    is_moment = re.search(r"-\d+-[a-z]+$", name)
    if not is_moment or (look.width, look.text) != (USUAL, 16):
        return 0
    return screen.page.evaluate("document.documentElement.scrollHeight")


def main(out, only=""):
    """Pictures of everything, and what is wrong with it."""
    out.mkdir(parents=True, exist_ok=True)
    faults, heights = 0, {}
    for name, look, screen in every_scene([look for look in LOOKS if only in look.name]):
        screen.page.screenshot(path=out / f"{name}-{look.name}.png", full_page=True)
        if high := height(name, screen, look):
            heights[f"{name}-{look.name}"] = high
        wrong = screen.page.evaluate(CHECKS)
        faults += len(wrong)
        for fault in wrong:
            print(f"{name}-{look.name}: {fault}")
    higher = {name: high for name, high in heights.items() if high > HIGHEST}
    highest = max(heights.values(), default=0)
    found = {"faults": faults, "pages": len(heights), "highest": highest, "higher": higher}
    print(json.dumps(found, indent=1))
    return 1 if faults or higher else 0


if __name__ == "__main__":
    if sys.argv[1] == "--picture":
        sys.exit(picture(Path(sys.argv[2])))
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
