"""How a phone gets a seat, a screen becomes the table's own, and a camera is lent."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from companion.errors import CompanionError
from companion.journal import PinError
from companion.phrases import phrase
from mobile.seats import sentences
from mobile.seats.host_state import TABLE, HostState, path_of
from mobile.seats.language import Language
from mobile.seats.requests import RefusedError, done, language_of, refusing, sent_by

#: Cookies hold for a week.
_WEEK = 7 * 24 * 3600
LONGEST_PIN = 100
_LONGEST_SHORT = 40
#: So many screens can be the table's own at a time.
_MOST_SCREENS = 8


class Joining:
    """Codes in, tokens out."""

    def __init__(self, hosted: HostState) -> None:
        self._hosted = hosted

    def page(
        self,
        language: Language,
        *,
        title: str,
        lead: str,
        button: str,
        name: str,
        is_freed: bool = False,
    ) -> Response:
        """The page that sends a code: what is joined, and a button.

        Args:
            language: the phone's.
            title: what is joined, as a title.
            lead: what the phone becomes.
            button: what the button says.
            name: the player's.
            is_freed: whether the phone had the place before.
        """
        facts = {"title": title, "lead": lead, "button": button, "name": name}
        html = self._hosted.renderer.html("join.html", language, is_freed=is_freed, **facts)
        return HTMLResponse(html)

    async def seat(self, request: Request) -> Response:
        """Binds a phone to a seat."""
        hosted, language = self._hosted, language_of(request)
        seat, sent = self.seat_of(request), await sent_by(request)
        if seat is None or sent is None:
            raise RefusedError(sentences.UNREADABLE, 400)
        place, name = str(seat + 1), hosted.table.setup.players[seat]
        self._check_code(place, sent)
        if hosted.phones.has(place):
            raise RefusedError(phrase(sentences.JOIN_TAKEN, name=name), 409)
        if sent.get("asked") is True:  # nobody sits down yet: a code that is dead is said at once
            return done()
        pin = sent.get("pin")
        has_pin = await hosted.run(partial(hosted.table.session.has_pin, seat))
        if has_pin and not pin:
            return JSONResponse({"answer": "pin", "told": ""}, 403)  # its field says what to do
        with refusing(403):
            try:
                if has_pin:
                    await hosted.run(partial(hosted.enter, seat, str(pin)[:LONGEST_PIN]))
            except PinError as error:
                return JSONResponse({"answer": "pin", "told": language.told(error.message)}, 403)
        # While the PIN was looked at, another phone may have sat down, or the code run out.
        self._check_code(place, sent, 409)
        if hosted.phones.has(place):
            raise RefusedError(phrase(sentences.JOIN_TAKEN, name=name), 409)
        hosted.invitations.use_up(place)
        with refusing(500):
            token = hosted.phones.give(place)
        hosted.broadcast.wake()
        return self._welcome(f"/seat/{place}", f"seat{place}", token)

    async def exchange(self, request: Request) -> Response:
        """Shows whoever has typed a short code the way to the place that it opens.

        What is refused is refused in one sentence, whatever the reason: it tells nothing of the
        seats, nor of which codes there are.
        """
        short = (await sent_by(request) or {}).get("short")
        if not isinstance(short, str):
            raise RefusedError(sentences.UNREADABLE, 400)
        with refusing(403):
            found = self._hosted.invitations.exchange(short[:_LONGEST_SHORT])
        if found is None:
            raise RefusedError(sentences.SIT_BAD)
        place, code = found
        return done(go=f"{path_of(place)}#{code}")

    def _check_code(self, place: str, sent: dict[str, Any], status: int = 403) -> None:
        """Refuses a code that does not open a place."""
        code = sent.get("code")
        with refusing(status):
            if not isinstance(code, str) or not self._hosted.invitations.holds(place, code[:100]):
                raise CompanionError(sentences.JOIN_BAD)

    def _welcome(self, path: str, cookie: str, token: str) -> Response:
        answer = done()
        answer.set_cookie(
            cookie,
            token,
            max_age=_WEEK,
            path=path,
            secure=self._hosted.secure,
            httponly=True,
            samesite="strict",
        )
        return answer

    async def keep(self, request: Request, *, place: str) -> Response:
        """Makes a screen the table's own, or lets a phone lend its camera."""
        sent = await sent_by(request)
        if sent is None:
            raise RefusedError(sentences.UNREADABLE)
        self._check_code(place, sent)
        if sent.get("asked") is True:
            return done()
        self._hosted.invitations.use_up(place)
        with refusing(500):
            token = self._hosted.phones.give(place, most=_MOST_SCREENS if place == TABLE else 1)
        return self._welcome(f"/{place}", place, token)

    # -- who sends something --------------------------------------------------------------------

    def seat_of(self, request: Request) -> int | None:
        """The seat that an address names; None where there is none."""
        seat = request.path_params["seat"] - 1
        return seat if 0 <= seat < len(self._hosted.table.setup.players) else None

    def is_own(self, request: Request, seat: int) -> bool:
        """Whether a request comes from a seat's own phone."""
        place = str(seat + 1)
        return self._hosted.phones.is_token(place, request.cookies.get(f"seat{place}", ""))

    def is_keeper(self, request: Request, place: str = TABLE) -> bool:
        """Whether a request comes from a screen of the table's own, or from the lent camera."""
        return self._hosted.phones.is_token(place, request.cookies.get(place, ""))
