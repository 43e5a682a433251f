"""Every sentence the app says by itself, in one place.

`use` takes over a language: a gettext catalogue `companion` in
`locale/LANGUAGE/LC_MESSAGES` beside this file. The words of a game (titles, options, verbs and what
they mean) come from the game and are looked up by `tr` in the same catalogue; what the referee, the
notepads and errors say is put into the language by `told`, sentence by sentence.
"""

from __future__ import annotations

import gettext
import locale
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from companion.phrases import Name, Phrase

FOLDER = Path(__file__).parent / "locale"
DOMAIN = "companion"
#: Sentences about a player as they are said to that player (“You ask Bo”, “Bo asks you”). The
#: context of each is the name's place in the sentence, which is gone in the translation.
TO_PLAYER = "second_person"
#: The player to whom everything is told; empty for nobody in particular.
_you: ContextVar[str] = ContextVar("you", default="")


def _(text: str) -> str:
    """Marks a sentence for the catalogue."""
    return text


APP = _("Tabletop Companion")
BACK = _("Back")
CLOSE = _("Close")
CANCEL = _("Cancel")
MORE = _("More")
RECORD = _("Record")
#: What a button does that keeps cards which one player alone has entered.
KEEP_SECRET = _("Keep these {n} secret")
SHOW_HANDS = _("Tell the notepads your hands")
SHOW_CARDS = _("Show them to the camera")
SHOW_LEAD = _("Hold the cards as a fan before the camera.")
SHOW_PRIVATE = _("The picture is read and forgotten.")
SAY_EACH_CARD = _("Say each card aloud")
ALOUD_ON = _("Each card is said aloud. Others hear it: use an earphone.")
RECORD_CARDS = _("Record these {n} cards")
KEEP_ONE = _("Keep this secret")
OF = _("{n} of {total}")
#: What a touched thing says to what is asked for: "its place: 3".
TOUCHED = _("{what}: {value}")

WATCH_DEMO = _("Watch the demo")
DECKS_CAMERA = _("Decks & camera")
CONTINUE = _("Continue")
HISTORY = _("History")
OLDER_UNFINISHED = _("{n} more to go on with: in the history")
TODAY = _("Today")
YESTERDAY = _("Yesterday")
TODAY_AT = _("today, {time}")
YESTERDAY_AT = _("yesterday, {time}")
DAY_AT = _("{day}, {time}")
THIS_YEAR = _("{day} {month}")
ANOTHER_YEAR = _("{day} {month} {year}")
WEEKDAYS = (
    *(_("Monday"), _("Tuesday"), _("Wednesday"), _("Thursday"), _("Friday")),
    *(_("Saturday"), _("Sunday")),
)
MONTHS = (
    *(_("January"), _("February"), _("March"), _("April"), _("May"), _("June"), _("July")),
    *(_("August"), _("September"), _("October"), _("November"), _("December")),
)
KEPT_FACTS = _("{score} · {day}")
WON = _("{won} of {played} won")
FORM = _("The last games, the newest at the right: full where won")
WON_BY = _("Won by {names}")
PLAYED_BY = _("Played by {names}")
SHARE = _("Show it in its folder")
SHARE_ANDROID = _("Share")
DELETE = _("Delete")
DELETE_SURE = _("Delete this match? {match}")
DELETE_FILES = _("The files kept of it in the app's own folder go with it: {files}")
DELETED_MATCH = _("Deleted: {match}")
DELETE_ALL = _("Delete all matches permanently")
DELETE_ALL_SURE = _("Delete all matches, names, notes and PINs permanently?")
DELETED = _("Deleted.")
JOURNAL_TROUBLE = _("Matches cannot be kept: {why}")
SETTINGS = _("Settings")
PLAY = _("Play")
RULES = _("Rules")
RULES_OF = _("Rules of {game}")
RULES_EXAMPLE = _("An example")
RULES_PLAY = _("How it is played")
GAME_FACTS = _("{players} players\n{minutes} min")

