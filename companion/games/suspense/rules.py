"""What may happen in a Suspense match before the secret card is turned up, and all its verbs."""

from __future__ import annotations

from companion.cards import Card, Family
from companion.core.events import Event
from companion.core.game import require_hand, require_turn
from companion.core.match import begin_match
from companion.core.state import evolve, hand_zone, move_to, put, record, say, take_from_hand
from companion.core.syntax import CardPart, NumberPart, PlayerPart
from companion.core.verb import VerbTable, Who
from companion.errors import IllegalError
from companion.games.suspense.conditions import EXCLAMATIONS
from companion.games.suspense.state import (
    Stage,
    SuspenseState,
    play_zone,
    require_dealer,
    require_play,
    unplayed,
)
from companion.phrases import N_

VERBS = VerbTable[SuspenseState]()


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
        raise state.illegal(
            "This match is under way and {name} deals it: a dealer is named before each match. "
            "If it is someone else, correct the event that named {name}.",
            name=table.starter,
        )
    else:
        expected = table.starter
    if seat != expected:
        raise state.illegal("The deal passes clockwise: {name} deals this match.", name=expected)


@VERBS(
    "dealer",
    "Name the dealer, which begins each match.",
    verify_dealer,
    PlayerPart(),
    who=Who.TABLE,
    late=True,
)
def apply_dealer(state: SuspenseState, event: Event) -> SuspenseState:
    """Begins the match."""
    dealer = event.args[0]
    if state.table.match_over:
        state = start(state, dealer)
    table = evolve(state.table, starter=dealer, to_move=dealer)
    state = evolve(state, table=table, stage=Stage.PLAY, named=True, remarks=())
    text = N_("{name} deals {size} cards each and begins; one card is the secret.")
    return say(state, text, name=dealer, size=state.hand_size)


def start(state: SuspenseState, starter: int) -> SuspenseState:
    """The state at the start of the session's next match, which the starter deals."""
    before = evolve(state, withheld=state.withheld | withheld(state))
    fresh = begin_match(unplayed(state.setup, state.printed), before, starter)
    text = N_("Match {match}: {name} deals.")
    return say(evolve(fresh, stage=Stage.PLAY), text, match=fresh.table.match, name=starter)


def verify_exclamation(state: SuspenseState, event: Event) -> None:
    """With the d20, each match's condition of the `!` is rolled before the first card."""
    require_dealer(state)
    if state.setup.options["exclamation"] != "d20":
        raise IllegalError("The d20 is rolled with the option “exclamation: d20” only.")
    if state.exclamation is not None:
        text = N_("The d20 showed {exclamation} already; correct that event.")
        raise state.illegal(text, exclamation=state.exclamation)


@VERBS(
    "exclamation",
    "The d20 picks the condition of the ! for this match.",
    verify_exclamation,
    NumberPart(1, 20),
    who=Who.TABLE,
)
def apply_exclamation(state: SuspenseState, event: Event) -> SuspenseState:
    """Sets the condition of the `!`."""
    number = event.args[0]
    state = evolve(state, exclamation=number)
    text = N_("The d20 shows {number}: ! bears “{condition}”.")
    return say(state, text, number=number, condition=EXCLAMATIONS[number - 1])


def verify_hand(state: SuspenseState, event: Event) -> None:
    """A trusted hand is known card by card, so that it can be scored."""
    require_dealer(state)
    unread = any(not card.is_known for card in event.args[0])
    if unread and state.setup.trusted[event.actor]:
        raise IllegalError("A player who trusts the referee names every card of the hand.")


def on_hand(state: SuspenseState, event: Event) -> SuspenseState:
    """Takes cards that are in play already out of the hand that was dealt."""
    if event.hidden:
        return state
    for card in state.played[event.actor]:
        state = _play_from_hand(state, event.actor, card, event.n)
    return state


def _play_from_hand(state: SuspenseState, seat: int, card: Card, n: int) -> SuspenseState:
    """Takes a card in play out of a recorded hand; a finding if the hand lacked it."""
    text = N_("{name} plays {card} ({when}), but {name}'s recorded hand has no such card.")
    played = state.ledger.get(card)
    return take_from_hand(state, seat, (card,), n, text, when=n if played is None else played.n)


# -- turns -------------------------------------------------------------------------------------


def _verify_turn(state: SuspenseState, event: Event) -> int:
    seat = event.actor
    require_play(state)
    require_turn(state, seat)
    require_hand(state, seat)
    return seat


