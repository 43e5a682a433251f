"""State of a Missing Persons match: displays, questions, answers, guesses."""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card
from companion.core.state import Shown, State, owned_zone
from companion.games.missing_persons.questions.question import Question
from companion.phrases import N_

#: Suspects dealt to each player.
DISPLAY_SIZE = 10
DECK_SIZE = 54
PILE = N_("pile")


def display_zone(seat: int) -> str:
    """Name of the zone of a seat's face-up suspects."""
    return owned_zone(N_("display"), seat)


def turned_zone(seat: int) -> str:
    """Name of the zone of a seat's turned-over suspects and those beneath others."""
    return owned_zone(N_("turned"), seat)


def hideout(seat: int) -> str:
    """Name of the zone of a seat's missing person."""
    return owned_zone(N_("hideout"), seat)


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of a display.

    Attributes:
        card: the card on top.
        up: whether it lies face up; a turned-over one may be covered.
        under: the cards beneath, lowest first.
    """

    card: Card
    up: bool = True
    under: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that waits for its answer.

    Attributes:
        seat: who asked.
        n: the event that asked it.
        text: the asker's words, without quotation marks.
        question: the set of cards, None for a cryptic one.
    """

    seat: int
    n: int
    text: str
    question: Question | None


@dataclass(frozen=True, slots=True)
class Reply:
    """An answered question.

    Attributes:
        asked: the question.
        n: the event that answered it.
        yes: the answer.
    """

    asked: Asked
    n: int
    yes: bool

    @property
    def seat(self) -> int:
        """Who answered."""
        return 1 - self.asked.seat

    def is_true_of(self, person: Card) -> bool | None:
        """Whether it is the true answer of a missing person; None if nobody can tell.

        A joker answers No to everything, cryptic questions too.
        """
        if person.is_joker:
            return not self.yes
        if self.asked.question is None or not person.is_known:
            return None
        return self.asked.question.answer(person) == self.yes


@dataclass(frozen=True, slots=True)
class Guess:
    """A player's one guess.

    Attributes:
        seat: who guessed.
        card: the identity named.
        n: the event that guessed it.
        right: the answer, None while it waits.
        answer_n: the event that answered it.
    """

    seat: int
    card: Card
    n: int
    right: bool | None = None
    answer_n: int = 0

    def is_true_of(self, person: Card) -> bool:
        """Whether the answer fits a missing person."""
        return (self.card is person.identity) == self.right


