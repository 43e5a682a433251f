"""How a match of a session begins and ends, the same in every game."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.state import StateT, evolve, next_table


def begin_match(fresh: StateT, before: StateT, starter: int) -> StateT:
    """The session's next match.

    Args:
        fresh: the state as at the start of a session.
        before: the state at the end of the last match; its scores, its findings, and what was
            disclosed or stays withheld go on.
        starter: the seat that starts.
    """
    return evolve(
        fresh,
        table=next_table(before.table, starter),
        findings=before.findings,
        disclosed=before.disclosed,
        shared=before.shared,
        disclosed_to=before.disclosed_to,
        withheld=before.withheld,
        handed=before.handed,
    )


def end_match(
    state: StateT,
    *reasons: str,
    winners: tuple[int, ...] = (),
    match_winners: tuple[int, ...] | None = None,
    points: Mapping[int, int] | None = None,
    over: bool = True,
) -> StateT:
    """Ends the match, or settles one that has ended undecided, and says why.

    Args:
        state: before.
        reasons: one sentence each; they follow those given when the match ended undecided.
        winners: seats that win the session's game.
        match_winners: seats that win the match; the same by default.
        points: what seats score by the end of the match.
        over: whether the session's game is over too.
    """
    gained = points or {}
    table = evolve(
        state.table,
        match_over=True,
        over=over,
        to_move=None,
        scores=tuple(score + gained.get(seat, 0) for seat, score in enumerate(state.table.scores)),
        winners=winners,
        match_winners=winners if match_winners is None else match_winners,
        reasons=(*state.table.reasons, *reasons),
    )
    return evolve(state, table=table, remarks=(*state.remarks, *reasons))
