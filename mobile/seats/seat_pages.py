"""A seat's page: for its own phone alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from companion.core.view import View
from companion.errors import CompanionError, UsageError
from companion.notepad.base import MOST_SUPPOSED, Notepad, Supposition
from mobile.model.notepads import MARKS, NOTE, kept_name, mark_name, marks_of_match
from mobile.seats import notepad_page, sentences
from mobile.seats.events import Events
from mobile.seats.faces import face
from mobile.seats.host_state import HostState
from mobile.seats.joining import LONGEST_PIN, Joining
from mobile.seats.language import Language, to_player
from mobile.seats.render import RenderedPage
from mobile.seats.requests import (
    ActingPages,
    RefusedError,
    done,
    language_of,
    nothing,
    refusing,
    sent_by,
)

_Result = TypeVar("_Result")
#: Longest note, in characters.
MOST_NOTE = 2000
#: Digits of a hand's number of cards are fewer.
_MOST_DIGITS = 4
#: What a notepad was worked out for: how much had happened, the language, and what is supposed.
_Counted = tuple[int, str, tuple[Supposition, ...]]


class SeatPages(ActingPages):
    """What a seat's phone may ask for."""

    def __init__(self, hosted: HostState, joining: Joining) -> None:
        super().__init__(hosted)
        self._joining = joining
        self._pads: dict[int, tuple[_Counted, tuple[notepad_page.Pad, Notepad[Any] | None]]] = {}

    def routes(self) -> list[Route]:
        """Its addresses."""
        own = "/seat/{seat:int}"
        return [
            Route(own, self.page),
            Route(f"{own}/join", self._joining.seat, methods=["POST"]),
            Route(f"{own}/events", self.events),
            *self.acting(own),
            Route(f"{own}/pad", self.notepad, methods=["POST"]),
            Route(f"{own}/why", self.why, methods=["POST"]),
            Route(f"{own}/mark", self.mark, methods=["POST"]),
            Route(f"{own}/note", self.note, methods=["POST"]),
            Route(f"{own}/unlock", self.unlock, methods=["POST"]),
            Route(f"{own}/frame", self.frame, methods=["POST"]),
        ]

    async def asked(self, request: Request) -> tuple[int, dict[str, Any], Language]:
        """The seat that a phone holds, what it sent, and its language."""
        seat, language = self._own(request)
        sent = await sent_by(request)
        if sent is None:
            raise RefusedError(sentences.UNREADABLE, 400)
        return seat, sent, language

    def _own(self, request: Request) -> tuple[int, Language]:
        """The seat that a phone holds, and its language, which speaks to the seat's player."""
        seat = self._joining.seat_of(request)
        if seat is None or not self._joining.is_own(request, seat):
            raise RefusedError(sentences.UNREADABLE)
        name = self._hosted.table.setup.players[seat]
        language = request.state.language = to_player(language_of(request), name)
        return seat, language

    async def page(self, request: Request) -> Response:
        """A seat's page to its own phone; to any other one the way to join."""
        hosted, language = self._hosted, language_of(request)
        seat = self._joining.seat_of(request)
        if seat is None:
            return await nothing(request, CompanionError(""))
        name = hosted.table.setup.players[seat]
        if not self._joining.is_own(request, seat):
            return self._joining.page(
                language,
                title=language.say(sentences.JOIN_TITLE),
                lead=language.say(sentences.JOIN_LEAD, name=name),
                button=language.say(sentences.JOIN_AS, name=name),
                name=name,
                is_freed=f"seat{seat + 1}" in request.cookies,
            )

        def made() -> str:
            own = to_player(language, name)
            shown = hosted.renderer.shown(seat, own)
            return hosted.renderer.page("seat.html", own, shown, name=name, has_pad=True)

        return HTMLResponse(await hosted.run(made))

    async def events(self, request: Request) -> Response:
        """What happens, to a seat's phone."""
        seat, language = self._own(request)

        async def shown() -> RenderedPage | None:
            if not self._joining.is_own(request, seat):
                return None
            return await self._hosted.shown(seat, language)

        return Events(self._hosted.broadcast, seat, shown)

    async def notepad(self, request: Request) -> Response:
        """A seat's notepad, worked out from its view on a thread of its own."""
        seat, sent, language = await self.asked(request)
        view, marks = await self._hosted.run(partial(self._view_and_marks, seat))
        name = self._hosted.table.setup.players[seat]

        def made() -> dict[str, object]:
            supposed = _supposed_by(sent, view)
            found, notepad = self._pad(view, language, supposed)
            places = {} if notepad is None else notepad_page.marks_by_place(notepad, marks or {})
            render = self._hosted.renderer.html
            html = render(
                "pad.html", language, pad=found, marks=places, is_locked=marks is None, name=name
            )
            note = None if marks is None else marks.get(NOTE, "")
            match = view.public.table.match
            return {"html": html, "note": note, "match": match, "asked": _asked(supposed, view)}

        return JSONResponse(await self._counted(made))

    def _pad(
        self, view: View[Any], language: Language, supposed: tuple[Supposition, ...]
    ) -> tuple[notepad_page.Pad, Notepad[Any] | None]:
        """A notepad, worked out once for each state; on the notepads' thread."""
        assert view.viewer is not None
        state = len(view.log), language.code, supposed
        kept = self._pads.get(view.viewer)
        if kept is None or kept[0] != state:
            kept = state, notepad_page.pad(self._hosted.table.game, view, language, supposed)
            self._pads[view.viewer] = kept
        return kept[1]

    async def why(self, request: Request) -> Response:
        """Why a cell of a seat's notepad is as it is."""
        seat, sent, language = await self.asked(request)
        cell = sent.get("cell")
        if not isinstance(cell, str):
            raise RefusedError(sentences.UNREADABLE, 400)
        view, marks = await self._hosted.run(partial(self._view_and_marks, seat))

        def made() -> dict[str, str]:
            supposed = _supposed_by(sent, view)
            _, notepad = self._pad(view, language, supposed)
            if notepad is None:
                return {"html": ""}
            found = notepad_page.why(self._hosted.table.game, view, notepad, cell, language)
            html = self._hosted.renderer.html(
                "why.html",
                language,
                why=found,
                cell=cell,
                can_mark=marks is not None,
                now=(marks or {}).get(mark_name(found.row, found.column), ""),
                choices=MARKS,
                asked=_asked(supposed, view),
            )
            return {"html": html}

        return JSONResponse(await self._counted(made))

    def _view_and_marks(self, seat: int) -> tuple[View[Any], dict[str, str] | None]:
        """A seat's view and its marks; None where only the player's PIN opens them."""
        who, session = self._hosted.opened(seat), self._hosted.table.session
        view = session.referee.view(seat)
        if who is None:
            return view, None
        return view, marks_of_match(session.marks(who).all(), view.public.table.match)

    async def mark(self, request: Request) -> Response:
        """A mark of a seat's own on its notepad, at a cell by its names: its place may change."""
        seat, sent, language = await self.asked(request)
        row, column, mark = (sent.get(name) for name in ("row", "column", "mark"))
        if not isinstance(row, str) or not isinstance(column, str) or mark not in MARKS:
            raise RefusedError(sentences.UNREADABLE, 400)
        view, marks = await self._hosted.run(partial(self._view_and_marks, seat))
        if marks is None:
            raise RefusedError(sentences.MARKS_LOCKED)

        def checked() -> None:
            _, notepad = self._pad(view, language, _supposed_by(sent, view))
            if notepad is None:
                raise UsageError(sentences.NO_NOTEPAD)
            if not notepad_page.has_cell(notepad, row, column):
                raise UsageError(sentences.UNREADABLE)

        def kept() -> None:
            # The seat may have been freed while the notepad was worked out.
            who = self._hosted.opened(seat) if self._joining.is_own(request, seat) else None
            if who is not None:
                name = kept_name(view.public.table.match, mark_name(row, column))
                self._hosted.table.session.marks(who).put(name, str(mark))

        await self._counted(checked)
        await self._hosted.run(kept)
        return done()

    async def note(self, request: Request) -> Response:
        """A seat's own words on its notepad of a match, in the place of those before."""
        seat, sent, _ = await self.asked(request)
        text, match = sent.get("text"), sent.get("match")
        if not isinstance(text, str) or len(text) > MOST_NOTE or type(match) is not int:
            raise RefusedError(sentences.UNREADABLE, 400)

        def kept() -> None:
            who, session = self._hosted.opened(seat), self._hosted.table.session
            if who is None:
                raise RefusedError(sentences.MARKS_LOCKED)
            # The next match may have begun since it was written.
            last = session.referee.knowledge(None).table.match
            session.marks(who).put(kept_name(min(max(1, match), last), NOTE), text.strip())

        await self._hosted.run(kept)
        return done()

    async def unlock(self, request: Request) -> Response:
        """A seat's player shows by the PIN who they are: after the host was started anew."""
        seat, sent, _ = await self.asked(request)
        pin = sent.get("pin")
        if not isinstance(pin, str) or len(pin) > LONGEST_PIN:
            raise RefusedError(sentences.UNREADABLE, 400)
        with refusing(403):
            await self._hosted.run(partial(self._hosted.enter, seat, pin))
        return done()

    async def frame(self, request: Request) -> Response:
        """A picture of the cards that a seat's player shows to the phone: read and forgotten.

        What is answered depends on the pictures of this seat alone.
        """
        seat, language = self._own(request)
        hands, asked = self._hosted.hands, request.query_params
        if hands is None:
            raise RefusedError(sentences.LENS_OFF)
        count = asked.get("count", "")
        number = int(count) if count.isdecimal() and len(count) < _MOST_DIGITS else 0
        seen = await hands.take(
            seat,
            await request.body(),
            is_new="new" in asked,
            is_alone="photo" in asked,
            count=number,
        )
        if seen is None:
            return JSONResponse({"answer": "newer"})
        sure = seen.sure[: number or None]
        doubtful = (*seen.sure[len(sure) :], *(one.card for one in seen.doubtful))
        faces = [(face(card, language), card in doubtful) for card in (*sure, *doubtful)]
        is_photo = "photo" in asked
        return done(
            told=language.say(sentences.SHOW_NOTHING) if is_photo and not sure else "",
            sure=[card.code for card in sure],
            doubtful=[card.code for card in doubtful],
            seen=language.say(sentences.COUNT, n=len(sure), total=number) if number else len(sure),
            html=self._hosted.renderer.html("hand_read.html", language, faces=faces),
            enough=is_photo or (0 < len(sure) == number and not doubtful),
        )

    async def _counted(self, work: Callable[[], _Result]) -> _Result:
        """Does something on the notepads' thread."""
        return await asyncio.get_running_loop().run_in_executor(self._hosted.counter, work)


def _asked(supposed: Iterable[Supposition], view: View[Any]) -> dict[str, object]:
    """What a notepad was counted for, as its page asks for more of it."""
    return {"supposed": notepad_page.rows_of(supposed), "log": len(view.log)}


def _supposed_by(sent: Mapping[str, Any], view: View[Any]) -> tuple[Supposition, ...]:
    """What the page supposes; nothing where something has happened since it was counted.

    Raises:
        UsageError: no page of ours sends that.
    """
    rows = sent.get("supposed", [])
    if not isinstance(rows, list) or len(rows) > MOST_SUPPOSED + 1:
        raise UsageError(sentences.UNREADABLE)
    found = []
    for row in rows:
        match row:
            case [str(name), str(column), bool(holds)]:
                found.append(Supposition(name, column, holds))
            case _:
                raise UsageError(sentences.UNREADABLE)
    return tuple(found) if sent.get("log") == len(view.log) else ()
