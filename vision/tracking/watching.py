"""A watched table: frames in, what lies where out; frames on which nothing is new cost little."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from companion.decks import Deck
from vision.arrays import Image
from vision.protocols import CardReader, OutliningReader, for_film
from vision.tracking import thumbnails
from vision.tracking.growing_row import GrowingRow, RowCard
from vision.tracking.status import ADVICE, Notice, NoticeKind, TableStatus
from vision.tracking.table import TableTracker
from vision.tracking.thumbnails import Grey
from vision.tracking.zones import TABLE, Zones
from vision.types import Reading, Sighting

#: A frame is read again where more than this share of it changed since the last one read.
_NEWS = 0.002
#: While more than this share changes from frame to frame, hands are at work: what can be read then
#: is blurred or half hidden, so a read every so many seconds will do.
_MOVING, _GLANCE = 0.004, 0.6
#: So many frames are read once what has changed lies still: a single one may miss a card.
_LOOKS = 4


@dataclass(frozen=True, slots=True)
class TableView:
    """The table as it stands after one frame.

    Attributes:
        t: the frame's time in seconds.
        reading: what was read last; of an earlier frame where nothing had changed since.
        is_fresh: whether this frame was read.
        news: what has become certain with this frame.
        lying: all cards that lie on the table, rows in their order, others the earliest first.
        turned: cards that were turned over where they lay.
        row: the followed row, in reading order; empty where there is none.
        doubtful: positions in `row` that a person should settle.
        notices: what is doubtful or seen twice, by zone (empty for the table as a whole).
        status: how the view is.
        statuses: the same for each followed row, by zone; the table as a whole has the name "".
    """

    t: float
    reading: Reading
    is_fresh: bool
    news: tuple[Sighting, ...]
    lying: tuple[Sighting, ...]
    turned: tuple[Sighting, ...]
    row: tuple[RowCard, ...]
    doubtful: tuple[int, ...]
    notices: tuple[tuple[str, Notice], ...]
    status: TableStatus
    statuses: tuple[tuple[str, TableStatus], ...]

    @property
    def advice(self) -> str:
        """What to do now, in words; empty where all is well."""
        return ADVICE[self.status]


class TableWatch:
    """Follows a table with rows that grow and zones in which cards lie.

    Args:
        deck: what can lie there.
        zones: its parts.
        rows: names of the zones that are rows: their order counts, and their cards overlap.
    """

    def __init__(self, deck: Deck, zones: Zones, *, rows: Collection[str] = (TABLE,)) -> None:
        self._zones = zones
        self._rows = {n: GrowingRow(deck, zone=n) for n in zones.names if n in rows}
        others = {n: polygon for n, polygon in zones.polygons.items() if n not in rows}
        self._table = TableTracker(deck, Zones(others)) if others else None
        self._in_rows = Zones({n: p for n, p in zones.polygons.items() if n in rows})
        self._last: Reading = Reading((1, 1))
        self._read_blocks: Grey | None = None
        self._blocks: Grey | None = None
        self._read_at = -1e9
        self._looks_due = 0
        self._readers: tuple[CardReader, CardReader] | None = None

    def look(self, image: Image, t: float, reader: CardReader) -> TableView:
        """Takes in a frame; it is read only where something may be new.

        It is read quickly, as a frame; and as a still, which is slower and surer, where a quick
        look at a table at rest has left doubts or has just shown something new.

        Args:
            image: (height, width, 3) BGR.
            t: its time in seconds; must not run backwards.
            reader: reads it, and gets used to the deck in time (`vision.protocols.for_film`).
        """
        grey = thumbnails.thumbnail(image)
        small = thumbnails.blocks(grey)
        before, self._blocks = self._blocks, small
        moves = self._moves(before, small)
        if not self._is_new(small) or (moves and t - self._read_at < _GLANCE):
            return self._step(None, t, grey)
        self._looks_due -= not moves
        self._read_blocks, self._read_at = small, t
        is_second = 0 <= self._looks_due < _LOOKS - 1
        is_close = not moves and (is_second or self._is_unsettled)
        film = self._used_to_the_deck(reader)
        if not is_close:
            return self._step(film.read_frame(image), t, grey)
        # Where a card ends tells later whether it was turned over; in a row none is.
        if self._table is not None and isinstance(film, OutliningReader):
            return self._step(film.read_with_faces(image), t, grey)
        return self._step(film.read(image), t, grey)

    def take(self, reading: Reading, t: float, grey: Grey | None = None) -> TableView:
        """Takes in a frame that was read already."""
        return self._step(reading, t, grey)

    def _used_to_the_deck(self, reader: CardReader) -> CardReader:
        """The reader as it has got used to what lies here."""
        if self._readers is None or self._readers[0] is not reader:
            self._readers = reader, for_film(reader)
        return self._readers[1]

    @staticmethod
    def _moves(before: Grey | None, now: Grey) -> bool:
        """Whether something moves from one frame to the next."""
        if before is None or before.shape != now.shape:
            return False
        return thumbnails.changed_share(before, now) > _MOVING

    def _is_new(self, small: Grey) -> bool:
        last = self._read_blocks
        if (
            last is None
            or last.shape != small.shape
            or thumbnails.changed_share(last, small) > _NEWS
        ):
            self._looks_due = _LOOKS
        if self._looks_due > 0:
            return True
        return self._has_open_rows or (self._table is not None and self._table.needs_look)

    @property
    def _is_unsettled(self) -> bool:
        """Whether what lies there is still being made out."""
        return self._has_open_rows or (self._table is not None and self._table.is_unsettled)

    @property
    def _has_open_rows(self) -> bool:
        return not all(row.is_settled for row in self._rows.values())

    def _step(self, reading: Reading | None, t: float, grey: Grey | None) -> TableView:
        news: list[Sighting] = []
        notices: list[tuple[str, Notice]] = []
        statuses: list[tuple[str, TableStatus]] = []
        lying: list[Sighting] = []
        others: Reading | None = None
        if reading is not None:
            self._last = reading
            parts = self._in_rows.split(reading)
            others = _without(reading, parts.values())
            for name, row in self._rows.items():
                news += row.update(parts[name], t)
        for name, row in self._rows.items():
            statuses.append((name, row.status))
            notices += [(name, notice) for notice in row.notices]
            lying += row.sightings
        turned: tuple[Sighting, ...] = ()
        if self._table is not None:
            news += self._table.update(others, t, grey)
            statuses.append(("", self._table.status))
            notices += [("", notice) for notice in self._table.notices]
            lying += self._table.lying
            turned = self._table.turned
        first = next(iter(self._rows.values()), None)
        doubtful = sorted(
            {
                place
                for notice in (first.notices if first is not None else ())
                if notice.kind is NoticeKind.DOUBTFUL
                for place in notice.places
            }
        )
        return TableView(
            t,
            self._last,
            reading is not None,
            tuple(news),
            tuple(lying),
            turned,
            first.row if first is not None else (),
            tuple(doubtful),
            tuple(notices),
            max(
                (status for _, status in statuses), key=_URGENCY.index, default=TableStatus.WATCHING
            ),
            tuple(statuses),
        )


def _without(reading: Reading, parts: Iterable[Reading]) -> Reading:
    """What of a reading belongs to none of its parts."""
    taken = {id(read) for part in parts for read in (*part.cards, *part.doubtful)}
    return Reading(
        reading.size,
        tuple(r for r in reading.cards if id(r) not in taken),
        tuple(r for r in reading.doubtful if id(r) not in taken),
    )


_URGENCY = (
    TableStatus.WATCHING,
    TableStatus.STEADY,
    TableStatus.MOVING,
    TableStatus.HAND,
    TableStatus.LOST,
)
