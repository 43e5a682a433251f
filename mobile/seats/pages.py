"""What a page shows, as plain values in one language: pure functions of one viewer's moment."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from companion.cards import Card
from companion.core.events import DISCLOSE
from companion.core.game import Game
from companion.core.guidance.generic import opening_of
from companion.core.guidance.steps import Guidance, Step
from companion.core.setup import Setup
from companion.core.state import ZoneKind, evolve
from companion.core.verb import HAND
from companion.core.view import LogLine, View
from companion.phrases import capitalised
from mobile.model import wording
from mobile.model.people import COLOURS
from mobile.model.rows import ARROWS, lit_places
from mobile.model.steps import has_acted
from mobile.seats import gate, sentences
from mobile.seats.faces import PageFace, face
from mobile.seats.forms import Form, form
from mobile.seats.language import Language
from mobile.seats.table import ViewerMoment
from mobile.seats.touch_targets import Offered, Touches, touches

#: So many forms that play waits for stand open on a page; the rest lies behind "More".
_OPEN = 6
#: Places with more cards than this that nobody knows are drawn as one pile.
_PILE = 8


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """A place for cards.

    Attributes:
        faces: its cards in order; none where it is drawn as a pile.
        touches: what can be done on its things; None where nothing.
        meanings: what its cards do in this match beside their faces, a line each.
        is_own: whether it is the hand, or another hidden place, of the page's own player.
        changes: the sign of the change that leads to each card of a row; none elsewhere.
        lit: its cards that won, from 0.
        is_over: whether its cards were turned over: known, and out of play.
    """

    title: str
    faces: tuple[PageFace, ...]
    count: int
    touches: Touches | None = None
    meanings: tuple[str, ...] = ()
    is_own: bool = False
    changes: tuple[str, ...] = ()
    lit: frozenset[int] = frozenset()
    is_over: bool = False

    @property
    def is_one_button(self) -> bool:
        """Whether it is touched as a whole, and lies there face down."""
        found = self.touches
        is_whole = found is not None and found.whole is not None and not any(found.cards)
        return is_whole and all(one.kind == "back" for one in self.faces)


@dataclass(frozen=True, slots=True)
class ShownSeat:
    """A player at the table.

    Attributes:
        colour: number of the seat's colour, from 0.
        points: the player's; None where nobody has any.
        standing: how the player stands, in a few words; empty where there is nothing to say.
    """

    name: str
    colour: int
    points: int | None
    standing: str
    is_awaited: bool


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of the log.

    Attributes:
        step: its number for this viewer.
        marks: what became of it, and why it was refused.
    """

    step: int
    text: str
    marks: tuple[str, ...]
    stands: bool


@dataclass(frozen=True, slots=True)
class ShownPage:
    """What a seat's page, or the table's, shows.

    Attributes:
        number: number of the state.
        title: who is to act, in a few words.
        headline: what is going on, in one sentence.
        is_mine: whether play waits for this page's seat.
        said: what the referee says about the last event.
        opening: what is done with the real cards now, empty once the match has begun.
        lead: the form by which the seat's own hand becomes known to its notepad, until the seat has
            acted for all to see; None where it is known.
        first: forms that play waits for.
        more: other forms, each group behind a heading.
        board: what lies in the middle, and places on whose things something can be done.
        hand: the seat's own places.
        seats: every player, clockwise.
        log: newest first.
        undo: what can be taken back, empty where nothing.
        redo: what can be restored.
        undo_own: what can be taken back of the seat's own notes.
        agreed: names of those who agree to disclose everything; None where that is not asked.
        agrees: whether this seat does.
    """

    number: int
    title: str
    headline: str
    is_mine: bool
    said: tuple[str, ...]
    opening: str
    lead: Form | None
    first: tuple[Form, ...]
    more: tuple[tuple[str, tuple[Form, ...]], ...]
    board: tuple[ShownPlace, ...]
    hand: tuple[ShownPlace, ...]
    places: tuple[ShownPlace, ...]
    seats: tuple[ShownSeat, ...]
    log: tuple[ShownLine, ...]
    undo: str
    redo: str
    undo_own: str
    agreed: tuple[str, ...] | None
    missing: tuple[str, ...]
    agrees: bool

    @property
    def by_touch(self) -> frozenset[int]:
        """Steps that a touch on a thing does at once: their forms need not stand open."""
        found = (place.touches for place in self.board)
        return frozenset(
            one.step for all_of_it in found if all_of_it for one in all_of_it.cards
            if one is not None and one.is_whole
        )  # fmt: skip


