"""Announcements, their verdicts, looks at the missing tile, and how a match ends."""

from __future__ import annotations

from companion.cards import Card, Family
from companion.core.events import Event
from companion.core.match import end_match
from companion.core.setup import Setup
from companion.core.state import evolve, say
from companion.core.syntax import CardPart
from companion.core.verb import Secrecy, VerbTable, Who
from companion.errors import IllegalError
from companion.games.deduction import audit
from companion.games.deduction.rules import next_turn, verify_done, verify_tiles
from companion.games.deduction.state import Announcement, DeductionState, Peek
from companion.phrases import N_, phrase

_TILE = CardPart(Family.TILE, "TILE")
VERBS = VerbTable[DeductionState]()


def initial(setup: Setup, deck: tuple[Card, ...]) -> DeductionState:
    """The state at the start of a session, played with these tiles."""
    count = len(setup.players)
    if len(deck) <= count:
        raise IllegalError(
            "{count} tiles are too few for {count2} hands and a missing tile.",
            count=len(deck),
            count2=count,
        )
    return DeductionState.fresh(setup, deck=deck, turned=(0,) * count)


def verify_announce(state: DeductionState, event: Event) -> None:
    """After the question was answered, one particular tile."""
    verify_done(state, event)
    tile = event.args[0]
    if not tile.is_known:
        raise IllegalError("Announce one particular tile, with its value and its suit.")
    verify_tiles(state, (tile,))
    if tile in (state.up or ()):
        text = N_("The {tile} lies face up, so it is not the missing tile: announce another.")
        raise state.illegal(text, tile=tile.name)


@VERBS("announce", "Announce the missing tile.", verify_announce, _TILE)
def apply_announce(state: DeductionState, event: Event) -> DeductionState:
    """Notes the announcement; the table says whether it is right."""
    tile = event.args[0]
    item = Announcement(event.n, event.actor, tile)
    state = evolve(state, announcements=(*state.announcements, item))
    text = N_("{name} announces that the {tile} is missing, and may peek.")
    return say(state, text, name=event.actor, tile=tile.name)


def trusted_verdict(state: DeductionState) -> bool | None:
    """Whether the announced tile is the missing one, from tiles turned up and trusted hands.

    Returns:
        None if these do not settle it.
    """
    item = state.announced
    if item is None:
        return None
    located = set(state.up or ())
    for seat, trusted in enumerate(state.setup.trusted):
        if trusted:
            located |= set(state.hands[seat] or ())
    if item.tile in located:
        return False
    rest = [tile for tile in state.deck if tile not in located]
    return True if rest == [item.tile] else None


def verify_verdict(state: DeductionState, event: Event) -> None:
    """On an announcement; not against what trusted hands settle."""
    if state.announced is None:
        raise IllegalError("Nothing was announced.")
    truth = trusted_verdict(state)
    if truth is not None and truth != (event.verb == "right"):
        said = "wrong" if event.verb == "right" else "right"
        by_hands = N_("According to the hands that the referee knows, it is {said}.")
        by_tiles = N_("According to the tiles that lie face up, it is {said}.")
        raise state.illegal(by_hands if any(state.setup.trusted) else by_tiles, said=said)


@VERBS("wrong", "The announced tile is not the missing one.", verify_verdict, who=Who.TABLE)
@VERBS("right", "The announced tile is the missing one.", verify_verdict, who=Who.TABLE)
def apply_verdict(state: DeductionState, event: Event) -> DeductionState:
    """Right wins; wrong is out, and the turn ends."""
    item = state.announced
    assert item is not None
    right = event.verb == "right"
    item = evolve(item, verdict=event.n, right=right)
    state = evolve(state, announcements=(*state.announcements[:-1], item))
    before = len(state.findings)
    state = audit.check_missing(state, event.n)
    if len(state.findings) == before:
        is_it, is_not = (
            N_("{tile} as the missing tile ({n})"),
            N_("{tile} as not the missing tile ({n})"),
        )
        lead = state.phrase(is_it if right else is_not, tile=item.tile, n=event.n)
        state = audit.check_facts(state, event.n, lead)
    if right:
        text = N_("{name} is right: the {tile} is the missing tile.")
        why = state.phrase(text, name=item.by, tile=item.tile.name)
        return finish(state, why, (item.by,))
    state = evolve(state, out=state.out | {item.by})
    state = say(state, "{name} is wrong and asks no more, but still answers.", name=item.by)
    left = [seat for seat in range(len(state.setup.players)) if seat not in state.out]
    if len(left) == 1 and state.setup.is_on("last_one_wins"):
        last = state.setup.players[left[0]]
        why = phrase("All but {last} have announced wrongly.", last=last)
        return finish(state, why, (left[0],))
    if not left:
        return finish(state, N_("All have announced wrongly: nobody wins."), ())
    return next_turn(state)


def verify_peek(state: DeductionState, event: Event) -> None:
    """Only a player who announced looks at the missing tile, once."""
    seat = event.actor
    if all(item.by != seat for item in state.announcements):
        raise state.illegal("{name} has announced nothing, so may not peek.", name=seat)
    if any(peek.by == seat for peek in state.peeks):
        text = N_("{name}'s peek is recorded already; correct that event instead.")
        raise state.illegal(text, name=seat)
    verify_tiles(state, (event.args[0],))


@VERBS(
    "peek",
    "Record what the announcer saw when looking at the missing tile.",
    verify_peek,
    _TILE,
    secrecy=Secrecy.PRIVATE,
    late=True,
)
def apply_peek(state: DeductionState, event: Event) -> DeductionState:
    """A look at the missing tile."""
    tile = None if event.hidden else event.args[0]
    state = evolve(state, peeks=(*state.peeks, Peek(event.n, event.actor, tile)))
    state = say(state, "{name} peeks at the missing tile.", name=event.actor)
    if tile is None or not tile.is_known:
        return state
    before = len(state.findings)
    state = audit.check_missing(state, event.n)
    if len(state.findings) > before:
        return state
    lead = state.phrase("{tile} as the missing tile ({n})", tile=tile, n=event.n)
    return audit.check_facts(state, event.n, lead)


def finish(state: DeductionState, why: str, winners: tuple[int, ...]) -> DeductionState:
    """Ends the match with or without a winner."""
    reasons = [why]
    reasons += [
        state.phrase("{name} had announced the {tile} wrongly.", name=item.by, tile=item.tile.name)
        for item in state.announcements
        if item.verdict and not item.right
    ]
    if winners:
        asked = sum(question.by == winners[0] for question in state.questions)
        reasons.append(
            state.phrase(
                "{name} wins after {asked} question of {count}."
                if asked == 1
                else "{name} wins after {asked} questions of {count}.",
                name=winners[0],
                asked=asked,
                count=len(state.questions),
            )
        )
    return end_match(state, *reasons, winners=winners, points=dict.fromkeys(winners, 1))
