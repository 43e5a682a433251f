"""What is going on in a trick-taking match and what may be done, in words."""

from __future__ import annotations

from collections.abc import Iterator

from companion.cards import SUITS
from companion.core.events import private, public
from companion.core.game import Game, unknowns
from companion.core.guidance.build import Guide
from companion.core.guidance.steps import Guidance, Need, NeedKind, On, Step
from companion.core.state import evolve, hand_zone
from companion.core.verb import MATCH
from companion.core.view import View
from companion.games.tricks.state import MIDDLE, SUIT_WORDS, TURNED, Stage, TricksState
from companion.phrases import N_, phrase

#: With so many tricks left a claim is likely; with more, or amid a trick, it is rare.
_FEW_TRICKS = 3


def guidance(game: Game[TricksState], view: View[TricksState]) -> Guidance:
    """What a viewer reads at this moment of a match."""
    guide = Guide(game, view)
    # The set-up as it is, not an open table: who trusts the referee has to pass.
    state: TricksState = view.public
    if state.table.match_over:
        return _after_match(guide, state)
    hands = guide.hands_first()
    if hands is not None:
        return hands
    stage = state.stage
    if stage is Stage.PASS or _is_half_passed(state):
        return _passing(guide, state)
    if stage is Stage.TRUMP:
        return _turning_up(guide, state)
    return _bidding(guide, state) if stage is Stage.BID else _playing(guide, state)


def _after_match(guide: Guide, state: TricksState) -> Guidance:
    """How a match ended, and the next one."""
    over = guide.after_match(_ending(guide, state))
    if not state.law.starter_deals:
        return over
    dealer = guide.game.starts_next(state)
    title = guide.phrase("Begin the next match: {name} deals", name=dealer)
    steps = (evolve(step, title=title) if step.verb == MATCH else step for step in over.steps)
    return evolve(over, steps=tuple(steps))


def _ending(guide: Guide, state: TricksState) -> str:
    """How a match ended."""
    table = state.table
    if table.over and table.winners:
        return guide.winners()
    if not table.match_winners:
        return phrase("The match is over.")
    text = (
        N_("The match is over: {names} did best.")
        if len(table.match_winners) == 1
        else N_("The match is over: {names} did best together.")
    )
    return guide.phrase(text, names=table.match_winners)


def _also(guide: Guide, state: TricksState) -> Iterator[Step]:
    """What may be done apart from the turn."""
    if state.plays:
        left = state.size - len(state.takers)
        is_rare = left > _FEW_TRICKS or bool(state.trick)
        for seat in range(len(state.hands)):
            title = guide.phrase("{name} takes all remaining tricks", name=seat)
            claim = (public(seat, "claim", left),)
            yield from guide.option(title, claim, commits=True, is_rare=is_rare)
    else:
        yield from guide.own_hand()
    yield from guide.stop()


# -- before play -------------------------------------------------------------------------------


def _is_half_passed(state: TricksState) -> bool:
    """Whether others have passed, and only seats have not that need not record it."""
    passed = state.pass_events
    return state.stage is Stage.PLAY and not state.plays and any(passed) and not all(passed)


def _passing(guide: Guide, state: TricksState) -> Guidance:
    """Three cards to another player, secretly."""
    seats = tuple(seat for seat, n in enumerate(state.pass_events) if not n)
    count = state.law.passed
    text = (
        N_("{names} passes {count} cards to {name2}.")
        if len(seats) == 1
        else N_("{names} pass {count} cards each.")
    )
    to = (seats[0] + state.law.passes_to(state)) % len(state.hands)
    headline = guide.phrase(text, names=seats, count=count, name2=to)
    # Whoever does not record the passing may lead all the same.
    leads = _leads(guide, state) if _is_half_passed(state) else ()
    return Guidance(
        headline, seats, (*_pass_steps(guide, state, seats), *leads, *_also(guide, state))
    )


def _pass_steps(guide: Guide, state: TricksState, seats: tuple[int, ...]) -> Iterator[Step]:
    count = state.law.passed
    for seat in seats:
        cards = guide.known(seat).held[seat] or guide.unseen()
        event = private(seat, "pass", unknowns(count))
        need = Need(NeedKind.CARDS, phrase("the cards passed"), cards, count)
        to = (seat + state.law.passes_to(state)) % len(state.hands)
        title = guide.phrase("{name} passes {count} cards to {name2}", name=seat, count=count,
                             name2=to)  # fmt: skip
        yield guide.step(title, event, needs=(need,), on=(On(hand_zone(seat)),))


