"""Be Bo at Ann's device: `python -m tests.attacks` tries every known road to Ann's secrets.

Each road is walked against the command line, or against what the app shows, as somebody would who
holds the device and knows the program but not Ann's PIN. Prints one line a road; exits 1 where one
is open.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from companion.core.events import Event
from companion.core.registry import get_game
from companion.errors import CompanionError
from companion.journal import FileDeviceKeys, Journal
from mobile.model import actions, exports
from mobile.model.table import Table
from tests.companion.terminal import Terminal

HAND = "AS 2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AH 2H 3H 4H 5H 6H 7H"
OTHER_HAND = "8H 9H 10H JH QH KH AD 2D 3D 4D 5D 6D 7D 8D 9D 10D JD QD KD AC"
PIN = "7391"
ROADS: list[Callable[[Device], bool]] = []


class Device:
    """A device with its own data folder, on which Ann and Bo play Gotcha, referee trusted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {"COMPANION_DATA": str(folder)}

    def run(self, *arguments: str, typed: str = "") -> str:
        """What a command prints on both streams."""
        done = subprocess.run(
            [sys.executable, "-m", "companion", *arguments],
            input=typed,
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=120,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout + done.stderr

    def deal(self, *, pin: bool = True) -> None:
        """Begins a session with both hands; Ann sets her PIN."""
        lines = f"Ann*: hand {HAND}\nBo*: hand {OTHER_HAND}\nquit\n"
        options = ("--players", "Ann,Bo", "--option", "deal=20", "--referee", "trusted")
        self.run("play", "gotcha", *options, typed=lines)
        if pin:
            with self.journal() as journal:
                journal.resume(1).set_pin(0, PIN)

    def kept(self) -> Path:
        """A folder with a copy of the journal as it is now."""
        folder = self.folder / "kept"
        folder.mkdir()
        for file in self.folder.glob("journal.sqlite*"):
            shutil.copy(file, folder)
        return folder

    def put_back(self, folder: Path) -> None:
        """Puts such a copy in the journal's place."""
        for file in self.folder.glob("journal.sqlite*"):
            file.unlink()
        shutil.copytree(folder, self.folder, dirs_exist_ok=True)

    def journal(self) -> Journal:
        """The device's journal, as the app opens it."""
        return Journal(self.folder / "journal.sqlite", device=FileDeviceKeys(self.folder / "keys"))

    def goes_on(self, *lines: str) -> str:
        """What the referee prints while the session goes on with some lines."""
        return self.run("play", "--continue", "1", typed="\n".join((*lines, "quit", "")))


def road(function: Callable[[Device], bool]) -> Callable[[Device], bool]:
    """Registers a road; the function says whether it is closed."""
    ROADS.append(function)
    return function


def tells(text: str) -> bool:
    """Whether a text holds Ann's hand, or the most of it in a row."""
    return "3S 4S 5S" in text


@road
def agree_export_undo(device: Device) -> bool:
    """End the match, export everything, take the end back and play on."""
    device.deal(pin=False)
    device.goes_on("table: agree")
    page = device.folder / "page.html"
    found = [
        device.run("journal", "show", "1", "--everything"),
        device.run("replay", "journal:1"),
        device.run("audit", "journal:1"),
        device.run("export", "journal:1", str(page)),
        page.read_text("utf-8") if page.exists() else "",
        device.run("export", "journal:1", str(page), "--everything"),
    ]
    return not any(map(tells, found))


@road
def disclosed_and_taken_back(device: Device) -> bool:
    """Have everything disclosed, then undo the disclosure and the end, and play on."""
    device.deal(pin=False)
    end = ("table: agree", "table: disclose")
    device.goes_on(*end, "undo", "undo", "table: correct 3 Ann: guess Bo smallest 1 is A")
    with device.journal() as journal:
        session = journal.resume(1)
        state = session.referee.state
        return state.table.match_over and state.disclosed_to == 4 and session.revealed == 4


@road
def probing_in_anothers_name(device: Device) -> bool:
    """Private lines in Ann's name whose refusal would name her cards."""
    device.deal()
    told = device.goes_on(
        "Ann*: hand KC KC KC", "0000", "Ann*: discard 2C", "0000", "Ann*: reveal 2C", "0000"
    )
    return "PIN" in told and not tells(told) and "recorded already" not in told


@road
def public_buttons(device: Device) -> bool:
    """Turn up, show or fold in Ann's name: the same answer whatever she holds."""
    device.deal()
    with device.journal() as journal:
        session = journal.resume(1)
        deck = session.game.all_cards(session.setup)
        answers = set()
        for card in deck:
            event = Event("reveal", ((card,),), 0)
            error = session.referee.propose(event).error
            answers.add((str(error), session.must_show(event)))
        return answers == {("None", (0,))}


@road
def public_answers_are_logged(device: Device) -> bool:
    """A false answer that the trusted hand refuses tells no card, and everybody sees the try."""
    device.deal(pin=False)
    with device.journal() as journal:
        session = journal.resume(1)
        session.referee.accept("Ann: guess Bo smallest 1 is K")
        before = len(session.view().log)
        try:
            session.referee.accept("Bo: right KH")
        except CompanionError as error:
            line = session.view().log[-1]
            told = f"{error.message} {line.error}"
            return len(session.view().log) == before + 1 and not re.search(r"\b\d+[SHDC]", told)
        return False


@road
def corrected_twice(device: Device) -> bool:
    """Correct a guess until its old answer does not fit, then into another guess: does it fit?"""
    device.deal(pin=False)
    with device.journal() as journal:
        referee = journal.resume(1).referee
        referee.submit_all(["Ann: guess Bo smallest 1 is K", "Bo: wrong"])
        referee.submit_all(["Bo: guess Ann smallest 1 is K", "Ann: wrong"])
        referee.accept("table: correct 5 Ann: reveal 9C")
        entry = referee.submit("table: correct 5 Bo: guess Ann smallest 1 is A")
        told = referee.view(None).log[-1].error
        return not entry.applied and "recorded in secret" in told and not tells(told)


@road
def writing_for_others(device: Device) -> bool:
    """Replace Ann's hand by a correction in her name, without her PIN."""
    device.deal()
    told = device.goes_on(f"Ann*: correct 1 Ann*: hand {OTHER_HAND}", "0000", "log")
    with device.journal() as journal:
        session = journal.resume(1)
        return "not Ann's PIN" in told and session.referee.stands == 2


@road
def backup_and_restore(device: Device) -> bool:
    """Back the journal up, restore it on another device, and look there."""
    device.deal()
    copy = device.folder / "games.backup"
    device.run("journal", "backup", str(copy), "--passphrase", "some long words")
    other = Device(device.folder / "other")
    other.run("journal", "restore", str(copy), "--passphrase", "some long words")
    found = [
        other.run("journal", "show", "1", "--as", "Ann", typed="\n"),
        other.run("journal", "show", "1", "--everything"),
        other.goes_on("table: agree"),
        other.run("journal", "show", "1", "--everything"),
        other.run("notepad", "journal:1", "--as", "Ann", "--json", typed="\n"),
    ]
    return not any(map(tells, found))


@road
def older_file_put_back(device: Device) -> bool:
    """Keep a copy from before the PIN was set, and put it back afterwards."""
    device.deal(pin=False)
    kept = device.kept()
    with device.journal() as journal:
        journal.resume(1).set_pin(0, PIN)
    device.put_back(kept)
    return not tells(device.run("journal", "show", "1", "--as", "Ann"))


@road
def tries_on_copies(device: Device) -> bool:
    """Try PINs on copies of the file, a fresh one each time."""
    device.deal()
    kept = device.kept()
    waits = 0
    for guess in ("0000", "1111", "2222"):
        device.put_back(kept)
        with device.journal() as journal:
            try:
                journal.resume(1).unlock(0, guess)
            except CompanionError as error:
                waits += "Too soon" in error.message
    return waits == 2


@road
def set_aside_copies(device: Device) -> bool:
    """Mend and restore the journal, then delete everything: no copy is left."""
    device.deal()
    copy = device.folder / "away" / "games.backup"
    copy.parent.mkdir()
    device.run("journal", "backup", str(copy), "--passphrase", "some long words")
    device.run("journal", "mend")
    device.run("journal", "restore", str(copy), "--replace", "--passphrase", "some long words")
    device.run("journal", "delete", "--everything", "--yes")
    left = [f for f in device.folder.rglob("*") if f.is_file() and f != copy]
    return not any(b"predict" in f.read_bytes() or b"hand" in f.read_bytes() for f in left)


@road
def numbers_with_holes(device: Device) -> bool:
    """Count the numbers of a public replay for lines that somebody wrote in secret."""
    lines = ("Ann*: hide AS", "Bo*: hide KC", "table: deal Ann 2S 3S 4S 5S 6S 7S 8S 9S 10S JS")
    more = ("table: deal Bo 2H 3H 4H 5H 6H 7H 8H 9H 10H JH", 'Ann: ask cryptic "nice?"', "Bo: no")
    typed = "\n".join((*lines, *more, "Ann*: sketch 2H 3H", "Bo: ask red", "Ann: no", "quit", ""))
    option = ("--option", "questions=cryptic")
    device.run("play", "missing-persons", "--players", "Ann,Bo", *option, typed=typed)
    shown = device.run("replay", "journal:1", "--as", "public")
    numbers = [int(n) for n in re.findall(r"^ *(\d+) ", shown, re.MULTILINE)]
    return numbers == list(range(1, len(numbers) + 1)) and "sketch" not in shown


@road
def scrollback(device: Device) -> bool:
    """Read on the terminal what Ann typed in secret, and scroll back to it."""
    terminal = Terminal("precognition", "--players", "Ann,Bo", env=device.environment)
    terminal.read()
    for line in ("Ann*: predict UDDU", "log", "quit"):
        terminal.type(line)
    terminal.close()
    return "UDDU" not in terminal.seen and "Ann has written a prediction." in terminal.seen


@road
def exports_of_the_app(device: Device) -> bool:
    """Keep the match as a file in the app, and look at its log and audit."""
    device.deal(pin=False)
    with device.journal() as journal:
        session = journal.resume(1)
        table = Table(session.game, session.setup, session, journal)
        table.do("table: agree")
        text = exports.export(table, device.folder).read_text("utf-8")
        mode = (device.folder / "exports").stat().st_mode & 0o777
        return not tells(text + "\n".join(table.log)) and mode == 0o700


@road
def actions_of_the_app(device: Device) -> bool:
    """See from the buttons that are offered or missing what Ann holds."""
    game = get_game("gotcha")
    offered = set()
    for hand in (HAND, OTHER_HAND):
        setup = game.setup(("Ann", "Bo"), {"deal": "20"}, trusted=True)
        table = Table(game, setup)
        table.do(f"Ann*: hand {hand}")
        offered.add((actions.offered(table.referee), table.can_disclose, table.undoes))
    return len(offered) == 1


def closed(attack: Callable[[Device], bool]) -> bool:
    """Walks a road on a device of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return attack(Device(Path(folder)))


def main() -> int:
    """Prints a line a road."""
    still_open = 0
    for attack in ROADS:
        done = closed(attack)
        still_open += not done
        what = (attack.__doc__ or "").splitlines()[0]
        print(f"{'closed' if done else 'OPEN  '}  {attack.__name__}: {what}", flush=True)
    return 1 if still_open else 0


if __name__ == "__main__":
    sys.exit(main())
