"""What Missing Persons' coach says: what to ask, what to turn over, when to guess.

The game is a race: after a Yes one asks again, after a No the other does, and a guess ends it. A
Yes also lets the asker draw onto turned-over places, and every card that is seen is no missing
person any more; so all suspects are turned over before a question, and a question whose answer is
surely Yes can be worth its turn for the cards alone. With n candidates of one's own, m of the other
player's and P cards in the pile the mover's chance to win is about

    V(n, m, P) = max(1/n, max over k of k/n · V(k', m', P − d) + (n − k)/n · (1 − V(m, n − k, P)))

over the numbers k of candidates for which the answer would be Yes; d cards are then drawn, and k'
and m' are what these leave on average of k and m. Without a pile a turn's end forces both to guess.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from companion.cards import SUITS, Card
from companion.games.missing_persons.knowledge import knowledge_of
from companion.games.missing_persons.state import MissingState
from companion.notepad.missing_persons import (
    PersonKnowledge,
    QuestionValue,
    best_question,
    candidates,
    question_value,
)
from companion.notepad.pad import Advice
from companion.phrases import joined, phrase
from companion.questions import tapped, why_not_plain

#: More candidates than that change little; the race is reckoned with so many.
_MOST = 30


@lru_cache(maxsize=200_000)
def race(own: int, other: int, pile: int, drawn: int) -> tuple[float, int]:
    """The mover's chance to win, and the number of candidates to ask for; 0 means to guess.

    Args:
        own: the mover's candidates, at least 1.
        other: the other player's, at least 1.
        pile: cards left in the pile.
        drawn: cards that a Yes brings, as far as the pile goes.
    """
    best, choice = 1 / own, 0
    for yes in _sizes(own, sure=bool(pile and drawn)):
        after_no = 0.0
        if yes < own:
            after_no = 1 - race(other, own - yes, pile, drawn)[0] if pile else _forced(own, other)
        value = (yes * _after_yes(yes, other, pile, drawn) + (own - yes) * after_no) / own
        if value > best + 1e-9:
            best, choice = value, yes
    return best, choice


def _sizes(own: int, *, sure: bool) -> list[int]:
    """The numbers of candidates worth asking for: some shares, and nearly all of them."""
    shares = {1, own // 4, own // 3, own // 2, 2 * own // 3, 3 * own // 4, own - 2, own - 1}
    found = sorted(size for size in shares if 0 < size < own)
    return [*found, own] if sure and own > 1 else found


def _after_yes(yes: int, other: int, pile: int, drawn: int) -> float:
    """The mover's chance after a Yes, once the cards are drawn."""
    count = min(pile, drawn)
    kept = 1 - count / pile if count else 1.0
    # All candidates but the right one lie in the pile.
    thinned = round((yes - 1) * kept) + 1
    return race(thinned, round((other - 1) * kept) + 1, pile - count, drawn)[0]


def _forced(own: int, other: int) -> float:
    """Both guess: one right wins, both right or both wrong is taken as even."""
    mine, theirs = 1 / own, 1 / other
    return mine * (1 - theirs) + (mine * theirs + (1 - mine) * (1 - theirs)) / 2


def other_count(state: MissingState, viewer: int) -> int:
    """How many candidates the opponent has for the viewer's missing person, as the viewer counts.

    The opponent's own card, which the viewer cannot see, is none of them.
    """
    return max(1, len(candidates(knowledge_of(state, viewer, told=False))) - 1)


def sure_question(left: tuple[Card, ...]) -> QuestionValue | None:
    """A legal question of which Yes is the answer for every candidate that is no joker.

    It leaves out two neighbouring ranks of a suit, or of a colour, that are no candidates.
    """
    held = {(c.suit, c.rank) for c in left}
    for suit in SUITS:
        for low, high in pairwise(range(1, 14)):
            if (suit, low) in held or (suit, high) in held:
                continue
            question = ~tapped(suits=suit, ranks={low, high})
            if why_not_plain(question) is None:
                knowledge = PersonKnowledge(deck=left)
                return question_value(knowledge, question)
    return None


def draws(state: MissingState, viewer: int) -> int:
    """How many cards a Yes can bring when all suspects are turned over first."""
    spots = len(state.displays[viewer])
    return min(1, spots) if state.setup.options["draw"] == "one" else spots


def plan(
    state: MissingState, viewer: int, knowledge: PersonKnowledge
) -> tuple[float, QuestionValue | None]:
    """The chance to win the race, and the question to ask; None means to guess."""
    left = candidates(knowledge)
    identities = {c.identity for c in left}
    if len(identities) == 1 or state.forced:
        return 1 / max(1, len(identities)), None
    own, other = min(_MOST, len(left)), min(_MOST, other_count(state, viewer))
    value, yes = race(own, other, max(0, state.pile), draws(state, viewer))
    if not yes:
        return value, None
    if yes >= own:
        sure = sure_question(left)
        if sure is not None:
            return value, sure
        yes = own - 1
    return value, best_question(knowledge, yes=round(yes * len(left) / own))


def advise(state: MissingState, viewer: int, knowledge: PersonKnowledge) -> Advice:
    """The advice for what the viewer does next."""
    if state.table.match_over or state.guesses[viewer] is not None:
        return Advice("There is nothing left to decide in this match.")
    left = candidates(knowledge)
    identities = list(dict.fromkeys(c.identity for c in left))
    even = best_question(knowledge)
    chance, bold = plan(state, viewer, knowledge)
    likeliest = identities[len(identities) // 2]
    sure = sum(c.identity is likeliest for c in left) / len(left)
    excluded = state.ruled_out(viewer)
    turn = (
        phrase(" Turn over {c}: ruled out.", c=" ".join(c.code for c in excluded))
        if excluded
        else ""
    )
    if bold is not None and state.pile and state.suspects(viewer):
        turn = " Turn all your suspects over first: a Yes then shows most cards."
    numbers = {
        "win": chance,
        "guess": {"card": likeliest.code, "p": sure},
        "question": _as_dict(even),
        "bold": _as_dict(bold),
        "turn": [c.code for c in excluded],
    }
    if bold is None:
        text = phrase(
            "Guess {likeliest}: right with chance {sure:.3f}", likeliest=likeliest.code, sure=sure
        )
        rest = "." if len(identities) == 1 else ", better than letting the other go on."
        text = joined("", (text, rest, turn))
        return Advice(text, f"guess {likeliest.code}", numbers)
    text = phrase(
        "Ask “{text}”: Yes with chance {yes:.3f}, {bits:.2f} bits, settled with "
        "chance {finish:.3f}; the race is won with about {chance:.3f}.",
        text=bold.question.text,
        yes=bold.yes,
        bits=bold.bits,
        finish=bold.finish,
        chance=chance,
    )
    if even is not None and even.bits > bold.bits + 1e-9:
        more = phrase(
            " The most even question is “{text}” ({bits:.2f} bits).",
            text=even.question.text,
            bits=even.bits,
        )
        text = joined("", (text, more))
    return Advice(joined("", (text, turn)), f'ask "{bold.question.text}"', numbers)


def _as_dict(value: QuestionValue | None) -> dict[str, object] | None:
    if value is None:
        return None
    return {
        "text": value.question.text,
        "yes": value.yes,
        "bits": value.bits,
        "finish": value.finish,
    }
