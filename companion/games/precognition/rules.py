"""The verbs of Precognition: what they verify and apply, and how a match ends."""

from __future__ import annotations

from companion.cards import Card, speak_cards
from companion.core.events import Event
from companion.core.game import require_hand, require_turn
from companion.core.state import (
    FindingKind,
    evolve,
    find,
    hand_zone,
    next_table,
    put,
    record,
    say,
    take,
)
from companion.errors import IllegalError
from companion.games.precognition.scoring import (
    Stretch,
    best_stretch,
    change,
    longest,
    match_stretch,
)
from companion.games.precognition.state import (
    ROW,
    SUITS_A_RANK,
    PrecognitionState,
    Prediction,
    require_player,
)
from companion.phrases import phrase


def verify_place(state: PrecognitionState, event: Event) -> None:
    """One card each in turn, until the row is complete."""
    if state.is_complete:
        raise IllegalError(
            phrase("The row is complete with its {length} cards.", length=state.length)
        )
    require_turn(state, event.seat)
    assert event.seat is not None
    require_hand(state, event.seat)
    verify_card(event.args[0])


def verify_card(card: Card) -> None:
    """Refuses jokers."""
    if card.is_joker:
        raise IllegalError("Precognition is played without jokers.")


def _add(state: PrecognitionState, card: Card, n: int) -> PrecognitionState:
    """Puts a card at the right end, with its findings; whose it was follows from its place."""
    seat = state.owner(len(state.row))
    zone = hand_zone(seat)
    before = len(state.findings)
    state = record(state, (card,), ROW, n, come_from=(zone,))
    held = state.held[seat]
    if held is not None:
        rest = take(held, card)
        if rest is not None:
            state = evolve(state, held=put(state.held, seat, rest))
        elif len(state.findings) == before and card not in state.reported:
            name = state.setup.players[seat]
            state = find(
                state,
                n,
                FindingKind.IMPOSSIBLE,
                phrase(
                    "{name} places {card} ({n}), but {name}'s recorded hand has no such card.",
                    name=name,
                    card=card.code,
                    n=n,
                ),
            )
    row = (*state.row, card)
    same = sum(other.rank == card.rank for other in row)
    if card.rank is not None and same > SUITS_A_RANK and len(state.findings) == before:
        message = phrase(
            "The row has {same} cards of rank {rank_text} ({n}); a deck has 4.",
            same=same,
            rank_text=card.rank_text,
            n=n,
        )
        state = find(state, n, FindingKind.IMPOSSIBLE, message)
    letter = change(state.row[-1].rank, card.rank) if state.row else ""
    return evolve(state, row=row, changes=state.changes + letter)


def apply_place(state: PrecognitionState, event: Event) -> PrecognitionState:
    """Puts the card at the right end; the last one may end the match."""
    card = event.args[0]
    state = _add(state, card, event.n)
    letter = f" ({state.changes[-1]})" if state.changes else ""
    name = state.setup.name(event.seat)
    state = say(
        state,
        phrase(
            "{name} places {card}{letter}: card {count} of {length}.",
            name=name,
            card=card.code,
            letter=letter,
            count=len(state.row),
            length=state.length,
        ),
    )
    return _go_on(state)


def placed_cards(state: PrecognitionState, seat: int) -> tuple[Card, ...]:
    """The cards of the row that a seat placed, in order."""
    return tuple(card for i, card in enumerate(state.row) if state.owner(i) == seat)


def on_late_hand(state: PrecognitionState, event: Event) -> PrecognitionState:
    """A hand recorded after some of its cards were placed; one it lacks is a finding."""
    seat = event.seat
    assert seat is not None
    held = state.held[seat]
    assert held is not None
    name = state.setup.players[seat]
    for card in placed_cards(state, seat):
        rest = take(held, card)
        if rest is not None:
            held = rest
        elif card not in state.reported:
            message = phrase(
                "{name} placed {card}, but {name}'s recorded hand ({n}) has no such card.",
                name=name,
                card=card.code,
                n=event.n,
            )
            state = find(state, event.n, FindingKind.IMPOSSIBLE, message)
    events = state.hand_events or (0,) * len(state.setup.players)
    return evolve(state, held=put(state.held, seat, held), hand_events=put(events, seat, event.n))


