"""Android itself: permissions, how its camera lies, the app switcher's picture, system bars.

Everywhere else these functions do nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

_FLAG_SECURE = 0x2000
#: `CameraInfo.CAMERA_FACING_FRONT`.
_FACING_FRONT = 1
#: Android 10 has downloads that an app may add to.
_API_WITH_DOWNLOADS = 29
#: Android 11 told the kinds of insets apart.
_API_WITH_TYPES = 30


class Insets(NamedTuple):
    """Widths in pixels, in the order of Kivy's padding."""

    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0


def is_android() -> bool:
    """Whether this runs inside python-for-android."""
    return "ANDROID_ARGUMENT" in os.environ


def prepare() -> None:
    """Settles where the app keeps its data: the folder that is the app's alone."""
    if not is_android():
        return
    from android.storage import app_storage_path

    os.environ.setdefault("COMPANION_DATA", app_storage_path())


def may_use_camera() -> bool:
    """Whether the camera is permitted."""
    if not is_android():
        return True
    from android.permissions import Permission, check_permission

    return bool(check_permission(Permission.CAMERA))


def ask_for_camera(answered: Callable[[bool], None]) -> None:
    """Lets Android ask whether the camera is permitted; returns at once.

    Args:
        answered: called with the answer, on a thread of Android's.
    """
    from android.permissions import Permission, request_permissions

    request_permissions(
        [Permission.CAMERA], lambda _names, grants: answered(bool(grants) and all(grants))
    )


def camera_turn(index: int) -> int:
    """How far a camera's frames must be turned clockwise to stand upright on the screen now.

    The sensor is built in at some angle, and the screen is turned against the device. What is seen
    by a camera on the front turns the other way.

    Returns:
        0, 90, 180 or 270 degrees.
    """
    import jnius

    info = jnius.autoclass("android.hardware.Camera$CameraInfo")()
    jnius.autoclass("android.hardware.Camera").getCameraInfo(index, info)
    screen = 90 * int(_activity().getWindowManager().getDefaultDisplay().getRotation())
    is_front = int(info.facing) == _FACING_FRONT
    return (int(info.orientation) + (screen if is_front else -screen)) % 360


#: `Configuration.UI_MODE_NIGHT_MASK` and `UI_MODE_NIGHT_NO`.
_NIGHT_MASK, _NIGHT_NO = 0x30, 0x10


def is_dark() -> bool | None:
    """Whether the device shows dark screens; None where it does not tell."""
    if not is_android():
        return None
    mode = int(_activity().getResources().getConfiguration().uiMode)
    return mode & _NIGHT_MASK != _NIGHT_NO


def keep_secret(hidden: bool) -> None:
    """Keeps the screen out of screenshots and of the app switcher's picture, or lets it in."""
    if not is_android():
        return
    activity = _activity()

    def change() -> None:
        window = activity.getWindow()
        (window.addFlags if hidden else window.clearFlags)(_FLAG_SECURE)

    _on_ui_thread(change)


#: `HapticFeedbackConstants.VIRTUAL_KEY` and `LONG_PRESS`.
_LIGHT, _STRONG = 1, 0


def feel(*, is_strong: bool) -> None:
    """Lets the device be felt as at the touch of a key, where its owner has that switched on.

    That needs no permission, unlike its vibrator.
    """
    if not is_android():
        return
    view = _activity().getWindow().getDecorView()
    _on_ui_thread(lambda: view.performHapticFeedback(_STRONG if is_strong else _LIGHT))


#: `WifiManager.WIFI_MODE_FULL_HIGH_PERF`, and from Android 10 on `…_FULL_LOW_LATENCY`.
_AWAKE, _AWAKE_NEWER = 3, 4
_API_WITH_LATENCY = 29
_wifi_locks: list[Any] = []


def keep_network_awake(awake: bool) -> None:
    """Keeps the Wi-Fi from dozing while pages are served, or lets it again."""
    if not is_android():
        return
    while _wifi_locks:
        _wifi_locks.pop().release()
    if awake:
        import jnius

        newer = int(jnius.autoclass("android.os.Build$VERSION").SDK_INT) >= _API_WITH_LATENCY
        wifi = _activity().getApplicationContext().getSystemService("wifi")
        lock = wifi.createWifiLock(_AWAKE_NEWER if newer else _AWAKE, "companion:pages")
        lock.acquire()
        _wifi_locks.append(lock)


#: How a file is announced to other apps, by its ending.
_MIMES = {
    ".png": "image/png",
    ".txt": "text/plain",
    ".pdf": "application/pdf",
    ".html": "text/html",
}
#: `Intent.FLAG_GRANT_READ_URI_PERMISSION`.
_MAY_READ = 1


def share(path: Path) -> bool:
    """Puts a copy of a file among the device's downloads and opens Android's share sheet on it.

    Android 10 and newer take it without asking; older ones would need a permission for all files.
    """
    import jnius

    if int(jnius.autoclass("android.os.Build$VERSION").SDK_INT) < _API_WITH_DOWNLOADS:
        return False
    mime = _MIMES.get(path.suffix, "application/octet-stream")
    values = jnius.autoclass("android.content.ContentValues")()
    values.put("_display_name", path.name)
    values.put("mime_type", mime)
    resolver = _activity().getContentResolver()
    downloads = jnius.autoclass("android.provider.MediaStore$Downloads").EXTERNAL_CONTENT_URI
    place = resolver.insert(downloads, values)
    if place is None:
        return False
    stream = resolver.openOutputStream(place)
    stream.write(path.read_bytes())
    stream.close()
    intents = jnius.autoclass("android.content.Intent")
    intent = intents(intents.ACTION_SEND)
    intent.setType(mime)
    intent.putExtra(intents.EXTRA_STREAM, jnius.cast("android.os.Parcelable", place))
    intent.addFlags(_MAY_READ)
    words = jnius.cast("java.lang.CharSequence", jnius.autoclass("java.lang.String")(path.name))
    _activity().startActivity(intents.createChooser(intent, words))
    return True


def insets() -> Insets:
    """What the system's bars and a notch cover of the app now.

    Android 15 lets an app of API 35 draw under them; older ones lay it out between them, so only
    what really lies under a bar is told.
    """
    if not is_android():
        return Insets()
    import jnius

    activity = _activity()
    frame = activity.getWindow().getDecorView()
    covered = frame.getRootWindowInsets()
    if covered is None:  # the window is not on the screen yet
        return Insets()
    if int(jnius.autoclass("android.os.Build$VERSION").SDK_INT) >= _API_WITH_TYPES:
        kinds = jnius.autoclass("android.view.WindowInsets$Type")
        part = covered.getInsets(kinds.systemBars() | kinds.displayCutout())
        sides = (part.left, part.top, part.right, part.bottom)
    else:
        sides = (
            covered.getSystemWindowInsetLeft(),
            covered.getSystemWindowInsetTop(),
            covered.getSystemWindowInsetRight(),
            covered.getSystemWindowInsetBottom(),
        )
    place = jnius.autoclass("android.graphics.Rect")()
    activity.getContentView().getGlobalVisibleRect(place)
    free = (
        place.left,
        place.top,
        frame.getWidth() - place.right,
        frame.getHeight() - place.bottom,
    )
    return Insets(*(max(0, int(side) - int(gap)) for side, gap in zip(sides, free, strict=True)))


def _activity() -> Any:
    import jnius

    return jnius.autoclass("org.kivy.android.PythonActivity").mActivity


def _on_ui_thread(work: Any) -> None:
    from android.runnable import run_on_ui_thread

    run_on_ui_thread(work)()
