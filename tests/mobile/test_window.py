"""The app in a real offscreen window; pictures are kept in `build/shots`."""

import ast

import pytest

from tests.mobile.offscreen import ROOT, run
from vision.inference.model_files import models_folder

HERE = ROOT / "tests" / "mobile"
#: What belongs to another scene.
PARTS = {"half_a_match"}


def _is_scene(node):
    """Whether it is a function that takes nothing, or the app alone, and gives nothing."""
    if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or node.name in PARTS:
        return False
    takes, gives = [argument.arg for argument in node.args.args], node.returns
    return takes in ([], ["stage"]) and gives is not None and ast.unparse(gives) == "None"


#: Name → its module.
SCENES = {
    node.name: path.stem
    for path in sorted(HERE.glob("*scenes.py"))
    for node in ast.parse(path.read_text("utf-8")).body
    if _is_scene(node)
}
if not (models_folder() / "models.json").exists():
    del SCENES["clip_with_the_networks"]

#: What `make test` looks at, beside a walk through each game: the main job, secrets, kills, and
#: one scene of each kind; all others are in `make test-slow`.
QUICK = {
    "a_hand_is_shown_to_the_camera",
    "a_notepad_belongs_to_its_match",
    "appearance",
    "cards_fly_and_touches_do_not_wait",
    "clip_with_the_networks",
    "first_start",
    "fixing_the_row",
    "guesses_are_answered_before_the_camera",
    "impossible_cards_are_grey",
    "killed_and_continued",
    "match_by_hand",
    "no_answer_is_lit",
    "own_phones",
    "people_are_remembered",
    "places_on_the_table_are_touched",
    "points_fly_and_the_stretch_is_lit_card_by_card",
    "secrets_are_covered",
    "the_notepad_stands_beside_the_table",
    "troubles_in_words",
    "undo_says_what_and_asks",
}


def _scene(name):
    return name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)


@pytest.mark.ui
@pytest.mark.parametrize("scene", [_scene(name) for name in SCENES])
def test_scene(scene, tmp_path):
    run(scene, SCENES[scene], tmp_path)


@pytest.mark.ui
def test_the_pictures_were_kept():
    import cv2

    pictures = sorted((ROOT / "build" / "shots").glob("test-*.png"))
    assert pictures
    for path in pictures:
        image = cv2.imread(str(path))
        assert image.shape[:2] == (915, 412), path.name
        assert image.std() > 5, f"{path.name} is empty"
