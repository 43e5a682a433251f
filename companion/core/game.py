"""The protocol of every game, so that no other module knows a game by name.

A game is a folder with a state (derived from `companion.core.state.State`), verbs, and a subclass
of `Game` whose instance is registered. For each kind of action one function says why not
(`Verb.verify`, raising a typed error), `Game.can` says yes or no, and one does it (`Verb.apply`,
pure). Both work on the referee's state and on a viewer's: in a viewer's fold some events are
`hidden` (no arguments), and nothing is verified again, because the referee has accepted them.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, Protocol

from companion.cards import Card, Family, family_cards, of_rank, unknown
from companion.core.attempts import Attempt
from companion.core.events import CORRECT, Event
from companion.core.guidance.steps import Guidance
from companion.core.match import begin_match
from companion.core.setup import GameInfo, Option, Preset, Setup, make_setup
from companion.core.shared_verbs import SharedVerbs
from companion.core.sightings import Proposal, Sighting
from companion.core.state import StateT, Zone, ZoneKind, evolve, hand_zone, say
from companion.core.unchecked import Unchecked
from companion.core.verb import HAND, Secrecy, Verb, Who
from companion.core.view import View
from companion.decks import Deck, get_deck
from companion.errors import CompanionError, IllegalError
from companion.phrases import N_


class Bot(Protocol):
    """Chooses an action from what its seat knows."""

    def __call__(
        self, state: Any, seat: int, actions: Sequence[Event], rng: random.Random
    ) -> Event:
        """One of the actions (or another legal event), from the seat's own state."""


def random_bot(state: Any, seat: int, actions: Sequence[Event], rng: random.Random) -> Event:
    """Any of the actions, each equally likely."""
    return rng.choice(actions)