@dataclass(frozen=True, slots=True)
class Sketch:
    """Suspects that a cryptic answer rules out, as a player noted in private."""

    seat: int
    cards: tuple[Card, ...]
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingState(State):
    """State of a match. `hands` holds the missing persons, as far as they were recorded.

    Attributes:
        displays: by seat the places of the display, empty before the deal.
        hidden: by seat whether a missing person was taken.
        hidden_at: by seat the event that recorded which card it is, 0 if none is known to.
        drawn: cards drawn from the pile.
        asked: the question that waits for its answer.
        replies: all answered questions of this match.
        questions: questions asked in this turn.
        may_draw: whether the last Yes has not been drawn for yet.
        forced: whether the pile is empty and everybody has to guess.
        guesses: by seat.
        shown: by seat the missing person turned up.
        sketches: what was noted of cryptic answers.
        faulted: events that were found false already.
        contradicted: seats whose answers were found to fit no card.
    """

    displays: tuple[tuple[Spot, ...], tuple[Spot, ...]] = ((), ())
    hidden: tuple[bool, ...] = (False, False)
    hidden_at: tuple[int, ...] = (0, 0)
    drawn: int = 0
    asked: Asked | None = None
    replies: tuple[Reply, ...] = ()
    questions: int = 0
    may_draw: bool = False
    forced: bool = False
    guesses: tuple[Guess | None, ...] = (None, None)
    shown: tuple[Shown | None, ...] = (None, None)
    sketches: tuple[Sketch, ...] = ()
    faulted: frozenset[int] = frozenset()
    contradicted: frozenset[int] = frozenset()

    @property
    def deck_size(self) -> int:
        """Cards in the deck."""
        return DECK_SIZE if self.setup.cards is None else len(self.setup.cards)

    @property
    def display_size(self) -> int:
        """Suspects dealt to each player: ten, fewer with a tiny deck."""
        return min(DISPLAY_SIZE, (self.deck_size - 2) // 4)

    @property
    def is_dealt(self) -> bool:
        """Whether both displays lie there."""
        return all(self.displays)

    @property
    def pile(self) -> int:
        """Cards left in the pick-up pile; both missing persons are out of it."""
        return self.deck_size - 2 - sum(map(len, self.displays)) - self.drawn

    def turned(self, seat: int) -> tuple[int, ...]:
        """Places of a display that are turned over, from 0."""
        return tuple(i for i, spot in enumerate(self.displays[seat]) if not spot.up)

    def to_draw(self, seat: int) -> int:
        """How many cards a Yes brings now: one per turned-over place, limited by the pile."""
        wanted = min(len(self.turned(seat)), self.pile)
        return min(wanted, 1) if self.setup.options["draw"] == "one" else wanted

    def suspects(self, seat: int) -> tuple[Card, ...]:
        """The face-up cards of a display, in order."""
        return tuple(spot.card for spot in self.displays[seat] if spot.up)

    def ruled_out(self, seat: int) -> tuple[Card, ...]:
        """A seat's face-up suspects that the other's answers exclude."""
        told = [reply for reply in self.replies if reply.asked.seat == seat]
        return tuple(
            card
            for card in self.suspects(seat)
            if any(reply.is_true_of(card) is False for reply in told)
        )

    def person(self, seat: int) -> tuple[Card, int] | None:
        """A missing person with the event that tells it, as far as the state's owner knows.

        What was turned up counts over what was recorded in private.
        """
        shown = self.shown[seat]
        if shown is not None and shown.cards is not None:
            return shown.cards[0], shown.n
        hand = self.hands[seat]
        return None if hand is None else (hand[0], self.hidden_at[seat])

    def for_scoring(self, seat: int) -> Card | None:
        """The missing person if the referee may score by it: turned up, or trusted to it."""
        shown = self.shown[seat]
        if shown is not None:
            return None if shown.cards is None else shown.cards[0]
        hand = self.hands[seat]
        return hand[0] if hand is not None and self.setup.trusted[seat] else None

    def can_be_scored(self, seat: int) -> bool:
        """Whether the referee may score by the missing person; everybody knows whether it may."""
        return self.shown[seat] is not None or (self.setup.trusted[seat] and self.hidden[seat])

    @property
    def open_guess(self) -> Guess | None:
        """The guess to be answered next; forced guesses wait until both are made."""
        made = [guess for guess in self.guesses if guess is not None]
        if self.forced and len(made) < 2:
            return None
        waiting = [guess for guess in made if guess.right is None]
        return min(waiting, key=lambda guess: guess.n, default=None)

    @property
    def wants_reveal(self) -> tuple[int, ...]:
        """Seats that must turn up their missing person before forced guesses can be compared."""
        answered = [guess is not None and guess.right is False for guess in self.guesses]
        if not self.forced or not all(answered) or self.table.match_over:
            return ()
        return tuple(seat for seat in (0, 1) if not self.can_be_scored(seat))


def require_person(state: MissingState, seat: int) -> None:
    """Refuses to go on before a trusting player's missing person is recorded.

    Raises:
        IllegalError: the seat trusts the referee and has not given the card.
    """
    if state.setup.trusted[seat] and not state.hidden[seat]:
        raise state.illegal(
            "{name} trusts the referee: record “{name}*: hide CARD” first.", name=seat
        )


def require_deal(state: MissingState) -> None:
    """Refuses to play before both displays lie there.

    Raises:
        IllegalError: says whose is missing.
    """
    for seat, spots in enumerate(state.displays):
        if not spots:
            count = state.display_size
            text = N_("{name}'s {count} suspects are dealt first: table: deal {name} CARDS.")
            raise state.illegal(text, name=seat, count=count)


def require_nothing_waits(state: MissingState) -> None:
    """Refuses what must not happen while a question or a guess waits for its answer.

    Raises:
        IllegalError: names who has to answer.
    """
    if state.asked is not None:
        text = N_("{name} has to answer “{text}” first.")
        raise state.illegal(text, name=1 - state.asked.seat, text=state.asked.text)
    guess = state.open_guess
    if guess is not None:
        text = N_("{name} has to say whether the guess {card} is right first.")
        raise state.illegal(text, name=1 - guess.seat, card=guess.card)
