"""Who may write an event from a page, and what is asked before it is written.

To write as somebody is to be somebody. A seat's page writes what is that seat's, and what the whole
table sees happen; never what is another's. The table's own page writes what all see happen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.core.events import CORRECT, DISCLOSE, REDO, UNDO, Event
from companion.core.game import Game
from companion.core.guidance.generic import guidance_of
from companion.core.notation import (
    is_private_line,
    read_event,
    reader_of,
    says_whose,
    split_comment,
)
from companion.core.referee import Referee
from companion.core.setup import Setup
from companion.core.timeline import UndoStep
from companion.core.undo import is_weighty
from companion.core.watched_match import begins_play
from companion.errors import CompanionError
from companion.journal import Session
from companion.phrases import phrase
from mobile.model import wording
from mobile.resources import texts
from mobile.seats import sentences

#: Lines that were put into words, by game, names, language, who is addressed, and line.
_sentences: dict[tuple[str, tuple[str, ...], str, str, str], str] = {}
_MOST_SENTENCES = 20_000


class NotYoursError(CompanionError):
    """A page tried to write what is another's."""


def check(
    session: Session, seat: int | None, event: Event, *, has_phone: Callable[[int], bool]
) -> None:
    """Refuses an event that this page may not write.

    Args:
        session: the session.
        seat: whose page it is, None for the table's own.
        event: what it wants to write.
        has_phone: whether a seat is somebody's own phone's.

    Raises:
        NotYoursError: it is another's.
    """
    if event.verb == DISCLOSE:
        raise NotYoursError(sentences.AGREE_FIRST)
    name = session.setup.players
    is_secret = not event.is_public or event.audience is not None
    for owner in session.whose(event):
        if owner == seat:
            continue
        # Whether a trusted referee takes what is turned up tells whether it is the hidden card.
        is_asked = seat is not None and session.setup.trusted[owner]
        if is_secret or is_asked or session.has_pin(owner) or has_phone(owner):
            raise NotYoursError(phrase(sentences.NOT_YOURS, name=name[owner]))
    told = told_of(session.game, session.setup, event)
    if seat is not None and told not in (None, seat):
        raise NotYoursError(phrase(sentences.NOT_YOURS_TO_PLAY, name=name[told]))
    if event.verb in (UNDO, REDO) and event.audience is None:
        step = session.referee.undoes() if event.verb == UNDO else session.referee.redoes()
        _check_step(session, seat, step)


def told_of(game: Game[Any], setup: Setup, event: Event) -> int | None:
    """The seat that trusts the referee with what its answer to an event tells; None for none."""
    inner: Event = event.args[1] if event.verb == CORRECT else event
    verb = game.verbs.get(inner.verb)
    if inner.seat is None or verb is None:
        return None
    return inner.seat if verb.tells and setup.trusted[inner.seat] else None


def _check_step(session: Session, seat: int | None, step: UndoStep | None) -> None:
    """What somebody entered in secret is theirs to take back."""
    owner = None if step is None else step.secret_of
    if owner in (None, seat):
        return
    name = session.setup.players[owner]
    raise NotYoursError(phrase(sentences.NOT_YOURS_TO_TAKE_BACK, name=name))


def offered(session: Session, seat: int | None, step: UndoStep | None) -> str:
    """A step that a page offers to take back or to restore, in words; empty where it does not."""
    try:
        _check_step(session, seat, step)
    except NotYoursError:
        return ""
    return "" if step is None else told(session.referee, step)


