"""What the pages of one table stand on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from companion.journal import Unlocked
from mobile.model import wording
from mobile.seats.addresses import Addresses
from mobile.seats.broadcast import Broadcast
from mobile.seats.hands import Hands
from mobile.seats.invitations import Invitations, Invited, SeatPhones
from mobile.seats.language import Language
from mobile.seats.lent_camera import HostEyes
from mobile.seats.render import RenderedPage, Renderer
from mobile.seats.table import HostedTable, Outcome

#: The table's own screen, and a lent camera, among the places that a code can open.
TABLE, CAMERA = "table", "camera"
_Result = TypeVar("_Result")
#: Seat, language, and whether the page may act.
_Key = tuple[int | None, str, bool]


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
        version: grows whenever something has happened at the table.
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
    version: int = 0
    notice: tuple[str, dict[str, str]] = ("", {})
    _made: dict[_Key, tuple[int, asyncio.Task[RenderedPage]]] = field(default_factory=dict)

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

    def changed(self) -> None:
        """Something has happened at the table; on the event loop's thread."""
        self.version += 1
        self.broadcast.wake()

    async def shown(
        self, seat: int | None, language: Language, *, may_act: bool = True
    ) -> RenderedPage:
        """What a page is to show now; made once for all pages that show the same."""
        key = seat, language.code, may_act
        made = self._made.get(key)
        if made is None or made[0] != self.version or made[1].cancelled():
            work = partial(self.renderer.shown, seat, language, may_act=may_act)
            made = self.version, asyncio.create_task(self.run(work))
            self._made[key] = made
        return await asyncio.shield(made[1])

    async def act(
        self, seat: int | None, sent: Mapping[str, object], language: Language
    ) -> tuple[Outcome, int]:
        """Does what a page asks for; returns what became of it, and the state's number now.

        What the page is to show comes by its events alone: two roads could overtake each other.
        """

        def done() -> tuple[Outcome, int]:
            with language.spoken():
                outcome = self.table.act(seat, sent)
            told = wording.without_codes(self.table.game, language.told(outcome.told))
            return replace(outcome, told=told), len(self.table.referee.view(seat).log)

        return await self.run(done)

    async def made_of_keys(
        self, seat: int | None, sent: Mapping[str, object], language: Language
    ) -> dict[str, str]:
        """The text that keys of a form mean, as a page is answered.

        Raises:
            CompanionError: there are no such keys.
        """
        text, why = await self.run(partial(self.table.made_of_keys, seat, sent))
        return {"text": text, "told": wording.without_codes(self.table.game, language.told(why))}

    async def says(
        self, seat: int | None, sent: Mapping[str, object], language: Language
    ) -> dict[str, str]:
        """What a filled form will do, as a page is answered."""

        def said() -> str:
            with language.spoken():
                return self.table.says(seat, sent)

        return {"text": await self.run(said)}

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Does something on the session's thread."""
        return await asyncio.get_running_loop().run_in_executor(self.worker, work)