class Game(SharedVerbs[StateT]):
    """A game: metadata, rules, and what everything else needs to know about it.

    Subclasses set the class attributes and write the abstract methods; the others have defaults
    that fit most games.
    """

    info: ClassVar[GameInfo]
    options: ClassVar[tuple[Option, ...]]
    #: Shorter and longer kinds of the game, for set-up screens.
    presets: ClassVar[tuple[Preset, ...]] = ()
    #: Changes of cards on the table that can mean something; see `companion.core.sightings.Change`.
    seen_changes: ClassVar[frozenset[str]] = frozenset({"laid", "moved", "turned up", "read anew"})
    #: What is said as a match begins after another one.
    begins: ClassVar[str] = N_("Match {match}: {name} starts.")
    #: The package whose `guidance.py` has a function of that name and whose `notepad.py` has
    #: `notepad`, `attempts` and `coach_bot`; empty for a game of one module.
    folder: ClassVar[str] = ""
    #: Bots by name; the last one is the game's best without a coach.
    bots: ClassVar[Mapping[str, Bot]] = {"random": random_bot}

    def __init__(self) -> None:
        own = {verb.name: verb for verb in self.own_verbs()}
        self.verbs: dict[str, Verb[StateT]] = {v.name: v for v in self.shared_verbs()} | own

    # -- what a game must say ---------------------------------------------------------------

    @abstractmethod
    def own_verbs(self) -> Iterable[Verb[StateT]]:
        """The game's verbs beside hand, reveal, agree and match (the same name replaces one)."""

    @abstractmethod
    def initial(self, setup: Setup) -> StateT:
        """The state before the first event of a session."""

    @abstractmethod
    def zones(self, state: StateT) -> tuple[Zone, ...]:
        """All places for cards, with what the state's owner knows of them."""

    @abstractmethod
    def legal(self, state: StateT, seat: int) -> Iterable[Event]:
        """Actions the seat may take now, from that seat's own state, in a fixed order.

        Complete if they can be listed; if the rules allow too many to list (a prediction, a
        question), a representative selection.
        """

    @abstractmethod
    def deal(self, state: StateT, rng: random.Random) -> Any:
        """Shuffles: where every card of the coming match physically is, for simulated play."""

    @abstractmethod
    def forced(self, state: StateT, world: Any, rng: random.Random) -> Event | None:
        """In simulated play, the next event that no player chooses; None if a player decides.

        Deals, draws, truthful answers, turned-up cards, the next match: all that follows from
        the physical world and the rules. Judged from the referee's state.
        """

    # -- what most games can leave as it is -------------------------------------------------

    def next_match(self, state: StateT, starter: int) -> StateT:
        """See `SharedVerbs.next_match`; a fresh match with what outlasts the last one."""
        fresh = begin_match(self.initial(state.setup), state, starter)
        return say(fresh, self.begins, match=fresh.table.match, name=starter)

    def opening(self, state: StateT) -> str:
        """What is done with the real cards before the first event, in a sentence; empty for none.

        Args:
            state: what everybody knows as a match begins.
        """
        return ""

    def attempts(self, before: StateT, after: StateT) -> Iterable[Attempt]:
        """What one event decided of what players tried; for records over many matches.

        Args:
            before: what everybody knew before the event.
            after: what everybody knows after it.
        """
        attempts = self._beside("notepad", "attempts")
        return () if attempts is None else attempts(before, after)

    def actors(self, state: StateT) -> tuple[int, ...]:
        """Seats that may act now; the one to move by default."""
        return () if state.table.to_move is None else (state.table.to_move,)

    def readers_later(self, state: StateT, event: Event) -> tuple[int, ...]:
        """Seats that the rules let read a private event of another seat later.

        For instance who is passed cards; `State.shared` says from when on.
        """
        return ()

    def awaits_answer(self, state: StateT) -> bool:
        """Whether somebody has to answer a question, a guess or an announcement now."""
        return False

    def automatic(self, state: StateT) -> Event | None:
        """In live play, what the referee now says automatically; None if it waits for people.

        For instance the truthful answer of a player who trusts it. Files already hold such lines:
        the referee checks them and adds none.
        """
        return None

    def extra(self, state: StateT) -> dict[str, Any]:
        """Further entries of `replay --json`'s final line, e.g. the row's changes."""
        return {}

    def stretches(self, state: StateT) -> dict[str, tuple[int, int]]:
        """Parts of the row that count, for showing them: caption → first and last card, from 1."""
        return {}

    def proposals(self, state: StateT, sighting: Sighting) -> tuple[Proposal, ...]:
        """What a card now seen in a zone could mean, likeliest first (see `core.sightings`)."""
        return ()

    def guidance(self, view: View[StateT]) -> Guidance | None:
        """What is going on and what may be done, in words for one viewer.

        None if it is worked out from the verbs; `companion.core.guidance.generic` does that.
        """
        guidance = self._beside("guidance", "guidance")
        return None if guidance is None else guidance(self, view)

    def unchecked(self, state: StateT) -> tuple[Unchecked, ...]:
        """Whose answers of the match could not be checked, as far as the state's owner knows.

        A trusted player's answers were checked by the referee.
        """
        return ()

    def told(self, setup: Setup, event: Event) -> str:
        """An event as a sentence, for screens; empty where a general one says it.

        While it is put together, arguments that are not settled yet are None.
        """
        return ""

    def standing(self, state: StateT, seat: int) -> str:
        """How a player stands in the match, in a word such as “folded”; empty if as usual."""
        return ""

    def meaning(self, state: StateT, card: Card) -> str:
        """What a card does in this match beside its face; empty if nothing."""
        return ""

    def notepad(self, view: View[StateT]) -> object | None:
        """The viewer's `companion.notepad.base.Notepad`, from the view alone. None without one.

        A game without a folder imports it inside this method, so that playing needs no numpy.
        """
        notepad = self._beside("notepad", "notepad")
        return None if notepad is None else notepad(view)

    def coach_bot(self) -> Bot | None:
        """A bot that plays by the coach's advice on its own seat's notepad. None without coach.

        A game without a folder imports it inside this method, so that playing needs no numpy.
        """
        bot: Bot | None = self._beside("notepad", "coach_bot")
        return bot

    # -- the same for all -------------------------------------------------------------------

    def _beside(self, module: str, name: str) -> Any:
        """A function of a module in the game's folder, loaded when it is first needed.

        Returns:
            None where the game has no folder, no such module, or nothing of that name in it.
        """
        if not self.folder or find_spec(path := f"{self.folder}.{module}") is None:
            return None
        return getattr(import_module(path), name, None)

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
        """Checked settings of a session; see `companion.core.setup.make_setup`."""
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
            raise state.illegal("{title} has no “{verb}”.", title=self.info.title, verb=event.verb)
        self._verify_who(verb, state, event)
        if state.table.match_over and not verb.late:
            raise state.illegal("The match is over: no “{verb}” any more.", verb=verb.name)
        verb.form_of(event.args)
        verb.verify(state, event)

    def is_announced(self, event: Event) -> bool:
        """Whether everybody may know that a private event, or a correction of one, happened."""
        verb = self.verbs.get((event.args[1] if event.verb == CORRECT else event).verb)
        return verb is not None and verb.announced

    def can(self, state: StateT, event: Event) -> bool:
        """Whether the event may happen now."""
        try:
            self.verify(state, event)
        except CompanionError:
            return False
        return True

    def apply(self, state: StateT, event: Event) -> StateT:
        """The state after an event that `verify` lets pass. Pure."""
        if state.remarks:
            state = evolve(state, remarks=())
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
            raise state.illegal(
                "A player does this. Write the player's name before it: “{name}: {verb} …”.",
                name=0,
                verb=verb.name,
            )
        if verb.who is Who.TABLE and event.seat is not None:
            raise state.illegal(
                "No single player does this: write “table: {verb} …”.", verb=verb.name
            )
        if event.audience is None:
            if verb.secrecy in (Secrecy.PRIVATE, Secrecy.SHARED):
                raise self._to_be_secret(verb, state, event)
            return
        if verb.secrecy is Secrecy.PUBLIC:
            text = N_("Everybody may know this: write “{name}: {verb} …”, without a star.")
            raise state.illegal(text, name=event.actor, verb=verb.name)
        if event.seat not in event.audience:
            raise IllegalError("A private event must be known to the player whose it is.")
        shared = len(event.audience) == 2
        if shared != (verb.secrecy is Secrecy.SHARED) or len(event.audience) > 2:
            raise self._to_be_secret(verb, state, event)

    @staticmethod
    def _to_be_secret(verb: Verb[StateT], state: StateT, event: Event) -> IllegalError:
        """How what only some may know is written."""
        if verb.secrecy is Secrecy.SHARED:
            text = N_(
                "Only {name} and the other player may see this: write “{name}*{name2}: {verb} …”."
            )
            other = (event.actor + 1) % len(state.setup.players)
            return state.illegal(text, name=event.actor, name2=other, verb=verb.name)
        text = N_("Only {name} may know this: write a star after the name, “{name}*: {verb} …”.")
        return state.illegal(text, name=event.actor, verb=verb.name)

    def remaining(self, state: StateT, seat: int) -> tuple[Card, ...] | None:
        """Cards the seat still holds, as far as recorded; None if nothing was."""
        return state.held[seat]

    def all_cards(self, setup: Setup) -> tuple[Card, ...]:
        """The cards it is played with: the setup's own, or the deck's."""
        return self.deck.cards if setup.cards is None else setup.cards


