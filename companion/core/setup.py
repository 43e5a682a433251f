"""What is settled before the first card: players, options, who trusts the referee.

Everything here is public. Options are declared by the games with their meaning in a sentence, so
that set-up screens, `companion games` and match headers need no code per game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from companion.cards import Card
from companion.core.names import check_names, clean_name, name_key
from companion.errors import UnreadableError, UsageError
from companion.phrases import N_, Name, phrase


class OptionKind(StrEnum):
    """How an option is asked for on a set-up screen."""

    CHOICE = "choice"
    YES_NO = "yes-no"
    NUMBER = "number"
    PLAYER = "player"
    PATTERN = "pattern"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Option:
    """One set-up option of a game.

    Attributes:
        name: as in `option NAME: VALUE`.
        default: the value if none is stated; if it is empty, the game chooses (a file of its
            own, the first seat).
        explain: one sentence: what it changes.
        kind: how to ask for it.
        choices: the values of a choice, in the order to offer them; suggestions of a pattern.
        by_players: default values that depend on the number of players.
        check: raises `UnreadableError` for a value that cannot be used with a number of players.
        bounds: least and greatest number of a `NUMBER`.
        written_out: turns a stated `FILE` into a value that no longer needs the file, so that a
            session can be stored.
        title: what a set-up screen calls it, where the game means it otherwise than others.
    """

    name: str
    default: str
    explain: str
    kind: OptionKind = OptionKind.CHOICE
    choices: tuple[str, ...] = ()
    by_players: Mapping[int, str] = field(default_factory=dict)
    check: Callable[[str, int], None] | None = None
    bounds: tuple[int, int] = (1, 1000)
    written_out: Callable[[str], str] | None = None
    title: str = ""

    def default_for(self, players: int) -> str:
        """The value used where none is stated."""
        return self.by_players.get(players, self.default)

    def read(self, text: str, players: tuple[str, ...]) -> str:
        """A stated value in its first form.

        Raises:
            UnreadableError: it is none of the option's values; the message lists them.
        """
        value = text.strip()
        if self.kind is OptionKind.PLAYER:
            return players[seat_of(value, players)]
        if self.kind is OptionKind.YES_NO:
            return self._one_of(value, ("yes", "no"))
        if self.kind is OptionKind.CHOICE:
            return self._one_of(value, self.choices)
        low, high = self.bounds
        if self.kind is OptionKind.NUMBER and not (value.isdecimal() and low <= int(value) <= high):
            raise UnreadableError(
                "Option {what} is a number from {low} to {high}.",
                what=self.name,
                low=low,
                high=high,
            )
        if self.check is not None:
            self.check(value, len(players))
        return value

    def _one_of(self, value: str, choices: tuple[str, ...]) -> str:
        for choice in choices:
            if choice.casefold() == value.casefold():
                return choice
        raise UnreadableError(
            "Option {what} is one of {choices}, not “{value}”.",
            what=self.name,
            choices=", ".join(choices),
            value=value,
        )


STARTER = Option(
    "starter",
    "",
    "Who starts the first match; the start passes clockwise from match to match.",
    OptionKind.PLAYER,
)

COACH = Option(
    "coach",
    "no",
    "The notepad also advises: what to ask, guess, play or declare. Everybody sees that it is on.",
    OptionKind.YES_NO,
)


@dataclass(frozen=True, slots=True)
class Preset:
    """A shorter or longer kind of a game, in words; what it settles can be changed afterwards.

    Attributes:
        title: what people call it, such as `Short game: 26 cards`.
        explain: what is different, and what has to be done with the cards.
        options: option name → value.
        cards: the cards it is played with; None for the game's own.
        max_players: for how many players it is at most.
    """

    title: str
    explain: str
    options: Mapping[str, str] = field(default_factory=dict)
    cards: tuple[Card, ...] | None = None
    max_players: int = 99


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What a game is, for lists and home screens.

    Attributes:
        name: as in `game: NAME`.
        title: as people say it.
        summary: one sentence.
        min_players: least number of players.
        max_players: greatest number of players.
        minutes: usual length of a match, for choosing.
        decks: names of the decks it is played with; the first one is the default.
        table_widget: `module:Class` of a widget of its own for the table screen, if it has one.
        low_wins: whether the fewest points win.
    """

    name: str
    title: str
    summary: str
    min_players: int
    max_players: int
    minutes: int
    decks: tuple[str, ...]
    table_widget: str | None = None
    low_wins: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """One session's settings, as in a match header. Make it with `make_setup`.

    Attributes:
        game: the game's name.
        players: names in seat order, clockwise.
        trusted: for each seat, whether that player trusts the referee with hidden cards.
        options: every option's value, stated or default.
        stated: the options that were stated, in that order (they are the ones written).
        cards: a deck to play with instead of the game's own (tiny decks in tests).
    """

    game: str
    players: tuple[str, ...]
    trusted: tuple[bool, ...]
    options: Mapping[str, str]
    stated: tuple[str, ...] = ()
    cards: tuple[Card, ...] | None = None

    def __post_init__(self) -> None:
        """Marks the names as names, wherever they come from."""
        object.__setattr__(self, "players", tuple(Name(name) for name in self.players))

    def seat(self, name: str) -> int:
        """The seat of a player by name, ignoring case.

        Raises:
            UnreadableError: nobody of that name plays.
        """
        return seat_of(name, self.players)

    def name(self, seat: int | None) -> str:
        """The name of a seat; `table` for None."""
        return "table" if seat is None else self.players[seat]

    def names(self, seats: tuple[int, ...]) -> str:
        """Names in a sentence: `Ann`, `Ann and Bo`, `Ann, Bo and Cy`."""
        names = [self.players[seat] for seat in seats]
        return (
            names[0]
            if len(names) == 1
            else phrase("{name} and {name2}", name=Name(", ".join(names[:-1])), name2=names[-1])
        )

    def is_on(self, option: str) -> bool:
        """Whether a yes-no option is on."""
        return self.options[option] == "yes"

    @property
    def coached(self) -> bool:
        """Whether the players agreed on a coach; off in a game that offers none."""
        return self.options.get(COACH.name) == "yes"

    @property
    def first_starter(self) -> int:
        """The seat that starts the first match."""
        name = self.options.get(STARTER.name, "")
        return self.seat(name) if name else 0


