"""What may happen in a Suspense match before the secret card is turned up."""

from __future__ import annotations

from companion.cards import Card
from companion.core.events import Event
from companion.core.game import require_hand, require_turn
from companion.core.state import FindingKind, evolve, find, hand_zone, put, record, say, take
from companion.errors import IllegalError
from companion.games.suspense.conditions import EXCLAMATIONS
from companion.games.suspense.state import (
    SECRET,
    Look,
    Stage,
    SuspenseState,
    play_zone,
    require_dealer,
    require_play,
)
from companion.phrases import phrase

# -- the start of a match ----------------------------------------------------------------------


def verify_dealer(state: SuspenseState, event: Event) -> None:
    """The youngest deals first, then the deal passes clockwise."""
    seat, table = event.args[0], state.table
    names = state.setup.players
    if table.over:
        raise IllegalError("The game is over: set up a new one.")
    if table.match_over:
        expected = (table.starter + 1) % len(names)
    elif state.stage is Stage.DEALER:
        return
    elif state.named or state.is_touched:
        raise IllegalError(
            phrase(
                "This match is under way and {name} deals it: a dealer is named before each match. "
                "If it is someone else, correct the event that named {name}.",
                name=names[table.starter],
            )
        )
    else:
        expected = table.starter
    if seat != expected:
        raise IllegalError(
            phrase("The deal passes clockwise: {name} deals this match.", name=names[expected])
        )


def apply_dealer(state: SuspenseState, event: Event) -> SuspenseState:
    """Begins the match."""
    if state.table.match_over:
        state = start(state, event.args[0])
    table = evolve(state.table, starter=event.args[0], to_move=event.args[0])
    state = evolve(state, table=table, stage=Stage.PLAY, named=True, notes=())
    name, size = state.setup.players[event.args[0]], state.hand_size
    return say(
        state,
        phrase(
            "{name} deals {size} cards each and begins; one card is the secret.",
            name=name,
            size=size,
        ),
    )


def start(state: SuspenseState, dealer: int) -> SuspenseState:
    """The state at the start of the session's next match."""
    table = evolve(
        state.table,
        match=state.table.match + 1,
        starter=dealer,
        to_move=dealer,
        match_over=False,
        reasons=(),
    )
    count = len(state.setup.players)
    fresh = SuspenseState(
        setup=state.setup,
        table=table,
        hands=(None,) * count,
        held=(None,) * count,
        findings=state.findings,
        disclosed=state.disclosed,
        printed=state.printed,
        stage=Stage.PLAY,
        played=((),) * count,
        turns=(0,) * count,
        shown=(None,) * count,
    )
    return say(
        fresh,
        phrase("Match {match}: {name} deals.", match=table.match, name=state.setup.players[dealer]),
    )


def verify_exclamation(state: SuspenseState, event: Event) -> None:
    """With the d20, each match's condition of the `!` is rolled before the first card."""
    require_dealer(state)
    if state.setup.options["exclamation"] != "d20":
        raise IllegalError("The d20 is rolled with the option “exclamation: d20” only.")
    if state.exclamation is not None:
        raise IllegalError(
            phrase(
                "The d20 showed {exclamation} already; correct that event.",
                exclamation=state.exclamation,
            )
        )


def apply_exclamation(state: SuspenseState, event: Event) -> SuspenseState:
    """Sets the condition of the `!`."""
    number = event.args[0]
    state = evolve(state, exclamation=number)
    return say(
        state,
        phrase(
            "The d20 shows {number}: ! bears “{condition}”.",
            number=number,
            condition=EXCLAMATIONS[number - 1],
        ),
    )


def verify_hand(state: SuspenseState, event: Event) -> None:
    """A trusted hand is known card by card, so that it can be scored."""
    require_dealer(state)
    assert event.seat is not None
    unread = any(not card.is_known for card in event.args[0])
    if unread and state.setup.trusted[event.seat]:
        raise IllegalError("A player who trusts the referee names every card of the hand.")


