"""What the app is made of and under which licence, for the screen that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePath


@dataclass(frozen=True, slots=True)
class LicensedPart:
    """A part of the app that others made.

    Attributes:
        package: its Python package, where it is one; its full licence is read from there.
        file: its full licence, where this package brings it.
    """

    name: str
    licence: str
    origin: str
    package: str = ""
    file: str = ""


PARTS = (
    LicensedPart("Python", "PSF-2.0", "Python Software Foundation"),
    LicensedPart("Kivy", "MIT", "Kivy Team and other contributors", "kivy"),
    LicensedPart("SDL 2, SDL_image, SDL_mixer, SDL_ttf", "Zlib", "Sam Lantinga and others"),
    LicensedPart(
        "Companion Sans: letters of IBM Plex Sans, signs of Noto Sans Symbols and Math",
        "OFL-1.1",
        "IBM Corp., Google LLC",
        file="fonts/LICENCE.txt",
    ),
    LicensedPart("Roboto, which Kivy brings", "Apache-2.0", "Christian Robertson, Google"),
    LicensedPart("OpenCV", "Apache-2.0", "OpenCV team and contributors", "opencv-python"),
    LicensedPart("ONNX Runtime", "MIT", "Microsoft Corporation", "onnxruntime"),
    LicensedPart("NumPy", "BSD-3-Clause", "NumPy Developers", "numpy"),
    LicensedPart(
        "cryptography", "Apache-2.0 or BSD-3-Clause", "Individual contributors", "cryptography"
    ),
    LicensedPart("click", "BSD-3-Clause", "Pallets", "click"),
    LicensedPart("platformdirs", "MIT", "platformdirs developers", "platformdirs"),
    LicensedPart("rich", "MIT", "Will McGugan", "rich"),
    LicensedPart("pyjnius (Android)", "MIT", "Kivy Team and other contributors", "pyjnius"),
    LicensedPart("plyer (optional)", "MIT", "Kivy Team and other contributors", "plyer"),
    LicensedPart("picamera2 (Raspberry Pi)", "BSD-2-Clause", "Raspberry Pi", "picamera2"),
)


def version(part: LicensedPart) -> str:
    """The installed version, empty where it is not a package or not installed."""
    try:
        return distribution(part.package).version if part.package else ""
    except PackageNotFoundError:
        return ""


def full_text(part: LicensedPart) -> str:
    """The licence as its package or this one brings it; empty where neither does."""
    if part.file:
        return (Path(__file__).parent / part.file).read_text("utf-8").strip()
    try:
        files = distribution(part.package).files or () if part.package else ()
    except PackageNotFoundError:
        return ""
    for file in files:
        name = PurePath(str(file)).name.upper()
        if name.startswith(("LICENSE", "LICENCE", "COPYING")):
            try:
                return file.read_text().strip()
            except (OSError, UnicodeDecodeError, AttributeError):
                continue
    return ""
