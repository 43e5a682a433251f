"""What is going on and what may be done now, in words: one sentence, and steps to choose from.

Every interface uses it: the terminal's prompt, the table of the app, a player's own phone. A game
may provide it in `Game.guidance`; otherwise `guidance_of_any` works it out from the game's verbs.

It is made from one viewer's view. The headline and every public step follow from what everybody
knows, even if the viewer knows more: the presence or absence of a button would reveal a secret. A
secret step of the viewer's own may follow from what the viewer knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companion.cards import Card
from companion.core.events import Event
from companion.core.setup import Setup


class NeedKind(StrEnum):
    """How a step's missing part is asked for."""

    CARD = "card"
    CARDS = "cards"
    PLAYER = "player"
    PLAYERS = "players"
    NUMBER = "number"
    RANK = "rank"
    CHOICE = "choice"
    POSITION = "position"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that a step still needs.

    Attributes:
        kind: how to ask for it.
        title: what it is, in words: “the card drawn”.
        candidates: what can be chosen, in order; empty for free text.
        count: how many cards are needed; 0 if any number will do.
        words: each candidate as the step's sentence says it; empty where its name will do.
        usual: the candidate that a sentence begins with; None if it is chosen first.
    """

    kind: NeedKind
    title: str
    candidates: tuple[Any, ...] = ()
    count: int = 1
    words: tuple[str, ...] = ()
    usual: Any = None


#: Blanks are characters that no language uses: a translation puts them in its own order.
_FIRST_BLANK = 0xE000
_MOST_BLANKS = 16


def blank(number: int) -> str:
    """The place in a sentence of the need with a number, from 0."""
    return chr(_FIRST_BLANK + number)


def split_at_blanks(sentence: str) -> tuple[str | int, ...]:
    """A sentence as the texts between its blanks, and each blank as the number of its need."""
    parts: list[str | int] = []
    for letter in sentence:
        number = ord(letter) - _FIRST_BLANK
        if 0 <= number < _MOST_BLANKS:
            parts.append(number)
        elif parts and isinstance(parts[-1], str):
            parts[-1] += letter
        else:
            parts.append(letter)
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class On:
    """A thing on the table by which a step can be taken.

    Attributes:
        zone: name of its zone.
        card: the card there that it is about; None for a place or for the zone.
        index: the place in the zone, from 0; None for the whole zone.
        is_end: the free place after the zone's last card.
    """

    zone: str
    card: Card | None = None
    index: int | None = None
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """Something that may be done now.

    Attributes:
        title: it in plain words, as on a button.
        verb: the verb's name.
        seat: whose act it is, None for the table's.
        audience: the seats that may know what it says; None if it is public.
        commits: whether it cannot be taken back, so that it is confirmed first.
        answers: whether it is one of several answers, such as Yes and No, or of what each player
            may turn out to do. All are equal: no screen favours one of them.
        needs: what it still needs, in the order of the verb's form.
        on: things on the table that it can be done on.
        event: the whole event if nothing is needed, else an example of one that is allowed.
        example: the event as a line of a match that may be typed as it stands.
        is_rare: whether it stands behind “More” although it may be done in the turn.
        sentence: the act as a sentence with a blank for each need (`blank`); empty where the title
            and what is needed say it.
    """

    title: str
    verb: str
    seat: int | None
    audience: frozenset[int] | None = None
    commits: bool = False
    answers: bool = False
    needs: tuple[Need, ...] = ()
    on: tuple[On, ...] = ()
    event: Event | None = None
    example: str | None = None
    sentence: str = ""
    is_rare: bool = False

    @property
    def secret(self) -> bool:
        """Whether it is entered behind a cover."""
        return self.audience is not None


@dataclass(frozen=True, slots=True)
class Guidance:
    """What a viewer should know about a moment.

    Attributes:
        headline: what is going on and what is waited for, one sentence.
        waiting: the seats that play waits for, None among them for the table as a whole.
        steps: what may be done; the first one is what play waits for.
    """

    headline: str
    waiting: tuple[int | None, ...]
    steps: tuple[Step, ...]

    @property
    def due(self) -> tuple[Step, ...]:
        """Secret entries that play waits for (predictions, hands), each player's."""
        first = self.steps[0] if self.steps else None
        if first is None or not first.secret:
            return ()
        return tuple(step for step in self.steps if step.secret and step.verb == first.verb)

    @property
    def is_for_all(self) -> bool:
        """Whether nobody in particular is waited for."""
        return None in self.waiting


def tell(guidance: Guidance, setup: Setup) -> list[str]:
    """The lines of a terminal: the headline with the line to type, then the further steps.

    Args:
        guidance: what is going on.
        setup: the players' names.

    Returns:
        The prompt first, then a line a further step.
    """
    first, *others = guidance.steps or (None,)
    lines = [guidance.headline if first is None else f"{guidance.headline} {_typed(first)}"]
    if first is not None and (other := _other_answer(first, others)) is not None:
        # One alone would read as an order, and a newcomer would type what is not so.
        lines[0] += f" or {other.example}"
    for step in others:
        assert step is not None
        alone = (
            "" if not step.secret or step.seat is None else f"{setup.players[step.seat]} alone: "
        )
        lines.append(f"{alone}{step.title}. {_typed(step)}".rstrip())
    return lines


def _other_answer(first: Step, others: Sequence[Step]) -> Step | None:
    """The next step that may be taken as well, if neither needs anything more."""
    if first.needs or first.secret or first.seat is None:
        return None
    return next(
        (
            step for step in others
            if (step.seat == first.seat or (first.answers and step.answers))
            and step.example and not (step.needs or step.secret)
        ),
        None,
    )  # fmt: skip


def _typed(step: Step) -> str:
    """How a step is typed; an example where something is needed that only the players know."""
    if step.example is None:
        return ""
    return f"For example: {step.example}" if step.needs else f"Type: {step.example}"
