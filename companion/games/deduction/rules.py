"""What tiles become known in Deduction, and a turn: coin, question, answer, the tile shown."""

from __future__ import annotations

from companion.cards import Card, Family
from companion.core.events import Event
from companion.core.game import require_hand, require_turn
from companion.core.state import (
    FindingKind,
    evolve,
    find,
    hand_zone,
    move_to,
    put,
    record,
    say,
    take,
)
from companion.core.syntax import CardPart, CardsPart, ChoicePart, NumberPart, PlayerPart, WordPart
from companion.core.verb import Secrecy, VerbTable, Who
from companion.errors import IllegalError
from companion.games.deduction import audit
from companion.games.deduction.engine.facts import face_words
from companion.games.deduction.state import (
    CENTRE,
    FACES,
    ONE_OF_FACE,
    DeductionState,
    Question,
    face_name,
    read_face,
)
from companion.phrases import N_, joined, phrase

_TILE = CardPart(Family.TILE, "TILE")
VERBS = VerbTable[DeductionState]()


# -- tiles that become known: turned up for all, in a hand, at the end ----------------------------


def verify_tiles(state: DeductionState, tiles: tuple[Card, ...]) -> None:
    """Refuses tiles that are not in play (with a custom deck)."""
    for tile in tiles:
        if tile.is_known and tile not in state.deck:
            raise state.illegal("{tile} is not among the tiles of this match.", tile=tile)


def verify_up(state: DeductionState, event: Event) -> None:
    """As many tiles as are left over, once."""
    tiles = event.args[0]
    if state.up is not None:
        raise IllegalError("The tiles turned up are recorded already; correct that event instead.")
    if len(tiles) != state.left_over:
        text = N_("{left_over} tiles are left over and turned up, not {count}.")
        raise state.illegal(text, left_over=state.left_over, count=len(tiles))
    verify_tiles(state, tiles)


@VERBS(
    "up",
    "Record the left-over tiles that are turned up for all.",
    verify_up,
    CardsPart(Family.TILE, "TILES"),
    who=Who.TABLE,
)
def apply_up(state: DeductionState, event: Event) -> DeductionState:
    """Turns up the left-over tiles."""
    tiles = event.args[0]
    state = record(state, tiles, CENTRE, event.n)
    state = evolve(state, up=tiles, up_event=event.n)
    names = joined(", ", (tile.name for tile in tiles))
    state = say(state, "Turned up for all: {name}.", name=names)
    state = audit.check_missing(state, event.n)
    return audit.check_facts(state, event.n, phrase("the tiles turned up ({n})", n=event.n))


def on_hand(state: DeductionState, event: Event) -> DeductionState:
    """A hand was recorded: compares it with what was said and shown before."""
    if event.hidden:
        return state
    seat, n = event.actor, event.n
    state = _compare_known(state, seat, event.args[0], n)
    state = audit.check_seen(state, seat, n)
    lead = state.phrase("{name}'s recorded hand ({n})", name=seat, n=n)
    return audit.check_facts(state, n, lead)


def _compare_known(
    state: DeductionState, seat: int, tiles: tuple[Card, ...], n: int
) -> DeductionState:
    """Tiles seen in a hand before must be among all of its tiles, once these are listed."""
    if len(tiles) != state.hand_size:
        return state
    rest: tuple[Card, ...] | None = tiles
    for tile in state.known_tiles(seat):
        place = state.ledger[tile]
        left = take(rest, tile) if rest is not None else None
        if left is None and place.n != n and tile not in state.reported:
            state = find(
                state,
                n,
                FindingKind.IMPOSSIBLE,
                "{name} was seen with {tile} ({n}), but the hand listed at {n2} has no such tile.",
                name=seat,
                tile=tile,
                n=place.n,
                n2=n,
            )
            state = evolve(state, reported=state.reported | {tile}, muddled=True)
        rest = left if left is not None else rest
    return state


def verify_reveal(state: DeductionState, event: Event) -> None:
    """At most a whole hand can be turned up."""
    tiles = event.args[0]
    if len(tiles) > state.hand_size:
        text = N_("{name} holds {hand_size} tiles, not {count}.")
        raise state.illegal(text, name=event.actor, hand_size=state.hand_size, count=len(tiles))
    verify_tiles(state, tiles)


def on_reveal(state: DeductionState, event: Event) -> DeductionState:
    """A hand, or a part of it, was turned up: the audit of everything said about it."""
    if event.hidden:
        return state
    seat, tiles, n = event.actor, event.args[0], event.n
    held = state.held[seat]
    before = len(state.findings)
    for tile in tiles if held is not None else ():
        rest = take(held, tile) if held is not None else None
        if rest is None and tile not in state.reported:
            state = find(
                state,
                n,
                FindingKind.IMPOSSIBLE,
                "{name} turns up {tile} ({n}), but {name}'s recorded hand ({hand_events}) "
                "has no such tile.",
                name=seat,
                tile=tile,
                n=n,
                hand_events=state.hand_events[seat],
            )
            state = evolve(state, reported=state.reported | {tile})
        held = rest if rest is not None else held
    if len(tiles) == state.hand_size and all(tile.is_known for tile in tiles):
        if len(state.findings) == before:
            state = _compare_known(state, seat, tiles, n)
        turned = put(state.turned, seat, n)
        state = evolve(state, held=put(state.held, seat, tiles), turned=turned)
    state = evolve(state, muddled=state.muddled or len(state.findings) > before)
    state = audit.check_seen(state, seat, n)
    lead = state.phrase("the tiles that {name} turns up ({n})", name=seat, n=n)
    return audit.check_facts(state, n, lead)


