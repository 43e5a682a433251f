"""`companion doctor`: what works here, and what to install for the rest."""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from companion import __version__
from companion.cli.common import emit, json_option, room
from companion.errors import CompanionError
from companion.licences import SUBSTITUTES, licences
from companion.paths import data_folder

#: Package → how to get it.
PACKAGES = {
    "numpy": "pip install numpy",
    "cryptography": "pip install cryptography",
    "opencv-python": "pip install opencv-python (or opencv-python-headless)",
    "onnxruntime": "pip install onnxruntime; without it OpenCV runs the networks, more slowly",
    "pillow-heif": "pip install pillow-heif, to read HEIC, as iPhones take pictures",
    "kivy": "pip install kivy (Python 3.11 to 3.13)",
    "uvicorn": "pip install starlette uvicorn segno jinja2 ifaddr, for companion host",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing checked.

    Attributes:
        name: what.
        ok: whether it works.
        detail: what was found, or what to do.
    """

    name: str
    ok: bool
    detail: str


@click.command(epilog="Example: companion doctor")
@click.option(
    "--licences", "--licenses", "with_licences", is_flag=True,
    help="List the packages this is made of, with their licences.",
)  # fmt: skip
@json_option
def doctor(*, with_licences: bool, as_json: bool) -> None:
    """Looks at versions, networks, camera, screen and folders."""
    if with_licences:
        _tell_licences(as_json=as_json)
        return
    checks = list(_checks())
    if as_json:
        emit({check.name: {"ok": check.ok, "detail": check.detail} for check in checks})
        return
    for check in checks:
        click.echo(f"{'ok' if check.ok else '--':3} {check.name}: {check.detail}")


def _tell_licences(*, as_json: bool) -> None:
    """Each package with its licence and where the whole text is."""
    parts = licences()
    if as_json:
        emit({
            part.name: {
                "version": part.version, "licence": part.licence, "files": list(part.files)
            }
            for part in parts
        })  # fmt: skip
        return
    for part in parts:
        click.echo(f"{part.name} {part.version}: {part.licence}")
        for file in part.files:
            click.echo(f"    {file}")


def _checks() -> Iterator[Check]:
    good = sys.version_info >= (3, 11)
    yield Check("companion", True, __version__)
    yield Check("python", good, f"{platform.python_version()} on {platform.machine()}")
    for name, remedy in PACKAGES.items():
        yield _package(name, remedy)
    yield from _models()
    yield _camera()
    yield _screen()
    yield _writable(data_folder())


def _package(name: str, remedy: str) -> Check:
    for candidate in (name, SUBSTITUTES.get(name, name)):
        try:
            return Check(candidate, True, version(candidate))
        except PackageNotFoundError:
            continue
    return Check(name, False, f"not installed: {remedy}")


def _models() -> Iterator[Check]:
    try:
        statuses = room("vision.inference.model_files").check_models()
        engines = room("vision.inference.backend").available_engines()
    except CompanionError as error:
        yield Check("networks", False, error.message)
        return
    for status in statuses:
        detail = status.problem or "present, checksum right"
        yield Check(f"network {status.path.name}", status.problem is None, detail)
    for name, detail in engines.items():
        yield Check(f"engine {name}", True, str(detail))


def _camera() -> Check:
    devices = sorted(str(path) for path in Path("/dev").glob("video*"))
    if devices:
        return Check("camera", True, ", ".join(devices))
    return Check("camera", False, "none found: plug one in, or use photos, videos and clips")


def _screen() -> Check:
    import os

    for variable in ("WAYLAND_DISPLAY", "DISPLAY"):
        if os.environ.get(variable):
            return Check("screen", True, f"{variable}={os.environ[variable]}")
    if sys.platform != "linux":
        return Check("screen", True, sys.platform)
    if list(Path("/dev/dri").glob("card*")):
        return Check("screen", True, "/dev/dri (full screen without a desktop)")
    return Check(
        "screen", False, "none: the terminal is used (SDL_VIDEODRIVER=offscreen for tests)"
    )


def _writable(folder: Path) -> Check:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return Check("data folder", True, str(folder))
    except OSError as error:
        detail = f"{folder}: {error.strerror or error}; name another one with --data"
        return Check("data folder", False, detail)
