"""Android itself: permissions, what is kept out of the app switcher's picture, system bars.

Everywhere else these functions do nothing.
"""

from __future__ import annotations

import os
from typing import Any

_FLAG_SECURE = 0x2000


def is_android() -> bool:
    """Whether this runs inside python-for-android."""
    return "ANDROID_ARGUMENT" in os.environ


def prepare() -> None:
    """Settles where the app keeps its data: the folder that is the app's alone."""
    if not is_android():
        return
    from android.storage import app_storage_path

    os.environ.setdefault("COMPANION_DATA", app_storage_path())


def ask_for_camera() -> bool:
    """Asks for the camera where it is not permitted yet; returns whether it is permitted now."""
    if not is_android():
        return True
    from android.permissions import Permission, check_permission, request_permissions

    if check_permission(Permission.CAMERA):
        return True
    request_permissions([Permission.CAMERA])
    return False


def keep_secret(hidden: bool) -> None:
    """Keeps the screen out of screenshots and of the app switcher's picture, or lets it in."""
    if not is_android():
        return
    activity = _activity()

    def change() -> None:
        window = activity.getWindow()
        (window.addFlags if hidden else window.clearFlags)(_FLAG_SECURE)

    _on_ui_thread(change)


def bars() -> tuple[int, int]:
    """Heights of the system's bars above and below the app in pixels (API 35 draws under them)."""
    if not is_android():
        return 0, 0
    resources = _activity().getResources()

    def height(name: str) -> int:
        found = resources.getIdentifier(name, "dimen", "android")
        return int(resources.getDimensionPixelSize(found)) if found else 0

    return height("status_bar_height"), height("navigation_bar_height")


def _activity() -> Any:
    import jnius

    return jnius.autoclass("org.kivy.android.PythonActivity").mActivity


def _on_ui_thread(work: Any) -> None:
    from android.runnable import run_on_ui_thread

    run_on_ui_thread(work)()
