"""The verbs of Precognition: what they verify and apply, and how a match ends."""

from __future__ import annotations

from companion.cards import Card, speak_cards
from companion.core.events import Event
from companion.core.game import require_hand, require_turn
from companion.core.match import begin_match, end_match
from companion.core.setup import Setup
from companion.core.state import (
    FindingKind,
    evolve,
    find,
    hand_zone,
    move_to,
    put,
    record,
    say,
    take_from_hand,
)
from companion.core.syntax import CardPart, CardsPart, LettersPart, PlayersPart
from companion.core.verb import Secrecy, VerbTable, Who
from companion.errors import IllegalError
from companion.games.precognition.scoring import (
    Stretch,
    best_stretch,
    change,
    longest,
    match_stretch,
    read_prediction,
)
from companion.games.precognition.state import (
    ROW,
    SUITS_A_RANK,
    PrecognitionState,
    Prediction,
    require_player,
)
from companion.phrases import N_

#: What a prediction is written with.
_LETTERS = (("U", "up"), ("D", "down"), ("S", "stay"))
#: What is said of one that has as many letters as the row has cards.
NEVER_MATCHES = N_("A prediction of {count} letters can never match: the row has {number} changes.")
VERBS = VerbTable[PrecognitionState]()


# -- predictions -------------------------------------------------------------------------------


def verify_predict(state: PrecognitionState, event: Event) -> None:
    """In secret before the first card, in public after the last one."""
    seat = event.actor
    require_player(state, seat)
    text = event.args[0]
    if len(text) > state.length:
        words = N_("A prediction has at most {length} letters, not {count}.")
        raise state.illegal(words, length=state.length, count=len(text))
    known = state.predictions[seat]
    if not event.is_public:
        if state.row:
            raise IllegalError("Predictions are written before the first card is placed.")
        if known is not None:
            raise state.illegal(
                "{name} has written a prediction already; correct that event.", name=seat
            )
        return
    if not state.is_complete:
        raise state.illegal(
            "Predictions are shown after the last card; in secret it is {name}*: predict STRING.",
            name=seat,
        )
    if known is not None and known.shown:
        raise state.illegal("{name} has shown a prediction already.", name=seat)
    changed = known is not None and known.text is not None and known.text != text
    if changed and state.setup.trusted[seat]:
        raise state.illegal(
            "{name} wrote another prediction before the row was laid; that counts.", name=seat
        )


@VERBS(
    "predict",
    "Write a prediction in secret (NAME*), or show it after the last card.",
    verify_predict,
    LettersPart(read_prediction, "STRING", _LETTERS),
    secrecy=Secrecy.EITHER,
    late=True,
)
def apply_predict(state: PrecognitionState, event: Event) -> PrecognitionState:
    """Keeps the prediction; what was written in secret counts over what is shown."""
    seat = event.actor
    known = state.predictions[seat]
    if not event.is_public:
        text: str | None = None if event.hidden else event.args[0]
        state = say(state, "{name} has written a prediction.", name=seat)
        if text is not None and len(text) == state.length:
            state = say(state, NEVER_MATCHES, count=len(text), number=state.length - 1)
        return _keep_prediction(state, seat, Prediction(text, event.n))
    text = event.args[0]
    state = say(state, "{name} shows {text}.", name=seat, text=text)
    if known is not None and known.text is not None and known.text != text:
        state = find(
            state,
            event.n,
            FindingKind.FALSE_CLAIM,
            "{name} shows {text} ({n}), but wrote {text2} ({n2}); that counts.",
            name=seat,
            text=text,
            n=event.n,
            text2=known.text,
            n2=known.n,
        )
        return _keep_prediction(state, seat, evolve(known, shown=True))
    state = _keep_prediction(state, seat, Prediction(text, event.n, shown=True))
    return state if known is not None else _go_on(state)


