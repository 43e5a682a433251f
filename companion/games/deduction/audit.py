"""What contradicts what: answers against tiles that were seen, and against each other.

Every fold checks what it can. A tile that was seen is a fact; an answer that it refutes is false.
Answers that together fit no deal are impossible. A deal that fits everything known is kept as a
witness. If a new answer disagrees with it, another deal is searched for; if there is none, the
smallest set of facts that conflict is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from companion.cards import Card
from companion.core.state import FindingKind, Place, at, evolve, find, put
from companion.games.deduction.engine.facts import (
    FACE_UP,
    MISSING,
    DeductionFact,
    DeductionKnowledge,
    TileCount,
    face_words,
    tile_problem,
)
from companion.games.deduction.engine.search import SearchTooLongError, find_world
from companion.games.deduction.state import Announcement, DeductionState, Question, number_of
from companion.notepad.consistency import Consistency
from companion.notepad.facts import CardAt
from companion.phrases import N_, phrase

# -- what is known -----------------------------------------------------------------------------


def answer_fact(state: DeductionState, question: Question) -> TileCount:
    """An answer as a fact, with its words and event."""
    low, high = question.bounds
    name, face, n = state.setup.players[question.of], question.face, question.answer
    exact = question.count or not question.number
    words = number_of(question.number, face) if exact else face_words(face)
    text = phrase("{name} has {words} ({answer})", name=name, words=words, answer=n)
    return TileCount(event=n, text=text, player=name, what=face, low=low, high=high)


def _tile_fact(state: DeductionState, tile: Card, place: Place) -> CardAt:
    _, _, seat = place.zone.partition(":")
    owner = state.setup.players[int(seat) - 1] if seat else FACE_UP
    template = N_("{tile} is in {owner}'s hand ({n})") if seat else N_("{tile} is face up ({n})")
    text = state.phrase(template, tile=tile, owner=owner, n=place.n)
    return CardAt(event=place.n, text=text, card=tile, place=owner)


def _missing_fact(tile: Card, n: int, *, holds: bool) -> CardAt:
    text = phrase(
        "{tile} is the missing tile ({n})" if holds else "{tile} is not the missing tile ({n})",
        tile=tile.code,
        n=n,
    )
    return CardAt(event=n, text=text, card=tile, place=MISSING, holds=holds)


def facts_of(state: DeductionState) -> tuple[DeductionFact, ...]:
    """Everything that the state's owner knows, without doubted answers and verdicts."""
    facts: list[DeductionFact] = []
    facts += [_tile_fact(state, tile, place) for tile, place in state.ledger.items()]
    facts += [answer_fact(state, q) for q in state.questions if q.answer and not q.doubted]
    for item in state.announcements:
        if item.verdict and not item.doubted:
            facts.append(_missing_fact(item.tile, item.verdict, holds=item.right))
    for peek in state.peeks:
        if peek.tile is not None and peek.tile.is_known and not peek.doubted:
            facts.append(_missing_fact(peek.tile, peek.n, holds=True))
    return tuple(facts)


def knowledge_of(state: DeductionState) -> DeductionKnowledge:
    """What the state's owner knows, for the notepad and for looking for contradictions."""
    return DeductionKnowledge(
        state.setup.players,
        facts_of(state),
        shown_random=state.setup.options["shown"] == "random",
        deck=state.deck,
        hand_size=state.hand_size,
    )


# -- everything together -----------------------------------------------------------------------


def _agrees(state: DeductionState, fact: DeductionFact) -> bool:
    """Whether the witness agrees with a fact."""
    if state.witness is None:
        return False
    places = (*state.setup.players, FACE_UP, MISSING)
    if isinstance(fact, CardAt):
        mask = state.witness[places.index(fact.place)]
        return bool(mask >> state.deck.index(fact.card) & 1) == fact.holds
    assert isinstance(fact, TileCount)
    mask = state.witness[places.index(fact.player)]
    number = sum(
        fact.what.matches(tile) for index, tile in enumerate(state.deck) if mask >> index & 1
    )
    return fact.low <= number <= fact.high


