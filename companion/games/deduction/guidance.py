"""What is going on in Deduction and what may be done, in words."""

from __future__ import annotations

from collections.abc import Iterator

from companion.cards import Family, family_cards, unknown
from companion.core.events import private, public
from companion.core.game import Game
from companion.core.guidance.build import Guide
from companion.core.guidance.steps import Guidance, Need, NeedKind, On, Step, blank
from companion.core.state import hand_zone
from companion.core.view import View
from companion.games.deduction.engine.facts import face_words
from companion.games.deduction.rules import coin_faces
from companion.games.deduction.state import (
    CENTRE,
    COIN,
    FACES,
    MISSING_ZONE,
    ONE_OF_FACE,
    Announcement,
    DeductionState,
    Question,
)
from companion.phrases import N_, phrase


def guidance(game: Game[DeductionState], view: View[DeductionState]) -> Guidance:
    """What a viewer reads at this moment of a match."""
    guide = Guide(game, view)
    state: DeductionState = guide.state
    if state.table.match_over:
        return _after_match(guide, state)
    if state.up is None and state.left_over:
        return _left_over(guide, state)
    hands = guide.hands_first()
    if hands is not None:
        return hands
    if state.announced is not None:
        return _verdict(guide, state, state.announced)
    question = state.question
    if question is not None and not question.answer:
        return _answering(guide, state, question)
    if question is not None and question.must_show:
        return _showing(guide, state, question)
    return _turn(guide, state)


def _left_over(guide: Guide, state: DeductionState) -> Guidance:
    """Tiles that cannot be dealt evenly lie open for all."""
    count = state.left_over
    need = Need(NeedKind.CARDS, phrase("the tiles turned up"), guide.unseen(), count)
    event = public(None, "up", guide.unseen()[:count])
    step = guide.step(phrase("Turn up what is left over"), event, needs=(need,), on=(On(CENTRE),))
    headline = phrase(
        "{count} tile is left over: it is turned up for all."
        if count == 1
        else "{count} tiles are left over: they are turned up for all.",
        count=count,
    )
    hands = guide.hand_steps(guide.missing_hands())
    return Guidance(headline, (None,), (step, *hands, *_also(guide)))


def _also(guide: Guide) -> Iterator[Step]:
    """What may be done beside the turn."""
    trusting = guide.missing_hands()
    yield from (step for step in guide.own_hand() if step.seat not in trusting)
    yield from guide.stop()


def _turn(guide: Guide, state: DeductionState) -> Guidance:
    """The coin, the question, then an announcement or the end of the turn."""
    mover = state.table.to_move
    assert mover is not None
    if state.coin is None:
        coins = family_cards(Family.COIN)
        need = Need(NeedKind.CARD, phrase("the coin's two faces"), coins)
        event = public(mover, "coin", coins[0])
        step = guide.step(phrase("Draw a coin"), event, needs=(need,), on=(On(COIN),))
        headline = guide.phrase("{name} draws a coin.", name=mover)
        return Guidance(headline, (mover,), (step, *_also(guide)))
    if state.may_ask:
        suit, value = (face_words(FACES[face]) for face in coin_faces(state.coin))
        text = N_("{name} asks another player about {suit} or {value}.")
        headline = guide.phrase(text, name=mover, suit=suit, value=value)
        return Guidance(headline, (mover,), (_ask(guide, state, mover), *_also(guide)))
    done = guide.step(phrase("End the turn"), public(mover, "done"))
    headline = guide.phrase("{name} ends the turn, or announces the missing tile.", name=mover)
    return Guidance(headline, (mover,), (done, *_announce(guide, mover), *_also(guide)))


def _ask(guide: Guide, state: DeductionState, mover: int) -> Step:
    """A question about one of the coin's faces."""
    assert state.coin is not None
    others = tuple(seat for seat in range(len(guide.setup.players)) if seat != mover)
    faces = coin_faces(state.coin)
    ways = (phrase("do you have"), phrase("how many"))
    words = tuple(face_words(FACES[face]) for face in faces)
    needs = (
        Need(NeedKind.PLAYER, phrase("who is asked"), others),
        Need(
            NeedKind.CHOICE,
            phrase("whether there is one, or how many"),
            ("have", "count"),
            words=ways,
            usual="have",
        ),
        Need(NeedKind.CHOICE, phrase("the coin's suit or its value"), faces, words=words),
    )
    said = phrase("Ask {who}: {way} {faces}?", who=blank(0), way=blank(1), faces=blank(2))
    on = (On(COIN, state.coin), *(On(hand_zone(seat)) for seat in others))
    event = public(mover, "ask", others[0], "have", faces[0])
    return guide.step(phrase("Ask a question"), event, needs=needs, on=on, sentence=said)


