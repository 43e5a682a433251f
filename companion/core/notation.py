"""The match notation: a match as plain text, read tolerantly and written exactly.

A header (`game:`, `players:`, `option NAME: VALUE`, `referee:`), a line `---`, then one event a
line: `NAME: verb …`, `NAME*: …` (private), `NAME*OTHER: …` (private to both), `table: …`.
Comments start with `;` outside quotation marks. Reading collects errors line by line; writing what
was read gives the same match again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.core.events import CORRECT, LOG_VERBS, Event
from companion.core.game import Game
from companion.core.names import name_key
from companion.core.registry import get_game
from companion.core.setup import Setup
from companion.core.syntax import read_form, words_of, write_form
from companion.core.verb import Verb
from companion.errors import CompanionError, UnreadableError

SEPARATOR = "---"
MAX_LINES = 200_000
#: What no name holds and no line begins with before its colon.
_NO_NAME = re.compile(r"[,;\"]")
#: What people type before the name whose line they correct.
_CORRECTING = re.compile(rf"{CORRECT}\s+[0-9]+\s+", re.IGNORECASE)
#: Letters of an event's line.
LONGEST_LINE = 2000
_TRUST = {"trusted": True, "open": False}


@dataclass(frozen=True, slots=True)
class Line:
    """One line after the separator.

    Attributes:
        n: number of the event line from 1; None for a blank or comment line.
        text: the line as it was written, without its comment; for n None the whole line.
        event: what it says, None if it could not be read.
        error: why it could not be read.
        comment: what follows `;`.
    """

    n: int | None
    text: str
    event: Event | None = None
    error: CompanionError | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class MatchText:
    """A match file.

    Attributes:
        game: its game.
        setup: its header.
        lines: everything after the separator, in order.
        comments: comment lines of the header.
    """

    game: Game[Any]
    setup: Setup
    lines: tuple[Line, ...] = ()
    comments: tuple[str, ...] = field(default=())

    @property
    def events(self) -> tuple[Line, ...]:
        """The event lines, readable or not."""
        return tuple(line for line in self.lines if line.n is not None)


def split_comment(line: str) -> tuple[str, str]:
    """Splits a line at the first `;` outside quotation marks; both parts are stripped."""
    quoted = False
    for index, letter in enumerate(line):
        if letter == '"':
            quoted = not quoted
        elif letter == ";" and not quoted:
            return line[:index].strip(), line[index + 1 :].strip()
    return line.strip(), ""


# -- reading ---------------------------------------------------------------------------------


def read_match(text: str) -> MatchText:
    """Reads a match.

    Lines that cannot be read become `Line`s with an error; reading goes on.

    Raises:
        UnreadableError: the header cannot be used, so that nothing can be read.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if len(lines) > MAX_LINES:
        raise UnreadableError("A match of more than {most} lines is not read.", most=MAX_LINES)
    contents = [split_comment(line)[0] for line in lines]
    if SEPARATOR not in contents:
        raise UnreadableError(
            "This is no match: the line --- between header and events is missing."
        )
    index = contents.index(SEPARATOR)
    game, setup, comments = _read_header(lines[:index])
    body: list[Line] = []
    events: list[Event | None] = []
    for raw in lines[index + 1 :]:
        content, comment = split_comment(raw)
        if not content:
            body.append(Line(None, raw.strip()))
            continue
        n = len(events) + 1
        try:
            event = read_event(game, setup, content, earlier=events)
            event = replace(event, n=n, comment=comment)
            body.append(Line(n, content, event, None, comment))
            events.append(event)
        except CompanionError as error:
            body.append(Line(n, content, None, error, comment))
            events.append(None)
    return MatchText(game, setup, tuple(body), comments)


def _read_header(lines: Sequence[str]) -> tuple[Game[Any], Setup, tuple[str, ...]]:
    """Reads `game:`, `players:`, `option …:` and `referee:` in any order."""
    fields: dict[str, str] = {}
    options: dict[str, str] = {}
    comments: list[str] = []
    for raw in lines:
        content, comment = split_comment(raw)
        if comment:
            comments.append(comment)
        if not content:
            continue
        key, colon, value = content.partition(":")
        key, value = " ".join(key.casefold().split()), value.strip()
        target = options if key.startswith("option ") else fields
        key = key.removeprefix("option ")
        if not colon or (target is fields and key not in ("game", "players", "referee")):
            raise UnreadableError("The header line “{content}” cannot be read.", content=content)
        if key in target:
            raise UnreadableError("The header says “{key}” twice.", key=key)
        target[key] = value
    for key in ("game", "players"):
        if key not in fields:
            raise UnreadableError("The header line “{key}: …” is missing.", key=key)
    try:
        game = get_game(fields["game"])
    except CompanionError as error:
        raise UnreadableError(error.message) from None
    players = tuple(name.strip() for name in fields["players"].split(","))
    trusted = read_trust(fields.get("referee", "open"), players)
    return game, game.setup(players, options, trusted=trusted), tuple(comments)


