"""What may be done, as forms.

A form is a step of the game's guidance (`companion.core.guidance`): its title, and what it still
has to be told. A page sends back which step it was and, for each thing asked, the numbers of what
was chosen: so a page can choose only what it was offered, and nothing that it sends is parsed but
free text. The numbers hold for one state of the match; pages say which one they answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

from companion.cards import RANKS, Card, family_cards
from companion.core.arguments import CARDS, SEVERAL, is_unread, parts_of, position_of
from companion.core.events import Event
from companion.core.game import Game
from companion.core.guidance.steps import Need, NeedKind, Step, split_at_blanks
from companion.core.setup import Setup
from companion.core.state import Zone, evolve
from companion.core.syntax import KeyedPart, LettersPart, Part
from companion.core.verb import HAND
from companion.core.view import View
from companion.phrases import capitalised
from mobile.seats import sentences
from mobile.seats.faces import PageFace, face
from mobile.seats.language import Language

#: With so many choices, none of them a card, each is a button that does it.
_MOST_ANSWERS = 8
#: From so many cards on they lie as a grid, each in its place.
_GRID = 9
#: Most suggestions for a text.
_MOST_SUGGESTIONS = 9


@dataclass(frozen=True, slots=True)
class FormChoice:
    """Something that can be chosen.

    Attributes:
        number: what the page sends for it.
        label: it in words; for a card its name.
        face: how a card is drawn, None for anything else.
        said: it as the step's sentence says it; empty where the label will do.
        is_usual: whether a sentence begins with it.
        why_not: why it cannot be meant; empty where it can.
    """

    number: int
    label: str
    face: PageFace | None = None
    why_not: str = ""
    said: str = ""
    is_usual: bool = False


#: Choices that stand in one row, such as the cards of a suit.
FormRow = tuple[FormChoice, ...]
#: Keys with what each is called.
Keys = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FormField:
    """One thing that a form asks for.

    Attributes:
        kind: `one`, `several` or `text`.
        others: rows of cards that, by what the page's own player knows, can hardly be meant.
        count: how many are wanted; 0 where any number will do.
        keys: letters that a text is made of, with what each means; empty where it is typed.
        groups: keys by which the table makes a text, in groups with a title each.
        is_shown: whether the cards can be shown to the phone's camera.
    """

    title: str
    kind: str
    is_cards: bool
    rows: tuple[FormRow, ...]
    others: tuple[FormRow, ...]
    count: int
    keys: Keys = ()
    suggestions: tuple[str, ...] = ()
    groups: tuple[tuple[str, Keys], ...] = ()
    is_shown: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """A step as a page shows it.

    Attributes:
        number: what the page sends for it.
        is_answer: whether it is one of several answers, none of which is favoured.
        without: the words with which it is recorded without naming the cards; empty where it
            cannot be.
        sentence: the step in words and, in their places, the numbers of the fields that are its
            blanks; empty where guidance has none.
        keeps: how many cards it keeps secret where it records a hand; 0 for any other form.
    """

    number: int
    title: str
    is_answer: bool
    fields: tuple[FormField, ...]
    without: str
    sentence: tuple[str | int, ...] = ()
    keeps: int = 0

    @property
    def answers(self) -> tuple[FormChoice, ...]:
        """Choices each of which is a button that sends the form; none where it has to be filled."""
        if len(self.fields) != 1 or self.fields[0].kind != "one" or self.fields[0].is_cards:
            return ()
        found = tuple(chain.from_iterable(self.fields[0].rows))
        return found if len(found) <= _MOST_ANSWERS else ()


def form(game: Game[Any], view: View[Any], step: Step, number: int, language: Language) -> Form:
    """A step as a form in one language."""
    event = step.event
    is_hidden = event is not None and any(is_unread(arg) for arg in event.args)
    return Form(
        number,
        language.told(step.title),
        step.answers,
        tuple(_field(game, view, step, need, language) for need in step.needs),
        language.say(_without(step)) if is_hidden and step.needs else "",
        split_at_blanks(language.told(step.sentence)),
        step.needs[0].count if step.verb == HAND and len(step.needs) == 1 else 0,
    )


def _without(step: Step) -> str:
    """What a step is called that names none of its cards."""
    if step.verb == HAND:
        return sentences.NOT_RECORDED
    return sentences.NOT_NAMED if step.needs[0].kind is NeedKind.CARD else sentences.NONE_NAMED


def _field(
    game: Game[Any], view: View[Any], step: Step, need: Need, language: Language
) -> FormField:
    kind = "several" if need.kind in SEVERAL else "one"
    keys: Keys = ()
    suggestions: tuple[str, ...] = ()
    groups: tuple[tuple[str, Keys], ...] = ()
    if need.kind is NeedKind.TEXT or not need.candidates:
        kind = "text"
        part = parts_of(game, step)[position_of(game, step, need)]
        keys, groups = _keys(part, language), _groups(part, language)
        suggestions = () if keys or groups else tuple(_suggestions(game, view, step, need))
    fits = _fitting(game, view, step, need)
    rows = tuple(_rows(need, fits, view.setup, language))
    if need.kind in CARDS and len(fits) >= _GRID:
        family = need.candidates[0].family
        deck = game.all_cards(view.setup) if family is game.family else family_cards(family)
        zones = tuple(zone for zone in view.zones if zone.known)
        rows = _grid(need, fits, tuple(deck), zones, language)
    rest = frozenset(range(len(need.candidates))) - fits
    others = tuple(_rows(need, rest, view.setup, language)) if rest else ()
    title, is_cards = language.told(capitalised(need.title)), need.kind in CARDS
    is_shown = is_cards and kind == "several" and step.secret
    return FormField(
        title, kind, is_cards, rows, others, need.count, keys, suggestions, groups, is_shown
    )


def _fitting(game: Game[Any], view: View[Any], step: Step, need: Need) -> frozenset[int]:
    """Numbers of the candidates that fit what the player knows whose page and act it is.

    All of them where none does, where it is another's act, or where more than a card is asked for.
    A page is its player's alone, so what lies first on it tells nobody anything.
    """
    every = frozenset(range(len(need.candidates)))
    event = step.event
    is_own = step.seat is not None and step.seat == view.viewer
    if not is_own or need.kind is not NeedKind.CARD or len(step.needs) != 1 or event is None:
        return every
    place = position_of(game, step, need)
    args = event.args
    fits = frozenset(
        number
        for number, card in enumerate(need.candidates)
        if _is_clean(game, view, evolve(event, args=(*args[:place], card, *args[place + 1 :])))
    )
    return fits or every


def _is_clean(game: Game[Any], view: View[Any], event: Event) -> bool:
    """Whether an event is legal and contradicts nothing, as far as the viewer knows."""
    if not game.can(view.state, event):
        return False
    after = game.apply(view.state, evolve(event, n=len(view.log) + 1))
    return len(after.findings) == len(view.state.findings)


def _keys(part: Part, language: Language) -> Keys:
    """The letters of a text that consists of a few kinds of them."""
    letters = getattr(part, "letters", ()) if isinstance(part, LettersPart) else ()
    return tuple((letter, language.told(meaning)) for letter, meaning in letters)


def _groups(part: Part, language: Language) -> tuple[tuple[str, Keys], ...]:
    """Keys by which the table makes a text, with what each is called."""
    if not isinstance(part, KeyedPart):
        return ()
    told = language.told
    return tuple(
        (capitalised(told(group.title)), tuple((told(key), told(name)) for key, name in group.keys))
        for group in part.key_groups()
    )


def _suggestions(game: Game[Any], view: View[Any], step: Step, need: Need) -> Iterator[str]:
    """Texts of the acts that the game lists as examples for this step."""
    if step.seat is None:
        return
    place = position_of(game, step, need)
    part = parts_of(game, step)[place]
    seen: set[str] = set()
    for event in game.legal(view.public, step.seat):
        if (event.verb, event.audience) != (step.verb, step.audience) or len(event.args) <= place:
            continue
        text = part.write(event.args[place], view.setup).strip('"')
        if text not in seen:
            seen.add(text)
            yield text
        if len(seen) >= _MOST_SUGGESTIONS:
            return


def _rows(
    need: Need, numbers: frozenset[int], setup: Setup, language: Language
) -> Iterator[FormRow]:
    """What can be chosen, of the candidates of these numbers, cards by their suits."""
    if need.kind is NeedKind.TEXT:
        return
    choices = [
        _choice(need, number, value, setup, language)
        for number, value in enumerate(need.candidates)
        if number in numbers
    ]
    if need.kind not in CARDS:
        yield tuple(choices)
        return
    suits: dict[str, list[FormChoice]] = {}
    for choice in choices:
        suits.setdefault(need.candidates[choice.number].suit or "", []).append(choice)
    yield from map(tuple, suits.values())


@lru_cache(maxsize=8192)
def _card_choice(number: int, card: Card, language: Language) -> FormChoice:
    found = face(card, language)
    return FormChoice(number, found.name, found)


@lru_cache(maxsize=64)  # what everybody may choose is the same on every page
def _grid(
    need: Need, fits: frozenset[int], deck: tuple[Card, ...], zones: tuple[Zone, ...],
    language: Language,
) -> tuple[FormRow, ...]:  # fmt: skip
    """Every card of the deck in its place, by suits; those that cannot be meant say why not."""
    numbers = {need.candidates[number]: number for number in sorted(fits)}
    lying = {card: zone for zone in zones for card in zone.cards if card.is_known}
    suits: dict[str, list[FormChoice]] = {}
    for card in dict.fromkeys((*deck, *numbers)):
        number = numbers.get(card)
        if number is not None:
            choice = _card_choice(number, card, language)
        elif card in need.candidates or card.identity in numbers:
            continue  # it stands among the others, or is meant by another of its name
        else:
            why = _why_not(card, lying.get(card), language)
            choice = FormChoice(-1, language.told(card.name), face(card, language), why)
        suits.setdefault(card.suit or "", []).append(choice)
    return tuple(map(tuple, suits.values()))


def _why_not(card: Card, zone: Zone | None, language: Language) -> str:
    name = capitalised(language.told(card.name))
    if zone is None:
        return language.say(sentences.CARD_GONE, card=name)
    return language.say(sentences.CARD_LIES, card=name, place=language.told(zone.title))


def _choice(need: Need, number: int, value: Any, setup: Setup, language: Language) -> FormChoice:
    if need.kind in CARDS:
        return _card_choice(number, value, language)
    said = language.told(need.words[number]) if need.words else ""
    if need.kind in (NeedKind.PLAYER, NeedKind.PLAYERS):
        label = setup.players[value]
    elif need.kind is NeedKind.RANK:
        label = RANKS[value - 1]
    else:
        is_word = need.kind in (NeedKind.CHOICE, NeedKind.NUMBER)
        label = capitalised(said) if said and is_word else language.told(str(value))
    is_usual = need.usual is not None and value == need.usual
    return FormChoice(number, label, said=said, is_usual=is_usual)
