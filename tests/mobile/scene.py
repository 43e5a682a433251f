"""Runs one scene in this process: `python -m tests.mobile.scene MODULE NAME`."""

import inspect
import sys
from importlib import import_module

from tests.mobile.scenes import start


def main(module: str, name: str) -> None:
    """Runs a scene; one that takes a stage gets the app as it is usually started."""
    scenes = import_module(f"tests.mobile.{module}")
    scene = getattr(scenes, name, None)
    if scene is None:
        kind, _, game = name.partition("_")
        scenes.OF_A_GAME[kind](game.replace("_", "-"))
    elif inspect.signature(scene).parameters:
        stage = start()
        scene(stage)
        stage.close()
    else:
        scene()
    print("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
