"""What contradicts what: answers against tiles that were seen, and against each other.

Every fold checks what it can. A tile that was seen is a fact; an answer that it refutes is false.
Answers that together fit no deal are impossible. A deal that fits everything known is kept as a
witness. If a new answer disagrees with it, another deal is searched for; if there is none, the
smallest set of facts that conflict is named.
"""

from __future__ import annotations

from functools import lru_cache

from companion.cards import Card
from companion.core.state import FindingKind, Place, at, evolve, find, put
from companion.games.deduction.engine.facts import (
    FACE_UP,
    MISSING,
    DeductionFact,
    DeductionKnowledge,
    TileAt,
    TileCount,
    face_words,
    tile_problem,
)
from companion.games.deduction.engine.repair import repair
from companion.games.deduction.engine.search import SearchTooLongError, find_world
from companion.games.deduction.state import Announcement, DeductionState, Peek, Question, number_of
from companion.phrases import joined, phrase

# -- what is known -----------------------------------------------------------------------------


def answer_fact(state: DeductionState, question: Question) -> TileCount:
    """An answer as a fact, with its words and event."""
    low, high = question.bounds
    name, words = state.setup.players[question.of], face_words(question.face)
    if question.count or not question.number:
        words = number_of(question.number, question.face)
    return TileCount(
        event=question.answer,
        text=phrase(
            "{name} has {words} ({answer})", name=name, words=words, answer=question.answer
        ),
        player=name,
        what=question.face,
        low=low,
        high=high,
    )


def _tile_fact(state: DeductionState, tile: Card, place: Place) -> TileAt:
    _, _, seat = place.zone.partition(":")
    owner = state.setup.players[int(seat) - 1] if seat else FACE_UP
    where = phrase("in {owner}'s hand", owner=owner) if seat else "face up"
    text = phrase("{tile} is {where} ({n})", tile=tile.code, where=where, n=place.n)
    return TileAt(event=place.n, text=text, tile=tile, place=owner)


def _missing_fact(tile: Card, n: int, *, holds: bool) -> TileAt:
    text = phrase(
        "{tile} is {word}the missing tile ({n})", tile=tile.code, word="" if holds else "not ", n=n
    )
    return TileAt(event=n, text=text, tile=tile, place=MISSING, holds=holds)


def facts_of(state: DeductionState) -> tuple[DeductionFact, ...]:
    """Everything that the state's owner knows, without doubted answers and verdicts."""
    facts: list[DeductionFact] = [
        _tile_fact(state, tile, place) for tile, place in state.ledger.items()
    ]
    facts += [answer_fact(state, q) for q in state.questions if q.answer and not q.doubted]
    facts += [
        _missing_fact(a.tile, a.verdict, holds=a.right)
        for a in state.announcements
        if a.verdict and not a.doubted
    ]
    facts += [
        _missing_fact(p.tile, p.n, holds=True)
        for p in state.peeks
        if p.tile is not None and p.tile.is_known and not p.doubted
    ]
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
    if isinstance(fact, TileAt):
        mask = state.witness[places.index(fact.place)]
        return bool(mask >> state.deck.index(fact.tile) & 1) == fact.holds
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
    return _witness_for(knowledge_of(state), state.witness)


@lru_cache(maxsize=1024)
def _witness_for(
    knowledge: DeductionKnowledge, before: tuple[int, ...] | None
) -> tuple[tuple[int, ...] | None, bool]:
    """`find_witness`; the same knowledge comes again with each undo and correction."""
    problem = tile_problem(knowledge)
    mended = repair(problem, before) if before is not None else None
    if mended is not None:
        return mended, True
    try:
        found = find_world(problem)
    except SearchTooLongError:
        from companion.games.deduction.engine.count import count_total

        return None, count_total(problem) > 0
    return found, found is not None


