"""What is going on in Precognition and what may be done, in words."""

from __future__ import annotations

from collections.abc import Iterator

from companion.cards import unknown
from companion.core.events import private, public
from companion.core.game import Game
from companion.core.guidance.build import Guide
from companion.core.guidance.steps import Guidance, Need, NeedKind, On, Step
from companion.core.view import View
from companion.games.precognition.state import ROW, PrecognitionState
from companion.phrases import N_, phrase


def guidance(game: Game[PrecognitionState], view: View[PrecognitionState]) -> Guidance:
    """What a viewer reads at this moment of a match."""
    guide = Guide(game, view)
    state: PrecognitionState = guide.state
    if state.table.match_over:
        return _after_match(guide, state)
    missing = tuple(seat for seat in state.seats if state.predictions[seat] is None)
    if state.is_complete:
        return _showing(guide, state, missing)
    return guide.hands_first() or _laying(guide, state, missing)


def _laying(guide: Guide, state: PrecognitionState, missing: tuple[int, ...]) -> Guidance:
    """Predictions are written, then cards laid."""
    mover = state.owner(len(state.row))
    place = _place(guide, state, mover)
    rest = (*guide.own_hand(), *guide.stop())
    if state.row:
        headline = guide.phrase(
            "{name} places card {number} of {length}.",
            name=mover,
            number=len(state.row) + 1,
            length=state.length,
        )
        return Guidance(headline, (mover,), (place, *rest))
    whole = _whole_row(guide, state)
    if missing:
        headline = guide.phrase(
            "Before the first card {names} writes a prediction in secret."
            if len(missing) == 1
            else "Before the first card {names} write their predictions in secret.",
            names=missing,
        )
        writing = _predict(guide, state, missing, shown=False)
        return Guidance(headline, missing, (*writing, place, *whole, *rest))
    text = N_("All predictions are written: {name} places the first card of {length}.")
    headline = guide.phrase(text, name=mover, length=state.length)
    return Guidance(headline, (mover,), (place, *whole, *rest))


def _place(guide: Guide, state: PrecognitionState, mover: int) -> Step:
    """The next card of the row."""
    cards = guide.unseen()
    event = public(mover, "place", (cards or (unknown(guide.game.family),))[0])
    title = phrase("Place the next card") if state.row else phrase("Place the first card")
    need = Need(NeedKind.CARD, phrase("the card placed"), cards)
    return guide.step(title, event, needs=(need,), on=(On(ROW, is_end=True),))


def _whole_row(guide: Guide, state: PrecognitionState) -> Iterator[Step]:
    """A row that lies there already, read in one go."""
    cards = guide.unseen()
    events = (public(None, "row", cards[: state.length]),)
    need = Need(NeedKind.CARDS, phrase("the cards of the row"), cards, state.length)
    title = phrase("Record the whole row at once")
    yield from guide.option(title, events, needs=(need,), on=(On(ROW),))


def _predict(
    guide: Guide, state: PrecognitionState, seats: tuple[int, ...], *, shown: bool
) -> Iterator[Step]:
    """Writing predictions in secret, or showing them."""
    letters = "UDU"[: state.length]
    need = Need(NeedKind.TEXT, phrase("ups, downs and stays, in their order"))
    for seat in seats:
        if shown:
            title = guide.phrase("Show {name}'s prediction", name=seat)
            event = public(seat, "predict", letters)
        else:
            title = guide.phrase("Write {name}'s prediction", name=seat)
            event = private(seat, "predict", letters)
        yield guide.step(title, event, needs=(need,))


def _showing(guide: Guide, state: PrecognitionState, missing: tuple[int, ...]) -> Guidance:
    """The row is complete; whoever wrote nothing here shows a prediction now."""
    headline = guide.phrase(
        "The row is complete: {names} shows the prediction."
        if len(missing) == 1
        else "The row is complete: {names} show their predictions.",
        names=missing,
    )
    steps = (*_predict(guide, state, missing, shown=True), *guide.own_hand(), *guide.stop())
    return Guidance(headline, missing, steps)


def _after_match(guide: Guide, state: PrecognitionState) -> Guidance:
    """The result, which is the last thing said; after a tie, who plays again."""
    over = guide.after_match(state.table.reasons[-1])
    if not state.tied or state.table.over:
        return over
    event = public(None, "playoff", state.tied)
    title = guide.phrase("Play again: {names}", names=state.tied)
    return Guidance(over.headline, over.waiting, (guide.step(title, event), *over.steps))