def read_trust(text: str, players: tuple[str, ...]) -> tuple[bool, ...]:
    """Reads `trusted`, `open` or `Ann trusted, Bo open` into one flag a seat (default open).

    Raises:
        UnreadableError: it is none of these.
    """
    if text.strip().casefold() in _TRUST:
        return (_TRUST[text.strip().casefold()],) * len(players)
    each = dict.fromkeys(map(name_key, players), False)
    for part in text.split(","):
        name, _, trust = part.strip().rpartition(" ")
        if name_key(name) not in each or trust.casefold() not in _TRUST:
            raise UnreadableError(
                "“referee: {text}” cannot be read: write open, trusted, or “Ann trusted, Bo open”.",
                text=text,
            )
        each[name_key(name)] = _TRUST[trust.casefold()]
    return tuple(each[name_key(name)] for name in players)


def read_event(
    game: Game[Any],
    setup: Setup,
    text: str,
    *,
    earlier: Sequence[Event | None] = (),
) -> Event:
    """Reads one event line without its comment.

    Args:
        game: the game.
        setup: names and options.
        text: e.g. `Ann: place 7S`.
        earlier: the events before it (None for unreadable ones), from number 1; a correction
            that leaves out whose event it is takes that from the event it corrects.

    Raises:
        UnreadableError: who did it, the verb or what follows cannot be read.
    """
    who = _split_who(text) if len(text) <= LONGEST_LINE else None
    if who is None:
        raise UnreadableError(
            "“{word}” does not say who does it: begin with a player's name, or “table”, and a "
            "colon.",
            word=_short(text),
        )
    name, other, rest = who
    seat = None if name_key(name) == "table" else setup.seat(name)
    audience: frozenset[int] | None = None
    if other is not None:
        if seat is None:
            raise UnreadableError("The table has no secrets: write table: …")
        audience = frozenset({seat} if not other else {seat, setup.seat(other)})
        if other and len(audience) == 1:
            raise UnreadableError(
                "{name} shares a secret with {name}: name another player.", name=name
            )
    verb, args = _read_verb(game, setup, rest, seat, audience, earlier)
    return Event(verb, args, seat, audience)


def _split_who(text: str) -> tuple[str, str | None, str] | None:
    """Parts a line at its first colon; None where what stands before it can be no name.

    Returns:
        The name, whom a secret is shared with (empty for the referee alone, None where it is no
        secret), and what follows.
    """
    who, colon, rest = text.partition(":")
    name, star, other = (part.strip() for part in who.partition("*"))
    if not colon or not name or _NO_NAME.search(who) or "*" in other:
        return None
    return name, (other if star else None), rest.strip()


def is_private_line(text: str) -> bool:
    """Whether a line, or its beginning, is one that only a player may read: `NAME*`."""
    name, star, _ = text.partition("*")
    return bool(star and name.strip()) and ":" not in name and not _NO_NAME.search(name)


def says_whose(setup: Setup, text: str) -> bool:
    """Whether a typed line begins with a player's name, or `table`, and a colon or a star."""
    name = re.split("[:*]", text, maxsplit=1)[0]
    return len(name) < len(text) and _is_somebody(setup, name)


def _is_somebody(setup: Setup, name: str) -> bool:
    return name_key(name) in map(name_key, ("table", *setup.players))


def reader_of(setup: Setup, text: str) -> int | None:
    """Who reads a line that somebody types, by its beginning: a seat for `NAME*:`, else None.

    People may type a correction before the name: `correct 3 NAME*: …`.

    Raises:
        UnreadableError: it names nobody here.
    """
    who = _split_who(text)
    if who is None or who[1] is None:
        return None
    is_name = _is_somebody(setup, who[0])
    return setup.seat(who[0] if is_name else _CORRECTING.sub("", who[0], count=1))


def _read_verb(
    game: Game[Any],
    setup: Setup,
    text: str,
    seat: int | None,
    audience: frozenset[int] | None,
    earlier: Sequence[Event | None],
) -> tuple[str, tuple[Any, ...]]:
    """Reads the part after the colon."""
    words = words_of(text)
    if not words:
        raise UnreadableError("The verb is missing.")
    first = words[0].casefold()
    if first == CORRECT:
        return CORRECT, _read_correct(game, setup, text.strip(), (seat, audience), earlier)
    if first in LOG_VERBS:
        if words[1:]:
            raise UnreadableError("Nothing follows “{first}”.", first=first)
        return first, ()
    problem: UnreadableError | None = None
    for verb, rest in _candidates(game, words):
        for form in verb.forms:
            try:
                return verb.name, read_form(form, rest, setup)
            except UnreadableError as error:
                problem = problem or UnreadableError(
                    "{message} Write: {syntax}.", message=error.message, syntax=verb.syntax
                )
    if problem is not None:
        raise problem
    known = ", ".join(verb.name for verb in game.verbs.values() if not verb.bare)
    raise UnreadableError(
        "{title} does not know “{word}”. It knows: {known}.",
        word=_short(words[0]),
        title=game.info.title,
        known=known,
    )