def verify_row(state: PrecognitionState, event: Event) -> None:
    """A whole row comes instead of single cards, so none may lie there yet."""
    cards = event.args[0]
    if state.row:
        raise IllegalError("The row was begun card by card: go on so, or undo back to its start.")
    if len(cards) != state.length:
        raise IllegalError(
            phrase(
                "The row has {length} cards, not {count}.", length=state.length, count=len(cards)
            )
        )
    for card in cards:
        verify_card(card)
    for seat in state.seats:
        require_hand(state, seat)


def apply_row(state: PrecognitionState, event: Event) -> PrecognitionState:
    """Lays the whole row."""
    for card in event.args[0]:
        state = _add(state, card, event.n)
    return _go_on(say(state, phrase("The row is complete: {changes}.", changes=state.changes)))


def _go_on(state: PrecognitionState) -> PrecognitionState:
    """Moves the turn on; ends the match when everything is known."""
    if not state.is_complete:
        to_move = state.owner(len(state.row))
        return evolve(state, table=evolve(state.table, to_move=to_move))
    if state.table.to_move is not None:
        state = evolve(state, table=evolve(state.table, to_move=None))
    missing = tuple(seat for seat in state.seats if state.predictions[seat] is None)
    if missing:
        return say(
            state, phrase("Now show the predictions: {names}.", names=state.setup.names(missing))
        )
    return _finish(state)


# -- predictions -------------------------------------------------------------------------------


def verify_predict(state: PrecognitionState, event: Event) -> None:
    """In secret before the first card, in public after the last one."""
    assert event.seat is not None
    require_player(state, event.seat)
    text, name = event.args[0], state.setup.players[event.seat]
    if len(text) > state.length:
        raise IllegalError(
            phrase(
                "A prediction has at most {length} letters, not {count}.",
                length=state.length,
                count=len(text),
            )
        )
    known = state.predictions[event.seat]
    if not event.is_public:
        if state.row:
            raise IllegalError("Predictions are written before the first card is placed.")
        if known is not None:
            raise IllegalError(
                phrase("{name} has written a prediction already; correct that event.", name=name)
            )
        return
    if not state.is_complete:
        raise IllegalError(
            phrase(
                "Predictions are shown after the last card; in secret it is {name}*: "
                "predict STRING.",
                name=name,
            )
        )
    if known is not None and known.shown:
        raise IllegalError(phrase("{name} has shown a prediction already.", name=name))
    changed = known is not None and known.text is not None and known.text != text
    if changed and state.setup.trusted[event.seat]:
        raise IllegalError(
            phrase(
                "{name} wrote another prediction before the row was laid; that counts.", name=name
            )
        )


def apply_predict(state: PrecognitionState, event: Event) -> PrecognitionState:
    """Keeps the prediction; what was written in secret counts over what is shown."""
    seat = event.seat
    assert seat is not None
    name = state.setup.players[seat]
    known = state.predictions[seat]
    if event.hidden:
        state = _keep_prediction(state, seat, Prediction(None, event.n))
        return say(state, phrase("{name} has written a prediction.", name=name))
    text = event.args[0]
    if not event.is_public:
        state = say(state, phrase("{name} has written a prediction.", name=name))
        if len(text) == state.length:
            state = say(
                state,
                phrase(
                    "A prediction of {count} letters can never match: the row has {number} "
                    "changes.",
                    count=len(text),
                    number=state.length - 1,
                ),
            )
        return _keep_prediction(state, seat, Prediction(text, event.n))
    state = say(state, phrase("{name} shows {text}.", name=name, text=text))
    if known is not None and known.text is not None and known.text != text:
        message = phrase(
            "{name} shows {text} ({n}), but wrote {text2} ({n2}); that counts.",
            name=name,
            text=text,
            n=event.n,
            text2=known.text,
            n2=known.n,
        )
        state = find(state, event.n, FindingKind.FALSE_CLAIM, message)
        return _keep_prediction(state, seat, evolve(known, shown=True))
    state = _keep_prediction(state, seat, Prediction(text, event.n, shown=True))
    return state if known is not None else _go_on(state)


def _keep_prediction(
    state: PrecognitionState, seat: int, prediction: Prediction
) -> PrecognitionState:
    return evolve(state, predictions=put(state.predictions, seat, prediction))


# -- the end -----------------------------------------------------------------------------------


