"""What is going on in Missing Persons and what may be done, in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from companion.cards import unknown
from companion.core.events import private, public
from companion.core.game import Game
from companion.core.guidance.build import Guide
from companion.core.guidance.steps import Guidance, Need, NeedKind, On, Step, blank
from companion.core.view import View
from companion.games.missing_persons.simulation import representative_questions
from companion.games.missing_persons.state import (
    PILE,
    Asked,
    Guess,
    MissingState,
    display_zone,
    hideout,
    turned_zone,
)
from companion.phrases import N_, phrase

_SEATS = (0, 1)


def guidance(game: Game[MissingState], view: View[MissingState]) -> Guidance:
    """What a viewer reads at this moment of a match."""
    guide = Guide(game, view)
    state: MissingState = guide.state
    if state.table.match_over:
        return guide.after_match(_result(guide, state))
    if not all(state.hidden) and not (state.is_dealt and not _must_hide(guide, state)):
        return _hiding(guide, state)
    if not state.is_dealt:
        return _dealing(guide, state)
    if state.asked is not None:
        return _answering(guide, state, state.asked)
    if state.open_guess is not None:
        return _judging(guide, state, state.open_guess)
    # Whose missing person is with the referee depends on trust, which everybody knows.
    wanted = view.public.wants_reveal
    if wanted:
        return _turning_up(guide, wanted)
    return _guessing(guide, state) if state.forced else _turn(guide, state)


# -- setting up --------------------------------------------------------------------------------


def _must_hide(guide: Guide, state: MissingState) -> tuple[int, ...]:
    """Seats that trust the referee and have not said whom they took."""
    return tuple(s for s in _SEATS if guide.setup.trusted[s] and not state.hidden[s])


def _hiding(guide: Guide, state: MissingState) -> Guidance:
    """Each takes a card unseen."""
    missing = tuple(seat for seat in _SEATS if not state.hidden[seat])
    headline = guide.phrase(
        "{names} takes a missing person: a card that nobody else sees."
        if len(missing) == 1
        else "{names} take a missing person each: a card that nobody else sees.",
        names=missing,
    )
    steps = [step for seat in missing for step in _taken(guide, seat)]
    steps += [step for seat in missing for step in _hide(guide, seat)]
    steps += _deal(guide, state)
    # A trusted referee learns which card; otherwise it is enough that one was taken.
    first = next(s for s in steps if s.seat == (_must_hide(guide, state) or missing)[0])
    steps.remove(first)
    return Guidance(headline, missing, (first, *steps, *guide.stop()))


def _taken(guide: Guide, seat: int) -> Iterator[Step]:
    """That a card was taken, without saying which."""
    event = public(seat, "hide", unknown(guide.game.family))
    if not guide.setup.trusted[seat]:
        title = guide.phrase("{name} has taken a card", name=seat)
        yield from guide.option(title, (event,), on=(On(hideout(seat)),))


def _hide(guide: Guide, seat: int) -> Iterator[Step]:
    """Which card was taken, for the referee alone."""
    state: MissingState = guide.known(seat)
    allowed = guide.setup.is_on("jokers")
    deck = guide.game.all_cards(guide.setup)
    cards = tuple(c for c in deck if c not in state.ledger and (allowed or not c.is_joker))
    verb = "hand" if guide.state.hidden[seat] else "hide"
    events = (private(seat, verb, card) for card in cards)
    need = Need(NeedKind.CARD, phrase("the card taken"), cards)
    title = guide.phrase("Record {name}'s missing person", name=seat)
    yield from guide.option(title, events, needs=(need,), on=(On(hideout(seat)),))


def _late_hide(guide: Guide) -> Iterator[Step]:
    """The viewer's missing person, which may be recorded for the notepad at any time."""
    viewer = guide.view.viewer
    this_match = takewhile(lambda event: event.verb != "match", reversed(guide.view.events))
    recorded = {e.seat for e in this_match if e.verb in ("hide", "hand") and not e.is_public}
    for seat in _SEATS if viewer is None else (viewer,):
        if seat not in recorded:
            yield from _hide(guide, seat)


def _dealing(guide: Guide, state: MissingState) -> Guidance:
    """Suspects lie face up."""
    steps = tuple(_deal(guide, state))
    seats = tuple(seat for seat in _SEATS if not state.displays[seat])
    headline = guide.phrase(
        "{count} suspects are dealt face up to {names}."
        if len(seats) == 1
        else "{count} suspects are dealt face up to each, {names}.",
        count=state.display_size,
        names=seats,
    )
    return Guidance(headline, (None,), (*steps, *_late_hide(guide), *guide.stop()))