def find_witness(state: DeductionState) -> tuple[tuple[int, ...] | None, bool]:
    """A deal that fits all that is known.

    Returns:
        The deal as masks if a search found one, and whether there is any.
    """
    return _witness_for(knowledge_of(state))


@lru_cache(maxsize=1024)
def _witness_for(knowledge: DeductionKnowledge) -> tuple[tuple[int, ...] | None, bool]:
    """`find_witness`, cached: undo and correction bring the same knowledge again."""
    problem = tile_problem(knowledge)
    try:
        found = find_world(problem)
    except SearchTooLongError:
        from companion.games.deduction.engine.count import count_total

        return None, count_total(problem) > 0
    return found, found is not None


@lru_cache(maxsize=256)
def _conflict_in(knowledge: DeductionKnowledge) -> tuple[DeductionFact, ...]:
    # Only here is the counting engine needed, so that play does without it.
    from companion.games.deduction.engine.solve import conflict

    why = conflict(knowledge)
    return () if why is None else why.facts


class _Deals(Consistency[DeductionState, DeductionFact]):
    """Deduction's answers against each other and the tiles that were seen."""

    def search(self, state: DeductionState) -> tuple[tuple[int, ...] | None, bool]:
        return find_witness(state)

    def conflict(self, state: DeductionState) -> tuple[DeductionFact, ...]:
        return _conflict_in(knowledge_of(state))

    def doubt(self, state: DeductionState, events: set[int]) -> DeductionState:
        return doubt(state, events)

    def in_words(self, state: DeductionState, facts: Sequence[DeductionFact]) -> list[str]:
        """Three or more tiles of one event in one place are counted, not listed."""
        groups: dict[tuple[int, str], list[str]] = {}
        for fact in facts:
            key = (fact.event, fact.place if isinstance(fact, CardAt) else "")
            groups.setdefault(key, []).append(fact.text)
        texts = []
        for (event, place), each in groups.items():
            whole = phrase(
                "{count} tiles are face up ({event})"
                if place == FACE_UP
                else "{count} tiles are in {place}'s hand ({event})",
                count=len(each),
                place=place,
                event=event,
            )
            texts += each if len(each) < 3 else [whole]
        return texts


_DEALS = _Deals()


def check_answer(state: DeductionState, n: int) -> DeductionState:
    """Checks whether the last answer fits everything known; if not, finds and doubts it."""
    question = state.questions[-1]
    if state.muddled or question.doubted or _agrees(state, answer_fact(state, question)):
        return state
    text = N_("{name} says {said} ({n}), which no deal allows")
    lead = state.phrase(text, name=question.of, said=question.said, n=n)
    everywhere = sum(map(question.face.matches, state.deck))
    if question.bounds[0] <= everywhere:
        return _DEALS.check_answer(state, n, lead)
    number = number_of(everywhere, question.face)
    text = N_("{lead}: there are only {number}.")
    return doubt(find(state, n, FindingKind.IMPOSSIBLE, text, lead=lead, number=number), {n})


def check_facts(state: DeductionState, n: int, lead: str) -> DeductionState:
    """Checks whether newly seen tiles fit everything known; if not, doubts answers in conflict.

    Args:
        state: with what was seen.
        n: the event that showed it.
        lead: the event in words, e.g. `the tiles turned up (1)`.
    """
    if state.muddled or all(_agrees(state, fact) for fact in facts_of(state) if fact.event == n):
        return state
    return _DEALS.check_cards(state, n, lead)


def doubt(state: DeductionState, events: set[int], *, false: bool = False) -> DeductionState:
    """Nothing is concluded any more from the answers that these events gave; `false`: found so."""
    questions = tuple(
        evolve(q, doubted=True, false=q.false or false) if q.answer in events else q
        for q in state.questions
    )
    return evolve(state, questions=questions)


# -- against tiles that were seen --------------------------------------------------------------


