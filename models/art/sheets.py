"""Contact sheets for the eye: decks with their boxes drawn, fonts, pips, backgrounds, things."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from models.art.packages import Say
from models.art.paths import CARDS
from models.art.render import decode_picture

_TABLE = np.array([70, 110, 70], np.float32)


def deck_sheet(folder: Path, *, height: int = 220) -> npt.NDArray[np.uint8]:
    """Draws a deck's cards in four rows of thirteen and its extras in a fifth.

    Args:
        folder: The deck's folder, with its ``deck.json``.
        height: Height of a card on the sheet, pixels.

    Returns:
        An RGB picture.
    """
    deck = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
    extras = sorted(p.stem for p in folder.glob("*.png") if p.stem not in CARDS)
    cells: dict[tuple[int, int], npt.NDArray[np.uint8]] = {}
    for i, name in enumerate((*CARDS, *extras[:13])):
        path = folder / f"{name}.png"
        if path.is_file():
            boxes = deck["cards"].get(name, {}).get("indices", [])
            cells[i // 13, i % 13] = _card_picture(path, boxes, height)
    width = max(cell.shape[1] for cell in cells.values()) + 6
    sheet = np.tile(_TABLE.astype(np.uint8), (5 * (height + 6), 13 * width, 1))
    for (row, column), cell in cells.items():
        y, x = row * (height + 6), column * width
        sheet[y : y + cell.shape[0], x : x + cell.shape[1]] = cell
    label = f"{deck['name']}  family {deck['family']}  holdout {deck['holdout']}  {deck['glyphs']}"
    cv2.putText(sheet, label, (6, sheet.shape[0] - 8), cv2.FONT_HERSHEY_SIMPLEX, 0.6,
                (255, 255, 255), 1, cv2.LINE_AA)  # fmt: skip
    return sheet


def _card_picture(
    path: Path, indices: list[dict[str, list[int]]], height: int
) -> npt.NDArray[np.uint8]:
    card = decode_picture(path.read_bytes())
    alpha = card[..., 3:].astype(np.float32) / 255.0
    flat = np.ascontiguousarray((card[..., :3] * alpha + _TABLE * (1 - alpha)).astype(np.uint8))
    for index in indices:
        for box, colour in ((index["rank_box"], (255, 0, 255)), (index["suit_box"], (0, 160, 255))):
            cv2.rectangle(flat, (box[0] - 2, box[1] - 2), (box[2] + 1, box[3] + 1), colour, 2)
    scale = height / flat.shape[0]
    size = (round(flat.shape[1] * scale), height)
    return cv2.resize(flat, size, interpolation=cv2.INTER_AREA).astype(np.uint8)


def write_sheets(root: Path, *, say: Say) -> list[Path]:
    """Writes a sheet for every deck and one each for pips, backgrounds and occluders."""
    folder = root / "sheets"
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for description in sorted((root / "decks").glob("*/deck.json")):
        target = folder / f"deck_{description.parent.name}.png"
        _write(target, deck_sheet(description.parent))
        out.append(target)
    for part in ("pips", "backgrounds", "occluders"):
        listed = root / f"{part}.json"
        if listed.is_file():
            paths = [root / row["path"] for row in json.loads(listed.read_text("utf-8"))]
            _write(folder / f"{part}.png", picture_sheet(paths))
            out.append(folder / f"{part}.png")
    if (root / "fonts.json").is_file():
        _write(folder / "fonts.png", font_sheet(root))
        out.append(folder / "fonts.png")
    say(f"sheets: {len(out)} in {folder}")
    return out


def picture_sheet(paths: list[Path], *, side: int = 84, columns: int = 22) -> npt.NDArray[np.uint8]:
    """Draws pictures in a grid of squares, over a plain ground where they are see-through."""
    rows = -(-len(paths) // columns)
    sheet = np.tile(_TABLE.astype(np.uint8), (max(1, rows) * side, columns * side, 1))
    for i, path in enumerate(paths):
        picture = decode_picture(path.read_bytes())
        alpha = picture[..., 3:].astype(np.float32) / 255.0
        flat = (picture[..., :3] * alpha + _TABLE * (1 - alpha)).astype(np.uint8)
        scale = (side - 2) / max(flat.shape[:2])
        size = (max(1, round(flat.shape[1] * scale)), max(1, round(flat.shape[0] * scale)))
        small = cv2.resize(flat, size, interpolation=cv2.INTER_AREA)
        y, x = i // columns * side, i % columns * side
        sheet[y : y + small.shape[0], x : x + small.shape[1]] = small
    return sheet


def font_sheet(root: Path, *, columns: int = 5) -> npt.NDArray[np.uint8]:
    """Draws the ranks in every chosen font, least plain first; held-out ones are marked."""
    faces = sorted(json.loads((root / "fonts.json").read_text("utf-8")),
                   key=lambda f: f["likeness"])  # fmt: skip
    rows = -(-len(faces) // columns)
    image = Image.new("RGB", (360 * columns, 22 * max(1, rows)), "white")
    draw, label = ImageDraw.Draw(image), ImageFont.load_default()
    for i, face in enumerate(faces):
        x, y = i % columns * 360, i // columns * 22
        font = ImageFont.truetype(str(root / face["path"]), 17)
        draw.text((x + 2, y + 1), "A23456789 10JQK", font=font, fill="black")
        name = f"{face['likeness']:.2f} {face['family']}"[:22]
        draw.text((x + 235, y + 5), name, font=label, fill="red" if face["holdout"] else "gray")
    return np.asarray(image, np.uint8)


def _write(target: Path, picture: npt.NDArray[np.uint8]) -> None:
    cv2.imwrite(str(target), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