def _deal(guide: Guide, state: MissingState) -> Iterator[Step]:
    cards = guide.unseen()
    for seat in _SEATS:
        if state.displays[seat]:
            continue
        event = public(None, "deal", seat, cards[: state.display_size])
        need = Need(NeedKind.CARDS, phrase("the suspects dealt"), cards, state.display_size)
        title = guide.phrase("Deal {name}'s suspects", name=seat)
        yield guide.step(title, event, needs=(need,), on=(On(display_zone(seat)),))


# -- a turn ------------------------------------------------------------------------------------


def _turn(guide: Guide, state: MissingState) -> Guidance:
    """Turning over, drawing, asking, guessing."""
    mover = state.table.to_move
    assert mover is not None
    excluded = tuple(_turn_excluded(guide, state, mover))
    draw = tuple(_draw(guide, state, mover))
    ask = tuple(_ask(guide, state, mover))
    done = guide.option(phrase("End the turn"), (public(mover, "done"),))
    if excluded and state.questions:
        headline = guide.phrase("{name} turns over whom the answers rule out.", name=mover)
        steps = (*excluded, *draw, *ask, *done)
    elif draw:
        count = state.to_draw(mover)
        headline = guide.phrase(
            "{name} draws {count} card onto a turned-over place."
            if count == 1
            else "{name} draws {count} cards onto the turned-over places.",
            name=mover,
            count=count,
        )
        steps = (*draw, *excluded, *ask, *done)
    elif state.questions:
        headline = guide.phrase("{name} asks another question, or ends the turn.", name=mover)
        steps = (*ask, *done, *excluded)
    else:
        text, other = N_("{name} asks {other} a question."), guide.name(1 - mover)
        headline = guide.phrase(text, name=mover, other=other)
        steps = (*ask, *excluded)
    return Guidance(headline, (mover,), (*steps, *_also(guide, state, mover)))


def _also(guide: Guide, state: MissingState, first: int) -> Iterator[Step]:
    """What may be done beside the turn, the seat first whose turn it is."""
    for seat in (first, 1 - first):
        yield from _guess(guide, seat)
    for seat in (first, 1 - first):
        if seat != first:
            yield from _turn_excluded(guide, state, seat)
        yield from _flips(guide, state, seat)
    yield from _sketch(guide, state)
    yield from _late_hide(guide)
    yield from guide.stop()


def _turn_excluded(guide: Guide, state: MissingState, seat: int) -> Iterator[Step]:
    """Turning over at once all that the answers rule out."""
    cards = state.ruled_out(seat)
    if cards:
        title = phrase(
            "Turn over the suspect that the answers rule out"
            if len(cards) == 1
            else "Turn over the {count} suspects that the answers rule out",
            count=len(cards),
        )
        suspects = state.suspects(seat)
        on = tuple(On(display_zone(seat), c, i) for i, c in enumerate(suspects) if c in cards)
        yield guide.step(title, public(seat, "turn", cards), on=on)


def _flips(guide: Guide, state: MissingState, seat: int) -> Iterator[Step]:
    """Turning any suspects over, or up again."""
    titles = {
        "turn": guide.phrase("Turn {name}'s suspects over", name=seat),
        "unturn": guide.phrase("Turn {name}'s suspects up again", name=seat),
    }
    for verb, up, zone in (
        ("turn", True, display_zone(seat)),
        ("unturn", False, turned_zone(seat)),
    ):
        cards = tuple(spot.card for spot in state.displays[seat] if spot.up is up)
        if cards:
            need = Need(NeedKind.CARDS, phrase("the suspects"), cards, 0)
            on = tuple(On(zone, card, i if up else None) for i, card in enumerate(cards))
            yield guide.step(titles[verb], public(seat, verb, cards[:1]), needs=(need,), on=on)


def _draw(guide: Guide, state: MissingState, mover: int) -> Iterator[Step]:
    """Drawing after a Yes."""
    count, cards = state.to_draw(mover), guide.unseen()
    if not state.may_draw or not count:
        return
    new = Need(NeedKind.CARDS, phrase("the cards drawn"), cards, count)
    on = (On(PILE),)
    if guide.setup.options["draw"] == "all":
        event = public(mover, "draw", cards[:count])
        yield guide.step(phrase("Draw from the pile"), event, needs=(new,), on=on)
        return
    places = tuple(state.displays[mover][place].card for place in state.turned(mover))
    needs = (
        Need(NeedKind.CARD, phrase("the card drawn"), cards),
        Need(NeedKind.CARD, phrase("the turned-over suspect it is laid on"), places),
    )
    event = public(mover, "draw", cards[0], places[0])
    said = phrase("Lay the {card} on the {suspect}.", card=blank(0), suspect=blank(1))
    yield guide.step(phrase("Draw from the pile"), event, needs=needs, on=on, sentence=said)


def _ask(guide: Guide, state: MissingState, mover: int) -> Iterator[Step]:
    """A question; with the option also one in any wording."""
    need = Need(NeedKind.TEXT, phrase("the question"))
    plain = public(mover, "ask", representative_questions()[0])
    yield from guide.option(phrase("Ask a question"), (plain,), needs=(need,))
    cryptic = public(mover, "ask cryptic", "old and wise")
    title = phrase("Ask a question in words of your own")
    yield from guide.option(title, (cryptic,), needs=(need,))