# -- a turn ---------------------------------------------------------------------------------------


def _require_open(state: DeductionState) -> None:
    """Refuses to go on while an answer, a tile to be shown or a verdict is due.

    Raises:
        IllegalError: says what is due.
    """
    question = state.question
    if question is not None and not question.answer:
        number, word = (
            N_("{name} has yet to answer: a number."),
            N_("{name} has yet to answer: yes or no."),
        )
        raise state.illegal(number if question.count else word, name=question.of)
    if question is not None and question.must_show:
        raise state.illegal(
            "After the Yes {name} shows {name2} a matching tile: “{name}*{name2}: show "
            "TILE” (or ??).",
            name=question.of,
            name2=question.by,
        )
    if state.announced is not None:
        raise IllegalError("The announcement waits for its verdict: table: right, or wrong.")


def verify_coin(state: DeductionState, event: Event) -> None:
    """One coin per turn, with both of its faces."""
    require_turn(state, event.actor)
    _require_open(state)
    coin = event.args[0]
    if state.coin is not None:
        raise state.illegal("The coin of this turn is drawn: {coin}.", coin=state.coin.name)
    if not coin.is_known:
        raise IllegalError(
            "A coin shows its value on one face and its suit on the other: name both."
        )
    require_hand(state, event.actor)


@VERBS("coin", "Draw a coin and reveal both faces.", verify_coin, CardPart(Family.COIN, "COIN"))
def apply_coin(state: DeductionState, event: Event) -> DeductionState:
    """Reveals the coin."""
    coin = event.args[0]
    state = evolve(state, coin=coin, asked=False)
    return say(state, "{name} draws the {coin}.", name=event.actor, coin=coin.name)


def coin_faces(coin: Card) -> tuple[str, str]:
    """What a coin allows to ask about: its suit and its value, as written in a question."""
    suit = next(name for name, face in FACES.items() if face.suit == coin.suit)
    value = next(name for name, face in FACES.items() if face.rank == coin.rank)
    return suit, value


def verify_ask(state: DeductionState, event: Event) -> None:
    """One question per turn, to another player, about the coin's suit or value."""
    other, _, what = event.args
    require_turn(state, event.actor)
    if state.coin is None:
        raise IllegalError("Draw a coin first. Which is it?")
    _require_open(state)
    if not state.may_ask:
        raise IllegalError("One question per turn: announce the missing tile, or end with “done”.")
    if other == event.seat:
        raise IllegalError("Ask another player, not yourself.")
    allowed = coin_faces(state.coin)
    if what not in allowed:
        raise state.illegal(
            "The {coin} allows questions about {allowed} or {allowed2}, not {what}.",
            coin=state.coin.name,
            allowed=allowed[0],
            allowed2=allowed[1],
            what=what,
        )


@VERBS(
    "ask",
    "Ask another player: do you have a, or how many, of the coin's suit or value.",
    verify_ask,
    PlayerPart("OTHER"),
    ChoicePart(("have", "count")),
    WordPart(read_face, "|".join(FACES)),
)
def apply_ask(state: DeductionState, event: Event) -> DeductionState:
    """Notes the question."""
    other, kind, what = event.args
    question = Question(event.n, event.actor, other, kind == "count", FACES[what])
    state = evolve(state, questions=(*state.questions, question), asked=True)
    return say(
        state,
        "{asker} asks {asked}: {text}",
        asker=state.setup.players[event.actor],
        asked=state.setup.players[other],
        text=phrase("how many {words} do you have?", words=face_words(question.face))
        if question.count
        else phrase("do you have {one}?", one=ONE_OF_FACE[question.face.code]),
    )


def _own_bounds(state: DeductionState, question: Question) -> tuple[int, int]:
    """Least and greatest number of matching tiles by the answerer's own recorded hand."""
    held = state.held[question.of]
    if held is None:
        return 0, state.hand_size
    sure = sum(tile.is_known and question.face.matches(tile) for tile in held)
    return sure, sure + sum(not t.is_known and question.face.matches(t) for t in held)