def check_answer(state: DeductionState, n: int) -> DeductionState:
    """Checks whether the last answer fits everything known; if not, finds and doubts it."""
    question = state.questions[-1]
    if state.muddled or question.doubted or _agrees(state, answer_fact(state, question)):
        return state
    witness, possible = find_witness(state)
    if possible:
        return evolve(state, witness=witness)
    name, face = state.setup.players[question.of], question.face
    lead = phrase(
        "{name} says {said} ({n}), which no deal allows", name=name, said=question.said, n=n
    )
    everywhere = sum(map(face.matches, state.deck))
    if question.bounds[0] > everywhere:
        message = phrase(
            "{lead}: there are only {number}.", lead=lead, number=number_of(everywhere, face)
        )
        state = find(state, n, FindingKind.IMPOSSIBLE, message)
    else:
        others, _ = _conflict(state, n)
        rest = phrase(": it conflicts with {others}", others=joined("; ", others)) if others else ""
        message = phrase("{lead}{rest}.", lead=lead, rest=rest)
        state = find(state, n, FindingKind.IMPOSSIBLE, message)
    return doubt(state, {question.answer})


def check_facts(state: DeductionState, n: int, lead: str) -> DeductionState:
    """Checks whether newly seen tiles fit everything known; if not, doubts answers in conflict.

    Args:
        state: with what was seen.
        n: the event that showed it.
        lead: the event in words, e.g. `the tiles turned up (1)`.
    """
    if state.muddled or all(_agrees(state, fact) for fact in facts_of(state) if fact.event == n):
        return state
    witness, possible = find_witness(state)
    if possible:
        return evolve(state, witness=witness)
    others, blamed = _conflict(state, n)
    message = phrase(
        "With {lead} these cannot all be true: {others}.", lead=lead, others=joined("; ", others)
    )
    if not others:
        message = phrase("No deal allows {lead}.", lead=lead)
    state = find(state, n, FindingKind.IMPOSSIBLE, message)
    doubted = doubt(state, blamed)
    muddled = doubted.questions == state.questions
    return evolve(doubted, witness=None, muddled=muddled)


@lru_cache(maxsize=256)
def _conflict_in(knowledge: DeductionKnowledge) -> tuple[DeductionFact, ...]:
    # Only here is the counting engine needed, so that play does without it.
    from companion.games.deduction.engine.solve import conflict

    why = conflict(knowledge)
    return () if why is None else why.facts


def _conflict(state: DeductionState, n: int) -> tuple[list[str], set[int]]:
    """A smallest set of facts that fit no deal.

    Returns:
        Those of other events than n in words, and the events of all.
    """
    facts = _conflict_in(knowledge_of(state))
    tiles: dict[tuple[int, str], list[str]] = {}
    for fact in facts:
        key = (fact.event, fact.place if isinstance(fact, TileAt) else "")
        tiles.setdefault(key, []).append(fact.text)
    texts = []
    for (event, place), each in tiles.items():
        if event == n:
            continue
        where = "face up" if place == FACE_UP else phrase("in {place}'s hand", place=place)
        texts += (
            each
            if len(each) < 3
            else [
                phrase(
                    "{count} tiles are {where} ({event})", count=len(each), where=where, event=event
                )
            ]
        )
    return texts, {fact.event for fact in facts}


def doubt(state: DeductionState, events: set[int], *, false: bool = False) -> DeductionState:
    """Nothing is concluded any more from the answers that these events gave.

    Args:
        state: before.
        events: their numbers.
        false: whether findings were made that they are false.
    """
    questions = tuple(
        evolve(q, doubted=True, false=q.false or false) if q.answer in events else q
        for q in state.questions
    )
    return evolve(state, questions=questions)


# -- against tiles that were seen --------------------------------------------------------------


