"""Closed lines of a picture: cards on tables that have lines of their own."""

import cv2
import numpy as np
import pytest

from calibration.contours import trace

CORNERS = np.array([[300, 200], [410, 196], [398, 330], [285, 333]], np.float32)


def dark_card_among_lines(edge: float) -> np.ndarray:
    """A dark card with a white edge, on a grey table whose lines touch it and run on."""
    picture = np.full((720, 1280, 3), 90, np.uint8)
    for end, grey in (((340, 0), 25), ((0, 640), 25), ((1279, 520), 190), ((420, 719), 190)):
        cv2.line(picture, (350, 270), end, (grey, grey, grey), 9, cv2.LINE_AA)
    middle = CORNERS.mean(axis=0)
    inner = middle + (CORNERS - middle) * (1 - 2 * edge / 110)
    for outline, grey in ((CORNERS, 250), (inner, 28)):
        fixed = np.round(outline * 16).astype(np.int32)
        cv2.fillPoly(picture, [fixed], (grey, grey, grey), cv2.LINE_AA, 4)
    noise = np.random.default_rng(1).normal(0, 6, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def best_overlap(picture: np.ndarray, *, white: bool = False) -> float:
    """How well the line that fits best covers the card, intersection over union."""
    traces = trace(picture, white=white)
    best = 0.0
    for line in traces.traces:
        hull = (line.hull.reshape(-1, 2) / traces.scale).astype(np.float32)
        both, _ = cv2.intersectConvexConvex(hull, CORNERS)
        union = cv2.contourArea(hull) + cv2.contourArea(CORNERS) - both
        best = max(best, both / union)
    return best


@pytest.mark.parametrize("edge", [3, 4, 5])
def test_a_dark_card_is_found_by_its_thin_white_edge_though_lines_touch_it(edge):
    assert best_overlap(dark_card_among_lines(edge)) > 0.95


def white_card_in_strong_light() -> np.ndarray:
    """A white card on a cream table that is burnt out nearly to white beside one corner."""
    picture = np.full((720, 1280, 3), (225, 240, 250), np.uint8)
    cv2.circle(picture, (470, 380), 95, (246, 251, 254), -1)
    cv2.fillPoly(
        picture, [np.round(CORNERS * 16).astype(np.int32)], (255, 255, 255), cv2.LINE_AA, 4
    )
    noise = np.random.default_rng(1).normal(0, 0.5, picture.shape)
    return np.clip(np.round(picture + noise), 0, 255).astype(np.uint8)


def test_a_white_card_is_found_beside_a_table_burnt_out_nearly_to_white():
    assert best_overlap(white_card_in_strong_light(), white=True) > 0.95
