"""What the pages of one table stand on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from companion.journal import Unlocked
from mobile.seats.addresses import Addresses
from mobile.seats.events import Broadcast
from mobile.seats.hands import Hands
from mobile.seats.invitations import Invitations, Invited, SeatPhones
from mobile.seats.language import Language
from mobile.seats.lent_camera import HostEyes
from mobile.seats.render import RenderedPage, Renderer
from mobile.seats.table import HostedTable

#: The table's own screen, and a lent camera, among the places that a code can open.
TABLE, CAMERA = "table", "camera"
#: Seconds for which codes stand in the corner of the table's screen: less than they hold.
_CORNER_HOLDS = 100.0
_Result = TypeVar("_Result")


def path_of(place: str) -> str:
    """Where the page of a place is."""
    return f"/seat/{place}" if place.isdecimal() else f"/{place}"


@dataclass(slots=True)
class HostState:
    """What the pages stand on.

    Attributes:
        table: the running session; used on `worker` alone.
        counter: the thread on which notepads are worked out.
        renderer: makes HTML; used on `worker` alone.
        phones: which phone has which seat, which screens are the table's own.
        lens: takes frames; None where no phone may lend its camera.
        hands: reads hands that players show to their phones; None where pages are not encrypted.
        unlocked: players who have shown who they are; used on `worker` alone.
        notice: what became of the network, as a sentence of the pages and what stands in it.
    """

    table: HostedTable
    worker: Executor
    counter: Executor
    renderer: Renderer
    broadcast: Broadcast
    invitations: Invitations
    phones: SeatPhones
    addresses: Addresses
    words: str
    secure: bool
    lens: HostEyes | None
    hands: Hands | None
    unlocked: dict[int, Unlocked] = field(default_factory=dict)
    notice: tuple[str, dict[str, str]] = ("", {})
    _corner: tuple[str, Invited, str, asyncio.TimerHandle] | None = None

    @property
    def address(self) -> str:
        """The table's own, e.g. `https://192.168.1.5:7380`."""
        return self.addresses.base()

    def url(self, place: str) -> str:
        """An address that opens a place once, within two minutes."""
        return self.invited(place).url

    def invited(self, place: str, address: str = "", *, corner: bool = False) -> Invited:
        """New codes for a seat (`1`, …), the table's own screen or a camera.

        Args:
            place: what they open, once, within two minutes.
            address: of the network that the phone is on; by default the likeliest.
            corner: whether they stand in the corner of the table's screen.
        """
        made, base = self.invitations.make(place, corner=corner), self.addresses.base(address)
        return Invited(f"{base}{path_of(place)}#{made.code}", base.partition("//")[2], made.short)

    def corner(self) -> tuple[str, Invited] | None:
        """The next free seat and its codes in the corner of the table's screen; None without one.

        They are made anew when the table moves, and before they run out; on the loop's thread.
        """
        seats = map(str, range(1, len(self.table.setup.players) + 1))
        place = next((seat for seat in seats if not self.phones.has(seat)), None)
        kept = self._corner
        if kept is not None and (kept[0], kept[2]) != (place, self.address):
            kept[3].cancel()
            kept = self._corner = None
        if kept is None and place is not None:
            timer = asyncio.get_running_loop().call_later(_CORNER_HOLDS, self._renew_corner)
            kept = place, self.invited(place, corner=True), self.address, timer
            self._corner = kept
        return None if kept is None else kept[:2]

    def _renew_corner(self) -> None:
        self._corner = None
        self.broadcast.wake()

    def opened(self, seat: int) -> Unlocked | None:
        """A seat's player who has shown who they are; on the session's thread.

        None where a PIN is set that was not entered since the host was started.
        """
        who = self.unlocked.get(seat)
        if (who is None or who.locked) and not self.table.session.has_pin(seat):
            who = self.unlocked[seat] = self.table.session.unlock(seat)
        return None if who is None or who.locked else who

    def enter(self, seat: int, pin: str) -> None:
        """A player shows who they are; on the session's thread.

        Raises:
            CompanionError: the PIN is wrong, or may not be tried yet.
        """
        self.unlocked[seat] = self.table.session.unlock(seat, pin)

    def presence(self, seat: int) -> str:
        """`on` or `off` for a phone that has the seat, connected or not; `free` without one."""
        if not self.phones.has_seat(seat):
            return "free"
        return "on" if self.broadcast.is_connected(seat) else "off"

    def leave(self, seat: int) -> None:
        """What was opened for a seat's player is closed."""
        if self.hands is not None:  # whoever sits down next does not go on with this hand
            self.hands.forget(seat)
        who = self.unlocked.pop(seat, None)
        if who is not None:
            who.lock()

    async def shown(
        self, seat: int | None, language: Language, *, may_act: bool = True
    ) -> RenderedPage:
        """What a page is to show now."""
        return await self.run(partial(self.renderer.shown, seat, language, may_act=may_act))

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Does something on the session's thread."""
        return await asyncio.get_running_loop().run_in_executor(self.worker, work)