def _sketch(guide: Guide, state: MissingState) -> Iterator[Step]:
    """A note of what the answer to a question in free wording rules out."""
    viewer = guide.view.viewer
    for seat in _SEATS if viewer is None else (viewer,):
        cards = guide.game.all_cards(guide.setup)
        need = Need(NeedKind.CARDS, phrase("the cards ruled out"), cards, 0)
        title = guide.phrase("{name} notes what an answer rules out", name=seat)
        yield from guide.option(title, (private(seat, "sketch", cards[:1]),), needs=(need,))


# -- answers and guesses -----------------------------------------------------------------------


def _answering(guide: Guide, state: MissingState, asked: Asked) -> Guidance:
    """Yes or no."""
    seat = 1 - asked.seat
    headline = guide.phrase(
        "{name} answers {asker}: “{text}”", name=seat, asker=guide.name(asked.seat), text=asked.text
    )
    yes = guide.option(phrase("Yes"), (public(seat, "yes"),), answers=True)
    no = guide.option(phrase("No"), (public(seat, "no"),), answers=True)
    return Guidance(headline, (seat,), (*yes, *no, *_quietly(guide, state)))


def _judging(guide: Guide, state: MissingState, guess: Guess) -> Guidance:
    """Right or wrong."""
    seat = 1 - guess.seat
    headline = guide.phrase(
        "{name} answers {asker}: is the missing person the {card}?",
        name=seat,
        asker=guide.name(guess.seat),
        card=guess.card.name,
    )
    right = guide.option(phrase("Right"), (public(seat, "right"),), answers=True)
    wrong = guide.option(phrase("Wrong"), (public(seat, "wrong"),), answers=True)
    return Guidance(headline, (seat,), (*right, *wrong, *_quietly(guide, state)))


def _quietly(guide: Guide, state: MissingState) -> Iterator[Step]:
    """What may be done while an answer is due."""
    for seat in _SEATS:
        yield from _flips(guide, state, seat)
    yield from _late_hide(guide)
    yield from guide.stop()


def _guess(guide: Guide, seat: int) -> Iterator[Step]:
    """The one guess of a seat."""
    # A card that lies in sight is nobody's missing person.
    cards = tuple(dict.fromkeys(card.identity for card in guide.unseen()))
    events = (public(seat, "guess", card) for card in cards)
    need = Need(NeedKind.CARD, phrase("who it is"), cards)
    text, other = N_("{name} guesses who {other} is"), guide.name(1 - seat)
    title, on = guide.phrase(text, name=seat, other=other), (On(hideout(1 - seat)),)
    yield from guide.option(title, events, needs=(need,), on=on, commits=True)


def _guessing(guide: Guide, state: MissingState) -> Guidance:
    """The pile is empty: both guess."""
    mover = state.table.to_move
    assert mover is not None
    headline = guide.phrase("The pile is empty: {name} guesses now.", name=mover)
    steps = (*_guess(guide, mover), *_quietly(guide, state))
    return Guidance(headline, (mover,), steps)


def _turning_up(guide: Guide, wanted: tuple[int, ...]) -> Guidance:
    """Neither guess is right: the closer one wins."""
    cards = guide.unseen()
    need = Need(NeedKind.CARD, phrase("the missing person"), cards)
    steps: list[Step] = []
    for seat in wanted:
        title = guide.phrase("Turn up {name}'s missing person", name=seat)
        events = (public(seat, "reveal", card) for card in cards)
        steps += guide.option(title, events, needs=(need,), on=(On(hideout(seat)),))
    headline = guide.phrase(
        "Neither guess is right: {names} turns up the missing person."
        if len(wanted) == 1
        else "Neither guess is right: {names} turn up the missing persons.",
        names=wanted,
    )
    return Guidance(headline, wanted, (*steps, *guide.stop()))


# -- the end -----------------------------------------------------------------------------------


def _result(guide: Guide, state: MissingState) -> str:
    """How the match ended, in one sentence."""
    table = state.table
    if not table.winners:
        if table.over:
            return N_("All agreed to stop.")
        return phrase("Both guesses are equally good: another match decides.")
    if len(table.winners) > 1:
        return N_("All agree on a draw.")
    winner = table.winners[0]
    names = {"name": guide.name(winner), "other": guide.name(1 - winner)}
    own, others = state.guesses[winner], state.guesses[1 - winner]
    if own is not None and own.right:
        return phrase("{name} wins: {name}'s guess is right.", **names)
    if own is None or not state.forced:
        return phrase("{name} wins: {other}'s guess is wrong.", **names)
    assert others is not None
    return phrase("{name} wins: {name}'s guess is closer.", **names)