PLAYERS = _("Players, clockwise")
PLAYER_HINT = _("name")
ADD_PLAYER = _("Add a player")
REMOVE = _("Remove")
MOVE_SEAT = _("Drag ≡ to another seat, or touch it to move up.")
PEOPLE = _("People")
PEOPLE_ALL = _("All people and statistics")
FIRST_MATCH = _("New here?")
FIRST_MATCH_LEAD = _("Play a first match in two minutes: a film lays the cards, you do the rest.")
FIRST_MATCH_GO = _("Try a first match")
#: A first match: what is to be done now.
LESSONS = {
    "WRITE": _(
        "You are {you}. First everybody writes which ups and downs the row will hold; {other} "
        "has. Touch “{write}”."
    ),
    "COVER": _("A cover hides what is secret. Touch “{open}”: nobody else looks now."),
    "PREDICT": _(
        "Write for example ▲ ▲ ▼: two rises, then a fall, somewhere in the row. The longest "
        "that comes true wins. Then touch “{done}”."
    ),
    "LAY": _("Lay a card by hand, as without a camera: touch + and then {card}."),
    "OTHER_CARD": _("In the film {card} comes first. Touch “{undo}”, then lay {card}."),
    "ONE_TOO_MANY": _("That was one card too many for now. Touch “{undo}”."),
    "TAKE_BACK": _("It lies there. A mistake does no harm: touch “{undo}”."),
    "PUT_BACK": _("Undone. Touch “{redo}”, and it lies there again."),
    "WATCH": _("Now watch: a film lays the cards, and the camera reads each of them."),
    "FINISH": _("The film has ended. Lay the last cards by hand, as before."),
    "ANSWER": _("The camera is not sure. Touch what is right."),
    "END": _("The row is full: the longest prediction that came true wins. That was a match."),
}
LESSON_OF = _("Your first match · {n} of {total}")
LESSON_STOP = _("Leave it")
LESSON_OWN = _("Play one of your own")
NOBODY_YET = _(
    "Nobody is known yet. Whoever plays a match is remembered here; or add somebody now."
)
ADD_PERSON = _("Add")
TOGETHER = _("Played together")
PAIR = _("{first} and {second}: {evenings}, {games}. {first} won {won}, {second} {won2}.")
ONE_GAME = _("1 game")
GAMES_PLAYED = _("{n} games")
ONE_EVENING = _("1 evening")
EVENINGS = _("{n} evenings")
NOT_PLAYED_YET = _("no game has ended yet")
NOTHING_COUNTED = _(
    "No game with {name} has ended yet. Play one to its end, and it is counted here."
)
COUNTING_MATCHES = _("Counting matches: {n} of {total}")
LONGEST = _("Longest prediction that came true: {n}")
RIGHT_OF = _("Right guesses: {right} of {tries}.")
AGAINST_LUCK = _("Right guesses: {hits} of {tries}. Luck alone gets {lucky} right.")
NAME_AND_COLOUR = _("Name and colour")
RENAME = _("Rename")
RENAMED = _("Now called {name}, in all matches that were kept.")
FORGET_PERSON = _("Forget this person")
FORGET_PERSON_SURE = _(
    "Forget {name}'s name and colour? Matches that were kept stay; delete those in the history."
)
NAMES_FIRST = _("Touch a name to type another one. It is remembered from then on.")
SETTINGS_MORE = _("More settings")
SETTINGS_FEWER = _("Fewer settings")
PLAY_AGAIN = _("Play again")
RESULT_SHARE = _("Result and sharing")
WHO_PLAYS = _("Touch who plays, or type a name below.")
TABLE_FULL = _("This game has {n} seats: remove somebody first.")
BY_LOT = _("By lot")
LOST_LAST = _("Who lost last")
YOUNGEST = _("The youngest")
LOT_IS = _("Drawn by lot: {name}.")
LOSER_IS = _("{name} lost last time.")
NOBODY_LOST = _("These players have not ended this game yet: choose by name or by lot.")
YOUNGEST_IS = _("{name} is the youngest; that is remembered.")
WHO_IS_YOUNGEST = _("Who is the youngest? Touch the name; it is asked once.")
HOW_LONG = _("How long?")
USUAL_GAME = _("The usual game")
PRESET_PLAYERS = _("“{title}” is for {n} players at most.")
CLOCK = _("Turn clock")
CLOCK_EXPLAIN = _("Counts down quietly for the player who is to act. Nothing happens when it ends.")
CLOCK_TIMES = {
    0: _("Off"),
    30: _("30 seconds"),
    60: _("1 minute"),
    120: _("2 minutes"),
}
DECK = _("Deck")
DECK_EXPLAIN = _("Which cards lie on the table. A special deck can be printed on paper.")
CAMERA_QUESTION = _("Read the cards with the camera")
CAMERA_EXPLAIN = _("Without it you tap the cards in. Pictures stay on this device.")
PRINT_DECK = _("Print it: make a PDF")
TRUST = _("The referee may know hidden hands")
TRUST_EXPLAIN = _("Then it also refuses what your recorded hands do not allow.")
NO_PIN = _("Without a PIN, whoever holds this device can look at a hand that was recorded.")
START = _("Start")
OPTION_CHOSEN = _("or typed")
#: Options of games, as people call them; one that is not here is called by its own name.
OPTIONS = {
    "starter": _("Who starts"),
    "coach": _("Coach"),
    "deal": _("The deal"),
    "gotcha_on_ends": _("Gotcha on end cards"),
    "shown": _("Which matching card is shown"),
    "draw": _("Drawing after a Yes"),
    "questions": _("Questions"),
    "jokers": _("Jokers as missing persons"),
    "last_one_wins": _("The last one in wins"),
    "fold": _("Folding"),
    "target": _("Points that end the game"),
    "exclamation": _("The exclamation mark"),
    "conditions": _("Conditions of the cards"),
    "pass": _("Passing cards"),
    "moon": _("Taking all points"),
    "jack": _("The jack of diamonds counts"),
    "cards": _("Cards for each"),
    "hook": _("The last bid is restricted"),
    "miss": _("A missed bid scores"),
    "revoke": _("A revoke costs"),
}
#: What can be chosen for an option: its name, a slash, and the value.
VALUES = {
    "draw/all": _("onto all places"),
    "draw/one": _("onto one place"),
    "questions/plain": _("about number and suit"),
    "questions/any": _("about any cards"),
    "questions/cryptic": _("in any wording"),
    "shown/random": _("one at random"),
    "shown/equal": _("all hands count the same"),
    "pass/turns": _("left, right, across and nowhere in turns"),
    "pass/left": _("to the left"),
    "pass/right": _("to the right"),
    "pass/across": _("across"),
    "pass/hold": _("nowhere"),
    "moon/others": _("26 for each of the others"),
    "moon/self": _("26 off one's own"),
    "miss/tricks": _("the tricks taken"),
    "miss/nothing": _("nothing"),
    "revoke/none": _("nothing"),
    "revoke/three": _("three tricks"),
    "fold/at_end": _("at the end"),
    "fold/any_turn": _("instead of a turn"),
    "exclamation/fixed": _("its own condition"),
    "exclamation/d20": _("one by a die"),
}
DEALT = _("{n} cards each")
DEALT_DISCARDING = _("{n} cards, {k} discarded")