def read_line(referee: Referee[Any], seat: int | None, text: str) -> Event:
    """An event that was typed on a page; without a name it is the page's own.

    Another's private line is refused before it is read: what it would be answered may tell.

    Raises:
        CompanionError: it cannot be read, or is another's.
    """
    setup = referee.setup
    content = split_comment(text)[0].strip()
    if is_private_line(content):
        reader = reader_of(setup, content)
        if reader is None or reader != seat:
            name = setup.players[reader] if reader is not None else "?"
            raise NotYoursError(phrase(sentences.NOT_YOURS, name=name))
    word = content.split(maxsplit=1)[0].casefold() if content else ""
    # What a correction puts there has a name of its own, but the correction has none yet.
    is_bare = word == CORRECT or ":" not in content.split('"')[0]
    if is_bare and not says_whose(setup, content):
        actor = "table" if seat is None or is_for_table(referee.game, word) else setup.players[seat]
        content = f"{actor}: {content}"
    return referee.parse_typed(content, seat=seat)


def is_for_table(game: Game[Any], word: str) -> bool:
    """Whether a line that begins with this word is nobody's act in particular."""
    from companion.core.events import LOG_VERBS
    from companion.core.verb import Who

    verb = game.verbs.get(word)
    return word in LOG_VERBS or (verb is not None and verb.who is Who.TABLE)


def question_before(referee: Referee[Any], seat: int | None, event: Event) -> str:
    """What a person is asked before something ends, begins too early, or is taken back.

    Args:
        referee: the session's.
        seat: whose page it is, None for the table's own.
        event: what is about to be recorded.
    """
    if event.verb != UNDO:
        return _commits(referee, seat, event) or _start_question(referee, event)
    step = referee.undoes(event.seat)
    if step is None or not (is_weighty(referee, step) or _is_anothers(step, seat)):
        return ""
    return phrase(sentences.TAKE_BACK, what=told(referee, step).rstrip("."))


def _is_anothers(step: UndoStep, seat: int | None) -> bool:
    """Whether a seat's page would take back what another player did."""
    return seat is not None and bool(step.events) and step.events[0].seat not in (None, seat)


def _commits(referee: Referee[Any], seat: int | None, event: Event) -> str:
    """Asks before what counts for everybody, also where it was typed or is done again."""
    step = referee.redoes(event.seat) if event.verb == REDO else None
    meant = event if step is None else next(iter(step.events), event)
    for offered in guidance_of(referee.game, referee.view(seat)).steps:
        if offered.commits and (offered.verb, offered.seat) == (meant.verb, meant.seat):
            return phrase(sentences.COMMITS, title=offered.title)
    return ""


def _start_question(referee: Referee[Any], event: Event) -> str:
    """Asks whether play starts though somebody has not written; empty where all have."""
    if not begins_play(referee.game, event):
        return ""
    due = guidance_of(referee.game, referee.view(None)).due
    return wording.start_question(referee.setup, (step.seat for step in due))


class _Reader:
    """Reads lines of a log for `telling`: by their words alone, whatever else there is."""

    def __init__(self, game: Game[Any], setup: Setup) -> None:
        self.game, self.setup = game, setup

    def parse(self, text: str) -> Event:
        """A line as a view's log has it."""
        return read_event(self.game, self.setup, split_comment(text)[0], earlier=())


def sentence(game: Game[Any], setup: Setup, line: str) -> str:
    """A line of a view's log as a sentence, in the language in use."""
    key = game.name, setup.players, texts.language(), texts.addressed_player(), line
    if key not in _sentences:
        reader: Any = _Reader(game, setup)
        if len(_sentences) >= _MOST_SENTENCES:
            _sentences.clear()
        _sentences[key] = wording.told_line(reader, line)
    return _sentences[key]


def told(referee: Referee[Any], step: UndoStep, viewer: int | None = None) -> str:
    """A step as a viewer may read it, in the language in use; the public by default."""
    wanted, found = set(step.lines), {}
    # What can be taken back is most often the newest.
    for line in reversed(referee.view(viewer).log):
        n = referee.number_of(viewer, line.step)
        if n in wanted:
            found[n] = line.text
        if n <= min(wanted):
            break
    lines = [sentence(referee.game, referee.setup, found[n]) for n in sorted(found)]
    return " ".join(lines) or phrase(sentences.UNDO_SECRET)
