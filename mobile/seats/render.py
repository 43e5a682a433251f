"""Pages and their parts as HTML, each made once for everybody who is shown the same."""

from __future__ import annotations

import hashlib
import io
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from weakref import ReferenceType, ref

import segno
from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from mobile.resources import theme
from mobile.seats import pages, sentences
from mobile.seats.forms import FormField
from mobile.seats.invitations import Invited
from mobile.seats.language import Language
from mobile.seats.notepad_page import MARK_NAMES
from mobile.seats.table import HostedTable

HOME = Path(__file__).parent
_TYPEFACE = HOME.parent / "resources" / "fonts"
#: Parts of a seat's page and of the public table.
SEAT_PARTS = ("seats", "now", "do", "hand", "table", "spoken", "log")
TABLE_PARTS = ("seats", "now", "do", "table", "log")
#: What the table's own screen shows beside.
OWN_PARTS = ("people", "eyes", "corner")
#: So many fields are kept as HTML.
_KEPT_FIELDS = 128


class _Compiled(BytecodeCache):
    """What an earlier table of this process has compiled: it takes a third of a second."""

    _kept: ClassVar[dict[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class RenderedPage:
    """What a page is sent.

    Attributes:
        parts: its parts as HTML by name.
    """

    page: pages.ShownPage
    parts: Mapping[str, str]
    _messages: dict[int, tuple[ReferenceType[RenderedPage] | None, str]] = field(
        default_factory=dict
    )

    def differs(self, since: RenderedPage | None) -> bool:
        """Whether a page that was shown something else has to be told."""
        if since is None or since is self:
            return since is None
        numbers = [(one.page.number, one.page.is_mine) for one in (self, since)]
        return numbers[0] != numbers[1] or self.parts != since.parts

    def message(self, since: RenderedPage | None = None) -> str:
        """As a page reads it, with the parts that have changed; made once for all who saw `since`.

        Args:
            since: what the page was shown before.
        """
        kept = self._messages.get(id(since))
        if kept is None or (kept[0] is not None and kept[0]() is not since):
            old = {} if since is None else since.parts
            parts = {name: html for name, html in self.parts.items() if old.get(name) != html}
            sent = {"state": self.page.number, "mine": self.page.is_mine, "parts": parts}
            text = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
            # What was shown before is not kept alive by what is shown now.
            kept = None if since is None else ref(since), text
            self._messages[id(since)] = kept
        return kept[1]


class Renderer:
    """Makes HTML of a table.

    Args:
        readable: whether others on the network could read everything.
        lens: whether a phone may lend its camera.
    """

    def __init__(
        self, table: HostedTable, *, words: str, secure: bool, readable: bool, lens: bool
    ) -> None:
        self._table, self._lens = table, lens
        self._environment = Environment(
            loader=FileSystemLoader(HOME / "templates"),
            bytecode_cache=_Compiled(),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        files = sorted([*(HOME / "static").iterdir(), *_TYPEFACE.glob("*.woff2")])
        self.static = {path.name: path.read_bytes() for path in files}
        # The app's palette, before what is drawn with it.
        self.static["seat.css"] = theme.css().encode() + self.static["seat.css"]
        version = hashlib.sha256(b"".join(self.static.values())).hexdigest()[:12]
        self._environment.globals |= {
            "s": sentences,
            "mark_names": MARK_NAMES,
            "words": words,
            "secure": secure,
            "readable": readable,
            "version": version,
            "grounds": {name: theme.coded(one.ground) for name, one in theme.PALETTES.items()},
            "game": table.game.info.title,
        }
        self._fields: OrderedDict[tuple[FormField, int, str, str], Markup] = OrderedDict()
        self._environment.globals["drawn_field"] = self._field
        # Reading them takes a twentieth of a second, which is better spent before anybody waits.
        for name in self._environment.list_templates():
            self._environment.get_template(name)
        self._made: dict[tuple[int | None, str, bool], tuple[object, RenderedPage]] = {}

    def shown(self, seat: int | None, language: Language, *, may_act: bool = True) -> RenderedPage:
        """What a seat's page, or the table's, is to show now."""
        key = seat, language.code, may_act
        version = self._table.version
        made = self._made.get(key)
        if made is not None and made[0] == version:
            return made[1]
        with language.spoken():
            moment = self._table.moment(seat)
            page = pages.page(self._table.game, moment, language, may_act=may_act)
        names = TABLE_PARTS if seat is None else SEAT_PARTS
        facts = {"page": page, "is_table": seat is None, "may_act": may_act}
        parts = {name: self.html(f"parts/{name}.html", language, **facts) for name in names}
        shown = RenderedPage(page, parts)
        self._made[key] = version, shown
        return shown

    def _field(self, field: FormField, number: int, form_id: str, language: Language) -> Markup:
        """A field as HTML; made once for all pages that show the same."""
        key = field, number, form_id, language.code
        made = self._fields.get(key)
        if made is None:
            macros: Any = self._environment.get_template("macros.html").module
            made = Markup(macros.field(field, number, form_id, language.say, sentences))  # noqa: S704 - made here
            self._fields[key] = made
            while len(self._fields) > _KEPT_FIELDS:
                self._fields.popitem(last=False)
        return made

    def with_people(
        self, shown: RenderedPage, language: Language, corner: str, **facts: Any
    ) -> RenderedPage:
        """What the table's own screen shows beside: who is connected, what the eyes ask.

        Args:
            shown: what everybody sees.
            language: the screen's.
            corner: the code of the next free seat, as HTML.
            facts: what the templates of these parts have places for.
        """
        facts["lens"] = self._lens
        own = {n: self.html(f"parts/{n}.html", language, **facts) for n in ("people", "eyes")}
        return RenderedPage(shown.page, {**shown.parts, **own, "corner": corner})

    def html(self, template: str, language: Language, **facts: Any) -> str:
        """A template filled in one language."""
        made = self._environment.get_template(template)
        return made.render(language=language, say=language.say, **facts)

    def page(self, template: str, language: Language, shown: RenderedPage, **facts: Any) -> str:
        """A whole page with its parts."""
        parts = {name: Markup(html) for name, html in shown.parts.items()}  # noqa: S704 - made here
        for name in OWN_PARTS:
            parts.setdefault(name, Markup(""))
        return self.html(template, language, page=shown.page, parts=parts, **facts)

    def invitation(
        self,
        invited: Invited,
        place: str,
        lead: str,
        others: Sequence[tuple[str, str]],
        language: Language,
    ) -> str:
        """An address with its QR code, and what is typed where nothing scans.

        Args:
            invited: what opens the place.
            place: what is opened.
            lead: what is done with it.
            others: addresses in other networks, and what people call these.
            language: the screen's.
        """
        picture = Markup(qr_code(invited.url))  # noqa: S704 - a drawing made here
        facts = {"invited": invited, "place": place, "lead": lead, "others": others}
        return self.html("invitation.html", language, code=picture, **facts)


def qr_code(text: str) -> str:
    """A text as a QR code: an SVG drawing to stand in a page."""
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        out, kind="svg", xmldecl=False, svgns=False, border=4, omitsize=True
    )
    return out.getvalue().decode()


def qr_lines(text: str) -> str:
    """A text as a QR code for a terminal."""
    out = io.StringIO()
    segno.make(text, error="m", micro=False).terminal(out, border=2, compact=True)
    return out.getvalue()
