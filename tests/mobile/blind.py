"""An app without eyes: no run then depends on the machine's cameras or on the networks."""

from companion.errors import CompanionError


class NoCamera:
    """A source that is not there."""

    name = "no camera"
    ended = True
    failure = "There is no camera here."

    def open(self):
        raise CompanionError(self.failure)

    def newest(self):
        return None

    def close(self):
        """There is nothing to let go of."""


def no_reader():
    """Stands for a reader that cannot be made."""
    raise CompanionError("No networks here.")
