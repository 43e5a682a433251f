"""Where the program stores its data. Nothing is written anywhere else without being asked for."""

from __future__ import annotations

import os
from pathlib import Path

from companion.atomic_io import make_private_folder
from companion.errors import CompanionError

VARIABLE = "COMPANION_DATA"


def data_folder(chosen: Path | None = None, *, create: bool = False) -> Path:
    """The user's data folder.

    Args:
        chosen: a folder named by the user (`--data`); else `COMPANION_DATA`, else the platform's.
        create: make it if it is missing.

    Raises:
        CompanionError: it cannot be made.
    """
    if chosen is None:
        named = os.environ.get(VARIABLE)
        if named:
            chosen = Path(named)
        else:
            from platformdirs import user_data_path

            chosen = user_data_path("tabletop-companion", appauthor=False)
    if create:
        try:
            make_private_folder(chosen)
        except OSError as error:
            reason = error.strerror or error
            raise CompanionError(f"The data folder {chosen} cannot be made: {reason}.") from error
    return chosen
