"""Decks & camera: is the picture good, where does the row lie, which decks are known."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.graphics import Color, Ellipse, Line
from kivy.metrics import dp
from kivy.properties import BooleanProperty, StringProperty

from calibration.light import measure
from companion.decks import deck_names, get_deck
from mobile.model import cameras, enrolling, zones
from mobile.model.camera_worker import FrameReport, Stamp
from mobile.resources import texts
from mobile.screens.watching import WatchingScreen
from mobile.widgets.basic import Panel, Words, ask, offer, offer_choices, saying
from mobile.widgets.camera import CameraView
from mobile.widgets.ui import load_layout
from vision.arrays import Image

_REACH = 36

#: Every so many-th picture is judged: that takes longer than showing it.
CHECKED = 10


class ZoneDragView(CameraView):
    """The camera's picture with four corners to drag."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.corners = zones.WHOLE
        self._held: int | None = None
        self.bind(pos=self._draw, size=self._draw)

    def set_corners(self, corners: tuple[zones.Corner, ...]) -> None:
        """Shows other corners."""
        self.corners = corners
        self._draw()

    def on_touch_down(self, touch: Any) -> bool:
        """Takes hold of the nearest corner within a thumb's reach."""
        if not self.collide_point(*touch.pos) or not self.has_picture:
            return bool(super().on_touch_down(touch))
        ways = [
            (touch.x - x) ** 2 + (touch.y - y) ** 2
            for x, y in map(self.point_on_screen, self.corners)
        ]
        nearest = min(range(len(ways)), key=ways.__getitem__)
        if ways[nearest] > dp(_REACH) ** 2:
            return False
        self._held = nearest
        touch.grab(self)
        return True

    def on_touch_move(self, touch: Any) -> bool:
        """Drags it."""
        if touch.grab_current is not self or self._held is None:
            return False
        self.set_corners(zones.moved(self.corners, self._held, self.point_in_frame(*touch.pos)))
        return True

    def on_touch_up(self, touch: Any) -> bool:
        """Lets go, and keeps where it is."""
        if touch.grab_current is not self:
            return False
        touch.ungrab(self)
        self._held = None
        App.get_running_app().services.keep_corners(self.corners)
        return True

    def _draw(self, *_args: object) -> None:
        self.canvas.after.clear()
        if not self.has_picture:
            return
        places = [self.point_on_screen(corner) for corner in self.corners]
        with self.canvas.after:
            Color(1, 1, 1, 1)
            Line(points=[v for place in places for v in place], close=True, width=dp(1.2))
            for x, y in places:
                Ellipse(pos=(x - dp(9), y - dp(9)), size=(dp(18), dp(18)))


