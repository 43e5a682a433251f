"""What Missing Persons' coach says: what to ask, what to turn over, when to guess.

The game is a race: after a Yes the asker asks again, after a No the other player does, and a guess
ends it. A Yes also lets the asker draw onto turned-over places, and a card that is seen cannot be
the missing person; so all suspects are turned over before a question. A player who knows the card
guesses it at once, in the other's turn too, so a question that leaves one candidate for either
answer wins. With n candidates for the mover, m for the other player and P cards in the pile, the
mover's chance to win is about

    V(n, m, P) = max(1/n, max over k < n of k/n · Y(k, m, P) + (n − k)/n · N(n − k, m))

over the numbers k of candidates for which the answer would be Yes. Y is the mean of V(k', m',
P − d) over what d cards drawn can leave of k and m; N is 1 − V(m, n − k, P). V is 1 if n is 1 (the
mover is quicker where both know), else 0 if m is 1. Without a pile a turn's end forces both to
guess. A question whose answer is known tells nothing and is never asked: leaving out one candidate
brings the cards of a Yes as well, and a No to it wins. Who waits has 1 − V, the two counts changed
over.

Both are taken to play so. Then V is what happens: in 228 matches that went on from some even
questions it was 90 % on average, and the mover won 91 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb

import numpy as np

from companion.cards import Card
from companion.games.missing_persons.bots import middle
from companion.games.missing_persons.engine.facts import PersonKnowledge, knowledge_of
from companion.games.missing_persons.engine.solve import QuestionValue, best_question, candidates
from companion.games.missing_persons.state import MissingState
from companion.notepad.base import Advice
from companion.phrases import N_, about, joined, percent, phrase

#: Number of candidates with which the race is reckoned at most: so many are open at the start.
_MOST = 33


def race(own: int, other: int, pile: int, drawn: int) -> tuple[float, int]:
    """The mover's chance to win, and the number of candidates to ask for; 0 means to guess.

    Args:
        own: the mover's candidates, at least 1.
        other: the other player's, at least 1.
        pile: cards left in the pile.
        drawn: cards that a Yes brings, as far as the pile goes.
    """
    values, choices = _races(pile, drawn)
    own, other = min(_MOST, own), min(_MOST, other)
    return values[own][other], choices[own][other]


@cache
def _races(pile: int, drawn: int) -> tuple[list[list[float]], list[list[int]]]:
    """All races with so many cards in the pile: by both numbers of candidates V, and the k."""
    size = range(_MOST + 1)
    values = [[float(own == 1) for _ in size] for own in size]
    choices = [[0 for _ in size] for _ in size]
    count = min(pile, drawn)
    after = values
    if count:
        kept = np.array([_kept(own, pile, count) for own in size])
        after = (kept @ np.array(_races(pile - count, drawn)[0]) @ kept.T).tolist()
    # Questions leave fewer candidates, so fewer come first.
    for total in range(4, 2 * _MOST + 1):
        for own in range(max(2, total - _MOST), min(_MOST, total - 2) + 1):
            other = total - own
            best, choice = 1 / own, 0
            for yes in _sizes(own):
                rest = own - yes
                no = 1 - values[other][rest] if pile else _forced(rest, other)
                value = (yes * after[yes][other] + rest * no) / own
                if value > best + 1e-9:
                    best, choice = value, yes
            values[own][other], choices[own][other] = best, choice
    return values, choices


def _sizes(own: int) -> list[int]:
    """The numbers of candidates worth asking for: some shares, and nearly all of them."""
    shares = {1, own // 4, own // 3, own // 2, 2 * own // 3, 3 * own // 4, own - 2, own - 1}
    return sorted(size for size in shares if 0 < size < own)


def _kept(own: int, pile: int, count: int) -> list[float]:
    """How likely each number of candidates is once so many cards of the pile are drawn.

    All candidates but the right one lie in the pile.
    """
    inside = min(max(0, own - 1), pile)
    ways = [comb(pile - count, left) * comb(count, inside - left) for left in range(inside + 1)]
    return [0.0, *(way / comb(pile, inside) for way in ways), *[0.0] * (_MOST - inside - 1)]


def _forced(own: int, other: int) -> float:
    """Both guess: one right wins, both right or both wrong is taken as even."""
    mine, theirs = 1 / own, 1 / other
    return mine * (1 - theirs) + (mine * theirs + (1 - mine) * (1 - theirs)) / 2


def other_count(state: MissingState, viewer: int, left: Sequence[Card]) -> int:
    """About how many candidates the opponent has for the viewer's missing person.

    The opponent's own card, which the viewer cannot see, is none of them.

    Args:
        state: as the viewer knows it.
        viewer: a player.
        left: what that card can be, at least one.
    """
    known = candidates(knowledge_of(state, viewer, told=False))
    return round(len(known) - len(set(left) & set(known)) / len(left))


def draws(state: MissingState, viewer: int) -> int:
    """How many cards a Yes can bring when all suspects are turned over first."""
    spots = len(state.displays[viewer])
    return min(1, spots) if state.setup.options["draw"] == "one" else spots


def plan(
    state: MissingState, viewer: int, knowledge: PersonKnowledge
) -> tuple[float, QuestionValue | None]:
    """The chance to win the race, and the question to ask; None means to guess.

    Out of turn it is what one asks when the turn has come, and the chance of the one who waits.
    """
    left = candidates(knowledge)
    guessed = best_guess(state, left)[1]
    own = len({c.identity for c in left})
    if own < 2 or state.forced:
        return guessed, None
    # Whoever knows the card has guessed it: the other still has two candidates or more.
    other, pile = max(2, other_count(state, viewer, left)), max(0, state.pile)
    value, yes = race(own, other, pile, draws(state, viewer))
    found = best_question(knowledge, yes=round(yes * len(left) / own)) if yes else None
    if found is None or guessed >= value:
        return guessed, None
    if state.table.to_move != viewer:
        value = 1 - race(other, own, pile, draws(state, 1 - viewer))[0]
    return value, found


def likeliest(left: tuple[Card, ...]) -> tuple[Card, float]:
    """The identity to guess and its chance: jokers count twice, among equals one of middle rank.

    Args:
        left: the candidates, at least one.
    """
    everyone = [card.identity for card in left]
    most = max(map(everyone.count, everyone))
    found = middle([card for card in dict.fromkeys(everyone) if everyone.count(card) == most])
    return found, most / len(left)


def best_guess(state: MissingState, left: tuple[Card, ...]) -> tuple[Card, float]:
    """The identity to guess now and its chance: the likeliest, or the closest where all must guess.

    A joker named in error is as far off as a card can be. So where everybody has to guess, and the
    closer one wins, the joker is named only if the jokers are half of the candidates or more.
    """
    ranked = [card for card in left if not card.is_joker]
    if not state.forced or 2 * len(ranked) <= len(left):
        return likeliest(left)
    return middle(ranked), 1 / len(left)


def advise(state: MissingState, viewer: int, knowledge: PersonKnowledge) -> Advice:
    """The advice for what the viewer does next."""
    if state.table.match_over or state.guesses[viewer] is not None:
        return Advice("There is nothing left to decide in this match.")
    even = best_question(knowledge)
    chance, bold = plan(state, viewer, knowledge)
    card, sure = best_guess(state, candidates(knowledge))
    excluded = state.ruled_out(viewer)
    turn = (
        phrase(" Turn over {c}: ruled out.", c=" ".join(c.code for c in excluded))
        if excluded
        else ""
    )
    if bold is not None and not _settles(bold) and state.pile and state.suspects(viewer):
        turn = N_(" Turn all your suspects over first: a Yes then shows most cards.")
    numbers = {
        "win": chance,
        "guess": {"card": card.code, "p": sure},
        "question": _as_dict(even),
        "bold": _as_dict(bold),
        "turn": [c.code for c in excluded],
    }
    if bold is None:
        text = phrase(
            "Guess {likeliest}: right with a chance of {sure}",
            likeliest=card.code,
            sure=percent(sure),
        )
        rest = "." if even is None or state.forced else N_(", better than letting the other go on.")
        text = joined("", (text, rest, turn))
        return Advice(text, f"guess {card.code}", numbers)
    ask = N_("Ask “{text}”: the answer is Yes with a chance of {yes}.")
    later = N_("In your turn, ask “{text}”: the answer is Yes with a chance of {yes}.")
    text = phrase(
        ask if state.table.to_move == viewer else later,
        text=bold.question.text,
        yes=percent(bold.yes),
    )
    race_text = phrase(
        " You win with a chance of {chance} if both play on so and guess as soon as they know.",
        chance=about(chance),
    )
    text = joined("", (text, race_text, _then(knowledge, bold)))
    if even is not None and even.bits > bold.bits + 1e-9:
        more = phrase(" The question that tells most is “{text}”.", text=even.question.text)
        text = joined("", (text, more))
    return Advice(joined("", (text, turn)), f'ask "{bold.question.text}"', numbers)


def _settles(value: QuestionValue) -> bool:
    """Whether one candidate is left whatever the answer."""
    return value.finish > 1 - 1e-9


def _then(knowledge: PersonKnowledge, value: QuestionValue) -> str:
    """When to guess as soon as the answer is heard."""
    if _settles(value):
        return N_(
            " One card is left whatever the answer: guess it at once, in the other's turn too."
        )
    after_no = {c.identity for c in candidates(knowledge) if not value.question.answer(c)}
    if len(after_no) != 1:
        return ""
    return phrase(
        " After a No only {card} is left: guess it at once, in the other's turn.",
        card=next(iter(after_no)).code,
    )


def _as_dict(value: QuestionValue | None) -> dict[str, object] | None:
    if value is None:
        return None
    return {
        "text": value.question.text,
        "yes": value.yes,
        "bits": value.bits,
        "finish": value.finish,
    }
