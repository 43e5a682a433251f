"""Pictures of the seat pages, each checked: `python -m tests.mobile.seats.looks FOLDER [LOOK]`.

Every page is made from a running table, at several widths, dark and light, in German and with text
at twice its size.
"""

import json
import random
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

    table.host.house.worker.submit(work).result()
    table.host.changed()


def screens(running, table, look):
    """The pages of a table, each in a browser of its own, by names."""
    options = {
        "width": look.width, "height": look.height, "color_scheme": look.scheme,
        "locale": look.locale,
    }  # fmt: skip
    house = table.host.house
    found = {}
    for seat, name in enumerate(table.session.setup.players):
        house.phones.let_go(str(seat + 1))
        screen = Screen(running, house.url(str(seat + 1)), seat, **options)
        found[name] = screen.sit_down()
    found["table"] = Screen(running, house.url("table"), None, **options).wait_for_table()
    return found


def looking(look):
    """A browser whose user has set the look's size of text."""
    return browser(f"--blink-settings=defaultFontSize={look.text}")


def scenes(running, look, folder, games=tuple(MATCHES)):
    """Yields the name of each scene with its page."""
    for game in games:
        players, options, moments = MATCHES[game]
        rng = random.Random(3)
        with hosted(folder / game, game, players, options, secure=True) as table:
            if game == "precognition":
                joining = Screen(running, table.host.house.url("1"), 0, width=look.width,
                                 height=look.height, color_scheme=look.scheme,
                                 locale=look.locale)  # fmt: skip
                yield "join", joining
                joining.context.close()
            pages = screens(running, table, look)
            for moment in moments:
                advance(table, moment, rng)
                for screen in pages.values():
                    screen.wait_for_state(len(table.referee.view(screen.seat).log))
                for name, screen in pages.items():
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
        screen.page.locator("#people .letgo button").first.tap()
        screen.page.locator("[data-invite]").first.tap()
        screen.page.locator("#invitation svg").wait_for()
        yield "invitation", screen


@contextmanager
def scratch():
    with tempfile.TemporaryDirectory() as folder:
        for game in MATCHES:
            (Path(folder) / game).mkdir()
        yield Path(folder)


def picture(path):
    """The README's picture: three seats' pages and the table's own screen, side by side."""
    from PIL import Image

    wanted = ("deduction-5-ann", "gotcha-5-bo", "precognition-12-table")
    look = Look("picture", 390, 844)
    found = {}
    with looking(look) as running, scratch() as folder:
        for name, screen in scenes(running, look, folder, ("precognition", "deduction", "gotcha")):
            if name in wanted:
                if not name.endswith("table"):
                    screen.page.locator("#sheet p:not(.quiet)").first.wait_for()
                shot = folder / f"{name}.png"
                screen.page.screenshot(path=shot)
                found[name] = Image.open(shot).convert("RGB").copy()
    gap = 24
    width = sum(found[name].width + gap for name in wanted) - gap
    whole = Image.new("RGB", (width, look.height), "#ffffff")
    for place, name in enumerate(wanted):
        whole.paste(found[name], (place * (found[name].width + gap), 0))
    whole.quantize(64).save(path, optimize=True)
    return 0


def main(out, only=""):
    """Pictures of everything, and what is wrong with it."""
    out.mkdir(parents=True, exist_ok=True)
    faults = 0
    for look in LOOKS:
        if only not in look.name:
            continue
        with looking(look) as running, scratch() as folder:
            for name, screen in scenes(running, look, folder):
                screen.page.screenshot(path=out / f"{name}-{look.name}.png", full_page=True)
                wrong = screen.page.evaluate(CHECKS)
                faults += len(wrong)
                for fault in wrong:
                    print(f"{name}-{look.name}: {fault}")
    print(json.dumps({"faults": faults}))
    return 1 if faults else 0


if __name__ == "__main__":
    if sys.argv[1] == "--picture":
        sys.exit(picture(Path(sys.argv[2])))
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
