"""Mutated event lines and match files: whatever is in them, only our own errors may come out.

    python -m tests.companion.fuzz --count 200000 [--seed 0]

Nine of ten inputs are event lines, submitted to a referee somewhere in a golden match; the tenth is
a whole file: read, written, read again, judged, audited and replayed from a viewer's eyes.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from companion.core.audit import audit
from companion.core.events import DISCLOSE, LOG_VERBS, UNDO, Event
from companion.core.notation import read_match, write_match
from companion.core.referee import Referee
from companion.core.replay import Replay
from companion.core.view import View
from companion.errors import CompanionError

GOLDEN = Path(__file__).parent.parent / "golden"
LINES_A_TABLE = 100
LONGEST_FILE = 40
PIECES = """
?? JK JK1 7? ?S 0S AM ! W6 B1 AS KD 10H 999999999999 -1 0 1 52 ² ٣ ½ Ⅷ NaN inf
Ann Bo Cy table Ann* Ann*Bo : * ; , " ' \\ … \x00 \u202e \ud7ff 🂡 ß İ ﬀ
undo redo correct hand reveal agree match predict UDS place row playoff hide deal ask cryptic
sketch yes no turn unturn draw done guess right wrong dealer exclamation secret play pass fold
stay up coin show announce peek have count Suns Blank discard gotcha smallest biggest is on
"red?" "between_5_and_9?" "not_(royal_or_even)_and_a_spade?" "((((" "5_down_round_to_J?"
"""
WORDS = [piece.replace("_", " ") for piece in PIECES.split()]


def corpus() -> list[str]:
    """The golden matches."""
    return [path.read_text("utf-8") for path in sorted(GOLDEN.glob("*/*.txt"))]


def mutated(text: str, rng: random.Random) -> str:
    """The text with up to four small changes of letters or words."""
    for _ in range(rng.choice((0, 1, 1, 2, 3, 4))):
        kind = rng.randrange(7)
        at = rng.randrange(len(text) + 1)
        if kind == 0:
            text = text[:at] + text[at + rng.randint(1, 4) :]
        elif kind == 1:
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif kind == 2:
            text = text[:at] + chr(rng.choice((rng.randrange(32, 127), rng.randrange(0xD7FF))))
            text += text[at:]
        elif kind == 3:
            end = at + rng.randint(1, 12)
            text = text[:end] + text[at:end] * rng.randint(1, 3) + text[end:]
        else:
            words = text.split(" ")
            place = rng.randrange(len(words))
            if kind == 4:
                words[place] = rng.choice(WORDS)
            elif kind == 5:
                words.insert(place, rng.choice(words))
            else:
                del words[place]
            text = " ".join(words)
    return text


def mutated_file(text: str, rng: random.Random) -> str:
    """A part of a match with lines and letters changed."""
    header, _, body = text.partition("---\n")
    lines = body.splitlines()
    start = rng.choice((0, 0, rng.randrange(len(lines) + 1)))
    lines = lines[start : start + rng.randint(1, LONGEST_FILE)]
    for _ in range(rng.randint(0, 5)):
        if not lines:
            break
        at = rng.randrange(len(lines))
        kind = rng.randrange(4)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, rng.choice(lines))
        else:
            lines[at] = mutated(lines[at], rng)
    if rng.random() < 0.3:
        header = mutated(header, rng)
    return header + rng.choice(("---\n", "---\n", "---\n", "--\n", "")) + "\n".join(lines)


def try_line(desk: Referee, text: str) -> bool:
    """Submits a line; what was applied is taken back. Returns whether it was applied."""
    entry = desk.submit(text)
    if not entry.applied:
        assert isinstance(entry.error, CompanionError)
        assert entry.error.message
        return False
    assert entry.event is not None
    if entry.event.verb in LOG_VERBS or entry.event.verb == DISCLOSE:
        return True
    quiet = desk.undoes() is None or entry.n not in desk.undoes().lines
    seat = entry.event.seat if quiet else None
    desk.accept(Event(UNDO, (), seat, None if seat is None else frozenset({seat})))
    return True


def try_file(text: str, rng: random.Random) -> bool:
    """Puts a file through everything that reads one. Returns whether its header could be read."""
    try:
        match = read_match(text)
    except CompanionError:
        return False
    written = write_match(match)
    assert write_match(read_match(written)) == written
    desk: Referee = Referee.of(match)
    audit(desk)
    seats = len(match.setup.players)
    viewer = rng.choice((None, *range(seats)))
    assert isinstance(desk.view(viewer), View)
    run = Replay(match, viewer)
    assert all(step.text for step in run.steps())
    run.final()
    return True


def fuzz(count: int, seed: int = 0, *, show_progress: bool = False) -> tuple[int, int]:
    """Tries so many inputs. Returns how many lines were applied and how many files were read.

    Raises:
        AssertionError: one raised something else than a `CompanionError`; the message holds it.
    """
    rng = random.Random(seed)
    matches = corpus()
    done = applied = read = 0
    while done < count:
        base = rng.choice(matches)
        match = read_match(base)
        events = match.events
        desk: Referee = Referee(match.game, match.setup)
        reached = rng.randrange(len(events))
        for line in events[:reached]:
            desk.submit_line(line)
        coming = events[reached : reached + 3]
        for _ in range(min(LINES_A_TABLE, count - done)):
            is_file = rng.random() < 0.1
            line = rng.choice(coming if rng.random() < 0.5 else events)
            source = base if is_file else line.text
            text = mutated_file(source, rng) if is_file else mutated(source, rng)
            try:
                if is_file:
                    read += try_file(text, rng)
                else:
                    applied += try_line(desk, text)
            except Exception as error:
                said = f"seed {seed}, input {done}: {type(error).__name__}: {error}\n{text!r}"
                raise AssertionError(f"{match.game.name}, {said}") from error
            done += 1
        if show_progress and done % 10_000 < LINES_A_TABLE:
            print(f"{done} tried", file=sys.stderr, flush=True)
    return applied, read


def main() -> None:
    """Runs a long one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.process_time()
    applied, read = fuzz(options.count, options.seed, show_progress=True)
    seconds = time.process_time() - started
    print(
        f"{options.count} inputs in {seconds:.0f} s of processor time: {applied} lines applied, "
        f"{read} files read, no exception but our own"
    )


if __name__ == "__main__":
    main()
