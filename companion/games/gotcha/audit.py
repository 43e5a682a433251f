"""What contradicts what: false answers against known hands, answers that no deal allows.

Every fold checks what it can. If a hand is known, an answer about it is compared with it. If not, a
content of all hidden hands that fits everything known is kept as a witness: as long as a new answer
agrees with it, nothing needs to be searched. If no content fits any more, the smallest set of facts
that conflict is named.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from companion.cards import RANKS, Card, of_rank
from companion.core.game import without_jokers
from companion.core.state import FindingKind, evolve, find, put, take
from companion.games.gotcha.engine.facts import (
    Answer,
    CardsOf,
    GuessRight,
    GuessWrong,
    all_sightings,
)
from companion.games.gotcha.engine.fit import ALL_RANKS, RANK_COUNT, HiddenHand, find_hands
from companion.games.gotcha.state import GotchaState, Guess
from companion.notepad.consistency import Consistency
from companion.notepad.facts import smallest_core
from companion.phrases import N_, phrase

# -- against a known hand ----------------------------------------------------------------------


def true_rank(state: GotchaState, guess: Guess) -> int | None:
    """The rank that stood at the guessed place before the answer, None if it is not known."""
    hand = state.sorted_hand(guess.of)
    return hand[guess.index].rank if hand is not None else None


def audit_hand(state: GotchaState, seat: int, n: int, source: str) -> GotchaState:
    """Compares all answers about a hand with the hand, once it is known.

    The hand at the time of a guess is what is held now and what was shown since.

    Args:
        state: with the seat's hand known.
        seat: whose hand.
        n: the event that made it known.
        source: that event in words, e.g. `the hand turned up (40)`.
    """
    hand = state.sorted_hand(seat)
    if hand is None:
        return state
    ranks = sorted(card.rank or 0 for card in hand)
    guesses = list(state.guesses)
    for index in range(len(guesses) - 1, -1, -1):
        guess = guesses[index]
        if guess.of != seat or not guess.answer:
            continue
        if guess.right:
            ranks = sorted([*ranks, guess.rank])
        truth = ranks[guess.index] if len(ranks) == guess.size else guess.rank
        if guess.false or (truth == guess.rank) == guess.right:
            continue
        state = find(
            state,
            guess.answer,
            FindingKind.FALSE_ANSWER,
            "{name} said {said} ({answer}) to “{words}” ({n}); by {source} that card was {rank}.",
            name=seat,
            said=guess.said,
            answer=guess.answer,
            words=guess.words,
            n=guess.n,
            source=source,
            rank=RANKS[truth - 1],
            found_at=n,
        )
        guesses[index] = evolve(guess, doubted=True, false=True)
    return evolve(state, guesses=tuple(guesses))


def take_shown(held: tuple[Card, ...], card: Card) -> tuple[Card, ...] | None:
    """The cards held after one was shown. Unlike `take`, it picks no suit if only a rank was seen.

    If one of several sevens is gone, nobody knows which: the others become sevens of any suit, so
    that each of the recorded ones may still be shown later.

    Returns:
        The rest, or None if no held card can be it.
    """
    rest = take(held, card)
    if rest is None or card.is_known or card.rank is None:
        return rest
    unnamed = of_rank(card.rank)
    return tuple(unnamed if other.rank == card.rank else other for other in rest)


def is_dealt(state: GotchaState, seat: int, card: Card) -> bool:
    """Whether a card can be one of the recorded hand that was neither discarded nor shown yet."""
    hand = state.hands[seat]
    if hand is None or not card.is_known:
        return True
    gone = {*(state.aside[seat] or ()), *state.shown(seat)}
    return card not in gone and any(other.matches(card) for other in hand)


def remove(
    state: GotchaState, seat: int, cards: Iterable[Card], n: int, template: str, /, **fields: object
) -> GotchaState:
    """Takes cards out of a recorded hand; one that is not there makes a finding.

    Args:
        state: before.
        seat: whose hand.
        cards: what leaves it.
        n: the event at fault if a card is not in the hand.
        template: what happens to a `card` of the player (`name`), e.g. `{name} shows {card} ({n})`.
        fields: what else stands in the template.
    """
    held = state.held[seat]
    if held is None:
        return state
    for card in cards:
        rest = take_shown(held, card)
        if rest is not None:
            held = rest
        elif card not in state.reported:
            fields |= {"name": seat, "card": card}
            where = N_("{name}'s recorded hand ({hand_events}) has no such card")
            events = state.hand_events[seat]
            state = find(
                state,
                n,
                FindingKind.IMPOSSIBLE,
                "{words}, but {where}.",
                words=state.phrase(template, **fields),
                where=state.phrase(where, name=seat, hand_events=events),
            )
            state = evolve(state, reported=state.reported | {card})
    return evolve(state, held=put(state.held, seat, held))


# -- against all that is known -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recorded:
    """Everything the state's owner knows of the hands.

    Attributes:
        players: by seat, their names.
        kept: cards each kept.
        deck: the cards in play.
        facts: recorded cards and answers, without those that are doubted.
    """

    players: tuple[str, ...]
    kept: int
    deck: tuple[Card, ...]
    facts: tuple[Answer | CardsOf, ...]


def recorded(state: GotchaState) -> Recorded:
    """What a state says of the hands; equal for states with the same knowledge."""
    return Recorded(state.setup.players, state.kept, without_jokers(state.setup), facts_of(state))


def facts_of(state: GotchaState) -> tuple[Answer | CardsOf, ...]:
    """All that the state's owner knows of the hands, without the doubted answers."""
    facts: list[Answer | CardsOf] = []
    for seat, name in enumerate(state.setup.players):
        for cards, n, aside, words in (
            (state.hands[seat], state.hand_events[seat], False, N_("{name}'s recorded hand ({n})")),
            (state.aside[seat], state.aside_events[seat], True, N_("{name}'s discards ({n})")),
        ):
            if cards is not None and all(card.rank is not None for card in cards):
                text = state.phrase(words, name=seat, n=n)
                facts.append(CardsOf(event=n, text=text, player=name, cards=cards, aside=aside))
    facts += [answer_fact(state, g) for g in state.guesses if g.answer and not g.doubted]
    return tuple(facts)