def _keep_prediction(
    state: PrecognitionState, seat: int, prediction: Prediction
) -> PrecognitionState:
    return evolve(state, predictions=put(state.predictions, seat, prediction))


# -- the row -----------------------------------------------------------------------------------


def verify_place(state: PrecognitionState, event: Event) -> None:
    """One card each in turn, until the row is complete."""
    if state.is_complete:
        raise state.illegal("The row is complete with its {length} cards.", length=state.length)
    require_turn(state, event.actor)
    require_hand(state, event.actor)
    verify_card(event.args[0])


def verify_card(card: Card) -> None:
    """Refuses jokers."""
    if card.is_joker:
        raise IllegalError("Precognition is played without jokers.")


def _add(state: PrecognitionState, card: Card, n: int) -> PrecognitionState:
    """Puts a card at the right end, with its findings; whose it was follows from its place."""
    seat = state.owner(len(state.row))
    before = len(state.findings)
    state = record(state, (card,), ROW, n, come_from=(hand_zone(seat),))
    text = N_("{name} places {card} ({n}), but {name}'s recorded hand has no such card.")
    state = take_from_hand(state, seat, (card,), n, text)
    row = (*state.row, card)
    same = sum(other.rank == card.rank for other in row)
    if card.rank is not None and same > SUITS_A_RANK and len(state.findings) == before:
        state = find(
            state,
            n,
            FindingKind.IMPOSSIBLE,
            "The row has {same} cards of rank {rank_text} ({n}); a deck has 4.",
            same=same,
            rank_text=card.rank_text,
            n=n,
        )
    letter = change(state.row[-1].rank, card.rank) if state.row else ""
    return evolve(state, row=row, changes=state.changes + letter)


#: What a card does to the row, by the letter of its change.
_PLACED = {
    "U": N_("{name} places {card}, up: card {count} of {length}."),
    "D": N_("{name} places {card}, down: card {count} of {length}."),
    "S": N_("{name} places {card}, the same: card {count} of {length}."),
}


@VERBS("place", "Place a card at the right end of the row.", verify_place, CardPart())
def apply_place(state: PrecognitionState, event: Event) -> PrecognitionState:
    """Puts the card at the right end; the last one may end the match."""
    card = event.args[0]
    state = _add(state, card, event.n)
    state = say(
        state,
        _PLACED.get(state.changes[-1:], N_("{name} places {card}: card {count} of {length}.")),
        name=event.actor,
        card=card,
        count=len(state.row),
        length=state.length,
    )
    return _go_on(state)


def placed_cards(state: PrecognitionState, seat: int) -> tuple[Card, ...]:
    """The cards of the row that a seat placed, in order."""
    return tuple(card for i, card in enumerate(state.row) if state.owner(i) == seat)


def on_late_hand(state: PrecognitionState, event: Event) -> PrecognitionState:
    """A hand recorded after some of its cards were placed; one it lacks is a finding."""
    if event.hidden:
        return state
    placed = placed_cards(state, event.actor)
    text = N_("{name} placed {card}, but {name}'s recorded hand ({n}) has no such card.")
    return take_from_hand(state, event.actor, placed, event.n, text)


def verify_row(state: PrecognitionState, event: Event) -> None:
    """A whole row comes instead of single cards, so none may lie there yet."""
    cards = event.args[0]
    if state.row:
        raise IllegalError(
            "The row was begun card by card: continue that way, or undo back to its start."
        )
    if len(cards) != state.length:
        raise state.illegal(
            "The row has {length} cards, not {count}.", length=state.length, count=len(cards)
        )
    for card in cards:
        verify_card(card)
    for seat in state.seats:
        require_hand(state, seat)


@VERBS("row", "Record a whole row at once.", verify_row, CardsPart(), who=Who.TABLE)
def apply_row(state: PrecognitionState, event: Event) -> PrecognitionState:
    """Lays the whole row."""
    for card in event.args[0]:
        state = _add(state, card, event.n)
    return _go_on(say(state, "The row is complete: {changes}.", changes=state.changes))


