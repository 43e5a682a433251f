"""Precognition (Leroy Quet, 2009): predict the ups and downs of a row that all lay together.

52 cards without jokers, ranks only (A = 1 … K = 13). Each of n players is dealt floor(52/n);
everybody secretly writes a string over U, D, S of length 1 to N, the number of dealt cards; then
one card each in turn into one row. The longest prediction that occurs whole in the row's changes
wins; those tied for it play again among themselves, everybody does where nobody matched.
"""

from companion.games.precognition.game import GAME, Precognition

__all__ = ["GAME", "Precognition"]
