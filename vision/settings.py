"""How thoroughly a picture is read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vision.indices.locate import KNOWN_HEIGHTS, LEAST_HEAT, LEAST_SIDE

ACCEPT = 0.85
"""Least confidence of an accepted read; one value for every deck and picture."""

DOUBT = 0.2

#: Long sides of the pyramid's levels, pixels. Each halves the one before: the locator knows a
#: ninefold range of sizes, so half steps would only look twice at the same.
STILL_SIDES = (1920, 960, 480, 240)
FRAME_SIDES = (640, 320)

#: For the second look at a row: half steps between the levels show every index at a
#: second size, and what one of them misreads the other often reads. About twice the work.
ROW_SIDES = (2720, 1920, 1360, 960, 480, 240)


def index_heights(size: tuple[int, int]) -> tuple[int, int]:
    """How small and how large an index is found in a still of that width and height, pixels."""
    longest = max(size)
    finest = min(STILL_SIDES[0], longest)
    least, most = KNOWN_HEIGHTS
    coarsest = finest * STILL_SIDES[-1] / STILL_SIDES[0]
    return round(least * longest / finest), round(most * longest / max(coarsest, LEAST_SIDE))


@dataclass(frozen=True, slots=True)
class Settings:
    """How thoroughly to look.

    Attributes:
        sides: long sides of the pyramid's levels, pixels.
        accept: least confidence of an accepted read.
        doubt: least confidence of a doubtful read.
        least_heat: least heat of a candidate, see `vision.indices.locate.Locator.find`.
        joker_heat: least heat of what may be a joker's mark, in stills; 1 for no fainter ones.
        enough: index height for which one level is enough, pixels; see there.
        most: most candidates that are classified.
    """

    sides: tuple[int, ...] = STILL_SIDES
    accept: float = ACCEPT
    doubt: float = DOUBT
    least_heat: float = 0.3
    joker_heat: float = 1.0
    enough: float | None = 36.0
    most: int = 320


#: Chosen for its time: of 3,944 separate cards two more would be read at 0.3, and two more wrongly.
STILL = Settings(
    least_heat=0.35,
    joker_heat=LEAST_HEAT,
)
FRAME = Settings(sides=FRAME_SIDES, most=160)
ROW = Settings(
    sides=ROW_SIDES,
    least_heat=LEAST_HEAT,
    enough=None,
    most=1000,
)
#: A frame of a sweep over a row: what stands there is a card, as in a still of a row. Half steps
#: between sizes are left out, since the next frame shows every index at another one.
SWEEP = replace(ROW, sides=STILL_SIDES, most=320)
