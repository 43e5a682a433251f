"""A match as one HTML page: result with reasons, the row, who knew what when, the audit.

The page is self-contained: no script, no picture, nothing loaded from elsewhere (its content policy
forbids it). While a match is running there are pages of what everybody may know and of one seat's
own view; a page of everything exists only after the match. Every text is escaped. The words are
English unless the caller passes a function that translates them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from companion.core.audit import audit, audit_view, unchecked, unchecked_in_view
from companion.core.entries import Entry
from companion.core.events import Event
from companion.core.notation import MatchText, write_event
from companion.core.referee import Referee
from companion.core.replay import EVERYTHING
from companion.core.state import FindingKind, State, Zone, ZoneKind
from companion.errors import ErrorKind, IllegalError
from companion.phrases import N_, capitalised, joined, phrase

#: Puts a sentence into a language.
Told = Callable[[object], str]

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;
color:#1d2430;background:#fff}
h1{margin-bottom:0}table{border-collapse:collapse;margin:.5rem 0}
th,td{border:1px solid #c4cad4;padding:.25rem .6rem;text-align:left;vertical-align:top}
th{background:#eef1f5}.row span{display:inline-block;min-width:2.4rem;text-align:center;
border:1px solid #c4cad4;border-radius:.3rem;margin:.1rem;padding:.1rem}
.row span.hit{background:#ffe9a8;border-color:#8a6100;font-weight:bold}
.row small{display:block;color:#4a5464}.fault{color:#9c1c1c}.said{color:#4a5464}
@media(prefers-color-scheme:dark){body{color:#e7ebf2;background:#161a20}th{background:#262c36}
th,td,.row span{border-color:#49525f}.row span.hit{background:#5a4300;border-color:#ffd76a}
.row small,.said{color:#b4bdca}.fault{color:#ff9a9a}}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

_ALL, _PLAYERS, _PLAYER, _REFEREE = N_("everybody"), N_("Players"), N_("Player"), N_("Referee")
_SCORE, _WINS, _RUNNING = N_("Score"), N_("wins"), N_("The match is still running.")
_LIE, _PLACE, _CARDS = N_("Where the cards lie"), N_("Place"), N_("Cards")
_NONE, _NOTHING, _ALL_OF_IT = N_("none"), N_("nothing"), N_("all of it")
_WHO_KNEW = N_("What each could know, step by step")
_AUDIT, _NO_FAULT = N_("Audit"), N_("Nothing to find fault with.")
_EVENT, _KIND, _WRONG = N_("Event"), N_("Kind"), N_("What is wrong")
_KINDS: dict[str, str] = {
    ErrorKind.UNREADABLE: N_("not readable"),
    ErrorKind.ILLEGAL: N_("not allowed"),
    FindingKind.DUPLICATE_CARD: N_("a card twice"),
    FindingKind.IMPOSSIBLE: N_("impossible"),
    FindingKind.FALSE_ANSWER: N_("a wrong answer"),
    FindingKind.FALSE_CLAIM: N_("a wrong claim"),
}


@dataclass(frozen=True, slots=True)
class _Eyes:
    """One viewer of the page: None for the public, else a seat."""

    seat: int | None
    name: str


def page(
    match: MatchText, viewer: int | None = EVERYTHING, *, told: Told = str, language: str = "en"
) -> str:
    """A match as a page.

    Args:
        match: what was recorded.
        viewer: a seat or None (the public) for what they may know; `EVERYTHING` for all.
        told: puts the page's sentences, and what a game says, into a language.
        language: that language's code.

    Raises:
        IllegalError: everything is asked for while a match is running.
    """
    referee: Referee[Any] = Referee(match.game, match.setup)
    names = match.setup.players
    if viewer == EVERYTHING:
        everybody = [_Eyes(None, _ALL), *(_Eyes(i, name) for i, name in enumerate(names))]
    else:
        referee.knowledge(viewer)  # refuses a seat that does not exist
        everybody = [_Eyes(viewer, _ALL if viewer is None else names[viewer])]
    steps = list(_steps(referee, match, viewer, everybody))
    if viewer == EVERYTHING and not referee.state.table.match_over:
        raise IllegalError(
            "The match is not over: before its end there are only pages of what everybody may "
            "know (--as public) and of one seat's own view (--as NAME)."
        )
    state: State = referee.state if viewer == EVERYTHING else referee.knowledge(viewer)
    parts = [
        _head(match, viewer, told, language),
        *_result(state, names, told),
        *_row(match, state, told),
        *_zones(match, state, told),
        *_knowledge(steps, everybody, _marks(referee, viewer), told),
        *_audit(referee, viewer, told),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _head(match: MatchText, viewer: int | None, told: Told, language: str) -> str:
    setup, title = match.setup, match.game.info.title
    shows = N_("This page shows everything, after the end.")
    if viewer is None:
        shows = N_("This page shows what everybody may know.")
    elif viewer != EVERYTHING:
        shows = phrase("This page shows what {name} can see.", name=setup.players[viewer])
    pairs = zip(setup.players, setup.trusted, strict=True)
    trust = [
        phrase("{name} trusted" if trusts else "{name} open", name=name) for name, trusts in pairs
    ]
    facts = [
        (told(_PLAYERS), ", ".join(setup.players)),
        (told(_REFEREE), ", ".join(map(told, trust))),
    ]
    facts += [
        (told(phrase("Option {name}", name=name.replace("_", " "))), told(value.replace("_", " ")))
        for name, value in setup.options.items()
        if value
    ]
    rows = "\n".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in facts)
    names = ", ".join(setup.players)
    return f"""<!DOCTYPE html>