_SUITED = tuple(card for card in family_cards(Family.STANDARD) if not card.is_joker)


def without_jokers(setup: Setup) -> tuple[Card, ...]:
    """The cards of a game with the standard deck but its jokers: the setup's own, or the 52."""
    if setup.cards is None:
        return _SUITED
    return tuple(card for card in setup.cards if not card.is_joker)


def unknowns(count: int, family: Family = Family.STANDARD) -> tuple[Card, ...]:
    """A number of unknown cards."""
    return (unknown(family),) * count


def hand_cards(
    held: tuple[Card, ...] | None, count: int, family: Family = Family.STANDARD
) -> tuple[Card, ...]:
    """A hand for its zone: the recorded cards, sorted as people hold them, or as many unknown ones.

    The cards are also unknown if the record contradicts the count, because a card was played that
    the record lacks: a finding says so, and nobody can tell which card was misread.
    """
    return tuple(sorted(held)) if held and len(held) == count else unknowns(count, family)


def dealt(cards: Sequence[Card], size: int, count: int) -> tuple[tuple[Card, ...], ...]:
    """Hands of `size` cards each from a shuffled deck, in order; the rest stays."""
    return tuple(tuple(sorted(cards[k * size : (k + 1) * size])) for k in range(count))


def hand_as_zone(state: StateT, seat: int, cards: tuple[Card, ...]) -> Zone:
    """A seat's hand as a place for cards."""
    title = state.phrase("{name}'s hand", name=seat)
    return Zone(hand_zone(seat), title, ZoneKind.HAND, seat, cards, face_up=False)


def require_hand(state: StateT, seat: int) -> None:
    """Refuses to go on before a trusting player's hand is recorded.

    Raises:
        IllegalError: the seat trusts the referee and has not given its hand.
    """
    if state.setup.trusted[seat] and (state.table.match, seat) not in state.handed:
        raise state.illegal(
            "{name} trusts the referee: record “{name}*: hand CARDS” first.", name=seat
        )


def require_turn(state: StateT, seat: int) -> None:
    """Refuses a seat that is not to move.

    Raises:
        IllegalError: names who is to move.
    """
    to_move = state.table.to_move
    if to_move is None:
        raise IllegalError("It is nobody's turn now.")
    if seat != to_move:
        raise state.illegal("It is {name}'s turn.", name=to_move)


__all__ = [
    "Bot",
    "Game",
    "Secrecy",
    "Verb",
    "Who",
    "dealt",
    "hand_as_zone",
    "hand_cards",
    "of_rank",
    "random_bot",
    "require_hand",
    "require_turn",
    "unknowns",
    "without_jokers",
]
