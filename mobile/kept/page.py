"""A match as one HTML page: who won and how, the cards, the story; the notation folded away.

The page is self-contained: no script, and nothing loaded from elsewhere (its content policy forbids
it). Every text is escaped. It speaks the language in use.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from companion.cards import Card
from companion.core.notation import MatchText
from companion.core.replay import EVERYTHING, ReplayStep
from companion.core.state import Zone, ZoneKind
from companion.phrases import capitalised
from mobile.kept.story import Kept, Told, Turn, kept
from mobile.kept.svg import Sheet
from mobile.model import wording
from mobile.model.people import COLOURS
from mobile.model.rows import ARROWS
from mobile.resources import texts, theme

_STYLE = Path(__file__).with_name("page.css")
_FONTS = Path(texts.__file__).with_name("fonts")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:"
#: Of more cards that nobody knows, a fan does not show more.
_FANNED = 12


def page(match: MatchText, viewer: int | None = EVERYTHING) -> str:
    """A match as a page.

    Args:
        match: what was recorded.
        viewer: a seat or None (the public) for what they may know; `EVERYTHING` for all.

    Raises:
        IllegalError: everything is asked for while a match is running, or there is no such seat.
    """
    told, sheet = kept(match, viewer), Sheet()
    names = match.setup.players
    title = match.game.info.title
    body = [
        f"<header><p class=quiet>{escape(title)}</p><h1>{escape(told.headline)}</h1>",
        *(f"<p>{escape(text)}</p>" for text in told.how),
        *_scores(told),
        "</header>",
        *_things(told, sheet),
        *_story(told, sheet),
        *_checked(told),
        *_settings(told),
        *_log(told.log),
    ]
    return f"""<!DOCTYPE html>
<html lang="{escape(texts.language())}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}: {escape(", ".join(names))}</title>
<style>{_faces()}{theme.css()}{_STYLE.read_text("utf-8")}</style>
</head>
<body>
{sheet.symbols()}
{chr(10).join(body)}
</body>
</html>
"""


def _faces() -> str:
    return "".join(
        f'@font-face{{font-family:"Companion Sans";font-weight:{weight};src:url(data:font/woff2;'
        f"base64,{b64encode((_FONTS / f'companion-{style}.woff2').read_bytes()).decode()})}}"
        for style, weight in (("regular", 400), ("bold", 700))
    )


def _avatar(name: str, seat: int) -> str:
    return f'<span class="avatar seat{seat % COLOURS}" aria-hidden="true">{escape(name[:1])}</span>'


def _scores(told: Kept) -> Iterator[str]:
    """Everybody's points, and how they compare as bars."""
    most = max(1, *(abs(points) for _, points in told.scores.points))
    yield "<ul class=scores>"
    for seat, (name, points) in enumerate(told.scores.points):
        won = ' class="won"' if seat in told.winners else ""
        wide, seat_class = 100 * max(points, 0) / most, f"seat{seat % COLOURS}"
        bar = f'<rect class="{seat_class}" width="{wide:.1f}" height="10" rx="2"/>'
        yield (
            f"<li>{_avatar(name, seat)}<span{won}>{escape(name)}</span>"
            f" <b>{texts.signed(points)}</b>"
            f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{bar}</svg>'
            "</li>"
        )
    yield "</ul>"


# -- the table -----------------------------------------------------------------------------------


def _things(told: Kept, sheet: Sheet) -> Iterator[str]:
    if not told.zones:
        return
    yield f"<h2>{escape(texts.KEPT_TABLE)}</h2><div class=felt>"
    for zone in told.zones:
        kind = " class=row" if zone.kind is ZoneKind.ROW else ""
        title = capitalised(texts.told(zone.title))
        title = texts.ZONE.format(title=title, n=len(zone.cards))
        yield f"<section{kind}><h3>{escape(title)}</h3>{_cards(told, zone, sheet)}"
        if zone.kind is ZoneKind.ROW:
            yield from _stretches(told, zone, sheet)
        yield "</section>"
    yield "</div>"


def _cards(told: Kept, zone: Zone, sheet: Sheet) -> str:
    """The cards of a place; the known ones side by side, the others as a fan of backs."""
    lit = told.lit.get(zone.name, frozenset())
    if zone.kind is ZoneKind.ROW:
        return f"<div class=cards>{_row(told, enumerate(zone.cards), lit, sheet)}</div>"
    known = [card for card in zone.cards if card.code != "??"]
    backs = [card for card in zone.cards if card.code == "??"][:_FANNED]
    drawn = "".join(_card(card, sheet) for card in known)
    fan = "".join(_card(card, sheet) for card in backs)
    return (f"<div class=cards>{drawn}</div>" if drawn else "") + (
        f'<div class="cards fan">{fan}</div>' if fan else ""
    )


def _row(told: Kept, cards: Iterable[tuple[int, Card]], lit: frozenset[int], sheet: Sheet) -> str:
    """Cards of the row, each with the change that leads to it."""
    changes = str(told.match.game.extra(told.state).get("changes", ""))
    return "".join(
        f"<span class=laid>{_card(card, sheet, 'lit' if k in lit else '')}"
        f"<i>{ARROWS.get(changes[k - 1 : k], '') if k else ''}</i></span>"
        for k, card in cards
    )