class CameraScreen(WatchingScreen):
    """Camera and decks."""

    status = StringProperty()
    advice = StringProperty()
    is_on = BooleanProperty(False)
    has_torch = BooleanProperty(False)
    torch_on = BooleanProperty(False)
    has_focus_lock = BooleanProperty(False)
    focus_locked = BooleanProperty(False)

    #: Pictures that were shown since the camera was started.
    _shown = 0
    _sleeping = False

    def on_pre_enter(self, *_args: object) -> None:
        """Lists the decks; the camera starts when asked for."""
        self.ids.scroll.to_top()
        box = self.ids.decks
        box.clear_widgets()
        for deck in map(get_deck, deck_names()):
            panel = Panel()
            panel.add_widget(Words(text=texts.tr(deck.title), bold=True))
            how = texts.DECK_ENROLLED if deck.enrolled else texts.DECK_INDICES
            facts = texts.DECK_FACTS.format(
                n=sum(deck.counts.values()), width=deck.size_mm[0], height=deck.size_mm[1]
            )
            panel.add_widget(Words(text=f"{facts} {how}", tone="muted"))
            if deck.enrolled:
                self._offer_teaching(panel, deck.name)
            box.add_widget(panel)
        self._offer_cameras()
        self.ids.camera.set_corners(App.get_running_app().services.corners)
        self.ids.camera.notice = texts.CAMERA_ASLEEP
        self.advice = ""

    def _offer_teaching(self, panel: Panel, name: str) -> None:
        n = enrolling.taught(self._taught, name)
        if n:
            panel.add_widget(Words(text=texts.TAUGHT_HERE.format(n=n)))
        teach = partial(enrolling.Teaching, name, self._taught)
        offer(panel, texts.TEACH_THIS, partial(self._take, teach))
        if n:
            forget = partial(ask, texts.FORGET_SURE, texts.FORGET, partial(self._forget, name))
            offer(panel, texts.FORGET, forget)

    @property
    def _taught(self) -> Path:
        folder: Path = App.get_running_app().services.folder
        return folder / "decks"

    def measure_lens(self) -> None:
        """Measures the lens from cards."""
        path = App.get_running_app().services.folder / "lens.json"
        self._take(partial(enrolling.LensTaking, path))

    def _take(self, make: Any) -> None:
        self.stop()
        with saying(self.ids.camera, "notice"):
            App.get_running_app().open_taking(make())

    def _forget(self, name: str) -> None:
        (self._taught / f"{name}.json").unlink(missing_ok=True)
        self.on_pre_enter()

    def _offer_cameras(self) -> None:
        app = App.get_running_app()
        found = cameras.cameras() if app.source is None else ()
        choices = [(c.source, c.title) for c in found] if len(found) > 1 else []
        now = app.settings.camera
        if choices and now == cameras.AUTO:
            now = choices[0][0]
        offer_choices(self.ids.cameras, choices, now, self.choose)

    def choose(self, source: str) -> None:
        """Takes another camera."""
        app = App.get_running_app()
        app.change(replace(app.settings, camera=source))
        self._offer_cameras()
        if self.is_on:
            self.stop()
            self.switch()

    def switch(self) -> None:
        """Starts the camera, or stops it."""
        if self.is_on:
            self.stop()
            return
        app = App.get_running_app()
        with saying(self.ids.camera, "notice"):
            eyes = app.services.plain_eyes(app.source or app.settings.camera)
            self.is_on = True
            self.ids.camera.notice = texts.NO_CAMERA_YET
            self._shown = 0
            self.watch(eyes, Stamp(-1, 0))

    def stop(self) -> None:
        """Stops the camera."""
        self.close()
        self.is_on = self.has_torch = self.torch_on = False
        self.has_focus_lock = self.focus_locked = False

    def sleep(self) -> None:
        """The app is off the screen, as while Android asks whether the camera is permitted."""
        was_on = self.is_on
        self.stop()
        self._sleeping = was_on

    def wake(self) -> None:
        """The app is back: the camera runs again if it did."""
        if self._sleeping and not self.is_on:
            self.switch()
        self._sleeping = False

    def on_leave(self, *_args: object) -> None:
        """The camera never runs unseen."""
        self.stop()
        self._sleeping = False
        self.ids.camera.clear()

    def whole_picture(self) -> None:
        """The row may lie anywhere."""
        self.ids.camera.set_corners(zones.WHOLE)
        App.get_running_app().services.keep_corners(zones.WHOLE)

    def torch(self) -> None:
        """Turns the device's light on or off, where it has one."""
        if self.eyes is not None:
            self.eyes.set_torch(not self.eyes.torch_on)
            self.torch_on = self.eyes.torch_on

    def lock_focus(self) -> None:
        """Keeps the focus where it is, where the device can, or lets it go."""
        if self.eyes is not None:
            self.eyes.lock_focus(not self.eyes.focus_locked)
            self.focus_locked = self.eyes.focus_locked

    def shown(self, image: Image) -> None:
        """Now and then says what is wrong with the light."""
        if self._shown == 0 and self.eyes is not None:
            self.ids.camera.set_corners(self.ids.camera.corners)
            self.has_torch, self.has_focus_lock = self.eyes.has_torch, self.eyes.has_focus_lock
        if self._shown % CHECKED == 0:
            said = [texts.PICTURE_FAULTS[fault.value] for fault in measure(image).faults]
            self.advice = "\n".join(said) or texts.PICTURE_GOOD
        self._shown += 1

    def failed(self, why: str) -> None:
        """Says so in the place of the picture."""
        self.ids.camera.notice = self.status = why
        self.advice = ""

    def seen(self, look: FrameReport) -> None:
        """Says how many cards are read."""
        self.status = texts.CARDS_READ.format(n=len(look.reading.cards))


load_layout(__file__)
