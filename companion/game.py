"""The one shape every game has, so that nothing else knows a game by name.

A game is a module with a state (derived from `companion.state.State`), verbs, and a subclass of
`Game` whose instance is registered. For each kind of action one function says why not
(`Verb.verify`, raising a typed error), `Game.can` says yes or no, and one does it (`Verb.apply`,
pure). Both work on the referee's state and on a viewer's: in a viewer's fold some events are
`hidden` (no arguments), and nothing is verified again, because the referee has accepted them.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol

from companion.cards import Card, Family, of_rank, unknown
from companion.decks import Deck, get_deck
from companion.errors import CompanionError, IllegalError
from companion.events import Event
from companion.phrases import phrase
from companion.setup import GameInfo, Option, Setup, make_setup
from companion.state import StateT, Zone, evolve
from companion.syntax import Form, fits_form, form_label

if TYPE_CHECKING:
    from companion.guidance import Guidance
    from companion.notepad.pad import Notepad
    from companion.sightings import Proposal, Sighting
    from companion.views import View


#: The verb by which a player's cards are recorded; every game has it.
HAND = "hand"
#: The verb by which hidden cards are turned up.
REVEAL = "reveal"
#: The verb that begins the session's next match.
MATCH = "match"


class Who(Enum):
    """Whose act a verb can be."""

    SEAT = auto()
    TABLE = auto()
    ANY = auto()


class Secrecy(Enum):
    """Which audiences a verb can have."""

    PUBLIC = auto()
    PRIVATE = auto()
    SHARED = auto()
    EITHER = auto()


@dataclass(frozen=True, slots=True)
class Verb(Generic[StateT]):
    """One kind of action.

    Attributes:
        name: the word (or two words) it begins with.
        explain: one sentence for help texts.
        forms: what may follow, most specific first; the first that reads is taken.
        verify: raises `IllegalError` (naming the rule) when the event may not happen now.
        apply: the state after it; must cope with `event.hidden` if the verb can be private.
        who: whose act it is.
        secrecy: public, private to its seat, shared by two seats, or public or private.
        late: accepted when the match is over too.
        announced: when private, everybody may know *that* it happened.
        bare: the name is not written (`Bo: 3`).
    """

    name: str
    explain: str
    forms: tuple[Form, ...]
    verify: Callable[[StateT, Event], None]
    apply: Callable[[StateT, Event], StateT]
    who: Who = Who.SEAT
    secrecy: Secrecy = Secrecy.PUBLIC
    late: bool = False
    announced: bool = True
    bare: bool = False

    @property
    def syntax(self) -> str:
        """How it is written, e.g. `guess NAME smallest|biggest N is RANK`."""
        name = "" if self.bare else self.name
        return " or ".join(f"{name} {form_label(form)}".strip() for form in self.forms)

    def form_of(self, args: tuple[Any, ...]) -> Form:
        """The form that these arguments were read by."""
        for form in self.forms:
            if fits_form(form, args):
                return form
        raise IllegalError(
            phrase("“{what}” is written: {syntax}.", what=self.name, syntax=self.syntax)
        )


class Bot(Protocol):
    """Chooses an action from what its seat knows."""

    def __call__(
        self, state: Any, seat: int, actions: Sequence[Event], rng: random.Random
    ) -> Event:
        """One of the actions (or another legal event), from the seat's own state."""


def random_bot(state: Any, seat: int, actions: Sequence[Event], rng: random.Random) -> Event:
    """Any of the actions, each equally likely."""
    return rng.choice(actions)


