"""What contradicts what: false answers against known hands, answers that no deal allows.

Every fold checks what it can. If a hand is known, an answer about it is compared with it. If not, a
content of all hidden hands that fits everything known is kept as a witness: as long as a new answer
agrees with it, nothing needs to be searched. If no content fits any more, the smallest set of facts
that conflict is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from companion.cards import RANKS, Card, Family, family_cards, of_rank
from companion.core.state import FindingKind, evolve, find, put, take
from companion.games.gotcha.engine.fit import ALL_RANKS, RANK_COUNT, HiddenHand, find_hands
from companion.games.gotcha.state import GotchaState, Guess
from companion.notepad.facts import Fact, smallest_core
from companion.phrases import filled, joined, phrase

if TYPE_CHECKING:
    from companion.core.setup import Setup

_DECK = tuple(card for card in family_cards(Family.STANDARD) if not card.is_joker)


def deck_of(setup: Setup) -> tuple[Card, ...]:
    """The cards in play: the setup's own or the 52, never jokers."""
    if setup.cards is None:
        return _DECK
    return tuple(card for card in setup.cards if not card.is_joker)


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
        name = state.setup.players[seat]
        said = "right" if guess.right else "wrong"
        message = phrase(
            "{name} said {said} ({answer}) to “{words}” ({n}); by {source} that card was {rank}.",
            name=name,
            said=said,
            answer=guess.answer,
            words=guess.words,
            n=guess.n,
            source=source,
            rank=RANKS[truth - 1],
        )
        state = find(state, guess.answer, FindingKind.FALSE_ANSWER, message, found_at=n)
        guesses[index] = evolve(guess, doubted=True, false=True)
    return evolve(state, guesses=tuple(guesses))


def take_shown(held: tuple[Card, ...], card: Card) -> tuple[Card, ...] | None:
    """The held cards after one was shown; as `take`, but no suit is chosen if only a rank was seen.

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


def remove(state: GotchaState, seat: int, cards: Sequence[Card], n: int, words: str) -> GotchaState:
    """Takes cards out of a recorded hand; one that is not there makes a finding.

    Args:
        state: before.
        seat: whose hand.
        cards: what leaves it.
        n: the event at fault if a card is not in the hand.
        words: what happens to a card, e.g. `Bo shows {card} (12)`.
    """
    held = state.held[seat]
    if held is None:
        return state
    for card in cards:
        rest = take_shown(held, card)
        if rest is not None:
            held = rest
        elif card not in state.reported:
            name = state.setup.players[seat]
            where = phrase(
                "{name}'s recorded hand ({hand_events}) has no such card",
                name=name,
                hand_events=state.hand_events[seat],
            )
            message = phrase(
                "{words}, but {where}.", words=filled(words, card=card.code), where=where
            )
            state = find(state, n, FindingKind.IMPOSSIBLE, message)
            state = evolve(state, reported=state.reported | {card})
    return evolve(state, held=put(state.held, seat, held))


# -- against all that is known -----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFact(Fact):
    """An answer about an original position of a hand."""

    seat: int
    position: int
    rank: int
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsFact(Fact):
    """Cards that are known to have been dealt to a seat, or (`aside`) discarded by it."""

    seat: int
    cards: tuple[Card, ...]
    aside: bool


GotchaFact = AnswerFact | CardsFact


def _ranked(cards: tuple[Card, ...] | None) -> bool:
    return cards is not None and all(card.rank is not None for card in cards)


def facts_of(state: GotchaState) -> list[GotchaFact]:
    """All that the state's owner knows of the hands, answers that are doubted left out."""
    players = state.setup.players
    facts: list[GotchaFact] = []
    for seat, name in enumerate(players):
        hand, aside = state.hands[seat], state.aside[seat]
        if hand is not None and _ranked(hand):
            n = state.hand_events[seat]
            text = phrase("{name}'s recorded hand ({n})", name=name, n=n)
            facts.append(CardsFact(event=n, text=text, seat=seat, cards=hand, aside=False))
        if aside is not None and _ranked(aside):
            n = state.aside_events[seat]
            text = phrase("{name}'s discards ({n})", name=name, n=n)
            facts.append(CardsFact(event=n, text=text, seat=seat, cards=aside, aside=True))
    for guess in state.guesses:
        if guess.answer and not guess.doubted:
            verb = "was" if guess.right else "is no"
            text = phrase(
                "{name}'s {place} {verb} {rank_text} ({answer})",
                name=players[guess.of],
                place=guess.place,
                verb=verb,
                rank_text=guess.rank_text,
                answer=guess.answer,
            )
            facts.append(
                AnswerFact(
                    event=guess.answer,
                    text=text,
                    seat=guess.of,
                    position=guess.position,
                    rank=guess.rank,
                    right=guess.right,
                )
            )
    return facts


