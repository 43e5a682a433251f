"""Gotcha: guess the opponents' cards by their places in hands held in ascending order.

52 cards, ranks only (A = 1 … K = 13). A guess names an opponent's x-th smallest or biggest card.
Right: the card is discarded, the guesser scores 3 + min(x, N+1-x) and goes on. Wrong: the turn
passes. Calling Gotcha before the guess wins one point more, or loses min(x, N+1-x).
"""

from companion.games.gotcha.game import GAME, Gotcha

__all__ = ["GAME", "Gotcha"]