def _announce(guide: Guide, mover: int) -> Iterator[Step]:
    """Announcing the missing tile."""
    tiles = guide.unseen()
    events = (public(mover, "announce", tile) for tile in tiles)
    need = Need(NeedKind.CARD, phrase("the tile that is missing"), tiles)
    title, on = phrase("Announce the missing tile"), (On(MISSING_ZONE),)
    yield from guide.option(title, events, needs=(need,), on=on, commits=True)


def _answering(guide: Guide, state: DeductionState, question: Question) -> Guidance:
    """Yes or no, or a number."""
    seat, asker = question.of, guide.name(question.by)
    if question.count:
        text, face = N_("{name} answers {asker}: how many {face} has {name}?"), question.face
        headline = guide.phrase(text, name=seat, asker=asker, face=face_words(face))
        events = (public(seat, "number", number) for number in range(state.hand_size + 1))
        fits = [event for event in events if guide.can(event)]
        need = Need(NeedKind.NUMBER, phrase("how many there are"), tuple(e.args[0] for e in fits))
        steps = (guide.step(phrase("Say how many"), e, needs=(need,)) for e in fits[:1])
        return Guidance(headline, (seat,), (*steps, *_also(guide)))
    text, one = N_("{name} answers {asker}: has {name} {one}?"), ONE_OF_FACE[question.face.code]
    headline = guide.phrase(text, name=seat, asker=asker, one=one)
    yes = guide.option(phrase("Yes"), (public(seat, "yes"),), answers=True)
    no = guide.option(phrase("No"), (public(seat, "no"),), answers=True)
    return Guidance(headline, (seat,), (*yes, *no, *_also(guide)))


def _showing(guide: Guide, state: DeductionState, question: Question) -> Guidance:
    """After a Yes, a tile for the asker alone."""
    seat, asker = question.of, question.by
    own: DeductionState = guide.known(seat)
    hand = own.whole_hand(seat)
    held = tuple(tile for tile in hand or () if question.face.matches(tile))
    # Whoever said Yes without one still has to record what was shown.
    fits = held or tuple(tile for tile in guide.unseen() if question.face.matches(tile))
    tile = held[0] if held else unknown(Family.TILE)
    need = Need(NeedKind.CARD, phrase("the tile shown"), fits)
    to = guide.name(asker)
    step = guide.step(
        phrase("Show {asker} a tile", asker=to),
        private(seat, "show", tile, other=asker),
        needs=(need,),
        on=(On(hand_zone(seat)),),
    )
    one = ONE_OF_FACE[question.face.code]
    text = N_("{name} shows {asker} {one} that nobody else sees.")
    headline = guide.phrase(text, name=seat, asker=to, one=one)
    return Guidance(headline, (seat,), (step, *_also(guide)))


def _verdict(guide: Guide, state: DeductionState, item: Announcement) -> Guidance:
    """Whether the announced tile is the missing one."""
    text = N_("{name} announces the {tile}, looks at the missing tile and says if it is the one.")
    on = (On(MISSING_ZONE),)
    headline = guide.phrase(text, name=item.by, tile=item.tile.name)
    right = guide.option(
        phrase("Right, it is the one"), (public(None, "right"),), on=on, answers=True
    )
    wrong = guide.option(
        phrase("Wrong, it is another one"), (public(None, "wrong"),), on=on, answers=True
    )
    steps = (*right, *wrong, *_peek(guide, state), *_also(guide))
    # Whoever hears it may record it.
    return Guidance(headline, (None, item.by), steps)


def _peek(guide: Guide, state: DeductionState) -> Iterator[Step]:
    """What those who announced saw when they looked at the missing tile."""
    for seat in dict.fromkeys(item.by for item in state.announcements):
        own: DeductionState = guide.known(seat)
        tiles = tuple(tile for tile in state.deck if tile not in own.ledger)
        events = (private(seat, "peek", unknown(Family.TILE)),)
        need = Need(NeedKind.CARD, phrase("the missing tile"), tiles)
        title = guide.phrase("{name} looks at the missing tile", name=seat)
        yield from guide.option(title, events, needs=(need,), on=(On(MISSING_ZONE),))


def _after_match(guide: Guide, state: DeductionState) -> Guidance:
    """Who found the tile."""
    over = guide.after_match(_result(guide, state))
    return Guidance(over.headline, over.waiting, (*over.steps, *_peek(guide, state)))


def _result(guide: Guide, state: DeductionState) -> str:
    """How the match ended, in one sentence."""
    winners, reasons = state.table.winners, state.table.reasons
    if not winners:
        return reasons[0] if reasons else guide.winners()
    name, last = guide.name(winners[0]), state.announcements[-1]
    if last.right:
        return phrase("{name} wins: the {tile} was missing.", name=name, tile=last.tile.name)
    return phrase("{name} wins: all others have announced wrongly.", name=name)
