"""Whole matches filmed and watched: plays missed, recorded wrongly, asked about.

    python -m tests.benchmarks.table_plays --art build/art --plays 300 --out build/table-plays.jsonl

Each clip is one match of a game, filmed with held-out decks and surfaces (`models.films.table`).
What people say is recorded as they say it; what they do with cards has to be seen. A clip depends
on its number alone; results go to a file of JSON lines, and clips that are in it are left out.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.core.acceptance import Decision, Judged
from companion.core.events import Event
from companion.core.notation import write_event
from companion.core.state import ZoneKind
from companion.core.watched_match import WatchedMatch
from companion.decks import Deck
from companion.simulate import play_events
from models.films.pieces import Art, held_out_art
from models.films.table import FPS
from tests.benchmarks.table_stages import STAGES, Stage
from vision.protocols import CardReader
from vision.tracking.watching import TableView, TableWatch
from vision.tracking.zones import Zones

#: So long people wait for a play to be recorded before they tap it in, seconds.
PATIENCE = 3.0
GAMES = tuple(STAGES)
Saw = Callable[[Any, TableView, float], None]


@dataclass
class Tally:
    """What became of the plays of one clip.

    Attributes:
        asked: plays that people were asked about.
        refused: of those, plays that were said to be against the rules.
        missed: plays that nothing was said about.
        wrong: plays that were recorded though nobody made them.
        idle: questions about what was no play.
        chances: how sure the eyes were of the plays that were recorded.
    """

    game: str
    clip: int
    plays: int = 0
    recorded: int = 0
    asked: int = 0
    refused: int = 0
    missed: int = 0
    wrong: int = 0
    idle: int = 0
    frames: int = 0
    read: int = 0
    seconds: float = 0.0
    chances: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Show:
    """One match before the camera and the eyes.

    Args:
        stage: how the match looks.
        clip: its number.
        deck: what can lie on the table.
        reader: reads it.
        saw: is told each frame, what was made of it, and the time.
    """

    def __init__(
        self, stage: Stage, clip: int, deck: Deck, reader: CardReader, saw: Saw | None = None
    ) -> None:
        self.stage, self.film, self.referee = stage, stage.film, stage.referee
        self.tally = Tally(stage.name, clip, notes=[f"deck {stage.pieces.name}"])
        self.reader, self.t, self._saw = reader, 0.0, saw
        state = self.referee.state
        rows = [z.name for z in stage.game.zones(state) if z.kind is ZoneKind.ROW]
        zones = {
            name: None if corners is None else self.film.corners(stage.boxes[name])
            for name, corners in stage.zones.items()
        }
        self.watch = TableWatch(deck, Zones.of_corners(zones), rows=rows)
        self._told: set[tuple[object, ...]] = set()
        self._match = WatchedMatch(lambda: self.referee, self._record, asks_to_start=False)
        self._expected: Event | None = None
        self._is_recorded = False

    def run(self, most: int) -> Tally:
        """Plays until so many plays were filmed, or the match is over."""
        started = time.process_time()
        rng = random.Random(int(self.stage.rng.integers(1 << 30)))
        bots = [list(self.stage.game.bots.values())[-1]] * len(self.stage.seats)
        self.stage.open()
        self._watch(self.film.still(0.8), None)
        for event in play_events(self.referee, bots, rng):
            # Another match, a playoff too, would be laid on the cards of this one.
            if event.verb in ("match", "playoff") or self.tally.plays >= most:
                break
            if event.verb in self.stage.seen and event.audience is None:
                for act in self.stage.acts(event):
                    self._play(act)
            else:
                self._watch(self.stage.said(event), None)
                self.referee.accept(event)
                self._watch(self.film.still(1 / FPS), None)
                self._watch(self.stage.after(), None)
        self.tally.seconds = round(time.process_time() - started, 1)
        return self.tally

    def _play(self, event: Event) -> None:
        """Films one play, and waits until it is recorded or people lose their patience."""
        self.tally.plays += 1
        self._watch(self.film.disturb(), None)
        began = self.t
        outcome = self._watch(self.stage.played(event), event, began)
        waited = 0
        while outcome is not Decision.ACCEPTED and waited < PATIENCE * FPS:
            outcome = self._watch(self.film.still(1 / FPS), event, began) or outcome
            waited += 1
        text = write_event(self.stage.game, self.referee.setup, event, comment=False)
        if outcome is Decision.ACCEPTED:
            self.tally.recorded += 1
        elif outcome is None:
            self.tally.missed += 1
            self.tally.notes.append(f"missed at {began:.1f} s: {text}")
        else:
            self.tally.asked += 1
            self.tally.refused += outcome is Decision.REFUSED
            self.tally.notes.append(f"{outcome} at {began:.1f} s: {text}")
        if not self._is_recorded:
            # People say what was played, which answers what they were asked.
            self._match.wave_aside()
            self.referee.accept(event)
        self._watch(self.film.still(0.3), None)

    def _watch(
        self, frames: Iterator[Any], expected: Event | None, began: float = 0.0
    ) -> Decision | None:
        """Shows frames to the eyes; returns what became of the expected play."""
        outcome = None
        self._expected, self._is_recorded = expected, False
        for frame in frames:
            self.t += 1 / FPS
            view = self.watch.look(frame, self.t, self.reader)
            self.tally.frames += 1
            self.tally.read += view.is_fresh
            if self._saw is not None:
                self._saw(frame, view, self.t)
            if self._is_recorded:
                continue
            seen = (*view.lying, *view.turned)
            in_sight = [read.card for read in (*view.reading.cards, *view.reading.doubtful)]
            for judged in self._match.see(seen, now=self.t, in_sight=in_sight):
                outcome = self._outcome(judged, expected, began) or outcome
            if self._is_recorded:
                outcome = Decision.ACCEPTED
        return outcome

    def _record(self, event: Event) -> bool:
        """Records the play that is being made, and nothing else."""
        if self._expected is None or not _same(event, self._expected):
            return False
        self.referee.accept(event)
        self._is_recorded = True
        return True

    def _outcome(self, judged: Judged, expected: Event | None, began: float) -> Decision | None:
        """What a sighting means for the play that is just being made."""
        if judged.verdict is Decision.ACCEPTED:
            if expected is not None and _same(judged.best.event, expected):
                self.tally.chances.append(round(judged.sighting.confidence, 3))
                return Decision.ACCEPTED
            self._note("wrong", judged)
            return None
        fits = any(expected and _same(p.event, expected) for p in judged.proposals)
        if fits or (expected is not None and judged.sighting.since >= began):
            return judged.verdict
        self._note("idle", judged)
        return None

    def _note(self, kind: str, judged: Judged) -> None:
        """Counts what was told though nobody did it, once."""
        if (kind, *judged.key) in self._told:
            return
        self._told.add((kind, *judged.key))
        setattr(self.tally, kind, getattr(self.tally, kind) + 1)
        said = write_event(self.stage.game, self.referee.setup, judged.best.event, comment=False)
        self.tally.notes.append(f"{kind.upper()} at {self.t:.1f} s: {said}")


def shown(game: str, clip: int, art: Art, eyes: tuple[Deck, CardReader], saw: Saw | None = None):
    """The clip of that number, ready to run."""
    rng = np.random.default_rng((20261, GAMES.index(game), clip))
    return Show(STAGES[game](rng, art), clip, *eyes, saw)


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


_KINDS = ("recorded", "asked", "refused", "missed", "wrong", "idle")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--art", type=Path, default=Path("build/art"))
    parser.add_argument("--drawn", type=Path, default=Path("build/drawn-holdout"))
    parser.add_argument("--out", type=Path, default=Path("build/table-plays.jsonl"))
    parser.add_argument("--plays", type=int, default=1000, help="of all games together")
    parser.add_argument("--clip", type=int, default=24, help="most plays a clip")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--first", type=int, default=0, help="number of the first clip")
    parser.add_argument("--only", type=int, help="one clip by its number, nothing written")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    art = held_out_art(args.art, args.drawn)
    eyes = {game: STAGES[game].opened() for game in args.games}
    if args.only is not None:
        game = args.games[0]
        print(json.dumps(vars(shown(game, args.only, art, eyes[game]).run(args.clip))))
        return 0
    args.out.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(s) for s in args.out.read_text().splitlines()] if args.out.exists() else []
    lines = [line for line in lines if line["game"] in args.games]
    done = {(line["game"], line["clip"]) for line in lines}
    clips = dict.fromkeys(args.games, args.first)
    while sum(line["plays"] for line in lines) < args.plays:
        # The game with the fewest plays goes on, so that all have about as many.
        plays = {g: sum(line["plays"] for line in lines if line["game"] == g) for g in args.games}
        game = min(plays, key=lambda g: plays[g])
        clip = clips[game]
        clips[game] += 1
        if (game, clip) in done:
            continue
        tally = vars(shown(game, clip, art, eyes[game]).run(args.clip))
        lines.append(tally)
        with args.out.open("a") as file:
            file.write(json.dumps(tally) + "\n")
        print(report(lines), file=sys.stderr)
    print(report(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