def _turning_up(guide: Guide, state: TricksState) -> Guidance:
    """The card whose suit is trump."""
    cards = guide.unseen()
    need = Need(NeedKind.CARD, phrase("the card turned up"), cards)
    owner = state.law.turned_owner(state)
    on = (On(TURNED),) if owner is None else (On(hand_zone(owner)),)
    step = guide.step(
        phrase("Turn up the card for trumps"), public(None, "trump", cards[0]), needs=(need,), on=on
    )
    if owner is None:
        headline = phrase("The next card of the pack is turned up: its suit is trump.")
    else:
        headline = guide.phrase("{name} turns up the last card dealt: its suit is trump.",
                                name=owner)  # fmt: skip
    return Guidance(headline, (owner,), (step, *_also(guide, state)))


def _bidding(guide: Guide, state: TricksState) -> Guidance:
    """How many tricks it will be."""
    mover = state.table.to_move
    assert mover is not None
    bid = sum(count or 0 for count in state.bids)
    if all(count is None for count in state.bids):
        headline = guide.phrase("{name} bids first: how many tricks?", name=mover)
    else:
        text = N_("{name} bids. Bid so far: {bid} of {count}.")
        headline = guide.phrase(text, name=mover, bid=bid, count=state.size)
    barred = state.law.barred_bid(state)
    if barred is not None:
        text = N_("{headline} {bid} is not allowed: the bids would add up to the tricks.")
        headline = phrase(text, headline=headline, bid=barred)
    numbers = tuple(n for n in range(state.size + 1) if guide.can(public(mover, "bid", n)))
    if state.law.nil:
        text = N_("{headline} Nil, no trick at all, wins {points} points or loses them.")
        headline = phrase(text, headline=headline, points=state.law.nil)
    nil = phrase("nil") if state.law.nil else "0"
    words = tuple(str(n) if n else nil for n in numbers)
    need = Need(NeedKind.NUMBER, phrase("the tricks"), numbers, words=words)
    step = guide.step(phrase("Bid"), public(mover, "bid", numbers[-1]), needs=(need,))
    return Guidance(headline, (mover,), (step, *_also(guide, state)))


# -- play --------------------------------------------------------------------------------------


def _playing(guide: Guide, state: TricksState) -> Guidance:
    """The next card of the trick."""
    seats = guide.game.actors(guide.state)
    first = state.law.first_card(state) if not state.plays else None
    if first is not None:
        headline = phrase(_first_lead(state), card=first.name, count=state.law.passed)
        waiting = (None,) if len(seats) > 1 else seats
        return Guidance(headline, waiting, (*_leads(guide, state), *_also(guide, state)))
    (mover,) = seats
    play = _plays(guide, state, mover)
    return Guidance(_turn(guide, state, mover), (mover,), (*play, *_also(guide, state)))


def _leads(guide: Guide, state: TricksState) -> Iterator[Step]:
    """The first lead, by each who may have the card for it."""
    seats = guide.game.actors(guide.state)
    first = state.law.first_card(state)
    if first is None:
        yield from _plays(guide, state, *seats)
        return
    for seat in seats:
        title = guide.phrase("{name} leads the {card}", name=seat, card=first.name)
        # Nobody knows who has it: no seat is waited for, and no lead is likelier than another.
        lead = (public(seat, "play", first),)
        yield from guide.option(title, lead, answers=len(seats) > 1)


def _plays(guide: Guide, state: TricksState, mover: int) -> Iterator[Step]:
    """A card of the one whose turn it is."""
    cards = state.law.can_hold(guide.state, mover)
    need = Need(NeedKind.CARD, phrase("the card played"), cards)
    events = (public(mover, "play", card) for card in cards)
    # The next lead does not lie beside the last trick: it begins another one.
    on = () if state.takers and not state.trick else (On(MIDDLE, is_end=True),)
    yield from guide.option(phrase("Play a card"), events, needs=(need,), on=on)


def _first_lead(state: TricksState) -> str:
    """Who leads first; and before it where cards go whose passing nobody has recorded."""
    places = state.law.passes_to(state)
    if not places or all(state.pass_events):
        return N_("Whoever has the {card} leads it.")
    if places == 1:
        return N_(
            "Pass {count} cards to the left, face down. Whoever has the {card} then leads it."
        )
    if places == len(state.hands) - 1:
        return N_(
            "Pass {count} cards to the right, face down. Whoever has the {card} then leads it."
        )
    return N_("Pass {count} cards across, face down. Whoever has the {card} then leads it.")


def _turn(guide: Guide, state: TricksState, mover: int) -> str:
    """Whose turn it is, and what was led."""
    number, of = state.number, state.size
    if state.led is not None:
        text = N_("{name} plays: {suit} were led. Trick {number} of {of}.")
        suit = SUIT_WORDS[state.led]
    elif state.takers:
        text = N_("{name} leads. Trick {number} of {of}.")
        suit = ""
    else:
        text, suit = N_("{name} leads the first trick."), ""
    headline = guide.phrase(text, name=mover, suit=suit, number=number, of=of)
    trump = state.trump
    if trump is None or not state.law.turns_up:
        return headline
    return phrase("{headline} {suit} are trumps.", headline=headline, suit=SUITS[trump])
