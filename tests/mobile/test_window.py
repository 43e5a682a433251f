"""The app in a real offscreen window; pictures are kept in `build/shots`."""

import pytest

from tests.mobile.offscreen import ROOT, run
from vision.inference.model_files import models_folder

SCENES = [
    "clip_with_the_double",
    "match_by_hand",
    "fixing_the_row",
    "secrets_are_covered",
    "troubles_in_words",
    "appearance",
    "every_game_opens",
    "every_screen",
    "killed_and_continued",
    "first_start",
]
#: What once went wrong in people's hands.
FAULTS = (
    "predictions_come_first",
    "no_answer_is_lit",
    "the_headline_names_who_is_waited_for",
    "a_person_is_hidden_by_one_touch",
    "white_is_white",
    "undo_says_what_and_asks",
    "no_notation_on_the_table",
    "the_set_up_asks_who_deals",
    "the_screen_stays_on_in_a_match",
    "a_camera_fails_once",
    "outlines_go_with_their_frame",
    "a_page_begins_at_its_top",
    "the_history_says_who_won",
    "one_typeface",
    "rules_in_a_match",
    "options_in_words",
    "a_peek_ends_with_the_finger",
    "a_card_says_why_it_is_grey",
    "the_board_stays_in_sight",
    "look_again_stays_in_sight",
)
#: How it looks, moves and sounds.
LOOKS = (
    "cards_are_painted_once",
    "impossible_cards_are_grey",
    "a_tablet_has_two_panes",
    "the_long_set_up_fits_in_large_letters",
    "german_fits_in_large_letters",
    "a_word_is_never_broken_by_a_pixel",
    "cards_fly_and_touches_do_not_wait",
    "cards_are_turned_over_where_they_lie",
    "points_fly_and_the_stretch_is_lit_card_by_card",
    "targets_fit_a_thumb",
    "the_picture_moves_with_its_view",
)
#: Notepads.
NOTEPADS = (
    "the_notepad_stands_beside_the_table",
    "the_notepad_fits_its_pane",
    "what_follows_from_a_cell",
    "what_is_supposed_ends_when_something_happens",
    "a_notepad_opens_for_who_is_waited_for",
)
#: Panels that are touched as a whole.
PANELS = ("panels_at_home_lead_on", "places_on_the_table_are_touched")
#: Smaller things that once went wrong.
DETAILS = (
    "a_long_row_shows_its_newest_card",
    "a_guess_counts_for_good",
    "what_is_not_complete_does_not_look_ready",
    "an_entry_says_what_was_touched",
    "progress_stays_in_sight",
    "a_swipe_ends_with_its_page",
    "what_comes_next_is_lit",
    "recorded_and_seen_look_different",
    "photos_are_read_one_after_the_other",
    "figures_are_said_as_people_say_them",
    "a_question_fits_in_large_letters",
    "whoever_began_with_the_demo_is_welcomed",
)
#: People, statistics, the history, a first match.
PEOPLE = (
    "people_are_remembered",
    "statistics_over_evenings",
    "a_first_match",
    "a_first_match_is_left",
    "a_result_is_kept",
    "who_starts_and_how_long",
    "a_new_user_is_led",
)
#: What one match leaves for the next.
EVENING = (
    "an_answer_is_to_the_question_on_the_screen",
    "a_notepad_belongs_to_its_match",
    "every_match_can_be_gone_on_with",
    "the_lesson_ends_once",
    "no_card_is_dead",
)
#: Cards that are shown to the camera.
HANDS = (
    "a_hand_is_shown_to_the_camera",
    "everybody_tells_the_notepads_their_hand",
    "hands_are_turned_up_from_one_picture",
)
#: Scenes of a module of their own.
LIVE = {
    **dict.fromkeys(HANDS, "hand_scenes"),
    **dict.fromkeys(PEOPLE, "people_scenes"),
    **dict.fromkeys(FAULTS, "fault_scenes"),
    **dict.fromkeys(LOOKS, "look_scenes"),
    **dict.fromkeys(NOTEPADS, "notepad_scenes"),
    **dict.fromkeys(PANELS, "panel_scenes"),
    **dict.fromkeys(DETAILS, "detail_scenes"),
    **dict.fromkeys(EVENING, "evening_scenes"),
    "guesses_are_answered_before_the_camera": "live_scenes",
    "a_camera_in_trouble": "life_scenes",
    "seats_and_turns": "life_scenes",
    "a_hand_is_scored": "life_scenes",
    "a_deck_is_taught": "life_scenes",
    "own_phones": "phone_scenes",
}
SCENES += LIVE
if (models_folder() / "models.json").exists():
    SCENES.append("clip_with_the_networks")


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
    run(scene, LIVE.get(scene, "scenes"), tmp_path)


@pytest.mark.ui
def test_the_pictures_were_kept():
    import cv2

    pictures = sorted((ROOT / "build" / "shots").glob("test-*.png"))
    assert pictures
    for path in pictures:
        image = cv2.imread(str(path))
        assert image.shape[:2] == (915, 412), path.name
        assert image.std() > 5, f"{path.name} is empty"