NOT_THERE = _("{card} lies there already, or cannot be laid there now.")
ROW_FULL = _("The row is full: {card} has no place in it.")
TAP_PIECE = {
    "standard": _("Tap in a card"),
    "suspense": _("Tap in a card"),
    "tile": _("Tap in a tile"),
}
UNDO = _("Undo")
LOG = _("Log")
LOOK_AGAIN = _("Look again")
ACCEPT = _("Accept")
NOT_THIS = _("Not this")
FIX = _("Fix")
SEEN = _("Seen: {card} ({sure} % sure)")
SEEN_MEANS = _("{what}? Seen: {card}, {sure} % sure")
SEEN_TWICE = _("{card} is seen in two places: take one away, or look again")
SEEN_BUT = _("Seen: {card}. It is not recorded: {why}")
SEEN_CHANGED = _("The camera sees something else now: nothing was recorded.")
SEEN_OTHER = _("Card {n} now reads {card}, recorded was {old}")
NO_WINNER = _("No winner yet")
ALSO_POSSIBLE = _("Also possible now")
RARELY_NEEDED = _("Rarely needed")
LOOK_AT = _("Look")
NOTEPADS = _("Notepads")
TABLE = _("This table")
TYPE = _("Type an event in the notation")
DONE = _("Done")
TRY_AGAIN = _("Try again")
NOTEPAD_SHORT = _("Notepad")
CAMERA_SHORT = _("Camera")
CAMERA_STOP_SHORT = _("Stop camera")
LIES_TWICE = _("{card} lies in the row already.")
LIES_IN = _("{card} lies already: {place}.")
TOUCH_AGAIN = _("Touch it again to take it anyway.")
START_ANYWAY = _("{names} has not written. Start anyway?")
START_WITHOUT = _("{names} have not written. Start anyway?")
LAY_EARLIER = _("{card} lay there before everybody had written. Does it count?")
START_NOW = _("Start")
IT_COUNTS = _("It counts")
NOT_YET = _("Not yet")
GATHER_EARLY = _(
    "Cards lie there from before the start: gather them, or let them count by “Look again”"
)
RECORD_ANYWAY = _("{why} Record it anyway?")
FOR_GOOD = _("{what} By the rules this is final.")
#: Acts that guidance does not name, in plain words.
RARELY = {
    "hand/private": _("Record {name}'s hand"),
    "reveal": _("Turn up {name}'s hidden cards"),
    "reveal/private": _("Show {name}'s hidden cards to the referee alone"),
    "hide": _("{name} has taken a card"),
    "hide/private": _("Record {name}'s missing person"),
    "secret/private": _("{name} looks at the secret card"),
    "predict": _("Show {name}'s prediction"),
    "predict/private": _("Write {name}'s prediction"),
    "discard/private": _("Record what {name} discards"),
    "show/private": _("{name} shows a tile"),
    "peek/private": _("{name} looks at the missing tile"),
    "sketch/private": _("{name} notes what an answer rules out"),
}
#: Words of the notation among which a step asks to choose, as people say them.
CAMERA_FAILED = _("The camera does not work.")
PLAY_WITHOUT = _("Play without it")
NAMES = _("Players' names")
THE_TABLE = _("Table")
ZONE = _("{title} ({n})")
ZONE_PARTLY = _("{title} ({n}, {unknown} of them not known)")
STILL_MISSING = _("Still missing: {what}")
UNREAD = _("Not known")
#: What offers the whole deck, of each family.
ALL_PIECES = {
    "standard": _("All cards"),
    "suspense": _("All cards"),
    "tile": _("All tiles"),
    "coin": _("All coins"),
}
FIELDS = {
    "card": _("Which card?"),
    "cards": _("Which cards?"),
    "player": _("Which player?"),
    "players": _("Which players?"),
    "number": _("Which number?"),
    "rank": _("Which rank?"),
    "choice": _("Which one?"),
    "text": _("In words"),
}
#: One of each family whose face nobody has read, and several.
A_PIECE = {
    "standard": _("a card"),
    "suspense": _("a card"),
    "tile": _("a tile"),
    "coin": _("a coin"),
}
N_PIECES = {
    "standard": _("{n} cards"),
    "suspense": _("{n} cards"),
    "tile": _("{n} tiles"),
    "coin": _("{n} coins"),
}
#: Lines of the log: verb, slash, number of arguments, and where needed what tells two apart.
SAYS = {
    "undo": _("The last thing was undone."),
    "redo": _("What was undone was redone."),
    "correct": _("Line {n} was corrected: {what}"),
    "/hidden": _("{name} recorded something in secret."),
    "/any": _("{name}. {what}"),
    "hand/hidden": _("{name}'s hand was recorded."),
    "discard/hidden": _("{name} discarded unseen."),
    "pass/hidden": _("{name} passed cards on."),
    "predict/hidden": _("{name} has written a prediction."),
    "hide/hidden": _("{name} has taken a missing person."),
    "secret/hidden": _("{name} looked at the secret card."),
    "peek/hidden": _("{name} looked at the missing tile."),
    "show/hidden": _("{name} showed {other} a tile."),
    "reveal/hidden": _("{name} showed the referee what was hidden."),
    "hand/1": _("{name} was dealt {0}."),
    "discard/1": _("{name} discarded {0}."),
    "reveal/1": _("{name} turns up {0}."),
    "reveal/1/private": _("{name} shows the referee {0}."),
    "agree/0": _("All agree to stop here."),
    "disclose/0": _("All agree to disclose everything."),
    "match/0": _("The next match begins."),
    "match/1": _("The next match begins: {0} starts."),
    "playoff/1": _("{0} play again."),
    "predict/1": _("{name} predicts {0}."),
    "place/1": _("{name} places {0}."),
    "row/1": _("The row is {0}."),
    "guess/1": _("{name} guesses: it is {0}."),
    "right/0": _("Right, says {name}."),
    "right/1": _("Right, says {name} and shows {0}."),
    "wrong/0": _("Wrong, says {name}."),
    "right/0/table": _("Right: it is the one."),
    "wrong/0/table": _("Wrong: it is another one."),
    "hide/1": _("{name} takes {0} as missing person."),
    "deal/2": _("{0} is dealt {1}."),
    "ask/1": _("{name} asks: {0}"),
    "ask cryptic/1": _("{name} asks: {0}"),
    "sketch/1": _("{name} notes that it is none of {0}."),
    "yes/0": _("{name} says Yes."),
    "no/0": _("{name} says No."),
    "turn/1": _("{name} turns over {0}."),
    "unturn/1": _("{name} turns {0} up again."),
    "draw/1": _("{name} draws {0}."),
    "draw/2": _("{name} draws {0} and lays it on {1}."),
    "done/0": _("{name} ends the turn."),
    "up/1": _("Left over and turned up: {0}."),
    "coin/1": _("{name} draws the coin {0}."),
    "number/1": _("{name} has {0} of them."),
    "show/1": _("{name} shows {other} {0}."),
    "announce/1": _("{name} announces that the {0} is missing."),
    "peek/1": _("{name} saw that {0} is missing."),
    "dealer/1": _("{0} deals."),
    "exclamation/1": _("The die with twenty faces shows {0}."),
    "secret/1": _("The secret card is {0}."),
    "secret/1/private": _("{name} saw the secret card: {0}."),
    "play/1": _("{name} plays {0}."),
    "pass/0": _("{name} passes."),
    "pass/1": _("{name} passes on {0}."),
    "bid/1": _("{name} bids {0}."),
    "trump/1": _("Turned up for trumps: {0}."),
    "fold/0": _("{name} folds."),
    "stay/0": _("{name} stays."),
}
#: The page that is kept of a match.
KEPT_TABLE = _("Where the cards lie")
KEPT_STORY = _("What happened")
KEPT_MATCH = _("What happened in match {n}")
KEPT_CHECKED = _("What the referee found")
KEPT_FAULT = _("{n} thing does not fit")
KEPT_FAULTS = _("{n} things do not fit")
KEPT_NO_FAULT = _("Nothing to find fault with.")
KEPT_SETTINGS = _("How it was played")
KEPT_REFEREE = _("Referee")
KEPT_TRUSTED = _("{name} trusted")
KEPT_OPEN = _("{name} open")
KEPT_NOTATION = _("Every line, in the notation")
KEPT_ALL = _("This page shows everything, after the end.")
KEPT_PUBLIC = _("This page shows what everybody may know.")
KEPT_SEAT = _("This page shows what {name} can see.")
TYPE_EVENT = _("For example {example}")
UNDONE = _("Undone: {what}")
UNDO_SURE = _("Undo this? {what}")
RESTORE = _("Redo: {what}")
REDO = _("Redo")
A_SECRET = _("something recorded in secret")
A_CORRECTION = _("the correction of line {n}")
DISCLOSE = _("Show everything that is private")
DISCLOSE_SURE = _(
    "Everything private in this session becomes public permanently, if every player agrees."
)
DISCLOSED = _("everything was shown to all")
TYPE_SECRET = _("What only you and the referee may read, e.g. {example}")