def answer_fact(state: GotchaState, guess: Guess) -> Answer:
    """An answer about an original position."""
    n, player, card = guess.answer, state.setup.players[guess.of], guess.card
    told = {"name": player, "place": guess.place, "n": n}
    if card is not None:
        text = phrase("{name}'s {place} was {rank_text} ({n})", rank_text=guess.rank_text, **told)
        return GuessRight(event=n, text=text, player=player, position=guess.position, card=card)
    text = phrase("{name}'s {place} is not {one} ({n})", one=guess.one_of_rank, **told)
    return GuessWrong(event=n, text=text, player=player, position=guess.position, rank=guess.rank)


def _counts(cards: Iterable[Card]) -> list[int]:
    """How many cards of each rank, index 0 unused."""
    counts = [0] * (RANK_COUNT + 1)
    for card in cards:
        counts[card.rank or 0] += 1
    return counts


def _without(counts: list[int], gone: list[int]) -> list[int]:
    return [max(0, a - b) for a, b in zip(counts, gone, strict=True)]


def hidden_hands(known: Recorded) -> tuple[dict[int, HiddenHand], tuple[int, ...], set[int]]:
    """The facts as a counting problem.

    Returns:
        A hidden hand for each seat, how many cards of each rank the unrecorded hands draw from,
        and the seats whose dealt cards are known (their hands draw from these alone).
    """
    seats = {name: seat for seat, name in enumerate(known.players)}
    allowed = [[ALL_RANKS] * known.kept for _ in seats]
    pool = _counts(known.deck)
    dealt: dict[int, list[int]] = {}
    aside: dict[int, list[int]] = {}
    for fact in known.facts:
        seat = seats[fact.player]
        if isinstance(fact, GuessRight):
            allowed[seat][fact.position - 1] &= 1 << (fact.card.rank or 0)
        elif isinstance(fact, GuessWrong):
            allowed[seat][fact.position - 1] &= ~(1 << fact.rank)
        else:
            (aside if fact.aside else dealt)[seat] = _counts(fact.cards)
    for seat in seats.values():
        gone = dealt.get(seat) or aside.get(seat)
        pool = pool if gone is None else _without(pool, gone)
    hands = {}
    for seat, masks in enumerate(allowed):
        stock = pool
        if seat in dealt:
            stock = _without(dealt[seat], aside.get(seat) or [0] * len(pool))
        hands[seat] = HiddenHand(tuple(masks), tuple(stock))
    return hands, tuple(pool), set(dealt)