<html lang="{escape(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}: {escape(names)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p>{escape(told(match.game.info.summary))} {escape(told(shows))}</p>
<table>
{rows}
</table>"""


def _result(state: State, names: tuple[str, ...], told: Told) -> Iterator[str]:
    table = state.table
    score = escape(told(_SCORE))
    yield f"<h2>{score}</h2>"
    yield f"<table>\n<tr><th>{escape(told(_PLAYER))}</th><th>{score}</th><th></th></tr>"
    for seat, name in enumerate(names):
        won = escape(told(_WINS)) if seat in table.winners else ""
        yield f"<tr><td>{escape(name)}</td><td>{table.scores[seat]}</td><td>{won}</td></tr>"
    yield "</table>"
    if table.reasons:
        yield _list(map(told, table.reasons))
    if not table.match_over:
        yield f"<p>{escape(told(_RUNNING))}</p>"


def _row(match: MatchText, state: State, told: Told) -> Iterator[str]:
    """Face-up rows, once for each stretch that counts."""
    for zone in match.game.zones(state):
        if zone.kind is not ZoneKind.ROW or not zone.cards:
            continue
        yield f"<h2>{escape(told(capitalised(zone.title)))}</h2>"
        changes = str(match.game.extra(state).get("changes", ""))
        stretches = match.game.stretches(state) or {"": (0, -1)}
        for caption, (first, last) in stretches.items():
            yield f"<p>{escape(told(caption))}</p>" if caption else ""
            yield '<p class="row">'
            for number, card in enumerate(zone.cards, 1):
                hit = ' class="hit"' if first <= number <= last else ""
                letter = changes[number - 2] if 2 <= number <= len(changes) + 1 else "&nbsp;"
                yield f"<span{hit}>{escape(card.code)}<small>{letter}</small></span>"
            yield "</p>"


def _zones(match: MatchText, state: State, told: Told) -> Iterator[str]:
    yield f"<h2>{escape(told(_LIE))}</h2>"
    yield f"<table>\n<tr><th>{escape(told(_PLACE))}</th><th>{escape(told(_CARDS))}</th></tr>"
    for zone in match.game.zones(state):
        cards = escape(_cards(zone, told))
        title = escape(told(capitalised(zone.title)))
        yield f"<tr><td>{title}</td><td>{cards}</td></tr>"
    yield "</table>"


def _cards(zone: Zone, told: Told) -> str:
    """Known cards, and how many others there are."""
    known = [card.code for card in zone.cards if card.code != "??"]
    if zone.unknown:
        known.append(told(phrase("{number} unknown", number=zone.unknown)))
    return " ".join(known) or told(_NONE)


# -- who knew what when --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Step:
    """A line with what each viewer learnt from it.

    Attributes:
        number: the match's, or the viewer's own count.
        text: as this page may show it.
        error: why it was refused.
        notes: what the referee said.
        told: for each viewer what became known.
    """

    number: int
    text: str
    error: str
    notes: tuple[str, ...]
    told: tuple[str, ...]


def _steps(
    referee: Referee[Any], match: MatchText, viewer: int | None, everybody: list[_Eyes]
) -> Iterator[_Step]:
    """Plays the match and notes after each line who learnt what from it."""
    before = {eyes.seat: _known(referee, eyes.seat) for eyes in everybody}
    for line in match.events:
        entry = referee.submit_line(line)
        told = []
        for eyes in everybody:
            after = _known(referee, eyes.seat)
            told.append(_told(referee, entry, eyes.seat, before[eyes.seat], after))
            before[eyes.seat] = after
        step = _step(referee, entry, viewer, tuple(told))
        if step is not None:
            yield step


def _step(
    referee: Referee[Any], entry: Entry, viewer: int | None, told: tuple[str, ...]
) -> _Step | None:
    """The line as the page's viewer may read it, None if it may not even be known of."""
    error = "" if entry.error is None else entry.error.message
    if viewer == EVERYTHING:
        text = entry.text
        if entry.event is not None:
            text = write_event(referee.game, referee.setup, entry.event)
        notes = referee.state.notes if entry.applied else ()
        return _Step(entry.n, text, error, notes, told)
    log = referee.view(viewer).log
    if not log or referee.number_of(viewer, log[-1].step) != entry.n:
        return None
    notes = referee.knowledge(viewer).notes if entry.applied else ()
    return _Step(log[-1].step, log[-1].text, log[-1].error, notes, told)


