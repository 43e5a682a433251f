"""Android's parts against stub modules, the package's spec, and the drawn icons."""

import sys
import types

import cv2
import numpy as np
import pytest

from mobile.android import camera, check, device, stage
from mobile.resources import icons
from vision.images.sources import SourceError

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
    """Android's activity, its window and its view in one."""

    def __init__(self):
        self.flags = []
        self.felt = []
        self.rotation = 0
        self.sides = (0, 63, 0, 40)  # left, top, right, bottom
        self.place = (0, 0, 1000, 2000)

    def __getattr__(self, name):
        if name in ("getWindow", "getDecorView", "getContentView", "getWindowManager",
                    "getDefaultDisplay"):  # fmt: skip
            return lambda: self
        raise AttributeError(name)

    def performHapticFeedback(self, kind):
        self.felt.append(kind)

    def addFlags(self, flag):
        self.flags.append(flag)

    def clearFlags(self, flag):
        self.flags.remove(flag)

    def getRotation(self):
        return self.rotation

    def getWidth(self):
        return 1000

    def getHeight(self):
        return 2000

    def getGlobalVisibleRect(self, rect):
        rect.left, rect.top, rect.right, rect.bottom = self.place
        return True

    def getRootWindowInsets(self):
        if self.sides is None:
            return None
        left, top, right, bottom = self.sides
        return types.SimpleNamespace(
            getInsets=lambda kinds: types.SimpleNamespace(
                left=left, top=top, right=right, bottom=bottom
            ) if kinds == 5 else None,
            getSystemWindowInsetLeft=lambda: left,
            getSystemWindowInsetTop=lambda: top,
            getSystemWindowInsetRight=lambda: right,
            getSystemWindowInsetBottom=lambda: bottom,
        )  # fmt: skip


class Phone:
    """What of Android's classes is asked for, with a sensor that lies on its side."""

    def __init__(self):
        self.activity, self.api, self.sensor, self.facing = Activity(), 35, 90, 0
        self.permitted, self.asked = False, []

    def autoclass(self, name):
        def describe(_index, info):
            info.orientation, info.facing = self.sensor, self.facing

        kinds = types.SimpleNamespace(systemBars=lambda: 1, displayCutout=lambda: 4)
        return {
            "org.kivy.android.PythonActivity": types.SimpleNamespace(mActivity=self.activity),
            "android.hardware.Camera$CameraInfo": types.SimpleNamespace,
            "android.hardware.Camera": types.SimpleNamespace(getCameraInfo=describe),
            "android.os.Build$VERSION": types.SimpleNamespace(SDK_INT=self.api),
            "android.view.WindowInsets$Type": kinds,
            "android.graphics.Rect": types.SimpleNamespace,
        }[name]

    def answer(self, permitted):
        """The person answers Android's question."""
        self.permitted = permitted
        self.asked[-1](["camera"], [permitted])


@pytest.fixture
def phone(monkeypatch):
    found = Phone()
    jnius = types.ModuleType("jnius")
    jnius.autoclass = found.autoclass
    runnable = types.ModuleType("android.runnable")
    runnable.run_on_ui_thread = lambda work: work
    permissions = types.ModuleType("android.permissions")
    permissions.Permission = types.SimpleNamespace(CAMERA="camera")
    permissions.check_permission = lambda name: name == "camera" and found.permitted
    permissions.request_permissions = lambda _names, answered: found.asked.append(answered)
    for name, module in (
        ("jnius", jnius),
        ("android", types.ModuleType("android")),
        ("android.runnable", runnable),
        ("android.permissions", permissions),
    ):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setenv("ANDROID_ARGUMENT", "/app")
    monkeypatch.setattr(camera.AndroidSource, "_refused_at", float("-inf"))
    return found


@pytest.fixture
def android(phone):
    return phone.activity


