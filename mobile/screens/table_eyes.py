"""The table's camera: what it sees, why it does not, and starting it anew."""

from __future__ import annotations

from typing import Any

from kivy.app import App
from kivy.properties import BooleanProperty, StringProperty

from calibration.light import LightFault, measure
from companion.cards import Card
from companion.decks import get_deck
from mobile.model import exports, misread
from mobile.model.camera_worker import Eyes, FrameReport
from mobile.model.table import Table
from mobile.resources import texts
from mobile.screens.watching import FRAMES_A_SECOND, WatchingScreen
from mobile.widgets.basic import card_name
from mobile.widgets.camera import CameraView, Place  # noqa: F401 - the .kv uses the view

#: So many cards must all stand on their heads before the picture is said to be upside down.
UPSIDE_DOWN = 2


class TableEyes(WatchingScreen):
    """A screen with a table that eyes may watch."""

    eyes_status = StringProperty()
    #: Why the camera does not work; empty while it does.
    failure = StringProperty()
    has_camera = BooleanProperty(False)

    table: Table | None = None
    latencies: list[float]
    #: Pictures that were shown, to look at the light of some.
    _shown = 0
    _trouble = ""
    #: Whether cards lay there before play began when it was looked last.
    _was_early = False
    _source: str | None = None
    _sleeping = False

    def refresh(self) -> None:
        """Shows the table as it stands now."""
        raise NotImplementedError

    def _watch(self, table: Table, eyes: Eyes | None) -> None:
        self.eyes, self.has_camera, self._trouble = eyes, eyes is not None, ""
        self.eyes_status = self.failure = ""
        self.ids.camera.notice = texts.NO_CAMERA_YET if eyes is not None else texts.CAMERA_OFF
        self.ids.camera.clear()
        self.ids.camera.places = ()
        if eyes is not None:
            self.ids.camera.places = self._places_of(table, eyes)
            self.watch(eyes, table.stamp)

    @staticmethod
    def _places_of(table: Table, eyes: Eyes) -> tuple[Place, ...]:
        """Where each of the table's places lies in the picture, with its name."""
        titles = {zone.name: texts.told(zone.title) for zone in table.zones}
        found = eyes.zones.polygons.items() if eyes.zones is not None else ()
        return tuple(
            (titles.get(name, name), tuple((float(x), float(y)) for x, y in polygon))
            for name, polygon in found
            if polygon is not None
        )

    def _tick(self, _dt: float) -> None:
        eyes, table = self.eyes, self.table
        if eyes is None or table is None:
            return
        camera = self.ids.camera
        image = eyes.picture()
        if image is not None:
            camera.show(image)
            camera.notice = ""
            self._watch_light(image)
        failure = texts.told(eyes.failure) if eyes.failure is not None else None
        if failure is not None and failure != self.failure:
            # It is told once, beside what can be done about it.
            self.failure, self.eyes_status = failure, texts.CAMERA_FAILED
            camera.notice = "" if camera.has_picture else texts.CAMERA_FAILED
            camera.mark(None)
        if self._was_early and not table.is_waiting_to_start:
            eyes.repeat()
        look = eyes.look()
        if look is not None:
            camera.mark(look.reading if failure is None else None)
            self._take_in(look, table, eyes)
        self._was_early = table.is_waiting_to_start
        if eyes.ended and failure is None:
            from vision.images.sources import FolderSource  # the eyes have brought it

            are_pictures = isinstance(eyes.source, FolderSource)
            self.eyes_status = texts.PICTURES_ENDED if are_pictures else texts.SOURCE_ENDED

    def _take_in(self, look: FrameReport, table: Table, eyes: Eyes) -> None:
        """What the eyes say of a frame: said, recorded or asked about."""
        self.latencies.append(look.latency)
        gathering = table.is_gathering
        if eyes.failure is None:
            status = self._status_of(look)
            if gathering and table.question is None:
                status = texts.GATHER_EARLY if table.is_waiting_to_start else texts.GATHER
            self.eyes_status = self._trouble or status
        if table.see(look):
            self.refresh()
        if gathering and not table.is_gathering:
            eyes.forget()

    def keep_misread(self, seen: Card, right: Card) -> None:
        """Keeps the picture of a card that was misread, where the user wants that."""
        app = App.get_running_app()
        if self.eyes is None or self.table is None or not app.settings.keep_misreads:
            return
        place = exports.place_of(app.services.folder, app.settings.files)
        misread.keep(place, self.eyes, self.table.deck, seen=seen, right=right)

    def _watch_light(self, image: Any) -> None:
        """Once in a while, whether anything can be seen at all."""
        self._shown += 1
        if self._shown % FRAMES_A_SECOND:
            return
        is_black = LightFault.BLACK in measure(image).faults
        self._trouble = texts.PICTURE_BLACK if is_black else ""
        if self._trouble:
            self.eyes_status = self._trouble

    @staticmethod
    def _status_of(look: FrameReport) -> str:
        """How the view is, in words; also where the picture is upside down."""
        downs = [read.indices[0].direction[1] for read in look.reading.cards]
        if len(downs) >= UPSIDE_DOWN and max(downs) < -0.5:
            return texts.UPSIDE_DOWN
        if look.reading.looks_like:
            title = texts.tr(get_deck(look.reading.looks_like).title)
            return texts.OTHER_LETTERS.format(deck=title)
        if look.twice:
            return texts.SEEN_TWICE.format(card=card_name(look.twice[0]))
        return texts.STATUS[look.status]

    def look_again(self) -> None:
        """Lets the eyes begin anew; a camera that has failed is opened again."""
        if self.table is None or self.eyes is None:
            return
        self.table.look_again()
        if self.eyes.failure is not None and self._source is not None:
            self.close()
            self._watch(self.table, App.get_running_app().eyes(self.table, self._source))
        else:
            self.eyes.forget()
        self.refresh()

    def play_without(self) -> None:
        """Goes on by hand, without the camera that has failed."""
        if self.eyes is not None:
            self.switch()

    def switch(self) -> None:
        """Starts the camera in the middle of a match, or stops it."""
        table, app = self.table, App.get_running_app()
        if table is None:
            return
        eyes = None
        if self.eyes is None:
            self._source = self._source or app.source or app.settings.camera
            eyes = app.eyes(table, self._source)
        self.close()
        self._watch(table, eyes)
        app.services.remember(table, camera=eyes is not None)
        self.refresh()

    def watch_source(self, source: str) -> None:
        """Starts eyes on a named source for the table that is open."""
        if self.table is not None:
            self.close()
            self._source = source
            self.table.look_again()
            self._watch(self.table, App.get_running_app().eyes(self.table, source))
            self.refresh()

    def sleep(self) -> None:
        """The app is off the screen: the camera is another app's."""
        self._sleeping = self.eyes is not None
        if self._sleeping:
            self.close()

    def wake(self) -> None:
        """The app is back: it looks again where it did."""
        if self._sleeping and self.table is not None and self._source is not None:
            self._watch(self.table, App.get_running_app().eyes(self.table, self._source))
            self.refresh()
        self._sleeping = False
