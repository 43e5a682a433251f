"""A line typed at a shared terminal: what a player types in secret is not shown.

Nothing is echoed after the star of `NAME*:`, and the line is wiped when it is complete. The
referee's answer to that player alone is shown on the terminal's alternate screen, which leaves
nothing to scroll back to.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from getpass import getpass

import click

from companion.cli.common import say, wrapped
from companion.core.notation import is_private_line
from companion.errors import UsageError

_ENTER, _INTERRUPT, _END = ("\r", "\n"), "\x03", "\x04"
_BACK, _KILL, _ESCAPE = ("\x7f", "\x08"), "\x15", "\x1b"
#: Wipes the line that the cursor stands on, whatever it holds.
_WIPE = "\r\x1b[2K"
_OTHER_SCREEN, _FIRST_SCREEN = "\x1b[?1049h\x1b[H", "\x1b[?1049l"


class LineEditor:
    """Turns keys into a line; echoes what everybody may read.

    Args:
        echo: writes to the terminal.
        prompt: what stands before the line.
        hidden: whether all of it is secret.
    """

    def __init__(self, echo: Callable[[str], object], prompt: str, *, hidden: bool = False) -> None:
        self._echo = echo
        self._prompt = prompt
        self._hidden = hidden
        self._escaping = False
        self.text = ""
        self.done = False

    def key(self, letter: str) -> None:
        """Takes one character in.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
            EOFError: Ctrl-D was pressed on an empty line.
        """
        if letter in _ENTER:
            self.done = True
            self._echo(_WIPE if self._is_secret() else "\r\n")
        elif letter == _INTERRUPT:
            raise KeyboardInterrupt
        elif letter == _END:
            if not self.text:
                raise EOFError
        elif letter in _BACK:
            self._replace(self.text[:-1])
        elif letter == _KILL:
            self._replace("")
        elif self._escaping or letter == _ESCAPE:
            # Arrow keys and the like: “ESC [ … letter”.
            self._escaping = not letter.isalpha() and letter != "~"
        elif letter.isprintable():
            shown = not self._is_secret()
            self.text += letter
            if shown:
                self._echo(letter)

    def _is_secret(self) -> bool:
        return self._hidden or is_private_line(self.text)

    def _replace(self, text: str) -> None:
        self.text = text
        shown = text[: text.index("*") + 1] if is_private_line(text) else text
        shown = "" if self._hidden else shown
        self._echo(f"{_WIPE}{self._prompt}{shown}")


def read_line(prompt: str, *, hidden: bool = False) -> str:
    """Reads a line; on a terminal what is typed in secret is not echoed.

    Args:
        prompt: what stands before it.
        hidden: whether all of it is secret, whatever it begins with.

    Raises:
        EOFError: there is none.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    if not sys.stdin.isatty():
        return input("")
    try:
        import termios
        import tty
    except ImportError:  # no terminal of this kind: Windows
        return getpass(prompt) if hidden else input(prompt)
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    *above, prompt = wrapped(prompt)
    prompt = f"{prompt.rstrip()} "
    editor = LineEditor(_write, prompt, hidden=hidden)
    try:
        tty.setcbreak(descriptor)
        settings = termios.tcgetattr(descriptor)
        settings[3] &= ~termios.ISIG
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)
        # Only now: what is typed before the terminal listens would be echoed by it.
        _write("".join(f"{line}\n" for line in above) + prompt)
        pending = b""
        while not editor.done:
            data = os.read(descriptor, 1)
            if not data:
                raise EOFError
            pending += data
            try:
                letter = pending.decode()
            except UnicodeDecodeError:
                if len(pending) < 4:
                    continue
                letter = ""
            pending = b""
            for one in letter:
                editor.key(one)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
    return editor.text


def show_secretly(name: str, lines: Sequence[str]) -> None:
    """Shows lines to one player; on a terminal they disappear when the player presses Enter."""
    if not lines:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        for line in lines:
            click.echo(f"({name} only) {line}")
        return
    _write(_OTHER_SCREEN)
    try:
        say(f"For {name} only:")
        for line in lines:
            say(line)
        click.prompt("Press Enter to cover this", default="", show_default=False, prompt_suffix="")
    finally:
        _write(_FIRST_SCREEN)


def ask_pin(name: str) -> str:
    """A player's PIN: not echoed on a terminal, else the next line of input.

    Raises:
        EOFError: there is no further line.
    """
    if sys.stdin.isatty():
        return _prompted(f"{name}'s PIN", empty=False)
    click.echo(f"{name}'s PIN: ", err=True)
    return input("").strip()


def ask_hidden(prompt: str, otherwise: str, *, differ: str = "") -> str:
    """What nobody may read: not echoed on a terminal, else the next line of input.

    Args:
        prompt: what is asked for.
        otherwise: where there is neither terminal nor input, how else to give it.
        differ: asked for twice at a terminal, what is said when the two differ; empty for once.

    Raises:
        UsageError: there is nothing to read it from.
    """
    if not sys.stdin.isatty():
        try:
            return input("")
        except EOFError:
            raise UsageError(f"{prompt}: there is no terminal to ask at; {otherwise}.") from None
    while True:
        asked = _prompted(prompt, empty=bool(differ))
        if not differ or _prompted(f"{prompt}, again", empty=True) == asked:
            return asked
        click.echo(differ, err=True)


def _prompted(prompt: str, *, empty: bool) -> str:
    default = "" if empty else None
    asked: str = click.prompt(prompt, default, hide_input=True, show_default=False, err=True)
    return asked


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