NO_CAMERA_YET = _("Starting the camera …")
CAMERA_OFF = _("No camera: tap the cards in")
GATHER = _("Gather the cards of the last match")
SOURCE_ENDED = _("The clip has ended.")
PICTURES_ENDED = _("All pictures were looked at.")
STATUS = {
    "watching": _("Looking for cards"),
    "hand in the way": _("A hand is in the way"),
    "moving": _("Something is moving"),
    "steady": _("Steady"),
    "lost": _("The cards are out of sight: bring them back into the picture"),
}

COVER = _("Pass the phone to {name}")
COVER_EXPLAIN = _("What comes next is for {name} alone.")
COVER_OPEN = _("I am {name}")
PEEK = _("Hold the button to look only as long as you hold it.")
SECRET_FOR = _("{name}, alone")
PREDICT_LEAD = _("Which ups and downs will the row hold? U up, D down, S stay.")
PREDICT_DONE = _("Keep it secret")
PREDICT_SHOW = _("Show it")
UP = _("up")
DOWN = _("down")
STAY = _("stay")
RUB_OUT = _("Erase")
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
WHICH_PIECE = {
    "standard": _("Which card?"),
    "suspense": _("Which card?"),
    "tile": _("Which tile?"),
    "coin": _("Which coin?"),
}
OK = _("OK")

