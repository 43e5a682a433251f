"""Score a hand: four cards and the starter before the camera, what they are worth, and why."""

from __future__ import annotations

from functools import partial

from kivy.app import App
from kivy.properties import BooleanProperty, StringProperty

from companion.cards import Card
from mobile.model import hand_score
from mobile.model.camera_worker import FrameReport, Stamp
from mobile.model.hand_score import HandScore
from mobile.resources import texts
from mobile.screens.watching import WatchingScreen
from mobile.widgets.basic import CardFace, card_name, offer, saying
from mobile.widgets.camera import CameraView  # noqa: F401 - the .kv uses it
from mobile.widgets.presses import GUARD
from mobile.widgets.ui import load_layout

#: So many pictures one after the other show the same before it counts.
_SAME = 3


class HandScoreScreen(WatchingScreen):
    """A hand of cribbage, read and counted; nothing is kept."""

    lead = StringProperty()
    points = StringProperty()
    crib = BooleanProperty(False)
    #: Whether the camera looks; else what it read stands still.
    is_looking = BooleanProperty(False)

    #: What was seen last, and in how many pictures one after the other.
    _seen, _times = HandScore(), 0

    def on_pre_enter(self, *_args: object) -> None:
        """Begins to look."""
        self.look()

    def on_leave(self, *_args: object) -> None:
        """The camera never runs unseen."""
        self.close()
        self.is_looking = False

    def look(self) -> None:
        """Looks, or looks anew."""
        self.close()
        app = App.get_running_app()
        self._show(HandScore())
        self.ids.camera.clear()
        with saying(self, "lead"):
            eyes = app.services.plain_eyes(app.source or app.settings.camera)
            self.is_looking = True
            self.ids.camera.notice = texts.NO_CAMERA_YET
            self.watch(eyes, Stamp(-1, 0))

    def turn(self) -> None:
        """It is the crib, or it is not."""
        self.crib = not self.crib
        if self._seen.starter is not None:
            self._name(self._seen.starter)

    def failed(self, why: str) -> None:
        """Says so in the place of what is to be done."""
        self.lead, self.is_looking = why, False

    def seen(self, look: FrameReport) -> None:
        """What a picture shows; the camera stops as soon as all five cards are sure."""
        if not self.is_looking:
            return
        found = hand_score.seen(look.reading, crib=self.crib)
        same = found.is_complete and frozenset(found.cards) == frozenset(self._seen.cards)
        self._times = self._times + 1 if same else 0
        self._show(found)
        if self._times >= _SAME:
            self.close()
            self.is_looking = False
            GUARD.changed()

    def _name(self, starter: Card) -> None:
        """Somebody says which card is the starter, which then lies at the end."""
        GUARD.changed()
        self._show(hand_score.scored(self._seen.cards, starter, crib=self.crib))

    def _show(self, found: HandScore) -> None:
        if found == self._seen and self.lead:
            return
        self._seen = found
        self.points = texts.HAND_POINTS.format(n=found.points) if found.starter else ""
        self.lead = texts.told(found.trouble) or (
            texts.SCORE_HAND_WHICH
            if found.is_complete and found.starter is None
            else "" if found.starter is not None else texts.SCORE_HAND_LEAD
        )  # fmt: skip
        self._light(())
        parts = self.ids.parts
        parts.clear_widgets()
        for part in found.parts:
            why = hand_score.why_it_scores(part)
            text = f"{why}\n{' '.join(map(card_name, part.cards))}"
            offer(parts, text, partial(self._light, part.cards))

    def _light(self, lit: tuple[Card, ...]) -> None:
        """Draws the cards, the starter apart at the end; those of one part stand out."""
        box, found = self.ids.cards, self._seen
        box.clear_widgets()
        for card in sorted(found.cards, key=lambda card: card is found.starter):
            face = CardFace(card=card, marked=card in lit)
            if found.is_complete:
                face.bind(on_release=lambda face: self._name(face.card))
            box.add_widget(face)


load_layout(__file__)
