"""Errors that tell a person what happened and what to do.

`CompanionError` is the root. Its message is one sentence fit for a user's screen. Two
kinds are the referee's: what cannot be read, and what is against the rules. What contradicts the
table stands, as a finding (`companion.core.state.Finding`).
"""

from __future__ import annotations

from enum import StrEnum

from companion.phrases import phrase


class ErrorKind(StrEnum):
    """Why something was not applied, as printed by `replay --json`."""

    UNREADABLE = "unreadable"
    ILLEGAL = "illegal"


class CompanionError(Exception):
    """Root of every error this project raises on purpose.

    Args:
        message: one sentence: what happened, and what to do about it.
        fields: what stands in its places, where it is a template as for `phrase`.

    Attributes:
        message: the sentence.
    """

    kind: ErrorKind | None = None

    def __init__(self, message: str, /, **fields: object) -> None:
        self.message = phrase(message, **fields) if fields else message
        super().__init__(self.message)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.message,), self.__dict__)


class UnreadableError(CompanionError):
    """The text, file or picture cannot be understood at all."""

    kind = ErrorKind.UNREADABLE


class IllegalError(CompanionError):
    """Understood, but against the rules; the message says which rule."""

    kind = ErrorKind.ILLEGAL


class HiddenError(IllegalError):
    """Refused for a reason that whoever asked may not know; the message is one fixed sentence."""


class UsageError(CompanionError):
    """A command, option or file name that cannot be used as given."""
