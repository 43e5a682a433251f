"""A match told after it: what stands at its end, and turn by turn what led there.

Everything comes from one viewer's fold of the match, as the gate builds it. What was refused or
taken back is no part of the story; the log beside it has every line that the viewer may read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from companion.cards import Card
from companion.core.audit import audit, audit_view, unchecked, unchecked_in_view
from companion.core.guidance.generic import guidance_of
from companion.core.notation import MatchText, write_event
from companion.core.referee import Referee
from companion.core.replay import EVERYTHING, Replay, ReplayStep
from companion.core.state import MatchTable, State, Zone
from companion.errors import IllegalError
from mobile.model import wording
from mobile.model.rows import lit_places
from mobile.model.scores import Scoreboard, scoreboard
from mobile.resources import texts

#: So many single cards laid one after another are shown as cards, not told one by one.
_RUN = 4


@dataclass(frozen=True, slots=True)
class Told:
    """A part of the story.

    Attributes:
        seat: whose turn it was, None for the table's.
        card: the one card that was laid, where nothing else happened.
        gained: seats that got points by it, each with how many.
    """

    seat: int | None
    text: str
    card: Card | None = None
    gained: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """What one player did before another one did something; or a run of cards laid in turn."""

    seat: int | None
    parts: tuple[Told, ...]

    @property
    def is_run(self) -> bool:
        """Whether it is drawn as cards in a line."""
        return len(self.parts) >= _RUN and all(part.card is not None for part in self.parts)


@dataclass(frozen=True, slots=True)
class Kept:
    """A match as one viewer may keep it.

    Attributes:
        viewer: a seat, None for the public, `EVERYTHING`.
        state: as the viewer knows it.
        headline: who won and how, in a sentence; what is going on while nobody has.
        how: why, a sentence each.
        lit: places that decided it, by the name of where they lie.
        stretches: captions of stretches of the row, each with its first and last card.
        story: for each match of the session its turns.
        faults: sentences on what does not fit.
        unchecked: sentences on what could not be checked.
        log: every line that the viewer may read, with what became of it.
    """

    match: MatchText
    viewer: int | None
    state: State
    headline: str
    how: tuple[str, ...]
    scores: Scoreboard
    winners: tuple[int, ...]
    zones: tuple[Zone, ...]
    lit: dict[str, frozenset[int]]
    stretches: dict[str, tuple[int, int]]
    story: tuple[tuple[Turn, ...], ...]
    faults: tuple[str, ...]
    unchecked: tuple[str, ...]
    log: tuple[ReplayStep, ...]


def kept(match: MatchText, viewer: int | None) -> Kept:
    """What a viewer may keep of a match.

    Args:
        match: what was recorded.
        viewer: a seat or None (the public) for what they may know; `EVERYTHING` for all.

    Raises:
        IllegalError: everything is asked for while a match is running, or there is no such seat.
    """
    replay = Replay(match, viewer)
    log = tuple(replay.steps())
    referee, game, state = replay.referee, match.game, replay.state
    table = state.table
    if viewer == EVERYTHING and not referee.state.table.match_over:
        raise IllegalError(
            "The match is not over: before its end there are only pages of what everybody may "
            "know (--as public) and of one seat's own view (--as NAME)."
        )

    def said(text: str) -> str:
        return wording.without_codes(game, texts.told(text))

    headline = guidance_of(game, referee.view(None)).headline
    # How it ended, without what is said beside it of the secrets by now.
    headline = said(getattr(headline, "fields", {}).get("headline", headline))
    if viewer == EVERYTHING:
        faults, left = audit(referee), unchecked(referee)
    else:
        view = referee.view(viewer)
        faults, left = audit_view(view), unchecked_in_view(game, view)
    return Kept(
        match=match,
        viewer=viewer,
        state=state,
        headline=headline,
        how=tuple(text for text in map(said, table.reasons) if text != headline),
        scores=scoreboard(referee),
        winners=table.winners or (table.match_winners if table.match_over else ()),
        zones=tuple(zone for zone in game.zones(state) if zone.cards),
        lit=dict(lit_places(state)),
        stretches={said(text): place for text, place in game.stretches(state).items()},
        story=_story(referee, viewer),
        faults=tuple(f"{fault.event}. {said(fault.message)}" for fault in faults),
        unchecked=tuple(map(said, left)),
        log=log,
    )


def _story(referee: Referee[Any], viewer: int | None) -> tuple[tuple[Turn, ...], ...]:
    """The standing events, told anew in their order, by matches and turns."""
    matches: dict[int, list[Told]] = {}
    for number, part in _told(referee, viewer):
        matches.setdefault(number, []).append(part)
    return tuple(tuple(_turns(parts)) for parts in matches.values())


def _told(referee: Referee[Any], viewer: int | None) -> Iterator[tuple[int, Told]]:
    """Each standing event that the viewer may know of, with the number of its match."""
    game, setup = referee.game, referee.setup
    before = game.initial(setup).table
    tables: dict[int, tuple[MatchTable, MatchTable]] = {}
    for node in referee.nodes:
        tables[node.event.n] = before, node.state.table
        before = node.state.table
    for event in referee.events if viewer == EVERYTHING else referee.view(viewer).events:
        n = event.n if viewer == EVERYTHING else referee.number_of(viewer, event.n)
        old, new = tables[n]
        changes = enumerate(zip(old.scores, new.scores, strict=True))
        gained = tuple((seat, after - had) for seat, (had, after) in changes if after != had)
        text = wording.told_line(referee, write_event(game, setup, replace(event, comment="")))
        is_card = event.is_public and len(event.args) == 1 and isinstance(event.args[0], Card)
        card = event.args[0] if is_card and event.seat is not None else None
        yield new.match, Told(event.seat, text, card, gained)


def _turns(parts: list[Told]) -> Iterator[Turn]:
    """Runs of cards, and between them what each player did."""
    k = 0
    while k < len(parts):
        end = k
        while end < len(parts) and parts[end].card is not None:
            end += 1
        if end - k < _RUN:
            end = k + 1
            while (
                end < len(parts)
                and parts[end].seat == parts[k].seat
                and not _begins_run(parts, end)
            ):
                end += 1
        yield Turn(parts[k].seat, tuple(parts[k:end]))
        k = end


def _begins_run(parts: list[Told], start: int) -> bool:
    run = parts[start : start + _RUN]
    return len(run) == _RUN and all(part.card is not None for part in run)
