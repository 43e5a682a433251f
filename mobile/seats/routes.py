"""The addresses of the pages, and what stands behind each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from companion.core.view import View
from companion.errors import CompanionError
from companion.journal import PinError
from companion.notepad.base import Notepad
from companion.phrases import phrase
from companion.reading import FileError, parse_json
from mobile.seats import pad, sentences
from mobile.seats.guard import Message, Receive, Scope, Send
from mobile.seats.hub import Hub
from mobile.seats.invitations import Invitations, Phones, TooOftenError
from mobile.seats.language import Language, wanted
from mobile.seats.lens import Lens
from mobile.seats.render import Eyes, Person, Renderer, Shown
from mobile.seats.table import Answer, Outcome, Table

#: Seconds between signs of life to a page, and in which a page must take what it is sent.
TICK, PATIENCE = 15.0, 20.0
#: Cookies hold for a week.
_WEEK = 7 * 24 * 3600
_KINDS = {"css": "text/css", "js": "text/javascript"}
#: The table's own screen, and the camera, among the places that a code can open.
TABLE, CAMERA = "table", "camera"
_Result = TypeVar("_Result")


@dataclass(slots=True)
class House:
    """What the pages stand on.

    Attributes:
        table: the running session; used on `worker` alone.
        worker: the session's thread.
        counter: the thread on which notepads are worked out.
        renderer: makes HTML; used on `worker` alone.
        hub: open pages.
        invitations: codes given out.
        phones: which phone has which seat.
        address: the table's own, e.g. `https://192.168.1.5:7380`.
        words: two words by which people know the table.
        secure: whether its pages are encrypted.
        lens: takes frames; None where no phone may lend its camera.
        keeper: hash-checked token of the table's own screen, and of a lent camera.
    """

    table: Table
    worker: Executor
    counter: Executor
    renderer: Renderer
    hub: Hub
    invitations: Invitations
    phones: Phones
    address: str
    words: str
    secure: bool
    lens: Lens | None
    keeper: Keeper

    def code(self, place: str) -> str:
        """A new code for a seat (`1`, …), the table's own screen or a camera."""
        return self.invitations.make(place)

    def url(self, place: str) -> str:
        """An address that opens a place once, within two minutes."""
        path = f"/seat/{place}" if place.isdecimal() else f"/{place}"
        return f"{self.address}{path}#{self.code(place)}"

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Does something on the session's thread."""
        return await asyncio.get_running_loop().run_in_executor(self.worker, work)


class Keeper:
    """Tokens that hold as long as the host runs: the table's own screens, a lent camera."""

    def __init__(self) -> None:
        self._tokens: dict[str, set[str]] = {TABLE: set(), CAMERA: set()}

    def give(self, place: str) -> str:
        """A new token for a place."""
        import secrets

        token = secrets.token_urlsafe(32)
        if place == CAMERA:
            self._tokens[place].clear()
        self._tokens[place].add(token)
        return token

    def holds(self, place: str, token: str) -> bool:
        """Whether a token is one of the place's."""
        import secrets

        return any(
            secrets.compare_digest(known.encode(), token.encode("utf-8", "replace"))
            for known in self._tokens[place]
        )


def application(house: House) -> Starlette:
    """All the pages of a table."""
    own = _Pages(house)
    routes = [
        Route("/", own.table_page),
        Route("/static/{name}", own.static),
        Route("/table", own.table_page),
        Route("/table/join", own.table_join, methods=["POST"]),
        Route("/table/events", own.table_events),
        Route("/table/act", own.table_act, methods=["POST"]),
        Route("/table/invite", own.invite, methods=["POST"]),
        Route("/table/free", own.free, methods=["POST"]),
        Route("/table/agree", own.agree, methods=["POST"]),
        Route("/table/decide", own.decide, methods=["POST"]),
        Route("/seat/{seat:int}", own.seat_page),
        Route("/seat/{seat:int}/join", own.seat_join, methods=["POST"]),
        Route("/seat/{seat:int}/events", own.seat_events),
        Route("/seat/{seat:int}/act", own.seat_act, methods=["POST"]),
        Route("/seat/{seat:int}/pad", own.seat_pad, methods=["POST"]),
        Route("/seat/{seat:int}/why", own.seat_why, methods=["POST"]),
        Route("/camera", own.camera_page),
        Route("/camera/join", own.camera_join, methods=["POST"]),
        Route("/camera/frame", own.camera_frame, methods=["POST"]),
    ]
    return Starlette(routes=routes, exception_handlers={404: _nothing, 405: _nothing})


