"""Refuses requests that no page of ours makes, and says to browsers what our pages may do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Bytes of a request's body: what pages send, and a frame of a camera.
MOST_BODY, MOST_FRAME = 16_384, 1_500_000
#: Seconds in which a body must have arrived.
BODY_TIMEOUT = 10.0
#: Seconds without a byte after which what is left of a refused body is no longer waited for.
_LINGER = 1.0
#: Pages that may ask for the phone's camera.
_CAMERA_PAGES = ("/camera", "/seat/")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """Stands before the pages.

    Args:
        hosts: what a request's `Host` may be: the addresses that the table was given out under.
    """

    def __init__(self, app: App, *, hosts: Collection[str], scheme: str) -> None:
        self._app, self._scheme = app, scheme
        self.allow(hosts)

    def allow(self, hosts: Collection[str]) -> None:
        """From now on the table has these addresses."""
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"{self._scheme}://{host}" for host in hosts)

    async def guide(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Shows whoever came by plain http the way to the encrypted pages.

        Nothing that was sent is read: whoever sends something in the open is told so instead.
        """
        if scope["type"] != "http":
            return
        host = _host_of(scope)
        if host not in self._hosts:
            await _answer(send, 421, "This address is not the table's.", unread=receive)
        elif scope["method"] not in ("GET", "HEAD"):
            await _answer(send, 403, "These pages are encrypted: use https.", unread=receive)
        else:
            # `//elsewhere` after a host would still be a path; it is a page of ours or none.
            path = (scope.get("raw_path") or b"/").decode("latin-1")
            where = f"{self._scheme}://{host}{path if path.startswith('/') else '/'}"
            await _answer(send, 307, "This way.", unread=receive, location=where)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Looks at a request before any page does."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        send = _with_headers(scope["path"], send)
        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(send, *refusal, unread=receive)
            return
        if scope["method"] == "POST":
            most = MOST_FRAME if scope["path"].endswith("/frame") else MOST_BODY
            body = await _read(receive, most)
            if not isinstance(body, bytes):
                await _answer(send, *body, unread=receive)
                return
            receive = _again(body, receive)
        await self._run(scope, receive, send)

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The page; where it fails for a reason that nobody foresaw, one line says so."""
        has_begun = False

        async def noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as error:  # noqa: BLE001 - no page may end in a traceback
            print(f"companion: a page failed: {error!r:.200}", file=sys.stderr)
            if not has_begun:
                await _answer(send, 500, "This page failed: reload it.")

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if _host_of(scope) not in self._hosts:
            return 421, "This address is not the table's."
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "Only pages are here."
        site = (headers.getlist("sec-fetch-site") or ["none"])[-1]
        if scope["method"] == "POST":
            if headers.getlist("origin") not in ([o] for o in self._origins):
                return 403, "Only the table's own pages may send anything."
            if site not in ("same-origin", "none"):
                return 403, "Only the table's own pages may send anything."
            kind = (headers.getlist("content-type") or [""])[-1].partition(";")[0].strip().lower()
            wanted = "image/jpeg" if scope["path"].endswith("/frame") else "application/json"
            if kind != wanted:
                return 415, f"Only {wanted} is taken here."
            return _length_refusal(headers, scope["path"])
        if scope["path"].endswith("/events") and site not in ("same-origin", "none"):
            return 403, "Only the table's own pages may listen."
        return None


def _host_of(scope: Scope) -> str:
    """The one `Host` that a request names; empty where it names none or several."""
    found = Headers(scope=scope).getlist("host")
    return found[0].lower() if len(found) == 1 else ""


def _length_refusal(headers: Headers, path: str) -> tuple[int, str] | None:
    most = MOST_FRAME if path.endswith("/frame") else MOST_BODY
    lengths = headers.getlist("content-length")
    if lengths and (not lengths[-1].isdecimal() or len(lengths[-1]) > 9):
        return 400, "That is no length."
    if lengths and int(lengths[-1]) > most:
        return 413, "That is too much."
    return None


async def _read(receive: Receive, most: int) -> bytes | tuple[int, str]:
    """The whole body; what to answer where it is too long or too slow."""
    parts: list[bytes] = []
    length = 0
    try:
        async with asyncio.timeout(BODY_TIMEOUT):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return 400, "It was not sent to its end."
                part = message.get("body", b"")
                length += len(part)
                if length > most:
                    return 413, "That is too much."
                parts.append(part)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        return 408, "It came too slowly."


def _again(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read to the page behind."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _with_headers(path: str, send: Send) -> Send:
    camera = "camera=(self)" if path.startswith(_CAMERA_PAGES) else "camera=()"
    own = {**_HEADERS, "permissions-policy": f"{camera}, microphone=(), geolocation=()"}

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message.get("headers", [])))
            headers.update(own)
            headers.setdefault("cache-control", "no-store")
            message = {**message, "headers": headers.raw}
        await send(message)

    return sent


async def _answer(
    send: Send, status: int, text: str, unread: Receive | None = None, location: str = ""
) -> None:
    """One line of text; what is left of a body runs past before the connection is closed.

    Closing while bytes are on their way resets the connection, and the sender may never see
    the answer (RFC 9112, 9.6).
    """
    body = text.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if location:
        headers.append((b"location", location.encode("latin-1")))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    if unread is not None:
        await _let_pass(unread)
    await send({"type": "http.response.body", "body": b""})


async def _let_pass(unread: Receive) -> None:
    try:
        async with asyncio.timeout(BODY_TIMEOUT):
            while True:
                message = await asyncio.wait_for(unread(), _LINGER)
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return