def on_hand(state: SuspenseState, event: Event) -> SuspenseState:
    """Takes cards that are in play already out of the hand that was dealt."""
    seat = event.seat
    assert seat is not None
    events = state.hand_events or (0,) * len(state.setup.players)
    state = evolve(state, given=state.given | {seat}, hand_events=put(events, seat, event.n))
    if event.hidden:
        return state
    held = state.held[seat]
    assert held is not None
    for card in state.played[seat]:
        rest = take(held, card)
        if rest is None:
            state = _not_dealt(state, seat, card, event.n)
        else:
            held = rest
    return evolve(state, held=put(state.held, seat, held))


def _not_dealt(state: SuspenseState, seat: int, card: Card, n: int) -> SuspenseState:
    """A card in play that the recorded hand did not hold."""
    if card in state.reported:
        return state
    name, played = state.setup.players[seat], state.ledger.get(card)
    when = played.n if played is not None else n
    message = phrase(
        "{name} plays {card} ({when}), but {name}'s recorded hand has no such card.",
        name=name,
        card=card.code,
        when=when,
    )
    return find(state, n, FindingKind.IMPOSSIBLE, message)


# -- the secret card ---------------------------------------------------------------------------


def verify_secret(state: SuspenseState, event: Event) -> None:
    """Only the dealer may look; for all it is turned up when everybody has declared."""
    require_dealer(state)
    card = event.args[0]
    dealer = state.setup.players[state.table.starter]
    if not card.is_known:
        raise IllegalError("Say which card the secret is.")
    if event.is_public:
        if event.seat is not None:
            raise IllegalError("The secret card is turned up by nobody: table: secret CARD.")
        if state.table.match_over:
            raise IllegalError("The match is over: the secret card is known.")
        if state.stage is not Stage.REVEAL:
            raise IllegalError("The secret card is turned up when everybody has declared.")
        if state.secret is not None:
            raise IllegalError("The secret card is turned up already; correct that event.")
        return
    if event.seat != state.table.starter:
        raise IllegalError(
            phrase("Only the dealer, {dealer}, may look at the secret card.", dealer=dealer)
        )
    if state.table.match_over or state.secret is not None:
        raise IllegalError("The secret card lies open: there is nothing to look at in private.")
    if state.look is not None:
        raise IllegalError(
            phrase(
                "{dealer} has looked at the secret card already; correct that event.", dealer=dealer
            )
        )


def apply_look(state: SuspenseState, event: Event) -> SuspenseState:
    """The dealer's privilege."""
    state = say(
        state, phrase("{name} has looked at the secret card.", name=state.setup.name(event.seat))
    )
    if event.hidden:
        return evolve(state, look=Look(None, event.n))
    card = event.args[0]
    state = record(state, (card,), SECRET, event.n)
    return evolve(state, look=Look(card, event.n))


# -- turns -------------------------------------------------------------------------------------


def _verify_turn(state: SuspenseState, event: Event) -> int:
    assert event.seat is not None
    require_play(state)
    require_turn(state, event.seat)
    require_hand(state, event.seat)
    return event.seat


def verify_play(state: SuspenseState, event: Event) -> None:
    """One card from the hand, face up."""
    seat = _verify_turn(state, event)
    if not event.args[0].is_known:
        raise IllegalError("A card in play lies face up: say which it is.")
    if not state.left(seat):
        raise IllegalError(
            phrase("{name} has no cards left and can only pass.", name=state.setup.players[seat])
        )


def apply_play(state: SuspenseState, event: Event) -> SuspenseState:
    """Puts the card in play; passes start again."""
    seat, card = event.seat, event.args[0]
    assert seat is not None
    before = len(state.findings)
    state = record(state, (card,), play_zone(seat), event.n, come_from=(hand_zone(seat),))
    held = state.held[seat]
    if held is not None:
        rest = take(held, card)
        if rest is not None:
            state = evolve(state, held=put(state.held, seat, rest))
        elif len(state.findings) == before:
            state = _not_dealt(state, seat, card, event.n)
    played = put(state.played, seat, (*state.played[seat], card))
    state = evolve(state, played=played, passed=frozenset())
    bears = state.conditions[card]
    state = say(
        state,
        phrase(
            "{name} plays {card} (“{bears}” is not the secret): sum {total} of {limit}.",
            name=state.setup.players[seat],
            card=card.code,
            bears=bears,
            total=state.total,
            limit=state.limit,
        ),
    )
    return _next(state, seat)


