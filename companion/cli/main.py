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

from companion import __version__
from companion.errors import CompanionError
from companion.paths import VARIABLE

USAGE = 2
INTERRUPTED = 130

#: Command → module below `companion.cli` and attribute. Add a command by adding its line.
COMMANDS: dict[str, str] = {
    "app": "app:app",
    "scan": "eyes:scan",
    "row": "eyes:row",
    "score": "score:score",
    "watch": "eyes:watch",
    "play": "play:play",
    "games": "games:games",
    "replay": "replay:replay",
    "audit": "replay:audit",
    "export": "export:export",
    "journal": "journal:journal",
    "notepad": "notepad:notepad",
    "simulate": "simulate:simulate",
    "deck": "deck:deck",
    "calibrate": "calibrate:calibrate",
    "doctor": "doctor:doctor",
    "bench": "bench:bench",
    "demo": "demo:demo",
}


class LazyGroup(click.Group):
    """Imports a command's module when the command is used, so that each needs only its own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports and returns a command."""
        target = COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, _, attribute = target.partition(":")
        command: click.Command = getattr(import_module(f"companion.cli.{module}"), attribute)
        return command


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
        _say(_one_line(error.format_message()))
        return USAGE
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except CompanionError as error:
        _say(_one_line(error.message))
        return USAGE
    except BrokenPipeError:
        # The reader (head, less) has gone; the interpreter must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result if isinstance(result, int) else 0


def _one_line(message: str) -> str:
    return " ".join(message.split())


def _say(message: str) -> None:
    print(f"companion: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
