"""Deduction (Mark Biggar, 2003): find the missing tile by asking what the others hold.

One of 24 piecepack tiles is set aside unseen, the rest is dealt. In turn each player draws a coin
and asks one other player one of four questions: do you have a, or how many, of the coin's suit or
value. Who then announces the missing tile rightly wins; who is wrong asks no more.
"""

from companion.games.deduction.game import GAME, Deduction

__all__ = ["GAME", "Deduction"]
