"""Android's parts against stub modules, the package's spec, and the drawn icons."""

import sys
import types

import cv2
import numpy as np
import pytest

from mobile import icons
from mobile.android import camera, check, device, stage
from vision.sources import SourceError

SIZE = (64, 48)


def nv21(image):
    """A BGR picture as a preview frame."""
    height = image.shape[0]
    planar = cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420)
    chroma = planar[height:].reshape(2, -1)
    mixed = np.empty(chroma.size, np.uint8)
    mixed[0::2], mixed[1::2] = chroma[1], chroma[0]  # V first
    return planar[:height].tobytes() + mixed.tobytes()


def test_preview_frames_are_decoded():
    image = np.full((SIZE[1], SIZE[0], 3), (200, 80, 30), np.uint8)
    image[:, SIZE[0] // 2 :] = (20, 30, 210)
    found = camera.decode(nv21(image), SIZE)
    assert found.shape == image.shape
    assert np.abs(found[:, 4:28].astype(int) - image[:, 4:28]).max() < 6
    assert np.abs(found[:, 36:60].astype(int) - image[:, 36:60]).max() < 6


@pytest.mark.parametrize("length", [0, 10, 64 * 48 * 3])
def test_other_buffers_are_refused(length):
    with pytest.raises(SourceError, match="unknown kind"):
        camera.decode(b"x" * length, SIZE)


class Activity:
    def __init__(self):
        self.flags = []

    def getWindow(self):
        return self

    def addFlags(self, flag):
        self.flags.append(flag)

    def clearFlags(self, flag):
        self.flags.remove(flag)

    def getResources(self):
        return self

    def getIdentifier(self, name, _kind, _package):
        return {"status_bar_height": 7, "navigation_bar_height": 0}[name]

    def getDimensionPixelSize(self, _found):
        return 63


@pytest.fixture
def android(monkeypatch):
    activity, asked = Activity(), []
    jnius = types.ModuleType("jnius")
    jnius.autoclass = lambda _name: types.SimpleNamespace(mActivity=activity)
    runnable = types.ModuleType("android.runnable")
    runnable.run_on_ui_thread = lambda work: work
    permissions = types.ModuleType("android.permissions")
    permissions.Permission = types.SimpleNamespace(CAMERA="camera")
    permissions.check_permission = lambda name: name in asked[1:]
    permissions.request_permissions = asked.extend
    for name, module in (
        ("jnius", jnius),
        ("android", types.ModuleType("android")),
        ("android.runnable", runnable),
        ("android.permissions", permissions),
    ):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setenv("ANDROID_ARGUMENT", "/app")
    return activity


def test_private_screens_are_kept_out_of_pictures(android):
    device.keep_secret(True)
    assert android.flags == [0x2000]
    device.keep_secret(False)
    assert android.flags == []


def test_the_systems_bars_are_left_free(android):
    assert device.bars() == (63, 0)


def test_a_refused_camera_is_told_in_words(android):
    with pytest.raises(SourceError, match="not permitted"):
        camera.AndroidSource().open()


def test_torch_and_focus_are_what_the_device_can():
    class Parameters:
        def __init__(self):
            self.set = []

        def __getattr__(self, name):
            modes = {"getSupportedFlashModes": ["off", "torch"], "getSupportedFocusModes": ["auto"]}
            if name in modes:
                return lambda: types.SimpleNamespace(toArray=lambda: modes[name])
            return lambda value: self.set.append((name, value))

    parameters = Parameters()
    phone = types.SimpleNamespace(
        getParameters=lambda: parameters,
        setParameters=lambda _parameters: None,
        autoFocus=lambda _then: parameters.set.append("focus"),
    )
    source = camera.AndroidSource()
    assert (source.has_torch, source.has_focus_lock) == (False, False)
    source._camera = types.SimpleNamespace(_android_camera=phone)
    assert source.has_torch
    assert source.has_focus_lock
    source.set_torch(True)
    source.lock_focus(True)
    source.lock_focus(False)  # it has no mode that focuses again and again
    assert parameters.set == [("setFlashMode", "torch"), ("setFocusMode", "auto"), "focus"]


def test_elsewhere_nothing_happens():
    assert not device.is_android()
    assert device.ask_for_camera()
    assert device.bars() == (0, 0)
    device.keep_secret(True)


def test_the_spec_names_what_the_app_needs():
    spec = check.read_spec(check.SPEC)
    good = {"recipes": sorted(check.NATIVE), "modules": ["platformdirs"]}
    assert check.faults(spec, good) == []
    assert spec["android.api"] == "35"
    assert spec["android.archs"] == "arm64-v8a"


def test_what_pip_cannot_build_is_named():
    spec = check.read_spec(check.SPEC)
    bad = {"recipes": sorted(check.NATIVE - {"opencv"}), "modules": ["onnxruntime"]}
    found = " ".join(check.faults(spec, bad))
    assert "opencv" in found
    assert "onnxruntime" in found


def test_the_staged_app_is_whole(tmp_path):
    folder = stage.stage(tmp_path)
    assert check.missing_files(folder) == []
    assert not list(folder.rglob("cli"))
    # Everything that is imported is there: only the interpreter and its packages come from here.
    code = (
        f"import sys; sys.path[:0] = [{str(folder)!r}]\n"
        "import companion.registry, companion.journal, mobile.app, mobile.table, vision.read\n"
        "companion.registry.all_games()\n"
        "print(mobile.app.__file__)"
    )
    import subprocess

    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(str(folder))


@pytest.mark.parametrize("size", [48, 192])
def test_icons_are_drawn(tmp_path, size):
    image = cv2.imread(str(icons.draw_icon(size, tmp_path / "icon.png")), cv2.IMREAD_UNCHANGED)
    assert image.shape == (size, size, 4)
    assert image[0, 0, 3] == 0, "the corners are round"
    assert image[size // 2, size // 2, 3] == 255
    colours = np.unique(image[image[..., 3] == 255][:, :3] // 32, axis=0)
    assert len(colours) >= 4