def verify_answer(state: DeductionState, event: Event) -> None:
    """Yes or no to “do you have”, a number to “how many”; by a hand that is trusted, the truth."""
    question, is_number = state.question, event.verb == "number"
    if question is None or question.answer:
        raise IllegalError("There is no question to answer.")
    if question.of != event.seat:
        raise state.illegal("The question was put to {name}.", name=question.of)
    if question.count != is_number:
        raise IllegalError(
            "The question wants a number." if question.count else "The question wants yes or no."
        )
    require_hand(state, question.of)
    low, high = (1, state.hand_size) if event.verb == "yes" else (0, 0)
    if is_number:
        low = high = event.args[0]
    least, most = _own_bounds(state, question)
    if state.setup.trusted[question.of] and (least > high or most < low):
        raise state.illegal(
            "{name}'s recorded hand says otherwise: the answer is false.", name=question.of
        )


@VERBS("number", "How many I have.", verify_answer, NumberPart(0, 1000, "NUMBER"), bare=True)
@VERBS("no", "No, I have none.", verify_answer)
@VERBS("yes", "Yes, I have one; then a matching tile is shown to the asker alone.", verify_answer)
def apply_answer(state: DeductionState, event: Event) -> DeductionState:
    """Notes the answer and checks whether it is possible."""
    question = state.question
    assert question is not None
    number = event.args[0] if event.args else int(event.verb == "yes")
    question = evolve(question, answer=event.n, number=number)
    state = evolve(state, questions=(*state.questions[:-1], question))
    words = str(number) if question.count else "Yes" if number else "No"
    state = say(state, "{name} answers: {words}.", name=question.of, words=words)
    reason = audit.refuted(state, question)
    if reason is not None:
        state = find(
            state,
            event.n,
            FindingKind.FALSE_ANSWER,
            "{name} says {said} ({n}), but {reason}.",
            name=question.of,
            said=question.said,
            n=event.n,
            reason=reason,
        )
        return audit.doubt(state, {event.n}, false=True)
    return audit.check_answer(state, event.n)


def verify_show(state: DeductionState, event: Event) -> None:
    """After a Yes, one matching tile, to the asker alone."""
    question, tile = state.question, event.args[0]
    if question is None or not question.must_show:
        raise IllegalError("A tile is shown once, after a Yes.")
    if event.seat != question.of:
        raise state.illegal("{name} said Yes and shows a tile.", name=question.of)
    if event.audience != frozenset({question.of, question.by}):
        raise state.illegal("The tile is shown to {name} alone.", name=question.by)
    if not question.face.matches(tile):
        text = N_("The tile shown must match the question, {face}: {tile} does not.")
        raise state.illegal(text, face=face_name(question.face), tile=tile)
    verify_tiles(state, (tile,))
    held = state.held[question.of]
    if state.setup.trusted[question.of] and held is not None and take(held, tile) is None:
        raise state.illegal("{name}'s recorded hand has no {tile}.", name=question.of, tile=tile)


@VERBS(
    "show", "Show one matching tile to the asker alone.", verify_show, _TILE, secrecy=Secrecy.SHARED
)
def apply_show(state: DeductionState, event: Event) -> DeductionState:
    """Shows a tile; only the two of them learn which."""
    question = state.question
    assert question is not None
    seat, n = question.of, event.n
    tile = None if event.hidden else event.args[0]
    shown = evolve(question, shown=n, tile=tile)
    state = evolve(state, questions=(*state.questions[:-1], shown))
    state = say(state, "{name} shows {name2} a tile.", name=seat, name2=question.by)
    if tile is None:
        return state
    before = len(state.findings)
    held = state.held[seat]
    if held is None or take(held, tile) is not None:
        state = record(state, (tile,), hand_zone(seat), n, come_from=(hand_zone(seat),))
    else:
        state = find(
            state,
            n,
            FindingKind.IMPOSSIBLE,
            "{name} shows {tile} ({n}), but {name}'s recorded hand ({n2}) has no such tile.",
            name=seat,
            tile=tile,
            n=n,
            n2=state.hand_events[seat],
        )
    if len(state.findings) > before or not tile.is_known:
        return state
    state = audit.check_seen(state, seat, n)
    lead = state.phrase("{tile} in {name}'s hand ({n})", tile=tile, name=seat, n=n)
    return audit.check_facts(state, n, lead)


def verify_done(state: DeductionState, event: Event) -> None:
    """Ends a turn in which the question was asked and answered."""
    require_turn(state, event.actor)
    _require_open(state)
    if state.coin is None or not state.asked:
        raise IllegalError("A turn is a coin and one question: draw and ask first.")


@VERBS("done", "End the turn without an announcement.", verify_done)
def apply_done(state: DeductionState, event: Event) -> DeductionState:
    """The coin goes back and the next player draws."""
    return next_turn(state)


def next_turn(state: DeductionState) -> DeductionState:
    """Clockwise to the next player who is still in."""
    count, mover = len(state.setup.players), state.table.to_move
    assert mover is not None
    order = ((mover + step) % count for step in range(1, count + 1))
    follower = next(seat for seat in order if seat not in state.out)
    state = move_to(evolve(state, coin=None, asked=False), follower)
    return say(state, "The coin goes back; it is {name}'s turn.", name=follower)