def _counts(cards: Sequence[Card]) -> list[int]:
    """How many cards of each rank, index 0 unused."""
    counts = [0] * (RANK_COUNT + 1)
    for card in cards:
        counts[card.rank or 0] += 1
    return counts


def hidden_hands(
    state: GotchaState, facts: Sequence[GotchaFact]
) -> tuple[dict[int, HiddenHand], tuple[int, ...], set[int]]:
    """The facts as a counting problem.

    Returns:
        A hidden hand for each seat, how many cards of each rank the hands without record draw
        from, and the seats whose dealt cards are known (their hands draw from these alone).
    """
    allowed = [[ALL_RANKS] * state.kept for _ in state.setup.players]
    pool = _counts(deck_of(state.setup))
    dealt: dict[int, list[int]] = {}
    aside: dict[int, list[int]] = {}
    for fact in facts:
        if isinstance(fact, AnswerFact):
            bit = 1 << fact.rank
            allowed[fact.seat][fact.position - 1] &= bit if fact.right else ~bit
        else:
            (aside if fact.aside else dealt)[fact.seat] = _counts(fact.cards)
    for seat in range(len(allowed)):
        gone = dealt.get(seat) or aside.get(seat)
        if gone is not None:
            pool = [max(0, a - b) for a, b in zip(pool, gone, strict=True)]
    hands = {}
    for seat, masks in enumerate(allowed):
        stock = pool
        if seat in dealt:
            out = aside.get(seat) or [0] * len(pool)
            stock = [max(0, a - b) for a, b in zip(dealt[seat], out, strict=True)]
        hands[seat] = HiddenHand(tuple(masks), tuple(stock))
    return hands, tuple(pool), set(dealt)


@dataclass(frozen=True, slots=True)
class _Case:
    """What a conflict depends on: equal cases (an undo, another viewer) are searched once."""

    players: int
    kept: int
    deck: tuple[Card, ...]
    facts: tuple[GotchaFact, ...]
    state: GotchaState = field(compare=False)


def find_witness(
    state: GotchaState, facts: Sequence[GotchaFact]
) -> tuple[tuple[int, ...], ...] | None:
    """One content for every hand that fits all facts, as ranks by seat; None if none does."""
    players = len(state.setup.players)
    return _witness_for(_Case(players, state.kept, deck_of(state.setup), tuple(facts), state))


@lru_cache(maxsize=1024)
def _witness_for(case: _Case) -> tuple[tuple[int, ...], ...] | None:
    state, facts = case.state, case.facts
    hands, pool, known = hidden_hands(state, facts)
    found: dict[int, tuple[int, ...]] = {}
    for seat in known:
        alone = find_hands((hands[seat],), hands[seat].stock)
        if alone is None:
            return None
        found[seat] = alone[0]
    unseen = [seat for seat in hands if seat not in known]
    joint = find_hands(tuple(hands[seat] for seat in unseen), pool)
    if joint is None:
        return None
    found |= dict(zip(unseen, joint, strict=True))
    return tuple(found[seat] for seat in range(len(hands)))


def _agrees(state: GotchaState, guess: Guess) -> bool:
    """Whether the witness agrees with an answer."""
    if state.witness is None:
        return False
    return (state.witness[guess.of][guess.position - 1] == guess.rank) == guess.right


def check_answer(state: GotchaState, n: int) -> GotchaState:
    """Looks whether the last answer fits all that is known; else it is found and doubted."""
    guess = state.guesses[-1]
    if state.muddled or guess.doubted or _agrees(state, guess):
        return state
    facts = facts_of(state)
    witness = find_witness(state, facts)
    if witness is not None:
        return evolve(state, witness=witness)
    name = state.setup.players[guess.of]
    said = "right" if guess.right else "wrong"
    lead = phrase(
        "{name} says {said} ({n}) to “{words}” ({n2}), which no deal allows",
        name=name,
        said=said,
        n=n,
        words=guess.words,
        n2=guess.n,
    )
    state = _find_conflict(state, facts, n, lead)
    return evolve(state, guesses=(*state.guesses[:-1], evolve(guess, doubted=True)))