def seat_of(name: str, players: tuple[str, ...]) -> int:
    """The seat of a name, ignoring case.

    Raises:
        UnreadableError: nobody of that name plays; the message lists the players.
    """
    for seat, player in enumerate(players):
        if name_key(player) == name_key(name):
            return seat
    raise UnreadableError(
        "Nobody called “{name}” plays here (players: {name2}).", name=name, name2=", ".join(players)
    )


def make_setup(
    info: GameInfo,
    options: tuple[Option, ...],
    players: tuple[str, ...],
    *,
    stated: Mapping[str, str] | None = None,
    trusted: bool | tuple[bool, ...] = False,
    cards: tuple[Card, ...] | None = None,
) -> Setup:
    """Checks and completes the settings of a session.

    Args:
        info: the game.
        options: what the game declares.
        players: names in seat order.
        stated: option name → value, in the order stated.
        trusted: for all, or for each seat.
        cards: a deck instead of the game's own.

    Raises:
        UnreadableError: a name, number of players, option or value cannot be used.
    """
    check_names(players)
    players = tuple(map(clean_name, players))
    low, high = info.min_players, info.max_players
    if not low <= len(players) <= high:
        need = f"{low}" if low == high else phrase("{low} to {high}", low=low, high=high)
        raise UnreadableError(
            "{title} is for {need} players, not {count}.",
            title=info.title,
            need=need,
            count=len(players),
        )
    values = {option.name: option.default_for(len(players)) for option in options}
    declared = {option.name: option for option in options}
    stated = stated or {}
    for name, text in stated.items():
        if name not in declared:
            known = ", ".join(declared) or N_("none")
            raise UnreadableError(
                "{title} has no option “{name}” (its options: {known}).",
                title=info.title,
                name=name,
                known=known,
            )
        values[name] = declared[name].read(text, players)
    each = (trusted,) * len(players) if isinstance(trusted, bool) else trusted
    if len(each) != len(players):
        raise UsageError("The referee's trust must be given for each player.")
    return Setup(info.name, players, each, MappingProxyType(values), tuple(stated), cards)