ASK = _("Ask")
QUESTION_LEAD = _("Tap suits and ranks. Nothing tapped means all of them.")
QUESTION_NOT = _("All other cards instead")
QUESTION_GROUPS = {
    "RED": _("red"),
    "BLACK": _("black"),
    "ROYAL": _("royal"),
    "NUMBERS": _("number card"),
    "EVEN": _("even"),
    "ODD": _("odd"),
    "BETWEEN": _("all between"),
}

SCORES = _("Scores")
MATCH_LINE = _("Match {n}: {winners}")
OLDER = _("{n} older ones")
NO_MATCH_YET = _("No match has ended yet.")
NO_MATCH_KEPT = _("No match has been kept yet. Play one, and it is kept here.")
KEEP_PICTURE = _("Keep a picture")
KEEP_PAGE = _("Keep as a page")
MATCHES = _("{n} matches")
FILES = _("Files")
FILES_OPEN = _("Open the folder")
FILES_OWN = _("Matches kept as files lie in {path}. Each is deleted with its match.")
FILES_ELSEWHERE = _("Matches kept as files go to {path}. The app does not delete them there.")
FILES_IN = {
    "own": _("The app's folder"),
    "downloads": _("Downloads"),
    "documents": _("Documents"),
    "pictures": _("Pictures"),
}
NO_FILE_YET = _("Nothing was kept as a file yet; it goes to {path}.")
EXPORT = _("Keep as a file")
KEPT_AT = _("Kept as {path}")
REPLAY = _("Replay")
REPLAY_AUDIT = _("Replay and audit")
REPLAY_START = _("Before the first event")
NOTHING_YET = _("Nothing has happened yet.")
EVERYBODY = _("Everybody")
AUDIT = _("Audit")
AUDIT_ELSE = _("In everything else, nothing was illegal, false or contradictory.")
AUDIT_CLEAN = _("Nothing was illegal, false or contradictory.")
ROW = _("Row")
ROW_OF = _("{n} cards. Touch one to correct it.")
ROW_READ = _("{n} cards read, {doubtful} of them doubtful.")
READ_ROW = _("Read the whole row")
STOP_READING = _("Stop reading")
TAKE_ROW = _("Use this row")
PAN_ALONG = _("Hold the camera over the row, or move it slowly along.")

