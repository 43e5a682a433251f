"""A sheet of pictures side by side, with mocks of the same screens beside them if there are any."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from mobile.tools.readme_pictures import SCREENS

#: Mock → the same screen by `mobile.tools.shots`, or by the seat pages' looks in the same folder.
MOCKS = {
    "home": "home-continue-phone-dark",
    "home-light": "home-continue-phone-light",
    "table-gotcha": "table-gotcha-phone-dark",
    "table-missing-persons": "table-missing-persons-phone-dark",
    "table-precognition": "table-phone-dark",
    "seat-ask": "deduction-5-ann-390-light",
    "seat-page": "deduction-8-bo-390-light",
    "table-screen": "precognition-12-table-820-dark",
}
KINDS = ("phone-dark", "phone-light", "tablet-dark")
FONT = Path(__file__).parent.parent / "resources" / "fonts" / "CompanionSans-Regular.ttf"
#: Height of a picture, of its label, the gap between two, and the width of the sheet, in pixels.
HIGH, LABEL, GAP, WIDE = 480, 28, 12, 2400


def sheet(shots: Path, out: Path, mocks: Path | None = None) -> int:
    """Writes the README's screens in a grid; each mock stands before the picture of its screen.

    Args:
        shots: folder of the pictures.
        out: the sheet, a PNG file.
        mocks: folder of mocks by the names of `MOCKS`; None for none.

    Returns:
        How many pictures are on it.
    """
    paths = [mocks / f"{name}.png" for name in MOCKS] if mocks else []
    pairs = [(mock, shots / f"{MOCKS[mock.stem]}.png") for mock in paths]
    paths = [path for pair in pairs if all(one.exists() for one in pair) for path in pair]
    grid = [shots / f"{shot}-{kind}.png" for shot in SCREENS.values() for kind in KINDS]
    paths += [path for path in grid if path.exists()]
    font = ImageFont.truetype(FONT, 18)
    places, x, y = [], GAP, GAP
    for path in paths:
        picture = Image.open(path).convert("RGB")
        picture = picture.crop((0, 0, picture.width, min(picture.height, picture.width * 3)))
        picture = picture.resize((round(picture.width * HIGH / picture.height), HIGH))
        if x + picture.width + GAP > WIDE:
            x, y = GAP, y + LABEL + HIGH + GAP
        label = f"mock: {path.stem}" if path.parent == mocks else path.stem
        places.append((picture, label, x, y))
        x += max(picture.width, round(font.getlength(label))) + GAP
    made = Image.new("RGB", (WIDE, y + LABEL + HIGH + GAP), "#777777")
    for picture, label, left, top in places:
        made.paste(picture, (left, top + LABEL))
        ImageDraw.Draw(made).text((left, top), label, "#ffffff", font)
    made.save(out, optimize=True)
    return len(places)
