"""Every sentence the app says by itself, in one place.

The words of a game (titles, options, refusals, reasons) come from the game. A translation is a
gettext catalogue `companion` in `mobile/locale/LANGUAGE/LC_MESSAGES`.
"""

from __future__ import annotations

import gettext
from pathlib import Path

_ = gettext.translation("companion", Path(__file__).parent / "locale", fallback=True).gettext

APP = _("Tabletop Companion")
BACK = _("Back")
CLOSE = _("Close")
CANCEL = _("Cancel")

HOME_LEAD = _("Real cards, a camera, and a referee that explains itself.")
WATCH_DEMO = _("Watch the demo")
SETTINGS = _("Settings")
PLAY = _("Play")
GAME_FACTS = _("{players} players · about {minutes} min")

SETUP = _("New game")
PLAYERS = _("Players, clockwise")
PLAYER_HINT = _("name")
ADD_PLAYER = _("Add a player")
REMOVE = _("Remove")
OPTIONS = _("Options")
CAMERA_QUESTION = _("Read the cards with the camera")
CAMERA_EXPLAIN = _("Without it you tap the cards in. Pictures stay on this device.")
TRUST = _("The referee may know hidden hands")
TRUST_EXPLAIN = _("Then it also refuses what your recorded hands do not allow.")
START = _("Start")
NEXT_PLAYER = _("the next player")
YES = _("Yes")
NO = _("No")

TURN = _("{name}'s turn")
TURN_NOBODY = _("Nobody's turn")
TAP_CARD = _("Tap in a card")
UNDO = _("Undo")
LOG = _("Log")
LOOK_AGAIN = _("Look again")
ACCEPT = _("Accept")
NOT_THIS = _("Not this")
FIX = _("Fix")
SEEN = _("Seen: {card} ({sure} % sure)")
SEEN_BUT = _("Seen: {card}, but: {why}")
SEEN_OTHER = _("Card {n} now reads {card}, recorded was {old}")
ASK_RECORD = _("Record it?")
RECORD_ANYWAY = _("Record anyway")
OVER = _("Finished")
WINS = _("{names} wins")
WIN = _("{names} win")
NO_WINNER = _("No winner yet")
AGAIN = _("Next match")
PLAYOFF = _("Play-off: {names}")
DRAW = _("Agree on a draw")
ACTIONS = _("What may happen now")
TYPE_EVENT = _("or type it, e.g. {example}")
UNDONE = _("Taken back.")

NO_CAMERA_YET = _("Starting the camera …")
CAMERA_OFF = _("No camera: tap the cards in")
SOURCE_ENDED = _("The clip has ended.")
EYES_MISSING = _("The cards cannot be recognised: {why}")
STATUS = {
    "watching": _("Looking for cards"),
    "hand in the way": _("A hand is in the way"),
    "moving": _("A card is being laid"),
    "steady": _("Steady"),
    "lost": _("The row is out of sight: bring it back into the picture"),
}

COVER = _("Pass the phone to {name}")
COVER_EXPLAIN = _("What comes next is for {name} alone.")
COVER_OPEN = _("I am {name}")
SECRET_FOR = _("{name}, alone")
WRITE_SECRETLY = _("Write a prediction, {name}")
SHOW_NOW = _("Show {name}'s prediction")
PREDICT_LEAD = _("Which ups and downs will the row hold? U up, D down, S stay.")
PREDICT_DONE = _("Keep it secret")
PREDICT_SHOW = _("Show it")
UP = _("up")
DOWN = _("down")
STAY = _("stay")
RUB_OUT = _("Rub out")
PREDICTIONS = _("Predictions")
HIDDEN = _("written, hidden")
MISSING = _("not written")
NOT_FOUND = _("does not occur")
STRETCH = _("cards {a} to {b}")
ROW_EMPTY = _("No card in the row yet.")
ROW_COUNT = _("{n} of {total} cards")

EDIT_CARD = _("Card {n} of the row")
DOUBTFUL = _("Read with {sure} % certainty: please check.")
EDIT_FIX = _("It is another card")
EDIT_INSERT = _("A card is missing before it")
EDIT_DELETE = _("There is no such card")
WHICH_CARD = _("Which card?")
RANK_ONLY = _("rank only")
OK = _("OK")

DARK = _("Dark")
LIGHT = _("Light")
APPEARANCE = _("Appearance")
TEXT_SIZE = _("Text size")
FOUR_COLOURS = _("Four-colour suits")
FOUR_COLOURS_EXPLAIN = _("Clubs green and diamonds blue. Shapes stay the same.")
PRIVACY = _("Privacy")
PRIVACY_TEXT = _(
    "Pictures are read on this device, and forgotten at once. Nothing is sent anywhere; nothing "
    "is stored but your settings."
)
WENT_WRONG = _("That did not work: {why}")