class Lens:
    """Kivy's camera: the sensor's picture, bright at its upper left."""

    resolution = SIZE
    stopped = False

    def grab_frame(self):
        image = np.full((SIZE[1], SIZE[0], 3), 20, np.uint8)
        image[:16, :16] = 230
        return nv21(image)

    def stop(self):
        self.stopped = True


@pytest.fixture
def lens(monkeypatch):
    found = Lens()
    monkeypatch.setattr(camera, "on_main_thread", lambda work: work())
    monkeypatch.setattr(camera.AndroidSource, "_make", lambda _self: found)
    return found


def test_a_touch_is_felt_without_a_permission(android):
    device.feel(is_strong=False)
    device.feel(is_strong=True)
    assert android.felt == [1, 0]


def test_nothing_is_felt_elsewhere(android, monkeypatch):
    monkeypatch.delenv("ANDROID_ARGUMENT")
    device.feel(is_strong=True)
    assert android.felt == []


def test_private_screens_are_kept_out_of_pictures(android):
    device.keep_secret(True)
    assert android.flags == [0x2000]
    device.keep_secret(False)
    assert android.flags == []


@pytest.mark.parametrize("api", [24, 29, 30, 35])
def test_the_systems_bars_are_left_free(phone, api):
    phone.api = api
    assert device.insets() == (0, 63, 0, 40)
    phone.activity.sides = (50, 0, 63, 21)  # turned: the notch is on the left
    assert device.insets() == (50, 0, 63, 21)


def test_what_lies_between_the_bars_already_needs_no_room(phone):
    phone.activity.place = (0, 63, 1000, 1980)
    assert device.insets() == (0, 0, 0, 20)


def test_insets_before_the_window_is_there(phone):
    phone.activity.sides = None
    assert device.insets() == (0, 0, 0, 0)


def test_the_camera_starts_when_it_is_permitted(phone, lens):
    source = camera.AndroidSource()
    source.open()
    assert source.newest() is None
    assert len(phone.asked) == 1
    assert not source.ended
    phone.answer(True)
    t, image = source.newest()
    assert t >= 0
    assert image.shape[2] == 3
    assert len(phone.asked) == 1
    source.close()
    assert lens.stopped


def test_the_camera_opens_on_the_way_back_to_the_app(phone, lens):
    asking = camera.AndroidSource()
    asking.open()
    asking.close()  # the question takes the app off the screen
    phone.answer(True)
    source = camera.AndroidSource()
    source.open()
    assert source.newest() is not None
    assert len(phone.asked) == 1


def test_a_refused_camera_is_told_in_words_and_not_asked_for_at_once_again(
    phone, lens, monkeypatch
):
    source = camera.AndroidSource()
    source.open()
    phone.answer(False)
    assert source.newest() is None
    assert source.ended
    assert "not permitted" in source.failure
    with pytest.raises(SourceError, match="not permitted"):
        camera.AndroidSource().open()
    assert len(phone.asked) == 1
    now = camera.time.monotonic()
    monkeypatch.setattr(camera.time, "monotonic", lambda: now + 60)
    camera.AndroidSource().open()  # “look again”
    assert len(phone.asked) == 2


@pytest.mark.parametrize(
    ("sensor", "facing", "rotation", "corner"),
    [
        # Upright phone, usual sensor: a quarter turn clockwise, upper left goes to upper right.
        (90, 0, 0, "upper right"),
        (90, 0, 1, "upper left"),
        (90, 0, 3, "lower right"),
        (270, 0, 0, "lower left"),  # built in the other way round
        (270, 1, 0, "lower left"),
        (270, 1, 1, "upper left"),
        (270, 1, 3, "lower right"),
        (0, 0, 0, "upper left"),  # a tablet
    ],
)
def test_pictures_stand_upright(phone, lens, sensor, facing, rotation, corner):
    phone.permitted, phone.sensor, phone.facing = True, sensor, facing
    phone.activity.rotation = rotation
    source = camera.AndroidSource(facing)
    source.open()
    image = source.newest()[1]
    rows, columns = (slice(0, 8), slice(-8, None)), (slice(0, 8), slice(-8, None))
    bright = {
        f"{vertical} {side}": image[row, column].mean()
        for vertical, row in zip(("upper", "lower"), rows, strict=True)
        for side, column in zip(("left", "right"), columns, strict=True)
    }
    assert max(bright, key=bright.get) == corner


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