def refuted(state: DeductionState, question: Question) -> str | None:
    """The tiles that make an answer false, in words; None if what was seen allows it."""
    low, high = question.bounds
    seat, face = question.of, question.face
    known = [tile for tile in state.known_tiles(seat) if face.matches(tile)]
    if len(known) > high:
        if high:
            events = ", ".join(f"{tile.code} ({state.ledger[tile].n})" for tile in known)
            return state.phrase("{name}'s hand has {events}", name=seat, events=events)
        tile, place = known[0], at(state, state.ledger[known[0]])
        return state.phrase("{tile} ({tile2}) is {where}", tile=tile, tile2=tile.name, where=place)
    if state.whole_hand(seat) is None or len(known) >= low:
        return None
    n = state.turned[seat] or state.hand_events[seat]
    text = N_("{name}'s hand ({n})") if n else N_("{name}'s hand, all of which was seen,")
    where = state.phrase(text, name=seat, n=n)
    return phrase("{where} has {number}", where=where, number=number_of(len(known), face))


def check_seen(state: DeductionState, seat: int, n: int) -> DeductionState:
    """Compares all answers of a seat with the tiles seen in its hand, and the verdicts."""
    false: set[int] = set()
    for question in state.questions:
        if question.of != seat or not question.answer or question.false:
            continue
        reason = refuted(state, question)
        if reason is not None:
            state = find(
                state,
                question.answer,
                FindingKind.FALSE_ANSWER,
                "{name} said {said} ({answer}), but {reason}.",
                name=seat,
                said=question.said,
                answer=question.answer,
                reason=reason,
                found_at=n,
            )
            false.add(question.answer)
    return check_missing(doubt(state, false, false=True), n)


def missing_by_elimination(state: DeductionState) -> Card | None:
    """The missing tile, if all others were seen."""
    rest = [tile for tile in state.deck if tile not in state.ledger]
    return rest[0] if len(rest) == 1 else None


def check_missing(state: DeductionState, n: int) -> DeductionState:
    """Compares verdicts and peeks with each other and with the tiles seen elsewhere."""
    state = _check_peeks(state, n)
    for index, item in enumerate(state.announcements):
        if not item.verdict or item.doubted:
            continue
        reason = _verdict_refuted(state, item)
        if reason is None:
            continue
        state = find(
            state,
            item.verdict,
            FindingKind.FALSE_ANSWER,
            "{name}'s {tile} was said to be {said} ({verdict}), but {reason}.",
            name=item.by,
            tile=item.tile,
            said="right" if item.right else "wrong",
            verdict=item.verdict,
            reason=reason,
            found_at=n,
        )
        fixed = evolve(item, doubted=True)
        state = evolve(state, announcements=put(state.announcements, index, fixed))
    return state


def _verdict_refuted(state: DeductionState, item: Announcement) -> str | None:
    """Why a verdict is false; None if nothing contradicts it."""
    place = state.ledger.get(item.tile)
    if item.right and place is not None:
        return state.phrase("{tile} is {where}", tile=item.tile, where=at(state, place))
    for peek in state.peeks:
        if peek.tile is None or peek.doubted or not peek.tile.is_known:
            continue
        if (peek.tile is item.tile) != item.right:
            return state.phrase("the missing tile is {tile} ({n})", tile=peek.tile, n=peek.n)
    if not item.right and missing_by_elimination(state) is item.tile:
        return N_("all other tiles were seen")
    return None


def _check_peeks(state: DeductionState, n: int) -> DeductionState:
    """A peeked tile lies nowhere else, and all peeks agree."""
    first: Card | None = None
    first_n = 0
    for index, peek in enumerate(state.peeks):
        tile = peek.tile
        if tile is None or not tile.is_known or peek.doubted:
            continue
        place = state.ledger.get(tile)
        if place is not None and tile not in state.reported:
            where, kind = at(state, place), FindingKind.DUPLICATE_CARD
            text = N_("{tile} is seen twice: {where} and as the missing tile ({n}).")
            state = find(state, n, kind, text, tile=tile, where=where, n=peek.n)
            state = evolve(state, reported=state.reported | {tile})
        elif first is not None and first is not tile:
            kind = FindingKind.IMPOSSIBLE
            text = N_("The missing tile cannot be both {other} ({n}) and {tile} ({n2}).")
            state = find(state, n, kind, text, other=first, n=first_n, tile=tile, n2=n)
        else:
            first, first_n = first or tile, first_n or peek.n
            continue
        doubted = put(state.peeks, index, evolve(peek, doubted=True))
        state = evolve(state, peeks=doubted, witness=None)
    return state