CAMERA_START = _("Start the camera")
CAMERA_STOP = _("Stop the camera")
CAMERA_ASLEEP = _("The camera is off.")
CARDS_READ = _("{n} cards are read.")
PICTURE_GOOD = _("✓ The picture is good.")
PICTURE_BLACK = _("The picture is black: take off the lens cap, or check the permission.")
PICTURE_FAULTS = {
    "black": PICTURE_BLACK,
    "dark": _("It is too dark: switch a light on."),
    "bright": _("It is too bright: dim the light."),
    "blurred": _("The picture is not sharp: hold still, clean the lens, or go further away."),
    "empty": _("No card is in sight: lay some face up under the camera."),
    "glare": _("Something shines: tilt the camera or move the lamp."),
    "uneven": _("Shadows lie on the table: light it from two sides."),
    "reddish": _("The light is very reddish: red and black are hard to tell apart."),
    "bluish": _("The light is very bluish: red and black are hard to tell apart."),
}
OTHER_LETTERS = _("These letters look like another deck: {deck}.")
UPSIDE_DOWN = _("The picture is upside down; the cards are read anyway.")
ZONE_EXPLAIN = _("Drag the four corners around the cards: a game's places lie between them.")
WHOLE_PICTURE = _("The whole picture")
TORCH = _("Torch")
CAMERA_BACK = _("Camera on the back")
CAMERA_FRONT = _("Camera on the front")
CAMERA_PI = _("Pi camera {model}")
LOCK_FOCUS = _("Lock the focus")
DECKS = _("Decks")
DECK_FACTS = _("{n} cards of {width:g} × {height:g} mm.")
DECK_INDICES = _("Read by the indices in the corners.")
DECK_ENROLLED = _("Without indices: it is learnt from pictures.")

TEACH_THIS = _("Teach the camera your own pieces")
TEACH = _("Teach: {deck}")
TEACH_LAY = _("{n} of {total}: lay down {name}, alone, on a plain table of another colour.")
TEACH_AGAIN = _("{n} of {total}: {name} once more, turned a little or somewhere else.")
TEACH_ALL = _("Every piece was taken.")
TEACH_NOTHING = _("No piece is seen: lay it whole into the picture, on another colour.")
TEACH_SEVERAL = _("Several things are seen: leave one alone.")
TEACH_STILL = _("It is taken when it lies still.")
TEACH_TAKEN = _("Taken. Now the next one.")
TEACH_ALIKE = _("{a} looks too much like {b}. Lay the right piece, or take it anyway.")
TAKE_ANYWAY = _("Take it anyway")
FINISH = _("Finish")
TAUGHT = _("Kept: {n} of {total} pieces. They are known from now on.")
TAUGHT_RIGHT = _("{right} of {tried} pictures are named correctly by the others.")
TAUGHT_ALIKE = _("{a} and {b} look too alike: mark one of them, or take them again.")
TAUGHT_HERE = _("Taught here: {n} pieces.")
FORGET = _("Forget what was taught")
FORGET_SURE = _("Forget the pictures of this deck? Its drawings stay known.")
LENS = _("Measure the lens")
LENS_LAY = _(
    "Lay four or more cards apart, on a plain table. Hold the camera still over them, then from "
    "other sides: {n} pictures, {cards} cards so far."
)
LENS_TAKEN = _("Taken. Now from another side.")
LENS_GOOD = _("The lens is known well: {error:.2f} pixels off, from {cards} cards.")
LENS_USABLE = _("The lens is known: {error:.2f} pixels off, from {cards} cards. More are better.")
LENS_POOR = _(
    "The lens is known poorly: {error:.2f} pixels off, from {cards} cards. Take it again."
)