class Wifi:
    """Android's manager of the Wi-Fi."""

    def __init__(self):
        self.made, self.held = [], 0

    def createWifiLock(self, mode, _tag):
        self.made.append(mode)
        return self

    def acquire(self):
        self.held += 1

    def release(self):
        self.held -= 1


@pytest.mark.parametrize(("api", "mode"), [(24, 3), (28, 3), (29, 4), (35, 4)])
def test_the_wifi_is_kept_awake_while_pages_are_served(phone, api, mode):
    phone.api = api
    phone.activity.wifi = Wifi()
    phone.activity.getApplicationContext = lambda: phone.activity
    phone.activity.getSystemService = {"wifi": phone.activity.wifi}.__getitem__
    device.keep_network_awake(True)
    device.keep_network_awake(True)  # once more, as after a pause
    assert phone.activity.wifi.held == 1
    assert set(phone.activity.wifi.made) == {mode}
    device.keep_network_awake(False)
    device.keep_network_awake(False)
    assert phone.activity.wifi.held == 0


def test_elsewhere_nothing_happens():
    assert not device.is_android()
    assert device.may_use_camera()
    assert device.insets() == (0, 0, 0, 0)
    device.keep_secret(True)
    device.keep_network_awake(True)


def test_a_kept_file_goes_through_androids_share_sheet(monkeypatch, tmp_path):
    """A copy among the downloads, with the sheet opened on it; older Androids cannot."""
    written, started = [], []

    class Resolver:
        def insert(self, _table, values):
            return f"content://downloads/{values['_display_name']}"

        def openOutputStream(self, place):
            return types.SimpleNamespace(
                write=lambda data: written.append((place, data)), close=lambda: None
            )

    class Values(dict):
        put = dict.__setitem__

    class Intent:
        ACTION_SEND, EXTRA_STREAM = "send", "stream"

        def __init__(self, action):
            self.said = [action]

        def setType(self, mime):
            self.said.append(mime)

        def putExtra(self, name, value):
            self.said.append((name, value))

        def addFlags(self, flags):
            self.said.append(flags)

        @staticmethod
        def createChooser(intent, words):
            return (words, *intent.said)

    activity = types.SimpleNamespace(getContentResolver=Resolver, startActivity=started.append)
    version = types.SimpleNamespace(SDK_INT=34)
    classes = {
        "android.os.Build$VERSION": version,
        "android.content.ContentValues": Values,
        "android.provider.MediaStore$Downloads": types.SimpleNamespace(EXTERNAL_CONTENT_URI="d"),
        "android.content.Intent": Intent,
        "java.lang.String": str,
        "org.kivy.android.PythonActivity": types.SimpleNamespace(mActivity=activity),
    }
    jnius = types.ModuleType("jnius")
    jnius.autoclass, jnius.cast = classes.__getitem__, lambda _kind, value: value
    monkeypatch.setitem(sys.modules, "jnius", jnius)
    path = tmp_path / "gotcha-Ann-Bo-1.png"
    path.write_bytes(b"a picture")
    assert device.share(path)
    place = "content://downloads/gotcha-Ann-Bo-1.png"
    assert written == [(place, b"a picture")]
    assert started == [(path.name, "send", "image/png", ("stream", place), 1)]
    version.SDK_INT = 28
    assert not device.share(path)