def _stretches(told: Kept, zone: Zone, sheet: Sheet) -> Iterator[str]:
    """Each stretch that counts, with its cards."""
    for caption, (first, last) in told.stretches.items():
        part = list(enumerate(zone.cards))[first - 1 : last]
        yield f"<p class=stretch>{escape(caption)}</p>"
        yield f"<div class=cards>{_row(told, part, frozenset(), sheet)}</div>"


def _card(card: Card, sheet: Sheet, style: str = "") -> str:
    return sheet.card(card, texts.told(card.name), style)


# -- the story -----------------------------------------------------------------------------------


def _story(told: Kept, sheet: Sheet) -> Iterator[str]:
    """What happened, turn by turn; the end of each match with its reasons."""
    ends = {end.number: end for end in told.scores.matches}
    for number, turns in enumerate(told.story, 1):
        title = texts.KEPT_STORY if len(told.story) == 1 else texts.KEPT_MATCH.format(n=number)
        yield f"<h2>{escape(title)}</h2><ol class=story>"
        for turn in turns:
            yield _turn(told, turn, sheet)
        yield "</ol>"
        if number in ends and number < len(told.story):
            for reason in ends[number].reasons:
                said = wording.without_codes(told.match.game, texts.told(reason))
                yield f"<p class=quiet>{escape(said)}</p>"


def _turn(told: Kept, turn: Turn, sheet: Sheet) -> str:
    names = told.match.setup.players
    if turn.is_run:
        laid = "".join(_laid(part, names, sheet) for part in turn.parts)
        return f'<li class="run"><div class=cards>{laid}</div></li>'
    who = "<span></span>" if turn.seat is None else _avatar(names[turn.seat], turn.seat)
    said = " ".join(escape(part.text) + _gains(part, names) for part in turn.parts)
    return f"<li>{who}<p>{said}</p></li>"


def _laid(part: Told, names: tuple[str, ...], sheet: Sheet) -> str:
    """One card of a run, with whose it is."""
    assert part.card is not None
    assert part.seat is not None
    return (
        f"<span class=laid>{_card(part.card, sheet)}{_avatar(names[part.seat], part.seat)}"
        f"<span class=sr>{escape(part.text)}</span></span>"
    )


def _gains(part: Told, names: tuple[str, ...]) -> str:
    return "".join(
        f' <span class="gain">{escape(names[seat])} {texts.signed(points, "+")}</span>'
        for seat, points in part.gained
    )


# -- what is folded away -------------------------------------------------------------------------


def _checked(told: Kept) -> Iterator[str]:
    """What does not fit, and what could not be checked."""
    yield f"<h2>{escape(texts.KEPT_CHECKED)}</h2>"
    for text in told.unchecked:
        yield f"<p>{escape(text)}</p>"
    if told.faults:
        number = len(told.faults)
        title = (texts.KEPT_FAULT if number == 1 else texts.KEPT_FAULTS).format(n=number)
        yield f"<details><summary>{escape(title)}</summary>"
        yield from (f"<p>{escape(text)}</p>" for text in told.faults)
        yield "</details>"
    elif not told.unchecked:
        yield f"<p>{escape(texts.KEPT_NO_FAULT)}</p>"


def _settings(told: Kept) -> Iterator[str]:
    """Who played under which options, and whose eyes the page is for."""
    setup, viewer = told.match.setup, told.viewer
    shows = texts.KEPT_ALL
    if viewer is None:
        shows = texts.KEPT_PUBLIC
    elif viewer != EVERYTHING:
        shows = texts.KEPT_SEAT.format(name=setup.players[viewer])
    trust = ", ".join(
        (texts.KEPT_TRUSTED if trusts else texts.KEPT_OPEN).format(name=name)
        for name, trusts in zip(setup.players, setup.trusted, strict=True)
    )
    yield f"<details><summary>{escape(texts.KEPT_SETTINGS)}</summary><p>{escape(shows)}</p><dl>"
    facts = [(texts.KEPT_REFEREE, trust)]
    facts += [
        (texts.tr(name.replace("_", " ")), texts.tr(value.replace("_", " ")))
        for name, value in setup.options.items()
        if value
    ]
    yield from (f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in facts)
    yield "</dl></details>"


def _log(log: Iterable[ReplayStep]) -> Iterator[str]:
    """Every line as it is written in a file; those taken back struck through."""
    yield f"<details><summary>{escape(texts.KEPT_NOTATION)}</summary><ol class=log>"
    for step in log:
        text = f"<code>{escape(step.text)}</code>"
        if marks := ", ".join(texts.told(mark) for mark in step.became.marks):
            text = f"<s>{text}</s> <span class=quiet>({escape(marks)})</span>"
        if step.error is not None:
            text += f"<p class=fault>{escape(texts.told(step.error[1]))}</p>"
        yield f'<li value="{step.n}">{text}</li>'
    yield "</ol></details>"
