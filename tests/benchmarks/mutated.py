"""Mutated files of every kind that is read: no traceback, nothing over 10 s or a gigabyte.

    python -m tests.benchmarks.mutated --count 100000 [--seed 0] [--only json,png]

Each kind is read in a process of its own, as the command line and the app read it, so that a
crash of a decoder is seen as one and memory is told kind by kind. A case depends on the seed, the
kind and its number alone: `--only KIND --first N --count 1 --keep FOLDER` makes it again.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from tests.benchmarks.mutated_kinds import KINDS, Kind, mutated

#: What no file may need.
MOST_SECONDS, MOST_MB = 10.0, 1000
#: Seconds after which a reader counts as hung.
_HUNG = 60.0
_BATCH = 50
_MEGA = 1024


@dataclass(slots=True)
class Tally:
    """What became of the files of a kind.

    Attributes:
        files: how many were read.
        told: how many of them were refused in words.
        crashes: number and words of what else was raised, or how the process died.
        slowest: seconds of the slowest.
        largest: most memory of its process so far, in MB.
    """

    files: int = 0
    told: int = 0
    crashes: list[tuple[int, str]] = field(default_factory=list)
    slowest: float = 0.0
    largest: float = 0.0

    @property
    def good(self) -> bool:
        """Whether no file of the kind broke a promise."""
        return not self.crashes and self.slowest <= MOST_SECONDS and self.largest <= MOST_MB


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file: `told` in words, or `crash`; seconds, and MB of the process."""

    number: int
    told: bool
    crash: str
    seconds: float
    memory: float


def one(kind: Kind, seed: int, number: int, folder: Path) -> Outcome:
    """Makes, writes and reads one file."""
    from companion.errors import CompanionError

    rng = random.Random(f"{seed} {kind.name} {number}")
    path = kind.write(folder, mutated(kind, rng))
    # Processor time: what else the machine does is no matter of the file's.
    told, crash, started = False, "", time.process_time()
    try:
        kind.read(path, rng)
    except CompanionError as error:
        told = True
        if len(error.message.splitlines()) != 1 or len(error.message) > 1000:
            crash = f"not one line: {error.message[:200]!r}"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = "" if trace is None else f" ({trace.tb_frame.f_code.co_name}:{trace.tb_lineno})"
        crash = f"{type(error).__name__}: {str(error)[:200]}{where}"
    seconds = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGA
    return Outcome(number, told, crash, seconds, memory)


def _work(connection: Connection, name: str, seed: int, folder: str) -> None:
    """Reads the files whose numbers come in, until None comes."""
    kind = KINDS[name]
    kind.prepare(Path(folder))
    while (numbers := connection.recv()) is not None:
        for number in numbers:
            connection.send(one(kind, seed, number, Path(folder)))


def outcomes(name: str, seed: int, numbers: Sequence[int]) -> Iterator[Outcome]:
    """Reads the files of a kind; a process that dies or hangs is told, and the next goes on."""
    waiting = list(numbers)
    context = get_context("spawn")
    while waiting:
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, name, seed, folder))
            process.start()
            theirs.close()
            try:
                while waiting:
                    batch = waiting[:_BATCH]
                    ours.send(batch)
                    for number in batch:
                        if not ours.poll(_HUNG):
                            yield Outcome(number, told=False, crash="hung", seconds=_HUNG, memory=0)
                            raise EOFError
                        yield ours.recv()
                        waiting.pop(0)
                ours.send(None)
            except (EOFError, BrokenPipeError, ConnectionResetError):
                if process.exitcode is None:
                    process.join(1)
                if process.exitcode is not None:
                    died = f"the process died ({process.exitcode})"
                    yield Outcome(waiting[0], told=False, crash=died, seconds=0, memory=0)
                waiting.pop(0)
            finally:
                if waiting:
                    process.kill()
                process.join()


def run(count: int, seed: int = 0, only: Sequence[str] = (), first: int = 0) -> dict[str, Tally]:
    """Reads about so many files, shared among the kinds by their weights."""
    chosen = [KINDS[name] for name in (only or KINDS)]
    whole = sum(kind.weight for kind in chosen)
    tallies: dict[str, Tally] = {}
    for kind in chosen:
        tally = tallies[kind.name] = Tally()
        share = max(1, round(count * kind.weight / whole))
        for outcome in outcomes(kind.name, seed, range(first, first + share)):
            tally.files += 1
            tally.told += outcome.told
            if outcome.crash:
                tally.crashes.append((outcome.number, outcome.crash))
            tally.slowest = max(tally.slowest, outcome.seconds)
            tally.largest = max(tally.largest, outcome.memory)
    return tallies


def line(name: str, tally: Tally) -> str:
    """A kind's row of the table."""
    return (
        f"{name:14}{tally.files:8}{tally.told:8}{len(tally.crashes):12}"
        f"{tally.slowest:10.2f} s{tally.largest:8.0f} MB"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Prints a row for each kind; exit 1 where a promise was broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default="", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--keep", type=Path, help="only write the file numbered --first here")
    args = parser.parse_args(argv)
    only = tuple(name for name in args.only.split(",") if name)
    if args.keep is not None:
        kind = KINDS[only[0]]
        args.keep.mkdir(parents=True, exist_ok=True)
        kind.prepare(args.keep)
        rng = random.Random(f"{args.seed} {kind.name} {args.first}")
        print(kind.write(args.keep, mutated(kind, rng)))
        return 0
    print(f"{'kind':14}{'files':>8}{'told':>8}{'tracebacks':>12}{'slowest':>12}{'largest':>11}")
    total, good = Tally(), True
    for name in only or KINDS:
        whole = sum(KINDS[n].weight for n in (only or KINDS))
        count = max(1, round(args.count * KINDS[name].weight / whole))
        tally = run(count, args.seed, (name,), args.first)[name]
        print(line(name, tally), flush=True)
        for number, words in tally.crashes[:5]:
            print(f"    {number}: {words}", flush=True)
        total.files += tally.files
        total.told += tally.told
        total.crashes += tally.crashes
        total.slowest = max(total.slowest, tally.slowest)
        total.largest = max(total.largest, tally.largest)
        good &= tally.good
    print(line("all", total))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
