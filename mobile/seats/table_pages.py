"""The public table's page; with its token the table's own screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from companion.phrases import phrase
from mobile.seats import sentences
from mobile.seats.events import Events
from mobile.seats.host_state import CAMERA, TABLE, HostState
from mobile.seats.joining import Joining
from mobile.seats.language import Language, named
from mobile.seats.render import RenderedPage
from mobile.seats.requests import ActingPages, RefusedError, done, language_of, refusing, sent_by


class TablePages(ActingPages):
    """What everybody may see, and what the table's own screen may do."""

    def __init__(self, hosted: HostState, joining: Joining) -> None:
        super().__init__(hosted)
        self._joining = joining

    def routes(self) -> list[Route]:
        """Its addresses."""
        return [
            Route("/", self.page),
            Route("/table", self.page),
            Route("/table/join", partial(self._joining.keep, place=TABLE), methods=["POST"]),
            Route("/table/events", self.events),
            *self.acting("/table"),
            Route("/sit", self._joining.exchange, methods=["POST"]),
            Route("/table/invite", self.invite, methods=["POST"]),
            Route("/table/free", self.free, methods=["POST"]),
            Route("/table/agree", self.agree, methods=["POST"]),
            Route("/table/decide", self.decide, methods=["POST"]),
        ]

    async def asked(self, request: Request) -> tuple[None, dict[str, Any], Language]:
        """What the table's own screen has sent."""
        sent = await sent_by(request)
        if not self._joining.is_keeper(request) or sent is None:
            raise RefusedError(sentences.FOR_TABLE_ONLY)
        return None, sent, language_of(request)

    async def page(self, request: Request) -> Response:
        """The public table; with its token the table's own screen."""
        language, may_act = language_of(request), self._joining.is_keeper(request)
        shown = await self._shown(language, may_act=may_act)
        make = partial(self._hosted.renderer.page, "table.html", language, shown, may_act=may_act)
        return HTMLResponse(await self._hosted.run(make))

    async def _shown(self, language: Language, *, may_act: bool) -> RenderedPage:
        hosted = self._hosted
        shown = await hosted.shown(None, language, may_act=may_act)
        if not may_act:
            return shown
        corner = self._corner(language)

        def made() -> RenderedPage:
            template, fields = hosted.notice
            facts = {"people": self._people(shown), **self._eyes(language)}
            facts["notice"] = language.told(language.say(template, **fields))
            return hosted.renderer.with_people(shown, language, corner, **facts)

        return await hosted.run(made)

    def _corner(self, language: Language) -> str:
        """The code of the next free seat, which stands in the corner of a wide screen."""
        hosted, found = self._hosted, self._hosted.corner()
        if found is None:
            return ""
        place, invited = found
        lead = language.say(sentences.INVITED, name=hosted.table.setup.players[int(place) - 1])
        return hosted.renderer.invitation(invited, place, lead, (), language)

    def _eyes(self, language: Language) -> dict[str, object]:
        """What the eyes ask, and whether it can be recorded; or why they see nothing."""
        lens = self._hosted.lens
        question = None if lens is None else lens.question
        if lens is None or question is None:
            failure, gathers = ("", "") if lens is None else (lens.failure, lens.gathers)
            gathers = language.say(gathers) if gathers else ""
            return {"asked": "", "failure": language.told(failure), "gathers": gathers}
        facts = {
            "card": language.told(question.card.name),
            "sure": round(question.confidence * 100),
            "why": language.told(lens.objection),
        }
        template = sentences.EYES_BUT if lens.objection else sentences.EYES_ASK
        if question.is_early:
            template = sentences.EYES_EARLY if lens.is_due else sentences.EYES_EARLIER
        elif question.old is not None:
            template, facts["old"] = sentences.EYES_INSTEAD, language.told(question.old.name)
        asked = language.say(template, **facts)
        answers = sentences.EYES_YES, sentences.EYES_NO
        if question.is_early:
            answers = sentences.EYES_COUNT, sentences.EYES_WAIT
        facts = {"asked": asked, "key": lens.key, "can_record": question.is_possible}
        return {**facts, "answers": answers}

    async def decide(self, request: Request) -> Response:
        """People say whether what the eyes saw is so."""
        _, sent, _ = await self.asked(request)
        lens = self._hosted.lens
        if lens is None:
            raise RefusedError(sentences.UNREADABLE, 400)
        key, accept = str(sent.get("question")), sent.get("accept") is True
        is_anew = sent.get("again") is True
        work = lens.look_again if is_anew else partial(lens.decide, key, accept=accept)
        await self._hosted.run(work)
        return done()

    def _people(self, shown: RenderedPage) -> list[dict[str, object]]:
        """The players: their phones, and who can agree here to disclose everything."""
        hosted, missing = self._hosted, shown.page.missing
        return [
            {
                "name": name,
                "number": seat + 1,
                "state": hosted.presence(seat),
                "has_pin": hosted.table.session.has_pin(seat),
                "asked": name in missing,
            }
            for seat, name in enumerate(hosted.table.setup.players)
        ]

    async def events(self, request: Request) -> Response:
        """What happens, to a screen that shows the table."""
        language, may_act = language_of(request), self._joining.is_keeper(request)
        return Events(self._hosted.broadcast, None, partial(self._shown, language, may_act=may_act))

    async def invite(self, request: Request) -> Response:
        """A new code for a seat, a camera or a further screen."""
        _, sent, language = await self.asked(request)
        place, hosted = sent.get("place"), self._hosted
        names = hosted.table.setup.players
        if place == CAMERA and hosted.lens is not None:
            lead = language.say(sentences.LENS_TITLE)
        elif isinstance(place, str) and place in map(str, range(1, len(names) + 1)):
            name = names[int(place) - 1]
            if hosted.phones.has(place):
                raise RefusedError(phrase(sentences.JOIN_TAKEN, name=name), 409)
            lead = language.say(sentences.INVITED, name=name)
        else:
            raise RefusedError(sentences.UNREADABLE, 400)
        address = sent.get("network") or ""
        if not isinstance(address, str) or (address and not hosted.addresses.has(address)):
            raise RefusedError(sentences.UNREADABLE, 400)
        invited = hosted.invited(place, address)
        others = [(one.address, named(one, language)) for one in hosted.addresses.others(address)]
        return done(html=hosted.renderer.invitation(invited, place, lead, others, language))

    async def free(self, request: Request) -> Response:
        """Takes a seat from its phone."""
        return await self._for_seat(request, self._let_go)

    def _let_go(self, seat: int, pin: str) -> None:
        hosted = self._hosted
        if hosted.table.session.has_pin(seat):
            hosted.table.session.unlock(seat, pin).lock()
        hosted.leave(seat)
        hosted.phones.let_go(str(seat + 1))

    async def agree(self, request: Request) -> Response:
        """A seat without a phone agrees to disclose everything."""
        return await self._for_seat(request, self._hosted.table.agree_for)

    async def _for_seat(self, request: Request, work: Callable[[int, str], object]) -> Response:
        _, sent, _ = await self.asked(request)
        number, pin = sent.get("seat"), sent.get("pin", "")
        seats = range(len(self._hosted.table.setup.players))
        if type(number) is not int or number - 1 not in seats or not isinstance(pin, str):
            raise RefusedError(sentences.UNREADABLE, 400)
        with refusing(403):
            await self._hosted.run(partial(work, number - 1, pin))
        self._hosted.broadcast.wake()
        return done()
