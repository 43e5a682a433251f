"""Trick-taking games on one kernel: Hearts, Spades, Oh Hell and Whist.

52 cards, aces high. One card from each makes a trick: suit is followed, the highest trump takes it,
else the highest card of the suit led. A game says in its own module what differs; see `Law`.
"""

from companion.games.tricks.hearts import HEARTS
from companion.games.tricks.oh_hell import OH_HELL
from companion.games.tricks.spades import SPADES
from companion.games.tricks.whist import WHIST

#: The games of this folder, in the order to offer them.
GAMES = (HEARTS, SPADES, OH_HELL, WHIST)

__all__ = ["GAMES", "HEARTS", "OH_HELL", "SPADES", "WHIST"]