NOTEPAD = _("{name}'s notepad")
MEANINGS = _("What the cards mean")
MANY_DEALS = _("more than a million")
WORLDS = _("{n} deals fit what you know.")
ONE_WORLD = _("Only one deal fits what you know.")
NO_WORLD = _("Nothing fits: something was recorded wrongly.")
COUNTING = _("Counting …")
MODEL = _("What the chances assume about secret choices")
MODELS = {
    "card": _("every choice of cards alike"),
    "rank": _("every choice of ranks alike"),
}
STILL_OPEN = _("Still open.")
NO_MARK = _("none")
WHY = _("Why?")
WHY_LINE = _("{cell}: {chance}")
SURE_YES = _("certain")
SURE_NO = _("impossible")
MARKS = _("Own marks")
WHAT_IF = _("What if?")
IS_SO = _("Suppose it is so")
IS_NOT_SO = _("Suppose it is not so")
HOLD_A_CELL = _("Touch to see why, hold to suppose that it is so.")
WORLDS_THEN = _("{n} deals are left then.")
ONE_WORLD_THEN = _("Only one deal is left then.")
NO_WORLD_THEN = _("That cannot be: {why}.")
SUPPOSE_LESS = _("That is all that can be supposed at once: touch a line to take it back.")
#: A line that takes a supposition back when it is touched.
DROP = _("✕ {supposed}")
NOTE = _("Note")
OWN_NOTES = _("Your notes on this match")
KEEP_NOTE = _("Keep the note")
NOTE_KEPT = _("Kept, sealed.")
COACH = _("Coach")
COACH_ON = _("The coach is on for all.")
PIN = _("PIN")
PIN_ASK = _("{name}'s PIN")
PIN_OLD = _("Current PIN")
PIN_NEW = _("New PIN for {name} (empty for none); a word of several letters is safer")
PIN_AGAIN = _("Repeat the new PIN")
PIN_UNLIKE = _("The two entries differ. Nothing was changed.")
PIN_SET = _("Set the PIN")
PIN_CHANGE = _("Change the PIN")
NOT_YOU = _("Or is it somebody else?")
PIN_GONE = _("There is no PIN any more.")
PIN_KEPT = _("The PIN applies from now on.")
PIN_EXPLAIN = _("Protects notepad, notes and view from other players, not from a thief.")

LICENCES = _("Third-party licences")
LEFT_HAND = _("Left-handed")
LEFT_HAND_EXPLAIN = _("The main buttons lie under the left thumb.")
SOUND = _("Sounds and vibration")
SOUND_EXPLAIN = _("When a card was taken or refused, when the turn passes on, and at a win.")
CALM = _("Reduce motion")
CALM_EXPLAIN = _("Cards do not fly to their places.")
MISREADS = _("Keep misread pictures")
MISREADS_EXPLAIN = _(
    "When you fix a card that the camera misread, its picture is kept in the folder “misreads” "
    "where your files go. Nothing is sent."
)
SPOKEN = _("Speak")
SPOKEN_EXPLAIN = _("What the referee says is also spoken, if the device can.")
LANGUAGE = _("Language")
SCORE_HAND = _("Score a hand")
SCORE_HAND_EXPLAIN = _("Cribbage, counted by the camera.")
SCORE_HAND_LEAD = _("Lay the four cards together, and the starter apart from them.")
SCORE_HAND_WHICH = _("Which card is the starter? Touch it.")
HAND_POINTS = _("{n} points")
CRIB = _("It is the crib")
#: What scores in cribbage, as `companion.cribbage` names it; a run has its length.
SCORING = {
    "fifteen": _("fifteen"),
    "pair": _("pair"),
    "run": _("run of {n}"),
    "flush": _("flush"),
    "his nobs": _("jack of the starter's suit"),
}
WHY_IT_SCORES = _("{points} for {what}")
LANGUAGE_SYSTEM = _("Same as the device")
WELCOME = (
    _(
        "Play with real cards. Lay them on the table: the camera reads them, and the referee "
        "keeps the rules and the score."
    ),
    _(
        "Everything can be tapped in by hand too. If something was read wrongly, undo it or fix "
        "it; undo goes back to the start."
    ),
    _(
        "What is secret is entered behind a cover that names who may look. Nothing leaves this "
        "device."
    ),
)
NEXT = _("Next")
SKIP = _("Skip")
BEGIN = _("Begin")

DARK = _("Dark")
LIGHT = _("Light")
APPEARANCE = _("Appearance")
TEXT_SIZE = _("Text size")
FOUR_COLOURS = _("Four-colour suits")
FOUR_COLOURS_EXPLAIN = _("Clubs green and diamonds blue. Shapes stay the same.")
PRIVACY = _("Privacy")
PRIVACY_TEXT = _(
    "Pictures are read on this device and forgotten at once. Nothing leaves this device unless you "
    "start “Own phones”, and then only the local network sees it. Your settings, the players' "
    "names and your matches are kept until you delete them."
)

