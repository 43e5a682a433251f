"""A refusal that a hidden fact decides: one sentence for all, the reason for the fact's owner."""

import re

import pytest

from companion.errors import HiddenError

SENTENCE = re.compile(
    r"This does not fit what \w+ recorded in secret; \w+ can read why behind their cover\."
)


def refused_in_secret(referee, line, owner, reason):
    """The line is refused; everybody reads the try, and only `owner` (a seat) reads why."""
    with pytest.raises(HiddenError) as error:
        referee.accept(line)
    assert SENTENCE.fullmatch(error.value.message)
    for viewer in (None, *range(len(referee.setup.players))):
        told = referee.view(viewer).log[-1].error
        if viewer == owner:
            assert re.search(reason, told)
        else:
            assert told == error.value.message
    return referee.view(owner).log[-1].error
