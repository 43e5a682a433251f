"""What a request says, and the short answers to it."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from companion.bounded_io import FileError, parse_json
from mobile.seats.language import Language, wanted
from mobile.seats.table import Answer, Outcome


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


def refused(language: Language, why: str, status: int) -> Response:
    """Says why nothing was done."""
    return JSONResponse({"answer": Answer.REFUSED, "told": language.told(why)}, status)


def answered(outcome: Outcome, state: int) -> Response:
    """An outcome with the number of the state as it is now."""
    return JSONResponse({"answer": outcome.answer, "told": outcome.told, "state": state})


async def nothing(_request: Request, _error: Exception) -> Response:
    """There is no such page."""
    return Response("There is no such page.", 404, media_type="text/plain")
