"""How a match of Gotcha begins and ends, what guesses score, and what is said about it."""

from __future__ import annotations

from companion.core.game import without_jokers
from companion.core.match import end_match
from companion.core.setup import Setup
from companion.errors import IllegalError
from companion.games.gotcha.state import GotchaState, Guess, read_deal
from companion.phrases import N_, phrase

#: What a right guess scores besides the card's distance from its end.
_BASE_POINTS = 3


def initial(setup: Setup) -> GotchaState:
    """The state at the start of a session."""
    dealt, discarded = read_deal(setup.options["deal"])
    count = len(setup.players)
    cards = len(without_jokers(setup))
    if dealt * count > cards:
        raise IllegalError(
            "{count} hands of {dealt} cards cannot be dealt from {cards} cards.",
            count=count,
            dealt=dealt,
            cards=cards,
        )
    return GotchaState.fresh(
        setup,
        dealt=dealt,
        discarded=discarded,
        aside=(None,) * count,
        aside_events=(0,) * count,
        points=(0,) * count,
        turned=(0,) * count,
    )


def points_for(guess: Guess) -> int:
    """What an answered guess scores.

    Right: 3 + min(x, N+1-x), one more with a Gotcha; with a Gotcha on an end card (an option) one
    less instead. Wrong: nothing, with a Gotcha -min(x, N+1-x).
    """
    if not guess.right:
        return -guess.depth if guess.called else 0
    return _BASE_POINTS + guess.depth + (_for_gotcha(guess) if guess.called else 0)


def _for_gotcha(guess: Guess) -> int:
    """What a right Gotcha adds; called on an end card it takes away."""
    return -1 if guess.depth == 1 else 1


def told_points(state: GotchaState, guess: Guess) -> str:
    """What an answered guess scores and why, in a sentence; empty where it scores nothing."""
    points = points_for(guess)
    if not points:
        return ""
    if not guess.right:
        return state.phrase(
            "{name} loses {points} point: as much as the place counts from the end."
            if points == -1
            else "{name} loses {points} points: as many as the place counts from the end.",
            name=guess.by,
            points=-points,
        )
    text = N_("{name} gets {points} points: {base} for the guess, {depth} for its place.")
    if guess.called:
        text = (
            N_(
                "{name} gets {points} points: {base} for the guess, {depth} for its place, "
                "1 for Gotcha."
            )
            if _for_gotcha(guess) > 0
            else N_(
                "{name} gets {points} points: {base} for the guess, {depth} for its place, "
                "1 less for Gotcha on an end card."
            )
        )
    fields = {"points": points, "base": _BASE_POINTS, "depth": guess.depth}
    return state.phrase(text, name=guess.by, **fields)


def _player_reason(state: GotchaState, seat: int) -> str:
    """What a player scored in the match, guess by guess."""
    made = [guess for guess in state.guesses if guess.by == seat and guess.answer]
    right = sum(guess.right for guess in made)
    text = N_("{right} of {count} guesses right")
    tally = phrase(text, right=right, count=len(made)) if made else N_("no guess")
    text = N_("{name}: {tally}, {number} points.")
    return state.phrase(text, name=seat, tally=tally, number=_number(state.points[seat]))


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"−{-value}"


def verdict(state: GotchaState) -> str:
    """Who has the most points of the match."""
    best, most = _top(state.points), _number(max(state.points))
    if len(best) > 1:
        return state.phrase("{names} draw with {number}.", names=best, number=most)
    second = max(points for seat, points in enumerate(state.points) if seat not in best)
    text = N_("{name} wins with {number} over {number2}.")
    return state.phrase(text, name=best[0], number=most, number2=_number(second))


def _top(points: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(seat for seat, value in enumerate(points) if value == max(points))


def finish(state: GotchaState, why: str) -> GotchaState:
    """Ends the match: the highest score wins, ties are shared."""
    reasons = [why, *(_player_reason(state, seat) for seat in range(len(state.points)))]
    reasons.append(verdict(state))
    table = state.table
    if table.match > 1:
        scores = ", ".join(
            f"{name} {_number(score)}"
            for name, score in zip(state.setup.players, table.scores, strict=True)
        )
        reasons.append(phrase("After {match} matches: {scores}.", match=table.match, scores=scores))
    return end_match(state, *reasons, winners=_top(table.scores), match_winners=_top(state.points))
