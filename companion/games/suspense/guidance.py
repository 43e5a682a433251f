"""What is going on in Suspense and what may be done, in words."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.events import private, public
from companion.core.game import Game
from companion.core.guidance.build import Guide
from companion.core.guidance.steps import Guidance, Need, NeedKind, On, Step
from companion.core.state import hand_zone
from companion.core.view import View
from companion.games.suspense.state import SECRET, Stage, SuspenseState, play_zone
from companion.phrases import N_, phrase


def guidance(game: Game[SuspenseState], view: View[SuspenseState]) -> Guidance:
    """What a viewer reads at this moment of a match."""
    guide = Guide(game, view)
    state: SuspenseState = guide.state
    if state.table.match_over:
        return _after_match(guide, state)
    if state.stage is Stage.DEALER:
        seats = range(len(guide.setup.players))
        headline = phrase("The youngest deals first: who is it?")
        return Guidance(headline, (None,), (_dealer(guide, tuple(seats)), *guide.stop()))
    if guide.setup.options["exclamation"] == "d20" and state.exclamation is None:
        return _roll(guide)
    hands = guide.hands_first()
    if hands is not None:
        return hands
    if state.stage is Stage.REVEAL:
        return _turning_up(guide, state)
    return _declaring(guide, state) if state.stage is Stage.DECLARE else _playing(guide, state)


def _dealer(guide: Guide, seats: tuple[int, ...]) -> Step:
    """Naming who deals."""
    event = public(None, "dealer", seats[0])
    if len(seats) == 1:
        return guide.step(guide.phrase("Begin the next match: {name} deals", name=seats[0]), event)
    need = Need(NeedKind.PLAYER, phrase("who deals"), seats)
    return guide.step(phrase("Name the dealer"), event, needs=(need,))


def _roll(guide: Guide) -> Guidance:
    """The die that picks the condition of the exclamation mark."""
    need = Need(NeedKind.NUMBER, phrase("what the die shows"), tuple(range(1, 21)))
    title = phrase("Roll the die with twenty faces")
    step = guide.step(title, public(None, "exclamation", 1), needs=(need,))
    headline = phrase("The die with twenty faces picks the condition of the exclamation mark.")
    return Guidance(headline, (None,), (step, *guide.own_hand(), *guide.stop()))


def _playing(guide: Guide, state: SuspenseState) -> Guidance:
    """A turn: a card, a pass, and if it was agreed a fold."""
    mover = state.table.to_move
    assert mover is not None
    text = N_("{name} plays a card or passes: the sum is {total} of {limit}.")
    if not state.left(mover):
        text = N_("{name} has no cards left and passes.")
    elif not state.turns[mover]:
        text = N_("{name} plays a card: the sum is {total} of {limit}.")
    numbers = {"total": state.total, "limit": state.limit} if state.left(mover) else {}
    headline = guide.phrase(text, name=mover, **numbers)
    cards, on = guide.unseen(), (On(play_zone(mover), is_end=True),)
    need = Need(NeedKind.CARD, phrase("the card played"), cards)
    events = (public(mover, "play", card) for card in cards)
    play = guide.option(phrase("Play a card"), events, needs=(need,), on=on)
    skip = guide.option(phrase("Pass"), (public(mover, "pass"),))
    fold = guide.option(phrase("Fold"), (public(mover, "fold"),), commits=True)
    return Guidance(headline, (mover,), (*play, *skip, *fold, *_also(guide, state)))


def _declaring(guide: Guide, state: SuspenseState) -> Guidance:
    """Folding or staying."""
    mover = state.table.to_move
    assert mover is not None
    stay = guide.step(phrase("Stay"), public(mover, "stay"), commits=True, answers=True)
    fold = guide.step(phrase("Fold"), public(mover, "fold"), commits=True, answers=True)
    headline = guide.phrase("No more cards are played: {name} stays or folds.", name=mover)
    return Guidance(headline, (mover,), (stay, fold, *_also(guide, state)))


def _also(guide: Guide, state: SuspenseState) -> Iterator[Step]:
    """What may be done beside the turn."""
    if state.look is None:
        dealer = state.table.starter
        seen = guide.known(dealer).ledger
        cards = tuple(card for card in guide.game.all_cards(guide.setup) if card not in seen)
        events = (private(dealer, "secret", card) for card in cards)
        need = Need(NeedKind.CARD, phrase("the secret card"), cards)
        title = guide.phrase("{name} looks at the secret card", name=dealer)
        yield from guide.option(title, events, needs=(need,), on=(On(SECRET),))
    yield from guide.own_hand()
    yield from guide.stop()


def _turning_up(guide: Guide, state: SuspenseState) -> Guidance:
    """The secret card, then the hands if they decide."""
    rest = (*guide.own_hand(), *guide.stop())
    if state.secret is None:
        need = Need(NeedKind.CARD, phrase("the secret card"), guide.unseen())
        event = public(None, "secret", guide.unseen()[0])
        step = guide.step(phrase("Turn up the secret card"), event, needs=(need,), on=(On(SECRET),))
        headline = phrase("Everybody has declared: the secret card is turned up.")
        return Guidance(headline, (None,), (step, *rest))
    wanted = _wanted(guide)
    headline = guide.phrase(
        "“{condition}” decides: {names} turns up the hand."
        if len(wanted) == 1
        else "“{condition}” decides: {names} turn up their hands.",
        condition=state.condition,
        names=wanted,
    )
    openly = (step for seat in wanted for step in _reveal(guide, state, seat, secretly=False))
    alone = (step for seat in wanted for step in _reveal(guide, state, seat, secretly=True))
    return Guidance(headline, wanted, (*openly, *alone, *rest))


def _wanted(guide: Guide) -> tuple[int, ...]:
    """Seats whose hands are waited for, as far as everybody knows.

    Where the referee has all of them and is not done, one does not fit what was played; whose,
    only the referee knows.
    """
    state: SuspenseState = guide.view.public
    missing = tuple(seat for seat in state.order if not state.is_with_referee(seat))
    if missing:
        return missing
    return tuple(seat for seat in state.order if state.left(seat) and state.shown[seat] is None)


def _reveal(guide: Guide, state: SuspenseState, seat: int, *, secretly: bool) -> Iterator[Step]:
    """Turning up a hand for all, or for the referee alone."""
    count = state.left(seat)
    cards = guide.unseen()
    held = guide.known(seat).held[seat] if secretly else None
    make = private if secretly else public
    lists = (*((held,) if held else ()), cards[:count])
    events = (make(seat, "reveal", tuple(some)) for some in lists)
    need = Need(NeedKind.CARDS, phrase("the hand"), cards, count)
    title = guide.phrase(
        "Show {name}'s hand to the referee alone" if secretly else "Turn up {name}'s hand",
        name=seat,
    )
    yield from guide.option(title, events, needs=(need,), on=(On(hand_zone(seat)),))


def _after_match(guide: Guide, state: SuspenseState) -> Guidance:
    """Who scored and who deals next; or who won the game."""
    table = state.table
    if table.over:
        return guide.after_match(guide.winners() if table.winners else N_("All agreed to stop."))
    pairs = zip(guide.setup.players, table.scores, strict=True)
    scores = ", ".join(f"{name} {score}" for name, score in pairs)
    text = N_("{winners} The points are: {scores}.")
    headline = phrase(text, winners=guide.winners(), scores=scores)
    over = guide.after_match(headline)
    deal = _dealer(guide, (guide.game.starts_next(state),))
    # “match” would only say the same, and leave the dealer unnamed.
    rest = tuple(step for step in over.steps if step.verb != "match")
    return Guidance(over.headline, over.waiting, (deal, *rest))