def _go_on(state: PrecognitionState) -> PrecognitionState:
    """Moves the turn on; ends the match when everything is known."""
    if not state.is_complete:
        return move_to(state, state.owner(len(state.row)))
    state = move_to(state, None)
    missing = tuple(seat for seat in state.seats if state.predictions[seat] is None)
    if missing:
        return say(state, "Now show the predictions: {names}.", names=missing)
    return _finish(state)


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
    prediction = state.predictions[seat]
    if prediction is None or prediction.text is None:
        return state.phrase("{name} showed no prediction: length 0.", name=seat)
    if stretch is None:
        part = best_stretch(state.changes, prediction.text)
        if part is None:
            return state.phrase("{name}: {text} does not occur.", name=seat, text=prediction.text)
        piece = prediction.text[part.offset : part.offset + part.length]
        return state.phrase(
            "{name}: {text} does not occur; the most of it is {piece}, cards {start} to {end}.",
            name=seat,
            text=prediction.text,
            piece=piece,
            start=part.start,
            end=part.end,
        )
    cards = speak_cards(state.row[stretch.start - 1 : stretch.end])
    return state.phrase(
        "{name}: {text} is cards {start} to {end} ({cards}), length {length}.",
        name=seat,
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
    tied = () if len(best) == 1 else best or state.seats
    if len(best) == 1:
        others = [n for seat, n in zip(state.seats, lengths, strict=True) if seat != best[0]]
        text = N_("{name} wins with {most} over {most2}.")
        verdict = state.phrase(text, name=best[0], most=max(lengths), most2=max(others))
    elif best:
        text = N_("{names} tie with {most}: they play again among themselves.")
        verdict = state.phrase(text, names=best, most=max(lengths))
    else:
        verdict = N_("Nobody's prediction occurs: everybody plays again.")
    written = frozenset(p.n for p in state.predictions if p is not None)
    winners = () if tied else best
    return end_match(
        evolve(state, tied=tied, disclosed=state.disclosed | written),
        *(_reason(state, seat, found[seat]) for seat in state.seats),
        verdict,
        winners=winners,
        points=dict.fromkeys(winners, 1),
        over=not tied,
    )


def verify_playoff(state: PrecognitionState, event: Event) -> None:
    """Exactly those who tied play again."""
    seats = event.args[0]
    if not state.tied or state.table.over:
        raise IllegalError("There is no tie to play off.")
    if sorted(set(seats)) != sorted(state.tied) or len(set(seats)) != len(seats):
        raise state.illegal("Those who play again are {names}.", names=state.tied)


@VERBS(
    "playoff", "Those who tied play again.", verify_playoff, PlayersPart(), who=Who.TABLE, late=True
)
def apply_playoff(state: PrecognitionState, event: Event) -> PrecognitionState:
    """Starts the match among those who tied."""
    seats = tuple(sorted(event.args[0]))
    return start(state, seats, _next_of(seats, state))


def _next_of(seats: tuple[int, ...], state: PrecognitionState) -> int:
    """The first of the seats clockwise after the last starter."""
    count = len(state.setup.players)
    return min(seats, key=lambda seat: (seat - state.table.starter - 1) % count)


def initial(setup: Setup) -> PrecognitionState:
    """The state at the start of a session."""
    count = len(setup.players)
    return PrecognitionState.fresh(setup, seats=tuple(range(count)), predictions=(None,) * count)


def start(state: PrecognitionState, seats: tuple[int, ...], starter: int) -> PrecognitionState:
    """The state at the start of the next match among some seats."""
    fresh = evolve(begin_match(initial(state.setup), state, starter), seats=seats)
    text = N_("Match {match}: {name}; {name2} starts.")
    return say(fresh, text, match=fresh.table.match, name=seats, name2=starter)
