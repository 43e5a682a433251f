"""The addresses of the pages, and what stands behind each."""

from __future__ import annotations

from functools import partial

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from companion.errors import CompanionError
from mobile.seats import sentences
from mobile.seats.host_state import CAMERA, HostState
from mobile.seats.joining import Joining
from mobile.seats.requests import RefusedError, done, language_of, nothing, refusal
from mobile.seats.seat_pages import SeatPages
from mobile.seats.table_pages import TablePages

_KINDS = {"css": "text/css", "js": "text/javascript", "woff2": "font/woff2"}


def application(hosted: HostState) -> Starlette:
    """All the pages of a table."""
    joining = Joining(hosted)

    async def static(request: Request) -> Response:
        """The style sheet, the scripts and the typeface."""
        name = request.path_params["name"]
        content = hosted.renderer.static.get(name)
        if content is None:
            return await nothing(request, CompanionError(""))
        kind = _KINDS[name.rsplit(".", 1)[-1]]
        headers = {"cache-control": "private, max-age=86400, immutable"}
        return Response(content, media_type=kind, headers=headers)

    routes = [
        *TablePages(hosted, joining).routes(),
        *SeatPages(hosted, joining).routes(),
        *CameraPages(hosted, joining).routes(),
        Route("/static/{name}", static),
        # Scripts that name each other: no older one is taken from the browser's cache.
        Route("/static/{version}/{name}", static),
    ]
    handlers = {404: nothing, 405: nothing, CompanionError: refusal}
    return Starlette(routes=routes, exception_handlers=handlers)


class CameraPages:
    """The page of a phone that lends its camera."""

    def __init__(self, hosted: HostState, joining: Joining) -> None:
        self._hosted, self._joining = hosted, joining

    def routes(self) -> list[Route]:
        """Its addresses."""
        return [
            Route("/camera", self.page),
            Route("/camera/join", partial(self._joining.keep, place=CAMERA), methods=["POST"]),
            Route("/camera/frame", self.frame, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """The page of a phone that lends its camera."""
        language = language_of(request)
        if self._hosted.lens is None:
            return Response(
                language.say(sentences.LENS_OFF), 403, media_type="text/plain; charset=utf-8"
            )
        if not self._joining.is_keeper(request, CAMERA):
            return self._joining.page(
                language,
                title=language.say(sentences.LENS_TITLE),
                lead=language.say(sentences.LENS_LEAD),
                button=language.say(sentences.LENS_TITLE),
                name="",
            )
        return HTMLResponse(self._hosted.renderer.html("lens.html", language))

    async def frame(self, request: Request) -> Response:
        """A frame of a lent camera: read and dropped."""
        language, lens = language_of(request), self._hosted.lens
        if lens is None or not self._joining.is_keeper(request, CAMERA):
            raise RefusedError(sentences.LENS_OFF)
        seen = await lens.take(await request.body())
        if lens.failure:
            raise RefusedError(lens.failure, 400)
        cards = ", ".join(language.told(name) for name in seen)
        said = language.say(sentences.LENS_SEEN, cards=cards) if seen else ""
        return done(seen=said)