def test_the_spec_names_what_the_app_needs():
    spec = check.read_spec(check.SPEC)
    good = {"recipes": sorted(check.NATIVE), "modules": sorted(check.PURE)}
    assert check.faults(spec, good) == []
    more = spec | {"android.permissions": "CAMERA,INTERNET,WAKE_LOCK,READ_CONTACTS"}
    assert "and for nothing else" in check.faults(more, good)[0]
    assert spec["android.api"] == "35"
    assert spec["android.archs"] == "arm64-v8a"


def test_what_pip_cannot_build_is_named():
    spec = check.read_spec(check.SPEC)
    bad = {"recipes": sorted(check.NATIVE - {"opencv"}), "modules": ["onnxruntime"]}
    found = " ".join(check.faults(spec, bad))
    assert "opencv" in found
    assert "onnxruntime" in found


def test_a_package_that_the_pages_need_and_nothing_brings_is_named():
    spec = check.read_spec(check.SPEC)
    modules = sorted(check.PURE - {"markupsafe"})
    found = check.faults(spec, {"recipes": sorted(check.NATIVE), "modules": modules})
    assert found == ["pages for phones need markupsafe, which nothing brings"]
    named = {word.partition("==")[0] for word in spec["requirements"].split(",")}
    kivy_brings = {"idna"}
    assert check.needed_for_hosting() - kivy_brings <= named


def test_the_staged_app_is_whole(tmp_path):
    folder = stage.stage(tmp_path)
    assert check.missing_files(folder) == []
    assert not list(folder.rglob("cli"))
    # Everything that is imported is there: only the interpreter and its packages come from here.
    code = (
        f"import sys; sys.path[:0] = [{str(folder)!r}]\n"
        "import companion.core.registry, companion.journal, vision.reader\n"
        "import mobile.app, mobile.model.table, mobile.seats.render\n"
        "assert mobile.seats.render.HOME.joinpath('static', 'seat.js').is_file()\n"
        "companion.core.registry.all_games()\n"
        "print(mobile.app.__file__)"
    )
    import subprocess

    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(str(folder))


def test_the_journal_and_its_keys_are_left_out_of_backups(tmp_path):
    folder = stage.stage(tmp_path)
    spec = check.read_spec(folder / "buildozer.spec")
    assert check.backup_faults(spec, folder) == []
    rules = folder / spec["android.res_xml"]
    rules.write_text(rules.read_text().replace('domain="file"', 'domain="files"', 1))
    assert check.backup_faults(spec, folder) == ["data_extraction_rules.xml lets out file"]
    (folder / spec["android.backup_rules"]).unlink()
    (folder / spec["android.extra_manifest_application_arguments"]).write_text("")
    found = " ".join(check.backup_faults(spec, folder))
    assert "backup_rules.xml is not staged" in found
    assert "the manifest does not get" in found


def test_every_staged_kind_of_file_is_packed(tmp_path):
    folder = stage.stage(tmp_path)
    spec = check.read_spec(folder / "buildozer.spec")
    packed = {f".{ending}" for ending in spec["source.include_exts"].split(",")}
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} <= packed


def test_what_buildozer_leaves_out_is_named(tmp_path):
    (tmp_path / "a.py").touch()
    (tmp_path / "b.npz").touch()
    gathered = {"packed": ["a.py"], "allow_backup": True, "version": "0"}
    found = check.packing_faults(tmp_path, gathered)
    assert found[0] == "android.allow_backup is not off"
    assert "version 0" in found[1]
    assert found[2:] == ["b.npz would not be packed"]


@pytest.mark.parametrize("size", [48, 192])
def test_icons_are_drawn(tmp_path, size):
    image = cv2.imread(str(icons.draw_icon(size, tmp_path / "icon.png")), cv2.IMREAD_UNCHANGED)
    assert image.shape == (size, size, 4)
    assert image[0, 0, 3] == 0, "the corners are round"
    assert image[size // 2, size // 2, 3] == 255
    colours = np.unique(image[image[..., 3] == 255][:, :3] // 32, axis=0)
    assert len(colours) >= 4
