"""A turn of Deduction: the coin, the question, the answer, the tile shown."""

from __future__ import annotations

from companion.cards import Card
from companion.errors import IllegalError
from companion.events import Event
from companion.game import require_hand, require_turn
from companion.games.deduction import checks
from companion.games.deduction.state import FACES, DeductionState, Question, face_name
from companion.games.deduction.tiles import verify_tiles
from companion.notepad.deduction_facts import face_words
from companion.state import FindingKind, evolve, find, hand_zone, record, say, take


def _require_open(state: DeductionState) -> None:
    """Refuses to go on while an answer, a tile to be shown or a verdict is due.

    Raises:
        IllegalError: says what is due.
    """
    names, question = state.setup.players, state.question
    if question is not None and not question.answer:
        how = "a number" if question.count else "yes or no"
        raise IllegalError(f"{names[question.of]} has yet to answer: {how}.")
    if question is not None and question.must_show:
        raise IllegalError(
            f"After the Yes {names[question.of]} shows {names[question.by]} a matching tile: "
            f"“{names[question.of]}*{names[question.by]}: show TILE” (or ??)."
        )
    if state.announced is not None:
        raise IllegalError("The announcement waits for its verdict: table: right, or wrong.")


def verify_coin(state: DeductionState, event: Event) -> None:
    """One coin a turn, with both of its faces."""
    require_turn(state, event.seat)
    _require_open(state)
    coin = event.args[0]
    if state.coin is not None:
        raise IllegalError(f"The coin of this turn is drawn: {state.coin.name}.")
    if not coin.is_known:
        raise IllegalError(
            "A coin shows its value on one face and its suit on the other: name both."
        )
    assert event.seat is not None
    require_hand(state, event.seat)


def apply_coin(state: DeductionState, event: Event) -> DeductionState:
    """Reveals the coin."""
    coin = event.args[0]
    state = evolve(state, coin=coin, asked=False)
    return say(state, f"{state.setup.name(event.seat)} draws the {coin.name}.")


def coin_faces(coin: Card) -> tuple[str, str]:
    """What a coin allows to ask about: its suit and its value, as written in a question."""
    suit = next(name for name, face in FACES.items() if face.suit == coin.suit)
    value = next(name for name, face in FACES.items() if face.rank == coin.rank)
    return suit, value


def verify_ask(state: DeductionState, event: Event) -> None:
    """One question a turn, to another player, about the coin's suit or value."""
    other, _, what = event.args
    require_turn(state, event.seat)
    if state.coin is None:
        raise IllegalError("Draw a coin first: NAME: coin COIN.")
    _require_open(state)
    if state.asked:
        raise IllegalError("One question a turn: announce the missing tile, or end with “done”.")
    if other == event.seat:
        raise IllegalError("Ask another player, not yourself.")
    allowed = coin_faces(state.coin)
    if what not in allowed:
        raise IllegalError(
            f"The {state.coin.name} allows questions about {allowed[0]} or {allowed[1]}, "
            f"not {what}."
        )


def apply_ask(state: DeductionState, event: Event) -> DeductionState:
    """Notes the question."""
    other, kind, what = event.args
    assert event.seat is not None
    question = Question(event.n, event.seat, other, kind == "count", FACES[what])
    asker, asked = state.setup.players[event.seat], state.setup.players[other]
    words = face_words(question.face)
    text = f"how many {words} do you have?" if question.count else f"do you have {_one(what)}?"
    state = evolve(state, questions=(*state.questions, question), asked=True)
    return say(state, f"{asker} asks {asked}: {text}")


def _one(what: str) -> str:
    """One of a face with its article: `a Sun`, `an Ace`, `a 3`."""
    word = what.removesuffix("s")
    return f"{'an' if word == 'Ace' else 'a'} {word}"


def _require_asked(state: DeductionState, event: Event, *, count: bool) -> Question:
    """The question that the event's seat has to answer.

    Raises:
        IllegalError: there is none, or it wants another kind of answer.
    """
    question = state.question
    if question is None or question.answer:
        raise IllegalError("There is no question to answer.")
    if question.of != event.seat:
        raise IllegalError(f"The question was put to {state.setup.players[question.of]}.")
    if question.count != count:
        want = "a number" if question.count else "yes or no"
        raise IllegalError(f"The question wants {want}.")
    require_hand(state, question.of)
    return question


def _own_bounds(state: DeductionState, question: Question) -> tuple[int, int]:
    """Least and greatest number of matching tiles by the answerer's own recorded hand."""
    held = state.held[question.of]
    if held is None:
        return 0, state.hand_size
    sure = sum(tile.is_known and question.face.matches(tile) for tile in held)
    return sure, sure + sum(not t.is_known and question.face.matches(t) for t in held)


