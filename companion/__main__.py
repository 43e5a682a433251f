"""`python -m companion`: the command line."""

import sys
from pathlib import Path


def _leave_out_working_folder() -> None:
    """Keeps what lies in the working folder from being imported in place of our own packages.

    `python -m` looks there first, and `vision` or `models` are names that others use too. The
    folder stays where the companion itself was found in it.
    """
    if sys.flags.safe_path or not sys.path:
        return
    first = Path(sys.path[0] or ".").resolve()
    if first == Path.cwd() and first != Path(__file__).resolve().parents[1]:
        del sys.path[0]


if __name__ == "__main__":
    _leave_out_working_folder()
    from companion.cli.main import main

    sys.exit(main())
