"""What is going on in Missing Persons and what may be done, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from companion.cards import Card, unknown
from companion.core.events import Event, private, public
from companion.core.game import Game
from companion.core.guidance import Guidance, Need, NeedKind, On, Step
from companion.core.guide import Guide
from companion.games.missing_persons.play import representative_questions
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

if TYPE_CHECKING:
    from companion.core.view import View

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
    template = (
        N_("{names} takes a missing person: a card that nobody else sees.")
        if len(missing) == 1
        else N_("{names} take a missing person each: a card that nobody else sees.")
    )
    steps = [step for seat in missing for step in _taken(guide, seat)]
    steps += [step for seat in missing for step in _hide(guide, seat)]
    steps += _deal(guide, state)
    # A trusted referee learns which card; otherwise it is enough that one was taken.
    first = next(s for s in steps if s.seat == (_must_hide(guide, state) or missing)[0])
    steps.remove(first)
    headline = phrase(template, names=guide.setup.names(missing))
    return Guidance(headline, missing, (first, *steps, *guide.stop()))


def _taken(guide: Guide, seat: int) -> Iterator[Step]:
    """That a card was taken, without saying which."""
    event = public(seat, "hide", unknown(guide.game.family))
    if not guide.setup.trusted[seat] and guide.can(event):
        title = phrase("{name} has taken a card", name=guide.name(seat))
        yield guide.step(title, event, on=(On(hideout(seat)),))


def _hide(guide: Guide, seat: int) -> Iterator[Step]:
    """Which card was taken, for the referee alone."""
    state: MissingState = guide.known(seat)
    allowed = guide.setup.is_on("jokers")
    deck = guide.game.all_cards(guide.setup)
    cards = tuple(c for c in deck if c not in state.ledger and (allowed or not c.is_joker))
    verb = "hand" if guide.state.hidden[seat] else "hide"
    event = guide.first(private(seat, verb, card) for card in cards)
    if event is not None:
        need = Need(NeedKind.CARD, phrase("the card taken"), cards)
        title = phrase("Record {name}'s missing person", name=guide.name(seat))
        yield guide.step(title, event, needs=(need,), on=(On(hideout(seat)),))


def _late_hide(guide: Guide) -> Iterator[Step]:
    """The viewer's missing person, which may be recorded for the notepad at any time."""
    viewer = guide.view.viewer
    for seat in _SEATS if viewer is None else (viewer,):
        recorded = any(
            e.seat == seat and e.verb in ("hide", "hand") and not e.is_public
            for e in _this_match(guide)
        )
        if not recorded:
            yield from _hide(guide, seat)


def _this_match(guide: Guide) -> Iterator[Event]:
    """The standing events of this match that the viewer knows of, last first."""
    for event in reversed(guide.view.events):
        if event.verb == "match":
            return
        yield event


def _dealing(guide: Guide, state: MissingState) -> Guidance:
    """Suspects lie face up."""
    steps = tuple(_deal(guide, state))
    seats = tuple(seat for seat in _SEATS if not state.displays[seat])
    headline = phrase(
        "{count} suspects are dealt face up to {names}."
        if len(seats) == 1
        else "{count} suspects are dealt face up to each, {names}.",
        count=state.display_size,
        names=guide.setup.names(seats),
    )
    return Guidance(headline, (None,), (*steps, *_late_hide(guide), *guide.stop()))


def _deal(guide: Guide, state: MissingState) -> Iterator[Step]:
    cards = guide.unseen()
    for seat in _SEATS:
        if state.displays[seat]:
            continue
        event = public(None, "deal", seat, cards[: state.display_size])
        need = Need(NeedKind.CARDS, phrase("the suspects dealt"), cards, state.display_size)
        title = phrase("Deal {name}'s suspects", name=guide.name(seat))
        yield guide.step(title, event, needs=(need,), on=(On(display_zone(seat)),))


# -- a turn ------------------------------------------------------------------------------------


def _turn(guide: Guide, state: MissingState) -> Guidance:
    """Turning over, drawing, asking, guessing."""
    mover = state.table.to_move
    assert mover is not None
    name = guide.name(mover)
    excluded = tuple(_turn_excluded(guide, state, mover))
    draw = tuple(_draw(guide, state, mover))
    ask = tuple(_ask(guide, state, mover))
    done = _plain(guide, public(mover, "done"), phrase("End the turn"))
    if excluded and state.questions:
        headline = phrase("{name} turns over whom the answers rule out.", name=name)
        steps = (*excluded, *draw, *ask, *done)
    elif draw:
        count = state.to_draw(mover)
        headline = phrase(
            "{name} draws {count} card onto a turned-over place."
            if count == 1
            else "{name} draws {count} cards onto the turned-over places.",
            name=name,
            count=count,
        )
        steps = (*draw, *excluded, *ask, *done)
    elif state.questions:
        headline = phrase("{name} asks on, or ends the turn.", name=name)
        steps = (*ask, *done, *excluded)
    else:
        headline = phrase("{name} asks {other} a question.", name=name, other=guide.name(1 - mover))
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


