"""Contact sheets: all cards of a deck with the boxes drawn, for the eye."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

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


def _card_picture(path: Path, indices: list[dict[str, list[int]]], height: int) -> (
    npt.NDArray[np.uint8]
):
    card = decode_picture(path.read_bytes())
    alpha = card[..., 3:].astype(np.float32) / 255.0
    flat = np.ascontiguousarray((card[..., :3] * alpha + _TABLE * (1 - alpha)).astype(np.uint8))
    for index in indices:
        for box, colour in ((index["rank_box"], (255, 0, 255)), (index["suit_box"], (0, 160, 255))):
            cv2.rectangle(flat, (box[0] - 2, box[1] - 2), (box[2] + 1, box[3] + 1), colour, 2)
    scale = height / flat.shape[0]
    size = (round(flat.shape[1] * scale), height)
    return cv2.resize(flat, size, interpolation=cv2.INTER_AREA).astype(np.uint8)


def write_deck_sheets(root: Path) -> list[Path]:
    """Writes ``sheets/<deck>.png`` for every deck of the cache folder."""
    out = []
    for description in sorted((root / "decks").glob("*/deck.json")):
        folder = description.parent
        target = root / "sheets" / f"{folder.name}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(target), cv2.cvtColor(deck_sheet(folder), cv2.COLOR_RGB2BGR))
        out.append(target)
    return out