def check_cards(state: GotchaState, n: int, lead: str) -> GotchaState:
    """Looks whether newly recorded cards fit all that is known; else doubts the answers.

    Args:
        state: with the cards.
        n: the event that recorded them.
        lead: the event in words, e.g. `Bo's discards (7)`.
    """
    if state.muddled:
        return state
    answers = any(guess.answer and not guess.doubted for guess in state.guesses)
    if not answers:
        # Before the first answer only too many cards of a rank can be wrong.
        return evolve(_check_ranks(state, n), witness=None)
    facts = facts_of(state)
    witness = find_witness(state, facts)
    if witness is not None:
        return evolve(state, witness=witness)
    why = _conflict(state, facts)
    blamed = {fact.event for fact in why}
    others = joined("; ", (fact.text for fact in why if fact.event != n))
    message = phrase("With {lead} these cannot all be true: {others}.", lead=lead, others=others)
    if not others:
        message = phrase("No deal allows {lead}.", lead=lead)
    state = find(state, n, FindingKind.IMPOSSIBLE, message)
    guesses = tuple(
        evolve(guess, doubted=True) if guess.answer in blamed else guess for guess in state.guesses
    )
    muddled = guesses == state.guesses
    return evolve(state, guesses=guesses, witness=None, muddled=muddled)


def _check_ranks(state: GotchaState, n: int) -> GotchaState:
    """More cards of a rank than the deck has are impossible."""
    recorded = [0] * (RANK_COUNT + 1)
    for hand, aside in zip(state.hands, state.aside, strict=True):
        for card in hand or aside or ():
            recorded[card.rank or 0] += 1
    deck = _counts(deck_of(state.setup))
    for rank in range(1, RANK_COUNT + 1):
        if recorded[rank] > deck[rank] and not state.reported:
            message = phrase(
                "With event {n} there are {recorded} cards of rank {rank}; the deck has {deck}.",
                n=n,
                recorded=recorded[rank],
                rank=RANKS[rank - 1],
                deck=deck[rank],
            )
            state = evolve(find(state, n, FindingKind.IMPOSSIBLE, message), muddled=True)
    return evolve(state, muddled=state.muddled or bool(state.reported))


def _conflict(state: GotchaState, facts: Sequence[GotchaFact]) -> tuple[GotchaFact, ...]:
    """A smallest set of facts that fit no deal."""
    players = len(state.setup.players)
    return _conflict_in(_Case(players, state.kept, deck_of(state.setup), tuple(facts), state))


@lru_cache(maxsize=256)
def _conflict_in(case: _Case) -> tuple[GotchaFact, ...]:
    facts = case.facts

    def look(mask: int) -> int | None:
        chosen = [fact for index, fact in enumerate(facts) if mask >> index & 1]
        witness = find_witness(case.state, chosen)
        if witness is None:
            return None
        return mask | sum(1 << i for i, fact in enumerate(facts) if _holds(fact, witness))

    why = smallest_core(facts, look, max_checks=300)
    return _with_all_sightings(why.facts, facts) if why is not None else ()


def _with_all_sightings(
    core: tuple[GotchaFact, ...], facts: Sequence[GotchaFact]
) -> tuple[GotchaFact, ...]:
    """The conflict with every sighting of a rank where it is about too many cards of that rank.

    Two sevens at the ends of a run settle those between, but people count what they saw: five
    sevens are five facts.
    """
    answers = [fact for fact in core if isinstance(fact, AnswerFact)]
    ranks = {fact.rank for fact in answers}
    if len(ranks) != 1 or not all(fact.right for fact in answers):
        return core
    return tuple(
        fact
        for fact in facts
        if fact in core or (isinstance(fact, AnswerFact) and fact.right and fact.rank in ranks)
    )


def _holds(fact: GotchaFact, witness: tuple[tuple[int, ...], ...]) -> bool:
    """Whether a content of the hands agrees with an answer; cards are not looked at."""
    if isinstance(fact, CardsFact):
        return False
    return (witness[fact.seat][fact.position - 1] == fact.rank) == fact.right


def _find_conflict(
    state: GotchaState, facts: Sequence[GotchaFact], n: int, lead: str
) -> GotchaState:
    """The finding that names what a new event conflicts with."""
    others = [fact.text for fact in _conflict(state, facts) if fact.event != n]
    rest = phrase(": it conflicts with {others}", others=joined("; ", others)) if others else ""
    return find(state, n, FindingKind.IMPOSSIBLE, phrase("{lead}{rest}.", lead=lead, rest=rest))
