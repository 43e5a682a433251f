"""`companion play` in a terminal of its own, read and typed into as by a person."""

import os
import pty
import re
import select
import sys

#: What ends a line that waits for an answer.
WAITS = re.compile(r"(?:> |: |cover this)$")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """`companion play` in a terminal of its own."""

    def __init__(self, *arguments, env=os.environ):
        command = [sys.executable, "-m", "companion", "play", *arguments]
        self.child, self.screen = pty.fork()
        if self.child == 0:
            os.execve(sys.executable, command, {**env, "TERM": "xterm"})
        self.seen = ""

    def read(self):
        """What is shown until an answer is waited for, or the program has ended."""
        shown = b""
        while select.select([self.screen], [], [], 60)[0]:
            try:
                data = os.read(self.screen, 65536)
            except OSError:  # it has ended
                break
            shown += data
            text = shown.decode("utf-8", "ignore")
            # What was typed ends in a line break, or is wiped.
            is_taken = "\n" in text or "\x1b[2K" in text
            if not data or (is_taken and WAITS.search(CODES.sub("", text))):
                break
        text = shown.decode("utf-8").replace("\r\n", "\n")
        self.seen += text
        return CODES.sub("", text)

    def type(self, text):
        """Types a line; returns what is shown then, secret screens covered again."""
        os.write(self.screen, f"{text}\n".encode())
        shown = self.read()
        while shown.endswith("cover this"):
            os.write(self.screen, b"\n")
            shown += self.read()
        return shown

    def close(self):
        os.close(self.screen)
        os.waitpid(self.child, 0)
