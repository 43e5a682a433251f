"""Taking: a deck taught, or a lens measured, picture by picture, each taken when it lies still."""

from __future__ import annotations

from kivy.app import App
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty

from companion.errors import CompanionError
from mobile.model.camera_worker import Eyes, FrameReport, Stamp
from mobile.model.enrolling import Taking
from mobile.resources import texts
from mobile.screens.watching import WatchingScreen
from mobile.widgets.camera import CameraView  # noqa: F401 - the .kv uses it
from mobile.widgets.ui import load_layout


class TakingScreen(WatchingScreen):
    """What is taken, and what to lay next."""

    title = StringProperty()
    lead = StringProperty()
    status = StringProperty()
    face = ObjectProperty(None, allownone=True)
    can_finish = BooleanProperty(False)
    can_skip = BooleanProperty(False)
    can_insist = BooleanProperty(False)
    is_done = BooleanProperty(False)

    taking: Taking | None = None

    def open(self, taking: Taking, eyes: Eyes | None) -> None:
        """Begins; without eyes only what was taken can be seen."""
        self.close()
        self.taking = taking
        self.title = taking.title
        self.ids.scroll.to_top()
        self.ids.camera.clear()
        self.ids.camera.notice = texts.NO_CAMERA_YET
        if eyes is not None:
            self.watch(eyes, Stamp(-1, 0))
        self.refresh()

    def on_leave(self, *_args: object) -> None:
        """The camera never runs unseen; what was taken and not kept is forgotten."""
        self.close()
        self.taking = None

    def refresh(self) -> None:
        """Shows how far it is."""
        taking = self.taking
        if taking is None:
            return
        self.is_done = bool(taking.result)
        self.lead, self.status, self.face = taking.result or taking.lead, taking.status, taking.face
        self.can_finish, self.can_skip = taking.can_finish, taking.can_skip
        self.can_insist = taking.can_insist

    def skip(self) -> None:
        """Leaves out what is wanted now."""
        if self.taking is not None:
            self.taking.skip()
            self.refresh()

    def insist(self) -> None:
        """Takes what was held back."""
        if self.taking is not None:
            self.taking.insist()
            self.refresh()

    def undo(self) -> None:
        """Takes the last picture back."""
        if self.taking is not None:
            self.taking.undo()
            self.refresh()

    def finish(self) -> None:
        """Keeps it, or goes back where it was kept."""
        if self.taking is None:
            return
        if self.is_done:
            App.get_running_app().back()
            return
        try:
            self.taking.finish()
        except CompanionError as error:
            self.refresh()
            self.status = texts.told(error.message)
            return
        self.close()
        self.ids.camera.notice = ""
        self.ids.camera.clear()
        self.refresh()

    def seen(self, look: FrameReport) -> None:
        """Shows how far it is."""
        self.refresh()


load_layout(__file__)
