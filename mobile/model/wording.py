"""Lines of a match as sentences, for screens: the notation stays for files and the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from companion.cards import RANKS, Card, Family, parse_card
from companion.core.events import CORRECT, LOG_VERBS, Event
from companion.core.game import Game
from companion.core.referee import Referee
from companion.core.setup import Setup
from companion.core.syntax import CardsPart, PlayerPart, PlayersPart, RankPart
from companion.errors import CompanionError
from companion.phrases import Name, Phrase, percent, phrase
from mobile.model.faces import card_name
from mobile.resources import texts

#: How cards are written in the notation.
_CODES = {
    Family.STANDARD: re.compile(r"\b(?:(?:10|[2-9AJQK])[SHDC]|JK[12]?)\b"),
    Family.TILE: re.compile(r"\b[0A2-5][SMCH]\b"),
    Family.SUSPENSE: re.compile(r"\b[WB][1-6]\b"),
}
_PIECES = frozenset({Family.TILE, Family.COIN})
_SHARE = 0.995
#: How a line would be typed, at the end of a refusal.
_TYPED = re.compile(r":\s*(?:NAME\S*|table): [^.]*(?=\.)")
#: How a line ends whose reader may not know what it says.
_HIDDEN = "…"


def cell_text(chance: float) -> str:
    """A chance as a cell shows it: ✓ and ✗ only where it is certain."""
    if chance <= 0:
        return "✗"
    if chance >= 1:
        return "✓"
    if chance < 1 - _SHARE:
        return "<1 %"
    return ">99 %" if chance > _SHARE else percent(chance)


def chance_in_words(chance: float, told: Callable[[str], str]) -> str:
    """The same for a screen reader, to which a sign says nothing."""
    said = {"✗": texts.SURE_NO, "✓": texts.SURE_YES}.get(cell_text(chance))
    return told(said) if said else cell_text(chance)


def told_line(referee: Referee[Any], text: str) -> str:
    """A line of a view's log as a sentence.

    Returns:
        The sentence; the line itself where it was typed and cannot be read.
    """
    setup = referee.setup
    if text.endswith(_HIDDEN):
        who, _, verb = text.removesuffix(_HIDDEN).partition(":")
        name, _, other = who.partition("*")
        known = f"{verb.strip()}/hidden"
        names = {"name": Name(name), "other": Name(other)}
        return _said(known if known in texts.SAYS else "/hidden", names)
    try:
        return told_event(referee.game, setup, referee.parse(text))
    except CompanionError:
        return text


def told_step(referee: Referee[Any], text: str) -> str:
    """A line of a view's log as what is taken back or restored: a sentence, or a correction."""
    try:
        event = referee.parse(text)
    except CompanionError:
        return told_line(referee, text)
    if event.verb == CORRECT:
        return texts.A_CORRECTION.format(n=event.args[0])
    return told_line(referee, text)


def start_question(setup: Setup, due: Iterable[int | None]) -> str:
    """Asks whether play starts though somebody has not written; empty where all have.

    Args:
        setup: the players.
        due: the seats that something secret is waited for from; None is nobody's.
    """
    seats = tuple(seat for seat in dict.fromkeys(due) if seat is not None)
    if not seats:
        return ""
    said = texts.START_ANYWAY if len(seats) == 1 else texts.START_WITHOUT
    return phrase(said, names=setup.names(seats))


