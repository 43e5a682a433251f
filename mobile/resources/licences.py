"""What the app is made of and under which licence, for the screen that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePath


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the app that others made.

    Attributes:
        name: what it is called.
        licence: its licence in short.
        package: its Python package, where it is one; its full licence is read from there.
        origin: who made it.
        file: its full licence, where this package brings it.
    """

    name: str
    licence: str
    origin: str
    package: str = ""
    file: str = ""


PARTS = (
    Part("Python", "PSF-2.0", "Python Software Foundation"),
    Part("Kivy", "MIT", "Kivy Team and other contributors", "kivy"),
    Part("SDL 2, SDL_image, SDL_mixer, SDL_ttf", "Zlib", "Sam Lantinga and others"),
    Part(
        "DejaVu Sans Condensed, a part of its letters and signs",
        "Bitstream Vera licence, public domain changes",
        "DejaVu fonts team",
        file="fonts/LICENCE.txt",
    ),
    Part("Roboto, which Kivy brings", "Apache-2.0", "Christian Robertson, Google"),
    Part("OpenCV", "Apache-2.0", "OpenCV team and contributors", "opencv-python"),
    Part("ONNX Runtime", "MIT", "Microsoft Corporation", "onnxruntime"),
    Part("NumPy", "BSD-3-Clause", "NumPy Developers", "numpy"),
    Part("cryptography", "Apache-2.0 or BSD-3-Clause", "Individual contributors", "cryptography"),
    Part("click", "BSD-3-Clause", "Pallets", "click"),
    Part("platformdirs", "MIT", "platformdirs developers", "platformdirs"),
    Part("rich", "MIT", "Will McGugan", "rich"),
    Part("pyjnius (Android)", "MIT", "Kivy Team and other contributors", "pyjnius"),
    Part("plyer (optional)", "MIT", "Kivy Team and other contributors", "plyer"),
    Part("picamera2 (Raspberry Pi)", "BSD-2-Clause", "Raspberry Pi", "picamera2"),
)


def version(part: Part) -> str:
    """The installed version, empty where it is not a package or not installed."""
    try:
        return distribution(part.package).version if part.package else ""
    except PackageNotFoundError:
        return ""


def full_text(part: Part) -> str:
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
