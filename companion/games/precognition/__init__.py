"""Precognition (Leroy Quet, 2009): predict the ups and downs of a row that all lay together.

52 cards without jokers, ranks only (A = 1 … K = 13). Each of n players is dealt floor(52/n) cards.
Everybody secretly writes a string over U, D, S of length 1 to N, the number of dealt cards; then
all place their cards in turn into one row. The longest prediction that occurs as a whole in the
row's changes wins. Players who tie for it play again among themselves; if nobody matched, everybody
does.
"""

from companion.games.precognition.game import GAME, Precognition

__all__ = ["GAME", "Precognition"]