def stretches(state: PrecognitionState) -> dict[int, Stretch | None]:
    """For each player of the match, where the whole prediction occurs; None if it does not."""
    found: dict[int, Stretch | None] = {}
    for seat in state.seats:
        prediction = state.predictions[seat]
        text = prediction.text if prediction is not None else None
        found[seat] = match_stretch(state.changes, text) if text else None
    return found


def _reason(state: PrecognitionState, seat: int, stretch: Stretch | None) -> str:
    name, prediction = state.setup.players[seat], state.predictions[seat]
    if prediction is None or prediction.text is None:
        return phrase("{name} showed no prediction: length 0.", name=name)
    if stretch is None:
        part = best_stretch(state.changes, prediction.text)
        if part is None:
            return phrase("{name}: {text} does not occur.", name=name, text=prediction.text)
        piece = prediction.text[part.offset : part.offset + part.length]
        return phrase(
            "{name}: {text} does not occur; the most of it is {piece}, cards {start} to {end}.",
            name=name,
            text=prediction.text,
            piece=piece,
            start=part.start,
            end=part.end,
        )
    cards = speak_cards(state.row[stretch.start - 1 : stretch.end])
    return phrase(
        "{name}: {text} is cards {start} to {end} ({cards}), length {length}.",
        name=name,
        text=prediction.text,
        start=stretch.start,
        end=stretch.end,
        cards=cards,
        length=stretch.length,
    )


def _finish(state: PrecognitionState) -> PrecognitionState:
    """Scores the match; private predictions are disclosed, because the rules reveal them now."""
    found = stretches(state)
    lengths = [stretch.length if (stretch := found[seat]) else 0 for seat in state.seats]
    best = tuple(state.seats[i] for i in longest(lengths))
    reasons = tuple(_reason(state, seat, found[seat]) for seat in state.seats)
    setup, table = state.setup, state.table
    if len(best) == 1:
        others = [n for seat, n in zip(state.seats, lengths, strict=True) if seat != best[0]]
        verdict = phrase(
            "{name} wins with {most} over {most2}.",
            name=setup.players[best[0]],
            most=max(lengths),
            most2=max(others),
        )
        scores = put(table.scores, best[0], table.scores[best[0]] + 1)
        table = evolve(table, over=True, scores=scores, winners=best, match_winners=best)
        tied: tuple[int, ...] = ()
    elif best:
        verdict = phrase(
            "{names} tie with {most}: they play again among themselves.",
            names=setup.names(best),
            most=max(lengths),
        )
        table, tied = evolve(table, match_winners=()), best
    else:
        verdict = "Nobody's prediction occurs: everybody plays again."
        table, tied = evolve(table, match_winners=()), state.seats
    table = evolve(table, match_over=True, to_move=None, reasons=(*reasons, verdict))
    written = frozenset(p.n for p in state.predictions if p is not None)
    state = evolve(state, table=table, tied=tied, disclosed=state.disclosed | written)
    return say(state, *reasons, verdict)


def verify_playoff(state: PrecognitionState, event: Event) -> None:
    """Exactly those who tied play again."""
    seats = event.args[0]
    if not state.tied or state.table.over:
        raise IllegalError("There is no tie to play off.")
    if sorted(set(seats)) != sorted(state.tied) or len(set(seats)) != len(seats):
        raise IllegalError(
            phrase("Those who play again are {names}.", names=state.setup.names(state.tied))
        )


def apply_playoff(state: PrecognitionState, event: Event) -> PrecognitionState:
    """Starts the match among those who tied."""
    seats = tuple(sorted(event.args[0]))
    return start(state, seats, _next_of(seats, state))


def _next_of(seats: tuple[int, ...], state: PrecognitionState) -> int:
    """The first of the seats clockwise after the last starter."""
    count = len(state.setup.players)
    return min(seats, key=lambda seat: (seat - state.table.starter - 1) % count)


def start(state: PrecognitionState, seats: tuple[int, ...], starter: int) -> PrecognitionState:
    """The state at the start of the next match among some seats."""
    count = len(state.setup.players)
    table = next_table(state.table, starter)
    names = state.setup.names(seats)
    fresh = PrecognitionState(
        setup=state.setup,
        table=table,
        seats=seats,
        hands=(None,) * count,
        held=(None,) * count,
        predictions=(None,) * count,
        findings=state.findings,
        disclosed=state.disclosed,
    )
    return say(
        fresh,
        phrase(
            "Match {match}: {name}; {name2} starts.",
            match=table.match,
            name=names,
            name2=state.setup.players[starter],
        ),
    )
