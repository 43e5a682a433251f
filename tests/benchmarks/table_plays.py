"""Whole matches filmed and watched: plays missed, recorded wrongly, asked about.

    python -m tests.benchmarks.table_plays --art build/art --plays 300 --out build/table-plays.jsonl

Each clip is one match of a game, filmed with held-out decks and surfaces (`models.table_clips`).
What people say is recorded as they say it; what they do with cards has to be seen. A clip depends
on its number alone; results go to a file of JSON lines, and clips that are in it are left out.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.decks import get_deck
from companion.events import Event, public
from companion.live import Judged, Verdict, judge_all, layout
from companion.notation import write_event
from companion.referee import Referee
from companion.registry import get_game
from companion.simulate import play_events
from companion.state import ZoneKind
from models.synth.layouts import Placement
from models.table_clips import FPS, Art, TableFilm, held_out_art
from vision.read import Reader
from vision.watching import TableWatch
from vision.zones import Zones

DECK = get_deck()
#: So long people wait for a play to be recorded before they tap it in, seconds.
PATIENCE = 3.0
#: Half the table in millimetres, seen by the camera.
HALF = (330.0, 185.0)
SEEN = ("place", "right", "deal", "turn", "draw")
GAMES = ("gotcha", "missing-persons", "precognition")


@dataclass
class Tally:
    """What became of the plays of one clip."""

    game: str
    clip: int
    plays: int = 0
    recorded: int = 0
    asked: int = 0
    refused: int = 0
    missed: int = 0
    wrong: int = 0
    frames: int = 0
    read: int = 0
    notes: list[str] = field(default_factory=list)


class Show:
    """One match before the camera and the eyes."""

    def __init__(self, game: str, clip: int, art: Art, reader: Reader) -> None:
        self.rng = np.random.default_rng((20261, GAMES.index(game), clip))
        self.game = get_game(game)
        options = {"deal": "13-1"} if game == "gotcha" else {}
        cards = DECK.cards[:52]
        if game == "precognition":
            cards = tuple(cards[k] for k in self.rng.permutation(52)[:14])
        setup = self.game.setup(["Ann", "Bo"], options, cards=cards)
        self.referee: Referee[Any] = Referee(self.game, setup)
        deck = art.decks[int(self.rng.integers(len(art.decks)))]
        self.film = TableFilm(self.rng, deck, art.grounds, extent=2 * HALF[1])
        self.tally = Tally(game, clip, notes=[f"deck {deck.name}"])
        self.reader, self.t = reader, 0.0
        places = layout(self.game.zones(self.referee.knowledge(None)))
        self.boxes = {name: _box(corners) for name, corners in places.items()}
        rows = [z.name for z in self.game.zones(self.referee.state) if z.kind is ZoneKind.ROW]
        whole = len(places) == 1
        zones = {n: None if whole else self.film.corners(b) for n, b in self.boxes.items()}
        self.watch = TableWatch(DECK, Zones.of_corners(zones), rows=rows)
        self.style = str(self.rng.choice(["spread", "pile", "cascade"]))
        self.spots: Counter[str] = Counter()
        self.answers: set[tuple[object, ...]] = set()

    # -- the match ---------------------------------------------------------------------------

    def run(self, most: int) -> Tally:
        """Plays until so many plays were filmed, or the match is over."""
        rng = random.Random(int(self.rng.integers(1 << 30)))
        bots = [list(self.game.bots.values())[-1]] * 2
        self._watch(self.film.still(0.8), None)
        for event in play_events(self.referee, bots, rng):
            if event.verb == "match" or self.tally.plays >= most:
                break
            if event.verb not in SEEN or event.audience is not None:
                self.referee.accept(event)
                self._watch(self.film.still(1 / FPS), None)
                continue
            for act in _acts(event):
                self._play(act, event.seat)
        return self.tally

    def _play(self, event: Event, seat: int | None) -> None:
        """Films one play, and waits until it is recorded or people lose their patience."""
        self.tally.plays += 1
        self._watch(self.film.disturb(), None)
        outcome = self._watch(self._filmed(event, seat), event)
        waited = 0
        while outcome is not Verdict.ACCEPTED and waited < PATIENCE * FPS:
            outcome = self._watch(self.film.still(1 / FPS), event) or outcome
            waited += 1
        text = write_event(self.game, self.referee.setup, event, comment=False)
        if outcome is Verdict.ACCEPTED:
            self.tally.recorded += 1
        elif outcome is Verdict.ASK:
            self.tally.asked += 1
            self.tally.notes.append(f"asked: {text}")
        elif outcome is Verdict.REFUSED:
            self.tally.refused += 1
            self.tally.notes.append(f"refused: {text}")
        else:
            self.tally.missed += 1
            self.tally.notes.append(f"missed: {text}")
        self.referee.accept(event)
        self._watch(self.film.still(0.3), None)

    def _watch(self, frames: Iterator[Any], expected: Event | None) -> Verdict | None:
        """Shows frames to the eyes; returns what became of the expected play."""
        outcome = None
        for frame in frames:
            self.t += 1 / FPS
            view = self.watch.look(frame, self.t, self.reader.read_frame)
            self.tally.frames += 1
            self.tally.read += view.is_fresh
            if outcome is Verdict.ACCEPTED:
                continue
            for judged in judge_all(self.referee, (*view.lying, *view.turned), now=self.t):
                found = self._verdict(judged, expected)
                outcome = found if found is not None else outcome
                if found is Verdict.ACCEPTED:
                    break
        return outcome

    def _verdict(self, judged: Judged, expected: Event | None) -> Verdict | None:
        if judged.verdict is not Verdict.ACCEPTED:
            fits = expected is not None and any(_same(p.event, expected) for p in judged.proposals)
            if not fits and expected is None:
                return None
            return judged.verdict
        if expected is not None and _same(judged.best.event, expected):
            return Verdict.ACCEPTED
        if judged.key not in self.answers:
            self.answers.add(judged.key)
            self.tally.wrong += 1
            said = write_event(self.game, self.referee.setup, judged.best.event, comment=False)
            self.tally.notes.append(f"WRONG at {self.t:.1f} s: {said}")
        return None

    # -- what it looks like ------------------------------------------------------------------

    def _filmed(self, event: Event, seat: int | None) -> Iterator[Any]:
        far = seat == 1
        if event.verb == "place":
            k = self.spots["row"]
            self.spots["row"] += 1
            at = Placement(-230.0 + 26 * k + self._loose(), self._loose(), self._loose() * 0.015)
            yield from self.film.lay(event.args[0].code, at, far=far)
        elif event.verb == "right":
            yield from self.film.lay(event.args[0].code, self._on_pile(), far=far)
        elif event.verb == "deal":
            for card in event.args[1]:
                spot = self._on_display(event.args[0])
                yield from self.film.lay(card.code, spot, far=event.args[0] == 1)
        elif event.verb == "turn":
            yield from self.film.turn(event.args[0][0].code, up=False, far=far)
        else:
            over = [i for i in self.film.items if not i.up and self._is_free(i)]
            mine = [i for i in over if (i.place.y < 0) == far]
            for card, item in zip(event.args[0], mine, strict=False):
                at = Placement(item.place.x + self._loose(), item.place.y + self._loose(), 0.0)
                yield from self.film.lay(card.code, at, far=far)

    def _is_free(self, item: Any) -> bool:
        later = self.film.items[self.film.items.index(item) + 1 :]
        return all(
            abs(o.place.x - item.place.x) > 30 or abs(o.place.y - item.place.y) > 40 for o in later
        )

    def _on_pile(self) -> Placement:
        k = self.spots["pile"]
        self.spots["pile"] += 1
        turn = float(self.rng.normal(0, 0.12))
        if self.style == "pile":
            x, y = self.rng.normal(0, 5, 2)
            return Placement(float(x), float(y), turn)
        if self.style == "cascade":
            line, column = divmod(k, 12)
            return Placement(-200.0 + 30 * column + self._loose(), -60.0 + 70 * line, turn * 0.3)
        line, column = divmod(k % 15, 5)
        return Placement(-170.0 + 80 * column + self._loose(), -110.0 + 100 * line, turn)

    def _on_display(self, seat: int) -> Placement:
        k = self.spots[f"display {seat}"]
        self.spots[f"display {seat}"] += 1
        x0, y0, x1, y1 = self.boxes[f"display:{seat + 1}"]
        line, column = divmod(k, 5)
        x = x0 + (column + 0.5) * (x1 - x0) / 5
        y = (y0 + y1) / 2 + (line - 0.5) * 92
        return Placement(x + self._loose(), y + self._loose() / 2, self._loose() * 0.01)

    def _loose(self) -> float:
        return float(self.rng.normal(0, 1.5))


def _box(corners: Any) -> tuple[float, float, float, float]:
    """A zone of the picture as millimetres on the table."""
    if corners is None:
        return (-HALF[0], -HALF[1], HALF[0], HALF[1])
    (left, top), _, (right, bottom), _ = corners
    return (
        (2 * left - 1) * HALF[0],
        (2 * top - 1) * HALF[1],
        (2 * right - 1) * HALF[0],
        (2 * bottom - 1) * HALF[1],
    )


def _acts(event: Event) -> list[Event]:
    """What people do one after the other: suspects are turned over one by one."""
    if event.verb == "turn":
        return [public(event.seat, "turn", (card,)) for card in event.args[0]]
    return [event]


def _same(a: Event, b: Event) -> bool:
    """Whether two events say the same; several cards in any order."""

    def plain(event: Event) -> tuple[object, ...]:
        args = (frozenset(x) if isinstance(x, tuple) else x for x in event.args)
        return (event.verb, event.seat, *args)

    return plain(a) == plain(b)


def report(lines: list[dict[str, Any]]) -> str:
    """The counts of all clips in words."""
    text = []
    for game in (*GAMES, "all"):
        mine = [line for line in lines if game in (line["game"], "all")]
        total = {k: sum(line[k] for line in mine) for k in ("plays", *_KINDS, "frames", "read")}
        if total["plays"]:
            shares = ", ".join(
                f"{k} {total[k]} ({100 * total[k] / total['plays']:.1f} %)" for k in _KINDS
            )
            text.append(
                f"{game}: {total['plays']} plays in {len(mine)} clips: {shares}; "
                f"{100 * total['read'] / total['frames']:.0f} % of {total['frames']} frames read"
            )
    return "\n".join(text)


_KINDS = ("recorded", "asked", "refused", "missed", "wrong")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--art", type=Path, default=Path("build/art"))
    parser.add_argument("--drawn", type=Path, default=Path("build/drawn-holdout"))
    parser.add_argument("--out", type=Path, default=Path("build/table-plays.jsonl"))
    parser.add_argument("--plays", type=int, default=1000)
    parser.add_argument("--clip", type=int, default=16, help="most plays a clip")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--only", type=int, help="one clip by its number, nothing written")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    art, reader = held_out_art(args.art, args.drawn), Reader(threads=1, deck=DECK)
    if args.only is not None:
        print(json.dumps(vars(Show(args.games[0], args.only, art, reader).run(args.clip))))
        return 0
    args.out.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(s) for s in args.out.read_text().splitlines()] if args.out.exists() else []
    done = {(line["game"], line["clip"]) for line in lines}
    clip, started = 0, time.monotonic()
    while sum(line["plays"] for line in lines) < args.plays:
        for game in args.games:
            if (game, clip) in done:
                continue
            tally = vars(Show(game, clip, art, reader).run(args.clip))
            lines.append(tally)
            with args.out.open("a") as file:
                file.write(json.dumps(tally) + "\n")
            print(f"{time.monotonic() - started:.0f} s\n{report(lines)}", file=sys.stderr)
        clip += 1
    print(report(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