def page(
    game: Game[Any], moment: ViewerMoment, language: Language, *, may_act: bool = True
) -> ShownPage:
    """A page's content.

    Args:
        game: the game.
        moment: the match as the page's viewer may know it.
        language: the phone's.
        may_act: whether the page offers anything; a spectator's does not.
    """
    view, guidance = moment.view, moment.guidance
    seat, setup = view.viewer, view.setup
    waiting = guidance.waiting
    is_mine = seat is not None and (seat in waiting or guidance.is_for_all)
    offered = _offered(game, view, guidance) if may_act else []
    lead, first, more = _offers(game, view, offered, waiting, language)
    # What others do may be entered here as well, but not by touching the own things.
    own = [pair for pair in offered if seat is None or pair[1].seat in (None, seat)]
    due = [step for step in guidance.due if step.seat == seat]
    if due:  # the own entry comes first: a touch on a thing would begin play without it
        own = [pair for pair in own if pair[1] in due]
    board, hand, places = _places(game, view, own, language)
    names = setup.players
    consents = moment.consents
    headline = wording.without_codes(game, language.told(guidance.headline))
    said = (wording.without_codes(game, language.told(n)) for n in view.state.remarks)
    over = view.table.match_over
    return ShownPage(
        number=len(view.log),
        title=language.say(sentences.OVER) if over else _title(waiting, seat, setup, language),
        headline=headline,
        is_mine=is_mine,
        opening=language.told(opening_of(game, view)),
        said=tuple(text for text in said if text != headline),
        lead=lead,
        first=first,
        more=more,
        board=board,
        hand=hand,
        places=places,
        seats=_seats(game, view, waiting, language),
        log=tuple(_line(game, setup, line, language) for line in reversed(view.log)),
        undo=moment.undo if may_act else "",
        redo=moment.redo if may_act else "",
        undo_own=moment.undo_own if may_act else "",
        agreed=None if consents is None else tuple(names[s] for s in sorted(consents)),
        missing=()
        if consents is None
        else tuple(name for seat, name in enumerate(names) if seat not in consents),
        agrees=consents is not None and seat in consents,
    )


def _seats(
    game: Game[Any], view: View[Any], waiting: tuple[int | None, ...], language: Language
) -> tuple[ShownSeat, ...]:
    scores = view.table.scores
    return tuple(
        ShownSeat(
            name,
            seat % COLOURS,
            scores[seat] if scores else None,
            language.told(game.standing(view.state, seat)),
            seat in waiting,
        )
        for seat, name in enumerate(view.setup.players)
    )


def _title(
    waiting: tuple[int | None, ...], seat: int | None, setup: Setup, language: Language
) -> str:
    if None in waiting:
        return language.say(sentences.FOR_ALL)
    if seat is not None and seat in waiting:
        return language.say(sentences.YOUR_TURN, name=setup.players[seat])
    if not waiting:
        return language.say(sentences.NOBODY)
    names = language.told(setup.names(tuple(s for s in waiting if s is not None)))
    return language.say(sentences.WAITING_FOR, names=names)


# -- what can be done ----------------------------------------------------------------------------


def _offers(
    game: Game[Any],
    view: View[Any],
    offered: list[tuple[int, Step]],
    waiting: tuple[int | None, ...],
    language: Language,
) -> tuple[Form | None, tuple[Form, ...], tuple[tuple[str, tuple[Form, ...]], ...]]:
    """The form of one's own hand, those that play waits for here, and the others in groups."""
    seat = view.viewer
    first = [
        (number, step)
        for number, step in offered
        if _is_waited_for(view, number, step, waiting)
        and (step.seat is None or seat is None or step.seat == seat)
        and (number == 0 or step.seat is not None or not step.commits)
        and not step.is_rare
    ][:_OPEN]
    # Where play waits for this seat's hand it is the first step anyway.
    own_hand = _own_hand(view, offered[1:] if seat in waiting else offered)
    first = [pair for pair in first if pair not in own_hand]
    taken = {number for number, _ in (*first, *own_hand)}
    rest = [(number, step) for number, step in offered if number not in taken]
    own = [pair for pair in rest if seat is not None and pair[1].seat == seat]
    all_of_them = [pair for pair in rest if pair[1].seat is None]
    others = [
        (number, _named(step, view.setup, language))
        for number, step in rest
        if step.seat not in (None, seat)
    ]

    def made(pairs: list[tuple[int, Step]]) -> tuple[Form, ...]:
        return tuple(form(game, view, step, number, language) for number, step in pairs)

    groups = (
        (sentences.FOR_YOU, own),
        (sentences.FOR_TABLE, all_of_them),
        (sentences.FOR_OTHERS, others),
    )
    more = tuple((language.say(title), made(pairs)) for title, pairs in groups if pairs)
    return next(iter(made(own_hand)), None), made(first), more


