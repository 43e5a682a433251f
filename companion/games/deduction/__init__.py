"""Deduction (Mark Biggar, 2003): find the missing tile by asking what the others hold.

One of 24 piecepack tiles is set aside unseen; the rest are dealt. In turn each player draws a coin
and asks one other player one of four questions: “do you have” or “how many”, of the coin's suit or
value. A player who then announces the missing tile correctly wins; after a wrong announcement a
player asks no more.
"""

from companion.games.deduction.game import GAME, Deduction

__all__ = ["GAME", "Deduction"]
