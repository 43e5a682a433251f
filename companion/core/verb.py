"""A kind of action: how it is written, when it may happen, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Generic, TypeAlias

from companion.core.events import Event
from companion.core.state import StateT
from companion.core.syntax import Form, Part, fits_form, form_label
from companion.errors import IllegalError

#: The verb by which a player's cards are recorded; every game has it.
HAND = "hand"
#: The verb by which hidden cards are turned up.
REVEAL = "reveal"
#: The verb that begins the session's next match.
MATCH = "match"


class Who(Enum):
    """Whose act a verb can be."""

    SEAT = auto()
    TABLE = auto()
    ANY = auto()


class Secrecy(Enum):
    """Which audiences a verb can have."""

    PUBLIC = auto()
    PRIVATE = auto()
    SHARED = auto()
    EITHER = auto()


@dataclass(frozen=True, slots=True)
class Verb(Generic[StateT]):
    """One kind of action.

    Attributes:
        name: the word (or two words) it begins with.
        explain: one sentence for help texts.
        forms: what may follow, most specific first; the first that reads is taken.
        verify: raises `IllegalError` (naming the rule) when the event may not happen now.
        apply: the state after it; must cope with `event.hidden` if the verb can be private.
        who: whose act it is.
        secrecy: public, private to its seat, shared by two seats, or public or private.
        late: accepted when the match is over too.
        announced: when private, everybody may know *that* it happened.
        bare: the name is not written (`Bo: 3`).
        tells: whether a trusted referee takes it depends on what its player holds.
    """

    name: str
    explain: str
    forms: tuple[Form, ...]
    verify: Callable[[StateT, Event], None]
    apply: Callable[[StateT, Event], StateT]
    who: Who = Who.SEAT
    secrecy: Secrecy = Secrecy.PUBLIC
    late: bool = False
    announced: bool = True
    bare: bool = False
    tells: bool = False

    @property
    def syntax(self) -> str:
        """How it is written, e.g. `guess NAME smallest|biggest N is RANK`."""
        name = "" if self.bare else self.name
        return " or ".join(f"{name} {form_label(form)}".strip() for form in self.forms)

    def form_of(self, args: tuple[Any, ...]) -> Form:
        """The form that these arguments were read by."""
        for form in self.forms:
            if fits_form(form, args):
                return form
        raise IllegalError("“{what}” is written: {syntax}.", what=self.name, syntax=self.syntax)


#: The function that applies an event.
Apply: TypeAlias = Callable[[StateT, Event], StateT]


class VerbTable(Generic[StateT]):
    """A module's verbs, each declared as a decorator of the function that applies it.

    Of several verbs on one function, the one nearest to it comes first.
    """

    def __init__(self) -> None:
        self._verbs: list[Verb[StateT]] = []

    def __iter__(self) -> Iterator[Verb[StateT]]:
        return iter(self._verbs)

    def __call__(
        self,
        name: str,
        explain: str,
        verify: Callable[[StateT, Event], None],
        *parts: Part,
        forms: tuple[Form, ...] = (),
        **more: Any,
    ) -> Callable[[Apply[StateT]], Apply[StateT]]:
        """Declares a verb; the arguments are the fields of `Verb`.

        Args:
            name: the word (or two words) it begins with.
            explain: one sentence for help texts.
            verify: raises when the event may not happen now.
            parts: what follows the name.
            forms: in place of `parts`, what may follow, most specific first.
            more: the other fields.
        """

        def declare(apply: Apply[StateT]) -> Apply[StateT]:
            self._verbs.append(Verb(name, explain, forms or (parts,), verify, apply, **more))
            return apply

        return declare