#: The English sentences by name; a value is a sentence, a tuple of them or a dict of them.
ENGLISH = {
    name: value
    for name, value in dict(globals()).items()
    if name.isupper() and name not in ("FOLDER", "DOMAIN", "TO_PLAYER")
}
_catalogue = gettext.NullTranslations()
_language = "en"


def signed(points: int, sign: str = "") -> str:
    """Points with the minus of print; with `+` as a sign before those gained."""
    return f"{points:{sign}d}".replace("-", "\N{MINUS SIGN}")


def tr(text: str) -> str:
    """A word or sentence that a game brings, in the language in use; itself where there is none."""
    return _catalogue.gettext(text) if text else text


@contextmanager
def addressing(name: str) -> Iterator[None]:
    """Everything told meanwhile is told to this player: “you”, “your”; empty for nobody's own."""
    before = _you.set(name)
    try:
        yield
    finally:
        _you.reset(before)


def addressed_player() -> str:
    """To whom everything is told now; empty for nobody in particular."""
    return _you.get()


def addressed(table: str, key: str, names: Mapping[str, object]) -> str:
    """One of the app's own sentences in the language in use, said to the reader it names.

    Args:
        table: name of the sentences.
        key: which of them.
        names: of people, by their places.
    """
    return _addressed(ENGLISH[table][key], names, _catalogue)


def told(text: object, catalogue: gettext.NullTranslations | None = None) -> str:
    """What the referee, a notepad or an error says, in the language in use.

    A sentence that remembers its template (`companion.phrases`) is made anew from the template's
    translation and from what stands in its places, translated in the same way. Where it names the
    player who is addressed, it says “you”.

    Args:
        text: what is said.
        catalogue: of another language than the one in use.
    """
    catalogue = catalogue or _catalogue
    if isinstance(text, Name):
        return str(text)
    if not isinstance(text, Phrase):
        words = str(text)
        return told(words, catalogue) if isinstance(words, Phrase) else _begun(words, catalogue)
    fields = {
        name: value if isinstance(value, int | float) else told(value, catalogue)
        for name, value in text.fields.items()
    }
    return _addressed(text.template, text.fields, catalogue).format_map(fields)


def _addressed(
    template: str, fields: Mapping[str, object], catalogue: gettext.NullTranslations
) -> str:
    """A template's translation; where it names the player who is addressed, it says “you”."""
    you = _you.get()
    places = [field for field, value in fields.items() if isinstance(value, Name) and value == you]
    said = catalogue.pgettext(" ".join(places), template) if you and places else template
    return _begun(template, catalogue) if said is template else said


def _begun(text: str, catalogue: gettext.NullTranslations) -> str:
    """The translation; or that of the same words as they stand within a sentence, begun anew."""
    found = catalogue.gettext(text) if text else text
    if found is not text or not text[:1].isupper():
        return found
    small = text[:1].lower() + text[1:]
    within = catalogue.gettext(small)
    return text if within is small else within[:1].upper() + within[1:]


@cache
def catalogue(code: str) -> gettext.NullTranslations:
    """What the app says in a language; in English where there is no catalogue."""
    code = code if (FOLDER / code).is_dir() else "en"
    found = gettext.translation(DOMAIN, FOLDER, [code], fallback=True)
    found.add_fallback(gettext.translation(TO_PLAYER, FOLDER, [code], fallback=True))
    return found


def system_language() -> str:
    """The code of the device's language, e.g. `de`; `en` where it cannot be told."""
    name = locale.getlocale()[0] or "en"
    return name.split("_")[0].lower()


def language() -> str:
    """The code of the language in use."""
    return _language


def use(language: str) -> None:
    """Takes a language over, for everything that is shown from now on.

    Args:
        language: its code; empty for the device's. English where there is no catalogue.
    """
    global _catalogue, _language  # noqa: PLW0603 - there is one language in use
    wanted = _language = language or system_language()
    _catalogue = catalogue(wanted)
    globals().update(_own(wanted))


@contextmanager
def spoken(language: str) -> Iterator[None]:
    """Another language is in use meanwhile, for everything that tells in it."""
    before = _language
    if before != language:
        use(language)
    try:
        yield
    finally:
        if before != language:
            use(before)


@cache
def _own(language: str) -> Mapping[str, object]:
    """The app's own sentences in a language, by their names here."""
    known = catalogue(language)

    def say(text: str) -> str:
        return known.gettext(text) if text else text

    return {name: _translated(value, say) for name, value in ENGLISH.items()}


def _translated(value: object, say: Callable[[str], str]) -> object:
    if isinstance(value, dict):
        return {key: say(text) for key, text in value.items()}
    if isinstance(value, tuple):
        return tuple(map(say, value))
    return say(str(value))


use("en")