class Game(ABC, Generic[StateT]):
    """A game: metadata, rules, and what everything else needs to know about it.

    Subclasses set the class attributes and write the abstract methods; the others have defaults
    that fit most games.
    """

    info: ClassVar[GameInfo]
    options: ClassVar[tuple[Option, ...]]
    #: Family of the cards in hands, piles and rows.
    family: ClassVar[Family] = Family.STANDARD
    #: Changes of cards on the table that can mean something; see `companion.sightings.Change`.
    seen_changes: ClassVar[frozenset[str]] = frozenset({"laid", "moved", "turned up", "read anew"})
    #: Bots by name; the last one is the game's best without a coach.
    bots: ClassVar[Mapping[str, Bot]] = {"random": random_bot}

    def __init__(self) -> None:
        from companion.common import common_verbs  # it needs Game's hooks

        own = {verb.name: verb for verb in self.own_verbs()}
        self.verbs: dict[str, Verb[StateT]] = {v.name: v for v in common_verbs(self)} | own

    # -- what a game must say ---------------------------------------------------------------

    @abstractmethod
    def own_verbs(self) -> Iterable[Verb[StateT]]:
        """The game's verbs beside hand, reveal, agree and match (one of these names replaces)."""

    @abstractmethod
    def initial(self, setup: Setup) -> StateT:
        """The state before the first event of a session."""

    @abstractmethod
    def next_match(self, state: StateT, starter: int) -> StateT:
        """The state at the start of the session's next match (`table: match`)."""

    @abstractmethod
    def zones(self, state: StateT) -> tuple[Zone, ...]:
        """All places for cards, with what the state's owner knows of them."""

    @abstractmethod
    def legal(self, state: StateT, seat: int) -> Iterable[Event]:
        """Actions the seat may take now, from that seat's own state, in a fixed order.

        Complete where they can be listed; where the rules allow endlessly many (a prediction, a
        question), a representative few.
        """

    @abstractmethod
    def deal(self, state: StateT, rng: random.Random) -> Any:
        """Shuffles: where every card of the coming match physically is, for simulated play."""

    @abstractmethod
    def forced(self, state: StateT, world: Any, rng: random.Random) -> Event | None:
        """In simulated play, the next event that is nobody's choice, None when a player decides.

        Deals, draws, truthful answers, turned-up cards, the next match: all that follows from
        the physical world and the rules. Judged from the referee's state.
        """

    # -- what most games can leave as it is -------------------------------------------------

    def actors(self, state: StateT) -> tuple[int, ...]:
        """Seats that may act now; the one to move by default."""
        return () if state.table.to_move is None else (state.table.to_move,)

    def hand_size(self, state: StateT, seat: int) -> int | None:
        """Number of cards `hand` must list for the seat; None where the seat is dealt none."""
        return None

    def starts_next(self, state: StateT) -> int:
        """The seat that starts the next match unless another is named: the next clockwise."""
        return (state.table.starter + 1) % len(state.setup.players)

    def verify_match(self, state: StateT, event: Event) -> None:
        """Raises where `table: match` may not happen; by default while a match is running."""
        if not state.table.match_over:
            raise IllegalError("This match is not over yet: finish it, or stop it with “agree”.")

    def verify_hand(self, state: StateT, event: Event) -> None:
        """Further reasons against a `hand`, beyond its number of cards and being the first."""

    def on_hand(self, state: StateT, event: Event) -> StateT:
        """After a `hand` was recorded."""
        return state

    def gone_from_hand(self, state: StateT, seat: int) -> frozenset[Card]:
        """Cards already recorded that this seat was dealt, for a `hand` that comes late."""
        return frozenset()

    def verify_reveal(self, state: StateT, event: Event) -> None:
        """Reasons against a `reveal`."""

    def on_reveal(self, state: StateT, event: Event) -> StateT:
        """After a `reveal` was recorded: the audit of what it shows belongs here."""
        return state

    def withheld(self, state: StateT) -> frozenset[int]:
        """Numbers of private events of this match that stay hidden when all else is disclosed."""
        return frozenset()

    def verify_agree(self, state: StateT, event: Event) -> None:
        """Reasons against `table: agree` beyond the match being over."""

    def on_agree(self, state: StateT, event: Event) -> StateT:
        """All agreed to stop: the match (and the session's game) ends as it stands."""
        table = evolve(state.table, match_over=True, over=True, to_move=None)
        return evolve(state, table=table)

    def awaits_answer(self, state: StateT) -> bool:
        """Whether somebody has to answer a question, a guess or an announcement now."""
        return False

    def automatic(self, state: StateT) -> Event | None:
        """In live play, what the referee now says by itself; None where it waits for people.

        A truthful answer of a player who trusts it, for instance. Files hold such lines already:
        there the referee checks them and adds none.
        """
        return None

    def extra(self, state: StateT) -> dict[str, Any]:
        """Further entries of `replay --json`'s final line, e.g. the row's changes."""
        return {}

    def stretches(self, state: StateT) -> dict[str, tuple[int, int]]:
        """Parts of the row that count, for showing them: caption → first and last card, from 1."""
        return {}

    def proposals(self, state: StateT, sighting: Sighting) -> tuple[Proposal, ...]:
        """What a card now seen in a zone could mean, likeliest first; see `companion.sightings`."""
        return ()

    def guidance(self, view: View[StateT]) -> Guidance:
        """What is going on and what may be done, in words for one viewer.

        By default worked out from the verbs; a game that knows better says it in its own words.
        """
        from companion.guidance_of_any import guidance_of_any

        return guidance_of_any(self, view)

    def notepad(self, view: View[StateT]) -> Notepad | None:
        """The viewer's notepad: exact chances from the view alone. None where there is none.

        Import it inside this method, so that playing needs no numpy.
        """
        return None

    def coach_bot(self) -> Bot | None:
        """A bot that plays by the coach's advice on its own seat's notepad. None without coach.

        Import it inside this method, so that playing needs no numpy.
        """
        return None

    # -- the same for all -------------------------------------------------------------------

    @property
    def name(self) -> str:
        """As in `game: NAME`."""
        return self.info.name

    @property
    def deck(self) -> Deck:
        """The deck it is played with by default."""
        return get_deck(self.info.decks[0])

    def setup(
        self,
        players: Sequence[str],
        options: Mapping[str, str] | None = None,
        *,
        trusted: bool | tuple[bool, ...] = False,
        cards: tuple[Card, ...] | None = None,
    ) -> Setup:
        """Checked settings of a session; see `companion.setup.make_setup`."""
        names = tuple(players)
        return make_setup(
            self.info, self.options, names, stated=options, trusted=trusted, cards=cards
        )

    def verify(self, state: StateT, event: Event) -> None:
        """Says why the event may not happen now, by raising.

        Raises:
            IllegalError: it is against the rules; the message says which.
        """
        verb = self.verbs.get(event.verb)
        if verb is None:
            raise IllegalError(
                phrase("{title} has no “{verb}”.", title=self.info.title, verb=event.verb)
            )
        self._verify_who(verb, state, event)
        if state.table.match_over and not verb.late:
            raise IllegalError(phrase("The match is over: no “{verb}” any more.", verb=verb.name))
        verb.form_of(event.args)
        verb.verify(state, event)

    def can(self, state: StateT, event: Event) -> bool:
        """Whether the event may happen now."""
        try:
            self.verify(state, event)
        except CompanionError:
            return False
        return True

    def apply(self, state: StateT, event: Event) -> StateT:
        """The state after an event that `verify` lets pass. Pure."""
        if state.notes:
            state = evolve(state, notes=())
        after = self.verbs[event.verb].apply(state, event)
        if event.verb == HAND and event.seat is not None:
            handed = (state.table.match, event.seat)
            return evolve(after, handed=after.handed | {handed})
        return after

    def do(self, state: StateT, event: Event) -> StateT:
        """Verifies, then applies.

        Raises:
            IllegalError: as `verify`.
        """
        self.verify(state, event)
        return self.apply(state, event)

    def _verify_who(self, verb: Verb[StateT], state: StateT, event: Event) -> None:
        """Refuses a wrong actor or audience."""
        if verb.who is Who.SEAT and event.seat is None:
            raise IllegalError(
                phrase(
                    "“{verb}” is a player's act: NAME: {syntax}.",
                    verb=verb.name,
                    syntax=verb.syntax,
                )
            )
        if verb.who is Who.TABLE and event.seat is not None:
            raise IllegalError(
                phrase(
                    "“{verb}” is nobody's act: table: {syntax}.", verb=verb.name, syntax=verb.syntax
                )
            )
        if event.audience is None:
            if verb.secrecy in (Secrecy.PRIVATE, Secrecy.SHARED):
                star = "NAME*OTHER" if verb.secrecy is Secrecy.SHARED else "NAME*"
                raise IllegalError(
                    phrase(
                        "“{verb}” is private: {star}: {syntax}.",
                        verb=verb.name,
                        star=star,
                        syntax=verb.syntax,
                    )
                )
            return
        if verb.secrecy is Secrecy.PUBLIC:
            raise IllegalError(
                phrase("“{verb}” is public: NAME: {syntax}.", verb=verb.name, syntax=verb.syntax)
            )
        if event.seat not in event.audience:
            raise IllegalError("A private event must be known to the player whose it is.")
        shared = len(event.audience) == 2
        if shared != (verb.secrecy is Secrecy.SHARED) or len(event.audience) > 2:
            star = "NAME*OTHER" if verb.secrecy is Secrecy.SHARED else "NAME*"
            raise IllegalError(
                phrase(
                    "“{verb}” is written {star}: {syntax}.",
                    verb=verb.name,
                    star=star,
                    syntax=verb.syntax,
                )
            )

    def remaining(self, state: StateT, seat: int) -> tuple[Card, ...] | None:
        """Cards the seat still holds, as far as recorded; None where nothing was."""
        return state.held[seat]

    def all_cards(self, setup: Setup) -> tuple[Card, ...]:
        """The cards it is played with: the setup's own, or the deck's."""
        return self.deck.cards if setup.cards is None else setup.cards