def _verify_truth(state: DeductionState, question: Question, low: int, high: int) -> None:
    """Refuses a false answer of a player who trusts the referee.

    Raises:
        IllegalError: the recorded hand says otherwise.
    """
    least, most = _own_bounds(state, question)
    if state.setup.trusted[question.of] and (least > high or most < low):
        name = state.setup.players[question.of]
        raise IllegalError(f"{name}'s recorded hand says otherwise: the answer is false.")


def verify_yes(state: DeductionState, event: Event) -> None:
    """Yes to “do you have”."""
    question = _require_asked(state, event, count=False)
    _verify_truth(state, question, 1, state.hand_size)


def verify_no(state: DeductionState, event: Event) -> None:
    """No to “do you have”."""
    question = _require_asked(state, event, count=False)
    _verify_truth(state, question, 0, 0)


def verify_number(state: DeductionState, event: Event) -> None:
    """The number to “how many”."""
    question = _require_asked(state, event, count=True)
    _verify_truth(state, question, event.args[0], event.args[0])


def apply_answer(state: DeductionState, event: Event) -> DeductionState:
    """Notes the answer and looks whether it can be."""
    question = state.question
    assert question is not None
    number = event.args[0] if event.args else int(event.verb == "yes")
    question = evolve(question, answer=event.n, number=number)
    state = evolve(state, questions=(*state.questions[:-1], question))
    name = state.setup.players[question.of]
    words = str(number) if question.count else "Yes" if number else "No"
    state = say(state, f"{name} answers: {words}.")
    reason = checks.refuted(state, question)
    if reason is not None:
        message = f"{name} says {question.said} ({event.n}), but {reason}."
        state = find(state, event.n, FindingKind.FALSE_ANSWER, message)
        return checks.doubt(state, {event.n}, false=True)
    return checks.check_answer(state, event.n)


def verify_show(state: DeductionState, event: Event) -> None:
    """After a Yes, one matching tile, to the asker alone."""
    question, tile = state.question, event.args[0]
    names = state.setup.players
    if question is None or not question.must_show:
        raise IllegalError("A tile is shown once, after a Yes.")
    if event.seat != question.of:
        raise IllegalError(f"{names[question.of]} said Yes and shows a tile.")
    if event.audience != frozenset({question.of, question.by}):
        raise IllegalError(f"The tile is shown to {names[question.by]} alone.")
    if not question.face.matches(tile):
        raise IllegalError(
            f"The tile shown must match the question, {face_name(question.face)}: {tile.code} "
            "does not."
        )
    verify_tiles(state, (tile,))
    held = state.held[question.of]
    if state.setup.trusted[question.of] and held is not None and take(held, tile) is None:
        raise IllegalError(f"{names[question.of]}'s recorded hand has no {tile.code}.")


def apply_show(state: DeductionState, event: Event) -> DeductionState:
    """Shows a tile; only the two of them learn which."""
    question = state.question
    assert question is not None
    names = state.setup.players
    shown = evolve(question, shown=event.n, tile=None if event.hidden else event.args[0])
    state = evolve(state, questions=(*state.questions[:-1], shown))
    state = say(state, f"{names[question.of]} shows {names[question.by]} a tile.")
    if event.hidden:
        return state
    tile = event.args[0]
    zone = hand_zone(question.of)
    before = len(state.findings)
    held = state.held[question.of]
    if held is None or tile in held or take(held, tile) is not None:
        state = record(state, (tile,), zone, event.n, come_from=(zone,))
    else:
        n = state.hand_events[question.of]
        name = names[question.of]
        message = (
            f"{name} shows {tile.code} ({event.n}), but {name}'s recorded hand ({n}) has no such "
            f"tile."
        )
        state = find(state, event.n, FindingKind.IMPOSSIBLE, message)
    if len(state.findings) > before or not tile.is_known:
        return state
    state = checks.check_seen(state, question.of, event.n)
    return checks.check_facts(
        state, event.n, f"{tile.code} in {names[question.of]}'s hand ({event.n})"
    )


def verify_done(state: DeductionState, event: Event) -> None:
    """Ends a turn in which the question was asked and answered."""
    require_turn(state, event.seat)
    _require_open(state)
    if state.coin is None or not state.asked:
        raise IllegalError("A turn is a coin and one question: draw and ask first.")


def apply_done(state: DeductionState, event: Event) -> DeductionState:
    """The coin goes back and the next player draws."""
    return next_turn(state)


def next_turn(state: DeductionState) -> DeductionState:
    """Clockwise to the next player who is still in."""
    count, mover = len(state.setup.players), state.table.to_move
    assert mover is not None
    order = ((mover + step) % count for step in range(1, count + 1))
    follower = next(seat for seat in order if seat not in state.out)
    table = evolve(state.table, to_move=follower)
    state = evolve(state, coin=None, asked=False, table=table)
    return say(state, f"The coin goes back; it is {state.setup.players[follower]}'s turn.")