def _known(referee: Referee[Any], seat: int | None) -> dict[str, frozenset[str]]:
    """The cards a viewer knows, by the title of their place."""
    zones = referee.game.zones(referee.knowledge(seat))
    return {
        zone.title: frozenset(card.code for card in zone.cards if card.code != "??")
        for zone in zones
    }


def _told(
    referee: Referee[Any],
    entry: Entry,
    seat: int | None,
    before: dict[str, frozenset[str]],
    after: dict[str, frozenset[str]],
) -> str:
    """What a viewer learnt from a line: its text, that it happened, or nothing; and which cards."""
    event = entry.event
    if event is None:
        return _NOTHING
    how = _ALL_OF_IT if event.may_be_read_by(seat) else _heard(referee, entry, event, seat)
    known = set().union(*before.values()) if before else set()
    fresh = [
        phrase("{place}: {cards}", place=title, cards=" ".join(sorted(cards - known)))
        for title, cards in after.items()
        if cards - known
    ]
    return joined("; ", [how, *fresh])


def _heard(referee: Referee[Any], entry: Entry, event: Event, seat: int | None) -> str:
    """Whether somebody who may not read a line knows that it is there."""
    log = referee.view(seat).log
    seen = bool(log) and referee.number_of(seat, log[-1].step) == entry.n
    return phrase("that it happened ({verb})", verb=event.verb) if seen else _NOTHING


def _marks(referee: Referee[Any], viewer: int | None) -> dict[int, tuple[str, ...]]:
    """What became of each line, by the page's numbers; nothing for those that stand."""
    if viewer != EVERYTHING:
        return {line.step: line.marks for line in referee.view(viewer).log}
    return {entry.n: referee.line_of(entry).marks for entry in referee.log}


def _knowledge(
    steps: Iterable[_Step],
    everybody: list[_Eyes],
    marks: dict[int, tuple[str, ...]],
    told: Told,
) -> Iterator[str]:
    yield f"<h2>{escape(told(_WHO_KNEW))}</h2>"
    heads = "".join(f"<th>{escape(told(eyes.name))}</th>" for eyes in everybody)
    yield f"<table>\n<tr><th></th><th>{escape(told(_EVENT))}</th>{heads}</tr>"
    for step in steps:
        said = "".join(f'<div class="said">{escape(told(note))}</div>' for note in step.notes)
        fault = ""
        if step.error:
            refused = told(phrase("Refused: {why}", why=step.error))
            fault = f'<div class="fault">{escape(refused)}</div>'
        learnt = "".join(f"<td>{escape(told(text))}</td>" for text in step.told)
        text = f"<code>{escape(step.text)}</code>"
        if became := marks.get(step.number):
            words = ", ".join(map(told, became))
            text = f'<s>{text}</s> <span class="said">({escape(words)})</span>'
        yield (f"<tr><td>{step.number}</td><td>{text}{said}{fault}</td>{learnt}</tr>")
    yield "</table>"


def _audit(referee: Referee[Any], viewer: int | None, told: Told) -> Iterator[str]:
    """All faults; on a viewer's page those that the viewer can see."""
    yield f"<h2>{escape(told(_AUDIT))}</h2>"
    found = audit(referee) if viewer == EVERYTHING else audit_view(referee.view(viewer))
    faults = [(fault.event, fault.kind, fault.message) for fault in found]
    open_ = (
        unchecked(referee)
        if viewer == EVERYTHING
        else unchecked_in_view(referee.game, referee.view(viewer))
    )
    for sentence in open_:
        yield f"<p>{escape(told(sentence))}</p>"
    if not faults:
        if not open_:
            yield f"<p>{escape(told(_NO_FAULT))}</p>"
        return
    heads = "".join(f"<th>{escape(told(head))}</th>" for head in (_EVENT, _KIND, _WRONG))
    yield f"<table>\n<tr>{heads}</tr>"
    for n, kind, message in sorted(faults):
        cells = (str(n), told(_KINDS.get(kind, kind)), told(message))
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
    yield "</table>"


def _list(texts: Iterable[str]) -> str:
    items = "\n".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>\n{items}\n</ul>"
