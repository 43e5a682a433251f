"""Hands shown to a phone's camera in a real browser, read by the shipped networks.

    python -m models.evaluate hands --seed 7003 --work FOLDER
    python -m tests.benchmarks.browser_hands FOLDER/hands-7003-120 [--together 4] [--json]

Films of thirteen cards are taken by Chromium for its camera. Each player of Hearts shows one: the
page is touched twice, and what the host has recorded is compared with what is held. Measured are
the seconds to the first answer and to the lit button; four players at once are the hardest case.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from companion.cards import parse_cards
from tests.mobile.seats.browser import CHROMIUM, Screen, browsers, camera_of, clip_of
from tests.mobile.seats.hosting import hosted
from tests.mobile.seats.test_hands import lead

PLAYERS = ("Ann", "Bo", "Cy", "Dot")
CARDS = 13
#: Seconds after which a hand that is not whole is given up.
PATIENCE = 15.0


def shown(phones: list[Screen]) -> tuple[list[float], list[float | None]]:
    """Seconds to the first card of each page, and to its lit button; None where it never was.

    They are counted from the touch that opens the camera.
    """
    first: list[float] = [PATIENCE] * len(phones)
    whole: list[float | None] = [None] * len(phones)
    began = []
    for phone in phones:
        lead(phone)
        phone.tap(phone.page.get_by_role("button", name="Show them to the camera").first)
        began.append(time.perf_counter())
    while time.perf_counter() - began[-1] < PATIENCE and None in whole:
        for number, phone in enumerate(phones):
            seconds = time.perf_counter() - began[number]
            seen = phone.page.locator("#do .choice:has(input:checked, [aria-description])")
            if first[number] == PATIENCE and seen.count():
                first[number] = seconds
            keep = phone.page.get_by_role("button", name=f"Keep these {CARDS} secret")
            if whole[number] is None and keep.count():
                whole[number] = seconds
    return first, whole


def run(films: list[dict[str, object]], folder: Path) -> list[dict[str, object]]:
    """Shows some hands at once, each by one player, and keeps those that are whole.

    Args:
        films: entries of a truth file, four at most.
        folder: where the films are.

    Returns:
        For each its film, seconds to the first answer and to the lit button, and whether what was
        kept is right; None where nothing was kept.
    """
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        table = stack.enter_context(hosted(Path(scratch), "hearts", list(PLAYERS), secure=True))
        clips = [Path(scratch) / f"clip{number}.mjpeg" for number in range(len(films))]
        for clip, entry in zip(clips, films, strict=True):
            clip_of(folder / str(entry["video"]), clip, quality=92)
        running = stack.enter_context(browsers(*(camera_of(clip) for clip in clips)))
        phones = [
            Screen(one, table.urls["seats"][PLAYERS[number]], number).sit_down()
            for number, one in enumerate(running)
        ]
        first, whole = shown(phones)
        found = []
        for number, (phone, entry) in enumerate(zip(phones, films, strict=True)):
            right = None
            if whole[number] is not None:
                before = len(table.referee.log)
                phone.tap(phone.page.get_by_role("button", name=f"Keep these {CARDS} secret"))
                while len(table.referee.log) == before:
                    time.sleep(0.05)
                held = set(parse_cards(" ".join(entry["cards"])))  # type: ignore[arg-type]
                right = set(table.referee.log[-1].event.args[0]) == held
            found.append(
                {
                    "film": entry["video"],
                    "first": round(first[number], 2),
                    "whole": whole[number] and round(whole[number], 2),
                    "right": right,
                    "touches": phone.touches,
                }
            )
        return found


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--together", type=int, default=1, choices=range(1, len(PLAYERS) + 1))
    parser.add_argument("--most", type=int, default=40, help="films")
    parser.add_argument("--json", action="store_true", dest="as_json")
    chosen = parser.parse_args()
    if CHROMIUM is None:
        print("There is no Chromium here.", file=sys.stderr)
        return 2
    truth = json.loads((chosen.folder / "truth.json").read_text())
    films = [one for one in truth if len(one["cards"]) == CARDS][: chosen.most]
    found = []
    for start in range(0, len(films), chosen.together):
        found += run(films[start : start + chosen.together], chosen.folder)
        print(found[-chosen.together :], file=sys.stderr)
    first = sorted(float(str(one["first"])) for one in found)
    figures = {
        "hands": len(found),
        "right": sum(one["right"] is True for one in found),
        "wrong": sum(one["right"] is False for one in found),
        "first_median_s": median(first),
        "first_p95_s": first[int(len(first) * 0.95)],
    }
    print(
        json.dumps(figures)
        if chosen.as_json
        else "\n".join(f"{k}: {v}" for k, v in figures.items())
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
