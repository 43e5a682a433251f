"""The app: puts environment, settings, screens and eyes together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mobile.android.device import is_android
from mobile.card_readers import shipped_reader
from mobile.environment import prepare
from mobile.services import AppServices, ReaderMaker, SourceMaker

# What the home screen does not need is imported where it is used: the app is there sooner.
if TYPE_CHECKING:
    from vision.protocols import FrameSource


def main(source: str | None = None, data: Path | None = None) -> int:
    """Opens the app.

    Args:
        source: `demo`, `camera[:N]`, a video file or a folder of photos; None opens the home
            screen.
        data: folder for what is remembered; None takes the usual one.

    Raises:
        CompanionError: there is no screen to open a window on, or the folder cannot be written.
    """
    app = make_app(source, data)
    app.run()
    return 0


def make_app(
    source: str | None = None,
    data: Path | None = None,
    *,
    make_reader: ReaderMaker | None = None,
    make_source: SourceMaker | None = None,
) -> Any:
    """The app, not running yet; Kivy is imported here and not before.

    Raises:
        CompanionError: no window can be opened.
    """
    folder = prepare(data)
    from mobile import window

    return window.make_window_app(
        AppServices(folder, source, make_reader or shipped_reader, make_source or open_source)
    )


def open_source(name: str) -> FrameSource:
    """The source of that name, not opened yet; on Android the camera is the device's own."""
    from mobile.model.cameras import resolved

    name = resolved(name)
    if is_android() and name.startswith("camera"):
        from mobile.android.camera import AndroidSource

        return AndroidSource(int(name.partition(":")[2] or 0))
    from vision.images import sources

    return sources.open_source(name, looks=sources.STILL)
