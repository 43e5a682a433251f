"""Own phones: turns the pages for everybody's own phone on, and shows the codes to scan."""

from __future__ import annotations

import io
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import TYPE_CHECKING, Any

from kivy.app import App
from kivy.clock import Clock
from kivy.graphics.texture import Texture
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty

from companion.errors import CompanionError
from mobile.android.device import keep_network_awake
from mobile.model.own_phones import OwnPhones, Seat
from mobile.resources import texts
from mobile.seats import sentences
from mobile.seats.language import language, named
from mobile.widgets.basic import Sheet, Words, offer
from mobile.widgets.ui import load_layout

if TYPE_CHECKING:
    from mobile.seats.networks import Network

#: How often a hosted table is looked at, in seconds.
_LOOK_INTERVAL = 0.1
#: Seconds of a frame in which pages are answered; at 30 frames a second one has 0.033.
SHARE = 0.008


class AppThread(Executor):
    """Does things on the app's own thread, a few in each frame.

    An event makes a page for each seat anew. All of them in one frame would be a frame that is
    seen to stop.
    """

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._next = Clock.create_trigger(self._work)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor.submit`."""
        future: Future[Any] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - whoever waits for it is told
                future.set_exception(error)

        self._waiting.append(work)
        self._next()
        return future

    def _work(self, _dt: float) -> None:
        """Does what waits, in its order, until a frame's share of time is used up."""
        end = time.perf_counter() + SHARE
        while self._waiting:
            self._waiting.popleft()()
            if time.perf_counter() > end:
                break
        if self._waiting:
            self._next()


class Phones:
    """The pages of the table that is played, and the table's screen kept up to date with them."""

    def __init__(self, screen: Any, own: OwnPhones) -> None:
        self._screen, self.own = screen, own
        self._seen = -1
        self._sleeping = False

    def start(self) -> None:
        """Serves; raises `CompanionError` where nothing can be served."""
        self.own.start()
        keep_network_awake(True)
        Clock.unschedule(self._look)
        Clock.schedule_interval(self._look, _LOOK_INTERVAL)

    def stop(self) -> None:
        """Serves no more."""
        Clock.unschedule(self._look)
        self.own.stop()
        keep_network_awake(False)

    def sleep(self) -> None:
        """The app is off the screen, where its thread rests: no page could be answered."""
        self._sleeping = self.own.is_on
        if self._sleeping:
            self.stop()

    def wake(self) -> str:
        """The app is back: phones find the table again by themselves; returns what stops that."""
        if not self._sleeping:
            return ""
        self._sleeping = False
        try:
            self.start()
        except CompanionError as error:
            spoken = language(texts.language())
            return spoken.say(sentences.OWN_AGAIN, why=spoken.told(error.message))
        return ""

    def _look(self, _dt: float) -> None:
        """Tells pages and screen of each other; ends when another session is played."""
        table = self._screen.table
        if table is None or table.session is not self.own.session:
            self.stop()
            return
        stands = table.referee.stands
        if stands != self._seen:
            self._seen = stands
            self.own.changed()
            self._screen.refresh()


class PhonesSheet(Sheet):
    """On and off, who has a phone, and the code of a seat or of a further screen."""

    is_on = BooleanProperty(False)
    lead = StringProperty()
    trouble = StringProperty()
    address = StringProperty()
    short = StringProperty()
    code = ObjectProperty(None, allownone=True)

    def __init__(self, phones: Phones) -> None:
        super().__init__()
        self._phones = phones
        self._shown: tuple[tuple[Seat, ...], tuple[Network, ...], str] = (), (), ""
        self._place = self._network = ""
        self._notice = phones.own.notice
        Clock.schedule_interval(self._refresh, 0.5)
        self._refresh()

    def on_dismiss(self) -> None:
        """The codes are covered; the pages go on."""
        Clock.unschedule(self._refresh)

    def switch(self) -> None:
        """On, or off."""
        self.trouble, self.address, self.short, self.code = "", "", "", None
        self._place = self._network = ""
        if self._phones.own.is_on:
            self._phones.stop()
        else:
            try:
                self._phones.start()
            except CompanionError as error:
                self.trouble = language(texts.language()).told(error.message)
        self._refresh()

    def label(self, sentence: str, **fields: object) -> str:
        """A sentence of the pages, by its name, in the app's language."""
        return language(texts.language()).say(getattr(sentences, sentence), **fields)

    def show(self, place: str, network: str = "") -> None:
        """The codes of a seat, or of the table's own screen, for a phone on a network."""
        self._place, self._network = place, network
        invited = self._phones.own.invited(place, network)
        self.address = "" if invited is None else invited.url
        self.short = ""
        if invited is not None:
            self.short = self.label("SHORT_CODE", address=invited.typed, code=invited.short)
        self.code = qr_texture(self.address)
        self._refresh()

    def let_go(self, seat: Seat) -> None:
        """Frees a seat, with its player's PIN where one is set."""
        app = App.get_running_app()

        def free(who: Any) -> None:
            if who is not None:
                who.lock()
            self._phones.own.let_go(seat.place)
            self._refresh()

        if self._phones.own.session.has_pin(int(seat.place) - 1):
            self.dismiss(animation=False)
            app.unlock(int(seat.place) - 1, free)
        else:
            free(None)

    def _refresh(self, *_args: object) -> None:
        own = self._phones.own
        self.is_on = own.is_on
        self.lead = self.label("OWN_LEAD", words=own.words) if own.is_on else self.label("OWN_OFF")
        self._follow()
        shown = own.seats() if own.is_on else ()
        others = own.networks(self._network) if self._place else ()
        if (shown, others, self._place) == self._shown:
            return
        self._shown = shown, others, self._place
        box = self.ids.seats
        box.clear_widgets()
        states = {"on": "IS_CONNECTED", "off": "TAKEN"}
        for seat in shown:
            if seat.state == "free":
                offer(box, self.label("INVITE", name=seat.name), partial(self.show, seat.place))
            else:
                box.add_widget(Words(text=f"{seat.name}: {self.label(states[seat.state])}"))
                offer(box, self.label("LET_GO", name=seat.name), partial(self.let_go, seat))
        if shown:
            offer(box, self.label("SCREEN_CODE"), partial(self.show, "table"))
        if others:
            self._offer(others)

    def _offer(self, others: tuple[Network, ...]) -> None:
        """The codes that are shown can be made for a phone on another network."""
        box, spoken = self.ids.seats, language(texts.language())
        box.add_widget(Words(text=self.label("OTHER_NETWORK")))
        for one in others:
            offer(box, named(one, spoken), partial(self.show, self._place, one.address))

    def _follow(self) -> None:
        """Says what became of the network; codes that are shown follow."""
        notice = self._phones.own.notice
        if not self._phones.own.is_on or notice == self._notice:
            return
        self._notice = notice
        spoken = language(texts.language())
        self.trouble = spoken.told(spoken.say(notice[0], **notice[1]))
        if self._place:
            self.show(self._place)


def qr_texture(text: str) -> Texture | None:
    """A text as a QR code with its quiet zone, a pixel a module; None for no text."""
    if not text:
        return None
    import segno

    out = io.BytesIO()
    code = segno.make(text, error="m", micro=False)
    rows = [list(row) for row in code.matrix_iter(border=4)]
    for row in reversed(rows):
        out.write(bytes(0 if dark else 255 for dark in row))
    texture = Texture.create(size=(len(rows[0]), len(rows)), colorfmt="luminance")
    texture.mag_filter = texture.min_filter = "nearest"
    texture.blit_buffer(out.getvalue(), colorfmt="luminance", bufferfmt="ubyte")
    return texture


load_layout(__file__)