def _plain(guide: Guide, event: Event, title: str) -> Iterator[Step]:
    """A step that needs nothing, if it may be taken."""
    if guide.can(event):
        yield guide.step(title, event)


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
        "turn": phrase("Turn {name}'s suspects over", name=guide.name(seat)),
        "unturn": phrase("Turn {name}'s suspects up again", name=guide.name(seat)),
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
    yield guide.step(phrase("Draw from the pile"), event, needs=needs, on=on)


def _ask(guide: Guide, state: MissingState, mover: int) -> Iterator[Step]:
    """A question; with the option also one in any wording."""
    need = Need(NeedKind.TEXT, phrase("the question"))
    event = public(mover, "ask", representative_questions()[0])
    if guide.can(event):
        yield guide.step(phrase("Ask a question"), event, needs=(need,))
    cryptic = public(mover, "ask cryptic", "old and wise")
    if guide.can(cryptic):
        title = phrase("Ask a question in words of your own")
        yield guide.step(title, cryptic, needs=(need,))


def _sketch(guide: Guide, state: MissingState) -> Iterator[Step]:
    """A note of what the answer to a question in free wording rules out."""
    viewer = guide.view.viewer
    for seat in _SEATS if viewer is None else (viewer,):
        cards = guide.game.all_cards(guide.setup)
        event = private(seat, "sketch", cards[:1])
        if guide.can(event):
            need = Need(NeedKind.CARDS, phrase("the cards ruled out"), cards, 0)
            title = phrase("{name} notes what an answer rules out", name=guide.name(seat))
            yield guide.step(title, event, needs=(need,))


# -- answers and guesses -----------------------------------------------------------------------


def _answering(guide: Guide, state: MissingState, asked: Asked) -> Guidance:
    """Yes or no."""
    seat = 1 - asked.seat
    headline = phrase(
        "{name} answers {asker}: “{text}”",
        name=guide.name(seat),
        asker=guide.name(asked.seat),
        text=asked.text,
    )
    steps = (
        *_plain(guide, public(seat, "yes"), phrase("Yes")),
        *_plain(guide, public(seat, "no"), phrase("No")),
    )
    return Guidance(headline, (seat,), (*steps, *_quietly(guide, state)))


def _judging(guide: Guide, state: MissingState, guess: Guess) -> Guidance:
    """Right or wrong."""
    seat = 1 - guess.seat
    headline = phrase(
        "{name} answers {asker}: is the missing person the {card}?",
        name=guide.name(seat),
        asker=guide.name(guess.seat),
        card=guess.card.name,
    )
    steps = (
        *_plain(guide, public(seat, "right"), phrase("Right")),
        *_plain(guide, public(seat, "wrong"), phrase("Wrong")),
    )
    return Guidance(headline, (seat,), (*steps, *_quietly(guide, state)))


def _quietly(guide: Guide, state: MissingState) -> Iterator[Step]:
    """What may be done while an answer is due."""
    for seat in _SEATS:
        yield from _flips(guide, state, seat)
    yield from _late_hide(guide)
    yield from guide.stop()


def _guess(guide: Guide, seat: int) -> Iterator[Step]:
    """The one guess of a seat."""
    cards = _unseen_persons(guide)
    event = guide.first(public(seat, "guess", card) for card in cards)
    if event is not None:
        need = Need(NeedKind.CARD, phrase("who it is"), cards)
        title = phrase(
            "{name} guesses who {other} is", name=guide.name(seat), other=guide.name(1 - seat)
        )
        on = (On(hideout(1 - seat)),)
        yield guide.step(title, event, needs=(need,), on=on, commits=True)


def _unseen_persons(guide: Guide) -> tuple[Card, ...]:
    """Whom a guess can name: a card that lies in sight is nobody's missing person."""
    return tuple(dict.fromkeys(card.identity for card in guide.unseen()))


def _guessing(guide: Guide, state: MissingState) -> Guidance:
    """The pile is empty: both guess."""
    mover = state.table.to_move
    assert mover is not None
    name = guide.name(mover)
    headline = phrase("The pile is empty: {name} guesses now.", name=name)
    steps = (*_guess(guide, mover), *_quietly(guide, state))
    return Guidance(headline, (mover,), steps)


def _turning_up(guide: Guide, wanted: tuple[int, ...]) -> Guidance:
    """Neither guess is right: the closer one wins."""
    template = (
        N_("Neither guess is right: {names} turns up the missing person.")
        if len(wanted) == 1
        else N_("Neither guess is right: {names} turn up the missing persons.")
    )
    cards = guide.unseen()
    steps = []
    for seat in wanted:
        need = Need(NeedKind.CARD, phrase("the missing person"), cards)
        title = phrase("Turn up {name}'s missing person", name=guide.name(seat))
        event = guide.first(public(seat, "reveal", card) for card in cards)
        if event is not None:
            steps.append(guide.step(title, event, needs=(need,), on=(On(hideout(seat)),)))
    headline = phrase(template, names=guide.setup.names(wanted))
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