def told_event(game: Game[Any], setup: Setup, event: Event) -> str:
    """An event as a sentence.

    Args:
        game: the game.
        setup: names.
        event: what happened; where its arguments are hidden, only that it did.
    """
    names: dict[str, object] = {"name": "" if event.seat is None else setup.players[event.seat]}
    if event.verb == CORRECT:
        number, inner = event.args
        return texts.SAYS[CORRECT].format(n=number, what=told_event(game, setup, inner))
    if event.verb in LOG_VERBS:
        return texts.SAYS[event.verb]
    own = game.told(setup, event)
    if own:
        return without_codes(game, texts.told(own))
    others = [seat for seat in event.audience or () if seat != event.seat]
    names["other"] = setup.names(tuple(others)) if others else ""
    private = "/private" if event.audience is not None else ""
    key = f"{event.verb}/{len(event.args)}"
    # A choice between two words makes two sentences: “has he …?” and “how many …?”.
    words = [f"{key}/{value}" for value in event.args if isinstance(value, str)]
    table = f"{key}/table" if event.seat is None else ""
    wanted = (table, key + private, *words, key)
    said = next((k for k in wanted if k in texts.SAYS), None)
    values = _written(game, setup, event)
    if said is None:
        who = names["name"] or texts.THE_TABLE
        what = texts.tr(game.verbs[event.verb].explain).rstrip(".")
        return texts.SAYS["/any"].format(name=who, what=" ".join((f"{what}:", *values)))
    return _said(said, names, values)


def _said(key: str, names: Mapping[str, object], values: Sequence[str] = ()) -> str:
    """What happened as a sentence: told to its reader, where it names the reader."""
    named = {name: texts.told(who) for name, who in names.items()}
    people = {str(k): value for k, value in enumerate(values) if isinstance(value, Name)}
    return texts.addressed("SAYS", key, {**names, **people}).format(*values, **named)


def without_codes(game: Game[Any], text: str) -> str:
    """A sentence of the referee with what stands on each card in place of the card's code.

    How something would be written in the notation is left out: nobody types it here.
    """
    text = _TYPED.sub("", str(text))

    def sign(found: re.Match[str]) -> str:
        try:
            card = parse_card(found[0], game.family)
            return _card(card) if card.is_joker else card_name(card)
        except CompanionError:
            return found[0]

    return _CODES[game.family].sub(sign, text) if game.family in _CODES else text


def without_numbers(text: str) -> str:
    """A finding without the numbers of lines, which are read beside the log alone."""
    told = texts.told(text)
    if not isinstance(text, Phrase):
        return told
    for name, value in text.fields.items():
        if f"({{{name}}})" in text.template:
            told = told.replace(f" ({value})", "")
    return told


def meanings(
    game: Game[Any], state: Any, cards: Iterable[Card], told: Callable[[object], str] = texts.told
) -> tuple[str, ...]:
    """What each card does in this match beside its face, a line each; none where nothing."""
    meant = ((card, game.meaning(state, card)) for card in cards if card.code != "??")
    return tuple(f"{card_name(card)} {told(means)}" for card, means in meant if means)


def _written(game: Game[Any], setup: Setup, event: Event) -> list[str]:
    parts = [part for part in game.verbs[event.verb].form_of(event.args) if part.yields]
    return [_value(setup, part, value) for part, value in zip(parts, event.args, strict=True)]


def _value(setup: Setup, part: object, value: Any) -> str:
    if isinstance(value, Card):
        return _card(value)
    if isinstance(part, CardsPart):
        return _cards(value)
    if isinstance(part, PlayersPart):
        return str(texts.told(setup.names(tuple(value))))
    if isinstance(part, PlayerPart):
        return setup.players[value]
    if isinstance(part, RankPart):
        return RANKS[value - 1]
    return texts.told(value)


def _card(card: Card) -> str:
    """A card in a sentence: a piece by its name, because its sign is no suit of cards."""
    if card.code == "??":
        return texts.A_PIECE[card.family.value]
    is_named = card.family in _PIECES or card.is_joker
    return texts.told(card.name) if is_named else card_name(card)


def _cards(cards: Iterable[Card]) -> str:
    """Cards after one another; those that nobody named are counted."""
    cards = tuple(cards)
    known = [_card(card) for card in cards if card.code != "??"]
    unread = len(cards) - len(known)
    if unread == 1:
        known.append(texts.A_PIECE[cards[0].family.value])
    elif unread:
        known.append(texts.N_PIECES[cards[0].family.value].format(n=unread))
    return (", " if cards and cards[0].family in _PIECES else " ").join(known)
