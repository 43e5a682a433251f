"""What the app is made of, apart from the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.atomic_io import remove_private
from companion.bounded_io import ASIDE
from companion.core.game import Game
from companion.core.names import name_key
from companion.core.setup import Setup
from companion.errors import CompanionError
from mobile.card_readers import shipped_reader, table_deck, table_reader
from mobile.model import people
from mobile.model.people import Person
from mobile.model.settings import Settings, load, save

# What the home screen does not need is imported where it is used: the app is there sooner.
if TYPE_CHECKING:
    from companion.journal import SessionInfo
    from mobile.model.camera_worker import Eyes
    from mobile.model.saved_table import Watched
    from mobile.model.session_stats import Record
    from mobile.model.statistics import Statistics
    from mobile.model.table import Table
    from mobile.model.zones import Corner
    from vision.protocols import CardReader, FrameSource
    from vision.tracking.zones import Zones

DEMO = "demo"
JOURNAL = "journal.sqlite"
ReaderMaker = Callable[[], "CardReader"]
SourceMaker = Callable[[str], "FrameSource"]


def _told(why: str) -> str:
    """A sentence in the language in use; the texts are loaded when they are needed."""
    from mobile.resources import texts

    return texts.told(why)


class AppServices:
    """What the app is made of, apart from the window.

    Args:
        folder: where settings are kept.
        source: what was named on the command line.
    """

    def __init__(
        self,
        folder: Path,
        source: str | None,
        make_reader: ReaderMaker,
        make_source: SourceMaker,
    ) -> None:
        self.folder, self.source = folder, source
        self.make_reader, self.make_source = make_reader, make_source
        #: What became of a damaged settings file, in words; empty where there was none.
        self.settings: Settings
        self.settings, self.settings_trouble = load(folder)
        self._corners: tuple[Corner, ...] | None = None
        self._journal: Any = None
        self._people: tuple[Person, ...] | None = None
        self._records: dict[str, Record] | None = None
        self._infos: dict[str, SessionInfo] | None = None
        self._youngest: dict[str, str] | None = None
        #: Why matches are not kept, in words; empty where they are.
        self.journal_trouble = ""

    def change(self, settings: Settings) -> None:
        """Takes over and keeps other settings."""
        self.settings = settings
        save(self.folder, settings)

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Where in the picture the row lies, as fractions of it."""
        if self._corners is None:
            from mobile.model import zones

            self._corners = zones.load(self.folder)
        return self._corners

    @property
    def has_journal(self) -> bool:
        """Whether anything was kept; opening the journal for nothing would cost start-up time."""
        return self._journal is not None or (self.folder / JOURNAL).exists()

    @property
    def journal(self) -> Any:
        """The journal of this folder, opened when it is first needed; None where it cannot be."""
        if self._journal is None and not self.journal_trouble:
            from companion.journal import FileDeviceKeys, Journal

            try:
                self._journal = Journal(
                    self.folder / JOURNAL, device=FileDeviceKeys(self.folder / "keys")
                )
            except CompanionError as error:
                self.journal_trouble = _told(error.message)
            else:
                self.journal_trouble = _told(self._journal.notice)
        return self._journal

    def new_table(self, game: Game[Any], setup: Setup) -> Table:
        """A table whose every event is kept, or (saying why) one that is not."""
        from mobile.model.table import Table

        journal = self.journal
        if journal is None or journal.read_only:
            table = Table(game, setup)
            table.message = self.journal_trouble
            return table
        try:
            return Table(game, setup, journal.begin(game, setup), journal)
        except CompanionError as error:
            table = Table(game, setup)
            table.message = _told(error.message)
            return table

    def resumed(self, number: int) -> Table:
        """The table of a session that was kept, as it was left.

        Raises:
            CompanionError: it cannot be read.
        """
        from mobile.model.table import Table

        session = self.journal.resume(number)
        table = Table(session.game, session.setup, session, self.journal)
        table.message = session.damage
        return table

    def watched(self, number: int) -> Watched:
        """How a kept session was watched when it was left."""
        from mobile.model import saved_table

        return saved_table.load(self.folder, number)

    def remember(self, table: Table, *, camera: bool) -> None:
        """Keeps how a table is watched, where the table is kept."""
        from mobile.model import saved_table

        if table.session is not None:
            saved_table.save(self.folder, table.session.id, saved_table.Watched(table.deck, camera))

    # -- people ------------------------------------------------------------------------------

    @property
    def people(self) -> tuple[Person, ...]:
        """Who plays here; at first whoever sits in the matches that were kept."""
        if self._people is None:
            self._people = people.load(self.folder)
            if not people.is_kept(self.folder) and self.has_journal and self.journal is not None:
                sessions = self.journal.sessions()
                names = dict.fromkeys(name for info in sessions for name in info.players)
                self._people = people.met((), list(names)[: people.MOST])
        return self._people

    def keep_people(self, kept: tuple[Person, ...]) -> None:
        """Takes over and keeps who plays here."""
        self._people = kept
        people.save(self.folder, kept, self.youngest)

    @property
    def youngest(self) -> dict[str, str]:
        """Who is the youngest of which group, see `mobile.model.starting`."""
        if self._youngest is None:
            self._youngest = people.load_youngest(self.folder)
        return self._youngest

    def keep_youngest(self, known: dict[str, str]) -> None:
        """Takes over and keeps who is the youngest of which group."""
        self._youngest = known
        people.save(self.folder, self.people, known)

    def meet(self, names: tuple[str, ...]) -> None:
        """Some people have sat down to play: their names need not be typed again."""
        kept = people.met(self.people, names)
        if kept != self.people:
            self.keep_people(kept)

    def names_changed(self, old: tuple[str, ...], new: tuple[str, ...]) -> None:
        """Players of the open match go by other names: mistyped names are not remembered."""
        kept = self.people
        sessions = self.journal.sessions() if self.has_journal and self.journal else ()
        used = {name_key(name) for info in sessions for name in info.players}
        for before, after in zip(old, new, strict=True):
            is_known = people.find(kept, after) is not None
            if name_key(before) not in used and not is_known:
                kept = people.renamed(kept, before, after)
        self.keep_people(people.met(kept, new))

    def counting(self) -> Iterator[tuple[int, int]]:
        """Brings the records for statistics up to date, a session a step.

        Yields:
            How many sessions are done, and of how many.
        """
        from mobile.model import session_stats

        if not self.has_journal or self.journal is None:
            self._records = {}
            return
        if self._records is None:
            self._records = session_stats.load(self.folder)
        before = dict(self._records)
        self._infos = session_stats.listed(self.journal)
        yield from session_stats.catch_up(self.journal, self._infos, self._records)
        if self._records != before:
            session_stats.save(self.folder, self._records)

    def statistics(self) -> Statistics:
        """Who played, who won, who guesses better than luck; after `counting`."""
        from mobile.model import session_stats
        from mobile.model.statistics import statistics

        if not self.has_journal or self.journal is None or not self._records:
            return statistics(())
        if self._infos is None:
            self._infos = session_stats.listed(self.journal)
        known = self._records
        return statistics((info, known[own]) for own, info in self._infos.items() if own in known)

    def drop_empty(self, table: Table | None) -> None:
        """Deletes the session of a table that was left before anything happened at it."""
        session = None if table is None else table.session
        if session is not None and not session.referee.log and not self.journal.read_only:
            with suppress(CompanionError):  # it is tried again when the next one is left
                self.delete_session(session.id)

    def unfinished(self, but: Table | None) -> tuple[SessionInfo, ...]:
        """Matches to go on with, the one that changed last first; listing them costs time.

        Sessions in which nothing has happened are deleted: the app was ended before it could.

        Args:
            but: the table that is open, at which something may happen yet.
        """
        is_open = None if but is None or but.session is None else but.session.id
        infos = self.journal.sessions()
        for info in () if self.journal.read_only else infos:
            if not info.events and not info.damage and info.id != is_open:
                with suppress(CompanionError):
                    self.delete_session(info.id)
        return tuple(info for info in infos if info.events and not info.over and not info.damage)

    def delete_session(self, number: int) -> None:
        """Deletes a match for good, and what was worked out from it.

        Raises:
            CompanionError: it cannot be deleted now.
        """
        from mobile.model import session_stats

        own = self.journal.identities().get(number, "")
        kept = session_stats.load(self.folder) if self._records is None else self._records
        if kept.pop(own, None) is not None:
            session_stats.save(self.folder, kept)
        self._infos = None
        self.journal.delete(number)

    def rename_person(self, old: str, new: str) -> None:
        """Gives somebody another name, in every match that was kept too.

        Raises:
            CompanionError: it cannot be a name, or somebody else is called so; nothing changed.
        """
        from mobile.model import starting

        kept = people.renamed(self.people, old, new)
        if self.has_journal and self.journal is not None and not self.journal.read_only:
            self._infos = None
            self.journal.rename_everywhere(old, new)
        self._youngest = starting.renamed(self.youngest, old, new)
        self.keep_people(kept)
        names = tuple(new if name_key(n) == name_key(old) else n for n in self.settings.names)
        self.change(replace(self.settings, names=names))

    def colours(self, names: Sequence[str]) -> tuple[int, ...]:
        """The colours of the players of a table, by their numbers, in seat order."""
        return people.seated(self.people, names)

    def forget_person(self, name: str) -> None:
        """Forgets somebody's name and colour; matches that were kept stay as they are."""
        from mobile.model import starting

        self._youngest = starting.forgotten(self.youngest, name)
        self.keep_people(people.forgotten(self.people, name))
        left = tuple(n for n in self.settings.names if name_key(n) != name_key(name))
        self.change(replace(self.settings, names=left or Settings().names))

    def forget_everything(self) -> None:
        """Deletes all matches, players and keys for good; a fresh journal is begun when needed.

        Raises:
            CompanionError: something cannot be deleted.
        """
        from mobile.model import saved_table, session_stats

        if self.journal is not None:
            self.journal.delete_everything()
        self._journal, self.journal_trouble = None, ""
        for name in (people.FILE, session_stats.FILE, saved_table.FILE):
            path = self.folder / name
            remove_private(path, path.with_name(name + ASIDE))
        self._people = self._records = self._infos = self._youngest = None
        self.change(replace(self.settings, names=Settings().names))

    def close(self) -> None:
        """Lets go of the journal."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def keep_corners(self, corners: tuple[Corner, ...]) -> None:
        """Takes over and keeps where the row lies in the picture."""
        from mobile.model import zones

        self._corners = corners
        zones.save(self.folder, corners)

    def plain_eyes(self, source: str, reader: CardReader | None = None) -> Eyes:
        """Eyes that follow no game.

        Args:
            source: what they look at.
            reader: what looks at the frames; else cards of the standard deck are named.

        Raises:
            CompanionError: there is no such source.
        """
        from companion.decks import get_deck
        from mobile.model.camera_worker import Eyes
        from vision.images.cameras import is_live

        clip = not is_live(source)
        make = self.make_reader if reader is None else lambda: reader
        return Eyes(self.make_source(source), make, get_deck(), zone=None, is_clip=clip)

    def demo_table(self) -> Table:
        """The table of the bundled clip."""
        from mobile.model import demo_script

        return demo_script.table(demo_script.load())

    def first_table(self) -> Table:
        """A table of the first game for the players last named, for a source without a game."""
        from companion.core.registry import all_games
        from mobile.model.table import Table

        game = all_games()[0]
        names = list(self.settings.names)[: game.info.max_players]
        return Table(game, game.setup(names))

    def eyes(self, table: Table, source: str, *, follow: bool = True) -> Eyes:
        """Eyes on a source for a table.

        Args:
            table: what is watched.
            source: the source's name.
            follow: whether what lies on the table is followed; else cards are only named.

        Raises:
            CompanionError: there is no such source.
        """
        from mobile.model import zones
        from mobile.model.camera_worker import Eyes
        from vision.images.cameras import is_live

        is_clip = not is_live(source)
        # A hand or a long row is held or passed along by hand, wherever the table lies.
        corners = self.corners if follow and not is_clip else zones.WHOLE
        names = table.game.info.decks
        deck = table_deck((table.deck, *names[1:]))
        maker = self.make_reader
        if maker is shipped_reader:
            maker = partial(table_reader, table.deck, names, self.folder / "decks")
        return Eyes(
            self.make_source(source),
            maker,
            deck,
            zone=table.watched_zone if follow else None,
            is_clip=is_clip,
            corners=corners,
            zones=self._zones_of(table, corners, is_clip=is_clip) if follow else None,
        )

    def _zones_of(self, table: Table, corners: tuple[Corner, ...], *, is_clip: bool) -> Zones:
        """A table's places in the picture: as calibrated for a camera, else as is usual."""
        from mobile.model import zones

        known = {} if is_clip else zones.calibrated(self.folder)
        found = zones.of_calibrated(table.zones, table.setup.players, known)
        return found if found is not None else zones.of_table(table.zones, corners)
