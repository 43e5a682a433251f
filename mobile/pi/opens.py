"""The app in a window that nobody sees: `python -m mobile.pi.opens PICTURE.png`.

Opens the home screen, a table and a card tapped in; says how bright the picture is, so that an
empty one is noticed. For machines that can be reached but not looked at, and for emulated ones.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from mobile.tools.offscreen import SIZES, environment

#: Grey levels that a picture of the table spreads over at the least.
_SPREAD = 10.0


def main() -> int:
    """The command line."""
    if len(sys.argv) != 2:
        print("Name the picture to write.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(environment(Path(home), SIZES["pi"]))
        spread = _open(Path(sys.argv[1]))
    print(f"opened; grey levels spread over {spread:.0f}")
    return 0 if spread >= _SPREAD else 1


def _open(picture: Path) -> float:
    import cv2

    from companion.cards import parse_card
    from companion.core.events import private
    from companion.core.registry import get_game
    from mobile.app import make_app
    from mobile.tools.offscreen import OffscreenApp

    app = make_app(None, None)
    stage = OffscreenApp(app)
    game = get_game("precognition")
    app.open_table(game, game.setup(["Ann", "Bo"]), None)
    screen = app.screen("table")
    for seat in (0, 1):
        screen.table.do(private(seat, "predict", "UD"))
    screen.table.tap(parse_card("7S"))
    screen.refresh()
    stage.frames(3)
    image = cv2.imread(str(stage.picture(picture)))
    stage.close()
    assert image is not None
    return float(image.std())


if __name__ == "__main__":
    sys.exit(main())