def refuted(state: DeductionState, question: Question) -> str | None:
    """The tiles that make an answer false, in words; None if what was seen allows it."""
    low, high = question.bounds
    name = state.setup.players[question.of]
    known = [tile for tile in state.known_tiles(question.of) if question.face.matches(tile)]
    if len(known) > high:
        if high == 0:
            tile = known[0]
            return phrase(
                "{tile} ({tile2}) is {where}",
                tile=tile.code,
                tile2=tile.name,
                where=at(state, state.ledger[tile]),
            )
        events = ", ".join(f"{tile.code} ({state.ledger[tile].n})" for tile in known)
        return phrase("{name}'s hand has {events}", name=name, events=events)
    if state.whole_hand(question.of) is not None and len(known) < low:
        n = state.turned[question.of] or state.hand_events[question.of]
        where = (
            phrase("{name}'s hand ({n})", name=name, n=n)
            if n
            else phrase("{name}'s hand, all of which was seen,", name=name)
        )
        return phrase(
            "{where} has {number}", where=where, number=number_of(len(known), question.face)
        )
    return None


def check_seen(state: DeductionState, seat: int, n: int) -> DeductionState:
    """Compares all answers of a seat with the tiles seen in its hand, and the verdicts."""
    name = state.setup.players[seat]
    false: set[int] = set()
    for question in state.questions:
        if question.of != seat or not question.answer or question.false:
            continue
        reason = refuted(state, question)
        if reason is not None:
            message = phrase(
                "{name} said {said} ({answer}), but {reason}.",
                name=name,
                said=question.said,
                answer=question.answer,
                reason=reason,
            )
            kind = FindingKind.FALSE_ANSWER
            state = find(state, question.answer, kind, message, found_at=n)
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
        name, said = state.setup.players[item.by], "right" if item.right else "wrong"
        message = phrase(
            "{name}'s {tile} was said to be {said} ({verdict}), but {reason}.",
            name=name,
            tile=item.tile.code,
            said=said,
            verdict=item.verdict,
            reason=reason,
        )
        state = find(state, item.verdict, FindingKind.FALSE_ANSWER, message, found_at=n)
        fixed = evolve(item, doubted=True)
        state = evolve(state, announcements=put(state.announcements, index, fixed))
    return state


def _verdict_refuted(state: DeductionState, item: Announcement) -> str | None:
    """Why a verdict is false, None if nothing says so."""
    place = state.ledger.get(item.tile)
    if item.right and place is not None:
        return phrase("{tile} is {where}", tile=item.tile.code, where=at(state, place))
    for peek in state.peeks:
        if peek.tile is None or peek.doubted or not peek.tile.is_known:
            continue
        if (peek.tile is item.tile) != item.right:
            return phrase("the missing tile is {tile} ({n})", tile=peek.tile.code, n=peek.n)
    if not item.right and missing_by_elimination(state) is item.tile:
        return "all other tiles were seen"
    return None


def _check_peeks(state: DeductionState, n: int) -> DeductionState:
    """A peeked tile lies nowhere else, and all peeks agree."""
    first: Peek | None = None
    for index, peek in enumerate(state.peeks):
        tile = peek.tile
        if tile is None or not tile.is_known or peek.doubted:
            continue
        place = state.ledger.get(tile)
        message = kind = None
        if place is not None and tile not in state.reported:
            kind = FindingKind.DUPLICATE_CARD
            message = phrase(
                "{tile} is seen twice: {where} and as the missing tile ({n}).",
                tile=tile.code,
                where=at(state, place),
                n=peek.n,
            )
            state = evolve(state, reported=state.reported | {tile})
        elif first is not None and first.tile is not tile:
            kind = FindingKind.IMPOSSIBLE
            other = first.tile.code if first.tile is not None else ""
            message = phrase(
                "The missing tile cannot be both {other} ({n}) and {tile} ({n2}).",
                other=other,
                n=first.n,
                tile=tile.code,
                n2=n,
            )
        if kind is not None and message is not None:
            state = find(state, n, kind, message)
            state = evolve(
                state, peeks=put(state.peeks, index, evolve(peek, doubted=True)), witness=None
            )
        else:
            first = first or peek
    return state
