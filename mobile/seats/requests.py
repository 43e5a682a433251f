"""What a request says, the short answers to it, and what every page that may act can ask for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from companion.bounded_io import FileError, parse_json
from companion.errors import CompanionError
from mobile.model import wording
from mobile.seats.host_state import HostState
from mobile.seats.language import Language, wanted
from mobile.seats.table import Answer


class RefusedError(CompanionError):
    """A request is refused: why, and with which status of HTTP."""

    def __init__(self, why: str, status: int = 403) -> None:
        super().__init__(why)
        self.status = status


@contextmanager
def refusing(status: int) -> Iterator[None]:
    """Whatever is refused meanwhile is answered with this status."""
    try:
        yield
    except CompanionError as error:
        raise RefusedError(error.message, status) from error


async def refusal(request: Request, error: Exception) -> Response:
    """Says why nothing was done, in the language that is spoken to whoever has asked."""
    language: Language = getattr(request.state, "language", None) or language_of(request)
    told, status = language.told(getattr(error, "message", "")), getattr(error, "status", 400)
    return JSONResponse({"answer": Answer.REFUSED, "told": told}, status)


def done(**more: object) -> Response:
    """It was done."""
    return JSONResponse({"answer": "done", **more})


def language_of(request: Request) -> Language:
    """The language that a phone asks for."""
    return wanted(request.headers.get("accept-language", ""))


async def sent_by(request: Request) -> dict[str, Any] | None:
    """What a page sent; None where it is nothing that a page of ours sends."""
    try:
        sent = parse_json((await request.body()).decode("utf-8"), "The request")
    except (FileError, UnicodeDecodeError):
        return None
    return sent if isinstance(sent, dict) else None


async def nothing(_request: Request, _error: Exception) -> Response:
    """There is no such page."""
    return Response("There is no such page.", 404, media_type="text/plain")


class ActingPages:
    """What a page that may act asks for: a seat's own, or the table's own screen."""

    def __init__(self, hosted: HostState) -> None:
        self._hosted = hosted

    async def asked(self, request: Request) -> tuple[int | None, dict[str, Any], Language]:
        """The seat (None for the table), what was sent, and the language.

        Raises:
            RefusedError: it comes from a page that may not act, or from none of ours.
        """
        raise NotImplementedError

    def acting(self, own: str) -> list[Route]:
        """Their addresses, after the page's own."""
        pages = {"act": self.act, "keys": self.keys, "says": self.says}
        return [Route(f"{own}/{name}", page, methods=["POST"]) for name, page in pages.items()]

    async def act(self, request: Request) -> Response:
        """What the page wants to do; what it then shows comes by its events alone.

        Two roads could overtake each other.
        """
        seat, sent, language = await self.asked(request)
        table = self._hosted.table

        def done() -> dict[str, object]:
            with language.spoken():
                outcome = table.act(seat, sent)
            told = wording.without_codes(table.game, language.told(outcome.told))
            state = len(table.referee.view(seat).log)
            return {"answer": outcome.answer, "told": told, "state": state}

        return JSONResponse(await self._hosted.run(done))

    async def keys(self, request: Request) -> Response:
        """What the keys of a form mean that are down."""
        seat, sent, language = await self.asked(request)
        table = self._hosted.table
        text, why = await self._hosted.run(partial(table.made_of_keys, seat, sent))
        told = wording.without_codes(table.game, language.told(why))
        return JSONResponse({"text": text, "told": told})

    async def says(self, request: Request) -> Response:
        """What a filled form will do, in a sentence."""
        seat, sent, language = await self.asked(request)

        def said() -> str:
            with language.spoken():
                return self._hosted.table.says(seat, sent)

        return JSONResponse({"text": await self._hosted.run(said)})