def _candidates(game: Game[Any], words: list[str]) -> list[tuple[Verb[Any], list[str]]]:
    """Verbs the words may begin with, longest name first; bare ones last."""
    found: list[tuple[Verb[Any], list[str]]] = []
    for length in (2, 1):
        name = " ".join(words[:length]).casefold()
        verb = game.verbs.get(name) if len(words) >= length else None
        if verb is not None and not verb.bare:
            found.append((verb, words[length:]))
    if not found:
        found = [(verb, words) for verb in game.verbs.values() if verb.bare]
    return found


def _read_correct(
    game: Game[Any],
    setup: Setup,
    text: str,
    whose: tuple[int | None, frozenset[int] | None],
    earlier: Sequence[Event | None],
) -> tuple[int, Event]:
    """Reads `correct N EVENT` where EVENT may leave out whose event it is."""
    match = re.fullmatch(r"\S+\s+([0-9]{1,6})\s+(.+)", text)
    if match is None:
        raise UnreadableError("Write: correct N EVENT.")
    n, rest = int(match[1]), match[2]
    who = _split_who(rest)
    # A text may hold a colon as well: “correct 3 ask is it: red?”.
    if who is not None and (_is_somebody(setup, who[0]) or len(who[0].split()) == 1):
        inner = read_event(game, setup, rest)
    else:
        known = earlier[n - 1] if 1 <= n <= len(earlier) else None
        seat, audience = (known.seat, known.audience) if known is not None else whose
        verb, args = _read_verb(game, setup, rest, seat, audience, earlier)
        inner = Event(verb, args, seat, audience)
    if inner.verb in LOG_VERBS:
        raise UnreadableError("An event cannot be corrected into “{verb}”.", verb=inner.verb)
    return n, inner


def _short(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


# -- writing ---------------------------------------------------------------------------------


def write_who(setup: Setup, event: Event) -> str:
    """The part before the colon, e.g. `Ann*Bo`."""
    name = setup.name(event.seat)
    if event.audience is None:
        return name
    others = sorted(event.audience - {event.seat})
    return f"{name}*{''.join(setup.players[seat] for seat in others)}"


def write_event(game: Game[Any], setup: Setup, event: Event, *, comment: bool = True) -> str:
    """One event line in its first form; `read_event` reads it back.

    Args:
        game: the game.
        setup: names.
        event: the event; in a hidden one `…` stands for what the reader may not know.
        comment: whether to add the comment.
    """
    text = f"{write_who(setup, event)}: {_write_verb(game, setup, event)}"
    return f"{text} ; {event.comment}" if comment and event.comment else text


def _write_verb(game: Game[Any], setup: Setup, event: Event) -> str:
    if event.hidden:
        return f"{event.verb} …"
    if event.verb == CORRECT:
        n, inner = event.args
        return f"{CORRECT} {n} {write_event(game, setup, inner, comment=False)}"
    if event.verb in LOG_VERBS:
        return event.verb
    verb = game.verbs[event.verb]
    rest = write_form(verb.form_of(event.args), event.args, setup)
    return rest if verb.bare else f"{verb.name} {rest}".rstrip()


def write_header(setup: Setup, comments: Sequence[str] = ()) -> str:
    """The header with its separator, one trailing newline."""
    lines = [f"; {comment}" for comment in comments]
    lines += [f"game: {setup.game}", f"players: {', '.join(setup.players)}"]
    lines += [f"option {name}: {setup.options[name]}" for name in setup.stated]
    if all(setup.trusted):
        lines.append("referee: trusted")
    elif any(setup.trusted):
        words = ("open", "trusted")
        pairs = zip(setup.players, setup.trusted, strict=True)
        lines.append("referee: " + ", ".join(f"{name} {words[trust]}" for name, trust in pairs))
    return "\n".join([*lines, SEPARATOR, ""])


def write_match(match: MatchText) -> str:
    """The whole match in its first form; unreadable lines as they were."""
    lines = []
    for line in match.lines:
        if line.event is not None:
            event = replace(line.event, comment=line.comment)
            lines.append(write_event(match.game, match.setup, event))
        elif line.n is not None and line.comment:
            lines.append(f"{line.text} ; {line.comment}")
        else:
            lines.append(line.text)
    return write_header(match.setup, match.comments) + "".join(f"{line}\n" for line in lines)
