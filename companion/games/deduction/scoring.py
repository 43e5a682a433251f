"""Announcements, their verdicts, looks at the missing tile, and how a match ends."""

from __future__ import annotations

from companion.cards import Card
from companion.core.events import Event
from companion.core.setup import Setup
from companion.core.state import evolve, fresh_table, next_table, put, say
from companion.errors import IllegalError
from companion.games.deduction import audit
from companion.games.deduction.rules import next_turn, verify_done
from companion.games.deduction.state import Announcement, DeductionState, Peek
from companion.games.deduction.tiles import verify_tiles
from companion.phrases import phrase


def start(
    setup: Setup, deck: tuple[Card, ...], before: DeductionState | None, starter: int
) -> DeductionState:
    """The state at the start of a match, the first one or the next of a session."""
    count = len(setup.players)
    if len(deck) <= count:
        raise IllegalError(
            phrase(
                "{count} tiles are too few for {count2} hands and a missing tile.",
                count=len(deck),
                count2=count,
            )
        )
    table = fresh_table(setup)
    if before is not None:
        table = next_table(before.table, starter)
    state = DeductionState(
        setup=setup,
        table=table,
        hands=(None,) * count,
        held=(None,) * count,
        deck=deck,
        hand_events=(0,) * count,
        turned=(0,) * count,
    )
    if before is None:
        return state
    state = evolve(state, findings=before.findings, disclosed=before.disclosed)
    return say(
        state,
        phrase(
            "Match {match}: {name} draws first.", match=table.match, name=setup.players[starter]
        ),
    )


def verify_announce(state: DeductionState, event: Event) -> None:
    """After the question was answered, one particular tile."""
    verify_done(state, event)
    tile = event.args[0]
    if not tile.is_known:
        raise IllegalError("Announce one particular tile, with its value and its suit.")
    verify_tiles(state, (tile,))
    if tile in (state.up or ()):
        raise IllegalError(
            phrase(
                "The {tile} lies face up, so it is not the missing tile: announce another.",
                tile=tile.name,
            )
        )


def apply_announce(state: DeductionState, event: Event) -> DeductionState:
    """Notes the announcement; the table says whether it is right."""
    assert event.seat is not None
    tile = event.args[0]
    item = Announcement(event.n, event.seat, tile)
    state = evolve(state, announcements=(*state.announcements, item))
    name = state.setup.players[event.seat]
    return say(
        state,
        phrase(
            "{name} announces that the {tile} is missing, and may peek.", name=name, tile=tile.name
        ),
    )


def trusted_verdict(state: DeductionState) -> bool | None:
    """Whether the announced tile is the missing one, from tiles turned up and trusted hands.

    Returns:
        None if these do not settle it.
    """
    item = state.announced
    if item is None:
        return None
    located = set(state.up or ())
    for seat, trusted in enumerate(state.setup.trusted):
        if trusted:
            located |= set(state.hands[seat] or ())
    if item.tile in located:
        return False
    rest = [tile for tile in state.deck if tile not in located]
    return True if rest == [item.tile] else None


def verify_verdict(state: DeductionState, event: Event) -> None:
    """On an announcement; not against what trusted hands settle."""
    if state.announced is None:
        raise IllegalError("Nothing was announced.")
    truth = trusted_verdict(state)
    if truth is not None and truth != (event.verb == "right"):
        said = "wrong" if event.verb == "right" else "right"
        if not any(state.setup.trusted):
            raise IllegalError(phrase("By the tiles that lie face up, it is {said}.", said=said))
        raise IllegalError(
            phrase("By the hands that the referee was trusted with, it is {said}.", said=said)
        )


def apply_verdict(state: DeductionState, event: Event) -> DeductionState:
    """Right wins; wrong is out, and the turn ends."""
    item = state.announced
    assert item is not None
    right = event.verb == "right"
    item = evolve(item, verdict=event.n, right=right)
    state = evolve(state, announcements=(*state.announcements[:-1], item))
    before = len(state.findings)
    state = audit.check_missing(state, event.n)
    if len(state.findings) == before:
        words = phrase(
            "{tile} as {word}the missing tile ({n})",
            tile=item.tile.code,
            word="" if right else "not ",
            n=event.n,
        )
        state = audit.check_facts(state, event.n, words)
    name = state.setup.players[item.by]
    if right:
        return _win(
            state,
            item.by,
            phrase(
                "{name} is right: the {tile} is the missing tile.", name=name, tile=item.tile.name
            ),
        )
    state = evolve(state, out=state.out | {item.by})
    state = say(state, phrase("{name} is wrong and asks no more, but still answers.", name=name))
    left = [seat for seat in range(len(state.setup.players)) if seat not in state.out]
    if len(left) == 1 and state.setup.is_on("last_one_wins"):
        last = state.setup.players[left[0]]
        return _win(state, left[0], phrase("All but {last} have announced wrongly.", last=last))
    if not left:
        return finish(state, "All have announced wrongly: nobody wins.", ())
    return next_turn(state)


def verify_peek(state: DeductionState, event: Event) -> None:
    """Only who announced looks at the missing tile, once."""
    assert event.seat is not None
    name = state.setup.players[event.seat]
    if all(item.by != event.seat for item in state.announcements):
        raise IllegalError(phrase("{name} has announced nothing, so may not peek.", name=name))
    if any(peek.by == event.seat for peek in state.peeks):
        raise IllegalError(
            phrase("{name}'s peek is recorded already; correct that event instead.", name=name)
        )
    verify_tiles(state, (event.args[0],))


def apply_peek(state: DeductionState, event: Event) -> DeductionState:
    """A look at the missing tile."""
    assert event.seat is not None
    tile = None if event.hidden else event.args[0]
    state = evolve(state, peeks=(*state.peeks, Peek(event.n, event.seat, tile)))
    state = say(
        state, phrase("{name} peeks at the missing tile.", name=state.setup.players[event.seat])
    )
    if tile is None or not tile.is_known:
        return state
    before = len(state.findings)
    state = audit.check_missing(state, event.n)
    if len(state.findings) > before:
        return state
    return audit.check_facts(
        state, event.n, phrase("{tile} as the missing tile ({n})", tile=tile.code, n=event.n)
    )


def _win(state: DeductionState, seat: int, why: str) -> DeductionState:
    scores = put(state.table.scores, seat, state.table.scores[seat] + 1)
    state = evolve(state, table=evolve(state.table, scores=scores))
    return finish(state, why, (seat,))


def finish(state: DeductionState, why: str, winners: tuple[int, ...]) -> DeductionState:
    """Ends the match with or without a winner."""
    names = state.setup.players
    reasons = [why]
    reasons += [
        phrase("{name} had announced the {tile} wrongly.", name=names[item.by], tile=item.tile.name)
        for item in state.announcements
        if item.verdict and not item.right
    ]
    if winners:
        asked = sum(question.by == winners[0] for question in state.questions)
        plural = "question" if asked == 1 else "questions"
        reasons.append(
            phrase(
                "{name} wins after {asked} {plural} of {count}.",
                name=names[winners[0]],
                asked=asked,
                plural=plural,
                count=len(state.questions),
            )
        )
    table = evolve(
        state.table,
        match_over=True,
        over=True,
        to_move=None,
        winners=winners,
        match_winners=winners,
        reasons=tuple(reasons),
    )
    return say(evolve(state, table=table), *reasons)