async def _nothing(_request: Request, _error: Exception) -> Response:
    return Response("There is no such page.", 404, media_type="text/plain")


class _Pages:
    def __init__(self, house: House) -> None:
        self._house = house
        self._pads: dict[int, tuple[tuple[int, str], tuple[pad.Pad, Notepad | None]]] = {}

    # -- joining --------------------------------------------------------------------------------

    async def seat_page(self, request: Request) -> Response:
        """A seat's page to its own phone; to any other one the way to join."""
        house, language = self._house, _language(request)
        seat = self._seat(request)
        if seat is None:
            return await _nothing(request, CompanionError(""))
        name = house.table.setup.players[seat]
        if not self._is_own(request, seat):
            return self._joining(
                language,
                title=language.say(sentences.JOIN_TITLE),
                lead=language.say(sentences.JOIN_LEAD, name=name),
                button=language.say(sentences.JOIN_AS, name=name),
                name=name,
                go=f"/seat/{seat + 1}",
            )

        def made() -> str:
            shown = house.renderer.shown(seat, language)
            return house.renderer.page("seat.html", language, shown, name=name, has_pad=True)

        return HTMLResponse(await house.run(made))

    def _joining(
        self, language: Language, *, title: str, lead: str, button: str, name: str, go: str
    ) -> Response:
        html = self._house.renderer.html(
            "join.html", language, title=title, lead=lead, button=button, name=name, go=go
        )
        return HTMLResponse(html)

    async def seat_join(self, request: Request) -> Response:
        """Binds a phone to a seat."""
        house, language = self._house, _language(request)
        seat, sent = self._seat(request), await _sent(request)
        if seat is None or sent is None:
            return _refused(language, sentences.UNREADABLE, 400)
        place, name = str(seat + 1), house.table.setup.players[seat]
        refusal = self._code_refusal(place, sent)
        if refusal is not None:
            return _refused(language, refusal, 403)
        if house.phones.has(seat):
            return _refused(language, phrase(sentences.JOIN_TAKEN, name=name), 409)
        pin = sent.get("pin")
        has_pin = await house.run(partial(house.table.session.has_pin, seat))
        if has_pin and not pin:
            told = language.say(sentences.JOIN_PIN, name=name)
            return JSONResponse({"answer": "pin", "told": told}, 403)
        try:
            if has_pin:
                await house.run(partial(_check_pin, house.table, seat, pin))
        except PinError as error:
            return JSONResponse({"answer": "pin", "told": language.told(error.message)}, 403)
        except CompanionError as error:
            return _refused(language, error.message, 403)
        # While the PIN was looked at, another phone may have sat down, or the code run out.
        refusal = self._code_refusal(place, sent)
        if refusal is not None or house.phones.has(seat):
            return _refused(language, refusal or phrase(sentences.JOIN_TAKEN, name=name), 409)
        house.invitations.use_up(place)
        try:
            token = house.phones.give(seat)
        except CompanionError as error:
            return _refused(language, error.message, 500)
        house.hub.wake()
        return self._welcome(f"/seat/{place}", f"seat{place}", token)

    def _code_refusal(self, place: str, sent: dict[str, Any]) -> str | None:
        """Why a code does not open a place; None where it does."""
        code = sent.get("code")
        try:
            holds = isinstance(code, str) and self._house.invitations.holds(place, code[:100])
        except TooOftenError:
            return sentences.JOIN_TOO_OFTEN
        return None if holds else sentences.JOIN_BAD

    def _welcome(self, path: str, cookie: str, token: str) -> Response:
        answer = JSONResponse({"answer": "done"})
        answer.set_cookie(
            cookie,
            token,
            max_age=_WEEK,
            path=path,
            secure=self._house.secure,
            httponly=True,
            samesite="strict",
        )
        return answer

    async def table_join(self, request: Request) -> Response:
        """Makes a screen the table's own."""
        return await self._keep(request, TABLE)

    async def camera_join(self, request: Request) -> Response:
        """Lets a phone lend its camera."""
        return await self._keep(request, CAMERA)

    async def _keep(self, request: Request, place: str) -> Response:
        language, sent = _language(request), await _sent(request)
        refusal = sentences.UNREADABLE if sent is None else self._code_refusal(place, sent)
        if refusal is not None:
            return _refused(language, refusal, 403)
        self._house.invitations.use_up(place)
        return self._welcome(f"/{place}", place, self._house.keeper.give(place))

    # -- a seat's page --------------------------------------------------------------------------

    def _seat(self, request: Request) -> int | None:
        seat = request.path_params["seat"] - 1
        return seat if 0 <= seat < len(self._house.table.setup.players) else None

    def _is_own(self, request: Request, seat: int) -> bool:
        token = request.cookies.get(f"seat{seat + 1}", "")
        return bool(token) and self._house.phones.is_token(seat, token)

    def _own_seat(self, request: Request) -> int | None:
        """The seat whose phone sends this; None where it is not the seat's phone."""
        seat = self._seat(request)
        return seat if seat is not None and self._is_own(request, seat) else None

    async def seat_events(self, request: Request) -> Response:
        """What happens, to a seat's phone."""
        seat, language = self._own_seat(request), _language(request)
        if seat is None:
            return Response("Join first.", 403, media_type="text/plain")

        async def shown() -> Shown | None:
            if not self._is_own(request, seat):
                return None
            return await self._house.run(partial(self._house.renderer.shown, seat, language))

        return Events(self._house.hub, seat, shown)

    async def seat_act(self, request: Request) -> Response:
        """What a seat's phone wants to do."""
        seat, sent, language = self._own_seat(request), await _sent(request), _language(request)
        if seat is None or sent is None:
            return _refused(language, sentences.UNREADABLE, 400 if seat is not None else 403)
        return await self._act(seat, sent, language)

    async def _act(self, seat: int | None, sent: dict[str, Any], language: Language) -> Response:
        house = self._house

        def done() -> tuple[Outcome, str]:
            outcome = house.table.act(seat, sent)
            return outcome, house.renderer.shown(seat, language).message()

        outcome, message = await house.run(done)
        return _answer(outcome, language, message)

    async def seat_pad(self, request: Request) -> Response:
        """A seat's notepad, worked out from its view on a thread of its own."""
        seat, language = self._own_seat(request), _language(request)
        if seat is None:
            return _refused(language, sentences.UNREADABLE, 403)
        view = await self._house.run(partial(self._house.table.referee.view, seat))

        def made() -> str:
            found, _ = self._pad(view, language)
            return self._house.renderer.html("pad.html", language, pad=found)

        return await self._counted(made, language, "html")

    def _pad(self, view: View[Any], language: Language) -> tuple[pad.Pad, Notepad | None]:
        """A notepad, worked out once for each state; on the notepads' thread."""
        assert view.viewer is not None
        state = len(view.log), language.code
        kept = self._pads.get(view.viewer)
        if kept is None or kept[0] != state:
            kept = state, pad.pad(self._house.table.game, view, language)
            self._pads[view.viewer] = kept
        return kept[1]

    async def seat_why(self, request: Request) -> Response:
        """Why a cell of a seat's notepad is as it is."""
        seat, sent, language = self._own_seat(request), await _sent(request), _language(request)
        cell = None if sent is None else sent.get("cell")
        if seat is None or not isinstance(cell, str):
            return _refused(language, sentences.UNREADABLE, 403)
        view = await self._house.run(partial(self._house.table.referee.view, seat))

        def made() -> str:
            _, notepad = self._pad(view, language)
            return "" if notepad is None else pad.why(notepad, cell, language)

        return await self._counted(made, language, "told")

    async def _counted(self, work: Callable[[], str], language: Language, name: str) -> Response:
        try:
            loop = asyncio.get_running_loop()
            return JSONResponse({name: await loop.run_in_executor(self._house.counter, work)})
        except CompanionError as error:
            return _refused(language, error.message, 400)

    # -- the table's page -----------------------------------------------------------------------

    def _is_keeper(self, request: Request, place: str = TABLE) -> bool:
        return self._house.keeper.holds(place, request.cookies.get(place, ""))

    async def table_page(self, request: Request) -> Response:
        """The public table; with its token the table's own screen."""
        language, may_act = _language(request), self._is_keeper(request)
        shown = await self._table_shown(language, may_act=may_act)
        make = partial(self._house.renderer.page, "table.html", language, shown, may_act=may_act)
        return HTMLResponse(await self._house.run(make))

    async def _table_shown(self, language: Language, *, may_act: bool) -> Shown:
        house = self._house

        def made() -> Shown:
            shown = house.renderer.shown(None, language, may_act=may_act)
            people = self._people(shown) if may_act else []
            eyes = self._eyes(language)
            return house.renderer.with_people(shown, people, eyes, language) if may_act else shown

        return await house.run(made)

    def _eyes(self, language: Language) -> Eyes:
        """What the eyes ask, for the table's own screen."""
        lens = self._house.lens
        pending = None if lens is None else lens.pending
        if lens is None or pending is None:
            return Eyes(failure="" if lens is None else language.told(lens.failure))
        facts = {
            "card": language.told(pending.card.name),
            "sure": round(pending.confidence * 100),
            "why": language.told(lens.objection),
        }
        template = sentences.EYES_BUT if lens.objection else sentences.EYES_ASK
        if pending.is_early:
            template = sentences.EYES_EARLY
        return Eyes(language.say(template, **facts), pending.is_possible)

    async def decide(self, request: Request) -> Response:
        """People say whether what the eyes saw is so."""
        sent, language, lens = await _sent(request), _language(request), self._house.lens
        if not self._is_keeper(request) or sent is None:
            return _refused(language, sentences.FOR_TABLE_ONLY, 403)
        if lens is None:
            return _refused(language, sentences.UNREADABLE, 400)
        try:
            await self._house.run(partial(lens.decide, accept=sent.get("accept") is True))
        except CompanionError as error:
            return _refused(language, error.message, 400)
        return JSONResponse({"answer": "done", "told": ""})

    def _people(self, shown: Shown) -> list[Person]:
        house, missing = self._house, shown.page.missing
        people = []
        for seat, name in enumerate(house.table.setup.players):
            taken = house.phones.has(seat)
            state = "on" if taken and house.hub.is_connected(seat) else "off" if taken else "free"
            has_pin = house.table.session.has_pin(seat)
            people.append(Person(name, seat + 1, state, has_pin, name in missing))
        return people

    async def table_events(self, request: Request) -> Response:
        """What happens, to a screen that shows the table."""
        language, may_act = _language(request), self._is_keeper(request)
        return Events(self._house.hub, None, partial(self._table_shown, language, may_act=may_act))

    async def table_act(self, request: Request) -> Response:
        """What the table's own screen wants to do."""
        sent, language = await _sent(request), _language(request)
        if not self._is_keeper(request) or sent is None:
            return _refused(language, sentences.FOR_TABLE_ONLY, 403)
        return await self._act(None, sent, language)

    async def invite(self, request: Request) -> Response:
        """A new code for a seat, a camera or a further screen."""
        sent, language = await _sent(request), _language(request)
        if not self._is_keeper(request) or sent is None:
            return _refused(language, sentences.FOR_TABLE_ONLY, 403)
        place, house = sent.get("place"), self._house
        names = house.table.setup.players
        if place == CAMERA and house.lens is not None:
            lead = language.say(sentences.LENS_TITLE)
        elif isinstance(place, str) and place in map(str, range(1, len(names) + 1)):
            name = names[int(place) - 1]
            if house.phones.has(int(place) - 1):
                return _refused(language, phrase(sentences.JOIN_TAKEN, name=name), 409)
            lead = language.say(sentences.INVITED, name=name)
        else:
            return _refused(language, sentences.UNREADABLE, 400)
        html = house.renderer.invitation(house.url(place), lead, language)
        return JSONResponse({"answer": "done", "html": html})

    async def free(self, request: Request) -> Response:
        """Takes a seat from its phone."""
        return await self._for_seat(request, self._let_go)

    def _let_go(self, seat: int, pin: str) -> None:
        house = self._house
        if house.table.session.has_pin(seat):
            house.table.session.unlock(seat, pin).lock()
        house.phones.let_go(seat)

    async def agree(self, request: Request) -> Response:
        """A seat without a phone agrees to disclose everything."""
        return await self._for_seat(request, self._house.table.agree_for)

    async def _for_seat(self, request: Request, work: Callable[[int, str], object]) -> Response:
        sent, language = await _sent(request), _language(request)
        if not self._is_keeper(request) or sent is None:
            return _refused(language, sentences.FOR_TABLE_ONLY, 403)
        number, pin = sent.get("seat"), sent.get("pin", "")
        seats = range(len(self._house.table.setup.players))
        if type(number) is not int or number - 1 not in seats or not isinstance(pin, str):
            return _refused(language, sentences.UNREADABLE, 400)
        try:
            await self._house.run(partial(work, number - 1, pin))
        except CompanionError as error:
            return _refused(language, error.message, 403)
        self._house.hub.wake()
        return JSONResponse({"answer": "done", "told": ""})

    # -- a lent camera --------------------------------------------------------------------------

    async def camera_page(self, request: Request) -> Response:
        """The page of a phone that lends its camera."""
        language = _language(request)
        if self._house.lens is None:
            return Response(
                language.say(sentences.LENS_OFF), 403, media_type="text/plain; charset=utf-8"
            )
        if not self._is_keeper(request, CAMERA):
            return self._joining(
                language,
                title=language.say(sentences.LENS_TITLE),
                lead=language.say(sentences.LENS_LEAD),
                button=language.say(sentences.LENS_TITLE),
                name="",
                go="/camera",
            )
        return HTMLResponse(self._house.renderer.html("lens.html", language))

    async def camera_frame(self, request: Request) -> Response:
        """A frame of a lent camera: read and dropped."""
        language, lens = _language(request), self._house.lens
        if lens is None or not self._is_keeper(request, CAMERA):
            return _refused(language, sentences.LENS_OFF, 403)
        try:
            seen = await lens.take(await request.body())
        except CompanionError as error:
            return _refused(language, error.message, 400)
        if lens.failure:
            return _refused(language, lens.failure, 400)
        cards = ", ".join(language.told(name) for name in seen)
        said = language.say(sentences.LENS_SEEN, cards=cards) if seen else ""
        return JSONResponse({"answer": "done", "seen": said})

    async def static(self, request: Request) -> Response:
        """The style sheet and the script."""
        name = request.path_params["name"]
        content = self._house.renderer.static.get(name)
        if content is None:
            return await _nothing(request, CompanionError(""))
        kind = _KINDS[name.rsplit(".", 1)[-1]]
        return Response(
            content, media_type=kind, headers={"cache-control": "private, max-age=86400, immutable"}
        )