@lru_cache(maxsize=1024)
def find_witness(known: Recorded) -> tuple[tuple[int, ...], ...] | None:
    """Contents of all hands that fit every fact, as ranks by seat; None if there are none."""
    hands, pool, dealt = hidden_hands(known)
    found: dict[int, tuple[int, ...]] = {}
    for seat in dealt:
        alone = find_hands((hands[seat],), hands[seat].stock)
        if alone is None:
            return None
        found[seat] = alone[0]
    unseen = [seat for seat in hands if seat not in dealt]
    joint = find_hands(tuple(hands[seat] for seat in unseen), pool)
    if joint is None:
        return None
    found |= dict(zip(unseen, joint, strict=True))
    return tuple(found[seat] for seat in range(len(hands)))


@lru_cache(maxsize=256)
def _conflict(known: Recorded) -> tuple[Answer | CardsOf, ...]:
    def look(mask: int) -> int | None:
        chosen = tuple(fact for index, fact in enumerate(known.facts) if mask >> index & 1)
        witness = find_witness(replace(known, facts=chosen))
        if witness is None:
            return None
        by_name = dict(zip(known.players, witness, strict=True))
        return mask | sum(1 << i for i, fact in enumerate(known.facts) if _holds(fact, by_name))

    why = smallest_core(known.facts, look, max_checks=300)
    return () if why is None else all_sightings(why.facts, known.facts)


def _holds(fact: Answer | CardsOf, witness: dict[str, tuple[int, ...]]) -> bool:
    """Whether a content of the hands agrees with an answer; recorded cards are not looked at."""
    if isinstance(fact, CardsOf):
        return False
    there = witness[fact.player][fact.position - 1]
    return there == fact.card.rank if isinstance(fact, GuessRight) else there != fact.rank


class _Hands(Consistency[GotchaState, Answer | CardsOf]):
    """Gotcha's answers against each other and the recorded cards, by ranks alone."""

    def search(self, state: GotchaState) -> tuple[tuple[tuple[int, ...], ...] | None, bool]:
        witness = find_witness(recorded(state))
        return witness, witness is not None

    def conflict(self, state: GotchaState) -> tuple[Answer | CardsOf, ...]:
        return _conflict(recorded(state))

    def doubt(self, state: GotchaState, events: set[int]) -> GotchaState:
        guesses = state.guesses
        doubted = (evolve(g, doubted=True) if g.answer in events else g for g in guesses)
        return evolve(state, guesses=tuple(doubted))


_HANDS = _Hands()


def check_answer(state: GotchaState, n: int) -> GotchaState:
    """Checks whether the last answer fits all that is known; if not, finds and doubts it."""
    guess = state.guesses[-1]
    if state.muddled or guess.doubted:
        return state
    if state.witness is not None:
        there = state.witness[guess.of][guess.position - 1]
        if (there == guess.rank) == guess.right:
            return state
    text = N_("{name} says {said} ({n}) to “{words}” ({n2}), which no deal allows")
    lead = state.phrase(text, name=guess.of, said=guess.said, n=n, words=guess.words, n2=guess.n)
    return _HANDS.check_answer(state, n, lead)


def check_cards(state: GotchaState, n: int, lead: str) -> GotchaState:
    """Checks whether newly recorded cards fit all that is known; if not, doubts answers.

    Args:
        state: with the cards.
        n: the event that recorded them.
        lead: the event in words, e.g. `Bo's discards (7)`.
    """
    if state.muddled:
        return state
    if any(guess.answer and not guess.doubted for guess in state.guesses):
        return _HANDS.check_cards(state, n, lead)
    # Before the first answer, only a rank with too many cards can contradict anything.
    return evolve(_check_ranks(state, n), witness=None)


def _check_ranks(state: GotchaState, n: int) -> GotchaState:
    """More cards of a rank than the deck has are impossible."""
    recorded = [0] * (RANK_COUNT + 1)
    for hand, aside in zip(state.hands, state.aside, strict=True):
        for card in hand or aside or ():
            recorded[card.rank or 0] += 1
    deck = _counts(without_jokers(state.setup))
    text = N_("With event {n} there are {recorded} cards of rank {rank}; the deck has {deck}.")
    for rank, name in enumerate(RANKS, 1):
        if recorded[rank] > deck[rank] and not state.reported:
            told = {"n": n, "recorded": recorded[rank], "rank": name, "deck": deck[rank]}
            state = find(state, n, FindingKind.IMPOSSIBLE, phrase(text, **told))
            state = evolve(state, muddled=True)
    return evolve(state, muddled=state.muddled or bool(state.reported))