def _named(step: Step, setup: Setup, language: Language) -> Step:
    """Another one's step, which says whose it is."""
    assert step.seat is not None
    name, title = setup.players[step.seat], language.told(step.title)
    if name in title:
        return step
    return evolve(step, title=language.say(sentences.THEIR_STEP, name=name, title=title))


def _is_waited_for(
    view: View[Any], number: int, step: Step, waiting: tuple[int | None, ...]
) -> bool:
    """Whether play waits for a step here; by its player's page it is not what cannot be theirs."""
    seat = view.viewer
    if step.answers and None in waiting:
        held = None if seat is None else view.state.whole_hand(seat)
        cards = () if step.event is None else step.event.args
        return held is None or all(card in held for card in cards if isinstance(card, Card))
    # The one whom play waits for does what is the table's as well.
    is_for_one = number == 0 and step.seat is None and (seat is None or seat in waiting)
    return step.seat in waiting or is_for_one


def _own_hand(view: View[Any], offered: list[tuple[int, Step]]) -> list[tuple[int, Step]]:
    """The step that tells the notepad its player's hand, until the player has acted for all."""
    seat = view.viewer
    if seat is None or has_acted(view.events, seat):
        return []
    steps = (
        pair for pair in offered if pair[1].secret and pair[1].verb == HAND and pair[1].seat == seat
    )
    return list(islice(steps, 1))


def _offered(game: Game[Any], view: View[Any], guidance: Guidance) -> list[tuple[int, Step]]:
    """Steps that a page shows: another's secret never; agreeing to disclose stands apart."""
    seat = view.viewer
    return [
        (number, step)
        for number, step in enumerate(guidance.steps)
        if step.verb != DISCLOSE
        and step.event is not None
        and (not step.secret or (seat is not None and step.seat == seat))
        and (seat is None or gate.told_of(game, view.setup, step.event) in (None, seat))
    ]


# -- what is known -------------------------------------------------------------------------------


def _places(
    game: Game[Any], view: View[Any], offered: Offered, language: Language
) -> tuple[tuple[ShownPlace, ...], tuple[ShownPlace, ...], tuple[ShownPlace, ...]]:
    """The middle of the table with all that can be touched, the seat's own, and the others.

    Of empty places there is the row alone.
    """
    board: list[ShownPlace] = []
    own: list[ShownPlace] = []
    others: list[ShownPlace] = []
    offered = [(n, evolve(step, title=language.told(step.title))) for n, step in offered]
    letters, lit = str(game.extra(view.public).get("changes", "")), lit_places(view.public)
    for zone in view.zones:
        found = touches(offered, zone, view.viewer)
        if not zone.cards and zone.kind is not ZoneKind.ROW and not found:
            continue
        is_own = zone.owner is not None and zone.owner == view.viewer
        hidden = zone.kind in (ZoneKind.HAND, ZoneKind.SECRET)
        # The real card says it to everybody before whom it lies; the page says it of hidden ones.
        said = wording.meanings(game, view.state, zone.cards, language.told) if hidden else ()
        is_hand = is_own and hidden
        is_pile = not zone.known and len(zone.cards) > _PILE and not any(found.cards)
        faces = () if is_pile else tuple(face(card, language) for card in zone.cards)
        title = capitalised(language.told(zone.title))
        changes = (
            ("", *(ARROWS[one] for one in letters)) if letters and zone.kind is ZoneKind.ROW else ()
        )
        place = ShownPlace(
            title,
            faces,
            len(zone.cards),
            found or None,
            said,
            is_hand,
            changes,
            lit.get(zone.name, frozenset()),
            zone.kind is ZoneKind.DISCARD and not zone.face_up,
        )
        is_middle = zone.owner is None and zone.kind in (ZoneKind.ROW, ZoneKind.DISPLAY)
        (board if found or is_middle else own if is_hand else others).append(place)
    return tuple(board), tuple(own), tuple(others)


def _line(game: Game[Any], setup: Setup, line: LogLine, language: Language) -> ShownLine:
    words = (language.told(word) for word in (*line.marks, line.error) if word)
    marks = tuple(wording.without_codes(game, word) for word in words)
    return ShownLine(line.step, gate.sentence(game, setup, line.text), marks, line.stands)
