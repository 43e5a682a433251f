"""The guided way at a terminal: steps by number, and what each still needs, asked in words.

A blank is asked for with what is possible. A whole line or a command may be typed at any time in
place of an answer: it leaves the blank and is taken as the next line (`Aside`).
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from companion.cards import (
    PIECE_SUITS,
    PIECE_SYMBOLS,
    RANKS,
    Card,
    Family,
    family_cards,
    parse_card,
    parse_cards,
)
from companion.cli.common import say
from companion.cli.secret_line import show_secretly
from companion.cli.spoken import card_words, cards_words, spoken
from companion.core.arguments import is_unread, parts_of, positions_of
from companion.core.events import Event
from companion.core.guidance.steps import Guidance, Need, NeedKind, Step, split_at_blanks
from companion.core.referee import Referee
from companion.core.state import evolve
from companion.core.syntax import NOUNS, LettersPart, Part, QuotedPart
from companion.core.verb import HAND
from companion.errors import CompanionError, UnreadableError

#: Reads a line after a prompt; the second argument says whether it is hidden.
Ask = Callable[[str, bool], str]

_CARDS = (NeedKind.CARD, NeedKind.CARDS)
_PLAYERS = (NeedKind.PLAYER, NeedKind.PLAYERS)
_NUMBERS = (NeedKind.NUMBER, NeedKind.POSITION)
#: So many texts are suggested at most.
_MOST_SUGGESTIONS = 3
#: Shows the steps that are rare.
MORE = "more"
_BACK = frozenset({"back", "cancel"})


class Aside(Exception):  # noqa: N818 - nothing went wrong
    """Something else was typed than an answer."""

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = line


class Back(Exception):  # noqa: N818 - nothing went wrong
    """The step is left, and nothing recorded."""


def offers_of(referee: Referee[Any], guidance: Guidance) -> dict[str, Step]:
    """What is typed for each step, rare ones behind the others.

    That is a number, but a letter where a number is the answer that play waits for.
    """
    steps = sorted((s for s in guidance.steps if s.event is not None), key=lambda s: s.is_rare)
    counts = any(referee.game.verbs[step.verb].bare for step in steps[:1])
    keys = string.ascii_lowercase if counts else [str(n) for n in range(1, len(steps) + 1)]
    return dict(zip(keys, steps, strict=False))


class Guided:
    """Leads through a step.

    Args:
        referee: of the match.
        ask: reads a line.
        is_line: whether a text is a line or a command of its own.
    """

    def __init__(self, referee: Referee[Any], ask: Ask, is_line: Callable[[str], bool]) -> None:
        self._referee = referee
        self._game, self._setup = referee.game, referee.setup
        self._ask = ask
        self._is_line = is_line
        self._explained = False

    def shown(self, guidance: Guidance) -> Iterator[str]:
        """The lines that lead: what goes on, and what may be done."""
        yield spoken(self._game, guidance.headline)
        yield from self._listed(guidance, is_rare=False)
        if any(step.is_rare for step in offers_of(self._referee, guidance).values()):
            yield f"{MORE:>4}  Show rarer steps"

    def rare(self, guidance: Guidance) -> Iterator[str]:
        """The lines of what may be done as well, but seldom is."""
        return self._listed(guidance, is_rare=True)

    def _listed(self, guidance: Guidance, *, is_rare: bool) -> Iterator[str]:
        for key, step in offers_of(self._referee, guidance).items():
            if step.is_rare is not is_rare:
                continue
            title = spoken(self._game, step.title)
            name = "" if step.seat is None else self._setup.players[step.seat]
            if name and step.seat not in guidance.waiting and name not in title:
                title = f"{name}: {title}"  # another one's, beside the turn
            if step.secret and name:
                title = f"{title} ({self._setup.names(_readers(step))} alone)"
            if self._game.verbs[step.verb].bare:
                title = f"{title}: {self._possible_number(step)}"
            yield f"  {key:>2}  {title}"

    def _possible_number(self, step: Step) -> str:
        found = step.needs[0].candidates if step.needs else ()
        return f"type {found[0]} to {found[-1]}" if found else "type the number"

    def taking(self, cards: str, steps: Iterable[Step]) -> Step | None:
        """The only step that all may read whose first blank some cards fill; None without one."""
        found = [step for step in steps if self._takes(step, cards)]
        return found[0] if len(found) == 1 else None

    def _takes(self, step: Step, cards: str) -> bool:
        places = zip(step.needs, positions_of(self._game, step), strict=True)
        need, place = next(((n, p) for n, p in places if not _is_settled(n)), (None, 0))
        if need is None or step.secret or need.kind not in _CARDS:
            return False
        try:
            value = self._read(need, parts_of(self._game, step)[place], cards)
        except CompanionError:
            return False
        return set(value if isinstance(value, tuple) else (value,)) <= set(need.candidates)

    def event(self, step: Step, first: str = "") -> Event:
        """The event that a step becomes, its blanks asked for.

        Args:
            step: the step.
            first: what was typed for its first blank already.

        Raises:
            Aside: something else was typed.
            Back: the step was left.
        """
        event = step.event
        assert event is not None
        if step.needs and step.secret:
            names = self._setup.names(_readers(step))
            say(f"For {names} alone: what is typed now is not shown.")
        if step.needs and not first and not self._explained:
            self._explained = True
            say("Enter alone goes back to the steps; ? says what is possible.")
        args, parts = list(event.args), parts_of(self._game, step)
        told: list[str] = []
        for need, place in zip(step.needs, positions_of(self._game, step), strict=True):
            if _is_settled(need):
                args[place] = need.candidates[0]
                self._explain_settled(step, need, place)
            elif first:
                args[place], first = self._read(need, parts[place], first), ""
            else:
                if step.sentence and not step.secret:
                    say(_so_far(step, told))
                args[place] = self._blank(step, need, parts[place], args[place])
            told.append(self._said(need, args[place]) if step.sentence else "")
        return evolve(event, args=tuple(args), n=0)

    def _explain_settled(self, step: Step, need: Need, place: int) -> None:
        """Says why a number that is all that is asked for is recorded without asking."""
        if need.kind is not NeedKind.NUMBER or len(step.needs) > 1 or step.secret:
            return
        only = need.candidates[0]
        assert step.event is not None
        for other in (only - 1, only + 1)[only == 0 :]:
            args = (*step.event.args[:place], other, *step.event.args[place + 1 :])
            error = self._referee.propose(evolve(step.event, args=args)).error
            if error is not None:
                why = spoken(self._game, error.message)
                say(f"{need.title[:1].upper()}{need.title[1:]}: only {only}. {why}")
                return

    # -- a blank ----------------------------------------------------------------------------------

    def _blank(self, step: Step, need: Need, part: Part, example: Any) -> Any:
        """Asks until there is an answer."""
        may_hide = is_unread(example) and step.verb != HAND
        prompt = self._prompt(step, need, part, may_hide=may_hide)
        while True:
            text = self._ask(prompt, step.secret).strip()
            if not text and may_hide:
                return example
            if not text or text.casefold() in _BACK:
                raise Back
            if text == "?":
                say(self._all(step, need, part))
                continue
            if self._is_line(text):
                raise Aside(text)
            try:
                return self._read(need, part, text)
            except CompanionError as error:
                self._complain(step, error)

    def _complain(self, step: Step, error: CompanionError) -> None:
        text = spoken(self._game, error.message)
        if step.secret:
            show_secretly(self._setup.names(_readers(step)), [text])
        else:
            say(text)

    def _prompt(self, step: Step, need: Need, part: Part, *, may_hide: bool) -> str:
        title = need.title[:1].upper() + need.title[1:]
        possible = self._possible(step, need, part)
        hints = "; ".join(filter(None, (possible, "Enter alone: not named" if may_hide else "")))
        return f"{title} ({hints}): " if hints else f"{title}: "

    def _possible(self, step: Step, need: Need, part: Part) -> str:
        """What can be answered, in short."""
        found = need.candidates
        if need.kind in _CARDS:
            return self._possible_cards(need)
        if need.kind in _NUMBERS and found:
            return f"{found[0]} to {found[-1]}" if len(found) > 1 else f"{found[0]}"
        if need.kind is NeedKind.RANK:
            return f"{RANKS[0]}, {RANKS[1]} to {RANKS[9]}, {', '.join(RANKS[10:])}"
        if found:
            words = enumerate((self._said(need, value) for value in found), 1)
            return ", ".join(f"{number} {word}" for number, word in words)
        if isinstance(part, LettersPart):
            return ", ".join(f"{letter} {meaning}" for letter, meaning in part.letters)
        suggestions = list(self._suggestions(step, part))
        return f"such as {', '.join(suggestions)}" if suggestions else ""

    def _possible_cards(self, need: Need) -> str:
        cards = [card for card in need.candidates if card.is_known]
        if need.kind is NeedKind.CARD and len(cards) <= 6:
            return cards_words(cards)
        shown = cards_words(cards[:: max(1, len(cards) // 3)][: need.count or 2])
        count = f"{need.count} of them, " if need.kind is NeedKind.CARDS and need.count else ""
        more = " …" if need.kind is NeedKind.CARDS else ""
        return f"{count}such as {shown}{more}"

    def _all(self, step: Step, need: Need, part: Part) -> str:
        """Everything that can be chosen."""
        if need.kind not in _CARDS:
            return self._possible(step, need, part) or "Any words."
        suits: dict[str, list[Card]] = {}
        for card in need.candidates:
            suits.setdefault(card.suit or "", []).append(card)
        return "\n".join(f"  {cards_words(cards)}" for cards in suits.values())

    def _suggestions(self, step: Step, part: Part) -> Iterator[str]:
        """Texts of the acts that the game lists as examples."""
        if step.seat is None or step.secret:
            return
        found: dict[str, None] = {}
        for event in self._game.legal(self._referee.knowledge(None), step.seat):
            if (event.verb, event.audience) == (step.verb, None) and len(event.args) == 1:
                found[part.write(event.args[0], self._setup).strip('"')] = None
            if len(found) >= _MOST_SUGGESTIONS:
                break
        yield from found

    def _said(self, need: Need, value: Any) -> str:
        """A choice as the step's sentence says it."""
        if need.words and value in need.candidates:
            return need.words[need.candidates.index(value)]
        return self._word(need, value)

    def _word(self, need: Need, value: Any) -> str:
        """A choice in words."""
        if need.kind in _PLAYERS:
            name: str = self._setup.players[value]
            return name
        if need.kind is NeedKind.RANK:
            rank: str = RANKS[value - 1]
            return rank
        return card_words(value) if isinstance(value, Card) else str(value)

    # -- an answer --------------------------------------------------------------------------------

    def _read(self, need: Need, part: Part, text: str) -> Any:
        """What was typed for a blank.

        Raises:
            CompanionError: it is no answer.
        """
        if need.kind in (NeedKind.CHOICE, NeedKind.PLAYER) and need.candidates:
            return self._chosen(need, text)
        if need.kind in _CARDS:
            return _read_cards(need, part, text)
        if need.kind is NeedKind.RANK and (rank := parse_card(text).rank) is not None:
            return rank
        if isinstance(part, QuotedPart) or part.label.startswith('"'):
            words = ['"' + text.replace('"', "") + '"']
        else:
            words = re.findall(r'"[^"]*"|[^\s"]+', text)
        value, used = part.read(words, self._setup)
        if used != len(words):
            raise UnreadableError("“{rest}” is left over.", rest=" ".join(words[used:]))
        if need.kind in _NUMBERS and need.candidates and value not in need.candidates:
            low, high = need.candidates[0], need.candidates[-1]
            raise UnreadableError("It is from {low} to {high}.", low=low, high=high)
        return value

    def _chosen(self, need: Need, text: str) -> Any:
        """One of a few, by its number or its words."""
        if text.isdecimal() and 1 <= int(text) <= len(need.candidates):
            exact = [v for v in need.candidates if self._said(need, v) == text]
            return exact[0] if exact else need.candidates[int(text) - 1]
        if need.kind is NeedKind.PLAYER:
            seat = self._setup.seat(text)
            if seat in need.candidates:
                return seat
        wanted = text.casefold().rstrip("?")
        for value in need.candidates:
            word = self._said(need, value).casefold().rstrip("?")
            if wanted and (word == wanted or str(value).casefold() == wanted):
                return value
        near = [v for v in need.candidates if self._said(need, v).casefold().startswith(wanted)]
        if len(near) == 1 and wanted:
            return near[0]
        raise UnreadableError(
            "“{text}” is none of these: {known}.",
            text=text,
            known=", ".join(self._word(need, value) for value in need.candidates),
        )