class Events(Response):
    """Server-sent events: a page is sent what has changed, as it is when it can be sent.

    Nothing is queued for a slow page: it is sent the newest state when it takes something again,
    and let go where it takes nothing for long.

    Args:
        hub: wakes the page.
        seat: whose page it is, None for the public table.
        shown: what the page is to show now; None where it is to be let go.
    """

    def __init__(
        self, hub: Hub, seat: int | None, shown: Callable[[], Awaitable[Shown | None]]
    ) -> None:
        super().__init__()
        self._hub, self._seat, self._shown = hub, seat, shown

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends until the page or the table goes."""
        headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        gone = asyncio.create_task(_gone(receive))
        try:
            with self._hub.open(self._seat), suppress(TimeoutError, OSError):
                async for text in self._texts(gone):
                    message: Message = {
                        "type": "http.response.body", "body": text.encode(), "more_body": True
                    }  # fmt: skip
                    await asyncio.wait_for(send(message), PATIENCE)
        finally:
            gone.cancel()
        with suppress(OSError):
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _texts(self, gone: asyncio.Task[None]) -> AsyncIterator[str]:
        sent: dict[str, str] = {}
        state: tuple[int, bool] | None = None
        while not gone.done() and not self._hub.closed:
            version = self._hub.version
            shown = await self._shown()
            if shown is None:
                yield "event: gone\ndata: {}\n\n"
                return
            now = shown.page.number, shown.page.is_mine
            if shown.changes(sent) or now != state:
                yield f"event: page\ndata: {shown.message(sent)}\n\n"
                sent, state = dict(shown.parts), now
            while not await self._is_due(version, gone):
                yield "event: tick\ndata: {}\n\n"

    async def _is_due(self, version: int, gone: asyncio.Task[None]) -> bool:
        """Waits for something to happen; False where it is time for a sign of life."""
        waiting = asyncio.create_task(self._hub.changed(version, TICK))
        await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
        if gone.done():
            waiting.cancel()
            return True
        return waiting.result()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _language(request: Request) -> Language:
    return wanted(request.headers.get("accept-language", ""))


async def _sent(request: Request) -> dict[str, Any] | None:
    """What a page sent; None where it is nothing that a page of ours sends."""
    try:
        sent = parse_json((await request.body()).decode("utf-8"), "The request")
    except (FileError, UnicodeDecodeError):
        return None
    return sent if isinstance(sent, dict) else None


def _check_pin(table: Table, seat: int, pin: object) -> None:
    if not isinstance(pin, str):
        raise CompanionError(sentences.UNREADABLE)
    table.session.unlock(seat, pin).lock()


def _refused(language: Language, why: str, status: int) -> Response:
    return JSONResponse({"answer": Answer.REFUSED, "told": language.told(why)}, status)


def _answer(outcome: Outcome, language: Language, message: str) -> Response:
    """An outcome with the page as it is now."""
    import json

    told = json.dumps(language.told(outcome.told), ensure_ascii=False)
    body = f'{{"answer":"{outcome.answer}","told":{told},"page":{message}}}'
    return Response(body, media_type="application/json")
