"""How a trick-taking match begins and ends."""

from __future__ import annotations

from companion.cards import Card
from companion.core.match import end_match
from companion.core.setup import Setup
from companion.core.state import evolve, move_to
from companion.games.tricks.state import REVOKES, Law, TricksState
from companion.phrases import N_


def unplayed(law: Law, setup: Setup, deck: tuple[Card, ...]) -> TricksState:
    """The state before the first event of a session."""
    count = len(setup.players)
    state = TricksState.fresh(
        setup,
        law=law,
        deck=deck,
        passes=(None,) * count,
        pass_events=(0,) * count,
        bids=(None,) * count,
    )
    return dealt(state)


def dealt(state: TricksState) -> TricksState:
    """A fresh match with its number of cards; nobody is to move where a card decides who leads."""
    state = evolve(state, size=state.law.cards_each(state))
    waits = state.law.first_card(state) is not None
    return move_to(state, None) if waits else state


def leaders(state: TricksState, scores: tuple[int, ...]) -> tuple[int, ...]:
    """Seats that lead: those with the most points, or with the fewest where those win."""
    best = min(scores) if state.law.info.low_wins else max(scores)
    return tuple(seat for seat, score in enumerate(scores) if score == best)


def finish(state: TricksState) -> TricksState:
    """Scores the match, and ends the session's game where its target is reached."""
    points, reasons = state.law.score(state)
    scores = tuple(a + b for a, b in zip(state.table.scores, points, strict=True))
    over = state.law.is_over(state, scores)
    kept = state.law.kept(state)
    reasons = (*_penalties(state), *reasons)
    if over:
        reasons = (*reasons, _verdict(state, scores))
    return end_match(
        evolve(state, kept=kept),
        *reasons,
        winners=leaders(state, scores) if over else (),
        match_winners=leaders(state, points),
        points=dict(enumerate(points)),
        over=over,
    )


def _penalties(state: TricksState) -> tuple[str, ...]:
    """What revokes cost, a sentence each."""
    if state.setup.options.get(REVOKES.name) != "three":
        return ()
    text = N_("{name}'s revoke in trick {trick} costs three tricks, if there are so many.")
    return tuple(state.phrase(text, name=limit.seat, trick=limit.trick) for limit in state.revokes)


def _verdict(state: TricksState, scores: tuple[int, ...]) -> str:
    """Who wins the session's game."""
    best = leaders(state, scores)
    text = (
        N_("{names} wins the game with {points}.")
        if len(best) == 1
        else N_("{names} win the game with {points}.")
    )
    return state.phrase(text, names=best, points=scores[best[0]])


def agreed(state: TricksState) -> TricksState:
    """All agreed to stop: who leads after the matches that were played out wins."""
    played = state.table.match - (0 if state.table.match_over else 1)
    best = leaders(state, state.table.scores) if played else ()
    kept = state.table.match_winners if state.table.match_over else ()
    return end_match(state, N_("All agreed to stop."), winners=best, match_winners=kept)