def _is_settled(need: Need) -> bool:
    """Whether only one answer is possible, so that it is not asked for."""
    return len(need.candidates) == 1 and need.kind not in (*_CARDS, NeedKind.PLAYERS)


def _so_far(step: Step, told: list[str]) -> str:
    """A step's sentence with the first of its blanks filled."""
    return "".join(
        part if isinstance(part, str) else told[part] if part < len(told) else "…"
        for part in split_at_blanks(step.sentence)
    )


def _readers(step: Step) -> tuple[int, ...]:
    """Who may know what a secret step says, whose step it is first."""
    others = sorted(seat for seat in step.audience or () if seat != step.seat)
    return (*(() if step.seat is None else (step.seat,)), *others)


def _read_cards(need: Need, part: Part, text: str) -> Any:
    """A card, or several, as people write them.

    Raises:
        CompanionError: something in it is none, or they are not as many as wanted.
    """
    family = getattr(part, "family", Family.STANDARD)
    try:
        if need.kind is NeedKind.CARD:
            return parse_card(_without_signs(text), family)
        cards = parse_cards(_without_signs(text), family)
    except UnreadableError as error:
        fields = getattr(error.message, "fields", {})
        card = family_cards(family)[0 if family is Family.SUSPENSE else 5]
        forms = dict.fromkeys((card_words(card), card.name))
        raise UnreadableError(
            "“{text}” names no {noun}: write it like {example}.",
            text=fields.get("text", text),
            noun=NOUNS[family],
            example=" or ".join(forms),
        ) from None
    if need.count and len(cards) != need.count:
        raise UnreadableError(
            "This takes {count}, not {number}.", count=need.count, number=len(cards)
        )
    return cards


def _without_signs(text: str) -> str:
    """Cards as tables show them, in a form that is read: `☀ Blank` as “Blank of Suns”."""
    names = {sign: PIECE_SUITS[suit] for suit, sign in PIECE_SYMBOLS.items()}
    return re.sub(
        f"([{''.join(names)}])\ufe0f?\\s*([A-Za-z0-9]+)",
        lambda hit: f"{hit[2]} of {names[hit[1]]}",
        text,
    )