def verify_pass(state: SuspenseState, event: Event) -> None:
    """Not on the first turn of a match."""
    seat = _verify_turn(state, event)
    if not state.turns[seat] and state.left(seat):
        raise IllegalError("On the first turn of a match a card must be played.")


def apply_pass(state: SuspenseState, event: Event) -> SuspenseState:
    """Skips the turn; the player is still in."""
    seat = event.seat
    assert seat is not None
    state = evolve(state, passed=state.passed | {seat})
    return _next(say(state, phrase("{name} passes.", name=state.setup.players[seat])), seat)


def _next(state: SuspenseState, seat: int) -> SuspenseState:
    """Passes the turn, or ends the time of playing."""
    state = evolve(state, turns=put(state.turns, seat, state.turns[seat] + 1))
    active = state.active
    if state.total >= state.limit:
        return _declare(
            say(state, phrase("The numbers sum to {total}: the match ends.", total=state.total))
        )
    if len(active) == 1:
        return _declare(say(state, "One player is left: the match ends."))
    if state.passed.issuperset(active):
        return _declare(say(state, "All have passed: the match ends."))
    count = len(state.setup.players)
    to_move = next(s for i in range(1, count + 1) if (s := (seat + i) % count) in active)
    return evolve(state, table=evolve(state.table, to_move=to_move))


# -- fold or stay ------------------------------------------------------------------------------


def _declare(state: SuspenseState) -> SuspenseState:
    """Everybody still in folds or stays, from the dealer clockwise."""
    state = evolve(state, stage=Stage.DECLARE)
    state = evolve(state, table=evolve(state.table, to_move=state.active[0]))
    return say(
        state, phrase("Fold or stay: {name} begins.", name=state.setup.name(state.table.to_move))
    )


def verify_declare(state: SuspenseState, event: Event) -> None:
    """At the end, dealer first; a fold also instead of a turn, if that was agreed."""
    seat = event.seat
    assert seat is not None
    require_dealer(state)
    name = state.setup.players[seat]
    if state.stage is Stage.DECLARE:
        require_turn(state, seat)
        require_hand(state, seat)
        return
    if state.stage is not Stage.PLAY:
        raise IllegalError("Everybody has declared already.")
    if event.verb == "stay":
        raise IllegalError("Staying is declared when the match has ended.")
    if state.setup.options["fold"] != "any_turn":
        raise IllegalError("Folding is declared when the match has ended (option fold: at_end).")
    if seat in state.folded:
        raise IllegalError(phrase("{name} has folded already.", name=name))
    _verify_turn(state, event)
    if not state.turns[seat]:
        raise IllegalError("On the first turn of a match a card must be played.")


def apply_declare(state: SuspenseState, event: Event) -> SuspenseState:
    """Folds or stays."""
    seat = event.seat
    assert seat is not None
    folds = event.verb == "fold"
    name = state.setup.players[seat]
    state = say(state, phrase("{name} folds." if folds else "{name} stays.", name=name))
    if folds:
        state = evolve(state, folded=state.folded | {seat})
    else:
        state = evolve(state, stayed=state.stayed | {seat})
    if state.stage is Stage.PLAY:
        return _next(state, seat)
    waiting = [s for s in state.order if s not in state.folded | state.stayed]
    if waiting:
        return evolve(state, table=evolve(state.table, to_move=waiting[0]))
    state = evolve(state, stage=Stage.REVEAL, table=evolve(state.table, to_move=None))
    return say(state, "Everybody has declared: turn up the secret card.")