def unknowns(count: int, family: Family = Family.STANDARD) -> tuple[Card, ...]:
    """So many cards that are there and not known."""
    return (unknown(family),) * count


def hand_cards(
    held: tuple[Card, ...] | None, count: int, family: Family = Family.STANDARD
) -> tuple[Card, ...]:
    """A hand for its zone: as recorded, or so many unknown cards.

    Unknown too where the record contradicts the count, because a card was played that it lacks:
    a finding says so, and which card was misread nobody can tell.
    """
    return held if held is not None and len(held) == count else unknowns(count, family)


def require_hand(state: StateT, seat: int) -> None:
    """Refuses to go on before a trusting player's hand is recorded.

    Raises:
        IllegalError: the seat trusts the referee and has not given its hand.
    """
    if state.setup.trusted[seat] and (state.table.match, seat) not in state.handed:
        name = state.setup.players[seat]
        raise IllegalError(
            phrase("{name} trusts the referee: record “{name}*: hand CARDS” first.", name=name)
        )


def require_turn(state: StateT, seat: int | None) -> None:
    """Refuses a seat that is not to move.

    Raises:
        IllegalError: names who is to move.
    """
    to_move = state.table.to_move
    if to_move is None:
        raise IllegalError("It is nobody's turn now.")
    if seat != to_move:
        raise IllegalError(phrase("It is {name}'s turn.", name=state.setup.players[to_move]))


__all__ = [
    "Bot",
    "Game",
    "Secrecy",
    "Verb",
    "Who",
    "hand_cards",
    "of_rank",
    "random_bot",
    "require_hand",
    "require_turn",
    "unknowns",
]
