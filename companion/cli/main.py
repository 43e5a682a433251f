"""Entry point: finds the command, runs it, turns errors into one line and an exit code.

Exit codes: 0 done, 2 bad usage or unreadable input (one line on stderr), 130 on Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from companion import __version__
from companion.errors import CompanionError
from companion.paths import VARIABLE

USAGE = 2
INTERRUPTED = 130

#: Command → module below `companion.cli` with its attribute, and what it does: the first sentence
#: of its own help, which is listed without importing it. Add a command by adding its line.
COMMANDS: dict[str, tuple[str, str]] = {
    "app": ("app:app", "Opens the app."),
    "scan": (
        "eyes:scan",
        "Names the cards in each photo; folders and - (standard input) are accepted.",
    ),
    "row": ("eyes:row", "Reads one row from a still, several stills or a sweep."),
    "hand": (
        "eyes:hand",
        "Names the cards of one hand, held as a fan or laid apart, and says which are doubtful.",
    ),
    "score": ("score:score", "Scores a game from the cards on the table."),
    "watch": ("eyes:watch", "Follows a video or camera and prints what it sees, live."),
    "play": ("play:play", "Referees a game: prompts for events, or applies those of a file."),
    "host": (
        "host:host",
        "Serves a page for each player's own phone, one for the table and one for a camera.",
    ),
    "games": ("games:games", "Lists the games with players, options, defaults and their meaning."),
    "replay": ("replay:replay", "Shows a match step by step."),
    "audit": ("replay:audit", "Names what was inconsistent, illegal or false, with its step."),
    "export": (
        "replay:export",
        "Writes a match as one page: who won and how, the cards, the story, what did not fit.",
    ),
    "journal": ("journal:journal", "Lists, shows, deletes and backs up what was played."),
    "notepad": (
        "notepad:notepad",
        "Exact chances of everything hidden, as one player (or the public) can know them.",
    ),
    "simulate": ("simulate:simulate", "Plays matches by bots and counts who wins."),
    "deck": ("deck:deck", "Decks: built in, printable, enrolled."),
    "calibrate": ("calibrate:calibrate", "Fits recognition to this camera, table and light."),
    "doctor": ("doctor:doctor", "Looks at versions, networks, camera, screen and folders."),
    "bench": (
        "bench:bench",
        "Measures referee, notepads and eyes (or the app), each figure with its limit.",
    ),
    "demo": (
        "demo:demo",
        "Plays the bundled Precognition clip: cards recognised, refereed, scored.",
    ),
}


class LazyGroup(click.Group):
    """Imports a command's module when the command is used, so that each needs only its own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports and returns a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"companion.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, told) for name, (_, told) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Completes commands from the table, and options."""
        fitting = [
            CompletionItem(name, help=told)
            for name, (_, told) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*fitting, *click.Command.shell_complete(self, ctx, incomplete)]


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: companion score precognition --row '2 6 5 4 7' Ann=UD",
)
@click.version_option(__version__, prog_name="companion")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for everything that is remembered (or set COMPANION_DATA).",
)
@click.pass_context
def cli(ctx: click.Context, data: Path | None) -> None:
    """Sees real cards, keeps the rules, works out what is hidden. Without a command: the app."""
    if data is not None:
        os.environ[VARIABLE] = str(data)
    if ctx.invoked_subcommand is None:
        command = cli.get_command(ctx, "app")
        assert command is not None
        ctx.exit(ctx.invoke(command) or 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: without the program's name; those of the process if not given.

    Returns:
        The exit code.
    """
    # Must be set before ONNX Runtime is imported, else it keeps a database in the home folder.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        result: Any = cli.main(args=arguments, prog_name="companion", standalone_mode=False)
    except (KeyboardInterrupt, click.Abort):
        _say("Interrupted.")
        return INTERRUPTED
    except click.ClickException as error:
        _say(error.format_message())
        return USAGE
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except CompanionError as error:
        _say(error.message)
        return USAGE
    except BrokenPipeError:
        # The reader (head, less) has gone; the interpreter must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result if isinstance(result, int) else 0


def _say(message: str) -> None:
    from companion.cli.common import one_line

    print(f"companion: {one_line(message)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