def verify_play(state: SuspenseState, event: Event) -> None:
    """One card from the hand, face up."""
    seat = _verify_turn(state, event)
    if not event.args[0].is_known:
        raise IllegalError("A card in play lies face up: say which it is.")
    if not state.left(seat):
        raise state.illegal("{name} has no cards left and can only pass.", name=seat)


@VERBS("play", "Play a card face up.", verify_play, CardPart(Family.SUSPENSE))
def apply_play(state: SuspenseState, event: Event) -> SuspenseState:
    """Puts the card in play; passes start again."""
    seat, card = event.actor, event.args[0]
    state = record(state, (card,), play_zone(seat), event.n, come_from=(hand_zone(seat),))
    state = _play_from_hand(state, seat, card, event.n)
    played = put(state.played, seat, (*state.played[seat], card))
    state = evolve(state, played=played, passed=frozenset())
    state = say(
        state,
        "{name} plays {card} (“{bears}” is not the secret): sum {total} of {limit}.",
        name=seat,
        card=card,
        bears=state.conditions[card],
        total=state.total,
        limit=state.limit,
    )
    return _next(state, seat)


def verify_pass(state: SuspenseState, event: Event) -> None:
    """Not on the first turn of a match."""
    seat = _verify_turn(state, event)
    if not state.turns[seat] and state.left(seat):
        raise IllegalError("On the first turn of a match a card must be played.")


@VERBS("pass", "Skip the turn.", verify_pass)
def apply_pass(state: SuspenseState, event: Event) -> SuspenseState:
    """Skips the turn; the player is still in."""
    seat = event.actor
    state = evolve(state, passed=state.passed | {seat})
    return _next(say(state, "{name} passes.", name=seat), seat)


def _next(state: SuspenseState, seat: int) -> SuspenseState:
    """Passes the turn, or ends the playing stage."""
    state = evolve(state, turns=put(state.turns, seat, state.turns[seat] + 1))
    active = state.active
    if state.total >= state.limit:
        return _declare(
            say(state, "The numbers sum to {total}: the match ends.", total=state.total)
        )
    if len(active) == 1:
        return _declare(say(state, "One player is left: the match ends."))
    if state.passed.issuperset(active):
        return _declare(say(state, "All have passed: the match ends."))
    count = len(state.setup.players)
    to_move = next(s for i in range(1, count + 1) if (s := (seat + i) % count) in active)
    return move_to(state, to_move)


# -- fold or stay ------------------------------------------------------------------------------


def _declare(state: SuspenseState) -> SuspenseState:
    """Everybody still in folds or stays, from the dealer clockwise."""
    state = move_to(evolve(state, stage=Stage.DECLARE), state.active[0])
    return say(state, "Fold or stay: {name} begins.", name=state.table.to_move)


def verify_declare(state: SuspenseState, event: Event) -> None:
    """At the end, dealer first; a fold also instead of a turn, where that was agreed."""
    seat = event.actor
    require_dealer(state)
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
        raise state.illegal("{name} has folded already.", name=seat)
    _verify_turn(state, event)
    if not state.turns[seat]:
        raise IllegalError("On the first turn of a match a card must be played.")


@VERBS("stay", "Stay: 2 points if you meet the condition, 1 each if several do.", verify_declare)
@VERBS("fold", "Fold: 1 point unless you meet the condition.", verify_declare)
def apply_declare(state: SuspenseState, event: Event) -> SuspenseState:
    """Folds or stays."""
    seat = event.actor
    folds = event.verb == "fold"
    state = say(state, "{name} folds." if folds else "{name} stays.", name=seat)
    if folds:
        state = evolve(state, folded=state.folded | {seat})
    else:
        state = evolve(state, stayed=state.stayed | {seat})
    if state.stage is Stage.PLAY:
        return _next(state, seat)
    waiting = [s for s in state.order if s not in state.folded | state.stayed]
    if waiting:
        return move_to(state, waiting[0])
    state = move_to(evolve(state, stage=Stage.REVEAL), None)
    return say(state, "Everybody has declared: turn up the secret card.")


def withheld(state: SuspenseState) -> frozenset[int]:
    """A folded hand stays folded: its owner may turn it up, nobody else."""
    numbers = [state.hand_events[seat] for seat in state.folded]
    numbers += [shown.n for seat in state.folded if (shown := state.shown[seat]) is not None]
    return frozenset(numbers) - {0}
